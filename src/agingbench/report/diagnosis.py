"""The diagnosis of a life, on the terminal and as a chart: the answers that each stage loses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

import msgspec
from rich.console import Console, RenderableType
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from agingbench.cards.model import Card
from agingbench.report.chart_frame import (
    COLOURS,
    QUIET,
    data,
    event_layers,
    framed,
    notice,
    save_chart,
)
from agingbench.report.layout import MISSING, bare_table, grid, interval_text, number, show
from agingbench.report.series import condition
from agingbench.report.text import plain

if TYPE_CHECKING:
    import altair as alt

Stage = tuple[str, str, str, str, str]

# share, its stage, the letter that draws it, its style on the terminal and its colour in a chart
STAGES: tuple[Stage, ...] = (
    ("U", "utilization", "u", "magenta", COLOURS[3]),
    ("W", "write", "w", "blue", COLOURS[0]),
    ("R", "retrieval", "r", "red", COLOURS[1]),
    ("W+R", "write+retrieval", "m", "cyan", COLOURS[4]),
)
RUNGS = (("as_lived", "P1"), ("oracle_retrieval", "P2"), ("oracle_context", "P3"))
RUNGS_NOTE = (
    "P1: as the agent answered; P2: with the right pieces of its own store to read; P3: with the"
    " facts themselves"
)
EVENTS_NOTE = "ΔS: how much the store lost at the event, its write share after it minus before it"
ANOMALY = "diagnostic anomaly: the ladder is not monotone"
BAR = 40
MOST_ROWS = 24


class DiagnosisFigure(msgspec.Struct, frozen=True):
    """A value with its interval and n, as a card's diagnosis holds it."""

    value: Any = None
    ci: tuple[Any, Any] | None = None
    n: Any = None


class ShareCell(msgspec.Struct, frozen=True):
    """The shares of the stages and the accuracy of the conditions, over some of the probes."""

    shares: dict[str, DiagnosisFigure | None] | None = None
    accuracy: dict[str, DiagnosisFigure | None] | None = None
    n: Any = None
    diagnostic_anomaly: Any = None

    def share_values(self) -> dict[str, float]:
        """The share of each stage that has one, as a number."""
        shares = self.shares or {}
        values = {}
        for name, *_ in STAGES:
            value = _number_of(shares.get(name))
            if value is not None:
                values[name] = value
        return values


class SessionShareCell(ShareCell, frozen=True, kw_only=True):
    """The cell of one session."""

    t: int


class EventShareRow(msgspec.Struct, frozen=True):
    """How the store changed at a lifecycle event."""

    event: Any = None
    of: Any = None
    delta_s: DiagnosisFigure | None = None


class BarPart(TypedDict):
    """The part of a session's bar that one stage has."""

    t: float
    stage: str
    low: float
    high: float


class LifeDiagnosis(ShareCell, frozen=True, kw_only=True):
    """The diagnosis of a life as its card holds it."""

    sessions: list[SessionShareCell]
    mechanisms: dict[str, ShareCell] | None = None
    events: list[EventShareRow] | None = None
    stage: Any = None
    hint: Any = None
    abstentions: Any = None
    anomalies: Any = None
    n_excluded: Any = None
    end_to_end: Any = None


def read_diagnosis(document: Mapping[str, Any]) -> LifeDiagnosis | None:
    """The diagnosis that a card holds; None where it holds none that we can read."""
    # The schema leaves this block free: one of another form is not shown.
    try:
        return msgspec.convert(document.get("diagnosis"), LifeDiagnosis | None)
    except msgspec.ValidationError:
        return None


def _number_of(figure: DiagnosisFigure | None) -> float | None:
    value = figure.value if figure else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value)


def print_diagnosis(document: Mapping[str, Any], console: Console) -> None:
    """The diagnosis of one life; nothing where its card holds none."""
    diagnosis = read_diagnosis(document)
    if diagnosis is None:
        return
    title = Text.assemble(("Diagnosis", "bold"), f"  {plain(document['scenario'])}")
    parts: list[RenderableType] = [
        Rule(title, align="left", style="dim"),
        _share_table(diagnosis),
        Text(""),
        _ladder_line(diagnosis),
        Text(RUNGS_NOTE, "dim"),
        Text(""),
        *_profile(diagnosis),
    ]
    if diagnosis.events:
        parts += [
            Text(""),
            _event_table(diagnosis.events),
            Text(EVENTS_NOTE, "dim"),
        ]

    notes = list(_notes(diagnosis))
    parts += [Text(""), grid(notes)]
    show(console, *parts, Text(""))


