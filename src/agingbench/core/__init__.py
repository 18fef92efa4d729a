"""Names of the original that users import; what they name lives elsewhere."""
