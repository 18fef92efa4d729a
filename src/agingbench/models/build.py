"""From a model's name on the command line to the model: "extractive", "openai:MODEL_ID" or
"package.module:Class".
"""

from __future__ import annotations

import importlib.util
import inspect
from collections.abc import Collection
from typing import Any

from agingbench.errors import AgingBenchError, InputError, UnknownName, nearest
from agingbench.interfaces import Model
from agingbench.models import MODELS

ID = "model_id"


def build_model(spec: str, **options: Any) -> Model:
    """The model that `spec` names, built with `options`; wrong names and options are told in one
    line.
    """
    name, colon, model_id = spec.partition(":")
    meant = MODELS.aliases.get(name, name)
    named = (
        meant in MODELS.table or meant in MODELS.names()
    )  # plug-ins last: they are looked for on the disk
    if colon and not named:
        _reject_misspelt(name)
        return _build(spec, MODELS.load(spec), options)
    target = MODELS.load(name)
    parameters = _parameters(target)
    if parameters is None or ID not in parameters:
        if colon:
            raise InputError(f"model '{name}' takes no model id; write it without ':{model_id}'")
        return _build(spec, target, options)
    if not model_id:
        raise InputError(f"model '{name}' needs a model id; write {name}:MODEL_ID")
    if ID in options:
        raise InputError(
            f"model '{spec}' has its model id in its name; leave the option '{ID}' out"
        )
    return _build(spec, target, {ID: model_id, **options})


def _reject_misspelt(name: str) -> None:
    # "opnai:gpt-4o" reads like module:Class; say what was meant unless there really is such a
    # module.
    if "." not in name and nearest(name, MODELS.names()) and importlib.util.find_spec(name) is None:
        raise UnknownName(MODELS.kind, name, MODELS.names())


def _parameters(target: Any) -> dict[str, inspect.Parameter] | None:
    """The options a class takes by name; None when it does not say."""
    try:
        parameters = inspect.signature(target).parameters
    except (TypeError, ValueError):
        return None
    return dict(parameters)


def _build(spec: str, target: Any, options: dict[str, Any]) -> Model:
    if not isinstance(target, type) and isinstance(target, Model) and not options:
        return target
    if not callable(target):
        raise InputError(f"model '{spec}' is not a class")
    _check_options(spec, _parameters(target), options)
    try:
        model = target(**options)
    except AgingBenchError:
        raise
    except (
        Exception
    ) as error:  # the class may be the user's own: whatever it raises is told, not traced
        raise InputError(
            f"model '{spec}': building it failed with {type(error).__name__}: {error}"
        ) from error
    if not isinstance(model, Model):
        raise InputError(
            f"model '{spec}' is not a model: it needs a `name` and a `complete` method"
        )
    return model


def _check_options(
    spec: str, parameters: dict[str, inspect.Parameter] | None, given: Collection[str]
) -> None:
    if parameters is None:
        return
    kinds = {parameter.kind for parameter in parameters.values()}
    by_name = {
        name: parameter
        for name, parameter in parameters.items()
        if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
    }
    valid = sorted(by_name.keys() - {ID})
    if inspect.Parameter.VAR_KEYWORD not in kinds:
        for option in given:
            if option not in by_name:
                hint = " or ".join(nearest(option, valid)) or ", ".join(valid) or "nothing"
                raise InputError(f"model '{spec}' takes no option '{option}'; it takes {hint}")
    missing = [name for name, parameter in by_name.items() if parameter.default is parameter.empty]
    missing = [name for name in missing if name not in given]
    if missing:
        raise InputError(f"model '{spec}' needs the option {' and '.join(missing)}")
