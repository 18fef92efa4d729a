"""`agingbench demo`: two lives of s2 on the embedded reader, in seconds."""

from __future__ import annotations

from pathlib import Path

import click

from agingbench.bench.life.folder import RunDirectory
from agingbench.bench.life.life import plan_for, run_life
from agingbench.bench.life.system import Sut
from agingbench.cli.options import console, json_option, print_json, shown
from agingbench.report.charts import draw_curve
from agingbench.report.tables import print_lives


@click.command(epilog="Example: agingbench demo --out agingbench-demo")
@click.option(
    "--out",
    "-o",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("agingbench-demo"),
    show_default=True,
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@json_option
def demo(out: Path, seed: int, as_json: bool) -> None:
    """Watch two memories age: the same life with lossy and with careful compaction.

    Needs no key and no network: the embedded reader is rule-based, not a language model.
    """
    lives = []
    for memory in ("lossy_compress", "careful_compress"):
        path, card = run_life(plan_for("s2", seed=seed), Sut(memory=memory), out)
        place = RunDirectory(path)
        draw_curve([card], place.curve_png, place.curve_svg)
        lives.append((path, card))
        if as_json:
            print_json({"run_dir": str(path), "card": card})
    cards = [card for _, card in lives]
    draw_curve(cards, out / "aging_curves.png", out / "aging_curves.svg")
    if as_json:
        return
    screen = console()
    print_lives(cards, screen)
    screen.print(
        "The embedded reader is rule-based, not a language model; what it lost, it lost by"
        " compacting text.\n"
    )
    for path, card in lives:
        screen.print(f"{card['sut']['memory']:<17} {shown(path)}", soft_wrap=True)
    screen.print(f"{'both curves':<17} {shown(out / 'aging_curves.png')}", soft_wrap=True)
    screen.print(
        "\nNext: agingbench run --scenario s2 --model openai:MODEL_ID --memory careful_compress"
        " --seeds 3"
    )
