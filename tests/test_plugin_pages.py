"""The pages of docs/plugins: each names what its kind needs, and its example, one file, works under a
name that an installed package gives it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from agingbench.agents import AGENTS
from agingbench.bench.life.control import Controller
from agingbench.bench.life.controllers import CONTROLLERS
from agingbench.bench.plan.plan import Scenario
from agingbench.bench.scenarios import SCENARIOS
from agingbench.interfaces import Agent, Consolidator, Judge, Memory, Model
from agingbench.memory import MEMORY
from agingbench.models import MODELS
from agingbench.registry import Registry
from agingbench.resumption.contexts import CONSOLIDATORS
from agingbench.resumption.judges import JUDGES
from agingbench.traces.formats import FORMATS
from agingbench.traces.formats.base import BaseFormat
from agingbench.trials.importers import IMPORTERS
from agingbench.trials.importers.importer import Importer
from tests.places import ROOT
from tests.sampling import one_in
from tests.test_docs import NAMED, blocks, environment_of_a_reader
from tests.warm import run_code, run_command

LIFE = "-n 2 -p light --no-plots --ledger none"


class Kind(NamedTuple):
    """A kind of plug-in, and the command that uses the page's example under the name `mine`."""

    page: str
    registry: Registry
    interface: type
    path: str
    command: str
    exit_code: int = 0


KINDS = [
    Kind("memory", MEMORY, Memory, "last_session:LastSession", f"run --memory mine {LIFE}"),
    Kind("agent", AGENTS, Agent, "one_call:OneCall", f"run --agent mine {LIFE}"),
    Kind("model", MODELS, Model, "parrot:Parrot", f"run --model mine {LIFE}"),
    Kind("scenario", SCENARIOS, Scenario, "lockers:Lockers", f"run --scenario mine {LIFE}"),
    Kind("controller", CONTROLLERS, Controller, "tidy:Tidy", f"run --controller mine {LIFE}"),
    Kind("format", FORMATS, BaseFormat, "chat_log:ChatLog", "audit chat.log"),
    Kind("importer", IMPORTERS, Importer, "scores_csv:ScoresCsv", "trials import scores.csv -l x"),
    Kind(
        "consolidator",
        CONSOLIDATORS,
        Consolidator,
        "last_words:LastWords",
        "resumption run -c mine -b 500 --kind text-only --out x",
        3,  # no embedded judge is calibrated for the public set
    ),
    # A judge that is not calibrated publishes nothing.
    Kind(
        "judge",
        JUDGES,
        Judge,
        "word_judge:WordJudge",
        "resumption run --judge mine -c raw --kind text-only --out x",
        3,
    ),
]
NAMES = [kind.page for kind in KINDS]


def page_of(kind: Kind) -> Path:
    return ROOT / "docs" / "plugins" / f"{kind.page}.md"


@pytest.mark.parametrize("kind", KINDS, ids=NAMES)
def test_a_page_names_the_group_and_everything_its_kind_must_have(kind: Kind) -> None:
    text = page_of(kind).read_text()
    required = text.partition("## Must have")[2].partition("## May have")[0]
    optional = text.partition("## May have")[2].partition("## Example")[0]
    assert f"`{kind.registry.group}`" in text
    assert f"`{kind.registry.group}`" in page_of(kind).with_name("index.md").read_text()
    for base in kind.interface.__mro__:
        for name, member in vars(base).items():
            if name.startswith("_") or base.__module__.startswith(("abc", "builtins")):
                continue
            must = getattr(member, "__isabstractmethod__", False)
            assert re.search(rf"\b{name}\b", required if must else required + optional), name
        for name in vars(base).get("__annotations__", {}):
            must = not hasattr(kind.interface, name)
            assert re.search(rf"\b{name}\b", required if must else optional), name


@pytest.mark.parametrize("kind", one_in(3, KINDS), ids=NAMES)
def test_the_example_of_a_page_works_under_an_installed_name(kind: Kind, tmp_path: Path) -> None:
    for language, text in blocks(page_of(kind)):
        name = NAMED.match(text)
        if name is not None:
            (tmp_path / name.group(1)).write_text(text)
        elif language == "python":
            run_code(text, tmp_path, environment_of_a_reader())  # makes a file to try it on
    info = tmp_path / "mine-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{kind.registry.group}]\nmine = {kind.path}\n")

    # Run in the folder, which is on the path as it is with `python -m`.
    process = run_command(kind.command.split(), tmp_path, environment_of_a_reader())
    assert process.returncode == kind.exit_code, process.stdout + process.stderr
