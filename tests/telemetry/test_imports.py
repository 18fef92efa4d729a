"""An audit starts without the bench and without libraries that only other commands need."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("altair", "duckdb", "jsonschema", "pydantic", "scipy")


@pytest.mark.parametrize("module", ["agingbench.telemetry", "agingbench.cli.audit"])
def test_an_audit_imports_neither_the_bench_nor_heavy_libraries(module: str) -> None:
    code = f"import sys, {module}; print('\\n'.join(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    modules = run.stdout.split()
    assert module in modules
    assert [name for name in modules if name.startswith("agingbench.bench")] == []
    assert [name for name in modules if name.partition(".")[0] in HEAVY] == []
