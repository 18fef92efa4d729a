"""Frozen behaviour: what the command line printed and wrote before the modules moved."""
