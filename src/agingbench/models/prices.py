"""What a model call cost, from a dated price list; the cost of an unlisted model is unknown."""

from __future__ import annotations

import datetime
import math
import os
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Annotated

import msgspec

from agingbench.errors import InputError
from agingbench.records import Usage

VARIABLE = "AGINGBENCH_PRICES"
OWN_FILE = Path(__file__).with_name("prices.json")

Dollars = Annotated[float, msgspec.Meta(ge=0)]

# What may follow a listed name: the date of a snapshot. Anything else ("gpt-5" + ".6-sol") is
# another model.
SNAPSHOT = re.compile(r"[-@]\d{4}-?\d{2}-?\d{2}")


class Price(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """US dollars per million tokens. A cache price that is left out is the input price."""

    input: Dollars
    output: Dollars
    cache_read: Dollars | None = None
    cache_write: Dollars | None = None


class PriceList(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Prices by model id, as they were on a day."""

    as_of: datetime.date
    usd_per_million_tokens: dict[str, Price]
    note: str = ""

    def with_prices(self, prices: Mapping[str, Price]) -> PriceList:
        """The list with these prices added; they go before those of the same name."""
        merged = {**self.usd_per_million_tokens, **prices}
        return msgspec.structs.replace(self, usd_per_million_tokens=merged)

    def find(self, model_id: str) -> Price | None:
        """The price of a model or of a dated snapshot of it; the longest listed name wins."""
        prices = self.usd_per_million_tokens
        for name in sorted(prices, key=len, reverse=True):
            if not model_id.startswith(name):
                continue
            if model_id == name or SNAPSHOT.fullmatch(model_id, len(name)):
                return prices[name]
        return None

    def cost_usd(self, usage: Usage, *model_ids: str | None) -> float | None:
        """What `usage` costs with the first of the ids that has a price; None when unknown.

        The input tokens include the cached ones.
        """
        price: Price | None = None
        for model_id in model_ids:
            if model_id and price is None:
                price = self.find(model_id)
        if price is None or usage.input_tokens is None or usage.output_tokens is None:
            return None

        read = usage.cache_read_tokens or 0
        write = usage.cache_write_tokens or 0
        fresh = usage.input_tokens - read - write
        if fresh < 0:  # counts that contradict each other have no price
            return None
        read_price = price.input if price.cache_read is None else price.cache_read
        write_price = price.input if price.cache_write is None else price.cache_write
        total = (
            fresh * price.input
            + read * read_price
            + write * write_price
            + usage.output_tokens * price.output
        )
        return total / 1_000_000


def parse_price(text: str) -> tuple[str, Price]:
    """A model and its price from MODEL=INPUT,OUTPUT[,CACHE_READ[,CACHE_WRITE]]."""
    model, _, figures = text.partition("=")
    problem = InputError(
        f"price '{text}': write MODEL=INPUT,OUTPUT[,CACHE_READ[,CACHE_WRITE]] in US dollars per"
        " million tokens, such as my-model=3,15,0.3,3.75"
    )
    try:
        numbers = [float(figure) for figure in figures.split(",")]
    except ValueError as error:
        raise problem from error

    usable = all(number >= 0 and math.isfinite(number) for number in numbers)
    if not model.strip() or not usable or not 2 <= len(numbers) <= 4:
        raise problem

    return model.strip(), Price(*numbers)


def load_prices() -> PriceList:
    """The user's price file (AGINGBENCH_PRICES) or our own."""
    return _read(Path(os.environ.get(VARIABLE) or OWN_FILE))


@lru_cache
def _read(path: Path) -> PriceList:
    try:
        return msgspec.json.decode(path.read_bytes(), type=PriceList)
    except OSError as error:
        raise InputError(f"price file {path}: {error.strerror or error}") from error
    except msgspec.DecodeError as error:
        raise InputError(f"price file {path}: {error}") from error
