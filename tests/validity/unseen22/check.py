"""Compare the labels with what is in the files, and print planned and realised rates: python check.py [lives]."""
import json
import re
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.dont_write_bytecode = True
_pkg = __import__(HERE.name + ".agents", fromlist=["KINDS"])
_life = __import__(HERE.name + ".y22_life", fromlist=["Life"])
_text = __import__(HERE.name + ".y22_text", fromlist=["CORRECTIONS"])
KINDS, Life, LABELS = _pkg.KINDS, _life.Life, _life.LABELS

SLIP = re.compile(r"[Uu]nknown option|unrecognized|unexpected argument|UNKNOWN_OPTION|unknown flag|not defined|No such file or directory|unexpected EOF|command not found|Cannot find module|No module named"
                  r"|unresolved import|no package called|no required module|File does not exist|Path does not exist|not found in file|Found 2 matches|regex parse|MCP error|verification failed|can't read")
SAID = [re.compile(".+?".join(map(re.escape, re.split(r"\{\w\}", x)))[:1000], re.I)
        for x in _text.CORRECTIONS + _text.CORRECTIONS_DE + _text.CORRECTIONS_ES + _text.STALE_CORRECTIONS]


def acts(path, claude):
    """The file as a list of ('user'|'call'|'result'|'compact'|'stop', ...), and the side (agent id) of each."""
    calls = {}
    for line in path.open(encoding="utf-8"):
        r = json.loads(line)
        if claude:
            side, m = r.get("agentId"), (r.get("message") or {}).get("content")
            if r.get("subtype") == "compact_boundary":
                yield "compact", side
            elif r["type"] == "user" and isinstance(m, str) and not r.get("isMeta") and not r.get("isCompactSummary") and not m.startswith("<") and not side:
                yield "user", side, m
            elif isinstance(m, list):
                for b in m:
                    if b["type"] == "tool_use":
                        calls[b["id"]] = (b["name"], b["input"])
                    elif b["type"] == "tool_result":
                        c = b["content"] if isinstance(b["content"], str) else b["content"][0]["text"]
                        yield "call", side, *calls[b["tool_use_id"]], c, bool(b.get("is_error"))
                    elif b["type"] == "text" and r["type"] == "user":
                        yield "stop", side
            continue
        p = r["payload"]
        t = p.get("type")
        if r["type"] == "compacted":
            yield "compact", None
        elif t == "user_message":
            yield "user", None, p["message"]
        elif t == "turn_aborted":
            yield "stop", None
        elif t in ("function_call", "custom_tool_call"):
            calls[p["call_id"]] = (p["name"], json.loads(p["arguments"]) if "arguments" in p else p["input"])
        elif t in ("function_call_output", "custom_tool_call_output"):
            out, (name, args) = p["output"], calls[p["call_id"]]
            code = re.search(r"exited with code (\d+)|\"exit_code\":(\d+)", out)
            bad = int(code[1] or code[2]) > 0 if code else "failed" in out
            yield "call", None, name, args, out, bad


def shell_of(name, args):
    if name == "Bash":
        return args["command"]
    if name == "exec_command":
        return args["cmd"]
    return args["command"][-1] if name == "shell" and args["command"][0] == "bash" else ""


