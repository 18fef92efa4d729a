"""The entry points that the public documentation names stay where users import them."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

DOCUMENTED = {
    "agingbench.telemetry": (
        "Audit",
        "OutcomeEvent",
        "Profile",
        "audit_events",
        "audit_path",
        "load_profile",
        "prepare_trace",
        "register_extractor",
        "trace_to_card_v11",
    ),
    "agingbench.telemetry.card_lookups": (
        "MECHANISM_TO_REPAIR",
        "MECHANISM_TO_STAGE",
        "diagnostic_signature",
        "recommended_repair",
    ),
    "agingbench.telemetry.card_render": ("render_card_ascii",),
    "agingbench.telemetry.prepare_trace": ("main",),
    "agingbench.metrics.aging_card_validate": ("main",),
}


@pytest.mark.parametrize("module", DOCUMENTED)
def test_documented_names_can_be_imported(module: str) -> None:
    package = importlib.import_module(module)
    names = DOCUMENTED[module]
    assert [name for name in names if not hasattr(package, name)] == []


def test_prepare_trace_can_be_called_as_documented() -> None:
    from agingbench.telemetry import prepare_trace

    assert callable(prepare_trace)


@pytest.mark.parametrize(
    "module", ["agingbench.metrics.aging_card_validate", "agingbench.telemetry.prepare_trace"]
)
def test_documented_commands_run_as_modules(module: str) -> None:
    command = [sys.executable, "-W", "error", "-m", module]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "usage" in done.stderr.casefold()


def test_the_lookups_say_what_the_documentation_says() -> None:
    from agingbench.telemetry.card_lookups import diagnostic_signature, recommended_repair

    assert diagnostic_signature("revision") == "utilization-dominant (U-stage)"
    assert (recommended_repair("revision") or "").startswith("typed state for derived values")
