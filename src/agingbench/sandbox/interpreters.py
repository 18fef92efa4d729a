"""Pythons of this machine that something can run with."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

SECONDS = 20
IN_PLACE_OF = " in place of "  # said where the Python that the team has is not there
_QUESTION = "import sys; print(sys.base_prefix); print('.'.join(map(str, sys.version_info[:3])))"


class Interpreter(NamedTuple):
    """A Python: its folder and its version; ours where the folder is empty."""

    prefix: str
    version: str

    @property
    def program(self) -> str:
        """Where it is started; empty where it is ours."""
        minor = self.version.rpartition(".")[0]
        return "" if self.is_ours else f"{self.prefix}/bin/python{minor}"

    @property
    def is_ours(self) -> bool:
        """Whether it is the one that runs this program."""
        return not self.prefix


def ours() -> Interpreter:
    """The Python that runs this program."""
    return Interpreter("", ".".join(map(str, sys.version_info[:3])))


def interpreter_for(version: str) -> Interpreter:
    """A Python of this version, such as 3.12, where there is one; ours otherwise."""
    own = ours()
    if own.version == version or own.version.startswith(f"{version}."):
        return own
    return _search(version) or own


def first_found(versions: Sequence[str]) -> Interpreter | None:
    """The first Python of these versions that this machine has, ours left out; None without one."""
    found = (_search(version) for version in versions)
    return next((python for python in found if python is not None), None)


def described(version: str) -> str:
    """The Python that tests run with where this version is wanted, in words."""
    found = interpreter_for(version).version
    if found == version or found.startswith(f"{version}."):
        return f"Python {found}"
    return f"Python {found}{IN_PLACE_OF}{version}"


@cache
def _search(version: str) -> Interpreter | None:
    for program in _candidates(version):
        answer = _ask(program)
        if answer is not None and answer.version.startswith(f"{version}."):
            return answer
    return None


def _candidates(version: str) -> Iterator[str]:
    name = f"python{version}"
    found = shutil.which(name)
    if found is not None:
        yield found
    root = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    for folder in sorted(root.glob(f"versions/{version}.*")):
        yield str(folder / "bin" / name)


def _ask(program: str) -> Interpreter | None:
    # A shim of a version manager may refuse: then it is no Python.
    try:
        done = subprocess.run(  # noqa: S603 -- a Python of the user's
            [program, "-I", "-S", "-c", _QUESTION],
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    lines = done.stdout.splitlines()
    if done.returncode != 0 or len(lines) != 2:
        return None
    return Interpreter(lines[0], lines[1])
