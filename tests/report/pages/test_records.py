"""Texts of records: found by file and line, scrubbed, and never from outside the traces."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agingbench.cards.audit import EvidencePlace
from agingbench.report.pages.records import LONGEST, RecordTexts

SECRET = "sk-ant-api03-" + "a1B2" * 20


@pytest.fixture
def traces(tmp_path: Path) -> Path:
    folder = tmp_path / "traces"
    (folder / "one").mkdir(parents=True)
    (folder / "two").mkdir()
    said = {"type": "text", "text": f"the key is {SECRET}, mail ann@example.org"}
    records = [
        {"type": "user", "message": {"role": "user", "content": "first"}},
        {"type": "assistant", "message": {"id": "m1", "content": [said]}},
        {"type": "user", "message": {"content": "x" * (2 * LONGEST)}},
    ]
    lines = [json.dumps(record) for record in records]
    (folder / "one" / "a.jsonl").write_text("\n".join([*lines, "no JSON at all"]))
    for name in ("one", "two"):
        (folder / name / "same.jsonl").write_text(lines[0])
    (tmp_path / "outside.jsonl").write_text(lines[0])
    return folder


def words(traces: Path, file: object, line: object) -> str:
    return RecordTexts(traces).words(EvidencePlace(session=0, file=file, line=line))


def test_what_was_said_is_shown_and_nothing_else(traces: Path) -> None:
    assert words(traces, "a.jsonl", 1) == "first"
    assert words(traces, "a.jsonl", 4) == "no JSON at all"


def test_secrets_are_scrubbed(traces: Path) -> None:
    text = words(traces, "a.jsonl", 2)
    assert text.startswith("the key is ")
    assert SECRET not in text
    assert "ann@example.org" not in text


def test_long_records_are_cut_and_say_so(traces: Path) -> None:
    text = words(traces, "a.jsonl", 3)
    assert text.endswith(f"… ({LONGEST:,} more characters)")


@pytest.mark.parametrize(
    ("file", "line", "reason"),
    [
        ("gone.jsonl", 1, "no such file"),
        ("../outside.jsonl", 1, "no such file"),
        ("/etc/passwd", 1, "no such file"),
        ("same.jsonl", 1, "2 files have this name"),
        ("a.jsonl", 99, "no such line"),
        ("a.jsonl", None, "names no line"),
        ("a.jsonl", 0, "names no line"),
        (None, 1, "no such file"),
    ],
)
def test_what_is_not_there_is_said(traces: Path, file: object, line: object, reason: str) -> None:
    text = words(traces, file, line)
    assert text.startswith("(")
    assert reason in text
