"""The `agingbench resumption` commands."""
