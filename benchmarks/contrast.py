"""Lossy against careful compaction on the embedded reader: paired by seed, with the interval of the
difference.
"""

from __future__ import annotations

import argparse

from agingbench.bench.life.loop import live_plan
from agingbench.bench.life.planning import load_scenario, plan_for
from agingbench.bench.life.system import Sut, build
from agingbench.bench.life.transitions import InMemory
from agingbench.bench.scoring.score import LifeRecord, score
from agingbench.metrics.intervals import mean_over_lives, paired_difference


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--sessions", type=int, default=10)
    arguments = parser.parse_args()
    scenario = load_scenario("s2")
    found: dict[str, dict[str, list[float | None]]] = {}
    for memory in ("careful_compress", "lossy_compress"):
        figures: dict[str, list[float | None]] = {
            "m_final": [],
            "time_average": [],
            "first_write_loss": [],
        }
        for seed in range(arguments.seeds):
            plan = plan_for(scenario, sessions=arguments.sessions, seed=seed)
            keeper = InMemory()
            system = build(Sut(memory=memory), scenario.role)
            live_plan(plan, scenario, system.agent, keeper, meter=system.meter)
            headline = score(LifeRecord(plan, keeper.events, keeper.answers, keeper.texts)).headline
            for name, values in figures.items():
                values.append(getattr(headline, name).value)
        found[memory] = figures
    for name in ("m_final", "time_average", "first_write_loss"):
        for memory, figures in found.items():
            mean = mean_over_lives(figures[name], proportion=name != "first_write_loss")
            print(
                f"{name:<17} {memory:<17} {mean.value:.3f}  [{mean.low:.3f}, {mean.high:.3f}] "
                f" n={mean.n}"
            )
        paired = paired_difference(found["careful_compress"][name], found["lossy_compress"][name])
        effect = paired.effect
        print(
            f"{name:<17} {'careful − lossy':<17} {effect.value:+.3f}  [{effect.low:+.3f},"
            f" {effect.high:+.3f}]  n={paired.n} pairs, p={paired.p_value:.2g}\n"
        )


if __name__ == "__main__":
    main()
