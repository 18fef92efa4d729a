"""Writes every kind with several seeds and lengths; checks that files parse and that rates come out as planned."""
import collections, hashlib, json, os, shutil, sys, tempfile, time
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import agents

RATES = {"err": ("errors", "calls"), "rr": ("rereads", "reads"), "look": ("looks", "visits"), "stale": ("stale", "uses"), "ask": ("asks", "requests"), "corr": ("corrections", "requests"), "int": ("interrupts", "requests")}


def files(d):
    return [os.path.join(a, f) for a, _, fs in os.walk(d) for f in fs]


def twice(rows):
    """Re-reads found in a Claude Code file without the labels."""
    use, seen, n = {}, {}, 0
    for r in rows:
        if r.get("subtype") == "compact_boundary":
            seen = {}
        c = r.get("message", {}).get("content")
        if isinstance(c, str) and r.get("isSidechain"):
            seen = {k: v for k, v in seen.items() if not k[0]}
        for b in c if isinstance(c, list) else []:
            if b["type"] == "tool_use" and b["name"] == "Read":
                use[b["id"]] = (r["isSidechain"], b["input"]["file_path"], b["input"].get("offset"))
            elif b["type"] == "tool_result" and b["tool_use_id"] in use and not b.get("is_error"):
                k = use[b["tool_use_id"]]
                n += seen.get(k) == b["content"]
                seen[k] = b["content"]
    return n


def parse(d, lab, bad, tag):
    n, rr, wrong = len(lab["sessions"]), [0], [0]
    fs = files(d)
    if len(fs) != n:
        bad.append(f"{tag}: {len(fs)} files")
    order = []
    for f in fs:
        rows = [json.loads(l) for l in open(f, encoding="utf-8")]
        if lab["format"] == "claude":
            use = [b["id"] for r in rows if r["type"] == "assistant" for b in r["message"]["content"] if b["type"] == "tool_use"]
            res = [b["tool_use_id"] for r in rows if r["type"] == "user" and isinstance(r["message"]["content"], list) for b in r["message"]["content"] if b["type"] == "tool_result"]
        else:
            use = [r["payload"]["call_id"] for r in rows if r["payload"].get("type") in ("function_call", "custom_tool_call")]
            res = [r["payload"]["call_id"] for r in rows if r["payload"].get("type") in ("function_call_output", "custom_tool_call_output")]
        if lab["format"] == "claude":
            rr[0] += twice(rows)
            wrong[0] += sum(1 for r in rows if r["type"] == "user" and isinstance(r["message"]["content"], list) for b in r["message"]["content"] if b.get("is_error"))
        ts = [r["timestamp"] for r in rows if "timestamp" in r]
        if sorted(use) != sorted(res) or ts != sorted(ts):
            bad.append(f"{tag}: calls and results or times do not fit in {f}")
        order.append((ts[0], ts[-1], len(use)))
    if lab["format"] == "claude" and lab["kind"] not in ("mixups",):
        said = sum(s["rereads"] for s in lab["sessions"])
        if abs(said - rr[0]) > 3 + .08 * said:
            bad.append(f"{tag}: {rr[0]} re-reads in the files, {said} in the labels")
        low = sum(s["errors"] for s in lab["sessions"]) + sum(s["failing_tests"] for s in lab["extra"])
        if not low <= wrong[0] <= low + .05 * sum(s["calls"] for s in lab["sessions"]) + 5:
            bad.append(f"{tag}: {wrong[0]} failed calls in the files, {low} own errors and failing tests in the labels")
    order.sort()
    for (a, b) in zip(order, order[1:]):
        if b[0] < a[1]:
            bad.append(f"{tag}: sessions overlap")
    for o, s in zip(order, lab["sessions"]):
        if abs(o[2] - s["calls"]) > s["interrupts"]:
            bad.append(f"{tag}: {o[2]} calls in the file, {s['calls']} in the label")
    return sum(map(os.path.getsize, fs))


