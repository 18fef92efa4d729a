"""An independent count over Claude Code transcripts, with the standard library alone.

Nothing of the package is imported here: what it counts is what the documentation says.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

Json = dict[str, Any]


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
