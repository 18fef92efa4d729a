"""The files of watched folders: what is new in them is archived, what is gone is read from there.

What was found out about a file is remembered with its size and time, so that a look at a folder
costs little more than listing it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePath

import msgspec

from agingbench.errors import InputError
from agingbench.telemetry.audit import common_path
from agingbench.telemetry.audit_cache import SETTLED, code_identity, is_own
from agingbench.traces.archive.archive import ArchiveReport, add_to_archive
from agingbench.traces.archive.index import is_archive, salt_of, source_of
from agingbench.traces.archive.reading import ArchivedFile, archived_copies, walk_order
from agingbench.traces.files import read_bytes, write_atomic
from agingbench.traces.reading import (
    Group,
    SniffedFile,
    all_formats,
    grouped,
    sniff_file,
    top_of,
    trace_files,
)
from agingbench.traces.tracefiles import TraceFile, merged_copies

ARCHIVE = "archive"
MEMORY = "files.msgpack"

Stamp = tuple[int, int, int]  # size, time and number of a file
GONE: Stamp = (-1, -1, -1)  # that only the archive has


class KnownFile(msgspec.Struct, frozen=True):
    """What was found out about a file when it had a stamp."""

    path: bytes
    top: bytes  # the folder that its project is named below
    source: str  # what its place goes by in the archive
    stamp: Stamp | None = None  # None: look again
    format: str | None = None  # None: not a trace
    project: str = ""
    is_empty: bool = False


class FileMemory(msgspec.Struct, frozen=True):
    """The files that were ever found, and the code that looked at them."""

    code: bytes
    files: list[KnownFile]


@dataclass(frozen=True)
class FolderLook:
    """What one look at the folders found."""

    members: list[Group]
    archived: ArchiveReport
    gone: int  # transcripts that only the archive still has

    @property
    def has_traces(self) -> bool:
        """Whether any file is a trace; there may be none yet."""
        return any(file.format is not None for one in self.members for file in one.files)


class WatchedFiles:
    """The files below some places, with their archive and what is remembered of them."""

    def __init__(self, places: Sequence[Path], folder: Path) -> None:
        for place in places:
            if is_archive(place):
                raise InputError(f"{place} is an archive, which no agent writes to: audit it")

        self.places = list(places)
        self.folder = folder
        self.archive = folder / ARCHIVE

    def look(self) -> FolderLook:
        """Archive what is new, and return every project with its files as they are archived."""
        if not is_archive(self.archive):
            add_to_archive([], self.folder, self.archive)

        memory = _Memory(self.folder / MEMORY, salt_of(self.archive))
        live = [self._listed(place) for place in self.places]
        fresh = _Fresh(memory)
        for place, files in zip(self.places, live, strict=True):
            fresh.add(files, top_of(place))

        # Their places are written down first: an archived file whose place is not known would be
        # missed once its client deletes it.
        if fresh.traces:
            memory.note(fresh.traces)
            memory.save()
        archived = add_to_archive(fresh.traces, common_path(self.places), self.archive)
        fresh.remember()
        memory.save()
        return self._grouped(live, memory, fresh, archived)

    def _listed(self, place: Path) -> list[TraceFile]:
        own = self.folder.resolve()
        files = trace_files(place)
        if not own.is_relative_to(place.resolve()):
            return files
        return [file for file in files if not file.path.resolve().is_relative_to(own)]

    def _grouped(
        self,
        live: Sequence[Sequence[TraceFile]],
        memory: _Memory,
        fresh: _Fresh,
        archived: ArchiveReport,
    ) -> FolderLook:
        """Return the projects, with what is gone read from the archive."""
        sources = {Path(os.fsdecode(one.path)): one.source for one in memory.traces()}
        copies = archived_copies(self.archive, sources)
        members: list[Group] = []
        gone = 0
        for place, files in zip(self.places, live, strict=True):
            top = top_of(place)
            paths = {file.path for file in files}
            missing = [p for p in copies if p not in paths and p.is_relative_to(place)]
            gone += len(missing)
            plain = [file.path for file in files if type(file) is TraceFile]
            ordered = sorted([*plain, *missing], key=partial(_place_in_walk, top))
            found = [fresh.sniffed(path, copies.get(path), top) for path in ordered]
            found += [fresh.others[file.path] for file in files if type(file) is not TraceFile]
            members += grouped(found, top)

        memory.save()
        return FolderLook(members, archived, gone)


def _place_in_walk(top: PurePath, path: Path) -> list[tuple[bool, str]]:
    return walk_order(path.relative_to(top))


class _Memory:
    """What is remembered of files, on disk; their names are as private as the folder is."""

    def __init__(self, path: Path, salt: str) -> None:
        self.path = path
        self.salt = salt
        self.files: dict[bytes, KnownFile] = {}
        self.is_saved = False
        if path.exists():
            self._load()

    def _load(self) -> None:
        data = read_bytes(self.path)
        try:
            memory = msgspec.msgpack.decode(data, type=FileMemory)
        except msgspec.MsgspecError as error:
            raise InputError(
                f"{self.path}: damaged ({error}); delete it, and transcripts that their client has"
                f" deleted are found by auditing {self.path.parent / ARCHIVE} alone"
            ) from error

        self.is_saved = memory.code == code_identity()
        for file in memory.files:
            if not self.is_saved:
                file = msgspec.structs.replace(file, stamp=None)
            self.files[file.path] = file

    def traces(self) -> list[KnownFile]:
        """Return the files that are or may be transcripts."""
        return [file for file in self.files.values() if file.format is not None or not file.stamp]

    def note(self, files: Sequence[TraceFile]) -> None:
        """Remember that there are such files, to be looked at."""
        for file in files:
            path = os.fsencode(file.path)
            if path not in self.files:
                self.put(KnownFile(path, b"", self.source(file.path)))

    def put(self, file: KnownFile) -> None:
        """Remember a file."""
        if self.files.get(file.path) != file:
            self.files[file.path] = file
            self.is_saved = False

    def source(self, path: Path) -> str:
        """Return what the place of a file goes by in the archive."""
        return source_of(self.salt, os.path.realpath(path))

    def save(self) -> None:
        """Write what changed."""
        if not self.is_saved:
            memory = FileMemory(code_identity(), list(self.files.values()))
            write_atomic(self.path, msgspec.msgpack.encode(memory), private=True)
            self.is_saved = True


class _Fresh:
    """What one look finds that is not remembered."""

    def __init__(self, memory: _Memory) -> None:
        self.memory = memory
        self.formats = {format.name: format for format in all_formats(None)}
        self.traces: list[TraceFile] = []  # to be archived
        self.others: dict[Path, SniffedFile] = {}  # of other archives, or unreadable
        self.found: dict[bytes, KnownFile] = {}

    def add(self, files: Sequence[TraceFile], top: PurePath) -> None:
        """Sniff the files that are new or have changed."""
        merged = merged_copies(files)
        newest = time.time() - SETTLED
        for file in files:
            if type(file) is not TraceFile:
                self.others[file.path] = sniff_file(file, self.formats.values(), top)
                continue
            try:
                status = os.stat(file.path)
            except OSError:
                self.others[file.path] = sniff_file(file, self.formats.values(), top)
                continue

            stamp = (status.st_size, status.st_mtime_ns, status.st_ino)
            known = self.memory.files.get(os.fsencode(file.path))
            if known is not None and known.stamp == stamp and known.top == os.fsencode(top):
                continue

            sniffed = sniff_file(file, self.formats.values(), top)
            if sniffed.error is not None or file.path in merged:
                self.others[file.path] = sniffed
                continue
            if sniffed.format is not None:
                self.traces.append(file)
            self._find(sniffed, top, stamp if status.st_mtime < newest else None)

    def _find(self, sniffed: SniffedFile, top: PurePath, stamp: Stamp | None) -> KnownFile:
        """Note what a file is; one of a plug-in's format is looked at again each time."""
        format = sniffed.format
        is_lasting = format is None or is_own(format)
        known = KnownFile(
            path=os.fsencode(sniffed.path),
            top=os.fsencode(top),
            source=self.memory.source(sniffed.path),
            stamp=stamp if is_lasting else None,
            format=None if format is None else format.name,
            project=sniffed.project,
            is_empty=sniffed.is_empty,
        )
        self.found[known.path] = known
        return known

    def remember(self) -> None:
        """Remember what was found, now that it is archived."""
        for file in self.found.values():
            self.memory.put(file)

    def sniffed(self, path: Path, copy: ArchivedFile | None, top: PurePath) -> SniffedFile:
        """Return a file as it is archived, with what is known of it."""
        if path in self.others:
            return self.others[path]

        known = self.memory.files[os.fsencode(path)]
        file = TraceFile(path) if copy is None else copy
        is_current = known.path in self.found or known.stamp is not None
        if not is_current or known.top != os.fsencode(top):
            # Only the archive has it, and this look has not seen it yet.
            sniffed = sniff_file(file, self.formats.values(), top)
            self.memory.put(self._find(sniffed, top, GONE))
            return sniffed

        format = None if known.format is None else self.formats[known.format]
        return SniffedFile(path, file, format, is_empty=known.is_empty, project=known.project)
