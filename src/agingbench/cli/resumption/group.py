"""`agingbench resumption`: does the next agent carry on correctly from its hand-over?"""

from __future__ import annotations

import click

from agingbench.cli.groups import CommandEntry, LazyGroup
from agingbench.cli.options import epilog

_EPISODES = "agingbench.cli.resumption.episodes"
_GRADING = "agingbench.cli.resumption.grading"
_RUNS = "agingbench.cli.resumption.runs"
_STATISTICS = "agingbench.cli.resumption.statistics"

COMMANDS = {
    "init": CommandEntry(f"{_EPISODES}:init", "Make a benchmark folder"),
    "check": CommandEntry(f"{_EPISODES}:check", "Check every episode of a benchmark folder"),
    "cut": CommandEntry(f"{_EPISODES}:cut", "Draft an episode from a real trace"),
    "calibrate": CommandEntry(
        f"{_STATISTICS}:calibrate", "Compare a judge with the reference grades"
    ),
    "grade": CommandEntry(f"{_GRADING}:grade", "Grade notes by hand"),
    "plan": CommandEntry(f"{_STATISTICS}:plan", "Tell how many episodes an effect needs"),
    "run": CommandEntry(f"{_RUNS}:run", "Score a consolidator"),
    "compare": CommandEntry(
        f"{_RUNS}:compare", "Compare the first run with the others, by episode"
    ),
    "falsify": CommandEntry(
        f"{_RUNS}:falsify", "Test the three conditions that refute structured state"
    ),
    "pareto": CommandEntry(f"{_RUNS}:pareto", "Show quality against context tokens"),
}


@click.group(
    cls=LazyGroup,
    table=COMMANDS,
    no_args_is_help=False,
    epilog=epilog(
        "agingbench resumption run --consolidator structured --budget 2000",
        "0 done, 1 a negative verdict, 2 wrong input, 3 the judge is not calibrated",
    ),
)
def resumption() -> None:
    """Measure how well an agent resumes a half-done task.

    The Resumption Benchmark hands a half-done task over and scores whether the
    next agent carries on correctly.
    """
