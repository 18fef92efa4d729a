"""Tells quickly whether anything listens at the address of a model."""

from __future__ import annotations

import socket
import threading
import urllib.request
from urllib.parse import urlsplit

SECONDS = 3.0  # to look an address up and connect to it
PORTS = {"http": 80, "https": 443}


def why_unreachable(url: str, seconds: float = SECONDS) -> str | None:
    """Why no connection to an address can be made, in words; None where one can.

    Behind a proxy nothing is said: there the proxy decides.
    """
    parts = urlsplit(url)
    host = parts.hostname
    if host is None or _has_proxy(parts.scheme, host):
        return None
    try:
        port = parts.port or PORTS.get(parts.scheme)
    except ValueError:
        port = None
    if port is None:
        return None

    reasons: list[str | None] = []

    def connect() -> None:
        reasons.append(_why_refused(host, port, seconds))

    # Looking a name up has no time limit of its own.
    attempt = threading.Thread(target=connect, daemon=True)
    attempt.start()
    attempt.join(seconds)
    return reasons[0] if reasons else f"no connection within {seconds:g} seconds"


def _why_refused(host: str, port: int, seconds: float) -> str | None:
    try:
        socket.create_connection((host, port), timeout=seconds).close()
    except TimeoutError:
        return f"no connection within {seconds:g} seconds"
    except ConnectionRefusedError:
        return "connection refused: nothing listens there"
    except socket.gaierror:
        return f"the name {host} is not known"
    except (OSError, UnicodeError) as error:
        return str(getattr(error, "strerror", None) or error)
    return None


def _has_proxy(scheme: str, host: str) -> bool:
    proxies = urllib.request.getproxies()
    is_named = bool(proxies.get(scheme) or proxies.get("all"))
    return is_named and not urllib.request.proxy_bypass(host)
