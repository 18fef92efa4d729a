"""A code base over many sprints: what s4's lives tell, ask and have coded, and how the code is
checked.
"""

from __future__ import annotations

import ast
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from agingbench.bench.life.folder import RunDirectory
from agingbench.bench.life.loop import live_plan
from agingbench.bench.life.planning import load_scenario, plan_for
from agingbench.bench.life.system import Sut
from agingbench.bench.life.transitions import InMemory
from agingbench.bench.plan.code_test import CodeCase, CodeTest, same_value
from agingbench.bench.plan.plan import Plan, Task
from agingbench.bench.plan.pressure import PRESETS
from agingbench.bench.scoring.code_checks import (
    CodeCheck,
    Remembering,
    Runner,
    code_checks,
    code_in,
)
from agingbench.bench.scoring.code_runs import Outcome, run_test
from agingbench.bench.scoring.score import LifeRecord, life_figures, score
from agingbench.errors import InputError
from agingbench.records import Event
from agingbench.sandbox.confinement import available
from agingbench.text import matching
from agingbench.validity.bounds import bound_agent, bounds
from tests.bench.lives import score_run
from tests.bench.plan.plan_truth import told
from tests.bench.scenarios import scenario_checks as checks

SCENARIO = load_scenario("s4")
confined = pytest.mark.skipif(not available()[0], reason=available()[1] or "code can be confined")


class TestPlans(checks.PlanTests):
    """Its plans, held to what every scenario is held to."""

    scenario = "s4"
    version = "2.0.0"
    beside = ("revision",)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("sessions", [1, 2, 3, 8, 30])
def test_every_point_asks_for_dependencies(preset: str, sessions: int) -> None:
    plan = plan_for("s4", preset, {"tokens_per_session": 500}, sessions, 5)
    for t in range(sessions + 1):
        assert any(p.type in checks.DEPENDENT for p in plan.probes_at(t)), t
        assert len(plan.probes_at(t)) <= 40
    assert [p.question for p in plan.probes_at(0)] == [p.question for p in plan.probes_at(1)]
    assert len(plan.graph.accounts) == 1


@pytest.mark.parametrize("scenario", ["s2", "s4", "s6"])
def test_no_point_asks_for_the_same_facts_in_the_same_way_twice(scenario: str) -> None:
    for seed in range(20):
        plan = plan_for(scenario, "heavy", {"tokens_per_session": 500}, 6, seed)
        for t in range(7):
            asked = [
                (p.type, frozenset(p.facts))
                for p in plan.probes_at(t)
                if p.type in checks.DEPENDENT
            ]
            assert len(set(asked)) == len(asked), (seed, t)


def test_every_dial_is_live() -> None:
    def life(**dials: float) -> Plan:
        return plan_for("s4", "medium", {"tokens_per_session": 500, **dials}, 40, 0)

    for rate in (0, 0.3, 1):
        plan = life(update_rate=rate)
        some = [f for f in plan.graph.facts if f.family in ("decision", "note") and f.born < 34]
        assert sum(len(f.versions) > 1 for f in some) == pytest.approx(
            rate * len(some), abs=2 + 0.2 * rate * len(some)
        )
        plan = life(forget_rate=rate, update_rate=0)
        some = [f for f in plan.graph.facts if f.family in ("note", "list") and f.born < 34]
        gone = [f for f in some if f.retracted_at is not None]
        assert rate == 1 or len(gone) == pytest.approx(
            rate * len(some), abs=3 + 0.2 * rate * len(some)
        )
        assert {f.group for f in some if f.retracted_at is None} >= {
            f.group for f in some if f.group is not None
        }
        assert not any(f.retracted_at for f in plan.graph.facts if f.family == "decision")
    chains = [
        sum(f.points_to is not None for f in life(dependency_density=d).graph.facts)
        for d in (0, 0.3, 0.6, 1)
    ]
    assert chains == sorted(set(chains)), "more links the denser"
    checks.check_structure(life)


def test_bounds_hold() -> None:
    found = bounds(["s4"], range(1), 8, ["medium", "heavy"])
    assert found.broken == []
    rows = {(r.agent, r.metric, r.pressure): r for r in found.rows}
    assert rows["reader", "dep_recall", "medium"].mean > 0.5, "the reader can read"
    assert ("blank", "code_pass_rate", "medium") not in rows, "no code is not bad code"
    if available()[0]:
        assert rows["oracle", "code_pass_rate", "medium"].min == 1.0


def test_memory_ages() -> None:
    plan = plan_for("s4", "medium", None, 10, 0)
    final = {}
    for memory in ("lossy_compress", "no_memory"):
        scores = score(checks.lived(SCENARIO, plan, memory))
        final[memory] = scores.curve[-1].m
        assert scores.curve[0].m > 0.3
        assert scores.curve[-1].m < 0.5 * scores.curve[0].m
        assert scores.code_pass_rate.value is None
    assert final["no_memory"] == 0


# -- coding tasks


def coding(plan: Plan) -> list[tuple[int, Task]]:
    return [(s.index, task) for s in plan.sessions for task in s.tasks if task.check is not None]


