"""Executable episodes: an agent acts on the workspace, and checks from outside say what it did."""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agingbench.errors import InputError
from agingbench.models.scripted import Scripted
from agingbench.records import Reply, ToolCall
from agingbench.resumption.episodes.benchmark_folder import packaged_set
from agingbench.resumption.episodes.check import check_file
from agingbench.resumption.episodes.episode import Episode, ToolInfo, load_episode
from agingbench.resumption.episodes.workspace import GoldStep
from agingbench.resumption.judges.verdict import ItemVerdict
from agingbench.resumption.runs.attempt import Attempt, attempt
from agingbench.resumption.runs.following import _ACT, follow
from agingbench.resumption.runs.other_agents import ModelAgent, RegistryAgent, build_agent
from agingbench.resumption.runs.resuming_agent import Continuation, EmbeddedAgent
from agingbench.resumption.runs.run import RunSettings, run_benchmark
from agingbench.resumption.runs.score import score_verdicts
from agingbench.resumption.runs.workbench import StepLimit, Workbench
from agingbench.sandbox.confinement import Confinement, Result, available, confinement
from agingbench.sandbox.workshop import LIMITS, Workshop
from tests.resumption.making import make_benchmark, open_gate
from tests.sampling import one_in

pytestmark = pytest.mark.skipif(not available()[0], reason=available()[1] or "can be confined")

EPISODE = """
id: tally
initial_task: make tally.py count words and write the count of notes.txt into count.txt
partial_trajectory:
  - {role: user, content: "Make tally.py count words and write the count of notes.txt to count.txt."}
  - {role: assistant, content: "First I thought of counting blanks with str.count, but two blanks in a row break that; I dropped str.count."}
  - {role: assistant, content: "Decision: split on whitespace. Next steps: replace `len(text)` with `len(text.split())` in `tally.py`, then run `python3 tally.py notes.txt > count.txt`."}
gold_facts_to_preserve: [{id: p1, fact: words are split on whitespace, values: [[split on whitespace]]}]
gold_facts_to_forget: [{id: f1, fact: counting blanks with str.count, values: [str.count]}]
workspace:
  most_steps: 6
  files:
    tally.py: |
      import sys

      text = open(sys.argv[1]).read()
      print(len(text))
    notes.txt: |
      one  two three
      four
  gold_steps:
    - tool: write
      path: tally.py
      text: |
        import sys

        text = open(sys.argv[1]).read()
        print(len(text.split()))
    - {tool: run, command: python3 tally.py notes.txt > count.txt}
  gold_output: count.txt holds 4.
gold_continuation:
  - id: c1
    check: tally.py counts words
    run: {command: [python3, tally.py, other.txt], files: {other.txt: "a b   c\\nd e f g"}, stdout: "7"}
  - id: c2
    check: count.txt holds the 4 words of notes.txt
    run: {command: [python3, -c, "print(open('count.txt').read().strip())"], stdout: "4"}
"""
NOTE = (
    "Words are split on whitespace.\nNext steps:\n"
    "- replace `len(text)` with `len(text.split())` in `tally.py`\n"
    "- run `python3 tally.py notes.txt > count.txt`\n"
)


def episode_of(text: str, folder: Path) -> Episode:
    path = folder / "tally.yaml"
    path.write_text(text)
    return load_episode(path)


@pytest.fixture(scope="module")
def confined() -> Iterator[Confinement]:
    with confinement(LIMITS) as made:
        yield made


@pytest.fixture
def one_confinement(confined: Confinement, monkeypatch: pytest.MonkeyPatch) -> None:
    """Workspaces of many attempts share a confinement, which takes a while to build."""

    @contextmanager
    def shared(files: Mapping[str, bytes]) -> Iterator[Workshop]:
        yield Workshop(confined, files)

    monkeypatch.setattr("agingbench.resumption.runs.attempt.workshop", shared)
    monkeypatch.setattr("agingbench.resumption.episodes.check.workshop", shared)


@pytest.fixture
def episode(tmp_path: Path, one_confinement: None) -> Episode:
    return episode_of(EPISODE, tmp_path)


class Acting:
    """An agent whose work is a function of the bench."""

    name = "acting"

    def resume(
        self, task: str, context: str, tools: Sequence[ToolInfo], prompt: str | None
    ) -> Continuation:
        return Continuation("")

    def work(
        self, task: str, context: str, bench: Workbench, prompt: str | None = None
    ) -> Continuation:
        return Continuation(self.act(bench) or "")

    def act(self, bench: Workbench) -> str | None:
        """Do nothing."""
        return None


