"""Checks the simulated agents: valid JSONL, linked records, determinism, speed; prints planted rates per third of the life.

    python3 check.py [seeds] [kind ...]     # default: all kinds, seeds 0..2, 24 sessions
"""
import hashlib, json, re, sys, tempfile, time
from collections import defaultdict
from pathlib import Path
import agents
from agents import KINDS, write_agent, CORR_EN, CORR_DE

NEED = {"parentUuid", "isSidechain", "userType", "cwd", "sessionId", "version", "gitBranch", "type", "uuid", "timestamp"}
CPAT = [re.compile(re.escape(c.split("{")[0]) + ".*") for c in CORR_EN + CORR_DE if len(c.split("{")[0]) > 5]


def load(folder):
    out = []
    for f in folder.glob("*.jsonl"):
        recs = [json.loads(l) for l in f.read_text(encoding="utf-8").splitlines()]
        ts = [r["timestamp"] for r in recs if "timestamp" in r]
        assert ts == sorted(ts), f
        ids, uses, res = set(), set(), set()
        for r in recs:
            if r["type"] in ("summary", "file-history-snapshot"):
                continue
            assert NEED <= set(r), NEED - set(r)
            assert r["sessionId"] == f.stem and r["uuid"] not in ids
            assert r["parentUuid"] is None or r["parentUuid"] in ids
            ids.add(r["uuid"])
            c = (r.get("message") or {}).get("content")
            for b in c if isinstance(c, list) else []:
                if b["type"] == "tool_use": uses.add(b["id"])
                if b["type"] == "tool_result": assert b["tool_use_id"] in uses; res.add(b["tool_use_id"])
        assert uses == res, f
        out.append((ts[0], recs))
    out.sort(key=lambda x: x[0])
    return [r for _, r in out], out


def stats(recs):
    m = defaultdict(float)
    seen = {}
    for r in recs:
        if r.get("subtype") == "compact_boundary": m["compact"] += 1
        c = (r.get("message") or {}).get("content")
        if r["type"] == "user" and not r.get("isMeta") and not r.get("isCompactSummary") and not r.get("isSidechain"):
            txt = c if isinstance(c, str) else (c[0].get("text") if c and c[0]["type"] == "text" else None)
            if txt and not txt.startswith(("<", "[")):
                m["req"] += 1; m["plen"] += len(txt)
                m["corr"] += any(p.match(txt) for p in CPAT)
        for b in c if isinstance(c, list) else []:
            if b["type"] == "tool_use":
                m["calls"] += 1
                i = b["input"]
                if b["name"] == "Read":
                    k = (i["file_path"], i.get("offset"))
                    m["reads"] += 1; m["again"] += k in seen; seen[k] = 1
                if b["name"] in ("Edit",): m["edits"] += 1
                if b["name"].startswith("mcp__"): m["mcp"] += 1
                if b["name"] == "Task": m["task"] += 1
            if b["type"] == "text" and r["type"] == "assistant" and re.match(r"That is `|Wrong file|This is not the one|Hm, similar", b["text"]): m["wrong"] += 1
            if b["type"] == "tool_result":
                m["err"] += bool(b.get("is_error")); m["bytes"] += len(str(b.get("content")))
    return m


LOG = []          # per use of a key: session, updated before, old value used, compaction since told, asked or looked up again
_use, _act, _say, _look = agents.Session.use, agents.Session.act_use, agents.Session.say, agents.Session.lookup


def act(self, k):
    self.again, self.first = False, None
    lost = self.compactions > k.told_at
    _act(self, k)
    LOG.append((self.sid, bool(k.old), self.first in k.old, lost, self.again))
    self.first = "-"


def use(self, k, v, ok):
    if getattr(self, "first", "-") is None: self.first = v
    _use(self, k, v, ok)


def ask(self, *a, **b):
    if getattr(self, "first", "-") is None: self.again = True
    _say(self, *a, **b)


def look(self, k):
    if getattr(self, "first", "-") is None: self.again = True
    _look(self, k)


agents.Session.use, agents.Session.act_use, agents.Session.say, agents.Session.lookup = use, act, ask, look

if __name__ == "__main__":
    only = sys.argv[2:]
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    n, worst = 24, 0.0
    print(f"{'kind':22s} expects  weeks MB   cpu  | per third: req/session, calls/request, err %, corr % of requests, re-read %, wrong/100 reads, compactions/session, old value used % of uses after an update, asked or looked up again % of uses after a compaction")
    for kind in only or KINDS:
        rows, wk, mb, cpu = [defaultdict(float) for _ in range(3)], 0, 0, 0
        for seed in range(seeds):
            with tempfile.TemporaryDirectory() as d:
                t = time.process_time(); LOG.clear(); write_agent(kind, seed, n, Path(d)); t = time.process_time() - t
                cpu = max(cpu, t)
                S, raw = load(Path(d)); assert len(S) == n
                mb += sum(f.stat().st_size for f in Path(d).glob("*")) / 1e6 / seeds
                from datetime import datetime as D
                wk += (D.fromisoformat(raw[-1][0][:-1]) - D.fromisoformat(raw[0][0][:-1])).days / 7 / seeds
                pos = {next(x["sessionId"] for x in r if "sessionId" in x): i for i, r in enumerate(S)}
                for sid, up, st, lost, again in LOG:
                    x = rows[pos[sid] * 3 // n]
                    x["post"] += up; x["stale"] += up and st; x["lost"] += lost; x["forgot"] += lost and again
                for i, r in enumerate(S):
                    for k, v in stats(r).items(): rows[i * 3 // n][k] += v
        c = [f"{x['req'] / seeds / 8:4.1f} {x['calls'] / x['req']:4.1f} {100 * x['err'] / x['calls']:4.1f} {100 * x['corr'] / x['req']:4.1f} {100 * x['again'] / x['reads']:3.0f} {100 * x['wrong'] / x['reads']:4.1f} {x['compact'] / seeds / 8:3.1f} {100 * x['stale'] / max(1, x['post']):3.0f} {100 * x['forgot'] / max(1, x['lost']):3.0f}" for x in rows]
        print(f"{kind:22s} {KINDS[kind].expects:8s} {wk:4.1f} {mb:4.1f} {cpu:5.2f} | " + " | ".join(c), flush=True)
    h = set()
    for _ in range(2):
        with tempfile.TemporaryDirectory() as d:
            write_agent("revision", 5, 12, Path(d))
            h.add(hashlib.sha256(b"".join(f.name.encode() + f.read_bytes() for f in sorted(Path(d).glob("*")))).hexdigest())
    assert len(h) == 1
    print("deterministic", h.pop()[:16])
