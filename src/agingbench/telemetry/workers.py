"""Projects of a fleet spread over the workers of an engine, where there is enough to read."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import TypeVar

from agingbench.engines.base import Engine, Job
from agingbench.engines.local import LocalEngine
from agingbench.traces.reading import Group, SniffedFile
from agingbench.traces.tracefiles import ShippedFile

WORTH_A_PROCESS = 16 << 20  # bytes beside the largest project; less is read sooner than one starts
AHEAD = 2  # times what an engine does at once, that is sent to it before results are taken
T = TypeVar("T")
R = TypeVar("R")


def spread(
    work: Callable[[Group], R],
    members: Sequence[Group],
    workers: int,
    engine: Engine | None = None,
    reads_all: bool = False,
) -> list[R]:
    """The result of the work for every project, in their order.

    The largest projects begin first, so that none of them is left over at the end. Without an
    engine it is done here, in as many processes as there are workers where that is worth it. An
    engine is sent the files that are traces, or all that the work `reads_all` of.
    """
    sizes = [_size(member) for member in members]
    order = sorted(range(len(members)), key=lambda i: -sizes[i])
    if engine is not None:
        results = each(engine, work, (_shipped(members[i], reads_all) for i in order))
        return _in_order(order, results)

    rest = sum(sizes) - max(sizes, default=0)
    if workers < 2 or rest < WORTH_A_PROCESS:
        return [work(member) for member in members]
    with LocalEngine(processes=min(workers, len(members))) as local:
        return _in_order(order, each(local, work, (members[i] for i in order)))


def each(engine: Engine, work: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
    """The result of the work for each item, in their order; few are sent ahead of it."""
    begun: deque[Future[R]] = deque()
    for item in items:
        begun.append(engine.submit(Job(work, (item,))))
        if len(begun) > AHEAD * engine.at_once:
            yield begun.popleft().result()
    while begun:
        yield begun.popleft().result()


def _in_order(order: Sequence[int], results: Iterable[R]) -> list[R]:
    by_number = dict(zip(order, results, strict=True))
    return [by_number[i] for i in range(len(order))]


def _shipped(member: Group, reads_all: bool) -> Group:
    """The project with the bytes of its files, for workers that do not see our disk."""
    files = []
    for file in member.files:
        is_read = file.error is None and (reads_all or file.format is not None)
        files.append(_shipped_file(file) if is_read else file)
    return replace(member, files=files)


def _shipped_file(file: SniffedFile) -> SniffedFile:
    try:
        with file.open() as stream:
            return replace(file, file=ShippedFile(file.path, stream.read()))
    except (OSError, EOFError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        return replace(file, error=reason or str(error))


def _size(member: Group) -> int:
    """Bytes of a project's files; a file of an archive or one that is gone counts nothing."""
    total = 0
    for file in member.files:
        try:
            total += os.stat(file.path).st_size
        except OSError:
            continue
    return total
