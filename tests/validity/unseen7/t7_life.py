"""One agent's life: sessions, requests, calls, and what is true of them (never written into the trace)."""
import math
import random

import t7_worlds as W

B62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
BASE = dict(error=.05, correct=.04, stop=.015, reread=.10, alike=.03, tool_alike=.03, stale=.03, ask=.03, mix=.08, vague=.08)
CODE_W = dict(fix=.19, feature=.15, refactor=.10, explain=.13, review=.08, tests=.11, docs=.07, ops=.09, commit=.08, rollout=.0)
DESK_W = dict(lookup=.20, act=.24, message=.14, schedule=.09, history=.10, summary=.07, note=.07, compare=.09)
OPTS = [("profile", "profile", ["amber", "slate", "coral"]), ("region", "region", ["eu-3", "eu-5", "ap-1"]), ("workers", "worker count", ["4", "6", "9"]), ("channel", "release channel", ["beta2", "early", "ring1"]),
        ("image-tag", "image tag", ["r41", "r44", "r47"]), ("drain", "drain time", ["30s", "45s", "75s"]), ("shard", "shard", ["s08", "s12", "s16"]), ("log-sink", "log sink", ["vault", "loki2", "coldstore"])]
ROLL = ["Roll the {t} out to the test cluster, settings as agreed.", "deploy {s} please, the usual options", "Ship the current state of the {t} to the preview machines.", "please start a fresh {s} instance with our normal parameters",
        "restart the {t} job with the standard options", "{s}: roll out again, as always", "put the {t} change on the preview box", "Run the roll-out for {s}. Ordinary settings."]
ROLL_SHORT = ["roll out {s}", "deploy {t}", "{s} to preview"]


class Call:
    __slots__ = ("op", "a", "out", "err", "id", "tur", "par", "code", "side", "reject")

    def __init__(self, op, a, out, err=False, code=0):
        self.op, self.a, self.out, self.err, self.code = op, a, out, err, code
        self.tur = self.side = self.reject = None
        self.par = False


class File:
    __slots__ = ("path", "lines", "stem", "topic", "side", "twin", "base")


def lognorm(rng, s):
    return math.exp(rng.gauss(0, s))


