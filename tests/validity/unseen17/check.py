"""Checks of the set: parsing, pairs of calls and results, labels, determinism, rates."""
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
from agents import KINDS, build, write_agent  # noqa: E402
from s17_words import CORR  # noqa: E402

SLOT = re.compile(r"\\\{(\w+)\\\}")
CORR_RX = [re.compile(SLOT.sub(lambda m: {"symptom": "[a-z ]+?", "n": r"\\d+", "ent": "[a-z]+", "area": "[a-z0-9]+"}.get(m[1], r"[\\w./-]+").replace("\\\\", "\\"), re.escape(x))) for v in CORR.values() for x in v]
NOTSLIP = re.compile(r"^FAILED |lint found \d+ problem|doesn't want to proceed|rejected by user", re.M)
PLANNED = "calls errors reads rereads requests corrections interrupts".split()


def digest(folder):
    h = hashlib.sha256()
    for p in sorted(glob.glob(folder + "/*")):
        h.update(os.path.basename(p).encode())
        h.update(open(p, "rb").read())
    return h.hexdigest()


def asks(text, n):
    n["requests"] += 1
    n["corrections"] += any(r.search(text) for r in CORR_RX) and not text.startswith("Implement the following plan")


def seen_read(n, log, key):
    n["reads"] += 1
    n["rereads"] += key in log
    log.add(key)


def scan(path, fmt):
    n, log, calls, done, inputs = dict.fromkeys(PLANNED, 0), set(), {}, set(), []
    ids, parents = set(), []
    for line in open(path, encoding="utf-8"):
        o = json.loads(line)
        if fmt == "claude":
            if "uuid" in o:
                assert o["uuid"] not in ids
                ids.add(o["uuid"])
                if o["parentUuid"]:
                    assert o["parentUuid"] in ids
            if o["type"] not in ("user", "assistant"):
                continue
            c = o["message"]["content"]
            if isinstance(c, str):
                if o["type"] == "user" and not (o.get("isCompactSummary") or o["isSidechain"] or c.startswith("<")):
                    asks(c, n)
                continue
            for b in c:
                if b["type"] == "tool_use":
                    assert b["id"] not in calls
                    calls[b["id"]] = b
                    n["calls"] += 1
                    inputs.append(json.dumps(b["input"], ensure_ascii=False))
                elif b["type"] == "tool_result":
                    i = b["tool_use_id"]
                    assert i in calls and i not in done
                    done.add(i)
                    u, err = calls[i], b.get("is_error")
                    t = b["content"] if isinstance(b["content"], str) else b["content"][0]["text"]
                    n["errors"] += bool(err and not NOTSLIP.search(t))
                    if not err and u["name"] == "Read":
                        a = u["input"]
                        seen_read(n, log, (a["file_path"], a.get("offset"), a.get("limit")))
                    elif not err and u["name"] == "Edit":
                        log = {k for k in log if k[0] != u["input"]["file_path"]}
                elif b["type"] == "text" and b["text"].startswith("[Request interrupted"):
                    n["interrupts"] += 1
        else:
            p = o["payload"]
            k = p.get("type")
            if k == "user_message":
                asks(p["message"], n)
            elif k == "turn_aborted":
                n["interrupts"] += 1
            elif k in ("function_call", "custom_tool_call"):
                assert p["call_id"] not in calls
                calls[p["call_id"]] = p
                n["calls"] += 1
                inputs.append(p.get("arguments") or p["input"])
            elif k in ("function_call_output", "custom_tool_call_output"):
                i, t = p["call_id"], p["output"]
                assert i in calls and i not in done
                done.add(i)
                u = calls[i]
                raw = u.get("arguments") or u["input"]
                m = re.search(r'"exit_code":(\d+)|exited with code (\d+)|Exit code: (\d+)', t)
                code = int(next(x for x in m.groups() if x)) if m else int(t.startswith(("apply_patch verif", "tool call error", "exec command rej", "patch rej")))
                cmd = ""
                if u["name"] in ("shell", "exec_command"):
                    a = json.loads(raw)
                    cmd = a.get("cmd") or a["command"][-1]
                nohit = code == 1 and cmd.startswith("rg ")
                t2 = json.loads(t)["output"] if t.startswith('{"output"') else t.partition("Output:\n")[2] or t
                n["errors"] += bool(code and not nohit and not NOTSLIP.search(t2))
                if not code and re.match(r"(sed -n '\d+,\d+p'|cat) \S+$", cmd):
                    seen_read(n, log, (cmd.split()[-1], cmd))
                elif not code and "*** Update File: " in (cmd if cmd else raw):
                    f = re.search(r"\*\*\* Update File: (\S+)", (cmd if cmd else raw))[1]
                    log = {x for x in log if x[0] != f}
    assert set(calls) == done, path
    return n, "\n".join(inputs)


