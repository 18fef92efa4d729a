"""The sentences of a life's page: the answer, what stands behind it, and the title of each part."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from agingbench.cards.model import Card
from agingbench.metrics.mechanisms import AccountReading
from agingbench.report.autopsy import step_words
from agingbench.report.diagnosis import LifeDiagnosis
from agingbench.report.headline_words import headline_words
from agingbench.report.layout import MISSING, in_words
from agingbench.report.pages.answer_counts import AnswerCounts
from agingbench.report.pages.charts import curve_rows
from agingbench.report.pages.life_facts import CAUSE_WORDS
from agingbench.report.series import aging_reason, events, is_lost_at_once
from agingbench.report.terminal import MECHANISM_FIGURES, mechanism_sections
from agingbench.report.text import plain
from agingbench.trials.autopsy import AutopsyDocument

_STAGE_WORDS = {
    "write": "when the memory is written",
    "retrieval": "when the memory is searched",
    "utilization": "when the answer is made from what was read",
    "store": "while it lies in the store",
    "write+retrieval": "between being told and being read again, in writing or in searching",
}


MOST_TIES = 3  # steps of equal losses that a title names


def percent(share: float | None) -> str:
    return MISSING if share is None else f"{100 * share:.0f}\N{NO-BREAK SPACE}%"


def answer(card: Card) -> str:
    """The one sentence that answers the question of a life."""
    headline = card.headline
    start = headline.m0.value
    end = headline.m_final.value
    if start is None or end is None:
        return "This life cannot be told: it has no headline figure."
    words = headline_words([card])
    way = f"from {percent(start)} {words.share} at the start to {percent(end)} at the end"
    half_life = headline.half_life.value
    if is_lost_at_once(half_life, headline.aging_detected):
        return f"Half was lost with the first write, and no trend is seen after it: {way}."
    if half_life is not None:
        noun = "session" if half_life == 1 else "sessions"
        return f"It lost half of what it knew within {half_life:.1f} {noun}: {way}."
    if headline.half_life_censored:
        return f"It kept more than half of what it knew for all {card.n_sessions} sessions: {way}."
    return f"It went {way}."


def follow_up(
    card: Card,
    diagnosis: LifeDiagnosis | None,
    autopsy: AutopsyDocument | None,
    counts: AnswerCounts | None,
) -> list[str]:
    """What stands behind the answer: all questions, the stage, the first cause, the floor."""
    sentences = []
    floor = card.headline.figure("floor").value
    ceiling = card.headline.figure("ceiling").value
    if floor is not None and ceiling is not None:
        sentences.append(
            f"Without any memory that share would be {percent(floor)}, with the whole history"
            f" {percent(ceiling)}."
        )
    if counts is not None:
        sentences.append(
            f"Of all questions of every kind {counts.right} of {counts.asked} were answered right"
            f" ({percent(counts.right / counts.asked)})."
        )
    sentences += _shock_sentences(card)
    if diagnosis is not None and diagnosis.stage:
        stage = plain(diagnosis.stage)
        sentences.append(f"Most is lost {_STAGE_WORDS.get(stage, f'at the stage {stage}')}.")
    if autopsy is not None and autopsy.summary.causes:
        causes = autopsy.summary.causes
        first = max(causes, key=lambda cause: causes[cause])
        failed = autopsy.summary.failed_probes
        sentences.append(
            f"The most frequent cause of the {failed} wrong answers is"
            f" “{in_words(first)}” ({causes[first]}): {CAUSE_WORDS.get(first, 'see below')}."
        )
    return sentences


def _shock_sentences(card: Card) -> list[str]:
    """What the events of a life changed, against the same life without them."""
    figure = card.mechanism_metrics.maintenance.figure("shock_delta")
    if figure.value is None or figure.interval is None:
        return []
    low, high = figure.interval
    if low is None or high is None:
        return []
    where = f"After {_event_names(card)} it got"
    bounds = f"95 % interval {_points(low)} to {_points(high)}, {figure.count} pairs of answers"
    if not round(figure.value, 2):
        return [f"{where} as much right as the same life without that ({bounds})."]
    way = "more" if figure.value > 0 else "less"
    certainty = "beyond chance" if low > 0 or high < 0 else "which may be chance"
    size = _percentage_points(figure.value)
    return [f"{where} {size} {way} right than the same life without that ({bounds}), {certainty}."]


def _event_names(card: Card) -> str:
    return ", ".join(events(card)) or "its events"


def _percentage_points(difference: float) -> str:
    points = round(100 * abs(difference))
    noun = "percentage point" if points == 1 else "percentage points"
    return f"{points}\N{NO-BREAK SPACE}{noun}"


def _points(share: float) -> str:
    return f"{100 * share:+.0f}\N{NO-BREAK SPACE}%".replace("-", "\N{MINUS SIGN}")


def verdict(card: Card) -> str:
    words = {True: "Aging: yes", False: "Aging: no", None: "Aging: cannot be told"}
    reason = aging_reason(card)
    text = words[card.headline.aging_detected]
    return f"{text} ({reason})" if reason else text


def curve_title(card: Card) -> str:
    """The largest loss between neighbouring points whose intervals lie apart, if any do."""
    points = [row for row in curve_rows(card) if row["m"] is not None]
    if not points:
        return "Nothing was measured"
    drops = []
    for before, after in itertools.pairwise(points):
        has_intervals = before["low"] is not None and after["high"] is not None
        if has_intervals and after["high"] < before["low"]:
            drops.append((before["m"] - after["m"], after["t"]))
    if not drops:
        shock = card.mechanism_metrics.maintenance.figure("shock_delta")
        is_loss = shock.interval is not None and (shock.interval[1] or 0.0) < 0
        if shock.value is not None and is_loss:
            lost = _percentage_points(shock.value)
            return f"After {_event_names(card)} it gets {lost} less right than without that"
        if is_lost_at_once(card.headline.half_life.value, card.headline.aging_detected):
            return "Half was lost with the first write; no single session after it stands out"
        return "No single session stands out: the intervals of neighbouring points overlap"
    largest, at = max(drops)
    return f"The largest loss, {percent(largest)} of the answers, came by session {at:g}"


def stage_title(diagnosis: LifeDiagnosis) -> str:
    names = {"W": "write", "R": "retrieval", "U": "utilization", "W+R": "write and retrieval"}
    shares = diagnosis.share_values()
    if not shares:
        return "Where answers were lost"
    first = max(shares, key=lambda key: shares[key])
    return f"Asked again with help: {names.get(first, first)} costs {percent(shares[first])}"


def token_title(spent: Sequence[tuple[int, int, int]]) -> str:
    costliest = max(spent, key=lambda row: row[1] + row[2])
    total = sum(row[1] + row[2] for row in spent)
    return f"Session {costliest[0]} took the most of {total:,} tokens"


def mechanism_title(card: Card) -> str:
    """The mechanism whose leading figure is the lowest of these, where one was exercised."""
    leading = {}
    names = {}
    for name, section in mechanism_sections(card).items():
        names[name] = MECHANISM_FIGURES[name][0]
        value = section.figure(names[name]).value
        if value is not None and name != "maintenance":
            leading[name] = value
    if not leading:
        return "No mechanism was exercised"
    worst = min(leading, key=lambda name: leading[name])
    share = percent(leading[worst])
    figure = f"{in_words(names[worst])} ({worst})"
    return f"Of the first figure of each mechanism, {figure} is the lowest: {share}"


def autopsy_title(autopsy: AutopsyDocument | None) -> str:
    if autopsy is None or not autopsy.summary.losses:
        return "What became of the facts"
    steps = autopsy.summary.losses
    worst = max(steps, key=lambda step: step.not_written + step.lost)
    gone = worst.not_written + worst.lost
    if not gone:
        failed = autopsy.summary.failed_probes
        return f"No fact was lost from the memory; {failed} answers were wrong all the same"
    noun = "fact" if gone == 1 else "facts"
    equal = [step_words(step) for step in steps if step.not_written + step.lost == gone]
    names = " and the ".join(equal)
    if len(equal) > MOST_TIES:
        names = f"{equal[0]} and {len(equal) - 1} other steps"
    each = " each" if len(equal) > 1 else ""
    return f"The most facts were not written or lost at the {names}: {gone} {noun}{each}"


def account_title(readings: Mapping[str, Sequence[AccountReading]]) -> str:
    rows = [reading for series in readings.values() for reading in series]
    right = sum(reading.said == reading.gold for reading in rows)
    return f"Its running totals were right {right} of {len(rows)} times"


def repair_hint(diagnosis: LifeDiagnosis | None) -> dict[str, str]:
    if diagnosis is None or not isinstance(diagnosis.hint, dict):
        return {}
    return {key: str(value) for key, value in diagnosis.hint.items() if value}
