"""The memory tool's folder against the SDK's own, call by call."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agingbench.memory.memory_folder import MemoryFolder, size_text
from agingbench.records import ToolRefusal

PATHS = (
    "/memories",
    "/memories/",
    "/memories/a.md",
    "/memories/b.md",
    "/memories/n/a.md",
    "/memories/n",
    "/memories/n/k/d.md",
    "/memories/n/k/d/e.md",
    "/memories/.hidden/x.md",
    "/memories/.hidden",
    "/memories//n//a.md",
    "/memories/./b.md",
    "/memories/n/../a.md",
    "/memories/../memories/b.md",
    "/memoriesa.md",
    "/memories/a.md/in",
    "/memories/ä b.md",
    "/memories/a\\b",
    "/memories/..",
    "/memories/../../etc/passwd",
    "/memories/../memories2/x",
    "/etc/passwd",
    "a.md",
    "",
)
paths = st.sampled_from(PATHS)
texts = st.text(st.sampled_from("ab\n\r\t€ \u2028"), max_size=12)
calls = st.one_of(
    st.fixed_dictionaries(
        {"command": st.just("view"), "path": paths},
        optional={"view_range": st.lists(st.integers(-3, 6), max_size=3)},
    ),
    st.fixed_dictionaries({"command": st.just("create"), "path": paths, "file_text": texts}),
    st.fixed_dictionaries(
        {
            "command": st.just("str_replace"),
            "path": paths,
            "old_str": st.text(st.sampled_from("ab\n"), max_size=2),
            "new_str": texts,
        }
    ),
    st.fixed_dictionaries(
        {
            "command": st.just("insert"),
            "path": paths,
            "insert_line": st.integers(-1, 6),
            "insert_text": texts,
        }
    ),
    st.fixed_dictionaries({"command": st.just("delete"), "path": paths}),
    st.fixed_dictionaries({"command": st.just("rename"), "old_path": paths, "new_path": paths}),
    st.just({"command": "fly", "path": "/memories"}),
)


class Sdk:
    """The SDK's folder on a disk of its own."""

    def __init__(self, base: str) -> None:
        memory = pytest.importorskip("anthropic.lib.tools._beta_builtin_memory_tool")
        self.refusal = pytest.importorskip("anthropic.lib.tools").ToolError
        self.tool = memory.BetaLocalFilesystemMemoryTool(base_path=base)
        self.root = Path(base) / "memories"

    def run(self, call: dict[str, Any]) -> tuple[str, str]:
        """Whether it replied, refused or broke, and its words."""
        try:
            return "reply", str(self.tool.call(call))
        except self.refusal as error:
            return "refused", str(error)
        except Exception as error:
            return "broken", str(error)

    def content(self) -> dict[str, str | None]:
        content: dict[str, str | None] = {}
        for path in self.root.rglob("*"):
            place = str(path.relative_to(self.root))
            content[place] = None if path.is_dir() else path.read_bytes().decode()
        return content


def ours(folder: MemoryFolder, call: dict[str, Any]) -> tuple[str, str]:
    try:
        return "reply", folder.run(call)
    except ToolRefusal as error:
        return "refused", str(error)


def content_of(folder: MemoryFolder) -> dict[str, str | None]:
    return {**dict.fromkeys(folder.folders), **folder.files}


def without_folder_sizes(reply: str) -> str:
    """A listing without the sizes of folders: those are the disk's."""
    if not reply.startswith("Here're the files"):
        return reply
    head, first, *rows = reply.split("\n")
    rows = [re.sub(r"^\S+(\t.*/)$", r"4K\1", row) for row in rows]
    return "\n".join([head, re.sub(r"^\S+\t", "4K\t", first), *rows])


@given(st.lists(calls, max_size=12))
@settings(deadline=None)
def test_every_reply_is_the_one_of_the_sdk_byte_for_byte(script: list[dict[str, Any]]) -> None:
    folder = MemoryFolder()
    with tempfile.TemporaryDirectory() as base:
        sdk = Sdk(base)
        for call in script:
            kind, words = sdk.run(call)
            own_kind, own_words = ours(folder, call)
            if kind == "broken":  # its own error: ours refuses in words of its own
                assert own_kind == "refused"
            else:
                assert (own_kind, own_words) == (kind, without_folder_sizes(words))
            assert content_of(folder) == sdk.content()


def test_sizes_are_told_as_the_sdk_does() -> None:
    sizes = {0: "0B", 1023: "1023B", 1024: "1K", 1025: "1.0K", 1536: "1.5K", 4096: "4K"}
    more = {10752: "10.5K", 1048575: "1024.0K", 1048576: "1M", 5 * 1024**3: "5G"}
    assert {size: size_text(size) for size in sizes | more} == sizes | more


def test_a_file_of_too_many_lines_is_not_shown() -> None:
    folder = MemoryFolder({"big.md": "\n" * 999_999})
    with pytest.raises(ToolRefusal, match="exceeds maximum line limit of 999,999 lines"):
        folder.run({"command": "view", "path": "/memories/big.md"})


@pytest.mark.parametrize(
    "call",
    [
        {},
        {"command": "view"},
        {"command": "view", "path": 5},
        {"command": "create", "path": "/memories/a"},
        {"command": "create", "path": "/memories/a", "file_text": 5},
        {"command": "create", "path": "/memories/a\0b", "file_text": "x"},
        {"command": "create", "path": "/memories/" + "n" * 300, "file_text": "x"},
        {"command": "create", "path": "/memories/a", "file_text": "\ud800"},
        {"command": "insert", "path": "/memories/there", "insert_text": "x"},
        {"command": "insert", "path": "/memories/there", "insert_line": "1", "insert_text": "x"},
        {"command": "str_replace", "path": "/memories/there", "old_str": "x"},
        {"command": "view", "path": "/memories/there", "view_range": ["a", "b"]},
    ],
)
def test_what_makes_no_sense_is_refused_and_changes_nothing(call: dict[str, Any]) -> None:
    folder = MemoryFolder({"there": "x"})
    with pytest.raises(ToolRefusal):
        folder.run(call)
    assert content_of(folder) == {"there": "x"}
