"""Agents that own their loop."""
