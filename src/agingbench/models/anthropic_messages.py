"""Claude models, through Anthropic's Messages API."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from agingbench.errors import ContextOverflow, InputError
from agingbench.models.provider import Provider
from agingbench.models.replies import arguments_of, clean, count, text_of, tool_call
from agingbench.records import Message, Reply, Tool, Usage

# The last Claude models that take a temperature are of version 4.6; later ones reject a request
# that carries one.
CLAUDE = re.compile(r"claude-", re.IGNORECASE)
TAKES_TEMPERATURE = re.compile(
    r"claude-(?:instant|[23]\b|[a-z]+-4(?:-[0-6])?(?:-\d{8}|@\d{8}|-latest)?$)", re.IGNORECASE
)


class AnthropicMessages(Provider):
    """A model asked through the anthropic SDK; retries and back-off are the SDK's."""

    label = "anthropic"
    sdk = "anthropic"
    key_variable = "ANTHROPIC_API_KEY"
    url_variable = "ANTHROPIC_BASE_URL"
    default_url = "https://api.anthropic.com"

    def _open(self, key: str) -> Any:
        import anthropic

        # The SDK adds the version to the path itself; people paste the address with it.
        url = None
        if self.base_url:
            url = self.base_url.rstrip("/").removesuffix("/v1")
        return anthropic.Anthropic(
            api_key=key,
            base_url=url,
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
        turns = _turns(messages)
        if not turns:
            raise InputError(f"model '{self.name}' needs a message besides the system prompt")

        request: dict[str, Any] = {
            "model": self.model_id,
            "messages": turns,
            "max_tokens": max_tokens,
        }
        prompts = [clean(message.content) for message in messages if message.role == "system"]
        system = "\n\n".join(prompts)
        if system.strip():
            request["system"] = system
        if tools:
            request["tools"] = [
                {
                    "name": tool.name,
                    "description": tool.description,
                    "input_schema": dict(tool.parameters),
                }
                for tool in tools
            ]
        temperature = self._sent_temperature()
        if temperature is not None:
            # Newer SDKs have no argument for it any more, older models still take it.
            request["extra_body"] = {"temperature": temperature}
        return request

    def _send(self, client: Any, request: dict[str, Any]) -> Any:
        return client.messages.create(**request)

    def _reply(self, answer: Any, turn: int) -> Reply:
        blocks = getattr(answer, "content", None)
        if not isinstance(blocks, list):
            raise self._broken("it holds no content")

        text = "".join(text_of(block.text) for block in blocks if block.type == "text")
        calls = []
        for index, block in enumerate(blocks):
            if block.type == "tool_use":
                arguments = arguments_of(json.dumps(block.input))
                call = tool_call(block.id, block.name, arguments, spare_id=f"call_{turn}_{index}")
                calls.append(call)

        stop = getattr(answer, "stop_reason", None)
        if stop == "model_context_window_exceeded" and not text and not calls:
            raise ContextOverflow(f"{self.name}: the prompt left no room for an answer")
        served_model = text_of(getattr(answer, "model", None)) or None
        usage = self._priced(_usage(getattr(answer, "usage", None)), served_model)
        return Reply(text, tuple(calls), usage, served_model, refused=stop == "refusal")

    def _sent_temperature(self) -> float | None:
        rejects = CLAUDE.search(self.model_id) and not TAKES_TEMPERATURE.search(self.model_id)
        return None if rejects else self.temperature


def _turns(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """User and assistant turns in alternation: tool results are the user's, neighbours of one role
    become one turn.
    """
    turns: list[dict[str, Any]] = []
    for message in messages:
        blocks = _blocks(message)
        if message.role == "system" or not blocks:
            continue
        role = "assistant" if message.role == "assistant" else "user"
        if turns and turns[-1]["role"] == role:
            turns[-1]["content"] += blocks
        else:
            turns.append({"role": role, "content": blocks})
    return turns


def _blocks(message: Message) -> list[dict[str, Any]]:
    """The content blocks of a message."""
    content = clean(message.content)
    if message.role == "tool":
        call_id = message.tool_call_id or ""
        return [{"type": "tool_result", "tool_use_id": call_id, "content": content}]

    # The API rejects empty text.
    blocks: list[dict[str, Any]] = []
    if content.strip():
        blocks.append({"type": "text", "text": content})
    for call in message.tool_calls:
        block = {
            "type": "tool_use",
            "id": call.id,
            "name": call.name,
            "input": call.arguments,
        }
        blocks.append(block)
    return blocks


def _usage(usage: Any) -> Usage:
    """The token counts of an answer; what it left out is unknown."""
    fresh = count(getattr(usage, "input_tokens", None))
    read = count(getattr(usage, "cache_read_input_tokens", None))
    write = count(getattr(usage, "cache_creation_input_tokens", None))
    # Anthropic leaves the cached tokens out of `input_tokens`; everywhere else they are in.
    total = None if fresh is None else fresh + (read or 0) + (write or 0)
    return Usage(
        input_tokens=total,
        output_tokens=count(getattr(usage, "output_tokens", None)),
        cache_read_tokens=read,
        cache_write_tokens=write,
        calls=1,
    )
