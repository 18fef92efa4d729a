"""Where work is done: in threads and processes of this machine, or on a Ray cluster."""
