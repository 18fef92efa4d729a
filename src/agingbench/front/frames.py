"""Rows as a data frame of pandas or polars, or as they are where neither is installed."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from agingbench.errors import InputError

Library = Literal["auto", "pandas", "polars", "rows"]
Row = Mapping[str, Any]

_LIBRARIES = ("pandas", "polars")


def frame_of(rows: Sequence[Row], library: Library = "auto") -> Any:
    """A frame with one row each; `rows` gives a list of dictionaries, `auto` what is installed."""
    plain = [dict(row) for row in rows]
    if library == "rows":
        return plain
    if library == "auto":
        installed = [name for name in _LIBRARIES if importlib.util.find_spec(name) is not None]
        if not installed:
            return plain
        library = "pandas" if installed[0] == "pandas" else "polars"
    if library not in _LIBRARIES:
        raise InputError(f"library '{library}': give auto, pandas, polars or rows")
    try:
        module = importlib.import_module(library)
    except ModuleNotFoundError as error:
        raise InputError(f"{library} is not installed; give library='rows' for a list") from error
    if library == "polars":
        return module.DataFrame(plain, infer_schema_length=None)
    return module.DataFrame(plain)
