"""Likeness of the agent's text to the first request: by words, or by meaning when asked."""

from __future__ import annotations

import pytest

from agingbench.records import Event
from agingbench.telemetry.profile import load_profile
from agingbench.telemetry.sessions.collect import collect
from agingbench.telemetry.signals.interference import _goal_likeness
from agingbench.text.embedding import available

REPLIES = ("I wrote the log parser", "The weather is nice", "")


def likeness(similarity: str) -> tuple[list[float | None], str]:
    events = []
    for number, reply in enumerate(REPLIES):
        time = 1e9 + 86_400 * number
        name = f"s{number}"
        text = "write a parser for logs"
        events.append(Event(step=1, role="user", content=text, session_id=name, timestamp=time))
        events.append(
            Event(step=2, role="assistant", content=reply, session_id=name, timestamp=time + 1)
        )
    return _goal_likeness(collect(events, load_profile("generic", {"similarity": similarity})))


def test_words_are_the_default() -> None:
    values, compared_by = likeness("words")

    assert compared_by == "shared words"
    assert values[1:] == [0.0, None]


@pytest.mark.skipif(not available(), reason="the extra `embed` is not installed")
def test_meaning_is_compared_when_asked() -> None:
    values, compared_by = likeness("embed")

    assert compared_by.startswith("cosine by ")
    assert values[0] is not None
    assert values[1] is not None
    assert values[0] > 0.5 > values[1]
    assert values[2] is None
