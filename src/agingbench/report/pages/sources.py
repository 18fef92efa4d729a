"""What lies at the paths that a report is made of: cards, and the folders of lives."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from agingbench.cards.check import load_card
from agingbench.errors import InputError

CARD = "aging_card.json"
RUN_REPORT = "run_report.json"  # of a resumption run, which has no card behind a closed gate


class CardSource(msgspec.Struct, frozen=True):
    """A card with its file; `folder` is the run folder of a life."""

    file: Path
    document: dict[str, Any]
    folder: Path | None

    @property
    def kind(self) -> str:
        """life, trace or resumption."""
        if isinstance(self.document.get("trace_audit"), dict):
            return "trace"
        is_run = self.file.name == RUN_REPORT
        if is_run or isinstance(self.document.get("resumption"), dict):
            return "resumption"
        return "life"


def find_cards(paths: Sequence[Path]) -> list[CardSource]:
    """Every card at or below the paths, each once; raises InputError where a path has none."""
    sources: dict[Path, CardSource] = {}
    for path in paths:
        files = _card_files(path)
        if not files:
            raise InputError(
                f"{path}: no {CARD} here; `agingbench run` or `agingbench audit --out` writes one,"
                " `agingbench score` makes that of a life again"
            )
        for file in files:
            key = file.resolve()
            if key not in sources:
                sources[key] = _source(file)
    return list(sources.values())


def _card_files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    if not path.exists():
        raise InputError(f"{path}: there is no such file or folder")
    files = []
    for file in sorted([*path.rglob(CARD), *path.rglob(RUN_REPORT)]):
        parts = file.relative_to(path).parts
        is_hidden = any(part.startswith(".") for part in parts)  # half-made copies
        has_card = file.name == RUN_REPORT and (file.parent / CARD).exists()
        if not is_hidden and not has_card:
            files.append(file)
    return files


def _source(file: Path) -> CardSource:
    if file.name == RUN_REPORT:
        return CardSource(file, {}, None)
    has_plan = (file.parent / "plan.json").exists()
    return CardSource(file, load_card(file), file.parent if has_plan else None)
