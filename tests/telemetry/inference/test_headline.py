"""The headline: tiers in the order of the reference, and none hidden behind the one that leads."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agingbench.telemetry.inference.evidence import Mechanism, Signal, Step
from agingbench.telemetry.inference.headline import headline
from agingbench.telemetry.inference.infer import Inference
from agingbench.telemetry.inference.null_model import NullModel
from agingbench.telemetry.inference.phases import Phases
from agingbench.telemetry.inference.serial_correlation import SerialCorrelation
from agingbench.telemetry.inference.work import Work
from agingbench.telemetry.profile import load_profile
from agingbench.telemetry.sessions.aggregates import TraceSessions
from agingbench.telemetry.sessions.outcomes import OutcomeCurve
from agingbench.telemetry.signals.consistency import Consistency, ConsistencyCoverage
from agingbench.telemetry.signals.details import (
    CompressionDetails,
    MaintenanceDetails,
    ReliabilityDetails,
)
from agingbench.telemetry.signals.effort import effort_signal

N = 10


def inference(repeats: int, drift: float | None, rising: bool, shocks: int) -> Inference:
    signal = Signal(
        "reread_rate", "", True, [0.05 * i for i in range(N)], [9] * N, minimum=0.1, moderate=0.3
    )
    mechanisms = {
        name: Mechanism(name, "", [], None, CompressionDetails())
        for name in ("compression", "interference", "revision", "maintenance")
    }
    if rising:
        mechanisms["compression"].leading = signal
        mechanisms["compression"].answer = True
    mechanisms["maintenance"].details = MaintenanceDetails(
        n_shocks=shocks,
        shock_damage_verdict="rising_degradation" if shocks else "no_signal",
        shock_damage_trajectory=[2.5] * N if shocks else [],
    )
    consistency = Consistency(
        encoder="words",
        encoder_note=None,
        n_repeated_tasks_detected=repeats,
        cluster_sizes=[],
        behavior_drift_at_repeat=drift,
        n_pairs=0,
        n=0,
        coverage=ConsistencyCoverage("weak", 0),
    )
    null = NullModel(N, None, [0] * N, [0] * N, 1, 199)
    phases = Phases(None, [0] * N, SerialCorrelation(N))
    return Inference(
        null=null,
        work=Work(TraceSessions(load_profile("generic")), null),
        phases=phases,
        mechanisms=mechanisms,
        reliability=Mechanism("reliability", "", [], None, ReliabilityDetails()),
        consistency=consistency,
        effort=effort_signal([]),
        step=None,
        outcome=None,
        outcome_fired=False,
        outcome_adjusted=None,
        aging_detected=rising or None,
        reason="",
        open_because=None,
    )


NONE = OutcomeCurve([None] * N, [0] * N, 0, 0)
GOOD = OutcomeCurve([1.0] * N, [2] * N, 2 * N, 0)


@pytest.mark.parametrize(
    ("found", "curve", "source"),
    [
        (inference(2, 0.3, True, 3), GOOD, "half_life"),  # even where no half-life is reached
        (inference(2, 0.3, True, 3), NONE, "behavior_drift_at_repeat"),
        (inference(1, 0.0, True, 0), NONE, "aging_trend"),  # no "0 % drift" under aging
        (
            inference(1, None, True, 3),
            NONE,
            "aging_trend",
        ),  # repeats without a figure give way to one that has
        (inference(1, None, False, 3), NONE, "maintenance_shock_damage"),
        (inference(1, None, False, 0), NONE, "behavior_drift_at_repeat"),
        (inference(0, None, True, 3), NONE, "aging_trend"),
        (inference(0, None, False, 3), NONE, "maintenance_shock_damage"),
        (inference(0, None, False, 2), NONE, "not_measurable"),
    ],
)
def test_the_first_tier_that_the_trace_carries_leads(
    found: Inference, curve: OutcomeCurve, source: str
) -> None:
    head = headline(found, curve)
    assert head.source == source
    assert head.aging_detected is found.aging_detected  # the label decides nothing


@pytest.mark.parametrize(
    ("because", "session"), [("changed_at_once", 4), ("work_changed", None), (None, None)]
)
def test_a_step_has_its_session_where_it_leaves_the_answer_open(
    because: str | None, session: int | None
) -> None:
    found = replace(inference(0, None, False, 0), step=Step(4, 0.01), open_because=because)
    assert headline(found, NONE).changed_at_session == session


def test_the_other_tiers_stand_beside_it() -> None:
    head = headline(inference(2, 0.3, True, 3), GOOD)
    assert list(head.tiers) == [
        "half_life",
        "behavior_drift_at_repeat",
        "aging_trend",
        "maintenance_shock_damage",
    ]
    assert head.tiers["behavior_drift_at_repeat"].value == 0.3
    assert head.tiers["maintenance_shock_damage"].value == 2.5
    assert (head.tiers["aging_trend"].value or 0.0) > 0.01
