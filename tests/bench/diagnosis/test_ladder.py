"""Diagnosis of lives: what each condition reads, which planted fault shows where, and that it goes
on after a stop.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import pytest

from agingbench.agents.react import ReactAgent
from agingbench.bench.diagnosis.contexts import gold_sentences
from agingbench.bench.diagnosis.hints import diagnosis_document
from agingbench.bench.diagnosis.ladder import P1, P2, P3, diagnose_life, diagnosis_of
from agingbench.bench.life.actions import REREAD
from agingbench.bench.life.loop import live_plan
from agingbench.bench.life.planning import load_scenario, plan_for
from agingbench.bench.life.system import Sut, build, with_defaults
from agingbench.bench.life.transitions import InMemory
from agingbench.bench.plan.facts import Account, Delta, Version, sessions_before, states_fact
from agingbench.bench.plan.plan import Plan, Probe
from agingbench.errors import InputError, TransportError
from agingbench.memory.append_only import AppendOnly
from agingbench.models.extractive import Extractive
from agingbench.records import Event, Message, Reply, Tool
from agingbench.trials.run_folder import CONTROLLER_ACTION, AnswerRow
from tests.bench.diagnosis.diagnosed import Lived, agent, s2_plan
from tests.bench.lives import SCENARIO, part
from tests.sampling import one_in

HERE = __name__
SCENARIOS = ("s1", "s2", "s3", "s4", "s5", "s6", "s7")


def probes_of_ladder(plan: Plan) -> list[Probe]:
    """What is asked again: everything after day one but what was taken back."""
    return [p for p in plan.probes if p.t > 0 and p.required]


# -- what the conditions read


def test_p2_reads_the_agents_own_units_and_p3_the_gold_sentences() -> None:
    plan = s2_plan()
    lived = Lived(plan, agent())
    owned = {t: set(lived.kept.states[str(t)]["memory"]["episodes"]) for t in range(1, 7)}
    for probe in probes_of_ladder(plan):
        own = lived.contexts(P2)[probe.id]
        whole = set(own.split("\n\n")) <= owned[probe.t]
        assert whole or all(
            any(line in unit for unit in owned[probe.t]) for line in own.split("\n")
        )
        for name in probe.facts:
            assert states_fact(own, plan.graph.by_id[name], probe.t)
        assert lived.contexts(P3)[probe.id].split("\n") == gold_sentences(plan, probe)


def passages_of(plan: Plan) -> dict[str, set[str]]:
    """By plain sentence, what the sessions say for it."""
    told: list[Version | Account | Delta] = []
    for fact in plan.graph.facts:
        told += fact.versions
    for account in plan.graph.accounts:
        told += [account, *account.deltas]
    passages: dict[str, set[str]] = {}
    for one in told:
        passages.setdefault(one.sentence, set()).add(one.passage or one.sentence)
    return passages


def test_gold_sentences_are_those_that_hold_at_the_point_and_were_told_by_then() -> None:
    plan = plan_for("s2", "heavy", sessions=12)
    texts = ["\n".join(s.text for s in plan.sessions[: sessions_before(t)]) for t in range(13)]
    passages = passages_of(plan)
    for probe in (p for p in plan.probes if p.required):
        gold = gold_sentences(plan, probe)
        assert gold
        for sentence in gold:
            assert any(passage in texts[probe.t] for passage in passages[sentence]), sentence
        versions = [plan.graph.by_id[name].at(probe.t) for name in probe.facts]
        assert {v.sentence for v in versions if v is not None} <= set(gold)
        if probe.account:
            account = plan.graph.account_by_id[probe.account]
            told = [d for d in account.deltas if d.session < sessions_before(probe.t)]
            assert {account.sentence, *(d.sentence for d in told)} == set(gold)


def test_nothing_but_the_memory_slot_differs_between_the_conditions() -> None:
    asked: list[tuple[str, str]] = []

    class Listens(Extractive):
        def complete(
            self,
            messages: Sequence[Message],
            tools: Sequence[Tool] = (),
            max_tokens: int = 1024,
            seed: int | None = None,
        ) -> Reply:
            if part(messages) == "probe":
                head, _, rest = messages[0].content.partition("<memory>\n")
                slot, _, tail = rest.rpartition("\n</memory>")
                around = repr((head, tail, messages[1:], list(tools), max_tokens, seed))
                asked.append((around, slot))
            return super().complete(messages, tools, max_tokens, seed)

    plan = s2_plan(sessions=3)
    lived = Lived(plan, agent(model=Listens()))
    again = {probe.id for probe in probes_of_ladder(plan)}
    life, extra = asked[: -2 * len(again)], asked[-2 * len(again) :]
    # A life also asks what no condition asks again: point 0, and what was taken back.
    probes = [probe for point in range(4) for probe in plan.probes_at(point)]
    as_lived = [ask for probe, ask in zip(probes, life, strict=True) if probe.id in again]
    assert sorted([around for around, _ in as_lived] * 2) == sorted(around for around, _ in extra)
    assert {slot for _, slot in extra} == {
        *lived.contexts(P2).values(),
        *lived.contexts(P3).values(),
    }


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
    asked = plan.graph.account_by_id[account.account or ""]
    assert (asked.passage or asked.sentence) in own


# -- every scenario


@pytest.mark.parametrize("name", SCENARIOS)
@pytest.mark.parametrize("memory", one_in(3, ["lossy_compress", "append_only", "no_memory"]))
def test_every_scenario_and_policy_is_diagnosed_and_adds_up(name: str, memory: str) -> None:
    scenario = load_scenario(name)
    plan = plan_for(scenario, sessions=4)
    sut = with_defaults(Sut(memory=memory), scenario, {"memory", "agent"})
    lived = Lived(plan, lambda: build(sut, scenario.role).agent, scenario)
    found = lived.found.life
    wrong = 1 - (found.accuracy[P1].value or 0.0)
    assert sum(step.value or 0.0 for step in found.steps.values()) == pytest.approx(wrong)
    assert found.n == len(probes_of_ladder(plan))
    assert (found.accuracy[P3].value or 0.0) > 0.85  # with the gold in front of it the reader knows
    assert found.abstained == (memory == "lossy_compress")
    if memory == "append_only":
        # Its own units hold passages, which the reader takes in less often than plain sentences.
        own, gold = found.accuracy[P2].value or 0.0, found.accuracy[P3].value or 0.0
        assert (found.accuracy[P1].value or 0.0) <= own <= gold
        assert own > 0.65
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
    at_end = [lived.contexts(P2)[p.id] for p in plan.probes_at(4) if p.required]
    assert any(context in files for context in at_end if context)
    assert (lived.found.life.accuracy[P3].value or 0.0) > 0.9


# -- planted faults


class IgnoresWhatItReads(Extractive):
    """Answers as if nothing stood before it."""

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        max_tokens: int = 1024,
        seed: int | None = None,
    ) -> Reply:
        head, _, rest = messages[0].content.partition("<memory>")
        blind = Message(
            messages[0].role, f"{head}<memory>\n</memory>{rest.rpartition('</memory>')[2]}"
        )
        return super().complete(
            [blind, *messages[1:]] if rest else messages, tools, max_tokens, seed
        )


class Blind(AppendOnly):
    """Keeps everything and finds nothing."""

    def read(self, query: str) -> str:
        return ""

    def copy(self) -> Blind:
        twin = Blind(self.k)
        twin.episodes = self.episodes
        twin._index = self._index
        twin._shared = True
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
def test_a_planted_fault_shows_as_its_stage(
    memory: Any, model: Any, events: tuple[str, ...], stage: str
) -> None:
    lived = Lived(s2_plan(events), agent(memory, model()))
    assert lived.found.stage == stage
    told = diagnosis_document(lived.found, lived.plan).document()
    assert told["stage"] == stage
    assert told["hint"]["stage"] == stage
    assert told["hint"]["try"]
    assert "%" in told["hint"]["evidence"]


def test_an_agent_that_ignores_what_it_reads_shows_u_because_the_gold_stands_where_its_memory_would() -> (
    None
):
    lived = Lived(s2_plan(), agent(AppendOnly, IgnoresWhatItReads()))
    shares = lived.found.life.shares
    assert shares["U"].value == 1.0
    assert shares["W"].value == shares["R"].value == 0.0


def test_the_workspace_agent_that_ignores_what_it_reads_shows_u_too() -> None:
    class Ignores(Extractive):
        def complete(
            self,
            messages: Sequence[Message],
            tools: Sequence[Tool] = (),
            max_tokens: int = 1024,
            seed: int | None = None,
        ) -> Reply:
            reply = super().complete(messages, tools, max_tokens, seed)
            return (
                reply
                if reply.tool_calls or part(messages) != "probe"
                else Reply("I do not know.", usage=reply.usage)
            )

    scenario = load_scenario("s5")
    sut = with_defaults(Sut(model=f"{HERE}:Ignores"), scenario, {"model"})
    sys.modules[HERE].Ignores = Ignores  # type: ignore[attr-defined]
    lived = Lived(plan_for(scenario, sessions=3), lambda: build(sut, scenario.role).agent, scenario)
    assert lived.found.life.shares["U"].value == 1.0


def test_a_healthy_life_has_no_hint() -> None:
    lived = Lived(plan_for("s3", sessions=5), agent(), load_scenario("s3"))
    assert lived.found.stage is None
    assert diagnosis_document(lived.found, lived.plan).document()["hint"] is None


# -- events


def test_around_an_event_the_same_probes_are_asked_on_the_store_before_and_after() -> None:
    lived = Lived(s2_plan(("flush_history@3", "partial_reset@5:ratio=0.5")), agent())
    flush, reset = lived.found.events
    assert (flush.event, flush.at, flush.of) == ("flush_history@3", 3, "W")
    assert flush.delta.n == sum(probe.t == 3 for probe in probes_of_ladder(lived.plan))
    # The flush takes nearly all that the reader found before it in the passages.
    assert (flush.delta.value or 0.0) > 0.7
    assert flush.supported
    assert (reset.event, reset.at) == ("partial_reset@5:ratio=0.5", 5)
    assert lived.found.mechanisms["maintenance"].n == sum(
        p.t in (3, 5) for p in probes_of_ladder(lived.plan)
    )
    before = {r.probe for r in lived.rows if r.condition == P3 + "_before"}
    assert before == {p.id for p in probes_of_ladder(lived.plan) if p.t in (3, 5)}


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
    kept = InMemory()
    live_plan(plan, scenario, built.agent, kept, swap=built.swap)
    again = build(Sut(memory="append_only"), scenario.role)
    found = diagnose_life(plan, again.agent, kept.answers, kept.states, swap=again.swap)
    assert [found.sessions[t].accuracy[P3].value == 0.0 for t in (1, 2, 3, 4)] == [
        False,
        False,
        True,
        True,
    ]
    assert found.events[0].delta.value is not None
    with pytest.raises(InputError, match="nobody here can build"):
        diagnose_life(
            plan, build(Sut(memory="append_only"), scenario.role).agent, kept.answers, kept.states
        )


def test_what_a_controller_did_to_the_agent_holds_for_the_conditions_too() -> None:
    seen: list[bool] = []

    class Listens(Extractive):
        def complete(
            self,
            messages: Sequence[Message],
            tools: Sequence[Tool] = (),
            max_tokens: int = 1024,
            seed: int | None = None,
        ) -> Reply:
            seen.append(REREAD in messages[0].content)
            return super().complete(messages, tools, max_tokens, seed)

    plan = s2_plan(sessions=3)
    kept = InMemory()
    live_plan(plan, SCENARIO, agent()(), kept)
    told = {"action": "force_reread", "args": {}, "reason": "", "at": 2}
    events = [
        *kept.events,
        Event(step=0, role="meta", lifecycle=CONTROLLER_ACTION, session=1, metadata=told),
    ]
    rows: list[AnswerRow] = []
    diagnose_life(
        plan, agent(model=Listens())(), kept.answers, kept.states, events=events, keep=rows.append
    )
    assert seen == [row.t >= 2 for row in rows]


# -- failed calls


class Breaks(Extractive):
    """Cannot be reached for every fifth question."""

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        max_tokens: int = 1024,
        seed: int | None = None,
    ) -> Reply:
        if (
            part(messages) == "probe"
            and sum(map(ord, messages[-1].content + messages[0].content)) % 5 == 0
        ):
            raise TransportError("gone")
        return super().complete(messages, tools, max_tokens, seed)


def test_a_probe_that_failed_in_one_condition_leaves_all_three_and_is_counted() -> None:
    plan = s2_plan()
    lived = Lived(plan, agent(AppendOnly, Breaks()))
    in_ladder = {p.id for p in probes_of_ladder(plan)}
    rows = [r for r in [*lived.kept.answers, *lived.rows] if r.probe in in_ladder]
    failed = {r.probe for r in rows if r.status == "failed"}
    assert failed
    found = lived.found
    assert found.life.n_excluded == len(failed)
    assert found.life.n == len(probes_of_ladder(plan)) - len(failed)
    assert found.excluded == {
        c: sum(r.status == "failed" for r in rows if r.condition == c) for c in (P1, P2, P3)
    }
    kept = [r for r in rows if r.probe not in failed and r.condition == P1]
    assert len(kept) == found.life.n
    assert found == diagnosis_of(plan, rows, [r for r in rows if r.condition != P1])
