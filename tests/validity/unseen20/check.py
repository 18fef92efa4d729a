"""Writes 2 lives of every kind and checks them."""
import json, os, sys, tempfile, time, hashlib
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from agents import KINDS, write_agent

def count(path):
    c = dict(calls=0, errors=0, requests=0, interrupts=0, reads=0, t=None); calls, res = [], []
    for l in open(path, encoding="utf-8"):
        d = json.loads(l); p = d.get("payload"); c["t"] = c["t"] or d.get("timestamp") or d["snapshot"]["timestamp"]
        if p is not None:
            t = p.get("type")
            if t in ("function_call", "custom_tool_call"): calls.append(p["call_id"]); a = p.get("arguments", ""); rg = "rg -n" in a; c["reads"] += '"cat ' in a.replace("cat ops/settings", "") or "sed -n" in a
            elif t in ("function_call_output", "custom_tool_call_output"):
                res.append(p["call_id"]); o = p["output"]
                code = json.loads(o)["metadata"]["exit_code"] if o.startswith('{"output"') else int(o.split("exited with code ")[1].split("\n")[0]) if "exited with code " in o else 1 if "failed" in o[:40] or o.startswith("MCP error") else 0
                c["errors"] += bool(code) and " tests failed" not in o and not (rg and code == 1)
            elif t == "user_message": c["requests"] += 1
            elif t == "turn_aborted": c["interrupts"] += 1
        elif d["type"] in ("user", "assistant"):
            m = d["message"]["content"]
            if isinstance(m, str): c["requests"] += d["type"] == "user" and not (d.get("isMeta") or d.get("isCompactSummary") or d["isSidechain"] or m.startswith("<"))
            else:
                b = m[0]
                if b["type"] == "tool_use": calls.append(b["id"]); c["reads"] += b["name"] == "Read"
                elif b["type"] == "tool_result": res.append(b["tool_use_id"]); c["errors"] += bool(b.get("is_error")) and " tests failed" not in b["content"] and "doesn't want to proceed" not in b["content"]
                elif d["type"] == "user": c["interrupts"] += 1
    assert len(set(calls)) == len(calls) and sorted(calls) == sorted(res), path
    c["calls"] = len(calls); return c

def digest(f): return hashlib.sha1(b"".join(n.encode() + open(os.path.join(f, n), "rb").read() for n in sorted(os.listdir(f)))).hexdigest()
N = int(sys.argv[1]) if len(sys.argv) > 1 else 24
bad = 0
with tempfile.TemporaryDirectory() as tmp:
    for kind in KINDS:
        for seed in (1, 2):
            f = f"{tmp}/{kind}{seed}"; t0 = time.process_time(); lab = write_agent(kind, seed=seed, sessions=N, folder=f); dtm = time.process_time() - t0
            cs = sorted((count(os.path.join(f, n)) for n in os.listdir(f)), key=lambda c: c["t"])
            for k in ("calls", "errors", "requests", "interrupts", "reads"):
                if [c[k] for c in cs] != lab[k]: bad += 1; print("DIFFERS", kind, seed, k, [c[k] for c in cs], lab[k])
            if len(cs) != N: bad += 1; print("sessions", kind, len(cs))
            S = {k: sum(v) for k, v in lab.items()}; h = N//2; half = [sum(lab["errors"][a:b])/sum(lab["calls"][a:b]) for a, b in ((0, h), (h, N))]
            if seed == 1:
                g = f + "b"; write_agent(kind, seed=seed, sessions=N, folder=g)
                if digest(f) != digest(g): bad += 1; print("NOT DETERMINISTIC", kind)
            print(f"{kind:20s} {dtm:.3f}s calls/s {S['calls']/N:5.1f} max {max(lab['calls'])} req/s {S['requests']/N:.1f} err {S['errors']/S['calls']:.3f} halves {half[0]:.3f} {half[1]:.3f} reread {S['rereads']/S['reads']:.3f} corr {S['corrections']/S['requests']:.3f} int {S['interrupts']/S['requests']:.3f} stale {S['outdated']/max(1,S['uses']):.3f} of {S['uses']} comp {S['compactions']}")
print("problems:", bad); sys.exit(bool(bad))
