"""What an answer is worth: the verdict on a probe, the figure given for an account, the decision in a task's reply."""

from __future__ import annotations

import re

from agingbench import text as matcher
from agingbench.bench.facts import FactGraph
from agingbench.bench.life import AnswerRow
from agingbench.bench.plan import Probe
from agingbench.text import Value

VERDICTS = ("correct", "stale", "confused", "both", "wrong", "unanswered", "failed")
MOST_WORDS = 60

# Closed lists. What was plainly not done is a flag, whatever else is said; a hint at a rule is one if nothing was done.
_NOT_DONE = re.compile(
    r"\b(?:have not|haven't|has not|did not|didn't|cannot|can't|will not|won't|unable|against (?:one of )?(?:your|the)"
    r"|violat\w+|exceed\w*|over (?:your|the) (?:\w+ )?(?:limit|budget)|outside (?:of )?(?:your|the)|conflicts?"
    r"|not allowed)\b",
    re.IGNORECASE,
)
_HINT = re.compile(
    r"\b(?:flag\w*|are you sure|would you like|do you want|allergic|allergy|boycott\w*|recommend against|instead)\b",
    re.IGNORECASE,
)
_COMMIT = re.compile(
    r"\b(?:done|booked|ordered|scheduled|reserved|bought|purchased|arranged|charged|confirmed|signed you up"
    r"|(?:i'll|i will|i've|i have) (?:now )?(?:book|order|schedul|reserv|buy|bought|purchas|arrang|charg|sign)\w*)\b",
    re.IGNORECASE,
)
_BALANCE_CUE = re.compile(r"(?:balance|remaining|left|total|stands at|comes to|now|=)\W[^$\d]{0,40}$", re.IGNORECASE)


def judge(probe: Probe, row: AnswerRow, graph: FactGraph) -> tuple[str, float | None]:
    """The verdict and the value of one answer against the gold that holds at the probe's point."""
    if row.status == "failed":
        return "failed", None
    text = matcher.first_words(row.text, MOST_WORDS)
    stated = sum(matcher.states(text, value) for value in probe.required)
    if row.status == "unanswered" or (not stated and matcher.is_blank_or_refusal(text)):
        return "unanswered", 0.0
    share = stated / len(probe.required)
    stale = _carries(text, probe.stale, probe)
    confused = _carries(text, probe.confusable, probe)
    if stale or confused or _recites(text, probe, graph):
        if stated:
            return "both", 0.0
        return ("stale" if stale else "confused" if confused else "wrong"), 0.0
    if share == 1.0:
        return "correct", 1.0
    return "wrong", 0.0 if probe.whole else share


def _carries(text: str, values: list[Value], probe: Probe) -> bool:
    return any(matcher.states_plainly(text, v) for v in values if not _belongs(v, probe))


def _recites(text: str, probe: Probe, graph: FactGraph) -> bool:
    # Another live value of a kind that is asked for: the answer recites rather than answers.
    kinds = {value.kind for value in probe.required}
    others = [v for kind in sorted(kinds) for v in graph.live_values_in(text, kind, probe.t)]
    return _carries(text, others, probe)


def _belongs(value: Value, probe: Probe) -> bool:
    # What is asked for, what leads to it, and what the question itself says may stand in the answer.
    own = [*probe.required, *probe.derivation]
    return any(v.kind == value.kind and matcher.key(v) == matcher.key(value) for v in own) or matcher.states(
        probe.question, value
    )


def said_balance(text: str) -> float | None:
    """The amount an answer gives for a balance; None when it gives none."""
    text = matcher.first_words(text, MOST_WORDS)
    amounts = [q for q in matcher.numbers(text) if not q.in_range and q.unit in ("usd", None)]
    amounts = [q for q in amounts if q.unit == "usd"] or amounts
    plain = [q for q in amounts if matcher.states_plainly(text, Value("number", text[q.start : q.end]))]
    cued = [q for q in plain if _BALANCE_CUE.search(text[: q.start])]
    chosen = cued or plain or amounts
    return chosen[-1].value if chosen else None


def decision(reply: str) -> str | None:
    """Whether a reply commits to what was asked, flags it, or does neither (None)."""
    reply = reply.replace("\u2019", "'")
    if _NOT_DONE.search(reply):
        return "flag"
    if _COMMIT.search(reply):
        return "commit"
    return "flag" if _HINT.search(reply) else None
