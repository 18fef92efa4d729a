"""Folders of lives: several merged into one, and a life on disk lived again to see what differs."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agingbench.bench.life.folder import RunDirectory
from agingbench.bench.life.life import Life
from agingbench.bench.life.limits import Resources
from agingbench.bench.studies.compare import answer_differences, differences
from agingbench.bench.studies.follow_up import ask_alike
from agingbench.errors import InputError
from agingbench.traces.files import read_json


def merge(sources: Sequence[Path], out: Path) -> dict[str, int]:
    """Put the lives of several folders into one; the same life twice is kept once, two that differ
    are refused.
    """
    found: dict[Path, Path] = {}
    same = 0
    for source in sources:
        if not source.is_dir():
            raise InputError(f"{source}: there is no such folder")
        lives = sorted(plan.parent for plan in source.rglob("plan.json"))
        if not lives:
            raise InputError(f"{source}: no run directory here (nothing holds a plan.json)")
        for life in lives:
            place = out / life.relative_to(source)
            other = found.get(place) or (place if place.exists() else None)
            if other is None:
                found[place] = life
            elif _equal(life, other):
                same += 1
            else:
                raise InputError(
                    f"{life} and {other} are the same life with different content; nothing was"
                    " merged"
                )
    for place, life in found.items():
        aside = place.with_name(f".{place.name}.merging")
        shutil.rmtree(aside, ignore_errors=True)
        shutil.copytree(life, aside, ignore=shutil.ignore_patterns(".lock", ".*.tmp"))
        aside.rename(place)
    return {"merged": len(found), "kept": same}


def _equal(one: Path, other: Path) -> bool:
    """Whether two folders hold the same evidence; times and latencies may differ."""
    a = RunDirectory(one)
    b = RunDirectory(other)
    if one.resolve() == other.resolve():
        return True
    if a.plan().hash != b.plan().hash or a.sut() != b.sut() or a.ended() != b.ended():
        return False
    return not answer_differences(a, b) and _texts(a) == _texts(b)


def _texts(run: RunDirectory) -> list[str]:
    return [
        run.snapshot(t).text
        for t in range(run.plan().n_sessions + 1)
        if (run.memory / f"{t}.json").exists()
    ]


def reproduce(path: Path, out: Path, resources: Resources) -> dict[str, Any]:
    """Live a life again below `out` from its plan and its system, and say what differs.

    Its control is lived again too, and what was asked after its end is asked again.
    """
    life = Life.open(path)
    if not life.folder.ended():
        raise InputError(
            f"{path}: this life has not ended, so there is nothing to repeat; run it to its end"
            " first"
        )
    again = life.again(out)
    again.live(resources)
    if life.folder.control_file.exists():
        link = read_json(life.folder.control_file)
        control = Life.open(path / link["control"]).again(out)
        control.live(resources)
        again.control = control.folder
    ask_alike(life, again, resources)

    before = life.score()
    now = again.score()
    changed = differences(before, now)
    revision = {
        when: {key: card["provenance"].get(key) for key in ("agingbench_version", "git_sha")}
        for when, card in (("recorded", before), ("now", now))
    }
    return {
        "run_dir": str(path),
        "same": not changed,
        "content_hash": [before["content_hash"], now["content_hash"]],
        "same_revision": revision["recorded"] == revision["now"],
        "revision": revision,
        "figures": changed,
        "answers": answer_differences(life.folder, again.folder),
    }
