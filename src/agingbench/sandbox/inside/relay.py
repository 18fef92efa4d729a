"""Runs a program in a network of its own and carries its calls on one port to a socket file.

Usage: relay.py PORT SOCKET_FILE PROGRAM [ARGUMENT...]
"""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import threading

CHUNK = 1 << 16


def carry(source: socket.socket, target: socket.socket) -> None:
    """Copy bytes one way until the source has no more."""
    with contextlib.suppress(OSError):
        while data := source.recv(CHUNK):
            target.sendall(data)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)


def serve(listener: socket.socket, path: str) -> None:
    """Connect every caller to the socket file."""
    while True:
        caller, _ = listener.accept()
        server = socket.socket(socket.AF_UNIX)
        try:
            server.connect(path)
        except OSError:
            caller.close()
            continue
        for ends in ((caller, server), (server, caller)):
            threading.Thread(target=carry, args=ends, daemon=True).start()


def main(port: str, path: str, *argv: str) -> int:
    """Listen, run the program, and return its exit code."""
    listener = socket.create_server(("127.0.0.1", int(port)), backlog=64)
    threading.Thread(target=serve, args=(listener, path), daemon=True).start()
    return subprocess.run(argv, check=False).returncode  # noqa: S603 -- what this program is for


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
