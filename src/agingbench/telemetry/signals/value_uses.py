"""Opportunities to use a stale value, read from the observations of a trace.

A *use* is one opportunity: a call that gives a value of which several have been seen, a call that
changes a value, or a user turn that may correct one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from agingbench.metrics.permutation import Floats
from agingbench.records import Source
from agingbench.telemetry.sessions.aggregates import TraceSessions
from agingbench.text.cues import CORRECTS

MOST_EVIDENCE = 8


@dataclass
class ValueUses:
    """Every opportunity to use a stale value, in order of time."""

    session: NDArray[np.intp]
    stale: Floats  # 0 or 1
    # What the trend is tested on: `stale`, or `stale` minus the mean of its tool and attribute.
    value: Floats
    entities: int = 0
    # Session and record of the last stale uses.
    evidence: list[tuple[int, Source | None]] = field(default_factory=list)
    # The value of each of these and the one that held, where both are known.
    given: list[tuple[str, str]] = field(default_factory=list)
    # How many go by the name of a setting, or are of a value that is told of nothing else: of
    # such, hardly any is missed.
    exact: int = 0
    # Where all uses stand that were found from data.
    places: frozenset[Source | None] = frozenset()

    def __len__(self) -> int:
        return len(self.stale)


def propagation(trace: TraceSessions, without: frozenset[str] = frozenset()) -> ValueUses:
    """Return the uses of an (entity, attribute) that had two or more known values by then.

    Attributes of `without` are left out: they are counted already.
    """
    order, keys = _relevant_observations(trace, with_shows=True)
    observations = trace.values
    rank = _ranks(trace)
    values_by_key: dict[int, set[int]] = {}
    current: dict[int, int] = {}

    sessions: list[int] = []
    stale: list[float] = []
    evidence: deque[tuple[int, int]] = deque(maxlen=MOST_EVIDENCE)

    for i in order:
        key = keys[i]
        value = observations.value[i]
        values = values_by_key.setdefault(key, set())

        if not observations.use[i]:
            values.add(value)
            current[key] = value
            continue

        session = rank[observations.session[i]]
        counted = trace.attributes[observations.attribute[i]] in without
        if len(values) >= 2 and not counted:
            outdated = value in values and value != current[key]
            sessions.append(session)
            stale.append(float(outdated))
            if outdated:
                evidence.append((session, i))

        if value not in values:  # the agent set it: now it is known
            values.add(value)
            current[key] = value

    hits = np.array(stale)
    return ValueUses(
        session=np.array(sessions, dtype=np.intp),
        stale=hits,
        value=hits,
        entities=len(values_by_key),
        evidence=_sources(trace, evidence),
    )


def self_reversion(trace: TraceSessions) -> ValueUses:
    """Return the changes of an argument; stale ones go back to the value before the last.

    They are compared with what is usual for their tool and attribute.
    """
    order, keys = _relevant_observations(trace, with_shows=False)
    observations = trace.values
    rank = _ranks(trace)
    last: dict[int, int] = {}
    before_last: dict[int, int] = {}

    sessions: list[int] = []
    stale: list[float] = []
    groups: list[tuple[int, int]] = []
    evidence: deque[tuple[int, int]] = deque(maxlen=MOST_EVIDENCE)

    for i in order:
        key = keys[i]
        value = observations.value[i]
        previous = last.get(key)

        if previous is None:
            last[key] = value
            continue

        if value == previous:
            continue

        if key in before_last:
            session = rank[observations.session[i]]
            is_reversion = value == before_last[key]
            sessions.append(session)
            stale.append(float(is_reversion))
            groups.append((observations.tool[i], observations.attribute[i]))
            if is_reversion:
                evidence.append((session, i))

        before_last[key] = previous
        last[key] = value

    hits = np.array(stale)
    return ValueUses(
        session=np.array(sessions, dtype=np.intp),
        stale=hits,
        value=_beyond_group(hits, groups),
        entities=len(last),
        evidence=_sources(trace, evidence),
    )


def union(first: ValueUses, second: ValueUses) -> ValueUses:
    """Return the uses of both, in the order of their sessions."""
    session = np.concatenate([first.session, second.session])
    stale = np.concatenate([first.stale, second.stale])
    order = np.argsort(session, kind="stable")
    evidence = sorted([*first.evidence, *second.evidence], key=lambda place: place[0])

    return ValueUses(
        session=session[order],
        stale=stale[order],
        value=stale[order],
        entities=first.entities + second.entities,
        exact=first.exact + second.exact,
        evidence=evidence[-MOST_EVIDENCE:],
        given=[*first.given, *second.given],
        places=first.places | second.places,
    )


def corrections(trace: TraceSessions) -> ValueUses:
    """Return user turns; stale ones correct an outdated value, by English text patterns."""
    sessions: list[int] = []
    stale: list[float] = []
    evidence: list[tuple[int, Source | None]] = []

    for place, session in enumerate(trace.sessions):
        for turn in session.turns[1:]:
            is_correction = CORRECTS.search(turn.text) is not None
            sessions.append(place)
            stale.append(float(is_correction))
            if is_correction:
                evidence.append((place, turn.source))

    hits = np.array(stale)
    return ValueUses(
        session=np.array(sessions, dtype=np.intp),
        stale=hits,
        value=hits,
        entities=0,
        evidence=evidence,
    )


def _sources(
    trace: TraceSessions,
    evidence: Iterable[tuple[int, int]],
) -> list[tuple[int, Source | None]]:
    return [(session, trace.values.place(i)) for session, i in evidence]


def _ranks(trace: TraceSessions) -> dict[int, int]:
    """Return the number of each session in time by its number of arrival."""
    return {session.arrival: i for i, session in enumerate(trace.sessions)}


def _relevant_observations(trace: TraceSessions, with_shows: bool) -> tuple[list[int], list[int]]:
    """Return the observations that can matter, in order of time, and the key of every observation.

    Only keys with two or more values matter. With shows, they must be both shown and used.
    """
    observations = trace.values
    use = np.array(observations.use, dtype=bool)
    key = np.array(observations.key, dtype=np.int64)
    value = np.array(observations.value, dtype=np.int64)
    tool = np.array(observations.tool, dtype=np.int64)
    attribute = np.array(observations.attribute, dtype=np.int64)
    rank = _ranks(trace)
    place = np.array([rank.get(s, -1) for s in observations.session], dtype=np.int64)
    has_entity = key != 0

    if with_shows:
        is_used = np.isin(key, key[use & has_entity])
        is_shown = np.isin(key, key[~use])
        relevant = has_entity & is_used & is_shown
    else:
        # A call without an entity is told apart by its tool and attribute alone.
        by_entity = key ^ (tool * 1_000_003)
        by_tool = -(tool * 100_003 + attribute) - 1
        key = np.where(has_entity, by_entity, by_tool)
        relevant = use.copy()

    relevant &= place >= 0

    if relevant.any():
        rows = np.flatnonzero(relevant)
        keys, index = np.unique(key[rows], return_inverse=True)
        distinct = np.unique(np.column_stack([index, value[rows]]), axis=0)
        n_values = np.bincount(distinct[:, 0], minlength=len(keys))
        relevant[rows] = n_values[index] >= 2

    rows = np.flatnonzero(relevant)
    time = _times(trace, rows, place[rows])
    order = rows[np.lexsort((rows, time))]

    return order.tolist(), key.tolist()


def _times(trace: TraceSessions, rows: NDArray[np.intp], place: NDArray[np.int64]) -> Floats:
    """Return the time of each observation, else of its session; session numbers where unknown."""
    starts = [np.nan if s.start is None else s.start for s in trace.sessions]
    session_start = np.array([starts[p] for p in place], dtype=np.float64)
    all_times = np.array(trace.values.time, dtype=np.float64)
    time = all_times[rows]
    time = np.where(np.isnan(time), session_start, time)

    if trace.logical or np.isnan(time).any():
        return place.astype(np.float64)

    return np.asarray(time)


def _beyond_group(hits: Floats, groups: list[tuple[int, int]]) -> Floats:
    """Return each value minus the mean of its group."""
    if not len(hits):
        return hits

    totals: dict[tuple[int, int], list[float]] = {}
    for value, group in zip(hits.tolist(), groups, strict=True):
        total = totals.setdefault(group, [0.0, 0.0])
        total[0] += 1
        total[1] += value

    means = {group: value_sum / n for group, (n, value_sum) in totals.items()}
    expected = np.array([means[group] for group in groups])
    return np.asarray(hits - expected)


def thinned(uses: ValueUses, n: int) -> ValueUses:
    """Return n of the uses, evenly spread over time."""
    rows = np.linspace(0, len(uses) - 1, n).astype(np.intp)
    return ValueUses(
        session=uses.session[rows],
        stale=uses.stale[rows],
        value=uses.value[rows],
        entities=uses.entities,
        evidence=uses.evidence,
    )
