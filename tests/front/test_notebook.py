"""The notebook of the examples: its code cells run one after the other, as a kernel runs them."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from tests.places import EXAMPLES

NOTEBOOK = EXAMPLES / "own_memory.ipynb"


def run_cell(source: str, names: dict[str, Any]) -> Any:
    """Run a cell and return the value of its last line, where that is an expression."""
    tree = ast.parse(source)
    last = tree.body[-1]
    if not isinstance(last, ast.Expr):
        exec(compile(tree, "<cell>", "exec"), names)
        return None
    before = ast.Module(tree.body[:-1], [])
    exec(compile(before, "<cell>", "exec"), names)
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)


def test_every_cell_runs_and_shows_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    notebook = json.loads(NOTEBOOK.read_text())
    names: dict[str, Any] = {"__name__": "__main__"}
    shown: dict[str, Any] = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            shown[cell["id"]] = run_cell("".join(cell["source"]), names)

    assert shown["live"]._repr_html_().count("<tr>") == 3
    assert shown["plot"].to_dict()["layer"]
    assert len(shown["frame"]) == 2
    assert "narrow" in shown["compare"]._repr_html_()
    assert shown["report"].exists()


def test_the_notebook_is_kept_without_output() -> None:
    cells = json.loads(NOTEBOOK.read_text())["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert code
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)
