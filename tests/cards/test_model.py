"""The card as types: nothing is lost in reading, and the schema they describe is the published one."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from msgspec import UNSET, UnsetType

from agingbench.cards.check import load_card, schema
from agingbench.cards.figures import NO_FIGURE, Figure, Section, document_of
from agingbench.cards.json_schema import card_schema
from agingbench.cards.model import Card, Headline, OwnMechanisms
from agingbench.metrics.intervals import MISSING, Estimate
from tests.cards.test_check import minimal, ours
from tests.places import EXAMPLES, ROOT, SHARED_DATA
from tests.sampling import one_in

OURS = sorted((EXAMPLES / "sample_cards").glob("*.json"))
OURS += sorted((ROOT / "tests" / "golden").rglob("aging_card.json"))
PUBLISHED_CARDS = SHARED_DATA / "sample_cards"

published = Draft202012Validator(schema())
generated = Draft202012Validator(card_schema())


def resumption_card() -> dict[str, Any]:
    """A card with the one block whose content the published schema prescribes."""
    block = {
        "consolidator": "structured",
        "budget": 2000,
        "tokenizer": "o200k_base",
        "agent": "embedded",
        "judge": "rules",
        "gate": "calibrated",
        "groups": {"all": {"quality": 0.5, "quality_ci": [0.1, 0.9], "quality_n": 7}},
        "kappa": [
            {
                "component": "continuation",
                "domain": "code",
                "kappa": "3/5",
                "value": 0.6,
                "value_ci": None,
                "value_n": 50,
                "weak": False,
            }
        ],
        "graders": {"human: a": 3},
        "statuses": {"scored": 7},
        "paraphrases": None,
    }
    return minimal() | {"card_kind": "resumption", "resumption": block}


# -- the schema


def resolved(node: Any, definitions: dict[str, Any]) -> Any:
    """A schema with its references written out, and the values of enums in one order."""
    if isinstance(node, list):
        return [resolved(part, definitions) for part in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return resolved(definitions[node["$ref"].removeprefix("#/$defs/")], definitions)
    parts = {key: resolved(part, definitions) for key, part in node.items() if key != "$defs"}
    if "enum" in parts:
        parts["enum"] = sorted(parts["enum"], key=str)
    return parts


def test_the_generated_schema_says_what_the_published_one_says() -> None:
    document = schema()
    assert resolved(card_schema(), {}) == resolved(document, document["$defs"])


def test_the_generated_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(card_schema())


@pytest.mark.parametrize("path", OURS, ids=lambda path: path.parent.name + "/" + path.name)
def test_our_cards_fit_both_schemas(path: Path) -> None:
    card = load_card(path)
    assert published.is_valid(card)
    assert generated.is_valid(card)


@pytest.mark.skipif(
    not PUBLISHED_CARDS.exists(),
    reason="the sample cards published with schema 1.0.0 are not at ../shared/data/sample_cards",
)
def test_the_published_cards_fit_both_schemas() -> None:
    for path in sorted(PUBLISHED_CARDS.glob("*.json")):
        card = load_card(path)
        assert published.is_valid(card)
        assert generated.is_valid(card)
        assert Card.read(card).document() == card


def places(node: Any, *path: str | int) -> list[tuple[str | int, ...]]:
    """The path of every value inside a document."""
    found: list[tuple[str | int, ...]] = [path] if path else []
    items: Any = ()
    if isinstance(node, dict):
        items = node.items()
    elif isinstance(node, list):
        items = enumerate(node)
    for key, part in items:
        found += places(part, *path, key)
    return found


CARDS = {"foreign": minimal(), "ours": ours(), "resumption": resumption_card()}
PLACES = [(name, place) for name, card in CARDS.items() for place in places(card)]
VALUES: list[Any] = [None, True, 0, -1, 1.5, 3.0, "", "x", [], [1], [0.1, 0.2], {}, {"a": 1}]
REMOVED = object()


def mutated(card: dict[str, Any], place: tuple[str | int, ...], value: Any) -> dict[str, Any]:
    """A copy of the card with one value replaced or taken out."""
    document = copy.deepcopy(card)
    inner: Any = document
    for key in place[:-1]:
        inner = inner[key]
    if value is REMOVED:
        del inner[place[-1]]
    else:
        inner[place[-1]] = value
    return document


@pytest.mark.parametrize("name", one_in(3, CARDS))
def test_both_schemas_judge_a_changed_card_alike(name: str) -> None:
    refused = 0
    for place in places(CARDS[name]):
        for value in [REMOVED, *VALUES]:
            document = mutated(CARDS[name], place, value)
            verdict = published.is_valid(document)
            assert generated.is_valid(document) == verdict, (place, value)
            refused += not verdict
    assert refused > 100


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@settings(deadline=None)
@given(st.sampled_from(PLACES), JSON)
def test_both_schemas_judge_anything_alike(
    target: tuple[str, tuple[str | int, ...]], value: Any
) -> None:
    name, place = target
    document = mutated(CARDS[name], place, value)
    assert generated.is_valid(document) == published.is_valid(document)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("headline", {"metric_name": "m", "m0_ci": [1]}),
        ("headline", {"metric_name": "m", "floor_n": -1}),
        ("headline", {"metric_name": "m", "changed_at_session": "4"}),
        ("mechanism_metrics", {"compression": {"any_ci": 1}}),
        ("track", "both"),
        ("tier", 0),
        ("records", {"used": -1}),
        ("diagnosis", {"stage": 1}),
        ("content_hash", "abc"),
        ("links", {"anything": 1}),
    ],
)
def test_both_schemas_refuse(key: str, value: Any) -> None:
    document = minimal() | {key: value}
    assert not published.is_valid(document)
    assert not generated.is_valid(document)


@pytest.mark.parametrize("step", [{}, {"changed_at_session": None}, {"changed_at_session": 4}])
def test_a_headline_may_say_at_which_session_an_agent_changed_at_once(step: dict[str, Any]) -> None:
    document = minimal() | {"headline": {"metric_name": "m", **step}}
    assert published.is_valid(document)
    assert generated.is_valid(document)
    assert Card.read(document).document()["headline"].items() >= step.items()


# -- reading and writing


@pytest.mark.parametrize("path", OURS, ids=lambda path: path.parent.name + "/" + path.name)
def test_reading_a_card_loses_nothing(path: Path) -> None:
    card = load_card(path)
    assert json.loads(json.dumps(Card.read(card).document())) == card


def test_foreign_and_resumption_cards_are_read_whole() -> None:
    for document in CARDS.values():
        again = Card.read(document).document()
        canonical = dict.fromkeys(again["headline"])  # figures that it does not hold are null
        assert again == document | {"headline": canonical | document["headline"]}

    card = Card.read(minimal() | {"seed": 3.0, "something_new": {"a": 1}})
    assert (card.seed, type(card.seed)) == (3, int)
    assert card.others == {"something_new": {"a": 1}}


def test_what_does_not_fit_is_not_read() -> None:
    with pytest.raises(msgspec.ValidationError, match="headline"):
        Card.read(minimal() | {"headline": {"metric_name": "m", "m0": "high"}})


def test_a_figure_is_written_as_value_interval_and_n() -> None:
    headline = Headline(metric_name="recall", m0=Figure.of(Estimate(0.5, 0.4, 0.6, 9)))
    document = headline.document()
    assert (document["m0"], document["m0_ci"], document["m0_n"]) == (0.5, [0.4, 0.6], 9)
    assert document["m_final"] is None
    assert "m_final_n" not in document
    assert "floor" not in document
    assert Headline.read(document) == headline


def test_a_figure_without_an_interval_says_so_or_stays_silent() -> None:
    assert document_of(Figure.of(MISSING)) == {"value": None, "ci": None, "n": 0}
    assert document_of(Figure(0.5, n=3)) == {"value": 0.5, "n": 3}
    assert (NO_FIGURE.interval, NO_FIGURE.count) == (None, 0)
    assert (Figure(1.0, (0.5, None), 4).interval, Figure(1.0, None, 4).count) == ((0.5, None), 4)


def test_figures_are_found_by_name_wherever_they_stand() -> None:
    headline = Headline.read(
        {"metric_name": "m", "m0": 0.9, "m0_n": 3, "time_average": 0.5, "time_average_ci": [0, 1]}
    )
    assert headline.figure("m0") == Figure(0.9, UNSET, 3)
    assert headline.figure("time_average") == Figure(0.5, (0, 1))
    assert headline.figure("floor") == headline.figure("metric_name") == NO_FIGURE


def test_fields_that_are_unset_are_not_written() -> None:
    class Inner(Section, frozen=True, kw_only=True):
        number: int | UnsetType = UNSET
        points: list[tuple[int, float]]

    section = Inner(points=[(1, 0.5)], others={"more": 1})
    assert section.document() == {"more": 1, "points": [[1, 0.5]]}
    assert document_of({"a": Inner(number=2, points=[])}) == {"a": {"number": 2, "points": []}}


def test_mechanisms_start_with_their_canonical_fields_as_null() -> None:
    document = OwnMechanisms().document()
    assert list(document) == ["compression", "interference", "revision", "maintenance"]
    assert {value for section in document.values() for value in section.values()} == {None}