class Replaying(Acting):
    """Repeats the gold continuation."""

    def __init__(self, episode: Episode) -> None:
        assert episode.workspace is not None
        self.workspace = episode.workspace

    def act(self, bench: Workbench) -> str | None:
        for step in self.workspace.gold_steps:
            self.take(step, bench)
        return self.workspace.gold_output

    def take(self, step: GoldStep, bench: Workbench) -> None:
        if step.command is not None:
            bench.run(step.command)
        else:
            bench.write(step.path or "", step.text or "")


class Destroying(Replaying):
    """Repeats the gold continuation, then deletes everything and claims success."""

    def act(self, bench: Workbench) -> str | None:
        output = super().act(bench)
        bench.most_steps += 1
        bench.run("rm -rf ./* ./.[!.]*")
        return output


class Forging(Acting):
    """Plants a fake interpreter, fake modules and fake check files, and claims success."""

    def __init__(self, episode: Episode) -> None:
        self.episode = episode
        self.output = episode.workspace.gold_output if episode.workspace else ""

    def act(self, bench: Workbench) -> str | None:
        bench.most_steps = 200
        fake = "#!/bin/sh\necho ok\nexit 0\n"
        for name in ("python3", "bin/python3", ".venv/bin/python3", "sh"):
            bench.write(name, fake)
        bench.run("chmod -R +x python3 bin .venv sh")
        planted = "import os\nprint('ok')\nos._exit(0)\n"
        for module in ("sitecustomize", "usercustomize", "unittest", "json", "csv", "sqlite3"):
            bench.write(f"{module}.py", planted)
        for way in self.episode.gold_continuation:
            for check in way:
                for path in check.run.files if check.run else {}:
                    bench.write(path, planted)
        return self.output


def correctness(tried: Attempt | list[ItemVerdict]) -> float | None:
    verdicts = tried if isinstance(tried, list) else tried.verdicts
    return score_verdicts(verdicts).continuation_correctness


SHIPPED = [
    path
    for path in sorted((packaged_set() / "episodes").glob("*.yaml"))
    if "\nworkspace:\n" in path.read_text()
]


def test_doing_nothing_gold_and_destruction(episode: Episode) -> None:
    assert correctness(attempt(Acting(), episode, NOTE)) == 0
    assert correctness(attempt(Replaying(episode), episode, NOTE)) == 1
    assert correctness(attempt(Destroying(episode), episode, NOTE)) == 0
    assert correctness(attempt(Forging(episode), episode, NOTE)) == 0


def test_the_embedded_agent_follows_the_steps_its_context_names(episode: Episode) -> None:
    tried = attempt(EmbeddedAgent(), episode, NOTE)
    assert correctness(tried) == 1
    assert tried.steps == 3  # an edit reads and writes
    assert [e.tool_name for e in tried.events if e.role == "tool_call"] == ["read", "write", "run"]


def test_a_context_without_the_steps_leaves_the_work_undone(episode: Episode) -> None:
    tried = attempt(EmbeddedAgent(), episode, "Words are split on whitespace. All is well.")
    assert (correctness(tried), tried.steps) == (0, 0)


def test_an_empty_context_is_carried_on_by_nobody(episode: Episode) -> None:
    tried = attempt(Replaying(episode), episode, "  \n")
    assert (correctness(tried), tried.steps, tried.output) == (0, 0, "")


def test_a_dead_branch_left_open_is_walked_into(episode: Episode) -> None:
    spoilt = NOTE + "- replace `text.split()` with `text.split(' ')` in `tally.py`\n"
    assert correctness(attempt(EmbeddedAgent(), episode, spoilt)) == 0.5


def test_values_of_a_check_are_held_against_the_final_output(tmp_path: Path) -> None:
    text = EPISODE.replace(
        "    check: tally.py counts words\n", "    check: says done\n    values: [done]\n"
    )
    episode = episode_of(text, tmp_path)

    class Silent(Replaying):
        def act(self, bench: Workbench) -> str | None:
            super().act(bench)
            return "It works."

    class Saying(Silent):
        def act(self, bench: Workbench) -> str | None:
            super().act(bench)
            return "All done."

    assert correctness(attempt(Silent(episode), episode, NOTE)) == 0.5
    assert correctness(attempt(Saying(episode), episode, NOTE)) == 1


# -- limits


def test_the_limit_of_steps(episode: Episode) -> None:
    class Restless(Acting):
        def act(self, bench: Workbench) -> str | None:
            while True:
                try:
                    bench.list()
                except StepLimit as error:
                    return str(error)

    tried = attempt(Restless(), episode, NOTE)
    assert tried.steps == 6
    assert "limit of 6 steps" in tried.output


