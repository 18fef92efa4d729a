"""The structured consolidator: what it takes for abandoned, what it keeps, and that it sees nothing
of the gold.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from agingbench.models.scripted import Scripted
from agingbench.records import Event
from agingbench.resumption import contexts
from agingbench.resumption.contexts.abandoned import (
    MOST_SAID,
    Sentence,
    read_replacement,
    session_sentences,
    split_branches,
)
from agingbench.resumption.contexts.build import build_consolidator
from agingbench.resumption.contexts.sentence_worth import announces_work, is_informative
from agingbench.resumption.contexts.state import read_state, written_texts
from agingbench.resumption.contexts.statements import user_statements
from agingbench.resumption.contexts.structured import StructuredConsolidator, write_note
from agingbench.resumption.episodes.benchmark_folder import packaged_set
from agingbench.resumption.episodes.episode import Episode, load_episodes
from agingbench.resumption.episodes.trajectory import trajectory_events
from agingbench.resumption.runs.resuming_agent import EmbeddedAgent
from agingbench.text.wording import count_tokens

TASK = "make the import quick"


def said(role: str, text: str) -> Event:
    return Event(step=0, role=role, content=text)  # type: ignore[arg-type]


def ran(command: str, out: str = "", code: int = 0, number: str = "1") -> list[Event]:
    return [
        Event(step=0, role="tool_call", tool_name="bash", command=command, tool_call_id=number),
        Event(step=0, role="tool_result", stdout=out, exit_code=code, tool_call_id=number),
    ]


def edited(path: str, old: str, new: str, number: str = "2") -> list[Event]:
    arguments = {"file_path": path, "old_string": old, "new_string": new}
    return [
        Event(step=0, role="tool_call", tool_name="Edit", arguments=arguments, tool_call_id=number),
        Event(step=0, role="tool_result", content="done", tool_call_id=number),
    ]


def filler(n: int = 8) -> list[Event]:
    """Steps that say nothing of interest, so that what came before is no longer of just now."""
    return [said("assistant", "Reading on.") for _ in range(n)]


def note(*events: Event | list[Event], budget: int = 2000) -> str:
    flat: list[Event] = [said("user", TASK)]
    for event in events:
        flat += event if isinstance(event, list) else [event]
    return write_note(TASK, flat, budget)


# ---------------------------------------------------------------------------------------- abandoned
# branches


@pytest.mark.parametrize(
    ("text", "dead", "instead"),
    [
        ("Replace `old_pool` with `new_pool` here.", {"old_pool"}, "`new_pool`"),
        ("I'm replacing load_all() by load_part() in reader.py.", {"load_all"}, "load_part()"),
        ("`readAll` was renamed to `readSome`.", {"readall"}, "`readSome`"),
        ("Use `json_lines` instead of `pickle_dump`.", {"pickle_dump"}, "`json_lines`"),
        (
            "`serial_test` is only there transitively, so I'm keeping the local_mutex.",
            {"serial_test"},
            "local_mutex",
        ),
        ("That is the old fetch_all path.", {"fetch_all"}, ""),
        ("`new_pool` is in place.", set(), ""),
    ],
)
def test_what_is_given_up_for_what(text: str, dead: set[str], instead: str) -> None:
    names, words = read_replacement(text)
    assert dead <= names
    assert instead in words


def test_what_was_replaced_is_left_out_and_what_replaced_it_stays() -> None:
    found = note(
        said("assistant", "The `old_pool` keeps 30 connections open."),
        said("assistant", "Replace `old_pool` with `new_pool`, which closes them after 5 s."),
        filler(),
        said("assistant", "Next I run the tests."),
    )
    assert "old_pool" not in found
    assert "new_pool" in found


def test_a_name_that_edits_took_out_of_the_code_is_dead() -> None:
    before = said("assistant", "The function `parse_slow` is called for each of the 900 rows.")
    change = edited(
        "a/b/reader.py", "def parse_slow(x):\n    pass\n", "def parse_quick(x):\n    pass\n"
    )
    assert "parse_slow" not in note(before, change, filler())
    back = edited("a/b/reader.py", "x = 1\n", "def parse_slow(x):\n    pass\n", "3")
    assert "parse_slow" in note(before, change, back, filler())


def test_a_supposition_goes_unless_it_comes_up_again() -> None:
    guess = said("assistant", "Maybe the `dns_cache` is too small, it holds 10 entries.")
    assert "dns_cache" not in note(guess, filler())
    fact = said("assistant", "The `dns_cache` holds 10 entries and drops the rest.")
    again = said("assistant", "With 500 entries the `dns_cache` keeps all names.")
    assert "500 entries" in note(guess, filler(2), fact, filler(2), again, filler())


def test_looking_for_a_name_is_no_use_of_it() -> None:
    events = [
        said("user", TASK),
        said("assistant", "I give up on `use_threads`."),
        *ran("grep -rn use_threads src", number="1"),
        *ran("rg use_threads", number="2"),
        *filler(),
    ]
    assert "use_threads" in split_branches(session_sentences(events), events).dead


def test_a_turn_of_just_now_is_where_to_carry_on_from() -> None:
    found = note(
        filler(),
        said(
            "assistant",
            "I'm tightening `next_time` to the first instant that no longer filters it.",
        ),
    )
    assert "next_time" in found
    assert found.index("Next steps") < found.index("next_time")


def test_apostrophes_of_both_kinds_are_read() -> None:
    for mark in "'’":
        assert "add the regression test" in note(
            filler(), said("assistant", f"I{mark}ll add the regression test now.")
        )


def test_a_message_of_many_pages_is_read_at_both_ends() -> None:
    text = (
        "It begins with alpha_one. " + "filling words here. " * 400_000 + "It ends with omega_two."
    )
    found = session_sentences([said("assistant", text)])
    assert sum(len(s.text) for s in found) <= MOST_SAID
    assert (found[0].text, found[-1].text) == (
        "It begins with alpha_one.",
        "It ends with omega_two.",
    )


# ------------------------------------------------------------------------------------------------
# what is kept


def test_state_comes_from_the_calls() -> None:
    events = [
        *ran("git checkout -b fix/pool", number="1"),
        *edited("/home/me/app/src/pool.py", "a", "b", "2"),
        *ran("pytest tests/test_pool.py -q", "3 failed, 9 passed in 1.2s", 1, "3"),
        *ran("pytest tests/test_old.py -q", "1 failed", 1, "4"),
        *ran("pytest tests/test_pool.py -q", "12 passed in 1.1s", 0, "5"),
        *ran('git commit -m "close idle connections"', number="6"),
        *edited("/home/me/app/src/other.py", "a", "b", "7"),
    ]
    state = read_state(events)
    assert state.branch == "fix/pool"
    assert state.files == ["app/src/pool.py", "app/src/other.py"]
    assert [(c.command, c.outcome) for c in state.checks] == [
        ("pytest tests/test_pool.py -q", "12 passed in 1.1s")
    ]
    assert state.commits == ["close idle connections"]
    assert state.edited > state.checks[-1].place
    found = note(events)
    assert "run again after the last change: pytest tests/test_pool.py -q" in found
    assert "/home/me" not in found


def test_the_last_check_is_kept_even_where_it_fails() -> None:
    found = note(
        ran("cargo test --bin app", "test result: FAILED. 3 passed; 1 failed", 101), filler()
    )
    assert "not passing yet: cargo test --bin app" in found


def test_patches_are_read_for_what_they_take_and_give() -> None:
    patch = "*** Begin Patch\n*** Update File: a.py\n-old_name = 1\n+new_name = 1\n*** End Patch"
    assert written_texts(
        Event(step=0, role="tool_call", tool_name="apply_patch", command=patch)
    ) == (
        "old_name = 1",
        "new_name = 1",
    )
    assert written_texts(said("assistant", patch)) == ("", "")


def test_a_list_below_an_announcement_is_what_is_next() -> None:
    text = (
        "I need to:\n1. Make `pr_input` optional\n2. Print the help without it\n\nThe rest is fine."
    )
    found = note(filler(), said("assistant", text))
    ahead = found.split("\n\n")[0]
    assert "Make `pr_input` optional" in ahead
    assert "Print the help" in ahead


def test_what_the_user_asks_last_comes_first_and_the_rest_is_kept() -> None:
    found = note(
        said("assistant", "Done."),
        said("user", "Please keep the file name extract-all.py."),
        said("assistant", "Kept."),
        said("user", "<ide_selection>noise of the client</ide_selection>Now print the help."),
        said("assistant", "On it."),
    )
    assert found.splitlines()[1] == "- asked: Now print the help."
    assert "keep the file name extract-all.py" in found
    assert "noise" not in found


def test_a_later_statement_replaces_an_earlier_one_and_a_withdrawal_takes_only_its_own() -> None:
    told = [
        "The port of api/users.py is 80.",
        "The owner of api/users.py is Ada.",
        "The port of api/users.py is 81.",
        "The decision on the owner of api/users.py was withdrawn; do not build on it any longer.",
    ]
    events = [said("user", text) for text in told]
    assert list(user_statements(session_sentences(events), TASK).values()) == [
        "The port of api/users.py is 81."
    ]


@pytest.mark.parametrize(
    ("text", "told", "ahead"),
    [
        ("The cause is a shared cache_key.", True, False),
        ("Let me look at cache.py.", False, True),
        ("I'm running cache_test.py now.", False, True),
        ("### 1.", False, False),
        ("What does cache.py do?", False, False),
        ("if cache.get(key) {", False, False),
        ("`cache.py` has to be split into two.", True, True),
    ],
)
def test_kinds_of_sentences(text: str, told: bool, ahead: bool) -> None:
    assert is_informative(text) is told
    assert announces_work(text) is ahead


@pytest.mark.parametrize("budget", [1, 30, 120, 500])
def test_the_budget_goes_first_to_what_is_next(budget: int) -> None:
    events = [
        said("assistant", f"The value of key_{i} is {i} because the table table_{i} says so.")
        for i in range(60)
    ]
    found = note(events, said("assistant", "Next I write `final_step`."), budget=budget)
    assert count_tokens(found) <= budget
    if budget >= 30:
        assert "final_step" in found


@pytest.mark.parametrize(
    "events", [[], [Event(step=0, role="meta", lifecycle="compaction")], [said("user", " ")]]
)
def test_nothing_gives_nothing(events: list[Event]) -> None:
    assert write_note(TASK, events, 500) == ""


def test_odd_calls_do_no_harm() -> None:
    given: list[Any] = [
        None,
        7,
        "x",
        [],
        {"todos": "x"},
        {"edits": [1, None]},
        {"file_path": 3, "content": ["a"]},
    ]
    events = [Event(step=0, role="tool_call", tool_name="Edit", arguments=a) for a in given]
    assert isinstance(write_note(TASK, [*events, *filler(3)], 500), str)


# -------------------------------------------------------------------------------------------------
# no leakage


def test_consolidators_cannot_name_the_gold() -> None:
    forbidden = {"episode", "judges", "score", "grades", "gate", "calibrate", "layout", "check"}
    for path in Path(inspect.getfile(contexts)).parent.glob("*.py"):
        for found in ast.walk(ast.parse(path.read_text())):
            modules = [found.module or ""] if isinstance(found, ast.ImportFrom) else []
            modules += (
                [alias.name for alias in found.names] if isinstance(found, ast.Import) else []
            )
            for module in modules:
                assert not (
                    module.startswith("agingbench.resumption.")
                    and forbidden & set(module.split("."))
                ), path


def inline() -> Sequence[Episode]:
    return [
        e
        for e in load_episodes(packaged_set() / "episodes")
        if isinstance(e.partial_trajectory, list)
    ]


def test_a_note_is_a_function_of_task_steps_and_budget() -> None:
    build = build_consolidator("structured")
    for episode in inline()[:4]:
        events = trajectory_events(episode, None)
        once = build.consolidate(episode.initial_task, iter(events), 700)
        assert once == build_consolidator("structured").consolidate(
            episode.initial_task, events, 700
        )
        assert count_tokens(once) <= 700


def test_the_embedded_agent_reads_the_next_steps_of_a_note_first() -> None:
    for episode in inline():
        found = write_note(episode.initial_task, trajectory_events(episode, None), 2000)
        first = found.splitlines()[1].removeprefix("- ").partition(";")[0]
        assert first in EmbeddedAgent().resume(episode.initial_task, found).text.splitlines()[
            0
        ].replace("’", "'")


def test_a_language_model_is_asked_by_the_prompt() -> None:
    model = Scripted(["Next steps: write it"])
    assert (
        StructuredConsolidator(model).consolidate(TASK, [said("assistant", "tried a, took b")], 100)
        == "Next steps: write it"
    )
    (call,) = model.calls
    asked = call.messages[0].content
    assert "tried a, took b" in asked
    assert "do not mention it, not even as failed" in asked


def test_a_statement_that_was_withdrawn_and_made_again_holds() -> None:
    stated = "The store keeps its rows in `rows.db`."
    withdrawn = "The store in `rows.db` is withdrawn."
    said = [
        Sentence(n, "user", text) for n, text in enumerate((stated, withdrawn, stated), start=1)
    ]
    assert list(user_statements(said[:1], "").values()) == [stated]
    assert user_statements(said[:2], "") == {}
    assert list(user_statements(said, "").values()) == [stated]


# -------------------------------------------------------------------------------------------------
# what later steps made out of date


def test_git_checkout_of_a_file_is_no_branch() -> None:
    restored = ran("git checkout tests/test_a.py", "Updated 1 path from the index", number="2")
    for command in ("git checkout src/pool.py", "git checkout -- src/pool.py", "git checkout ."):
        assert read_state(ran(command)).branch == ""
    assert read_state(restored).branch == ""
    assert read_state(ran("git checkout v1.2-fix")).branch == "v1.2-fix"
    assert read_state(ran("git switch docs.md")).branch == "docs.md"
    before = ran("git checkout -b fix/pool", number="1")
    assert read_state([*before, *restored]).branch == "fix/pool"


@pytest.mark.parametrize(
    "command", ["git checkout src/pool.py", "git restore .", "git reset --hard", "git restore src/"]
)
def test_an_edit_that_git_threw_away_leaves_nothing_behind(command: str) -> None:
    change = edited("src/pool.py", "x = 1", "x = keep_alive()")
    other = edited("lib/other.py", "y = 1", "y = 2", "3")
    spoken = said("assistant", "The call of `keep_alive` holds 30 connections.")
    assert "keep_alive" in note(spoken, change, other, filler())
    found = note(spoken, change, ran(command, number="4"), filler())
    assert "keep_alive" not in found
    assert "pool.py" not in found
    assert "lib/other.py" in note(change, ran("git checkout src/pool.py", number="4"), other)


def test_a_plan_that_was_carried_out_is_no_next_step() -> None:
    found = note(
        said("assistant", "Let me look at which keys the tests write."),
        ran("cat keys.txt"),
        said("assistant", "Next I write the namespace."),
    )
    assert "look at which keys" not in found
    assert "Next I write the namespace." in found


def test_a_change_that_was_only_looked_into_is_still_ahead() -> None:
    plan = said("assistant", "I'll fix the parser so that it takes blanks.")
    looked = [*ran("cat parser.txt"), said("assistant", "It splits at every blank.")]
    assert "I'll fix the parser" in note(plan, looked)
    changed = [*edited("a.py", "a", "b"), said("assistant", "It splits at every blank.")]
    assert "I'll fix the parser" not in note(plan, changed)


@pytest.mark.parametrize(
    "turn",
    [
        said("user", "No, keep the pool and raise its limit."),
        said("assistant", "Change of plan: I raise the limit of the pool."),
        said("assistant", "I'll use `limit_pool` instead of `close_pool`."),
    ],
)
def test_a_plan_that_was_replaced_is_no_next_step(turn: Event) -> None:
    found = note(said("assistant", "Then I should call `close_pool` at the end."), turn)
    assert "Then I should call" not in found


def test_a_new_list_of_steps_replaces_the_one_before() -> None:
    first = said("assistant", "I need to:\n1. Add a `retry_loop` here\n2. Print the counts")
    second = said("assistant", "I need to:\n1. Add a `single_try` here\n2. Print the sums")
    ahead = note(first, second).split("\n\n")[0]
    assert "single_try" in ahead
    assert "retry_loop" not in ahead


def test_a_decision_that_was_reversed_is_no_finding() -> None:
    first = said("assistant", "The fix is a lock around the shared table.")
    turn = said("assistant", "The lock does not help with two processes.")
    second = said("assistant", "The fix is one table for each process, not a shared one.")
    other = said("assistant", "The plan is to ship it in two parts because of the freeze.")
    found = note(first, other, turn, second, filler())
    assert "lock around" not in found
    assert "one table for each process" in found
    assert "ship it in two parts" in found
    assert "lock around" in note(first, other, second, filler())


def test_no_heading_stands_alone_and_no_line_twice() -> None:
    text = (
        "## What is left to do next\n\n**Remaining work of this week**\n\n"
        "- **The patch is not yet written.**\n\nThe patch is not yet written."
    )
    found = note(filler(), said("assistant", text), said("assistant", text))
    assert "What is left" not in found
    assert "Remaining work" not in found
    assert found.count("patch is not yet written") == 1


def test_a_model_note_loses_headings_with_nothing_below() -> None:
    model = Scripted(["## Decisions\n\n## State\n- a.py is written\n\nNext steps:\n"])
    events = [said("assistant", "took b")]
    found = StructuredConsolidator(model).consolidate(TASK, events, 100)
    assert found == "## State\n- a.py is written"
