"""The card of a trace audit as its readers need it, and what changed between two such cards."""

from __future__ import annotations

from typing import Any

import msgspec

from agingbench.cards.figures import Section
from agingbench.cards.model import RecordCounts

CHANGED_AT_ONCE = "changed_at_once"  # why an answer is open: a step, no slope
MOVES = 0.1  # p-value of a signal from which it is looked at for a common step

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


class SpentTokens(msgspec.Struct, frozen=True):
    """Tokens and dollars of a week, a model, one model in one week, or all together."""

    week: str = ""
    model: str = ""
    model_calls: int = 0
    input_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None

    @property
    def tokens(self) -> int:
        """All tokens, cached ones included."""
        cached = self.cache_read_tokens + self.cache_write_tokens
        return self.input_tokens + cached + self.output_tokens


class SpendingBlock(msgspec.Struct, frozen=True):
    """What an agent took."""

    prices_as_of: str = ""
    total: SpentTokens = SpentTokens()
    by_week: list[SpentTokens] = []
    by_model: list[SpentTokens] = []
    by_week_and_model: list[SpentTokens] = []  # cards of earlier versions have none
    models_without_price: list[str] = []
    requests: int = 0
    compactions: int = 0
    context_share_mean: float | None = None
    context_share_peak: float | None = None
    context_share_highest: float | None = None
    context_share_highest_session: int | None = None
    context_share_highest_time: float | None = None


class WorkBlock(msgspec.Struct, frozen=True):
    """What was asked for, and how that changed."""

    words_that_rose: list[str] = []
    words_that_fell: list[str] = []


class FigureBlock(msgspec.Struct, frozen=True):
    """One figure of the behaviour panel."""

    counted: str = ""
    per: str = ""
    scale: str = "ratio"
    rising_is_bad: bool = True
    value: float | None = None
    by_session: list[float | None] = []
    n_by_session: list[float] = []
    by_week: list[float | None] = []


class PanelBlock(msgspec.Struct, frozen=True):
    """What an agent did, figure by figure."""

    weeks: list[str] = []
    sessions_by_week: list[int] = []
    figures: dict[str, FigureBlock] = {}


class RecordedBlock(msgspec.Struct, frozen=True):
    """Something that changed from one session to the next."""

    session: int = 0
    time: float | None = None
    kind: str = ""
    what: str = ""


class MovedBlock(msgspec.Struct, frozen=True):
    """A figure before and after."""

    figure: str
    before: float | None = None
    after: float | None = None
    worse: bool = False
    p_adjusted: float | None = None


class ChangePointBlock(msgspec.Struct, frozen=True):
    """A session from which figures are different, and what was recorded there."""

    session: int = 0
    time: float | None = None
    sessions_before: int = 0
    sessions_after: int = 0
    recorded: list[RecordedBlock] = []
    moved: list[MovedBlock] = []


class ChangesBlock(msgspec.Struct, frozen=True):
    """When an agent changed, and what drifted slowly."""

    tested: bool = False
    reason: str | None = None
    recorded: list[RecordedBlock] = []
    points: list[ChangePointBlock] = []
    drifts: list[MovedBlock] = []


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
    open_because: str | None = None
    changed_at_session: int | None = None

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
    open_because: str | None = None
    changed_at_session: int | None = None


class AuditProvenance(msgspec.Struct, frozen=True):
    """How a trace was read, as older cards say it, and by which version."""

    profile: str | None = None
    agingbench_version: str | None = None


class UsedProfile(msgspec.Struct, frozen=True):
    """The profile that a trace was read with, and why that one."""

    name: str | None = None
    chosen_by: str | None = None


class WindowBlock(msgspec.Struct, frozen=True):
    """How the trace without a week is answered, counted over weeks."""

    weeks: int = 0
    windows: int = 0
    same: int = 0
    opposite: int = 0


class AuditBlock(Section, frozen=True, kw_only=True):
    """The `trace_audit` of a card."""

    compression: MechanismFinding = MechanismFinding()
    interference: MechanismFinding = MechanismFinding()
    revision: MechanismFinding = MechanismFinding()
    maintenance: MechanismFinding = MechanismFinding()
    reliability: MechanismFinding | None = None
    spending: SpendingBlock | None = None
    panel: PanelBlock | None = None
    changes: ChangesBlock | None = None
    work: WorkBlock | None = None
    headline: AuditVerdict = AuditVerdict()
    dominant_mechanism: DominantBlock = DominantBlock()
    trace_regime: TraceExtent | None = None
    session_times: list[float | None] | None = None
    signature: str | None = None
    repair: str | None = None
    profile: UsedProfile | None = None
    left_out_weeks: WindowBlock | None = None

    def findings(self) -> dict[str, MechanismFinding]:
        """The finding of each mechanism by its name; older cards have no reliability."""
        findings = {
            "compression": self.compression,
            "interference": self.interference,
            "revision": self.revision,
            "maintenance": self.maintenance,
        }
        if self.reliability is not None:
            findings["reliability"] = self.reliability
        return findings

    def step_session(self) -> int | None:
        """The session of the step that leaves the answer open; None where the card has none."""
        steps = [self.headline.changed_at_session]
        for finding in self.findings().values():
            if finding.open_because == CHANGED_AT_ONCE:
                steps.append(finding.changed_at_session)

        count = len(self.session_times or [])
        known = [step for step in steps if step is not None and 0 <= step < count]
        return known[0] if known else None


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


class AnswerNotice(msgspec.Struct, frozen=True, kw_only=True):
    """An answer of a watched agent that changed, and why."""

    time: str
    project: str  # scrubbed
    folder: str  # that holds its card
    reason_before: str | None
    reason_now: str | None
    causes: list[str]
    change: AuditChange
    hash_before: str | None
    hash_now: str | None


def compare_audits(earlier: AuditCard, later: AuditCard) -> AuditChange:
    """Return what changed between two audits; nothing is tested, since they share evidence."""
    findings_before = earlier.trace_audit.findings()
    changes = {}
    for name, now in later.trace_audit.findings().items():
        before = findings_before.get(name, MechanismFinding())
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
