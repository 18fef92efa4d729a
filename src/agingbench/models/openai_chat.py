"""Models behind the chat completions protocol: OpenAI, vLLM, llama.cpp, Ollama, OpenRouter, …"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from agingbench.models.provider import Provider
from agingbench.models.replies import arguments_of, clean, count, text_of, tool_call
from agingbench.records import Message, Reply, Tool, ToolCall, Usage

# These count their thinking against `max_completion_tokens` and reject `max_tokens` and a
# temperature.
REASONING = re.compile(r"(?:.*/)?(?:o\d|gpt-(?:[5-9]|\d\d))", re.IGNORECASE)


class OpenAIChat(Provider):
    """A model asked through the openai SDK; retries and back-off are the SDK's."""

    label = "openai"
    sdk = "openai"
    key_variable = "OPENAI_API_KEY"
    url_variable = "OPENAI_BASE_URL"
    default_url = "https://api.openai.com/v1"

    def __init__(
        self,
        model_id: str,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout: float = 120.0,
        max_retries: int = 4,
        temperature: float | None = 0.0,
        max_seconds: float = 600.0,
        send_seed: bool = True,
    ) -> None:
        super().__init__(
            model_id, base_url, api_key, timeout, max_retries, temperature, max_seconds
        )
        self.reasoning = REASONING.match(model_id) is not None
        self.send_seed = send_seed  # some servers reject a request that carries a seed

    def cache_identity(self) -> dict[str, Any]:
        return {**super().cache_identity(), "send_seed": self.send_seed}

    def _open(self, key: str) -> Any:
        import openai

        return openai.OpenAI(
            api_key=key,
            base_url=self.base_url,
            timeout=self.timeout,
            max_retries=self.max_retries,
            http_client=self._http_client(),
        )

    def _request(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool],
        max_tokens: int,
        seed: int | None,
    ) -> dict[str, Any]:
        request: dict[str, Any] = {
            "model": self.model_id,
            "messages": [chat_message(message) for message in messages],
        }
        limit = "max_completion_tokens" if self.reasoning else "max_tokens"
        request[limit] = max_tokens
        temperature = self._sent_temperature()
        if temperature is not None:
            request["temperature"] = temperature
        if seed is not None and self.send_seed:
            request["seed"] = seed
        if tools:
            request["tools"] = [tool_schema(tool) for tool in tools]
        return request

    def _send(self, client: Any, request: dict[str, Any]) -> Any:
        from openai.types.chat import ChatCompletion

        # What `chat.completions.create` does once it has walked through every message by its type
        # hints, which takes twice as long as all the rest: in a study, threads that wait for their
        # reply wait for that.
        return client.post("/chat/completions", cast_to=ChatCompletion, body=request)

    def _reply(self, answer: Any, turn: int) -> Reply:
        choices = getattr(answer, "choices", None) or ()
        choice = next(iter(choices), None)
        message = getattr(choice, "message", None)
        if message is None:
            raise self._broken("it holds no message")

        refusal = text_of(getattr(message, "refusal", None))
        text = text_of(_joined(message.content)) or refusal
        calls = tool_calls_of(message, turn)
        served_model = text_of(getattr(answer, "model", None)) or None
        usage = self._priced(usage_of(getattr(answer, "usage", None)), served_model)
        is_filtered = getattr(choice, "finish_reason", None) == "content_filter"
        return Reply(text, calls, usage, served_model, refused=bool(refusal) or is_filtered)

    def _sent_temperature(self) -> float | None:
        return None if self.reasoning else self.temperature


def chat_message(message: Message) -> dict[str, Any]:
    """A message as the protocol writes it."""
    content = clean(message.content)
    if message.role == "tool":
        call_id = message.tool_call_id or ""
        return {"role": "tool", "tool_call_id": call_id, "content": content}
    if not message.tool_calls:
        return {"role": message.role, "content": content}

    calls = []
    for call in message.tool_calls:
        function = {"name": call.name, "arguments": json.dumps(call.arguments)}
        calls.append({"id": call.id, "type": "function", "function": function})
    return {"role": message.role, "content": content or None, "tool_calls": calls}


def tool_schema(tool: Tool) -> dict[str, Any]:
    """A tool as the protocol offers it."""
    function = {
        "name": tool.name,
        "description": tool.description,
        "parameters": dict(tool.parameters),
    }
    return {"type": "function", "function": function}


def _joined(content: Any) -> Any:
    """A message's content, with its parts joined; some servers send it in parts."""
    if not isinstance(content, list):
        return content
    texts = [part.get("text") for part in content if isinstance(part, dict)]
    return "".join(text for text in texts if isinstance(text, str))


def tool_calls_of(message: Any, turn: int) -> tuple[ToolCall, ...]:
    """The tool calls in a message that a server sent; raises ValueError for one without a name."""
    calls = []
    answer_calls = getattr(message, "tool_calls", None) or ()
    for index, call in enumerate(answer_calls):
        function = getattr(call, "function", None)
        arguments = getattr(function, "arguments", None) or ""
        if not isinstance(arguments, str):
            arguments = json.dumps(arguments)
        # A server without call ids gets ones that stay apart within the conversation.
        read = tool_call(
            getattr(call, "id", None),
            getattr(function, "name", None),
            arguments_of(arguments),
            spare_id=f"call_{turn}_{index}",
        )
        calls.append(read)
    return tuple(calls)


def usage_of(usage: Any) -> Usage:
    """The token counts that a server sent; what it left out is unknown."""
    details = getattr(usage, "prompt_tokens_details", None)
    return Usage(
        input_tokens=count(getattr(usage, "prompt_tokens", None)),
        output_tokens=count(getattr(usage, "completion_tokens", None)),
        cache_read_tokens=count(getattr(details, "cached_tokens", None)),
        cache_write_tokens=count(getattr(details, "cache_write_tokens", None)),
        calls=1,
    )
