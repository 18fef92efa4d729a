"""From the files of a life to its figures: one answer table, and every metric a group-by over it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from agingbench.bench.plan.plan import Plan, Probe
from agingbench.bench.scoring.code_checks import CodeCheck
from agingbench.bench.scoring.conduct import TaskOutcome, cvr, cvr_by_session, task_outcomes
from agingbench.bench.scoring.memory_text import (
    STALE,
    memory_metrics,
    memory_shares,
)
from agingbench.bench.scoring.verdicts import judge, said_balance
from agingbench.metrics.curve import CurvePoint, CurveStats, CurveTable, curve_stats, points
from agingbench.metrics.intervals import MISSING, Estimate, clustered_mean
from agingbench.metrics.mechanisms import (
    AccountReading,
    AccumulatorErrors,
    ProbeOutcome,
    WindowDelta,
    accumulator_errors,
    by,
    compounding,
    lag_recall,
    mean_value,
    window_delta,
)
from agingbench.records import Event
from agingbench.text.matching import numbers
from agingbench.trials.run_folder import LIFE_START, OWNS_WORKSPACE, AnswerRow

MOST_FAILED = 0.05  # beyond this share of broken calls there is no headline


class ScoredAnswer(msgspec.Struct, frozen=True):
    """One row of the answer table."""

    t: int
    probe: str
    fact: str
    type: str
    mechanism: str
    condition: str
    verdict: str
    value: float | None


@dataclass(frozen=True)
class LifeRecord:
    """What a life left behind, wherever it was kept."""

    plan: Plan
    events: Sequence[Event]
    answers: Sequence[AnswerRow]
    texts: Iterable[tuple[int, str]]  # what the memory held at each point
    code: Sequence[
        CodeCheck
    ] = ()  # how the code that the agent wrote did, where the plan asks for code


@dataclass(frozen=True)
class LifeScores:
    """Every figure of a life."""

    table: list[ScoredAnswer]
    headline: CurveStats
    curve: list[CurvePoint]
    failed_share: float
    dependable: bool  # False: too many broken calls for a headline
    probe_metrics: dict[str, Estimate]  # higher is better, one mean per life
    memory_metrics: dict[
        str, dict[int, Estimate]
    ]  # metric -> point -> share of facts the memory states
    cvr: Estimate
    cvr_by_session: dict[int, Estimate]
    tasks: list[TaskOutcome]
    code: Sequence[CodeCheck]
    code_pass_rate: Estimate
    accumulator: AccumulatorErrors
    compounding: bool | None
    windows: dict[str, WindowDelta]
    chain_recall_by_depth: dict[str, Estimate]
    chain_recall_by_span: dict[str, Estimate]
    per_hop: dict[str, Estimate]
    lag_recall: dict[str, Estimate]
    rows: dict[str, list[ProbeOutcome]]  # the outcomes behind each probe metric
    stale_in_workspace: dict[
        int, int
    ]  # point -> values that no longer hold beside those that do; workspaces only


def judged(plan: Plan, answers: Iterable[AnswerRow]) -> list[tuple[Probe, AnswerRow, ProbeOutcome]]:
    """Every answer of the life with its verdict: the answer table before it is flattened."""
    out = []
    for row in answers:
        if row.condition == "as_lived":
            probe = plan.probe_by_id[row.probe]
            verdict, value = judge(probe, row, plan.graph)
            mark = ProbeOutcome(
                probe.t,
                probe.cluster,
                verdict,
                value,
                probe.lag,
                probe.depth,
                probe.span,
                probe.hop,
            )
            out.append((probe, row, mark))
    return out


def score(life: LifeRecord) -> LifeScores:
    """Score a life from its record alone."""
    plan = life.plan
    rulings = judged(plan, life.answers)
    table = [
        ScoredAnswer(p.t, p.id, p.cluster, p.type, p.mechanism, row.condition, o.verdict, o.value)
        for p, row, o in rulings
    ]
    heads = [(p, o) for p, _, o in rulings if p.weight is not None]
    shares = memory_shares(plan, life.texts, owns_workspace(life.events))
    stale = shares.pop(STALE, {})
    failed = sum(o.verdict == "failed" for _, _, o in rulings) / len(rulings) if rulings else 0.0
    data = CurveTable.from_rows(headline_rows(plan, [(p, o) for p, _, o in rulings], shares))
    curve = points(data.t, data.value, data.weight, data.cluster)
    rows = {
        name: [o for p, _, o in rulings if p.t >= 1 and chosen(p)]
        for name, chosen in PROBE_METRICS.items()
    }
    tasks = task_outcomes(plan, life.events)
    readings = list(_readings((p, row) for p, row, _ in rulings))
    return LifeScores(
        table=table,
        headline=curve_stats(data),
        curve=curve,
        failed_share=failed,
        dependable=failed <= MOST_FAILED,
        probe_metrics={
            recall_name(plan): _weighted(heads),
            **{n: mean_value(r) for n, r in rows.items()},
        },
        memory_metrics=memory_metrics(plan, shares),
        cvr=cvr(tasks),
        cvr_by_session=cvr_by_session(tasks),
        tasks=tasks,
        code=life.code,
        code_pass_rate=_code_pass_rate(life.code),
        accumulator=accumulator_errors(readings),
        compounding=_compounds(readings),
        windows={str(e): window_delta({p.t: p.m for p in curve}, e.at) for e in plan.events},
        chain_recall_by_depth=by(rows["chain_recall"], "depth"),
        chain_recall_by_span=by(rows["dep_recall"], "span"),
        per_hop=by(rows["per_hop_recall"], "hop"),
        lag_recall=lag_recall(rows["lag_recall"]),
        rows=rows,
        stale_in_workspace={t: sum(found) for t, found in stale.items()},
    )


# What the standalone probes' weighted mean is called: the headline of most scenarios, a figure
# beside it in others.
STANDALONE_HEADLINES = ("constraint_precision", "recall_rate", "recall_accuracy")


def recall_name(plan: Plan) -> str:
    """The name of the weighted recall over all due facts in this plan's scenario."""
    return plan.headline if plan.headline in STANDALONE_HEADLINES else "recall"


