"""Which profile is taken when none is named, and that the card says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from agingbench.telemetry import audit_path, trace_to_card_v11
from agingbench.telemetry.profile import profile_for
from agingbench.traces.formats import FORMATS
from agingbench.traces.reading import load_format
from agingbench.validity.simulated_agents import SimulatedAgent, simulate
from agingbench.validity.simulated_files import write_files

CODING = {"claude_code", "codex", "gemini_cli", "opencode", "openhands", "pi", "swe_agent"}


def test_formats_of_coding_agents_choose_their_profile() -> None:
    for name in FORMATS.names():
        coding = load_format(name).coding
        assert coding == (name in CODING)
        profile, reason = profile_for(name, coding)
        assert profile == ("code_assistant" if coding else "generic")
        assert name in reason


@pytest.mark.parametrize(
    ("trace_format", "profile"), [("claude_code", "code_assistant"), ("generic", "generic")]
)
def test_the_format_chooses_and_the_card_says_why(
    trace_format: str, profile: str, tmp_path: Path
) -> None:
    path = write_files(simulate(SimulatedAgent(seed=2, sessions=3)), tmp_path, trace_format)
    card = audit_path(path)[0].card
    assert card["provenance"]["profile"] == card["trace_audit"]["profile"]["name"] == profile
    assert trace_format in card["trace_audit"]["profile"]["chosen_by"]
    named = audit_path(path, "generic")[0].card
    assert named["trace_audit"]["profile"] == {"name": "generic", "chosen_by": "named"}


def test_the_function_keeps_its_documented_default(tmp_path: Path) -> None:
    path = write_files(simulate(SimulatedAgent(seed=2, sessions=3)), tmp_path, "claude_code")
    assert trace_to_card_v11(path).card["provenance"]["profile"] == "generic"
