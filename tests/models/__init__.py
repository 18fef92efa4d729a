"""Tests of the models: through the real SDKs, against a server on this machine."""
