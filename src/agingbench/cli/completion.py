"""Shell completion of names: reads the registries' tables and imports nothing behind them."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable

import click

# Where the names of each kind are kept: a registry, or a mapping from names.
TABLES = {
    "scenario": ("agingbench.bench.scenarios:SCENARIOS",),
    "model": ("agingbench.models:MODELS",),
    "memory": ("agingbench.memory:MEMORY",),
    "agent": ("agingbench.agents:AGENTS",),
    "controller": ("agingbench.bench.life.controllers:CONTROLLERS",),
    "format": ("agingbench.traces.formats:FORMATS",),
    "pressure": ("agingbench.bench.plan.pressure:PRESETS",),
    "consolidator": ("agingbench.resumption.contexts:CONSOLIDATORS", "agingbench.memory:MEMORY"),
    "importer": ("agingbench.trials.importers:IMPORTERS",),
    "judge": ("agingbench.resumption.judges:JUDGES",),
}

Completer = Callable[[click.Context, click.Parameter, str], list[str]]


def complete(kind: str, *more: str) -> Completer:
    """A `shell_complete` function for the names of a kind and for the words in `more`."""

    def matches(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
        names = sorted({*names_of(kind), *more})
        return [name for name in names if name.startswith(incomplete)]

    return matches


def complete_words(words: Iterable[str]) -> Completer:
    """A `shell_complete` function for fixed words."""

    def matches(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
        return [word for word in words if word.startswith(incomplete)]

    return matches


def names_of(kind: str) -> list[str]:
    """Names and aliases of a kind, plug-ins included."""
    from agingbench.registry import Registry

    names: list[str] = []
    for path in TABLES[kind]:
        module, _, attribute = path.partition(":")
        table = getattr(importlib.import_module(module), attribute)
        if isinstance(table, Registry):
            names += [*table.names(), *table.aliases]
        else:
            names += list(table)
    return names
