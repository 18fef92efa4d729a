"""The answer of an audit in sentences, the receipts, and what to do next."""

from __future__ import annotations

from typing import Any

import pytest
from rich.console import Console

from agingbench.cards.audit import AuditCard
from agingbench.report.audit import print_audit
from agingbench.report.audit_advice import advice
from agingbench.report.audit_figures import (
    clause,
    dollars,
    figure_value,
    percent,
    tokens,
    week_words,
)
from agingbench.report.audit_receipts import _with_gaps
from agingbench.report.audit_sentence import _OPEN, answer_sentences, weeks_sentence

NO = "what was measured is three times likelier without a moderate change than with one"
REGIME = {
    "tool_using": True,
    "n_sessions": 24,
    "n_tool_calls": 900,
    "outcomes": "absent",
    "adapter": "claude_code",
    "n_days": 24,
}
PANEL = {
    "weeks": ["2026-03-02", "2026-03-09", "2026-03-16"],
    "sessions_by_week": [8, 8, 8],
    "figures": {
        "tool_errors": {"scale": "share", "value": 0.1, "by_week": [0.05, 0.1, 0.15]},
        "calls_per_request": {"scale": "ratio", "value": 6.0, "by_week": [4.0, 6.0, 8.4]},
        "retries": {"scale": "share", "value": 0.0, "by_week": [0.0, 0.0, 0.0]},
    },
}
RECORDED = [
    {"session": 4, "time": 1.7726e9, "kind": "client", "what": "client 2.1.69"},
    {"session": 12, "time": 1.7733e9, "kind": "client", "what": "client 2.1.70"},
]
CHANGES = {
    "tested": True,
    "recorded": RECORDED,
    "points": [
        {
            "session": 12,
            "time": 1.7733e9,
            "sessions_before": 12,
            "sessions_after": 12,
            "recorded": [{"session": 12, "kind": "client", "what": "client 2.1.70"}],
            "moved": [
                {"figure": "calls_per_request", "before": 4.0, "after": 8.4, "worse": True},
                {"figure": "tool_errors", "before": 0.05, "after": 0.15, "worse": True},
            ],
        }
    ],
}


def card(
    answer: bool | None = False,
    because: str | None = None,
    reason: str = "a reason",
    step: int | None = None,
    **audit: Any,
) -> AuditCard:
    headline = {
        "aging_detected": answer,
        "open_because": because,
        "aging_reason": reason,
        "changed_at_session": step,
    }
    block = {"headline": headline, "trace_regime": REGIME, **audit}
    return AuditCard.read({"headline": headline, "trace_audit": block})


def test_a_change_point_is_told_first_with_its_date_and_cause() -> None:
    first, second = answer_sentences(card(panel=PANEL, changes=CHANGES))

    assert first == (
        "Since 12 Mar 15 % of its tool calls fail, before it was 5.0 % and it makes 2.1 times the"
        " tool calls per request. It came with client 2.1.70, not gradually."
    )
    assert second == f"Apart from that, no aging seen: {NO}."


def test_no_aging_is_one_sentence() -> None:
    assert answer_sentences(card()) == [f"No aging seen: {NO}."]


@pytest.mark.parametrize(
    ("weeks", "words"),
    [
        (
            (5, 5, 5, 0),
            "Leaving out any one week of the trace gives the same answer (5 of 5 times).",
        ),
        ((9, 8, 8, 0), "Leaving out any one stretch of the weeks of the trace gives the same"),
        (
            (5, 5, 3, 0),
            "It hangs on single weeks: leaving out any one week keeps the answer 3",
        ),
        ((5, 5, 3, 0), "of 5 times; otherwise there is none."),
        ((5, 5, 3, 2), "of 5 times; otherwise it is the opposite."),
        ((5, 5, 2, 1), "times; otherwise there is none, or it is the opposite."),
    ],
)
def test_the_answer_says_how_much_it_hangs_on_single_weeks(
    weeks: tuple[int, int, int, int], words: str
) -> None:
    names = ("weeks", "windows", "same", "opposite")
    counts = dict(zip(names, weeks, strict=True))
    assert words in (weeks_sentence(card(True, left_out_weeks=counts)) or "")
    assert weeks_sentence(card(None, "suspicious", left_out_weeks=counts)) is None
    assert weeks_sentence(card(True)) is None


def test_work_that_changed_is_told_with_its_words() -> None:
    work = {"words_that_rose": ["bug", "fix"], "words_that_fell": ["plan"]}
    (sentence,) = answer_sentences(card(None, "work_changed", work=work))

    assert sentence == (
        "Whether it got worse cannot be told: what it does seems to have changed (calls per request), but your"
        ' work changed at the same time (more requests with "bug", "fix", fewer with "plan").'
    )
    signals = {
        "look_alike_visits": {"effect_ci": [0, 1], "p_plain": 0.5},
        "tool_mix_drift": {"effect_ci": [0, 1], "p_plain": 0.01},
    }
    interference = {"open_because": "work_changed", "signals": signals}
    (sentence,) = answer_sentences(card(None, "work_changed", interference=interference))
    assert "what it does seems to have changed (mix of tools), but your work" in sentence


