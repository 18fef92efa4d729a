"""The one tokenizer that budgets are counted with; its name stands in every result and is part of
every gate.
"""

from __future__ import annotations

from agingbench.text import count_tokens

TOKENIZER = "chars/4"  # agingbench.text.count_tokens: four characters a token, rounded up

__all__ = ["TOKENIZER", "count_tokens"]
