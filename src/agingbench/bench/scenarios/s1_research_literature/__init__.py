"""s1: a research assistant that reads findings every session."""
