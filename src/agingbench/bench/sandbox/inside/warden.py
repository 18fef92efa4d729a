"""First process of a confinement: builds its file system and starts the guest without rights.

Runs as process 1 of its PID namespace with rights over that namespace only, so whatever the guest
started dies when this ends. What to do comes as JSON through the file descriptor named on the
command line.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
from types import FrameType
from typing import NoReturn, TypedDict

RDONLY = 1
NOSUID = 2
NODEV = 4
NOEXEC = 8
BIND = 4096
REC = 16384
DETACH = 2
SET_ATTRIBUTES = 442  # mount_setattr has one number on every architecture
RECURSIVE = 0x8000
HERE = -100
TIMED_OUT = 124
NOT_CONFINED = 125

libc = ctypes.CDLL(None, use_errno=True)


class Order(TypedDict):
    """What a confinement is to be built from and what runs in it."""

    root: str
    files: dict[str, str]  # of the writable folder: name -> text
    command: list[str]
    disk_bytes: int
    wall_seconds: float
    binds: dict[str, str]  # path outside -> path inside
    links: dict[str, str]  # path inside -> target


def check(result: int, action: str) -> None:
    """Raise OSError if a call of the C library failed."""
    if result != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{action}: {os.strerror(code)}")


def mount(source: str, target: str, kind: str | None, flags: int, options: str = "") -> None:
    """Mount a file system; raise OSError if that fails."""
    result = libc.mount(
        source.encode(),
        target.encode(),
        kind.encode() if kind else None,
        ctypes.c_ulong(flags),
        options.encode() or None,
    )
    check(result, f"mount {target}")


def read_only(path: str, flags: int) -> None:
    """Make a mount read-only; raise OSError if that fails."""
    device = 0 if path.endswith("/dev/null") else NODEV
    attributes = (ctypes.c_uint64 * 4)(RDONLY | NOSUID | device, 0, 0, 0)
    size = ctypes.c_size_t(ctypes.sizeof(attributes))
    result = libc.syscall(
        SET_ATTRIBUTES,
        HERE,
        path.encode(),
        flags,
        ctypes.byref(attributes),
        size,
    )
    check(result, f"make {path} read-only")


def furnish(order: Order) -> None:
    """Build a root: the interpreter's folders read-only, and one small writable folder."""
    root = order["root"]
    mount("tmpfs", root, "tmpfs", NOSUID | NODEV, "size=1m,mode=755")
    for link, target in order["links"].items():
        os.symlink(target, root + link)

    for source, place in order["binds"].items():
        if os.path.isdir(source):
            os.makedirs(root + place, exist_ok=True)
        else:
            os.makedirs(os.path.dirname(root + place), exist_ok=True)
            open(root + place, "w").close()
        mount(source, root + place, None, BIND | REC)
        read_only(root + place, RECURSIVE)

    os.mkdir(f"{root}/proc")
    mount("proc", f"{root}/proc", "proc", NOSUID | NODEV | NOEXEC, "subset=pid,hidepid=2")

    box = f"{root}/box"
    os.mkdir(box)
    options = f"size={order['disk_bytes']},nr_inodes=1000,mode=777"
    mount("tmpfs", box, "tmpfs", NOSUID | NODEV, options)
    for name, text in order["files"].items():
        with open(f"{box}/{name}", "w", encoding="utf-8") as file:
            file.write(text)

    os.chdir(root)
    check(libc.pivot_root(b".", b"."), "pivot_root")
    check(libc.umount2(b".", DETACH), "leave the old root")
    read_only("/", 0)
    os.chdir("/box")


def time_is_up(number: int, frame: FrameType | None) -> NoReturn:
    """End this process, and with it all others of the confinement."""
    os._exit(TIMED_OUT)


def main() -> int:
    """Build the confinement, run the guest in it and return an exit code."""
    with os.fdopen(int(sys.argv[1])) as source:
        order: Order = json.load(source)
    try:
        furnish(order)
    except OSError as error:
        print(f"not confined: {error}", file=sys.stderr)
        return NOT_CONFINED

    # The default action of a signal does not reach the first process of a namespace; a handler
    # does.
    signal.signal(signal.SIGALRM, time_is_up)
    signal.setitimer(signal.ITIMER_REAL, order["wall_seconds"])

    guest = os.fork()
    if guest == 0:
        os.setsid()
        command = order["command"]
        variables = {"PATH": "/usr/bin:/bin", "HOME": "/box", "LANG": "C.UTF-8"}
        os.execve(command[0], command, variables)  # noqa: S606 -- there is no shell to trust

    while True:
        process, status = os.wait()
        if process != guest:
            continue
        code = os.waitstatus_to_exitcode(status)
        if code < 0:
            return 128 - code
        # These two codes are this program's own; the guest cannot use them.
        return 1 if code in (TIMED_OUT, NOT_CONFINED) else code


if __name__ == "__main__":
    sys.exit(main())
