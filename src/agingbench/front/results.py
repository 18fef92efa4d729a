"""What the front door returns: lives, audits, resumption runs and comparisons, ready to look at."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from agingbench.bench.studies.compare import table
from agingbench.cards.audit import AuditCard
from agingbench.cards.comparison import CellSummary, Comparisons
from agingbench.cards.model import Card
from agingbench.errors import InputError
from agingbench.front.display import cell_text, html_table
from agingbench.front.frames import Library, frame_of
from agingbench.report.pages.sources import CardSource
from agingbench.report.rows import (
    audit_row,
    comparison_rows,
    curve_rows,
    figure_columns,
    life_row,
    week_rows,
)

if TYPE_CHECKING:
    import altair as alt

LIFE_COLUMNS = ("scenario", "system", "pressure", "seed", "m0", "m_final", "half_life")
PAIR_COLUMNS = ("a", "b", "condition", "figure", "effect", "effect_low", "effect_high", "p_holm")


class Result(ABC):
    """A result with rows: text in a terminal, a table in a notebook, a frame for work."""

    @abstractmethod
    def summary(self) -> str:
        """Say in a line what this is."""

    @abstractmethod
    def shown_rows(self) -> list[dict[str, Any]]:
        """The rows and columns that a screen shows."""

    def __repr__(self) -> str:
        lines = [self.summary()]
        for row in self.shown_rows():
            lines.append("  " + "  ".join(f"{name}={cell_text(v)}" for name, v in row.items()))
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return html_table(self.summary(), self.shown_rows())


@dataclass(frozen=True, repr=False)
class CardResult(Result):
    """Cards of one kind, each with the file it was read from."""

    sources: tuple[CardSource, ...]

    def __len__(self) -> int:
        return len(self.sources)

    @property
    def documents(self) -> list[dict[str, Any]]:
        """The cards as JSON."""
        return [source.document for source in self.sources]

    @property
    def files(self) -> list[Path]:
        """The files of the cards."""
        return [source.file for source in self.sources]

    def report(self, out: str | Path = "report.html") -> Path:
        """Write the page that `agingbench report` writes, and return its file."""
        from agingbench.front.reports import make_report

        make_report(self.sources, Path(out), warnings.warn)
        return Path(out)

    def _only(self) -> CardSource:
        if len(self.sources) != 1:
            raise InputError(f"there are {len(self.sources)} cards here, not one; use .cards")
        return self.sources[0]


@dataclass(frozen=True, repr=False)
class Lives(CardResult):
    """Lives that were lived: their cards, and the folders that they lie in."""

    @property
    def card(self) -> Card:
        """The card of the only life; raises InputError where there are several."""
        return Card.read(self._only().document)

    @property
    def cards(self) -> list[Card]:
        """The card of every life."""
        return [Card.read(document) for document in self.documents]

    @property
    def folders(self) -> list[Path | None]:
        """The run folder of every life, None for a card that stands alone."""
        return [source.folder for source in self.sources]

    def __iter__(self) -> Iterator[Lives]:
        return (Lives((source,)) for source in self.sources)

    def cells(self) -> list[CellSummary]:
        """Mean and deviation over the lives of each system under each condition."""
        return table(self.cards)

    def to_frame(self, rows: Literal["lives", "curve"] = "lives", library: Library = "auto") -> Any:
        """A row for each life, or for each point of each curve, with the figures of the cards."""
        if rows == "lives":
            return frame_of([life_row(card) for card in self.cards], library)
        if rows == "curve":
            points = [row for card in self.cards for row in curve_rows(card)]
            return frame_of(points, library)
        raise InputError(f"rows '{rows}': give lives or curve")

    def plot(self, title: str | None = None) -> alt.LayerChart:
        """The aging curves: a thin line for each life, a bold one for each system."""
        from agingbench.report.charts import curve_chart

        return curve_chart(self.documents, title)

    def summary(self) -> str:
        """Say how many lives of how many systems these are."""
        systems = {card.sut.sut_id for card in self.cards}
        return f"{_count(len(self), 'life', 'lives')} of {_count(len(systems), 'system')}"

    def shown_rows(self) -> list[dict[str, Any]]:
        """Who lived which life, and the headline."""
        rows = [life_row(card) for card in self.cards]
        return [{name: row[name] for name in LIFE_COLUMNS} for row in rows]


@dataclass(frozen=True, repr=False)
class Audits(CardResult):
    """Audits of traces, one for each project, the most evident first."""

    @property
    def card(self) -> AuditCard:
        """The card of the only project; raises InputError where there are several."""
        return AuditCard.read(self._only().document)

    @property
    def cards(self) -> list[AuditCard]:
        """The card of every project."""
        return [AuditCard.read(document) for document in self.documents]

    @property
    def names(self) -> list[str]:
        """What each project is called."""
        return [source.file.parent.name for source in self.sources]

    def __iter__(self) -> Iterator[Audits]:
        return (Audits((source,)) for source in self.sources)

    def to_frame(
        self, rows: Literal["projects", "weeks"] = "projects", library: Library = "auto"
    ) -> Any:
        """A row for each project, or for each week of each project."""
        named = list(zip(self.names, self.documents, strict=True))
        if rows == "projects":
            return frame_of([audit_row(*one) for one in named], library)
        if rows == "weeks":
            return frame_of([row for one in named for row in week_rows(*one)], library)
        raise InputError(f"rows '{rows}': give projects or weeks")

    def plot(self) -> alt.Chart:
        """What each week cost; raises InputError where no trace says what it took."""
        from agingbench.report.weeks import week_chart

        rows = self.to_frame("weeks", "rows")
        if not rows:
            raise InputError("these traces do not say how many tokens were used")
        return week_chart(rows)

    def summary(self) -> str:
        """Say how many projects were audited."""
        return f"audit of {_count(len(self), 'project')}"

    def shown_rows(self) -> list[dict[str, Any]]:
        """The answer for each project."""
        rows: list[dict[str, Any]] = self.to_frame(library="rows")
        return rows


@dataclass(frozen=True, repr=False)
class Resumptions(CardResult):
    """Runs of the resumption benchmark."""

    @property
    def card(self) -> Card:
        """The card of the only run; raises InputError where there are several."""
        return Card.read(self._only().document)

    @property
    def cards(self) -> list[Card]:
        """The card of every run."""
        return [Card.read(document) for document in self.documents]

    def to_frame(self, library: Library = "auto") -> Any:
        """A row for each run, with the figure that leads its card."""
        return frame_of(self.shown_rows(), library)

    def summary(self) -> str:
        """Say how many runs these are."""
        return _count(len(self), "resumption run")

    def shown_rows(self) -> list[dict[str, Any]]:
        """Who ran, and the headline."""
        rows = []
        for card in self.cards:
            figures = figure_columns(card.headline, "m_final")
            rows.append({"system": card.sut.sut_id, "metric": card.headline.metric_name} | figures)
        return rows


@dataclass(frozen=True, repr=False)
class ComparedSystems(Result):
    """Systems compared pair by pair, seed by seed."""

    comparisons: Comparisons
    cards: tuple[Card, ...]

    def to_frame(self, library: Library = "auto") -> Any:
        """A row for each figure of each pair: both means, A − B, its interval and p-values."""
        return frame_of(comparison_rows(self.comparisons), library)

    def plot(self, title: str | None = None) -> alt.LayerChart:
        """The aging curves of all systems over each other."""
        from agingbench.cards.check import card_json
        from agingbench.report.charts import curve_chart

        return curve_chart([card_json(card) for card in self.cards], title)

    def summary(self) -> str:
        """Name the systems."""
        return f"compared: {', '.join(self.comparisons.systems)}"

    def shown_rows(self) -> list[dict[str, Any]]:
        """The differences with their intervals."""
        rows = comparison_rows(self.comparisons)
        return [{name: row[name] for name in PAIR_COLUMNS} for row in rows]


def result_of(sources: Sequence[CardSource]) -> Lives | Audits | Resumptions:
    """The result that cards of one kind make; raises InputError for several kinds."""
    kinds = sorted({source.kind for source in sources})
    if len(kinds) > 1:
        raise InputError(f"cards of several kinds ({', '.join(kinds)}); load one folder of each")
    if kinds == ["trace"]:
        return Audits(tuple(sources))
    if kinds == ["resumption"]:
        return Resumptions(tuple(sources))
    return Lives(tuple(sources))


def _count(number: int, noun: str, plural: str = "") -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {plural or noun + 's'}"