def main():
    seeds, lens = (1, 2, 3), (12, 24, 40)
    if len(sys.argv) > 1:
        seeds, lens = tuple(range(1, int(sys.argv[1]) + 1)), (24,)
    bad, slow, total, calls, reqs = [], 0, 0, [], []
    print(f"{'kind':15s} {'third':>6s} " + " ".join(f"{k:>6s}" for k in RATES) + "  told shown  fail  side   mcp shell calls/req")
    for kind, K in agents.KINDS.items():
        acc = collections.defaultdict(collections.Counter)
        for n in lens:
            for seed in seeds:
                d = tempfile.mkdtemp(prefix="b13_")
                t = time.process_time()
                lab = agents.write_agent(kind, seed, n, os.path.join(d, "a"))
                if n == 24:
                    slow = max(slow, time.process_time() - t)
                total += parse(os.path.join(d, "a"), lab, bad, f"{kind}/{seed}/{n}")
                if seed == 1 and n == 12:
                    h = lambda p: hashlib.sha1(b"".join(open(f, "rb").read() for f in sorted(files(p)))).hexdigest()
                    one = h(os.path.join(d, "a"))
                    agents.write_agent(kind, seed, n, os.path.join(d, "b"))
                    if one != h(os.path.join(d, "b")):
                        bad.append(f"{kind}: not deterministic")
                shutil.rmtree(d)
                comp = {e["session"] + 1 for e in lab["events"] if "compaction" in e["event"]}
                for i, (s, x) in enumerate(zip(lab["sessions"], lab["extra"])):
                    if kind == "after_compact":
                        part = "after" if i in comp else "other"
                    elif lab["step_at"] is not None:
                        part = "after" if i >= lab["step_at"] else "before"
                    else:
                        part = ("first", "middle", "last")[i * 3 // n]
                    acc[part].update(s)
                    acc[part].update(x)
                    acc["all"].update(s)
                    acc["all"].update(x)
                    if not (kind == "marathon" and s["calls"] > 100):
                        calls.append(s["calls"])
                        reqs.append(s["requests"])
                    if not lab["step_at"] is None and K["expects"] != "step":
                        bad.append(f"{kind}: step_at")
        for part in sorted(acc, key=["before", "other", "first", "middle", "last", "after", "all"].index):
            a = acc[part]
            if part == "middle":
                continue
            g = lambda x, y: a[x] / max(1, a[y])
            print(f"{kind:15s} {part:>6s} " + " ".join(f"{g(x, y):6.3f}" for x, y in RATES.values()) + f" {g('stale_told','uses_told'):5.3f} {g('stale_shown','uses_shown'):5.3f}" +
                  "".join(f" {g(k,'calls'):5.3f}" for k in ("failing_tests", "side_calls", "mcp_calls", "shell_calls")) + f" {g('calls','requests'):6.2f}  uses {a['uses']}")
        a = acc["all"]
        want = {"err": .045, "rr": .10, "look": .03, "stale": .03, "ask": .03, "corr": .04, "int": .01}
        aged = {"rereads": ["rr"], "mixups": ["look"], "old_told": ["stale"], "old_shown": ["stale"], "errors_cc": ["err"], "errors_cx": ["err"], "after_compact": ["err"], "step_silent": ["err", "rr"], "step_version": ["err", "rr"]}.get(kind, [])
        for k, (x, y) in RATES.items():
            if k not in aged:
                sd = (want[k] * (1 - want[k]) / max(1, a[y])) ** .5 + .04 * want[k]
                if abs(a[x] / max(1, a[y]) - want[k]) > 3.5 * sd:
                    bad.append(f"{kind}: {k} {a[x]/a[y]:.3f}, planned {want[k]}")
    calls.sort(), reqs.sort()
    print(f"{len(agents.KINDS)} kinds; calls a session {calls[0]}-{calls[-1]} (median {calls[len(calls)//2]}), requests {reqs[0]}-{reqs[-1]}; slowest 24-session life {slow:.2f} s CPU; {total/1e6:.0f} MB written")
    print("problems:", len(bad), *bad[:15], sep="\n  ")


main()
