"""Simulated agents whose work is asked for in words: healthy while the work changes, or harmed.

Every request is of a kind, and the kind decides words, tools, length and errors. A healthy variant
changes what is asked or what the agent is given; harm changes how the agent does the same work.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from agingbench.metrics.permutation import Floats
from agingbench.records import Event, Usage
from agingbench.validity.simulated_levels import drifting_mixes, session_days
from agingbench.validity.value_work import ValueWork
from agingbench.validity.work_kinds import (
    ADOPTED,
    COMMON_WORDS,
    COMPLAINTS,
    KINDS,
    TOOLS,
    TOPICS,
    TWINS,
    WorkKind,
    file_name,
)

DAY = 86_400.0
START = 1_770_000_000.0
WINDOW = 200_000
FILES_OF_REQUEST = 12
DRIFT = 0.42  # of the tool mix; about .20 of it is beyond chance at 24 sessions

HEALTHY = (
    "steady",
    "gradual_shift",
    "sudden_shift",
    "growing_files",
    "more_files",
    "subagents",
    "mcp",
    "model_upgrade",
    "client_upgrade",
    "client_with_tools",
    "terser_users",
    "seasons",
    "holidays",
    "long_session",
    "failing_tests",
    "plans_after_clears",
    "another_user",
    "another_language",
    "instruction_file",
)
# Other habits from one session on, and nothing in the trace says why: no harm, and no aging.
UNRECORDED = "other_habits"
HARMS = (
    "compression",
    "interference",
    "tool_mix",
    "revision",
    "maintenance",
    "reliability",
    "corrections",
)


@dataclass(frozen=True)
class WorkAgent:
    """One simulated agent: what happens to its work, and what harms it."""

    seed: int
    sessions: int = 24
    variant: str = "steady"
    harm: str | None = None
    strength: float = 1.0  # in multiples of a moderate effect
    step: bool = False  # the harm comes at once, at one hidden session
    events: int = 4  # lifecycle events of planted maintenance


def simulate_work(agent: WorkAgent) -> list[Event]:
    """Return the events of one agent's whole life."""
    return list(_WorkLife(agent).events())


