"""Shows what lives take while they go on, and says when a model does not answer."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from agingbench.bench.life.meter import Meter
from agingbench.cli.output import Bar, echo, progress_bar

PATIENCE = 4.0  # seconds without a first reply until it is said
THOUSAND = 1000


class LivesBar:
    """A bar over lives that moves with each of their transitions."""

    def __init__(self, bar: Bar, lives: int, transitions: int) -> None:
        self._bar = bar
        self._lives = lives
        self._transitions = transitions
        self._lived = 0
        self._finished = 0

    def live(self, _: int = 0) -> None:
        """One transition of some life is over."""
        self._lived += 1
        self._show()

    def finish(self, _: object = None) -> None:
        """A life is over, or was over before."""
        self._finished += 1
        self._show()

    def _show(self) -> None:
        # Lives in other processes tell their end only.
        share = self._lived / max(1, self._transitions)
        done = max(float(self._finished), share * self._lives)
        self._bar.set(min(done, float(self._lives)), self._lives)


@contextmanager
def watched(label: str, total: int, as_json: bool, meter: Meter) -> Iterator[Bar]:
    """A progress bar with calls, tokens, dollars and time left; silence of a model is said."""
    over = threading.Event()
    watch = threading.Thread(target=_watch, args=(meter, over), daemon=True)
    watch.start()
    try:
        with progress_bar(label, total, as_json, lambda: spent_words(meter)) as bar:
            yield bar
    finally:
        over.set()


def spent_words(meter: Meter) -> str:
    """What was taken so far, in a few words."""
    reading = meter.read()
    words = [f"{reading.calls:,} calls"]
    if reading.tokens is not None:
        words.append(f"{_short(reading.tokens)} tokens")
    if reading.cost_usd is not None:
        words.append(f"${reading.cost_usd:,.2f}")
    return ", ".join(words)


def _short(count: int) -> str:
    if count < THOUSAND:
        return str(count)
    if count < THOUSAND**2:
        return f"{count / THOUSAND:.0f} k"
    return f"{count / THOUSAND**2:.1f} M"


def _watch(meter: Meter, over: threading.Event) -> None:
    """Say once when the first call of all has had no reply for a while."""
    while not over.wait(0.25):
        waiting = meter.waiting()
        if waiting is None:
            continue
        model, seconds = waiting
        if seconds >= PATIENCE:
            echo(
                f"{model} has not answered for {seconds:.0f} seconds; still waiting"
                " (Ctrl-C stops, the same command goes on)",
                err=True,
            )
            return
