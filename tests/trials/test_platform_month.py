"""A platform team's month on PostgreSQL: thirty nights, an outage, a repeated night, a changed row."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.places import ROOT

SCRIPT = ROOT / "benchmarks" / "platform_month.py"


@pytest.mark.slow
def test_a_month_of_nights_is_told_from_the_ledger(postgres_ledger: str) -> None:
    pytest.importorskip("openai", reason="the extra `openai` is not installed")
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--ledger", postgres_ledger],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)

    assert told["exit_codes_of_nights"] == [0] * 11 + [1] + [0] * 19
    assert told["trials"] == 31 * 9
    assert told["complete"] == 30 * 9
    assert told["partial"] == 9
    assert told["verify_before"][:2] == [0, True]

    # A life of a seed is the same every night: the sample is three seeds, not ninety lives.
    assert [group["seeds"] for group in told["ranking"]] == [3, 3, 3]
    assert [group["trials"] for group in told["ranking"]] == [90, 90, 90]
    assert {group["system"] for group in told["ranking"]} == {
        "lossy_compress",
        "careful_compress",
        "append_only",
    }
    for change, low, high in told["change_per_night"].values():
        assert change == pytest.approx(0, abs=1e-9)
        assert low - 1e-9 <= 0 <= high + 1e-9

    nights = told["nights"]
    assert len(nights) == 30
    outage = nights[11]
    assert outage[1:] == [9, 9, None, None]  # nothing finished, and what it cost is not known
    usual = nights[0][4]
    assert nights[19][1] == 18
    assert nights[19][4] == pytest.approx(2 * usual)
    assert all(night[4] == pytest.approx(usual) for night in nights[20:])

    assert told["verify_after"] == [1, False]
    (problem,) = told["problems"]
    assert (problem["entry"], problem["kind"]) == (told["tampered_entry"], "edited")
    assert "another reward" in problem["detail"]
