"""The text the agent reads and the gold the scorer uses are two faces of one fact: checked by
reading the text back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agingbench.bench.life.planning import plan_for
from agingbench.bench.plan.facts import (
    Account,
    Delta,
    Fact,
    FactGraph,
    Reading,
    Version,
    states_fact,
)
from agingbench.bench.plan.plan import Plan
from agingbench.text import matching, wording
from agingbench.text.values import Value
from tests.examples import examples

PRESET = st.sampled_from(["none", "light", "medium", "heavy"])
SEED = st.integers(0, 10**6)
SESSIONS = st.integers(2, 25)

ACCOUNT = re.compile(r"\bmy (\w+ account)\b", re.IGNORECASE)
AMOUNT = re.compile(r"\$([\d,]*\d)")
OPENS = re.compile(r"\bbalance of\b|\bstarts with\b")
PAYS_IN = re.compile(r"\binto\b|\barrived in\b|\bback for\b|\btopped up\b", re.IGNORECASE)
PAYS_OUT = re.compile(r"\b(paid|spent)\b|\bout of my\b", re.IGNORECASE)


def movements(material: str) -> Iterator[tuple[str, bool, int]]:
    """(account, is it the opening, signed amount) of every sentence that speaks of an account, or
    the test fails.
    """
    for sentence in wording.sentences(material):
        if not re.search(r"\baccount\b", sentence):
            continue
        names = ACCOUNT.findall(sentence)
        amounts = [int(found.replace(",", "")) for found in AMOUNT.findall(sentence)]
        ways = [bool(way.search(sentence)) for way in (OPENS, PAYS_IN, PAYS_OUT)]
        if not len(names) == len(amounts) == sum(ways) == 1:
            pytest.fail(f"a sentence about an account that does not move it once: {sentence}")
        opens, _, pays_out = ways
        yield names[0], opens, -amounts[0] if pays_out else amounts[0]


@settings(max_examples=examples(20), deadline=None)
@given(SEED, PRESET, SESSIONS)
def test_replaying_what_the_text_says_gives_every_balance(
    seed: int, preset: str, sessions: int
) -> None:
    plan = plan_for("s2", preset, None, sessions, seed)
    replayed: dict[str, int] = {}
    balances: list[dict[str, int]] = [{}]  # by point; point 0 sees session 0, as point 1 does
    for session in plan.sessions:
        # Movements of an account come before the opening of the next one only in other accounts'
        # names.
        seen = sorted(movements(session.material), key=lambda m: not m[1])
        for name, opens, amount in seen:
            assert opens == (name not in replayed)
            replayed[name] = replayed.get(name, 0) + amount
        assert all(balance > 0 for balance in replayed.values())
        assert not any(
            "account " in task.text or task.text.endswith("account.") for task in session.tasks
        )
        balances.append(dict(replayed))
    balances[0] = balances[1]
    for account in plan.graph.accounts:
        for point, known in enumerate(balances):
            assert account.balance(point) == known.get(account.name)
    for probe in plan.probes:
        if probe.account is not None:
            account = plan.graph.account_by_id[probe.account]
            assert probe.required == [Value("number", f"${balances[probe.t][account.name]:,}")]


@settings(max_examples=examples(15), deadline=None)
@given(SEED, PRESET, SESSIONS)
def test_every_movement_stands_in_its_session_with_its_sign(
    seed: int, preset: str, sessions: int
) -> None:
    plan = plan_for("s2", preset, None, sessions, seed)
    for account in plan.graph.accounts:
        told = [list(movements(s.material)) for s in plan.sessions]
        mine = [
            (s, opens, amount)
            for s, found in enumerate(told)
            for name, opens, amount in found
            if name == account.name
        ]
        assert [(s, a) for s, opens, a in mine if opens] == [(account.session, account.opening)]
        stated = sorted((s, a) for s, opens, a in mine if not opens)
        assert stated == sorted((d.session, d.amount) for d in account.deltas)
        for delta in account.deltas:
            assert delta.session > account.session
            passage = delta.passage or delta.sentence
            assert passage in plan.sessions[delta.session].material
            for told_so in (passage, delta.sentence):
                assert [a for _, _, a in movements(told_so)] == [delta.amount]


def sessions_with(plan: Plan, passage: str) -> list[int]:
    """The sessions whose material holds a passage whole."""
    return [session.index for session in plan.sessions if passage in session.material]


@settings(max_examples=examples(20), deadline=None)
@given(SEED, PRESET, SESSIONS)
def test_every_version_and_retraction_is_told_in_its_session_and_only_there(
    seed: int, preset: str, sessions: int
) -> None:
    plan = plan_for("s2", preset, None, sessions, seed)
    for fact in plan.graph.facts:
        assert fact.versions == sorted(fact.versions, key=lambda v: v.session)
        assert len({v.session for v in fact.versions}) == len(fact.versions)
        assert len({matching.key(v.value) for v in fact.versions}) == len(fact.versions)
        for version in fact.versions:
            passage = version.passage or version.sentence
            assert sessions_with(plan, passage) == [version.session]
            assert matching.states(passage, version.value)
            assert matching.states(version.sentence, version.value)
        if fact.retracted_at is not None:
            assert fact.retraction is not None
            passage = fact.retraction_passage or fact.retraction
            assert sessions_with(plan, passage) == [fact.retracted_at]
            assert fact.retracted_at > fact.versions[-1].session
        else:
            assert fact.retraction is None


@settings(max_examples=examples(12), deadline=None)
@given(SEED, PRESET, st.integers(2, 14))
def test_a_session_states_its_facts_and_no_earlier_session_does(
    seed: int, preset: str, sessions: int
) -> None:
    plan = plan_for("s2", preset, None, sessions, seed)
    readings = [Reading(session.material) for session in plan.sessions]
    for fact in plan.graph.facts:
        for version in fact.versions:
            told = [r.states_fact(fact.subject, version.value) for r in readings]
            assert told[version.session], (fact.phrase, version)
            assert not any(told[: version.session]), (fact.phrase, version)


@settings(max_examples=examples(12), deadline=None)
@given(SEED, PRESET, st.integers(2, 14))
def test_the_newest_sentence_states_the_fact_and_older_ones_do_not(
    seed: int, preset: str, sessions: int
) -> None:
    plan = plan_for("s2", preset, None, sessions, seed)
    for fact in plan.graph.facts:
        for point in range(1, sessions + 1):
            told = [v for v in fact.versions if v.session < point]
            gone = fact.retracted_at is not None and fact.retracted_at < point
            for version in told:
                assert states_fact(version.sentence, fact, point) == (
                    version is told[-1] and not gone
                )


@lru_cache(maxsize=8)
def heavy(seed: int) -> Plan:
    return plan_for("s2", "heavy", {"tokens_per_session": 1000}, 14, seed)


@pytest.mark.parametrize("seed", range(3))
def test_no_sentence_of_one_fact_states_another(seed: int) -> None:
    # Otherwise a memory that lost a fact would get credit for keeping its neighbour.
    plan = heavy(seed)
    for fact in plan.graph.facts:
        version = fact.versions[-1]
        others = [v.sentence for f in plan.graph.facts if f is not fact for v in f.versions]
        assert not Reading("\n".join(others)).states_fact(fact.subject, version.value), fact.phrase


def fact_of(*versions: tuple[int, str], retracted_at: int | None = None) -> Fact:
    told = [Version(s, Value("number", v), f"The locker number is {v}.") for s, v in versions]
    return Fact(
        "f0", "note", "locker", ("locker",), "the locker number", "What is it?", told, retracted_at
    )


def test_a_fact_over_time() -> None:
    fact = fact_of((0, "11"), (2, "22"), (5, "33"), retracted_at=7)
    current = [None if (v := fact.at(t)) is None else v.value.text for t in range(10)]
    assert current == ["11", "11", "11", "22", "22", "22", "33", "33", None, None]
    assert [[v.text for v in fact.stale_at(t)] for t in (0, 2, 3, 6, 8)] == [
        [],
        [],
        ["11"],
        ["11", "22"],
        ["11", "22", "33"],
    ]
    assert [fact.depth_at(t) for t in (0, 1, 2, 3, 6)] == [1, 1, 1, 2, 3]
    late = fact_of((3, "11"))
    assert [late.at(t) is None for t in range(5)] == [True, True, True, True, False]


def test_an_account_over_time() -> None:
    deltas = [Delta(1, -40, ""), Delta(1, 10, ""), Delta(3, -70, "")]
    account = Account("a0", "household account", "?", 0, 100, "", deltas)
    assert [account.balance(t) for t in range(6)] == [100, 100, 70, 70, 0, 0]
    assert [account.earlier_balances(t) for t in (0, 1, 2, 4)] == [[], [], [100, 60], [100, 60, 70]]
    later = Account("a1", "holiday account", "?", 2, 50, "", [])
    assert [later.balance(t) for t in range(4)] == [None, None, None, 50]
    back = Account("a0", "x", "?", 0, 100, "", [Delta(1, -40, ""), Delta(2, 40, "")])
    assert back.earlier_balances(3) == [60]


def test_live_values_are_those_that_hold_at_the_point() -> None:
    one = fact_of((0, "11"), (2, "22"))
    two = fact_of((1, "11"), retracted_at=3)
    graph = FactGraph([one, two], [])

    def found(t: int) -> set[str]:
        return {v.text for v in graph.live_values_in("11, 22 and 33", "number", t)}

    assert [found(t) for t in range(6)] == [{"11"}, {"11"}, {"11"}, {"11", "22"}, {"22"}, {"22"}]
    assert graph.live_values_in("22%", "number", 4) == []
    assert [f.retracted_at for f in graph.live(3)] == [None, 3]
    assert graph.live(4) == [one]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("My monthly dining budget is $309.", True),
        ("Dining: $309.00 a month.", True),
        ("My dining budget is set. The travel budget is $309.", False),
        ("My dining budget is $3,090.", False),
        ("My dining budget is $250.", False),
        ("The $309 is for dinner.", False),
    ],
)
def test_one_sentence_must_name_subject_and_value(said: str, expected: bool) -> None:
    told = [Version(0, Value("number", "$309"), "My monthly dining budget is exactly $309.")]
    fact = Fact(
        "f0", "constraint", "dining_budget", ("dining",), "my monthly dining budget", "?", told
    )
    assert states_fact(said, fact, 1) is expected
