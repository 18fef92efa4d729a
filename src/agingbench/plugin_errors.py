"""Tells which plug-in an error came from, by the files in its traceback."""

from __future__ import annotations

import importlib.util
import os
import traceback
from typing import NamedTuple

from agingbench.errors import AgingBenchError


class PluginFailure(NamedTuple):
    """An error that came out of a plug-in's code."""

    label: str
    error: BaseException
    traceback: str  # from the plug-in's first frame on


class PluginSource(NamedTuple):
    """Where the code of a loaded plug-in lies."""

    label: str
    attribute: str
    paths: tuple[str, ...]  # its file, or the folders of its package

    def holds(self, file: str) -> bool:
        """Is a file part of this plug-in?"""
        file = os.path.abspath(file)
        return any(file == path or file.startswith(path + os.sep) for path in self.paths)


_sources: dict[str, PluginSource] = {}


def remember_plugin(label: str, place: str, attribute: str) -> None:
    """Note that `attribute` of a module or file (`place`) is about to be loaded as a plug-in."""
    _sources[label] = PluginSource(label, attribute, _code_paths(place))


def plugin_failure(error: BaseException) -> PluginFailure | None:
    """The plug-in whose code raised an error or its cause; None when no plug-in was involved.

    Errors of AgingBench that a plug-in raises or lets through are messages to the user, no failure.
    """
    cause: BaseException | None = error
    while cause is not None:
        if not isinstance(cause, AgingBenchError):
            failure = _failure(cause)
            if failure is not None:
                return failure
        cause = cause.__cause__
    return None


def _failure(error: BaseException) -> PluginFailure | None:
    frame = error.__traceback__
    while frame is not None:
        code = frame.tb_frame.f_code
        source = _source_of(code.co_filename, code.co_qualname)
        if source is not None:
            lines = traceback.format_exception(type(error), error, frame)
            return PluginFailure(source.label, error, "".join(lines))
        frame = frame.tb_next

    # A file that does not parse has no frame; the error itself names the file.
    if isinstance(error, SyntaxError) and error.filename is not None:
        source = _source_of(error.filename, "")
        if source is not None:
            lines = traceback.format_exception_only(error)
            return PluginFailure(source.label, error, "".join(lines))
    return None


def _source_of(file: str, function: str) -> PluginSource | None:
    sources = [source for source in _sources.values() if source.holds(file)]
    for source in sources:
        if function.startswith(f"{source.attribute}."):
            return source
    return sources[-1] if sources else None


def _code_paths(place: str) -> tuple[str, ...]:
    """Where the code of a plug-in lies: its file, or the folders of its package."""
    if place.endswith(".py"):
        return (os.path.abspath(place),)
    top, *inner = place.split(".")
    if top == __name__.partition(".")[0]:
        return ()
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        return ()
    if spec is None:
        return ()
    if spec.submodule_search_locations is not None:
        folders = spec.submodule_search_locations
        return tuple(os.path.abspath(os.path.join(folder, *inner[:-1])) for folder in folders)
    return (os.path.abspath(spec.origin),) if spec.origin else ()
