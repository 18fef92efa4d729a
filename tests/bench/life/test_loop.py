"""The session loop: what reaches the memory, in which order things happen, and what a broken call
counts as.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import pytest

from agingbench.agents.react import ReactAgent
from agingbench.bench.life.loop import live_plan
from agingbench.bench.life.system import Sut
from agingbench.bench.life.transitions import InMemory
from agingbench.bench.plan.plan import parse_events
from agingbench.bench.scoring.conduct import task_outcomes
from agingbench.bench.scoring.score import LifeRecord, score
from agingbench.errors import ContextOverflow, InputError, TransportError
from agingbench.interfaces import Model
from agingbench.models.extractive import Extractive
from agingbench.records import Event, Message, Reply, ToolCall, Unit, Usage
from agingbench.trials.run_folder import LIFE_END, LIFE_START, AnswerRow
from tests.bench.lives import (
    SCENARIO,
    Kept,
    agent_of,
    lived,
    plainly,
    playing,
    run_life,
    small_plan,
    without_probes,
)

HERE = __name__


# -- probes are held out


@pytest.mark.parametrize(
    "memory", ["lossy_compress", "careful_compress", "append_only", "no_memory"]
)
def test_asking_never_ages(memory: str) -> None:
    plan = small_plan(("flush_history@2",))
    asked = lived(plan, Extractive(), memory)
    silent = lived(without_probes(plan), Extractive(), memory)
    assert len(asked.answers) == len(plan.probes) > 20
    assert silent.answers == []
    assert asked.snapshots == silent.snapshots
    assert [(e.role, e.content) for e in asked.events] == [
        (e.role, e.content) for e in silent.events
    ]


def test_neither_question_nor_answer_is_written() -> None:
    plan = small_plan()
    writes: list[str] = []

    def speak(kind: str, messages: Sequence[Message]) -> str:
        if kind == "write":
            writes.append(messages[0].content)
        return "the marmalade answer" if kind == "probe" else plainly(kind, messages)

    kept = lived(plan, playing(speak))
    assert len(writes) == plan.n_sessions
    everything = "\n".join([*writes, *(s.text for s in kept.snapshots.values())])
    assert "marmalade" not in everything
    told = "\n".join(session.text for session in plan.sessions)
    assert not [
        p.question for p in plan.probes if p.question in everything and p.question not in told
    ]
    assert {row.text for row in kept.answers} == {"the marmalade answer"}


def test_day_one_is_asked_inside_session_zero_and_before_the_write() -> None:
    plan = small_plan()
    calls: list[tuple[str, str]] = []

    def speak(kind: str, messages: Sequence[Message]) -> str:
        calls.append((kind, messages[0].content))
        return "the first summary" if kind == "write" else plainly(kind, messages)

    lived(plan, playing(speak))
    tasks = len(plan.sessions[0].tasks)
    probes = len(plan.probes_at(0))
    assert probes > 0
    order = [kind for kind, _ in calls[: tasks + probes + 1]]
    assert order == ["task"] * tasks + ["probe"] * probes + ["write"]
    opening = plan.sessions[0].text
    assert all(opening in system for _, system in calls[tasks : tasks + probes])
    later = [system for kind, system in calls[tasks + probes + 1 :] if kind == "probe"]
    assert len(later) == len(plan.probes) - probes
    assert all(opening not in system and "the first summary" in system for system in later)


def test_the_session_reaches_the_memory_whole() -> None:
    plan = small_plan()
    writes: list[str] = []

    def speak(kind: str, messages: Sequence[Message]) -> str:
        if kind == "write":
            writes.append(messages[0].content)
            return "a summary"
        return "Certainly, done." if kind == "task" else plainly(kind, messages)

    lived(plan, playing(speak))
    for session, written in zip(plan.sessions, writes, strict=True):
        assert session.material in written
        assert all(task.text in written for task in session.tasks)
        assert written.count("Assistant: Certainly, done.") == len(session.tasks)


# -- lifecycle events


def test_an_event_acts_before_the_probes_of_its_point_and_both_snapshots_are_kept() -> None:
    plan = small_plan(("flush_history@2",))
    read: list[str] = []

    def speak(kind: str, messages: Sequence[Message]) -> str:
        if kind == "probe":
            read.append(messages[0].content.partition("<memory>")[2])
        return "a summary" if kind == "write" else plainly(kind, messages)

    kept = lived(plan, playing(speak))
    assert set(kept.snapshots) == {"0.json", "1.json", "2_before.json", "2.json", "3.json"}
    assert kept.snapshots["2_before.json"].text == "a summary"
    assert kept.snapshots["2.json"].text == ""
    assert kept.snapshots["2.json"].state["memory"]["summary"] == ""
    before = len(plan.probes_at(0)) + len(plan.probes_at(1))
    at = len(plan.probes_at(2))
    assert all("a summary" in text for text in read[before - len(plan.probes_at(1)) : before])
    assert at > 0
    assert all("a summary" not in text for text in read[before : before + at])
    assert all("a summary" in text for text in read[before + at :])
    flush = next(e for e in kept.transitions[2].events if e.lifecycle == "flush_history")
    assert (flush.session, flush.memory) == (2, "memory/2.json")


def test_events_of_one_point_act_in_their_order_on_the_end_of_a_life_too() -> None:
    plan = small_plan(("flush_history@3", "recompact@3"))
    kept = lived(plan, playing(plainly))
    assert [e.lifecycle for e in kept.transitions[3].events] == [
        "flush_history",
        "recompact",
        LIFE_END,
    ]
    assert kept.snapshots["3_before.json"].text
    assert kept.snapshots["3.json"].text == ""


def test_an_event_the_memory_cannot_suffer_is_refused_before_anything_is_written(
    tmp_path: Path,
) -> None:
    plan = small_plan(("recompact@2",))
    with pytest.raises(InputError, match=r"recompact@2.*supports: flush_history"):
        run_life(plan, Sut(memory="append_only"), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_snapshots_are_of_their_moment_even_when_nobody_asks() -> None:
    plan = without_probes(small_plan())
    kept = lived(plan, Extractive(), "append_only")
    sizes = [len(kept.snapshots[f"{t}.json"].state["memory"]["episodes"]) for t in range(4)]
    assert sizes[0] == 0
    assert sizes == sorted(set(sizes))


# -- broken calls


def test_a_broken_task_is_recorded_and_the_life_goes_on() -> None:
    plan = small_plan()
    tasks = [task for session in plan.sessions for task in session.tasks]
    texts = Counter(task.text for task in tasks)
    # The same request may come again in another session; this one comes once.
    broken = next(task for task in plan.sessions[1].tasks[1:] if texts[task.text] == 1)

    def speak(kind: str, messages: Sequence[Message]) -> str | Exception:
        if kind == "task" and messages[-1].content.endswith(broken.text):
            return TransportError("the line went dead")
        return plainly(kind, messages)

    kept = lived(plan, playing(speak))
    assert len(kept.transitions) == plan.n_sessions + 1
    failed = [e for e in kept.events if e.role == "meta" and "failed" in (e.metadata or {})]
    assert [(e.session, e.metadata) for e in failed] == [
        (1, {"failed": "the line went dead", "task": broken.id})
    ]
    outcomes = {o.task: o for o in task_outcomes(plan, kept.events)}
    assert outcomes[broken.id].failed
    assert outcomes[broken.id].decided is None
    assert sum(o.failed for o in outcomes.values()) == 1


def test_a_broken_first_task_does_not_take_the_sessions_material_with_it() -> None:
    plan = small_plan()
    first = plan.sessions[1].tasks[0]
    seen: list[str] = []

    def speak(kind: str, messages: Sequence[Message]) -> str | Exception:
        text = "\n".join(m.content for m in messages)
        if kind == "task" and messages[-1].content.endswith(first.text):
            return TransportError("the line went dead")
        if plan.sessions[1].material in text:
            seen.append(kind)
        return plainly(kind, messages)

    lived(plan, playing(speak))
    assert seen.count("task") == len(plan.sessions[1].tasks) - 1, (
        "later tasks of the session must see the material"
    )
    assert seen.count("write") == 1, "what the user said in the session belongs to its history"


def test_a_broken_probe_is_failed_and_never_wrong() -> None:
    plan = small_plan()
    victim = plan.probes_at(2)[0]

    def speak(kind: str, messages: Sequence[Message]) -> str | Exception:
        if kind == "probe" and messages[-1].content == victim.prompt:
            return TransportError("no answer")
        return plainly(kind, messages)

    kept = lived(plan, playing(speak))
    rows = [row for row in kept.answers if plan.probe_by_id[row.probe].question == victim.question]
    assert {(row.status, row.text, row.reason) for row in rows} == {("failed", "", "no answer")}
    scores = score(_record(plan, kept))
    verdicts = {(r.probe, r.verdict, r.value) for r in scores.table if r.probe == victim.id}
    assert verdicts == {(victim.id, "failed", None)}
    assert {
        r.verdict for r in scores.table if plan.probe_by_id[r.probe].question != victim.question
    } == {"unanswered"}


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (ContextOverflow("too long"), "context_overflow"),
        (Reply("I must decline.", refused=True), "refusal"),
    ],
)
def test_overflow_and_refusal_are_unanswered(reply: Reply | Exception, reason: str) -> None:
    plan = small_plan()
    kept = lived(plan, playing(lambda kind, m: reply if kind == "probe" else plainly(kind, m)))
    assert {(row.status, row.reason) for row in kept.answers} == {("unanswered", reason)}
    scores = score(_record(plan, kept))
    assert {(r.verdict, r.value) for r in scores.table} == {("unanswered", 0.0)}
    assert scores.dependable


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply("", (ToolCall("1", "check_constraints", {"action": "x"}),)), "tool_loop_exhausted"),
        (ContextOverflow("too long"), "context_overflow"),
    ],
)
def test_tasks_without_an_answer_decide_nothing(reply: Reply | Exception, reason: str) -> None:
    plan = small_plan()
    kept = lived(plan, playing(lambda kind, m: reply if kind == "task" else plainly(kind, m)))
    marks = [e.metadata["unanswered"] for e in kept.events if "unanswered" in (e.metadata or {})]
    tasks = sum(len(s.tasks) for s in plan.sessions)
    assert marks == [reason] * tasks
    outcomes = task_outcomes(plan, kept.events)
    assert {(o.decided, o.failed) for o in outcomes} == {(None, False)}
    assert score(_record(plan, kept)).conduct.cvr.value is None


def test_a_broken_write_stops_the_life_and_a_second_start_continues_it(tmp_path: Path) -> None:
    plan = small_plan()
    sut = Sut(model=f"{HERE}:BreaksOnce")
    BreaksOnce.armed = True
    BreaksOnce.writes = 0
    with pytest.raises(TransportError, match="the compaction broke"):
        run_life(plan, sut, tmp_path)
    assert BreaksOnce.writes == 2  # the second session's write broke; the first session stays lived
    path, _ = run_life(plan, sut, tmp_path)
    assert BreaksOnce.writes == 1 + 1 + 2
    BreaksOnce.armed = False
    whole, _ = run_life(plan, sut, tmp_path / "undisturbed")
    assert (path / "answers.jsonl").read_text().count("\n") == len(plan.probes)
    assert [f.name for f in sorted((path / "memory").iterdir())] == [
        f.name for f in sorted((whole / "memory").iterdir())
    ]
    assert (path / "memory" / "3.json").read_bytes() == (whole / "memory" / "3.json").read_bytes()


class BreaksOnce(Extractive):
    """Breaks at its second compaction, once."""

    armed: ClassVar[bool] = True
    writes: ClassVar[int] = 0

    def complete(
        self, messages: Any, tools: Any = (), max_tokens: int = 1024, seed: int | None = None
    ) -> Reply:
        if "<text>" in messages[-1].content:
            BreaksOnce.writes += 1
            if BreaksOnce.writes == 2 and BreaksOnce.armed:
                raise TransportError("the compaction broke")
        return super().complete(messages, tools, max_tokens, seed)


# -- many workers


def test_workers_give_the_same_answers_in_plan_order() -> None:
    plan = small_plan(("flush_history@2",))
    one = lived(plan, Extractive(), "append_only")
    waiting = threading.Barrier(2, timeout=60)
    counting = threading.Lock()

    class Paired(Extractive):
        """Lets probes go on in pairs only, which one worker alone could never do."""

        paired = 0

        def complete(
            self, messages: Any, tools: Any = (), max_tokens: int = 1024, seed: int | None = None
        ) -> Reply:
            with counting:
                is_paired = Paired.paired < 4 and "at most 60 words" in messages[0].content
                Paired.paired += is_paired
            if is_paired:
                waiting.wait()
            return super().complete(messages, tools, max_tokens, seed)

    four = lived(plan, Paired(), "append_only", workers=4)
    assert [row.probe for row in four.answers] == [
        p.id for t in range(4) for p in plan.probes_at(t)
    ]
    plain = [msgspec.structs.replace(row, latency_ms=None) for row in one.answers]
    assert [msgspec.structs.replace(row, latency_ms=None) for row in four.answers] == plain
    assert four.snapshots == one.snapshots


# -- parts of one's own


class OwnMemory:
    """A user's policy: no copy of its own, the model under a name of its own."""

    supports = frozenset({"flush_history"})

    def __init__(self, model: Model, most: int = 50) -> None:
        self.llm = model
        self.most = most
        self.lines = list[str]()

    def read(self, query: str) -> str:
        return "\n".join(self.lines)

    def write(self, events: Sequence[Event]) -> None:
        said = " ".join(e.content or "" for e in events if e.role == "user")
        reply = self.llm.complete(
            [Message("user", f"at most {self.most} words <text>{said}</text>")]
        )
        self.lines.append(reply.text)

    def units(self) -> list[Unit] | None:
        return [Unit(str(i), line) for i, line in enumerate(self.lines)]

    def dump(self) -> dict[str, Any]:
        return {"lines": list(self.lines)}

    def load(self, state: dict[str, Any]) -> None:
        self.lines = list(state["lines"])

    def apply(self, event: str, **args: Any) -> None:
        self.lines = []

    def configure(self, **options: Any) -> None:
        raise InputError("nothing to configure")


