"""Reliability: errors, rejections, corrections and failures that rise, whatever the mechanism.

Errors are counted beyond what is usual for the tool and program. Tests, linters and builds are
left out: that they fail is their purpose.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agingbench.metrics.counted import CountedHits
from agingbench.telemetry.inference.evidence import Mechanism, Signal, emphasise, joint_test
from agingbench.telemetry.inference.null_model import NullModel
from agingbench.telemetry.inference.requests import TurnValues
from agingbench.telemetry.inference.serial_correlation import SerialCorrelation
from agingbench.telemetry.inference.work import Work
from agingbench.telemetry.sessions.aggregates import TraceSession, TraceSessions
from agingbench.telemetry.sessions.programs import meant_to_fail
from agingbench.telemetry.signals.compression import (
    add_trend_test,
    beyond_tool,
    counted_hits,
    tool_means,
)
from agingbench.telemetry.signals.details import (
    RecordPlace,
    ReliabilityDetails,
    RisingErrors,
    Trajectory,
    record_place,
)
from agingbench.telemetry.signals.user_turns import corrects

MINIMUM = 0.05
MODERATE = 0.10
# Ten points of the calls that can go wrong are seven to nine of all results: retries that work, and
# calls that hardly ever fail, stand between.
LEAST_ERRORS = 0.035
MODERATE_ERRORS = 0.075
RARE_SCALE = 4.0  # rare hits differ mostly by chance, so that long sessions count for more
LISTED = 5
MOST_PLACES = 8


def reliability_signals(trace: TraceSessions) -> list[Signal]:
    """Return the signals before any test: errors, rejections, corrections."""
    sessions = trace.sessions
    return [_errors(sessions), _rejections(sessions), _corrections(sessions)]


def reliability(
    trace: TraceSessions,
    null: NullModel,
    signals: list[Signal],
    serial: SerialCorrelation,
    work: Work,
) -> Mechanism:
    """Return the channel: what got less reliable, with its mechanism open."""
    for signal in signals:
        add_trend_test(signal, null, serial, work)

    emphasise(signals)
    return Mechanism(
        name="reliability",
        derived_from="process_errors+rejections+corrections",
        signals=signals,
        test=joint_test(signals),
        details=_details(trace.sessions),
    )


def _outcome_totals(outcomes: dict[str, list[int]]) -> dict[str, tuple[float, float]]:
    """Return results and failed ones by tool and program, without what is meant to fail."""
    totals = {}
    for label, (results, failed) in outcomes.items():
        if not meant_to_fail(label):
            totals[label] = (float(results), float(failed))

    return totals


def outcome_means(sessions: Sequence[TraceSession]) -> dict[str, float]:
    """Return the usual share of failed results by tool and program."""
    return tool_means([_outcome_totals(session.outcomes) for session in sessions])


def turn_errors(sessions: Sequence[TraceSession], means: Mapping[str, float]) -> TurnValues:
    """Return per request the share of failed results beyond what is usual."""
    outcomes = [turn.outcomes for session in sessions for turn in session.turns]
    counted = counted_errors(outcomes, means)
    return TurnValues(counted.excess()[:, None], counted.trials)


def counted_errors(
    outcomes: Sequence[dict[str, list[int]]], means: Mapping[str, float]
) -> CountedHits:
    """Return failed results, those that are usual, and all results."""
    return counted_hits([_outcome_totals(labels) for labels in outcomes], means)


def _errors(sessions: Sequence[TraceSession]) -> Signal:
    totals = [_outcome_totals(session.outcomes) for session in sessions]
    means = tool_means(totals)
    values, counts = beyond_tool(totals)

    failed = sum(row[1] for total in totals for row in total.values())
    level = failed / max(1, sum(counts))
    trajectory = [None if value is None else value + level for value in values]

    return Signal(
        name="process_errors",
        unit="share of failed results beyond tool and program, last minus first session",
        rising_is_bad=True,
        trajectory=trajectory,
        counts=counts,
        minimum=LEAST_ERRORS,
        moderate=MODERATE_ERRORS,
        ceiling=None,
        floor=None,
        scale=RARE_SCALE,
        beside_tools=False,
        turns=turn_errors(sessions, means),
        counted=counted_errors([session.outcomes for session in sessions], means),
    )


def _rejections(sessions: Sequence[TraceSession]) -> Signal:
    # By call, in the unit of a request of the usual size: larger requests have more to reject.
    calls = sum(session.tool_calls for session in sessions)
    turns = sum(session.n_turns for session in sessions)
    usual = calls / max(1, turns)
    shares: Trajectory = []
    counts = []
    for session in sessions:
        stopped = session.errors.get("rejected", 0) + session.errors.get("cancelled", 0)
        stopped += session.behaviour.interrupts
        n = session.tool_calls
        shares.append(usual * stopped / n if n else None)
        counts.append(session.n_turns if n else 0)

    return _share_signal("rejections", "calls rejected or interrupted per request", shares, counts)


def _corrections(sessions: Sequence[TraceSession]) -> Signal:
    shares: Trajectory = []
    counts = []
    for session in sessions:
        later = session.turns[1:]
        complaints = sum(corrects(turn) for turn in later)
        shares.append(complaints / len(later) if later else None)
        counts.append(len(later))

    return _share_signal("corrections", "share of requests that correct the agent", shares, counts)


def _share_signal(name: str, what: str, shares: Trajectory, counts: list[int]) -> Signal:
    return Signal(
        name=name,
        unit=f"{what}, last minus first session",
        rising_is_bad=True,
        trajectory=shares,
        counts=counts,
        minimum=MINIMUM,
        moderate=MODERATE,
        scale=RARE_SCALE,
        beside_tools=False,
    )


def _details(sessions: Sequence[TraceSession]) -> ReliabilityDetails:
    """Return which tools fail more in the last third than in the first, and the last complaints."""
    third = max(1, len(sessions) // 3)
    early = _rates(sessions[:third])
    late = _rates(sessions[-third:])
    rising = []

    for label, (n, rate) in late.items():
        before = early.get(label)
        if before is not None and rate > before[1]:
            rising.append(RisingErrors(label, round(before[1], 4), round(rate, 4), int(n)))

    rising.sort(key=lambda row: (-(row.late - row.early) * row.n, row.tool))
    places: list[RecordPlace] = []
    for place in range(len(sessions) - 1, -1, -1):
        for turn in reversed(sessions[place].turns[1:]):
            if corrects(turn) and len(places) < MOST_PLACES:
                places.append(record_place(place, turn.source))

    return ReliabilityDetails(errors_that_rose=rising[:LISTED], corrections_at=places)


def _rates(sessions: Sequence[TraceSession]) -> dict[str, tuple[float, float]]:
    totals: dict[str, list[float]] = {}
    for session in sessions:
        for label, (n, failed) in _outcome_totals(session.outcomes).items():
            total = totals.setdefault(label, [0.0, 0.0])
            total[0] += n
            total[1] += failed

    return {label: (n, failed / n) for label, (n, failed) in totals.items() if n}
