"""The checks of the bench on the terminal: bounds, answers, texts, planted faults and dials."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console, RenderableType
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from agingbench.cards.validity import (
    AnswerClass,
    AnswersReport,
    BoundRow,
    BoundsReport,
    DialResponse,
    DialsReport,
    FaultGroup,
    FaultsReport,
    SpanResponse,
    TextRow,
    TextsReport,
)
from agingbench.report.layout import (
    MISSING,
    bare_table,
    grid,
    in_words,
    interval_text,
    number,
    show,
)
from agingbench.report.text import plain

_CEILINGS = ("oracle", "perfect_memory")
_FLOORS = ("blank", "echo", "refuser", "unrelated")
_GUESSERS = ("random_of_kind", "latest_of_kind")

# -- bounds


def print_bounds(bounds: BoundsReport, console: Console) -> None:
    """Print what agents whose score is known get, and whether every bound holds."""
    rows = [*bounds.rows, *bounds.lower_is_better]
    for setting in dict.fromkeys(row.setting for row in rows):
        scenario, pressure, sessions = setting
        words = f"  {plain(scenario)}, {plain(pressure)}, {sessions} sessions"
        title = Text.assemble(("Bounds", "bold"), words)
        higher = [row for row in bounds.rows if row.setting == setting]
        lower = [row for row in bounds.lower_is_better if row.setting == setting]
        paper = [row for row in bounds.paper if row.setting == setting]
        tables: list[RenderableType] = [_bounds_table("metric", higher)]
        if lower:
            tables.append(_bounds_table("lower is better", lower, higher_is_better=False))
        if paper:
            tables.append(_bounds_table("as the paper defines them", paper))
        show(console, Rule(title, align="left", style="dim"), *tables, Text(""))

    _show_verdict(console, bounds.ok, "all bounds hold", "broken bounds:", bounds.broken)


def print_answers(answers: AnswersReport, console: Console) -> None:
    """Print how labelled answers were judged: by style and form, and labels against verdicts."""
    headings = ("answers", "right", "95 % interval", "wrongly accepted")
    table = bare_table("style", *[(heading, "right") for heading in headings])
    for row in [
        *answers.rows,
        *answers.by_form,
        answers.plain,
        answers.overall,
        *answers.decisions,
    ]:
        table.add_row(*_answer_cells(row))

    verdicts = list(next(iter(answers.confusion.values())))
    confusion = bare_table("label", *[(verdict, "right") for verdict in verdicts])
    for label, counts in answers.confusion.items():
        confusion.add_row(label, *[str(counts[verdict]) for verdict in verdicts])

    title = Text.assemble(("Answers", "bold"), f"  the {answers.half} half of the corpus")
    note = f"the verdict is also that of the label in {answers.same_verdict:.1%}"
    rule = Rule(title, align="left", style="dim")
    show(console, rule, table, Text(""), confusion, Text(note, "dim"), Text(""))
    _show_verdict(console, answers.ok, "all bars are met", "missed bars:", answers.broken)


def _answer_cells(row: AnswerClass) -> list[str]:
    return [
        plain(row.style).replace("_", " "),
        str(row.n),
        f"{row.share:.1%}",
        f"{row.low:.1%} to {row.high:.1%}",
        str(row.accepted),
    ]


def print_texts(texts: TextsReport, console: Console) -> None:
    """Print what the texts of each scenario measure, and whether every bar is met."""
    headings = ("lives", "overlap", "words kept", "repeated", "wordings", "scenes", "storylines")
    table = bare_table("texts of", *[(heading, "right") for heading in headings])
    for row in texts.rows:
        table.add_row(*_text_cells(row))
    show(console, table, Text(""))
    _show_verdict(console, texts.ok, "all bars are met", "missed bars:", texts.broken)


def _text_cells(row: TextRow) -> list[str]:
    return [
        plain(f"{row.scenario} {row.version}"),
        str(row.lives),
        f"{row.overlap:.2f}",
        f"{row.kept_words:.0%}",
        f"{row.repeated:.1%}",
        str(row.wordings),
        str(row.scenes),
        str(row.storylines),
    ]


def _show_verdict(
    console: Console, ok: bool, success: str, failure: str, problems: Sequence[str]
) -> None:
    if ok:
        show(console, Text(success, "green"))
        return
    lines = [Text(f"  {plain(problem)}") for problem in problems]
    show(console, Text(failure, "bold red"), *lines)


def _bounds_table(
    heading: str,
    rows: Sequence[BoundRow],
    *,
    higher_is_better: bool = True,
) -> Table:
    # Agents of one sort share a column: the highest of their means, and for those that know nothing
    # the best life of any of them. Committer is silent, so that only its conduct is of interest.
    names = dict.fromkeys(row.agent for row in rows)
    apart = {*_FLOORS, *_GUESSERS, *(("committer",) if higher_is_better else ())}
    agents = [name for name in names if name not in apart]
    columns = []
    for agent in agents:
        name = plain(agent).replace("_", "\n", 1)
        figure = "worst" if agent in _CEILINGS else "mean"
        columns.append((f"{name}\n{figure}", "right"))
    columns.append(("guess\nmean", "right"))
    columns.append(("know nothing\nmean best", "right"))

    table = bare_table(heading, ("lives", "right"), *columns, narrow=True)
    _add_bound_rows(table, rows, agents, higher_is_better=higher_is_better)
    return table


def _add_bound_rows(
    table: Table,
    rows: Sequence[BoundRow],
    agents: Sequence[str],
    *,
    higher_is_better: bool,
) -> None:
    for metric in dict.fromkeys(row.metric for row in rows):
        by_agent = {row.agent: row for row in rows if row.metric == metric}
        lives = max(row.n for row in by_agent.values())

        cells = []
        for agent in agents:
            row = by_agent.get(agent)
            if row is None:
                cells.append(MISSING)
            elif agent in _CEILINGS:
                cells.append(_size(row.min if higher_is_better else row.max))
            else:
                cells.append(_size(row.mean))

        guesses = [by_agent[agent].mean for agent in _GUESSERS if agent in by_agent]
        guess = _size(max(guesses)) if guesses else MISSING
        floors = [by_agent[agent] for agent in _FLOORS if agent in by_agent]
        nothing = MISSING
        if floors:
            mean = max(row.mean for row in floors)
            best = max(row.max for row in floors)
            if not higher_is_better:
                best = min(row.min for row in floors)
            nothing = f"{_size(mean)} {_size(best)}"
        table.add_row(plain(metric).removeprefix("paper."), str(lives), *cells, guess, nothing)


def _size(value: float) -> str:
    return f"{value:.2f}" if abs(value) < 100 else f"{value:,.0f}"


# -- planted faults


def print_faults(faults: FaultsReport, console: Console) -> None:
    """Print what the diagnosis names for each fault, and how often its intervals are right."""
    title = Text.assemble(("Planted faults", "bold"), "  at full strength")
    matrix_note = (
        "a memory of one piece cannot tell write from retrieval: write+retrieval is right there"
    )
    strength_note = (
        "planted: the share that the fault plants; measured: the mean share of the diagnosis;"
        " covered: how often its 95 % interval holds the planted share"
    )
    coverage = faults.coverage_interval
    share = number(coverage.share, 3)
    interval = interval_text(coverage.ci, 3, False)
    words = f"{share}, {interval}, n = {coverage.n} intervals below full strength"
    parts: list[RenderableType] = [
        Rule(title, align="left", style="dim"),
        _confusion_table(faults),
        Text(matrix_note, "dim"),
        Text(""),
        Text("At every strength", "bold"),
        _strength_table(faults.by_strength),
        Text(strength_note, "dim"),
        Text(""),
        grid([("coverage", Text(words))]),
    ]
    show(console, *parts)

    success = "every stage is named, and the intervals hold"
    _show_verdict(console, faults.ok, success, "missed:", faults.missed)


def _confusion_table(faults: FaultsReport) -> Table:
    distinct: dict[str, None] = {}
    for row in faults.confusion.values():
        distinct.update(dict.fromkeys(row))
    stages = list(distinct)

    columns = [
        ("cases", "right"),
        ("right", "right"),
    ]
    for name in stages:
        columns.append((plain(name).replace("+", "+\n"), "right"))

    table = bare_table("planted", *columns, narrow=True)
    for planted, row in faults.confusion.items():
        accuracy = faults.accuracy_by_stage.get(planted)
        cells = [str(row[name]) if name in row else "·" for name in stages]
        cases = sum(row.values())
        table.add_row(plain(planted), str(cases), number(accuracy, 3), *cells)
    return table


def _strength_table(rows: Sequence[FaultGroup]) -> Table:
    table = bare_table(
        "fault",
        ("strength", "right"),
        ("cases", "right"),
        ("right", "right"),
        ("planted", "right"),
        ("measured", "right"),
        ("covered", "right"),
        narrow=True,
    )
    for row in rows:
        name = f"{plain(row.stage)}, {plain(row.memory)}"
        if row.lookalikes:
            name += ", look-alikes"
        table.add_row(
            name,
            number(row.strength),
            str(row.n),
            number(row.share, 3),
            number(row.planted, 3),
            number(row.measured, 3),
            number(row.coverage, 3),
        )
    return table


# -- dials


def print_dials(result: DialsReport, console: Console) -> None:
    """Print what turning each dial did to its own metric, and how far the bystanders moved."""
    title = f"Dials  {result.model}, {result.sessions} sessions, {result.seeds} seeds"
    table = bare_table(
        "dial and metric",
        ("setting: mean [95 %]", "left"),
        ("rank", "right"),
        ("bystanders", "left"),
        narrow=True,
    )
    for dial in result.dials:
        table.add_row(
            "\n".join(map(plain, _dial_lines(dial))),
            _responses(dial, [f"{setting:g}" for setting in dial.settings]),
            number(dial.spearman, signed=True),
            "\n".join(map(plain, _bystander_lines(dial))),
        )

    spans = result.spans
    name = f"session span\n{spans.metric}\n{plain(spans.scenario)}, {plain(spans.memory)}"
    table.add_row(
        name,
        _responses(spans, spans.spans),
        number(spans.spearman, signed=True),
        "",
    )
    show(
        console,
        Rule(Text(title, "bold"), align="left", style="dim"),
        table,
        Text("rank: Spearman's correlation of setting and mean; – where nothing moved", "dim"),
    )


def _dial_lines(dial: DialResponse) -> list[str]:
    lines = [
        dial.dial,
        f"{dial.metric} {dial.expected}",
        f"{dial.scenario}, {dial.memory}",
    ]
    for other, value in dial.pressure.items():
        if other != "preset":
            lines.append(f"{in_words(other)} {value:g}")
    return lines


def _bystander_lines(dial: DialResponse) -> list[str]:
    lines = []
    for name, drift in dial.bystander_range.items():
        lines.append(f"{name} moved {number(drift)}")
    oracle = [value for value in dial.oracle_retrieval or () if value is not None]
    if oracle:
        lines.append(f"oracle retrieval at least {number(min(oracle))}")
    return lines


def _responses(response: DialResponse | SpanResponse, settings: Sequence[str]) -> str:
    lines = []
    rows = zip(settings, response.responses, response.intervals, strict=True)
    for setting, mean, (low, high) in rows:
        interval = "" if low is None else f" [{number(low)}, {number(high)}]"
        lines.append(f"{setting}: {number(mean)}{interval}")
    return "\n".join(lines)
