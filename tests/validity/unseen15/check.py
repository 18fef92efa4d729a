"""Write every kind of life and look whether the files are sound and the agents' own slips stay level.

`check.py` uses 2 seeds with 12, 24 and 40 sessions; it exits with 1 when something is wrong.
"""

# ruff: noqa: UP031

import json
import re
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import agents  # noqa: E402

SEEDS, LENGTHS = (3, 40961), (12, 24, 40)
SLIPS = (("errors", "calls"), ("rereads", "reads"), ("looks", "visits"), ("stale", "uses"))
problems: list[str] = []
Row = dict[str, int]


def bad(*words: object) -> None:
    problems.append(" ".join(str(w) for w in words))


def parse(path: Path, form: str) -> dict[str, Any]:
    """Times, calls and results of one file."""
    rows = []
    for k, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            rows.append(json.loads(text))
        except ValueError:
            bad(path.name, "line", k, "is not JSON")
    times = [r["timestamp"] for r in rows if "timestamp" in r]
    if any(b < a for a, b in pairwise(times)):
        bad(path.name, "times fall")
    calls: list[str] = []
    results: list[str] = []
    mcp = side = 0
    for r in rows:
        if form == "claude":
            content = r.get("message", {}).get("content")
            for b in content if isinstance(content, list) else []:
                if b["type"] == "tool_use":
                    calls.append(b["id"])
                    mcp += b["name"].startswith("mcp")
                    side += r["isSidechain"]
                elif b["type"] == "tool_result":
                    results.append(b["tool_use_id"])
        elif r["type"] == "response_item":
            p = r["payload"]
            if p["type"] in ("function_call", "custom_tool_call"):
                calls.append(p["call_id"])
            elif p["type"] in ("function_call_output", "custom_tool_call_output"):
                results.append(p["call_id"])
    if sorted(calls) != sorted(results) or len(set(calls)) != len(calls):
        bad(path.name, "calls and results do not match")
    return {"start": times[0], "end": times[-1], "calls": len(calls), "mcp": mcp, "side": side}


def level(kind: str, thirds: list[list[Row]], room: float) -> list[str]:
    """The rates over the thirds of life; all must lie near the rate of the whole."""
    shown = []
    for hit, of in SLIPS:
        every = [r for t in thirds for r in t]
        whole = sum(r[hit] for r in every) / max(1, sum(r[of] for r in every))
        cells = []
        for k, t in enumerate(thirds):
            n = max(1, sum(r[of] for r in t))
            got = sum(r[hit] for r in t) / n
            # chance, with the moods of sessions on top; a handful of occasions says nothing
            if (
                n >= 20
                and abs(got - whole) > room * whole + 3.3 * (whole * (1 - whole) * 1.6 / n) ** 0.5
            ):
                bad(kind, hit, "third", k + 1, "%.3f" % got, "whole %.3f" % whole)
            cells.append("%.1f" % (100 * got))
        shown.append("/".join(cells))
    return shown


def check(kind: str, pool: list[list[Row]]) -> None:
    form = agents.KINDS[kind]["format"]
    pattern = (
        r"[0-9a-f-]{36}\.jsonl$"
        if form == "claude"
        else r"rollout-[\dT-]{19}-[0-9a-f-]{36}\.jsonl$"
    )
    thirds: list[list[Row]] = [[], [], []]
    slow = 0.0
    for n in LENGTHS:
        for seed in SEEDS:
            name = "%s/%s/%s" % (kind, seed, n)
            with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
                t = time.process_time()
                out = agents.write_agent(kind, seed, n, Path(one))
                slow = max(slow, time.process_time() - t)
                again = agents.write_agent(kind, seed, n, Path(two))
                files = sorted(Path(one).iterdir())
                if out != again or [(f.name, f.read_bytes()) for f in files] != [
                    (f.name, f.read_bytes()) for f in sorted(Path(two).iterdir())
                ]:
                    bad(name, "differs from one time to the other")
                if len(files) != n or len(out["sessions"]) != n:
                    bad(name, "has", len(files), "files")
                if not all(re.match(pattern, f.name) for f in files):
                    bad(name, "names of files")
                seen = sorted((parse(f, form) for f in files), key=lambda s: str(s["start"]))
            if any(b["start"] <= a["end"] for a, b in pairwise(seen)):
                bad(name, "sessions overlap")
            if [s["calls"] for s in seen] != [r["calls"] for r in out["sessions"]]:
                bad(name, "calls differ from the labels")
            for i, row in enumerate(out["sessions"]):
                if any(row[a] > row[b] for a, b in SLIPS):
                    bad(name, "more slips than occasions", row)
                thirds[3 * i // n].append(row)
                pool[3 * i // n].append(row)
    if slow > 0.5:
        bad(kind, "slow", "%.2f s" % slow)
    shown = level(kind, thirds, 0.25)
    calls = sorted(r["calls"] for t in thirds for r in t)
    print(
        "%-16s %-6s %-15s %-15s %-13s %-14s %3d %3d %4d  %.2f"
        % (kind, form, *shown, calls[0], calls[len(calls) // 2], calls[-1], slow)
    )


def main() -> int:
    print("own slips in %% over the thirds of life, seeds %s, %s sessions" % (SEEDS, LENGTHS))
    print(
        "%-16s %-6s %-15s %-15s %-13s %-14s %3s %3s %4s  %s"
        % (
            "kind",
            "format",
            "errors",
            "re-reads",
            "look-alikes",
            "outdated",
            "min",
            "med",
            "max",
            "s",
        )
    )
    pool: list[list[Row]] = [[], [], []]
    for kind in sys.argv[1:] or agents.KINDS:
        check(kind, pool)
    print("%-23s %-15s %-15s %-13s %s" % ("all", *level("all", pool, 0.05)))
    for p in problems[:40]:
        print(" -", p)
    print("problems: %d" % len(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
