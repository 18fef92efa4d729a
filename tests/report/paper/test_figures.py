"""Figures hold the values of the cards, for any number of systems, in three kinds of file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agingbench.errors import InputError
from agingbench.report.chart_frame import drawing
from agingbench.report.pages.sources import CardSource
from agingbench.report.paper.figures import LEAST_LIVES, curve_figure, curve_points
from agingbench.report.paper.panels import panels_of
from agingbench.report.paper.selection import figure_chart
from agingbench.report.series import mean_curve, read_cards
from tests.report.lives import life


def sources(documents: list[dict[str, Any]]) -> list[CardSource]:
    return [
        CardSource(Path(f"{n}/aging_card.json"), card, None) for n, card in enumerate(documents)
    ]


def datasets(chart: Any) -> list[list[dict[str, Any]]]:
    """The rows of every layer of a chart, in the order in which layers name them."""
    spec = chart.to_dict()
    layers = [layer for panel in spec["concat"] for layer in panel["layer"]]
    return [spec["datasets"][layer["data"]["name"]] for layer in layers]


def test_curves_are_the_means_of_the_cards() -> None:
    cards = read_cards([life("a", 0), life("a", 1, ms=[0.8, 0.5, None, 0.2, 0.1]), life("b", 0)])
    [panel] = panels_of(cards)
    rows = curve_points(panel)
    curve = {row["t"]: row["m"] for row in rows if row["system"] == "a"}
    assert curve == pytest.approx(dict(mean_curve(cards[:2])))
    own = {row["t"]: (row["low"], row["high"]) for row in rows if row["system"] == "b"}
    intervals = life("b", 0)["checkpoint_intervals"]
    assert own == {t: (low, high) for t, low, high, _ in intervals}
    assert rows in datasets(curve_figure([panel]))


def test_two_lives_are_drawn_as_lines_and_three_as_a_band() -> None:
    for n in (2, LEAST_LIVES):
        [panel] = panels_of(read_cards([life("a", seed) for seed in range(n)]))
        spec = curve_figure([panel]).to_dict()
        marks = [layer["mark"]["type"] for layer in spec["concat"][0]["layer"]]
        assert ("area" in marks) is (n == LEAST_LIVES)
        assert marks.count("line") == (2 if n < LEAST_LIVES else 1)


def test_forty_systems_look_different() -> None:
    documents = [life(f"m+s{n}", 0) for n in range(40)]
    spec = figure_chart(sources(documents)).to_dict()
    line, dot = spec["concat"][0]["layer"][-2:]
    colours = line["encoding"]["color"]["scale"]["range"]
    dashes = line["encoding"]["strokeDash"]["scale"]["range"]
    shapes = dot["encoding"]["shape"]["scale"]["range"]
    looks = set(zip(colours, map(tuple, dashes), shapes, strict=True))
    assert len(looks) == 40


def test_each_scenario_has_a_panel_and_files_of_three_kinds() -> None:
    other = life("a") | {"scenario": "s6_naturalistic"}
    chart = figure_chart(sources([life("a"), other]))
    titles = [panel["title"]["text"] for panel in chart.to_dict()["concat"]]
    assert titles == ["S2 lifestyle assistant", "S6 naturalistic"]
    assert drawing(chart, "pdf").startswith(b"%PDF")
    assert drawing(chart, "png").startswith(b"\x89PNG")
    svg = drawing(chart, "svg").decode()
    assert "S6 naturalistic" in svg


@pytest.mark.parametrize("show", ["headline", "mechanisms"])
def test_dots_are_the_figures_of_the_cards(show: str) -> None:
    rows = datasets(figure_chart(sources([life("a"), life("b")]), show))[-1]
    found = {row["name"]: (row["value"], row["low"], row["high"]) for row in rows}
    if show == "headline":
        assert found["whole life"] == (0.61, 0.5, 0.7)
    else:
        assert found["compression"] == (0.64, 0.5, 0.8)


def test_hostile_names_stay_text() -> None:
    svg = drawing(figure_chart(sources([life("</text><script>x</script>"), life("b")])), "svg")
    assert b"<script" not in svg


def test_what_cannot_be_drawn_is_told() -> None:
    with pytest.raises(
        InputError, match="--show weeks: lives have curves, headline, mechanisms, card"
    ):
        figure_chart(sources([life()]), "weeks")
    wide = [life("a") | {"scenario": f"s{n}"} for n in range(6)]
    with pytest.raises(InputError, match="too narrow; give --columns 2"):
        figure_chart(sources(wide), None, 240, 6)
