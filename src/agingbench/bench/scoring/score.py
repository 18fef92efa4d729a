"""From the record of a life to its figures: an answer table, and metrics grouped over it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import msgspec

from agingbench.bench.plan.plan import Plan, Probe
from agingbench.bench.scoring.classes import DEPENDENCY_TYPES, fact_class, probe_class
from agingbench.bench.scoring.code_checks import CodeCheck
from agingbench.bench.scoring.conduct import (
    ConductFigures,
    TaskOutcome,
    conduct_figures,
    cvr_by_session,
    task_outcomes,
)
from agingbench.bench.scoring.memory_text import (
    STALE,
    memory_metrics,
    memory_shares,
)
from agingbench.bench.scoring.paper import (
    KeywordWatch,
    PaperSection,
    ProbeReply,
    headline_curve,
    paper_section,
    probe_figures,
)
from agingbench.bench.scoring.stored import StoredShares, StoreWatch, stored_shares
from agingbench.bench.scoring.verdicts import balance_given, is_unformatted, judge
from agingbench.metrics.curve import (
    CurvePoint,
    CurveRow,
    CurveStats,
    CurveTable,
    curve_stats,
    points,
)
from agingbench.metrics.intervals import MISSING, Estimate, clustered_mean
from agingbench.metrics.mechanisms import (
    AccountReading,
    AccumulatorErrors,
    ProbeOutcome,
    WindowDelta,
    accumulator_errors,
    compounding,
    lag_recall,
    mean_by_depth,
    mean_by_hop,
    mean_by_span,
    mean_value,
    window_delta,
)
from agingbench.records import Event
from agingbench.text.matching import numbers
from agingbench.trials.run_folder import AnswerRow, life_start

PAPER = "paper."  # what the names of the paper's figures begin with
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


class JudgedAnswer(NamedTuple):
    """An answer of a life with the probe that it answers and what it is worth."""

    probe: Probe
    row: AnswerRow
    outcome: ProbeOutcome


@dataclass(frozen=True)
class LifeRecord:
    """What a life left behind, wherever it was kept.

    `texts` is what the memory held at each point; `code` is how the code that the agent wrote did,
    where the plan asks for code.
    """

    plan: Plan
    events: Sequence[Event]
    answers: Sequence[AnswerRow]
    texts: Iterable[tuple[int, str]]
    code: Sequence[CodeCheck] = ()


@dataclass(frozen=True)
class LifeScores:
    """Every figure of a life.

    `probe_metrics` are higher-is-better means; `rows` holds the outcomes behind each of them.
    `memory_metrics` holds, by metric and point, the share of facts that the memory states.
    `stale_in_workspace` counts, by point, values of the past beside those that hold; workspaces
    only.
    """

    table: list[ScoredAnswer]
    headline: CurveStats
    curve: list[CurvePoint]
    failed_share: float
    unformatted: Estimate  # the share of answers without the line that was asked for
    dependable: bool  # False: too many broken calls for a headline
    probe_metrics: dict[str, Estimate]
    memory_metrics: dict[str, dict[int, Estimate]]
    conduct: ConductFigures
    cvr_by_session: dict[int, Estimate]
    tasks: list[TaskOutcome]
    code: Sequence[CodeCheck]
    code_pass_rate: Estimate
    code_by_session: dict[int, Estimate]
    code_windows: dict[str, WindowDelta]
    accumulator: AccumulatorErrors
    compounding: bool | None
    windows: dict[str, WindowDelta]
    chain_recall_by_depth: dict[str, Estimate]
    chain_recall_by_span: dict[str, Estimate]
    per_hop: dict[str, Estimate]
    lag_recall: dict[str, Estimate]
    rows: dict[str, list[ProbeOutcome]]
    stale_in_workspace: dict[int, int]
    stored: StoredShares
    paper: PaperSection


def judged(plan: Plan, answers: Iterable[AnswerRow]) -> list[JudgedAnswer]:
    """Judge every answer that the life gave as it was lived."""
    out = []
    for row in answers:
        if row.condition != "as_lived":
            continue
        probe = plan.probe_by_id[row.probe]
        verdict, value = judge(probe, row, plan.graph)
        outcome = ProbeOutcome(
            probe.t,
            probe.cluster,
            verdict,
            value,
            probe.lag,
            probe.depth,
            probe.span,
            probe.hop,
        )
        out.append(JudgedAnswer(probe, row, outcome))
    return out


def score(life: LifeRecord) -> LifeScores:
    """Score a life from its record alone."""
    plan = life.plan
    answers = judged(plan, life.answers)
    outcomes = [(answer.probe, answer.outcome) for answer in answers]
    failures = sum(outcome.verdict == "failed" for _, outcome in outcomes)
    failed_share = failures / len(outcomes) if outcomes else 0.0

    store = StoreWatch(plan)
    keywords = KeywordWatch(plan)
    texts = keywords.watch(store.watch(life.texts))
    shares = memory_shares(plan, texts, owns_workspace(life.events))
    stale = shares.pop(STALE, {})
    memory = memory_metrics(plan, shares)
    data = CurveTable.from_rows(headline_rows(plan, outcomes, shares))
    curve = points(data.t, data.value, data.weight, data.cluster)
    values_by_point = {point.t: point.m for point in curve}

    rows = {}
    for name, belongs in PROBE_METRICS.items():
        rows[name] = [o for probe, o in outcomes if probe.t >= 1 and belongs(probe)]
    probe_metrics = {recall_name(plan): _weighted_recall(outcomes)}
    probe_metrics |= {name: mean_value(members) for name, members in rows.items()}

    tasks = task_outcomes(plan, life.events)
    readings = _readings(answers)
    by_session = code_by_session(life.code)
    passes = {session + 1: part.value for session, part in by_session.items()}
    return LifeScores(
        table=[_table_row(answer) for answer in answers],
        headline=curve_stats(data),
        curve=curve,
        failed_share=failed_share,
        unformatted=_unformatted(answers),
        dependable=failed_share <= MOST_FAILED,
        probe_metrics=probe_metrics,
        memory_metrics=memory,
        conduct=conduct_figures(tasks),
        cvr_by_session=cvr_by_session(tasks),
        tasks=tasks,
        code=life.code,
        code_pass_rate=code_pass_rate(life.code),
        code_by_session=by_session,
        code_windows=_windows(plan, passes) if plan.checks_workspace else {},
        accumulator=accumulator_errors(readings),
        compounding=_compounds(readings),
        windows=_windows(plan, values_by_point),
        chain_recall_by_depth=mean_by_depth(rows["chain_recall"]),
        chain_recall_by_span=mean_by_span(rows["dep_recall"]),
        per_hop=mean_by_hop(rows["per_hop_recall"]),
        lag_recall=lag_recall(rows["lag_recall"]),
        rows=rows,
        stale_in_workspace={t: sum(counts) for t, counts in stale.items()},
        stored=stored_shares(outcomes, store.stored),
        paper=paper_section(plan, replies(answers), keywords, memory.get("workspace_fidelity")),
    )


def replies(answers: Iterable[JudgedAnswer]) -> list[ProbeReply]:
    """The answers as the paper reads them; what broke in transport is left out."""
    out = []
    for probe, row, outcome in answers:
        if outcome.value is not None:
            text = row.text.lower() if row.status == "answered" else ""
            out.append(ProbeReply(probe, text, outcome.value))
    return out


def _unformatted(answers: Iterable[JudgedAnswer]) -> Estimate:
    values = []
    facts = []
    for probe, row, _ in answers:
        lacks_line = is_unformatted(probe, row)
        if lacks_line is not None:
            values.append(float(lacks_line))
            facts.append(probe.cluster)
    return clustered_mean(values, [1.0] * len(values), facts) if values else MISSING


def _table_row(answer: JudgedAnswer) -> ScoredAnswer:
    probe = answer.probe
    return ScoredAnswer(
        t=probe.t,
        probe=probe.id,
        fact=probe.cluster,
        type=probe.type,
        mechanism=probe.mechanism,
        condition=answer.row.condition,
        verdict=answer.outcome.verdict,
        value=answer.outcome.value,
    )


# What the standalone probes' weighted mean is called: the headline of most scenarios, a figure
# beside it in others.
STANDALONE_HEADLINES = ("constraint_precision", "recall_rate", "recall_accuracy")


def recall_name(plan: Plan) -> str:
    """The name of the weighted recall over all due facts in this plan's scenario."""
    return plan.headline if plan.headline in STANDALONE_HEADLINES else "recall"


