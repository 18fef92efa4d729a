"""What is shown while lives go on: calls, tokens, dollars, and a model that does not answer."""

from __future__ import annotations

import re
import time

import pytest

from agingbench.bench.life.meter import Meter
from agingbench.cli import watching
from agingbench.cli.output import Bar
from agingbench.cli.watching import LivesBar, spent_words, watched
from agingbench.records import Usage


class ShownBar(Bar):
    """A bar that remembers how far it was set."""

    def __init__(self) -> None:
        super().__init__()
        self.steps: list[tuple[float, int]] = []

    def set(self, done: float, total: int) -> None:
        self.steps.append((done, total))


def test_a_meter_counts_what_calls_say() -> None:
    meter = Meter()
    assert spent_words(meter) == "0 calls"
    meter.count(Usage(1200, 300, cost_usd=0.5, calls=1))
    assert spent_words(meter) == "1 calls, 2 k tokens, $0.50"
    meter.count(Usage(2_000_000, 10, cost_usd=0.25, calls=1))
    assert spent_words(meter) == "2 calls, 2.0 M tokens, $0.75"
    meter.count(Usage(calls=1))  # a call that says nothing makes the sums unknown
    assert spent_words(meter) == "3 calls"


def test_a_bar_over_lives_moves_with_their_transitions() -> None:
    shown = ShownBar()
    bar = LivesBar(shown, lives=2, transitions=8)
    for _ in range(4):
        bar.live()
    bar.finish()
    bar.finish()
    assert shown.steps[0] == (0.25, 2)
    assert shown.steps[3] == (1.0, 2)
    assert shown.steps[-1] == (2.0, 2)
    done = [step for step, _ in shown.steps]
    assert done == sorted(done)


def test_a_model_that_does_not_answer_is_told_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(watching, "PATIENCE", 0.01)
    meter = Meter()
    told = ""
    deadline = time.monotonic() + 60
    with watched("1 life", 3, True, meter):
        meter.ask("openai:m")
        while not told and time.monotonic() < deadline:
            time.sleep(0.05)
            told = capsys.readouterr().err
        time.sleep(0.3)  # it looks again after a quarter of a second
    told += capsys.readouterr().err
    assert len(re.findall(r"openai:m has not answered for \d+ seconds; still waiting", told)) == 1


def test_a_model_that_answered_is_not_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(watching, "PATIENCE", 0.01)
    meter = Meter()
    with watched("1 life", 3, True, meter):
        meter.ask("openai:m")
        meter.count(Usage(calls=1))
        time.sleep(0.3)
    assert capsys.readouterr().err == ""
