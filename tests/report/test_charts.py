"""Tests of the drawn curves: real PNG and SVG, equal bytes for equal cards, text that stays text,
gaps and marks.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from agingbench.errors import StorageError
from agingbench.report.chart_frame import COLOURS, SCALE, WIDTH
from agingbench.report.charts import curve_chart, draw_curve
from tests.report.lives import censored, life, without_headline

SVG = "{http://www.w3.org/2000/svg}"


def texts(svg: Path) -> list[str]:
    root = ElementTree.fromstring(svg.read_text())
    assert root.tag == f"{SVG}svg"
    return ["".join(node.itertext()) for node in root.iter(f"{SVG}text")]


def drawn(path: Path, *cards: dict[str, Any]) -> list[str]:
    draw_curve(list(cards), None, path / "curve.svg")
    return texts(path / "curve.svg")


def layers(*cards: dict[str, Any]) -> list[dict[str, Any]]:
    spec = curve_chart(list(cards)).to_dict()
    return [{**layer, "values": spec["datasets"][layer["data"]["name"]]} for layer in spec["layer"]]


def of_mark(found: list[dict[str, Any]], mark: str) -> list[dict[str, Any]]:
    return [layer for layer in found if layer["mark"]["type"] == mark]


def test_png_and_svg_are_written_and_equal_cards_give_equal_bytes(tmp_path: Path) -> None:
    cards = [life("a", 0), life("a", 1), life("b", 0, lifecycle_events=["recompact@2"])]
    files = []
    for name in ("first", "second"):
        png = tmp_path / f"{name}.png"
        svg = tmp_path / f"{name}.svg"
        draw_curve(cards, png, svg)
        files.append((png.read_bytes(), svg.read_bytes()))
    assert files[0] == files[1]
    png_bytes = files[0][0]
    assert png_bytes.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", png_bytes[16:24])
    assert width > WIDTH * SCALE
    assert height > 500
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "first.png",
        "first.svg",
        "second.png",
        "second.svg",
    ]


def test_a_life_names_itself_its_half_life_and_its_system(tmp_path: Path) -> None:
    found = drawn(tmp_path, life())
    assert "Aging curve: constraint_precision" in found
    assert {"model+memory", "session t", "m(t)", "half of m(0)", "half-life 2.8"} <= set(found)
    whole = " ".join(found)
    assert "s2_lifestyle_assistant 1.0.0, medium, 4 sessions" in whole
    assert "seed 0; band: 95 % interval of each point" in whole
    assert {"0.0", "0.2", "0.4", "0.6", "0.8", "1.0", "0", "1", "2", "3", "4"} <= set(found)


def test_the_half_life_lies_at_half_of_m0() -> None:
    rules, points = (
        of_mark(layers(life(ms=[0.8, 0.5, 0.4, 0.1])), mark) for mark in ("rule", "point")
    )
    assert [r["values"] for r in rules] == [[{"label": "half of m(0)", "m": 0.4}]]
    diamonds = [p["values"] for p in points if p["mark"].get("shape") == "diamond"]
    assert diamonds == [[{"label": "half-life 2.8", "m": 0.4, "t": 2.75}]]


def test_a_censored_half_life_has_no_mark(tmp_path: Path) -> None:
    found = drawn(tmp_path, censored())
    assert "half of m(0)" in found
    assert "half-life: not reached by session 4 (censored)" in " ".join(found)
    assert not [text for text in found if text.startswith("half-life ")]


@pytest.mark.parametrize(
    "card",
    [
        life(
            ms=[0.0, 0.0],
            head={"half_life": None, "half_life_reason": "m(0) is 0", "half_life_censored": None},
        ),
        without_headline(),
    ],
)
def test_without_m0_there_is_no_level(card: dict[str, Any], tmp_path: Path) -> None:
    assert "half of m(0)" not in drawn(tmp_path, card)


def test_text_of_a_card_stays_text(tmp_path: Path) -> None:
    name = "<script>alert('x')</script> & \"q\" \x00\x1b\ufffe"
    events = ["<b>@2", "</svg>@3:k=v", "odd"]
    draw_curve(
        [life(name, lifecycle_events=events)], None, tmp_path / "c.svg", title="]]> <script>"
    )
    raw = (tmp_path / "c.svg").read_text()
    assert "<script" not in raw
    assert "&lt;script&gt;" in raw
    found = texts(tmp_path / "c.svg")
    assert "<script>alert('x')</script> & \"q\" \ufffd\ufffd\ufffd" in found
    assert {"<b>", "</svg>:k=v", "]]> <script>"} <= set(found)


def test_events_are_rules_at_their_points() -> None:
    card = life(lifecycle_events=["recompact@2", "flush_history@2", "flush_history@4"])
    rows = [r["values"] for r in of_mark(layers(card), "rule") if "t" in r["values"][0]]
    assert rows == [
        [{"label": "recompact, flush_history", "t": 2}, {"label": "flush_history", "t": 4}]
    ]


def test_missing_points_are_gaps() -> None:
    found = layers(life(ms=[1.0, 0.9, None, 0.6, None, 0.5]))
    (line,) = of_mark(found, "line")
    assert [row["m"] for row in line["values"]] == [1.0, 0.9, None, 0.6, None, 0.5]
    dots = next(p for p in of_mark(found, "point") if p["mark"].get("size") == 55)
    assert [row["t"] for row in dots["values"]] == [0, 1, 3, 5]
    (area,) = of_mark(found, "area")
    assert [row["low"] is None for row in area["values"]] == [
        False,
        False,
        True,
        False,
        True,
        False,
    ]
    alone = [r["values"] for r in of_mark(found, "rule") if "low" in r["values"][0]]
    assert [[row["t"] for row in rows] for rows in alone] == [[3, 5]]


def test_several_lives_are_thin_and_their_mean_is_bold(tmp_path: Path) -> None:
    cards = [
        life("a", 0, [1.0, 0.8, None]),
        life("a", 1, [0.6, None, None]),
        life("b", 0, [1.0, 0.1, 0.0]),
    ]
    thin, bold = of_mark(layers(*cards), "line")
    assert thin["mark"]["strokeWidth"] < bold["mark"]["strokeWidth"]
    assert {row["line"] for row in thin["values"]} == {0, 1}
    mean = [row["m"] for row in bold["values"] if row["system"] == "a"]
    assert mean == [0.8, 0.8, None]
    found = drawn(tmp_path, *cards)
    assert {"a", "b"} <= set(found)
    key = "seeds 0, 1; thin: single lives, bold: their mean; band: 95 % interval of each point"
    assert key in " ".join(found)


def test_each_system_has_its_colour_and_no_two_lines_look_alike() -> None:
    count = len(COLOURS) + 2
    (line,) = of_mark(layers(*(life(f"s{i}") for i in range(count))), "line")
    colour, dash = (line["encoding"][key]["scale"] for key in ("color", "strokeDash"))
    assert colour["domain"] == dash["domain"] == [f"s{i}" for i in range(count)]
    looks = list(zip(colour["range"], map(str, dash["range"]), strict=True))
    assert len(set(looks)) == count


def test_the_legend_shows_the_solid_colour_of_each_line(tmp_path: Path) -> None:
    # Bands and thin lives are pale, and a legend would take their look.
    banded = [life("a"), life("b", ms=[1.0, 0.5, 0.2])]
    for cards in (banded, [*banded, life("a", 1), life("b", 1)]):
        drawn(tmp_path, *cards)
        root = ElementTree.fromstring((tmp_path / "curve.svg").read_text())
        symbols = [node[0] for node in root.iter() if "role-legend-symbol" in node.get("class", "")]
        assert [s.get("stroke") for s in symbols] == list(COLOURS[:2])
        assert {(s.get("opacity"), s.get("stroke-opacity")) for s in symbols} == {("1", None)}


def test_lives_of_unequal_conditions_are_not_averaged(tmp_path: Path) -> None:
    cards = [life("a", 0), life("a", 1, pressure={"preset": "medium", "update_rate": 0.9})]
    (line,) = of_mark(layers(*cards), "line")
    assert len({row["system"] for row in line["values"]}) == 2
    assert "several conditions" in " ".join(drawn(tmp_path, *cards))


@pytest.mark.parametrize("cards", [[], [life(ms=[])], [life(ms=[None, None])]])
def test_nothing_measured_says_so(cards: list[dict[str, Any]], tmp_path: Path) -> None:
    assert "no points" in drawn(tmp_path, *cards)


def test_figures_outside_the_scale_are_counted_not_bent(tmp_path: Path) -> None:
    card = life(ms=[0.5, 3.0, 0.4])
    (line,) = of_mark(layers(card), "line")
    assert [row["m"] for row in line["values"]] == [0.5, None, 0.4]
    assert "points outside 0 to 1, not drawn: 1" in " ".join(drawn(tmp_path, card))


def test_a_file_that_cannot_be_written_is_an_error_of_ours(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot write"):
        draw_curve([life()], None, tmp_path / "no such folder" / "c.svg")
