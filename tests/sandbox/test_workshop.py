"""A workspace in memory: what commands leave is taken over, what escapes or grows is not."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agingbench.sandbox.confinement import available, confinement
from agingbench.sandbox.workshop import LIMITS, Workshop, WorkshopError, checked_path

pytestmark = pytest.mark.skipif(not available()[0], reason=available()[1] or "can be confined")


@pytest.fixture(scope="module")
def shop_of() -> Iterator[type]:
    """A class that makes workspaces in one confinement."""
    with confinement(LIMITS) as confined:

        class Made(Workshop):
            def __init__(self, files: dict[str, bytes], seconds: float = 10) -> None:
                super().__init__(confined, files, seconds)

        yield Made


def test_a_command_finds_the_files_and_what_it_leaves_is_kept(shop_of: type) -> None:
    shop = shop_of({"a/n.txt": b"3", "gone.txt": b""})
    program = "import os; n = int(open('a/n.txt').read()); os.remove('gone.txt')"
    program += "; open('b.bin', 'wb').write(bytes([255, n])); print(n + 1)"
    result = shop.run(["python3", "-c", program])
    assert (result.exit_code, result.stdout, result.problem) == (0, "4\n", "")
    assert shop.files == {"a/n.txt": b"3", "b.bin": b"\xff\x03"}


def test_a_command_that_hangs_is_ended_and_its_files_are_kept(shop_of: type) -> None:
    shop = shop_of({"a": b""}, seconds=2.0)
    result = shop.run(["sh", "-c", "echo 1 > b; sleep 60"])
    assert (result.exit_code, result.problem) == (None, "ended after 2 seconds")
    assert shop.files["b"] == b"1\n"


def test_too_large_a_workspace_is_not_taken_over(shop_of: type) -> None:
    shop = shop_of({"a": b"x"})
    result = shop.run(["python3", "-c", "open('b', 'w').write('x' * 600_000)"])
    assert "at most" in result.problem
    assert shop.files == {"a": b"x"}
    with pytest.raises(WorkshopError, match="at most"):
        shop.write("b", b"x" * 600_000)


def test_links_and_pipes_are_left_behind(shop_of: type) -> None:
    shop = shop_of({"a": b"x"})
    shop.run(["python3", "-c", "import os; os.symlink('/etc/passwd', 'l'); os.mkfifo('f')"])
    assert shop.files == {"a": b"x"}


def test_a_fake_interpreter_in_the_workspace_is_not_run(shop_of: type) -> None:
    fake = b"#!/bin/sh\necho fake\n"
    shop = shop_of({"python3": fake, "bin/python3": fake, "sitecustomize.py": b"print('fake')"})
    shop.run(["sh", "-c", "chmod +x python3 bin/python3"])
    assert shop.run(["python3", "-I", "-c", "print(1)"]).stdout == "1\n"


def test_nothing_is_written_to_this_machine(shop_of: type) -> None:
    before = set(os.listdir(tempfile.gettempdir()))
    shop = shop_of({"a": b"x"})
    shop.run(["sh", "-c", "echo 1 > /tmp/leak; echo 1 > b"])
    new = set(os.listdir(tempfile.gettempdir())) - before
    assert not any(Path(tempfile.gettempdir(), name).name == "leak" for name in new)
    assert "b" in shop.files


def test_no_program_and_no_file(shop_of: type) -> None:
    shop = shop_of({"a": b"x"})
    assert shop.run(["nothing-like-it"]).problem == "no program 'nothing-like-it'"
    with pytest.raises(WorkshopError, match="no file"):
        shop.read("b")
    with pytest.raises(WorkshopError, match="in its way"):
        shop.write("a/b", b"")


def test_a_copy_with_files_over_it_leaves_the_workspace_alone(shop_of: type) -> None:
    shop = shop_of({"a/b": b"1", "c": b"2"})
    twin = shop.copy({"a": b"3"})
    assert twin.files == {"a": b"3", "c": b"2"}
    assert shop.files == {"a/b": b"1", "c": b"2"}
    assert shop.hash != twin.hash


@pytest.mark.parametrize("path", ["", ".", "/etc/passwd", "../x", "a/../../x", "a\0b", "x" * 300])
def test_paths_that_leave_the_workspace_are_refused(path: str) -> None:
    with pytest.raises(WorkshopError, match="not one inside"):
        checked_path(path)


@given(st.text(max_size=40))
def test_a_checked_path_stays_inside(path: str) -> None:
    try:
        plain = checked_path(path)
    except WorkshopError:
        return
    base = Path("/box")
    assert Path(os.path.normpath(base / plain)).is_relative_to(base)
    assert checked_path(plain) == plain
