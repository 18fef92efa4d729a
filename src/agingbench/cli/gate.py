"""`agingbench gate`: fails a build when an agent ages worse than its baseline, and says what it
could have seen.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

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
    from agingbench.report.comparison import junit_xml, print_gate
    from agingbench.traces.files import write_atomic

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
        checks["power"] = None
        if not result["powered"]:
            smallest = result["detectable"]
            checks["power"] = f"no power: a drop below {smallest:.3f} could not have been seen"
    failures = [reason for reason in checks.values() if reason is not None]
    return {"checks": checks, "failures": failures}
