"""The agent's own folder: nothing outside it can be read or written, and forks, files and events do
what they say.
"""

from __future__ import annotations

import builtins
import io
import json
import os
import posixpath
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agingbench.errors import InputError
from agingbench.interfaces import Memory
from agingbench.memory.build import build_memory
from agingbench.memory.prompts import prompt_hash
from agingbench.memory.workspace import (
    INSTRUCTION_FILE,
    INSTRUCTIONS,
    MERGED_FILE,
    Workspace,
    WorkspaceError,
    checked_path,
)
from agingbench.models.extractive import Extractive
from agingbench.records import Event

OUTSIDE = [
    "/etc/passwd", "//etc/passwd", "../secret.txt", "..", ".", "./..", "notes/../../secret.txt", "notes/..", "notes/.",
    "notes/../AGENT.md", "~/secret.txt", "~root", "C:\\secret.txt", "C:/secret.txt", "..\\secret.txt",
    "notes\\..\\..\\x", "file:///etc/passwd", "\0", "notes/a\0.md", "notes/a\n.md", "notes//a.md", "notes/", "/",
    ".hidden", "notes/.git", "notes/a.md.", "notes/a /b", "", "   ", None, 5, ["notes/a.md"], "$HOME/x", "%2e%2e/x",
    "notes/a\u202e.md", "\u2025/secret.txt", "\uff0e\uff0e/secret.txt", "notes\u2215..\u2215x", "\uff0fetc\uff0fpasswd",
    "\u2024\u2024/secret.txt", "no\u200dtes/a.md", "notes/\ud800.md", "a/" * 40 + "x", "x" * 300,
]  # fmt: skip
NAMING = ["read_file", "write_file", "append_file", "delete_file"]


def use(memory: Workspace, name: str, **arguments: Any) -> str:
    (tool,) = (tool for tool in memory.tools() if tool.name == name)
    return tool.run(arguments)


def filled(*paths: str) -> Workspace:
    memory = Workspace()
    for path in paths:
        use(memory, "write_file", path=path, text=f"About {path}.\n")
    return memory


# -- nothing outside


@pytest.mark.parametrize("name", NAMING)
def test_a_path_that_leads_out_is_refused(name: str) -> None:
    for path in OUTSIDE:
        memory = filled("notes/a.md")
        before = memory.dump()
        try:
            use(memory, name, path=path, text="taken over")
        except WorkspaceError:
            assert memory.dump() == before, ascii(path)
        else:
            pytest.fail(f"{path!a} was let through")


def test_links_and_files_of_the_machine_are_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "secret.txt").write_text("the secret")
    inside = tmp_path / "work"
    inside.mkdir()
    (inside / "link.txt").symlink_to(tmp_path / "secret.txt")
    (inside / "notes").symlink_to(tmp_path)
    monkeypatch.chdir(inside)
    memory = Workspace()
    for path in ("link.txt", "notes/secret.txt", "secret.txt"):
        with pytest.raises(WorkspaceError, match="no file"):
            use(memory, "read_file", path=path)
    use(memory, "write_file", path="link.txt", text="mine")
    use(memory, "append_file", path="notes/secret.txt", text="mine")
    use(memory, "write_file", path="notes/new.md", text="mine")
    use(memory, "delete_file", path="notes/secret.txt")
    assert (tmp_path / "secret.txt").read_text() == "the secret"
    assert sorted(p.name for p in tmp_path.rglob("*")) == [
        "link.txt",
        "notes",
        "secret.txt",
        "work",
    ]


def test_no_tool_touches_a_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("the disk was touched")

    for module, names in (
        (builtins, ["open"]),
        (io, ["open"]),
        (os, ["open", "stat", "listdir", "unlink", "mkdir"]),
    ):
        for name in names:
            monkeypatch.setattr(module, name, refuse)
    memory = filled("notes/a.md")
    said = [
        use(memory, "append_file", path="notes/a.md", text="more"),
        use(memory, "read_file", path="notes/a.md"),
    ]
    said += [use(memory, "list_files"), use(memory, "delete_file", path="notes/a.md")]
    memory.workspace_recompact()
    twin = memory.copy()
    twin.load(memory.dump())
    monkeypatch.undo()
    assert said[1] == "About notes/a.md.\nmore"


@settings(deadline=None)
@given(
    st.lists(
        st.text(st.sampled_from([*"ab./\\~: .\0\n%é\u2025\uff0e\u2215"]), max_size=12), max_size=6
    )
)
def test_whatever_is_accepted_lies_inside(paths: list[str]) -> None:
    memory = Workspace()
    for path in paths:
        try:
            use(memory, "write_file", path=path, text="x")
        except WorkspaceError:
            continue
    for path in memory.files:
        assert posixpath.normpath(path) == path == checked_path(path)
        assert not path.startswith(("/", "..", "~"))
        assert "\\" not in path
        assert path.isprintable()
        assert not any(other.startswith(f"{path}/") for other in memory.files), (
            "a file and a folder of one name"
        )


