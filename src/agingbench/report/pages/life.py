"""The page of one life: from its card, and from its run folder where there is one."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from agingbench.cards.figures import Figure
from agingbench.cards.model import Card
from agingbench.metrics.mechanisms import AccountReading
from agingbench.report.autopsy import answer_words, fate_words, step_words
from agingbench.report.diagnosis import LifeDiagnosis, read_diagnosis
from agingbench.report.layout import MISSING, in_words, interval_text, number
from agingbench.report.pages.charts import (
    PageChart,
    TableCell,
    account_chart,
    curve_chart,
    curve_rows,
    stage_chart,
    token_chart,
)
from agingbench.report.pages.walk import (
    AS_LIVED,
    WalkSession,
    WalkSources,
    fact_anchor,
    probe_anchor,
    walk,
)
from agingbench.report.series import condition, events, half_life_words, last_point, turned_dials
from agingbench.report.terminal import (
    BOUNDS,
    HEADLINE_FIGURES,
    MECHANISM_FIGURES,
    card_notes,
    cost_words,
    mechanism_sections,
)
from agingbench.report.text import plain
from agingbench.text.matching import numbers
from agingbench.trials.autopsy import (
    AccountStory,
    AutopsyDocument,
    FactStory,
    ProbeStory,
    read_autopsy,
)
from agingbench.trials.run_folder import LifeFiles, ScoreRecord

# Where something lies on the time line of a life, beside the questions of its point.
BEFORE_QUESTIONS = 0.2
AFTER_QUESTIONS = 0.5


class FigureRow(msgspec.Struct, frozen=True):
    """A figure with its interval, in words and as the bar that a page draws."""

    name: str
    value: str
    interval: str
    n: str
    group: str = ""
    share: float | None = None  # where the bar ends, 0 to 1
    low: float | None = None
    high: float | None = None


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


class LifePage(msgspec.Struct, frozen=True):
    """Everything that the page of a life shows."""

    title: str
    condition: str
    dials: str
    answer: str
    follow_up: list[str]
    verdict: str
    tiles: list[FigureRow]
    headline: list[FigureRow]
    mechanism_title: str
    mechanisms: list[FigureRow]
    charts: dict[str, PageChart]
    account_title: str
    accounts: list[PageChart]
    repair: str
    evidence: str
    autopsy_title: str
    causes: list[tuple[str, int, float]]
    loss_steps: list[list[TableCell]]
    biographies: list[FactBiography]
    walk: list[WalkSession]
    cost: str
    notes: list[str]
    missing: list[str]
    provenance: list[tuple[str, str]]


def life_page(document: Mapping[str, Any], folder: Path | None) -> LifePage:
    """The page of a life; without its folder it has no walk, no autopsy and no accounts."""
    card = Card.read(document)
    diagnosis = read_diagnosis(document)
    lifecycle = lifecycle_labels(card)
    missing: list[str] = []
    sources, autopsy = _sources(folder, lifecycle, missing)

    charts = {"curve": curve_chart(card, _curve_title(card), lifecycle)}
    if diagnosis is not None and diagnosis.sessions:
        charts["stages"] = stage_chart(diagnosis, _stage_title(diagnosis))
    readings_by_name: dict[str, list[AccountReading]] = {}
    if sources is not None:
        spent = _tokens(sources)
        if spent:
            charts["tokens"] = token_chart(spent, _token_title(spent))
        readings_by_name = _accounts(sources)
    accounts = []
    for place, (name, readings) in enumerate(readings_by_name.items()):
        accounts.append(account_chart(place, name, readings))

    hint = _hint(diagnosis)
    return LifePage(
        title=plain(card.sut.sut_id),
        condition=f"{condition(card)}, seed {card.seed}",
        dials=turned_dials(card),
        answer=_answer(card),
        follow_up=_follow_up(card, diagnosis, autopsy),
        verdict=_verdict(card),
        tiles=_tiles(card),
        headline=_headline(card),
        mechanism_title=_mechanism_title(card),
        mechanisms=_mechanisms(card),
        charts=charts,
        account_title=_account_title(readings_by_name),
        accounts=accounts,
        repair=hint.get("try", ""),
        evidence=hint.get("evidence", ""),
        autopsy_title=_autopsy_title(autopsy),
        causes=_causes(autopsy),
        loss_steps=_loss_steps(autopsy),
        biographies=_biographies(autopsy),
        walk=walk(sources) if sources is not None else [],
        cost=cost_words(card.cost_and_efficiency),
        notes=card_notes(card),
        missing=missing,
        provenance=_provenance(card),
    )


def lifecycle_labels(card: Card) -> dict[int, str]:
    """The lifecycle events of a life by the point at which they struck."""
    labels: dict[int, list[str]] = {}
    for event in events(card):
        match = re.search(r"@(\d{1,9})(?=$|:)", event)
        if match:
            name = event[: match.start()] + event[match.end() :]
            labels.setdefault(int(match[1]), []).append(in_words(name))
    return {t: ", ".join(names) for t, names in labels.items()}


# -- what a folder holds


def _sources(
    folder: Path | None, lifecycle: Mapping[int, str], missing: list[str]
) -> tuple[WalkSources | None, AutopsyDocument | None]:
    if folder is None or not (folder / "plan.json").exists():
        missing.append("Only the card was given: the walk, the autopsy and the accounts need the")
        missing[-1] += " run folder."
        return None, None

    files = LifeFiles(folder)
    autopsy = _autopsy(files, missing)
    stories = {story.probe: story for story in autopsy.probes} if autopsy is not None else {}
    scores = ScoreRecord()
    if files.metrics.exists():
        scores = files.scores()
    else:
        missing.append("There is no metrics.json: `agingbench score` decides the answers.")
    sources = WalkSources(
        files=files,
        plan=files.plan_record(),
        events=files.events() if files.trace.exists() else [],
        answers=files.answer_rows() if files.answers.exists() else [],
        scores=scores,
        stories=stories,
        lifecycle=lifecycle,
    )
    return sources, autopsy


def _autopsy(files: LifeFiles, missing: list[str]) -> AutopsyDocument | None:
    if not files.autopsy.exists():
        missing.append("There is no autopsy.json: `agingbench autopsy` follows every lost fact.")
        return None
    return read_autopsy(files.autopsy)


# -- sentences

_STAGE_WORDS = {
    "write": "when the memory is written",
    "retrieval": "when the memory is searched",
    "utilization": "when the answer is made from what was read",
    "store": "while it lies in the store",
    "write+retrieval": "between being told and being read again, in writing or in searching",
}


def _percent(share: float | None) -> str:
    return MISSING if share is None else f"{100 * share:.0f}\N{NO-BREAK SPACE}%"


def _answer(card: Card) -> str:
    """The one sentence that answers the question of a life."""
    headline = card.headline
    start = headline.m0.value
    end = headline.m_final.value
    if start is None or end is None:
        return "This life cannot be told: it has no headline figure."
    way = f"from {_percent(start)} right answers at the start to {_percent(end)} at the end"
    half_life = headline.half_life.value
    if half_life is not None:
        noun = "session" if half_life == 1 else "sessions"
        return f"It lost half of what it knew within {half_life:.1f} {noun}: {way}."
    if headline.half_life_censored:
        return f"It kept more than half of what it knew for all {card.n_sessions} sessions: {way}."
    return f"It went {way}."


def _follow_up(
    card: Card, diagnosis: LifeDiagnosis | None, autopsy: AutopsyDocument | None
) -> list[str]:
    """What stands behind the answer: the stage, the most frequent cause, the floor."""
    sentences = []
    if diagnosis is not None and diagnosis.stage:
        stage = plain(diagnosis.stage)
        sentences.append(f"Most is lost {_STAGE_WORDS.get(stage, f'at the stage {stage}')}.")
    if autopsy is not None and autopsy.summary.causes:
        causes = autopsy.summary.causes
        first = max(causes, key=lambda cause: causes[cause])
        failed = autopsy.summary.failed_probes
        sentences.append(
            f"Of {failed} wrong answers, {causes[first]} have one cause: {in_words(first)}."
        )
    floor = card.headline.figure("floor").value
    ceiling = card.headline.figure("ceiling").value
    if floor is not None and ceiling is not None:
        sentences.append(
            f"Without any memory it would get {_percent(floor)}, with the whole history"
            f" {_percent(ceiling)}."
        )
    return sentences


def _verdict(card: Card) -> str:
    words = {True: "Aging: yes", False: "Aging: no", None: "Aging: cannot be told"}
    reason = plain(card.headline.others.get("aging_reason") or "").removeprefix("aging: ")
    text = words[card.headline.aging_detected]
    return f"{text} ({reason})" if reason else text


def _curve_title(card: Card) -> str:
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
        return "No single session stands out: neighbouring points differ by no more than chance"
    largest, at = max(drops)
    return f"The largest loss, {_percent(largest)} of the answers, came by session {at:g}"


def _stage_title(diagnosis: LifeDiagnosis) -> str:
    names = {"W": "write", "R": "retrieval", "U": "utilization", "W+R": "write and retrieval"}
    shares = diagnosis.share_values()
    if not shares:
        return "Where answers were lost"
    first = max(shares, key=lambda key: shares[key])
    return f"{names.get(first, first).capitalize()} loses {_percent(shares[first])} of the answers"


def _token_title(spent: Sequence[tuple[int, int, int]]) -> str:
    costliest = max(spent, key=lambda row: row[1] + row[2])
    total = sum(row[1] + row[2] for row in spent)
    return f"Session {costliest[0]} took the most of {total:,} tokens"


def _mechanism_title(card: Card) -> str:
    """The mechanism with the lowest leading figure, where one was exercised."""
    leading = {}
    for name, section in mechanism_sections(card).items():
        value = section.figure(MECHANISM_FIGURES[name][0]).value
        if value is not None and name != "maintenance":
            leading[name] = value
    if not leading:
        return "No mechanism was exercised"
    worst = min(leading, key=lambda name: leading[name])
    return f"{worst.capitalize()} has the lowest figure: {_percent(leading[worst])} right"


def _autopsy_title(autopsy: AutopsyDocument | None) -> str:
    if autopsy is None or not autopsy.summary.losses:
        return "What became of the facts"
    steps = autopsy.summary.losses
    worst = max(steps, key=lambda step: step.not_written + step.lost)
    gone = worst.not_written + worst.lost
    return f"The {step_words(worst)} lost the most: {gone} facts"


def _account_title(readings: Mapping[str, Sequence[AccountReading]]) -> str:
    rows = [reading for series in readings.values() for reading in series]
    right = sum(reading.said == reading.gold for reading in rows)
    return f"Its running totals were right {right} of {len(rows)} times"


def _hint(diagnosis: LifeDiagnosis | None) -> dict[str, str]:
    if diagnosis is None or not isinstance(diagnosis.hint, dict):
        return {}
    return {key: str(value) for key, value in diagnosis.hint.items() if value}


# -- figures


def _tiles(card: Card) -> list[FigureRow]:
    """The figures of the first screen: start, end, half-life, floor and ceiling."""
    headline = card.headline
    rows = [
        _share_tile("at the start", headline.m0),
        _share_tile("at the end", headline.m_final),
    ]
    rows.append(_half_life_tile(card))
    labels = {"floor": "floor, without memory", "ceiling": "ceiling, whole history"}
    for key, label in labels.items():
        figure = headline.figure(key)
        if figure.value is not None:
            rows.append(_share_tile(label, figure))
    return rows


def _half_life_tile(card: Card) -> FigureRow:
    half = _row("half-life", card.headline.half_life, 1, False, "points")
    if half.value == MISSING and card.headline.half_life_censored:
        end = f"> {last_point(card):g}"
        return msgspec.structs.replace(half, value=end, interval="half was never lost")
    words = "sessions" if half.value != MISSING else half_life_words(card)
    return msgspec.structs.replace(half, value=f"{half.value} {words}")


def _share_tile(name: str, figure: Figure) -> FigureRow:
    interval = MISSING
    if figure.interval is not None:
        low, high = figure.interval
        interval = f"{_percent(low)} to {_percent(high)}"
    return FigureRow(name, _percent(figure.value), interval, f"n = {figure.count}")


def _headline(card: Card) -> list[FigureRow]:
    rows = []
    for key, label, unit, decimals, signed in HEADLINE_FIGURES:
        rows.append(_row(label, card.headline.figure(key), decimals, signed, unit))
    for key, label in BOUNDS:
        figure = card.headline.figure(key)
        if figure.value is not None:
            rows.append(_row(label, figure, 2, False, "probes"))
    half = card.headline.half_life
    row = _row("half-life", half, 1, False, "points")
    rows.insert(2, msgspec.structs.replace(row, value=half_life_words(card), share=None))
    return rows


def _mechanisms(card: Card) -> list[FigureRow]:
    rows = []
    for name, section in mechanism_sections(card).items():
        figures = {key: section.figure(key) for key in MECHANISM_FIGURES[name]}
        measured = {key: figure for key, figure in figures.items() if figure.value is not None}
        if not measured or f"mechanism_not_exercised:{name}" in card.warnings:
            rows.append(FigureRow("not exercised", MISSING, MISSING, MISSING, name))
            continue
        for key, figure in measured.items():
            row = _row(in_words(key), figure, 2, key == "delta", "")
            rows.append(msgspec.structs.replace(row, group=name))
    return rows


def _row(name: str, figure: Figure, decimals: int, signed: bool, unit: str) -> FigureRow:
    n = MISSING
    if figure.count:
        n = f"{figure.count} {unit}".strip()
    share = low = high = None
    if figure.value is not None and not signed and 0 <= figure.value <= 1:
        share = figure.value
        low, high = figure.interval or (None, None)
    return FigureRow(
        name,
        number(figure.value, decimals, signed),
        interval_text(figure.interval, decimals, signed),
        n,
        "",
        share,
        low,
        high,
    )


def _provenance(card: Card) -> list[tuple[str, str]]:
    origin = card.provenance.document()
    rows = [("card made", plain(card.generated_at)), ("run", plain(card.run_id))]
    for key in ("agingbench_version", "trial_id", "record_hash", "plan_hash"):
        if origin.get(key):
            rows.append((in_words(key), plain(origin[key])))
    if card.content_hash:
        rows.append(("content hash", plain(card.content_hash)))
    return rows


# -- autopsy


def _causes(autopsy: AutopsyDocument | None) -> list[tuple[str, int, float]]:
    if autopsy is None:
        return []
    summary = autopsy.summary
    rows = []
    for cause, n in sorted(summary.causes.items(), key=lambda item: -item[1]):
        rows.append((in_words(cause), n, n / summary.failed_probes))
    return rows


def _loss_steps(autopsy: AutopsyDocument | None) -> list[list[TableCell]]:
    if autopsy is None:
        return []
    rows = []
    for step in autopsy.summary.losses:
        counts = (step.told, step.not_written, step.lost, step.came_back)
        first = TableCell(step_words(step), f"s-{step.point}")
        rows.append([first, *(TableCell(str(count)) for count in counts)])
    return rows


def _biographies(autopsy: AutopsyDocument | None) -> list[FactBiography]:
    """One biography per fact that a wrong answer needed, those that cost most first."""
    if autopsy is None:
        return []
    failures: dict[str, list[tuple[ProbeStory, FactStory | AccountStory]]] = {}
    for story in autopsy.probes:
        for fact in story.facts:
            key = fact.account if isinstance(fact, AccountStory) else fact.fact
            failures.setdefault(key, []).append((story, fact))
    rows = [_biography(key, pairs) for key, pairs in failures.items()]
    return sorted(rows, key=lambda row: -row.failures)


def _biography(
    key: str, pairs: Sequence[tuple[ProbeStory, FactStory | AccountStory]]
) -> FactBiography:
    last = pairs[-1][1]
    steps: list[tuple[float, BiographyStep]] = [(_when_told(last.introduced), _told(last))]
    if isinstance(last, FactStory):
        for session in last.rewritten:
            step = BiographyStep(f"Rewritten in session {session}", f"s-{session}")
            steps.append((_when_told(session), step))
        if last.lost_at is not None:
            point = last.lost_at.point
            step = BiographyStep(_sentence(fate_words(last)), f"s-{point}", "lost")
            steps.append((point - BEFORE_QUESTIONS, step))
        fate = "lost" if last.store in ("never_written", "lost") else "still there"
    else:
        for part in last.missing:
            words = f"{part.part.capitalize()} of {part.value}, told in session {part.told_at}: "
            step = BiographyStep(words + fate_words(part), f"s-{part.told_at}", "lost")
            steps.append((_when_told(part.told_at), step))
        fate = f"{last.n_missing} parts not read" if last.n_missing else "all parts read"

    for story, _ in pairs:
        said = answer_words(msgspec.structs.replace(story.said, text=""))
        cause = f" ({in_words(story.cause)})" if story.cause else ""
        wanted = "; ".join(story.wanted)
        words = f"Asked at session {story.t} for {wanted}; answered: {said}{cause}"
        steps.append((story.t, BiographyStep(words, probe_anchor(story.probe))))
    in_order = [step for _, step in sorted(steps, key=lambda pair: pair[0])]
    return FactBiography(fact_anchor(key), last.what, last.value, fate, in_order, len(pairs))


def _told(fact: FactStory | AccountStory) -> BiographyStep:
    return BiographyStep(f"Told in session {fact.introduced}", f"s-{fact.introduced}")


def _when_told(session: int) -> float:
    # The questions of a session come before its text; those of session 0 have it at hand.
    return -1.0 if session == 0 else session + AFTER_QUESTIONS


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]


# -- accounts and tokens


def _accounts(sources: WalkSources) -> dict[str, list[AccountReading]]:
    """What each account held when it was asked for, beside the amount that the answer named."""
    names = {account.id: account.name for account in sources.plan.graph.accounts}
    verdicts = {row.probe: row.verdict for row in sources.scores.answers}
    readings: dict[str, list[AccountReading]] = {}
    for probe in sources.plan.probes:
        verdict = verdicts.get(probe.id)
        amounts = numbers(probe.required[0].text) if probe.required else []
        is_known = verdict is not None and verdict != "failed"
        if probe.type != "account" or not is_known or not amounts:
            continue
        gold = amounts[0].value
        said: float | None = gold
        if verdict != "correct":
            said = _amount_said(sources.stories.get(probe.id))
        account = probe.account or ""
        reading = AccountReading(probe.t, account, gold, said)
        readings.setdefault(names.get(account, account), []).append(reading)
    return readings


def _amount_said(story: ProbeStory | None) -> float | None:
    if story is None or isinstance(story.said.amount, msgspec.UnsetType):
        return None
    return story.said.amount


def _tokens(sources: WalkSources) -> list[tuple[int, int, int]]:
    """Tokens read and written per session; empty where a call does not say them."""
    spent: dict[int, list[int]] = {}
    calls: list[tuple[int, Any]] = [
        (event.session, event.usage)
        for event in sources.events
        if event.session is not None and event.usage is not None
    ]
    calls += [(row.t, row.usage) for row in sources.answers if row.condition == AS_LIVED]
    for t, usage in calls:
        if not usage.calls:
            continue
        if usage.input_tokens is None or usage.output_tokens is None:
            return []
        total = spent.setdefault(t, [0, 0])
        total[0] += usage.input_tokens
        total[1] += usage.output_tokens
    return [(t, total[0], total[1]) for t, total in sorted(spent.items())]
