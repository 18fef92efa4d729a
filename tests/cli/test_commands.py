"""Every command does what it says, for people and for scripts."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from agingbench import __version__
from agingbench.bench.life.planning import plan_for
from agingbench.bench.life.system import Sut
from agingbench.cards.check import validate_card
from agingbench.cli.main import COMMANDS
from agingbench.cli.main import cli as root
from agingbench.cli.options import parse_seeds
from agingbench.errors import InputError
from tests.bench.lives import SLOW_COMMITS, raw_files, run_life
from tests.cli.conftest import Cli, data, items

SHORT = ("--sessions", "2", "--pressure", "light", "--no-plots")


def commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name)


LEAVES = list(commands(root))


# -- what all commands share


@pytest.mark.parametrize("path", LEAVES, ids=" ".join)
def test_every_command_has_an_example_and_json(cli: Cli, path: tuple[str, ...]) -> None:
    for flag in ("--help", "-h"):
        told = cli(*path, flag)
        assert (told.code, told.err) == (0, "")
        assert f"Example: agingbench {' '.join(path)}" in " ".join(told.out.split())
        assert "--json" in told.out


def test_help_and_version(cli: Cli) -> None:
    listed = {name for name, entry in COMMANDS.items() if not entry.hidden}
    assert {path[0] for path in LEAVES} == listed
    told = cli("--help")
    assert told.code == 0
    assert all(name in told.out for name in listed)
    assert cli() == told  # nothing said: help
    assert cli("--version").out.strip() == f"agingbench, version {__version__}"


@pytest.mark.parametrize("group", sorted({path[0] for path in LEAVES if len(path) > 1}))
def test_half_a_command_is_told_in_one_line(cli: Cli, group: str) -> None:
    told = cli(group)
    assert (told.code, told.out) == (2, "")
    assert told.err == f"agingbench: Missing command. (see `agingbench {group} --help`)\n"


@pytest.mark.parametrize(
    ("text", "seeds"),
    [
        ("1", [0]),
        ("3", [0, 1, 2]),
        (" 2 ", [0, 1]),
        ("4-6", [4, 5, 6]),
        ("1,5,9", [1, 5, 9]),
        ("5-5", [5]),
        ("0-2,5,1", [0, 1, 2, 5]),
        ("1, 3", [1, 3]),
        ("10000", list(range(10_000))),
    ],
)
def test_seeds(text: str, seeds: list[int]) -> None:
    assert parse_seeds(text) == seeds


@pytest.mark.parametrize(
    "text", ["", "a", "7,", "1-", "-1", "1-2-3", "1.5", "0x1", "10001", "0-10000", "9" * 30]
)
def test_what_is_no_seed(text: str) -> None:
    with pytest.raises(InputError, match="--seeds"):
        parse_seeds(text)


# -- run


ISSUE = (
    "run --scenario s2_lifestyle_assistant --model extractive --memory lossy_compress --sessions 10"
    " --seeds 3 --pressure medium --dial update_rate=0.3 --events flush_history@4 --json"
)


def test_the_line_of_the_issue_and_the_file_that_says_the_same(cli: Cli, tmp_path: Path) -> None:
    told = cli(*ISSUE.split(), "--out", tmp_path / "flags")
    assert (told.code, told.err) == (0, "")
    rows = items(told.out)
    assert [set(row) for row in rows] == [{"run_dir", "card"}] * 3
    assert [row["card"]["seed"] for row in rows] == [0, 1, 2]
    for row in rows:
        card = row["card"]
        path = Path(row["run_dir"])
        assert validate_card(card) == []
        assert json.loads((path / "aging_card.json").read_bytes()) == card
        assert card["pressure"]["update_rate"] == 0.3
        assert card["lifecycle_events"] == ["flush_history@4"]
        assert (path / "aging_curve.png").read_bytes().startswith(b"\x89PNG")
        assert b"<svg" in (path / "aging_curve.svg").read_bytes()
        assert (path / "memory" / "4_before.json").exists()
    file = tmp_path / "sut.yaml"
    file.write_text(
        "scenario: s2_lifestyle_assistant\nmodel: extractive\nmemory: lossy_compress\nsessions:"
        " 10\nseeds: 1\npressure: medium\ndials: {update_rate: 0.3}\nevents: [flush_history@4]\n"
    )
    again = items(cli("run", "--sut", file, "--out", tmp_path / "file", "--no-plots", "--json").out)
    for one, other in zip(rows[:1], again, strict=True):
        assert one["card"]["provenance"]["plan_hash"] == other["card"]["provenance"]["plan_hash"]
        assert one["card"]["content_hash"] == other["card"]["content_hash"]
        place = Path(other["run_dir"]).relative_to(tmp_path / "file")
        assert Path(one["run_dir"]).relative_to(tmp_path / "flags") == place


def test_flags_win_over_the_file(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "sut.yaml"
    file.write_text(
        "memory: append_only\nmemory_options: {k: 3}\nsessions: 9\nseeds: [4, 5]\npressure: heavy\n"
        "dials: {update_rate: 0.1, forget_rate: 0.0}\nevents: flush_history@1\n"
    )
    told = cli(
        "run",
        "--sut",
        file,
        "--out",
        tmp_path / "out",
        *SHORT,
        "--seed",
        7,
        "--dial",
        "update_rate=0.4",
        "--memory-option",
        "k=8",
        "--events",
        "flush_history@2",
        "--json",
    )
    (row,) = items(told.out)
    card = row["card"]
    assert (card["seed"], card["n_sessions"], card["pressure"]["preset"]) == (7, 2, "light")
    assert (card["pressure"]["update_rate"], card["pressure"]["forget_rate"]) == (0.4, 0.0)
    assert card["lifecycle_events"] == ["flush_history@2"]
    assert (card["sut"]["memory"], card["sut"]["memory_options"]) == ("append_only", {"k": 8})


def test_the_seeds_of_a_file(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "sut.yaml"
    for text, seeds in (
        ("[4, 5]", [4, 5]),
        ("[3]", [3]),
        ("2", [0, 1]),
        ("3-4", [3, 4]),
        ("'1,6'", [1, 6]),
    ):
        file.write_text(f"sessions: 1\npressure: light\nseeds: {text}\n")
        told = cli("run", "--sut", file, "--out", tmp_path / "out", "--no-plots", "--json")
        assert [row["card"]["seed"] for row in items(told.out)] == seeds


def test_events_can_be_given_in_every_way(cli: Cli) -> None:
    wanted = cli("plan", "-e", "flush_history@2", "-e", "recompact@3", "--json")
    assert [event["name"] for event in items(wanted.out)[0]["events"]] == [
        "flush_history",
        "recompact",
    ]
    assert cli("plan", "-e", "flush_history@2,recompact@3", "--json") == wanted
    assert cli("plan", "-e", "recompact@3 flush_history@2", "--json") == wanted


def test_a_run_for_people(cli: Cli, tmp_path: Path) -> None:
    one = cli("run", *SHORT, "--out", tmp_path)
    assert (one.code, one.err) == (0, "")
    assert "extractive" in one.out
    assert "Files: " in one.out
    two = cli("run", *SHORT, "--seeds", 2, "--out", tmp_path)
    assert "(2 lives)" in two.out


def test_running_again_changes_nothing(cli: Cli, tmp_path: Path) -> None:
    first = cli("run", *SHORT, "--out", tmp_path, "--json")
    before = raw_files(tmp_path)
    assert cli("run", *SHORT, "--out", tmp_path, "--json") == first
    assert raw_files(tmp_path) == before


MOODY = """
from agingbench.errors import TransportError
from agingbench.models.extractive import Extractive
class Moody(Extractive):
    writes = 0
    def complete(self, messages, tools=(), max_tokens=1024, seed=None):
        Moody.writes += "<text>" in messages[-1].content
        if "<text>" in messages[-1].content and Moody.writes == 2:
            raise TransportError("the line went dead")
        return super().complete(messages, tools, max_tokens, seed)
