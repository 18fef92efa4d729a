"""Self-check and oracle.  check.py [seeds] [sessions] [kind ...]; options: nowrite, from=SEED"""
import glob
import hashlib
import json
import os
import sys
import tempfile
import time

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import agents  # noqa: E402

RATES = ("error", "correct", "stop", "reread", "alike", "tool_alike", "stale", "ask", "vague", "mix")
DRAWS = 999


def slope_p(rate, cut=None, seed=0):
    """one-sided p that hits per opportunity rise with time (or after the cut)"""
    a = np.array(rate, float)
    h, n = a[:, 0], a[:, 1]
    if n.sum() == 0 or h.sum() == 0:
        return 1.0
    res = h - n * h.sum() / n.sum()
    x = np.arange(len(h)) - (len(h) - 1) / 2 if cut is None else (np.arange(len(h)) >= cut).astype(float)
    g = np.random.default_rng(seed)
    perm = g.permuted(np.tile(x, (DRAWS, 1)), axis=1)
    return (1 + (perm @ res >= x @ res - 1e-9).sum()) / (1 + DRAWS)


def window_p(req):
    """errors and calls in the windows after events against circular shifts of the windows; two looks, Bonferroni"""
    a = np.array(req, float)
    w, err, calls = a[:, 1], a[:, 2], a[:, 3]
    if w.sum() == 0:
        return 1.0, 1.0
    re = err - calls * err.sum() / calls.sum()
    rc = calls - calls.mean()
    n = len(w)
    sh = [np.roll(w, k) for k in range(1, n)]
    m = np.array(sh)
    return tuple((1 + (m @ r >= w @ r - 1e-9).sum()) / n for r in (re, rc))


def digest(folder):
    h = hashlib.sha256()
    for p in sorted(glob.glob(folder + "/**/*.jsonl", recursive=True)):
        h.update(os.path.relpath(p, folder).encode())
        h.update(open(p, "rb").read())
    return h.hexdigest()


