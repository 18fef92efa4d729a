"""Autopsies read as stories on the terminal, whatever an answer or a file holds."""

from __future__ import annotations

import io
from typing import Any

import msgspec
from rich.console import Console

from agingbench.report import autopsy
from agingbench.trials.autopsy import (
    AccountStory,
    AnswerContent,
    AutopsyDocument,
    AutopsySummary,
    FactStory,
    ProbeStory,
)

WRITE = {"step": "write", "point": 3, "session": 2}
FLUSH = {"step": "event", "point": 5, "events": ["flush_history@5"]}
FACT: dict[str, Any] = {
    "fact": "f3", "what": "my dining budget", "kind": "amount", "value": "$309", "retraction": False, "introduced": 1,
    "told_at": 2, "rewritten": [2], "retracted": None, "store": "lost", "first_stated": 3, "last_stated": 5,
    "lost_at": FLUSH, "losses": [WRITE, FLUSH], "returns": [{"step": "write", "point": 4, "session": 3}],
    "retrieved": False, "lookalike_retrieved": True, "in_answer": False,
}  # fmt: skip
SAID = {
    "what": "lookalike",
    "text": "It is $450.",
    "reason": None,
    "values": [
        {
            "value": "$450",
            "relation": "lookalike",
            "fact": "f4",
            "what": "my travel budget",
            "told_at": 4,
        }
    ],
}
STORY: dict[str, Any] = {
    "probe": "p6.1",
    "t": 6,
    "type": "standalone",
    "mechanism": "interference",
    "question": "What is my dining budget?",
    "wanted": ["$309"],
    "verdict": "confused",
    "value": 0.0,
    "cause": "lost_at_event",
    "stage": "store",
    "said": SAID,
    "facts": [FACT],
}
SUMMARY: dict[str, Any] = {
    "lives": 1, "probes": 40, "failed_probes": 4, "transport": 2, "causes": {"lost_at_event": 3, "misread": 1},
    "stages": {"store": 3, "utilization": 1},
    "losses": [{**WRITE, "told": 7, "not_written": 1, "lost": 2, "came_back": 3},
               {**FLUSH, "told": 0, "not_written": 0, "lost": 9, "came_back": 0}],
    "kinds": [{"kind": "amount", "n": 8, "never_written": 1, "lost": 3, "still_there": 4,
               "share_lost": {"value": 0.5, "ci": [0.2, 0.8], "n": 8},
               "half_survival": {"value": 4.0, "ci": None, "n": 8}},
              {"kind": "name", "n": 5, "never_written": 0, "lost": 0, "still_there": 5,
               "share_lost": {"value": 0.0, "ci": [0.0, 0.4], "n": 5},
               "half_survival": {"value": None, "ci": None, "n": 5}}],
}  # fmt: skip


def story_of(document: dict[str, Any]) -> ProbeStory:
    facts = []
    for fact in document["facts"]:
        kind = AccountStory if "account" in fact else FactStory
        facts.append(msgspec.convert(fact, kind))
    said = msgspec.convert(document["said"], AnswerContent)
    return ProbeStory(**{**document, "facts": facts, "said": said})


def print_story(document: dict[str, Any], console: Console) -> None:
    autopsy.print_story(story_of(document), console)


def print_summary(document: dict[str, Any], console: Console) -> None:
    autopsy.print_summary(msgspec.convert(document, AutopsySummary), console)


def printed(show: Any, what: Any, width: int = 200) -> str:
    page = io.StringIO()
    show(what, Console(file=page, width=width))
    return page.getvalue()


def test_a_story_says_what_was_asked_said_and_lost() -> None:
    text = printed(print_story, STORY)
    assert "p6.1  standalone at point 6, confused: lost at event" in text
    assert "$450 (my travel budget, told in session 4)" in text
    assert "told in session 1, rewritten in 2" in text
    assert "lost at the event flush_history@5" in text
    assert "back at the write of session 3" in text
    assert "not read, its look-alike was" in text


def test_the_fates_of_a_fact_read_differently() -> None:
    fates: dict[str, dict[str, Any]] = {
        "never_written": {"store": "never_written", "lost_at": WRITE, "returns": []},
        "still_there": {"store": "still_there", "lost_at": None, "returns": [], "retrieved": True},
        "none": {"store": None, "lost_at": None, "returns": []},
    }
    texts = {
        name: printed(print_story, {**STORY, "facts": [{**FACT, **more}]})
        for name, more in fates.items()
    }
    assert "no store ever stated it: left out at the write of session 2" in texts["never_written"]
    assert "stated by the store since point 3; it was read" in texts["still_there"]
    assert "asked before there was a store" in texts["none"]
    taken = printed(print_story, {**STORY, "facts": [{**FACT, "retraction": True}]})
    assert "taken back in session 2" in taken


def test_an_account_lists_what_was_not_read() -> None:
    part = {**FACT, "part": "movement", "value": "$96", "told_at": 3}
    account = {
        "account": "a0",
        "what": "the balance of the household account",
        "kind": "amount",
        "value": "$1,200",
        "introduced": 0,
        "movements": 9,
        "known_balance": None,
        "n_missing": 5,
        "missing": [part] * 5,
        "retrieved": False,
        "in_answer": False,
    }
    said = {**SAID, "what": "amount", "values": [], "explained_by_missing": True}
    text = printed(print_story, {**STORY, "facts": [account], "said": said})
    assert "9 movements; no balance was read; not read: 5" in text
    assert text.count("movement of $96") == 3
    assert "and 2 more" in text
    assert "off by exactly the movements that it did not see" in text


def test_right_and_broken_answers_have_no_cause() -> None:
    right = printed(print_story, {**STORY, "cause": None, "verdict": "correct"})
    assert "answered right" in right
    broken = printed(
        print_story,
        {**STORY, "cause": None, "verdict": "failed", "said": {**SAID, "what": "broken"}},
    )
    assert "the call broke" in broken


def test_the_sum_names_causes_steps_and_kinds() -> None:
    text = printed(print_summary, SUMMARY)
    assert "4 of 40 probes" in text
    assert "2 calls broke" in text
    rows = [line.split() for line in text.splitlines()]
    assert ["lost", "at", "event", "3", "0.75"] in rows
    assert ["event", "flush_history@5", "0", "0", "9", "0"] in rows
    assert ["amount", "8", "1", "3", "0.50", "0.20", "to", "0.80", "4"] in rows
    assert ["name", "5", "0", "0", "0.00", "0.00", "to", "0.40", "–"] in rows
    nothing = {
        "lives": 3,
        "probes": 0,
        "failed_probes": 0,
        "transport": 0,
        "causes": {},
        "stages": {},
        "losses": [],
        "kinds": [],
    }
    assert "0 of 0 probes in 3 lives" in printed(print_summary, nothing)


def test_what_an_agent_said_cannot_drive_the_terminal() -> None:
    evil = "\x1b[2J [bold]x[/bold] \u202e" + "long " * 200
    story = {**STORY, "said": {**SAID, "text": evil}, "question": "\x1b]0;title\x07?"}
    document = AutopsyDocument(
        format="1",
        scenario="s2",
        scenario_version="1.0.0",
        seed=1,
        n_sessions=5,
        plan_hash="0",
        summary=msgspec.convert(SUMMARY, AutopsySummary),
        probes=[story_of(story)],
        transport=[],
    )
    text = printed(autopsy.print_autopsy, document)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "[bold]x[/bold]" in text
    assert len(text) < 4000
