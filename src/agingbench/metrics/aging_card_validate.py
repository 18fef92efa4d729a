"""`python -m agingbench.metrics.aging_card_validate PATH…`: is every card there valid?

A thin shim over `agingbench.cards.check`, kept under this name because the public documentation
gives it. It is one of the two exceptions to the import rule.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from agingbench.cards.check import cards_to_check, validate_card
from agingbench.cards.model import SCHEMA_VERSION
from agingbench.errors import InputError
from agingbench.traces.files import read_json


def main(arguments: Sequence[str]) -> int:
    """Check cards and folders of cards; 0 when all are valid, 1 when one is not, 2 without any."""
    if not arguments:
        print("usage: python -m agingbench.metrics.aging_card_validate PATH...", file=sys.stderr)
        return 2

    return max([_check(Path(name)) for name in arguments])


def _check(path: Path) -> int:
    try:
        files = cards_to_check(path)
    except InputError as error:
        print(error)
        return 1
    return max([_check_file(file, several=len(files) > 1) for file in files])


def _check_file(file: Path, *, several: bool) -> int:
    try:
        problems = [f"{file}: {problem}" for problem in validate_card(read_json(file))]
    except InputError as error:
        problems = [str(error)]

    verdict = f"OK: card validates against schema {SCHEMA_VERSION}"
    print("\n".join(problems) or (f"{file}: {verdict}" if several else verdict))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
