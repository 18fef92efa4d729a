"""Checks of the written lives. Usage: python3 check.py [lives per kind for the rates, 12]"""
import glob
import hashlib
import json
import math
import os
import re
import shutil
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import agents
from r18_life import Life

KEYS = ("calls", "errors", "reads", "rereads", "requests", "corrections", "interrupts")


def rows(path):
    with open(path, encoding="utf-8") as f:
        return [json.loads(x) for x in f]


def claude(path):
    """Counts that can be made from one file."""
    c = dict(calls=0, reads=0, rereads=0, requests=0, interrupts=0, bad=0, compact=0)
    use, done, seen, uuids = {}, set(), {}, set()
    for d in rows(path):
        if "uuid" in d:
            assert d["uuid"] not in uuids
            assert d["parentUuid"] is None or d["parentUuid"] in uuids, path
            uuids.add(d["uuid"])
        c["compact"] += d.get("subtype") == "compact_boundary"
        if d["type"] not in ("user", "assistant"):
            continue
        cont = d["message"]["content"]
        if isinstance(cont, str):
            if not (d.get("isMeta") or d["isSidechain"] or d.get("isCompactSummary") or cont.startswith(("<command", "<local"))):
                c["requests"] += 1
            continue
        for b in cont:
            who = d.get("agentId")
            if b["type"] == "tool_use":
                c["calls"] += 1
                assert b["id"] not in use
                use[b["id"]] = (b, who)
            elif b["type"] == "tool_result":
                i = b["tool_use_id"]
                assert i in use and i not in done
                done.add(i)
                u, who = use[i]
                if b.get("is_error"):
                    c["bad"] += 1
                    continue
                a = u["input"]
                k = (who, a.get("file_path"))
                if u["name"] == "Read":
                    c["reads"] += 1
                    m = seen.setdefault(k, set())
                    c["rereads"] += a.get("offset") in m
                    m.add(a.get("offset"))
                elif u["name"] == "Edit":
                    for q in [q for q in seen if q[1] == k[1]]:
                        seen[q] = set()
            elif b["type"] == "text" and b["text"].startswith("[Request interrupted"):
                c["interrupts"] += 1
    assert len(done) == len(use)
    return c


def codex(path):
    c = dict(calls=0, reads=0, rereads=0, requests=0, interrupts=0, bad=0, compact=0)
    use, done, seen = {}, set(), {}
    for d in rows(path):
        p = d["payload"]
        c["compact"] += d["type"] == "compacted"
        t = p.get("type")
        c["requests"] += t == "user_message"
        c["interrupts"] += t == "turn_aborted"
        if t in ("function_call", "custom_tool_call"):
            c["calls"] += 1
            assert p["call_id"] not in use
            cmd = p.get("input", "")
            if t == "function_call":
                a = json.loads(p["arguments"])
                cmd = a.get("cmd") or (a["command"][-1] if "command" in a else "")
            use[p["call_id"]] = cmd
        elif t in ("function_call_output", "custom_tool_call_output"):
            i, o = p["call_id"], p["output"]
            assert i in use and i not in done
            done.add(i)
            m = re.search(r"exited with code (\d+)|\"exit_code\": (\d+)", o)
            if m and (m[1] or m[2]) != "0" or o.startswith(("apply_patch ver", "failed to parse")):
                c["bad"] += 1
                continue
            if "by user" in o[:40]:
                continue
            m = re.match(r"(?:sed -n '([\d,p]+)'|cat|nl -ba) (\S+)$", use[i])
            if m:
                c["reads"] += 1
                s = seen.setdefault(m[2], set())
                c["rereads"] += m[1] in s
                s.add(m[1])
            elif use[i].startswith("*** Begin Patch\n*** Update File: "):
                seen[use[i].split("\n")[1][17:]] = set()
    assert len(done) == len(use)
    return c


def order(fmt, folder):
    fs = glob.glob(os.path.join(folder, "*.jsonl"))
    first = lambda p: next(d["timestamp"] for d in rows(p) if "timestamp" in d)
    return sorted(fs, key=first)


