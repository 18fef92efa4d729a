"""What the lives of a study would still take: calls, tokens and money, before anything runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from agingbench.bench.life.life import Life
from agingbench.bench.life.planning import shared_scenario
from agingbench.bench.life.transitions import MODEL_SWAP
from agingbench.bench.plan.plan import parse_events
from agingbench.bench.studies.cells import Cell
from agingbench.bench.studies.estimates import EMBEDDED, total
from agingbench.errors import InputError
from agingbench.models.prices import VARIABLE as PRICES
from agingbench.models.prices import load_prices
from agingbench.records import Usage
from agingbench.trials.estimate import CellEstimate, StudyEstimate

FREE = (EMBEDDED, "gguf")  # models that run here and cost nothing


def dry_run(cells: Sequence[Cell], out: Path) -> list[tuple[Cell, Usage]]:
    """Return each cell with what its life would still take: nothing for one that has ended."""
    rows = []
    for cell in cells:
        run = cell.place(out)
        begun = run.plan_file.exists()
        if begun and run.ended():
            rows.append((cell, Usage()))
            continue

        start = max(0, run.points() - 1) if begun else 0
        scenario = shared_scenario(cell.scenario)
        usages = Life(cell.plan(), scenario, cell.sut).estimate()
        rows.append((cell, total(usages[start:])))
    return rows


def estimate_study(cells: Sequence[Cell], out: Path) -> StudyEstimate:
    """Estimate what is still to be lived, in all and for each system under each condition."""
    rows = dry_run(cells, out)
    groups: dict[tuple[str, str, int, str], list[Usage]] = {}
    for cell, usage in rows:
        condition = " ".join([cell.preset, *cell.events])
        key = (cell.scenario, cell.sut.id, cell.sessions, condition)
        groups.setdefault(key, []).append(usage)

    estimates = []
    for (scenario, sut_id, sessions, condition), usages in groups.items():
        usage = total(usages)
        estimate = CellEstimate(
            scenario=scenario,
            sut_id=sut_id,
            sessions=sessions,
            condition=condition,
            lives=len(usages),
            calls=usage.calls,
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            cost_usd=usage.cost_usd,
        )
        estimates.append(estimate)

    whole = total([usage for _, usage in rows])
    return StudyEstimate(
        lives=len(rows),
        finished=sum(usage.calls == 0 for _, usage in rows),
        calls=whole.calls,
        input_tokens=whole.input_tokens if whole.calls else 0,
        output_tokens=whole.output_tokens if whole.calls else 0,
        cost_usd=whole.cost_usd if whole.calls else 0.0,
        exact=all(cell.embedded for cell, _ in rows),
        cells=estimates,
    )


def check_prices(cells: Sequence[Cell]) -> None:
    """Raise InputError where a model has no price, so that its lives cannot be held to a budget."""
    prices = load_prices()
    for cell in cells:
        for model in _models_of(cell):
            model_id = model.partition(":")[2] or model
            if prices.find(model_id) is None:
                raise InputError(
                    f"--max-cost: there is no price for {model}; name a price file in {PRICES}"
                )


def _models_of(cell: Cell) -> list[str]:
    """The models that a life asks, those that cost nothing left out."""
    models = [cell.sut.model]
    for event in parse_events(cell.events, cell.sessions):
        if event.name == MODEL_SWAP:
            models.append(str(event.args["model"]))
    return [model for model in models if model.partition(":")[0] not in FREE]
