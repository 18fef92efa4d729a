"""Tests of the matcher."""
