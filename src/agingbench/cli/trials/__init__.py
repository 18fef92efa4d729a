"""The `agingbench trials` commands."""
