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
from typing import Any, NoReturn

RDONLY = 1
NOSUID = 2
NODEV = 4
NOEXEC = 8
BIND = 4096
REC = 16384
DETACH = 2
SET_ATTRIBUTES, RECURSIVE, HERE = (
    442,
    0x8000,
    -100,
)  # mount_setattr has one number on every architecture
TIMED_OUT = 124
NOT_CONFINED = 125

libc = ctypes.CDLL(None, use_errno=True)


def check(done: int, what: str) -> None:
    if done != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")


def mount(source: str, target: str, kind: str | None, flags: int, options: str = "") -> None:
    encoded = kind.encode() if kind else None
    done = libc.mount(
        source.encode(), target.encode(), encoded, ctypes.c_ulong(flags), options.encode() or None
    )
    check(done, f"mount {target}")


def read_only(path: str, flags: int) -> None:
    device = 0 if path.endswith("/dev/null") else NODEV
    attributes = (ctypes.c_uint64 * 4)(RDONLY | NOSUID | device, 0, 0, 0)
    size = ctypes.c_size_t(ctypes.sizeof(attributes))
    done = libc.syscall(SET_ATTRIBUTES, HERE, path.encode(), flags, ctypes.byref(attributes), size)
    check(done, f"make {path} read-only")


def furnish(order: dict[str, Any]) -> None:
    """Builds a root: the interpreter's folders read-only, and one small writable folder."""
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
    os.mkdir(f"{root}/box")
    mount(
        "tmpfs",
        f"{root}/box",
        "tmpfs",
        NOSUID | NODEV,
        f"size={order['disk_bytes']},nr_inodes=1000,mode=777",
    )
    for name, text in order["files"].items():
        with open(f"{root}/box/{name}", "w", encoding="utf-8") as file:
            file.write(text)
    os.chdir(root)
    check(libc.pivot_root(b".", b"."), "pivot_root")
    check(libc.umount2(b".", DETACH), "leave the old root")
    read_only("/", 0)
    os.chdir("/box")


def time_is_up(number: int, frame: FrameType | None) -> NoReturn:
    os._exit(TIMED_OUT)


def main() -> int:
    with os.fdopen(int(sys.argv[1])) as source:
        order = json.load(source)
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
        surroundings = {"PATH": "/usr/bin:/bin", "HOME": "/box", "LANG": "C.UTF-8"}
        os.execve(order["command"][0], order["command"], surroundings)  # noqa: S606 -- there is no shell to trust
    while True:
        ended, status = os.wait()
        if ended == guest:
            code = os.waitstatus_to_exitcode(status)
            # What only this program may say, the guest cannot say for it.
            return 128 - code if code < 0 else 1 if code in (TIMED_OUT, NOT_CONFINED) else code


if __name__ == "__main__":
    sys.exit(main())
