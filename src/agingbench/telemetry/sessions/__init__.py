"""From the events of a trace to sessions with what the signals need of them."""
