"""Asks for the user's trust before anything that a file names is loaded or sent a key.

Code is named on the command line, from Python or by an installed entry point. A YAML file or a run
folder may come from a stranger, so what it names is loaded only where the user trusts it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from agingbench.errors import UntrustedFile

CODE = "is code that would run as you"
SERVER = "is a server that would be sent your key"


class Demand(NamedTuple):
    """Something in a file that needs trust: the key it stands under, its value, what it does."""

    key: str
    value: str
    effect: str = CODE

    def __str__(self) -> str:
        return f"{self.key} '{self.value}' {self.effect}"


def require_trust(file: object, demands: Iterable[Demand], trust: bool) -> None:
    """Raise UntrustedFile where a file demands something and the user did not say `--trust`."""
    listed = list(dict.fromkeys(str(demand) for demand in demands))
    if listed and not trust:
        raise UntrustedFile(
            f"{file}: {', '.join(listed)}; nothing was loaded. Read the file, then give --trust"
            " (trust=True in Python), or name this on the command line in place of the file"
        )
