"""s7: a program that is built and migrated, the plan of the paper, and lives through files."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agingbench.agents.workspace_agent import WorkspaceAgent
from agingbench.bench.life.loop import live_plan
from agingbench.bench.life.planning import load_scenario, plan_for
from agingbench.bench.life.system import Sut
from agingbench.bench.life.transitions import InMemory
from agingbench.bench.plan.facts import Fact
from agingbench.bench.plan.plan import Plan, load_plan, parse_events
from agingbench.bench.plan.pressure import PRESETS
from agingbench.bench.plan.program_check import ProgramCheck
from agingbench.bench.scenarios.s7_research_notes.scenario import BLOCK_LENGTH
from agingbench.bench.scoring.card import make_card
from agingbench.bench.scoring.documents import metrics_document
from agingbench.bench.scoring.program_checks import program_checks
from agingbench.bench.scoring.score import LifeRecord, LifeScores, score
from agingbench.bench.scoring.verdicts import judge
from agingbench.bench.studies.cells import Cell
from agingbench.errors import InputError
from agingbench.memory.workspace import INSTRUCTION_FILE, Workspace
from agingbench.models.scripted import Scripted
from agingbench.records import Answer
from agingbench.sandbox.confinement import available
from agingbench.text import matching
from agingbench.trials.run_folder import AnswerRow
from agingbench.validity.bounds import bounds, gold_answer, perfect_memory
from tests.bench.lives import normal_files, run_life
from tests.bench.plan.plan_truth import check_probe, check_weights, leaks
from tests.bench.scenarios.scenario_checks import (
    check_enough,
    check_long_life,
    check_prefix,
    check_sentences,
)
from tests.examples import examples

SCENARIO = load_scenario("s7")
OWN = Sut(memory="workspace", agent="workspace")
PRESET = st.sampled_from(list(PRESETS))
SEED = st.integers(0, 10**6)
confined = pytest.mark.skipif(not available()[0], reason=available()[1] or "can be confined")


@cache
def plan_of(preset: str = "medium", sessions: int = 10, seed: int = 0) -> Plan:
    """A life with short sessions; equal arguments give the same object, so nothing may change it."""
    return plan_for("s7", preset, {"tokens_per_session": 500}, sessions, seed)


def requests(plan: Plan, session: int) -> str:
    tasks = plan.sessions[session].tasks
    return "\n".join(task.text for task in tasks if task.domain == "program")


def about(plan: Plan, domain: str) -> list[Fact]:
    return [fact for fact in plan.graph.facts if fact.domain == domain]


def named(plan: Plan, point: int, name: str) -> ProgramCheck:
    return next(check for check in plan.checks_at(point) if name in check.id)


# -- the plan of the paper


def test_the_first_request_is_that_of_the_paper() -> None:
    text = requests(plan_of(), 0)
    for name in ("id", "title", "tags", "body", "citation"):
        assert f"`{name}`" in text
    assert "Click" in text
    assert "BibTeX" in text
    assert "`notes.py`" in text
    assert "`notes_data/`" in text


def test_the_pair_of_the_paper_comes_in_session_2_and_is_told_apart() -> None:
    plan = plan_of()
    subset, order = about(plan, "commands")
    assert (subset.born, order.born) == (2, 2)
    assert subset.versions[0].value.text == "filter-by-tag"
    assert order.versions[0].value.text == "sort-by-tag"
    assert (subset.partner, order.partner) == (order.id, subset.id)
    probes = [probe for probe in plan.probes if probe.facts == [subset.id]]
    assert {probe.mechanism for probe in probes} == {"interference"}
    assert "sort-by-tag" in {value.text for probe in probes for value in probe.confusable}

    starts = named(plan, 3, "pair").starts
    added = sum(start.words[0] == "add" for start in starts)
    lines = {start.words[0]: len(start.prints or []) for start in starts}
    assert 0 < lines["filter-by-tag"] < added
    assert lines["sort-by-tag"] == added


def test_the_first_migration_adds_a_priority() -> None:
    plan = plan_of()
    assert "`priority`" in requests(plan, 3)
    assert "from 1 to 5" in requests(plan, 3)
    (field,) = about(plan, "field")
    (default,) = about(plan, "default")
    assert field.versions[0].value.text == "priority"
    assert (default.born, default.versions[0].value.text) == (3, "3")

    def names(point: int) -> list[str]:
        added = named(plan, point, "basics").starts[0]
        assert added.prints is not None
        return [name for name, _ in added.prints[0]]

    assert names(3) == ["id", "title", "tags", "body", "citation"]
    assert names(4) == [*names(3), "priority"]


def test_the_second_migration_moves_the_notes_into_a_database_with_two_tables() -> None:
    plan = plan_of()
    (store,) = about(plan, "store")
    values = [(version.session, version.value.text) for version in store.versions]
    assert values == [(0, "notes_data/"), (8, "notes.db")]
    later = [probe for probe in plan.probes if probe.facts == [store.id] and probe.t >= 9]
    assert all([value.text for value in probe.stale] == ["notes_data/"] for probe in later)
    look = next(start for start in named(plan, 9, "store").starts if start.looks_at)
    assert (look.looks_at, look.tables) == ("notes.db", ["notes", "collections"])
    old = named(plan, 9, "migration").files
    assert sorted(old) == [f"notes_data/{number}.json" for number in (1, 2, 3)]


# -- variants


def test_seeds_differ_in_names_fields_order_migrations_and_pairs() -> None:
    plans = [plan_of("light", 10, seed) for seed in range(12)]
    entries = {plan.checks[0].entry for plan in plans}
    pairs = {named(plan, 3, "pair").starts[-2].words[0] for plan in plans}
    fields = {str(named(plan, 1, "basics").starts[0].words[1::2]) for plan in plans}
    stores = {about(plan, "store")[0].versions[0].value.text for plan in plans}
    kinds = {
        (
            len(about(plan, "store")[0].versions),
            len(about(plan, "origin")[0].versions),
            len(about(plan, "field")),
        )
        for plan in plans
    }
    assert len(entries) >= 4
    assert len(pairs) >= 4
    assert len(fields) >= 8
    assert len(stores) == len(plans)
    assert len(kinds) >= 3, "which migrations come differs"


def test_seeds_and_presets_give_different_plans() -> None:
    hashes = {plan_of(preset, 4, seed).hash for preset in PRESETS for seed in range(5)}
    assert len(hashes) == 20


def test_a_plan_has_the_same_hash_in_every_process() -> None:
    code = (
        "from agingbench.bench.life.planning import plan_for;"
        " print(plan_for('s7', 'light', None, 4, 3).hash)"
    )
    outputs = set()
    for seed in ("0", "1"):
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        outputs.add(done.stdout.strip())
    assert outputs == {plan_for("s7", "light", None, 4, 3).hash}


def test_a_plan_is_read_back_with_its_checks(tmp_path: Path) -> None:
    plan = plan_of("light", 4)
    file = tmp_path / "plan.json"
    file.write_bytes(plan.encode())
    again = load_plan(file)
    assert again.checks == plan.checks
    assert again.hash == plan.hash


@pytest.mark.parametrize("preset", ["light", "heavy"])
def test_a_life_begins_every_longer_life(preset: str) -> None:
    check_prefix("s7", preset, 3)
    short, long = (plan_for("s7", preset, None, n, 3) for n in (10, 16))
    assert long.checks[: len(short.checks)] == short.checks
    assert long.events[: len(short.events)] == short.events


# -- what every plan keeps to


@settings(max_examples=examples(12))
@given(PRESET, SEED, st.integers(1, 12))
def test_gold_is_right_in_time_and_told(preset: str, seed: int, sessions: int) -> None:
    plan = plan_for("s7", preset, {"tokens_per_session": 500}, sessions, seed)
    check_sentences(plan)
    check_weights(plan)
    assert leaks(plan) == []
    for probe in plan.probes:
        if probe.account is None:
            check_probe(plan, probe, [plan.graph.by_id[name] for name in probe.facts])
    assert {check.t for check in plan.checks} == set(range(1, sessions + 1))


@pytest.mark.parametrize("seed", [404, 409, 425, 428])
def test_every_right_answer_is_judged_right(seed: int) -> None:
    # Titles of books are names, whatever "history" or "without" mean in other sentences.
    plan = plan_of("heavy", 10, seed)
    for probe in plan.probes:
        if probe.type != "retracted":
            row = AnswerRow(probe.t, probe.id, "as_lived", gold_answer(probe))
            assert judge(probe, row, plan.graph)[1] == 1.0, probe


@settings(max_examples=examples(12))
@given(PRESET, SEED, st.integers(2, 12))
def test_no_start_says_what_was_agreed_on(preset: str, seed: int, sessions: int) -> None:
    plan = plan_for("s7", preset, {"tokens_per_session": 500}, sessions, seed)
    for check in plan.checks:
        if ".view." not in check.id:
            continue
        fact = plan.graph.by_id[check.fact]
        version = fact.at(check.t)
        assert version is not None
        words = " ".join(" ".join(start.words) for start in check.starts)
        assert not matching.states(words, version.value), words
        assert any(start.refuses for start in check.starts)


def test_commands_are_asked_for_what_was_agreed_on_before() -> None:
    plan = plan_of("medium", 16, 1)
    for check in plan.checks:
        if ".view." in check.id and check.t >= 2:
            assert plan.graph.by_id[check.fact].born < check.t - 1
    revised = [
        fact
        for fact in plan.graph.facts
        if len(fact.versions) > 1 and any(check.fact == fact.id for check in plan.checks)
    ]
    assert revised, "what a program was built on changes later"


def test_blocks_have_the_length_that_was_asked_for() -> None:
    plan = plan_for("s7", "medium", None, 5, 1)
    assert [len(session.tasks) for session in plan.sessions] == [BLOCK_LENGTH] * 3 + [11, 10]
    short = plan_for("s7", "medium", {"block_length": 4}, 2, 1)
    assert [len(session.tasks) for session in short.sessions] == [4, 4]
    with pytest.raises(InputError, match="block_length"):
        plan_for("s7", "medium", {"block_length": 3}, 2, 1)


def test_every_claimed_mechanism_is_exercised() -> None:
    check_enough("s7", ("compression", "interference", "revision"))


@pytest.mark.slow
def test_a_thousand_sessions() -> None:
    check_long_life("s7")


def test_the_texts_meet_the_bars() -> None:
    from agingbench.validity.texts import texts

    assert texts(["s7"], [21], 10).broken == []


# -- migrations are events


def test_migrations_fall_where_the_events_say() -> None:
    plan = plan_for("s7", "light", None, 6, 0, parse_events(["schema_migration@3"], 6))
    (field,) = about(plan, "field")
    assert field.born == 2
    none = plan_for("s7", "light", None, 6, 0, [])
    assert about(none, "field") == []
    assert "migrate" not in "".join(requests(none, t) for t in range(6))


def test_default_events_mark_the_migrations() -> None:
    assert SCENARIO.default_events(3) == []
    assert SCENARIO.default_events(10) == ["schema_migration@4", "schema_migration@9"]
    assert [str(event) for event in plan_of().events] == SCENARIO.default_events(10)


def test_there_is_nothing_to_migrate_before_the_program_or_elsewhere() -> None:
    events = parse_events(["schema_migration@1"], 6)
    with pytest.raises(InputError, match="no program to migrate"):
        plan_for("s7", "light", None, 6, 0, events)
    with pytest.raises(InputError, match="s5_self_planning has nothing to migrate"):
        plan_for("s5", "light", None, 6, 0, events)


def test_a_migration_has_no_control_life_and_other_events_keep_it() -> None:
    own = ("schema_migration@4",)
    assert not Cell("s7", OWN, 6, events=own).controlled
    mixed = Cell("s7", OWN, 6, events=(*own, "workspace_flush@5"))
    assert mixed.controlled
    assert mixed.without_events().events == own


# -- the ideal agent, one that does nothing, and one that forgets


class Ideal(WorkspaceAgent):
    """Keeps exactly what holds in its notes, writes the right program, and knows every answer."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(Scripted(lambda messages, tools: "Done."), Workspace())
        self.plan = plan
        self.blocks = 0
        self.gold = {(probe.t, probe.prompt): gold_answer(probe) for probe in plan.probes}

    def end_session(self) -> None:
        super().end_session()
        self.blocks += 1
        assert isinstance(self.memory, Workspace)
        notes = {"notes/all.md": "\n".join(perfect_memory(self.plan, self.blocks))}
        program = SCENARIO.solution(self.plan, self.blocks)
        self.memory.files = {INSTRUCTION_FILE: "", **notes, **program}

    def fork(self) -> Ideal:
        return self

    def ask(self, question: str, context: str | None = None) -> Answer:
        return Answer(self.gold.get((self.blocks, question), self.gold.get((0, question), "")))


