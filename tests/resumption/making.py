"""Benchmark folders made for tests: the worked example, grades with a wanted kappa, consolidators
of one's own.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from agingbench.records import Event
from agingbench.resumption.calibration.calibrate import calibrate
from agingbench.resumption.episodes.benchmark_folder import (
    BenchmarkFolder,
    init_benchmark,
    packaged_set,
)
from agingbench.resumption.episodes.episode import Episode, load_episode, load_episodes
from agingbench.resumption.judges.build import build_judge
from tests.places import SHARED_DATA

DATA = SHARED_DATA


def example() -> Episode:
    """The worked example of the spec."""
    return load_episode(packaged_set() / "example.yaml")


def make_benchmark(folder: Path) -> BenchmarkFolder:
    """A benchmark folder with the worked example in it."""
    init_benchmark(folder)
    return BenchmarkFolder(folder)


# (component, label) -> (item, a text that the deterministic judge gives this label)
TEXTS = {
    ("continuation", "yes"): ("c1", "write the per-test cache namespace"),
    ("continuation", "no"): ("c1", "have a look at the logs"),
    ("preservation", "yes"): ("A", "the shared cache key is the root cause"),
    ("preservation", "no"): ("A", "it is flaky"),
    ("forgetting", "omitted"): ("B", "the fix is a namespace"),
    ("forgetting", "mentioned"): ("B", "sleep retries were tried"),
    ("forgetting", "open"): ("B", "add time.sleep to the loop"),
}


def grade_rows(
    component: str, pairs: Iterable[tuple[str, str]], split: str = "gate"
) -> list[dict[str, object]]:
    """One row per (hand label, judge's label); every text is its own."""
    rows: list[dict[str, object]] = []
    for number, (hand, judged) in enumerate(pairs):
        item, text = TEXTS[component, judged]
        text = f"{text} (note {split} {number})"
        rows.append(
            {
                "component": component,
                "episode": "000",
                "item": item,
                "label": hand,
                "split": split,
                "context": text,
                "context_hash": hashlib.sha256(text.encode()).hexdigest(),
                "note": "made for a test",
                "grader": {"name": "test", "kind": "unknown"},
            }
        )
    return rows


def good_pairs(labels: Sequence[str], each: int = 25) -> list[tuple[str, str]]:
    """Full agreement on every label."""
    return [(label, label) for label in labels for _ in range(each)]


PERFECT = {
    "continuation": good_pairs(("yes", "no")),
    "preservation": good_pairs(("yes", "no")),
    "forgetting": good_pairs(("omitted", "mentioned", "open")),
}


def write_grades(
    benchmark: BenchmarkFolder,
    pairs: dict[str, list[tuple[str, str]]],
    more: Sequence[dict[str, object]] = (),
) -> None:
    """hand_grades.jsonl with these pairs."""
    rows = [row for component, listed in pairs.items() for row in grade_rows(component, listed)]
    benchmark.calibration.mkdir(parents=True, exist_ok=True)
    benchmark.reference_grades.write_text("".join(json.dumps(row) + "\n" for row in [*rows, *more]))


def gate_of(benchmark: BenchmarkFolder) -> Path:
    """The file of the one judge that is calibrated in the folder."""
    (path,) = benchmark.gates.glob("*.json")
    return path


def open_gate(benchmark: BenchmarkFolder) -> None:
    """Calibrate the embedded judge on grades that agree with it."""
    write_grades(benchmark, PERFECT)
    judge, identity = build_judge("deterministic", benchmark.judges)
    assert calibrate(benchmark, load_episodes(benchmark.episodes), judge, identity).passed


class Nothing:
    """Returns nothing."""

    def consolidate(self, task: str, events: Iterable[Event], budget: int) -> str:
        return ""


class GoldList:
    """Copies the gold preserve list of the worked example."""

    def consolidate(self, task: str, events: Iterable[Event], budget: int) -> str:
        return "\n".join(fact.sentence for fact in example().gold_facts_to_preserve)


class TooMuch:
    """Never fits."""

    def consolidate(self, task: str, events: Iterable[Event], budget: int) -> str:
        return "a" * (4 * budget + 1)


class Patient:
    """Gives what the worked example needs; after three contexts it waits for as long as it is held."""

    given = 0

    def consolidate(self, task: str, events: Iterable[Event], budget: int) -> str:
        Patient.given += 1
        while Patient.given > 3 and "HELD" in os.environ:
            time.sleep(0.05)
        return "root cause: shared cache key. fix: per-test namespace. patch not yet written."
