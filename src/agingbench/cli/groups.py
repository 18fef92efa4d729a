"""Command groups that know the one-line help of their commands without importing them."""

from __future__ import annotations

import copy
import importlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import click
from click.shell_completion import CompletionItem

from agingbench.errors import nearest


class CommandEntry(NamedTuple):
    """Where a command lives (`module:name`) and its one-line help; hidden ones are not listed."""

    path: str
    help: str
    hidden: bool = False


class LazyGroup(click.Group):
    """Imports a command only when it is called; help and completion read the table."""

    def __init__(self, *args: Any, table: Mapping[str, CommandEntry], **options: Any) -> None:
        super().__init__(*args, **options)
        self.table = table

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names of the commands, in the order of the table, without hidden ones."""
        return [name for name, entry in self.table.items() if not entry.hidden]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command; None when the table does not hold its name."""
        if cmd_name not in self.table:
            return None
        module, _, name = self.table[cmd_name].path.partition(":")
        command: click.Command = getattr(importlib.import_module(module), name)
        if command.name != cmd_name:  # another name for a command of another group
            command = copy.copy(command)
            command.name = cmd_name
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command of these arguments; an unknown name raises with the nearest ones."""
        name = args[0]
        unknown = name not in self.table and not name.startswith("-")
        if unknown and not ctx.resilient_parsing:
            raise UnknownCommand(name, self.list_commands(ctx), ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands for `--help`."""
        rows = [(name, self.table[name].help) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete the name of a command, or an option of the group."""
        commands = [
            CompletionItem(name, help=self.table[name].help)
            for name in self.list_commands(ctx)
            if name.startswith(incomplete)
        ]
        return [*commands, *click.Command.shell_complete(self, ctx, incomplete)]


class UnknownCommand(click.UsageError):
    """A command that the group does not have; carries the nearest names."""

    def __init__(self, name: str, commands: list[str], context: click.Context) -> None:
        self.nearest = nearest(name, commands)
        hint = f"commands: {', '.join(commands)}"
        if self.nearest:
            hint = f"did you mean {' or '.join(self.nearest)}?"
        super().__init__(f"no command '{name}'; {hint}", context)