def headline_rows(
    plan: Plan,
    outcomes: Sequence[tuple[Probe, ProbeOutcome]],
    shares: Mapping[str, Mapping[int, Sequence[int]]],
) -> list[CurveRow]:
    """The rows that the scenario's headline is made of, each with the class of what it asks."""
    graph = plan.graph
    rows: list[CurveRow] = []
    if plan.headline in shares:
        for t, hits in shares[plan.headline].items():
            for name, hit in zip(plan.inspected[t], hits, strict=True):
                group = fact_class(graph.by_id[name], graph, t)
                rows.append(CurveRow(t, float(hit), 1.0, name, group))
        return rows

    for probe, outcome in outcomes:
        weight = probe.weight
        if plan.headline == "dep_recall":
            weight = 1.0 if probe.type in DEPENDENCY_TYPES else None
        if weight is not None:
            group = probe_class(probe, graph)
            rows.append(CurveRow(probe.t, outcome.value, weight, probe.cluster, group))
    return rows


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


def life_figures(
    life: LifeRecord,
    memory: bool = True,
    first_point: int = 1,
) -> dict[str, float | None]:
    """One mean per metric from a point on, without intervals: for tables over many lives."""
    plan = life.plan
    answers = judged(plan, life.answers)
    marks = [(a.probe, a.outcome.value) for a in answers if a.outcome.value is not None]
    later = [(probe, value) for probe, value in marks if probe.t >= first_point]
    first = [(probe, value) for probe, value in marks if probe.t == 0]

    figures: dict[str, float | None] = {
        recall_name(plan): _weighted_mean(later),
        "m0": _weighted_mean(first),
    }
    for name, belongs in PROBE_METRICS.items():
        figures[name] = _mean([value for probe, value in later if belongs(probe)])

    conduct = conduct_figures(task_outcomes(plan, life.events))
    figures["cvr"] = conduct.cvr.value
    figures["over_refusal_rate"] = conduct.over_refusal_rate.value
    figures["undecided_share"] = conduct.undecided_share.value
    figures["cite_accuracy"] = conduct.cite_accuracy.value

    passes = [check.value for check in life.code if check.value is not None]
    figures["code_pass_rate"] = _mean(passes)
    figures["accumulator_error"] = accumulator_errors(_readings(answers)).absolute

    keywords = KeywordWatch(plan)
    if not memory:
        return figures | _paper_means(plan, answers, keywords)

    texts = keywords.watch(life.texts)
    shares = memory_shares(plan, texts, owns_workspace(life.events))
    stale = shares.pop(STALE, None)
    if stale is not None:
        figures[STALE] = _mean([sum(counts) for counts in stale.values()])
    for name, series in shares.items():
        figures[name] = _mean([sum(hits) / len(hits) for hits in series.values()])
    return figures | _paper_means(plan, answers, keywords)


