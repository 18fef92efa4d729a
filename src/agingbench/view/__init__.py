"""The viewer: reports, ledgers and traces as live pages on this machine alone."""