class Meddling(OwnMemory):
    """Writes when it is read: what a fork does to its own copy must not matter."""

    def read(self, query: str) -> str:
        text = super().read(query)
        self.lines.append(query)
        return text


class OwnAgent(ReactAgent):
    """A user's agent with an option of its own."""

    def __init__(self, model: Model, memory: Any, shout: bool = False) -> None:
        super().__init__(model, memory, "You shout." if shout else "You whisper.")

    def fork(self) -> OwnAgent:
        twin = OwnAgent(self.model, super().fork().memory)
        twin.role = self.role
        return twin


def test_a_memory_of_ones_own_without_copy(tmp_path: Path) -> None:
    plan = small_plan(("flush_history@2",))
    sut = Sut(memory=f"{HERE}:OwnMemory", memory_options={"most": 30})
    path, card = run_life(plan, sut, tmp_path)
    assert card["sut"]["memory"] == f"{HERE}:OwnMemory"
    assert card["sut"]["memory_options"] == {"most": 30}
    tasks = sum(len(session.tasks) for session in plan.sessions)
    # A task takes two calls: the act, and the words that close it.
    calls = len(plan.probes) + plan.n_sessions + 2 * tasks
    assert card["cost_and_efficiency"]["total_calls"] == calls
    row = msgspec.json.decode(
        (path / "answers.jsonl").read_bytes().splitlines()[-1], type=AnswerRow
    )
    assert row.context  # units can be retrieved, so what was read is kept with the answer


