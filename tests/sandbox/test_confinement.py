"""Foreign code is run where it can do no harm and cannot see what is expected of it; else it is not
run at all.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from agingbench.bench.plan.code_test import CodeCase, CodeTest
from agingbench.bench.scoring.code_runs import Outcome, run_calls, run_test
from agingbench.sandbox import confinement as sandbox
from agingbench.sandbox.confinement import (
    Confinement,
    Limits,
    Result,
    available,
    confinement,
)
from agingbench.sandbox.inside import warden
from agingbench.sandbox.inside.look import View

confined = pytest.mark.skipif(not available()[0], reason=available()[1] or "code can be confined")
SMALL = Limits(
    wall_seconds=30, cpu_seconds=1, memory_bytes=256 << 20, disk_bytes=4 << 20, processes=6
)
SQUARE = CodeTest("f", [CodeCase([2], 4), CodeCase([3], 9)])


@pytest.fixture(scope="module")
def box() -> Iterator[Confinement]:
    """One confinement for calls that leave it whole."""
    with confinement() as made:
        yield made


# -- what a test says


@confined
@pytest.mark.parametrize(
    ("code", "outcome"),
    [
        ("def f(x):\n    print('noise')\n    return x * x\n", Outcome("passed")),
        ("def f(x):\n    return float(x * x)\n", Outcome("passed")),
        ("def f(x):\n    return x + 2\n", Outcome("failed", "call 2 of 2: another value")),
        ("def f(x):\n    raise SystemExit\n", Outcome("failed", "call 1 of 2: raised SystemExit")),
        ("def f(x:\n", Outcome("failed", "call 1 of 2: raised SyntaxError")),
        ("import numpy\n", Outcome("failed", "call 1 of 2: raised ModuleNotFoundError")),
        ("def g(x):\n    return x * x\n", Outcome("failed", "call 1 of 2: raised KeyError")),
        ("import os\nos._exit(0)\n", Outcome("failed", "call 1 of 2: no reply")),
        ("import os\nos._exit(124)\n", Outcome("failed", "call 1 of 2: no reply")),
        ("import os\nos._exit(125)\n", Outcome("failed", "call 1 of 2: no reply")),
    ],
)
def test_verdicts(code: str, outcome: Outcome, box: Confinement) -> None:
    assert run_calls(box, code, SQUARE) == outcome


@confined
def test_a_test_has_a_confinement_of_its_own() -> None:
    assert run_test("def f(x):\n    return x * x\n", SQUARE) == Outcome("passed")


def test_tests_of_version_1_are_not_run() -> None:
    assert run_test("def f(x):\n    return x\n", "from solution import f\n").status == "unavailable"


@confined
def test_values_cross_over_as_plain_json(box: Confinement) -> None:
    code = "def f(x):\n    yield from (x, None, (1.5, {'a': True}))\n"
    assert box.call(code, "f", ["é"]) == Result("returned", ["é", None, [1.5, {"a": True}]])
    assert box.call("def f():\n    return object()\n", "f", []).status == "failed"
    assert box.call("def f():\n    return float('nan')\n", "f", []).status == "failed"
    deep = "def f():\n    a = []\n    for _ in range(400):\n        a = [a]\n    return a\n"
    assert box.call(deep, "f", []).status in ("returned", "failed")


@confined
def test_code_that_was_not_started_has_not_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(sandbox._INSIDE, tmp_path / "inside")
    warden = tmp_path / "inside" / "warden.py"
    step = "    check(libc.unshare("
    source = warden.read_text()
    assert step in source
    warden.write_text(source.replace(step, f"    raise OSError('no such right')\n{step}"))
    monkeypatch.setattr(sandbox, "_INSIDE", tmp_path / "inside")
    outcome = run_test("def f(x):\n    return x * x\n", SQUARE)
    assert outcome.status == "unavailable"
    assert "no such right" in outcome.detail


# -- no call knows of another


CARRIERS = {
    "global": "seen = []\ndef leave():\n    seen.append(1)\ndef find():\n    return len(seen)\n",
    "file": (
        "import os\ndef leave():\n    open('/box/x', 'w').close()\n"
        "def find():\n    return len(os.listdir('/box'))\n"
    ),
    "module": (
        "import json\ndef leave():\n    json.seen = 1\n"
        "def find():\n    return getattr(json, 'seen', 0)\n"
    ),
    "process": (
        "import os, time\ndef leave():\n    if os.fork() == 0:\n        os.setsid()\n"
        "        time.sleep(100)\n"
        "def find():\n    return len([p for p in os.listdir('/proc') if p.isdigit()]) - 1\n"
    ),
    "shared memory": (
        "import ctypes\nlibc = ctypes.CDLL(None)\n"
        "def leave():\n    return libc.shmget(7, 4096, 0o1666)\n"
        "def find():\n    return libc.shmget(7, 4096, 0o666) + 1\n"
    ),
    "abstract socket": (
        "import os, socket, time\ndef leave():\n    if os.fork() == 0:\n"
        "        s = socket.socket(socket.AF_UNIX)\n        s.bind('\\0x')\n        s.listen()\n"
        "        time.sleep(100)\n    time.sleep(0.1)\n"
        "def find():\n    return 1 - bool(socket.socket(socket.AF_UNIX).connect_ex('\\0x'))\n"
    ),
    "variable": (
        "import os\ndef leave():\n    os.environ['SEEN'] = '1'\n"
        "def find():\n    return int('SEEN' in os.environ)\n"
    ),
}


@confined
@pytest.mark.parametrize("carrier", CARRIERS)
def test_nothing_is_left_for_the_next_call(carrier: str, box: Confinement) -> None:
    code = CARRIERS[carrier]
    both = f"{code}\ndef both():\n    leave()\n    return find()\n"
    if carrier != "process":
        assert box.call(both, "both", []).value != 0, "within one call it works"
    assert box.call(code, "leave", []).status == "returned"
    assert box.call(code, "find", []) == Result("returned", 0)


@confined
def test_a_call_holds_nothing_of_others(box: Confinement) -> None:
    """Neither memory, arguments, variables nor standard streams tell of another call."""
    secret = "zq" * 20
    assert box.call("def f(x):\n    return 1\n", "f", [secret]).status == "returned"
    code = (
        "import os, re, sys\n"
        "def f(own):\n"
        "    count = 0\n"
        "    maps = [line.split() for line in open('/proc/self/maps')]\n"
        "    with open('/proc/self/mem', 'rb', 0) as memory:\n"
        "        for part in maps:\n"
        "            if 'r' not in part[1] or part[-1] in ('[vvar]', '[vsyscall]'):\n"
        "                continue\n"
        "            low, high = (int(end, 16) for end in part[0].split('-'))\n"
        "            try:\n"
        "                memory.seek(low)\n"
        "                data = memory.read(high - low)\n"
        "            except (OSError, OverflowError, ValueError):\n"
        "                continue\n"
        "            count += len(re.findall(b'(?:zq){20}', data))\n"
        "    return [count, sys.argv[2:], sys.stdin.read(), sorted(os.environ)]\n"
    )
    assert box.call(code, "f", [secret]).value[0] > 0, "its own argument can be read"
    assert box.call(code, "f", [""]).value == [0, [], "", ["HOME", "LANG", "PATH"]]


@confined
def test_variables_of_the_user_do_not_enter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "secret")
    code = "def f():\n    return open('/proc/self/environ').read().count('secret')\n"
    with confinement() as made:
        assert made.call(code, "f", []) == Result("returned", 0)


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
    assert run_test(code, SQUARE, limits).status == status


@confined
def test_code_sees_its_own_folder_and_no_gold(tmp_path: Path, box: Confinement) -> None:
    (tmp_path / "plan.json").write_text("gold")
    code = (
        "import os\ndef here():\n    return sorted(os.listdir('.'))\ndef above():\n    return"
        " sorted(os.listdir('/'))\ndef processes():\n    return [p for p in os.listdir('/proc') if"
        " p.isdigit()] == [str(os.getpid())]\ndef reads(path):\n    return open(path).read()\n"
    )
    assert box.call(code, "here", []).value == []
    assert not {"boot", "site", "sys", "var"} & set(box.call(code, "above", []).value)
    assert box.call(code, "processes", []).value is True
    for path in (str(tmp_path / "plan.json"), "/etc/passwd", "/proc/1/mem", "/proc/1/environ"):
        assert box.call(code, "reads", [path]).status == "failed", path


@confined
def test_code_writes_nowhere_but_in_its_folder(tmp_path: Path, box: Confinement) -> None:
    tmp_path.chmod(0o777)
    code = "def f(path):\n    open(path, 'w').write('x')\n    return open(path).read()\n"
    assert box.call(code, "f", ["/box/mine"]).value == "x"
    outside = [str(tmp_path / "x"), "/x", "/usr/x", "/proc/x", "/dev/x", "/tmp/x", "/box/../x"]
    for path in outside:
        assert box.call(code, "f", [path]).status == "failed", path
    assert list(tmp_path.iterdir()) == []


@confined
def test_code_cannot_gain_rights(box: Confinement) -> None:
    code = (
        "import ctypes, os\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "def f():\n"
        "    tried = [libc.mount(b'tmpfs', b'/box', b'tmpfs', 0, None), libc.umount2(b'/box', 2)]\n"
        "    for call, argument in ((os.setuid, 0), (os.chroot, '/box')):\n"
        "        try:\n            call(argument)\n            tried.append(0)\n"
        "        except OSError:\n            tried.append(-1)\n"
        "    return [tried, os.getuid(), os.getgid(), os.getgroups()]\n"
    )
    groups = [] if os.geteuid() == 0 else box.call(code, "f", []).value[3]
    assert box.call(code, "f", []).value == [[-1] * 4, 65534, 65534, groups]


# -- where code cannot be confined, it is not run


@pytest.fixture
def asked_anew() -> Iterator[None]:
    available.cache_clear()
    yield
    available.cache_clear()


@pytest.mark.usefixtures("asked_anew")
def test_without_the_tools_nothing_is_executed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        shutil, "which", lambda name: None if name == "unshare" else f"/usr/bin/{name}"
    )
    usable, reason = available()
    assert not usable
    assert "unshare" in reason
    assert run_test("def f(x):\n    return x * x\n", SQUARE) == Outcome("unavailable", reason)


@confined
@pytest.mark.usefixtures("asked_anew")
@pytest.mark.parametrize("kept", ["--net", "--pid", "--uts"])
def test_a_confinement_with_a_hole_is_refused(kept: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # --fork goes with --pid: without it, process 1 would not be ours.
    full = sandbox._namespaces()
    monkeypatch.setattr(sandbox, "_namespaces", lambda: [part for part in full if part != kept])
    assert not available()[0]
    assert run_test("def f(x):\n    return x * x\n", SQUARE).status == "unavailable"


def test_only_the_first_process_of_a_namespace_ends_all_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    signals: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "kill", lambda *args: signals.append(args))
    with pytest.raises(OSError, match="PID namespace"):
        warden.end_all()
    assert signals == []


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
        ({"variables": ["HOME", "API_KEY"]}, "API_KEY"),
        ({"files": ["left.txt"]}, "left.txt"),
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
        "variables": ["HOME", "PATH"],
        "files": [],
        **change,
    }
    leaks = list(sandbox._leaks(cast(View, view)))
    assert [complaint in leak for leak in leaks] == [True] if complaint else leaks == []
