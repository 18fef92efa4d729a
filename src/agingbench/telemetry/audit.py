"""One call from traces to cards: read, collect, test, and for a fleet correct over its rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Any

from agingbench.errors import InputError
from agingbench.metrics.multiplicity import benjamini_hochberg
from agingbench.records import Event, ReadLog
from agingbench.telemetry.card import make_card
from agingbench.telemetry.inference.fleet import Fleet, corrected, share_outcomes
from agingbench.telemetry.inference.infer import Inference, infer
from agingbench.telemetry.inference.null_model import PERMUTATIONS
from agingbench.telemetry.profile import Profile, load_profile, profile_for
from agingbench.telemetry.sessions.aggregates import TraceSessions
from agingbench.telemetry.sessions.collect import collect
from agingbench.telemetry.sessions.extractors import extract
from agingbench.telemetry.sessions.outcomes import (
    OutcomeEvent,
    link,
    native_outcomes,
    read_outcomes,
)
from agingbench.traces.formats.base import BaseFormat
from agingbench.traces.reading import Group, groups, load_format, read_files
from agingbench.traces.scrub.scrubber import Scrubber
from agingbench.traces.tracefiles import merged_copies

PROBLEMS_SHOWN = 20
UNKNOWN = "unknown"
AUTO = "auto"  # the profile that the format of the traces suggests
SNIFFED = 40  # traces of a folder that decide what its format is called


@dataclass
class Audit:
    """The result of an audit: the card, the log of its records, and the figures behind it."""

    name: str
    card: dict[str, Any]
    log: ReadLog
    sessions: TraceSessions
    inference: Inference
    problems: list[dict[str, Any]] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    p: float | None = None
    p_fleet: float | None = None
    fleet: Fleet | None = None  # what the rows of a fleet share; None for one agent alone

    @property
    def n_records(self) -> int:
        """Events that were read."""
        return self.sessions.n_events

    @property
    def n_sessions(self) -> int:
        """Sessions that were found."""
        return len(self.sessions)

    @property
    def detected(self) -> bool | None:
        """Whether aging was detected, after correction over the rows of a fleet."""
        found: bool | None = self.card["headline"]["aging_detected"]
        return found


@dataclass
class _Project:
    """One agent as it was read, before it is judged."""

    member: Group
    log: ReadLog
    found: TraceSessions
    trace_format: str
    chosen_by: str
    outcomes: Sequence[OutcomeEvent] = ()


def audit_events(
    events: Iterable[Event],
    profile: Profile,
    *,
    log: ReadLog | None = None,
    name: str = "trace",
    trace_format: str = "auto",
    outcomes: Sequence[OutcomeEvent] = (),
    extractors: Sequence[str] = (),
    sut_hint: str | Mapping[str, Any] | None = None,
    scrubbed: bool = True,
    permutations: int = PERMUTATIONS,
) -> Audit:
    """Audit one agent from its events."""
    log = ReadLog() if log is None else log
    project = _Project(
        Group(name, Path(name)), log, collect(events, profile), trace_format, "named", outcomes
    )
    return _judged(project, extractors, sut_hint, scrubbed, permutations)


def _judged(
    project: _Project,
    extractors: Sequence[str],
    sut_hint: str | Mapping[str, Any] | None,
    scrubbed: bool,
    permutations: int = PERMUTATIONS,
) -> Audit:
    found = project.found
    log = project.log
    curve = link(found, [*project.outcomes, *native_outcomes(found), *extract(found, extractors)])
    inference = infer(found, curve, permutations)
    card = make_card(
        found, inference, curve, log, project.trace_format, sut_hint, scrubbed, project.chosen_by
    )
    tested = [m.p for m in inference.mechanisms.values()]
    tested.append(None if inference.outcome is None else inference.outcome.p)
    known = [p for p in tested if p is not None]
    # One p per agent: the smallest, corrected for how many there were.
    p = min(1.0, min(known) * len(known)) if known and inference.null.may_fire else None

    return Audit(project.member.name, card, log, found, inference, p=p)


def audit_path(
    path: Path | str,
    profile: Profile | str = AUTO,
    *,
    trace_format: str = "auto",
    since: float | None = None,
    outcomes_jsonl: Path | str | None = None,
    extractors: Sequence[str] = (),
    sut_hint: str | Mapping[str, Any] | None = None,
    scrubbed: bool = True,
    fleet: bool = True,
    overrides: Mapping[str, Any] | None = None,
) -> list[Audit]:
    """Audit a file, a folder or a fleet of projects; one audit per project, the most evident first.

    The profile `auto` is chosen by the format of each project; `overrides` are merged into it, or
    into the one named.
    """
    path = Path(path).expanduser()
    if profile != AUTO:
        profile = load_profile(profile, overrides)

    members = _without_merged(groups(path))
    if len(members) < 2 or not fleet:
        members = [Group(path.name or str(path), path, [f for g in members for f in g.files])]

    projects = [_read(member, profile, trace_format, since, overrides) for member in members]
    shared = Fleet(len(projects))
    if outcomes_jsonl is not None:
        _give_outcomes(projects, Path(outcomes_jsonl).expanduser(), shared)
        shared.problems = _problems(shared.log, _cleaner(projects[0].found.profile, scrubbed), path)

    out = []
    for project in projects:
        one = _judged(project, extractors, sut_hint, scrubbed)
        clean = _cleaner(project.found.profile, scrubbed)
        one.name = clean(one.name)
        one.files = [clean(_relative(f.name, path)) for f in project.member.files]
        one.problems = _problems(project.log, clean, path)
        out.append(one)

    if not any(a.n_records or a.card["provenance"]["trace_format"] != UNKNOWN for a in out):
        raise InputError(
            f"{path}: no trace of a known format in it (see `agingbench list formats`)"
        )

    _correct(out, shared)
    return sorted(out, key=_evidence)


def _read(
    member: Group,
    profile: Profile | str,
    trace_format: str,
    since: float | None,
    overrides: Mapping[str, Any] | None,
) -> _Project:
    log = ReadLog()
    format = _format_of(member) if trace_format == "auto" else load_format(trace_format)
    format_name = trace_format
    if trace_format == "auto":
        format_name = UNKNOWN if format is None else format.name

    chosen_by = "named"

    if isinstance(profile, str):
        name, chosen_by = profile_for(format_name, format is not None and format.coding)
        profile = load_profile(name, overrides)

    events = _since(read_files(member.files, trace_format, log), since, log)
    return _Project(member, log, collect(events, profile), format_name, chosen_by)


def _give_outcomes(projects: Sequence[_Project], path: Path, shared: Fleet) -> None:
    """Outcomes are read once; in a fleet each goes to the project that holds its session."""
    if len(projects) == 1:
        only = projects[0]
        only.outcomes = read_outcomes(path, only.found.profile, only.log)
        return

    events = read_outcomes(path, projects[0].found.profile, shared.log)
    parts, shared.unmatched = share_outcomes([p.found for p in projects], events)
    shared.outcomes = len(events)

    for project, part in zip(projects, parts, strict=True):
        project.outcomes = part


def _correct(audits: Sequence[Audit], shared: Fleet) -> None:
    adjusted = benjamini_hochberg({str(i): a.p for i, a in enumerate(audits)})
    for i, one in enumerate(audits):
        one.p_fleet = adjusted[str(i)]
        if len(audits) > 1:
            one.fleet = shared
            one.card = corrected(one.card, one.p, one.p_fleet, len(audits))


def _cleaner(profile: Profile, scrubbed: bool) -> Callable[[str], str]:
    if not scrubbed:
        return str
    return Scrubber([{"pattern": p, "replacement": r} for p, r in profile.privacy_patterns]).text


def _without_merged(members: Sequence[Group]) -> list[Group]:
    """The projects without the copies that `prepare_trace` leaves above the files it merged."""
    merged = merged_copies(file for member in members for file in member.files)
    kept = [replace(m, files=[f for f in m.files if f.path not in merged]) for m in members]
    return [member for member in kept if member.files]


def _relative(file: str, root: Path) -> str:
    """A file as it is called below what was audited; one that lies elsewhere by its name alone."""
    path = PurePath(file)
    inside = path != root and path.is_relative_to(root)
    return str(path.relative_to(root)) if inside else path.name


def _format_of(member: Group) -> BaseFormat | None:
    """The format that most of the first traces have; None when there is no trace."""
    formats = [file.format for file in member.files if file.format is not None]
    counts = Counter(format.name for format in formats[:SNIFFED])
    if not counts:
        return None

    most_common, _ = counts.most_common(1)[0]
    return next(format for format in formats if format.name == most_common)


def _since(events: Iterator[Event], since: float | None, log: ReadLog) -> Iterator[Event]:
    for event in events:
        if since is None or not isinstance(event.timestamp, float) or event.timestamp >= since:
            yield event
        else:
            log.flag("events_older_than_since")


def _evidence(audit: Audit) -> tuple[int, float, str]:
    rank = {True: 0, None: 1, False: 2}[audit.detected]
    return rank, audit.p_fleet if audit.p_fleet is not None else 2.0, audit.name


def _problems(log: ReadLog, clean: Callable[[str], str], root: Path) -> list[dict[str, Any]]:
    return [
        {"file": clean(_relative(p.file, root)), "line": p.line, "reason": clean(p.reason)}
        for p in log.malformed[:PROBLEMS_SHOWN]
    ]


def trace_to_card_v11(
    trace_jsonl: Path | str,
    trace_format: str = "auto",
    profile: str | Profile = "generic",
    overrides: Mapping[str, Any] | None = None,
    sut_hint: str | Mapping[str, Any] | None = None,
    outcomes_jsonl: Path | str | None = None,
    extract_outcomes: Sequence[str] | str | None = None,
    scrub_pii: bool = True,
    idle_gap_minutes: float | None = None,
) -> Audit:
    """Audit one trace (a file or a folder as one agent); the card is in `.card`."""
    if idle_gap_minutes is not None:
        given = {"session_detection": {"fallback_idle_gap_minutes": idle_gap_minutes}}
        overrides = {**(overrides or {}), **given}

    named = (
        [extract_outcomes] if isinstance(extract_outcomes, str) else list(extract_outcomes or ())
    )
    return audit_path(
        trace_jsonl,
        load_profile(profile, overrides),
        trace_format=trace_format,
        outcomes_jsonl=outcomes_jsonl,
        extractors=named,
        sut_hint=sut_hint,
        scrubbed=scrub_pii,
        fleet=False,
    )[0]