def test_a_memory_that_changes_when_it_is_read_is_asked_on_copies() -> None:
    plan = small_plan()
    kept = Kept()
    agent, meter = agent_of(Extractive(), f"{HERE}:Meddling")
    live_plan(plan, SCENARIO, agent, kept, meter=meter)
    questions = {probe.question for probe in plan.probes}
    assert not questions & set(agent.memory.dump()["lines"])


def test_an_agent_of_ones_own(tmp_path: Path) -> None:
    sut = Sut(agent=f"{HERE}:OwnAgent", agent_options={"shout": True}, memory="append_only")
    path, card = run_life(small_plan(), sut, tmp_path)
    assert card["sut"]["agent"] == f"{HERE}:OwnAgent"
    assert (
        "OwnAgent" not in path.parent.parent.name
    )  # the name says model and memory, a hash the rest
    assert path.parent.parent.name.startswith("extractive+append_only-")


# -- the trace


def test_the_trace_opens_and_closes_and_counts_within_units() -> None:
    plan = small_plan()
    kept = lived(plan, Extractive())
    marks = [e.lifecycle for e in kept.events if e.lifecycle]
    assert marks == [LIFE_START, "write", "write", "write", LIFE_END]
    for transition in kept.transitions:
        assert [e.step for e in transition.events] == list(range(len(transition.events)))


