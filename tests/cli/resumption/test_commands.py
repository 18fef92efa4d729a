"""The resumption commands: JSON and an example each, closed gates told as JSON, names, data
folders, signals.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from agingbench.cards.check import validate_card
from agingbench.cli.resumption.group import resumption
from agingbench.errors import InputError, RunConflict
from agingbench.resumption.analysis.compare import load_run
from agingbench.resumption.analysis.pareto import pareto
from agingbench.resumption.episodes.benchmark_folder import BenchmarkFolder
from agingbench.resumption.episodes.cut import draft_episode
from agingbench.resumption.episodes.episode import load_episode
from agingbench.resumption.episodes.trajectory import count_steps, trajectory_events
from agingbench.resumption.runs.run import RunSettings, run_benchmark, source_hash
from agingbench.resumption.runs.scores_file import read_scores
from agingbench.trials.ledger import open_ledger
from tests.cli.conftest import Cli, cli, data
from tests.places import ROOT
from tests.resumption.episodes.test_cut import small_trace
from tests.resumption.making import Patient, make_benchmark, open_gate
from tests.resumption.runs.test_run import many

__all__ = ["cli"]
COMMANDS = (
    "init",
    "check",
    "cut",
    "run",
    "calibrate",
    "grade",
    "compare",
    "falsify",
    "pareto",
    "plan",
)


def test_every_command_has_json_and_an_example() -> None:
    context = click.Context(resumption)
    assert set(resumption.list_commands(context)) == set(COMMANDS)
    for name in COMMANDS:
        command = resumption.get_command(context, name)
        assert command is not None
        flags = {
            flag
            for option in command.params
            if isinstance(option, click.Option)
            for flag in option.opts
        }
        assert "--json" in flags, name
        ending = " ".join((command.epilog or "").strip("\b").split())
        assert ending.startswith(f"Example: agingbench resumption {name}"), name
        overriding = [
            flag for flag in flags if re.search("force|override|ignore|skip|allow|uncal", flag)
        ]
        assert overriding == [], name


# -- a closed gate


def test_a_closed_gate_is_told_as_json_with_exit_3(
    tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    benchmark = make_benchmark(tmp_path)
    many(benchmark, 3)
    ran = cli("resumption", "run", "-c", "raw", "--json")
    assert (ran.code, data(ran.out)["gate"], data(ran.out)["figures"]) == (
        3,
        "uncalibrated",
        {},
    )
    front = cli(
        "resumption", "pareto", "-c", "raw", "-c", "structured", "--budgets", "200,2000", "--json"
    )
    points = data(front.out)
    assert front.code == 3
    assert len(points) == 4
    assert {(p["gate"], p["calibrated"], p["quality"], p["front"]) for p in points} == {
        ("uncalibrated", False, None, False)
    }
    tested = cli("resumption", "falsify", "--json")
    assert tested.code == 3
    assert {c["outcome"] for c in data(tested.out)["conditions"]} == {"uncalibrated"}
    runs = sorted(path.parent for path in benchmark.runs.glob("*-b2000-*/run.json"))[:2]
    compared = cli("resumption", "compare", *runs, "--json")
    assert (compared.code, data(compared.out)[0]["gate"]) == (3, "uncalibrated")
    planned = cli("resumption", "plan", "--effect", "0.1", "--runs", *runs, "--json")
    assert (planned.code, data(planned.out)["episodes"]) == (3, None)
    judged = cli("resumption", "calibrate", "--json")
    assert (judged.code, data(judged.out)["passed"]) == (3, False)
    for told in (front, tested, compared, planned):
        assert "uncalibrated, no number is published" in told.err
    assert list(benchmark.runs.glob("*/aging_card.json")) == []


def test_no_number_is_published_where_a_context_did_not_fit(
    tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    benchmark = make_benchmark(tmp_path)
    open_gate(benchmark)
    told = cli("resumption", "falsify", "--structured", "tests.resumption.making:TooMuch", "--json")
    assert told.code == 2
    assert "1 of 1 episodes did not fit the budget" in told.err
    made = [
        run_benchmark(benchmark.root, RunSettings(n, 300))
        for n in ("tests.resumption.making:TooMuch", "structured")
    ]
    points = {p.consolidator: p for p in pareto([load_run(m.path) for m in made])}
    assert (
        points["tests.resumption.making:TooMuch"].refused,
        points["structured"].refused,
    ) == (1, 0)
    assert points["tests.resumption.making:TooMuch"].quality is None
    assert points["structured"].front is True


# -- names


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "-c", "strutured"], "did you mean structured"),
        (["run", "-c", "raw", "--agent", "embeded"], "did you mean embedded"),
        (["run", "-c", "raw", "--model", "extractve"], "did you mean extractive"),
        (["run", "-c", "raw", "--judge", "determinstic"], "did you mean deterministic"),
        (["run", "-c", "raw", "--data", "nowhere"], "nowhere"),
        (["chekc"], "check"),
        (["plan", "--effect", "1.5"], "between 0 and 1"),
        (["pareto"], "--consolidator"),
        (["compare", "one"], "two runs"),
    ],
)
def test_what_is_wrong_is_told_with_the_nearest_name(
    tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    make_benchmark(tmp_path)
    told = cli("resumption", *arguments)
    assert told.code == 2
    assert said in told.err


def test_a_run_that_is_not_there_is_told_with_its_neighbours(tmp_path: Path) -> None:
    benchmark = make_benchmark(tmp_path)
    made = run_benchmark(benchmark.root, RunSettings("raw", 200))
    with pytest.raises(InputError, match=f"did you mean {made.run_id}"):
        load_run(made.path.with_name("raw-b200"))


# -- data folders


def test_the_data_folder_is_the_one_above_the_traces_or_the_traces_themselves(
    tmp_path: Path, cli: Cli
) -> None:
    folder = tmp_path / "data" / "traces" / "mine"
    folder.mkdir(parents=True)
    trace = small_trace(folder)
    (tmp_path / "episodes").mkdir()
    text = draft_episode(trace, 9, data=tmp_path / "data")
    (tmp_path / "episodes" / "x.yaml").write_text(text)
    episode = load_episode(tmp_path / "episodes" / "x.yaml")
    for place in (tmp_path / "data", tmp_path / "data" / "traces", folder):
        assert count_steps(trajectory_events(episode, place)) == 9
    other = tmp_path / "other"
    other.mkdir()
    told = cli("resumption", "check", tmp_path, "--data", other, "--json")
    (found,) = data(told.out)
    assert "--data takes the folder with traces in it, or traces itself" in found["skipped"]


# -- cutting


def test_a_long_message_is_cut_inline_and_can_be_loaded(tmp_path: Path) -> None:
    lines: list[dict[str, Any]] = [
        {"session_id": "s", "role": "user", "content": "mend the build"},
        {"session_id": "s", "role": "assistant", "content": "one more word and " * 500_000},
        {"session_id": "s", "role": "assistant", "content": "é\u2028\x07" * 100_000},
    ]
    path = tmp_path / "long.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    (tmp_path / "x.yaml").write_text(draft_episode(path, 3, inline=True))
    events = trajectory_events(load_episode(tmp_path / "x.yaml"), None)
    assert [e.content for e in events] == [line["content"] for line in lines]


def test_what_no_episode_could_hold_is_refused_before_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    lines = [
        {"session_id": "s", "role": "user", "content": text}
        for text in ("mend it", "a" * 33_000_000)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(InputError, match="leave --inline out"):
        draft_episode(path, 2, inline=True)
    assert yaml.safe_load(draft_episode(path, 2, data=tmp_path))["partial_trajectory"]["at"] == 2


# -- signals, two at once


def started(benchmark: BenchmarkFolder, consolidator: str) -> subprocess.Popen[str]:
    command = [
        sys.executable,
        "-m",
        "agingbench",
        "resumption",
        "run",
        "-e",
        str(benchmark.root),
        "-c",
        consolidator,
    ]
    return subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "HELD": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def rows_of(benchmark: BenchmarkFolder) -> list[bytes]:
    return [
        row
        for file in benchmark.runs.glob("tests-*/rows.jsonl")
        for row in file.read_bytes().split(b"\n")[:-1]  # a line has its end
    ]


def wait_for(process: subprocess.Popen[str], benchmark: BenchmarkFolder, n: int) -> None:
    while len(rows_of(benchmark)) < n:
        assert process.poll() is None
        time.sleep(0.02)


def test_an_interrupted_run_loses_nothing_and_a_second_one_is_kept_out(tmp_path: Path) -> None:
    benchmark = make_benchmark(tmp_path)
    many(benchmark, 14)
    open_gate(benchmark)
    name = "tests.resumption.making:Patient"
    process = started(benchmark, name)
    wait_for(process, benchmark, 2)
    with pytest.raises(RunConflict, match="another process is writing this run"):
        run_benchmark(benchmark.root, RunSettings(name, 2000))
    # Another consolidator in the same folder is another run, and both may write to one ledger.
    place = str(benchmark.runs / "ledger.sqlite")
    assert run_benchmark(
        benchmark.root, RunSettings("raw", 2000), ledger=place
    ).summary.statuses == {"scored": 14}
    process.send_signal(signal.SIGINT)
    told = process.communicate()[1]
    kept = rows_of(benchmark)
    assert process.returncode == 130
    assert "run the same command to continue" in told
    assert 2 <= len(kept) < 14
    result = run_benchmark(benchmark.root, RunSettings(name, 2000), ledger=place)
    assert (result.path / "rows.jsonl").read_bytes().splitlines()[: len(kept)] == kept
    assert len(read_scores(result.path / "scores.parquet")) == 14
    with open_ledger(place, create=False) as ledger:
        assert len(ledger.list()) == 30  # the episodes, and each run as a whole
        assert ledger.verify().problems == []


# -- card and source


def test_the_schema_of_the_card_knows_the_resumption_block(tmp_path: Path) -> None:
    benchmark = make_benchmark(tmp_path)
    open_gate(benchmark)
    result = run_benchmark(benchmark.root, RunSettings("structured", 2000))
    assert result.card is not None
    card = result.card.document()
    assert validate_card(card) == []
    wrong: dict[str, dict[str, Any]] = {
        "resumption.gate": {"gate": "uncalibrated"},
        "resumption.budget": {"budget": 0},
        "resumption.kappa[0].component": {
            "kappa": [{"component": "style", "domain": "code", "value": 1, "value_n": 9}]
        },
        "resumption.groups.all.quality": {"groups": {"all": {"quality": 1.5}}},
        "resumption.groups.all.quality_ci": {"groups": {"all": {"quality_ci": [0.1]}}},
        "resumption.statuses.scored": {"statuses": {"scored": -1}},
    }
    for place, block in wrong.items():
        told = validate_card({**card, "resumption": {**card["resumption"], **block}})
        assert any(line.startswith(place) for line in told), (place, told)
    lacking = {key: value for key, value in card["resumption"].items() if key != "tokenizer"}
    assert "resumption.tokenizer: required but missing" in validate_card(
        {**card, "resumption": lacking}
    )


def test_the_revision_of_our_own_parts_covers_the_files_they_lean_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from agingbench.resumption.contexts.raw import RawConsolidator
    from agingbench.resumption.runs import run

    before = source_hash(RawConsolidator())
    assert before == source_hash(RawConsolidator())
    monkeypatch.setattr(run, "OWN_PARTS", run.OWN_PARTS[:-1])
    assert source_hash(RawConsolidator()) != before
    assert source_hash(Patient()) is not None
    assert source_hash(object()) is None
