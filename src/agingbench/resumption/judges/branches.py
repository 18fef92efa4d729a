"""Reads from its mentions whether a forgotten approach is dead, past or still open.

It is *dead* when every mention is governed by a cue that ends it (DEAD, or the fact's own wording),
*open* when one mention carries neither such a cue nor one that puts it into the past (PAST). A cue
counts in the mention, or in the sentence behind it that refers back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from agingbench.resumption.judges.claim import EpisodeClaim, JudgeRuling
from agingbench.text.wording import normalise

DEAD = re.compile(
    r"\b(?:abandon\w*|g[ia]ve up|giving up|given up|reject\w*|revert\w*|rul(?:ed|ing) out|dead["
    r" -]end|discard\w*|undid"
    r"|dropped|drop|scrapped|backed out|rolled"
    r" back|removed|remov(?:e|ing)|fail(?:s|ed|ing)?|avoid|obsolete|superseded"
    r"|unnecessary|dismissed|disproved|excluded|wrong (?:approach|track|lead)|no longer|no"
    r" effect|not (?:needed"
    r"|an option|the"
    r" (?:cause|problem|issue|fix|reason)|viable|worth|enough|possible|useful|working)|without"
    r" (?:fixing|success|effect|helping)|instead of|rather than|replaced(?: by|"
    r" with)?|never|cannot|(?:did|does|do"
    r"|could|can|would|will|was|is)(?:n['’]t| not)|turned out (?:to be )?(?:wrong|false)|stopped"
    r" (?:using|trying))\b",
    re.IGNORECASE,
)
PAST = re.compile(
    r"\b(?:tried|attempted|considered|explored|experimented|initially|at"
    r" first|originally|earlier|previously|was|were"
    r"|had|used to|looked (?:at|into)|first attempt|started with)\b",
    re.IGNORECASE,
)
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
        if open_mention is None and not PAST.search(text):
            open_mention = context[slice(*mention)].strip()

    if claim.question == "dead":
        return JudgeRuling("yes", first_mention) if all_dead else JudgeRuling("no")
    return JudgeRuling("no") if open_mention is None else JudgeRuling("yes", open_mention)


def _is_dead(text: str, named_dead: Sequence[str]) -> bool:
    if DEAD.search(text):
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
