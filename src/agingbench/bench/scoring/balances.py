"""The amount that an answer gives for a balance, also where it shows how it comes to it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from agingbench.text import matching
from agingbench.text.plain import plain_spans
from agingbench.text.values import Quantity

# What stands before a balance, what stands behind it, and what speaks of another amount.
_BALANCE_BEFORE = re.compile(
    r"(?:balance|remaining|left|leav\w+|total|stands at|comes to|now|=|→|gives|makes|answer)"
    r"\W[^$\d;.]{0,40}$",
    re.IGNORECASE,
)
_OTHER_BEFORE = re.compile(
    r"(?:start\w*|open\w*|initial|original|paid|pay\w*|spent|refund\w*|payments?|deposit\w*"
    r"|minus|plus|of|less|adding|added|after|took out|withdr\w+|[+−-])"
    r"(?:\b|\s)[^$\d;.]{0,24}$",
    re.IGNORECASE,
)
_BALANCE_BEHIND = re.compile(
    r"^(?: dollars)?(?: of \S+)? (?:is |are |which is |as )?(?:left|remain\w*|the (?:current"
    r" |remaining )?balance|in (?:total|the account)|altogether)\b",
    re.IGNORECASE,
)
_TAKES_AWAY = re.compile(
    r"(?:minus|less|[−–-]|spent|paid|pay\w*|payments?|out|withdr\w+|deduct\w*|subtract\w*|charg\w*"
    r"|cost\w*|bought|purchas\w*)[^$\d;.]{0,24}$",
    re.IGNORECASE,
)
_EXPLAINS = re.compile(
    r"^\s*(?:dollars|usd)?\s*(?:[:(=—–]|,?\s*(?:since|because|after|i\.e|that is))"
)


_CUE_WIDTH = 120  # characters beside an amount in which a cue stands


def _before(text: str, amount: Quantity) -> str:
    return text[max(0, amount.start - _CUE_WIDTH) : amount.start]


def _behind(text: str, amount: Quantity) -> str:
    return text[amount.end : amount.end + _CUE_WIDTH]


@lru_cache(maxsize=4096)
def said_balance(text: str) -> float | None:
    """Return the amount an answer gives for a balance; None when it gives none."""
    amounts = _amounts(text)
    spans = [(q.start, q.end) for q in amounts]
    plain_places = set(plain_spans(text, spans))
    plain = [q for q in amounts if (q.start, q.end) in plain_places]

    total = _total(text, plain)
    if total is not None:
        return total

    # The last amount of the first of these lists that holds any, from the surest sign on.
    own = [q for q in plain if not _OTHER_BEFORE.search(_before(text, q))]
    with_cue_behind = [q for q in own if _BALANCE_BEHIND.search(_behind(text, q))]
    with_cue_before = [q for q in own if _BALANCE_BEFORE.search(_before(text, q))]
    candidates = with_cue_behind or with_cue_before or own or plain or amounts
    return candidates[-1].value if candidates else None


def _amounts(text: str) -> list[Quantity]:
    amounts = [q for q in matching.numbers(text) if not q.in_range and q.unit in ("usd", None)]
    return [q for q in amounts if q.unit == "usd"] or amounts


def _total(text: str, amounts: Sequence[Quantity]) -> float | None:
    """The first or the last amount, when the others add up to it with the signs they carry."""
    if len(amounts) < 3:
        return None

    def signed(quantity: Quantity) -> float:
        takes = _TAKES_AWAY.search(_before(text, quantity)) is not None
        return -quantity.value if takes and quantity.value > 0 else quantity.value

    for at in (0, -1):
        total = amounts[at]
        others = amounts[1:] if at == 0 else amounts[:-1]
        if abs(sum(signed(q) for q in others) - total.value) < 0.005:
            return total.value
    first = amounts[0]
    opens = not re.search(r"\w", text[: first.start])
    return first.value if opens and _EXPLAINS.match(text[first.end :]) else None


def given_amounts(text: str) -> list[float]:
    """The different amounts that a text gives plainly, in order."""
    amounts = _amounts(text)
    places = set(plain_spans(text, [(q.start, q.end) for q in amounts]))
    return list(dict.fromkeys(q.value for q in amounts if (q.start, q.end) in places))


_BARE_LIST = re.compile(r"\s*(?:[,;/|&]|and|,\s*and)\s*", re.IGNORECASE)


def lists_amounts(text: str) -> bool:
    """Does a text give nothing but amounts, one after the other?"""
    amounts = matching.numbers(text)
    gaps = [text[one.end : other.start] for one, other in pairwise(amounts)]
    return bool(gaps) and all(_BARE_LIST.fullmatch(gap) for gap in gaps)
