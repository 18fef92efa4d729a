"""Seventh set of simulated deployed agents."""
