"""What an agent did in a session, counted for the behaviour panel while its events are read."""

from __future__ import annotations

from typing import Any

import msgspec

from agingbench.records import Event
from agingbench.telemetry.sessions.call_readings import CallReading
from agingbench.telemetry.sessions.stops import TAIL, asks, asks_to_go_on, says_go_on
from agingbench.telemetry.sessions.tool_kinds import EDITING, WRITING, kind_of_call
from agingbench.text.complaints import is_complaint

SOON = 10  # calls within which an edit or a call after a failure is a repeat
RECENT = 30  # calls within which a read of the same is a re-read
LONGEST_WAIT = 600.0  # seconds of a gap between two records that count as work
MOST_FILES = 20_000  # files of a session that are remembered
FAILURES = frozenset({"process", "refused"})
INSTRUCTION_FILES = frozenset(
    {
        "claude.md",
        "claude.local.md",
        "agents.md",
        "gemini.md",
        ".cursorrules",
        "copilot-instructions.md",
    }
)
# The text of a thinking block is about three quarters of its signature, less its head: 1,502 blocks
# of two projects that carry both, correlation .999. Where the text is a summary, it is shorter.
SIGNATURE_SHARE = 0.76
SIGNATURE_HEAD = 180


class CallHistory(msgspec.Struct, omit_defaults=True, gc=False, eq=False):
    """What the calls of a session have read, changed and failed at so far."""

    files: dict[str, set[str]] = {}  # name -> paths that were read or changed
    edited_at: dict[str, int] = {}  # path -> number of the call
    last_change: int = 0
    reads_at: dict[int, int] = {}  # what was read -> number of the call
    failed_at: int = 0  # calls so far when a result last failed
    failed_calls: dict[int, int] = {}  # call -> its number
    pending: dict[str, tuple[str, int, int]] = {}  # id -> kind, call, number

    def knows(self, path: str) -> bool:
        """Return whether a file was read or changed; a relative path fits the end of a full one."""
        for other in self.files.get(_name(path), ()):
            if path == other or path.endswith(f"/{other}") or other.endswith(f"/{path}"):
                return True

        return False

    def remember(self, path: str) -> None:
        """Note that a file was read or changed."""
        if len(self.files) < MOST_FILES:
            self.files.setdefault(_name(path), set()).add(path)


class BehaviourState(msgspec.Struct, omit_defaults=True, gc=False, eq=False):
    """What is needed of a session's behaviour only while it is read."""

    calls: CallHistory | None = None  # of a session that calls
    has_turn: bool = False
    interrupted: bool = False
    last_text: str = ""
    last_time: float | None = None

    def begin_calls(self) -> CallHistory:
        """Return the history of calls, which begins with the first one."""
        self.calls = CallHistory()
        return self.calls


class TraceBehaviour(msgspec.Struct, omit_defaults=True, gc=False, eq=False):
    """Counts of one session. Shares and ratios are made of them by the panel."""

    requests: int = 0
    corrections: int = 0
    early_stops: int = 0
    interrupts: int = 0
    seconds: float = 0.0
    timed_requests: int = 0

    calls: int = 0
    reads: int = 0
    rereads: int = 0
    changes: int = 0
    edits: int = 0  # changes that are no whole-file writes
    blind_edits: int = 0
    repeated_edits: int = 0
    writes: int = 0
    retries: int = 0
    delegations: int = 0
    instruction_edits: int = 0

    results: int = 0
    errors: int = 0
    refusals: int = 0
    rejections: int = 0
    # kind of tool -> results, those that failed by themselves
    results_by_kind: dict[str, list[int]] = {}

    thinking_blocks: int = 0
    thinking_characters: float = 0.0
    compactions: int = 0  # whose context is known
    compaction_load: int = 0
    permission_modes: dict[str, int] = {}
    prompt: int | None = None  # a hash of the first system prompt
    # Only while reading.
    state: BehaviourState | None = msgspec.field(default_factory=BehaviourState)


def read_user(behaviour: TraceBehaviour, event: Event, time: float | None) -> bool:
    """Count a request of the user; return whether it complains, be it of an earlier session."""
    state = behaviour.state
    assert state is not None
    text = event.content or ""
    complains = is_complaint(text, asks(state.last_text))
    if state.has_turn:
        behaviour.corrections += complains
        end_turn(behaviour, text)

    behaviour.requests += 1
    state.has_turn = True
    state.interrupted = False
    state.last_text = ""
    state.last_time = time
    if time is not None:
        behaviour.timed_requests += 1

    mode = None if event.metadata is None else event.metadata.get("permission_mode")
    if isinstance(mode, str):
        behaviour.permission_modes[mode] = behaviour.permission_modes.get(mode, 0) + 1

    return complains


def end_turn(behaviour: TraceBehaviour, next_text: str | None) -> None:
    """Count a stop before the work was done; `next_text` is what the user says then."""
    state = behaviour.state
    assert state is not None
    if state.interrupted:
        return

    told = next_text is not None and says_go_on(next_text)
    behaviour.early_stops += told or asks_to_go_on(state.last_text)


