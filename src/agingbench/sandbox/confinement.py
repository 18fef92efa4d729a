"""Runs code that an agent wrote where it can do no harm.

A confinement has mount, network, PID and IPC namespaces of its own, a file system with the
interpreter read-only and one small folder in memory. Every call of the code is made by a new
process in it, with no rights, with limits on time, memory, files and processes, and without a trace
of the calls before. Only the code and the arguments of one call go in and only plain JSON comes
out. Where any of that is not to be had, nothing is executed.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

import msgspec

from agingbench.sandbox.inside.look import View
from agingbench.sandbox.inside.warden import CHUNK, NOT_CONFINED, Order

DETAIL = 300  # characters
GRACE_SECONDS = 2.0  # beyond its own clock, before a confinement is ended from outside
START_SECONDS = 20.0  # for a confinement to be built
_TOOL = "unshare"
_FOLDER = "agingbench-confined-"  # then the process it belongs to
_SYSTEM = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
# Nothing of the user's own environment: guests can read it.
_VARIABLES = {"PATH": "/usr/bin:/bin", "HOME": "/box", "LANG": "C.UTF-8"}
_INSIDE = Path(__file__).parent / "inside"


@dataclass(frozen=True)
class Limits:
    """What one call may use."""

    wall_seconds: float = 10.0
    cpu_seconds: int = 5
    memory_bytes: int = 512 << 20  # of addresses, per process
    disk_bytes: int = 16 << 20
    processes: int = 8


DEFAULT_LIMITS = Limits()


class _Reply(msgspec.Struct):
    # What a guest claims; its code may have written anything.
    value: Any = msgspec.UNSET
    raised: str = ""


class _Ending(msgspec.Struct):
    # What the warden says about a call.
    end: str
    reply: str


@dataclass(frozen=True)
class Result:
    """What one call came to: `returned` with its value, or why there is none."""

    status: Literal["returned", "failed", "timeout", "unavailable"]
    value: Any = None
    detail: str = ""


class Confinement:
    """Calls functions in a confinement; `confinement` makes one."""

    def __init__(self, process: subprocess.Popen[bytes], limits: Limits) -> None:
        self.process = process
        self.limits = limits
        self._output = b""

    def call(self, code: str, function: str, args: Sequence[Any]) -> Result:
        """Call a function that the code defines, in a new process."""
        call = json.dumps({"code": code, "function": function, "args": args})
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(call.encode() + b"\n")
            self.process.stdin.flush()
        except OSError:
            return Result("unavailable", detail=self._trouble())

        if self._line(START_SECONDS) is None:
            return Result("unavailable", detail=self._trouble())
        # From here on, whatever goes wrong was done by the code.
        line = self._line(self.limits.wall_seconds + GRACE_SECONDS)
        if line is None:
            return Result("failed", detail="ended its confinement")

        ending = msgspec.json.decode(line, type=_Ending)
        if ending.end in ("timeout", "CPU time"):
            reason = "wall time" if ending.end == "timeout" else ending.end
            return Result("timeout", detail=reason)
        if ending.end != "replied":
            return Result("failed", detail="no reply")
        return _result(ending.reply)

    def _line(self, seconds: float) -> bytes | None:
        # The next line of the warden; None where it ended or its time is up.
        assert self.process.stdout is not None
        descriptor = self.process.stdout.fileno()
        deadline = time.monotonic() + seconds
        while b"\n" not in self._output:
            rest = max(0, deadline - time.monotonic())
            if not select.select([descriptor], [], [], rest)[0]:
                return None
            chunk = os.read(descriptor, CHUNK)
            if not chunk:
                return None
            self._output += chunk
        line, _, self._output = self._output.partition(b"\n")
        return line

    def _trouble(self) -> str:
        _end(self.process)
        assert self.process.stderr is not None
        text = self.process.stderr.read().decode(errors="replace").strip()
        reason = "not permitted here" if self.process.returncode == NOT_CONFINED else "not built"
        return f"confinement is {reason}: {text[-DETAIL:]}"


def _result(text: str) -> Result:
    try:
        reply = msgspec.json.decode(text, type=_Reply)
    except (msgspec.DecodeError, RecursionError):
        return Result("failed", detail="no plain JSON")

    if reply.value is not msgspec.UNSET:
        return Result("returned", reply.value)
    name = reply.raised if reply.raised.isidentifier() else "an exception"
    return Result("failed", detail=f"raised {name}")


@cache
def available() -> tuple[bool, str]:
    """Tell whether code can be confined on this machine and, if not, why; looked up once."""
    if sys.platform != "linux" or shutil.which(_TOOL) is None:
        return False, f"confinement needs Linux with {_TOOL} of util-linux"

    source = (_INSIDE / "look.py").read_text(encoding="utf-8")
    try:
        with confinement() as confined:
            result = confined.call(source, "look", [])
    except OSError as error:
        return False, f"no confinement could be started: {error}"

    if result.status != "returned":
        return False, result.detail
    leaks = list(_leaks(result.value))
    if leaks:
        return False, f"the confinement leaks: {'; '.join(leaks)}"
    return True, ""


def _leaks(view: View) -> Iterator[str]:
    shared = [
        kind
        for kind, namespace in view["namespaces"].items()
        if namespace == os.readlink(f"/proc/self/ns/{kind}")
    ]
    if shared:
        yield f"no {', '.join(shared)} namespace of its own"
    if view["uid"] == 0:
        yield "code runs as root"
    if set(view["interfaces"]) - {"lo"}:
        yield f"network interfaces {', '.join(view['interfaces'])}"
    if view["processes"] != [view["pid"]]:
        yield "other processes can be seen"
    if view["capabilities"] or not view["no_new_privileges"]:
        yield "code keeps or can gain privileges"
    if view["writable"] != ["/box"]:
        yield f"writable: {', '.join(view['writable'])}"
    if view["files"]:
        yield f"files: {', '.join(view['files'])}"
    foreign = set(view["variables"]) - set(_VARIABLES) - {"LC_CTYPE"}
    if foreign:
        yield f"variables {', '.join(sorted(foreign))}"


@contextmanager
def confinement(
    limits: Limits = DEFAULT_LIMITS, packages: Mapping[str, str] | None = None
) -> Iterator[Confinement]:
    """Build a confinement that ends with the block; raise OSError where none can be started.

    `packages` are folders by name that can be read in it below `/packages`.
    """
    _remove_left_behind()
    root = tempfile.mkdtemp(prefix=f"{_FOLDER}{os.getpid()}-")
    order = os.memfd_create("order")
    try:
        os.write(order, json.dumps(_order(limits, root, packages or {})).encode())
        os.lseek(order, 0, os.SEEK_SET)

        source = (_INSIDE / "warden.py").read_text(encoding="utf-8")
        interpreter = os.path.realpath(sys.executable)
        process = subprocess.Popen(  # noqa: S603 -- a list of our own making
            [*_namespaces(), interpreter, "-I", "-S", "-B", "-c", source, str(order)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=[order],
            start_new_session=True,
            cwd="/",
            env=_VARIABLES,
        )
        try:
            yield Confinement(process, limits)
        finally:
            _end(process)
            # What could not be written to a process that has ended is written to nobody.
            with suppress(BrokenPipeError):
                process.communicate()
    finally:
        os.close(order)
        os.rmdir(root)  # empty: what was in it was mounted in a namespace that is gone


def _remove_left_behind() -> None:
    """Remove the empty folders of confinements whose process was killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_FOLDER}*-*"):
        pid = folder.name.removeprefix(_FOLDER).partition("-")[0]
        if pid.isdigit() and not os.path.exists(f"/proc/{pid}"):
            with suppress(OSError):  # somebody else's, or no longer empty
                folder.rmdir()


