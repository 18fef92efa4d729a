"""The embedded reader with file tools: what it saves, where, and which file it opens for a
question.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence

import pytest

from agingbench.agents.workspace_agent import WorkspaceAgent
from agingbench.memory.workspace import INSTRUCTION_FILE, MERGED_FILE, Workspace
from agingbench.models.extractive import UNKNOWN, Extractive
from agingbench.models.notekeeper import NoteFile, best_file, file_for, keeps_notes, name_in
from agingbench.records import Event, Message, Tool

TALK = "Over coffee the postman looked rather tired, more or less."


def keeper() -> tuple[WorkspaceAgent, Workspace]:
    memory = Workspace()
    return WorkspaceAgent(Extractive(), memory), memory


def tell(
    agent: WorkspaceAgent, *told: str, ask: str = "Order some more tea."
) -> tuple[str, list[Event]]:
    events: list[Event] = []
    said = agent.act("\n\n".join([*told, ask]), (), events.append)
    return said, events


def notes(memory: Workspace) -> dict[str, str]:
    return {path: text for path, text in memory.files.items() if path != INSTRUCTION_FILE}


# -- what is saved, and where


@pytest.mark.parametrize(
    ("sentence", "topic"),
    [
        ("Fabian Okafor's garden party is on March 3.", "fabian-okafor"),
        ("My checkup at Amberbrook Clinic is on May 4.", "amberbrook-clinic"),
        ("The service billing_sync_worker listens on port 4411.", "billing_sync_worker"),
        ("The build number of rate_limits.py is 4411.", "rate_limits.py"),
        ("Put Fabian Okafor on the board of Project Cobalt Heron.", "fabian-okafor"),
        (
            "Forget the budget of Project Cobalt Heron; it does not apply any longer.",
            "project-cobalt-heron",
        ),
        ("My favourite restaurant is Bella Notte.", "restaurant"),
        ("My monthly clothing budget is $578.", "budget"),
        ("I am allergic to kiwi.", "allergic"),
        ("No meetings before 09:30 on Tuesdays, please.", "meet"),
        ("Lumaflix is one of my subscriptions.", "lumaflix"),
        ("On Monday I paid $31 for stamps.", "stamp"),
        ("New hours: Amberbrook Clinic opens at 09:11.", "amberbrook-clinic"),
        ("It is 5.", "misc"),
    ],
)
def test_the_topic_of_a_statement(sentence: str, topic: str) -> None:
    assert file_for(sentence, []) == f"notes/{topic}.md"


def test_a_statement_without_a_name_joins_the_file_that_its_words_name() -> None:
    files = [NoteFile("notes/budget.md", 10), NoteFile("notes/fabian-okafor.md", 10)]
    assert file_for("I have changed my monthly travel budget to $90.", files) == "notes/budget.md"
    assert file_for("Fabian Okafor's budget is $90.", files) == "notes/fabian-okafor.md"


@pytest.mark.parametrize(
    "sentence", ["Yesterday it rained.", "In May we rest.", "I rest.", "The end.", "", "Please."]
)
def test_not_every_capital_is_a_name(sentence: str) -> None:
    assert name_in(sentence) is None


def test_what_is_worth_keeping_is_saved_under_its_topic_and_small_talk_is_not() -> None:
    agent, memory = keeper()
    said, events = tell(
        agent,
        f"{TALK} My monthly clothing budget is $578. {TALK}",
        "Ida Berg's desk number is 417.",
    )
    assert said == "Done."
    assert notes(memory) == {
        "notes/budget.md": "My monthly clothing budget is $578.\n",
        "notes/ida-berg.md": "Ida Berg's desk number is 417.\n",
    }
    assert [e.tool_name for e in events if e.role == "tool_call"] == [
        "list_files",
        "append_file",
        "append_file",
    ]
    assert all(e.exit_code == 0 for e in events if e.role == "tool_result")


def test_a_change_is_appended_to_the_same_file() -> None:
    agent, memory = keeper()
    tell(agent, "Ida Berg's desk number is 417.")
    agent.end_session()
    tell(agent, "Ida Berg's desk number is now 902.")
    assert notes(memory) == {
        "notes/ida-berg.md": "Ida Berg's desk number is 417.\nIda Berg's desk number is now 902.\n"
    }
    assert agent.ask("What is Ida Berg's desk number?").text == "Ida Berg's desk number is now 902."


def test_nothing_to_save_and_nothing_to_look_up_takes_no_tool() -> None:
    agent, memory = keeper()
    said, events = tell(agent, TALK)
    assert said == "Done."
    assert [e.role for e in events] == ["user", "assistant"]
    assert notes(memory) == {}


def test_a_request_is_not_saved() -> None:
    agent, memory = keeper()
    tell(agent, "Order the $40 kettle from Fernmart.", "Book a table at Bella Notte.")
    assert notes(memory) == {}


def test_a_save_that_is_refused_is_only_lost() -> None:
    memory = Workspace(max_files=2)
    agent = WorkspaceAgent(Extractive(), memory)
    said, events = tell(agent, "Ida Berg's desk number is 417. Otto Lund's desk number is 902.")
    assert said == "Done."
    assert list(notes(memory)) == ["notes/ida-berg.md"]
    assert [e.exit_code for e in events if e.role == "tool_result"] == [0, 0, 1]


# -- which file is opened


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("What is Ida Berg's desk number?", "notes/ida-berg.md"),
        ("Which port does Ida use?", "notes/ida-lund.md"),
        ("What is my monthly travel budget?", "notes/budget.md"),
        ("What is the build number of rate_limits.py?", "notes/rate_limits.py.md"),
        ("Where is the umbrella?", "notes/budget.md"),
    ],
)
def test_the_best_matching_file(question: str, path: str) -> None:
    sizes = {
        "ida-berg": 10,
        "ida-lund": 20,
        "budget": 90,
        "rate_limits.py": 5,
        "rate_limits_old.py": 50,
    }
    files = [NoteFile(f"notes/{name}.md", size) for name, size in sizes.items()]
    assert best_file(question, files) == path
    assert best_file(question, files[::-1]) == path
    assert best_file(question, []) is None


def test_a_question_lists_opens_one_file_and_answers_from_it() -> None:
    agent, memory = keeper()
    memory.files |= {
        "notes/ida-berg.md": "Ida Berg's desk number is 417.",
        "notes/otto-lund.md": "Otto Lund is here.",
    }
    answer = agent.ask("What is Ida Berg's desk number?")
    assert (answer.text, answer.context) == (
        "Ida Berg's desk number is 417.",
        "Ida Berg's desk number is 417.",
    )
    assert answer.usage.calls == 3
    assert agent.ask("What is Vera Stone's locker number?").text == UNKNOWN


def test_a_question_in_parts_opens_a_file_for_each() -> None:
    agent, _ = keeper()
    tell(agent, "Ida Berg's desk number is 417. Otto Lund's desk number is 902.")
    answer = agent.ask(
        "Compare these and state each: Ida Berg's desk number; Otto Lund's desk number."
    )
    assert answer.text == "Ida Berg's desk number is 417. Otto Lund's desk number is 902."


def test_merged_notes_are_found_as_the_largest_file() -> None:
    agent, memory = keeper()
    tell(agent, "Ida Berg's desk number is 417. Otto Lund's desk number is 902.")
    memory.apply("workspace_recompact")
    assert list(notes(memory)) == [MERGED_FILE]
    assert agent.ask("What is Ida Berg's desk number?").text == "Ida Berg's desk number is 417."


def test_an_empty_workspace_knows_nothing() -> None:
    agent, _ = keeper()
    assert agent.ask("What is Ida Berg's desk number?").text == UNKNOWN


def test_a_question_in_a_conversation_sees_what_was_just_saved() -> None:
    agent, _ = keeper()
    said, events = tell(
        agent, "Ida Berg's desk number is 417.", ask="What is Ida Berg's desk number?"
    )
    assert said == "Ida Berg's desk number is 417."
    assert [e.tool_name for e in events if e.role == "tool_call"] == [
        "list_files",
        "append_file",
        "read_file",
    ]


# -- as a model


def test_other_tools_do_not_make_a_note_keeper() -> None:
    def offered(names: Sequence[str]) -> list[Tool]:
        return [Tool(name, "", {"type": "object"}, lambda arguments: "") for name in names]

    assert keeps_notes(Workspace().tools())
    assert not keeps_notes(offered(["check_constraints", "list_files", "read_file"]))
    told = [Message("user", "Ida Berg's desk number is 417.\n\nWhat is Ida Berg's desk number?")]
    reply = Extractive().complete(told, offered(["check_constraints"]))
    assert (reply.text, reply.tool_calls) == ("Ida Berg's desk number is 417.", ())


def test_calls_have_ids_of_their_own_and_are_counted() -> None:
    agent, _ = keeper()
    _, events = tell(agent, "Ida Berg's desk number is 417. Otto Lund's desk number is 902.")
    _, more = tell(agent, "Vera Stone's desk number is 311.")
    ids = [e.tool_call_id for e in [*events, *more] if e.role == "tool_call"]
    assert len(set(ids)) == len(ids) == 5
    saving = next(e for e in events[3:] if e.role == "assistant")
    assert saving.usage is not None
    assert (saving.usage.output_tokens or 0) > 0


def test_notes_are_equal_in_other_processes() -> None:
    live = (
        "from tests.models.test_notekeeper import keeper, tell, notes\nfrom"
        " agingbench.bench.life.planning import plan_for\nagent, memory = keeper()\nfor session in"
        " plan_for('s2', 'light', None, 3, 1).sessions:\n    tell(agent, session.material,"
        " ask=session.tasks[0].text)\n    agent.end_session()\nprint(notes(memory),"
        " [agent.ask(q).text for q in ('Which is my favourite restaurant?', 'Who is here?')])\n"
    )
    found = set()
    for hash_seed in ("0", "1", "42"):
        env = {**os.environ, "PYTHONHASHSEED": hash_seed}
        done = subprocess.run(
            [sys.executable, "-c", live], env=env, capture_output=True, text=True, check=True
        )
        found.add(done.stdout)
    assert len(found) == 1
    assert len(found.pop()) > 500