def digest(folder):
    h = hashlib.sha256()
    for p in sorted(glob.glob(folder + "/*")):
        h.update(os.path.basename(p).encode() + open(p, "rb").read())
    return h.hexdigest()


def main(lives=12):
    top, slow, fail = tempfile.mkdtemp(), 0, 0
    for k, spec in agents.KINDS.items():
        for seed, n in ((0, 24), (1, 24), (2, 24), (3, 12), (4, 40)):
            f = os.path.join(top, f"{k}-{seed}")
            L = Life(k, spec, seed, n, f)
            t = time.process_time()
            lab = L.run()
            if n == 24:
                slow = max(slow, time.process_time() - t)
            fs = order(spec["format"], f)
            assert len(fs) == n and all(len(lab[x]) == n for x in KEYS)
            cs = [(claude if spec["format"] == "claude" else codex)(p) for p in fs]
            for x in ("calls", "reads", "rereads", "requests", "interrupts"):
                got = [c[x] for c in cs]
                if got != lab[x]:
                    fail += 1
                    print("DISAGREE", k, seed, x, [(i, a, b) for i, (a, b) in enumerate(zip(got, lab[x])) if a != b][:5])
            st = L.stat
            want = sum(lab["errors"]) + st["failed"] + (st["rejects"] + st["intr_ops"] if spec["format"] == "claude" else st["nohit"])
            if sum(c["bad"] for c in cs) != want:
                fail += 1
                print("BAD MARKS", k, seed, sum(c["bad"] for c in cs), want)
        g = os.path.join(top, "again")
        assert agents.write_agent(k, seed=1, sessions=24, folder=g) is not None
        assert digest(g) == digest(os.path.join(top, f"{k}-1")), k
        shutil.rmtree(g)
    print(f"files ok, disagreements {fail}, slowest life of 24: {slow:.2f} s")
    print(f"{'kind':20s} first third / last third (z of the difference over {lives} lives)")
    for k, spec in agents.KINDS.items():
        tab, ex = [], [0, 0, 0, 0]
        aft, bef = [0] * 5, [0] * 5
        for seed in range(100, 100 + lives):
            f = os.path.join(top, "r")
            L = Life(k, spec, seed, 24, f)
            tab.append(L.run())
            ex = [a + b for a, b in zip(ex, (L.stat["uses"], L.stat["stale"], L.stat["tests"], L.stat["failed"]))]
            aft = [a + b for a, b in zip(aft, L.stat["after"])]
            bef = [a + b for a, b in zip(bef, L.stat["before"])]
            shutil.rmtree(f)
        line = ""
        for name, a, b in (("slips", "errors", "calls"), ("rereads", "rereads", "reads"), ("corr", "corrections", "requests"), ("intr", "interrupts", "requests"), ("calls/req", "calls", "requests")):
            fa = [sum(t[a][:8]) / sum(t[b][:8]) for t in tab]
            la = [sum(t[a][-8:]) / sum(t[b][-8:]) for t in tab]
            d = [y - x for x, y in zip(fa, la)]
            m = sum(d) / lives
            sd = math.sqrt(sum((x - m) ** 2 for x in d) / (lives - 1)) or 1
            pa = sum(sum(t[a][:8]) for t in tab) / sum(sum(t[b][:8]) for t in tab)
            pb = sum(sum(t[a][-8:]) for t in tab) / sum(sum(t[b][-8:]) for t in tab)
            z = m / sd * math.sqrt(lives)
            q = 1 if name == "calls/req" else 100
            star = "*" if abs(z) > 3 and q == 100 else ""
            line += f" {name} {pa * q:.1f}/{pb * q:.1f} ({z:+.1f}{star})"
        print(f"{k:20s}{line} | stale {100 * ex[1] / max(ex[0], 1):.1f}% tests failing {100 * ex[3] / max(ex[2], 1):.0f}%", flush=True)
        if aft[4]:
            s = lambda v: f"slips {100 * v[1] / v[0]:.1f} rereads {100 * v[3] / v[2]:.1f} calls/req {v[0] / v[4]:.1f}"
            print(f"{'':20s} before compactions: {s(bef)}; after: {s(aft)}")
    shutil.rmtree(top)
    return 1 if fail else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 12))