class _WorkLife:
    """Draws what differs between sessions, then writes requests and calls."""

    def __init__(self, agent: WorkAgent) -> None:
        self.agent = agent
        self.rng = np.random.default_rng([agent.seed, 911])
        rng = self.rng
        n = agent.sessions
        self.age = np.linspace(0.0, 1.0, n)
        self.changed_at = int(n * rng.uniform(0.3, 0.65))
        self.harm_age = self.age
        if agent.step:
            self.harm_age = (np.arange(n) >= self.changed_at).astype(float)

        per_day = float(rng.uniform(1.1, 2.4))
        self.days = session_days(rng, n, per_day)
        if agent.variant == "holidays":
            self.days = self.days + 16 * (np.arange(n) >= self.changed_at)

        self.kinds = self._kind_shares()
        self.habit = rng.lognormal(0.0, 0.35, len(TOOLS))
        self.mixes = self._habits()
        self.session_growth = rng.normal(0.0, 0.15, n)
        self.session_calls = rng.normal(0.0, 0.2, n)
        self.session_errors = rng.normal(0.0, 0.3, n)
        self.turns = 1 + rng.poisson(float(rng.uniform(3.0, 5.0)), n)
        if agent.variant == "long_session":
            self.turns[int(rng.integers(2, n))] *= 8

        self.shocks = self._shock_sessions()
        self.values = ValueWork(rng) if agent.harm == "revision" else None
        self.calls = 0
        self.files: list[str] = []

    def _kind_shares(self) -> Floats:
        """Return sessions × kinds: what is asked for, as the variant has it."""
        rng = self.rng
        agent = self.agent
        n = agent.sessions
        usual = rng.dirichlet(np.full(len(KINDS), 3.0))
        other = rng.dirichlet(np.full(len(KINDS), 0.9))
        share = np.zeros(n)

        if agent.variant in ("gradual_shift", "mix_shift"):
            share = self.age
        elif agent.variant in ("sudden_shift", "another_user"):
            share = (np.arange(n) >= self.changed_at).astype(float)
        elif agent.variant == "seasons":
            share = 0.5 + 0.5 * np.sin(2 * np.pi * (self.age * 1.5 + rng.random()))

        centre = usual + share[:, None] * (other - usual)
        noisy = [rng.dirichlet(row * 8.0 + 0.05) for row in centre]
        return np.array(noisy)

    def _habits(self) -> Floats:
        """Return sessions × tools: factors on the tools of every kind of work."""
        rng = self.rng
        n = self.agent.sessions
        noise = rng.normal(0.0, 0.25, (n, len(TOOLS)))
        mixes = self.habit * np.exp(noise)

        if self.agent.variant in ("instruction_file", UNRECORDED):
            later = (np.arange(n) >= self.changed_at)[:, None]
            mixes = mixes * np.exp(later * rng.normal(0.0, 0.45, len(TOOLS)))

        if self.agent.harm in ("interference", "tool_mix"):
            usual = np.mean([kind.tools for kind in KINDS], axis=0)
            usual = usual / usual.sum()
            centre = np.tile(usual, (n, 1))
            drifted = drifting_mixes(rng, centre, usual, DRIFT * self.agent.strength)
            if self.agent.step:
                drifted = np.where(self.harm_age[:, None] > 0, drifted[-1], drifted[0])

            mixes = mixes * drifted / centre

        return np.asarray(mixes)

    def _shock_sessions(self) -> set[int]:
        agent = self.agent
        n = agent.sessions
        if agent.harm != "maintenance":
            return {i for i in range(2, n) if self.rng.random() < 0.1}

        spots = np.linspace(2, n - 2, agent.events + 1).astype(int)[:-1]
        jitter = self.rng.integers(0, 2, agent.events)
        return {int(spot) + int(by) for spot, by in zip(spots, jitter, strict=True)}

    # -- events

    def events(self) -> Iterator[Event]:
        """Yield the events session after session."""
        time = START
        for index in range(self.agent.sessions):
            day = START + float(self.days[index]) * DAY
            time = max(day + float(self.rng.uniform(0, 3600)), time + 1800)
            for event in self._session(index, time):
                time = float(event.timestamp)
                yield event

    def _session(self, index: int, time: float) -> Iterator[Event]:
        agent = self.agent
        rng = self.rng
        name = f"{agent.seed:05x}-{index:03d}"
        later = index >= self.changed_at
        model = "claude-new-2" if agent.variant == "model_upgrade" and later else "claude-old-1"
        is_update = agent.variant in ("client_upgrade", "client_with_tools") and later
        client = "2.2.0" if is_update else "2.1.3"
        origin = _Origin(name, model, client)

        load = 14_000.0 + float(rng.uniform(0, 4000))
        after_clear = index in self.shocks
        if after_clear:
            yield Event(step=0, role="meta", lifecycle="clear", session_id=name, timestamp=time)

        if agent.variant == "instruction_file" and index == self.changed_at - 1:
            yield from self._edited_rules(time, origin)

        for turn in range(int(self.turns[index])):
            time += float(rng.exponential(120.0))
            kind = KINDS[int(rng.choice(len(KINDS), p=self.kinds[index]))]
            large = after_clear and turn == 0 and agent.variant == "plans_after_clears"
            self._draw_files(index)
            text = self._request(kind, index, large)
            if self._complains(index):
                text = COMPLAINTS[int(rng.integers(len(COMPLAINTS)))]
            yield Event(step=0, role="user", content=text, session_id=name, timestamp=time)

            for call, result in self._turn_calls(kind, index, large):
                time += float(rng.exponential(8.0))
                self.calls += 1
                call_id = f"c{self.calls}"
                yield from _called(call, result, call_id, time, int(load), origin)
                load += self._added(len(result), index)
                if load > 0.8 * WINDOW:
                    yield Event(
                        step=0,
                        role="meta",
                        lifecycle="compaction",
                        session_id=name,
                        timestamp=time + 2,
                    )
                    load = 20_000.0

            time += 5
            yield Event(
                step=0,
                role="assistant",
                content="Done; the change is in place.",
                timestamp=time,
                usage=Usage(
                    input_tokens=8, output_tokens=200, cache_read_tokens=int(load), calls=1
                ),
                session_id=name,
                model=model,
                client=client,
            )

    def _edited_rules(self, time: float, origin: _Origin) -> Iterator[Event]:
        """Yield a request to write down how to work, and the edit of the instruction file."""
        self.calls += 1
        call_id = f"c{self.calls}"
        yield Event(
            step=0,
            role="user",
            content="please put into the instruction file how we want to work from now on",
            session_id=origin.session,
            timestamp=time,
        )
        arguments: dict[str, object] = {
            "file_path": "CLAUDE.md",
            "old_string": "",
            "new_string": "Rules",
        }
        edit = _Call("Edit", arguments, False)
        result = "The file CLAUDE.md has been updated."
        yield from _called(edit, result, call_id, time + 1, 14_000, origin)

    def _added(self, result: int, index: int) -> float:
        """Return the tokens that one call adds to the context."""
        own = float(self.rng.lognormal(5.3, 0.6))
        added = own + result / 4
        growth = self.session_growth[index]
        if self.agent.harm == "compression":
            growth += math.log(2.0) * self.agent.strength * self.harm_age[index]

        return added * math.exp(growth)

    def _complains(self, index: int) -> bool:
        rate = 0.03
        if self.agent.harm == "corrections":
            rate += 0.10 * self.agent.strength * self.harm_age[index]
        return bool(self.rng.random() < rate)

    def _request(self, kind: WorkKind, index: int, large: bool) -> str:
        """Return the words of a request."""
        rng = self.rng
        agent = self.agent
        later = index >= self.changed_at
        words = kind.words
        if agent.variant == "another_language" and later:
            words = kind.german

        n_words = 2
        n_common = int(rng.integers(3, 9))
        if agent.variant == "terser_users":
            n_common = max(0, round(n_common * (1.0 - 0.9 * self.age[index])))
            n_words = 1 if rng.random() < self.age[index] else 2

        chosen = [
            *rng.choice(words, n_words, replace=False),
            *rng.choice(COMMON_WORDS, n_common),
            TOPICS[int(rng.integers(len(TOPICS)))],
        ]
        if agent.variant == "another_user" and later:
            chosen.append("mate")
        if rng.random() < kind.names_path:
            chosen.append(self._path())
        if large:
            chosen += [f"step {i}: {w}" for i, w in enumerate(rng.choice(words, 60))]

        rng.shuffle(chosen)
        return " ".join(str(word) for word in chosen)

    def _draw_files(self, index: int) -> None:
        """Draw the files that a request is about; no two of them are twins."""
        n_files = 40
        if self.agent.variant == "more_files":
            n_files = int(15 + 200 * self.age[index])
        pairs = self.rng.choice((n_files + 1) // 2, min(FILES_OF_REQUEST, n_files // 2), False)
        numbers = 2 * pairs + self.rng.integers(2, size=len(pairs))
        self.files = [file_name(int(number)) for number in numbers]

    def _path(self) -> str:
        return self.files[int(self.rng.integers(len(self.files)))]

    def _turn_calls(self, kind: WorkKind, index: int, large: bool) -> Iterator[tuple[_Call, str]]:
        rng = self.rng
        agent = self.agent
        level = math.log(kind.calls) + self.session_calls[index]
        after = index in self._hurt_sessions()
        if after:
            level += math.log(1.0 + 0.5 * agent.strength)
        if large:
            level += 1.2

        n = max(1, int(rng.lognormal(level, 0.5)))
        tools = np.array(kind.tools) * self.mixes[index]
        tools = tools / tools.sum()

        for _ in range(min(n, 150)):
            tool = TOOLS[int(rng.choice(len(TOOLS), p=tools))]
            tool = self._adopted(tool, index)
            if self.values is not None and rng.random() < 0.18:
                yield self._value_call(index)
                continue

            call, result = self._plain_call(kind, tool, index, after)
            path = str(call.arguments.get("file_path", ""))
            if path in TWINS and rng.random() < self._mistake_rate(index):
                yield _Call("Read", {"file_path": TWINS[path]}, False), "x" * 900
            yield call, result

    def _mistake_rate(self, index: int) -> float:
        """Return how often a file is taken for its twin before it is opened."""
        rate = 0.03
        if self.agent.harm == "interference":
            rate += 0.15 * self.agent.strength * self.harm_age[index]
        return float(rate)

    def _hurt_sessions(self) -> set[int]:
        if self.agent.harm != "maintenance":
            return set()
        return {shock + by for shock in self.shocks for by in (0, 1)}

    def _adopted(self, tool: str, index: int) -> str:
        """Return the tool that is called, where a new one has come up for the same purpose."""
        agent = self.agent
        rng = self.rng
        if index < self.changed_at:
            return tool

        later = (index - self.changed_at + 1) / max(1, agent.sessions - self.changed_at)
        if agent.variant == "subagents" and tool in ("Read", "Grep") and rng.random() < 0.4 * later:
            return ADOPTED["subagents"][0]
        if agent.variant == "mcp" and tool == "Bash" and rng.random() < 0.6:
            return ADOPTED["mcp"][int(rng.integers(2))]
        if agent.variant == "client_with_tools" and tool == "Grep":
            return "Search"

        return tool

    def _plain_call(self, kind: WorkKind, tool: str, index: int, after: bool) -> tuple[_Call, str]:
        rng = self.rng
        agent = self.agent
        harm = agent.strength * self.harm_age[index]
        rate = kind.error_rate * math.exp(self.session_errors[index])
        if after:
            rate += 0.10 * agent.strength
        if agent.harm == "reliability":
            rate += 0.10 * harm

        path = self._path()
        named = rng.random() >= (0.15 * harm if agent.harm == "compression" else 0.0)
        program = kind.programs[int(rng.integers(len(kind.programs)))]
        if tool == "Bash":
            if agent.variant == "failing_tests" and program == "pytest":
                rate = 0.1 + 0.6 * self.age[index]
            target = path if rng.random() < 0.6 and named else "all"
            arguments: dict[str, object] = {"command": f"{program} run {target}"}
        elif tool in ("Grep", "Search", "Glob"):
            pattern = path if rng.random() < 0.5 and named else "todo"
            arguments = {"pattern": pattern}
        elif tool.startswith("mcp") or tool == "Task":
            arguments = {"prompt": f"look at {path}" if named else "look at it"}
        else:
            arguments = {"file_path": path if named else "it"}

        failed = bool(rng.random() < min(rate, 0.95))
        if failed:
            return _Call(tool, arguments, True), "Exit code 1: failed"

        size = {"Read": 7.6, "Bash": 6.4, "Grep": 6.2, "Task": 7.0}.get(tool, 5.0)
        if agent.variant == "growing_files" and tool in ("Read", "Grep"):
            size += math.log(5.0) * self.age[index]
        length = int(min(rng.lognormal(size, 0.7), 40_000))

        return _Call(tool, arguments, False), "x" * max(4, length)

    def _value_call(self, index: int) -> tuple[_Call, str]:
        assert self.values is not None
        stale = 0.03 + 0.30 * self.agent.strength * self.harm_age[index]
        tool, arguments, result = self.values.call(stale)
        return _Call(tool, arguments, False), result


@dataclass(frozen=True)
class _Call:
    """One tool call, and whether it fails."""

    tool: str
    arguments: dict[str, object]
    failed: bool


@dataclass(frozen=True)
class _Origin:
    """Where events come from."""

    session: str
    model: str
    client: str


def _called(
    call: _Call, result: str, call_id: str, time: float, load: int, origin: _Origin
) -> Iterator[Event]:
    """Yield a call and its result; `load` is how full the context is, in tokens."""
    yield Event(
        step=0,
        role="tool_call",
        tool_call_id=call_id,
        timestamp=time,
        usage=Usage(input_tokens=8, output_tokens=120, cache_read_tokens=load, calls=1),
        tool_name=call.tool,
        arguments=call.arguments,
        session_id=origin.session,
        model=origin.model,
        client=origin.client,
    )
    yield Event(
        step=0,
        role="tool_result",
        tool_name=call.tool,
        tool_call_id=call_id,
        session_id=origin.session,
        timestamp=time + 1,
        stdout=result,
        error_kind="process" if call.failed else None,
    )
