"""Products that a policy is made of: whether they are installed, their modules and versions."""

from __future__ import annotations

import importlib
import importlib.util
import warnings
from collections.abc import Iterable
from functools import cache
from importlib import metadata
from typing import Any

from agingbench.errors import MissingExtra


@cache
def require(policy: str, extra: str, *modules: str) -> None:
    """Raise MissingExtra where one of the modules is not installed; nothing is imported."""
    for module in modules:
        if importlib.util.find_spec(module) is None:
            raise MissingExtra(f"memory policy '{policy}'", extra)


def module_of(name: str) -> Any:
    """A module of a product, imported without the warnings that are its makers' business."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return importlib.import_module(name)


def versions_of(packages: Iterable[str]) -> dict[str, str]:
    """The installed versions, by the name of the package."""
    return {package: metadata.version(package) for package in packages}
