"""The `trials` commands that look: list, show, trace, summary, classify, compare."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Unpack

import click

from agingbench.cli.completion import complete
from agingbench.cli.options import AliasOption, epilog, format_option, json_option
from agingbench.cli.output import echo, print_json
from agingbench.cli.trials.options import (
    LedgerOnDemand,
    QueryOptions,
    existing,
    make_query,
    print_unmet,
    query_options,
    screen,
    trials_ledger_option,
)
from agingbench.errors import InputError

if TYPE_CHECKING:
    from agingbench.interfaces import Model
    from agingbench.records import Event
    from agingbench.trials.inspect.behaviour import Behaviour, Labeller
    from agingbench.trials.inspect.transcripts import TraceLine
    from agingbench.trials.inspect.turns import Turn

SCREENFUL = 50
SUCCESS = 1.0  # that of inspect.behaviour, without importing it


@click.command(
    "list",
    epilog=epilog("agingbench trials list --task s2 --min-reward 0.5 --sort reward --desc"),
)
@trials_ledger_option
@query_options
@json_option
def listing(place: str, as_json: bool, **options: Unpack[QueryOptions]) -> None:
    """List trials.

    Text shows the first 50 unless --limit says otherwise; --json lists all.
    """
    import msgspec

    from agingbench.report.trials import print_listing
    from agingbench.trials.inspect.export import scrubbed_rows

    if options["limit"] is None and not as_json:
        options["limit"] = SCREENFUL
    query = make_query(options)
    with existing(place) as ledger:
        rows = scrubbed_rows(ledger.list(query))
        total = ledger.count(query)
        unread = sum(1 for _ in ledger.entries("quarantine"))
        if not total:
            print_unmet(ledger, query)

    if as_json:
        trials = msgspec.to_builtins(rows)
        print_json({"trials": trials, "total": total, "quarantined": unread})
        return
    print_listing(rows, total, screen())
    if unread:
        echo(
            f"{unread} files could not be read and are quarantined; `trials quarantined` lists them"
        )


@click.command(epilog=epilog("agingbench trials quarantined --json"))
@trials_ledger_option
@json_option
def quarantined(place: str, as_json: bool) -> None:
    """List files that an import could not read.

    They are kept in the ledger with the reason.
    """
    import msgspec

    from agingbench.traces.scrub.scrubber import scrub_json

    with existing(place) as ledger:
        files = [
            {"entry": entry.number, **scrub_json(msgspec.json.decode(entry.body))}
            for entry in ledger.entries("quarantine")
        ]
    if as_json:
        print_json({"quarantined": files})
        return
    for file in files:
        echo(f"{file['source']}: {file['reason']}")
    if not files:
        echo("nothing is quarantined")


@click.command(epilog=epilog("agingbench trials show prime-eval-123-hosted-7 --json"))
@click.argument("trial_id")
@trials_ledger_option
@json_option
def show(trial_id: str, place: str, as_json: bool) -> None:
    """Show everything about a trial.

    Record, place in the chain, evidence, summary and reviews; scrubbed. The
    start of an id that no other trial shares is enough, here and wherever a
    trial is named.
    """
    import msgspec

    from agingbench.report.trials import print_details
    from agingbench.trials.inspect.details import trial_details

    with existing(place) as ledger:
        details = trial_details(ledger, trial_id)
    if as_json:
        print_json(msgspec.to_builtins(details))
    else:
        print_details(details, screen())


@click.command(epilog=epilog("agingbench trials trace runs/…/seed_0 --errors"))
@click.argument("target")
@trials_ledger_option
@format_option
@click.option("--errors", is_flag=True, help="Only tool results that are errors.")
@click.option("--session", type=int, default=None, help="Only this session of a life.")
@click.option(
    "--limit",
    cls=AliasOption,
    aliases=("-n",),
    type=click.IntRange(1),
    default=None,
    metavar="N",
    help="No more than this many entries.",
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
    """Print a trace entry by entry.

    TARGET is a trial, a run folder or a trace file. What is printed is
    scrubbed. Steps are numbered as `resumption cut --at` counts them; with
    --json an entry has the number that its trace gives it.
    """
    import msgspec

    from agingbench.report.trials import print_trace
    from agingbench.traces.scrub.scrubber import scrub_json
    from agingbench.traces.steps import step_numbers
    from agingbench.traces.trajectory import encode_event
    from agingbench.trials.inspect.targets import read_target
    from agingbench.trials.inspect.tool_errors import error_kind

    with LedgerOnDemand(place) as ledger:
        reading, _ = read_target(target, ledger, trace_format)
    events = reading.events
    if session is not None:
        events = [event for event in events if event.session == session]
    if errors:
        results = [event for event in events if event.role == "tool_result"]
        events = [event for event in results if error_kind(event)]
    events = events[:limit]

    if as_json:
        print_json([scrub_json(msgspec.json.decode(encode_event(event))) for event in events])
        return
    numbers = step_numbers(reading.events)
    steps = dict(zip(map(id, reading.events), numbers, strict=True))
    print_trace([_line(event, steps[id(event)]) for event in events], screen())
    if not events:
        reason = "no entry to show" if reading.events else f"nothing to show: {reading.reason}"
        echo(reason, err=True)


def _line(event: Event, step: int | None) -> TraceLine:
    from agingbench.traces.scrub.scrubber import scrub
    from agingbench.trials.inspect.transcripts import TraceLine

    text = event.content or event.stderr or event.stdout or event.lifecycle or ""
    if event.role == "tool_call":
        text = f"{event.tool_name or ''} {event.command or event.arguments or ''}"
    return TraceLine(
        text=scrub(text),
        line=event.source.line if event.source else None,
        step=step,
        role=event.role,
    )


@click.command(epilog=epilog("agingbench trials summary runs/…/seed_0 --json"))
@click.argument("targets", nargs=-1, required=True)
@trials_ledger_option
@format_option
@json_option
def summary(targets: tuple[str, ...], place: str, trace_format: str, as_json: bool) -> None:
    """Count turns, calls, tokens and tool errors.

    TARGETS are trials of the ledger, run folders or trace files. Also tells
    errors by kind, the first error, and which source says so.
    """
    from agingbench.report.trials import print_summary
    from agingbench.traces.scrub.scrubber import scrub
    from agingbench.trials.inspect.summary import summarize_target

    summaries = []
    with LedgerOnDemand(place) as ledger:
        for target in targets:
            about = summarize_target(target, ledger, trace_format)
            summaries.append(about)
            if not as_json:
                print_summary(scrub(target), about, screen())
    if as_json:
        print_json([about.as_json() for about in summaries])


@click.command(epilog=epilog("agingbench trials classify runs/…/seed_0 --json"))
@click.argument("targets", nargs=-1, required=True)
@trials_ledger_option
@format_option
@click.option(
    "--model",
    "-m",
    default=None,
    metavar="NAME[:ID]",
    shell_complete=complete("model"),
    help="Ask this model instead of the rules; its labels are recorded.",
)
@click.option(
    "--success",
    type=click.FloatRange(0, 1),
    default=SUCCESS,
    show_default=True,
    help="Lowest reward of a success.",
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
    """Tell what the assistant does in each turn.

    Execution, verification, deliberation or exploration. TARGETS are trials of
    the ledger, run folders or trace files. Trials of a ledger are compared with
    the other successful trials of their task, never with themselves.
    """
    import msgspec

    from agingbench.models.build import build_model
    from agingbench.report.trials import print_behaviour
    from agingbench.trials.inspect.behaviour import BY_RULES, classify_trial
    from agingbench.trials.inspect.summary import scrub_struct

    built = build_model(model) if model else None
    behaviours = []
    with LedgerOnDemand(place) as ledger:
        for target in targets:
            problems: list[str] = []
            labeller = BY_RULES if built is None else _model_labeller(built, problems)
            behaviour, stored = classify_trial(target, ledger, labeller, success, trace_format)
            if built is not None:
                behaviour = msgspec.structs.replace(behaviour, problems=problems)
            if stored is not None and (save or built is not None):
                _record_labels(place, behaviour, stored.record_hash)
            behaviour = scrub_struct(behaviour)
            behaviours.append(behaviour)
            if not as_json:
                print_behaviour(behaviour, screen())
    if as_json:
        print_json(msgspec.to_builtins(behaviours))


def _model_labeller(model: Model, problems: list[str]) -> Labeller:
    """A labeller that asks a model and adds what went wrong to `problems`."""
    from agingbench.trials.inspect.behaviour import Labeller
    from agingbench.trials.inspect.behaviour_model import PROMPT_HASH, classify_with_model

    def label(turns: Sequence[Turn]) -> list[str | None]:
        labels, errors = classify_with_model(turns, model)
        problems.extend(errors)
        return labels

    return Labeller(model.name, PROMPT_HASH, label)


def _record_labels(place: str, behaviour: Behaviour, record_hash: str) -> None:
    from agingbench.trials.entries import now
    from agingbench.trials.inspect.reviews import Classification, add_classification

    classification = Classification(
        classifier=behaviour.classifier,
        labels=behaviour.sequence,
        prompt_hash=behaviour.prompt_hash,
        record_hash=record_hash,
        timestamp=now(),
        trial_id=behaviour.target,
    )
    with existing(place) as ledger:
        add_classification(ledger, classification)


@click.command(epilog=epilog("agingbench trials compare ID ID --json"))
@click.argument("targets", nargs=-1, required=True)
@trials_ledger_option
@format_option
@json_option
def compare(targets: tuple[str, ...], place: str, trace_format: str, as_json: bool) -> None:
    """Compare trials with the first one.

    TARGETS are trials of the ledger, run folders or trace files, side by side.
    """
    import msgspec

    from agingbench.report.trials import print_comparison
    from agingbench.trials.inspect.comparison import compare_trials

    if len(targets) < 2:
        raise InputError("give at least two trials to compare")
    with LedgerOnDemand(place) as ledger:
        comparison = compare_trials(targets, ledger, trace_format)
    if as_json:
        print_json(msgspec.to_builtins(comparison))
    else:
        print_comparison(comparison, screen())
