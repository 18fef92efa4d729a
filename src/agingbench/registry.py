"""Finds, builds and checks plug-ins by name: built-in tables, aliases, entry points,
"module:Class" and "file.py:Class".
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import re
import sys
import types
from collections.abc import Callable, Iterable, Mapping
from functools import cache, lru_cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

from agingbench.errors import AgingBenchError, InputError, MissingExtra, UnknownName
from agingbench.plugin_errors import remember_plugin

T = TypeVar("T")

_BY_NAME = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)

# An overlay such as "typed_state+" may stand in front of the file of the inner policy.
_FILE_WITH_FOLDER = re.compile(r"^((?:\w+\+)*).*[\\/]([^\\/]+\.py:.+)$")


class Registry:
    """The members of one kind. `table` maps a name to "module:Class", `aliases` a name to a name,
    `extras` a name to the optional dependency it needs.
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
        """Every name that can be given, entry points included, aliases not."""
        return sorted(self.table | self._entry_points())

    def canonical(self, name: str) -> str:
        """The name behind an alias; an unknown name raises with the nearest ones."""
        name = self.aliases.get(name, name)
        if ":" in name or name in self.table or name in self._entry_points():
            return name
        raise UnknownName(self.kind, name, [*self.names(), *self.aliases])

    def load(self, name: str) -> Any:
        """The class or object for a name, an alias, "module:Class" or "file.py:Class"."""
        name = self.canonical(name)
        built_in = self.table.get(name)
        path = built_in or self._entry_points().get(name) or name
        place, _, attribute = path.rpartition(":")
        if not place or not attribute:
            raise InputError(
                f"{self.kind} '{path}' is not of the form module:Class or file.py:Class"
            )

        if path == name and not place.endswith(".py"):
            search_working_directory()
        if built_in is None:
            remember_plugin(f"{self.kind} '{name}'", place, attribute)
        try:
            module = _run_file(place) if place.endswith(".py") else importlib.import_module(place)
        except ModuleNotFoundError as error:
            if name in self.extras:
                raise MissingExtra(f"{self.kind} '{name}'", self.extras[name]) from error
            raise InputError(f"{self.kind} '{path}': cannot import '{error.name}'") from error
        except AgingBenchError:
            raise
        except Exception as error:
            raise InputError(
                f"{self.kind} '{path}': importing failed with {type(error).__name__}: {error}"
            ) from error

        target: Any = module
        for part in attribute.split("."):
            if not hasattr(target, part):
                public = [member for member in vars(target) if not member.startswith("_")]
                raise UnknownName(f"{self.kind} class in {place}", part, public)
            target = getattr(target, part)
        return target

    def parameters(self, name: str) -> set[str]:
        """The parameters by name of the class or function behind a name."""
        return set(_named_parameters(self.load(name)))

    def build(
        self,
        name: str,
        interface: type[T],
        offered: Mapping[str, Any] | None = None,
        options: Mapping[str, Any] | None = None,
        spec: str | None = None,
    ) -> T:
        """The plug-in of that name, built and checked against its interface.

        `offered` is passed where the constructor takes it; an option it does not take is refused by
        name. `spec` is what the user wrote, for messages.
        """
        target = self.load(name)
        label = f"{self.kind} '{spec or name}'"
        if isinstance(target, type):
            _require(_missing_methods(target, interface), label, interface)
        elif not _missing_methods(target, interface) and not options:
            return conform(target, interface, label)
        else:
            _check_factory(target, interface, label)

        arguments = self._arguments(spec or name, target, offered or {}, options or {})
        try:
            plugin = target(**arguments)
        except AgingBenchError:
            raise
        except (TypeError, ValueError) as error:
            raise InputError(f"{label}: {error}") from error
        except Exception as error:
            raise InputError(
                f"{label}: building it failed with {type(error).__name__}: {error}"
            ) from error

        if isinstance(plugin, interface) and self.canonical(name) in self.table:
            return plugin
        return conform(plugin, interface, label)

    def _arguments(
        self,
        name: str,
        target: Any,
        offered: Mapping[str, Any],
        options: Mapping[str, Any],
    ) -> dict[str, Any]:
        parameters = _named_parameters(target)
        if not _takes_any_option(target):
            valid = [parameter for parameter in parameters if parameter not in offered]
            for option in options:
                if option not in parameters:
                    raise UnknownName(f"option of {self.kind} {name}", option, valid)

        arguments = {key: value for key, value in offered.items() if key in parameters}
        arguments.update(options)
        missing = [
            parameter.name
            for parameter in parameters.values()
            if parameter.default is parameter.empty and parameter.name not in arguments
        ]
        if missing:
            raise InputError(f"{self.kind} '{name}' needs the option {' and '.join(missing)}")
        return arguments

    def _entry_points(self) -> dict[str, str]:
        return {point.name: point.value for point in entry_points(group=self.group)}


