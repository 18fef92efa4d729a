"""How many episodes a comparison needs, and what a number of episodes can show."""

from __future__ import annotations

import math
from collections.abc import Sequence

from agingbench.cards.resumption import PowerPlan
from agingbench.errors import InputError
from agingbench.metrics.bootstrap import POWER, detectable, episodes_needed
from agingbench.resumption.analysis.compare import ScoredRun, paired_effect, shared_episodes

SPEC_SE = 0.09  # the spec: a standard error of about 9 points at 30 episodes
SPEC_N = 30
SPEC_SD = SPEC_SE * math.sqrt(SPEC_N)
LEAST = 1e-6
_SIZES = (15, 30, 50, 100, 200, 500)


def plan(
    effect: float,
    sd: float | None = None,
    power: float = POWER,
    runs: Sequence[ScoredRun] | None = None,
) -> PowerPlan:
    """Return how many episodes show `effect`.

    The spread of paired differences is measured on two runs, given as `sd`, or the spec's.
    Raises InputError for an effect, power or spread that cannot be planned for.
    """
    if not 0 < effect < 1:
        raise InputError(f"an effect lies between 0 and 1, not at {effect}")
    if effect < LEAST:
        raise InputError(
            f"an effect of {effect:g} is below {LEAST:g}: no number of episodes that anybody runs"
            " shows it"
        )
    if not 0.5 <= power < 1:
        raise InputError(f"power lies between 0.5 and 1, not at {power}")

    source = "given"
    if runs is not None:
        sd = _measured_spread(runs)
        source = f"measured: {runs[0].name} against {runs[1].name}"
    elif sd is None:
        sd = SPEC_SD
        source = "the spec's standard error of 0.09 at 30 episodes"
    if not sd > 0 or not math.isfinite(sd):
        raise InputError(f"the spread must be above 0, not {sd}")

    return PowerPlan(
        effect=effect,
        power=power,
        level=0.95,
        sd=sd,
        sd_source=source,
        episodes=episodes_needed(effect, sd, power=power),
        detectable={str(n): detectable(sd, n, power=power) for n in _SIZES},
    )


def _measured_spread(runs: Sequence[ScoredRun]) -> float:
    if len(runs) != 2:
        raise InputError(f"the spread is that between two runs; {len(runs)} were given")

    a, b = runs
    sd = paired_effect(a, b, shared_episodes(a, b)).sd
    if sd is None:
        raise InputError(f"{a.name} and {b.name} share fewer than two scored episodes")
    if sd == 0:
        raise InputError(
            f"{a.name} and {b.name} differ by the same amount everywhere; give --sd instead"
        )
    return sd
