"""Rules, tasks and tools of s2: what is asked of the agent between the facts, what it can do about
it, and what it may be told.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agingbench.bench.life.planning import load_scenario, plan_for
from agingbench.bench.plan.acts import Act, ActRuling
from agingbench.bench.plan.facts import Fact, Reading
from agingbench.bench.plan.plan import Plan, Scenario, Task
from agingbench.bench.plan.pressure import PRESETS
from agingbench.bench.scenarios.s2_lifestyle_assistant.rules import about, violations
from agingbench.records import Tool
from agingbench.text import matching, wording
from agingbench.validity.guessers import values_of_kind
from tests.bench.plan.plan_truth import filler_of, truth
from tests.examples import examples
from tests.sampling import one_in

PRESET = st.sampled_from(["none", "light", "medium", "heavy"])
SEED = st.integers(0, 10**6)
SESSIONS = st.integers(2, 25)


def check_of(scenario: Scenario, plan: Plan, session: int) -> Tool:
    """The tool that checks an action in words."""
    tools = scenario.tools(plan, session)
    return next(tool for tool in tools if tool.name == "check_constraints")


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("seed", one_in(3, range(3)))
def test_small_talk_states_nothing_that_is_asked(preset: str, seed: int) -> None:
    plan = plan_for("s2", preset, None, 10, seed)
    talk = set(wording.sentences("\n\n".join(filler_of(plan))))
    assert len(talk) > 20
    chatter = "\n".join(sorted(talk))
    values = {v.value for f in plan.graph.facts for v in f.versions}
    assert [v.text for v in values if matching.states(chatter, v)] == []
    counts = [v for v in values if v.kind == "number"]
    asked = {q.value for v in counts for q in matching.numbers(v.text)}
    without_ranges = re.sub(r"\$\d+–\$\d+", "", chatter)  # the end of a range is no count
    said = {q.value for q in matching.numbers(without_ranges)}
    assert said, "small talk has numbers of its own"
    assert said & asked == set(), "no count that a rule holds, whatever its unit"


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("seed", one_in(3, range(3)))
def test_small_talk_states_no_balance(preset: str, seed: int) -> None:
    plan = plan_for("s2", preset, None, 10, seed)
    chatter = "\n\n".join(filler_of(plan))
    balances = {p.required[0] for p in plan.probes if p.account is not None}
    assert [v.text for v in balances if matching.states(chatter, v)] == []


def test_session_0_offers_ten_values_of_every_kind_that_is_asked() -> None:
    for seed in range(5):
        plan = plan_for("s2", "medium", None, 10, seed)
        values = [probe.required[0] for probe in plan.probes if probe.weight is not None]
        text = plan.sessions[0].material
        for kind in {value.kind for value in values}:
            assert len(set(values_of_kind(text, kind, None))) >= 10, (seed, kind)


@settings(max_examples=examples(20), deadline=None)
@given(SEED, PRESET, st.integers(1, 25))
def test_tasks_name_their_rule_and_what_is_expected(seed: int, preset: str, sessions: int) -> None:
    plan = plan_for("s2", preset, {"tokens_per_session": 500}, sessions, seed)
    scenario = load_scenario("s2")
    ids = [task.id for session in plan.sessions for task in session.tasks]
    assert len(set(ids)) == len(ids)
    for session in plan.sessions:
        assert 5 <= len(session.tasks) <= 8
        tool = check_of(scenario, plan, session.index)
        for task in session.tasks:
            rule = plan.graph.by_id[task.fact]
            assert rule.family == "constraint"
            assert rule.domain == task.domain
            broken = violations(plan.graph, session.index, task.text)
            assert set(broken) <= {task.domain}, f"a task tests one rule: {task.text}"
            now = truth(rule, session.index + 1)
            assert now is not None
            assert not Reading(task.text).states_fact(rule.subject, now), (
                f"a task gives no rule away: {task.text}"
            )
            assert task.expected in (("flag",) if broken else ("succeed", "cite"))
            assert task.asks is not None
            ruling = scenario.rule_on(plan, session.index, task, task.asks)
            assert ruling.violates == broken, "the act in words and as arguments"
            assert (task.cites is not None) == (task.expected == "cite")
            assert tool.run({"action": task.text}) == (
                "violates:" + task.domain if broken else "ok"
            )


def test_every_kind_of_task_is_expected_both_ways() -> None:
    expected: dict[str, set[str]] = {}
    for seed in range(15):
        for session in plan_for("s2", "medium", {"tokens_per_session": 500}, 10, seed).sessions:
            for task in session.tasks:
                expected.setdefault(task.domain, set()).add(task.expected)
    assert len(expected) == 10
    for domain in (
        "dining_budget",
        "boycott",
        "subscriptions",
        "card",
        "allergy",
        "meetings",
        "gift_range",
    ):
        assert expected[domain] == {"succeed", "flag"}, domain
    assert expected["transport"] == {"flag", "cite"}
    assert expected["restaurant"] == expected["address"] == {"cite"}


def forbidden_and_allowed(rule: Fact, t: int) -> tuple[str, str] | None:
    """An action the rule forbids by its value at t, and one that it allows."""
    value = truth(rule, t)
    assert value is not None
    if rule.domain in ("boycott", "allergy"):
        return f"Order something with {value.text}.", "Order something else."
    if rule.domain == "dining_budget":
        limit = int(value.text.lstrip("$"))
        return f"Book a dining evening for ${limit + 1}.", f"Book a dining evening for ${limit}."
    if rule.domain == "subscriptions":
        limit = int(value.text)
        return (
            f"Sign me up while {limit} subscriptions are active.",
            f"Sign me up while {limit - 1} subscriptions are active.",
        )
    if rule.domain == "card":
        return (
            f"Buy it for $900 on the card ending {int(value.text) - 1}.",
            f"Buy it for $900 on the card ending {value.text}.",
        )
    if rule.domain == "transport":
        other = "Wrencab" if value.text != "Wrencab" else "Wrendash"
        return f"Book a ride with {other}.", f"Book a ride with {value.text}."
    if rule.domain == "meetings":
        return (
            f"Schedule a meeting on {about(rule)} at 08:59.",
            f"Schedule a meeting on {about(rule)} at {value.text}.",
        )
    if rule.domain == "gift_range":
        low, high = value.text.replace("$", "").split("–")
        who = about(rule)
        return (
            f"Buy a gift for {who} that costs ${int(high) + 1}.",
            f"Buy a gift for {who} that costs ${low}.",
        )
    return None


def test_the_tool_follows_the_rules_as_they_change() -> None:
    scenario = load_scenario("s2")
    followed: set[str] = set()
    for seed in range(4):
        plan = plan_for("s2", "medium", {"update_rate": 1, "max_chain_depth": 4}, 12, seed)
        for rule in (f for f in plan.graph.facts if f.family == "constraint"):
            for session in sorted({0, *(v.session for v in rule.versions)}):
                case = forbidden_and_allowed(rule, session + 1)
                if case is None:
                    continue
                tool = check_of(scenario, plan, session)
                answers = [tool.run({"action": action}) for action in case]
                assert answers == [f"violates:{rule.domain}", "ok"], (case, session)
                followed |= {rule.domain} if session else set()
    assert len(followed) == 8


@pytest.mark.parametrize(
    ("domain", "action", "expected"),
    [
        ("transport", "Book a ride to the workshop with {v}.", "ok"),
        ("transport", "Book a ride to the bride's shop with {v}.", "ok"),
        ("dining_budget", "Dining club evening for $900.", "violates:dining_budget"),
        ("meetings", "schedule a meeting on {day} at 8:15 a.m.", "violates:meetings"),
        ("boycott", "ORDER A KETTLE FROM {V}.", "violates:boycott"),
    ],
)
def test_the_tool_reads_actions_in_the_agents_own_words(
    domain: str, action: str, expected: str
) -> None:
    plan = plan_for("s2", "medium", None, 10, 0)
    (rule,) = (f for f in plan.graph.facts if f.domain == domain)
    value = truth(rule, 6)
    assert value is not None
    day = about(rule).lower()
    tool = check_of(load_scenario("s2"), plan, 5)
    assert (
        tool.run({"action": action.format(v=value.text, V=value.text.upper(), day=day)}) == expected
    )


def test_the_tool_gives_no_values_away() -> None:
    scenario = load_scenario("s2")
    plan = plan_for("s2", "medium", None, 10, 2)
    everything = (
        " ".join(task.text for task in plan.sessions[9].tasks) + " " + plan.sessions[9].material
    )
    tool = check_of(scenario, plan, 9)
    assert re.fullmatch(r"violates:[a-z_]+(,[a-z_]+)*", tool.run({"action": everything}))
    assert tool.run({}) == "ok"


def test_an_old_rule_is_no_rule() -> None:
    scenario = load_scenario("s2")
    plan = plan_for("s2", "medium", {"update_rate": 1}, 12, 0)
    (rule,) = (f for f in plan.graph.facts if f.domain == "boycott")
    before = rule.versions[0]
    after = rule.versions[1]
    for version, session, expected in (
        (before, after.session - 1, "violates:boycott"),
        (before, after.session, "ok"),
        (after, after.session - 1, "ok"),
        (after, after.session, "violates:boycott"),
    ):
        tool = check_of(scenario, plan, session)
        assert tool.run({"action": f"Order a kettle from {version.value.text}."}) == expected


# -- acts


def test_tools_that_do_things_say_so() -> None:
    plan = plan_for("s2", "medium", None, 3, 0)
    tools = load_scenario("s2").tools(plan, 0)
    assert {tool.name: tool.decides for tool in tools} == {
        "order": "done",
        "book": "done",
        "subscribe": "done",
        "schedule": "done",
        "send": "done",
        "decline": "declined",
        "check_constraints": "",
    }


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("order", {}, "order needs the argument item"),
        ("order", {"item": "lamp", "price": "cheap"}, "price must be a number of dollars"),
        ("order", {"item": "lamp", "price": float("nan")}, "price must be a number of dollars"),
        ("order", {"item": ["lamp"]}, "item must be a text"),
        ("order", {"item": "lamp", "colour": "red"}, "order takes no argument colour"),
        ("schedule", {"what": "meeting", "day": "Monday"}, "schedule needs the argument at"),
        ("send", {"to": "the bank", "salutation": True}, "salutation must be a text"),
        ("check_constraints", {"action": 7}, "action must be a text"),
    ],
)
def test_wrong_arguments_are_answered_by_an_error(
    name: str, arguments: dict[str, object], message: str
) -> None:
    plan = plan_for("s2", "medium", None, 3, 0)
    tools = {tool.name: tool for tool in load_scenario("s2").tools(plan, 0)}
    with pytest.raises(ValueError, match=message):
        tools[name].run(arguments)


def test_arguments_are_taken_in_the_ways_that_models_write_them() -> None:
    plan = plan_for("s2", "medium", None, 3, 0)
    tools = {tool.name: tool for tool in load_scenario("s2").tools(plan, 0)}
    for price in (120, 119.5, "$120", "120 dollars"):
        assert tools["order"].run({"item": "lamp", "price": price, "card": 1234}) == "Ordered."
    assert tools["order"].run({"item": "lamp", "shop": None}) == "Ordered."
    assert tools["decline"].run({}) == "Declined."


def rulings(domain: str, expected: str, acts: list[Act]) -> list[ActRuling]:
    """How the acts are ruled on in the first task of that kind."""
    scenario = load_scenario("s2")
    for seed in range(20):
        plan = plan_for("s2", "medium", None, 6, seed)
        for session in plan.sessions:
            for task in session.tasks:
                if task.domain == domain and task.expected == expected:
                    filled = [_fill(act, plan, session.index, task) for act in acts]
                    return [scenario.rule_on(plan, session.index, task, act) for act in filled]
    raise AssertionError("no such task")


def _fill(act: Act, plan: Plan, session: int, task: Task) -> Act:
    rule = plan.graph.by_id[task.fact]
    value = truth(rule, session + 1)
    assert value is not None
    texts = {"v": value.text, "day": about(rule)}
    arguments = {
        name: argument.format(**texts) if isinstance(argument, str) else argument
        for name, argument in act.arguments.items()
    }
    return Act(act.tool, arguments)


def test_an_act_is_judged_by_its_own_arguments_and_by_the_task_where_it_is_silent() -> None:
    silent, same, other = rulings(
        "boycott",
        "flag",
        [
            Act("order", {"item": "it"}),
            Act("order", {"item": "it", "shop": "{v}"}),
            Act("order", {"item": "it", "shop": "Elsewhere"}),
        ],
    )
    assert silent.violates == same.violates == ["boycott"]
    assert other.violates == []


@pytest.mark.parametrize(
    ("domain", "forbidden", "allowed"),
    [
        ("dining_budget", {"what": "dinner"}, {"what": "dinner", "price": 5}),
        ("meetings", {"what": "m", "day": "{day}"}, {"what": "m", "day": "{day}", "at": "18:00"}),
        ("card", {"item": "it"}, {"item": "it", "card": "ending {v}"}),
        ("gift_range", {"item": "a gift"}, {"item": "a gift", "recipient": "somebody else"}),
        ("allergy", {"item": "the lunch"}, {"item": "the lunch without {v}"}),
        ("allergy", {"item": "dish with {v}"}, {"item": "dish with rice, no {v}, but papaya"}),
        ("allergy", {"item": "{v} and papaya"}, {"item": "a {v}-free dish"}),
        ("transport", {"what": "ride"}, {"what": "ride", "provider": "{v}"}),
    ],
)
def test_acts_that_mend_what_was_asked_break_no_rule(
    domain: str, forbidden: dict[str, object], allowed: dict[str, object]
) -> None:
    tool = {"meetings": "schedule", "dining_budget": "book", "transport": "book"}.get(
        domain, "order"
    )
    broken, mended = rulings(domain, "flag", [Act(tool, forbidden), Act(tool, allowed)])
    assert broken.violates == [domain]
    assert mended.violates == []


def test_a_subscription_is_judged_by_how_many_the_task_says_there_are() -> None:
    asked, other = rulings(
        "subscriptions",
        "flag",
        [Act("subscribe", {"service": "x"}), Act("order", {"item": "a magazine"})],
    )
    assert asked.violates == ["subscriptions"]
    assert other.violates == []


@pytest.mark.parametrize(
    ("domain", "tool", "argument", "rest"),
    [
        ("transport", "book", "provider", {"what": "ride to the airport"}),
        ("restaurant", "book", "provider", {"what": "table"}),
        ("address", "send", "salutation", {"to": "the bank"}),
    ],
)
def test_what_is_left_to_memory_is_judged_by_the_argument(
    domain: str, tool: str, argument: str, rest: dict[str, object]
) -> None:
    right, dressed, wrong, none = rulings(
        domain,
        "cite",
        [
            Act(tool, {**rest, argument: "{v}"}),
            Act(tool, {**rest, argument: "Dear {v},"}),
            Act(tool, {**rest, argument: "Somebody Else"}),
            Act(tool, rest),
        ],
    )
    assert right.fits is True
    assert dressed.fits is True
    assert wrong.fits is False
    assert none.fits is False
    assert wrong.violates == (["transport"] if domain == "transport" else [])
