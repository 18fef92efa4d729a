"""What an importer is, and which one knows a path."""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path

from agingbench.errors import InputError
from agingbench.traces.formats.base import BaseFormat
from agingbench.traces.reading import ENOUGH, HEAD
from agingbench.trials.importers import IMPORTERS
from agingbench.trials.importers.report import ImportProgress, ImportReport
from agingbench.trials.ledger import Ledger

FILES_SNIFFED = 200  # files of a folder that are looked at to find out what it holds


class Importer(ABC):
    """Turns the evidence at a path into trials of a ledger."""

    name: str
    expects: str  # what it reads, in a few words: "Inspect logs (.eval, .json)"

    @abstractmethod
    def sniff(self, path: Path) -> float:
        """How sure the importer is, from 0 to 1, that it can import this file or folder."""

    @abstractmethod
    def import_path(
        self,
        ledger: Ledger,
        path: Path,
        experiment: str | None,
        progress: ImportProgress,
    ) -> ImportReport:
        """Add every trial at a path to the ledger and report what became of each record."""


def load_importer(name: str) -> Importer:
    """The importer of a name, an entry point, module:Class or file.py:Class."""
    return IMPORTERS.build(name, Importer)


def find_importer(path: Path) -> Importer:
    """The importer that is surest of a path, by content; raises InputError when none knows it."""
    if not path.exists():
        raise InputError(f"{path}: there is no such file or folder")

    best = 0.0
    choice: Importer | None = None
    tried = []

    for name in IMPORTERS.names():
        importer = load_importer(name)
        tried.append(f"{name} ({importer.expects})")
        score = importer.sniff(path)

        if score > best:
            best = score
            choice = importer

    if choice is None or best < ENOUGH:
        raise InputError(
            f"{path}: no importer knows what this is; tried: {'; '.join(tried)}; name one with"
            " --importer, or a plug-in as module:Class"
        )

    return choice


def visible_files(folder: Path, *patterns: str) -> Iterator[Path]:
    """The first files below a folder that fit one of the patterns.

    Left out are files with a part of their path that begins with `_` or `.`: those are nobody's
    records.
    """
    matches = itertools.chain.from_iterable(folder.rglob(pattern) for pattern in patterns)
    files = (file for file in matches if file.is_file() and not _is_hidden(file, folder))
    return itertools.islice(files, FILES_SNIFFED)


def _is_hidden(file: Path, folder: Path) -> bool:
    return any(part.startswith(("_", ".")) for part in file.relative_to(folder).parts)


def is_of_format(file: Path, format: BaseFormat) -> bool:
    """Whether a format recognises a file; one that cannot be read is of no format."""
    try:
        return has_format(file, format)
    except OSError:
        return False


def has_format(file: Path, format: BaseFormat) -> bool:
    """Whether a format recognises a file; raises OSError when the file cannot be read."""
    with file.open("rb") as stream:
        head = stream.read(HEAD)
    return bool(head.strip()) and format.sniff(head) >= ENOUGH
