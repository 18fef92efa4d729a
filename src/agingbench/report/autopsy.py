"""Autopsies on the terminal: the story of every failed probe, and tables over all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console, RenderableType
from rich.rule import Rule
from rich.table import Table
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

LONGEST_SAYING = 160
LISTED = 3
_INSTEAD = {
    "stale": "a value of the past",
    "lookalike": "the value of its look-alike",
    "other": "the value of something else",
    "recited": "the right value, and more that does not answer the question",
    "partial": "some of what was asked for",
    "past": "the right value, as one that holds no longer",
    "unrecognised": "nothing that this life ever told",
    "amount": "another amount",
    "nothing": "nothing",
    "refusal": "that it does not know",
    "right": "what was wanted",
    "broken": "nothing, since the call broke",
}


def print_autopsy(autopsy: Mapping[str, Any], console: Console, most: int | None = None) -> None:
    """One life: every story, or the first so many, then what it died of."""
    head = (
        f"  {plain(autopsy['scenario'])}, seed {autopsy['seed']}, {autopsy['n_sessions']} sessions"
    )
    show(
        console, Rule(Text.assemble(("Autopsy", "bold"), head), align="left", style="dim"), Text("")
    )
    stories = autopsy["probes"][:most]
    for story in stories:
        print_story(story, console)
    others = len(autopsy["probes"]) - len(stories)
    if others:
        line = (
            f"{len(stories)} of {len(autopsy['probes'])} stories; --all tells the other {others},"
            " --probe ID a single one"
        )
        show(console, Text(line, "dim"), Text(""))
    print_summary(autopsy["summary"], console)


def print_story(story: Mapping[str, Any], console: Console) -> None:
    """What became of what one probe asked for."""
    cause = (
        (in_words(story["cause"]), "bold red") if story["cause"] else ("answered right", "green")
    )
    if story["verdict"] == "failed":
        cause = ("the call broke: neither right nor wrong", "yellow")
    head = f"  {plain(story['type'])} at point {story['t']}, {plain(story['verdict'])}: "
    rows = [
        ("asked", Text(plain(story["question"]))),
        ("wanted", Text("; ".join(map(plain, story["wanted"])))),
    ]
    rows.append(("said", Text(_answer_words(story["said"]))))
    for life in story["facts"]:
        rows += [("" if n else "its life", Text(line)) for n, line in enumerate(_life(life))]
    show(console, Text.assemble((plain(story["probe"]), "bold"), head, cause), grid(rows), Text(""))


def _answer_words(answer: Mapping[str, Any]) -> str:
    words = _INSTEAD.get(answer["what"], plain(answer["what"]))
    whose = [
        f"{plain(v['value'])}"
        + (f" ({plain(v['what'])}, told in session {v['told_at']})" if v["what"] else "")
        for v in answer["values"][:LISTED]
    ]
    more = len(answer["values"]) - LISTED
    if more > 0:
        whose.append(f"and {more} more")
    parts = [words + (": " + ", ".join(whose) if whose else "")]
    if answer.get("explained_by_missing"):
        parts.append("off by exactly the movements that it did not see")
    if answer["text"]:
        text = plain(answer["text"])
        parts.append(f"“{text[:LONGEST_SAYING]}{'…' if len(text) > LONGEST_SAYING else ''}”")
    elif answer.get("reason"):
        parts.append(plain(answer["reason"]))
    return "; ".join(parts)


def _life(life: Mapping[str, Any]) -> Iterator[str]:
    if "account" in life:
        yield from _account(life)
        return
    if life["retraction"]:
        line = f"{_named(life)}: taken back in session {life['told_at']}"
    else:
        line = f"{_named(life)}: told in session {life['introduced']}"
        if life["rewritten"]:
            line += f", rewritten in {', '.join(map(str, life['rewritten']))}"
    yield f"{line}; {_fate(life)}; {_read(life)}"


def _named(life: Mapping[str, Any]) -> str:
    return f"{plain(life['value'])}, {plain(life['what'])}"


def _account(life: Mapping[str, Any]) -> Iterator[str]:
    known = (
        f"a balance of {plain(life['known_balance'])}" if life["known_balance"] else "no balance"
    )
    yield (
        f"{_named(life)}: {life['movements']} movements; {known} was read; not read:"
        f" {life['n_missing'] or 'nothing'}"
    )
    for part in life["missing"][:LISTED]:
        yield (
            f"{plain(part['part'])} of {plain(part['value'])}, told in session {part['told_at']};"
            f" {_fate(part)}"
        )
    if life["n_missing"] > LISTED:
        yield f"and {life['n_missing'] - LISTED} more"


def _fate(life: Mapping[str, Any]) -> str:
    if life["store"] is None:
        return "asked before there was a store"
    if life["store"] == "never_written":
        return f"no store ever stated it: left out at the {_step(life['lost_at'])}"
    if life["store"] == "still_there":
        words = f"stated by the store since point {life['first_stated']}"
    else:
        words = f"stated from point {life['first_stated']} on, lost at the {_step(life['lost_at'])}"
    back = [f"back at the {_step(step)}" for step in life["returns"][:LISTED]]
    return words + (f" ({', '.join(back)})" if back else "")


def _read(life: Mapping[str, Any]) -> str:
    if life["retrieved"]:
        return "it was read"
    return "not read, its look-alike was" if life.get("lookalike_retrieved") else "not read"


def _step(step: Mapping[str, Any]) -> str:
    if step["step"] == "write":
        return f"write of session {step['session']}"
    return f"event {' and '.join(map(plain, step['events']))}"


# -- the sum


def print_summary(summary: Mapping[str, Any], console: Console) -> None:
    """What one life, or several together, died of."""
    failed = summary["failed_probes"]
    lives = summary["lives"]
    head = f"  {failed} of {summary['probes']} probes" + (
        f" in {lives} lives" if lives != 1 else ""
    )
    parts: list[RenderableType] = [
        Rule(Text.assemble(("What failed", "bold"), head), align="left", style="dim"),
        _causes(summary),
    ]
    if summary["transport"]:
        parts.append(Text(f"{summary['transport']} calls broke and count for nothing", "dim"))
    if summary["losses"]:
        parts += [Text(""), Text("Where facts were lost", "bold"), _losses(summary["losses"])]
    if summary["kinds"]:
        parts += [Text(""), Text("What dies first", "bold"), _kinds(summary["kinds"])]
        parts.append(
            Text(
                "half gone: writes that half of them outlive; – where more than half are kept",
                "dim",
            )
        )
    show(console, *parts)


def _causes(summary: Mapping[str, Any]) -> Table:
    table = bare_table("cause", ("probes", "right"), ("share", "right"))
    for cause, n in summary["causes"].items():
        table.add_row(in_words(cause), str(n), number(n / summary["failed_probes"]))
    return table


def _losses(rows: Sequence[Mapping[str, Any]]) -> Table:
    table = bare_table(
        "step", *((head, "right") for head in ("told", "not written", "lost", "came back"))
    )
    for row in rows:
        table.add_row(
            _step(row), *(str(row[key]) for key in ("told", "not_written", "lost", "came_back"))
        )
    return table


def _kinds(rows: Sequence[Mapping[str, Any]]) -> Table:
    columns = [
        (head, "right")
        for head in ("n", "never written", "lost later", "share gone", "95 %", "half gone")
    ]
    table = bare_table("kind", *columns)
    for row in rows:
        share = row["share_lost"]
        half = row["half_survival"]["value"]
        table.add_row(
            in_words(row["kind"]),
            str(row["n"]),
            str(row["never_written"]),
            str(row["lost"]),
            number(share["value"]),
            interval_text(share["ci"], 2, False),
            MISSING if half is None else f"{half:g}",
        )
    return table
