"""s6: a research analyst's assistant that reads figures off several platforms."""
