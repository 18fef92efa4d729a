"""A life on disk survives everything: kills at any line, full disks, two processes at once, damaged
files.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import agingbench.bench.life.folder
import agingbench.cli.main
import agingbench.traces.files
from agingbench.bench.life.background import Background
from agingbench.bench.life.folder import RunDirectory
from agingbench.bench.life.lifecycle import take_up
from agingbench.bench.life.loop import _Living, live_plan
from agingbench.bench.life.places import directory_of
from agingbench.bench.life.planning import plan_for
from agingbench.bench.life.system import Sut, build
from agingbench.bench.plan.plan import Plan, parse_events
from agingbench.errors import InputError, RunConflict, StorageError
from agingbench.trials.run_folder import LifeStart
from tests.bench.lives import (
    SCENARIO,
    SLOW_COMMITS,
    agent_of,
    normal_files,
    plainly,
    playing,
    raw_files,
    run_life,
    score_run,
    small_plan,
)
from tests.cli.conftest import data
from tests.places import ROOT
from tests.warm import run_command

EVENTS = ("flush_history@2",)
RUN = (
    "run",
    "-s",
    "s2",
    "-m",
    "extractive",
    "--memory",
    "careful_compress",
    "-n",
    "10",
    "--seed",
    "0",
    "-e",
    "flush_history@4",
    "--no-control",
    "--no-plots",
    "--json",
    "--out",
)

LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
import agingbench.cli.main
sys.exit(agingbench.cli.main.run(sys.argv[2:]))
"""
forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="kills are played in a forked process")


def cli(*arguments: str) -> subprocess.CompletedProcess[str]:
    return run_command(arguments, ROOT, os.environ)


def told_in_one_line(done: subprocess.CompletedProcess[str], code: int = 2) -> str:
    assert done.returncode == code, done.stderr
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("agingbench: ")
    return lines[0]


@cache
def whole_plan() -> Plan:
    return plan_for("s2", sessions=10, seed=0, events=parse_events(["flush_history@4"], 10))


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The life that the command line lives, never stopped."""
    path, _ = run_life(
        whole_plan(), Sut(memory="careful_compress"), tmp_path_factory.mktemp("undisturbed")
    )
    return path


@pytest.fixture
def finished(undisturbed: Path, tmp_path: Path) -> Path:
    """A copy of it to spoil."""
    copy = tmp_path / undisturbed.parent.name / undisturbed.name
    shutil.copytree(undisturbed, copy)
    return copy


def small_life(
    out: Path,
    plan: Plan,
    progress: Callable[[int], None] | None = None,
    workers: int = 1,
    ahead: int = 0,
) -> Path:
    """A quick life with a model that plays its part; not scored."""
    agent, meter = agent_of(playing(plainly))
    sut = Sut(memory="careful_compress")
    with directory_of(out, plan, sut) as run:
        run.prepare(plan, sut.record(SCENARIO.id))
        live_plan(
            plan,
            SCENARIO,
            agent,
            run,
            meter=meter,
            about=LifeStart(compute_environment="x"),
            progress=progress,
            workers=workers,
            ahead=ahead,
        )
        return run.path


class Stopped(Exception):
    """Ends a life from outside."""


def stop_after(point: int) -> Callable[[int], None]:
    def progress(t: int) -> None:
        if t == point:
            raise Stopped

    return progress


# -- kills


@forks
def test_ten_kills_at_random_moments(undisturbed: Path, tmp_path: Path) -> None:
    wanted = normal_files(undisturbed)
    rng = random.Random(20)
    kills = 0
    lives = 0
    longest = 0.6
    while kills < 10:
        out = tmp_path / str(lives)
        lives = lives + 1

        def command(out: Path = out) -> None:
            synced = os.fsync

            def slowly(fd: Any) -> None:  # so that some kills land inside a commit
                time.sleep(0.005)
                synced(fd)
                time.sleep(0.005)

            os.fsync = slowly
            assert agingbench.cli.main.run([*RUN, str(out)]) == 0

        while _forked(command, rng.uniform(0, longest)):
            kills += 1
            longest *= 1.05  # a busy machine may need longer than this for a single session
            assert kills < 80, "the life does not get on"
        (path,) = (plan.parent for plan in out.rglob("plan.json"))
        assert normal_files(path) == wanted


@pytest.mark.slow
def test_the_command_killed_from_outside(undisturbed: Path, tmp_path: Path) -> None:
    rng = random.Random(5)
    kills = 0
    longest = 0.9
    while _started_and_killed(tmp_path, rng.uniform(0.2, longest)):
        kills += 1
        longest *= 1.1
        assert kills < 40, "the life does not get on"
    (path,) = (plan.parent for plan in tmp_path.rglob("plan.json"))
    assert normal_files(path) == normal_files(undisturbed)


def _started_and_killed(out: Path, seconds: float) -> bool:
    command = [sys.executable, "-c", SLOW_COMMITS, *RUN, str(out)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        try:
            _, errors = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.communicate()
        else:
            assert (process.returncode, errors) == (0, "")
        return process.returncode == -signal.SIGKILL


@forks
@pytest.mark.slow
def test_two_hundred_kills_at_random_moments(undisturbed: Path, tmp_path: Path) -> None:
    wanted = normal_files(undisturbed)
    rng = random.Random(200)
    kills = 0
    lives = 0
    while kills < 200:
        out = tmp_path / str(lives)
        lives = lives + 1

        def life(out: Path = out) -> Path:
            return run_life(whole_plan(), Sut(memory="careful_compress"), out)[0]

        while _forked(life, rng.uniform(0, 0.5)):
            kills += 1
            assert kills < 2000, "the life does not get on"
        assert normal_files(life()) == wanted


def _forked(work: Callable[[], Any], seconds: float | None = None) -> bool:
    """Do some work in a forked process; True when it was killed or killed itself."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            if seconds is not None:
                signal.signal(signal.SIGALRM, signal.SIG_DFL)
                signal.setitimer(signal.ITIMER_REAL, max(seconds, 1e-4))
            work()
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return True
    assert os.WEXITSTATUS(status) in (0, 9)
    return os.WEXITSTATUS(status) == 9


