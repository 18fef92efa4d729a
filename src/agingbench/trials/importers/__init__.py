"""Foreign rollouts and ledgers as trials: one file per source."""
