"""A watch: the card of a full audit at every step, and nothing lost by deletion, kill or a rival."""

from __future__ import annotations

import json
import os
import random
import stat
import threading
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agingbench.errors import InputError
from agingbench.models.prices import load_prices
from agingbench.telemetry.audit import AuditRequest, audit_path
from agingbench.telemetry.watch import files as watched_files
from agingbench.telemetry.watch import watcher as watching
from agingbench.telemetry.watch.files import FileMemory
from agingbench.telemetry.watch.watcher import Watcher, WatchStep
from agingbench.traces.archive.index import pieces_of


def record(project: int, session: int, at: int, text: str) -> str:
    line = {
        "type": "user",
        "uuid": f"u-{project}-{session}-{at}-{text[:8]}",
        "sessionId": f"{project}-{session}",
        "version": "2.1.29",
        "cwd": f"/home/dev/p{project}",
        "timestamp": f"2026-0{1 + project}-{10 + session}T10:00:{at:02d}.000Z",
        "message": {"role": "user", "content": text},
    }
    return json.dumps(line) + "\n"


def session_file(folder: Path, project: int, session: int) -> Path:
    path = folder / f"-home-dev-p{project}" / f"{session}{project}.jsonl"
    path.parent.mkdir(exist_ok=True, parents=True)
    texts = ("fix the build", "use the other port", "no, wrong")
    path.write_text("".join(record(project, session, at, text) for at, text in enumerate(texts)))
    return path


def make_watcher(folder: Path, out: Path) -> Watcher:
    return Watcher([folder], out, AuditRequest(prices=load_prices()))


def hashes(step: WatchStep) -> dict[str, str | None]:
    return {one.audit.own_name: saved_hash(one.folder) for one in step.projects}


def saved_hash(folder: Path) -> str:
    card = json.loads((folder / "aging_card.json").read_bytes())
    return str(card["content_hash"])


def full_hashes(folder: Path) -> dict[str, str | None]:
    return {one.own_name: one.card["content_hash"] for one in audit_path(folder)}


def test_a_growing_folder_has_the_card_of_a_full_audit_at_every_step(tmp_path: Path) -> None:
    folder = tmp_path / "projects"
    rng = random.Random(3)
    files = [session_file(folder, 0, 1)]
    watcher = make_watcher(folder, tmp_path / "out")
    for step, kind in enumerate(("new", "grow", "stray", "new", "rewrite", "empty", "end")):
        assert hashes(watcher.step()) == full_hashes(folder), step
        path = rng.choice(files)
        if kind == "new":
            files.append(session_file(folder, rng.randrange(3), 2 + step))
        elif kind == "grow":
            with path.open("a") as out:
                out.write(record(0, step, 30 + step, f"once more {step}"))
        elif kind == "rewrite":
            path.write_text(path.read_text().replace("wrong", f"wroth {step}"))
        elif kind == "stray":
            (path.parent / f"notes-{step}.txt").write_text("not a trace")
        elif kind == "empty":
            (path.parent / f"empty-{step}.jsonl").touch()


def test_a_watcher_that_starts_anew_goes_on_where_the_last_one_ended(tmp_path: Path) -> None:
    folder = tmp_path / "projects"
    session_file(folder, 0, 1)
    session_file(folder, 1, 1)
    make_watcher(folder, tmp_path / "out").step()
    step = make_watcher(folder, tmp_path / "out").step()
    assert step.archived.new == step.archived.grown == 0
    assert not any(project.is_new for project in step.projects)

    session_file(folder, 1, 2)
    step = make_watcher(folder, tmp_path / "out").step()
    assert step.archived.new == 1
    assert hashes(step) == full_hashes(folder)


def test_what_a_client_deletes_stays_in_the_audit(tmp_path: Path) -> None:
    folder = tmp_path / "projects"
    files = [session_file(folder, project, session) for project in (0, 1) for session in (1, 2, 3)]
    watcher = make_watcher(folder, tmp_path / "out")
    before = hashes(watcher.step())
    files[1].unlink()
    for path in files[3:]:  # a whole project
        path.unlink()
    files[3].parent.rmdir()

    step = make_watcher(folder, tmp_path / "out").step()
    assert step.gone == 4
    assert hashes(step) == before
    files[3].parent.mkdir()
    files[1].write_text("".join(record(0, 2, at, "back again") for at in range(3)))
    assert make_watcher(folder, tmp_path / "out").step().gone == 3


def test_another_version_of_the_code_looks_at_everything_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "projects"
    files = [session_file(folder, 0, session) for session in (1, 2)]
    before = hashes(make_watcher(folder, tmp_path / "out").step())
    files[0].unlink()
    monkeypatch.setattr(watched_files, "code_identity", lambda: b"another version")
    step = make_watcher(folder, tmp_path / "out").step()
    assert step.gone == 1
    assert hashes(step) == before
    memory = (tmp_path / "out" / watched_files.MEMORY).read_bytes()
    assert msgspec.msgpack.decode(memory, type=FileMemory).code == b"another version"


def test_everything_in_the_folder_is_for_its_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "projects"
    session_file(folder, 0, 1)
    out = tmp_path / "out"
    watcher = make_watcher(folder, out)
    step = watcher.step()
    pretend(step, aging=True)
    watcher.step()
    watcher.notices.mark_shown()
    for path in (out, *out.rglob("*")):
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode & 0o077 == 0, path