"""


def test_lives_that_stop_do_not_stop_the_others(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own_moody_model.py").write_text(MOODY)
    monkeypatch.syspath_prepend(str(tmp_path))
    command = (
        "run",
        *SHORT,
        "--model",
        "own_moody_model:Moody",
        "--seeds",
        2,
        "--workers",
        1,
        "--no-cache",
        "--json",
        "--out",
        tmp_path / "out",
    )
    told = cli(*command)
    assert told.code == 1
    assert "1 of 2 lives are incomplete (seed 0: the line went dead); run again to" in told.err
    finished, stopped = items(told.out)
    assert finished["card"]["seed"] == 1
    assert (stopped["seed"], stopped["status"]) == (0, "incomplete")
    assert stopped["error"] == "the line went dead"
    again = cli(*command)
    assert (again.code, [row["card"]["seed"] for row in items(again.out)]) == (0, [0, 1])


def test_parts_of_ones_own_are_found_where_one_stands(tmp_path: Path) -> None:
    (tmp_path / "my_parts.py").write_text(
        "from agingbench.memory.append_only import AppendOnly\nclass Mine(AppendOnly):\n    pass\n"
    )
    script = Path(sysconfig.get_path("scripts")) / "agingbench"
    if not script.exists():
        pytest.skip("the package is not installed")
    done = subprocess.run(
        [script, "run", *SHORT, "--memory", "my_parts:Mine", "--json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert data(done.stdout)[0]["card"]["sut"]["memory"] == "my_parts:Mine"


def test_an_interrupted_run_continues(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-c",
        SLOW_COMMITS,
        "run",
        "-n",
        "10",
        "--no-plots",
        "--json",
        "--out",
        str(tmp_path),
    ]
    environment = {**os.environ, "HELD_AT": "memory/2.json"}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        while not list(tmp_path.rglob("memory/2.json")):
            assert process.poll() is None
            time.sleep(0.005)
        process.send_signal(signal.SIGINT)
        (tmp_path / ".go").touch()
        out, err = process.communicate()
    assert process.returncode == 130
    assert data(out, "error")["exit_code"] == 130
    assert (
        err.strip()
        == "agingbench: interrupted; what was finished is kept, run the same command to continue"
    )
    (trace,) = tmp_path.rglob("trace.jsonl")
    lived = trace.read_bytes()
    assert lived
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert trace.read_bytes().startswith(lived)
    assert validate_card(data(done.stdout.splitlines()[1])[0]["card"]) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("plan", "-n", "2", "--json", "--seeds", "30"),
        ("plan", "-n", "2", "--seeds", "30"),
        ("list",),
        ("list", "--json"),
    ],
)
def test_a_reader_that_leaves_early_is_no_error(arguments: tuple[str, ...]) -> None:
    read, write = os.pipe()
    with subprocess.Popen(
        [sys.executable, "-m", "agingbench", *arguments], stdout=write, stderr=subprocess.PIPE
    ) as process:
        os.close(write)
        if arguments[0] == "plan":
            os.read(read, 1)
        os.close(read)
        _, err = process.communicate()
    assert (process.returncode, err) == (0, b"")


# -- plan


def test_the_hash_of_a_plan_is_that_of_its_file(cli: Cli, tmp_path: Path) -> None:
    options = (
        "--sessions",
        "3",
        "--pressure",
        "light",
        "--dial",
        "update_rate=0.4",
        "-e",
        "recompact@2",
        "--seed",
        "5",
    )
    (plan,) = items(cli("plan", *options, "--json").out)
    (run,) = items(cli("run", *options, "--no-plots", "--json", "--out", tmp_path).out)
    file = Path(run["run_dir"]) / "plan.json"
    assert (
        plan["hash"]
        == hashlib.sha256(file.read_bytes()).hexdigest()
        == run["card"]["provenance"]["plan_hash"]
    )
    assert plan["summary"]["probes"] == len(plan["probes"])
    for key, value in json.loads(file.read_bytes()).items():
        assert plan[key] == value


def test_plans_of_many_seeds(cli: Cli) -> None:
    rows = items(cli("plan", "--sessions", 2, "--seeds", "1,4-5", "--json").out)
    assert [row["seed"] for row in rows] == [1, 4, 5]
    assert len({row["hash"] for row in rows}) == 3
    assert rows[0]["hash"][:8] in cli("plan", "--sessions", 2, "--seed", 1).out


# -- score and card


@pytest.fixture(scope="module")
def run_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Seed 1 of two lives below one folder."""
    out = tmp_path_factory.mktemp("runs")
    for seed in (0, 1):
        path, _ = run_life(plan_for("s2", "light", sessions=2, seed=seed), Sut(), out)
    return path


