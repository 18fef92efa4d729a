"""Counts on the written files: early third against late third, per kind, pooled over seeds.

usage: check.py [seeds] [sessions] [kind ...]
"""
import glob
import json
import math
import os
import re
import shutil
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import agents  # noqa: E402
import t10_words as W  # noqa: E402

NET = re.compile(r"Could not resolve host|timed out|ETIMEDOUT|i/o timeout|Connection timed out")
REJ = re.compile(r"doesn't want to proceed|rejected by user|interrupted by user")
TEST = re.compile(r"\d+ failed|--- FAIL|AssertionError|^Exit code 1\n FAIL", re.M)
LINT = re.compile(r"F841|error TS|ineffassign|\d problem")
PATH = re.compile(r"[\w-]+/[\w.*/-]+\w|\b\w+\.(?:py|tsx?|go|yaml|md|sql|csv|json|sh)\b|KW-\d+|\b[0-9a-f]{7,}\b|laerche|birke|erle|weide|ahorn|buche")
SOFT = re.compile(r"^cat: .*No such file")
TOK = re.compile(r"[\w#.:-]+")


def rx(tpls):
    out = []
    for t in tpls:
        out.append(re.compile("(?is)^" + re.sub(r"\\\{\w\\\}", ".+?", re.escape(t)) + "$"))
    return out


AGAIN = rx(W.AGAIN_EN + W.AGAIN_DE)
CORR = [re.compile(r.pattern.rstrip("$")) for r in rx(W.CORR_EN + W.CORR_DE) if len(r.pattern) > 22]


def load_claude(folder):
    out = []
    for f in sorted(glob.glob(folder + "/*.jsonl")):
        ev, calls, usage = [], {}, {}
        files = [f] + sorted(glob.glob(f[:-6] + "/subagents/*.jsonl"))
        first = None
        for n, g in enumerate(files):
            for l in open(g, encoding="utf-8"):
                r = json.loads(l)
                first = first or r["timestamp"]
                m = r.get("message") or {}
                c = m.get("content")
                if r.get("subtype") == "compact_boundary":
                    ev.append(("event",))
                elif r["type"] == "user" and isinstance(c, str) and not n:
                    if "<command-name>/clear" in c:
                        ev.append(("event",))
                    elif not c.startswith("<") and not r.get("isCompactSummary"):
                        ev.append(("user", c))
                elif r["type"] == "user" and isinstance(c, list):
                    for b in c:
                        if b["type"] == "tool_result":
                            o = b["content"]
                            calls[b["tool_use_id"]].update(out=o if isinstance(o, str) else "\n".join(x["text"] for x in o), err=bool(b.get("is_error")))
                elif r["type"] == "assistant":
                    u = m["usage"]
                    if not n:
                        usage[m["id"]] = u["input_tokens"] + u["cache_read_input_tokens"] + u["cache_creation_input_tokens"]
                    for b in c:
                        if b["type"] == "tool_use":
                            d = {"name": b["name"], "inp": b["input"], "sub": n, "out": "", "err": False}
                            calls[b["id"]] = d
                            ev.append(("call", d))
                        elif b["type"] == "text" and not n:
                            ev.append(("say", b["text"], m["stop_reason"] == "end_turn"))
        out.append((first, ev, list(usage.values()), r.get("version"), m.get("model")))
    return sorted(out, key=lambda x: x[0])


def load_codex(folder):
    out = []
    for f in sorted(glob.glob(folder + "/**/*.jsonl", recursive=True)):
        ev, calls, usage, first = [], {}, [], None
        for l in open(f, encoding="utf-8"):
            r = json.loads(l)
            p = r["payload"]
            first = first or r["timestamp"]
            t = p.get("type")
            if r["type"] == "compacted":
                ev.append(("event",))
            elif t == "user_message":
                ev.append(("user", p["message"].rstrip("\n")))
            elif t == "agent_message":
                ev.append(("say", p["message"], p["phase"] == "final_answer"))
            elif t == "token_count":
                usage.append(p["info"]["last_token_usage"]["input_tokens"])
            elif t in ("function_call", "custom_tool_call"):
                d = {"name": p["name"], "inp": json.loads(p["arguments"]) if t == "function_call" else {"patch": p["input"]}, "sub": 0, "out": "", "err": False}
                calls[p["call_id"]] = d
                ev.append(("call", d))
            elif t in ("function_call_output", "custom_tool_call_output"):
                o = p["output"]
                m = re.search(r"exited with code (\d+)", o)
                calls[p["call_id"]].update(out=o.split("Output:\n", 1)[-1].rstrip("\n") if "Chunk ID" in o else o, err=bool(m and m.group(1) != "0") or o.startswith(("apply_patch verification", "tool call error", "exec_command failed")))
        out.append((first, ev, usage, "", ""))
    return sorted(out, key=lambda x: x[0])


