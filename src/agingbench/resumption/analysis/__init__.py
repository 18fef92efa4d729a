"""Runs compared: paired differences, falsification, Pareto fronts, power."""
