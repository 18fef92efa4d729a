"""Judges held against hand grades: grades, labels, kappa and the gate."""
