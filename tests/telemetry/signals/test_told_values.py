"""Values told in passing: found under any name, however packed, and outdated once replaced."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from agingbench.records import Event
from agingbench.telemetry.profile import load_profile
from agingbench.telemetry.sessions.collect import collect
from agingbench.telemetry.sessions.told_log import given_words
from agingbench.telemetry.signals.told_values import shape_of, told_uses
from agingbench.telemetry.signals.value_uses import ValueUses

PROFILE = load_profile("code_assistant")
SUBJECTS = {"curfew": "time", "freight tariff": "code", "loading bay": "code", "headcount": "int"}
STALE = 0.2

Give = Callable[[str, str, str], Event]


def value_of(kind: str, rng: random.Random) -> str:
    if kind == "time":
        return f"{rng.randrange(6, 22):02d}:{rng.randrange(10, 59)}"
    if kind == "int":
        return str(rng.randrange(100, 999))
    return f"{rng.choice('KLMT')}{rng.choice('ABDF')}{rng.randrange(10, 99)}"


def call(arguments: object) -> Callable[[str], Event]:
    def make(session: str) -> Event:
        return Event(
            step=0, role="tool_call", session_id=session, tool_name="book", arguments=arguments
        )

    return make


def nested(subject: str, value: str, session: str) -> Event:
    return call({"job": "book", "opts": {"deep": {subject[:3]: value}}})(session)


def composite(subject: str, value: str, session: str) -> Event:
    return call({"job": "book", "target": f"A17-{value}-0412"})(session)


def shell(subject: str, value: str, session: str) -> Event:
    return call({"command": f"./run book --{subject[:4]}={value} --quiet"})(session)


def prose(subject: str, value: str, session: str) -> Event:
    text = f"For the note: the {subject} is {value}."
    return Event(step=0, role="assistant", session_id=session, content=text)


def life(give: Give, stale: float = STALE, sessions: int = 12) -> tuple[list[Event], int]:
    """Return the events of an agent, and how often it gives a value that was replaced."""
    rng = random.Random(7)
    held = {subject: value_of(kind, rng) for subject, kind in SUBJECTS.items()}
    before: dict[str, str] = {}
    events: list[Event] = []
    hits = 0

    def say(text: str, session: str) -> None:
        events.append(Event(step=0, role="user", session_id=session, content=text))

    for number in range(sessions):
        session = f"s{number:02d}"
        for subject, kind in SUBJECTS.items():
            say(f"The {subject} is {held[subject]}, by the way. Please tidy up the list.", session)
            events.append(give(subject, held[subject], session))
            new = value_of(kind, rng)
            old = held[subject]
            before[subject] = old
            held[subject] = new
            say(f"Heads-up: the {subject} moved from {old} to {new}. Then check it.", session)
            for _ in range(3):
                say("Go on with the next one.", session)
                is_stale = rng.random() < stale
                hits += is_stale
                events.append(give(subject, before[subject] if is_stale else new, session))

    for step, event in enumerate(events):
        event.step = step
        event.timestamp = 1_700_000_000.0 + 60 * step
    return events, hits


def uses_of(events: list[Event]) -> ValueUses:
    return told_uses(collect(events, PROFILE), frozenset())


@pytest.mark.parametrize("give", [nested, composite, shell, prose])
def test_an_outdated_value_is_found_however_it_is_packed(give: Give) -> None:
    events, hits = life(give)
    uses = uses_of(events)
    assert uses.entities == len(SUBJECTS)
    assert hits > 10
    assert 0.8 * hits <= uses.stale.sum() <= 1.1 * hits


def test_an_agent_that_follows_the_changes_has_no_stale_uses() -> None:
    events, _ = life(nested, stale=0.0)
    uses = uses_of(events)
    assert len(uses) > 100
    assert not uses.stale.any()


def test_a_value_that_the_user_asks_for_is_not_stale() -> None:
    events, _ = life(nested, stale=0.0)
    asked = Event(step=0, role="user", session_id="s11", content="")
    last = [event for event in events if event.role == "user"][-1]
    old = str([e.content for e in events if e.role == "user"][-4]).split("from ")[1].split(" ")[0]
    asked.content = f"For comparison run it once with {old} too."
    asked.timestamp = (last.timestamp or 0.0) + 500
    again = nested("headcount", old, "s11")
    again.timestamp = asked.timestamp + 1
    assert not uses_of([*events, asked, again]).stale.any()


def test_ids_that_are_named_once_are_no_values() -> None:
    events: list[Event] = []
    for number in range(120):
        session = f"s{number // 10:02d}"
        name = f"CB-{1000 + 37 * number}"
        text = f"Open a ticket for customer {name}."
        events.append(Event(step=0, role="user", session_id=session, content=text))
        events.append(call({"customer": name})(session))
        if number:
            earlier = f"CB-{1000 + 37 * (number - 1)}"
            events.append(call({"customer": earlier})(session))
    for step, event in enumerate(events):
        event.step = step
        event.timestamp = 1_700_000_000.0 + 60 * step

    assert len(uses_of(events)) == 0


def test_how_a_value_is_written() -> None:
    assert shape_of("14:05") == shape_of("09:30")
    assert shape_of("kd41") == shape_of("lm7")
    assert shape_of("14:05") != shape_of("1405")


def test_the_folders_of_a_file_are_no_values() -> None:
    given = dict(given_words("Read", {"file_path": "/work/Depot/api/orders.py"}))
    assert given == {"Read .file_path": ()}
    numbered = dict(given_words("Read", {"file_path": "/work/depot/api-17/orders.py"}))
    assert "api-17" in numbered["Read .file_path"]
    assert "depot" in dict(given_words("book", {"place": "depot/north"}))["book .place"]


TOLD = (
    "the {k} is {v} now",
    "heads up, {k} changed: {v}",
    "forget {o}, {k} is {v}",
    "use {v} as {k}",
)


def told_once(stale: float) -> tuple[list[Event], int]:
    """Return an agent to whom every value is told once and that gives it in later sessions."""
    rng = random.Random(11)
    keys = {
        "export bucket": "hcf-exp-{n}",
        "replica host": "pg-{n}.internal",
        "gateway port": "{n}",
    }
    held = {key: form.format(n=rng.randrange(1000, 9999)) for key, form in keys.items()}
    before: dict[str, str] = {}
    events: list[Event] = []
    hits = 0

    def say(session: str, text: str) -> None:
        events.append(Event(step=0, role="user", session_id=session, content=text))

    say("s00", ", ".join(f"{key} {value}" for key, value in held.items()))
    for number in range(24):
        session = f"s{number:02d}"
        say(session, "please have a look at the loader.")
        if number % 2:
            key = rng.choice(sorted(keys))
            before[key] = held[key]
            held[key] = keys[key].format(n=rng.randrange(1000, 9999))
            say(session, rng.choice(TOLD).format(k=key, v=held[key], o=before[key]))
            say(session, "then go on.")
        for key in keys:
            is_stale = key in before and rng.random() < stale
            hits += is_stale
            value = before[key] if is_stale else held[key]
            command = rng.choice(
                [f"./run --x {value}", f"curl s3://{value}/a", f"echo X={value} > e"]
            )
            events.append(call({"command": command})(session))

    for step, event in enumerate(events):
        event.step = step
        event.timestamp = 1_700_000_000.0 + 3_600 * step
    return events, hits


def test_a_value_that_is_told_once_is_followed_through_later_sessions() -> None:
    events, hits = told_once(0.2)
    uses = uses_of(events)
    assert uses.entities == 3
    assert hits > 6
    assert 0.8 * hits <= uses.stale.sum() <= hits
    assert uses.exact == len(uses)


def test_told_once_and_always_followed_is_never_stale() -> None:
    uses = uses_of(told_once(0.0)[0])
    assert len(uses) > 30
    assert not uses.stale.any()
