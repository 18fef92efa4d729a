"""What a judge is asked and what it answers: one claim, yes or no, with the words of the context it
rests on.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from agingbench.text import Value, normalise

Component = Literal["continuation", "preservation", "forgetting"]
COMPONENTS: tuple[Component, ...] = ("continuation", "preservation", "forgetting")

# Per component the questions a judge may be asked, each answered yes or no.
QUESTIONS: dict[Component, tuple[str, ...]] = {
    "continuation": ("done",),
    "preservation": ("stated",),
    "forgetting": ("mentioned", "open", "dead"),
}

Ways = tuple[tuple[Value, ...], ...]  # every entry is needed, each in one of its ways


class EpisodeClaim(msgspec.Struct, frozen=True):
    """One fact or check, one question about it. A judge sees nothing of the other facts of the
    episode.
    """

    component: Component
    question: str
    text: str
    values: Ways = ()
    must_not: Ways = ()
    named_dead: tuple[str, ...] = ()


class JudgeRuling(msgspec.Struct, frozen=True, omit_defaults=True):
    """A judge's answer. `failed` is no answer: it is counted and never becomes a score."""

    label: Literal["yes", "no", "failed"]
    quote: str = ""
    reason: str = ""


def verify_quote(ruling: JudgeRuling, context: str) -> JudgeRuling:
    """The ruling if its quote stands in the context; a yes without a quote, or with one of its own
    making, failed.
    """
    if ruling.label != "yes":
        return ruling
    if not ruling.quote.strip(" \"'\n\t"):
        return JudgeRuling("failed", "", "a yes without a quote")
    # Letter for letter is the common case, and folding a long context is dear.
    if ruling.quote not in context and normalise(ruling.quote).strip(" \"'") not in normalise(
        context
    ):
        return JudgeRuling("failed", ruling.quote, "the quote is not in the context")
    return ruling
