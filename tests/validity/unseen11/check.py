"""Counts on the written files (not from the simulator's own counters, except where said) and compares with what was planted."""
import sys, os, re, json, glob, shutil, tempfile, statistics as st
import agents, s11_world as W

NOTOWN = re.compile(r"FAILED|FAIL  | failed[ ,|]")
RD = re.compile(r"^(?:cat (\S+)|sed -n '(\d+),(\d+)p' (\S+)|nl -ba (\S+) \| sed -n '(\d+),(\d+)p')$")


def claude(folder):
    for f in glob.glob(folder + "/*.jsonl"):
        recs = [json.loads(l) for l in open(f, encoding="utf-8")]
        yield recs[1]["timestamp"], os.path.basename(f)[:-6], ev_claude(recs)


def ev_claude(recs):
    ev, use, ctx = [], {}, {}
    seen = set()
    for r in recs:
        if r["type"] == "assistant":
            m = r["message"]
            u = m["usage"]
            ctx[m["id"]] = u["cache_read_input_tokens"] + u["cache_creation_input_tokens"] + u["input_tokens"]
            for b in m["content"]:
                if b["type"] == "tool_use":
                    assert b["id"] not in seen
                    seen.add(b["id"])
                    use[b["id"]] = (b["name"], b["input"], ctx[m["id"]])
        elif r["type"] == "user":
            c = r["message"]["content"]
            if isinstance(c, str):
                ev.append(("user", c) if not r.get("isCompactSummary") and not c.startswith("<") else ("meta", c))
            elif c[0]["type"] == "tool_result":
                n, i, x = use.pop(c[0]["tool_use_id"])
                t = c[0]["content"]
                ev.append(("call", n, i, t, bool(c[0].get("is_error")), x))
            else:
                ev.append(("interrupt",))
        elif r.get("subtype") == "compact_boundary":
            ev.append(("compact",))
    assert not use
    for a, b in zip(recs[1:], recs[2:]):
        assert b["timestamp"] >= a["timestamp"]
    return ev


def codex(folder):
    for f in glob.glob(folder + "/sessions/*/*/*/*.jsonl"):
        recs = [json.loads(l) for l in open(f, encoding="utf-8")]
        ev, use, x = [], {}, 0
        for r in recs:
            p = r["payload"]
            if r["type"] == "event_msg" and p["type"] == "user_message":
                ev.append(("user", p["message"]))
            elif r["type"] == "event_msg" and p["type"] == "token_count":
                x = p["info"]["last_token_usage"]["input_tokens"]
            elif r["type"] == "event_msg" and p["type"] == "turn_aborted":
                ev.append(("interrupt",))
            elif r["type"] == "compacted":
                ev.append(("compact",))
            elif p.get("type") == "function_call":
                use[p["call_id"]] = (p["name"], json.loads(p["arguments"]))
            elif p.get("type") == "custom_tool_call":
                use[p["call_id"]] = (p["name"], p["input"])
            elif p.get("type", "").endswith("call_output"):
                n, i = use.pop(p["call_id"])
                o = p["output"]
                err = o.startswith("apply_patch verification failed")
                if o.startswith("{"):
                    d = json.loads(o)
                    err, o = d["metadata"]["exit_code"] != 0, d["output"]
                ev.append(("call", n, i, o, err, x))
        assert not use
        yield recs[0]["timestamp"], recs[0]["payload"]["id"], ev


def path_of(p):
    return p.split("reeferline/", 1)[-1]


def count(sess, told, shown, hist):
    c = dict.fromkeys("calls err red reads reread visits uses stale prompts intr compact nopath shell ctx chars".split(), 0)
    ver, log, vis = {}, [], set()
    for e in sess:
        if e[0] == "user":
            c["prompts"] += 1
            c["chars"] += len(e[1])
            hist.note(e[1])
        elif e[0] == "interrupt":
            c["intr"] += 1
        elif e[0] == "compact":
            c["compact"] += 1
        elif e[0] == "call":
            _, n, i, t, err, x = e
            c["calls"] += 1
            c["ctx"] += x
            cmd = i["command"] if n == "Bash" else i["command"][2] if n == "shell" else ""
            c["shell"] += bool(cmd)
            if err:
                c["red" if NOTOWN.search(t) else "err"] += 1
            arg = i if isinstance(i, str) else json.dumps(i, ensure_ascii=False) if not cmd else cmd
            if not re.search(r"[\w.-]+/[\w./-]+|\d{3,}|[a-z]+-[a-z]+-?\w*\d|-p \w+", arg.replace("/Users/ruben/code/reeferline", "x") if n in ("Grep", "Glob") and "path" not in i else arg) or arg.startswith(("./rl ps", "./rl env", "./rl svc")):
                c["nopath"] += 1
            a = None
            if not err:
                if n == "Read":
                    f = path_of(i["file_path"])
                    s = i.get("offset", 1)
                    a = (f, s, s + i["limit"] - 1 if "limit" in i else 10 ** 6)
                elif cmd:
                    m = RD.match(cmd)
                    if m:
                        g = m.groups()
                        a = (g[0], 1, 10 ** 6) if g[0] else (g[3], int(g[1]), int(g[2])) if g[3] else (g[4], int(g[5]), int(g[6]))
                elif n in ("Edit", "Write"):
                    f = path_of(i["file_path"])
                    ver[f] = ver.get(f, 0) + 1
                elif n == "apply_patch":
                    for f in re.findall(r"\*\*\* (?:Update|Add) File: (\S+)", i):
                        ver[f] = ver.get(f, 0) + 1
            if a:
                n_lines = t.count("\n") + 1
                a = (a[0], a[1], min(a[2], a[1] + n_lines - 1))
                c["reads"] += 1
                c["visits"] += a[0] not in vis
                vis.add(a[0])
                v = ver.get(a[0], 0)
                c["reread"] += any(l[0] == a[0] and l[3] == v and l[1] <= a[1] and a[2] <= l[2] for l in log)
                log.append(a + (v,))
            elif cmd and not err or n == "Write" or n == "apply_patch":
                if n not in ("Write", "apply_patch") or ".rl/overrides" in arg:
                    k = hist.use(arg)
                    if k is not None:
                        c["uses"] += k[0]
                        c["stale"] += k[1]
            if cmd.startswith(("./rl env", "./rl svc")):
                hist.note(t)
    return c


