"""`python -m agingbench.metrics.aging_card_validate FILE…`: does each file hold a valid AgingCard?

A thin shim over `agingbench.cards.check`, kept under this name because the public documentation
gives it. It is one of the two exceptions to the import rule.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from agingbench.cards.check import validate_card
from agingbench.cards.model import SCHEMA_VERSION
from agingbench.errors import InputError
from agingbench.traces.files import read_json


def main(arguments: Sequence[str]) -> int:
    """Check every file; 0 when all are valid, 1 when one is not, 2 when none was given."""
    if not arguments:
        print("usage: python -m agingbench.metrics.aging_card_validate FILE...", file=sys.stderr)
        return 2

    return max([_check(Path(name)) for name in arguments])


def _check(path: Path) -> int:
    try:
        problems = [f"{path}: {problem}" for problem in validate_card(read_json(path))]
    except InputError as error:
        problems = [str(error)]

    print("\n".join(problems) or f"OK: card validates against schema {SCHEMA_VERSION}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
