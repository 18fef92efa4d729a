"""`agingbench list`: every name that options accept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import click

from agingbench.cli.options import OneOf, epilog, json_option
from agingbench.cli.output import echo, print_json
from agingbench.errors import InputError

if TYPE_CHECKING:
    from agingbench.registry import Registry


class Name(NamedTuple):
    """A name that an option accepts, its aliases, what it is, and details of its kind."""

    name: str
    aliases: list[str]
    about: str
    details: Mapping[str, object] = MappingProxyType({})

    def document(self) -> dict[str, object]:
        """The row of `--json`."""
        row = {"name": self.name, "aliases": self.aliases, "about": self.about}
        return {**row, **self.details}


def _members(registry: Registry) -> list[Name]:
    rows: list[Name] = []
    for name in registry.names():
        try:
            first_paragraph = (registry.load(name).__doc__ or "").strip().partition("\n\n")[0]
            about = " ".join(first_paragraph.split())
        except InputError as error:  # an extra that is not installed is still a name
            about = f"({error})"
        aliases = [alias for alias, target in registry.aliases.items() if target == name]
        rows.append(Name(name, aliases, about))
    return rows


def _scenarios() -> list[Name]:
    from agingbench.bench.life.planning import load_scenario
    from agingbench.bench.scenarios import SCENARIOS

    rows = []
    for row in _members(SCENARIOS):
        scenario = load_scenario(row.name)
        mechanisms = ", ".join(scenario.mechanisms)
        about = f"{scenario.title}: {scenario.headline}; {mechanisms}"
        details = {"version": scenario.version, "sessions": scenario.default_sessions}
        rows.append(row._replace(about=about, details=details))
    return rows


def _models() -> list[Name]:
    from agingbench.models import MODELS

    return _members(MODELS)


def _memory() -> list[Name]:
    from agingbench.memory import MEMORY

    return _members(MEMORY)


def _agents() -> list[Name]:
    from agingbench.agents import AGENTS

    return _members(AGENTS)


def _controllers() -> list[Name]:
    from agingbench.bench.life.controllers import CONTROLLERS

    return _members(CONTROLLERS)


def _formats() -> list[Name]:
    from agingbench.traces.formats import FORMATS
    from agingbench.traces.reading import load_format

    rows = []
    for row in _members(FORMATS):
        try:
            trace_format = load_format(row.name)
        except InputError:  # a plug-in that cannot be imported is listed with the reason
            rows.append(row)
            continue
        details = {"status": trace_format.status, "recipe": trace_format.recipe}
        about = f"{trace_format.status}; {trace_format.recipe}"
        rows.append(row._replace(about=about, details=details))
    return rows


def _importers() -> list[Name]:
    from agingbench.trials.importers import IMPORTERS

    return _members(IMPORTERS)


def _pressures() -> list[Name]:
    from agingbench.bench.plan.pressure import PRESETS

    rows = []
    for name, preset in PRESETS.items():
        dials = [f"{dial}={value}" for dial, value in preset.as_dials().items()]
        rows.append(Name(name, [], ", ".join(dials)))
    return rows


def _events() -> list[Name]:
    from agingbench.bench.plan.plan import LIFECYCLE_EVENTS

    return [Name(name, [], f"{name}@POINT") for name in LIFECYCLE_EVENTS]


def _studies() -> list[Name]:
    from agingbench.bench.studies.catalogue import study_titles

    return [Name(name, [], title) for name, title in study_titles().items()]


KINDS: dict[str, Callable[[], list[Name]]] = {
    "scenarios": _scenarios,
    "models": _models,
    "memory": _memory,
    "agents": _agents,
    "controllers": _controllers,
    "formats": _formats,
    "importers": _importers,
    "pressures": _pressures,
    "events": _events,
    "studies": _studies,
}


@click.command("list", epilog=epilog("agingbench list memory"))
@click.argument("kind", metavar="[KIND]", required=False, type=OneOf(list(KINDS)))
@json_option
def listing(kind: str | None, as_json: bool) -> None:
    """List the names that options accept.

    KIND is scenarios, models, memory, agents, controllers, formats, importers,
    pressures, events or studies; all of them unless given.
    """
    kinds = {name: rows() for name, rows in KINDS.items() if kind in (None, name)}
    if as_json:
        documents = {name: [row.document() for row in rows] for name, rows in kinds.items()}
        print_json(documents)
        return
    for name, rows in kinds.items():
        click.secho(name, bold=True)
        for row in rows:
            aliases = f" (also {', '.join(row.aliases)})" if row.aliases else ""
            echo(f"  {row.name}{aliases}: {row.about}")
