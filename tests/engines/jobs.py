"""Jobs that the tests of engines give to workers."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from agingbench.engines.base import current_try, worker_stop
from agingbench.engines.local import LocalEngine
from agingbench.errors import InputError


class Elsewhere(LocalEngine):
    """An engine in threads that pretends not to see our disk."""

    shares_disk = False


def square(number: int) -> int:
    return number * number


def own_process(_: int) -> int:
    time.sleep(0.2)
    return os.getpid()


def name_of_try() -> str:
    return current_try()


def refuse(name: str) -> None:
    raise InputError(f"no {name} here")


def die_once(mark: Path) -> str:
    """Kill the own process the first time."""
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return "done"


def die_always() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@dataclass
class Killed:
    """Worker processes that were seen while a study went on, and the one that was killed."""

    processes: set[int] = field(default_factory=set)
    pid: int | None = None


@contextmanager
def kill_a_worker() -> Iterator[Killed]:
    """Kill one of Ray's busy workers inside the block; note every one that was busy."""
    killed = Killed()
    over = threading.Event()

    def look() -> None:
        while not over.wait(0.05):
            busy = _busy_workers()
            killed.processes |= busy
            if killed.pid is None and len(killed.processes) >= 2 and busy:
                killed.pid = min(busy)
                os.kill(killed.pid, signal.SIGKILL)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield killed
    finally:
        over.set()
        thread.join()


def _busy_workers() -> set[int]:
    """The own processes whose title says that they run a task of ours."""
    busy = set()
    for line in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if line.read_bytes().startswith(b"ray::_run"):
                busy.add(int(line.parent.name))
        except OSError:
            continue
    return busy


def wait_for_stop() -> bool:
    return worker_stop().wait(30)


class Counter:
    """A service that counts, and notes who was lost."""

    def __init__(self, start: int) -> None:
        self.count = start
        self.lost: list[str] = []

    def add(self, number: int) -> int:
        self.count += number
        return self.count

    def refuse(self) -> None:
        raise InputError("no more")

    def lost_tries(self) -> list[str]:
        return self.lost


def note_lost(service: object, attempt: str) -> None:
    assert isinstance(service, Counter)
    service.lost.append(attempt)
