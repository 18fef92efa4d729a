"""Exports to evaluation platforms, as files in the shapes that their current SDKs take."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from agingbench.errors import InputError, MissingExtra, UnknownName
from agingbench.platforms.items import ExportItem, find_items
from agingbench.platforms.langfuse import langfuse_document
from agingbench.platforms.langsmith import langsmith_document
from agingbench.platforms.openai_evals import openai_evals_document
from agingbench.platforms.otlp import trace_document
from agingbench.platforms.phoenix import phoenix_document
from agingbench.platforms.spans import life_spans
from agingbench.traces.files import write_atomic

INSPECT = "inspect"
OTLP = "otlp"
DOCUMENTS: dict[str, Callable[[Sequence[ExportItem]], dict[str, Any]]] = {
    "langfuse": langfuse_document,
    "langsmith": langsmith_document,
    "openai_evals": openai_evals_document,
    "phoenix": phoenix_document,
}
TARGETS = (*DOCUMENTS, INSPECT, OTLP)


class ExportReceipt(msgspec.Struct, frozen=True):
    """What was written where."""

    target: str
    items: int
    files: list[str]


def export(places: Sequence[str], target: str, out: Path) -> ExportReceipt:
    """Write cards, lives and trials at some places for a platform; secrets are scrubbed.

    `out` is a file; for inspect it is a folder. Raises InputError where nothing can be exported.
    """
    if target not in TARGETS:
        raise UnknownName("platform", target, TARGETS)
    items = find_items(places)
    if target == INSPECT:
        files = _inspect_files(items, out)
    elif target == OTLP:
        files = [_write(out, _otlp_lines(items))]
    else:
        text = json.dumps(DOCUMENTS[target](items), ensure_ascii=False, allow_nan=False)
        files = [_write(out, text.encode() + b"\n")]
    return ExportReceipt(target, len(items), [str(file) for file in files])


def _otlp_lines(items: Sequence[ExportItem]) -> bytes:
    """One OTLP document per life and line, as a collector's file exporter writes them."""
    lived = [item for item in items if item.files is not None]
    if not lived:
        raise InputError("there is no life here: OTLP is made from run folders, not from cards")
    lines = [json.dumps(trace_document(life_spans(item)), ensure_ascii=False) for item in lived]
    return "\n".join(lines).encode() + b"\n"


def _inspect_files(items: Sequence[ExportItem], out: Path) -> list[Path]:
    try:
        from agingbench.platforms.inspect.logs import write_inspect_logs
    except ModuleNotFoundError as error:
        if error.name is not None and error.name.startswith("agingbench"):
            raise
        raise MissingExtra("Inspect logs", INSPECT) from error
    if out.is_file():
        raise InputError(f"{out}: a file; Inspect logs are written into a folder")
    return write_inspect_logs(items, out)


def _write(file: Path, data: bytes) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(file, data, private=True)
    return file
