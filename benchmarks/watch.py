"""What a new session costs a watch, by the size of its project.

`python benchmarks/watch.py [FOLDER]`

Without FOLDER simulated projects of Claude Code are used, with one as large as real ones are. With
it, the last sessions of each of its projects are taken away and come back one by one. Times are
processor time of one step in a process that goes on; a hook adds the start of Python.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command does

import argparse
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from audit import PER_SESSION, lines

from agingbench.models.prices import load_prices
from agingbench.telemetry.audit import AuditRequest
from agingbench.telemetry.watch.watcher import Watcher

TARGET = 1.0  # seconds of processor time per new session
SIZES = (10, 20, 40, 80)  # sessions of a simulated project
LAST = 3  # sessions that come one by one
OTHERS = 20  # projects without news beside it


def simulated(folder: Path, sessions: int) -> list[Path]:
    """Write a project and return the files of its last sessions."""
    records = list(lines(sessions * PER_SESSION))
    files = []
    for n in range(sessions):
        path = folder / f"-srv-project-{sessions}" / f"{n:04d}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        part = records[n * PER_SESSION : (n + 1) * PER_SESSION]
        path.write_text("\n".join(part) + "\n")
        files.append(path)
    return files[-LAST:]


def real(folder: Path, to: Path) -> Iterator[list[Path]]:
    """Copy a folder and yield the files of each project's last sessions."""
    shutil.copytree(folder, to, dirs_exist_ok=True)
    for project in sorted(path for path in to.rglob("*") if path.is_dir()):
        files = sorted(project.glob("*.jsonl"), key=lambda path: path.stat().st_mtime)
        if len(files) > 2 * LAST:
            yield files[-LAST:]


def cost(root: Path, out: Path, new: list[Path]) -> tuple[str, int, float, float, float]:
    """Return the project, its sessions, and seconds of a new session, at most and on average, and
    of a look without news.
    """
    hidden = [(path, path.read_bytes()) for path in new]
    for path in new:
        path.unlink()
    shutil.rmtree(out, ignore_errors=True)
    watcher = Watcher([root], out, AuditRequest(prices=load_prices()))
    watcher.step()

    seconds = []
    name = ""
    sessions = 0
    for path, data in hidden:
        path.write_bytes(data)
        start = time.process_time()
        step = watcher.step()
        seconds.append(time.process_time() - start)
        for project in step.projects:
            if project.is_new and project.audit.n_sessions >= sessions:
                name = project.audit.own_name
                sessions = project.audit.n_sessions

    start = time.process_time()
    watcher.step()
    idle = time.process_time() - start
    return name, sessions, max(seconds), sum(seconds) / len(seconds), idle


def main() -> None:
    """Print a line per project."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path)
    folder = parser.parse_args().folder
    print(f"{'project':28} {'sessions':>8} {'worst':>7} {'mean':>7} {'idle':>7}  (seconds)")
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary, "projects")
        out = Path(temporary, "watch")
        if folder is not None:
            cases = list(real(folder, root))
        else:
            for n in range(OTHERS):
                simulated(root / f"other-{n}", 5)
            cases = [simulated(root, sessions) for sessions in SIZES]
        for new in cases:
            name, sessions, worst, mean, idle = cost(root, out, new)
            mark = "" if worst < TARGET else f"  over {TARGET:g} s"
            print(f"{name[-28:]:28} {sessions:8} {worst:7.2f} {mean:7.2f} {idle:7.2f}{mark}")


if __name__ == "__main__":
    main()
