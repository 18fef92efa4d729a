"""Broken replies cost one answer each: the life goes on, and its folder can be read again."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from agingbench.bench.life.life import Life
from agingbench.bench.life.limits import Endpoints, Resources
from agingbench.bench.life.system import Sut
from agingbench.bench.studies.cells import Cell
from tests.models.stub_server import Behaviour, Drips, Raw, Says, Seen, Sent, StubServer

REQUEST = {"model": "stub"}
GOOD = Says("It is $250.").openai(REQUEST)


def _raw(**parts: Any) -> Raw:
    return Raw(json.dumps({**GOOD, **parts}).encode())


def _call(**parts: Any) -> Raw:
    call = {"id": "a", "type": "function", "function": {"name": "nothing", "arguments": "{}"}}
    message = {"role": "assistant", "content": None, "tool_calls": [{**call, **parts}]}
    return _raw(choices=[{"index": 0, "message": message}])


LOST: list[Behaviour] = [  # no answer can be read out of these
    Raw(b"<html>busy</html>", "text/html"),
    Raw(b"null"),
    Raw(b'{"id": '),
    _raw(choices=[]),
    _raw(choices=None),
    _raw(choices=[None]),
    _call(function={"name": 12, "arguments": "{}"}),
    Raw(b'{"choices": "' + b"x" * 9_000_000 + b'"}'),
    Drips(json.dumps(GOOD).encode() * 10, pause=0.02),
]
ODD: list[Behaviour] = [  # these are answers, with something odd about them
    Raw(json.dumps(GOOD).encode(), "text/plain"),
    _raw(usage=None),
    _raw(usage={"prompt_tokens": -5, "completion_tokens": 10**40}),
    _raw(usage={"prompt_tokens": float("nan"), "completion_tokens": 3}),
    _raw(model=17),
]


class Misbehaving:
    """Breaks every third reply to a held-out question, in another way each time."""

    def __init__(self, behaviours: list[Behaviour]) -> None:
        self.behaviours = behaviours
        self.broken = 0
        self.asked = 0
        self.lock = threading.Lock()

    def answer(self, seen: Seen) -> Sent | None:
        is_probe = "at most 60 words" in json.dumps(seen.body)
        with self.lock:
            self.asked += is_probe
            breaks = is_probe and self.asked % 3 == 0
            behaviour = self.behaviours[self.broken % len(self.behaviours)]
            self.broken += breaks
        return behaviour.answer(seen) if breaks else Says("It is $250.").answer(seen)


class _Forever:
    def __init__(self, behaviour: Misbehaving) -> None:
        self.behaviour = behaviour

    def __iter__(self) -> _Forever:
        return self

    def __next__(self) -> Behaviour:
        return self.behaviour


def live(behaviour: Misbehaving, out: Path, memory: str) -> Life:
    with StubServer(_Forever(behaviour)) as server:
        sut = Sut(
            model="openai:stub",
            memory=memory,
            model_options={
                "base_url": server.openai_url,
                "max_retries": 0,
                "max_seconds": 2,
            },
        )
        life = Cell("s2", sut, 3, "light").life(out)
        life.live(Resources(Endpoints(4)))
    return life


@pytest.mark.parametrize("memory", ["append_only", "careful_compress"])
def test_a_broken_reply_costs_one_answer(tmp_path: Path, memory: str) -> None:
    server = Misbehaving(LOST)
    life = live(server, tmp_path, memory)
    again = Life.open(life.folder.path)
    again.score()
    failures = [row for row in again.folder.answer_rows() if row.status == "failed"]
    assert server.broken >= len(LOST)
    assert len(failures) == server.broken
    reasons = {row.reason or "" for row in failures}
    for reason in ("no message", "more than", "no whole reply", "12, not text"):
        assert any(reason in text for text in reasons), reason
    assert all(row.reason for row in failures)


def test_an_odd_reply_costs_nothing(tmp_path: Path) -> None:
    server = Misbehaving(ODD)
    life = live(server, tmp_path, "append_only")
    card = Life.open(life.folder.path).score()
    assert server.broken >= len(ODD)
    assert {row.status for row in life.folder.answer_rows()} == {"answered"}
    assert card.cost_and_efficiency.total_input_tokens is None


def test_broken_replies_to_tasks_leave_a_readable_trace(tmp_path: Path) -> None:
    calls = [_call(id=5), _call(id=None), _call(function={"name": "no", "arguments": 5})]
    huge = _call(function={"name": "no", "arguments": json.dumps({"n": 10**40})})

    class InTasks(Misbehaving):
        def answer(self, seen: Seen) -> Sent | None:
            messages = seen.body["messages"]
            is_probe = "at most 60 words" in messages[0]["content"]
            if is_probe or messages[-1]["role"] == "tool":
                return Says("It is $250.").answer(seen)
            with self.lock:
                self.broken += 1
                number = self.broken
            return self.behaviours[number % len(self.behaviours)].answer(seen)

    fine = Says("It is $250.")  # more than half of a session's tasks, or the life would stop
    server = InTasks([*calls, huge, fine, LOST[0], fine, *calls, LOST[4], fine, huge, LOST[6]])
    life = live(server, tmp_path, "append_only")
    events = Life.open(life.folder.path).folder.events()
    failures = [event for event in events if "failed" in (event.metadata or {})]
    assert failures
    assert {event.tool_call_id for event in events if event.role == "tool_result"} >= {"5"}
    Life.open(life.folder.path).score()
