"""Builds a consolidator by name: built in, a memory policy, "module:Class" or "file.py:Class"."""

from __future__ import annotations

from agingbench.errors import UnknownName
from agingbench.interfaces import Consolidator
from agingbench.memory import MEMORY
from agingbench.models import MODELS
from agingbench.models.build import build_model
from agingbench.resumption.contexts import CONSOLIDATORS
from agingbench.resumption.contexts.memory_policy import PolicyConsolidator


def build_consolidator(spec: str, model: str = "extractive") -> Consolidator:
    """Build the consolidator that `spec` names; `model` is the one it may ask."""
    if ":" not in model:
        MODELS.canonical(model)  # reports a misspelt name even where no model is asked
    if ":" not in spec and spec not in (*CONSOLIDATORS.names(), *CONSOLIDATORS.aliases):
        if spec in MEMORY.names() or spec in MEMORY.aliases:
            return PolicyConsolidator(spec, build_model(model))
        raise UnknownName(
            "consolidator",
            spec,
            [*CONSOLIDATORS.names(), *CONSOLIDATORS.aliases, *MEMORY.names(), *MEMORY.aliases],
        )
    options = {}
    if "model" in CONSOLIDATORS.parameters(spec):
        options["model"] = build_model(model)
    return CONSOLIDATORS.build(spec, Consolidator, options)
