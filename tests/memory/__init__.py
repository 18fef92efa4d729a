"""Tests of the memory policies."""
