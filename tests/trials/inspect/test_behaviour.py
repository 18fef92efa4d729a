"""Behaviour: the rules turn by turn, the arithmetic of sequences, and the classifier that asks a
model.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agingbench.errors import TransportError
from agingbench.interfaces import Model
from agingbench.records import Event, Message, Reply, Tool
from agingbench.trials.inspect.behaviour import Labeller, classify_trial, profile_labels
from agingbench.trials.inspect.behaviour_model import PROMPT_HASH, classify_with_model
from agingbench.trials.inspect.behaviour_rules import classify_turns
from agingbench.trials.inspect.reviews import Classification, add_classification
from agingbench.trials.inspect.sequences import (
    compare_with,
    edit_distance,
    pooled_transitions,
    similarity,
    transition_shares,
    transitions,
)
from agingbench.trials.inspect.turns import Turn
from agingbench.trials.ledger import open_ledger
from tests.trials.making import record


def turn(*calls: Event, text: str = "", session: int | None = None) -> Turn:
    return Turn(0, session, 0, None, text, list(calls))


def call(name: str, command: str | None = None, **arguments: Any) -> Event:
    return Event(
        step=1, role="tool_call", tool_name=name, command=command, arguments=arguments or None
    )


LAST = Turn(0, None, 0, None, "The answer is 4.", final=True)


@pytest.mark.parametrize(
    ("turns", "sequence"),
    [
        ([turn(call("bash", "ls -la")), LAST], "XE"),
        ([turn(call("bash", "python build.py")), LAST], "EE"),
        ([turn(call("bash", "pytest -q")), LAST], "VE"),
        ([turn(call("read_file", path="a.py")), LAST], "XE"),
        (
            [
                turn(call("write_file", path="a.py", content="x")),
                turn(call("read_file", path="a.py")),
                LAST,
            ],
            "EVE",
        ),
        (
            [
                turn(call("write_file", path="a.py", content="x")),
                turn(call("read_file", path="b.py")),
                LAST,
            ],
            "EXE",
        ),
        (
            [
                turn(call("bash", "cat > notes.txt <<EOF\ntest\nEOF")),
                turn(call("bash", "cat notes.txt")),
                LAST,
            ],
            "EVE",
        ),
        (
            [
                turn(call("bash", "ls 2>&1 >/dev/null")),
                turn(call("run", cmd=["grep", "x", "y"])),
                LAST,
            ],
            "XXE",
        ),
        ([turn(call("observeStation")), turn(call("transfer_duty")), LAST], "XEE"),
        ([turn(call("transfer_duty"), call("observe_station")), LAST], "XE"),
        ([turn(text="Two ways come to mind."), LAST], "DE"),
        ([turn(text="Let me double-check the sum."), LAST], "VE"),
        ([turn(text="Alternatively we could also ask."), LAST], "XE"),
        ([LAST], "E"),
        ([], ""),
    ],
)
def test_the_rules(turns: list[Turn], sequence: str) -> None:
    assert "".join(classify_turns(turns)) == sequence


def test_transitions_by_hand() -> None:
    assert transitions("EEVX") == [[1, 1, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0], [0, 0, 0, 0]]
    assert transition_shares(transitions("EEV"))[0] == [0.5, 0.5, 0, 0]
    assert transition_shares(transitions("EEV"))[1] == [None] * 4
    assert pooled_transitions(["EV", "EV", "EX"])[0] == [0, 2, 0, 1]
    assert similarity(transitions("EVEV"), transitions("EVEV")) == pytest.approx(1)
    assert similarity(transitions("EE"), transitions("VV")) == 0
    assert similarity(transitions("E"), transitions("E")) is None


def test_edit_distance_by_hand() -> None:
    assert edit_distance("EVX", "EX") == 1
    assert edit_distance("", "EVD") == 3
    assert edit_distance("DEVX", "EVXD") == 2


@given(st.text("EVDX", max_size=12), st.text("EVDX", max_size=12), st.text("EVDX", max_size=12))
def test_edit_distance_is_a_distance(a: str, b: str, c: str) -> None:
    assert edit_distance(a, b) == edit_distance(b, a)
    assert (edit_distance(a, b) == 0) == (a == b)
    assert edit_distance(a, c) <= edit_distance(a, b) + edit_distance(b, c)
    alike = similarity(transitions(a), transitions(b))
    assert alike is None or 0 <= alike <= 1


def test_nothing_to_compare_with_says_so() -> None:
    assert compare_with("EV", []).similarity is None
    assert compare_with("EV", []).reason
    assert compare_with("E", ["EVE"]).reason == "one side has no transition"
    assert compare_with("EVE", ["EVE", "EVE", "XXX"]).edit_distance == 0


def test_sessions_of_a_life_are_held_against_the_others() -> None:
    turns = [turn(session=0), turn(session=0), turn(session=1), turn(session=1)]
    told = profile_labels(["E", "V", "E", "V"], turns)
    assert [s.sequence for s in told.sessions] == ["EV", "EV"]
    assert told.sessions[0].edit_distance == 0
    assert told.sessions[0].reference_n == 1
    assert told.counts == {"E": 2, "V": 2, "D": 0, "X": 0}


def trace(*names: str) -> bytes:
    rows = [
        f'{{"step": {i}, "role": "tool_call", "tool_name": "{name}"}}'
        for i, name in enumerate(names, 1)
    ]
    return "\n".join(rows).encode()


def test_the_reference_leaves_the_trial_itself_out(tmp_path: Path) -> None:
    with open_ledger(tmp_path) as ledger:
        for i, (names, reward) in enumerate(
            [(("act", "act"), 1.0), (("look_list", "act"), 1.0), (("act",), 0.0)]
        ):
            outputs = {"trajectory_path": "trace.jsonl"}
            ledger.add(
                record(f"t{i}", outputs=outputs, evaluation={"reward": reward}),
                {"trace.jsonl": trace(*names)},
            )
        first, _ = classify_trial("t0", lambda: ledger)
        failed, _ = classify_trial("t2", lambda: ledger)
    assert first.reference.reference_n == 1
    assert first.reference.edit_distance == 1
    assert failed.reference.reference_n == 2


def test_a_models_labels_are_held_against_its_own(tmp_path: Path) -> None:
    mine = Labeller("m", "p", lambda turns: ["V"] * len(turns))
    with open_ledger(tmp_path) as ledger:
        for i in range(2):
            outputs = {"trajectory_path": "trace.jsonl"}
            ledger.add(
                record(f"t{i}", outputs=outputs, evaluation={"reward": 1.0}),
                {"trace.jsonl": trace("act", "act")},
            )
        alone, _ = classify_trial("t0", lambda: ledger, mine)
        classification = Classification(
            classifier="m",
            labels="VV",
            prompt_hash="p",
            record_hash="h",
            timestamp="2026-03-13T10:00:00Z",
            trial_id="t1",
        )
        add_classification(ledger, classification)
        both, _ = classify_trial("t0", lambda: ledger, mine)
    assert alone.reference.reference_n == 0
    assert (both.reference.reference_n, both.reference.edit_distance) == (1, 0)


class Scripted(Model):
    """A model that answers with what it is given."""

    name = "scripted"

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        max_tokens: int = 1024,
        seed: int | None = None,
    ) -> Reply:
        self.asked.append(messages[-1].content)
        if not self.answers:
            raise TransportError("gone")
        return Reply(self.answers.pop(0))


def test_a_models_labels_are_checked() -> None:
    turns = [Turn(i, None, i, None, f"mail me at ann{i}@example.com") for i in range(7)]
    model = Scripted(
        'Sure: {"labels": [{"turn": 0, "label": "E"}, {"turn": 0, "label": "V"}, {"turn": 99,'
        ' "label": "E"}, {"turn": 1, "label": "Q"}, {"turn": 2, "label": "X"}]}'
    )
    labels, problems = classify_with_model(turns, model)
    assert labels == ["E", None, "X", None, None, None, None]
    assert any("turn 99" in p for p in problems)
    assert any("turn 1: no label" in p for p in problems)
    assert any("gone" in p for p in problems)
    assert "ann0@example.com" not in model.asked[0]
    assert len(PROMPT_HASH) == 64
