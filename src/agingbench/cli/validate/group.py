"""`agingbench validate`: the bench proves that it measures what it says."""

from __future__ import annotations

import click

from agingbench.cli.groups import CommandEntry, LazyGroup
from agingbench.cli.options import epilog

_MODULE = "agingbench.cli.validate.commands"

COMMANDS = {
    "bounds": CommandEntry(
        f"{_MODULE}:bounds", "Check that perfect agents score 1 and empty ones 0"
    ),
    "dials": CommandEntry(
        f"{_MODULE}:dials", "Turn one dial at a time and show which metrics move"
    ),
    "faults": CommandEntry(
        f"{_MODULE}:faults", "Plant faults and check that the diagnosis names them"
    ),
    "answers": CommandEntry(
        f"{_MODULE}:answers", "Judge labelled answers and compare with their labels"
    ),
    "texts": CommandEntry(f"{_MODULE}:texts", "Measure whether the texts of lives read like life"),
    "telemetry": CommandEntry(
        f"{_MODULE}:telemetry", "Check audits on agents whose aging is known"
    ),
}


@click.group(
    cls=LazyGroup,
    table=COMMANDS,
    no_args_is_help=False,
    epilog=epilog(
        "agingbench validate bounds --scenario s2 --seeds 10",
        "0 done, 1 an instrument missed its target, 2 wrong input",
    ),
)
def validate() -> None:
    """Check the instruments on agents whose score is known."""
