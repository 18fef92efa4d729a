"""The behaviour panel: definitions on small traces, and real projects against a plain count."""

from __future__ import annotations

from functools import cache

import pytest

from agingbench.models.prices import load_prices
from agingbench.records import Event, ReadLog
from agingbench.telemetry.panel.panel import Panel, behaviour_panel
from agingbench.telemetry.profile import load_profile
from agingbench.telemetry.sessions.aggregates import TraceSessions
from agingbench.telemetry.sessions.collect import collect
from agingbench.text.complaints import is_complaint
from agingbench.traces.reading import groups, read_files
from tests.places import TRACES, needs_real_data
from tests.telemetry.panel.plain_count import panel_counts, tokens_by_model_and_week

PROJECTS = ("claude_code/entireio_cli/gtrrz-victor", "claude_code/m-thisness_m-claude")


class Script:
    """Events of one session, written down in order."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.time = 1_700_000_000.0

    def add(self, role: str, seconds: float = 1.0, **fields: object) -> Script:
        self.time += seconds
        step = len(self.events)
        event = Event(step=step, role=role, timestamp=self.time, session_id="a", **fields)  # type: ignore[arg-type]
        self.events.append(event)
        return self

    def user(self, text: str) -> Script:
        return self.add("user", content=text)

    def says(self, text: str) -> Script:
        return self.add("assistant", content=text)

    def call(self, tool: str, error: str | None = None, **arguments: object) -> Script:
        name = f"call-{len(self.events)}"
        self.add("tool_call", tool_name=tool, arguments=arguments, tool_call_id=name)
        return self.add("tool_result", stdout="ok", tool_call_id=name, error_kind=error)

    def panel(self) -> Panel:
        return behaviour_panel(collect(self.events, load_profile("code_assistant")), load_prices())

    def value(self, figure: str) -> float | None:
        return self.panel().figures[figure].value


def test_shell_reads_count_as_reads() -> None:
    script = Script().user("fix it").call("Read", file_path="/a/x.py")
    script.call("Bash", command="cd /a && sed -n 1,20p y.py").call("Bash", command="make")
    script.call("Edit", file_path="/a/x.py", old_string="a", new_string="b")

    assert script.value("reads_per_change") == 2


def test_an_edit_after_a_shell_read_is_not_blind() -> None:
    script = Script().user("fix it").call("Bash", command="cat src/x.py | head -5")
    script.call("Edit", file_path="/a/src/x.py").call("Edit", file_path="/a/src/y.py")

    assert script.value("edits_without_read") == 0.5


def test_an_edit_of_the_same_file_after_a_failure_is_repeated() -> None:
    script = Script().user("fix it").call("Edit", file_path="x.py")
    script.call("Bash", "process", command="pytest").call("Edit", file_path="x.py")
    script.call("Edit", file_path="x.py")

    assert script.value("repeated_edits") == pytest.approx(1 / 3, abs=1e-6)


def test_the_same_call_after_its_failure_is_a_retry() -> None:
    script = Script().user("go").call("Bash", "process", command="a").call("Bash", command="a")
    script.call("Bash", command="b")

    assert script.value("retries") == pytest.approx(1 / 3, abs=1e-6)


def test_errors_are_told_apart_by_kind_of_tool() -> None:
    script = Script().user("go").call("Read", "process", file_path="x")
    script.call("Bash", command="ls").call("Edit", "refused", file_path="x")
    figures = script.panel().figures

    assert figures["read_errors"].value == 1
    assert figures["shell_errors"].value == 0
    assert figures["change_errors"].value == 0
    assert figures["refused_calls"].value == pytest.approx(1 / 3, abs=1e-6)


def test_a_read_of_the_same_without_a_change_is_a_reread() -> None:
    script = Script().user("go").call("Read", file_path="x").call("Read", file_path="x")
    script.call("Edit", file_path="x").call("Read", file_path="x")

    assert script.value("rereads") == pytest.approx(1 / 3, abs=1e-6)


def test_a_user_who_says_continue_names_a_stop_unless_they_interrupted() -> None:
    script = Script().user("do all ten").says("Done with three.").user("continue").says("Rest.")
    assert script.value("early_stops") == 0.5

    script = Script().user("do all ten").says("Working.")
    script.add("meta", content="[Request interrupted by user]", call_type="interrupted")
    script.user("continue").says("All done.")
    assert script.value("early_stops") == 0
    assert script.value("interrupts") == 0.5


def test_corrections_are_those_after_the_first_request() -> None:
    script = Script().user("No, never use tabs").says("Fine.").user("That's wrong").says("Sorry.")

    assert script.value("corrections") == 0.5


def test_a_no_to_a_question_is_an_answer() -> None:
    script = Script().user("add a cache").says("Shall I delete the old one?").user("no, keep it")
    assert script.value("corrections") == 0

    script = Script().user("add a cache").says("It is deleted.").user("no, I told you to keep it")
    assert script.value("corrections") == 0.5


def test_a_redacted_thought_is_measured_by_its_signature() -> None:
    script = Script().user("go")
    script.add("assistant", content="x" * 400, call_type="thinking")
    script.add("assistant", content="", call_type="thinking", metadata={"signature_length": 1500})

    assert script.value("thinking_length") == pytest.approx((400 + 960) / 2)


def test_a_long_wait_counts_as_ten_minutes() -> None:
    script = Script().user("go").says("Working.").add("assistant", seconds=7200, content="Done.")

    assert script.value("seconds_per_request") == 601


def test_what_cannot_be_counted_is_left_out() -> None:
    figures = Script().user("hello").says("hi").panel().figures

    assert "reads_per_change" not in figures
    assert "tool_errors" not in figures
    assert figures["calls_per_request"].value == 0


def test_work_that_an_earlier_session_solved_is_found() -> None:
    first = (
        Script().user("add logging to the parser module").call("Edit", file_path="p").says("Done.")
    )
    again = (
        Script().user("add logging to the parser module").call("Edit", file_path="p").says("Done.")
    )
    for event in again.events:
        event.session_id = "b"
        event.timestamp += 86_400
    first.events += again.events

    assert first.value("solved_before") == 0.5


@cache
def _collect(name: str) -> TraceSessions:
    files = [file for group in groups(TRACES / name) for file in group.files]
    return collect(read_files(files, "auto", ReadLog()), load_profile("code_assistant"))


@cache
def _plain(name: str) -> dict[str, list[float]]:
    return panel_counts(TRACES / name, is_complaint)


@needs_real_data()
@pytest.mark.parametrize("name", PROJECTS)
def test_real_figures_equal_a_plain_count(name: str) -> None:
    figures = behaviour_panel(_collect(name), load_prices()).figures
    plain = {figure: pair for figure, pair in _plain(name).items() if pair[1]}
    plain.pop("billed")

    assert len(plain) >= 19
    for figure, (counted, per) in plain.items():
        assert figures[figure].n == per, figure
        assert figures[figure].value == pytest.approx(counted / per, rel=1e-5, abs=1e-6), figure


@needs_real_data()
@pytest.mark.parametrize("name", PROJECTS)
def test_real_tokens_and_dollars_per_request_equal_a_plain_count(name: str) -> None:
    figures = behaviour_panel(_collect(name), load_prices()).figures
    _, requests = _plain(name)["billed"]  # those of sessions whose model calls are recorded
    tokens = 0
    dollars = 0.0
    usd = {"opus": (5, 0.5, 6.25, 25), "sonnet": (3, 0.3, 3.75, 15), "haiku": (1, 0.1, 1.25, 5)}
    for (model, _), row in tokens_by_model_and_week(TRACES / name).items():
        price = usd[model.split("-")[1]]
        tokens += sum(row[1:])
        dollars += sum(n * rate for n, rate in zip(row[1:], price, strict=True)) / 1e6

    assert figures["tokens_per_request"].value == pytest.approx(tokens / requests)
    assert figures["dollars_per_request"].value == pytest.approx(dollars / requests, rel=1e-5)
