"""How long the shell takes to start: help and imports, as times and as ratios to `--version`.

Every command is started several times in turn and the fastest start counts, so that ratios of one
run can be compared on any machine. Help should cost little more than the version.
"""

from __future__ import annotations

import subprocess
import sys
import time

ROUNDS = 7
AIM = 0.15  # seconds that `--help` may take beyond `--version`

COMMANDS = {
    "agingbench --version": ["-m", "agingbench", "--version"],
    "agingbench --help": ["-m", "agingbench", "--help"],
    "agingbench trials --help": ["-m", "agingbench", "trials", "--help"],
    "agingbench resumption --help": ["-m", "agingbench", "resumption", "--help"],
    "agingbench validate --help": ["-m", "agingbench", "validate", "--help"],
    "agingbench audit --help": ["-m", "agingbench", "audit", "--help"],
    "agingbench run --help": ["-m", "agingbench", "run", "--help"],
    "import agingbench": ["-c", "import agingbench"],
    "import agingbench, and its run": ["-c", "import agingbench; agingbench.run"],
    "import agingbench.cli.audit": ["-c", "import agingbench.cli.audit"],
    "import agingbench.telemetry.audit": ["-c", "import agingbench.telemetry.audit"],
    "python itself": ["-c", "pass"],
}


def seconds(arguments: list[str]) -> float:
    """The time of one start."""
    begin = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begin


def main() -> None:
    """Print every time with its ratio to `--version`, and what help takes beyond it."""
    fastest: dict[str, float] = {}
    for _ in range(ROUNDS):
        for name, arguments in COMMANDS.items():
            fastest[name] = min(seconds(arguments), fastest.get(name, float("inf")))

    version = fastest["agingbench --version"]
    for name, best in fastest.items():
        print(f"{name:<36} {best:6.3f} s   {best / version:5.2f} of --version")
    more = fastest["agingbench --help"] - version
    print(f"--help takes {more:+.3f} s beyond --version; the aim is at most {AIM} s")


if __name__ == "__main__":
    main()
