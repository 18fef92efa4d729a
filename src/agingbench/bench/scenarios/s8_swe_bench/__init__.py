"""s8: a chain of real issues of an open-source repository."""
