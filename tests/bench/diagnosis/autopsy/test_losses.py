"""What stories add up to: where facts were lost, and which kinds die first."""

from __future__ import annotations

from collections.abc import Sequence

from agingbench.bench.diagnosis.autopsy.histories import History, StoreStep, statements_of
from agingbench.bench.diagnosis.autopsy.losses import (
    KINDS,
    FollowedValue,
    followed_values,
    kind_of,
    losses_by_kind,
    losses_by_step,
)
from agingbench.bench.life.planning import plan_for
from agingbench.bench.plan.plan import Plan
from agingbench.text.values import Value
from agingbench.trials.run_folder import WRITE
from tests.bench.diagnosis.autopsy.stores import Store


def test_kinds_of_value_have_names_that_people_use() -> None:
    named = {
        "amount": ("number", "$1,200"),
        "quantity": ("number", "39.4 milliseconds"),
        "number": ("number", "461 nodes"),
        "percent": ("percent", "12.5%"),
        "date": ("date", "March 4"),
        "time": ("clock", "09:30"),
        "version": ("version", "3.2.1"),
        "name": ("name", "Ann"),
        "range": ("range", "$30–$60"),
        "set": ("set", "a; b"),
    }
    for name, (kind, text) in named.items():
        assert kind_of(Value(kind, text)) == name
    assert set(named) == set(KINDS)


def lost(plan: Plan, texts: Sequence[str]) -> list[FollowedValue]:
    history = History(statements_of(plan))
    for session, text in enumerate(texts):
        history.follow(StoreStep(WRITE, session + 1, session), text)
    return list(followed_values(plan, history))


def test_what_was_lost_is_counted_where_it_was_lost() -> None:
    plan = plan_for("s2", "light", sessions=3, seed=0)
    store = Store(plan)
    ones = [
        f
        for f in plan.graph.facts
        if f.born == 0 and len(f.versions) == 1 and f.retracted_at is None
    ]
    never, later, flickering, late = (f.versions[0].sentence for f in ones[:4])
    store.lose(never, 0)
    store.lose(later, 3)
    texts = [store.text(1).replace(late, ""), store.text(2).replace(flickering, ""), store.text(3)]
    kept = lost(plan, texts)
    rows = {row.point: row for row in losses_by_step([kept])}
    assert [rows[p].not_written for p in (1, 2, 3)] == [2, 0, 0]
    assert [rows[p].lost for p in (1, 2, 3)] == [0, 1, 1]
    assert [rows[p].came_back for p in (1, 2, 3)] == [0, 1, 1]
    assert sum(row.told for row in rows.values()) == len(kept)
    assert sum(row.n for row in losses_by_kind([kept])) == len(kept)
    assert sum(row.never_written for row in losses_by_kind([kept])) == 1, (
        "what came late was written after all"
    )
    assert sum(row.lost for row in losses_by_kind([kept])) == 1, "what came back is there"
    ages = {one.statement.owner: one.age for one in kept}
    assert [ages[f.id] for f in ones[:4]] == [0, 2, 3, 3]


def test_half_survival_counts_the_writes_that_half_outlive() -> None:
    plan = plan_for("s1", "none", sessions=5, seed=0)
    store = Store(plan)
    for fact in plan.graph.facts:
        if kind_of(fact.versions[0].value) == "name":
            store.lose(
                fact.versions[0].sentence, fact.born + 3
            )  # stated at two points, gone at the third
    rows = {
        row.kind: row for row in losses_by_kind([lost(plan, [store.text(t) for t in range(1, 6)])])
    }
    assert rows["name"].half_survival.value == 2
    assert rows["name"].share_lost.value == max(row.share_lost.value or 0 for row in rows.values())
    others = [row for kind, row in rows.items() if kind != "name"]
    assert others
    assert all(row.share_lost.value == 0 and row.half_survival.value is None for row in others)
