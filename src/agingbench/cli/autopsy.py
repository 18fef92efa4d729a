"""`agingbench autopsy`: why every failed probe of a life failed, from the life's files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from agingbench.cli.lives import lives_below
from agingbench.cli.options import ANY_PATH, epilog, json_option
from agingbench.cli.output import console, echo, print_json, print_next, shown, typed
from agingbench.errors import AgingBenchError, InputError

if TYPE_CHECKING:
    from agingbench.bench.diagnosis.autopsy.autopsy import Autopsy

STORIES = 5  # a bad life has a hundred


@click.command(
    epilog=epilog(
        "agingbench autopsy runs/s2_lifestyle_assistant --all",
        "0 all lives examined, 2 wrong input or a life that could not be examined",
    )
)
@click.argument("run", type=ANY_PATH)
@click.option(
    "--probe", default=None, metavar="ID", help="Tell only the story of this probe, such as p4.2."
)
@click.option(
    "--limit",
    type=click.IntRange(0),
    default=STORIES,
    show_default=True,
    metavar="N",
    help="Tell the first N stories.",
)
@click.option("--all", "every", is_flag=True, help="Tell the story of every failed probe.")
@json_option
def autopsy(run: Path, probe: str | None, limit: int, every: bool, as_json: bool) -> None:
    """Tell for every failed probe where its facts were lost.

    RUN is a run directory or a folder that holds some. Of one life the first
    stories are told, then what failed by cause; --json and the autopsy.json in
    each life hold all of them. Works from files alone. A life that cannot be
    examined does not stop the others.
    """
    from agingbench.bench.diagnosis.autopsy.autopsy import autopsy_run, examine_probe
    from agingbench.cards.figures import document_of
    from agingbench.report.autopsy import print_story

    lives = lives_below(run)
    if probe is not None:
        if len(lives) != 1:
            raise InputError(f"{run}: holds {len(lives)} lives; --probe needs the folder of one")
        story = examine_probe(lives[0], probe)
        if as_json:
            document = {"run_dir": str(lives[0]), **document_of(story)}
            print_json(document, "autopsy.probe")
        else:
            print_story(story, console())
            print_next(f"agingbench report {typed(run)}", "walk through the life in a browser")
        return

    autopsies: dict[Path, Autopsy] = {}
    errors: dict[Path, str] = {}
    for life in lives:
        try:
            autopsies[life] = autopsy_run(life)
        except AgingBenchError as error:
            errors[life] = str(error)

    if autopsies and as_json:
        _print_document(autopsies, errors)
    elif autopsies:
        _print_stories(autopsies, None if every else limit, single=len(lives) == 1)
        print_next(f"agingbench report {typed(run)}", "walk through the life in a browser")
    if errors:
        reasons = "; ".join(list(errors.values())[:3])
        raise InputError(f"{len(errors)} of {len(lives)} lives could not be examined: {reasons}")


def _print_document(autopsies: dict[Path, Autopsy], errors: dict[Path, str]) -> None:
    from agingbench.bench.diagnosis.autopsy.autopsy import summarise
    from agingbench.cards.figures import document_of

    summary = document_of(summarise(list(autopsies.values())))
    lives = [{"run_dir": str(path), **life.as_json()} for path, life in autopsies.items()]
    lives += [{"run_dir": str(path), "error": reason} for path, reason in errors.items()]
    print_json({"lives": lives, "summary": summary})


def _print_stories(autopsies: dict[Path, Autopsy], most: int | None, single: bool) -> None:
    from agingbench.bench.diagnosis.autopsy.autopsy import summarise
    from agingbench.report.autopsy import print_autopsy, print_summary

    if single:
        [life] = autopsies.values()
        print_autopsy(life.document(), console(), most)
        return
    for path, life in autopsies.items():
        echo(f"{len(life.stories)} of {life.n_probes} probes failed  {shown(path)}")
    echo()
    print_summary(summarise(list(autopsies.values())), console())
