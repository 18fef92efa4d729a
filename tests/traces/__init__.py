"""Tests of agingbench.traces."""
