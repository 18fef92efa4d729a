"""What arguments give, however they are packed."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agingbench.telemetry.sessions.given_fields import MOST_FIELDS, MOST_RECORDS, given_records

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=20,
)


@pytest.mark.parametrize(
    ("arguments", "records"),
    [
        ({"stn": "KLB", "lvl": {"off": 1.5}}, [{"stn": "KLB", "lvl.off": 1.5}]),
        ({"a": '{"b": {"c": 3}}'}, [{"a.b.c": 3}]),
        ({"env": "prod/eu"}, [{"env": "prod/eu", "env.0": "prod", "env.1": "eu"}]),
        ({"path": "src/a.py"}, [{"path": "src/a.py"}]),
        ({"ids": [7], "pair": ["x", "y"]}, [{"ids": 7, "pair.0": "x", "pair.1": "y"}]),
        (
            {"shop": 1, "rows": [{"sku": "A", "p": 2}, {"sku": "B", "p": 3}]},
            [
                {"shop": 1, "rows.sku": "A", "rows.p": 2},
                {"shop": 1, "rows.sku": "B", "rows.p": 3},
            ],
        ),
    ],
)
def test_values_are_found_however_deep(
    arguments: dict[str, Any], records: list[dict[str, Any]]
) -> None:
    assert given_records(arguments) == records


@given(st.dictionaries(st.text(max_size=5), JSON, max_size=30))
def test_records_are_flat_and_bounded(arguments: dict[str, Any]) -> None:
    records = given_records(arguments)
    assert 1 <= len(records) <= MOST_RECORDS
    for record in records:
        assert len(record) <= MOST_FIELDS + 4
        assert not any(isinstance(value, dict) for value in record.values())
