"""`agingbench gate`: fails a build when an agent ages worse than its baseline, and says what it
could have seen.
"""

from __future__ import annotations

from pathlib import Path

import click

from agingbench.cli.options import ANY_PATH, FILE, epilog, json_option
from agingbench.cli.output import console, print_json


@click.command(
    epilog=epilog(
        "agingbench gate new/aging_card.json --baseline old/aging_card.json --max-drop 0.05",
        "0 passed, 1 worse than the baseline, 2 wrong input",
    )
)
@click.argument("card", type=ANY_PATH)
@click.option("--baseline", required=True, type=ANY_PATH, help="The card to compare with.")
@click.option(
    "--max-drop",
    type=click.FloatRange(0, 1),
    default=0.05,
    show_default=True,
    help="How much the time average may fall.",
)
@click.option(
    "--require-power",
    is_flag=True,
    help="Fail too when a drop of that size could not have been seen.",
)
@click.option("--junit", type=FILE, default=None, help="Write JUnit XML to this file.")
@json_option
def gate(
    card: Path,
    baseline: Path,
    max_drop: float,
    require_power: bool,
    junit: Path | None,
    as_json: bool,
) -> int:
    """Fail a build when an agent ages worse than its baseline.

    The drop is that of the time average. It counts when it exceeds --max-drop
    and its 95 % interval lies above 0. Where both cards lie in run folders of
    one plan, the same probes are compared; elsewhere the figures on the cards
    are.
    """
    from agingbench.bench.studies.gate import gate as compare_with_baseline
    from agingbench.cards.figures import document_of
    from agingbench.report.comparison import junit_xml, print_gate
    from agingbench.traces.files import write_atomic

    result = compare_with_baseline(card, baseline, max_drop, require_power=require_power)
    if junit is not None:
        write_atomic(junit, junit_xml(result))
    if as_json:
        print_json(document_of(result))
    else:
        print_gate(result, console())
    return int(bool(result.failures))
