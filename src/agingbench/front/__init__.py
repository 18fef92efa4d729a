"""The front door for Python: lives, studies, audits and comparisons by one call each."""
