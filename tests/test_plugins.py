"""Plug-ins from one file outside the package: every kind by file.py:Class and by module:Class, told
what it lacks, and blamed by its own traceback.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agingbench.agents.build import build_agent
from agingbench.bench.life.control import Controller, build_controller
from agingbench.bench.life.life import Life
from agingbench.bench.life.planning import load_scenario, spec_of
from agingbench.bench.plan.plan import Scenario
from agingbench.errors import AgingBenchError, InputError, UnknownName
from agingbench.interfaces import Agent, Consolidator, Judge, Memory, Model
from agingbench.memory.build import build_memory
from agingbench.models.build import build_model
from agingbench.models.extractive import Extractive
from agingbench.plugin_errors import plugin_failure
from agingbench.registry import Registry
from agingbench.resumption.contexts.build import build_consolidator
from agingbench.resumption.judges.build import build_judge
from agingbench.traces.formats.base import BaseFormat
from agingbench.traces.reading import load_format
from agingbench.trials.importers.importer import Importer, load_importer
from tests.places import EXAMPLES

# Plain classes: none of them imports anything of agingbench but the records it returns.
SOURCE = """
from agingbench.records import Answer, Reply


class PlainModel:
    name = "plain"

    def complete(self, messages, tools=(), max_tokens=1024, seed=None):
        return Reply("fine")


class PlainMemory:
    def __init__(self, size: int = 3):
        self.texts = []

    def read(self, query):
        return " ".join(self.texts)

    def write(self, events):
        self.texts += [event.content or "" for event in events]

    def units(self):
        return None

    def dump(self):
        return {"texts": list(self.texts)}

    def load(self, state):
        self.texts = list(state["texts"])


class BreakingMemory(PlainMemory):
    def write(self, events):
        return 1 / 0


class PlainAgent:
    def __init__(self, model, memory, role):
        self.memory = memory

    def act(self, text, tools, emit):
        return "done"

    def ask(self, question, context=None):
        return Answer("none")

    def end_session(self):
        self.memory.write([])

    def fork(self):
        return self

    def dump(self):
        return {}

    def load(self, state):
        pass


class PlainScenario:
    id = "plain"
    version = "1.0.0"
    title = "Plain"
    headline = "recall"
    track = "model"
    tier = 1
    mechanisms = ("compression",)
    default_sessions = 2
    role = "You are plain."

    def plan(self, pressure, sessions, seed):
        raise NotImplementedError

    def tools(self, plan, session):
        return []


class PlainController:
    monitor = "gold_free"
    warmup = 1
    may = ()

    def decide(self, past):
        return []


class PlainFormat:
    name = "plain"
    status = "reference"
    recipe = "none"

    def sniff(self, head):
        return 0.0

    def events(self, stream, log):
        return iter(())


class PlainImporter:
    name = "plain"
    expects = "nothing"

    def sniff(self, path):
        return 0.0

    def import_path(self, ledger, path, experiment, progress):
        raise NotImplementedError


class PlainJudge:
    def rule(self, claim, context):
        raise NotImplementedError


class PlainConsolidator:
    def consolidate(self, task, events, budget):
        return ""


class Empty:
    pass


class NeedsMore(PlainMemory):
    def read(self):
        return ""


class Unbuildable(PlainMemory):
    def __init__(self):
        raise RuntimeError("no weights")