def print_stages(documents: Sequence[Mapping[str, Any]], console: Console) -> None:
    """One line per diagnosed life: the stage that its evidence supports, and its shares."""
    lives = []
    for document in documents:
        diagnosis = read_diagnosis(document)
        if diagnosis is not None:
            lives.append((document["seed"], diagnosis))
    if not lives:
        return

    diagnoses = [diagnosis for _, diagnosis in lives]
    stages = _stages_in(diagnoses)
    columns = [(f"{name} {stage}", "right") for name, stage, *_ in stages]
    table = bare_table(
        "diagnosis",
        ("seed", "right"),
        *columns,
        narrow=True,
    )
    for seed, diagnosis in lives:
        stage = plain(diagnosis.stage or MISSING)
        if diagnosis.diagnostic_anomaly:
            stage = "anomaly"
        table.add_row(stage, f"{seed}", *_share_cells(diagnosis, stages))
    show(console, table, Text(""))


def _stages_in(cells: Sequence[ShareCell]) -> list[Stage]:
    """The stages of which at least one cell has a share."""
    names: set[str] = set()
    for cell in cells:
        names.update(cell.share_values())
    return [stage for stage in STAGES if stage[0] in names]


def _share_cells(cell: ShareCell, stages: Sequence[Stage]) -> list[str]:
    shares = cell.shares or {}
    return [_share_text(shares.get(name)) for name, *_ in stages]


def _share_table(diagnosis: LifeDiagnosis) -> Table:
    cells: dict[str, ShareCell] = {"life": diagnosis, **(diagnosis.mechanisms or {})}
    stages = _stages_in(list(cells.values()))
    columns = [(f"{name} {stage}", "right") for name, stage, *_ in stages]
    table = bare_table("lost", *columns, ("n", "right"), narrow=True)
    for name, cell in cells.items():
        if cell.diagnostic_anomaly:
            dashes = [MISSING] * (len(stages) - 1)
            anomaly = Text("anomaly", "yellow")
            table.add_row(plain(name), anomaly, *dashes, f"{cell.n}")
        else:
            cells_of_row = _share_cells(cell, stages)
            table.add_row(plain(name), *cells_of_row, f"{cell.n}")
    return table


def _share_text(share: DiagnosisFigure | None) -> str:
    if share is None:
        return MISSING

    low, high = share.ci or (None, None)
    value = number(share.value)
    return f"{value} [{number(low)}, {number(high)}]"


def _accuracy(cell: ShareCell, condition: str) -> float | None:
    return _number_of((cell.accuracy or {}).get(condition))


def _ladder_line(diagnosis: LifeDiagnosis) -> Text:
    parts = []
    for name, short in RUNGS:
        accuracy = _accuracy(diagnosis, name)
        if accuracy is not None:
            words = name.replace("_", " ")
            parts.append(f"{short} {words} {number(accuracy)}")
    rungs = " · ".join(parts)
    return Text(f"right: {rungs}")


