"""Tests of the bench: plans, lives and what they are worth."""
