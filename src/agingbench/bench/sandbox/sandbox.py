"""Runs code that an agent wrote where it can do no harm, and tests it from a second process.

The code and its tests run in two confinements that a pipe connects. Each has user, mount, network,
PID and IPC namespaces of its own, an unprivileged user, a file system with the interpreter
read-only and one small folder in memory, and limits on time, memory, files and processes. Where any
of that is not to be had, nothing is executed.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from agingbench.bench.sandbox.inside.look import View
from agingbench.bench.sandbox.inside.tester import Tally
from agingbench.bench.sandbox.inside.warden import NOT_CONFINED, TIMED_OUT, Order

NOBODY = 65534
DETAIL = 300  # characters
SITE = "/site"  # where the tests find pytest
GRACE_SECONDS = 2.0  # beyond its own clock, before a confinement is ended from outside
_TOOLS = ("unshare", "setpriv", "prlimit")
_SYSTEM = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_BY_CPU_LIMIT = (128 + signal.SIGXCPU, 128 + signal.SIGKILL)
_INSIDE = Path(__file__).parent / "inside"

Status = Literal["passed", "failed", "error", "timeout", "unavailable"]


@dataclass(frozen=True)
class Limits:
    """What a confinement may use."""

    wall_seconds: float = 10.0
    cpu_seconds: int = 5
    memory_bytes: int = 512 << 20  # of addresses, per process
    disk_bytes: int = 16 << 20
    processes: int = 8


DEFAULT_LIMITS = Limits()


@dataclass(frozen=True)
class Outcome:
    """How a test run ended; `error`: the tests are broken, `unavailable`: nothing was executed."""

    status: Status
    detail: str = ""


def run_pytest(code: str, test: str, limits: Limits = DEFAULT_LIMITS) -> Outcome:
    """Run tests that import from `solution`; the code runs apart and cannot read the tests."""
    usable, reason = available()
    if not usable:
        return Outcome("unavailable", reason)

    calls_in, calls_out = os.pipe()
    replies_in, replies_out = os.pipe()
    ends = [calls_in, calls_out, replies_in, replies_out]
    try:
        with (
            _confined(
                "guest",
                {"solution.py": code},
                limits,
                stdin=calls_in,
                stdout=replies_out,
            ) as guest,
            _confined(
                "tester",
                {"test_solution.py": test},
                limits,
                stdin=replies_in,
                stdout=calls_out,
                site=_pytest_home(),
            ) as tester,
        ):
            # Open here, they would keep one side waiting for the other after its end.
            while ends:
                os.close(ends.pop())

            report, hung = _finish(tester, limits.wall_seconds + GRACE_SECONDS)
            trouble, _ = _finish(guest, GRACE_SECONDS)
            return _outcome(tester.returncode, guest.returncode, report, trouble, hung)
    except OSError as error:
        return Outcome("unavailable", f"no confinement could be started: {error}")
    finally:
        for end in ends:
            os.close(end)


def _outcome(tester: int, guest: int, report: str, trouble: str, hung: bool) -> Outcome:
    if NOT_CONFINED in (guest, tester):
        return Outcome("unavailable", (trouble + report).strip()[-DETAIL:])
    if hung or TIMED_OUT in (guest, tester):
        return Outcome("timeout", "wall time")

    try:
        tally: Tally = json.loads(report.rstrip().rpartition("\n")[2])
    except ValueError:
        return Outcome("error", f"the tests left no report: {report[-DETAIL:]}")

    if tally["error"] is not None:
        return Outcome("error", tally["error"][:DETAIL])
    if not tally["failed"]:
        return Outcome("passed")
    if guest in _BY_CPU_LIMIT:
        return Outcome("timeout", "CPU time")
    return Outcome("failed", ", ".join(tally["failed"])[:DETAIL])


@cache
def available() -> tuple[bool, str]:
    """Tell whether code can be confined on this machine and, if not, why; looked up once."""
    missing = [tool for tool in _TOOLS if shutil.which(tool) is None]
    if sys.platform != "linux" or missing:
        return False, f"confinement needs Linux with {', '.join(missing or _TOOLS)} of util-linux"

    seconds = DEFAULT_LIMITS.wall_seconds + GRACE_SECONDS
    try:
        with _confined("look", {}, DEFAULT_LIMITS, subprocess.DEVNULL, subprocess.PIPE) as process:
            output, trouble = process.communicate(timeout=seconds)
    except (OSError, subprocess.TimeoutExpired) as error:
        return False, f"no confinement could be started: {error}"

    if process.returncode != 0:
        return False, f"confinement is not permitted here: {trouble.strip()[-DETAIL:]}"
    leaks = list(_leaks(json.loads(output)))
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


@contextmanager
def _confined(
    program: str,
    files: dict[str, str],
    limits: Limits,
    stdin: int,
    stdout: int,
    site: str | None = None,
) -> Iterator[subprocess.Popen[str]]:
    # Starts one of the programs in `inside/` in a confinement that ends with the block.
    root = tempfile.mkdtemp(prefix="agingbench-confined-")
    order = os.memfd_create("order")
    try:
        os.write(order, json.dumps(_order(program, files, limits, root, site)).encode())
        os.lseek(order, 0, os.SEEK_SET)

        source = (_INSIDE / "warden.py").read_text(encoding="utf-8")
        process = subprocess.Popen(  # noqa: S603 -- a list of our own making
            [
                *_namespaces(),
                os.path.realpath(sys.executable),
                "-I",
                "-S",
                "-c",
                source,
                str(order),
            ],
            stdin=stdin,
            stdout=stdout,
            stderr=subprocess.PIPE,
            pass_fds=[order],
            start_new_session=True,
            cwd="/",
            text=True,
            errors="replace",
        )
        try:
            yield process
        finally:
            _end(process)
    finally:
        os.close(order)
        os.rmdir(root)  # empty: what was in it was mounted in a namespace that is gone


def _namespaces() -> list[str]:
    # An ordinary user has rights over mounts only in a user namespace; root must do without one
    # here, since it would lose the way to an interpreter below a folder that only root may enter.
    # The guest gets its own in either case.
    own_user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    return [
        _tool("unshare"),
        *own_user,
        "--mount",
        "--net",
        "--pid",
        "--ipc",
        "--uts",
        "--fork",
        "--kill-child",
    ]


def _order(
    program: str, files: dict[str, str], limits: Limits, root: str, site: str | None
) -> Order:
    source = (_INSIDE / f"{program}.py").read_text(encoding="utf-8")

    # Root becomes nobody. An ordinary user is root of its namespace by name only and needs that
    # name for the next one; in there, as nobody, every right ends with the first program that is
    # started.
    become_nobody = []
    if os.geteuid() == 0:
        become_nobody = [
            f"--reuid={NOBODY}",
            f"--regid={NOBODY}",
            "--clear-groups",
            "--inh-caps=-all",
            "--bounding-set=-all",
        ]
    command = [
        _tool("setpriv"),
        *become_nobody,
        "--no-new-privs",
        _tool("unshare"),
        "--user",
        f"--map-user={NOBODY}",
        f"--map-group={NOBODY}",
        # After the last user namespace: the number of processes is counted from there.
        _tool("prlimit"),
        f"--cpu={limits.cpu_seconds}:{limits.cpu_seconds + 1}",
        f"--as={limits.memory_bytes}",
        f"--fsize={limits.disk_bytes}",
        f"--nproc={limits.processes}",
        "--nofile=64",
        "--core=0",
        os.path.realpath(sys.executable),
        "-I",
        "-S",
        "-c",
        source,
    ]

    prefixes = {os.path.realpath(path) for path in (sys.base_prefix, sys.base_exec_prefix)}
    places = [path for path in sorted(prefixes) if not path.startswith("/usr")]
    system = ("/usr", *_SYSTEM, "/etc/ld.so.cache", "/dev/null")
    places += [path for path in system if _is_real(path)]
    binds = {path: path for path in places}
    if site:
        binds[site] = SITE
        command.append(SITE)

    return {
        "root": root,
        "files": files,
        "command": command,
        "disk_bytes": limits.disk_bytes,
        "wall_seconds": limits.wall_seconds,
        "binds": binds,
        "links": {path: os.readlink(path) for path in _SYSTEM if os.path.islink(path)},
    }


def _is_real(path: str) -> bool:
    return os.path.exists(path) and not os.path.islink(path)


def _tool(name: str) -> str:
    path = shutil.which(name)
    assert path is not None, "asked for after `available` found it"
    return path


def _pytest_home() -> str | None:
    spec = importlib.util.find_spec("pytest")
    if spec is None or spec.origin is None:
        return None
    return os.path.dirname(os.path.dirname(spec.origin))


def _finish(process: subprocess.Popen[str], seconds: float) -> tuple[str, bool]:
    # What the process wrote to stderr, and whether it had to be ended.
    try:
        return process.communicate(timeout=seconds)[1], False
    except subprocess.TimeoutExpired:
        _end(process)
        return process.communicate()[1], True


def _end(process: subprocess.Popen[str]) -> None:
    # The group holds `unshare` and the first process of the PID namespace; with that one the kernel
    # ends all in it.
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            stream.close()
