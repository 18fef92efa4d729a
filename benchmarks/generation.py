"""Speed of plan generation: seconds per session in every scenario, what twice the length takes, and
the ratio to version 1.0.0 of the scenarios, measured in the same run.

Version 1.0.0 is taken from the history of this repository; where that is not there, the ratio is
left out.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tempfile
import time
from io import BytesIO
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SCENARIOS = ("s1", "s2", "s3", "s4", "s5", "s6", "s7")
SESSIONS = 100
VERSION_1 = "f54fc2a584b4a20216a5c5e25d82440eb6f602dd"  # the last commit with all scenarios at 1.x


def seconds(scenario: str, sessions: int) -> float:
    """The processor time that a medium plan of this length takes."""
    from agingbench.bench.life.planning import plan_for

    start = time.process_time()
    plan_for(scenario, "medium", None, sessions, 1)
    return time.process_time() - start


def measure() -> None:
    """Print the seconds of the plain and of the double length for each scenario."""
    for scenario in SCENARIOS:
        seconds(scenario, 20)  # imports and caches are not what is measured
        print(seconds(scenario, SESSIONS), seconds(scenario, 2 * SESSIONS))


def measured(source: Path) -> list[tuple[float, float]]:
    """What the package in this folder takes, in a process of its own."""
    done = subprocess.run(
        [sys.executable, __file__, "--measure"],
        env={**os.environ, "PYTHONPATH": str(source)},
        capture_output=True,
        text=True,
        check=True,
    )
    rows = [line.split() for line in done.stdout.splitlines()]
    return [(float(short), float(long)) for short, long in rows]


def measured_version_1() -> list[tuple[float, float]] | None:
    """What version 1.0.0 takes; None without the history."""
    done = subprocess.run(
        ["git", "-C", str(ROOT), "archive", VERSION_1, "src"], capture_output=True
    )
    if done.returncode:
        return None
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=BytesIO(done.stdout)) as archive:
            archive.extractall(folder, filter="data")
        return measured(Path(folder) / "src")


def main() -> None:
    """Print a row per scenario; a growth of 2 is linear."""
    now = measured(ROOT / "src")
    before = measured_version_1()
    print(f"medium, {SESSIONS} and {2 * SESSIONS} sessions")
    for place, scenario in enumerate(SCENARIOS):
        short, long = now[place]
        ratio = "no history" if before is None else f"×{short / before[place][0]:.1f}"
        print(
            f"{scenario}  {1000 * short / SESSIONS:6.2f} ms a session  "
            f"twice the length takes ×{long / short:.2f}  to version 1: {ratio}"
        )


if __name__ == "__main__":
    measure() if "--measure" in sys.argv else main()
