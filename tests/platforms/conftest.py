"""The life that the tests of exports share."""

from __future__ import annotations

from pathlib import Path

import pytest

from agingbench.platforms.items import ExportItem
from tests.platforms.lives import item_at, lived


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lived(tmp_path_factory.mktemp("exported"))


@pytest.fixture(scope="session")
def item(folder: Path) -> ExportItem:
    return item_at(folder)
