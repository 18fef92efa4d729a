"""`agingbench view`: runs, ledger and traces as live pages on this machine."""

from __future__ import annotations

from contextlib import suppress

import click

from agingbench.cli.options import epilog, json_option
from agingbench.cli.output import echo, print_json
from agingbench.errors import InputError
from agingbench.text.addresses import plain_address

PORT = 8732


@click.command(epilog=epilog("agingbench view runs"))
@click.argument("place", default=".", metavar="[DIR | LEDGER]")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=PORT,
    show_default=True,
    help="Port; the next free one where it is taken, 0 for any.",
)
@click.option("--open", "open_browser", is_flag=True, help="Open it in your browser.")
@json_option
def view(place: str, port: int, open_browser: bool, as_json: bool) -> None:
    """Look at runs, audits, trials and traces in a browser.

    DIR is a folder with runs or audits, and the ledger in it if there is one;
    LEDGER is a .sqlite file or a postgresql:// URL. The pages are made when
    they are looked at, so that a study can be watched while it goes on. Only
    this machine can reach them, nothing is written and nothing outside the
    folder is shown. Interrupt to stop.
    """
    try:
        from agingbench.view.server import HOST, bound_socket, serve, viewer_of
    except ModuleNotFoundError as error:
        raise InputError(
            "the viewer needs starlette and uvicorn: pip install 'agingbench[web]'"
        ) from error

    viewer = viewer_of(place)
    server = bound_socket(port)
    address = f"http://{HOST}:{server.getsockname()[1]}/"

    def tell() -> None:
        if as_json:
            print_json({"address": address, "place": plain_address(place)})
        else:
            echo(f"Viewing {plain_address(place)} at {address}")
            echo("Only this machine can reach it. Ctrl-C stops it.")
        if open_browser:
            click.launch(address)

    # To interrupt it is the way to stop it, so that is no failure.
    with server, suppress(KeyboardInterrupt):
        serve(viewer, server, tell)
