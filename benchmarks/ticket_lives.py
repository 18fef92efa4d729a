"""Lives the tickets of s8 through an agent, once with the recorded fixes and once doing nothing.

    python benchmarks/ticket_lives.py OUT --agent codex
    python benchmarks/ticket_lives.py OUT --agent stand_in --sessions 8

By default a life has all 21 tickets of the chain, which needs the releases of Django (downloaded once).
Prints Markdown: the share of checks that passed, how many there were, recall, and what it took. The
first agent must reach 1 and the second 0, else the script ends with 1.
"""

from __future__ import annotations

import argparse
import shlex
import sys
import time
from pathlib import Path

from agingbench.bench.life.folder import RunDirectory
from agingbench.bench.life.life import Life
from agingbench.bench.life.planning import plan_for, shared_scenario
from agingbench.bench.life.system import Sut, build
from agingbench.bench.plan.selection import select_probes
from agingbench.cards.check import load_card
from agingbench.interfaces import Model
from agingbench.models.extractive import Extractive

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.bench.repository.patching import PatchingModel, patch_commands  # noqa: E402

STAND_IN = ROOT / "tests" / "agents" / "autonomous" / "stand_in.py"
WANTED = {"recorded fixes": 1.0, "nothing": 0.0}


def main() -> int:
    """Live both lives and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("--agent", default="codex")
    parser.add_argument("--sessions", type=int, default=21)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--pressure", default="light")
    parser.add_argument("--probes", default="1", help="most probes of a point")
    options = parser.parse_args()

    scenario = shared_scenario("s8")
    whole = plan_for(scenario, options.pressure, {}, options.sessions, options.seed)
    plan = select_probes(whole, options.probes)
    models: dict[str, Model] = {
        "recorded fixes": PatchingModel(Extractive(), patch_commands(plan, scenario)),
        "nothing": Extractive("never_writes"),
    }
    sut = system_of(options.agent)
    print("| work | checks passed | checks | recall, mean | lived, s | checked, s |")
    print("|---|--:|--:|--:|--:|--:|")
    is_right = True
    for work, model in models.items():
        system = build(sut, scenario.role, model)
        folder = RunDirectory(options.out / work.replace(" ", "_"))
        life = Life(plan, scenario, system, folder, sut=sut)
        started = time.monotonic()
        life.live()
        lived = time.monotonic()
        life.score()
        card = load_card(folder.card)
        checked = time.monotonic()
        compression = card["mechanism_metrics"]["compression"]
        rate = compression.get("code_pass_rate")
        is_right = is_right and rate == WANTED[work]
        cells = [work, rate, compression.get("code_pass_rate_n")]
        cells += [f"{card['headline']['time_average']:.2f}"]
        cells += [f"{lived - started:.0f}", f"{checked - lived:.0f}"]
        print(f"| {' | '.join(map(str, cells))} |", flush=True)
    return 0 if is_right else 1


def system_of(agent: str) -> Sut:
    """The system with an agent; `stand_in` is the small program of the tests."""
    if agent != "stand_in":
        return Sut(memory="workspace", agent=agent)
    command = shlex.join([sys.executable, "-I", "-S", str(STAND_IN)])
    return Sut(memory="workspace", agent="command", agent_options={"command": command})


if __name__ == "__main__":
    sys.exit(main())
