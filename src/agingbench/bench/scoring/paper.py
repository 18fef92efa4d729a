"""What the paper defines, to the letter, beside what we define.

These figures match keywords anywhere in a text and count point 0 as any other. They can be earned
without knowledge: `validate bounds` shows what each is worth to an agent that knows nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec
import numpy as np
from msgspec import UNSET, UnsetType

from agingbench.bench.plan.facts import Fact, sessions_before
from agingbench.bench.plan.plan import RETRACTED, Plan, Probe
from agingbench.bench.scoring.classes import DEPENDENCY_TYPES
from agingbench.cards.figures import NO_FIGURE, Figure, Section
from agingbench.metrics.halflife import TINY, crossing
from agingbench.metrics.intervals import MISSING, Estimate, clustered_mean
from agingbench.text import matching
from agingbench.text.values import Value

RETRACTED_TYPES = ("list", RETRACTED)  # what asks for facts that were taken back
LONG = 5  # letters of a keyword, at least
ENOUGH = 0.3  # of the keywords of a dependency: as good as all of them

Curve = list[tuple[int, float, int]]  # point, value, n


class ProbeReply(NamedTuple):
    """An answer as the paper reads it: its probe, its text in lower case, what we find it worth."""

    probe: Probe
    text: str
    value: float


class PaperSection(Section, frozen=True, kw_only=True):
    """The paper's figures of one life; outside our bounds."""

    metric_name: str
    curve: Curve
    m0: Figure = NO_FIGURE
    m_final: Figure = NO_FIGURE
    decay_slope: Figure = NO_FIGURE
    time_average: Figure = NO_FIGURE
    half_life: Figure = NO_FIGURE
    hazard_proxy: Figure = NO_FIGURE
    dep_recall: Figure
    lookup_accuracy: Figure
    forget_accuracy: Figure
    chain_recall_by_version_depth: list[tuple[int, float, int]]  # versions, value, n
    chain_recall_by_hops: list[tuple[int, float, int]]  # facts in the chain, value, n
    workspace_fidelity: Figure | UnsetType = UNSET
    shock_delta: Figure | UnsetType = UNSET


class KeywordWatch:
    """Counts, while the texts of a memory pass by, the keywords that each of them holds.

    Keywords are those of the facts that the point inspects. `keyword_m` counts every value told of
    them so far; for `summarization_fidelity` one keyword of a fact is enough, be it its value or a
    long word of its subject.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.keyword_m: Curve = []
        self.summarization_fidelity: Curve = []
        self._text = ""
        self._found: dict[str, bool] = {}

    def watch(self, texts: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
        """Pass the texts on, point by point."""
        for t, text in texts:
            visible = self.plan.sessions[0].text if t == 0 else text
            self._read(visible.lower())
            self._note(t)
            yield t, text

    def _read(self, text: str) -> None:
        # What a text that only grows has held it still holds; what it has not may stand in the new
        # part, or across the seam.
        if not text.startswith(self._text):
            self._found = {}
        else:
            self._found = {word: True for word, is_there in self._found.items() if is_there}
        self._text = text

    def _holds(self, keyword: str) -> bool:
        if keyword not in self._found:
            self._found[keyword] = keyword in self._text
        return self._found[keyword]

    def _note(self, t: int) -> None:
        facts = [self.plan.graph.by_id[name] for name in self.plan.inspected[t]]
        if not facts:
            return

        told: dict[str, None] = {}
        survivors = 0
        for fact in facts:
            told |= dict.fromkeys(_told_values(fact, t))
            keywords = [*_current_values(fact, t), *_subject_words(fact)]
            survivors += any(self._holds(word) for word in keywords)

        hits = sum(self._holds(word) for word in told)
        self.keyword_m.append((t, hits / len(told), len(told)))
        self.summarization_fidelity.append((t, survivors / len(facts), len(facts)))


def _told_values(fact: Fact, t: int) -> list[str]:
    sessions = sessions_before(t)
    told = [version for version in fact.versions if version.session < sessions]
    return [word for version in told for word in keywords_of(version.value)]


def _current_values(fact: Fact, t: int) -> list[str]:
    version = fact.at(t)
    return keywords_of(version.value) if version is not None else []


def _subject_words(fact: Fact) -> list[str]:
    return [word.lower() for word in fact.subject if len(word) >= LONG]


def keywords_of(value: Value) -> list[str]:
    """The texts that the paper looks for: a value as it is written, or each member of a set."""
    members = matching.prepare(value).members
    values = members or (value,)
    return [member.text.lower() for member in values]


# -- one answer


def cites(text: str, value: Value) -> bool:
    """Whether an answer holds any keyword of a value."""
    return any(keyword in text for keyword in keywords_of(value))


def saturating_recall(plan: Plan, reply: ProbeReply) -> float:
    """The share of the keywords of what a probe depends on, where three tenths are enough."""
    keywords: set[str] = set()
    for name in reply.probe.facts:
        version = plan.graph.by_id[name].at(reply.probe.t)
        if version is not None:
            keywords |= long_words(version.sentence)

    hits = sum(keyword in reply.text for keyword in keywords)
    return min(1.0, hits / max(ENOUGH * len(keywords), 1.0))


def long_words(text: str) -> set[str]:
    """The words of a text with more than four letters or digits, in lower case."""
    return {word for word in re.findall(r"\w+", text.lower()) if len(word) >= LONG}


def _cited_share(reply: ProbeReply) -> float:
    hits = [cites(reply.text, value) for value in reply.probe.required]
    return sum(hits) / len(hits) if hits else 0.0


def _headline_value(plan: Plan, reply: ProbeReply) -> float | None:
    """What an answer is worth to the scenario's headline; None where it is no part of it."""
    if plan.headline == "dep_recall":
        is_part = reply.probe.type in DEPENDENCY_TYPES
        return saturating_recall(plan, reply) if is_part else None
    if reply.probe.weight is None:
        return None

    share = _cited_share(reply)
    if plan.headline == "constraint_precision":
        return float(share > 0)
    if plan.headline == "recall_rate":
        return float(share == 1)
    return share