@settings(deadline=None)
@given(st.text(max_size=30))
def test_any_text_is_a_path_inside_or_refused(path: str) -> None:
    try:
        found = checked_path(path)
    except WorkspaceError:
        return
    assert posixpath.normpath(posixpath.join("/root", found)) == f"/root/{found}"


# -- the tools


def test_files_are_written_read_extended_and_deleted() -> None:
    memory = Workspace()
    assert (
        use(memory, "write_file", path="notes/tea.md", text="Green.")
        == "wrote notes/tea.md (6 characters)"
    )
    assert (
        use(memory, "append_file", path="notes/tea.md", text="Black.")
        == "added to notes/tea.md (now 13 characters)"
    )
    assert use(memory, "append_file", path="./notes/cups.md", text="Six.\n").startswith(
        "added to notes/cups.md"
    )
    assert use(memory, "append_file", path="notes/cups.md", text="Two.").startswith("added to")
    assert use(memory, "read_file", path="notes/tea.md") == "Green.\nBlack."
    assert use(memory, "read_file", path="notes/cups.md") == "Six.\nTwo."
    listed = use(memory, "list_files").splitlines()
    assert listed[0].startswith(INSTRUCTION_FILE)
    assert listed[1:] == ["notes/cups.md (9 characters)", "notes/tea.md (13 characters)"]
    assert use(memory, "write_file", path="notes/tea.md", text="None.").startswith("wrote")
    assert use(memory, "read_file", path="notes/tea.md") == "None."
    assert use(memory, "delete_file", path="notes/tea.md") == "deleted notes/tea.md"
    with pytest.raises(WorkspaceError, match=r"no file notes/tea\.md"):
        use(memory, "read_file", path="notes/tea.md")
    assert use(Workspace(), "write_file", path="a.md", text="") == "wrote a.md (0 characters)"


def test_one_file_has_one_name() -> None:
    memory = filled("notes/caf\u00e9.md")
    assert use(memory, "read_file", path=" notes/cafe\u0301.md ") == "About notes/caf\u00e9.md.\n"


@pytest.mark.parametrize("text", [None, 7, "a\0b", "lone \ud800 surrogate", {"a": 1}])
@pytest.mark.parametrize("name", ["write_file", "append_file"])
def test_only_text_can_be_written(name: str, text: Any) -> None:
    memory = Workspace()
    with pytest.raises(WorkspaceError):
        use(memory, name, path="notes/a.md", text=text)
    assert list(memory.files) == [INSTRUCTION_FILE]


def test_a_file_is_no_folder() -> None:
    memory = filled("notes/a.md")
    with pytest.raises(WorkspaceError, match=r"notes/a\.md is a file"):
        use(memory, "write_file", path="notes/a.md/b.md", text="x")
    with pytest.raises(WorkspaceError, match="notes is a folder"):
        use(memory, "append_file", path="notes", text="x")


def test_limits_hold_and_are_told() -> None:
    memory = Workspace(max_files=3, max_chars=10)
    use(memory, "write_file", path="a", text="x" * 10)
    use(memory, "write_file", path="b", text="")
    for name, path, text in (
        ("append_file", "a", "x"),
        ("write_file", "b", "x" * 11),
        ("write_file", "c", ""),
    ):
        before = memory.dump()
        with pytest.raises(WorkspaceError, match="is the most"):
            use(memory, name, path=path, text=text)
        assert memory.dump() == before
    use(memory, "delete_file", path="b")
    use(memory, "write_file", path="c", text="")


@pytest.mark.parametrize("option", ["max_files", "max_chars"])
@pytest.mark.parametrize("value", [0, -1, 2.5, "many", None, True])
def test_limits_are_counts(option: str, value: Any) -> None:
    with pytest.raises(InputError, match=option):
        build_memory("workspace", Extractive(), **{option: value})


def test_tools_say_what_they_take() -> None:
    tools = {tool.name: tool.parameters for tool in Workspace().tools()}
    assert list(tools) == ["list_files", "read_file", "write_file", "append_file", "delete_file"]
    assert tools["list_files"]["required"] == []
    assert tools["write_file"]["required"] == ["path", "text"]
    json.dumps(tools)


# -- the memory


def test_the_prompt_gets_the_instruction_file_alone() -> None:
    memory = filled("notes/a.md")
    assert isinstance(memory, Memory)
    assert memory.read("a.md") == INSTRUCTIONS
    use(memory, "write_file", path=INSTRUCTION_FILE, text="My own way.")
    assert memory.read("anything") == "My own way."
    assert memory.prompt_hashes == {"instructions": prompt_hash(INSTRUCTIONS)}


def test_a_session_is_not_written_by_anybody_else() -> None:
    memory = Workspace()
    before = memory.dump()
    memory.write([Event(step=0, role="user", content="The kettle is blue.")])
    assert memory.dump() == before


def test_units_are_the_files() -> None:
    memory = filled("notes/b.md", "notes/a.md")
    assert [(u.id, u.text) for u in memory.units() or []][1:] == [
        ("notes/b.md", "About notes/b.md.\n"),
        ("notes/a.md", "About notes/a.md.\n"),
    ]


