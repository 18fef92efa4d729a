"""Where lives lie on disk: OUT/scenario/system/condition/seed_N."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from agingbench.bench.life.folder import RunDirectory
from agingbench.bench.life.system import Sut, slug
from agingbench.bench.plan.plan import LifecycleEvent, Plan
from agingbench.bench.plan.pressure import Pressure
from agingbench.traces.canonical import canonical_json


def condition(plan: Plan) -> str:
    """A readable name for pressure, length and events, with a short hash of all of them."""
    return condition_name(
        plan.scenario_version,
        plan.preset,
        plan.pressure,
        plan.n_sessions,
        plan.events,
        plan.asked,
    )


def condition_name(
    scenario_version: str,
    preset: str,
    pressure: Pressure,
    sessions: int,
    events: Sequence[LifecycleEvent],
    asked: str = "",
) -> str:
    """The condition of a plan that need not be made yet; `asked` selects its probes."""
    parts: list[object] = [scenario_version, pressure.as_dials(), sessions]
    parts.append([str(event) for event in events])
    if asked:
        parts.append(asked)
    digest = hashlib.sha256(canonical_json(parts)).hexdigest()[:6]
    first_events = "".join(f"-{event.name}{event.at}" for event in events[:3])
    return slug(f"{preset}-{sessions}s{first_events}-{digest}")


def life_name(plan: Plan, sut_id: str) -> str:
    """The readable part of a life's trial id: the same for every repetition of the life."""
    return f"{plan.scenario}.{sut_id.replace('+', '_')}.{condition(plan)}.seed_{plan.seed}"


def directory_of(
    out: Path,
    plan: Plan,
    sut: Sut,
) -> RunDirectory:
    """The folder of a life below `out`."""
    return folder_at(
        out,
        plan.scenario,
        sut,
        condition(plan),
        plan.seed,
    )


def folder_at(
    out: Path,
    scenario: str,
    sut: Sut,
    condition: str,
    seed: int,
) -> RunDirectory:
    """The folder below `out` of a life whose plan need not be made yet."""
    return RunDirectory(out / slug(scenario) / sut.id / condition / f"seed_{seed}")


def out_of(path: Path, plan: Plan) -> Path:
    """The `out` that a life lies below; the folder around it, where it was moved elsewhere."""
    above = path.resolve().parents
    in_place = len(above) > 3 and above[2].name == slug(plan.scenario)
    return above[3] if in_place else above[0]
