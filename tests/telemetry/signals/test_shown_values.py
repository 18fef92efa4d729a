"""Values that displays show in named slots: outdated once another one is shown there."""

from __future__ import annotations

import json
import random
from collections.abc import Callable

import pytest

from agingbench.records import Event
from agingbench.telemetry.profile import load_profile
from agingbench.telemetry.sessions.collect import collect
from agingbench.telemetry.signals.shown_values import shown_uses
from agingbench.telemetry.signals.value_uses import ValueUses

PROFILE = load_profile("code_assistant")
SERVICES = ("api", "mail", "search")

Held = dict[tuple[str, str], str]
Show = Callable[[Held], str]


def as_json(held: Held) -> str:
    return json.dumps({name: {"port": held[name, "port"]} for name in SERVICES})


def as_wrapped(held: Held) -> str:
    return json.dumps({"services": json.loads(as_json(held))})


def as_yaml(held: Held) -> str:
    return "\n".join(f"{name}:\n  port: {held[name, 'port']}" for name in SERVICES)


def as_table(held: Held) -> str:
    rows = [f"{name:<10}{held[name, 'port']:<8}up" for name in SERVICES]
    return "\n".join(["SERVICE   PORT    STATE", *rows])


def as_environment(held: Held) -> str:
    return "\n".join(f"{name.upper()}_PORT={held[name, 'port']}" for name in SERVICES)


def as_other_names(held: Held) -> str:
    called = {"api": "httpListen", "mail": "smtp.in", "search": "index_at"}
    return "\n".join(f"{called[name]}: {held[name, 'port']}" for name in SERVICES)


def life(
    shows: list[Show], stale: float, first_given_by_agent: bool = False
) -> tuple[list[Event], int]:
    """Return the events of an agent, and how often it gives a value that was replaced."""
    rng = random.Random(3)
    events: list[Event] = []
    held: Held = {(name, "port"): str(rng.randrange(20_000, 50_000)) for name in SERVICES}
    before: dict[tuple[str, str], str] = {}
    hits = 0

    def add(role: str, session: str, text: str) -> None:
        call = f"c{len(events) // 2}"
        event = Event(step=0, role=role, session_id=session, tool_call_id=call)  # type: ignore[arg-type]
        if role == "tool_call":
            event.tool_name = "Bash"
            event.arguments = {"command": text}
        else:
            event.stdout = text
        events.append(event)

    for number in range(16):
        session = f"s{number:02d}"
        events.append(Event(step=0, role="user", session_id=session, content="Deploy it, please."))
        events.append(Event(step=0, role="assistant", session_id=session, content="I do."))
        slot = (rng.choice(SERVICES), "port")
        if number:
            before[slot] = held[slot]
            held[slot] = str(rng.randrange(20_000, 50_000))
        if first_given_by_agent:
            add("tool_call", session, f"./set {slot[0]} {held[slot]}")
            add("tool_result", session, "done")
        add("tool_call", session, "./status")
        add("tool_result", session, rng.choice(shows)(held))
        for name in SERVICES:
            own = (name, "port")
            is_stale = own in before and rng.random() < stale
            hits += is_stale
            add("tool_call", session, f"./probe localhost:{(before if is_stale else held)[own]}/up")
            add("tool_result", session, "ok")

    for step, event in enumerate(events):
        event.step = step
        event.timestamp = 1_700_000_000.0 + 3_600 * step
    return events, hits


def uses_of(events: list[Event]) -> ValueUses:
    return shown_uses(collect(events, PROFILE), frozenset())


@pytest.mark.parametrize(
    "shows",
    [
        [as_json],
        [as_yaml],
        [as_table],
        [as_json, as_yaml, as_table],
        [as_wrapped, as_table],
        [as_json, as_environment],
    ],
)
def test_an_outdated_value_is_found_however_it_was_shown(shows: list[Show]) -> None:
    events, hits = life(shows, 0.3)
    uses = uses_of(events)
    assert uses.entities == len(SERVICES)
    assert hits > 5
    assert uses.stale.sum() == hits
    old, new = uses.given[-1]
    assert old != new


def test_an_agent_that_follows_the_changes_has_no_stale_uses() -> None:
    uses = uses_of(life([as_table], 0.0)[0])
    assert len(uses) > 20
    assert not uses.stale.any()


def test_values_that_the_agent_sets_itself_do_not_count() -> None:
    assert len(uses_of(life([as_table], 0.3, first_given_by_agent=True)[0])) == 0


def test_values_that_calls_do_not_follow_do_not_count() -> None:
    assert len(uses_of(life([as_table], 0.9)[0])) == 0


def test_a_value_that_two_slots_show_belongs_to_neither() -> None:
    def twice(held: Held) -> str:
        return "\n".join(f"{name}:\n  port: {held['api', 'port']}" for name in SERVICES)

    assert len(uses_of(life([twice], 0.3)[0])) == 0


def test_a_value_that_the_user_asks_for_is_not_stale() -> None:
    events, hits = life([as_table], 0.3)
    for event in events:
        if event.role == "user":
            said = [
                e.arguments["command"]
                for e in events
                if e.session_id == event.session_id and e.arguments
            ]
            event.content = "Please run " + ", ".join(said)
    uses = uses_of(events)
    assert hits
    assert len(uses)
    assert not uses.stale.any()


def test_names_that_show_the_same_values_mean_the_same() -> None:
    def both(held: Held) -> str:
        return rng.choice([as_json, as_other_names])(held)

    rng = random.Random(5)
    events, hits = life([both], 0.3)
    uses = uses_of(events)
    assert len(uses) > 20
    # What was shown last is not known where the other name stood in one display alone.
    assert hits / 2 < uses.stale.sum() <= hits


def test_settings_of_few_uses_are_looked_at_together() -> None:
    """Every setting is used two or three times: none of them could be told by itself."""
    names = ["queue", "bucket", "branch", "cluster", "tenant", "board"]
    events: list[Event] = []

    def add(role: str, text: str) -> None:
        event = Event(step=len(events), role=role, session_id=f"s{number:02d}")  # type: ignore[arg-type]
        event.timestamp = 1_700_000_000.0 + 3_600 * len(events)
        event.tool_call_id = f"c{len(events) // 2}"
        if role == "tool_call":
            event.tool_name = "Bash"
            event.arguments = {"command": text}
        elif role == "tool_result":
            event.stdout = text
        else:
            event.content = text
        events.append(event)

    for number, name in enumerate(names):
        add("user", "Do it, please.")
        add("assistant", "I do.")
        for version in (1, 2):
            add("tool_call", "./settings")
            add("tool_result", f"{name}: {name}-77{version}")
        for version in (2, 2, 1 if number % 3 == 0 else 2):
            add("tool_call", f"./use {name}-77{version}")
            add("tool_result", "ok")

    uses = uses_of(events)
    assert (len(uses), int(uses.stale.sum())) == (18, 2)