def look(d, cwd="hyphal/"):
    """(path, content) when the call shows the content of one file."""
    i, n, o = d["inp"], d["name"], d["out"]
    if d["err"]:
        return None
    cut = lambda p: p.split(cwd, 1)[-1]
    if n == "Read" and "file_path" in i:
        return cut(i["file_path"]), re.sub(r"(?m)^ *\d+\u2192", "", o)
    if n == "Grep" and i.get("pattern") == "^":
        return cut(i["path"]), re.sub(r"(?m)^\d+:", "", o)
    c = i.get("command") or i.get("cmd") or ""
    m = re.match(r"(?:cat(?: -n)?|sed -n '[\d,]+p'|head -n \d+|tail -n \+\d+|nl -ba|awk '[^']*'|rg -n '') ([\w./-]+\.\w+)( \|.*)?$", c) or re.match(r"python3 -c \"print\(''\.join\(open\('([^']+)", c)
    if m and "2>&1" not in c and not m.group(1).startswith("/var"):
        return m.group(1), re.sub(r"(?m)^(?: *\d+\t|\d+:)" if ("nl " in c or "cat -n" in c or "rg -n" in c) else r"(?!x)x", "", o)
    return None


def measure(sessions, info, fmt):
    twins = info["twins"]
    val = {}
    for name, vs in info["slots"].items():
        for k, v in enumerate(vs):
            val[v] = (name, k)
    known = {n: -1 for n in info["slots"]}
    rows = []

    def keyed(text, low, name):
        key = name.split("/")[-1]
        if key in low or key.replace("_", "-") in low:
            return True
        return False

    from t10_world import _TOLD, _SHOWN, _TWO
    spoken = {x[0]: (x[1], x[2]) for x in _TOLD + _SHOWN}
    spoken.update({x[0]: (x[1], x[2]) for x in _TWO})

    for (first, ev, usage, ver, mod), L in zip(sessions, info["ledger"]):
        m = dict.fromkeys("calls err reads reread first look uses stale reqs ask corr vague tests testfail net edits blind writes stop words rej hotcalls hoterr hotreqs users".split(), 0)
        seen, visited, edited, req = {}, {}, {}, ""
        order = []
        recent = []
        idx = 0
        hot = bool(L["hot"]) and not any(e[0] == "event" for e in ev)
        for e in ev:
            if e[0] == "event":
                seen = {}
                hot = bool(L["hot"])
            elif e[0] == "user":
                t = e[1]
                low = t.lower()
                m["users"] += 1
                req = t
                m["words"] += len(t.split())
                if any(x.match(t.split("\n\nTraceback")[0]) for x in CORR):
                    m["corr"] += 1
                for tok in TOK.findall(t):
                    tok = tok if tok in val else tok.strip(".:-")
                    if tok in val:
                        n, k = val[tok]
                        en, de = spoken[n.split("/")[-1]]
                        if (en in low or de in low) and k > known[n]:
                            known[n] = k
                m["hotreqs"] += hot
            elif e[0] == "say":
                if e[2] and any(x.match(e[1].split("\n\n")[-1]) for x in AGAIN):
                    m["ask"] += 1
            else:
                d = e[1]
                idx += 1
                m["calls"] += 1
                n, i, o = d["name"], d["inp"], d["out"]
                raw = json.dumps(i, ensure_ascii=False)
                if n == "AskUserQuestion" and any(x.match(i["questions"][0]["question"]) for x in AGAIN):
                    m["ask"] += 1
                cmd = i.get("command") or i.get("cmd") or ""
                own = False
                if d["err"]:
                    if REJ.search(o):
                        m["rej"] += 1
                    elif NET.search(o):
                        m["net"] += 1
                    elif not (TEST.search(o) or LINT.search(o)):
                        own = True
                elif SOFT.match(o):
                    own = True
                m["err"] += own
                m["hotcalls"] += hot
                m["hoterr"] += hot and own
                if re.search(r"pytest|vitest|go test|make test|npm test", cmd) and not own:
                    m["tests"] += 1
                    m["testfail"] += bool(TEST.search(o))
                body = {k: v for k, v in i.items() if k not in ("description", "workdir")}
                if not PATH.search(json.dumps(body).replace(os.path.dirname("x"), "")):
                    m["vague"] += 1
                lk = look(d)
                if lk:
                    p, c = lk
                    m["reads"] += 1
                    if d["sub"]:
                        key = (d["sub"], p)
                    else:
                        key = p
                    if c in seen.setdefault(key, set()):
                        m["reread"] += 1
                    seen[key].add(c)
                    if key not in visited:
                        visited[key] = idx
                        m["first"] += 1
                        order.append((key, idx, req))
                        for q, qi, qr in order[-4:-1]:
                            if q in twins.get(p, ()) and idx - qi <= 4 and (q not in edited or edited[q] == "undone") and not (os.path.basename(q) in req and os.path.basename(p) in req and not p.startswith("halls/")):
                                m["look"] += 1
                                break
                path = None
                new = raw
                if n in ("Edit", "Write") and not d["err"]:
                    path = i["file_path"].split("hyphal/", 1)[-1]
                    new = i.get("new_string") or i.get("content") or ""
                elif n == "apply_patch" and not d["err"]:
                    mm = re.search(r"\*\*\* (Update|Add) File: (\S+)", i["patch"])
                    path = mm.group(2)
                    new = "\n".join(x for x in i["patch"].split("\n") if x.startswith("+"))
                if path:
                    m["edits"] += 1
                    wr = n == "Write" or (n == "apply_patch" and "Add File" in i["patch"])
                    m["writes"] += wr
                    if wr:
                        seen.setdefault(path, set()).add(new if n == "Write" else "\n".join(x[1:] for x in new.split("\n")))
                        visited.setdefault(path, idx)
                    elif path not in visited:
                        m["blind"] += 1
                    edited[path] = idx
                mu = re.match(r"git checkout -- (\S+)", cmd)
                if mu:
                    edited[mu.group(1)] = "undone"
                # uses of values
                low = new.lower()
                got = set()
                for tok in TOK.findall(new):
                    tok = tok if tok in val else tok.strip(".:-")
                    if tok in val:
                        nm, k = val[tok]
                        if keyed(new, low, nm) and known[nm] >= 1 and not d["err"] and (nm, k) not in got:
                            hall = nm.split("/")[0] if "/" in nm else None
                            if hall and hall not in raw.lower():
                                continue
                            got.add((nm, k))
                            m["uses"] += 1
                            m["stale"] += k < known[nm]
                lo2 = o.lower()
                if not d["err"]:
                    for tok in TOK.findall(o):
                        tok = tok if tok in val else tok.strip(".:-")
                        if tok in val:
                            nm, k = val[tok]
                            if nm.split("/")[-1] in lo2 and k > known[nm]:
                                known[nm] = k
        m["reqs"] = L["reqs"]
        up = sum(max(0, b - a) for a, b in zip(usage, usage[1:]))
        m["ctx"] = up / 1000
        m["mainmsg"] = max(1, sum(1 for e in ev if e[0] == "call" and not e[1]["sub"]))
        m["tools"] = {}
        for e in ev:
            if e[0] == "call":
                nm = e[1]["name"]
                nm = "mcp" if nm.startswith("mcp") else nm
                m["tools"][nm] = m["tools"].get(nm, 0) + 1
        m["L"] = L
        rows.append(m)
    return rows


