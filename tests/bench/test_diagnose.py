"""Diagnosis of lives: what each condition reads, which planted fault shows where, and that it goes on after a stop."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agingbench.agents.react import ReactAgent
from agingbench.bench.actions import REREAD
from agingbench.bench.cells import Means
from agingbench.bench.contexts import full_history, gold_sentences
from agingbench.bench.diagnose import P1, P2, P3, Diagnosis, Recorder, diagnose_life, diagnosis_of, wanted_rows
from agingbench.bench.diagnosing import AnswerFile, diagnose_run
from agingbench.bench.estimate import Budget, BudgetReached
from agingbench.bench.facts import seen_by, states_fact
from agingbench.bench.life import CONTROL, AnswerRow, live
from agingbench.bench.plan import Plan, parse_events
from agingbench.bench.profile import diagnosis_json
from agingbench.bench.run import load_scenario, plan_for, run_life, score_run
from agingbench.bench.rundir import RunDirectory, read_answers
from agingbench.bench.sut import Sut, build, with_defaults
from agingbench.cards import validate_card
from agingbench.errors import InputError, TransportError
from agingbench.memory.append_only import AppendOnly
from agingbench.models.extractive import Extractive
from agingbench.records import Event, Message, Reply, Tool
from tests.bench.lives import SCENARIO, part

HERE = __name__
SCENARIOS = ("s1", "s2", "s3", "s4", "s5", "s6")


class Lived:
    """A life in memory and its diagnosis."""

    def __init__(self, plan: Plan, make: Callable[[], Any], scenario: Any = SCENARIO, **options: Any) -> None:
        self.plan, self.kept = plan, Recorder()
        self.rows: list[AnswerRow] = []
        live(plan, scenario, make(), self.kept)
        self.found: Diagnosis = diagnose_life(
            plan, make(), self.kept.answers, self.kept.states, keep=self.rows.append, **options
        )

    def contexts(self, condition: str) -> dict[str, str]:
        return {row.probe: row.context or "" for row in self.rows if row.condition == condition}


def s2_plan(events: Sequence[str] = (), sessions: int = 6, seed: int = 0) -> Plan:
    return plan_for("s2", sessions=sessions, seed=seed, events=parse_events(events, sessions))


def agent(memory: Any = None, model: Any = None) -> Callable[[], ReactAgent]:
    return lambda: ReactAgent(model or Extractive(), (memory or AppendOnly)(), SCENARIO.role)


# -- what the conditions read


def test_p2_reads_the_agents_own_units_and_p3_the_gold_sentences() -> None:
    plan = s2_plan()
    lived = Lived(plan, agent())
    owned = {t: set(lived.kept.states[str(t)]["memory"]["episodes"]) for t in range(1, 7)}
    for probe in (p for p in plan.probes if p.t > 0):
        own = lived.contexts(P2)[probe.id]
        whole = set(own.split("\n\n")) <= owned[probe.t]
        assert whole or all(any(line in unit for unit in owned[probe.t]) for line in own.split("\n"))
        for name in probe.facts:
            assert states_fact(own, plan.graph.by_id[name], probe.t)
        assert lived.contexts(P3)[probe.id].split("\n") == gold_sentences(plan, probe)


def test_gold_sentences_are_those_that_hold_at_the_point_and_were_told_by_then() -> None:
    plan = plan_for("s2", "heavy", sessions=12)
    texts = ["\n".join(s.text for s in plan.sessions[: seen_by(t)]) for t in range(13)]
    for probe in plan.probes:
        gold = gold_sentences(plan, probe)
        assert gold
        assert all(sentence in texts[probe.t] for sentence in gold)
        versions = [plan.graph.by_id[name].at(probe.t) for name in probe.facts]
        assert {v.sentence for v in versions if v is not None} <= set(gold)
        if probe.account:
            account = plan.graph.account_by_id[probe.account]
            told = [d for d in account.deltas if d.session < seen_by(probe.t)]
            assert {account.sentence, *(d.sentence for d in told)} == set(gold)


def test_nothing_but_the_memory_slot_differs_between_the_conditions() -> None:
    asked: list[tuple[str, str]] = []

    class Listens(Extractive):
        def complete(
            self, messages: Sequence[Message], tools: Sequence[Tool] = (), max_tokens: int = 1024,
            seed: int | None = None,
        ) -> Reply:  # fmt: skip
            if part(messages) == "probe":
                head, _, rest = messages[0].content.partition("<memory>\n")
                slot, _, tail = rest.rpartition("\n</memory>")
                asked.append((repr((head, tail, messages[1:], list(tools), max_tokens, seed)), slot))
            return super().complete(messages, tools, max_tokens, seed)

    plan = s2_plan(sessions=3)
    lived = Lived(plan, agent(model=Listens()))
    n = sum(p.t > 0 for p in plan.probes)
    as_lived, extra = asked[len(asked) - 3 * n : len(asked) - 2 * n], asked[len(asked) - 2 * n :]
    assert sorted([around for around, _ in as_lived] * 2) == sorted(around for around, _ in extra)
    assert {slot for _, slot in extra} == {*lived.contexts(P2).values(), *lived.contexts(P3).values()}


def test_at_point_0_nothing_was_written_so_nothing_is_asked() -> None:
    lived = Lived(s2_plan(sessions=3), agent())
    assert {row.t for row in lived.rows} == {1, 2, 3}
    assert 0 not in lived.found.sessions


def test_units_beyond_what_the_agent_ever_read_are_cut_to_the_sentences_that_matter() -> None:
    plan = s2_plan(sessions=10)
    lived = Lived(plan, lambda: ReactAgent(Extractive(), AppendOnly(k=1), SCENARIO.role))
    account = next(p for p in plan.probes if p.t == 10 and p.type == "account")
    own = lived.contexts(P2)[account.id]
    assert "\n\n" not in own
    assert len(own) < 3 * len(lived.contexts(P3)[account.id])
    assert plan.graph.account_by_id[account.account or ""].sentence in own


# -- every scenario


@pytest.mark.parametrize("name", SCENARIOS)
@pytest.mark.parametrize("memory", ["append_only", "lossy_compress", "no_memory"])
def test_every_scenario_and_policy_is_diagnosed_and_adds_up(name: str, memory: str) -> None:
    scenario = load_scenario(name)
    plan = plan_for(scenario, sessions=4)
    sut = with_defaults(Sut(memory=memory), scenario, {"memory", "agent"})
    lived = Lived(plan, lambda: build(sut, scenario.role).agent, scenario)
    found = lived.found.life
    wrong = 1 - (found.accuracy[P1].value or 0.0)
    assert sum(step.value or 0.0 for step in found.steps.values()) == pytest.approx(wrong)
    assert found.n == sum(p.t > 0 for p in plan.probes)
    assert (found.accuracy[P3].value or 0.0) > 0.85  # with the gold in front of it the reader knows
    assert found.abstained == (memory == "lossy_compress")
    if memory == "append_only":
        assert (found.accuracy[P2].value or 0.0) > 0.85
    if memory == "no_memory":
        assert found.accuracy[P2].value == found.accuracy[P1].value == 0.0
        assert set(lived.contexts(P2).values()) == {""}


def test_an_agent_that_owns_its_files_is_labelled_end_to_end_and_p2_reads_its_files() -> None:
    scenario = load_scenario("s5")
    plan = plan_for(scenario, sessions=4)
    sut = with_defaults(Sut(), scenario, ())
    lived = Lived(plan, lambda: build(sut, scenario.role).agent, scenario)
    assert lived.found.end_to_end
    files = set(lived.kept.states["4"]["memory"]["files"].values())
    at_end = [lived.contexts(P2)[p.id] for p in plan.probes_at(4)]
    assert any(context in files for context in at_end if context)
    assert (lived.found.life.accuracy[P3].value or 0.0) > 0.9


# -- planted faults


class IgnoresWhatItReads(Extractive):
    """Answers as if nothing stood before it."""

    def complete(
        self, messages: Sequence[Message], tools: Sequence[Tool] = (), max_tokens: int = 1024, seed: int | None = None
    ) -> Reply:
        head, _, rest = messages[0].content.partition("<memory>")
        blind = Message(messages[0].role, f"{head}<memory>\n</memory>{rest.rpartition('</memory>')[2]}")
        return super().complete([blind, *messages[1:]] if rest else messages, tools, max_tokens, seed)


class Blind(AppendOnly):
    """Keeps everything and finds nothing."""

    def read(self, query: str) -> str:
        return ""

    def copy(self) -> Blind:
        twin = Blind(self.k)
        twin.episodes, twin._index, twin._shared = self.episodes, self._index, True
        self._shared = True
        return twin


class Drops(AppendOnly):
    """Writes nothing down."""

    def write(self, events: Sequence[Event]) -> None:
        return None


@pytest.mark.parametrize(
    ("memory", "model", "events", "stage"),
    [
        (AppendOnly, IgnoresWhatItReads, (), "utilization"),
        (Blind, Extractive, (), "retrieval"),
        (Drops, Extractive, (), "write"),
        (AppendOnly, Extractive, ("flush_history@3",), "store"),
    ],
)
def test_a_planted_fault_shows_as_its_stage(memory: Any, model: Any, events: tuple[str, ...], stage: str) -> None:
    lived = Lived(s2_plan(events), agent(memory, model()))
    assert lived.found.stage == stage
    told = diagnosis_json(lived.found, lived.plan)
    assert told["stage"] == stage
    assert told["hint"]["stage"] == stage
    assert told["hint"]["try"]
    assert "%" in told["hint"]["evidence"]


def test_an_agent_that_ignores_what_it_reads_shows_u_because_the_gold_stands_where_its_memory_would() -> None:
    lived = Lived(s2_plan(), agent(AppendOnly, IgnoresWhatItReads()))
    shares = lived.found.life.shares
    assert shares["U"].value == 1.0
    assert shares["W"].value == shares["R"].value == 0.0


def test_the_workspace_agent_that_ignores_what_it_reads_shows_u_too() -> None:
    class Ignores(Extractive):
        def complete(
            self, messages: Sequence[Message], tools: Sequence[Tool] = (), max_tokens: int = 1024,
            seed: int | None = None,
        ) -> Reply:  # fmt: skip
            reply = super().complete(messages, tools, max_tokens, seed)
            return (
                reply if reply.tool_calls or part(messages) != "probe" else Reply("I do not know.", usage=reply.usage)
            )

    scenario = load_scenario("s5")
    sut = with_defaults(Sut(model=f"{HERE}:Ignores"), scenario, {"model"})
    sys.modules[HERE].Ignores = Ignores  # type: ignore[attr-defined]
    lived = Lived(plan_for(scenario, sessions=3), lambda: build(sut, scenario.role).agent, scenario)
    assert lived.found.life.shares["U"].value == 1.0


def test_a_healthy_life_has_no_hint() -> None:
    lived = Lived(plan_for("s3", sessions=5), agent(), load_scenario("s3"))
    assert lived.found.stage is None
    assert diagnosis_json(lived.found, lived.plan)["hint"] is None


# -- events


def test_around_an_event_the_same_probes_are_asked_on_the_store_before_and_after() -> None:
    lived = Lived(s2_plan(("flush_history@3", "partial_reset@5:ratio=0.5")), agent())
    flush, reset = lived.found.events
    assert (flush.event, flush.at, flush.of) == ("flush_history@3", 3, "W")
    assert flush.delta.n == len(lived.plan.probes_at(3))
    assert (flush.delta.value or 0.0) > 0.8
    assert flush.supported
    assert (reset.event, reset.at) == ("partial_reset@5:ratio=0.5", 5)
    assert lived.found.mechanisms["maintenance"].n == len(lived.plan.probes_at(3)) + len(lived.plan.probes_at(5))
    before = {r.probe for r in lived.rows if r.condition == P3 + "_before"}
    assert before == {p.id for p in lived.plan.probes if p.t in (3, 5)}


def test_of_a_blob_the_change_is_joint_and_p1_is_asked_on_the_store_before() -> None:
    scenario = load_scenario("s2")
    plan = s2_plan(("flush_history@3",))
    lived = Lived(plan, lambda: build(Sut(memory="careful_compress"), scenario.role).agent)
    assert lived.found.events[0].of == "W+R"
    asked = [r for r in lived.rows if r.condition == P1 + "_before"]
    assert {r.status for r in asked} == {"answered"}


def test_a_swapped_model_answers_from_its_event_on() -> None:
    plan = s2_plan((f"model_swap@3:model={HERE}:IgnoresWhatItReads",), sessions=4)
    scenario = load_scenario("s2")
    built = build(Sut(memory="append_only"), scenario.role)
    kept = Recorder()
    live(plan, scenario, built.agent, kept, swap=built.swap)
    again = build(Sut(memory="append_only"), scenario.role)
    found = diagnose_life(plan, again.agent, kept.answers, kept.states, swap=again.swap)
    assert [found.sessions[t].accuracy[P3].value == 0.0 for t in (1, 2, 3, 4)] == [False, False, True, True]
    assert found.events[0].delta.value is not None
    with pytest.raises(InputError, match="nobody here can build"):
        diagnose_life(plan, build(Sut(memory="append_only"), scenario.role).agent, kept.answers, kept.states)


def test_what_a_controller_did_to_the_agent_holds_for_the_conditions_too() -> None:
    seen: list[bool] = []

    class Listens(Extractive):
        def complete(
            self, messages: Sequence[Message], tools: Sequence[Tool] = (), max_tokens: int = 1024,
            seed: int | None = None,
        ) -> Reply:  # fmt: skip
            seen.append(REREAD in messages[0].content)
            return super().complete(messages, tools, max_tokens, seed)

    plan = s2_plan(sessions=3)
    kept = Recorder()
    live(plan, SCENARIO, agent()(), kept)
    told = {"action": "force_reread", "args": {}, "reason": "", "at": 2}
    events = [*kept.events, Event(step=0, role="meta", lifecycle=CONTROL, session=1, metadata=told)]
    rows: list[AnswerRow] = []
    diagnose_life(plan, agent(model=Listens())(), kept.answers, kept.states, events=events, keep=rows.append)
    assert seen == [row.t >= 2 for row in rows]


# -- failed calls


class Breaks(Extractive):
    """Cannot be reached for every fifth question."""

    def complete(
        self, messages: Sequence[Message], tools: Sequence[Tool] = (), max_tokens: int = 1024, seed: int | None = None
    ) -> Reply:
        if part(messages) == "probe" and sum(map(ord, messages[-1].content + messages[0].content)) % 5 == 0:
            raise TransportError("gone")
        return super().complete(messages, tools, max_tokens, seed)


def test_a_probe_that_failed_in_one_condition_leaves_all_three_and_is_counted() -> None:
    plan = s2_plan()
    lived = Lived(plan, agent(AppendOnly, Breaks()))
    rows = [r for r in [*lived.kept.answers, *lived.rows] if r.t > 0]
    failed = {r.probe for r in rows if r.status == "failed"}
    assert failed
    found = lived.found
    assert found.life.n_excluded == len(failed)
    assert found.life.n == sum(p.t > 0 for p in plan.probes) - len(failed)
    assert found.excluded == {c: sum(r.status == "failed" for r in rows if r.condition == c) for c in (P1, P2, P3)}
    kept = [r for r in rows if r.probe not in failed and r.condition == P1]
    assert len(kept) == found.life.n
    assert found == diagnosis_of(plan, rows, [r for r in rows if r.condition != P1])


# -- on disk


class Counts(Extractive):
    """Counts what it is asked, and may be killed."""

    calls = 0
    most = 10**9

    def complete(
        self, messages: Sequence[Message], tools: Sequence[Tool] = (), max_tokens: int = 1024, seed: int | None = None
    ) -> Reply:
        if Counts.calls >= Counts.most:
            raise KeyboardInterrupt
        Counts.calls += 1
        return super().complete(messages, tools, max_tokens, seed)


@pytest.fixture
def counts() -> type[Counts]:
    Counts.calls, Counts.most = 0, 10**9
    return Counts


def lived_on_disk(out: Path, sut: Sut | None = None, events: Sequence[str] = ("flush_history@3",)) -> Path:
    plan = s2_plan(events, sessions=4)
    return run_life(plan, sut or Sut(memory="append_only"), out)[0]


def shown(path: Path) -> Any:
    return json.loads(RunDirectory(path).diagnosis.read_text())


def test_a_life_on_disk_is_diagnosed_like_the_same_life_in_memory_and_scoring_changes_nothing(tmp_path: Path) -> None:
    path = lived_on_disk(tmp_path)
    answers = RunDirectory(path).answers.read_bytes()
    calls = diagnose_run(path, Means())
    card = score_run(path)
    plan = RunDirectory(path).plan()
    lived = Lived(plan, agent())
    assert card["diagnosis"] == shown(path) == json.loads(json.dumps(diagnosis_json(lived.found, plan)))
    assert validate_card(card) == []
    assert RunDirectory(path).answers.read_bytes() == answers
    assert calls == len([key for key in wanted_rows(plan) if key[0] != f"{P1}_before"]) + 2 * 24
    assert diagnose_run(path, Means()) == 0
    assert score_run(path) == card
    for name in ("write_share", "retrieval_share", "utilization_share"):
        block = card["mechanism_metrics"]["compression"]
        assert block[name] is not None
        assert len(block[f"{name}_ci"]) == 2
        assert block[f"{name}_n"] > 0
    assert card["mechanism_metrics"]["maintenance"]["delta_s"] == card["diagnosis"]["events"][0]["delta_s"]["value"]
    assert card["cost_and_efficiency"]["total_calls"] < card["diagnosis"]["cost"]["total_calls"] * 5


def test_what_the_diagnosis_took_is_counted_apart_from_the_life(tmp_path: Path) -> None:
    path = lived_on_disk(tmp_path)
    before = score_run(path)["cost_and_efficiency"]
    diagnose_run(path, Means())
    card = score_run(path)
    assert card["cost_and_efficiency"] == before
    rows = read_answers(RunDirectory(path).diagnosis_answers)
    assert card["diagnosis"]["cost"]["total_calls"] == sum(row.usage.calls for row in rows)


def test_a_diagnosis_that_was_killed_goes_on_and_makes_no_call_twice(tmp_path: Path, counts: type[Counts]) -> None:
    sut = Sut(model=f"{HERE}:Counts", memory="append_only")
    whole, cut = lived_on_disk(tmp_path / "a", sut), lived_on_disk(tmp_path / "b", sut)
    counts.calls = 0
    diagnose_run(whole, Means(), calibrate=True)
    needed, counts.calls = counts.calls, 0
    for most in (7, 30, 65, 10**9):
        counts.most = most
        try:
            diagnose_run(cut, Means(), calibrate=True)
        except KeyboardInterrupt:
            file = RunDirectory(cut).diagnosis_answers
            assert len(file.read_bytes().splitlines()) >= most
            card = score_run(cut)
            assert "diagnosis" not in card
            assert any(w.startswith("diagnosis_incomplete") for w in card["warnings"])
            file.write_bytes(file.read_bytes() + b'{"t":1,"pro')  # and a line that was cut off
    assert counts.calls == needed
    assert score_run(cut)["diagnosis"] == score_run(whole)["diagnosis"]
    names = {"diagnosis_answers", "calibration_answers"}
    for name in names:
        one, other = (read_answers(getattr(RunDirectory(p), name)) for p in (whole, cut))
        assert [msgspec.structs.replace(r, latency_ms=None) for r in one] == [
            msgspec.structs.replace(r, latency_ms=None) for r in other
        ]


def test_with_many_workers_the_files_are_the_same(tmp_path: Path, counts: type[Counts]) -> None:
    path = lived_on_disk(tmp_path, Sut(model=f"{HERE}:Counts", memory="append_only"))
    diagnose_run(path, Means(probes_at_once=1))
    one = RunDirectory(path).diagnosis_answers.read_bytes()
    RunDirectory(path).diagnosis_answers.unlink()
    diagnose_run(path, Means(probes_at_once=8))
    strip = [msgspec.structs.replace(r, latency_ms=None) for r in read_answers(RunDirectory(path).diagnosis_answers)]
    RunDirectory(path).diagnosis_answers.write_bytes(one)
    again = [msgspec.structs.replace(r, latency_ms=None) for r in read_answers(RunDirectory(path).diagnosis_answers)]
    assert strip == again


def test_replies_that_the_cache_holds_are_not_asked_for(tmp_path: Path, counts: type[Counts]) -> None:
    path = lived_on_disk(tmp_path, Sut(model=f"{HERE}:Counts", memory="append_only"))
    means = Means(cache=tmp_path / "cache")
    diagnose_run(path, means, calibrate=True)
    made = counts.calls
    for file in (RunDirectory(path).diagnosis_answers, RunDirectory(path).calibration_answers):
        file.unlink()
    diagnose_run(path, means, calibrate=True)
    assert counts.calls == made


class Priced(Counts):
    """Costs money."""

    name = "openai:gpt-4o-mini"

    def complete(
        self, messages: Sequence[Message], tools: Sequence[Tool] = (), max_tokens: int = 1024, seed: int | None = None
    ) -> Reply:
        reply = super().complete(messages, tools, max_tokens, seed)
        return msgspec.structs.replace(reply, usage=msgspec.structs.replace(reply.usage, cost_usd=None))


@pytest.mark.parametrize("workers", [1, 4])
def test_no_more_is_spent_than_may_be_and_more_money_goes_on(
    tmp_path: Path, counts: type[Counts], workers: int
) -> None:
    path = lived_on_disk(tmp_path, Sut(model=f"{HERE}:Priced", memory="append_only"))
    counts.calls = 0
    budget = Budget(0.002)
    with pytest.raises(BudgetReached, match="nothing is lost"):
        diagnose_run(path, Means(budget=budget, probes_at_once=workers))
    made = counts.calls
    assert made > 10
    assert 0.001 < budget.spent <= 0.002
    kept = [r for r in read_answers(RunDirectory(path).diagnosis_answers) if r.status != "abstained"]
    assert len(kept) == made
    rest = diagnose_run(path, Means(probes_at_once=workers))
    asked = [key for key in wanted_rows(RunDirectory(path).plan()) if key[0] != f"{P1}_before"]
    assert made + rest == len(asked) == counts.calls


def test_a_failed_call_is_made_again_the_next_time(tmp_path: Path) -> None:
    path = lived_on_disk(tmp_path)
    diagnose_run(path, Means())
    file = AnswerFile(RunDirectory(path).diagnosis_answers)
    rows = file.rows()
    good = rows[-1]
    file.replace([*rows[:-1], AnswerRow(good.t, good.probe, good.condition, "", "failed", "gone")])
    assert score_run(path)["diagnosis"]["n_excluded"] == 1
    assert diagnose_run(path, Means()) == 1
    assert score_run(path)["diagnosis"]["n_excluded"] == 0


def test_calls_grow_with_the_probes_and_not_faster() -> None:
    made = []
    for sessions in (6, 12, 24):
        plan = plan_for("s3", "light", sessions=sessions)
        lived = Lived(plan, agent(), load_scenario("s3"))
        probes = sum(p.t > 0 for p in plan.probes)
        assert lived.found.usage.calls == 2 * probes
        made.append(lived.found.usage.calls / probes)
    assert made == [2.0, 2.0, 2.0]


def test_a_life_that_has_not_ended_or_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not a run directory"):
        diagnose_run(tmp_path, Means())
    path = lived_on_disk(tmp_path)
    lines = RunDirectory(path).trace.read_bytes().splitlines(keepends=True)
    RunDirectory(path).trace.write_bytes(b"".join(lines[:-1]))
    with pytest.raises(InputError, match="has not ended"):
        diagnose_run(path, Means())


def test_broken_files_are_named(tmp_path: Path) -> None:
    path = lived_on_disk(tmp_path)
    run = RunDirectory(path)
    run.diagnosis_answers.write_bytes(b'{"t":1}\n')
    with pytest.raises(InputError, match=r"diagnosis_answers\.jsonl:1"):
        diagnose_run(path, Means())
    run.diagnosis_answers.unlink()
    (run.memory / "2.json").write_text("{}")
    with pytest.raises(InputError, match=r"2\.json: not a memory snapshot"):
        diagnose_run(path, Means())
    (run.memory / "2.json").write_text('{"t": 2, "state": {"memory": {}}, "text": ""}')
    with pytest.raises(InputError, match=r"memory/2\.json: this agent cannot take up the state"):
        diagnose_run(path, Means())
    for broken in ("{}", "[]", "3", '{"model": 3}'):
        run.sut_file.write_text(broken)
        with pytest.raises(InputError, match=r"sut\.json: not the record of a system"):
            diagnose_run(path, Means())


def test_the_whole_history_is_every_session_before_the_point_in_order() -> None:
    plan = s2_plan(sessions=3)
    assert full_history(plan, 0) == full_history(plan, 1) == plan.sessions[0].text
    assert full_history(plan, 3) == "\n\n".join(s.text for s in plan.sessions)
