"""Checks the twenty kinds: shapes, labels, determinism, speed, and that nothing gets worse. Exits 1 on problems."""

import json
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import agents  # noqa: E402

NAMES = ("calls", "results", "errors", "reads", "rereads", "requests", "corrections", "interrupts")
SKIP = ("<command-name>", "<local-command", "This session is being continued", "<environment_context>", "<turn_aborted>", "[Request interrupted")
LIVES = 90


def scan(path, fmt):
    """What one file shows: calls, results, failed results, requests, interrupts; and problems."""
    calls, results, bad, asks, stops, problems, last = [], [], 0, 0, 0, [], ""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            r = json.loads(line)
        except ValueError:
            problems.append(f"line {number}: not JSON")
            continue
        at = r.get("timestamp", "")
        if at and at < last:
            problems.append(f"line {number}: time goes back ({last} to {at})")
        last = max(last, at)
        if fmt == "claude":
            content = (r.get("message") or {}).get("content")
            if isinstance(content, str):
                asks += r["type"] == "user" and not r["isSidechain"] and not content.startswith(SKIP)
            for b in content if isinstance(content, list) else ():
                if b["type"] == "tool_use":
                    calls.append(b["id"])
                elif b["type"] == "tool_result":
                    results.append(b["tool_use_id"])
                    if results[-1] not in calls:
                        problems.append(f"line {number}: result before its call")
                    bad += bool(b.get("is_error"))
                elif b["type"] == "text" and b["text"].startswith("[Request interrupted"):
                    stops += 1
        else:
            p = r["payload"]
            if r["type"] == "event_msg":
                asks += p["type"] == "user_message"
                stops += p["type"] == "turn_aborted"
            elif p.get("type") in ("function_call", "custom_tool_call"):
                calls.append(p["call_id"])
                if p["type"] == "function_call":
                    json.loads(p["arguments"])
            elif p.get("type") in ("function_call_output", "custom_tool_call_output"):
                results.append(p["call_id"])
                out = p["output"]
                bad += ("exited with code 0" not in out[:120] and "Exit code: 0" not in out[:20] and '"exit_code":0' not in out
                        and out != "Plan updated")
    if sorted(calls) != sorted(results) or len(set(calls)) != len(calls):
        problems.append("calls and results do not match")
    return len(calls), len(results), bad, asks, stops, problems


def first_time(path):
    return min(r["timestamp"] for r in map(json.loads, path.read_text(encoding="utf-8").splitlines()) if "timestamp" in r)


def files(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*.jsonl"))}


def shapes(kind):
    fmt, problems, worst = agents.KINDS[kind]["format"], [], 0.0
    with tempfile.TemporaryDirectory() as tmp:
        for seed in (1, 2):
            for n in (12, 24, 40):
                a, b = Path(tmp) / f"{seed}-{n}-a", Path(tmp) / f"{seed}-{n}-b"
                took = []
                for folder in (a, b):
                    begun = time.process_time()
                    got = agents.write_agent(kind, seed=seed, sessions=n, folder=folder)
                    took.append(time.process_time() - begun)
                if n == 24:
                    worst = max(worst, min(took))
                if files(a) != files(b):
                    problems.append(f"{seed}/{n}: not deterministic")
                if set(got) != set(NAMES) or any(len(v) != n for v in got.values()):
                    problems.append(f"{seed}/{n}: labels wrong: { {k: len(v) for k, v in got.items()} }")
                if len(files(a)) != n:
                    problems.append(f"{seed}/{n}: {len(files(a))} files")
                rows = []
                for p in sorted(a.rglob("*.jsonl")):
                    c, r, bad, asks, stops, issues = scan(p, fmt)
                    problems += [f"{seed}/{n} {p.name}: {x}" for x in issues]
                    rows.append((first_time(p), (c, r, asks, stops, bad)))
                want = zip(got["calls"], got["results"], got["requests"], got["interrupts"], got["errors"])
                for (_, have), need in zip(sorted(rows), want):
                    if have[:4] != need[:4] or have[4] < need[4]:
                        problems.append(f"{seed}/{n}: a file shows {have}, the labels say {need}")
                if not 0.0 < sum(got["errors"]) / sum(got["calls"]) < 0.1 or min(got["calls"]) < 2 or (
                        kind != "one_very_long" and max(got["calls"]) > 120):
                    problems.append(f"{seed}/{n}: odd rates or sizes: {sum(got['errors'])} of {sum(got['calls'])}, {min(got['calls'])}..{max(got['calls'])}")
    if worst > 0.15:
        problems.append(f"slow: {worst:.3f} s for 24 sessions")
    return problems, worst


def trend(kind):
    """Ratios of the last third to the first over many lives, raw and against what was planned for these calls."""
    sums = [dict.fromkeys(("calls", "errors", "reads", "rereads", "plan_err", "plan_rr", "corrections", "requests"), 0.0) for _ in range(3)]
    for seed in range(100, 100 + LIVES):
        for i, s in enumerate(agents._life(kind, seed, 24, None)):
            for k in sums[0]:
                sums[i * 3 // 24][k] += getattr(s, k)
    a, _, b = sums

    def ratio(x, y):
        return (b[x] / b[y]) / (a[x] / a[y])
    return {"errors/calls": ratio("errors", "calls"), "rereads/reads": ratio("rereads", "reads"), "plan errors": ratio("plan_err", "calls"),
            "plan rereads": ratio("plan_rr", "reads"), "corrections/requests": ratio("corrections", "requests"),
            "rates": (a["errors"] / a["calls"], a["rereads"] / a["reads"], a["corrections"] / a["requests"])}


def work(kind):
    return kind, shapes(kind), trend(kind)


def main():
    failed = False
    with ProcessPoolExecutor() as pool:
        for kind, (problems, worst), t in pool.map(work, agents.KINDS):
            mixed = kind in agents.MIX_CHANGES
            for name, plan in (("errors/calls", "plan errors"), ("rereads/reads", "plan rereads")):
                value = t[name] / t[plan] if mixed else t[name]  # where the mix of calls changes: against the planned rate
                if not 0.85 <= value <= 1.15:
                    problems.append(f"{name}: last third / first third is {t[name]:.2f} (planned {t[plan]:.2f})")
            print(f"{kind:18} {worst:.3f} s  errors/calls {t['rates'][0]:.3f} x{t['errors/calls']:.2f} (planned x{t['plan errors']:.2f})  "
                  f"rereads/reads {t['rates'][1]:.3f} x{t['rereads/reads']:.2f} (planned x{t['plan rereads']:.2f})  corrections/requests "
                  f"{t['rates'][2]:.3f} x{t['corrections/requests']:.2f}{'  [mix of calls changes]' if mixed else ''}")
            for p in problems[:12]:
                failed = True
                print("   PROBLEM", p)
    print("FAILED" if failed else "ok")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
