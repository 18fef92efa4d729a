"""The folder behind the memory tool `memory_20250818`, and the tool's replies.

Every reply is byte for byte the one of the Anthropic SDK's own local folder, its oddities among
them: `/memoriesx` means `/memories/x`, a rename that fails leaves the folders it made, an insertion
ends a file with a line break. The folder is a table in memory: there is no disk that a path could
lead to.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agingbench.records import ToolRefusal

ROOT = "/memories"
MOST_LINES = 999_999
NAME_BYTES = 255  # longest name that a disk takes
PATH_BYTES = 4_000
FOLDER_SIZE = 4096  # what a disk says of a folder
_UNITS = ("B", "K", "M", "G", "T")
_AROUND = 2  # lines shown before and after a replacement


class MemoryFolder:
    """Files by their place below the root ("" is the root itself), and the folders that exist."""

    def __init__(self, files: Mapping[str, str] | None = None, folders: tuple[str, ...] = ()):
        self.files = dict(files or {})
        self.folders = set(folders)
        for place in self.files:
            self.folders.update(_parents(place))

    def copy(self) -> MemoryFolder:
        """An independent folder with the same content."""
        return MemoryFolder(self.files, tuple(self.folders))

    def run(self, arguments: Mapping[str, Any]) -> str:
        """The reply to one call of the tool; what it refuses is raised as ToolRefusal."""
        command = arguments.get("command")
        if command == "view":
            return self._view(_text(arguments, "path"), arguments.get("view_range"))
        if command == "create":
            return self._create(_text(arguments, "path"), _text(arguments, "file_text"))
        if command == "str_replace":
            texts = (_text(arguments, name) for name in ("path", "old_str", "new_str"))
            return self._replace(*texts)
        if command == "insert":
            line = arguments.get("insert_line")
            if type(line) is not int:
                raise ToolRefusal("insert needs insert_line, a whole number")
            return self._insert(_text(arguments, "path"), line, _text(arguments, "insert_text"))
        if command == "delete":
            return self._delete(_text(arguments, "path"))
        if command == "rename":
            return self._rename(_text(arguments, "old_path"), _text(arguments, "new_path"))
        raise ToolRefusal(f"Unknown command: {command}")

    # -- the commands

    def _view(self, path: str, view_range: Any) -> str:
        place = _place(path)
        if self._is_folder(place):
            return self._listing(path, place)
        if place not in self.files:
            raise ToolRefusal(f"The path {path} does not exist. Please provide a valid path.")
        lines = self.files[place].split("\n")
        if len(lines) > MOST_LINES:
            raise ToolRefusal(f"File {path} exceeds maximum line limit of {MOST_LINES:,} lines.")

        first = 1
        if view_range and len(view_range) == 2:
            start, end = view_range
            if not (isinstance(start, int) and isinstance(end, int)):
                raise ToolRefusal("view_range holds two whole numbers")
            first = max(1, start)
            lines = lines[first - 1 : None if end == -1 else end]
        numbered = _numbered(lines, first)
        return f"Here's the content of {path} with line numbers:\n{numbered}"

    def _listing(self, path: str, place: str) -> str:
        rows = [
            f"Here're the files and directories up to 2 levels deep in {path}, excluding hidden"
            " items:",
            f"{size_text(FOLDER_SIZE)}\t{path}",
        ]
        rows += self._rows(path, place, levels=2)
        return "\n".join(rows)

    def _rows(self, path: str, place: str, levels: int) -> list[str]:
        prefix = f"{place}/" if place else ""
        names = {
            entry[len(prefix) :]
            for entry in (*self.files, *self.folders)
            if entry.startswith(prefix) and entry != place and "/" not in entry[len(prefix) :]
        }
        rows = []
        for name in sorted(names):
            if name.startswith("."):
                continue
            inner = f"{prefix}{name}"
            shown = f"{path}/{name}"
            if inner in self.files:
                size = len(self.files[inner].encode())
                rows.append(f"{size_text(size)}\t{shown}")
                continue
            rows.append(f"{size_text(FOLDER_SIZE)}\t{shown}/")
            if levels > 1:
                rows += self._rows(shown, inner, levels - 1)
        return rows

    def _create(self, path: str, text: str) -> str:
        place = _place(path)
        if self._exists(place):
            raise ToolRefusal(f"File {path} already exists")
        self._make_parents(place)
        self.files[place] = text
        return f"File created successfully at: {path}"

    def _replace(self, path: str, old: str, new: str) -> str:
        place = self._file(path)
        text = self.files[place]
        count = text.count(old)
        if count == 0:
            raise ToolRefusal(
                f"No replacement was performed, old_str `{old}` did not appear verbatim in {path}."
            )
        if count > 1:
            lines = ", ".join(str(line) for line in _lines_with(text, old))
            raise ToolRefusal(
                f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines:"
                f" {lines}. Please ensure it is unique"
            )
        at = text.index(old)
        self.files[place] = text[:at] + new + text[at + len(old) :]
        line = text.count("\n", 0, at)
        first = max(0, line - _AROUND)
        shown = self.files[place].split("\n")[first : line + _AROUND + 1]
        return (
            "The memory file has been edited. Here is the snippet showing the change (with line"
            f" numbers):\n{_numbered(shown, first + 1)}"
        )

    def _insert(self, path: str, line: int, text: str) -> str:
        place = self._file(path)
        lines = self.files[place].split("\n")
        if lines[-1] == "":
            lines.pop()
        if not 0 <= line <= len(lines):
            raise ToolRefusal(
                f"Invalid `insert_line` parameter: {line}. It should be within the range"
                f" [0, {len(lines)}]."
            )
        lines.insert(line, text.rstrip("\n"))
        joined = "\n".join(lines)
        self.files[place] = joined if joined.endswith("\n") else f"{joined}\n"
        return f"The file {path} has been edited."

    def _delete(self, path: str) -> str:
        place = _place(path)
        if place == "":
            raise ToolRefusal(f"Cannot delete the {ROOT} directory itself")
        if place in self.files:
            del self.files[place]
        elif place in self.folders:
            inside = f"{place}/"
            self.files = {p: t for p, t in self.files.items() if not p.startswith(inside)}
            self.folders = {p for p in self.folders if p != place and not p.startswith(inside)}
        else:
            raise ToolRefusal(f"The path {path} does not exist")
        return f"Successfully deleted {path}"

    def _rename(self, old_path: str, new_path: str) -> str:
        old = _place(old_path)
        new = _place(new_path)
        if old == "":
            raise ToolRefusal(f"Cannot rename the {ROOT} directory itself")
        if self._exists(new):
            raise ToolRefusal(f"The destination {new_path} already exists")
        self._make_parents(new)
        if not self._exists(old):
            raise ToolRefusal(f"The path {old_path} does not exist")
        inside = f"{old}/"
        if old in self.folders and new.startswith(inside):
            raise ToolRefusal(f"Cannot move {old_path} into itself")

        def moved(place: str) -> str:
            is_inside = place == old or place.startswith(inside)
            return new + place[len(old) :] if is_inside else place

        self.files = {moved(place): text for place, text in self.files.items()}
        self.folders = {moved(place) for place in self.folders}
        return f"Successfully renamed {old_path} to {new_path}"

    # -- places

    def _file(self, path: str) -> str:
        place = _place(path)
        if not self._exists(place):
            raise ToolRefusal(f"The path {path} does not exist. Please provide a valid path.")
        if place not in self.files:
            raise ToolRefusal(f"The path {path} is not a file.")
        return place

    def _is_folder(self, place: str) -> bool:
        return place == "" or place in self.folders

    def _exists(self, place: str) -> bool:
        return self._is_folder(place) or place in self.files

    def _make_parents(self, place: str) -> None:
        parents = _parents(place)
        for parent in parents:
            if parent in self.files:
                raise ToolRefusal(f"{ROOT}/{parent} is a file, not a directory")
        self.folders.update(parents)


def size_text(size: int) -> str:
    """A size in bytes as the tool shows it: 13B, 1.5K, 4K."""
    power = max(0, size.bit_length() - 1) // 10
    power = min(power, len(_UNITS) - 1)
    value = size / 1024**power
    digits = f"{value:.0f}" if value == int(value) else f"{value:.1f}"
    return f"{digits}{_UNITS[power]}"


def _place(path: str) -> str:
    """Where a path leads below the root; raises ToolRefusal where it leads elsewhere."""
    if not path.startswith(ROOT):
        raise ToolRefusal(f"Path must start with {ROOT}, got: {path}")
    root = ROOT.strip("/")
    parts = [root]
    for part in path[len(ROOT) :].split("/"):
        if part == "..":
            if not parts:
                raise _escape(path)
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    if parts[:1] != [root]:
        raise _escape(path)
    place = "/".join(parts[1:])
    too_long = any(len(part.encode()) > NAME_BYTES for part in parts)
    if too_long or len(place.encode()) > PATH_BYTES:
        raise ToolRefusal("File name too long")
    return place


def _escape(path: str) -> ToolRefusal:
    return ToolRefusal(f"Path {path} would escape {ROOT} directory")


def _parents(place: str) -> list[str]:
    parts = place.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]


def _numbered(lines: list[str], first: int) -> str:
    return "\n".join(f"{number:6}\t{line}" for number, line in enumerate(lines, first))


def _lines_with(text: str, wanted: str) -> list[int]:
    """The line of every place where a text begins, overlapping ones too."""
    lines = []
    at = text.find(wanted)
    while at >= 0:
        lines.append(text.count("\n", 0, at) + 1)
        at = text.find(wanted, at + 1)
    return lines


def _text(arguments: Mapping[str, Any], name: str) -> str:
    text = arguments.get(name)
    if not isinstance(text, str):
        raise ToolRefusal(f"{arguments.get('command')} needs {name}, a text")
    if any("\ud800" <= c <= "\udfff" for c in text):
        raise ToolRefusal(f"{name} holds characters that no text file can hold")
    if "\0" in text and name.endswith("path"):
        raise ToolRefusal(f"{name} holds a character that no path can hold")
    return text
