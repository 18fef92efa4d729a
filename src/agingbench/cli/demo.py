"""`agingbench demo`: three lives of s2 on the embedded reader, in seconds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from agingbench.cli.options import epilog, json_option, out_option
from agingbench.cli.output import console, print_json, shown

if TYPE_CHECKING:
    from agingbench.bench.life.life import Life
    from agingbench.metrics.mechanisms import AccountReading

MEMORIES = ("lossy_compress", "careful_compress", "append_only")


@click.command(epilog=epilog("agingbench demo --out agingbench-demo"))
@out_option("Folder that the lives are written to.", Path("agingbench-demo"))
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of the lives."
)
@json_option
def demo(out: Path, seed: int, as_json: bool) -> None:
    """Watch three memories age, in seconds and without a key.

    The same life is lived with lossy compaction, with careful compaction, and
    with a store that keeps everything and retrieves the best matches. The
    embedded reader is rule-based, not a language model.
    """
    from agingbench.bench.life.life import Life
    from agingbench.cards.check import card_json
    from agingbench.report.accounts import print_account
    from agingbench.report.charts import draw_curve
    from agingbench.report.lives import print_lives

    lives = []
    readings = {}
    for memory in MEMORIES:
        life = Life.new("s2", memory=memory, seed=seed, out=out)
        life.live()
        card = life.score()
        place = life.folder
        path = place.path
        document = card_json(card)
        draw_curve([document], place.curve_png, place.curve_svg)
        lives.append((path, document))
        readings[memory] = _first_account(life)
    documents = [document for _, document in lives]
    draw_curve(documents, out / "aging_curves.png", out / "aging_curves.svg")

    if as_json:
        print_json([{"run_dir": str(path), "card": document} for path, document in lives])
        return

    screen = console()
    print_lives(documents, screen)
    print_account("my household account, asked after every session", readings, screen)
    screen.print(
        "The embedded reader is rule-based, not a language model. What the first two lost, they"
        " lost by compacting text; append_only keeps every payment and no longer finds them all.\n"
    )
    for memory, (path, _) in zip(MEMORIES, lives, strict=True):
        screen.print(f"{memory:<17} {shown(path)}", soft_wrap=True)
    screen.print(f"{'their curves':<17} {shown(out / 'aging_curves.png')}", soft_wrap=True)
    screen.print(
        "\nNext: agingbench run --scenario s2 --model openai:MODEL_ID --memory careful_compress"
        " --seeds 3"
    )


def _first_account(life: Life) -> list[AccountReading]:
    """What the first account of a life held, and what the agent said it held."""
    from agingbench.bench.scoring.score import account_readings

    first = life.plan.graph.accounts[0].id
    rows = life.folder.answer_rows()
    answers = ((life.plan.probe_by_id[row.probe], row) for row in rows)
    return [reading for reading in account_readings(answers) if reading.account == first]
