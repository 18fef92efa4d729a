"""Labels each turn by fixed rules: execution, verification, deliberation or exploration.

A turn that calls tools is labelled by its calls, each by what is called, on what and after what:

- V  the call checks: a test, a linter, a validator, a comparison; or it reads what an earlier turn
  acted on
- X  the call only looks: read, list, search, observe, fetch
- E  the call acts: everything else that changes something or hands something in, and any shell
  command that writes into a file

A turn with calls of several kinds gets the first of V, X, E that occurs. A turn without a call is
E when the user speaks next or nobody does (the answer is handed in), V when its text speaks of
checking, X when it weighs alternatives, and D otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from agingbench.records import Event
from agingbench.trials.inspect.turns import Turn

LABELS = {"E": "execution", "V": "verification", "D": "deliberation", "X": "exploration"}
CODES = "EVDX"
RULES = "rules-1"

_CHECKS = re.compile(
    r"\b(?:py)?tests?\b|\bunittest\b|\bverif\w*|\bvalidat\w*|\bcheck\w*|\blint\w*|\bmypy\b"
    r"|\bruff\b|\bdiff\b|\bassert\w*|\bconfirm\w*|\bcompare\w*|\baudit\w*|\bproofread\w*",
    re.IGNORECASE,
)
_LOOKS = re.compile(
    r"\b(?:read|cat|head|tail|less|ls|dir|list|find|grep|rg|search|lookup|query|observe|snapshot"
    r"|view|show|open|get|fetch|inspect|browse|describe|status|stat|glob|scan|peek|recall|retrieve"
    r"|select|history|help|which|pwd|tree|wc)\b",
    re.IGNORECASE,
)
_SPEAKS_OF_CHECKING = re.compile(
    r"\b(?:verif(?:y|ied|ying|ication)|double[- ]check|let me check|checking|confirm(?:ed|ing)?"
    r"|sanity|re-?check\w*|validat\w+|make sure|to be sure)\b",
    re.IGNORECASE,
)
_SPEAKS_OF_EXPLORING = re.compile(
    r"\b(?:alternativ\w+|another (?:way|approach|option)|what if|could also|might also|explor\w+"
    r"|options? (?:is|are)|let me (?:look|see|find|search))\b",
    re.IGNORECASE,
)
# What a shell writes into a file is an act, whatever the command before it is called.
_WRITES = re.compile(r"(?<![0-9&<=-])>{1,2}\s*(?!/dev/null|&|\s)")
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def classify_turns(turns: Sequence[Turn]) -> list[str]:
    """Return one of E, V, D, X per turn."""
    acted_on: set[str] = set()
    labels = []

    for turn in turns:
        kinds = [_label_call(call, acted_on) for call in turn.calls]
        if kinds:
            labels.append(next(code for code in "VXE" if code in kinds))
        else:
            labels.append(_label_text(turn))

        for call, kind in zip(turn.calls, kinds, strict=True):
            if kind == "E":
                acted_on |= _targets(call)

    return labels


def _label_call(call: Event, acted_on: set[str]) -> str:
    command = _command(call)
    if _WRITES.search(command):
        return "E"

    # A shell's own name says nothing; the beginning of its command does.
    tool = " ".join(_WORDS.findall(call.tool_name or ""))
    words = f"{tool} {command[:200]}"
    if _CHECKS.search(words):
        return "V"
    if _LOOKS.search(words):
        return "V" if _targets(call) & acted_on else "X"
    return "E"


def _label_text(turn: Turn) -> str:
    if turn.final:
        return "E"
    if _SPEAKS_OF_CHECKING.search(turn.text):
        return "V"
    return "X" if _SPEAKS_OF_EXPLORING.search(turn.text) else "D"


def _command(call: Event) -> str:
    arguments = call.arguments if isinstance(call.arguments, dict) else {}
    command = call.command or arguments.get("command") or arguments.get("cmd") or ""
    if isinstance(command, list):
        return " ".join(map(str, command))
    return str(command)


def _targets(call: Event) -> set[str]:
    """What a call is about: short text arguments, and words of its command that look like files."""
    targets = set()

    arguments = call.arguments if isinstance(call.arguments, dict) else {}
    for name, value in arguments.items():
        if name in ("command", "content"):
            continue
        if isinstance(value, str) and len(value) <= 200:
            targets.add(value)

    for word in re.findall(r"[\w./-]+", _command(call)[:2000]):
        if re.search(r"\w\.\w|/", word):
            targets.add(word)
    return targets
