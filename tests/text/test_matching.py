"""What states a value and what does not, every reading rule by example; where it is found; its
keys.
"""

from __future__ import annotations

import re

import pytest

from agingbench.text.matching import find, key, keys, numbers, states
from agingbench.text.values import Quantity, Value

NUMBERS_STATED = [
    ("$1,000", "It costs 1000."),
    ("$1,000", "It costs $1,000.00 a year."),
    ("$1,000", "1\u202f000 dollars"),
    ("$1,000", "1\xa0000 USD"),
    ("$1,000", "USD 1,000"),
    ("$1,000", "US$1000"),
    ("1000", "about one thousand"),
    ("$1.5k", "$1,500"),
    ("$1,500", "$1.5K"),
    ("$2,000,000", "$2M"),
    ("$2,000,000", "2 million dollars"),
    ("7 nodes", "seven nodes"),
    ("7 nodes", "Seven worker nodes"),
    ("7 nodes", "a 7-node cluster"),
    ("7 nodes", "there are 7"),
    ("7 nodes", "the 7 seems right"),
    ("seven nodes", "7 nodes"),
    ("25", "twenty-five"),
    ("25", "twenty five"),
    ("105", "one hundred and five"),
    ("105", "a hundred and five"),
    ("2345", "two thousand three hundred and forty-five"),
    ("12", "a dozen"),
    ("8", "seven and eight"),
    ("7", "seven and eight"),
    ("1 node", "one node"),
    ("12 ms", "12 milliseconds"),
    ("12 ms", "12ms"),
    ("45 minutes", "a 45-minute walk"),
    ("45 minutes", "45 min."),
    ("5 days", "5 business days"),
    ("900 requests per second", "900 rps"),
    ("900 rps", "900 req/s"),
    ("$309", "309 bucks"),
    ("$309", "**$309**"),
    ("$309", "Budget:309"),
    ("$309", "$309 per month"),
    ("$309", "$309/month"),
    ("$309", "309 for dining"),
    ("$309", "I paid 309 yesterday"),
    ("$309", "309 and"),
    ("$309", "(309)"),
    ("4827", "4827 card"),
    ("4827", "the card ending in 4827."),
    ("309", "309 ms"),
    ("309", "$309"),
    ("309", "309 nodes"),
    ("-45", "-45"),
    ("-$45", "-$45"),
    ("-$45", "$-45"),
    ("-45", "−45"),
    ("-45", "the balance is negative 45"),
    ("45", "+45"),
    ("45", "- 45"),
    ("$309", "３０９ dollars"),
    ("5", "it was 5."),
    ("5", "it was 5, then 6"),
    ("5", "All 5 may attend"),
    ("$250", "changed from $309 to $250"),
    ("$309", "changed from $309 to $250"),
    ("$309", "raised from $250 to $309"),
    ("250", "raised it from 250 to 309"),
    ("0427", "PIN 0427"),
    ("20 °C", "20 degrees"),
    ("20 °C", "20 degrees Celsius"),
    ("£50", "50 pounds"),
    ("2.5", "2.50"),
    ("0.5", ".5"),
]
NUMBERS_NOT_STATED = [
    ("5", "15"),
    ("5", "2.5"),
    ("2", "2.5"),
    ("5", "5%"),
    ("5", "5 percent"),
    ("5", "5:30"),
    ("30", "5:30"),
    ("5", "v5.1"),
    ("5", "v5"),
    ("5", "version 5"),
    ("5.1", "version 5.1"),
    ("5", "2026-05-01"),
    ("2026", "2026-05-01"),
    ("2026", "March 14, 2026"),
    ("2026", "March 2026"),
    ("14", "March 14"),
    ("5", "+1-555-5"),
    ("555", "+1-555-5"),
    ("1", "+1-555-5"),
    ("5", "QX-5"),
    ("482", "QX-482-5"),
    ("5", "QX-482-5"),
    ("2024", "lease_2024.pdf"),
    ("5", "/srv/5/data"),
    ("5", "5th"),
    ("2", "two-thirds"),
    ("1980", "in the 1980s"),
    ("5", "1,5"),
    ("5", "5/10"),
    ("5", "5 pm"),
    ("5", "abc5"),
    ("5", "5abc"),
    ("5", "twenty-five"),
    ("20", "twenty-five"),
    ("20", "twenty-first"),
    ("100", "one hundred and five"),
    ("1", "no one of them"),
    ("1", "this one is"),
    ("4827", "4827-A"),
    ("$309", "309 ms"),
    ("309 ms", "$309"),
    ("309 ms", "309 seconds"),
    ("7 nodes", "7 servers"),
    ("7 nodes", "$7"),
    ("7 nodes", "7 ms"),
    ("45 minutes", "45 nodes"),
    ("5 days", "5 more weeks"),
    ("$309", "€309"),
    ("20 °C", "20 degrees Fahrenheit"),
    ("45", "-45"),
    ("-45", "45"),
    ("45", "minus 45"),
    ("-45", "word-45"),
    ("-75", "50-75"),
    ("$50", "$50–$75"),
    ("$75", "$50–$75"),
    ("$50", "between 50 and 75 dollars"),
    ("50", "50 to 75"),
    ("5", "2-5 pm"),
    ("2", "2-5 pm"),
    ("52", "5²"),
    ("1500", "1.5 km"),
    ("100", "1,00"),
    ("10", "10.20 am"),
]


