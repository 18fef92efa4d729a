"""Episodes: their YAML, their trajectories, their checks and the folder they lie in."""
