"""Who may ask the viewer: this machine's own browser, for reading, and nobody else."""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

NAMES = ("127.0.0.1", "localhost", "[::1]")
ASSETS = "/assets/"
METHODS = ("GET", "HEAD")
# Scripts are files of ours; charts set styles of their own and are saved as data addresses.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:;"
    " connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Guard:
    """Refuses foreign hosts, foreign origins and anything but reading; sets every header."""

    def __init__(self, app: ASGIApp, port: int) -> None:
        self.app = app
        self.hosts = {f"{name}:{port}" for name in NAMES}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand an allowed request on, and answer every other one here."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return  # no web sockets here

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                if scope["path"].startswith(ASSETS) and message["status"] in (200, 304):
                    headers["Cache-Control"] = "private, no-cache"  # kept, and asked about again
            await send(message)

        reason = self._refusal(scope)
        if reason is None:
            await self.app(scope, receive, send_guarded)
            return
        status, text = reason
        response = PlainTextResponse(f"{text}\n", status)
        await response(scope, receive, send_guarded)

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        """The status and reason of a refusal; None for a request that may be answered."""
        headers = Headers(scope=scope)
        if scope["method"] not in METHODS:
            return 405, "this viewer only reads"
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0].lower() not in self.hosts:
            # A foreign page may have its own name lead here; it must not read the answer.
            return 421, "this viewer answers on this machine's own address only"
        origin = headers.get("origin")
        if origin is not None and origin.lower() not in {f"http://{host}" for host in self.hosts}:
            return 403, "a page of another origin may not ask this viewer"
        is_foreign = headers.get("sec-fetch-site") in ("cross-site", "same-site")
        if is_foreign and headers.get("sec-fetch-mode") != "navigate":
            return 403, "a page of another site may not ask this viewer"
        return None
