"""Seconds of the same lives on the local engine and on Ray, with the start of each.

`python benchmarks/engines.py [--lives 24] [--sessions 6]` (needs the extra `ray`)

Both have as many workers as this machine has cores. The content hashes are compared.
"""

from __future__ import annotations

import argparse
import importlib.util
import tempfile
import time
from pathlib import Path

from agingbench.bench.life.limits import Resources
from agingbench.bench.life.system import Sut
from agingbench.bench.studies.cells import Cell
from agingbench.bench.studies.runner import CellResult, run_study
from agingbench.engines.local import cores
from agingbench.engines.on_ray import RayEngine


def hashes(results: list[CellResult]) -> list[str]:
    """The content hash of every card."""
    return [str(result.card.content_hash) for result in results if result.card is not None]


def main() -> None:
    """Live the cells twice and print a line for each engine."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lives", type=int, default=24)
    parser.add_argument("--sessions", type=int, default=6)
    options = parser.parse_args()
    if importlib.util.find_spec("ray") is None:
        print("ray is not installed: pip install 'agingbench[ray]'")
        return
    sut = Sut(memory="careful_compress")
    cells = [Cell("s2", sut, options.sessions, seed=seed) for seed in range(options.lives)]

    with tempfile.TemporaryDirectory() as temporary:
        start = time.perf_counter()
        local = run_study(cells, Path(temporary, "local"), Resources(), workers=cores())
        seconds = time.perf_counter() - start
        print(f"local  {options.lives} lives  {seconds:6.1f} s")

        start = time.perf_counter()
        with RayEngine(workers=cores()) as engine:
            begun = time.perf_counter()
            distant = run_study(cells, Path(temporary, "ray"), Resources(), engine=engine)
            seconds = time.perf_counter() - begun
        print(f"ray    {options.lives} lives  {seconds:6.1f} s, start {begun - start:.1f} s")
        print("equal content hashes:", hashes(local) == hashes(distant))


if __name__ == "__main__":
    main()
