"""Prints the lowest version of every direct dependency, as pins for `pip install`: `make test-lowest`."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

# What the lowest environment installs beside the core: enough to test models, ledgers and vectors.
EXTRAS = ("openai", "anthropic", "postgres", "embed")


def lowest_pins(project: dict[str, object]) -> list[str]:
    """Return `name==version` for each `name>=version` of the core and of the tested extras."""
    dependencies: list[str] = list(project["dependencies"])  # type: ignore[call-overload]
    extras: dict[str, list[str]] = dict(project["optional-dependencies"])  # type: ignore[call-overload]
    for extra in EXTRAS:
        dependencies += extras[extra]
    return [re.sub(r">=", "==", dependency) for dependency in dependencies]


if __name__ == "__main__":
    document = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())
    sys.stdout.write("\n".join(lowest_pins(document["project"])) + "\n")
