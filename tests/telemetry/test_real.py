"""Real folders: the whole audit runs, says no more than it can, and says it twice in the same
words.
"""

from __future__ import annotations

import json
from collections import Counter

import pytest

from agingbench.cards.check import validate_card
from agingbench.telemetry import trace_to_card_v11
from tests.places import TRACES

LONG = TRACES / "claude_code" / "entireio_cli" / "gtrrz-victor"

pytestmark = pytest.mark.skipif(
    not TRACES.is_dir(), reason="the real traces are not in ../shared/data"
)


def test_the_longitudinal_folder_twice() -> None:
    first, second = (trace_to_card_v11(LONG, profile="code_assistant") for _ in range(2))
    assert validate_card(first.card) == []
    assert first.card["content_hash"] == second.card["content_hash"]
    # A client update changed the tools half-way: what drifts with it is no evidence of aging.
    assert first.card["headline"]["aging_detected"] is not True
    assert first.card["trace_audit"]["consistency"]["n_repeated_tasks_detected"] >= 0


def test_tokens_and_compactions_agree_with_a_plain_count() -> None:
    usage: dict[str, tuple[int, int]] = {}
    naive = 0
    compactions = set()
    for file in LONG.rglob("*.jsonl"):
        for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
            try:
                row = json.loads(line)
            except ValueError:
                continue
            message = row.get("message") if isinstance(row, dict) else None
            if row.get("type") == "system" and row.get("subtype") == "compact_boundary":
                compactions.add(row["uuid"])
            if (
                row.get("type") == "assistant"
                and isinstance(message, dict)
                and message.get("model") != "<synthetic>"
            ):
                tokens = message.get("usage") or {}
                load = sum(
                    tokens.get(k) or 0
                    for k in (
                        "input_tokens",
                        "cache_read_input_tokens",
                        "cache_creation_input_tokens",
                    )
                )
                naive += load
                before = usage.get(message["id"], (0, 0))
                usage[message["id"]] = (
                    max(before[0], load),
                    max(before[1], tokens.get("output_tokens") or 0),
                )
    audit = trace_to_card_v11(LONG)
    kinds = Counter(s.kind for s in audit.sessions.lifecycle)
    assert kinds["compaction"] == len(compactions)
    total = audit.card["cost_and_efficiency"]["total_input_tokens"]
    once = sum(load for load, _ in usage.values())
    # Subagents written as progress records come on top; a naive sum counts most messages twice.
    assert once <= total < naive


@pytest.mark.parametrize(
    "name",
    ["codex", "openhands", "otlp", "langfuse", "langsmith", "atif", "swe_agent", "gemini_cli"],
)
def test_every_set_gives_a_valid_card(name: str) -> None:
    card = trace_to_card_v11(TRACES / name).card
    assert validate_card(card) == []
    assert card["headline"]["aging_detected"] is not True
    assert card["records"]["used"] > 0