@pytest.mark.parametrize(("value", "sentence"), NUMBERS_STATED)
def test_number_is_stated(value: str, sentence: str) -> None:
    assert states(sentence, Value("number", value))


@pytest.mark.parametrize(("value", "sentence"), NUMBERS_NOT_STATED)
def test_number_is_not_stated(value: str, sentence: str) -> None:
    assert not states(sentence, Value("number", value))


OTHER_KINDS = [
    ("percent", "66.3%", "66.3 percent", True),
    ("percent", "66.3%", "66.30 %", True),
    ("percent", "66.3%", "a hit rate of 66.3", True),
    ("percent", "66%", "sixty-six per cent", True),
    ("percent", "66.3%", "66.3 ms", False),
    ("percent", "66%", "66 nodes", False),
    ("percent", "66.3%", "6.3%", False),
    ("percent", "66%", "66 percentage points", False),
    ("percent", "50%", "50–75%", False),
    ("range", "$50–$75", "$50 to $75", True),
    ("range", "$50–$75", "between 50 and 75 dollars", True),
    ("range", "$50–$75", "50-75", True),
    ("range", "$50–$75", "$50 - $75", True),
    ("range", "$50–$75", "from 50 to 75", True),
    ("range", "50 to 75", "fifty to seventy-five", True),
    ("range", "$50–$75", "50", False),
    ("range", "$50–$75", "$50 and $75", False),
    ("range", "$50–$75", "50-75 ms", False),
    ("range", "$50–$75", "50-750", False),
    ("range", "$50–$75", "raised from 50 to 75", False),
    ("range", "50 to 75", "50-75-90", False),
    ("date", "March 14", "the 14th of March", True),
    ("date", "March 14", "Mar 14th", True),
    ("date", "March 14", "14 March 2026", True),
    ("date", "March 14", "2026-03-14", True),
    ("date", "March 14", "at 2026-03-14T10:20:00Z", True),
    ("date", "2026-03-14", "March 14", True),
    ("date", "2026-03-14", "March 14, 2026.", True),
    ("date", "March 14, 2026", "3/14/2026", True),
    ("date", "2026-03-14", "March 14, 2025", False),
    ("date", "March 14", "March 15", False),
    ("date", "March 14", "March 140", False),
    ("date", "March 14", "May 14", False),
    ("date", "March 4", "March 14", False),
    ("date", "March 14", "March 14-16", False),
    ("date", "March 4", "3/4/2026", True),
    ("date", "April 3", "3/4/2026", True),
    ("date", "May 5", "All 5 may attend", False),
    ("date", "May 5", "on 5 May we met", True),
    ("clock", "10:20", "10:20 AM", True),
    ("clock", "10:20 AM", "at 10:20", True),
    ("clock", "10:20", "10:20 a.m. sharp", True),
    ("clock", "14:00", "2 pm", True),
    ("clock", "14:00", "2:00 PM", True),
    ("clock", "2 pm", "14:00", True),
    ("clock", "2 pm", "2pm", True),
    ("clock", "4 pm", "2-4 pm", True),
    ("clock", "12:00", "at noon", True),
    ("clock", "00:30", "12:30 am", True),
    ("clock", "10:20", "2026-03-14T10:20:00Z", True),
    ("clock", "14:00", "2:00", False),
    ("clock", "10:20", "10.20 am", True),
    ("clock", "10:20", "10:20 PM", False),
    ("clock", "10:20", "110:20", False),
    ("clock", "10:20", "10:205", False),
    ("clock", "10:20", "10:21", False),
    ("version", "2.3.1", "v2.3.1", True),
    ("version", "v2.3", "version 2.3", True),
    ("version", "v2.3", "runs 2.3 now", True),
    ("version", "2.3.1", "upgraded to 2.3.1.", True),
    ("version", "2.3.1", "redis==2.3.1", True),
    ("version", "v3", "version 3", True),
    ("version", "2.3.1", "12.3.1", False),
    ("version", "2.3.1", "2.3.10", False),
    ("version", "2.3.1", "2.3.1.4", False),
    ("version", "2.3.1", "2.3.1-rc1", False),
    ("version", "2.3", "$2.3", False),
    ("version", "2.3", "2.3%", False),
    ("version", "2.3", "2.3 ms", False),
    ("version", "2.3", "2.3.1", False),
    ("name", "Bella Notte", "we love bella notte!", True),
    ("name", "Bella Notte", "Bella-Notte", True),
    ("name", "Bella Notte", "BELLA\nNOTTE", True),
    ("name", "Bella Notte", "Bella Notte's menu", True),
    ("name", "Bella Notte", "Bella Notte’s menu", True),
    ("name", "Bella Notte", "Bella Notte Express", True),
    ("name", "Dr. Rivera", "Dr Rivera", True),
    ("name", "Dr Rivera", "Dr. Rivera", True),
    ("name", "Zoë", "Zoe", True),
    ("name", "Zoe", "Zoe\u0308", True),
    ("name", "O'Brien", "O’Brien", True),
    ("name", "Trader Joe's", "at Trader Joe’s", True),
    ("name", "Ben & Jerry's", "Ben and Jerry's", True),
    ("name", "QX-482", "the qx-482", True),
    ("name", "QX-482", "the QX 482", True),
    ("name", "lease_2024.pdf", "see docs/lease_2024.pdf.", True),
    ("name", "C++", "in C++ we", True),
    ("name", "src/app/main.py", "in src/app/main.py:", True),
    ("name", "src/app/main.py", "src app main.py", False),
    ("name", "Smith", "Smyth", False),
    ("name", "Ann", "Anna", False),
    ("name", "Ann", "Joann", False),
    ("name", "Brien", "O'Brien", False),
    ("name", "C", "in C++ we", False),
    ("name", "QX-482", "QX-4820", False),
    ("name", "QX-482", "QX-482-B", False),
    ("name", "config_v2.yaml", "config_v2.yaml.bak", False),
    ("name", "config_v2.yaml", "my_config_v2.yaml", False),
    ("name", "config_v2.yaml", "old-config_v2.yaml", False),
    ("name", "Bella Notte", "Bella, or Notte", False),
    ("set", "Netflix; Spotify", "Spotify and Netflix", True),
    ("set", "Netflix; Spotify", "only Netflix", False),
]