def recount(life, folder, claude):
    """Count everything again from the files alone (values and kin of files are taken from the life)."""
    kin = {life.w.full(f.path): {life.w.full(x.path) for x in f.kin} for f in life.files}
    order = {v: (key, i) for key, h in life.hist.items() for i, v in enumerate(h)}
    find = re.compile(r"(?<![\w.-])(?:%s)(?![\w-])" % "|".join(re.escape(v) for v in sorted(order, key=len, reverse=True)))
    known, rows = {k: 0 for k in life.hist}, {k: [] for k in LABELS}
    files = sorted(folder.glob("*.jsonl"), key=lambda p: next(json.loads(x)["timestamp"] for x in p.open() if '"timestamp"' in x and "snapshot" not in x[:40]))

    def learn(text):
        for v in find.findall(text):
            k, i = order[v]
            known[k] = max(known[k], i)

    for path in files:
        c, seen, recent, opened = dict.fromkeys(LABELS, 0), {}, [], set()
        for a in acts(path, claude):
            if a[0] == "user":
                c["requests"] += 1
                c["corrections"] += any(x.search(a[2]) for x in SAID)
                learn(a[2])
            elif a[0] == "stop":
                c["interrupts"] += 1
            elif a[0] == "compact":
                c["compactions"] += 1
                seen = {}
            else:
                _, side, name, args, out, bad = a
                c["calls"] += 1
                c["errors"] += bad and bool(SLIP.search(out))
                cmd, target, key = shell_of(name, args), None, None
                hits = {order[v] for v in find.findall(cmd)}
                if hits:
                    c["value_uses"] += 1
                    c["stale"] += any(i < known[k] for k, i in hits)
                if name == "Read":
                    key = (args["file_path"], args.get("offset"), args.get("limit"))
                elif m := re.fullmatch(r"sed -n '(\d+),(\d+)p' (\S+)|cat (\S+)", cmd):
                    key = (life.w.full(m[3] or m[4]), m[1], m[2])
                elif name in ("Edit", "Write"):
                    target = args["file_path"]
                elif "git checkout -- " in cmd:
                    target = life.w.full(cmd.split(" -- ")[1])
                elif m := re.search(r"\*\*\* (?:Update|Add) File: (\S+)", args if isinstance(args, str) else str(args.get("command", "")).replace("\\n", "\n")):
                    target = life.w.full(m[1])
                if target and not bad:
                    seen = {k: v for k, v in seen.items() if k[1] != target}
                if key and not bad:
                    c["reads"] += 1
                    c["rereads"] += (side, *key) in seen
                    seen[(side, *key)] = 1
                    if key[0] not in opened and any(x in kin.get(key[0], ()) for x in recent[-4:]):
                        c["lookalike_picks"] += 1  # rough: two kin opened one after the other
                    opened.add(key[0])
                recent.append(key[0] if key else None)
                learn(out)
        for k in LABELS:
            rows[k].append(c[k])
    return rows


def main(lives):
    exact = [k for k in LABELS if k not in ("lookalike_picks", "file_targets")]
    plan = {"slips": ("errors", "calls", .05), "rereads": ("rereads", "reads", .08), "corrections": ("corrections", "requests", .07), "interrupts": ("interrupts", "requests", .03),
            "stale": ("stale", "value_uses", .04), "look-alikes": ("lookalike_picks", "file_targets", .03)}
    print("kind".ljust(20), "differences label/file".ljust(46), *(f"{k:>12}" for k in plan), "  compact/ses  calls  uses")
    print("planned (healthy)".ljust(67), *(f"{v[2]:12.3f}" for v in plan.values()), "        0.100  15-80     6")
    total = {k: [0, 0] for k in plan}
    for kind, info in KINDS.items():
        sums, diff, pair, late = dict.fromkeys(LABELS, 0), {}, [0, 0], {k: [[0, 0], [0, 0]] for k in plan}
        for seed in range(lives):
            with tempfile.TemporaryDirectory() as d:
                life = Life(kind, info["format"], seed, 40)
                labels = life.write(Path(d))
                rows = recount(life, Path(d), info["format"] == "claude")
            for k in LABELS:
                sums[k] += sum(labels[k])
            for k in exact:
                off = sum(abs(a - b) for a, b in zip(labels[k], rows[k]))
                if off:
                    diff[k] = diff.get(k, 0) + off
            pair[0] += sum(labels["lookalike_picks"])
            pair[1] += sum(rows["lookalike_picks"])
            for k, (a, b, _) in plan.items():
                for j, part in enumerate((slice(0, 10), slice(30, 40))):
                    late[k][j][0] += sum(labels[a][part])
                    late[k][j][1] += sum(labels[b][part])
        text = " ".join(f"{k}:{v}/{sums[k]}" for k, v in diff.items()) or "none"
        print(kind.ljust(20), text.ljust(46), *(f"{sums[a] / max(1, sums[b]):12.3f}" for a, b, _ in plan.values()), f"{sums['compactions'] / lives / 40:13.3f} {sums['calls'] / lives / 40:6.1f} {sums['value_uses'] / lives / 40:5.1f}")
        if info["expect"] == "healthy":
            for k, (a, b, _) in plan.items():
                total[k][0] += sums[a]
                total[k][1] += sums[b]
        print("   first -> last quarter".ljust(67), *(f"{x[0] / max(1, x[1]):6.3f}{y[0] / max(1, y[1]):6.3f}" for x, y in late.values()), f"  kin opened in a row: {pair[1]} for {pair[0]} wrong picks")
    print("healthy together".ljust(67), *(f"{a / b:12.3f}" for a, b in total.values()))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
