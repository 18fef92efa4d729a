"""Complaints are told from requests, in several languages."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agingbench.text.complaints import is_complaint

UNSEEN = Path(__file__).with_name("corrections") / "unseen.jsonl"


@pytest.mark.parametrize(
    "text",
    [
        "no, that is wrong",
        "That's not what I asked for, the table should stay",
        "it still fails on the second file",
        "undo that please",
        "[Request interrupted by user]",
        "Hi, no, leave the header alone",
        "you changed the parser but it was the writer that failed",
        "put config.toml back, I never asked you to touch it",
        "that is not the way I described the export",
        "well, now the totals are gone",
        "you skipped the second part of my message",
        "Hallo, nein, das bleibt so",
        "den zweiten Teil hast du übergangen",
        "jetzt ist die Spalte ganz verschwunden",
        "nein, das ist falsch",
        "das habe ich dir doch schon gesagt: ich habe es gesagt",
        "immer noch kaputt",
        "ce n'est pas ce que je voulais",
        "no funciona, sigue fallando",
        "não é o que pedi",
        "non funziona ancora",
        "dat klopt niet",
        "还是不行，错了",
        "違います、やり直して",
    ],
)
def test_a_complaint_is_one(text: str) -> None:
    assert is_complaint(text)


@pytest.mark.parametrize(
    "text",
    [
        "add a button to the settings page",
        "note the number of rows in the report",
        "fix the failing test in the parser",
        "warum ist der Cache so langsam?",
        "explique comment marche le cache",
        "nothing else for today, thanks",
        "Hi, no hurry, but look into the export",
        "you can change the parser if you like",
        "Hallo, trag bitte die neue Nummer ein",
        "fix the wrong-currency notice",
        "the login fails with 500, please find out why",
        "don't touch the tests",
        "I changed my mind, let's take the green one",
        "Implement the following plan:\n\n# Undo wrong merges\n" + "It is broken. " * 200,
        "<task-notification>\nthis is wrong\n</task-notification>",
        "",
    ],
)
def test_a_request_is_none(text: str) -> None:
    assert not is_complaint(text)


def test_a_no_is_an_answer_where_the_agent_asked() -> None:
    assert not is_complaint("no, keep it", after_question=True)
    assert is_complaint("I already told you: sqlite", after_question=True)


def test_what_a_client_puts_before_a_turn_is_not_read() -> None:
    opened = "<ide_opened_file>The user opened notes.md. It may not be related.</ide_opened_file>"

    assert is_complaint(f"{opened}\nthat's wrong, you deleted the header")
    assert not is_complaint(f"{opened}\nplease add a header")


def test_a_paste_is_judged_by_the_line_before_it() -> None:
    trace = "Traceback (most recent call last):\n  File 'a.py', line 3, in run\n" * 40

    assert is_complaint(f"I think you broke something:\n{trace}")
    assert not is_complaint(f"please run this:\n{trace}")


def test_most_corrections_of_the_unseen_turns_are_found_and_few_requests_are() -> None:
    found: Counter[tuple[str, bool]] = Counter()
    total: Counter[tuple[str, bool]] = Counter()
    for line in UNSEEN.read_text(encoding="utf-8").splitlines():
        turn = json.loads(line)
        language = turn["language"] if turn["language"] in ("en", "de") else "other"
        asked = "asked:" in turn["before"] or "gefragt:" in turn["before"]
        key = (language, turn["correction"])
        total[key] += 1
        found[key] += bool(turn["before"]) and is_complaint(turn["text"], asked)

    assert total.total() == 590
    for language in ("en", "de", "other"):
        assert found[language, True] / total[language, True] >= 0.6, language
        assert found[language, False] / total[language, False] <= 0.05, language


@given(st.text(max_size=400), st.text(min_size=700, max_size=900), st.booleans())
def test_any_text_has_an_answer_and_the_end_of_a_paste_has_no_say(
    text: str, end: str, asked: bool
) -> None:
    first = "x".join(text.split()) + " " * 300

    assert is_complaint(f"{first}\n{end}", asked) == is_complaint(f"{first}\n{end[::-1]}", asked)


def test_a_turn_at_the_threshold_is_judged_alike_in_every_process() -> None:
    """Its marks add up to the threshold itself, and sets are in another order in each process."""
    turn = "ok, The Javadoc of updateNotification is missing."
    script = f"from agingbench.text.complaints import is_complaint; print(is_complaint({turn!r}))"
    answers = set()
    for seed in range(1, 7):
        env = {**os.environ, "PYTHONHASHSEED": str(seed)}
        done = subprocess.run(
            [sys.executable, "-c", script], env=env, capture_output=True, text=True, check=True
        )
        answers.add(done.stdout)
    assert len(answers) == 1