def scored(plan: Plan, agent: WorkspaceAgent) -> tuple[LifeScores, InMemory]:
    keeper = InMemory()
    live_plan(plan, SCENARIO, agent, keeper)
    states = [(t, keeper.states[str(t)]) for t in range(1, plan.n_sessions + 1)]
    code = program_checks(plan, states)
    return score(LifeRecord(plan, keeper.events, keeper.answers, keeper.texts, code)), keeper


@confined
def test_the_ideal_agent_has_one_everywhere_and_the_card_says_so() -> None:
    plan = plan_of("light", 5, 4)
    scores, keeper = scored(plan, Ideal(plan))
    assert {point.m for point in scores.curve} == {1.0}
    assert {part.value for part in scores.code_by_session.values()} == {1.0}
    assert len(scores.code_by_session) == 5
    assert {part.value for part in scores.memory_metrics["workspace_fidelity"].values()} == {1.0}
    for name, part in scores.probe_metrics.items():
        assert part.value in (1.0, None), name

    record = OWN.record(SCENARIO.id)
    card = make_card(plan, SCENARIO, record, scores, keeper.events, keeper.answers)
    assert (card.track, card.tier) == ("agent", 2)
    compression = card.mechanism_metrics.compression
    assert compression.program_trajectory is not msgspec.UNSET
    assert [value for _, value, _ in compression.program_trajectory] == [1.0] * 5
    maintenance = card.mechanism_metrics.maintenance.document()
    assert maintenance["events"] == ["schema_migration@4"]
    assert maintenance["recall_deltas"] == maintenance["program_deltas"]
    assert maintenance["program_deltas"] == [["schema_migration@4", 0.0]]
    document = metrics_document(scores, plan)
    assert document.code is not msgspec.UNSET
    assert document.code.by_session is not msgspec.UNSET


