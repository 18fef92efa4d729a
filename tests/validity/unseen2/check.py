"""Self-check: files are sound, deterministic, free of labels; the planted quantity moves and nothing else does.

python3 check.py [seeds=6] [kind ...]      counts come from the labels' side file, joined with the ids in the trace
"""

import hashlib
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path

from agents import KINDS, write_agent

# name: labels counted / labels they are a share of
METRICS = {
    "calls/req": (["call"], ["request"]),
    "error": (["agent_error"], ["call"]),
    "correct": (["correction"], ["request"]),
    "reread": (["reread"], ["read"]),
    "alike": (["alike"], ["file_visit"]),
    "alike_record": (["alike_record"], ["record_visit"]),
    "stale": (["stale"], ["use_after_change"]),
    "ask": (["asked_again", "looked_up_again"], ["fact_need"]),
    "relocate": (["relocated"], ["hazy_visit"]),
    "win_error": (["win_error"], ["call_in_window"]),
    "win_correct": (["correction_in_window"], ["prompt_in_window"]),
}
# what must move between first and last third (pooled seeds): 0.4 of the ramp, or for a step and for effort at least this
MOVES = {"effort": ("calls/req", 1.2), "error": ("error", 0.04), "correct": ("correct", 0.035), "reread": ("reread", 0.08), "alike": ("alike", 0.06), "alike_record": ("alike_record", 0.06), "stale": ("stale", 0.08), "ask": ("ask", 0.08), "relocate": ("relocate", 0.12)}
SLACK = {"error": 0.03, "correct": 0.045, "reread": 0.05, "alike": 0.03, "alike_record": 0.05, "stale": 0.06, "ask": 0.05, "relocate": 0.12}


def read_trace(folder):
    """(ids of calls, ids of prompts, ids of failed calls, faults) as they stand in the files."""
    calls, prompts, failed, faults, text = Counter(), Counter(), set(), [], ""
    for path in sorted(Path(folder).iterdir()):
        seen, open_calls, last = set(), set(), ""
        data = path.read_text(encoding="utf-8")
        text += data
        for number, line in enumerate(data.splitlines()):
            row = json.loads(line)
            if path.name == "trace.jsonl":
                if row.get("message_id"):
                    prompts[row["message_id"]] += 1
                for call in row.get("tool_calls", []):
                    calls[call["id"]] += 1
                    if not call["success"]:
                        failed.add(call["id"])
                continue
            if row["type"] == "file-history-snapshot":
                continue
            if row["parentUuid"] not in seen and row["parentUuid"] is not None:
                faults.append(f"{path.name}:{number} parent")
            if row["timestamp"] < last:
                faults.append(f"{path.name}:{number} time {last} {row['timestamp']}")
            last = row["timestamp"]
            seen.add(row["uuid"])
            content = row.get("message", {}).get("content")
            if row["type"] == "user" and isinstance(content, str):
                prompts[row["uuid"]] += 1
            for block in content if isinstance(content, list) else []:
                if block["type"] == "tool_use":
                    calls[block["id"]] += 1
                    open_calls.add(block["id"])
                if block["type"] == "tool_result":
                    open_calls.discard(block["tool_use_id"])
                    if block.get("is_error"):
                        failed.add(block["tool_use_id"])
        if open_calls:
            faults.append(f"{path.name}: {len(open_calls)} calls without a result")
    for word in ("agent_error", "use_after_change", "hazy_visit", "alike", "relocated", "stale", "reread"):
        if word in text:
            faults.append(f"label {word!r} in the trace")
    return calls, prompts, failed, faults


def digest(folder):
    h = hashlib.sha256()
    for path in sorted(Path(folder).iterdir()):
        h.update(path.name.encode() + path.read_bytes())
    return h.hexdigest()


