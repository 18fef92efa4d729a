"""Work first: what a change of work, model, client or tools explains is no aging.

Every trend is tested twice: plainly, and beside covariates of the user's side with the residuals
permuted (Freedman and Lane). Covariates are fixed before any value of the agent is looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from agingbench.metrics.conditioning import independent, residual_beside, trend_beside
from agingbench.metrics.permutation import Floats, Orders, p_value
from agingbench.metrics.trend import EffectFit, fit_effect, precision_weights, session_times
from agingbench.telemetry.inference.kinds import by_kinds
from agingbench.telemetry.inference.null_model import NullModel, PermutationTest
from agingbench.telemetry.inference.requests import Requests, TurnValues, read_requests
from agingbench.telemetry.panel.recorded import recorded_changes
from agingbench.telemetry.sessions.aggregates import TraceSession, TraceSessions
from agingbench.telemetry.sessions.call_readings import is_delegate
from agingbench.telemetry.sessions.tool_mix import MOST_ADOPTED, is_of_server, shares_of

SESSIONS_PER_COVARIATE = 6  # of the user's side
SESSIONS_PER_STEP = 8  # of model, client and tools
MOST_TOPICS = 3
MOST_RULES = 2  # steps of changed instructions: many would take any trend for their own
LEAST_IN_STEP = 2  # sessions on either side
EARLY = 1 / 5  # of the sessions: what comes up in these was there from the start
MISSED_CALLS = 12.0  # of a tool that were to be expected before it came
SESSIONS_SINCE = 1 / 3  # of the sessions since, that a new tool is used in
# Calls of servers and subagents: which part of their share in the second half the first quarter may
# have, and by how much it has to rise to be a good part of all calls.
LESS = 0.8
TAKEN_OVER = 0.05
WORDS_NAMED = 5
MOVES = 2.3  # times 1/√n: correlation with time from which what is asked may explain a trend
TOOL = "tool:"
KINDS_STREAM = 10  # of random numbers
TINY = 1e-9


@dataclass(frozen=True)
class Covariate:
    """One column of what else may explain a change."""

    name: str
    values: Floats


class Work:
    """The work of a trace: its requests and the covariates of its sessions."""

    def __init__(self, trace: TraceSessions, null: NullModel) -> None:
        self.trace = trace
        self.null = null
        self.requests: Requests = read_requests(trace.sessions)
        n = null.n_sessions
        steps = _version_steps(null)
        tools = _tool_steps(trace)
        self.steps = _fitting([*steps, *tools], n // SESSIONS_PER_STEP)
        self.asked = _moving(_asked(self.requests, n))
        self.covariates = [*self.steps, *self.asked]

    @cached_property
    def kinds(self) -> Requests:
        """The requests by kinds of work instead of single words."""
        return by_kinds(self.requests, self.trace, self.null.rng(KINDS_STREAM))

    @cached_property
    def nuisance(self) -> Floats:
        """Sessions × columns: a level, and the covariates."""
        n = self.null.n_sessions
        columns = [np.ones(n), *(covariate.values for covariate in self.covariates)]
        return independent(np.column_stack(columns))

    @cached_property
    def plain_nuisance(self) -> Floats:
        """`nuisance` without tools: for shares that are taken relative to their tool already."""
        n = self.null.n_sessions
        rest = [one.values for one in self.covariates if not one.name.startswith(TOOL)]
        return independent(np.column_stack([np.ones(n), *rest]))

    @cached_property
    def _designs(self) -> dict[bool, Floats]:
        """Time in column 0, then `nuisance` (True) or `plain_nuisance`."""
        return {True: trend_beside(self.nuisance), False: trend_beside(self.plain_nuisance)}

    @cached_property
    def adopted(self) -> list[Floats]:
        """The shares of calls that servers or subagents take, where these rise."""
        found = []
        for adopted in (is_of_server, is_delegate):
            shares = shares_of(self.trace, adopted)
            early, late = _early_and_late(shares)
            if 0 < shares.mean() <= MOST_ADOPTED and early <= LESS * late:
                found.append(shares)

        return found

    @cached_property
    def is_taken_over(self) -> bool:
        """Whether servers or subagents took over a good part of the calls."""
        for shares in self.adopted:
            early, late = _early_and_late(shares)
            if late - early >= TAKEN_OVER:
                return True

        return False

    @cached_property
    def mix_nuisance(self) -> Floats:
        """`nuisance`, steps where instructions changed, and what new tools take from the others.

        That is a line since a tool came up, and what MCP servers and subagents take where they
        take more and more: somebody connects servers or asks for subagents, and they do what other
        tools did.
        """
        rules = _fitting(_rule_steps(self.trace), MOST_RULES)
        columns = [self.nuisance, *(step.values[:, None] for step in rules)]
        for step in self.steps:
            if step.name.startswith(TOOL):
                columns.append(np.cumsum(step.values)[:, None] / self.null.n_sessions)

        # The mix is looked at in roots: of the adopted tools they are a line in the root of their
        # share, of the others in the share.
        columns += [np.column_stack([shares, np.sqrt(shares)]) for shares in self.adopted]

        return independent(np.concatenate(columns, axis=1))

    def without_requests(self, y: Floats, turns: TurnValues | None) -> Floats:
        """Return values (sessions × parts) minus what the requests of each session explain."""
        if turns is None or not self.requests.turns:
            return y
        return np.asarray(y - self.requests.explained(turns))

    def residual(self, y: Floats, w: Floats) -> Floats:
        """Return values (sessions, or sessions × parts) beyond level and covariates."""
        return residual_beside(self.nuisance, y, w)

    def conditional_fit(
        self,
        y: Floats,
        w: Floats,
        orders: Orders,
        rho: Floats | None = None,
        beside_tools: bool = True,
    ) -> EffectFit:
        """Fit the trend beside the covariates, permuting what they leave over."""
        nuisance = self.nuisance if beside_tools else self.plain_nuisance
        rest = residual_beside(nuisance, y, w)
        return fit_effect(self._designs[beside_tools], 0, rest, w, orders, rho=rho)

    def conditional_test(
        self,
        y: Floats,
        w: Floats,
        direction: int,
        rho: Floats | None = None,
        day_rho: Floats | None = None,
        beside_tools: bool = True,
    ) -> PermutationTest:
        """Test the trend beside the covariates, over sessions and over days."""
        fit = self.conditional_fit(y, w, self.null.orders, rho, beside_tools)
        day_scores = None
        if self.null.day_orders is not None:
            by_day = self.conditional_fit(y, w, self.null.day_orders, day_rho, beside_tools)
            day_scores = direction * by_day.scores

        return PermutationTest(direction * fit.scores, day_scores, fit)

    @cached_property
    def p_wording(self) -> float | None:
        """How surprising it is that the words of requests move so much with time; None unknown.

        How often sessions that are near in time are worded alike, over random orders of them.
        """
        requests = self.requests
        if not requests.words:
            return None

        means, _ = requests.session_means()
        words = means[:, : len(requests.words)]
        asked = np.bincount(requests.session[requests.asks], minlength=self.null.n_sessions)
        w = precision_weights(asked.astype(np.float64))
        centred = (words - np.average(words, axis=0, weights=w)) * w[:, None]
        alike = centred @ centred.T
        np.fill_diagonal(alike, 0.0)  # a session is like itself, wherever it stands
        times = session_times(self.null.n_sessions)
        ordered = (times - times.mean())[self.null.orders]
        return p_value(((ordered @ alike) * ordered).sum(axis=1))

    def moved_words(self) -> tuple[list[str], list[str]]:
        """Return the words of the requests that rose and those that fell most over the sessions."""
        requests = self.requests
        if not requests.words:
            return [], []

        means, has_any = requests.session_means()
        times = session_times(self.null.n_sessions)
        centred = np.where(has_any, times - times[has_any].mean(), 0.0)
        words = means[:, : len(requests.words)]
        # Words that moved alike stand in one order, whatever the last digits of a processor are.
        slopes = np.round(centred @ words, 9)
        order = np.argsort(slopes, kind="stable")
        fell = [requests.words[i] for i in order[:WORDS_NAMED] if slopes[i] < 0]
        rose = [requests.words[i] for i in order[::-1][:WORDS_NAMED] if slopes[i] > 0]

        return rose, fell


def _fitting(covariates: Sequence[Covariate], most: int) -> list[Covariate]:
    """Return the covariates that divide the sessions most evenly, at most so many."""

    def balance(covariate: Covariate) -> float:
        share = float(covariate.values.mean())
        return -share * (1 - share)

    return sorted(covariates, key=balance)[: max(1, most)]


def _moving(covariates: Sequence[Covariate]) -> list[Covariate]:
    """Return the covariates that move with time: the others cannot explain a trend.

    No value of the agent is looked at.
    """
    moving = []
    for covariate in covariates:
        n = len(covariate.values)
        if np.ptp(covariate.values) <= TINY:
            continue
        r = float(np.corrcoef(session_times(n), covariate.values)[0, 1])
        if abs(r) * np.sqrt(n) >= MOVES:
            moving.append(covariate)

    return moving


def _early_and_late(shares: Floats) -> tuple[float, float]:
    """Return the means of the first quarter and of the second half."""
    quarter = max(1, len(shares) // 4)
    return float(shares[:quarter].mean()), float(shares[-2 * quarter :].mean())


def _version_steps(null: NullModel) -> list[Covariate]:
    """Return one column per model and per client beyond the first."""
    found = []
    for name, labels in (("model", null.models), ("client", null.clients)):
        for label in list(dict.fromkeys(labels))[1:]:
            values = np.array([float(own == label) for own in labels])
            if LEAST_IN_STEP <= values.sum() <= null.n_sessions - LEAST_IN_STEP:
                found.append(Covariate(name, values))

    return found


def _tool_steps(trace: TraceSessions) -> list[Covariate]:
    """Return a step where a tool that mattered came up, or where one was gone."""
    bookkeeping = trace.profile.bookkeeping
    came = _first_uses(trace.sessions, bookkeeping)
    gone = _first_uses(trace.sessions[::-1], bookkeeping)
    return [*came, *(Covariate(one.name, 1.0 - one.values[::-1]) for one in gone)]


def _first_uses(sessions: Sequence[TraceSession], bookkeeping: frozenset[str]) -> list[Covariate]:
    """Return a step where a tool that mattered since was first used."""
    first: dict[str, int] = {}
    for place, session in enumerate(sessions):
        for tool in session.calls_by_tool:
            first.setdefault(tool, place)

    n = len(sessions)
    found = []
    for tool, place in first.items():
        is_new = max(LEAST_IN_STEP, EARLY * n) <= place <= n - LEAST_IN_STEP
        if not is_new or tool.casefold() in bookkeeping:
            continue

        since = sessions[place:]
        calls = sum(session.tool_calls for session in since)
        before = sum(session.tool_calls for session in sessions[:place])
        own = sum(session.calls_by_tool.get(tool, 0) for session in since)
        used_in = sum(tool in session.calls_by_tool for session in since)
        missed = own / max(1, calls) * before
        if missed >= MISSED_CALLS and used_in >= SESSIONS_SINCE * len(since):
            values = (np.arange(n) >= place).astype(np.float64)
            found.append(Covariate(f"{TOOL}{tool}", values))

    return found


def _rule_steps(trace: TraceSessions) -> list[Covariate]:
    """Return a step where the instruction file was edited or the system prompt changed."""
    n = len(trace.sessions)
    found = []
    for change in recorded_changes(trace, []):
        if change.kind == "instructions":
            values = (np.arange(n) >= change.session).astype(np.float64)
            found.append(Covariate(change.what, values))

    return found


def _asked(requests: Requests, n: int) -> list[Covariate]:
    """Return topics, length and path share of what sessions asked for: as many as n allows."""
    if not requests.asks.any():
        return []

    means, has_any = requests.session_means()
    centre = means[has_any].mean(axis=0)
    centred = np.where(has_any[:, None], means - centre, 0.0)
    words = centred[:, :-2]

    topics: list[Floats] = []
    if words.shape[1] >= 2:
        left, sizes, _ = np.linalg.svd(words, full_matrices=False)
        for i in range(min(MOST_TOPICS, len(sizes))):
            if sizes[i] > TINY:
                topics.append(left[:, i] * np.sqrt(n))

    named = [Covariate(f"topic {i + 1}", topic) for i, topic in enumerate(topics)]
    length = Covariate("length of requests", centred[:, -2])
    path = Covariate("requests that name a path", centred[:, -1])
    order = [*named[:1], length, *named[1:2], path, *named[2:]]
    varying = [covariate for covariate in order if np.ptp(covariate.values) > TINY]

    return varying[: max(1, n // SESSIONS_PER_COVARIATE)]
