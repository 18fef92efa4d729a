"""A life's diagnosis on the terminal and as a chart: the share of answers that each stage loses, by
session.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console, RenderableType
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from agingbench.report.charts import COLOURS, QUIET, data, event_layers, framed, notice, save_chart
from agingbench.report.layout import MISSING, bare_table, grid, interval_text, number, show
from agingbench.report.series import Card, condition
from agingbench.report.text import plain

if TYPE_CHECKING:
    import altair as alt

# share, its stage, the letter that draws it, its style on the terminal and its colour in a chart
STAGES = (
    ("U", "utilization", "u", "magenta", COLOURS[3]),
    ("W", "write", "w", "blue", COLOURS[0]),
    ("R", "retrieval", "r", "red", COLOURS[1]),
    ("W+R", "write+retrieval", "m", "cyan", COLOURS[4]),
)
RUNGS = (("as_lived", "P1"), ("oracle_retrieval", "P2"), ("oracle_context", "P3"))
ANOMALY = "diagnostic anomaly: the ladder is not monotone"
BAR = 40
MOST_ROWS = 24


def print_diagnosis(card: Card, console: Console) -> None:
    """The diagnosis of one life; nothing where the card holds none."""
    found = _diagnosis(card)
    if not found:
        return
    title = Text.assemble(("Diagnosis", "bold"), f"  {plain(card['scenario'])}")
    parts: list[RenderableType] = [
        Rule(title, align="left", style="dim"),
        _share_table(found),
        Text(""),
    ]
    parts += [_ladder_line(found), Text(""), *_profile(found)]
    if found.get("events"):
        parts += [Text(""), _event_table(found["events"])]
    parts += [Text(""), grid(list(_notes(found)))]
    show(console, *parts, Text(""))


def print_stages(cards: Sequence[Card], console: Console) -> None:
    """One line per life that was diagnosed: the stage that its evidence supports, and its shares."""
    lives = [(card, found) for card in cards if (found := _diagnosis(card))]
    if not lives:
        return
    used = [stage for stage in STAGES if any(stage[0] in _shares(found) for _, found in lives)]
    columns = [(f"{name} {stage}", "right") for name, stage, *_ in used]
    table = bare_table("diagnosis", ("seed", "right"), *columns, narrow=True)
    for card, found in lives:
        named = (
            "anomaly" if found.get("diagnostic_anomaly") else plain(found.get("stage") or MISSING)
        )
        shares = found.get("shares") or {}
        table.add_row(
            named, f"{card['seed']}", *(_share_text(shares.get(name)) for name, *_ in used)
        )
    show(console, table, Text(""))


def _diagnosis(card: Card) -> dict[str, Any]:
    # A foreign card may hold anything where the schema leaves it free: what has another form is not
    # shown.
    found = card.get("diagnosis")
    if not isinstance(found, dict) or not isinstance(found.get("sessions"), list):
        return {}
    mechanisms = found.get("mechanisms") or {}
    events = found.get("events") or []
    if not isinstance(mechanisms, dict) or not isinstance(events, list):
        return {}
    timed = all(isinstance(c, dict) and isinstance(c.get("t"), int) for c in found["sessions"])
    whole = timed and all(map(_is_cell, [found, *found["sessions"], *mechanisms.values()]))
    told = all(isinstance(e, dict) and _is_estimates({"": e.get("delta_s")}) for e in events)
    return found if whole and told else {}


def _is_cell(cell: Any) -> bool:
    return isinstance(cell, dict) and all(
        _is_estimates(cell.get(key)) for key in ("shares", "accuracy")
    )


def _is_estimates(found: Any) -> bool:
    if found is None:
        return True
    return isinstance(found, dict) and all(
        e is None or (isinstance(e, dict) and _is_ci(e.get("ci"))) for e in found.values()
    )


def _is_ci(ci: Any) -> bool:
    return ci is None or (isinstance(ci, list) and len(ci) == 2)


def _shares(cell: dict[str, Any]) -> dict[str, float]:
    shares = cell.get("shares") or {}
    values = {name: (shares.get(name) or {}).get("value") for name, *_ in STAGES}
    return {
        name: float(v)
        for name, v in values.items()
        if isinstance(v, int | float) and not isinstance(v, bool)
    }


def _share_table(found: dict[str, Any]) -> Table:
    cells = [("life", found), *(found.get("mechanisms") or {}).items()]
    used = [stage for stage in STAGES if any(stage[0] in _shares(cell) for _, cell in cells)]
    columns = [(f"{name} {stage}", "right") for name, stage, *_ in used]
    table = bare_table("lost", *columns, ("n", "right"), narrow=True)
    for where, cell in cells:
        if cell.get("diagnostic_anomaly"):
            table.add_row(
                plain(where),
                Text("anomaly", "yellow"),
                *[MISSING] * (len(used) - 1),
                f"{cell.get('n')}",
            )
        else:
            shares = cell.get("shares") or {}
            table.add_row(
                plain(where),
                *(_share_text(shares.get(name)) for name, *_ in used),
                f"{cell.get('n')}",
            )
    return table


def _share_text(share: dict[str, Any] | None) -> str:
    if not share:
        return MISSING
    low, high = share.get("ci") or (None, None)
    return f"{number(share.get('value'))} [{number(low)}, {number(high)}]"


def _right(cell: dict[str, Any], condition: str) -> float | None:
    value = ((cell.get("accuracy") or {}).get(condition) or {}).get("value")
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _ladder_line(found: dict[str, Any]) -> Text:
    rungs = [(name, short, _right(found, name)) for name, short in RUNGS]
    told = (
        f"{short} {name.replace('_', ' ')} {number(value)}"
        for name, short, value in rungs
        if value is not None
    )
    return Text(f"right: {' · '.join(told)}")


def _profile(found: dict[str, Any]) -> list[RenderableType]:
    sessions = found["sessions"]
    step = max(1, -(-len(sessions) // MOST_ROWS))
    rows = []
    for cell in sessions[::step]:
        right = _right(cell, "as_lived")
        wrong = number(None if right is None else 1 - right)
        rows.append((f"t {cell['t']}", Text.assemble(_bar(cell), f" {wrong} wrong")))
    used = [s for s in STAGES if any(s[0] in _shares(cell) for cell in sessions)]
    key = ", ".join(f"{letter} {stage}" for _, stage, letter, *_ in used)
    some = f"; one session in {step}" if step > 1 else ""
    return [grid(rows), grid([("", Text(f"{key}, . right{some}", "dim"))])]


def _bar(cell: dict[str, Any]) -> Text:
    if cell.get("diagnostic_anomaly"):
        return Text(f"{ANOMALY:<{BAR}}", "yellow")
    bar = Text()
    filled = 0
    total = 0.0
    shares = _shares(cell)
    for name, _, letter, style, _ in STAGES:
        total += max(0.0, shares.get(name, 0.0))
        upto = min(BAR, round(total * BAR))
        bar.append(letter * (upto - filled), style)
        filled = max(filled, upto)
    bar.append("." * (BAR - filled), "dim")
    return bar


def _event_table(events: list[dict[str, Any]]) -> Table:
    table = bare_table(
        "lifecycle event",
        ("ΔS of", "left"),
        ("value", "right"),
        ("95 % interval", "right"),
        ("n", "right"),
    )
    for event in events:
        change = event.get("delta_s") or {}
        table.add_row(
            plain(event.get("event")),
            plain(event.get("of")),
            number(change.get("value"), 2, True),
            interval_text(change.get("ci"), 2, True),
            f"{change.get('n')}",
        )
    return table


def _notes(found: dict[str, Any]) -> Iterator[tuple[str, Text]]:
    hint = found.get("hint")
    if isinstance(hint, dict):
        yield (
            "repair",
            Text.assemble((plain(hint.get("stage")), "bold"), f": {plain(hint.get('try'))}."),
        )
        yield "evidence", Text(plain(hint.get("evidence")))
    else:
        yield "repair", Text("no hint: the intervals do not support one stage over the others")
    if found.get("abstentions"):
        yield (
            "note",
            Text(
                "The memory is one blob: P2 abstains, and write and retrieval are one share.",
                "yellow",
            ),
        )
    if found.get("anomalies"):
        yield (
            "anomalies",
            Text(f"{', '.join(map(plain, found['anomalies']))}: no magnitude is claimed", "yellow"),
        )
    if found.get("n_excluded"):
        told = f"{found['n_excluded']} probes failed in a condition and count in none"
        yield "excluded", Text(told, "yellow")
    if found.get("end_to_end"):
        yield (
            "note",
            Text("The agent owns its loop: the conditions are end-to-end interventions.", "yellow"),
        )


# --- Chart
# ----------------------------------------------------------------------------------------------------------


def draw_diagnosis(card: Card, png: Path | None, svg: Path | None) -> bool:
    """Draw the stacked profile of a life into the files named; False where its card holds no
    diagnosis.
    """
    if not _diagnosis(card):
        return False
    save_chart(diagnosis_chart(card), png, svg)
    return True


def diagnosis_chart(card: Card) -> alt.LayerChart:
    """One bar per session, a part per stage. What is negative hangs below 0; an anomaly has a mark
    and no bar.
    """
    import altair as alt

    found = _diagnosis(card)
    rows, anomalies, wrong = _chart_rows(found)
    span = [min([0.0, *(row["low"] for row in rows)]), max([1.0, *(row["high"] for row in rows)])]
    last = max([1.0, *(row["t"] for row in rows), *(row["t"] for row in anomalies)])
    whole = list(range(1, int(last) + 1)) if last <= 30 else alt.Undefined
    x = alt.X(
        "t:Q",
        scale=alt.Scale(domain=[0.25, last + 0.75], nice=False),
        title="session t",
        axis=alt.Axis(values=whole, tickMinStep=1, format="d", grid=False),
    )
    y = alt.Y(
        "low:Q",
        scale=alt.Scale(domain=span, nice=False),
        title="share of answers lost",
        axis=alt.Axis(format=".1f", tickCount=6),
    )
    used = [s for s in STAGES if any(row["stage"] == s[1] for row in rows)]
    colour = alt.Color(
        "stage:N",
        scale=alt.Scale(domain=[s[1] for s in used], range=[s[4] for s in used]),
        legend=alt.Legend(symbolType="square", direction="horizontal", columns=4),
    )
    width = max(1.0, min(28.0, 0.7 * 640 / (last + 0.5)))
    bars = data(rows).mark_bar(size=width).encode(x, y, alt.Y2("high:Q"), colour)
    layers: list[alt.Chart] = [bars, *event_layers([card])] if rows else [notice("no shares")]
    if wrong and rows:
        line = (
            data(wrong)
            .mark_tick(orient="horizontal", color="black", thickness=3, size=width + 8)
            .encode(alt.X("t:Q"), alt.Y("wrong:Q"))
        )
        layers.append(line)
    if anomalies:
        mark = data(anomalies).mark_text(
            text="?", fontSize=16, fontWeight="bold", color=QUIET, dy=-4
        )
        layers.append(mark.encode(alt.X("t:Q"), alt.Y("at:Q")))
    return framed(layers, "Where answers are lost", _subtitle(card, found, bool(anomalies)))


Rows = list[dict[str, Any]]


def _chart_rows(found: dict[str, Any]) -> tuple[Rows, Rows, Rows]:
    """The parts of the bars, the anomalies, and what was wrong in all."""
    rows: Rows = []
    anomalies: Rows = []
    wrong: Rows = []
    for cell in found["sessions"]:
        t = float(cell["t"])
        shares = _shares(cell)
        if cell.get("diagnostic_anomaly"):
            anomalies.append({"t": t, "at": 0.0})
            continue
        up = down = 0.0
        for name, stage, *_ in STAGES:
            share = shares.get(name, 0.0)
            if share > 0:
                rows.append({"t": t, "stage": stage, "low": up, "high": up + share})
                up += share
            elif share < 0:
                rows.append({"t": t, "stage": stage, "low": down + share, "high": down})
                down += share
        if shares:
            wrong.append({"t": t, "wrong": sum(shares.values())})
    return rows, anomalies, wrong


def _subtitle(card: Card, found: dict[str, Any], anomalies: bool) -> list[str]:
    shares = found.get("shares") or {}
    told = [
        f"{stage} {number((shares.get(name) or {}).get('value'), 2, True)}"
        for name, stage, *_ in STAGES
        if name in shares
    ]
    lines = [
        f"{plain(card['sut']['sut_id'])}, {condition(card)}, seed {card['seed']}",
        "; ".join(
            [
                (
                    f"over the life: {', '.join(told)}"
                    if told
                    else "over the life: a diagnostic anomaly"
                ),
                "tick: all answers that were wrong",
            ]
        ),
    ]
    return lines + (["?: a diagnostic anomaly, no magnitude is claimed"] if anomalies else [])
