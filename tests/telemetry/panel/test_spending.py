"""Tokens and dollars by week and model."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import msgspec
import pytest

from agingbench.errors import InputError
from agingbench.models.prices import Price, PriceList, load_prices, parse_price
from agingbench.records import Event, ReadLog, Usage
from agingbench.telemetry.panel.spending import Spending, trace_spending, week_of
from agingbench.telemetry.profile import load_profile
from agingbench.telemetry.sessions.aggregates import TraceSessions
from agingbench.telemetry.sessions.collect import collect
from agingbench.traces.reading import groups, read_files
from tests.places import TRACES, needs_real_data
from tests.telemetry.panel.plain_count import tokens_by_model_and_week

PRICES = PriceList(date(2026, 3, 1), {"big": Price(10, 50, 1, 12)})
PROJECTS = ("claude_code/entireio_cli/gtrrz-victor", "claude_code/m-thisness_m-claude")


def call(model: str | None, day: int, usage: Usage) -> Event:
    time = 86_400.0 * day
    return Event(
        step=1,
        role="assistant",
        content="x",
        model=model,
        usage=usage,
        timestamp=time,
        session_id="a",
    )


def test_dollars_come_from_tokens_and_prices_by_week_and_model() -> None:
    usage = Usage(1_000_000, 100_000, 2_000_000, 500_000)
    trace = collect([call("big", 20_000, usage), call("big", 20_007, usage)], load_profile())

    spending = trace_spending(trace, PRICES)

    assert spending.total.cost_usd == pytest.approx(2 * (10 + 5 + 2 + 6))
    assert [row.week for row in spending.by_week] == [week_of(20_000), week_of(20_007)]
    assert [row.cost_usd for row in spending.by_week] == pytest.approx([23, 23])
    assert spending.prices_as_of == "2026-03-01"


def test_a_model_without_price_is_unknown_and_named() -> None:
    events = [call("big", 20_000, Usage(10, 10)), call("small", 20_000, Usage(10, 10))]

    spending = trace_spending(collect(events, load_profile()), PRICES)

    assert spending.total.cost_usd is None
    assert spending.models_without_price == ["small"]
    known = {row.model: row.cost_usd is not None for row in spending.by_model}
    assert known == {"big": True, "small": False}


def test_each_week_says_what_each_model_took() -> None:
    events = [
        call("big", 20_000, Usage(1_000_000, 0)),
        call("small", 20_000, Usage(10, 10)),
        call("big", 20_007, Usage(1, 100_000)),
    ]

    cells = trace_spending(collect(events, load_profile()), PRICES).by_week_and_model

    assert [(row.week, row.model, row.cost_usd) for row in cells] == [
        (week_of(20_000), "big", 10.0),
        (week_of(20_000), "small", None),
        (week_of(20_007), "big", 5.00001),
    ]


def test_a_cost_that_the_trace_names_goes_before_the_price_list() -> None:
    events = [call("big", 20_000, Usage(10, 10, cost_usd=3.5))]

    assert trace_spending(collect(events, load_profile()), PRICES).total.cost_usd == 3.5


def test_nothing_spent_is_not_zero_dollars() -> None:
    assert trace_spending(collect([], load_profile()), PRICES).total.cost_usd is None


def test_a_price_of_the_user_goes_before_ours() -> None:
    model, price = parse_price("claude-opus-4-5=1,2,0.5")
    prices = load_prices().with_prices({model: price})

    assert prices.find("claude-opus-4-5-20251101") == Price(1, 2, 0.5)


@pytest.mark.parametrize("text", ["x", "x=1", "=1,2", "x=1,a", "x=1,-2", "x=1,2,3,4,5", "x=1,nan"])
def test_a_price_that_cannot_be_read_says_how_to_write_it(text: str) -> None:
    with pytest.raises(InputError, match="MODEL=INPUT,OUTPUT"):
        parse_price(text)


def test_the_fullest_moment_has_its_session_and_time() -> None:
    windows = load_profile().context_windows
    model = next(iter(windows))
    half = int(windows[model] / 2)
    calls = [(10, "a"), (half, "b"), (20, "b"), (half - 1, "c")]
    events = []
    for day, (size, session) in enumerate(calls, 20_000):
        event = call(model, day, Usage(size, 1))
        events.append(msgspec.structs.replace(event, session_id=session))

    spending = trace_spending(collect(events, load_profile()), PRICES)

    assert spending.context_share_highest == pytest.approx(0.5, abs=1e-5)
    assert spending.context_share_highest_session == 1
    assert spending.context_share_highest_time == 86_400.0 * 20_001


def test_without_a_window_no_session_is_the_fullest() -> None:
    trace = collect([call("small", 20_000, Usage(10, 10))], load_profile())

    spending = trace_spending(trace, PRICES)

    assert spending.context_share_highest_session is None
    assert spending.context_share_highest_time is None


def test_weeks_begin_on_monday() -> None:
    assert week_of(0) == "1969-12-29"
    assert week_of(4) == "1970-01-05"


@needs_real_data()
@pytest.mark.parametrize("name", PROJECTS)
def test_real_tokens_equal_a_plain_count(name: str) -> None:
    folder = TRACES / name
    plain = tokens_by_model_and_week(folder)
    spending = trace_spending(_collect(folder), load_prices())

    by_week = _summed(plain, 1)
    by_model = _summed(plain, 0)
    assert {row.week: _counts(row) for row in spending.by_week} == by_week
    assert {row.model: _counts(row) for row in spending.by_model} == by_model
    cells = {(row.model, row.week): _counts(row) for row in spending.by_week_and_model}
    assert cells == plain


def _collect(folder: Path) -> TraceSessions:
    files = [file for group in groups(folder) for file in group.files]
    return collect(read_files(files, "auto", ReadLog()), load_profile("code_assistant"))


def _summed(table: dict[tuple[str, str], list[int]], part: int) -> dict[str, list[int]]:
    sums: dict[str, list[int]] = {}
    for key, row in table.items():
        own = sums.setdefault(key[part], [0] * 5)
        sums[key[part]] = [a + b for a, b in zip(own, row, strict=True)]
    return sums


def _counts(row: Spending) -> list[int]:
    return [
        row.model_calls,
        row.input_tokens,
        row.cache_read_tokens,
        row.cache_write_tokens,
        row.output_tokens,
    ]
