"""Resumption on the terminal: runs, gate, comparisons, falsification, power, Pareto front."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from agingbench.cards.model import Card, ResumptionSection
from agingbench.cards.resumption import (
    ComponentGate,
    EpisodeReport,
    FalsifyResult,
    FigureComparison,
    GatePage,
    ParetoPoint,
    PowerPlan,
    RunComparison,
    RunDocument,
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

_OUTCOME_COLOURS = {
    "met": "red",
    "not met": "green",
    "underpowered": "yellow",
}


def print_run(run: RunDocument, console: Console) -> None:
    """Print the result of a run; without a passed gate, only counts and why there is no figure."""
    title = Text.assemble(("Resumption", "bold"), f"  {plain(run.run_id)}")
    about = [
        ("consolidator", Text(plain(run.consolidator))),
        ("budget", Text(str(run.budget))),
        ("tokenizer", Text(plain(run.tokenizer))),
        ("agent", Text(plain(run.agent))),
        ("judge", Text(plain(run.judge))),
        ("episodes", Text(_status_counts(run.statuses))),
        ("gate", Text(plain(run.gate), "green" if run.passed else "red")),
    ]
    show(console, Rule(title, align="left", style="dim"), grid(about))

    if run.headline:
        show(console, Text(""), Text(plain(run.headline), "bold"))
    if run.figures:
        table = _figure_table()
        for group, figures in run.figures.items():
            for name, figure in figures.items():
                bounds = None
                if figure.low is not None:
                    bounds = [figure.low, figure.high]
                table.add_row(
                    in_words(name),
                    group,
                    number(figure.value, 3),
                    interval_text(bounds, 3, False),
                    str(figure.n),
                )
        show(console, Text(""), table)

    skipped = [f"{name}: {reason}" for name, reason in run.skipped.items()]
    notes = [
        *run.reasons,
        *run.notes,
        *_first_few(skipped),
    ]
    for line in notes:
        show(console, Text(f"- {plain(line)}", "yellow"))


def _status_counts(statuses: Mapping[str, int]) -> str:
    counts = [f"{n} {status}" for status, n in sorted(statuses.items())]
    return ", ".join(counts)


def _figure_table() -> Table:
    return bare_table(
        "figure",
        ("group", "left"),
        ("mean", "right"),
        ("95 % interval", "right"),
        ("n", "right"),
    )


def _first_few(lines: Sequence[str], most: int = 3) -> list[str]:
    if len(lines) <= most:
        return list(lines)
    rest = len(lines) - most
    return [*lines[:most], f"and {rest} more such episodes"]


def print_resumption_card(card: Card, console: Console) -> None:
    """Print the card of a run; raises ValueError where the card is not that of a run."""
    section = card.resumption
    if not isinstance(section, ResumptionSection):
        raise ValueError("the card has no resumption")

    statuses: dict[str, int] = {}
    for status, count in (section.statuses or {}).items():
        statuses[status] = count or 0

    title = Text.assemble(("Resumption Card", "bold"), f"  {plain(card.run_id)}")
    about = [
        ("system", Text(plain(card.sut.sut_id), "bold")),
        ("consolidator", Text(plain(section.consolidator))),
        ("budget", Text(str(section.budget))),
        ("tokenizer", Text(plain(section.tokenizer))),
        ("agent", Text(plain(section.agent))),
        ("judge", Text(plain(section.judge))),
        ("gate", Text(plain(section.gate))),
        ("episodes", Text(_status_counts(statuses) or MISSING)),
    ]
    show(
        console,
        Rule(title, align="left", style="dim"),
        grid(about),
        Text(""),
        _card_figures(section),
        Text(""),
        _card_kappas(section),
        Text(""),
    )
    for warning in card.warnings:
        # A resumption run exercises no mechanism of aging.
        if not warning.startswith("mechanism_not_exercised"):
            show(console, Text(f"- {plain(warning)}", "yellow"))


def _card_figures(section: ResumptionSection) -> Table:
    table = _figure_table()
    for name, group in section.groups.items():
        figures = group.document()
        for key in sorted(figures):
            figure = key.removesuffix("_n")
            if figure == key:
                continue
            places = 0 if figure.startswith("context_tokens") else 3
            table.add_row(
                in_words(figure),
                plain(name),
                number(figures.get(figure), places),
                interval_text(figures.get(f"{figure}_ci"), places, False),
                str(figures[key]),
            )
    return table


def _card_kappas(section: ResumptionSection) -> Table:
    table = bare_table(
        "judge against reference grades",
        ("κ", "right"),
        ("95 % interval", "right"),
        ("n", "right"),
    )
    for kappa in section.kappa:
        table.add_row(
            f"{plain(kappa.component)} ({plain(kappa.domain)})",
            number(kappa.value.value, 3),
            interval_text(kappa.value.interval, 2, False),
            MISSING if kappa.value.n is None else str(kappa.value.count),
        )
    return table


def print_gate(gate: GatePage, console: Console) -> None:
    """Print kappa per component, with its interval and the labels still needed."""
    table = bare_table(
        "component",
        ("domain", "left"),
        ("κ", "right"),
        ("95 % interval", "right"),
        ("n", "right"),
        ("rarer", "right"),
        ("still needed", "right"),
        ("gate", "left"),
        narrow=True,
    )
    for kappa in gate.components:
        bounds = None
        if kappa.low is not None:
            bounds = [kappa.low, kappa.high]
        table.add_row(
            kappa.component,
            plain(kappa.domain),
            number(kappa.value, 3),
            interval_text(bounds, 2, False),
            str(kappa.n),
            f"{kappa.rarer} {kappa.rarer_label}",
            str(kappa.missing),
            _kappa_verdict(kappa),
        )
    show(console, table, Text(""))

    for reason in gate.reasons:
        show(console, Text(f"- {plain(reason)}", "yellow"))
    for note in gate.notes:
        show(console, Text(plain(note)))
    if gate.passed:
        show(console, Text(gate.words, "green"))
    else:
        show(console, Text("uncalibrated: no number is published", "red"))


def _kappa_verdict(kappa: ComponentGate) -> str:
    if not kappa.passed:
        return "refused"
    return "weak gate" if kappa.weak else "passed"


def print_comparison(comparison: RunComparison, console: Console) -> None:
    """Print A − B per figure and stratum, with the least difference that could have been seen."""
    systems = [
        ("A", Text(plain(comparison.a))),
        ("B", Text(plain(comparison.b))),
    ]
    show(console, grid(systems), Text(""))

    for group, figures in comparison.groups.items():
        title = "all trajectories"
        if group != "all":
            title = f"{group} trajectories, n = {figures[0].n}"
        show(console, Text(title, "bold"), _compared_table(figures))
        for figure in figures:
            show(console, Text(f"  {in_words(figure.figure)}: {figure.verdict}"))
        show(console, Text(""))

    if not comparison.shared:
        words = "no episode was scored in both runs: there is nothing to compare"
        show(console, Text(words, "yellow"))
        return

    words = "MDD: the least difference that this number of episodes shows with power 0.8"
    show(console, Text(words, "dim"))
    if not comparison.matched_budget:
        first, second = comparison.budget
        show(console, Text(f"the budgets differ: {first} and {second} tokens", "yellow"))
    if comparison.unpaired:
        words = f"not scored in both, left out: {len(comparison.unpaired)} episodes"
        show(console, Text(words, "yellow"))


def _compared_table(figures: Sequence[FigureComparison]) -> Table:
    table = bare_table(
        "figure",
        ("A", "right"),
        ("B", "right"),
        ("A − B", "right"),
        ("95 % interval", "right"),
        ("MDD", "right"),
    )
    for figure in figures:
        table.add_row(
            in_words(figure.figure),
            number(figure.a, 2),
            number(figure.b, 2),
            number(figure.effect, 2, True),
            interval_text(figure.effect_ci, 2, True),
            number(figure.minimum_detectable_difference, 2),
        )
    return table


def print_falsify(result: FalsifyResult, console: Console) -> None:
    """Print the three conditions with their effects."""
    for place, condition in enumerate(result.conditions, start=1):
        outcome = (condition.outcome, _OUTCOME_COLOURS[condition.outcome])
        show(console, Text.assemble(f"{place}. {condition.name}: ", outcome))

        for name, paired in condition.effects.items():
            effect = number(paired.effect, 3, True)
            interval = interval_text(paired.effect_ci, 3, True)
            least = number(paired.minimum_detectable_difference, 3)
            text = f"   {name}: {effect} ({interval}), n = {paired.n}, "
            show(console, Text(f"{text}minimum detectable difference {least}"))
        if condition.words:
            show(console, Text(f"   {condition.words}"))

    show(console, Text(f"budget {result.budget} tokens ({plain(result.tokenizer)})"))


def print_plan(plan: PowerPlan, console: Console) -> None:
    """Print the episodes needed, and what other numbers of episodes would show."""
    line = (
        f"{plan.episodes} episodes show a difference of {plan.effect:g} with power {plan.power:g}"
    )
    table = bare_table("episodes", ("least difference seen", "right"))
    for n, least in plan.detectable.items():
        table.add_row(n, number(least, 3))

    show(
        console,
        Text(line, "bold"),
        Text(f"spread of paired differences {plan.sd:.3f} ({plan.sd_source})"),
        Text(""),
        table,
    )


def print_pareto(points: Sequence[ParetoPoint], console: Console) -> None:
    """Print quality against tokens; a star marks the front."""
    table = bare_table(
        "run",
        ("tokens", "right"),
        ("quality", "right"),
        ("95 % interval", "right"),
        ("n", "right"),
        ("front", "left"),
    )
    for point in points:
        table.add_row(
            plain(point.run),
            number(point.tokens, 0),
            number(point.quality, 3),
            interval_text(point.quality_ci, 3, False),
            str(point.n),
            "*" if point.front else "",
        )
    show(console, table)


def print_checks(checks: Sequence[EpisodeReport], console: Console) -> None:
    """Print which episodes are fit for use."""
    for check in checks:
        for problem in check.problems:
            show(console, Text(f"{plain(check.file)}: {plain(problem)}", "red"))

    wrong = [check for check in checks if check.problems]
    right = [check for check in checks if not check.problems]
    without_trace = [check for check in right if check.skipped]
    lines = [f"{check.file}: not looked at fully: {check.skipped}" for check in without_trace]
    for line in _first_few(lines):
        show(console, Text(plain(line), "yellow"))

    fit = [check for check in right if not check.skipped]
    short = [check for check in fit if check.stratum == "short"]
    executable = [check for check in fit if check.kind == "executable"]
    noun = "episode" if len(checks) == 1 else "episodes"
    counts = (
        f"{len(checks)} {noun}: {len(fit)} fit for use"
        f" ({len(short)} under 50 steps, {len(executable)} executable), {len(wrong)} wrong,"
        f" {len(without_trace)} without trace"
    )
    show(console, Text(counts, "bold"))
