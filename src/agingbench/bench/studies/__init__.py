"""Many lives: grids, their runner, comparisons, gates, estimates, extending, reproducing."""
