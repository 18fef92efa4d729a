"""Writes the page of a result, with the biographies of lost facts where there is one life."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path

from agingbench.errors import AgingBenchError
from agingbench.report.pages.sources import CardSource


def make_report(sources: Sequence[CardSource], out: Path) -> Path:
    """Write one HTML file of these cards and return it; an autopsy that fails is a warning."""
    from agingbench.bench.diagnosis.autopsy.autopsy import autopsy_run
    from agingbench.report.pages.build import write_report

    folder = sources[0].folder if len(sources) == 1 else None
    if folder is not None and not (folder / "autopsy.json").exists():
        try:
            autopsy_run(folder)
        except AgingBenchError as error:
            warnings.warn(f"the report has no autopsy: {error}", stacklevel=3)
    write_report(sources, out)
    return out
