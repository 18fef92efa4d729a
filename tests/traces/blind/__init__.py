"""Secrets and look-alikes that were written without sight of the scrubber; never edited."""
