"""What is kept of a trace: sums and a few cut texts per session, and values as flat arrays."""

from __future__ import annotations

from array import array

from agingbench.records import Source
from agingbench.telemetry.profile import Profile

# Places in a session's list of sums per tool.
CALLS, HITS, GROWN, GROWTH, SQUARES, READS, REREADS = range(7)


class Turn:
    """One request of the user and what came of it."""

    __slots__ = ("calls", "errors", "reply", "session", "source", "text", "time", "tools")

    def __init__(self, session: Session, text: str, time: float | None, source: Source | None) -> None:
        self.session, self.text, self.time, self.source = session, text, time, source
        self.reply = ""
        self.tools: set[str] = set()
        self.calls = self.errors = 0


class Shock:
    """A lifecycle event as the trace records it; heuristic ones have a lower confidence."""

    __slots__ = ("confidence", "kind", "session", "source", "time", "within")

    def __init__(
        self, session: Session, kind: str, time: float | None, within: bool, confidence: float,
        source: Source | None = None,
    ) -> None:  # fmt: skip
        self.session, self.kind, self.time, self.within, self.confidence = session, kind, time, within, confidence
        self.source = source


class Open:
    """What is needed of a session only while it is read."""

    __slots__ = ("edits", "last_load", "number", "pending", "prompt", "seen", "since", "turn")

    def __init__(self) -> None:
        self.turn: Turn | None = None
        self.pending: dict[str, str | None] = {}  # call id -> what the call was about
        self.last_load: dict[str | None, int] = {}  # thread -> tokens of its last model call
        self.since: dict[str | None, list[float] | None] = {}  # thread -> sums of the tool called since, None: several
        self.seen: dict[int, int] = {}  # hash of a read -> number of the call
        self.edits: dict[str, int] = {}  # what was edited -> number of the call
        self.number = 0
        self.prompt: str | None = None


class Session:
    """The sums of one session. Counts are exact; texts are cut."""

    def __init__(self, name: str, first_seen: int) -> None:
        self.id, self.first_seen = name, first_seen
        self.start: float | None = None
        self.end: float | None = None
        self.logical = False  # numbered by the trace itself: its clock says nothing about days
        self.events = self.model_calls = self.tool_calls = self.results = self.n_turns = self.missing_times = 0
        self.errors: dict[str, int] = {}
        self.input_tokens = self.output_tokens = self.cache_tokens = 0
        self.cost: float | None = None
        self.load_sum = self.saturated = 0.0
        self.load_n = self.window_n = 0
        self.by_tool: dict[str, list[float]] = {}  # what stands at CALLS, HITS … of each tool, while reading
        self.mixed: list[float] = [0.0] * 7  # growth over calls of several tools at once
        self.growth: dict[str, list[float]] = {}  # tool -> [n, sum, sum of squares] of log increments
        self.calls_by_tool: dict[str, int] = {}
        self.locator_hits: dict[str, int] = {}
        self.locators: set[int] = set()
        self.distinct_locators = 0
        self.lineage_hits: int | None = None
        self.places: dict[int, int] = {}  # folders by a stable hash -> how often named
        self.reads_by_tool: dict[str, tuple[float, float]] = {}  # reads, reads repeated without an edit between
        self.reads = self.rereads = 0
        self.durations: list[float] = []
        self.turns: list[Turn] = []
        self.native: list[tuple[str, float | None]] = []
        self.models: dict[str, int] = {}
        self.clients: dict[str, int] = {}
        self.user_text = self.agent_text = ""
        self.marked: dict[str, list[Source]] = {}  # the first records of each kind that signals count
        self.steepest: tuple[float, Source] | None = None  # the record before which the context grew most
        self.open = Open()

    @property
    def client(self) -> str | None:
        """The client version used most."""
        return max(self.clients, key=lambda c: (self.clients[c], c)) if self.clients else None

    @property
    def process_errors(self) -> int:
        """Results that failed by themselves; what a user rejected or a harness refused is not the agent's error."""
        return self.errors.get("process", 0)

    def close(self, known: set[int]) -> None:
        """Sum up, and let go of what was needed only while reading; `known` are the locators of earlier sessions."""
        self.calls_by_tool = {t: int(s[CALLS]) for t, s in self.by_tool.items()}
        self.locator_hits = {t: int(s[HITS]) for t, s in self.by_tool.items() if s[HITS]}
        self.growth = {t: s[GROWN:READS] for t, s in self.by_tool.items() if s[GROWN]}
        if self.mixed[GROWN]:
            self.growth["several tools"] = self.mixed[GROWN:READS]
        self.reads_by_tool = {t: (s[READS], s[REREADS]) for t, s in self.by_tool.items() if s[READS]}
        self.reads = int(sum(n for n, _ in self.reads_by_tool.values()))
        self.rereads = int(sum(n for _, n in self.reads_by_tool.values()))
        # Lineage: what was already named in earlier sessions. The sets themselves are not needed any more.
        self.lineage_hits = len(self.locators & known) if known else None
        known |= self.locators
        self.distinct_locators = len(self.locators)
        self.by_tool, self.locators, self.open = {}, set(), Open()


class Observations:
    """Values seen in results (shows) and in arguments (uses), as flat arrays in the order of arrival."""

    __slots__ = ("attribute", "file", "files", "key", "line", "session", "time", "tool", "use", "value")

    def __init__(self) -> None:
        self.key, self.value = array("q"), array("q")
        self.use = array("b")
        self.tool, self.attribute, self.session, self.line = array("l"), array("l"), array("l"), array("l")
        self.time = array("d")
        self.file = array("i")  # the number of the file
        self.files: dict[str, int] = {}

    def place(self, at: int) -> Source | None:
        """Where an observation was read from."""
        file = next((name for name, number in self.files.items() if number == self.file[at]), None)
        return None if file is None else Source(file, self.line[at] if self.line[at] > 0 else None)

    def __len__(self) -> int:
        return len(self.key)


class Sessions:
    """Everything that the signals see of a trace, sessions in the order in which they began."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.sessions: list[Session] = []
        self.shocks: list[Shock] = []
        self.values = Observations()
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
