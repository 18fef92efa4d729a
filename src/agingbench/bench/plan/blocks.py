"""Sessions that are told in parts: every interaction brings a part of the material."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from random import Random

import msgspec

from agingbench.bench.plan.plan import Session, Task
from agingbench.bench.plan.scenes import Passage
from agingbench.bench.plan.weaving import Weaver

BETWEEN_SCENES = "\n\n"


class BlockWeaver(Weaver):
    """Weaves like any other, and hands the material of a session out over its interactions."""

    def _session(self, t: int) -> Session:
        whole = super()._session(t)
        scenes = whole.material.split(BETWEEN_SCENES)
        parts = _spread(scenes, len(whole.tasks))
        first, *others = whole.tasks
        later = [
            msgspec.structs.replace(task, text=BETWEEN_SCENES.join([*part, task.text]))
            for task, part in zip(others, parts[1:], strict=True)
        ]
        return Session(t, BETWEEN_SCENES.join(parts[0]), [first, *later])

    def _material(self, rng: Random, t: int, passages: list[Passage], tasks: list[Task]) -> str:
        # The material never stands alone here: the dial is met by both together, so all of the
        # requests is set aside.
        return super()._material(rng, t, passages, [*tasks, *tasks])


def _spread(scenes: Sequence[str], parts: int) -> list[Sequence[str]]:
    # The first part always has a scene; in a short block later ones may be requests alone.
    edges = [-(-len(scenes) * n // parts) for n in range(parts + 1)]
    return [scenes[a:b] for a, b in pairwise(edges)]
