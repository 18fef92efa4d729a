"""The truth about a plan, worked out without the methods that made it, for the tests of every
scenario.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest

from agingbench.bench.plan.facts import Fact
from agingbench.bench.plan.plan import Plan, Probe
from agingbench.text import matching
from agingbench.text.forms import AskedForm, asked_form
from agingbench.text.values import Value

TYPES = {
    "standalone",
    "compare",
    "trend",
    "synthesize",
    "multi_hop",
    "hop",
    "list",
    "account",
    "retracted",
}


def told(fact: Fact, t: int) -> list[Value]:
    """Every value of a fact that was told by t."""
    return [v.value for v in fact.versions if v.session < max(t, 1)]


def truth(fact: Fact, t: int) -> Value | None:
    """What holds at t, worked out without the graph's own methods."""
    if fact.retracted_at is not None and fact.retracted_at < max(t, 1):
        return None
    return told(fact, t)[-1] if told(fact, t) else None


def same(one: Value, other: Value) -> bool:
    """Whether two values are one to the matcher."""
    return one.kind == other.kind and matching.key(one) == matching.key(other)


def filler_of(plan: Plan) -> list[str]:
    """The text of each session without the passages that tell something."""
    passages: list[list[str]] = [[] for _ in plan.sessions]
    for fact in plan.graph.facts:
        for version in fact.versions:
            passages[version.session].append(version.passage or version.sentence)
        if fact.retracted_at is not None and fact.retracted_at < len(passages):
            passages[fact.retracted_at].append(fact.retraction_passage or fact.retraction or "")
    for account in plan.graph.accounts:
        passages[account.session].append(account.passage or account.sentence)
        for delta in account.deltas:
            passages[delta.session].append(delta.passage or delta.sentence)

    texts = []
    for session, told in zip(plan.sessions, passages, strict=True):
        text = session.material
        # The longest first: one passage may contain another.
        for passage in sorted(filter(None, told), key=len, reverse=True):
            text = text.replace(passage, "\n")
        texts.append(text)
    return texts


def leaks(plan: Plan) -> list[str]:
    """Every question that gives away a value that it is scored on."""
    return [
        f"{probe.id} ({probe.type}) states {value.text}: {probe.question}"
        for probe in plan.probes
        for value in [*probe.required, *probe.stale, *probe.confusable]
        if matching.states(probe.question, value)
    ]


def check_probe(plan: Plan, probe: Probe, facts: list[Fact]) -> None:
    """A probe asks for what holds at its point, and bars what held before and what its look-alikes
    hold.
    """
    t = probe.t
    if probe.type == "retracted":
        check_form(probe)
        check_retracted(probe, facts)
        return
    assert all(truth(fact, t) is not None for fact in facts), probe
    current = [value for fact in facts if (value := truth(fact, t)) is not None]
    if probe.type == "multi_hop":
        assert probe.required == current[:1]
        assert probe.derivation == current[1:]
        for end, pointer in pairwise(facts):
            assert pointer.points_to == end.id
            leads = truth(pointer, t)
            assert leads is not None
            assert matching.states(end.phrase, leads), (
                "a pointer's value names what the next fact is about"
            )
        assert matching.states(probe.question, Value("name", facts[-1].subject[0]))
    elif probe.type == "trend":
        assert probe.required == [facts[0].versions[0].value, *current]
    else:
        assert probe.required == current
    check_form(probe)
    if probe.type == "list":
        members = [f for f in plan.graph.facts if f.group == facts[0].group]
        assert facts == [f for f in members if truth(f, t) is not None]
        assert probe.stale == [told(f, t)[0] for f in members if truth(f, t) is None]
        assert probe.stale, "a list is asked for because something was taken off it"
        assert probe.whole
        return
    old = [v for f in facts for v in told(f, t) if v != truth(f, t)]
    stale = [v for v in old if not any(same(v, r) for r in probe.required)]
    assert list(dict.fromkeys(stale)) == list(dict.fromkeys(probe.stale))
    if probe.type in ("standalone", "trend", "hop"):
        alike = {f.domain for f in facts if told_in_pairs(plan, f, t)}
        rivals = [f for f in plan.graph.facts if f.family == "pair" and f.domain in alike]
        rival_values = [v for r in rivals for v in told(r, t)]
        own = probe.required
        expected = [v for v in rival_values if not any(same(v, value) for value in own)]
        assert probe.confusable == expected
    if probe.type == "trend":
        assert len(told(facts[0], t)) > 1
    if probe.type == "hop":
        parent = plan.probe_by_id[probe.parent or ""]
        assert parent.t == t
        assert parent.facts[-(probe.hop or 0)] == facts[0].id


