"""The table of docs/memory_systems.md: `python benchmarks/memory_systems.py runs/memory_systems`.

It reads the folders of the study `memory_systems` and lives nothing. Of every scenario it takes the
seeds that all memories have lived, and gives the share of right answers over the facts that could
be asked for (the time average over t ≥ 1), the paired difference to `append_only` with its 95 %
interval, and calls and tokens of a life.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import msgspec

from agingbench.bench.life.life import Life
from agingbench.bench.scoring.score import LifeRecord, score
from agingbench.metrics.intervals import paired_difference

ORDER = (
    "append_only",
    "careful_compress",
    "langgraph",
    "langmem",
    "mem0",
    "workspace",
    "anthropic_memory",
    "mcp",
)
BASE = "append_only"


class LifeFigures(NamedTuple):
    """What the table says of one life."""

    answers: float | None
    calls: int
    tokens: int


def figures_of(folder: Path) -> LifeFigures:
    """The figures of the life in a folder."""
    life = Life.open(folder, trust=True)
    evidence = life.evidence()
    asked = msgspec.structs.replace(life.plan, headline="recall_rate")
    # Answers alone: what the memory held takes twenty times as long to score.
    record = LifeRecord(asked, evidence.events, evidence.answers, ())
    cost = life.card().cost_and_efficiency
    tokens = (cost.total_input_tokens or 0) + (cost.total_output_tokens or 0)
    return LifeFigures(score(record).headline.time_average.value, cost.total_calls or 0, tokens)


def print_scenario(scenario: str, lives: dict[str, dict[int, LifeFigures]]) -> None:
    """Print the rows of one scenario."""
    shared = set.intersection(*(set(by_seed) for by_seed in lives.values()))
    seeds = sorted(shared)
    for memory in sorted(lives, key=ORDER.index):
        rows = [lives[memory][seed] for seed in seeds]
        answers = [row.answers for row in rows]
        known = [value for value in answers if value is not None]
        mean = f"{sum(known) / len(known):.3f}" if known else "–"
        difference = "–"
        if memory != BASE and len(seeds) > 1:
            effect = paired_difference(answers, [lives[BASE][s].answers for s in seeds]).effect
            if effect.value is not None and effect.low is not None and effect.high is not None:
                difference = f"{effect.value:+.3f} [{effect.low:+.3f}, {effect.high:+.3f}]"
        calls = sum(row.calls for row in rows) / len(rows) if rows else 0
        tokens = sum(row.tokens for row in rows) / len(rows) / 1000 if rows else 0
        print(
            f"| {scenario} `{memory}` | {len(seeds)} | {mean} | {difference} | {calls:,.0f} |"
            f" {tokens:,.0f} |"
        )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = [Path("runs/memory_systems")]
    parser.add_argument("runs", nargs="*", type=Path, default=default)
    lives: dict[str, dict[str, dict[int, LifeFigures]]] = defaultdict(lambda: defaultdict(dict))
    cards = [card for runs in parser.parse_args().runs for card in runs.rglob("aging_card.json")]
    if not cards:
        print("no lives there; first: agingbench study memory_systems --out runs/memory_systems")
        return
    for card in sorted(cards):
        run = Life.open(card.parent, trust=True)
        name = run.plan.scenario.partition("_")[0]
        lives[name][run.sut.memory][run.plan.seed] = figures_of(card.parent)
    print(
        "| scenario, memory | seeds | right answers | less `append_only` | calls | 1,000 tokens |"
    )
    print("|---|--:|--:|---|--:|--:|")
    for scenario, memories in sorted(lives.items()):
        print_scenario(scenario, memories)


if __name__ == "__main__":
    main()
