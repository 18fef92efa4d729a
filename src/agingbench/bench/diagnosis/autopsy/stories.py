"""The story of one probe: the life of what it asked for, what was said instead, and the one cause
of its failure.

The cause is the first stage of the pipeline at which something that the answer needed was missing.
What never reached the store, was lost at a write or at a lifecycle event, or stood in the store and
was not read, is missing from the context. Where nothing was missing, what was said instead names
the cause.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache

import msgspec
from msgspec import UNSET, UnsetType

from agingbench.bench.diagnosis.autopsy.histories import (
    NEVER_WRITTEN,
    History,
    Statement,
    balances_of,
    movements_of,
    retraction_of,
    versions_of,
)
from agingbench.bench.diagnosis.autopsy.losses import kind_of
from agingbench.bench.plan.facts import Account, Fact, FactGraph, Reading, Version, sessions_before
from agingbench.bench.plan.plan import Plan, Probe
from agingbench.bench.scoring.verdicts import MOST_WORDS, judge, said_balance
from agingbench.metrics.mechanisms import ProbeOutcome
from agingbench.text import matching, wording
from agingbench.text.plain import states_plainly
from agingbench.text.values import Value
from agingbench.trials.autopsy import (
    AccountStory,
    AnswerContent,
    AnswerValue,
    FactStory,
    MissingPart,
    ProbeStory,
    StoreFate,
)
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
    "recited": "utilization",  # the right value together with others that were not asked for
    "left_out": "utilization",  # several were asked for and read, and not all were given
    "put_in_the_past": "utilization",  # the right value, said to hold no longer
    "not_chained": "utilization",  # every link was read, and the last one not reached
    "miscalculated": "utilization",  # opening and movements were read, and added up wrongly
    "misread": "utilization",  # it was read, and the answer gives no value that this life ever told
}
STAGES = ("write", "store", "retrieval", "utilization", "limit")
_CAUSE_OF_ANSWER = {
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


Sees = Callable[[Statement], bool]


class Examiner:
    """Tells the story of one answer after the other, with the history of the store at hand."""

    def __init__(self, plan: Plan, history: History, owns_workspace: bool) -> None:
        self.plan = plan
        self.history = history
        self.owns_workspace = owns_workspace
        self.graph: FactGraph = plan.graph
        self._reading = lru_cache(maxsize=32)(Reading)
        self._parts = {a.id: (balances_of(a), movements_of(a)) for a in plan.graph.accounts}
        self._versions: dict[tuple[str, str | None], list[tuple[Fact, Version]]] = {}
        self._lists: dict[str, list[str]] = {}
        for fact in plan.graph.facts:
            for version in fact.versions:
                key = (version.value.kind, matching.key(version.value))
                self._versions.setdefault(key, []).append((fact, version))
            if fact.group is not None:
                self._lists.setdefault(fact.group, []).append(fact.id)

    def story(self, probe: Probe, row: AnswerRow, outcome: ProbeOutcome) -> ProbeStory:
        """Tell what happened to what one probe asked for, and why its answer was not right."""
        verdict = outcome.verdict
        step = self._step(probe.t)
        sees = self._sees(row, step)
        said = self._answer_content(probe, row, verdict)
        stories: list[FactStory | AccountStory] = []
        missing: list[Statement] = []
        if probe.account is not None:
            account = self.graph.account_by_id[probe.account]
            story, said, missing = self._account(probe, account, step, sees, said)
            stories.append(story)
        else:
            facts = [self._fact(probe, row, fact, step, sees) for fact in probe.facts]
            facts += [self._retraction(fact, step, sees) for fact in self._members_off(probe, said)]
            for statement, fact_story in facts:
                stories.append(fact_story)
                is_needed = probe.type == "multi_hop" or not fact_story.in_answer
                if is_needed and not fact_story.retrieved:
                    missing.append(statement)

        cause = None
        if verdict not in ("correct", "failed"):
            cause = _limit(row) or self._first_gap(missing, step) or _misuse(probe, said.what)
        return ProbeStory(
            probe=probe.id,
            t=probe.t,
            type=probe.type,
            mechanism=probe.mechanism,
            question=probe.question,
            wanted=[required.text for required in probe.required],
            verdict=verdict,
            value=outcome.value,
            cause=cause,
            stage=CAUSES[cause] if cause else None,
            said=said,
            facts=stories,
        )

    def _step(self, point: int) -> int | None:
        # Day one is asked inside session 0, before there is a store; whoever owns files has saved
        # session 0 by then.
        if point == 0:
            return 0 if self.owns_workspace else None
        return self.history.step_at(point)

    def _sees(self, row: AnswerRow, step: int | None) -> Sees:
        """Whether the context that the agent was given states a thing. A memory of one piece is
        read as a whole.
        """
        if row.context is None and step is not None:
            return lambda statement: self.history.stated(statement, step)
        context = self.plan.sessions[0].text if row.context is None else row.context
        reading: Reading = self._reading(context)

        def sees(statement: Statement) -> bool:
            if not reading.states_fact(statement.subject, statement.value):
                return False
            if not statement.takes_back:
                return True
            return any(
                statement.stated_by(Reading(sentence), sentence)
                for sentence in wording.sentences(context)
            )

        return sees

    # -- what was asked for

    def _fact(
        self, probe: Probe, row: AnswerRow, fact_id: str, step: int | None, sees: Sees
    ) -> tuple[Statement, FactStory]:
        fact = self.graph.by_id[fact_id]
        current = fact.at(probe.t)
        statement = next(
            version
            for version in reversed(versions_of(fact))
            if fact.versions[int(version.part[1:])] == current
        )
        partner = self.graph.by_id.get(fact.partner or "")
        rival = partner.at(probe.t) if partner else None
        rival_seen = None
        if partner is not None and rival is not None:
            rival_seen = sees(versions_of(partner)[partner.versions.index(rival)])

        story = self._fact_story(
            fact,
            statement,
            step,
            retrieved=sees(statement),
            lookalike_retrieved=rival_seen,
            in_answer=_claimed(probe, row, statement.value),
        )
        return statement, story

    def _retraction(self, fact: Fact, step: int | None, sees: Sees) -> tuple[Statement, FactStory]:
        statement = retraction_of(fact)
        assert statement is not None
        # The answer gave the value, so what it did not know is that the value was taken back.
        retrieved = sees(statement)
        return statement, self._fact_story(
            fact, statement, step, retrieved=retrieved, in_answer=False
        )

    def _fact_story(
        self,
        fact: Fact,
        statement: Statement,
        step: int | None,
        *,
        retrieved: bool,
        in_answer: bool,
        lookalike_retrieved: bool | UnsetType | None = UNSET,
    ) -> FactStory:
        session = statement.session
        updates = [version.session for version in fact.versions[1:]]
        return FactStory(
            fact=fact.id,
            what=fact.phrase,
            kind=kind_of(statement.value),
            value=statement.value.text,
            retraction=statement.takes_back,
            introduced=fact.born,
            told_at=session,
            rewritten=[update for update in updates if update <= session],
            retracted=fact.retracted_at if statement.takes_back else None,
            **msgspec.structs.asdict(self._fate(statement, step)),
            retrieved=retrieved,
            lookalike_retrieved=lookalike_retrieved,
            in_answer=in_answer,
        )

    def _members_off(self, probe: Probe, said: AnswerContent) -> list[Fact]:
        """The members that were taken off the list a probe asks for, and that the answer gave all
        the same.
        """
        if probe.type != "list":
            return []
        stale = dict.fromkeys(v.fact for v in said.values if v.relation == "stale")
        facts = [self.graph.by_id[name] for name in stale if name is not None]
        return [fact for fact in facts if retraction_of(fact) is not None]

    def _fate(self, statement: Statement, step: int | None) -> StoreFate:
        if step is None or self.history.steps[step].point <= statement.session:
            return StoreFate()
        fate = self.history.fate(statement, step)
        return StoreFate(
            store=fate.state,
            first_stated=fate.first_stated.point if fate.first_stated else None,
            last_stated=fate.last_stated.point if fate.last_stated else None,
            lost_at=fate.lost_at.row() if fate.lost_at else None,
            losses=[loss.row() for loss in fate.losses],
            returns=[back.row() for back in fate.returns],
        )

    def _account(
        self,
        probe: Probe,
        account: Account,
        step: int | None,
        sees: Sees,
        said: AnswerContent,
    ) -> tuple[AccountStory, AnswerContent, list[Statement]]:
        """The story of an account, the answer with whether the gap explains its error, and what the
        context lacked: the movements after the latest balance that it stated.
        """
        all_balances, all_moves = self._parts[account.id]
        count = bisect_left(all_moves, sessions_before(probe.t), key=lambda move: move.session)
        balances = all_balances[: count + 1]
        moves = all_moves[:count]
        latest = next((n for n in range(count, -1, -1) if sees(balances[n])), None)
        needed = [balances[0], *moves] if latest is None else moves[latest:]
        missing = [part for part in needed if not sees(part)]

        if latest is not None and not isinstance(said.error, UnsetType):
            unseen = sum(account.deltas[int(part.part[1:]) - 1].amount for part in missing)
            said = msgspec.structs.replace(said, explained_by_missing=said.error == -unseen)

        parts = [
            MissingPart(
                part="opening" if part.part == "b0" else "movement",
                told_at=part.session,
                value=part.value.text,
                **msgspec.structs.asdict(self._fate(part, step)),
                retrieved=False,
            )
            for part in missing[:MOST_LISTED]
        ]
        story = AccountStory(
            account=account.id,
            what=f"the balance of the {account.name}",
            kind="amount",
            value=probe.required[0].text,
            introduced=account.session,
            movements=count,
            known_balance=None if latest is None else balances[latest].value.text,
            n_missing=len(missing),
            missing=parts,
            retrieved=not missing,
            in_answer=said.what == "right",
        )
        return story, said, missing

    def _first_gap(self, missing: Sequence[Statement], step: int | None) -> str | None:
        """The first stage of the pipeline that kept any of this from the context; None when nothing
        is missing.
        """
        gaps = set()
        for statement in missing:
            if step is None:
                gaps.add("not_retrieved")
                continue
            state, lost_at = self.history.state(statement, step)
            if state == NEVER_WRITTEN:
                return "never_written"
            gaps.add("not_retrieved" if lost_at is None else f"lost_at_{lost_at.kind}")

        order = ("lost_at_write", "lost_at_event", "not_retrieved")
        return next((cause for cause in order if cause in gaps), None)

    # -- what was said instead

    def _answer_content(self, probe: Probe, row: AnswerRow, verdict: str) -> AnswerContent:
        text = wording.first_words(row.text, MOST_WORDS)
        if probe.type == "account" and verdict not in ("unanswered", "failed"):
            return _account_answer(probe, text, verdict)
        is_wrong = verdict not in ("correct", "failed")
        values = self._values_in(probe, text) if is_wrong else []
        relations = {value.relation for value in values}
        what = _what(probe, row, text, verdict, relations)
        return AnswerContent(what=what, values=values[:MOST_LISTED], text=text, reason=row.reason)

    def _values_in(self, probe: Probe, text: str) -> list[AnswerValue]:
        """The values of this life that an answer gives and that were not asked for, each with whose
        it is.
        """
        own = {(v.kind, matching.key(v)) for v in (*probe.required, *probe.derivation)}
        kinds = {v.kind for v in (*probe.required, *probe.stale, *probe.confusable)}
        relations = {(v.kind, matching.key(v)): "lookalike" for v in probe.confusable}
        relations |= {(v.kind, matching.key(v)): "stale" for v in probe.stale}
        candidates = self._candidates(probe)
        values = []
        for kind in sorted(kinds):
            for key in sorted(matching.keys(text, kind)):
                if (kind, key) in own:
                    continue
                relation = relations.get((kind, key), "other")
                for fact, version in self._versions.get((kind, key), ()):
                    value = version.value
                    if version.session >= sessions_before(probe.t):
                        continue
                    in_question = matching.states(probe.question, value)
                    if in_question or not states_plainly(text, value):
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

    def _candidates(self, probe: Probe) -> set[str]:
        # Whose past values are stale: the facts asked for, and those that left the list asked for.
        names = set(probe.facts)
        for fact in probe.facts:
            group = self.graph.by_id[fact].group
            if group is not None:
                names.update(self._lists[group])
        return names


def _what(probe: Probe, row: AnswerRow, text: str, verdict: str, relations: Collection[str]) -> str:
    if verdict in ("correct", "failed"):
        return "right" if verdict == "correct" else "broken"
    if verdict == "unanswered":
        return "nothing" if not text.strip() else "refusal"

    claims = [_claimed(probe, row, value) for value in probe.required]
    if all(claims):
        return "recited"
    for relation in ("stale", "lookalike", "other"):
        if relation in relations:
            return relation
    if any(claims):
        return "partial"
    mentioned = any(matching.states(text, value) for value in probe.required)
    return "past" if mentioned else "unrecognised"


def _account_answer(probe: Probe, text: str, verdict: str) -> AnswerContent:
    content = AnswerContent(what="right", values=[], text=text, reason=None)
    if verdict == "correct":
        return content
    amount = said_balance(text)
    if amount is None:
        return msgspec.structs.replace(content, what="unrecognised")

    gold = matching.numbers(probe.required[0].text)[0].value
    answer = Value("number", f"${amount:,.0f}")
    answer_key = matching.key(answer)
    if any(matching.key(value) == answer_key for value in probe.stale):
        relation = "stale"
    elif any(matching.key(value) == answer_key for value in probe.confusable):
        relation = "lookalike"
    else:
        relation = "past" if amount == gold else "amount"

    value = AnswerValue(
        value=answer.text, relation=relation, fact=probe.account, what=None, told_at=None
    )
    return msgspec.structs.replace(
        content, what=relation, values=[value], amount=amount, error=amount - gold
    )


def _claimed(probe: Probe, row: AnswerRow, value: Value) -> bool:
    """Whether the answer gives this value as one that holds, as the scorer sees it."""
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


def _limit(row: AnswerRow) -> str | None:
    limits = ("context_overflow", "tool_loop_exhausted")
    return row.reason if row.status == "unanswered" and row.reason in limits else None


def _misuse(probe: Probe, what: str) -> str:
    if probe.type == "multi_hop" and what not in ("nothing", "refusal", "recited"):
        return "not_chained"
    return _CAUSE_OF_ANSWER[what]
