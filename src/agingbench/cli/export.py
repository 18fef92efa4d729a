"""`agingbench export`: cards, lives and trials in the shapes of evaluation platforms."""

from __future__ import annotations

from pathlib import Path

import click

from agingbench.cli.options import ANY_PATH, OneOf, epilog, json_option, out_option
from agingbench.cli.output import echo, print_json, shown

TARGETS = ("langfuse", "langsmith", "openai_evals", "phoenix", "inspect", "otlp")
NEXT = {
    "langfuse": "examples/langfuse_adapter.py FILE sends it with Langfuse's SDK.",
    "langsmith": "examples/langsmith_adapter.py FILE sends it with LangSmith's SDK.",
    "openai_evals": "examples/openai_evals_adapter.py FILE sends it with OpenAI's SDK.",
    "phoenix": "hand `spans` to client.spans.log_spans, `annotations` to log_span_annotations.",
    "inspect": "inspect view --log-dir FOLDER",
    "otlp": "send each line to a collector's /v1/traces, or read it with agingbench audit.",
}


@click.command(epilog=epilog("agingbench export runs --to otlp --out lives.otlp.jsonl"))
@click.argument("places", nargs=-1, required=True, metavar="PATH...")
@click.option("--to", "target", type=OneOf(TARGETS), required=True, help="The platform.")
@out_option("File to write; a folder for inspect.", None, type=ANY_PATH)
@json_option
def export(places: tuple[str, ...], target: str, out: Path | None, as_json: bool) -> None:
    """Write cards, lives and trials for another platform.

    PATH is a card, a run directory, a folder that holds some, or a ledger. The
    file has the shape that the platform's current SDK takes; nothing is sent.
    Secrets and personal data are scrubbed. What was not measured is left out.
    """
    from agingbench.cards.figures import document_of
    from agingbench.platforms.export import INSPECT, OTLP
    from agingbench.platforms.export import export as export_items

    if out is None:
        names = {INSPECT: "logs", OTLP: "otlp.jsonl"}
        out = Path(names.get(target, f"{target}.json"))
    receipt = export_items(places, target, out)
    if as_json:
        print_json(document_of(receipt))
        return
    noun = "item" if receipt.items == 1 else "items"
    for file in receipt.files:
        echo(f"wrote {shown(Path(file))}")
    echo(f"{receipt.items} {noun} for {target}. Next: {NEXT[target]}")
