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
from agingbench.bench.diagnosis.autopsy.losses import Kept, by_kind, by_step, kept_values
from agingbench.bench.diagnosis.autopsy.stories import CAUSES, STAGES, Examiner
from agingbench.bench.life.folder import RunDirectory
from agingbench.bench.life.life import check_answers, pretty
from agingbench.bench.plan.plan import Plan, Probe
from agingbench.bench.scoring.score import judged, owns_workspace
from agingbench.errors import InputError, nearest
from agingbench.text import key
from agingbench.traces.files import write_atomic
from agingbench.trials.run_folder import AnswerRow

FORMAT = "agingbench-autopsy/1"
FILE = "autopsy.json"


@dataclass(frozen=True)
class Autopsy:
    """What was found in one life: a story per failed probe, and what became of every value that was
    told.
    """

    life: dict[str, Any]  # which life it is
    stories: list[dict[str, Any]]
    transport: list[str]  # probes whose call broke: neither right nor wrong
    n_probes: int
    kept: list[Kept]

    def as_json(self) -> dict[str, Any]:
        """autopsy.json."""
        return {
            "format": FORMAT,
            **self.life,
            "summary": summary([self]),
            "probes": self.stories,
            "transport": self.transport,
        }


def summary(found: Sequence[Autopsy]) -> dict[str, Any]:
    """What one life, or several together, died of."""
    causes = Counter(story["cause"] for one in found for story in one.stories)
    kept = [one.kept for one in found]
    return {
        "lives": len(found),
        "probes": sum(one.n_probes for one in found),
        "failed_probes": sum(causes.values()),
        "transport": sum(len(one.transport) for one in found),
        "causes": {cause: causes[cause] for cause in CAUSES if causes[cause]},
        "stages": {
            stage: n
            for stage in STAGES
            if (n := sum(causes[cause] for cause in CAUSES if CAUSES[cause] == stage))
        },
        "losses": by_step(kept),
        "kinds": by_kind(kept),
    }


def autopsy_run(path: Path) -> Autopsy:
    """Examine a life on disk and leave autopsy.json in its folder."""
    found = examine(path)
    write_atomic(path / FILE, pretty(found.as_json()))
    return found


def examine(path: Path) -> Autopsy:
    """The autopsy of a life on disk; nothing is written."""
    examiner, rows = _opened(path)
    stories = [examiner.story(*row) for row in rows if row[2] not in ("correct", "failed")]
    broken = [probe.id for probe, _, verdict, _ in rows if verdict == "failed"]
    plan = examiner.plan
    life = {
        "scenario": plan.scenario,
        "scenario_version": plan.scenario_version,
        "seed": plan.seed,
        "n_sessions": plan.n_sessions,
        "plan_hash": plan.hash,
    }
    return Autopsy(life, stories, broken, len(rows), list(kept_values(plan, examiner.history)))


def examine_probe(path: Path, probe: str) -> dict[str, Any]:
    """The story of one probe, failed or not."""
    examiner, rows = _opened(path)
    found = next((row for row in rows if row[0].id == probe), None)
    if found is None:
        asked = [row[0].id for row in rows]
        hint = " or ".join(nearest(probe, asked)) or ", ".join([*asked[:3], "…"])
        raise InputError(f"{path}: no probe '{probe}' in this life; there is {hint}")
    return examiner.story(*found)


Ruled = tuple[Probe, AnswerRow, str, float | None]


def _opened(path: Path) -> tuple[Examiner, list[Ruled]]:
    run = RunDirectory(path)
    plan = run.plan()
    if not run.ended():
        raise InputError(
            f"{path}: this life has not ended; run it again to continue, then examine it"
        )
    _check(run, plan)
    answers = run.answer_rows()
    events = run.events()
    check_answers(run, plan, answers)
    rows = [(probe, row, mark.verdict, mark.value) for probe, row, mark in judged(plan, answers)]
    return Examiner(plan, history_of(run, plan, events), owns_workspace(events)), rows


def _check(run: RunDirectory, plan: Plan) -> None:
    # A plan that we made holds together; one that was edited may not, and must say so before it is
    # followed.
    facts = plan.graph.by_id
    accounts = plan.graph.account_by_id
    last = plan.n_sessions
    told = [
        (fact.id, [v.session for v in fact.versions], [v.value for v in fact.versions])
        for fact in facts.values()
    ]
    told += [(a.id, [a.session, *(d.session for d in a.deltas)], []) for a in accounts.values()]
    for owner, sessions, values in told:
        if (
            not sessions
            or sessions != sorted(sessions)
            or not 0 <= sessions[0] <= sessions[-1] < last
        ):
            raise InputError(
                f"{run.plan_file}: {owner} is not told in sessions 0 to {last - 1}, one after the"
                " other"
            )
        try:
            for value in values:
                key(value)
        except ValueError as error:
            raise InputError(f"{run.plan_file}: {owner}: {error}") from error
    for probe in plan.probes:
        known = all(name in facts for name in probe.facts) and (
            probe.account is None or probe.account in accounts
        )
        if (
            not known
            or not probe.required
            or not (probe.facts or probe.account)
            or not 0 <= probe.t <= last
        ):
            raise InputError(
                f"{run.plan_file}: probe {probe.id} asks for nothing that this plan tells"
            )
        if any(facts[name].at(probe.t) is None for name in probe.facts):
            raise InputError(
                f"{run.plan_file}: probe {probe.id} asks for a fact that does not hold at its point"
            )
