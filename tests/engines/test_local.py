"""The local engine and what every engine does: jobs, services, stop, and workers that die."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

import pytest

from agingbench.engines import on_ray
from agingbench.engines.base import Job, WorkerLost
from agingbench.engines.build import remote_engine
from agingbench.engines.local import LocalEngine
from agingbench.errors import InputError, UnknownName
from tests.engines.jobs import (
    Counter,
    die_always,
    die_once,
    name_of_try,
    own_process,
    refuse,
    square,
    wait_for_stop,
)


def test_jobs_come_back_in_the_order_of_their_futures() -> None:
    with LocalEngine(threads=2) as engine:
        futures = [engine.submit(Job(square, (n,))) for n in range(5)]
        assert [future.result() for future in futures] == [0, 1, 4, 9, 16]


def test_an_error_is_the_jobs_own() -> None:
    with LocalEngine() as engine:
        future = engine.submit(Job(refuse, ("bread",)))
        with pytest.raises(InputError, match="no bread here"):
            future.result()


def test_every_try_has_a_name() -> None:
    with LocalEngine() as engine:
        names = {engine.submit(Job(name_of_try)).result() for _ in range(3)}
    assert len(names) == 3


def test_a_service_is_called_by_name() -> None:
    with LocalEngine() as engine:
        call = engine.share(partial(Counter, 3))
        assert call("add", 4) == 7
        assert call("add", 1, waits=True) == 8
        with pytest.raises(InputError, match="no more"):
            call("refuse")


def test_processes_do_jobs_that_compute_and_survive_a_kill(tmp_path: Path) -> None:
    with LocalEngine(threads=1, processes=2) as engine:
        others = [engine.submit(Job(own_process, (n,))) for n in range(3)]
        assert engine.submit(Job(die_once, (tmp_path / "died",))).result() == "done"
        assert os.getpid() not in {future.result() for future in others}
        with pytest.raises(WorkerLost, match=r"for the 4\. time"):
            engine.submit(Job(die_always)).result()


def test_a_stop_reaches_the_workers() -> None:
    engine = LocalEngine(threads=1, processes=1)
    future = engine.submit(Job(wait_for_stop))
    engine.submit(Job(square, (2,), computes=False)).result()
    engine.stop()
    engine.close()
    assert future.cancelled() or future.result() is True


def test_names_of_engines() -> None:
    assert remote_engine("local") is None
    with pytest.raises(UnknownName, match="did you mean ray"):
        remote_engine("rai")
    with pytest.raises(UnknownName):
        remote_engine("local:8")


def test_a_cluster_that_does_not_start_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        """What is used of ray up to its start."""

        @staticmethod
        def is_initialized() -> bool:
            return False

        @staticmethod
        def init(**_: object) -> None:
            raise Exception("took too long\nsee the logs")

        @staticmethod
        def shutdown() -> None: ...

    monkeypatch.setattr(on_ray, "import_ray", lambda: Broken)
    with pytest.raises(InputError, match=r"no cluster at here:1: took too long$"):
        remote_engine("ray:here:1")
    with pytest.raises(InputError, match="not with a client address"):
        remote_engine("ray:ray://here:1")
