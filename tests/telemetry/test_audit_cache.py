"""The cache of audits: the same cards with it and without, and nothing of a trace's text in it."""

from __future__ import annotations

import json
import os
import random
import stat
from pathlib import Path
from typing import Any

import pytest

from agingbench.errors import InputError
from agingbench.telemetry import audit as auditing
from agingbench.telemetry import audit_cache
from agingbench.telemetry.audit import Audit, audit_path
from agingbench.telemetry.audit_cache import AuditCache, default_cache

SECRET = "correct-horse-battery"
KEY = "sk-ant-api03-Zx9Qw8Er7Ty6Ui5Op4As3Df2Gh1Jk0Lz"


@pytest.fixture(autouse=True)
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of a moment ago count as settled."""
    monkeypatch.setattr(audit_cache, "SETTLED", -1e6)


def line(project: int, session: int, at: int, text: str) -> str:
    record = {
        "type": "user",
        "uuid": f"u-{project}-{session}-{at}-{text[:8]}",
        "sessionId": f"{project}-{session}",
        "version": "2.1.29",
        "cwd": f"/home/dev/p{project}",
        "timestamp": f"2026-0{1 + project}-{10 + session}T10:00:{at:02d}.000Z",
        "message": {"role": "user", "content": text},
    }
    return json.dumps(record) + "\n"


def fleet(folder: Path) -> list[Path]:
    """Three projects of two session files each."""
    files = []
    for project in range(3):
        for session in range(2):
            path = folder / f"-home-dev-p{project}" / f"{project}-{session}.jsonl"
            path.parent.mkdir(exist_ok=True, parents=True)
            texts = (f"fix it, the passphrase is {SECRET}", f"use {KEY}", "no, wrong")
            lines = [line(project, session, at, text) for at, text in enumerate(texts)]
            path.write_text("".join(lines))
            files.append(path)

    return files


def cards(audits: list[Audit]) -> list[dict[str, Any]]:
    """The cards in the order of projects, without what is drawn for each."""
    result = []
    for audit in sorted(audits, key=lambda audit: audit.name):
        card = audit.card
        del card["run_id"], card["generated_at"]
        result.append({"card": card, "files": audit.files, "p": audit.p, "name": audit.own_name})

    return result


def test_the_same_cards_with_a_cache_while_files_change(tmp_path: Path) -> None:
    rng = random.Random(5)
    files = fleet(tmp_path / "projects")
    cache = AuditCache(tmp_path / "cache")
    for step in range(3):
        expected = json.dumps(cards(audit_path(tmp_path / "projects")))
        for _ in range(2):  # what changed is read, then nothing is
            audits = audit_path(tmp_path / "projects", cache=cache)
            assert json.dumps(cards(audits)) == expected

        for path in rng.sample(files, 3):
            if rng.random() < 0.5:
                with path.open("a") as out:
                    out.write(line(0, step, 30 + step, f"once more {step}"))
            else:
                path.write_text(path.read_text().replace("wrong", "wroth"))


def test_only_what_changed_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = fleet(tmp_path / "projects")
    cache = AuditCache(tmp_path / "cache")
    audit_path(tmp_path / "projects", cache=cache)
    seen = []
    original = auditing._read

    def read(member: Any, request: Any) -> Any:
        seen.append(member.path.name)
        return original(member, request)

    monkeypatch.setattr(auditing, "_read", read)
    audits = audit_path(tmp_path / "projects", cache=cache)
    assert seen == []
    assert sum(audit.n_sessions for audit in audits) == 6
    with pytest.raises(InputError, match="audit with neither"):
        _ = audits[0].sessions

    files[2].write_text(files[2].read_text() + line(1, 0, 40, "and this"))
    audit_path(tmp_path / "projects", cache=cache)
    assert seen == ["-home-dev-p1"]
    audit_path(tmp_path / "projects", cache=cache, since=1.0)  # other options, other result
    assert len(seen) == 4


def test_a_damaged_or_foreign_entry_is_read_again(tmp_path: Path) -> None:
    fleet(tmp_path / "projects")
    cache = AuditCache(tmp_path / "cache")
    expected = cards(audit_path(tmp_path / "projects", cache=cache))
    for file in cache.folder.iterdir():
        file.write_bytes(file.read_bytes()[:-9])
    assert cards(audit_path(tmp_path / "projects", cache=cache)) == expected

    cache.folder.chmod(0o777)  # anyone may have put a card there
    assert all(audit.figures for audit in audit_path(tmp_path / "projects", cache=cache))


def test_the_cache_is_private_and_holds_no_text(tmp_path: Path) -> None:
    fleet(tmp_path / "projects")
    cache = AuditCache(tmp_path / "cache")
    audit_path(tmp_path / "projects", cache=cache, scrubbed=False)
    assert not cache.folder.exists()

    audit_path(tmp_path / "projects", cache=cache)
    assert stat.S_IMODE(cache.folder.stat().st_mode) == 0o700
    entries = list(cache.folder.iterdir())
    assert len(entries) == 3
    for entry in entries:
        assert stat.S_IMODE(entry.stat().st_mode) == 0o600
        data = entry.read_bytes()
        for text in (SECRET, KEY, "passphrase", "fix it"):
            assert text.encode() not in data


def test_a_file_of_a_moment_ago_is_not_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit_cache, "SETTLED", 2.0)
    files = fleet(tmp_path / "projects")
    cache = AuditCache(tmp_path / "cache")
    for path in files[2:]:
        os.utime(path, (1e9, 1e9))
    audit_path(tmp_path / "projects", cache=cache)
    assert len(list(cache.folder.iterdir())) == 2


def test_old_entries_are_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit_cache, "MOST_ENTRIES", 2)
    fleet(tmp_path / "projects")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    cache = default_cache()
    audit_path(tmp_path / "projects", cache=cache)
    assert len(list((tmp_path / "user" / "agingbench" / "audits").iterdir())) == 2
