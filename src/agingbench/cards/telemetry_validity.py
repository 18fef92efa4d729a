"""What the validation of telemetry returns; field names are the keys of its JSON."""

from __future__ import annotations

import msgspec
from msgspec import UNSET, UnsetType

Figures = dict[str, float | int | None]  # noise by name


class PooledRate(msgspec.Struct, frozen=True):
    """How many agents were flagged, with Clopper and Pearson's interval."""

    n: int
    flagged: int
    rate: float
    ci: tuple[float, float]


class HealthySet(msgspec.Struct, frozen=True):
    """How a set of agents that do not age was judged."""

    n: int
    flagged: int
    rate: float
    ci: tuple[float, float]
    undecided: int
    could_have_fired: int
    named: dict[str, int]
    sessions: int | UnsetType = UNSET


class FalsePositives(msgspec.Struct, frozen=True):
    """False alarms per set and over all sets."""

    sets: dict[str, HealthySet]
    pooled: PooledRate


class WorkSet(msgspec.Struct, frozen=True, kw_only=True):
    """How agents were judged whose work changes, or who are harmed while they work."""

    variant: str
    harm: str | None
    at_once: bool
    sessions: int
    n: int
    flagged: int
    ci: tuple[float, float]
    answered_no: int
    undecided: int
    named: dict[str, int]
    open_because: dict[str, int]


class PowerPoint(msgspec.Struct, frozen=True, kw_only=True):
    """How often planted aging of one strength was found and named rightly."""

    mechanism: str
    planted: str
    strength: float
    sessions: int
    n: int
    flagged: int
    power: float
    ci: tuple[float, float]
    right_mechanism: int
    accuracy: float | None
    mean_effect: float | None

    @property
    def is_target(self) -> bool:
        """Whether a target is set for this point: a moderate effect over 24 sessions."""
        whole = self.planted == self.mechanism
        return whole and self.strength == 1.0 and self.sessions == 24


class RocArea(msgspec.Struct, frozen=True):
    """The area under the ROC curve of one mechanism."""

    auc: float | None
    n_planted: int
    n_stationary: int


class PlantedPower(msgspec.Struct, frozen=True):
    """How often aging planted into shuffled real folders was found."""

    n: int
    flagged: int
    power: float
    ci: tuple[float, float]
    right_mechanism: int


class NoiseComparison(msgspec.Struct, frozen=True):
    """The noise of simulated agents beside that of real folders."""

    simulated: Figures
    real: dict[str, Figures]


class TelemetryValidity(msgspec.Struct, kw_only=True):
    """The whole validation: rates, power, areas, noise, and which targets were met."""

    agents_per_set: int
    seed: int
    permutations: int
    false_positives: FalsePositives
    power: list[PowerPoint]
    auc: dict[str, RocArea]
    noise: NoiseComparison
    real: dict[str, HealthySet]
    real_planted: dict[str, PlantedPower]
    work: list[WorkSet] = []
    targets: dict[str, float]
    checks: dict[str, bool] = {}
    ok: bool = False
