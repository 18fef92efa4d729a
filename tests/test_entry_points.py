"""The entry points that the public documentation names stay where users import them."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

DOCUMENTED = {
    "agingbench.telemetry": (
        "Audit",
        "OutcomeEvent",
        "Profile",
        "audit_events",
        "audit_path",
        "infer_revision",
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
    "agingbench.telemetry.outcome_extractors": (
        "claude_session_flags",
        "git_log",
        "record_patterns",
        "register_extractor",
    ),
    "agingbench.telemetry.inference.revision": ("infer_revision",),
    "agingbench.core.controller": ("ThresholdController",),
    "agingbench.diagnostics": ("DiagnosticResult",),
    "agingbench.diagnostics.partitioner": ("DiagnosticResult",),
    "agingbench": ("PressureConfig",),
    "agingbench.metrics.aging_card_validate": ("main",),
}


@pytest.mark.parametrize("module", DOCUMENTED)
def test_documented_names_can_be_imported(module: str) -> None:
    package = importlib.import_module(module)
    names = DOCUMENTED[module]
    assert [name for name in names if not hasattr(package, name)] == []


@pytest.mark.parametrize(
    "name",
    [
        "DiagnosticResult",
        "ThresholdController",
        "infer_revision",
        "outcome_extractors",
        "trace_to_card_v11",
    ],
)
def test_a_name_that_lies_elsewhere_is_said_with_its_place(name: str) -> None:
    import agingbench

    with pytest.raises(AttributeError, match=f"; from .* import {name}") as raised:
        getattr(agingbench, name)
    scope: dict[str, object] = {}
    exec(str(raised.value).partition("; ")[2], scope)
    assert name in scope


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


def test_presets_go_by_the_name_of_the_paper() -> None:
    from agingbench import PressureConfig
    from agingbench.bench.plan.pressure import PRESETS
    from agingbench.errors import InputError
    from agingbench.front.pressure import preset_and_dials

    for name, preset in PRESETS.items():
        made = getattr(PressureConfig, name)()
        assert made == preset
        assert preset_and_dials(made) == (name, {})
    assert preset_and_dials(PressureConfig(update_rate=0.4)) == ("medium", {"update_rate": 0.4})
    with pytest.raises(InputError, match="update_rate=7: must lie between"):
        PressureConfig(update_rate=7)


def test_a_run_takes_a_pressure(tmp_path: Path) -> None:
    import agingbench as ab

    lives = ab.run("s2", sessions=2, pressure=ab.PressureConfig.light(), out=tmp_path)
    (card,) = lives.cards
    assert card.pressure["preset"] == "light"


def test_revision_can_be_inferred_by_itself(tmp_path: Path) -> None:
    from agingbench.telemetry import infer_revision

    rows = [
        {
            "session_id": f"s{i}",
            "role": "user",
            "content": "hi",
            "timestamp": f"2026-01-0{i}T00:00:00Z",
        }
        for i in range(1, 5)
    ]
    trace = tmp_path / "trace.jsonl"
    trace.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert "version_accuracy" in infer_revision(trace, trace_format="generic")


@pytest.mark.parametrize("words", [["import-prime-eval"], ["trend"]])
def test_commands_that_users_type_exist(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    from agingbench.cli.main import run

    assert run([*words, "--help"]) == 0
    assert "Usage: agingbench" in capsys.readouterr().out
    assert run(["trials", "import-prime-eval"]) == 2
    assert "did you mean import-prime" in capsys.readouterr().err
