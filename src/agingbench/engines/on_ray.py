"""The engine of a Ray cluster: each job is a task, and a service is an actor beside the driver."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
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
)
from agingbench.errors import AgingBenchError, InputError, MissingExtra

R = TypeVar("R")

OBJECT_STORE = 200 << 20  # bytes; results are small
QUICK = "quick"
WAITING = "waiting"
PRINTER = "print_to_stdstream"  # of Ray, which has no option for it
CALLS = {QUICK: 8, WAITING: 64}  # of a service, at once
WAITING_SHARE = 0.1  # of a core, that a job takes which waits for a server


def import_ray() -> Any:
    """Import ray without its reports of usage; raises MissingExtra where it is not installed."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ImportError as error:
        raise MissingExtra("--engine ray", "ray") from error
    return ray


class RayEngine(Engine):
    """Jobs as tasks of a cluster, or of one that is started on this machine.

    A task is tried again here and not by Ray, so that services hear of a try that was lost.
    """

    shares_disk = False

    def __init__(self, address: str | None = None, workers: int | None = None) -> None:
        if address is not None and address.startswith("ray://"):
            raise InputError(
                "--engine ray: not with a client address (ray://), since budget and results lie"
                " beside the driver; run on a machine of the cluster and give ray:auto or"
                " ray:HOST:PORT"
            )
        ray = import_ray()
        self._ray = ray
        self._is_own = not ray.is_initialized()
        if self._is_own:
            _start(ray, address, workers)
        self.at_once = max(1, int(ray.cluster_resources().get("CPU", 1)))
        self._task = ray.remote(max_retries=0)(_run)
        self._lost: list[Callable[[str], None]] = []
        self._open: set[Any] = set()
        self._stopped = threading.Event()
        self._actors: list[Any] = []
        self._guard = threading.Lock()
        # What follows a lost try asks services, which a callback of Ray must not wait for.
        self._followers = ThreadPoolExecutor(4)

    def submit(self, job: Job[R]) -> Future[R]:
        """Begin a job as a task."""
        future: Future[R] = Future()
        self._begin(job, future, 1)
        return future

    def _begin(self, job: Job[R], future: Future[R], number: int) -> None:
        if self._stopped.is_set():
            future.cancel()
            return
        attempt = new_try()
        share = 1.0 if job.computes else WAITING_SHARE
        reference = self._task.options(num_cpus=share).remote(job, attempt)
        with self._guard:
            self._open.add(reference)
        ended = partial(self._end, job, future, number, attempt, reference)
        reference.future().add_done_callback(ended)

    def _end(
        self,
        job: Job[R],
        future: Future[R],
        number: int,
        attempt: str,
        reference: Any,
        inner: Future[Any],
    ) -> None:
        with self._guard:
            self._open.discard(reference)
        error = inner.exception()
        if error is None:
            future.set_result(inner.result())
        elif isinstance(error, self._ray.exceptions.TaskCancelledError):
            future.cancel()
        elif isinstance(error, self._ray.exceptions.RayTaskError):
            future.set_exception(_original(error))
        else:  # the worker or its machine died
            self._followers.submit(self._again, job, future, number, attempt, error)

    def _again(
        self, job: Job[R], future: Future[R], number: int, attempt: str, error: BaseException
    ) -> None:
        try:
            for tell in self._lost:
                tell(attempt)
            if number >= MOST_TRIES or self._stopped.is_set():
                reason = str(error).partition("\n")[0]
                raise WorkerLost(f"a worker died, for the {number}. time: {reason}")
            self._begin(job, future, number + 1)
        except BaseException as reason:
            future.set_exception(reason)

    def share(
        self, make: Callable[[], object], lost: Callable[[object, str], None] | None = None
    ) -> ServiceCall:
        """Make a service as an actor on the driver's machine, where its files lie."""
        ray = self._ray
        here = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(
            ray.get_runtime_context().get_node_id(), soft=False
        )
        actor_class = ray.remote(num_cpus=0, concurrency_groups=CALLS)(_Service)
        actor = actor_class.options(scheduling_strategy=here).remote(make, os.getcwd())
        self._actors.append(actor)
        if lost is not None:
            tell = actor.tell_lost.options(concurrency_group=QUICK)
            self._lost.append(lambda attempt: ray.get(tell.remote(lost, attempt)))
        return RayService(actor)

    def stop(self) -> None:
        """Begin nothing more; tasks that wait for a worker are cancelled."""
        self._stopped.set()
        with self._guard:
            references = list(self._open)
        for reference in references:
            self._ray.cancel(reference, force=False, recursive=False)

    def close(self) -> None:
        """Wait for the tasks that have begun, and leave the cluster if this engine joined it."""
        with self._guard:
            references = list(self._open)
        if references:
            self._ray.wait(references, num_returns=len(references))
        self._followers.shutdown()
        for actor in self._actors:
            self._ray.kill(actor)
        if self._is_own:
            self._ray.shutdown()


class RayService:
    """Calls a service's actor; can be sent to any worker."""

    def __init__(self, actor: Any) -> None:
        self._actor = actor

    def __call__(self, method: str, *arguments: Any, waits: bool = False) -> Any:
        """Call the method and wait for what it returns."""
        ray = import_ray()
        call = self._actor.call.options(concurrency_group=WAITING if waits else QUICK)
        try:
            return ray.get(call.remote(method, arguments))
        except ray.exceptions.RayTaskError as error:
            raise _original(error) from None


class _Service:
    """The actor around a service; calls that wait do not keep others from coming through."""

    def __init__(self, make: Callable[[], object], folder: str) -> None:
        os.chdir(folder)
        self.service = make()

    def call(self, method: str, arguments: tuple[Any, ...]) -> Any:
        """Call a method of the service."""
        return getattr(self.service, method)(*arguments)

    def tell_lost(self, tell: Callable[[object, str], None], attempt: str) -> None:
        """Tell the service of a try whose worker died."""
        tell(self.service, attempt)


def _start(ray: Any, address: str | None, workers: int | None) -> None:
    options: dict[str, Any] = {"include_dashboard": False, "logging_level": "ERROR"}
    if address is not None:
        options = {"address": address, "logging_level": "ERROR"}
    else:
        options["object_store_memory"] = OBJECT_STORE
        if workers is not None:
            options["num_cpus"] = workers
    try:
        ray.init(log_to_driver=False, **options)
    except Exception as error:  # Ray raises bare ones, such as for a start that takes too long
        ray.shutdown()
        reason = str(error).partition("\n")[0]
        place = "on this machine" if address is None else f"at {address}"
        raise InputError(f"--engine ray: no cluster {place}: {reason}") from error
    _keep_output_clean(ray)


def _keep_output_clean(ray: Any) -> None:
    """Send what Ray says of workers that died to standard error: standard output may be JSON."""
    module = sys.modules.get(f"{ray.__name__}._private.worker")
    if hasattr(module, PRINTER):
        setattr(module, PRINTER, _print_line)


def _print_line(data: dict[str, Any], ignore_prefix: bool) -> None:
    for line in data["lines"]:
        print(str(line).partition(". ")[0], file=sys.stderr)


def _run(job: Job[R], attempt: str) -> R:
    """Do a job inside a worker of Ray."""
    return run_try(job, attempt)


def _original(error: Any) -> BaseException:
    """The exception that was raised in the worker, where it could be sent."""
    cause: BaseException | None = error.cause
    if cause is not None:
        return cause
    return AgingBenchError(str(error).strip().rpartition("\n")[2])
