"""What the description of a life demands trust for: code by its place, and servers for a key."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Iterable
from urllib.parse import urlsplit

from agingbench.bench.life import control
from agingbench.bench.life.system import Sut
from agingbench.bench.life.transitions import MODEL_SWAP
from agingbench.bench.plan.plan import LifecycleEvent
from agingbench.models import MODELS
from agingbench.models import build as models
from agingbench.models.provider import Provider
from agingbench.text.addresses import plain_address
from agingbench.trust import SERVER, Demand

PROGRAMS = ("command", "program", "python")  # options that name what is started


def scenario_demands(name: object) -> list[Demand]:
    """The demand of a scenario that is named by where its code lies."""
    return _places("scenario", name)


def system_demands(sut: Sut) -> list[Demand]:
    """What a system demands: code behind its parts, and a server that a key would go to.

    Nothing is imported to find out.
    """
    demands = _places("memory", sut.memory)
    demands += _places("memory_options.inner", sut.memory_options.get("inner"))
    demands += _places("agent", sut.agent)
    for option in PROGRAMS:
        if option in sut.agent_options:
            demands.append(Demand(f"agent_options.{option}", str(sut.agent_options[option])))
        if option in sut.memory_options:
            demands.append(Demand(f"memory_options.{option}", str(sut.memory_options[option])))
    if models.is_code(sut.model):
        demands.append(Demand("model", sut.model))
    if sut.arm is not None and control.is_code(sut.arm):
        demands.append(Demand("controller", sut.arm))
    return demands + _server(sut)


def event_demands(events: Iterable[LifecycleEvent]) -> list[Demand]:
    """The demands of lifecycle events: models that are swapped in."""
    demands = []
    for event in events:
        model = event.args.get("model")
        if event.name == MODEL_SWAP and models.is_code(str(model)):
            demands.append(Demand(str(event.name), str(model)))
    return demands


def _places(key: str, name: object) -> list[Demand]:
    # Names of tables and entry points hold no colon.
    return [Demand(key, str(name))] if ":" in str(name) else []


def _server(sut: Sut) -> list[Demand]:
    """The address in the options of a hosted model, where a key of the environment would go."""
    address = sut.model_options.get("base_url")
    if not address or sut.model_options.get("api_key") or sut.provider not in MODELS.table:
        return []
    kind = MODELS.load(sut.provider)
    if not issubclass(kind, Provider) or not os.environ.get(kind.key_variable):
        return []
    own_address = os.environ.get(kind.url_variable)
    if address == own_address or _is_this_machine(str(address)):
        return []
    return [Demand("model_options.base_url", plain_address(str(address)), SERVER)]


def _is_this_machine(address: str) -> bool:
    try:
        host = urlsplit(address).hostname or ""
    except ValueError:
        return False
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
