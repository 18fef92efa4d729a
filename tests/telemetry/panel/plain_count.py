"""An independent count over Claude Code transcripts, with the standard library alone.

Nothing of the package is imported here: what it counts is what the documentation says. Whether a
request corrects the agent is asked of a judge that is handed in.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

Json = dict[str, Any]
Judge = Callable[[str, bool], bool]  # of a request, and whether it follows a question


def records(folder: Path) -> Iterator[Json]:
    """Records of a project, each once, file by file as they stand."""
    seen: set[str] = set()
    for file in sorted(folder.rglob("*.jsonl")):
        for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
            try:
                record = json.loads(line)
            except ValueError:
                continue
            if not isinstance(record, dict):
                continue
            inner = progress_message(record)
            if inner is not None:
                record = inner
            uuid = record.get("uuid")
            if record.get("type") not in ("user", "assistant", "system") or uuid in seen:
                continue
            if uuid:
                seen.add(uuid)
            yield record


def progress_message(record: Json) -> Json | None:
    """The message of a subagent that older clients write inside a progress record."""
    data = record.get("data")
    if record.get("type") != "progress" or not isinstance(data, dict):
        return None
    message = data.get("message")
    if data.get("type") != "agent_progress" or not isinstance(message, dict):
        return None
    if message.get("type") not in ("user", "assistant"):
        return None
    own = dict(message)
    own["sessionId"] = record.get("sessionId")
    own["isSidechain"] = True
    own["agentId"] = data.get("agentId")
    own.setdefault("timestamp", record.get("timestamp"))
    own.setdefault("uuid", record.get("uuid"))
    return own


def tokens_by_model_and_week(folder: Path) -> dict[tuple[str, str], list[int]]:
    """Calls and tokens (fresh, cache read, cache write, output) by model and Monday."""
    usages: dict[str, list[int]] = {}
    places: dict[str, tuple[str, str]] = {}
    for record in records(folder):
        message = record.get("message")
        if record["type"] != "assistant" or not isinstance(message, dict):
            continue
        usage = message.get("usage")
        if not isinstance(usage, dict) or message.get("model") == "<synthetic>":
            continue
        names = (
            "input_tokens",
            "cache_read_input_tokens",
            "cache_creation_input_tokens",
            "output_tokens",
        )
        own = [usage.get(name) or 0 for name in names]
        before = usages.get(message["id"], [0, 0, 0, 0])
        usages[message["id"]] = [max(pair) for pair in zip(own, before, strict=True)]
        places.setdefault(message["id"], (message["model"], monday(record["timestamp"])))

    table: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0] * 5)
    for name, usage in usages.items():
        row = table[places[name]]
        row[0] += 1
        for column, n in enumerate(usage, start=1):
            row[column] += n
    return dict(table)


def monday(timestamp: str) -> str:
    day = datetime.fromisoformat(timestamp.replace("Z", "+00:00")).date()
    return (day - timedelta(days=day.weekday())).isoformat()


# -- the behaviour panel, by its definitions in docs/telemetry_method.md

READERS = ("Read", "Grep", "Glob", "LS", "NotebookRead")
EDITORS = ("Edit", "MultiEdit", "NotebookEdit")
SHELL_READERS = set("cat head tail less more nl bat rg grep find ls tree sed".split())


def panel_counts(folder: Path, is_wrong: Judge) -> dict[str, list[float]]:
    """What is counted and per what, for each figure, summed over the sessions of a project."""
    sessions: dict[str, list[Json]] = defaultdict(list)
    names: dict[str, str] = {}  # session -> the session that it continues
    homes: dict[str, str] = {}  # record -> its session
    for record in records(folder):
        own = record.get("sessionId") or ""
        if own not in names:
            parent = None if record.get("isSidechain") else record.get("parentUuid")
            names[own] = homes.get(parent or "", own)
        homes[record["uuid"]] = names[own]
        sessions[names[own]].append(record)

    totals: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for session in sessions.values():
        for name, (counted, per) in session_counts(session, is_wrong).items():
            totals[name][0] += counted
            totals[name][1] += per
    totals["solved_before"] = solved_before(list(sessions.values()))
    return dict(totals)


def solved_before(sessions: list[list[Json]]) -> list[float]:
    """Requests of three words or more that an earlier session had answered, word for word."""
    happened = [in_order(session) for session in sessions]
    happened = [calls for calls in happened if any(time for time, _, _ in calls)]
    happened.sort(key=lambda calls: min(time for time, _, _ in calls if time))
    answered: set[str] = set()
    repeats = requests = 0
    for calls in happened:
        own: set[str] = set()
        last = ""
        for _, kind, what in calls:
            if kind == "request":
                requests += 1
                last = " ".join(re.findall(r"\w+", what.casefold()))
                repeats += last in answered
            elif kind == "text" and len(last.split()) >= 3:
                own.add(last)
        answered |= own
    return [repeats, requests]


def session_counts(session: list[Json], is_wrong: Judge) -> dict[str, tuple[float, float]]:
    calls = in_order(session)
    requests = [(i, text) for i, kind, text in calls if kind == "request"]
    results = [entry for i, kind, entry in calls if kind == "result"]
    uses = [entry for i, kind, entry in calls if kind == "use"]
    thinking = [length for i, kind, length in calls if kind == "thinking"]
    compactions = [tokens for i, kind, tokens in calls if kind == "compaction"]
    kinds = {use["id"]: kind_of(use) for use in uses}

    figures: dict[str, tuple[float, float]] = {}
    changes = [use for use in uses if kind_of(use) in ("edit", "write")]
    reads = [use for use in uses if is_read(use)]
    n_edits = sum(kind_of(use) == "edit" for use in changes)
    figures["reads_per_change"] = (len(reads), len(changes))
    figures["whole_file_writes"] = (len(changes) - n_edits, len(changes))
    figures["edits_without_read"] = (blind_edits(uses), n_edits)

    failed = [r for r in results if r["error"] == "process"]
    figures["tool_errors"] = (len(failed), len(results))
    groups = {
        "read": "read",
        "edit": "change",
        "write": "change",
        "shell": "shell",
        "other": "other",
    }
    for label in set(groups.values()):
        own = [r for r in results if groups[kinds.get(r["id"], "other")] == label]
        figures[f"{label}_errors"] = (sum(r["error"] == "process" for r in own), len(own))
    figures["refused_calls"] = (sum(r["error"] == "refused" for r in results), len(results))

    n = len(requests)
    figures["rejections"] = (sum(r["error"] == "rejected" for r in results), n)
    figures["interrupts"] = (sum(kind == "interrupt" for _, kind, _ in calls), n)
    figures["calls_per_request"] = (len(uses), n)
    figures["thinking_length"] = (sum(thinking), len(thinking))
    figures["context_at_compaction"] = (sum(compactions), len(compactions))
    figures["seconds_per_request"] = (seconds(calls), n)
    figures["rereads"] = (rereads(uses), len(reads))
    figures["retries"] = (retries(calls), len(uses))
    figures["repeated_edits"] = (repeated_edits(calls), len(changes))
    figures["corrections"] = (corrections(calls, is_wrong), n)
    models = {message.get("model") for message in map(message_of, session) if message.get("usage")}
    figures["billed"] = (0.0, n if models - {"<synthetic>"} else 0)
    figures["early_stops"] = (early_stops(calls), n)
    return figures


def message_of(record: Json) -> Json:
    message = record.get("message")
    return message if isinstance(message, dict) else {}


def in_order(session: list[Json]) -> list[tuple[float | None, str, Any]]:
    """(time of the main thread, kind, what) of everything that happened, as it was written."""
    happened: list[tuple[float | None, str, Any]] = []
    for record in session:
        time = None
        if not record.get("isSidechain") and record.get("timestamp"):
            stamp = record["timestamp"].replace("Z", "+00:00")
            time = datetime.fromisoformat(stamp).timestamp()
        if record["type"] == "system":
            if record.get("subtype") == "compact_boundary":
                tokens = (record.get("compactMetadata") or {}).get("preTokens")
                if tokens:
                    happened.append((None, "compaction", tokens))
            continue
        message = record.get("message")
        if not isinstance(message, dict) or message.get("model") == "<synthetic>":
            continue
        content = message.get("content") or []
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        if record["type"] == "assistant":
            happened += [assistant_entry(block, time) for block in content]
        else:
            happened += user_entries(record, content, time)
    return happened


def assistant_entry(block: Json, time: float | None) -> tuple[float | None, str, Any]:
    if block["type"] == "tool_use":
        return (time, "use", block)
    if block["type"] == "thinking":
        text = block.get("thinking") or ""
        return (time, "thinking", len(text) or 0.76 * len(block["signature"]) - 180)
    if time is None:
        return (None, "subagent text", None)
    return (time, "text", block.get("text"))


def user_entries(
    record: Json, content: list[Json], time: float | None
) -> list[tuple[float | None, str, Any]]:
    entries: list[tuple[float | None, str, Any]] = []
    texts = []
    for block in content:
        if block["type"] == "tool_result":
            result = {"id": block["tool_use_id"], "error": error_of(record, block)}
            entries.append((time, "result", result))
        else:
            texts.append(block.get("text", ""))
    text = "\n".join(texts)
    ours = ("<local-command", "<bash-", "<command-", "Caveat: The messages", "<system-reminder>")
    if not texts or record.get("isSidechain") or record.get("isCompactSummary"):
        return entries
    if text.startswith("[Request interrupted by user"):
        kind = "tool interrupt" if "for tool use" in text else "interrupt"
        entries.append((None, kind, text))
    elif not text.strip().startswith(ours) and not record.get("isMeta"):
        entries.append((time, "request", text))
    return entries


def error_of(record: Json, block: Json) -> str | None:
    """process, rejected, refused or cancelled, from the words that Claude Code uses."""
    outcome = record.get("toolUseResult")
    if not block.get("is_error"):
        stopped = isinstance(outcome, dict) and outcome.get("interrupted")
        return "cancelled" if stopped else None
    text = block.get("content")
    if isinstance(text, list):
        text = "\n".join(part.get("text", "") for part in text)
    text = (text or "").strip()
    wrapped = text.startswith("<tool_use_error>")
    low = text.removeprefix("<tool_use_error>").strip().lower()
    if "[request interrupted by user" in low[:200] or low.startswith("sibling tool call"):
        return "cancelled"
    if low.startswith(("the user doesn't want", "user rejected", "the agent proposed a plan")):
        return "rejected"
    words: tuple[str, ...] = (
        "this command requires approval",
        "file has not been read",
        "string to replace not",
    )
    words += ("file has been modified", "file has been unexpectedly", "file does not exist")
    words += ("claude requested permission", "permission to use", "file content (", "this bash")
    words += ("agent type '", "inputvalidationerror", "path does not exist", "no changes to make")
    blocked = "was blocked. for security" in low[:450] or "blocked this" in low[:250]
    return "refused" if wrapped or blocked or low.startswith(words) else "process"


def kind_of(use: Json) -> str:
    name = use["name"]
    if name in READERS:
        return "read"
    if name in EDITORS:
        return "edit"
    if name == "Write":
        return "write"
    if name == "Bash":
        return "shell"
    low = name.lower()
    words: tuple[str, ...] = ("get", "search", "fetch", "query", "list", "find")
    return (
        "read"
        if low.startswith(("tasklist", "taskget", "websearch", "webfetch"))
        or any(f"_{word}" in low or f"-{word}" in low for word in words)
        else "other"
    )


def is_read(use: Json) -> bool:
    return kind_of(use) == "read" or (kind_of(use) == "shell" and shell_files(use) is not None)


def shell_files(use: Json) -> list[str] | None:
    """The files that a command reads; None unless its first program prints what is there."""
    command = use["input"].get("command", "")[:2000]
    for piece in command.replace("&&", "\n").replace("||", "\n").replace(";", "\n").split("\n"):
        if not piece.strip() or piece.strip().startswith(("cd ", "#")):
            continue
        bare = piece.replace("2>&1", "").replace("2>/dev/null", "").replace("2> /dev/null", "")
        if ">" in bare or "<<" in bare:
            return None
        words = piece.split("|")[0].split()
        if not words or words[0] not in SHELL_READERS:
            return None
        if words[0] == "sed" and "-n" not in words:
            return None
        if {"-exec", "-delete", "-i"} & set(words):
            return None
        return [word.strip("'\"") for word in words[1:] if not word.startswith("-")]
    return None


def path_of(use: Json) -> str:
    own = use["input"]
    return own.get("file_path") or own.get("notebook_path") or own.get("path") or ""


def blind_edits(uses: list[Json]) -> int:
    known: list[str] = []
    n = 0
    for use in uses:
        kind = kind_of(use)
        path = path_of(use)
        if kind == "edit":
            n += not any(path == k or path.endswith("/" + k) for k in known)
        if kind in ("edit", "write", "read") and path:
            known.append(path)
        known += shell_files(use) or [] if kind == "shell" else []
    return n


def rereads(uses: list[Json]) -> int:
    n = 0
    for at, use in enumerate(uses):
        if not is_read(use):
            continue
        files = (shell_files(use) or []) if kind_of(use) == "shell" else [path_of(use)]
        for back in range(at - 1, max(-1, at - 31), -1):
            other = uses[back]
            changed = kind_of(other) in ("edit", "write")
            if changed and (len(files) != 1 or files == [""] or path_of(other) in files):
                break
            if other["name"] == use["name"] and list(other["input"].values()) == list(
                use["input"].values()
            ):
                n += 1
                break
    return n


def retries(calls: list[tuple[float | None, str, Any]]) -> int:
    made: list[Json] = []
    bad: dict[str, int] = {}
    n = 0
    for _, kind, what in calls:
        if kind == "use":
            words = json.dumps([what["name"], list(what["input"].values())])
            made.append({"id": what["id"], "words": words})
            n += words in bad and len(made) - bad[words] <= 10
        elif kind == "result" and what["error"] in ("process", "refused"):
            for number, call in enumerate(made, start=1):
                if call["id"] == what["id"]:
                    bad[call["words"]] = number
    return n


def repeated_edits(calls: list[tuple[float | None, str, Any]]) -> int:
    n = made = failure = 0
    edited: dict[str, int] = {}
    for _, kind, what in calls:
        if kind == "use":
            made += 1
            path = path_of(what)
            if kind_of(what) in ("edit", "write"):
                last = edited.get(path)
                n += last is not None and made - last <= 10 and failure >= last
                edited[path] = made
        elif kind == "result" and what["error"] in ("process", "refused"):
            failure = made
    return n


def seconds(calls: list[tuple[float | None, str, Any]]) -> float:
    total = 0.0
    last = None
    for time, kind, _ in calls:
        if time is None:
            continue
        if kind == "request":
            last = time
        elif last is not None and time > last:
            total += min(600.0, time - last)
            last = time
    return total


def corrections(calls: list[tuple[float | None, str, Any]], is_wrong: Judge) -> int:
    """Requests after the first that a judge takes for corrections, told what stood before."""
    n = 0
    said = ""
    begun = False
    for _, kind, what in calls:
        if kind == "text" and what:
            said = what
        elif kind == "request":
            asked = said.rstrip(" \n*_`'\")]").endswith("?")
            n += begun and is_wrong(what, asked)
            begun, said = True, ""
    return n


def early_stops(calls: list[tuple[float | None, str, Any]]) -> int:
    n = 0
    said = ""
    begun = stopped = False
    for _, kind, what in [*calls, (None, "request", "")]:
        if kind == "request":
            words = what.strip().lower().rstrip(".!")
            nudge = words in (
                "continue",
                "go on",
                "keep going",
                "carry on",
                "resume",
                "please continue",
            )
            asks = any(f"{a} {b}" in said for a in ASKS for b in ("continue", "go on"))
            n += begun and not stopped and (nudge or asks)
            begun, stopped, said = True, False, ""
        elif kind == "text" and what:
            said = what[-300:].lower()
        elif kind in ("interrupt", "tool interrupt"):
            stopped = True
    return n


ASKS = ("should i", "shall i", "would you like me to", "do you want me to", "want me to")
