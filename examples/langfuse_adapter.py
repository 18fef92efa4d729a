"""Send lives, cards and trials to Langfuse.

    agingbench export runs --to langfuse --out langfuse.json
    python langfuse_adapter.py langfuse.json

LANGFUSE_BASE_URL, LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY say where and as whom.
"""

from __future__ import annotations

import json
import os
import sys

from langfuse.api import CreateScoreRequest, LangfuseAPI, OtelResourceSpan
from langfuse.api.core import parse_obj_as

AT_ONCE = 100  # scores in one request


def send(path: str) -> None:
    """Send an exported file: first the traces, then the scores that belong to them."""
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    client = LangfuseAPI(
        base_url=os.environ.get("LANGFUSE_BASE_URL", "https://cloud.langfuse.com"),
        username=os.environ["LANGFUSE_PUBLIC_KEY"],
        password=os.environ["LANGFUSE_SECRET_KEY"],
    )
    groups = parse_obj_as(list[OtelResourceSpan], document["resourceSpans"])
    for group in groups:
        client.opentelemetry.export_traces(resource_spans=[group])

    scores = parse_obj_as(list[CreateScoreRequest], document["scores"])
    for start in range(0, len(scores), AT_ONCE):
        client.scores.create(request=scores[start : start + AT_ONCE])
    print(f"sent {len(groups)} traces and {len(scores)} scores")


if __name__ == "__main__":
    send(sys.argv[1])