@pytest.mark.parametrize(("kind", "value", "sentence", "expected"), OTHER_KINDS)
def test_other_kinds(kind: str, value: str, sentence: str, expected: bool) -> None:
    assert states(sentence, Value(kind, value)) is expected


@pytest.mark.parametrize(
    ("kind", "value"),
    [("colour", "red"), ("number", "abc"), ("date", "someday"), ("name", "?!"), ("set", " ; ")],
)
def test_unreadable_values_are_errors(kind: str, value: str) -> None:
    with pytest.raises(
        ValueError, match=re.escape(value.strip()) if kind != "colour" else "unknown kind"
    ):
        states("any text", Value(kind, value))


def test_unknown_kind_of_keys_is_an_error() -> None:
    with pytest.raises(ValueError, match="unknown kind"):
        keys("x", "colour")


def test_find_gives_spans_of_the_original_text() -> None:
    sentence = "ﬃ Zoe\u0308’s café pays “$1,000” and 1000"
    assert [sentence[a:b] for a, b in find(sentence, Value("name", "Zoë"))] == ["Zoe\u0308’s"]
    assert [sentence[a:b] for a, b in find(sentence, Value("number", "$1,000"))] == [
        "$1,000",
        "1000",
    ]
    assert [sentence[a:b] for a, b in find(sentence, Value("set", "cafe; zoe"))] == [
        "Zoe\u0308’s",
        "café",
    ]
    assert find(sentence, Value("set", "cafe; bar")) == []
    assert find("", Value("number", "1")) == []


def test_find_takes_the_whole_of_a_range() -> None:
    sentence = "Gifts between $50 and $75 are fine"
    assert [sentence[a:b] for a, b in find(sentence, Value("range", "$50–$75"))] == [
        "between $50 and $75"
    ]


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("number", "$1,000.00", "1000"),
        ("number", "2.50", "2.5"),
        ("number", "-45", "-45"),
        ("percent", "66.3%", "66.3"),
        ("range", "$50–$75", "50..75"),
        ("date", "March 14, 2026", "03-14"),
        ("clock", "2 pm", "14:00"),
        ("version", "v2.3", "2.3"),
        ("name", "Dr. Rivera's", "dr rivera"),
        ("name", "QX-482", "qx 482"),
        ("name", "one two three four five six", "one two three four five"),
        ("set", "a; b", None),
    ],
)
def test_keys_of_values(kind: str, value: str, expected: str | None) -> None:
    assert key(Value(kind, value)) == expected
    if expected is not None:
        assert expected in keys(f"we say {value} here", kind)


def test_keys_of_a_text() -> None:
    line = "Paid $1,000 at 10:20 on March 14 for v2.3.1, 50-75 ms, 66.3%"
    assert keys(line, "number") == {"1000", "100000"}  # in dollars and in cents
    assert keys(line, "clock") == {"10:20"}
    assert keys(line, "date") == {"03-14"}
    assert keys(line, "version") == {"2.3.1"}
    assert keys(line, "range") == {"50..75"}
    assert "66.3" in keys(line, "percent")
    assert keys("Bella Notte", "name") == {"bella", "notte", "bella notte"}
    assert keys("a; b", "set") == set()


def test_numbers() -> None:
    line = "From -$45 to 5-10 ms, 50% of seven nodes; not v2.3, QX-5, 10:20, 2026-03-14"
    assert numbers(line) == [
        Quantity(-45.0, "usd", 5, 9, False),
        Quantity(5.0, None, 13, 14, True),
        Quantity(10.0, "ms", 15, 20, True),
        Quantity(50.0, "percent", 22, 25, False),
        Quantity(7.0, None, 29, 34, False),
    ]
