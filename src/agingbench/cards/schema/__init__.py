"""The JSON Schema files that ship with the package; `agingbench.cards.check.schema()` reads them."""
