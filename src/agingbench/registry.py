"""From a name to an object: built-in tables, aliases, "module:Class", entry points, and "did you
mean".
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from importlib.metadata import entry_points
from typing import Any

from agingbench.errors import InputError, MissingExtra, UnknownName


class Registry:
    """The members of one kind. `table` maps a name to "module:Class"; `aliases` maps a name to a
    name.
    """

    def __init__(
        self,
        kind: str,
        group: str,
        table: Mapping[str, str],
        aliases: Mapping[str, str] | None = None,
        extras: Mapping[str, str] | None = None,
    ) -> None:
        self.kind = kind
        self.group = group
        self.table = dict(table)
        self.aliases = dict(aliases or {})
        self.extras = dict(extras or {})

    def names(self) -> list[str]:
        """Every name that can be given, plug-ins included, aliases not."""
        return sorted(self.table | self._plugins())

    def canonical(self, name: str) -> str:
        """The name behind an alias; unknown names raise with the nearest ones."""
        name = self.aliases.get(name, name)
        if ":" in name or name in self.table or name in self._plugins():
            return name
        raise UnknownName(self.kind, name, [*self.names(), *self.aliases])

    def load(self, name: str) -> Any:
        """The class or object for a name, an alias or a "module:Class" path."""
        name = self.canonical(name)
        path = self.table.get(name) or self._plugins().get(name) or name
        return self._import(name, path)

    def _plugins(self) -> dict[str, str]:
        return {point.name: point.value for point in entry_points(group=self.group)}

    def _import(self, name: str, path: str) -> Any:
        module_name, _, attribute = path.partition(":")
        if not module_name or not attribute:
            raise InputError(f"{self.kind} '{path}' is not of the form module:Class")
        try:
            target: Any = importlib.import_module(module_name)
        except ModuleNotFoundError as error:
            if name in self.extras:
                raise MissingExtra(f"{self.kind} '{name}'", self.extras[name]) from error
            raise InputError(f"{self.kind} '{path}': cannot import '{error.name}'") from error
        except (
            Exception
        ) as error:  # the module is the user's own: whatever it raises is told, not traced
            raise InputError(
                f"{self.kind} '{path}': importing failed with {type(error).__name__}: {error}"
            ) from error
        for part in attribute.split("."):
            if not hasattr(target, part):
                public = [n for n in vars(target) if not n.startswith("_")]
                raise UnknownName(f"{self.kind} class in {module_name}", part, public)
            target = getattr(target, part)
        return target
