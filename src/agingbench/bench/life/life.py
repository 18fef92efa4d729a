"""Live a life into its directory and score a directory into its card: the path from seed to card,
in two functions.
"""

from __future__ import annotations

import hashlib
import platform
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import msgspec

from agingbench import __version__
from agingbench.bench.diagnosis.floor_and_ceiling import bounds_of
from agingbench.bench.diagnosis.hints import diagnosis_json
from agingbench.bench.diagnosis.ladder import diagnosis_of, missing_rows
from agingbench.bench.life.control import MONITOR, Steering
from agingbench.bench.life.folder import RunDirectory
from agingbench.bench.life.lifecycle import check_events
from agingbench.bench.life.loop import live
from agingbench.bench.life.system import Built, Sut, build, slug
from agingbench.bench.life.transitions import MODEL_SWAP, Keeper, Transition
from agingbench.bench.plan.plan import LifecycleEvent, Plan, Scenario, make_plan
from agingbench.bench.plan.pressure import Pressure, pressure
from agingbench.bench.scenarios import SCENARIOS
from agingbench.bench.scoring.card import Findings, make_card, seal
from agingbench.bench.scoring.code_checks import Remembering, code_checks
from agingbench.bench.scoring.documents import dependency_json, metrics_json
from agingbench.bench.scoring.paired import in_context
from agingbench.bench.scoring.score import LifeRecord, owns_workspace, score
from agingbench.bench.scoring.trial import make_trial
from agingbench.cards.check import save_card
from agingbench.errors import InputError
from agingbench.memory.typed_state import TypedState
from agingbench.models.build import build_model
from agingbench.records import Event
from agingbench.registry import path_of
from agingbench.traces.canonical import canonical_json
from agingbench.traces.files import write_atomic
from agingbench.trials.completeness import earned_completeness
from agingbench.trials.record import TrialRecord, record_hash, write_trial
from agingbench.trials.run_folder import AnswerRow, read_answers

TOOLS = ("numpy", "scipy", "msgspec", "pydantic")


def load_scenario(name: str) -> Scenario:
    """A scenario by name, alias, module:Class or file.py:Class."""
    return SCENARIOS.build(name, Scenario)


def spec_of(scenario: Scenario) -> str:
    """The name that loads a scenario again: its id, or where its class lies for one that is not
    ours.
    """
    known = scenario.id in SCENARIOS.table or scenario.id in SCENARIOS.names()
    return scenario.id if known else path_of(type(scenario))


def plan_for(
    scenario: Scenario | str = "s2",
    preset: str = "medium",
    dials: Mapping[str, Any] | None = None,
    sessions: int | None = None,
    seed: int = 0,
    events: Sequence[LifecycleEvent] = (),
) -> Plan:
    """The plan of a life by names: what `agingbench plan` prints."""
    if isinstance(scenario, str):
        scenario = load_scenario(scenario)
    turned: Pressure = pressure(preset, dials, scenario.own_dials)
    return make_plan(scenario, turned, sessions or scenario.default_sessions, seed, events, preset)


def condition(plan: Plan) -> str:
    """A readable name for pressure, length and events, with a short hash of all of them."""
    what = [
        plan.scenario_version,
        plan.pressure.as_dials(),
        plan.n_sessions,
        [str(e) for e in plan.events],
    ]
    digest = hashlib.sha256(canonical_json(what)).hexdigest()[:6]
    events = "".join(f"-{e.name}{e.at}" for e in plan.events[:3])
    return slug(f"{plan.preset}-{plan.n_sessions}s{events}-{digest}")


def directory_of(out: Path, plan: Plan, sut: Sut) -> RunDirectory:
    """Where a life lives below `out`."""
    return RunDirectory(out / slug(plan.scenario) / sut.id / condition(plan) / f"seed_{plan.seed}")


def out_of(path: Path, plan: Plan) -> Path:
    """The `out` that a life lies below; of one that was put somewhere else, the folder around it."""
    above = path.resolve().parents
    return above[3] if len(above) > 3 and above[2].name == slug(plan.scenario) else above[0]


def run_life(
    plan: Plan,
    sut: Sut,
    out: Path,
    *,
    scenario: Scenario | None = None,
    cache: Path | None = None,
    workers: int = 1,
    progress: Callable[[int], None] | None = None,
) -> tuple[Path, dict[str, Any]]:
    """Live one life (or what is left of it) and score it; returns its directory and its card."""
    scenario = scenario or load_scenario(plan.scenario)
    built = build(sut, scenario.role, cache)
    check_events(plan.events, built.agent)
    for event in plan.events:
        if event.name == MODEL_SWAP:
            build_model(event.args["model"])  # a wrong name is told before the life starts
    with directory_of(out, plan, sut) as run:
        live_in(
            run, plan, scenario, sut, built, swap=built.swap, workers=workers, progress=progress
        )
        return run.path, score_run(run.path, scenario)


