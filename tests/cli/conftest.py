"""Runs the command line in this process: its exit code, what it printed, and what it complained
about.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from agingbench.cli import main


@dataclass(frozen=True)
class Told:
    """What a command left behind."""

    code: int
    out: str
    err: str


Cli = Callable[..., Told]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Call the command line with these arguments, without the settings of whoever runs the tests."""
    for name in list(os.environ):
        if name.upper().startswith(("OPENAI", "ANTHROPIC", "AGINGBENCH")):
            monkeypatch.delenv(name)

    def call(*arguments: object) -> Told:
        capsys.readouterr()
        code = main.run([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return Told(code, out, err)

    return call
