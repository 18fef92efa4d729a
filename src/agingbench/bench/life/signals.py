"""What a controller is shown after a session: how its write went, what it took, how the point
before was answered.
"""

from __future__ import annotations

from functools import lru_cache

import msgspec

from agingbench.bench.life.transitions import Transition
from agingbench.bench.plan.plan import Plan
from agingbench.bench.scoring.memory_text import MEMORY_METRICS
from agingbench.bench.scoring.score import STANDALONE_HEADLINES, LifeRecord, life_figures
from agingbench.memory.typed_state import sentinels
from agingbench.records import Usage
from agingbench.text.matching import numbers
from agingbench.text.wording import count_tokens

# The scores of a point that a controller is shown, beside m: how well it was answered, never what
# the answer is.
SCORES = (
    "accumulator_error",
    "version_accuracy",
    "forget_accuracy",
    "interference_resistance",
    "dep_recall",
    "compression_recall",
)


class Signals(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the runner knows after a session. `scores` are those of the point before it, and absent
    for `gold_free`.
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


def signals_of(
    plan: Plan, transition: Transition, before: str, now: str, *, scored: bool
) -> Signals:
    """The signals of one session, from its transition and the memory's texts around it."""
    events = [event for event in transition.events if event.session == transition.t]
    said = "\n\n".join(e.content for e in events if e.role in ("user", "assistant") and e.content)
    known = _numbers(f"{before}\n\n{said}")
    kept = _numbers(now)
    whole = count_tokens(before) + count_tokens(said)
    left = count_tokens(now)
    usage = sum((e.usage for e in events if e.usage is not None), Usage())
    told = (s for e in events if e.role == "user" for s in sentinels(e.content or ""))
    unknown = usage.input_tokens is None or usage.output_tokens is None
    return Signals(
        session=transition.t,
        tokens=None if unknown else (usage.input_tokens or 0) + (usage.output_tokens or 0),
        calls=usage.calls,
        session_tokens=count_tokens(said),
        memory_tokens=left,
        compression_ratio=left / whole if whole else None,
        numbers=len(known),
        numbers_lost=len(known - kept),
        sentinels=sum(found is not None for found in told),
        scores=_scores(plan, transition, before) if scored else None,
    )


def _scores(plan: Plan, transition: Transition, text: str) -> dict[str, float]:
    # From the one answer table; a figure that nothing was asked for is absent.
    reads_memory = plan.headline in MEMORY_METRICS  # the whole text is taken apart for nothing else
    figures = life_figures(
        LifeRecord(plan, [], transition.answers, [(transition.t, text)]), memory=reads_memory
    )
    day_one = transition.t == 0 and plan.headline in STANDALONE_HEADLINES
    found = {
        "m": figures.get("m0" if day_one else plan.headline),
        **{name: figures.get(name) for name in SCORES},
    }
    return {name: value for name, value in found.items() if value is not None}


def _numbers(text: str) -> set[float]:
    return set().union(*map(_of_paragraph, text.split("\n\n")))


@lru_cache(maxsize=8192)
def _of_paragraph(text: str) -> frozenset[float]:
    # Remembered, since a store that only grows is read again after every session.
    return frozenset(quantity.value for quantity in numbers(text))
