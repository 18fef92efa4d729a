"""The archive: each content once, growing files continued, nothing rewritten, private blobs,
scrubbed index.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import filelock
import pytest
from click.testing import CliRunner

from agingbench.cli.main import cli
from agingbench.errors import AgingBenchError, InputError, RunConflict
from agingbench.records import ReadLog
from agingbench.telemetry import trace_to_card_v11
from agingbench.traces.archive import archive, index
from agingbench.traces.archive.archive import ArchiveReport, add_to_archive
from agingbench.traces.archive.index import INDEX, is_archive
from agingbench.traces.archive.reading import archived_files
from agingbench.traces.reading import groups, read_events, transcripts
from agingbench.traces.tracefiles import TraceFile
from tests.cli.conftest import data

SECRET = "_".join(["ghp", "a1B2" * 9])


def line(n: int, session: str = "s", text: str = "hi") -> str:
    message = {"role": "user", "content": text}
    return (
        json.dumps(
            {"type": "user", "uuid": f"{session}-{n}", "sessionId": session, "message": message}
        )
        + "\n"
    )


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def run(source: Path, to: Path) -> ArchiveReport:
    return add_to_archive(transcripts(source)[0], source, to)


def content(path: Path) -> dict[str, bytes]:
    found = {}
    for file in archived_files(path):
        with file.open() as stream:
            found[str(file.path.relative_to(path))] = stream.read()
    return found


def snapshot(path: Path) -> dict[str, bytes]:
    return {
        str(p): p.read_bytes() for p in sorted(path.rglob("*")) if p.is_file() and p.name != ".lock"
    }


@pytest.fixture
def source(tmp_path: Path) -> Path:
    put(tmp_path / "src" / "-Users-dain-app" / "a.jsonl", line(1) + line(2))
    put(tmp_path / "src" / "-Users-dain-app" / "b.jsonl", line(1, "b"))
    put(tmp_path / "src" / "copy" / "a.jsonl", line(1) + line(2))
    put(tmp_path / "src" / "notes.md", "no trace")
    return tmp_path / "src"


def test_what_is_archived_is_read_like_its_source(source: Path, tmp_path: Path) -> None:
    to = tmp_path / "kept"
    report = run(source, to)
    assert (report.files, report.new, report.unchanged) == (3, 3, 0)
    assert is_archive(to)
    assert not is_archive(source)
    before = ReadLog()
    after = ReadLog()
    told = [(e.session_id, e.content, e.step) for e in read_events(source, log=before)]
    assert told == [(e.session_id, e.content, e.step) for e in read_events(to, log=after)]
    assert (before.used, before.duplicate) == (after.used, after.duplicate) == (3, 2)
    assert [len(g.files) for g in groups(to)] == [2, 1]


def test_equal_content_is_stored_once(source: Path, tmp_path: Path) -> None:
    run(source, tmp_path / "kept")
    assert len(list((tmp_path / "kept").rglob("*.gz"))) == 2


def test_again_is_nothing_and_growth_is_a_piece(source: Path, tmp_path: Path) -> None:
    to = tmp_path / "kept"
    run(source, to)
    first = snapshot(to)
    again = run(source, to)
    assert (again.unchanged, again.bytes_added) == (3, 0)
    assert snapshot(to) == first
    grown = source / "copy" / "a.jsonl"
    with grown.open("a") as file:
        file.write(line(3)[:30])
    assert run(source, to).grown == 1
    with grown.open("a") as file:
        file.write(line(3)[30:] + line(4))
    report = run(source, to)
    assert (report.grown, report.unchanged) == (1, 2)
    assert content(to)["copy/a.jsonl"] == grown.read_bytes()
    now = snapshot(to)
    for path, content_before in first.items():  # only ever added to
        grown_index = path.endswith(INDEX) and now[path].startswith(content_before)
        assert grown_index or now[path] == content_before


def test_a_deleted_file_stays_and_a_rewritten_one_is_another_version(
    source: Path, tmp_path: Path
) -> None:
    to = tmp_path / "kept"
    run(source, to)
    (source / "-Users-dain-app" / "b.jsonl").unlink()
    put(source / "copy" / "a.jsonl", line(9))
    assert run(source, to).rewritten == 1
    put(source / "copy" / "a.jsonl", line(9) + line(10))
    assert run(source, to).grown == 1
    sessions = [(e.session_id, (e.source.line if e.source else None)) for e in read_events(to)]
    assert len(sessions) == 5
    assert ("b", 1) in sessions


def test_of_a_rewritten_document_only_the_newest_is_read(tmp_path: Path) -> None:
    def chat(*texts: str) -> str:
        messages = [{"role": "user", "content": text} for text in texts]
        return json.dumps({"session_id": "x", "messages": messages}, indent=1)

    file = put(tmp_path / "src" / "chat.json", chat("a"))
    to = tmp_path / "kept"
    run(file.parent, to)
    put(file, chat("a", "b"))
    run(file.parent, to)
    assert [e.content for e in read_events(to)] == ["a", "b"]


def test_blobs_are_private_and_the_index_is_scrubbed(source: Path, tmp_path: Path) -> None:
    to = tmp_path / "kept"
    put(source / "home" / "alice@example.com" / "x.jsonl", line(5, "x", f"key {SECRET}"))
    run(source, to)
    index = (to / INDEX).read_text()
    assert "dain" not in index
    assert "alice" not in index
    assert SECRET not in index
    for blob in to.rglob("*.gz"):
        assert stat.S_IMODE(blob.stat().st_mode) == 0o600
    for folder in (to, *(path for path in to.rglob("*") if path.is_dir())):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    for file in (path for path in to.rglob("*") if path.is_file()):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert any(SECRET.encode() in gzip.decompress(blob.read_bytes()) for blob in to.rglob("*.gz"))


def test_a_torn_index_line_costs_nothing(source: Path, tmp_path: Path) -> None:
    to = tmp_path / "kept"
    run(source, to)
    expected = content(to)
    data = (to / INDEX).read_bytes()
    (to / INDEX).write_bytes(data[:-40])
    assert len(content(to)) == 2
    report = run(source, to)
    assert (report.new, report.bytes_stored) == (1, 0)
    assert content(to) == expected
    assert (to / INDEX).read_bytes().startswith(data[:-40])


def test_large_files_are_kept_in_pieces(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "PIECE", 50)
    to = tmp_path / "kept"
    run(source, to)
    assert content(to)["copy/a.jsonl"] == (source / "copy" / "a.jsonl").read_bytes()
    assert run(source, to).unchanged == 3


def test_names_in_an_index_stay_inside(source: Path, tmp_path: Path) -> None:
    to = tmp_path / "kept"
    run(source, to)
    lines = [json.loads(text) for text in (to / INDEX).read_text().splitlines()]
    lines[0]["file"] = "../../../etc/passwd"
    lines[1]["blob"] = "../../../../../etc/passwd".ljust(64, "a")
    (to / INDEX).write_text("".join(json.dumps(entry) + "\n" for entry in lines))
    found = archived_files(to)
    assert len(found) == 2
    assert all(file.path.is_relative_to(to) and ".." not in file.path.parts for file in found)


def test_a_missing_or_broken_blob_costs_its_file(source: Path, tmp_path: Path) -> None:
    to = tmp_path / "kept"
    run(source, to)
    blobs = sorted(to.rglob("*.gz"))
    blobs[0].write_bytes(b"\x1f\x8bnonsense")
    blobs[1].unlink()
    log = ReadLog()
    assert list(read_events(to, "claude_code", log)) == []
    assert log.n_malformed == 3


def test_wrong_places_are_refused(source: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not empty and no archive"):
        run(source, source)
    with pytest.raises(InputError, match="not a folder"):
        run(source, source / "notes.md")


def test_one_writer_at_a_time(source: Path, tmp_path: Path) -> None:
    to = tmp_path / "kept"
    run(source, to)
    with filelock.FileLock(to / ".lock"), pytest.raises(RunConflict, match="another process"):
        run(source, to)


KILLED = """
import sys
from pathlib import Path
from agingbench.traces.archive.archive import add_to_archive
from agingbench.traces.reading import transcripts
files = transcripts(Path(sys.argv[1]))[0]
print("ready", flush=True)
print(add_to_archive(files, Path(sys.argv[1]), Path(sys.argv[2])).files, flush=True)
"""


def started(source: Path, to: Path) -> subprocess.Popen[bytes]:
    """A process that has found the transcripts and now keeps them."""
    pipe = subprocess.PIPE
    child = subprocess.Popen([sys.executable, "-c", KILLED, source, to], stdout=pipe, stderr=pipe)
    assert child.stdout is not None
    assert child.stdout.readline() == b"ready\n"
    return child


@pytest.fixture
def many(tmp_path: Path) -> Path:
    for n in range(150):
        put(
            tmp_path / "src" / f"{n:03}.jsonl",
            "".join(line(i, f"s{n}", "x" * 2000) for i in range(20)),
        )
    return tmp_path / "src"


def test_killed_half_way_it_is_continued(many: Path, tmp_path: Path) -> None:
    to = tmp_path / "kept"
    for after in (0.0, 0.002, 0.01, 0.02, 0.1, 0.3):
        child = started(many, to)
        time.sleep(after)
        os.kill(child.pid, signal.SIGKILL)
        child.communicate()
    report = run(many, to)
    assert report.files == 150
    assert report.rewritten == 0
    assert content(to) == {f.name: f.read_bytes() for f in many.iterdir()}
    assert not list(to.rglob("*.tmp"))


@pytest.mark.parametrize("left", [[], [".lock"], [".lock", f".{'0a' * 8}.tmp"]])
def test_killed_before_there_was_a_marker(source: Path, tmp_path: Path, left: list[str]) -> None:
    to = tmp_path / "kept"
    for name in left:
        put(to / name, "half")
    assert run(source, to).new == 3
    assert not list(to.glob(".*.tmp"))


def test_two_at_once_one_of_them_writes(many: Path, tmp_path: Path) -> None:
    to = tmp_path / "kept"
    children = [started(many, to) for _ in range(3)]
    ends = [(child, *child.communicate()) for child in children]
    assert any(child.returncode == 0 and out == b"150\n" for child, out, _ in ends)
    for child, _, err in ends:
        assert child.returncode == 0 or b"RunConflict" in err, err
    assert content(to) == {f.name: f.read_bytes() for f in many.iterdir()}
    assert len((to / INDEX).read_text().splitlines()) == 150


WRITER = """
import sys, time
n = 0
with open(sys.argv[1], "a", buffering=1) as file:
    print("ready", flush=True)
    while True:
        file.write(sys.argv[2].replace("NUMBER", str(n)) + "\\n")
        n += 1
        if n % 100 == 0:
            time.sleep(0.001)
