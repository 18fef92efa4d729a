"""How a result failed, by what it says."""

from __future__ import annotations

import pytest

from agingbench.traces.error_kinds import is_out_of_reach


@pytest.mark.parametrize(
    "text",
    [
        "curl: (6) Could not resolve host: staging.example.org",
        "Error: connect ETIMEDOUT 10.0.0.7:443",
        "ssh: connect to host bastion port 22: Connection timed out",
        "upstream answered 503 Service Unavailable",
        "dial tcp: lookup db on 10.0.0.2:53: i/o timeout",
    ],
)
def test_what_is_out_of_reach_is_nobodys_slip(text: str) -> None:
    assert is_out_of_reach(text)
    assert is_out_of_reach("output\n" * 500 + text)


@pytest.mark.parametrize(
    "text",
    [
        "sed: can't read src/total.py: No such file or directory",
        "error: unexpected argument '--colour' found",
        "Command timed out after 2m 0.0s",
        "connect ECONNREFUSED 127.0.0.1:8080",
        "",
    ],
)
def test_an_ordinary_failure_is_one(text: str) -> None:
    assert not is_out_of_reach(text)
