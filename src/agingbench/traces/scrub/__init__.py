"""Takes secrets and personal data out of text."""
