"""The facts of a life's page: why answers were wrong, and the biography of each lost fact."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from agingbench.report.autopsy import answer_words, fate_words, step_words
from agingbench.report.layout import in_words
from agingbench.report.pages.charts import TableCell
from agingbench.report.pages.memory_quotes import MemoryQuotes
from agingbench.report.pages.walk import fact_anchor, probe_anchor
from agingbench.text.matching import numbers
from agingbench.trials.autopsy import (
    AccountStory,
    AutopsyDocument,
    FactStory,
    MissingPart,
    ProbeStory,
)
from agingbench.trials.run_folder import PlannedAccount, PlannedMovement

# Where something lies on the time line of a life, beside the questions of its point.
BEFORE_QUESTIONS = 0.2
AFTER_QUESTIONS = 0.5


STAGE_ORDER = ("write", "store", "retrieval", "utilization", "limit")
# What each cause of a wrong answer means; the stage stands beside it.
CAUSE_WORDS = {
    "context_overflow": "the prompt no longer fitted the model",
    "tool_loop_exhausted": "the agent was still calling tools at its last turn",
    "never_written": "the memory never stated it",
    "lost_at_write": "the memory stated it until a later session was written",
    "lost_at_event": "the memory stated it until an event",
    "not_retrieved": "the memory states it, what was read to answer does not",
    "not_used": "it was read; the answer gives nothing of the kind asked for",
    "stale_used": "it was read; the answer gives a value of the past",
    "lookalike_used": "it was read; the answer gives the value of its look-alike",
    "other_used": "it was read; the answer gives the value of something else",
    "recited": "it was read; the answer gives it together with others",
    "left_out": "all was read; the answer gives some of it",
    "put_in_the_past": "it was read; the answer says that it holds no longer",
    "not_chained": "every link was read; the answer does not reach the last",
    "miscalculated": "all parts were read; the answer does not add them up rightly",
    "misread": "it was read; the answer gives no value of any fact",
}


FATES = {"never_written": "never written", "lost": "lost"}


class CauseRow(msgspec.Struct, frozen=True):
    """One cause of wrong answers: its stage, what it means and how often it was."""

    stage: str
    cause: str
    words: str
    n: int
    share: float


class BiographyStep(msgspec.Struct, frozen=True):
    """One thing that happened to a fact, and where in the page that is."""

    words: str
    link: str = ""
    mark: str = ""


class FactBiography(msgspec.Struct, frozen=True):
    """The life of one fact or account that an answer got wrong."""

    id: str
    name: str
    value: str
    fate: str
    steps: list[BiographyStep]
    failures: int


def cause_rows(autopsy: AutopsyDocument | None) -> list[CauseRow]:
    """Why answers were wrong, by stage in the order of the pipeline, the most frequent first."""
    if autopsy is None:
        return []
    summary = autopsy.summary
    stages = {story.cause: story.stage or "" for story in autopsy.probes}
    rows = []
    for cause, n in summary.causes.items():
        stage = stages.get(cause, "")
        words = CAUSE_WORDS.get(cause, "")
        rows.append(CauseRow(stage, in_words(cause), words, n, n / summary.failed_probes))
    order = {stage: place for place, stage in enumerate(STAGE_ORDER)}
    return sorted(rows, key=lambda row: (order.get(row.stage, len(order)), -row.n))


def loss_rows(autopsy: AutopsyDocument | None) -> list[list[TableCell]]:
    if autopsy is None:
        return []
    rows = []
    for step in autopsy.summary.losses:
        counts = (step.told, step.not_written, step.lost, step.came_back)
        first = TableCell(step_words(step), f"s-{step.point}")
        rows.append([first, *(TableCell(str(count)) for count in counts)])
    return rows


def biographies(
    autopsy: AutopsyDocument | None,
    quotes: MemoryQuotes | None = None,
    accounts: Sequence[PlannedAccount] = (),
) -> list[FactBiography]:
    """One biography per fact that a wrong answer needed, those that cost most first."""
    if autopsy is None:
        return []
    # A question may need several values of one fact: it is one wrong answer all the same.
    failures: dict[str, dict[str, tuple[ProbeStory, FactStory | AccountStory]]] = {}
    for story in autopsy.probes:
        for fact in story.facts:
            key = fact.account if isinstance(fact, AccountStory) else fact.fact
            failures.setdefault(key, {})[story.probe] = (story, fact)
    movements = {account.id: account.deltas for account in accounts}
    rows = []
    for key, pairs in failures.items():
        rows.append(_biography(key, list(pairs.values()), quotes, movements.get(key, [])))
    return sorted(rows, key=lambda row: -row.failures)


def _biography(
    key: str,
    pairs: Sequence[tuple[ProbeStory, FactStory | AccountStory]],
    quotes: MemoryQuotes | None,
    movements: Sequence[PlannedMovement],
) -> FactBiography:
    last = pairs[-1][1]
    steps: list[tuple[float, BiographyStep]] = [(_when_told(last.introduced), _told(last))]
    if isinstance(last, FactStory):
        for session in last.rewritten:
            step = BiographyStep(f"Rewritten in session {session}", f"s-{session}")
            steps.append((_when_told(session), step))
        if last.lost_at is not None:
            point = last.lost_at.point
            step = BiographyStep(_loss_words(last, quotes), f"s-{point}", "lost")
            steps.append((point - BEFORE_QUESTIONS, step))
        first = quotes.at_first(last) if quotes is not None else ""
        if first and last.first_stated is not None:
            words = f"The memory at session {last.first_stated} says: {first}"
            step = BiographyStep(words, f"s-{last.first_stated}")
            steps.append((last.first_stated - BEFORE_QUESTIONS, step))
        fate = FATES.get(last.store or "", "still there")
    else:
        for part in last.missing:
            amount = _signed_amount(part, movements)
            words = f"{part.part.capitalize()} of {amount}, told in session {part.told_at}: "
            step = BiographyStep(words + fate_words(part), f"s-{part.told_at}", "lost")
            steps.append((_when_told(part.told_at), step))
        others = last.n_missing - len(last.missing)
        if others > 0:
            step = BiographyStep(f"{others} more of its parts that were not read", "", "lost")
            steps.append((_when_told(last.missing[-1].told_at), step))
        fate = f"{last.n_missing} parts not read" if last.n_missing else "all parts read"

    for story, _ in pairs:
        said = answer_words(msgspec.structs.replace(story.said, text=""))
        cause = f" ({in_words(story.cause)})" if story.cause else ""
        wanted = "; ".join(story.wanted)
        words = f"Asked at session {story.t} for {wanted}; answered: {said}{cause}"
        steps.append((story.t, BiographyStep(words, probe_anchor(story.probe))))
    in_order = [step for _, step in sorted(steps, key=lambda pair: pair[0])]
    return FactBiography(fact_anchor(key), last.what, last.value, fate, in_order, len(pairs))


def _signed_amount(part: MissingPart, movements: Sequence[PlannedMovement]) -> str:
    """The amount of a movement with its sign; without one where the plan does not tell it."""
    amounts = {quantity.value for quantity in numbers(part.value)}
    signs = set()
    for movement in movements:
        is_told_then = movement.session == part.told_at
        if part.part == "movement" and is_told_then and abs(movement.amount) in amounts:
            signs.add("+" if movement.amount > 0 else "\N{MINUS SIGN}")
    return f"{signs.pop()}{part.value}" if len(signs) == 1 else part.value


def _loss_words(fact: FactStory, quotes: MemoryQuotes | None) -> str:
    """How a fact was lost, with what the memory said before and says after."""
    parts = [_sentence(fate_words(fact))]
    before = quotes.before_loss(fact) if quotes is not None else ""
    after = quotes.after_loss(fact) if quotes is not None else ""
    if before:
        parts.append(f"before it the memory said: {before}")
    if after:
        parts.append(f"the sentence most like it after that: {after}")
    return "; ".join(parts)


def _told(fact: FactStory | AccountStory) -> BiographyStep:
    return BiographyStep(f"Told in session {fact.introduced}", f"s-{fact.introduced}")


def _when_told(session: int) -> float:
    # The questions of a session come before its text; those of session 0 have it at hand.
    return -1.0 if session == 0 else session + AFTER_QUESTIONS


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]
