"""The story of one probe: what happened to the facts it asked for, and the cause of its failure.

The cause is the first stage of the pipeline at which something that the answer needed was missing.
What never reached the store, was lost at a write or at a lifecycle event, or stood in the store and
was not read, is missing from the context. Where nothing was missing, the content of the answer
names the cause.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import lru_cache

import msgspec
from msgspec import UNSET, UnsetType

from agingbench.bench.diagnosis.autopsy.answers import AnswerReader, claims_value
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
from agingbench.bench.plan.facts import (
    Account,
    Fact,
    FactGraph,
    Reading,
    Version,
    sessions_before,
)
from agingbench.bench.plan.plan import Plan, Probe
from agingbench.metrics.mechanisms import ProbeOutcome
from agingbench.text.linking import linked_sentences
from agingbench.trials.autopsy import (
    AccountStory,
    AnswerContent,
    FactStory,
    MissingPart,
    ProbeStory,
    StoreFate,
)
from agingbench.trials.run_folder import AnswerRow

MOST_PARTS = 12  # of an account's missing parts that a story lists

# Every cause and the stage of the pipeline it belongs to; `limit` is a budget that ran out before
# there was an answer.
CAUSES: dict[str, str] = {
    "context_overflow": "limit",  # the prompt no longer fitted the model
    "tool_loop_exhausted": "limit",  # the agent was still calling tools at its last turn
    "never_written": "write",  # no state of the store ever stated it
    "lost_at_write": "write",  # the store stated it until a later session was written
    "lost_at_event": "store",  # the store stated it until a lifecycle event
    "not_retrieved": "retrieval",  # the store states it, what was read does not
    "not_used": "utilization",  # it was read, and the answer gives no value of the kind asked for
    "stale_used": "utilization",  # it was read, and the answer gave a value of the past
    "lookalike_used": "utilization",  # … the value of its look-alike
    "other_used": "utilization",  # … the value of another fact
    "recited": "utilization",  # the right value together with others that were not asked for
    "left_out": "utilization",  # several were asked for and read, and not all were given
    "put_in_the_past": "utilization",  # the right value, said to hold no longer
    "not_chained": "utilization",  # every link was read, and the last one not reached
    "miscalculated": "utilization",  # opening and movements were read, and added up wrongly
    "misread": "utilization",  # it was read, and the answer gives no value of any fact
}
STAGES = ("write", "store", "retrieval", "utilization", "limit")
_CAUSE_OF_ANSWER = {
    "nothing": "not_used",
    "refusal": "not_used",
    "off_kind": "not_used",
    "stale": "stale_used",
    "lookalike": "lookalike_used",
    "other": "other_used",
    "recited": "recited",
    "partial": "left_out",
    "past": "put_in_the_past",
    "unrecognised": "misread",
    "amount": "miscalculated",
}
Sees = Callable[[Statement], bool]  # does the context of the answer state it?


class Examiner:
    """Tells the story of one answer after the other, with the history of the store at hand."""

    def __init__(
        self,
        plan: Plan,
        history: History,
        owns_workspace: bool,
    ) -> None:
        self.plan = plan
        self.history = history
        self.owns_workspace = owns_workspace
        self.graph: FactGraph = plan.graph
        self._reading = lru_cache(maxsize=32)(Reading)
        self._answers = AnswerReader(plan.graph)
        self._balances = {account.id: balances_of(account) for account in plan.graph.accounts}
        self._movements = {account.id: movements_of(account) for account in plan.graph.accounts}

    def story(
        self,
        probe: Probe,
        row: AnswerRow,
        outcome: ProbeOutcome,
    ) -> ProbeStory:
        """Tell what happened to what one probe asked for, and why its answer was not right."""
        verdict = outcome.verdict
        step = self._step(probe.t)
        sees = self._sees(row, step)
        content = self._answers.content(probe, row, verdict)
        stories: list[FactStory | AccountStory] = []
        missing: list[Statement] = []

        if probe.account is not None:
            account = self.graph.account_by_id[probe.account]
            story, content, missing = self._account(
                probe,
                account,
                step,
                sees,
                content,
            )
            stories.append(story)
        else:
            facts = []
            for name in probe.facts:
                fact = self.graph.by_id[name]
                for version in fact.needed_at(probe.t, probe.asks_history):
                    facts.append(self._fact(probe, row, fact, version, step, sees))
            for fact in self._retracted_members(probe, content):
                facts.append(self._retraction(fact, step, sees))
            for statement, fact_story in facts:
                stories.append(fact_story)
                is_needed = probe.type == "multi_hop" or not fact_story.in_answer
                if is_needed and not fact_story.retrieved:
                    missing.append(statement)

        cause = None
        if verdict not in ("correct", "failed"):
            cause = _limit(row) or self._first_gap(missing, step) or _misuse(probe, content.what)

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
            said=content,
            facts=stories,
        )

    def _step(self, point: int) -> int | None:
        # Day one is asked inside session 0, before there is a store; whoever owns files has saved
        # session 0 by then.
        if point == 0:
            return 0 if self.owns_workspace else None
        return self.history.step_at(point)

    def _sees(self, row: AnswerRow, step: int | None) -> Sees:
        # Tells whether the context of the answer states a thing. A memory of one piece is read as a
        # whole.
        if row.context is None and step is not None:
            return lambda statement: self.history.stated(statement, step)

        context = self.plan.sessions[0].text if row.context is None else row.context
        reading: Reading = self._reading(context)

        def sees(statement: Statement) -> bool:
            if not reading.states_fact(statement.subject, statement.value):
                return False
            if not statement.takes_back:
                return True
            sentences = [sentence.whole for sentence in linked_sentences(context)]
            return any(statement.stated_by(Reading(one), one) for one in sentences)

        return sees

    # -- what was asked for

    def _fact(
        self,
        probe: Probe,
        row: AnswerRow,
        fact: Fact,
        version: Version,
        step: int | None,
        sees: Sees,
    ) -> tuple[Statement, FactStory]:
        statement = next(
            statement
            for statement in reversed(versions_of(fact))
            if fact.versions[int(statement.part[1:])] == version
        )

        partner = self.graph.by_id.get(fact.partner or "")
        rival = partner.at(probe.t) if partner else None
        rival_retrieved = None
        if partner is not None and rival is not None:
            rival_statement = versions_of(partner)[partner.versions.index(rival)]
            rival_retrieved = sees(rival_statement)

        story = self._fact_story(
            fact,
            statement,
            step,
            retrieved=sees(statement),
            lookalike_retrieved=rival_retrieved,
            in_answer=claims_value(probe, row, statement.value),
        )
        return statement, story

    def _retraction(
        self,
        fact: Fact,
        step: int | None,
        sees: Sees,
    ) -> tuple[Statement, FactStory]:
        statement = retraction_of(fact)
        assert statement is not None
        # The answer gave the value, so what it did not know is that the value was taken back.
        story = self._fact_story(
            fact,
            statement,
            step,
            retrieved=sees(statement),
            in_answer=False,
        )
        return statement, story

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

    def _retracted_members(self, probe: Probe, content: AnswerContent) -> list[Fact]:
        # Members that were taken off the list a probe asks for and that the answer still gives.
        if probe.type != "list":
            return []

        names = [value.fact for value in content.values if value.relation == "stale"]
        facts = []
        for name in dict.fromkeys(names):
            if name is None:
                continue
            fact = self.graph.by_id[name]
            if retraction_of(fact) is not None:
                facts.append(fact)
        return facts

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
        content: AnswerContent,
    ) -> tuple[AccountStory, AnswerContent, list[Statement]]:
        # The story of an account, the answer with whether the gap explains its error, and what the
        # context lacked: the movements after the latest balance that it stated.
        balances = self._balances[account.id]
        all_moves = self._movements[account.id]
        count = bisect_left(all_moves, sessions_before(probe.t), key=lambda move: move.session)
        moves = all_moves[:count]

        visible = (n for n in range(count, -1, -1) if sees(balances[n]))
        latest = next(visible, None)
        needs = [balances[0], *moves]
        if latest is not None:
            needs = moves[latest:]
        missing = [part for part in needs if not sees(part)]

        if latest is not None and not isinstance(content.error, UnsetType):
            numbers = [int(part.part[1:]) for part in missing]
            gap = sum(account.deltas[number - 1].amount for number in numbers)
            explained = content.error == -gap
            content = msgspec.structs.replace(content, explained_by_missing=explained)

        parts = []
        for part in missing[:MOST_PARTS]:
            fate = self._fate(part, step)
            parts.append(
                MissingPart(
                    part="opening" if part.part == "b0" else "movement",
                    told_at=part.session,
                    value=part.value.text,
                    **msgspec.structs.asdict(fate),
                    retrieved=False,
                )
            )
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
            in_answer=content.what == "right",
        )
        return story, content, missing

    def _first_gap(self, missing: Sequence[Statement], step: int | None) -> str | None:
        # The first stage of the pipeline that kept any of this from the context.
        gaps = set()
        for statement in missing:
            if step is None:
                gaps.add("not_retrieved")
                continue
            state, loss = self.history.state(statement, step)
            if state == NEVER_WRITTEN:
                return "never_written"
            gaps.add("not_retrieved" if loss is None else f"lost_at_{loss.kind}")

        order = ("lost_at_write", "lost_at_event", "not_retrieved")
        return next((cause for cause in order if cause in gaps), None)


def _limit(row: AnswerRow) -> str | None:
    limits = ("context_overflow", "tool_loop_exhausted")
    if row.status == "unanswered" and row.reason in limits:
        return row.reason
    return None


def _misuse(probe: Probe, what: str) -> str:
    if probe.type == "multi_hop" and what not in ("nothing", "refusal", "off_kind", "recited"):
        return "not_chained"
    return _CAUSE_OF_ANSWER[what]
