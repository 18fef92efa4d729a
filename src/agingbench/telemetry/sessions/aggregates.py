"""What is kept of a trace: sums and a few cut texts per session.

Nothing here points back to what holds it, so that a trace is freed at once when its last user is
done.
"""

from __future__ import annotations

from typing import NamedTuple

from agingbench.records import Source
from agingbench.telemetry.profile import Profile
from agingbench.telemetry.sessions.behaviour import TraceBehaviour, finish_behaviour
from agingbench.telemetry.sessions.facts import FactLog
from agingbench.telemetry.sessions.look_alikes import TargetVisits, Visit
from agingbench.telemetry.sessions.observations import EvidenceIndex, Observations
from agingbench.telemetry.sessions.rereads import ReadHistory
from agingbench.telemetry.sessions.timeline import ResultTimeline
from agingbench.telemetry.sessions.tokens import BillKey, TokenSums

SEVERAL_TOOLS = "several tools"

Counts = dict[str, list[int]]  # label -> how many there were, and how many of them were hits


def add_count(counts: Counts, label: str, hit: bool) -> None:
    """Count one under a label, and whether it was a hit."""
    row = counts.get(label)
    if row is None:
        row = counts[label] = [0, 0]
    row[0] += 1
    row[1] += hit


class TurnSums(NamedTuple):
    """What one request led to with one tool."""

    calls: float = 0
    locator_calls: float = 0
    growth_n: float = 0
    growth_sum: float = 0.0
    size_sum: float = 0.0
    apart: float = 0


# One object for all that have none yet.
NO_SUMS = TurnSums()
NO_TOOLS: frozenset[str] = frozenset()


class UserTurn:
    """One request of the user and what came of it."""

    __slots__ = (
        "by_tool",
        "calls",
        "corrected",
        "errors",
        "length",
        "outcomes",
        "reads",
        "reply",
        "source",
        "target_visits",
        "text",
        "time",
        "tools",
    )

    def __init__(
        self, text: str, time: float | None, source: Source | None, length: int | None = None
    ) -> None:
        self.text = text
        self.length = len(text) if length is None else length  # of the whole request
        self.by_tool: dict[str, TurnSums] = {}
        self.outcomes: Counts = {}  # tool and program -> results and failed ones
        self.time = time
        self.source = source
        self.reply = ""
        self.tools = NO_TOOLS
        self.calls = 0
        self.errors = 0
        self.corrected = False  # by the turn after it
        self.reads: Counts = {}  # as in the session
        self.target_visits: Counts = {}  # as in the session


class ToolSums:
    """What a session did with one tool, while it is read."""

    __slots__ = (
        "apart",
        "before",
        "calls",
        "growth_n",
        "growth_squares",
        "growth_sum",
        "is_bookkeeping",
        "is_edit",
        "is_read",
        "locator_calls",
        "name",
        "size_products",
        "size_squares",
        "size_sum",
    )

    def __init__(
        self,
        name: str = "",
        is_read: bool = False,
        is_edit: bool = False,
        is_bookkeeping: bool = False,
    ) -> None:
        self.name = name  # one object for all sessions
        self.is_read = is_read
        self.is_edit = is_edit
        self.is_bookkeeping = is_bookkeeping  # a tool of the harness itself
        self.calls = 0
        self.apart = 0  # calls that say nothing of the mix: see `CallReader.stands_apart`
        self.locator_calls = 0
        # Logs of what the context grew by: how many, their sum, the sum of their squares.
        self.growth_n = 0
        self.growth_sum = 0.0
        self.growth_squares = 0.0
        # Logs of how large the results were: their sum, squares, and products with the growth.
        self.size_sum = 0.0
        self.size_squares = 0.0
        self.size_products = 0.0
        self.before = NO_SUMS  # where these sums stood when the turn began

    def since(self) -> TurnSums:
        """Return what was added since the last call of this method."""
        now = TurnSums(
            self.calls,
            self.locator_calls,
            self.growth_n,
            self.growth_sum,
            self.size_sum,
            self.apart,
        )
        added = TurnSums(*(new - old for new, old in zip(now, self.before, strict=True)))
        self.before = now
        return added


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


class AgentThread:
    """The context of the agent itself or of one of its subagents, while it is read."""

    __slots__ = ("load", "result_size", "tool_since")

    def __init__(self) -> None:
        self.result_size = 0  # characters of the results since the last model call
        self.load: int | None = None  # tokens of the last model call
        self.tool_since: ToolSums | None = None  # sums of the tool called since then


class ReadingState:
    """What is needed of a session only while it is read."""

    __slots__ = (
        "last_call",
        "main",
        "named",
        "pending_calls",
        "reads",
        "system_prompt",
        "threads",
        "turn",
        "visits",
    )

    def __init__(self) -> None:
        self.turn: UserTurn | None = None
        self.last_call: tuple[str, str | None] = ("", None)  # tool, and what it was about
        self.named: tuple[str, ...] = ()  # targets that the request names
        self.visits: TargetVisits | None = None  # of a session that calls
        # call id -> what the call was about, its tool and program, and the values it gave
        self.pending_calls: dict[str, tuple[str | None, str, tuple[int, ...]]] = {}
        self.main = AgentThread()
        self.threads: dict[str, AgentThread] = {}  # of subagents
        self.reads: ReadHistory | None = None  # of a session that reads
        self.system_prompt: str | None = None

    def thread(self, name: str) -> AgentThread:
        """The thread of a subagent, new if need be."""
        thread = self.threads.get(name)
        if thread is None:
            thread = self.threads[name] = AgentThread()

        return thread


