"""Foreign code is run where it can do no harm and cannot see what is expected of it; else it is not
run at all.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from agingbench.bench.sandbox import sandbox
from agingbench.bench.sandbox.inside.look import View
from agingbench.bench.sandbox.inside.warden import Order
from agingbench.bench.sandbox.sandbox import Limits, Outcome, available, run_pytest

confined = pytest.mark.skipif(not available()[0], reason=available()[1] or "code can be confined")
SMALL = Limits(
    wall_seconds=5, cpu_seconds=1, memory_bytes=256 << 20, disk_bytes=4 << 20, processes=6
)
SQUARE = (
    "from solution import f\n\n\ndef test_two():\n    assert f(2) == 4\n\n\ndef test_three():\n   "
    " assert f(3) == 9\n"
)


@pytest.fixture(params=["pytest", "plain"])
def runner(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests inside run with pytest, and where there is none."""
    if request.param == "plain":
        monkeypatch.setattr(sandbox, "_pytest_home", lambda: None)


# -- what a test run says


@confined
@pytest.mark.usefixtures("runner")
@pytest.mark.parametrize(
    ("code", "outcome"),
    [
        ("def f(x):\n    print('noise')\n    return x * x\n", Outcome("passed")),
        ("def f(x):\n    return x + 2\n", Outcome("failed", "test_three")),
        ("def f(x):\n    raise SystemExit\n", Outcome("failed", "test_two, test_three")),
        ("def f(x:\n", Outcome("failed", "test_two, test_three")),
        ("import numpy\ndef f(x):\n    return x * x\n", Outcome("failed", "test_two, test_three")),
        ("def g(x):\n    return x * x\n", Outcome("failed", "test_two, test_three")),
        ("import os\nos._exit(0)\n", Outcome("failed", "test_two, test_three")),
        ("import os\nos._exit(124)\n", Outcome("failed", "test_two, test_three")),
        ("import os\nos._exit(125)\n", Outcome("failed", "test_two, test_three")),
    ],
)
def test_verdicts(code: str, outcome: Outcome) -> None:
    assert run_pytest(code, SQUARE) == outcome


@confined
@pytest.mark.usefixtures("runner")
@pytest.mark.parametrize("test", ["def test_x(:\n", "x = 1\n", "1 / 0\n"])
def test_broken_tests_are_an_error_and_no_failure_of_the_code(test: str) -> None:
    assert run_pytest("def f(x):\n    return x\n", test).status == "error"


@confined
@pytest.mark.usefixtures("runner")
def test_values_and_exceptions_cross_over() -> None:
    code = (
        "def f(x):\n    if x == 'bad':\n        raise ValueError('no')\n    yield from (x, None,"
        " [1.5, {'a': True}])\n"
    )
    test = (
        "from solution import f\n\n\ndef test_value():\n    assert f('é') == ['é', None, [1.5,"
        " {'a': True}]]\n\n\ndef test_keyword():\n    assert f(x=[1])[0] == [1]\n"
    )
    assert run_pytest(code, test) == Outcome("passed")
    raising = (
        "from solution import g\n\n\ndef test_raises():\n"
        "    try:\n        g()\n    except KeyError:\n        return\n    assert False\n"
    )
    assert run_pytest("def g():\n    raise KeyError('k')\n", raising) == Outcome("passed")


@confined
def test_code_that_was_not_started_has_not_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    order = sandbox._order

    def broken(program: str, *rest: Any) -> Order:
        complete = order(program, *rest)
        if program == "guest":
            complete["command"] = ["/usr/bin/false"]
        return complete

    monkeypatch.setattr(sandbox, "_order", broken)
    assert run_pytest("def f(x):\n    return x * x\n", SQUARE) == Outcome(
        "error", "the code was not started"
    )


# -- code that means harm


