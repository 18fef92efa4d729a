"""One life: sessions, requests, calls."""
import math, re
from datetime import datetime, timedelta, timezone
from v19_world import World, LABELS, new_value
from v19_text import *
from v19_slips import MULT, bad

FILE_TASKS = ("fix", "add", "refactor", "explain", "docs", "tests")
MIX = dict(fix=4, add=4, refactor=2, explain=2, review=1.5, deploy=1.5, data=1.5, docs=1.5, tests=2, deps=.8, logs=1.2)
MIX_B = dict(fix=1.5, add=1.5, refactor=.7, explain=3, review=2.5, deploy=3, data=3, docs=3, tests=1, deps=1.5, logs=3)
SLOT = re.compile(r"\{(\w+)\}")


class Life:
    def __init__(self, r, fmt, make, S, plan):
        self.r, self.fmt, self.make, self.S, self.plan = r, fmt, make, S, plan
        self.w = World(r)
        lv = lambda m, s=.25: m * math.exp(r.gauss(0, s) - s * s / 2)
        self.lv = dict(err=lv(.053), reread=lv(.08), corr=lv(.07), intr=lv(.03), look=lv(.03), gen=lv(.25), stale=lv(.04),
                       fail=lv(.15), sub=lv(.05), mcp=lv(.04), lint=lv(.3), comp=lv(.1), reqs=lv(5.2, .2), len=lv(1.0, .2), change=lv(.5), say=lv(.35))
        self.mix = {k: lv(v, .3) for k, v in MIX.items()}
        self.mix_b = {k: lv(v, .3) for k, v in MIX_B.items()}
        self.user = r.choice(("mila", "bruno", "yusra", "odd"))
        self.user_b = r.choice([u for u in ("mila", "bruno", "yusra", "odd") if u != self.user])
        self.mood = {k: r.gauss(0, .25) for k in ("err", "reread", "corr", "len", "look")}
        self.stale_known = {}
        self.hot = [r.randrange(5) for _ in range(3)]
        self.asked = set()
        self.rules = ["Run the tests before you say that something works.", "Small commits, one subject each."]

    # ---- pieces -------------------------------------------------
    def emit(self, a, say=None):
        self.n["calls"] += 1
        if a["op"] == "read": self.n["reads"] += 1
        if self.sink is not None: self.sink.append(a)
        else: self.tx.call(a, say)

    def do(self, a):
        r = self.r
        p = self.perr * MULT[a["op"]]
        for _ in range(4):
            if a["op"] == "todo" and self.fmt == "codex" or r.random() >= p: break
            self.n["errors"] += 1
            self.emit(bad(r, a, self.w, self.fmt), self.chat(a))
            if a["op"] != "task" and r.random() < .15: return False
        if a["op"] in ("edit", "sh") and self.sink is None and r.random() < .006:
            b = dict(a)
            b["reject"] = ("The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). To tell you how to proceed, the user said:\nsmaller steps please"
                           if self.fmt == "claude" else "exec command rejected by user")
            self.emit(b)
        self.emit(a, self.chat(a))
        return True

    def chat(self, a):
        if self.sink is not None or self.r.random() > self.lv["say"]: return None
        x = a.get("path") or a.get("cmd", "").split(" ")[0] or a.get("pattern") or "the rest"
        return self.r.choice(SAY).format(x=x.rsplit("/", 1)[-1])

    def read(self, f, again=False):
        r, L = self.r, self.w.lines(f)
        base = getattr(self, "_b", None)
        if base is None: self._b = base = {}
        n0 = base.setdefault(f.path, len(L))
        if len(L) < n0 * self.g["scale"]:
            L.extend(r.choices(self.w.pool, k=int(n0 * self.g["scale"]) - len(L)))
        if again and f.path in self.seen: rg = self.seen[f.path][-1]
        elif len(L) > 110 and r.random() < .8:
            k = r.choice((60, 80, 100))
            used = {x[0] for x in self.seen.get(f.path, []) if x}
            opts = [x for x in range(1, len(L) - k // 2, k) if x not in used] or [r.randrange(2, len(L) - 30)]
            rg = (r.choice(opts), k)
        else: rg = None
        a = dict(op="read", path=f.path, range=rg, first=rg[0] if rg else 1, lines=L[rg[0] - 1:rg[0] - 1 + rg[1]] if rg else L[:])
        if self.do(a):
            self.seen.setdefault(f.path, []).append(rg)
            self.objs[f.path] = f
            self.dirty.discard(f.path)
            if again: self.n["rereads"] += 1
        # a repeated read without a reason, beside the planned one
        if not again:
            while r.random() < self.prr:
                clean = [p for p in self.seen if p not in self.dirty]
                if not clean: break
                self.read(self.objs[r.choice(clean)], True)

    def need(self, f):
        if f.path not in self.seen: self.read(f)

    def other(self):
        r = self.r
        pool = [f for f in self.w.by_pkg[self.pkg] if f.path not in self.seen]
        if not pool or r.random() < .2:
            ps = self.active
            for _ in range(8):
                f = r.choice(self.w.by_pkg[r.choice(ps)])
                if f.path not in self.seen: return f
            free = [f for f in self.w.files if f.path not in self.seen]
            return r.choice(free) if free else None
        return r.choice(pool)

    def reads(self, n):
        r = self.r
        for _ in range(n):
            f = self.other()
            if self.g["scale"] > 1.2 and r.random() < .4 and self.tgt.path in self.seen and len(self.w.lines(self.tgt)) > 200: f = self.tgt
            if f: self.read(f)

    def edit(self, f):
        r, w = self.r, self.w
        self.need(f)
        L = w.lines(f)
        i = r.randrange(max(1, len(L) - 1))
        old = L[i:i + 2]
        f.edits += 1
        a, b = r.choice(w.nouns), r.choice(w.nouns)
        new = [r.choice(w.w["line"]).format(a=a, b=b, A=a.title(), B=b.title()) + f"  {w.w['cmt']} {a} {r.randrange(900)}"] + old[1:]
        if self.do(dict(op="edit", path=f.path, old="\n".join(old), new="\n".join(new), at=i + 1)):
            L[i:i + 2] = new
            self.dirty.add(f.path)
            if r.random() < .12: self.read(f)

    def write(self, test=False):
        r, w = self.r, self.w
        b = f"{r.choice(w.nouns)}_{r.choice(w.suf)}{r.randrange(100)}"
        p = w.w["test"].format(b) if test else f"{w.w['root']}{self.pkg}/{b}.{w.w['ext']}"
        ok = self.do(dict(op="write", path=p, content="\n".join(r.choices(w.pool, k=r.randrange(10, 40)))))

    def search(self):
        r, w = self.r, self.w
        if r.random() < self.g["mcp"]: return self.mcp()
        gen = r.random() < self.g["gen"]
        pat = r.choice(w.nouns) if gen else (w.sym() if r.random() < .6 else f"{w.sym()}.*{r.choice(w.nouns)}")
        fs = r.sample(w.files, r.randrange(8, 16) if gen else r.randrange(1, 5)) if r.random() > .12 else []
        out = "\n".join(f"{f.path}:{r.randrange(1, 160)}:{r.choice(w.pool).strip()}" for f in fs)
        a = dict(op="search", pattern=pat, out=out or ("No matches found" if self.fmt == "claude" else ""), code=0 if out else 1)
        if r.random() < .4: a["path"] = w.w["root"] + self.pkg
        self.do(a)

    def find(self):
        r, w = self.r, self.w
        n = r.choice(w.nouns)
        self.do(dict(op="find", glob=f"**/*{n}*.{w.w['ext']}", out="\n".join(f.path for f in w.files if n in f.base)[:900] or "No files found"))

    def mcp(self, kind=None):
        r, w = self.r, self.w
        k = kind or r.randrange(3)
        n = [("mcp__codeindex__find_symbol", {"name": w.sym()}), ("mcp__codeindex__search_text", {"query": r.choice(w.nouns) + " " + r.choice(w.suf), "limit": 20}),
             ("mcp__codeindex__list_references", {"symbol": w.sym(), "package": self.pkg}), ("mcp__opsdesk__run_query", {"table": r.choice(w.nouns), "rows": r.randrange(5, 60)}),
             ("mcp__opsdesk__service_status", {"service": r.choice(w.nouns)})][k]
        out = "\n".join(f"{f.path}:{r.randrange(1, 160)}" for f in r.sample(w.files, r.randrange(1, 7))) if k < 3 else w.output("")
        self.do(dict(op="mcp", name=n[0], input=n[1], out=out))

    def sh(self, group):
        r, w = self.r, self.w
        if group in ("query", "logs", "health") and r.random() < self.g["mcp"] * .6: return self.mcp(r.choice((3, 4)))
        c = r.choice(w.w[group])
        ks = SLOT.findall(c)
        v, old = {"t": r.choice(w.nouns)}, False
        for k in ks:
            if k == "t": continue
            h = w.settings[k]
            self.n["uses"] += 1
            if len(h) > 1 and r.random() < self.lv["stale"]:
                v[k] = h[-2]; old = True; self.n["stale"] += 1
            else: v[k] = h[-1]
        out = w.output("")
        if group == "lint": out = "All checks passed."
        if old: out += "\nnote: this name is kept for the changeover only"
        self.do(dict(op="sh", cmd=c.format(**v), out=out, code=0, desc=f"Run {c.split()[0]}"))
        if old and r.random() < .5:
            v = {k: (w.settings[k][-1] if k != "t" else v["t"]) for k in ks}
            self.do(dict(op="sh", cmd=c.format(**v), out=w.output(""), code=0, desc="Once more"))

    def test(self, fail=None):
        r, w = self.r, self.w
        p = self.g["fail"] if fail is None else fail
        t = w.w["test"].format(self.tgt.base) if w.w["ext"] != "rs" else self.tgt.base
        if r.random() < p: out, code = w.w["tfail"].format(t, r.choice(w.nouns)), 1
        else: out, code = w.w["tok"].format(r.randrange(5, 60), r.randrange(10, 99)), 0
        self.do(dict(op="sh", cmd=w.w["t"].format(t), out=out, code=code, desc="Run tests"))
        return code

    def git(self, c):
        self.do(dict(op="sh", cmd=c, out=self.w.output("git") if "commit" not in c else f"[work {self.r.getrandbits(28):07x}] {self.thing}\n 2 files changed", code=0, desc="Git"))

    def explore(self, k):
        """k looking steps; perhaps given to a subagent"""
        r = self.r
        if self.fmt == "claude" and r.random() < self.g["sub"]:
            steps = self.sink = []
            for _ in range(k + r.randrange(1, 4)): (self.search if r.random() < .4 else lambda: self.reads(1))()
            self.sink = None
            a = dict(op="task", agent="Explore", desc=f"Explore {self.thing} handling", prompt=f"Find where the {self.thing} is handled in {self.pkg} and how it reaches the {self.thing2}. Report paths and the names of the functions.",
                     steps=steps, out=f"The {self.thing} is handled in {self.tgt.path}. It is called from the {self.thing2} code. Nothing else writes to it.")
            return self.do(a)
        for i in range(k):
            x = r.random()
            (self.search if x < .5 else self.find if x < .6 else lambda: self.reads(1))()

    # ---- tasks --------------------------------------------------
    def flow(self, kind):
        """list of step functions"""
        r, f = self.r, self.tgt
        k = lambda lo, hi: max(0, int(r.triangular(lo, hi + 1, lo) * self.g["len"] + r.random() * .6))
        ex = lambda n: [lambda: self.explore(n)] if n else []
        rd = lambda n: [lambda: self.reads(1)] * n
        ed = lambda n: [lambda: self.edit(f if r.random() < .7 else self.objs.get(r.choice(list(self.seen)), f) if self.seen else f)] * n
        sh = lambda g, n=1: [lambda: self.sh(g)] * n
        tst, srch = [self.test], [self.search]
        tgt = [lambda: self.need(f)]
        end = (sh("lint") if r.random() < self.g["lint"] else []) + ([lambda: self.git("git add -A"), lambda: self.git(f"git commit -m '{self.thing}: {kind} {self.thing2}'")] if r.random() < self.g["commit"] else [])
        plan = [lambda: self.do(dict(op="todo", items=[(f"look at the {self.thing}", "in_progress"), (f"{kind} {self.tgt.base}", "pending"), ("check", "pending")]))] if r.random() < .15 else []
        if kind in ("fix", "add", "refactor") and r.random() < self.g["tdd"]:
            x = [lambda: self.write(True), lambda: self.test(self.g["fail"])] + ed(k(1, 2)) + [lambda: self.test(self.g["fail"] * .7)]
            return plan + ex(k(1, 2)) + tgt + x + ed(k(0, 2)) + tst + end
        if kind == "fix": return plan + ex(k(1, 2)) + tgt + rd(k(0, 2)) + ed(k(1, 3)) + tst * max(1, k(1, 1)) + end
        if kind == "add": return plan + ex(k(1, 3)) + tgt + rd(k(1, 2)) + [self.write] + ed(k(1, 3)) + tst + end
        if kind == "refactor": return plan + srch * k(1, 2) + tgt + rd(k(1, 3)) + ed(k(2, 5)) + srch + tst + end
        if kind == "explain": return ex(k(1, 2)) + tgt + rd(k(1, 4))
        if kind == "review": return [lambda: self.git(f"git log --oneline -{r.randrange(3, 12)}"), lambda: self.git("git diff main --stat")] + rd(k(2, 3)) + srch * k(0, 2)
        if kind == "deploy": return [lambda: self.git("git status --short")] + sh("build") + sh("deploy", k(1, 1)) + sh("health", k(1, 2)) + sh("logs", k(0, 2))
        if kind == "data": return sh("query", k(1, 3)) + rd(k(0, 2)) + [self.write] + sh("script", k(1, 3)) + sh("query")
        if kind == "docs": return ex(k(0, 2)) + tgt + rd(k(1, 3)) + ed(k(1, 2)) + end
        if kind == "tests": return tgt + rd(k(1, 2)) + srch * k(0, 1) + [lambda: self.write(True)] + tst * max(1, k(1, 2)) + ed(k(0, 2)) + tst + end
        if kind == "deps": return sh("deps", k(1, 2)) + rd(k(0, 1)) + sh("build") + tst + end
        if kind == "corr": return rd(k(0, 2)) + srch * k(0, 1) + ed(k(1, 2)) + tst
        return sh("logs", k(1, 3)) + srch * k(0, 2) + rd(k(1, 3)) + sh("health", k(0, 1))

    def slots(self):
        r, w = self.r, self.w
        self.thing, self.thing2 = r.sample(w.nouns, 2)
        f = self.tgt
        return dict(file=f.path if r.random() < .55 or f.twin else f.path.rsplit("/", 1)[1], sym=w.sym(), thing=self.thing, thing2=self.thing2,
                    person=r.choice(w.people), n=r.randrange(2, 60))

    def manner(self, s):
        r, u = self.r, self.g["user"]
        lang = self.g["lang"]
        if lang: return r.choice(lang["open"]) + s + r.choice(lang["close"])
        if r.random() < self.g["terse"]: return s
        o = r.choice(OPEN[u])
        if u in ("mila", "yusra") and (not o or o.rstrip().endswith((".", "?"))) and not s.startswith(("{", "src/", "crates/", "packages/")): s = s[0].upper() + s[1:]
        if u == "bruno": s = s.replace("please ", "").replace("I ", "i ")
        return o + s + r.choice(CLOSE[u])

    def task_text(self, kind):
        r = self.r
        if self.g["lang"]: t = r.choice(self.g["lang"][kind])
        elif r.random() < self.g["terse"]: return TERSE[kind].format(**self.slots()), "{file}" in TERSE[kind]
        else: t = r.choice(ASK[kind])
        return self.manner(t.format(**self.slots())), "{file}" in t

    def pick(self):
        r, m = self.r, self.g["mixes"]
        ks = list(MIX)
        return r.choices(ks, weights=[m[k] for k in ks])[0]

    def target(self):
        r = self.r
        new = self.g["newpkg"]
        if len(self.active) > 5 and r.random() < new: self.pkg = r.choice(self.active[5:])
        else: self.pkg = self.active[min(int(r.expovariate(.6)), 4)]
        self.tgt = r.choice(self.w.by_pkg[self.pkg] or self.w.files)

    def confuse(self):
        f = self.tgt.twin
        self.n["file_tasks"] += 1
        if f is None or self.r.random() >= self.plook * 1.05: return
        self.n["lookalikes"] += 1
        self.need(f) if self.r.random() < .65 else self.edit(f)


    def show_env(self, ks):
        w = self.w
        self.do(dict(op="sh", cmd=self.envcmd, out="\n".join(f"{k} = \"{w.settings[k][-1]}\"" + (f"  # was \"{w.settings[k][-2]}\" before the move" if len(ks) > 9 else "") for k in ks), code=0, desc="Show the settings"))

    def request(self, text, kind, steps, corr=False):
        r, tx = self.r, self.tx
        if text in self.asked and r.random() < .9: text += f" ({r.choice(self.w.people)} asked)"
        self.asked.add(text)
        self.n["requests"] += 1
        self.n["corrections"] += corr
        tx.tick(60, 600) if self.n["requests"] > 1 else tx.tick(2, 20)
        tx.user(text)
        if corr: tx.say(r.choice(SORRY).format(x=self.tgt.base, thing=self.thing, thing2=self.thing2), False)
        stop = r.random() < self.lv["intr"]
        cut = r.randrange(len(steps) + 1) if stop and steps else None
        base = self.perr, self.prr
        if self.after and self.g["shock"]:
            self.perr *= self.g["shock"]; self.prr = min(.6, self.prr * self.g["shock"])
            x = int(len(steps) * (self.g["shock_len"] - 1) + r.random())
            for _ in range(x): steps.insert(r.randrange(len(steps) + 1), r.choice((self.search, lambda: self.reads(1), lambda: self.git("git diff"), self.test)))
        for i, s in enumerate(steps):
            if cut == i: break
            s()
        self.perr, self.prr = base
        if stop:
            self.n["interrupts"] += 1
            if r.random() < .5:
                a = dict(op="sh", cmd=self.w.w["t"].format(self.tgt.base), desc="Run tests")
                self.n["calls"] += 1
                tx.interrupt(a)
            else: tx.interrupt()
        else:
            tx.say(r.choice(DONE).format(x=self.tgt.base, thing=self.thing, thing2=self.thing2, n=r.randrange(1, 9)))
            tx.turn_end()
        return stop

    def session(self, s, start, g):
        r = self.r
        self.g = g
        for k in self.mood: self.mood[k] = .3 * self.mood[k] + math.sqrt(1 - .09) * r.gauss(0, .25)
        m = {k: math.exp(v - .031) for k, v in self.mood.items()}
        self.perr = min(.5, (self.lv["err"] + g["err_add"]) * m["err"])
        self.prr = min(.6, (self.lv["reread"] + g["reread_add"]) * m["reread"])
        self.plook = (self.lv["look"] + g["look_add"]) * m["look"]
        g["gen"] = min(.9, self.lv["gen"] + g["gen_add"])
        g["len"] = self.lv["len"] * (.85 + .25 * m["len"]) * .95
        self.sink, self.seen, self.objs, self.dirty, self.after = None, {}, {}, set(), False
        self.n = dict.fromkeys("calls errors reads rereads requests corrections interrupts lookalikes file_tasks uses stale compactions after_calls after_errors after_requests".split(), 0)
        self.active = self.w.pkgs[:g["npkg"]]
        ctx = dict(cwd=self.w.cwd, version=g["version"], model=g["model"], branch=self.w.settings["release_branch"][-1] if r.random() < .15 else "main",
                   rules="\n".join("- " + x for x in self.rules), old_tools=g["old_tools"])
        tx = self.tx = self.make(r, ctx, start)
        n = 1 if r.random() < .06 else int(min(max(round(r.lognormvariate(math.log(self.lv["reqs"]), .35)), 2), 10))
        if g["tiny_off"] and n < 3: n = 4
        n = int(n * g["size"])
        comp = r.random() < self.lv["comp"] if g["comp"] is None else g["comp"]
        at = {int(n * x) for x in g["comp_at"]} if g["comp_at"] else ({r.randrange(n)} if comp else set())
        if comp and g["shock"]: n = max(n, 4); at = {max(1, int(n * .35))}
        if at: tx.grow = 4.0
        i, redirect = 0, False
        while i < n:
            if i in at:
                at.discard(i)
                tx.compact(f"1. Primary request: work on the {r.choice(self.w.nouns)} code.\n2. Files touched: " + ", ".join(list(self.seen)[:6]) + "\n3. Pending: continue with the last request.")
                self.n["compactions"] += 1
                self.after = True
            self.target()
            kind = self.pick()
            before = dict(self.n)
            told, shown = "", None
            if r.random() < self.lv["change"] / 5.2:
                k = r.choice(list(LABELS)); old = self.w.settings[k][-1]; v = new_value(r, k, self.w.w)
                self.w.settings[k].append(v)
                if r.random() < .6:
                    told = " " + r.choice(g["lang"]["told"] if g["lang"] else TOLD).format(label=LABELS[k], value=v, old=old)
                else: shown = [k] + r.sample(list(LABELS), 3)
            planned = s > 0 and i == 0 and r.random() < g["clear"]
            if g["rules"] and i == min(1, n - 1):
                text, hasf, kind = self.manner("write into the instruction file that you lint after every change and commit when it is green").format(), False, "rules"
                self.slots()
            elif planned:
                kind = r.choice(("add", "fix", "refactor"))
                self.slots()
                text, hasf = self.plan_text(kind), True
                tx.clear()
            else: text, hasf = self.task_text(kind)
            if redirect and not g["lang"]: text = r.choice(REDIRECT).format(inner=text)
            if kind == "rules": steps = self.rules_steps()
            else: steps = self.flow(kind)
            if hasf and kind in FILE_TASKS: steps.insert(0, self.confuse)
            if shown: steps.insert(0, lambda: self.show_env(shown))
            elif s == 0 and i == 0: steps.insert(0, lambda: self.show_env(list(LABELS)))
            elif kind in ("deploy", "logs") and r.random() < .2: steps.insert(0, lambda: self.show_env(r.sample(list(LABELS), 5)))
            redirect = self.request(text + told, kind, steps)
            i += 1
            c = self.lv["corr"] * m["corr"]
            while not redirect and r.random() < c / (1 - c):
                sl = self.slots_keep()
                t = r.choice(g["lang"]["corr"] if g["lang"] else CORR).format(**sl)
                redirect = self.request(t if r.random() < .6 else self.manner(t) if not g["lang"] else t, "corr", self.flow("corr"), True)
                i += 1
            if self.after:
                for k in ("calls", "errors", "requests"): self.n["after_" + k] += self.n[k] - before[k]
        return tx

    def slots_keep(self):
        r = self.r
        return dict(thing=self.thing, thing2=self.thing2, sym=self.w.sym(), person=r.choice(self.w.people), n=r.randrange(2, 60), file=self.tgt.path)

    def plan_text(self, kind):
        r, w = self.r, self.w
        head = {"add": "Build", "fix": "Repair", "refactor": "Restructure"}[kind]
        body = "\n".join(f"{i}. In `{r.choice(w.by_pkg[self.pkg]).path}` let `{w.sym()}` {r.choice(('take', 'return', 'keep', 'drop', 'check'))} the {r.choice(w.nouns)} before the {r.choice(w.nouns)}; {r.choice(w.people)} agreed on at most {r.randrange(2, 90)} of them." for i in range(1, r.randrange(6, 13)))
        return f"Implement the following plan:\n\n# {head} the {self.thing} in {self.tgt.path}\n\n## Background\n\nThe {self.thing} was built before the {self.thing2} existed and now stands in its way. {r.choice(w.people)} wants it done this week.\n\n## Steps\n\n{body}\n\n## Check\n\nAll tests pass and the {self.thing2} still shows {r.randrange(3, 40)} rows.\n"

    def rules_steps(self):
        name = "CLAUDE.md" if self.fmt == "claude" else "AGENTS.md"
        old = list(self.rules)
        self.rules += ["Lint after every change.", "Commit as soon as the tests are green."]
        rd = dict(op="read", path=name, range=None, first=1, lines=["- " + x for x in old])
        ed = dict(op="edit", path=name, old="- " + old[-1], new="\n".join("- " + x for x in self.rules[-3:]), at=2)
        return [lambda: self.do(rd), lambda: self.do(ed), lambda: self.git("git commit -am 'rules: lint and commit'")]

    def run(self, put):
        r = self.r
        self.envcmd = r.choice(["make show-env", "./bin/settings list", "just env"])
        t = datetime(2026, r.randrange(1, 5), r.randrange(1, 25), 8, r.randrange(10, 59), tzinfo=timezone.utc)
        left, labels = 0, {}
        for s in range(self.S):
            g = self.plan(s, self)
            if s and left <= 0 or t.hour >= 18:
                t = t.replace(hour=8, minute=r.randrange(60)) + timedelta(days=1 if r.random() < .8 else 2 + r.randrange(2), minutes=r.randrange(120))
                left = r.choices((1, 2, 3), (4, 4, 2))[0]
            t += timedelta(days=g["gap"])
            while t.weekday() > 4: t += timedelta(days=1)
            if s == 0: left = r.choice((1, 2, 3))
            left -= 1
            tx = self.session(s, t, g)
            put(tx.name, tx.out)
            for k, v in self.n.items(): labels.setdefault(k, []).append(v)
            t = tx.t + timedelta(minutes=r.uniform(12, 90))
        return labels
