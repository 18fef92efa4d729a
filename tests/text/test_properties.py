"""What holds for any text: ways of writing, agreement of the questions, no exceptions, no blow-up."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agingbench.text import wording
from agingbench.text.matching import find, key, keys, numbers, states
from agingbench.text.plain import states_plainly
from agingbench.text.refusals import is_blank_or_refusal
from agingbench.text.values import Value

_SPOKEN = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen"
)
_SMALL = _SPOKEN.split()
_TENS = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
FILLER = st.lists(
    st.sampled_from(["we", "paid", "the", "limit", "yesterday", "Rome", "blue", "for", "dinner"]),
    max_size=4,
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
    return [
        str(n),
        f"{n:,}",
        f"${n}",
        f"${n:,}",
        f"{n:,}.00",
        f"${n}.00",
        f"{n} dollars",
        f"USD {n:,}",
        spoken(n),
    ]


@settings(deadline=None)
@given(st.integers(2, 999_999), st.integers(0, 8), st.integers(0, 8), FILLER, FILLER)
def test_any_way_of_writing_a_number(
    n: int, way: int, other: int, before: list[str], after: list[str]
) -> None:
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
        [
            "Bella",
            "Notte",
            "Dr.",
            "Rivera",
            "QX-482",
            "Zoë",
            "O'Brien",
            "lease_2024.pdf",
            "Joe's",
            "&",
        ]
    )
    name = (
        st.lists(words, min_size=1, max_size=7).map(" ".join).filter(lambda s: s.strip("& ") != "")
    )
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
        st.builds(
            lambda m, d: Value("date", f"2026-{m:02d}-{d:02d}"),
            st.integers(1, 12),
            st.integers(1, 28),
        ),
        st.builds(
            lambda h, m: Value("clock", f"{h}:{m:02d}"), st.integers(0, 23), st.integers(0, 59)
        ),
        st.integers(1, 12).map(lambda h: Value("clock", f"{h} pm")),
        st.lists(st.integers(0, 99), min_size=2, max_size=4).map(
            lambda p: Value("version", ".".join(map(str, p)))
        ),
        name.map(lambda s: Value("name", s)),
    )


@settings(deadline=None)
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


@settings(deadline=None)
@given(any_value(), any_value(), st.text(alphabet="0159 ,.-–—$%:/'’sa&\n", max_size=12))
def test_find_and_keys_agree_with_states(value: Value, other: Value, noise: str) -> None:
    for sentence in (
        other.text + noise + value.text,
        value.text + noise,
        noise + value.text + noise,
        noise,
    ):
        spans = find(sentence, value)
        assert bool(spans) == states(sentence, value)
        assert spans == [] or key(value) in keys(sentence, value.kind)
        assert all(0 <= a < b <= len(sentence) for a, b in spans)
        assert not (states_plainly(sentence, value) and not spans)


@settings(deadline=None)
@given(st.text(max_size=60), any_value())
def test_nothing_raises_on_any_text(anything: str, value: Value) -> None:
    for question in (anything, f"{anything} {value.text}", f"{value.text}{anything}"):
        assert states(question, value) == bool(find(question, value))
        states_plainly(question, value)
        keys(question, value.kind)
        assert all(0 <= q.start < q.end <= len(question) for q in numbers(question))
        is_blank_or_refusal(question)
        assert wording.normalise(wording.normalise(question)) == wording.normalise(question)
        assert all(wording.stem(word) for word in wording.words(question))


@settings(deadline=None)
@given(
    st.one_of(st.text(max_size=80), st.text(alphabet="aD r.!?\n1U$\"'", max_size=80)),
    st.integers(0, 9),
)
def test_sentences_and_first_words_lose_nothing(anything: str, n: int) -> None:
    assert "".join("".join(wording.sentences(anything)).split()) == "".join(anything.split())
    assert wording.first_words(anything, n).split() == anything.split()[:n]


@pytest.mark.parametrize(
    "unit",
    [
        "1,",
        " ",
        "(",
        "1",
        "1.",
        "-1",
        "one ",
        "a.",
        "march ",
        "5-",
        "was ",
        "'s",
        "1:",
        "\n",
        "\xa0",
        "$",
        "é",
        "not ",
    ],
)
def test_huge_texts_are_read_in_one_go(unit: str) -> None:
    huge = unit * 6_000
    for value in (Value("number", "777"), Value("name", "Bella Notte"), Value("date", "March 14")):
        assert not states(huge, value)
        assert not states_plainly(huge, value)
    assert len("".join(wording.sentences(huge)).split()) <= len(huge)
    assert not states_plainly(f"was 777 {unit}, " * 800, Value("number", "777"))
    assert not states_plainly(f"was 777 {unit} " * 800, Value("number", "777"))
    assert is_blank_or_refusal(huge) == (re.search(r"\w", huge) is None)
