"""What the signals of an audit show, in words that hold: not shown is not the same as unchanged."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from agingbench.cards.audit import CHANGED_AT_ONCE, MOVES, AuditBlock, MechanismFinding
from agingbench.report.layout import in_words
from agingbench.report.text import plain

# What a signal measures, in a user's words.
_MEASURES = {
    "context_growth": "context added per step",
    "tool_argument_specificity": "precise calls",
    "reread_rate": "repeated reads",
    "asked_again": "known things asked again",
    "repeated_lookups": "repeated lookups",
    "look_alike_visits": "look-alikes visited",
    "look_alike_tools": "look-alike tools called",
    "tool_mix_drift": "mix of tools",
    "value_supersession": "old values used",
    "error_rate": "errors after events",
    "effort_per_task": "calls after events",
    "process_errors": "failed calls",
    "rejections": "calls you stop, per request",
    "corrections": "corrections or redone work",
}
_SHAPES = {
    "rising_degradation": "rises, for the worse",
    "falling_degradation": "falls, for the worse",
    "rising_healthy": "rises, for the better",
    "falling_healthy": "falls, for the better",
    "floor_healthy": "stays low, which is good",
    "floor_degradation": "ends at its lowest, which is bad",
    "ceiling_healthy": "stays high, which is good",
    "ceiling_degradation": "ends at its highest, which is bad",
    "no_signal": "too few values",
}
# Shapes that sound like a clean bill, which a wide interval does not give.
_STAYS = ("floor_healthy", "ceiling_healthy")
_DIRECTIONS = {"rises": 1, "falls": -1}
_QUARTERS = 4
_ALPHA = 0.05
# What a signal counts, where the unit on the card says less.
_COUNTED = {
    "corrections": "share of requests after the first that correct the agent, by their words or"
    " because the agent redoes its work or owns up, last minus first session; the figure by week"
    " counts words alone",
}
# Signals whose values per session are differences from what is usual for the tools and requests.
_ADJUSTED = frozenset(
    {
        "tool_argument_specificity",
        "reread_rate",
        "repeated_lookups",
        "look_alike_visits",
        "look_alike_tools",
        "process_errors",
    }
)


def measure_words(name: str) -> str:
    """What a signal measures, in a user's words."""
    return _MEASURES.get(name) or in_words(plain(name))


def shape_words(signal: Mapping[str, Any], series: Sequence[Any], fired: bool | None) -> str:
    """How a signal moved, as far as that is shown; `fired` is the answer of its mechanism."""
    verdict = str(signal.get("verdict") or "no verdict")
    is_tested = signal.get("effect_ci") is not None
    is_clear = is_tested and rules_out_moderate(signal)
    if verdict in _STAYS and not is_tested:
        return f"{_SHAPES[verdict].partition(',')[0]}, but could not be tested"
    stays_open = verdict in _STAYS and not (is_clear and fired is False)
    if verdict == "flat" and not is_tested:
        return "could not be tested"
    if verdict == "flat" or stays_open:
        return "no moderate change" if is_clear else "no change shown"
    words = _SHAPES.get(verdict, in_words(verdict))
    direction = _DIRECTIONS.get(words.partition(",")[0])
    if direction is not None and direction * _raw_change(series) <= 0:
        words += " once the work is taken into account; the values as such do not"
    return words


def rules_out_moderate(signal: Mapping[str, Any]) -> bool:
    """Does the interval of a signal lie on the harmless side of a moderate change?"""
    bounds = _bounds(signal)
    moderate = signal.get("moderate_effect")
    if bounds is None or not isinstance(moderate, int | float):
        return False
    low, high = bounds
    return high < moderate if moderate > _neutral(signal) else low > moderate


def unit_words(name: str, signal: Mapping[str, Any]) -> str:
    """What the effect of a signal counts, in words."""
    return _COUNTED.get(name) or plain(signal.get("effect_unit") or "")


