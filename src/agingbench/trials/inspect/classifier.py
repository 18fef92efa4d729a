"""The optional classifier by a language model: its prompt is fixed and hashed, its labels are
recorded.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import Any

import msgspec

from agingbench.errors import ModelError
from agingbench.interfaces import Model
from agingbench.records import Message
from agingbench.traces.scrub.scrubber import scrub
from agingbench.trials.inspect.behaviour import CODES
from agingbench.trials.inspect.turns import Turn

BATCH = 5
BEFORE = 3
LONGEST = 2000
PROMPT = """You label the turns of an AI agent. Give each turn exactly one letter:
E execution: it acts, changes something or hands something in
V verification: it checks what was done or found
D deliberation: it reasons without acting
X exploration: it looks around, reads or searches for what it does not know yet
If several fit, take the first that fits in the order V, X, D, E.
Answer with JSON only: {"labels": [{"turn": <number>, "label": "<letter>"}]} with one item for every turn asked for."""
PROMPT_HASH = hashlib.sha256(PROMPT.encode()).hexdigest()
_OBJECT = re.compile(r"\{.*\}", re.DOTALL)


def classify_with_model(turns: Sequence[Turn], model: Model) -> tuple[list[str | None], list[str]]:
    """A label per turn, None where the model gave none that can be used, and what was wrong with
    its answers.
    """
    labels: list[str | None] = [None] * len(turns)
    problems: list[str] = []
    for start in range(0, len(turns), BATCH):
        asked = turns[start : start + BATCH]
        shown = [f"Earlier turn:\n{_shown(t)}" for t in turns[max(0, start - BEFORE) : start]]
        shown += [f"Turn {t.index}, to be labelled:\n{_shown(t)}" for t in asked]
        try:
            reply = model.complete([Message("system", PROMPT), Message("user", "\n\n".join(shown))])
        except ModelError as error:
            problems.append(f"turns {asked[0].index} to {asked[-1].index}: {error}")
            continue
        for turn, label in _read(reply.text, {t.index for t in asked}, problems):
            labels[turn] = label
    return labels, problems


def _shown(turn: Turn) -> str:
    calls = [
        f"calls {c.tool_name}({str(c.command or c.arguments or '')[:500]})" for c in turn.calls
    ]
    results = [f"got {(r.stdout or r.stderr or r.content or '')[:500]}" for r in turn.results]
    return scrub("\n".join([turn.text[:LONGEST], *calls, *results]).strip() or "(nothing said)")


def _read(text: str, asked: set[int], problems: list[str]) -> list[tuple[int, str]]:
    found = _OBJECT.search(text)
    try:
        told: Any = msgspec.json.decode(found.group()) if found else None
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        told = None
    rows = told.get("labels") if isinstance(told, dict) else None
    seen: dict[int, str] = {}
    for row in rows if isinstance(rows, list) else []:
        turn, label = (row.get("turn"), row.get("label")) if isinstance(row, dict) else (None, None)
        if (
            type(turn) is int
            and turn in asked
            and turn not in seen
            and isinstance(label, str)
            and label in set(CODES)
        ):
            seen[turn] = label
        else:
            problems.append(
                f"an item that cannot be used: turn {str(turn)[:20]}, label {str(label)[:20]}"
            )
    problems += [f"turn {turn}: no label" for turn in sorted(asked - seen.keys())]
    return list(seen.items())