def test_scoring_again(cli: Cli, run_dir: Path) -> None:
    first = cli("score", run_dir, "--json")
    before = raw_files(run_dir)
    again = cli("score", run_dir, "--json")
    assert (again.code, again.out) == (0, first.out)
    assert raw_files(run_dir) == before  # pictures included
    assert {"aging_curve.png", "aging_curve.svg"} <= set(before)
    both = cli("score", run_dir.parents[3], "--no-plots")
    assert both.out.count("unchanged") == 2


@pytest.mark.parametrize("content", [b"{", None])
def test_one_broken_life_does_not_keep_the_others_from_it(
    cli: Cli, run_dir: Path, content: bytes | None
) -> None:
    broken = run_dir.with_name("seed_0") / "answers.jsonl"
    kept = broken.read_bytes()
    broken.unlink() if content is None else broken.write_bytes(content)
    try:
        told = cli("score", run_dir.parents[3], "--no-plots", "--json")
    finally:
        broken.write_bytes(kept)
    assert told.code == 2
    assert len(told.err.splitlines()) == 1
    assert "1 of 2 lives could not be scored" in told.err
    assert "answers.jsonl" in told.err
    failed, scored = items(told.out)
    assert "answers.jsonl" in failed["error"]
    assert scored["card"]["seed"] == 1