def headline_rows(
    plan: Plan,
    rulings: Sequence[tuple[Probe, ProbeOutcome]],
    shares: Mapping[str, Mapping[int, Sequence[int]]],
) -> list[tuple[int, float | None, float, str]]:
    """The rows (t, value, weight, fact) that the scenario's headline is made of."""
    if plan.headline in shares:
        found = [
            (t, zip(plan.inspected[t], hits, strict=True))
            for t, hits in shares[plan.headline].items()
        ]
        return [(t, float(hit), 1.0, fact) for t, pairs in found for fact, hit in pairs]
    if plan.headline == "dep_recall":
        return [(p.t, o.value, 1.0, p.cluster) for p, o in rulings if p.type in DEPENDENCY_TYPES]
    return [(p.t, o.value, p.weight, p.cluster) for p, o in rulings if p.weight is not None]


DEPENDENCY_TYPES = ("compare", "synthesize", "trend", "multi_hop")

# Higher-is-better probe metrics: which probes each is the mean over, at t >= 1.
PROBE_METRICS: dict[str, Callable[[Probe], bool]] = {
    "compression_recall": lambda p: p.type == "standalone" and p.mechanism == "compression",
    "lag_recall": lambda p: p.type == "standalone",
    "version_accuracy": lambda p: p.mechanism == "revision" and p.type in ("standalone", "trend"),
    "interference_resistance": lambda p: p.mechanism == "interference",
    "forget_accuracy": lambda p: p.type == "list",
    "accumulator_accuracy": lambda p: p.type == "account",
    "dep_recall": lambda p: p.type in DEPENDENCY_TYPES,
    "chain_recall": lambda p: p.type in ("standalone", *DEPENDENCY_TYPES),
    "per_hop_recall": lambda p: p.type == "hop",
}


def life_figures(life: LifeRecord, memory: bool = True) -> dict[str, float | None]:
    """One mean per metric, without intervals: for tables over many lives."""
    plan = life.plan
    rulings = judged(life.plan, life.answers)
    heads = [
        (p.t, o.value, p.weight)
        for p, _, o in rulings
        if p.weight is not None and o.value is not None
    ]
    out: dict[str, float | None] = {
        recall_name(plan): _weighted_mean([row for row in heads if row[0] >= 1]),
        "m0": _weighted_mean([row for row in heads if row[0] == 0]),
    }
    for name, chosen in PROBE_METRICS.items():
        out[name] = _mean(
            [o.value for p, _, o in rulings if p.t >= 1 and chosen(p) and o.value is not None]
        )
    tested = [
        t
        for t in task_outcomes(plan, life.events)
        if t.expected == "flag" and t.decided is not None
    ]
    out["cvr"] = _mean([float(t.decided == "commit") for t in tested])
    out["code_pass_rate"] = _mean([check.value for check in life.code if check.value is not None])
    out["accumulator_error"] = accumulator_errors(
        _readings((p, row) for p, row, _ in rulings)
    ).absolute
    if memory:
        shares = memory_shares(plan, life.texts, owns_workspace(life.events))
        out |= (
            {STALE: _mean([sum(n) for n in shares.pop(STALE).values()])} if STALE in shares else {}
        )
        for name, series in shares.items():
            out[name] = _mean(
                [share for hits in series.values() for share in [sum(hits) / len(hits)]]
            )
    return out


def _weighted_mean(rows: Sequence[tuple[int, float, float]]) -> float | None:
    return sum(v * w for _, v, w in rows) / sum(w for _, _, w in rows) if rows else None


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _weighted(heads: Sequence[tuple[Probe, ProbeOutcome]]) -> Estimate:
    rows = [(o.value, p.weight, p.cluster) for p, o in heads if p.t >= 1 and o.value is not None]
    return clustered_mean(*zip(*rows, strict=True)) if rows else MISSING


def owns_workspace(events: Iterable[Event]) -> bool:
    """Did an agent with files of its own live this life? Its trace says so at the start."""
    start = next((e for e in events if e.lifecycle == LIFE_START), None)
    return bool(start and (start.metadata or {}).get(OWNS_WORKSPACE))


def _code_pass_rate(code: Iterable[CodeCheck]) -> Estimate:
    rows = [(check.value, 1.0, check.fact) for check in code if check.value is not None]
    return clustered_mean(*zip(*rows, strict=True)) if rows else MISSING


def _readings(pairs: Iterable[tuple[Probe, AnswerRow]]) -> Iterable[AccountReading]:
    for probe, row in pairs:
        if probe.type == "account" and row.status != "failed":
            gold = numbers(probe.required[0].text)[0].value
            said = said_balance(row.text) if row.status == "answered" else None
            yield AccountReading(probe.t, probe.account or "", gold, said)


def _compounds(readings: Sequence[AccountReading]) -> bool | None:
    by_account: dict[str, list[float | None]] = {}
    for r in sorted(readings, key=lambda r: r.t):
        by_account.setdefault(r.account, []).append(None if r.said is None else r.said - r.gold)
    found = [compounding(errors) for errors in by_account.values()]
    return None if all(f is None for f in found) else any(f for f in found if f is not None)
