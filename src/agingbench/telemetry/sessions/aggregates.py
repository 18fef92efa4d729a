"""What is kept of a trace: sums and a few cut texts per session.

Nothing here points back to what holds it, so that a trace is freed at once when its last user is
done.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from agingbench.records import Source
from agingbench.telemetry.profile import Profile
from agingbench.telemetry.sessions.asked_again import ToldValues
from agingbench.telemetry.sessions.behaviour import TraceBehaviour, finish_behaviour
from agingbench.telemetry.sessions.facts import FactLog
from agingbench.telemetry.sessions.look_alikes import TargetVisits, Visit
from agingbench.telemetry.sessions.observations import EvidenceIndex, Observations
from agingbench.telemetry.sessions.redone import RedoneWork
from agingbench.telemetry.sessions.rereads import ReadHistory
from agingbench.telemetry.sessions.slot_log import SlotLog
from agingbench.telemetry.sessions.timeline import ResultTimeline
from agingbench.telemetry.sessions.tokens import BillKey, TokenSums
from agingbench.telemetry.sessions.told_log import ToldLog
from agingbench.traces.name_table import NameTable

SEVERAL_TOOLS = "several tools"
ANCHOR_TEXT = 512  # characters of a session's user and agent text kept for goal-anchor drift
MOST_TURNS = 200  # kept per session; beyond that they are counted
MOST_FOLDERS = 100  # kept per session

Counts = dict[str, list[int]]  # label -> how many there were, and how many of them were hits


def add_count(counts: Counts, label: str, hit: bool) -> None:
    """Count one under a label, and whether it was a hit."""
    row = counts.get(label)
    if row is None:
        row = counts[label] = [0, 0]
    row[0] += 1
    row[1] += hit


def add_counts(counts: Counts, more: Counts) -> None:
    """Add other counts, label by label."""
    for label, (n, hits) in more.items():
        row = counts.setdefault(label, [0, 0])
        row[0] += n
        row[1] += hits


class TurnSums(NamedTuple):
    """What one request led to with one tool."""

    calls: int = 0
    growth_n: int = 0
    growth_sum: float = 0.0
    size_sum: float = 0.0
    apart: int = 0

    def minus(self, other: TurnSums) -> TurnSums:
        """Return these sums without those of another."""
        return TurnSums(
            self.calls - other.calls,
            self.growth_n - other.growth_n,
            self.growth_sum - other.growth_sum,
            self.size_sum - other.size_sum,
            self.apart - other.apart,
        )


# One object for all that have none yet.
NO_SUMS = TurnSums()
NO_TOOLS: frozenset[str] = frozenset()


class UserTurn(msgspec.Struct, omit_defaults=True, gc=False, eq=False):
    """One request of the user and what came of it."""

    text: str
    time: float | None = None
    source: Source | None = None
    length: int = 0  # of the whole request
    by_tool: dict[str, TurnSums] = {}
    outcomes: Counts = {}  # tool and program -> results and failed ones
    naming: Counts = {}  # tool and what a command does -> calls, and those that name a locator
    reply: str = ""
    tools: frozenset[str] = NO_TOOLS
    calls: int = 0
    errors: int = 0
    corrected: bool = False  # by the turn after it
    complains: bool = False  # it says that something was wrong
    asked_again: bool = False  # it answers what the user had said before
    redone: bool = False  # the agent does again what it did for the turn before
    reads: Counts = {}  # as in the session
    target_visits: Counts = {}  # as in the session


class ToolSums(msgspec.Struct, omit_defaults=True, gc=False, eq=False):
    """What a session did with one tool, while it is read."""

    name: str = ""  # one object for all sessions
    is_bookkeeping: bool = False  # a tool of the harness itself
    is_delegation: bool = False
    calls: int = 0
    apart: int = 0  # calls that say nothing of the mix: see `CallReader.stands_apart`
    # Logs of what the context grew by: how many, their sum, the sum of their squares.
    growth_n: int = 0
    growth_sum: float = 0.0
    growth_squares: float = 0.0
    # Logs of how large the results were: their sum, squares, and products with the growth.
    size_sum: float = 0.0
    size_squares: float = 0.0
    size_products: float = 0.0
    before: TurnSums = NO_SUMS  # where these sums stood when the turn began

    def since(self) -> TurnSums:
        """Return what was added since the last call of this method."""
        now = TurnSums(
            self.calls,
            self.growth_n,
            self.growth_sum,
            self.size_sum,
            self.apart,
        )
        added = now.minus(self.before)
        self.before = now
        return added

    def add(self, other: ToolSums) -> None:
        """Add the sums of another session."""
        self.calls += other.calls
        self.apart += other.apart
        self.growth_n += other.growth_n
        self.growth_sum += other.growth_sum
        self.growth_squares += other.growth_squares
        self.size_sum += other.size_sum
        self.size_squares += other.size_squares
        self.size_products += other.size_products


class LifecycleMark(msgspec.Struct, frozen=True, gc=False):
    """A lifecycle event while its session is read; `session` is its number of arrival."""

    session: int
    kind: str
    time: float | None
    within: bool
    confidence: float
    source: Source | None
    turns: int


class LifecycleRecord:
    """A lifecycle event as the trace records it; inferred ones have a lower confidence."""

    __slots__ = ("confidence", "kind", "session", "source", "time", "turns", "within")

    def __init__(
        self,
        session: TraceSession,
        kind: str,
        time: float | None,
        within: bool,
        confidence: float,
        source: Source | None = None,
        turns: int = 0,
    ) -> None:
        self.turns = turns  # requests of the session that came before it
        self.session = session
        self.kind = kind
        self.time = time
        self.within = within  # happened after the session had begun
        self.confidence = confidence
        self.source = source


class AgentThread(msgspec.Struct, omit_defaults=True, gc=False, eq=False):
    """The context of the agent itself or of one of its subagents, while it is read."""

    result_size: int = 0  # characters of the results since the last model call
    load: int | None = None  # tokens of the last model call
    tool_since: str | None = None  # the tool called since then


class ReadingState(msgspec.Struct, omit_defaults=True, gc=False, eq=False):
    """What is needed of a session only while it is read."""

    turn: UserTurn | None = None
    turn_is_last: bool = False  # of a session at rest: its turn is the last one that is kept
    last_call: tuple[str, str | None] = ("", None)  # tool, and what it was about
    named: tuple[str, ...] = ()  # targets that the request names
    visits: TargetVisits | None = None  # of a session that calls
    # call id -> what the call was about, its tool and program, and the values it gave
    pending_calls: dict[str, tuple[str | None, str, tuple[int, ...]]] = {}
    main: AgentThread = msgspec.field(default_factory=AgentThread)
    threads: dict[str, AgentThread] = {}  # of subagents
    reads: ReadHistory | None = None  # of a session that reads
    redone: RedoneWork = msgspec.field(default_factory=RedoneWork)
    told: ToldValues | None = None
    asked_values: frozenset[str] = frozenset()  # words with a digit of the last request
    system_prompt: str | None = None

    def thread(self, name: str) -> AgentThread:
        """The thread of a subagent, new if need be."""
        thread = self.threads.get(name)
        if thread is None:
            thread = self.threads[name] = AgentThread()

        return thread


class TraceSession(msgspec.Struct, omit_defaults=True, gc=False, eq=False):
    """The sums of one session. Counts are exact; texts are cut."""

    id: str
    arrival: int  # its number in the order in which sessions were first seen
    start: float | None = None
    end: float | None = None
    logical: bool = False  # numbered by the trace itself: its clock says nothing about days
    missing_times: int = 0
    models: dict[str, int] = {}
    clients: dict[str, int] = {}

    events: int = 0
    model_calls: int = 0
    tool_calls: int = 0
    results: int = 0
    errors: dict[str, int] = {}  # by kind
    outcomes: Counts = {}  # tool and program -> results and failed ones
    naming: Counts = {}  # tool and what a command does -> calls, and those that name a locator
    native_outcomes: list[tuple[str, float | None]] = []
    durations: list[float] = []

    n_turns: int = 0
    turns: list[UserTurn] = []
    user_text: str = ""
    agent_text: str = ""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_tokens: int = 0
    cost: float | None = None
    bill: dict[BillKey, TokenSums] = {}
    peak_load: int = 0  # tokens of the fullest context of the agent itself
    peak_saturation: float | None = None  # that context over its window
    peak_time: float | None = None  # when it was that full
    saturation_sum: float = 0.0  # of load over window, over model calls
    calls_without_load: int = 0  # model calls that do not tell their context
    calls_without_window: int = 0  # model calls whose window is unknown
    # The largest of these logs and the record after which it was seen.
    steepest_growth: tuple[float, Source] | None = None

    # Kinds of targets that requests led to, each once per request -> visits, and mistakes.
    target_visits: Counts = {}
    calls_without_locator: int = 0
    distinct_locators: int = 0
    lineage_hits: int | None = None  # locators that earlier sessions named
    folders: dict[int, int] = {}  # folders by a stable hash -> how often named
    # What was read, by how much there was to read again -> chances to repeat, and repeats.
    reads_by_exposure: Counts = {}
    reads: int = 0
    rereads: int = 0
    repeats: int = 0  # lookups that were asked before
    timeline: ResultTimeline = msgspec.field(default_factory=ResultTimeline)
    behaviour: TraceBehaviour = msgspec.field(default_factory=TraceBehaviour)

    # Made by `finish`.
    calls_by_tool: dict[str, int] = {}
    calls_apart: dict[str, int] = {}  # those that say nothing of the mix of tools
    # tool -> [n, sum, sum of squares] of the logs of what the context grew by; then of the logs
    # of the results' sizes: sum, sum of squares, sum of products with the growth
    growth: dict[str, list[float]] = {}

    # Only while reading; `finish` drops them.
    by_tool: dict[str, ToolSums] = {}
    several_tools: ToolSums | None = None  # growth over calls of several at once
    locators: dict[int, None] = {}  # a set that takes half the memory
    reading: ReadingState = msgspec.field(default_factory=ReadingState)

    @property
    def client(self) -> str | None:
        """The client version used most."""
        if not self.clients:
            return None
        return max(self.clients, key=lambda client: (self.clients[client], client))

    @property
    def process_errors(self) -> int:
        """Results that failed by themselves; rejected or refused ones are left out."""
        return self.errors.get("process", 0)

    @property
    def load_n(self) -> int:
        """Model calls that tell how large the context was."""
        return self.model_calls - self.calls_without_load

    @property
    def window_n(self) -> int:
        """Those among them whose window is known."""
        return self.load_n - self.calls_without_window

    @property
    def load_sum(self) -> float:
        """Tokens in the context, over all model calls that say so."""
        return float(self.input_tokens + self.cache_tokens)

    def add_outcome(self, label: str, failed: bool) -> None:
        """Count a result of a tool and program, for the session and for its turn."""
        add_count(self.outcomes, label, failed)
        turn = self.reading.turn
        if turn is not None:
            add_count(turn.outcomes, label, failed)

    def add_naming(self, deed: str, has_name: bool) -> None:
        """Count a call and whether it names a locator, for the session and for its turn."""
        add_count(self.naming, deed, has_name)
        turn = self.reading.turn
        if turn is not None:
            add_count(turn.naming, deed, has_name)

    def add_read(self, label: str, repeats: bool) -> None:
        """Count a read that could have been a repeat, for the session and for its turn."""
        add_count(self.reads_by_exposure, label, repeats)
        turn = self.reading.turn
        if turn is not None:
            add_count(turn.reads, label, repeats)

    def take_back_repeat(self, label: str) -> None:
        """Count a repeat of this turn no longer, neither as one nor as a chance of one."""
        self.rereads -= 1
        turn = self.reading.turn
        for counts in (self.reads_by_exposure, {} if turn is None else turn.reads):
            row = counts.get(label)
            if row is not None:
                row[0] -= 1
                row[1] -= 1

    def add_visit(self, visit: Visit | None) -> None:
        """Count a visit to a target, for the session and for its turn."""
        turn = self.reading.turn
        if visit is not None and turn is not None:
            add_count(self.target_visits, *visit)
            add_count(turn.target_visits, *visit)

    def over_several(self) -> ToolSums:
        """Return the sums of what several tools led to at once, new if need be."""
        if self.several_tools is None:
            self.several_tools = ToolSums()

        return self.several_tools

    def tool_sums(self, name: str) -> ToolSums:
        """Return the sums of a tool that was called, or those of several at once."""
        return self.over_several() if name == SEVERAL_TOOLS else self.by_tool[name]

    def close_turn(self) -> None:
        """Give what was done since the last request to that request."""
        turn = self.reading.turn
        if turn is not None:
            turn.redone = self.reading.redone.end_turn(turn.length)
        if self.reading.reads is not None:
            self.reading.reads.recent = []

        everything = list(self.by_tool.items())
        if self.several_tools is not None:
            everything.append((SEVERAL_TOOLS, self.several_tools))

        for tool, sums in everything:
            added = sums.since()
            if turn is not None and (added.calls or added.growth_n):
                turn.by_tool[tool] = added

    def end_reading(self) -> None:
        """Drop what only further events of the session would need; `finish` needs none of it."""
        reading = self.reading
        reading.visits = None
        reading.reads = None
        reading.told = None
        reading.pending_calls = {}
        reading.threads = {}
        if self.behaviour.state is not None:
            self.behaviour.state.calls = None

    def finish(self, earlier_locators: set[int]) -> None:
        """Sum up and drop what was needed only while reading.

        `earlier_locators` are those of earlier sessions; this session's are added to them.
        """
        self.close_turn()
        for tool, sums in self.by_tool.items():
            self.calls_by_tool[tool] = sums.calls
            if sums.apart:
                self.calls_apart[tool] = sums.apart
            if sums.growth_n:
                self.growth[tool] = _growth_totals(sums)

        if self.several_tools is not None and self.several_tools.growth_n:
            self.growth[SEVERAL_TOOLS] = _growth_totals(self.several_tools)

        # The first session has no lineage.
        if earlier_locators:
            self.lineage_hits = len(earlier_locators.intersection(self.locators))

        finish_behaviour(self.behaviour)
        earlier_locators.update(self.locators)
        self.distinct_locators = len(self.locators)
        self.by_tool = {}
        self.several_tools = None
        self.locators = {}
        self.reading = NOTHING_READ


NOTHING_READ = ReadingState()  # of every session that is finished


def _growth_totals(sums: ToolSums) -> list[float]:
    return [
        float(sums.growth_n),
        sums.growth_sum,
        sums.growth_squares,
        sums.size_sum,
        sums.size_squares,
        sums.size_products,
    ]


class TraceSessions:
    """Everything that the signals see of a trace, sessions in the order in which they began."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.sessions: list[TraceSession] = []
        self.lifecycle: list[LifecycleRecord] = []
        self.marks: list[LifecycleMark] = []  # only while reading
        self.joined = NameTable()  # sessions that are part of another one -> its place
        self.values = Observations()
        self.facts = FactLog()
        self.told = ToldLog()
        self.slots = SlotLog()
        self.evidence_index = EvidenceIndex()
        self.attributes: list[str] = []
        self.mode = "no_records"  # how sessions were told apart
        self.flags: dict[str, int] = {}  # what had to be assumed, and how often
        self.n_events = 0

    def __len__(self) -> int:
        return len(self.sessions)

    @property
    def logical(self) -> bool:
        """Whether sessions are numbered by the trace itself."""
        return bool(self.sessions) and all(s.logical for s in self.sessions)

    def index(self) -> dict[str, int]:
        """The number of every session by its id."""
        return {session.id: i for i, session in enumerate(self.sessions)}

    def flag(self, name: str, by: int = 1) -> None:
        """Count something that had to be assumed."""
        self.flags[name] = self.flags.get(name, 0) + by

    def add_lifecycle(
        self,
        session: TraceSession,
        kind: str,
        time: float | None,
        within: bool,
        confidence: float,
        source: Source | None,
    ) -> None:
        """Note a lifecycle event."""
        place = session.arrival
        turns = session.n_turns
        self.marks.append(LifecycleMark(place, kind, time, within, confidence, source, turns))
        session.timeline.add_event(kind)

    def add_record(self, mark: LifecycleMark, session: TraceSession) -> None:
        """Keep a lifecycle event that was noted while reading, with its session."""
        record = LifecycleRecord(
            session,
            mark.kind,
            mark.time,
            mark.within,
            mark.confidence,
            mark.source,
            mark.turns,
        )
        self.lifecycle.append(record)
