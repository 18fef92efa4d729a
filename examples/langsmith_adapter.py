"""Send lives, cards and trials to LangSmith.

    agingbench export runs --to langsmith --out langsmith.json
    python langsmith_adapter.py langsmith.json my-project

LANGSMITH_API_KEY and LANGSMITH_ENDPOINT say as whom and where.
"""

from __future__ import annotations

import json
import sys
from datetime import datetime

from langsmith import Client

TIMES = ("start_time", "end_time")


def send(path: str, project: str) -> None:
    """Send an exported file: first the runs, then the feedback that belongs to them."""
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    client = Client()
    for run in document["runs"]:
        times = {name: datetime.fromisoformat(run[name]) for name in TIMES}
        client.create_run(**{**run, **times}, project_name=project)
    client.flush()

    for feedback in document["feedback"]:
        client.create_feedback(
            feedback["run_id"],
            feedback["key"],
            score=feedback["score"],
            comment=feedback["comment"],
            trace_id=feedback["trace_id"],
            feedback_id=feedback["id"],
            source_info=feedback["feedback_source"]["metadata"],
            extend_trace_retention=feedback["extend_trace_retention"],
        )
    client.flush()
    print(f"sent {len(document['runs'])} runs and {len(document['feedback'])} figures")


if __name__ == "__main__":
    send(sys.argv[1], sys.argv[2])
