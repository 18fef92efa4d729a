"""Where tests find the repository and the real data beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
SHARED_DATA = ROOT.parent / "shared" / "data"
TRACES = SHARED_DATA / "traces"
TRIALS = SHARED_DATA / "trials"


def needs_real_data(place: Path = SHARED_DATA) -> pytest.MarkDecorator:
    """Skip a test when real data is not on this machine, with a reason that says where it belongs."""
    shown = Path("..") / place.relative_to(ROOT.parent)
    return pytest.mark.skipif(not place.exists(), reason=f"real data is not at {shown}")