def test_the_age_of_files_survives_a_file_that_sorts_its_keys() -> None:
    memory = filled("notes/z.md", "notes/m.md", "notes/a.md")
    twin = Workspace(5, 5)
    twin.load(json.loads(json.dumps(memory.dump(), sort_keys=True)))
    assert (twin.units(), twin.max_files, twin.max_chars) == (
        memory.units(),
        memory.max_files,
        memory.max_chars,
    )
    for one in (memory, twin):
        one.apply("partial_reset", ratio=0.34)
        assert list(one.files) == [INSTRUCTION_FILE, "notes/m.md", "notes/a.md"]


def test_forks_do_not_touch_each_other() -> None:
    memory = filled("notes/a.md")
    twin = memory.copy()
    state = memory.dump()
    use(twin, "append_file", path="notes/a.md", text="more")
    use(twin, "write_file", path="notes/b.md", text="new")
    use(twin, "delete_file", path=INSTRUCTION_FILE)
    assert memory.dump() == state == filled("notes/a.md").dump()
    use(memory, "write_file", path="notes/a.md", text="other")
    assert use(twin, "read_file", path="notes/a.md") == "About notes/a.md.\nmore"
    assert state["files"]["notes/a.md"] == "About notes/a.md.\n", "a dump is of its moment"


# -- lifecycle events


def test_a_flush_takes_the_notes_and_leaves_the_instructions() -> None:
    memory = filled("notes/a.md", "plans/b.md", "loose.md")
    use(memory, "append_file", path=INSTRUCTION_FILE, text="Kept too.")
    memory.apply("workspace_flush")
    assert list(memory.files) == [INSTRUCTION_FILE]
    assert memory.read("").endswith("Kept too.")
    memory.apply("flush_history")
    assert memory.units() == []


def test_a_recompaction_merges_all_notes_into_one_file() -> None:
    memory = filled("notes/b.md", "loose.md", "notes/a.md")
    memory.apply("workspace_recompact")
    assert list(memory.files) == [INSTRUCTION_FILE, MERGED_FILE]
    merged = memory.files[MERGED_FILE]
    places = [merged.index(f"# {p}\nAbout {p}.") for p in ("notes/b.md", "loose.md", "notes/a.md")]
    assert places == sorted(places)
    use(memory, "write_file", path="notes/c.md", text="New.")
    memory.apply("workspace_recompact")
    assert memory.files[MERGED_FILE].startswith(f"# {MERGED_FILE}\n{merged}".rstrip())
    assert "New." in memory.files[MERGED_FILE]


def test_an_empty_workspace_has_nothing_to_merge() -> None:
    memory = Workspace()
    memory.apply("workspace_recompact")
    assert list(memory.files) == [INSTRUCTION_FILE]


@pytest.mark.parametrize(
    "event", ["recompact", "reduce_budget", "prompt_update", "schema_migration"]
)
def test_events_without_a_meaning_here_are_refused(event: str) -> None:
    with pytest.raises(InputError, match="does not support"):
        Workspace().apply(event)


# -- a repository among the files


def checked_out() -> Workspace:
    memory = Workspace()
    memory.files["notes/a.md"] = "kept"
    memory.check_out("repo", {"a.py": "one\ntwo\ntwo\n"})
    return memory


def test_a_repository_replaces_what_lay_in_its_folder_and_nothing_else() -> None:
    memory = checked_out()
    memory.files["repo/left.py"] = "left"
    memory.check_out("repo", {"b.py": "new"})
    names = set(memory.files) - {INSTRUCTION_FILE}
    assert names == {"notes/a.md", "repo/b.py"}
    assert [unit.id for unit in memory.units() or [] if unit.id != INSTRUCTION_FILE] == [
        "notes/a.md"
    ]


def test_a_repository_goes_through_dump_and_copy() -> None:
    memory = checked_out()
    twin = Workspace()
    twin.load(memory.dump())
    assert twin.dump() == memory.dump() == memory.copy().dump()
    assert "checkout" not in Workspace().dump()


def test_events_that_rework_notes_leave_the_repository_alone() -> None:
    memory = checked_out()
    memory.apply("workspace_recompact")
    assert memory.files["repo/a.py"] == "one\ntwo\ntwo\n"
    assert "one" not in memory.files["notes/merged.md"]
    memory.apply("partial_reset", ratio=1.0)
    assert "repo/a.py" in memory.files
    memory.apply("workspace_flush")
    assert set(memory.files) == {INSTRUCTION_FILE}


def test_a_passage_is_edited_where_it_stands_once() -> None:
    memory = checked_out()
    (edit,) = [tool for tool in memory.tools() if tool.name == "edit_file"]
    edit.run({"path": "repo/a.py", "old": "one\n", "new": "1\n"})
    assert memory.files["repo/a.py"] == "1\ntwo\ntwo\n"
    for old in ("two\n", "absent", ""):
        with pytest.raises(WorkspaceError, match="not once"):
            edit.run({"path": "repo/a.py", "old": old, "new": ""})
    assert "edit_file" not in {tool.name for tool in Workspace().tools()}
