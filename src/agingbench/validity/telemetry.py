"""Telemetry on trial: healthy agents must stay unflagged, planted aging must be found and named
rightly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

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
from agingbench.validity.session_noise import Figures, noise_figures
from agingbench.validity.shuffled_traces import planted, shuffled
from agingbench.validity.simulated_agents import SimulatedAgent, simulate, variants

PERMUTATIONS = 399
LEAST_REAL = 10  # sessions of a real folder that is worth shuffling
TARGETS = {"false_positives": 0.05, "power": 0.80, "right_mechanism": 0.80, "auc": 0.90}

# Every set has seeds of its own.
STATIONARY: dict[str, Callable[[int], SimulatedAgent]] = {
    "stationary": lambda i: variants(i),
    "autocorrelated": lambda i: replace(variants(10_000 + i), correlation=0.4),
    "task_phases": lambda i: replace(variants(20_000 + i), phases=3 + i % 4),
    "client_change": lambda i: replace(variants(30_000 + i), client_change=True),
    "model_change": lambda i: replace(variants(40_000 + i), model_change=True),
    "length_censored": lambda i: replace(variants(50_000 + i), censored=True),
}
_GRID = ((1.0, 24, 1.0), (0.5, 24, 0.4), (1.5, 24, 0.4), (1.0, 12, 0.3), (1.0, 48, 0.3))
# Mechanism, what is planted, strength, sessions, share of the agents.
CURVES: tuple[tuple[str, str, float, int, float], ...] = (
    *((mechanism, mechanism, *point) for mechanism in MECHANISMS for point in _GRID),
    ("compression", "growth", 1.0, 24, 0.4),
    ("compression", "specificity", 1.0, 24, 0.4),
)


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
    """The whole validation while it runs."""

    agents: int
    power_agents: int
    permutations: int = PERMUTATIONS
    seed: int = 0
    profile: Profile = field(default_factory=lambda: load_profile("generic"))
    advance: Callable[[], None] = lambda: None

    @property
    def first(self) -> int:
        """Where this seed's agents begin."""
        return self.seed * 1_000_000

    def judge(self, trace: TraceSessions) -> AgentVerdict:
        """One verdict."""
        self.advance()
        inference = infer(trace, link(trace, []), self.permutations)
        chosen = dominant_mechanism(inference, self.profile).dominant
        effects = {
            name: m.leading.effect if m.leading else None
            for name, m in inference.mechanisms.items()
        }

        return AgentVerdict(
            inference.aging_detected, chosen, _scores(inference), _could_fire(inference), effects
        )

    def agent(self, agent: SimulatedAgent) -> AgentVerdict:
        """One simulated agent."""
        return self.judge(collect(simulate(agent), self.profile))


def steps(agents: int, power_agents: int, n_real: int) -> int:
    """How many agents will be judged, for a progress bar."""
    curves = sum(max(1, round(share * power_agents)) for *_, share in CURVES)
    return agents * len(STATIONARY) + curves + (2 * agents if n_real else 0)


def validate(
    agents: int = 200,
    power_agents: int = 100,
    real: Sequence[Path] = (),
    advance: Callable[[], None] = lambda: None,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
) -> dict[str, Any]:
    """Everything: false positives per set and pooled, power curves, areas under the curve, real
    folders, noise.

    Another `seed` takes agents that no other seed has.
    """
    trial = TelemetryValidation(agents, power_agents, permutations, seed, advance=advance)
    folders = real_folders(real, trial.profile)
    healthy = {
        name: [trial.agent(make(trial.first + i)) for i in range(agents)]
        for name, make in STATIONARY.items()
    }
    shuffles = _shuffles(trial, folders) if folders else {}
    sets = {name: _rate(judged) for name, judged in healthy.items()}
    if shuffles:
        sets["real_shuffled"] = shuffles["set"]

    pooled = _pooled(sets.values())
    curves, evidence = _curves(trial)
    areas = _areas(evidence, healthy["stationary"])
    result: dict[str, Any] = {
        "agents_per_set": agents,
        "seed": seed,
        "permutations": permutations,
        "false_positives": {"sets": sets, "pooled": pooled},
        "power": curves,
        "auc": areas,
        "noise": _noise(trial, folders),
        "real": shuffles.get("folders", {}),
        "real_planted": shuffles.get("planted", {}),
        "targets": TARGETS,
    }
    result["checks"] = _checks(result)
    result["ok"] = all(result["checks"].values())

    return result


# ------------------------------------------------------------------------------------------------
# parts


def _scores(inference: Inference) -> dict[str, float | None]:
    return {name: _score(m) for name, m in inference.mechanisms.items()}


def _score(mechanism: Mechanism) -> float | None:
    """Evidence on one scale for all agents, for the area under the curve; None where nothing was
    tested.
    """
    if mechanism.p is None:
        return None

    details = mechanism.details
    if isinstance(details, RevisionDetails):
        from scipy.special import ndtri

        level = details.p_level
        by_level = (
            -float(ndtri(min(max(level, 1e-12), 1 - 1e-12))) if isinstance(level, float) else 0.0
        )
        return max(standardised_score(mechanism.test), by_level)

    return standardised_score(mechanism.test)


def _could_fire(inference: Inference) -> bool:
    """Whether any mechanism had a test that a moderate effect would have passed."""
    return inference.null.may_fire and any(m.testable for m in inference.mechanisms.values())


def _rate(judged: Sequence[AgentVerdict]) -> dict[str, Any]:
    flagged = sum(j.detected is True for j in judged)
    low, high = clopper_pearson(flagged, len(judged))
    return {
        "n": len(judged),
        "flagged": flagged,
        "rate": flagged / len(judged),
        "ci": [low, high],
        "undecided": sum(j.detected is None for j in judged),
        "could_have_fired": sum(j.could_fire for j in judged),
        "named": dict(sorted(Counter(j.dominant for j in judged if j.dominant).items())),
    }


