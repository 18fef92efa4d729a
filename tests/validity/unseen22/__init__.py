"""Simulated coding agents with a known truth, for a blind test of judges of transcripts."""
