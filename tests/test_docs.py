"""Runs what the docs show, page by page, and holds the command reference and the links."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest
from docs_site.links import dead_links

from agingbench.cli.main import COMMANDS, cli
from tests.places import ROOT
from tests.warm import run_code, run_command

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
FOLDER_PAGES = sorted((ROOT / "src").rglob("README.md"))
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```\n(\s*<!-- not run: (.+?) -->)?", re.MULTILINE | re.DOTALL)
RUN = ("console", "python", "yaml")
NAMED = re.compile(r"# (\S+\.(?:yaml|py))\n")  # a block that begins with a file name is that file
EXIT = re.compile(r"  # exit (\d+)$")  # a command that is shown to fail says how
# The longest pages; the quick suite has their commands in quickstart.md (`demo`), in README.md
# (`run --diagnose`), in plugins/consolidator.md (`resumption run`), and in tests of their own
# (`validate`, `leaderboard`, `figure`, `study`, `run --controller`).
LONG = (
    "docs/cards.md",
    "docs/control.md",
    "docs/diagnosis.md",
    "docs/leaderboard.md",
    "docs/reports.md",
    "docs/resumption.md",
    "docs/studies.md",
    "docs/validity.md",
)


def blocks(page: Path) -> list[tuple[str, str]]:
    """(language, text) of the blocks of a page that are meant to be run, in their order."""
    return [
        (block.group(1), block.group(2))
        for block in BLOCK.finditer(page.read_text())
        if block.group(1) in RUN and not block.group(3)
    ]


def page_name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(
            page, id=page_name(page), marks=[pytest.mark.slow] if page_name(page) in LONG else []
        )
        for page in PAGES
        if blocks(page)
    ],
)
def test_blocks_of_a_page_run(page: Path, tmp_path: Path) -> None:
    """All blocks of a page run one after the other in one folder, as a reader would run them."""
    for language, text in blocks(page):
        name = NAMED.match(text)
        if name is not None:
            (tmp_path / name.group(1)).write_text(text)
        elif language == "console":
            run_console(page, text, tmp_path)
        else:
            assert language == "python", f"{page.name}: a YAML block must begin with its file name"
            process = run_code(text, tmp_path, environment_of_a_reader())
            assert process.returncode == 0, process.stderr
            assert process.stdout.strip()


def run_console(page: Path, text: str, folder: Path) -> None:
    """Run the commands of a console block; the lines below a command must be in what it prints."""
    printed = ""
    for line in text.splitlines():
        if not line.startswith("$ "):
            assert has_line(printed, line), f"{page.name}: '{line}' is not in\n{printed}"
            continue
        expected = EXIT.search(line)
        words = shlex.split(line[2:], comments=True)
        if words[0] == "make":  # what a clean checkout runs; here only that the target exists
            assert re.search(rf"^{words[1]}:", (ROOT / "Makefile").read_text(), re.MULTILINE)
            continue
        assert words[0] in ("agingbench", "python"), f"{page.name}: cannot run '{line}'"
        if words[0] == "agingbench":
            process = run_command(words[1:], folder, environment_of_a_reader())
        else:
            process = run_python(words[1:], folder)
        printed = process.stdout + process.stderr
        code = int(expected.group(1)) if expected else 0
        assert process.returncode == code, f"{line}\n{printed}"
        assert printed.strip()


def run_python(arguments: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment_of_a_reader(),
        capture_output=True,
        text=True,
        check=False,
    )


def environment_of_a_reader() -> dict[str, str]:
    """The variables of this process, without keys and without a ledger."""
    environment = {**os.environ, "COLUMNS": "100"}
    for key in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "AGINGBENCH_LEDGER"):
        environment.pop(key, None)
    return environment


def has_line(printed: str, line: str) -> bool:
    """Whether a line was printed; `…` in it stands for anything."""
    parts = [re.escape(" ".join(part.split())) for part in line.split("…")]
    return re.search(".*".join(parts), " ".join(printed.split())) is not None


def test_no_link_of_any_kind_is_dead() -> None:
    """Pages, anchors, images, source files, and the names that are linked to source files."""
    pages = [*PAGES, *FOLDER_PAGES, ROOT / "CHANGELOG.md"]
    assert [str(link) for link in dead_links(ROOT, pages)] == []


def reference() -> str:
    """The help of every command, as docs/cli.md holds it below its introduction."""
    parts: list[str] = []

    def add(command: click.Command, path: str, parent: click.Context | None) -> None:
        context = click.Context(
            command, info_name=path.split()[-1], parent=parent, terminal_width=80
        )
        parts.append(f"\n## {path}\n\n```text\n{command.get_help(context)}\n```\n")
        if isinstance(command, click.Group):
            for name in command.list_commands(context):
                child = command.get_command(context, name)
                assert child is not None
                add(child, f"{path} {name}", context)

    root = click.Context(cli, info_name="agingbench", terminal_width=80, **cli.context_settings)
    for name in COMMANDS:
        command = cli.get_command(root, name)
        assert command is not None
        add(command, f"agingbench {name}", root)
    return "".join(parts)


def test_command_reference_is_up_to_date() -> None:
    page = ROOT / "docs" / "cli.md"
    text = page.read_text()
    introduction = text.partition("\n## agingbench ")[0]
    if os.environ.get("AGINGBENCH_UPDATE_DOCS"):
        page.write_text(introduction + reference())
    assert page.read_text() == introduction + reference()