def test_each_session_has_code_to_write_from_what_was_told_before() -> None:
    for plan in checks.plans("s4", 20):
        assert [t for t, _ in coding(plan)] == list(range(20))
        for session in plan.sessions:
            assert [task.expected for task in session.tasks[1:]] in (["cite"], ["cite", "cite"])
            for task in session.tasks:
                assert "\n" not in task.text
                fact = plan.graph.by_id[task.fact]
                assert fact.at(session.index + 1) is not None or fact.group
                members = [f for f in plan.graph.facts if fact.group and f.group == fact.group] or [
                    fact
                ]
                values = [v for f in members for v in told(f, session.index + 1)]
                assert not any(matching.states(task.text, v) for v in values), task.text
                if task.check is not None and session.index:
                    now = [
                        f.versions[[v.session <= session.index for v in f.versions].count(True) - 1]
                        for f in members
                    ]
                    assert max(v.session for v in now) < session.index, (
                        "what it needs is in memory, not in front of it"
                    )
        defined = [ast.parse(task.solution or "").body[0] for _, task in coding(plan)]
        assert len({d.name for d in defined if isinstance(d, ast.FunctionDef)}) == 20


def passes(code: str, task: Task) -> bool:
    """Whether code of the plan's own passes the plan's own test, called right here."""
    names: dict[str, Any] = {}
    exec(code, names)
    test = task.check
    assert isinstance(test, CodeTest)
    return all(same_value(names[test.function](*c.args), c.value) for c in test.cases)


def wrong(task: Task, plan: Plan, session: int) -> str:
    """The reference code with another value in it."""
    fact = plan.graph.by_id[task.fact]
    code = task.solution or ""
    version = fact.at(session + 1)
    if fact.group is not None:
        live = [
            f for f in plan.graph.facts if f.group == fact.group and f.at(session + 1) is not None
        ]
        return code.replace(live[0].versions[0].value.text, "another_name")
    assert version is not None
    if version.value.kind == "number":
        number = int(matching.numbers(version.value.text)[0].value)
        return code.replace(str(number), str(number + 1))
    return code.replace(version.value.text, "Another Value")


def test_reference_code_passes_and_code_with_another_value_fails() -> None:
    kinds: set[str] = set()
    for plan in [
        plan_for("s4", "medium", {"tokens_per_session": 500}, 25, seed) for seed in range(6)
    ]:
        for session, task in coding(plan):
            kinds.add(plan.graph.by_id[task.fact].domain)
            assert passes(task.solution or "", task)
            changed = wrong(task, plan, session)
            assert changed != task.solution
            assert not passes(changed, task)
    assert kinds >= {
        "length",
        "timeout",
        "schema",
        "batch",
        "port",
        "cache",
        "owner",
        "table",
        "pool",
        "field",
    }


def test_withdrawn_and_outdated_decisions_fail() -> None:
    found = 0
    for seed in range(12):
        plan = plan_for("s4", "heavy", {"tokens_per_session": 500, "forget_rate": 0.5}, 25, seed)
        for session, task in coding(plan):
            fact = plan.graph.by_id[task.fact]
            gone = [
                f
                for f in plan.graph.facts
                if fact.group and f.group == fact.group and f.at(session + 1) is None
            ]
            gone = [f for f in gone if f.versions[0].session <= session]
            if gone:
                found += 1
                still = (task.solution or "").replace(
                    " in [", f" in [{gone[0].versions[0].value.text!r}, "
                )
                assert still != task.solution
                assert not passes(still, task)
    assert found > 5


# -- what a reply's code is worth


TEST = CodeTest("f", [CodeCase([2], 4)])
OLD_TEST = "from solution import f\n\n\ndef test_f():\n    assert f(2) == 4\n"
RIGHT = "def f(x):\n    return x * x\n"


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (f"Here:\n```python\n{RIGHT}```\nDone.", RIGHT),
        (f"```py\n{RIGHT}```", RIGHT),
        (f"```\n{RIGHT}```", RIGHT),
        (f"```python\n{RIGHT}```\nFor example:\n```python\nprint(f(2))\n```", RIGHT),
        (f"```python\ndef f(x):\n    return 0\n```\nBetter:\n```python\n{RIGHT}```", RIGHT),
        ("```python\nanswer = 4\n```", "answer = 4\n"),
        (RIGHT, None),
        ("", None),
        ("```python\ndef f(x):", None),
        ("```json\n{}\n```", None),
    ],
)
def test_which_code_is_run(reply: str, code: str | None) -> None:
    assert code_in(reply, TEST) == code
    assert code_in(reply, OLD_TEST) == code


def said(replies: dict[str, str | None]) -> list[Event]:
    """A trace with these replies; None is a call that broke."""
    return [
        Event(step=0, role="assistant", content=reply, metadata={"task": task})
        if reply is not None
        else Event(step=0, role="meta", metadata={"task": task, "failed": "connection reset"})
        for task, reply in replies.items()
    ]


def always(status: str) -> Runner:
    return lambda code, test: Outcome(status)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def three() -> Plan:
    return plan_for("s4", "light", None, 3, 0)


