"""s8: tickets of a chain, rules that fixes are made by, events that are told, lives on files."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agingbench.agents.autonomous.command import CommandAgent
from agingbench.agents.workspace_agent import WorkspaceAgent
from agingbench.bench.life.loop import live_plan
from agingbench.bench.life.planning import load_scenario, plan_for
from agingbench.bench.life.system import Sut
from agingbench.bench.life.transitions import InMemory
from agingbench.bench.plan.plan import LifecycleEvent, Plan, load_plan, parse_events
from agingbench.bench.plan.pressure import PRESETS
from agingbench.bench.repository.chain import ChainFile, load_chain
from agingbench.bench.repository.rules import REPOSITORY
from agingbench.bench.scoring.ticket_checks import ticket_checks
from agingbench.errors import InputError
from agingbench.interfaces import Emit, Model
from agingbench.memory.build import build_memory
from agingbench.memory.workspace import Workspace
from agingbench.models.extractive import Extractive
from agingbench.models.scripted import Scripted
from agingbench.records import Answer, Tool
from agingbench.sandbox.confinement import available
from agingbench.validity.bounds import bounds_of_seed
from tests.agents.autonomous.test_command import STAND_IN
from tests.bench.lives import run_life
from tests.bench.plan.plan_truth import filler_of
from tests.bench.repository.patching import PatchingModel, patch_commands
from tests.bench.repository.standin import SOURCE, source_of
from tests.bench.scenarios.scenario_checks import (
    check_gold,
    check_questions,
    check_sentences,
)
from tests.examples import examples

SCENARIO = load_scenario("s8")
PRESET = st.sampled_from(list(PRESETS))
SEED = st.integers(0, 10**6)
confined = pytest.mark.skipif(not available()[0], reason=available()[1] or "can be confined")


@cache
def plan_of(preset: str = "medium", sessions: int = 8, seed: int = 0) -> Plan:
    """A life with short sessions; equal arguments give the same object, so nothing may change it."""
    return plan_for("s8", preset, {"tokens_per_session": 500}, sessions, seed)


def told(plan: Plan, kind: str) -> list[tuple[int, str]]:
    """The values of a rule, each with the session that told it."""
    (fact,) = [fact for fact in plan.graph.facts if fact.domain == kind]
    return [(version.session, version.value.text) for version in fact.versions]


def tickets(plan: Plan) -> list[int]:
    return [plan.tickets_at(point)[0].ticket for point in range(1, plan.n_sessions + 1)]


# -- plans


def test_the_chain_has_eight_issues_and_more_of_one_module_family() -> None:
    chain = load_chain("django_orm_query").chain
    assert [len(branch.tickets) for branch in chain.branches] == [15, 6]
    assert all(chain.is_family(path) for ticket in chain.tickets() for path in ticket.hunks)


def test_the_canonical_plan_is_frozen() -> None:
    frozen = "cf0a7c07b83fae7f9ffa3d92a2098fbd6e61e13a2d30e8bdde38ea52292c57ea"
    assert plan_for("s8").hash == frozen, "a changed plan needs another version of the scenario"


def test_seed_0_takes_the_tickets_in_their_order_and_others_draw_them() -> None:
    chain = load_chain("django_orm_query").chain
    first = [ticket.number for ticket in chain.branches[0].tickets]
    second = [ticket.number for ticket in chain.branches[1].tickets]
    assert tickets(plan_of()) == [*first[:5], *second[:3]]
    other = tickets(plan_of(seed=7))
    assert other != tickets(plan_of())
    assert set(other[:5]) <= set(first)
    assert set(other[5:]) <= set(second)


@settings(max_examples=examples(4), deadline=None)
@given(PRESET, SEED)
def test_the_plan_is_sound_at_every_preset(preset: str, seed: int) -> None:
    plan = plan_of(preset, 6, seed)
    check_sentences(plan)
    check_questions(plan)
    check_gold(plan)
    assert len(set(tickets(plan))) == 6


def test_every_wording_of_a_rule_states_it() -> None:
    for seed in range(12):
        check_sentences(plan_of("heavy", 6, seed))


def test_nothing_but_facts_states_a_rule() -> None:
    for seed in range(4):
        plan = plan_of("heavy", 6, seed)
        filler = "\n".join(filler_of(plan))
        for kind in ("marker", "slips", "reviewer", "milestone", "branch"):
            assert not any(value in filler for _, value in told(plan, kind))


@settings(max_examples=examples(6), deadline=None)
@given(SEED)
def test_a_life_begins_every_longer_life(seed: int) -> None:
    dials = {"tokens_per_session": 500}
    short = plan_for("s8", "medium", dials, 3, seed, [])
    long = plan_for("s8", "medium", dials, 5, seed, [])
    assert long.sessions[:3] == short.sessions
    assert [check for check in long.tickets if check.t <= 3] == short.tickets


def test_a_plan_goes_through_its_file(tmp_path: Path) -> None:
    plan = plan_of()
    (tmp_path / "plan.json").write_bytes(plan.encode())
    assert load_plan(tmp_path / "plan.json").hash == plan.hash


def test_checks_follow_the_rules_that_hold_then() -> None:
    plan = plan_of("heavy")
    for point in range(1, 9):
        checks = {check.id.partition(".")[2]: check for check in plan.tickets_at(point)}
        for kind in ("reviewer", "milestone", "branch", "pin", "python"):
            value = [value for session, value in told(plan, kind) if session < point][-1]
            assert checks[kind].text == f"{kind.capitalize()}: {value}"
        tag = [value for session, value in told(plan, "marker") if session < point][-1]
        assert checks["marked"].text == f"{tag} {checks['marked'].ticket}"


def test_rules_are_never_withdrawn_and_change() -> None:
    revised = 0
    for seed in range(6):
        plan = plan_of("heavy", 8, seed)
        for kind in ("marker", "slips", "reviewer", "milestone"):
            (fact,) = [fact for fact in plan.graph.facts if fact.domain == kind]
            assert fact.retracted_at is None
            revised += len(fact.versions) - 1
    assert revised > 0


def test_a_request_states_no_rule() -> None:
    plan = plan_of()
    for session in plan.sessions[1:]:
        request = session.tasks[0].text.partition("Ticket ")[2]
        checks = plan.tickets_at(session.index + 1)
        assert not any(check.text in request for check in checks if check.aspect != "resolved")


# -- events


def events(*specs: str) -> list[LifecycleEvent]:
    return parse_events(specs, 8)


def test_a_bump_is_told_in_the_session_before_its_point() -> None:
    plan = plan_for("s8", events=events("dependency_bump@3", "python_bump@5"), sessions=8)
    assert told(plan, "pin") == [(0, "0.4.4"), (2, "0.5.3")]
    assert told(plan, "python") == [(0, "3.11"), (4, "3.12")]
    settings = [plan.tickets_at(point)[0] for point in range(1, 9)]
    assert [check.wheels for check in settings] == [0, 0, 1, 1, 1, 1, 1, 1]
    assert [check.python for check in settings] == ["3.11"] * 4 + ["3.12"] * 4
    assert "0.5.3" in plan.sessions[2].tasks[0].text
    assert "3.12" in plan.sessions[4].tasks[0].text


def test_a_switch_brings_the_tickets_of_the_other_branch() -> None:
    plan = plan_for("s8", events=events("branch_switch@4"), sessions=8)
    assert told(plan, "branch") == [(0, "stable/4.2.x"), (3, "stable/5.0.x")]
    after = load_chain("django_orm_query").chain.branches[1].tickets
    assert tickets(plan)[3:] == [ticket.number for ticket in after[:5]]


@pytest.mark.parametrize(
    ("specs", "words"),
    [
        (["dependency_bump@1"], "session 0"),
        (["python_bump@3", "python_bump@5"], "once"),
        (["schema_migration@3"], "nothing to migrate"),
        (["branch_switch@2"], "has 6 tickets"),
    ],
)
def test_an_event_that_cannot_be_told_is_refused(specs: Sequence[str], words: str) -> None:
    with pytest.raises(InputError, match=words):
        plan_for("s8", events=events(*specs), sessions=8)


def test_other_scenarios_have_none_of_these_events() -> None:
    with pytest.raises(InputError, match="s2_lifestyle_assistant has no such event"):
        plan_for("s2", events=events("branch_switch@4"), sessions=8)


def test_more_sessions_than_tickets_are_refused() -> None:
    with pytest.raises(InputError, match=r"stable/4\.2\.x, which has 15 tickets"):
        plan_for("s8", sessions=16, events=[])


# -- lives on the stand-in repository

Work = Callable[[Workspace, Plan, int], None]


class Worker(WorkspaceAgent):
    """Writes what it is made to write in each session, and answers nothing."""

    def __init__(self, plan: Plan, work: Work) -> None:
        super().__init__(Scripted(["Answer: unknown"] * 4000), Workspace())
        self.plan = plan
        self.work = work
        self.session = 0

    def act(self, text: str, tools: Sequence[Tool], emit: Emit) -> str:
        assert isinstance(self.memory, Workspace)
        if "Ticket " in text:
            self.work(self.memory, self.plan, self.session)
        return "done"

    def end_session(self) -> None:
        self.session += 1

    def ask(self, question: str, context: str | None = None) -> Answer:
        return Answer("Answer: unknown")


def gold_work(memory: Workspace, plan: Plan, session: int) -> None:
    """Write the fix, marked, and the change note."""
    memory.files |= SCENARIO.solution(plan, session + 1)


def no_work(memory: Workspace, plan: Plan, session: int) -> None:
    """Do nothing."""


def small_plan(*specs: str) -> Plan:
    dials = {"tokens_per_session": 500}
    return plan_for("s8", "light", dials, 3, 0, parse_events(specs, 3))


def lived(plan: Plan, work: Work) -> InMemory:
    record = InMemory()
    live_plan(plan, SCENARIO, Worker(plan, work), record)
    return record


def states(plan: Plan, record: InMemory) -> list[tuple[int, Mapping[str, Any]]]:
    return [(t, record.states[str(t)]) for t in range(1, plan.n_sessions + 1)]


@confined
def test_gold_work_passes_every_check_and_no_work_none(standin: ChainFile) -> None:
    plan = small_plan("dependency_bump@2", "branch_switch@3")
    good = ticket_checks(plan, states(plan, lived(plan, gold_work)))
    assert [check.status for check in good] == ["passed"] * 24
    idle = ticket_checks(plan, states(plan, lived(plan, no_work)))
    assert [check.status for check in idle] == ["failed"] * 24


def only_tickets(plan: Plan) -> Plan:
    """The plan with nothing but the tickets asked for, for agents that take time."""
    sessions = [
        msgspec.structs.replace(session, tasks=session.tasks[:1]) for session in plan.sessions
    ]
    return msgspec.structs.replace(plan, sessions=sessions, probes=[])


@confined
@pytest.mark.parametrize("is_patched", [True, False])
def test_a_puppet_with_the_patches_passes_every_check(standin: ChainFile, is_patched: bool) -> None:
    dials = {"tokens_per_session": 500}
    plan = only_tickets(plan_for("s8", "light", dials, 2, 0, parse_events([], 2)))
    model: Model = Extractive("never_writes")
    if is_patched:
        model = PatchingModel(Extractive(), patch_commands(plan, SCENARIO))
    command = f"{sys.executable} -I -S {STAND_IN}"
    record = InMemory()
    live_plan(plan, SCENARIO, CommandAgent(model, Workspace(), command), record)
    checks = ticket_checks(plan, states(plan, record))
    wanted = "passed" if is_patched else "failed"
    assert [check.status for check in checks] == [wanted] * 16


def test_each_session_begins_with_the_tree_before_its_fix(standin: ChainFile) -> None:
    plan = small_plan("branch_switch@3")
    seen: list[str] = []

    def look(memory: Workspace, plan: Plan, session: int) -> None:
        seen.append(memory.files[f"{REPOSITORY}/{SOURCE}"])
        memory.files[f"{REPOSITORY}/left.txt"] = "left behind"
        memory.files[f"notes/{session}.md"] = "kept"

    record = lived(plan, look)
    assert seen == [source_of("1.0"), source_of("1.0"), source_of("2.0")]
    files = record.states["3"]["memory"]["files"]
    assert {"notes/0.md", "notes/1.md", "notes/2.md"} <= set(files)
    memory = Workspace()
    memory.load(record.states["3"]["memory"])
    assert "number that comes back" not in "".join(unit.text for unit in memory.units() or [])
    assert not any(unit.id.startswith(REPOSITORY) for unit in memory.units() or [])


def test_a_flush_takes_the_notes_and_the_next_session_has_the_tree(standin: ChainFile) -> None:
    plan = small_plan("workspace_flush@2")
    seen: list[set[str]] = []

    def look(memory: Workspace, plan: Plan, session: int) -> None:
        seen.append(set(memory.files))
        memory.files[f"notes/{session}.md"] = "kept"

    lived(plan, look)
    assert all(f"{REPOSITORY}/{SOURCE}" in names for names in seen)
    assert "notes/0.md" in seen[1]
    assert not any(name.startswith("notes/") for name in seen[2])


def test_a_memory_without_files_is_refused(standin: ChainFile, tmp_path: Path) -> None:
    agent = WorkspaceAgent(Scripted(["ok"]), Workspace())
    agent.memory = build_memory("append_only", Scripted(["ok"]))
    with pytest.raises(InputError, match="choose the memory workspace"):
        live_plan(small_plan(), SCENARIO, agent, InMemory())


@confined
def test_the_bounding_agents_reach_their_bounds(standin: ChainFile) -> None:
    figures = bounds_of_seed("s8", "light", 3, 0, execute=True)
    rates = {row.agent: row.value for row in figures if row.metric == "code_pass_rate"}
    assert rates["oracle"] == 1.0
    assert {value for agent, value in rates.items() if agent != "oracle"} == {0.0}


@confined
def test_a_life_through_files_has_a_card_with_its_pass_rate(
    standin: ChainFile, tmp_path: Path
) -> None:
    sut = Sut(memory="workspace", agent="workspace")
    plan = small_plan("dependency_bump@2")
    _, card = run_life(plan, sut, tmp_path, scenario=SCENARIO)
    assert card["track"] == "agent"
    compression = card["mechanism_metrics"]["compression"]
    assert compression["code_pass_rate_n"] == 24
    assert [row[0] for row in compression["program_trajectory"]] == [1, 2, 3]
    deltas = dict(card["mechanism_metrics"]["maintenance"]["program_deltas"])
    assert list(deltas) == ["dependency_bump@2"]
