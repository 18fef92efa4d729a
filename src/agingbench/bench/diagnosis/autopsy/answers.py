"""What an answer gives instead of the right value: a past one, a look-alike's, another, or none."""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from agingbench.bench.plan.facts import Fact, FactGraph, Version, sessions_before
from agingbench.bench.plan.plan import Probe
from agingbench.bench.scoring.slots import claims
from agingbench.bench.scoring.verdicts import (
    MOST_WORDS,
    balance_given,
    right_parts,
)
from agingbench.text import matching, wording
from agingbench.text.forms import closing_line
from agingbench.text.plain import states_plainly
from agingbench.text.refusals import is_unknown, refuses
from agingbench.text.values import KINDS, Value
from agingbench.text.wording import STOPWORDS, stem, words
from agingbench.trials.autopsy import AnswerContent, AnswerValue
from agingbench.trials.run_folder import AnswerRow

MOST_VALUES = 12  # that are listed of an answer


class AnswerReader:
    """Finds out whose values an answer gives, among all that a life ever stated."""

    def __init__(self, graph: FactGraph) -> None:
        self.graph = graph
        self._versions: dict[tuple[str, str | None], list[tuple[Fact, Version]]] = {}
        self._lists: dict[str, list[str]] = {}
        for fact in graph.facts:
            for version in fact.versions:
                self._versions.setdefault(_key(version.value), []).append((fact, version))
            if fact.group is not None:
                self._lists.setdefault(fact.group, []).append(fact.id)

    def content(self, probe: Probe, row: AnswerRow, verdict: str) -> AnswerContent:
        """Return what an answer gives: the right value, another one of this life, or none."""
        text = _final_text(probe, row)
        if probe.type == "account" and verdict not in ("unanswered", "failed"):
            content = _account_content(probe, row, text, verdict)
            if content is not None:
                return content

        values = []
        if verdict not in ("correct", "failed"):
            values = self._values_in(probe, text) or self._values_of_other_kinds(probe, text)
        relations = {value.relation for value in values}
        return AnswerContent(
            what=_what(probe, row, text, verdict, relations),
            values=values[:MOST_VALUES],
            text=text,
            reason=row.reason,
        )

    def _values_in(self, probe: Probe, text: str) -> list[AnswerValue]:
        # The values of this life that an answer gives and that were not asked for, each with whose
        # it is.
        own = {_key(value) for value in (*probe.required, *probe.derivation)}
        kinds = {value.kind for value in (*probe.required, *probe.stale, *probe.confusable)}
        relations = {_key(value): "lookalike" for value in probe.confusable}
        relations |= {_key(value): "stale" for value in probe.stale}
        candidates = self._candidates(probe)

        keys = []
        for kind in sorted(kinds):
            for text_key in sorted(matching.keys(text, kind)):
                keys.append((kind, text_key))

        values = []
        for key in keys:
            if key in own:
                continue
            relation = relations.get(key, "other")
            for fact, version in self._versions.get(key, ()):
                value = version.value
                if version.session >= sessions_before(probe.t):
                    continue
                if matching.states(probe.question, value) or not states_plainly(text, value):
                    continue
                if relation == "stale" and fact.id not in candidates:
                    continue
                values.append(
                    AnswerValue(
                        value=value.text,
                        relation=relation,
                        fact=fact.id,
                        what=fact.phrase,
                        told_at=version.session,
                    )
                )
        return values

    def _values_of_other_kinds(self, probe: Probe, text: str) -> list[AnswerValue]:
        # A date where a name was asked for, say: what the answer gives where it says little else.
        asked = {value.kind for value in (*probe.required, *probe.stale, *probe.confusable)}
        values = []
        letters = list(text)
        for kind in sorted(KINDS - asked):
            for text_key in sorted(matching.keys(text, kind)):
                for fact, version in self._versions.get((kind, text_key), ()):
                    value = version.value
                    if version.session >= sessions_before(probe.t):
                        continue
                    if matching.states(probe.question, value) or not states_plainly(text, value):
                        continue
                    for start, end in matching.find(text, value):
                        letters[start:end] = " " * (end - start)
                    values.append(
                        AnswerValue(
                            value=value.text,
                            relation="other",
                            fact=fact.id,
                            what=fact.phrase,
                            told_at=version.session,
                        )
                    )
        return [] if _says_more("".join(letters), probe.question) else values

    def _candidates(self, probe: Probe) -> set[str]:
        # Whose past values are stale: the facts asked for, and those that left the list asked for.
        names = set(probe.facts)
        for fact in probe.facts:
            group = self.graph.by_id[fact].group
            if group is not None:
                names.update(self._lists[group])
        return names


