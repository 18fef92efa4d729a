"""Trials, the evidence: what happened in one run, as a strict record that can be checked against
its files.
"""
