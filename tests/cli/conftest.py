"""Runs the command line in this process: its exit code, what it printed, and what it complained
about.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from agingbench.cli import main


@dataclass(frozen=True)
class Told:
    """What a command left behind."""

    code: int
    out: str
    err: str


Cli = Callable[..., Told]


def data(text: str | bytes, kind: str | None = None) -> Any:
    """The data of the one JSON document that a command printed."""
    (line,) = text.splitlines()
    document = json.loads(line)
    assert set(document) == {"kind", "version", "data"}
    assert document["version"] == 1
    assert document["kind"] != "error" if kind is None else document["kind"] == kind
    return document["data"]


def items(text: str) -> list[Any]:
    """The data of the one JSON document as a list; one item where it is no list."""
    found = data(text)
    return found if isinstance(found, list) else [found]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Call the command line with these arguments, without the environment of the caller."""
    for name in list(os.environ):
        if name.upper().startswith(("OPENAI", "ANTHROPIC", "AGINGBENCH")):
            monkeypatch.delenv(name)

    def call(*arguments: object) -> Told:
        capsys.readouterr()
        code = main.run([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return Told(code, out, err)

    return call
