"""The embedded judge: a fact is stated where its values are. It needs no key, and it is blind to paraphrase.

- With `values`, a passage (up to three sentences in a row) states the fact when it states each of them in one of its
  ways. Without, a passage states it that holds at least 60 % of the word stems of the fact's sentence.
- A forgotten approach is *mentioned* where a passage of one or two sentences states it, *dead* when every mention is
  governed by a cue that ends it (DEAD, or the fact's own wording), *open* when one mention carries neither such a cue
  nor one that puts it into the past (PAST). A cue counts in the mention, or in the sentence behind it that refers back.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence

from agingbench.resumption.judges.claim import Claim, Ruled, Ways
from agingbench.text import STOPWORDS, Value, find, normalise, states, stem, words
from agingbench.text.splitting import sentence_spans

ENOUGH = 0.6
WINDOW = 3
MENTION = 2
REVISION = "1"  # part of what a gate is bound to: raise it whenever a rule below changes

DEAD = re.compile(
    r"\b(?:abandon\w*|g[ia]ve up|giving up|given up|reject\w*|revert\w*|rul(?:ed|ing) out|dead[ -]end|discard\w*|undid"
    r"|dropped|drop|scrapped|backed out|rolled back|removed|remov(?:e|ing)|fail(?:s|ed|ing)?|avoid|obsolete|superseded"
    r"|unnecessary|dismissed|disproved|excluded|wrong (?:approach|track|lead)|no longer|no effect|not (?:needed"
    r"|an option|the (?:cause|problem|issue|fix|reason)|viable|worth|enough|possible|useful|working)|without"
    r" (?:fixing|success|effect|helping)|instead of|rather than|replaced(?: by| with)?|never|cannot|(?:did|does|do"
    r"|could|can|would|will|was|is)(?:n['’]t| not)|turned out (?:to be )?(?:wrong|false)|stopped (?:using|trying))\b",
    re.IGNORECASE,
)
PAST = re.compile(
    r"\b(?:tried|attempted|considered|explored|experimented|initially|at first|originally|earlier|previously|was|were"
    r"|had|used to|looked (?:at|into)|first attempt|started with)\b",
    re.IGNORECASE,
)
_REFERS_BACK = re.compile(
    r"\W*(?:it|that|this|these|those|they|which|but|however|gave up|abandoned|reverted|rejected|no luck|both)\b",
    re.IGNORECASE,
)
_OUTCOME = frozenset(stem(w) for w in "tried try abandoned rejected failed approach attempt attempted reverted".split())


class Deterministic:
    """The default judge. `identity` is what a gate is bound to, beside the prompts and the tokenizer."""

    name = "deterministic"
    model: str | None = None
    identity = f"deterministic/{REVISION}"

    def rule(self, claim: Claim, context: str) -> Ruled:
        spans = [(a, b) for a, b in sentence_spans(context) if context[a:b].strip()]
        if claim.component == "forgetting":
            return self._forgotten(claim, context, spans)
        if claim.question == "done" and claim.must_not:
            for a, b in spans:
                if any(states_all(context[a:b], (entry,)) for entry in claim.must_not):
                    return Ruled("no", context[a:b].strip(), "holds what a correct continuation must not")
        if not claim.values and claim.must_not:
            return Ruled("yes", context.strip()[:80]) if context.strip() else Ruled("no")
        found = _passages(claim, context, spans, WINDOW)
        return Ruled("yes", context[found[0][0] : found[0][1]].strip()) if found else Ruled("no")

    def _forgotten(self, claim: Claim, context: str, spans: Sequence[tuple[int, int]]) -> Ruled:
        mentions = _passages(claim, context, spans, MENTION)
        if not mentions:
            return Ruled("no")
        first = context[slice(*mentions[0])].strip()
        if claim.question == "mentioned":
            return Ruled("yes", first)
        own = [normalise(wording) for wording in claim.named_dead]
        governed = [(_with_reference(context, spans, m), m) for m in mentions]
        dead = [bool(DEAD.search(text)) or any(w in normalise(text) for w in own) for text, _ in governed]
        if claim.question == "dead":
            return Ruled("yes", first) if all(dead) else Ruled("no")
        for is_dead, (text, mention) in zip(dead, governed, strict=True):
            if not is_dead and not PAST.search(text):
                return Ruled("yes", context[slice(*mention)].strip())
        return Ruled("no")


def _with_reference(context: str, spans: Sequence[tuple[int, int]], mention: tuple[int, int]) -> str:
    following = next((s for s in spans if s[0] >= mention[1]), None)
    if following and _REFERS_BACK.match(context[slice(*following)]):
        return context[mention[0] : following[1]]
    return context[slice(*mention)]


def _passages(claim: Claim, context: str, spans: Sequence[tuple[int, int]], window: int) -> list[tuple[int, int]]:
    """The shortest runs of sentences that state the claim, as spans; none lies inside another."""
    if claim.values:
        holds = _by_values(claim.values, context, spans)
    else:
        wanted = _stems(claim.text, claim.component == "forgetting")
        holds = _by_stems(wanted, context, spans)
    found: list[tuple[int, int]] = []
    for at in range(len(spans)):
        for end in range(at, min(at + window, len(spans))):
            if holds(at, end):
                span = (spans[at][0], spans[end][1])
                if not (found and found[-1][1] >= span[1]):
                    found.append(span)
                elif span[0] > found[-1][0]:  # a later start with the same end is the shorter run
                    found[-1] = span
                break
    return found


def _by_values(values: Ways, context: str, spans: Sequence[tuple[int, int]]) -> Callable[[int, int], bool]:
    """Whether the sentences from one to another state every value; the whole text is searched once per way."""
    starts = [start for start, _ in spans]
    places = [
        sorted({bisect_right(starts, at) - 1 for way in entry for at, _ in find(context, way)}) for entry in values
    ]

    def holds(first: int, last: int) -> bool:
        return all(i < len(p) and p[i] <= last for p in places for i in (bisect_left(p, first),))

    return holds


def _by_stems(wanted: frozenset[str], context: str, spans: Sequence[tuple[int, int]]) -> Callable[[int, int], bool]:
    stems = [_stems(context[a:b]) & wanted for a, b in spans]

    def holds(first: int, last: int) -> bool:
        # A sentence that says nothing of it begins no passage.
        union = frozenset().union(*stems[first : last + 1])
        return bool(wanted) and bool(stems[first]) and len(union) >= ENOUGH * len(wanted)

    return holds


def states_all(text: str, values: Sequence[Sequence[Value]]) -> bool:
    """Does the text state every value, each in one of its ways?"""
    return all(any(states(text, way) for way in entry) for entry in values)


def _stems(text: str, forgetting: bool = False) -> frozenset[str]:
    parts = [part for word in words(text) for part in word.split(".")]
    # "not" and "yet" are stop words that carry the whole of "patch not yet written".
    kept = {stem(w) for w in parts if w and (w not in STOPWORDS or w in ("not", "no"))}
    return frozenset(kept - _OUTCOME if forgetting else kept)
