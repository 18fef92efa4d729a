"""Text of traces is never markup, and nothing that a file or a server says drives a terminal."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from rich.console import Console
from rich.text import Text

from agingbench.cli import main
from agingbench.cli.output import console, echo, shown
from agingbench.errors import InputError
from agingbench.report.layout import bare_table, show
from agingbench.report.text import printable_lines
from tests.cli.conftest import Cli, data

ODD = ["a[i] = b[j]", "[/INST] done", "[link=https://x.example]here[/link]", "[red]x[/]", ":smile:"]
DRIVES = "\x1b]0;owned\x07\x1b[2Jred\x1b[31m \x9b2J \u202edne"


@pytest.mark.parametrize("terminal", [True, False])
@pytest.mark.parametrize("text", ODD)
def test_text_is_no_markup(text: str, terminal: bool) -> None:
    page = io.StringIO()
    table = bare_table("name", ("value", "left"))
    table.add_row(text, text)
    table.add_row("second", Text(text))
    show(Console(file=page, force_terminal=terminal, width=120, emoji=False), table, text)
    assert page.getvalue().count(text) == 4


@pytest.mark.parametrize("text", ODD)
def test_the_console_of_commands_has_no_markup(
    text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    console().print(text, soft_wrap=True)
    assert capsys.readouterr().out == f"{text}\n"


@pytest.mark.parametrize("terminal", [True, False])
def test_no_text_drives_the_terminal(terminal: bool) -> None:
    page = io.StringIO()
    table = bare_table("name", ("value", "left"))
    table.add_row(DRIVES, Text(DRIVES))
    show(Console(file=page, force_terminal=terminal, width=120, color_system=None), table, DRIVES)
    printed = page.getvalue()
    assert "owned" in printed
    assert not set(printed) & set("\x1b\x07\x9b\u202e")


def test_arguments_and_paths_are_shown_without_control_characters(
    cli: Cli, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for words in (
        ("run", "--memory", f"x{DRIVES}"),
        ("score", tmp_path / f"no{DRIVES}"),
        ("trials", "show", f"id{DRIVES}", "--ledger", tmp_path / "none"),
        (f"nothing{DRIVES}",),
        ("run", f"--{DRIVES}"),
    ):
        told = cli(*words)
        assert told.code == 2
        assert not set(told.out + told.err) & set("\x1b\x07\x9b\u202e"), words
    assert "\x1b" not in shown(tmp_path / f"x{DRIVES}")
    echo(f"first\nsecond{DRIVES}")
    out = capsys.readouterr().out
    assert out.startswith("first\nsecond")
    assert "\x1b" not in out


def test_a_message_of_a_server_is_shown_without_control_characters(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise InputError(f"the server says: {DRIVES}")

    monkeypatch.setattr("agingbench.bench.studies.cells.Stock.check_plan", refuse)
    told = cli("run", "--out", tmp_path, "--sessions", "1")
    assert "the server says" in told.err
    assert "\x1b" not in told.err
    told = cli("run", "--out", tmp_path, "--sessions", "1", "--json")
    assert not set(told.out) & set("\x1b\x9b\u202e")
    assert "the server says" in data(told.out, "error")["message"]


def test_json_keeps_what_it_escapes(capsys: pytest.CaptureFixture[str]) -> None:
    with main.cli.make_context("agingbench", ["list"], resilient_parsing=True):
        from agingbench.cli.output import print_json

        print_json({"text": DRIVES}, "any")
    out = capsys.readouterr().out
    assert not set(out) & set("\x1b\x9b\u202e")
    assert json.loads(out)["data"]["text"] == DRIVES


def test_lines_stay_lines() -> None:
    assert printable_lines("a\n\tb é 漢") == "a\n\tb é 漢"
