"""The verdict on an answer to a probe that asks for a form.

The `Answer:` line is read strictly. A reply without one is read whole, by the rules of free text.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from agingbench.bench.plan.facts import FactGraph
from agingbench.bench.plan.plan import RETRACTED, Probe
from agingbench.bench.scoring.alternatives import has_alternative, may_be_turned, wavers
from agingbench.bench.scoring.balances import given_amounts, lists_amounts, said_balance
from agingbench.bench.scoring.slots import (
    SlotGold,
    claim_spans,
    claims,
    gives_nothing,
    slot_verdict,
)
from agingbench.text import matching
from agingbench.text.binding import direction_in, letter_in, parts_of, subjects_in
from agingbench.text.cues import has_cue
from agingbench.text.forms import closing_line, readable
from agingbench.text.plain import states_plainly
from agingbench.text.refusals import is_unknown, refuses
from agingbench.text.values import Value
from agingbench.text.wording import STOPWORDS, stem, word_set, words

ZERO = 0.0


class FormVerdict(NamedTuple):
    """The verdict and value of an answer, and for each required value whether it was right."""

    verdict: str
    value: float
    right: list[bool]


def form_verdict(probe: Probe, reply: str, graph: FactGraph) -> FormVerdict:
    """Judge a reply to a probe with a form."""
    line = closing_line(reply)
    strict = line is not None
    text = readable(reply) if line is None else line
    nothing = [False] * len(probe.required)

    if probe.type == RETRACTED:
        return _retracted(probe, text)
    if is_unknown(text) and not _says_anything(text, probe):
        return FormVerdict("unanswered", ZERO, nothing)
    if probe.form == "amount":
        return _amount(probe, text, strict)
    if probe.form == "list":
        return _list(probe, text, graph, strict)
    if probe.form == "value":
        gold = _gold(probe, 0)
        verdict = slot_verdict(text, gold, graph, strict)
        value = 1.0 if verdict == "correct" else ZERO
        return FormVerdict(verdict, value, [verdict == "correct"])
    return _parts(probe, text, graph, strict)


def _retracted(probe: Probe, text: str) -> FormVerdict:
    """Judge what is said of something that was taken back: right is that it is gone or unknown."""
    if _states_any(text, probe.stale, probe):
        return FormVerdict("stale", ZERO, [])
    if is_unknown(text) or refuses(text) or has_cue(text.lower()):
        return FormVerdict("correct", 1.0, [])
    return FormVerdict("wrong", ZERO, [])


def _says_anything(text: str, probe: Probe) -> bool:
    return any(matching.states(text, value) for value in probe.required)


def _gold(probe: Probe, number: int) -> SlotGold:
    """The gold of one slot; a trend's current value may not be given as the first, nor the first as
    the current one.
    """
    stale = list(probe.stale)
    beside = list(probe.derivation)
    if probe.labels and probe.type == "trend" and number == 1:
        stale.append(probe.required[0])
    return SlotGold(
        value=probe.required[number],
        stale=stale,
        confusable=probe.confusable,
        beside=beside,
        question=probe.question,
        point=probe.t,
    )


# -- several values


def _parts(probe: Probe, text: str, graph: FactGraph, strict: bool) -> FormVerdict:
    """Judge pairs and choices: each label keeps its own value."""
    labels = probe.labels
    subjects = subjects_in(probe.question, tuple(labels))
    is_choice = probe.form == "choice"
    slots, rest = parts_of(text, labels, subjects, is_choice, _value_spans(text, probe))

    verdicts = []
    for number, label in enumerate(labels):
        said = slots.get(label)
        if said is None and not strict and _is_only_one_of_its_kind(probe, number):
            said = rest  # its kind tells whose it is
        if not said:
            verdicts.append("unanswered")
            continue
        verdicts.append(slot_verdict(said, _gold(probe, number), graph, strict))
    if probe.type == "trend":
        told = None if strict else _trend_in_words(probe, text, graph)
        if told is not None and ("wrong" not in told or "correct" not in verdicts):
            verdicts = told
        if verdicts[0] in ("wrong", "confused", "both") and verdicts[1] == "stale":
            verdicts[1] = "wrong"  # the two are swapped or made up: no past value held as current

    if may_be_turned(text):
        verdicts = ["both" if verdict == "correct" else verdict for verdict in verdicts]

    right = [verdict == "correct" for verdict in verdicts]
    choice = None
    if is_choice:
        choice = _choice(probe, rest, subjects)
        in_words = probe.type == "trend" or not (strict and re.search(r"\w", rest))
        if choice is None and in_words:
            choice = _choice(probe, text, subjects)
        verdicts.append("correct" if choice == probe.choice else "wrong")
    says_nothing = choice is None and _says_nothing(probe, text)
    return _together(probe, verdicts, right, says_nothing or refuses(text) or is_unknown(text))


def _value_spans(text: str, probe: Probe) -> list[tuple[int, int]]:
    spans = []
    for value in (*probe.required, *probe.stale, *probe.confusable):
        spans += matching.find(text, value)
    return sorted(set(spans))


def _is_only_one_of_its_kind(probe: Probe, number: int) -> bool:
    kinds = [value.kind for value in probe.required]
    return kinds.count(kinds[number]) == 1


def _trend_in_words(probe: Probe, text: str, graph: FactGraph) -> list[str] | None:
    """Judge a trend that is told without labels: what is past is the first value, what holds is
    the current one.
    """
    first = probe.required[0]
    if not matching.states(text, first):
        return None
    began = "wrong" if states_plainly(text, first) else "correct"
    holds = slot_verdict(text, _gold(probe, 1), graph, False)
    return [began, "correct" if holds == "correct" else "wrong"]


def _choice(probe: Probe, text: str, subjects: dict[str, str]) -> str | None:
    if probe.type == "trend":
        return direction_in(text, probe.options)
    return letter_in(text, probe.options, subjects)


def _together(
    probe: Probe, verdicts: list[str], right: list[bool], says_nothing: bool
) -> FormVerdict:
    if all(verdict == "correct" for verdict in verdicts):
        return FormVerdict("correct", 1.0, right)

    share = ZERO if probe.whole else sum(right) / len(right)
    if not any(right):
        unanswered = all(v == "unanswered" for v in verdicts[: len(right)])
        if unanswered and says_nothing:
            return FormVerdict("unanswered", ZERO, right)
        for verdict in ("both", "stale", "confused"):
            if verdict in verdicts:
                return FormVerdict(verdict, ZERO, right)
        return FormVerdict("wrong", ZERO, right)

    for verdict in ("both", "stale", "confused"):
        if verdict in verdicts and probe.whole:
            return FormVerdict(verdict, share, right)
    return FormVerdict("wrong", share, right)


def _says_nothing(probe: Probe, text: str) -> bool:
    """Does a reply without a right value say that it has none, or nothing of the kind at all?"""
    if is_unknown(text) or refuses(text):
        return True
    return all(gives_nothing(text, _gold(probe, n)) for n in range(len(probe.required)))


# -- lists

_REMARK = re.compile(r"\([^()]*\)")
_ITEM_END = re.compile(r"[;,\n/&]|(?<!\w)(?:and|plus|und|y|et)(?!\w)")
_FILLER = word_set(
    "list items item following only three four five two one total left remaining still active"
    " currently current both all these those them that's thats here's here there's there yes just"
    " namely include includes included are is answer last session latest recent record records my"
    " notes memory far know aware since nothing else other others approved please let"
)


def _list(probe: Probe, text: str, graph: FactGraph, strict: bool) -> FormVerdict:
    """Judge a list: all members and no other."""
    right = [claims(text, value) for value in probe.required]
    gold = _gold(probe, 0)
    stale = _states_any(text, probe.stale, probe)
    confused = _states_any(text, probe.confusable, probe)

    others: list[Value] = []
    for kind in sorted({value.kind for value in probe.required}):
        others += graph.live_values_in(text, kind, probe.t)
    extra = _states_any(text, others, probe)
    if strict and not extra:
        extra = _has_extra_item(text, probe)
    if any(right) and not extra:
        spans = [span for value in probe.required for span in claim_spans(text, value)]
        extra = has_alternative(text, spans, gold.question) and " or " in f" {text.lower()} "

    if stale or confused or extra:
        if any(right):
            return FormVerdict("both", ZERO, right)
        verdict = "stale" if stale else "confused" if confused else "wrong"
        return FormVerdict(verdict, ZERO, right)
    if all(right):
        return FormVerdict("correct", 1.0, right)
    if not any(right) and _says_nothing(probe, text):
        return FormVerdict("unanswered", ZERO, right)
    return FormVerdict("wrong", ZERO if probe.whole else sum(right) / len(right), right)


def _states_any(text: str, values: list[Value], probe: Probe) -> bool:
    for value in values:
        if value in probe.required or matching.states(probe.question, value):
            continue
        if states_plainly(text, value):
            return True
    return False


def _has_extra_item(text: str, probe: Probe) -> bool:
    """Does a list in form hold an item that is no member of it?"""
    letters = list(text)
    for value in probe.required:
        for start, end in matching.find(text, value):
            letters[start:end] = " " * (end - start)
    asked = {stem(word) for word in words(probe.question)}
    residue = _REMARK.sub(" ", "".join(letters))
    for item in _ITEM_END.split(residue):
        if has_cue(item.lower()) or re.search(r"(?<!\w)(?:not|no|without|minus)(?!\w)", item):
            continue
        content = [
            word
            for word in words(item)
            if word not in STOPWORDS and word not in _FILLER and stem(word) not in asked
        ]
        if content:
            return True
    return False


# -- amounts


def _amount(probe: Probe, text: str, strict: bool) -> FormVerdict:
    """Judge a balance: what the answer comes to, whatever it shows on the way."""
    gold_value = probe.required[0]
    gold = matching.numbers(gold_value.text)[0].value
    spans = claim_spans(text, gold_value)
    said = said_balance(text)

    if spans and (has_alternative(text, spans, probe.question) or _recites(text, gold)):
        return FormVerdict("both", ZERO, [False])
    if said == gold and spans:
        return FormVerdict("correct", 1.0, [True])
    if spans:
        return FormVerdict("both", ZERO, [False])
    for values, verdict in ((probe.stale, "stale"), (probe.confusable, "confused")):
        if any(said == matching.numbers(value.text)[0].value for value in values):
            return FormVerdict(verdict, ZERO, [False])
    if said is None and (is_unknown(text) or refuses(text)):
        return FormVerdict("unanswered", ZERO, [False])
    return FormVerdict("wrong", ZERO, [False])


def _recites(text: str, gold: float) -> bool:
    """Does a text that gives the balance list other amounts as well, or say that several hold?"""
    others = [amount for amount in given_amounts(text) if amount != gold]
    return bool(others) and (wavers(text) or lists_amounts(text))
