"""Blind test material: simulated deployed agents and their trace files."""
