"""What is exported: one item for each card or trial, in words that every platform understands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from agingbench.cards.model import MECHANISMS, Card
from agingbench.errors import InputError
from agingbench.platforms.figures import life_figures
from agingbench.report.pages.sources import CardSource, find_cards
from agingbench.traces.scrub.scrubber import scrub, scrub_json
from agingbench.trials.ledger import open_ledger
from agingbench.trials.query import Query
from agingbench.trials.record import Cost, TrialRecord, parse_trial
from agingbench.trials.run_folder import LifeFiles

SQLITE = b"SQLite format 3\0"
REMOTE = ("postgresql://", "postgres://")
LIFE = "life"
TRIAL = "trial"

Label = str | int | float | bool


@dataclass(frozen=True)
class ExportItem:
    """A card or a trial: what it is called, what was measured, and its life's folder if there is
    one.

    `figures` are None where they are missing. `labels` say what it belongs to.
    """

    key: str  # the same at every export, and of no other item
    kind: str
    name: str
    scenario: str
    system: str
    start: datetime
    end: datetime
    figures: Mapping[str, float | None]
    labels: Mapping[str, Label]
    comment: str = ""
    card: Card | None = None
    files: LifeFiles | None = None

    @property
    def arm(self) -> str:
        """The system under its condition: what several seeds have in common."""
        condition = self.labels.get("condition")
        return self.system if condition is None else f"{self.system} ({condition})"

    @property
    def measured(self) -> dict[str, float]:
        """The figures that are not missing."""
        return {name: value for name, value in self.figures.items() if value is not None}


def find_items(places: Sequence[str]) -> list[ExportItem]:
    """The items at cards, run folders, folders of them, and ledgers; all text is scrubbed.

    Raises InputError where a place has none.
    """
    items: list[ExportItem] = []
    for place in places:
        found = _trial_items(place) if is_ledger(place) else _card_items(Path(place))
        if not found:
            raise InputError(f"{place}: holds no trial")
        items += found
    return list({item.key: item for item in items}.values())


def is_ledger(place: str) -> bool:
    """Whether a place is a ledger: a SQLite file or the address of a database."""
    if place.startswith(REMOTE):
        return True
    path = Path(place)
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(SQLITE)) == SQLITE


# -- cards


def _card_items(path: Path) -> list[ExportItem]:
    return [card_item(source) for source in find_cards([path]) if source.document]


def card_item(source: CardSource) -> ExportItem:
    """The item of one card."""
    document = scrub_json(source.document)
    card = Card.read(document)
    files = LifeFiles(source.folder) if source.folder is not None else None
    trial = card.provenance.trial_id
    key = trial if isinstance(trial, str) else card.run_id
    end = _moment(card.generated_at)
    figures = life_figures(card) if source.kind == LIFE else _any_figures(document)
    return ExportItem(
        key=f"{source.kind}/{key}",
        kind=source.kind,
        name=f"{card.scenario} seed {card.seed}" if source.kind == LIFE else card.scenario,
        scenario=card.scenario,
        system=card.sut.sut_id,
        start=end,
        end=end,
        figures=figures,
        labels=_card_labels(card, key),
        comment=str(document["headline"].get("aging_reason") or ""),
        card=card,
        files=files,
    )


def _card_labels(card: Card, key: str) -> dict[str, Label]:
    labels: dict[str, Label] = {
        "run_id": card.run_id,
        "trial_id": key,
        "scenario": card.scenario,
        "scenario_version": card.scenario_version,
        "suite_id": card.suite_id,
        "sut_id": card.sut.sut_id,
        "seed": card.seed,
        "n_sessions": card.n_sessions,
        "metric_name": card.headline.metric_name,
        "condition": _condition(card),
    }
    for name in ("model_provider", "model_id", "memory_policy_type"):
        value = getattr(card.sut, name)
        if isinstance(value, str):
            labels[name] = value
    if isinstance(card.content_hash, str):
        labels["content_hash"] = card.content_hash
    return labels


def _condition(card: Card) -> str:
    """Under what it lived: the preset of pressure, the length and the lifecycle events."""
    events = card.others.get("lifecycle_events") or ["no events"]
    preset = card.pressure.get("preset", "own dials")
    return f"{preset}, {card.n_sessions} sessions, {' '.join(map(str, events))}"


def _any_figures(document: Mapping[str, Any]) -> dict[str, float | None]:
    """The numbers of a card that is not of a life: its headline and its mechanisms."""
    sections = {"headline": document["headline"]}
    sections |= {name: document["mechanism_metrics"][name] for name in MECHANISMS}
    figures: dict[str, float | None] = {}
    for section, values in sections.items():
        for name, value in values.items():
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            if is_number and not name.endswith("_n"):
                figures[f"{section}_{name}"] = float(value)
    return figures


# -- trials


def _trial_items(place: str) -> list[ExportItem]:
    items = []
    with open_ledger(place, create=False) as ledger:
        for entry in ledger.find_entries(Query(newest=True)):
            items.append(trial_item(parse_trial(entry.body.encode(), "the ledger")))
    return items


def trial_item(record: TrialRecord) -> ExportItem:
    """The item of one trial of a ledger: its reward, its time and what it took."""
    cost = record.cost or Cost()
    seconds = record.timing.total_seconds
    task = scrub(record.task.task_id)
    adapter = scrub(record.agent.adapter)
    model = scrub(record.agent.model)
    return ExportItem(
        key=f"{TRIAL}/{record.trial_id}",
        kind=TRIAL,
        name=task,
        scenario=task,
        system=f"{adapter} {model}",
        start=record.timestamp - timedelta(seconds=seconds),
        end=record.timestamp,
        figures={
            "reward": record.evaluation.reward,
            "total_seconds": seconds,
            "tokens_in": cost.tokens_in,
            "tokens_out": cost.tokens_out,
            "cost_usd": cost.estimated_cost_usd,
        },
        labels={
            "trial_id": record.trial_id,
            "experiment_id": record.experiment_id,
            "task_id": task,
            "adapter": adapter,
            "model_id": model,
            "completeness": record.completeness,
        },
    )


def _moment(text: str) -> datetime:
    """The time of a card; raises InputError for what is none."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise InputError(f"'{text[:40]}' is no time that can be exported") from error
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
