"""What all commands share: help that fits, flags, one JSON document, completion."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from agingbench.cli.audit import SIMILARITIES
from agingbench.cli.completion import TABLES, names_of
from agingbench.cli.groups import LazyGroup
from agingbench.cli.main import cli as root
from agingbench.cli.options import SUITES, AliasOption
from agingbench.cli.trials import inspecting, keeping
from agingbench.cli.trials.options import LARGEST_COUNT, SORTS
from agingbench.cli.validate import commands as validate
from tests.cli.conftest import Cli, data

WIDTH = 80


def walk(
    command: click.Command, context: click.Context, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command, click.Context]]:
    """Every command below this one with its path and its context."""
    yield path, command, context
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            assert child is not None
            inner = click.Context(child, info_name=name, parent=context, terminal_width=WIDTH)
            yield from walk(child, inner, (*path, name))


ROOT = click.Context(root, info_name="agingbench", terminal_width=WIDTH, **root.context_settings)
ALL = list(walk(root, ROOT))
NAMES = [" ".join(path) or "agingbench" for path, _, _ in ALL]


@pytest.mark.parametrize(("path", "command", "context"), ALL, ids=NAMES)
def test_help_fits_and_is_complete(
    path: tuple[str, ...], command: click.Command, context: click.Context
) -> None:
    text = command.get_help(context)
    assert [line for line in text.splitlines() if len(line) > WIDTH] == []
    words = " ".join(text.split())
    assert f"Example: agingbench {' '.join(path)}".rstrip() in words
    assert "Exit codes:" in words
    for option in command.params:
        if isinstance(option, click.Option):
            assert option.help, option.opts


@pytest.mark.parametrize(
    ("command", "context"), [row[1:] for row in ALL if isinstance(row[1], LazyGroup)]
)
def test_the_table_of_a_group_says_what_its_commands_say(
    command: LazyGroup, context: click.Context
) -> None:
    for name, entry in command.table.items():
        child = command.get_command(context, name)
        assert child is not None
        assert child.name == name
        first_paragraph = (child.help or "").partition("\n\n")[0]
        assert " ".join(first_paragraph.split()).rstrip(".") == entry.help
        listed = entry.help in command.get_help(context)
        assert listed is not entry.hidden, "one line, uncut; older names are not listed"


def test_a_short_flag_has_one_meaning() -> None:
    meanings = defaultdict(set)
    for _, command, _ in ALL:
        for option in command.params:
            for flag in option.opts:
                if len(flag) == 2:
                    meanings[flag].add(max(option.opts, key=len))
    assert {flag: names for flag, names in meanings.items() if len(names) > 1} == {}


def test_an_alias_is_accepted_and_not_shown(cli: Cli, tmp_path: Path) -> None:
    hidden = [
        option
        for _, command, context in ALL
        for option in command.params
        if isinstance(option, AliasOption) and option.aliases
    ]
    assert hidden
    for path, alias in ((("trials", "list"), "-n"), (("archive",), "--to")):
        told = cli(*path, "--help").out
        assert f" {alias}" not in told
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.jsonl").write_text(
        '{"session_id": "s", "role": "user", "content": "hi"}\n'
    )
    assert cli("archive", tmp_path / "in", "--to", tmp_path / "kept").code == 0


# -- errors


@pytest.mark.parametrize(
    ("arguments", "message", "nearest"),
    [
        ("rnu", "no command 'rnu'", ["run"]),
        ("trials lst", "no command 'lst'", ["list"]),
        ("run --memroy x", "No such option", ["--memory", "--memory-option"]),
        ("list memry", "'memry' is not a choice; did you mean memory?", ["memory"]),
        ("trials list --status complete", "did you mean completed?", ["completed"]),
        ("run --memory lossy", "unknown memory policy 'lossy'", ["lossy_compress"]),
        ("score nowhere", "nowhere: there is no such directory", []),
    ],
)
def test_an_error_is_a_document_too(
    cli: Cli, arguments: str, message: str, nearest: list[str]
) -> None:
    told = cli(*arguments.split(), "--json")
    assert told.code == 2
    error = data(told.out, "error")
    assert set(error) == {"message", "exit_code", "nearest", "hint"}
    assert message in error["message"]
    assert error["exit_code"] == 2
    assert error["nearest"][: len(nearest)] == nearest
    assert error["message"] in told.err
    assert len(told.err.splitlines()) == 1
    assert cli(*arguments.split()).out == ""


def test_the_kind_names_the_command(cli: Cli) -> None:
    for words, kind in (
        (("list", "memory"), "list"),
        (("plan", "-n", "2", "-p", "light"), "plan"),
        (("run", "-n", "2", "-p", "light", "--dry-run"), "estimate"),
        (("resumption", "plan", "--effect", "0.1"), "resumption.plan"),
    ):
        assert json.loads(cli(*words, "--json").out)["kind"] == kind


# -- what is imported


def test_copies_of_constants_are_equal() -> None:
    from agingbench.bench.studies.catalogue import SUITES as OF_STUDIES
    from agingbench.telemetry.profile import SIMILARITIES as OF_PROFILES
    from agingbench.trials import ledger
    from agingbench.trials.columns import LARGEST_COUNT as OF_ENTRIES
    from agingbench.trials.inspect.behaviour import SUCCESS
    from agingbench.trials.inspect.reviews import JUDGMENTS
    from agingbench.trials.query import SORTS as OF_QUERIES
    from agingbench.validity.telemetry import PERMUTATIONS

    assert set(SUITES) == set(OF_STUDIES)
    assert SIMILARITIES == OF_PROFILES
    assert LARGEST_COUNT == OF_ENTRIES
    assert SORTS == OF_QUERIES
    assert keeping.JUDGMENTS == JUDGMENTS
    assert keeping.RECORD_FILE == ledger.RECORD_FILE
    assert inspecting.SUCCESS == SUCCESS
    assert validate.PERMUTATIONS == PERMUTATIONS


HEAVY = ("numpy", "pydantic", "yaml", "rich", "duckdb", "scipy", "agingbench.bench.life.life")


def test_the_shell_imports_nothing_heavy() -> None:
    """Help of every command and completion of every name, without the bench."""
    code = (
        "import sys, click\n"
        "from agingbench.cli.completion import TABLES, names_of\n"
        "from agingbench.cli.main import cli\n"
        "def visit(group, context):\n"
        "    for name in group.list_commands(context):\n"
        "        command = group.get_command(context, name)\n"
        "        command.get_help(click.Context(command, info_name=name, parent=context))\n"
        "        if isinstance(command, click.Group):\n"
        "            visit(command, click.Context(command, info_name=name, parent=context))\n"
        "visit(cli, click.Context(cli))\n"
        "for kind in TABLES: names_of(kind)\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")


# -- completion


@pytest.mark.parametrize(
    ("words", "completion"),
    [
        ("agingbench tr", "trials"),
        ("agingbench trials ver", "verify"),
        ("agingbench run --mem", "--memory"),
        ("agingbench run --memory lossy_c", "lossy_compress"),
        ("agingbench run --scenario s2_", "s2_lifestyle_assistant"),
        ("agingbench run --model ext", "extractive"),
        ("agingbench run --agent re", "react"),
        ("agingbench run --suite li", "lite"),
        ("agingbench run --controller agg", "aggressive"),
        ("agingbench run --pressure me", "medium"),
        ("agingbench audit . --format clau", "claude_code"),
        ("agingbench resumption run --consolidator str", "structured"),
        ("agingbench resumption run --judge det", "deterministic"),
        ("agingbench trials import x --importer ver", "verifiers"),
        ("agingbench trials list --status comp", "completed"),
    ],
)
def test_completion(words: str, completion: str) -> None:
    environment = {
        **os.environ,
        "_AGINGBENCH_COMPLETE": "bash_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split()) - 1),
    }
    command = [sys.executable, "-m", "agingbench"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert f"plain,{completion}" in done.stdout.splitlines()
    assert done.stderr == ""


def test_every_kind_has_names() -> None:
    assert all(names_of(kind) for kind in TABLES)
