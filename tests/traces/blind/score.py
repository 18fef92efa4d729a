"""Counts what the scrubber leaks and what it changes wrongly in texts written without sight of it.

    python -m tests.traces.blind.score [tune|report]

The texts are split by the hash of their id: causes are looked for in the half to tune on, and the
half to report is only counted.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from typing import Literal

import msgspec

from agingbench.traces.scrub.scrubber import scrub

FILE = Path(__file__).parent / "secrets.jsonl"
SHA256 = "86fd17e732a1ca5c7142b7ac22786de4c172815fa1c957b6c5947955adc8c699"
Half = Literal["tune", "report"]


class BlindText(msgspec.Struct, frozen=True):
    """A text and the secrets in it; without any it has to stay as it is."""

    id: str
    text: str
    secrets: list[str]
    kind: str


class BlindScore(msgspec.Struct, frozen=True):
    """How many secrets there are, which leaked, and which look-alikes were changed."""

    secrets: int
    look_alikes: int
    leaked: list[BlindText]
    changed: list[BlindText]


def blind_texts(half: Half) -> list[BlindText]:
    """The texts of one half."""
    rows = [msgspec.json.decode(line, type=BlindText) for line in FILE.read_bytes().splitlines()]
    return [row for row in rows if _half(row) == half]


def _half(row: BlindText) -> Half:
    digest = hashlib.sha256(row.id.encode()).digest()
    return "tune" if digest[0] % 2 else "report"


def score(half: Half) -> BlindScore:
    """Scrub one half and count."""
    rows = blind_texts(half)
    with_secrets = [row for row in rows if row.secrets]
    harmless = [row for row in rows if not row.secrets]
    leaked = [row for row in with_secrets if any(s in scrub(row.text) for s in row.secrets)]
    changed = [row for row in harmless if scrub(row.text) != row.text]
    return BlindScore(len(with_secrets), len(harmless), leaked, changed)


if __name__ == "__main__":
    for half in ("tune", "report"):
        result = score(half)
        print(
            f"{half}: {len(result.leaked)} of {result.secrets} leaked,"
            f" {len(result.changed)} of {result.look_alikes} wrongly changed"
        )
        if half == "tune" and "--show" in sys.argv:
            for row in [*result.leaked, *result.changed]:
                print(f"  {row.kind} {row.text!r} -> {scrub(row.text)!r}")
