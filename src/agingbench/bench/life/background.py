"""Asks probes beside the session loop, and commits transitions whose answers are all in.

Nothing in a session waits for a probe. So probes are asked while the session goes on, and a life
may be `ahead` transitions further than its record. A thread of its own commits each transition as
soon as it is whole, in order. A life that is killed lives again what was not committed. Lifecycle
events, controllers and the end of the life need the answers and wait for them.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import closing, nullcontext
from contextvars import copy_context
from types import TracebackType

from agingbench.bench.life.lifecycle import fork_of
from agingbench.bench.life.outage import check_answered
from agingbench.bench.life.transitions import Keeper, Transition
from agingbench.bench.plan.plan import Probe
from agingbench.interfaces import Agent
from agingbench.models.metered import Metered
from agingbench.trials.run_folder import AnswerRow


class Background:
    """Asks and commits for one life; with one worker and nothing ahead, in the caller's thread."""

    def __init__(
        self,
        keeper: Keeper,
        *,
        workers: int = 1,
        ahead: int = 0,
        meter: Metered | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> None:
        self.keeper = keeper
        self.ahead = ahead
        self.meter = meter
        self.progress = progress
        self._askers = ThreadPoolExecutor(workers) if workers > 1 else None
        self._writer = ThreadPoolExecutor(1) if ahead else None
        self._asked: list[Future[AnswerRow]] = []  # of the current transition
        self._late: deque[Future[None]] = deque()  # not known to be committed
        self._broken = False

    def __enter__(self) -> Background:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        for future in self._asked:
            future.cancel()  # of a transition that did not come to its end
        wait(self._late)  # whole transitions are committed even if the next one fails
        for pool in (self._askers, self._writer):
            if pool is not None:
                pool.shutdown()
        if kind is None:
            self.settle()

    def ask(
        self, t: int, probes: Sequence[Probe], agent: Agent, context: str | None, keep_context: bool
    ) -> None:
        """Begin to ask the probes of a point, each of a fork made now."""

        def asked(probe: Probe, fork: Agent) -> AnswerRow:
            begin = time.perf_counter()
            with self.meter.aside() if self.meter is not None else nullcontext(), closing(fork):
                answer = fork.ask(probe.prompt, context)
            took = (time.perf_counter() - begin) * 1000
            kept = answer.context if keep_context else None
            return AnswerRow(
                t,
                probe.id,
                "as_lived",
                answer.text,
                answer.status,
                answer.reason,
                kept,
                answer.usage,
                took,
                turns=answer.turns,
                tool_calls=answer.tool_calls,
            )

        for probe in probes:
            if self._askers is not None:
                # A probe belongs to the session that asks it, whoever observes the calls.
                here = copy_context()
                self._asked.append(self._askers.submit(here.run, asked, probe, fork_of(agent)))
            else:
                done: Future[AnswerRow] = Future()
                done.set_result(asked(probe, fork_of(agent)))
                self._asked.append(done)

    def answered(self, transition: Transition) -> None:
        """Wait for the answers of this transition and add them in the order of the plan."""
        asked = self._asked
        self._asked = []
        _take(transition, asked)

    def keep(self, transition: Transition) -> None:
        """Commit a transition once its answers are in; waits while the life is too far ahead."""
        asked = self._asked
        self._asked = []
        if self._writer is None:
            self._keep(transition, asked)
            return
        self._late.append(self._writer.submit(self._keep, transition, asked))
        self._wait(self.ahead)

    def settle(self) -> None:
        """Wait until every transition is committed."""
        self._wait(0)

    def _wait(self, most: int) -> None:
        while len(self._late) > most:
            self._late.popleft().result()

    def _keep(self, transition: Transition, asked: Sequence[Future[AnswerRow]]) -> None:
        if self._broken:
            return  # the one before it was not kept, and has said why
        try:
            _take(transition, asked)
            check_answered(transition)
            self.keeper.commit(transition)
            if self.progress is not None:
                self.progress(transition.t)
        except BaseException:
            self._broken = True
            raise


def _take(transition: Transition, asked: Sequence[Future[AnswerRow]]) -> None:
    transition.answers += [future.result() for future in asked]
