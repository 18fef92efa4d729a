"""What the tests of studies share: a small grid, and a server that counts who asks."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agingbench.bench.life.system import Sut
from agingbench.bench.studies.cells import Cell
from agingbench.bench.studies.grid import load_study
from agingbench.bench.studies.runner import CellResult
from tests.models.stub_server import Body, Says, StubServer

GRID = """
scenarios: [s2]
sessions: 3
memories: [lossy_compress, careful_compress]
pressures: [light]
events: [none, [flush_history@2]]
seeds: 2
"""


def study(tmp_path: Path, text: str = GRID) -> list[Cell]:
    file = tmp_path / "grid.yaml"
    file.write_text(text)
    return load_study(str(file)).cells


def hashes(outcomes: Sequence[CellResult]) -> list[str]:
    assert [outcome.error for outcome in outcomes] == [None] * len(outcomes)
    return [str(outcome.card.content_hash) for outcome in outcomes if outcome.card is not None]


class Counting:
    """Answers after a moment, counts how many asked at once, and may break for some."""

    def __init__(self, wait: float = 0.0, broken: str | None = None) -> None:
        self.wait = wait
        self.broken = broken
        self.lock = threading.Lock()
        self.now = self.most = self.served = 0

    def __call__(self, path: str, body: Body) -> tuple[int, Body]:
        text = json.dumps(body)
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)
            self.served += 1
        try:
            time.sleep(self.wait)
            if self.broken is not None and self.broken in text:
                return 500, {"error": {"message": "not now", "type": "x", "code": None}}
            said = (
                "A summary."
                if "<text>" in text
                else "Done."
                if "at most 60 words" not in text
                else "It is $250."
            )
            return 200, Says(said, input_tokens=1000, output_tokens=100).openai(body)
        finally:
            with self.lock:
                self.now -= 1


def served_by(server: StubServer, seeds: int = 3, sessions: int = 2, **options: Any) -> list[Cell]:
    sut = Sut(
        model="openai:stub",
        memory="careful_compress",
        model_options={"base_url": server.openai_url, "max_retries": 0, **options},
    )
    return [Cell("s2", sut, sessions, "light", seed=seed) for seed in range(seeds)]
