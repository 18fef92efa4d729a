"""Blind test material: simulated lives of coding agents at the ferry company Kelpline (see README.md)."""
