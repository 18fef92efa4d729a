"""Labels turns by asking a language model with a fixed, hashed prompt."""

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
from agingbench.trials.inspect.behaviour_rules import CODES
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
Answer with JSON only: {"labels": [{"turn": <number>, "label": "<letter>"}]}\
 with one item for every turn asked for."""
PROMPT_HASH = hashlib.sha256(PROMPT.encode()).hexdigest()
_OBJECT = re.compile(r"\{.*\}", re.DOTALL)


def classify_with_model(turns: Sequence[Turn], model: Model) -> tuple[list[str | None], list[str]]:
    """Return a label per turn, None where no usable one came, and the problems with the answers."""
    labels: list[str | None] = [None] * len(turns)
    problems: list[str] = []

    for start in range(0, len(turns), BATCH):
        batch = turns[start : start + BATCH]
        earlier = turns[max(0, start - BEFORE) : start]
        parts = [f"Earlier turn:\n{_render(turn)}" for turn in earlier]
        parts += [f"Turn {turn.index}, to be labelled:\n{_render(turn)}" for turn in batch]

        try:
            reply = model.complete([Message("system", PROMPT), Message("user", "\n\n".join(parts))])
        except ModelError as error:
            problems.append(f"turns {batch[0].index} to {batch[-1].index}: {error}")
            continue

        indices = {turn.index for turn in batch}
        for index, label in _read_labels(reply.text, indices, problems).items():
            labels[index] = label

    return labels, problems


def _render(turn: Turn) -> str:
    lines = [turn.text[:LONGEST]]
    for call in turn.calls:
        arguments = str(call.command or call.arguments or "")
        lines.append(f"calls {call.tool_name}({arguments[:500]})")
    for result in turn.results:
        output = result.stdout or result.stderr or result.content or ""
        lines.append(f"got {output[:500]}")
    return scrub("\n".join(lines).strip() or "(nothing said)")


def _read_labels(text: str, indices: set[int], problems: list[str]) -> dict[int, str]:
    """The labels in an answer by turn; what cannot be used is added to `problems`."""
    match = _OBJECT.search(text)
    try:
        answer: Any = msgspec.json.decode(match.group()) if match else None
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        answer = None
    items = answer.get("labels") if isinstance(answer, dict) else None

    labels: dict[int, str] = {}
    for item in items if isinstance(items, list) else []:
        turn = item.get("turn") if isinstance(item, dict) else None
        label = item.get("label") if isinstance(item, dict) else None
        is_label = isinstance(label, str) and label in set(CODES)
        if type(turn) is int and turn in indices and turn not in labels and is_label:
            labels[turn] = str(label)
        else:
            problems.append(
                f"an item that cannot be used: turn {str(turn)[:20]}, label {str(label)[:20]}"
            )

    problems += [f"turn {turn}: no label" for turn in sorted(indices - labels.keys())]
    return labels
