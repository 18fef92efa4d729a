"""Projects over processes: the same results in the same order as one after the other."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from agingbench.telemetry import workers
from agingbench.telemetry.audit import audit_path
from agingbench.traces.reading import Group


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