def _namespaces() -> list[str]:
    # An ordinary user has rights over mounts only in a user namespace; root must do without one
    # here, since it would lose the way to an interpreter below a folder that only root may enter.
    # The guest gets its own in either case.
    own_user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    tool = shutil.which(_TOOL)
    assert tool is not None, "asked for after `available` found it"
    return [
        tool,
        *own_user,
        "--mount",
        "--net",
        "--pid",
        "--uts",
        "--fork",
        "--kill-child",
    ]


def _order(limits: Limits, root: str, packages: Mapping[str, str]) -> Order:
    prefixes = {os.path.realpath(path) for path in (sys.base_prefix, sys.base_exec_prefix)}
    places = [path for path in sorted(prefixes) if not path.startswith("/usr")]
    system = ("/usr", *_SYSTEM, "/etc/ld.so.cache", "/dev/null")
    places += [path for path in system if _is_real(path)]
    binds = {path: path for path in places}
    binds |= {folder: f"/packages/{name}" for name, folder in packages.items()}
    return {
        "root": root,
        "binds": binds,
        "links": {path: os.readlink(path) for path in _SYSTEM if os.path.islink(path)},
        "is_root": os.geteuid() == 0,
        "wall_seconds": limits.wall_seconds,
        "cpu_seconds": limits.cpu_seconds,
        "memory_bytes": limits.memory_bytes,
        "disk_bytes": limits.disk_bytes,
        "processes": limits.processes,
    }


def _is_real(path: str) -> bool:
    return os.path.exists(path) and not os.path.islink(path)


def _end(process: subprocess.Popen[bytes]) -> None:
    # The group holds `unshare` and the first process of the PID namespace; with that one the kernel
    # ends all in it.
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
