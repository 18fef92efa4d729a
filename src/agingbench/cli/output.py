"""What commands print: one JSON document, one progress bar, one console, and paths as typed."""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, ProgressColumn, Task, TaskID

ENVELOPE_VERSION = 1

# Signs that drive a terminal and that JSON need not escape; it may.
_INVISIBLE = re.compile("[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")

# Whether this command has printed its document; an error is then told on standard error only.
document_printed: ContextVar[bool] = ContextVar("document_printed", default=False)


def print_json(data: Any, kind: str | None = None) -> None:
    """Print the one JSON document of the running command: `{"kind", "version", "data"}`.

    The kind is the command's path, such as `run` or `trials.list`, unless `kind` names another.
    """
    envelope = {
        "kind": kind or _command_kind(click.get_current_context()),
        "version": ENVELOPE_VERSION,
        "data": data,
    }
    text = json.dumps(envelope, ensure_ascii=False, allow_nan=False)
    document_printed.set(True)
    click.echo(_INVISIBLE.sub(_escaped, text))


def print_error_json(message: str, exit_code: int, nearest: list[str], hint: str | None) -> None:
    """Print an error as JSON, unless the command has printed its document already."""
    if document_printed.get():
        return
    data = {"message": message, "exit_code": exit_code, "nearest": nearest, "hint": hint}
    envelope = {"kind": "error", "version": ENVELOPE_VERSION, "data": data}
    click.echo(_INVISIBLE.sub(_escaped, json.dumps(envelope, ensure_ascii=False)))


def _escaped(match: re.Match[str]) -> str:
    return f"\\u{ord(match.group()):04x}"


def _command_kind(context: click.Context) -> str:
    names: list[str] = []
    while context.parent is not None:
        names.insert(0, context.command.name or "")
        context = context.parent
    return ".".join(names)


def console() -> Console:
    """The console for people: standard output."""
    from rich.console import Console

    # Text of traces and files is never markup.
    return Console(highlight=False, markup=False, emoji=False)


def echo(text: str = "", *, nl: bool = True, err: bool = False) -> None:
    """Print text without characters that would drive a terminal."""
    from agingbench.report.text import printable_lines

    click.echo(printable_lines(text), nl=nl, err=err)


class Bar:
    """A progress bar on standard error; without a terminal every method does nothing."""

    def __init__(self, progress: Progress | None = None, task: TaskID | None = None) -> None:
        self._progress = progress
        self._task = task

    def __call__(self, _: object = None) -> None:
        """Advance by one step; the argument is ignored, so that a bar serves as any callback."""
        if self._progress is not None and self._task is not None:
            self._progress.advance(self._task)

    def set(self, done: float, total: int) -> None:
        """Show that `done` of `total` steps are done."""
        if self._progress is not None and self._task is not None:
            self._progress.update(self._task, completed=done, total=total)


@contextmanager
def progress_bar(
    label: str,
    total: int | None,
    as_json: bool,
    note: Callable[[], str] | None = None,
) -> Iterator[Bar]:
    """Show one progress bar on standard error; none with --json or without a terminal.

    `note` is asked again and again for a few words that stand beside the bar.
    """
    if as_json or not sys.stderr.isatty():
        yield Bar()
        return

    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    stderr = Console(stderr=True, markup=False, emoji=False)
    if not stderr.is_terminal:
        yield Bar()
        return

    columns: tuple[ProgressColumn, ...] = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    if note is not None:
        columns = (*columns, note_column(note))
    with Progress(*columns, console=stderr, transient=True) as progress:
        yield Bar(progress, progress.add_task(label, total=total))


def note_column(note: Callable[[], str]) -> ProgressColumn:
    """A column of a progress bar that shows what `note` says at the moment."""
    from rich.progress import ProgressColumn
    from rich.text import Text

    class NoteColumn(ProgressColumn):
        """Asks for its words whenever the bar is drawn."""

        def render(self, task: Task) -> Text:
            """The words as they are now."""
            return Text(note(), "dim")

    return NoteColumn()


def print_next(command: str, why: str) -> None:
    """End a verdict with the next command to type, as a line that can be pasted."""
    echo(f"Next: {command}  # {why}")


def typed(path: Path) -> str:
    """A path as it is typed in a shell."""
    return shlex.quote(shown(path))


def shown(path: Path) -> str:
    """A path as the user would type it: relative to the working directory where possible."""
    from agingbench.report.text import printable_lines

    try:
        return printable_lines(str(path.resolve().relative_to(Path.cwd())))
    except ValueError:
        return printable_lines(str(path))