def test_a_step_that_fails_is_recorded_as_such(episode: Episode) -> None:
    class Lost(Acting):
        def act(self, bench: Workbench) -> str | None:
            for path in ("../x", "nowhere.txt"):
                with pytest.raises(InputError):
                    bench.read(path)
            return bench.run("exit 3")

    tried = attempt(Lost(), episode, NOTE)
    assert tried.output == "[exit code 3]"
    results = [event for event in tried.events if event.role == "tool_result"]
    assert [event.exit_code for event in results] == [1, 1, None]


# -- other agents


def calling(*calls: tuple[str, dict[str, str]]) -> Scripted:
    replies = [Reply("", (ToolCall(str(n), name, args),)) for n, (name, args) in enumerate(calls)]
    return Scripted([*replies, Reply("count.txt holds 4.")])


def gold_calls(episode: Episode) -> list[tuple[str, dict[str, str]]]:
    assert episode.workspace is not None
    calls: list[tuple[str, dict[str, str]]] = []
    for step in episode.workspace.gold_steps:
        arguments = {"command": step.command} if step.command else None
        calls.append((step.tool, arguments or {"path": step.path or "", "text": step.text or ""}))
    return calls


def test_a_model_works_in_the_reference_loop(episode: Episode) -> None:
    model = calling(*gold_calls(episode))
    tried = attempt(ModelAgent(model), episode, NOTE)
    assert (correctness(tried), tried.output) == (1, "count.txt holds 4.")
    first = model.calls[0].messages
    assert NOTE.strip() in first[-1].content


@pytest.mark.parametrize("name", ["react", "workspace"])
def test_any_agent_of_the_registry_can_take_over(name: str, episode: Episode) -> None:
    agent = RegistryAgent(name, calling(*gold_calls(episode)))
    assert correctness(attempt(agent, episode, NOTE)) == 1


OWN = '''
class Mine:
    """An agent of one's own."""

    def act(self, text, tools, emit):
        run = next(tool for tool in tools if tool.name == "run")
        run.run({"command": "echo 4 > count.txt"})
        return "done"

    def ask(self, question, context=None): ...
    def end_session(self): ...
    def fork(self): ...
    def dump(self): ...
    def load(self, state): ...
'''


def test_an_agent_of_ones_own(episode: Episode, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(OWN)
    agent = build_agent(f"{tmp_path / 'mine.py'}:Mine")
    assert correctness(attempt(agent, episode, NOTE)) == 0.5

    (tmp_path / "rude.py").write_text(OWN.replace('return "done"', "raise KeyError(1)"))
    with pytest.raises(InputError, match="failed: KeyError"):
        attempt(build_agent(f"{tmp_path / 'rude.py'}:Mine"), episode, NOTE)


# -- runs


def test_a_run_scores_acts_and_keeps_what_the_agent_did(tmp_path: Path) -> None:
    benchmark = make_benchmark(tmp_path)
    open_gate(benchmark)
    (benchmark.episodes / "tally.yaml").write_text(EPISODE)
    result = run_benchmark(benchmark.root, RunSettings("structured", 2000))
    rows = {row.episode: row for row in result.rows}
    row = rows["tally"]
    assert (row.kind, row.scores.continuation_correctness, row.acts) == ("executable", 1, 3)
    assert rows["000"].kind == "text-only"
    assert (result.path / "acts" / "tally.jsonl").is_file()
    assert result.summary.figures["executable"]["quality"].n == 1


def test_without_confinement_it_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    benchmark = make_benchmark(tmp_path)
    open_gate(benchmark)
    (benchmark.episodes / "tally.yaml").write_text(EPISODE)
    monkeypatch.setattr("agingbench.resumption.runs.run.available", lambda: (False, "not here"))
    result = run_benchmark(benchmark.root, RunSettings("structured", 2000))
    assert result.summary.statuses == {"scored": 1, "skipped": 1}
    assert "not here" in result.summary.skipped["tally"]


# -- what makes an episode executable


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("tally.py: |\n", "../tally.py: |\n", "inside the workspace"),
        ("[python3, tally.py, other.txt]", "[./python3, tally.py]", "bare name"),
        (', stdout: "4"', "", "stdout"),
        ("most_steps: 6", "most_steps: 1", "more than most_steps"),
        (
            "    - {tool: run, command: python3 tally.py",
            "    - {tool: run, path: x, command: x",
            "a step is",
        ),
        (
            "    check: tally.py counts words\n    run:",
            "    check: x\n    runs:",
            "did you mean run",
        ),
    ],
)
def test_what_is_wrong_is_named(old: str, new: str, problem: str, tmp_path: Path) -> None:
    assert old in EPISODE
    with pytest.raises(InputError, match=problem):
        episode_of(EPISODE.replace(old, new), tmp_path)


