"""Comparing lives: by probe where there are folders, by seed on cards, and what may not be
compared.
"""

from __future__ import annotations

import copy
import json
import random
import shutil
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from agingbench.bench.life.folder import RunDirectory
from agingbench.bench.life.limits import Resources
from agingbench.bench.life.system import Sut
from agingbench.bench.scoring.paired import Pair, headline_of, paired_average, pairs, shock
from agingbench.bench.studies.cells import Cell
from agingbench.bench.studies.compare import card_groups, cards_at, compare, table
from agingbench.bench.studies.gate import gate
from agingbench.bench.studies.reproducing import answer_changes, figure_changes
from agingbench.bench.studies.runner import run_study
from agingbench.cards.comparison import Sides, Spread
from agingbench.cards.figures import NO_FIGURE
from agingbench.cards.model import Card
from agingbench.errors import InputError
from agingbench.metrics.curve import CurveTable, curve_stats


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Lives of two systems over three seeds, one of them with an event and its control."""
    folder = tmp_path_factory.mktemp("lives")
    grid = [
        Cell("s2", Sut(memory=memory), 4, "light", seed=seed)
        for memory in ("careful_compress", "lossy_compress")
        for seed in range(3)
    ]
    grid.append(
        Cell("s2", Sut(memory="careful_compress"), 4, "light", events=("flush_history@3",), seed=0)
    )
    outcomes = run_study(grid, folder, Resources(), workers=1)
    assert all(outcome.error is None for outcome in outcomes)
    return folder


def life(out: Path, memory: str, seed: int = 0, events: tuple[str, ...] = ()) -> RunDirectory:
    return Cell("s2", Sut(memory=memory), 4, "light", events=events, seed=seed).place(out)


def side(out: Path, memory: str) -> list[Card]:
    return [
        card
        for card in cards_at(out)
        if card.sut.others["memory"] == memory and not card.others["lifecycle_events"]
    ]


# -- probes


def test_the_difference_over_probes_is_that_of_the_time_averages(out: Path) -> None:
    careful = life(out, "careful_compress")
    lossy = life(out, "lossy_compress")
    found = paired_average(pairs(careful, lossy))
    averages = [
        curve_stats(CurveTable.from_rows(headline_of(run)), n_boot=10).time_average.value
        for run in (careful, lossy)
    ]
    assert averages[0] is not None
    assert averages[1] is not None
    assert found.value == pytest.approx(averages[0] - averages[1])
    back = paired_average(pairs(lossy, careful))
    assert back.value == pytest.approx(-(found.value or 0))


def test_lives_of_other_plans_are_not_paired(out: Path) -> None:
    with pytest.raises(InputError, match="their plans differ"):
        pairs(life(out, "careful_compress", 0), life(out, "careful_compress", 1))


def test_equal_lives_differ_by_nothing_but_not_for_certain(out: Path) -> None:
    run = life(out, "careful_compress")
    found = paired_average(pairs(run, run))
    assert found.value == 0
    assert found.low is not None
    assert found.high is not None
    assert found.low < 0 < found.high


def test_failed_sides_are_left_out() -> None:
    rows = [
        Pair(1, 1.0, None, 1.0, "f1"),
        Pair(1, 1.0, 0.0, 1.0, "f2"),
        Pair(2, None, 1.0, 1.0, "f3"),
    ]
    found = paired_average(rows)
    assert (found.value, found.n) == (1.0, 1)
    assert paired_average(rows[:1]).value is None


def test_the_interval_covers() -> None:
    rng = random.Random(7)
    hits = 0
    runs = 200
    for _ in range(runs):
        kept = [
            [rng.random() < p for _ in range(30)] for p in (0.9, 0.7)
        ]  # 30 facts, each kept or lost for good
        rows = [
            Pair(t, float(kept[0][f]), float(kept[1][f]), 1.0, str(f))
            for t in range(1, 9)
            for f in rng.sample(range(30), 10)
        ]
        found = paired_average(rows)
        assert found.low is not None
        assert found.high is not None
        hits += found.low <= 0.2 <= found.high
    assert hits >= 0.93 * runs


def test_what_a_shock_costs_a_life_that_knew_much_is_told(tmp_path: Path) -> None:
    events = ("flush_history@3",)
    grid = [
        Cell("s2", Sut(memory="append_only"), 4, "light", events=shocks) for shocks in ((), events)
    ]
    run_study(grid, tmp_path, Resources(), workers=1)
    found = shock(life(tmp_path, "append_only", 0, events), life(tmp_path, "append_only"))
    assert found.near_floor is False
    assert (found.shock_delta.value or 0) < 0


def test_a_life_that_knew_nothing_is_near_the_floor(tmp_path: Path) -> None:
    grid = [
        Cell("s2", Sut(memory="no_memory"), 3, "light", events=events)
        for events in ((), ("flush_history@2",))
    ]
    outcomes = run_study(grid, tmp_path, Resources(), workers=1)
    assert outcomes[1].card is not None
    block = outcomes[1].card.mechanism_metrics.maintenance.document()
    assert (block["near_floor"], block["shock_delta"]) == (True, 0.0)


# -- cards


def test_systems_are_compared_by_seed(out: Path) -> None:
    a = side(out, "careful_compress")
    b = side(out, "lossy_compress")
    (cell,) = compare(a, b).cells
    row = next(r for r in cell.figures if r.figure == "m_final")
    by_hand = np.mean(
        [
            (x.headline.m_final.value or 0) - (y.headline.m_final.value or 0)
            for x, y in zip(a, b, strict=True)
        ]
    )
    assert row.effect == pytest.approx(float(by_hand))
    assert (row.n, cell.seeds, cell.unpaired) == (3, [0, 1, 2], Sides([], []))
    assert row.p_value is not None
    assert 0 < row.p_value <= 1
    assert {r.figure for r in cell.figures} >= {
        "time_average",
        "decay_slope",
        "compression.score",
    }
    for half in (cell.half_life.a, cell.half_life.b):
        assert half.n == len(half.listed) == 3
        assert half.censored == sum(lost for _, lost in half.listed)


def test_seeds_on_one_side_only_are_left_out_and_told(out: Path) -> None:
    a = side(out, "careful_compress")
    b = side(out, "lossy_compress")
    (cell,) = compare(a[:2], b[1:]).cells
    assert (cell.seeds, cell.unpaired) == ([1], Sides([0], [2]))
    with pytest.raises(InputError, match="share no seed"):
        compare(a[:1], b[1:])


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"scenario": "s9"}, "scenario s2_lifestyle_assistant against s9"),
        ({"scenario_version": "9.0.0"}, "scenario version"),
        ({"n_sessions": 9}, "sessions 4 against 9"),
        ({"pressure": {"preset": "heavy"}}, "pressure: "),
    ],
)
def test_what_may_not_be_compared(out: Path, change: dict[str, Any], told: str) -> None:
    a = side(out, "careful_compress")
    with pytest.raises(InputError, match=told):
        compare(
            a, [msgspec.structs.replace(card, **change) for card in side(out, "lossy_compress")]
        )


def test_a_side_with_two_systems_is_refused(out: Path) -> None:
    with pytest.raises(InputError, match="A holds 2 systems"):
        compare(cards_at(out), side(out, "lossy_compress"))


def test_a_life_may_be_compared_with_its_control(out: Path) -> None:
    shocked = [card for card in cards_at(out) if card.others["lifecycle_events"]]
    (cell,) = compare(shocked, side(out, "careful_compress")).cells
    assert "against no events" in cell.condition


def test_the_table_counts_what_is_censored(out: Path) -> None:
    rows = table(cards_at(out))
    assert len(rows) == len(card_groups(cards_at(out))) == 3
    for row in rows:
        assert row.m_final.n == row.n
        assert row.half_life.censored <= row.half_life.n
    one = next(row for row in rows if row.n == 1)
    assert one.m_final.std is None


def test_missing_figures_stay_missing(out: Path) -> None:
    bare = []
    for card in side(out, "careful_compress"):
        headline = msgspec.structs.replace(card.headline, m_final=NO_FIGURE)
        bare.append(msgspec.structs.replace(card, headline=headline))
    (cell,) = compare(bare, side(out, "lossy_compress")).cells
    assert "m_final" not in {row.figure for row in cell.figures}
    assert table(bare)[0].m_final == Spread(None, None, 0)


# -- the gate


def test_a_regression_needs_effect_and_evidence(out: Path, tmp_path: Path) -> None:
    whole = Cell("s2", Sut(memory="append_only"), 4, "light", seed=0)
    run_study([whole], tmp_path, Resources(), workers=1)
    kept = whole.place(tmp_path).path
    lossy = life(out, "lossy_compress").path
    found = gate(lossy, kept, 0.05)
    assert found.regression
    assert found.drop > 0.05
    assert found.drop_ci[0] > 0
    assert "paired" in found.basis
    assert not gate(lossy, kept, 0.99).regression, "the drop is within the limit"
    assert not gate(kept, lossy, 0.05).regression, "better is no regression"
    same = gate(kept, kept, 0.05)
    assert (same.drop, same.regression) == (0, False)
    assert same.powered == (same.detectable <= 0.05)


def test_cards_without_folders_are_compared_by_their_figures(out: Path, tmp_path: Path) -> None:
    # Unpaired intervals are wide, so the candidate is one that remembers nothing.
    forgetful = Cell("s2", Sut(memory="no_memory"), 4, "light")
    (outcome,) = run_study([forgetful], tmp_path / "lives", Resources())
    runs = [RunDirectory(outcome.path), life(out, "careful_compress")]
    files = [tmp_path / "candidate.json", tmp_path / "baseline.json"]
    for run, file in zip(runs, files, strict=True):
        shutil.copyfile(run.card, file)
    found = gate(files[0], files[1], 0.05)
    assert "unpaired" in found.basis
    both = gate(runs[0].path, runs[1].path, 0.05)
    assert "unpaired" not in both.basis
    assert found.drop == pytest.approx(both.drop)
    assert found.regression


def test_another_seed_is_no_pair(out: Path) -> None:
    found = gate(life(out, "careful_compress", 0).path, life(out, "careful_compress", 1).path, 0.05)
    assert "unpaired" in found.basis


def test_a_card_beside_the_files_of_another_life_is_not_paired(out: Path, tmp_path: Path) -> None:
    shutil.copytree(life(out, "lossy_compress", 1).path, tmp_path / "x")
    shutil.copyfile(life(out, "lossy_compress", 0).card, tmp_path / "x" / "aging_card.json")
    assert "unpaired" in gate(tmp_path / "x", life(out, "careful_compress", 0).path, 0.05).basis


@pytest.mark.parametrize(
    "change", [{"scenario_version": "9.0.0"}, {"pressure": {"preset": "heavy"}}]
)
def test_the_gate_refuses_other_conditions(
    out: Path, tmp_path: Path, change: dict[str, Any]
) -> None:
    card = json.loads(life(out, "lossy_compress").card.read_bytes())
    (tmp_path / "other.json").write_text(json.dumps({**card, **change}))
    with pytest.raises(InputError, match="can't be compared"):
        gate(tmp_path / "other.json", life(out, "careful_compress").path, 0.05)


def test_the_gate_refuses_to_judge_nothing(out: Path, tmp_path: Path) -> None:
    card = json.loads(life(out, "lossy_compress").card.read_bytes())
    for key in ("time_average", "m_final"):
        card["headline"][key] = None
    (tmp_path / "bare.json").write_text(json.dumps(card))
    with pytest.raises(InputError, match="nothing to compare"):
        gate(tmp_path / "bare.json", tmp_path / "bare.json", 0.05)


# -- repetitions


def test_only_what_may_differ_is_passed_over(out: Path) -> None:
    card = json.loads(life(out, "lossy_compress").card.read_bytes())
    other = copy.deepcopy(card)
    other["generated_at"] = "2000-01-01T00:00:00Z"
    other["cost_and_efficiency"]["latency_ms_p50"] = 1e6
    other["provenance"]["git_sha"] = "0" * 40
    assert figure_changes(card, other) == []
    other["headline"]["m_final"] = 0.123
    assert [change.path for change in figure_changes(card, other)] == ["headline.m_final"]
    run = life(out, "lossy_compress")
    assert answer_changes(run, run) == []
    assert answer_changes(run, life(out, "careful_compress"))
