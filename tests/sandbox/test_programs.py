"""Programs started in confinement: each start is new, and none can reach what it is held to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from agingbench.sandbox.confinement import Confinement, available
from agingbench.sandbox.programs import (
    BrokenRun,
    StartBatch,
    StartEnding,
    StartWords,
    program_confinement,
    run_batches,
)

pytestmark = pytest.mark.skipif(not available()[0], reason=available()[1] or "can be confined")


@pytest.fixture(scope="module")
def confined() -> Iterator[Confinement]:
    with program_confinement() as one:
        yield one


def started(confined: Confinement, program: str, *words: Sequence[str]) -> list[StartEnding]:
    starts = [StartWords(list(one)) for one in words]
    files = {"p.py": program.encode()}
    (endings,) = run_batches(confined, files, [StartBatch("p.py", {}, [], starts)])
    return endings


def test_a_program_reads_its_words_and_ends_with_its_code(confined: Confinement) -> None:
    program = "import sys\nprint(sys.argv)\nsys.exit(len(sys.argv))"
    one, other = started(confined, program, ["a"], ["b", "c d"])
    assert (one.code, one.output) == (2, "['p.py', 'a']\n")
    assert (other.code, other.output) == (3, "['p.py', 'b', 'c d']\n")


def test_click_and_exit_are_at_hand(confined: Confinement) -> None:
    program = "import click\n@click.command()\n@click.option('--n', type=int)\ndef main(n):\n"
    program += "    click.echo(n + 1)\n    exit(4)\nmain()"
    (ending,) = started(confined, program, ["--n", "2"])
    assert (ending.code, ending.output) == (4, "3\n")


def test_files_last_for_one_check_and_memory_for_one_start(confined: Confinement) -> None:
    program = "import os, sys\nsys.n = getattr(sys, 'n', 0) + 1\nopen('f', 'a').write('x')\n"
    program += "print(sys.n, os.path.getsize('f'))"
    batch = StartBatch("p.py", {}, [], [StartWords([]), StartWords([])])
    results = run_batches(confined, {"p.py": program.encode()}, [batch, batch])
    assert [[ending.output for ending in one] for one in results] == [["1 1\n", "1 2\n"]] * 2


def test_files_are_laid_over_and_places_emptied(confined: Confinement) -> None:
    program = "import os\nprint(sorted(os.listdir('d')), open('n').read())"
    files = {"p.py": program.encode(), "d/old": b"", "n": b"1"}
    batch = StartBatch("p.py", {"d/new": "", "n": "2"}, ["d"], [StartWords([])])
    ((ending,),) = run_batches(confined, files, [batch])
    assert ending.output == "['new'] 2\n"


def test_stores_are_counted_by_somebody_else(confined: Confinement) -> None:
    program = "import sqlite3\nb = sqlite3.connect('s.db')\nb.execute('create table t (x)')\n"
    program += "b.execute('create table u (x)')\nb.execute('insert into t values (1)')\nb.commit()"
    files = {"p.py": program.encode(), "f/1.json": b"{}", "l.jsonl": b"{}\n\n{}\n", "a.json": b"[]"}
    looks = [("s.db", ["t", "u"]), ("s.db", ["t", "v"]), ("f", []), ("l.jsonl", []), ("a.json", [])]
    starts = [StartWords([]), *(StartWords([], path, tables) for path, tables in looks)]
    starts.append(StartWords([], "nothing"))
    (endings,) = run_batches(confined, files, [StartBatch("p.py", {}, [], starts)])
    assert [ending.output for ending in endings[1:]] == [
        "1\n",
        "-1\n",
        "1\n",
        "2\n",
        "0\n",
        "null\n",
    ]


def test_a_program_that_hangs_is_killed_and_the_rest_goes_on(
    confined: Confinement, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agingbench.sandbox.programs.START_SECONDS", 3.0)
    program = "import sys, time\nif sys.argv[1:]:\n    time.sleep(60)\nprint('done')"
    hangs = StartBatch("p.py", {}, [], [StartWords(["x"]), StartWords([])])
    works = StartBatch("p.py", {}, [], [StartWords([])])
    first, second = run_batches(confined, {"p.py": program.encode()}, [hangs, works])
    assert [ending.code for ending in first] == [None]
    assert [(ending.code, ending.output) for ending in second] == [(0, "done\n")]


@pytest.mark.parametrize(
    "program",
    [
        "import os; os._exit(0)",
        "raise SystemExit(0)",
        "import os, signal\nos.kill(os.getppid(), signal.SIGSTOP)\nos.kill(os.getppid(), 18)",
        "import os\nfor n in range(3, 64):\n    try: os.write(n, b'{\"value\": []}\\n')\n"
        "    except OSError: pass",
        "def broken(",
    ],
)
def test_hostile_programs_print_nothing(confined: Confinement, program: str) -> None:
    endings = started(confined, program, ["a"])
    assert [ending.output for ending in endings] == [""]


def test_a_program_that_ends_its_keeper_has_no_results() -> None:
    program = "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)"
    with program_confinement() as one, pytest.raises(BrokenRun):
        started(one, program, ["a"])


def test_too_large_a_workspace_is_not_run(confined: Confinement) -> None:
    with pytest.raises(BrokenRun, match="larger"):
        run_batches(confined, {"p.py": b"", "big": bytes(3_000_000)}, [])
