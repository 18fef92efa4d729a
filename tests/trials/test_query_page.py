"""Runs the SQL, pandas and Grafana examples of docs/ledger_queries.md; test_docs runs the rest."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from agingbench.trials.inspect.export import export
from agingbench.trials.ledger import open_ledger
from agingbench.trials.query import Query
from tests.places import ROOT
from tests.trials.lives import life_record, nights

PAGE = ROOT / "docs" / "ledger_queries.md"


def blocks(language: str) -> list[str]:
    """The blocks of the page in a language."""
    found = re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert found
    return found


def as_grafana_sends(text: str) -> str:
    """The query with Grafana's macros replaced as its PostgreSQL data source does."""
    group = r"date_bin('86400s', \1, TIMESTAMPTZ '2001-01-01') AS \"time\""
    text = re.sub(r"\$__timeGroupAlias\((\w+), '1d'\)", group.replace('\\"', '"'), text)
    bounds = r"\1 BETWEEN '2026-03-01T00:00:00Z' AND '2026-03-31T00:00:00Z'"
    return re.sub(r"\$__timeFilter\((\w+)\)", bounds, text)


def test_sql_of_the_page_runs_on_a_ledger(postgres_ledger: str) -> None:
    import psycopg

    with open_ledger(postgres_ledger) as ledger:
        for record, files in nights(3):
            ledger.add(record, files)
        odd, files = life_record("lossy", night=1, seed=9)
        ledger.add(odd.model_copy(update={"dataset_id": "a\0b"}), files)
    with psycopg.connect(postgres_ledger) as db:
        for text in blocks("sql"):
            assert db.execute(text).fetchall(), text
        for text in blocks("grafana"):
            rows = db.execute(as_grafana_sends(text)).fetchall()
            assert len(rows) >= 3, text
        told = db.execute(blocks("sql")[0]).fetchall()
        assert {row[1] for row in told} == {"careful", "lossy"}
        spent = db.execute(blocks("sql")[1]).fetchall()
        assert [row[1] for row in spent] == [4, 5, 4]


def test_pandas_of_the_page_runs_on_an_export(tmp_path: Path) -> None:
    pytest.importorskip("pandas", reason="pandas is not installed")
    with open_ledger(tmp_path) as ledger:
        for record, files in nights(2):
            ledger.add(record, files)
        export(ledger, Query(newest=True), tmp_path / "trials.csv")
    (text,) = blocks("pandas")
    done = subprocess.run(
        [sys.executable, "-c", text], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "careful" in done.stdout
