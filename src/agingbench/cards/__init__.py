"""The AgingCard: its typed model, its schema, its checks and its files."""
