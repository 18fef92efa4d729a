"""Finds dead links in Markdown pages: pages, anchors, images, and source files that are named."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import unquote

# An inline link or image, a reference below the text, or an address in HTML.
_INLINE = re.compile(r"\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
_REFERENCE = re.compile(r"^\[[^\]^]+\]:\s+<?([^\s>]+)>?", re.MULTILINE)
_HTML = re.compile(r"<(?:a|img)\s[^>]*?(?:href|src)=[\"']([^\"']+)[\"']")
_NAMED_LINK = re.compile(r"\[`([\w.]+)`\]\(([^)#]+\.py)\)")
_SOURCE_PATH = re.compile(r"`((?:\w+/)+\w+\.py)`")
_HEADING = re.compile(r"^#{1,6} +(.+?)(?: +#+)?$", re.MULTILINE)
_FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)")
_ANCHOR = re.compile(r"<a\s[^>]*?(?:id|name)=[\"']([^\"']+)[\"']")
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")


@dataclass(frozen=True)
class DeadLink:
    """A link that leads nowhere: where it stands, what it says, and what is wrong."""

    page: Path
    line: int
    target: str
    problem: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}: {self.target}: {self.problem}"


def dead_links(root: Path, pages: Sequence[Path]) -> list[DeadLink]:
    """Every dead link of these pages; addresses on the network are not asked for."""
    found = []
    for page in pages:
        text = page.read_text(encoding="utf-8")
        checks = (*_dead_targets(root, page, text), *_dead_names(root, page, text))
        for start, target, problem in checks:
            line = text.count("\n", 0, start) + 1
            found.append(DeadLink(page.relative_to(root), line, target, problem))
    return found


def link_targets(text: str) -> Iterator[tuple[int, str]]:
    """Where each link of a page stands and what it aims at; examples in code are no links."""
    prose = _without_code(text)
    for pattern in (_INLINE, _REFERENCE, _HTML):
        for match in pattern.finditer(prose):
            yield match.start(1), match.group(1)


def is_remote(target: str) -> bool:
    """Whether a link leads out of the repository."""
    return _SCHEME.match(target) is not None or target.startswith("//")


def _dead_targets(root: Path, page: Path, text: str) -> Iterator[tuple[int, str, str]]:
    for start, target in link_targets(text):
        if is_remote(target):
            continue
        place, _, anchor = target.partition("#")
        aim = page.parent / unquote(place) if place else page
        if not aim.resolve().is_relative_to(root):
            yield start, target, "lies outside the repository"
        elif not aim.exists():
            yield start, target, "there is no such file"
        elif anchor and anchor not in _anchors_of(aim):
            yield start, target, f"{aim.name} has no heading with that anchor"


def _dead_names(root: Path, page: Path, text: str) -> Iterator[tuple[int, str, str]]:
    """Names that link to a source file which does not define them, and paths that do not exist."""
    for match in _NAMED_LINK.finditer(text):
        name, target = match.groups()
        source = page.parent / target
        last = name.rpartition(".")[2]
        definition = rf"^\s*(?:def|class) {last}\b"
        if source.exists() and not re.search(definition, source.read_text(), re.MULTILINE):
            yield match.start(), target, f"it defines no {name}"
    places = (root, root / "src" / "agingbench")
    for match in _SOURCE_PATH.finditer(text):
        path = match.group(1)
        if not any((place / path).exists() for place in places):
            yield match.start(), path, "there is no such source file"


def _anchors_of(page: Path) -> frozenset[str]:
    return anchors(page.read_text(encoding="utf-8")) if page.suffix == ".md" else frozenset()


@cache
def anchors(text: str) -> frozenset[str]:
    """The anchors of a page's headings, as GitHub makes them; equal ones are numbered."""
    prose = _FENCE.sub(_blank, text)
    counts: dict[str, int] = {}
    names = set(_ANCHOR.findall(prose))
    for heading in _HEADING.findall(prose):
        words = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        count = counts.get(words, 0)
        counts[words] = count + 1
        names.add(f"{words}-{count}" if count else words)
    return frozenset(names)


def _without_code(text: str) -> str:
    return _CODE.sub(_blank, _FENCE.sub(_blank, text))


def _blank(match: re.Match[str]) -> str:
    """As many signs as the match has, so that places stay where they are."""
    return re.sub(r"[^\n]", " ", match.group())
