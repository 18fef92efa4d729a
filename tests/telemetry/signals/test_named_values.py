"""Values of settings: found by the name of their argument, outdated once replaced."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Literal

import pytest

from agingbench.records import Event, Source
from agingbench.telemetry.inference.null_model import null_model
from agingbench.telemetry.profile import load_profile
from agingbench.telemetry.sessions.collect import collect
from agingbench.telemetry.signals.named_values import named_uses
from agingbench.telemetry.signals.revision import revision
from agingbench.telemetry.signals.value_uses import ValueUses
from agingbench.telemetry.signals.value_witnesses import read_witnesses

PROFILE = load_profile("code_assistant")
NAMES = ("ship_date", "preview_port", "depot")
STALE = 0.2

Role = Literal["user", "tool_call", "tool_result"]
Tell = Callable[[str, str, str | None], tuple[Role, str]]  # name, value, old one -> role and text
Give = Callable[[str, str], object]


def by_user(name: str, value: str, old: str | None) -> tuple[Role, str]:
    spoken = name.replace("_", " ")
    if old is None:
        return "user", f"The {spoken} is {value}."
    return "user", f"Please switch the {spoken} from {old} to {value}."


def by_result(name: str, value: str, old: str | None) -> tuple[Role, str]:
    return "tool_result", json.dumps({"unit": "north", name: value})


def as_argument(name: str, value: str) -> object:
    return {"form": "intake", name: value}


def deep(name: str, value: str) -> object:
    return {"form": "intake", "terms": {"basis": {name: value}}}


def as_option(name: str, value: str) -> object:
    return {"command": f"./desk submit --form intake --{name} {value}"}


class Life:
    """Events of an agent that uses settings which change now and then."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.stale = 0

    def add(self, role: Role, session: int, text: str = "", arguments: object = None) -> None:
        """Append one event, a minute after the one before."""
        number = len(self.events)
        event = Event(
            step=0,
            role=role,
            session_id=f"s{session}",
            timestamp=60.0 * number,
            source=Source("trace.jsonl", number + 1),
        )
        if role == "tool_call":
            event.tool_name = "desk"
            event.tool_call_id = f"c{number}"
            event.arguments = arguments
        elif role == "tool_result":
            event.tool_name = "settings"
            event.tool_call_id = f"c{number}"
            event.stdout = text
        else:
            event.content = text
        self.events.append(event)

    def uses(self) -> ValueUses:
        """Return what is found in it."""
        trace = collect(self.events, PROFILE)
        return named_uses(read_witnesses(trace), frozenset())


def life(tell: Tell, give: Give, stale: float = STALE, sessions: int = 12) -> Life:
    rng = random.Random(11)
    made = Life()
    held: dict[str, list[str]] = {name: [] for name in NAMES}
    for session in range(sessions):
        for name in NAMES:
            values = held[name]
            if not values or rng.random() < 0.4:
                fresh = f"V{rng.randrange(1000, 9999)}"
                role, text = tell(name, fresh, values[-1] if values else None)
                if role == "tool_result":
                    made.add("tool_call", session, arguments={"scope": "all", "kind": "live"})
                made.add(role, session, text)
                values.append(fresh)
            for _ in range(4):
                made.add("user", session, "And book the next one.")
                is_stale = len(values) > 1 and rng.random() < stale
                made.stale += is_stale
                made.add("tool_call", session, arguments=give(name, values[-1 - is_stale]))

    return made


@pytest.mark.parametrize("give", [as_argument, deep, as_option])
@pytest.mark.parametrize("tell", [by_user, by_result])
def test_outdated_values_of_settings_are_counted_once_each(tell: Tell, give: Give) -> None:
    made = life(tell, give)
    uses = made.uses()
    assert len(uses) > 80
    assert uses.stale.sum() == made.stale
    given, current = uses.given[-1]
    assert given != current


def test_an_agent_that_follows_every_change_has_none() -> None:
    uses = life(by_user, as_argument, stale=0.0).uses()
    assert len(uses) > 80
    assert uses.stale.sum() == 0


def test_a_value_that_the_user_asks_for_is_no_slip() -> None:
    made = life(by_user, as_argument, stale=0.0)
    for session in (12, 13):
        made.add("user", session, "The depot is V1.")
        made.add("user", session, "Please switch the depot from V1 to V2.")
        made.add("user", session, "This once book it for the old depot V1.")
        made.add("tool_call", session, arguments=as_argument("depot", "V1"))

    assert made.uses().stale.sum() == 0


def test_the_value_before_the_first_change_is_known_by_what_is_said_of_it() -> None:
    made = Life()
    for session, name in enumerate(("ship_date", "depot", "preview_port")):
        spoken = name.replace("_", " ")
        made.add("user", session, f"The {spoken} is V8{session} now, no longer V7{session}.")
        for value in ("V8", "V8", "V8", "V8", "V7"):
            made.add("tool_call", session, arguments=as_argument(name, f"{value}{session}"))

    uses = made.uses()
    assert (len(uses), uses.stale.sum()) == (15, 3)
    assert set(uses.given) == {("v70", "v80"), ("v71", "v81"), ("v72", "v82")}


def test_choices_that_nobody_states_never_count() -> None:
    rng = random.Random(3)
    made = Life()
    for session in range(10):
        made.add("user", session, "Look for the places that print a total.")
        for _ in range(8):
            mode = rng.choice(("content", "count", "files"))
            made.add("tool_call", session, arguments={"pattern": "total", "output_mode": mode})

    assert len(made.uses()) == 0


def test_a_name_whose_values_come_back_with_every_record_is_no_setting() -> None:
    """The status of one record says nothing about that of another."""
    rng = random.Random(4)
    made = Life()
    for session in range(12):
        made.add("user", session, "Bring the records up to date.")
        for _ in range(6):
            record = rng.randrange(40)
            made.add("tool_call", session, arguments={"record": record, "view": "full"})
            shown = {"record": record, "status": rng.choice(("open", "held", "closed"))}
            made.add("tool_result", session, json.dumps(shown))
            status = rng.choice(("open", "held", "closed"))
            made.add("tool_call", session, arguments={"record": record, "status": status})

    assert len(made.uses()) == 0


def test_records_that_are_counted_elsewhere_are_left_out() -> None:
    made = life(by_user, as_argument)
    trace = collect(made.events, PROFILE)
    witnesses = read_witnesses(trace)
    everything = named_uses(witnesses, frozenset())
    assert len(named_uses(witnesses, everything.places)) == 0


@pytest.mark.parametrize(("sessions", "is_tested"), [(range(24), True), (range(17, 23), False)])
def test_uses_in_one_corner_of_a_trace_tell_no_trend(sessions: range, is_tested: bool) -> None:
    rng = random.Random(5)
    made = Life()
    for session in range(24):
        made.add("user", session, "Look at the orders of today.")
        made.add("tool_call", session, arguments={"form": "orders", "view": "all"})
        if session in sessions:
            made.add("user", session, f"Please switch the depot from V{session} to V{session + 1}.")
            for _ in range(6):
                value = f"V{session + (rng.random() > 0.2)}"
                made.add("tool_call", session, arguments=as_argument("depot", value))

    trace = collect(made.events, PROFILE)
    found = revision(trace, null_model(trace), 0.012)
    assert (found.p is not None) == is_tested
