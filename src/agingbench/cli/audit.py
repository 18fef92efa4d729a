"""`agingbench audit`: is a deployed agent aging, from the traces it already produced."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from agingbench.cards.check import load_card, save_card
from agingbench.cli.options import console, json_option, print_json
from agingbench.errors import InputError, StorageError
from agingbench.report.audit import compare_audits, print_audit, print_comparison, print_fleet
from agingbench.telemetry.audit import AUTO, Audit, audit_path
from agingbench.telemetry.card import record_counts
from agingbench.telemetry.profile import SIMILARITIES

_COUNTS = ("used", "ignored", "duplicate", "malformed")


@click.command(
    epilog="Example: agingbench audit ~/.claude/projects --profile code_assistant --out audits"
)
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "--format",
    "trace_format",
    default="auto",
    show_default=True,
    help="See `agingbench list formats`.",
)
@click.option(
    "--profile",
    default=AUTO,
    show_default=True,
    help=(
        "generic, code_assistant or a YAML file; auto takes code_assistant for the formats of"
        " coding agents."
    ),
)
@click.option(
    "--outcomes",
    type=click.Path(path_type=Path),
    default=None,
    help="A JSONL file of outcome events.",
)
@click.option(
    "--extract",
    "extractors",
    multiple=True,
    metavar="NAME[:ARG]",
    help="claude_session_flags, record_patterns or git_log:REPO; repeatable.",
)
@click.option(
    "--since", default=None, metavar="DATE", help="Leave out what is older, such as 2026-01-31."
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=None,
    help="Write the card here.",
)
@click.option(
    "--against",
    type=click.Path(path_type=Path),
    default=None,
    help="Compare with an earlier audit's card.",
)
@click.option(
    "--fail-on",
    type=click.Choice(["aging"]),
    default=None,
    help="Exit 1 when aging is detected; where it cannot be told, exit 0 and say so.",
)
@click.option(
    "--similarity",
    type=click.Choice(SIMILARITIES),
    default=None,
    help=(
        "How repeated requests are found: words (as in the profiles) or embed, with the extra of"
        " that name."
    ),
)
@click.option(
    "--no-scrub", is_flag=True, help="Leave secrets and personal data in; the card says so."
)
@json_option
def audit(
    path: Path,
    trace_format: str,
    profile: str,
    outcomes: Path | None,
    extractors: tuple[str, ...],
    since: str | None,
    out: Path | None,
    against: Path | None,
    fail_on: str | None,
    similarity: str | None,
    no_scrub: bool,
    as_json: bool,
) -> int:
    """Audit a trace file, a project folder, a whole fleet of projects, or an archive.

    Prints a Lifespan Card: what aged, how sure that is, and what could not have been seen. A folder
    that holds several projects gives one row for each, the most evident first.
    """
    earlier = None if against is None else _trace_card(against)
    overrides = None if similarity is None else {"similarity": similarity}
    err = Console(stderr=True)
    with err.status("reading traces") if err.is_terminal and not as_json else _quiet():
        found = audit_path(
            path,
            profile,
            trace_format=trace_format,
            since=_date(since),
            outcomes_jsonl=outcomes,
            extractors=extractors,
            scrubbed=not no_scrub,
            overrides=overrides,
        )
    if earlier is not None and len(found) > 1:
        raise InputError(
            f"--against compares one agent; {path} holds {len(found)} projects: audit one of them"
        )
    comparison = None if earlier is None else compare_audits(earlier, found[0].card)
    written = [] if out is None else _save(found, out)
    if as_json:
        print_json(_document(found, comparison))
    else:
        _show(found, comparison, written, no_scrub)
    if fail_on is None:
        return 0
    aging = any(a.detected for a in found)
    if not aging:
        _say_why_not(found)
    return 1 if aging else 0


def _say_why_not(found: list[Audit]) -> None:
    """An answer that is open does not fail; whoever waits for a no should know that none was given."""
    unsure = sum(a.detected is None for a in found)
    if len(found) > 1:
        click.echo(
            f"--fail-on aging: no project ages as far as can be told; {unsure} cannot be told",
            err=True,
        )
    elif unsure:
        reason = found[0].card["headline"]["aging_reason"]
        click.echo(f"--fail-on aging: cannot tell ({reason}); that does not fail", err=True)
    else:
        click.echo("--fail-on aging: no aging detected", err=True)


def _quiet() -> Any:
    import contextlib

    return contextlib.nullcontext()


def _trace_card(path: Path) -> dict[str, Any]:
    card = load_card(path / "aging_card.json" if path.is_dir() else path)
    if not isinstance(card.get("trace_audit"), dict):
        raise InputError(f"{path}: not the card of an audit")
    return card


def _date(text: str | None) -> float | None:
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise InputError(
            f"--since {text}: write a date as 2026-01-31 or 2026-01-31T08:00"
        ) from error
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _save(found: list[Audit], out: Path) -> list[Path]:
    written: list[Path] = []
    taken: set[str] = set()
    for one in found:
        # Names come from folders on disk and may hold anything; only a plain name becomes a folder
        # of ours.
        name = re.sub(r"[^A-Za-z0-9._-]+", "-", one.name).strip(".-") or "project"
        while name in taken:
            name += "_"
        taken.add(name)
        folder = out / name if len(found) > 1 else out
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError(f"cannot make {folder}: {error.strerror or error}") from error
        save_card(one.card, folder / "aging_card.json")
        written.append(folder / "aging_card.json")
    return written


def _document(found: list[Audit], comparison: dict[str, Any] | None) -> dict[str, Any]:
    if len(found) == 1:
        document = _row(found[0])
        for key in ("name", "p_fleet", "aging_detected", "aging_detected_uncorrected"):
            del document[key]
        return document if comparison is None else {**document, "against": comparison}
    rows = [_row(one) for one in found]
    totals = {key: sum(row["records"][key] for row in rows) for key in _COUNTS}
    files = [file for row in rows for file in row["files"]]
    problems = [problem for row in rows for problem in row["problems"]]
    document = {
        "card": rows[0]["card"],
        "records": totals,
        "files": files,
        "problems": problems,
        "evidence": rows[0]["evidence"],
        "fleet": rows,
    }
    outcomes = _outcome_counts(found)
    return (
        document
        if outcomes is None
        else {**document, "outcomes": {**outcomes, "problems": _outcome_problems(found)}}
    )


def _outcome_counts(found: list[Audit]) -> dict[str, int] | None:
    """What became of outcomes that were given for a whole fleet."""
    return None if found[0].fleet is None else found[0].fleet.outcome_counts()


def _outcome_problems(found: list[Audit]) -> list[dict[str, Any]]:
    return [] if found[0].fleet is None else found[0].fleet.problems


def _row(one: Audit) -> dict[str, Any]:
    return {
        "name": one.name,
        "card": one.card,
        "records": one.card.get("records") or record_counts(one.log).document(),
        "files": one.files,
        "problems": one.problems,
        "evidence": one.card["trace_audit"]["dominant_mechanism"]["evidence"],
        "aging_detected": one.detected,
        "aging_detected_uncorrected": (
            one.card["headline"].get("aging_detected_uncorrected", one.detected)
        ),
        "p": one.p,
        "p_fleet": one.p_fleet,
    }


def _show(
    found: list[Audit], comparison: dict[str, Any] | None, written: list[Path], no_scrub: bool
) -> None:
    screen = console()
    if len(found) == 1:
        print_audit(found[0].card, found[0].problems, screen)
    else:
        rows = [(a.name, a.detected, a.card, a.p, a.p_fleet) for a in found]
        print_fleet(
            rows,
            screen,
            _outcome_counts(found),
            [*_outcome_problems(found), *(p for a in found for p in a.problems)],
        )
    if comparison is not None:
        print_comparison(comparison, screen)
    for path in written:
        click.echo(f"wrote {path}", err=True)
    if no_scrub:
        click.echo(
            "not scrubbed: secrets and personal data may stand in what was written", err=True
        )
