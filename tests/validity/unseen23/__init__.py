"""Simulated coding agents whose transcripts have a known truth (see README.md)."""