def _pooled(sets: Iterable[dict[str, Any]]) -> dict[str, Any]:
    rows = list(sets)
    n = sum(r["n"] for r in rows)
    flagged = sum(r["flagged"] for r in rows)
    return {
        "n": n,
        "flagged": flagged,
        "rate": flagged / n,
        "ci": list(clopper_pearson(flagged, n)),
    }


def _curves(
    trial: TelemetryValidation,
) -> tuple[list[dict[str, Any]], dict[str, list[AgentVerdict]]]:
    rows = []
    evidence = {}
    for place, (mechanism, planted_as, strength, sessions, share) in enumerate(CURVES):
        n = max(1, round(share * trial.power_agents))
        base = trial.first + 100_000 + 1_000 * place
        judged = [
            # Six tools in use, as in the real folders; many tools are a variant of the healthy
            # sets.
            trial.agent(
                replace(
                    variants(base + i),
                    tools="few",
                    aging=planted_as,
                    strength=strength,
                    sessions=sessions,
                )
            )
            for i in range(n)
        ]
        found = [j for j in judged if j.detected]
        right = sum(j.dominant == mechanism for j in found)
        low, high = clopper_pearson(len(found), n)
        effects = [e for j in judged if (e := j.effects[mechanism]) is not None]
        rows.append(
            {
                "mechanism": mechanism,
                "planted": planted_as,
                "strength": strength,
                "sessions": sessions,
                "n": n,
                "flagged": len(found),
                "power": len(found) / n,
                "ci": [low, high],
                "right_mechanism": right,
                "accuracy": right / len(found) if found else None,
                "mean_effect": float(np.mean(effects)) if effects else None,
            }
        )
        if planted_as == mechanism and strength == 1.0 and sessions == 24:
            evidence[mechanism] = judged

    return rows, evidence


def _areas(
    evidence: dict[str, list[AgentVerdict]], healthy: Sequence[AgentVerdict]
) -> dict[str, Any]:
    out = {}
    for name, judged in evidence.items():
        positive = [s for j in judged if (s := j.scores[name]) is not None]
        negative = [s for j in healthy if (s := j.scores[name]) is not None]
        out[name] = {
            "auc": auc(positive, negative),
            "n_planted": len(positive),
            "n_stationary": len(negative),
        }

    return out


def real_folders(paths: Sequence[Path], profile: Profile) -> dict[str, TraceSessions]:
    """Every project below the paths with enough sessions on known days, as aggregates."""
    found: dict[str, TraceSessions] = {}
    for path in paths:
        for group in groups(path):
            sessions = collect(read_files(group.files, "auto", ReadLog()), profile)
            if len(sessions) >= LEAST_REAL and all(s.start is not None for s in sessions.sessions):
                name = f"folder {len(found) + 1}"
                found[name] = sessions

    return found


def _shuffles(trial: TelemetryValidation, folders: dict[str, TraceSessions]) -> dict[str, Any]:
    names = list(folders)
    judged: dict[str, list[AgentVerdict]] = {name: [] for name in names}
    for i in range(trial.agents):
        name = names[i % len(names)]
        judged[name].append(
            trial.judge(shuffled(folders[name], np.random.default_rng([trial.first + i, 11])))
        )

    rates = {name: {**_rate(j), "sessions": len(folders[name])} for name, j in judged.items() if j}
    everything = [j for each in judged.values() for j in each]
    rows: dict[str, Any] = {}
    able = [n for n in names if any(j.could_fire for j in judged[n])] or names

    for place, mechanism in enumerate(MECHANISMS):
        n = max(1, trial.agents // len(MECHANISMS))
        hits = []
        for i in range(n):
            rng = np.random.default_rng([trial.first + i, 13 + place])
            hits.append(
                trial.judge(planted(shuffled(folders[able[i % len(able)]], rng), mechanism, rng))
            )

        found = [j for j in hits if j.detected]
        rows[mechanism] = {
            "n": n,
            "flagged": len(found),
            "power": len(found) / n,
            "ci": list(clopper_pearson(len(found), n)),
            "right_mechanism": sum(j.dominant == mechanism for j in found),
        }

    return {"set": _rate(everything), "folders": rates, "planted": rows}


def _noise(trial: TelemetryValidation, folders: dict[str, TraceSessions]) -> dict[str, Any]:
    simulated = [
        noise_figures(collect(simulate(variants(900_000 + i)), trial.profile)) for i in range(20)
    ]
    mean: Figures = {}
    for key in simulated[0]:
        known = [v for s in simulated if (v := s[key]) is not None]
        mean[key] = round(float(np.mean(known)), 4) if known else None

    return {
        "simulated": mean,
        "real": {name: noise_figures(found) for name, found in folders.items()},
    }


def _checks(result: dict[str, Any]) -> dict[str, bool]:
    limit = TARGETS["false_positives"]
    sets = result["false_positives"]["sets"]
    checks = {f"false positives, {name}": row["ci"][0] <= limit for name, row in sets.items()}
    checks["false positives, pooled"] = result["false_positives"]["pooled"]["rate"] <= limit

    for row in result["power"]:
        if row["planted"] == row["mechanism"] and row["strength"] == 1.0 and row["sessions"] == 24:
            checks[f"power, {row['mechanism']}"] = row["power"] >= TARGETS["power"]
            checks[f"named rightly, {row['mechanism']}"] = (row["accuracy"] or 0.0) >= TARGETS[
                "right_mechanism"
            ]

    for name, row in result["auc"].items():
        checks[f"area under the curve, {name}"] = (row["auc"] or 0.0) >= TARGETS["auc"]

    return checks
