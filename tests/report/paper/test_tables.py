"""Tables equal the cards digit by digit, and their LaTeX holds whatever a name says."""

from __future__ import annotations

import csv
import io
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from agingbench.errors import InputError
from agingbench.metrics.intervals import mean_over_lives
from agingbench.report.pages.sources import CardSource, find_cards
from agingbench.report.paper.latex import _LETTERS, _SPECIAL, escaped
from agingbench.report.paper.panels import condition_titles, panels_of, short_names
from agingbench.report.paper.selection import table_rows
from agingbench.report.paper.tables import csv_text, paper_table, table_text
from agingbench.report.series import read_cards
from tests.report.lives import censored, life

HOSTILE = '[a] \\input{x} 50% & "q" $x_1^2$ #~{} <b> | =1+1 – ž Ж 漢 \U0001f600'


def sources(documents: list[dict[str, Any]]) -> list[CardSource]:
    return [
        CardSource(Path(f"{n}/aging_card.json"), card, None) for n, card in enumerate(documents)
    ]


def lives() -> list[dict[str, Any]]:
    low: list[float | None] = [0.8, 0.4, None, 0.1, 0.123456789012345]
    return [life("m+a", 0), life("m+a", 1), life("m+b", 0, ms=low), censored(sut="m+c")]


def read_csv(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_csv_of_lives_has_every_digit_of_the_cards() -> None:
    cards = lives()
    rows = read_csv(csv_text(table_rows(sources(cards), "lives")))
    assert len(rows) == len(cards)
    for row, card in zip(rows, cards, strict=True):
        head = card["headline"]
        for name in ("m0", "m_final", "time_average", "decay_slope", "half_life"):
            cells = [row[name], row[f"{name}_low"], row[f"{name}_high"]]
            wanted = [head[name], *head[f"{name}_ci"]]
            assert [None if cell == "" else float(cell) for cell in cells] == wanted
            assert int(row[f"{name}_n"]) == head[f"{name}_n"]
        assert row["system"] == card["sut"]["sut_id"]


def test_csv_of_curves_has_every_point_and_leaves_missing_ones_empty() -> None:
    cards = lives()
    rows = read_csv(csv_text(table_rows(sources(cards), "curve")))
    points = [[float(row["t"]), float(row["m"]) if row["m"] else None] for row in rows]
    assert points == [point for card in cards for point in card["checkpoints"]]


def test_csv_of_mechanisms_is_that_of_the_cards() -> None:
    [row, *_] = read_csv(csv_text(table_rows(sources([life()]), "mechanisms")))
    assert (row["mechanism"], row["figure"], row["value"]) == ("compression", "score", "0.64")
    assert (row["value_low"], row["value_high"], row["value_n"]) == ("0.5", "0.8", "33")


def test_systems_are_means_over_lives_and_a_single_life_keeps_its_interval() -> None:
    a, b, c = table_rows(sources(lives()))
    assert (a["lives"], b["lives"], c["lives"]) == (2, 1, 1)
    mean = mean_over_lives([0.3, 0.3], proportion=True)
    assert (a["m_final"], a["m_final_low"], a["m_final_high"]) == (mean.value, mean.low, mean.high)
    assert (b["time_average_low"], b["time_average_high"]) == (0.5, 0.7)
    assert c["half_life"] is None
    assert c["half_life_words"] == "> 4"


def test_text_shows_short_names_and_says_once_what_all_rows_share() -> None:
    table = paper_table(table_rows(sources(lives())))
    assert [row[0] for row in table.rows] == ["a", "b", "c"]
    assert "all systems m" in table.shared
    assert "scenario S2 lifestyle assistant" in table.shared
    assert "scenario" not in table.headings
    assert table.rows[1][table.headings.index("whole life")] == "0.61 [0.50, 0.70]"


def test_a_name_cannot_break_out_of_markdown_or_csv() -> None:
    rows = table_rows(sources([life("=cmd|x", 0), life("b", 0)]))
    assert "| =cmd\\|x |" in table_text(rows, "markdown")
    assert read_csv(csv_text(rows))[0]["system"] == "'=cmd|x"


def test_kinds_and_rows_that_do_not_fit_are_told() -> None:
    with pytest.raises(InputError, match="--rows weeks: lives have systems, lives, curve"):
        table_rows(sources(lives()), "weeks")
    trace = sources([life() | {"trace_audit": {}}])
    with pytest.raises(InputError, match="lives and audits cannot stand together"):
        table_rows([*sources([life()]), *trace])


def test_names_stay_whole_where_the_short_ones_would_be_equal() -> None:
    assert short_names(["m+a", "m+b"]) == {"m+a": "a", "m+b": "b"}
    assert short_names(["m+a"]) == {"m+a": "m + a"}
    assert short_names(["a_b", "a b"]) == {"a_b": "a_b", "a b": "a b"}
    assert short_names(["m", "m+a"]) == {"m": "m", "m+a": "a"}


def test_titles_name_only_what_tells_conditions_apart() -> None:
    plain = life()
    shock = life(lifecycle_events=["flush_history@2"])
    other = life() | {"scenario": "s6_naturalistic"}
    titles = condition_titles(read_cards([plain, shock, other]))
    assert titles == [
        "S2 lifestyle assistant, no events",
        "S2 lifestyle assistant, flush_history@2",
        "S6 naturalistic",
    ]
    assert len(panels_of(read_cards([plain, shock, other]))) == 3


def test_one_name_in_two_scenarios_is_one_system() -> None:
    cards = []
    for scenario in ("s2_lifestyle_assistant", "s6_naturalistic"):
        sut = {**life("m+a")["sut"], "config_hash_sha256": scenario}
        cards.append(life("m+a") | {"scenario": scenario, "sut": sut})
    names = [list(panel.systems) for panel in panels_of(read_cards(cards))]
    assert names == [["m + a"], ["m + a"]]


def test_latex_escapes_every_sign_it_would_obey() -> None:
    text = escaped(HOSTILE)
    assert "\\input" not in text
    assert "\\textbackslash{}input\\{x\\}" in text
    assert "[U+6F22]" in text
    rows = table_rows(sources([life(HOSTILE, 0), life("b", 0)]))
    assert "\n{}[a] " in table_text(rows, "latex")


@pytest.mark.slow
def test_latex_compiles(tmp_path: Path) -> None:
    compiler = shutil.which("pdflatex")
    if compiler is None:
        pytest.skip("no pdflatex on this machine: apt-get install texlive-latex-recommended")
    letters = "".join(sorted(_LETTERS)) + "".join(_SPECIAL)
    documents = [life(HOSTILE, 0), life(letters, 0), *lives()]
    for place, document in enumerate(documents):
        (tmp_path / str(place)).mkdir()
        (tmp_path / str(place) / "aging_card.json").write_text(json.dumps(document))
    found = find_cards([tmp_path])
    parts = []
    for name in ("systems", "lives", "curve", "mechanisms"):
        (tmp_path / f"{name}.tex").write_text(table_text(table_rows(found, name), "latex"))
        parts.append(f"\\input{{{name}.tex}}\n\n\\clearpage\n")
    head = "\\documentclass{article}\\usepackage[T1]{fontenc}\\usepackage{booktabs}"
    paper = f"{head}\n\\begin{{document}}\n{''.join(parts)}\\end{{document}}\n"
    (tmp_path / "paper.tex").write_text(paper)
    words = [compiler, "-halt-on-error", "-interaction=nonstopmode", "-no-shell-escape", "paper"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout[-2000:]
    assert "! " not in done.stdout
    assert (tmp_path / "paper.pdf").stat().st_size > 10_000
