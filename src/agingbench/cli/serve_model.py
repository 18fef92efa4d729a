"""`agingbench serve-model`: the embedded model behind the protocols of hosted ones."""

from __future__ import annotations

import threading

import click

from agingbench.cli.options import OneOf, epilog, json_option
from agingbench.cli.output import echo, print_json
from agingbench.errors import InputError

MODELS = ("extractive",)  # no other: whoever uses this machine may ask without a key


@click.command(
    "serve-model",
    epilog=epilog("agingbench serve-model extractive --port 8123", "0 ended, 2 wrong input"),
)
@click.argument("model", type=OneOf(MODELS), metavar="MODEL")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    show_default=True,
    help="Port of 127.0.0.1; 0 takes a free one.",
)
@click.option(
    "--fault",
    default="",
    metavar="NAME",
    help="Plant a fault: never_writes, never_rereads, overwrites, reads_wrong_file or"
    " ignores_updates.",
)
@json_option
def serve_model(model: str, port: int, fault: str, as_json: bool) -> None:
    """Serve the embedded model to command-line agents on this machine.

    It speaks the Anthropic Messages API, the OpenAI Responses API and Chat
    Completions, and plays an agent that keeps notes with the tools it is
    offered. Point an agent's base URL at it; any key will do. Ctrl-C ends it.
    """
    from agingbench.models.build import build_model
    from agingbench.models.puppet import Puppet
    from agingbench.models.serving.server import LOOPBACK, ServedModel, serving

    puppet = Puppet(build_model(model, fault=fault))
    try:
        with serving(ServedModel(puppet), port=port) as actual_port:
            address = f"http://{LOOPBACK}:{actual_port}"
            if as_json:
                print_json({"model": model, "anthropic": address, "openai": f"{address}/v1"})
            else:
                echo(f"serving {model}; Ctrl-C ends it")
                echo(f"  Anthropic  {address}")
                echo(f"  OpenAI     {address}/v1")
            threading.Event().wait()
    except OSError as error:
        raise InputError(
            f"port {port} cannot be used ({error.strerror}); give another --port, or 0 for a"
            " free one"
        ) from error
    except KeyboardInterrupt:
        return
