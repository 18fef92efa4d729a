"""What a study shows of lengths, shocks, stages and controllers, held against the cards."""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import Any

from agingbench.report.pages.charts import PageChart
from agingbench.report.pages.document import write_page
from agingbench.report.pages.study import page_charts, study_page
from tests.report.lives import life
from tests.report.pages.browser import OpenPage, running_browser
from tests.report.test_diagnosis import cell


def system(
    name: str, seed: int, ms: list[float | None] | None = None, **more: Any
) -> dict[str, Any]:
    sut = {"sut_id": name, "model_id": "m", "memory_policy_type": "append_only", "memory": name}
    return life(name, seed, ms, **more) | {"sut": sut}


def charts_of(documents: list[dict[str, Any]]) -> dict[str, PageChart]:
    page = study_page(documents, [None] * len(documents))
    return {chart.id: chart for chart in page.relations}


def rows_of(chart: PageChart, name: str) -> list[dict[str, Any]]:
    """The rows of a dataset, wherever the specification keeps it."""
    found: list[dict[str, Any]] = []

    def look(part: Any) -> None:
        if isinstance(part, dict):
            if part.get("name") == name and "values" in part:
                found[:] = part["values"]
            for one in part.values():
                look(one)
        elif isinstance(part, list):
            for one in part:
                look(one)

    look(chart.spec)
    return found


def test_a_horizon_needs_two_lengths_of_one_condition() -> None:
    short = system("a", 0)
    long = system("a", 0, [1.0, 0.8, 0.6, 0.5, 0.4, 0.3, 0.2])
    assert "horizon" not in charts_of([short, system("b", 0)])
    rows = rows_of(charts_of([short, long])["horizon"], "horizon")
    ends = [(row["sessions"], row["kept"]) for row in rows if row["what"] == "at the end"]
    assert ends == [
        (short["n_sessions"], short["headline"]["m_final"]),
        (long["n_sessions"], long["headline"]["m_final"]),
    ]


def test_a_shocked_life_stands_beside_the_same_life_without_events() -> None:
    calm = system("a", 0)
    shock = system("a", 0, [1.0, 0.9, 0.2, 0.1, 0.1], lifecycle_events=["flush_history@2"])
    assert "shocks" not in charts_of([shock, system("b", 0)])
    rows = rows_of(charts_of([calm, shock])["shocks"], "shocks")
    curves: dict[str, list[list[float]]] = {}
    for row in rows:
        curves.setdefault(f"{row['series']}, {row['what']}", []).append([row["t"], row["m"]])
    assert curves == {
        "a, flush_history@2": shock["checkpoints"],
        "a, no events": calm["checkpoints"],
    }


def test_stages_are_means_over_the_diagnosed_lives() -> None:
    lives = []
    for seed, write in ((0, 0.2), (1, 0.4)):
        lives.append(system("a", seed, diagnosis={**cell(W=write, U=0.1), "sessions": []}))
    chart = charts_of([*lives, system("b", 0)])["stages"]
    rows = {row["series"]: row["share"] for row in rows_of(chart, "stages_over_lives")}
    assert rows == {"write": statistics.fmean([0.2, 0.4]), "utilization": 0.1}
    assert [row[0].text for row in chart.rows] == ["a"]


def test_actions_of_controllers_are_shown_when_they_hold() -> None:
    action = {"action": "switch_prompt", "args": {}, "reason": "m 0.1 < 0.4", "session": 2, "t": 3}
    control = {"arm": "aggressive", "actions": [action], "monitor": "scored"}
    documents = [system("a", 0), system("a+aggressive", 0, control=control)]
    page = study_page(documents, [None, None])
    [chart] = [chart for chart in page.relations if chart.id == "actions"]
    [row] = rows_of(chart, "actions")
    assert (row["t"], row["series"]) == (3, "switch prompt")
    assert [cell.text for cell in chart.rows[0]][-1] == "m 0.1 < 0.4"
    [table] = [table for table in page.tables if table.title == "Typed state and controllers"]
    arms = {cells[0].text: (cells[2].text, cells[-1].text) for cells in table.rows}
    assert arms == {"a": ("none", "–"), "a+aggressive": ("aggressive", "1.00")}


def test_a_study_without_arms_has_no_such_table() -> None:
    page = study_page([system("a", 0), system("b", 0)], [None, None])
    assert [table.title for table in page.tables] == []


def test_charts_of_arms_are_drawn_as_the_cards_say(tmp_path: Path) -> None:
    action = {"action": "switch_prompt", "args": {}, "reason": "", "session": 2, "t": 3}
    control = {"arm": "aggressive", "actions": [action], "monitor": "scored"}
    documents = [
        system("a", 0, diagnosis={**cell(W=0.3, U=0.1), "sessions": []}),
        system("a", 0, [1.0, 0.8, 0.6, 0.5, 0.4, 0.3, 0.2]),
        system("a", 0, [1.0, 0.9, 0.2, 0.1, 0.1], lifecycle_events=["flush_history@2"]),
        system("b", 0, control=control),
    ]
    page = study_page(documents, [None] * len(documents))
    out = tmp_path / "study.html"
    write_page(out, "study.html.j2", page.answer, page, page_charts(page))
    datasets = {
        "horizon": "horizon",
        "shocks": "shocks",
        "stages": "stages_over_lives",
        "actions": "actions",
    }
    with running_browser() as browser:
        opened = OpenPage(browser, out, color_scheme="dark")
        for chart in page.relations:
            name = datasets.get(chart.id)
            if name is not None:
                expected = rows_of(chart, name)
                keys = list(expected[0])
                drawn = [{key: row[key] for key in keys} for row in opened.values(chart.id, name)]
                assert drawn == expected
        assert set(datasets) <= {chart.id for chart in page.relations}
        assert opened.complaints == []
        assert opened.serious() == []
