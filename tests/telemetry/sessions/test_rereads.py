"""Which calls read a file, and which only look for something in it."""

from __future__ import annotations

import pytest

from agingbench.telemetry.sessions.rereads import (
    FILE,
    PREPARES,
    WHOLE,
    Part,
    ReadHistory,
    brings_a_new_tree,
    read_targets,
)
from agingbench.telemetry.sessions.shell_reads import shell_read
from agingbench.telemetry.sessions.tool_kinds import SHELL


def targets(command: str) -> list[tuple[str, str, Part]]:
    files = shell_read(command)
    assert files is not None, command
    return read_targets(SHELL, "Bash", {"command": command}, files)


@pytest.mark.parametrize(
    ("command", "part"),
    [
        ("cat src/orders/total.py", WHOLE),
        ("sed -n '1,40p' src/orders/total.py", Part(1.0, 40.0)),
        ("nl -ba src/orders/total.py | sed -n '10,20p'", Part(10.0, 20.0)),
    ],
)
def test_a_command_that_prints_a_file_reads_it(command: str, part: Part) -> None:
    assert targets(command) == [(FILE, "orders/total.py", part)]


@pytest.mark.parametrize("program", ["rg -n", "grep -n", "ag"])
def test_a_search_inside_one_file_is_no_read_of_it(program: str) -> None:
    assert targets(f"{program} rounding src/orders/total.py") == []


@pytest.mark.parametrize(
    "command",
    ["git pull --rebase", "cd repo && git checkout main", "git -C api stash pop", "svn update"],
)
def test_after_a_new_tree_a_read_has_a_reason(command: str) -> None:
    assert brings_a_new_tree(SHELL, {"command": command})
    history = ReadHistory()
    for number, target in enumerate(("a/one.py", "a/two.py"), start=1):
        history.add_read(target, WHOLE, number, target)
    assert history.add_read("a/one.py", WHOLE, 3, "a/one.py") is True
    history.tree_at = 4
    assert history.add_read("a/one.py", WHOLE, 5, "a/one.py") is None, "it may have changed"
    assert history.add_read("a/one.py", WHOLE, 6, "a/one.py") is True, "it was read since"
    assert history.add_read("a/new.py", WHOLE, 7, "a/new.py") is False, "it was never read"


@pytest.mark.parametrize("command", ["git status", "git diff main", "git log --merges", "ls"])
def test_a_look_at_the_history_changes_no_file(command: str) -> None:
    assert not brings_a_new_tree(SHELL, {"command": command})


def test_a_small_part_of_what_was_read_at_large_is_a_closer_look() -> None:
    history = ReadHistory()
    history.add_read("a/one.py", WHOLE, 1, "a/one.py")
    history.add_read("a/two.py", Part(10.0, 60.0), 2, "a/two.py")
    assert history.is_closer_look("a/one.py", Part(100.0, 140.0))
    assert not history.is_closer_look("a/one.py", WHOLE), "all of it again"
    assert not history.is_closer_look("a/two.py", Part(20.0, 50.0)), "as much of it again"
    assert not history.is_closer_look("a/three.py", Part(1.0, 20.0)), "it was never read"


def test_a_closer_look_before_a_change_prepares_it() -> None:
    history = ReadHistory()
    history.add_closer_look(10, "a/one.py", "file 2")
    history.add_closer_look(11, "a/two.py", "file 3")
    assert history.take_prepared("a/one.py", 12) == ["file 2"]
    assert history.take_prepared("a/one.py", 13) == [], "it is taken back once"
    assert history.take_prepared("a/two.py", 11 + PREPARES + 1) == [], "too long ago"
