"""First process of a confinement: builds its file system and starts a new guest for every call.

Runs as process 1 of its PID namespace with rights over that namespace only. It never reads a call
and never runs an agent's code: each guest is forked from it, reads one call from stdin, gives up
its rights and makes the call. When the guest has replied, all processes are ended and its folder is
replaced, so the next guest finds nothing of it. What to build comes as JSON through the file
descriptor named on the command line.

On stdout, two lines of JSON tell of each call: that the code was started, and how the call ended.
The guest has neither stdin nor stdout.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import select
import signal
import sys
import time
from contextlib import suppress
from typing import Any, TypedDict

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
NEW_USER = 0x10000000
NEW_IPC = 0x08000000
SET_DUMPABLE = 4
SET_NO_NEW_PRIVILEGES = 38
CAPABILITY_VERSION = 0x20080522
NOBODY = 65534
NOT_CONFINED = 125
LONGEST_REPLY = 1 << 20
CHUNK = 1 << 16
ENDING_SECONDS = 1.0
BY_CPU_LIMIT = (signal.SIGXCPU, signal.SIGKILL)

libc = ctypes.CDLL(None, use_errno=True)


class Order(TypedDict):
    """What a confinement is to be built from and what a guest may use."""

    root: str
    binds: dict[str, str]  # path outside -> path inside
    links: dict[str, str]  # path inside -> target
    is_root: bool  # outside
    wall_seconds: float
    cpu_seconds: int
    memory_bytes: int
    disk_bytes: int
    processes: int


class Ending(TypedDict):
    """How a call ended: replied, silent, timeout or CPU time; and what the guest wrote."""

    end: str
    reply: str


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
    """Build a root: the interpreter's folders read-only, and a place for a writable folder."""
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

    os.chdir(root)
    check(libc.pivot_root(b".", b"."), "pivot_root")
    check(libc.umount2(b".", DETACH), "leave the old root")
    read_only("/", 0)
    os.chdir("/")


def empty_box(order: Order) -> None:
    """Mount a new, empty folder for the next guest."""
    options = f"size={order['disk_bytes']},nr_inodes=1000,mode=777"
    mount("tmpfs", "/box", "tmpfs", NOSUID | NODEV, options)


def check_first_process() -> None:
    """Raise OSError unless this is process 1: what it ends would not be its own otherwise."""
    if os.getpid() != 1:
        raise OSError("no PID namespace of its own")


def end_all() -> None:
    """End every other process of the namespace and wait until none is left."""
    check_first_process()
    with suppress(ProcessLookupError):
        os.kill(-1, signal.SIGKILL)
    with suppress(ChildProcessError):
        while True:
            os.wait()


# -- in the guest


def give_up_rights(order: Order) -> None:
    """Become nobody in a user namespace without any right, and set the limits."""
    outer = 0
    if order["is_root"]:
        outer = NOBODY
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
        # After a change of user, the files below would belong to root.
        check(libc.prctl(SET_DUMPABLE, 1, 0, 0, 0), "become dumpable")

    check(libc.prctl(SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0), "forgo new privileges")
    check(libc.unshare(NEW_USER | NEW_IPC), "leave the namespaces")
    own_files = {
        "setgroups": "deny",
        "uid_map": f"{NOBODY} {outer} 1",
        "gid_map": f"{NOBODY} {outer} 1",
    }
    for name, text in own_files.items():
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)

    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION, 0)
    no_capabilities = (ctypes.c_uint32 * 6)()
    result = libc.capset(ctypes.byref(header), ctypes.byref(no_capabilities))
    check(result, "drop the capabilities")

    # After the last user namespace: the number of processes is counted from there.
    cpu = order["cpu_seconds"]
    limits = {
        resource.RLIMIT_CPU: (cpu, cpu + 1),
        resource.RLIMIT_AS: (order["memory_bytes"], order["memory_bytes"]),
        resource.RLIMIT_FSIZE: (order["disk_bytes"], order["disk_bytes"]),
        resource.RLIMIT_NPROC: (order["processes"], order["processes"]),
        resource.RLIMIT_NOFILE: (64, 64),
        resource.RLIMIT_CORE: (0, 0),
    }
    for kind, limit in limits.items():
        resource.setrlimit(kind, limit)


