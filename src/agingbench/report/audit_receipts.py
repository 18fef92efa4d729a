"""What an agent took and did, week by week, and when that changed, on the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from agingbench.cards.audit import (
    AuditBlock,
    ChangesBlock,
    FigureBlock,
    PanelBlock,
    SpendingBlock,
    SpentTokens,
)
from agingbench.report.audit_figures import (
    OF_ENDS,
    ROWS,
    clause,
    day,
    dollars,
    figure_value,
    fullest_place,
    monday_of,
    percent,
    tokens,
    week_day,
)
from agingbench.report.audit_sentence import changes_near, drift_words, step_words
from agingbench.report.layout import MISSING, bare_table, block, grid
from agingbench.report.text import plain

MOST_WEEKS = 8
MOST_MODELS = 5
MOST_CAUSES = 6
WIDEST = 12
LEGEND = "all: whole trace; cases: how often it happened; bars begin at 0; –: not known"
SHORTEST_CURVE = 3  # weeks from which they are drawn
DAYS_OF_WEEK = 7
MOST_GAPS = 4  # weeks without a session that are drawn in a row
COUNTED_CASES = ("rejections", "interrupts")  # that are no shares
FEW_SESSIONS = 3  # of a week, below which it says little
LEAST_WEEKS = 2  # with enough sessions, to compare
LEAST_CASES = 5  # of a row, to draw it
MOST_LEFT_OUT = 4  # weeks that are named
MOSTLY_KNOWN = 0.95  # share of the calls
HALF = 0.5


def cost_parts(audit: AuditBlock) -> list[RenderableType]:
    """What the agent took; empty where the card does not say it."""
    spending = audit.spending
    if spending is None or not spending.total.model_calls:
        return []

    rows = []
    if audit.panel is not None:
        rows = spending.by_week[-MOST_WEEKS:]
    parts: list[RenderableType] = [Text(_cost_title(spending), "bold")]
    if rows:
        parts.append(_week_table(rows, spending, audit.panel))

    about = [("models", Text(_models(spending)))]
    context = _context(spending)
    if context:
        about.append(("context", Text(context)))
    parts.append(grid(about))
    return parts


def _cost_title(spending: SpendingBlock) -> str:
    if all(row.cost_usd is None for row in spending.by_week):
        return "What it took"
    if not spending.prices_as_of:
        return "What it cost"
    return f"What it cost (list prices of {plain(spending.prices_as_of)})"


def _week_table(
    rows: Sequence[SpentTokens], spending: SpendingBlock, panel: PanelBlock | None
) -> Table:
    with_models = len(spending.by_model) > 1 and bool(spending.by_week_and_model)
    with_cost = any(row.cost_usd is not None for row in rows)
    table = bare_table(
        "week of",
        ("sessions", "right"),
        ("tokens", "right"),
        *([("cost", "right")] if with_cost else []),
        *([("most of it", "left")] if with_models else []),
        narrow=True,
    )
    sessions = {} if panel is None else dict(zip(panel.weeks, panel.sessions_by_week, strict=False))
    for row in rows:
        count = sessions.get(row.week)
        table.add_row(
            week_day(plain(row.week)),
            MISSING if count is None else str(count),
            tokens(row.tokens),
            *([dollars(row.cost_usd)] if with_cost else []),
            *([_dearest_model(row.week, spending)] if with_models else []),
        )
    earlier = len(spending.by_week) - len(rows)
    label = f"all, {earlier} earlier weeks too" if earlier else "all"
    table.add_row(
        label,
        str(sum(sessions.values())) if sessions else MISSING,
        tokens(spending.total.tokens),
        *([dollars(spending.total.cost_usd)] if with_cost else []),
        *([""] if with_models else []),
        style="dim",
    )
    return table


def _dearest_model(week: str, spending: SpendingBlock) -> str:
    """The model that took most of a week, by dollars where all are known, else by tokens."""
    cells = [row for row in spending.by_week_and_model if row.week == week]
    if not cells:
        return MISSING

    if all(row.cost_usd is not None for row in cells):
        dearest = max(cells, key=lambda row: (row.cost_usd or 0.0, row.tokens))
        return f"{plain(dearest.model)} {dollars(dearest.cost_usd)}"

    largest = max(cells, key=lambda row: row.tokens)
    return f"{plain(largest.model)} {tokens(largest.tokens)} tokens"


def _models(spending: SpendingBlock) -> str:
    words = []
    dearest_first = sorted(spending.by_model, key=lambda row: -(row.cost_usd or 0.0))
    for row in dearest_first[:MOST_MODELS]:
        price = "(no price)" if row.cost_usd is None else dollars(row.cost_usd)
        words.append(f"{plain(row.model)} {price}")
    if len(spending.by_model) > MOST_MODELS:
        words.append(f"{len(spending.by_model) - MOST_MODELS} more")
    text = " · ".join(words)
    if spending.models_without_price:
        text += "; --price MODEL=INPUT,OUTPUT gives a price, in $ per million tokens"
    return text


def _context(spending: SpendingBlock) -> str:
    parts = []
    peak = spending.context_share_peak
    highest = spending.context_share_highest
    if peak is not None and highest is not None:
        parts.append(
            f"the usual session fills {percent(peak)} of the window at its fullest, the fullest one"
            f" {percent(highest)}{fullest_place(spending)}"
        )
    if spending.compactions:
        noun = "compaction" if spending.compactions == 1 else "compactions"
        parts.append(f"{spending.compactions} {noun}")
    return "; ".join(parts)


def panel_parts(audit: AuditBlock) -> list[RenderableType]:
    """The figures of the panel with what each week gave; empty where the card has none."""
    panel = audit.panel
    if panel is None:
        return []

    by_week = len(panel.weeks) >= SHORTEST_CURVE
    first, last = _ends(panel) if by_week else ("first", "last")
    table = bare_table(
        "",
        ("all", "right"),
        ("cases", "right"),
        ("by week" if by_week else "by session", "left"),
        (first, "right"),
        (last, "right"),
        narrow=True,
    )
    silent = _silent_weeks(audit)
    rows = 0
    for name, label in ROWS.items():
        figure = panel.figures.get(name)
        if figure is None or not figure.value:
            continue
        table.add_row(
            label,
            figure_value(name, figure.scale, figure.value),
            *_row_cells(name, figure, panel, silent if name in OF_ENDS else [], by_week),
        )
        rows += 1
    if not rows:
        return []

    title = Text(f"What it did, {'week by week' if by_week else 'session by session'}", "bold")
    notes = [
        Text(LEGEND, "dim"),
        *_few_sessions(panel, by_week),
        *_unknown_ends(audit, silent if by_week else []),
    ]
    return [title, table, *notes, *_never(panel)]


def _ends(panel: PanelBlock) -> tuple[str, str]:
    """The first and the last week that are compared, as heads of their columns."""
    few = _weeks_of_few(panel)
    compared = [week for week, left_out in zip(panel.weeks, few, strict=False) if not left_out]
    if len(compared) < LEAST_WEEKS:
        return "first", "last"
    return week_day(plain(compared[0])), week_day(plain(compared[-1]))


def _row_cells(
    name: str, figure: FigureBlock, panel: PanelBlock, silent: Sequence[str], by_week: bool
) -> tuple[str, str, str, str]:
    """How many cases a figure has, its curve, and its value in the weeks that are compared.

    One of a few cases has no curve: a single case would draw a full bar. Of `silent` weeks nothing
    is shown.
    """
    count = _case_count(name, figure)
    cases = MISSING if count is None else f"{count:,.0f}"
    if not _has_cases(name, figure):
        cases = ""
    if count is not None and round(count) < LEAST_CASES:
        return cases, "", "", ""

    if not by_week:
        series = figure.by_session
        curve = _curve(series)
        ends = (series[0], series[-1]) if series else (None, None)
    else:
        few = _weeks_of_few(panel)
        # Cards of others may name fewer weeks than they have values.
        rows = list(zip(panel.weeks, few, figure.by_week, strict=False))
        series = [None if left_out or week in silent else value for week, left_out, value in rows]
        curve = _curve(_with_gaps(panel.weeks, series))
        compared = [value for at, value in enumerate(series) if not few[at]]
        ends = (compared[0], compared[-1]) if len(compared) > 1 else (None, None)

    first, last = (figure_value(name, figure.scale, end, figure.value) for end in ends)
    return cases, curve, first, last


def _weeks_of_few(panel: PanelBlock) -> list[bool]:
    """Which weeks have too few sessions to compare; none where not even two have enough."""
    counts = panel.sessions_by_week
    few = [count < FEW_SESSIONS for count in counts]
    if few.count(False) < LEAST_WEEKS:
        few = []
    return few + [False] * (len(panel.weeks) - len(few))


def _case_count(name: str, figure: FigureBlock) -> float | None:
    """How often something happened, of what is counted case by case; None where unknown."""
    if not _has_cases(name, figure) or not figure.n_by_session:
        return None
    pairs = zip(figure.by_session, figure.n_by_session, strict=False)
    return sum((value or 0.0) * n for value, n in pairs)


def _has_cases(name: str, figure: FigureBlock) -> bool:
    return figure.scale == "share" or name in COUNTED_CASES


def request_count(panel: PanelBlock | None) -> int | None:
    """How many requests there were; None where the card does not say."""
    figure = None if panel is None else panel.figures.get("calls_per_request")
    return int(sum(figure.n_by_session)) if figure is not None and figure.n_by_session else None


def _with_gaps(weeks: Sequence[str], values: Sequence[float | None]) -> list[float | None]:
    """The values of the weeks, and nothing for each week in between that had no session."""
    try:
        days = [date.fromisoformat(week).toordinal() for week in weeks]
    except ValueError:  # of a card by somebody else
        return list(values)

    filled: list[float | None] = []
    before = days[:1]
    for monday, value in zip(days, values, strict=False):
        missing = (monday - before[0]) // DAYS_OF_WEEK - 1
        filled += [None] * min(missing, MOST_GAPS)
        filled.append(value)
        before = [monday]
    return filled


def _few_sessions(panel: PanelBlock, by_week: bool) -> list[Text]:
    """Which weeks hold too little to be compared."""
    if not by_week:
        return []

    left_out = []
    for week, few in zip(panel.weeks, _weeks_of_few(panel), strict=False):
        if few:
            left_out.append(week_day(plain(week)))
    if not left_out:
        return []
    names = ", ".join(left_out[:MOST_LEFT_OUT])
    if len(left_out) > MOST_LEFT_OUT:
        names += f" and {len(left_out) - MOST_LEFT_OUT} more"
    words = f"weeks of fewer than {FEW_SESSIONS} sessions count under all alone: {names}"
    return [Text(words, "dim")]


def _silent_weeks(audit: AuditBlock) -> list[str]:
    """The weeks in which most calls do not say how they ended."""
    panel = audit.panel
    times = audit.session_times or []
    ends = None if panel is None else panel.figures.get("tool_errors")
    calls = None if panel is None else panel.figures.get("calls_per_request")
    if panel is None or ends is None or calls is None:
        return []

    counts = {week: [0.0, 0.0] for week in panel.weeks}
    rows = zip(times, ends.n_by_session, calls.by_session, calls.n_by_session, strict=False)
    for moment, known, per_request, requests in rows:
        row = counts.get(monday_of(moment))
        if row is not None:
            row[0] += known
            row[1] += (per_request or 0.0) * requests
    return [week for week, (known, n) in counts.items() if known < HALF * n]


def _unknown_ends(audit: AuditBlock, silent: Sequence[str]) -> list[Text]:
    """How many calls say how they ended, where many do not: failures are counted among these."""
    figure = None if audit.panel is None else audit.panel.figures.get("tool_errors")
    if figure is None or not figure.n_by_session or audit.trace_regime is None:
        return []
    known = round(sum(figure.n_by_session))
    calls = audit.trace_regime.n_tool_calls
    if known >= MOSTLY_KNOWN * calls:
        return []
    words = f"failures are counted among the {known:,} of {calls:,} calls that say how they ended"
    if silent:
        names = ", ".join(week_day(plain(week)) for week in silent[:MOST_LEFT_OUT])
        words += f"; weeks in which most do not are left out: {names}"
    return [Text(words, "dim")]


def _never(panel: PanelBlock) -> list[Text]:
    """The figures that were looked for and never happened."""
    names = []
    for name, label in ROWS.items():
        figure = panel.figures.get(name)
        if figure is not None and figure.value == 0 and not label.startswith(" "):
            names.append(label)

    return [Text(f"never: {'; '.join(names)}", "dim")] if names else []


def _curve(values: Sequence[float | None]) -> str:
    """A series as blocks from zero to its highest value; a dash where nothing is known."""
    numbers = [value for value in values if value is not None]
    highest = max(numbers, default=0.0) or 1.0
    step = max(1, -(-len(values) // WIDEST))
    marks = []
    for start in range(0, len(values), step):
        part = [value for value in values[start : start + step] if value is not None]
        marks.append(block(sum(part) / len(part) / highest) if part else MISSING)
    return "".join(marks)


def change_parts(audit: AuditBlock) -> list[RenderableType]:
    """When the agent changed, what came with it, and what drifts; empty where nothing is known."""
    changes = audit.changes
    panel = audit.panel
    if changes is None or panel is None or not (changes.recorded or changes.drifts):
        return []

    rows: list[tuple[str, Text]] = []
    for point in changes.points:
        causes = ", ".join(plain(change.what) for change in point.recorded)
        about = f"{causes}: {point.sessions_before} sessions before, {point.sessions_after} after"
        rows.append((day(point.time), Text(about, "bold")))
        for moved in point.moved:
            figure = panel.figures.get(moved.figure, FigureBlock())
            words = clause(moved.figure, figure.scale, moved.before, moved.after)
            rows.append(("", Text(words, "red" if moved.worse else "green")))

    for when, words in step_words(audit):
        rows.append((when, Text(words, "bold")))
    left_out = OF_ENDS if _silent_weeks(audit) else ()
    for words in drift_words(changes, panel, left_out):
        rows.append(("over time", Text(words)))
    rows += _other_changes(audit, changes)
    return [Text("What changed, and when", "bold"), grid(rows)]


def _other_changes(audit: AuditBlock, changes: ChangesBlock) -> list[tuple[str, Text]]:
    """The recorded changes with which nothing moved, the newest first."""
    moved = {point.session for point in changes.points}
    at = audit.step_session()
    if at is not None:
        moved |= {change.session for change in changes_near(audit, at)}
    others = [change for change in changes.recorded if change.session not in moved]
    if not others:
        return []
    if not changes.tested:
        return [("not tested", Text(plain(changes.reason or "")))]

    words = []
    for change in reversed(others[-MOST_CAUSES:]):
        words.append(f"{plain(change.what)} ({day(change.time)})")
    if len(others) > MOST_CAUSES:
        rest = len(others) - MOST_CAUSES
        words.append(f"{rest} earlier one{'s' * (rest != 1)}")
    line = "no figure was seen to jump at these, a slow change is still possible: "
    return [("no jump", Text(line + ", ".join(words), "dim"))]
