"""Keeps transcripts that clients delete."""
