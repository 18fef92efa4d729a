"""`agingbench audit`: is a deployed agent aging, from the traces it already produced."""

from __future__ import annotations

import re
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from agingbench.cli.moments import parse_moment
from agingbench.cli.options import (
    ANY_PATH,
    OneOf,
    engine_option,
    epilog,
    format_option,
    json_option,
    out_option,
    price_option,
    profile_option,
)
from agingbench.cli.output import (
    console,
    echo,
    print_json,
    print_next,
    progress_bar,
    shown,
    typed,
)
from agingbench.cli.places import transcript_places
from agingbench.errors import InputError, StorageError

if TYPE_CHECKING:
    from agingbench.cards.audit import AuditCard, AuditChange
    from agingbench.telemetry.audit import Audit

SIMILARITIES = ("words", "embed")  # those of the telemetry profile, without importing it


@click.command(
    epilog=epilog(
        "agingbench audit ~/.claude/projects --profile code_assistant --out audits",
        "0 done, 1 aging detected (only with --fail-on aging), 2 wrong input",
    )
)
@click.argument("path", type=ANY_PATH, required=False, metavar="[PATH]")
@format_option
@profile_option
@click.option("--outcomes", type=ANY_PATH, default=None, help="A JSONL file of outcome events.")
@click.option(
    "--extract",
    "extractors",
    multiple=True,
    metavar="NAME[:ARG]",
    help="claude_session_flags, record_patterns or git_log:REPO; repeatable.",
)
@click.option(
    "--since",
    default=None,
    metavar="DATE",
    help="Leave out what is older: 2026-01-31, or '3 months ago'.",
)
@out_option("Folder that the card is written to.")
@click.option(
    "--against", type=ANY_PATH, default=None, help="Compare with the card of an earlier audit."
)
@click.option(
    "--fail-on",
    type=OneOf(["aging"]),
    default=None,
    help="Exit 1 when aging is detected; where it cannot be told, exit 0 and say so.",
)
@click.option(
    "--similarity",
    type=OneOf(SIMILARITIES),
    default=None,
    help="How repeated requests are found: by words, or by embed with the extra of that name.",
)
@price_option
@click.option(
    "--no-scrub", is_flag=True, help="Leave secrets and personal data in; the card says so."
)
@click.option(
    "--ledger",
    "-l",
    "place",
    default=None,
    metavar="PATH|URL",
    help="Keep each audit as a trial here, with its scrubbed card and no transcript.",
)
@click.option(
    "--no-cache",
    is_flag=True,
    help="Read every project again, and keep nothing for the next audit.",
)
@engine_option
@json_option
def audit(
    path: Path | None,
    trace_format: str,
    profile: str,
    outcomes: Path | None,
    extractors: tuple[str, ...],
    since: str | None,
    out: Path | None,
    against: Path | None,
    fail_on: str | None,
    similarity: str | None,
    own_prices: tuple[str, ...],
    no_scrub: bool,
    place: str | None,
    no_cache: bool,
    engine: str,
    as_json: bool,
) -> int:
    """Tell from its traces whether an agent is getting worse.

    PATH is a trace file, a project folder, a folder of many projects or an
    archive. Without it, ~/.claude/projects and ~/.codex/sessions are read as
    far as they are there. Prints the answer in a sentence, what the agent cost,
    what it did week by week, what changed and when, and what to do next.
    Several projects give one row each, the most evident first.
    """
    from agingbench.engines.build import remote_engine
    from agingbench.engines.local import cores
    from agingbench.models.prices import load_prices, parse_price
    from agingbench.telemetry.audit import audit_path
    from agingbench.telemetry.audit_cache import default_cache

    prices = load_prices().with_prices(dict(parse_price(text) for text in own_prices))
    earlier = None if against is None else _trace_card(against)
    overrides = None if similarity is None else {"similarity": similarity}
    moment = None if since is None else parse_moment(since, "--since").timestamp()
    paths = [path] if path is not None else _found_places()
    with progress_bar("reading traces", None, as_json), ExitStack() as stack:
        distant = remote_engine(engine)
        if distant is not None:
            stack.enter_context(distant)
        audits = audit_path(
            paths,
            profile,
            trace_format=trace_format,
            since=moment,
            outcomes_jsonl=outcomes,
            extractors=extractors,
            scrubbed=not no_scrub,
            overrides=overrides,
            prices=prices,
            workers=cores(),
            cache=None if no_cache else default_cache(),
            engine=distant,
        )

    names = " and ".join(shown(one) for one in paths)
    if earlier is not None and len(audits) > 1:
        raise InputError(
            f"--against compares one agent; {names} holds {len(audits)} projects: audit one of them"
        )
    change = None
    if earlier is not None:
        from agingbench.cards.audit import AuditCard, compare_audits

        change = compare_audits(earlier, AuditCard.read(audits[0].card))
    if place is not None:
        from agingbench.telemetry.trials import keep_audits

        audits = keep_audits(place, audits)
    files = [] if out is None else _save(audits, out)

    if as_json:
        print_json(_document(audits, change))
    else:
        _print_audits(audits, change, files, no_scrub, path)
        _print_way_on(path, out)
    if fail_on is None:
        return 0
    aging = any(one.detected for one in audits)
    if not aging:
        _explain_pass(audits)
    return int(aging)


