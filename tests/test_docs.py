"""Runs what the docs show: console blocks, Python blocks and the command reference."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

from agingbench.cli.main import COMMANDS, cli
from tests.places import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```\n(\s*<!-- not run: (.+?) -->)?", re.MULTILINE | re.DOTALL)


def blocks(page: Path, language: str) -> list[str]:
    """The blocks of a language that a page shows and that are meant to be run."""
    return [
        m.group(2)
        for m in BLOCK.finditer(page.read_text())
        if m.group(1) == language and not m.group(3)
    ]


def with_blocks(language: str) -> list[Path]:
    return [page for page in PAGES if blocks(page, language)]


@pytest.mark.parametrize("page", with_blocks("console"), ids=lambda p: p.name)
def test_console_blocks_run(page: Path, tmp_path: Path) -> None:
    for text in blocks(page, "yaml"):
        name = re.match(r"# (\S+\.yaml)", text)
        assert name, f"{page.name}: a YAML block must begin with its file name"
        (tmp_path / name.group(1)).write_text(text)
    for command in [
        line[2:]
        for block in blocks(page, "console")
        for line in block.splitlines()
        if line.startswith("$ ")
    ]:
        words = shlex.split(command)
        if (
            words[0] == "make"
        ):  # the two commands are what a clean checkout runs; here only that they exist
            assert re.search(rf"^{words[1]}:", (ROOT / "Makefile").read_text(), re.MULTILINE)
            continue
        assert words[0] in ("agingbench", "python"), f"{page.name}: cannot run '{command}'"
        start = ["-m", "agingbench"] if words[0] == "agingbench" else []
        done = subprocess.run(
            [sys.executable, *start, *words[1:]], cwd=tmp_path, capture_output=True, text=True
        )
        assert done.returncode == 0, f"{command}\n{done.stderr}"
        assert done.stdout.strip()


@pytest.mark.parametrize("page", with_blocks("python"), ids=lambda p: p.name)
def test_python_blocks_run(page: Path, tmp_path: Path) -> None:
    for block in blocks(page, "python"):
        done = subprocess.run(
            [sys.executable, "-c", block], cwd=tmp_path, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.strip()


def test_links_between_pages_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


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