class Life:
    def __init__(self, kind, spec, seed, sessions):
        self.rng = rng = random.Random(f"t7|{kind}|{seed}|{sessions}")
        self.kind, self.spec, self.S, self.form = kind, spec, sessions, spec["form"]
        self.desk = spec["desk"]
        self.cut = max(2, min(sessions - 2, round(sessions * rng.uniform(.42, .58))))
        self.s = rng.choice((.85, 1.0, 1.2))
        self.has = frozenset(spec.get("has", ()))
        self.base = {k: v * lognorm(rng, .12) for k, v in BASE.items()}
        self.base.update(spec.get("base", {}))
        self.ramp, self.step = spec.get("ramp", {}), spec.get("step", {})
        self.planted = spec.get("planted", ())
        self.size = spec.get("size", 9.3)
        self.talk = spec.get("talk", rng.choice((.15, .3, .45)))
        self.user = dict(lower=rng.random() < .3, open=rng.uniform(.1, .35), close=rng.uniform(.15, .4), short=rng.uniform(.05, .25), name=rng.choice(("ravi", "marlene", "tomasz", "birgit", "oyin", "claes", "juno")))
        self.user2 = dict(lower=not self.user["lower"], open=rng.uniform(.0, .1), close=rng.uniform(.3, .6), short=rng.uniform(.2, .4), name=rng.choice(("halina", "dewi", "arturo", "signe")))
        self.labels, self.rates, self.extra = [], {}, {}
        self.weights = dict(DESK_W if self.desk else CODE_W)
        self.weights.update(spec.get("weights", {}))
        self.kw = {k: lognorm(rng, .25) for k in self.weights}
        self.mood = {}
        self.kmood = {k: rng.gauss(0, .35) for k in self.weights}
        if self.desk:
            self.world_name = rng.choice(sorted(W.DESKS))
            self.world = W.DESKS[self.world_name]
            self.records()
            self.settings = [[k, n, list(v)] for k, n, v in self.world["settings"]]
        else:
            self.world_name = rng.choice(sorted(W.CODE))
            self.world = W.CODE[self.world_name]
            self.files()
            self.settings = [[k, n, list(v)] for k, n, v in OPTS]
        for st in self.settings:
            rng.shuffle(st[2])
        self.now = {k: (v[1], v[0]) for k, n, v in self.settings}     # present, replaced
        self.notes_lines = None
        base_v = rng.randint(96, 118)
        self.versions = [f"2.1.{base_v + d}" for d in (0, 3, 7, 12)]
        self.models = (["gpt-5.5", "gpt-5.6-sol"] if self.form == "codex" else ["claude-sonnet-4-6", "claude-opus-4-7"])
        if rng.random() < .5:
            self.models.reverse()
        self.model = self.models[0]
        self.bumps = sorted(rng.sample(range(1, sessions), 1)) if rng.random() < .4 else []
        self.events = self.place_events()

    # ------------------------------------------------------------ repository and records
    def files(self):
        rng, w = self.rng, self.world
        self.F = {}
        stems = list(w["stems"])
        if "multiply" in self.has:
            stems += [(m, m + " handling") for m in w["more"]]
        for stem, topic in stems:
            pair = []
            for side, sw in zip(w["sides"], w["side_words"]):
                f = File()
                f.path, f.stem, f.topic, f.side, f.base, f.lines = f"{side}/{stem}.{w['ext']}", stem, topic, sw, f"{stem}.{w['ext']}", None
                self.F[f.path] = f
                pair.append(f)
            pair[0].twin, pair[1].twin = pair[1], pair[0]
        for p in w["conf"]:
            f = File()
            f.path, f.stem, f.topic, f.side, f.base, f.twin, f.lines = p, p.split("/")[-1].split(".")[0] or "ci", "configuration", "repo", p.split("/")[-1], None, None
            self.F[p] = f
        self.src = [f for f in self.F.values() if f.twin]
        self.conf = [f for f in self.F.values() if not f.twin]
        if "multiply" in self.has:
            order = self.src[0::2]
            rng.shuffle(order)
            self.src = [x for f in order for x in (f, f.twin)]

    def content(self, f):
        if f.lines is None:
            rng = self.rng
            pool = W.LINES[self.world["lang"]] if f.twin else ["{a}: {n}", "  {b}: {n}  # {a}", "- {a} {b} {n}", "# {a} and {b} ({n})"]
            a, ac = f.stem, f.stem[:1].upper() + f.stem[1:]
            used = rng.sample(range(3, 400), 60)
            L = [f"// {f.base}: {f.topic} ({f.side})" if self.world["lang"] != "py" else f"# {f.base}: {f.topic} ({f.side})"]
            for k in range(rng.randint(12, 26) if f.twin else rng.randint(7, 15)):
                b = rng.choice(W.WORDS)
                L.append(rng.choice(pool).format(a=a, A=ac, b=b, B=b.capitalize(), n=used[k]))
            f.lines = L
        return f.lines

    def records(self):
        rng = self.rng
        self.R = []
        names = rng.sample(W.PEOPLE, 40)
        for p in names:
            a, b = rng.sample(W.FIRST, 2)
            t1, t2 = rng.sample(W.TOWNS, 2)
            d = rng.sample("123456789", 5)
            n1 = "".join(d)
            d[2], d[3] = d[3], d[2]
            n2 = "".join(d)
            pair = []
            for first, town, num in ((a, t1, n1), (b, t2, n2)):
                pair.append(dict(p=f"{first} {p}", fam=p, pl=town, r=self.world["ref"].format(num), id=num, opened=rng.randint(1, 28)))
            pair[0]["twin"], pair[1]["twin"] = pair[1], pair[0]
            self.R += pair

    # ------------------------------------------------------------ events
    def place_events(self):
        """session -> list of (request index, what)"""
        rng, S, ev = self.rng, self.S, {}
        mt = self.spec.get("events")
        if mt:
            what, per = mt
            n = max(6, round(per * S))
            pos = [(k + rng.uniform(.15, .85)) * S / n for k in range(n)]
            for p in pos:
                i = min(S - 1, int(p))
                here = ev.setdefault(i, [])
                here.append((rng.randint(2, 4) if not here else here[-1][0] + rng.randint(6, 7), what))
        rate = .3 if self.spec.get("events", ("",))[0] != "compact" else .0
        for i in range(S):
            r = rate
            if "vague" in self.planted:
                r = .2 + .8 * (i / max(1, S - 1))
            if rng.random() < r and i not in ev:
                ev.setdefault(i, []).append((rng.randint(4, 8), "compact"))
        return ev

    # ------------------------------------------------------------ rates
    def rate(self, q):
        if q in self.ramp:
            a, b = self.ramp[q]
            v = a + (b - a) * self.x
        else:
            v = self.base[q]
        if q in self.step and self.i >= self.cut:
            v += self.step[q]
        v *= self.mood.get(q, 1.0)
        if q == "error" and self.win > 0:
            v += self.win_strength
        return min(.8, v)

    def count(self, q, hit):
        r = self.rates.setdefault(q, [[0, 0] for _ in range(self.S)])[self.i]
        r[0] += hit
        r[1] += 1

    def label(self, ident, what):
        self.labels.append([self.i, ident[-12:], what])

    # ------------------------------------------------------------ ids
    def cid(self):
        b = self.rng.getrandbits(130)
        s = []
        for _ in range(22):
            s.append(B62[b % 62])
            b //= 62
        return ("call_" if self.form == "codex" else "toolu_01") + "".join(s)

    def uid(self):
        h = "%032x" % self.rng.getrandbits(128)
        return f"{h[:8]}-{h[8:12]}-4{h[13:16]}-a{h[17:20]}-{h[20:]}"

    # ------------------------------------------------------------ emitting calls
    def put(self, call, label=None, par=False):
        call.id = self.cid()
        call.par = par and self.ev and self.ev[-1][0] == "call" and not self.ev[-1][1].err
        if label:
            self.label(call.id, label)
        self.count("error", label == "error")
        self.ncalls += 1
        if not call.par and self.rng.random() < self.talk:
            self.ev.append(("say", self.rng.choice(W.BEFORE_ES if self.spanish else W.DESK_BEFORE if self.desk else W.BEFORE)))
        self.ev.append(("call", call))
        return call

    def emit(self, call, label=None, par=False, may_fail=True):
        e = self.rate("error") * 1.08
        if may_fail and self.rng.random() < e / (1 - e):
            bad = self.broken(call)
            if bad:
                self.put(bad, "error")
        return self.put(call, label, par)

    def broken(self, c):
        rng, op, a = self.rng, c.op, c.a
        if op == "read":
            p = a["path"]
            bad = rng.choice((p.replace("/src/", "/").replace("internal/", ""), p.rsplit(".", 1)[0] + "s." + p.rsplit(".", 1)[-1], p.replace("/", "/core/", 1), "src/" + p))
            if bad == p:
                bad = "lib/" + p
            return Call("read", dict(a, path=bad), "File does not exist.", True, 1)
        if op == "readsh":
            p = "lib/" + a["path"]
            return Call("readsh", dict(a, path=p, cmd=a["cmd"].replace(a["path"], p)), f"{a['cmd'].split()[0]}: {p}: No such file or directory", True, 1)
        if op in ("search", "searchsh"):
            if rng.random() < .6:
                p = a.get("path", "src") + "/core"
                return Call(op, dict(a, path=p), f"Path does not exist: {p}" if op == "search" else f"rg: {p}: No such file or directory (os error 2)", True, 2)
            pat = a["pattern"] + "("
            return Call(op, dict(a, pattern=pat), f"rg: regex parse error:\n    (?:{pat})\n    ^\nerror: unclosed group", True, 2)
        if op == "edit":
            x = rng.random()
            if x < .6:
                old = a["old"].rstrip() + rng.choice((" ", ";", "  // checked", "\n\n"))
                return Call("edit", dict(a, old=old), f"String to replace not found in file.\nString: {old}", True, 1)
            if x < .85:
                old = a["old"].strip()[:6]
                return Call("edit", dict(a, old=old), f"Found {rng.randint(2, 4)} matches of the string to replace, but replace_all is false. To replace all occurrences, set replace_all to true. To replace only one occurrence, please provide more context to uniquely identify the instance.\nString: {old}", True, 1)
            return Call("edit", dict(a), "File has not been read yet. Read it first before writing to it.", True, 1)
        if op == "sh":
            cmd = a["cmd"]
            x = rng.randint(0, 3)
            if x == 0:
                bad = cmd + rng.choice((" --sumary", " --no-pagination", " --quick-all"))
                return Call("sh", dict(a, cmd=bad), f"error: unknown option `{bad.split()[-1]}'\nusage: {cmd.split()[0]} [<options>]", True, 2)
            if x == 1:
                tool = cmd.split()[0]
                return Call("sh", dict(a, cmd=tool + "x" + cmd[len(tool):]), f"/bin/bash: line 1: {tool}x: command not found", True, 127)
            if x == 2:
                return Call("sh", dict(a, cmd=cmd + " | grep 'ok"), "/bin/bash: eval: line 1: unexpected EOF while looking for matching `''", True, 2)
            return Call("sh", dict(a, cmd="cd build/out && " + cmd), "/bin/bash: line 1: cd: build/out: No such file or directory", True, 1)
        if op == "mcp":
            args = dict(a["args"])
            if not args:
                return None
            k = rng.choice(sorted(args))
            x = rng.random()
            if x < .45:
                v = args.pop(k)
                args[k + "_id" if not k.endswith("_id") else k[:-3]] = v
                return Call("mcp", dict(a, args=args), f"MCP error -32602: Invalid arguments for tool {a['tool']}: [{{\"code\": \"invalid_type\", \"expected\": \"string\", \"received\": \"undefined\", \"path\": [\"{k}\"], \"message\": \"Required\"}}]", True, 1)
            if x < .8:
                args[k] = str(args[k]).lower() + "-0"
                return Call("mcp", dict(a, args=args), f"Error: no entry matches {k}={args[k]}", True, 1)
            args[k] = [args[k]]
            return Call("mcp", dict(a, args=args), f"MCP error -32602: Invalid arguments for tool {a['tool']}: expected string at {k}, received array", True, 1)
        if op == "write":
            return Call("write", dict(a), "File has not been read yet. Read it first before writing to it.", True, 1)
        return None

    # ------------------------------------------------------------ code: single steps
    def read_call(self, f, whole=None, start=None, alt_ok=True):
        rng = self.rng
        L = self.content(f)
        n = len(L)
        vague = False
        if alt_ok:
            vague = rng.random() < self.rate("vague")
            self.count("vague", vague)
        if whole is None:
            whole = vague or n <= 17 or rng.random() < .35
        if whole and start is None:
            off, lim = 1, n
        else:
            lim = min(n, rng.randint(9, 15))
            off = start if start is not None else rng.randint(1, max(1, n - lim))
            lim = min(lim, n - off + 1)
        text = L[off - 1:off - 1 + lim]
        alt = False
        if self.form == "codex":
            alt = True
        elif alt_ok:
            alt = rng.random() < self.rate("mix")
            self.count("mix", alt)
        if "shellreader" in self.has:
            alt = True
        if alt:
            cmd = f"cat {f.path}" if whole else rng.choice((f"sed -n '{off},{off + lim - 1}p' {f.path}", f"sed -n {off},{off + lim - 1}p {f.path}", f"nl -ba {f.path} | sed -n '{off},{off + lim - 1}p'"))
            c = Call("readsh", dict(path=f.path, cmd=cmd), "\n".join(text))
        else:
            c = Call("read", dict(path=f.path, off=None if whole else off, lim=None if whole else lim, start=off, total=n, text=text), None)
        return c, vague

    def do_read(self, f, label=None, par=False, **kw):
        c, vague = self.read_call(f, **kw)
        self.count("reread", label == "reread")
        self.emit(c, label or ("vague" if vague else None), par)
        self.seen.add(f.path)
        self.order.append(f.path)
        self.nreads += 1

    def visit(self, f, par=False):
        """open a file unless it is known in this context and unchanged"""
        rng = self.rng
        if f.path in self.seen:
            return
        if f.twin is not None and f.twin.path not in self.seen:
            hit = rng.random() < self.rate("alike")
            self.count("alike", hit)
            if hit:
                self.do_read(f.twin, "alike")
                par = False
        self.do_read(f, par=par)
        if "swell" in self.has and rng.random() < .55 * self.x:
            self.do_read(f, "part", start=max(1, len(f.lines) // 2))
        r = self.rate("reread")
        self.debt += r / (1 - r) if rng.random() < .9 else 0
        while self.debt > 0 and rng.random() < min(1, self.debt):
            cand = [p for p in self.order if p in self.seen and p != f.path]
            if not cand:
                return
            self.debt -= 1
            self.do_read(self.F[rng.choice(cand[-9:])], "reread")

    def do_search(self, f):
        rng = self.rng
        if self.spec.get("light") and self.ncalls > self.req_start and rng.random() < .5:
            return
        L = self.content(f)
        k = rng.randrange(1, len(L))
        words = [w for w in L[k].replace("(", " ").replace(".", " ").replace("_", " ").split() if w.isalnum() and len(w) > 3] or [f.stem]
        vague = rng.random() < self.rate("vague")
        self.count("vague", vague)
        d = f.path.rsplit("/", 1)[0] if "/" in f.path else "."
        if vague:
            pat = rng.choice(("id", "err", "set", "new", "get", "todo", f.stem[:2]))
            out = "\n".join(f"{g.path}:{j + 1}:{g.lines[j].strip()}" for g in rng.sample(self.src_now, min(14, len(self.src_now))) for j in (rng.randrange(len(self.content(g))), rng.randrange(len(g.lines))))
            a = dict(pattern=pat)
        else:
            pat = rng.choice(words)
            out = "\n".join([f"{f.path}:{k + 1}:{L[k].strip()}"] + [f"{g.path}:{j + 1}:{g.lines[j].strip()}" for g in rng.sample(self.src_now, rng.randint(0, 3)) for j in (rng.randrange(len(self.content(g))),)])
            a = dict(pattern=pat, path=d)
        if "atlas" in self.has and self.i >= .35 * self.S and rng.random() < .65 * min(1, (self.i - .35 * self.S) / (.2 * self.S) + .3):
            self.emit(Call("mcp", dict(server="codeatlas", tool="find_symbol", args=dict(symbol=pat, scope=d)), out))
            return
        if "newtools" in self.has and self.i >= self.cut and rng.random() < .5:
            self.emit(Call("lsp", dict(operation=rng.choice(("findReferences", "workspaceSymbol", "goToDefinition")), filePath=f.path, line=k + 1, character=rng.randint(1, 12)), out))
            return
        alt = self.form == "codex"
        if not alt:
            alt = rng.random() < self.rate("mix")
            self.count("mix", alt)
        self.emit(Call("searchsh" if alt else "search", a, out), "vague" if vague else None)

    def do_list(self, f):
        rng = self.rng
        d = f.path.rsplit("/", 1)[0] if "/" in f.path else "."
        names = [g.path for g in self.src_now if g.path.startswith(d)][:9]
        alt = self.form == "codex"
        if not alt:
            alt = rng.random() < self.rate("mix")
            self.count("mix", alt)
        if alt:
            self.emit(Call("sh", dict(cmd=f"ls {d}", why=f"List {d}"), "\n".join(x.rsplit("/", 1)[-1] for x in names)), may_fail=False)
        else:
            self.emit(Call("list", dict(pattern=f"{d}/*.{self.world['ext']}"), "\n".join(names)), may_fail=False)

    def do_edit(self, f, label=None):
        rng = self.rng
        L = self.content(f)
        k = rng.randrange(1, len(L))
        old = L[k]
        if L.count(old) > 1:
            k = 0
            old = L[0]
        b = rng.choice(W.WORDS)
        n = rng.randint(400, 999)
        pool = W.LINES[self.world["lang"]] if f.twin else ["  {b}: {n}  # {a}", "- {a} {b} {n}"]
        new = [rng.choice(pool).format(a=f.stem, A=f.stem[:1].upper() + f.stem[1:], b=b, B=b.capitalize(), n=n + j) for j in range(rng.choice((1, 1, 2, 2, 3)))]
        if rng.random() < .5 and len(L) < 60:
            new = [old] + new
        if rng.random() < .05 and self.form != "codex":
            nl = L[:k] + new + L[k + 1:]
            self.emit(Call("write", dict(path=f.path, content="\n".join(nl)), f"The file {f.path} has been updated."), label)
        else:
            self.emit(Call("edit", dict(path=f.path, old=old, new="\n".join(new), line=k + 1), ""), label)
        L[k:k + 1] = new
        if len(L) > 70:
            del L[40:]
        self.nchanges += 1
        self.last_edit = f.stem
        self.seen.add(f.path)
        if rng.random() < .06:
            c, _ = self.read_call(f, whole=False, start=max(1, k - 3), alt_ok=False)
            self.count("reread", False)
            self.emit(c, "verify")
            self.nreads += 1

    def fill(self, s, f):
        rng = self.rng
        d = f.path.rsplit("/", 1)[0] if "/" in f.path else "."
        return s.format(t=f.topic, f=f.path, b=f.base, s=f.side, n=rng.randint(2, 90), w=rng.choice(W.WORDS), d=d, S=f.stem[:1].upper() + f.stem[1:])

    def do_shell(self, group, f):
        cmd = self.fill(self.rng.choice(W.SHELL[group]), f)
        rng = self.rng
        out = "\n".join(self.fill(rng.choice((" M {f}", "{n}f{n}ab{n} {t}: adjust {w}", "{f} | {n} ++--", "{s}-{n}  running  {n} minutes", "{w}={n}", "ok {b} {n}ms", "error page served {n} times, 0 lost")), rng.choice(self.src_now)) for _ in range(rng.randint(1, 6)))
        self.emit(Call("sh", dict(cmd=cmd, why="Inspect " + cmd.split()[0]), out))

    def do_test(self, f, red=None, depth=0):
        rng = self.rng
        w = self.world
        one = rng.random() < .6
        cmd = (w["test_one"] if one else w["test"]).format(d=f.path.rsplit("/", 1)[0], S=f.stem[:1].upper() + f.stem[1:], s=f.stem)
        infra = "flaky" in self.has and rng.random() < .05 + .5 * self.x
        if infra:
            out = self.fill(rng.choice(("dial tcp 10.0.{n}.7:5432: i/o timeout\nFAIL {d} setup", "Error: fixture server did not come up within {n}s\n0 tests run", "registry mirror returned 503, giving up after {n} tries", "ENOSPC: no space left on device, runner-{n}")), f)
            self.put(Call("sh", dict(cmd=cmd, why="Run tests"), out, True, 1), "infra")
            if depth < 2:
                self.do_test(f, red=False, depth=depth + 1)
            return
        red = rng.random() < .16 if red is None else red
        if red:
            out = self.fill(rng.choice(("--- FAIL: {S}_{w} (0.{n}s)\n    want {n}, got 0\nFAIL", "FAILED {b}::{w}_{n} - expected {n}, got None\n1 failed, {n} passed", "{b} > {w} > case {n}\n  AssertionError: expected {n} to equal 0\n Tests  1 failed")), f)
            self.put(Call("sh", dict(cmd=cmd, why="Run tests"), out, True, 1), "red_wanted" if self.red_mode else "red_task")
        else:
            self.emit(Call("sh", dict(cmd=cmd, why="Run tests"), self.fill("ok  {d}  0.{n}s\n{n} passed", f)))
        return red

    def test_cycle(self, f):
        if self.spec.get("light") and self.rng.random() < .5:
            return
        if self.do_test(f):
            self.do_edit(f)
            self.do_test(f, red=False)

    # ------------------------------------------------------------ code: requests
    def pick_file(self, fresh=.72):
        rng = self.rng
        for _ in range(6):
            f = rng.choice(self.src_now)
            if f.path not in self.seen or rng.random() > fresh:
                return f
        return f

    def neighbours(self, f, k):
        rng = self.rng
        if self.spec.get("light") and rng.random() < .6:
            k = 0
        for _ in range(k):
            g = self.pick_file(.92) if rng.random() < .9 else rng.choice(self.conf)
            self.visit(g, par=rng.random() < .15)

    def work_code(self, kind, f):
        rng = self.rng
        R = lambda p: rng.random() < p
        halve = "fewreads" in self.has and self.i >= self.cut
        near = self.spec.get("near", 0)
        k2 = lambda lo, hi: 0 if halve else rng.randint(lo, hi) + (1 if near and R(near) else 0)
        if "helpers" in self.has and kind in ("explain", "review", "feature", "fix") and self.i >= .3 * self.S and R(.6 * min(1, (self.i / self.S - .3) / .3)):
            self.delegate(f)
            if kind in ("explain", "review"):
                return
            self.visit(f)
            self.do_edit(f)
            if R(.5):
                self.test_cycle(f)
            return
        if kind == "fix":
            if R(.7):
                self.do_search(f)
            self.visit(f)
            self.neighbours(f, k2(0, 2))
            if self.red_mode and R(self.red_mode):
                self.do_edit(rng.choice(self.src_now) if R(.1) else f)
                self.do_test(f, red=True)
            for _ in range(rng.choice((1, 1, 2))):
                self.do_edit(f)
            if R(.7):
                self.test_cycle(f)
        elif kind == "feature":
            if R(.35):
                self.todo(f)
            if R(.3):
                self.do_list(f)
            if R(.5):
                self.do_search(f)
            self.visit(f)
            self.neighbours(f, k2(1, 2))
            if self.red_mode and R(self.red_mode):
                self.do_test(f, red=True)
            for _ in range(rng.choice((1, 1, 2, 2))):
                self.do_edit(f)
            if R(.6):
                self.test_cycle(f)
        elif kind == "refactor":
            self.do_search(f)
            self.visit(f)
            self.neighbours(f, k2(0, 1))
            for _ in range(rng.choice((1, 1, 2))):
                self.do_edit(f)
            if R(.6):
                self.test_cycle(f)
        elif kind == "explain":
            for _ in range(rng.choice((1, 1, 2))):
                self.do_search(f)
            self.visit(f)
            self.neighbours(f, k2(1, 2))
        elif kind == "review":
            self.do_shell("look", f)
            self.visit(f)
            self.neighbours(f, k2(0, 2))
            if R(.2):
                self.do_test(f, red=False)
        elif kind == "tests":
            self.visit(f)
            self.neighbours(f, k2(0, 1))
            for _ in range(rng.choice((1, 2))):
                self.do_edit(f)
            self.test_cycle(f)
        elif kind == "docs":
            self.visit(f)
            d = rng.choice(self.conf)
            self.visit(d)
            self.do_edit(d)
        elif kind == "ops":
            for _ in range(rng.randint(2, 4)):
                self.do_shell("ops", f)
            if R(.4):
                c = rng.choice(self.conf)
                self.visit(c)
                if R(.4):
                    self.do_edit(c)
        elif kind == "commit":
            if R(.6):
                self.emit(Call("sh", dict(cmd="git status --short", why="See what changed"), f" M {f.path}"))
            self.emit(Call("sh", dict(cmd=f"git commit -qam \"{self.last_edit}: {rng.choice(W.WORDS)} handled\"", why="Commit"), f"[main {rng.getrandbits(28):07x}] {f.stem}"))
        elif kind == "rollout":
            if R(.3):
                self.do_shell("look", f)
            self.rollout(f)
            if R(.35):
                self.do_shell("ops", f)
        if halve and kind in ("fix", "feature", "refactor", "tests", "docs") and R(.7):
            self.do_edit(f)
        if "linter" in self.has and self.rules_on and kind in ("fix", "feature", "refactor", "tests"):
            self.emit(Call("sh", dict(cmd=self.world["lint"], why="Lint"), "0 issues"))

    def rollout(self, f):
        rng = self.rng
        keys = rng.sample([s[0] for s in self.settings], rng.choice((2, 3)))
        vals, stale = {}, []
        for k in keys:
            old = rng.random() < self.rate("stale")
            self.count("stale", old)
            vals[k] = self.now[k][1 if old else 0]
            if old:
                stale.append(k)
        line = lambda v: f"./ops/roll.sh {f.side} " + " ".join(f"--{k} {v[k]}" if rng.random() < .7 else f"--{k}={v[k]}" for k in keys)
        c = self.emit(Call("sh", dict(cmd=line(vals), why="Roll out"), self.fill("rolled out {s}, {n} instances, ready in {n}s", f)))
        self.stale_after(c, stale, lambda: self.emit(Call("sh", dict(cmd=line({k: self.now[k][0] for k in keys}), why="Roll out"), self.fill("rolled out {s}, {n} instances", f))))

    def stale_after(self, c, stale, again):
        if not stale:
            return
        self.label(c.id, "stale")
        x = self.rng.random()
        if x < .15:
            again()
        elif x < .4:
            k = stale[0]
            name = [s[1] for s in self.settings if s[0] == k][0]
            self.queue.append(("stale_fix", self.rng.choice(("{n}: ahora es {v}", "usa {v} en {n}, eso cambió") if self.spanish else ("the {n} is {v} now", "{v} for the {n}, that was changed", "please use {v}, the {n} has been replaced")).format(n=name, v=self.now[k][0]), again))

    def todo(self, f):
        w = [f"Read {f.base}", f"Change the {f.topic}", "Run the tests"]
        self.emit(Call("todo", dict(items=w, new="newtools" in self.has and self.i >= self.cut), "Todos have been modified successfully."), may_fail=False)

    def delegate(self, f):
        rng = self.rng
        c = Call("task", dict(prompt=self.fill("Find out how the {t} handles the {w} in {f} and report file names and lines.", f), description=f"Explore {f.topic}"), self.fill("The {t} lives in {f}. The {w} is checked in line {n}; two callers on the other side.", f))
        side = []
        for g in [f] + rng.sample(self.src_now, rng.randint(1, 3)):
            L = self.content(g)
            side.append(Call("read", dict(path=g.path, off=None, lim=None, start=1, total=len(L), text=L[:14]), None))
            side[-1].id = self.cid()
        c.side = side
        self.emit(c, may_fail=False)

    # ------------------------------------------------------------ desk: single steps
    def dfill(self, s, r):
        rng, w = self.rng, self.world
        return s.format(p=r["p"], pl=r["pl"], r=r["r"], N=w["noun"], Ns=w["nouns"], L=w["linked"], th=rng.choice(w["things"]), act=W.ACT_ES[self.act[0]] if self.spanish else self.act[1], n=rng.randint(2, 28), m=rng.choice(W.REMARKS_ES if self.spanish else W.REMARKS))

    def mcp(self, tool, args, out, label=None, may_fail=True):
        return self.emit(Call("mcp", dict(server=self.world["server"], tool=tool, args=args), out), label, may_fail=may_fail)

    def alt(self, a, b):
        alt = self.rng.random() < self.rate("mix")
        self.count("mix", alt)
        return b if alt else a

    def card(self, r, key="state"):
        rng = self.rng
        return '{"reference": "%s", "name": "%s", "place": "%s", "opened": "2026-%02d-%02d", "%s": "%s", "%s": "%s-%s", "subject": "%s", "handler": "%s"}' % (
            r["r"], r["p"], r["pl"], r["opened"] % 12 + 1, r["opened"], key, ("open", "waiting", "in progress")[int(r["id"]) % 3], self.world["linked_key"], self.world["linked_key"][:2].upper(), r["id"], self.world["things"][int(r["id"]) % 6], W.FIRST[int(r["id"]) % 20])

    def d_find(self, r):
        w = self.world
        q = self.rng.choice((r["fam"], f"{r['fam']} {r['pl']}", r["fam"].lower()))
        hits = ",\n ".join('{"reference": "%s", "name": "%s", "place": "%s"}' % (x["r"], x["p"], x["pl"]) for x in sorted((r, r["twin"]), key=lambda x: x["r"]))
        self.mcp(self.alt(w["find"], w["find2"]), {"query": q, "limit": self.rng.choice((5, 10))}, f"[{hits}]")

    def d_open1(self, r, label=None):
        w = self.world
        if label != "reread":
            hit = self.rng.random() < self.rate("tool_alike")
            self.count("tool_alike", hit)
            if hit:
                self.mcp(w["open_twin"], {"reference": r["r"]}, '{"reference": "%s", "archived": true, "note": "no current entry in this register"}' % r["r"], "tool_alike")
        self.count("reread", label == "reread")
        self.mcp(self.alt(w["open"], w["open2"]), {"reference": r["r"]}, self.card(r), label)
        self.seen.add(r["r"])
        self.order.append(r["r"])
        self.nreads += 1

    def d_open(self, r):
        rng = self.rng
        if r["r"] in self.seen:
            return
        if r["twin"]["r"] not in self.seen:
            hit = rng.random() < self.rate("alike")
            self.count("alike", hit)
            if hit:
                self.d_open1(r["twin"], "alike")
        self.d_open1(r)
        q = self.rate("reread")
        self.debt += q / (1 - q)
        while self.debt > 0 and rng.random() < min(1, self.debt):
            cand = [p for p in self.order if p in self.seen and p != r["r"]]
            if not cand:
                return
            self.debt -= 1
            pick = rng.choice(cand[-8:])
            self.d_open1(next(x for x in self.R if x["r"] == pick), "reread")

    def d_hist(self, r):
        w, rng = self.world, self.rng
        hit = rng.random() < self.rate("tool_alike")
        self.count("tool_alike", hit)
        if hit:
            self.mcp(w["hist_twin"], {"reference": r["r"]}, "[]", "tool_alike")
        rows = ",\n ".join('{"date": "2026-%02d-%02d", "what": "%s", "by": "%s"}' % (rng.randint(1, 9), rng.randint(1, 28), rng.choice(w["things"]), rng.choice(W.FIRST)) for _ in range(rng.randint(2, 5)))
        self.mcp(self.alt(w["hist"], w["hist2"]), {"reference": r["r"]}, f"[{rows}]")

    def d_set(self, tool, r, args=None, n=None):
        """an action with settings in its arguments"""
        rng = self.rng
        style = self.spec.get("style", "plain")
        if n is None:
            n = rng.choice((1, 2, 2, 3)) if "stale" in self.planted else rng.choice((1, 2))
        keys = rng.sample([s[0] for s in self.settings], n)
        stale, pick = [], {}
        for k in keys:
            old = rng.random() < self.rate("stale")
            if self.old_wanted:
                old = False
            self.count("stale", old)
            pick[k] = self.now[k][1 if old else 0]
            if old:
                stale.append(k)
        if self.old_wanted and keys:
            k = self.old_wanted
            pick = {k: self.now[k][1]}

        def build(p):
            a = {"reference": r["r"]}
            a.update(args or {})
            if style == "composite" and p:
                ks = sorted(p)
                if len(ks) == 1 or rng.random() < .5:
                    a["terms"] = "/".join([r["id"]] + [p[k] for k in ks])
                else:
                    a["+".join(ks)] = "|".join(p[k] for k in ks)
            elif style == "renamed":
                for k in sorted(p):
                    v = p[k]
                    a[self.world["rename"][k]] = int(v) if v.isdigit() else v
            else:
                for k in sorted(p):
                    a[k] = p[k]
            return a
        c = self.mcp(tool, build(pick), '{"status": "saved", "reference": "%s", "entry": %d}' % (r["r"], rng.randint(1000, 9999)), "old_wanted" if self.old_wanted else None)
        self.nchanges += 1
        self.stale_after(c, stale, lambda: self.mcp(tool, build({k: self.now[k][0] for k in pick}), '{"status": "saved", "reference": "%s", "entry": %d}' % (r["r"], rng.randint(1000, 9999))))

    def work_desk(self, kind, r):
        rng, w = self.rng, self.world
        R = lambda p: rng.random() < p
        fp = self.spec.get("find", .35) if r["r"] in self.said else 1.0
        if kind != "summary" and r["r"] not in self.seen and R(fp):
            self.d_find(r)
        if kind == "lookup":
            self.d_open(r)
            if R(.4):
                self.mcp(self.alt(w["link"], w["link2"]), {w["linked_key"]: w["linked_key"][:2].upper() + "-" + r["id"]}, self.card(r, "status"))
            if R(.3):
                self.d_hist(r)
        elif kind == "act":
            if R(.85):
                self.d_open(r)
            self.d_set(self.act[0], r)
            if R(.3):
                self.d_note(r)
        elif kind == "message":
            if R(.8):
                self.d_open(r)
            told = {k: v for k, v in self.told.items() if k in ("sign", "cc")}
            if R(.5) or "stale" in self.planted:
                self.d_set(w["msg"], r, dict(text=self.dfill("Hola {p}, sobre {r}: necesitamos hasta el día {n}." if self.spanish else "Dear {p}, regarding the {th}: we need until the {n}th.", r), **told), n=1 if "stale" in self.planted else None)
            else:
                self.mcp(w["msg"], dict(reference=r["r"], text=self.dfill("Hola {p}, gracias por su paciencia." if self.spanish else "Dear {p}, thank you for your patience about the {th}.", r), **told), '{"status": "sent"}')
        elif kind == "schedule":
            if R(.7):
                self.d_open(r)
            for _ in range(rng.choice((1, 1, 2))):
                self.mcp(w["plan"], {"reference": r["r"], "day": "2026-%02d-%02d" % (rng.randint(1, 12), rng.randint(1, 28)), "slot": rng.choice(("am", "pm"))}, '{"status": "%s"}' % rng.choice(("booked", "held")))
        elif kind == "history":
            if R(.5):
                self.d_open(r)
            self.d_hist(r)
        elif kind == "summary":
            for _ in range(rng.choice((1, 2))):
                self.mcp(w["report"], {"days": rng.choice((7, 14, 30)), "group": rng.choice(("handler", "age", "place"))}, "\n".join(f"{rng.choice(W.FIRST)}: {rng.randint(2, 40)} open, {rng.randint(0, 9)} waiting" for _ in range(4)), )
        elif kind == "note":
            if R(.5):
                self.d_open(r)
            self.d_note(r)
        elif kind == "compare":
            self.d_open(r)
            self.mcp(self.alt(w["link"], w["link2"]), {w["linked_key"]: w["linked_key"][:2].upper() + "-" + r["id"]}, self.card(r, "status"))

    def d_note(self, r):
        w = self.world
        self.mcp(self.alt(w["note"], w["note2"]), {"reference": r["r"], "text": self.rng.choice(W.REMARKS_ES if self.spanish else W.REMARKS)}, '{"status": "noted"}')
        self.nchanges += 1

    # ------------------------------------------------------------ words
    def speak(self, kind, fill, table, short, extra=True):
        rng, u = self.rng, self.u
        p_short = u["short"]
        if "terser" in self.has:
            p_short = .05 + .85 * self.x
        if self.spanish:
            return fill(rng.choice(table[kind]))
        if rng.random() < p_short and short:
            return fill(rng.choice(short[kind]))
        s = fill(rng.choice(table[kind]))
        if extra and kind != "commit":
            scale = 1 - .9 * self.x if "terser" in self.has else 1
            if rng.random() < u["open"] * scale:
                o = rng.choice(W.OPEN)
                s = o + (s[0].lower() + s[1:] if s[1:2].islower() and o.endswith((", ", ": ", "- ")) and not s.startswith("I") else s)
            if rng.random() < u["close"] * scale:
                s = s + rng.choice(W.CLOSE if not self.desk else W.CLOSE[:1] + W.CLOSE[3:6] + W.CLOSE[7:9] + W.CLOSE[13:15])
        if u["lower"] and rng.random() < .6:
            s = s[0].lower() + s[1:]
            s = s.rstrip(".")
        return s

    def ask_prompt(self, kind, f):
        if kind == "rollout":
            return self.speak("x", lambda s: self.fill(s, f), {"x": ROLL}, {"x": ROLL_SHORT})
        return self.speak(kind, lambda s: self.fill(s, f), W.CODE_ASK, W.CODE_SHORT)

    def answer(self, tgt):
        rng = self.rng
        n = 1 + (rng.random() < .6) + (rng.random() < self.talk)
        s = [rng.choice(W.DONE)]
        if self.spanish:
            return rng.choice(("Hecho.", "Listo.", "Ya está registrado.")) + " " + rng.choice(("Todo coincide con los datos.", "Queda anotado en el expediente.", "No hay nada pendiente."))
        for _ in range(n):
            s.append(self.dfill(rng.choice(W.DESK_DETAIL), tgt) if self.desk else self.fill(rng.choice(W.DETAIL), tgt))
        return " ".join(s)

    # ------------------------------------------------------------ a request
    def prompt(self, text, label=None):
        pid = self.uid()
        self.ev.append(("prompt", text, pid))
        self.nreq += 1
        if label:
            self.label(pid, label)
        return pid

    def kinds_now(self):
        w = {}
        for k, v in self.weights.items():
            v = v * self.kw[k] * math.exp(self.kmood[k] * .8)
            w[k] = v
        sh = self.spec.get("shift")
        if sh:
            mode, lo, hi = sh
            x = {"glide": self.x, "jump": 1.0 if self.i >= self.cut else 0.0, "season": .5 + .5 * math.sin(2 * math.pi * (self.i / self.S * 3 + self.phase))}[mode]
            for k in lo:
                w[k] *= math.exp(-1.4 * (2 * x - 1))
            for k in hi:
                w[k] *= math.exp(1.4 * (2 * x - 1))
        if self.u is self.user2 and "handover" in self.has:
            for k, m in (("explain", 1.8), ("docs", 1.8), ("fix", .6), ("lookup", .6), ("act", 1.4)):
                if k in w:
                    w[k] *= m
        return w

    def request(self, first):
        rng = self.rng
        self.old_wanted = None
        self.act = rng.choice(self.world["acts"]) if self.desk else None
        if self.queue:
            what, text, again = self.queue.pop(0)
            self.prompt(text, what)
            again()
            self.ev.append(("end", rng.choice(("Perdón, cambiado.",) if self.spanish else ("Sorry, changed.", "Right, put right.", "Corrected, thanks."))))
            self.count("correct", 0)
            return
        if self.correct_next:
            tgt, kind = self.correct_next
            self.correct_next = None
            return self.redo(tgt, kind, "correct")
        w = self.kinds
        kind = rng.choices(list(w), list(w.values()))[0]
        if kind == "commit" and (first or self.nchanges == self.last_changes):
            kind = "explain"
        self.last_changes = self.nchanges
        if self.desk:
            tgt = rng.choice(self.R)
            for _ in range(4):
                if tgt["r"] not in self.seen:
                    break
                tgt = rng.choice(self.R)
            text = self.speak(kind, lambda s: self.dfill(s, tgt), W.DESK_ES if self.spanish else W.DESK_ASK, W.DESK_SHORT)
        else:
            tgt = self.pick_file()
            text = self.ask_prompt(kind, tgt)
        wishes = [(kind, tgt)]
        if "bundles" in self.has:
            while rng.random() < .05 + .42 * self.x and len(wishes) < 4:
                k2 = rng.choices(list(w), list(w.values()))[0]
                if k2 == "commit":
                    continue
                t2 = self.pick_file()
                text += rng.choice((" Also: ", "\n\nAnd then: ", " After that: ")) + self.ask_prompt(k2, t2)
                wishes.append((k2, t2))
        if "plans" in self.has and rng.random() < (.02 + .16 * self.x):
            self.ev.append(("clear",))
            self.forget()
            fs = [self.pick_file() for _ in range(rng.randint(4, 6))]
            text = "Implement the following plan:\n\n# Plan\n\n## Context\n\n" + self.fill("The {t} and its neighbours need the same treatment; the {w} is wrong in places and must not exceed {n}.", fs[0]) + "\n\n## Steps\n\n" + "\n".join(
                f"{j + 1}. {self.fill(rng.choice(W.CODE_ASK['feature'] + W.CODE_ASK['refactor']), g)}" for j, g in enumerate(fs)) + "\n\n## Verification\n\n" + "\n".join(self.fill("- {b}: {w} stays at {n}, no error in the log", g) for g in fs)
            wishes = [("feature" if rng.random() < .5 else "refactor", g) for g in fs[:3]]
            tgt, kind = fs[0], "feature"
        if "pulls" in self.has and self.order and rng.random() < .03 + .4 * self.x:
            ch = list(dict.fromkeys(p for p in self.order if p in self.seen and self.F[p].twin))[-rng.randint(2, 3):]
            if ch:
                text = rng.choice(("I pulled main, {} changed. Read the new state, then: ", "Heads up, Sofie merged her branch ({}). Have a fresh look before you go on. ", "just rebased; {} came in differently. reread and then ")).format(", ".join(ch)) + text
                pulled = ch
            else:
                pulled = []
        else:
            pulled = []
        if "oldvalues" in self.has and kind == "act" and rng.random() < .05 + .6 * self.x:
            k = rng.choice(self.settings)
            self.old_wanted = k[0]
            text = rng.choice(("{t} Use the former {n} {v} here, the contract is older.", "{t} For this one the previous {n} applies: {v}.", "{t} ({n} {v} as before the change, agreed with them)")).format(t=text, n=k[1], v=self.now[k[0]][1])
        if "redfirst" in self.has and kind in ("fix", "feature", "tests") and rng.random() < self.red_share:
            text += rng.choice((" Start with a failing test.", " Test first, show me that it fails.", " First reproduce it with a red test."))
            self.red_mode = 1
        else:
            self.red_mode = 0
        if first and self.opening:
            text = self.opening + text
        self.said = text
        pid = self.prompt(text)
        self.count("correct", 0)
        stop = rng.random() < self.rate("stop")
        self.count("stop", stop)
        if stop:
            self.label(pid, "stop")
        n0 = self.req_start = self.ncalls
        for p in pulled:
            self.seen.discard(p)
            L = self.content(self.F[p])
            L[-1] = L[-1] + f" {'#' if self.world['lang'] == 'py' else '//'} {rng.randint(100, 999)}"
            c, _ = self.read_call(self.F[p], alt_ok=False)
            self.count("reread", False)
            self.emit(c, "changed_read")
            self.seen.add(p)
            self.nreads += 1
        for k, tg in wishes:
            (self.work_desk if self.desk else self.work_code)(k, tg)
        mult = self.effort()
        extra = (self.ncalls - n0) * (mult - 1)
        extra = int(extra) + (rng.random() < extra % 1)
        for _ in range(extra):
            self.idle_look(tgt)
        if stop:
            self.cut_short(tgt)
            return
        need = rng.random() < self.spec.get("need", .3) if self.desk else False
        if need and self.told and kind != "summary":
            key = rng.choice(sorted(self.told))
            item = next(t for t in W.TOLD if t[0] == key)
            if self.spanish:
                item = item[:3] + W.TOLD_ES[key][1:]
            hit = rng.random() < self.rate("ask")
            self.count("ask", hit)
            if hit:
                q = rng.choice(item[3])
                if rng.random() < .4 and self.form == "claude_code":
                    opts = rng.sample(item[2], 3)
                    c = Call("ask", dict(question=q, header=key, options=opts), f"User has answered your questions: \"{q}\"=\"{rng.choice(item[4]).format(self.told[key])}\". You can now continue with the user's answers in mind.")
                    self.put(c, "ask")
                else:
                    self.ev.append(("end", self.answer(tgt) + " " + q))
                    apid = self.prompt(rng.choice(item[4]).format(self.told[key]), "ask")
                    self.nreq -= 1
                self.mcp(self.world["note"], {"reference": tgt["r"], key: self.told[key]}, '{"status": "noted"}')
            else:
                self.mcp(self.world["note"], {"reference": tgt["r"], key: self.told[key]}, '{"status": "noted"}')
        self.ev.append(("end", self.answer(tgt)))
        if rng.random() < self.rate("correct") / (1 - min(.5, self.rate("correct"))):
            self.correct_next = (tgt, kind)

    def redo(self, tgt, kind, label):
        rng = self.rng
        if self.desk:
            text = self.dfill(rng.choice(W.ES_FIX_UP if self.spanish else W.DESK_FIX_UP), tgt)
        else:
            text = self.fill(rng.choice(W.CODE_FIX_UP), tgt)
        if self.u["lower"] and rng.random() < .6:
            text = text[0].lower() + text[1:]
        self.prompt(text, label)
        self.count("correct", 1)
        self.count("stop", 0)
        if self.desk:
            if rng.random() < .5:
                self.d_set(rng.choice(self.world["acts"])[0], tgt, n=0)
            else:
                self.d_note(tgt)
        elif kind in ("explain", "review", "ops", "rollout", "commit"):
            self.do_search(tgt)
        else:
            self.do_edit(tgt)
            if rng.random() < .4:
                self.do_test(tgt, red=False)
        self.ev.append(("end", self.answer(tgt)))

    def idle_look(self, tgt):
        if self.desk:
            self.d_hist(tgt) if self.rng.random() < .5 else self.d_find(tgt)
        elif self.rng.random() < .5:
            self.do_search(tgt)
        else:
            self.do_shell("look", tgt)

    def effort(self):
        m = 1.0
        if self.win > 0:
            m *= 1 + (self.win_mult - 1)
        if "effort" in self.step and self.i >= self.cut:
            m *= self.step["effort"]
        return m

    def cut_short(self, tgt):
        rng = self.rng
        calls = [j for j, e in enumerate(self.ev) if e[0] == "call" and e[1].op not in ("ask", "task")]
        last = calls[-1] if calls else None
        start = max(j for j, e in enumerate(self.ev) if e[0] == "prompt")
        if self.form == "claude_code" and last is not None and last > start and rng.random() < .55 and not self.ev[last][1].err and not self.ev[last][1].par:
            c = self.ev[last][1]
            c.reject = rng.choice(W.STOP_REASON) if rng.random() < .5 else True
            if c.reject is not True:
                self.ev.append(("end", "Understood."))
                return
            self.ev.append(("interrupt", True))
        else:
            self.ev.append(("interrupt", False))
        text = self.dfill(rng.choice(W.AFTER_STOP_ES if self.spanish else W.DESK_AFTER_STOP), tgt) if self.desk else self.fill(rng.choice(W.AFTER_STOP), tgt)
        self.prompt(text, "after_stop")
        self.count("correct", 0)
        self.count("stop", 0)
        if self.desk:
            self.d_note(tgt)
        else:
            self.do_search(tgt)
        self.ev.append(("end", self.answer(tgt)))

    # ------------------------------------------------------------ settings and notes
    def notes_text(self):
        return [f"- {n}: {self.now[k][0]}" for k, n, v in self.settings]

    def announce(self, i):
        """text told at the start of this session about settings, or empty; the agent then updates its notes"""
        rng = self.rng
        if i == 0:
            self.change = "all"
            return "Before we start, our current settings, please keep them in the notes: " + "; ".join(f"{n} {self.now[k][0]} (replaces {self.now[k][1]})" for k, n, v in self.settings) + ". Now: "
        if rng.random() < .5:
            k, n, v = rng.choice(self.settings)
            new = next(x for x in v if x not in self.now[k])
            old = self.now[k][0]
            self.now[k] = (new, old)
            self.change = k
            if self.spanish:
                return rng.choice(("Desde hoy {n}: {a}, ya no {b}. ", "Cambia {n}: de {b} a {a}. ")).format(n=n, a=new, b=old)
            return rng.choice(("From today the {n} is {a}, no longer {b}. ", "Please note: {n} changes from {b} to {a}. ", "New {n}: {a} (it was {b}). ", "we switched the {n} to {a}, {b} is history. ")).format(n=n, a=new, b=old)
        self.change = None
        return ""

    def forget(self):
        self.seen = set()
        self.order = []

    # ------------------------------------------------------------ a session
    def session(self, i):
        rng, S = self.rng, self.S
        self.i = i
        t = i / max(1, S - 1)
        self.x = t ** self.s
        self.ev = []
        self.win = 0
        self.win_strength, self.win_mult = 0, 1
        self.seen, self.order, self.debt, self.queue, self.correct_next = set(), [], 0.0, [], None
        self.ncalls = self.nreads = self.nchanges = self.nreq = 0
        self.last_changes = -1
        self.req_start = 0
        self.red_mode = 0
        self.last_edit = "misc"
        self.change = None
        common = rng.gauss(0, .10)
        for q in BASE:
            prev = math.log(self.mood[q]) if q in self.mood else 0
            self.mood[q] = math.exp(.25 * prev + common + rng.gauss(0, .15))
        for k in self.kmood:
            self.kmood[k] = .35 * self.kmood[k] + rng.gauss(0, .5)
        self.phase = getattr(self, "phase", None) or rng.random()
        self.u = self.user
        if "handover" in self.has and i >= self.cut:
            self.u = self.user2
        self.spanish = "spanish" in self.has and i >= self.cut
        self.red_share = .05 + .65 * self.x
        self.rules_on = i >= .3 * S
        if self.desk:
            self.told = {}
            tell = ""
            for item in rng.sample(W.TOLD, 3):
                v = rng.choice(item[2])
                self.told[item[0]] = v
                tell += (", " if tell else "") + (W.TOLD_ES[item[0]][0] if self.spanish else item[1]).format(v)
            tell = rng.choice(("Para hoy: {}. ", "Hoy, por favor: {}. ") if self.spanish else ("For today: {}. ", "Today please {}. ", "This session: {}. ")).format(tell)
        else:
            tell = ""
        if not self.desk:
            k = len(self.src)
            if "multiply" in self.has:
                k = max(30, int(k * (.35 + .65 * self.x)))
            self.src_now = self.src[:k]
            if "swell" in self.has:
                for f in self.src_now:
                    L = self.content(f)
                    goal = int(20 * (1 + 1.8 * self.x))
                    while len(L) < goal:
                        b = rng.choice(W.WORDS)
                        L.append(rng.choice(W.LINES[self.world["lang"]]).format(a=f.stem, A=f.stem.capitalize(), b=b, B=b.capitalize(), n=1000 + len(L) + rng.randint(0, 80) * 100))
        uses_settings = self.desk or self.weights.get("rollout", 0) > 0
        head = self.announce(i) if uses_settings else ""
        self.opening = head + tell
        self.kinds = self.kinds_now()
        n = self.size * lognorm(rng, .22)
        if "terser" in self.has:
            n *= 1.05
        if "marathon" in self.has and i == self.big:
            n = rng.randint(55, 70)
        if "bundles" in self.has:
            n *= 1 - .3 * self.x
        n = max(5, min(75, round(n)))
        evs = dict((a, b) for a, b in self.events.get(i, []))
        if n > 40:
            evs.update({k: "compact" for k in range(rng.randint(14, 18), n - 4, 17)})
        if self.events.get(i) and self.spec.get("events"):
            n = max(n, max(evs) + 6)
        self.notes_start(i, uses_settings)
        if "linter" in self.has and i in self.rule_sessions:
            self.edit_rules()
        j = 0
        while j < n or self.queue or self.correct_next:
            if j in evs:
                what = evs.pop(j)
                self.happen(what)
            before = self.ncalls
            nr = self.nreq
            inwin = self.win > 0
            e0 = self.rates.get("error", [[0, 0]] * S)[i][0]
            self.request(j == 0)
            j += 1
            if j == 1 and self.change and uses_settings:
                self.save_notes()
            self.extra.setdefault("requests", []).append([i, 1 if inwin else 0, self.rates["error"][i][0] - e0, self.ncalls - before])
            if self.win > 0:
                self.win -= 1
        self.extra.setdefault("calls", []).append([self.ncalls, self.nreq])
        self.extra.setdefault("reads", []).append([self.nreads, self.nchanges])
        return self.ev

    def happen(self, what):
        rng = self.rng
        if what == "compact":
            self.ev.append(("compact",))
            self.forget()
        elif what == "clear":
            self.ev.append(("clear",))
            self.forget()
        elif what == "swap":
            self.model = self.models[1 - self.models.index(self.model)]
            self.ev.append(("model", self.model))
        harm = self.spec.get("harm")
        if harm and what == self.spec["events"][0]:
            mode, strength, mult = harm
            f = 1.0 if mode == "flat" else .25 + 1.5 * (self.i / max(1, self.S - 1))
            self.win = rng.randint(4, 6)
            self.win_strength, self.win_mult = strength * f, 1 + (mult - 1) * f

    def notes_start(self, i, uses):
        self.first_notes = None
        if uses and i > 0 and self.rng.random() < .8:
            self.first_notes = list(self.notes_lines)
        elif "linter" in self.has and self.rules_on:
            self.first_notes = ["# Conventions", "- run the linter after every change", "- read this note first", "- no commented-out code"]

    def edit_rules(self):
        rng = self.rng
        rule = rng.choice(("run the linter after every change", "read docs/conventions first", "no abbreviations in names", "keep functions below forty lines"))
        self.ev.append(("prompt", rng.choice(("Add to CLAUDE.md: {}.", "new rule for the instructions file: {}", "Please write into CLAUDE.md that you should {}.")).format(rule), self.uid()))
        self.nreq += 1
        self.count("correct", 0)
        self.count("stop", 0)
        self.put(Call("read", dict(path="CLAUDE.md", off=None, lim=None, start=1, total=3, text=["# Rules", "- be brief", "- small commits"]), None))
        self.count("reread", 0)
        self.put(Call("edit", dict(path="CLAUDE.md", old="- small commits", new=f"- small commits\n- {rule}", line=3), ""))
        self.ev.append(("end", "Added."))

    def save_notes(self):
        """the agent keeps the announced settings in its notes file; goes before the first answer"""
        path = "notes/settings.md"
        new = self.notes_text()
        if self.notes_lines is None or self.change == "all":
            c = Call("write", dict(path=path, content="# Settings\n" + "\n".join(new), create=True), f"File created successfully at: {path}")
        else:
            diff = [(k, o, b) for k, (o, b) in enumerate(zip(self.notes_lines, new)) if o != b] or [(0, new[0], new[0])]
            k, o, b = diff[0]
            c = Call("edit", dict(path=path, old=o, new=b, line=k + 2), "")
        self.notes_lines = new
        c.id = self.cid()
        self.count("error", 0)
        at = next(j for j, e in enumerate(self.ev) if e[0] == "prompt")
        pre = []
        if self.first_notes:
            pre = [self.notes_read(path)]
            self.first_notes = None
        self.ev[at + 1:at + 1] = pre + [("call", c)]

    def notes_read(self, path):
        L = self.first_notes
        c = Call("read", dict(path=path, off=None, lim=None, start=1, total=len(L), text=L), None)
        if self.form == "codex":
            c = Call("readsh", dict(path=path, cmd=f"cat {path}"), "\n".join(L))
        c.id = self.cid()
        self.count("error", 0)
        return ("call", c)

    def plan(self):
        """[(session number, events)]; labels, rates and extra are filled on the way"""
        rng = self.rng
        self.big = round(self.S * rng.uniform(.45, .8))
        self.rule_sessions = sorted({round(self.S * p) for p in (.3, .5, .72)})
        out = []
        for i in range(self.S):
            ev = self.session(i)
            if self.first_notes:
                at = next(j for j, e in enumerate(ev) if e[0] == "prompt")
                ev.insert(at + 1, self.notes_read("notes/settings.md" if "linter" not in self.has else "docs/conventions.md"))
            if "sandbox" in self.has and i >= self.cut:
                ev = self.approvals(ev)
            out.append(ev)
        return out

    def approvals(self, ev):
        """the harness wants approval for one shell call in six; approved, the same call is made again"""
        res = []
        for e in ev:
            if e[0] == "call" and e[1].op in ("sh", "searchsh", "readsh") and not e[1].err and not e[1].reject and self.rng.random() < .17:
                c = Call(e[1].op, e[1].a, "This command requires approval", True, 1)
                c.id = self.cid()
                self.count("error", 0)
                self.label(c.id, "approval")
                e[1].par = False
                res += [("call", c)]
            res.append(e)
        return res
