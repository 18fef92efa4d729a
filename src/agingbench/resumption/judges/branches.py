"""Reads from its mentions whether a forgotten approach is dead, past or still open.

It is *dead* when every mention is governed by a cue that ends it (GIVEN_UP, or the fact's own
wording), *open* when one mention carries neither such a cue nor one that puts it into the past
(ONCE_TRIED). A cue counts in the mention, or in the sentence behind it that refers back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from agingbench.resumption.judges.claim import EpisodeClaim, JudgeRuling
from agingbench.text.cues import GIVEN_UP, ONCE_TRIED
from agingbench.text.wording import normalise

_REFERS_BACK = re.compile(
    r"\W*(?:it|that|this|these|those|they|which|but|however|gave up|abandoned|reverted|rejected|no"
    r" luck|both)\b",
    re.IGNORECASE,
)


def read_mentions(
    claim: EpisodeClaim,
    context: str,
    spans: Sequence[tuple[int, int]],
    mentions: Sequence[tuple[int, int]],
) -> JudgeRuling:
    """Answer a question about a forgotten approach from the passages that mention it."""
    if not mentions:
        return JudgeRuling("no")
    first_mention = context[slice(*mentions[0])].strip()
    if claim.question == "mentioned":
        return JudgeRuling("yes", first_mention)

    open_mention = None
    all_dead = True
    for mention in mentions:
        text = _with_reference(context, spans, mention)
        if _is_dead(text, claim.named_dead):
            continue
        all_dead = False
        if open_mention is None and not ONCE_TRIED.search(text):
            open_mention = context[slice(*mention)].strip()

    if claim.question == "dead":
        return JudgeRuling("yes", first_mention) if all_dead else JudgeRuling("no")
    return JudgeRuling("no") if open_mention is None else JudgeRuling("yes", open_mention)


def _is_dead(text: str, named_dead: Sequence[str]) -> bool:
    if GIVEN_UP.search(text):
        return True
    return any(normalise(wording) in normalise(text) for wording in named_dead)


def _with_reference(
    context: str, spans: Sequence[tuple[int, int]], mention: tuple[int, int]
) -> str:
    """Return the mention, with the sentence behind it if that refers back."""
    start, end = mention
    following = next((span for span in spans if span[0] >= end), None)
    if following and _REFERS_BACK.match(context[slice(*following)]):
        end = following[1]
    return context[start:end]
