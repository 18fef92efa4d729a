"""`resumption grade`: keys, rows, undo, going on where it stopped, and agreement as it goes."""

from __future__ import annotations

import io
import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any, Protocol

import pytest

from agingbench.resumption.calibration.grades import graded_text, load_grades
from agingbench.resumption.episodes.benchmark_folder import BenchmarkFolder
from agingbench.resumption.runs.run import RunSettings, run_benchmark
from tests.cli.conftest import Cli, Told, cli, data
from tests.resumption.making import PERFECT, make_benchmark, write_grades

__all__ = ["cli"]

GRADE = "resumption", "grade", "--grader", "human:anna"


@pytest.fixture
def benchmark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> BenchmarkFolder:
    """A benchmark with one run: three facts to preserve, one to forget, two checks."""
    monkeypatch.chdir(tmp_path)
    made = make_benchmark(tmp_path)
    run_benchmark(made.root, RunSettings("raw", 2000))
    return made


def labels(benchmark: BenchmarkFolder) -> list[tuple[str, str, str]]:
    return [(g.component, g.item, g.label) for g in load_grades(benchmark)]


class Feed(Protocol):
    """Calls the command with keys on its standard input."""

    def __call__(self, keys: str, *more: str) -> Told: ...


@pytest.fixture
def feed(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> Feed:
    def call(keys: str, *more: str) -> Told:
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{key}\n" for key in keys)))
        return cli(*GRADE, *more)

    return call


def graded(feed: Feed, keys: str, *more: str) -> Any:
    told = feed(keys, *more, "--json")
    assert told.code == 0, told.err
    return data(told.out)


def test_grades_are_written_with_their_texts(feed: Feed, benchmark: BenchmarkFolder) -> None:
    summary = graded(feed, "yynyyyn")
    assert (summary["graded"], summary["skipped"], summary["left"]) == (6, 0, 0)
    assert labels(benchmark) == [
        ("preservation", "A", "yes"),
        ("preservation", "C", "yes"),
        ("preservation", "P", "no"),
        ("forgetting", "B", "open"),
        ("continuation", "c1", "yes"),
        ("continuation", "c2", "no"),
    ]
    for grade in load_grades(benchmark):
        assert graded_text(grade, benchmark).strip()
        assert (grade.grader.kind, grade.grader.name) == ("human", "anna")
    preserved = next(g for g in summary["components"] if g["component"] == "preservation")
    assert (preserved["n"], preserved["missing"]) == (3, 47)


def test_it_goes_on_where_it_stopped(feed: Feed, benchmark: BenchmarkFolder) -> None:
    assert graded(feed, "yq")["left"] == 5
    assert graded(feed, "y")["graded"] == 1  # the end of the input leaves as q does
    assert [item for _, item, _ in labels(benchmark)] == ["A", "C"]
    assert graded(feed, "nnyn")["left"] == 0
    assert graded(feed, "")["graded"] == 0
    assert len(labels(benchmark)) == 6


def test_undo_takes_the_row_back_and_asks_again(feed: Feed, benchmark: BenchmarkFolder) -> None:
    graded(feed, "yunq")
    assert labels(benchmark) == [("preservation", "A", "no")]
    graded(feed, "uq")  # of another session: stays
    assert labels(benchmark) == [("preservation", "A", "no")]


def test_undo_inside_an_item_and_of_a_skip(feed: Feed, benchmark: BenchmarkFolder) -> None:
    summary = graded(feed, "yuynq", "--component", "forgetting")
    assert labels(benchmark) == [("forgetting", "B", "mentioned")]
    assert (summary["skipped"], summary["left"]) == (0, 0)
    summary = graded(feed, "suyq", "--component", "preservation")
    assert (summary["graded"], summary["skipped"]) == (1, 0)


def test_skipped_items_come_again(feed: Feed, benchmark: BenchmarkFolder) -> None:
    assert graded(feed, "ssssss") | {"components": []} == {
        "grader": {"name": "anna", "kind": "human", "how": "resumption grade"},
        "graded": 0,
        "skipped": 6,
        "left": 0,
        "components": [],
    }
    assert graded(feed, "q")["left"] == 6


def test_forgetting_is_asked_as_the_file_grades_it(feed: Feed, benchmark: BenchmarkFolder) -> None:
    row: dict[str, object] = {
        "component": "forgetting",
        "episode": "000",
        "item": "B",
        "context_hash": "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881",
        "context": "x",
        "label": "yes",
        "grader": "human:b",
    }
    write_grades(benchmark, {}, [row])
    graded(feed, "n", "--component", "forgetting")
    assert labels(benchmark) == [("forgetting", "B", "yes"), ("forgetting", "B", "no")]


def test_agreement_is_told_as_it_goes(feed: Feed, benchmark: BenchmarkFolder) -> None:
    write_grades(benchmark, PERFECT)
    told = feed("yq")
    assert "preservation (code): " in told.out
    assert "κ 1.00" in told.out
    assert "root cause is a shared cache key" in told.out


def test_another_key_is_asked_again(feed: Feed, benchmark: BenchmarkFolder) -> None:
    told = feed("xzyq")
    assert told.out.count("keys: y yes") == 2
    assert labels(benchmark) == [("preservation", "A", "yes")]


def test_a_torn_last_line_is_dropped(feed: Feed, benchmark: BenchmarkFolder) -> None:
    graded(feed, "yq")
    with benchmark.reference_grades.open("a") as file:
        file.write('{"component": "pres')
    graded(feed, "nq")
    assert [item for _, item, _ in labels(benchmark)] == ["A", "C"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--grader", "anna"), "human:NAME or model:NAME"),
        (("--grader", "cat:anna"), "human:NAME or model:NAME"),
    ],
)
def test_who_grades_is_asked_for(
    words: tuple[str, ...], message: str, cli: Cli, benchmark: BenchmarkFolder
) -> None:
    told = cli("resumption", "grade", *words)
    assert told.code == 2
    assert message in told.err


def test_without_a_run_there_is_nothing_to_grade(cli: Cli, tmp_path: Path) -> None:
    made = make_benchmark(tmp_path)
    told = cli(*GRADE, "--episodes", str(made.root))
    assert told.code == 2
    assert "no run to grade" in told.err


def test_single_keys_on_a_terminal(benchmark: BenchmarkFolder) -> None:
    main, side = pty.openpty()
    command = [sys.executable, "-m", "agingbench", *GRADE]
    process = subprocess.Popen(command, stdin=side, stdout=subprocess.PIPE, text=True)
    os.close(side)
    os.write(main, b"ynq")
    output, _ = process.communicate(timeout=60)
    os.close(main)
    assert process.returncode == 0
    assert "2 graded, 0 skipped" in output
    assert [label for _, _, label in labels(benchmark)] == ["yes", "no"]


def test_rows_hold_no_more_than_they_need(feed: Feed, benchmark: BenchmarkFolder) -> None:
    graded(feed, "yq")
    row = json.loads(benchmark.reference_grades.read_text())
    assert set(row) == {"component", "episode", "item", "context_hash", "label", "grader"}
