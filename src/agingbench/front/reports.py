"""Writes the report of cards, with the biographies of lost facts where there is one life."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from agingbench.errors import AgingBenchError, InputError
from agingbench.report.pages.build import WrittenReport, write_report
from agingbench.report.pages.sources import CardSource
from agingbench.trials.run_folder import LifeFiles


def make_report(
    sources: Sequence[CardSource],
    out: Path,
    tell: Callable[[str], None],
    traces: Path | None = None,
) -> WrittenReport:
    """Write one HTML file of these cards; `tell` hears why it has no autopsy, where that failed."""
    if len(sources) == 1 and sources[0].folder is not None:
        _follow_facts(sources[0].folder, tell)
    try:
        return write_report(sources, out, traces)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        # The schema leaves some blocks open, so a valid card may still hold something else.
        names = ", ".join(str(source.file) for source in sources[:3])
        raise InputError(
            f"{names}: a block of the card is not laid out as this version writes it"
        ) from error


def _follow_facts(folder: Path, tell: Callable[[str], None]) -> None:
    """Leave the autopsy of a life beside its card, unless one of the same scores is there."""
    from agingbench.bench.diagnosis.autopsy.autopsy import autopsy_run

    files = LifeFiles(folder)
    if files.autopsy.exists() and files.metrics.exists():
        is_new = files.autopsy.stat().st_mtime >= files.metrics.stat().st_mtime
        if is_new:
            return
    try:
        autopsy_run(folder)
    except AgingBenchError as error:
        tell(f"without the autopsy: {error}")