"""


def own_agent(spec: str) -> Agent:
    return build_agent(spec, Extractive(), build_memory("no_memory", Extractive()), "You are Ann.")


def own_memory(spec: str) -> Memory:
    return build_memory(spec, Extractive())


def own_judge(spec: str) -> Judge:
    return build_judge(spec, PROMPTS)[0]


PROMPTS = Path(sys.modules["agingbench.resumption"].__path__[0]) / "set" / "judges"

KINDS: list[tuple[str, Callable[[str], object], type]] = [
    ("PlainModel", build_model, Model),
    ("PlainMemory", own_memory, Memory),
    ("PlainAgent", own_agent, Agent),
    ("PlainScenario", load_scenario, Scenario),
    ("PlainController", build_controller, Controller),
    ("PlainFormat", load_format, BaseFormat),
    ("PlainImporter", load_importer, Importer),
    ("PlainJudge", own_judge, Judge),
    ("PlainConsolidator", build_consolidator, Consolidator),
]


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    path = tmp_path / "plain_plugins.py"
    path.write_text(SOURCE)
    monkeypatch.syspath_prepend(tmp_path)
    yield path
    sys.modules.pop("plain_plugins", None)


@pytest.mark.parametrize(("name", "build", "interface"), KINDS, ids=[kind[0] for kind in KINDS])
def test_every_kind_loads_from_a_file_and_from_a_module(
    file: Path, name: str, build: Callable[[str], object], interface: type
) -> None:
    for spec in (f"{file}:{name}", f"plain_plugins:{name}"):
        plugin = build(spec)
        assert isinstance(plugin, interface)
        assert type(plugin).__name__ == name


@pytest.mark.parametrize(("name", "build", "interface"), KINDS, ids=[kind[0] for kind in KINDS])
def test_every_kind_is_told_what_it_lacks(
    file: Path, name: str, build: Callable[[str], object], interface: type
) -> None:
    with pytest.raises(InputError, match=r"lacks \w+\(.*; see agingbench\.") as caught:
        build(f"{file}:Empty")
    assert interface.__name__ in str(caught.value)


def test_the_missing_method_is_named_with_its_signature(file: Path) -> None:
    with pytest.raises(InputError) as caught:
        own_memory(f"{file}:Empty")
    assert "lacks read(query: str) -> str and write(events: Sequence[Event]) -> None" in str(
        caught.value
    )


def test_a_method_with_too_few_parameters_is_refused(file: Path) -> None:
    with pytest.raises(InputError, match=r"cannot be called as read\(query: str\) -> str"):
        own_memory(f"{file}:NeedsMore")


def test_an_option_that_is_not_taken_is_refused_by_name(file: Path) -> None:
    with pytest.raises(UnknownName, match="did you mean size"):
        build_memory(f"{file}:PlainMemory", Extractive(), siz=2)


def test_a_plain_class_has_the_defaults(file: Path) -> None:
    memory = own_memory(f"{file}:PlainMemory")
    memory.load({"texts": ["one"]})
    twin = memory.copy()
    memory.load({"texts": []})
    assert twin.read("") == "one"
    assert (memory.words, memory.k, memory.supports, memory.tools()) == (
        None,
        None,
        frozenset(),
        [],
    )
    with pytest.raises(InputError, match="does not support"):
        memory.check("recompact")
    assert own_judge(f"{file}:PlainJudge").tuned_on == 0
    assert load_scenario(f"{file}:PlainScenario").default_events(4) == ()


def test_a_scenario_from_a_file_is_named_so_that_it_loads_again(file: Path) -> None:
    spec = f"{file}:PlainScenario"
    assert spec_of(load_scenario(spec)) == spec


def test_a_file_is_run_once_until_it_changes(file: Path) -> None:
    registry = Registry("memory policy", "nothing", {})
    spec = f"{file}:PlainMemory"
    assert registry.load(spec) is registry.load(spec)
    before = registry.load(spec)
    file.write_text(SOURCE + "\n# changed\n")
    assert registry.load(spec) is not before


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("raise RuntimeError('at import')", "importing failed with RuntimeError: at import"),
        ("import nowhere_at_all", "cannot import 'nowhere_at_all'"),
        ("def broken(:", "importing failed with SyntaxError"),
    ],
)
def test_a_file_that_cannot_be_imported_shows_where(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "broken.py"
    path.write_text(text)
    with pytest.raises(InputError, match=told) as caught:
        own_memory(f"{path}:Any")
    failure = plugin_failure(caught.value)
    assert failure is not None
    assert f'File "{path}", line 1' in failure.traceback


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        own_memory(f"{tmp_path / 'gone.py'}:Any")
    with pytest.raises(InputError, match=r"module:Class or file\.py:Class"):
        own_memory("gone:")


def test_an_error_while_building_has_the_plugins_traceback(file: Path) -> None:
    with pytest.raises(AgingBenchError, match="building it failed with RuntimeError") as caught:
        own_memory(f"{file}:Unbuildable")
    failure = plugin_failure(caught.value)
    assert failure is not None
    assert failure.label == f"memory policy '{file}:Unbuildable'"


def test_errors_of_ours_are_no_failure_of_a_plugin() -> None:
    assert plugin_failure(InputError("wrong")) is None
    assert plugin_failure(ValueError("ours")) is None


def test_a_plugin_that_raises_shows_its_own_frames_on_the_command_line(
    file: Path, tmp_path: Path
) -> None:
    command = ["run", "--memory", f"{file.name}:BreakingMemory", "--sessions", "2", "--out", "life"]
    process = subprocess.run(
        [sys.executable, "-m", "agingbench", *command],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 2
    lines = process.stderr.strip().splitlines()
    traceback = lines[lines.index("Traceback (most recent call last):") :]
    assert traceback[1].startswith(f'  File "{file.name}", line')
    assert "return 1 / 0" in traceback[2]
    assert "site-packages/agingbench" not in process.stderr
    assert lines[-1] == (
        f"agingbench: memory policy '{file.name}:BreakingMemory' failed with ZeroDivisionError:"
        " division by zero"
    )
    assert "internal error" not in process.stderr


def test_the_folder_of_a_plug_in_reaches_no_card(tmp_path: Path) -> None:
    source = (EXAMPLES / "own_memory.py").read_text()
    policy = tmp_path / "own_memory.py"
    policy.write_text(source)
    for number, spec in enumerate((f"{policy}:NumbersOnly", f"typed_state+{policy}:NumbersOnly")):
        life = Life.new("s2", memory=spec, sessions=2, out=tmp_path / f"runs_{number}")
        life.live()
        card = life.score()
        assert card.sut.memory.endswith("own_memory.py:NumbersOnly")
        assert str(tmp_path) not in json.dumps(card.document())
        assert tmp_path.name not in life.folder.path.parent.parent.name