class Hist:
    """order of values as they became visible in the files"""
    TOK = re.compile(r"[\w./-]*\w")

    def __init__(s, d):
        s.key = {}
        for k, h in {**d["told"], **d["shown"]}.items():
            for j, v in enumerate(h):
                s.key[v] = (k, j)
        s.cur = {}

    def toks(s, t):
        for w in s.TOK.findall(t):
            for x in {w, w.split("//")[-1].split("/")[0], w.removeprefix("origin/"), w.split("/")[-1] if "release" not in w else w}:
                if x in s.key:
                    yield x
                    break
            else:
                if w not in s.key and ":" not in w:
                    continue

    def note(s, t):
        for x in s.toks(t):
            k, j = s.key[x]
            s.cur[k] = max(s.cur.get(k, 0), j)

    def use(s, t):
        x = next(s.toks(t), None)
        if x is None:
            return None
        k, j = s.key[x]
        m = s.cur.get(k, 0)
        return (m > 0, j < m)


def life(kind, seed, n, folder):
    shutil.rmtree(folder, ignore_errors=True)
    d = agents.write_agent(kind, seed, n, folder)
    rd = codex if d["format"] == "codex" else claude
    S = sorted(rd(folder), key=lambda x: x[0])
    assert [x[1] for x in S] == [x["session"] for x in d["sessions"]], "order"
    h = Hist(d)
    C = [count(x[2], d["told"], d["shown"], h) for x in S]
    if kind == "subagents_in":
        pass
    for c, p in zip(C, d["sessions"]):
        for k in ("looks", "requests", "asks", "corrections", "interrupts"):
            c[k] = p[k]
        c["pv"] = p["visits"]
        c["ev"] = p["harmed_after_event"]
        assert c["prompts"] == p["requests"] + p["asks"] + p["corrections"] + p["interrupts"], (c, p)
        assert c["intr"] == p["interrupts"]
    return C, d


RATES = dict(err=("err", "calls"), red=("red", "calls"), reread=("reread", "reads"), look=("looks", "pv"), stale=("stale", "uses"), ask=("asks", "requests"), corr=("corrections", "requests"),
             intr=("intr", "requests"), cpr=("calls", "requests"), req=("requests", None), nopath=("nopath", "calls"), shell=("shell", "calls"), readsh=("reads", "calls"), ctxk=("ctx", "calls"))


def rate(cs, k):
    a, b = RATES[k]
    x = sum(c[a] for c in cs) / max(1, sum(c[b] for c in cs) if b else len(cs))
    return x / 1000 if k == "ctxk" else x


if __name__ == "__main__":
    n, seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 24, int(sys.argv[2]) if len(sys.argv) > 2 else 4
    print(f"sessions {n}, seeds 0..{seeds-1}; each cell first fifth > last fifth of the life, counted on the files (look/ask/corr from the simulator's counters)")
    print(f"{'kind':16s} " + " ".join(f"{k:>11s}" for k in RATES))
    flat = {k: [] for k in RATES}
    for kind in agents.KINDS:
        A, B, H, N = [], [], [], []
        for seed in range(seeds):
            C, d = life(kind, seed, n, os.path.join(tempfile.gettempdir(), f"s11_{kind}"))
            q = max(2, n // 5)
            s = d["step_at"]
            if s:
                A += C[:s]; B += C[s:]
            elif d["events"]:
                A += [c for c in C if not c["ev"]]; B += [c for c in C if c["ev"]]
            else:
                A += C[:q]; B += C[-q:]
            if agents.KINDS[kind]["expects"] == "healthy":
                for k in RATES:
                    flat[k].append((rate(C, k), rate(C[-(n // 2):], k) - rate(C[:n // 2], k)))
            shutil.rmtree(os.path.join(tempfile.gettempdir(), f"s11_{kind}"))
        print(f"{kind:16s} " + " ".join(f"{rate(A,k):5.3f}>{rate(B,k):5.3f}" if k not in ("cpr", "req", "ctxk") else f"{rate(A,k):5.1f}>{rate(B,k):5.1f}" for k in RATES))
    print("(maintenance kinds: other sessions > sessions after an event; steps: before > after)")
    print("\nhealthy kinds pooled: mean rate, mean difference second minus first half, its standard error")
    for k, l in flat.items():
        dd = [x[1] for x in l]
        print(f"{k:8s} {st.mean(x[0] for x in l):8.4f}  {st.mean(dd):+8.4f}  {st.stdev(dd)/len(dd)**.5:.4f}")
