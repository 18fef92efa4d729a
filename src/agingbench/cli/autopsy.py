"""`agingbench autopsy`: what every failed probe of a life died of, from the life's files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from agingbench.bench.diagnosis.autopsy.autopsy import Autopsy, autopsy_run, examine_probe, summary
from agingbench.cli.options import console, json_option, print_json, shown
from agingbench.cli.score import lives_below
from agingbench.errors import AgingBenchError, InputError
from agingbench.report.autopsy import print_autopsy, print_story, print_summary

STORIES = 5  # told when nobody says how many: a bad life has a hundred


@click.command(epilog="Example: agingbench autopsy runs/s2_lifestyle_assistant --all")
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "--probe", default=None, metavar="ID", help="The story of one probe of one life, such as p4.2."
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
    """Say of every failed probe of RUN what became of its facts, and where they were lost.

    Of one life the first stories are told, then what failed by cause; --json and autopsy.json hold
    all of them.

    RUN is a run directory or a folder that holds some. Works from files alone and leaves
    autopsy.json in each life. One life that cannot be examined does not keep the others from it.
    """
    lives = lives_below(run)
    if probe is not None:
        if len(lives) != 1:
            raise InputError(f"{run}: holds {len(lives)} lives; --probe needs the folder of one")
        story = examine_probe(lives[0], probe)
        if as_json:
            print_json({"run_dir": str(lives[0]), **story})
        else:
            print_story(story, console())
        return
    found, broken = _examined(lives)
    if found:
        _tell(found, as_json, None if every else limit, one=len(lives) == 1)
    if broken:
        raise InputError(
            f"{len(broken)} of {len(lives)} lives could not be examined: {'; '.join(broken[:3])}"
        )


def _examined(lives: list[Path]) -> tuple[dict[Path, Autopsy], list[str]]:
    found: dict[Path, Autopsy] = {}
    broken = []
    for life in lives:
        try:
            found[life] = autopsy_run(life)
        except AgingBenchError as error:
            broken.append(str(error))
    return found, broken


def _tell(found: dict[Path, Autopsy], as_json: bool, most: int | None, one: bool) -> None:
    if one:
        [(path, life)] = found.items()
        document: dict[str, Any] = {"run_dir": str(path), **life.as_json()}
        if as_json:
            print_json(document)
        else:
            print_autopsy(document, console(), most)
    elif as_json:
        lives = [{"run_dir": str(path), **life.as_json()} for path, life in found.items()]
        print_json({"lives": lives, "summary": summary(list(found.values()))})
    else:
        for path, life in found.items():
            click.echo(f"{len(life.stories)} of {life.n_probes} probes failed  {shown(path)}")
        click.echo()
        print_summary(summary(list(found.values())), console())
