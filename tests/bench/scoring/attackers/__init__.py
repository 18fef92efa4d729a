"""Two sets of agents and questions for them, written without sight of the matcher.

The first set may be looked at to mend the matcher; the second reports.
"""
