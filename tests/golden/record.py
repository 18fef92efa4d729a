"""Makes the goldens again: all but the frozen lives, or a part: `lives`, `scores`, `plans`, `samples`,
`commands [NAME...]`.

`scores` scores the frozen lives again and leaves what was lived as it is.
"""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.golden.cases import CASES, Case
from tests.golden.compare import normal, parsed
from tests.golden.inputs import write_inputs
from tests.golden.lives import LIVES, STOPPED, WHOLE, run_words
from tests.golden.plans import plan_hashes, plan_names
from tests.golden.samples import SAMPLES, sample_words
from tests.golden.shell import COMMANDS, HERE, PLANS, agingbench, copy_in, environment, files_below

_IN_LEDGER = ("s1", "s2", "s4_append_only", "s5")
_CONSOLIDATORS = ("raw", "structured")


def observed(case: Case, work: Path) -> dict[str, Any]:
    """Run a case in an empty folder and say what it printed, its exit codes, and what it wrote."""
    copy_in(work, case.needs)
    before = set(files_below(work))
    steps = []
    for line in case.steps:
        done = agingbench(work, *line.split())
        steps.append({"command": line, "exit": done.code, "out": parsed(done.out), "err": done.err})
    after = files_below(work)
    # Blobs are named by a hash over content that holds times.
    written = [name for name in after if name not in before and ".blobs/" not in name]
    kept = {
        path.relative_to(work).as_posix(): parsed(path.read_text(encoding="utf-8"))
        for pattern in case.keep
        for path in sorted(work.glob(pattern))
    }
    found: dict[str, Any] = normal(
        {"steps": steps, "written": written, "kept": kept}, work, case.fresh
    )
    return found


def record_lives() -> None:
    """Live every frozen life, stop one half-way, and make the ledger and the resumption runs."""
    for name in ("lives", "ledger", "resumption", "inputs"):
        shutil.rmtree(HERE / name, ignore_errors=True)
    write_inputs(HERE / "inputs")
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder).resolve()
        for name in LIVES:
            _must(work, *run_words(name, f"lives/{name}"))
        _stop_half_way(work)
        copy_in(work, ["inputs"])
        ledger = ("--ledger", "ledger/ledger.sqlite", "--json")
        _must(work, "trials", "add", *(f"lives/{name}" for name in _IN_LEDGER), *ledger)
        _must(work, "trials", "import-trajectory", "inputs/imports/trajectory", *ledger)
        _must(work, "resumption", "init", ".", "--public", "--json")
        for name in _CONSOLIDATORS:
            run = (
                "run",
                "-c",
                name,
                "-b",
                "500",
                "--out",
                "resumption",
                "--ledger",
                "none",
                "--json",
            )
            _must(work, "resumption", *run)
        for name in ("lives", "ledger", "resumption"):
            shutil.copytree(work / name, HERE / name)


def record_scores() -> None:
    """Score every frozen life again; nothing is lived."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder).resolve()
        for name in LIVES:
            copy_in(work, [f"lives/{name}"])
            _must(work, "score", f"lives/{name}", "--no-plots", "--json")
            shutil.copytree(work / "lives" / name, HERE / "lives" / name, dirs_exist_ok=True)


def record_plans() -> None:
    """Write the hash of every frozen plan."""
    with tempfile.TemporaryDirectory() as folder:
        found = {name: plan_hashes(name, Path(folder)) for name in plan_names()}
    PLANS.write_text(json.dumps(found, indent=1) + "\n")


def record_commands(names: list[str]) -> None:
    """Write what every case, or every named one, shows."""
    COMMANDS.mkdir(exist_ok=True)
    for stale in COMMANDS.glob("*.json"):
        if stale.stem not in CASES:
            stale.unlink()
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(_record_command, names or list(CASES)))


def _record_command(name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        found = observed(CASES[name], Path(folder).resolve())
    text = json.dumps(found, indent=1, ensure_ascii=False)
    (COMMANDS / f"{name}.json").write_text(text + "\n", encoding="utf-8")


def _stop_half_way(work: Path) -> None:
    """Stop a life by Ctrl-C behind its second session; try again when that came too late."""
    for _ in range(20):
        target = work / "lives" / STOPPED
        shutil.rmtree(target, ignore_errors=True)
        command = [sys.executable, "-m", "agingbench", *run_words(WHOLE, f"lives/{STOPPED}")]
        process = subprocess.Popen(command, cwd=work, env=environment(), stdout=subprocess.DEVNULL)
        while process.poll() is None and not list(target.glob("*/*/*/seed_0/memory/2.json")):
            time.sleep(0.0005)
        process.send_signal(signal.SIGINT)
        process.wait()
        if (
            not list(target.glob("*/*/*/seed_0/aging_card.json"))
            and len(list(target.rglob("memory/*.json"))) < 5
        ):
            return
    raise RuntimeError("the life could not be stopped between two sessions")


def record_samples() -> None:
    """Live the lives of the sample cards again and write their cards."""
    for path in SAMPLES:
        with tempfile.TemporaryDirectory() as folder:
            work = Path(folder).resolve()
            shown = parsed(_must(work, *sample_words(json.loads(path.read_text()))))
            life = shown if isinstance(shown, dict) else shown[-1]
            shutil.copyfile(work / life["run_dir"] / "aging_card.json", path)


def _must(work: Path, *arguments: str) -> str:
    done = agingbench(work, *arguments)
    if done.code:
        raise RuntimeError(f"agingbench {' '.join(arguments)}: exit {done.code}\n{done.err}")
    return done.out


def main(words: list[str]) -> None:
    """Make what is named; without a name everything but the frozen lives."""
    if words == ["lives"]:
        record_lives()
    if not words or words == ["scores"]:
        record_scores()
    if not words or words == ["plans"]:
        record_plans()
    if not words or words == ["samples"]:
        record_samples()
    if not words or words[0] == "commands":
        record_commands(words[1:])


if __name__ == "__main__":
    main(sys.argv[1:])
