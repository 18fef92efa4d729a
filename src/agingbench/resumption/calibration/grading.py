"""Hand grading: which items are still to be graded, yes-or-no questions, and rows as they come."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from agingbench.cards.resumption import Component, ComponentGate
from agingbench.errors import InputError
from agingbench.interfaces import Judge
from agingbench.resumption.calibration.gate import component_gate
from agingbench.resumption.calibration.grades import Grade, Grader, load_grades, load_tuning
from agingbench.resumption.calibration.labels import (
    LabelStore,
    accepted_label,
    asks_a_model,
    judge_grades,
)
from agingbench.resumption.episodes.benchmark_folder import BenchmarkFolder
from agingbench.resumption.episodes.episode import (
    ContinuationCheck,
    Episode,
    EpisodeFact,
    ForgetFact,
)
from agingbench.resumption.judges.build import JudgeIdentity
from agingbench.resumption.judges.claim import COMPONENTS
from agingbench.resumption.runs.store import EpisodeRow, RunFolder
from agingbench.traces import journal
from agingbench.traces.files import read_bytes, write_atomic

Reply = Literal["yes", "no"]


class GradingItem(msgspec.Struct, frozen=True):
    """One claim about one text, to be graded by a person."""

    component: Component
    episode: str
    item: str
    claim: str
    text: str
    task: str
    domain: str
    way: int = 0
    accepts_dead: bool = False

    @property
    def context_hash(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def key(self) -> tuple[str, str, str, int, str]:
        return self.component, self.episode, self.item, self.way, self.context_hash


QUESTIONS: dict[str, str] = {
    "stated": "Does the note state this?",
    "done": "Does the answer do this?",
    "mentioned": "Does the note mention this in any words?",
    "open": "Does the note leave this open, as something that might still be done or hold?",
    "dead": "Does the note name it as given up?",
    "forgotten": "Has the note dropped this (not there, or not as something that still holds)?",
}


def next_question(item: GradingItem, replies: Sequence[Reply], is_boolean: bool) -> str | None:
    """Return the name of the next question about an item, or None when its label is known."""
    if item.component != "forgetting":
        names = ["stated" if item.component == "preservation" else "done"]
    elif is_boolean:
        names = ["forgotten"]
    else:
        names = ["mentioned"]
        if replies[:1] == ["yes"]:
            names.append("open")
            if replies[1:2] == ["no"] and item.accepts_dead:
                names.append("dead")
    return names[len(replies)] if len(replies) < len(names) else None


def label_of(item: GradingItem, replies: Sequence[Reply], is_boolean: bool) -> str:
    """Return the label that the replies to all questions about an item come to."""
    if item.component != "forgetting" or is_boolean:
        return replies[0]
    if replies[0] == "no":
        return "omitted"
    if replies[1] == "yes":
        return "open"
    return "dead" if replies[2:] == ["yes"] else "mentioned"


def items_of(run: RunFolder, episodes: Sequence[Episode]) -> Iterator[GradingItem]:
    """Yield what can be graded of a run, one text after the other.

    Facts are graded on the note, checks on the answer; a check that is a command needs no grade.
    """
    by_id = {episode.id: episode for episode in episodes}
    rows = [row for row in run.rows() if row.status == "scored" and row.episode in by_id]
    # The same order for everybody, and one that mixes episodes.
    rows.sort(key=lambda row: hashlib.sha256(f"{row.episode}\0{run.run_id}".encode()).digest())
    for row in rows:
        yield from _row_items(row, by_id[row.episode], run)


def _row_items(row: EpisodeRow, episode: Episode, run: RunFolder) -> Iterator[GradingItem]:
    note = read_bytes(run.contexts / f"{row.episode}.txt").decode("utf-8", "replace")
    facts: list[tuple[Component, EpisodeFact]] = []
    facts += [("preservation", fact) for fact in episode.gold_facts_to_preserve]
    facts += [("forgetting", fact) for fact in episode.gold_facts_to_forget]
    for component, fact in facts:
        accepts_dead = isinstance(fact, ForgetFact) and fact.dead_ok
        if note.strip():
            yield GradingItem(
                component=component,
                episode=episode.id,
                item=fact.id,
                claim=fact.sentence,
                text=note,
                task=episode.initial_task,
                domain=episode.gate_domain,
                accepts_dead=accepts_dead,
            )
    for way, checks in enumerate(episode.gold_continuation):
        for check in checks:
            if row.answer.strip() and _is_gradable(check):
                yield GradingItem(
                    component="continuation",
                    episode=episode.id,
                    item=check.id,
                    claim=check.check,
                    text=row.answer,
                    task=episode.initial_task,
                    domain=episode.gate_domain,
                    way=way,
                )


def _is_gradable(check: ContinuationCheck) -> bool:
    return check.run is None


class GradingSession:
    """Goes through the items that nobody has graded, writes each grade and counts agreement."""

    def __init__(
        self,
        benchmark: BenchmarkFolder,
        episodes: Sequence[Episode],
        items: Sequence[GradingItem],
        grader: Grader,
        judge: Judge,
        identity: JudgeIdentity,
    ) -> None:
        self._benchmark = benchmark
        self._episodes = {episode.id: episode for episode in episodes}
        self._judge = judge
        self._store = LabelStore(benchmark, identity) if asks_a_model(judge) else None
        self.grader = grader

        journal.mend(benchmark.reference_grades)
        grades = load_grades(benchmark) if benchmark.reference_grades.is_file() else []
        known = {grade.key for grade in [*grades, *load_tuning(benchmark)]}
        distinct = {item.key: item for item in items if item.key not in known}
        self.items = list(distinct.values())
        forgetting = [grade.label for grade in grades if grade.component == "forgetting"]
        self.is_boolean = bool(forgetting) and forgetting[0] in ("yes", "no")

        self._gate_grades = [grade for grade in grades if grade.split == "gate"]
        self._judged = self._labels(self._gate_grades)
        self.place = 0
        self.skipped = 0
        self._done: list[Grade | None] = []  # in this session; None for an item that was skipped

    @property
    def item(self) -> GradingItem | None:
        """The item to be graded next, or None when all are."""
        return self.items[self.place] if self.place < len(self.items) else None

    @property
    def graded(self) -> int:
        """How many grades this session has written."""
        return sum(grade is not None for grade in self._done)

    def grade(self, replies: Sequence[Reply]) -> Grade:
        """Write the grade of the current item and go on to the next."""
        item = self._current()
        grade = Grade(
            component=item.component,
            episode=item.episode,
            item=item.item,
            context_hash=item.context_hash,
            label=label_of(item, replies, self.is_boolean),
            grader=self.grader,
            way=item.way,
        )
        text_file = self._benchmark.contexts / f"{grade.context_hash}.txt"
        if not text_file.exists():
            text_file.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(text_file, item.text.encode())
        journal.append(self._benchmark.reference_grades, _row(grade))

        self._gate_grades.append(grade)
        self._judged += self._labels([grade])
        self._done.append(grade)
        self.place += 1
        return grade

    def skip(self) -> None:
        """Leave the current item to a later session."""
        self._current()
        self._done.append(None)
        self.skipped += 1
        self.place += 1

    def undo(self) -> bool:
        """Go back by one item and take its grade out of the file; False at the beginning."""
        if not self._done:
            return False
        grade = self._done.pop()
        self.place -= 1
        if grade is None:
            self.skipped -= 1
            return True

        path = self._benchmark.reference_grades
        data = read_bytes(path)
        start = data.rstrip(b"\n").rfind(b"\n") + 1
        if msgspec.json.decode(data[start:]) != _row(grade):
            raise InputError(f"{path}: somebody else has written to it; the grade stays")
        write_atomic(path, data[:start])
        self._gate_grades.pop()
        self._judged.pop()
        return True

    def gates(self) -> list[ComponentGate]:
        """Return agreement so far, per component and domain, over all gate grades of the folder."""
        found = []
        domains = {self._episodes[grade.episode].gate_domain for grade in self._gate_grades}
        for domain in sorted(domains):
            found += [self.gate(component, domain) for component in COMPONENTS]
        return found

    def gate(self, component: Component, domain: str) -> ComponentGate:
        """Return agreement so far in one component of one domain."""
        reference, judged, clusters = [], [], []
        for grade, label in zip(self._gate_grades, self._judged, strict=True):
            episode = self._episodes[grade.episode]
            if (grade.component, episode.gate_domain) == (component, domain):
                item = _graded_fact(grade, episode)
                reference.append(accepted_label(grade.label, item) if item else grade.label)
                judged.append(label)
                clusters.append(grade.episode)
        return component_gate(component, domain, reference, judged, clusters)

    def _labels(self, grades: Sequence[Grade]) -> list[str]:
        return judge_grades(self._judge, grades, self._episodes, self._benchmark, self._store)

    def _current(self) -> GradingItem:
        if self.item is None:
            raise InputError("all items are graded")
        return self.item


def _graded_fact(grade: Grade, episode: Episode) -> ForgetFact | None:
    for fact in episode.gold_facts_to_forget:
        if grade.component == "forgetting" and fact.id == grade.item:
            return fact
    return None


def _row(grade: Grade) -> dict[str, object]:
    return grade.model_dump(mode="json", exclude_defaults=True)
