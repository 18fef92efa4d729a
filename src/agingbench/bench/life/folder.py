"""The folder of a life while it is lived: its lock, its append-only files, and how it is resumed.

A transition is committed through a redo note: everything to be written is first written whole to
`.commit.json`, then appended and saved, then the note is removed. A life killed at any instruction
either has the note, and the rest of its writing is done at the next start, or it does not, and the
transition is lived again.
"""

from __future__ import annotations

import secrets
import shutil
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec
from filelock import FileLock, Timeout

from agingbench.bench.life.transitions import Transition
from agingbench.bench.plan.plan import Plan, load_plan
from agingbench.errors import RunConflict, StorageError
from agingbench.traces.files import private_folder, read_json, write_atomic
from agingbench.traces.journal import append_bytes
from agingbench.traces.scrub.keys import clean_keys
from agingbench.traces.trajectory import encode_event, header_line
from agingbench.trials.declarations import Declarations
from agingbench.trials.evidence import checked_name
from agingbench.trials.run_folder import (
    LifeFiles,
    LifeIdentity,
    Snapshot,
    SystemRecord,
)
from agingbench.trials.snapshots import pack

_TEMPORARY = f".{'[0-9a-f]' * 16}.tmp"


class PackedSnapshot(msgspec.Struct, frozen=True):
    """A snapshot as its file holds it: what its state and text add to those of the point before."""

    t: int
    state: Any
    text: Any


class RunDirectory(LifeFiles):
    """The folder of one life, to live in it: as a context manager it is locked while it is open."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._lock = FileLock(path / ".lock", mode=0o600)

    def __enter__(self) -> RunDirectory:
        try:
            private_folder(self.path)
            private_folder(self.memory)
            self._lock.acquire(timeout=0)
        except Timeout as error:
            raise RunConflict(
                f"{self.path}: another process is living in this directory; wait for it to end"
            ) from error
        except OSError as error:
            file = error.filename or self._lock.lock_file
            raise StorageError(f"cannot use {file}: {error.strerror or error}") from error
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self._lock.release()

    def plan(self) -> Plan:
        """The plan of the life; raises InputError where there is none."""
        return load_plan(self.require_plan())

    def prepare(self, plan: Plan, sut: SystemRecord) -> None:
        """Write plan and system, or raise RunConflict where the folder holds others."""
        contents = (
            (self.plan_file, plan.encode(), "plan"),
            (self.sut_file, _json(sut.document()), "system"),
        )
        for file, content, what in contents:
            if not file.exists():
                write_atomic(file, content)
            elif file.read_bytes() != content:
                raise RunConflict(
                    f"{self.path}: this directory was made for another {what} ({file.name}"
                    " differs); give another --out"
                )

    def begin(self, name: str, declares: Declarations) -> None:
        """Draw the id of a new life of this name, and note each start of one that has not ended.

        A life that was begun by a version without drawn ids keeps the id it had.
        """
        identity = self.identity()
        if identity is None and self.trace.exists():
            return
        now = datetime.now(UTC)
        if identity is None:
            drawn = f"{name}.{now:%Y%m%d}-{secrets.token_hex(4)}"
            identity = LifeIdentity(trial_id=drawn, starts=[])
        starts = identity.starts
        if not self.ended():
            starts = [*starts, now.isoformat(timespec="milliseconds")]
        noted = LifeIdentity(
            trial_id=identity.trial_id,
            starts=starts,
            declares=declares.over(identity.declares),
        )
        if noted != identity:
            write_atomic(self.identity_file, _json(noted))

    def resume(self, plan: Plan) -> tuple[int, dict[str, Any] | None]:
        """Finish an interrupted commit; return the next transition and the state to go on from."""
        self._remove_temporary_files()
        self._redo()
        last = self.points() - 1
        if last <= 0:
            return 0, None
        if last == plan.n_sessions and self.ended():
            return plan.n_sessions + 1, None
        return last, self.snapshot(last).state

    def commit(self, transition: Transition) -> None:
        """Write a transition so that a kill at any moment leaves it whole or absent."""
        has_header = self.trace.exists() and self.trace.stat().st_size > 0
        events = b"" if has_header else header_line() + b"\n"
        events += b"".join(encode_event(event) + b"\n" for event in transition.events)
        answers = b"".join(msgspec.json.encode(row) + b"\n" for row in transition.answers)

        appended = {}
        for file, data in ((self.trace, events), (self.answers, answers)):
            size = file.stat().st_size if file.exists() else 0
            appended[file.name] = {"at": size, "text": data.decode()}
        saved = {
            name: self._packed(snapshot, transition)
            for name, snapshot in transition.snapshots.items()
        }

        self._save_evidence(transition)
        write_atomic(self.commit_note, _json({"append": appended, "save": saved}))
        self._redo()
        for snapshot in transition.snapshots.values():
            self._latest = (snapshot.t, snapshot)

    def _save_evidence(self, transition: Transition) -> None:
        """Write what the agent left about its session, in place of what a killed start wrote.

        It is written ahead of the commit, so no session is committed without its evidence.
        """
        for left in self.sessions.glob(f"{transition.t:03d}_*"):
            shutil.rmtree(left) if left.is_dir() else left.unlink()
        for name, data in transition.evidence.items():
            target = self.sessions / checked_name(name)
            private_folder(target.parent)
            write_atomic(target, _without_keys(data), private=True)

    def _packed(self, snapshot: Snapshot, transition: Transition) -> PackedSnapshot:
        # Both snapshots at an event, before and after it, are packed against the point before.
        if snapshot.t == 0:
            return PackedSnapshot(snapshot.t, snapshot.state, snapshot.text)
        previous = snapshot.t - 1
        base = transition.snapshots.get(f"{previous}.json") or self.snapshot(previous)
        return PackedSnapshot(
            snapshot.t,
            pack(snapshot.state, base.state),
            pack(snapshot.text, base.text),
        )

    def finish_commit(self) -> None:
        """Finish a commit that was interrupted, if there is one."""
        if self.commit_note.exists():
            self._redo()

    def _redo(self) -> None:
        if not self.commit_note.exists():
            return
        note = read_json(self.commit_note)
        for name, part in note["append"].items():
            self._append(self.path / name, part["at"], part["text"].encode())
        for name, snapshot in note["save"].items():
            write_atomic(self.memory / name, _json(snapshot))
        self.commit_note.unlink()

    def _remove_temporary_files(self) -> None:
        # A process that was killed inside an atomic write leaves them; nobody else writes here now.
        for file in [*self.path.glob(_TEMPORARY), *self.memory.glob(_TEMPORARY)]:
            file.unlink()

    def _append(
        self,
        file: Path,
        at: int,
        data: bytes,
    ) -> None:
        size = file.stat().st_size if file.exists() else 0
        present = size - at
        if not 0 <= present <= len(data):
            raise RunConflict(
                f"{file}: was changed by somebody else; move the directory away and run again"
            )
        append_bytes(file, data[present:], advice="run again to continue where it stopped")


def _without_keys(data: bytes) -> bytes:
    """A text without what looks like a key; what is no text stays as it is."""
    try:
        return clean_keys(data.decode()).encode()
    except UnicodeDecodeError:
        return data


def _json(obj: Any) -> bytes:
    return msgspec.json.encode(obj, order="deterministic") + b"\n"
