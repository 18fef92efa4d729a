"""Searching trials and turning pages, on both databases."""

from __future__ import annotations

from pathlib import Path

import pytest

from agingbench.trials.ledger import open_ledger
from agingbench.trials.query import Query
from tests.trials.making import record

MODELS = ("Alpha_1", "Alpha%1", "beta", "Alphax1!")


def fill(place: str) -> None:
    with open_ledger(place) as ledger:
        for n, model in enumerate(MODELS):
            agent = {"adapter": "x", "model": model, "configuration": {}}
            ledger.add(record(f"t-{n}", agent=agent))


@pytest.mark.parametrize("database", ["sqlite", "postgres"])
def test_a_search_takes_every_sign_as_itself_and_pages_follow_each_other(
    database: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    place = str(tmp_path / "ledger.sqlite")
    if database == "postgres":
        place = request.getfixturevalue("postgres_ledger")
    fill(place)
    with open_ledger(place, create=False) as ledger:
        for text, ids in {
            "ALPHA": ["t-0", "t-1", "t-3"],
            "a_1": ["t-0"],
            "a%1": ["t-1"],
            "1!": ["t-3"],
            "T-2": ["t-2"],
            "?": [],
            "'; --": [],
        }.items():
            query = Query(search=text)
            assert [row.trial_id for row in ledger.list(query)] == ids
            assert ledger.count(query) == len(ids)
        pages = [ledger.list(Query(sort="model", limit=2, offset=start)) for start in (0, 2, 4)]
        models = [[row.model for row in page] for page in pages]
        assert sorted(models[0] + models[1]) == sorted(MODELS)
        assert models[2] == []
        assert ledger.count(Query(limit=2, offset=3)) == len(MODELS)
