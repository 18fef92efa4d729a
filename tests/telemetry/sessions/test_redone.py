"""Turns that send the agent back to what it did, and turns that answer a second time."""

from __future__ import annotations

from agingbench.telemetry.sessions.asked_again import ToldValues
from agingbench.telemetry.sessions.redone import RedoneWork


def test_the_same_file_changed_again_is_redone_whatever_was_said() -> None:
    work = RedoneWork()
    work.add_change("api/orders.py")
    assert not work.end_turn(40)
    work.add_change("api/orders.py")
    assert work.end_turn(40)
    work.add_change("api/orders.py")
    assert not work.end_turn(4_000)


def test_going_somewhere_new_is_new_work() -> None:
    work = RedoneWork()
    work.add_change("api/orders.py")
    work.end_turn(40)
    work.add_change("api/orders.py")
    work.has_new = True
    assert not work.end_turn(40)
    work.add_change("api/users.py")
    assert not work.end_turn(40)


def test_an_agent_that_owns_up_was_corrected() -> None:
    work = RedoneWork()
    work.add_change("api/orders.py")
    work.end_turn(40)
    work.add_text("Tut mir leid, ich sehe es.")
    assert work.end_turn(40)
    work.add_text("The sorry state of this module.")
    assert not work.end_turn(40)


def test_what_follows_a_rejected_call_is_no_correction() -> None:
    work = RedoneWork()
    work.add_change("api/orders.py")
    work.was_stopped = True
    work.end_turn(40)
    work.add_change("api/orders.py")
    assert not work.end_turn(40)


def test_a_value_given_twice_was_asked_for_twice() -> None:
    told = ToldValues()
    assert not told.add_turn("for the vault the band is CB-12, please", "")
    assert not told.add_turn("CB-99", "Which band has the studio?")
    assert told.add_turn("cb-12, as above", "Done so far. Which band does the vault run with?")
    assert not told.add_turn("now take CB-12 and go on", "Done.")


def test_the_same_question_asked_twice_is_known_by_its_words() -> None:
    told = ToldValues()
    assert not told.add_turn("the blue one", "Which theme should I take for the page?")
    assert told.add_turn("blue", "So which theme should I take for the page?")
    assert not told.add_turn("yes", "Shall I commit this?")
