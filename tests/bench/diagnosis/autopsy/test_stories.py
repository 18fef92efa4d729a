"""One story at a time, on a store made by hand: every cause from what was lost, read and said."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from agingbench.bench.diagnosis.autopsy.autopsy import examine
from agingbench.bench.diagnosis.autopsy.histories import EVENT, History, StoreStep, statements_of
from agingbench.bench.diagnosis.autopsy.stories import Examiner
from agingbench.bench.life.folder import RunDirectory
from agingbench.bench.life.loop import live_plan
from agingbench.bench.life.planning import load_scenario, plan_for
from agingbench.bench.life.system import Sut
from agingbench.bench.plan.plan import Plan, Probe, parse_events
from agingbench.bench.scoring.score import judged
from agingbench.trials.run_folder import WRITE, AnswerRow
from agingbench.validity.planted_faults import Fault, FaultyAgent, planted_faults
from tests.bench.diagnosis.autopsy.stores import Store


@pytest.fixture(scope="module")
def plan() -> Plan:
    return plan_for("s2", "heavy", sessions=12, seed=5)


def pick(plan: Plan, kind: str, at: int = 6, **fields: Any) -> Probe:
    """A probe of a type at a point or later."""
    return next(
        p
        for p in plan.probes
        if p.type == kind and p.t >= at and all(getattr(p, k) == v for k, v in fields.items())
    )


def pick_digits(plan: Plan) -> Probe:
    """A probe of a plain fact whose value is nothing but digits."""
    plain = [p for p in plan.probes if p.type == "standalone" and p.mechanism == "compression"]
    return next(p for p in plain if p.t >= 6 and p.required[0].text.isdigit())


def gold(probe: Probe) -> str:
    return "; ".join(value.text for value in probe.required)


def unheard(plan: Plan, probe: Probe) -> str:
    """A number of the kind that a probe asks for, and that nobody ever told."""
    number = "90817"
    assert probe.required[0].text.isdigit()
    assert not any(number in session.text for session in plan.sessions)
    return number


def sentence(plan: Plan, probe: Probe, number: int = 0) -> str:
    version = plan.graph.by_id[probe.facts[number]].at(probe.t)
    assert version is not None
    return version.sentence


def test_never_written(plan: Plan) -> None:
    probe = pick(plan, "standalone", mechanism="compression")
    store = Store(plan)
    store.lose(sentence(plan, probe), 0)
    story = store.story(probe, "I do not know.")
    told = plan.graph.by_id[probe.facts[0]].versions[-1].session
    assert (story["cause"], story["stage"], story["said"]["what"]) == (
        "never_written",
        "write",
        "refusal",
    )
    assert story["facts"][0]["store"] == "never_written"
    assert story["facts"][0]["lost_at"] == {"step": "write", "point": told + 1, "session": told}


@pytest.mark.parametrize("kind", [WRITE, EVENT])
def test_lost_at_a_write_or_at_an_event(plan: Plan, kind: str) -> None:
    probe = next(
        p
        for p in plan.probes
        if p.type == "standalone" and p.mechanism == "compression" and p.lag == 5
    )
    at = probe.t - 2
    store = Store(plan, events=(at,))
    store.lose(sentence(plan, probe), at, kind)
    story = store.story(probe, "")
    assert (story["cause"], story["said"]["what"]) == (f"lost_at_{kind}", "nothing")
    fact = story["facts"][0]
    assert fact["lost_at"]["step"] == kind
    assert fact["lost_at"]["point"] == at
    assert fact["last_stated"] == (at if kind == EVENT else at - 1)
    assert fact["introduced"] == fact["told_at"] == probe.t - 5


def test_not_retrieved_and_what_was_instead(plan: Plan) -> None:
    probe = pick(plan, "standalone", mechanism="interference", at=10)
    store = Store(plan)
    fact = plan.graph.by_id[probe.facts[0]]
    rival = plan.graph.by_id[fact.partner or ""].versions[-1]
    story = store.story(probe, rival.value.text, context=rival.sentence)
    assert (story["cause"], story["stage"], story["verdict"]) == (
        "not_retrieved",
        "retrieval",
        "confused",
    )
    assert story["facts"][0]["store"] == "still_there"
    assert story["facts"][0]["lookalike_retrieved"] is True
    assert [(v["relation"], v["fact"]) for v in story["said"]["values"]] == [
        ("lookalike", fact.partner)
    ]
    blind = store.story(probe, "I do not know.", context="")
    assert (blind["cause"], blind["facts"][0]["lookalike_retrieved"]) == ("not_retrieved", False)


def test_read_and_answered_with_something_else(plan: Plan) -> None:
    store = Store(plan)
    revised = pick(plan, "standalone", mechanism="revision")
    old = plan.graph.by_id[revised.facts[0]].versions[0].value.text
    stale = store.story(revised, old)
    assert (stale["cause"], stale["verdict"]) == ("stale_used", "stale")
    assert stale["said"]["values"][0] | {"what": ""} == {
        "value": old,
        "relation": "stale",
        "fact": revised.facts[0],
        "what": "",
        "told_at": plan.graph.by_id[revised.facts[0]].born,
    }
    assert stale["facts"][0]["rewritten"]
    pair = pick(plan, "standalone", mechanism="interference", at=10)
    rival = plan.graph.by_id[plan.graph.by_id[pair.facts[0]].partner or ""].versions[-1].value.text
    assert store.story(pair, rival)["cause"] == "lookalike_used"
    both = store.story(pair, f"{gold(pair)}, or {rival}")
    assert (both["cause"], both["verdict"]) == ("recited", "both")
    plain = pick_digits(plan)
    assert store.story(plain, "I do not know.")["cause"] == "not_used"
    assert store.story(plain, "Something blue and borrowed.")["cause"] == "not_used", (
        "no digits at all are no answer to a question for digits"
    )
    assert store.story(plain, unheard(plan, plain))["cause"] == "misread"
    assert store.story(plain, f"It was formerly {gold(plain)}.")["cause"] == "put_in_the_past"


def test_the_value_of_another_fact(plan: Plan) -> None:
    probe = pick(plan, "standalone", mechanism="compression")
    kind = probe.required[0].kind
    other = next(
        f
        for f in plan.graph.live(probe.t)
        if f.id != probe.facts[0] and f.group is None and f.versions[-1].value.kind == kind
    )
    story = Store(plan).story(probe, other.versions[-1].value.text)
    assert story["cause"] == "other_used"
    assert other.id in {v["fact"] for v in story["said"]["values"]}


def test_several_facts_are_judged_by_those_that_the_answer_lacks(plan: Plan) -> None:
    for kind in ("compare", "synthesize"):
        probe = pick(plan, kind)
        store = Store(plan)
        last = len(probe.facts) - 1
        given = zip(probe.labels, probe.required[:last], strict=False)
        part = "; ".join(f"{label} = {value.text}" for label, value in given)
        assert store.story(probe, part)["cause"] == "left_out"
        bare = "; ".join(value.text for value in probe.required[:last])
        assert store.story(probe, bare)["cause"] == "left_out", "nobody said that it is past"
        store.lose(sentence(plan, probe, 0), 0)
        assert store.story(probe, part)["cause"] == "left_out", (
            "the one that is lost was answered all the same"
        )
        store.lose(sentence(plan, probe, last), 0)
        story = store.story(probe, part)
        assert story["cause"] == "never_written"
        assert [f["in_answer"] for f in story["facts"]] == [True] * last + [False]


def test_every_link_of_a_chain_counts(plan: Plan) -> None:
    probe = pick(plan, "multi_hop")
    store = Store(plan)
    wrong = unheard(plan, probe)
    assert store.story(probe, wrong)["cause"] == "not_chained"
    assert store.story(probe, "Whoever that is.")["cause"] == "not_used"
    assert store.story(probe, "I do not know.")["cause"] == "not_used"
    store.lose(sentence(plan, probe, len(probe.facts) - 1), 0)
    story = store.story(probe, wrong)
    assert story["cause"] == "never_written"
    assert [f["store"] for f in story["facts"]][-1] == "never_written"
    hop = pick(plan, "hop", parent=probe.id)
    assert Store(plan).story(hop, "I do not know.")["cause"] == "not_used"


def test_a_list_fails_by_a_member_or_by_a_retraction(plan: Plan) -> None:
    probe = next(p for p in plan.probes if p.type == "list" and p.stale)
    gone = next(
        f
        for f in plan.graph.facts
        if f.retracted_at is not None and f.versions[0].value in probe.stale
    )
    store = Store(plan)
    told = f"{gold(probe)}; {gone.versions[0].value.text}"
    kept = store.story(probe, told)
    assert (kept["verdict"], kept["cause"]) == ("both", "recited")
    assert [f["store"] for f in kept["facts"] if f["retraction"]] == ["still_there"]
    assert gone.retraction is not None
    store.lose(gone.retraction, 0)
    story = store.story(probe, told)
    assert story["cause"] == "never_written"
    [taken] = [f for f in story["facts"] if f["retraction"]]
    assert (taken["fact"], taken["retracted"], taken["retrieved"]) == (
        gone.id,
        gone.retracted_at,
        False,
    )
    store.lose(sentence(plan, probe), 0)
    assert store.story(probe, "I do not know.")["cause"] == "never_written"


def test_accounts(plan: Plan) -> None:
    probe = pick(plan, "account", account="a0")
    store = Store(plan)
    account = plan.graph.account_by_id["a0"]
    balance = account.balance(probe.t) or 0
    wrong = store.story(probe, f"${balance + 1:,}")
    assert (wrong["cause"], wrong["said"]["error"]) == ("miscalculated", 1.0)
    assert store.story(probe, "I do not know.")["cause"] == "not_used"
    assert store.story(probe, probe.stale[-1].text)["cause"] == "stale_used"
    delta = account.deltas[1]
    store.lose(delta.sentence, 0)
    story = store.story(probe, f"${balance - delta.amount:,}")
    assert story["cause"] == "never_written"
    assert story["said"]["explained_by_missing"] is True
    assert story["facts"][0]["n_missing"] == 1
    assert story["facts"][0]["missing"][0]["value"] == f"${abs(delta.amount):,}"
    later = store.story(probe, f"${balance + 1:,}")
    assert later["said"]["explained_by_missing"] is False


def test_an_answer_that_gives_a_told_value_of_another_kind_is_no_refusal(plan: Plan) -> None:
    probe = pick_digits(plan)
    store = Store(plan)
    told = next(
        fact
        for fact in plan.graph.facts
        if fact.versions[0].value.kind == "name" and fact.born < probe.t - 1
    )
    value = told.versions[0].value.text

    story = store.story(probe, value)
    assert (story["cause"], story["said"]["what"]) == ("other_used", "other")
    assert told.id in [one["fact"] for one in story["said"]["values"]]

    beside = store.story(probe, f"{value}, though nobody measured anything there")
    assert beside["said"]["values"] == [], "a value beside other words is not what is said"
    assert store.story(probe, "Something blue.")["said"]["what"] == "off_kind"
    assert store.story(probe, "I do not know.")["said"]["what"] == "refusal"


def test_a_count_is_no_sum_of_money(plan: Plan) -> None:
    [counts, *_] = [p for p in plan_for("s1", seed=0).probes if p.type == "account"]
    assert "$" not in gold(counts)
    [value] = Store(plan_for("s1", seed=0)).story(counts, "90817")["said"]["values"]
    assert value["value"] == "90,817"


def test_answers_about_an_account_that_give_no_amount_or_take_it_back(plan: Plan) -> None:
    probe = pick(plan, "account", account="a0")
    store = Store(plan)
    assert store.story(probe, "Plenty of money.")["cause"] == "misread"
    assert store.story(probe, f"It was formerly {gold(probe)}.")["cause"] in (
        "put_in_the_past",
        "stale_used",
    )


def test_whatever_is_answered_has_a_cause_unless_it_is_right(plan: Plan) -> None:
    rng = random.Random(11)
    store = Store(plan)
    known = [v.value.text for f in plan.graph.facts for v in f.versions]
    words = [
        "formerly",
        "no longer",
        "I do not know.",
        "not",
        "now",
        "$",
        "12",
        "\x00",
        "“”",
        "…",
        "balance is",
        "; ",
    ]
    ended = History(statements_of(plan))
    for point in range(1, plan.n_sessions + 1):
        ended.follow(StoreStep(WRITE, point, point - 1), store.text(point))
    examiner = Examiner(plan, ended, False)
    causes = set()
    for probe in plan.probes * 3:
        parts = [*rng.sample(known, 2), *rng.sample(words, 3), *(v.text for v in probe.required)]
        answer = " ".join(rng.sample(parts, rng.randrange(len(parts))))
        context = rng.choice([None, "", store.text(probe.t)[:2000], answer])
        row = AnswerRow(probe.t, probe.id, "as_lived", answer, context=context)
        [judgement] = judged(plan, [row])
        story = examiner.story(*judgement)
        assert (story.cause is None) == (judgement.outcome.verdict == "correct")
        causes.add(story.cause)
    assert causes >= {
        None,
        "not_retrieved",
        "not_used",
        "recited",
        "misread",
        "other_used",
        "left_out",
    }


def test_a_balance_in_the_store_spares_what_came_before(plan: Plan) -> None:
    probe = pick(plan, "account", account="a0")
    account = plan.graph.account_by_id["a0"]
    known = account.balance(probe.t - 1)
    moves = [d.sentence for d in account.deltas if d.session == probe.t - 1]
    context = "\n".join([f"The {account.name} holds ${known:,}.", *moves])
    story = Store(plan).story(probe, "$1", context=context)
    assert (story["cause"], story["facts"][0]["known_balance"]) == ("miscalculated", f"${known:,}")
    short = Store(plan).story(probe, f"${known:,}", context=f"The {account.name} holds ${known:,}.")
    assert short["cause"] == "not_retrieved"
    assert short["facts"][0]["n_missing"] == len(moves)
    assert short["said"]["explained_by_missing"] is True


@pytest.mark.parametrize("reason", ["context_overflow", "tool_loop_exhausted"])
def test_a_limit_that_was_hit_is_its_own_cause(plan: Plan, reason: str) -> None:
    probe = pick(plan, "standalone")
    story = Store(plan).story(probe, "", status="unanswered", reason=reason)
    assert (story["cause"], story["stage"]) == (reason, "limit")


def test_day_one_has_the_session_in_front_of_it(plan: Plan) -> None:
    probe = next(p for p in plan.probes if p.t == 0)
    story = Store(plan).story(probe, "I do not know.")
    assert (story["cause"], story["facts"][0]["store"], story["facts"][0]["retrieved"]) == (
        "not_used",
        None,
        True,
    )


@pytest.mark.parametrize(
    "fault", [f for f in planted_faults([0.5]) if not (f.blob and f.stage == "retrieval")], ids=str
)
def test_the_autopsy_of_a_planted_fault_names_its_stage_in_every_story(
    fault: Fault, tmp_path: Path
) -> None:
    # One blob is read as a whole, so a retrieval that misses parts of it leaves no trace in the
    # files.
    plan = plan_for("s6", "heavy", sessions=6, seed=1, events=parse_events(["recompact@3"], 6))
    with RunDirectory(tmp_path) as run:
        run.prepare(plan, Sut(sut_id="faulty").record("s6"))
        live_plan(plan, load_scenario("s6"), FaultyAgent(plan, fault), run)
    found = examine(tmp_path)
    assert len(found.stories) > 5
    assert {story.stage for story in found.stories} == {fault.stage}
    if fault.lookalikes:
        said = Counter(story.said.what for story in found.stories)
        assert said["lookalike"] + said["other"] > said["refusal"]
