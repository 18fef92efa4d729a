"""Simulated agents as traces: stationary with the noise of real folders, or aging as planted.

`NOISE` was fitted to the real folders that `agingbench validate telemetry --real` was run on; the
same measure, taken on simulated agents, is printed beside it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agingbench.records import Event, Usage

DAY = 86_400.0
START = 1_760_000_000.0
WINDOW = 200_000
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


_FEW = ("Read", "Edit", "Bash", "Grep", "order_get", "order_update")
_MANY = (
    *_FEW,
    "Write",
    "Glob",
    "WebFetch",
    "WebSearch",
    "Task",
    "LSP",
    "NotebookEdit",
    "mcp__db__query",
)
_BASE = {
    "Read": 0.28,
    "Edit": 0.24,
    "Bash": 0.20,
    "Grep": 0.10,
    "order_get": 0.10,
    "order_update": 0.16,
}
_GROWTH = {
    "Read": 7.3,
    "Edit": 6.2,
    "Bash": 6.3,
    "Grep": 6.0,
    "order_get": 5.2,
    "order_update": 5.2,
}
_NAMED = {
    "Read": 0.995,
    "Edit": 0.995,
    "Bash": 0.55,
    "Grep": 0.75,
    "order_get": 0.999,
    "order_update": 0.999,
}
_TASKS = (
    "fix the failing test in the parser module",
    "add a command line option for verbose output",
    "explain how the cache invalidation works here",
    "refactor the storage layer into smaller functions",
    "update the order status for the waiting customers",
    "write documentation for the public interface",
    "investigate why the nightly build became slow",
    "remove the deprecated configuration format",
)
_STATES = ("open", "paid", "packed", "shipped", "returned", "closed", "refunded", "held")


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


class _SimulatedLife:
    def __init__(self, agent: SimulatedAgent) -> None:
        self.agent = agent
        self.noise = agent.noise
        self.rng = np.random.default_rng([agent.seed, 77])
        self.tools = _FEW if agent.tools == "few" else _MANY
        base = np.array([_BASE.get(t, 0.03) for t in self.tools]) * self.rng.uniform(
            0.6, 1.6, len(self.tools)
        )
        if agent.aging == "revision":  # its work is with values: 45 uses or more
            base = base * np.where(np.char.startswith(np.array(self.tools), "order_"), 1.5, 1.0)

        self.mix = base / base.sum()
        self.growth = np.array([_GROWTH.get(t, 6.4) for t in self.tools]) + self.rng.normal(
            0, 0.2, len(self.tools)
        )
        self.named = np.array([_NAMED.get(t, 0.7) for t in self.tools])
        self.compactions: set[int] = set()
        self.step = 0
        self.call = 0
        self.known: dict[str, list[str]] = {}
        self.plan()

    # -- what differs between sessions

    def plan(self) -> None:
        """Draw everything that differs between sessions: levels, phases, days, events, aging."""
        agent = self.agent
        noise = self.noise
        rng = self.rng
        n = self.agent.sessions
        self.days = self._days()
        day_no = np.unique(self.days, return_inverse=True)[1]
        day_effect = rng.normal(0, noise.growth_day_sd, day_no.max() + 1)[day_no]
        self.growth_level = self._level(noise.growth_session_sd) + day_effect
        self.locator_level = self._level(noise.locator_session_sd)
        self.error_level = self._level(noise.error_session_sd)
        self.stale_level = self._level(noise.stale_session_sd)
        self.mixes = self._mixes()
        self.lengths = np.maximum(
            2, np.exp(noise.calls_log_mean + self._level(noise.calls_log_sd))
        ).astype(int)
        self.lengths = np.minimum(self.lengths, 260)

        if agent.censored:
            longer = np.linspace(0.7, 1.5, n)
            self.lengths = np.minimum((self.lengths * longer).astype(int) + 2, 120)

        self.changed = (
            int(n * rng.uniform(0.3, 0.7)) if agent.client_change or agent.model_change else n
        )
        self.shocks = self._shocks()
        self.age = np.linspace(0.0, 1.0, n) if n > 1 else np.zeros(n)
        self._new_client_or_model()

    def _days(self) -> NDArray[np.int64]:
        # A new day begins so often that days with any session hold so many of them on average.
        gaps = self.rng.poisson(-math.log(1 - 1 / self.noise.sessions_per_day), self.agent.sessions)
        return np.cumsum(gaps).astype(np.int64)

    def _level(self, sd: float) -> NDArray[np.float64]:
        """Return session effects of this spread, lag-1 correlated where the agent is."""
        phi = self.agent.correlation
        n = self.agent.sessions
        shocks = self.rng.normal(0, 1, n)
        out = np.empty(n)
        out[0] = shocks[0]

        for i in range(1, n):
            out[i] = phi * out[i - 1] + math.sqrt(1 - phi * phi) * shocks[i]

        return out * sd

    def _mixes(self) -> NDArray[np.float64]:
        """Return one tool mix per session: noise around the agent's, drifting if planted."""
        agent = self.agent
        rng = self.rng
        n = self.agent.sessions
        k = len(self.tools)
        centre = np.tile(self.mix, (n, 1))
        self.phase_of = [-1] * n

        if agent.phases:
            bounds = np.sort(rng.choice(np.arange(2, n - 1), agent.phases - 1, replace=False))
            phase = np.searchsorted(bounds, np.arange(n), side="right")
            kinds = rng.dirichlet(self.mix * 25.0 + 0.2, agent.phases)
            levels = rng.normal(0, 0.25, (agent.phases, 3))
            centre = kinds[phase]
            self.phase_of = phase.tolist()
            self.growth_level = self.growth_level + levels[phase, 0]
            self.locator_level = self.locator_level + levels[phase, 1]
            self.error_level = self.error_level + levels[phase, 2]

        if agent.aging == "interference":
            centre = self._drifting(centre, DRIFT * agent.strength)

        # Correlated logit noise with about the spread of a Dirichlet.
        noise = np.column_stack([self._level(1.0) for _ in range(k)])
        spread = np.sqrt(
            (1 - centre) / np.maximum(centre, 1e-3) / (self.noise.mix_concentration + 1)
        )
        logits = (
            np.log(np.maximum(centre, 1e-4))
            + np.minimum(spread, 1.5) * noise
            - 0.5 * np.minimum(spread, 1.5) ** 2
        )
        mixes = np.exp(logits)

        return np.asarray(mixes / mixes.sum(axis=1, keepdims=True))

    def _drifting(self, centre: NDArray[np.float64], variation: float) -> NDArray[np.float64]:
        """Return mixes that move mass from about half of the tools to the others over time."""
        order = self.rng.permutation(len(self.mix))
        down = np.zeros(len(self.mix), dtype=bool)

        for i in order:
            fading = float(self.mix[down].sum())
            if fading < min(0.65, max(0.4, variation + 0.1)) and fading + self.mix[i] <= 0.8:
                down[i] = True

        t = np.linspace(0, 1, len(centre))[:, None]
        moved = min(variation, 0.95 * float(self.mix[down].sum()))
        toward = np.where(
            down, -self.mix / self.mix[down].sum(), self.mix / max(1e-9, self.mix[~down].sum())
        )

        return np.asarray(np.maximum(centre + t * moved * toward, 1e-4))

    def _shocks(self) -> set[int]:
        """Return the sessions that begin after a recorded lifecycle event."""
        agent = self.agent
        n = self.agent.sessions
        if agent.aging != "maintenance" and self.rng.random() < 0.5:
            return set()

        spots = np.arange(3, n - 3)
        chosen: set[int] = set()
        for at in self.rng.permutation(spots):
            if all(abs(int(at) - c) > 4 for c in chosen):
                chosen.add(int(at))
            if len(chosen) == 4:
                break

        return chosen

    def _new_client_or_model(self) -> None:
        agent = self.agent
        rng = self.rng
        n = self.agent.sessions
        later = np.arange(n) >= self.changed
        if not (agent.client_change or agent.model_change):
            return

        size = 1.0 if agent.model_change else 0.6
        self.growth_level = self.growth_level + later * rng.normal(0, 0.35 * size)
        self.locator_level = self.locator_level + later * rng.normal(0, 0.5 * size)
        self.error_level = self.error_level + later * rng.normal(0, 0.5 * size)
        factor = np.exp(rng.normal(0, 0.5 * size, len(self.tools)))
        mixes = np.where(later[:, None], self.mixes * factor, self.mixes)
        self.mixes = mixes / mixes.sum(axis=1, keepdims=True)

    # -- events

    def events(self) -> Iterator[Event]:
        """Yield the events session after session."""
        for i in range(self.agent.sessions):
            yield from self.session(i)

    def session(self, i: int) -> Iterator[Event]:
        agent = self.agent
        rng = self.rng
        noise = self.noise
        age = float(self.age[i])
        strength = agent.strength
        name = f"{agent.seed:04x}-{i:03d}"
        n = int(self.lengths[i])
        earlier = int((self.days[:i] == self.days[i]).sum())
        time = START + float(self.days[i]) * DAY + rng.uniform(0, 600) + earlier * 5400.0
        model = "claude-new-2" if agent.model_change and i >= self.changed else "claude-old-1"
        client = "2.2.0" if agent.client_change and i >= self.changed else f"2.1.{i // 5}"

        if i in self.shocks:
            yield Event(
                step=0, role="meta", lifecycle="memory_reset", session_id=name, timestamp=time
            )

        grow = float(self.growth_level[i]) + (
            math.log(2.0) * strength * age if agent.aging in ("compression", "growth") else 0.0
        )
        lost = 0.15 * strength * age if agent.aging in ("compression", "specificity") else 0.0
        hurt = agent.aging == "maintenance" and any(0 <= i - s < 3 for s in self.shocks)
        error = _logistic(_logit(noise.error_rate) + float(self.error_level[i])) + (
            0.10 * strength if hurt else 0.0
        )
        stale = float(_logistic(_logit(noise.stale_rate) + float(self.stale_level[i])))
        if agent.aging == "revision":
            stale = min(0.9, stale + 0.28 * strength * age)

        chosen = rng.choice(len(self.tools), size=n, p=self.mixes[i])
        grown = np.exp(rng.normal(self.growth[chosen] + grow, noise.growth_call_sd))
        share = _logistic(
            np.log(self.named / (1 - self.named + 1e-9)) + float(self.locator_level[i])
        )[chosen]
        named = rng.random(n) < share - lost
        failed = rng.random(n) < error
        turns = max(1, min(n, int(rng.poisson(noise.turns_mean))))
        starts = set(np.linspace(0, n, turns, endpoint=False).astype(int).tolist())
        compact_at = (
            int(rng.integers(n // 2, n))
            if rng.random() < noise.compactions_per_session and n > 6
            else -1
        )
        load = 16_000.0 + rng.uniform(0, 4000)

        for c in range(n):
            if c in starts:
                time += 40
                yield self.user(name, time, self.phase_of[i])

            if c == compact_at or load > 0.95 * WINDOW:
                yield Event(
                    step=0, role="meta", lifecycle="compaction", session_id=name, timestamp=time
                )
                load = 22_000.0

            time += 12
            tool = self.tools[int(chosen[c])]
            if agent.client_change and i >= self.changed and tool == "Grep":
                tool = "Search"

            yield from self.pair(
                i, tool, bool(named[c]), bool(failed[c]), stale, load, name, time, model, client
            )
            load += float(grown[c])

        time += 5
        yield Event(
            step=0,
            role="assistant",
            content=f"Done with {n} steps; the change is in place.",
            session_id=name,
            timestamp=time,
            usage=self.usage(load),
            model=model,
            client=client,
        )

    def user(self, name: str, time: float, phase: int) -> Event:
        # In a phase the same few kinds of task come up.
        number = (
            int(self.rng.integers(len(_TASKS)))
            if phase < 0
            else (2 * phase + int(self.rng.integers(3))) % len(_TASKS)
        )

        text = (
            _TASKS[number]
            if self.agent.repeats
            else f"{_TASKS[number]} case {int(self.rng.integers(10**6))}"
        )
        return Event(step=0, role="user", content=text, session_id=name, timestamp=time)

    def usage(self, load: float) -> Usage:
        tokens = int(load)
        if self.agent.cached:
            return Usage(
                input_tokens=4,
                output_tokens=200,
                cache_read_tokens=tokens - 504,
                cache_write_tokens=500,
                calls=1,
            )

        return Usage(input_tokens=tokens, output_tokens=200, calls=1)

    def pair(
        self,
        i: int,
        tool: str,
        named: bool,
        failed: bool,
        stale: float,
        load: float,
        name: str,
        time: float,
        model: str,
        client: str,
    ) -> Iterator[Event]:
        """Yield one call and its result."""
        self.call += 1
        call_id = f"c{self.call}"
        arguments, result = self.content(i, tool, named, stale, failed)
        yield Event(
            step=0,
            role="tool_call",
            tool_name=tool,
            arguments=arguments,
            tool_call_id=call_id,
            session_id=name,
            timestamp=time,
            usage=self.usage(load),
            model=model,
            client=client,
        )

        yield Event(
            step=0,
            role="tool_result",
            tool_name=tool,
            stdout="failed" if failed else result,
            tool_call_id=call_id,
            session_id=name,
            timestamp=time + 3,
            error_kind="process" if failed else None,
        )

    def content(
        self, i: int, tool: str, named: bool, stale: float, failed: bool
    ) -> tuple[dict[str, object], str]:
        """Return arguments and result of a call; an order's status is sometimes outdated."""
        rng = self.rng
        if tool.startswith("order_"):
            return self.order(tool, named, stale, failed)

        phase = self.phase_of[i]
        part = int(rng.integers(60)) if phase < 0 else 10 * phase + int(rng.integers(14))
        where = f"src/part{part}/unit{int(rng.integers(8))}.py"
        if self.agent.absolute:
            where = f"/repo/{where}"
        if tool in ("Bash", "Task", "WebSearch", "mcp__db__query"):
            return {"command": f"make check {where}" if named else "make check all"}, "ok"

        if tool in ("Grep", "Search", "Glob"):
            return {
                "pattern": where if named else "todo",
                "limit": int(rng.integers(1, 5)) * 50,
            }, "3 hits"

        return {"file_path": where if named else "it"}, "1 line"

    def order(
        self, tool: str, named: bool, stale: float, failed: bool
    ) -> tuple[dict[str, object], str]:
        rng = self.rng
        order = f"A-{int(rng.integers(8)) + 100}"
        seen = self.known.setdefault(order, ["open"])

        if tool == "order_get":
            if (
                rng.random() < 0.6 and not failed
            ):  # what a failed call would have shown is not known
                seen.append(_STATES[int(rng.integers(len(_STATES)))])

            return {
                "order_id": order if named else "latest"
            }, f'{{"order_id": "{order}", "status": "{seen[-1]}"}}'

        old = [s for s in dict.fromkeys(seen) if s != seen[-1]]
        wrong = bool(old) and rng.random() < stale
        status = old[int(rng.integers(len(old)))] if wrong else seen[-1]

        return {
            "order_id": order if named else "latest",
            "status": status,
            "note": "as agreed",
        }, "saved"


def _logit(p: float) -> float:
    return math.log(p / (1 - p))


def _logistic(x: float | NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(1 / (1 + np.exp(-np.asarray(x))), dtype=np.float64)
