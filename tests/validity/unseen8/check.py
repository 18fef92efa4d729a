"""Plain counting on the written files (not the audited tool). usage: check.py [seeds] [sessions] [kind prefix]"""
import json, re, sys, tempfile, time, math
from collections import Counter
from pathlib import Path
sys.path.insert(0, str(Path(__file__).resolve().parent))
import agents, t8_text as T

KEYRE = {"warehouse": r"WH-\d{4}", "ship_date": r"2026-\d\d-\d\d", "carrier_code": r"CR\d{3}[A-H]", "assignee": r"[a-z]+\.[a-z]+\d{1,2}", "cost_center": r"4\d{4}", "preview_port": r"\d{4}", "bucket": r"exports-\w\w-\d{3}", "rate_limit": r"\d{3}", "po_number": r"PO-\d{5}",
 "notify_channel": r"#[a-z]+-\d\d", "release_branch": r"release/\d\.\d\d", "price_list": r"PL\d{4}-\d{3}", "db_host": r"db-\d\d\.internal", "contact": r"[a-z]+\d{2,3}@example\.org", "batch_size": r"\d{3,4}", "discount_code": r"(?:SPRING|LOYAL|TRADE|FAIR)\d{2,3}", "room": r"R\d\.\d{3}", "deadline": r"2026-\d\d-\d\d", "vat_scheme": r"V\d\d-[K-N]", "queue_name": r"q-[a-z]+-\d{3}"}
TEST = re.compile(r"^(pytest|npx vitest|go test|gh run|gh pr checks)")
CORR = [re.compile("^" + re.sub(r"\\\{\w+\\\}", ".+?", re.escape(c))) for c in T.CORR_EN + T.CORR_DE + T.CORR_FR]
WORK = []
for L in (T.EN, T.DE, T.FR, T.TERSE):
    for w, ts in L.items():
        for t in ts: WORK.append((len(t) if L is not T.TERSE else 0, w, re.compile(("^" if L is T.TERSE else "") + re.sub(r"\\\{\w+\\\}", ".+?", re.escape(t[1:])), re.S) if L is not T.TERSE else re.compile("^" + re.sub(r"\\\{\w+\\\}", ".+?", re.escape(t)) + r"(?= |$)")))
WORK.sort(key=lambda x: -x[0])

def work(text):
    if text.startswith("Implement the following plan"): return "plan"
    for _, w, r in WORK:
        if r.search(text): return w

def load(folder):
    ss = []
    for f in folder.glob("*.jsonl"):
        if f.name.startswith("agent-"): continue
        ev, ids, first, ctx = [], {}, None, []
        seen = set(); uu = set()
        for line in f.read_text(encoding="utf-8").splitlines():
            d = json.loads(line)
            if "uuid" in d:
                assert d["uuid"] not in uu; uu.add(d["uuid"])
                assert d.get("parentUuid") is None or d["parentUuid"] in uu
            first = first or d.get("timestamp")
            if f.name.startswith("rollout"):
                p = d["payload"]; t = p.get("type")
                if d["type"] == "event_msg" and t == "user_message": ev.append(["user", p["message"]])
                elif t == "context_compacted": ev.append(["compact"])
                elif t == "function_call": ids[p["call_id"]] = e = ["call", p["name"], json.loads(p["arguments"]), None, ""]; ev.append(e)
                elif t == "custom_tool_call": ids[p["call_id"]] = e = ["call", p["name"], {"patch": p["input"]}, None, ""]; ev.append(e)
                elif t in ("function_call_output", "custom_tool_call_output"):
                    o = p["output"]; e = ids[p["call_id"]]; e[4] = o
                    m = re.search(r"(?:Process exited with code|Exit code:) (\d+)", o); e[3] = o.startswith("apply_patch verification") or bool(m and m.group(1) != "0")
                elif t == "token_count": ctx.append(p["info"]["last_token_usage"]["input_tokens"])
            elif d["type"] == "system": ev.append(["compact"])
            elif d["type"] == "user" and not d.get("isMeta") and not d.get("isCompactSummary"):
                c = d["message"]["content"]
                if isinstance(c, str):
                    if "<command-name>/clear" in c: ev.append(["clear"])
                    elif not c.startswith("<"): ev.append(["user", c])
                else:
                    for b in c: ids[b["tool_use_id"]][3] = bool(b.get("is_error")); ids[b["tool_use_id"]][4] = b["content"] if isinstance(b["content"], str) else b["content"][0]["text"]
            elif d["type"] == "assistant":
                m = d["message"]
                if m["id"] not in seen:
                    seen.add(m["id"]); u = m["usage"]; ctx.append(u["input_tokens"] + u["cache_read_input_tokens"] + u["cache_creation_input_tokens"])
                for b in m["content"]:
                    if b["type"] == "tool_use": ids[b["id"]] = e = ["call", b["name"], b["input"], None, ""]; ev.append(e)
        assert all(e[3] is not None for e in ids.values()), f
        ss.append((first, ev, ctx))
    ss.sort(key=lambda s: s[0])
    return ss

