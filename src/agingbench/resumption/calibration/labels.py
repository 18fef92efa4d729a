"""A judge's labels for the hand grades. Those that cost a model call are written down as they come.

`calibration/judged.jsonl` keeps them: a calibration that was killed continues where it stood, and
grades that are added later are the only ones asked for. A label is taken over when judge, prompts,
tokenizer, fact and text are all the same.
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
from agingbench.resumption.runs.score import FAILED, ItemVerdict, judge_item
from agingbench.traces import journal
from agingbench.traces.canonical import content_hash


class StoredLabel(msgspec.Struct, frozen=True):
    """A line of judged.jsonl: hashes of who judged and of what was judged, which time, and the
    label.
    """

    judge: str
    asked: str
    time: int
    label: str


class LabelStore:
    """The labels of one judge that a calibration folder keeps; `time` is 0, or 1 when the judge is
    asked again.
    """

    def __init__(self, benchmark: BenchmarkFolder, identity: JudgeIdentity) -> None:
        self._path = benchmark.judged
        self._judge = content_hash(msgspec.to_builtins(identity))
        journal.mend(self._path)
        kept = journal.records(self._path, StoredLabel, "a label of a judge")
        self._labels = {
            (line.asked, line.time): line.label for line in kept if line.judge == self._judge
        }

    def get(self, asked: str, time: int) -> str | None:
        """The label that was given, if it was."""
        return self._labels.get((asked, time))

    def keep(self, asked: str, time: int, verdict: ItemVerdict) -> None:
        """Write a label down. A call that never got through is no answer of the judge: it is made
        again.
        """
        if verdict.label == FAILED and verdict.reason.startswith(TransportError.__name__):
            return
        journal.append(self._path, StoredLabel(self._judge, asked, time, verdict.label))


def asks_a_model(judge: Judge) -> bool:
    """Do the judge's answers cost something? Those of other judges are made anew whenever they are
    needed.
    """
    return getattr(judge, "model", None) is not None


def judge_grades(
    judge: Judge,
    grades: Sequence[Grade],
    episodes: dict[str, Episode],
    benchmark: BenchmarkFolder,
    kept: LabelStore | None = None,
    *,
    time: int = 0,
    progress: Callable[[int], None] | None = None,
) -> list[str]:
    """The judge's label for every graded item, on the text that was graded."""
    labels = []
    for done, grade in enumerate(grades, start=1):
        item = graded_item(grade, episodes)
        text = graded_text(grade, benchmark)
        asked = content_hash([*grade.key, item.model_dump(mode="json")])
        label = kept.get(asked, time) if kept else None
        if label is None:
            verdict = judge_item(judge, item, text)
            label = verdict.label
            if kept:
                kept.keep(asked, time, verdict)
        labels.append(_as_graded(label, grade, item))
        if progress:
            progress(done)
    return labels


def _as_graded(label: str, grade: Grade, item: EpisodeFact | ContinuationCheck) -> str:
    if grade.component != "forgetting" or label == FAILED:
        return label
    if grade.label in ("yes", "no"):  # the spec's boolean: was it successfully left out?
        return "yes" if label in ("omitted", "dead") else "no"
    return accepted_label(label, item)


def accepted_label(label: str, item: EpisodeFact | ContinuationCheck) -> str:
    """A dead branch that is named as dead is worth an omission where that is accepted and a mention
    elsewhere.
    """
    if label != "dead":
        return label
    return "omitted" if isinstance(item, ForgetFact) and item.dead_ok else "mentioned"
