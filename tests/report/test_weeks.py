"""The chart of weeks shows dollars, or tokens as soon as one week has no price."""

from __future__ import annotations

from typing import Any

import pytest

from agingbench.report.weeks import week_chart

PRICED = {"project": "a", "week": "2026-02-02", "tokens": 10, "cost_usd": 1.5}
UNPRICED = {"project": "b", "week": "2026-02-09", "tokens": 20, "cost_usd": None}


@pytest.mark.parametrize(
    ("rows", "field"), [([PRICED], "cost_usd"), ([PRICED, UNPRICED], "tokens")]
)
def test_bars_are_dollars_only_where_every_week_has_a_price(
    rows: list[dict[str, Any]], field: str
) -> None:
    spec = week_chart(rows).to_dict()
    assert spec["encoding"]["y"]["field"] == field
    (values,) = spec["datasets"].values() if "datasets" in spec else (spec["data"]["values"],)
    assert values == rows