def _dying_at(line: int) -> None:
    """End this process without a word before the n-th line of the code that writes a life."""
    files = {agingbench.bench.life.folder.__file__, agingbench.traces.files.__file__}
    left = line

    def in_file(frame: FrameType, event: str, arg: Any) -> Any:
        nonlocal left
        if event == "line":
            left -= 1
            if left == 0:
                os._exit(9)
        return in_file

    def seen(frame: FrameType, event: str, arg: Any) -> Any:
        return in_file if frame.f_code.co_filename in files else None

    threading.settrace(seen)
    sys.settrace(seen)


@forks
@pytest.mark.parametrize(
    ("step", "workers", "ahead"),
    [
        (31, 1, 0),
        (61, 4, 1),
        pytest.param(1, 1, 0, marks=pytest.mark.slow),
        pytest.param(1, 4, 2, marks=pytest.mark.slow),
    ],
)
def test_a_kill_before_every_line_that_writes(
    step: int, workers: int, ahead: int, tmp_path: Path
) -> None:
    plan = small_plan(EVENTS, sessions=2)
    wanted = normal_files(small_life(tmp_path / "whole", plan))
    line = 1
    while True:
        line += step
        out = tmp_path / str(line)

        def life(line: int = line, out: Path = out) -> None:
            _dying_at(line)
            small_life(out, plan, None, workers, ahead)

        killed = _forked(life)
        if not killed:
            break
        assert normal_files(small_life(out, plan, None, workers, ahead)) == wanted, (
            f"killed before line event {line}"
        )
    assert line > 100, "the lines that write were not seen"


