"""Programs that run inside a confinement: passed in as source, standard library only."""
