"""Tests of the Resumption Benchmark."""
