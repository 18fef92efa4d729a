"""The walk through a life: what was told, read, done, written, asked and answered, in order."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from agingbench.errors import InputError
from agingbench.records import Event
from agingbench.report.autopsy import answer_words
from agingbench.report.layout import in_words
from agingbench.report.pages.pieces import (
    Mark,
    TextChange,
    TextPiece,
    changes,
    marked,
    shortened,
)
from agingbench.trials.autopsy import AccountStory, ProbeStory
from agingbench.trials.run_folder import (
    AnswerRow,
    LifeFiles,
    PlannedProbe,
    PlannedSession,
    PlanRecord,
    ScoreRecord,
    TaskVerdict,
)

AS_LIVED = "as_lived"
LOST = frozenset({"never_written", "lost"})


class WalkTurn(msgspec.Struct, frozen=True):
    """One message, call or result of a session."""

    id: str
    who: str
    text: str
    detail: str = ""


class WalkTask(msgspec.Struct, frozen=True):
    """A task of a session, what was decided and what was expected, and the turns about it."""

    id: str
    text: str
    verdict: str
    words: str
    turns: list[WalkTurn]


class WalkQuestion(msgspec.Struct, frozen=True):
    """A held-out question with what was wanted and what was said."""

    id: str
    number: str
    question: str
    mechanism: str
    wanted: str
    answer: str
    context: str
    verdict: str  # right, wrong, unanswered, broken or unknown
    cause: str
    instead: str
    facts: list[tuple[str, str]]  # name and anchor of the fact's biography


class MemoryChange(msgspec.Struct, frozen=True):
    """What a write or an event did to the memory."""

    heading: str
    parts: list[TextChange]
    gone: int
    new: int
    words: int


class WalkSession(msgspec.Struct, frozen=True):
    """One point of a life and the session that begins there."""

    t: int
    title: str
    events: str
    right: int
    asked: int
    memory: list[MemoryChange]
    questions: list[WalkQuestion]
    told: list[TextPiece]
    turns: list[WalkTurn]  # those that belong to no task
    tasks: list[WalkTask]


class WalkSources(msgspec.Struct, frozen=True):
    """What a walk is made of: the files of a life, read."""

    files: LifeFiles
    plan: PlanRecord
    events: list[Event]
    answers: list[AnswerRow]
    scores: ScoreRecord
    stories: Mapping[str, ProbeStory]
    lifecycle: Mapping[int, str]


def walk(sources: WalkSources) -> list[WalkSession]:
    """Every point of a life in order; the last has questions only."""
    turns: dict[int, list[Event]] = {}
    for event in sources.events:
        if event.session is not None:
            turns.setdefault(event.session, []).append(event)

    marks = fact_marks(sources)
    by_index = {session.index: session for session in sources.plan.sessions}
    points = []
    for t in range(sources.plan.n_sessions + 1):
        points.append(_point(sources, t, by_index.get(t), turns.get(t, []), marks))
    return points


def fact_anchor(fact: str) -> str:
    """The place in the page where the biography of a fact or an account stands."""
    return f"fact-{fact}"


def probe_anchor(probe: str) -> str:
    """The place in the page where a question stands."""
    return f"q-{probe}"


def fact_marks(sources: WalkSources) -> dict[int, list[Mark]]:
    """The passages of each session that tell a fact; lost ones lead to their biography."""
    lost: set[tuple[str, int]] = set()
    known: set[str] = set()
    for story in sources.stories.values():
        for fact in story.facts:
            if isinstance(fact, AccountStory):
                continue
            known.add(fact.fact)
            if fact.store in LOST:
                lost.add((fact.fact, fact.told_at))

    marks: dict[int, list[Mark]] = {}
    for planned in sources.plan.graph.facts:
        link = fact_anchor(planned.id) if planned.id in known else ""
        for version in planned.versions:
            is_lost = (planned.id, version.session) in lost
            mark = Mark(version.told, "lost" if is_lost else "fact", link)
            marks.setdefault(version.session, []).append(mark)
    return marks


def _point(
    sources: WalkSources,
    t: int,
    session: PlannedSession | None,
    events: Sequence[Event],
    marks: Mapping[int, list[Mark]],
) -> WalkSession:
    questions = _questions(sources, t)
    right = sum(question.verdict == "right" for question in questions)
    told: list[TextPiece] = []
    loose: list[WalkTurn] = []
    tasks: list[WalkTask] = []
    if session is not None:
        told = marked(session.material, marks.get(t, []))
        loose, tasks = _tasks(session, events, sources.scores.tasks)
    return WalkSession(
        t=t,
        title=f"Session {t}" if session is not None else f"After the last session (point {t})",
        events=sources.lifecycle.get(t, ""),
        right=right,
        asked=len(questions),
        memory=_memory(sources, t),
        questions=questions,
        told=told,
        turns=loose,
        tasks=tasks,
    )


# -- memory


def _memory(sources: WalkSources, t: int) -> list[MemoryChange]:
    """What the write of the session before and the events at this point did to the memory."""
    if t == 0:
        return []
    files = sources.files
    marks = _value_marks(sources, t)
    try:
        before = files.snapshot(t - 1).text
        has_events = (files.memory / f"{t}_before.json").exists()
        written = files.before(t).text if has_events else files.snapshot(t).text
        rows = [_memory_change(f"Written after session {t - 1}", before, written, marks)]
        if has_events:
            after = files.snapshot(t).text
            heading = f"After {sources.lifecycle.get(t, 'the events here')}"
            rows.append(_memory_change(heading, written, after, marks))
    except InputError:
        return []  # a folder without its snapshots still has its questions and turns
    return rows


def _value_marks(sources: WalkSources, t: int) -> list[Mark]:
    """The values that hold at a point, to be marked where they go."""
    marks = []
    for fact in sources.plan.graph.facts:
        told = [version for version in fact.versions if version.session < t]
        if told and (fact.retracted_at is None or fact.retracted_at >= t):
            value = told[-1].value
            marks.append(Mark(value.text, "lost", kind=value.kind))
    return marks


def _memory_change(heading: str, before: str, after: str, marks: list[Mark]) -> MemoryChange:
    parts = changes(before, after, marks)
    return MemoryChange(
        heading,
        parts,
        sum(part.n_sentences for part in parts if part.kind == "gone"),
        sum(part.n_sentences for part in parts if part.kind == "new"),
        len(after.split()),
    )


# -- questions


def _questions(sources: WalkSources, t: int) -> list[WalkQuestion]:
    answers = {row.probe: row for row in sources.answers if row.condition == AS_LIVED}
    verdicts = {}
    for verdict in sources.scores.answers:
        if verdict.condition == AS_LIVED:
            verdicts[verdict.probe] = verdict.verdict
    names = {fact.id: fact.phrase for fact in sources.plan.graph.facts}
    rows = []
    for probe in sources.plan.probes:
        if probe.t == t:
            story = sources.stories.get(probe.id)
            verdict_name = verdicts.get(probe.id, "")
            rows.append(_question(probe, answers.get(probe.id), verdict_name, story, names))
    return rows


_VERDICTS = {"correct": "right", "unanswered": "unanswered", "failed": "broken", "": "unknown"}


def _question(
    probe: PlannedProbe,
    answer: AnswerRow | None,
    verdict: str,
    story: ProbeStory | None,
    names: Mapping[str, str],
) -> WalkQuestion:
    facts: list[tuple[str, str]] = []
    if story is not None:
        facts = _needed(story, names)
    wanted = [value.text for value in probe.required]
    return WalkQuestion(
        id=probe_anchor(probe.id),
        number=probe.id,
        question=probe.question,
        mechanism=probe.mechanism,
        wanted="; ".join(wanted) or "that it is unknown or withdrawn",
        answer=shortened(answer.text) if answer is not None else "",
        context=shortened(answer.context or "") if answer is not None else "",
        verdict=_VERDICTS.get(verdict, "wrong"),
        cause=in_words(story.cause) if story is not None and story.cause else "",
        instead=answer_words(msgspec.structs.replace(story.said, text="")) if story else "",
        facts=facts,
    )


def _needed(story: ProbeStory, names: Mapping[str, str]) -> list[tuple[str, str]]:
    """What an answer rests on, each once; facts of one name are told apart by their values."""
    needed = {}
    for fact in story.facts:
        key = fact.account if isinstance(fact, AccountStory) else fact.fact
        needed[key] = (names.get(key) or fact.what, fact.value)
    counts = Counter(name for name, _ in needed.values())
    rows = []
    for key, (name, value) in needed.items():
        label = f"{name}: {value}" if counts[name] > 1 else name
        rows.append((label, fact_anchor(key)))
    return rows


# -- turns


def _tasks(
    session: PlannedSession, events: Sequence[Event], verdicts: Sequence[TaskVerdict]
) -> tuple[list[WalkTurn], list[WalkTask]]:
    """The turns of a session, by task; first those that belong to none."""
    by_task: dict[str, list[WalkTurn]] = {}
    spoken = [event for event in events if event.role != "meta"]
    for place, event in enumerate(spoken):
        task = str((event.metadata or {}).get("task") or "")
        by_task.setdefault(task, []).append(_turn(place, event, session))

    judged = {verdict.task: verdict for verdict in verdicts if verdict.session == session.index}
    tasks = []
    for planned in session.tasks:
        verdict = judged.get(planned.id)
        words = ""
        kind = "unknown"
        if verdict is not None:
            kind = "wrong" if verdict.failed else "right"
            decided = in_words(verdict.decided or "nothing")
            words = f"expected: {in_words(verdict.expected)}; decided: {decided}"
        turns = by_task.pop(planned.id, [])
        tasks.append(WalkTask(f"task-{planned.id}", planned.text, kind, words, turns))
    loose = [turn for turns in by_task.values() for turn in turns]
    return loose, tasks


_WHO = {
    "system": "instructions",
    "user": "told or asked",
    "assistant": "agent",
    "tool_call": "does",
    "tool_result": "gets back",
}


def _turn(place: int, event: Event, session: PlannedSession) -> WalkTurn:
    text = event.content or ""
    # The session's text stands above the turns already.
    if text.startswith(session.material):
        rest = text[len(session.material) :].strip()
        text = f"(the session's text) {rest}".strip()
    detail = ""
    if event.role == "tool_call":
        detail = event.tool_name or ""
        text = event.command or json.dumps(event.arguments, ensure_ascii=False, sort_keys=True)
    elif event.role == "tool_result":
        detail = event.tool_name or ""
        outputs = [part for part in (event.stdout, event.stderr) if part]
        text = "\n".join(outputs) or text
    anchor = f"turn-{session.index}.{place}"
    return WalkTurn(anchor, _WHO.get(event.role, event.role), shortened(text), detail)
