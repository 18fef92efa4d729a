"""Tests of the shown diagnosis: the stacked profile on the terminal and as a chart, with anomalies,
blobs and hints.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from rich.console import Console

from agingbench.report.diagnosis import (
    ANOMALY,
    BAR,
    diagnosis_chart,
    draw_diagnosis,
    print_diagnosis,
    print_stages,
)
from tests.report.lives import life

SVG = "{http://www.w3.org/2000/svg}"


def estimate(value: float, n: int = 12) -> dict[str, Any]:
    return {"value": value, "ci": [max(-1.0, value - 0.1), min(1.0, value + 0.1)], "n": n}


def cell(anomaly: bool = False, **shares: float) -> dict[str, Any]:
    named = {name.replace("WR", "W+R"): estimate(value) for name, value in shares.items()}
    wrong = sum(shares.values())
    accuracy = {
        "as_lived": estimate(1 - wrong),
        "oracle_context": estimate(1 - shares.get("U", 0.0)),
    }
    return {
        "n": 12,
        "n_facts": 9,
        "n_excluded": 0,
        "abstained": "WR" in shares,
        "diagnostic_anomaly": anomaly,
        "accuracy": accuracy,
        "shares": None if anomaly else named,
    }


def diagnosed(sessions: list[dict[str, Any]] | None = None, **changed: Any) -> dict[str, Any]:
    cells = (
        sessions
        if sessions is not None
        else [cell(U=0.1, W=0.5, R=0.1), cell(U=0.0, W=0.75, R=-0.1)]
    )
    block = {
        **cell(U=0.05, W=0.6, R=0.02),
        "end_to_end": False,
        "abstentions": [],
        "anomalies": [],
        "sessions": [{"t": t, **found} for t, found in enumerate(cells, 1)],
        "mechanisms": {"compression": cell(U=0.0, W=0.7, R=0.0), "revision": cell(anomaly=True)},
        "events": [],
        "stage": "write",
        "hint": {"stage": "write", "try": "keep exact values", "evidence": "60% of them"},
        **changed,
    }
    return life(diagnosis=block)


def shown(card: dict[str, Any], width: int = 100) -> str:
    page = io.StringIO()
    print_diagnosis(card, Console(file=page, width=width, highlight=False))
    return page.getvalue()


def test_a_card_without_a_diagnosis_shows_nothing(tmp_path: Path) -> None:
    assert shown(life()) == ""
    assert not draw_diagnosis(life(), tmp_path / "a.png", None)
    assert list(tmp_path.iterdir()) == []


def test_every_session_is_a_bar_of_its_shares_and_what_was_right() -> None:
    text = shown(diagnosed())
    assert "u" * 4 + "w" * 20 + "r" * 4 + "." * 12 in text
    assert "w" * 30 + "." * 10 in text  # a negative share is told in numbers and drawn as nothing
    assert "u utilization, w write, r retrieval, . right" in text
    assert "0.60 [0.50, 0.70]" in text
    assert "P3 oracle context 0.95" in text
    assert "write: keep exact values." in text
    assert "60% of them" in text


def test_an_anomaly_claims_no_magnitude() -> None:
    card = diagnosed(
        [cell(U=0.1, W=0.2, R=0.3), cell(anomaly=True)],
        anomalies=["session 2", "mechanism revision"],
    )
    text = shown(card)
    assert ANOMALY in text
    assert "session 2, mechanism revision: no magnitude is claimed" in text
    revision = next(line for line in text.splitlines() if line.startswith("revision"))
    assert "anomaly" in revision
    assert "0." not in revision


def test_blobs_agents_with_files_and_excluded_probes_are_told() -> None:
    joint = {
        **cell(U=0.1, WR=0.5),
        "n_excluded": 3,
        "abstentions": ["oracle_retrieval"],
        "end_to_end": True,
    }
    text = shown(diagnosed([cell(U=0.1, WR=0.5)], **joint, hint=None))
    assert "m" * 20 in text
    assert "P2 is not asked" in text
    assert "end-to-end" in text
    assert "3 probes failed in a condition and count in none" in text
    assert "no hint" in text


def test_events_are_shown_with_what_they_took() -> None:
    event = {"event": "flush_history@2", "at": 2, "of": "W", "delta_s": estimate(0.9, 15)}
    text = shown(diagnosed(events=[event]))
    assert "flush_history@2" in text
    assert "+0.90" in text
    assert "+0.80 to +1.00" in text


@pytest.mark.parametrize("n", [24, 25, 100, 1000])
def test_a_long_life_stays_readable(n: int) -> None:
    text = shown(diagnosed([cell(U=0.1, W=0.2, R=0.1)] * n))
    assert sum(line.startswith("t ") for line in text.splitlines()) <= 24
    assert ("one session in" in text) == (n > 24)


def test_it_fits_80_columns() -> None:
    lines = shown(diagnosed([cell(U=0.1, W=-0.2, R=-0.1)] * 12), 80).splitlines()
    assert max(map(len, lines)) <= 80
    assert any("." * (BAR - 4) in line for line in lines)


@pytest.mark.parametrize(
    "odd",
    [
        None,
        {},
        {"sessions": 3},
        {"sessions": []},
        {"sessions": {}},
        {"sessions": ["x"]},
        {"shares": [1], "sessions": []},
        {"sessions": [{"t": "one"}]},
        {"sessions": [], "mechanisms": [1], "events": "none"},
        {"shares": {"U": 1}, "sessions": []},
        {"sessions": [], "events": [{"delta_s": 1}]},
        {"sessions": [{"t": 1, "accuracy": {"as_lived": 1}}]},
    ],
)
def test_a_foreign_block_breaks_nothing(odd: Any, tmp_path: Path) -> None:
    card = life(diagnosis=odd)
    assert "nan" not in shown(card).lower()  # nothing is made up for what is not there
    assert bool(draw_diagnosis(card, None, tmp_path / "d.svg")) == (tmp_path / "d.svg").exists()


def test_several_lives_are_a_line_each() -> None:
    page = io.StringIO()
    cards = [
        diagnosed(),
        {**diagnosed(stage=None), "seed": 1},
        {**diagnosed(**cell(anomaly=True)), "seed": 2},
        life(),
    ]
    print_stages(cards, Console(file=page, width=80, highlight=False))
    found = [line.split()[:2] for line in page.getvalue().splitlines() if line]
    assert found == [["diagnosis", "seed"], ["write", "0"], ["–", "1"], ["anomaly", "2"]]


# -- the chart


def parts(card: dict[str, Any]) -> list[dict[str, Any]]:
    spec = diagnosis_chart(card).to_dict()
    bars = next(layer for layer in spec["layer"] if layer["mark"]["type"] == "bar")
    return list(spec["datasets"][bars["data"]["name"]])


def test_the_chart_stacks_the_shares_and_hangs_negative_ones_below_zero() -> None:
    found = [
        (p["t"], p["stage"], round(p["low"], 6), round(p["high"], 6)) for p in parts(diagnosed())
    ]
    assert found == [
        (1, "utilization", 0.0, 0.1),
        (1, "write", 0.1, 0.6),
        (1, "retrieval", 0.6, 0.7),
        (2, "write", 0.0, 0.75),
        (2, "retrieval", -0.1, 0.0),
    ]


def test_png_and_svg_are_written_and_equal_cards_give_equal_bytes(tmp_path: Path) -> None:
    card = diagnosed([cell(U=0.1, W=0.2, R=0.3), cell(anomaly=True)])
    files = []
    for name in ("one", "two"):
        png = tmp_path / f"{name}.png"
        svg = tmp_path / f"{name}.svg"
        assert draw_diagnosis(card, png, svg)
        files.append((png.read_bytes(), svg.read_bytes()))
    assert files[0] == files[1]
    assert files[0][0].startswith(b"\x89PNG")
    texts = [
        "".join(node.itertext()) for node in ElementTree.fromstring(files[0][1]).iter(f"{SVG}text")
    ]
    assert {"Where answers are lost", "session t", "share of answers lost", "?", "write"} <= set(
        texts
    )
    assert any("no magnitude is claimed" in text for text in texts)


def test_a_life_of_anomalies_alone_has_a_chart(tmp_path: Path) -> None:
    card = diagnosed([cell(anomaly=True)] * 3, **cell(anomaly=True))
    assert draw_diagnosis(card, tmp_path / "d.png", tmp_path / "d.svg")