QTY = [("err", "err", "calls", 100), ("reread", "reread", "reads", 100), ("look", "look", "first", 100), ("stale", "stale", "uses", 100), ("ask", "ask", "reqs", 100), ("corr", "Lcorr", "reqs", 100),
       ("corr~", "corr", "reqs", 100), ("vague", "vague", "calls", 100), ("ctx/call", "ctx", "mainmsg", 1), ("calls/req", "calls", "reqs", 1), ("blind", "blind", "edits", 100), ("tfail", "testfail", "tests", 100), ("net", "net", "calls", 100),
       ("words", "words", "users", 1), ("reqs/s", "reqs", "one", 1)]
HARM = ("err", "reread", "look", "stale", "ask", "corr")


def get(r, k):
    if k == "one":
        return 1
    if k[0] == "L" and k != "L":
        return r["L"][k[1:]]
    return r[k]


def ratio(rows, a, b):
    x, y = [get(r, a) for r in rows], [get(r, b) for r in rows]
    sy = sum(y) or 1
    v = sum(x) / sy
    se = math.sqrt(sum((p - v * q) ** 2 for p, q in zip(x, y))) / sy
    return v, se


def main():
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 4
    n = int(sys.argv[2]) if len(sys.argv) > 2 else 24
    kinds = sys.argv[3:] or list(agents.KINDS)
    print("early third -> late third, %d seeds, %d sessions; * = planted and moved, ! = |z| > 3 where nothing was planted; corr = by ledger, corr~ = found by wording (typos escape)" % (seeds, n))
    print("%-22s %-8s" % ("kind", "expects") + "".join("%15s" % q[0] for q in QTY) + "   TV")
    bad = []
    moved = []
    pool = ([], [])
    for k in kinds:
        early, late, allrows = [], [], []
        pe, pl = {}, {}
        for s in range(seeds):
            d = tempfile.mkdtemp(dir=HERE)
            try:
                info = agents.write_agent(k, s + 1, n, d)
                fmt = agents.K[k][1]["fmt"]
                rows = measure((load_codex if fmt == "codex" else load_claude)(d), info, fmt)
            finally:
                shutil.rmtree(d)
            c = n // 3
            early += rows[:c]
            late += rows[-c:]
            allrows.append(rows)
        if agents.KINDS[k]["expects"] == "healthy":
            pool[0].extend(early)
            pool[1].extend(late)
        line = "%-22s %-8s" % (k, agents.KINDS[k]["expects"])
        for name, a, b, f in QTY:
            (x, sx), (y, sy) = ratio(early, a, b), ratio(late, a, b)
            z = (y - x) / (math.hypot(sx, sy) or 1)
            mark = " "
            if name in HARM:
                px = sum(r["L"]["plan"][name] for r in early) / len(early)
                py = sum(r["L"]["plan"][name] for r in late) / len(late)
                if abs(py - px) > .02:
                    mark = "*"
                    moved.append((k, name, px, py, x, y))
                elif abs(z) > 3:
                    mark = "!"
                    bad.append((k, name, x * f, y * f, z))
            line += "%15s" % ("%.1f>%.1f%s" % (x * f, y * f, mark) if f == 100 else "%.2f>%.2f%s" % (x, y, mark))
        te, tl = {}, {}
        for rows, t in ((early, te), (late, tl)):
            for r in rows:
                for nm, v in r["tools"].items():
                    t[nm] = t.get(nm, 0) + v
        se, sl = sum(te.values()), sum(tl.values())
        tv = .5 * sum(abs(te.get(x, 0) / se - tl.get(x, 0) / sl) for x in set(te) | set(tl))
        print(line + "  %.2f" % tv, flush=True)
        flat = [r for rows in allrows for r in rows]
        if agents.K[k][1].get("harm"):
            hc, he, hr = sum(r["hotcalls"] for r in flat), sum(r["hoterr"] for r in flat), sum(r["hotreqs"] for r in flat)
            cc, ce, cr = sum(r["calls"] for r in flat) - hc, sum(r["err"] for r in flat) - he, sum(r["users"] for r in flat) - hr
            print("    windows: events per life %.1f, own errors outside %.1f %%, inside %.1f %%; calls per user message outside %.2f, inside %.2f (x%.2f); share of calls inside %.2f" % (
                sum(r["L"]["events"] for r in flat) / seeds, 100 * ce / cc, 100 * he / hc, cc / cr, hc / hr, hc / hr / (cc / cr), hc / (hc + cc)))
        if agents.K[k][1].get("step"):
            b = [r for r in flat if r["L"]["plan"]["err"] < .1]
            a = [r for r in flat if r["L"]["plan"]["err"] > .1]
            print("    step after session %s: own errors %.1f > %.1f %%, re-reads %.1f > %.1f %%" % ([sum(r["L"]["plan"]["err"] < .1 for r in rows) for rows in allrows], 100 * ratio(b, "err", "calls")[0], 100 * ratio(a, "err", "calls")[0], 100 * ratio(b, "reread", "reads")[0], 100 * ratio(a, "reread", "reads")[0]))
    print("\nplanted, mean of the thirds: plan -> counted on the files (corr: ledger)")
    for k, name, px, py, x, y in moved:
        print("  %-22s %-7s plan %5.1f > %5.1f   files %5.1f > %5.1f" % (k, name, 100 * px, 100 * py, 100 * x, 100 * y))
    if pool[0]:
        print("\nall healthy kinds pooled: " + ", ".join("%s %.2f > %.2f (z %.1f)" % (nm, f * x[0], f * y[0], (y[0] - x[0]) / (math.hypot(x[1], y[1]) or 1)) for nm, a, b, f in QTY[:10] for x, y in [(ratio(pool[0], a, b), ratio(pool[1], a, b))]))
    print("\nharm quantities that moved (|z| > 3) without being planted: %d" % len(bad))
    for x in bad:
        print("  %s %s %.1f > %.1f  z %.1f" % x)


if __name__ == "__main__":
    main()
