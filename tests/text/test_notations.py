"""One value in many notations."""

from __future__ import annotations

import pytest

from agingbench.text.matching import find, key, keys, states
from agingbench.text.values import Value

NOTATIONS: dict[tuple[str, str], list[str]] = {
    ("date", "June 15, 2032"): [
        "2032-06-15",
        "15/06/2032",
        "6/15/2032",
        "06/15/32",
        "15.06.2032",
        "15-06-2032",
        "the 15th of June 2032",
        "15 Jun 2032",
        "June the fifteenth, 2032",
        "the fifteenth of June, 2032",
        "15. Juni 2032",
        "15 de junio de 2032",
        "15 juin 2032",
        "Tuesday, June 15, 2032",
    ],
    ("date", "March 7, 2031"): ["3/7/2031", "7/3/2031", "07.03.2031"],
    ("clock", "16:30"): [
        "4:30 pm",
        "4.30 pm",
        "half past four",
        "half past four in the afternoon",
        "16.30 Uhr",
        "16h30",
        "4:30 in the afternoon",
        "four thirty pm",
    ],
    ("clock", "09:56"): ["9:56 am", "four minutes to ten", "four minutes to ten in the morning"],
    ("clock", "12:05"): ["five past noon", "12:05 pm"],
    ("number", "$1,842"): [
        "1842",
        "1,842 dollars",
        "USD 1,842.00",
        "1.842,00 $",
        "$1.842",
        "1 842 dollars",
        "1'842 USD",
        "eighteen hundred forty-two dollars",
    ],
    ("number", "5,297 ms"): ["5.297 s", "5297 milliseconds", "5297"],
    ("number", "90 minutes"): ["1.5 hours", "1 h 30 min", "1 hour and 30 minutes"],
    ("number", "7,324 metres"): ["7.324 km", "7324 m"],
    ("number", "2 GB"): ["2048 MB", "2,000 MB", "2 gigabytes"],
    ("number", "427"): ["0427", "#427", "No. 427"],
    ("number", "1,200"): ["1.2k", "twelve hundred", "1.2 thousand", "1.200"],
    ("percent", "36.1%"): ["36,1 %", "0.361", "36.1 per cent", "thirty-six point one percent"],
    ("percent", "25%"): ["a quarter", "one quarter", "1/4", "0.25"],
    ("version", "2.3.1"): ["v2.3.1", "version 2.3.1", "release 2.3.1"],
    ("name", "jobs/fresh.py"): ["./jobs/fresh.py", "'jobs/fresh.py'", "jobs\\fresh.py"],
}
CASES = [(kind, value, text) for (kind, value), texts in NOTATIONS.items() for text in texts]


@pytest.mark.parametrize(("kind", "value", "text"), CASES)
def test_the_same_value_in_another_notation(kind: str, value: str, text: str) -> None:
    said = f"As I noted it: {text}"
    gold = Value(kind, value)
    assert states(said, gold)
    assert find(said, gold)
    assert key(gold) in keys(said, kind)


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("date", "June 15, 2032", "5/16/2032"),
        ("date", "June 15, 2032", "15.06.2033"),
        ("clock", "16:30", "half past five"),
        ("clock", "04:30", "half past four in the afternoon"),
        ("number", "5,297 ms", "5.297 minutes"),
        ("number", "90 minutes", "90 hours"),
        ("number", "2 GB", "2 MB"),
        ("number", "7 km", "7 m"),
        ("percent", "36.1%", "0.36"),
        ("number", "906", "9.06"),
    ],
)
def test_another_value(kind: str, value: str, text: str) -> None:
    assert not states(f"As I noted it: {text}", Value(kind, value))


def test_a_range_beside_an_amount_is_no_part_of_it() -> None:
    text = "0 s 2 to 4 ms"
    assert states(text, Value("range", "2 to 4 ms"))
    assert not states(text, Value("number", "2 ms"))


def test_a_month_at_the_end_of_a_paragraph_is_no_date_with_the_word_behind_it() -> None:
    text = "We have used the green one since February.\n\nFirst day of Henrik, a long one."
    assert not states(text, Value("date", "February 1, 2029"))
    assert states("since February first, he said", Value("date", "February 1, 2029"))