def selfcheck(kind, seed, sessions, tmp):
    """problems found, megabytes, seconds"""
    bad = []
    f = os.path.join(tmp, "agent")
    c = time.process_time()
    agents.write_agent(kind, seed, sessions, f)
    c = time.process_time() - c
    d1, l1 = digest(f), open(f + ".labels.json").read()
    agents.write_agent(kind, seed, sessions, f)
    if d1 != digest(f) or l1 != open(f + ".labels.json").read():
        bad.append("not deterministic")
    truth = json.loads(l1)
    text, ids, fail, uses, turns, perfile, files = [], {}, set(), {}, set(), [], 0
    for p in sorted(glob.glob(f + "/**/*.jsonl", recursive=True)):
        if "subagents" in p:
            for line in open(p, encoding="utf-8"):
                json.loads(line)
            continue
        files += 1
        seq = []
        for line in open(p, encoding="utf-8"):
            o = json.loads(line)
            text.append(line)
            if "payload" in o:
                q = o["payload"]
                if q.get("turn_id"):
                    turns.add(q["turn_id"][-12:])
                if q.get("type") in ("function_call", "custom_tool_call"):
                    uses[q["call_id"][-12:]] = q
                    seq.append(("use", q))
                if q.get("type") in ("function_call_output", "custom_tool_call_output"):
                    t = q["output"]
                    if ("Process exited with code" in t and "exited with code 0" not in t) or "verification failed" in t:
                        fail.add(q["call_id"][-12:])
                if o["type"] == "compacted":
                    seq.append(("forget", None))
            else:
                if o.get("promptId"):
                    turns.add(o["promptId"][-12:])
                if o.get("subtype") == "compact_boundary":
                    seq.append(("forget", None))
                m = o.get("message") or {}
                cont = m.get("content")
                if isinstance(cont, str) and "/clear</command-name>" in cont:
                    seq.append(("forget", None))
                for b in cont if isinstance(cont, list) else ():
                    if b["type"] == "tool_use":
                        uses[b["id"][-12:]] = b
                        seq.append(("use", b))
                    if b.get("is_error"):
                        fail.add(b["tool_use_id"][-12:])
        perfile.append(seq)
    if files != sessions or len(truth["sessions"]) != sessions:
        bad.append(f"{files} files")
    lab = {}
    for s, i, what in truth["labels"]:
        lab.setdefault(i, []).append(what)
        if what in ("correct", "stop", "after_stop", "stale_fix"):
            if i not in turns:
                bad.append(f"turn {i} {what} missing")
        elif i not in uses and i not in turns:
            bad.append(f"call {i} {what} missing")
        if what in ("error", "red_task", "red_wanted", "infra", "approval") and i not in fail:
            bad.append(f"{what} without failure")
    stop_fail = sum(1 for i in fail if i not in lab)
    n_stop = sum(1 for x in truth["labels"] if x[2] == "stop")
    if stop_fail > n_stop:
        bad.append(f"{stop_fail} failures without a label, {n_stop} stops")
    # re-reads: known and unchanged, from the trace alone (Read, and shell reads by path)
    wrong = n_re = 0
    for seq in perfile:
        seen = set()
        for w, b in seq:
            if w == "forget":
                seen = set()
                continue
            i = (b.get("id") if b.get("type") == "tool_use" else b.get("call_id"))[-12:]
            if i in fail:
                continue
            if b.get("type") == "tool_use":
                a = b["input"]
                key = None
                if b["name"] == "Read":
                    key = a["file_path"]
                elif b["name"] in ("Edit", "Write"):
                    seen.add(a["file_path"])
                elif b["name"] == "Bash" and a["command"].split()[0] in ("cat", "sed", "nl"):
                    key = next((x for x in a["command"].split() if "/" in x or x.endswith((".toml", ".json", ".mod", "Makefile"))), None)
                elif b["name"].startswith("mcp__") and list(a) == ["reference"]:
                    key = a["reference"]
            else:
                key = None
                if b["name"] == "exec_command":
                    cmd = json.loads(b["arguments"])["cmd"]
                    if cmd.split()[0] in ("cat", "sed", "nl"):
                        key = next((x for x in cmd.split() if "/" in x or x.endswith((".toml", ".json", ".mod", "Makefile"))), None)
                elif b["name"] == "apply_patch":
                    seen.add(b["input"].split("File: ")[1].split("\n")[0])
            if key is None:
                continue
            if "reread" in lab.get(i, ()):
                n_re += 1
                if not any(key.endswith(x) or x.endswith(key) for x in seen):
                    wrong += 1
            seen.add(key)
    if wrong > .02 * n_re + 1:
        bad.append(f"{wrong} of {n_re} re-reads of something unknown")
    whole = "".join(text)
    for w in list(agents.KINDS) + ["tool_alike", "red_wanted", "stale_fix", "ask_again", "maintenance", "interference", "reliability", "look-alike", "aging", "planted"]:
        if f'"{w}"' in whole or (("_" in w) and w in whole):
            bad.append(f"the word {w} stands in the trace")
    mb = sum(os.path.getsize(os.path.join(d, x)) for d, _, fs in os.walk(f) for x in fs) / 1e6
    if any("label" in x for _, _, fs in os.walk(f) for x in fs):
        bad.append("labels inside")
    return bad, mb, c, uses


def thirds(r):
    a = np.array(r, float)
    k = len(a) // 3
    return "/".join(f"{100 * p[:, 0].sum() / max(1, p[:, 1].sum()):.0f}" for p in (a[:k], a[k:-k], a[-k:]))