def live_in(
    run: RunDirectory,
    plan: Plan,
    scenario: Scenario,
    sut: Sut,
    built: Built,
    *,
    swap: Callable[[str], None],
    keeper: Keeper | None = None,
    workers: int = 1,
    ahead: int = 0,
    enter: Callable[[int], None] | None = None,
    progress: Callable[[int], None] | None = None,
    begun: Transition | None = None,
) -> None:
    """Live a plan in an open folder, or what is left of it; `keeper` may stand between the life and
    the folder.

    The rest is as `live` takes it.
    """
    run.prepare(plan, {**sut.described(), "scenario": spec_of(scenario)})
    control = Steering(built.controller, plan, run.events) if built.controller is not None else None
    live(
        plan,
        scenario,
        built.agent,
        keeper or run,
        meter=built.meter,
        workers=workers,
        ahead=ahead,
        enter=enter,
        progress=progress,
        about=environment(built),
        swap=swap,
        control=control,
        begun=begun,
    )


def score_run(path: Path, scenario: Scenario | None = None) -> dict[str, Any]:
    """Everything after the trace, made again from the files; equal files give equal bytes."""
    run = RunDirectory(path)
    plan = run.plan()
    if not run.ended():
        raise InputError(
            f"{path}: this life has not ended; run it again to continue, then score it"
        )
    sut = run.sut()
    events = run.events()
    answers = run.answer_rows()
    check_answers(run, plan, answers)
    scenario = scenario or load_scenario(sut["scenario"])
    code = code_checks(plan, events, Remembering(run.code_checks))
    scores = score(LifeRecord(plan, events, answers, run.texts(plan.n_sessions), code))
    write_atomic(run.metrics, pretty(metrics_json(scores, plan)))
    write_atomic(run.dependency_metrics, pretty(dependency_json(scores, plan)))
    trial = make_trial(plan, scenario, sut, scores, events, answers, condition(plan))
    earned, _ = earned_completeness(trial, path)
    trial = TrialRecord.model_validate({**trial.model_dump(), "completeness": earned})
    write_trial(trial, run.trial)
    findings = _findings(run, plan, events, answers)
    card = in_context(path, make_card(plan, scenario, sut, scores, events, answers, findings))
    document = seal(card, trial, record_hash(trial))
    save_card(document, run.card)
    return document


def _findings(
    run: RunDirectory, plan: Plan, events: Sequence[Event], answers: Sequence[AnswerRow]
) -> Findings:
    """What was asked of the life after its end, so far as it was: its diagnosis and its bounds."""
    diagnosis = bounds = None
    missing = 0
    if run.diagnosis_answers.exists():
        asked = read_answers(run.diagnosis_answers)
        missing = len(missing_rows(plan, asked))
        if not missing:
            diagnosis = diagnosis_of(plan, answers, asked, end_to_end=owns_workspace(events))
            write_atomic(run.diagnosis, pretty(diagnosis_json(diagnosis, plan)))
    if run.calibration_answers.exists():
        bounds = bounds_of(plan, read_answers(run.calibration_answers))
    return Findings(diagnosis, bounds, missing)


def check_answers(run: RunDirectory, plan: Plan, answers: Sequence[AnswerRow]) -> None:
    """A life that ended has one answer per probe; anything else was done to the file afterwards."""
    given = Counter(row.probe for row in answers if row.condition == "as_lived")
    wrong = [f"{probe} is not in the plan" for probe in given if probe not in plan.probe_by_id]
    wrong += [f"{p.id} {given[p.id]} times" for p in plan.probes if given[p.id] != 1]
    if wrong:
        raise InputError(
            f"{run.answers}: every probe must be answered once, but {', '.join(wrong[:3])}"
        )


def environment(built: Built) -> dict[str, Any]:
    """What a life's first trace entry says about where and with what it was lived."""
    memory = built.agent.memory
    return {
        "agingbench_version": __version__,
        "git_sha": _git_sha(),
        "python": platform.python_version(),
        "compute_environment": (
            f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
        ),
        "tool_versions": dict(_tool_versions()),
        "memory_policy_type": _policy_name(memory),
        "prompt_hashes": dict(memory.prompt_hashes) if memory is not None else {},
        **({MONITOR: built.controller.monitor} if built.controller is not None else {}),
    }


@cache
def _tool_versions() -> dict[str, str]:
    return {tool: metadata.version(tool) for tool in TOOLS}


def pretty(obj: Any) -> bytes:
    """JSON for people: indented, keys sorted, ends with a newline."""
    return msgspec.json.format(canonical_json(obj), indent=1) + b"\n"


def _policy_name(memory: object) -> str:
    if isinstance(memory, TypedState) and not memory.enabled:
        memory = memory.inner  # it only listens until a controller says otherwise
    name = type(memory).__name__
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name).lstrip("_")


def _git_sha() -> str | None:
    # The revision of the checkout this package runs from; an installed package has none.
    for folder in Path(__file__).resolve().parents:
        head = folder / ".git" / "HEAD"
        if head.is_file() and (folder / "src" / "agingbench").is_dir():
            text = head.read_text().strip()
            if not text.startswith("ref: "):
                return text
            ref = folder / ".git" / text[5:]
            return ref.read_text().strip() if ref.is_file() else None
    return None