def cmd_of(e): return e[2].get("command") or e[2].get("cmd") or ""
def read_path(e):
    if e[1] == "Read": return e[2]["file_path"]
    if e[1] == "exec_command":
        m = re.match(r"(?:cat|nl -ba) (\S+)|sed -n '[\d,]+p' (\S+)", cmd_of(e))
        if m: return m.group(1) or m.group(2)
def twin(a, b):
    if a == b or a.rsplit("/", 1)[0] != b.rsplit("/", 1)[0]: return False
    a, b = a.rsplit("/", 1)[-1].split(".")[0], b.rsplit("/", 1)[-1].split(".")[0]
    n, _, r = b.partition("_"); return a in (f"{n}s_{r}", f"{n}_{r}s", f"{n}_{r}2")

def count(ss, seen, cur):
    """per session: dict of metric -> (hits, of)"""
    out = []
    for first, ev, ctx in ss:
        c = Counter(); known = {}; vis = []; req = None; per = []; tools = Counter(); reason = set()
        for e in ev:
            if e[0] in ("compact", "clear"): known.clear(); vis.clear(); c[e[0]] += 1; continue
            if e[0] == "user":
                c["req"] += 1; text = e[1]
                iscorr = any(r.search(text) for r in CORR); c["corr"] += iscorr
                per.append(["corr" if iscorr else work(text), 0]); reason = set(re.findall(r"[\w./]+/[\w.]+", text)) if re.search("by hand|myself|in my editor", text) else set()
                for cl in re.split(r"; |\. ", text):
                    for k, rx in KEYRE.items():
                        if re.search(r"\b" + k.replace("_", "[_ ]") + r"\b", cl):
                            for v in re.findall(r"(?<![\w-])" + rx + r"(?![\w])(?!-\d)", cl):
                                if (k, v) not in seen: seen[(k, v)] = len(seen); cur.setdefault(k, []).append(v)
                c["words"] += len(text.split())
                continue
            name, inp, err = e[1], e[2], e[3]
            c["calls"] += 1; tools[name] += 1
            if per: per[-1][1] += 1
            test = bool(TEST.match(cmd_of(e)))
            rej = err and str(e[4]).startswith("The user doesn't want")
            if test: c["test"] += 1; c["testfail"] += err
            elif err and not rej: c["err"] += 1
            if "show --json" in cmd_of(e) or name.endswith("get_settings"):
                try: obj = json.loads(e[4][e[4].index("{"):])
                except ValueError: obj = {}
                for k, v in obj.items():
                    if (k, v) not in seen: seen[(k, v)] = len(seen); cur.setdefault(k, []).append(v)
            args = {k: v for k, v in inp.items() if k in KEYRE}
            args.update(re.findall(r"--(\w+) '([^']+)'", cmd_of(e)) if "bin/desk" in cmd_of(e) else [])
            if args: c["valcall"] += 1
            for k, v in args.items():
                if k not in KEYRE: continue
                if (k, v) not in seen: c["unannounced"] += 1; continue
                if len(cur[k]) > 1: c["use"] += 1; c["stale"] += v != cur[k][-1]
            pth = read_path(e)
            if pth and not err:
                c["read"] += 1
                if known.get(pth) and not any(pth.endswith(x) for x in reason): c["reread"] += 1
                if pth not in vis:
                    c["first"] += 1
                    if vis and twin(vis[-1], pth): c["look"] += 1; c["first"] -= 1
                    vis.append(pth)
                known[pth] = True
            if name in ("Edit", "Write") and not err: known.pop(inp["file_path"], None)
            if name == "apply_patch" and not err: known.pop(re.search(r"File: (\S+)", inp["patch"]).group(1), None)
            pat = inp.get("pattern") or (re.match(r"rg -n '([^']+)'$", cmd_of(e)) or [None, None])[1]
            if pat and "path" not in inp and (name in ("Grep", "Search") or cmd_of(e).endswith("'")): c["vague"] += 1
        grow = [b - a for a, b in zip(ctx, ctx[1:]) if b > a]
        out.append((c, per, tools, sum(grow) / max(1, len(grow))))
    return out

METRICS = {"error": ("err", "calls"), "reread": ("reread", "read"), "lookalike": ("look", "first"), "stale": ("stale", "use"), "correction": ("corr", "req"), "vague": ("vague", "calls"), "testfail": ("testfail", "test"), "valcalls": ("valcall", "calls")}

