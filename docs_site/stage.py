"""Copies the pages to a folder of their own, with the source files they link to as pages."""

from __future__ import annotations

import ast
import posixpath
import shutil
from pathlib import Path

from docs_site.links import is_remote, link_targets

# Pages beside docs/ that belong to the site, and the folder of pages that show source files.
ROOT_PAGES = ("CHANGELOG.md", "CONTRIBUTING.md")
SOURCE = "source"
LANGUAGES = {".py": "python", ".json": "json", ".yaml": "yaml", ".toml": "toml"}
LONGEST = 200_000  # characters of a source file that a page shows
HIDDEN = "---\nsearch:\n  exclude: true\n---\n\n"


def stage_pages(root: Path, out: Path) -> None:
    """Write everything that the site is made of below `out`, which is emptied first."""
    if out.exists():
        shutil.rmtree(out)
    shutil.copytree(root / "docs", out)
    for name in ROOT_PAGES:
        shutil.copyfile(root / name, out / name)
    sources: set[Path] = set()
    for page in sorted(out.rglob("*.md")):
        relative = page.relative_to(out)
        is_root_page = str(relative) in ROOT_PAGES
        origin = root / relative if is_root_page else root / "docs" / relative
        text = page.read_text(encoding="utf-8")
        page.write_text(_site_links(root, origin, relative, text, sources), encoding="utf-8")
    for path in sorted(sources):
        target = out / _source_page(path.relative_to(root))
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(_source_text(root, path), encoding="utf-8")


def _site_links(root: Path, origin: Path, relative: Path, text: str, sources: set[Path]) -> str:
    """A page's text with the links that leave docs/ aimed at pages of the site."""
    parts = []
    end = 0
    for start, target in sorted(link_targets(text)):
        place, mark, anchor = target.partition("#")
        if is_remote(target) or not place:
            continue
        aim = (origin.parent / place).resolve()
        page = _site_page(root, aim)
        if page.parts[0] == SOURCE:
            sources.add(aim)
        way = posixpath.relpath(page.as_posix(), relative.parent.as_posix())
        parts += [text[end:start], way + mark + anchor]
        end = start + len(target)
    return "".join([*parts, text[end:]])


def _site_page(root: Path, aim: Path) -> Path:
    """The page of the site that shows a file of the repository."""
    relative = aim.relative_to(root)
    if relative.parts[0] == "docs":
        return Path(*relative.parts[1:])
    return relative if str(relative) in ROOT_PAGES else _source_page(relative)


def _source_page(relative: Path) -> Path:
    return Path(SOURCE) / relative.parent / f"{relative.name}.md"


def _source_text(root: Path, path: Path) -> str:
    heading = f"{HIDDEN}# {path.relative_to(root).as_posix()}\n\n"
    if path.is_dir():
        return heading + _listing(path)
    text = path.read_text(encoding="utf-8")
    if len(text) > LONGEST:
        text = f"{text[:LONGEST]}\n… the rest is left out"
    language = LANGUAGES.get(path.suffix, "text")
    return f"{heading}````{language}\n{text}\n````\n"


def _listing(folder: Path) -> str:
    """The modules of a folder with their first sentence."""
    rows = ["| file | what it does |", "|---|---|"]
    for file in sorted(folder.rglob("*.py")):
        sentence = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
        words = sentence.partition("\n")[0].replace("|", "\\|").replace("<", "&lt;")
        if words:
            rows.append(f"| `{file.relative_to(folder).as_posix()}` | {words} |")
    return "\n".join(rows) + "\n"
