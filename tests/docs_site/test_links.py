"""Dead links of every kind are found, and links that lead somewhere are left alone."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from docs_site.built import dead_addresses
from docs_site.links import anchors, dead_links
from docs_site.stage import ROOT_PAGES, stage_pages

from tests.places import ROOT

PAGE = """# A title

## Same words
## Same words
[other](other.md#part-two), [here](#same-words-1), [code](../src/agingbench/code.py), ![a](img/a.png)
[`Thing`](../src/agingbench/code.py) lies in `agingbench/code.py`; `[an example](nowhere.md)`
```md
[an example](nowhere.md)
```
[network](https://example.org/nowhere)
"""
CASES = {
    "[gone](gone.md)": "there is no such file",
    "![gone](img/gone.png)": "there is no such file",
    '<img src="img/gone.png">': "there is no such file",
    "[gone]\n\n[gone]: gone.md": "there is no such file",
    "[gone](other.md#gone)": "other.md has no heading with that anchor",
    "[gone](#gone)": "page.md has no heading with that anchor",
    "[out](../../out.md)": "lies outside the repository",
    "[`Gone`](../src/agingbench/code.py)": "it defines no Gone",
    "`agingbench/gone.py`": "there is no such source file",
}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    for folder in ("docs/img", "src/agingbench"):
        (root / folder).mkdir(parents=True)
    (root / "docs" / "page.md").write_text(PAGE)
    (root / "docs" / "other.md").write_text("# Other\n\n## Part two\n")
    (root / "docs" / "img" / "a.png").write_bytes(b"")
    code = '"""Does a thing."""\nclass Thing:\n    pass\n'
    (root / "src" / "agingbench" / "code.py").write_text(code)
    (root / "agingbench").symlink_to("src/agingbench")
    for name in ROOT_PAGES:
        (root / name).write_text(f"# {name}\n[docs](docs/page.md)\n")
    return root


def test_links_that_lead_somewhere_are_left_alone(repository: Path) -> None:
    assert dead_links(repository, [repository / "docs" / "page.md"]) == []


@pytest.mark.parametrize(("text", "problem"), CASES.items())
def test_a_dead_link_is_found_with_its_line(repository: Path, text: str, problem: str) -> None:
    page = repository / "docs" / "page.md"
    page.write_text(f"{PAGE}\n{text}\n")
    [link] = dead_links(repository, [page])
    assert link.problem == problem
    assert link.line > PAGE.count("\n")


def test_headings_in_code_are_no_anchors() -> None:
    assert anchors("# Real\n```\n# unreal\n```\n") == {"real"}


def test_every_page_stands_in_the_navigation_once() -> None:
    settings = tomllib.loads((ROOT / "docs_site" / "zensical.toml").read_text())
    listed = list(_pages(settings["project"]["nav"]))
    docs = ROOT / "docs"
    written = {str(page.relative_to(docs)) for page in docs.rglob("*.md")}
    assert sorted(listed) == sorted(written | set(ROOT_PAGES))


def _pages(entries: list[dict[str, Any]]) -> list[str]:
    pages = []
    for entry in entries:
        for value in entry.values():
            pages += [value] if isinstance(value, str) else _pages(value)
    return pages


def test_source_files_become_pages_and_links_follow(repository: Path, tmp_path: Path) -> None:
    out = tmp_path / "pages"
    stage_pages(repository, out)
    text = (out / "page.md").read_text()
    assert "[code](source/src/agingbench/code.py.md)" in text
    assert "`[an example](nowhere.md)`" in text
    assert "class Thing:" in (out / "source" / "src" / "agingbench" / "code.py.md").read_text()
    assert "[docs](page.md)" in (out / "CHANGELOG.md").read_text()


def test_a_built_page_may_load_nothing_from_elsewhere(tmp_path: Path) -> None:
    page = (
        '<a href="https://example.org">out</a><a href="#a">a</a><p id="a"></p>'
        '<script src="https://example.org/x.js"></script><img src="gone.png">'
        '<a href="#b">b</a><a href="../out.html">c</a>'
    )
    (tmp_path / "index.html").write_text(page)
    problems = [line.rpartition(": ")[2] for line in dead_addresses(tmp_path)]
    assert problems == [
        "it is loaded from the network",
        "there is no such file",
        "there is no such anchor",
        "it lies outside the site",
    ]
