"""Judges held against reference grades: grades, labels, kappa and the gate."""
