"""Runs the command line in a folder of its own, and copies the frozen folders there."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
COMMANDS, PLANS = HERE / "commands", HERE / "plans.json"


class Done(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str


def environment() -> dict[str, str]:
    """An environment without keys, colours or a zone of its own, and this checkout's code."""
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    source = {"PYTHONPATH": str(ROOT / "src")}
    own = {"XDG_CACHE_HOME": os.devnull}  # no folder, so that nothing is cached
    screen = {"COLUMNS": "100", "NO_COLOR": "1", "TZ": "UTC", "LC_ALL": "C.UTF-8"}
    return {**kept, **source, **own, **screen}


def words(arguments: Sequence[str], work: Path) -> list[str]:
    """The arguments with every * replaced by the names in the working folder that fit."""
    found: list[str] = []
    for argument in arguments:
        if "*" not in argument:
            found.append(argument)
            continue
        names = sorted(path.relative_to(work).as_posix() for path in work.glob(argument))
        if not names:
            raise FileNotFoundError(f"nothing fits {argument} below {work}")
        found.extend(names)
    return found


def agingbench(work: Path, *arguments: str) -> Done:
    """Run `python -m agingbench` with these arguments in a working folder."""
    if not hasattr(_OF_THE_THREAD, "server"):
        _OF_THE_THREAD.server = _Server()
    server: _Server = _OF_THE_THREAD.server
    return server.run(work, words(arguments, work))


class _Server:
    """A process that runs commands; see server.py."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "tests.golden.server"]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            command, cwd=ROOT, env=environment(), stdin=pipe, stdout=pipe, text=True
        )
        atexit.register(self.close)

    def run(self, work: Path, arguments: list[str]) -> Done:
        """Run one command."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with tempfile.TemporaryDirectory() as folder:
            out, err = Path(folder, "out"), Path(folder, "err")
            asked = {"cwd": str(work), "words": arguments, "out": str(out), "err": str(err)}
            self.process.stdin.write(json.dumps(asked) + "\n")
            self.process.stdin.flush()
            code = int(self.process.stdout.readline())
            return Done(code, out.read_text(encoding="utf-8"), err.read_text(encoding="utf-8"))

    def close(self) -> None:
        """Let the process end."""
        with self.process:
            pass


_OF_THE_THREAD = threading.local()


def copy_in(work: Path, needs: Sequence[str]) -> None:
    """Copy frozen files and folders into a working folder, to the same places."""
    for name in needs:
        source, target = HERE / name, work / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target)
        else:
            shutil.copy2(source, target)


def files_below(folder: Path) -> dict[str, Path]:
    """Every file below a folder by its relative name."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path for path in sorted(found)}
