"""Runs a product once: with an environment of our making, a limit of time, and no child left."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, NamedTuple

LARGEST_OUTPUT = 64 << 20
CHUNK = 1 << 16
_LAST_WORDS = 500  # characters of standard error in a message
_POLL_SECONDS = 0.02


class ProcessResult(NamedTuple):
    """What a product printed and how it ended; `problem` is why it failed, else empty."""

    stdout: str
    stderr: str
    problem: str


def run_product(
    argv: Sequence[str],
    environment: Mapping[str, str],
    folder: Path,
    stdin: str,
    seconds: float,
    into: Path | None = None,
) -> ProcessResult:
    """Run a program to its end or to its limit; its whole process group is ended afterwards.

    With `into` its output goes to that file first: some programs end before a pipe has it all.
    """
    if into is not None:
        with into.open("wb") as file:
            result = _run(argv, environment, folder, stdin, seconds, file.fileno())
        with into.open("rb") as file:
            written = file.read(LARGEST_OUTPUT).decode(errors="replace")
        return result._replace(stdout=written)
    return _run(argv, environment, folder, stdin, seconds, subprocess.PIPE)


def _run(
    argv: Sequence[str],
    environment: Mapping[str, str],
    folder: Path,
    stdin: str,
    seconds: float,
    stdout: int,
) -> ProcessResult:
    try:
        process = subprocess.Popen(  # noqa: S603 -- the product that the user chose
            argv,
            stdin=subprocess.PIPE,
            stdout=stdout,
            stderr=subprocess.PIPE,
            cwd=folder,
            env=dict(environment),
            start_new_session=True,
        )
    except OSError as error:
        return ProcessResult("", "", f"cannot be started: {error}")
    assert process.stdin is not None
    pipes = [pipe for pipe in (process.stdout, process.stderr) if pipe is not None]
    outputs = [_Output(pipe) for pipe in pipes]
    writer = threading.Thread(target=_write, args=(process.stdin, stdin), daemon=True)
    writer.start()
    try:
        problem = _wait(process, outputs, seconds)
    finally:
        _end_group(process)
        process.wait()
        writer.join()
        for output in outputs:
            output.thread.join(timeout=5)
    *printed, stderr = (output.text() for output in outputs)
    text = "".join(printed)
    if not problem and process.returncode != 0:
        words = (stderr.strip() or text.strip())[-_LAST_WORDS:]
        problem = f"ended with exit code {process.returncode}: {words}"
    return ProcessResult(text, stderr, problem)


class _Output:
    """What a pipe gives, up to the largest output."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self.pipe = pipe
        self.data = bytearray()
        self.is_full = False
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self) -> None:
        with suppress(OSError, ValueError):
            while chunk := os.read(self.pipe.fileno(), CHUNK):
                if len(self.data) + len(chunk) > LARGEST_OUTPUT:
                    self.is_full = True
                    return
                self.data += chunk

    def text(self) -> str:
        self.pipe.close()
        return self.data.decode(errors="replace")


def _write(pipe: IO[bytes], text: str) -> None:
    with suppress(BrokenPipeError):
        pipe.write(text.encode())
    with suppress(BrokenPipeError):
        pipe.close()


def _wait(process: subprocess.Popen[bytes], outputs: Sequence[_Output], seconds: float) -> str:
    deadline = time.monotonic() + seconds
    while process.poll() is None:
        if time.monotonic() > deadline:
            return f"killed after {seconds:g} seconds"
        if any(output.is_full for output in outputs):
            return f"killed: it printed more than {LARGEST_OUTPUT} bytes"
        with suppress(subprocess.TimeoutExpired):
            process.wait(_POLL_SECONDS)
    return ""


def _end_group(process: subprocess.Popen[bytes]) -> None:
    # Whoever is left in the group would go on writing into the workspace.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
