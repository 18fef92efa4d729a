"""What a store stated when: followed step by step it is the same as every state read whole."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from agingbench.bench.diagnosis.autopsy.histories import (
    EVENT,
    LOST,
    NEVER_WRITTEN,
    STILL_THERE,
    History,
    Statement,
    StoreStep,
    history_of,
    retraction_of,
    statements_of,
    states_of,
    versions_of,
)
from agingbench.bench.life.folder import RunDirectory
from agingbench.bench.life.planning import load_scenario, plan_for
from agingbench.bench.life.system import Sut, with_defaults
from agingbench.bench.plan.facts import Fact, Reading, Version, states_fact
from agingbench.bench.plan.plan import parse_events
from agingbench.cards.figures import document_of
from agingbench.errors import InputError
from agingbench.records import Event
from agingbench.text.values import Value
from agingbench.traces.files import read_json
from agingbench.trials.run_folder import WRITE
from agingbench.trials.snapshots import unpack
from tests.bench.lives import run_life, small_plan

BUDGET = Statement("f0", "v0", 0, ("dining", "budget"), Value("number", "$309"))
SAYS = "My dining budget is $309."


def followed(texts: Sequence[str], told: Statement = BUDGET) -> History:
    history = History([told])
    for session, text in enumerate(texts):
        history.follow(StoreStep(WRITE, session + 1, session), text)
    return history


def test_what_stays_is_still_there() -> None:
    fate = followed([SAYS, f"{SAYS} More.", f"More.\n\n{SAYS}"]).fate(BUDGET, 2)
    assert (fate.state, fate.lost_at, fate.losses, fate.returns) == (STILL_THERE, None, (), ())
    assert fate.first_stated is not None
    assert fate.last_stated is not None
    assert (fate.first_stated.point, fate.last_stated.point) == (1, 3)


def test_what_no_state_states_was_never_written() -> None:
    fate = followed(["My budget is secret.", "My dining budget is $390.", "$309"]).fate(BUDGET, 2)
    assert (fate.state, fate.first_stated, fate.last_stated) == (NEVER_WRITTEN, None, None)
    assert fate.lost_at == StoreStep(WRITE, 1, 0), "the write of its own session left it out"


def test_a_fact_that_vanishes_and_comes_back() -> None:
    history = followed([SAYS, "nothing", "nothing", f"x\n{SAYS}", "nothing", "nothing"])
    gone, back, again = (history.fate(BUDGET, step) for step in (2, 3, 5))
    assert gone.state == LOST
    assert gone.lost_at == StoreStep(WRITE, 2, 1)
    assert back.state == STILL_THERE
    assert back.lost_at is None
    assert [s.session for s in back.losses] == [1]
    assert [s.session for s in back.returns] == [3]
    assert (again.state, again.lost_at) == (LOST, StoreStep(WRITE, 5, 4)), (
        "lost where it was lost for the last time"
    )
    assert again.last_stated == StoreStep(WRITE, 4, 3)


def test_what_stood_there_before_it_was_told_does_not_count() -> None:
    late = Statement("f0", "v0", 2, BUDGET.subject, BUDGET.value)
    history = followed([SAYS, SAYS, "nothing", SAYS], late)
    assert history.fate(late, 2).state == NEVER_WRITTEN
    assert history.fate(late, 3).state == STILL_THERE
    assert [s.session for s in history.fate(late, 3).returns] == [3]


def test_two_lines_that_state_it_are_lost_one_by_one() -> None:
    history = followed([f"{SAYS}\n- dining budget: $309", "- dining budget: $309", ""])
    assert [history.stated(BUDGET, step) for step in range(3)] == [True, True, False]


@pytest.mark.parametrize("scenario", ["s1", "s2", "s3", "s4", "s5", "s6", "s7"])
def test_a_retraction_is_told_apart_from_what_it_takes_back(scenario: str) -> None:
    found = 0
    for seed in range(2):
        for fact in plan_for(scenario, "heavy", sessions=10, seed=seed).graph.facts:
            retraction = retraction_of(fact)
            if retraction is None or fact.retraction is None:
                continue
            found += 1
            history = followed([fact.versions[-1].sentence, fact.retraction], retraction)
            assert [history.stated(retraction, step) for step in (0, 1)] == [False, True], (
                fact.retraction
            )
    assert found > 5


def test_growing_and_shrinking_at_random_is_read_as_if_read_whole() -> None:
    plan = small_plan(sessions=6, preset="heavy")
    rng = random.Random(3)
    facts = [fact for fact in plan.graph.facts if len(fact.versions) == 1][:20]
    told = [versions_of(fact)[0] for fact in facts]
    history = History(told)
    texts = []
    for session in range(40):
        lines = [fact.versions[0].sentence for fact in facts if rng.random() < 0.5]
        texts.append(rng.choice([" ", "\n", "\n\n"]).join(lines))
        history.follow(StoreStep(WRITE, session + 1, session), texts[-1])
    for step, text in enumerate(texts):
        whole = Reading(text)
        assert [history.stated(t, step) for t in told] == [
            whole.states_fact(t.subject, t.value) for t in told
        ]


def test_a_plan_tells_its_versions_retractions_and_accounts() -> None:
    plan = small_plan(sessions=10, preset="heavy")
    told = statements_of(plan)
    assert len({(t.owner, t.part) for t in told}) == len(told)
    account = plan.graph.accounts[0]
    balances = [t for t in told if t.owner == account.id and t.part.startswith("b")]
    assert balances[0].value.text == f"${account.opening:,}"
    assert balances[-1].value.text == f"${account.balance(10):,}"
    assert len(balances) == len(account.deltas) + 1
    fact = Fact(
        "f",
        "note",
        "d",
        ("x",),
        "x",
        "?",
        [Version(0, Value("name", "Ann"), "x Ann")],
        retracted_at=2,
    )
    assert retraction_of(fact) is None, "nobody asks for a single fact that was retracted"


# -- against the snapshots, another way


State = tuple[int, str, Reading]


def states(run: RunDirectory, sessions: int) -> list[State]:
    """(point, what happened, text) of every state of a store, from the raw files, each read by
    itself.
    """
    out = []
    text = read_json(run.memory / "0.json")["text"]
    for point in range(1, sessions + 1):
        before = run.memory / f"{point}_before.json"
        if before.exists():
            out.append((point, WRITE, Reading(unpack(read_json(before)["text"], text))))
        text = unpack(read_json(run.memory / f"{point}.json")["text"], text)
        out.append((point, EVENT if before.exists() else WRITE, Reading(text)))
    return out


def brute(found: list[State], fact: Fact, point: int) -> tuple[str, tuple[int, str] | None]:
    """Whether the store states a fact at a point, and where it stopped to: by looking at every
    state from the end.
    """
    version = fact.at(point)
    assert version is not None
    seen = [s for s in found if version.session < s[0] <= point]
    holds = [states_fact(text, fact, point) for _, _, text in seen]
    if holds[-1]:
        return STILL_THERE, None
    if not any(holds):
        return NEVER_WRITTEN, seen[0][:2]
    last = max(n for n, held in enumerate(holds) if held)
    return LOST, seen[last + 1][:2]


@pytest.mark.parametrize(
    ("scenario", "preset", "memory", "events"),
    [
        ("s1", "heavy", "lossy_compress", ["recompact@3"]),
        ("s2", "heavy", "append_only", ["partial_reset@4:ratio=0.5"]),
        # Under heavy pressure these two memories keep next to nothing that could be lost later.
        ("s3", "light", "careful_compress", ["reduce_budget@4:words=60"]),
        ("s6", "light", "lossy_episodic", ["flush_history@3", "recompact@5"]),
        ("s4", "heavy", "growing_history", ["partial_reset@3:ratio=0.5"]),
        ("s5", "heavy", None, ["workspace_flush@4"]),
    ],
)
def test_lost_at_agrees_with_a_search_over_all_snapshots(
    scenario: str, preset: str, memory: str | None, events: list[str], tmp_path: Path
) -> None:
    plan = plan_for(scenario, preset, sessions=7, seed=1, events=parse_events(events, 7))
    sut = Sut(memory=memory) if memory else with_defaults(Sut(), load_scenario(scenario), ())
    path, _ = run_life(plan, sut, tmp_path)
    run = RunDirectory(path)
    history = history_of(run, plan, run.events())
    found = states(run, 7)
    assert [(s.point, s.kind) for s in history.steps] == [s[:2] for s in found]
    kinds = set()
    for point in range(1, 8):
        for fact in plan.graph.live(point):
            version = fact.at(point)
            assert version is not None
            told = versions_of(fact)[fact.versions.index(version)]
            fate = history.fate(told, history.step_at(point))
            where = (fate.lost_at.point, fate.lost_at.kind) if fate.lost_at else None
            assert (fate.state, where) == brute(found, fact, point), (fact.id, point)
            kinds.add((fate.state, where and where[1]))
    assert len(kinds) >= 2
    if memory in ("append_only", "careful_compress", "lossy_episodic"):
        assert (LOST, EVENT) in kinds


def test_a_snapshot_from_before_an_event_that_is_broken_is_named(tmp_path: Path) -> None:
    plan = plan_for("s2", "light", sessions=3, seed=0, events=parse_events(["flush_history@2"], 3))
    path, _ = run_life(plan, Sut(), tmp_path)
    run = RunDirectory(path)
    for content in ('{"t": 2}', '{"text": {"$more": 3}}', '{"text": 5}', '["text"]', "{"):
        (run.memory / "2_before.json").write_text(content)
        with pytest.raises(InputError, match=r"2_before\.json"):
            history_of(RunDirectory(path), plan, run.events())


def test_an_event_has_the_name_that_the_trace_gives_it(tmp_path: Path) -> None:
    plan = plan_for(
        "s2", "light", sessions=3, seed=0, events=parse_events(["partial_reset@2:ratio=0.5"], 3)
    )
    path, _ = run_life(plan, Sut(memory="append_only"), tmp_path)
    run = RunDirectory(path)
    steps = history_of(run, plan, run.events()).steps
    assert [str(s) for s in steps] == [
        "write of session 0",
        "write of session 1",
        "partial_reset@2:ratio=0.5",
        "write of session 2",
    ]
    assert document_of(steps[2].row()) == {
        "step": EVENT,
        "point": 2,
        "events": ["partial_reset@2:ratio=0.5"],
    }
    assert document_of(steps[3].row()) == {"step": WRITE, "point": 3, "session": 2}


def test_what_a_controller_did_is_a_step_of_its_own(tmp_path: Path) -> None:
    plan = plan_for("s2", "light", sessions=3, seed=0, events=parse_events(["flush_history@2"], 3))
    path, _ = run_life(plan, Sut(), tmp_path)
    run = RunDirectory(path)
    (run.memory / "2_written.json").write_text('{"t": 2, "state": {}, "text": "as written"}')
    (run.memory / "3_written.json").write_text('{"t": 3, "state": {}, "text": "as written"}')
    done = [
        Event(
            step=0,
            role="meta",
            lifecycle="control",
            session=1,
            memory="memory/2.json",
            metadata={"action": "recompact", "args": {}, "at": 2},
        ),
        Event(step=1, role="meta", lifecycle="signals", session=1, metadata={"signals": {}}),
    ]
    found = list(states_of(run, 3, [*run.events(), *done]))
    assert [str(step) for step, _ in found] == [
        "write of session 0",
        "write of session 1",
        "controller's recompact@2",
        "flush_history@2",
        "write of session 2",
        "an event that the trace does not name",
    ]
    assert found[1][1] == found[4][1] == "as written"
    assert found[2][1] == read_json(run.memory / "2_before.json")["text"]


def test_a_trace_cannot_lead_out_of_the_folder(tmp_path: Path) -> None:
    path, _ = run_life(plan_for("s2", "light", sessions=2, seed=0), Sut(), tmp_path)
    run = RunDirectory(path)
    odd = [
        Event(step=0, role="meta", lifecycle="recompact", session=1, memory=name)
        for name in (
            "memory/../2.json",
            "../memory/2.json",
            "memory/2.json/..",
            "memory/99999999999.json",
            "memory/²",
        )
    ]
    assert [str(step) for step, _ in states_of(run, 2, odd)] == [
        "write of session 0",
        "write of session 1",
    ]