def count(folder):
    """Counter of labels per third, plus faults."""
    side = json.loads(Path(f"{folder}.labels.json").read_text())
    calls, prompts, failed, faults = read_trace(folder)
    n = len(side["sessions"])
    thirds, by_call = [Counter() for _ in range(3)], {}
    for session, ident, name in side["labels"]:
        third = thirds[min(2, session * 3 // n)]
        third[name] += 1
        if name != "compaction" and calls[ident] + prompts[ident] != 1:
            faults.append(f"label {name} on an id that is {calls[ident] + prompts[ident]} times in the trace")
        by_call.setdefault(ident, set()).add(name)
        if name == "call" and ident in failed:
            third["failed"] += 1
    for session, ident, name in side["labels"]:
        if name == "agent_error" and "call_in_window" in by_call[ident]:
            thirds[min(2, session * 3 // n)]["win_error"] += 1
    if len(calls) != sum(t["call"] for t in thirds):
        faults.append("calls in the trace and in the labels differ")
    per_session = Counter(s for s, _, name in side["labels"] if name == "request")
    return thirds, faults, per_session, n


def share(counter, metric):
    top, below = METRICS[metric]
    low = sum(counter[b] for b in below)
    return sum(counter[t] for t in top) / low if low else float("nan")


def main():
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 6
    kinds = sys.argv[2:] or list(KINDS)
    bad, sessions = 0, 24
    print(f"{seeds} seeds, {sessions} sessions; per third: requests/session, {', '.join(METRICS)}, compactions/session, failed calls")
    for kind in kinds:
        pooled, problems, sizes = [Counter() for _ in range(3)], [], []
        with tempfile.TemporaryDirectory() as tmp:
            for seed in range(seeds):
                folder = write_agent(kind, seed, sessions, f"{tmp}/{seed}")
                thirds, faults, per_session, n = count(folder)
                problems += faults[:3]
                sizes += per_session.values()
                for pool, third in zip(pooled, thirds):
                    pool.update(third)
                if seed == 0 and digest(folder) != digest(write_agent(kind, seed, sessions, f"{tmp}/again")):
                    problems.append("not deterministic")
        for name, (a, b) in KINDS[kind].get("ramp", {}).items():
            metric, least = MOVES[name]
            move = share(pooled[2], metric) - share(pooled[0], metric)
            if (move if b > a else -move) < (least if name == "effort" else 0.4 * abs(b - a)):
                problems.append(f"{metric} moved by {move:.3f} only")
        for name in KINDS[kind].get("step", {}):
            metric, least = MOVES[name]
            if share(pooled[2], metric) - share(pooled[0], metric) < least:
                problems.append(f"{metric} does not step")
        if KINDS[kind].get("shock"):
            if share(pooled[2], "win_error") - share(pooled[0], "win_error") < 0.04:
                problems.append("errors after the event do not grow")
            if share(pooled[2], "win_correct") < 0.09:
                problems.append("few corrections after the event")
        planted = {MOVES[n][0] for n in [*KINDS[kind].get("ramp", {}), *KINDS[kind].get("step", {})]}
        for metric, slack in SLACK.items():
            move = share(pooled[2], metric) - share(pooled[0], metric)
            noise = sum(share(t, metric) * (1 - share(t, metric)) / sum(t[b] for b in METRICS[metric][1]) for t in (pooled[0], pooled[2])) ** 0.5
            if metric not in planted and not KINDS[kind].get("shock") and abs(move) > max(slack, 4 * noise):
                problems.append(f"{metric} moved by {move:.3f} unplanted")
        if min(sizes) < 6 or (max(sizes) > 26 and kind != "marathon"):
            problems.append(f"sessions of {min(sizes)} to {max(sizes)} requests")
        rows = []
        for third in pooled:
            cells = [f"{third['request'] / seeds / sessions * 3:4.1f}"]
            cells += [f"{share(third, m):4.1f}" if m == "calls/req" else f"{100 * share(third, m):3.0f}" for m in METRICS]
            rows.append(" ".join(cells + [f"{third['compaction'] / seeds / sessions * 3:3.1f}", f"{100 * third['failed'] / third['call']:3.0f}"]))
        print(f"{kind:24s} {' | '.join(rows)}  {'ok' if not problems else problems[:4]}", flush=True)
        bad += bool(problems)
    print("all ok" if not bad else f"{bad} kinds with problems")
    return bad


if __name__ == "__main__":
    sys.exit(bool(main()))
