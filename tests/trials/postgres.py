"""A real PostgreSQL server for the tests: started in a folder of its own, reached through a socket,
thrown away.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

PROGRAMS = ("initdb", "pg_ctl", "postgres")
DEBIAN = Path("/usr/lib/postgresql")  # where Debian keeps them, off PATH, one folder per version


def _program(name: str) -> str | None:
    versions = sorted(
        DEBIAN.glob("*/bin"),
        key=lambda f: [int(n) for n in f.parent.name.split(".") if n.isdecimal()],
    )
    return next(
        filter(None, (shutil.which(name, path=path) for path in (None, *map(str, versions[::-1])))),
        None,
    )


def _user() -> str | None:
    """The server refuses to run as root; another user has to be there then."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name).pw_name
        except KeyError:
            continue
    pytest.skip("PostgreSQL does not run as root, and there is no user `postgres` or `nobody`")


def server() -> Iterator[str]:
    """The URL of a running server; skips where its programs are not installed."""
    pytest.importorskip("psycopg", reason="the extra `postgres` is not installed")
    found = {name: _program(name) for name in PROGRAMS}
    if missing := [name for name, path in found.items() if path is None]:
        pytest.skip(
            f"PostgreSQL is not installed: no {', '.join(missing)} on PATH or in {DEBIAN}/*/bin"
        )
    user = _user()
    folder = Path(tempfile.mkdtemp(prefix="agingbench-pg-"))
    if user is not None:
        shutil.chown(folder, user)
    data = folder / "data"

    def run(*words: str) -> None:
        done = subprocess.run(
            [found[words[0]] or words[0], *words[1:]],
            user=user,
            cwd=folder,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, f"{words[0]}: {done.stderr}"

    try:
        run("initdb", "-D", str(data), "-U", "tester", "-A", "trust", "-E", "UTF8", "--no-sync")
        options = f"-k {folder} -c listen_addresses='' -c fsync=off -c max_connections=60"
        run("pg_ctl", "-D", str(data), "-o", options, "-l", str(folder / "log"), "-w", "start")
        try:
            yield f"postgresql://tester@/postgres?host={folder}"
        finally:
            run("pg_ctl", "-D", str(data), "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
