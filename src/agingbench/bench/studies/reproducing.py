"""Folders of lives: several merged into one, and a life on disk lived again to see what differs."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from agingbench.bench.life.cells import live_cell, score_life
from agingbench.bench.life.folder import RunDirectory
from agingbench.bench.life.life import pretty
from agingbench.bench.life.limits import Resources
from agingbench.bench.life.system import Sut
from agingbench.bench.plan.plan import Plan
from agingbench.bench.scoring.paired import CONTROL, SUITE, link_control
from agingbench.bench.studies.compare import answer_differences, differences
from agingbench.bench.studies.grid import Cell
from agingbench.errors import InputError
from agingbench.memory.build import alias_options
from agingbench.traces.files import read_json, write_atomic

SECRET = "<secret>"  # noqa: S105 - what sut.json holds in place of one


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


def sut_from_record(raw: Mapping[str, Any]) -> Sut:
    """The system that sut.json describes; secrets were never written and come from the environment
    again.
    """
    parts: dict[str, Any] = {
        key: dict(raw[key]) for key in ("model_options", "memory_options", "agent_options")
    }
    for options in parts.values():
        for name in [name for name, value in options.items() if value == SECRET]:
            del options[name]
    for name, value in alias_options(raw["memory"], {}).items():
        if parts["memory_options"].get(name) == value:
            del parts["memory_options"][name]
    sut = Sut(
        model=raw["model"],
        memory=raw["memory"],
        agent=raw["agent"],
        controller=raw.get("controller"),
        **parts,
    )
    if sut.id == raw["sut_id"]:
        return sut
    return Sut.model_validate(
        {**sut.model_dump(), "sut_id": raw["sut_id"]}
    )  # a folder is named by it


def system_of(run: RunDirectory) -> tuple[str, Sut]:
    """The name of the scenario of a life on disk, and the system that lived it."""
    raw = run.sut()
    try:
        return raw["scenario"], sut_from_record(raw)
    except (KeyError, ValidationError) as error:
        told = f"{type(error).__name__}: {error}".splitlines()[0]
        raise InputError(f"{run.sut_file}: not the record of a system ({told})") from error


def recorded(run: RunDirectory) -> tuple[Plan, Cell]:
    """The plan of a life on disk, and the cell that lives it again."""
    plan, (scenario, sut) = run.plan(), system_of(run)
    suite = run.path / SUITE
    return plan, Cell(
        scenario,
        sut,
        plan.n_sessions,
        plan.preset,
        (),
        tuple(map(str, plan.events)),
        plan.seed,
        control=False,
        suite=read_json(suite)["suite_id"] if suite.exists() else None,
    )


def reproduce(
    path: Path,
    out: Path,
    resources: Resources,
    after: Callable[[Path, Path, Resources], None] | None = None,
) -> dict[str, Any]:
    """Live a life again below `out` from its plan and its system, its control too, and say what
    differs.

    `after` gets both folders before they are scored, to ask of the new life what was asked of the
    old one.
    """
    run = RunDirectory(path)
    plan, cell = recorded(run)
    if not run.ended():
        raise InputError(
            f"{path}: this life has not ended, so there is nothing to repeat; run it to its end"
            " first"
        )
    again, _ = live_cell(cell, out, resources, plan=plan)
    if (path / CONTROL).exists():
        other = RunDirectory(path / read_json(path / CONTROL)["control"])
        control_plan, control = recorded(other)
        place, _ = live_cell(control, out, resources, plan=control_plan)
        write_atomic(
            again / CONTROL, pretty(link_control(RunDirectory(again), RunDirectory(place)))
        )
    if after is not None:
        after(path, again, resources)
    before = score_life(path)
    now = score_life(again)
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
        "answers": answer_differences(run, RunDirectory(again)),
    }
