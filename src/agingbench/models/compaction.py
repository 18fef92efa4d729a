"""How the embedded model condenses a text: it picks sentences under a word budget.

It knows no importance. Where the prompt says what must stay, sentences that carry it come first:
among them those that tell what holds, and of these the ones that name more or tell a rule.
Statements come before requests. Of sentences that are as good as each other it takes some from
everywhere, so whatever is condensed again and again together with new text fades.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from agingbench.models.statements import ParsedSentence, parse
from agingbench.text.linking import linked_sentences

_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
)
_WEEKDAY = r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
_RULE = (
    r"\b(?:never|always|only|must|at most|no other|please|allerg\w+|boycott|favou?rite|budget|limit"
    r"|rule)\b"
)
# What a compaction prompt asks to keep -> how a sentence shows that it carries it.
KEEP: tuple[tuple[str, str], ...] = (
    (r"amount|budget|money|dollar", r"[$€£]\s?\d"),
    (r"\bdate|deadline", rf"\b{_MONTH} \d"),
    (
        r"person|people|names?\b",
        rf"(?<!^)(?<![.!?] )\b(?!(?:{_MONTH}|{_WEEKDAY})s?\b)[A-Z][a-z]+",
    ),
    (r"version", r"\b(?:version|release) v?\d|\bv?\d+\.\d+\b"),
    (r"constraint|number", r"\d"),
    (r"\brule", _RULE),
)
# What holds is told in the present or as a row of a table, what happened in the past.
_HOLDS = re.compile(
    r"^\s*\|(?:[^|]+\|){2,}\s*$|\b(?:is|are|am|has|have|may|must|goes|go|stands?|runs?|takes?|keeps?"
    r"|costs?|opens?|belongs?|gets?|moves?|listens?|lives?|allow|owns?|uses?)\b"
)
_FULL_NAME = re.compile(r"\b[A-Z][\w'’-]+(?: (?:of |in |the )?[A-Z][\w'’-]+)+|\b\w+[_/]\w+")
MOST_NAMES = 2  # a sentence with more is no better
DEFAULT_BUDGET = 300


class Worth(NamedTuple):
    """What a compaction goes by, the most telling first."""

    to_keep: bool
    holds: bool
    names: int  # a rule counts for as many as can count
    is_statement: bool


def worth_keeping(sentence: str) -> bool:
    """Whether a careful compaction is told to keep a sentence."""
    if not parse(sentence).is_statement:
        return False
    return any(re.search(shows, sentence) for _, shows in KEEP)


def condense(text: str, instruction: str) -> str:
    """Sentences of the text under the word budget that the instruction names, in their order."""
    limit = re.search(r"at most (\d+) words", instruction)
    words_left = int(limit.group(1)) if limit else DEFAULT_BUDGET
    patterns = [
        re.compile(shows) for asks, shows in KEEP if re.search(asks, instruction, re.IGNORECASE)
    ]
    linked = [sentence for sentence in linked_sentences(text) if parse(sentence.text).terms]
    parts = [parse(sentence.text) for sentence in linked]
    sizes = [len(part.text.split()) for part in parts]

    by_worth: dict[Worth, list[set[int]]] = {}
    for place, part in enumerate(parts):
        # Who is told what must stay exactly keeps a sentence with what it refers back to.
        back = linked[place].leans_on if patterns else 0
        group = set(range(max(0, place - back), place + 1))
        by_worth.setdefault(_worth(part, patterns), []).append(group)

    places: set[int] = set()
    for worth in sorted(by_worth, reverse=True):
        groups = [group - places for group in by_worth[worth]]
        chosen = _spread(groups, sizes, words_left)
        places |= chosen
        words_left -= sum(sizes[place] for place in chosen)
    return " ".join(parts[place].text for place in sorted(places))


def _worth(part: ParsedSentence, patterns: Sequence[re.Pattern[str]]) -> Worth:
    if not patterns:
        return Worth(False, False, 0, part.is_statement)
    to_keep = any(pattern.search(part.text) for pattern in patterns)
    holds = bool(_HOLDS.search(part.text))
    if re.search(_RULE, part.text):
        names = MOST_NAMES
    else:
        names = min(len(_FULL_NAME.findall(part.text)), MOST_NAMES)
    return Worth(to_keep, holds, names, part.is_statement)


def _spread(groups: Sequence[set[int]], sizes: Sequence[int], budget: int) -> set[int]:
    """The sentences of as many groups as the budget has words for, evenly from first to last."""
    costs = [sum(sizes[place] for place in group) for group in groups]
    words_ahead = sum(costs)
    chosen: set[int] = set()
    # How many groups are due by now, less those that were taken; half a one to begin with, since
    # otherwise the first of all could never stay.
    due = 0.5
    for group, cost in zip(groups, costs, strict=True):
        due += min(1.0, budget / words_ahead) if words_ahead else 1.0
        words_ahead -= cost
        rest = group - chosen
        size = sum(sizes[place] for place in rest)
        if due >= 1 and size <= budget:
            chosen |= rest
            budget -= size
            due -= 1
    return chosen
