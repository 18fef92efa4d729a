"""From a model's name on the command line to the model: "extractive", "openai:MODEL_ID",
"package.module:Class" or "file.py:Class".
"""

from __future__ import annotations

import importlib.util
from typing import Any

from agingbench.errors import InputError, UnknownName, nearest
from agingbench.interfaces import Model
from agingbench.models import MODELS
from agingbench.registry import search_working_directory

ID = "model_id"


def is_code(spec: str) -> bool:
    """Whether a model is named by where its code lies, as `module:Class` or `file.py:Class`."""
    name, colon, _ = spec.partition(":")
    real_name = MODELS.aliases.get(name, name)
    # Entry points are looked up last, since that reads the disk.
    return bool(colon) and real_name not in MODELS.table and real_name not in MODELS.names()


def build_model(spec: str, **options: Any) -> Model:
    """The model that `spec` names; a wrong name or option raises InputError."""
    name, colon, model_id = spec.partition(":")
    if is_code(spec):
        _reject_misspelt(name)
        return MODELS.build(spec, Model, options=options)
    if ID not in MODELS.parameters(name):
        if colon:
            raise InputError(f"model '{name}' takes no model id; write it without ':{model_id}'")
        return MODELS.build(name, Model, options=options)
    if not model_id:
        raise InputError(f"model '{name}' needs a model id; write {name}:MODEL_ID")
    if ID in options:
        raise InputError(
            f"model '{spec}' has its model id in its name; leave the option '{ID}' out"
        )
    return MODELS.build(name, Model, offered={ID: model_id}, options=options, spec=spec)


def _reject_misspelt(name: str) -> None:
    # "opnai:gpt-4o" reads like module:Class: unless there is such a module, suggest the nearest.
    if "." in name or "/" in name or not nearest(name, MODELS.names()):
        return
    search_working_directory()
    if importlib.util.find_spec(name) is None:
        raise UnknownName(MODELS.kind, name, MODELS.names())
