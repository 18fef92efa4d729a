"""Lives s7 with each planted fault through one agent, and audits the session files of these lives.

    python benchmarks/closed_loop.py OUT --agent codex --sessions 24 --probes 2 --seeds 0
    python benchmarks/closed_loop.py OUT --agent stand_in --sessions 6 --seeds 0-4

`--read` lives nothing and reads the lives below OUT. Prints Markdown: what the bench measured, fault
by fault, as means over the seeds and as differences to the agent without a fault; and beside it what
an audit of the product's own session files says.
Lives that are in OUT already are only read. The stand-in leaves no session files that an audit
reads; take `--bench` for it.

A life is lived in minutes. An audit looks for change over days, so it is given copies of the session
files in which session k was k days later; nothing else is changed in them. Claude Code and Codex write
their times so that this can be done.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from agingbench.models.notekeeper import FAULTS

SOUND = "none"
STAND_IN = Path(__file__).resolve().parents[1] / "tests" / "agents" / "autonomous" / "stand_in.py"
_TIME = re.compile(r"\b(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|\+00:00)")
_SESSION = re.compile(r"^(\d+)_")

Card = dict[str, Any]


def main() -> None:
    """Live what is missing and print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("--agent", default="codex")
    parser.add_argument("--sessions", type=int, default=24)
    parser.add_argument("--seeds", default="0")
    parser.add_argument("--probes", default="", help="as of `agingbench run`; all by default")
    parser.add_argument("--faults", default=",".join(FAULTS), help="separated by commas")
    parser.add_argument("--read", action="store_true", help="live nothing, read what is there")
    parser.add_argument("--bench", action="store_true", help="print the first table alone")
    options = parser.parse_args()
    if not options.read:
        live(options)
    runs = runs_below(options.out)
    print(bench_table(runs))
    if not options.bench:
        print()
        print(audit_table(runs))


def live(options: argparse.Namespace) -> None:
    """Live what is missing: every fault on every seed, as a study."""
    agent: dict[str, Any] = {"agent": options.agent}
    if options.agent == "stand_in":
        command = shlex.join([sys.executable, "-I", "-S", str(STAND_IN)])
        agent = {"agent": "command", "agent_options": {"command": command}}
    suts = [
        {**agent, "model_options": {} if fault == SOUND else {"fault": fault}}
        for fault in (SOUND, *options.faults.split(","))
    ]
    study: dict[str, Any] = {
        "scenarios": ["s7"],
        "sessions": options.sessions,
        "memories": ["workspace"],
        "suts": suts,
        "pressures": [{"preset": "light", "dials": {"block_length": 4}}],
        "seeds": options.seeds,
    }
    if options.probes:
        study["probes"] = options.probes
    options.out.mkdir(parents=True, exist_ok=True)
    file = options.out / "study.yaml"
    file.write_text(json.dumps(study), encoding="utf-8")
    words = ["study", str(file), "--out", str(options.out), "--ledger", "none", "--json"]
    agingbench([*words, "--trust"])  # the file was written here, and the stand-in is a program


def runs_below(folder: Path) -> dict[str, list[Path]]:
    """The lives below a folder that have a card, by their fault."""
    runs: dict[str, list[Path]] = {fault: [] for fault in (SOUND, *FAULTS)}
    for card in sorted(folder.rglob("aging_card.json")):
        system = json.loads((card.parent / "sut.json").read_text(encoding="utf-8"))
        runs[system["model_options"].get("fault", SOUND)].append(card.parent)
    return {fault: folders for fault, folders in runs.items() if folders}


