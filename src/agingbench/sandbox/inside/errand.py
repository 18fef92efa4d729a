"""Lays files out in the box, runs one command on them and brings back what became of them."""

from __future__ import annotations

import base64
import os
import signal
import stat
import subprocess
import sys
from contextlib import suppress
from typing import TypedDict

BOX = "/box"
LONGEST_OUTPUT = 20_000  # characters of stdout and of stderr


class Errand(TypedDict):
    """What a command printed, how it ended (None: its time was up) and the files after it."""

    exit_code: int | None
    stdout: str
    stderr: str
    files: dict[str, str] | None  # base64; None when they are too many bytes to bring back


def lay_out(files: dict[str, str]) -> None:
    """Write the files below the box."""
    for path, data in files.items():
        place = os.path.join(BOX, path)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "wb") as file:
            file.write(base64.b64decode(data))


def bring_back(most_bytes: int) -> dict[str, str] | None:
    """Return every regular file below the box; links, pipes and sockets are left behind."""
    files = {}
    size = 0
    for folder, _, names in os.walk(BOX):
        for name in names:
            place = os.path.join(folder, name)
            if not stat.S_ISREG(os.lstat(place).st_mode):
                continue
            os.chmod(place, 0o600)
            size += os.path.getsize(place)
            if size > most_bytes:
                return None
            with open(place, "rb") as file:
                data = file.read()
            files[os.path.relpath(place, BOX)] = base64.b64encode(data).decode()
    return files


def shorten(output: bytes) -> str:
    """Return the output as text, the middle of a long one left out."""
    text = output.decode(errors="replace")
    if len(text) <= LONGEST_OUTPUT:
        return text
    half = LONGEST_OUTPUT // 2
    return f"{text[:half]}\n[...]\n{text[-half:]}"


def run_errand(
    files: dict[str, str], argv: list[str], stdin: str, seconds: float, most_bytes: int
) -> Errand:
    """Run a command on the files; `python3` is always the interpreter that runs this program."""
    lay_out(files)
    folder = os.path.dirname(sys.executable)
    variables = {
        "PATH": f"{folder}:/usr/bin:/bin",
        "HOME": "/nowhere",
        "LANG": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONNOUSERSITE": "1",
        "PYTHONHASHSEED": "0",
    }
    if argv[0] == "python3":
        argv = [sys.executable, *argv[1:]]
    process = subprocess.Popen(  # noqa: S603 -- what this program is for
        argv,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=BOX,
        env=variables,
        start_new_session=True,
    )
    exit_code: int | None
    try:
        stdout, stderr = process.communicate(stdin.encode(), timeout=seconds)
        exit_code = process.returncode
    except subprocess.TimeoutExpired:
        exit_code = None
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        stdout, stderr = process.communicate()

    return {
        "exit_code": exit_code,
        "stdout": shorten(stdout),
        "stderr": shorten(stderr),
        "files": bring_back(most_bytes),
    }
