"""Word budgets hold exactly, with the embedded model and with models that ignore them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agingbench.bench.life.planning import plan_for
from agingbench.errors import InputError, UnknownName
from agingbench.memory.append_only import AppendOnly
from agingbench.memory.build import build_memory
from agingbench.memory.policy import cut_to_budget
from agingbench.memory.prompts import compaction_prompt
from agingbench.models.extractive import Extractive
from agingbench.models.scripted import Scripted
from agingbench.records import Message
from agingbench.text.embedding import available
from tests.memory.test_policies import echo, said

COMPACTING = ("lossy_compress", "careful_compress", "growing_history", "lossy_episodic")


@cache
def sessions(preset: str) -> list[str]:
    return [session.text for session in plan_for("s3", preset, sessions=5).sessions]


def summaries(memory: Any) -> list[str]:
    units = memory.units()
    return [memory.read("")] if units is None else [unit.text for unit in units]


@pytest.mark.parametrize("name", COMPACTING)
@pytest.mark.parametrize("preset", ["light", "heavy"])
@pytest.mark.parametrize("words", [40, 200])
def test_the_embedded_model_keeps_to_the_budget(name: str, preset: str, words: int) -> None:
    memory = build_memory(name, Extractive(), words=words)
    for text in sessions(preset):
        memory.write(said(text))
        lengths = [len(summary.split()) for summary in summaries(memory)]
        assert max(lengths) <= words
        assert min(lengths) > 0.6 * words, "short and long sessions fill the same budget"
    assert "overlong" not in memory.dump()


@pytest.mark.parametrize("name", COMPACTING)
def test_a_model_that_ignores_the_budget_is_cut_at_a_sentence_and_that_is_recorded(
    name: str,
) -> None:
    memory: Any = build_memory(name, Scripted(echo), words=50)
    for text in sessions("light")[:3]:
        memory.write(said(text))
    told = "\n".join(sessions("light"))
    for summary in summaries(memory):
        assert len(summary.split()) <= 50
        last_line = summary.splitlines()[-1]
        is_whole = summary[-1] in '.!?:")|' or f"{last_line}\n" in told  # a chat has no full stops
        assert is_whole or len(summary.split()) == 50
    assert memory.dump()["overlong"] == memory.copy().dump()["overlong"] == 3
    again: Any = build_memory(name, Scripted(echo), words=50)
    again.load(memory.dump())
    assert again.dump() == memory.dump()


@given(st.text(alphabet="ab .!\n", max_size=80), st.integers(1, 12))
def test_a_cut_is_the_beginning_of_the_text_and_fits(text: str, most: int) -> None:
    short = cut_to_budget(text, most)
    assert len(short.split()) <= most
    assert text.split()[: len(short.split())] == short.split()
    if text.strip():
        assert short


def rewriting(messages: Sequence[Message], tools: object) -> str:
    """A model that retells whatever it is given and loses the first number of it each time."""
    text = echo(messages, tools)
    return re.sub(r"\d+", "some", text, count=1)


def test_a_summary_of_summaries_loses_more_than_a_summary_of_the_log() -> None:
    folded: Any = build_memory("lossy_compress", Scripted(rewriting))
    logged: Any = build_memory("growing_history", Scripted(rewriting))
    for number in range(10, 16):
        for memory in (folded, logged):
            memory.write(said(f"Room {number} is free."))
    assert len(re.findall(r"\d+", folded.read(""))) == 0, "each fold loses one more"
    assert len(re.findall(r"\d+", logged.read(""))) == 5, "the log is read once per summary"


# -- prompts of one's own

OWN = "In {words} words or fewer, as a list:\n{text}"


def test_a_prompt_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "mine.txt"
    file.write_text(OWN + "\n")
    for prompt in (OWN, str(file)):
        model = Scripted(["short"])
        memory: Any = build_memory("summarize_store", model, prompt=prompt, words=17)
        memory.write(said("It costs {nothing}."))
        request = model.calls[0].messages[0].content
        assert request == "In 17 words or fewer, as a list:\nIt costs {nothing}."
        assert memory.prompt_hashes["compaction"]
        twin: Any = build_memory("summarize_store", Scripted([]))
        twin.load(memory.dump())
        assert twin.prompt == OWN


@pytest.mark.parametrize("prompt", ["{words} words", "{text}", "{text} {text} {words}"])
def test_a_prompt_needs_both_places(prompt: str) -> None:
    with pytest.raises(InputError, match="of your own needs"):
        compaction_prompt(prompt)


def test_a_prompt_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="prompt file"):
        build_memory("summarize_store", Scripted([]), prompt=str(tmp_path / "none.txt"))


# -- rankings

EPISODES = ["The cat is grey.", "The kettle costs 40 dollars.", "The train leaves at nine."]


def test_the_latest_are_read_by_recency() -> None:
    memory = AppendOnly(2, "recency")
    for text in EPISODES:
        memory.write(said(text))
    assert memory.read("kettle") == "\n\n".join(EPISODES[1:])
    assert memory.copy().read("cat") == "\n\n".join(EPISODES[1:])
    memory.flush_history()
    assert memory.read("cat") == ""


@pytest.mark.skipif(not available(), reason="pip install 'agingbench[embed]'")
def test_meaning_finds_what_shares_no_word() -> None:
    memory = AppendOnly(1, "embedding")
    for text in EPISODES:
        memory.write(said(text))
    assert memory.read("At what time does the railway depart?") == EPISODES[2]
    twin = memory.copy()
    twin.write(said("The railway departs at ten."))
    assert twin.read("railway depart") == "The railway departs at ten."
    assert memory.read("railway depart") == EPISODES[2]


def test_a_ranking_nobody_knows_is_refused() -> None:
    with pytest.raises(UnknownName, match="did you mean recency"):
        AppendOnly(3, "recent")
