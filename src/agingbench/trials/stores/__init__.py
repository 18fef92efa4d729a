"""Where a ledger is kept: SQLite for one machine, PostgreSQL for a team."""
