"""From events to sessions: who belongs to what, what is counted, and that nothing is counted twice."""

from __future__ import annotations

import gc
import math
from collections.abc import Iterator
from typing import Any

import pytest

from agingbench.records import Event, Source, Usage
from agingbench.telemetry.profile import Profile, load_profile
from agingbench.telemetry.sessions.aggregates import TraceSessions
from agingbench.telemetry.sessions.collect import collect


@pytest.fixture
def profile() -> Profile:
    return load_profile("code_assistant")


def call(tool: str, session: str | None = "a", time: Any = 0.0, **fields: Any) -> Event:
    return Event(
        step=0, role="tool_call", tool_name=tool, session_id=session, timestamp=time, **fields
    )


def said(role: Any, text: str, session: str | None = "a", time: Any = 0.0, **fields: Any) -> Event:
    return Event(step=0, role=role, content=text, session_id=session, timestamp=time, **fields)


def test_sessions_come_in_the_order_in_which_they_began_whatever_the_files_say(
    profile: Profile,
) -> None:
    found = collect(
        [call("Read", "late", 900.0), call("Read", "early", 100.0), call("Edit", "late", 950.0)],
        profile,
    )
    assert [s.id for s in found.sessions] == ["early", "late"]
    assert found.sessions[1].calls_by_tool == {"Read": 1, "Edit": 1}
    assert found.mode == "explicit_id"


def test_without_ids_an_idle_gap_or_a_reset_command_begins_a_session(profile: Profile) -> None:
    events = [
        said("user", "hello", None, 0.0),
        call("Read", None, 10.0),
        said("user", "look at src/new/parser.py", None, 20.0),
        call("Read", None, 30.0),
        said("user", "/clear", None, 40.0),
        call("Read", None, 50.0),
        said("user", "next day", None, 90_000.0),
    ]
    found = collect(events, profile)
    assert [s.n_turns for s in found.sessions] == [2, 1, 1]
    assert found.mode == "idle_gap"
    assert [s.kind for s in found.lifecycle] == ["clear"]


def test_the_profile_decides_how_long_a_gap_is() -> None:
    events = [said("user", "one", None, 0.0), said("user", "two", None, 1200.0)]
    assert len(collect(events, load_profile("generic"))) == 1
    short = load_profile("generic", {"session_detection": {"fallback_idle_gap_minutes": 10}})
    assert len(collect(events, short)) == 2


def test_a_resumed_session_is_the_one_it_continues(profile: Profile) -> None:
    events = [
        call("Read", "first", 1.0),
        Event(
            step=0,
            role="meta",
            lifecycle="resume",
            session_id="second",
            metadata={"resumed_from": "first"},
        ),
        call("Read", "second", 2.0),
    ]
    found = collect(events, profile)
    assert [s.id for s in found.sessions] == ["first"]
    assert found.sessions[0].tool_calls == 2
    assert found.flags["sessions_joined"] == 1


def test_subagents_belong_to_their_parent_and_their_context_is_their_own(profile: Profile) -> None:
    def used(tokens: int, thread: str | None, time: float) -> Event:
        return call(
            "Read",
            "a",
            time,
            usage=Usage(input_tokens=tokens, calls=1),
            thread=thread,
            model="claude-x",
        )

    found = collect(
        [used(1000, None, 1.0), used(50_000, "sub", 2.0), used(1100, None, 3.0)], profile
    )
    session = found.sessions[0]
    assert len(found) == 1
    assert session.growth["Read"][:3] == [1.0, math.log(100), math.log(100) ** 2]
    assert session.input_tokens == 52_100


def test_growth_belongs_to_the_tool_between_and_stops_at_the_ceiling(profile: Profile) -> None:
    def step(load: int, tool: str) -> Event:
        usage = Usage(input_tokens=5, cache_read_tokens=load - 5, calls=1)
        return call(tool, usage=usage, model="claude-sonnet-4-5")

    loads = [
        (10_000, "Read"),
        (11_000, "Edit"),
        (11_500, "Read"),
        (9_000, "Read"),
        (190_000, "Read"),
        (191_000, "Read"),
    ]
    growth = collect([step(*row) for row in loads], profile).sessions[0].growth
    assert growth["Read"][:2] == [1.0, math.log(1000)]
    assert growth["Edit"][:2] == [1.0, math.log(500)]


def test_cached_tokens_are_part_of_the_load(profile: Profile) -> None:
    usage = Usage(input_tokens=3, cache_read_tokens=150_000, cache_write_tokens=40_000, calls=1)
    session = collect(
        [said("assistant", "hi", usage=usage, model="claude-opus-4-5")], profile
    ).sessions[0]
    assert session.saturation_sum / session.window_n == pytest.approx(0.95, abs=0.001)
    unknown = collect([said("assistant", "hi", usage=usage, model="mystery-1")], profile).sessions[
        0
    ]
    assert unknown.window_n == 0


