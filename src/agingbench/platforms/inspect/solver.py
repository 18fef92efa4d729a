"""The solver that lives one life: in a thread, with every model call in Inspect's loop."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
from anyio.lowlevel import checkpoint
from inspect_ai.model import get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import store

from agingbench.bench.life.life import Life
from agingbench.bench.life.limits import Endpoints, Resources, Stopped
from agingbench.errors import InputError
from agingbench.interfaces import Model
from agingbench.platforms.inspect.bridge import BridgedModel, LoopBridge, loop_bridge
from agingbench.platforms.inspect.life_files import KEY, pack_life

SEED = "seed"  # key in the metadata of a sample


@dataclass(frozen=True)
class LifeOptions:
    """What the lives of a task have in common; the arguments of `Life.new` without the seed."""

    scenario: str
    sessions: int | None = None
    pressure: str = "medium"
    dials: Mapping[str, Any] | None = None
    events: Sequence[str] | None = None
    system: Mapping[str, Any] | None = None
    probes_at_once: int = 8
    out: str | None = None

    def life(self, seed: int, out: Path | None, model: Model | str) -> Life:
        """The life of one seed; raises InputError for what cannot be lived."""
        life = Life.new(
            self.scenario,
            out=out,
            sessions=self.sessions,
            seed=seed,
            pressure=self.pressure,
            dials=self.dials,
            events=self.events,
            model=model,
            **(self.system or {}),
        )
        if life.system.agent.owns_loop:
            raise InputError(
                f"agent '{life.sut.agent}' calls its model by itself, so that Inspect would see"
                " none of its calls; run it with `agingbench run`"
            )
        return life


@solver(name="live_life")
def live_life(options: LifeOptions) -> Solver:
    """Live the life of the sample's seed, and keep its files in the sample's store."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        seed = int(state.metadata[SEED])
        own_thread = anyio.CapacityLimiter(1)
        async with loop_bridge() as bridge:
            model = BridgedModel(get_model(), bridge)

            def live() -> dict[str, str]:
                return _live(options, seed, model, bridge)

            try:
                # Not abandoned when the sample is cancelled: its calls are, and that ends it.
                files = await anyio.to_thread.run_sync(live, limiter=own_thread)
            except Stopped:
                if bridge.limit is not None:
                    raise bridge.limit from None
                await checkpoint()  # raises what cancelled the sample
                raise
        store().set(KEY, files)
        return state

    return solve


def _live(options: LifeOptions, seed: int, model: Model, bridge: LoopBridge) -> dict[str, str]:
    resources = Resources(Endpoints(options.probes_at_once))
    place = (
        nullcontext(options.out)
        if options.out is not None
        else tempfile.TemporaryDirectory(prefix="agingbench-")
    )
    with place as out:
        life = options.life(seed, Path(out), model)
        last = life.plan.n_sessions

        def enter(t: int) -> None:
            name = "final questions" if t == last else f"session {t}"
            bridge.begin_session(t, name)

        life.live(resources, progress=bridge.end_session, entering=enter)
        return pack_life(life.folder)
