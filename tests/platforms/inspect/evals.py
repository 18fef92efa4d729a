"""Evaluations through the real Inspect against a model server on loopback."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agingbench.errors import InputError
from agingbench.models.extractive import Extractive
from agingbench.models.serving.server import ServedModel, serving
from agingbench.models.serving.wire import WireRequest
from agingbench.records import Reply

MODEL = "openai-api/loopback/extractive"
MAIN = "from inspect_ai._cli.main import main; main()"


@dataclass
class Endpoint(ServedModel):
    """The embedded model, slow or broken on demand."""

    delay: float = 0.0
    broken: bool = False

    def complete(self, request: WireRequest) -> Reply:
        if self.broken:
            raise InputError("planted")
        time.sleep(self.delay)
        return super().complete(request)


@dataclass
class Loopback:
    """A served model and where it is."""

    endpoint: Endpoint
    base_url: str

    def environment(self) -> dict[str, str]:
        """What an evaluation must have in its environment to reach it."""
        return {"LOOPBACK_API_KEY": "none", "LOOPBACK_BASE_URL": self.base_url}

    def inspect(self, *arguments: str, folder: Path) -> str:
        """The output of an `inspect` command that can reach it."""
        return inspect_command(*arguments, folder=folder, variables=self.environment())


@contextmanager
def loopback() -> Iterator[Loopback]:
    """A model server for the block."""
    endpoint = Endpoint(Extractive())
    with serving(endpoint) as port:
        yield Loopback(endpoint, f"http://127.0.0.1:{port}/v1")


def inspect_command(
    *arguments: str, folder: Path, variables: dict[str, str], display: bool = True
) -> str:
    """Run `inspect` in a process of its own that knows of no other model, and return its output."""
    own = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    done = subprocess.run(
        [sys.executable, "-c", MAIN, *arguments, *(("--display", "plain") if display else ())],
        cwd=folder,
        env={**own, **variables, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def only_log(folder: Path) -> Any:
    """The one log of a folder, read whole."""
    from inspect_ai.log import read_eval_log

    (file,) = folder.glob("*.eval")
    return read_eval_log(str(file))
