"""The puppet keeps notes with the tools of products, does errands, and has planted faults."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agingbench.errors import InputError
from agingbench.models.build import build_model
from agingbench.models.extractive import Extractive
from agingbench.models.hands import hands_for, plain_result, save_line
from agingbench.models.notekeeper import FAULTS
from agingbench.models.puppet import Puppet, errands_in
from agingbench.records import Message, Tool, ToolCall
from tests.examples import examples

BUDGET = "The budget of Project Teal Harp is $52,000."
LATER = "The budget of Project Teal Harp is $61,000."
OTHER = "The budget of Project Onyx Kite is $17,000."
ASK = "What is the budget of Project Teal Harp?"


def tool(name: str, *names: str, required: tuple[str, ...] = ()) -> Tool:
    properties = {name: {"type": "string"} for name in names}
    schema = {"type": "object", "properties": properties, "required": [*required]}
    return Tool(name, "", schema, lambda arguments: "")


SHELL = tool("bash", "command", "description", required=("command", "description"))
KITS = {
    "claude_code": (
        tool("Bash", "command"),
        tool("Read", "file_path"),
        tool("Write", "file_path", "content"),
    ),
    "codex": (tool("exec_command", "cmd"), tool("update_plan", "plan")),
    "opencode": (SHELL, tool("read", "filePath"), tool("write", "filePath", "content")),
    "openhands": (tool("terminal", "command"), tool("file_editor", "command", "path")),
}


class Desk:
    """A product with a folder: does what the puppet calls for, in new conversations."""

    def __init__(self, folder: Path, kit: str = "codex", fault: str = "") -> None:
        self.folder = folder
        self.tools = KITS[kit]
        self.puppet = Puppet(Extractive(fault))
        self.calls: list[ToolCall] = []
        self.steps = 0

    def say(self, text: str) -> str:
        messages = [Message("system", "You are a product."), Message("user", text)]
        for _ in range(9):
            reply = self.puppet.complete(messages, self.tools)
            self.steps += 1
            if not reply.tool_calls:
                return reply.text
            self.calls += reply.tool_calls
            messages.append(Message("assistant", reply.text, reply.tool_calls))
            for call in reply.tool_calls:
                messages.append(Message("tool", self._do(call.arguments), (), call.id))
        raise AssertionError("no end")

    def _do(self, arguments: dict[str, Any]) -> str:
        line = arguments.get("command") or arguments.get("cmd")
        if line:
            done = subprocess.run(
                ["bash", "-c", line], cwd=self.folder, capture_output=True, text=True, check=False
            )
            return f"Wall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n{done.stdout}"
        file = self.folder / (arguments.get("file_path") or arguments["filePath"])
        if "content" in arguments:
            file.parent.mkdir(exist_ok=True)
            file.write_text(arguments["content"])
            return "written"
        lines = file.read_text().splitlines()
        numbered = [f"{n:>6}\t{line}" for n, line in enumerate(lines, 1)]
        return "\n".join(numbered) + "\n<system-reminder>Mind the gap.</system-reminder>"


@pytest.mark.parametrize("kit", KITS)
def test_notes_are_kept_and_read_with_the_tools_of_a_product(tmp_path: Path, kit: str) -> None:
    desk = Desk(tmp_path, kit)
    desk.say(f"{BUDGET}\n\nBook a table.")
    desk.say(f"{LATER} {OTHER}\n\nBook a table.")
    assert desk.say(ASK) == LATER
    assert (tmp_path / "notes/project-teal-harp.md").read_text() == f"{BUDGET}\n{LATER}\n"
    assert {call.name for call in desk.calls} <= {tool.name for tool in KITS[kit]}


def test_notes_are_saved_before_any_is_opened(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "opencode")
    assert desk.say(f"{BUDGET}\n\n{ASK}") == BUDGET
    assert [call.name for call in desk.calls] == ["bash", "write", "read"]
    assert desk.steps == 4


def test_file_tools_are_used_where_there_are_some(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "opencode")
    desk.say(f"{BUDGET}\n\nBook a table.")
    desk.say(ASK)
    assert [call.name for call in desk.calls] == ["bash", "write", "bash", "read"]
    assert desk.calls[0].arguments["description"]


PROGRAM = (
    "Please write a Python command-line program in `logs.py`. A log has these fields, in this order:"
    " `id` (whole number, counted up from 1), `name` (text), `themes` (list of words). The logs are"
    " kept in `bin.json`. That means, one JSON file with the list of all logs."
)
COMMAND = (
    "Please add the command `locate-reef-tern-maps` to `logs.py`. It takes the id of a log and prints"
    " a JSON object with `id` and `place`, the shelf number of reef-tern-maps, a slash and the id."
)


@pytest.mark.parametrize("kit", KITS)
def test_a_program_is_written_with_the_tools_of_a_product(tmp_path: Path, kit: str) -> None:
    desk = Desk(tmp_path, kit)
    desk.say(f"The movers are done: reef-tern-maps is on shelf 5821.\n\n{PROGRAM}")
    assert "up to date" in desk.say(COMMAND)
    assert (tmp_path / "notes/plan.md").read_text() == f"{PROGRAM}\n{COMMAND}\n"
    shown = [
        desk._do({"command": f"python3 logs.py {words}"})
        for words in (
            "add --name Kelp --themes a,b",
            "locate-reef-tern-maps 1",
        )
    ]
    assert '{"id": 1, "name": "Kelp", "themes": ["a", "b"]}' in shown[0]
    assert '{"id": 1, "place": "5821/1"}' in shown[1]


@pytest.mark.parametrize(
    ("fault", "has_program", "finds_value"),
    [
        ("never_writes", False, False),
        ("never_rereads", True, False),
        ("overwrites", True, False),
        ("reads_wrong_file", True, False),
        ("ignores_updates", True, True),
    ],
)
def test_faults_reach_the_program(
    tmp_path: Path, fault: str, has_program: bool, finds_value: bool
) -> None:
    desk = Desk(tmp_path, "codex", fault)
    desk.say(f"{BUDGET} The movers are done: reef-tern-maps is on shelf 5821.\n\n{PROGRAM}")
    desk.say(COMMAND)
    assert (tmp_path / "logs.py").exists() == has_program
    desk._do({"command": "python3 logs.py add --name Kelp"})
    told = desk._do({"command": "python3 logs.py locate-reef-tern-maps 1"})
    assert ("5821/1" in told) == finds_value


@pytest.mark.parametrize(
    "around",
    [
        "<system-reminder>{}</system-reminder>",
        "# AGENTS.md instructions\n<INSTRUCTIONS>{}</INSTRUCTIONS>",
    ],
)
def test_more_files_are_opened_where_instructions_ask_for_it(tmp_path: Path, around: str) -> None:
    desk = Desk(tmp_path)
    desk.say(f"{BUDGET} {OTHER}\n\nBook a table.")
    for said, count in (("Be kind.", 1), ("Make at least two reads per question.", 2)):
        desk.calls = []
        assert desk.say(f"{around.format(said)}\n\n{ASK}") == BUDGET
        assert sum("cat " in str(call.arguments) for call in desk.calls) == count


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_does_what_it_says(tmp_path: Path, fault: str) -> None:
    desk = Desk(tmp_path, "codex", fault)
    for told in (BUDGET, OTHER, LATER):
        desk.say(f"{told}\n\nBook a table.")
    answer = desk.say(ASK)
    notes = {file.name: file.read_text() for file in tmp_path.glob("notes/*")}
    teal = notes.get("notes.md" if fault == "overwrites" else "project-teal-harp.md")
    expected = {
        "never_writes": ("I do not know.", None),
        "never_rereads": ("I do not know.", f"{BUDGET}\n{LATER}\n"),
        "overwrites": (LATER, f"{LATER}\n"),
        "reads_wrong_file": ("I do not know.", f"{BUDGET}\n{LATER}\n"),
        "ignores_updates": (BUDGET, f"{BUDGET}\n"),
    }
    assert (answer, teal) == expected[fault]


def test_an_unknown_fault_is_refused_with_the_nearest() -> None:
    with pytest.raises(InputError, match="overwrites"):
        build_model("extractive", fault="overwrite")


def test_commands_are_run_and_files_written_when_asked(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    request = (
        "Write this to `src/app.py`:\n\n```python\nprint('a' + \"b\")\n# Run `rm -rf x`\n```\n\n"
        "Then run `python3 src/app.py` and run `ls src`."
    )
    reply = desk.say(request)
    assert "$ python3 src/app.py\nab" in reply
    assert "$ ls src\napp.py" in reply
    assert "rm -rf" not in str([call for call in desk.calls if "app.py <<" not in str(call)])


def test_what_a_product_says_around_a_message_is_not_heard() -> None:
    puppet = Puppet(Extractive())
    around = "<system-reminder>\nThe cup is blue.\n\nWhat is it?\n</system-reminder>\n"
    instructions = "# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nBe kind.\n</INSTRUCTIONS>"
    messages = [
        Message("user", instructions),
        Message("user", f"{around}The cup is red.\n\nWhat colour is the cup?"),
    ]
    assert puppet.complete(messages).text == "The cup is red."


def test_without_a_shell_no_tool_is_called() -> None:
    assert hands_for([tool("Read", "file_path"), tool("Bash", "program")]) is None
    reply = Puppet(Extractive()).complete([Message("user", ASK)], [tool("Read", "file_path")])
    assert reply.tool_calls == ()


@settings(max_examples=examples(15))
@given(st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=60), st.integers(0, 2))
def test_a_saved_text_comes_back(
    tmp_path_factory: pytest.TempPathFactory, text: str, n: int
) -> None:
    folder = tmp_path_factory.mktemp("saved", numbered=True)
    text = "\n".join([text, *["END_OF_TEXT"] * n]) + "\n"
    subprocess.run(["bash", "-c", save_line("a/b c.md", text)], cwd=folder, check=True)
    assert (folder / "a/b c.md").read_text() == text


@given(st.text(max_size=200), st.sampled_from(["list_files", "read_file", "run_command", ""]))
def test_any_result_can_be_read(text: str, act: str) -> None:
    assert isinstance(plain_result(text, act), str)


def test_what_another_sentence_quotes_is_no_command() -> None:
    text = "The tests are run without you. Mark your lines, as in `# tag 12`."
    assert errands_in(text) == []
    (errand,) = errands_in("Please run the tests with `pytest -q`.")
    assert errand.command == "pytest -q"


@given(st.text(max_size=300))
def test_any_request_can_be_searched_for_errands(text: str) -> None:
    assert isinstance(errands_in(text), list)


@pytest.mark.parametrize(
    ("text", "act", "plain"),
    [
        ("     1→A is 1.\n     2→B is 2.", "read_file", "A is 1.\nB is 2."),
        (
            "<file>\n00001| A is 1.\n\n(End of file - total 1 lines)\n</file>",
            "read_file",
            "A is 1.",
        ),
        ("17: 00 o'clock\nand so on", "read_file", "17: 00 o'clock\nand so on"),
        ('{"output": "A is 1.", "metadata": {"exit_code": 0}}', "read_file", "A is 1."),
        ("Exit code: 0\nWall time: 0 seconds\nOutput:\nA is 1.", "read_file", "A is 1."),
        ("A is 1.\n[The command completed with exit code 0.]\n[x]", "read_file", None),
        (
            "A is 1.\n[The command completed with exit code 0.]\n[Current working directory: /w]",
            "read_file",
            "A is 1.",
        ),
        ("  12 notes/a.md\n  12 total", "list_files", "notes/a.md (12 characters)"),
        ("wc: notes/*.md: No such file", "list_files", ""),
    ],
)
def test_results_lose_what_products_write_around_them(
    text: str, act: str, plain: str | None
) -> None:
    assert plain_result(text, act).strip() == (text if plain is None else plain)
