"""Pure functions: numbers in, numbers out."""