def value_words(name: str, signal: Mapping[str, Any]) -> str:
    """How the values of a tested signal differ from plain counts; empty where they do not."""
    bounds = _bounds(signal)
    if bounds is None:
        return ""
    if name == "tool_mix_drift":
        return (
            "The points are distances from the tools of the first sessions, in a unit of their own."
        )
    if name in _ADJUSTED:
        return (
            "Values and effect are taken beside the work (less what is usual for its tools and"
            " requests): they may be negative or above 1."
        )
    is_share = str(signal.get("effect_unit")).startswith("share")
    if is_share and max(map(abs, bounds)) > 1:
        return "The effect is taken beside the work, so that its interval may reach beyond 1."
    return ""


def reading_words(signal: Mapping[str, Any], finding: MechanismFinding) -> str:
    """Why the test of a signal says what it says; empty where that needs no words."""
    bounds = _bounds(signal)
    moderate = signal.get("moderate_effect")
    if bounds is None or not isinstance(moderate, int | float):
        return ""

    is_event = "after events" in str(signal.get("effect_unit"))
    words = ""
    if is_event:
        words = (
            "Sessions after events such as compactions are compared with those before them, not"
            " the first weeks with the last."
        )

    verdict = str(signal.get("verdict"))
    if verdict.endswith("_degradation"):
        adjusted = finding.p_adjusted
        if finding.fired or not isinstance(adjusted, float) or adjusted <= _ALPHA:
            return words
        chance = f"p {adjusted:.2g} after correction over everything tested"
        return f"{words} By itself it looks worse, but it may be chance ({chance}).".strip()
    if verdict != "flat" and verdict not in _STAYS:
        return words
    return f"{words} {_flat_words(signal, bounds, moderate, is_event)}".strip()


def _flat_words(
    signal: Mapping[str, Any], bounds: tuple[float, float], moderate: float, is_event: bool
) -> str:
    neutral = _neutral(signal)
    sign = 1.0 if moderate > neutral else -1.0
    least, most = sorted(sign * (bound - neutral) for bound in bounds)
    if most < 0:
        return "It moved for the better, which is no harm."
    if least > 0:
        chances = [signal.get(name) for name in ("p", "p_days")]
        p = max((one for one in chances if isinstance(one, int | float)), default=0.0)
        note = f" (p {p:.2g})" if p > _ALPHA else ""
        return f"Its interval lies on the bad side, but the test finds it not beyond chance{note}."
    if not rules_out_moderate(signal):
        return "A moderate change lies within the interval: it is neither shown nor ruled out."
    if is_event:
        return ""
    return (
        "The test holds models and kinds of work fixed: what moved with them does not count here."
    )


def _neutral(signal: Mapping[str, Any]) -> float:
    return 1.0 if "factor" in str(signal.get("effect_unit")) else 0.0


def _bounds(signal: Mapping[str, Any]) -> tuple[float, float] | None:
    bounds = signal.get("effect_ci")
    if not isinstance(bounds, list | tuple) or len(bounds) != 2:
        return None
    low, high = bounds
    if not isinstance(low, int | float) or not isinstance(high, int | float):
        return None
    return low, high


def leaves_room(finding: MechanismFinding) -> bool:
    """Does the interval of a tested signal of a mechanism hold a moderate change?"""
    return any(not rules_out_moderate(signal) for signal in _tested(finding).values())


def vague_signals(finding: MechanismFinding) -> list[str]:
    """What the tested signals measure that are too vague to show a moderate change."""
    tested = _tested(finding)
    return [measure_words(name) for name, signal in tested.items() if signal.get("too_vague")]


def is_vague(finding: MechanismFinding, name: str) -> bool:
    """Is a tested signal of a mechanism too vague to show a moderate change?"""
    return bool(_tested(finding).get(name, {}).get("too_vague"))


def moved_signals(audit: AuditBlock) -> list[str]:
    """What the signals measure that moved for the worse: a common step is sought in these."""
    words = []
    for mechanism, finding in audit.findings().items():
        if mechanism != "maintenance":  # what follows events is no step
            words += _moved(finding)
    return words


def stepped_measures(audit: AuditBlock) -> list[str]:
    """What the signals measure that moved for the worse, of what is said to have done so at once.

    Of all mechanisms where none of them says so.
    """
    at_once = jumped(audit)
    words = []
    for name, finding in audit.findings().items():
        if name in at_once:
            words += _moved(finding)
    return words or moved_signals(audit)


