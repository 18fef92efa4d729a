"""`agingbench card`: look at a card, or check one against the schema."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import click

from agingbench.cli.groups import CommandEntry, LazyGroup
from agingbench.cli.options import ANY_PATH, epilog, json_option
from agingbench.cli.output import console, echo, print_json, print_next, typed
from agingbench.errors import InputError

COMMANDS = {
    "show": CommandEntry("agingbench.cli.card:show", "Print a card"),
    "validate": CommandEntry("agingbench.cli.card:validate", "Check cards against the schema"),
}


class CardCheck(NamedTuple):
    """Whether the card in a file is valid, and everything wrong with it."""

    file: str
    valid: bool
    errors: list[str]


@click.group(
    cls=LazyGroup,
    table=COMMANDS,
    no_args_is_help=False,
    epilog=epilog("agingbench card show runs/…/aging_card.json"),
)
def card() -> None:
    """Show AgingCards and check them against the schema."""


@click.command(epilog=epilog("agingbench card show agingbench-demo/…/aging_card.json"))
@click.argument("file", type=ANY_PATH)
@json_option
def show(file: Path, as_json: bool) -> None:
    """Print a card.

    FILE is a card or a run directory.
    """
    from agingbench.cards.check import load_card

    document = load_card(_card_file(file))
    if as_json:
        print_json(document)
        return
    try:
        _print(document)
        print_next(f"agingbench report {typed(file)}", "the same with its curves, in a browser")
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        # The schema leaves these blocks open, so a valid card may still hold something else.
        raise InputError(
            f"{file}: a block of the card is not laid out as this version writes it"
        ) from error


@click.command(
    epilog=epilog(
        "agingbench card validate aging_card.json", "0 all valid, 1 a card is not, 2 wrong input"
    )
)
@click.argument("files", nargs=-1, required=True, type=ANY_PATH)
@json_option
def validate(files: tuple[Path, ...], as_json: bool) -> int:
    """Check cards against the schema.

    FILES are cards, run directories, or folders that hold some.
    """
    from agingbench.cards.check import cards_to_check, validate_card
    from agingbench.cards.model import SCHEMA_VERSION
    from agingbench.traces.files import read_json

    checks: list[CardCheck] = []
    for path in files:
        try:
            cards = cards_to_check(path)
        except InputError as error:
            checks.append(CardCheck(str(path), False, [str(error)]))
            continue
        for file in cards:
            try:
                errors = validate_card(read_json(file))
            except InputError as error:
                errors = [str(error)]
            shown_file = path if len(cards) == 1 else file
            checks.append(CardCheck(str(shown_file), not errors, errors))

    if as_json:
        print_json([check._asdict() for check in checks])
    else:
        for check in checks:
            lines = check.errors or [f"OK: card validates against schema {SCHEMA_VERSION}"]
            for line in lines:
                echo(f"{check.file}: {line}")
    return int(not all(check.valid for check in checks))


def _print(document: dict[str, Any]) -> None:
    from agingbench.cards.audit import AuditCard
    from agingbench.cards.model import Card
    from agingbench.report.audit import print_audit
    from agingbench.report.resumption import print_resumption_card
    from agingbench.report.terminal import print_card

    # Audits and resumptions have no life: its tables would be empty and their figures unseen.
    if isinstance(document.get("trace_audit"), dict):
        print_audit(AuditCard.read(document), (), console())
    elif isinstance(document.get("resumption"), dict):
        print_resumption_card(Card.read(document), console())
    else:
        print_card(document, console())


def _card_file(path: Path) -> Path:
    return path / "aging_card.json" if path.is_dir() else path