def test_a_command_needs_a_workspace_and_the_other_way_round(tmp_path: Path) -> None:
    start = EPISODE.index("workspace:\n")
    end = EPISODE.index("gold_continuation:")
    with pytest.raises(InputError, match="no workspace"):
        episode_of(EPISODE[:start] + EPISODE[end:], tmp_path)
    with pytest.raises(InputError, match="runs no command"):
        episode_of(EPISODE[:end] + "gold_continuation: [words are counted]\n", tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('stdout: "7"', 'stdout: "15"', "c1: passes at the cut"),
        ('stdout: "7"', 'stdout: "8"', "c1: fails after the gold steps"),
        (
            "\"print(open('count.txt').read().strip())\"",
            '"print(4)"',
            "c2: passes in an empty workspace",
        ),
    ],
)
def test_check_runs_the_checks(
    old: str, new: str, problem: str, tmp_path: Path, one_confinement: None
) -> None:
    assert old in EPISODE
    path = tmp_path / "tally.yaml"
    path.write_text(EPISODE.replace(old, new))
    assert any(problem in line for line in check_file(path).problems)


def test_check_finds_nothing_wrong_with_it(tmp_path: Path, one_confinement: None) -> None:
    path = tmp_path / "tally.yaml"
    path.write_text(EPISODE)
    report = check_file(path)
    assert (report.problems, report.kind) == ([], "executable")


# -- following


class NoConfinement(Confinement):
    """Runs nothing: every call fails the test."""

    def __init__(self) -> None:
        pass

    def call(self, code: str, function: str, args: Sequence[Any]) -> Result:
        raise AssertionError(f"{function} was called")


def plain_shop() -> Workshop:
    """A workspace without commands."""
    return Workshop(NoConfinement(), {"a.txt": b"x"})


@given(st.text(alphabet="`ab .;\nreplace with in append to write run python3 not", max_size=60))
def test_any_line_can_be_followed(line: str) -> None:
    bench = Workbench(plain_shop(), 0)  # no step is allowed
    try:
        assert follow(line, bench) == []
    except StepLimit:
        assert _ACT.search(line)


@pytest.mark.parametrize(
    ("line", "content"),
    [
        ("Append `y` to `a.txt`.", b"x\ny\n"),
        ("Next: add the line `y` to `a.txt`", b"x\ny\n"),
        ("Write `z` into `a.txt`", b"z\n"),
        ("Do not write `z` into `a.txt`", b"x"),
        ("Instead of this, never replace `x` with `q` in `a.txt`", b"x"),
        ("See `a.txt` and `b.txt`", b"x"),
        ("append `y` to `nowhere.txt`, then replace `x` by `w` in `a.txt`", b"w"),
    ],
)
def test_edits_that_a_line_names(line: str, content: bytes) -> None:
    bench = Workbench(plain_shop(), 9)
    follow(line, bench)
    assert bench.workshop.files["a.txt"] == content


# -- the episodes that ship


def test_at_least_ten_ship_in_several_domains() -> None:
    domains = Counter(load_episode(path).domain for path in SHIPPED)
    assert domains.total() >= 10
    assert len(domains) >= 5


@pytest.mark.parametrize("path", one_in(3, SHIPPED), ids=lambda path: path.stem)
def test_shipped_ones_score_what_was_done(path: Path, one_confinement: None) -> None:
    episode = load_episode(path)
    assert correctness(attempt(Acting(), episode, NOTE)) == 0
    assert correctness(attempt(Replaying(episode), episode, NOTE)) == 1
    assert correctness(attempt(Destroying(episode), episode, NOTE)) == 0
    assert correctness(attempt(Forging(episode), episode, NOTE)) == 0


@pytest.mark.slow
def test_a_killed_run_does_the_episode_again(tmp_path: Path) -> None:
    benchmark = make_benchmark(tmp_path)
    for number in range(8):
        text = EPISODE.replace("id: tally", f"id: tally{number}")
        (benchmark.episodes / f"tally{number}.yaml").write_text(text)
    settings = RunSettings("structured", 2000, kind="executable")
    whole = run_benchmark(benchmark.root, settings, out=tmp_path / "whole")

    words = ["resumption", "run", "-c", "structured", "--kind", "executable", "--ledger", "none"]
    command = [sys.executable, "-m", "agingbench", *words, "-e", str(benchmark.root)]
    process = subprocess.Popen([*command, "--out", str(tmp_path / "parts")])
    rows = tmp_path / "parts" / whole.run_id / "rows.jsonl"
    while process.poll() is None and not rows.exists():
        time.sleep(0.01)
    process.kill()
    process.wait()
    assert rows.read_bytes().count(b"\n") < 8

    again = run_benchmark(benchmark.root, settings, out=tmp_path / "parts")
    assert [row.verdicts for row in again.rows] == [row.verdicts for row in whole.rows]
    assert {row.acts for row in again.rows} == {3}