def statuses(found: list[CodeCheck]) -> list[tuple[str, float | None]]:
    return [(check.status, check.value) for check in found]


def test_no_code_counts_only_from_an_agent_that_writes_code(three: Plan) -> None:
    block = f"```python\n{RIGHT}```"
    mixed = code_checks(
        three, said({"t0.0": block, "t1.0": "No idea.", "t2.0": None}), always("passed")
    )
    assert statuses(mixed) == [("passed", 1.0), ("unanswered", 0.0), ("transport", None)]
    silent = code_checks(three, said({"t0.0": "Done.", "t1.0": "", "t2.0": None}), always("passed"))
    assert statuses(silent) == [
        ("not_exercised", None),
        ("not_exercised", None),
        ("transport", None),
    ]
    overflowed = code_checks(three, said({"t0.0": block, "t1.0": block}), always("failed"))
    assert statuses(overflowed) == [("failed", 0.0), ("failed", 0.0), ("unanswered", 0.0)]


@pytest.mark.parametrize("status", ["unavailable", "error"])
def test_what_could_not_be_run_is_missing(status: str, three: Plan) -> None:
    replies: dict[str, str | None] = {f"t{t}.0": f"```python\n{RIGHT}```" for t in range(3)}
    found = code_checks(three, said(replies), always(status))
    assert statuses(found) == [(status, None)] * 3
    assert (
        life_figures(LifeRecord(three, [], [], [], found), memory=False)["code_pass_rate"] is None
    )


def test_plans_without_code_check_nothing() -> None:
    assert (
        code_checks(plan_for("s2", "light", None, 2, 0), said({"t0.0": f"```\n{RIGHT}```"})) == []
    )
    assert b'"check"' not in plan_for("s2", "light", None, 2, 0).encode()


def test_outcomes_are_remembered_but_never_that_nothing_was_run(tmp_path: Path) -> None:
    calls: list[str] = []
    answers = SimpleNamespace(status="unavailable")

    def run(code: str, test: CodeTest | str) -> Outcome:
        calls.append(code)
        return Outcome(answers.status, "why")

    file = tmp_path / "code_checks.json"
    assert Remembering(file, run)("code", "test").status == "unavailable"
    assert not file.exists()
    answers.status = "failed"
    assert Remembering(file, run)("code", "test") == Outcome("failed", "why")
    assert Remembering(file, run)("code", "test") == Outcome("failed", "why")
    assert Remembering(file, run)("code", "other test").status == "failed"
    assert Remembering(file, run)("code", TEST).status == "failed"
    assert Remembering(file, run)("code", TEST).status == "failed"
    assert Remembering(file, run)("code", CodeTest("f", [])).status == "failed"
    assert len(calls) == 5
    file.write_text('{"key": {"status": "splendid"}}')
    with pytest.raises(InputError, match=r"code_checks\.json"):
        Remembering(file, run)


@confined
def test_a_life_with_code_is_scored_once_and_then_from_its_files(
    tmp_path: Path, three: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "life"
    with RunDirectory(path) as run:
        run.prepare(three, Sut().record("s4"))
        live_plan(three, SCENARIO, bound_agent("oracle", three), run)
    score_run(path)
    first = {file.name: file.read_bytes() for file in path.glob("*.json")}
    metrics = json.loads(first["metrics.json"])["code"]
    assert metrics["pass_rate"]["value"] == 1.0
    assert metrics["pass_rate"]["n"] == 3
    assert len(json.loads(first["code_checks.json"])) == 3
    card = json.loads(first["aging_card.json"])
    assert card["mechanism_metrics"]["compression"]["code_pass_rate"] == 1.0
    monkeypatch.setattr("agingbench.bench.scoring.code_runs.available", lambda: (False, "not here"))
    score_run(path)
    assert {file.name: file.read_bytes() for file in path.glob("*.json")} == first
    (path / "code_checks.json").unlink()
    card = score_run(path)
    assert card["mechanism_metrics"]["compression"]["code_pass_rate"] is None
    assert "code_not_executed: 3 of 3 checks, not here" in card["warnings"]


@confined
def test_an_agent_that_remembers_wrongly_fails_its_checks(three: Plan) -> None:
    tasks = coding(three)
    replies: dict[str, str | None] = {
        task.id: f"```python\n{wrong(task, three, t)}```" for t, task in tasks
    }
    replies[tasks[0][1].id] = f"```python\n{tasks[0][1].solution}```"
    found = code_checks(three, said(replies), run_test)
    assert [check.status for check in found] == ["passed", "failed", "failed"]
    figures = life_figures(LifeRecord(three, [], [], [], found), memory=False)
    assert figures["code_pass_rate"] == pytest.approx(1 / 3)


def test_tasks_survive_the_plan_file(three: Plan) -> None:
    back = msgspec.json.decode(three.encode(), type=Plan)
    assert back.sessions == three.sessions
    keeper = InMemory()
    live_plan(back, SCENARIO, bound_agent("blank", back), keeper)
    assert {check.status for check in code_checks(back, keeper.events)} == {"not_exercised"}