def files():
    tmp, off, slow = tempfile.mkdtemp(), {}, 0
    for kind, d in KINDS.items():
        for seed in (1, 2, 3):
            a, b = f"{tmp}/a", f"{tmp}/b"
            t0 = time.time()
            lab = write_agent(kind, seed=seed, sessions=24, folder=a)
            slow = max(slow, time.time() - t0)
            if seed == 1:
                assert write_agent(kind, seed=seed, sessions=24, folder=b) == lab and digest(a) == digest(b), kind
            def first(p):
                for l in open(p):
                    o = json.loads(l)
                    if "timestamp" in o:
                        return o["timestamp"]
            L = sorted(glob.glob(a + "/*"), key=first)
            assert len(L) == 24
            life = build(kind, seed, 24)
            for i, p in enumerate(L):
                n, inp = scan(p, d["format"])
                for k in PLANNED:
                    if n[k] != lab[k][i]:
                        off.setdefault((kind, k), []).append(n[k] - lab[k][i])
                for v in life.sessions[i].values:
                    assert v in inp, (kind, v)
                assert lab["stale"][i] <= lab["value_uses"][i] == len(life.sessions[i].values)
            shutil.rmtree(a)
            shutil.rmtree(b, ignore_errors=True)
    for n in (12, 40):
        for kind in KINDS:
            assert all(len(v) == n for v in write_agent(kind, seed=5, sessions=n, folder=f"{tmp}/c{n}/{kind}").values())
    shutil.rmtree(tmp)
    print(f"files sound; slowest life {slow:.2f} s; sessions where file and label differ:", {k: v for k, v in off.items()} or "none")


RATES = dict(slips=("errors", "calls"), reread=("rereads", "reads"), corr=("corrections", "requests"), inter=("interrupts", "requests"), stale=("stale", "value_uses"), cpr=("calls", "requests"))


def rates(lives=12, n=24):
    print(f"{'kind':20s}" + "".join(f"{k:>21s}" for k in RATES) + "            looks          generic   (first third > last third, z of the paired difference)")
    bad = []
    for kind, d in KINDS.items():
        L = [build(kind, 100 + s, n) for s in range(lives)]
        row = f"{kind:20s}"
        th = n // 3
        for r, (a, b) in RATES.items():
            tot, diffs = [0, 0, 0, 0], []
            for life in L:
                x = [sum(s.lab[k] for s in part) for part in (life.sessions[:th], life.sessions[-th:]) for k in (a, b)]
                tot = [u + v for u, v in zip(tot, x)]
                diffs.append(x[2] / max(1, x[3]) - x[0] / max(1, x[1]))
            m = sum(diffs) / lives
            z = m / (math.sqrt(sum((v - m) ** 2 for v in diffs) / (lives - 1) / lives) or 1)
            f0, f1 = tot[0] / tot[1], tot[2] / tot[3]
            u = 1 if r == "cpr" else 100
            row += f"{u * f0:7.1f} >{u * f1:5.1f} ({z:+4.1f})"
            if d["expects"] == "healthy" and r != "cpr" and abs(z) > 3.2:
                bad.append((kind, r, round(f0, 3), round(f1, 3), round(z, 1)))
        for a, b in (("looks", "filetasks"), ("generic", "searches")):
            x = [sum(getattr(s, k) for life in L for s in part(life.sessions)) for part in (lambda q: q[:th], lambda q: q[-th:]) for k in (a, b)]
            row += f"{100 * x[0] / max(1, x[1]):8.1f} >{100 * x[2] / max(1, x[3]):5.1f}"
        print(row)
    print("healthy kinds outside noise:", bad or "none")
    per = [s.lab["calls"] for life in L for s in life.sessions]
    per.sort()
    print("calls per session (last kind): 5 % / median / 95 %:", per[len(per) // 20], per[len(per) // 2], per[-len(per) // 20])


def after():
    """Requests after a compaction against those before, in h_after_compactions."""
    t = {False: [0] * 5, True: [0] * 5}
    share = [0, 0]
    for seed in range(20):
        for s in build("h_after_compactions", seed, 24).sessions:
            share[0] += any(i[0] == "compact" for i in s.items)
            share[1] += 1
            st = False
            for i in s.items:
                st = st or i[0] == "compact"
                if i[0] == "user":
                    t[st][0] += 1
                elif i[0] == "call":
                    c = i[1]
                    t[st][1] += 1
                    t[st][2] += c.kind == "slip"
                    t[st][3] += c.op == "read" and c.code == 0
                    t[st][4] += c.kind == "reread"
    print(f"h_after_compactions: sessions with one {share[0] / share[1]:.2f};", "; ".join(f"{'after' if k else 'before'}: calls/request {v[1] / v[0]:.1f}, slips {v[2] / v[1]:.3f}, rereads {v[4] / v[3]:.3f}" for k, v in t.items()))


if __name__ == "__main__":
    files()
    rates(int(sys.argv[1]) if len(sys.argv) > 1 else 12)
    after()
