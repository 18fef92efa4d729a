"""One call from traces to cards: read, collect, test, and for a fleet correct over its rows."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path, PurePath
from typing import Any

from agingbench.cards.check import finish_card
from agingbench.engines.base import Engine
from agingbench.errors import InputError
from agingbench.metrics.multiplicity import benjamini_hochberg
from agingbench.models.prices import PriceList, load_prices
from agingbench.records import Event, Problem, ReadLog, Source
from agingbench.telemetry.audit_cache import AuditCache, StoredAudit, audit_key, is_own
from agingbench.telemetry.card import make_card, renewed_card
from agingbench.telemetry.inference.fleet import Fleet, corrected, share_outcomes
from agingbench.telemetry.inference.infer import Inference, infer
from agingbench.telemetry.inference.left_out_weeks import WindowCounts, leave_out_weeks
from agingbench.telemetry.inference.null_model import PERMUTATIONS
from agingbench.telemetry.panel.receipts import make_receipts
from agingbench.telemetry.profile import Profile, load_profile, profile_for
from agingbench.telemetry.sessions.aggregates import TraceSessions
from agingbench.telemetry.sessions.collect import collect, patient_gc
from agingbench.telemetry.sessions.extractors import extract
from agingbench.telemetry.sessions.outcomes import (
    OutcomeEvent,
    link,
    native_outcomes,
    read_outcomes,
)
from agingbench.telemetry.trace_card import TraceCard
from agingbench.telemetry.workers import each, spread
from agingbench.traces.formats.base import BaseFormat
from agingbench.traces.reading import Group, SniffedFile, groups, load_format, read_files
from agingbench.traces.scrub.scrubber import Scrubber
from agingbench.traces.tracefiles import merged_copies, printable

PROBLEMS_SHOWN = 20
UNKNOWN = "unknown"
AUTO_FORMAT = "auto"  # each file's format is found by its content
AUTO = "auto"  # the profile that the format of the traces suggests
SNIFFED = 40  # traces of a folder that decide what its format is called


@dataclass(frozen=True)
class AuditFigures:
    """What stands behind a card: the log of its records, the sessions and what they say."""

    log: ReadLog
    sessions: TraceSessions
    inference: Inference


@dataclass
class Audit:
    """The result of an audit: the card, and the figures behind it."""

    name: str  # scrubbed
    trace_card: TraceCard
    n_records: int  # events that were read
    n_sessions: int
    figures: AuditFigures | None  # None where the card alone comes from a cache or a process
    problems: list[Problem] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    p: float | None = None
    p_fleet: float | None = None
    own_name: str = ""  # as it stands on disk, for the owner's own terminal
    trace_format: str = "auto"
    is_part: bool = False  # one project below what was asked for, where others may come to lie
    fleet: Fleet | None = None  # what the rows of a fleet share; None for one agent alone

    @property
    def card(self) -> dict[str, Any]:
        """The card as JSON, a fresh copy each time."""
        return finish_card(self.trace_card.document())

    @property
    def sessions(self) -> TraceSessions:
        """The sessions of the trace; raises InputError for a card from the cache."""
        return self._known_figures().sessions

    @property
    def inference(self) -> Inference:
        """What the sessions say; raises InputError for a card from the cache."""
        return self._known_figures().inference

    @property
    def log(self) -> ReadLog:
        """What became of every record; raises InputError for a card from the cache."""
        return self._known_figures().log

    def _known_figures(self) -> AuditFigures:
        if self.figures is None:
            raise InputError(
                f"{self.name}: caches and other processes give the card alone; audit with neither"
            )
        return self.figures

    @property
    def detected(self) -> bool | None:
        """Whether aging was detected, after correction over the rows of a fleet."""
        return self.trace_card.headline.aging_detected


@dataclass
class _AuditedProject:
    """One agent as it was read, before it is tested."""

    member: Group
    log: ReadLog
    trace: TraceSessions
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
    prices: PriceList | None = None,
    weeks: bool = True,
) -> Audit:
    """Audit one agent from its events; `prices` are ours unless given.

    `weeks`: where there is an answer, test the trace without each of its weeks as well.
    """
    project = _AuditedProject(
        member=Group(name, Path(name)),
        log=ReadLog() if log is None else log,
        trace=collect(events, profile),
        trace_format=trace_format,
        chosen_by="named",
        outcomes=outcomes,
    )
    prices = load_prices() if prices is None else prices
    return _audit(project, extractors, sut_hint, scrubbed, prices, permutations, weeks)


def _audit(
    project: _AuditedProject,
    extractors: Sequence[str],
    sut_hint: str | Mapping[str, Any] | None,
    scrubbed: bool,
    prices: PriceList,
    permutations: int = PERMUTATIONS,
    weeks: bool = True,
) -> Audit:
    """Test one project and make its card."""
    trace = project.trace
    outcomes = [
        *project.outcomes,
        *native_outcomes(trace),
        *extract(trace, extractors),
    ]
    curve = link(trace, outcomes)
    inference = infer(trace, curve, permutations)
    windows = _window_counts(trace, inference, outcomes, permutations) if weeks else None
    card = make_card(
        trace,
        inference,
        curve,
        project.log,
        project.trace_format,
        make_receipts(trace, prices, inference.null, inference.phases.labels),
        sut_hint,
        scrubbed,
        project.chosen_by,
        windows,
    )

    return Audit(
        name=project.member.name,
        trace_card=card,
        n_records=trace.n_events,
        n_sessions=len(trace),
        figures=AuditFigures(project.log, trace, inference),
        p=_overall_p(inference),
    )


def _window_counts(
    trace: TraceSessions,
    inference: Inference,
    outcomes: Sequence[OutcomeEvent],
    permutations: int,
) -> WindowCounts | None:
    """Return how the answer fares without each week; None where there is no answer."""
    if inference.aging_detected is None:
        return None

    windows = leave_out_weeks(trace, inference.aging_detected, outcomes, permutations)
    return None if windows is None else windows.counts()


def _overall_p(inference: Inference) -> float | None:
    """Return one p-value per agent: the smallest, corrected for how many there were."""
    p_values = [mechanism.p for mechanism in inference.mechanisms.values()]
    if inference.outcome is not None:
        p_values.append(inference.outcome.p)

    tested = [p for p in p_values if p is not None]
    if not tested or not inference.null.can_be_answered:
        return None

    return min(1.0, min(tested) * len(tested))


def audit_path(
    path: Path | str | Sequence[Path],
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
    prices: PriceList | None = None,
    workers: int = 1,
    cache: AuditCache | None = None,
    engine: Engine | None = None,
    weeks: bool = True,
) -> list[Audit]:
    """Audit a file, a folder or a fleet of projects; one audit per project, the most evident first.

    Several paths are one fleet. The profile `auto` is chosen by the format of each project;
    `overrides` are merged into it, or into the one named. `prices` are ours unless given. `workers`
    are the processes that large fleets are spread over; more than one needs a main module that can
    be imported, and gives cards without what is behind them. So does `engine`, which has the work
    done elsewhere. A project that did not change since `cache`
    last saw it is taken from there: its card, without what is behind it. `weeks`: where there is
    an answer, test the trace without each of its weeks as well.
    """
    prices = load_prices() if prices is None else prices
    places = [Path(path)] if isinstance(path, Path | str) else list(path)
    places = [place.expanduser() for place in places]
    path = common_path(places)
    if profile != AUTO:
        profile = load_profile(profile, overrides)

    members = [member for place in places for member in groups(place)]
    request = AuditRequest(
        path=path,
        profile=profile,
        trace_format=trace_format,
        since=since,
        extractors=tuple(extractors),
        sut_hint=sut_hint,
        scrubbed=scrubbed,
        overrides=overrides,
        prices=prices,
        weeks=weeks,
    )
    return audit_groups(
        members,
        request,
        fleet=fleet,
        outcomes=None if outcomes_jsonl is None else Path(outcomes_jsonl).expanduser(),
        workers=workers,
        cache=cache,
        engine=engine,
    )


def common_path(places: Sequence[Path]) -> Path:
    """Return the folder that files of all places are named below."""
    return places[0] if len(places) == 1 else Path(os.path.commonpath(places))


def audit_groups(
    members: Sequence[Group],
    request: AuditRequest,
    *,
    fleet: bool = True,
    outcomes: Path | None = None,
    workers: int = 1,
    cache: AuditCache | None = None,
    engine: Engine | None = None,
) -> list[Audit]:
    """Audit the projects of a fleet; one audit each, the most evident first.

    Each project is read and judged for itself; between the two stands sharing out the outcomes,
    after them the correction over all.

    A project goes by the same name however many there are. A single file, and all projects without
    `fleet`, go by the name of what was asked for.
    """
    path = request.path
    members = _without_merged(members)
    if not members or not fleet or path.is_file():
        one = Group(path.name or str(path), path)
        for member in members:
            one.files.extend(member.files)
        members = [one]

    shared = Fleet(len(members))
    if outcomes is None:
        audits = _cached_audits(request, members, workers, cache, engine)
    else:
        read = partial(_read, request=request)
        projects = spread(read, members, 1, engine, request.reads_all)
        _share_outcomes(projects, outcomes, shared)
        clean = _cleaner(projects[0].trace.profile, request.scrubbed)
        shared.problems = _problems(shared.log, clean, path)
        judge = partial(_finish, request=request)
        judged = map(judge, projects) if engine is None else each(engine, judge, projects)
        audits = list(judged)

    formats = {audit.trace_format for audit in audits}
    if formats == {UNKNOWN} and not any(audit.n_records for audit in audits):
        raise InputError(
            f"{path}: no trace of a known format in it (see `agingbench list formats`)"
        )

    for member, audit in zip(members, audits, strict=True):
        audit.is_part = member.path != path
    _correct(audits, shared)
    return sorted(audits, key=_evidence_rank)


@dataclass(frozen=True)
class AuditRequest:
    """What is asked of an audit, the same for every project."""

    prices: PriceList
    path: Path = Path()  # what files are named below
    profile: Profile | str = AUTO
    trace_format: str = AUTO_FORMAT
    since: float | None = None
    extractors: Sequence[str] = ()
    sut_hint: str | Mapping[str, Any] | None = None
    scrubbed: bool = True
    overrides: Mapping[str, Any] | None = None
    weeks: bool = True  # whether an answer is tested without each week as well

    @property
    def reads_all(self) -> bool:
        """Whether every file is read as a trace, whatever it looks like."""
        return self.trace_format != AUTO_FORMAT

    def key(self, member: Group) -> str | None:
        """Return what the result for a project goes by in a cache; None where it is not kept.

        Cards that are not scrubbed are never kept, nor what depends on more than the files.
        """
        has_own_words = isinstance(self.profile, Profile) and self.profile.similarity != "words"
        if not self.scrubbed or self.extractors or self.overrides or has_own_words:
            return None
        if self.trace_format != AUTO_FORMAT and not is_own(load_format(self.trace_format)):
            return None

        options = [
            printable(str(self.path)),
            member.name,
            self.profile,
            self.trace_format,
            self.since,
            self.sut_hint,
            self.prices,
            self.weeks,
        ]
        return audit_key(member.files, options, self.reads_all)


def _cached_audits(
    request: AuditRequest,
    members: Sequence[Group],
    workers: int,
    cache: AuditCache | None,
    engine: Engine | None,
) -> list[Audit]:
    """Return the audit of every project, from the cache where nothing has changed."""
    audits: dict[int, Audit] = {}
    keys: dict[int, str] = {}
    for i, member in enumerate(members):
        key = None if cache is None else request.key(member)
        if cache is None or key is None:
            continue

        keys[i] = key
        stored = cache.load(key)
        if stored is not None:
            audits[i] = _restored(stored, member)

    changed = [i for i in range(len(members)) if i not in audits]
    # What stands behind a card is fifty times its size: sending it would cost a third of the audit.
    is_here = workers < 2 and engine is None
    work = partial(_audit_member, request, is_here)
    to_read = [members[i] for i in changed]
    fresh = spread(work, to_read, workers, engine, request.reads_all)
    for i, audit in zip(changed, fresh, strict=True):
        audits[i] = audit
        if cache is not None and i in keys:
            cache.save(keys[i], _stored(audit))

    return [audits[i] for i in range(len(members))]


def _stored(audit: Audit) -> StoredAudit:
    return StoredAudit(
        trace_card=audit.trace_card,
        name=audit.name,
        trace_format=audit.trace_format,
        files=audit.files,
        problems=audit.problems,
        p=audit.p,
        n_records=audit.n_records,
        n_sessions=audit.n_sessions,
    )


def _restored(stored: StoredAudit, member: Group) -> Audit:
    """Return an audit from the cache as one of now, with an id of its own."""
    return Audit(
        name=stored.name,
        trace_card=renewed_card(stored.trace_card),
        n_records=stored.n_records,
        n_sessions=stored.n_sessions,
        figures=None,
        problems=stored.problems,
        files=stored.files,
        p=stored.p,
        own_name=member.name,
        trace_format=stored.trace_format,
    )


def _audit_member(request: AuditRequest, keeps_figures: bool, member: Group) -> Audit:
    """Read and test one project; this is what a process of its own does."""
    with patient_gc():
        audit = _finish(_read(member, request), request)

    if not keeps_figures:
        audit.figures = None
    return audit


def _finish(project: _AuditedProject, request: AuditRequest) -> Audit:
    """Test one project and name its files and problems without private text."""
    audit = _audit(
        project,
        request.extractors,
        request.sut_hint,
        request.scrubbed,
        request.prices,
        weeks=request.weeks,
    )
    path = request.path
    clean = _cleaner(project.trace.profile, request.scrubbed)
    audit.own_name = audit.name
    audit.name = clean(audit.name)
    audit.trace_format = project.trace_format
    audit.files = [clean(_relative(file.name, path)) for file in project.member.files]
    audit.problems = _problems(project.log, clean, path)
    return audit


def _read(member: Group, request: AuditRequest) -> _AuditedProject:
    log = ReadLog()
    profile = request.profile
    trace_format = request.trace_format
    if trace_format == "auto":
        format = _format_of(member)
        format_name = UNKNOWN if format is None else format.name
    else:
        format = load_format(trace_format)
        format_name = trace_format

    chosen_by = "named"
    if isinstance(profile, str):
        is_coding = format is not None and format.coding
        name, chosen_by = profile_for(format_name, is_coding)
        profile = load_profile(name, request.overrides)

    events = read_files(member.files, trace_format, log)
    if request.since is not None:
        events = _since(events, request.since, log)
    return _AuditedProject(
        member=member,
        log=log,
        trace=collect(events, profile),
        trace_format=format_name,
        chosen_by=chosen_by,
    )


def _share_outcomes(projects: Sequence[_AuditedProject], path: Path, shared: Fleet) -> None:
    """Read the outcomes once and give each to the project that holds its session."""
    if len(projects) == 1:
        only = projects[0]
        only.outcomes = read_outcomes(path, only.trace.profile, only.log)
        return

    events = read_outcomes(path, projects[0].trace.profile, shared.log)
    traces = [project.trace for project in projects]
    parts, shared.unmatched = share_outcomes(traces, events)
    shared.outcomes = len(events)

    for project, part in zip(projects, parts, strict=True):
        project.outcomes = part


def _correct(audits: Sequence[Audit], shared: Fleet) -> None:
    """Fill in the p-values over the rows of a fleet, and correct the cards by them."""
    p_by_row = {str(i): audit.p for i, audit in enumerate(audits)}
    adjusted = benjamini_hochberg(p_by_row)

    for i, audit in enumerate(audits):
        audit.p_fleet = adjusted[str(i)]
        if len(audits) > 1:
            audit.fleet = shared
            audit.trace_card = corrected(audit.trace_card, audit.p, audit.p_fleet, len(audits))


def _cleaner(profile: Profile, scrubbed: bool) -> Callable[[str], str]:
    """Return what removes private text from a name or message; `str` where nothing is scrubbed."""
    if not scrubbed:
        return str

    patterns = []
    for pattern, replacement in profile.privacy_patterns:
        patterns.append({"pattern": pattern, "replacement": replacement})

    return Scrubber(patterns).text


def _without_merged(members: Sequence[Group]) -> list[Group]:
    """Return the projects without the merged copies that `prepare_trace` writes."""
    all_files: list[SniffedFile] = []
    for member in members:
        all_files.extend(member.files)

    merged = merged_copies(all_files)
    rest = []

    for member in members:
        files = [file for file in member.files if file.path not in merged]
        if files:
            rest.append(replace(member, files=files))

    return rest


def _relative(file: str, root: Path) -> str:
    """Return a file's path below what was audited; its name alone where it lies elsewhere."""
    path = PurePath(file)
    inside = path != root and path.is_relative_to(root)
    return str(path.relative_to(root)) if inside else path.name


