"""What model calls took: tokens, models and clients, and how much the context grew between them."""

from __future__ import annotations

from math import log

from agingbench.records import Event, Usage
from agingbench.telemetry.profile import Profile
from agingbench.telemetry.sessions.aggregates import TraceSession, TraceSessions
from agingbench.telemetry.sessions.tokens import TokenSums, bill_key

NEAR_CEILING = 0.9  # of the window: what grows here is about to be cut, not growing freely
# A context that loses half of so many tokens was cut, even if nothing says so.
DROP = 0.5
LARGE_CONTEXT = 20_000
CONTEXT_DROP = "context_drop"
# What a call adds besides its result, and characters per token: both roughly, since only the logs
# of sizes are compared.
OWN_TOKENS = 150.0
CHARACTERS = 4.0


class UsageReader:
    """Adds the usage of model calls to a session's sums."""

    def __init__(self, trace: TraceSessions, profile: Profile) -> None:
        self.trace = trace
        self.profile = profile
        self._windows: dict[str | None, int | None] = {None: None}

    def add(self, usage: Usage, event: Event, session: TraceSession) -> None:
        """Count a model call, or the several that one record sums up, such as a memory's write."""
        calls = usage.calls if usage.calls > 1 else 1
        session.model_calls += calls
        if usage.calls or usage.input_tokens:
            _add_to_bill(usage, event, session)

        if usage.output_tokens:
            session.output_tokens += usage.output_tokens
        if usage.cost_usd is not None:
            session.cost = (session.cost or 0.0) + usage.cost_usd

        model = event.model
        if model is not None:
            models = session.models
            models[model] = models[model] + calls if model in models else calls

        client = event.client
        if client is not None:
            clients = session.clients
            clients[client] = clients[client] + calls if client in clients else calls

        fresh = usage.input_tokens
        if fresh is None:
            session.calls_without_load += calls
            return

        cached = (usage.cache_read_tokens or 0) + (usage.cache_write_tokens or 0)
        load = fresh + cached
        session.input_tokens += fresh
        session.cache_tokens += cached

        window = self._windows[model] if model in self._windows else self._window(model)
        if calls > 1:
            # Their mean is known, but not how large the context of any of them was.
            if window:
                session.saturation_sum += min(float(calls), load / window)
            else:
                session.calls_without_window += calls
            return

        if window:
            session.saturation_sum += load / window if load < window else 1.0
        else:
            session.calls_without_window += 1

        if load > session.peak_load and event.thread is None:
            session.peak_load = load
            session.peak_saturation = min(1.0, load / window) if window else None
            session.peak_time = event.timestamp

        self._add_growth(load, window, event, session)

    def _add_growth(
        self,
        load: int,
        window: int | None,
        event: Event,
        session: TraceSession,
    ) -> None:
        """Add what the context grew by to the tool called since the last model call."""
        name = event.thread
        reading = session.reading
        thread = reading.main if name is None else reading.thread(name)
        before = thread.load
        tool = thread.tool_since
        result_size = thread.result_size
        thread.load = load
        thread.tool_since = None
        thread.result_size = 0
        if before is None:
            return

        is_drop = load < before * DROP and before > LARGE_CONTEXT
        if is_drop and name is None:
            self.trace.add_lifecycle(session, CONTEXT_DROP, session.end, True, 0.5, event.source)
        elif tool is not None and load > before:
            if window and load > NEAR_CEILING * window:
                return

            sums = session.tool_sums(tool)
            size = log(load - before)
            sums.growth_n += 1
            sums.growth_sum += size
            sums.growth_squares += size * size

            shown = log(OWN_TOKENS + result_size / CHARACTERS)
            sums.size_sum += shown
            sums.size_squares += shown * shown
            sums.size_products += shown * size

            steepest = session.steepest_growth
            if (steepest is None or size > steepest[0]) and event.source is not None:
                session.steepest_growth = (size, event.source)

    def _window(self, model: str | None) -> int | None:
        window = self.profile.window(model)
        self._windows[model] = window
        return window


def _add_to_bill(usage: Usage, event: Event, session: TraceSession) -> None:
    """Add one model call to the session's bill."""
    key = bill_key(event)
    sums = session.bill.get(key)
    if sums is None:
        sums = session.bill[key] = TokenSums()
    sums.add(usage)
