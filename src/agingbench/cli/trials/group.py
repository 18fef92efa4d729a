"""`agingbench trials`: the ledger of evidence."""

from __future__ import annotations

import click

from agingbench.cli.groups import CommandEntry, LazyGroup
from agingbench.cli.options import epilog

_KEEPING = "agingbench.cli.trials.keeping"
_INSPECTING = "agingbench.cli.trials.inspecting"
_RANKING = "agingbench.cli.trials.ranking"
_IMPORTING = "agingbench.cli.trials.importing"

COMMANDS = {
    "add": CommandEntry(f"{_KEEPING}:add", "Add the trials in folders with their evidence"),
    "verify": CommandEntry(f"{_KEEPING}:verify", "Prove that nothing in the ledger was changed"),
    "seal": CommandEntry(f"{_KEEPING}:seal", "Complete a partial trial by a new record"),
    "review": CommandEntry(f"{_KEEPING}:review", "Attach a review to a trial"),
    "agreement": CommandEntry(f"{_KEEPING}:agreement", "Tell how far reviewers agree"),
    "export": CommandEntry(f"{_KEEPING}:export", "Write trials to a .jsonl, .csv or .parquet file"),
    "evidence": CommandEntry(
        f"{_KEEPING}:evidence", "Write the files that prove a trial to a folder"
    ),
    "list": CommandEntry(f"{_INSPECTING}:listing", "List trials"),
    "show": CommandEntry(f"{_INSPECTING}:show", "Show everything about a trial"),
    "trace": CommandEntry(f"{_INSPECTING}:trace", "Print a trace entry by entry"),
    "summary": CommandEntry(f"{_INSPECTING}:summary", "Count turns, calls, tokens and tool errors"),
    "classify": CommandEntry(
        f"{_INSPECTING}:classify", "Tell what the assistant does in each turn"
    ),
    "compare": CommandEntry(f"{_INSPECTING}:compare", "Compare trials with the first one"),
    "rank": CommandEntry(f"{_RANKING}:rank", "Rank systems by mean reward or by cost"),
    "trend": CommandEntry(f"{_RANKING}:trend", "Tell how systems did night by night, and the cost"),
    "quarantined": CommandEntry(
        f"{_INSPECTING}:quarantined", "List files that an import could not read"
    ),
    "import": CommandEntry(f"{_IMPORTING}:import_any", "Import trials of other harnesses"),
    "import-prime": CommandEntry(f"{_IMPORTING}:import_prime", "Import a Prime evaluation"),
    # The older names of `import`: they work and are not listed.
    "import-ledger": CommandEntry(
        f"{_IMPORTING}:import_ledger", "Import a ledger of JSON files", hidden=True
    ),
    "import-verifiers": CommandEntry(
        f"{_IMPORTING}:import_verifiers", "Import verifiers rollouts", hidden=True
    ),
    "import-atif": CommandEntry(
        f"{_IMPORTING}:import_atif", "Import ATIF trajectories", hidden=True
    ),
    "import-harbor": CommandEntry(
        f"{_IMPORTING}:import_harbor", "Import the trials of a Harbor job", hidden=True
    ),
    "import-inspect": CommandEntry(
        f"{_IMPORTING}:import_inspect", "Import Inspect logs", hidden=True
    ),
    "import-trajectory": CommandEntry(
        f"{_IMPORTING}:import_trajectory", "Import run folders or traces", hidden=True
    ),
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
