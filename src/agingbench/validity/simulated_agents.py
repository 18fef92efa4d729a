"""Simulated agents as traces: stationary with the noise of real folders, or aging as planted.

`NOISE` was fitted to the real folders that `agingbench validate telemetry --real` was run on; the
same measure, taken on simulated agents, is printed beside it. Everything is drawn from one seeded
generator, so the order of the draws is part of what an agent is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from agingbench.metrics.permutation import Floats
from agingbench.records import Event, Usage
from agingbench.validity.simulated_calls import (
    FEW_TOOLS,
    LOCATOR_SHARE,
    MANY_TOOLS,
    OTHER_GROWTH,
    OTHER_LOCATOR_SHARE,
    OTHER_WEIGHT,
    TASKS,
    USUAL_GROWTH,
    USUAL_WEIGHT,
    CallWriter,
)
from agingbench.validity.simulated_levels import (
    correlated_levels,
    drifting_mixes,
    logistic,
    logit,
    noisy_mixes,
    session_days,
    shock_sessions,
)

DAY = 86_400.0
START = 1_760_000_000.0
WINDOW = 200_000
MOST_CALLS = 260  # of a session
MOST_CENSORED_CALLS = 120

# Sessions are few and short: of a drift this large, 0.20 is left beyond the drift that shuffled
# sessions show.
DRIFT = 0.39


@dataclass(frozen=True)
class SessionNoise:
    """What differs between sessions of an agent that does not age; mostly standard deviations."""

    calls_log_mean: float = 3.3  # log of tool calls per session
    calls_log_sd: float = 1.25
    turns_mean: float = 3.0
    sessions_per_day: float = 2.4
    growth_call_sd: float = 0.87  # of log increments, call to call
    growth_session_sd: float = 0.16
    growth_day_sd: float = 0.08
    mix_concentration: float = 20.0  # Dirichlet around the agent's mix: smaller is noisier
    locator_session_sd: float = 0.8  # logit
    error_rate: float = 0.02
    error_session_sd: float = 0.6  # logit
    stale_rate: float = 0.03
    stale_session_sd: float = 0.5  # logit
    compactions_per_session: float = 0.12


NOISE = SessionNoise()


@dataclass(frozen=True)
class SimulatedAgent:
    """One simulated agent; everything follows from its fields and its seed."""

    seed: int = 0
    sessions: int = 24
    tools: str = "few"  # few or many
    cached: bool = True
    repeats: bool = True
    absolute: bool = True
    # compression (or its parts growth, specificity), interference, revision, maintenance
    aging: str | None = None
    strength: float = 1.0  # in multiples of a moderate effect
    correlation: float = 0.0  # lag 1, of what sessions differ in
    phases: int = 0  # stretches of different tasks
    client_change: bool = False
    model_change: bool = False
    censored: bool = False  # sessions are cut where the window is full, and later ones are longer
    noise: SessionNoise = NOISE


def simulate(agent: SimulatedAgent) -> list[Event]:
    """Return the events of one agent's whole life."""
    return list(_SimulatedLife(agent).events())


def variants(seed: int) -> SimulatedAgent:
    """Return a stationary agent of one of the sixteen variants, by its seed."""
    return SimulatedAgent(
        seed=seed,
        cached=seed % 2 == 0,
        repeats=seed // 2 % 2 == 0,
        absolute=seed // 4 % 2 == 0,
        tools="few" if seed // 8 % 2 == 0 else "many",
    )


@dataclass(frozen=True)
class _SimulatedSession:
    """One session: what its events share, and the rates that hold in it."""

    index: int
    name: str
    model: str
    client: str
    growth: float  # added to the log of the tokens per call
    locator_loss: float  # taken from the share of calls that name a locator
    error_rate: float
    stale_rate: float