def _paper_means(
    plan: Plan,
    answers: Iterable[JudgedAnswer],
    keywords: KeywordWatch,
) -> dict[str, float | None]:
    """The paper's figures; its headline as the mean over all points, 0 included."""
    said = replies(answers)
    curve = headline_curve(plan, said, keywords)
    means = {f"{PAPER}{name}": part.value for name, part in probe_figures(plan, said).items()}
    means[f"{PAPER}headline.{plan.headline}"] = _mean([m for _, m, _ in curve])
    return means


def _weighted_mean(marks: Iterable[tuple[Probe, float]]) -> float | None:
    pairs = [(value, probe.weight) for probe, value in marks if probe.weight is not None]
    if not pairs:
        return None
    total = sum(value * weight for value, weight in pairs)
    return total / sum(weight for _, weight in pairs)


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _weighted_recall(outcomes: Iterable[tuple[Probe, ProbeOutcome]]) -> Estimate:
    values = []
    weights = []
    facts = []
    for probe, outcome in outcomes:
        if probe.t >= 1 and probe.weight is not None and outcome.value is not None:
            values.append(outcome.value)
            weights.append(probe.weight)
            facts.append(probe.cluster)
    return clustered_mean(values, weights, facts) if values else MISSING


def owns_workspace(events: Iterable[Event]) -> bool:
    """Whether an agent with files of its own lived this life; the start of its trace says so."""
    return bool(life_start(events).owns_workspace)


def _windows(plan: Plan, values: Mapping[int, float | None]) -> dict[str, WindowDelta]:
    known = {t: value for t, value in values.items() if value is not None}
    return {str(event): window_delta(known, event.at) for event in plan.events}


def code_by_session(code: Iterable[CodeCheck]) -> dict[int, Estimate]:
    """The share of checks that the code of each session passed."""
    sessions: dict[int, list[CodeCheck]] = {}
    for check in code:
        sessions.setdefault(check.session, []).append(check)
    return {session: code_pass_rate(checks) for session, checks in sorted(sessions.items())}


def code_pass_rate(code: Iterable[CodeCheck]) -> Estimate:
    """The share of checks that passed, of those that count."""
    values = []
    facts = []
    for check in code:
        if check.value is not None:
            values.append(check.value)
            facts.append(check.fact)
    return clustered_mean(values, [1.0] * len(values), facts) if values else MISSING


def account_readings(answers: Iterable[tuple[Probe, AnswerRow]]) -> Iterator[AccountReading]:
    """What each account held when it was asked for, beside what the agent said it held."""
    for probe, row in answers:
        if probe.type == "account" and row.status != "failed":
            gold = numbers(probe.required[0].text)[0].value
            yield AccountReading(probe.t, probe.account or "", gold, balance_given(probe, row))


def _readings(answers: Iterable[JudgedAnswer]) -> list[AccountReading]:
    return list(account_readings((answer.probe, answer.row) for answer in answers))


def _compounds(readings: Sequence[AccountReading]) -> bool | None:
    errors: dict[str, list[float | None]] = {}
    for reading in sorted(readings, key=lambda reading: reading.t):
        error = None if reading.said is None else reading.said - reading.gold
        errors.setdefault(reading.account, []).append(error)

    growth = [compounding(series) for series in errors.values()]
    known = [grows for grows in growth if grows is not None]
    return any(known) if known else None
