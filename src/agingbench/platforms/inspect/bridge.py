"""Carries the calls of a life, which runs in threads, into the event loop of Inspect.

Every call runs in a copy of the sample's context, so that Inspect's cache, limits, retries and
transcript apply to it. Each session of the life is a span of the transcript.
"""

from __future__ import annotations

import contextvars
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import asynccontextmanager
from typing import Any

import anyio
from anyio.from_thread import BlockingPortal
from inspect_ai.model import GenerateConfig
from inspect_ai.model import Model as InspectModel
from inspect_ai.util import LimitExceededError, span
from tenacity import RetryError

from agingbench.bench.life.limits import Stopped
from agingbench.errors import InputError, ToolsUnsupported, TransportError
from agingbench.interfaces import Model
from agingbench.models.provider import LONGEST_MESSAGE, NO_TOOLS
from agingbench.platforms.inspect.conversion import chat_messages, reply_of, tool_infos
from agingbench.records import Message, Reply, Tool

PROVIDER = "inspect"

# The context of the session that a thread works for; it holds the session's span.
_session: contextvars.ContextVar[contextvars.Context] = contextvars.ContextVar("session")


class LoopBridge:
    """Runs coroutines of one sample from the threads of its life.

    `limit` is the limit of the sample that a call ran into, if one did.
    """

    def __init__(self, portal: BlockingPortal) -> None:
        self.limit: LimitExceededError | None = None
        self._portal = portal
        self._sample = contextvars.copy_context()
        self._open: dict[int, anyio.Event] = {}
        self._stopped = False

    def call(self, run: Callable[..., Any], *args: Any) -> Any:
        """The result of a coroutine; raises Stopped where the sample is over."""
        if self._stopped:
            raise Stopped
        context = _session.get(self._sample).copy()
        try:
            return context.run(self._portal.call, run, *args)
        except LimitExceededError as error:
            self.limit = self.limit or error
            self._stopped = True
            raise Stopped from error
        except CancelledError:
            self._stopped = True
            raise Stopped from None

    def begin_session(self, t: int, name: str) -> None:
        """Open the span of a session; this thread's calls, and those it starts, belong to it."""
        opened: Future[contextvars.Context] = Future()
        closing = self.call(anyio.Event)

        async def hold() -> None:
            async with span(name, type="session"):
                opened.set_result(contextvars.copy_context())
                await closing.wait()

        holder = self._sample.copy().run(self._portal.start_task_soon, hold)
        holder.add_done_callback(lambda _: opened.cancel())
        try:
            _session.set(opened.result())
        except CancelledError:
            raise Stopped from None
        self._open[t] = closing

    def end_session(self, t: int) -> None:
        """Close the span of a session."""
        closing = self._open.pop(t, None)
        if closing is not None and not self._stopped:
            self._portal.call(closing.set)

    def end_all(self) -> None:
        """Close the spans that are still open; called in the loop."""
        for closing in self._open.values():
            closing.set()


@asynccontextmanager
async def loop_bridge() -> AsyncIterator[LoopBridge]:
    """A bridge for the block; when it ends, so do its spans and calls."""
    async with BlockingPortal() as portal:
        bridge = LoopBridge(portal)
        try:
            yield bridge
        finally:
            bridge.end_all()


class BridgedModel(Model):
    """A model of Inspect that a life calls from its threads."""

    def __init__(self, model: InspectModel, bridge: LoopBridge) -> None:
        self.name = model_name(model)
        self._model = model
        self._bridge = bridge

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        max_tokens: int = 1024,
        seed: int | None = None,
    ) -> Reply:
        """One call through Inspect, with its retries."""
        config = GenerateConfig(max_tokens=max_tokens, seed=seed)
        conversation = chat_messages(messages)
        offered = tool_infos(tools)

        async def generate() -> Any:
            return await self._model.generate(conversation, tools=offered, config=config)

        try:
            output = self._bridge.call(generate)
        except Stopped:
            raise
        except Exception as error:
            raise self._as_our_error(error) from error
        return reply_of(output, self.name)

    def _as_our_error(self, error: Exception) -> Exception:
        """Our exception for a broken call; what is no failure of the call stays as it is."""
        cause = error.__cause__ if isinstance(error.__cause__, Exception) else error
        message = " ".join(str(cause).split())[:LONGEST_MESSAGE]
        if isinstance(error, RetryError | TimeoutError) or self._model.api.should_retry(cause):
            return TransportError(f"{self.name} did not answer: {message or repr(cause)}")
        status = getattr(error, "status_code", None)
        if status is None:
            return error
        kind = ToolsUnsupported if NO_TOOLS.search(message) else InputError
        return kind(f"{self.name} refused the request: status {status}: {message}")


def model_name(model: InspectModel) -> str:
    """The name under which a life records a model of Inspect."""
    return f"{PROVIDER}:{model}"
