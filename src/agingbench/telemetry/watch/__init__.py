"""Watches transcripts: keeps them, audits what is new, and tells when an answer changes."""
