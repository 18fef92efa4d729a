"""What an assistant does in each turn: executes, verifies, deliberates or explores; by rules that
anybody can read.

A turn that calls tools is classified by its calls, each by what is called, on what and after what:

- V  the call checks: a test, a linter, a validator, a comparison; or it reads what was acted on in an earlier turn
- X  the call only looks: read, list, search, observe, fetch
- E  the call acts: everything else, which changes something or hands something in; a shell that writes into a file too

A turn of several kinds goes by the first of V, X, E. A turn without a call is E when the user
speaks next or nobody does (the answer is handed in), V when its text speaks of checking, X when it
weighs other ways, and D otherwise.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from agingbench.records import Event
from agingbench.trials.inspect.turns import Turn

LABELS = {"E": "execution", "V": "verification", "D": "deliberation", "X": "exploration"}
CODES = "EVDX"
RULES = "rules-1"

_CHECKS = re.compile(
    r"\b(?:py)?tests?\b|\bunittest\b|\bverif\w*|\bvalidat\w*|\bcheck\w*|\blint\w*|\bmypy\b|\bruff\b|\bdiff\b|\bassert\w*"
    r"|\bconfirm\w*|\bcompare\w*|\baudit\w*|\bproofread\w*",
    re.IGNORECASE,
)
_LOOKS = re.compile(
    r"\b(?:read|cat|head|tail|less|ls|dir|list|find|grep|rg|search|lookup|query|observe|snapshot|view|show|open|get|fetch"
    r"|inspect|browse|describe|status|stat|glob|scan|peek|recall|retrieve|select|history|help|which|pwd|tree|wc)\b",
    re.IGNORECASE,
)
_SAID_CHECKING = re.compile(
    r"\b(?:verif(?:y|ied|ying|ication)|double[- ]check|let me"
    r" check|checking|confirm(?:ed|ing)?|sanity|re-?check\w*"
    r"|validat\w+|make sure|to be sure)\b",
    re.IGNORECASE,
)
_SAID_EXPLORING = re.compile(
    r"\b(?:alternativ\w+|another (?:way|approach|option)|what if|could also|might"
    r" also|explor\w+|options? (?:is|are)"
    r"|let me (?:look|see|find|search))\b",
    re.IGNORECASE,
)
# What a shell writes into a file is an act, whatever the command before it is called.
_WRITES = re.compile(r"(?<![0-9&<=-])>{1,2}\s*(?!/dev/null|&|\s)")
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def classify_turns(turns: Sequence[Turn]) -> list[str]:
    """One of E, V, D, X per turn."""
    acted: set[str] = set()
    labels = []
    for turn in turns:
        kinds = [_call_kind(call, acted) for call in turn.calls]
        if kinds:
            labels.append(next(code for code in "VXE" if code in kinds))
        else:
            labels.append(_said_kind(turn))
        for call, kind in zip(turn.calls, kinds, strict=True):
            if kind == "E":
                acted |= _targets(call)
    return labels


def _call_kind(call: Event, acted: set[str]) -> str:
    command = _command(call)
    if _WRITES.search(command):
        return "E"
    # A shell's own name says nothing; of its command the beginning does.
    words = f"{' '.join(_WORDS.findall(call.tool_name or ''))} {command[:200]}"
    if _CHECKS.search(words):
        return "V"
    if _LOOKS.search(words):
        return "V" if _targets(call) & acted else "X"
    return "E"


def _command(call: Event) -> str:
    arguments = call.arguments if isinstance(call.arguments, dict) else {}
    given = call.command or arguments.get("command") or arguments.get("cmd") or ""
    return " ".join(map(str, given)) if isinstance(given, list) else str(given)


def _targets(call: Event) -> set[str]:
    """What a call is about: its short text arguments, and the words of its command that look like
    files.
    """
    arguments = call.arguments if isinstance(call.arguments, dict) else {}
    found = {
        v
        for k, v in arguments.items()
        if isinstance(v, str) and k not in ("command", "content") and len(v) <= 200
    }
    return found | {
        word
        for word in re.findall(r"[\w./-]+", _command(call)[:2000])
        if re.search(r"\w\.\w|/", word)
    }


def _said_kind(turn: Turn) -> str:
    if turn.final:
        return "E"
    if _SAID_CHECKING.search(turn.text):
        return "V"
    return "X" if _SAID_EXPLORING.search(turn.text) else "D"


# ------------------------------------------------------------------------------------------------------
# the sequence


def sequence_of(labels: Iterable[str | None]) -> str:
    """The labels as one word; a turn without one is a question mark."""
    return "".join(label or "?" for label in labels)


def transitions(sequence: str) -> list[list[int]]:
    """How often each label is followed by each: rows and columns in the order E, V, D, X."""
    counts = Counter(itertools.pairwise(sequence))
    return [[counts[a, b] for b in CODES] for a in CODES]


def shares(counts: Sequence[Sequence[int]]) -> list[list[float | None]]:
    """The rows as shares; a label that nothing follows has none."""
    return [[c / sum(row) for c in row] if sum(row) else [None] * len(row) for row in counts]


def pooled(sequences: Iterable[str]) -> list[list[int]]:
    """The transitions of several sequences together."""
    total = [[0] * len(CODES) for _ in CODES]
    for sequence in sequences:
        for i, row in enumerate(transitions(sequence)):
            for j, count in enumerate(row):
                total[i][j] += count
    return total


def similarity(a: Sequence[Sequence[int]], b: Sequence[Sequence[int]]) -> float | None:
    """The cosine of two matrices of transition shares; None when one of them has no transition."""
    x = [v or 0.0 for row in shares(a) for v in row]
    y = [v or 0.0 for row in shares(b) for v in row]
    norm = math.sqrt(sum(v * v for v in x) * sum(v * v for v in y))
    return min(1.0, sum(p * q for p, q in zip(x, y, strict=True)) / norm) if norm else None


def edit_distance(a: str, b: str) -> int:
    """How many insertions, deletions and replacements lead from one sequence to the other
    (Levenshtein).
    """
    before = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        row = [i]
        for j, y in enumerate(b, 1):
            row.append(min(before[j] + 1, row[-1] + 1, before[j - 1] + (x != y)))
        before = row
    return before[-1]


def against(sequence: str, others: Sequence[str]) -> dict[str, Any]:
    """A sequence held against others, which never include itself: the reference is theirs alone."""
    if not others:
        return {
            "reference_n": 0,
            "similarity": None,
            "edit_distance": None,
            "normalized_edit_distance": None,
            "reason": "no other sequence to compare with",
        }
    ideal = _middle(others)
    distance = edit_distance(sequence, ideal)
    longest = max(len(sequence), len(ideal))
    alike = similarity(transitions(sequence), pooled(others))
    return {
        "reference_n": len(others),
        "similarity": alike,
        "edit_distance": distance,
        "normalized_edit_distance": distance / longest if longest else None,
        "reason": None if alike is not None else "one side has no transition",
    }


def _middle(sequences: Sequence[str]) -> str:
    """The sequence nearest to all the others; ties go to the more frequent, then the longer, then
    by letter.
    """
    counts = Counter(sequences)
    return min(
        counts,
        key=lambda s: (
            sum(n * edit_distance(s, o) for o, n in counts.items()),
            -counts[s],
            -len(s),
            s,
        ),
    )


def describe(labels: Sequence[str | None], turns: Sequence[Turn]) -> dict[str, Any]:
    """Counts, transitions and sessions of one trial's labels."""
    sequence = sequence_of(labels)
    counts = transitions(sequence)
    told: dict[str, Any] = {
        "classified_turns": sum(label is not None for label in labels),
        "sequence": sequence,
        "counts": {code: sequence.count(code) for code in CODES},
        "transitions": counts,
        "transition_shares": shares(counts),
        "labels": CODES,
    }
    by_session: dict[int, str] = {}
    for turn, label in zip(turns, labels, strict=True):
        if turn.session is not None:
            by_session[turn.session] = by_session.get(turn.session, "") + (label or "?")
    told["sessions"] = (
        [
            {
                "session": s,
                "sequence": seq,
                "counts": {code: seq.count(code) for code in CODES},
                **against(seq, [o for t, o in by_session.items() if t != s]),
            }
            for s, seq in sorted(by_session.items())
        ]
        if len(by_session) > 1
        else []
    )
    return told
