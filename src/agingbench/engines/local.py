"""The engine of this machine: threads for jobs that wait, processes for jobs that compute."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from typing import Any, TypeVar

from agingbench.engines.base import (
    MOST_TRIES,
    Engine,
    Job,
    ServiceCall,
    WorkerLost,
    new_try,
    run_try,
    set_worker_stop,
)

R = TypeVar("R")


def cores() -> int:
    """How many processes this machine lets us run at once."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class LocalEngine(Engine):
    """Threads, and processes where there are to be any; without, jobs that compute are threads too.

    Processes need a main module that can be imported.
    """

    def __init__(self, threads: int = 1, processes: int = 0) -> None:
        self.at_once = processes or threads
        self._threads = ThreadPoolExecutor(threads)
        self._processes = processes
        self._pool: ProcessPoolExecutor | None = None
        self._spawn = multiprocessing.get_context("spawn")  # a fork would copy locks of threads
        self._stop = self._spawn.Event() if processes else threading.Event()
        self._guard = threading.Lock()

    def submit(self, job: Job[R]) -> Future[R]:
        """Begin a job in a thread, or in a process where it computes and there are any."""
        if not (job.computes and self._processes):
            return self._threads.submit(run_try, job, new_try())

        future: Future[R] = Future()
        self._begin(job, future, 1)
        return future

    def _begin(self, job: Job[R], future: Future[R], number: int) -> None:
        with self._guard:
            if self._pool is None:
                arguments = (self._stop,)
                self._pool = ProcessPoolExecutor(
                    self._processes, self._spawn, _start_worker, arguments
                )
            pool = self._pool
        try:
            inner = pool.submit(run_try, job, new_try())
        except BrokenProcessPool as error:
            self._again(job, future, number, pool, error)
            return
        except RuntimeError as error:  # closed meanwhile
            future.set_exception(error)
            return
        inner.add_done_callback(partial(self._end, job, future, number, pool))

    def _end(
        self,
        job: Job[R],
        future: Future[R],
        number: int,
        pool: ProcessPoolExecutor,
        inner: Future[R],
    ) -> None:
        if inner.cancelled():
            future.cancel()
            return
        error = inner.exception()
        if isinstance(error, BrokenProcessPool):
            self._again(job, future, number, pool, error)
        elif error is not None:
            future.set_exception(error)
        else:
            future.set_result(inner.result())

    def _again(
        self,
        job: Job[R],
        future: Future[R],
        number: int,
        pool: ProcessPoolExecutor,
        error: BrokenProcessPool,
    ) -> None:
        """Do a job of a broken pool in a new one."""
        with self._guard:
            if self._pool is pool:
                self._pool = None
        if number >= MOST_TRIES or self._stop.is_set():
            lost = WorkerLost(f"a worker process died, for the {number}. time: {error}")
            future.set_exception(lost)
            return
        self._begin(job, future, number + 1)

    def share(
        self, make: Callable[[], object], lost: Callable[[object, str], None] | None = None
    ) -> ServiceCall:
        """Make a service that jobs in threads call; a thread cannot die alone."""
        return LocalService(make())

    def stop(self) -> None:
        """Begin nothing more, and set the event that workers look at."""
        self._stop.set()
        self._threads.shutdown(wait=False, cancel_futures=True)
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)

    def close(self) -> None:
        """Wait for what has begun."""
        self._threads.shutdown(cancel_futures=True)
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)


class LocalService:
    """A service in the same process."""

    def __init__(self, service: object) -> None:
        self.service = service

    def __call__(self, method: str, *arguments: Any, waits: bool = False) -> Any:
        """Call the method."""
        return getattr(self.service, method)(*arguments)


def _start_worker(stop: Any) -> None:
    set_worker_stop(stop)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever submitted decides when a job ends
    parent = multiprocessing.parent_process()

    def end_with_parent() -> None:
        # Workers of a study that was killed must not go on writing into its folders.
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=end_with_parent, daemon=True).start()