def agingbench(words: Sequence[str]) -> Any:
    """Run a command and return what its JSON holds; ends the script where it fails."""
    done = subprocess.run(
        [sys.executable, "-m", "agingbench", *words], capture_output=True, text=True, check=False
    )
    if done.returncode not in (0, 1):
        sys.exit(f"agingbench {shlex.join(words)}: exit {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout)["data"]


# -- the bench


def card_of(run: Path) -> Card:
    """The card of a life."""
    card: Card = json.loads((run / "aging_card.json").read_text())
    return card


def last_of(trajectory: Any) -> float | None:
    return trajectory[-1][1] if trajectory else None


def first_of(trajectory: Any) -> float | None:
    return trajectory[0][1] if trajectory else None


def mechanisms(card: Card, part: str) -> dict[str, Any]:
    found: dict[str, Any] = card["mechanism_metrics"][part]
    return found


METRICS: dict[str, Callable[[Card], float | None]] = {
    "recall, mean over the life": lambda card: card["headline"]["time_average"],
    "recall at the end": lambda card: card["headline"]["m_final"],
    "files hold, first session": lambda card: first_of(
        mechanisms(card, "compression").get("workspace_fidelity_trajectory")
    ),
    "files hold, end": lambda card: last_of(
        mechanisms(card, "compression").get("workspace_fidelity_trajectory")
    ),
    "current version": lambda card: mechanisms(card, "revision").get("version_accuracy"),
    "program, first session": lambda card: first_of(
        mechanisms(card, "compression").get("program_trajectory")
    ),
    "program, end": lambda card: last_of(mechanisms(card, "compression").get("program_trajectory")),
    "tool calls per probe": lambda card: card["cost_and_efficiency"].get("probe_tool_calls_mean"),
}


def bench_table(runs: dict[str, list[Path]]) -> str:
    """Every metric of every fault, its difference to the agent without one in brackets."""
    cards = {fault: [card_of(run) for run in folders] for fault, folders in runs.items()}
    rows = [["fault", *METRICS], ["---"] * (1 + len(METRICS))]
    for fault, found in cards.items():
        cells = [fault]
        for measure in METRICS.values():
            mean = mean_of(measure(card) for card in found)
            base = mean_of(measure(card) for card in cards.get(SOUND, []))
            cells.append(told(mean, base if fault != SOUND else None))
        rows.append(cells)
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def mean_of(values: Any) -> float | None:
    there = [value for value in values if value is not None]
    return statistics.fmean(there) if there else None


def told(value: float | None, base: float | None) -> str:
    if value is None:
        return "–"
    text = f"{value:.2f}"
    return text if base is None else f"{text} ({value - base:+.2f})"


# -- the audit of the same lives

KINDS = ("compression", "interference", "revision", "maintenance", "reliability")
LEVELS = {"calls_per_request": "tool calls per request", "tokens_per_request": "tokens per request"}


def audit_table(runs: dict[str, list[Path]]) -> str:
    """What an audit of the session files says of each life, first to last session for levels."""
    heads = ["fault", "sessions", "tool calls (ours)", "verdict", *KINDS, *LEVELS.values()]
    rows = [heads, ["---"] * len(heads)]
    for fault, folders in runs.items():
        rows += [[fault, *audit_cells(run)] for run in folders]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def audit_cells(run: Path) -> list[str]:
    """One life in the audit's words: counts, verdict, kinds, levels."""
    with tempfile.TemporaryDirectory() as folder:
        copy_dated(run / "sessions", Path(folder))
        card = agingbench(["audit", folder, "--json", "--no-cache"])["card"]
    audit = card["trace_audit"]
    lines = (run / "trace.jsonl").read_text(encoding="utf-8").splitlines()
    own = sum(json.loads(line).get("role") == "tool_call" for line in lines)
    n_calls = audit["trace_regime"]["n_tool_calls"]
    figures = audit["panel"]["figures"]
    cells = [str(card["n_sessions"]), f"{n_calls} ({own})"]
    cells.append(answer_to(card["headline"]["aging_detected"]))
    cells += [kind_cell(audit[kind]) for kind in KINDS]
    cells += [level(figures.get(name)) for name in LEVELS]
    return cells


def answer_to(found: bool | None) -> str:
    return "cannot tell" if found is None else "yes" if found else "no"


def kind_cell(found: dict[str, Any]) -> str:
    """Whether a kind got worse, by which signal, first to last session."""
    if found.get("effect") is None:
        return "–"
    return f"{answer_to(found['fired'])}: {found['leading_signal']} {found['effect']:+.2f}"


def level(figure: dict[str, Any] | None) -> str:
    values = [value for value in (figure or {}).get("by_session", ()) if value is not None]
    return f"{values[0]:,.1f} → {values[-1]:,.1f}" if values else "–"


def copy_dated(sessions: Path, folder: Path) -> None:
    """Copy the session files, session k put k days later."""
    for file in sorted(sessions.glob("*.jsonl")):
        number = _SESSION.match(file.name)
        days = timedelta(days=int(number[1]) if number else 0)

        def later(match: re.Match[str], days: timedelta = days) -> str:
            time = datetime.fromisoformat(match[1]) + days
            return f"{time.isoformat()}{match[2] or ''}{match[3]}"

        text = _TIME.sub(later, file.read_text(encoding="utf-8"))
        (folder / file.name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    main()
