"""Runs code and commands of an agent where they can do no harm."""
