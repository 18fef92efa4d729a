"""Which mechanism leads the card: the largest standardised effect of those that fired, times the
profile's weight.
"""

from __future__ import annotations

from typing import Any

from agingbench.telemetry.inference.evidence import Mechanism
from agingbench.telemetry.inference.evidence_records import records_behind
from agingbench.telemetry.inference.infer import Inference
from agingbench.telemetry.profile import MECHANISMS, Profile
from agingbench.telemetry.sessions.aggregates import TraceSessions

LINEAGE = ("compression", "interference", "revision")


def dominant_mechanism(
    found: Inference, profile: Profile, sessions: TraceSessions | None = None
) -> dict[str, Any]:
    """The selector's block: dominant, reason, scores, evidence, compatible; with sessions also the
    records behind.
    """
    fired = [found.mechanisms[name] for name in MECHANISMS if found.mechanisms[name].answer]
    scores = {
        m.name: round(m.standardised_effect() * profile.mechanism_weights.get(m.name, 1.0), 6)
        for m in fired
    }
    tested = [m for m in found.mechanisms.values() if m.p is not None]

    if not fired:
        return {
            "dominant": None,
            "reason": "no_independent_evidence" if tested else "no_signal",
            "scores": {},
            "evidence": {},
            "compatible": _compatible(found),
        }

    # Ties go by the order of the mechanisms, which `max` keeps.
    leader = max(fired, key=lambda m: scores[m.name])
    return {
        "dominant": leader.name,
        "reason": "argmax",
        "scores": scores,
        "evidence": {m.name: _evidence(m, sessions) for m in fired},
        "compatible": [m.name for m in fired],
    }


def _evidence(mechanism: Mechanism, sessions: TraceSessions | None) -> list[dict[str, Any]]:
    loud = [
        s
        for s in mechanism.signals
        if s.test is not None and s.large_enough() and (s.p or 0.0) <= 0.05
    ]
    chosen = loud or ([mechanism.leading] if mechanism.leading is not None else [])
    return [
        {
            "signal": s.name,
            "kind": "independent",
            **_short(s.figures()),
            "records": [] if sessions is None else records_behind(sessions, mechanism, s),
        }
        for s in chosen
    ]


def _short(figures: dict[str, Any]) -> dict[str, Any]:
    return {k: figures[k] for k in ("effect", "effect_ci", "effect_unit", "p", "n")}


def _compatible(found: Inference) -> list[str]:
    """What a falling lineage alone would be compatible with; a shared signal is never enough."""
    lineage = [
        v
        for v in found.mechanisms["interference"].details["lineage_continuity_trajectory"]
        if v is not None
    ]
    if len(lineage) < 6:
        return []

    third = len(lineage) // 3
    early = sum(lineage[:third]) / third
    late = sum(lineage[-third:]) / third

    return list(LINEAGE) if late < 0.8 * early else []
