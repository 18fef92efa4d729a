"""Processes that write into one ledger at once, for tests of concurrency and crashes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence

from tests.places import ROOT


def start(place: str, name: str, n: int, evidence: bool = True) -> subprocess.Popen[bytes]:
    """A process that adds trials `name-0` to `name-(n-1)`, one at a time, and prints each number
    once it is in.
    """
    words = [
        sys.executable,
        "-m",
        "tests.trials.stores.writers",
        place,
        name,
        str(n),
        str(int(evidence)),
    ]
    return subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def main(arguments: Sequence[str]) -> None:
    from agingbench.trials.ledger import open_ledger
    from tests.trials.making import record

    place = arguments[0]
    name = arguments[1]
    n = int(arguments[2])
    evidence = bool(int(arguments[3]))
    base = record(name)
    with open_ledger(place) as ledger:
        for i in range(n):
            trial = base.model_copy(update={"trial_id": f"{name}-{i}"})
            ledger.add(trial, {"trace.jsonl": f"{name} {i}\n".encode() * 50} if evidence else None)
            os.write(1, f"{i}\n".encode())


if __name__ == "__main__":
    main(sys.argv[1:])
