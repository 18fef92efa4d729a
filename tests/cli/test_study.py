"""The study commands: for people and scripts, interrupted, sharded, merged, and what `run` has of
them.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.bench.lives import SLOW_COMMITS, normal_files
from tests.cli.conftest import Cli, data, items
from tests.models.stub_server import Says, StubServer

GRID = (
    "scenarios: [s2]\nsessions: 2\nmemories: [lossy_compress, careful_compress]\npressures:"
    " [light]\nseeds: 2\n"
)
SHORT = ("--sessions", "3", "--pressure", "light", "--no-plots")


@pytest.fixture
def grid(tmp_path: Path) -> Path:
    file = tmp_path / "grid.yaml"
    file.write_text(GRID)
    return file


def test_a_study_for_people_and_for_scripts(cli: Cli, grid: Path, tmp_path: Path) -> None:
    told = cli("study", grid, "--out", tmp_path / "out", "--workers", 1)
    assert (told.code, told.err) == (0, "")
    assert "paired by seed" in told.out
    assert "(4 lives, " in told.out
    again = cli("study", grid, "--out", tmp_path / "out", "--workers", 1, "--json")
    total = data(again.out, "study")
    rows = total.pop("lives")
    assert total == {"failed": 0, "calls": 0, "cost_usd": 0.0}
    assert len(rows) == 4
    assert all(row["content_hash"] and row["error"] is None for row in rows)


def test_a_dry_run_runs_nothing(cli: Cli, grid: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    (found,) = items(cli("study", grid, "--out", out, "--dry-run", "--json").out)
    assert not out.exists()
    assert (found["lives"], found["finished"], found["exact"], found["cost_usd"]) == (
        4,
        0,
        True,
        0.0,
    )
    told = cli("study", grid, "--out", out, "--dry-run")
    assert f"{found['calls']:,}" in told.out
    total = data(cli("study", grid, "--out", out, "--workers", 1, "--json").out)
    assert total["calls"] == found["calls"]
    (after,) = items(cli("study", grid, "--out", out, "--dry-run", "--json").out)
    assert (after["calls"], after["finished"]) == (0, 4)


def test_a_model_without_a_price_costs_null_and_holds_no_limit(cli: Cli, tmp_path: Path) -> None:
    model = ("--model", "openai:nobody", "--model-option", "base_url=http://127.0.0.1:9/v1")
    (found,) = items(cli("run", *SHORT, *model, "--dry-run", "--json", "--out", tmp_path).out)
    assert found["cost_usd"] is None
    assert found["calls"] > 0
    told = cli("run", *SHORT, *model, "--max-cost", 1, "--out", tmp_path)
    assert (told.code, told.out) == (2, "")
    assert "there is no price for openai:nobody" in told.err
    assert "unknown" in cli("run", *SHORT, *model, "--dry-run", "--out", tmp_path).out


@pytest.mark.parametrize(
    "many",
    [
        pytest.param(2, id="processes", marks=pytest.mark.slow),
        pytest.param(1000, id="threads"),
    ],
)
def test_an_interrupted_study_continues(cli: Cli, grid: Path, tmp_path: Path, many: int) -> None:
    grid.write_text(GRID.replace("sessions: 2", "sessions: 3"))
    out = tmp_path / "out"
    script = (
        "import agingbench.bench.studies.runner\nagingbench.bench.studies.runner.MANY ="
        f" {many}\n{SLOW_COMMITS}"
    )
    words = ["study", str(grid), "--json", "--workers", "2", "--out"]
    with subprocess.Popen(
        [sys.executable, "-c", script, *words, str(out)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "HELD_AT": "memory/2.json"},
    ) as process:
        while not list(out.rglob("memory/2.json")):
            assert process.poll() is None
            time.sleep(0.005)
        process.send_signal(signal.SIGINT)
        (out / ".go").touch()
        _, err = process.communicate()
    assert process.returncode == 130
    assert (
        err.strip()
        == "agingbench: interrupted; what was finished is kept, run the same command to continue"
    )
    done = cli(*words, out)
    assert (done.code, done.err) == (0, "")
    assert cli(*words, tmp_path / "whole").code == 0
    (out / ".go").unlink()
    assert normal_files(out) == normal_files(tmp_path / "whole")


def test_shards_and_merge(cli: Cli, grid: Path, tmp_path: Path) -> None:
    for part in (1, 2):
        told = cli(
            "study",
            grid,
            "--out",
            tmp_path / str(part),
            "--shard",
            f"{part}/2",
            "--workers",
            1,
            "--json",
        )
        assert len(data(told.out)["lives"]) == 2
    told = cli("merge", tmp_path / "1", tmp_path / "2", "--out", tmp_path / "all", "--json")
    assert items(told.out)[0]["merged"] == 4
    assert items(cli("study", grid, "--out", tmp_path / "all", "--json").out)[-1]["calls"] == 0
    assert (
        "4 were there already"
        in cli("merge", tmp_path / "1", tmp_path / "2", "--out", tmp_path / "all").out
    )


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("study", "nowhere.yaml"), "no such study file"),
        (("study", "lit"), "did you mean lite"),
        (("study", "presure"), "did you mean pressure"),
        (("study", "studies/presure.yaml"), "did you mean the shipped study pressure"),
        (("study", "elsewhere/pressure.yaml"), "no such study file"),
        (("study", "."), "this is a folder"),
        (("study", "GRID", "--shard", "2"), "write I/N"),
        (("study", "GRID", "--shard", "3/2"), "between 1 and 2"),
        (("study", "GRID", "--max-cost", "0"), "max-cost"),
        (("merge", "nowhere", "--out", "x"), "no such folder"),
        (("run", "--suite", "lit"), "did you mean lite"),
        (("run", "--extend", "nowhere", "--sessions", "4"), "not a run directory"),
        (("run", "--extend", "nowhere"), "needs --sessions"),
        (("reproduce", "nowhere"), "not a run directory"),
    ],
)
def test_mistakes(cli: Cli, grid: Path, arguments: tuple[str, ...], told: str) -> None:
    found = cli(*(str(grid) if word == "GRID" else word for word in arguments))
    assert (found.code, found.out) == (2, "")
    assert told in found.err
    assert len(found.err.strip().splitlines()) == 1


@pytest.mark.parametrize("spec", ["contrast", "contrast.yaml", "studies/contrast.yaml"])
def test_a_shipped_study_is_found_from_any_folder(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spec: str
) -> None:
    monkeypatch.chdir(tmp_path)
    estimate = data(
        cli("study", spec, "--out", "out", "--shard", "1/60", "--dry-run", "--json").out
    )
    assert (estimate["lives"], estimate["exact"]) == (1, True)


def test_a_file_of_the_user_comes_before_a_shipped_study(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("studies").mkdir()
    Path("studies/contrast.yaml").write_text(GRID)
    result = cli("study", "studies/contrast.yaml", "--out", "out", "--dry-run", "--json")
    assert data(result.out)["lives"] == 4


def test_studies_are_listed_with_their_titles(cli: Cli) -> None:
    listing = cli("list", "studies").out
    assert "lite: s1, s2 and s7 with 10 sessions" in listing
    assert "pressure: four pressures and a shock" in listing


MOODY = """
from agingbench.errors import TransportError
from agingbench.models.extractive import Extractive
class Moody(Extractive):
    def complete(self, messages, tools=(), max_tokens=1024, seed=None):
        if "<text>" in messages[-1].content and "%s" in messages[-1].content:
            raise TransportError("the line went dead")
        return super().complete(messages, tools, max_tokens, seed)