def _what(probe: Probe, row: AnswerRow, text: str, verdict: str, relations: Collection[str]) -> str:
    if verdict == "correct":
        return "right"
    if verdict == "failed":
        return "broken"
    if verdict == "unanswered":
        return _empty_words(text, relations)

    rights = [claims_value(probe, row, value) for value in probe.required]
    # "A or B" claims neither, yet it gives the right value beside another.
    if verdict == "both" or (rights and all(rights)):
        return "recited"
    for relation in ("stale", "lookalike", "other"):
        if relation in relations:
            return relation
    if any(rights):
        return "partial"
    if not any(matching.states(text, value) for value in probe.required):
        return "unrecognised"
    # Where several were asked for, a value may stand there without being told apart.
    is_plain = any(states_plainly(text, value) for value in probe.required)
    return "partial" if is_plain and len(probe.required) > 1 else "past"


def _empty_words(text: str, relations: Collection[str]) -> str:
    # What was said where the scorer found nothing that could be an answer.
    if not text.strip():
        return "nothing"
    if is_unknown(text) or refuses(text):
        return "refusal"
    return "other" if relations else "off_kind"


def _says_more(rest: str, question: str) -> bool:
    # Does an answer hold words beside its values, apart from those of the question?
    asked = {stem(word) for word in words(question)}
    return any(word not in STOPWORDS and stem(word) not in asked for word in words(rest))


def _final_text(probe: Probe, row: AnswerRow) -> str:
    """What the verdict rests on: the answer in its form, or the beginning of the reply."""
    line = closing_line(row.text) if probe.form else None
    return wording.first_words(row.text, MOST_WORDS) if line is None else line


def _account_content(probe: Probe, row: AnswerRow, text: str, verdict: str) -> AnswerContent | None:
    """What an answer says of a balance; None where it names no amount."""
    content = AnswerContent(what="right", values=[], text=text, reason=None)
    if verdict == "correct":
        return content
    amount = balance_given(probe, row)
    if amount is None:
        return None

    gold = matching.numbers(probe.required[0].text)[0].value
    sign = "$" if "$" in probe.required[0].text else ""  # an account may also count things
    answer = Value("number", f"{sign}{amount:,.0f}")
    answer_key = matching.key(answer)
    if any(matching.key(value) == answer_key for value in probe.stale):
        relation = "stale"
    elif any(matching.key(value) == answer_key for value in probe.confusable):
        relation = "lookalike"
    else:
        relation = "past" if amount == gold else "amount"

    value = AnswerValue(
        value=answer.text,
        relation=relation,
        fact=probe.account,
        what=None,
        told_at=None,
    )
    return msgspec.structs.replace(
        content,
        what=relation,
        values=[value],
        amount=amount,
        error=amount - gold,
    )


def claims_value(probe: Probe, row: AnswerRow, value: Value) -> bool:
    """Tell whether the scorer takes the answer to give this value as one that holds."""
    if value not in probe.required:
        return row.status == "answered" and claims(_final_text(probe, row), value)
    alone = msgspec.structs.replace(probe, stale=[], confusable=[], derivation=[])
    rights = right_parts(alone, row, FactGraph())
    return rights[probe.required.index(value)]


def _key(value: Value) -> tuple[str, str | None]:
    return value.kind, matching.key(value)
