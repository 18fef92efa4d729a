"""Runs independent jobs one after the other, or in several processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any, TypeVar

Result = TypeVar("Result")


def run_jobs(
    function: Callable[..., Result],
    jobs: Sequence[tuple[Any, ...]],
    workers: int,
) -> Iterator[Result]:
    """Yield the result of every job, in their order; a job holds the arguments of `function`.

    Jobs that have not begun are dropped when the caller stops early.
    """
    if workers <= 1 or len(jobs) == 1:
        for job in jobs:
            yield function(*job)
        return

    with ProcessPoolExecutor(workers) as pool:
        futures = [pool.submit(function, *job) for job in jobs]

        try:
            for future in futures:
                yield future.result()
        finally:
            pool.shutdown(cancel_futures=True)
