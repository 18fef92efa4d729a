"""The one folder that the viewer shows: nothing outside it is ever opened."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from agingbench.errors import InputError


class Outside(InputError):
    """A name that leads out of the folder, or to nothing in it."""


class ViewedFolder:
    """A folder and the files below it, which are named by their path from it."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()

    def inside(self, name: str) -> Path:
        """The file or folder of a name; raises Outside where it leads out or to nothing."""
        parts = PurePosixPath(name).parts
        is_plain = bool(name) and "\0" not in name and "\\" not in name
        if not is_plain or name.startswith("/") or ".." in parts:
            raise Outside("there is nothing of this name in the folder")
        try:
            place = (self.root / name).resolve()
            is_there = place.is_relative_to(self.root) and place.exists()
        except (OSError, ValueError, RuntimeError):  # a name that no file can have, or a loop
            is_there = False
        if not is_there:
            raise Outside("there is nothing of this name in the folder")
        return place

    def run(self, name: str) -> Path:
        """A folder of a run; raises Outside where it is none or any link in it leads out."""
        folder = self.inside(name)
        if not folder.is_dir():
            raise Outside("there is no run of this name in the folder")
        for parent, folders, files in os.walk(folder):
            for entry in (*folders, *files):
                place = os.path.join(parent, entry)
                if os.path.islink(place):
                    self.inside(self.name(Path(place)))
        return folder

    def name(self, place: Path) -> str:
        """The name by which a page asks for a file or folder."""
        return place.relative_to(self.root).as_posix()

    def walk(self) -> Iterator[tuple[Path, list[str]]]:
        """Every folder with the names of its files; hidden ones and stores of evidence left out.

        Links are not followed, so that nothing outside is listed.
        """
        for folder, folders, files in os.walk(self.root):
            folders[:] = sorted(
                name for name in folders if not name.startswith(".") and not name.endswith("blobs")
            )
            own = [name for name in files if not os.path.islink(os.path.join(folder, name))]
            yield Path(folder), own
