"""`agingbench watch`: keeps transcripts as they come, and tells when an answer changes."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from agingbench.cli.options import (
    ANY_PATH,
    OneOf,
    epilog,
    json_option,
    out_option,
    price_option,
    profile_option,
)
from agingbench.cli.output import console, echo, print_json, shown
from agingbench.cli.places import transcript_places
from agingbench.errors import InputError, RunConflict, StorageError

if TYPE_CHECKING:
    from agingbench.cards.audit import AnswerNotice
    from agingbench.telemetry.audit import AuditRequest
    from agingbench.telemetry.watch.watcher import Watcher, WatchStep

EVERY = 60.0  # seconds between two looks
LOG = "background.log"


@click.command(
    epilog=epilog(
        "agingbench watch --once --out ~/agent-watch",
        "0 done, 1 what --fail-on names (with --once), 2 wrong input",
    )
)
@click.argument("path", type=ANY_PATH, required=False, metavar="[PATH]")
@out_option(
    "Folder of the archive, the cards and the notices.  [default: ~/.local/share/agingbench/watch]"
)
@click.option("--once", is_flag=True, help="Look once and end: for cron and for hooks.")
@click.option(
    "--every",
    type=click.FloatRange(1.0),
    default=EVERY,
    show_default=True,
    metavar="SECONDS",
    help="Time between two looks.",
)
@click.option(
    "--background",
    is_flag=True,
    help="Look once in a process of its own and return at once: for hooks that must be quick.",
)
@click.option("--quiet", is_flag=True, help="Print nothing; notices wait for a later run.")
@click.option("--news", is_flag=True, help="Print the notices that wait, and look at nothing.")
@profile_option
@price_option
@click.option(
    "--fail-on",
    type=OneOf(["aging", "change"]),
    default=None,
    help="With --once: exit 1 when a project ages, or when an answer changed.",
)
@json_option
def watch(
    path: Path | None,
    out: Path | None,
    once: bool,
    every: float,
    background: bool,
    quiet: bool,
    news: bool,
    profile: str,
    own_prices: tuple[str, ...],
    fail_on: str | None,
    as_json: bool,
) -> int:
    """Keep transcripts as they come, and tell when an answer changes.

    Looks at PATH again and again (without it, at ~/.claude/projects and
    ~/.codex/sessions): adds what is new to an archive, audits the projects
    that changed, and prints a notice with the reason when an answer differs
    from the one before. Transcripts that their client deletes later stay in
    the audit. The archive holds them as they are, secrets included, readable
    by you alone. Stop with Ctrl-C; nothing is lost by a kill either.
    """
    folder = _folder(out)
    if news:
        return _print_news(folder, as_json)
    if fail_on is not None and not once:
        raise InputError("--fail-on needs --once: a watch that goes on has no verdict")
    if background:
        return _start(path, folder, profile, own_prices)

    places = [path] if path is not None else transcript_places()
    places = [Path(os.path.abspath(place.expanduser())) for place in places]
    watcher = _watcher(places, folder, _request(profile, own_prices))
    names = " and ".join(shown(place) for place in places)
    if not quiet and not as_json:
        rate = "once" if once else f"every {every:g} seconds, Ctrl-C stops"
        echo(f"watching {names} {rate}; raw copies, for you alone, in {shown(folder)}", err=True)
    if once:
        return _look(watcher, quiet, as_json, fail_on)

    try:
        while True:
            _look_or_wait(watcher, quiet, as_json)
            time.sleep(every)
    except KeyboardInterrupt:
        return 0


def _folder(out: Path | None) -> Path:
    if out is not None:
        return Path(os.path.abspath(out.expanduser()))
    base = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(base).expanduser() / "agingbench" / "watch"


def _request(profile: str, own_prices: Sequence[str]) -> AuditRequest:
    from agingbench.models.prices import load_prices, parse_price
    from agingbench.telemetry.audit import AUTO, AuditRequest
    from agingbench.telemetry.profile import load_profile

    prices = load_prices().with_prices(dict(parse_price(text) for text in own_prices))
    return AuditRequest(
        profile=profile if profile == AUTO else load_profile(profile, None),
        prices=prices,
    )


def _watcher(places: Sequence[Path], folder: Path, request: AuditRequest) -> Watcher:
    from agingbench.telemetry.watch.watcher import Watcher

    return Watcher(places, folder, request)


def _look_or_wait(watcher: Watcher, quiet: bool, as_json: bool) -> None:
    """Look once; a folder that another process is busy with is looked at the next time."""
    try:
        _look(watcher, quiet, as_json)
    except RunConflict as error:
        echo(str(error), err=True)


def _look(watcher: Watcher, quiet: bool, as_json: bool, fail_on: str | None = None) -> int:
    """Take one step, show what is new, and return the exit code."""
    import msgspec

    from agingbench.telemetry.watch.documents import step_document

    step = watcher.step()
    notices = step.notices if quiet else watcher.notices.unread()
    if as_json and not quiet:
        print_json(msgspec.to_builtins(step_document(step, notices)))
    elif not quiet:
        _print_step(step)
        _print_notices(notices)
    if not quiet:
        watcher.notices.mark_shown()

    if fail_on == "change":
        return int(bool(notices))
    return int(fail_on == "aging" and any(one.audit.detected for one in step.projects))


def _print_step(step: WatchStep) -> None:
    """One line for each project that is new, or for all of them together where many are."""
    from agingbench.report.audit import ANSWER_WORDS

    archived = step.archived
    added = archived.new + archived.grown + archived.rewritten
    changed = [project for project in step.projects if project.is_new]
    if not step.projects:
        echo("no transcripts yet", err=True)
    if not added and not changed:
        return

    clock = time.strftime("%H:%M:%S")
    kept = f"{added} transcript{'s' * (added != 1)} kept, {archived.bytes_added:,} bytes"
    sessions = sum(project.audit.n_sessions for project in step.projects)
    n_projects = len(step.projects)
    total = f"{n_projects} project{'s' * (n_projects != 1)}"
    total += f", {sessions} session{'s' * (sessions != 1)}"
    echo(f"{clock}  {kept}; {total}; {step.seconds:.1f} s")
    if archived.unreadable:
        echo(f"          {archived.unreadable} could not be read", err=True)

    own_names = sys.stdout.isatty()
    for project in changed:
        audit = project.audit
        name = audit.own_name if own_names else audit.name
        word = ANSWER_WORDS[audit.detected]
        reason = audit.trace_card.headline.aging_reason
        because = f" ({reason})" if reason else ""
        count = f"{audit.n_sessions} session{'s' * (audit.n_sessions != 1)}"
        echo(f"          {name}: {count}, aging: {word}{because}")


def _print_notices(notices: Sequence[AnswerNotice]) -> None:
    from agingbench.report.audit import print_notice

    screen = console()
    for notice in notices:
        print_notice(notice, screen)


def _print_news(folder: Path, as_json: bool) -> int:
    import msgspec

    from agingbench.telemetry.watch.notices import Notices

    journal = Notices(folder)
    notices = journal.unread()
    if as_json:
        print_json({"notices": msgspec.to_builtins(notices)})
    else:
        _print_notices(notices)
    if notices:
        journal.mark_shown()
    return 0


def _start(
    path: Path | None,
    folder: Path,
    profile: str,
    own_prices: Sequence[str],
) -> int:
    """Start a look in a process of its own, which outlives this one."""
    from agingbench.traces.files import private_folder

    command = [sys.executable, "-m", "agingbench", "watch", "--once", "--quiet"]
    command += ["--out", str(folder), "--profile", profile]
    for price in own_prices:
        command += ["--price", price]
    if path is not None:
        command += ["--", str(path)]

    try:
        private_folder(folder)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        log = os.open(folder / LOG, flags, 0o600)
        try:
            subprocess.Popen(  # noqa: S603
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        finally:
            os.close(log)
    except OSError as error:
        raise StorageError(f"cannot look in the background: {error.strerror or error}") from error
    return 0
