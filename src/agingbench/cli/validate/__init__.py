"""The `agingbench validate` commands."""
