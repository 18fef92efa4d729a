"""No test of a model reaches the network, and none sees the keys or proxies of whoever runs it."""

from __future__ import annotations

import os
import socket
from typing import Any

import pytest

LOOPBACK = {"127.0.0.1", "::1", "localhost"}
SETTINGS = ("OPENAI", "ANTHROPIC", "AGINGBENCH", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")


@pytest.fixture(autouse=True)
def loopback_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse every connection and every name look-up that leaves this machine."""
    connect = socket.socket.connect
    resolve = socket.getaddrinfo

    def guarded_connect(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and address[0] not in LOOPBACK:
            raise AssertionError(f"a test tried to reach {address}")
        connect(self, address)

    def guarded_resolve(host: Any, *args: Any, **kwargs: Any) -> Any:
        if host is not None and host not in LOOPBACK:
            raise AssertionError(f"a test tried to look up {host}")
        return resolve(host, *args, **kwargs)

    monkeypatch.setattr(socket.socket, "connect", guarded_connect)
    monkeypatch.setattr(socket, "getaddrinfo", guarded_resolve)


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the settings of the SDKs and of AgingBench out of the environment."""
    for variable in list(os.environ):
        if variable.upper().startswith(SETTINGS):
            monkeypatch.delenv(variable)
