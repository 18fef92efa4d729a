"""What a plan promises: fixed by its seed, one question one answer, gold right in time, weights
that add up.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agingbench.bench.life.planning import load_scenario, plan_for
from agingbench.bench.plan.plan import Plan, load_plan, make_plan, parse_events
from agingbench.bench.plan.pressure import PRESETS
from agingbench.errors import InputError, UnknownName
from tests.bench.plan.plan_truth import TYPES, check_weights, leaks, truth
from tests.bench.scenarios.scenario_checks import check_gold, check_questions
from tests.examples import examples
from tests.sampling import one_in

PRESET = st.sampled_from(["none", "light", "medium", "heavy"])
SEED = st.integers(0, 10**6)
SESSIONS = st.integers(2, 25)
SMALL = {"tokens_per_session": 500}  # where the volume of text does not matter


@cache
def small(scenario: str, preset: str, seed: int) -> Plan:
    """Ten sessions of little text; equal arguments give the same object, so nothing may change it."""
    return plan_for(scenario, preset, SMALL, 10, seed)


# -- determined by the seed


def test_hash_is_equal_in_other_processes() -> None:
    ask = (
        "from agingbench.bench.life.planning import plan_for; print(plan_for('s2', 'heavy', None, 12,"
        " 7).hash)"
    )
    found = set()
    for hash_seed in ("0", "1", "42"):
        env = {**os.environ, "PYTHONHASHSEED": hash_seed}
        done = subprocess.run(
            [sys.executable, "-c", ask], env=env, capture_output=True, text=True, check=True
        )
        found.add(done.stdout.strip())
    assert found == {plan_for("s2", "heavy", None, 12, 7).hash}


def test_hash_tells_plans_apart() -> None:
    plans = [
        plan_for("s2", "medium", None, 10, 0),
        plan_for("s2", "medium", None, 10, 1),
        plan_for("s2", "medium", None, 11, 0),
        plan_for("s2", "heavy", None, 10, 0),
        plan_for("s2", "medium", {"forget_rate": 0.11}, 10, 0),
        plan_for("s2", "medium", None, 10, 0, parse_events(["recompact@4"], 10)),
    ]
    assert len({plan.hash for plan in plans}) == len(plans)


def test_plan_holds_no_times(monkeypatch: pytest.MonkeyPatch) -> None:
    now = plan_for("s2", "heavy", None, 8, 3)
    monkeypatch.setattr(time, "time", lambda: 4e9)
    assert plan_for("s2", "heavy", None, 8, 3).hash == now.hash
    names = set(_keys(json.loads(now.encode())))
    assert not {
        n for n in names if re.search(r"time|stamp|generated|created|clock|duration|latency", n)
    }
    assert not re.search(rb"\d{4}-\d\d-\d\dT\d\d:", now.encode())


def _keys(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        yield from node
        node = list(node.values())
    if isinstance(node, list):
        for child in node:
            yield from _keys(child)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_plan_survives_its_file(preset: str, tmp_path: Path) -> None:
    plan = plan_for("s2", preset, None, 9, 5, parse_events(["flush_history@4"], 9))
    path = tmp_path / "plan.json"
    path.write_bytes(plan.encode())
    back = load_plan(path)
    assert back.hash == plan.hash
    assert back.probes == plan.probes
    assert back.graph.facts == plan.graph.facts
    assert back.pressure == plan.pressure


def test_a_file_that_is_no_plan_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    path.write_text('{"scenario": "s2"}')
    with pytest.raises(InputError, match=r"plan\.json"):
        load_plan(path)


# -- one question, one answer; gold that is right in time


@settings(max_examples=examples(25), deadline=None)
@given(SEED, PRESET, SESSIONS)
def test_one_question_has_one_answer_and_names_what_it_asks_for(
    seed: int, preset: str, sessions: int
) -> None:
    plan = plan_for("s2", preset, SMALL, sessions, seed)
    assert {probe.type for probe in plan.probes} <= set(TYPES)
    check_questions(plan)


@pytest.mark.parametrize("preset", ["medium", "heavy"])
def test_no_question_leaks_in_lives_with_many_links(preset: str) -> None:
    # Linked facts name each other, so questions about several facts can give one away.
    dials = {"dependency_density": 1, **SMALL}
    assert [
        leak for seed in range(6) for leak in leaks(plan_for("s2", preset, dials, 20, seed))
    ] == []


@settings(max_examples=examples(25), deadline=None)
@given(SEED, PRESET, SESSIONS)
def test_every_probe_is_due_and_scored_against_what_holds_then(
    seed: int, preset: str, sessions: int
) -> None:
    check_gold(plan_for("s2", preset, SMALL, sessions, seed))


@settings(max_examples=examples(20), deadline=None)
@given(SEED, PRESET, st.integers(1, 12))
def test_points_0_and_1_ask_the_same_of_the_same_session(
    seed: int, preset: str, sessions: int
) -> None:
    plan = plan_for("s2", preset, SMALL, sessions, seed)

    def asked(t: int) -> list[tuple[Any, ...]]:
        return [
            (p.question, p.required, p.stale, p.confusable, p.weight, p.stratum)
            for p in plan.probes_at(t)
        ]

    assert asked(0) == asked(1)
    assert asked(0)
    assert plan.inspected[0] == plan.inspected[1]
    assert len(plan.inspected) == sessions + 1


# -- weights


@pytest.mark.parametrize("preset", PRESETS)
def test_weights_add_up_in_long_lives(preset: str) -> None:
    check_weights(plan_for("s2", preset, SMALL, 60, 11))


# -- enough probes, bounded calls


def test_every_mechanism_is_exercised_at_medium() -> None:
    for seed in range(20):
        plan = small("s2", "medium", seed)
        for mechanism in ("compression", "interference", "revision"):
            probes = [p for p in plan.probes if p.t >= 1 and p.mechanism == mechanism]
            facts = {fact for p in probes for fact in p.facts}
            assert len(probes) >= 10, (seed, mechanism)
            assert len(facts) >= 5, (seed, mechanism)


@pytest.mark.parametrize("scenario", one_in(3, ["s1", "s2", "s3", "s4", "s5", "s6", "s7"]))
def test_every_pair_of_ten_sessions_is_told_and_asked_for(scenario: str) -> None:
    for preset, pairs in (("none", 0), ("light", 1), ("medium", 3), ("heavy", 12)):
        for seed in range(2):
            heavy = preset == "heavy"
            plan = (
                plan_for(scenario, preset, None, 10, seed)
                if heavy
                else small(scenario, preset, seed)
            )
            summary = plan.summary()
            counts = [summary[f"{what}_pairs"] for what in ("confusable", "complete", "probed")]
            assert counts == [pairs] * 3, (preset, seed)


def test_a_pair_that_is_not_complete_is_not_probed() -> None:
    dials = {"confusable_start_session": 9, **SMALL}
    summary = plan_for("s2", "medium", dials, 10, 0).summary()
    assert summary["confusable_pairs"] == 1
    assert summary["complete_pairs"] == summary["probed_pairs"] == 0


@pytest.mark.parametrize("scenario", ["s1", "s2", "s3", "s4", "s5", "s6", "s7"])
def test_facts_of_several_kinds_are_asked_for_once_they_were_taken_back(scenario: str) -> None:
    kinds = set()
    for seed in range(6):
        plan = small(scenario, "medium", seed)
        retracted = [probe for probe in plan.probes if probe.type == "retracted"]
        assert retracted, seed
        kinds |= {plan.graph.by_id[probe.facts[0]].domain for probe in retracted}
    assert len(kinds) >= 4


@pytest.mark.parametrize("preset", PRESETS)
def test_calls_per_point_are_bounded_and_linear(preset: str) -> None:
    per_point = []
    for sessions in (50, 200):
        plan = plan_for("s2", preset, SMALL, sessions, 1)
        counts = [len(plan.probes_at(t)) for t in range(sessions + 1)]
        assert max(counts) <= 28
        assert min(counts) >= 8
        assert all(len(ids) <= 100 for ids in plan.inspected)
        per_point.append(sum(counts[10:]) / len(counts[10:]))
    assert per_point[1] == pytest.approx(per_point[0], rel=0.1)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_life_begins_every_longer_life(preset: str) -> None:
    for seed in range(2):
        short, long = (plan_for("s2", preset, None, n, seed) for n in (10, 16))
        assert long.sessions[:10] == short.sessions
        assert long.inspected[:11] == short.inspected
        assert [p for p in long.probes if p.t <= 10] == short.probes
        for fact, longer in zip(short.graph.facts, long.graph.facts, strict=False):
            assert longer.id == fact.id
            assert [v for v in longer.versions if v.session < 10] == fact.versions


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("sessions", range(1, 10))
def test_short_lives_work(preset: str, sessions: int) -> None:
    plan = plan_for("s2", preset, SMALL, sessions, sessions)
    assert len(plan.sessions) == sessions
    assert all(plan.probes_at(t) for t in range(sessions + 1))
    check = load_scenario("s2").tools(plan, sessions - 1)[-1]
    assert check.run({"action": "Wait."}) == "ok"


@pytest.mark.parametrize("preset", ["medium", "heavy"])
def test_eight_sessions_exercise_every_mechanism(preset: str) -> None:
    for seed in range(12):
        plan = plan_for("s2", preset, SMALL, 8, seed)
        found = Counter(p.mechanism for p in plan.probes if p.t >= 1)
        assert min(found[m] for m in ("compression", "interference", "revision")) > 0, seed
        assert any(
            p.type in ("compare", "synthesize", "trend", "multi_hop") for p in plan.probes
        ), seed


def test_sessions_out_of_range_are_refused() -> None:
    for sessions in (0, -1, 10_001):
        with pytest.raises(InputError, match=f"sessions={sessions}"):
            make_plan(load_scenario("s2"), PRESETS["medium"], sessions, 0)


@pytest.mark.slow
@pytest.mark.parametrize("preset", ["medium", "heavy"])
def test_a_thousand_sessions(preset: str) -> None:
    plan = plan_for("s2", preset, SMALL, 1000, 0)
    alone = [f for f in plan.graph.facts if f.group is None]
    assert len({f.phrase for f in alone}) == len(alone)
    assert len({f.question for f in alone}) == len(alone)
    lists = {f.group: f.phrase for f in plan.graph.facts if f.group is not None}
    assert len(set(lists.values())) == len(lists)
    late = [f for f in alone if truth(f, 1000) is not None]
    assert len(late) > len(alone) / 2
    assert any(p.weight is not None and p.stratum == "lag>10" for p in plan.probes_at(1000)), (
        "old truth is asked for"
    )
    born = Counter(f.born for f in plan.graph.facts)
    asked = Counter(p.t for p in plan.probes)
    for counts in (born, asked):
        early, later = (
            sum(counts[t] for t in span) / 100 for span in (range(50, 150), range(900, 1000))
        )
        assert later == pytest.approx(early, rel=0.15)


@pytest.mark.slow
@pytest.mark.parametrize("preset", PRESETS)
def test_everything_at_once_over_many_seeds(preset: str) -> None:
    for seed in range(1000, 1100):
        plan = plan_for("s2", preset, None, 18, seed)
        check_weights(plan)
        assert leaks(plan) == []


# -- lifecycle events


def test_events_are_read_and_sorted() -> None:
    events = parse_events(["recompact@6", " flush_history@4"], 10)
    assert [str(e) for e in events] == ["flush_history@4", "recompact@6"]
    assert plan_for("s2", "medium", None, 10, 0, events).events_at(6) == [events[1]]


@pytest.mark.parametrize(
    ("spec", "error"),
    [
        ("recompat@4", "recompact"),
        ("recompact", "recompact@4"),
        ("recompact@x", "recompact@4"),
        ("recompact@0", "between 1 and 10"),
        ("recompact@11", "between 1 and 10"),
        ("recompact@4:hard=1", "takes no arguments"),
    ],
)
def test_wrong_events_are_refused(spec: str, error: str) -> None:
    with pytest.raises(InputError, match=re.escape(error)):
        parse_events([spec], 10)


def test_an_unknown_scenario_is_told_the_nearest() -> None:
    with pytest.raises(UnknownName, match="s2_lifestyle_assistant"):
        plan_for("s2_lifestile", "medium", None, 10, 0)


@pytest.mark.parametrize("scenario", ["s1", "s2", "s6"])
def test_other_pressure_tells_and_asks_for_the_same_facts(scenario: str) -> None:
    """Lives of one seed can be compared across presets fact by fact."""
    easy = plan_for(scenario, "none", None, 4, 3)
    hard = plan_for(scenario, "medium", None, 4, 3)
    for one, other in zip(easy.graph.facts[:10], hard.graph.facts[:10], strict=True):
        assert one.question == other.question
        assert one.versions[0].value == other.versions[0].value

    def first_questions(plan: Plan) -> set[str]:
        return {probe.question for probe in plan.probes_at(1) if probe.type == "standalone"}

    assert first_questions(easy) == first_questions(hard)
