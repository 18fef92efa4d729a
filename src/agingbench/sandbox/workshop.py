"""A workspace in memory: files that are read and written here, and commands in a confinement.

A command finds the files as they are, in a box of its own, and what it leaves there is taken over.
Nothing is ever written to this machine's disk, so a kill leaves nothing behind.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

import msgspec

from agingbench.errors import InputError
from agingbench.sandbox.confinement import Confinement, Limits, Result, confinement

MOST_BYTES = 500_000  # of all files of a workspace
MOST_FILES = 500
LONGEST_PATH = 200
COMMAND_SECONDS = 10.0
# The clock of the confinement stands behind that of the command.
LIMITS = Limits(wall_seconds=COMMAND_SECONDS + 5, cpu_seconds=10, processes=16)
_PROGRAM = Path(__file__).parent / "inside" / "errand.py"


class WorkshopError(InputError):
    """A path, a file or a command that a workspace does not take."""


class BrokenConfinement(InputError):
    """No command can be run any more: the confinement is gone."""


class CommandResult(msgspec.Struct, frozen=True):
    """What a command came to; `exit_code` is None where it was ended, and `problem` says why."""

    exit_code: int | None
    stdout: str
    stderr: str
    problem: str = ""


class _Errand(msgspec.Struct):
    # What comes out of the box; the command may have written anything.
    exit_code: int | None
    stdout: str
    stderr: str
    files: dict[str, str] | None


class Workshop:
    """The files of a workspace by path, and the confinement that commands run in."""

    def __init__(
        self,
        confined: Confinement,
        files: Mapping[str, bytes],
        seconds: float = COMMAND_SECONDS,
        most_bytes: int = MOST_BYTES,
        most_files: int = MOST_FILES,
    ) -> None:
        self.confined = confined
        self._seconds = seconds
        self._most_bytes = most_bytes
        self._most_files = most_files
        self._source = _PROGRAM.read_text(encoding="utf-8")
        self.files: dict[str, bytes] = {}
        for path, data in files.items():
            self.write(path, data)

    def copy(self, extra: Mapping[str, bytes] | None = None) -> Workshop:
        """An independent workspace with the same files, and others laid over them."""
        extra = extra or {}
        kept = {
            path: data
            for path, data in self.files.items()
            if not any(_collide(path, other) for other in extra)
        }
        limits = (self._seconds, self._most_bytes, self._most_files)
        return Workshop(self.confined, {**kept, **extra}, *limits)

    @property
    def hash(self) -> str:
        """The SHA-256 of paths and contents."""
        digests = sorted(
            (path, hashlib.sha256(data).hexdigest()) for path, data in self.files.items()
        )
        return hashlib.sha256(repr(digests).encode()).hexdigest()

    def read(self, path: str) -> str:
        """Return a file as text; raises WorkshopError when there is none."""
        data = self.files.get(checked_path(path))
        if data is None:
            raise WorkshopError(f"no file {path!r} in the workspace")
        return data.decode(errors="replace")

    def write(self, path: str, data: bytes) -> None:
        """Write a file; raises WorkshopError where the workspace does not take it."""
        place = checked_path(path)
        for other in self.files:
            if other != place and _collide(other, place):
                raise WorkshopError(f"{path!r} cannot be written: {other!r} is in its way")
        files = {**self.files, place: data}
        self._check_size(files)
        self.files = files

    def run(self, argv: Sequence[str], stdin: str = "") -> CommandResult:
        """Run a command on the files and take over what it left."""
        if not argv:
            raise WorkshopError("an empty command")
        files = {path: base64.b64encode(data).decode() for path, data in self.files.items()}
        result = self.confined.call(
            self._source,
            "run_errand",
            [files, list(argv), stdin, self._seconds, self._most_bytes],
        )
        return self._take_over(result, argv)

    def _take_over(self, result: Result, argv: Sequence[str]) -> CommandResult:
        if result.status == "unavailable":
            raise BrokenConfinement(result.detail)
        if result.status == "timeout":
            return CommandResult(None, "", "", f"ended: {result.detail} is up")
        if result.status == "failed":
            missing = result.detail == "raised FileNotFoundError"
            problem = f"no program {argv[0]!r}" if missing else result.detail
            return CommandResult(None, "", "", problem)

        try:
            errand = msgspec.convert(result.value, _Errand)
            files = None if errand.files is None else self._decode(errand.files)
        except (msgspec.ValidationError, binascii.Error, WorkshopError) as error:
            return CommandResult(None, "", "", f"its result cannot be read ({error})")

        problem = ""
        if errand.exit_code is None:
            problem = f"ended after {self._seconds:g} seconds"
        if files is None:
            problem = f"its files were not kept: a workspace holds at most {self._most_bytes} bytes"
        else:
            self.files = files
        return CommandResult(errand.exit_code, errand.stdout, errand.stderr, problem)

    def _decode(self, files: Mapping[str, str]) -> dict[str, bytes]:
        decoded = {checked_path(path): base64.b64decode(data) for path, data in files.items()}
        self._check_size(decoded)
        return decoded

    def _check_size(self, files: Mapping[str, bytes]) -> None:
        size = sum(map(len, files.values()))
        if size > self._most_bytes:
            raise WorkshopError(f"a workspace holds at most {self._most_bytes} bytes, not {size}")
        if len(files) > self._most_files:
            raise WorkshopError(
                f"a workspace holds at most {self._most_files} files, not {len(files)}"
            )


@contextmanager
def workshop(files: Mapping[str, bytes], seconds: float = COMMAND_SECONDS) -> Iterator[Workshop]:
    """Build a workspace with a confinement of its own, which ends with the block."""
    with confinement(LIMITS) as confined:
        yield Workshop(confined, files, seconds)


def checked_path(path: str) -> str:
    """Return the path in its plain form; raises WorkshopError unless it stays in the workspace."""
    pure = PurePosixPath(path)
    wrong = (
        pure.is_absolute()
        or ".." in pure.parts
        or not pure.parts
        or len(path) > LONGEST_PATH
        or any(ord(character) < 32 for character in path)
    )
    if wrong:
        raise WorkshopError(f"the path {path!r} is not one inside the workspace")
    return str(pure)


def _collide(path: str, other: str) -> bool:
    return path == other or path.startswith(f"{other}/") or other.startswith(f"{path}/")
