"""`agingbench gate`: fails a build when an agent ages worse than its baseline, and says what it
could have seen.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from agingbench.bench.studies.gate import gate as compare_with_baseline
from agingbench.cli.options import console, json_option, print_json
from agingbench.report.comparison import junit_xml, print_gate
from agingbench.traces.files import write_atomic


@click.command(
    epilog=(
        "Example: agingbench gate new/aging_card.json --baseline old/aging_card.json --max-drop"
        " 0.05"
    )
)
@click.argument("card", type=click.Path(path_type=Path))
@click.option(
    "--baseline",
    required=True,
    type=click.Path(path_type=Path),
    help="The card to hold it against.",
)
@click.option(
    "--max-drop",
    type=click.FloatRange(0, 1),
    default=0.05,
    show_default=True,
    help="What may be lost.",
)
@click.option(
    "--require-power",
    is_flag=True,
    help="Exit 1 too when a drop of that size could not have been seen.",
)
@click.option(
    "--junit",
    type=click.Path(path_type=Path, dir_okay=False),
    default=None,
    help="Write JUnit XML here.",
)
@json_option
def gate(
    card: Path,
    baseline: Path,
    max_drop: float,
    require_power: bool,
    junit: Path | None,
    as_json: bool,
) -> int:
    """Exit 1 when CARD is worse than its baseline by more than the limit and the evidence supports
    it.

    The drop is that of the time average. It counts when it exceeds --max-drop and its 95 % interval
    lies above 0. Where both cards lie in run folders of one plan, the same probes are compared;
    elsewhere the figures on the cards are.
    """
    result = compare_with_baseline(card, baseline, max_drop)
    result = {**result, **_verdict(result, require_power)}
    if junit is not None:
        write_atomic(junit, junit_xml(result))
    if as_json:
        print_json(result)
    else:
        print_gate(result, console())
    return int(bool(result["failures"]))


def _verdict(result: dict[str, Any], require_power: bool) -> dict[str, Any]:
    checks: dict[str, str | None] = {"regression": None}
    if result["regression"]:
        checks["regression"] = f"regression: the time average fell by {result['drop']:.3f}"
    if require_power:
        weak = f"no power: a drop below {result['detectable']:.3f} could not have been seen"
        checks["power"] = None if result["powered"] else weak
    return {"checks": checks, "failures": [told for told in checks.values() if told is not None]}