def trend(rows):
    """rows (u, hits, of, agent): slope of the pooled rate from start to end, z with agent-session scatter."""
    rows = [r for r in rows if r[2] > 0]; W = sum(r[2] for r in rows); mu = sum(r[0] * r[2] for r in rows) / W; ym = sum(r[1] for r in rows) / W
    sxx = sum(r[2] * (r[0] - mu) ** 2 for r in rows) or 1e-9
    b = sum((r[0] - mu) * (r[1] - ym * r[2]) for r in rows) / sxx
    var = sum(((r[0] - mu) * (r[1] - r[2] * (ym + b * (r[0] - mu)))) ** 2 for r in rows) / sxx ** 2
    return ym, b, b / (math.sqrt(var) or 1e-9)

def main():
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 6; n = int(sys.argv[2]) if len(sys.argv) > 2 else 24
    bad = []
    only = sys.argv[3] if len(sys.argv) > 3 else ''
    for kind, K in agents.KINDS.items():
        if not kind.startswith(only): continue
        rows = {m: [] for m in METRICS}; rows["ctx/call"] = []; rows["words"] = []; calls = []; tl = [Counter(), Counter()]; tot = Counter(); secs = 0; unl = 0; evs = []; affected = []; stp = []
        for seed in range(seeds):
            with tempfile.TemporaryDirectory() as d:
                t = time.time(); agents.write_agent(kind, seed, n, Path(d)); secs += time.time() - t
                ss = load(Path(d)); assert len(ss) == n, (kind, len(ss))
                res = count(ss, {}, {})
            for i, (c, per, tools, g) in enumerate(res):
                u = i / (n - 1); tot.update(c)
                for m, (a, b) in METRICS.items(): rows[m].append((u, c[a], c[b]))
                rows["ctx/call"].append((u, g, 1)); rows["words"].append((u, c["words"], c["req"]))
                for w, k in per:
                    if w: calls.append((u, k, w, seed, i))
                    else: unl += 1
                if u < .25: tl[0].update(tools)
                if u > .75: tl[1].update(tools)
                stp.append((seed, i, c))
            if "maintenance" in kind:
                key = "clear" if kind.endswith("clear") else "compact"
                es = [i for i, (c, *_) in enumerate(res) if c[key]]
                evs.append(len(es))
                for i, (c, per, *_) in enumerate(res): affected.append((i in es or i - 1 in es, c, i, seed))
        mean = {}
        for u, k, w, *_ in calls: mean.setdefault(w, []).append(k)
        mean = {w: sum(v) / len(v) for w, v in mean.items()}
        ses = {}
        for u, k, w, s, i in calls: ses.setdefault((s, i), []).append((u, k / max(.1, mean[w])))
        rows["calls/req"] = [(v[0][0], sum(x[1] for x in v), len(v)) for v in ses.values()]
        print(f"\n{kind} [{K['expects']}{', ' + K['mechanism'] if K['mechanism'] else ''}] {secs / seeds:.2f} s/agent; {tot['req'] / seeds / n:.1f} requests/session, {tot['calls'] / tot['req']:.1f} calls/request; unlabelled requests {unl / tot['req']:.0%}; unannounced values {tot['unannounced']}")
        line = []
        for m, r in rows.items():
            ym, b, z = trend(r)
            e = [x for x in r if x[0] < .25]; l = [x for x in r if x[0] > .75]; f = lambda q: sum(x[1] for x in q) / max(1, sum(x[2] for x in q))
            line.append(f"  {m:10s} mean {ym:8.3f}  first quarter {f(e):8.3f}  last quarter {f(l):8.3f}  fitted start {ym - b * .5:8.3f} end {ym + b * .5:8.3f}  z {z:5.1f}")
            if K["expects"] == "healthy" and m in ("error", "reread", "correction", "stale", "lookalike", "calls/req") and abs(z) > 3.2: bad.append((kind, m, round(z, 1)))
        print("\n".join(line))
        A, B = (sum(x.values()) for x in tl)
        print(f"  tool mix, total variation first to last quarter: {sum(abs(tl[0][k] / A - tl[1][k] / B) for k in set(tl[0]) | set(tl[1])) / 2:.3f}")
        if affected:
            for flag in (False, True):
                cs = [c for a, c, *_ in affected if a == flag]; ck = [k / mean[w] for u, k, w, s, i in calls if any(a == flag and i == j and s == sd for a, _, j, sd in affected)]
                print(f"  {'after event' if flag else 'elsewhere  '}: sessions {len(cs)}, error rate {sum(c['err'] for c in cs) / sum(c['calls'] for c in cs):.3f}, calls per same request {sum(ck) / max(1, len(ck)):.2f}")
            print("  events per agent:", evs)
        if kind.startswith("s_"):
            for s in range(min(3, seeds)): print(f"  seed {s} errors per 100 calls by session:", " ".join(f"{100 * c['err'] / max(1, c['calls']):.0f}" for sd, i, c in stp if sd == s))
    print("\nHealthy kinds with a trend beyond |z| 3.2 in the agent's own faults or calls:", bad or "none")

if __name__ == "__main__": main()