def without_folder(spec: str) -> str:
    """Return "file.py:Class" without the folder of the file: records travel, machines do not."""
    return _FILE_WITH_FOLDER.sub(r"\1\2", spec)


def path_of(kind: type) -> str:
    """The "module:Class" or "file.py:Class" that loads a class again."""
    module = sys.modules.get(kind.__module__)
    if kind.__module__.startswith(_FILE_MODULE) and module is not None:
        return f"{module.__file__}:{kind.__qualname__}"
    return f"{kind.__module__}:{kind.__qualname__}"


# -- what a constructor takes


def _named_parameters(target: Any) -> dict[str, inspect.Parameter]:
    parameters = _signature(target).parameters.values()
    return {parameter.name: parameter for parameter in parameters if parameter.kind in _BY_NAME}


def _takes_any_option(target: Any) -> bool:
    parameters = _signature(target).parameters.values()
    return any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters)


def _signature(target: Any) -> inspect.Signature:
    try:
        return inspect.signature(target)
    except (TypeError, ValueError):  # a class in C that does not say: let it decide by itself
        return inspect.signature(lambda **options: None)


def _check_factory(target: Any, interface: type, label: str) -> None:
    """Refuse, before it is called, a function that does not say that it makes such a plug-in."""
    if not callable(target):
        raise InputError(f"{label} is not a class")
    try:
        made = get_type_hints(target).get("return")
    except (TypeError, NameError, AttributeError):  # not a Python function, or names not there
        made = None
    if not isinstance(made, type):
        raise InputError(
            f"{label} is no class and does not say what it returns; name a class, or annotate the"
            f" function with the class that it returns; see {_full_name(interface)}"
        )
    if not issubclass(made, interface):
        missing = _missing_methods(made, interface)
        _require(missing, f"{label}, which returns {made.__name__},", interface)


# -- files as modules


def search_working_directory() -> None:
    """Find modules where the user stands too, after all others.

    This begins with the first `module:Class` that is loaded: a folder that one merely stands in
    must not put its modules in the place of packages that are not installed.
    """
    if "" not in sys.path:
        sys.path.append("")


_FILE_MODULE = "agingbench_plugin_"


def _run_file(name: str) -> types.ModuleType:
    """The module that a file makes; run once as long as the file stays the same.

    The module is named after the content, so that the identity of a judge from a file changes with
    its code and is the same on every machine.
    """
    path = Path(name)
    try:
        source = path.read_bytes()
    except OSError as error:
        raise InputError(f"plug-in file {path}: {error.strerror or error}") from error
    module_name = f"{_FILE_MODULE}{path.stem}_{hashlib.sha256(source).hexdigest()[:12]}"
    loaded = sys.modules.get(module_name)
    if loaded is not None and loaded.__file__ == name:
        return loaded

    module = types.ModuleType(module_name)
    module.__file__ = name
    sys.modules[module_name] = module  # dataclasses and inspect look a class's module up here
    try:
        exec(compile(source, name, "exec"), vars(module))  # noqa: S102 -- the user named this file
    except BaseException:
        del sys.modules[module_name]
        raise
    return module


# -- does a plug-in have what it needs?


