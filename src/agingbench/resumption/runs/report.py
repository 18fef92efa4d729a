"""What a run came to as one document: for the terminal, for --json and for the page of a report."""

from __future__ import annotations

from agingbench.cards.resumption import RunDocument, RunReport
from agingbench.resumption.calibration.gate import CalibrationGate
from agingbench.resumption.runs.headline import headline
from agingbench.resumption.runs.store import RunConfig
from agingbench.resumption.runs.summary import RunSummary


def run_report(
    run_id: str, config: RunConfig, judge: str, gate: CalibrationGate, summary: RunSummary
) -> RunReport:
    """What a run came to; `judge` is its name as the user gave it."""
    document = RunDocument(
        run_id=run_id,
        path=".",
        consolidator=config.consolidator,
        budget=config.budget,
        agent=config.agent,
        judge=judge,
        model=config.model,
        tokenizer=gate.identity.tokenizer if gate.identity else None,
        gate=gate.words,
        passed=gate.passed,
        reasons=gate.reasons,
        headline=headline(summary, gate),
        graders=gate.graders,
        figures=summary.figures,
        tokens=summary.tokens,
        statuses=summary.statuses,
        skipped=summary.skipped,
        judge_failures=summary.judge_failures,
        items=summary.items,
        notes=summary.notes,
        publishable=summary.publishable,
    )
    return RunReport(document, gate.components, config.episodes)
