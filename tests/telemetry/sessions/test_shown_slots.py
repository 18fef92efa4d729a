"""Values that displays show: under the same names as JSON, as indented lines and as a table."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agingbench.telemetry.sessions.shown_slots import MOST_SLOTS, MOST_TEXT, shown_slots, words_of

SERVICES = {
    "api": {"port": "30803", "image_tag": "8.61.31-1bed7"},
    "mail": {"port": "22815", "image_tag": "5.78.18-44d88"},
}
SLOTS = [((name, key), value) for name, own in SERVICES.items() for key, value in own.items()]
YAML = "\n".join(
    [
        f"{name}:\n" + "\n".join(f"  {k}: {v}" for k, v in own.items())
        for name, own in SERVICES.items()
    ]
)
TABLE = "SERVICE    port    image_tag\n" + "\n".join(
    f"{name:<11}{own['port']:<8}{own['image_tag']}" for name, own in SERVICES.items()
)
MARKDOWN = "| SERVICE | port | image_tag |\n|---|---|---|\n" + "\n".join(
    f"| {name} | {own['port']} | {own['image_tag']} |" for name, own in SERVICES.items()
)
NUMBERED = "\n".join(f"{n:6d}\t{line}" for n, line in enumerate(YAML.splitlines(), 1))


@pytest.mark.parametrize("text", [json.dumps(SERVICES), YAML, TABLE, MARKDOWN, NUMBERED])
def test_every_kind_of_display_says_the_same(text: str) -> None:
    assert shown_slots(text) == SLOTS


def test_an_object_of_a_list_goes_by_its_first_text() -> None:
    listed = [{"service": name, **own} for name, own in SERVICES.items()]
    assert shown_slots(json.dumps(listed)) == SLOTS


def test_assignments_and_numbers_count_words_and_sentences_do_not() -> None:
    text = "PORT=8080\nname: api\nnote: 3 tries were made\nlimit: 12.5"
    assert shown_slots(text) == [(("PORT",), "8080"), (("limit",), "12.5")]


def test_a_table_ends_where_a_line_has_other_columns() -> None:
    text = f"{TABLE}\n3 services, 2 of them\nweb  80"
    assert shown_slots(text) == SLOTS


@pytest.mark.parametrize("text", ["", "{", "[1, 2", "\n\n", "x" * (MOST_TEXT + 1), "[" * 5_000])
def test_what_is_no_display_shows_nothing(text: str) -> None:
    assert shown_slots(text) == []


@given(st.text(alphabet=' \t\n:=|-ab19{}[],"', max_size=400))
def test_no_text_breaks_it(text: str) -> None:
    for names, value in shown_slots(text):
        assert names
        assert any(map(str.isdigit, value))


def test_no_more_is_taken_from_one_display_than_fits() -> None:
    assert len(shown_slots("\n".join(f"key_{n}: {n}" for n in range(10, 400)))) == MOST_SLOTS


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (("DB_HOST",), ("db", "host")),
        (("dbHost",), ("db", "host")),
        (("db.host",), ("db", "host")),
        (("db", "Host"), ("db", "host")),
        (("APIPort",), ("api", "port")),
        (("k8s-ctx",), ("k8s", "ctx")),
        (("Größe 2",), ("größe", "2")),
        (("__",), ("__",)),
    ],
)
def test_names_say_the_same_however_their_words_are_joined(
    names: tuple[str, ...], words: tuple[str, ...]
) -> None:
    assert words_of(names) == words
