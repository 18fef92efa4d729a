"""Where and with what a life is lived, as the first entry of its trace says."""

from __future__ import annotations

import platform
from functools import cache
from importlib import metadata
from pathlib import Path

from msgspec import UNSET

from agingbench import __version__
from agingbench.bench.life.system import System
from agingbench.memory.typed_state import TypedState
from agingbench.trials.run_folder import LifeStart

TOOLS = ("numpy", "scipy", "msgspec", "pydantic")


def environment(system: System) -> LifeStart:
    """What the first entry of a life's trace says of its system and its machine."""
    memory = system.agent.memory
    python = platform.python_version()
    controller = system.controller
    identity = system.agent.identity()
    versions = dict(memory.versions) if memory is not None else {}
    return LifeStart(
        agingbench_version=__version__,
        git_sha=git_sha(),
        python=python,
        compute_environment=f"{platform.system()} {platform.machine()}, Python {python}",
        tool_versions=dict(_tool_versions()),
        memory_policy_type=_policy_name(memory),
        prompt_hashes=dict(memory.prompt_hashes) if memory is not None else {},
        memory_versions=versions or UNSET,
        monitor=UNSET if controller is None else controller.monitor,
        agent=UNSET if identity is None else identity,
    )


@cache
def _tool_versions() -> dict[str, str]:
    return {tool: metadata.version(tool) for tool in TOOLS}


def _policy_name(memory: object) -> str:
    if isinstance(memory, TypedState) and not memory.enabled:
        memory = memory.inner  # the overlay only listens until a controller enables it
    name = type(memory).__name__
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name).lstrip("_")


def git_sha() -> str | None:
    """The revision of the checkout that this package runs from; None for an installed package."""
    for folder in Path(__file__).resolve().parents:
        head = folder / ".git" / "HEAD"
        if head.is_file() and (folder / "src" / "agingbench").is_dir():
            text = head.read_text().strip()
            if not text.startswith("ref: "):
                return text
            ref = folder / ".git" / text[5:]
            return ref.read_text().strip() if ref.is_file() else None
    return None