"""


def test_a_file_that_grows_all_the_while(tmp_path: Path) -> None:
    file = put(tmp_path / "src" / "a.jsonl", line(0))
    to = tmp_path / "kept"
    entry = line(0, "g", "x" * 300).strip().replace("g-0", "g-NUMBER")
    child = subprocess.Popen([sys.executable, "-c", WRITER, file, entry], stdout=subprocess.PIPE)
    assert child.stdout is not None
    child.stdout.readline()
    try:
        reports = [run(file.parent, to) for _ in range(4)]
    finally:
        child.kill()
        child.communicate()
    reports.append(run(file.parent, to))
    assert sum(report.rewritten for report in reports) == 0
    assert sum(report.bytes_added for report in reports) == file.stat().st_size
    assert content(to) == {"a.jsonl": file.read_bytes()}


def test_a_lost_blob_is_stored_again_while_its_source_is_there(
    source: Path, tmp_path: Path
) -> None:
    to = tmp_path / "kept"
    run(source, to)
    before = snapshot(to)
    for blob in to.rglob("*.gz"):
        blob.unlink()
    assert run(source, to).restored == 2
    assert snapshot(to) == before


def test_a_blob_with_another_content_is_not_believed(source: Path, tmp_path: Path) -> None:
    to = tmp_path / "kept"
    run(source, to)
    for blob in to.rglob("*.gz"):
        size = len(gzip.decompress(blob.read_bytes()))
        blob.write_bytes(
            gzip.compress(line(77).encode().ljust(size, b" ")[:size] + b"\n" * 1_000_000)
        )
    log = ReadLog()
    list(read_events(to, "claude_code", log))
    assert [problem.reason.split(":")[1].strip() for problem in log.malformed] == [
        "a part of the archive is damaged"
    ] * 3


def test_hostile_names_and_links(tmp_path: Path) -> None:
    source = tmp_path / "src"
    to = tmp_path / "kept"
    outside = put(tmp_path / "outside.jsonl", line(1, "out"))
    names = [
        "a\nb.jsonl",
        "a\x1b[31mb.jsonl",
        "..jsonl",
        "-rf.jsonl",
        "a\\..\\..\\b.jsonl",
        "é" * 100 + ".jsonl",
        "$(id).jsonl",
    ]
    for n, name in enumerate(names):
        put(source / name, line(n, f"s{n}"))
    bad = os.fsencode(source) + b"/\xff\xfe.jsonl"
    Path(os.fsdecode(bad)).write_text(line(50, "bytes"))
    (source / "link.jsonl").symlink_to(outside)
    (source / "loop").symlink_to(source)
    assert run(source, to).new == len(names) + 1
    assert run(source, to).unchanged == len(names) + 1
    found = archived_files(to)
    assert all(file.path.is_relative_to(to) and ".." not in file.path.parts for file in found)
    assert {e.session_id for e in read_events(to)} == {
        *(f"s{n}" for n in range(len(names))),
        "bytes",
    }
    index = (to / INDEX).read_text()
    assert "out" not in {e.session_id for e in read_events(to)}
    assert "\\u001b" not in index


def test_the_index_is_not_written_through_a_link(source: Path, tmp_path: Path) -> None:
    to = tmp_path / "kept"
    other = put(tmp_path / "other.txt", "mine")
    run(source, to)
    (to / INDEX).unlink()
    (to / INDEX).symlink_to(other)
    with pytest.raises(AgingBenchError, match="cannot write"):
        run(source, to)
    assert other.read_text() == "mine"


def test_two_projects_whose_names_scrub_alike_stay_two(tmp_path: Path) -> None:
    source = tmp_path / "src"
    to = tmp_path / "kept"
    for user in ("alice", "bob"):
        put(source / f"-home-{user}-app" / "a.jsonl", line(1, user))
        put(source / f"-home-{user}-app" / "s1" / "subagents" / "agent-1.jsonl", line(2, user))
    run(source, to)
    assert [len(g.files) for g in groups(to)] == [len(g.files) for g in groups(source)] == [2, 2]
    assert not any(user in (to / INDEX).read_text() for user in ("alice", "bob"))


def test_of_a_rewritten_file_each_line_is_read_once(tmp_path: Path) -> None:
    """Lines without an id cannot be known as duplicates by their reader."""

    def say(*texts: str) -> str:
        entries = [{"session_id": "s", "role": "user", "content": text} for text in texts]
        return "".join(json.dumps(entry) + "\n" for entry in entries)

    file = put(tmp_path / "src" / "a.jsonl", say("a", "b", "c"))
    to = tmp_path / "kept"
    run(file.parent, to)
    put(file, say("x", "b", "c", "d"))
    run(file.parent, to)
    assert sorted(str(e.content) for e in read_events(to)) == ["a", "b", "c", "d", "x"]
    put(file, "")  # about to be rewritten
    assert [add_to_archive([TraceFile(file)], file.parent, to).unchanged for _ in range(2)] == [
        1,
        1,
    ]


def test_a_wrong_index_is_not_followed(source: Path, tmp_path: Path) -> None:
    to = tmp_path / "kept"
    run(source, to)
    lines = [json.loads(text) for text in (to / INDEX).read_text().splitlines()]
    lines[0]["length"], lines[1]["length"], lines[2]["offset"] = 1 << 60, -1, 5
    (to / INDEX).write_text("".join(json.dumps(entry) + "\n" for entry in lines))
    assert archived_files(to) == []
    assert run(source, to).new == 3
    assert len(archived_files(to)) == 3


def test_an_archive_of_a_later_version_is_refused(source: Path, tmp_path: Path) -> None:
    to = tmp_path / "kept"
    run(source, to)
    (to / index.MARKER).write_text('{"format": "agingbench-archive", "version": 2}')
    with pytest.raises(InputError, match="archive version 2 cannot be read"):
        archived_files(to)


def test_an_early_archive_without_a_salt_goes_on(source: Path, tmp_path: Path) -> None:
    to = tmp_path / "kept"
    to.mkdir()
    (to / index.MARKER).write_text('{"format": "agingbench-archive", "version": 1}\n')
    run(source, to)
    assert run(source, to).unchanged == 3


def command(*arguments: Any) -> Any:
    return CliRunner().invoke(cli, ["archive", *map(str, arguments)], standalone_mode=False)


def test_the_command(source: Path, tmp_path: Path) -> None:
    to = source / "kept"  # inside its own source: it does not archive itself
    done = command(source, "--to", to, "--json")
    # The runner of older clicks puts what was said on standard error in front.
    told = data(done.stdout.splitlines()[-1], "archive")
    assert (told["files"], told["new"], told["not_transcripts"]) == (3, 3, 1)
    again = data(command(source, "--out", to, "--json").stdout.splitlines()[-1])
    assert (again["files"], again["unchanged"], again["bytes_added"]) == (3, 3, 0)
    assert "3 transcripts: 0 new" in command(source, "--to", to).stdout
    refused = command(to, "--to", tmp_path / "x")
    assert isinstance(refused.exception, AgingBenchError)
    assert "archive already" in str(refused.exception)


def test_the_card_of_an_archive_is_that_of_its_source_which_is_gone(
    source: Path, tmp_path: Path
) -> None:
    to = tmp_path / "kept"
    before = trace_to_card_v11(source).card
    run(source, to)
    shutil.rmtree(source)
    after = trace_to_card_v11(to).card
    assert (
        after["records"].pop("ignored") == before["records"].pop("ignored") - 1
    )  # notes.md is no transcript
    for card in (before, after):
        del (
            card["run_id"],
            card["generated_at"],
            card["content_hash"],
            card["records"]["ignored_by_kind"],
        )
    assert after == before
