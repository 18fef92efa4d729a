"""The headline of a card: the first tier that the trace carries, and whether aging was detected."""

from __future__ import annotations

from typing import Any

import numpy as np

from agingbench.metrics.halflife import fit_half_life
from agingbench.metrics.intervals import wilson
from agingbench.telemetry.inference.infer import Inference
from agingbench.telemetry.profile import MECHANISMS
from agingbench.telemetry.sessions.outcomes import OutcomeCurve

LEAST_SHOCKS = 3
RISING = 0.01


def headline(found: Inference, curve: OutcomeCurve) -> dict[str, Any]:
    """`source` names the first tier that the trace carries; the others that it carries stand in
    `tiers`.

    Tiers in order: half_life, behavior_drift_at_repeat, aging_trend, maintenance_shock_damage, else
    not_measurable.
    """
    tiers = {
        t["source"]: t
        for t in (_outcomes(curve), _drift(found), _trend(found), _shocks(found))
        if t is not None
    }

    none = {
        "source": "not_measurable",
        "label": "aging not measurable as one figure",
        "value": None,
    }
    # Repeats that allow no figure come after the tiers that have one; outcomes lead even where no
    # half-life is reached.
    told = [t for t in tiers.values() if t["value"] is not None or t["source"] == "half_life"]
    chosen = next(iter([*told, *tiers.values()]), none)

    return {
        "metric_name": "telemetry_outcome_rate" if curve.linked else "telemetry_partial",
        **_outcome_figures(found, curve),
        **chosen,
        "tiers": {name: {"label": t["label"], "value": t["value"]} for name, t in tiers.items()},
        "aging_detected": found.aging_detected,
        "aging_reason": found.reason,
    }


def _outcomes(curve: OutcomeCurve) -> dict[str, Any] | None:
    if not curve.linked:
        return None

    half = _half_life(curve)
    words = (
        f"half-life {half['half_life']:.1f} sessions"
        if half["half_life"] is not None
        else "half-life not reached"
    )
    if half["half_life_censored"] is None:
        words = f"no half-life: {half['half_life_reason']}"

    return {"source": "half_life", "label": words, "value": half["half_life"], **half}


def _drift(found: Inference) -> dict[str, Any] | None:
    if not found.consistency["n_repeated_tasks_detected"]:
        return None

    drift = found.consistency["behavior_drift_at_repeat"]
    label = "behavior drift on repeated tasks " + (
        f"{drift:.0%}" if drift is not None else "not measurable"
    )
    return {"source": "behavior_drift_at_repeat", "label": label, "value": drift}


def _trend(found: Inference) -> dict[str, Any] | None:
    trend = severity_trend(found)
    if trend is None or trend <= RISING:
        return None
    return {
        "source": "aging_trend",
        "label": f"aging trend {trend:+.3f} per session",
        "value": round(trend, 6),
    }


def _shocks(found: Inference) -> dict[str, Any] | None:
    damage = found.mechanisms["maintenance"].details
    if damage["shock_damage_verdict"] != "rising_degradation" or damage["n_shocks"] < LEAST_SHOCKS:
        return None

    total = damage["shock_damage_trajectory"][-1]
    return {
        "source": "maintenance_shock_damage",
        "label": f"shock damage {total:.1f} placebo SD",
        "value": total,
    }


def severity_trend(found: Inference) -> float | None:
    """Slope per session of the mean severity, where it rises over three sessions or more in a
    mechanism that fired.
    """
    series = []
    for name in MECHANISMS:
        mechanism = found.mechanisms[name]
        if mechanism.leading is not None and mechanism.answer:
            signal = mechanism.leading
            scale = signal.moderate
            series.append(
                [None if v is None else signal.sign * v / scale for v in signal.trajectory]
            )

    if not series or found.null.n_sessions < 3:
        return None

    points = []
    for t in range(found.null.n_sessions):
        known = [s[t] for s in series if s[t] is not None]
        if known:
            points.append((t, float(np.mean([k for k in known if k is not None]))))

    if len(points) < 3:
        return None

    x = np.array([p[0] for p in points], dtype=float)
    y = np.array([p[1] for p in points])
    return float(np.polyfit(x, y, 1)[0])


def _ends(curve: OutcomeCurve) -> tuple[tuple[float, int], tuple[float, int], int]:
    """(rate, n) of the first and of the last quarter of the sessions with outcomes, and how many a
    quarter holds.
    """
    known = [(r, n) for r, n in zip(curve.rates, curve.counts, strict=True) if r is not None]
    quarter = max(1, len(known) // 4)

    def pooled(part: list[tuple[float, int]]) -> tuple[float, int]:
        n = sum(k for _, k in part)
        return sum(r * k for r, k in part) / n, n

    return pooled(known[:quarter]), pooled(known[-quarter:]), quarter


def _half_life(curve: OutcomeCurve) -> dict[str, Any]:
    """Sessions until the rate comes to half of that of the first quarter: one session's outcome is
    no level.
    """
    known = [(t, r) for t, r in enumerate(curve.rates) if r is not None]
    (m0, _), _, quarter = _ends(curve)
    start = known[quarter - 1][0]
    later = [(t - start, r) for t, r in known[quarter:]]
    ts = np.array([p[0] for p in later], dtype=float)
    ms = np.array([p[1] for p in later], dtype=float)
    found = fit_half_life(ts, ms, m0)

    return {
        "half_life": None if found.value is None else round(found.value, 6),
        "half_life_n": len(known),
        "half_life_censored": found.censored,
        "half_life_reason": found.reason,
    }


def _outcome_figures(found: Inference, curve: OutcomeCurve) -> dict[str, Any]:
    figures: dict[str, Any] = {
        "m0": None,
        "m_final": None,
        "half_life": None,
        "decay_slope": None,
        "hazard_proxy": None,
    }
    if not curve.linked:
        return figures

    (first, n_first), (last, n_last), _ = _ends(curve)
    figures |= {
        "m0": first,
        "m0_n": n_first,
        "m0_ci": list(wilson(first, n_first)),
        "m_final": last,
        "m_final_n": n_last,
        "m_final_ci": list(wilson(last, n_last)),
    }
    signal = found.outcome

    if signal is not None and signal.effect is not None and found.null.n_sessions > 1:
        per = 1.0 / (found.null.n_sessions - 1)
        figures |= {"decay_slope": signal.effect * per, "decay_slope_n": signal.n}
        figures["decay_slope_ci"] = (
            None if signal.interval is None else [e * per for e in signal.interval]
        )
        figures |= {"decay_p": signal.p, "decay_p_adjusted": found.outcome_adjusted}

    return figures