def test_an_agent_that_does_nothing_has_nothing() -> None:
    plan = plan_of("light", 5, 4)
    agent = WorkspaceAgent(Scripted(lambda messages, tools: ""), Workspace())
    scores, keeper = scored(plan, agent)
    assert {point.m for point in scores.curve} == {0.0}
    assert {part.value for part in scores.code_by_session.values()} == {0.0}
    assert {part.value for part in scores.memory_metrics["workspace_fidelity"].values()} == {0.0}
    card = make_card(plan, SCENARIO, OWN.record(SCENARIO.id), scores, keeper.events, keeper.answers)
    assert any(warning.startswith("no_program") for warning in card.warnings)


@confined
def test_a_migration_that_was_missed_shows_in_its_window() -> None:
    plan = plan_of("light", 5, 0)

    class Forgets(Ideal):
        def end_session(self) -> None:
            super().end_session()
            assert isinstance(self.memory, Workspace)
            self.memory.files |= SCENARIO.solution(plan, min(self.blocks, 3))

    scores, _ = scored(plan, Forgets(plan))
    rates = [part.value or 0.0 for part in scores.code_by_session.values()]
    assert rates[:3] == [1.0] * 3
    assert max(rates[3:]) < 1.0
    delta = scores.code_windows["schema_migration@4"].delta
    assert delta is not None
    assert delta < 0


