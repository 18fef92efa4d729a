"""`prepare_trace`: function and module under one name, one file sorted by time, never its own
output.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from agingbench.errors import InputError
from agingbench.telemetry import prepare_trace
from agingbench.traces.tracefiles import MERGED_NAME


def write(path: Path, *rows: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        "".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows)
    )


def fragments(folder: Path) -> None:
    write(
        folder / "b.jsonl",
        {"uuid": "3", "timestamp": "2025-01-02T00:00:00Z"},
        {"uuid": "4", "note": "no time"},
        {"uuid": "5", "timestamp": "2025-01-02T01:00:00+02:00"},
    )
    write(
        folder / "a.jsonl",
        {"uuid": "1", "timestamp": "2025-01-01T00:00:00Z"},
        "{torn",
        {"uuid": "3"},
    )
    write(folder / "sub" / "c.jsonl", {"uuid": "0", "timestamp": "2024-12-31T00:00:00Z"})


def test_time_order_not_text_order_and_twice_gives_the_same(tmp_path: Path) -> None:
    fragments(tmp_path)
    out = prepare_trace(str(tmp_path))  # type: ignore[operator]
    assert out == tmp_path / MERGED_NAME
    first = out.read_text()
    uuids = [json.loads(line).get("uuid") for line in first.splitlines() if line != "{torn"]
    assert uuids[0] == "0"
    assert set(uuids) == {"0", "1", "3", "4", "5"}
    assert uuids.index("5") < len(uuids)
    assert prepare_trace(tmp_path).read_text() == first  # type: ignore[operator]


def test_as_a_command_and_with_a_home_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fragments(tmp_path / "project")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert prepare_trace("~/project").exists()  # type: ignore[operator]
    done = subprocess.run(
        [
            sys.executable,
            "-W",
            "error",
            "-m",
            "agingbench.telemetry.prepare_trace",
            str(tmp_path / "project"),
        ],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == f"wrote {tmp_path / 'project' / MERGED_NAME} (6 events)"


def test_nothing_to_merge_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="session files"):
        prepare_trace(tmp_path)  # type: ignore[operator]
    with pytest.raises(InputError, match="is not a folder"):
        prepare_trace(tmp_path / "none")  # type: ignore[operator]
    done = subprocess.run(
        [sys.executable, "-m", "agingbench.telemetry.prepare_trace", str(tmp_path)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_many_fragments_keep_a_stable_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prepare_trace, "MOST_OPEN", 3)  # more files than may be open at a time
    expected = []
    for number in range(40):
        rows: list[object] = []
        for line in range(25):
            # Five files share each moment; every fifth line has no time and follows the one before
            # it.
            time = 1_700_000_000 + (number // 5) + 7 * line
            rows.append({"uuid": f"{number}-{line}", "timestamp": time})
            expected.append((time, number, 2 * line, f"{number}-{line}"))
            if line % 5 == 0:
                rows.append({"uuid": f"{number}-{line}-after", "note": "é" * line})
                expected.append((time, number, 2 * line + 1, f"{number}-{line}-after"))
        write(tmp_path / f"{number:02d}.jsonl", *rows)
    out = prepare_trace(tmp_path)  # type: ignore[operator]
    found = [json.loads(line)["uuid"] for line in out.read_text().splitlines()]
    assert found == [uuid for *_, uuid in sorted(expected)]


def test_lines_before_the_first_time_take_it_and_files_without_one_come_first(
    tmp_path: Path,
) -> None:
    write(tmp_path / "a.jsonl", {"uuid": "head"}, {"uuid": "later", "timestamp": 2_000.0})
    write(tmp_path / "b.jsonl", {"uuid": "early", "timestamp": 1_000.0})
    write(tmp_path / "c.jsonl", {"uuid": "never"})
    out = prepare_trace(tmp_path)  # type: ignore[operator]
    assert [json.loads(line)["uuid"] for line in out.read_text().splitlines()] == [
        "never",
        "early",
        "head",
        "later",
    ]


def test_what_it_wrote_is_never_read_whatever_it_is_called(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    write(
        folder / "a.jsonl",
        {"note": "no id", "timestamp": 1.0},
        {"note": "no id either", "timestamp": 2.0},
    )
    for _ in range(3):
        assert len(prepare_trace(folder).read_text().splitlines()) == 2  # type: ignore[operator]
    with pytest.raises(InputError, match=MERGED_NAME):
        prepare_trace(folder, folder / "merged.jsonl")  # type: ignore[operator]
    outside = tmp_path / "merged.jsonl"
    for _ in range(2):
        merged = prepare_trace(folder, outside)  # type: ignore[operator]
        assert len(merged.read_text().splitlines()) == 2


def test_an_overlong_line_stays_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prepare_trace, "LONGEST_LINE", 50)
    monkeypatch.setattr(prepare_trace, "PIECE", 16)
    long = json.dumps({"uuid": "long", "timestamp": 5.0, "pad": "x" * 400})
    write(
        tmp_path / "a.jsonl",
        {"uuid": "one", "timestamp": 1.0},
        long,
        {"uuid": "two", "timestamp": 9.0},
    )
    lines = prepare_trace(tmp_path).read_text().splitlines()  # type: ignore[operator]
    assert len(lines) == 3
    assert long in lines


def test_links_out_of_the_folder_are_not_followed(tmp_path: Path) -> None:
    write(tmp_path / "secret.jsonl", {"uuid": "secret"})
    write(tmp_path / "project" / "a.jsonl", {"uuid": "own"})
    (tmp_path / "project" / "link.jsonl").symlink_to(tmp_path / "secret.jsonl")
    assert "secret" not in prepare_trace(tmp_path / "project").read_text()  # type: ignore[operator]


def test_a_file_that_shrinks_meanwhile_is_told_and_leaves_the_old_merge(tmp_path: Path) -> None:
    from agingbench.telemetry.prepare_trace import _LineIndex, _read, _sorted_lines

    file = tmp_path / "a.jsonl"
    write(file, {"uuid": "one", "timestamp": 1.0}, {"uuid": "two", "timestamp": 2.0})
    index = _LineIndex()
    with file.open("rb") as stream:
        _read(stream, 0, index)
    file.write_text("")
    with pytest.raises(InputError, match="became shorter"):
        list(_sorted_lines(index, [file]))