def test_aging_is_told_by_what_got_worse() -> None:
    finding = {"fired": True, "leading_signal": "context_growth", "effect": 2.04}
    (sentence,) = answer_sentences(card(True, compression=finding))

    assert sentence == (
        "Your agent is getting worse, gradually: each step adds 2.0 times as much to its context"
        " as at the start."
    )


@pytest.mark.parametrize("because", ["too_short", "suspicious", "changed_at_once", "else", None])
def test_every_open_answer_is_a_sentence(because: str | None) -> None:
    (sentence,) = answer_sentences(card(None, because))

    assert sentence.startswith(
        ("Whether it got worse cannot be told", "Not called aging", "What looks worse came at once")
    )
    assert sentence.endswith(".")


def test_a_step_of_all_that_moved_names_its_session_and_day() -> None:
    made = card(None, "changed_at_once", session_times=[0, 1.7733e9], step=1)

    assert answer_sentences(made) == [
        "What looks worse came at once, not gradually: not called aging (since about session 1, 12 Mar)."
    ]
    assert advice(made) == [
        "audit only what came since 12 Mar, once there are about 24 sessions (1 session so far):"
        " `agingbench audit PATH --since 2026-03-12`"
    ]

    without_time = card(None, "changed_at_once", session_times=[0, None], step=1)
    assert answer_sentences(without_time)[0].endswith("not called aging (since about session 1).")
    assert advice(without_time)[0].endswith("--since DATE`")


def test_a_step_stands_among_the_changes_with_what_was_recorded_near_it() -> None:
    signal = {"effect": 0.2, "effect_ci": [0.1, 0.3], "p": 0.01, "minimum_effect": 0.05}
    first, second = RECORDED
    made = card(
        None,
        "changed_at_once",
        session_times=[1.7733e9] * 14,
        step=11,
        panel=PANEL,
        changes={"tested": True, "recorded": [{**first, "session": 10}, second]},
        compression={"signals": {"reread_rate": signal}},
    )
    console = Console(width=120, record=True)
    print_audit(made, [], console)
    screen = " ".join(console.export_text().split())

    assert "not called aging (repeated reads since about session 11, 12 Mar)." in screen
    assert (
        "12 Mar repeated reads, from about session 11 on; near it, in session 10 (4 Mar): client"
        " 2.1.69; near it, in session 12 (12 Mar): client 2.1.70" in screen
    )
    assert "no step" not in screen, "what is named as near the step is not cleared below it"


def test_a_trace_that_is_too_short_shows_no_kinds_of_aging() -> None:
    for because, is_shown in (("too_short", False), ("suspicious", True)):
        console = Console(width=120, record=True)
        print_audit(card(None, because), [], console)
        assert ("Kinds of aging" in console.export_text()) == is_shown


def test_a_week_with_nothing_to_count_has_no_first_or_last_figure() -> None:
    figure = {"scale": "share", "value": 0.1, "by_week": [None, 0.1, None]}
    made = card(None, "suspicious", panel={**PANEL, "figures": {"tool_errors": figure}})
    console = Console(width=120, record=True)
    print_audit(made, [], console)
    (row,) = [line for line in console.export_text().splitlines() if "tool calls that fail" in line]
    assert row.split()[-2:] == ["–", "–"]


@pytest.mark.parametrize("step", [None, 99, -1])
def test_a_card_that_does_not_say_where_the_step_is_names_no_place(step: int | None) -> None:
    older = "changed at once, at session 1, not gradually"
    made = card(None, "changed_at_once", session_times=[0], reason=older, step=step)

    assert answer_sentences(made)[0].endswith("not called aging.")
    assert advice(made)[0].endswith("--since DATE`")


def test_what_there_is_too_little_of_is_named() -> None:
    crowded = card(None, "too_short", reason="several sessions a day on too few days")
    assert "too few days (24 sessions on 24 days" in answer_sentences(crowded)[0]
    assert advice(crowded)[0].startswith(
        "audit again once there are sessions on six days or more; 24 "
    )
    short = card(None, "too_short", reason="4 sessions; 8 are the least")
    assert answer_sentences(short)[0].endswith("too few sessions (4 sessions; 8 are the least).")


def test_advice_after_an_update_pins_the_version_before_it() -> None:
    lines = advice(card(panel=PANEL, changes=CHANGES))

    assert "npm install -g @anthropic-ai/claude-code@2.1.69" in lines[0]
    assert lines[1] == "only what came after: `agingbench audit PATH --since 2026-03-12`"