def test_bounds_hold() -> None:
    found = bounds(["s7"], range(1), 3, ("medium",))
    assert [line for line in found.broken if "_of_kind" not in line] == []


@pytest.mark.slow
@pytest.mark.parametrize("sessions", [6, 12])
def test_bounds_hold_over_more_lives(sessions: int) -> None:
    found = bounds(["s7"], range(300, 304), sessions, tuple(PRESETS))
    assert [line for line in found.broken if "_of_kind" not in line] == []


# -- lives through files


def test_a_model_with_file_tools_lives_it_and_a_stopped_life_goes_on(tmp_path: Path) -> None:
    plan = plan_of("none", 4, 2)
    whole, card = run_life(plan, OWN, tmp_path / "whole")
    assert card["track"] == "agent"
    if available()[0]:
        assert card["mechanism_metrics"]["compression"]["code_pass_rate"] > 0.9
    assert card["headline"]["m0_basis"] == "workspace after session 0"

    class Stop(Exception):
        pass

    def stop(t: int) -> None:
        if t == 2:
            raise Stop

    with pytest.raises(Stop):
        run_life(plan, OWN, tmp_path / "cut", progress=stop)
    path, _ = run_life(plan, OWN, tmp_path / "cut")
    assert normal_files(path) == normal_files(whole)


