"""Fixtures of the trials: one PostgreSQL server for all tests, one fresh ledger on it for each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from tests.trials.postgres import server


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    yield from server()


@pytest.fixture
def postgres_ledger(postgres: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    import psycopg

    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    name = f"ledger_{uuid4().hex}"
    with psycopg.connect(postgres, autocommit=True) as db:
        db.execute(f"CREATE DATABASE {name}")
    return postgres.replace("/postgres?", f"/{name}?")
