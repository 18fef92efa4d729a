"""A diagnosis as its file and the card hold it, and the repair that its evidence supports, in
words.
"""

from __future__ import annotations

from typing import Any

from agingbench.bench.diagnosis.ladder import CONDITIONS, MAINTENANCE, P2, P3, Diagnosis
from agingbench.bench.plan.plan import Plan
from agingbench.bench.scoring.score import estimate_json
from agingbench.metrics.intervals import Estimate
from agingbench.metrics.shares import STAGES, STORE, StageShares, StoreChange

SHARE_NAMES = {
    "U": "utilization_share",
    "W": "write_share",
    "R": "retrieval_share",
    "W+R": "write_retrieval_share",
}
DELTA_S = "delta_s"

# What to try, by stage. Nothing here is known of a particular life; the evidence beside it is.
TRY = {
    "write": (
        "change what is written: a compaction prompt that keeps exact values (careful), a larger"
        " word budget, one unit per session in place of one summary, typed state for running totals"
    ),
    "retrieval": (
        "change what is read: more units at once (k), a ranking that tells look-alikes and versions"
        " apart, units that hold one thing each"
    ),
    "utilization": (
        "change who reads: a stronger model, a plainer prompt, a tool that adds up what has to be"
        " added up; more memory will not help"
    ),
    "write+retrieval": (
        "keep retrievable units (append_only, lossy_episodic) to tell write and retrieval apart, or"
        " try both: a compaction prompt that keeps exact values (careful) and a larger word budget"
    ),
    STORE: (
        "guard the store at the event: save it before and put it back, keep what is exact out of"
        " reach of it, or have it read again from the source afterwards"
    ),
}

# What to try first where most of it shows in the probes of one mechanism.
FIRST = {
    (
        "write",
        "revision",
    ): "write corrections and running totals as values of their own (typed state)",
    (
        "write+retrieval",
        "revision",
    ): "write corrections and running totals as values of their own (typed state)",
    ("write", "interference"): "write the full name of what a fact is about beside it",
    (
        "retrieval",
        "interference",
    ): "rank by the full name of what is asked for, so that look-alikes come last",
    ("retrieval", "revision"): "let the latest version of a fact come before the earlier ones",
    (
        "utilization",
        "revision",
    ): "give it a tool that adds up, and show it the latest version alone",
}


def diagnosis_json(found: Diagnosis, plan: Plan) -> dict[str, Any]:
    """diagnosis.json, and the card's block of that name."""
    cells = {
        "life": found.life,
        **{f"session {t}": cell for t, cell in found.sessions.items()},
        **{f"mechanism {name}": cell for name, cell in found.mechanisms.items()},
    }
    usage = found.usage
    return {
        "plan_hash": plan.hash,
        "conditions": dict(CONDITIONS),
        "points": [1, plan.n_sessions],
        "end_to_end": found.end_to_end,
        **cell_json(found.life),
        "abstentions": [P2] if any(cell.abstained for cell in found.sessions.values()) else [],
        "anomalies": [name for name, cell in cells.items() if cell.diagnostic_anomaly],
        "excluded_by_condition": dict(found.excluded),
        "sessions": [{"t": t, **cell_json(cell)} for t, cell in found.sessions.items()],
        "mechanisms": {name: cell_json(cell) for name, cell in found.mechanisms.items()},
        "events": [_change_json(change) for change in found.events],
        "stage": found.stage,
        "hint": hint(found),
        "cost": {
            "total_calls": usage.calls,
            "total_input_tokens": usage.input_tokens,
            "total_output_tokens": usage.output_tokens,
            "total_cost_usd": usage.cost_usd,
        },
    }


def cell_json(cell: StageShares) -> dict[str, Any]:
    """One cell; in an anomaly there are no shares, and the ladder shows why."""
    return {
        "n": cell.n,
        "n_facts": cell.n_facts,
        "n_excluded": cell.n_excluded,
        "abstained": cell.abstained,
        "diagnostic_anomaly": cell.diagnostic_anomaly,
        "accuracy": {name: estimate_json(e) for name, e in cell.accuracy.items()},
        "shares": {name: estimate_json(e) for name, e in cell.shares.items()} or None,
    }


def _change_json(change: StoreChange) -> dict[str, Any]:
    return {
        "event": change.event,
        "at": change.at,
        "of": change.of,
        DELTA_S: estimate_json(change.delta),
        "before": estimate_json(change.before),
        "after": estimate_json(change.after),
        "n_excluded": change.n_excluded,
    }


