"""From `--engine` to an engine: `local`, `ray` or `ray:ADDRESS`."""

from __future__ import annotations

from agingbench.engines.base import Engine
from agingbench.errors import UnknownName

LOCAL = "local"
RAY = "ray"


def check_engine(spec: str) -> None:
    """Raise UnknownName for what names no engine."""
    name = spec.partition(":")[0]
    if name not in (LOCAL, RAY) or (name == LOCAL and spec != LOCAL):
        raise UnknownName("engine", spec, [LOCAL, RAY])


def remote_engine(spec: str, workers: int | None = None) -> Engine | None:
    """The engine of a cluster; None for the local one, which is made to measure by its user."""
    check_engine(spec)
    name, _, address = spec.partition(":")
    if name == LOCAL:
        return None

    from agingbench.engines.on_ray import RayEngine

    return RayEngine(address or None, workers)
