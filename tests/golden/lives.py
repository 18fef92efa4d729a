"""The lives that are frozen: a name for each, and the arguments that live it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.golden.shell import files_below

_SHORT = "--sessions 4 --pressure light"
LIVES = {
    "s1": f"--scenario s1 {_SHORT}",
    "s2": f"--scenario s2 {_SHORT} --seeds 3",
    "s3": f"--scenario s3 {_SHORT}",
    "s4": f"--scenario s4 {_SHORT}",
    "s5": f"--scenario s5 {_SHORT}",
    "s6": f"--scenario s6 {_SHORT}",
    "s7": f"--scenario s7 {_SHORT}",
    "s2_careful": f"--scenario s2 {_SHORT} --seeds 3 --memory careful_compress",
    "s2_events": "--scenario s2 --sessions 6 --pressure light -e recompact@3 -e flush_history@5",
    "s5_events": f"--scenario s5 {_SHORT} --events workspace_flush@3 --no-control",
    "s2_controller": "--scenario s2 --sessions 5 --pressure light --controller aggressive"
    " --dial sentinels=1",
    "s1_diagnosed": f"--scenario s1 {_SHORT} --memory lossy_episodic --diagnose",
    "s3_bounds": f"--scenario s3 {_SHORT} --memory growing_history --bounds",
    "s4_append_only": f"--scenario s4 {_SHORT} --memory append_only --memory-option k=4",
    "s2_typed_state": f"--scenario s2 {_SHORT} --memory typed_state",
    "s6_no_memory": "--scenario s6 --sessions 3 --pressure none --memory no_memory",
}
# This one was stopped between two sessions; lived to its end, it is the life of the same arguments.
STOPPED, WHOLE = "s6_stopped", "s6"


def run_words(name: str, out: str) -> list[str]:
    """The command that lives a frozen life into a folder."""
    return ["run", *LIVES[name].split(), "--no-plots", "--ledger", "none", "--out", out, "--json"]


def contents(folder: Path) -> dict[str, Any]:
    """Every file of a folder of lives as a document: JSON, lines of JSON, or text."""
    found: dict[str, Any] = {}
    for name, path in files_below(folder).items():
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".json":
            found[name] = json.loads(text)
        elif path.suffix == ".jsonl":
            found[name] = [json.loads(line) for line in text.splitlines()]
        else:
            found[name] = text
    return found