def mechanism_shares(found: Diagnosis) -> dict[str, dict[str, Any]]:
    """For each mechanism's block of the card: its shares with interval and n, and ΔS for
    maintenance.
    """
    blocks: dict[str, dict[str, Any]] = {}
    for name, cell in found.mechanisms.items():
        block = blocks.setdefault(name, {"diagnostic_anomaly": cell.diagnostic_anomaly})
        for share, estimate in cell.shares.items():
            block |= _figure(SHARE_NAMES[share], estimate)
    if found.events:
        blocks.setdefault(MAINTENANCE, {}).update(_figure(DELTA_S, found.events[0].delta))
    return blocks


def _figure(name: str, estimate: Estimate) -> dict[str, Any]:
    plain = estimate_json(estimate)
    return {name: plain["value"], f"{name}_ci": plain["ci"], f"{name}_n": plain["n"]}


# -- what to do about it


def hint(found: Diagnosis) -> dict[str, Any] | None:
    """Which stage, what to try and on what evidence; None where the intervals do not support any
    stage.
    """
    stage = found.stage
    if stage is None:
        return None
    advice = TRY[stage]
    mechanism = None
    evidence = _store_evidence(found) if stage == STORE else _share_evidence(found, stage)
    most = None if stage == STORE else _most_in(found, stage)
    if most is not None:
        mechanism, share = most
        evidence += f" Most of it shows in {mechanism} probes: {_words(share)}."
        first = FIRST.get((stage, mechanism))
        advice = f"{first}; then {advice}" if first else advice
    if found.end_to_end and stage == "retrieval":
        evidence += " The agent owns its loop: this is its own way of looking things up."
    return {"stage": stage, "try": advice, "evidence": evidence, "mechanism": mechanism}


def _share_evidence(found: Diagnosis, stage: str) -> str:
    key = next(key for key, name in STAGES.items() if name == stage)
    rungs = found.life.accuracy
    told = {
        "U": "of the answers are still wrong with the facts themselves in front of it",
        "W": (
            "of the answers are lost because the store does not state the facts:"
            f" {_percent(rungs[P3])} are right with the facts in front of it,"
            f" {_percent(rungs.get(P2))} with the best its own store holds"
        ),
        "R": (
            "of the answers are lost although the store states the facts:"
            f" {_percent(rungs.get(P2))} are right with the right units in front of it,"
            f" {_percent(rungs['as_lived'])} with what it reads itself"
        ),
        "W+R": (
            f"of the answers are lost between being told and being read: {_percent(rungs[P3])} are"
            f" right with the facts in front of it, {_percent(rungs['as_lived'])} as it lived. The"
            " memory is one blob, so write and retrieval cannot be told apart"
        ),
    }
    return f"{_words(found.life.shares[key])} {told[key]}."


def _store_evidence(found: Diagnosis) -> str:
    worst = max(
        (change for change in found.events if change.supported),
        key=lambda change: change.delta.value or 0.0,
    )
    return (
        f"{worst.event} took {_words(worst.delta)} of the answers out of reach; before it"
        f" {_percent(worst.before)} were missing, after it {_percent(worst.after)}."
    )


def _most_in(found: Diagnosis, stage: str) -> tuple[str, Estimate] | None:
    # Named only where its interval lies above the share of the whole life.
    key = next(key for key, name in STAGES.items() if name == stage)
    whole = found.life.shares[key].value or 0.0
    cells = [
        (name, cell.shares[key]) for name, cell in found.mechanisms.items() if key in cell.shares
    ]
    clear = [
        (name, e)
        for name, e in cells
        if name != MAINTENANCE and e.low is not None and e.low > whole
    ]
    return max(clear, key=lambda pair: pair[1].value or 0.0, default=None)


def _words(estimate: Estimate) -> str:
    low = estimate.low or 0.0
    high = estimate.high or 0.0
    return f"{_percent(estimate)} ({low:.0%} to {high:.0%}, n = {estimate.n})"


def _percent(estimate: Estimate | None) -> str:
    return "none" if estimate is None or estimate.value is None else f"{estimate.value:.0%}"


def incomplete(missing: int) -> str:
    """The warning of a card whose diagnosis was begun and not finished."""
    return (
        f"diagnosis_incomplete: {missing} answers are still to be asked; `agingbench diagnose`"
        " goes on"
    )
