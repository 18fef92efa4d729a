"""Projects over processes: the same results in the same order as one after the other."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from agingbench.telemetry import workers
from agingbench.telemetry.audit import audit_path
from agingbench.traces.reading import Group, groups
from tests.engines.fleets import write_fleet
from tests.engines.jobs import Elsewhere


def _name_and_process(member: Group) -> tuple[str, int]:
    return member.name, os.getpid()


def test_small_projects_are_read_here(tmp_path: Path) -> None:
    """A process is not worth its start for little text."""
    members = [Group(name, tmp_path) for name in "cab"]
    own = os.getpid()
    expected = [("c", own), ("a", own), ("b", own)]
    assert workers.spread(_name_and_process, members, 4) == expected


@pytest.mark.slow
def test_processes_give_what_one_gives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Order and answers do not depend on how many processes there are."""
    for project in "ab":
        folder = tmp_path / "projects" / f"-home-dev-{project}"
        folder.mkdir(parents=True)
        with (folder / "00000000-1111-4222-8333-444455556666.jsonl").open("w") as stream:
            for number in range(20):
                record = {
                    "type": "user",
                    "uuid": f"{project}{number}",
                    "sessionId": f"{project}-{number}",
                    "cwd": f"/home/dev/{project}",
                    "version": "2.1.29",
                    "timestamp": f"2026-01-{number + 1:02d}T10:00:00.000Z",
                    "message": {"role": "user", "content": "Please look"},
                }
                stream.write(json.dumps(record) + "\n")

    alone = audit_path(tmp_path / "projects")
    monkeypatch.setattr(workers, "WORTH_A_PROCESS", 0)
    spread = audit_path(tmp_path / "projects", workers=2)
    assert len(alone) == 2
    assert [(one.name, one.n_sessions, one.p) for one in spread] == [
        (one.name, one.n_sessions, one.p) for one in alone
    ]
    assert all(one.figures is not None for one in alone)
    assert all(one.figures is None for one in spread)


def test_an_engine_without_our_disk_gives_the_same_cards(tmp_path: Path) -> None:
    """Read by one worker, outcomes shared out here, judged by another, corrected here."""
    outcomes = write_fleet(tmp_path / "projects", projects=3)
    for file in (None, outcomes):
        here = audit_path(tmp_path / "projects", outcomes_jsonl=file)
        with Elsewhere(2) as engine:
            there = audit_path(tmp_path / "projects", outcomes_jsonl=file, engine=engine)
        assert [one.own_name for one in there] == [one.own_name for one in here]
        hashes = [one.card["content_hash"] for one in here]
        assert [one.card["content_hash"] for one in there] == hashes
        assert [one.files for one in there] == [one.files for one in here]


def test_what_is_sent_needs_no_disk(tmp_path: Path) -> None:
    write_fleet(tmp_path / "projects", projects=1)
    (member,) = groups(tmp_path / "projects")
    sent = workers._shipped(member, reads_all=False)
    for path in (tmp_path / "projects").rglob("*.jsonl"):
        path.unlink()
    with Elsewhere(1) as engine:
        (count,) = workers.each(engine, _count_bytes, [sent])
    assert count > 1000


def _count_bytes(member: Group) -> int:
    total = 0
    for file in member.files:
        if file.format is not None:
            with file.open() as stream:
                total += len(stream.read())
    return total
