"""Runs set against each other: compared, put to the test, planned, and quality against tokens."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from agingbench.errors import InputError
from agingbench.metrics.bootstrap import detectable, difference, episodes_needed, mean_of
from agingbench.report.resumption import print_comparison
from agingbench.resumption.analysis.compare import NO_EFFECT, ScoredRun, compare, load_run
from agingbench.resumption.analysis.falsify import condition_outcome, falsify
from agingbench.resumption.analysis.pareto import pareto
from agingbench.resumption.analysis.plan import SPEC_SD, plan
from agingbench.resumption.episodes.trajectory import TOKENIZER
from agingbench.resumption.judges.build import JudgeIdentity
from agingbench.resumption.runs.scores_file import ScoreRow
from agingbench.resumption.runs.store import RunConfig, RunFolder
from tests.cli.conftest import Cli, cli
from tests.report.screens import text_of

__all__ = ["cli"]


def made(
    name: str,
    values: list[float],
    stratum: str = "long",
    budget: int = 2000,
    more: list[float] | None = None,
) -> ScoredRun:
    """A run with these qualities."""
    rows: dict[str, ScoreRow] = {}
    for kind, listed in ((stratum, values), ("short", more or [])):
        for i, value in enumerate(listed):
            episode = f"{kind}{i:03d}"
            rows[episode] = ScoreRow(
                run_id=name,
                episode=episode,
                episode_hash="h",
                domain="code",
                source="trace",
                stratum=kind,
                steps=60,
                handover=False,
                status="scored",
                reason=None,
                consolidator=name,
                budget=budget,
                tokenizer=TOKENIZER,
                context_tokens=budget // 2,
                trajectory_tokens=budget,
                context_sha256=None,
                agent="embedded",
                judge="d",
                calibrated=True,
                judge_failures=0,
                n_checks=1,
                n_preserve=1,
                n_forget=1,
                continuation_correctness=value,
                preservation_recall=value,
                forgetting_precision=value,
                quality=value,
                verdicts="[]",
            )
    return ScoredRun(name, run_config(name, budget), rows, True)


def run_config(consolidator: str, budget: int) -> RunConfig:
    """The configuration of a made run."""
    return RunConfig(
        consolidator=consolidator,
        budget=budget,
        agent="embedded",
        judge=JudgeIdentity("d", {}, TOKENIZER),
        model="extractive",
        tokenizer=TOKENIZER,
        episodes="e",
        agingbench_version="0",
        consolidator_revision=None,
        agent_revision=None,
    )


HIGH = [0.9, 0.8, 0.95, 0.85, 0.9, 0.7] * 5
LOW = [0.3, 0.2, 0.4, 0.1, 0.5, 0.2] * 5


def test_compare_says_no_detectable_effect_in_these_words() -> None:
    mixed = [0.9, 0.1, 0.8, 0.2] * 8
    other = [0.1, 0.9, 0.2, 0.8] * 8
    found = compare(made("a", mixed), made("b", other))
    row = next(r for r in found.groups["all"] if r.figure == "quality")
    assert row.verdict == "no detectable effect at this power" == NO_EFFECT
    assert row.minimum_detectable_difference is not None
    assert row.minimum_detectable_difference > 0.1
    better = compare(made("a", HIGH), made("b", LOW))
    row = next(r for r in better.groups["all"] if r.figure == "quality")
    assert row.verdict == "A is better"
    assert row.effect_ci is not None
    assert row.effect_ci[0] > 0


def test_runs_scored_in_other_ways_are_not_compared() -> None:
    a = made("a", HIGH)
    b = made("b", LOW)
    other_judge = replace(b.config, judge=JudgeIdentity("e", {}, TOKENIZER))
    with pytest.raises(InputError, match="another judge"):
        compare(a, ScoredRun("b", other_judge, b.rows, True))
    changed = {name: replace(row, episode_hash="other") for name, row in b.rows.items()}
    with pytest.raises(InputError, match="not the same"):
        compare(a, ScoredRun("b", b.config, changed, True))


def test_falsify_met_not_met_and_underpowered() -> None:
    found = falsify(
        made("s", HIGH, more=HIGH[:18]),
        made("r", LOW, more=LOW[:18]),
        made("n", LOW, more=LOW[:18]),
    )
    assert [c.outcome for c in found.conditions] == ["not met"] * 3
    assert all(
        e.minimum_detectable_difference for c in found.conditions for e in c.effects.values()
    )
    found = falsify(
        made("s", LOW, more=LOW[:18]),
        made("r", HIGH, more=HIGH[:18]),
        made("n", LOW, more=LOW[:18]),
    )
    assert found.conditions[0].outcome == "met"
    assert found.conditions[2].outcome == "met"
    few = falsify(made("s", HIGH[:3]), made("r", [0.9, 0.2, 0.99]), made("n", [0.8, 0.9, 0.9]))
    assert few.conditions[0].outcome == "underpowered"
    assert few.conditions[0].words == NO_EFFECT
    assert few.conditions[2].outcome == "underpowered"
    half = falsify(
        made("s", HIGH, more=HIGH[:18]),
        made("r", LOW, more=[0.9, 0.2, 0.99] * 6),
        made("n", LOW, more=LOW[:18]),
    )
    assert [c.outcome for c in half.conditions] == ["not met", "not met", "underpowered"]
    assert half.conditions[2].words == f"structured − raw (short): {NO_EFFECT}"
    with pytest.raises(InputError, match="matched budgets"):
        falsify(made("s", HIGH), made("r", LOW, budget=500), made("n", LOW))


def test_a_tie_at_full_power_meets_the_condition() -> None:
    same = difference([0.5 + 0.001 * (i % 2) for i in range(60)], [0.5] * 60)
    assert condition_outcome(same) in ("not met", "met")
    assert condition_outcome(difference([0.5] * 60, [0.5] * 60)) == "met"


def test_the_interval_of_a_difference_covers() -> None:
    import numpy as np

    rng = np.random.default_rng(11)
    for n, low in ((12, 0.91), (30, 0.92)):
        held = 0
        for _ in range(100):
            a = np.clip(rng.normal(0.6, 0.25, n), 0, 1)
            found = difference(list(a), list(np.clip(a - rng.normal(0.1, 0.2, n), -1, 1)), seed=5)
            assert found.effect.low is not None
            assert found.effect.high is not None
            held += found.effect.low <= 0.1 <= found.effect.high
        assert held / 100 > low - 0.05


def test_no_spread_is_no_certainty() -> None:
    assert difference([1.0] * 5, [0.0] * 5).effect.low is not None
    assert (difference([1.0] * 5, [0.0] * 5).effect.low or 1) < 1
    assert difference([1.0], [0.0]).effect.low is None
    assert mean_of([]).value is None
    assert (mean_of([1.0, 1.0, 1.0]).low or 1) < 1


def test_plan_says_how_many_episodes() -> None:
    found = plan(0.1)
    assert found.sd == pytest.approx(SPEC_SD)
    n = found.episodes
    assert (detectable(SPEC_SD, n) or 1) <= 0.1 < (detectable(SPEC_SD, n - 1) or 0)
    assert episodes_needed(0.1, 0.2) < episodes_needed(0.1, 0.4) < episodes_needed(0.05, 0.4)
    for wrong in (
        {"effect": 0},
        {"effect": 1e-300},
        {"effect": 2.0},
        {"effect": 0.1, "power": 1.0},
        {"effect": 0.1, "sd": -1.0},
    ):
        with pytest.raises(InputError):
            plan(**wrong)


def test_the_pareto_front_keeps_what_nothing_beats() -> None:
    points = pareto(
        [made("cheap", [0.5, 0.4], budget=500), made("good", [0.9, 0.8]), made("bad", [0.4, 0.3])]
    )
    assert {p.run: p.front for p in points} == {"cheap": True, "good": True, "bad": False}


def test_a_run_that_scored_nothing_takes_no_point_away() -> None:
    nothing = made("nothing", [0.5, 0.5])
    for row in nothing.rows.values():
        row.status = "skipped"
        row.quality = None
    points = {p.run: p for p in pareto([nothing, made("good", [0.9, 0.8])])}
    assert (points["good"].n, points["good"].front) == (2, True)
    assert (points["nothing"].n, points["nothing"].quality, points["nothing"].front) == (
        0,
        None,
        False,
    )
    assert [p.n for p in pareto([nothing])] == [0]


def test_a_run_that_did_not_fit_everywhere_has_no_point() -> None:
    good = made("good", [0.5, 0.6])
    partly = made("partly", [0.9, 0.9])
    first = next(iter(partly.rows.values()))
    first.status = "refused"
    first.quality = None
    points = {p.run: p for p in pareto([good, partly])}
    assert (points["good"].n, points["good"].front) == (2, True)
    assert (points["partly"].n, points["partly"].quality, points["partly"].refused) == (
        0,
        None,
        1,
    )


def test_nothing_in_common_is_said() -> None:
    nothing = made("nothing", [0.5, 0.5])
    for row in nothing.rows.values():
        row.status = "skipped"
        row.quality = None
    assert "there is nothing to compare" in text_of(
        print_comparison, compare(made("good", [0.9, 0.8]), nothing)
    )


def test_a_folder_that_is_no_run_is_told(tmp_path: Path, cli: Cli) -> None:
    told = cli("resumption", "compare", tmp_path, tmp_path)
    assert told.code == 2
    assert "run.json is missing" in told.err
    run = RunFolder(tmp_path / "r")
    with run:
        run.configure(run_config("raw", 1))
        (run.path / "scores.parquet").write_text("no parquet")
    with pytest.raises(InputError, match="not a Parquet file"):
        load_run(run.path)
