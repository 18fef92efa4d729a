"""Simulated lives of coding agents: thirty kinds, written as transcripts of two clients."""