def test_every_call_is_counted_once() -> None:
    plan = small_plan(("recompact@2",))
    model = playing(plainly)
    kept = lived(plan, model)
    total = Usage()
    for usage in [e.usage for e in kept.events if e.usage] + [row.usage for row in kept.answers]:
        total += usage
    assert total.calls == len(model.calls)


def test_a_life_in_memory_is_the_same_life() -> None:
    plan = small_plan(("flush_history@2",))
    agent, meter = agent_of(Extractive())
    memory = InMemory()
    live_plan(plan, SCENARIO, agent, memory, meter=meter)
    kept = lived(plan, Extractive())
    assert [row.text for row in memory.answers] == [row.text for row in kept.answers]
    assert dict(memory.texts) == {t: kept.snapshots[f"{t}.json"].text for t in range(4)}


def test_progress_is_told_after_each_unit() -> None:
    told: list[int] = []
    agent, _ = agent_of(Extractive())
    kept = Kept()
    live_plan(
        small_plan(),
        SCENARIO,
        agent,
        kept,
        progress=lambda t: told.append(t * 10 + len(kept.transitions)),
    )
    assert told == [1, 12, 23, 34]


def test_the_point_of_an_event_is_checked() -> None:
    with pytest.raises(InputError, match="between 1 and 3"):
        parse_events(["flush_history@4"], 3)


def _record(plan: Any, kept: Kept) -> LifeRecord:
    texts = {s.t: s.text for name, s in kept.snapshots.items() if "before" not in name}
    return LifeRecord(plan, kept.events, kept.answers, sorted(texts.items()))
