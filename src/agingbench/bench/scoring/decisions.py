"""What an agent decided in a task: by its recorded acts, or else by the line that closes its reply.

A recorded act counts before everything else, and a recorded refusal before any words. Words count
only in a form: `Decision: done` or `Decision: declined`. Anything else is undecided (None).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from agingbench.bench.life.acts import DECISION_REQUEST
from agingbench.bench.plan.acts import RecordedAct
from agingbench.text.forms import closing_line

DONE = "done"
DECLINED = "declined"

# The words that say a decision, with at most a few small ones before them.
_SAID = re.compile(
    r"^\W*(?:(?:i|it|it's|i've|i'm|the|task|request|this|that|have|has|been|is|was|am)\W+){0,4}"
    r"(?P<word>not[ _-]done|undone|done|completed?|declin(?:ed|e|ing)|refused?|rejected)\b",
    re.IGNORECASE,
)
_BOTH = re.compile(
    r"\b(?:done|declined)\b\W{0,3}(?:or|/|\|)\s*(?:decision:\s*)?\W{0,3}(?:done|declined|not)\b",
    re.IGNORECASE,
)
_POSITIVE = frozenset({"done", "complete", "completed"})


def decided_by(acts: Sequence[RecordedAct], reply: str | None) -> str | None:
    """Return done or declined; None when the agent neither acted nor said so in a line."""
    if any(act.decides == DONE for act in acts):
        return DONE
    if any(act.decides == DECLINED for act in acts):
        return DECLINED
    return decision_line(reply) if reply else None


def decision_line(reply: str) -> str | None:
    """Return what the last decision line of a reply says; None when it has none."""
    line = closing_line(reply.replace(DECISION_REQUEST, " "), "decision")
    if line and _BOTH.search(line):  # the form itself, not filled in
        return None
    said = _SAID.match(line.replace("’", "'")) if line else None
    if said is None:
        return None
    return DONE if said["word"].lower() in _POSITIVE else DECLINED