class TraceSession:
    """The sums of one session. Counts are exact; texts are cut."""

    __slots__ = (
        "agent_text",
        "arrival",
        "behaviour",
        "bill",
        "by_tool",
        "cache_tokens",
        "calls_apart",
        "calls_by_tool",
        "calls_without_load",
        "calls_without_locator",
        "calls_without_window",
        "clients",
        "cost",
        "distinct_locators",
        "durations",
        "end",
        "errors",
        "events",
        "folders",
        "growth",
        "id",
        "input_tokens",
        "lineage_hits",
        "locator_hits",
        "locators",
        "logical",
        "missing_times",
        "model_calls",
        "models",
        "n_turns",
        "native_outcomes",
        "outcomes",
        "output_tokens",
        "peak_load",
        "peak_saturation",
        "reading",
        "reads",
        "reads_by_exposure",
        "rereads",
        "results",
        "saturation_sum",
        "several_tools",
        "start",
        "steepest_growth",
        "target_visits",
        "timeline",
        "tool_calls",
        "turns",
        "user_text",
    )

    # Made by `finish`: a trace may have a million sessions that hold little.
    calls_by_tool: dict[str, int]
    calls_apart: dict[str, int]  # those that say nothing of the mix of tools
    locator_hits: dict[str, int]  # tool -> calls that name a locator
    # tool -> [n, sum, sum of squares] of the logs of what the context grew by; then of the logs
    # of the results' sizes: sum, sum of squares, sum of products with the growth
    growth: dict[str, list[float]]

    def __init__(self, name: str, arrival: int) -> None:
        self.id = name
        self.arrival = arrival  # its number in the order in which sessions were first seen
        self.start: float | None = None
        self.end: float | None = None
        self.logical = False  # numbered by the trace itself: its clock says nothing about days
        self.missing_times = 0
        self.models: dict[str, int] = {}
        self.clients: dict[str, int] = {}

        self.events = 0
        self.model_calls = 0
        self.tool_calls = 0
        self.results = 0
        self.errors: dict[str, int] = {}  # by kind
        self.outcomes: Counts = {}  # tool and program -> results and failed ones
        self.native_outcomes: list[tuple[str, float | None]] = []
        self.durations: list[float] = []

        self.n_turns = 0
        self.turns: list[UserTurn] = []
        self.user_text = ""
        self.agent_text = ""

        self.input_tokens = 0
        self.output_tokens = 0
        self.cache_tokens = 0
        self.cost: float | None = None
        self.bill: dict[BillKey, TokenSums] = {}
        self.peak_load = 0  # tokens of the fullest context of the agent itself
        self.peak_saturation: float | None = None  # that context over its window
        self.saturation_sum = 0.0  # of load over window, over model calls
        self.calls_without_load = 0  # model calls that do not tell their context
        self.calls_without_window = 0  # model calls whose window is unknown
        # The largest of these logs and the record after which it was seen.
        self.steepest_growth: tuple[float, Source] | None = None

        # Kinds of targets that requests led to, each once per request -> visits, and mistakes.
        self.target_visits: Counts = {}
        self.calls_without_locator = 0
        self.distinct_locators = 0
        self.lineage_hits: int | None = None  # locators that earlier sessions named
        self.folders: dict[int, int] = {}  # folders by a stable hash -> how often named
        # What was read, by how much there was to read again -> chances to repeat, and repeats.
        self.reads_by_exposure: Counts = {}
        self.reads = 0
        self.rereads = 0
        self.timeline = ResultTimeline()
        self.behaviour = TraceBehaviour()

        # Only while reading; `finish` drops them.
        self.by_tool: dict[str, ToolSums] = {}
        self.several_tools: ToolSums | None = None  # growth over calls of several at once
        self.locators: dict[int, None] = {}  # a set that takes half the memory
        self.reading = ReadingState()

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

    def add_read(self, label: str, repeats: bool) -> None:
        """Count a read that could have been a repeat, for the session and for its turn."""
        add_count(self.reads_by_exposure, label, repeats)
        turn = self.reading.turn
        if turn is not None:
            add_count(turn.reads, label, repeats)

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

    def close_turn(self) -> None:
        """Give what was done since the last request to that request."""
        turn = self.reading.turn
        everything = list(self.by_tool.items())
        if self.several_tools is not None:
            everything.append((SEVERAL_TOOLS, self.several_tools))

        for tool, sums in everything:
            added = sums.since()
            if turn is not None and (added.calls or added.growth_n):
                turn.by_tool[tool] = added

    def finish(self, earlier_locators: set[int]) -> None:
        """Sum up and drop what was needed only while reading.

        `earlier_locators` are those of earlier sessions; this session's are added to them.
        """
        self.close_turn()
        self.calls_by_tool = {}
        self.calls_apart = {}
        self.locator_hits = {}
        self.growth = {}
        for tool, sums in self.by_tool.items():
            self.calls_by_tool[tool] = sums.calls
            if sums.apart:
                self.calls_apart[tool] = sums.apart
            if sums.locator_calls:
                self.locator_hits[tool] = sums.locator_calls
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
        del self.by_tool, self.several_tools, self.locators, self.reading


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
        self.values = Observations()
        self.facts = FactLog()
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
        turns = session.n_turns
        record = LifecycleRecord(session, kind, time, within, confidence, source, turns)
        self.lifecycle.append(record)
        session.timeline.add_event(kind)
