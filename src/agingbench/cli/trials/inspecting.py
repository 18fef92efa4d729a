"""The `trials` commands that look: list, show, trace, summary, classify, compare, rank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click
import msgspec

from agingbench.cli.options import json_option, print_json
from agingbench.cli.trials.options import (
    Lazily,
    existing,
    format_option,
    ledger_option,
    make_query,
    query_options,
    screen,
    tell_unmet,
)
from agingbench.errors import InputError
from agingbench.interfaces import Model
from agingbench.models.build import build_model
from agingbench.records import Event
from agingbench.report.trials import (
    print_behaviour,
    print_compared,
    print_listing,
    print_ranking,
    print_shown,
    print_summary,
    print_trace,
)
from agingbench.traces.scrub.scrubber import scrub, scrub_json
from agingbench.traces.trajectory import encode_event
from agingbench.trials.entries import now
from agingbench.trials.inspect.classifier import PROMPT_HASH, classify_with_model
from agingbench.trials.inspect.export import scrubbed_rows
from agingbench.trials.inspect.ranking import ranking
from agingbench.trials.inspect.reviews import attach
from agingbench.trials.inspect.targets import (
    BY_RULES,
    SUCCESS,
    Labeller,
    classified,
    compared,
    read_target,
    summary_of,
)
from agingbench.trials.inspect.targets import shown as everything
from agingbench.trials.inspect.tool_errors import error_kind
from agingbench.trials.inspect.turns import Turn

SCREENFUL = 50


@click.command(
    "list", epilog="Example: agingbench trials list --task s2 --min-reward 0.5 --sort reward --desc"
)
@ledger_option
@query_options
@json_option
def listing(place: str, as_json: bool, **given: Any) -> None:
    """List trials. A terminal shows the first 50 unless --limit says otherwise; --json lists all."""
    if given["limit"] is None and not as_json:
        given["limit"] = SCREENFUL
    query = make_query(given)
    with existing(place) as ledger:
        rows = scrubbed_rows(ledger.list(query))
        total = ledger.count(query)
        quarantined = sum(1 for _ in ledger.entries("quarantine"))
        if not total:
            tell_unmet(ledger, query)
    if as_json:
        told = {"trials": rows, "total": total, "quarantined": quarantined}
        click.echo(msgspec.json.encode(told))
        return
    print_listing(rows, total, screen())
    if quarantined:
        click.echo(
            f"{quarantined} files could not be read and are quarantined; `trials quarantined` lists"
            " them"
        )


@click.command(epilog="Example: agingbench trials quarantined --json")
@ledger_option
@json_option
def quarantined(place: str, as_json: bool) -> None:
    """List the files that an import could not read: they are kept with the reason."""
    with existing(place) as ledger:
        found = [
            {"entry": e.number, **scrub_json(msgspec.json.decode(e.body))}
            for e in ledger.entries("quarantine")
        ]
    if as_json:
        print_json({"quarantined": found})
        return
    for item in found:
        click.echo(f"{item['source']}: {item['reason']}")
    if not found:
        click.echo("nothing is quarantined")


@click.command(epilog="Example: agingbench trials show prime-eval-123-hosted-7 --json")
@click.argument("trial_id")
@ledger_option
@json_option
def show(trial_id: str, place: str, as_json: bool) -> None:
    """Everything about a trial: record, place in the chain, evidence, summary, reviews; scrubbed.

    The start of an id that no other trial shares is enough, here and wherever a trial is named.
    """
    with existing(place) as ledger:
        told = everything(ledger, trial_id)
    if as_json:
        print_json(told)
    else:
        print_shown(told, screen())


@click.command(epilog="Example: agingbench trials trace runs/…/seed_0 --errors")
@click.argument("target")
@ledger_option
@format_option
@click.option("--errors", is_flag=True, help="Only tool results that are errors.")
@click.option("--session", type=int, default=None, help="Only this session of a life.")
@click.option(
    "--limit", "-n", type=click.IntRange(1), default=None, help="No more than this many entries."
)
@json_option
def trace(
    target: str,
    place: str,
    trace_format: str,
    errors: bool,
    session: int | None,
    limit: int | None,
    as_json: bool,
) -> None:
    """Print the trace of a trial, a run folder or a trace file, entry by entry; scrubbed."""
    with Lazily(place) as ledger:
        reading_, _ = read_target(target, ledger, trace_format)
    events = [
        e
        for e in reading_.events
        if (session is None or e.session == session)
        and (not errors or (e.role == "tool_result" and error_kind(e)))
    ][:limit]
    if as_json:
        for event in events:
            print_json(scrub_json(msgspec.json.decode(encode_event(event))))
    else:
        print_trace([_line(event) for event in events], screen())
        if not events:
            click.echo(
                "no entry to show" if reading_.events else f"nothing to show: {reading_.reason}",
                err=True,
            )


def _line(event: Event) -> dict[str, Any]:
    called = (
        f"{event.tool_name or ''} {event.command or event.arguments or ''}"
        if event.role == "tool_call"
        else None
    )
    text = called or event.content or event.stderr or event.stdout or event.lifecycle or ""
    line = event.source.line if event.source else None
    return {"text": scrub(str(text)), "line": line, "step": event.step, "role": event.role}


@click.command(epilog="Example: agingbench trials summary runs/…/seed_0 --json")
@click.argument("targets", nargs=-1, required=True)
@ledger_option
@format_option
@json_option
def summary(targets: tuple[str, ...], place: str, trace_format: str, as_json: bool) -> None:
    """Turns, calls, tokens, tool errors by kind, the first error, and which source tells it.

    TARGETS are trials of the ledger, run folders or trace files; with --json each is one line.
    """
    with Lazily(place) as ledger:
        for target in targets:
            told = summary_of(target, ledger, trace_format)
            if as_json:
                print_json(told)
            else:
                print_summary(scrub(target), told, screen())


@click.command(epilog="Example: agingbench trials classify runs/…/seed_0 --json")
@click.argument("targets", nargs=-1, required=True)
@ledger_option
@format_option
@click.option(
    "--model",
    "-m",
    default=None,
    help="Ask this model instead of the rules; its labels are recorded.",
)
@click.option(
    "--success",
    type=click.FloatRange(0, 1),
    default=SUCCESS,
    show_default=True,
    help="Reward of a success.",
)
@click.option(
    "--save", is_flag=True, help="Record the labels in the ledger (always done with --model)."
)
@json_option
def classify(
    targets: tuple[str, ...],
    place: str,
    trace_format: str,
    model: str | None,
    success: float,
    save: bool,
    as_json: bool,
) -> None:
    """What the assistant does in each turn: execution, verification, deliberation or exploration.

    Trials of a ledger are held against the other successful trials of their task, never against
    themselves.
    """
    asked = build_model(model) if model else None
    with Lazily(place) as ledger:
        for target in targets:
            problems: list[str] = []
            labeller = _asking(asked, problems) if asked else BY_RULES
            told, stored = classified(target, ledger, labeller, success, trace_format)
            if asked is not None:
                told["problems"] = problems
            if stored is not None and (save or asked is not None):
                _record(place, told, stored.record_hash)
            told = scrub_json(told)
            if as_json:
                print_json(told)
            else:
                print_behaviour(told, screen())


def _asking(model: Model, problems: list[str]) -> Labeller:
    def label(turns: Sequence[Turn]) -> list[str | None]:
        labels, wrong = classify_with_model(turns, model)
        problems.extend(wrong)
        return labels

    return Labeller(model.name, PROMPT_HASH, label)


def _record(place: str, told: dict[str, Any], record_hash: str) -> None:
    said = {
        "trial_id": told["target"],
        "record_hash": record_hash,
        "classifier": told["classifier"],
        "prompt_hash": told["prompt_hash"],
        "labels": told["sequence"],
        "timestamp": now(),
    }
    with existing(place) as ledger:
        attach(ledger, "classification", said)


@click.command(epilog="Example: agingbench trials compare ID ID --json")
@click.argument("targets", nargs=-1, required=True)
@ledger_option
@format_option
@json_option
def compare(targets: tuple[str, ...], place: str, trace_format: str, as_json: bool) -> None:
    """Trials, run folders or trace files side by side; each is held against the first."""
    if len(targets) < 2:
        raise InputError("give at least two trials to compare")
    with Lazily(place) as ledger:
        told = compared(targets, ledger, trace_format)
    if as_json:
        print_json(told)
    else:
        print_compared(told, screen())


@click.command(epilog="Example: agingbench trials rank --task s2 --json")
@ledger_option
@query_options
@json_option
def rank(place: str, as_json: bool, **given: Any) -> None:
    """Mean reward per task, model and harness: complete records only, and how many were left out
    and why.
    """
    query = make_query(given)
    with existing(place) as ledger:
        told = scrub_json(ranking(ledger, query))
        if not told["used"] and not told["left_out"]:
            tell_unmet(ledger, query)
    if as_json:
        print_json(told)
    else:
        print_ranking(told, screen())


INSPECTIONS = (listing, show, trace, summary, classify, compare, rank, quarantined)
