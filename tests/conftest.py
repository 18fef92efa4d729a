"""What holds for every test: signals as a shell gives them, and property tests that bear a busy machine."""

from __future__ import annotations

import gc
import os
import signal
import tempfile

import pytest
from hypothesis import HealthCheck, settings

# As the command has it: small matrices are quickest on one thread. To be set before numpy loads.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# No test leaves anything in the cache of whoever runs it, nor finds what is there.
os.environ["XDG_CACHE_HOME"] = tempfile.mkdtemp(prefix="agingbench-cache-")

# A shell that starts a job in the background has it ignore Ctrl-C, and every child inherits that.
# Tests of Ctrl-C start children, which must see what a terminal would give them.
signal.signal(signal.SIGINT, signal.default_int_handler)

# No test can see whether a disk has taken up what it was given, and waiting for it takes long.
# A file that is not open is an error as before.
os.fsync = os.fstat  # type: ignore[assignment]

# How fast examples are drawn depends on what else the machine is doing, and says nothing of the code.
settings.register_profile(
    "wide", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
# The same examples every time, so that a change is judged by what it changed. The whole suite
# (`make test-all`) draws new ones, and 100 of them; `examples` keeps this ratio in other numbers.
settings.register_profile(
    "same_every_time", settings.get_profile("wide"), derandomize=True, max_examples=40
)
settings.load_profile("same_every_time")


def pytest_collection_finish(session: pytest.Session) -> None:
    """Spare the garbage collector what lives as long as the tests: a quarter of their time.

    Thousands of collected tests and their modules would be walked through again and again.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 10, 10)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Let what was spared go at the end, as libraries that count what is left expect it."""
    gc.unfreeze()
