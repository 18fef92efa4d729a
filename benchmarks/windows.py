"""How often an audit gives the same answer when a week of the trace is left out.

python benchmarks/windows.py FOLDER ... [--planted errors --orders 3]

With `--planted`, harm of that kind is planted into the sessions in random orders, one a day, so
that there is a yes that may be lost.
"""

from __future__ import annotations

import argparse
import copy
import os
from collections.abc import Iterator
from pathlib import Path

# As the command does: threads that wait for each other cost more than the sums.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from agingbench.records import Event, ReadLog
from agingbench.telemetry.inference.infer import infer
from agingbench.telemetry.inference.left_out_weeks import leave_out_weeks
from agingbench.telemetry.profile import load_profile
from agingbench.telemetry.sessions.collect import collect
from agingbench.telemetry.sessions.outcomes import link
from agingbench.traces.reading import groups, read_files
from agingbench.validity.planted_events import KINDS, plant
from agingbench.validity.simulated_updates import shuffled_sessions

WORDS = {True: "yes", False: "no", None: "open"}


def traces(events: list[Event], kind: str | None, orders: range) -> Iterator[list[Event]]:
    """Yield the trace as it is, or planted in several orders."""
    if kind is None:
        yield events
        return

    for seed in orders:
        sessions = shuffled_sessions([copy.copy(event) for event in events], seed)
        yield plant(kind, sessions, np.random.default_rng([seed, 7])).events


def main() -> None:
    """Print one line per trace."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--planted", choices=KINDS)
    parser.add_argument("--orders", type=int, default=3)
    parser.add_argument("--first", type=int, default=500)
    options = parser.parse_args()
    orders = range(options.first, options.first + options.orders)
    for folder in options.folders:
        files = [file for group in groups(folder) for file in group.files]
        events = list(read_files(files, "auto", ReadLog()))
        for trace in traces(events, options.planted, orders):
            sessions = collect(trace, load_profile("code_assistant"))
            whole = infer(sessions, link(sessions, [])).aging_detected
            found = leave_out_weeks(sessions, whole)
            if found is None:
                print(
                    f"{folder.name} ({len(sessions)} sessions): too few weeks, or too many sessions"
                )
                continue

            counts = found.counts()
            answers = ", ".join(WORDS[answer] for answer in found.without)
            print(
                f"{folder.name} ({len(sessions)} sessions): {WORDS[whole]}; same answer in"
                f" {counts.same} of {counts.windows} windows, opposite in {counts.opposite}"
                f" ({answers})",
                flush=True,
            )


if __name__ == "__main__":
    main()
