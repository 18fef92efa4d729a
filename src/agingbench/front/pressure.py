"""`PressureConfig`: the presets under the name that the paper gives them."""

from __future__ import annotations

from typing import Any

import msgspec

from agingbench.bench.plan.pressure import PRESETS, Pressure, pressure


class PressureConfig:
    """Makes the dials of a life: `PressureConfig.light()`, or medium with some dials turned.

    `ab.run(pressure=...)` takes what it makes, and the names of presets as well.
    """

    def __new__(cls, **dials: Any) -> Pressure:  # type: ignore[misc]
        """The medium preset with these dials; raises InputError for one out of range."""
        return pressure("medium", dials)

    @staticmethod
    def none() -> Pressure:
        """No dependencies, updates or look-alikes."""
        return PRESETS["none"]

    @staticmethod
    def light() -> Pressure:
        """The light preset."""
        return PRESETS["light"]

    @staticmethod
    def medium() -> Pressure:
        """The medium preset, which is the default."""
        return PRESETS["medium"]

    @staticmethod
    def heavy() -> Pressure:
        """The heavy preset."""
        return PRESETS["heavy"]


def preset_and_dials(made: Pressure) -> tuple[str, dict[str, Any]]:
    """The preset that is nearest to a pressure, and the dials in which it differs."""
    own = made.own
    common = msgspec.structs.asdict(made)
    best: tuple[str, dict[str, Any]] | None = None
    for name, preset in PRESETS.items():
        values = msgspec.structs.asdict(preset)
        turned = {dial: value for dial, value in common.items() if value != values[dial]}
        turned.pop("own", None)
        if best is None or len(turned) < len(best[1]):
            best = name, turned
    assert best is not None
    return best[0], {**best[1], **own}
