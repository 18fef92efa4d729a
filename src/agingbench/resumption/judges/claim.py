"""What a judge is asked and what it answers: one claim, yes or no, and a quote from the context."""

from __future__ import annotations

from typing import Literal

import msgspec

from agingbench.cards.resumption import Component
from agingbench.text.values import Value
from agingbench.text.wording import normalise

COMPONENTS: tuple[Component, ...] = ("continuation", "preservation", "forgetting")
RulingLabel = Literal["yes", "no", "failed"]

# Per component the questions a judge may be asked, each answered yes or no.
QUESTIONS: dict[Component, tuple[str, ...]] = {
    "continuation": ("done",),
    "preservation": ("stated",),
    "forgetting": ("mentioned", "open", "dead"),
}

Ways = tuple[tuple[Value, ...], ...]  # every entry is needed, each in one of its ways


class EpisodeClaim(msgspec.Struct, frozen=True):
    """One question about one fact or check; a judge sees no other fact of the episode."""

    component: Component
    question: str
    text: str
    values: Ways = ()
    must_not: Ways = ()
    named_dead: tuple[str, ...] = ()


class JudgeRuling(msgspec.Struct, frozen=True, omit_defaults=True):
    """A judge's answer; `failed` means no answer, which is counted and never becomes a score."""

    label: RulingLabel
    quote: str = ""
    reason: str = ""


def verify_quote(ruling: JudgeRuling, context: str) -> JudgeRuling:
    """Return the ruling, or a failed one if it says yes without a quote from the context."""
    if ruling.label != "yes":
        return ruling
    if not ruling.quote.strip(" \"'\n\t"):
        return JudgeRuling("failed", "", "a yes without a quote")

    # The exact quote is the common case, and normalising a long context is slow.
    if ruling.quote in context:
        return ruling
    quote = normalise(ruling.quote).strip(" \"'")
    if quote in normalise(context):
        return ruling
    return JudgeRuling("failed", ruling.quote, "the quote is not in the context")
