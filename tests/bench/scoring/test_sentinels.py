"""The dial that marks openings and movements of accounts: on, the session text carries them; off,
nothing changes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar

import pytest

from agingbench.bench.life.places import condition
from agingbench.bench.life.planning import plan_for
from agingbench.bench.life.system import Sut
from agingbench.bench.plan.plan import Plan
from agingbench.bench.scenarios.s4_software_engineering.scenario import SoftwareEngineering
from agingbench.bench.studies.cells import with_sentinels
from agingbench.errors import InputError, UnknownName
from tests.sampling import one_in

SCENARIOS = ("s1", "s2", "s3", "s4", "s5", "s6", "s7")
MARK = re.compile(r"\[(ACCUM|ACCUM_INIT):([a-z0-9_]+):([+-]?[0-9]+)\] ([^\[\n]*)")


def life(scenario: str, sentinels: int | None, seed: int = 3) -> Plan:
    return plan_for(
        scenario, "medium", None if sentinels is None else {"sentinels": sentinels}, 10, seed
    )


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_off_is_as_if_there_were_no_dial(scenario: str) -> None:
    off = life(scenario, 0)
    unturned = life(scenario, None)
    assert off.encode() == unturned.encode()
    assert off.pressure.as_dials()["sentinels"] == 0
    assert "[ACCUM" not in "".join(session.text for session in off.sessions)


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("seed", one_in(3, range(3)))
def test_on_every_opening_and_movement_is_marked_with_its_own_value(
    scenario: str, seed: int
) -> None:
    plan = life(scenario, 1, seed)
    marks = [(t, *found) for t, s in enumerate(plan.sessions) for found in MARK.findall(s.text)]
    wanted = []
    for account in plan.graph.accounts:
        name = account.name.replace(" ", "_")
        opening = account.passage or account.sentence
        wanted.append((account.session, "ACCUM_INIT", name, str(account.opening), opening))
        for delta in account.deltas:
            told = delta.passage or delta.sentence
            wanted.append((delta.session, "ACCUM", name, f"{delta.amount:+d}", told))
    assert len(marks) == len(wanted) > 9
    for t, mark, name, value, told in wanted:
        assert any(m[:4] == (t, mark, name, value) and m[4].startswith(told) for m in marks)
    assert plan.sessions[0].text.count("[ACCUM_INIT:") == 1


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_marks_give_every_balance(scenario: str) -> None:
    plan = life(scenario, 1)
    totals: dict[str, int] = {}
    for t, session in enumerate(plan.sessions):
        for mark, name, value, _ in MARK.findall(session.text):
            totals[name] = int(value) if mark == "ACCUM_INIT" else totals[name] + int(value)
        known = {
            a.name.replace(" ", "_"): a.balance(t + 1)
            for a in plan.graph.accounts
            if a.session <= t
        }
        assert totals == known


def test_the_dial_shows_in_the_condition_and_keeps_its_range() -> None:
    assert condition(life("s2", 1)) != condition(life("s2", 0)) == condition(life("s2", None))
    for wrong in (2, -1, 0.5):
        with pytest.raises(InputError, match="sentinels"):
            plan_for("s2", "medium", {"sentinels": wrong}, 10, 0)


class NoMarks(SoftwareEngineering):
    """A scenario without the dial."""

    own_dials: ClassVar[Mapping[str, tuple[type, float, float]]] = {}
    own_defaults: ClassVar[Mapping[str, int]] = {}


def test_a_scenario_without_the_dial_refuses_it() -> None:
    with pytest.raises(UnknownName, match="sentinels"):
        plan_for(NoMarks(), "medium", {"sentinels": 1}, 10, 0)
    typed = Sut(memory="typed_state")
    with pytest.raises(InputError, match="writes none"):
        with_sentinels({}, NoMarks(), [typed])
