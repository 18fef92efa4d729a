"""Projects of a fleet spread over processes, where there is enough to read."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import TypeVar

from agingbench.traces.reading import Group

WORTH_A_PROCESS = 16 << 20  # bytes beside the largest project; less is read sooner than one starts
R = TypeVar("R")


def all_cores() -> int:
    """How many processes this machine lets us run at once."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def spread(work: Callable[[Group], R], members: Sequence[Group], workers: int) -> list[R]:
    """The result of the work for every project, in their order.

    The largest projects begin first, so that none of them is left over at the end.
    """
    sizes = [_size(member) for member in members]
    rest = sum(sizes) - max(sizes, default=0)
    if workers < 2 or rest < WORTH_A_PROCESS:
        return [work(member) for member in members]

    order = sorted(range(len(members)), key=lambda i: -sizes[i])
    context = multiprocessing.get_context("spawn")  # a fork would copy the locks of our threads
    with ProcessPoolExecutor(min(workers, len(members)), context) as pool:
        waiting = {i: pool.submit(work, members[i]) for i in order}
        return [waiting[i].result() for i in range(len(members))]


def _size(member: Group) -> int:
    """Bytes of a project's files; a file of an archive or one that is gone counts nothing."""
    total = 0
    for file in member.files:
        try:
            total += os.stat(file.path).st_size
        except OSError:
            continue
    return total
