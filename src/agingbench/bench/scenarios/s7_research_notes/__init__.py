"""s7: a notes program that an agent builds and migrates in a workspace of its own."""
