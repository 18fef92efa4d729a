"""A file that a stranger wrote runs nothing: code in it needs `--trust`, asked before any import."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from agingbench.bench.life.life import Life, score_folder
from agingbench.bench.life.planning import load_scenario
from agingbench.bench.studies.grid import load_study
from agingbench.cli import main
from agingbench.errors import InputError, UntrustedFile
from agingbench.interfaces import Memory, Model
from agingbench.memory import MEMORY
from agingbench.models import MODELS
from agingbench.models.build import build_model
from agingbench.resumption.runs.run import RunSettings, run_benchmark
from tests.cli.conftest import Cli

MARK = "imported.txt"
# A module that leaves a file behind when it is imported, and again when its function is called.
HOSTILE = """
from pathlib import Path

HERE = Path(__file__).parent
(HERE / "imported.txt").write_text("ran")

def strike(**options):
    (HERE / "called.txt").write_text("ran")

class Wrong:
    def __init__(self):
        (HERE / "called.txt").write_text("ran")
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A working directory that holds the hostile module."""
    (tmp_path / "hostile.py").write_text(HOSTILE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    sys.modules.pop("hostile", None)


def ran(place: Path) -> list[str]:
    return sorted(file.name for file in place.glob("*.txt"))


# -- system files and studies

PARTS: list[dict[str, Any]] = [
    {"model": "hostile:strike"},
    {"model": "hostile.py:strike"},
    {"memory": "hostile:strike"},
    {"memory": "typed_state+hostile:strike"},
    {"memory": "typed_state", "memory_options": {"inner": "hostile:strike"}},
    {"memory": "append_only:strike"},
    {"agent": "hostile:strike"},
    {"controller": "hostile:strike:command=x"},
]
OF_A_LIFE: list[dict[str, Any]] = [
    {"scenario": "hostile:strike"},
    {"events": ["model_swap@1:model=hostile:strike"]},
]


@pytest.mark.parametrize("part", [*PARTS, *OF_A_LIFE], ids=str)
@pytest.mark.parametrize("dry", [True, False])
def test_a_system_file_runs_nothing(part: dict[str, Any], dry: bool, place: Path, cli: Cli) -> None:
    (place / "sut.yaml").write_text(yaml.safe_dump({"sessions": 2, **part}))
    told = cli("run", "--sut", "sut.yaml", "--out", "runs", *(["--dry-run"] if dry else []))
    assert told.code == 2
    assert ran(place) == []
    assert "SUT file sut.yaml" in told.err
    assert "is code that would run as you; nothing was loaded" in told.err
    assert "--trust" in told.err


@pytest.mark.parametrize("suite", ["lite", "core"])
def test_a_suite_with_a_system_file_runs_nothing(suite: str, place: Path, cli: Cli) -> None:
    (place / "sut.yaml").write_text("memory: hostile:strike\n")
    told = cli("run", "--sut", "sut.yaml", "--suite", suite, "--dry-run")
    assert told.code == 2
    assert ran(place) == []


GRIDS: list[dict[str, Any]] = [
    *({"suts": [part]} for part in PARTS),
    {"scenarios": ["s2", "hostile:strike"]},
    {"memories": ["append_only", "hostile:strike"]},
    {"memories": [{"memory": "typed_state", "options": {"inner": "hostile:strike"}}]},
    {"controllers": ["hostile:strike"]},
    {"events": [["model_swap@1:model=hostile:strike"]]},
    {"suts": ["other.yaml"]},
    {"grids": [{"memories": ["append_only"]}, {"memories": ["hostile:strike"]}]},
]


@pytest.mark.parametrize("grid", GRIDS, ids=str)
def test_a_study_runs_nothing(grid: dict[str, Any], place: Path, cli: Cli) -> None:
    (place / "other.yaml").write_text("model: hostile:strike\n")
    (place / "study.yaml").write_text(yaml.safe_dump({"sessions": 2, **grid}))
    told = cli("study", "study.yaml", "--dry-run")
    assert told.code == 2
    assert ran(place) == []
    assert "study study.yaml" in told.err
    with pytest.raises(UntrustedFile):
        load_study("study.yaml")
    assert ran(place) == []


def test_what_the_command_line_names_needs_no_trust(place: Path, cli: Cli) -> None:
    (place / "sut.yaml").write_text("memory: hostile:Wrong\n")
    told = cli("run", "--sut", "sut.yaml", "--memory", "hostile:Wrong", "--out", "runs")
    assert "is code" not in told.err
    assert "lacks read(query: str)" in told.err  # it was imported, and it is no memory policy
    told = cli("run", "--sut", "sut.yaml", "--memory", "append_only", "-n", "1", "--dry-run")
    assert told.code == 0  # what the file names is not used


def test_a_name_of_an_entry_point_needs_no_trust(place: Path, cli: Cli) -> None:
    site = place / "site" / "fine-1.dist-info"
    site.mkdir(parents=True)
    (site / "METADATA").write_text("Metadata-Version: 2.1\nName: fine\nVersion: 1\n")
    (site / "entry_points.txt").write_text(
        "[agingbench.memory]\nfine = agingbench.memory.append_only:AppendOnly\n"
    )
    sys.path.insert(0, str(site.parent))
    try:
        (place / "sut.yaml").write_text("memory: fine\nsessions: 2\n")
        assert cli("run", "--sut", "sut.yaml", "--dry-run").code == 0
    finally:
        sys.path.remove(str(site.parent))


# -- run folders


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    life = Life.new("s2", sessions=2, pressure="light", out=tmp_path_factory.mktemp("lived"))
    life.live()
    life.score()
    return life.folder.path


@pytest.fixture
def foreign(lived: Path, place: Path) -> Path:
    """A run folder from elsewhere."""
    folder = place / "foreign"
    shutil.copytree(lived, folder)
    return folder


def change(file: Path, **values: Any) -> None:
    file.write_text(json.dumps({**json.loads(file.read_text()), **values}))


RECORDS: list[dict[str, Any]] = [
    {"model": "hostile:strike"},
    {"memory": "hostile:strike"},
    {"memory": "typed_state+hostile:strike"},
    {"agent": "hostile:strike"},
    {"controller": "hostile:strike"},
    {"scenario": "hostile:strike"},
]
COMMANDS = [
    ("reproduce", "foreign"),
    ("diagnose", "foreign", "--no-plots"),
    ("run", "--extend", "foreign", "--sessions", "3", "--out", "longer", "--no-plots"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda words: words[0])
@pytest.mark.parametrize("record", RECORDS, ids=str)
def test_a_run_folder_runs_nothing(
    record: dict[str, Any], command: tuple[str, ...], foreign: Path, place: Path, cli: Cli
) -> None:
    change(foreign / "sut.json", **record)
    told = cli(*command)
    assert told.code == 2
    assert ran(place) == []
    assert "sut.json" in told.err
    assert "--trust" in told.err


@pytest.mark.parametrize("command", COMMANDS, ids=lambda words: words[0])
def test_a_plan_runs_nothing(
    command: tuple[str, ...], foreign: Path, place: Path, cli: Cli
) -> None:
    event = {"name": "model_swap", "at": 1, "args": {"model": "hostile:strike"}}
    change(foreign / "plan.json", events=[event])
    told = cli(*command)
    assert told.code == 2
    assert ran(place) == []
    assert "plan.json: model_swap 'hostile:strike' is code" in told.err


def test_the_control_of_a_run_folder_runs_nothing(foreign: Path, place: Path, cli: Cli) -> None:
    control = place / "control"
    shutil.copytree(foreign, control)
    change(control / "sut.json", memory="hostile:strike")
    link = {"control": "../control", "plan_hash": "any"}
    (foreign / "control.json").write_text(json.dumps(link))
    told = cli("reproduce", "foreign")
    assert told.code == 2
    assert "control/sut.json: memory 'hostile:strike' is code" in told.err
    assert ran(place) == []


def test_scoring_loads_the_scenario_alone(foreign: Path, place: Path, cli: Cli) -> None:
    change(foreign / "sut.json", memory="hostile:strike", agent="hostile:strike")
    assert cli("score", "foreign", "--no-plots").code == 0
    assert ran(place) == []
    change(foreign / "sut.json", scenario="hostile:strike")
    told = cli("score", "foreign", "--no-plots")
    assert told.code == 2
    assert "scenario 'hostile:strike' is code" in told.err
    with pytest.raises(UntrustedFile):
        score_folder(foreign)
    assert ran(place) == []


def test_a_folder_that_is_trusted_lives_again(place: Path, cli: Cli) -> None:
    (place / "mine.py").write_text(
        "from agingbench.memory.append_only import AppendOnly\n\n"
        "class Mine(AppendOnly):\n    pass\n"
    )
    told = cli("run", "--memory", "mine.py:Mine", "-n", "1", "--out", "runs", "--no-plots")
    assert told.code == 0, told.err
    (folder,) = (path.parent for path in Path("runs").rglob("sut.json"))
    assert cli("reproduce", folder).code == 2
    told = cli("reproduce", folder, "--trust")
    assert told.code == 0, told.err
    (place / "sut.yaml").write_text("memory: mine.py:Mine\nsessions: 1\n")
    assert cli("run", "--sut", "sut.yaml", "--trust", "--dry-run").code == 0
    (place / "study.yaml").write_text("memories: [mine.py:Mine]\nsessions: 1\n")
    assert cli("study", "study.yaml", "--trust", "--dry-run").code == 0


# -- episodes

EPISODE: dict[str, Any] = {
    "initial_task": "Move the service to port 8443.",
    "partial_trajectory": [{"role": "user", "content": "The port is 8443, no longer 8080."}],
    "gold_continuation": [[{"id": "c1", "check": "It sets port 8443.", "values": ["8443"]}]],
    "gold_facts_to_preserve": [{"id": "p1", "fact": "The port is 8443.", "values": ["8443"]}],
    "gold_facts_to_forget": [{"id": "f1", "fact": "The port is 8080.", "values": ["8080"]}],
}


@pytest.mark.parametrize(
    "part",
    [
        {"resume_with": {"model": "hostile:strike"}},
        {"partial_trajectory": {"path": "trace.jsonl", "at": 1, "format": "hostile:strike"}},
    ],
    ids=["model", "format"],
)
def test_an_episode_runs_nothing(part: dict[str, Any], place: Path, cli: Cli) -> None:
    episodes = place / "benchmark" / "episodes"
    episodes.mkdir(parents=True)
    (episodes / "one.yaml").write_text(yaml.safe_dump({**EPISODE, **part}))
    (place / "trace.jsonl").write_text('{"role": "user", "content": "hello"}\n')
    data = ("--data", place)
    told = cli("resumption", "run", "--episodes", "benchmark", "-c", "raw", *data)
    assert told.code == 2, told.err
    assert "episode one" in told.err
    assert "'hostile:strike' is code" in told.err
    cli("resumption", "check", "benchmark", *data)
    with pytest.raises(UntrustedFile):
        run_benchmark(place / "benchmark", RunSettings("raw", 500), data=place)
    assert ran(place) == []


# -- what a name resolves to is checked before it is called


def test_what_is_no_plug_in_is_not_called(place: Path) -> None:
    with pytest.raises(InputError, match="lacks complete"):
        build_model("subprocess:Popen", args=["touch", "called.txt"])
    with pytest.raises(InputError, match="does not say what it returns"):
        build_model("os:system", command="touch called.txt")
    with pytest.raises(InputError, match="does not say what it returns"):
        build_model("hostile:strike")
    with pytest.raises(InputError, match="lacks read"):
        MEMORY.build("hostile:Wrong", Memory)
    with pytest.raises(InputError, match="lacks"):
        load_scenario("hostile:Wrong")
    assert ran(place) == [MARK]  # imported, as Python asked for, and not called


def test_a_function_that_says_what_it_makes_is_called(place: Path) -> None:
    (place / "maker.py").write_text(
        "from agingbench.interfaces import Model\n"
        "from agingbench.models.extractive import Extractive\n"
        "def good() -> Extractive:\n    return Extractive()\n"
        "def base() -> Model:\n    return Extractive()\n"
        "def wrong() -> int:\n    raise SystemExit('called')\n"
    )
    assert MODELS.build("maker.py:good", Model).name == "extractive"
    assert MODELS.build("maker.py:base", Model).name == "extractive"
    with pytest.raises(InputError, match="which returns int, lacks complete"):
        MODELS.build("maker.py:wrong", Model)


def test_a_folder_that_one_stands_in_puts_no_module_in_place(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry not in ("", str(place))])
    with pytest.raises(SystemExit):
        main.main(["list", "models"])
    assert "" not in sys.path


# -- where a key goes


@pytest.mark.parametrize(
    ("address", "asks"),
    [
        ("http://collector.example/v1", True),
        ("http://127.0.0.1:1/v1", False),
        ("http://localhost:1/v1", False),
        ("http://127.0.0.1.example:1/v1", True),
    ],
)
def test_a_file_names_no_server_for_a_key(
    address: str, asks: bool, place: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("openai")
    options = {"model_options": {"base_url": address}}
    (place / "sut.yaml").write_text(
        yaml.safe_dump({"model": "openai:any", "sessions": 1, **options})
    )
    assert cli("run", "--sut", "sut.yaml", "--dry-run").code == 0  # there is no key to send
    monkeypatch.setenv("OPENAI_API_KEY", "a key")
    told = cli("run", "--sut", "sut.yaml", "--dry-run")
    assert (told.code == 2) is asks
    assert ("is a server that would be sent your key" in told.err) is asks
