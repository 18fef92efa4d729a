"""Lifecycle events do exactly what they say on every policy, and nothing wrong gets as far as a
run.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agingbench.agents.react import ReactAgent
from agingbench.bench.life.lifecycle import check_events
from agingbench.bench.plan.plan import LIFECYCLE_EVENTS, LifecycleEvent
from agingbench.cli import main
from agingbench.errors import InputError, UnknownName
from agingbench.memory.build import build_memory
from agingbench.memory.policy import n_oldest, without_oldest
from agingbench.models.extractive import Extractive
from agingbench.models.scripted import Scripted
from agingbench.text.wording import sentences
from tests.examples import examples
from tests.memory.test_policies import echo, said

EVENTS = ("flush_history", "recompact", "partial_reset", "reduce_budget", "prompt_update")
ALL = frozenset(EVENTS)
SUPPORTS: dict[str, frozenset[str]] = {
    "no_memory": frozenset({"flush_history", "partial_reset"}),
    "append_only": frozenset({"flush_history", "partial_reset", "reduce_budget"}),
    "summarize_store": ALL,
    "growing_history": ALL,
    "lossy_episodic": ALL,
}
COMPACTING = ("summarize_store", "growing_history", "lossy_episodic")
# The least that each event needs to be told.
ARGS: dict[str, dict[str, Any]] = {
    "reduce_budget": {"words": 9},
    "prompt_update": {"prompt": "careful"},
}
SESSIONS = (
    "Alpha is one. Beta is two.",
    "Gamma is three. Delta is four.",
    "Epsilon is five. Zeta is six.",
)


def built(name: str, model: Any = None, **options: Any) -> Any:
    return build_memory(name, model or Scripted(echo), **options)


def filled(name: str, *, sessions: tuple[str, ...] = SESSIONS, **options: Any) -> Any:
    memory = built(name, **options)
    for session in sessions:
        memory.write(said(session))
    return memory


def args_for(name: str, event: str) -> dict[str, Any]:
    return {"k": 2} if (name, event) == ("append_only", "reduce_budget") else ARGS.get(event, {})


def held(memory: Any) -> str:
    """Everything the policy holds, whether it can be read or not."""
    return json.dumps(memory.dump())


# -- who suffers what


@pytest.mark.parametrize("name", SUPPORTS)
def test_each_policy_declares_what_it_can_suffer(name: str) -> None:
    assert built(name).supports == SUPPORTS[name]


@pytest.mark.parametrize("event", LIFECYCLE_EVENTS)
@pytest.mark.parametrize("name", SUPPORTS)
def test_an_event_is_suffered_or_refused(name: str, event: str) -> None:
    memory = filled(name)
    before = held(memory)
    if event in SUPPORTS[name]:
        memory.check(event, **args_for(name, event))
        assert held(memory) == before, "checking changes nothing"
        memory.apply(event, **args_for(name, event))
        return
    for ask in (memory.check, memory.apply):
        with pytest.raises(InputError, match=f"does not support the lifecycle event '{event}'"):
            ask(event, **args_for(name, event))
    assert held(memory) == before


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("name", SUPPORTS)
def test_an_empty_memory_suffers_without_a_call(name: str, event: str) -> None:
    if event in SUPPORTS[name]:
        memory = built(name, Scripted([]))
        memory.apply(event, **args_for(name, event))
        assert memory.read("alpha") == ""


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("name", SUPPORTS)
def test_an_event_stays_with_the_one_that_suffers_it(name: str, event: str) -> None:
    if event in SUPPORTS[name]:
        memory = filled(name)
        twin = memory.copy()
        before = held(memory), memory.read("gamma")
        twin.apply(event, **args_for(name, event))
        assert (held(memory), memory.read("gamma")) == before


# -- flush_history


@pytest.mark.parametrize("name", SUPPORTS)
def test_a_flush_leaves_nothing_and_writing_goes_on(name: str) -> None:
    memory = filled(name)
    memory.apply("flush_history")
    assert memory.read("alpha") == ""
    assert "Alpha" not in held(memory)
    memory.write(said("Eta is seven."))
    assert memory.read("eta") == ("" if name == "no_memory" else "Eta is seven.")


# -- recompact


def test_recompact_condenses_each_store_by_its_own_prompt() -> None:
    for name, seen in (
        ("summarize_store", ["<text>\nshort\n</text>"]),
        ("growing_history", ["<text>\nfirst\n\nsecond\n</text>"]),
        ("lossy_episodic", ["<text>\nshort\n</text>", "<text>\nshort\n</text>"]),
    ):
        model = Scripted(lambda messages, tools: "short")
        memory = built(name, model, prompt="careful", words=20)
        for text in ("first", "second"):
            memory.write(said(text))
        calls = len(model.calls)
        memory.apply("recompact")
        requests = [call.messages[0].content for call in model.calls[calls:]]
        assert len(requests) == len(seen)
        for request, part in zip(requests, seen, strict=True):
            assert part in request
            assert "at most 20 words" in request
            assert "every budget figure" in request


def test_recompacting_the_log_is_for_good() -> None:
    replies = iter(["a", "a b", "the gist", "later"])
    model = Scripted(lambda messages, tools: next(replies))
    memory = built("growing_history", model)
    for text in ("first", "second"):
        memory.write(said(text))
    memory.apply("recompact")
    assert (memory.read(""), memory.log) == ("the gist", ["the gist"])
    memory.write(said("third"))
    assert echo(model.calls[-1].messages, None) == "the gist\n\nthird"


def test_recompacting_episodes_keeps_them_apart_and_drops_what_comes_out_empty() -> None:
    def halve(messages: Any, tools: object) -> str:
        words = echo(messages, tools).split()
        return " ".join(words[: len(words) // 2])

    memory = filled("lossy_episodic", model=Scripted(halve), sessions=("a b c d", "e f", "g h i j"))
    assert [u.text for u in memory.units()] == ["a b", "e", "g h"]
    memory.apply("recompact")
    assert [u.text for u in memory.units()] == ["a", "g"]
    assert memory.read("g") == "g"
    assert memory.read("h") == ""


# -- partial_reset


@pytest.mark.parametrize(
    ("name", "ratio", "lost", "kept"),
    [
        (
            "append_only",
            None,
            ["Alpha", "Beta", "Gamma", "Delta"],
            ["Epsilon", "Zeta"],
        ),  # two paragraphs of three
        ("lossy_episodic", None, ["Alpha", "Beta", "Gamma", "Delta"], ["Epsilon", "Zeta"]),
        ("lossy_episodic", 0.34, ["Alpha", "Beta"], ["Gamma", "Delta", "Epsilon", "Zeta"]),
        (
            "summarize_store",
            None,
            ["Alpha", "Beta", "Gamma"],
            ["Delta", "Epsilon", "Zeta"],
        ),  # three sentences of six
        ("growing_history", None, ["Alpha", "Beta", "Gamma"], ["Delta", "Epsilon", "Zeta"]),
        ("summarize_store", 0.17, ["Alpha"], ["Beta", "Gamma", "Delta", "Epsilon", "Zeta"]),
        ("growing_history", 0.17, ["Alpha"], ["Beta", "Gamma", "Delta", "Epsilon", "Zeta"]),
        ("append_only", 0.1, [], ["Alpha", "Zeta"]),
        *((name, 1.0, ["Alpha", "Delta", "Zeta"], []) for name in SUPPORTS if name != "no_memory"),
    ],
)
def test_the_oldest_share_is_lost(
    name: str, ratio: float | None, lost: list[str], kept: list[str]
) -> None:
    memory = filled(name)
    memory.apply("partial_reset", **({} if ratio is None else {"ratio": ratio}))
    assert [word for word in lost if word in held(memory)] == []
    assert [word for word in kept if word not in held(memory)] == []
    for word in lost:
        assert word not in memory.read(word)
    for word in kept:
        assert word in memory.read(word)


def test_lines_of_a_summary_stay_lines() -> None:
    memory = filled(
        "summarize_store", sessions=("- Alpha: 1\n- Beta: 2\n\n- Gamma: 3\n- Delta: 4",)
    )
    memory.apply("partial_reset")
    assert memory.read("") == "- Gamma: 3\n- Delta: 4"


TEXTS = st.lists(st.text(alphabet="ab .!?\n", max_size=30), max_size=5)


@settings(deadline=None)
@given(TEXTS, st.floats(0.001, 1))
def test_what_is_left_is_the_newest_part_word_for_word(texts: list[str], ratio: float) -> None:
    whole = [s for text in texts for s in sentences(text)]
    kept = without_oldest(texts, ratio)
    left = [s for text in kept for s in sentences(text)]
    assert left == whole[n_oldest(len(whole), ratio) :]
    assert len(whole) - len(left) == pytest.approx(ratio * len(whole), abs=0.5)
    assert all(text.strip() for text in kept)
    assert all(any(original.endswith(text) for original in texts) for text in kept)


@settings(max_examples=examples(40), deadline=None)
@given(st.lists(st.sampled_from("bcdefgh"), min_size=1, max_size=9), st.floats(0.001, 1))
def test_units_are_lost_from_the_front(words: list[str], ratio: float) -> None:
    for name in ("append_only", "lossy_episodic"):
        memory = filled(name, sessions=tuple(words), k=20)
        memory.apply("partial_reset", ratio=ratio)
        left = words[n_oldest(len(words), ratio) :]
        assert [u.text for u in memory.units()] == left
        assert memory.read(" ".join(words)).split() == left, (
            "what is read goes by the store that is left"
        )


@pytest.mark.parametrize("ratio", [0, -0.5, 1.01, float("nan"), float("inf"), True, "half"])
def test_a_ratio_is_a_share(ratio: Any) -> None:
    for name in SUPPORTS:
        with pytest.raises(InputError, match="ratio"):
            built(name).check("partial_reset", ratio=ratio)


# -- reduce_budget


@pytest.mark.parametrize("name", ["summarize_store", "growing_history"])
def test_a_summary_is_cut_at_once_and_stays_under_the_new_budget(name: str) -> None:
    memory = filled(name)
    memory.apply("reduce_budget", words=5)
    assert memory.read("") == "Alpha is one.", "cut at the end of a sentence"
    memory.write(said("One two three four five six seven."))
    assert 0 < len(memory.read("").split()) <= 5
    if name == "growing_history":
        assert memory.log == [*SESSIONS, "One two three four five six seven."], "the log is not cut"


def test_a_summary_within_the_new_budget_stays_as_it_is() -> None:
    for name in ("summarize_store", "growing_history"):
        memory = filled(name)
        before = memory.read("")
        memory.apply("reduce_budget", words=40)
        assert memory.read("") == before


def test_summaries_of_sessions_are_cut_at_the_next_write() -> None:
    memory = filled("lossy_episodic")
    memory.apply("reduce_budget", words=4)
    assert [u.text for u in memory.units()] == list(SESSIONS)
    memory.write(said("Eta is seven. Theta is eight."))
    assert [u.text for u in memory.units()] == [
        "Alpha is one.",
        "Gamma is three.",
        "Epsilon is five.",
        "Eta is seven.",
    ]
    assert memory.read("two") == "", "the index went with the words"


@pytest.mark.parametrize("name", ["append_only", "lossy_episodic"])
def test_fewer_units_are_read_and_none_is_lost(name: str) -> None:
    memory = filled(name)
    assert memory.read("alpha gamma epsilon") == "\n\n".join(SESSIONS)
    memory.apply("reduce_budget", k=1)
    assert memory.read("alpha gamma epsilon") in SESSIONS
    assert len(memory.units()) == 3


def test_budgets_may_shrink_together_and_last_through_a_dump() -> None:
    memory = filled("lossy_episodic")
    memory.apply("reduce_budget", words=7, k=2)
    twin = built("lossy_episodic")
    twin.load(json.loads(json.dumps(memory.dump())))
    assert (twin.words, twin.k) == (7, 2)
    with pytest.raises(InputError, match="words=9 is no reduction, it is 7 already"):
        twin.apply("reduce_budget", words=9)


@pytest.mark.parametrize(
    ("name", "args", "told"),
    [
        ("summarize_store", {}, "say to what, as words=NUMBER"),
        ("append_only", {}, "say to what, as k=NUMBER"),
        ("lossy_episodic", {}, "say to what, as words=NUMBER or k=NUMBER"),
        ("summarize_store", {"words": 301}, "words=301 is no reduction, it is 300 already"),
        ("growing_history", {"words": 300}, "no reduction"),
        ("append_only", {"k": 5}, "k=5 is no reduction, it is 5 already"),
        ("lossy_episodic", {"words": 30, "k": 6}, "k=6 is no reduction"),
        ("lossy_episodic", {"words": 0}, "words must be a whole number of at least 1"),
        ("append_only", {"k": 2.0}, "k must be a whole number"),
        (
            "append_only",
            {"words": 5},
            "unknown argument of reduce_budget on AppendOnly 'words'; known: k",
        ),
        ("growing_history", {"k": 2}, "unknown argument of reduce_budget on GrowingHistory 'k'"),
    ],
)
def test_wrong_budgets_are_refused(name: str, args: dict[str, Any], told: str) -> None:
    memory = built(name)
    before = held(memory)
    for ask in (memory.check, memory.apply):
        with pytest.raises(InputError, match=told):
            ask("reduce_budget", **args)
    assert held(memory) == before


# -- prompt_update


@pytest.mark.parametrize("name", COMPACTING)
def test_another_prompt_from_the_next_write_on(name: str) -> None:
    model = Scripted(echo)
    memory = built(name, model)
    memory.write(said("First."))
    before = memory.read("first")
    hashes = memory.prompt_hashes
    memory.apply("prompt_update", prompt="careful")
    assert memory.read("first") == before
    assert len(model.calls) == 1
    assert memory.prompt_hashes != hashes
    memory.write(said("Second."))
    assert ["every budget figure" in call.messages[0].content for call in model.calls] == [
        False,
        True,
    ]
    assert memory.dump()["prompt"] == "careful"


@pytest.mark.parametrize("name", COMPACTING)
def test_wrong_prompts_are_refused(name: str) -> None:
    with pytest.raises(InputError, match="say which, as prompt=careful"):
        built(name).check("prompt_update")
    with pytest.raises(UnknownName, match="did you mean careful"):
        built(name).check("prompt_update", prompt="carefull")


def test_events_without_arguments_take_none() -> None:
    for event in ("flush_history", "recompact"):
        with pytest.raises(InputError, match=f"{event} takes no arguments"):
            built("summarize_store").check(event, ratio=0.5)
    with pytest.raises(UnknownName, match="did you mean ratio"):
        built("summarize_store").check("partial_reset", rati=0.5)


# -- before a run


class OwnMemory:
    """A policy from elsewhere: supports what it says and has no `check`."""

    supports = frozenset({"reduce_budget"})

    def read(self, query: str) -> str:
        return ""

    def write(self, events: object) -> None: ...
    def units(self) -> None: ...
    def dump(self) -> dict[str, Any]:
        return {}

    def load(self, state: object) -> None: ...


def check(memory: Any, *events: tuple[str, dict[str, Any]]) -> None:
    planned = [LifecycleEvent(name, at, args) for at, (name, args) in enumerate(events, 1)]
    check_events(planned, ReactAgent(Extractive(), memory))


def test_a_memory_without_a_check_is_asked_what_it_supports_only() -> None:
    check(OwnMemory(), ("reduce_budget", {"words": 10**9}))
    with pytest.raises(InputError, match="it supports: reduce_budget"):
        check(OwnMemory(), ("recompact", {}))


def test_a_second_reduction_goes_below_the_first() -> None:
    memory = build_memory("lossy_episodic", Extractive())
    check(
        memory,
        ("reduce_budget", {"words": 40}),
        ("reduce_budget", {"k": 3}),
        ("reduce_budget", {"words": 30}),
    )
    with pytest.raises(
        InputError, match="event 'reduce_budget@2:words=50': words is down to 40 by then"
    ):
        check(memory, ("reduce_budget", {"words": 40}), ("reduce_budget", {"words": 50}))


REFUSED = [
    ("no_memory", "recompact@2", "does not support it; it supports: flush_history, partial_reset"),
    ("no_memory", "prompt_update@2:prompt=careful", "does not support it"),
    ("append_only", "recompact@2", "does not support it"),
    ("append_only", "prompt_update@2:prompt=careful", "does not support it"),
    ("append_only", "reduce_budget@2:words=3", "'words'; known: k"),
    ("append_only", "reduce_budget@2", "event 'reduce_budget@2': reduce_budget: say to what"),
    ("lossy_compress", "reduce_budget@2:words=900", "no reduction, it is 300 already"),
    ("lossy_compress", "reduce_budget@2:k=3", "'k'; known: words"),
    ("lossy_compress", "reduce_budget@2:words=few", "words must be int"),
    ("lossy_compress", "partial_reset@2:ratio=1.5", "ratio=1.5 must lie above 0 and not above 1"),
    ("lossy_compress", "partial_reset@2:ratio=nan", "must lie above 0"),
    ("growing_history", "prompt_update@2", "say which, as prompt=careful"),
    ("growing_history", "prompt_update@2:prompt=carful", "did you mean careful"),
    (
        "lossy_episodic",
        "reduce_budget@1:words=20,k=2 reduce_budget@2:k=4",
        "k is down to 2 by then",
    ),
    ("lossy_episodic", "workspace_flush@2", "does not support it"),
]


@pytest.mark.parametrize(
    ("memory", "events", "told"), REFUSED, ids=[f"{m} {e}" for m, e, _ in REFUSED]
)
def test_refused_on_the_command_line_before_anything_is_written(
    memory: str, events: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    code = main.run(
        ["run", "--sessions", "3", "--memory", memory, "--events", events, "--out", str(out)]
    )
    printed = capsys.readouterr()
    assert (code, printed.out) == (2, "")
    assert told in printed.err
    assert len(printed.err.strip().splitlines()) == 1
    assert not out.exists()
