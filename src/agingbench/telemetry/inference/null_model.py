"""The null model: one set of orderings of sessions for all signals, seeded from the trace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise

import numpy as np

from agingbench.metrics.permutation import Floats, Orders, orderings, p_value
from agingbench.metrics.trend import EffectFit, fit_effect, trend_design
from agingbench.telemetry.sessions.aggregates import TraceSession, TraceSessions
from agingbench.traces.canonical import content_hash

PERMUTATIONS = 999
FEWEST_PERMUTATIONS = 199
MOST_CELLS = 400_000  # orderings times sessions; a very long trace gets fewer orderings
DAY = 86_400
SHARED_DAYS = 1.5  # sessions per day from which whole days have to be exchanged as well
LEAST_DAYS = 6
LEAST_DAYS_OF_EVENTS = 4  # what follows events hangs less on days than a trend
LEAST_SESSIONS = 6
NEAR = 4  # sessions on either side of a new client that show which tools it brings or takes
USUAL = 0.08  # share of the calls
SURPRISING = 20  # calls that were to be expected where there are none

# Each kind of ordering has its own stream of random numbers.
_SESSION_STREAM = 1
_DAY_STREAM = 2
_STRATA_STREAM = 3
_BLOCK_STREAM = 4


@dataclass(frozen=True)
class NullModel:
    """The days, models and clients of the sessions, and every ordering that the tests use."""

    n_sessions: int
    days: list[int] | None
    models: list[int]
    clients: list[int]
    seed: int
    permutations: int = PERMUTATIONS

    @property
    def days_are_shared(self) -> bool:
        """Whether several sessions share a day, so that whole days have to be exchanged as well."""
        if self.days is None or not self.n_sessions:
            return False
        return self.n_sessions / len(set(self.days)) >= SHARED_DAYS

    @property
    def can_be_answered(self) -> bool:
        """Whether there are enough sessions, and enough days where days are shared, to answer."""
        return self._has_days(LEAST_DAYS)

    @property
    def can_compare_events(self) -> bool:
        """Whether there are enough sessions and days to tell what comes after events."""
        return self._has_days(LEAST_DAYS_OF_EVENTS)

    def _has_days(self, least: int) -> bool:
        if self.n_sessions < LEAST_SESSIONS:
            return False
        if self.days is None or not self.days_are_shared:
            return True

        return len(set(self.days)) >= least

    @cached_property
    def orders(self) -> Orders:
        """Sessions in random order."""
        return self._orderings(_SESSION_STREAM)

    @cached_property
    def day_orders(self) -> Orders | None:
        """Days in random order; None where days are not shared."""
        if not self.days_are_shared:
            return None
        return self._orderings(_DAY_STREAM, blocks=self.days)

    def strata_orders(self, strata: Sequence[int]) -> Orders:
        """Sessions in random order within their stratum."""
        return self._orderings(_STRATA_STREAM, strata=strata)

    def block_orders(self, blocks: Sequence[int]) -> Orders:
        """Blocks of neighbouring sessions in random order."""
        return self._orderings(_BLOCK_STREAM, blocks=blocks)

    def rng(self, stream: int) -> np.random.Generator:
        """A generator of its own for a test that permutes something else than sessions."""
        return np.random.default_rng([self.seed, stream])

    def _orderings(
        self,
        stream: int,
        blocks: Sequence[int] | None = None,
        strata: Sequence[int] | None = None,
    ) -> Orders:
        affordable = MOST_CELLS // max(1, self.n_sessions)
        count = max(FEWEST_PERMUTATIONS, min(self.permutations, affordable))
        return orderings(self.n_sessions, count, self.rng(stream), blocks, strata)


def null_model(trace: TraceSessions, permutations: int = PERMUTATIONS) -> NullModel:
    """Return the null model of a trace; equal content gives equal orderings."""
    sessions = trace.sessions
    days = None
    if not trace.logical and sessions and all(s.start is not None for s in sessions):
        days = [int((s.start or 0.0) // DAY) for s in sessions]

    content = [
        [s.events, s.tool_calls, s.results, s.input_tokens, s.cache_tokens, s.start]
        for s in sessions
    ]
    return NullModel(
        n_sessions=len(sessions),
        days=days,
        models=_numbered([_most_used(s.models) for s in sessions]),
        clients=_client_strata(sessions, trace.profile.bookkeeping),
        seed=int(content_hash(content)[:15], 16),
        permutations=permutations,
    )


def _most_used(counts: dict[str, int]) -> str | None:
    return max(counts, key=lambda name: (counts[name], name)) if counts else None


def _numbered(labels: Sequence[str | None]) -> list[int]:
    """Return equal numbers for equal labels; an unknown label is taken to be the one before."""
    numbers: dict[str, int] = {}
    numbered = []
    last = 0

    for label in labels:
        if label is not None:
            last = numbers.setdefault(label, len(numbers))
        numbered.append(last)

    return numbered


# ------------------------------------------------------------------------------------------------
# strata by client version


def _client_strata(sessions: Sequence[TraceSession], bookkeeping: frozenset[str]) -> list[int]:
    """Return strata by minor version; a patch counts where a tool appears or vanishes with it."""
    clients = [_most_used(s.clients) for s in sessions]
    labels: list[str | None] = [_minor_version(client) for client in clients]
    calls_before = list(accumulate((s.tool_calls for s in sessions), initial=0))

    versioned = [i for i, client in enumerate(clients) if client is not None]
    updates = [b for a, b in pairwise(versioned) if clients[a] != clients[b]]
    spans = _tool_spans(sessions, bookkeeping)
    harness_updates = _harness_updates(spans, updates, calls_before)

    patches = 0  # that brought or took a tool, so far
    patch_of: dict[int, int] = {}

    for a, b in pairwise(versioned):
        if clients[a] != clients[b] and labels[a] == labels[b]:
            patches += b in harness_updates or _inventory_changed(sessions, b, calls_before)
        patch_of[b] = patches

    if patches:
        for i, label in enumerate(labels):
            if label is not None:
                labels[i] = f"{label}+{patch_of.get(i, 0)}"

    return _numbered(labels)


def _minor_version(version: str | None) -> str | None:
    return None if version is None else ".".join(version.split(".")[:2])


def _tool_spans(
    sessions: Sequence[TraceSession], tools: frozenset[str]
) -> list[tuple[int, int, int]]:
    """Return (first session, last session, calls) of each of the tools that was called."""
    spans: dict[str, tuple[int, int, int]] = {}
    for i, session in enumerate(sessions):
        for tool, n in session.calls_by_tool.items():
            if tool.casefold() in tools:
                first, _, calls = spans.get(tool, (i, i, 0))
                spans[tool] = (first, i, calls + n)

    return list(spans.values())


def _harness_updates(
    spans: Sequence[tuple[int, int, int]], updates: Sequence[int], calls_before: Sequence[int]
) -> set[int]:
    """Return the updates with which a tool of the harness came or went.

    The tool is missing on one side, where its calls on the other side made it expected.
    """
    all_calls = calls_before[-1]
    changes = set()

    for first, last, calls in spans:
        removal = next((u for u in updates if u > last), None)
        if removal is not None:
            own = calls_before[removal]
            if own and calls / own * (all_calls - own) >= SURPRISING:
                changes.add(removal)

        arrival = next((u for u in reversed(updates) if u <= first), None)
        if arrival is not None:
            other = calls_before[arrival]
            own = all_calls - other
            if own and calls / own * other >= SURPRISING:
                changes.add(arrival)

    return changes


def _inventory_changed(
    sessions: Sequence[TraceSession], at: int, calls_before: Sequence[int]
) -> bool:
    """Return whether a tool in real use next to session `at` is never called on its other side.

    A tool that fades out does not count.
    """
    before = _calls_by_tool(sessions[max(0, at - NEAR) : at])
    after = _calls_by_tool(sessions[at : at + NEAR])
    calls_after = calls_before[-1] - calls_before[at]
    return _vanished(before, after, sessions[at:], calls_after) or _vanished(
        after, before, sessions[:at], calls_before[at]
    )


def _vanished(
    here: dict[str, int],
    there: dict[str, int],
    other_side: Sequence[TraceSession],
    other_calls: int,
) -> bool:
    """Return whether a usual tool of `here` is never called on the other side."""
    calls = sum(here.values())
    for tool, n in here.items():
        if n <= USUAL * calls or tool in there:
            continue
        expected = n / calls * other_calls
        if expected >= SURPRISING and all(tool not in s.calls_by_tool for s in other_side):
            return True

    return False


def _calls_by_tool(sessions: Sequence[TraceSession]) -> dict[str, int]:
    total: dict[str, int] = {}
    for session in sessions:
        for tool, n in session.calls_by_tool.items():
            total[tool] = total.get(tool, 0) + n

    return total


# ------------------------------------------------------------------------------------------------
# tests against the null model


@dataclass(frozen=True)
class PermutationTest:
    """The scores of one signal under every ordering; larger is more aged, index 0 is observed."""

    scores: Floats
    day_scores: Floats | None
    fit: EffectFit | None = None

    @property
    def p(self) -> float:
        """The p-value over orderings of sessions."""
        return p_value(self.scores)

    @property
    def p_days(self) -> float | None:
        """The p-value over orderings of whole days; None where days are not shared."""
        return None if self.day_scores is None else p_value(self.day_scores)


def trend_test(
    null: NullModel,
    y: Floats,
    w: Floats,
    direction: int,
    rho: Floats | None = None,
    day_rho: Floats | None = None,
) -> PermutationTest:
    """Test the trend of one value per session without regard to anything else.

    `direction` is +1 where rising is bad. `rho` and `day_rho` give the autocorrelation per ordering
    of sessions and of days where it is known from more than this series.
    """
    design = trend_design(null.n_sessions)
    fit = fit_effect(design, 0, y, w, null.orders, rho=rho)

    day_scores = None

    if null.day_orders is not None:
        day_fit = fit_effect(design, 0, y, w, null.day_orders, rho=day_rho)
        day_scores = direction * day_fit.scores

    return PermutationTest(direction * fit.scores, day_scores, fit)
