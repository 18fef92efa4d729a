"""What an engine is: it takes jobs, gives futures of their results, and can be stopped and closed.

A job is an importable function with arguments that can be sent to another process. What jobs of all
machines share, such as a budget, is a service: made once, and called by name from wherever a job
runs.
"""

from __future__ import annotations

import threading
import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Generic, Protocol, Self, TypeVar

from agingbench.errors import AgingBenchError

MOST_TRIES = 4  # of a job whose worker dies, the first one included

R = TypeVar("R")


class WorkerLost(AgingBenchError):
    """Workers died again and again while they did a job."""

    exit_code = 1


@dataclass(frozen=True)
class Job(Generic[R]):
    """Work for an engine.

    A job that `computes` keeps a core busy and may go to another process; any other one waits for
    somebody, such as a server.
    """

    work: Callable[..., R]
    arguments: tuple[Any, ...] = ()
    computes: bool = True

    def run(self) -> R:
        """Do the work here."""
        return self.work(*self.arguments)


class ServiceCall(Protocol):
    """Calls a method of a service by its name, from any worker.

    `waits` says that the method may take long, because it waits for another call.
    """

    def __call__(self, method: str, *arguments: Any, waits: bool = False) -> Any:
        """Return what the method returns, or raise what it raises."""


class Engine(ABC):
    """Does jobs, many at once."""

    at_once: int  # jobs that compute
    shares_disk = True  # whether its workers see the files of this process

    @abstractmethod
    def submit(self, job: Job[R]) -> Future[R]:
        """Begin a job as soon as there is room.

        A job whose worker dies is done again by another one; WorkerLost after MOST_TRIES.
        """

    @abstractmethod
    def share(
        self, make: Callable[[], object], lost: Callable[[object, str], None] | None = None
    ) -> ServiceCall:
        """Make a service that all jobs can call; `lost` tells it of a try whose worker died."""

    @abstractmethod
    def stop(self) -> None:
        """Begin no further job, and tell the workers to end theirs when it is safe."""

    @abstractmethod
    def close(self) -> None:
        """Wait for the jobs that have begun, and release all workers."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: object, traceback: object) -> None:
        if kind is not None:
            self.stop()
        self.close()


# -- inside a worker


class _Worker(threading.local):
    """What a job can ask about where it runs."""

    attempt = ""


_worker = _Worker()
_stop = threading.Event()


def run_try(job: Job[R], attempt: str) -> R:
    """Do a job as one try of it, which it can name."""
    _worker.attempt = attempt
    return job.run()


def current_try() -> str:
    """The name of the try that this thread runs; one of its own outside an engine."""
    return _worker.attempt or "here"


def new_try() -> str:
    """Draw the name of a try."""
    return uuid.uuid4().hex


def worker_stop() -> threading.Event:
    """The event that is set when jobs of this process are to end."""
    return _stop


def set_worker_stop(event: Any) -> None:
    """Let jobs of this process end by an event that another process sets."""
    global _stop
    _stop = event