def test_a_look_at_ones_own_change_repeats_nothing(profile: Profile) -> None:
    read: dict[str, Any] = {"arguments": {"file_path": "/a/b.py"}}
    again = collect([call("Read", **read), call("Read", **read)], profile).sessions[0]
    assert (again.reads, again.rereads) == (2, 1)
    edited = collect(
        [call("Read", **read), call("Edit", **read), call("Read", **read)], profile
    ).sessions[0]
    assert (edited.reads, edited.rereads) == (2, 0)
    between = [call("Bash", command="ls")] * 9
    after_change = [call("Edit", **read), *between, call("Read", **read)]
    later = collect(after_change, profile)
    assert later.sessions[0].rereads == 0
    twice = collect([*after_change, *between, call("Read", **read)], profile)
    assert twice.sessions[0].rereads == 1


def test_files_of_one_name_in_two_parts_of_a_project_are_two(profile: Profile) -> None:
    one: dict[str, Any] = {"arguments": {"file_path": "/p/crates/gate/src/tariff.rs"}}
    other: dict[str, Any] = {"arguments": {"file_path": "/p/crates/billing/src/tariff.rs"}}
    both = collect([call("Read", **one), call("Read", **other)], profile).sessions[0]
    assert (both.reads, both.rereads) == (2, 0)
    by_shell = call("Bash", command="cat crates/gate/src/tariff.rs")
    same = collect([call("Read", **one), by_shell], profile).sessions[0]
    assert (same.reads, same.rereads) == (2, 1)


def test_a_read_by_shell_repeats_one_by_tool(profile: Profile) -> None:
    events = [
        call("Read", arguments={"file_path": "/home/u/p/src/a.py"}),
        call("Bash", arguments={"command": "cat src/a.py"}),
        call("Bash", arguments={"command": "sed -n '10,40p' src/other.py"}),
        call("Read", arguments={"file_path": "/home/u/p/src/other.py", "offset": 200, "limit": 50}),
        call("Read", arguments={"file_path": "/home/u/p/src/other.py", "offset": 12, "limit": 20}),
    ]
    session = collect(events, profile).sessions[0]
    assert (session.reads, session.rereads) == (5, 2)


def test_how_much_there_was_to_read_again_is_told_apart(profile: Profile) -> None:
    reads = [call("Read", arguments={"file_path": f"/a/{i}.py"}) for i in (1, 2, 3, 1)]
    counts = collect(reads, profile).sessions[0].reads_by_exposure
    assert counts == {"file 1": [1, 0], "file 2": [2, 1]}


def test_locators_are_paths_ids_and_symbols(profile: Profile) -> None:
    named = ["src/app.py", "run test_login", "fix ABC-123", "parseHeader", "deadbeef01"]
    plain = ["list all", "make", "what now"]
    for text, expected in [(t, 1) for t in named] + [(t, 0) for t in plain]:
        session = collect([call("Bash", arguments={"command": text})], profile).sessions[0]
        assert sum(row[1] for row in session.naming.values()) == expected, text


def test_naming_is_counted_by_what_a_command_does_without_bookkeeping(profile: Profile) -> None:
    commands = ["git commit -m wip", "git diff src/a.py", "npm run lint", "git commit --amend"]
    calls = [call("Bash", arguments={"command": command}) for command in commands]
    calls += [call("TodoWrite", arguments={}), call("Read", arguments={"file_path": "/a/b.py"})]
    assert collect(calls, profile).sessions[0].naming == {
        "Bash git commit": [2, 0],
        "Bash git diff": [1, 1],
        "Bash npm lint": [1, 0],
        "Read": [1, 1],
    }


def test_errors_by_kind_and_only_the_agents_own_count(profile: Profile) -> None:
    def result(**fields: Any) -> Event:
        return Event(step=0, role="tool_result", session_id="a", timestamp=1.0, **fields)

    kinds = [
        result(error_kind="rejected"),
        result(error_kind="process"),
        result(exit_code=2),
        result(exit_code=0),
    ]
    session = collect([call("Bash"), *kinds], profile).sessions[0]
    assert session.errors == {"rejected": 1, "process": 2}
    assert session.process_errors == 2


def test_missing_times_are_filled_in_by_order_and_flagged(profile: Profile) -> None:
    events = [
        call("Read", "a", 100.0),
        call("Read", "b", None),
        call("Read", "c", 300.0),
        call("Read", "c", None),
    ]
    found = collect(events, profile)
    assert [s.id for s in found.sessions] == ["a", "b", "c"]
    assert found.sessions[1].start == pytest.approx(200.0)
    assert found.flags == {"times_interpolated": 2, "sessions_without_times": 1}


def test_numbered_sessions_keep_their_order_and_have_no_days(profile: Profile) -> None:
    events = [Event(step=0, role="user", content="x", session=i, timestamp=5.0) for i in range(3)]
    found = collect(events, profile)
    assert found.logical
    assert [s.id for s in found.sessions] == ["session-0", "session-1", "session-2"]


def test_compactions_inside_a_session_are_told_from_those_before_it(profile: Profile) -> None:
    mark = Event(step=0, role="meta", lifecycle="compaction", session_id="a", timestamp=2.0)
    found = collect([mark, call("Read", time=3.0), mark], profile)
    assert [s.within for s in found.lifecycle] == [False, True]


