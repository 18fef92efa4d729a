"""From a name to a model: every way to write one, and what is said when it is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from agingbench.errors import InputError, UnknownName
from agingbench.interfaces import Model
from agingbench.models import MODELS
from agingbench.models.anthropic_messages import AnthropicMessages
from agingbench.models.build import build_model
from agingbench.models.openai_chat import OpenAIChat
from agingbench.models.scripted import Scripted
from agingbench.records import Message, Reply, Tool

HERE = __name__


class Own:
    """A user's model."""

    name = "own"

    def __init__(self, size: int, colour: str = "red") -> None:
        self.size = size
        self.colour = colour

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        max_tokens: int = 1024,
        seed: int | None = None,
    ) -> Reply:
        return Reply(self.colour)


class Open(Own):
    """Takes any option."""

    def __init__(self, **options: Any) -> None:
        self.options = options


class Breaks(Own):
    """Cannot be built."""

    def __init__(self) -> None:
        raise RuntimeError("no weights")


class NoModel:
    """Has no complete method."""


READY = Own(3)
NUMBER = 3


def test_the_table() -> None:
    assert {"extractive", "scripted", "openai", "anthropic"} <= set(MODELS.names())


def test_the_model_without_a_provider_answers() -> None:
    model = build_model("extractive")
    assert isinstance(model, Model)
    assert isinstance(model.complete([Message("user", "Where is the key?")]), Reply)


def test_providers_take_the_rest_as_model_id() -> None:
    openai = build_model("openai:gpt-4o-mini", api_key="k", temperature=0.5)
    assert isinstance(openai, OpenAIChat)
    assert (openai.name, openai.model_id, openai.temperature) == (
        "openai:gpt-4o-mini",
        "gpt-4o-mini",
        0.5,
    )
    assert (
        build_model("openai:llama3.2:3b", base_url="http://127.0.0.1:1/v1").name
        == "openai:llama3.2:3b"
    )
    assert isinstance(build_model("anthropic:claude-haiku-4-5", api_key="k"), AnthropicMessages)


@pytest.mark.parametrize("spec", ["openai", "openai:", "anthropic"])
def test_a_provider_without_id_says_the_form(spec: str) -> None:
    with pytest.raises(InputError, match=f"{spec.rstrip(':')}:MODEL_ID"):
        build_model(spec, api_key="k")


def test_a_model_without_ids_takes_none() -> None:
    with pytest.raises(InputError, match="'scripted' takes no model id"):
        build_model("scripted:gpt-4o")


def test_scripted() -> None:
    assert isinstance(build_model("scripted", replies=["a"]), Scripted)
    with pytest.raises(InputError, match="is for tests; give replies from Python"):
        build_model("scripted")


@pytest.mark.parametrize(
    ("spec", "meant"),
    [("extractiv", "extractive"), ("opnai:gpt-4o", "openai"), ("antropic:claude", "anthropic")],
)
def test_a_misspelt_name_is_answered_with_the_nearest(spec: str, meant: str) -> None:
    with pytest.raises(UnknownName) as caught:
        build_model(spec)
    assert meant in caught.value.suggestions


@pytest.mark.parametrize(
    "spec", ["", "zzz", ":", "zzz:", "zzz:Class", "agingbench.nowhere:Class", f"{HERE}:Gone"]
)
def test_a_name_that_is_nothing_is_wrong_input(spec: str) -> None:
    with pytest.raises(InputError):
        build_model(spec)


def test_a_class_of_ones_own() -> None:
    own = build_model(f"{HERE}:Own", size=4)
    assert isinstance(own, Own)
    assert (own.size, own.colour) == (4, "red")
    free = build_model(f"{HERE}:Open", anything=1, model_id="x")
    assert isinstance(free, Open)
    assert free.options == {"anything": 1, "model_id": "x"}
    ready: object = build_model(f"{HERE}:READY")
    assert ready is READY


@pytest.mark.parametrize(
    ("spec", "options", "told"),
    [
        (
            f"{HERE}:Own",
            {"size": 1, "color": "blue"},
            f"option of model {HERE}:Own 'color'; did you mean colour",
        ),
        (
            f"{HERE}:Own",
            {"size": 1, "q": 1},
            f"option of model {HERE}:Own 'q'; known: colour, size",
        ),
        (f"{HERE}:Own", {}, "needs the option size"),
        (f"{HERE}:Breaks", {}, "building it failed with RuntimeError: no weights"),
        (f"{HERE}:Breaks", {"q": 1}, f"option of model {HERE}:Breaks 'q'; known: none"),
        (
            f"{HERE}:NoModel",
            {},
            "lacks complete(messages: Sequence[Message], tools: Sequence[Tool] = (),",
        ),
        (f"{HERE}:NUMBER", {}, "is not a class"),
        (
            "openai:m",
            {"temprature": 1},
            "option of model openai:m 'temprature'; did you mean temperature",
        ),
        ("openai:m", {"model_id": "n"}, "leave the option 'model_id' out"),
    ],
)
def test_wrong_options_are_told(spec: str, options: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError) as caught:
        build_model(spec, **options)
    assert told in str(caught.value)
