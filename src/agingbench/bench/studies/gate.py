"""The gate: whether a life is worse than its baseline by more than is allowed."""

from __future__ import annotations

from pathlib import Path

from agingbench.bench.life.folder import RunDirectory
from agingbench.bench.scoring.paired import paired_average, pairs
from agingbench.bench.studies.compare import card_groups, what_differs
from agingbench.cards.check import load_card
from agingbench.cards.comparison import GatedLife, GateResult
from agingbench.cards.figures import Figure
from agingbench.cards.model import Card
from agingbench.errors import InputError
from agingbench.metrics.intervals import MISSING, Estimate, newcombe


def gate(
    candidate: Path, baseline: Path, max_drop: float, *, require_power: bool = False
) -> GateResult:
    """Judge whether a life is worse than its baseline by more than `max_drop`.

    The drop is baseline minus candidate in the time average. A regression needs both: the drop
    exceeds `max_drop`, and its 95 % interval lies above 0. `detectable` is half of that interval;
    with `require_power`, the gate fails too where it exceeds `max_drop`.
    """
    new_file = _card_file(candidate)
    old_file = _card_file(baseline)
    new = Card.read(load_card(new_file))
    old = Card.read(load_card(old_file))
    _check_same_condition(new, old)

    new_run = RunDirectory(new_file.parent)
    old_run = RunDirectory(old_file.parent)
    whole = _belongs_to(new, new_run) and _belongs_to(old, old_run)
    if whole and new_run.plan().hash == old_run.plan().hash:
        probes = pairs(old_run, new_run)
        failed_pairs = sum(pair.a is None or pair.b is None for pair in probes)
        drop = paired_average(probes)
        basis = "the same probes in both run folders, paired"
    else:
        failed_pairs = 0
        drop = _drop_of_figures(new, old)
        basis = "the figures on the two cards, unpaired (no two run folders with one plan)"
    if drop.value is None or drop.low is None or drop.high is None:
        raise InputError("the gate has nothing to compare: a card has no headline figures")

    detectable = (drop.high - drop.low) / 2
    regression = drop.value > max_drop and drop.low > 0
    powered = detectable <= max_drop

    checks: dict[str, str | None] = {"regression": None}
    if regression:
        checks["regression"] = f"regression: the time average fell by {drop.value:.3f}"
    if require_power:
        checks["power"] = None
        if not powered:
            checks["power"] = f"no power: a drop below {detectable:.3f} could not have been seen"

    return GateResult(
        candidate=_gated_life(new),
        baseline=_gated_life(old),
        max_drop=max_drop,
        drop=drop.value,
        drop_ci=(max(-1.0, drop.low), min(1.0, drop.high)),
        drop_n=drop.n,
        detectable=detectable,
        basis=basis,
        failed_pairs=failed_pairs,
        regression=regression,
        powered=powered,
        checks=checks,
        failures=[reason for reason in checks.values() if reason is not None],
    )


def _card_file(path: Path) -> Path:
    return path / "aging_card.json" if path.is_dir() else path


def _check_same_condition(new: Card, old: Card) -> None:
    a = card_groups([new])[0]
    b = card_groups([old])[0]
    if a.base != b.base or a.events != b.events:
        raise InputError(f"candidate and baseline can't be compared: {what_differs(a, b)}")


def _belongs_to(card: Card, run: RunDirectory) -> bool:
    """Whether the files of a folder are those of the card, which may be a copy from elsewhere."""
    if not run.plan_file.exists() or not run.ended():
        return False
    return bool(run.plan().hash == card.provenance.others.get("plan_hash"))


def _drop_of_figures(new: Card, old: Card) -> Estimate:
    for name in ("time_average", "m_final"):
        before = old.headline.figure(name)
        after = new.headline.figure(name)
        a = _value_and_bounds(before)
        b = _value_and_bounds(after)
        if a is not None and b is not None:
            low, high = newcombe(a, b, 0.0)
            return Estimate(a[0] - b[0], low, high, min(before.count, after.count))
    return MISSING


def _value_and_bounds(figure: Figure) -> tuple[float, float, float] | None:
    low, high = figure.interval or (None, None)
    if figure.value is None or low is None or high is None:
        return None
    return figure.value, low, high


def _gated_life(card: Card) -> GatedLife:
    return GatedLife(
        sut_id=card.sut.sut_id,
        scenario=card.scenario,
        scenario_version=card.scenario_version,
        seed=card.seed,
        time_average=card.headline.figure("time_average").value,
    )
