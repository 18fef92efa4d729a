"""The null model: the same orderings of sessions for all signals, seeded from the content of the
trace.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise

import numpy as np

from agingbench.metrics.permutation import Floats, Orders, orderings, p_value
from agingbench.metrics.trend import EffectFit, fit_effect, precision_weights, trend_design
from agingbench.telemetry.sessions.aggregates import TraceSession, TraceSessions
from agingbench.traces.canonical import content_hash

PERMUTATIONS = 999
DAY = 86_400
CROWDED = 1.5  # sessions per day from which days, not sessions, are what can be exchanged
LEAST_DAYS = 6
LEAST_SESSIONS = 6
NEAR = 4  # sessions on either side of a new client that show which tools it brings or takes
USUAL = 0.08  # share of the calls
SURPRISING = 20  # calls that were to be expected where there are none
MOST_CELLS = 400_000  # orderings times sessions; a very long trace gets fewer orderings


@dataclass(frozen=True)
class NullModel:
    """Where the sessions stand: their days, models and clients, and every ordering that the tests
    use.
    """

    n_sessions: int
    days: list[int] | None
    models: list[int]
    clients: list[int]
    seed: int
    count: int = PERMUTATIONS

    @property
    def days_are_shared(self) -> bool:
        """Whether several sessions share a day, so that whole days have to be exchanged as well."""
        return (
            self.days is not None
            and self.n_sessions > 0
            and self.n_sessions / len(set(self.days)) >= CROWDED
        )

    @property
    def may_fire(self) -> bool:
        """Whether there are enough sessions, and days where they are crowded, for any answer."""
        if self.n_sessions < LEAST_SESSIONS:
            return False
        return not (
            self.days_are_shared and self.days is not None and len(set(self.days)) < LEAST_DAYS
        )

    @cached_property
    def orders(self) -> Orders:
        """Sessions in random order."""
        return orderings(self.n_sessions, self._count, np.random.default_rng([self.seed, 1]))

    @cached_property
    def day_orders(self) -> Orders | None:
        """Days in random order, where days hold several sessions."""
        if not self.days_are_shared or self.days is None:
            return None
        return orderings(
            self.n_sessions, self._count, np.random.default_rng([self.seed, 2]), blocks=self.days
        )

    def strata_orders(self, strata: Sequence[int]) -> Orders:
        """Sessions in random order within their stratum."""
        return orderings(
            self.n_sessions, self._count, np.random.default_rng([self.seed, 3]), strata=strata
        )

    def block_orders(self, blocks: Sequence[int]) -> Orders:
        """Blocks of neighbouring sessions in random order."""
        return orderings(
            self.n_sessions, self._count, np.random.default_rng([self.seed, 4]), blocks=blocks
        )

    def rng(self, stream: int) -> np.random.Generator:
        """A generator of its own for a test that permutes something else than sessions."""
        return np.random.default_rng([self.seed, stream])

    @property
    def _count(self) -> int:
        return max(199, min(self.count, MOST_CELLS // max(1, self.n_sessions)))


def null_model(trace: TraceSessions, count: int = PERMUTATIONS) -> NullModel:
    """The layout of a trace; equal content gives equal orderings."""
    sessions = trace.sessions
    days = None
    if not trace.logical and sessions and all(s.start is not None for s in sessions):
        days = [int((s.start or 0.0) // DAY) for s in sessions]

    about = [
        [s.events, s.tool_calls, s.results, s.input_tokens, s.cache_tokens, s.start]
        for s in sessions
    ]
    return NullModel(
        n_sessions=len(sessions),
        days=days,
        models=_runs([_usual(s.models) for s in sessions]),
        clients=_client_strata(sessions, trace.profile.bookkeeping),
        seed=int(content_hash(about)[:15], 16),
        count=count,
    )


def _usual(counts: dict[str, int]) -> str | None:
    return max(counts, key=lambda name: (counts[name], name)) if counts else None


def _runs(labels: Sequence[str | None]) -> list[int]:
    """Equal labels get equal numbers; an unknown one is taken to be as before."""
    numbers: dict[str, int] = {}
    out = []
    last = 0

    for label in labels:
        if label is not None:
            last = numbers.setdefault(label, len(numbers))
        out.append(last)

    return out


def _client_strata(sessions: Sequence[TraceSession], bookkeeping: frozenset[str]) -> list[int]:
    """Strata by minor version; a patch counts where a tool appears or vanishes with it."""
    clients = [_usual(s.clients) for s in sessions]
    labels: list[str | None] = [_minor(c) for c in clients]
    total = list(accumulate((s.tool_calls for s in sessions), initial=0))
    offset = 0
    split = []
    known = [i for i, c in enumerate(clients) if c is not None]
    updates = [b for a, b in pairwise(known) if clients[a] != clients[b]]
    changed = _harness_changes(_spans(sessions, bookkeeping), updates, total)

    for a, b in pairwise(known):
        if clients[a] != clients[b] and labels[a] == labels[b]:
            offset += b in changed or _inventory_changed(sessions, b, total)
        split.append((b, offset))

    if offset:
        shift = dict(split)
        labels = [
            None if label is None else f"{label}+{shift.get(i, 0)}"
            for i, label in enumerate(labels)
        ]

    return _runs(labels)


def _spans(sessions: Sequence[TraceSession], tools: frozenset[str]) -> list[tuple[int, int, int]]:
    """(first session, last session, calls) of each of the tools that was called."""
    found: dict[str, tuple[int, int, int]] = {}
    for i, session in enumerate(sessions):
        for tool, n in session.calls_by_tool.items():
            if tool.casefold() in tools:
                first, _, calls = found.get(tool, (i, i, 0))
                found[tool] = (first, i, calls + n)

    return list(found.values())


def _harness_changes(
    spans: Sequence[tuple[int, int, int]], updates: Sequence[int], total: Sequence[int]
) -> set[int]:
    """The updates with which a tool of the harness came or went: missing on one side, where it was
    to be expected.
    """
    found = set()
    for first, last, calls in spans:
        went = next((u for u in updates if u > last), None)
        came = next((u for u in reversed(updates) if u <= first), None)
        for at, own, other in (
            (went, total[went or 0], total[-1] - total[went or 0]),
            (came, total[-1] - total[came or 0], total[came or 0]),
        ):
            if at is not None and own and calls / own * other >= SURPRISING:
                found.add(at)

    return found


def _minor(version: str | None) -> str | None:
    return None if version is None else ".".join(version.split(".")[:2])


def _inventory_changed(sessions: Sequence[TraceSession], at: int, total: Sequence[int]) -> bool:
    """A tool in real use right beside a session is never called on the other side of it; one that
    fades out is not.
    """
    before = _calls(sessions[max(0, at - NEAR) : at])
    after = _calls(sessions[at : at + NEAR])

    for here, there, side, n_side in (
        (before, after, slice(at, None), total[-1] - total[at]),
        (after, before, slice(0, at), total[at]),
    ):
        calls = sum(here.values())
        for tool, n in here.items():
            if n > USUAL * calls and tool not in there:
                expected = n / calls * n_side
                if expected >= SURPRISING and all(
                    tool not in s.calls_by_tool for s in sessions[side]
                ):
                    return True

    return False


def _calls(sessions: Sequence[TraceSession]) -> dict[str, int]:
    total: dict[str, int] = {}
    for session in sessions:
        for tool, n in session.calls_by_tool.items():
            total[tool] = total.get(tool, 0) + n

    return total


@dataclass(frozen=True)
class PermutationTest:
    """The scores of one signal under every ordering, larger meaning more aged; the first is the
    trace as it was.
    """

    scores: Floats
    day_scores: Floats | None
    fit: EffectFit | None = None

    @property
    def p(self) -> float:
        """The p-value over orderings of sessions."""
        return p_value(self.scores)

    @property
    def p_days(self) -> float | None:
        """The p-value over orderings of whole days, where days hold several sessions."""
        return None if self.day_scores is None else p_value(self.day_scores)


def test_trend(null: NullModel, y: Floats, m: Floats, direction: int) -> PermutationTest:
    """The trend of one value per session, each with its number of observations."""
    return trend_among(null, y, m, direction, None, None)


def trend_among(
    null: NullModel,
    y: Floats,
    m: Floats,
    direction: int,
    rho: Floats | None,
    day_rho: Floats | None,
) -> PermutationTest:
    """The same, the likeness of neighbours per ordering (of sessions, of days) known from more than
    this series.
    """
    w = precision_weights(m)
    design = trend_design(null.n_sessions)
    fit = fit_effect(design, 0, y, w, null.orders, rho=rho)
    by_day = None
    if null.day_orders is not None:
        by_day = direction * fit_effect(design, 0, y, w, null.day_orders, rho=day_rho).scores

    return PermutationTest(direction * fit.scores, by_day, fit)
