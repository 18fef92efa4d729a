"""Holds the import rule (a module imports only from rows below its own, in-function imports
included) and the tree that docs/architecture.md draws.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

SRC = Path(__file__).parents[1] / "src" / "agingbench"

# Rows from the bottom up. Packages of one row do not import each other; the two middle columns do
# not either.
BASE = [
    {"errors"},
    {"plugin_errors"},
    {"records", "registry", "text", "trust", "sandbox", "engines"},
    {"interfaces"},
]
LEFT = ["models", "memory", "agents"]
RIGHT = ["traces", "metrics", "cards", "trials"]
TOP = [
    {"bench", "telemetry", "resumption", "report"},
    {"validity", "view", "platforms"},
    {"front", "core", "diagnostics"},
    {"cli"},
]
SHIMS = {  # documented entry points
    ("metrics.aging_card_validate", "cards"),
    ("core.controller", "bench"),
    ("diagnostics.partitioner", "metrics"),
}
ROOT = {"", "__init__", "__main__", "py"}


def allowed(part: str) -> set[str]:
    """The parts that a part may import, apart from itself."""
    base: set[str] = set()
    for row in BASE:
        if part in row:
            return set(base)
        base |= row
    for column in (LEFT, RIGHT):
        if part in column:
            return base | set(column[: column.index(part)])
    both = base | set(LEFT) | set(RIGHT)
    if part in TOP[0]:
        # A report is made from files: it sees the evidence, not the system under test.
        return base | set(RIGHT) if part == "report" else both
    if part == "view":
        # It shows what lies on disk, so that it needs no instrument either.
        return base | set(RIGHT) | {"report"}
    instruments = both | TOP[0]
    if part in ("validity", "platforms"):
        return instruments
    if part == "front":
        return instruments | {"validity"}
    return instruments | TOP[1] | {"front"} if part == "cli" else set()


def imports(file: Path) -> list[tuple[int, str]]:
    """(line, part) of everything that a file imports from this package, wherever the import stands."""
    module = ".".join(file.relative_to(SRC).with_suffix("").parts)
    found = []
    for node in ast.walk(ast.parse(file.read_text())):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}:{node.lineno}: relative import; write the full name"
            base = node.module or ""
            names = (
                [f"{base}.{alias.name}" for alias in node.names] if base == "agingbench" else [base]
            )
        found += [
            (getattr(node, "lineno", 0), n.split(".")[1])
            for n in names
            if n.startswith("agingbench.")
        ]
    return found


def part_of(file: Path) -> str:
    return file.relative_to(SRC).with_suffix("").parts[0]


FILES = sorted(SRC.rglob("*.py"))
PARTS = sorted({part_of(file) for file in FILES})


def files_of(part: str) -> list[Path]:
    return [file for file in FILES if part_of(file) == part]


def wrong_imports(file: Path, part: str) -> list[str]:
    """What a file of a part imports and may not."""
    module = ".".join(file.relative_to(SRC).with_suffix("").parts)
    return [
        f"{module}:{line} imports {target}"
        for line, target in imports(file)
        if target not in (part, *ROOT, *allowed(part))
        and not target.startswith("__")
        and (module, target) not in SHIMS
    ]


# One test per part and not per file: hundreds of tests of a millisecond take seconds to hand out.
@pytest.mark.parametrize("part", [part for part in PARTS if part not in ROOT])
def test_imports_point_downwards(part: str) -> None:
    wrong = [line for file in files_of(part) for line in wrong_imports(file, part)]
    assert wrong == [], f"{part} may import {sorted(allowed(part))}"


@pytest.mark.parametrize("part", PARTS)
def test_every_file_says_what_it_is_for(part: str) -> None:
    silent = [
        str(file.relative_to(SRC))
        for file in files_of(part)
        if not ast.get_docstring(ast.parse(file.read_text()))
    ]
    assert silent == []


def test_the_rule_can_fail() -> None:
    assert "bench" not in allowed("memory")
    assert "traces" not in allowed("agents")
    assert "models" not in allowed("report")
    assert "metrics" not in allowed("traces")
    assert "cli" not in allowed("bench")
    assert "cli" not in allowed("front")
    assert "bench" not in allowed("view")
    assert "validity" not in allowed("bench")


def test_every_part_is_in_the_map() -> None:
    known = {p for row in [*BASE, *TOP] for p in row} | set(LEFT) | set(RIGHT) | ROOT
    assert {part_of(f) for f in FILES} <= known


# -- the tree in docs/architecture.md

PAGE = SRC.parents[1] / "docs" / "architecture.md"
INDENT = 2


def drawn_paths() -> list[str]:
    """The paths below src/agingbench that the page's tree names, folders with a slash at the end."""
    block = re.search(r"^```tree\nsrc/agingbench/\n(.*?)^```$", PAGE.read_text(), re.M | re.S)
    assert block is not None, "docs/architecture.md has no tree"
    paths = []
    above: list[str] = []
    for line in block.group(1).splitlines():
        name, _, description = line.strip().partition(" ")
        assert description.strip(), f"{name} has no description"
        depth = (len(line) - len(line.lstrip())) // INDENT - 1
        above = [*above[:depth], name]
        paths.append("".join(above))
    return paths


def test_the_tree_names_every_folder_and_top_level_module_once() -> None:
    packages = [file.parent for file in SRC.rglob("__init__.py") if file.parent != SRC]
    folders = {f"{package.relative_to(SRC)}/" for package in packages}
    modules = {file.name for file in SRC.glob("*.py")}
    counts = Counter(drawn_paths())
    assert [path for path, times in counts.items() if times > 1] == []
    assert (folders | modules) - counts.keys() == set()


def test_the_tree_names_nothing_that_does_not_exist() -> None:
    for path in drawn_paths():
        place = SRC / path
        assert place.is_dir() if path.endswith("/") else place.is_file(), path


def test_the_page_draws_every_row_of_the_rule() -> None:
    section = PAGE.read_text().partition("## The import rule")[2]
    picture = section.split("```")[1]
    parts = {part for row in [*BASE, *TOP] for part in row} | set(LEFT) | set(RIGHT)
    assert parts - set(re.findall(r"\w+", picture)) == set()
