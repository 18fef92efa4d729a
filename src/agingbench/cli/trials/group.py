"""`agingbench trials`: the ledger of evidence; its commands lie in the files named trials_*."""

from __future__ import annotations

import click

from agingbench.cli.trials.importing import IMPORTS
from agingbench.cli.trials.inspecting import INSPECTIONS
from agingbench.cli.trials.keeping import KEEPING


@click.group(
    no_args_is_help=False, epilog="Example: agingbench trials list --ledger runs --sort reward"
)
def trials() -> None:
    """Evidence that cannot be rewritten: add, check, import, inspect and cite trials.

    A ledger is a `.sqlite` file, a folder that holds one, or a postgresql:// URL; --ledger or the
    variable AGINGBENCH_LEDGER names it, else it is the one that `agingbench run` writes into
    `runs`.
    """


for command in (*KEEPING, *INSPECTIONS, *IMPORTS):
    trials.add_command(command)
