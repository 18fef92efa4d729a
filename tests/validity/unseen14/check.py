"""Write every kind of life and look whether the files are sound and the labels follow the plan.

`check.py` uses 3 seeds with 12, 24 and 40 sessions.
"""
import json
import re
import shutil
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import agents

SEEDS, LENGTHS = (1, 20260, 987654321), (12, 24, 40)
COUNTS = "calls errors reads rereads visits looks uses stale requests asks corrections interrupts".split()
problems = []
NUMBERS = re.compile(r"^ *\d+[→\t]", re.M)
SHOWS = re.compile(r"^(?:cat|cat -n|nl -ba|head -\d+|sed -n '\d+,\d+p') ([\w./-]+)$")


def bad(*words):
    if len(problems) < 60:
        problems.append(" ".join(str(w) for w in words))


def planned(kind, i, n, out, worse):
    """The rates that the order gives for session i."""
    u = i / (n - 1)
    p = {"error": .05, "reread": .10, "look": .03, "stale": .03}
    late = out["step_at"] is not None and i >= out["step_at"]
    if kind in ("rereads", "rereads_shell"):
        p["reread"] = .10 + .20 * u
    elif kind == "twins":
        p["look"] = .03 + .15 * u
    elif kind in ("stale_told", "stale_shown"):
        p["stale"] = .04 + .24 * u
    elif kind in ("errors_claude", "errors_codex"):
        p["error"] = .05 + .12 * u
    elif kind == "errors_strong":
        p["error"] = .05 + .30 * u
    elif i in worse:
        p["error"] = .17
    elif late and kind == "step_silent_rr":
        p["reread"] = .30
    elif late:
        p["error"], p["reread"] = .17, .25
    return p


def records(path):
    rows = []
    for k, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
        try:
            rows.append(json.loads(line))
        except ValueError:
            bad(path, "line", k + 1, "is not JSON")
    return rows


def look(path, form):
    """What the file itself says: calls, re-reads, names of tools, failing tests, prose of users, times."""
    rows = records(path)
    times = [r["timestamp"] for r in rows if "timestamp" in r]
    if any(b < a for a, b in zip(times, times[1:])):
        bad(path.name, "times fall")
    calls, results, tools, prose, failed = {}, {}, {}, [], 0
    side, order = 0, []
    for r in rows:
        if form == "claude":
            content = r.get("message", {}).get("content")
            if r["type"] == "system" and r["subtype"] == "compact_boundary":
                order.append(("compact", None, None, None))
            if isinstance(content, str):
                if r["type"] == "user" and not r.get("isMeta") and not r["isSidechain"] and not content.startswith("<") and not r.get("isCompactSummary"):
                    prose.append(content)
                continue
            for b in content or ():
                if b["type"] == "tool_use":
                    if b["id"] in calls:
                        bad(path.name, "same call twice")
                    calls[b["id"]] = (b["name"], b["input"], r.get("agentId"))
                    tools[b["name"]] = tools.get(b["name"], 0) + 1
                    side += r["isSidechain"]
                elif b["type"] == "tool_result":
                    if b["tool_use_id"] not in calls or b["tool_use_id"] in results:
                        bad(path.name, "result without its call")
                    c = b["content"]
                    results[b["tool_use_id"]] = c if isinstance(c, str) else c[0]["text"]
                    name, args, agent = calls[b["tool_use_id"]]
                    failed += bool(b.get("is_error")) and name != "Task"
                    order.append((name, args, None if b.get("is_error") else results[b["tool_use_id"]], agent))
        else:
            p = r["payload"]
            if r["type"] == "compacted":
                order.append(("compact", None, None, None))
            kind = p.get("type") if r["type"] == "response_item" else None
            if p.get("type") == "user_message":
                prose.append(p["message"].rstrip())
            if kind in ("function_call", "custom_tool_call"):
                if p["call_id"] in calls:
                    bad(path.name, "same call twice")
                args = json.loads(p["arguments"]) if kind == "function_call" else p["input"]
                calls[p["call_id"]] = (p["name"], args, None)
                tools[p["name"]] = tools.get(p["name"], 0) + 1
            elif kind in ("function_call_output", "custom_tool_call_output"):
                if p["call_id"] not in calls or p["call_id"] in results:
                    bad(path.name, "result without its call")
                text = results[p["call_id"]] = p["output"]
                name, args, _ = calls[p["call_id"]]
                wrong = bool(re.search(r"exited with code [1-9]", text)) if name == "exec_command" else not text.startswith(("Exit code: 0", "Plan updated", "Wall time: 0.3"))
                failed += wrong
                order.append((name, args, None if wrong else text, None))
    if set(calls) != set(results):
        bad(path.name, "calls without result:", len(set(calls) - set(results)))
    return dict(calls=len(calls), rereads=rereads(order, form), reads=0, tools=tools, prose=prose, side=side, failed=failed, start=times[0], end=times[-1])


