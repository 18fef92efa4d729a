"""`agingbench gate`: fails a build when an agent ages worse than its baseline, and says what it
could have seen.
"""

from __future__ import annotations

from pathlib import Path

import click

from agingbench.cli.options import ANY_PATH, FILE, epilog, json_option
from agingbench.cli.output import console, print_json, print_next, typed

UNSEEN = 3  # exit code: too few lives to see a drop of the limit


@click.command(
    epilog=epilog(
        "agingbench gate runs/new --baseline runs/old --max-drop 0.05",
        "0 passed, 1 worse than the baseline, 2 wrong input, 3 too few lives to see",
    )
)
@click.argument("lives", type=ANY_PATH)
@click.option("--baseline", required=True, type=ANY_PATH, help="The lives to compare with.")
@click.option(
    "--max-drop",
    type=click.FloatRange(0, 1),
    default=0.05,
    show_default=True,
    help="How much the time average may fall.",
)
@click.option(
    "--allow-unseen",
    is_flag=True,
    help="Pass also when a drop of that size could not have been seen.",
)
@click.option("--require-power", is_flag=True, hidden=True, help="The default since 0.1.0.")
@click.option("--junit", type=FILE, default=None, help="Write JUnit XML to this file.")
@click.option(
    "--summary", type=FILE, default=None, help="Write Markdown with a picture to this file."
)
@json_option
def gate(
    lives: Path,
    baseline: Path,
    max_drop: float,
    allow_unseen: bool,
    require_power: bool,
    junit: Path | None,
    summary: Path | None,
    as_json: bool,
) -> int:
    """Fail a build when an agent ages worse than its baseline.

    LIVES and the baseline are each a card, a run folder or a folder of lives of
    one system, which are paired by seed. The drop is that of the time average.
    It counts when it exceeds --max-drop and its 95 % interval lies above 0.
    Where a drop of --max-drop could not have been seen, the gate does not pass
    and says how many seeds would do.
    """
    from agingbench.bench.studies.compare import cards_at
    from agingbench.bench.studies.gate import gate as compare_with_baseline
    from agingbench.cards.figures import document_of
    from agingbench.report.comparison import junit_xml, print_gate
    from agingbench.report.gate_summary import gate_markdown
    from agingbench.traces.files import write_atomic

    result = compare_with_baseline(
        lives, baseline, max_drop, allow_unseen=allow_unseen and not require_power
    )
    if junit is not None:
        write_atomic(junit, junit_xml(result))
    if summary is not None:
        text = gate_markdown(result, cards_at(lives), cards_at(baseline))
        write_atomic(summary, text.encode())
    if as_json:
        print_json(document_of(result))
    else:
        print_gate(result, console())
        print_next(
            f"agingbench report {typed(lives)} {typed(baseline)}",
            "both systems side by side, in a browser",
        )
    if result.regression:
        return 1
    return UNSEEN if result.failures else 0