def conform(plugin: object, interface: type[T], label: str) -> T:
    """The plug-in as a member of its interface; InputError says which method or attribute it lacks.

    An object of a plain class is made one of a class that also inherits from the interface, so that
    it has the interface's defaults for everything that it does not define itself.
    """
    missing = _missing_methods(plugin, interface) + _missing_attributes(plugin, interface)
    _require(missing, label, interface)
    for name in _methods(interface):
        _check_arity(plugin, interface, name, label)
    if isinstance(plugin, interface):
        return plugin
    try:
        derived = _with_defaults(type(plugin), interface)  # type: ignore[arg-type]
        object.__setattr__(plugin, "__class__", derived)
    except TypeError as error:
        raise InputError(
            f"{label}: let class {type(plugin).__name__} inherit from {_full_name(interface)}"
        ) from error
    assert isinstance(plugin, interface)
    return plugin


@cache
def _with_defaults(kind: type, interface: type) -> type:
    names = ("__module__", "__qualname__", "__doc__", "__firstlineno__")
    same = {name: vars(kind)[name] for name in names if name in vars(kind)}
    same["__qualname__"] = kind.__qualname__
    return types.new_class(
        kind.__name__, (kind, interface), exec_body=lambda body: body.update(same)
    )


def _require(missing: Iterable[str], label: str, interface: type) -> None:
    lacks = " and ".join(missing)
    if lacks:
        raise InputError(f"{label} lacks {lacks}; see {_full_name(interface)}")


def _methods(interface: type) -> list[str]:
    return [
        name
        for kind in interface.__mro__
        for name, member in vars(kind).items()
        if inspect.isfunction(member) and not name.startswith("_")
    ]


def _missing_methods(plugin: object, interface: type) -> list[str]:
    missing = []
    for name in _methods(interface):
        required = getattr(interface, name)
        if not getattr(required, "__isabstractmethod__", False):
            continue
        method = getattr(plugin, name, None)
        if not callable(method) or getattr(method, "__isabstractmethod__", False):
            missing.append(_described(interface, name))
    return missing


def _missing_attributes(plugin: object, interface: type) -> list[str]:
    missing = []
    for kind in interface.__mro__:
        for name, annotation in vars(kind).get("__annotations__", {}).items():
            required = not hasattr(interface, name)
            if required and not hasattr(plugin, name):
                missing.append(f"{name}: {annotation}")
    return missing


def _check_arity(plugin: object, interface: type, name: str, label: str) -> None:
    """Refuse a method that cannot be called with the arguments of its interface."""
    method = getattr(plugin, name, None)
    if method is None or getattr(method, "__func__", None) is getattr(interface, name):
        return
    function = getattr(method, "__func__", None)
    if inspect.isfunction(function):
        positional = _positional(interface, name) + 1  # self
        fits = _takes_cached(function, positional)
    else:
        fits = _takes(method, _positional(interface, name))
    if not fits:
        described = _described(interface, name)
        raise InputError(f"{label} cannot be called as {described}; see {_full_name(interface)}")


@cache
def _positional(interface: type, name: str) -> int:
    """With how many arguments by position a method of an interface is called, without self."""
    parameters = list(inspect.signature(getattr(interface, name)).parameters.values())[1:]
    return sum(parameter.kind in _POSITIONAL for parameter in parameters)


def _takes(function: Callable[..., object], count: int) -> bool:
    """Whether a function can be called with so many arguments by position."""
    try:
        inspect.signature(function).bind(*[None] * count)
    except TypeError:
        return False
    except ValueError:  # a method in C that does not say what it takes
        return True
    return True


_takes_cached = lru_cache(maxsize=1024)(_takes)


def _described(interface: type, name: str) -> str:
    signature = inspect.signature(getattr(interface, name))
    parameters = list(signature.parameters.values())[1:]  # without self
    return name + str(signature.replace(parameters=parameters)).replace("'", "")


def _full_name(interface: type) -> str:
    return f"{interface.__module__}.{interface.__qualname__}"
