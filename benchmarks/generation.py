"""Speed of plan generation: seconds per session in every scenario, and what twice the length takes.

Version 1.0.0 of the scenarios was measured once beside version 2.0.0 on one machine; the ratio is
printed beside what this machine takes.
"""

from __future__ import annotations

import time

from agingbench.bench.life.planning import plan_for

SCENARIOS = ("s1", "s2", "s3", "s4", "s5", "s6")
SESSIONS = 100
# How many times as long as version 1.0.0 a session of 2.0.0 took, on the same machine.
TO_VERSION_1 = {"s1": 0.6, "s2": 3.2, "s3": 3.3, "s4": 3.0, "s5": 2.4, "s6": 2.3}


def seconds(scenario: str, sessions: int) -> float:
    """The processor time that a medium plan of this length takes."""
    start = time.process_time()
    plan_for(scenario, "medium", None, sessions, 1)
    return time.process_time() - start


def main() -> None:
    """Print a row per scenario; a growth of 2 is linear."""
    print(f"medium, {SESSIONS} and {2 * SESSIONS} sessions")
    for scenario in SCENARIOS:
        plan_for(scenario, sessions=20)  # imports and caches are not what is measured
        short = seconds(scenario, SESSIONS)
        long = seconds(scenario, 2 * SESSIONS)
        print(
            f"{scenario}  {1000 * short / SESSIONS:6.2f} ms a session  "
            f"twice the length takes ×{long / short:.2f}  "
            f"×{TO_VERSION_1[scenario]:.1f} of version 1 when measured"
        )


if __name__ == "__main__":
    main()
