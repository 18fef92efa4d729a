"""Runs a program out of an agent's workspace in a confinement, start by start.

Every start is a process of its own in a copy of the workspace. Only the words of the starts go in;
what they are to print is compared outside.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import msgspec

from agingbench.sandbox.confinement import Confinement, Limits, confinement

PACKAGES = ("click",)  # what programs may import besides the standard library
START_SECONDS = 5.0
MOST_BYTES = 2_000_000  # of a workspace that is laid out; a larger one is not run
LIMITS = Limits(wall_seconds=60, cpu_seconds=40, processes=16)
_PROGRAM = Path(__file__).parent / "inside" / "starts.py"


class StartWords(msgspec.Struct, frozen=True):
    """One start of a program: its words, or a path and tables to look at."""

    words: Sequence[str]
    looks_at: str = ""
    tables: Sequence[str] = ()


class StartBatch(msgspec.Struct, frozen=True):
    """Starts that share a copy of the workspace, files laid over it and places emptied before."""

    entry: str
    files: Mapping[str, str]
    clears: Sequence[str]
    starts: Sequence[StartWords]


class StartEnding(msgspec.Struct, frozen=True):
    """How one start ended: exit code (None: killed) and what it printed."""

    code: int | None
    output: str


class Unavailable(Exception):
    """Nothing could be executed; the text says why."""


class BrokenRun(Exception):
    """The program ended the whole run, its own checks included; the text says how."""


def package_folders() -> dict[str, str]:
    """Where each package lies that programs may import, as far as it is installed."""
    folders = {}
    for name in PACKAGES:
        spec = find_spec(name)
        if spec is not None and spec.submodule_search_locations:
            folders[name] = str(spec.submodule_search_locations[0])
    return folders


@contextmanager
def program_confinement() -> Iterator[Confinement]:
    """Build a confinement for programs; raise OSError where none can be started."""
    with confinement(LIMITS, package_folders()) as confined:
        yield confined


def run_batches(
    confined: Confinement,
    files: Mapping[str, bytes],
    batches: Sequence[StartBatch],
) -> list[list[StartEnding]]:
    """Make the starts of all batches; a batch after too many time-outs has no endings.

    Raises Unavailable where nothing can be executed, BrokenRun where the program ended the run.
    """
    if sum(len(data) for data in files.values()) > MOST_BYTES:
        raise BrokenRun(f"the workspace is larger than {MOST_BYTES} bytes")
    workspace = {path: base64.b64encode(data).decode() for path, data in files.items()}
    result = confined.call(
        _PROGRAM.read_text(encoding="utf-8"),
        "run_starts",
        [workspace, msgspec.to_builtins(list(batches)), START_SECONDS],
    )
    if result.status == "unavailable":
        raise Unavailable(result.detail)
    if result.status != "returned":
        raise BrokenRun(result.detail)
    try:
        return msgspec.convert(result.value, list[list[StartEnding]])
    except msgspec.ValidationError as error:
        raise BrokenRun("the program wrote into the report of its run") from error
