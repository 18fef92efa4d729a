"""A tiny life made by hand, with every figure worked out on paper."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from agingbench.bench.plan.acts import Act
from agingbench.bench.plan.facts import Account, Delta, Fact, FactGraph, Version
from agingbench.bench.plan.plan import Plan, Probe, Session, Task, parse_events
from agingbench.bench.plan.pressure import PRESETS
from agingbench.bench.scoring.documents import dependency_document, metrics_document
from agingbench.bench.scoring.files import pretty
from agingbench.bench.scoring.memory_text import memory_shares
from agingbench.bench.scoring.score import LifeRecord, LifeScores, judged, life_figures, score
from agingbench.metrics.intervals import MISSING
from agingbench.records import Event
from agingbench.text.values import Value
from agingbench.trials.run_folder import AnswerRow


def told(number: int, subject: str, phrase: str, *versions: tuple[int, str, str]) -> Fact:
    said = [Version(s, Value(kind, v), f"{phrase} is {v}.") for s, kind, v in versions]
    return Fact(f"f{number}", "constraint", subject, (subject,), phrase, f"What is {phrase}?", said)


BUDGET = told(0, "dining", "my dining budget", (0, "number", "$309"), (1, "number", "$250"))
SHOP = told(1, "boycott", "the shop I boycott", (0, "name", "Ambermart"))
LOCKER = told(2, "locker", "the locker number", (1, "number", "4821"))
ACCOUNT = Account(
    "a0",
    "household account",
    "What is the balance of my household account?",
    0,
    100,
    "My household account starts out with a balance of $100.",
    [Delta(1, -40, "Paid $40.")],
)
GRAPH = FactGraph([BUDGET, SHOP, LOCKER], [ACCOUNT])


def asked(
    name: str,
    fact: Fact,
    weight: float | None,
    mechanism: str = "compression",
    kind: str = "standalone",
) -> Probe:
    t = int(name[1])
    version = fact.at(t)
    assert version is not None
    return Probe(
        name,
        t,
        kind,
        mechanism,
        fact.question,
        [fact.id],
        [version.value],
        fact.stale_at(t),
        weight=weight,
        lag=max(t, 1) - version.session,
        depth=fact.depth_at(t),
        span=0,
    )


PROBES = [
    asked("p0.0", BUDGET, 3), asked("p0.1", SHOP, 1),
    asked("p1.0", BUDGET, 3), asked("p1.1", SHOP, 1),
    asked("p2.0", BUDGET, 1, "revision"), asked("p2.1", SHOP, 2), asked("p2.2", LOCKER, 3, "interference"),
    asked("p2.3", BUDGET, None, "revision", "trend"),
    Probe("p2.4", 2, "account", "revision", ACCOUNT.question, [], [Value("number", "$60")],
          [Value("number", "$100")], account="a0"),
]  # fmt: skip
BOOK = Act("book")
TASKS = [
    [
        Task("t0.0", "dining", "Book it for $400.", "f0", "flag", asks=BOOK),
        Task("t0.1", "dining", "Book it.", "f0", "succeed", asks=BOOK),
    ],
    [
        Task("t1.0", "dining", "Book it for $300.", "f0", "flag", asks=BOOK),
        Task("t1.1", "boycott", "Order it.", "f1", "flag", asks=BOOK),
    ],
]
SAID = {
    "p0.0": "$309", "p0.1": "Ambermart",
    "p1.0": "$309", "p1.1": "Fernstore",
    "p2.0": "$309", "p2.1": "It is Ambermart.", "p2.2": "4821", "p2.3": "It is $250 now.",
    "p2.4": "The balance is $70.",
}  # fmt: skip
REPLIES = {
    "t0.0": "It is booked.\nDecision: done",
    "t0.1": "Booked. Decision: done",
    "t1.0": "I can't: over your budget.\n**Decision: declined**",
    "t1.1": "Hm.",
}
TEXTS = [
    (0, ""),
    (1, "My dining budget is $309."),
    (2, "My dining budget is $309. I like 4821 best."),
]


def plan_by_hand(probes: list[Probe] | None = None, events: tuple[str, ...] = ()) -> Plan:
    first = " ".join([BUDGET.versions[0].sentence, SHOP.versions[0].sentence])
    sessions = [Session(0, first, TASKS[0]), Session(1, LOCKER.versions[0].sentence, TASKS[1])]
    inspected = [["f0", "f1"], ["f0", "f1"], ["f0", "f1", "f2"]]
    return Plan(
        "by_hand",
        "1",
        "constraint_precision",
        0,
        2,
        "medium",
        PRESETS["medium"],
        parse_events(events, 2),
        sessions,
        PROBES if probes is None else probes,
        inspected,
        GRAPH,
    )


def life(
    said: Mapping[str, str] = SAID,
    status: Mapping[str, str] | None = None,
    replies: Mapping[str, str] = REPLIES,
    plan: Plan | None = None,
) -> LifeRecord:
    plan = plan or plan_by_hand()
    answers = [
        AnswerRow(p.t, p.id, "as_lived", said[p.id], (status or {}).get(p.id, "answered"))
        for p in plan.probes
        if p.id in said
    ]
    events = [
        Event(step=0, role="assistant", content=r, metadata={"task": t}) for t, r in replies.items()
    ]
    return LifeRecord(plan, events, answers, TEXTS)


def curve(scores: LifeScores) -> dict[int, float]:
    return {p.t: p.m for p in scores.curve}


def test_the_curve_weighs_each_probe_by_its_stratum() -> None:
    scores = score(life())
    assert curve(scores) == {0: 1.0, 1: pytest.approx(3 / 4), 2: pytest.approx(5 / 6)}
    assert scores.headline.m0.value == 1.0
    assert scores.headline.m_final.value == pytest.approx(5 / 6)
    # Of the plain facts 3/4 are right at t = 1 and all at t = 2; the revised one has no slope.
    assert scores.headline.decay_slope.value == pytest.approx(1 - 3 / 4)
    assert scores.headline.n_probes == 7
    assert scores.headline.aging_detected is None


def test_every_probe_metric() -> None:
    found = score(life()).probe_metrics
    expected = {
        "constraint_precision": (8 / 10, 5),
        "compression_recall": (2 / 3, 3),
        "lag_recall": (3 / 5, 5),
        "version_accuracy": (1 / 2, 2),
        "interference_resistance": (1.0, 1),
        "accumulator_accuracy": (0.0, 1),
        "dep_recall": (1.0, 1),
        "chain_recall": (4 / 6, 6),
    }
    assert {n: e.n for n, e in found.items() if e.n} == {
        n: size for n, (_, size) in expected.items()
    }
    assert {n: e.value for n, e in found.items() if e.n} == pytest.approx(
        {n: v for n, (v, _) in expected.items()}
    )
    assert {n for n, e in found.items() if e == MISSING} == {"forget_accuracy", "per_hop_recall"}


def test_the_two_ways_to_a_figure_agree() -> None:
    record = life()
    scores = score(record)
    figures = life_figures(record)
    for name, estimate in scores.probe_metrics.items():
        assert figures[name] == (
            None if estimate.value is None else pytest.approx(estimate.value)
        ), name
    assert figures["m0"] == scores.headline.m0.value
    assert figures["cvr"] == scores.conduct.cvr.value
    assert figures["accumulator_error"] == scores.accumulator.absolute


def test_recall_by_depth_lag_and_hop() -> None:
    scores = score(life())
    assert {k: e.value for k, e in scores.chain_recall_by_depth.items()} == {
        "1": pytest.approx(3 / 4),
        "2": 0.5,
    }
    assert {k: e.n for k, e in scores.lag_recall.items() if e.n} == {"1": 4, "2-3": 1}
    assert scores.lag_recall["2-3"].value == 1.0
    assert scores.lag_recall[">10"] == MISSING
    assert scores.per_hop == {}


def test_the_account() -> None:
    found = score(life()).accumulator
    assert (found.absolute, found.n, found.n_unanswered) == (10.0, 1, 0)
    assert found.relative == pytest.approx(1 / 6)
    silent = score(life({**SAID, "p2.4": "I don't know."})).accumulator
    assert (silent.absolute, silent.n, silent.n_unanswered) == (None, 0, 1)
    refused = score(life(status={"p2.4": "unanswered"})).accumulator
    assert (refused.absolute, refused.n_unanswered) == (None, 1)
    broken = score(life(status={"p2.4": "failed"})).accumulator
    assert (broken.absolute, broken.n, broken.n_unanswered) == (None, 0, 0)


def test_only_replies_that_decide_count_as_violations_or_compliance() -> None:
    scores = score(life())
    cvr = scores.conduct.cvr
    assert (cvr.value, cvr.n) == (0.5, 2)
    assert {s: e.value for s, e in scores.cvr_by_session.items()} == {0: 1.0, 1: 0.0}
    assert [t.decided for t in scores.tasks] == ["done", "done", "declined", None]
    silent = score(life(replies={"t0.0": "Hm.", "t0.1": "Booked."}))
    assert silent.conduct.cvr == MISSING
    assert silent.cvr_by_session == {}


def test_the_last_reply_to_a_task_decides_and_broken_tasks_are_counted() -> None:
    record = life()
    more = [
        Event(
            step=0, role="assistant", content="No. Decision: declined", metadata={"task": "t0.0"}
        ),
        Event(step=0, role="meta", metadata={"task": "t1.1", "failed": "no connection"}),
    ]
    scores = score(LifeRecord(record.plan, [*record.events, *more], record.answers, record.texts))
    assert scores.tasks[0].decided == "declined"
    assert [t.failed for t in scores.tasks] == [False, False, False, True]


def test_memory_text_is_asked_for_what_holds_then() -> None:
    shares = memory_shares(plan_by_hand(), TEXTS)
    # At point 2 the budget in memory is the old one, and the locker's number stands there without
    # the locker.
    assert shares["keyword_m"] == {0: [True, True], 1: [True, False], 2: [False, False, True]}
    assert shares["summarization_fidelity"] == {
        0: [True, True],
        1: [True, False],
        2: [False, False, False],
    }
    found = score(life()).memory_metrics["keyword_m"]
    assert {t: e.value for t, e in found.items()} == {0: 1.0, 1: 0.5, 2: pytest.approx(1 / 3)}
    figures = life_figures(life())
    assert figures["keyword_m"] == pytest.approx((1 + 1 / 2 + 1 / 3) / 3)
    assert "keyword_m" not in life_figures(life(), memory=False)


def test_broken_calls_are_left_out_and_counted() -> None:
    scores = score(life(status={"p1.0": "failed"}))
    assert curve(scores)[1] == 0.0, "only the wrong answer is left at point 1"
    assert scores.probe_metrics["lag_recall"].value == pytest.approx(2 / 4)
    assert scores.probe_metrics["lag_recall"].n == 4
    assert scores.failed_share == pytest.approx(1 / 9)
    assert not scores.dependable
    gone = score(life(status={"p1.0": "failed", "p1.1": "failed"}))
    assert set(curve(gone)) == {0, 2}, "a point without answers does not exist"


def test_unanswered_is_a_miss_and_not_left_out() -> None:
    scores = score(life(status={"p1.0": "unanswered"}))
    assert curve(scores)[1] == 0.0
    assert scores.probe_metrics["lag_recall"].n == 5
    assert scores.failed_share == 0.0
    assert scores.dependable


@pytest.mark.parametrize(("broken", "dependable"), [(0, True), (1, True), (2, False)])
def test_above_five_percent_of_broken_calls_there_is_no_headline(
    broken: int, dependable: bool
) -> None:
    probes = [asked(f"p1.{k}", SHOP, 1) for k in range(20)]
    status = {f"p1.{k}": "failed" for k in range(broken)}
    scores = score(life({p.id: "Ambermart" for p in probes}, status, plan=plan_by_hand(probes)))
    assert scores.failed_share == broken / 20
    assert scores.dependable is dependable
    assert curve(scores) == {1: 1.0}


def test_answers_under_other_conditions_are_not_scored_as_lived() -> None:
    record = life()
    other = AnswerRow(1, "p1.0", "oracle_context", "$309")
    assert len(judged(record.plan, [*record.answers, other])) == len(record.answers)


def test_a_life_without_answers_has_no_figures() -> None:
    scores = score(LifeRecord(plan_by_hand([]), [], [], []))
    assert scores.curve == []
    assert {e.value for e in scores.probe_metrics.values()} == {None}
    assert scores.conduct.cvr == MISSING
    assert scores.accumulator.absolute is None
    assert scores.compounding is None
    assert scores.headline.m0.value is None


def test_events_have_their_window() -> None:
    (window,) = score(life(plan=plan_by_hand(events=("recompact@2",)))).windows.values()
    assert window.pre == pytest.approx(3 / 4)
    assert window.post == pytest.approx(5 / 6)
    assert window.delta == pytest.approx(5 / 6 - 3 / 4)


def test_compounding_needs_growing_errors_of_one_account() -> None:
    probes = [
        Probe(
            f"p{t}.0",
            t,
            "account",
            "revision",
            ACCOUNT.question,
            [],
            [Value("number", "$60")],
            account="a0",
        )
        for t in (2, 3, 4)
    ]

    def found(*said: str) -> bool | None:
        rows = {p.id: s for p, s in zip(probes, said, strict=True)}
        return score(life(rows, plan=plan_by_hand(probes))).compounding

    assert found("$60", "$60", "$60") is False
    assert found("$60", "$75", "$90") is True
    assert found("$60", "$45", "$30") is True
    assert found("$90", "$75", "$60") is False
    assert found("$60", "no idea", "$90") is None


def test_files_hold_null_for_what_is_missing_and_nothing_infinite() -> None:
    scores = score(life())
    plan = plan_by_hand()
    metrics: dict[str, Any] = json.loads(pretty(metrics_document(scores, plan)))
    assert metrics["probe_metrics"]["forget_accuracy"] == {"value": None, "ci": None, "n": 0}
    assert [row["verdict"] for row in metrics["answers"]] == [
        "correct",
        "correct",
        "correct",
        "wrong",
        "stale",
        "correct",
        "correct",
        "correct",
        "wrong",
    ]
    assert metrics["accumulator_error"]["absolute"] == 10.0
    structure = json.loads(pretty(dependency_document(scores, plan)))
    assert structure["graph"]["updates"] == 1
    assert structure["lag_recall"][">10"]["value"] is None
