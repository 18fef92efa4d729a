"""A viewer that answers on loopback while a test runs."""

from __future__ import annotations

import http.client
import json
import shutil
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn

from agingbench.view.app import make_app
from agingbench.view.server import HOST, bound_socket, viewer_of

GOLDEN = Path(__file__).parents[1] / "golden"


@dataclass(frozen=True)
class Answer:
    """What the viewer answered."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Served:
    """A viewer that is answering."""

    port: int

    @property
    def address(self) -> str:
        return f"http://{HOST}:{self.port}"

    def ask(
        self, path: str, headers: Mapping[str, str] | None = None, method: str = "GET"
    ) -> Answer:
        """Ask for a path exactly as it is written; the host is right unless a header says more."""
        connection = http.client.HTTPConnection(HOST, self.port, timeout=120)
        sent = dict(headers or {})
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        if "Host" not in sent:
            connection.putheader("Host", f"{HOST}:{self.port}")
        for name, value in sent.items():
            connection.putheader(name, value)
        connection.endheaders()
        response = connection.getresponse()
        body = response.read()
        found = {name.lower(): value for name, value in response.getheaders()}
        connection.close()
        return Answer(response.status, found, body)


@contextmanager
def served(place: Path | str) -> Iterator[Served]:
    """A viewer of a place in a thread of its own."""
    socket = bound_socket(0)
    port = socket.getsockname()[1]
    config = uvicorn.Config(
        make_app(viewer_of(str(place)), port), log_level="error", ws="none", lifespan="off"
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [socket]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield Served(port)
    finally:
        server.should_exit = True
        thread.join(10)
        socket.close()


def copy_lives(folder: Path, *names: str) -> None:
    """Copies of the frozen lives of these names."""
    for name in names:
        shutil.copytree(GOLDEN / "lives" / name, folder / name)


def copy_ledger(folder: Path) -> None:
    """A copy of the frozen ledger."""
    for file in (GOLDEN / "ledger").iterdir():
        if file.is_dir():
            shutil.copytree(file, folder / file.name)
        else:
            shutil.copy(file, folder / file.name)


def write_trace(file: Path, entries: int, errors: Mapping[int, str]) -> None:
    """A trace of so many entries whose tool results at some places are errors."""
    with file.open("w") as out:
        for place in range(entries):
            row: dict[str, Any] = {"step": place, "role": "assistant", "content": f"note {place}"}
            if place in errors:
                row = {"step": place, "role": "tool_result", "stderr": errors[place]}
                row |= {"exit_code": 1, "tool_name": "shell"}
            out.write(json.dumps(row) + "\n")
