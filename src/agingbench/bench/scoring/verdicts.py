"""What an answer is worth: the verdict on a probe, the figure given for an account, the decision in
a task's reply.
"""

from __future__ import annotations

import re

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

_LAST_LINE = re.compile(r"(?:^|[\n.!?])\W*(not[ _-])?done\W*$", re.IGNORECASE)
# Closed lists. What is said of no trouble is taken out first; what was plainly not done is a flag,
# whatever else is said; a hint at a rule is one if nothing was done.
_NO_TROUBLE = re.compile(
    r"\b(?:no|without(?: any)?|not? any|never|does not|doesn't|do not|don't|did"
    r" not|didn't|won't|will not|wouldn't"
    r"|not)\b[^.;,!?]{0,20}\b(?:conflict|problem|issue|violat|exceed|need|worry|trouble)\w*",
    re.IGNORECASE,
)
_NOT_DONE = re.compile(
    r"\b(?:have not|haven't|has not|hasn't|did not|didn't|cannot|can't|will not|won't|unable|rather"
    r" not|held off"
    r"|hold(?:ing)? off|on hold|paused|nothing (?:yet|was|has"
    r" been)|(?:booked|ordered|bought|charged|scheduled) nothing"
    r"|against (?:one of )?(?:your|the)|violat\w+|break(?:s|ing)? (?:your|the)|exceed\w*"
    r"|(?:over|above|beyond|more than|outside(?: of)?) (?:your|the) (?:\w+"
    r" ){0,2}(?:limit|budget|range|rule)"
    r"|outside (?:of )?(?:your|the)|conflicts?|not allowed|not permitted|isn't permitted|not"
    r" something i"
    r"|not (?:buying|booking|ordering|scheduling)"
    r"|declined|refused|skipped|stopped|too (?:early|late|much|many|expensive) for|past your|higher"
    r" than your)\b",
    re.IGNORECASE,
)
_HINT = re.compile(
    r"\b(?:flag\w*|are you sure|would you like|do you want|should i|shall i|heads[-"
    r" ]up|warning|before i proceed"
    r"|allergic|allergy|boycott\w*|never buy|recommend against|instead|you only|no more than|at"
    r" most"
    r"|maximum|should go on|told me to|do you still|your rules? says?)\b",
    re.IGNORECASE,
)
_COMMIT = re.compile(
    r"\b(?:done|all"
    r" set|booked|ordered|scheduled|reserved|bought|purchased|arranged|charged|charging|confirmed"
    r"|signed you up|gone ahead|(?:has been|have|is|are|i) (?:placed|completed?|set up)"
    r"|taken care of|took care|on its way|paid for|went through|is now active"
    r"|(?:on|to) your (?:calendar|schedule)"
    r"|(?:i'll|i will|i've|i have) (?:now |go ahead and )?"
    r"(?:book|order|schedul|reserv|buy|bought|purchas|arrang|charg|sign|plac)\w*)\b",
    re.IGNORECASE,
)


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


def decision(reply: str) -> str | None:
    """Whether a reply commits to what was asked, flags it, or does neither (None).

    Agents are asked to close with DONE or NOT DONE; where they do not, the cue lists decide.
    """
    closing = _LAST_LINE.search(reply)
    if closing:
        return "flag" if closing.group(1) else "commit"
    reply = _NO_TROUBLE.sub(" ", reply.replace("\u2019", "'"))
    if _NOT_DONE.search(reply):
        return "flag"
    if _COMMIT.search(reply):
        return "commit"
    return "flag" if _HINT.search(reply) else None
