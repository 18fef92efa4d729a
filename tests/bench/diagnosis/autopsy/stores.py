"""A store made by hand, for the tests that follow facts through it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agingbench.bench.diagnosis.autopsy.histories import EVENT, History, StoreStep, statements_of
from agingbench.bench.diagnosis.autopsy.stories import Examiner
from agingbench.bench.plan.plan import Plan, Probe
from agingbench.bench.scoring.verdicts import judge
from agingbench.cards.figures import document_of
from agingbench.metrics.mechanisms import ProbeOutcome
from agingbench.trials.run_folder import WRITE, AnswerRow


class Store:
    """A life whose store is whatever the test says: it keeps the sentences of all sessions, but for
    those left out.
    """

    def __init__(self, plan: Plan, events: Sequence[int] = ()) -> None:
        self.plan = plan
        self.events = events
        self.without: dict[tuple[int, str], set[str]] = {}

    def lose(self, sentence: str, at: int, kind: str = WRITE) -> None:
        self.without.setdefault((at, kind), set()).add(sentence)

    def text(self, point: int, kind: str = WRITE) -> str:
        gone = {
            s
            for (at, how), lost in self.without.items()
            if at < point or (at == point and how in (kind, WRITE))
            for s in lost
        }
        return "\n".join(s for s in self._sentences(point) if s not in gone)

    def _sentences(self, point: int) -> list[str]:
        facts = [v.sentence for f in self.plan.graph.facts for v in f.versions if v.session < point]
        facts += [
            f.retraction
            for f in self.plan.graph.facts
            if f.retraction and (f.retracted_at or 0) < point
        ]
        for account in self.plan.graph.accounts:
            if account.session < point:
                facts += [
                    account.sentence,
                    *(d.sentence for d in account.deltas if d.session < point),
                ]
        return facts

    def story(
        self, probe: Probe, answer: str, context: str | None = None, **more: Any
    ) -> dict[str, Any]:
        history = History(statements_of(self.plan))
        for point in range(1, self.plan.n_sessions + 1):
            history.follow(StoreStep(WRITE, point, point - 1), self.text(point))
            if point in self.events:
                history.follow(
                    StoreStep(EVENT, point, events=(f"recompact@{point}",)), self.text(point, EVENT)
                )
        row = AnswerRow(probe.t, probe.id, "as_lived", answer, context=context, **more)
        verdict, value = judge(probe, row, self.plan.graph)
        outcome = ProbeOutcome(probe.t, probe.cluster, verdict, value)
        examiner = Examiner(self.plan, history, False)
        story: dict[str, Any] = document_of(examiner.story(probe, row, outcome))
        return story
