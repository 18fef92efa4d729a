"""The published JSON Schema of the card; `agingbench.cards.check.schema()` reads it."""
