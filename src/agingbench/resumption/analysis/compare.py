"""Compares two runs, paired by episode, with what the number of episodes could have shown."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from agingbench.cards.resumption import FigureComparison, RunComparison
from agingbench.errors import InputError, nearest
from agingbench.metrics.bootstrap import Difference, difference, mean_of
from agingbench.resumption.runs.scores_file import ScoreRow, read_scores
from agingbench.resumption.runs.store import RunConfig, RunFolder
from agingbench.resumption.runs.summary import FIGURES

NO_EFFECT = "no detectable effect at this power"


class ScoredRun(msgspec.Struct, frozen=True):
    """A finished run: its configuration and the rows of its scores.parquet by episode."""

    name: str
    config: RunConfig
    rows: dict[str, ScoreRow]
    calibrated: bool


def load_run(path: Path) -> ScoredRun:
    """Read a run by its folder; raises InputError if it did not end or is no run."""
    if not path.is_dir():
        raise InputError(f"{path}: no such run; {_run_hint(path)}")

    folder = RunFolder(path)
    config = folder.config()
    rows = {row.episode: row for row in read_scores(folder.scores)}
    # Rows of a domain that is not calibrated have no score and are compared with nothing.
    calibrated = any(row.calibrated for row in rows.values())
    return ScoredRun(path.name, config, rows, calibrated)


def _run_hint(path: Path) -> str:
    runs = [config.parent.name for config in path.parent.glob("*/run.json")]
    close = nearest(path.name, runs)
    if close:
        return f"did you mean {' or '.join(close)}?"
    return f"{len(runs)} runs lie in {path.parent}"


def select_source(run: ScoredRun, source: str | None) -> ScoredRun:
    """Return the run with only the episodes of one source; None keeps all."""
    if source is None:
        return run
    rows = {name: row for name, row in run.rows.items() if row.source == source}
    return msgspec.structs.replace(run, rows=rows)


def compare(a: ScoredRun, b: ScoredRun, *, handover: bool = False) -> RunComparison:
    """Return A − B on every figure over the episodes that both runs scored."""
    _require_comparable(a, b)

    shared = [name for name in shared_episodes(a, b) if a.rows[name].handover == handover]
    for name in shared:
        if a.rows[name].episode_hash != b.rows[name].episode_hash:
            raise InputError(f"episode {name} is not the same in {a.name} and {b.name}")

    groups = {
        "all": shared,
        "long": [name for name in shared if a.rows[name].stratum == "long"],
        "short": [name for name in shared if a.rows[name].stratum == "short"],
    }
    comparisons = {}
    for group, names in groups.items():
        if names:
            comparisons[group] = [_compare_figure(a, b, names, figure) for figure in FIGURES]

    calibrated = a.calibrated and b.calibrated
    return RunComparison(
        a=a.name,
        b=b.name,
        budget=[a.config.budget, b.config.budget],
        matched_budget=a.config.budget == b.config.budget,
        tokenizer=a.config.tokenizer,
        calibrated=calibrated,
        gate="passed" if calibrated else "uncalibrated",
        shared=len(shared),
        unpaired=sorted((set(a.rows) | set(b.rows)) - set(shared)),
        groups=comparisons,
    )


def _require_comparable(a: ScoredRun, b: ScoredRun) -> None:
    differs = {
        "tokenizer": a.config.tokenizer != b.config.tokenizer,
        "judge": a.config.judge != b.config.judge,
        "resuming agent": a.config.agent != b.config.agent,
    }
    for part, is_different in differs.items():
        if is_different:
            raise InputError(
                f"{a.name} and {b.name} were scored with another {part}; they cannot be compared"
            )


def shared_episodes(a: ScoredRun, b: ScoredRun) -> list[str]:
    """Return the episodes that both runs have a score for."""
    names = []
    for name, row in a.rows.items():
        other = b.rows.get(name)
        if other is not None and row.status == other.status == "scored":
            names.append(name)
    return names


def paired_effect(
    a: ScoredRun, b: ScoredRun, names: Sequence[str], figure: str = "quality"
) -> Difference:
    """Return the paired difference of one figure over these episodes."""
    return difference(_values(a, names, figure), _values(b, names, figure))


def _values(run: ScoredRun, names: Sequence[str], figure: str) -> list[float | None]:
    return [run.rows[name].figure(figure) for name in names]


def _compare_figure(
    a: ScoredRun, b: ScoredRun, names: Sequence[str], figure: str
) -> FigureComparison:
    paired = paired_effect(a, b, names, figure)
    return FigureComparison(
        figure=figure,
        a=mean_of(_values(a, names, figure)).value,
        b=mean_of(_values(b, names, figure)).value,
        effect=paired.effect.value,
        effect_ci=effect_interval(paired),
        p_value=paired.p_value,
        n=paired.effect.n,
        sd=paired.sd,
        minimum_detectable_difference=paired.detectable,
        verdict=effect_verdict(paired),
    )


def effect_interval(paired: Difference) -> list[float] | None:
    """Return the bounds of the effect's interval, or None without one."""
    effect = paired.effect
    if effect.low is None or effect.high is None:
        return None
    return [effect.low, effect.high]


def effect_verdict(paired: Difference) -> str:
    """Return which run is better, in the spec's words where no effect is seen."""
    interval = effect_interval(paired)
    if paired.effect.value is None or interval is None:
        return "too few episodes to say anything"
    low, high = interval
    if low > 0:
        return "A is better"
    if high < 0:
        return "B is better"
    return NO_EFFECT
