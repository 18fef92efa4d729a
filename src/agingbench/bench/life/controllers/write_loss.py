"""The controller without gold: it watches what each write loses, and what a repair would cost."""

from __future__ import annotations

from collections.abc import Sequence

from agingbench.bench.life.actions import ENABLE_TYPED_STATE, SWITCH_PROMPT, Action
from agingbench.bench.life.control import GOLD_FREE, Controller
from agingbench.bench.life.signals import Signals

NAME_TOKENS = 8  # what one typed value adds to a prompt


class WriteLossController(Controller):
    """Typed state when a write drops a share `loss` of the numbers and the text carries sentinels.

    The careful prompt when the last two writes each dropped twice that share and the memory holds
    at most `ratio` of what went into it, so that compaction and nothing else is to blame. Typed
    values are shown in every call: they are left off while they would add more than `spend` of a
    session's tokens.
    """

    monitor = GOLD_FREE
    warmup = 1

    def __init__(
        self,
        loss: float = 0.3,
        ratio: float = 0.5,
        spend: float = 0.05,
        prompt: str | None = "careful",
    ) -> None:
        self.loss = _share("loss", loss)
        self.ratio = _share("ratio", ratio)
        self.spend = _share("spend", spend)
        self.prompt = prompt
        self.may = [Action(ENABLE_TYPED_STATE)]
        if prompt is not None:
            self.may.append(Action(SWITCH_PROMPT, {"prompt": prompt}))

    def decide(self, past: Sequence[Signals]) -> list[Action]:
        actions = []
        lost = _lost(past[-1])
        marked = max(signals.sentinels for signals in past)
        if marked and lost >= self.loss and self._added(past[-1], marked) <= self.spend:
            told = f"{past[-1].numbers_lost} of {past[-1].numbers} numbers lost at the write"
            actions.append(Action(ENABLE_TYPED_STATE, {}, told))
        ratio = past[-1].compression_ratio
        twice = min(2 * self.loss, 1.0)
        squeezed = ratio is not None and ratio <= self.ratio
        if (
            self.prompt is not None
            and squeezed
            and len(past) > 1
            and min(lost, _lost(past[-2])) >= twice
        ):
            told = f"two writes in a row lost {twice:.0%} of the numbers or more under compaction"
            actions.append(Action(SWITCH_PROMPT, {"prompt": self.prompt}, told))
        return actions

    def _added(self, signals: Signals, names: int) -> float:
        # A provider that does not say what it took cannot be held to a share of it.
        if not signals.tokens:
            return 0.0
        return signals.calls * names * NAME_TOKENS / signals.tokens


def _lost(signals: Signals) -> float:
    return signals.numbers_lost / signals.numbers if signals.numbers else 0.0


def _share(name: str, value: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError(f"{name} must lie between 0 and 1, not {value!r}")
    return float(value)
