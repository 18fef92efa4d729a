"""What a model call took: tokens, models and clients, and by how much the context grew since the
last one.
"""

from __future__ import annotations

from math import log

from agingbench.records import Event, Usage
from agingbench.telemetry.profile import Profile
from agingbench.telemetry.sessions.aggregates import TraceSession, TraceSessions

NEAR_CEILING = 0.9  # of the window: what grows here is about to be cut, not growing freely
DROPPED, LARGE = (
    0.5,
    20_000,
)  # a context that loses half of so many tokens was cut, even if nothing says so
CONTEXT_DROP = "context_drop"


class UsageReader:
    """Adds usage to a session's sums."""

    def __init__(self, out: TraceSessions, profile: Profile) -> None:
        self.out = out
        self.profile = profile
        self._windows: dict[str | None, int | None] = {None: None}

    def usage(self, usage: Usage, event: Event, session: TraceSession) -> None:
        """Count one model call."""
        session.model_calls += 1
        if usage.output_tokens:
            session.output_tokens += usage.output_tokens
        if usage.cost_usd is not None:
            session.cost = (session.cost or 0.0) + usage.cost_usd

        model = event.model
        client = event.client
        if model is not None:
            models = session.models
            models[model] = models[model] + 1 if model in models else 1

        if client is not None:
            clients = session.clients
            clients[client] = clients[client] + 1 if client in clients else 1

        fresh = usage.input_tokens
        if fresh is None:
            session.loadless += 1
            return

        cached = (usage.cache_read_tokens or 0) + (usage.cache_write_tokens or 0)
        load = fresh + cached
        session.input_tokens += fresh
        session.cache_tokens += cached
        window = self._windows[model] if model in self._windows else self._window(model)

        if window:
            session.saturated += load / window if load < window else 1.0
        else:
            session.windowless += 1

        name = event.thread
        here = session.reading
        thread = here.main if name is None else here.thread(name)
        before = thread.load
        sums = thread.since
        thread.load = load
        thread.since = None
        if before is None:
            return

        if load < before * DROPPED and before > LARGE and name is None:
            self.out.add_lifecycle(session, CONTEXT_DROP, session.end, True, 0.5, event.source)
        elif sums is not None and load > before:
            if window and load > NEAR_CEILING * window:
                return

            size = log(load - before)
            sums.grown += 1
            sums.growth += size
            sums.squares += size * size
            steepest = session.steepest
            if (steepest is None or size > steepest[0]) and event.source is not None:
                session.steepest = (size, event.source)

    def _window(self, model: str | None) -> int | None:
        window = self._windows[model] = self.profile.window(model)
        return window
