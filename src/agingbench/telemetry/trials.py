"""Audits as trials: the scrubbed card of each is kept in a ledger, and no transcript."""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import msgspec

from agingbench.cards.check import seal_card
from agingbench.telemetry.audit import Audit
from agingbench.trials.card_trials import card_trial
from agingbench.trials.ledger import open_ledger
from agingbench.trials.record import record_hash

EXPERIMENT = "audits"


def keep_audits(place: str, audits: Sequence[Audit]) -> list[Audit]:
    """Add each audit to the ledger at `place`; returns them with cards that name their trials."""
    with open_ledger(place) as ledger:
        named = []
        for audit in audits:
            trial_id = _draw_id(audit.name)
            record, files = card_trial(
                audit.card,
                trial_id,
                experiment=EXPERIMENT,
                harness=audit.trace_card.provenance.trace_format,
                model=audit.trace_card.sut.model_id or "unknown",
            )
            ledger.add(record, files)
            named.append(_naming(audit, trial_id, record_hash(record)))
    return named


def _draw_id(name: str) -> str:
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip(".-_") or "project"
    return f"audit.{plain}.{datetime.now(UTC):%Y%m%d}-{secrets.token_hex(4)}"


def _naming(audit: Audit, trial_id: str, hash: str) -> Audit:
    provenance = msgspec.structs.replace(
        audit.trace_card.provenance, trial_id=trial_id, record_hash=hash
    )
    card = msgspec.structs.replace(audit.trace_card, provenance=provenance)
    return replace(audit, trace_card=seal_card(card))
