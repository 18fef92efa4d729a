"""The AgingCard of a resumption run; it exists only behind a passed gate."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from datetime import UTC, datetime

import msgspec

from agingbench.cards.check import seal_card, without_paths
from agingbench.cards.figures import Figure, Section, document_of
from agingbench.cards.model import (
    MECHANISMS,
    CardKind,
    CostAndEfficiency,
    Headline,
    JudgeKappa,
    OwnCard,
    OwnProvenance,
    ResumptionGroup,
    ResumptionSection,
    SystemUnderTest,
)
from agingbench.records import Usage
from agingbench.resumption.calibration.calibrate import grades_file_hash
from agingbench.resumption.calibration.gate import CalibrationGate
from agingbench.resumption.calibration.paraphrases import paraphrase_warning
from agingbench.resumption.episodes.benchmark_folder import BenchmarkFolder
from agingbench.resumption.runs.store import EpisodeRow, RunConfig
from agingbench.resumption.runs.summary import RunSummary

SCENARIO = "resumption::v0"


class ResumptionHeadline(Headline, frozen=True, kw_only=True):
    """The headline of a resumption run; it has no curve, so only its quality is a figure."""

    quality: Figure


class ResumptionSystem(SystemUnderTest, frozen=True, kw_only=True):
    """Who resumed, and what made the contexts."""

    consolidator_model: str | None


class ResumptionProvenance(OwnProvenance, frozen=True, kw_only=True):
    """Which episodes, prompts and reference grades the figures rest on."""

    episodes_sha256: str
    prompt_hashes: dict[str, str]
    hand_grades_sha256: str | None


class ResumptionCard(OwnCard, frozen=True, kw_only=True):
    """The card of a resumption run. It has no life, so curve and half-life are null."""

    card_kind: CardKind = "resumption"
    sut: ResumptionSystem
    headline: ResumptionHeadline
    provenance: ResumptionProvenance
    resumption: ResumptionSection


def make_card(
    run_id: str,
    config: RunConfig,
    rows: Sequence[EpisodeRow],
    summary: RunSummary,
    gate: CalibrationGate,
    benchmark: BenchmarkFolder,
) -> ResumptionCard:
    """Make the finished card of a run whose gate is open."""
    usage = Usage()
    for row in rows:
        usage += row.usage
    model = None if config.agent == "embedded" else config.agent
    now = datetime.now(UTC).isoformat(timespec="seconds")
    machine = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    card = ResumptionCard(
        generated_at=now.replace("+00:00", "Z"),
        run_id=run_id,
        scenario=SCENARIO,
        scenario_version="v0",
        sut=ResumptionSystem(
            sut_id=f"{config.agent}+{config.consolidator}",
            model_provider=model.partition(":")[0] if model else None,
            model_id=model,
            memory_policy_type=config.consolidator,
            consolidator_model=config.model,
        ),
        seed=0,
        n_sessions=len(rows),
        pressure={"budget_tokens": config.budget, "tokenizer": config.tokenizer},
        headline=ResumptionHeadline(
            metric_name="resumption_quality",
            quality=Figure.of(summary.figures["all"]["quality"]),
        ),
        cost_and_efficiency=msgspec.structs.replace(
            CostAndEfficiency.of(usage),
            tokens_per_session_mean=None,
            latency_ms_p50=None,
            latency_ms_p95=None,
        ),
        checkpoints=[],
        provenance=ResumptionProvenance(
            compute_environment=machine,
            episodes_sha256=config.episodes,
            prompt_hashes=config.judge.prompts,
            hand_grades_sha256=grades_file_hash(benchmark),
        ),
        warnings=_warnings(config, summary, gate),
        links={"scores": "scores.parquet", "rows": "rows.jsonl"},
        resumption=_section(config, rows, summary, gate),
    )
    return seal_card(ResumptionCard.read(without_paths(card.document())))


def _section(
    config: RunConfig, rows: Sequence[EpisodeRow], summary: RunSummary, gate: CalibrationGate
) -> ResumptionSection:
    groups = {}
    for name, figures in summary.figures.items():
        tokens = Figure(summary.tokens[name], n=figures["quality"].n)
        means = {key: Figure.of(estimate) for key, estimate in figures.items()}
        group = ResumptionGroup(context_tokens_mean=tokens)
        groups[name] = msgspec.structs.replace(group, **means)

    agreement = []
    for part in gate.components:
        if part.domain not in gate.open_domains:
            continue
        bounds = None if part.low is None else (part.low, part.high)
        agreement.append(
            JudgeKappa(
                component=part.component,
                domain=part.domain,
                kappa=part.kappa,
                value=Figure(part.value, bounds, part.n),
                weak=part.weak,
            )
        )

    paraphrases = None
    if gate.paraphrases is not None:
        paraphrases = Section(others=document_of(gate.paraphrases))

    return ResumptionSection(
        consolidator=config.consolidator,
        budget=config.budget,
        tokenizer=config.tokenizer,
        agent=config.agent,
        judge=config.judge.judge,
        gate="weak gate" if gate.weak else "calibrated",
        groups=groups,
        kappa=agreement,
        graders=dict(gate.graders),
        episodes=len(rows),
        statuses=dict(summary.statuses),
        judge_failures=summary.judge_failures,
        items=summary.items,
        paraphrases=paraphrases,
    )


def _warnings(config: RunConfig, summary: RunSummary, gate: CalibrationGate) -> list[str]:
    out = [f"mechanism_not_exercised:{name}" for name in MECHANISMS]
    if gate.weak:
        names = ", ".join(f"{p.component} ({p.domain})" for p in gate.components if p.weak)
        out.append(f"weak gate: the lower bound of kappa is below 0.4 for {names}")
    if not any(who.startswith("human") for who in gate.graders):
        out.append(f"graders: no human graded the calibration set ({', '.join(gate.graders)})")
    if config.agent == "embedded":
        out.append(
            "embedded_agent: it lists the next steps that it reads, it is not a language model"
        )
    if blind := paraphrase_warning(gate.paraphrases):
        out.append(blind)
    skipped = summary.statuses.get("skipped", 0)
    if skipped:
        out.append(
            f"episodes_skipped: {skipped}, their traces are not here or the consolidator does not"
            " apply"
        )
    closed = summary.statuses.get("uncalibrated", 0)
    if closed:
        domains = sorted({part.domain for part in gate.components} - gate.open_domains)
        names = ", ".join(domains)
        out.append(f"uncalibrated_domains: {closed} episodes of {names} have no score")
    if summary.judge_failures:
        out.append(
            f"judge_failures: {summary.judge_failures} of {summary.items} items count for nothing"
        )
    return out
