"""Lives as tasks of Inspect: `inspect eval agingbench/s2` (extra `inspect`)."""
