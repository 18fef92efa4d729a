"""Tests of the canonical form and its hash."""

from __future__ import annotations

import hashlib
import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agingbench.errors import InputError
from agingbench.traces.canonical import canonical_json, content_hash

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def test_form_is_sorted_compact_and_raw_utf8() -> None:
    assert canonical_json({"b": [1, 2.5], "a": "é\u2028"}) == '{"a":"é\u2028","b":[1,2.5]}'.encode()


def test_hash_is_sha256_of_the_form() -> None:
    assert content_hash({"a": 1}) == hashlib.sha256(b'{"a":1}').hexdigest()


@given(JSON)
def test_form_survives_a_trip_through_a_file(value: Any) -> None:
    assert canonical_json(json.loads(canonical_json(value))) == canonical_json(value)


def test_integer_keys_hash_as_they_read_back() -> None:
    sessions = {2: "b", 10: "a"}
    assert content_hash(sessions) == content_hash(json.loads(json.dumps(sessions)))


@pytest.mark.parametrize(
    "value", [math.nan, math.inf, -math.inf, {"a": [math.nan]}, "\ud800", {1, 2}, object()]
)
def test_what_has_no_form_is_refused(value: Any) -> None:
    with pytest.raises(InputError, match="no canonical JSON form"):
        canonical_json(value)


def test_circular_data_is_refused() -> None:
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(InputError, match="Circular"):
        canonical_json(loop)
