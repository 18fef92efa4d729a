"""Loads what commands load, for processes whose forks run them."""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import pkgutil
from multiprocessing import process

# First, since it says how many threads numpy has.
_COMMAND = "agingbench.cli.main"
# What commands load when they are used. Nothing that starts threads of its own.
_PACKAGES = (
    "altair",
    "duckdb",
    "jsonschema",
    "numpy",
    "rich.console",
    "rich.progress",
    "rich.table",
    "scipy.optimize",
    "scipy.stats",
    "sqlite3",
    "vl_convert",
    "yaml",
)


def load_everything() -> None:
    """Import the whole package and what it uses, and keep it shared between the forks.

    That each command loads what it needs is tested where real processes are started.
    """
    importlib.import_module(_COMMAND)
    package = importlib.import_module("agingbench")
    modules = pkgutil.walk_packages(package.__path__, "agingbench.")
    own = [module.name for module in modules if not module.name.endswith(".__main__")]
    for name in (*own, *_PACKAGES):
        with contextlib.suppress(ImportError):  # an extra that is not installed
            importlib.import_module(name)
    gc.freeze()


def stand_in(folder: str) -> None:
    """Make a folder the one that a fork was started in, for workers that it starts as well."""
    os.chdir(folder)
    process.ORIGINAL_DIR = folder  # type: ignore[attr-defined]