def _moved(finding: MechanismFinding) -> list[str]:
    """What the signals of a mechanism measure that moved for the worse."""
    words = []
    for name, signal in _tested(finding).items():
        p = signal.get("p")
        if isinstance(p, float) and p <= MOVES and _is_large(signal):
            words.append(measure_words(name))
    return words


def jumped(audit: AuditBlock) -> list[str]:
    """The mechanisms without an answer that moved, where all that moved did so at once."""
    if audit.step_session() is None:
        return []

    names = []
    for name, finding in audit.findings().items():
        is_open = finding.fired is None and name != "maintenance"
        is_sure = finding.open_because == CHANGED_AT_ONCE or _moved_surely(finding)
        if is_open and is_sure:
            names.append(name)
    return names


def _moved_surely(finding: MechanismFinding) -> bool:
    """Did what stands for a mechanism move, with an interval that leaves out no change?"""
    name, signal = shown_signal(finding)
    bounds = _bounds(signal)
    if name is None or bounds is None or measure_words(name) not in _moved(finding):
        return False
    low, high = bounds
    return not low <= _neutral(signal) <= high


def changed_measures(audit: AuditBlock, kind: str) -> list[str]:
    """What changed most, the work left aside, in each mechanism that is open for a reason."""
    words = []
    for finding in audit.findings().values():
        if finding.open_because != kind:
            continue
        chances = {name: signal.get("p_plain") for name, signal in _tested(finding).items()}
        known = {name: p for name, p in chances.items() if isinstance(p, float)}
        if known:
            words.append(measure_words(min(known, key=lambda name: known[name])))
    return words


def shown_signal(finding: MechanismFinding) -> tuple[str | None, Mapping[str, Any]]:
    """The signal that stands for a mechanism, with its figures: for a no, the one it rests on most.

    That is the one whose interval is narrowest beside a moderate change.
    """
    leading = finding.leading_signal
    tested = _tested(finding)
    figures = {
        "effect": finding.effect,
        "effect_ci": finding.effect_ci,
        "effect_unit": finding.effect_unit,
    }
    widths = {name: _width(signal) for name, signal in tested.items()}
    known = {name: width for name, width in widths.items() if width is not None}
    if finding.fired is not False or not known:
        return leading, figures
    name = min(known, key=lambda one: known[one])
    return name, tested[name]


def _width(signal: Mapping[str, Any]) -> float | None:
    """How wide the interval of a signal is, in moderate changes; None where it does not say."""
    bounds = _bounds(signal)
    moderate = signal.get("moderate_effect")
    if bounds is None or not isinstance(moderate, int | float):
        return None

    low, high = bounds
    if _neutral(signal) == 0.0:
        return (high - low) / abs(moderate) if moderate else None
    if min(low, high, moderate) <= 0 or moderate == 1:
        return None
    return math.log(high / low) / abs(math.log(moderate))


def _tested(finding: MechanismFinding) -> dict[str, Mapping[str, Any]]:
    """The signals of a mechanism that have an interval, by their names."""
    signals = finding.others.get("signals")
    if not isinstance(signals, dict):
        return {}
    tested: dict[str, Mapping[str, Any]] = {}
    for name, signal in signals.items():
        if isinstance(signal, dict) and signal.get("effect_ci") is not None:
            tested[name] = signal
    return tested


def _is_large(signal: Mapping[str, Any]) -> bool:
    """Does the effect reach the least one that may count, on the bad side?"""
    effect = signal.get("effect")
    least = signal.get("minimum_effect")
    if not isinstance(effect, int | float) or not isinstance(least, int | float):
        return False
    return effect >= least if least > _neutral(signal) else effect <= least


def reason_words(finding: MechanismFinding) -> str:
    """The reason of a finding; a no names the signals that it does not rest on."""
    reason = plain(finding.reason or "")
    vague = vague_signals(finding)
    if finding.fired is not False or not vague:
        return reason
    return f"{reason}; too vague to show one: {', '.join(vague)}"


def _raw_change(series: Sequence[Any]) -> float:
    """The last quarter of the known values minus the first."""
    known = [v for v in series if isinstance(v, int | float) and not isinstance(v, bool)]
    size = max(1, len(known) // _QUARTERS)
    return statistics.fmean(known[-size:]) - statistics.fmean(known[:size])