@pytest.mark.parametrize("share", [0.0, 0.001, 0.3, 0.5, 0.999, 1.0])
@pytest.mark.parametrize("name", ["trace.jsonl", "answers.jsonl"])
def test_an_append_torn_anywhere_is_completed(name: str, share: float, tmp_path: Path) -> None:
    plan = small_plan(EVENTS)
    wanted = normal_files(small_life(tmp_path / "whole", plan))
    with pytest.raises(Stopped):
        small_life(tmp_path / "torn", plan, stop_after(1))
    run = directory_of(tmp_path / "torn", plan, Sut(memory="careful_compress"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RunDirectory, "_redo", _dies)
        agent, meter = agent_of(playing(plainly))
        agent.load(run.snapshot(2).state)
        background = Background(run)
        with run, pytest.raises(Stopped):
            background.keep(
                _Living(plan, SCENARIO, agent, meter, background, LifeStart(), None).transition(2)
            )
    note = json.loads((run.path / ".commit.json").read_bytes())
    text = note["append"]["trace.jsonl"]["text"].encode()
    if name == "answers.jsonl":
        with run.trace.open("ab") as whole:
            whole.write(text)
        text = note["append"]["answers.jsonl"]["text"].encode()
    with (run.path / name).open("ab") as torn:
        torn.write(text[: int(share * len(text))])
    assert not run.ended()
    assert normal_files(small_life(tmp_path / "torn", plan)) == wanted


def _dies(run: RunDirectory) -> None:
    raise Stopped


def _failing_at(number: int, patch: pytest.MonkeyPatch) -> Iterator[None]:
    """The n-th sync, rename or removal fails; an exception, where a kill would leave no time for
    cleaning up.
    """
    left = number

    def counted(original: Any) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            nonlocal left
            left -= 1
            if left == 0:
                raise Stopped
            return original(*args, **kwargs)

        return call

    for name in ("fsync", "replace", "unlink"):
        patch.setattr(os, name, counted(getattr(os, name)))
    yield


def test_an_exception_at_every_write_rename_and_removal_of_a_whole_run(tmp_path: Path) -> None:
    plan = small_plan(("flush_history@1",), sessions=1)
    sut = Sut(memory="careful_compress")
    whole, _ = run_life(plan, sut, tmp_path / "whole", scenario=SCENARIO)
    wanted = normal_files(whole)
    number = 0
    while True:
        number += 1
        out = tmp_path / str(number)
        try:
            with pytest.MonkeyPatch.context() as patch:
                for _ in _failing_at(number, patch):
                    run_life(plan, sut, out, scenario=SCENARIO)
            break
        except Stopped:
            path, _ = run_life(plan, sut, out, scenario=SCENARIO)
            assert normal_files(path) == wanted, f"stopped at write {number}"
    assert number > 30


def test_what_a_killed_process_leaves_aside_is_cleared_away(tmp_path: Path) -> None:
    plan = small_plan(EVENTS)
    with pytest.raises(Stopped):
        small_life(tmp_path, plan, stop_after(1))
    run = directory_of(tmp_path, plan, Sut(memory="careful_compress"))
    strays = [run.path / ".0123456789abcdef.tmp", run.memory / ".fedcba9876543210.tmp"]
    mine = run.path / ".notes.txt"
    for file in [*strays, mine]:
        file.write_text("half")
    small_life(tmp_path, plan)
    assert not any(file.exists() for file in strays)
    assert mine.read_text() == "half"


# -- going on


def test_a_finished_life_is_not_lived_again(tmp_path: Path) -> None:
    plan = small_plan(EVENTS)
    path = small_life(tmp_path, plan)
    before = raw_files(path)
    assert (
        small_life(tmp_path, plan, stop_after(0)) == path
    )  # no unit is lived, so nothing stops it
    assert raw_files(path) == before


def test_a_life_that_has_not_ended_is_not_scored(tmp_path: Path) -> None:
    plan = small_plan(EVENTS)
    with pytest.raises(Stopped):
        small_life(tmp_path, plan, stop_after(2))
    path = directory_of(tmp_path, plan, Sut(memory="careful_compress")).path
    with pytest.raises(InputError, match="has not ended; run it again"):
        score_run(path)
    with pytest.raises(InputError, match="not a run directory"):
        score_run(tmp_path)


def test_an_append_only_file_that_somebody_changed_is_told(tmp_path: Path) -> None:
    plan = small_plan(EVENTS)
    small_life(tmp_path, plan)
    run = directory_of(tmp_path, plan, Sut(memory="careful_compress"))
    note = {"append": {"trace.jsonl": {"at": 10**9, "text": "x"}}, "save": {}}
    (run.path / ".commit.json").write_text(json.dumps(note))
    with pytest.raises(RunConflict, match="changed by somebody else"):
        small_life(tmp_path, plan)


# -- two at once, another plan


def test_two_processes_in_one_directory(tmp_path: Path) -> None:
    command = [sys.executable, "-c", SLOW_COMMITS, *RUN, str(tmp_path)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as first:
        assert first.stdout is not None
        assert first.stdout.readline() == "ready\n"
        while not list(tmp_path.rglob("trace.jsonl")):
            assert first.poll() is None
            time.sleep(0.005)
        first.send_signal(
            signal.SIGSTOP
        )  # it holds the directory for as long as the second one tries
        second = cli(*RUN, str(tmp_path))
        first.send_signal(signal.SIGCONT)
        out, errors = first.communicate()
    assert "another process is living in this directory" in told_in_one_line(second)
    assert json.loads(second.stdout)["kind"] == "error"
    assert (first.returncode, errors) == (0, "")
    assert data(out)[0]["card"]["card_kind"] == "life"


def test_the_directory_of_another_plan_is_left_alone(finished: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    place = directory_of(out, whole_plan(), Sut(memory="careful_compress")).path
    place.parent.mkdir(parents=True)
    finished.rename(place)
    plan = json.loads((place / "plan.json").read_bytes())
    (place / "plan.json").write_bytes(json.dumps({**plan, "seed": 7}).encode())
    before = raw_files(out)
    assert "made for another plan" in told_in_one_line(cli(*RUN, str(out)))
    assert raw_files(out) == before


def test_the_directory_of_another_system_is_left_alone(tmp_path: Path) -> None:
    plan = small_plan()
    run_life(plan, Sut(sut_id="mine"), tmp_path)
    before = raw_files(tmp_path)
    with pytest.raises(RunConflict, match=r"another system \(sut.json differs\)"):
        run_life(plan, Sut(sut_id="mine", memory="append_only"), tmp_path)
    assert raw_files(tmp_path) == before


# -- damaged files


def _spoil(file: Path, how: str) -> int:
    """Damage one line in the middle of a file of lines; returns its number."""
    lines = file.read_bytes().split(b"\n")
    number = len(lines) // 2
    line = lines[number - 1]
    lines[number - 1] = {
        "torn": line[: len(line) // 2],
        "binary": b"\xff\xfe" + line,
        "other": b'{"a": 1}',
        "number": b"NaN",
    }[how]
    file.write_bytes(b"\n".join(lines))
    return number


@pytest.mark.parametrize("how", ["torn", "binary", "other", "number"])
@pytest.mark.parametrize("name", ["answers.jsonl", "trace.jsonl"])
def test_a_damaged_line_is_named_and_the_rest_untouched(
    finished: Path, name: str, how: str
) -> None:
    number = _spoil(finished / name, how)
    before = raw_files(finished)
    with pytest.raises(InputError, match=rf"{name}:{number}: "):
        score_run(finished)
    assert raw_files(finished) == before


def test_the_score_command_names_file_and_line(finished: Path) -> None:
    number = _spoil(finished / "answers.jsonl", "torn")
    before = raw_files(finished)
    line = told_in_one_line(cli("score", str(finished), "--no-plots"))
    assert f"answers.jsonl:{number}: not an answer" in line
    assert raw_files(finished) == before


@pytest.mark.parametrize("name", ["answers.jsonl", "sut.json", "memory/3.json"])
def test_a_missing_file_is_named(finished: Path, name: str) -> None:
    (finished / name).unlink()
    with pytest.raises(InputError, match=name):
        score_run(finished)


@pytest.mark.parametrize("state", [{}, {"memory": {}}, {"memory": 7}, {"files": {"../x": ""}}])
def test_a_state_of_another_memory_is_said_and_not_taken_up(state: dict[str, object]) -> None:
    agent = build(Sut(), "You are a helpful assistant.").agent
    with pytest.raises(InputError, match="cannot be taken up"):
        take_up(agent, state)


def test_a_damaged_snapshot_is_named(finished: Path) -> None:
    (finished / "memory" / "3.json").write_text('{"t": 3}')
    with pytest.raises(InputError, match=r"memory/3.json: not a memory snapshot"):
        score_run(finished)


# -- full and read-only disks


@pytest.fixture
def stopped(tmp_path: Path) -> tuple[Path, Path]:
    """An `out` with the life of the command line stopped in the middle, and its directory."""
    sut = Sut(memory="careful_compress")
    with pytest.raises(Stopped):
        run_life(whole_plan(), sut, tmp_path / "out", progress=stop_after(5))
    return tmp_path / "out", directory_of(tmp_path / "out", whole_plan(), sut).path


@pytest.mark.skipif(sys.platform == "win32", reason="limits on file sizes are of Unix")
@pytest.mark.parametrize("room", [-1, 500])
def test_a_full_disk_while_it_lives(
    stopped: tuple[Path, Path], undisturbed: Path, room: int
) -> None:
    # -1: not even the note can be written; 500: the note can, and the trace is torn in the middle
    # of an event.
    out, path = stopped
    before = raw_files(path)
    del before["identity.json"]  # it says when the life was started
    limit = 100 if room < 0 else (path / "trace.jsonl").stat().st_size + room
    command = [sys.executable, "-c", LIMITED, str(limit), *RUN, str(out)]
    line = told_in_one_line(subprocess.run(command, capture_output=True, text=True))
    assert "cannot write" in line
    after = raw_files(path)
    assert {name: after[name][: len(data)] for name, data in before.items()} == before
    assert set(after) - set(before) <= {".commit.json", "identity.json"}
    done = cli(*RUN, str(out))
    assert (done.returncode, done.stderr) == (0, "")
    assert normal_files(path) == normal_files(undisturbed)


@pytest.mark.skipif(sys.platform == "win32", reason="limits on file sizes are of Unix")
def test_a_disk_that_is_full_from_the_start(tmp_path: Path) -> None:
    command = [sys.executable, "-c", LIMITED, "1000", *RUN, str(tmp_path)]
    assert "cannot write" in told_in_one_line(
        subprocess.run(command, capture_output=True, text=True)
    )
    assert {name for name, data in raw_files(tmp_path).items() if data} == set()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own with little room."""
    if os.name != "posix" or os.geteuid() != 0:
        pytest.skip("mounting a small file system takes root")
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=280k", "tmpfs", str(disk)], capture_output=True
    )
    if mounted.returncode:
        pytest.skip("mounting is not allowed here")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_a_really_full_disk(small_disk: Path, undisturbed: Path) -> None:
    out = small_disk / "out"
    line = told_in_one_line(cli(*RUN, str(out)))
    assert "cannot write" in line
    assert "No space left" in line or "no space left" in line
    assert (next(out.rglob("plan.json"))).read_bytes() == (undisturbed / "plan.json").read_bytes()
    subprocess.run(["mount", "-o", "remount,size=4m", str(small_disk)], check=True)
    done = cli(*RUN, str(out))
    assert (done.returncode, done.stderr) == (0, "")
    assert normal_files(next(out.rglob("plan.json")).parent) == normal_files(undisturbed)
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    before = raw_files(out)
    for command in (RUN, ("run", "--memory", "append_only", "--no-plots", "--out")):
        assert "Read-only file system" in told_in_one_line(cli(*command, str(out)))
    assert "Read-only file system" in told_in_one_line(cli("score", str(out), "--no-plots"))
    assert raw_files(out) == before


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_directory_one_may_not_write_to(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(StorageError, match="Permission denied"):
        run_life(small_plan(), Sut(), tmp_path)
    tmp_path.chmod(0o700)
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_the_way_is_told(tmp_path: Path) -> None:
    (tmp_path / "s2_lifestyle_assistant").write_text("mine")
    with pytest.raises(StorageError, match="cannot use"):
        run_life(small_plan(), Sut(), tmp_path)


# -- scoring again


def test_scoring_again_changes_nothing(finished: Path) -> None:
    score_run(finished)
    once = raw_files(finished)
    times = _times(finished)
    score_run(finished)
    assert raw_files(finished) == once
    evidence = {n: t for n, t in _times(finished).items() if n not in DERIVED}
    assert evidence == {n: t for n, t in times.items() if n not in DERIVED}


DERIVED = {"metrics.json", "dependency_metrics.json", "aging_card.json", "trial.json"}


def test_what_is_derived_can_be_made_again_from_the_evidence(finished: Path) -> None:
    before = raw_files(finished)
    for name in DERIVED:
        (finished / name).unlink()
    score_run(finished)
    assert raw_files(finished) == before


def _times(folder: Path) -> dict[str, int]:
    return {
        str(f.relative_to(folder)): f.stat().st_mtime_ns for f in folder.rglob("*") if f.is_file()
    }


def test_no_file_of_a_run_holds_infinity_or_nan(undisturbed: Path) -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    files = [f for f in undisturbed.rglob("*") if f.suffix in (".json", ".jsonl")]
    assert len(files) > 18
    for file in files:
        lines = file.read_text().splitlines() if file.suffix == ".jsonl" else [file.read_text()]
        for line in lines:
            json.loads(line, parse_constant=refuse)