def pretend(step: WatchStep, aging: bool) -> None:
    """Make the saved card of the first project say something else."""
    file = step.projects[0].folder / "aging_card.json"
    card = json.loads(file.read_bytes())
    card["headline"]["aging_detected"] = aging
    card["headline"]["aging_reason"] = "compression"
    card["trace_audit"]["compression"]["fired"] = aging
    card["n_sessions"] = 0
    card["content_hash"] = "sha256:0"
    file.write_text(json.dumps(card))


def test_an_answer_that_changes_gives_one_notice_with_its_causes(tmp_path: Path) -> None:
    folder = tmp_path / "projects"
    session_file(folder, 0, 1)
    watcher = make_watcher(folder, tmp_path / "out")
    step = watcher.step()
    assert step.notices == []
    pretend(step, aging=True)
    (notice,) = watcher.step().notices
    assert notice.change.aging_before is True
    assert notice.change.aging_now is None
    assert notice.causes[0] == "1 new session"
    assert notice.causes[1].startswith("compression: yes, now cannot tell (")
    assert watcher.step().notices == []
    assert watcher.notices.unread() == [notice]
    watcher.notices.mark_shown()
    assert watcher.notices.unread() == []
    assert watcher.notices.all() == [notice]


def test_a_second_project_leaves_the_card_of_the_first_where_it_was(tmp_path: Path) -> None:
    folder = tmp_path / "projects"
    session_file(folder, 0, 1)
    watcher = make_watcher(folder, tmp_path / "out")
    step = watcher.step()
    (alone,) = step.projects
    pretend(step, aging=True)

    session_file(folder, 1, 1)
    step = watcher.step()

    places = {one.audit.own_name: one.folder for one in step.projects}
    assert places[alone.audit.own_name] == alone.folder
    assert len(set(places.values())) == 2
    (notice,) = step.notices
    assert notice.folder == alone.folder.name


def test_a_kill_between_notice_and_card_gives_the_notice_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "projects"
    session_file(folder, 0, 1)
    watcher = make_watcher(folder, tmp_path / "out")
    pretend(watcher.step(), aging=True)

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(watching, "save_card", killed)
        with pytest.raises(KeyboardInterrupt):
            watcher.step()
    assert len(watcher.step().notices) == 1
    assert len(watcher.notices.all()) == 1


@pytest.mark.parametrize("place", ["add_to_archive", "archived_copies", "write_atomic"])
def test_a_kill_at_any_place_and_a_deletion_lose_nothing_that_was_archived(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    folder = tmp_path / "projects"
    session_file(folder, 0, 1)
    make_watcher(folder, tmp_path / "out").step()
    path = session_file(folder, 0, 2)
    expected = full_hashes(folder)
    calls = 0
    original = getattr(watched_files, place)

    def killed(*words: Any, **options: Any) -> Any:
        nonlocal calls
        calls += 1
        if place != "write_atomic" or calls == 2:
            if place == "add_to_archive":
                original(*words, **options)
            raise KeyboardInterrupt
        return original(*words, **options)

    with monkeypatch.context() as patch:
        patch.setattr(watched_files, place, killed)
        with pytest.raises(KeyboardInterrupt):
            make_watcher(folder, tmp_path / "out").step()

    path.unlink()
    step = make_watcher(folder, tmp_path / "out").step()
    assert step.gone == 1
    assert hashes(step) == expected


def test_two_watchers_at_once_lose_nothing_and_say_nothing_twice(tmp_path: Path) -> None:
    folder = tmp_path / "projects"
    session_file(folder, 0, 0)
    session_file(folder, 1, 0)  # a project that is alone goes by another name
    first = make_watcher(folder, tmp_path / "out").step()
    pretend(first, aging=True)
    errors = []

    def work() -> None:
        try:
            for _ in range(4):
                make_watcher(folder, tmp_path / "out").step()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for session in range(1, 6):
        session_file(folder, session % 2, session)
    for thread in threads:
        thread.join()

    assert errors == []
    step = make_watcher(folder, tmp_path / "out").step()
    assert hashes(step) == full_hashes(folder)
    archive = tmp_path / "out" / watched_files.ARCHIVE
    assert len({piece.source for piece in pieces_of(archive)}) == 7
    notices = make_watcher(folder, tmp_path / "out").notices.all()
    assert [notice.change.aging_before for notice in notices] == [True]


def test_an_empty_folder_may_fill_later(tmp_path: Path) -> None:
    folder = tmp_path / "projects"
    folder.mkdir()
    watcher = make_watcher(folder, folder / "watch")  # its own files are left out
    assert watcher.step().projects == []
    session_file(folder, 0, 1)
    step = watcher.step()
    assert [one.audit.n_sessions for one in step.projects] == [1]
    assert watcher.step().archived.files == 1  # changed a moment ago, so looked at again


def test_links_are_not_followed(tmp_path: Path) -> None:
    folder = tmp_path / "projects"
    secret = session_file(tmp_path / "elsewhere", 0, 1)
    folder.mkdir()
    os.symlink(secret, folder / "link.jsonl")
    assert make_watcher(folder, tmp_path / "out").step().archived.files == 0


def test_an_archive_is_not_watched_and_damage_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "projects"
    session_file(folder, 0, 1)
    out = tmp_path / "out"
    make_watcher(folder, out).step()
    with pytest.raises(InputError, match="is an archive"):
        make_watcher(out / watched_files.ARCHIVE, tmp_path / "other")

    (out / watched_files.MEMORY).write_bytes(b"\xc1")
    with pytest.raises(InputError, match="damaged"):
        make_watcher(folder, out).step()
