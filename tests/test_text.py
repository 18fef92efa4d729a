"""The one matcher: every reading rule by example, and the properties that hold for any text."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agingbench import text
from agingbench.text import Quantity, Value, find, key, keys, numbers, states, states_plainly

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
    ("427", "0427"),
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
    ("1000", "1 000"),
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
    ("date", "March 4", "3/4/2026", False),
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
    ("clock", "10:20", "10.20 am", False),
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
    ("kind", "value"), [("colour", "red"), ("number", "abc"), ("date", "someday"), ("name", "?!"), ("set", " ; ")]
)
def test_unreadable_values_are_errors(kind: str, value: str) -> None:
    with pytest.raises(ValueError, match=re.escape(value.strip()) if kind != "colour" else "unknown kind"):
        states("any text", Value(kind, value))


def test_unknown_kind_of_keys_is_an_error() -> None:
    with pytest.raises(ValueError, match="unknown kind"):
        keys("x", "colour")


PLAIN = [
    ("$250", "It is $250, formerly $309", True),
    ("$309", "It is $250, formerly $309", False),
    ("$250", "It is $250 (was $309)", True),
    ("$309", "It is $250 (was $309)", False),
    ("$250", "changed from $309 to $250", True),
    ("$309", "changed from $309 to $250", False),
    ("$309", "It was changed from $250 to $309.", True),
    ("$250", "It was changed from $250 to $309.", False),
    ("$250", "It was changed to $250", True),
    ("$250", "The budget dropped to $250", True),
    ("$309", "The budget dropped from $309 to $250", False),
    ("$250", "The budget dropped from $309 to $250", True),
    ("$250", "$250 instead of $309", True),
    ("$309", "$250 instead of $309", False),
    ("$250", "Instead of $309 it is now $250", True),
    ("$309", "The budget was $309", False),
    ("$309", "The budget was $309 and is now $250", False),
    ("$250", "The budget was $309 and is now $250", True),
    ("$309", "$309 is no longer valid", False),
    ("$309", "It is no longer $309 but $250", False),
    ("$250", "It is no longer $309 but $250", True),
    ("$309", "It is not $309 but $250", False),
    ("$250", "It is not $309 but $250", True),
    ("$309", "It isn't $309 anymore", False),
    ("$309", "$309 was replaced by $250", False),
    ("$250", "$309 was replaced by $250", True),
    ("$309", "$309, which was replaced by $250", False),
    ("$309", "$309 has been replaced with $250", False),
    ("$250", "$250 replaces $309", True),
    ("$309", "$250 replaces $309", False),
    ("$309", "We replaced $309 with $250", False),
    ("$250", "We replaced $309 with $250", True),
    ("$309", "The old budget of $309", False),
    ("$250", "$250 is lower than the old $309", True),
    ("$309", "$309 is the old budget", False),
    ("$309", "$309 (old)", False),
    ("$309", "Formerly, $309", False),
    ("$309", "$309 previously", False),
    ("$309", "It used to be $309", False),
    ("$250", "$250 instead of the cancelled $309", True),
    ("$309", "The budget is $309", True),
    ("$309", "Earlier it was $250. The budget is $309.", True),
    ("$309", "do not exceed $309", True),
    ("$309", "It was $309. It is $309.", True),
    ("$400", "It is $309", False),
    ("$250", "The old budget was $309 and the new one is $250", True),
    ("$309", "The old budget was $309 and the new one is $250", False),
    ("$250", "up to $250, up from $309", True),
    ("$309", "up to $250, up from $309", False),
]


@pytest.mark.parametrize(("value", "sentence", "expected"), PLAIN)
def test_plain_statements(value: str, sentence: str, expected: bool) -> None:
    assert states_plainly(sentence, Value("number", value)) is expected


PLAIN_NAMES = [
    ("name", "Old Mill", "We eat at the Old Mill", True),
    ("name", "Old Mill", "We eat at Nero rather than the Old Mill", False),
    ("name", "Netflix", "Netflix is now cancelled", False),
    ("name", "Netflix", "You cancelled Netflix but kept Spotify", False),
    ("name", "Spotify", "You cancelled Netflix but kept Spotify", True),
    ("name", "Nero", "All except Nero", False),
    ("name", "Nero", "The 12-year-old likes Nero", True),
    ("date", "March 14, 2026", "It is on March 14, 2026", True),
    ("clock", "10:20", "no earlier than 10:20", True),
    ("clock", "9:00", "moved to 10:20 from 9:00", False),
    ("clock", "10:20", "moved to 10:20 from 9:00", True),
    ("set", "Netflix; Spotify", "Netflix and Spotify", True),
    ("set", "Netflix; Spotify", "Spotify, formerly Netflix", False),
]


@pytest.mark.parametrize(("kind", "value", "sentence", "expected"), PLAIN_NAMES)
def test_plain_statements_of_other_kinds(kind: str, value: str, sentence: str, expected: bool) -> None:
    assert states_plainly(sentence, Value(kind, value)) is expected


def test_find_gives_spans_of_the_original_text() -> None:
    sentence = "ﬃ Zoe\u0308’s café pays “$1,000” and 1000"
    assert [sentence[a:b] for a, b in find(sentence, Value("name", "Zoë"))] == ["Zoe\u0308’s"]
    assert [sentence[a:b] for a, b in find(sentence, Value("number", "$1,000"))] == ["$1,000", "1000"]
    assert [sentence[a:b] for a, b in find(sentence, Value("set", "cafe; zoe"))] == ["Zoe\u0308’s", "café"]
    assert find(sentence, Value("set", "cafe; bar")) == []
    assert find("", Value("number", "1")) == []


def test_find_takes_the_whole_of_a_range() -> None:
    sentence = "Gifts between $50 and $75 are fine"
    assert [sentence[a:b] for a, b in find(sentence, Value("range", "$50–$75"))] == ["between $50 and $75"]


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
    assert keys(line, "number") == {"1000"}
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


# ---------------------------------------------------------------- words, sentences, refusals


def test_normalise_and_words() -> None:
    assert text.normalise("  “Zoë’s”  CAFÉ –\n x ") == '"zoe\'s" cafe - x'
    line = "Rivera's lease_2024.pdf costs $1,000 at 10:20, 66.3% of twenty-five"
    assert text.words(line) == [
        "rivera",
        "lease_2024.pdf",
        "costs",
        "1000",
        "at",
        "10:20",
        "66.3",
        "of",
        "twenty",
        "five",
    ]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("budgets", "budget"),
        ("subscriptions", "subscription"),
        ("restaurants", "restaurant"),
        ("batches", "batch"),
        ("queries", "query"),
        ("dining", "dining"),
        ("planned", "plan"),
        ("reported", "report"),
        ("meetings", "meet"),
        ("class", "class"),
        ("bus", "bus"),
        ("used", "used"),
        ("string", "string"),
        ("gas", "gas"),
        ("", ""),
    ],
)
def test_stem(word: str, expected: str) -> None:
    assert text.stem(word) == expected


@pytest.mark.parametrize(
    ("given_text", "expected"),
    [
        ("It is $3.50. Ask Dr. Rivera.", ["It is $3.50.", "Ask Dr. Rivera."]),
        ("Use e.g. v2.3.1 now! Why? Ok", ["Use e.g. v2.3.1 now!", "Why?", "Ok"]),
        ("At 10 a.m. sharp. Be there", ["At 10 a.m. sharp.", "Be there"]),
        ("At 10 a.m. We start.", ["At 10 a.m.", "We start."]),
        ("The U.S. team met J. Smith.", ["The U.S. team met J. Smith."]),
        ("1. First\n2. Second", ["1. First", "2. Second"]),
        ("It is 309. The rest", ["It is 309.", "The rest"]),
        ("He said “Go.” Then left", ["He said “Go.”", "Then left"]),
        ("  \n ", []),
    ],
)
def test_sentences(given_text: str, expected: list[str]) -> None:
    assert text.sentences(given_text) == expected


def test_first_words_and_tokens() -> None:
    assert text.first_words("  one  two\nthree ", 2) == "one  two"
    assert text.first_words(" one two ", 9) == "one two"
    assert text.first_words("one", 0) == ""
    assert [text.count_tokens(t) for t in ("", "a", "abcd", "abcde")] == [0, 1, 1, 2]


@pytest.mark.parametrize(
    "reply",
    [
        "",
        " \n",
        "...",
        "I don't know.",
        "I don’t know",
        "I do not have that information.",
        "I don't have any information about your dining budget.",
        "It is not in my memory",
        "not in my memory",
        "No information available.",
        "I'm sorry, I can't help with that",
        "Sorry, but I don't recall.",
        "Unknown",
        "n/a",
        "None",
        "I have no record of that. I'm sorry.",
        "Unfortunately, I am unable to determine that.",
        "There is no information about it in my notes.",
        "**I'm not sure.**",
        "My notes do not mention it.",
        "No relevant information found.",
        "There's nothing in my memory about that.",
        "As an AI, I don't have access to that.",
    ],
)
def test_refusals(reply: str) -> None:
    assert text.is_blank_or_refusal(reply)


@pytest.mark.parametrize(
    "reply",
    [
        "$309",
        "Bella Notte",
        "I don't know, maybe Bella Notte",
        "I don't know for sure but Bella Notte",
        "I don't know. It could be 309.",
        "I'm not sure. Bella Notte.",
        "No, use Bella Notte",
        "Nero is available",
        "Yes",
    ],
)
def test_answers_are_no_refusals(reply: str) -> None:
    assert not text.is_blank_or_refusal(reply)


# ---------------------------------------------------------------- properties

_SPOKEN = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen"
)
_SMALL = _SPOKEN.split()
_TENS = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
FILLER = st.lists(
    st.sampled_from(["we", "paid", "the", "limit", "yesterday", "Rome", "blue", "for", "dinner"]), max_size=4
)


def spoken(n: int) -> str:
    if n < 20:
        return _SMALL[n]
    if n < 100:
        return _TENS[n // 10] + (f"-{_SMALL[n % 10]}" if n % 10 else "")
    if n < 1000:
        return f"{_SMALL[n // 100]} hundred" + (f" and {spoken(n % 100)}" if n % 100 else "")
    return f"{spoken(n // 1000)} thousand" + (f" {spoken(n % 1000)}" if n % 1000 else "")


def written(n: int) -> list[str]:
    return [str(n), f"{n:,}", f"${n}", f"${n:,}", f"{n:,}.00", f"${n}.00", f"{n} dollars", f"USD {n:,}", spoken(n)]


@settings(max_examples=150, deadline=None)
@given(st.integers(2, 999_999), st.integers(0, 8), st.integers(0, 8), FILLER, FILLER)
def test_any_way_of_writing_a_number(n: int, way: int, other: int, before: list[str], after: list[str]) -> None:
    sentence = " ".join([*before, written(n)[way], *after])
    assert states(sentence, Value("number", written(n)[other]))
    assert states(sentence, Value("number", str(n)))
    for neighbour in (n - 1, n + 1, n * 10, n * 10 + 7, int(f"1{n}")):
        assert not states(sentence, Value("number", written(neighbour)[0]))
        assert not states(sentence, Value("number", f"${neighbour:,}"))
    assert [q.value for q in numbers(sentence)] == [float(n)]


def any_value() -> st.SearchStrategy[Value]:
    n = st.integers(2, 99_999)
    words = st.sampled_from(
        ["Bella", "Notte", "Dr.", "Rivera", "QX-482", "Zoë", "O'Brien", "lease_2024.pdf", "Joe's", "&"]
    )
    name = st.lists(words, min_size=1, max_size=7).map(" ".join).filter(lambda s: s.strip("& ") != "")
    months = st.sampled_from(["January", "Feb", "March", "May", "Sept", "December"])
    units = st.sampled_from(["ms", "nodes", "minutes", "dollars", "worker nodes", "rps"])
    return st.one_of(
        st.builds(lambda v, w: Value("number", written(v)[w]), n, st.integers(0, 8)),
        st.builds(lambda v, u: Value("number", f"{v} {u}"), n, units),
        n.map(lambda v: Value("number", f"-{v}")),
        n.map(lambda v: Value("percent", f"{v / 10:.1f}%")),
        st.builds(lambda v, w: Value("range", f"${v}–${v + w}"), n, n),
        st.builds(lambda v, w: Value("range", f"{v} to {v + w} ms"), n, n),
        st.builds(lambda m, d: Value("date", f"{m} {d}"), months, st.integers(1, 28)),
        st.builds(lambda m, d: Value("date", f"2026-{m:02d}-{d:02d}"), st.integers(1, 12), st.integers(1, 28)),
        st.builds(lambda h, m: Value("clock", f"{h}:{m:02d}"), st.integers(0, 23), st.integers(0, 59)),
        st.integers(1, 12).map(lambda h: Value("clock", f"{h} pm")),
        st.lists(st.integers(0, 99), min_size=2, max_size=4).map(lambda p: Value("version", ".".join(map(str, p)))),
        name.map(lambda s: Value("name", s)),
    )


@settings(max_examples=300, deadline=None)
@given(any_value(), FILLER, FILLER, st.sampled_from(["", ".", ",", "!", ")", "\n"]))
def test_a_value_among_other_words_is_stated_and_found(
    value: Value, before: list[str], after: list[str], mark: str
) -> None:
    sentence = " ".join([*before, value.text + mark, *after])
    assert states(sentence, value)
    spans = find(sentence, value)
    assert spans
    assert all(states(sentence[a:b], value) for a, b in spans)
    assert key(value) in keys(sentence, value.kind)


@settings(max_examples=300, deadline=None)
@given(any_value(), any_value(), st.text(alphabet="0159 ,.-–—$%:/'’sa&\n", max_size=12))
def test_find_and_keys_agree_with_states(value: Value, other: Value, noise: str) -> None:
    for sentence in (other.text + noise + value.text, value.text + noise, noise + value.text + noise, noise):
        spans = find(sentence, value)
        assert bool(spans) == states(sentence, value)
        assert spans == [] or key(value) in keys(sentence, value.kind)
        assert all(0 <= a < b <= len(sentence) for a, b in spans)
        assert not (states_plainly(sentence, value) and not spans)


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=60), any_value())
def test_nothing_raises_on_any_text(anything: str, value: Value) -> None:
    for question in (anything, f"{anything} {value.text}", f"{value.text}{anything}"):
        assert states(question, value) == bool(find(question, value))
        states_plainly(question, value)
        keys(question, value.kind)
        assert all(0 <= q.start < q.end <= len(question) for q in numbers(question))
        text.is_blank_or_refusal(question)
        assert text.normalise(text.normalise(question)) == text.normalise(question)
        assert all(text.stem(word) for word in text.words(question))


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(max_size=80), st.text(alphabet="aD r.!?\n1U$\"'", max_size=80)), st.integers(0, 9))
def test_sentences_and_first_words_lose_nothing(anything: str, n: int) -> None:
    assert "".join("".join(text.sentences(anything)).split()) == "".join(anything.split())
    assert text.first_words(anything, n).split() == anything.split()[:n]


@pytest.mark.parametrize(
    "unit",
    ["1,", " ", "(", "1", "1.", "-1", "one ", "a.", "march ", "5-", "was ", "'s", "1:", "\n", "\xa0", "$", "é", "not "],
)
def test_huge_texts_are_read_in_one_go(unit: str) -> None:
    huge = unit * 20_000
    for value in (Value("number", "777"), Value("name", "Bella Notte"), Value("date", "March 14")):
        assert not states(huge, value)
        assert not states_plainly(huge, value)
    assert len("".join(text.sentences(huge)).split()) <= len(huge)
    assert not states_plainly(f"was 777 {unit}, " * 2_000, Value("number", "777"))
    assert text.is_blank_or_refusal(huge) == (re.search(r"\w", huge) is None)
