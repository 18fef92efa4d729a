"""`agingbench list`: every name that can be given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from agingbench.agents import AGENTS
from agingbench.bench.life.controllers import CONTROLLERS
from agingbench.bench.life.life import load_scenario
from agingbench.bench.plan.plan import LIFECYCLE_EVENTS
from agingbench.bench.plan.pressure import PRESETS
from agingbench.bench.scenarios import SCENARIOS
from agingbench.cli.options import json_option, print_json
from agingbench.errors import InputError
from agingbench.memory import MEMORY
from agingbench.models import MODELS
from agingbench.registry import Registry
from agingbench.traces.formats import FORMATS
from agingbench.traces.reading import load_format


def _members(registry: Registry) -> list[dict[str, Any]]:
    rows = []
    for name in registry.names():
        try:
            first_paragraph = (registry.load(name).__doc__ or "").strip().partition("\n\n")[0]
            about = " ".join(first_paragraph.split())
        except (
            InputError
        ) as error:  # an extra that is not installed is still a name that can be given
            about = f"({error})"
        aliases = [alias for alias, target in registry.aliases.items() if target == name]
        rows.append({"name": name, "aliases": aliases, "about": about})
    return rows


def _scenarios() -> list[dict[str, Any]]:
    rows = []
    for row in _members(SCENARIOS):
        scenario = load_scenario(row["name"])
        about = f"{scenario.title}: {scenario.headline}; {', '.join(scenario.mechanisms)}"
        rows.append(
            {
                **row,
                "about": about,
                "version": scenario.version,
                "sessions": scenario.default_sessions,
            }
        )
    return rows


def _pressures() -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "aliases": [],
            "about": ", ".join(f"{k}={v}" for k, v in preset.as_dials().items()),
        }
        for name, preset in PRESETS.items()
    ]


def _formats() -> list[dict[str, Any]]:
    rows = []
    for row in _members(FORMATS):
        try:
            made = load_format(row["name"])
        except InputError:  # a plug-in that cannot be imported is still listed, with the reason
            rows.append(row)
            continue
        about = f"{made.status}; {made.recipe}"
        rows.append({**row, "about": about, "status": made.status, "recipe": made.recipe})
    return rows


KINDS: dict[str, Callable[[], list[dict[str, Any]]]] = {
    "scenarios": _scenarios,
    "models": lambda: _members(MODELS),
    "memory": lambda: _members(MEMORY),
    "agents": lambda: _members(AGENTS),
    "controllers": lambda: _members(CONTROLLERS),
    "formats": _formats,
    "pressures": _pressures,
    "events": lambda: [
        {"name": name, "aliases": [], "about": f"{name}@POINT"} for name in LIFECYCLE_EVENTS
    ],
}


@click.command("list", epilog="Example: agingbench list memory")
@click.argument("kind", required=False, type=click.Choice(list(KINDS)))
@json_option
def listing(kind: str | None, as_json: bool) -> None:
    """List scenarios, models, memory policies, agents, controllers, trace formats, pressures and
    events.
    """
    found = {name: rows() for name, rows in KINDS.items() if kind in (None, name)}
    if as_json:
        print_json(found)
        return
    for name, rows in found.items():
        click.secho(name, bold=True)
        for row in rows:
            aliases = f" (also {', '.join(row['aliases'])})" if row["aliases"] else ""
            click.echo(f"  {row['name']}{aliases}: {row['about']}")
