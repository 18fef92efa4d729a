"""Shell commands give fields by option, assignment and place, whole and in parts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agingbench.telemetry.sessions.command_fields import command_fields


@pytest.mark.parametrize(
    ("command", "program", "fields"),
    [
        ("deploy api --region eu-3", "deploy", {"1": "api", "--region": "eu-3"}),
        ("REGION=eu-3 deploy api", "deploy", {"region": "eu-3", "1": "api"}),
        ("make install PKG=httpx VERSION=1.2.3", "make", {"pkg": "httpx", "version": "1.2.3"}),
        ("tool run --price=p_9 orbit", "tool", {"1": "run", "--price": "p_9", "2": "orbit"}),
        ("psql -c 'select 1 from core.orders'", "psql", {"-c.3.first": "core"}),
        ("curl http://localhost:8123/up?name=api", "curl", {"1.2": "8123", "1.5": "api"}),
    ],
)
def test_a_command_gives_fields(command: str, program: str, fields: dict[str, str]) -> None:
    (step,) = command_fields(command)
    assert step[0] == program
    assert fields.items() <= dict(step[1]).items()


def test_every_step_is_a_command() -> None:
    steps = command_fields("cd x && git fetch origin rc-4 && git rebase origin/rc-4")
    assert [program for program, _ in steps] == ["git", "git"]
    assert dict(steps[1][1])["2.1"] == "rc-4"


@given(st.text(max_size=300))
def test_any_text_is_read(command: str) -> None:
    for program, fields in command_fields(command):
        assert program or fields
        assert all(0 < len(value) <= 64 for _, value in fields)
