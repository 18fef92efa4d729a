"""The system under test: which model, memory and agent with which options, from flags or from a
YAML file.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Container
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from msgspec import UNSET
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agingbench.agents import AGENTS
from agingbench.agents.build import build_agent
from agingbench.agents.react import ReactAgent
from agingbench.bench.life.actions import check_actions, listening
from agingbench.bench.life.control import NONE, Controller, build_controller
from agingbench.bench.life.lifecycle import fork_of
from agingbench.bench.plan.plan import Scenario
from agingbench.errors import InputError, UnknownName
from agingbench.interfaces import Agent, Memory, Model
from agingbench.memory import ALIAS_OPTIONS, MEMORY
from agingbench.memory.build import INNER, accepted_options, build_memory, layers
from agingbench.models.build import build_model
from agingbench.models.metered import Metered
from agingbench.registry import without_folder
from agingbench.text.addresses import plain_address
from agingbench.traces.canonical import canonical_json
from agingbench.traces.files import open_regular
from agingbench.trials.run_folder import SystemRecord

SECRET = "<secret>"  # noqa: S105 - what sut.json holds in place of one
_SECRET = re.compile(
    r"(?:^|[_-])(?:api_?key|key|token|secret|pass|password|passwd|passphrase|pwd|credentials?"
    r"|auth|authorization|cookie)$",
    re.IGNORECASE,
)


class Sut(BaseModel):
    """What is measured; `sut_id` names it in paths and cards, by default after its parts."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        protected_namespaces=(),
    )

    model: str = "extractive"
    memory: str = "lossy_compress"
    agent: str = "react"
    model_options: dict[str, Any] = Field(default_factory=dict)
    memory_options: dict[str, Any] = Field(default_factory=dict)
    agent_options: dict[str, Any] = Field(default_factory=dict)
    controller: str | None = None
    role: str = ""  # an instruction behind the role that the scenario gives
    sut_id: str | None = Field(default=None, pattern=r"^[A-Za-z0-9][A-Za-z0-9._+-]*$")

    @property
    def id(self) -> str:
        """The given name, or model and memory, with a hash behind it when options differ from the
        defaults.
        """
        if self.sut_id:
            return self.sut_id
        memory, memory_options = self._memory()
        parts = (self.model_options, memory_options, self.agent_options)
        options = [*map(_without_secrets, parts), self.agent]
        plain = not any(options[:3]) and self.agent == "react" and not self.role
        if self.role:
            options.append(self.role)
        tail = "" if plain else "-" + hashlib.sha256(canonical_json(options)).hexdigest()[:6]
        model = f"gguf-{Path(self.model_id).name}" if self.provider == "gguf" else self.model
        arm = f"+{slug(without_folder(self.arm))}" if self.arm is not None else ""
        return f"{slug(without_folder(model))}+{slug(without_folder(memory))}{tail}{arm}"

    @property
    def provider(self) -> str:
        return self.model.partition(":")[0]

    @property
    def model_id(self) -> str:
        return self.model.partition(":")[2] or self.model

    @property
    def policy(self) -> str:
        """The memory policy behind an alias; of an overlay, the overlay."""
        return MEMORY.canonical(layers(self.memory, self.memory_options)[0])

    @property
    def arm(self) -> str | None:
        """The controller that steers it; the arm `none` is the system without one."""
        return None if self.controller == NONE else self.controller

    def _memory(self) -> tuple[str, dict[str, Any]]:
        # One spelling for an overlay: typed_state+inner, whichever way it was asked for.
        options = dict(self.memory_options)
        if self.memory != "typed_state":
            return self.memory, options
        return f"{self.memory}+{options.pop('inner', None) or INNER}", options

    def record(self, scenario: str) -> SystemRecord:
        """Everything that makes this system what it is, as sut.json holds it for a scenario."""
        memory, options = self._memory()
        options = {**_alias_options(memory), **options}
        return SystemRecord(
            scenario=scenario,
            sut_id=self.id,
            model=self.model,
            memory=memory,
            agent=self.agent,
            model_options=_without_secrets(self.model_options),
            memory_options=_without_secrets(options),
            agent_options=_without_secrets(self.agent_options),
            controller=UNSET if self.arm is None else self.arm,
            role=self.role or UNSET,
        )


def with_defaults(
    sut: Sut,
    scenario: Scenario,
    said: Container[str],
) -> Sut:
    """The system with what a scenario prefers (default_agent, default_memory, memory_defaults)
    where nobody said.
    """
    changes: dict[str, Any] = {}
    for part, wanted in (("agent", scenario.default_agent), ("memory", scenario.default_memory)):
        if wanted is not None and part not in said:
            changes[part] = wanted
    takes = accepted_options(changes.get("memory", sut.memory), sut.memory_options)
    preferred = {k: v for k, v in scenario.memory_defaults.items() if k in takes}
    if preferred:
        changes["memory_options"] = {**preferred, **sut.memory_options}
    return sut.model_copy(update=changes)


