"""The price list: dated snapshots, models that are not listed, cached tokens, files that are
broken.
"""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from agingbench.errors import InputError
from agingbench.models.prices import load_prices
from agingbench.records import Usage


def test_our_own_list() -> None:
    prices = load_prices()
    assert prices.as_of <= datetime.date.today()
    for price in prices.usd_per_million_tokens.values():
        assert 0 < price.input < price.output
        assert price.cache_read is None or price.cache_read < price.input
        assert price.cache_write is None or price.cache_write >= price.input


@pytest.mark.parametrize(
    ("model_id", "listed"),
    [
        ("gpt-4o", "gpt-4o"),
        ("gpt-4o-2024-08-06", "gpt-4o"),
        ("gpt-4o-2024-05-13", "gpt-4o-2024-05-13"),
        ("gpt-4o-mini-2024-07-18", "gpt-4o-mini"),
        ("claude-haiku-4-5-20251001", "claude-haiku-4-5"),
        ("claude-haiku-4-5@20251001", "claude-haiku-4-5"),
        ("claude-opus-5-5", "claude-opus-5-5"),
    ],
)
def test_snapshots_have_the_price_of_their_model(model_id: str, listed: str) -> None:
    prices = load_prices()
    assert prices.find(model_id) is prices.usd_per_million_tokens[listed]


@pytest.mark.parametrize(
    "model_id", ["gpt-5.6-sol", "gpt-4o-audio-preview", "gpt-4", "ft:gpt-4o:mine", "llama", ""]
)
def test_other_models_have_none(model_id: str) -> None:
    assert load_prices().find(model_id) is None


def test_cost() -> None:
    cost = load_prices().cost_usd
    assert cost(Usage(1_000_000, 1_000_000, calls=1), "gpt-4o") == pytest.approx(12.5)
    assert cost(Usage(1_000_000, 0, 1_000_000, calls=1), "gpt-4o") == pytest.approx(1.25)
    assert cost(Usage(1_000_000, 0, 0, 1_000_000, calls=1), "gpt-4o") == pytest.approx(2.5)
    assert cost(Usage(1_000_000, 0, 1_000_000, calls=1), "gpt-4o-2024-05-13") == pytest.approx(5.0)
    assert cost(
        Usage(1_000_000, 0, calls=1), "my-deployment", "gpt-4o-2024-08-06"
    ) == pytest.approx(2.5)


def test_what_is_not_known_has_no_cost() -> None:
    cost = load_prices().cost_usd
    assert cost(Usage(10, 10, calls=1), "unheard-of", None) is None
    assert cost(Usage(None, 10, calls=1), "gpt-4o") is None
    assert cost(Usage(10, None, calls=1), "gpt-4o") is None
    assert cost(Usage(10, 10, 11, calls=1), "gpt-4o") is None


def test_own_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    file.write_text(
        '{"as_of": "2026-01-02", "usd_per_million_tokens": {"mine": {"input": 1, "output": 2}}}'
    )
    monkeypatch.setenv("AGINGBENCH_PRICES", str(file))
    prices = load_prices()
    assert prices.as_of == datetime.date(2026, 1, 2)
    assert prices.cost_usd(Usage(1_000_000, 1_000_000, calls=1), "mine") == pytest.approx(3.0)
    assert prices.find("gpt-4o") is None


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"as_of": "soon", "usd_per_million_tokens": {}}',
        '{"as_of": "2026-01-02", "usd_per_million_tokens": {"m": {"input": 1}}}',
        '{"as_of": "2026-01-02", "usd_per_million_tokens": {"m": {"input": -1, "output": 1}}}',
        (
            '{"as_of": "2026-01-02", "usd_per_million_tokens": {"m": {"input": 1, "output": 1,'
            ' "cached": 1}}}'
        ),
    ],
)
def test_a_broken_file_is_named(
    content: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "broken.json"
    file.write_text(content)
    monkeypatch.setenv("AGINGBENCH_PRICES", str(file))
    with pytest.raises(InputError, match=r"price file .*broken\.json: ."):
        load_prices()


def test_a_missing_file_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("AGINGBENCH_PRICES", str(tmp_path / "gone.json"))
    with pytest.raises(InputError, match=r"gone\.json: No such file"):
        load_prices()
