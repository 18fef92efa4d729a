"""What the guessers read, and that guessing a value of the right kind earns little."""

from __future__ import annotations

import pytest

from agingbench.bench.life.planning import plan_for
from agingbench.bench.plan.plan import Plan, Probe
from agingbench.bench.scoring.verdicts import judge
from agingbench.trials.run_folder import AnswerRow
from agingbench.validity.guessers import GUESSERS, guess, values_of_kind
from tests.sampling import one_in

TEXT = "We met Mira Olsen at 9:30. She paid $45 and $60 for config/app.yaml, in 20 minutes."


def test_values_of_a_kind_and_unit() -> None:
    assert values_of_kind(TEXT, "number", "usd") == ("$45", "$60")
    assert values_of_kind(TEXT, "clock", None) == ("9:30",)
    assert values_of_kind(TEXT, "percent", "percent") == ()
    assert {"Mira Olsen", "config/app.yaml"} <= set(values_of_kind(TEXT, "name", None))


def recall(name: str, plans: list[Plan]) -> float:
    total = 0.0
    weights = 0.0
    for plan in plans:
        for probe in plan.probes:
            if probe.t >= 2 and probe.weight is not None:
                total += probe.weight * worth(name, plan, probe)
                weights += probe.weight
    return total / weights


def worth(name: str, plan: Plan, probe: Probe) -> float:
    said = guess(name, plan, probe)
    row = AnswerRow(probe.t, probe.id, "as_lived", said, "answered")
    _, value = judge(probe, row, plan.graph)
    return value or 0.0


@pytest.mark.parametrize("name", GUESSERS)
@pytest.mark.parametrize("scenario", one_in(3, ["s3", "s4", "s6"]))
def test_a_guess_of_the_right_kind_earns_little(scenario: str, name: str) -> None:
    plans = [plan_for(scenario, "medium", None, 8, seed) for seed in range(4)]
    share = recall(name, plans)
    print(f"{scenario}, {name}: {share:.3f}")
    assert share <= 0.10


def test_every_probe_is_answered_in_form() -> None:
    plan = plan_for("s3", "heavy", None, 6, 1)
    for probe in plan.probes:
        for name in GUESSERS:
            assert guess(name, plan, probe).startswith("Answer: ")
