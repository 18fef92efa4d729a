"""The embedded judge: a fact is stated where its values are; it is blind to paraphrase.

- With `values`, a passage (up to three sentences in a row) states the fact when it states each of
  them in one of its ways. Without, when it holds at least 60 % of the word stems of the fact.
- A forgotten approach is *mentioned* where a passage of one or two sentences states it; `branches`
  reads whether the mentions leave it open.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence

from agingbench.interfaces import Judge
from agingbench.resumption.judges.branches import read_mentions
from agingbench.resumption.judges.claim import EpisodeClaim, JudgeRuling, Ways
from agingbench.text.matching import find, states
from agingbench.text.values import Value
from agingbench.text.wording import STOPWORDS, sentence_spans, stem, words

ENOUGH = 0.6
WINDOW = 3
MENTION = 2
# Part of what a gate is bound to: raise it whenever a rule below, in `branches` or in
# `text.cues` changes.
REVISION = "1"

_OUTCOME_WORDS = "tried try abandoned rejected failed approach attempt attempted reverted"
OUTCOME = frozenset(stem(word) for word in _OUTCOME_WORDS.split())

Span = tuple[int, int]
SentenceTest = Callable[[int, int], bool]


class DeterministicJudge(Judge):
    """The default judge; `identity` is what a gate is bound to, beside prompts and tokenizer."""

    name = "deterministic"
    model: str | None = None
    identity = f"deterministic/{REVISION}"

    def rule(self, claim: EpisodeClaim, context: str) -> JudgeRuling:
        """Return yes with the passage that states the claim, or no."""
        spans = text_spans(context)
        if claim.component == "forgetting":
            mentions = find_passages(claim, context, spans, MENTION)
            return read_mentions(claim, context, spans, mentions)

        if claim.question == "done":
            for start, end in spans:
                sentence = context[start:end]
                if any(states_all(sentence, (entry,)) for entry in claim.must_not):
                    reason = "holds what a correct continuation must not"
                    return JudgeRuling("no", sentence.strip(), reason)

        if claim.must_not and not claim.values:
            beginning = context.strip()[:80]
            return JudgeRuling("yes", beginning) if beginning else JudgeRuling("no")

        passages = find_passages(claim, context, spans, WINDOW)
        if not passages:
            return JudgeRuling("no")
        start, end = passages[0]
        return JudgeRuling("yes", context[start:end].strip())


def text_spans(context: str) -> list[Span]:
    """Return the spans of the sentences that are not blank."""
    return [(start, end) for start, end in sentence_spans(context) if context[start:end].strip()]


def find_passages(
    claim: EpisodeClaim, context: str, spans: Sequence[Span], window: int
) -> list[Span]:
    """Return the shortest runs of sentences that state the claim; none lies inside another."""
    if claim.values:
        states_claim = value_matcher(claim.values, context, spans)
    else:
        stems = _content_stems(claim.text, claim.component == "forgetting")
        states_claim = _stem_matcher(stems, context, spans)

    passages: list[Span] = []
    for first in range(len(spans)):
        for last in range(first, min(first + window, len(spans))):
            if not states_claim(first, last):
                continue
            passage = (spans[first][0], spans[last][1])
            if not passages or passages[-1][1] < passage[1]:
                passages.append(passage)
            elif passage[0] > passages[-1][0]:
                # A later start with the same end is the shorter run.
                passages[-1] = passage
            break
    return passages


def value_matcher(values: Ways, context: str, spans: Sequence[Span]) -> SentenceTest:
    """Return a test whether the sentences from one to another state every value.

    The whole text is searched only once per way of writing a value.
    """
    starts = [start for start, _ in spans]
    places: list[list[int]] = []  # per value, the sentences that state it
    for entry in values:
        matches = [at for way in entry for at, _ in find(context, way)]
        places.append(sorted({bisect_right(starts, at) - 1 for at in matches}))

    def states_claim(first: int, last: int) -> bool:
        for sentences in places:
            nearest = bisect_left(sentences, first)
            if nearest == len(sentences) or sentences[nearest] > last:
                return False
        return True

    return states_claim


def _stem_matcher(claim_stems: frozenset[str], context: str, spans: Sequence[Span]) -> SentenceTest:
    shared = [_content_stems(context[start:end]) & claim_stems for start, end in spans]

    def states_claim(first: int, last: int) -> bool:
        # A sentence that says nothing of the claim begins no passage.
        if not claim_stems or not shared[first]:
            return False
        union = frozenset().union(*shared[first : last + 1])
        return len(union) >= ENOUGH * len(claim_stems)

    return states_claim


def states_all(text: str, values: Sequence[Sequence[Value]]) -> bool:
    """Whether the text states every value, each in one of its ways."""
    return all(any(states(text, way) for way in entry) for entry in values)


def _content_stems(text: str, forgetting: bool = False) -> frozenset[str]:
    stems = set()
    for word in words(text):
        for part in word.split("."):
            # "not" and "yet" are stop words that carry the whole of "patch not yet written".
            is_filler = part in STOPWORDS and part not in ("not", "no")
            if part and not is_filler:
                stems.add(stem(part))
    return frozenset(stems - OUTCOME if forgetting else stems)
