"""Repeated requests: by words as a rule, by meaning where asked for; numbers, names and negation
keep them apart.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agingbench.errors import InputError, MissingExtra, UnknownName
from agingbench.records import Event
from agingbench.telemetry import audit_path, load_profile, trace_to_card_v11
from agingbench.telemetry.sessions.aggregates import TraceSessions
from agingbench.telemetry.sessions.collect import collect
from agingbench.telemetry.signals import repeats
from agingbench.telemetry.signals.repeats import ByMeaning, repeated_tasks
from agingbench.validity.simulated_agents import SimulatedAgent, simulate
from agingbench.validity.simulated_files import write_files

needs_encoder = pytest.mark.skipif(
    importlib.util.find_spec("wordllama") is None, reason="the extra `embed` is not installed"
)


def asked(*texts: str, similarity: str = "words") -> TraceSessions:
    events = []
    for number, text in enumerate(texts):
        common: dict[str, Any] = {
            "step": 0,
            "session_id": f"s{number}",
            "timestamp": 1.7e9 + 86_400.0 * number,
        }
        events += [
            Event(role="user", content=text, **common),
            Event(role="tool_call", tool_name="Read", **common),
            Event(role="assistant", content="It is done.", **common),
        ]
    return collect(events, load_profile("generic", {"similarity": similarity}))


def sizes(trace: TraceSessions) -> list[int]:
    return sorted(len(t) for t in repeated_tasks(trace)[0])


def test_words_find_what_is_said_alike_and_keep_figures_apart() -> None:
    assert sizes(asked("fix the failing tests now", "fix the failing tests")) == [2]
    assert sizes(asked("fix the failing tests", "make the broken checks pass")) == []
    assert sizes(asked("rename the field of order 12", "rename the field of order 13")) == []
    assert sizes(asked("fix the tests of a.py today", "fix the tests of b.py today")) == []


@needs_encoder
def test_meaning_finds_other_words_for_the_same() -> None:
    pair = ("add logging to the parser", "put some logging into the parser")
    assert sizes(asked(*pair)) == []
    assert sizes(asked(*pair, similarity="embed")) == [2]
    same = asked("fix the failing tests now", "fix the failing tests", similarity="embed")
    assert sizes(same) == [2]  # what words find is found as well


@needs_encoder
@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("continue with step 3 where we left off", "continue with step 4 where we left off"),
        ("continue `alpha` where we left off", "continue `beta` where we left off"),
        ("do continue where we left off", "do not continue where we left off"),
        ("enable the cache of the parser", "disable the cache of the parser"),
        ("fix the failing tests in the parser", "write a poem about the sea in winter"),
    ],
)
def test_meaning_does_not_run_over_figures_names_and_negation(a: str, b: str) -> None:
    assert sizes(asked(a, b, similarity="embed")) == []


def test_without_the_extra_words_are_used_and_the_card_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent() -> None:
        raise MissingExtra("sentence similarity", "embed")

    path = write_files(simulate(SimulatedAgent(seed=2, sessions=3)), tmp_path, "claude_code")
    plain = trace_to_card_v11(path).card
    monkeypatch.setattr("agingbench.text.embedding.load_encoder", absent)
    card = audit_path(path, overrides={"similarity": "embed"})[0].card
    block = card["trace_audit"]["consistency"]
    assert block["encoder"] == plain["trace_audit"]["consistency"]["encoder"]
    assert block["encoder"].startswith("words")
    assert "agingbench[embed]" in block["encoder_note"]
    assert any(w.startswith("similarity: ") for w in card["warnings"])
    assert plain["trace_audit"]["consistency"]["encoder_note"] is None


def test_thresholds_belong_to_an_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    class Other:
        name = "other/1"
        weights = ""

        def encode(self, texts: Any) -> Any:
            return np.zeros((len(texts), 4), dtype=np.float32)

    other: Any = Other()
    with pytest.raises(InputError, match="no threshold"):
        ByMeaning(["a b c"], other)
    monkeypatch.setitem(repeats.ALIKE_COSINE, "other/1", 0.5)
    blank = ByMeaning(["one two three", "one two three"], other)
    assert len(blank.buckets(0)) == 3  # a text without a vector goes by its words
    assert blank.replies(["anything"]) == [None]
    with pytest.raises(UnknownName, match="embed"):
        load_profile("generic", {"similarity": "embeddings"})


@needs_encoder
def test_many_requests_stay_within_their_buckets(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [
        f"please look into the {w} of the {v}"
        for w in ("state", "log", "cache")
        for v in ("api", "job", "disk")
    ]
    found = asked(*(texts * 40), similarity="embed")
    compared = 0
    plain = ByMeaning.first_alike

    def counted(self: ByMeaning, at: int, earlier: Sequence[int]) -> int | None:
        nonlocal compared
        compared += len(earlier)
        return plain(self, at, earlier)

    monkeypatch.setattr(ByMeaning, "first_alike", counted)
    tasks, likeness, _ = repeated_tasks(found)
    assert likeness.name.startswith("wordllama")
    assert tasks
    n = len(texts) * 40
    assert compared < n * n / 20
