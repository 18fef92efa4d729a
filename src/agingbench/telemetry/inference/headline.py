"""The headline of a card: the first tier that the trace carries, and whether aging was detected."""

from __future__ import annotations

import msgspec
import numpy as np
from msgspec import UNSET, UnsetType

from agingbench.cards.audit import CHANGED_AT_ONCE
from agingbench.metrics.halflife import fit_half_life
from agingbench.metrics.intervals import wilson
from agingbench.telemetry.inference.infer import Inference
from agingbench.telemetry.profile import MECHANISMS
from agingbench.telemetry.sessions.outcomes import OutcomeCurve
from agingbench.telemetry.signals.details import MaintenanceDetails

LEAST_SHOCKS = 3
NO_DRIFT = 0.005  # rounds to 0 %
RISING = 0.01  # moderate effects per session


class Tier(msgspec.Struct, frozen=True):
    """One figure that may lead the card."""

    label: str
    value: float | None


class HalfLifeFigures(msgspec.Struct, frozen=True):
    """The half-life of the outcomes, in sessions."""

    value: float | None
    n: int
    censored: bool | None
    reason: str | None


class HeadlineFigures(msgspec.Struct, kw_only=True):
    """The headline of an audit; field names are the keys of the card, UNSET ones are left out."""

    metric_name: str
    m0: float | None = None
    m_final: float | None = None
    half_life: float | None = None
    decay_slope: float | None = None
    hazard_proxy: float | None = None
    m0_n: int | UnsetType = UNSET
    m0_ci: list[float] | UnsetType = UNSET
    m_final_n: int | UnsetType = UNSET
    m_final_ci: list[float] | UnsetType = UNSET
    decay_slope_n: int | UnsetType = UNSET
    decay_slope_ci: list[float] | UnsetType | None = UNSET
    decay_p: float | UnsetType | None = UNSET
    decay_p_adjusted: float | UnsetType | None = UNSET
    source: str = "not_measurable"
    label: str = "aging not measurable as one figure"
    value: float | None = None
    half_life_n: int | UnsetType = UNSET
    half_life_censored: bool | UnsetType | None = UNSET
    half_life_reason: str | UnsetType | None = UNSET
    tiers: dict[str, Tier]
    aging_detected: bool | None
    aging_reason: str
    open_because: str | None = None
    changed_at_session: int | None = None  # where a step of all that moved leaves the answer open


def headline(inference: Inference, curve: OutcomeCurve) -> HeadlineFigures:
    """Return the headline; `source` names the leading tier, `tiers` holds all there are.

    Tiers in order: half_life, behavior_drift_at_repeat, aging_trend, maintenance_shock_damage, else
    not_measurable. Where reliability alone fired, it leads. A tier that contradicts the answer is
    left out.
    """
    half = half_life(curve) if curve.linked else None
    candidates = {
        "reliability": _reliability_tier(inference),
        "half_life": None if half is None else _half_life_tier(half),
        "behavior_drift_at_repeat": _drift_tier(inference),
        "aging_trend": _trend_tier(inference),
        "maintenance_shock_damage": _damage_tier(inference),
    }
    tiers = {}
    for source, tier in candidates.items():
        if tier is not None and not _contradicts(source, tier, inference.aging_detected):
            tiers[source] = tier

    head = HeadlineFigures(
        metric_name="telemetry_outcome_rate" if curve.linked else "telemetry_partial",
        tiers=tiers,
        aging_detected=inference.aging_detected,
        aging_reason=inference.reason,
        open_because=inference.open_because,
        changed_at_session=_step_session(inference),
    )
    if curve.linked:
        _add_outcomes(head, inference, curve)

    # Repeats that allow no figure come after the tiers that have one; outcomes lead even where no
    # half-life is reached.
    ready = [
        source for source, tier in tiers.items() if tier.value is not None or source == "half_life"
    ]
    ranking = [*ready, *tiers]
    if ranking:
        leading = ranking[0]
        head.source = leading
        head.label = tiers[leading].label
        head.value = tiers[leading].value

    if half is not None and head.source == "half_life":
        head.half_life = half.value
        head.half_life_n = half.n
        head.half_life_censored = half.censored
        head.half_life_reason = half.reason

    return head


def _step_session(inference: Inference) -> int | None:
    """Return the session of the step because of which the answer is open."""
    if inference.step is None or inference.open_because != CHANGED_AT_ONCE:
        return None
    return inference.step.session


def _contradicts(source: str, tier: Tier, detected: bool | None) -> bool:
    """Return whether a tier says the opposite of the answer."""
    if detected is None:
        return False
    if detected:
        none_at_all = tier.value is not None and abs(tier.value) < NO_DRIFT
        return source == "behavior_drift_at_repeat" and none_at_all

    has_decay = tier.value is not None
    return source in ("half_life", "aging_trend", "maintenance_shock_damage") and has_decay


def _reliability_tier(inference: Inference) -> Tier | None:
    """Return the tier of reliability where nothing else fired."""
    others = any(mechanism.answer for mechanism in inference.mechanisms.values())
    signal = inference.reliability.leading
    if not inference.reliability.answer or others or signal is None or signal.effect is None:
        return None

    effect = signal.unit_of(signal.effect)
    return Tier(f"getting less reliable: {signal.name} {effect:+.0%}", round(effect, 6))


