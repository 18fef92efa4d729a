"""An agent of your own: it quotes what its memory says to the question, then answers from the
quote alone.

Run it from this folder:

    agingbench run --agent own_agent.py:QuoteFirst --memory append_only
"""

from __future__ import annotations

import msgspec

from agingbench.agents.react import ReactAgent
from agingbench.records import Answer

QUOTE = (
    "Do not answer yet. Quote word for word every sentence of your memory that bears on the"
    " question below, and write nothing else."
)


class QuoteFirst(ReactAgent):
    """Does tasks like the reference agent; takes two calls where that one takes one to answer."""

    def ask(self, question: str, context: str | None = None) -> Answer:
        quote = super().ask(f"{QUOTE}\n\n{question}", context)
        if quote.status != "answered":
            return quote
        answer = super().ask(question, quote.text)
        # The card is told what was read in the first place, and what both calls took.
        return msgspec.structs.replace(
            answer, context=quote.context, usage=quote.usage + answer.usage
        )
