"""The example of a format of one's own, by module:Class and by the entry point of a package."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from agingbench.records import ReadLog
from agingbench.traces.reading import load_format, read_events, sniff
from tests.places import EXAMPLES

TEXT = "2026-01-02T03:04:05Z [s-7] user: hello\nnoise\n2026-01-02T03:04:06Z [s-7] assistant: hi\n"


@pytest.fixture(autouse=True)
def in_examples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES))


def test_it_is_short() -> None:
    assert len((EXAMPLES / "own_trace_format.py").read_text().splitlines()) <= 60


def test_by_module_and_class(tmp_path: Path) -> None:
    path = tmp_path / "chat.log"
    log = ReadLog()
    path.write_text(TEXT)
    events = list(read_events(path, "own_trace_format:ChatLog", log))
    assert [(e.role, e.session_id, e.content) for e in events] == [
        ("user", "s-7", "hello"),
        ("assistant", "s-7", "hi"),
    ]
    assert events[1].timestamp == 1767323046.0
    assert [(p.file, p.line) for p in log.malformed] == [(str(path), 2)]
    assert load_format("own_trace_format:ChatLog").sniff(TEXT.encode()) == 1.0


def test_by_the_entry_point_of_a_package(tmp_path: Path) -> None:
    """An installed package's format is found by its name, and sniffed like the others."""
    made = tmp_path / "site" / "chat_log-1.dist-info"
    made.mkdir(parents=True)
    (made / "METADATA").write_text("Metadata-Version: 2.1\nName: chat-log\nVersion: 1\n")
    (made / "entry_points.txt").write_text(
        "[agingbench.formats]\nchat_log = own_trace_format:ChatLog\n"
    )
    (tmp_path / "chat.log").write_text(TEXT)
    code = (
        f"import sys; sys.path[:0] = [{str(made.parent)!r}, {str(EXAMPLES)!r}]\n"
        "from agingbench.traces.reading import read_events, sniff\n"
        f"path = {str(tmp_path / 'chat.log')!r}\n"
        "print(sniff(path), len(list(read_events(path))))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.split() == ["chat_log", "2"], done.stderr


def test_without_it_the_file_is_no_trace(tmp_path: Path) -> None:
    (tmp_path / "chat.log").write_text(TEXT)
    with pytest.raises(Exception, match="no known trace format"):
        sniff(tmp_path / "chat.log")
