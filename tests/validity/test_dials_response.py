"""Dose and response of the dials: the measurement itself, on a few lives."""

from __future__ import annotations

import json
from collections.abc import Iterator
from io import StringIO

import msgspec
import pytest
from rich.console import Console

from agingbench.bench.plan.pressure import RANGES
from agingbench.bench.scoring.score import PROBE_METRICS
from agingbench.cards.validity import DialsReport
from agingbench.report.validity import print_dials
from agingbench.validity import dials as module
from agingbench.validity.dials import (
    COUNTS,
    ORACLE,
    SPANS,
    SWEEPS,
    Figures,
    Sweep,
    dials,
    figures_of,
)


def sweep_of(dial: str) -> Sweep:
    return next(sweep for sweep in SWEEPS if sweep.dial == dial)


def test_every_dial_is_swept_over_enough_settings() -> None:
    assert sorted(sweep.dial for sweep in SWEEPS) == sorted(RANGES)
    for sweep in SWEEPS:
        assert len(sweep.settings) >= 5
        assert sweep.own in PROBE_METRICS or sweep.own in COUNTS
        assert sweep.dial not in sweep.base
        assert set(sweep.base) <= set(RANGES)


def test_a_figure_is_that_of_its_own_setting() -> None:
    for depth in (1, 2, 6):
        assert figures_of(sweep_of("max_chain_depth"), depth, 12, 0)["deepest_chain"] == depth
    assert figures_of(sweep_of("confusable_start_session"), 3, 12, 0)["interference_probes"] == 24
    assert figures_of(sweep_of("warmup_sessions"), 12, 12, 0)["dependency_probes"] == 0


def test_look_alikes_are_lost_at_retrieval_and_nowhere_else() -> None:
    few, many = (figures_of(sweep_of("n_confusable_pairs"), pairs, 12, 1) for pairs in (1, 24))
    assert few["interference_resistance"] == few[ORACLE] == 1.0
    assert (many["interference_resistance"] or 0) < 0.85
    assert (many[ORACLE] or 0) >= 0.95
    assert few["summarization_fidelity"] == many["summarization_fidelity"] == 1.0


def invented(sweep: Sweep, setting: float, sessions: int, seed: int) -> Figures:
    place = sweep.settings.index(setting)
    spans: Figures = {
        f"chain_recall, span {name}": 0.9 - 0.1 * n for n, (name, *_) in enumerate(SPANS)
    }
    own = None if seed == 1 and sweep.dial == "forget_rate" else 0.9 - 0.1 * place + 0.01 * seed
    return {
        sweep.own: own,
        **dict.fromkeys(sweep.bystanders, 0.5 + 0.01 * place),
        ORACLE: 0.96,
        **spans,
    }


@pytest.fixture
def answered(monkeypatch: pytest.MonkeyPatch) -> Iterator[DialsReport]:
    monkeypatch.setattr(module, "figures_of", invented)
    done: list[int] = []
    yield dials([0, 1, 2], 12, progress=lambda: done.append(1))
    assert len(done) == 3 * sum(len(sweep.settings) for sweep in SWEEPS)


def test_what_is_said_of_each_dial(answered: DialsReport) -> None:
    for sweep, said in zip(SWEEPS, answered.dials, strict=True):
        assert (said.dial, said.policy, said.model) == (
            sweep.dial,
            sweep.memory,
            "extractive",
        )
        assert said.settings == list(sweep.settings)
        assert said.spearman == pytest.approx(-1)
        assert said.n == [2 if sweep.dial == "forget_rate" else 3] * len(sweep.settings)
        means = said.responses
        intervals = said.intervals
        assert means[0] == pytest.approx(0.91)
        for mean, (low, high) in zip(means, intervals, strict=True):
            assert mean is not None
            assert low is not None
            assert high is not None
            assert low < mean < high
        wide = 0.01 * (len(sweep.settings) - 1)
        assert said.bystander_range == {name: pytest.approx(wide) for name in sweep.bystanders}
        assert said.oracle_retrieval == ([0.96] * len(sweep.settings) if sweep.oracle else None)
    json.dumps(msgspec.to_builtins(answered), allow_nan=False)


def test_rows_and_spans_go_with_it(answered: DialsReport) -> None:
    wanted = sum(len(s.settings) * (1 + len(s.bystanders) + s.oracle) for s in SWEEPS)
    assert len(answered.rows) == wanted
    assert {row.dial for row in answered.rows} == set(RANGES)
    spans = answered.spans
    assert spans.spans == [name for name, *_ in SPANS]
    assert spans.spearman == pytest.approx(-1)


def test_the_table_for_people_says_the_same(answered: DialsReport) -> None:
    out = Console(record=True, width=140, file=StringIO())
    print_dials(answered, out)
    shown = out.export_text()
    for dial in RANGES:
        assert dial in shown
    for part in (
        "0.91 [0.89, 0.93]",
        "-1.00",
        "oracle retrieval at least 0.96",
        "n confusable pairs 6",
    ):
        assert part in shown, part


def test_a_metric_that_nobody_has_is_missing() -> None:
    short = figures_of(sweep_of("n_confusable_pairs"), 1, 2, 0)
    assert short["interference_resistance"] is None
    assert short[ORACLE] is None