def tv(kind, seed, sessions, tmp):
    """total variation of the tool mix, first against last quarter, tools by name"""
    f = os.path.join(tmp, "tv")
    agents.write_agent(kind, seed, sessions, f)
    truth = json.load(open(f + ".labels.json"))
    cnt = []
    for sid in truth["sessions"]:
        c = {}
        for p in glob.glob(f + f"/**/*{sid}.jsonl", recursive=True):
            for line in open(p, encoding="utf-8"):
                o = json.loads(line)
                for b in (o.get("message") or {}).get("content") or []:
                    if isinstance(b, dict) and b.get("type") == "tool_use":
                        c[b["name"]] = c.get(b["name"], 0) + 1
        cnt.append(c)
    q = max(2, sessions // 6)

    def mix(cs):
        t = {}
        for c in cs:
            for k, v in c.items():
                t[k] = t.get(k, 0) + v
        s = sum(t.values())
        return {k: v / s for k, v in t.items()}
    a, b = mix(cnt[:q]), mix(cnt[-q:])
    return sum(abs(a.get(k, 0) - b.get(k, 0)) for k in set(a) | set(b)) / 2


def main():
    args = sys.argv[1:]
    nums = [int(a) for a in args if a.isdigit()]
    seeds, sessions = (nums + [20, 24][len(nums):])[:2]
    first = next((int(a[5:]) for a in args if a.startswith("from=")), 0)
    names = [a for a in args if a in agents.KINDS] or list(agents.KINDS)
    cpu = time.process_time()
    print(f"seeds {first}-{first + seeds - 1}, {sessions} sessions; rates in % by thirds of the life; found = share of seeds in %, at 5 % / 1 %")
    print("healthy: mean of single quantities 5 %/1 %, then any after Bonferroni 5 %/1 %\n")
    with tempfile.TemporaryDirectory() as tmp:
        for k in names:
            truth = agents.KINDS[k]
            note, mb, sec = "", 0, 0
            if "nowrite" not in args:
                problems = []
                for n in ((sessions, 12, 40) if k in ("even_coder", "after_swap", "after_clear", "stale_plain", "marathon") else (sessions,)):
                    bad, m, s, _ = selfcheck(k, first, n, tmp)
                    problems += bad
                    if n == sessions:
                        mb, sec = m, s
                note = "ok" if not problems else "PROBLEM " + "; ".join(sorted(set(problems))[:4])
            pooled, found, single, effort, rpc, nreq, ev = {}, [], [], [], [], 0, []
            for seed in range(first, first + seeds):
                life = agents.make(k, seed, sessions)
                life.plan()
                nreq += sum(c[1] for c in life.extra["calls"])
                for q, r in life.rates.items():
                    p = pooled.setdefault(q, np.zeros((sessions, 2)))
                    p += np.array(r)
                effort.append([[c, n] for c, n in life.extra["calls"]])
                rpc.append([[a, b] for a, b in life.extra["reads"]])
                ev.append(sum(len(v) for v in life.events.values()))
                if truth["expects"] == "healthy":
                    ps = [slope_p(r, seed=seed) for q, r in life.rates.items() if q in RATES and sum(x[0] for x in r) >= 3]
                    single.append(ps)
                    found.append(min(1, min(ps) * len(ps)))
                elif truth["planted"] == ["window"]:
                    a, b = window_p(life.extra["requests"])
                    found.append(min(1, 2 * min(a, b)))
                    single.append([a, b])
                elif truth["expects"] == "step":
                    ps = [slope_p(life.rates[q], cut=life.cut, seed=seed) for q in truth["planted"]]
                    found.append(min(1, min(ps) * len(ps)))
                else:
                    found.append(slope_p(life.rates[truth["planted"][0]], seed=seed))
            f = np.array(found)
            share = f"{100 * (f <= .05).mean():3.0f}/{100 * (f <= .01).mean():3.0f}"
            if truth["expects"] == "healthy":
                al = np.array([p for ps in single for p in ps])
                share = f"single {100 * (al <= .05).mean():.0f}/{100 * (al <= .01).mean():.0f}, any {share}"
            if truth["planted"] == ["window"]:
                s2 = np.array(single)
                share += f" (errors {100 * (s2[:, 0] <= .05).mean():.0f}, calls {100 * (s2[:, 1] <= .05).mean():.0f}; events per life min {min(ev)})"
            rates = " ".join(f"{q}:{thirds(pooled[q])}" for q in RATES if q in pooled and (q not in ("vague", "mix") or q in truth["planted"]))
            eff = np.array(effort, float).sum(0)
            rp = np.array(rpc, float).sum(0)
            kk = sessions // 3
            t3 = lambda a: "/".join(f"{p[:, 0].sum() / max(1, p[:, 1].sum()):.1f}" for p in (a[:kk], a[kk:-kk], a[-kk:]))
            opp = " ".join(f"{q}:{pooled[q][:, 1].sum() / seeds / sessions:.0f}" for q in truth["planted"] if q in pooled)
            t = f" TV {np.mean([tv(k, s, sessions, tmp) for s in range(first, first + 5)]):.2f}" if k.startswith(("mix_", "even_coder", "even_desk")) else ""
            print(f"{k:22} {truth['expects']:7} found {share} | req/session {nreq / seeds / sessions:.1f} calls/req {t3(eff)} reads/change {t3(rp)} | {rates} | opp/session {opp or '-'}{t} | {sec:.2f}s {mb:.1f}MB {note}", flush=True)
    print(f"\ncpu {time.process_time() - cpu:.0f} s")


if __name__ == "__main__":
    main()
