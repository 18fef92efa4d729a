"""Confines a program with bubblewrap: it sees the system read-only, the folders it was given, and
nothing of the user's home; its network is loopback alone unless it is given the network.

This is for whole programs that need a shell, a home and a folder. Code of an agent that is only to
be checked runs in `sandbox.confinement`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

TOOL = "bwrap"
PORT = 8123  # inside a network of its own every port is free
RELAY = Path(__file__).parent / "inside" / "relay.py"
_SYSTEM = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
# What programs need to find names, time and certificates; no accounts with their secrets.
_SETTINGS = (
    "alternatives",
    "ca-certificates",
    "group",
    "hosts",
    "ld.so.cache",
    "localtime",
    "nsswitch.conf",
    "passwd",
    "pki",
    "resolv.conf",
    "ssl",
)
_TRIAL_SECONDS = 20


@dataclass(frozen=True)
class Bubble:
    """What a confined program may write, what else it may read, and whether it has the network."""

    writable: Mapping[Path, Path]  # folders by where the program sees them
    readable: Sequence[Path] = ()
    folder: Path | None = None  # that it starts in, as it sees it
    socket_file: Path | None = None  # reached on PORT; without one the program has the network


def available() -> str:
    """Why programs cannot be confined here; empty where they can."""
    return _trial()


@cache
def _trial() -> str:
    tool = shutil.which(TOOL)
    if tool is None:
        return f"{TOOL} is not installed"
    bare = [tool, "--ro-bind", "/", "/", "--unshare-net", "--unshare-pid", "true"]
    try:
        done = subprocess.run(  # noqa: S603 -- a list of our own making
            bare, capture_output=True, text=True, timeout=_TRIAL_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{TOOL} does not run: {error}"
    return "" if done.returncode == 0 else f"{TOOL} is not permitted here: {done.stderr.strip()}"


def confined(argv: Sequence[str], bubble: Bubble) -> list[str]:
    """The command that runs a program in the bubble."""
    tool = shutil.which(TOOL)
    assert tool is not None, "asked for after `available` found it"
    words = [tool, "--die-with-parent", "--new-session", "--unshare-pid", "--unshare-ipc"]
    words += ["--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"]  # noqa: S108 -- inside
    words += ["--ro-bind", "/usr", "/usr"]
    for place in _SYSTEM:
        if os.path.islink(place):
            words += ["--symlink", os.readlink(place), place]
        else:
            words += ["--ro-bind-try", place, place]
    for name in _SETTINGS:
        words += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]

    program = list(argv)
    readable = [*bubble.readable]
    if bubble.socket_file is not None:
        words.append("--unshare-net")
        readable += [RELAY, bubble.socket_file, *_interpreter()]
        relay = [sys.executable, "-I", "-S", str(RELAY), str(PORT), str(bubble.socket_file)]
        program = [*relay, *program]
    for path in _shortest(readable):
        words += ["--ro-bind", str(path), str(path)]
    for seen, path in bubble.writable.items():
        words += ["--bind", str(path), str(seen)]
    if bubble.folder is not None:
        words += ["--chdir", str(bubble.folder)]
    return [*words, "--", *program]


def _interpreter() -> list[Path]:
    """The folders of the running interpreter, outside /usr."""
    prefixes = {Path(sys.prefix), Path(sys.base_prefix), Path(os.path.realpath(sys.base_prefix))}
    return [path for path in prefixes if not path.is_relative_to("/usr")]


def _shortest(paths: Iterable[Path]) -> list[Path]:
    """The paths in an order in which no later one hides an earlier one."""
    return sorted({path for path in paths if path.exists()}, key=lambda path: len(path.parts))
