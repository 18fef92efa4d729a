"""Checks an agent's work on its tickets at every point and remembers how each check ended."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from agingbench.bench.plan.plan import Plan
from agingbench.bench.plan.ticket_check import TicketCheck
from agingbench.bench.repository.chain import chain_of
from agingbench.bench.repository.judging import TicketJudge
from agingbench.bench.scoring.code_checks import CodeCheck, OutcomeFile
from agingbench.bench.scoring.code_runs import Outcome
from agingbench.bench.scoring.program_checks import workspace_files
from agingbench.traces.canonical import canonical_json


def ticket_checks(
    plan: Plan,
    states: Iterable[tuple[int, Mapping[str, Any]]],
    judge: TicketJudge | None = None,
    remembered: OutcomeFile | None = None,
) -> list[CodeCheck]:
    """Every check of the agent's tickets with its outcome, in plan order; [] where there is none.

    `states` are the saved states of the agent, point by point.
    """
    if not plan.tickets:
        return []
    judge = judge or TicketJudge(chain_of(plan.chain))
    results = []
    for t, state in states:
        checks = plan.tickets_at(t)
        outcomes = _outcomes(workspace_files(state), checks, judge, remembered)
        for check, outcome in zip(checks, outcomes, strict=True):
            results.append(CodeCheck(t - 1, check.id, check.fact, outcome.status, outcome.detail))
    return results


def _outcomes(
    files: Mapping[str, bytes],
    checks: Sequence[TicketCheck],
    judge: TicketJudge,
    remembered: OutcomeFile | None,
) -> list[Outcome]:
    if remembered is None:
        return judge.outcomes(files, checks)
    keys = [_key(files, check, judge.file.digest) for check in checks]
    missing = [
        check for key, check in zip(keys, checks, strict=True) if key not in remembered.outcomes
    ]
    fresh = dict(zip([check.id for check in missing], judge.outcomes(files, missing), strict=True))
    outcomes = []
    for key, check in zip(keys, checks, strict=True):
        outcomes.append(fresh.get(check.id) or remembered.outcomes[key])
    remembered.add(dict(zip(keys, outcomes, strict=True)))
    return outcomes


def _key(files: Mapping[str, bytes], check: TicketCheck, chain: str) -> str:
    digest = hashlib.sha256(chain.encode())
    for path, data in sorted(files.items()):
        digest.update(f"{path}\0{hashlib.sha256(data).hexdigest()}\n".encode())
    digest.update(canonical_json(msgspec.to_builtins(check)))
    return digest.hexdigest()
