"""The trial of telemetry itself, small in the fast suite and whole when asked for."""

from __future__ import annotations

import io

import numpy as np
import pytest
from rich.console import Console

from agingbench.report.validation import print_telemetry
from agingbench.telemetry.profile import load_profile
from agingbench.telemetry.sessions.aggregates import TraceSession
from agingbench.telemetry.sessions.collect import collect
from agingbench.validity.session_noise import noise_figures
from agingbench.validity.shuffled_traces import planted, shuffled
from agingbench.validity.simulated_agents import NOISE, SimulatedAgent, simulate, variants
from agingbench.validity.simulated_work import HARMS, HEALTHY
from agingbench.validity.telemetry import STATIONARY, TARGETS, steps, validate
from agingbench.validity.work_validity import cells, work_sets
from tests.places import TRACES

REAL = TRACES / "claude_code"
PROFILE = load_profile("generic")


def test_a_small_trial_counts_everything_it_judges() -> None:
    judged = []
    result = validate(agents=1, power_agents=1, advance=lambda: judged.append(1), permutations=199)
    assert len(judged) == steps(1, 1, 0)
    assert set(result.false_positives.sets) == set(STATIONARY)
    assert result.false_positives.pooled.n == len(STATIONARY)
    assert {point.planted for point in result.power} >= {
        "compression",
        "interference",
        "revision",
        "maintenance",
    }
    assert set(result.auc) == {"compression", "interference", "revision", "maintenance"}
    assert result.ok == all(result.checks.values())
    assert result.targets == TARGETS
    page = io.StringIO()
    print_telemetry(result, Console(file=page, width=120))
    for words in (
        "healthy agents",
        "pooled",
        "planted aging",
        "area under the ROC curve",
        "growth session sd",
    ):
        assert words in page.getvalue()


def test_simulated_noise_is_what_was_asked_for() -> None:
    figures = [noise_figures(collect(simulate(variants(i)), PROFILE)) for i in range(8)]

    def mean(key: str) -> float:
        return float(np.mean([f[key] for f in figures if f[key] is not None]))

    assert mean("growth_call_sd") == pytest.approx(NOISE.growth_call_sd, rel=0.15)
    assert mean("calls_log_mean") == pytest.approx(NOISE.calls_log_mean, rel=0.15)
    assert mean("sessions_per_day") == pytest.approx(NOISE.sessions_per_day, rel=0.3)
    assert 0.01 < mean("error_rate") < 0.06


def test_shuffling_keeps_every_session_and_whole_days() -> None:
    found = collect(simulate(SimulatedAgent(seed=4)), PROFILE)
    mixed = shuffled(found, np.random.default_rng(0))
    assert sorted(s.id for s in mixed.sessions) == sorted(s.id for s in found.sessions)
    assert [s.id for s in mixed.sessions] != [s.id for s in found.sessions]
    starts = [s.start for s in mixed.sessions if s.start is not None]
    assert starts == sorted(starts)
    days = {s.id: int((s.start or 0) // 86_400) for s in found.sessions}
    moved = {s.id: int((s.start or 0) // 86_400) for s in mixed.sessions}
    for a in days:
        for b in days:
            assert (days[a] == days[b]) == (moved[a] == moved[b])


def counts_of(session: TraceSession) -> tuple[dict[str, int], dict[str, list[int]], dict[str, int]]:
    """What planting may change of a session, as it is now."""
    naming = {deed: list(row) for deed, row in session.naming.items()}
    return dict(session.calls_by_tool), naming, dict(session.errors)


@pytest.mark.parametrize("mechanism", ["compression", "interference", "revision", "maintenance"])
def test_planting_changes_late_sessions_and_leaves_the_source_alone(mechanism: str) -> None:
    found = collect(simulate(SimulatedAgent(seed=4)), PROFILE)
    before = [counts_of(session) for session in found.sessions]
    uses = len(found.values)
    rng = np.random.default_rng(1)
    changed = planted(shuffled(found, rng), mechanism, rng)
    assert [counts_of(session) for session in found.sessions] == before
    assert len(found.values) == uses
    if mechanism == "revision":
        assert len(changed.values) > uses
    elif mechanism == "maintenance":
        assert sum(s.process_errors for s in changed.sessions) > sum(
            s.process_errors for s in found.sessions
        )


@pytest.mark.slow
def test_the_whole_trial() -> None:
    real = [REAL] if REAL.is_dir() else []
    result = validate(agents=200, power_agents=100, real=real)
    assert result.ok, [name for name, ok in result.checks.items() if not ok]


def test_every_kind_of_work_is_judged_and_counted() -> None:
    rows = list(work_sets(PROFILE, 1, (6,), 0, 199))
    assert len(rows) == len(cells())
    healthy = {row.variant for row in rows if row.harm is None and not row.at_once}
    assert healthy == set(HEALTHY)
    assert {row.harm for row in rows} >= set(HARMS)
    for row in rows:
        assert row.flagged + row.answered_no + row.undecided == row.n