@dataclass
class System:
    """A system put together: an agent, the model behind its meter, and what steers it.

    `twin` is the agent as it was before its life; a diagnosis asks it. An agent that calls no model
    has neither meter nor model.
    """

    agent: Agent
    twin: Agent
    meter: Metered | None = None
    model: Model | None = None
    controller: Controller | None = None

    @classmethod
    def of_agent(cls, agent: Agent) -> System:
        """The system of an agent that is there already, such as a simulated one."""
        return cls(agent, fork_of(agent))

    def close(self) -> None:
        """Release what the agent and its twin hold outside; both can be used again."""
        self.agent.close()
        self.twin.close()

    def use(self, model: Model) -> None:
        """Send all calls of the agent and its memory to this model from here on."""
        if self.meter is None:
            raise InputError("this agent calls no model, so no other model can be put in its place")
        self.meter.swap(model)

    def swap(self, name: str) -> None:
        """Send all calls of the agent and its memory to another model, by name."""
        self.use(build_model(name))


def build(sut: Sut, role: str, model: Model | None = None) -> System:
    """Put a system together; every name and option is checked here, before anything runs.

    `role` is what the scenario says that the agent is; the system's own instruction follows it. A
    `model` that is given is used as it is, in place of the one that the description names.
    """
    if sut.role:
        role = f"{role}\n\n{sut.role}"
    AGENTS.canonical(sut.agent)
    layers(sut.memory, sut.memory_options)
    controller = build_controller(sut.arm) if sut.arm is not None else None
    if model is None:
        model = build_model(sut.model, **sut.model_options)
    meter = Metered(model)
    memory = build_memory(sut.memory, meter, **sut.memory_options)
    if controller is not None:
        memory = listening(memory, controller.may)
    agent = build_agent(
        sut.agent,
        meter,
        memory,
        role,
        **sut.agent_options,
    )
    _check_memory_tools(sut, agent, memory)
    if controller is not None:
        check_actions(controller.may, agent)
    agent.close()  # what was opened to look at its tools is opened again when it lives
    return System(
        agent,
        fork_of(agent),
        meter,
        model,
        controller,
    )


def _check_memory_tools(sut: Sut, agent: Agent, memory: Memory) -> None:
    """Raise InputError for a memory that only its own tools write, with an agent without them."""
    if isinstance(agent, ReactAgent) and not agent.owns_workspace and memory.tools():
        raise InputError(
            f"agent '{sut.agent}' never writes to memory '{sut.memory}', which only its own"
            " tools write; give it the agent workspace"
        )


def sut_from_record(record: SystemRecord) -> Sut:
    """The system that sut.json describes, without its secrets: those were never written."""
    memory_options = _without_placeholders(record.memory_options)
    # Read from the name, so that no memory policy is loaded to describe a system.
    for name, value in _alias_options(record.memory).items():
        if memory_options.get(name) == value:
            del memory_options[name]
    sut = Sut(
        model=record.model,
        memory=record.memory,
        agent=record.agent,
        controller=record.controller or None,
        role=record.role or "",
        model_options=_without_placeholders(record.model_options),
        memory_options=memory_options,
        agent_options=_without_placeholders(record.agent_options),
    )
    if sut.id == record.sut_id:
        return sut
    # The folder is named by the id of the record.
    return Sut.model_validate({**sut.model_dump(), "sut_id": record.sut_id})


def read_sut_file(path: Path, also: frozenset[str] = frozenset()) -> tuple[Sut, dict[str, Any]]:
    """A system from a YAML file, and the keys named in `also` that the file carries beside it."""
    raw = read_yaml(path, "SUT file", "`model:` and `memory:`")
    rest = {key: raw.pop(key) for key in list(raw) if key in also}
    for key in raw:
        if key not in Sut.model_fields:
            raise InputError(
                f"SUT file {path}: {UnknownName('key', str(key), [*Sut.model_fields, *also])}"
            )
    try:
        return Sut(**raw), rest
    except ValidationError as error:
        first = error.errors()[0]
        raise InputError(
            f"SUT file {path}: {'.'.join(map(str, first['loc']))}: {first['msg']}"
        ) from error


def read_yaml(
    path: Path,
    what: str,
    such_as: str,
) -> dict[Any, Any]:
    """The keys of a YAML file; what cannot be read is told with its place, under the name that its
    user knows.
    """
    try:
        with open_regular(path) as file:
            raw = yaml.safe_load(file.readall().decode("utf-8"))
    except OSError as error:
        raise InputError(f"cannot read {what} {path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{what} {path} is not UTF-8 text") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f":{mark.line + 1}" if mark is not None else ""
        raise InputError(
            f"{what} {path}{where}: not YAML: {getattr(error, 'problem', None) or error}"
        ) from error
    if not isinstance(raw, dict):
        raise InputError(f"{what} {path}: expected keys such as {such_as}")
    return raw


def slug(text: str) -> str:
    """A name that is safe as a part of a path."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-.") or "x"


def _alias_options(memory: str) -> dict[str, object]:
    """The options that an alias sets, for a policy or the one inside an overlay."""
    return ALIAS_OPTIONS.get(memory.rpartition("+")[2], {})


def _without_secrets(options: dict[str, Any]) -> dict[str, Any]:
    return {k: SECRET if _SECRET.search(k) else _without_logins(v) for k, v in options.items()}


def _without_logins(value: Any) -> Any:
    """An option as it may be written: no user, password or query in an address, no secret below."""
    if isinstance(value, str):
        return plain_address(value)
    if isinstance(value, dict):
        return _without_secrets({str(key): inner for key, inner in value.items()})
    if isinstance(value, list):
        return [_without_logins(inner) for inner in value]
    return value


def _without_placeholders(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value != SECRET}