def reply_to(call: dict[str, Any]) -> str:
    """Run the code, make the call and return its value or its exception as a line of JSON."""
    names: dict[str, Any] = {"__name__": "solution"}
    try:
        program = compile(call["code"], "solution.py", "exec")
        exec(program, names)  # noqa: S102 -- what this program is for
        value = names[call["function"]](*call["args"])
        # Generators, tuples and sets travel as lists.
        return json.dumps({"value": value}, default=list)
    except BaseException as error:
        return json.dumps({"raised": type(error).__name__})


def be_guest(order: Order, start: int, reply: int) -> None:
    """Read one call from stdin, make it without rights and write the reply."""
    line = b""
    while not line.endswith(b"\n"):
        chunk = os.read(0, CHUNK)
        if not chunk:
            return
        line += chunk
    call = json.loads(line)

    nowhere = os.open("/dev/null", os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)
    os.close(nowhere)
    os.setsid()
    os.chdir("/box")
    try:
        give_up_rights(order)
    except OSError as error:
        os.write(start, f"not confined: {error}".encode())
        return

    # From here on, it is the code that fails.
    os.write(start, b"started")
    os.close(start)
    text = reply_to(call)
    with os.fdopen(reply, "w") as replies:
        print(text, file=replies, flush=True)


# -- in the warden


def read_reply(guest: int, reply: int, seconds: float) -> Ending:
    """Wait for the guest's line of JSON, its end or its time."""
    deadline = time.monotonic() + seconds
    watch = os.pidfd_open(guest)
    poll = select.poll()
    poll.register(reply, select.POLLIN)
    poll.register(watch, select.POLLIN)
    text = b""
    end = "replied"
    while not text.endswith(b"\n"):
        rest = deadline - time.monotonic()
        ready = [number for number, _ in poll.poll(max(0, rest) * 1000)]
        if rest <= 0 or not ready:
            end = "timeout"
            break
        if reply in ready:
            chunk = os.read(reply, CHUNK)
            text += chunk
            if chunk and len(text) <= LONGEST_REPLY:
                continue
        end = "silent"
        # A process that is being ended closes its files a moment before it can be waited for.
        select.select([watch], [], [], max(0, min(rest, ENDING_SECONDS)))
        exit_state = os.waitid(os.P_PID, guest, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if exit_state is not None and exit_state.si_code != os.CLD_EXITED:
            end = "CPU time" if exit_state.si_status in BY_CPU_LIMIT else "silent"
        break

    os.close(watch)
    return {"end": end, "reply": text.decode(errors="replace")}


def serve(order: Order) -> int:
    """Start one guest after the other until stdin ends, and tell of each; return an exit code."""
    while True:
        empty_box(order)
        start_in, start_out = os.pipe()
        reply_in, reply_out = os.pipe()
        guest = os.fork()
        if guest == 0:
            os.close(start_in)
            os.close(reply_in)
            be_guest(order, start_out, reply_out)
            os._exit(0)

        os.close(start_out)
        os.close(reply_out)
        state = os.read(start_in, CHUNK)
        if state != b"started":
            print(state.decode(errors="replace"), file=sys.stderr)
            return NOT_CONFINED if state else 0

        print(json.dumps({"started": True}), flush=True)
        ending = read_reply(guest, reply_in, order["wall_seconds"])
        end_all()
        check(libc.umount2(b"/box", DETACH), "empty the folder")
        os.close(start_in)
        os.close(reply_in)
        print(json.dumps(ending), flush=True)


def main() -> int:
    """Build the confinement, answer calls in it and return an exit code."""
    with os.fdopen(int(sys.argv[1])) as source:
        order: Order = json.load(source)
    try:
        check_first_process()
        furnish(order)
        return serve(order)
    except OSError as error:
        print(f"not confined: {error}", file=sys.stderr)
        return NOT_CONFINED


if __name__ == "__main__":
    sys.exit(main())
