"""Items for OpenAI's hosted Evals: every measured figure is a row, and a grader hands it on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agingbench.platforms.items import ExportItem

NAME = "agingbench"
MOST_METADATA = 16  # pairs, of 64 and 512 characters
LONGEST_NAME = 64
LONGEST_VALUE = 512

# Graders run at OpenAI. This one computes nothing: the value was measured here.
GRADER = """def grade(sample, item):
    return float(item["value"])
"""
ROW = {
    "type": "object",
    "properties": {
        "item": {"type": "string"},
        "scenario": {"type": "string"},
        "system": {"type": "string"},
        "figure": {"type": "string"},
        "value": {"type": "number"},
    },
    "required": ["item", "scenario", "system", "figure", "value"],
}


def openai_evals_document(items: Sequence[ExportItem]) -> dict[str, Any]:
    """`eval` for `client.evals.create`, `runs` (one per arm) for `client.evals.runs.create`."""
    arms: dict[str, list[ExportItem]] = {}
    for item in items:
        arms.setdefault(item.arm, []).append(item)
    grader = {"type": "python", "name": "figure", "source": GRADER}
    config = {"type": "custom", "item_schema": ROW, "include_sample_schema": False}
    return {
        "eval": {
            "name": NAME,
            "data_source_config": config,
            "testing_criteria": [grader],
        },
        "runs": [_run(arm, own) for arm, own in arms.items()],
    }


def _run(arm: str, items: Sequence[ExportItem]) -> dict[str, Any]:
    rows = [{"item": row} for item in items for row in _rows(item)]
    source = {"type": "file_content", "content": rows}
    return {
        "name": arm,
        "data_source": {"type": "jsonl", "source": source},
        "metadata": _metadata(items[0]),
    }


def _rows(item: ExportItem) -> list[dict[str, Any]]:
    return [
        {
            "item": item.key,
            "scenario": item.scenario,
            "system": item.system,
            "figure": name,
            "value": value,
        }
        for name, value in item.measured.items()
    ]


def _metadata(item: ExportItem) -> dict[str, str]:
    """What the lives of an arm have in common."""
    shared = ("scenario", "scenario_version", "condition", "sut_id", "model_provider", "model_id")
    pairs = [(name, item.labels[name]) for name in shared if name in item.labels]
    return {
        name[:LONGEST_NAME]: str(value)[:LONGEST_VALUE] for name, value in pairs[:MOST_METADATA]
    }
