"""The policies that summarise the whole log anew, and that keep one short summary per session."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agingbench.errors import ContextOverflow, InputError, TransportError
from agingbench.memory.build import build_memory
from agingbench.memory.growing_history import GrowingHistory
from agingbench.memory.lossy_episodic import LossyEpisodic
from agingbench.memory.prompts import compaction_prompt, prompt_hash
from agingbench.models.extractive import Extractive
from agingbench.models.scripted import Scripted
from agingbench.records import Message, Unit
from tests.examples import examples
from tests.memory.test_policies import echo, said

WORDS = st.text(alphabet="abcdefg .\n", min_size=1, max_size=40)


def text_of(messages: Sequence[Message]) -> str:
    return echo(messages, None)


def short_sighted(most: int) -> Scripted:
    """A model that repeats what it is given, and takes no text of more than so many words."""

    def reply(messages: Sequence[Message], tools: object) -> str:
        text = text_of(messages)
        if len(text.split()) > most:
            raise ContextOverflow("too long")
        return text

    return Scripted(reply)


# -- growing_history


def test_the_whole_log_is_condensed_anew_at_each_write() -> None:
    model = Scripted(["one", "two"])
    memory = GrowingHistory(model, "careful", 55)
    memory.write(said("The kettle is blue."))
    memory.write(said("The cat is grey."))
    first, second = (call.messages[0].content for call in model.calls)
    assert "at most 55 words" in first
    assert "<text>\nThe kettle is blue.\n\nThe cat is grey.\n</text>" in second
    assert "one" not in second.partition("<text>")[2], "no summary of a summary"
    assert memory.read("anything") == "two"
    assert memory.units() is None
    assert memory.dump()["log"] == ["The kettle is blue.", "The cat is grey."]
    assert memory.prompt_hashes == {"compaction": prompt_hash(compaction_prompt("careful"))}


def test_what_one_summary_left_out_the_next_may_take_up() -> None:
    replies = iter(["the cat", "the kettle and the cat"])
    memory = GrowingHistory(Scripted(lambda messages, tools: next(replies)))
    memory.write(said("The kettle is blue. The cat is grey."))
    assert "kettle" not in memory.read("")
    memory.write(said("Nothing new."))
    assert "kettle" in memory.read("")


@pytest.mark.parametrize("words", [1, 7, 300])
@pytest.mark.parametrize("policy", [GrowingHistory, LossyEpisodic])
def test_the_budget_holds_whatever_the_model_says(policy: Any, words: int) -> None:
    memory = policy(Scripted(["kettle " * 900]), words=words)
    memory.write(said("Be brief."))
    assert len(memory.read("kettle").split()) == words


def test_a_log_that_no_longer_fits_is_folded_into_the_summary_and_counted() -> None:
    model = short_sighted(8)
    memory = GrowingHistory(model, words=4)
    memory.write(said("one two three four five"))
    assert (memory.read(""), memory.folded) == ("one two three four", 0)
    memory.write(said("six seven eight nine"))
    assert [text_of(call.messages) for call in model.calls[1:]] == [
        "one two three four five\n\nsix seven eight nine",
        "one two three four\n\nsix seven eight nine",
    ]
    assert (memory.read(""), memory.folded) == ("one two three four", 1)
    assert memory.log == ["one two three four five", "six seven eight nine"], "the log stays whole"
    assert memory.dump()["folded"] == 1


def test_a_session_that_does_not_fit_alone_is_an_error_and_leaves_the_memory_as_it_was() -> None:
    memory = GrowingHistory(short_sighted(3))
    with pytest.raises(ContextOverflow):
        memory.write(said("one two three four"))
    assert memory.dump()["log"] == []
    assert (memory.read(""), memory.folded) == ("", 0)
    memory.write(said("one two"))
    before = memory.dump()
    with pytest.raises(ContextOverflow):
        memory.write(said("three four five six"))
    assert memory.dump() == before


def test_a_broken_call_leaves_the_memory_as_it_was() -> None:
    for memory in (
        GrowingHistory(Scripted(["one", TransportError("gone")])),
        LossyEpisodic(Scripted(["one", TransportError("gone")])),
    ):
        memory.write(said("The kettle."))
        before = memory.dump()
        with pytest.raises(TransportError):
            memory.write(said("The cat."))
        assert memory.dump() == before


def test_after_an_event_a_log_too_long_is_folded_from_its_start() -> None:
    model = short_sighted(6)
    memory = GrowingHistory(model, words=3)
    for text in ("a1 a2 a3 a4. a5.", "b1 b2.", "c1 c2.", "d1 d2."):
        memory.write(said(text))
    assert memory.folded == 3
    calls = len(model.calls)
    memory.apply("partial_reset", ratio=0.2)  # the first of five sentences
    assert memory.log == ["a5.", "b1 b2.", "c1 c2.", "d1 d2."]
    asked = [text_of(call.messages) for call in model.calls[calls:]]
    assert asked == [
        "a5.\n\nb1 b2.\n\nc1 c2.\n\nd1 d2.",
        "a5.",
        "a5.\n\nb1 b2.",
        "a5.\n\nb1 b2.\n\nc1 c2.",
        "a5.\n\nb1 b2.\n\nd1 d2.",
    ]
    assert memory.folded == 4
    assert "a1" not in memory.read("")


def test_a_session_without_words_is_not_kept() -> None:
    for memory in (GrowingHistory(Scripted([])), LossyEpisodic(Scripted([]))):
        memory.write([])
        memory.write(said("", " \n"))
        assert not memory.read("anything")
        assert not memory.units()


@settings(max_examples=examples(40), deadline=None)
@given(st.lists(WORDS, max_size=5), st.integers(1, 12), st.integers(4, 40))
def test_the_log_is_whole_and_the_summary_in_budget_whether_it_fits_or_not(
    sessions: list[str], words: int, most: int
) -> None:
    memory = GrowingHistory(short_sighted(most), words=words)
    kept = []
    for session in sessions:
        try:
            memory.write(said(session))
        except ContextOverflow:
            assert len(session.split()) + words > most
            continue
        kept += [session] if session.strip() else []
    assert memory.log == kept
    assert len(memory.read("").split()) <= words


# -- lossy_episodic


def test_every_session_is_condensed_once_and_by_itself() -> None:
    model = Scripted(["kettle blue", "cat grey"])
    memory = LossyEpisodic(model, "careful")
    memory.write(said("The kettle is blue."))
    memory.write(said("The cat is grey."))
    assert [text_of(call.messages) for call in model.calls] == [
        "The kettle is blue.",
        "The cat is grey.",
    ]
    assert "at most 60 words" in model.calls[0].messages[0].content
    assert memory.units() == [Unit("0", "kettle blue"), Unit("1", "cat grey")]
    assert memory.prompt_hashes == {"compaction": prompt_hash(compaction_prompt("careful"))}


def test_the_k_best_summaries_for_the_query_are_read_in_their_order() -> None:
    memory = LossyEpisodic(Scripted(echo), k=2)
    for text in (
        "The pantry code is quixotic.",
        "The weather is mild.",
        "The cellar code is humdrum.",
        "More weather.",
    ):
        memory.write(said(text))
    assert (
        memory.read("code of the cellar")
        == "The pantry code is quixotic.\n\nThe cellar code is humdrum."
    )
    assert memory.read("zebra") == ""
    memory.configure(k=1)
    assert memory.read("code of the cellar") == "The cellar code is humdrum."


def test_an_empty_summary_is_no_unit() -> None:
    memory = LossyEpisodic(Scripted(["", "something"]))
    memory.write(said("First."))
    memory.write(said("Second."))
    assert memory.units() == [Unit("0", "something")]


def test_nobody_else_holds_the_lists_of_a_memory() -> None:
    for name, key in (("growing_history", "log"), ("lossy_episodic", "episodes")):
        memory: Any = build_memory(name, Scripted(echo))
        memory.write(said("First."))
        state = memory.dump()
        state[key].append("forged")
        assert "forged" not in json.dumps(memory.dump())
        twin: Any = build_memory(name, Scripted(echo))
        twin.load(state)
        state[key].append("once more")
        assert "once more" not in json.dumps(twin.dump())


@pytest.mark.parametrize(
    ("name", "options", "told"),
    [
        ("growing_history", {"words": 0}, "words must be a whole number"),
        ("growing_history", {"k": 3}, "'k'; known: prompt, words"),
        ("growing_history", {"prompt": "carful"}, "did you mean careful"),
        ("lossy_episodic", {"k": 0}, "k must be a whole number"),
        ("lossy_episodic", {"words": 2.5}, "words must be a whole number"),
        ("lossy_episodic", {"prompt": ""}, "compaction prompt"),
    ],
)
def test_wrong_options_are_refused(name: str, options: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=told):
        build_memory(name, Extractive(), **options)