def _profile(diagnosis: LifeDiagnosis) -> list[RenderableType]:
    sessions = diagnosis.sessions
    step = max(1, -(-len(sessions) // MOST_ROWS))
    rows = []
    for cell in sessions[::step]:
        right = _accuracy(cell, "as_lived")
        wrong = MISSING
        if right is not None:
            wrong = number(1 - right)
        bar = Text.assemble(_bar(cell), f" {wrong} wrong")
        rows.append((f"t {cell.t}", bar))

    letters = [f"{letter} {stage}" for _, stage, letter, *_ in _stages_in(sessions)]
    key = ", ".join([*letters, ". right"])
    if step > 1:
        key += f"; one session in {step}"
    return [
        grid(rows),
        grid([("", Text(key, "dim"))]),
    ]


def _bar(cell: ShareCell) -> Text:
    if cell.diagnostic_anomaly:
        return Text(f"{ANOMALY:<{BAR}}", "yellow")
    bar = Text()
    filled = 0
    total = 0.0
    shares = cell.share_values()
    for name, _, letter, style, _ in STAGES:
        total += max(0.0, shares.get(name, 0.0))
        end = min(BAR, round(total * BAR))
        bar.append(letter * (end - filled), style)
        filled = max(filled, end)
    bar.append("." * (BAR - filled), "dim")
    return bar


def _event_table(events: Sequence[EventShareRow]) -> Table:
    table = bare_table(
        "lifecycle event",
        ("ΔS of", "left"),
        ("value", "right"),
        ("95 % interval", "right"),
        ("n", "right"),
    )
    for event in events:
        change = event.delta_s or DiagnosisFigure()
        table.add_row(
            plain(event.event),
            plain(event.of),
            number(change.value, 2, True),
            interval_text(change.ci, 2, True),
            f"{change.n}",
        )
    return table


def _notes(diagnosis: LifeDiagnosis) -> Iterator[tuple[str, Text]]:
    hint = diagnosis.hint
    if isinstance(hint, dict):
        stage = (plain(hint.get("stage")), "bold")
        yield "repair", Text.assemble(stage, f": {plain(hint.get('try'))}.")
        yield "evidence", Text(plain(hint.get("evidence")))
    else:
        yield "repair", Text("no hint: the intervals do not support one stage over the others")
    if diagnosis.abstentions:
        text = "The memory is one text: P2 is not asked, and write and retrieval are one share."
        yield "note", Text(text, "yellow")
    if diagnosis.anomalies:
        names = ", ".join(map(plain, diagnosis.anomalies))
        yield "anomalies", Text(f"{names}: no magnitude is claimed", "yellow")
    if diagnosis.n_excluded:
        text = f"{diagnosis.n_excluded} probes failed in a condition and count in none"
        yield "excluded", Text(text, "yellow")
    if diagnosis.end_to_end:
        text = "The agent owns its loop: the conditions are end-to-end interventions."
        yield "note", Text(text, "yellow")


# -- the chart


def draw_diagnosis(document: Mapping[str, Any], png: Path | None, svg: Path | None) -> bool:
    """Draw the stacked profile of a life; returns False where its card holds no diagnosis."""
    if read_diagnosis(document) is None:
        return False
    save_chart(diagnosis_chart(document), png, svg)
    return True


def diagnosis_chart(document: Mapping[str, Any]) -> alt.LayerChart:
    """One bar per session, a part per stage, negative parts below 0; an anomaly is a mark only."""
    import altair as alt

    card = Card.read(document)
    diagnosis = read_diagnosis(document) or LifeDiagnosis(sessions=[])
    parts = _bar_parts(diagnosis)
    anomalies = []
    wrong = []
    for cell in diagnosis.sessions:
        shares = cell.share_values()
        if cell.diagnostic_anomaly:
            anomalies.append({"t": float(cell.t), "at": 0.0})
        elif shares:
            wrong.append({"t": float(cell.t), "wrong": sum(shares.values())})

    lowest = min([0.0, *(part["low"] for part in parts)])
    highest = max([1.0, *(part["high"] for part in parts)])
    times = [part["t"] for part in parts]
    times += [anomaly["t"] for anomaly in anomalies]
    last = max([1.0, *times])
    whole = list(range(1, int(last) + 1)) if last <= 30 else alt.Undefined
    x = alt.X(
        "t:Q",
        scale=alt.Scale(domain=[0.25, last + 0.75], nice=False),
        title="session t",
        axis=alt.Axis(values=whole, tickMinStep=1, format="d", grid=False),
    )
    y = alt.Y(
        "low:Q",
        scale=alt.Scale(domain=[lowest, highest], nice=False),
        title="share of answers lost",
        axis=alt.Axis(format=".1f", tickCount=6),
    )
    names = {part["stage"] for part in parts}
    stages = [stage for stage in STAGES if stage[1] in names]
    stage_names = [name for _, name, *_ in stages]
    stage_colours = [colour for *_, colour in stages]
    colour = alt.Color(
        "stage:N",
        scale=alt.Scale(domain=stage_names, range=stage_colours),
        legend=alt.Legend(symbolType="square", direction="horizontal", columns=4),
    )
    width = max(1.0, min(28.0, 0.7 * 640 / (last + 0.5)))
    layers: list[alt.Chart] = []
    if parts:
        bars = data(parts).mark_bar(size=width)
        layers.append(bars.encode(x, y, alt.Y2("high:Q"), colour))
        layers += event_layers([card])
    else:
        layers.append(notice("no shares"))

    if wrong and parts:
        tick = data(wrong).mark_tick(
            orient="horizontal",
            color="black",
            thickness=3,
            size=width + 8,
        )
        layers.append(tick.encode(alt.X("t:Q"), alt.Y("wrong:Q")))
    if anomalies:
        mark = data(anomalies).mark_text(
            text="?",
            fontSize=16,
            fontWeight="bold",
            color=QUIET,
            dy=-4,
        )
        layers.append(mark.encode(alt.X("t:Q"), alt.Y("at:Q")))

    subtitle = _subtitle(card, diagnosis, bool(anomalies))
    return framed(layers, "Where answers are lost", subtitle)


def _bar_parts(diagnosis: LifeDiagnosis) -> list[BarPart]:
    """The parts of the bars: shares above 0 upwards, those below it downwards."""
    parts = []
    for cell in diagnosis.sessions:
        if cell.diagnostic_anomaly:
            continue

        t = float(cell.t)
        shares = cell.share_values()
        up = 0.0
        down = 0.0
        for name, stage, *_ in STAGES:
            share = shares.get(name, 0.0)
            if share > 0:
                parts.append(BarPart(t=t, stage=stage, low=up, high=up + share))
                up += share
            elif share < 0:
                parts.append(BarPart(t=t, stage=stage, low=down + share, high=down))
                down += share
    return parts


def _subtitle(card: Card, diagnosis: LifeDiagnosis, anomalies: bool) -> list[str]:
    shares = diagnosis.shares or {}
    parts = []
    for name, stage, *_ in STAGES:
        if name in shares:
            share = shares[name] or DiagnosisFigure()
            parts.append(f"{stage} {number(share.value, 2, True)}")
    total = ", ".join(parts) or "a diagnostic anomaly"

    lines = [
        f"{plain(card.sut.sut_id)}, {condition(card)}, seed {card.seed}",
        f"over the life: {total}; tick: all answers that were wrong",
    ]
    if anomalies:
        lines.append("?: a diagnostic anomaly, no magnitude is claimed")
    return lines
