"""What the signals of an audit show, in words that hold: not shown is not the same as unchanged."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from agingbench.cards.audit import MechanismFinding
from agingbench.report.layout import in_words
from agingbench.report.text import plain

WOULD_BE_SEEN = "a moderate effect would have been seen"
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


def shape_words(signal: Mapping[str, Any], series: Sequence[Any]) -> str:
    """How a signal moved, as far as that is shown."""
    verdict = str(signal.get("verdict") or "no verdict")
    is_tested = signal.get("effect_ci") is not None
    stays = verdict in _STAYS and is_tested and not rules_out_moderate(signal)
    if verdict == "flat" or stays:
        if rules_out_moderate(signal):
            return "no moderate change"
        return "no change shown"
    words = _SHAPES.get(verdict, in_words(verdict))
    direction = _DIRECTIONS.get(words.partition(",")[0])
    if direction is not None and direction * _raw_change(series) <= 0:
        words += " once the work is taken into account; the values as such do not"
    return words


def rules_out_moderate(signal: Mapping[str, Any]) -> bool:
    """Does the interval of a signal lie on the harmless side of a moderate change?"""
    bounds = signal.get("effect_ci")
    moderate = signal.get("moderate_effect")
    if not isinstance(bounds, list | tuple) or len(bounds) != 2:
        return False
    if not isinstance(moderate, int | float):
        return False
    neutral = 1.0 if "factor" in str(signal.get("effect_unit")) else 0.0
    low, high = bounds
    return bool(high < moderate) if moderate > neutral else bool(low > moderate)


def missed_signals(finding: MechanismFinding) -> list[str]:
    """The tested signals of a mechanism in which a moderate change could have been missed."""
    signals = finding.others.get("signals")
    if not isinstance(signals, dict):
        return []
    names = []
    for name, one in signals.items():
        is_tested = isinstance(one, dict) and one.get("effect_ci") is not None
        if is_tested and not rules_out_moderate(one):
            names.append(in_words(plain(name)))
    return names


def reason_words(finding: MechanismFinding) -> str:
    """The reason of a finding, with the signals for which it does not hold."""
    reason = plain(finding.reason or "")
    missed = missed_signals(finding)
    if WOULD_BE_SEEN not in reason or not missed:
        return reason
    return f"{reason}, except in {' and '.join(missed)}, where it could have been missed"


def _raw_change(series: Sequence[Any]) -> float:
    """The last quarter of the known values minus the first."""
    known = [v for v in series if isinstance(v, int | float) and not isinstance(v, bool)]
    size = max(1, len(known) // _QUARTERS)
    return statistics.fmean(known[-size:]) - statistics.fmean(known[:size])
