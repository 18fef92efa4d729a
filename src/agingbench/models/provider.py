"""What the adapters of hosted models share: keys, endpoints, the client, and errors as ours."""

from __future__ import annotations

import importlib
import importlib.util
import json
import math
import os
import re
import threading
import time
import weakref
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import msgspec

from agingbench.errors import (
    AgingBenchError,
    BrokenReply,
    ContextOverflow,
    InputError,
    MissingExtra,
    MissingKey,
    ToolsUnsupported,
    TransportError,
    Unreachable,
)
from agingbench.interfaces import Model
from agingbench.models.bounded import GaveUp, call_hooks, time_limit
from agingbench.models.prices import load_prices
from agingbench.models.reach import why_unreachable
from agingbench.records import Message, Reply, Tool, Usage
from agingbench.text.addresses import plain_address

# The SDK retries these; what is left of them is a broken call, not a wrong one.
BROKEN = frozenset({408, 409, 425, 429})
TOO_LONG_STATUS = frozenset({400, 413, 422})
TOO_LONG_CODES = frozenset(
    {"context_length_exceeded", "exceed_context_size_error", "request_too_large"}
)
TOO_LONG = re.compile(
    r"context (length|window|size|limit)|maximum model length|(prompt|input|request) is too"
    r" long|too many tokens"
    r"|reduce the length of|input token count .* exceeds|`inputs` (tokens|must have)"
    r"|exceeds the maximum (allowed )?size",
    re.IGNORECASE,
)
# How servers say that they or the model take no tools.
NO_TOOLS = re.compile(
    r"\bsupport(?:s|ed)? (?:for )?(?:tools?\b|tool (?:use|calls?|calling|choice)|function calling)"
    r"|\b(?:tools?|tool[_ ](?:use|calls?|calling|choice)|function calling)\b[^.]{0,40}"
    r"\b(?:not supported|unsupported|not enabled|not available|requires --)",
    re.IGNORECASE,
)
FILTERED = frozenset({"content_filter", "content_policy_violation"})
LONGEST_MESSAGE = 300
REFUSED_SECONDS = 10.0  # in which an address that could not be reached is not tried again


