"""Which calls read a file, and which only look for something in it."""

from __future__ import annotations

import pytest

from agingbench.telemetry.sessions.rereads import FILE, WHOLE, Part, read_targets
from agingbench.telemetry.sessions.shell_reads import shell_read
from agingbench.telemetry.sessions.tool_kinds import SHELL


def targets(command: str) -> list[tuple[str, str, Part]]:
    files = shell_read(command)
    assert files is not None, command
    return read_targets(SHELL, "Bash", {"command": command}, files)


@pytest.mark.parametrize(
    ("command", "part"),
    [
        ("cat src/orders/total.py", WHOLE),
        ("sed -n '1,40p' src/orders/total.py", Part(1.0, 40.0)),
        ("nl -ba src/orders/total.py | sed -n '10,20p'", Part(10.0, 20.0)),
    ],
)
def test_a_command_that_prints_a_file_reads_it(command: str, part: Part) -> None:
    assert targets(command) == [(FILE, "orders/total.py", part)]


@pytest.mark.parametrize("program", ["rg -n", "grep -n", "ag"])
def test_a_search_inside_one_file_is_no_read_of_it(program: str) -> None:
    assert targets(f"{program} rounding src/orders/total.py") == []