class _SimulatedLife:
    """Draws what differs between sessions, then writes the events session by session."""

    def __init__(self, agent: SimulatedAgent) -> None:
        self.agent = agent
        self.noise = agent.noise
        self.rng = np.random.default_rng([agent.seed, 77])
        self.calls = 0

        # What the agent is like in all its sessions.
        self.tools = FEW_TOOLS if agent.tools == "few" else MANY_TOOLS
        self.mix = self._usual_mix()
        self.tool_growth = self._usual_growth()
        shares = [LOCATOR_SHARE.get(tool, OTHER_LOCATOR_SHARE) for tool in self.tools]
        self.locator_share = np.array(shares)
        self.writer = CallWriter(self.rng, agent.absolute)

        self._draw_sessions()

    def _usual_mix(self) -> Floats:
        weights = np.array([USUAL_WEIGHT.get(tool, OTHER_WEIGHT) for tool in self.tools])
        weights = weights * self.rng.uniform(0.6, 1.6, len(self.tools))

        # An agent with outdated values works with values: 45 uses or more.
        if self.agent.aging == "revision":
            is_order = np.char.startswith(np.array(self.tools), "order_")
            weights = weights * np.where(is_order, 1.5, 1.0)

        return np.asarray(weights / weights.sum())

    def _usual_growth(self) -> Floats:
        growth = np.array([USUAL_GROWTH.get(tool, OTHER_GROWTH) for tool in self.tools])
        return growth + self.rng.normal(0, 0.2, len(self.tools))

    # -- what differs between sessions

    def _draw_sessions(self) -> None:
        """Draw everything that differs between sessions: levels, phases, days, events, aging."""
        agent = self.agent
        noise = self.noise
        rng = self.rng
        n = agent.sessions

        self.age = np.linspace(0.0, 1.0, n) if n > 1 else np.zeros(n)
        self.days = session_days(rng, n, noise.sessions_per_day)
        day_numbers = np.unique(self.days, return_inverse=True)[1]
        day_effects = rng.normal(0, noise.growth_day_sd, day_numbers.max() + 1)

        self.growth_level = self._level(noise.growth_session_sd) + day_effects[day_numbers]
        self.locator_level = self._level(noise.locator_session_sd)
        self.error_level = self._level(noise.error_session_sd)
        self.stale_level = self._level(noise.stale_session_sd)

        self.mixes = self._draw_mixes()
        self.lengths = self._draw_lengths()

        self.first_changed = n
        if agent.client_change or agent.model_change:
            self.first_changed = int(n * rng.uniform(0.3, 0.7))

        self.shocks: set[int] = set()
        if agent.aging == "maintenance" or rng.random() >= 0.5:
            self.shocks = shock_sessions(rng, n)

        if agent.client_change or agent.model_change:
            self._change_client_or_model()

    def _level(self, sd: float) -> Floats:
        return correlated_levels(self.rng, self.agent.sessions, sd, self.agent.correlation)

    def _draw_mixes(self) -> Floats:
        """Return one tool mix per session: noise around the agent's, drifting if planted."""
        agent = self.agent
        n = agent.sessions
        centre = np.tile(self.mix, (n, 1))
        self.phase_of = [-1] * n

        if agent.phases:
            centre = self._draw_phases()
        if agent.aging == "interference":
            centre = drifting_mixes(self.rng, centre, self.mix, DRIFT * agent.strength)

        levels = [self._level(1.0) for _ in self.tools]
        return noisy_mixes(centre, np.column_stack(levels), self.noise.mix_concentration)

    def _draw_phases(self) -> Floats:
        """Draw stretches of different tasks, shift the levels, and return each session's mix."""
        rng = self.rng
        n = self.agent.sessions
        phases = self.agent.phases

        bounds = np.sort(rng.choice(np.arange(2, n - 1), phases - 1, replace=False))
        phase = np.searchsorted(bounds, np.arange(n), side="right")
        phase_mixes = rng.dirichlet(self.mix * 25.0 + 0.2, phases)
        shifts = rng.normal(0, 0.25, (phases, 3))

        self.phase_of = phase.tolist()
        self.growth_level = self.growth_level + shifts[phase, 0]
        self.locator_level = self.locator_level + shifts[phase, 1]
        self.error_level = self.error_level + shifts[phase, 2]

        return np.asarray(phase_mixes[phase])

    def _draw_lengths(self) -> list[int]:
        """Return how many calls each session has."""
        noise = self.noise
        level = self._level(noise.calls_log_sd)
        lengths = np.maximum(2, np.exp(noise.calls_log_mean + level)).astype(int)
        lengths = np.minimum(lengths, MOST_CALLS)

        if self.agent.censored:
            longer = np.linspace(0.7, 1.5, self.agent.sessions)
            lengths = np.minimum((lengths * longer).astype(int) + 2, MOST_CENSORED_CALLS)

        return [int(length) for length in lengths]

    def _change_client_or_model(self) -> None:
        """Shift all levels and the tool mix from the first session of the new client or model."""
        rng = self.rng
        size = 1.0 if self.agent.model_change else 0.6
        later = np.arange(self.agent.sessions) >= self.first_changed

        self.growth_level = self.growth_level + later * rng.normal(0, 0.35 * size)
        self.locator_level = self.locator_level + later * rng.normal(0, 0.5 * size)
        self.error_level = self.error_level + later * rng.normal(0, 0.5 * size)

        factor = np.exp(rng.normal(0, 0.5 * size, len(self.tools)))
        mixes = np.where(later[:, None], self.mixes * factor, self.mixes)
        self.mixes = mixes / mixes.sum(axis=1, keepdims=True)

    # -- events

    def events(self) -> Iterator[Event]:
        """Yield the events session after session."""
        for index in range(self.agent.sessions):
            yield from self._session_events(self._session(index))

    def _session(self, index: int) -> _SimulatedSession:
        """Return names and rates of a session, with the planted aging in them; draws nothing."""
        agent = self.agent
        noise = self.noise
        is_changed = index >= self.first_changed
        effect = agent.strength * float(self.age[index])

        growth = float(self.growth_level[index])
        if agent.aging in ("compression", "growth"):
            growth += math.log(2.0) * effect

        locator_loss = 0.0
        if agent.aging in ("compression", "specificity"):
            locator_loss = 0.15 * effect

        error_rate = logistic(logit(noise.error_rate) + float(self.error_level[index]))
        is_after_shock = any(0 <= index - shock < 3 for shock in self.shocks)
        if agent.aging == "maintenance" and is_after_shock:
            error_rate += 0.10 * agent.strength

        stale_rate = logistic(logit(noise.stale_rate) + float(self.stale_level[index]))
        if agent.aging == "revision":
            stale_rate = min(0.9, stale_rate + 0.28 * effect)

        return _SimulatedSession(
            index=index,
            name=f"{agent.seed:04x}-{index:03d}",
            model="claude-new-2" if agent.model_change and is_changed else "claude-old-1",
            client="2.2.0" if agent.client_change and is_changed else f"2.1.{index // 5}",
            growth=growth,
            locator_loss=locator_loss,
            error_rate=error_rate,
            stale_rate=stale_rate,
        )

    def _session_events(self, session: _SimulatedSession) -> Iterator[Event]:
        noise = self.noise
        rng = self.rng
        index = session.index
        n = self.lengths[index]

        earlier_today = int((self.days[:index] == self.days[index]).sum())
        time = START + float(self.days[index]) * DAY + rng.uniform(0, 600) + earlier_today * 5400.0
        if index in self.shocks:
            yield self._lifecycle_event(session, "memory_reset", time)

        # All calls of the session are drawn at once.
        tool_numbers = rng.choice(len(self.tools), size=n, p=self.mixes[index])
        mean_growth = self.tool_growth[tool_numbers] + session.growth
        added_tokens = np.exp(rng.normal(mean_growth, noise.growth_call_sd))
        has_locator = rng.random(n) < self._locator_shares(session)[tool_numbers]
        failed = rng.random(n) < session.error_rate

        n_turns = max(1, min(n, int(rng.poisson(noise.turns_mean))))
        turn_starts = set(np.linspace(0, n, n_turns, endpoint=False).astype(int).tolist())
        compaction = -1
        if rng.random() < noise.compactions_per_session and n > 6:
            compaction = int(rng.integers(n // 2, n))

        load = 16_000.0 + rng.uniform(0, 4000)

        for call in range(n):
            if call in turn_starts:
                time += 40
                yield self._request(session, time)

            if call == compaction or load > 0.95 * WINDOW:
                yield self._lifecycle_event(session, "compaction", time)
                load = 22_000.0

            time += 12
            tool = self.tools[int(tool_numbers[call])]
            yield from self._call_and_result(
                session, tool, bool(has_locator[call]), bool(failed[call]), load, time
            )
            load += float(added_tokens[call])

        yield Event(
            step=0,
            role="assistant",
            content=f"Done with {n} steps; the change is in place.",
            session_id=session.name,
            timestamp=time + 5,
            usage=self._usage(load),
            model=session.model,
            client=session.client,
        )

    def _locator_shares(self, session: _SimulatedSession) -> Floats:
        """Return per tool the share of calls that name a locator in this session."""
        odds = self.locator_share / (1 - self.locator_share + 1e-9)
        logits = np.log(odds) + float(self.locator_level[session.index])
        shares = 1 / (1 + np.exp(-logits))

        return np.asarray(shares - session.locator_loss)

    def _lifecycle_event(self, session: _SimulatedSession, kind: str, time: float) -> Event:
        return Event(
            step=0,
            role="meta",
            lifecycle=kind,
            session_id=session.name,
            timestamp=time,
        )

    def _request(self, session: _SimulatedSession, time: float) -> Event:
        """Return a request of the user; in a phase the same few kinds of task come up."""
        phase = self.phase_of[session.index]
        first = 2 * max(phase, 0)
        choices = len(TASKS) if phase < 0 else 3
        number = first + int(self.rng.integers(choices))

        text = TASKS[number % len(TASKS)]
        if not self.agent.repeats:
            text = f"{text} case {int(self.rng.integers(10**6))}"

        return Event(
            step=0,
            role="user",
            content=text,
            session_id=session.name,
            timestamp=time,
        )

    def _usage(self, load: float) -> Usage:
        tokens = int(load)
        if not self.agent.cached:
            return Usage(input_tokens=tokens, output_tokens=200, calls=1)

        return Usage(
            input_tokens=4,
            output_tokens=200,
            cache_read_tokens=tokens - 504,
            cache_write_tokens=500,
            calls=1,
        )

    def _call_and_result(
        self,
        session: _SimulatedSession,
        tool: str,
        has_locator: bool,
        failed: bool,
        load: float,
        time: float,
    ) -> Iterator[Event]:
        self.calls += 1
        call_id = f"c{self.calls}"

        # The new client has another name for one of the usual tools.
        is_changed = session.index >= self.first_changed
        if self.agent.client_change and is_changed and tool == "Grep":
            tool = "Search"

        phase = self.phase_of[session.index]
        call = self.writer.call(tool, phase, has_locator, failed, session.stale_rate)

        yield Event(
            step=0,
            role="tool_call",
            tool_name=tool,
            arguments=call.arguments,
            tool_call_id=call_id,
            session_id=session.name,
            timestamp=time,
            usage=self._usage(load),
            model=session.model,
            client=session.client,
        )

        yield Event(
            step=0,
            role="tool_result",
            tool_name=tool,
            stdout="failed" if failed else call.result,
            tool_call_id=call_id,
            session_id=session.name,
            timestamp=time + 3,
            error_kind="process" if failed else None,
        )
