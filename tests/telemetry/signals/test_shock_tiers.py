"""Damage per lifecycle event in plain units."""

from __future__ import annotations

from agingbench.telemetry.sessions.aggregates import TraceSession
from agingbench.telemetry.signals.shock_tiers import shock_tier

NOTHING = [None] * 6


def sessions(tokens: int = 0) -> list[TraceSession]:
    made = [TraceSession(f"s{i}", i) for i in range(6)]
    for i, session in enumerate(made):
        session.model_calls = 1
        session.output_tokens = tokens * (2 if i >= 3 else 1)
    return made


def test_outcomes_go_before_tokens_and_latency() -> None:
    success = [1.0, 1.0, 1.0, 0.5, 0.5, 0.5]
    tier = shock_tier(sessions(100), success, [1.0] * 6, [3])

    assert tier is not None
    assert tier.tier == "outcome_rate"
    assert tier.trajectory == [None, None, None, 0.5, 0.5, 0.5]


def test_tokens_go_before_latency_and_latency_is_last() -> None:
    tokens = shock_tier(sessions(100), NOTHING, [1.0] * 6, [3])
    assert tokens is not None
    assert (tokens.tier, tokens.trajectory[-1]) == ("response_tokens", 1.0)

    waits = [1000.0] * 3 + [3000.0] * 3
    latency = shock_tier(sessions(), NOTHING, waits, [3])
    assert latency is not None
    assert (latency.tier, latency.trajectory[-1]) == ("latency_p50", 2.0)


def test_without_events_or_anything_to_compare_there_is_none() -> None:
    assert shock_tier(sessions(100), NOTHING, NOTHING, []) is None
    assert shock_tier(sessions(), NOTHING, NOTHING, [3]) is None
    assert shock_tier(sessions(100), NOTHING, NOTHING, [0]) is None
