"""Carries out the steps that a text names: commands and edits that stand in backticks."""

from __future__ import annotations

import re
import shlex

from agingbench.errors import InputError
from agingbench.resumption.runs.workbench import StepLimit, Workbench
from agingbench.sandbox.workshop import BrokenConfinement

PROGRAMS = frozenset("python3 python sh mv cp rm mkdir touch sed sort cat ls diff grep".split())

_ACT = re.compile(
    r"\breplace\s+`(?P<old>[^`]+)`\s+(?:with|by)\s+`(?P<new>[^`]*)`\s+in\s+`(?P<edited>[^`]+)`"
    r"|\b(?:append|add)\s+(?:the\s+\w+\s+)?`(?P<line>[^`]+)`\s+to\s+`(?P<grown>[^`]+)`"
    r"|\bwrite\s+`(?P<text>[^`]+)`\s+(?:in)?to\s+`(?P<written>[^`]+)`"
    r"|\b(?:delete|remove)\s+(?:the\s+file\s+)?`(?P<gone>[^`]+)`"
    r"|`(?P<command>[^`]+)`",
    re.IGNORECASE,
)
_NEGATION = re.compile(
    r"\b(?:not|never|no longer|don't|instead of|rather than|without|stop)\b[^,.:]*$",
    re.IGNORECASE,
)


def follow(line: str, bench: Workbench) -> list[str]:
    """Carry out what a line names, in its order, and return what the commands printed.

    What the line warns against is left alone. A step that fails is seen and passed over; the limit
    of steps ends it.
    """
    outputs = []
    for match in _ACT.finditer(line):
        if _NEGATION.search(line[: match.start()]):
            continue
        try:
            output = _carry_out(match, bench)
        except (StepLimit, BrokenConfinement):
            raise
        except InputError as error:
            output = str(error)
        if output:
            outputs.append(output)
    return outputs


def _carry_out(match: re.Match[str], bench: Workbench) -> str:
    parts = match.groupdict()
    if parts["edited"] is not None:
        text = bench.read(parts["edited"])
        bench.write(parts["edited"], text.replace(parts["old"], parts["new"]))
        return ""
    if parts["grown"] is not None:
        text = bench.read(parts["grown"])
        separator = "" if not text or text.endswith("\n") else "\n"
        bench.write(parts["grown"], f"{text}{separator}{parts['line']}\n")
        return ""
    if parts["written"] is not None:
        bench.write(parts["written"], f"{parts['text']}\n")
        return ""
    if parts["gone"] is not None:
        return bench.run(f"rm {shlex.quote(parts['gone'])}")

    command = parts["command"].strip()
    if command.split(maxsplit=1)[:1] and command.split()[0] in PROGRAMS:
        return bench.run(command)
    return ""
