"""Trajectories of SWE-agent (.traj) and mini-swe-agent (lists of messages)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO, Any

from agingbench.records import Event, ReadLog, Role, Usage
from agingbench.traces.decoding.building import (
    Builder,
    amount,
    count,
    items,
    mapping,
    string,
    text_of,
)
from agingbench.traces.decoding.sources import first_values, records
from agingbench.traces.formats.base import BaseFormat

_MINI_ACTION = re.compile(r"```(?:bash|mswea_bash_command)?\s*\n(.*?)\n?```", re.DOTALL)
_MINI_CODE = re.compile(r"<returncode>\s*(-?\d+)\s*</returncode>")
_MINI_FIELDS = {"role", "content", "extra", "timestamp"}


class SweAgent(BaseFormat):
    """SWE-agent .traj files and mini-swe-agent trajectories."""

    name = "swe_agent"
    coding = True
    status = "verified"
    recipe = "point at the trajectories folder of a run; nothing has to be exported"

    def sniff(self, head: bytes) -> float:
        """How sure it is that this is a SWE-agent or mini-swe-agent trajectory, from 0 to 1."""
        values = first_values(head)
        value = values[0] if values else None
        if not isinstance(value, dict):
            return 0.0

        steps = value.get("trajectory")
        if isinstance(steps, list):
            first_step = mapping(steps[0] if steps else None)
            if {"environment", "history"} & set(value) or "observation" in first_step:
                return 1.0

        if str(value.get("trajectory_format", "")).startswith("mini-swe-agent"):
            return 1.0

        history = items(value.get("history"))
        if any("agent" in mapping(message) for message in history[:3]):
            return 0.9

        # mini-swe-agent: a list of plain messages.
        roles = [mapping(message).get("role") for message in values[:2]]
        if head.lstrip()[:1] != b"[" or roles != ["system", "user"]:
            return 0.0

        plain = all(isinstance(v, dict) and set(v) <= _MINI_FIELDS for v in values)
        return 0.5 if plain else 0.0

    def events(self, stream: IO[bytes], log: ReadLog) -> Iterator[Event]:
        """The steps of a trajectory, or the messages of a history."""
        build = Builder(log)
        listed = []
        for line, value in records(stream, log):
            value = mapping(value)
            if isinstance(value.get("trajectory"), list) and value["trajectory"]:
                yield from _trajectory(build, line, value)
            elif isinstance(value.get("history"), list):
                yield from _history(build, line, value["history"])
            elif isinstance(value.get("messages"), list):
                config = mapping(mapping(value.get("info")).get("config"))
                build.model = string(mapping(config.get("model")).get("model_name"))
                yield from _mini(build, line, value["messages"])
            elif "role" in value:
                listed.append(value)
            else:
                log.bad(line, "no trajectory")

        yield from _mini(build, None, listed)


def _trajectory(build: Builder, line: int | None, value: dict[str, Any]) -> Iterator[Event]:
    """The steps of a trajectory, after the system prompt and task from its history."""
    log = build.log
    build.session = string(value.get("instance_id")) or build.session
    history = items(value.get("history"))

    for message in history:
        message = mapping(message)
        if message.get("role") not in ("system", "user"):
            break
        if message.get("message_type") == "observation":
            break

        log.used += 1
        is_system = message.get("role") == "system" or message.get("is_demo") is True
        role: Role = "system" if is_system else "user"
        yield build.event(role, line, None, content=text_of(message.get("content")))
        history = history[1:]

    log.duplicate += len(history)  # the rest says again what the steps say
    stats = mapping(mapping(value.get("info")).get("model_stats"))
    for step in value["trajectory"]:
        if not isinstance(step, dict):
            log.bad(line, "no step")
            continue

        log.used += 1
        log.flag("time_missing")
        yield from _step(build, line, step)

    # The totals run over the run: they are told once, at its end, and never per step.
    call_usage = Usage(
        count(stats.get("tokens_sent")),
        count(stats.get("tokens_received")),
        None,
        None,
        amount(stats.get("instance_cost")),
        count(stats.get("api_calls")) or 0,
    )
    if call_usage.calls:
        about = {"totals_of_run": True}
        yield build.event(
            "meta",
            line,
            None,
            call_type="usage",
            usage=call_usage,
            metadata=about,
        )


def _step(build: Builder, line: int | None, step: dict[str, Any]) -> Iterator[Event]:
    text = string(step.get("thought")) or string(step.get("response")) or ""
    yield build.event("assistant", line, None, content=text)
    action = string(step.get("action"))
    observation = step.get("observation")

    if action is None or not action.strip():
        if observation:
            yield build.event(
                "meta",
                line,
                None,
                call_type="observation",
                content=text_of(observation),
            )
        return

    name = action.split(maxsplit=1)[0][:80]
    took = amount(step.get("execution_time"))
    call_id = f"step-{build.step}"
    yield build.call(
        line,
        None,
        name,
        {"command": action},
        call_id,
        command=action,
    )
    duration = None if took is None else took * 1000.0
    yield build.result(line, None, call_id, text_of(observation), duration_ms=duration)


def _history(build: Builder, line: int | None, history: list[Any]) -> Iterator[Event]:
    for message in history:
        if not isinstance(message, dict):
            build.log.bad(line, "no message")
            continue

        build.log.used += 1
        build.log.flag("time_missing")
        role = message.get("role")
        text = text_of(message.get("content"))

        if role == "assistant":
            yield build.event("assistant", line, None, content=text)
            for call in items(message.get("tool_calls")):
                function = mapping(mapping(call).get("function"))
                yield build.call(
                    line,
                    None,
                    function.get("name"),
                    function.get("arguments"),
                    mapping(call).get("id"),
                )
        elif role == "tool" or message.get("message_type") == "observation":
            ids = items(message.get("tool_call_ids"))
            yield build.result(
                line,
                None,
                message.get("tool_call_id") or (ids[0] if ids else None),
                text,
            )
        else:
            yield build.event("system" if role == "system" else "user", line, None, content=text)


def _mini(build: Builder, line: int | None, messages: list[Any]) -> Iterator[Event]:
    """Messages of mini-swe-agent: a reply holds one command, the next message its output."""
    waiting: str | None = None
    for message in messages:
        message = mapping(message)
        log = build.log
        log.used += 1
        extra = mapping(message.get("extra"))
        time = build.time(message.get("timestamp") or extra.get("timestamp"))
        role = message.get("role")
        text = text_of(message.get("content"))

        if role == "assistant":
            yield build.event(
                "assistant",
                line,
                time,
                content=text,
                model=build.model,
            )
            action = _MINI_ACTION.search(text)
            waiting = f"step-{build.step}" if action else None

            if action:
                arguments = {"command": action[1]}
                yield build.call(
                    line,
                    time,
                    "bash",
                    arguments,
                    waiting,
                    command=action[1],
                )
        elif waiting is not None and role in ("user", "tool"):
            exit_line = _MINI_CODE.search(text)
            code = int(exit_line[1]) if exit_line else None
            yield build.result(
                line,
                time,
                waiting,
                text,
                exit_code=code,
                error_kind="process" if code else None,
            )
            waiting = None
        else:
            yield build.event("system" if role == "system" else "user", line, time, content=text)
