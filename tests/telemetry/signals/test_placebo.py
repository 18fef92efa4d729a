"""Compactions inside sessions against matched moments of other sessions: seen when they hurt, and
never firing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import pytest

from agingbench.records import Event, Usage
from agingbench.telemetry.inference.infer import Inference, infer
from agingbench.telemetry.inference.null_model import null_model
from agingbench.telemetry.profile import load_profile
from agingbench.telemetry.sessions.aggregates import TraceSessions
from agingbench.telemetry.sessions.collect import collect
from agingbench.telemetry.sessions.outcomes import link
from agingbench.telemetry.sessions.timeline import MOST, ResultTimeline
from agingbench.telemetry.signals.details import MaintenanceDetails
from agingbench.telemetry.signals.placebo import ENOUGH, matched_comparison

PROFILE = load_profile("generic")
DAY = 86_400.0


def life(hurt: float, compacted: Iterable[int], sessions: int = 24, seed: int = 5) -> TraceSessions:
    """Sessions of 60 calls; in some the context is compacted half-way, after which calls fail more
    often.
    """
    rng = np.random.default_rng(seed)
    events = []
    struck = set(compacted)
    for number in range(sessions):
        at = 1.7e9 + number * DAY
        name = f"s{number}"
        for call in range(60):
            at += 10
            if call % 20 == 0:
                events.append(
                    Event(step=0, role="user", content="go on", session_id=name, timestamp=at)
                )
            if call == 32 and number in struck:
                events.append(
                    Event(
                        step=0, role="meta", lifecycle="compaction", session_id=name, timestamp=at
                    )
                )
            failed = rng.random() < 0.1 + (hurt if number in struck and call >= 32 else 0.0)
            usage = Usage(input_tokens=20_000 + 1000 * call, output_tokens=5, calls=1)
            events += [
                Event(
                    step=0,
                    role="tool_call",
                    tool_name="Read",
                    tool_call_id=f"{number}-{call}",
                    session_id=name,
                    timestamp=at,
                    usage=usage,
                    model="m",
                ),
                Event(
                    step=0,
                    role="tool_result",
                    tool_name="Read",
                    tool_call_id=f"{number}-{call}",
                    session_id=name,
                    timestamp=at + 1,
                    error_kind="process" if failed else None,
                ),
            ]
    return collect(events, PROFILE)


def judged(trace: TraceSessions) -> Inference:
    return infer(trace, link(trace, []), 199)


def test_damage_inside_sessions_is_seen_and_fires_nothing_by_itself() -> None:
    found = life(0.4, (4, 9, 14, 19))
    inference = judged(found)
    maintenance = inference.mechanisms["maintenance"]
    details = maintenance.details
    assert isinstance(details, MaintenanceDetails)
    reading = details.placebo_moments
    assert reading.n_events == 4
    assert reading.n_moments == 20
    assert reading.n_assignments == math.comb(24, 4)
    assert reading.p is not None
    assert reading.p <= 0.02
    errors = reading.error_rate
    assert errors is not None
    assert errors.p <= 0.02
    assert errors.effect > 0.2
    assert errors.effect_ci[0] > 0
    assert "never enough" in reading.note
    # The segments after the compactions decide, where there are enough of them.
    often = judged(life(0.4, (3, 7, 11, 15, 19)))
    assert often.mechanisms["maintenance"].answer is True
    trajectory = details.shock_damage_trajectory
    assert details.shock_damage_n_by_moments == 4
    assert trajectory[3] is None
    assert (trajectory[-1] or 0.0) > 4  # in robust standard deviations of the placebo, cumulated


def test_harmless_compactions_say_nothing() -> None:
    small = 0
    for seed in range(12):
        found = life(0.0, (4, 9, 14, 19), seed=seed)
        reading = matched_comparison(found.sessions, null_model(found, 199))
        p = reading.block.p
        assert p is not None
        small += p <= 0.05
    assert small <= 3


def test_too_few_assignments_are_said_and_tested_nothing() -> None:
    found = life(0.4, (4,), sessions=10)
    reading = matched_comparison(found.sessions, null_model(found, 199)).block
    assert reading.n_assignments == 10 < ENOUGH
    assert reading.p is None
    assert reading.error_rate is None
    assert "10 distinct assignments" in (reading.reason or "")
    none = life(0.0, ())
    assert matched_comparison(none.sessions, null_model(none, 199)).block.n_events == 0


def test_a_moment_near_another_compaction_is_no_placebo() -> None:
    every = life(0.0, range(24))
    assert matched_comparison(every.sessions, null_model(every, 199)).block.n_moments == 0


def test_the_same_trace_gives_the_same_reading_twice() -> None:
    a, b = (judged(life(0.1, (3, 8, 13))).mechanisms["maintenance"].details for _ in range(2))
    assert a == b


@pytest.mark.parametrize("load", [None, 5, 2**40])
def test_a_timeline_is_bounded_whatever_comes(load: int | None) -> None:
    timeline = ResultTimeline()
    for _ in range(MOST + 10):
        timeline.add_result(True, load)
        timeline.add_turn()
        timeline.add_event("compaction")
    assert (
        len(timeline.failed)
        == len(timeline.loads)
        == len(timeline.turns)
        == len(timeline.events)
        == MOST
    )
