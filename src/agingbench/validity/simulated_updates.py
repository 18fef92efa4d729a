"""Simulated coding agents whose client is updated, with or without an effect of the update."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from agingbench.records import Event, Usage
from agingbench.telemetry.sessions.tool_kinds import READING, SHELL, files_of_call, kind_of_call

START = 1_760_000_000.0
DAY = 86_400.0
ERRORS = 0.06  # of results, before the update
MORE_ERRORS = 0.10  # that an update adds
MORE_ERRORS_REAL = 0.15  # that an update adds to a real trace
READS = 3.0  # per change, before the update
FEWER_READS = 1 / 3  # of them that are left after it: 6.6 to 2.0 in a public analysis
OTHER_UPDATES = 2  # without any effect
LIKENESS = 0.3  # of a session to the one before it
OLD_CLIENT = "1.0.0"
NEW_CLIENT = "9.9.9"
LONGEST_DAY = 80_000.0  # seconds of a session that are kept
MODEL = "claude-opus-4-5"


@dataclass(frozen=True)
class UpdatedAgent:
    """An agent with several client versions, one of which may do harm from its first session on."""

    seed: int
    sessions: int = 24
    has_effect: bool = True

    @property
    def updates(self) -> list[int]:
        """The sessions that begin with a new client version."""
        rng = np.random.default_rng([self.seed, 4])
        places = [place for place in range(2, self.sessions - 2) if abs(place - self.update) > 3]
        others = rng.permutation(places)[:OTHER_UPDATES]
        return sorted({self.update, *(int(place) for place in others)})

    @property
    def update(self) -> int:
        """The session from which the planted update acts."""
        rng = np.random.default_rng([self.seed, 1])
        third = self.sessions // 3
        return int(rng.integers(third, 2 * third + 1))

    @property
    def version(self) -> str:
        """The client version of the planted update."""
        return self._version(self.update)

    def _version(self, session: int) -> str:
        return f"2.1.{10 + sum(place <= session for place in self.updates)}"

    def events(self) -> Iterator[Event]:
        """Yield the whole trace, one session a day."""
        rng = np.random.default_rng([self.seed, 2])
        noise = np.zeros(3)
        for session in range(self.sessions):
            fresh = rng.standard_normal(3) * np.array([0.3, 0.4, 0.3])
            noise = LIKENESS * noise + np.sqrt(1 - LIKENESS**2) * fresh
            acts = self.has_effect and session >= self.update
            errors = ERRORS * float(np.exp(noise[1])) + (MORE_ERRORS if acts else 0.0)
            reads = READS * float(np.exp(noise[0])) * (FEWER_READS if acts else 1.0)
            work = float(np.exp(noise[2]))
            yield from self._session(session, rng, min(0.9, errors), reads, work)

    def _session(
        self, session: int, rng: np.random.Generator, errors: float, reads: float, work: float
    ) -> Iterator[Event]:
        time = START + DAY * session
        step = 0
        for request in range(int(rng.integers(3, 9))):
            changes = 1 + int(rng.poisson(1.5 * work))
            tools = ["Edit"] * changes
            tools += ["Read"] * int(rng.poisson(reads * changes))
            tools += ["Bash"] * int(rng.poisson(2 * work))
            order = rng.permutation(len(tools))
            common = {"session_id": f"s{session}", "client": self._version(session)}

            step += 1
            time += 60.0
            text = f"please look at part {request} of item {session}"
            yield Event(step=step, role="user", content=text, timestamp=time, **common)  # type: ignore[arg-type]
            load = 20_000
            for place in order:
                tool = tools[int(place)]
                load += int(rng.integers(200, 2000))
                step += 1
                time += 5.0
                name = f"c{session}-{step}"
                file = f"/work/file_{int(rng.integers(0, 30))}.py"
                arguments = {"command": f"make {file}"} if tool == "Bash" else {"file_path": file}
                yield Event(
                    step=step,
                    role="tool_call",
                    tool_name=tool,
                    arguments=arguments,
                    tool_call_id=name,
                    timestamp=time,
                    usage=Usage(500, 100, load, 300, None, 1),
                    model=MODEL,
                    **common,  # type: ignore[arg-type]
                )
                failed = rng.random() < errors
                yield Event(
                    step=step,
                    role="tool_result",
                    tool_name=tool,
                    stdout="failed" if failed else "ok",
                    tool_call_id=name,
                    timestamp=time + 2.0,
                    error_kind="process" if failed else None,
                    **common,  # type: ignore[arg-type]
                )


def shuffled_sessions(events: Iterable[Event], seed: int) -> list[list[Event]]:
    """Return the sessions of a real trace in random order, one a day and all with one client.

    What hangs together between sessions is gone; how much sessions differ is as it was.
    """
    sessions: dict[str, list[Event]] = {}
    for event in events:
        if event.session_id is not None:
            sessions.setdefault(event.session_id, []).append(event)

    names = list(sessions)
    rng = np.random.default_rng([seed, 5])
    shuffled = [sessions[names[place]] for place in rng.permutation(len(names))]
    for day, session in enumerate(shuffled):
        times = [event.timestamp for event in session if isinstance(event.timestamp, float)]
        begin = min(times, default=0.0)
        for event in session:
            event.client = OLD_CLIENT
            if isinstance(event.timestamp, float):
                within = min(event.timestamp - begin, LONGEST_DAY)
                event.timestamp = START + DAY * day + within

    return shuffled


def plant_update(
    sessions: list[list[Event]],
    place: int,
    seed: int,
    has_effect: bool,
    more_errors: float = MORE_ERRORS_REAL,
    reads_left: float = FEWER_READS,
) -> Iterator[Event]:
    """Yield sessions that run a new client from `place` on, which may do harm.

    With an effect, more results fail, and most reads are gone with their results: all that the
    panel counts as reads, so shell commands that only read as well.
    """
    rng = np.random.default_rng([seed, 3])
    for number, session in enumerate(sessions):
        gone: set[str] = set()  # a client may count its calls anew in each session
        for event in session:
            if number < place:
                yield event
                continue

            event.client = NEW_CLIENT
            if has_effect and _reads(event) and rng.random() >= reads_left:
                if event.tool_call_id is not None:
                    gone.add(event.tool_call_id)
            elif has_effect and event.role == "tool_result":
                if event.tool_call_id in gone:
                    continue
                if event.error_kind is None and rng.random() < more_errors:
                    event.error_kind = "process"
                yield event
            else:
                yield event


def _reads(event: Event) -> bool:
    """Return whether an event is a call that the panel counts as a read."""
    if event.role != "tool_call" or event.tool_name is None:
        return False

    kind = kind_of_call(event.tool_name, event.arguments)
    return kind in (READING, SHELL) and files_of_call(kind, event.arguments) is not None
