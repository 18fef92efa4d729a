"""Controllers against none and always on, on the embedded reader: error, answers and tokens over
seeds, by memory.

What an arm buys is its drop of the account's error against the life of the same seed without a
controller, over the tokens it took beyond that life; where it took fewer there is nothing to divide
by. A life that gave no balance at all has no error and is in no mean of errors; `right` (share of
balance probes answered correctly) counts it.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

from agingbench.bench.life.control import Steering
from agingbench.bench.life.loop import live_plan
from agingbench.bench.life.planning import load_scenario, plan_for
from agingbench.bench.life.system import Sut, build
from agingbench.bench.life.transitions import InMemory
from agingbench.bench.scoring.card import total_usage
from agingbench.bench.scoring.score import LifeRecord, life_figures
from agingbench.metrics.intervals import mean_over_lives, paired_difference

ARMS = ("none", "conservative", "aggressive", "aggressive_retro", "write_loss", "always_on")
MEMORIES = ("lossy_compress", "careful_compress")


@dataclass(frozen=True)
class Life:
    """The figures of one life."""

    error: float | None
    right: float | None
    recall: float | None
    tokens: float
    first: float | None  # the point from which the first action held


def lived(memory: str, arm: str, sessions: int, seed: int) -> Life:
    scenario = load_scenario("s2")
    plan = plan_for(scenario, dials={"sentinels": 1}, sessions=sessions, seed=seed)
    keeper = InMemory()
    system = build(Sut(memory=memory, controller=arm), scenario.role)
    control = Steering(system.controller, plan) if system.controller is not None else None
    live_plan(plan, scenario, system.agent, keeper, meter=system.meter, steering=control)
    figures = life_figures(
        LifeRecord(plan, keeper.events, keeper.answers, keeper.texts), memory=False
    )
    usage = total_usage(keeper.events, keeper.answers)
    acted = [float((e.metadata or {})["at"]) for e in keeper.events if e.lifecycle == "control"]
    return Life(
        figures["accumulator_error"],
        figures["accumulator_accuracy"],
        figures["constraint_precision"],
        float((usage.input_tokens or 0) + (usage.output_tokens or 0)),
        min(acted, default=None),
    )


def mean(values: list[float | None], digits: int = 3) -> str:
    found = mean_over_lives(values, proportion=False)
    if found.value is None:
        return "no value"
    if found.low is None or found.high is None:
        return f"{found.value:.{digits}f} (n={found.n})"
    return (
        f"{found.value:.{digits}f} [{found.low:.{digits}f}, {found.high:.{digits}f}] (n={found.n})"
    )


def against(none: list[Life], arm: list[Life]) -> str:
    error = paired_difference([life.error for life in none], [life.error for life in arm]).effect
    right = paired_difference([life.right for life in arm], [life.right for life in none]).effect
    tokens = paired_difference([life.tokens for life in arm], [life.tokens for life in none]).effect
    told = [
        f"tokens {tokens.value:+,.0f} [{tokens.low:+,.0f}, {tokens.high:+,.0f}]"
        if tokens.low is not None
        else ""
    ]
    for name, gain, each in (
        ("error", error, "less per 1,000 extra tokens"),
        ("right", right, "more per 1,000"),
    ):
        if gain.value is not None and tokens.value is not None:
            worth = (
                f"{1000 * gain.value / tokens.value:.3g} {each}"
                if tokens.value > 0
                else "at no extra tokens"
            )
            told.append(f"{name} {'−' if name == 'error' else '+'}{gain.value:.3g}: {worth}")
    return "; ".join(filter(None, told))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--sessions", type=int, default=20)
    parser.add_argument("--memory", choices=MEMORIES, action="append", help="one of them alone")
    arguments = parser.parse_args()
    for memory in arguments.memory or MEMORIES:
        print(f"{memory}, {arguments.sessions} sessions, {arguments.seeds} seeds")
        found = {
            arm: [lived(memory, arm, arguments.sessions, seed) for seed in range(arguments.seeds)]
            for arm in ARMS
        }
        for arm, lives in found.items():
            print(f"  {arm:<16} error {mean([life.error for life in lives], 1)}")
            print(
                f"  {'':<16} right {mean([life.right for life in lives])}; "
                f"recall {mean([life.recall for life in lives])}; "
                f"first action at {mean([life.first for life in lives], 1)}"
            )
            if arm != "none":
                print(f"  {'':<16} against none: {against(found['none'], lives)}")


if __name__ == "__main__":
    main()
