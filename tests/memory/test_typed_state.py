"""The typed-state overlay: what moves a value, what does not, and that everything else is the inner
policy's.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agingbench.agents.react import ReactAgent
from agingbench.agents.workspace_agent import WorkspaceAgent
from agingbench.errors import InputError, UnknownName
from agingbench.interfaces import Memory
from agingbench.memory.append_only import AppendOnly
from agingbench.memory.build import build_memory
from agingbench.memory.typed_state import (
    MOST_NAMES,
    SIDECAR,
    TypedState,
    carries_sentinels,
    sentinels,
    strip_sentinels,
)
from agingbench.models.extractive import Extractive
from agingbench.records import Event, Message, Unit
from agingbench.registry import conform


def user(text: str) -> Event:
    return Event(step=0, role="user", content=text)


def overlay(inner: str = "append_only", **options: Any) -> TypedState:
    memory = build_memory(f"typed_state+{inner}", Extractive(), **options)
    assert isinstance(memory, TypedState)
    return memory


def shown(memory: TypedState) -> dict[str, Any]:
    head = memory.read("").partition("\n\n")[0]
    found: dict[str, Any] = json.loads(head) if head.startswith("{") else {}
    return found


class Spy(AppendOnly):
    """Keeps the events that it was given."""

    def write(self, events: Sequence[Event]) -> None:
        self.seen = list(events)
        super().write(events)


# -- parsing


def test_values_follow_the_text() -> None:
    memory = overlay()
    memory.write([user("[ACCUM_INIT:budget:5000] My budget starts with $5,000.")])
    memory.write(
        [
            user("I paid $300 out of my budget [ACCUM:budget:-300]."),
            user("[ACCUM:budget:+12.50] A refund."),
        ]
    )
    memory.write([user("Nothing moved today.")])
    assert shown(memory) == {"budget": 4712.5, "sessions_used": 3}
    assert memory.read("budget").startswith('{"budget": 4712.5, "sessions_used": 3}\n\n')


def test_cents_do_not_drift() -> None:
    memory = overlay()
    memory.write([user("[ACCUM_INIT:a:0]" + "[ACCUM:a:+0.1]" * 30)])
    assert shown(memory)["a"] == 3


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("[ACCUM:a:+1] I paid.", "I paid."),
        ("Before. [ACCUM:a:+1] I paid.", "Before. I paid."),
        ("I paid [ACCUM:a:+1].", "I paid."),
        ("I paid [ACCUM:a:+1]", "I paid"),
        ("I paid[ACCUM:a:+1] more", "I paid more"),
        ("One\n[ACCUM:a:+1] two", "One\ntwo"),
        ("[ACCUM:a:+1][ACCUM_INIT:b:2]", ""),
        ("An [ordinary] bracket and [ACCUM:a:none].", "An [ordinary] bracket and [ACCUM:a:none]."),
    ],
)
def test_sentinels_are_taken_out_and_nothing_else(text: str, left: str) -> None:
    assert strip_sentinels(text) == left


@given(
    st.lists(
        st.sampled_from(["I paid.", "[ACCUM:a:-3]", "[ACCUM_INIT:a:9]", "[ACCUM:a:x]", "$5", "\n"]),
        max_size=9,
    )
)
def test_what_is_left_holds_no_sentinel_and_all_the_words(parts: list[str]) -> None:
    text = " ".join(parts)
    left = strip_sentinels(text)
    assert not carries_sentinels(left)
    assert left.split() == [
        word for word in text.split() if word not in ("[ACCUM:a:-3]", "[ACCUM_INIT:a:9]")
    ]
    assert strip_sentinels(left) == left


@pytest.mark.parametrize(
    "odd",
    [
        "[ACCUM:a:NaN]",
        "[ACCUM:a:Infinity]",
        "[ACCUM:a:+1e999]",
        "[ACCUM:a:5]",
        "[ACCUM:a:+]",
        "[ACCUM::+5]",
        "[ACCUM:a]",
        "[ACCUM:a:+1:+2]",
        "[ACCUM:1a:+5]",
        f"[ACCUM:a:+{'9' * 16}]",
        f"[ACCUM:{'n' * 65}:+5]",
        "[ACCUM:a:+1.1234567]",
        "[ACCUM:sessions_used:+5]",
        "[ACCUM_INIT:sessions_used:5]",
        "[ACCUM:a:+$5]",
        "[ACCUM:a:+\u0665]",
        "[ACCUM_INIT:a:]",
        "[ACCUM_INIT:a:0x10]",
    ],
)
def test_odd_sentinels_move_nothing_and_stay_in_the_text(odd: str) -> None:
    spy = Spy()
    memory = TypedState(spy)
    memory.write([user("[ACCUM_INIT:a:7]"), user(f"Look: {odd} there.")])
    assert memory.sidecar.values == {"a": 7}
    assert memory.sidecar.odd["malformed"] == 1
    assert odd in (spy.seen[1].content or "")


def test_case_and_nesting_are_not_guessed() -> None:
    assert list(sentinels("[accum:a:+1] [ Accum:a:+1] (ACCUM:a:+1)")) == []
    assert [s and s.name for s in sentinels("[ACCUM:[ACCUM:a:+1]:+2]")] == ["a"]


def test_a_second_opening_sets_the_value_anew() -> None:
    memory = overlay()
    memory.write([user("[ACCUM_INIT:a:10] [ACCUM:a:-3]"), user("[ACCUM_INIT:a:100]")])
    assert (shown(memory)["a"], memory.sidecar.odd["reopened"]) == (100, 1)


def test_a_movement_without_an_opening_is_not_a_total() -> None:
    memory = overlay()
    memory.write([user("[ACCUM:a:-3] paid.")])
    assert (memory.sidecar.values, memory.sidecar.odd["orphaned"]) == ({}, 1)
    assert not memory.read("paid").startswith("{")


def test_names_are_bounded() -> None:
    memory = overlay()
    memory.write([user(" ".join(f"[ACCUM_INIT:n{i}:{i}]" for i in range(MOST_NAMES + 50)))])
    assert len(shown(memory)) == MOST_NAMES + 1
    assert memory.sidecar.odd["refused"] == 50


def test_a_huge_text_of_half_sentinels_is_read_in_one_pass() -> None:
    text = "[ACCUM:" * 200_000 + "[ACCUM_INIT:a:1]"
    assert [s and s.name for s in sentinels(text)] == ["a"]


@pytest.mark.parametrize("role", ["assistant", "tool_result", "tool_call", "system", "meta"])
def test_only_the_user_moves_a_value(role: Any) -> None:
    spy = Spy()
    memory = TypedState(spy)
    memory.write([user("[ACCUM_INIT:a:7]")])
    memory.write(
        [
            Event(
                step=0,
                role=role,
                content="[ACCUM:a:-5] [ACCUM_INIT:a:1] done",
                stdout="[ACCUM:a:-5]",
            )
        ]
    )
    assert memory.sidecar.values == {"a": 7}
    assert spy.seen[0].content == "done"


def test_events_are_not_changed_for_others() -> None:
    event = user("[ACCUM_INIT:a:7] told")
    overlay().write([event])
    assert event.content == "[ACCUM_INIT:a:7] told"


# -- the inner policy


@pytest.mark.parametrize(
    "inner",
    ["lossy_compress", "careful_compress", "growing_history", "lossy_episodic", "append_only"],
)
def test_without_sentinels_it_is_the_inner_policy(inner: str) -> None:
    plain = build_memory(inner, Extractive())
    wrapped = overlay(inner)
    for text in (
        "My budget is $30 and my dentist is Dr. Lund.",
        "My bike costs $120.",
        "The code is 7141.",
    ):
        for memory in (plain, wrapped):
            memory.write([user(text), Event(step=0, role="assistant", content="Done.")])
    assert wrapped.read("budget") == plain.read("budget")
    assert wrapped.units() == plain.units()
    assert wrapped.dump()["inner"] == plain.dump()


def test_the_inner_policy_sees_the_session_without_sentinels() -> None:
    plain = build_memory("careful_compress", Extractive())
    wrapped = overlay("careful_compress")
    plain.write([user("My budget starts with $5,000.")])
    wrapped.write([user("[ACCUM_INIT:budget:5000] My budget starts with $5,000.")])
    assert wrapped.dump()["inner"] == plain.dump()


def test_options_pass_through_and_both_spellings_are_one() -> None:
    assert overlay("append_only", k=3).k == 3
    other = build_memory("typed_state", Extractive(), inner="append_only", k=3)
    assert other.dump() == overlay("append_only", k=3).dump()
    assert build_memory("typed_state", Extractive()).dump() == overlay("lossy_compress").dump()
    assert overlay("careful_compress").prompt == "careful"


@pytest.mark.parametrize(
    ("name", "options", "told"),
    [
        ("typed_state+apend_only", {}, "did you mean append_only"),
        ("typed_sate+append_only", {}, "did you mean typed_state"),
        ("append_only+lossy_compress", {}, "no overlay"),
        ("typed_state+typed_state", {}, "around an overlay"),
        ("typed_state+typed_state+append_only", {}, "around an overlay"),
        ("typed_state+append_only", {"inner": "lossy_compress"}, "names another policy"),
        ("typed_state+append_only", {"words": 3}, "unknown option"),
        ("typed_state+append_only", {"k": 0}, "at least 1"),
        ("typed_state+", {}, "unknown memory policy"),
    ],
)
def test_mistakes_are_told(name: str, options: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=told):
        build_memory(name, Extractive(), **options)


def test_a_plus_in_the_path_of_a_file_separates_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "a+b"
    folder.mkdir()
    file = folder / "policies+more.py"
    file.write_text(
        "from agingbench.memory.append_only import AppendOnly\n"
        "from agingbench.memory.typed_state import TypedState\n"
        "class Mine(AppendOnly): pass\n"
        "class Over(TypedState): pass\n"
    )

    alone = build_memory(f"{file}:Mine", Extractive(), k=2)
    assert type(alone).__name__ == "Mine"
    assert alone.k == 2
    assert type(build_memory(f"{file}:Over+append_only", Extractive())).__name__ == "Over"
    for name, options in [
        (f"typed_state+{file}:Mine", {}),
        (f"{file}:Over+{file}:Mine", {}),
        ("typed_state", {"inner": f"{file}:Mine"}),
    ]:
        memory = build_memory(name, Extractive(), **options)
        assert isinstance(memory, TypedState)
        assert type(memory.inner).__name__ == "Mine"
    with pytest.raises(InputError, match="around an overlay"):
        build_memory(f"typed_state+{file}:Over", Extractive())


def test_units_are_the_inner_ones_and_the_sidecar() -> None:
    memory = overlay("append_only")
    memory.write([user("[ACCUM_INIT:a:7] told")])
    assert memory.units() == [Unit(SIDECAR, '{"a": 7, "sessions_used": 1}'), Unit("0", "told")]
    nothing = overlay("no_memory")
    assert nothing.units() == []
    nothing.write([user("[ACCUM_INIT:a:7] told")])
    assert [unit.id for unit in nothing.units() or []] == [SIDECAR]


@pytest.mark.parametrize("inner", ["lossy_compress", "growing_history"])
def test_a_blob_stays_a_blob(inner: str) -> None:
    memory = overlay(inner)
    memory.write([user("[ACCUM_INIT:a:7] told")])
    assert memory.units() is None


def test_a_copy_and_a_dump_hold_everything_and_share_nothing() -> None:
    memory = overlay("append_only")
    memory.write([user("[ACCUM_INIT:b:1.5] [ACCUM_INIT:a:7] told")])
    state = json.loads(json.dumps(memory.dump()))
    twin = memory.copy()
    loaded = overlay("append_only")
    loaded.load(state)
    memory.write([user("[ACCUM:a:-5] more")])
    for other in (twin, loaded):
        assert other.dump() == state
        assert other.read("told") == '{"b": 1.5, "a": 7, "sessions_used": 1}\n\ntold'


def test_an_inner_policy_without_copy_is_copied_too() -> None:
    class Bare:
        supports: frozenset[str] = frozenset()

        def __init__(self, model: object) -> None:
            self.model = model
            self.log = list[str]()

        def read(self, query: str) -> str:
            return " ".join(self.log)

        def write(self, events: Sequence[Event]) -> None:
            self.log += [event.content or "" for event in events]

        def units(self) -> list[Unit] | None:
            return None

        def dump(self) -> dict[str, Any]:
            return {"log": list(self.log)}

        def load(self, state: dict[str, Any]) -> None:
            self.log = list(state["log"])

        def apply(self, event: str, **args: Any) -> None: ...
        def configure(self, **options: Any) -> None: ...

    model = Extractive()
    memory = TypedState(conform(Bare(model), Memory, "Bare"))
    memory.write([user("one")])
    twin = memory.copy()
    memory.write([user("two")])
    assert (twin.read(""), twin.model) == ("one", model)


# -- lifecycle events


def test_events_reach_the_inner_policy_and_a_flush_empties_the_sidecar() -> None:
    memory = overlay("careful_compress")
    memory.write([user("[ACCUM_INIT:a:7] My code is 7141.")])
    memory.apply("recompact")
    memory.apply("reduce_budget", words=50)
    memory.apply("partial_reset", ratio=1.0)
    assert (memory.inner.dump()["summary"], memory.words) == ("", 50)
    assert shown(memory) == {"a": 7, "sessions_used": 1}
    memory.apply("flush_history")
    assert memory.read("") == ""
    memory.write([user("[ACCUM:a:-2] My code is 9.")])
    assert "{" not in memory.read("")


def test_events_are_checked_by_the_inner_policy() -> None:
    memory = overlay("append_only")
    assert memory.supports == AppendOnly.supports
    with pytest.raises(InputError, match="does not support"):
        memory.check("recompact")
    with pytest.raises(InputError, match="no reduction"):
        memory.check("reduce_budget", k=9)
    memory.configure(k=9)
    assert memory.k == 9
    with pytest.raises(UnknownName):
        memory.configure(words=9)


def test_while_it_is_not_enabled_it_only_listens() -> None:
    plain = build_memory("append_only", Extractive())
    memory = overlay("append_only")
    memory.configure(enabled=False)
    for one in (plain, memory):
        one.write([user("[ACCUM_INIT:a:7] told")])
    assert (memory.read("told"), memory.units()) == (plain.read("told"), plain.units())
    memory.configure(enabled=True)
    assert shown(memory) == {"a": 7, "sessions_used": 1}


# -- agents


def test_an_agent_forks_it() -> None:
    agent = ReactAgent(Extractive(), overlay("append_only"))
    agent.act(
        "[ACCUM_INIT:dining_account:70] My dining account starts with a balance of $70.",
        (),
        lambda event: None,
    )
    agent.end_session()
    fork = agent.fork()
    fork.memory.write([user("[ACCUM:dining_account:-50] gone")])
    assert agent.ask("What is the balance of my dining account now?").text.endswith("is $70.")
    assert fork.ask("What is the balance of my dining account now?").text.endswith("is $20.")


def test_files_of_an_inner_workspace_are_still_offered() -> None:
    memory = overlay("workspace")
    twin = WorkspaceAgent(Extractive(), memory).fork().memory
    assert isinstance(twin, TypedState)
    write = next(tool for tool in twin.tools() if tool.name == "write_file")
    write.run({"path": "notes/a.md", "text": "mine"})
    assert {unit.id for unit in twin.units() or []} - {
        unit.id for unit in memory.units() or []
    } == {"notes/a.md"}


@pytest.mark.parametrize(
    "line", ["{not json}", '{"dining_account": "70"}', '{"dining_account": true}', "[]"]
)
def test_the_embedded_reader_takes_numbers_alone(line: str) -> None:
    asked = [
        Message("system", f"<memory>\n{line}\n</memory>"),
        Message("user", "What is the balance of my dining account?"),
    ]
    assert Extractive().complete(asked).text == "I do not know."
