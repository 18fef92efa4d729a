"""The controller that watches two scores and acts when one of them crosses its threshold."""

from __future__ import annotations

from collections.abc import Sequence

from agingbench.bench.life.actions import ENABLE_TYPED_STATE, RECOMPACT, SWITCH_PROMPT, Action
from agingbench.bench.life.control import SCORED, Controller
from agingbench.bench.life.signals import Signals


class ThresholdController(Controller):
    """Typed state when the accumulators' error exceeds `error`, the careful prompt when m(t) falls
    below `recall`.

    `null` switches a trigger off. With `retro`, the first trigger also has the store compacted
    again under the careful prompt. With `always`, both actions are taken before the first session:
    the ceiling that triggers are held against.
    """

    monitor = SCORED

    def __init__(
        self,
        error: float | None = 50,
        recall: float | None = 0.5,
        retro: bool = False,
        always: bool = False,
        prompt: str = "careful",
    ) -> None:
        self.error = _threshold("error", error)
        self.recall = _threshold("recall", recall)
        self.retro = _flag("retro", retro)
        self.always = _flag("always", always)
        self.prompt = prompt
        self.warmup = 0 if always else 1
        self.may = []
        if self.error is not None or self.always:
            self.may.append(self._typed(""))
        if self.recall is not None or self.always:
            self.may.append(self._switch(""))
        if self.retro:
            self.may.append(self._again(""))

    def decide(self, past: Sequence[Signals]) -> list[Action]:
        if self.always:
            return [self._typed("always on"), self._switch("always on")]
        scores = past[-1].scores or {}
        error = scores.get("accumulator_error")
        recall = scores.get("m")
        actions = []
        if self.error is not None and error is not None and error > self.error:
            actions.append(self._typed(f"accumulator_error {error:g} > {self.error:g}"))
        if self.recall is not None and recall is not None and recall < self.recall:
            actions.append(self._switch(f"m {recall:.3g} < {self.recall:g}"))
        if actions and self.retro:
            actions.append(self._again(actions[0].reason))
        return actions

    def _typed(self, why: str) -> Action:
        return Action(ENABLE_TYPED_STATE, {}, why)

    def _switch(self, why: str) -> Action:
        return Action(SWITCH_PROMPT, {"prompt": self.prompt}, why)

    def _again(self, why: str) -> Action:
        return Action(RECOMPACT, {"prompt": self.prompt}, why)


def _threshold(name: str, value: float | None) -> float | None:
    if value is None:
        return None
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not 0 <= value < float("inf")
    ):
        raise ValueError(f"{name} must be a number of at least 0, or null, not {value!r}")
    return float(value)


def _flag(name: str, value: bool) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{name} must be true or false, not {value!r}")
    return value