def rereads(order, form):
    """An own count from the file: the same text of the same file, not edited in between, no compaction."""
    seen, n = {}, 0
    for name, args, text, agent in order:
        if name == "compact":
            seen.clear()
        elif name == "Edit" and text:
            for key in [k for k in seen if args["file_path"].endswith("/" + k[1])]:
                del seen[key]
        elif name == "apply_patch" and text:
            path = re.search(r"File: (.+)", args).group(1)
            for key in [k for k in seen if k[1].endswith(path)]:
                del seen[key]
        elif text:
            path = None
            if name == "Read":
                path, body = args["file_path"], text
            elif name in ("Bash", "exec_command"):
                m = SHOWS.match(args.get("command") or args.get("cmd"))
                if m and m.group(1) != "config/frostlade.env":
                    path, body = m.group(1), text.split("Output:\n", 1)[-1]
            if path:
                path = re.sub(r"^/.*?/frostlade/", "", path)
                key = (agent, path, NUMBERS.sub("", body).strip())
                n += key in seen
                seen[key] = True
    return n


def rate(rows, a, b):
    return sum(r[a] for r in rows) / max(1, sum(r[b] for r in rows))


def check(kind):
    info = agents.KINDS[kind]
    pool, spent, share_dup, extra, found = {0: [], 1: [], 2: []}, [], [], {0: [], 1: [], 2: []}, 0
    worse_rows, fine_rows, all_rows = [], [], []
    for n in LENGTHS:
        for seed in SEEDS:
            d = Path(tempfile.mkdtemp())
            t = time.process_time()
            out = agents.write_agent(kind, seed, n, d)
            if n == 24:
                spent.append(time.process_time() - t)
            name = "%s/%s/%s" % (kind, seed, n)
            files = sorted(d.iterdir())
            if len(files) != n or len(out["sessions"]) != n:
                bad(name, "has", len(files), "files")
            pattern = r"[0-9a-f-]{36}\.jsonl$" if info["format"] == "claude" else r"rollout-[\dT-]{19}-[0-9a-f-]{36}\.jsonl$"
            if not all(re.match(pattern, f.name) for f in files):
                bad(name, "names of files")
            seen = sorted((look(f, info["format"]) for f in files), key=lambda s: s["start"])
            for i, (s, r) in enumerate(zip(seen, out["sessions"])):
                if sorted(r) != sorted(COUNTS):
                    bad(name, "labels", sorted(r))
                if s["calls"] != r["calls"]:
                    bad(name, "session", i, "calls", s["calls"], "label", r["calls"])
                if s["failed"] < r["errors"]:
                    bad(name, "session", i, "failed", s["failed"], "errors", r["errors"])
                if any(r[a] > r[b] for a, b in (("errors", "calls"), ("rereads", "reads"), ("looks", "visits"), ("stale", "uses"), ("asks", "requests"))):
                    bad(name, "session", i, "more than all", r)
            if any(b["start"] <= a["end"] for a, b in zip(seen, seen[1:])):
                bad(name, "sessions overlap")
            a, b = sum(s["rereads"] for s in seen), sum(r["rereads"] for r in out["sessions"])
            if abs(a - b) > 3 + .1 * b:
                bad(name, "re-reads in the files", a, "labels", b)
            prose = [x for s in seen for x in s["prose"] if len(x) > 25]
            share_dup.append(1 - len(set(prose)) / len(prose))
            events = [e["session"] for e in out["events"]]
            worse = set()
            if kind == "after_compaction":
                worse = {e + 1 for e in events}
            elif kind == "after_clear":
                worse = set(events)
            if kind.startswith("after") and len(events) != 4:
                bad(name, "events", out["events"])
            if (info["expects"] == "step") != (out["step_at"] is not None) or out["step_at"] is not None and not .39 <= out["step_at"] / n <= .61:
                bad(name, "step at", out["step_at"])
            if kind.startswith("step_silent") and out["events"]:
                bad(name, "something is recorded")
            if kind in ("step_client", "step_model") and events != [out["step_at"]]:
                bad(name, "event not at the step")
            if kind in ("stale_told", "stale_shown") and sum(r["uses"] for r in out["sessions"]) < 25 * n / 24:
                bad(name, "too few uses")
            for i, r in enumerate(out["sessions"]):
                third = min(2, 3 * i // n)
                pool[third].append((r, planned(kind, i, n, out, worse)))
                extra[third].append(seen[i])
                (worse_rows if i in worse else fine_rows).append(r)
                all_rows.append(r)
            shutil.rmtree(d)
    # the same life twice
    two = []
    for _ in range(2):
        d = Path(tempfile.mkdtemp())
        labels = agents.write_agent(kind, 5, 24, d)
        two.append((labels, {f.name: f.read_bytes() for f in d.iterdir()}))
        shutil.rmtree(d)
    if two[0] != two[1]:
        bad(kind, "differs from one time to the other")
    # rates
    shown = []
    for what, hit, of in (("error", "errors", "calls"), ("reread", "rereads", "reads"), ("look", "looks", "visits"), ("stale", "stale", "uses")):
        row = []
        for third in range(3):
            rows = pool[third]
            opp = sum(r[of] for r, _ in rows)
            got = sum(r[hit] for r, _ in rows) / max(1, opp)
            want = sum(r[of] * p[what] for r, p in rows) / max(1, opp)
            room = .01 + .07 * want + 3.2 * (want * (1 - want) * 1.3 / max(1, opp)) ** .5
            if abs(got - want) > room:
                bad(kind, "third", third + 1, what, "%.3f" % got, "planned %.3f" % want, "room %.3f" % room)
            row.append(100 * got)
        shown.append("/".join("%.0f" % x if x >= 10 else "%.1f" % x for x in row))
    for what, want in (("asks", .03), ("corrections", .04), ("interrupts", .01)):
        opp = sum(r["requests"] for r in all_rows)
        got = sum(r[what] for r in all_rows) / opp
        room = .006 + 3.5 * (want / opp) ** .5 + (.03 if what == "corrections" and kind.startswith("stale") else 0)
        if abs(got - want) > room:
            bad(kind, what, "%.3f" % got, "planned", want)
    calls = [r["calls"] for r in all_rows]
    outside = sum(not 22 <= c <= 70 for c in calls) / len(calls)
    if not 30 <= median(calls) <= 58 or outside > (.2 if kind in ("errors_strong", "after_compaction", "after_clear") else .1):
        bad(kind, "calls", min(calls), median(calls), max(calls), "outside %.2f" % outside)
    if sum(spent) / len(spent) > .3:
        bad(kind, "slow %.2f" % (sum(spent) / len(spent)))
    if max(share_dup) > .12:
        bad(kind, "requests repeat %.2f" % max(share_dup))
    note = ""
    if worse_rows:
        a, b = rate(worse_rows, "errors", "calls"), rate(fine_rows, "errors", "calls")
        c, e = rate(worse_rows, "calls", "requests"), rate(fine_rows, "calls", "requests")
        note = "errors after %.3f else %.3f; calls per request %.1f else %.1f" % (a, b, c, e)
        if not .09 <= a - b <= .155 or not 1.3 <= c / e <= 1.8:
            bad(kind, note)
    trait = {"twins": lambda s: s["tools"].get("Bash", 0) / s["calls"], "subagents_adopted": lambda s: s["side"] / s["calls"], "mcp_adopted": lambda s: sum(v for k, v in s["tools"].items() if k[:3] == "mcp") / s["calls"],
             "test_first": lambda s: s["failed"] / s["calls"], "upgrade_tools": lambda s: s["tools"].get("Bash", 0) / s["calls"], "terser_users": lambda s: sum(map(len, s["prose"])) / len(s["prose"]) / 100,
             "rules_edited": lambda s: s["tools"].get("Bash", 0) / s["calls"], "big_plans": lambda s: s["prose"][0].startswith("Implement the following"), "french": lambda s: sum(bool(re.search(r" (le|la|les|un|une|dans|est|en|pour|de) ", x)) for x in s["prose"]) / len(s["prose"])}.get(kind)
    if trait:
        v = [sum(map(trait, extra[k])) / len(extra[k]) for k in range(3)]
        note = "trait " + "/".join("%.2f" % x for x in v)
        if kind == "twins":
            n3 = [sum(map(trait, extra[k])) / len(extra[k]) for k in (0, 2)]
            if not .09 <= n3[1] - n3[0] <= .18:
                bad(kind, note)
    uses = sum(r["uses"] for r in all_rows) / len(all_rows)
    print("%-18s %-6s %-8s %-15s %-15s %-15s %-15s %4d %3d %4d  %.1f  %4.1f  %.2f  %.2fs  %s" % (
        kind, info["format"], info["expects"], *shown, min(calls), median(calls), max(calls), sum(r["requests"] for r in all_rows) / len(all_rows), uses, max(share_dup), sum(spent) / len(spent), note))
    sys.stdout.flush()


if __name__ == "__main__":
    print("rates in %% over the thirds of life, pooled over seeds %s and %s sessions" % (SEEDS, LENGTHS))
    print("%-18s %-6s %-8s %-15s %-15s %-15s %-15s %4s %3s %4s  %s  %s  %s   %s" % ("kind", "format", "expects", "errors", "re-reads", "look-alikes", "outdated", "min", "med", "max", "req", "uses", "same", "time"))
    for kind in sys.argv[1:] or agents.KINDS:
        check(kind)
    print("problems: %d" % len(problems))
    for p in problems:
        print(" -", p)