@pytest.fixture
def marked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The inner programs under a mark that shows in the process list; after the test none may be
    left.
    """
    shutil.copytree(sandbox._INSIDE, tmp_path / "inside")
    mark = f"# mark {tmp_path}"
    for file in (tmp_path / "inside").glob("*.py"):
        file.write_text(f"{file.read_text()}{mark}\n")
    monkeypatch.setattr(sandbox, "_INSIDE", tmp_path / "inside")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "roots"))
    (tmp_path / "roots").mkdir()
    yield mark
    assert list((tmp_path / "roots").iterdir()) == [], "the folder is gone"
    assert running(mark) == [], "nobody is left"


def running(mark: str) -> list[str]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if mark.encode() in (entry / "cmdline").read_bytes():
                    found.append(entry.name)
            except OSError:
                continue  # ended while we looked
    return found


HARM = {
    "endless loop": ("def f(x):\n    while True:\n        pass\n", "timeout"),
    "endless loop at import": ("while True:\n    pass\n", "timeout"),
    "long sleep": ("import time\ndef f(x):\n    time.sleep(1000)\n", "timeout"),
    "sleeper in a session of its own": (
        (
            "import os, time\nif os.fork() == 0:\n    os.setsid()\n"
            "    if os.fork():\n        os._exit(0)\n    time.sleep(1000)\n"
            "def f(x):\n    return 0\n"
        ),
        "failed",
    ),
    "fork bomb": ("import os\ndef f(x):\n    while True:\n        os.fork()\n", "failed"),
    "stubborn fork bomb": (
        (
            "import os\ndef f(x):\n    while True:\n        try:\n            os.fork()\n"
            "        except OSError:\n            pass\n"
        ),
        "timeout",
    ),
    "10 GB file": (
        (
            "def f(x):\n    with open('/box/big', 'wb') as file:\n        for _ in range(10 <<"
            " 10):\n            file.write(bytes(1 << 20))\n    return x * x\n"
        ),
        "failed",
    ),
    "10 GB of holes": (
        "import os\ndef f(x):\n    open('b', 'w').truncate(10 << 30)\n    return x * x\n",
        "failed",
    ),
    "many files": (
        (
            "def f(x):\n    for i in range(10**6):\n        open(str(i), 'w').close()\n    return x"
            " * x\n"
        ),
        "failed",
    ),
    "10 GB of memory": ("def f(x):\n    return len(bytearray(10 << 30)) and x * x\n", "failed"),
    "network call": (
        (
            "import socket\ndef f(x):\n    socket.create_connection(('192.0.2.1', 80), 1)\n   "
            " return x * x\n"
        ),
        "failed",
    ),
    "name look-up": (
        "import socket\ndef f(x):\n    socket.gethostbyname('example.org')\n    return x * x\n",
        "failed",
    ),
    "endless reply": ("import os\nwhile True:\n    os.write(4, b'x' * 4096)\n", "failed"),
    "killing everybody": (
        "import os\ndef f(x):\n    os.kill(-1, 9)\n    os.kill(1, 9)\n    return x + 2\n",
        "failed",
    ),
}


@confined
@pytest.mark.usefixtures("marked")
@pytest.mark.parametrize("harm", HARM)
def test_harm_is_a_failed_check_and_nothing_is_left_behind(harm: str) -> None:
    code, status = HARM[harm]
    limits = replace(SMALL, wall_seconds=1.5) if status == "timeout" else SMALL
    assert run_pytest(code, SQUARE, limits).status == status


@confined
def test_code_sees_its_own_folder_and_no_gold(tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text("gold")
    code = (
        "import os\ndef here():\n    return sorted(os.listdir('.'))\ndef above():\n    return"
        " sorted(os.listdir('/'))\ndef processes():\n    return [p for p in os.listdir('/proc') if"
        " p.isdigit()] == [str(os.getpid())]\ndef reads(path):\n    return open(path).read()\n"
    )
    test = (
        "from solution import above, here, processes, reads\n\n\ndef test_here():\n    assert"
        " here() == ['solution.py']\n\n\ndef test_above():\n    assert not {'boot', 'site',"
        " 'sys', 'var'} & set(above())\n\n\ndef test_processes():\n    assert"
        f" processes()\n\n\ndef test_reads():\n    for path in ({str(tmp_path / 'plan.json')!r},"
        " '/box/test_solution.py', '/etc/passwd', '/proc/1/mem'):\n        try:\n           "
        " reads(path)\n        except OSError:\n            continue\n        assert False, path\n"
    )
    assert run_pytest(code, test) == Outcome("passed")


@confined
def test_code_writes_nowhere_but_in_its_folder(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    code = "def f(path):\n    open(path, 'w').write('x')\n    return open(path).read()\n"
    inside = "from solution import f\n\n\ndef test_inside():\n    assert f('/box/mine') == 'x'\n"
    assert run_pytest(code, inside) == Outcome("passed")
    outside = [str(tmp_path / "x"), "/x", "/usr/x", "/proc/x", "/dev/x", "/tmp/x", "/box/../x"]
    tests = [f"def test_{n}():\n    f({path!r})\n" for n, path in enumerate(outside)]
    failed = ", ".join(f"test_{n}" for n in range(len(outside)))
    assert run_pytest(code, "\n\n".join(["from solution import f\n", *tests])) == Outcome(
        "failed", failed
    )
    assert list(tmp_path.iterdir()) == []


@confined
def test_code_cannot_gain_rights() -> None:
    code = (
        "import ctypes, os\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "def f():\n"
        "    tried = [libc.mount(b'tmpfs', b'/box', b'tmpfs', 0, None), libc.umount2(b'/box', 2)]\n"
        "    for call, argument in ((os.setuid, 0), (os.chroot, '/box')):\n"
        "        try:\n            call(argument)\n            tried.append(0)\n"
        "        except OSError:\n            tried.append(-1)\n"
        "    return [tried, os.getuid(), os.getgid()]\n"
    )
    test = (
        "from solution import f\n\n\ndef test_rights():\n    assert f() == [[-1] * 4, 65534,"
        " 65534]\n"
    )
    assert run_pytest(code, test) == Outcome("passed")


# -- where code cannot be confined, it is not run


@pytest.fixture
def asked_anew() -> Iterator[None]:
    available.cache_clear()
    yield
    available.cache_clear()


@pytest.mark.usefixtures("asked_anew")
def test_without_the_tools_nothing_is_executed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        shutil, "which", lambda name: None if name == "setpriv" else f"/usr/bin/{name}"
    )
    usable, reason = available()
    assert not usable
    assert "setpriv" in reason
    assert run_pytest("def f(x):\n    return x * x\n", SQUARE) == Outcome("unavailable", reason)


@confined
@pytest.mark.usefixtures("asked_anew")
@pytest.mark.parametrize("kept", ["--net", "--pid", "--ipc"])
def test_a_confinement_with_a_hole_is_refused(kept: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # --fork goes with --pid: without it, process 1 would not be ours.
    full = sandbox._namespaces()
    monkeypatch.setattr(sandbox, "_namespaces", lambda: [part for part in full if part != kept])
    assert not available()[0]
    assert run_pytest("def f(x):\n    return x * x\n", SQUARE).status == "unavailable"


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({}, None),
        ({"uid": 0}, "root"),
        ({"interfaces": ["lo", "eth0"]}, "eth0"),
        ({"processes": [1, 2, 3]}, "processes"),
        ({"capabilities": ["CapEff"]}, "privileges"),
        ({"no_new_privileges": False}, "privileges"),
        ({"writable": ["/usr", "/box"]}, "/usr"),
    ],
)
def test_what_counts_as_a_hole(change: dict[str, object], complaint: str | None) -> None:
    view = {
        "uid": 65534,
        "pid": 2,
        "interfaces": ["lo"],
        "capabilities": [],
        "no_new_privileges": True,
        "writable": ["/box"],
        "processes": [2],
        "namespaces": {"net": "net:[1]"},
        **change,
    }
    leaks = list(sandbox._leaks(cast(View, view)))
    assert [complaint in leak for leak in leaks] == [True] if complaint else leaks == []
