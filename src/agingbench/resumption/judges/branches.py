"""What the mentions of a forgotten approach say of it: dead, a thing of the past, or still open.

It is *dead* when every mention is governed by a cue that ends it (DEAD, or the fact's own wording),
*open* when one mention carries neither such a cue nor one that puts it into the past (PAST). A cue
counts in the mention, or in the sentence behind it that refers back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from agingbench.resumption.judges.claim import EpisodeClaim, JudgeRuling
from agingbench.text import normalise

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
    """The answer to a question about a forgotten approach, from the passages that mention it."""
    if not mentions:
        return JudgeRuling("no")
    first = context[slice(*mentions[0])].strip()
    if claim.question == "mentioned":
        return JudgeRuling("yes", first)
    own = [normalise(wording) for wording in claim.named_dead]
    governed = [(_with_reference(context, spans, m), m) for m in mentions]
    dead = [
        bool(DEAD.search(text)) or any(w in normalise(text) for w in own) for text, _ in governed
    ]
    if claim.question == "dead":
        return JudgeRuling("yes", first) if all(dead) else JudgeRuling("no")
    for is_dead, (text, mention) in zip(dead, governed, strict=True):
        if not is_dead and not PAST.search(text):
            return JudgeRuling("yes", context[slice(*mention)].strip())
    return JudgeRuling("no")


def _with_reference(
    context: str, spans: Sequence[tuple[int, int]], mention: tuple[int, int]
) -> str:
    following = next((s for s in spans if s[0] >= mention[1]), None)
    if following and _REFERS_BACK.match(context[slice(*following)]):
        return context[mention[0] : following[1]]
    return context[slice(*mention)]
