"""The life of every fact behind a failed probe, and the one cause of each failure."""
