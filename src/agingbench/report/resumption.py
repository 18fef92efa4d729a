"""Resumption on the terminal: runs, gate, comparisons, falsification, power, Pareto front."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.rule import Rule
from rich.text import Text

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


def print_run(result: dict[str, Any], console: Console) -> None:
    """The result of a run; without a passed gate, only counts and why no figure is shown."""
    show(
        console,
        Rule(
            Text.assemble(("Resumption", "bold"), f"  {plain(result['run_id'])}"),
            align="left",
            style="dim",
        ),
    )
    about = [
        (key, Text(plain(str(result[key]))))
        for key in ("consolidator", "budget", "tokenizer", "agent", "judge")
    ]
    statuses = ", ".join(f"{n} {status}" for status, n in sorted(result["statuses"].items()))
    about += [
        ("episodes", Text(statuses)),
        ("gate", Text(plain(result["gate"]), "green" if result["passed"] else "red")),
    ]
    show(console, grid(about))
    if result["figures"]:
        table = bare_table(
            "figure",
            ("group", "left"),
            ("mean", "right"),
            ("95 % interval", "right"),
            ("n", "right"),
        )
        for group, figures in result["figures"].items():
            for name, e in figures.items():
                bounds = None if e["low"] is None else [e["low"], e["high"]]
                table.add_row(
                    in_words(name),
                    group,
                    number(e["value"], 3),
                    interval_text(bounds, 3, False),
                    str(e["n"]),
                )
        show(console, Text(""), table)
    left_out = [f"{name}: {reason}" for name, reason in result["skipped"].items()]
    for line in (*result["reasons"], *result["notes"], *_few(left_out)):
        show(console, Text(f"- {plain(line)}", "yellow"))


def print_resumption_card(card: dict[str, Any], console: Console) -> None:
    """The card of a run: the system, the gate, every figure with interval and n, and warnings."""
    block = card["resumption"]
    sut = card["sut"]
    title = Text.assemble(("Resumption Card", "bold"), f"  {plain(card['run_id'])}")
    statuses = block.get("statuses") or {}
    keys = ("consolidator", "budget", "tokenizer", "agent", "judge", "gate")
    values = {key: block.get(key) for key in keys}
    episodes = ", ".join(f"{n} {status}" for status, n in sorted(statuses.items()))
    values["episodes"] = episodes or None
    about = []
    for key, value in values.items():
        about.append((key, Text(MISSING if value is None else plain(str(value)))))
    show(
        console,
        Rule(title, align="left", style="dim"),
        grid([("system", Text(plain(sut["sut_id"]), "bold")), *about]),
    )
    table = bare_table(
        "figure", ("group", "left"), ("mean", "right"), ("95 % interval", "right"), ("n", "right")
    )
    for group, figures in (block.get("groups") or {}).items():
        for name in (key.removesuffix("_n") for key in figures if key.endswith("_n")):
            places = 0 if name.startswith("context_tokens") else 3
            bounds = interval_text(figures.get(f"{name}_ci"), places, False)
            table.add_row(
                in_words(name),
                plain(group),
                number(figures.get(name), places),
                bounds,
                str(figures[f"{name}_n"]),
            )
    kappas = bare_table(
        "judge against hand grades", ("κ", "right"), ("95 % interval", "right"), ("n", "right")
    )
    for part in block.get("kappa") or ():
        bounds = interval_text(part.get("value_ci"), 2, False)
        name = f"{plain(part['component'])} ({plain(part['domain'])})"
        kappas.add_row(
            name, number(part.get("value"), 3), bounds, str(part.get("value_n", MISSING))
        )
    show(console, Text(""), table, Text(""), kappas, Text(""))
    for warning in card["warnings"]:
        # A resumption run exercises no mechanism of aging.
        if not warning.startswith("mechanism_not_exercised"):
            show(console, Text(f"- {plain(warning)}", "yellow"))


def _few(lines: Sequence[str], most: int = 3) -> list[str]:
    if len(lines) <= most:
        return list(lines)
    return [*lines[:most], f"and {len(lines) - most} more such episodes"]


def print_gate(gate: dict[str, Any], console: Console) -> None:
    """Kappa per component, with its interval and the labels still needed."""
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
    for part in gate["components"]:
        bounds = None if part["low"] is None else [part["low"], part["high"]]
        verdict = "refused" if not part["passed"] else "weak gate" if part["weak"] else "passed"
        table.add_row(
            part["component"],
            plain(part["domain"]),
            number(part["value"], 3),
            interval_text(bounds, 2, False),
            str(part["n"]),
            f"{part['rarer']} {part['rarer_label']}",
            str(part["missing"]),
            verdict,
        )
    show(console, table, Text(""))
    for reason in gate["reasons"]:
        show(console, Text(f"- {plain(reason)}", "yellow"))
    for line in gate["notes"]:
        show(console, Text(plain(line)))
    words = gate["words"] if gate["passed"] else "uncalibrated: no number is published"
    show(console, Text(words, "green" if gate["passed"] else "red"))


def print_comparison(result: dict[str, Any], console: Console) -> None:
    """A − B per figure and stratum, with the least difference that could have been seen."""
    show(
        console, grid([("A", Text(plain(result["a"]))), ("B", Text(plain(result["b"])))]), Text("")
    )
    for group, figures in result["groups"].items():
        show(
            console,
            Text(
                (
                    f"{group} trajectories, n = {figures[0]['n']}"
                    if group != "all"
                    else "all trajectories"
                ),
                "bold",
            ),
        )
        table = bare_table(
            "figure",
            ("A", "right"),
            ("B", "right"),
            ("A − B", "right"),
            ("95 % interval", "right"),
            ("MDD", "right"),
        )
        for row in figures:
            table.add_row(
                in_words(row["figure"]),
                number(row["a"], 2),
                number(row["b"], 2),
                number(row["effect"], 2, True),
                interval_text(row["effect_ci"], 2, True),
                number(row["minimum_detectable_difference"], 2),
            )
        show(console, table)
        for row in figures:
            show(console, Text(f"  {in_words(row['figure'])}: {row['verdict']}"))
        show(console, Text(""))
    if not result["shared"]:
        show(
            console,
            Text("no episode was scored in both runs: there is nothing to compare", "yellow"),
        )
        return
    show(
        console,
        Text("MDD: the least difference that this number of episodes shows with power 0.8", "dim"),
    )
    if not result["matched_budget"]:
        show(
            console,
            Text(
                f"the budgets differ: {result['budget'][0]} and {result['budget'][1]} tokens",
                "yellow",
            ),
        )
    if result["unpaired"]:
        show(
            console,
            Text(f"not scored in both, left out: {len(result['unpaired'])} episodes", "yellow"),
        )


def print_falsify(result: dict[str, Any], console: Console) -> None:
    """The three conditions with their effects."""
    for place, condition in enumerate(result["conditions"], start=1):
        colour = {"met": "red", "not met": "green", "underpowered": "yellow"}[condition["outcome"]]
        show(
            console,
            Text.assemble(f"{place}. {condition['name']}: ", (condition["outcome"], colour)),
        )
        for name, e in condition["effects"].items():
            effect = number(e["effect"], 3, True)
            interval = interval_text(e["effect_ci"], 3, True)
            least = number(e["minimum_detectable_difference"], 3)
            text = f"   {name}: {effect} ({interval}), n = {e['n']}, "
            show(console, Text(f"{text}minimum detectable difference {least}"))
        if condition["words"]:
            show(console, Text(f"   {condition['words']}"))
    show(console, Text(f"budget {result['budget']} tokens ({plain(result['tokenizer'])})"))


def print_plan(result: dict[str, Any], console: Console) -> None:
    """Episodes needed, and what other numbers of episodes would show."""
    line = (
        f"{result['episodes']} episodes show a difference of {result['effect']:g} with power"
        f" {result['power']:g}"
    )
    show(
        console,
        Text(line, "bold"),
        Text(f"spread of paired differences {result['sd']:.3f} ({result['sd_source']})"),
    )
    table = bare_table("episodes", ("least difference seen", "right"))
    for n, least in result["detectable"].items():
        table.add_row(n, number(least, 3))
    show(console, Text(""), table)


def print_pareto(points: Sequence[dict[str, Any]], console: Console) -> None:
    """Quality against tokens; a star marks the front."""
    table = bare_table(
        "run",
        ("tokens", "right"),
        ("quality", "right"),
        ("95 % interval", "right"),
        ("n", "right"),
        ("front", "left"),
    )
    for p in points:
        table.add_row(
            plain(p["run"]),
            number(p["tokens"], 0),
            number(p["quality"], 3),
            interval_text(p["quality_ci"], 3, False),
            str(p["n"]),
            "*" if p["front"] else "",
        )
    show(console, table)


def print_checks(checks: Sequence[dict[str, Any]], console: Console) -> None:
    """Which episodes are fit for use."""
    for check in checks:
        for problem in check["problems"]:
            show(console, Text(f"{plain(check['file'])}: {plain(problem)}", "red"))
    unseen = [
        f"{f['file']}: not looked at fully: {f['skipped']}"
        for f in checks
        if f["skipped"] and not f["problems"]
    ]
    for line in _few(unseen):
        show(console, Text(plain(line), "yellow"))
    fit = [f for f in checks if not f["problems"] and not f["skipped"]]
    short = sum(f["stratum"] == "short" for f in fit)
    wrong = sum(bool(f["problems"]) for f in checks)
    untraced = len(checks) - len(fit) - wrong
    line = (
        f"{len(checks)} episodes: {len(fit)} fit for use ({short} under 50 steps), {wrong} wrong,"
        f" {untraced} without trace"
    )
    show(console, Text(line, "bold"))
