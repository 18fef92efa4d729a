"""`agingbench card`: look at a card, or check one against the schema."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from agingbench.cards.check import load_card, validate_card
from agingbench.cards.model import SCHEMA_VERSION
from agingbench.cli.options import console, json_option, print_json
from agingbench.errors import InputError
from agingbench.report.audit import print_audit
from agingbench.report.resumption import print_resumption_card
from agingbench.report.terminal import print_card
from agingbench.traces.files import read_json


@click.group(no_args_is_help=False)
def card() -> None:
    """Show and validate AgingCards."""


@card.command(epilog="Example: agingbench card show agingbench-demo/…/aging_card.json")
@click.argument("file", type=click.Path(path_type=Path))
@json_option
def show(file: Path, as_json: bool) -> None:
    """Print a card. FILE may be a run directory."""
    found = load_card(_card_file(file))
    if as_json:
        print_json(found)
    else:
        try:
            _print(found)
        except (
            AttributeError,
            KeyError,
            TypeError,
            ValueError,
        ) as error:  # the schema leaves these blocks open
            raise InputError(
                f"{file}: a block of the card is not laid out as this version writes it"
            ) from error


@card.command(epilog="Example: agingbench card validate aging_card.json")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@json_option
def validate(files: tuple[Path, ...], as_json: bool) -> int:
    """Check cards against the schema; exit 1 when one is not valid."""
    worst = 0
    for file in files:
        try:
            errors = validate_card(read_json(_card_file(file)))
        except InputError as error:
            errors = [str(error)]
        worst = max(worst, int(bool(errors)))
        if as_json:
            print_json({"file": str(file), "valid": not errors, "errors": errors})
        elif errors:
            for line in errors:
                click.echo(f"{file}: {line}")
        else:
            click.echo(f"{file}: OK: card validates against schema {SCHEMA_VERSION}")
    return worst


def _print(found: dict[str, Any]) -> None:
    # An audit or a resumption has no life: the life's tables would be empty and its own figures
    # unseen.
    if isinstance(found.get("trace_audit"), dict):
        print_audit(found, (), console())
    elif isinstance(found.get("resumption"), dict):
        print_resumption_card(found, console())
    else:
        print_card(found, console())


def _card_file(path: Path) -> Path:
    return path / "aging_card.json" if path.is_dir() else path
