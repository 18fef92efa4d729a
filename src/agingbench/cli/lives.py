"""Run folders below a path, and the figures of a life."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from agingbench.errors import InputError

if TYPE_CHECKING:
    from agingbench.bench.life.folder import RunDirectory
    from agingbench.cards.model import Card


def lives_below(path: Path) -> list[Path]:
    """The run directories at or below a path; raises when there is none."""
    if not path.exists():
        raise InputError(f"{path}: there is no such directory")

    # A folder with a system but no plan counts too: a damaged life must not go missing silently.
    files = [*path.rglob("plan.json"), *path.rglob("sut.json")]
    lives = set()
    for file in files:
        parts = file.relative_to(path).parts
        hidden = any(part.startswith(".") for part in parts)  # half-made copies
        if not hidden:
            lives.add(file.parent)
    if not lives:
        raise InputError(f"{path}: no run directory here (nothing holds a plan.json)")
    return sorted(lives)


def draw(place: RunDirectory, card: Card) -> None:
    """Draw the curve of a life, and the profile of its diagnosis where it has one."""
    from agingbench.cards.check import card_json
    from agingbench.report.charts import draw_curve
    from agingbench.report.diagnosis import draw_diagnosis

    document = card_json(card)
    draw_curve([document], place.curve_png, place.curve_svg)
    draw_diagnosis(document, place.diagnosis_png, place.diagnosis_svg)
