"""Speed of plan generation: time per session at growing lengths, as ratios measured in one run."""

from __future__ import annotations

import time

from agingbench.bench.life.planning import plan_for


def main() -> None:
    plan_for("s2", sessions=20)  # imports and caches are not what is measured
    base = None
    for sessions in (100, 300, 1000):
        start = time.perf_counter()
        plan = plan_for("s2", sessions=sessions, seed=1)
        took = time.perf_counter() - start
        per_session = took / sessions
        base = base or per_session
        print(
            f"{sessions:>5} sessions  {took:6.2f} s  {1000 * per_session:5.2f} ms a session  "
            f"×{per_session / base:.2f}  {len(plan.probes)} probes"
        )


if __name__ == "__main__":
    main()
