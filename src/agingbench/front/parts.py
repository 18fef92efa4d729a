"""Makes names of the classes and objects that a user hands over, so that registries find them."""

from __future__ import annotations

import copy
import inspect
import sys
import types
from collections.abc import Callable, Iterable
from importlib.machinery import ModuleSpec
from typing import Any

from agingbench.errors import InputError
from agingbench.front.fingerprint import class_fingerprint, object_fingerprint
from agingbench.interfaces import Model

SESSION = "session_"  # begins the name of a module that lives in this process alone
MARK = 6


def name_of(part: object, kind: str) -> str:
    """The name that builds a part anew for each life; raises InputError for what cannot be copied.

    A name stays as it is, and a class of an installed module goes by `module:Class`. A class made
    in a session, and an object, go by a name with their fingerprint that this process alone knows.
    """
    if isinstance(part, str):
        return part
    if isinstance(part, type):
        if _is_importable(part):
            return f"{part.__module__}:{part.__qualname__}"
        return _publish(class_fingerprint(part), part.__name__, part, part)
    if callable(part) and not hasattr(part, "__dict__"):
        raise InputError(f"{kind}: {part!r} is no name, no class and no object with a state")
    return _name_prototype(part, kind)


def class_name(part: object, kind: str) -> str:
    """The name of a part that is built from others, so that only a name or a class will do."""
    if isinstance(part, str | type):
        return name_of(part, kind)
    raise InputError(
        f"{kind}: an object of {type(part).__name__} cannot be given, since each life builds its"
        " own; give the class"
    )


def lasting_name(part: object, kind: str) -> str:
    """The name of a part that other processes must find too: a name, or a class in a module."""
    if isinstance(part, str):
        return part
    if isinstance(part, type) and _is_importable(part):
        return f"{part.__module__}:{part.__qualname__}"
    raise InputError(f"{kind}: give a name, file.py:Class, or a class that lies in a module")


def session_marks(names: Iterable[str | None]) -> list[str]:
    """A short mark for each name of a part that this process alone knows."""
    own = [name for name in names if name is not None and name.startswith(SESSION)]
    return [name.removeprefix(SESSION)[:MARK] for name in own]


def _is_importable(kind: type) -> bool:
    """Whether `module:Class` leads to this very class, in other processes too."""
    module = sys.modules.get(kind.__module__)
    if kind.__module__ == "__main__" or module is None or module.__spec__ is None:
        return False
    found: Any = module
    for name in kind.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is kind


def _name_prototype(prototype: object, kind: str) -> str:
    """The name of an object that each life gets a fresh copy of."""
    own_kind = type(prototype)
    for attribute, value in getattr(prototype, "__dict__", {}).items():
        if isinstance(value, Model):
            raise InputError(
                f"{kind}: this {own_kind.__name__} holds a model of its own ({attribute}), whose"
                " calls no life would count; give the class, and its options beside it"
            )
    frozen = _copied(prototype, kind)

    def build() -> Any:
        return _copied(frozen, kind)

    build.__annotations__["return"] = own_kind
    return _publish(object_fingerprint(frozen), own_kind.__name__, build, own_kind)


def _copied(prototype: object, kind: str) -> object:
    label = f"{kind}: this {type(prototype).__name__}"
    try:
        fresh = _copy_of(prototype)
    except Exception as error:
        raise InputError(
            f"{label} cannot be copied ({type(error).__name__}: {error}), and each life needs a"
            " fresh one; give the class, and its options beside it"
        ) from error
    if fresh is prototype:
        raise InputError(
            f"{label} copies to itself, so that lives would share it; give the class, and its"
            " options beside it"
        )
    return fresh


def _copy_of(prototype: object) -> object:
    if not isinstance(prototype, Model):
        return copy.deepcopy(prototype)
    # Copies of a memory share its model, so that a model by itself copies to itself.
    fresh = object.__new__(type(prototype))
    vars(fresh).update(copy.deepcopy(vars(prototype)))
    return fresh


def _publish(fingerprint: str, name: str, target: type | Callable[[], object], kind: type) -> str:
    """Put a class or a function into a module of this process, and return `module:name`."""
    module_name = f"{SESSION}{fingerprint}"
    module = types.ModuleType(module_name, "A part that was handed over in this session.")
    # The origin leads errors of the part's code to its name.
    module.__spec__ = ModuleSpec(module_name, None, origin=_file_of(kind))
    setattr(module, name, target)
    sys.modules[module_name] = module
    return f"{module_name}:{name}"


def _file_of(kind: type) -> str | None:
    for member in vars(kind).values():
        if inspect.isfunction(member):
            return member.__code__.co_filename
    return None
