"""The warnings of a trace audit's card: what a reader has to know before trusting it."""

from __future__ import annotations

from agingbench.records import ReadLog
from agingbench.telemetry.inference.infer import Inference
from agingbench.telemetry.sessions.aggregates import TraceSessions
from agingbench.telemetry.sessions.outcomes import OutcomeCurve
from agingbench.telemetry.signals.compression import NEARLY_FULL

RETENTION_DAYS = 32  # clients delete transcripts after 30 days by default


def card_warnings(
    trace: TraceSessions,
    inference: Inference,
    curve: OutcomeCurve,
    log: ReadLog,
    scrubbed: bool,
) -> list[str]:
    """Return the warnings, each as `code` or as `code: what was seen`."""
    warnings = ["telemetry_partial"]
    if not len(trace) and log.n_malformed:
        warnings.append(f"telemetry_unreadable_trace: {log.n_malformed}")
    elif not len(trace):
        warnings.append("telemetry_empty_trace")
    if not curve.linked:
        warnings.append("telemetry_no_outcome_events")

    if curve.unlinked:
        warnings.append(
            f"outcomes_not_linked: {curve.unlinked} outcome events belong to no session of this"
            " trace"
        )

    mechanisms = inference.mechanisms.values()
    warnings += [f"mechanism_not_exercised:{m.name}" for m in mechanisms if m.p is None]
    warnings += [f"confounded:{m.name}: {m.confounder}" for m in mechanisms if m.confounder]

    if inference.phases.count > 1:
        warnings.append(f"task_phases: the tasks come in {inference.phases.count} stretches")
    if inference.consistency.encoder_note:
        warnings.append(f"similarity: {inference.consistency.encoder_note}")

    warnings += _truncation(trace)

    if log.n_malformed:
        warnings.append(f"malformed_records: {log.n_malformed}")

    flags = {**trace.flags, **log.flags}
    warnings += [f"{name}: {n}" for name, n in sorted(flags.items()) if n]

    if not scrubbed:
        warnings.append("not_scrubbed: this card was made with --no-scrub")

    return warnings


def _truncation(trace: TraceSessions) -> list[str]:
    """Warn where the client deleted old sessions, and where sessions ran into the window."""
    warnings = []
    times = [session.start for session in trace.sessions if session.start is not None]
    names_client = any(session.clients for session in trace.sessions)

    if not trace.logical and len(times) > 1 and names_client:
        days = (max(times) - min(times)) / 86_400
        if 20 <= days <= RETENTION_DAYS:
            warnings.append(
                "left_truncated: clients delete transcripts after 30 days; keep them with"
                " `agingbench archive`"
            )

    full = 0
    for session in trace.sessions:
        if session.window_n and session.saturation_sum / session.window_n > NEARLY_FULL:
            full += 1

    if full > 0.25 * max(1, len(trace)):
        warnings.append(
            f"length_censored: {full} of {len(trace)} sessions ran near the full context window"
        )

    return warnings