class Killed(Exception):
    """Stands for a process that is killed."""


def test_killed_during_a_block_it_goes_on_with_the_workspace_of_the_last_whole_one(
    tmp_path: Path,
) -> None:
    from agingbench.bench.life.folder import RunDirectory

    plan = plan_of("light", 4, 2)

    class Writer(WorkspaceAgent):
        """Writes one line for every request; is killed at one of them."""

        def __init__(self, deadly: str) -> None:
            super().__init__(Scripted(lambda messages, tools: "Done."), Workspace())
            self.deadly = deadly

        def act(self, text: str, tools: Any, emit: Any) -> str:
            assert isinstance(self.memory, Workspace)
            words = re.sub(r"\\s+", " ", text)[-40:]
            log = self.memory.files.get("notes/log.md", "")
            self.memory.files["notes/log.md"] = f"{log}{words}\n"
            if self.deadly and text.endswith(self.deadly):
                raise Killed
            return super().act(text, tools, emit)

        def fork(self) -> Writer:
            return self

    def lives(folder: Path, deadly: str) -> dict[str, str]:
        with RunDirectory(folder) as run:
            run.prepare(plan, OWN.record("s7_research_notes"))
            live_plan(plan, SCENARIO, Writer(deadly), run)
            files: dict[str, str] = run.snapshot(4).state["memory"]["files"]
        return files

    deadly = plan.sessions[2].tasks[-1].text.rpartition("\n\n")[2]
    with pytest.raises(Killed):
        lives(tmp_path / "cut", deadly)
    assert lives(tmp_path / "cut", "") == lives(tmp_path / "whole", "")


@confined
def test_a_program_of_a_command_line_agent_is_checked_in_its_workspace(tmp_path: Path) -> None:
    from agingbench.bench.life.folder import RunDirectory
    from agingbench.bench.life.life import Life

    plan = plan_of("none", 1, 0)
    session = plan.sessions[0]
    build = [task for task in session.tasks if task.domain == "program"]
    short = [msgspec.structs.replace(session, tasks=build)]
    plan = msgspec.structs.replace(plan, sessions=short, probes=plan.probes_at(1)[:1])
    coder = tmp_path / "coder.py"
    coder.write_text(
        "import pathlib, sys\n"
        "if 'command-line program' in sys.stdin.read():\n"
        f"    pathlib.Path('notes.py').write_text({SCENARIO.solution(plan, 1)['notes.py']!r})\n"
        "print('Done.')\n"
    )
    options = {"command": f"{sys.executable} -I -S {coder}", "confine": "off"}
    sut = Sut(memory="workspace", agent="command", agent_options=options)
    life = Life(plan, SCENARIO, sut, RunDirectory(tmp_path / "life"))
    life.live()
    card = life.score().document()
    assert card["track"] == "agent"
    assert card["mechanism_metrics"]["compression"]["code_pass_rate"] == 1.0
    again = life.score().document()
    assert again["mechanism_metrics"] == card["mechanism_metrics"]
