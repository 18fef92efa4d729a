"""The story of one probe: the life of what it asked for, what was said instead, and the one cause
of its failure.

The cause is the first stage of the pipeline at which something that the answer needed was missing.
What never reached the store, was lost at a write or at a lifecycle event, or stood in the store and
was not read, is missing from the context. Where nothing was missing, what was said instead names
the cause.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any

import msgspec

from agingbench import text as matcher
from agingbench.bench.diagnosis.autopsy.histories import (
    NEVER_WRITTEN,
    STILL_THERE,
    History,
    Told,
    balances_of,
    movements_of,
    retraction_of,
    versions_of,
)
from agingbench.bench.diagnosis.autopsy.losses import kind_of
from agingbench.bench.plan.facts import Account, Fact, FactGraph, Reading, Version, seen_by
from agingbench.bench.plan.plan import Plan, Probe
from agingbench.bench.scoring.verdicts import MOST_WORDS, judge, said_balance
from agingbench.text import Value
from agingbench.trials.run_folder import AnswerRow

MOST_LISTED = 12  # of an account's missing parts, and of the values an answer gave instead

# Every cause and the stage of the pipeline it belongs to; `limit` is a budget that ran out before
# there was an answer.
CAUSES: dict[str, str] = {
    "context_overflow": "limit",  # the prompt no longer fitted the model
    "tool_loop_exhausted": "limit",  # the agent was still calling tools at its last turn
    "never_written": "write",  # no state of the store ever stated it
    "lost_at_write": "write",  # the store stated it until a later session was written
    "lost_at_event": "store",  # the store stated it until a lifecycle event
    "not_retrieved": "retrieval",  # the store states it, what was read does not
    "not_used": "utilization",  # it was read, and the answer was none
    "stale_used": "utilization",  # it was read, and the answer gave a value of the past
    "lookalike_used": "utilization",  # … the value of its look-alike
    "other_used": "utilization",  # … the value of another fact
    "recited": (
        "utilization"
    ),  # the right value together with others that do not answer the question
    "left_out": "utilization",  # several were asked for and read, and not all were given
    "put_in_the_past": "utilization",  # the right value, said to hold no longer
    "not_chained": "utilization",  # every link was read, and the last one not reached
    "miscalculated": (
        "utilization"
    ),  # opening and movements were read, and do not add up to what was said
    "misread": "utilization",  # it was read, and the answer gives no value that this life ever told
}
STAGES = ("write", "store", "retrieval", "utilization", "limit")
_OF_SAID = {
    "nothing": "not_used",
    "refusal": "not_used",
    "stale": "stale_used",
    "lookalike": "lookalike_used",
    "other": "other_used",
    "recited": "recited",
    "partial": "left_out",
    "past": "put_in_the_past",
    "unrecognised": "misread",
    "amount": "miscalculated",
}


Sees = Callable[[Told], bool]


class Examiner:
    """Looks at one answer after the other, with the history of the store at hand."""

    def __init__(self, plan: Plan, history: History, owns_workspace: bool) -> None:
        self.plan = plan
        self.history = history
        self.owns_workspace = owns_workspace
        self.graph: FactGraph = plan.graph
        self._reading = lru_cache(maxsize=32)(Reading)
        self._known: dict[tuple[str, str | None], list[tuple[Fact, Version]]] = {}
        for fact in plan.graph.facts:
            for version in fact.versions:
                key = (version.value.kind, matcher.key(version.value))
                self._known.setdefault(key, []).append((fact, version))
        self._parts = {a.id: (balances_of(a), movements_of(a)) for a in plan.graph.accounts}
        self._lists: dict[str, list[str]] = {}
        for fact in plan.graph.facts:
            if fact.group is not None:
                self._lists.setdefault(fact.group, []).append(fact.id)

    def story(
        self, probe: Probe, row: AnswerRow, verdict: str, value: float | None
    ) -> dict[str, Any]:
        """What happened to what one probe asked for, and why its answer was not right."""
        step = self._step(probe.t)
        sees = self._sees(row, step)
        right = verdict in ("correct", "failed")
        said = self._said(probe, row, verdict)
        if probe.account is not None:
            life, missing = self._account(
                probe, self.graph.account_by_id[probe.account], step, sees, said
            )
            lives = [life]
        else:
            told = [self._fact(probe, row, fact, step, sees) for fact in probe.facts]
            told += [self._retraction(fact, step, sees) for fact in self._taken_back(probe, said)]
            lives = [life for _, life in told]
            needed = [one for one in told if probe.type == "multi_hop" or not one[1]["in_answer"]]
            missing = [one for one, life in needed if not life["retrieved"]]
        cause = (
            None
            if right
            else _limit(row) or self._first_gap(missing, step) or _of_said(probe, said["what"])
        )
        return {
            "probe": probe.id,
            "t": probe.t,
            "type": probe.type,
            "mechanism": probe.mechanism,
            "question": probe.question,
            "wanted": [v.text for v in probe.required],
            "verdict": verdict,
            "value": value,
            "cause": cause,
            "stage": CAUSES[cause] if cause else None,
            "said": said,
            "facts": lives,
        }

    def _step(self, point: int) -> int | None:
        # Day one is asked inside session 0, before there is a store; whoever owns files has saved
        # session 0 by then.
        if point == 0:
            return 0 if self.owns_workspace else None
        return self.history.step_at(point)

    def _sees(self, row: AnswerRow, step: int | None) -> Sees:
        """Does the context that the agent was given state a thing? A memory of one piece is read as
        a whole.
        """
        if row.context is None and step is not None:
            return lambda told: self.history.stated(told, step)
        context = self.plan.sessions[0].text if row.context is None else row.context
        reading: Reading = self._reading(context)

        def sees(told: Told) -> bool:
            if not reading.states_fact(told.subject, told.value):
                return False
            return not told.takes_back or any(
                told.stated_by(Reading(s), s) for s in matcher.sentences(context)
            )

        return sees

    # -- what was asked for

    def _fact(
        self, probe: Probe, row: AnswerRow, fact_id: str, step: int | None, sees: Sees
    ) -> tuple[Told, dict[str, Any]]:
        fact = self.graph.by_id[fact_id]
        told = next(
            v
            for v in reversed(versions_of(fact))
            if fact.at(probe.t) == fact.versions[int(v.part[1:])]
        )
        partner = self.graph.by_id.get(fact.partner or "")
        rival = partner.at(probe.t) if partner else None
        return told, {
            **_about(fact, told),
            **self._fate(told, step),
            "retrieved": sees(told),
            "lookalike_retrieved": (
                None
                if partner is None or rival is None
                else sees(versions_of(partner)[partner.versions.index(rival)])
            ),
            "in_answer": _claimed(probe, row, told.value),
        }

    def _retraction(self, fact: Fact, step: int | None, sees: Sees) -> tuple[Told, dict[str, Any]]:
        told = retraction_of(fact)
        assert told is not None
        # The answer gave the value, so what it did not know is that the value was taken back.
        return told, {
            **_about(fact, told),
            **self._fate(told, step),
            "retrieved": sees(told),
            "in_answer": False,
        }

    def _taken_back(self, probe: Probe, said: Mapping[str, Any]) -> list[Fact]:
        """The members that were taken off the list a probe asks for, and that the answer gave all
        the same.
        """
        if probe.type != "list":
            return []
        gone = dict.fromkeys(v["fact"] for v in said["values"] if v["relation"] == "stale")
        return [
            fact
            for fact in map(self.graph.by_id.__getitem__, gone)
            if retraction_of(fact) is not None
        ]

    def _fate(self, told: Told, step: int | None) -> dict[str, Any]:
        if step is None or self.history.steps[step].point <= told.session:
            return {
                "store": None,
                "first_stated": None,
                "last_stated": None,
                "lost_at": None,
                "losses": [],
                "returns": [],
            }
        fate = self.history.fate(told, step)
        return {
            "store": fate.state,
            "first_stated": fate.first_stated.point if fate.first_stated else None,
            "last_stated": fate.last_stated.point if fate.last_stated else None,
            "lost_at": fate.lost_at.as_json() if fate.lost_at else None,
            "losses": [s.as_json() for s in fate.losses],
            "returns": [s.as_json() for s in fate.returns],
        }

    def _account(
        self, probe: Probe, account: Account, step: int | None, sees: Sees, said: dict[str, Any]
    ) -> tuple[dict[str, Any], list[Told]]:
        """An account, and what the context did not state of it: movements after the latest balance
        that it did.
        """
        every, moved = self._parts[account.id]
        count = bisect_left(moved, seen_by(probe.t), key=lambda move: move.session)
        balances = every[: count + 1]
        moves = moved[:count]
        known = next((n for n in range(count, -1, -1) if sees(balances[n])), None)
        missing = [
            part
            for part in (moves[known:] if known is not None else [balances[0], *moves])
            if not sees(part)
        ]
        if known is not None and "error" in said:
            unseen = sum(account.deltas[int(part.part[1:]) - 1].amount for part in missing)
            said["explained_by_missing"] = said["error"] == -unseen
        listed = [
            {
                "part": "opening" if part.part == "b0" else "movement",
                "told_at": part.session,
                "value": part.value.text,
                **self._fate(part, step),
                "retrieved": False,
            }
            for part in missing[:MOST_LISTED]
        ]
        return {
            "account": account.id,
            "what": f"the balance of the {account.name}",
            "kind": "amount",
            "value": probe.required[0].text,
            "introduced": account.session,
            "movements": count,
            "known_balance": None if known is None else balances[known].value.text,
            "n_missing": len(missing),
            "missing": listed,
            "retrieved": not missing,
            "in_answer": said["what"] == "right",
        }, missing

    def _first_gap(self, missing: Sequence[Told], step: int | None) -> str | None:
        """The first stage of the pipeline that kept any of this from the context; None when nothing
        is missing.
        """
        found = set()
        for told in missing:
            state, lost_at = (
                self.history.state(told, step) if step is not None else (STILL_THERE, None)
            )
            if state == NEVER_WRITTEN:
                return "never_written"
            found.add("not_retrieved" if lost_at is None else f"lost_at_{lost_at.kind}")
        return next(
            (
                cause
                for cause in ("lost_at_write", "lost_at_event", "not_retrieved")
                if cause in found
            ),
            None,
        )

    # -- what was said instead

    def _said(self, probe: Probe, row: AnswerRow, verdict: str) -> dict[str, Any]:
        text = matcher.first_words(row.text, MOST_WORDS)
        if probe.type == "account" and verdict not in ("unanswered", "failed"):
            return _said_of_account(probe, text, verdict)
        values = [] if verdict in ("correct", "failed") else self._values_in(probe, text)
        what = _what(probe, row, text, verdict, {value["relation"] for value in values})
        return {"what": what, "values": values[:MOST_LISTED], "text": text, "reason": row.reason}

    def _values_in(self, probe: Probe, text: str) -> list[dict[str, Any]]:
        """The values of this life that an answer gives and that were not asked for, each with whose
        it is.
        """
        own = {(v.kind, matcher.key(v)) for v in (*probe.required, *probe.derivation)}
        kinds = sorted({v.kind for v in (*probe.required, *probe.stale, *probe.confusable)})
        lists = {
            (v.kind, matcher.key(v)): name
            for name in ("confusable", "stale")
            for v in getattr(probe, name)
        }
        asked = self._asked(probe)
        out = []
        for kind in kinds:
            for key in sorted(matcher.keys(text, kind)):
                for fact, version in self._known.get((kind, key), ()):
                    value = version.value
                    if (kind, key) in own or version.session >= seen_by(probe.t):
                        continue
                    if not matcher.states_plainly(text, value) or matcher.states(
                        probe.question, value
                    ):
                        continue
                    relation = {"stale": "stale", "confusable": "lookalike"}.get(
                        lists.get((kind, key), ""), "other"
                    )
                    if relation == "stale" and fact.id not in asked:
                        continue
                    out.append(
                        {
                            "value": value.text,
                            "relation": relation,
                            "fact": fact.id,
                            "what": fact.phrase,
                            "told_at": version.session,
                        }
                    )
        return out

    def _asked(self, probe: Probe) -> set[str]:
        # Whose past values are stale: the facts asked for, and those that left the list asked for.
        groups = {self.graph.by_id[fact].group for fact in probe.facts} - {None}
        return {*probe.facts, *(fact for group in groups for fact in self._lists[group or ""])}


def _what(probe: Probe, row: AnswerRow, text: str, verdict: str, relations: Collection[str]) -> str:
    if verdict in ("correct", "failed"):
        return "right" if verdict == "correct" else "broken"
    if verdict == "unanswered":
        return "nothing" if not text.strip() else "refusal"
    claimed = [_claimed(probe, row, value) for value in probe.required]
    if all(claimed):
        return "recited"
    for relation in ("stale", "lookalike", "other"):
        if relation in relations:
            return relation
    if any(claimed):
        return "partial"
    return (
        "past" if any(matcher.states(text, value) for value in probe.required) else "unrecognised"
    )


def _said_of_account(probe: Probe, text: str, verdict: str) -> dict[str, Any]:
    amount = said_balance(text)
    gold = matcher.numbers(probe.required[0].text)[0].value
    out: dict[str, Any] = {"what": "right", "values": [], "text": text, "reason": None}
    if verdict == "correct":
        return out
    if amount is None:
        return {**out, "what": "unrecognised"}
    given = Value("number", f"${amount:,.0f}")
    relation = next(
        (
            name
            for name, values in (("stale", probe.stale), ("lookalike", probe.confusable))
            if any(matcher.key(v) == matcher.key(given) for v in values)
        ),
        "past" if amount == gold else "amount",
    )
    listed = [
        {
            "value": given.text,
            "relation": relation,
            "fact": probe.account,
            "what": None,
            "told_at": None,
        }
    ]
    return {**out, "what": relation, "values": listed, "amount": amount, "error": amount - gold}


def _claimed(probe: Probe, row: AnswerRow, value: Value) -> bool:
    """Does the answer give this value as one that holds? The scorer's own word, asked for it alone."""
    alone = msgspec.structs.replace(
        probe,
        type="standalone",
        required=[value],
        stale=[],
        confusable=[],
        derivation=[],
        whole=False,
    )
    return judge(alone, row, FactGraph())[0] == "correct"


def _about(fact: Fact, told: Told) -> dict[str, Any]:
    return {
        "fact": fact.id,
        "what": fact.phrase,
        "kind": kind_of(told.value),
        "value": told.value.text,
        "retraction": told.takes_back,
        "introduced": fact.born,
        "told_at": told.session,
        "rewritten": [v.session for v in fact.versions[1:] if v.session <= told.session],
        "retracted": fact.retracted_at if told.takes_back else None,
    }


def _limit(row: AnswerRow) -> str | None:
    limited = row.status == "unanswered" and row.reason in (
        "context_overflow",
        "tool_loop_exhausted",
    )
    return row.reason if limited else None


def _of_said(probe: Probe, what: str) -> str:
    if probe.type == "multi_hop" and what not in ("nothing", "refusal", "recited"):
        return "not_chained"
    return _OF_SAID[what]
