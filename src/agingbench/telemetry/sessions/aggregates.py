"""What is kept of a trace: sums and a few cut texts per session.

Nothing here points back to what holds it, so that a trace is let go of at once when its last user
is done.
"""

from __future__ import annotations

from agingbench.records import Source
from agingbench.telemetry.profile import Profile
from agingbench.telemetry.sessions.observations import EvidenceIndex, Observations
from agingbench.telemetry.sessions.timeline import ResultTimeline

RECENT_CALLS = 30  # how far back a read counts as read already
MANY_READS = 8 * RECENT_CALLS  # when those further back are forgotten


class UserTurn:
    """One request of the user and what came of it."""

    __slots__ = ("calls", "errors", "reply", "source", "text", "time", "tools")

    def __init__(self, text: str, time: float | None, source: Source | None) -> None:
        self.text = text
        self.time = time
        self.source = source
        self.reply = ""
        self.tools: set[str] = set()
        self.calls = self.errors = 0


class ToolSums:
    """What a session did with one tool, while it is read."""

    __slots__ = (
        "books",
        "calls",
        "edits",
        "grown",
        "growth",
        "hits",
        "name",
        "reads",
        "repeated",
        "squares",
        "viewed",
    )

    def __init__(
        self, name: str = "", reads: bool = False, edits: bool = False, books: bool = False
    ) -> None:
        self.name = name  # one object for all sessions
        self.reads, self.edits, self.books = (
            reads,
            edits,
            books,
        )  # what kind of tool it is; books: the harness's own
        self.calls = self.hits = self.grown = self.viewed = self.repeated = 0
        self.growth = self.squares = 0.0  # of the logs of what the context grew by


class LifecycleRecord:
    """A lifecycle event as the trace records it; heuristic ones have a lower confidence."""

    __slots__ = ("confidence", "kind", "session", "source", "time", "within")

    def __init__(
        self,
        session: TraceSession,
        kind: str,
        time: float | None,
        within: bool,
        confidence: float,
        source: Source | None = None,
    ) -> None:
        self.session = session
        self.kind = kind
        self.time = time
        self.within = within
        self.confidence = confidence
        self.source = source


class AgentThread:
    """Where the agent itself or one of its subagents stands."""

    __slots__ = ("load", "since")

    def __init__(self) -> None:
        self.load: int | None = None  # tokens of the last model call
        self.since: ToolSums | None = None  # sums of the tool called since then


class ReadingState:
    """What is needed of a session only while it is read."""

    __slots__ = ("edits", "main", "pending", "prompt", "seen", "threads", "turn")

    def __init__(self) -> None:
        self.turn: UserTurn | None = None
        self.pending: dict[str, str | None] = {}  # call id -> what the call was about
        self.main = AgentThread()
        self.threads: dict[str, AgentThread] = {}  # of subagents
        self.seen: dict[int, int] = {}  # hash of a read -> number of the call
        self.edits: dict[int, int] = {}  # hash of what was edited -> number of the call
        self.prompt: str | None = None

    def thread(self, name: str) -> AgentThread:
        """The thread of a subagent."""
        found = self.threads.get(name)
        if found is None:
            found = self.threads[name] = AgentThread()

        return found

    def forget(self, number: int) -> None:
        """Let go of the reads and edits that are too far back, at this number of calls, to make a
        read a repeat.
        """
        self.seen = {k: v for k, v in self.seen.items() if number - v <= RECENT_CALLS}
        self.edits = {k: v for k, v in self.edits.items() if number - v <= RECENT_CALLS}


