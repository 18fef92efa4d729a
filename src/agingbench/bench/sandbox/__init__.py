"""Runs code that an agent wrote where it can do no harm."""
