"""Tests of agingbench.trials."""
