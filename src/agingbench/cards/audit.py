"""The card of a trace audit as its readers need it, and what changed between two such cards."""

from __future__ import annotations

from typing import Any

import msgspec

from agingbench.cards.figures import Section
from agingbench.cards.model import RecordCounts

# The schema leaves the figures of these blocks free: a foreign card may hold anything there, and
# what is no number is shown as missing.


class EvidencePlace(msgspec.Struct, frozen=True):
    """Where a record that a signal counts stands in the trace."""

    session: Any = None
    file: Any = None
    line: Any = None
    event: Any = None


class EvidenceSignal(msgspec.Struct, frozen=True):
    """A signal that fired, with its effect and the first records that it counts."""

    signal: str
    effect: Any = None
    effect_ci: Any = None
    effect_unit: Any = None
    p: Any = None
    n: Any = None
    records: list[EvidencePlace] | None = None


class MomentsEffect(msgspec.Struct, frozen=True):
    """One effect after compactions, against matched moments."""

    effect: Any = None


class MomentsBlock(msgspec.Struct, frozen=True):
    """What follows compactions inside sessions, against similar moments without one."""

    p: Any = None
    n_events: Any = None
    n_moments: Any = None
    error_rate: MomentsEffect | None = None
    effort_per_task: MomentsEffect | None = None


class CoverageVerdict(msgspec.Struct, frozen=True):
    """How far the trace could have shown a mechanism."""

    verdict: Any


class MechanismFinding(Section, frozen=True, kw_only=True):
    """What an audit says of one mechanism; the series of its signals are in `others`."""

    fired: bool | None = None
    weak_evidence: bool | None = None
    reason: str | None = None
    leading_signal: str | None = None
    effect: Any = None
    effect_ci: Any = None
    effect_unit: Any = None
    p_adjusted: Any = None
    standardised_effect: Any = None
    coverage: CoverageVerdict | None = None
    placebo_moments: MomentsBlock | None = None

    def leading_series(self) -> list[float | None]:
        """The values of the leading signal by session; empty where the card has none."""
        if self.leading_signal is None:
            return []
        return self.others.get(f"{self.leading_signal}_trajectory") or []


class DominantBlock(msgspec.Struct, frozen=True):
    """The mechanism that stands out, or why none does."""

    dominant: str | None = None
    reason: str | None = None
    compatible: list[str] | None = None
    scores: dict[str, float] | None = None
    evidence: Any = None

    def signals(self) -> list[tuple[str, EvidenceSignal]]:
        """Each signal that fired, with its mechanism; empty where the card lists none."""
        if not isinstance(self.evidence, dict):
            return []
        rows = []
        for mechanism, signals in self.evidence.items():
            if isinstance(signals, list):
                rows += [(mechanism, msgspec.convert(one, EvidenceSignal)) for one in signals]
        return rows


class TraceExtent(msgspec.Struct, frozen=True):
    """What kind of trace was read, and how large it is."""

    tool_using: bool
    n_sessions: int
    n_tool_calls: int
    outcomes: str
    adapter: str
    n_days: int | None = None


class AuditVerdict(msgspec.Struct, frozen=True):
    """The answer of an audit and the figure that leads it."""

    aging_detected: bool | None = None
    aging_reason: str | None = None
    label: str = ""
    source: str = ""
    tiers: Any = None


class AuditProvenance(msgspec.Struct, frozen=True):
    """How a trace was read, as older cards say it."""

    profile: str | None = None


class UsedProfile(msgspec.Struct, frozen=True):
    """The profile that a trace was read with, and why that one."""

    name: str | None = None
    chosen_by: str | None = None


class AuditBlock(Section, frozen=True, kw_only=True):
    """The `trace_audit` of a card."""

    compression: MechanismFinding = MechanismFinding()
    interference: MechanismFinding = MechanismFinding()
    revision: MechanismFinding = MechanismFinding()
    maintenance: MechanismFinding = MechanismFinding()
    headline: AuditVerdict = AuditVerdict()
    dominant_mechanism: DominantBlock = DominantBlock()
    trace_regime: TraceExtent | None = None
    session_times: list[float | None] | None = None
    signature: str | None = None
    repair: str | None = None
    profile: UsedProfile | None = None

    def findings(self) -> dict[str, MechanismFinding]:
        """The finding of each mechanism by its name."""
        return {
            "compression": self.compression,
            "interference": self.interference,
            "revision": self.revision,
            "maintenance": self.maintenance,
        }


class AuditCard(Section, frozen=True, kw_only=True):
    """The card of an audit, as far as it is printed or compared."""

    trace_audit: AuditBlock = AuditBlock()
    headline: AuditVerdict = AuditVerdict()
    provenance: AuditProvenance | None = None
    records: RecordCounts | None = None
    warnings: list[str] = msgspec.field(default_factory=list)
    n_sessions: int = 0
    content_hash: str | None = None


# -- a fleet of agents


class FleetOutcomes(msgspec.Struct, frozen=True):
    """What became of the outcome events that were given for a whole fleet."""

    read: int
    linked: int
    unmatched: int
    malformed: int


# -- two audits of one agent


class MechanismChange(msgspec.Struct, frozen=True):
    """One mechanism in the earlier and in the later audit."""

    fired_before: bool | None
    fired_now: bool | None
    signal: str | None
    signal_before: str | None
    effect_unit: Any
    effect_unit_before: Any
    effect_before: Any
    effect_now: Any
    effect_change: float | None


class AuditChange(msgspec.Struct, frozen=True):
    """What changed between two audits of one agent."""

    aging_before: bool | None
    aging_now: bool | None
    n_sessions_before: int
    n_sessions_now: int
    same_evidence: bool
    mechanisms: dict[str, MechanismChange]


def compare_audits(earlier: AuditCard, later: AuditCard) -> AuditChange:
    """Return what changed between two audits; nothing is tested, since they share evidence."""
    findings_before = earlier.trace_audit.findings()
    changes = {}
    for name, now in later.trace_audit.findings().items():
        before = findings_before[name]
        change = None
        has_effects = before.effect is not None and now.effect is not None
        if has_effects and before.leading_signal == now.leading_signal:
            change = now.effect - before.effect

        changes[name] = MechanismChange(
            fired_before=before.fired,
            fired_now=now.fired,
            signal=now.leading_signal,
            signal_before=before.leading_signal,
            effect_unit=now.effect_unit,
            effect_unit_before=before.effect_unit,
            effect_before=before.effect,
            effect_now=now.effect,
            effect_change=change,
        )

    return AuditChange(
        aging_before=earlier.headline.aging_detected,
        aging_now=later.headline.aging_detected,
        n_sessions_before=earlier.n_sessions,
        n_sessions_now=later.n_sessions,
        same_evidence=earlier.content_hash == later.content_hash,
        mechanisms=changes,
    )
