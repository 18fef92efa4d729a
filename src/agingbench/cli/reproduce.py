"""`agingbench reproduce`: live a life again from its record and say what differs."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from agingbench.cli.options import ANY_PATH, epilog, json_option, trust_option
from agingbench.cli.output import echo, print_json, print_next, shown, typed

if TYPE_CHECKING:
    from agingbench.bench.studies.reproducing import (
        AnswerChange,
        CodeRevision,
        FigureChange,
        Reproduction,
    )

MOST_ROWS = 10
LONGEST_VALUE = 60


@click.command(
    epilog=epilog(
        "agingbench reproduce runs/s2_lifestyle_assistant/…/seed_0",
        "0 the same, 1 the content differs, 2 wrong input",
    )
)
@click.argument("run", type=ANY_PATH)
@trust_option
@click.option(
    "--concurrency",
    type=click.IntRange(1, 1024),
    default=8,
    show_default=True,
    help="Calls at once to one endpoint.",
)
@json_option
def reproduce(run: Path, trust: bool, concurrency: int, as_json: bool) -> int:
    """Live a recorded life again and report what differs.

    The life in RUN is lived from its plan and its system, in a temporary folder
    and without the cache. Times, latencies, machine and the revision of this
    tool may differ; figures and answers may not.
    """
    from agingbench.bench.life.limits import Endpoints, Resources
    from agingbench.bench.studies.reproducing import reproduce as live_again
    from agingbench.cards.figures import document_of

    with tempfile.TemporaryDirectory(prefix="agingbench-") as folder:
        resources = Resources(Endpoints(concurrency))
        result = live_again(run, Path(folder), resources, trust=trust)
    if as_json:
        print_json(document_of(result))
    else:
        _print_result(run, result)
        if result.same:
            print_next(f"agingbench report {typed(run)}", "look at the life")
        else:
            print_next("agingbench doctor", "is this installation sound?")
    return int(not result.same)


def _print_result(run: Path, result: Reproduction) -> None:
    if not result.same_revision:
        recorded = _revision(result.revision.recorded)
        now = _revision(result.revision.now)
        echo(f"revision  recorded with {recorded}, lived again with {now}")
    if result.same:
        equal = "verdict" if result.answers else "every answer"
        echo(f"same  {shown(run)}: every figure and {equal}")

    for figure in result.figures[:MOST_ROWS]:
        echo(f"figure  {figure.path}: {_both(figure)}")
    for answer in result.answers[:MOST_ROWS]:
        echo(f"answer  {answer.probe} at {answer.t}: {_both(answer)}")
    if not result.same:
        figures = len(result.figures)
        answers = len(result.answers)
        echo(f"differs  {shown(run)}: {figures} figures, {answers} answers")


def _revision(revision: CodeRevision) -> str:
    sha = revision.git_sha
    commit = f"revision {sha[:12]}" if sha else "no git revision"
    return f"agingbench {revision.agingbench_version} ({commit})"


def _both(change: FigureChange | AnswerChange) -> str:
    return f"{_short(change.recorded)} recorded, {_short(change.now)} now"


def _short(value: object) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 1] + "…"
