"""Harm planted into real sessions: how often it is found and rightly named, and how often nothing.

python benchmarks/real_traces.py FOLDER ... [--orders 5] [--healthy 20] [--first 500]

The sessions of each project are put into random orders, one a day and all with one client, so that
nothing ages. Then one kind of harm is planted, growing from the first session to the last. `labels`
says in how many orders a test of the planted marks alone finds their rise at 5 %: more than that
was not to be found.
"""

from __future__ import annotations

import argparse
import copy
import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

# As the command does: threads that wait for each other cost more than the sums.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from agingbench.metrics.permutation import orderings, p_value
from agingbench.metrics.trend import precision_weights, session_times
from agingbench.records import Event, ReadLog
from agingbench.telemetry.inference.dominant import dominant_mechanism
from agingbench.telemetry.inference.infer import Inference, infer
from agingbench.telemetry.profile import load_profile
from agingbench.telemetry.sessions.collect import collect
from agingbench.telemetry.sessions.outcomes import link
from agingbench.text.complaints import is_complaint
from agingbench.traces.reading import groups, read_files
from agingbench.validity.planted_events import PlantedTrace, plant
from agingbench.validity.simulated_updates import shuffled_sessions
from agingbench.validity.written_complaints import ENGLISH, GERMAN

EXPECTED = {
    "errors": "reliability",
    "corrections": "reliability",
    "corrections_german": "reliability",
    "rereads_tool": "compression",
    "rereads_shell": "compression",
    "after_compaction": "maintenance",
}
NOTHING = "nothing"
LEVEL = 0.05
PERMUTATIONS = 499


@dataclass
class Row:
    """What was answered for one kind of harm in one project."""

    answers: Counter[bool | None] = field(default_factory=Counter)
    names: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    labels: int = 0

    def add(self, inference: Inference, labels_rise: bool) -> None:
        """Count one audit."""
        self.answers[inference.aging_detected] += 1
        self.labels += labels_rise
        if inference.aging_detected:
            self.names["+".join(named(inference))] += 1
        elif inference.open_because is not None:
            self.reasons[inference.open_because] += 1

    def add_row(self, other: Row) -> None:
        """Add the counts of another project."""
        self.answers.update(other.answers)
        self.names.update(other.names)
        self.labels += other.labels

    def words(self, expected: str | None) -> str:
        """Say how often it was found and rightly named."""
        right = sum(k for name, k in self.names.items() if expected in name.split("+"))
        return (
            f"found {self.answers[True]} of {self.answers.total()}, rightly named {right},"
            f" labels {self.labels}, no {self.answers[False]}"
        )


def named(inference: Inference) -> list[str]:
    """Return the leading mechanism, and reliability where it fired."""
    leader = dominant_mechanism(inference, load_profile("code_assistant")).dominant
    names = [] if leader is None else [leader]
    return [*names, "reliability"] if inference.reliability.answer else names


def labels_rise(trace: PlantedTrace) -> bool:
    """Return whether a permutation test of the planted marks finds their slope."""
    chances = np.array(trace.chances, dtype=np.float64)
    shares = np.array(trace.hits) / np.maximum(1.0, chances)
    weights = precision_weights(chances)
    orders = orderings(len(shares), PERMUTATIONS, np.random.default_rng(0))
    times = session_times(len(shares))
    scores = []
    for order in orders:
        w = weights[order]
        y = shares[order]
        middle = (w * times).sum() / max(w.sum(), 1e-9)
        scores.append(float((w * (times - middle) * y).sum()))

    return p_value(np.array(scores)) <= LEVEL


def judge(trace: PlantedTrace) -> Inference:
    """Audit one trace."""
    sessions = collect(trace.events, load_profile("code_assistant"))
    return infer(sessions, link(sessions, []))


def measure(folder: Path, kind: str, strength: float, seeds: range, events: list[Event]) -> Row:
    """Audit one project in several orders with one kind of harm, and print what was found."""
    row = Row()
    n = 0
    for seed in seeds:
        sessions = shuffled_sessions([copy.copy(event) for event in events], seed)
        trace = plant(kind, sessions, np.random.default_rng([seed, 7]), strength)
        n = len(sessions)
        row.add(judge(trace), labels_rise(trace))

    words = f"{folder.name} ({n} sessions) {kind} x{strength:g}: {row.words(EXPECTED.get(kind))}"
    print(f"{words}, {dict(row.names)} {dict(row.reasons)}", flush=True)
    return row


def main() -> None:
    """Read the options and print one line per project and kind."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--orders", type=int, default=5)
    parser.add_argument("--healthy", type=int, default=20)
    parser.add_argument("--first", type=int, default=500)
    parser.add_argument("--strength", type=float, nargs="+", default=[1.0, 2.0])
    parser.add_argument("--kinds", nargs="+", default=list(EXPECTED))
    options = parser.parse_args()

    for language, texts in {"English": ENGLISH, "German": GERMAN}.items():
        known = sum(map(is_complaint, texts))
        print(f"complaints in {language}: {known} of {len(texts)} are known as such by their words")

    totals: dict[tuple[str, float], Row] = {}
    flagged = 0
    healthy = 0
    for folder in options.folders:
        files = [file for group in groups(folder) for file in group.files]
        events = list(read_files(files, "auto", ReadLog()))
        if options.healthy:
            seeds = range(options.first, options.first + options.healthy)
            row = measure(folder, NOTHING, 0.0, seeds, events)
            flagged += row.answers[True]
            healthy += options.healthy
        seeds = range(options.first, options.first + options.orders)
        for kind in options.kinds:
            for strength in options.strength:
                row = measure(folder, kind, strength, seeds, events)
                totals.setdefault((kind, strength), Row()).add_row(row)

    for (kind, strength), row in totals.items():
        print(f"all projects, {kind} x{strength:g}: {row.words(EXPECTED[kind])}")
    if healthy:
        print(f"nothing planted: {flagged} of {healthy} orders flagged ({flagged / healthy:.1%})")


if __name__ == "__main__":
    main()
