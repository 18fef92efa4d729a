"""Which mechanism leads the card: the largest weighted effect of those that fired."""

from __future__ import annotations

import msgspec

from agingbench.telemetry.inference.evidence import ALPHA, Mechanism, Signal
from agingbench.telemetry.inference.evidence_records import records_behind
from agingbench.telemetry.inference.infer import Inference
from agingbench.telemetry.profile import MECHANISMS, Profile
from agingbench.telemetry.sessions.aggregates import TraceSessions
from agingbench.telemetry.signals.details import InterferenceDetails, RecordPlace

LINEAGE = ("compression", "interference", "revision")  # what a falling lineage is compatible with
LEAST_LINEAGE = 6  # sessions
FALLING = 0.8  # of the early level


class SignalEvidence(msgspec.Struct, frozen=True):
    """One signal behind a mechanism that fired, with the records it counts."""

    signal: str
    kind: str
    effect: float | None
    effect_ci: tuple[float, float] | None
    effect_unit: str
    p: float | None
    n: int
    records: list[RecordPlace]


class DominantMechanism(msgspec.Struct, frozen=True):
    """The leading mechanism (None where none fired), and the evidence of all that fired."""

    dominant: str | None
    reason: str
    scores: dict[str, float]
    evidence: dict[str, list[SignalEvidence]]
    compatible: list[str]


def dominant_mechanism(
    inference: Inference, profile: Profile, trace: TraceSessions | None = None
) -> DominantMechanism:
    """Return the leading mechanism: the standardised effect times the profile's weight decides.

    With `trace` the evidence names the records behind each signal.
    """
    mechanisms = inference.mechanisms
    fired = [mechanisms[name] for name in MECHANISMS if mechanisms[name].answer]

    if not fired:
        tested = any(mechanism.p is not None for mechanism in mechanisms.values())
        reason = "no_independent_evidence" if tested else "no_signal"
        return DominantMechanism(None, reason, {}, {}, _compatible_with_lineage(inference))

    scores: dict[str, float] = {}
    for mechanism in fired:
        weight = profile.mechanism_weights.get(mechanism.name, 1.0)
        scores[mechanism.name] = round(mechanism.standardised_effect() * weight, 6)

    # Ties go by the order of the mechanisms, which `max` keeps.
    leader = max(fired, key=lambda mechanism: scores[mechanism.name])
    return DominantMechanism(
        dominant=leader.name,
        reason="argmax",
        scores=scores,
        evidence={mechanism.name: _evidence(mechanism, trace) for mechanism in fired},
        compatible=[mechanism.name for mechanism in fired],
    )


def _evidence(mechanism: Mechanism, trace: TraceSessions | None) -> list[SignalEvidence]:
    """Return the significant signals of a mechanism, or its leading one where none is by itself."""
    significant = [s for s in mechanism.signals if _significant(s)]
    if not significant and mechanism.leading is not None:
        significant = [mechanism.leading]

    evidence = []
    for signal in significant:
        figures = signal.figures()
        records = [] if trace is None else records_behind(trace, mechanism, signal)
        evidence.append(
            SignalEvidence(
                signal=signal.name,
                kind="independent",
                effect=figures.effect,
                effect_ci=figures.effect_ci,
                effect_unit=figures.effect_unit,
                p=figures.p,
                n=figures.n,
                records=records,
            )
        )

    return evidence


def _significant(signal: Signal) -> bool:
    return signal.test is not None and signal.large_enough() and (signal.p or 0.0) <= ALPHA


def _compatible_with_lineage(inference: Inference) -> list[str]:
    """Return what a falling lineage alone is compatible with; a shared signal is never enough."""
    details = inference.mechanisms["interference"].details
    assert isinstance(details, InterferenceDetails)
    lineage = [value for value in details.lineage_continuity_trajectory if value is not None]
    if len(lineage) < LEAST_LINEAGE:
        return []

    third = len(lineage) // 3
    early = sum(lineage[:third]) / third
    late = sum(lineage[-third:]) / third

    return list(LINEAGE) if late < FALLING * early else []