def check_retracted(probe: Probe, facts: list[Fact]) -> None:
    """What was taken back is asked for as before, and every value that it had is barred."""
    (fact,) = facts
    assert fact.group is None
    assert told(fact, probe.t)
    assert truth(fact, probe.t) is None
    assert probe.question == fact.question
    assert probe.required == []
    assert probe.stale == told(fact, probe.t)
    assert probe.weight is None
    assert probe.mechanism == "revision"


FORMS = {
    "standalone": ("value",),
    "retracted": ("value",),
    "hop": ("value",),
    "multi_hop": ("value",),
    "account": ("amount",),
    "list": ("list",),
    "synthesize": ("pairs",),
    "compare": ("choice",),
    "trend": ("choice", "pairs"),
}


def check_form(probe: Probe) -> None:
    """A probe asks for the form of its type, and a choice is the one that its values make."""
    assert probe.form in FORMS[probe.type]
    assert asked_form(probe.prompt) == AskedForm(
        probe.question, probe.form, tuple(probe.labels), tuple(probe.options)
    )
    if probe.form in ("pairs", "choice"):
        assert len(probe.labels) == len(probe.required)
    if probe.form == "choice":
        assert probe.whole
        one, other = [matching.rank(value) for value in probe.required]
        assert one is not None
        assert other is not None
        assert one.scale == other.scale
        assert one.position != other.position
        greater = one.position > other.position
        if probe.type == "trend":
            assert probe.choice == probe.options[greater]
        else:
            assert probe.choice == probe.options[not greater]


def told_in_pairs(plan: Plan, fact: Fact, t: int) -> bool:
    """Whether a fact and its look-alike were both told by t."""
    return (
        fact.partner is not None
        and bool(told(fact, t))
        and bool(told(plan.graph.by_id[fact.partner], t))
    )


def stratum_of(plan: Plan, fact: Fact, t: int) -> str:
    """The stratum that a fact belongs to at t."""
    if told_in_pairs(plan, fact, t):
        return "paired"
    if len(told(fact, t)) > 1:
        return "revised"
    lag = max(t, 1) - fact.versions[0].session
    for low, high in ((1, 1), (2, 3), (4, 5), (6, 7), (8, 10)):
        if low <= lag <= high:
            return f"lag{low}" if low == high else f"lag{low}-{high}"
    return "lag>10"


def check_weights(plan: Plan) -> None:
    """The weights of every point add up to its due facts, stratum by stratum."""
    mechanisms = {"paired": "interference", "revised": "revision"}
    for t in range(plan.n_sessions + 1):
        due = Counter(
            stratum_of(plan, f, t)
            for f in plan.graph.facts
            if f.group is None and f.family != "link" and truth(f, t) is not None
        )
        heads = [p for p in plan.probes_at(t) if p.weight is not None]
        asked = Counter(p.stratum for p in heads)
        assert set(asked) == set(due), f"point {t}: every stratum with due facts is asked"
        for probe in heads:
            fact = plan.graph.by_id[probe.facts[0]]
            assert probe.type == "standalone"
            assert probe.stratum == stratum_of(plan, fact, t)
            assert probe.mechanism == mechanisms.get(probe.stratum or "", "compression")
            assert probe.weight == pytest.approx(due[probe.stratum or ""] / asked[probe.stratum])
        assert sum(p.weight or 0 for p in heads) == pytest.approx(sum(due.values()))
        assert len({p.facts[0] for p in heads}) == len(heads)
