"""From a consolidator's name to the consolidator: built in, a memory policy, "module:Class" or
"file.py:Class".
"""

from __future__ import annotations

import hashlib
import inspect
import sys
import types
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any

from agingbench.errors import AgingBenchError, InputError, UnknownName
from agingbench.interfaces import Consolidator
from agingbench.memory import MEMORY
from agingbench.models import MODELS
from agingbench.models.build import build_model
from agingbench.resumption.contexts import CONSOLIDATORS
from agingbench.resumption.contexts.memory_policy import PolicyConsolidator


def build_consolidator(spec: str, model: str = "extractive") -> Consolidator:
    """The consolidator that `spec` names; `model` is the one it may ask."""
    if ":" not in model:
        MODELS.canonical(model)  # a misspelt name is told even where the consolidator asks no model
    if ":" not in spec and spec not in (*CONSOLIDATORS.names(), *CONSOLIDATORS.aliases):
        if spec in MEMORY.names() or spec in MEMORY.aliases:
            return PolicyConsolidator(spec, build_model(model))
        raise UnknownName(
            "consolidator",
            spec,
            [*CONSOLIDATORS.names(), *CONSOLIDATORS.aliases, *MEMORY.names(), *MEMORY.aliases],
        )
    path, _, name = spec.rpartition(":")
    target = _from_file(Path(path), name) if path.endswith(".py") else CONSOLIDATORS.load(spec)
    return _made(spec, target, model)


def _made(spec: str, target: Any, model: str) -> Consolidator:
    try:
        asks = isinstance(target, type) and "model" in inspect.signature(target).parameters
        made = (
            target(model=build_model(model))
            if asks
            else target()
            if isinstance(target, type)
            else target
        )
    except AgingBenchError:
        raise
    except (
        Exception
    ) as error:  # the class is the user's own: whatever it raises is told, not traced
        raise InputError(
            f"consolidator '{spec}': building it failed with {type(error).__name__}: {error}"
        ) from error
    if not callable(getattr(made, "consolidate", None)):
        raise InputError(f"consolidator '{spec}' has no method `consolidate`")
    consolidator: Consolidator = made
    return consolidator


class _AsItIs(SourceFileLoader):
    """Reads the source every time: compiled code of a file that was changed within a second would
    be the old one.
    """

    def get_code(self, fullname: str) -> types.CodeType:
        return self.source_to_code(self.get_data(self.path), self.path)


def _from_file(path: Path, name: str) -> Any:
    if not path.is_file():
        raise InputError(f"consolidator file {path} cannot be read")
    called = f"agingbench_own_{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:12]}"
    loader = _AsItIs(called, str(path))
    module = types.ModuleType(called)
    module.__file__ = str(path)
    sys.modules[called] = module  # where a class's source is looked up by its module
    try:
        loader.exec_module(module)
    except Exception as error:  # likewise the user's own
        raise InputError(f"consolidator file {path}: {type(error).__name__}: {error}") from error
    if not hasattr(module, name):
        raise UnknownName(
            f"consolidator class in {path}",
            name,
            [n for n in vars(module) if not n.startswith("_")],
        )
    return getattr(module, name)
