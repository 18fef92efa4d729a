"""`agingbench resumption grade`: a person grades notes, one yes or no at a time."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from agingbench.cli.options import FOLDER, OneOf, epilog, json_option
from agingbench.cli.output import echo, print_json, print_next, shown
from agingbench.cli.resumption.options import (
    benchmark_folder,
    episodes_option,
    judge_option,
)
from agingbench.errors import InputError

if TYPE_CHECKING:
    from agingbench.cards.resumption import ComponentGate
    from agingbench.resumption.calibration.grades import Grader
    from agingbench.resumption.calibration.grading import GradingItem, GradingSession, Reply
    from agingbench.resumption.runs.store import RunFolder

KEYS = "y yes, n no, s skip, u undo, q quit"
_RULE = "─" * 78


@click.command(
    epilog=epilog("agingbench resumption grade benchmark/runs/raw-… --grader human:anna")
)
@click.argument("runs", metavar="[RUN]…", nargs=-1, type=FOLDER)
@episodes_option
@click.option(
    "--grader",
    required=True,
    metavar="KIND:NAME",
    help="Who grades: human:NAME or model:NAME. It stands in every row and every headline.",
)
@click.option(
    "--component",
    type=OneOf(["continuation", "preservation", "forgetting"]),
    default=None,
    help="Only this component.",
)
@judge_option
@json_option
def grade(
    runs: tuple[Path, ...],
    episodes: Path | None,
    grader: str,
    component: str | None,
    judge: str,
    as_json: bool,
) -> int:
    """Grade notes by hand.

    Shows the notes of runs [all runs of the benchmark] and asks about one claim
    at a time. Keys: y yes, n no, s skip, u undo, q quit. Each grade is written
    at once; the same command goes on where it stopped. κ against the judge is
    told as it goes; its verdicts are not shown.
    """
    session = _session(runs, episodes, grader, component, judge)
    _talk(f"{len(session.items)} items to grade. Keys: {KEYS}.", as_json)
    _grade_all(session, as_json)

    if as_json:
        import msgspec

        print_json(
            {
                "grader": session.grader.model_dump(),
                "graded": session.graded,
                "skipped": session.skipped,
                "left": len(session.items) - session.place,
                "components": [msgspec.to_builtins(gate) for gate in session.gates()],
            }
        )
    else:
        echo(f"{session.graded} graded, {session.skipped} skipped")
        for gate in session.gates():
            echo(_gate_words(gate))
        print_next("agingbench resumption calibrate", "the judge against all grades")
    return 0


def _session(
    runs: tuple[Path, ...],
    folder: Path | None,
    grader: str,
    component: str | None,
    judge_name: str,
) -> GradingSession:
    from agingbench.resumption.calibration.grading import GradingSession, items_of
    from agingbench.resumption.episodes.benchmark_folder import BenchmarkFolder, packaged_set
    from agingbench.resumption.episodes.episode import load_episodes
    from agingbench.resumption.judges.build import build_judge
    from agingbench.resumption.runs.store import RunFolder

    benchmark = BenchmarkFolder(benchmark_folder(folder))
    if benchmark.root.resolve() == packaged_set().resolve():
        raise InputError("copy the public set first: agingbench resumption init . --public")
    who = _grader(grader)
    paths = list(runs) or sorted(config.parent for config in benchmark.runs.glob("*/run.json"))
    if not paths:
        raise InputError(
            f"{shown(benchmark.runs)}: no run to grade; `agingbench resumption run` makes one"
        )
    folders: list[RunFolder] = [RunFolder(path) for path in paths]
    for run in folders:
        run.config()  # raises where it is no run

    loaded = load_episodes(benchmark.episodes)
    items = [item for run in folders for item in items_of(run, loaded)]
    chosen = [item for item in items if component in (None, item.component)]
    judge, identity = build_judge(judge_name, benchmark.judges)
    return GradingSession(benchmark, loaded, chosen, who, judge, identity)


def _grader(text: str) -> Grader:
    from agingbench.resumption.calibration.grades import Grader

    kind, _, name = text.partition(":")
    if kind not in ("human", "model") or not name.strip():
        raise InputError(f"--grader {text!r}: write human:NAME or model:NAME")
    return Grader(name=name.strip(), kind=kind, how="resumption grade")  # type: ignore[arg-type]


def _grade_all(session: GradingSession, as_json: bool) -> None:
    """Ask until all items are graded or the grader leaves."""
    from agingbench.resumption.calibration.grading import QUESTIONS, next_question

    replies: list[Reply] = []
    text_shown = ""
    while (item := session.item) is not None:
        if not replies:
            if item.text != text_shown:
                _show_text(item, as_json)
                text_shown = item.text
            _show_claim(item, session, as_json)
        question = next_question(item, replies, session.is_boolean)
        if question is None:
            session.grade(replies)
            gate = session.gate(item.component, item.domain)
            _talk(f"  {_gate_words(gate)}", as_json)
            replies = []
            continue

        _talk(f"  {QUESTIONS[question]} ", as_json, newline=False)
        key = _read_key()
        _talk(key, as_json)
        if key == "q":
            return
        if key == "y":
            replies.append("yes")
        elif key == "n":
            replies.append("no")
        elif key == "s":
            session.skip()
            replies = []
        elif key == "u":
            if not replies and not session.undo():
                _talk("  nothing to undo", as_json)
            replies = []
        else:
            _talk(f"  keys: {KEYS}", as_json)


def _read_key() -> str:
    """Return the next key, or the first letter of the next line; `q` at the end of the input."""
    if sys.stdin.isatty() and sys.platform != "win32":
        return _typed_key(sys.stdin.fileno())
    line = sys.stdin.readline()
    return line.strip()[:1].lower() if line else "q"


def _typed_key(terminal: int) -> str:
    """Return one key of a terminal without waiting for a line; what was typed ahead is kept."""
    import termios
    import tty

    before = termios.tcgetattr(terminal)
    try:
        tty.setcbreak(terminal, termios.TCSADRAIN)
        key = os.read(terminal, 1)
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
    end_of_file = key in (b"", b"\x04")
    return "q" if end_of_file else key.decode("ascii", "replace").lower()


def _show_text(item: GradingItem, as_json: bool) -> None:
    from agingbench.report.text import plain, printable_lines

    name = "answer" if item.component == "continuation" else "note"
    _talk(f"{_RULE}\nepisode {plain(item.episode)}, {name}\ntask: {plain(item.task)}", as_json)
    _talk(f"{_RULE}\n{printable_lines(item.text)}\n{_RULE}", as_json)


def _show_claim(item: GradingItem, session: GradingSession, as_json: bool) -> None:
    from agingbench.report.text import plain

    place = f"{session.place + 1} of {len(session.items)}"
    _talk(f"[{place}] {item.component}: {plain(item.claim)}", as_json)


def _gate_words(gate: ComponentGate) -> str:
    kappa = "κ undefined" if gate.value is None else f"κ {gate.value:.2f}"
    words = f"{gate.component} ({gate.domain}): {gate.n} graded, {kappa}"
    return f"{words}, {gate.missing} still needed" if gate.missing else words


def _talk(text: str, as_json: bool, newline: bool = True) -> None:
    # With --json standard output holds the one document.
    echo(text, err=as_json, nl=newline)