class TraceSession:
    """The sums of one session. Counts are exact; texts are cut."""

    __slots__ = (
        "agent_text",
        "arrival",
        "by_tool",
        "cache_tokens",
        "calls_by_tool",
        "clients",
        "cost",
        "distinct_locators",
        "durations",
        "end",
        "errors",
        "events",
        "growth",
        "id",
        "input_tokens",
        "lineage_hits",
        "loadless",
        "locator_hits",
        "locators",
        "logical",
        "missing_times",
        "mixed",
        "model_calls",
        "models",
        "n_turns",
        "native",
        "output_tokens",
        "places",
        "reading",
        "reads",
        "reads_by_tool",
        "rereads",
        "results",
        "saturated",
        "start",
        "steepest",
        "timeline",
        "tool_calls",
        "turns",
        "unnamed",
        "user_text",
        "windowless",
    )

    def __init__(self, name: str, arrival: int) -> None:
        self.id = name
        self.arrival = arrival
        self.start: float | None = None
        self.end: float | None = None
        self.logical = False  # numbered by the trace itself: its clock says nothing about days
        self.events = self.model_calls = self.tool_calls = self.results = self.n_turns = (
            self.missing_times
        ) = 0
        self.errors: dict[str, int] = {}
        self.input_tokens = self.output_tokens = self.cache_tokens = 0
        self.cost: float | None = None
        self.saturated = 0.0
        self.loadless = self.windowless = (
            0  # model calls that do not tell their context; whose window is unknown
        )
        self.by_tool: dict[str, ToolSums] = {}  # while reading
        self.mixed = ToolSums()  # growth over calls of several tools at once
        self.growth: dict[
            str, list[float]
        ] = {}  # tool -> [n, sum, sum of squares] of log increments
        self.calls_by_tool: dict[str, int] = {}
        self.locator_hits: dict[str, int] = {}
        self.locators: dict[int, None] = {}  # a set that takes half the memory
        self.unnamed = 0  # calls without a locator
        self.distinct_locators = 0
        self.lineage_hits: int | None = None
        self.places: dict[int, int] = {}  # folders by a stable hash -> how often named
        self.reads_by_tool: dict[
            str, tuple[float, float]
        ] = {}  # reads, reads repeated without an edit between
        self.reads = self.rereads = 0
        self.durations: list[float] = []
        self.turns: list[UserTurn] = []
        self.native: list[tuple[str, float | None]] = []
        self.models: dict[str, int] = {}
        self.clients: dict[str, int] = {}
        self.user_text = self.agent_text = ""
        self.steepest: tuple[float, Source] | None = (
            None  # the record before which the context grew most
        )
        self.timeline = ResultTimeline()
        self.reading = ReadingState()

    @property
    def client(self) -> str | None:
        """The client version used most."""
        return max(self.clients, key=lambda c: (self.clients[c], c)) if self.clients else None

    @property
    def process_errors(self) -> int:
        """Results that failed by themselves; what a user rejected or a harness refused is not the
        agent's error.
        """
        return self.errors.get("process", 0)

    @property
    def load_n(self) -> int:
        """Model calls that tell how large the context was."""
        return self.model_calls - self.loadless

    @property
    def window_n(self) -> int:
        """Those among them whose window is known."""
        return self.load_n - self.windowless

    @property
    def load_sum(self) -> float:
        """Tokens in the context, over all model calls that say so."""
        return float(self.input_tokens + self.cache_tokens)

    def close(self, known: set[int]) -> None:
        """Sum up, and let go of what was needed only while reading; `known` are the locators of
        earlier sessions.
        """
        by_tool = self.by_tool
        self.calls_by_tool = {t: s.calls for t, s in by_tool.items()}
        self.locator_hits = {t: s.hits for t, s in by_tool.items() if s.hits}
        self.growth = {
            t: [float(s.grown), s.growth, s.squares] for t, s in by_tool.items() if s.grown
        }

        if self.mixed.grown:
            self.growth["several tools"] = [
                float(self.mixed.grown),
                self.mixed.growth,
                self.mixed.squares,
            ]

        self.reads_by_tool = {
            t: (float(s.viewed), float(s.repeated)) for t, s in by_tool.items() if s.viewed
        }
        self.reads = sum(s.viewed for s in by_tool.values())
        self.rereads = sum(s.repeated for s in by_tool.values())
        # Lineage: what was already named in earlier sessions. The sets themselves are not needed
        # any more.
        self.lineage_hits = len(known.intersection(self.locators)) if known else None
        known.update(self.locators)
        self.distinct_locators = len(self.locators)
        del self.by_tool, self.mixed, self.locators, self.reading


class TraceSessions:
    """Everything that the signals see of a trace, sessions in the order in which they began."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.sessions: list[TraceSession] = []
        self.lifecycle: list[LifecycleRecord] = []
        self.values = Observations()
        self.evidence_index = EvidenceIndex()
        self.attributes: list[str] = []
        self.mode = "no_records"
        self.flags: dict[str, int] = {}
        self.n_events = 0

    def __len__(self) -> int:
        return len(self.sessions)

    @property
    def logical(self) -> bool:
        """Whether sessions are numbered by the trace itself."""
        return bool(self.sessions) and all(s.logical for s in self.sessions)

    def index(self) -> dict[str, int]:
        """The place of every session by its id."""
        return {s.id: i for i, s in enumerate(self.sessions)}

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
        self.lifecycle.append(LifecycleRecord(session, kind, time, within, confidence, source))
        session.timeline.event(kind)
