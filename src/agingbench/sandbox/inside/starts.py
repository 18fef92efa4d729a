"""Starts a program of an agent again and again, each time in a new process of its own.

Runs in a guest of the confinement, without rights. What the starts are to print never comes in
here, so there is nothing to find for a program that looks around.
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import signal
import site
import sqlite3
import sys
import time
import types
from contextlib import closing, suppress
from typing import Any, TypedDict

BOX = "/box"
PACKAGES = "/packages"  # what programs may import besides the standard library
LONGEST_OUTPUT = 20_000  # characters of one start
MOST_TIMEOUTS = 2  # of one batch; what comes after them is not started
LOADED = ("argparse", "csv", "datetime", "pathlib", "typing", "click")
CHUNK = 1 << 16

programs: dict[bytes, Any] = {}  # compiled, by source


class Start(TypedDict):
    """What one start needs: words for the program, or a path to look at."""

    words: list[str]
    looks_at: str
    tables: list[str]


class Check(TypedDict):
    """Starts that share a copy of the workspace."""

    entry: str
    files: dict[str, str]
    clears: list[str]
    starts: list[Start]


class Ending(TypedDict):
    """How a start ended: its exit code, None where it was killed; and what it printed."""

    code: int | None
    output: str


def lay_out(folder: str, workspace: dict[str, str], check: Check) -> None:
    """Write the workspace below a folder, then what the check lays over it."""
    os.mkdir(folder)
    texts = {path: text.encode() for path, text in check["files"].items()}
    contents = {path: base64.b64decode(data) for path, data in workspace.items()}
    cleared = tuple(check["clears"])
    for path in list(contents):
        if any(path == place or path.startswith(f"{place}/") for place in cleared):
            del contents[path]
    for path, data in {**contents, **texts}.items():
        place = os.path.join(folder, path)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "wb") as file:
            file.write(data)


def run_program(folder: str, entry: str, words: list[str]) -> int:
    """Run the program as `python entry words…` would; return its exit code."""
    sys.argv = [entry, *words]
    sys.path.insert(0, folder)
    main = types.ModuleType("__main__")
    main.__file__ = os.path.join(folder, entry)
    sys.modules["__main__"] = main
    try:
        with open(entry, "rb") as file:
            source = file.read()
        exec(compiled(source, entry), main.__dict__)  # noqa: S102 -- what this program is for
    except SystemExit as end:
        if end.code is None:
            return 0
        return end.code if isinstance(end.code, int) else 1
    except BaseException:
        return 1
    return 0


def compiled(source: bytes, entry: str) -> Any:
    """Compile a program once for all starts; to compile is not to run it."""
    if source not in programs:
        programs[source] = compile(source, entry, "exec")
    return programs[source]


def look(path: str, tables: list[str]) -> int | None:
    """Count the records of a store: rows, lines, members of a JSON list, or files in a folder.

    Returns None where there is no such store, and -1 for one of another kind.
    """
    if not os.path.lexists(path):
        return None
    if os.path.islink(path):
        return -1
    if os.path.isdir(path):
        return sum(name.endswith(".json") for name in os.listdir(path))
    if tables:
        return rows_in(path, tables)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if path.endswith(".jsonl"):
        return sum(bool(line.strip()) for line in text.splitlines())
    records = json.loads(text)
    return len(records) if isinstance(records, list) else -1


def rows_in(path: str, tables: list[str]) -> int:
    """Count the rows of the first of these tables; -1 where one of them is missing."""
    with closing(sqlite3.connect(path)) as database:
        names = {row[0] for row in database.execute("SELECT name FROM sqlite_master")}
        if not names.issuperset(tables):
            return -1
        quoted = tables[0].replace('"', '""')
        row = database.execute(f'SELECT COUNT(*) FROM "{quoted}"').fetchone()  # noqa: S608 -- quoted
        return int(row[0])


def be_start(folder: str, entry: str, start: Start, output: int) -> None:
    """Become the start: change into the folder, print to the pipe, and end."""
    os.setsid()
    os.chdir(folder)
    nowhere = os.open("/dev/null", os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(output, 1)
    os.dup2(nowhere, 2)
    os.closerange(3, 64)
    sys.stdin = os.fdopen(0, "r", closefd=False)
    sys.stdout = os.fdopen(1, "w", closefd=False)
    sys.stderr = os.fdopen(2, "w", closefd=False)
    code = 1
    if start["looks_at"]:
        with suppress(Exception):
            print(json.dumps(look(start["looks_at"], start["tables"])))
            code = 0
    else:
        code = run_program(folder, entry, start["words"])
    with suppress(Exception):
        sys.stdout.flush()
    os._exit(code & 255)


def watch(child: int, pipe: int, seconds: float) -> Ending:
    """Read what a start prints until it has ended; it is killed when its time is up."""
    deadline = time.monotonic() + seconds
    ended = os.pidfd_open(child)
    text = b""
    code: int | None = None
    while True:
        rest = deadline - time.monotonic()
        ready = select.select([pipe, ended], [], [], max(0.0, rest))[0]
        if pipe in ready:
            chunk = os.read(pipe, CHUNK)
            text = (text + chunk)[: LONGEST_OUTPUT + 1]
            if chunk:
                continue
        if ended in ready or not ready:
            break
        select.select([ended], [], [], max(0.0, rest))
        break
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    status = os.waitpid(child, 0)[1]
    if os.WIFEXITED(status):
        code = os.WEXITSTATUS(status)
    os.close(ended)
    return {"code": code, "output": text[:LONGEST_OUTPUT].decode(errors="replace")}


def run_start(folder: str, entry: str, start: Start, seconds: float) -> Ending:
    """Make one start in a process of its own."""
    inward, outward = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            be_start(folder, entry, start, outward)
        finally:
            os._exit(1)
    os.close(outward)
    ending = watch(child, inward, seconds)
    os.close(inward)
    return ending


def run_starts(workspace: dict[str, str], checks: list[Check], seconds: float) -> list[Any]:
    """Make the starts of every check; return their endings, none for what was not started."""
    site.setquit()  # `exit()` is there in a program that is started by hand
    if PACKAGES not in sys.path:
        sys.path.append(PACKAGES)
    # What the program names is loaded before it runs, so that each start finds it at hand.
    sources = b"\n".join(base64.b64decode(data) for data in workspace.values())
    for name in LOADED:
        if name.encode() in sources:
            with suppress(ImportError):
                __import__(name)

    results = []
    timeouts = 0
    for number, check in enumerate(checks):
        folder = f"{BOX}/{number}"
        endings: list[Ending] = []
        if timeouts < MOST_TIMEOUTS:
            lay_out(folder, workspace, check)
            with suppress(Exception):  # what cannot be compiled fails in its own start
                compiled(base64.b64decode(workspace[check["entry"]]), check["entry"])
            for start in check["starts"]:
                ending = run_start(folder, check["entry"], start, seconds)
                endings.append(ending)
                if ending["code"] is None:
                    timeouts += 1
                    break
            shutil.rmtree(folder, ignore_errors=True)
        results.append(endings)
    return results
