"""How long a life took, phase by phase, without the pauses between two of its starts."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from datetime import datetime

from agingbench.bench.scoring.card import time_of
from agingbench.records import Event
from agingbench.trials.record import Timing
from agingbench.trials.run_folder import AnswerRow, LifeIdentity, Stop


def life_timing(
    events: Sequence[Event],
    answers: Iterable[AnswerRow],
    stops: Sequence[Stop],
    identity: LifeIdentity | None,
) -> Timing:
    """The times of a life.

    The total runs from the first entry of the trace to the last. Setup is what lay between the
    first start and the first entry. Agent and verification add up what was measured of sessions
    and of held-out questions, which may overlap; each is None where nothing was measured.
    """
    starts = []
    if identity is not None:
        starts = [datetime.fromisoformat(start) for start in identity.starts]
    moments = sorted(time_of(event) for event in events if event.timestamp)
    return Timing(
        total_seconds=_total(moments, starts, stops),
        agent_seconds=_added_up(event.duration_ms for event in events),
        setup_seconds=_setup(moments, starts),
        verification_seconds=_added_up(row.latency_ms for row in answers),
    )


def _total(moments: Sequence[datetime], starts: Sequence[datetime], stops: Sequence[Stop]) -> float:
    if not moments:
        # It stopped in its first session: all there is are its starts and stops.
        ends = [datetime.fromisoformat(stop.time) for stop in stops]
        spans = [(end - start).total_seconds() for start, end in zip(starts, ends, strict=False)]
        return max(0.0, sum(spans))

    seconds = (moments[-1] - moments[0]).total_seconds()
    for start in starts:
        place = bisect_left(moments, start)
        is_between = 0 < place < len(moments)
        if is_between:
            seconds -= (start - moments[place - 1]).total_seconds()
    return max(0.0, seconds)


def _setup(moments: Sequence[datetime], starts: Sequence[datetime]) -> float | None:
    if not moments or not starts or starts[0] > moments[0]:
        return None
    return (moments[0] - starts[0]).total_seconds()


def _added_up(times_ms: Iterable[float | None]) -> float | None:
    known = [time for time in times_ms if time is not None]
    return sum(known) / 1000 if known else None
