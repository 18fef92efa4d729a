"""Fingerprints of classes and objects that were made in a session and lie in no module."""

from __future__ import annotations

import dis
import hashlib
import types
import uuid
from typing import Any

import msgspec

LENGTH = 12
_READS_GLOBAL = ("LOAD_GLOBAL", "LOAD_NAME")


def class_fingerprint(kind: type) -> str:
    """A hash of the code of a class and of everything from its own module that it uses."""
    return _digest(_Code(kind.__module__).of_class(kind))


def object_fingerprint(prototype: object) -> str:
    """A hash of an object's class and state; a new one each time where its state is no data."""
    code = class_fingerprint(type(prototype))
    try:
        state = msgspec.json.encode(vars(prototype), order="deterministic").decode()
    except (TypeError, ValueError, RecursionError):
        # Two states that cannot be told apart must not share a folder.
        state = uuid.uuid4().hex
    return _digest([code, state])


def _digest(parts: list[str]) -> str:
    text = "\0".join(parts)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:LENGTH]


class _Code:
    """Walks through the code of one module, each class and function once."""

    def __init__(self, module: str) -> None:
        self.module = module
        self._seen: set[int] = set()

    def of_class(self, kind: type) -> list[str]:
        parts = [kind.__qualname__]
        for base in kind.__mro__:
            if base.__module__ != self.module or not self._first_time(base):
                if base is not kind:
                    parts.append(f"{base.__module__}.{base.__qualname__}")
                continue
            for name, member in sorted(vars(base).items()):
                if name not in _BOOKKEEPING:
                    parts += [name, *self.of_value(member)]
        return parts

    def of_value(self, value: Any) -> list[str]:
        if isinstance(value, staticmethod | classmethod):
            return self.of_value(value.__func__)
        if isinstance(value, property):
            return [
                part for one in (value.fget, value.fset, value.fdel) for part in self.of_value(one)
            ]
        if isinstance(value, types.FunctionType):
            return self._of_function(value)
        if isinstance(value, type):
            if value.__module__ == self.module and id(value) not in self._seen:
                return self.of_class(value)
            return [f"{value.__module__}.{value.__qualname__}"]
        if isinstance(value, types.ModuleType):
            return [value.__name__]
        return [_as_data(value)]

    def _of_function(self, function: types.FunctionType) -> list[str]:
        name = f"{function.__module__}.{function.__qualname__}"
        if function.__module__ != self.module or not self._first_time(function):
            return [name]
        parts = [name, *self._of_code(function.__code__, function.__globals__)]
        for default in (function.__defaults__ or ()) + tuple(
            (function.__kwdefaults__ or {}).values()
        ):
            parts += self.of_value(default)
        for cell in function.__closure__ or ():
            try:
                parts += self.of_value(cell.cell_contents)
            except ValueError:  # a variable that has no value yet
                parts.append("empty")
        return parts

    def _of_code(self, code: types.CodeType, names: dict[str, Any]) -> list[str]:
        parts = [code.co_code.hex(), *code.co_names]
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                parts += self._of_code(constant, names)
            else:
                parts.append(_as_data(constant))
        for name in _global_names(code):
            if name in names:
                parts += self.of_value(names[name])
        return parts

    def _first_time(self, thing: object) -> bool:
        if id(thing) in self._seen:
            return False
        self._seen.add(id(thing))
        return True


# What Python itself writes into a class, and what says nothing of what the class does.
_BOOKKEEPING = frozenset(
    "__module__ __dict__ __weakref__ __doc__ __qualname__ __abstractmethods__ _abc_impl"
    " __firstlineno__ __static_attributes__".split()
)


def _global_names(code: types.CodeType) -> list[str]:
    """The globals that code reads, in the order of their first use; attributes are none."""
    found = [step.argval for step in dis.get_instructions(code) if step.opname in _READS_GLOBAL]
    return list(dict.fromkeys(found))


def _as_data(value: object) -> str:
    """The JSON of a value with its type; of what is no data, the type alone."""
    kind = f"{type(value).__module__}.{type(value).__qualname__}"
    try:
        return f"{kind} {msgspec.json.encode(value, order='deterministic').decode()}"
    except (TypeError, ValueError, RecursionError):
        return kind
