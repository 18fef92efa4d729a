"""Mistakes on the command line: one clear line, exit 2, and nothing on disk."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import BaseModel, model_serializer

from tests.cli.conftest import Cli, Told


def one_line(told: Told, code: int = 2) -> str:
    assert told.code == code, told
    assert told.out == ""
    lines = told.err.strip().splitlines()
    assert len(lines) == 1, told.err
    assert lines[0].startswith("agingbench: ")
    assert "internal error" not in lines[0]
    return lines[0]


MISTAKES: list[tuple[str, str]] = [
    ("--scenario s3x", "unknown scenario 's3x'"),
    ("--scenario s2_lifestyle", "did you mean s2_lifestyle_assistant"),
    ("--dial update_rat=0.3", "unknown dial 'update_rat'; did you mean update_rate"),
    ("--dial update_rate=2", "dial update_rate=2: must lie between 0 and 1"),
    ("--dial update_rate=fast", "dial update_rate=fast: not a number"),
    ("--dial update_rate=", "not a number"),
    ("--dial update_rate=.nan", "must lie between"),
    ("--dial update_rate=[", "--dial 'update_rate=['"),
    ("--dial max_chain_depth=1.5", "must be a whole number"),
    ("--dial update_rate", "write NAME=VALUE"),
    ("--pressure extreme", "unknown pressure preset 'extreme'"),
    ("--events flush@4", "unknown lifecycle event 'flush'; did you mean flush_history"),
    ("--events flush_history", "say when, as flush_history@4"),
    ("--events flush_history@", "say when"),
    ("--events flush_history@0", "the point must lie between 1 and 10"),
    ("--events flush_history@11", "the point must lie between 1 and 10"),
    ("--events flush_history@x", "say when"),
    ("--events flush_history@4:a=1", "takes no arguments"),
    (
        "--events recompact@4 --memory append_only",
        "event 'recompact@4': this memory policy does not support it",
    ),
    ("--memory lossy", "unknown memory policy 'lossy'; did you mean lossy_compress"),
    ("--memory nowhere:Class", "cannot import 'nowhere'"),
    ("--memory agingbench.memory.no_memory:NoMemry", "did you mean NoMemory"),
    ("--model extractiv", "unknown model 'extractiv'; did you mean extractive"),
    ("--model opnai:gpt-4o", "unknown model 'opnai'; did you mean openai"),
    ("--model openai", "needs a model id"),
    ("--model scripted", "for tests"),
    ("--model openai:gpt-4o-mini", "set OPENAI_API_KEY"),
    ("--model anthropic:claude-haiku-4-5", "set ANTHROPIC_API_KEY"),
    ("--model openai:x --model-option base_url=ftp://x", "does not begin with http"),
    (
        "--model openai:x --model-option base_ur=http://x",
        "option of model openai:x 'base_ur'; did you mean base_url?",
    ),
    ("--agent raect", "unknown agent 'raect'; did you mean react"),
    ("--memory-option word=200", "'word'; did you mean words"),
    ("--memory-option words=0", "words must be a whole number of at least 1"),
    ("--memory-option words=1.5", "words must be a whole number of at least 1"),
    ("--memory-option words=many", "words must be a whole number of at least 1"),
    ("--memory-option prompt=carful", "did you mean careful"),
    ("--memory-option words", "--memory-option 'words': write NAME=VALUE"),
    ("--agent-option max_turns=0", "max_turns must be a whole number"),
    ("--agent-option max_turn=3", "did you mean max_turns"),
    ("--sessions 0", "sessions"),
    ("--sessions 10001", "sessions"),
    ("--sessions ten", "sessions"),
    ("--seeds abc", "--seeds abc: give a count"),
    ("--seeds 0", "names no seed"),
    ("--seeds 5-3", "names no seed"),
    ("--seeds 1,,2", "give a count"),
    ("--seeds -1", "give a count"),
    ("--seeds 99999999999", "is the most"),
    ("--seeds 0-99999999999", "is the most"),
    ("--seeds 0-9999,20000", "is the most"),
    ("--seeds 3 --seed 1", "give --seeds or --seed, not both"),
    ("--seed -1", "seed"),
    ("--workers 0", "workers"),
    ("--nonsense", "nonsense"),
    ("extra", "extra"),
]


@pytest.mark.parametrize(("arguments", "told"), MISTAKES, ids=[a for a, _ in MISTAKES])
def test_a_run_with_a_mistake(cli: Cli, tmp_path: Path, arguments: str, told: str) -> None:
    out = tmp_path / "out"
    assert told in one_line(cli("run", "--out", out, *arguments.split()))
    assert not out.exists()


FILES: list[tuple[str, str]] = [
    ("", "expected keys"),
    ("model: [", "not YAML"),
    ("memry: append_only", "unknown key 'memry'; did you mean memory"),
    ("scenaro: s2", "unknown key 'scenaro'; did you mean scenario"),
    ("memory: append_onli", "did you mean append_only"),
    ("memory_options: {kk: 3}\nmemory: append_only", "'kk'"),
    ("scenario: s9", "unknown scenario 's9'"),
    ("scenario: [s2]", "scenario"),
    ("scenario: 2", "scenario"),
    ("sessions: 0", "sessions"),
    ("sessions: ten", "sessions"),
    ("sessions: 2.5", "sessions"),
    ("sessions: true", "sessions"),
    ("pressure: 3", "pressure"),
    ("pressure: [light]", "pressure"),
    ("dials: [update_rate]", "`dials` must map names to values"),
    ("dials: {update_rate: [1]}", "not a number"),
    ("dials: {update_rte: 1}", "did you mean update_rate"),
    ("events: 5", "events"),
    ("events: [5]", "unknown lifecycle event '5'"),
    ("events: {flush_history: 4}", "events"),
    ("seeds: abc", "give a count"),
    ("seeds: {a: 1}", "seeds"),
    ("seeds: [a]", "give a count"),
]


@pytest.mark.parametrize(("text", "told"), FILES, ids=[t for t, _ in FILES])
def test_a_file_with_a_mistake(cli: Cli, tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "sut.yaml"
    file.write_text(text)
    assert told in one_line(cli("run", "--sut", file, "--out", tmp_path / "out"))
    assert [f.name for f in tmp_path.iterdir()] == ["sut.yaml"]


def test_a_file_that_is_not_there(cli: Cli, tmp_path: Path) -> None:
    assert "cannot read SUT file" in one_line(cli("run", "--sut", tmp_path / "none.yaml"))
    assert "cannot read SUT file" in one_line(cli("run", "--sut", tmp_path))


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("plan --scenario s9", "unknown scenario"),
        ("plan --seeds abc", "give a count"),
        ("plan --sessions 0", "sessions"),
        ("plan --events flush_history@99", "must lie between 1 and 10"),
        ("validate bounds --seeds abc", "give a count"),
        ("validate bounds --scenario s9", "unknown scenario"),
        ("validate bounds --pressure extreme", "unknown pressure preset"),
        ("list nothing", "nothing"),
        ("rnu", "no command 'rnu'; did you mean run"),
        ("card shw x", "shw"),
        ("score nowhere", "there is no such directory"),
        ("score .", "no run directory here"),
        ("card show nowhere.json", "cannot read nowhere.json"),
        ("card validate", "FILES"),
    ],
)
def test_other_commands(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: str, told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert told in one_line(cli(*arguments.split()))
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_no_card(cli: Cli, tmp_path: Path) -> None:
    for name, text in (
        ("a.json", "{}"),
        ("b.json", "[1]"),
        ("c.json", "not json"),
        ("d.json", '{"m0": NaN}'),
    ):
        file = tmp_path / name
        file.write_text(text)
        assert name in one_line(cli("card", "show", file))
        told = cli("card", "validate", file)
        assert told.code == 1
        assert name in told.out


def test_an_error_of_ours_is_one_line_too(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    import agingbench.cli.plan

    def breaks(*args: object) -> None:
        raise RuntimeError("two\nlines")

    monkeypatch.setattr(agingbench.cli.plan, "make_plans", breaks)
    told = cli("plan")
    assert told.code == 70
    assert (
        told.err
        == "agingbench: internal error: RuntimeError: two lines; set AGINGBENCH_TRACEBACK=1 to see"
        " where, and please report it\n"
    )
    monkeypatch.setenv("AGINGBENCH_TRACEBACK", "1")
    assert "Traceback" in cli("plan").err


@pytest.mark.parametrize("write", ["model_dump", "model_dump_json"])
def test_an_interruption_inside_a_library_is_an_interruption(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, write: str
) -> None:
    import agingbench.cli.plan

    class Interrupted(BaseModel):
        @model_serializer
        def interrupt(self) -> dict[str, str]:
            raise KeyboardInterrupt

    def dump(*args: object) -> None:
        getattr(Interrupted(), write)()

    monkeypatch.setattr(agingbench.cli.plan, "make_plans", dump)
    told = cli("plan")
    assert told.code == 130
    assert "run the same command to continue" in told.err
