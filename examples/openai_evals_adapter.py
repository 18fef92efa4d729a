"""Send the figures of lives, cards and trials to OpenAI's hosted Evals.

    agingbench export runs --to openai_evals --out evals.json
    python openai_evals_adapter.py evals.json

OPENAI_API_KEY says as whom. OpenAI ends this service on 30 November 2026.
"""

from __future__ import annotations

import json
import sys

from openai import OpenAI


def send(path: str) -> None:
    """Create the eval of an exported file, and one run for each arm."""
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    client = OpenAI()
    made = client.evals.create(**document["eval"])
    for run in document["runs"]:
        client.evals.runs.create(made.id, **run)
    print(f"created eval {made.id} with {len(document['runs'])} runs")


if __name__ == "__main__":
    send(sys.argv[1])
