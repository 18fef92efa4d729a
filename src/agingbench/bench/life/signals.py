"""What a controller is shown after a session: how its write went, what it took, how the point
before was answered.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import msgspec

from agingbench.bench.life.transitions import Transition
from agingbench.bench.plan.plan import Plan
from agingbench.bench.scoring.memory_text import MEMORY_METRICS
from agingbench.bench.scoring.score import (
    STANDALONE_HEADLINES,
    LifeRecord,
    judged,
    life_figures,
)
from agingbench.memory.typed_state import sentinels
from agingbench.metrics.mechanisms import lag_recall
from agingbench.records import Event, Usage
from agingbench.text.matching import numbers
from agingbench.text.wording import count_tokens
from agingbench.trials.run_folder import LIFE_START

# The scores of a point that a controller is shown, beside m: how well it was answered, never what
# the answer is.
SCORES = (
    "accumulator_error",
    "version_accuracy",
    "forget_accuracy",
    "interference_resistance",
    "dep_recall",
    "compression_recall",
    "workspace_fidelity",
)


POST_SHOCK = "post_shock"


class Signals(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the runner knows after a session. `scores` are those of the point before it, and absent
    for `gold_free`.

    Beside figures of the card there are `lag_recall_GAP` (recall by how many sessions ago a fact
    was told) and, after a lifecycle event, `post_shock`: m now minus m before the event.
    """

    session: int
    tokens: int | None  # what its calls took, probes not counted; None: the provider did not say
    calls: int  # how many calls of the model that was
    session_tokens: int  # what was said in it
    memory_tokens: int  # what the memory holds after its write
    compression_ratio: float | None  # that, over the memory before it and what was said
    numbers: int  # different numbers in the memory before it and in what was said
    numbers_lost: int  # of them, those that the memory no longer states
    sentinels: int  # valid sentinels that the user's text carried
    scores: dict[str, float] | None = None
    latency_ms: float | None = None  # mean time of a model call in it; None: nobody measured it


def signals_of(
    plan: Plan,
    transition: Transition,
    before: str,
    now: str,
    *,
    scored: bool,
    owns_files: bool = False,
) -> Signals:
    """The signals of one session, from its transition and the memory's texts around it.

    `owns_files` says that the memory is the agent's own workspace.
    """
    events = [event for event in transition.events if event.session == transition.t]
    texts = []
    valid_sentinels = 0
    for event in events:
        if event.role in ("user", "assistant") and event.content:
            texts.append(event.content)
        if event.role == "user":
            sentinels_here = sentinels(event.content or "")
            valid_sentinels += sum(sentinel is not None for sentinel in sentinels_here)
    session_text = "\n\n".join(texts)

    numbers_before = _numbers(f"{before}\n\n{session_text}")
    session_tokens = count_tokens(session_text)
    memory_tokens = count_tokens(now)
    input_tokens = count_tokens(before) + session_tokens

    usage = sum((event.usage for event in events if event.usage is not None), Usage())
    tokens = None
    if usage.input_tokens is not None and usage.output_tokens is not None:
        tokens = usage.input_tokens + usage.output_tokens

    return Signals(
        session=transition.t,
        tokens=tokens,
        calls=usage.calls,
        session_tokens=session_tokens,
        memory_tokens=memory_tokens,
        compression_ratio=memory_tokens / input_tokens if input_tokens else None,
        numbers=len(numbers_before),
        numbers_lost=len(numbers_before - _numbers(now)),
        sentinels=valid_sentinels,
        scores=_scores(plan, transition, before, owns_files) if scored else None,
        latency_ms=_latency(events),
    )


def _latency(events: Sequence[Event]) -> float | None:
    times = []
    for event in events:
        if event.role == "assistant" and event.duration_ms is not None:
            times.append(event.duration_ms)
    return sum(times) / len(times) if times else None


def with_post_shock(plan: Plan, past: Sequence[Signals], signals: Signals) -> Signals:
    """The signals with how far m lies from the last point before the latest lifecycle event."""
    shocks = [event.at for event in plan.events if event.at <= signals.session]
    scores = signals.scores
    if not shocks or scores is None or "m" not in scores:
        return signals
    before = [one.scores or {} for one in past if one.session < max(shocks)]
    if not before or "m" not in before[-1]:
        return signals
    difference = scores["m"] - before[-1]["m"]
    return msgspec.structs.replace(signals, scores={**scores, POST_SHOCK: difference})


def _scores(
    plan: Plan,
    transition: Transition,
    text: str,
    owns_files: bool,
) -> dict[str, float]:
    # From the one answer table; a figure that nothing was asked for is absent. The whole text of a
    # memory is taken apart only where something is read from it.
    reads_memory = plan.headline in MEMORY_METRICS or owns_files
    about = {"owns_workspace": owns_files}
    start = Event(step=0, role="meta", lifecycle=LIFE_START, metadata=about)
    life = LifeRecord(plan, [start], transition.answers, [(transition.t, text)])
    figures = life_figures(life, memory=reads_memory)
    day_one = transition.t == 0 and plan.headline in STANDALONE_HEADLINES
    scores = {
        "m": figures.get("m0" if day_one else plan.headline),
        **{name: figures.get(name) for name in SCORES},
        **_lag_recall(plan, transition),
    }
    return {name: value for name, value in scores.items() if value is not None}


def _lag_recall(plan: Plan, transition: Transition) -> dict[str, float | None]:
    answers = judged(plan, transition.answers)
    rows = [answer.outcome for answer in answers if answer.probe.type == "standalone"]
    return {f"lag_recall_{gap}": mean.value for gap, mean in lag_recall(rows).items()}


def _numbers(text: str) -> set[float]:
    return set().union(*map(_of_paragraph, text.split("\n\n")))


@lru_cache(maxsize=8192)
def _of_paragraph(text: str) -> frozenset[float]:
    # Remembered, since a store that only grows is read again after every session.
    return frozenset(quantity.value for quantity in numbers(text))
