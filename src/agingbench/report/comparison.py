"""Comparisons, tables of cells, the gate and estimates on the terminal; JUnit XML for CI."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from rich.console import Console, RenderableType
from rich.rule import Rule
from rich.text import Text

from agingbench.cards.comparison import (
    CellSummary,
    ComparedCell,
    Comparison,
    Comparisons,
    GateResult,
    Spread,
)
from agingbench.metrics.survival import HalfLives
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
from agingbench.trials.estimate import CellEstimate, StudyEstimate

_HALF_LIFE_NOTE = (
    "RMST: mean sessions up to the half-life, cut at the end of the shortest life; censored: the"
    " half-life was not reached"
)


def print_comparison(result: Comparison, console: Console) -> None:
    """A − B in every shared cell: each figure with interval and p, and the half-lives of both."""
    a = plain(result.a)
    b = plain(result.b)
    for cell in result.cells:
        table = bare_table(
            "figure",
            ("A", "right"),
            ("B", "right"),
            ("A − B", "right"),
            ("95 % interval", "right"),
            ("p", "right"),
            ("Holm", "right"),
            ("n", "right"),
            narrow=True,
        )
        for row in cell.figures:
            table.add_row(
                in_words(row.figure),
                number(row.a, 3),
                number(row.b, 3),
                number(row.effect, 3, True),
                interval_text(row.effect_ci, 3, True),
                number(row.p_value, 3),
                number(row.p_holm, 3),
                str(row.n),
            )
        parts: list[RenderableType] = [
            Rule(
                Text.assemble(("Comparison", "bold"), f"  {plain(cell.condition)}"),
                align="left",
                style="dim",
            ),
            grid([("A", Text(a)), ("B", Text(b)), ("seeds", Text(_seeds(cell)))]),
            Text(""),
            table,
            Text(""),
            grid(
                [
                    ("half-life A", Text(half_life_line(cell.half_life.a))),
                    ("half-life B", Text(half_life_line(cell.half_life.b))),
                ]
            ),
            Text(""),
        ]
        show(console, *parts)
    show(console, Text(_HALF_LIFE_NOTE, "dim"))
    show(console, Text(_tests_note(result), "dim"))
    for name in result.unmatched:
        show(console, Text(f"on one side only: {plain(name)}", "yellow"))


def print_comparisons(result: Comparisons, console: Console) -> None:
    """Several systems, each against every other."""
    for comparison in result.comparisons:
        print_comparison(comparison, console)


def _tests_note(result: Comparison) -> str:
    return f"Holm: p corrected for the {result.tests} tests of this command together"


def _seeds(cell: ComparedCell) -> str:
    text = f"{len(cell.seeds)} paired"
    if cell.smallest_p is not None:
        text += f", so no p can be below {cell.smallest_p:.2g}"
    lone = []
    if cell.unpaired.a:
        lone.append(f"{len(cell.unpaired.a)} in A only")
    if cell.unpaired.b:
        lone.append(f"{len(cell.unpaired.b)} in B only")
    return f"{text}; {', '.join(lone)}, left out" if lone else text


def half_life_line(survival: HalfLives) -> str:
    """The half-lives of a cell in one line, with how many are censored."""
    undefined = survival.undefined
    if not survival.n:
        return f"none ({undefined} lives without m(0))" if undefined else MISSING

    mean = survival.rmst
    mean_text = f"RMST {number(mean.value)} of {number(survival.tau, 0)} sessions"
    if mean.low is not None:
        mean_text += f" ({interval_text([mean.low, mean.high], 2, False)})"
    parts = [mean_text]

    median = survival.median
    if median.value is not None:
        interval = interval_text([median.low, median.high], 2, False)
        parts.append(f"median {number(median.value)} ({interval})")
    elif len(survival.listed) < 10:
        times = [f">{t:g}" if censored else f"{t:.1f}" for t, censored in survival.listed]
        parts.append("each " + ", ".join(times))
    else:
        parts.append("median not reached")

    parts.append(f"{survival.censored} of {survival.n} censored")
    if undefined:
        parts.append(f"{undefined} undefined")
    return "; ".join(parts)


def print_cells(rows: Sequence[CellSummary], console: Console) -> None:
    """One line per cell: n, mean ± std of each figure, the half-life, and how many are censored."""
    columns = (
        ("n", "right"),
        ("m(0)", "right"),
        ("m(final)", "right"),
        ("time average", "right"),
        ("slope", "right"),
    )
    by_condition: dict[str, list[CellSummary]] = {}
    for row in rows:
        by_condition.setdefault(row.condition, []).append(row)
    for condition, cells in by_condition.items():
        table = bare_table(
            "system", *columns, ("RMST", "right"), ("censored", "right"), narrow=True
        )
        for row in cells:
            half = row.half_life
            table.add_row(
                plain(row.system),
                str(row.n),
                _spread(row.m0, 2),
                _spread(row.m_final, 2),
                _spread(row.time_average, 2),
                _spread(row.decay_slope, 3),
                number(half.rmst.value),
                f"{half.censored} of {half.n}",
            )
        show(
            console,
            Rule(Text(plain(condition), "bold"), align="left", style="dim"),
            table,
            Text(""),
        )
    show(
        console,
        Text(
            "mean ± standard deviation over lives; RMST: mean sessions up to the half-life", "dim"
        ),
    )


def _spread(figure: Spread, decimals: int) -> str:
    if figure.mean is None:
        return MISSING
    spread = MISSING if figure.std is None else number(figure.std, decimals)
    return f"{number(figure.mean, decimals, decimals == 3)} ± {spread}"


def print_gate(result: GateResult, console: Console) -> None:
    """What the gate saw, what it decided, and what it could not have seen."""
    passed = not result.failures
    lines = [
        ("candidate", Text(plain(result.candidate.sut_id))),
        ("baseline", Text(plain(result.baseline.sut_id))),
        (
            "drop",
            Text(
                f"{number(result.drop, 3, True)} in the time average, 95 % interval "
                f"{interval_text(result.drop_ci, 3, True)}, n = {result.drop_n}"
            ),
        ),
        ("limit", Text(f"{result.max_drop:g}")),
        (
            "smallest",
            Text(f"a drop below {number(result.detectable, 3)} could not have been told from none"),
        ),
        ("seeds", Text(_gate_seeds(result))),
        ("basis", Text(result.basis)),
        (
            "gate",
            Text(
                "passed" if passed else "; ".join(result.failures),
                "bold green" if passed else "bold red",
            ),
        ),
    ]
    show(console, Rule(Text("Gate", "bold"), align="left", style="dim"), grid(lines), Text(""))


def _gate_seeds(result: GateResult) -> str:
    text = f"{len(result.seeds)} paired"
    lone = len(result.unpaired.a) + len(result.unpaired.b)
    if lone:
        text += f", {lone} on one side only and left out"
    if result.seeds_needed is None:
        return f"{text}; no number of seeds would see a drop of {result.max_drop:g}"
    return f"{text}; about {result.seeds_needed} would see a drop of {result.max_drop:g}"


def junit_xml(result: GateResult) -> bytes:
    """The gate's verdict as a JUnit report with one test case per check."""
    life = result.candidate
    which = f"seed {life.seed}" if life.seed is not None else f"{len(result.seeds)} seeds"
    name = f"{life.scenario} {life.sut_id} {which}"
    suite = ElementTree.Element(
        "testsuite",
        name="agingbench gate",
        tests=str(len(result.checks)),
        failures=str(len(result.failures)),
        errors="0",
    )
    for check, failure in result.checks.items():
        case = ElementTree.SubElement(
            suite, "testcase", classname=plain(f"agingbench.gate.{check}"), name=plain(name)
        )
        if failure is not None:
            element = ElementTree.SubElement(case, "failure", message=plain(failure))
            element.text = plain(
                f"drop {result.drop:.4f}, interval {list(result.drop_ci)}, limit"
                f" {result.max_drop}, detectable {result.detectable:.4f}; {result.basis}"
            )
    body: bytes = ElementTree.tostring(suite, encoding="utf-8", xml_declaration=True)
    return body + b"\n"


