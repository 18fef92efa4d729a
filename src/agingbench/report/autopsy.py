"""Autopsies on the terminal: the story of every failed probe, and tables over all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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
from agingbench.trials.autopsy import (
    AccountStory,
    AnswerContent,
    AutopsyDocument,
    AutopsySummary,
    FactStory,
    KindLosses,
    ProbeStory,
    StepLosses,
    StepRow,
    StoreFate,
)

LONGEST_QUOTE = 160
LISTED = 3
_INSTEAD = {
    "stale": "a value of the past",
    "lookalike": "the value of its look-alike",
    "other": "the value of something else",
    "recited": "the right value, and more that does not answer the question",
    "partial": "some of what was asked for",
    "past": "the right value, as one that holds no longer",
    "unrecognised": "no value of any fact of this life",
    "off_kind": "nothing of the kind that was asked for",
    "amount": "another amount",
    "nothing": "nothing",
    "refusal": "that it does not know",
    "right": "what was wanted",
    "broken": "nothing, since the call broke",
}


def print_autopsy(autopsy: AutopsyDocument, console: Console, most: int | None = None) -> None:
    """Print one life: every story, or the first so many, then what it died of."""
    about = f"  {plain(autopsy.scenario)}, seed {autopsy.seed}, {autopsy.n_sessions} sessions"
    title = Text.assemble(("Autopsy", "bold"), about)
    show(console, Rule(title, align="left", style="dim"), Text(""))

    stories = autopsy.probes[:most]
    for story in stories:
        print_story(story, console)

    others = len(autopsy.probes) - len(stories)
    if others:
        line = (
            f"{len(stories)} of {len(autopsy.probes)} stories; --all tells the other {others},"
            " --probe ID a single one"
        )
        show(console, Text(line, "dim"), Text(""))
    print_summary(autopsy.summary, console)


def print_story(story: ProbeStory, console: Console) -> None:
    """Print what became of what one probe asked for."""
    if story.verdict == "failed":
        cause = ("the call broke: neither right nor wrong", "yellow")
    elif story.cause:
        cause = (in_words(story.cause), "bold red")
    else:
        cause = ("answered right", "green")
    about = f"  {plain(story.type)} at point {story.t}, {plain(story.verdict)}: "

    rows = [
        ("asked", Text(plain(story.question))),
        ("wanted", Text("; ".join(map(plain, story.wanted)))),
        ("said", Text(answer_words(story.said))),
    ]
    for fact in story.facts:
        label = "its life"
        for line in _life_lines(fact):
            rows.append((label, Text(line)))
            label = ""

    title = Text.assemble((plain(story.probe), "bold"), about, cause)
    show(console, title, grid(rows), Text(""))


def answer_words(answer: AnswerContent) -> str:
    """What an answer said instead of what was wanted."""
    words = _INSTEAD.get(answer.what, plain(answer.what))
    values = []
    for value in answer.values[:LISTED]:
        source = f" ({plain(value.what)}, told in session {value.told_at})" if value.what else ""
        values.append(f"{plain(value.value)}{source}")
    more = len(answer.values) - LISTED
    if more > 0:
        values.append(f"and {more} more")
    if values:
        words += f": {', '.join(values)}"

    parts = [words]
    if answer.explained_by_missing:
        parts.append("off by exactly the movements that it did not see")
    if answer.text:
        text = plain(answer.text)
        dots = "…" if len(text) > LONGEST_QUOTE else ""
        parts.append(f"“{text[:LONGEST_QUOTE]}{dots}”")
    elif answer.reason:
        parts.append(plain(answer.reason))
    return "; ".join(parts)


def _life_lines(story: FactStory | AccountStory) -> Iterator[str]:
    """How a fact or an account was told, stored, lost and read."""
    if isinstance(story, AccountStory):
        yield from _account_lines(story)
        return

    line = f"{plain(story.value)}, {plain(story.what)}: "
    if story.retraction:
        line += f"taken back in session {story.told_at}"
    else:
        line += f"told in session {story.introduced}"
        if story.rewritten:
            line += f", rewritten in {', '.join(map(str, story.rewritten))}"

    reading = "not read"
    if story.retrieved:
        reading = "it was read"
    elif story.lookalike_retrieved:
        reading = "not read, its look-alike was"
    yield f"{line}; {fate_words(story)}; {reading}"


def _account_lines(account: AccountStory) -> Iterator[str]:
    balance = "no balance"
    if account.known_balance:
        balance = f"a balance of {plain(account.known_balance)}"
    yield (
        f"{plain(account.value)}, {plain(account.what)}: {account.movements} movements;"
        f" {balance} was read; not read: {account.n_missing or 'nothing'}"
    )
    for part in account.missing[:LISTED]:
        yield (
            f"{plain(part.part)} of {plain(part.value)}, told in session {part.told_at};"
            f" {fate_words(part)}"
        )
    if account.n_missing > LISTED:
        yield f"and {account.n_missing - LISTED} more"


def fate_words(story: StoreFate) -> str:
    """What became of a value in the store."""
    if story.store is None:
        return "asked before there was a store"
    lost_at = "unknown step" if story.lost_at is None else step_words(story.lost_at)
    if story.store == "never_written":
        return f"no store ever stated it: left out at the {lost_at}"

    if story.store == "still_there":
        words = f"stated by the store since point {story.first_stated}"
    else:
        words = f"stated from point {story.first_stated} on, lost at the {lost_at}"
    returns = [f"back at the {step_words(step)}" for step in story.returns[:LISTED]]
    if returns:
        words += f" ({', '.join(returns)})"
    return words


def step_words(step: StepRow) -> str:
    """The write or the events that changed a store."""
    if step.step == "write":
        return f"write of session {step.session}"
    return f"event {' and '.join(map(plain, step.events or []))}"


# -- the sum


def print_summary(summary: AutopsySummary, console: Console) -> None:
    """Print what one life, or several together, died of."""
    about = f"  {summary.failed_probes} of {summary.probes} probes"
    if summary.lives != 1:
        about += f" in {summary.lives} lives"
    title = Text.assemble(("What failed", "bold"), about)
    parts: list[RenderableType] = [
        Rule(title, align="left", style="dim"),
        _cause_table(summary),
    ]

    if summary.transport:
        parts.append(Text(f"{summary.transport} calls broke and count for nothing", "dim"))
    if summary.losses:
        parts += [
            Text(""),
            Text("Where facts were lost", "bold"),
            _step_table(summary.losses),
        ]
    if summary.kinds:
        note = "half gone: writes that half of them outlive; – where more than half are kept"
        parts += [
            Text(""),
            Text("What dies first", "bold"),
            _kind_table(summary.kinds),
            Text(note, "dim"),
        ]
    show(console, *parts)


def _cause_table(summary: AutopsySummary) -> Table:
    table = bare_table(
        "cause",
        ("probes", "right"),
        ("share", "right"),
    )
    for cause, n in summary.causes.items():
        table.add_row(in_words(cause), str(n), number(n / summary.failed_probes))
    return table


def _step_table(rows: Sequence[StepLosses]) -> Table:
    table = bare_table(
        "step",
        ("told", "right"),
        ("not written", "right"),
        ("lost", "right"),
        ("came back", "right"),
    )
    for row in rows:
        table.add_row(
            step_words(row),
            str(row.told),
            str(row.not_written),
            str(row.lost),
            str(row.came_back),
        )
    return table


def _kind_table(rows: Sequence[KindLosses]) -> Table:
    table = bare_table(
        "kind",
        ("n", "right"),
        ("never written", "right"),
        ("lost later", "right"),
        ("share gone", "right"),
        ("95 %", "right"),
        ("half gone", "right"),
    )
    for row in rows:
        half = row.half_survival.value
        table.add_row(
            in_words(row.kind),
            str(row.n),
            str(row.never_written),
            str(row.lost),
            number(row.share_lost.value),
            interval_text(row.share_lost.interval, 2, False),
            MISSING if half is None else f"{half:g}",
        )
    return table
