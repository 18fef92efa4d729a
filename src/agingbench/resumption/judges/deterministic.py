"""The embedded judge: a fact is stated where its values are. It needs no key, and it is blind to
paraphrase.

- With `values`, a passage (up to three sentences in a row) states the fact when it states each of them in one of its
  ways. Without, a passage states it that holds at least 60 % of the word stems of the fact's sentence.
- A forgotten approach is *mentioned* where a passage of one or two sentences states it; `branches` reads whether the
  mentions leave it open.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence

from agingbench.resumption.judges.branches import read_mentions
from agingbench.resumption.judges.claim import EpisodeClaim, JudgeRuling, Ways
from agingbench.text import STOPWORDS, Value, find, states, stem, words
from agingbench.text.splitting import sentence_spans

ENOUGH = 0.6
WINDOW = 3
MENTION = 2
REVISION = (  # part of what a gate is bound to: raise it whenever a rule below or in `branches` changes
    "1"
)

OUTCOME = frozenset(
    stem(w)
    for w in "tried try abandoned rejected failed approach attempt attempted reverted".split()
)


class DeterministicJudge:
    """The default judge. `identity` is what a gate is bound to, beside the prompts and the
    tokenizer.
    """

    name = "deterministic"
    model: str | None = None
    identity = f"deterministic/{REVISION}"

    def rule(self, claim: EpisodeClaim, context: str) -> JudgeRuling:
        spans = [(a, b) for a, b in sentence_spans(context) if context[a:b].strip()]
        if claim.component == "forgetting":
            return read_mentions(
                claim, context, spans, find_passages(claim, context, spans, MENTION)
            )
        if claim.question == "done" and claim.must_not:
            for a, b in spans:
                if any(states_all(context[a:b], (entry,)) for entry in claim.must_not):
                    return JudgeRuling(
                        "no", context[a:b].strip(), "holds what a correct continuation must not"
                    )
        if not claim.values and claim.must_not:
            return (
                JudgeRuling("yes", context.strip()[:80]) if context.strip() else JudgeRuling("no")
            )
        found = find_passages(claim, context, spans, WINDOW)
        return (
            JudgeRuling("yes", context[found[0][0] : found[0][1]].strip())
            if found
            else JudgeRuling("no")
        )


def find_passages(
    claim: EpisodeClaim, context: str, spans: Sequence[tuple[int, int]], window: int
) -> list[tuple[int, int]]:
    """The shortest runs of sentences that state the claim, as spans; none lies inside another."""
    if claim.values:
        holds = value_matcher(claim.values, context, spans)
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


def value_matcher(
    values: Ways, context: str, spans: Sequence[tuple[int, int]]
) -> Callable[[int, int], bool]:
    """Whether the sentences from one to another state every value; the whole text is searched once
    per way.
    """
    starts = [start for start, _ in spans]
    places = [
        sorted({bisect_right(starts, at) - 1 for way in entry for at, _ in find(context, way)})
        for entry in values
    ]

    def holds(first: int, last: int) -> bool:
        return all(i < len(p) and p[i] <= last for p in places for i in (bisect_left(p, first),))

    return holds


def _by_stems(
    wanted: frozenset[str], context: str, spans: Sequence[tuple[int, int]]
) -> Callable[[int, int], bool]:
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
    return frozenset(kept - OUTCOME if forgetting else kept)
