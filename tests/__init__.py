"""Tests of AgingBench; the folders mirror src/agingbench."""
