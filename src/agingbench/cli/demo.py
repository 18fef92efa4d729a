"""`agingbench demo`: two lives of s2 on the embedded reader, in seconds."""

from __future__ import annotations

from pathlib import Path

import click

from agingbench.cli.options import epilog, json_option, out_option
from agingbench.cli.output import console, print_json, shown

MEMORIES = ("lossy_compress", "careful_compress")


@click.command(epilog=epilog("agingbench demo --out agingbench-demo"))
@out_option("Folder that the two lives are written to.", Path("agingbench-demo"))
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of both lives."
)
@json_option
def demo(out: Path, seed: int, as_json: bool) -> None:
    """Watch two memories age, in seconds and without a key.

    The same life is lived with lossy and with careful compaction. The embedded
    reader is rule-based, not a language model.
    """
    from agingbench.bench.life.life import Life
    from agingbench.cards.check import card_json
    from agingbench.report.charts import draw_curve
    from agingbench.report.lives import print_lives

    lives = []
    for memory in MEMORIES:
        life = Life.new("s2", memory=memory, seed=seed, out=out)
        life.live()
        card = life.score()
        place = life.folder
        path = place.path
        document = card_json(card)
        draw_curve([document], place.curve_png, place.curve_svg)
        lives.append((path, document))
    documents = [document for _, document in lives]
    draw_curve(documents, out / "aging_curves.png", out / "aging_curves.svg")

    if as_json:
        print_json([{"run_dir": str(path), "card": document} for path, document in lives])
        return

    screen = console()
    print_lives(documents, screen)
    screen.print(
        "The embedded reader is rule-based, not a language model; what it lost, it lost by"
        " compacting text.\n"
    )
    for memory, (path, _) in zip(MEMORIES, lives, strict=True):
        screen.print(f"{memory:<17} {shown(path)}", soft_wrap=True)
    screen.print(f"{'both curves':<17} {shown(out / 'aging_curves.png')}", soft_wrap=True)
    screen.print(
        "\nNext: agingbench run --scenario s2 --model openai:MODEL_ID --memory careful_compress"
        " --seeds 3"
    )
