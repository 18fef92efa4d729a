"""Validation of telemetry: healthy agents stay unflagged, planted aging is found and named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from msgspec import UNSET, UnsetType

from agingbench.cards.audit import CHANGED_AT_ONCE
from agingbench.cards.telemetry_validity import (
    FalsePositives,
    Figures,
    HealthySet,
    NoiseComparison,
    PlantedPower,
    PooledRate,
    PowerPoint,
    RocArea,
    TelemetryValidity,
    WorkSet,
)
from agingbench.metrics.detection import auc, clopper_pearson
from agingbench.records import ReadLog
from agingbench.telemetry.inference.dominant import dominant_mechanism
from agingbench.telemetry.inference.evidence import Mechanism, standardised_score
from agingbench.telemetry.inference.infer import Inference, infer
from agingbench.telemetry.profile import MECHANISMS, Profile, load_profile
from agingbench.telemetry.sessions.aggregates import TraceSessions
from agingbench.telemetry.sessions.collect import collect
from agingbench.telemetry.sessions.outcomes import link
from agingbench.telemetry.signals.details import RevisionDetails
from agingbench.traces.reading import groups, read_files
from agingbench.validity.session_noise import noise_figures
from agingbench.validity.shuffled_traces import planted, shuffled
from agingbench.validity.simulated_agents import SimulatedAgent, simulate, variants
from agingbench.validity.work_validity import FOUND_ALONE, STEADY, cells, work_sets

PERMUTATIONS = 399
NOISE_AGENTS = 20
NOISE_SEED = 900_000
WORK_LENGTHS = (12, 24, 40)  # sessions of the agents whose work changes
LEAST_REAL = 10  # sessions of a real folder that is worth shuffling
TARGETS = {
    "false_positives": 0.05,
    "power": 0.85,
    "right_mechanism": 0.90,
    "power_while_work_shifts": 0.70,
    "steps_called_aging": 0.10,
    "steps_named": 0.70,
    "auc": 0.90,
}
# Of the healthy agents to which nothing happens: how many have to be answered "no", by sessions.
ANSWERED_NO = {24: 0.30, 40: 0.50}
POWER_SESSIONS = 24  # of the agents whose harm has to be found

# Every set has seeds of its own.
STATIONARY: dict[str, Callable[[int], SimulatedAgent]] = {
    "stationary": lambda i: variants(i),
    "autocorrelated": lambda i: replace(variants(10_000 + i), correlation=0.4),
    "task_phases": lambda i: replace(variants(20_000 + i), phases=3 + i % 4),
    "client_change": lambda i: replace(variants(30_000 + i), client_change=True),
    "model_change": lambda i: replace(variants(40_000 + i), model_change=True),
    "length_censored": lambda i: replace(variants(50_000 + i), censored=True),
}


class Planting(NamedTuple):
    """One point of a power curve: what is planted, how strongly, and into how many agents."""

    mechanism: str
    planted: str
    strength: float
    sessions: int
    share_of_agents: float

    def n_agents(self, power_agents: int) -> int:
        """Return how many agents are simulated for this point."""
        return max(1, round(self.share_of_agents * power_agents))


def _plantings() -> list[Planting]:
    """Return every mechanism at several strengths and lengths, and compression in its parts."""
    points = []
    for mechanism in MECHANISMS:
        points += [
            Planting(mechanism, mechanism, 1.0, 24, 1.0),
            Planting(mechanism, mechanism, 0.5, 24, 0.4),
            Planting(mechanism, mechanism, 1.5, 24, 0.4),
            Planting(mechanism, mechanism, 1.0, 12, 0.3),
            Planting(mechanism, mechanism, 1.0, 48, 0.3),
        ]

    return [
        *points,
        Planting("compression", "growth", 1.0, 24, 0.4),
        Planting("compression", "specificity", 1.0, 24, 0.4),
    ]


CURVES = _plantings()


@dataclass
class AgentVerdict:
    """What the audit said about one agent."""

    detected: bool | None
    dominant: str | None
    scores: dict[str, float | None]
    could_fire: bool
    effects: dict[str, float | None]


@dataclass
class TelemetryValidation:
    """The settings of a validation while it runs."""

    agents: int
    power_agents: int
    permutations: int = PERMUTATIONS
    seed: int = 0
    profile: Profile = field(default_factory=lambda: load_profile("generic"))
    advance: Callable[[], None] = lambda: None

    @property
    def first(self) -> int:
        """The seed of the first agent; every seed of the validation has agents of its own."""
        return self.seed * 1_000_000

    def judge(self, trace: TraceSessions) -> AgentVerdict:
        """Audit one trace."""
        self.advance()
        inference = infer(trace, link(trace, []), self.permutations)
        effects: dict[str, float | None] = {}

        for name, mechanism in inference.mechanisms.items():
            leading = mechanism.leading
            effects[name] = None if leading is None else leading.effect

        return AgentVerdict(
            detected=inference.aging_detected,
            dominant=dominant_mechanism(inference, self.profile).dominant,
            scores={name: _score(m) for name, m in inference.mechanisms.items()},
            could_fire=_could_fire(inference),
            effects=effects,
        )

    def judge_agent(self, agent: SimulatedAgent) -> AgentVerdict:
        """Audit one simulated agent."""
        return self.judge(collect(simulate(agent), self.profile))


def steps(agents: int, power_agents: int, n_real: int, work_agents: int = 0) -> int:
    """Return how many agents will be judged, for a progress bar."""
    work = work_agents * len(cells()) * len(WORK_LENGTHS)
    healthy = agents * len(STATIONARY)
    curves = sum(planting.n_agents(power_agents) for planting in CURVES)
    shuffles = 2 * agents if n_real else 0

    return healthy + curves + shuffles + work


def validate(
    agents: int = 200,
    power_agents: int = 100,
    real: Sequence[Path] = (),
    advance: Callable[[], None] = lambda: None,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
    work_agents: int = 0,
    workers: int = 1,
) -> TelemetryValidity:
    """Return false positives, power curves, areas under the curve, real folders and noise.

    Another `seed` takes agents that no other seed has. `work_agents` are simulated of each kind
    whose work changes, in as many processes as there are `workers`.
    """
    validation = TelemetryValidation(agents, power_agents, permutations, seed, advance=advance)
    folders = real_folders(real, validation.profile)
    healthy: dict[str, list[AgentVerdict]] = {}

    for name, make in STATIONARY.items():
        chosen = [make(validation.first + i) for i in range(agents)]
        healthy[name] = [validation.judge_agent(agent) for agent in chosen]

    sets = {name: _healthy_set(verdicts) for name, verdicts in healthy.items()}
    by_folder: dict[str, HealthySet] = {}
    real_planted: dict[str, PlantedPower] = {}

    if folders:
        shuffles = _judge_shuffled(validation, folders)
        everything = [verdict for verdicts in shuffles.values() for verdict in verdicts]
        sets["real_shuffled"] = _healthy_set(everything)
        for name, verdicts in shuffles.items():
            if verdicts:
                by_folder[name] = _healthy_set(verdicts, len(folders[name]))

        real_planted = _judge_planted(validation, folders, shuffles)

    work: list[WorkSet] = []
    if work_agents:
        sets_of_work = work_sets(
            validation.profile,
            work_agents,
            WORK_LENGTHS,
            validation.first,
            permutations,
            workers,
        )
        for row in sets_of_work:
            work.append(row)
            for _ in range(work_agents):
                advance()

    power, evidence = _power_curves(validation)
    result = TelemetryValidity(
        agents_per_set=agents,
        seed=seed,
        permutations=permutations,
        false_positives=FalsePositives(sets, _pooled(sets.values())),
        power=power,
        auc=_areas(evidence, healthy["stationary"]),
        noise=_noise(validation, folders),
        real=by_folder,
        real_planted=real_planted,
        work=work,
        targets=TARGETS,
    )
    result.checks = _checks(result)
    result.ok = all(result.checks.values())

    return result


# ------------------------------------------------------------------------------------------------
# parts


def _score(mechanism: Mechanism) -> float | None:
    """Return the evidence on one scale for all agents; None where nothing was tested."""
    if mechanism.p is None:
        return None

    score = standardised_score(mechanism.test)
    details = mechanism.details
    if isinstance(details, RevisionDetails):
        from scipy.special import ndtri

        level = 0.0
        if isinstance(details.p_level, float):
            level = -float(ndtri(min(max(details.p_level, 1e-12), 1 - 1e-12)))
        return max(score, level)

    return score


def _could_fire(inference: Inference) -> bool:
    """Return whether any mechanism had a test that a moderate effect would have passed."""
    testable = any(mechanism.testable for mechanism in inference.mechanisms.values())
    return inference.null.can_be_answered and testable


def _healthy_set(verdicts: Sequence[AgentVerdict], sessions: int | UnsetType = UNSET) -> HealthySet:
    n = len(verdicts)
    flagged = sum(verdict.detected is True for verdict in verdicts)
    dominant = Counter(verdict.dominant for verdict in verdicts if verdict.dominant)

    return HealthySet(
        n=n,
        flagged=flagged,
        rate=flagged / n,
        ci=clopper_pearson(flagged, n),
        undecided=sum(verdict.detected is None for verdict in verdicts),
        could_have_fired=sum(verdict.could_fire for verdict in verdicts),
        named=dict(sorted(dominant.items())),
        sessions=sessions,
    )


def _pooled(sets: Iterable[HealthySet]) -> PooledRate:
    rows = list(sets)
    n = sum(row.n for row in rows)
    flagged = sum(row.flagged for row in rows)
    return PooledRate(n, flagged, flagged / n, clopper_pearson(flagged, n))


def _power_curves(
    validation: TelemetryValidation,
) -> tuple[list[PowerPoint], dict[str, list[AgentVerdict]]]:
    """Return the points of the power curves, and the verdicts of those with a target."""
    points = []
    evidence = {}

    for place, planting in enumerate(CURVES):
        verdicts = _judge_planting(validation, planting, place)
        point = _power_point(planting, verdicts)
        points.append(point)
        if point.is_target:
            evidence[planting.mechanism] = verdicts

    return points, evidence


def _judge_planting(
    validation: TelemetryValidation,
    planting: Planting,
    place: int,
) -> list[AgentVerdict]:
    first = validation.first + 100_000 + 1_000 * place
    verdicts = []

    for i in range(planting.n_agents(validation.power_agents)):
        # Six tools in use, as in the real folders; many tools are a variant of the healthy sets.
        agent = replace(
            variants(first + i),
            tools="few",
            aging=planting.planted,
            strength=planting.strength,
            sessions=planting.sessions,
        )
        verdicts.append(validation.judge_agent(agent))

    return verdicts


def _power_point(planting: Planting, verdicts: Sequence[AgentVerdict]) -> PowerPoint:
    mechanism = planting.mechanism
    n = len(verdicts)
    detected = [verdict for verdict in verdicts if verdict.detected]
    right = sum(verdict.dominant == mechanism for verdict in detected)
    effects = [verdict.effects[mechanism] for verdict in verdicts]
    measured = [effect for effect in effects if effect is not None]

    return PowerPoint(
        mechanism=mechanism,
        planted=planting.planted,
        strength=planting.strength,
        sessions=planting.sessions,
        n=n,
        flagged=len(detected),
        power=len(detected) / n,
        ci=clopper_pearson(len(detected), n),
        right_mechanism=right,
        accuracy=right / len(detected) if detected else None,
        mean_effect=float(np.mean(measured)) if measured else None,
    )


def _areas(
    evidence: dict[str, list[AgentVerdict]], healthy: Sequence[AgentVerdict]
) -> dict[str, RocArea]:
    areas = {}
    for name, verdicts in evidence.items():
        positive = _scores(verdicts, name)
        negative = _scores(healthy, name)
        areas[name] = RocArea(auc(positive, negative), len(positive), len(negative))

    return areas


def _scores(verdicts: Sequence[AgentVerdict], mechanism: str) -> list[float]:
    scores = [verdict.scores[mechanism] for verdict in verdicts]
    return [score for score in scores if score is not None]


def real_folders(paths: Sequence[Path], profile: Profile) -> dict[str, TraceSessions]:
    """Return every project below the paths with enough sessions on known days."""
    folders: dict[str, TraceSessions] = {}
    for path in paths:
        for group in groups(path):
            trace = collect(read_files(group.files, "auto", ReadLog()), profile)
            dated = all(session.start is not None for session in trace.sessions)
            if len(trace) >= LEAST_REAL and dated:
                folders[f"folder {len(folders) + 1}"] = trace

    return folders


def _judge_shuffled(
    validation: TelemetryValidation, folders: dict[str, TraceSessions]
) -> dict[str, list[AgentVerdict]]:
    """Return the verdicts on shuffled copies of the folders, which cannot age."""
    names = list(folders)
    verdicts: dict[str, list[AgentVerdict]] = {name: [] for name in names}

    for i in range(validation.agents):
        name = names[i % len(names)]
        rng = np.random.default_rng([validation.first + i, 11])
        verdicts[name].append(validation.judge(shuffled(folders[name], rng)))

    return verdicts


def _judge_planted(
    validation: TelemetryValidation,
    folders: dict[str, TraceSessions],
    shuffles: dict[str, list[AgentVerdict]],
) -> dict[str, PlantedPower]:
    """Return how often aging planted into folders that could have shown it was found."""
    names = list(folders)
    able = [name for name in names if any(verdict.could_fire for verdict in shuffles[name])]
    able = able or names
    n = max(1, validation.agents // len(MECHANISMS))
    rows = {}

    for place, mechanism in enumerate(MECHANISMS):
        verdicts = []
        for i in range(n):
            rng = np.random.default_rng([validation.first + i, 13 + place])
            trace = shuffled(folders[able[i % len(able)]], rng)
            verdicts.append(validation.judge(planted(trace, mechanism, rng)))

        detected = [verdict for verdict in verdicts if verdict.detected]
        rows[mechanism] = PlantedPower(
            n=n,
            flagged=len(detected),
            power=len(detected) / n,
            ci=clopper_pearson(len(detected), n),
            right_mechanism=sum(verdict.dominant == mechanism for verdict in detected),
        )

    return rows


def _noise(validation: TelemetryValidation, folders: dict[str, TraceSessions]) -> NoiseComparison:
    simulated = []
    for i in range(NOISE_AGENTS):
        trace = collect(simulate(variants(NOISE_SEED + i)), validation.profile)
        simulated.append(noise_figures(trace))

    means: Figures = {}
    for key in simulated[0]:
        values = [figures[key] for figures in simulated]
        measured = [value for value in values if value is not None]
        means[key] = round(float(np.mean(measured)), 4) if measured else None

    real = {name: noise_figures(trace) for name, trace in folders.items()}
    return NoiseComparison(means, real)


def _power_checks(rows: Sequence[WorkSet]) -> dict[str, bool]:
    """Return which targets of planted harm were met: in steady work, in shifting work, at once."""
    checks: dict[str, bool] = {}
    for row in rows:
        if row.variant == STEADY and row.harm in FOUND_ALONE and not row.at_once:
            right = row.named.get(row.harm, 0)
            checks[f"power, {row.harm}"] = row.flagged >= TARGETS["power"] * row.n
            checks[f"named rightly, {row.harm}"] = right >= TARGETS["right_mechanism"] * row.flagged

    shifted = [row for row in rows if row.harm is not None and row.variant != STEADY]
    found = sum(row.flagged for row in shifted)
    least = TARGETS["power_while_work_shifts"] * sum(row.n for row in shifted)
    checks["power while the work shifts"] = found >= least

    steps = [row for row in rows if row.harm is not None and row.at_once]
    called = sum(row.flagged for row in steps)
    most = TARGETS["steps_called_aging"] * sum(row.n for row in steps)
    checks["steps called aging"] = called <= most
    named = sum(row.open_because.get(CHANGED_AT_ONCE, 0) for row in steps)
    checks["steps named"] = named >= TARGETS["steps_named"] * sum(row.n for row in steps)
    return checks


def _checks(result: TelemetryValidity) -> dict[str, bool]:
    """Return which targets were met."""
    limit = TARGETS["false_positives"]
    checks: dict[str, bool] = {}

    for name, row in result.false_positives.sets.items():
        checks[f"false positives, {name}"] = row.ci[0] <= limit

    checks["false positives, pooled"] = result.false_positives.pooled.rate <= limit

    for sessions in dict.fromkeys(row.sessions for row in result.work):
        rows = [row for row in result.work if row.sessions == sessions]
        healthy = [row for row in rows if row.harm is None and not row.at_once]
        flagged = sum(row.flagged for row in healthy)
        n = sum(row.n for row in healthy)
        checks[f"false positives while the work changes, {sessions} sessions"] = (
            flagged <= limit * n
        )
        least = ANSWERED_NO.get(sessions, 0.0)
        for steady in healthy:
            if steady.variant == STEADY and least:
                enough = steady.answered_no >= least * steady.n
                checks[f"answered no, {sessions} sessions"] = enough

        if sessions == POWER_SESSIONS:
            checks |= _power_checks(rows)

    for name, area in result.auc.items():
        checks[f"area under the curve, {name}"] = (area.auc or 0.0) >= TARGETS["auc"]

    return checks
