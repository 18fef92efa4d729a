"""A model behind the protocols that agents call models with, on this machine only."""
