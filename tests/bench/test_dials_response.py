"""Dose and response of the dials: the measurement itself, on a few lives."""

from __future__ import annotations

from agingbench.bench.dials import SWEEPS, dials, figures_of
from agingbench.bench.pressure import RANGES
from agingbench.bench.score import PROBE_METRICS


def test_sweeps_name_real_dials_and_enough_settings() -> None:
    for sweep in SWEEPS:
        assert sweep.dial in RANGES
        assert len(sweep.settings) >= 5
        assert sweep.own in PROBE_METRICS or sweep.own in ("deepest_chain", "long_span_probes")


def test_a_figure_is_that_of_its_own_setting() -> None:
    chain = next(sweep for sweep in SWEEPS if sweep.dial == "max_chain_depth")
    assert figures_of(chain, 2, 10, 0)["deepest_chain"] == 2
    assert (figures_of(chain, 6, 12, 0)["deepest_chain"] or 0) > 3


def test_the_table_holds_a_row_per_setting_and_metric() -> None:
    result = dials([0], 4)
    assert len(result["dials"]) == len(SWEEPS)
    assert len(result["rows"]) == sum(len(s.settings) * (1 + len(s.bystanders)) for s in SWEEPS)
    for row in result["rows"]:
        assert row["mean"] is None or row["n"] == 1
