"""Which stage fails: the ladder P1 to P3, its contexts, floor and ceiling, hints, autopsies."""
