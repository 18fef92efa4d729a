"""`agingbench trials`: the ledger of evidence."""

from __future__ import annotations

import click

from agingbench.cli.groups import Entry, LazyGroup
from agingbench.cli.options import epilog

_KEEPING = "agingbench.cli.trials.keeping"
_INSPECTING = "agingbench.cli.trials.inspecting"
_IMPORTING = "agingbench.cli.trials.importing"

COMMANDS = {
    "add": Entry(f"{_KEEPING}:add", "Add the trials in folders with their evidence"),
    "verify": Entry(f"{_KEEPING}:verify", "Prove that nothing in the ledger was changed"),
    "seal": Entry(f"{_KEEPING}:seal", "Complete a partial trial by a new record"),
    "review": Entry(f"{_KEEPING}:review", "Attach a review to a trial"),
    "agreement": Entry(f"{_KEEPING}:agreement", "Tell how far reviewers agree"),
    "export": Entry(f"{_KEEPING}:export", "Write trials to a .jsonl or .parquet file"),
    "list": Entry(f"{_INSPECTING}:listing", "List trials"),
    "show": Entry(f"{_INSPECTING}:show", "Show everything about a trial"),
    "trace": Entry(f"{_INSPECTING}:trace", "Print a trace entry by entry"),
    "summary": Entry(f"{_INSPECTING}:summary", "Count turns, calls, tokens and tool errors"),
    "classify": Entry(f"{_INSPECTING}:classify", "Tell what the assistant does in each turn"),
    "compare": Entry(f"{_INSPECTING}:compare", "Compare trials with the first one"),
    "rank": Entry(f"{_INSPECTING}:rank", "Rank by mean reward per task, model and harness"),
    "quarantined": Entry(f"{_INSPECTING}:quarantined", "List files that an import could not read"),
    "import": Entry(f"{_IMPORTING}:import_any", "Import trials of other harnesses"),
    "import-prime": Entry(f"{_IMPORTING}:import_prime", "Import a Prime evaluation"),
    "import-ledger": Entry(f"{_IMPORTING}:import_ledger", "Import a ledger of JSON files"),
    "import-verifiers": Entry(f"{_IMPORTING}:import_verifiers", "Import verifiers rollouts"),
    "import-atif": Entry(f"{_IMPORTING}:import_atif", "Import ATIF trajectories"),
    "import-harbor": Entry(f"{_IMPORTING}:import_harbor", "Import the trials of a Harbor job"),
    "import-inspect": Entry(f"{_IMPORTING}:import_inspect", "Import Inspect logs"),
    "import-trajectory": Entry(f"{_IMPORTING}:import_trajectory", "Import run folders or traces"),
}


@click.group(
    cls=LazyGroup,
    table=COMMANDS,
    no_args_is_help=False,
    epilog=epilog(
        "agingbench trials list --ledger runs --sort reward",
        "0 done, 1 a negative verdict, 2 wrong input",
    ),
)
def trials() -> None:
    """Keep trials as evidence: add, verify, import, inspect.

    A ledger is a `.sqlite` file, a folder that holds one, or a postgresql://
    URL. --ledger or the variable AGINGBENCH_LEDGER names it; else it is the one
    that `agingbench run` writes into `runs`.
    """
