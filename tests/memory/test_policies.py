"""Every built-in policy: budgets, events, round trips through JSON, and copies that do not touch
each other.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agingbench.errors import InputError, UnknownName
from agingbench.interfaces import Memory
from agingbench.memory import ALIAS_OPTIONS, MEMORY
from agingbench.memory.anthropic_memory import INSTRUCTIONS
from agingbench.memory.append_only import AppendOnly
from agingbench.memory.build import build_memory
from agingbench.memory.no_memory import NoMemory
from agingbench.memory.policy import cut_words, session_text
from agingbench.memory.prompts import COMPACTION, compaction_prompt, prompt_hash
from agingbench.memory.ranking import Bm25
from agingbench.memory.summarize_store import SummarizeStore
from agingbench.models.extractive import Extractive
from agingbench.models.scripted import Scripted
from agingbench.records import Event, Message
from tests.examples import examples

# Those around a product have tests of their own.
OWN = [name for name in MEMORY.names() if name not in MEMORY.extras and name != "mcp"]
POLICIES = [*OWN, *MEMORY.aliases]
TEXT = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=60)


def said(*texts: str, role: Any = "user") -> list[Event]:
    return [Event(step=i, role=role, content=text) for i, text in enumerate(texts)]


def echo(messages: Sequence[Message], tools: object) -> str:
    return messages[-1].content.partition("<text>")[2].rpartition("</text>")[0].strip()


def built(name: str) -> Any:
    return build_memory(name, Scripted(echo))


# -- what all policies share


@pytest.mark.parametrize("name", POLICIES)
def test_a_policy_is_a_memory_and_can_be_emptied(name: str) -> None:
    memory = built(name)
    assert isinstance(memory, Memory)
    memory.write(said("The locker code is 4471."))
    memory.apply("flush_history")
    instructions = INSTRUCTIONS if name == "anthropic_memory" else ""
    assert memory.read("locker code") == instructions
    assert not memory.units()


@pytest.mark.parametrize("name", POLICIES)
@settings(max_examples=examples(30), deadline=None)
@given(sessions=st.lists(st.lists(TEXT, max_size=3), max_size=4), query=TEXT)
def test_dump_and_load_give_the_same_memory(
    name: str, sessions: list[list[str]], query: str
) -> None:
    memory = built(name)
    twin = built(name)
    for texts in sessions:
        memory.write(said(*texts))
    state = json.loads(json.dumps(memory.dump()))
    twin.load(state)
    assert twin.dump() == memory.dump() == state
    assert twin.units() == memory.units()
    assert twin.read(query) == memory.read(query)
    for one in (memory, twin):
        one.write(said("One more thing about the blue kettle."))
    assert twin.dump() == memory.dump()
    assert twin.read("kettle") == memory.read("kettle")


@pytest.mark.parametrize("name", POLICIES)
def test_a_dump_is_of_its_moment(name: str) -> None:
    memory = built(name)
    memory.write(said("First."))
    state = memory.dump()
    before = json.dumps(state)
    memory.write(said("Second."))
    assert json.dumps(state) == before


@pytest.mark.parametrize("name", POLICIES)
@pytest.mark.parametrize("writer", ["original", "copy", "both"])
def test_copies_do_not_touch_each_other(name: str, writer: str) -> None:
    memory = built(name)
    memory.write(said("The kettle is blue."))
    twin = memory.copy()
    before = json.dumps(memory.dump())
    read = memory.read("kettle")
    if writer in ("copy", "both"):
        twin.write(said("The kettle turned green."))
        assert (json.dumps(memory.dump()), memory.read("kettle")) == (before, read)
    changed = json.dumps(twin.dump()), twin.read("kettle")
    if writer in ("original", "both"):
        memory.write(said("The kettle was sold."))
        assert (json.dumps(twin.dump()), twin.read("kettle")) == changed
    twin.apply("flush_history")
    assert name == "no_memory" or memory.read("kettle") != ""


@pytest.mark.parametrize("name", POLICIES)
def test_an_event_that_is_not_supported_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="does not support the lifecycle event 'schema_migration'"):
        built(name).apply("schema_migration")


def test_a_session_reads_as_what_was_said() -> None:
    events = [
        Event(step=0, role="user", content="Hello."),
        Event(step=1, role="tool_call", tool_name="look", arguments={}),
        Event(step=2, role="tool_result", stdout="secret output"),
        Event(step=3, role="assistant", content=""),
        Event(step=4, role="assistant", content="Done."),
        Event(step=5, role="meta", metadata={"unanswered": "refusal"}),
    ]
    assert session_text(events) == "Hello.\n\nAssistant: Done."


# -- building


def test_unknown_names_and_options_suggest_the_nearest() -> None:
    model = Extractive()
    with pytest.raises(UnknownName, match="did you mean append_only"):
        build_memory("append_onyl", model)
    with pytest.raises(
        UnknownName, match="option of memory policy summarize_store 'word'; did you mean words"
    ):
        build_memory("summarize_store", model, word=10)
    with pytest.raises(UnknownName, match="compaction prompt 'carefull'; did you mean careful"):
        build_memory("summarize_store", model, prompt="carefull")
    with pytest.raises(UnknownName, match="option of memory policy append_only 'words'; known: k"):
        build_memory("append_only", model, words=3)
    with pytest.raises(UnknownName, match="option of AppendOnly 'kk'; did you mean k"):
        build_memory("append_only", model).configure(kk=3)


@pytest.mark.parametrize("words", [0, -3, 2.5, "many", None, True, float("inf")])
def test_a_budget_must_be_a_count(words: Any) -> None:
    with pytest.raises(InputError, match="words"):
        build_memory("summarize_store", Extractive(), words=words)


@pytest.mark.parametrize("k", [0, 1.5, "5", None, True])
def test_k_must_be_a_count(k: Any) -> None:
    with pytest.raises(InputError, match="k"):
        build_memory("append_only", Extractive(), k=k)


def test_what_is_no_memory_is_refused() -> None:
    with pytest.raises(InputError, match="lacks read"):
        build_memory(f"{__name__}:NotOne", Extractive())


class NotOne:
    """Keeps nothing and cannot be asked."""


# -- summarize_store


@pytest.mark.parametrize("words", [1, 7, 300])
@pytest.mark.parametrize(
    "talk", ["word " * 5000, "two words\n" * 900, "one\n\n\n\n" * 999, "\u2028".join("ab" * 999)]
)
def test_the_budget_holds_whatever_the_model_says(words: int, talk: str) -> None:
    memory = SummarizeStore(Scripted([talk]), words=words)
    memory.write(said("Be brief."))
    assert 0 < len(memory.read("").split()) <= words


@settings(max_examples=examples(80), deadline=None)
@given(st.text(max_size=200), st.integers(1, 30))
def test_cutting_keeps_the_first_words(text: str, most: int) -> None:
    assert cut_words(text, most).split() == text.split()[:most]


def test_a_write_folds_the_old_summary_and_the_session_into_one() -> None:
    model = Scripted(["the first summary", "the second"])
    memory = SummarizeStore(model, "careful", 55)
    memory.write(said("The kettle is blue."))
    memory.write(said("The cat is grey."))
    first, second = (call.messages[0].content for call in model.calls)
    assert "at most 55 words" in first
    assert "The kettle is blue." in first
    assert "the first summary\n\nThe cat is grey." in second
    assert "kettle" not in second
    assert memory.read("anything") == "the second"
    assert memory.units() is None


def test_recompacting_runs_the_compaction_on_the_store_itself() -> None:
    model = Scripted(["a b c", "a b"])
    memory = SummarizeStore(model)
    memory.apply("recompact")
    assert model.calls == []  # an empty store has nothing to compact
    memory.write(said("Something."))
    memory.apply("recompact")
    assert "<text>\na b c\n</text>" in model.calls[1].messages[0].content
    assert memory.read("") == "a b"


def test_braces_in_a_text_are_only_text() -> None:
    memory = SummarizeStore(Scripted(echo))
    memory.write(said("Use {words} and {0} and {{x}} here."))
    assert memory.read("") == "Use {words} and {0} and {{x}} here."


def test_lossy_and_careful_differ_in_prompt_and_hash() -> None:
    lossy = build_memory("lossy_compress", Extractive())
    careful = build_memory("careful_compress", Extractive())
    assert isinstance(lossy, SummarizeStore)
    assert isinstance(careful, SummarizeStore)
    assert (lossy.prompt, careful.prompt) == ("lossy", "careful")
    assert COMPACTION["lossy"] != COMPACTION["careful"]
    assert lossy.prompt_hashes != careful.prompt_hashes
    assert careful.prompt_hashes == {"compaction": prompt_hash(compaction_prompt("careful"))}
    assert set(ALIAS_OPTIONS) == set(MEMORY.aliases)


def test_careful_asks_for_the_four_things_to_keep() -> None:
    careful = COMPACTION["careful"]
    for kept in ("amount of money", "deadline and date", "named person", "technical constraint"):
        assert kept in careful
        assert kept not in COMPACTION["lossy"]
    for prompt in COMPACTION.values():
        assert "{words}" in prompt
        assert "{text}" in prompt


# -- append_only


NOTES = (
    "We talked about the weather, which was fine and mild.",
    "The passcode of the pantry is quixotic.",
    "We talked about the garden and the weather.",
    "The passcode of the cellar is humdrum.",
    "We talked about the holidays and the weather again.",
)


def test_the_paragraph_with_the_rare_word_wins() -> None:
    memory = AppendOnly(k=1)
    memory.write(said(*NOTES))
    assert memory.read("What was quixotic about the weather?") == NOTES[1]
    assert memory.read("passcode of the cellar") == NOTES[3]
    assert memory.read("Tell me of the garden") == NOTES[2]
    assert memory.read("zebra") == ""


def test_the_best_for_the_current_query_are_read_in_the_order_they_happened() -> None:
    memory = AppendOnly(k=2)
    memory.write(said(*NOTES))
    # The cellar fits better, yet the pantry happened first.
    assert memory.read("passcode of the cellar") == f"{NOTES[1]}\n\n{NOTES[3]}"
    assert memory.read("weather in the garden").split("\n\n")[0] in NOTES
    assert "passcode" not in memory.read("weather in the garden")


def test_everything_is_kept_and_every_paragraph_can_be_retrieved() -> None:
    memory = AppendOnly()
    memory.write(said("One.\n\nTwo.", "Three."))
    memory.write([*said("Four."), *said("Noted.", role="assistant")])
    assert [unit.text for unit in memory.units() or []] == [
        "One.",
        "Two.",
        "Three.",
        "Four.",
        "Assistant: Noted.",
    ]
    assert [unit.id for unit in memory.units() or []] == ["0", "1", "2", "3", "4"]


def test_the_later_of_two_equals_is_read() -> None:
    memory = AppendOnly(k=1)
    memory.write(said("The fee is 20.", "The fee is 30."))
    assert memory.read("the fee") == "The fee is 30."


@settings(max_examples=examples(50), deadline=None)
@given(st.lists(TEXT, max_size=12), TEXT, st.integers(1, 5))
def test_ranking_is_bounded_distinct_and_shares_a_word(
    texts: list[str], query: str, k: int
) -> None:
    index = Bm25()
    for text in texts:
        index.add(text)
    top = index.top(query, k)
    assert len(top) <= k
    assert len(set(top)) == len(top)
    assert all(0 <= i < len(texts) for i in top)
    twin = index.copy()
    twin.add(query)
    assert index.top(query, k) == top


# -- no_memory


def test_no_memory_keeps_nothing() -> None:
    memory = NoMemory()
    memory.write(said("The kettle is blue."))
    assert memory.read("kettle") == ""
    assert memory.units() == []
    assert memory.dump() == {}