def read_assistant(behaviour: TraceBehaviour, event: Event, time: float | None) -> None:
    """Count thinking, and keep the end of what the agent says."""
    text = event.content
    kind = event.call_type
    if kind == "thinking" or kind == "redacted_thinking":
        _add_thinking(behaviour, text, event.metadata)

    if event.thread is None:
        add_time(behaviour, time)
        if text and kind is None:
            state = behaviour.state
            assert state is not None
            state.last_text = text[-TAIL:]


def _add_thinking(
    behaviour: TraceBehaviour, text: str | None, metadata: dict[str, Any] | None
) -> None:
    if text:
        behaviour.thinking_blocks += 1
        behaviour.thinking_characters += len(text)
        return

    length = None if metadata is None else metadata.get("signature_length")
    if isinstance(length, int) and length:
        behaviour.thinking_blocks += 1
        behaviour.thinking_characters += max(0.0, SIGNATURE_SHARE * length - SIGNATURE_HEAD)


def add_time(behaviour: TraceBehaviour, time: float | None) -> None:
    """Count the time since the record before; a long wait counts as ten minutes."""
    state = behaviour.state
    assert state is not None
    if time is None or state.last_time is None:
        return
    if time > state.last_time:
        behaviour.seconds += min(time - state.last_time, LONGEST_WAIT)
        state.last_time = time


def read_call(
    behaviour: TraceBehaviour,
    event: Event,
    call: CallReading,
    is_delegation: bool,
    time: float | None,
) -> None:
    """Count a tool call, and the files that it reads or changes."""
    state = behaviour.state
    assert state is not None
    if event.thread is None:
        add_time(behaviour, time)

    behaviour.calls += 1
    number = behaviour.calls
    kind = call.kind
    key = call.key
    history = state.calls or state.begin_calls()

    failed = history.failed_calls.get(key)
    if failed is not None and number - failed <= SOON:
        behaviour.retries += 1
    if event.tool_call_id is not None:
        history.pending[event.tool_call_id] = (kind, key, number)
    if is_delegation:
        behaviour.delegations += 1

    files = call.files
    if files is None:
        return
    if kind in (EDITING, WRITING):
        for path in files:
            _add_change(behaviour, history, kind, path)
    else:
        _add_read(behaviour, history, key, files)


def _add_read(behaviour: TraceBehaviour, history: CallHistory, key: int, files: list[str]) -> None:
    number = behaviour.calls
    behaviour.reads += 1
    before = history.reads_at.get(key)
    history.reads_at[key] = number
    if before is not None and number - before <= RECENT:
        path = files[0] if len(files) == 1 else None
        changed = history.last_change if path is None else history.edited_at.get(path, 0)
        behaviour.rereads += changed < before

    for path in files:
        history.remember(path)


def _add_change(behaviour: TraceBehaviour, history: CallHistory, kind: str, path: str) -> None:
    number = behaviour.calls
    behaviour.changes += 1
    if kind == WRITING:
        behaviour.writes += 1
    else:
        behaviour.edits += 1
        behaviour.blind_edits += bool(path) and not history.knows(path)

    before = history.edited_at.get(path) if path else None
    if before is not None and number - before <= SOON and history.failed_at >= before:
        behaviour.repeated_edits += 1
    if _name(path).casefold() in INSTRUCTION_FILES:
        behaviour.instruction_edits += 1

    history.last_change = number
    if path:
        history.edited_at[path] = number
        history.remember(path)


def read_result(
    behaviour: TraceBehaviour,
    event: Event,
    error: str | None,
    time: float | None,
    is_known: bool = True,
) -> None:
    """Count a result, by the kind of tool that gave it; not one whose outcome is not known."""
    state = behaviour.state
    assert state is not None
    if event.thread is None:
        add_time(behaviour, time)

    call_id = event.tool_call_id
    history = state.calls
    call = None
    if call_id is not None and history is not None:
        call = history.pending.pop(call_id, None)
    if not is_known:
        return

    kind = kind_of_call(event.tool_name or "unknown", None) if call is None else call[0]
    counts = behaviour.results_by_kind.get(kind)
    if counts is None:
        counts = behaviour.results_by_kind[kind] = [0, 0]

    counts[0] += 1
    behaviour.results += 1
    if error is None:
        return

    if error == "process":
        counts[1] += 1
        behaviour.errors += 1
    elif error == "refused":
        behaviour.refusals += 1
    elif error == "rejected":
        behaviour.rejections += 1

    if error in FAILURES and history is not None:
        history.failed_at = behaviour.calls
        if call is not None:
            history.failed_calls[call[1]] = call[2]


def read_interrupt(behaviour: TraceBehaviour, text: str | None) -> None:
    """Count an interruption by the user; that of a tool call is counted as its rejection."""
    state = behaviour.state
    assert state is not None
    state.interrupted = True
    if "for tool use" not in (text or ""):
        behaviour.interrupts += 1


def read_compaction(behaviour: TraceBehaviour, event: Event, load: int | None) -> None:
    """Note how large the context was at a compaction, as the trace says it or as last seen."""
    metadata = event.metadata or {}
    tokens = metadata.get("preTokens")
    size = tokens if isinstance(tokens, int) else load
    if size:
        behaviour.compactions += 1
        behaviour.compaction_load += size


def finish_behaviour(behaviour: TraceBehaviour) -> None:
    """End the last turn and drop what was needed only while reading."""
    state = behaviour.state
    if state is not None and state.has_turn:
        end_turn(behaviour, None)

    behaviour.state = None


def _name(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]
