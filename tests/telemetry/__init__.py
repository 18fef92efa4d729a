"""Tests of telemetry: sessions, signals, null models, cards."""
