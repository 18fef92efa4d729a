"""Every example runs as its first lines say: by file.py:Class, by module:Class, and by the name that
an installed package gives it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import data
from tests.places import EXAMPLES

LONGEST = 100
# The option a part goes by, its path, and the name that a package would give it.
PARTS = [
    ("--memory", "agingbench.memory", "own_memory:NumbersOnly", "numbers_only"),
    ("--agent", "agingbench.agents", "own_agent:QuoteFirst", "quote_first"),
    ("--scenario", "agingbench.scenarios", "own_scenario:Greenhouse", "greenhouse"),
]
MODEL = '''"""A model that a package brings: it gives every request the same reply."""

from agingbench.records import Reply, Usage


class Parrot:
    """Knows one word."""

    name = "parrot"

    def complete(self, messages, tools=(), max_tokens=1024, seed=None):
        return Reply("Polly.", usage=Usage(1, 1, calls=1), model=self.name)
'''


def agingbench(
    *arguments: object, folder: Path, **environment: str
) -> subprocess.CompletedProcess[str]:
    """The command line as a process of its own, standing in a folder."""
    return subprocess.run(
        [sys.executable, "-W", "error", "-m", "agingbench", *map(str, arguments)],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def life(*arguments: object, folder: Path, out: Path, **environment: str) -> dict[str, Any]:
    """The line that `run --json` prints for one short life."""
    process = agingbench(
        "run",
        *arguments,
        "-n",
        3,
        "-p",
        "light",
        "--no-plots",
        "--json",
        "--out",
        out,
        folder=folder,
        **environment,
    )
    assert (process.returncode, process.stderr) == (0, "")
    lives: list[dict[str, Any]] = data(process.stdout)
    return lives[0]


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder for the path in which a package is installed that brings the examples and a model."""
    site = tmp_path / "site"
    info = site / "own_parts-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: own-parts\nVersion: 1.0\n")
    points = [f"[{group}]\n{name} = {path}\n" for _, group, path, name in PARTS]
    (info / "entry_points.txt").write_text(
        "".join([*points, "[agingbench.models]\nparrot = own_model:Parrot\n"])
    )
    for file in EXAMPLES.glob("own_*.py"):
        (site / file.name).write_text(file.read_text())
    (site / "own_model.py").write_text(MODEL)
    return site


# One of them is enough for the quick suite: examples of every kind are also in docs/plugins, whose
# blocks run by file and by module in `test_docs`, and under a name in `test_plugin_pages`.
@pytest.mark.parametrize(
    ("option", "group", "path", "name"),
    [
        pytest.param(*part, id=part[3], marks=[pytest.mark.slow] if number else [])
        for number, part in enumerate(PARTS)
    ],
)
def test_an_example_lives_by_its_file_its_module_and_its_installed_name(
    option: str, group: str, path: str, name: str, installed: Path, tmp_path: Path
) -> None:
    module, _, class_name = path.partition(":")
    by_path = life(option, path, folder=EXAMPLES, out=tmp_path / "a", PYTHONDONTWRITEBYTECODE="1")
    by_file = life(
        option,
        f"{module}.py:{class_name}",
        folder=EXAMPLES,
        out=tmp_path / "c",
        PYTHONDONTWRITEBYTECODE="1",
    )
    by_name = life(option, name, folder=tmp_path, out=tmp_path / "b", PYTHONPATH=str(installed))
    assert by_path["card"]["headline"] == by_name["card"]["headline"]
    assert by_path["card"]["headline"] == by_file["card"]["headline"]
    assert by_path["card"]["headline"]["m0"] > 0.3
    answers = [(Path(line["run_dir"]) / "answers.jsonl").read_text() for line in (by_path, by_name)]
    texts = [[json.loads(row).get("text") for row in rows.splitlines()] for rows in answers]
    assert texts[0] == texts[1] != []
    listed = agingbench("list", "--json", folder=tmp_path, PYTHONPATH=str(installed))
    assert name in listed.stdout


def test_a_package_brings_a_model(installed: Path, tmp_path: Path) -> None:
    line = life(
        "--model",
        "parrot",
        "--workers",
        1,
        folder=tmp_path,
        out=tmp_path / "out",
        PYTHONPATH=str(installed),
    )
    assert line["card"]["headline"]["m0"] == 0
    process = agingbench("run", "--model", "parot", folder=tmp_path, PYTHONPATH=str(installed))
    assert process.returncode == 2
    assert "did you mean parrot" in process.stderr


def test_the_own_memory_keeps_sentences_with_numbers_and_undergoes_a_flush(tmp_path: Path) -> None:
    line = life(
        "--memory",
        "own_memory:NumbersOnly",
        "--memory-option",
        "k=3",
        "--events",
        "flush_history@2",
        folder=EXAMPLES,
        out=tmp_path,
        PYTHONDONTWRITEBYTECODE="1",
    )
    memory = Path(line["run_dir"]) / "memory"
    facts = {
        at: json.loads((memory / f"{at}.json").read_text())["state"]["memory"]["facts"]
        for at in (0, 1, 2, 3)
    }
    assert facts[0] == facts[2] == []
    assert len(facts[1]) == len(facts[3]) == 3
    assert all(any(c.isdigit() for c in sentence) for sentence in facts[1] + facts[3])


def test_the_own_agent_takes_two_calls_for_an_answer(tmp_path: Path) -> None:
    line = life(
        "--agent",
        "own_agent:QuoteFirst",
        folder=EXAMPLES,
        out=tmp_path,
        PYTHONDONTWRITEBYTECODE="1",
    )
    rows = (Path(line["run_dir"]) / "answers.jsonl").read_text().splitlines()
    assert {json.loads(row)["usage"]["calls"] for row in rows} == {2}


def test_the_own_scenario_holds_its_bounds() -> None:
    process = agingbench(
        "validate",
        "bounds",
        "--scenario",
        "own_scenario:Greenhouse",
        "--seeds",
        2,
        "--workers",
        1,
        "--json",
        folder=EXAMPLES,
        PYTHONDONTWRITEBYTECODE="1",
    )
    assert process.returncode == 0, process.stdout + process.stderr
    result = data(process.stdout)
    assert result["ok"]
    oracle = {row["metric"]: row["min"] for row in result["rows"] if row["agent"] == "oracle"}
    assert oracle["recall_rate"] == oracle["version_accuracy"] == 1.0


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("own_*.py")), ids=lambda file: file.stem)
def test_an_example_is_short_and_says_how_to_run_it(file: Path) -> None:
    text = file.read_text()
    assert text.count("\n") < LONGEST
    assert "    agingbench " in text.split('"""')[1]
