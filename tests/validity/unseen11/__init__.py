"""Simulated lives of coding agents, as blind test material."""
