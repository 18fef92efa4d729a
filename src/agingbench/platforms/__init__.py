"""Where users already work: tasks inside Inspect, and exports to evaluation platforms."""