class _Connections:
    """An SDK's client, shared by the models that call one server with the same settings."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self.reached = False
        self.refused_until = 0.0
        self.refusal = ""
        self._guard = threading.Lock()
        weakref.finalize(self, client.close)

    def check(self, url: str) -> None:
        """Raise Unreachable where nothing listens, until a connection was made once.

        The SDKs try again for a minute, which is right in an outage and wrong for an address that
        was never there.
        """
        if self.reached:
            return
        with self._guard:
            if self.reached:
                return
            if time.monotonic() >= self.refused_until:
                reason = why_unreachable(url)
                self.reached = reason is None
                self.refusal = reason or ""
                self.refused_until = time.monotonic() + REFUSED_SECONDS
            if not self.reached:
                raise Unreachable(self.refusal)


_open_now: weakref.WeakValueDictionary[tuple[Any, ...], _Connections] = (
    weakref.WeakValueDictionary()
)
_opening = threading.Lock()


class Provider(Model):
    """A hosted model behind an SDK. Subclasses say how a request and a reply look."""

    label: ClassVar[str]
    sdk: ClassVar[str]
    key_variable: ClassVar[str]
    url_variable: ClassVar[str]
    default_url: ClassVar[str]  # where the SDK calls when no address is given

    def __init__(
        self,
        model_id: str,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout: float = 120.0,
        max_retries: int = 4,
        temperature: float | None = 0.0,
        max_seconds: float = 600.0,
    ) -> None:
        self.model_id = model_id
        self.name = f"{self.label}:{model_id}"
        if importlib.util.find_spec(self.sdk) is None:
            raise MissingExtra(f"model '{self.name}'", self.sdk)
        self.timeout = self._number("timeout", timeout, above=0)
        self.max_seconds = self._number("max_seconds", max_seconds, above=0)
        self.max_retries = int(self._number("max_retries", max_retries))
        self.temperature = None if temperature is None else self._number("temperature", temperature)

        self.base_url = base_url or os.environ.get(self.url_variable) or None
        if self.base_url and not self.base_url.startswith(("http://", "https://")):
            raise InputError(
                f"model '{self.name}': the base URL does not begin with http:// or https://"
            )
        self.endpoint = plain_address(self.base_url or "default")  # as it may be told
        self._key = api_key or os.environ.get(self.key_variable) or ""
        if not self._key and not self.base_url:
            raise MissingKey(f"model '{self.name}' needs a key; set {self.key_variable}")
        # Read here, so that a broken price file is told before the first call is paid for.
        self._prices = load_prices()
        self._connections: _Connections | None = None

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        max_tokens: int = 1024,
        seed: int | None = None,
    ) -> Reply:
        client = self._opened()
        sdk = importlib.import_module(self.sdk)
        request = self._request(messages, tools, max_tokens, seed)
        self._check_endpoint()
        try:
            with time_limit(self.max_seconds):
                answer = self._send(client, request)
        except GaveUp as error:
            if isinstance(error.__cause__, AgingBenchError):
                raise error.__cause__ from None
            raise BrokenReply(f"{self.name} ({self.endpoint}): {error}") from error
        except (sdk.APIError, json.JSONDecodeError, UnicodeDecodeError) as error:
            if _code(error) in FILTERED:
                return Reply("", usage=Usage(calls=1), refused=True)
            raise self._as_our_error(error) from error
        except RecursionError as error:
            raise self._broken("it is nested too deeply") from error
        return self._read(answer, turn=len(messages))

    def _read(self, answer: Any, turn: int) -> Reply:
        """The SDK's answer in our words; raises BrokenReply where it is no reply.

        The SDKs check no types, so a field may hold anything that JSON can.
        """
        try:
            return self._reply(answer, turn)
        except (AttributeError, TypeError, ValueError, KeyError, RecursionError) as error:
            raise self._broken(str(error)) from error

    def _broken(self, reason: str) -> BrokenReply:
        line = " ".join(reason.split())
        return BrokenReply(
            f"{self.name} ({self.endpoint}) sent a reply that cannot be used:"
            f" {line[:LONGEST_MESSAGE]}"
        )

    def cache_identity(self) -> dict[str, Any]:
        """Everything of this model that changes a reply."""
        return {
            "name": self.name,
            "endpoint": self.base_url or "default",
            "temperature": self._sent_temperature(),
        }

    def access(self) -> tuple[str, str, str]:
        """Address (empty: the provider's own), key and model, for a product that calls itself."""
        return (self.base_url or "").removesuffix("/v1"), self._key, self.model_id

    def close(self) -> None:
        """Release the connections; the next call opens new ones."""
        self._connections = None

    @abstractmethod
    def _open(self, key: str) -> Any:
        """The SDK's client, over `_http_client`."""

    def _http_client(self) -> Any:
        """The SDK's own HTTP client, which gives up on a reply without an end."""
        sdk = importlib.import_module(self.sdk)
        return sdk.DefaultHttpxClient(event_hooks=call_hooks())

    @abstractmethod
    def _request(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool],
        max_tokens: int,
        seed: int | None,
    ) -> dict[str, Any]:
        """The arguments of the SDK's call."""

    @abstractmethod
    def _send(self, client: Any, request: dict[str, Any]) -> Any:
        """One call through the SDK, with its retries."""

    @abstractmethod
    def _reply(self, answer: Any, turn: int) -> Reply:
        """The SDK's answer in our words."""

    @abstractmethod
    def _sent_temperature(self) -> float | None:
        """The temperature that goes out; None when this model takes none."""

    def _opened(self) -> Any:
        """The client, shared with other models that have the same settings."""
        connections = self._connections
        if connections is not None:
            return connections.client

        settings = (self.sdk, self._key, self.base_url, self.timeout, self.max_retries)
        with _opening:
            connections = _open_now.get(settings)
            if connections is None:
                # Servers of one's own seldom want a key, and the SDK does not start without one.
                key = self._key or "none"
                try:
                    connections = _Connections(self._open(key))
                except Exception as error:  # bad address or proxy; each SDK raises its own kind
                    raise InputError(
                        f"model '{self.name}' ({self.endpoint}) cannot be set up: {error}"
                    ) from error
                _open_now[settings] = connections
        self._connections = connections
        return connections.client

    def _check_endpoint(self) -> None:
        """Raise Unreachable at once where nothing listens at the address."""
        if self._connections is None:
            return
        try:
            self._connections.check(self.base_url or self.default_url)
        except Unreachable as error:
            raise Unreachable(
                f"{self.name} ({self.endpoint}) cannot be reached: {error};"
                f" start the server or correct base_url ({self.url_variable})"
            ) from None

    def _number(self, option: str, value: Any, above: float | None = None) -> float:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not math.isfinite(value):
            raise InputError(f"model '{self.name}': {option} must be a number, not {value!r}")
        if value < 0 or value == above:
            raise InputError(f"model '{self.name}': {option} must not be {value}")
        number: float = value
        return number

    def _priced(self, usage: Usage, served_model: str | None) -> Usage:
        # The id that was asked for comes first: that is the one a user's own price file names.
        cost = self._prices.cost_usd(usage, self.model_id, served_model)
        return msgspec.structs.replace(usage, cost_usd=cost)

    def _as_our_error(self, error: Exception) -> AgingBenchError:
        """Our exception for the SDK's, in one line that never carries the key."""
        message = plain_address(" ".join(_message(error).split()))
        if self._key:
            message = message.replace(self._key, "***")
        if len(message) > LONGEST_MESSAGE:
            message = message[:LONGEST_MESSAGE] + "…"

        status = getattr(error, "status_code", None)
        if status is None or status < 400 or status >= 500 or status in BROKEN:
            kind = f"status {status}" if status else type(error).__name__
            return TransportError(
                f"{self.name} ({self.endpoint}) did not answer: {kind}: {message}"
            )
        code = _code(error)
        # Too long for the account's minute, not for the model.
        if status == 413 and code == "rate_limit_exceeded":
            return TransportError(
                f"{self.name} ({self.endpoint}) did not answer: status {status}: {message}"
            )
        too_long = status == 413 or code in TOO_LONG_CODES or TOO_LONG.search(message)
        if status in TOO_LONG_STATUS and too_long:
            return ContextOverflow(f"{self.name}: the prompt is too long: {message}")
        hint = {
            401: f"; check {self.key_variable}",
            403: f"; check {self.key_variable}",
            404: "; check the model id and the base URL",
        }.get(status, "")
        refusal = ToolsUnsupported if NO_TOOLS.search(message) else InputError
        return refusal(
            f"{self.name} ({self.endpoint}) refused the request: status {status}: {message}{hint}"
        )


def _error_body(error: Exception) -> dict[str, Any]:
    body = getattr(error, "body", None)
    if isinstance(body, dict) and isinstance(body.get("error"), dict):
        body = body["error"]
    return body if isinstance(body, dict) else {}


def _message(error: Exception) -> str:
    message = _error_body(error).get("message")
    return message if isinstance(message, str) and message.strip() else str(error)


def _code(error: Exception) -> str | None:
    body = _error_body(error)
    for value in (body.get("code"), body.get("type")):
        if isinstance(value, str):
            return value
    return None
