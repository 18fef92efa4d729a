"""Starts the viewer on this machine's own address."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path

import uvicorn

from agingbench.errors import InputError
from agingbench.view.app import Viewer, make_app
from agingbench.view.ledgers import ViewedLedger, is_ledger, ledger_of
from agingbench.view.places import ViewedFolder

HOST = "127.0.0.1"
BACKLOG = 64
TRIED = 20  # ports after the first that are tried where it is taken


def viewer_of(place: str) -> Viewer:
    """The viewer of a folder, with the ledger in it, or of a ledger alone."""
    if is_ledger(place):
        only = ViewedLedger(place)
        only.open().close()  # one that cannot be opened is told at once
        return Viewer(None, only)
    folder = Path(place)
    if not folder.is_dir():
        raise InputError(
            f"{place}: there is no such folder; give a folder with runs, a .sqlite file or a"
            " postgresql:// URL"
        )
    ledger_place = ledger_of(folder)
    ledger = None if ledger_place is None else ViewedLedger(ledger_place)
    return Viewer(ViewedFolder(folder), ledger)


def bound_socket(port: int) -> socket.socket:
    """A socket on loopback at this port, or at one of the next where it is taken."""
    last = port if port == 0 else port + TRIED
    for candidate in range(port, last + 1):
        server = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            server.bind((HOST, candidate))
            return server
        except OSError:
            server.close()
    raise InputError(f"the ports {port} to {last} are taken; give another one with --port")


def serve(viewer: Viewer, server: socket.socket, started: Callable[[], None]) -> None:
    """Answer until interrupted; `started` is called just before."""
    port = server.getsockname()[1]
    config = uvicorn.Config(
        make_app(viewer, port),
        log_level="error",
        access_log=False,
        server_header=False,
        ws="none",
        timeout_graceful_shutdown=2,
    )
    server.listen(BACKLOG)  # whoever asks from now on waits until the first page can be made
    started()
    uvicorn.Server(config).run(sockets=[server])