def _half_life_tier(half: HalfLifeFigures) -> Tier:
    if half.censored is None:
        return Tier(f"no half-life: {half.reason}", half.value)
    if half.value is None:
        return Tier("half-life not reached", None)
    return Tier(f"half-life {half.value:.1f} sessions", half.value)


def _drift_tier(inference: Inference) -> Tier | None:
    if not inference.consistency.n_repeated_tasks_detected:
        return None

    # Repeats that are equally far apart differ for many reasons; only what distance does is drift.
    drift = inference.consistency.behavior_drift_at_repeat
    if inference.consistency.behavior_drift_basis == "first_to_last":
        drift = None
    size = "not measurable" if drift is None else f"{drift:.0%}"
    return Tier(f"behavior drift on repeated tasks {size}", drift)


def _trend_tier(inference: Inference) -> Tier | None:
    trend = severity_trend(inference)
    if trend is None or trend <= RISING:
        return None
    return Tier(f"aging trend {trend:+.3f} per session", round(trend, 6))


def _damage_tier(inference: Inference) -> Tier | None:
    details = inference.mechanisms["maintenance"].details
    assert isinstance(details, MaintenanceDetails)
    rising = details.shock_damage_verdict == "rising_degradation"
    if not rising or details.n_shocks < LEAST_SHOCKS:
        return None

    total = details.shock_damage_trajectory[-1]
    return Tier(f"shock damage {total:.1f} placebo SD", total)


def severity_trend(inference: Inference) -> float | None:
    """Return the slope per session of the mean severity over the mechanisms that fired.

    Severity is in moderate effects. None where nothing fired or fewer than three sessions have one.
    """
    signals = []
    for name in MECHANISMS:
        mechanism = inference.mechanisms[name]
        if mechanism.leading is not None and mechanism.answer:
            signals.append(mechanism.leading)

    n = inference.null.n_sessions
    if not signals or n < 3:
        return None

    times: list[float] = []
    severities: list[float] = []
    for t in range(n):
        present = []
        for signal in signals:
            value = signal.trajectory[t]
            if value is not None:
                present.append(signal.sign * value / signal.moderate)

        if present:
            times.append(float(t))
            severities.append(float(np.mean(present)))

    if len(times) < 3:
        return None

    slope, _ = np.polyfit(np.array(times), np.array(severities), 1)
    return float(slope)


def _quarters(curve: OutcomeCurve) -> tuple[tuple[float, int], tuple[float, int], int]:
    """Return (rate, n) of the first and the last quarter of the sessions with outcomes.

    The third value is how many sessions a quarter holds.
    """
    pairs = zip(curve.rates, curve.counts, strict=True)
    measured = [(rate, n) for rate, n in pairs if rate is not None]
    quarter = max(1, len(measured) // 4)

    first = _pooled_rate(measured[:quarter])
    last = _pooled_rate(measured[-quarter:])
    return first, last, quarter


def _pooled_rate(rows: list[tuple[float, int]]) -> tuple[float, int]:
    total = sum(n for _, n in rows)
    successes = sum(rate * n for rate, n in rows)
    return successes / total, total


def half_life(curve: OutcomeCurve) -> HalfLifeFigures:
    """Return the sessions until the success rate comes to half of that of the first quarter.

    The first quarter is taken together because one session's outcome is no level.
    """
    measured = [(t, rate) for t, rate in enumerate(curve.rates) if rate is not None]
    (m0, _), _, quarter = _quarters(curve)

    # Time counts from the end of the first quarter.
    start, _ = measured[quarter - 1]
    later = measured[quarter:]
    ts = np.array([t - start for t, _ in later], dtype=float)
    ms = np.array([rate for _, rate in later], dtype=float)

    fit = fit_half_life(ts, ms, m0)
    value = None if fit.value is None else round(fit.value, 6)

    return HalfLifeFigures(value, len(measured), fit.censored, fit.reason)


def _add_outcomes(head: HeadlineFigures, inference: Inference, curve: OutcomeCurve) -> None:
    """Fill in the success rates of the first and last quarter, and their trend where tested."""
    (first, n_first), (last, n_last), _ = _quarters(curve)
    head.m0 = first
    head.m0_n = n_first
    head.m0_ci = list(wilson(first, n_first))
    head.m_final = last
    head.m_final_n = n_last
    head.m_final_ci = list(wilson(last, n_last))

    signal = inference.outcome
    n = inference.null.n_sessions
    if signal is None or signal.effect is None or n < 2:
        return

    per_session = 1.0 / (n - 1)
    head.decay_slope = round(signal.effect * per_session, 9)
    head.decay_slope_n = signal.n
    head.decay_slope_ci = None
    if signal.interval is not None:
        head.decay_slope_ci = [round(end * per_session, 9) for end in signal.interval]

    head.decay_p = signal.p
    head.decay_p_adjusted = inference.outcome_adjusted
