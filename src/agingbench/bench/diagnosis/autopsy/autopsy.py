"""Autopsy of a life, from its files alone: a story with one cause for every probe that failed, and
the sum of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agingbench.bench.diagnosis.autopsy.histories import history_of
from agingbench.bench.diagnosis.autopsy.losses import (
    FollowedValue,
    followed_values,
    losses_by_kind,
    losses_by_step,
)
from agingbench.bench.diagnosis.autopsy.stories import CAUSES, STAGES, Examiner
from agingbench.bench.life.folder import RunDirectory
from agingbench.bench.plan.plan import RETRACTED, Plan
from agingbench.bench.scoring.files import check_answers, pretty
from agingbench.bench.scoring.score import JudgedAnswer, judged, owns_workspace
from agingbench.cards.figures import document_of
from agingbench.errors import InputError, nearest
from agingbench.text.matching import key
from agingbench.traces.files import write_atomic
from agingbench.trials.autopsy import (
    AutopsyDocument,
    AutopsySummary,
    ProbeStory,
)

FORMAT = "agingbench-autopsy/1"
FILE = "autopsy.json"


@dataclass(frozen=True)
class Autopsy:
    """A story per failed probe of one life, and what became of every value that was told."""

    plan: Plan
    stories: list[ProbeStory]
    transport: list[str]  # probes whose call broke: neither right nor wrong
    n_probes: int
    values: list[FollowedValue]

    def document(self) -> AutopsyDocument:
        """The content of autopsy.json."""
        plan = self.plan
        return AutopsyDocument(
            format=FORMAT,
            scenario=plan.scenario,
            scenario_version=plan.scenario_version,
            seed=plan.seed,
            n_sessions=plan.n_sessions,
            plan_hash=plan.hash,
            summary=summarise([self]),
            probes=self.stories,
            transport=self.transport,
        )

    def as_json(self) -> dict[str, Any]:
        """The content of autopsy.json as plain JSON."""
        document: dict[str, Any] = document_of(self.document())
        return document


def summarise(autopsies: Sequence[Autopsy]) -> AutopsySummary:
    """Add up what one life, or several together, failed of."""
    failures = Counter(story.cause for autopsy in autopsies for story in autopsy.stories)
    causes = {cause: failures[cause] for cause in CAUSES if failures[cause]}
    stages = Counter[str]()
    for cause, n in causes.items():
        stages[CAUSES[cause]] += n

    values = [autopsy.values for autopsy in autopsies]
    return AutopsySummary(
        lives=len(autopsies),
        probes=sum(autopsy.n_probes for autopsy in autopsies),
        failed_probes=failures.total(),
        transport=sum(len(autopsy.transport) for autopsy in autopsies),
        causes=causes,
        stages={stage: stages[stage] for stage in STAGES if stages[stage]},
        losses=losses_by_step(values),
        kinds=losses_by_kind(values),
    )


def autopsy_run(path: Path) -> Autopsy:
    """Examine a life on disk and leave autopsy.json in its folder."""
    autopsy = examine(path)
    write_atomic(path / FILE, pretty(autopsy.document()))
    return autopsy


def examine(path: Path) -> Autopsy:
    """Examine a life on disk; nothing is written."""
    examiner, answers = _open_life(path)
    stories = []
    broken = []
    for answer in answers:
        if answer.outcome.verdict == "failed":
            broken.append(answer.probe.id)
        elif answer.outcome.verdict != "correct":
            stories.append(examiner.story(*answer))
    values = list(followed_values(examiner.plan, examiner.history))
    return Autopsy(
        examiner.plan,
        stories,
        broken,
        len(answers),
        values,
    )


def examine_probe(path: Path, probe: str) -> ProbeStory:
    """The story of one probe, whether it failed or not; raises InputError where there is none."""
    examiner, answers = _open_life(path)
    by_probe = {answer.probe.id: answer for answer in answers}
    answer = by_probe.get(probe)
    if answer is None:
        names = list(by_probe)
        examples = ", ".join([*names[:3], "…"])
        hint = " or ".join(nearest(probe, names)) or examples
        raise InputError(f"{path}: no probe '{probe}' in this life; there is {hint}")
    return examiner.story(*answer)


def _open_life(path: Path) -> tuple[Examiner, list[JudgedAnswer]]:
    run = RunDirectory(path)
    plan = run.plan()
    if not run.ended():
        raise InputError(
            f"{path}: this life has not ended; run it again to continue, then examine it"
        )
    _check_plan(run, plan)
    rows = run.answer_rows()
    events = run.events()
    check_answers(run, plan, rows)
    examiner = Examiner(plan, history_of(run, plan, events), owns_workspace(events))
    return examiner, judged(plan, rows)


def _check_plan(run: RunDirectory, plan: Plan) -> None:
    # A plan that we made holds together; one that was edited may not, and must say so before it is
    # followed.
    facts = plan.graph.by_id
    accounts = plan.graph.account_by_id
    last = plan.n_sessions
    sessions_of: dict[str, list[int]] = {}
    for fact in facts.values():
        sessions_of[fact.id] = [version.session for version in fact.versions]
    for account in accounts.values():
        movements = [delta.session for delta in account.deltas]
        sessions_of[account.id] = [account.session, *movements]

    for owner, sessions in sessions_of.items():
        in_order = bool(sessions) and sessions == sorted(sessions)
        if not in_order or not 0 <= sessions[0] <= sessions[-1] < last:
            raise InputError(
                f"{run.plan_file}: {owner} is not told in sessions 0 to {last - 1}, one after the"
                " other"
            )
        if owner not in facts:
            continue
        for version in facts[owner].versions:
            try:
                key(version.value)
            except ValueError as error:
                raise InputError(f"{run.plan_file}: {owner}: {error}") from error

    for probe in plan.probes:
        knows_facts = all(name in facts for name in probe.facts)
        knows_account = probe.account is None or probe.account in accounts
        is_retracted = probe.type == RETRACTED and not probe.required
        asks = bool(probe.required or is_retracted) and bool(probe.facts or probe.account)
        if not (knows_facts and knows_account and asks and 0 <= probe.t <= last):
            raise InputError(
                f"{run.plan_file}: probe {probe.id} asks for nothing that this plan tells"
            )
        if is_retracted and any(facts[name].retracted_at is None for name in probe.facts):
            raise InputError(
                f"{run.plan_file}: probe {probe.id} asks for a retracted fact that never was"
            )
        if not is_retracted and any(facts[name].at(probe.t) is None for name in probe.facts):
            raise InputError(
                f"{run.plan_file}: probe {probe.id} asks for a fact that does not hold at its point"
            )
