"""Outdated values are found from data under any names; choices never count."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest

from agingbench.records import Event
from agingbench.telemetry.profile import load_profile
from agingbench.telemetry.sessions.aggregates import TraceSessions
from agingbench.telemetry.sessions.collect import collect
from agingbench.telemetry.sessions.entities import attribute_of
from agingbench.telemetry.signals.value_facts import facts_uses
from agingbench.telemetry.signals.value_uses import ValueUses
from agingbench.telemetry.signals.value_witnesses import read_witnesses
from agingbench.validity.value_work import DOMAINS, ValueWork

PROFILE = load_profile("generic")


def trace_of(calls: Iterator[tuple[str, dict[str, object], str]]) -> TraceSessions:
    events = []
    for number, (tool, arguments, result) in enumerate(calls):
        common = {"session_id": f"s{number // 20}", "tool_call_id": f"c{number}"}
        call = Event(
            step=0, role="tool_call", tool_name=tool, arguments=arguments, timestamp=60.0 * number
        )
        shown = Event(
            step=0, role="tool_result", tool_name=tool, stdout=result, timestamp=60.0 * number + 1
        )
        for event in (call, shown):
            event.session_id = common["session_id"]
            event.tool_call_id = common["tool_call_id"]
            events.append(event)

    return collect(events, PROFILE)


def uses_of(trace: TraceSessions) -> tuple[ValueUses, set[tuple[str, str]]]:
    return facts_uses(trace, read_witnesses(trace))


@pytest.mark.parametrize("place", range(len(DOMAINS)))
def test_values_are_found_under_any_names(place: int) -> None:
    work = ValueWork(np.random.default_rng(5))
    work.shows, work.uses, work.keys, work.shown, work.given = DOMAINS[place]
    trace = trace_of(work.call(0.3) for _ in range(300))
    uses, covered = uses_of(trace)
    assert covered == {(work.uses, attribute_of(work.given))}
    assert len(uses) > 60
    assert 0.2 < uses.stale.mean() < 0.45
    given, held = uses.given[-1]
    assert given != held


def test_nothing_stale_is_nothing_stale() -> None:
    work = ValueWork(np.random.default_rng(6))
    uses, _ = uses_of(trace_of(work.call(0.0) for _ in range(300)))
    assert len(uses) > 60
    assert uses.stale.sum() == 0


def test_choices_and_flags_never_count() -> None:
    rng = np.random.default_rng(7)
    kinds = ("general", "explore", "plan")

    def calls() -> Iterator[tuple[str, dict[str, object], str]]:
        for _ in range(200):
            kind = str(rng.choice(kinds))
            path = f"src/part{int(rng.integers(5))}.py"
            yield "Task", {"subagent_type": kind, "path": path}, json.dumps({"agent": kind})

    uses, covered = uses_of(trace_of(calls()))
    assert len(uses) == 0
    assert not covered


def test_values_that_the_agent_sets_itself_never_count() -> None:
    rng = np.random.default_rng(8)
    state: dict[str, str] = {}

    def calls() -> Iterator[tuple[str, dict[str, object], str]]:
        for number in range(300):
            thing = f"job-{int(rng.integers(6))}"
            if number % 2:
                state[thing] = f"v{number}"
                yield "set_job", {"job": thing, "revision": state[thing]}, "ok"
            else:
                row = {"job": thing, "revision": state.get(thing, "none")}
                yield "get_job", {"job": thing}, json.dumps(row)

    uses, covered = uses_of(trace_of(calls()))
    assert not covered
    assert len(uses) == 0


def told_trace(change: str) -> TraceSessions:
    """Two values per session: told, used, replaced in the user's words, and used once more."""
    events = []
    clock = 0.0
    for session in range(12):
        for thing in ("main hall", "studio"):
            old = f"LYT-{session}{len(thing)}1"
            new = f"LYT-{session}{len(thing)}2"
            said = [
                f"for {thing} the layout is {old}",
                change.format(s=thing, old=old, x=new),
                "and once more",
            ]
            values = (old, old if session % 3 == 0 else new, new)
            for text, value in zip(said, values, strict=True):
                clock += 60.0
                user = Event(step=0, role="user", content=text, timestamp=clock)
                arguments = {"house": thing, "cfg": {"rev": value}, "rid": int(clock)}
                call = Event(
                    step=0,
                    role="tool_call",
                    tool_name="load",
                    tool_call_id=f"c{clock}",
                    arguments=arguments,
                    timestamp=clock + 1,
                )
                for event in (user, call):
                    event.session_id = f"s{session}"
                    events.append(event)

    return collect(events, PROFILE)


@pytest.mark.parametrize(
    "change",
    [
        "the layout of {s} isn't {old} any longer, they settled on {x}",
        "forget {old}; {s} goes with {x}",
        "{s}: layout went from {old} to {x} after the review",
        "{s} runs with {x} from now on",
    ],
)
def test_a_value_replaced_in_prose_is_found_under_nested_arguments(change: str) -> None:
    uses, covered = uses_of(told_trace(change))
    assert covered == {("load", "cfg.rev")}
    assert uses.stale.sum() == 8


@pytest.mark.parametrize(("numbered", "counts"), [(False, False), (True, True)])
def test_plain_words_of_a_command_are_no_settings(numbered: bool, counts: bool) -> None:
    """Which of the tests of a crate is run is chosen, though results name them too."""
    rng = np.random.default_rng(9)
    words = (f"{''.join(letters)}s" for letters in product("aeiou", "lmnrt", "aeiou"))
    names = (f"{word}{len(word)}" if numbered else word for word in words)
    last: dict[str, list[str]] = {}

    def calls() -> Iterator[tuple[str, dict[str, object], str]]:
        for _ in range(400):
            crate = f"crate{int(rng.integers(4))}"
            history = last.setdefault(crate, [])
            if not history or rng.random() < 0.15:
                history.append(next(names))
                yield "Bash", {"command": f"cargo info {crate}"}, f"{crate}: {history[-1]}\n"
            given = history[-1 if len(history) < 2 or rng.random() > 0.25 else -2]
            yield "Bash", {"command": f"cargo test {crate}::{given}"}, "ok"

    uses, _ = uses_of(trace_of(calls()))
    assert (len(uses) > 0) == counts