def _format_of(member: Group) -> BaseFormat | None:
    """Return the format that most of the first traces have; None without a trace."""
    formats = [file.format for file in member.files if file.format is not None]
    counts = Counter(format.name for format in formats[:SNIFFED])
    if not counts:
        return None

    most_common, _ = counts.most_common(1)[0]
    return next(format for format in formats if format.name == most_common)


def _since(events: Iterator[Event], since: float, log: ReadLog) -> Iterator[Event]:
    """Yield the events that are not older than `since`; those without a time count as new.

    A record whose events are all left out was not used: the log counts it as ignored.
    """
    counted: Source | None = None  # the record that was last taken out of the used ones
    for event in events:
        time = event.timestamp
        if not isinstance(time, float) or time >= since:
            yield event
            continue

        log.flag("events_older_than_since")
        source = event.source
        if source is not None and source.line is not None and source != counted:
            counted = source
            log.used -= 1
            log.ignore("older_than_since")


def _evidence_rank(audit: Audit) -> tuple[int, float, str]:
    """Return the sort key of an audit: the most evident first."""
    rank = {True: 0, None: 1, False: 2}[audit.detected]
    p = 2.0 if audit.p_fleet is None else audit.p_fleet
    return rank, p, audit.name


def _problems(log: ReadLog, clean: Callable[[str], str], root: Path) -> list[Problem]:
    """Return the first malformed records: their file, line and what is wrong with them."""
    problems = []
    for record in log.malformed[:PROBLEMS_SHOWN]:
        file = clean(_relative(record.file, root))
        problems.append(Problem(file, record.line, clean(record.reason)))

    return problems


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
        idle_gap = {"session_detection": {"fallback_idle_gap_minutes": idle_gap_minutes}}
        overrides = {**(overrides or {}), **idle_gap}

    extractors = extract_outcomes or ()
    if isinstance(extractors, str):
        extractors = [extractors]

    audits = audit_path(
        trace_jsonl,
        load_profile(profile, overrides),
        trace_format=trace_format,
        outcomes_jsonl=outcomes_jsonl,
        extractors=list(extractors),
        sut_hint=sut_hint,
        scrubbed=scrub_pii,
        fleet=False,
    )
    return audits[0]