def test_nothing_at_all_is_no_session(profile: Profile) -> None:
    found = collect([], profile)
    assert isinstance(found, TraceSessions)
    assert (len(found), found.mode) == (0, "no_records")


def test_odd_arguments_cost_nothing(profile: Profile) -> None:
    odd: list[Any] = [
        None,
        "text",
        3,
        [1, 2],
        {"a": {"b": [1]}, "c": None, "d": float("inf")},
        {"file_path": "x" * 5000},
    ]
    found = collect([call("Read", arguments=value) for value in odd], profile)
    assert found.sessions[0].tool_calls == len(odd)


def test_a_dropped_context_is_a_guess_that_gives_way_to_a_recorded_compaction(
    profile: Profile,
) -> None:
    def used(load: int, time: float) -> Event:
        return call("Read", time=time, usage=Usage(input_tokens=load, calls=1), model="claude-x")

    drop = [used(100_000, 1.0), used(30_000, 2.0)]
    guessed = collect(drop, profile)
    assert [(s.kind, s.confidence, s.within) for s in guessed.lifecycle] == [
        ("context_drop", 0.5, True)
    ]
    mark = Event(step=0, role="meta", lifecycle="compaction", session_id="a", timestamp=3.0)
    recorded = collect([*drop, mark], profile)
    assert [s.kind for s in recorded.lifecycle] == ["compaction"]


def busy(sessions: int, calls: int) -> Iterator[Event]:
    """Sessions in which everything fails, is read again and names nothing."""
    for s in range(sessions):
        yield said("user", "go on", f"s{s}", float(s))
        for c in range(calls):
            at = s + c / 1000
            where = Source("t.jsonl", s * 1000 + c + 1)
            usage = Usage(input_tokens=100 + c * c, calls=1)
            call_id = f"{s}-{c}"
            yield call(
                "Read",
                f"s{s}",
                at,
                arguments={"what": "all"},
                tool_call_id=call_id,
                usage=usage,
                source=where,
            )
            yield Event(
                step=0,
                role="tool_result",
                session_id=f"s{s}",
                timestamp=at,
                tool_call_id=call_id,
                stdout="no",
                error_kind="process",
                source=where,
            )


def test_a_trace_is_let_go_of_without_the_garbage_collector(profile: Profile) -> None:
    collect(busy(2, 5), profile)  # caches of a first time are not its garbage
    gc.collect()
    gc.disable()
    try:
        found = collect(busy(20, 30), profile)
        assert len(found) == 20
        del found
        assert gc.collect() == 0
    finally:
        gc.enable()


def test_the_garbage_collector_is_left_as_it_was_found(profile: Profile) -> None:
    def broken() -> Iterator[Event]:
        seen.append(gc.get_threshold()[0])
        yield call("Read")
        raise OSError("gone")

    seen: list[int] = []
    before = gc.get_threshold()
    with pytest.raises(OSError, match="gone"):
        collect(broken(), profile)
    assert gc.get_threshold() == before
    assert seen[0] > before[0]
    gc.set_threshold(0)
    try:
        with pytest.raises(OSError, match="gone"):
            collect(broken(), profile)
        assert (seen[1], gc.get_threshold()[0]) == (0, 0)
    finally:
        gc.set_threshold(*before)


def test_evidence_grows_with_sessions_and_not_with_records(profile: Profile) -> None:
    kinds = ["tool:Read", "error_rate", "reread_rate", "tool_argument_specificity"]
    short, long = (collect(busy(4, n), profile).evidence_index for n in (10, 400))
    assert len(short) == len(long) == 4 * (1 + 3 + 3 + 3)
    assert short.places(kinds) == long.places(kinds)
    assert short.places(["error_rate"])[2, "error_rate"] == [
        Source("t.jsonl", 2001 + i) for i in range(3)
    ]
    assert short.places(["never"]) == {}


def test_sessions_that_take_turns_remember_what_they_read(profile: Profile) -> None:
    def reads(name: str, first: int, n: int) -> list[Event]:
        return [
            call("Read", name, arguments={"file_path": f"/x/{i}.py"})
            for i in range(first, first + n)
        ]

    edit = call("Edit", "a", arguments={"file_path": "/x/80.py"})
    # What was read before counts after a while in another session too.
    events = [
        *reads("a", 0, 99),
        edit,
        *reads("b", 0, 70),
        *reads("a", 71, 28),
        *reads("b", 41, 29),
    ]
    by_name = {s.id: s for s in collect(events, profile).sessions}
    # All but the one that was changed.
    assert (by_name["a"].reads, by_name["a"].rereads) == (127, 27)
    assert (by_name["b"].reads, by_name["b"].rereads) == (99, 29)


def test_many_sessions_without_times_stand_between_their_neighbours(profile: Profile) -> None:
    names = [f"{i:05}" for i in range(3001)]
    events = [
        call("Read", name, float(i) if i % 1000 == 0 else None) for i, name in enumerate(names)
    ]
    found = collect(events, profile)
    assert [s.id for s in found.sessions] == names
    assert [s.start for s in found.sessions] == pytest.approx([float(i) for i in range(3001)])