# -- a life


def headline_curve(plan: Plan, replies: Sequence[ProbeReply], keywords: KeywordWatch) -> Curve:
    """The scenario's headline as the paper defines it, at every point from 0 on."""
    if plan.headline == "keyword_m":
        return keywords.keyword_m
    if plan.headline == "summarization_fidelity":
        return keywords.summarization_fidelity

    by_point: dict[int, list[float]] = {}
    for reply in replies:
        value = _headline_value(plan, reply)
        if value is not None:
            by_point.setdefault(reply.probe.t, []).append(value)
    return _means(by_point)


def _means(groups: Mapping[int, Sequence[float]]) -> Curve:
    return [(key, sum(groups[key]) / len(groups[key]), len(groups[key])) for key in sorted(groups)]


def probe_figures(plan: Plan, replies: Iterable[ProbeReply]) -> dict[str, Estimate]:
    """The paper's figures that are means over probes, from point 1 on."""
    rows: dict[str, list[tuple[float, str]]] = {
        "dep_recall": [],
        "lookup_accuracy": [],
        "forget_accuracy": [],
    }
    for reply in replies:
        probe = reply.probe
        if probe.t < 1:
            continue
        if probe.type in DEPENDENCY_TYPES:
            is_found = _cited_share(reply) == 1
            rows["dep_recall"].append((saturating_recall(plan, reply), probe.cluster))
            rows["lookup_accuracy"].append((float(is_found), probe.cluster))
        if probe.type in RETRACTED_TYPES and probe.stale:
            is_cited = any(cites(reply.text, value) for value in probe.stale)
            rows["forget_accuracy"].append((float(not is_cited), probe.cluster))

    return {name: _mean(marks) for name, marks in rows.items()}


def _mean(marks: Sequence[tuple[float, str]]) -> Estimate:
    if not marks:
        return MISSING
    values = [value for value, _ in marks]
    facts = [fact for _, fact in marks]
    return clustered_mean(values, [1.0] * len(values), facts)


def paper_section(
    plan: Plan,
    replies: Sequence[ProbeReply],
    keywords: KeywordWatch,
    workspace_fidelity: Mapping[int, Estimate] | None,
) -> PaperSection:
    """Every figure of the paper for one life."""
    curve = headline_curve(plan, replies, keywords)
    figures = probe_figures(plan, replies)
    depths: dict[int, list[float]] = {}
    hops: dict[int, list[float]] = {}
    for reply in replies:
        probe = reply.probe
        if probe.t < 1 or probe.type not in ("standalone", *DEPENDENCY_TYPES):
            continue
        facts = [plan.graph.by_id[name] for name in probe.facts]
        depth = max(fact.depth_at(probe.t) for fact in facts)
        depths.setdefault(depth, []).append(reply.value)
        if probe.type == "multi_hop":
            hops.setdefault(len(facts), []).append(reply.value)

    section = PaperSection(
        metric_name=plan.headline,
        curve=curve,
        dep_recall=Figure.of(figures["dep_recall"]),
        lookup_accuracy=Figure.of(figures["lookup_accuracy"]),
        forget_accuracy=Figure.of(figures["forget_accuracy"]),
        chain_recall_by_version_depth=_means(depths),
        chain_recall_by_hops=_means(hops),
    )
    section = msgspec.structs.replace(section, **_curve_figures(curve))
    if workspace_fidelity is None:
        return section

    values = [part.value for part in workspace_fidelity.values() if part.value is not None]
    mean = sum(values) / len(values) if values else None
    return msgspec.structs.replace(section, workspace_fidelity=Figure(mean, n=len(values)))


def _curve_figures(curve: Curve) -> dict[str, Figure]:
    """Slope, average, half-life and hazard with t = 0 as a point like any other."""
    n = len(curve)
    names = ("m0", "m_final", "decay_slope", "time_average", "half_life", "hazard_proxy")
    if n == 0:
        return {name: Figure(None, n=0) for name in names}

    ts = np.array([float(t) for t, _, _ in curve])
    ms = np.array([m for _, m, _ in curve])
    x = ts - ts.mean()
    slope = float(x @ ms) / float(x @ x) if n > 1 else None

    m0 = float(ms[0]) if ts[0] == 0 else None
    half_life = None
    hazard = None
    if m0 is not None:
        half_life = crossing(ts[1:], ms[1:], m0)
        hazard = float((ms < 0.5 * m0 * (1 - TINY)).mean())

    return {
        "m0": Figure(m0, n=curve[0][2] if m0 is not None else 0),
        "m_final": Figure(float(ms[-1]), n=curve[-1][2]),
        "decay_slope": Figure(slope, n=n),
        "time_average": Figure(float(ms.mean()), n=n),
        "half_life": Figure(half_life, n=n),
        "hazard_proxy": Figure(hazard, n=n),
    }