def test_the_screen_follows_the_order_and_is_plain_text() -> None:
    spending = {
        "prices_as_of": "2026-10-01",
        "total": {"model_calls": 3, "input_tokens": 1000, "cost_usd": None},
        "by_week": [{"week": "2026-03-02", "model_calls": 3, "input_tokens": 1000}],
        "by_model": [{"model": "x", "model_calls": 3}],
        "models_without_price": ["x"],
    }
    console = Console(width=80, record=True, file=None)
    with console.capture() as capture:
        print_audit(card(panel=PANEL, changes=CHANGES, spending=spending), [], console)
    out = capture.get()

    heads = ["Since 12 Mar", "What it took", "What it did, week by week", "What changed, and when"]
    heads += ["Kinds of aging", "What to do next"]
    places = [out.index(head) for head in heads]
    assert places == sorted(places)
    assert "unknown" in out
    assert "--price MODEL=INPUT,OUTPUT" in out
    assert "never: calls that repeat a failed one as it was" in out


def test_figures_are_written_as_people_write_them() -> None:
    assert [percent(0.136), percent(0.05), percent(0)] == ["14 %", "5.0 %", "0 %"]
    assert [tokens(840), tokens(12_300), tokens(1.2e6)] == ["840", "12 k", "1.2 M"]
    assert [dollars(0.866), dollars(119.4), dollars(None)] == ["$0.87", "$119", "unknown"]
    assert figure_value("seconds_per_request", "ratio", 90.0, 200.0) == "1.5 min"
    assert figure_value("tool_errors", "share", None) == "–"


def test_a_fall_is_not_told_as_a_multiple() -> None:
    words = clause("tokens_per_request", "ratio", 2e6, 1e6)

    assert words == "tokens per request: 1.0 M, before it was 2.0 M"


def test_days_that_are_too_few_are_counted() -> None:
    headline = {
        "aging_detected": None,
        "open_because": "too_short",
        "aging_reason": "several sessions a day on fewer than 6 days: days cannot be told from time",
    }
    regime = {**REGIME, "n_sessions": 23, "n_days": 5}
    block = {"headline": headline, "trace_regime": regime}
    (sentence,) = answer_sentences(AuditCard.read({"headline": headline, "trace_audit": block}))

    assert sentence.endswith("(23 sessions on 5 days, at least 6 are needed).")


def test_other_work_is_audited_from_the_day_it_began() -> None:
    changes = {"recorded": [{"session": 9, "time": 1.7733e9, "kind": "work", "what": "other"}]}
    (line,) = advice(card(None, "work_changed", changes=changes))

    assert line.endswith("`agingbench audit PATH --since 2026-03-12`")


def test_rising_effort_is_told_with_its_weeks_and_what_to_do() -> None:
    open_card = card(None, "effort_rose", panel=PANEL)
    (sentence,) = answer_sentences(open_card)

    assert sentence.endswith("calls per request (4.00 in the first week, 8.40 in the last).")
    assert advice(open_card)[0].startswith("look at the requests that took the most calls")


def test_every_open_answer_has_advice() -> None:
    for because in _OPEN:
        assert advice(card(None, because)), because
    reliability = {"open_because": "changed_at_once", "changed_at_session": 1}
    stepped = card(None, "changed_at_once", reliability=reliability, session_times=[0, 1.7733e9])
    assert advice(stepped)[0].startswith(
        "audit only what came since 12 Mar, once there are about 24 sessions (1 session so far)"
    )
    assert answer_sentences(stepped)[0].endswith("(reliability since about session 1, 12 Mar).")


@pytest.mark.parametrize(
    ("step", "beside"),
    [
        (
            1,
            "model b (12 Mar, a session after the jump seems to have come, which is known to a"
            " session or so; near it came 1 other change): run the same kind of work",
        ),
        (2, "model b (near it came 1 other change): run the same kind of work"),
    ],
)
def test_a_model_that_may_have_brought_a_step_says_when_it_came(step: int, beside: str) -> None:
    at = {"session": 2, "time": 1.7733e9}
    recorded = [
        {**at, "kind": "model", "what": "model b"},
        {**at, "kind": "tools", "what": "tool x first used"},
    ]
    times = [0, 1.7732e9, 1.7733e9, 1.7734e9]
    stepped = card(
        None,
        "changed_at_once",
        session_times=times,
        step=step,
        changes={"tested": True, "recorded": recorded},
    )
    assert advice(stepped)[0].startswith(beside)


def test_a_week_is_one_piece_and_what_is_none_stays_as_it_is() -> None:
    assert week_words("2026-02-09") == "9\N{NO-BREAK SPACE}Feb\N{NO-BREAK SPACE}2026"
    assert week_words("soon") == "soon"


def test_weeks_without_a_session_are_drawn_as_gaps() -> None:
    weeks = ["2026-01-12", "2026-02-02", "2026-02-09"]
    assert _with_gaps(weeks, [1.0, 2.0, None]) == [1.0, None, None, 2.0, None]
    assert _with_gaps(["2026-02-09", "soon"], [1.0, 2.0]) == [1.0, 2.0], "a card by somebody else"
    assert _with_gaps([], []) == []
