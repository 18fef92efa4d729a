"""AgingBench: how long does an agent stay reliable, how does it decay, where does the repair go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agingbench.front.doors import audit as audit
    from agingbench.front.doors import compare as compare
    from agingbench.front.doors import load as load
    from agingbench.front.doors import run as run
    from agingbench.front.doors import study as study
    from agingbench.front.pressure import PressureConfig as PressureConfig

__version__ = "0.1.0"

_DOORS = ("audit", "compare", "load", "run", "study")
_PRESSURE = "PressureConfig"
# What users look for here, and the module to import it from.
_ELSEWHERE = {
    "DiagnosticResult": "agingbench.diagnostics.partitioner",
    "ThresholdController": "agingbench.core.controller",
    "infer_revision": "agingbench.telemetry",
    "outcome_extractors": "agingbench.telemetry",
    "trace_to_card_v11": "agingbench.telemetry",
}


def __getattr__(name: str) -> Any:
    """A call of the front door, imported when it is first used."""
    if name == _PRESSURE:
        from agingbench.front.pressure import PressureConfig

        return PressureConfig
    if name not in _DOORS:
        place = _ELSEWHERE.get(name)
        hint = "" if place is None else f"; from {place} import {name}"
        raise AttributeError(f"module 'agingbench' has no attribute '{name}'{hint}")
    from agingbench.front import doors

    door = getattr(doors, name)
    globals()[name] = door
    return door


def __dir__() -> list[str]:
    return sorted([*_DOORS, _PRESSURE, "__version__"])
