"""The JSON Schema files that ship with the package; `agingbench.cards.schema()` reads them."""
