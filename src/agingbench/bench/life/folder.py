"""A life on disk: one class owns its paths, its lock, its append-only files and how a stopped life
goes on.

A unit is committed through a redo note: everything to be written is first put down whole in
`.commit.json`, then appended and saved, then the note is removed. A life killed at any instruction
either has the note, and the rest of its writing is done at the next start, or it does not, and the
unit is lived again.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec
from filelock import FileLock, Timeout

from agingbench.bench.life.snapshots import pack, unpack
from agingbench.bench.life.transitions import LIFE_END, AnswerRow, Snapshot, Transition
from agingbench.bench.plan.plan import Plan, load_plan
from agingbench.errors import InputError, RunConflict, StorageError
from agingbench.records import Event
from agingbench.traces.files import read_bytes, read_json, write_atomic
from agingbench.traces.journal import append_bytes
from agingbench.traces.trajectory import encode_event, header_line, read_trace

# What every record of a system says.
SYSTEM: dict[str, type] = {
    **dict.fromkeys(("scenario", "sut_id", "model", "memory", "agent"), str),
    **dict.fromkeys(("model_options", "memory_options", "agent_options"), dict),
}
_ASIDE = f".{'[0-9a-f]' * 16}.tmp"


class RunDirectory:
    """The folder of one life. Use it as a context manager to live in it: it is locked while it is
    open.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.plan_file = path / "plan.json"
        self.sut_file = path / "sut.json"
        self.trace = path / "trace.jsonl"
        self.answers = path / "answers.jsonl"
        self.memory = path / "memory"
        self.metrics = path / "metrics.json"
        self.dependency_metrics = path / "dependency_metrics.json"
        self.code_checks = path / "code_checks.json"
        self.card = path / "aging_card.json"
        self.trial = path / "trial.json"
        self.curve_png = path / "aging_curve.png"
        self.curve_svg = path / "aging_curve.svg"
        self.diagnosis = path / "diagnosis.json"
        self.diagnosis_answers = path / "diagnosis_answers.jsonl"
        self.calibration_answers = path / "calibration_answers.jsonl"
        self.diagnosis_png = path / "diagnosis.png"
        self.diagnosis_svg = path / "diagnosis.svg"
        self._note = path / ".commit.json"
        self._lock = FileLock(path / ".lock")
        self._latest: tuple[int, Snapshot] | None = None  # what the next snapshot is packed against

    def __enter__(self) -> RunDirectory:
        try:
            self.memory.mkdir(parents=True, exist_ok=True)
            self._lock.acquire(timeout=0)
        except Timeout as error:
            raise RunConflict(
                f"{self.path}: another process is living in this directory; wait for it to end"
            ) from error
        except OSError as error:
            raise StorageError(f"cannot use {self.path}: {error.strerror or error}") from error
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self._lock.release()

    # -- living

    def prepare(self, plan: Plan, sut: dict[str, Any]) -> None:
        """Put plan and system under test down, or make sure that they are the ones this directory
        was made for.
        """
        for file, wanted, what in (
            (self.plan_file, plan.encode(), "plan"),
            (self.sut_file, _json(sut), "system"),
        ):
            if not file.exists():
                write_atomic(file, wanted)
            elif file.read_bytes() != wanted:
                raise RunConflict(
                    f"{self.path}: this directory was made for another {what} ({file.name}"
                    " differs); give another --out"
                )

    def resume(self, plan: Plan) -> tuple[int, dict[str, Any] | None]:
        self._clear_away()
        self._redo()
        done = max(
            (int(f.stem) for f in self.memory.glob("*.json") if f.stem.isdigit()), default=-1
        )
        if done <= 0:
            return 0, None
        if done == plan.n_sessions and self.ended():
            return plan.n_sessions + 1, None
        return done, self.snapshot(done).state

    def ended(self) -> bool:
        """Whether the life was lived to its end."""
        if not self.trace.exists() or self._note.exists():
            return False
        with self.trace.open("rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - 4096))
            return f'"lifecycle":"{LIFE_END}"'.encode() in file.read()

    def commit(self, transition: Transition) -> None:
        events = b"" if self.trace.exists() and self.trace.stat().st_size else header_line() + b"\n"
        events += b"".join(encode_event(event) + b"\n" for event in transition.events)
        answers = b"".join(msgspec.json.encode(row) + b"\n" for row in transition.answers)
        note = {
            "append": {
                file.name: {
                    "at": file.stat().st_size if file.exists() else 0,
                    "text": data.decode(),
                }
                for file, data in ((self.trace, events), (self.answers, answers))
            },
            "save": {
                name: self._packed(snapshot, transition)
                for name, snapshot in transition.snapshots.items()
            },
        }
        write_atomic(self._note, _json(note))
        self._redo()
        for snapshot in transition.snapshots.values():
            self._latest = (snapshot.t, snapshot)

    def _packed(self, snapshot: Snapshot, transition: Transition) -> dict[str, Any]:
        # Both snapshots at an event, before and after it, go by the one of the point before.
        plain: dict[str, Any] = msgspec.to_builtins(snapshot)
        if snapshot.t == 0:
            return plain
        before = transition.snapshots.get(f"{snapshot.t - 1}.json") or self.snapshot(snapshot.t - 1)
        base = msgspec.to_builtins(before)
        packed = {key: pack(plain[key], base[key]) for key in ("state", "text")}
        return {"t": snapshot.t, **packed}

    def _redo(self) -> None:
        if not self._note.exists():
            return
        note = read_json(self._note)
        for name, part in note["append"].items():
            self._append(self.path / name, part["at"], part["text"].encode())
        for name, snapshot in note["save"].items():
            write_atomic(self.memory / name, _json(snapshot))
        self._note.unlink()

    def _clear_away(self) -> None:
        # What a process that was killed in the middle of an atomic write left aside; nobody else
        # writes here now.
        for stray in [*self.path.glob(_ASIDE), *self.memory.glob(_ASIDE)]:
            stray.unlink()

    def _append(self, file: Path, at: int, data: bytes) -> None:
        written = (file.stat().st_size if file.exists() else 0) - at
        if not 0 <= written <= len(data):
            raise RunConflict(
                f"{file}: was changed by somebody else; move the directory away and run again"
            )
        append_bytes(file, data[written:], advice="run again to continue where it stopped")

    # -- reading back

    def plan(self) -> Plan:
        if not self.plan_file.exists():
            raise InputError(f"{self.path}: not a run directory (there is no plan.json)")
        return load_plan(self.plan_file)

    def sut(self) -> dict[str, Any]:
        sut: dict[str, Any] = read_json(self.sut_file)
        odd = [
            key
            for key, kind in SYSTEM.items()
            if not isinstance(sut, dict) or not isinstance(sut.get(key), kind)
        ]
        if odd:
            raise InputError(
                f"{self.sut_file}: not the record of a system (`{odd[0]}` is missing or odd)"
            )
        return sut

    def events(self) -> list[Event]:
        """Every event of the life; what a life wrote itself has no odd line, so one is an error
        that names it.
        """
        reading = read_trace(self.trace)
        if reading.diagnostics:
            first = reading.diagnostics[0]
            raise InputError(f"{self.trace}:{first.line}: not an event: {first.reason}")
        return reading.events

    def answer_rows(self) -> list[AnswerRow]:
        """Every answer that was committed; a broken line is an error that names it."""
        return read_answers(self.answers)

    def snapshot(self, t: int) -> Snapshot:
        """The memory at a point. Goes forward from the last one read, since each is told by the one
        before.
        """
        start, before = self._latest if self._latest and self._latest[0] <= t else (-1, None)
        if start == t and before is not None:
            return before
        for point in range(start + 1, t + 1):
            before = self._read_snapshot(point, before)
        assert before is not None
        self._latest = (t, before)
        return before

    def before(self, t: int) -> Snapshot:
        """The memory at a point as it was before the lifecycle events there."""
        return self._read_snapshot(f"{t}_before", self.snapshot(t - 1))

    def _read_snapshot(self, name: int | str, before: Snapshot | None) -> Snapshot:
        file = self.memory / f"{name}.json"
        raw = read_json(file)
        try:
            for key in ("state", "text"):
                raw[key] = unpack(raw[key], getattr(before, key, None))
            return msgspec.convert(raw, Snapshot)
        except (msgspec.ValidationError, KeyError, TypeError) as error:
            raise InputError(f"{file}: not a memory snapshot: {error}") from error

    def texts(self, plan: Plan) -> Iterator[tuple[int, str]]:
        """The memory's text at every point."""
        return ((t, self.snapshot(t).text) for t in range(plan.n_sessions + 1))


def read_answers(file: Path) -> list[AnswerRow]:
    """The answers in a file, one a line; a broken line is an error that names it."""
    rows = []
    for number, line in enumerate(read_bytes(file).split(b"\n"), 1):
        if line:
            try:
                rows.append(msgspec.json.decode(line, type=AnswerRow))
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                raise InputError(f"{file}:{number}: not an answer: {error}") from error
    return rows


def _json(obj: Any) -> bytes:
    return msgspec.json.encode(obj, order="deterministic") + b"\n"
