"""Simulated healthy coding agents (batch 16) for a blind check."""
