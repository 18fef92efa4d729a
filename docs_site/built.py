"""Checks the site as it was built: every address in it leads to a file and an anchor of it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

from docs_site.links import is_remote

_ADDRESS = {"a": "href", "link": "href", "img": "src", "script": "src"}


class _PageReader(HTMLParser):
    """Gathers the anchors of a page and the addresses that it asks for."""

    def __init__(self) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.addresses: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep what this element is called and where it leads."""
        values = dict(attrs)
        for key in ("id", "name"):
            if values.get(key):
                self.anchors.add(str(values[key]))
        address = values.get(_ADDRESS.get(tag, ""))
        if address:
            self.addresses.append((tag, address))


def dead_addresses(site: Path) -> Iterator[str]:
    """Every address of the site that leads nowhere, or that loads something from elsewhere."""
    for page in sorted(site.rglob("*.html")):
        name = page.relative_to(site)
        if name.name == "404.html":  # its addresses begin at the root of a server
            continue
        for tag, address in _read(page).addresses:
            problem = _problem(site, page, tag, address)
            if problem:
                yield f"{name}: {address}: {problem}"


def _problem(site: Path, page: Path, tag: str, address: str) -> str:
    if is_remote(address):
        is_loaded = tag != "a" and not address.startswith("data:")
        return "it is loaded from the network" if is_loaded else ""
    place, _, anchor = address.partition("#")
    place = place.partition("?")[0]
    aim = (page.parent / unquote(place)).resolve() if place else page
    if aim.is_dir():
        aim /= "index.html"
    if not aim.is_relative_to(site.resolve()):
        return "it lies outside the site"
    if not aim.exists():
        return "there is no such file"
    if anchor and aim.suffix == ".html" and unquote(anchor) not in _read(aim).anchors:
        return "there is no such anchor"
    return ""


@cache
def _read(page: Path) -> _PageReader:
    reader = _PageReader()
    reader.feed(page.read_text(encoding="utf-8"))
    return reader
