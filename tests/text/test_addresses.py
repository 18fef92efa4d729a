"""Addresses are told without user, password, query and fragment; other text stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agingbench.text.addresses import plain_address


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("https://bob:pw@h.example/v1?key=abc#x", "https://h.example/v1"),
        ("https://bob@h.example", "https://h.example"),
        ("see https://h.example/v1?api-version=2, then", "see https://h.example/v1, then"),
        ("postgresql://u:p@w@db:5432/x", "postgresql://db:5432/x"),
        ("postgresql://u:p/a?b@db:5432/x?sslpassword=q", "postgresql://db:5432/x"),
        ("http://localhost:8000/v1", "http://localhost:8000/v1"),
        ("https://h.example/@scope/pkg", "https://h.example/@scope/pkg"),
        ("https://h.example:8080/@scope/pkg", "https://h.example:8080/@scope/pkg"),
        ("'http://u:p@h/x' failed: status 401", "'http://h/x' failed: status 401"),
        ("is this right? a://b", "is this right? a://b"),
        ("no address at all", "no address at all"),
    ],
)
def test_what_is_told(text: str, told: str) -> None:
    assert plain_address(text) == told


WORDS = st.text(st.characters(whitelist_categories=("L", "N"), max_codepoint=127), min_size=6)


@given(WORDS, WORDS, WORDS)
def test_no_login_and_no_query_is_left(user: str, password: str, query: str) -> None:
    secrets = (f"u{user}u", f"p{password}p", f"q{query}q")
    told = plain_address(f"x https://{secrets[0]}:{secrets[1]}@host/a?k={secrets[2]} y")
    assert told == "x https://host/a y"
    assert plain_address(told) == told