def print_estimate(result: StudyEstimate, console: Console) -> None:
    """Calls, tokens and cost before anything runs."""
    columns = (
        ("sessions", "right"),
        ("lives", "right"),
        ("calls", "right"),
        ("tokens in", "right"),
        ("tokens out", "right"),
        ("cost", "right"),
    )
    table = bare_table("cell", *columns, narrow=True)
    for cell in result.cells:
        names = [plain(name) for name in (cell.scenario, cell.sut_id, cell.condition)]
        table.add_row(" ".join(filter(None, names)), str(cell.sessions), *_amounts(cell))
    table.add_row("all", "", *_amounts(result))

    kind = (
        "exact: the embedded reader was asked in memory"
        if result.exact
        else "estimated from the plan's texts"
    )
    line = f"{kind}; nothing was run"
    if result.finished:
        line += f"; {result.finished} of {result.lives} lives are finished"
    show(console, table, Text(""), Text(line, "dim"))


def _amounts(estimate: CellEstimate | StudyEstimate) -> list[str]:
    return [
        str(estimate.lives),
        f"{estimate.calls:,}",
        _count(estimate.input_tokens),
        _count(estimate.output_tokens),
        _dollars(estimate.cost_usd),
    ]


def _count(value: int | None) -> str:
    return MISSING if value is None else f"{value:,}"


def _dollars(value: float | None) -> str:
    if value is None:
        return "unknown"
    return f"${value:,.2f}" if value == 0 or value >= 0.1 else f"${value:.2g}"
