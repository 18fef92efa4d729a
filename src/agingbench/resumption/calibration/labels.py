"""A judge's labels for the reference grades; those that cost a model call are stored as they come.

A calibration that was killed continues where it stopped, and grades that are added later are the
only ones asked for. A label is reused when judge, prompts, tokenizer, fact and text are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from agingbench.errors import TransportError
from agingbench.interfaces import Judge
from agingbench.resumption.calibration.grades import Grade, graded_item, graded_text
from agingbench.resumption.episodes.benchmark_folder import BenchmarkFolder
from agingbench.resumption.episodes.episode import (
    ContinuationCheck,
    Episode,
    EpisodeFact,
    ForgetFact,
)
from agingbench.resumption.judges.build import JudgeIdentity
from agingbench.resumption.judges.verdict import FAILED, ItemVerdict, judge_item
from agingbench.traces import journal
from agingbench.traces.canonical import content_hash


class StoredLabel(msgspec.Struct, frozen=True):
    """A line of judged.jsonl: hashes of the judge and of what was judged, the round, the label."""

    judge: str
    asked: str
    time: int
    label: str


class LabelStore:
    """The labels of one judge in calibration/judged.jsonl.

    `time` is 0, or 1 when the judge is asked a second time.
    """

    def __init__(self, benchmark: BenchmarkFolder, identity: JudgeIdentity) -> None:
        self._path = benchmark.judged
        self._judge = content_hash(msgspec.to_builtins(identity))
        self._labels: dict[tuple[str, int], str] = {}

        journal.mend(self._path)
        for line in journal.records(self._path, StoredLabel, "a label of a judge"):
            if line.judge == self._judge:
                self._labels[line.asked, line.time] = line.label

    def get(self, item_hash: str, time: int) -> str | None:
        """Return the stored label, or None."""
        return self._labels.get((item_hash, time))

    def add(self, item_hash: str, time: int, verdict: ItemVerdict) -> None:
        """Store a label, except that of a call that never got through: it is made again."""
        if verdict.label == FAILED and verdict.reason.startswith(TransportError.__name__):
            return
        journal.append(self._path, StoredLabel(self._judge, item_hash, time, verdict.label))


def asks_a_model(judge: Judge) -> bool:
    """Whether the judge's answers cost model calls and are therefore stored."""
    return judge.model is not None


def judge_grades(
    judge: Judge,
    grades: Sequence[Grade],
    episodes: dict[str, Episode],
    benchmark: BenchmarkFolder,
    store: LabelStore | None = None,
    *,
    time: int = 0,
    progress: Callable[[int], None] | None = None,
) -> list[str]:
    """Return the judge's label for every graded item, on the text that was graded."""
    labels = []
    for number, grade in enumerate(grades, start=1):
        item = graded_item(grade, episodes)
        text = graded_text(grade, benchmark)
        item_hash = content_hash([*grade.key, item.model_dump(mode="json")])

        label = store.get(item_hash, time) if store else None
        if label is None:
            verdict = judge_item(judge, item, text)
            label = verdict.label
            if store:
                store.add(item_hash, time, verdict)

        labels.append(_label_as_graded(label, grade, item))
        if progress:
            progress(number)
    return labels


def _label_as_graded(label: str, grade: Grade, item: EpisodeFact | ContinuationCheck) -> str:
    """Return a judge's label in the scale that the reference grade uses."""
    if grade.component != "forgetting" or label == FAILED:
        return label
    if grade.label in ("yes", "no"):
        return left_out(label)
    return accepted_label(label, item)


def left_out(label: str) -> str:
    """Return a label of forgetting as the spec's boolean: was the fact left out? Others stay."""
    booleans = {"omitted": "yes", "dead": "yes", "mentioned": "no", "open": "no"}
    return booleans.get(label, label)


def accepted_label(label: str, item: EpisodeFact | ContinuationCheck) -> str:
    """Return `dead` as an omission where the episode accepts it, as a mention elsewhere."""
    if label != "dead":
        return label
    accepts_dead = isinstance(item, ForgetFact) and item.dead_ok
    return "omitted" if accepts_dead else "mentioned"
