"""Do the presets press in their order? Time averages by scenario, memory policy and preset on the
embedded reader, and the differences between presets paired by seed, with intervals.

python benchmarks/presets.py [--seeds 500-509] [--scenarios s1,s2,s3,s6]

`headline` is the scenario's own figure, `answers` the share of right answers over all facts that
are due. Where the headline reads the memory's text (s1, s3), a store that keeps everything has 1.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import msgspec

from agingbench.bench.life.loop import live_plan
from agingbench.bench.life.planning import load_scenario, plan_for
from agingbench.bench.life.system import Sut, build
from agingbench.bench.life.transitions import InMemory
from agingbench.bench.plan.plan import Plan, Scenario
from agingbench.bench.plan.pressure import PRESETS
from agingbench.bench.scoring.score import LifeRecord, score
from agingbench.metrics.intervals import mean_over_lives, paired_difference

POLICIES = ("lossy_compress", "careful_compress", "growing_history", "append_only")
FIGURES = ("headline", "answers")
STEPS = (("none", "light"), ("light", "medium"), ("medium", "heavy"), ("none", "medium"))
SESSIONS = 10
Figures = dict[str, list[float | None]]


def time_averages(scenario: Scenario, plan: Plan, policy: str) -> tuple[float | None, float | None]:
    """The time averages of a life's headline and of its answers."""
    keeper = InMemory()
    system = build(Sut(memory=policy), scenario.role)
    live_plan(plan, scenario, system.agent, keeper, meter=system.meter)
    averages = []
    for headline in (plan.headline, "recall_rate"):
        asked = msgspec.structs.replace(plan, headline=headline)
        life = LifeRecord(asked, keeper.events, keeper.answers, keeper.texts)
        averages.append(score(life).headline.time_average.value)
    return averages[0], averages[1]


def difference(label: str, a: list[float | None], b: list[float | None]) -> None:
    """Print the mean of a - b over seeds with its interval."""
    effect = paired_difference(a, b).effect
    if effect.value is None or effect.low is None or effect.high is None:
        print(f"  {label:<34} too few seeds")
        return
    sign = "+" if effect.low > 0 else "-" if effect.high < 0 else "0"
    print(
        f"  {label:<34} {effect.value:+.3f} [{effect.low:+.3f}, {effect.high:+.3f}] {sign}",
        flush=True,
    )


def measure(name: str, seeds: Sequence[int]) -> None:
    """Live the lives of one scenario and print its part of the table."""
    scenario = load_scenario(name)
    found: dict[tuple[str, str], Figures] = {}
    for preset in PRESETS:
        for seed in seeds:
            plan = plan_for(scenario, preset, None, SESSIONS, seed)
            for policy in POLICIES:
                figures = found.setdefault((policy, preset), {figure: [] for figure in FIGURES})
                averages = time_averages(scenario, plan, policy)
                for figure, average in zip(FIGURES, averages, strict=True):
                    figures[figure].append(average)

    for figure in FIGURES:
        print(f"{name} {figure}, {len(seeds)} seeds")
        for policy in POLICIES:
            cells = []
            for preset in PRESETS:
                mean = mean_over_lives(found[policy, preset][figure], proportion=True).value
                cells.append(f"{preset} {mean:.3f}")
            print(f" {policy:<18}{' '.join(cells)}")
            for easier, harder in STEPS:
                low, high = found[policy, harder][figure], found[policy, easier][figure]
                difference(f"{easier} -> {harder}", low, high)
        for preset in PRESETS:
            careful = found["careful_compress", preset][figure]
            difference(
                f"careful - lossy, {preset}", careful, found["lossy_compress", preset][figure]
            )


def main() -> None:
    """Print the table for the scenarios asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", default="0-9")
    parser.add_argument("--scenarios", default="s1,s2,s3,s6")
    arguments = parser.parse_args()
    first, _, last = arguments.seeds.partition("-")
    seeds = range(int(first), int(last or first) + 1)
    for name in arguments.scenarios.split(","):
        measure(name, seeds)


if __name__ == "__main__":
    main()
