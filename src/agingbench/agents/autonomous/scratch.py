"""The folders that one conversation of a product happens in: a home, a workspace, a place for
temporary files; and the workspace's files on their way to the disk and back.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from agingbench.errors import InputError

MOST_FILES = 10_000
MOST_BYTES = 20_000_000
CACHES = frozenset({"__pycache__", ".pytest_cache"})  # made anew by whoever needs them
_PREFIX = "agingbench-agent-"  # then the process that it belongs to


class TooMuch(Exception):
    """A workspace that holds more than can be taken over; the text says what."""


class FolderState(NamedTuple):
    """The regular files of a folder, and what else lies there."""

    contents: dict[str, bytes]
    left_out: list[str]


class Scratch:
    """A home, a workspace and a temporary folder of their own, gone when it is closed.

    Scratches of one name follow each other at one place: products name projects by it.
    """

    def __init__(self, name: str) -> None:
        _remove_left_behind()
        root = Path(os.path.realpath(tempfile.gettempdir()), f"{_PREFIX}{os.getpid()}-{name}")
        root.mkdir(mode=0o700)
        self._root = root
        self.home = root / "home"
        self.work = root / "work"
        self.temporary = root / "tmp"
        self.socket_file = root / "model.sock"
        for folder in (self.home, self.work, self.temporary):
            folder.mkdir(mode=0o700)

    def close(self) -> None:
        """Remove everything."""
        shutil.rmtree(self._root, ignore_errors=True)


def _remove_left_behind() -> None:
    """Remove the folders of processes that were killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*-*"):
        pid = folder.name.removeprefix(_PREFIX).partition("-")[0]
        if not pid.isdigit() or folder.is_symlink():
            continue
        with suppress(OSError):
            if folder.stat().st_uid == os.getuid() and not _is_running(int(pid)):
                shutil.rmtree(folder, ignore_errors=True)


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def lay_out(contents: Mapping[str, bytes], folder: Path) -> None:
    """Write the files below an empty folder; raises InputError for a path that leaves it."""
    for name, data in contents.items():
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts or not path.parts or "\0" in name:
            raise InputError(f"the workspace holds a path that leaves it: {name!r}")
        place = folder / path
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
        except OSError as error:
            raise InputError(f"cannot lay out {name!r} of the workspace: {error}") from error


def collect(folder: Path) -> FolderState:
    """Every regular file below a folder; links, pipes, caches and odd names are left out.

    Raises TooMuch beyond `MOST_FILES` or `MOST_BYTES`.
    """
    contents: dict[str, bytes] = {}
    left_out: list[str] = []
    size = 0
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in CACHES)
        links = [name for name in folders if os.path.islink(os.path.join(parent, name))]
        for name in sorted([*names, *links]):
            place = Path(parent, name)
            path = place.relative_to(folder).as_posix()
            mode = place.lstat().st_mode
            if not stat.S_ISREG(mode) or not _is_utf8(path):
                left_out.append(path.encode(errors="replace").decode(errors="replace"))
                continue
            if not mode & stat.S_IRUSR:
                place.chmod(0o600)
            size += place.lstat().st_size
            if size > MOST_BYTES or len(contents) >= MOST_FILES:
                raise TooMuch(
                    f"a workspace holds at most {MOST_FILES} files and {MOST_BYTES} bytes"
                )
            contents[path] = place.read_bytes()
    return FolderState(contents, left_out)


def _is_utf8(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True