"""


def test_a_life_that_fails_is_listed_at_the_end(
    cli: Cli, grid: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from agingbench.bench.life.planning import plan_for

    word = plan_for("s2", "light", sessions=2, seed=1).sessions[0].material.split("\n")[0][:40]
    (tmp_path / "own_sulky_model.py").write_text(MOODY % word.replace('"', ""))
    monkeypatch.syspath_prepend(str(tmp_path))
    grid.write_text(
        GRID.replace("[lossy_compress, careful_compress]", "lossy_compress")
        + "suts: {model: 'own_sulky_model:Moody'}\n"
    )
    told = cli("study", grid, "--out", tmp_path / "out", "--no-cache", "--trust")
    assert told.code == 1
    assert "1 of 2 lives are incomplete" in told.err
    assert "seed 1: the line went dead" in told.err
    assert "incomplete  s2_lifestyle_assistant" in told.out
    total = data(
        cli("study", grid, "--out", tmp_path / "out", "--no-cache", "--trust", "--json").out
    )
    rows = total["lives"]
    assert (len(rows), total["failed"]) == (2, 1)
    assert sorted(row["seed"] for row in rows if row["error"]) == [1]


def test_the_end_of_the_money_is_one_line_and_continues(
    cli: Cli, grid: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prices = {
        "as_of": "2026-01-01",
        "usd_per_million_tokens": {"stub": {"input": 1.0, "output": 10.0}},
    }
    (tmp_path / "prices.json").write_text(json.dumps(prices))
    monkeypatch.setenv("AGINGBENCH_PRICES", str(tmp_path / "prices.json"))
    with StubServer(lambda path, body: (200, Says("Done.").openai(body))) as server:
        system = (
            f"suts: {{model: 'openai:stub', model_options: {{base_url: '{server.openai_url}'}}}}\n"
        )
        grid.write_text(
            GRID.replace("[lossy_compress, careful_compress]", "lossy_compress") + system
        )
        command = ("study", grid, "--out", tmp_path / "out", "--json", "--workers", 1)
        told = cli(*command, "--max-cost", 0.00001)
        assert told.code == 1
        assert len(told.err.strip().splitlines()) == 1
        assert "2 of 2 lives are incomplete" in told.err
        assert "--max-cost 1e-05" in told.err
        assert server.requests == []
        assert cli(*command, "--max-cost", 5).code == 0


# -- only some of the probes


def test_a_selection_of_probes_is_a_life_of_its_own(cli: Cli, tmp_path: Path) -> None:
    (all_asked,) = items(cli("run", *SHORT, "--out", tmp_path, "--json").out)
    told = cli("run", *SHORT, "--probes", "standalone,4", "--out", tmp_path, "--json")
    assert told.code == 0
    (some,) = items(told.out)
    assert some["run_dir"] != all_asked["run_dir"]
    assert some["card"]["probes_asked"] == "standalone,4"
    assert "probes_asked" not in all_asked["card"]
    counts = [
        len((Path(row["run_dir"]) / "answers.jsonl").read_text().splitlines())
        for row in (some, all_asked)
    ]
    assert counts[0] == 4 * 4 < counts[1]
    refused = cli("compare", some["run_dir"], all_asked["run_dir"])
    assert refused.code == 2
    assert "probes standalone,4 against all" in refused.err
    longer = cli("run", "--extend", some["run_dir"], "--sessions", 4, "--no-plots", "--json")
    assert items(longer.out)[0]["card"]["probes_asked"] == "standalone,4"
    assert cli("reproduce", some["run_dir"]).code == 0
    assert cli("run", *SHORT, "--probes", "standalon", "--out", tmp_path).code == 2
    assert cli("run", *SHORT, "--probes", "account", "--out", tmp_path).code == 0


def test_a_study_may_select_probes(cli: Cli, grid: Path, tmp_path: Path) -> None:
    grid.write_text(GRID + "probes: 3\n")
    rows = data(cli("study", grid, "--out", tmp_path, "--json").out)["lives"]
    for row in rows:
        card = json.loads((Path(row["run_dir"]) / "aging_card.json").read_bytes())
        assert card["probes_asked"] == "3"


# -- an endpoint that is down for a while


class Outage:
    """Answers nothing but 503 while it is down, or every so many calls."""

    def __init__(self) -> None:
        self.down = True
        self.every = 0
        self.served = 0

    def __call__(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        self.served += 1
        if self.down or (self.every and self.served % self.every == 0):
            return 503, {"error": {"message": "down", "type": "x", "code": None}}
        return 200, Says("It is $250.").openai(body)


@pytest.mark.parametrize("memory", ["append_only", "careful_compress"])
def test_a_life_without_answers_is_incomplete_and_the_same_command_completes_it(
    cli: Cli, tmp_path: Path, memory: str
) -> None:
    server_side = Outage()
    with StubServer(server_side) as server:
        url = f"base_url={server.openai_url}"
        options = ("--model-option", url, "--model-option", "max_retries=0", "--no-plots")
        command = ("run", *SHORT, "--model", "openai:stub", "--memory", memory, *options)
        told = cli(*command, "--out", tmp_path, "--json")
        assert told.code == 1
        (row,) = items(told.out)
        assert (row["status"], row["seed"]) == ("incomplete", 0)
        assert "status 503" in row["error"]
        trial = json.loads((Path(row["run_dir"]) / "partial.json").read_bytes())
        assert trial["outputs"]["agent_output"]["status"] == "empty"
        assert "status 503" in trial["outputs"]["agent_output"]["error_message"]
        assert trial["evaluation"]["reward"] is None

        server_side.down = False
        told = cli(*command, "--out", tmp_path, "--json")
        assert told.code == 0
        (row,) = items(told.out)
        trial = json.loads((Path(row["run_dir"]) / "trial.json").read_bytes())
        assert trial["outputs"]["agent_output"]["status"] == "completed"
        (stop,) = trial["outputs"]["agent_result"]["stops"]
        assert "status 503" in stop["reason"]

    place = ("--ledger", tmp_path / "ledger.sqlite")
    newest = data(cli("trials", "list", *place, "--json").out)["trials"]
    assert [row["status"] for row in newest] == ["completed"]
    rows = data(cli("trials", "list", *place, "--all", "--json").out)["trials"]
    assert [row["status"] for row in rows] == ["empty", "completed"]
    assert rows[1]["supersedes"] == rows[0]["trial_id"]
    completed = next(row for row in rows if row["status"] == "completed")
    assert completed["supersedes"] is not None


def test_single_failures_are_asked_again_at_the_next_start(cli: Cli, tmp_path: Path) -> None:
    server_side = Outage()
    server_side.down = False
    server_side.every = 5
    with StubServer(server_side) as server:
        url = f"base_url={server.openai_url}"
        # One probe at a time: which calls fail must not hang on how they overtake each other.
        options = ("--model-option", url, "--model-option", "max_retries=0", "--workers", "1")
        command = ("run", *SHORT, "--model", "openai:stub", "--memory", "append_only", *options)
        (row,) = items(cli(*command, "--out", tmp_path, "--json").out)
        answers = Path(row["run_dir"]) / "answers.jsonl"
        failures = answers.read_text().count('"status":"failed"')
        assert failures > 0

        server_side.every = 0
        before = server_side.served
        assert cli(*command, "--out", tmp_path, "--json").code == 0
        after = server_side.served
        assert 0 < after - before <= failures, "equal requests share a reply"
        assert '"status":"failed"' not in answers.read_text()
        assert answers.read_text().count('"asked_again":true') == failures
        assert cli(*command, "--out", tmp_path, "--json").code == 0
        assert server_side.served == after, "what is answered is not asked again"


# -- what `run` has of it


def test_a_run_with_events_lives_its_control(cli: Cli, tmp_path: Path) -> None:
    told = cli("run", *SHORT, "-e", "flush_history@2", "--out", tmp_path / "out", "--json")
    (row,) = items(told.out)
    block = row["card"]["mechanism_metrics"]["maintenance"]
    assert block["shock_delta"] is not None
    assert block["shock_delta_n"] > 0
    assert len(list((tmp_path / "out").rglob("plan.json"))) == 2
    alone = cli(
        "run",
        *SHORT,
        "-e",
        "flush_history@2",
        "--out",
        tmp_path / "alone",
        "--no-control",
        "--json",
    )
    assert "shock_delta" not in items(alone.out)[0]["card"]["mechanism_metrics"]["maintenance"]
    assert len(list((tmp_path / "alone").rglob("plan.json"))) == 1


def test_extend_and_reproduce(cli: Cli, tmp_path: Path) -> None:
    (row,) = items(cli("run", *SHORT, "--out", tmp_path, "--json").out)
    told = cli("run", "--extend", row["run_dir"], "--sessions", 5, "--no-plots", "--json")
    (longer,) = items(told.out)
    assert longer["card"]["n_sessions"] == 5
    assert Path(longer["run_dir"]).parents[1] == Path(row["run_dir"]).parents[1].resolve()
    assert longer["card"]["checkpoints"][:4] == row["card"]["checkpoints"]
    again = cli("reproduce", longer["run_dir"])
    assert again.code == 0
    assert again.out.startswith("same  ")
    answers = Path(row["run_dir"]) / "answers.jsonl"
    first, *rest = answers.read_text().splitlines(keepends=True)
    answers.write_text(json.dumps({**json.loads(first), "text": "no idea"}) + "\n" + "".join(rest))
    other = cli("reproduce", row["run_dir"])
    assert other.code == 1
    assert "answer  p0.0 at 0: no idea recorded" in other.out
    assert items(cli("reproduce", row["run_dir"], "--json").out)[0]["same"] is False


def test_a_suite_takes_the_system_of_the_flags(cli: Cli, tmp_path: Path) -> None:
    (found,) = items(
        cli(
            "run",
            "--suite",
            "lite",
            "--model",
            "openai:gpt-4.1-mini",
            "--memory",
            "append_only",
            "--dry-run",
            "--json",
            "--out",
            tmp_path,
        ).out
    )
    assert found["cost_usd"] > 0
    assert any("append_only" in cell["sut_id"] for cell in found["cells"])


def test_scoring_again_reads_the_control(cli: Cli, tmp_path: Path) -> None:
    (row,) = items(cli("run", *SHORT, "-e", "flush_history@2", "--out", tmp_path, "--json").out)
    (again,) = items(cli("score", row["run_dir"], "--no-plots", "--json").out)
    assert again["card"] == row["card"]
    assert again["card"]["mechanism_metrics"]["maintenance"]["shock_delta"] is not None


def test_a_controller_from_the_command_line(cli: Cli, tmp_path: Path) -> None:
    out = tmp_path / "out"
    flags = ("-n", "4", "-p", "light", "-d", "sentinels=1", "--no-plots", "--json", "-o", str(out))
    told = cli("run", *flags, "--controller", "threshold:error=20,recall=0.9")
    assert (told.code, told.err) == (0, "")
    (made,) = items(told.out)
    assert made["card"]["control"]["arm"] == "threshold:error=20,recall=0.9"
    assert (made["card"]["monitor"], made["card"]["control"]["actions"][0]["t"]) == ("scored", 2)
    longer = cli("run", "--extend", made["run_dir"], "-n", "6", "--no-plots", "--json")
    assert longer.code == 0
    assert (
        data(longer.out)[0]["card"]["control"]["actions"][:1]
        == made["card"]["control"]["actions"][:1]
    )
    assert cli("reproduce", made["run_dir"]).code == 0
    (plain,) = items(cli("run", *flags, "--controller", "none").out)
    assert "control" not in plain["card"]
    assert plain["run_dir"] == data(cli("run", *flags).out)[0]["run_dir"]


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (("--controller", "agressive"), "did you mean aggressive"),
        (("--controller", ""), "unknown controller"),
        (
            ("--controller", "aggressive", "--memory", "append_only"),
            "does not support prompt_update",
        ),
        (("--memory", "typed_state+apend_only"), "did you mean append_only"),
        (("--memory", "typed_state", "--memory-option", "k=3"), "unknown option"),
    ],
)
def test_mistakes_in_control_are_one_line(
    cli: Cli, tmp_path: Path, flags: tuple[str, ...], told: str
) -> None:
    found = cli("run", "-n", "2", *flags, "-o", tmp_path / "out")
    assert (found.code, found.out) == (2, "")
    assert told in found.err
    assert len(found.err.strip().splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_another_revision_is_named(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (made,) = items(
        cli(
            "run", "-n", "2", "-p", "light", "--no-plots", "--json", "-o", str(tmp_path / "out")
        ).out
    )
    assert "recorded with" not in cli("reproduce", made["run_dir"]).out
    monkeypatch.setattr("agingbench.bench.life.environment.__version__", "99.0")
    monkeypatch.setattr("agingbench.bench.life.environment.git_sha", lambda: None)
    told = cli("reproduce", made["run_dir"])
    assert told.code == 0
    assert "lived again with agingbench 99.0 (no git revision)" in told.out


@pytest.mark.parametrize(
    ("file", "content", "complaint"),
    [
        ("sut.json", "[]", "not the record of a system"),
        ("sut.json", '{"scenario": "s2"}', "not the record of a system"),
        ("answers.jsonl", "", "every probe must be answered once"),
        ("memory/1.json", "{}", "not a memory snapshot"),
    ],
)
def test_a_broken_life_is_neither_extended_nor_reproduced(
    cli: Cli, tmp_path: Path, file: str, content: str, complaint: str
) -> None:
    (row,) = items(cli("run", *SHORT, "--out", tmp_path, "--json").out)
    (Path(row["run_dir"]) / file).write_text(content)
    for command in (
        ("run", "--extend", row["run_dir"], "--sessions", 5, "--no-plots"),
        ("reproduce", row["run_dir"]),
    ):
        told = cli(*command)
        assert told.code == 2
        assert f"{Path(row['run_dir']) / file}: {complaint}" in told.err
    assert len(list(tmp_path.rglob("plan.json"))) == 1


def test_a_recorded_name_does_not_lead_out_of_the_folder(cli: Cli, tmp_path: Path) -> None:
    (row,) = items(cli("run", *SHORT, "--out", tmp_path / "out", "--json").out)
    file = Path(row["run_dir"]) / "sut.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "sut_id": "../../../away"}))
    told = cli("run", "--extend", row["run_dir"], "--sessions", 5, "--no-plots")
    assert told.code == 2
    assert "sut.json: not the record of a system" in told.err
    assert not list(tmp_path.rglob("away"))
