"""A stand-in for the docker client: a container is a folder, `/testbed` a folder in it.

It knows the words that our backend uses and nothing else. Its `git apply` takes the patches of the
tests here, whose lines are `path: old => new`.
"""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(os.environ["FAKE_DOCKER"])  # images/NAME holds the repository, log what was asked for


def place(name: str, path: str) -> Path:
    """Where a path of a container lies here."""
    return ROOT / "containers" / name / path.lstrip("/")


def run(words: list[str]) -> int:
    image = words[-3]
    folder = ROOT / "images" / image.replace("/", "_").replace(":", "_")
    if "--network=none" not in words or not folder.exists():
        print(f"no image {image}", file=sys.stderr)
        return 125
    (ROOT / "containers").mkdir(exist_ok=True)
    name = Path(tempfile.mkdtemp(dir=ROOT / "containers")).name
    shutil.copytree(folder, place(name, "testbed"))
    place(name, "tmp").mkdir()
    print(name)
    return 0


def copy(source: str, target: str) -> int:
    if source == "-":
        name, _, folder = target.partition(":")
        with tarfile.open(fileobj=io.BytesIO(sys.stdin.buffer.read())) as tar:
            tar.extractall(place(name, folder), filter="data")
        return 0
    name, _, path = source.partition(":")
    if not place(name, path).exists():
        print(f"no {path}", file=sys.stderr)
        return 1
    with tarfile.open(fileobj=sys.stdout.buffer, mode="w|") as tar:
        tar.add(place(name, path), arcname=Path(path).name)
    return 0


def execute(words: list[str]) -> int:
    name, command, labels = words[1], words[4], words[6:]
    testbed = place(name, "testbed")
    if "git apply" in command:
        for line in sys.stdin.read().splitlines():
            path, _, change = line.partition(": ")
            old, _, new = change.partition(" => ")
            text = (testbed / path).read_text()
            if old not in text:
                return 1
            (testbed / path).write_text(text.replace(old, new))
        return 0
    if command.startswith("mkdir -p "):
        place(name, command.removeprefix("mkdir -p ")).mkdir(parents=True, exist_ok=True)
        return 0
    if command.startswith("rm -rf "):
        shutil.rmtree(place(name, command.removeprefix("rm -rf ")))
        return 0
    variables = {
        "PYTHONPATH": f"{place(name, 'agingbench')}:{testbed}",
        "AGINGBENCH_REPORT": str(place(name, "tmp/agingbench-report.json")),
    }
    start = str(place(name, "agingbench/agingbench_start.py"))
    options = ["--settings=agingbench_settings", "--parallel=1", "-v0"]
    argv = [sys.executable, "-S", "-B", start, "runtests.py", *options, *labels]
    done = subprocess.run(argv, cwd=testbed / "tests", env=variables, check=False)
    return done.returncode


def main(words: list[str]) -> int:
    with (ROOT / "log").open("a") as log:
        print(*words[:2], file=log)
    if words[0] == "run":
        return run(words)
    if words[0] == "cp":
        return copy(words[1], words[2])
    if words[0] == "exec":
        return execute(words[1:])
    if words[0] == "rm":
        shutil.rmtree(place(words[2], ""))
        return 0
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
