"""Reports: cards and run files made readable."""