def _explain_pass(audits: list[Audit]) -> None:
    """Say on standard error why --fail-on does not fail: an open answer is not a no."""
    unsure = sum(one.detected is None for one in audits)
    if len(audits) > 1:
        message = f"no project ages as far as can be told; {unsure} cannot be told"
    elif unsure:
        reason = audits[0].trace_card.headline.aging_reason
        message = f"cannot tell ({reason}); that does not fail"
    else:
        message = "no aging detected"
    echo(f"--fail-on aging: {message}", err=True)


def _trace_card(path: Path) -> AuditCard:
    import msgspec

    from agingbench.cards.audit import AuditCard
    from agingbench.cards.check import cards_to_check, load_card

    files = cards_to_check(path)
    if len(files) > 1:
        raise InputError(f"{path}: holds {len(files)} cards; name the folder of one of them")
    card = load_card(files[0])
    if not isinstance(card.get("trace_audit"), dict):
        raise InputError(f"{path}: not the card of an audit")
    try:
        return AuditCard.read(card)
    except msgspec.ValidationError as error:
        raise InputError(f"{path}: not the card of an audit: {error}") from error


def _found_places() -> list[Path]:
    places = transcript_places()
    echo(f"reading {' and '.join(shown(place) for place in places)}", err=True)
    return places


def _print_way_on(path: Path | None, out: Path | None) -> None:
    if out is not None:
        print_next(f"agingbench report {typed(out)}", "cost, changes and signals in a browser")
        return
    words = ["agingbench", "audit", "--out", "audits"]
    if path is not None:
        words.insert(2, typed(path))
    echo(f"To keep it: {' '.join(words)}  # then, in a browser: agingbench report audits")


def _save(audits: list[Audit], out: Path) -> list[Path]:
    from agingbench.cards.check import save_card

    files: list[Path] = []
    names: set[str] = set()
    for one in audits:
        # Project names come from folders on disk and may hold anything; ours are plain.
        name = re.sub(r"[^A-Za-z0-9._-]+", "-", one.name).strip(".-") or "project"
        while name in names:
            name += "_"
        names.add(name)

        # The place stays the same when other projects come to lie beside it.
        folder = out / name if one.is_part else out
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError(f"cannot make {folder}: {error.strerror or error}") from error
        file = folder / "aging_card.json"
        save_card(one.card, file)
        files.append(file)
    return files


def _document(audits: list[Audit], change: AuditChange | None) -> object:
    """The JSON of one project, or of the most evident one with all of them as `fleet`."""
    import msgspec

    from agingbench.telemetry.documents import audit_document, fleet_document

    if len(audits) == 1:
        return msgspec.to_builtins(audit_document(audits[0], change))
    return msgspec.to_builtins(fleet_document(audits))


def _print_audits(
    audits: list[Audit],
    change: AuditChange | None,
    files: list[Path],
    no_scrub: bool,
    path: Path | None,
) -> None:
    from agingbench.cards.audit import AuditCard
    from agingbench.report.audit import FleetRow, print_audit, print_comparison, print_fleet

    screen = console()
    if len(audits) == 1:
        # As with names of projects: pipes and files are not told what a path may give away.
        place = typed(path) if path is not None and screen.is_terminal else "PATH"
        print_audit(AuditCard.read(audits[0].card), audits[0].problems, screen, place)
    else:
        fleet = audits[0].fleet
        rows = []
        for one in audits:
            card = AuditCard.read(one.card)
            # The owner's own terminal shows names in full; pipes and files get scrubbed ones.
            name = one.own_name if screen.is_terminal else one.name
            rows.append(FleetRow(name, one.detected, card))
        problems = [] if fleet is None else list(fleet.problems)
        for one in audits:
            problems += one.problems
        counts = None if fleet is None else fleet.outcome_counts()
        print_fleet(rows, screen, counts, problems)
    if change is not None:
        print_comparison(change, screen)

    for file in files:
        echo(f"wrote {file}", err=True)
    if no_scrub:
        echo("not scrubbed: secrets and personal data may stand in what was written", err=True)
