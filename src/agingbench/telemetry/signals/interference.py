"""Interference: the drift of the tool mix, and visits to look-alikes, which are tested.

Two more series are reported beside it and not tested: goal anchor (how many words the agent's text
shares with the first request) and lineage (how many paths a session has in common with earlier
ones).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from agingbench.errors import MissingExtra
from agingbench.metrics.mix import MixFit, fit_mix, visible_variation
from agingbench.metrics.permutation import Floats, Orders, critical_value
from agingbench.metrics.trend import zero_filled
from agingbench.telemetry.inference.evidence import Mechanism, Signal, emphasise, joint_test
from agingbench.telemetry.inference.null_model import NullModel, PermutationTest
from agingbench.telemetry.inference.requests import TurnValues
from agingbench.telemetry.inference.serial_correlation import SerialCorrelation
from agingbench.telemetry.inference.work import Work
from agingbench.telemetry.sessions.aggregates import Counts, TraceSession, TraceSessions
from agingbench.telemetry.sessions.look_alikes import TOOL
from agingbench.telemetry.sessions.tool_mix import request_shares, tool_shares
from agingbench.telemetry.signals.compression import (
    add_trend_test,
    beyond_tool,
    count_totals,
    count_turns,
    counted_hits,
    shifted,
    tool_means,
)
from agingbench.telemetry.signals.details import InterferenceDetails, Trajectory

LEAST_CALLS = 40
LEAST_SESSIONS = 4
BASELINE = 3  # sessions
SMOOTHING = 0.5  # calls added to every tool, so that no share is 0
LISTED_TOOLS = 5
HALF_WIDTH = 1.645  # standard errors on either side of a 90 % interval
LEAST_VISITS = 20  # of a kind of target
LEAST_MISTAKES = 10  # over the trace, from which a rise can be told
DILUTED = 0.25  # share of mistakes, against the kind with most, below which a kind is left out
# A rise of 15 points where one may be mistaken is less of all visits, and more of it is left of
# calls, of which fewer kinds count.
MODERATE_VISITS = 0.06
MODERATE_TOOLS = 0.08
RARE_SCALE = 4.0  # rare hits differ mostly by chance, so that long sessions count for more
_WORD = re.compile(r"\w{2,}")


def interference(
    trace: TraceSessions,
    null: NullModel,
    alpha: float,
    by_day: bool,
    work: Work,
    serial: SerialCorrelation,
) -> Mechanism:
    """Return the mechanism: the drift of the tool mix, and visits to look-alikes.

    `by_day` says that whole days have to be exchanged as well.
    """
    shares, counts, names = tool_shares(trace)
    signal = Signal(
        name="tool_mix_drift",
        unit="total variation first to last session, beyond chance",
        rising_is_bad=True,
        trajectory=kl_from_baseline(shares, counts),
        counts=counts,
        minimum=0.05,
        moderate=0.20,
        ceiling=None,
        floor=None,
    )
    details = _details(trace, signal.trajectory)
    mechanism = Mechanism("interference", "tool_mix_drift", [signal], None, details)

    several_tools = shares.shape[1] >= 2
    active = sum(count > 0 for count in counts)
    enough = null.n_sessions >= LEAST_SESSIONS and active >= LEAST_SESSIONS
    if not (several_tools and enough and sum(counts) >= LEAST_CALLS):
        return mechanism

    mix = tool_mix(trace)
    plain = mix.fit(null.orders)
    signal.plain = PermutationTest(plain.scores, None)

    conditional = mix_beyond_work(trace, mix, work)
    fit = conditional.fit(null.orders, work.mix_nuisance)
    day_fit = None
    if null.day_orders is not None:
        day_fit = conditional.fit(null.day_orders, work.mix_nuisance)

    day_scores = None if day_fit is None else day_fit.scores
    signal.test = PermutationTest(fit.scores, day_scores)
    signal.effect = fit.excess

    signal.interval = fit.interval(HALF_WIDTH)
    # Without regard to covariates that move with time; what was asked is taken out all the same.
    signal.alone = PermutationTest(conditional.fit(null.orders).scores, None)

    # Both are tested together on the same orderings.
    for mistakes in (look_alike_signal(trace.sessions), look_alike_tools(trace.sessions)):
        mechanism.signals.append(mistakes)
        if _is_seldom(mistakes):
            continue

        values = zero_filled(mistakes.trajectory)[:, None]
        mistakes.adjusted = work.without_requests(values, mistakes.turns)[:, 0]
        add_trend_test(mistakes, null, serial, work)

    emphasise(mechanism.signals)
    mechanism.test = joint_test(mechanism.signals)

    details.tools_that_moved = _moves(names, fit)

    if null.can_be_answered:
        exchanges = [fit] if day_fit is None or not by_day else [fit, day_fit]
        drifts = [_visible_drift(exchange, alpha) for exchange in exchanges]
        visible = [drift for drift in drifts if drift is not None]

        # Aging has to show under every exchange, so the least sensitive one decides.
        if len(visible) == len(drifts):
            signal.visible = max(signal.minimum, max(visible))

    return mechanism


def look_alike_signal(sessions: Sequence[TraceSession]) -> Signal:
    """Return the share of new targets that were taken for another of nearly the same name."""
    what = "share of visits to what only looks like the target"
    return _mistakes("look_alike_visits", what, sessions, MODERATE_VISITS, False)


def look_alike_tools(sessions: Sequence[TraceSession]) -> Signal:
    """Return the share of calls whose tool was taken for another of nearly the same name."""
    what = "share of calls to what only looks like the tool"
    return _mistakes("look_alike_tools", what, sessions, MODERATE_TOOLS, True)


def _mistakes(
    name: str, what: str, sessions: Sequence[TraceSession], moderate: float, of_tools: bool
) -> Signal:
    kept = _mistaken_kinds(sessions, of_tools)
    totals = [count_totals(_of_kinds(session.target_visits, kept)) for session in sessions]
    values, counts = beyond_tool(totals)
    mistakes = sum(row[1] for total in totals for row in total.values())
    turns = [_of_kinds(turn.target_visits, kept) for s in sessions for turn in s.turns]
    means = tool_means(totals)

    return Signal(
        name=name,
        unit=f"{what}, last minus first session",
        rising_is_bad=True,
        trajectory=shifted(values, mistakes / max(1, sum(counts))),
        counts=counts,
        minimum=0.02,
        moderate=moderate,
        ceiling=None,
        floor=None,
        scale=RARE_SCALE,
        beside_tools=False,
        turns=count_turns(turns, means),
        counted=counted_hits(totals, means),
    )


def _is_seldom(mistakes: Signal) -> bool:
    """Return whether there are too few mistakes for a rise to show."""
    rates = zip(mistakes.trajectory, mistakes.counts, strict=True)
    return sum((rate or 0.0) * n for rate, n in rates) < LEAST_MISTAKES


def _mistaken_kinds(sessions: Sequence[TraceSession], of_tools: bool) -> set[str]:
    """Return the kinds of targets that are mistaken at all; the others would only dilute these."""
    totals: dict[str, list[int]] = {}
    for session in sessions:
        for label, (n, hits) in session.target_visits.items():
            if (label == TOOL) == of_tools:
                total = totals.setdefault(label, [0, 0])
                total[0] += n
                total[1] += hits

    shares = {label: hits / n for label, (n, hits) in totals.items() if n >= LEAST_VISITS}
    most = max(shares.values(), default=0.0)
    return {label for label, share in shares.items() if share >= DILUTED * most}


def _of_kinds(visits: Counts, kinds: set[str]) -> Counts:
    return {label: row for label, row in visits.items() if label in kinds}


@dataclass(frozen=True)
class ToolMix:
    """The shares of the tools per session, and the calls they rest on."""

    shares: Floats
    calls: Floats
    names: list[str]

    def fit(self, orders: Orders, nuisance: Floats | None = None) -> MixFit:
        """Fit the drift, beside nuisance columns where they are given."""
        return fit_mix(self.shares, self.calls, orders, nuisance)


def tool_mix(trace: TraceSessions) -> ToolMix:
    """Return the tool mix of a trace as it is."""
    shares, counts, names = tool_shares(trace)
    return ToolMix(shares, np.array(counts, dtype=np.float64), names)


def mix_beyond_work(trace: TraceSessions, mix: ToolMix, work: Work) -> ToolMix:
    """Return the mix without what the kinds of work of each session explain of it."""
    rows, counts = request_shares(trace, mix.names)
    if not len(rows):
        return mix

    turns = TurnValues(rows, counts)
    adjusted = np.maximum(mix.shares - work.kinds.explained(turns), 0.0)
    adjusted = np.where(mix.calls[:, None] > 0, adjusted, 0.0)
    total = np.maximum(adjusted.sum(axis=1, keepdims=True), 1e-9)

    return ToolMix(adjusted / total, mix.calls, mix.names)


def _visible_drift(fit: MixFit, alpha: float) -> float | None:
    return visible_variation(fit, critical_value(fit.scores, alpha))


def _moves(names: Sequence[str], fit: MixFit) -> list[tuple[str, float]]:
    """Return the tools whose share moved most, with their slopes."""
    observed_slopes = fit.slopes[0].tolist()
    slopes = list(zip(names, observed_slopes, strict=True))
    slopes.sort(key=lambda row: (-abs(row[1]), row[0]))
    return [(name, round(slope, 4)) for name, slope in slopes[:LISTED_TOOLS]]


def kl_from_baseline(shares: Floats, counts: Sequence[int]) -> Trajectory:
    """Return the Kullback-Leibler divergence of each session's tools from those of the first three.

    In nats; None for the sessions of the baseline and for sessions without calls.
    """
    divergence: Trajectory = [None] * len(counts)
    active = [i for i, count in enumerate(counts) if count]
    if len(active) < BASELINE + 1 or shares.shape[1] < 2:
        return divergence

    calls = np.array(counts, dtype=np.float64)
    first = active[:BASELINE]
    early = (shares[first] * calls[first, None]).sum(axis=0)
    smoothed = early + SMOOTHING
    baseline = smoothed / smoothed.sum()

    for i in active[BASELINE:]:
        own = shares[i] * calls[i] + SMOOTHING
        own /= own.sum()
        terms = own * np.log(own / baseline)
        divergence[i] = round(float(terms.sum()), 6)

    return divergence


def _details(trace: TraceSessions, divergence: Trajectory) -> InterferenceDetails:
    sessions = trace.sessions
    present = [value for value in divergence if value is not None]
    mean = round(sum(present) / len(present), 6) if present else None

    likeness, compared_by = _goal_likeness(trace)
    lineage = [_lineage(s) for s in sessions]

    return InterferenceDetails(
        tool_kl_divergence_trajectory=divergence,
        tool_kl_divergence_mean=mean,
        tool_kl_divergence_n=len(present),
        goal_anchor_drift_trajectory=likeness,
        goal_anchor_drift_n=sum(value is not None for value in likeness),
        goal_anchor_compared_by=compared_by,
        lineage_continuity_trajectory=lineage,
        lineage_continuity_n=sum(value is not None for value in lineage),
    )


def _goal_likeness(trace: TraceSessions) -> tuple[Trajectory, str]:
    """Return how near the agent's text is to the first request, and how that was compared.

    By the words they share; by the cosine of an encoder where the profile asks for it.
    """
    sessions = trace.sessions
    requests = [s.user_text for s in sessions if s.user_text.strip()]
    first = requests[0] if requests else ""
    if trace.profile.similarity == "embed" and first:
        from agingbench.text.embedding import load_encoder

        try:
            encoder = load_encoder()
        except MissingExtra:
            pass
        else:
            vectors = encoder.encode([first, *(s.agent_text for s in sessions)])
            cosines = (vectors[1:] @ vectors[0]).tolist()
            values: Trajectory = []
            for session, cosine in zip(sessions, cosines, strict=True):
                values.append(round(float(cosine), 6) if session.agent_text.strip() else None)

            return values, f"cosine by {encoder.name}"

    anchor = _words(first)
    return [_overlap(anchor, _words(s.agent_text)) for s in sessions], "shared words"


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


def _overlap(a: set[str], b: set[str]) -> float | None:
    """Return the share of common words; None where one side has none."""
    if not a or not b:
        return None
    return round(len(a & b) / len(a | b), 6)


def _lineage(session: TraceSession) -> float | None:
    """Return the share of a session's locators that earlier sessions had named."""
    if session.lineage_hits is None or not session.distinct_locators:
        return None
    return round(session.lineage_hits / session.distinct_locators, 6)
