"""The naive summary: head and tail of what was said, or a model that is asked plainly."""

from __future__ import annotations

import pytest

from agingbench.models.scripted import Scripted
from agingbench.records import Event
from agingbench.resumption.contexts.build import build_consolidator
from agingbench.resumption.contexts.summary import SummaryConsolidator, head_and_tail
from agingbench.text.wording import count_tokens

TASK = "make the import quick"


def said(role: str, text: str) -> Event:
    return Event(step=0, role=role, content=text)  # type: ignore[arg-type]


def session() -> list[Event]:
    numbered = [said("assistant", f"Step number {i} is done here.") for i in range(200)]
    return [
        said("system", "You are a careful assistant."),
        said("user", TASK),
        Event(step=0, role="tool_call", tool_name="bash", command="cat secret_tool.py"),
        *numbered,
    ]


@pytest.mark.parametrize("budget", [1, 20, 100, 500])
def test_head_and_tail_of_the_work_are_told_within_the_budget(budget: int) -> None:
    found = head_and_tail(TASK, session(), budget)
    assert count_tokens(found) <= budget
    if budget >= 100:
        assert found.startswith("Step number 0 is done here.")
        assert found.endswith("Step number 199 is done here.")
        assert "Step number 100" not in found


def test_everything_is_told_where_it_fits_but_no_system_prompt_and_no_call() -> None:
    found = build_consolidator("summary").consolidate(TASK, session(), 10_000)
    assert found.count("Step number") == 200
    assert "careful assistant" not in found
    assert "secret_tool" not in found
    assert TASK not in found


def test_a_language_model_is_asked_plainly() -> None:
    model = Scripted(["It tried a and took b."])
    events = [said("system", "You are careful."), said("assistant", "tried a, took b")]
    found = SummaryConsolidator(model).consolidate(TASK, events, 100)
    assert found == "It tried a and took b."
    (call,) = model.calls
    request = call.messages[0].content
    assert "Summarise what it did so far" in request
    assert "tried a, took b" in request
    assert "You are careful" not in request
    assert "leave out" not in request.casefold()
