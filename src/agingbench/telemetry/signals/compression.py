"""Compression: context growth per call, calls that name a locator, and repeated reads.

A locator is a path, an address or an id that says which thing a call is about. Every signal is
taken relative to what is usual for the tool: another mix of tools is no other memory.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from agingbench.metrics.counted import CountedHits
from agingbench.telemetry.inference.evidence import (
    CI_LEVEL,
    Mechanism,
    Signal,
    emphasise,
    joint_test,
)
from agingbench.telemetry.inference.null_model import NullModel, PermutationTest, trend_test
from agingbench.telemetry.inference.requests import TurnValues
from agingbench.telemetry.inference.serial_correlation import SerialCorrelation
from agingbench.telemetry.inference.work import Work
from agingbench.telemetry.sessions.aggregates import (
    Counts,
    TraceSession,
    TraceSessions,
    TurnSums,
)
from agingbench.telemetry.sessions.rereads import LOOKUP
from agingbench.telemetry.signals.details import CompressionDetails, Trajectory

LEAST_OBSERVATIONS = 20  # over all sessions, below which a signal is not tested
RARE_SCALE = 4.0  # repeats differ mostly by chance, so that long sessions count for more
NEARLY_FULL = 0.85  # of the context window
SAME_SIZE = 0.01  # variance of the log size of results below which they are all alike
PRIOR_CALLS = 20.0  # that the effect over all tools counts as, beside a tool's own calls
MOST_EFFECT = 1.2  # of the log size of results on the log of the growth

USUAL_REREADS = 0.1  # share of the reads from which a moderate rise is counted
MODERATE_REREADS = 0.12

ToolTotals = Mapping[str, tuple[float, float]]  # tool -> (number of values, their sum)


def compression_signals(trace: TraceSessions) -> list[Signal]:
    """Return the signals that can fire, before any test."""
    return [
        _context_growth(trace.sessions),
        _argument_specificity(trace),
        _reread_rate(trace.sessions),
        _asked_again(trace),
        _repeated_lookups(trace.sessions),
    ]


def compression(
    trace: TraceSessions,
    null: NullModel,
    signals: list[Signal],
    serial: SerialCorrelation,
    work: Work,
) -> Mechanism:
    """Return the mechanism: its signals tested together."""
    for signal in signals:
        add_trend_test(signal, null, serial, work)

    emphasise(signals)
    return Mechanism(
        name="compression",
        derived_from="context_growth+tool_argument_specificity+rereads+asked_again+lookups",
        signals=signals,
        test=joint_test(signals),
        details=_details(trace.sessions),
    )


def add_trend_test(signal: Signal, null: NullModel, serial: SerialCorrelation, work: Work) -> None:
    """Test the trend of a signal plainly and beside the work, where there is enough of it."""
    sessions = sum(count > 0 for count in signal.counts)
    distinct = {value for value in signal.trajectory if value is not None}
    enough = null.n_sessions >= 3 and sessions >= 4 and signal.n >= LEAST_OBSERVATIONS
    if not enough or len(distinct) < 2:
        return

    w = signal.weights()
    signal.plain = trend_test(null, signal.plain_values(), w, signal.sign, serial.rho)
    test = work.conditional_test(
        signal.tested_values(), w, signal.sign, serial.rho, serial.day_rho, signal.beside_tools
    )
    fit = test.fit
    assert fit is not None
    if signal.counted is not None:
        # Roots are tested; the effect is one of shares.
        fit = work.conditional_fit(signal.values(), w, null.orders, serial.rho, signal.beside_tools)

    signal.test = PermutationTest(test.scores, test.day_scores, fit)
    signal.effect = fit.effect
    signal.interval = fit.interval(CI_LEVEL)


def tool_means(sessions: Sequence[ToolTotals]) -> dict[str, float]:
    """Return the mean value of each tool over the whole trace."""
    totals: dict[str, list[float]] = {}
    for session in sessions:
        for tool, (n, value_sum) in session.items():
            total = totals.setdefault(tool, [0.0, 0.0])
            total[0] += n
            total[1] += value_sum

    # A tool without any value is only ever counted no times.
    return {tool: value_sum / n if n else 0.0 for tool, (n, value_sum) in totals.items()}


def counted_hits(totals: Sequence[ToolTotals], means: Mapping[str, float]) -> CountedHits:
    """Return hits, those that are usual for their tools, and all trials."""
    hits = []
    expected = []
    trials = []
    for by_tool in totals:
        trials.append(sum(n for n, _ in by_tool.values()))
        hits.append(sum(own for _, own in by_tool.values()))
        expected.append(sum(n * means[tool] for tool, (n, _) in by_tool.items()))

    return CountedHits(
        np.array(hits, dtype=np.float64),
        np.array(expected, dtype=np.float64),
        np.array(trials, dtype=np.float64),
    )


def beyond_tool(sessions: Sequence[ToolTotals]) -> tuple[Trajectory, list[int]]:
    """Return per session the mean of (value minus its tool's mean), and the number of values."""
    means = tool_means(sessions)
    values: Trajectory = []
    counts: list[int] = []

    for session in sessions:
        n = sum(k for k, _ in session.values())
        excess = []
        for tool, (k, value_sum) in session.items():
            expected = k * means[tool]
            excess.append(value_sum - expected)

        values.append(sum(excess) / n if n else None)
        counts.append(int(n))

    return values, counts


def growth_totals(session: TraceSession) -> dict[str, tuple[float, float]]:
    """Return number and sum of the log increments of the context, by tool."""
    return {tool: (sums[0], sums[1]) for tool, sums in session.growth.items()}


def size_effects(sessions: Sequence[TraceSession]) -> dict[str, float]:
    """Return by tool how far the growth follows the size of results, within sessions.

    A tool with few calls is drawn toward the effect over all tools.
    """
    within: dict[str, tuple[float, float, float]] = {}
    for session in sessions:
        for tool, (n, growth, _, size, squares, products) in session.growth.items():
            if n < 2:
                continue

            calls, power, common = within.get(tool, (0.0, 0.0, 0.0))
            within[tool] = (
                calls + n - 1,
                power + squares - size * size / n,
                common + products - size * growth / n,
            )

    calls = sum(row[0] for row in within.values())
    power = sum(row[1] for row in within.values())
    common = sum(row[2] for row in within.values())
    if calls < LEAST_OBSERVATIONS or power < SAME_SIZE * calls:
        return {}

    overall = common / power
    prior = PRIOR_CALLS * power / calls
    effects = {}
    for tool, (_, own_power, own_common) in within.items():
        slope = (own_common + prior * overall) / (own_power + prior)
        effects[tool] = min(max(slope, 0.0), MOST_EFFECT)

    return effects


def beyond_results(session: TraceSession, effects: Mapping[str, float]) -> ToolTotals:
    """Return number and sum of the log increments beyond the size of the results, by tool."""
    totals = {}
    for tool, sums in session.growth.items():
        expected = effects.get(tool, 0.0) * sums[3]
        totals[tool] = (sums[0], sums[1] - expected)

    return totals


def turn_values(
    sessions: Sequence[TraceSession],
    means: Mapping[str, float],
    read: Callable[[str, TurnSums], tuple[float, float]],
) -> TurnValues:
    """Return per request the mean of (value minus its tool's mean), by `read`'s count and sum."""
    values: list[float] = []
    counts: list[float] = []

    for session in sessions:
        for turn in session.turns:
            n = 0.0
            excess = 0.0
            for tool, sums in turn.by_tool.items():
                count, value_sum = read(tool, sums)
                if count and tool in means:
                    n += count
                    excess += value_sum - count * means[tool]

            values.append(excess / n if n else 0.0)
            counts.append(n)

    return TurnValues(np.array(values)[:, None], np.array(counts))


def count_turns(turns: Sequence[Counts], means: Mapping[str, float]) -> TurnValues:
    """Return per request the share of hits beyond what is usual for their labels."""
    shares = []
    counts = []
    for by_label in turns:
        n = float(sum(row[0] for row in by_label.values()))
        excess = sum(row[1] - row[0] * means[label] for label, row in by_label.items())
        shares.append(excess / n if n else 0.0)
        counts.append(n)

    return TurnValues(np.array(shares)[:, None], np.array(counts))


def shifted(values: Trajectory, level: float) -> Trajectory:
    """Return differences as values around the trace's own level."""
    return [None if value is None else value + level for value in values]


def _context_growth(
    sessions: Sequence[TraceSession], without: frozenset[str] = frozenset()
) -> Signal:
    effects = size_effects(sessions)
    totals = []
    for session in sessions:
        all_tools = beyond_results(session, effects)
        totals.append({tool: row for tool, row in all_tools.items() if tool not in without})

    values, counts = beyond_tool(totals)

    def read(tool: str, sums: TurnSums) -> tuple[float, float]:
        return sums.growth_n, sums.growth_sum - effects.get(tool, 0.0) * sums.size_sum

    return Signal(
        name="context_growth",
        unit="factor of tokens per call beyond the results, first to last session",
        rising_is_bad=True,
        trajectory=values,
        counts=counts,
        minimum=math.log(1.25),
        moderate=math.log(2.0),
        unit_of=math.exp,
        ceiling=None,
        floor=None,
        turns=turn_values(sessions, tool_means(totals), read),
    )


def growth_without(trace: TraceSessions, tool: str) -> Signal:
    """Return the context growth with one tool left out."""
    return _context_growth(trace.sessions, frozenset({tool}))


def _argument_specificity(trace: TraceSessions) -> Signal:
    # By what a command does: `git commit` and `npm run lint` never name a file, whoever calls them.
    totals = [count_totals(session.naming) for session in trace.sessions]
    values, counts = beyond_tool(totals)

    hits = 0.0
    for session in totals:
        hits += sum(session_hits for _, session_hits in session.values())

    calls = sum(counts)
    level = hits / calls if calls else 0.0

    turns = [turn.naming for session in trace.sessions for turn in session.turns]

    return Signal(
        name="tool_argument_specificity",
        unit="share of calls naming a locator, last minus first session",
        rising_is_bad=False,
        trajectory=shifted(values, level),
        counts=counts,
        minimum=0.05,
        moderate=0.15,
        ceiling=None,
        floor=None,
        share=round(level, 6) if calls else None,
        turns=count_turns(turns, tool_means(totals)),
    )


def _reread_rate(sessions: Sequence[TraceSession]) -> Signal:
    # Minus what is usual for the kind of read and for how much there was to read again: searching
    # more, or longer sessions, are other work and not another memory.
    totals = [_of_lookups(session.reads_by_exposure, False) for session in sessions]
    values, counts = beyond_tool(totals)
    rereads = sum(row[1] for total in totals for row in total.values())
    level = rereads / max(1, sum(counts))
    turns = [_lookup_counts(turn.reads, False) for s in sessions for turn in s.turns]

    return Signal(
        name="reread_rate",
        unit="share of reads of what was read before, last minus first session",
        rising_is_bad=True,
        trajectory=shifted(values, level),
        counts=counts,
        minimum=0.05,
        moderate=as_large(MODERATE_REREADS, USUAL_REREADS, level),
        ceiling=None,
        floor=None,
        scale=RARE_SCALE,
        beside_tools=False,
        turns=count_turns(turns, tool_means(totals)),
    )


def as_large(rise: float, usual: float, level: float) -> float:
    """Return the rise of a share that is as large, from a higher level, as one from the usual.

    On the scale of arcsine roots shares are equally noisy at every level. It is never smaller.
    """
    step = math.asin(math.sqrt(usual + rise)) - math.asin(math.sqrt(usual))
    angle = math.asin(math.sqrt(min(1.0, max(level, usual))))
    return max(rise, math.sin(min(angle + step, math.pi / 2)) ** 2 - math.sin(angle) ** 2)


def _lookup_counts(counts: Counts, lookups: bool) -> Counts:
    """Return the counts of lookups, or those of reads."""
    return {label: row for label, row in counts.items() if label.startswith(LOOKUP) == lookups}


def _of_lookups(counts: Counts, lookups: bool) -> ToolTotals:
    return count_totals(_lookup_counts(counts, lookups))


def _repeated_lookups(sessions: Sequence[TraceSession]) -> Signal:
    """Return how many searches and other lookups ask word for word what was asked before."""
    totals = [_of_lookups(session.reads_by_exposure, True) for session in sessions]
    values, counts = beyond_tool(totals)
    repeats = sum(row[1] for total in totals for row in total.values())
    turns = [_lookup_counts(turn.reads, True) for s in sessions for turn in s.turns]

    return Signal(
        name="repeated_lookups",
        unit="share of lookups that were asked before, last minus first session",
        rising_is_bad=True,
        trajectory=shifted(values, repeats / max(1, sum(counts))),
        counts=counts,
        minimum=0.03,
        moderate=0.07,
        ceiling=None,
        floor=None,
        scale=RARE_SCALE,
        beside_tools=False,
        turns=count_turns(turns, tool_means(totals)),
    )


def _asked_again(trace: TraceSessions) -> Signal:
    """Return how many turns bring what the user had said before."""
    shares: Trajectory = []
    counts = []
    for session in trace.sessions:
        later = session.turns[1:]
        questions = sum(turn.asked_again for turn in later)
        shares.append(questions / len(later) if later else None)
        counts.append(len(later))

    return Signal(
        name="asked_again",
        unit="share of turns that bring what was known, last minus first session",
        rising_is_bad=True,
        trajectory=shares,
        counts=counts,
        minimum=0.03,
        moderate=0.07,
        ceiling=None,
        floor=None,
        scale=RARE_SCALE,
        beside_tools=False,
    )


def count_totals(counts: Counts) -> ToolTotals:
    """Return counts and hits by label."""
    return {label: (float(n), float(hits)) for label, (n, hits) in counts.items()}


def _details(sessions: Sequence[TraceSession]) -> CompressionDetails:
    """Return what is reported and not tested: how full the context is, and tokens per locator."""
    saturation: Trajectory = []
    noise: Trajectory = []

    for session in sessions:
        fullness = None
        if session.window_n:
            fullness = round(session.saturation_sum / session.window_n, 6)
        saturation.append(fullness)

        tokens_per_locator = None
        if session.load_n and session.distinct_locators:
            tokens_per_locator = round(session.load_sum / session.distinct_locators, 3)
        noise.append(tokens_per_locator)

    present = [value for value in saturation if value is not None]
    rate = None
    if present:
        nearly_full = sum(value > NEARLY_FULL for value in present)
        rate = nearly_full / len(present)

    return CompressionDetails(
        saturation_trajectory=saturation,
        saturation_rate=rate,
        saturation_n=len(present),
        context_window="known" if present else "unknown",
        context_noise_trajectory=noise,
        context_noise_n=sum(value is not None for value in noise),
    )
