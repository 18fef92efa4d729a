"""Tests of the trace formats."""
