"""What an answer is worth: the verdict on a probe."""

from __future__ import annotations

from agingbench.bench.plan.facts import FactGraph
from agingbench.bench.plan.plan import Probe
from agingbench.bench.scoring.balances import said_balance
from agingbench.bench.scoring.form_verdicts import form_verdict
from agingbench.bench.scoring.slots import claims
from agingbench.text import matching, wording
from agingbench.text.forms import closing_line, readable
from agingbench.text.plain import states_plainly
from agingbench.text.refusals import is_blank_or_refusal
from agingbench.text.values import Value
from agingbench.trials.run_folder import AnswerRow

VERDICTS = ("correct", "stale", "confused", "both", "wrong", "unanswered", "failed")
MOST_WORDS = 60


def judge(probe: Probe, row: AnswerRow, graph: FactGraph) -> tuple[str, float | None]:
    """Return the verdict and the value of one answer, by the gold at the probe's point."""
    if row.status == "failed":
        return "failed", None
    if probe.form:
        if row.status == "unanswered":
            return "unanswered", 0.0
        verdict, value, _ = form_verdict(probe, row.text, graph)
        return verdict, value
    return _judge_free_text(probe, row, graph)


def is_unformatted(probe: Probe, row: AnswerRow) -> bool | None:
    """Whether an answer lacks the line its probe asks for; None when there is no answer or form."""
    if not probe.form or row.status != "answered":
        return None
    return closing_line(row.text) is None


def right_parts(probe: Probe, row: AnswerRow, graph: FactGraph) -> list[bool]:
    """Tell for each required value whether the answer gives it as one that holds."""
    if row.status != "answered":
        return [False] * len(probe.required)
    if probe.form:
        return form_verdict(probe, row.text, graph).right
    text = wording.first_words(row.text, MOST_WORDS)
    return [claims(text, value) for value in probe.required]


def balance_given(probe: Probe, row: AnswerRow) -> float | None:
    """Return the amount that an answer gives for a balance; None when it gives none."""
    if row.status != "answered":
        return None
    if not probe.form:
        return said_balance(wording.first_words(row.text, MOST_WORDS))
    line = closing_line(row.text)
    return said_balance(readable(row.text) if line is None else line)


def _judge_free_text(probe: Probe, row: AnswerRow, graph: FactGraph) -> tuple[str, float | None]:
    text = wording.first_words(row.text, MOST_WORDS)
    hits = sum(claims(text, value) for value in probe.required)
    if row.status == "unanswered" or (not hits and is_blank_or_refusal(text)):
        return "unanswered", 0.0

    # A derivation may be shown; what counts is what it comes to.
    if probe.type == "account" and hits:
        gold = matching.numbers(probe.required[0].text)[0].value
        return ("correct", 1.0) if said_balance(text) == gold else ("both", 0.0)

    stale = _carries(text, probe.stale, probe)
    confused = _carries(text, probe.confusable, probe)
    if stale or confused or _recites(text, probe, graph):
        if hits:
            return "both", 0.0
        if stale:
            return "stale", 0.0
        return ("confused" if confused else "wrong"), 0.0

    share = hits / len(probe.required)
    if share == 1.0:
        return "correct", 1.0
    return "wrong", 0.0 if probe.whole else share


def _carries(text: str, values: list[Value], probe: Probe) -> bool:
    return any(states_plainly(text, v) for v in values if not _belongs(v, probe))


def _recites(text: str, probe: Probe, graph: FactGraph) -> bool:
    # Another live value of a kind that is asked for: the answer recites rather than answers.
    kinds = {value.kind for value in probe.required}
    others = [v for kind in sorted(kinds) for v in graph.live_values_in(text, kind, probe.t)]
    return _carries(text, others, probe)


def _belongs(value: Value, probe: Probe) -> bool:
    # What is asked for, what leads to it, and what the question itself says may stand in the
    # answer.
    for own in (*probe.required, *probe.derivation):
        if own.kind == value.kind and matching.key(own) == matching.key(value):
            return True
    return matching.states(probe.question, value)