def test_showing_a_card(cli: Cli, run_dir: Path) -> None:
    card = json.loads((run_dir / "aging_card.json").read_bytes())
    assert items(cli("card", "show", run_dir, "--json").out) == [card]
    assert items(cli("card", "show", run_dir / "aging_card.json", "--json").out) == [card]
    told = cli("card", "show", run_dir)
    assert told.code == 0
    assert "extractive" in told.out


def test_validating_cards(cli: Cli, run_dir: Path, tmp_path: Path) -> None:
    told = cli("card", "validate", run_dir)
    assert told.code == 0
    assert "OK: card validates against schema 1.0.0" in told.out
    card = json.loads((run_dir / "aging_card.json").read_bytes())
    wrong = tmp_path / "wrong.json"
    changed = tmp_path / "changed.json"
    wrong.write_text(json.dumps({**card, "seed": "none"}))
    changed.write_text(json.dumps({**card, "seed": 99}))
    told = cli("card", "validate", run_dir, wrong, changed)
    assert told.code == 1
    assert "OK" in told.out
    assert "seed" in told.out
    assert "changed after it was hashed" in told.out
    rows = items(cli("card", "validate", run_dir, wrong, "--json").out)
    assert [row["valid"] for row in rows] == [True, False]
    assert rows[1]["errors"]


# -- the others


def test_the_lists(cli: Cli) -> None:
    (found,) = items(cli("list", "--json").out)
    assert set(found) >= {
        "scenarios",
        "models",
        "memory",
        "agents",
        "controllers",
        "pressures",
        "events",
    }
    names = {kind: {row["name"] for row in rows} for kind, rows in found.items()}
    assert "s2_lifestyle_assistant" in names["scenarios"]
    assert {"extractive", "openai", "anthropic"} <= names["models"]
    assert {"append_only", "no_memory", "summarize_store"} <= names["memory"]
    assert names["pressures"] == {"none", "light", "medium", "heavy"}
    assert all(row["about"] for rows in found.values() for row in rows)
    told = cli("list", "memory")
    assert "careful_compress" in told.out
    assert "scenarios" not in told.out


def test_the_demo(cli: Cli, tmp_path: Path) -> None:
    told = cli("demo", "--out", tmp_path, "--json")
    assert (told.code, told.err) == (0, "")
    assert [row["card"]["sut"]["memory"] for row in items(told.out)] == [
        "lossy_compress",
        "careful_compress",
        "append_only",
    ]
    assert (tmp_path / "aging_curves.png").exists()
    screen = cli("demo", "--out", tmp_path).out
    assert "not a language model" in screen
    account = screen.partition("A running total")[2].splitlines()
    rows = {line.split()[0]: line.split()[1:] for line in account[2:6]}
    assert rows["append_only"][0] == rows["true"][0]
    assert rows["append_only"] != rows["true"], "a running total goes wrong"


def test_the_doctor(cli: Cli) -> None:
    told = cli("doctor", "--json")
    (found,) = items(told.out)
    assert (told.code, found["ok"]) == (0, True)
    assert found["agingbench"] == __version__


def test_the_bounds(cli: Cli) -> None:
    told = cli(
        "validate",
        "bounds",
        "--scenario",
        "s2",
        "--seeds",
        "1-2",
        "--sessions",
        3,
        "--workers",
        1,
        "--json",
    )
    assert told.code == 0, told
    (found,) = items(told.out)
    assert found["ok"] is True
