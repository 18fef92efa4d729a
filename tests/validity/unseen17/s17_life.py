"""One life: sessions of requests, calls, slips, values. Independent of the file format."""
import math
import random
from datetime import datetime, timedelta
from s17_words import *
from s17_world import World, hash_
from s17_slips import slip_of

MIX_A = dict(fix=20, feature=16, refactor=10, question=12, review=7, infra=9, data=8, docs=6, tests=8, release=6)
MIX_B = dict(fix=10, feature=8, refactor=6, question=10, review=10, infra=18, data=18, docs=8, tests=6, release=10)
TASK_SLIP = dict(fix=1.0, feature=1.03, refactor=1.05, question=.95, review=.95, infra=1.05, data=1.05, docs=.97, tests=1.0, release=1.0)
OP_SLIP = dict(read=.97, search=.92, glob=.95, edit=1.06, write=.95, bash=1.04, mcp=.94, task=.3, todo=0)
USES = dict(fix=1.1, feature=1.0, refactor=.6, question=.6, review=.7, infra=3.2, data=2.4, docs=.5, tests=.8, release=2.7)


class Call:
    __slots__ = ("op", "args", "out", "code", "kind", "side", "cat", "meta")

    def __init__(self, op, args, out, code=0, kind="ok", cat=None, meta=None):
        self.op, self.args, self.out, self.code, self.kind, self.cat, self.meta, self.side = op, args, out, code, kind, cat, meta, None


class Session:
    def __init__(self, i):
        self.i, self.items, self.lab = i, [], dict(calls=0, errors=0, reads=0, rereads=0, requests=0, corrections=0, interrupts=0, stale=0, value_uses=0)
        self.values, self.start = [], None


class Life:
    def __init__(self, kind, spec, seed, sessions):
        self.kind, self.spec, self.fmt, self.N = kind, spec, spec["format"], sessions
        self.rng = rng = random.Random(f"s17/{kind}/{seed}/{sessions}")
        self.w = World(rng)
        lev = lambda sd=.24: math.exp(rng.gauss(0, sd) - sd * sd / 2)
        self.b_slip = min(.068, max(.040, .053 * lev(.2)))
        self.b_reread, self.b_corr, self.b_int = .08 * lev(), .07 * lev(), .03 * lev()
        self.b_stale, self.b_look, self.b_gen = .04 * lev(), .03 * lev(), .08 * lev()
        self.b_len, self.b_req = .95 * lev(.16), lev(.14)
        self.b_fail, self.b_rej = .27 * lev(), .008 * lev()
        self.mix0 = {k: v * lev(.25) for k, v in MIX_A.items()}
        self.mix1 = {k: v * lev(.25) for k, v in MIX_B.items()}
        self.tendency = rng.choice([.5, .5, .3, .7])
        self.mode = spec.get("values", "mixed")
        self.langkey = rng.choice(["de", "es"])
        self.recent = []
        self.areas_live = list(self.w.areas)
        self.sessions = []
        self.days()
        moods = [self.ar(.25) for _ in range(3)]
        for i in range(sessions):
            self.t = i / max(1, sessions - 1)
            self.late = i >= sessions // 2
            self.m_slip, self.m_read, self.m_len = (m[i] for m in moods)
            self.sessions.append(self.session(i))

    def ar(self, sd):
        x, out = self.rng.gauss(0, sd), []
        for _ in range(self.N):
            out.append(math.exp(x - sd * sd / 2))
            x = .3 * x + self.rng.gauss(0, sd * math.sqrt(1 - .09))
        return out

    def days(self):
        rng, out = self.rng, []
        d = datetime(2026, rng.randrange(1, 6), rng.randrange(1, 28))
        breaks = {self.N // 3, 2 * self.N // 3} if self.spec.get("holidays") else ()
        while len(out) < self.N:
            d += timedelta(days=1)
            if d.weekday() > 4 or rng.random() < .12:
                continue
            h = rng.uniform(7.5, 10.5)
            for _ in range(rng.choice([1, 1, 2, 2, 3])):
                if len(out) in breaks and breaks:
                    breaks = {b for b in breaks if b != len(out)}
                    d += timedelta(days=rng.randrange(16, 26))
                    out.append(d + timedelta(hours=h))
                    break
                out.append(d + timedelta(hours=h, seconds=rng.randrange(60), milliseconds=rng.randrange(1000)))
                h += rng.uniform(2.2, 4)
        self.starts = out[:self.N]

    # rates now ----------------------------------------------------------
    def rise(self, name):
        r = self.spec.get("rise", {}).get(name)
        return r * self.t if r else 0.0

    def p_slip(self, s, op):
        p = (self.b_slip + self.rise("slip") + (self.spec.get("step", 0) if self.late else 0)) * self.m_slip
        if s.after:
            p *= 2.0
        return min(.6, p * OP_SLIP[op] * s.tf)

    def p_reread(self, s):
        p = (self.b_reread + self.rise("reread")) * self.m_read
        return min(.6, p * (2.4 if s.after else 1))

    def mix(self):
        sh = self.spec.get("mix")
        if not sh:
            return self.mix0
        a = {"drift": self.t, "switch": float(self.late), "waves": .5 - .5 * math.cos(4 * math.pi * self.t)}[sh]
        return {k: (1 - a) * self.mix0[k] + a * self.mix1[k] for k in self.mix0}

    # session ------------------------------------------------------------
    def session(self, i):
        rng, spec = self.rng, self.spec
        s = Session(i)
        s.start = self.starts[i]
        s.after, s.tf, s.readlog, s.seen, s.pending = False, 1.0, [], set(), 0
        s.targets, s.filetasks, s.looks, s.searches, s.generic, s.afterq = [], 0, 0, 0, 0, []
        s.version = spec["versions"](self, i) if spec.get("versions") else None
        s.model2 = bool(spec.get("model2") and self.late)
        s.tools2 = bool(spec.get("tools2") and self.late)
        s.branch = rng.choice(["main", f"{rng.choice(self.w.ents)}-{rng.randrange(100, 999)}", "develop"])
        if spec.get("repo_grows"):
            want = len(self.w.areas) + int(self.t * 9)
            while len(self.areas_live) < want:
                a = self.w.newareas[len(self.areas_live) - len(self.w.areas)]
                self.w.add_area(a)
                self.areas_live.append(a)
        n = int(round(rng.lognormvariate(math.log(4.7 * self.b_req), .38) * self.m_len ** .5))
        n = max(3, min(9, n))
        if rng.random() < .09:
            n = rng.choice([1, 1, 2])
        giant = spec.get("one_very_long") and i == int(self.N * .55)
        if giant:
            n = 25 + rng.randrange(5)
        comp = set()
        if giant:
            comp = {6, 12, 18, 23}
        elif spec.get("compactions"):
            if rng.random() < .4 and n < 3:
                n = 4
            if n >= 3 and rng.random() < .4:
                comp = {max(1, n // 2 - (rng.random() < .5))}
        elif n >= 4 and rng.random() < .1:
            comp = {rng.randrange(2, n)}
        s.len_f = self.b_len * self.m_len ** .45
        m = self.mix()
        kinds, weights = list(m), list(m.values())
        plan = spec.get("plans") and rng.random() < .05 + .8 * self.t
        last = None
        for q in range(n):
            if q in comp:
                s.items.append(("compact", None))
                if spec.get("compactions"):
                    s.after = True
            tk = rng.choices(kinds, weights)[0]
            corr = q > 0 and rng.random() < self.b_corr * 1.24
            if q == 0 and plan:
                self.request(s, rng.choice(["feature", "feature", "refactor"]), plan=True)
            elif spec.get("rules") and i == self.N // 2 and q == min(1, n - 1):
                self.rules_request(s)
            else:
                self.request(s, last if corr and last else tk, corr=corr)
            last = tk
        for it in s.items:
            if it[0] == "call":
                self.count(s, it[1])
        return s

    def count(self, s, c):
        s.lab["calls"] += 1
        s.lab["errors"] += c.kind == "slip"
        if c.op == "read" and c.code == 0:
            s.lab["reads"] += 1
            s.lab["rereads"] += c.kind == "reread"
        if c.meta and "value" in c.meta:
            s.lab["value_uses"] += 1
            s.lab["stale"] += c.meta["stale"]
            s.values.append(c.meta["value"])
        for x in c.side or ():
            if x[0] == "call":
                self.count(s, x[1])

    # requests -----------------------------------------------------------
    def slots(self, s, area, f):
        rng, w = self.rng, self.w
        return dict(area=area, file=f.path.rpartition("/")[2] if rng.random() < .5 else f.path, func=w.func(f, rng.randrange(8)), ent=rng.choice(w.ents), ticket=f"{w.tick}-{rng.randrange(100, 4000)}", n=rng.randrange(3, 90), user=rng.choice(w.colleagues), symptom=rng.choice(SYMPTOMS), goal=rng.choice(GOALS))

    def text(self, tk, corr, sl):
        rng, spec = self.rng, self.spec
        ck, src, lang = "en", REQ, "en"
        if spec.get("another_language") and self.late:
            lang = ck = self.langkey
            src = GERMAN if lang == "de" else SPANISH
        elif spec.get("another_user") and self.late:
            ck, src = "u2", USER2
        if corr:
            return rng.choice(CORR[ck]).format(**sl), lang
        if spec.get("terser") and rng.random() < self.t * .85:
            return rng.choice(SHORT[tk]).format(**sl), lang
        x = rng.choice(src[tk]).format(**sl)
        if lang == "en" and src is REQ:
            v = (1.3 - 1.2 * self.t) if spec.get("terser") else .45
            while rng.random() < v * .6:
                x += " " + rng.choice(CONTEXT).format(**sl)
                v -= .3
        return x, lang

    def pick_targets(self, s, area, k):
        rng = self.rng
        pool = [f for f in self.w.by_area[area] if f.path not in s.seen] or self.w.by_area[area]
        return rng.sample(pool, min(k, len(pool)))

    def request(self, s, tk, corr=False, plan=False):
        rng, w = self.rng, self.w
        if self.spec.get("repo_grows") and len(self.areas_live) > len(w.areas) and rng.random() < self.t * .8:
            area = rng.choice(self.areas_live[len(w.areas):])
        else:
            area = rng.choice(w.areas if not self.recent or rng.random() > .5 else self.recent)
        self.recent = (self.recent + [area])[-3:]
        if corr and s.targets:
            T = s.targets
            area = T[0].area
        else:
            T = self.pick_targets(s, area, 1 + (rng.random() < .45) + (tk in ("refactor", "feature") and rng.random() < .5))
        s.sl = sl = self.slots(s, area, T[0])
        text, lang = self.text(tk, corr, sl)
        if plan:
            text = self.plan_text(sl, T)
            s.items.append(("clear", None))
        uses = self.poisson(USES[tk] * (.5 if corr else 1))
        ch = rng.random() < (.45 if s.i < 2 else .17)
        announce, show = [], []
        us = rng.sample(w.settings, min(uses, len(w.settings)))
        told_p = {"mixed": .5, "told": 1.0, "shown": 0.0}[self.mode]
        for x in us:
            if not x.known:
                (announce if rng.random() < told_p else show).append((x, False))
                x.known = True
            elif rng.random() < .07:
                (announce if rng.random() < told_p else show).append((x, False))
        if ch:
            known = [x for x in w.settings if x.known]
            if known:
                x = rng.choice(known)
                x.change(rng)
                announce, show = [a for a in announce if a[0] is not x], [a for a in show if a[0] is not x]
                (announce if rng.random() < told_p else show).append((x, True))
        for x, new in announce:
            k = lang if lang != "en" else "en" if new else "en0"
            y = rng.choice(TOLD[k]).format(name=x.name, v=x.cur)
            y = y[0].upper() + y[1:]
            text = f"{text} {y}" if rng.random() < .7 else f"{y} {text}"
        s.items.append(("user", text))
        s.lab["requests"] += 1
        s.lab["corrections"] += corr
        s.tf = TASK_SLIP[tk]
        s.targets = T
        s.area = area
        mark = len(s.items)
        if show:
            self.show(s, [x for x, _ in show])
        if rng.random() < .5:
            s.items.append(("think", rng.choice(THINK).format(**sl)))
        scale = s.len_f * (1.6 if s.after else 1) * (.5 if corr else 1)
        self.task(s, tk, T, area, scale, us)
        calls = [j for j in range(mark, len(s.items)) if s.items[j][0] == "call"]
        s.afterq.append((s.after, mark))
        if rng.random() < self.b_int and len(calls) > 2:
            cut = rng.choice(calls[1:])
            del s.items[cut + 1:]
            self.relog(s)
            s.items.append(("interrupt", None))
            s.lab["interrupts"] += 1
        else:
            s.items.append(("final", rng.choice(DONE).format(**sl)))

    def relog(self, s):
        """After an interruption: what has really been read so far."""
        s.readlog, s.seen = [], set()
        for it in s.items:
            if it[0] == "call":
                for x in list(it[1].side or ()) + [it]:
                    if x[0] == "call" and x[1].code == 0:
                        c, a = x[1], x[1].args
                        if c.op == "read":
                            k = (a["path"], a["off"], a["lim"], a["n"])
                            if k not in s.readlog and a["path"] in self.paths():
                                s.readlog.append(k)
                            s.seen.add(a["path"])
                        elif c.op == "edit":
                            s.readlog = [k for k in s.readlog if k[0] != a["path"]]

    def paths(self):
        if len(getattr(self, "_fm", ())) != len(self.w.files):
            self._fm = {f.path: f for f in self.w.files}
        return self._fm

    def plan_text(self, sl, T):
        rng = self.rng
        p = [f"Implement the following plan:\n\n# Plan: {sl['goal']} for {sl['ent']}\n\n## Aim\nGive the {sl['ent']} in {sl['area']} {sl['goal']} without changing what callers see.\n\n## Steps"]
        for j in range(rng.randrange(4, 8)):
            f = rng.choice(self.w.by_area[sl["area"]])
            p.append(f"{j + 1}. In `{f.path}` adjust `{self.w.func(f, j)}`: " + rng.choice(["pass the new switch through", "return early when nothing is given", "keep the old signature as a thin wrapper", "write the result to the log", "move the check to the front"]) + ".")
        p.append("\n## Files\n" + "\n".join(f"- `{f.path}`" for f in T) + f"\n\n## Verification\nRun the tests of {sl['area']} and try it once with {sl['n']} entries by hand.")
        return "\n".join(p)

    def rules_request(self, s):
        rng, w = self.rng, self.w
        s.sl = self.slots(s, w.areas[0], w.files[0])
        s.area, s.tf = w.areas[0], 1.0
        doc = "CLAUDE.md" if self.fmt == "claude" else "AGENTS.md"
        s.items.append(("user", f"Please write into {doc} that you always run the linter after a change and commit each finished piece by itself."))
        s.lab["requests"] += 1
        body = [f"# {w.repo}", "", "House rules for work in this repository.", "", "- Keep functions short.", "- Ask before adding a dependency.", "- Tests live next to the package they cover."]
        self.put(s, Call("read", dict(path=doc, off=1, lim=None, n=len(body)), body))
        old = body[-1]
        self.put(s, Call("edit", dict(path=doc, old=old, new=old + f"\n- After every change run `{w.lang['lint']}` and repair what it reports.\n- Commit every finished piece of work by itself."), self.edit_out(doc, old, 7)))
        s.items.append(("final", f"{doc} now has both rules."))

    def poisson(self, lam):
        L, k, p = math.exp(-lam), 0, 1.0
        while True:
            p *= self.rng.random()
            if p <= L:
                return k
            k += 1

    # calls ---------------------------------------------------------------
    def put(self, s, c, into=None):
        rng = self.rng
        L = s.items if into is None else into
        p = self.p_slip(s, c.op)
        k = 0
        while p and rng.random() < p and k < 6:
            a, out, code = slip_of(c.op, c.args, self, rng, c.cat)
            x = Call(c.op, a, out, code, "slip", c.cat, c.meta)
            L.append(("call", x))
            if rng.random() < .25:
                L.append(("text", rng.choice(OOPS)))
            k += 1
        if c.op in ("edit", "bash") and c.cat != "value" and rng.random() < self.b_rej:
            y = Call(c.op, c.args, "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). To tell you how to proceed, the user said:\n" + rng.choice(["leave that part for now", "not this file", "without that step please"]) if self.fmt == "claude" else ("patch rejected by user" if c.op == "edit" else "exec command rejected by user"), 1, "reject", c.cat)
            L.append(("call", y))
            return False
        if into is None and rng.random() < .28 and hasattr(s, "sl"):
            L.append(("text", rng.choice(SAY).format(**s.sl)))
        L.append(("call", c))
        return True

    def flen(self, f):
        return int(f.n * (1 + 2 * self.t)) if self.spec.get("files_grow") else f.n

    def read(self, s, f, into=None, lim=None, off=None):
        rng = self.rng
        p = self.p_reread(s)
        g = s.pending
        s.pending = 0
        while rng.random() < p and g < 4:
            g += 1
        log = s.readlog
        while g:
            if not log:
                s.pending = min(4, g)
                break
            g -= 1
            path, o, l, n = log[int(len(log) * rng.random() ** 1.3)]
            ff = self.fmap(path)
            self.put(s, Call("read", dict(path=path, off=o, lim=l, n=n), self.w.lines(ff, n)[o - 1:o - 1 + (l or n)], kind="reread"), into)
        n = self.flen(f)
        if off is None:
            if n > 140:
                lim = rng.choice([80, 100, 120])
                off = 1 + rng.randrange(0, max(1, n - lim))
            elif rng.random() < .1 and n > 50:
                lim, off = rng.choice([30, 40]), 1 + rng.randrange(0, n - 40)
            else:
                off, lim = 1, None
        key = (f.path, off, lim, n)
        kind = "ok"
        if key in log:
            if lim:
                lim += 3
            else:
                lim = n - 1
            key = (f.path, off, lim, n)
            if key in log:
                return
        self.put(s, Call("read", dict(path=f.path, off=off, lim=lim, n=n), self.w.lines(f, n)[off - 1:off - 1 + (lim or n)]), into)
        log.append(key)
        s.seen.add(f.path)
        if n > 140 and rng.random() < .35 and off + lim < n:
            o2 = off + lim
            key = (f.path, o2, 60, n)
            if key not in log:
                self.put(s, Call("read", dict(path=f.path, off=o2, lim=60, n=n), self.w.lines(f, n)[o2 - 1:o2 + 59]), into)
                log.append(key)

    def fmap(self, path):
        return self.paths()[path]

    def edit_out(self, path, new, at):
        if self.fmt == "codex":
            return f"Success. Updated the following files:\nM {self.w.root}/{path}\n"
        b = "\n".join(f"    {at + j:>2}→{x}" for j, x in enumerate(new.split("\n")))
        return f"The file {self.w.root}/{path} has been updated. Here's the result of running `cat -n` on a snippet of the edited file:\n{b}"

    def edit(self, s, f):
        rng = self.rng
        n = self.flen(f)
        at = rng.randrange(0, max(1, n - 4))
        old = self.w.lines(f, n)[at:at + rng.randrange(2, 4)]
        new = list(old)
        ind = old[-1][:len(old[-1]) - len(old[-1].lstrip())]
        c = "#" if self.w.langname == "py" else "//"
        new.insert(rng.randrange(1, len(new) + 1), f"{ind}{c} {rng.choice(['guard for', 'covers', 'see', 'because of', 'limit for'])} {s.sl['ticket']} ({rng.choice(self.w.ents)})")
        if rng.random() < .6:
            new.append(ind + rng.choice(["count += 1", "limit = min(limit, 500)", "note = store.note(key)", "flag = settings.flag", "seen.add(key)"]))
        o, nn = "\n".join(old), "\n".join(new)
        if self.put(s, Call("edit", dict(path=f.path, old=o, new=nn), self.edit_out(f.path, nn, at + 1))):
            s.readlog = [k for k in s.readlog if k[0] != f.path]

    def mcp_now(self):
        return self.spec.get("mcp") and self.rng.random() < .05 + .75 * self.t

    def search(self, s, area, f, into=None):
        rng, w = self.rng, self.w
        gen = rng.random() < self.b_gen + self.rise("generic")
        s.searches += 1
        s.generic += gen
        fn = rng.choice(["TODO", "config", "import", "error", "return", "data", "util", rng.choice(w.ents)]) if gen else w.func(f, rng.randrange(8))
        base = f.path.rpartition("/")[0]
        path = rng.choice(["src", ".", "packages", "internal"]) if gen and rng.random() < .3 else base
        if gen:
            path = base.split("/")[0]
        if not gen and into is None and rng.random() < .3:
            fn = s.sl["func"]
        hit = gen or rng.random() > .09
        outs = []
        if hit:
            for g in rng.sample(w.by_area[f.area], rng.randrange(6, 10) if gen else rng.randrange(1, 5)):
                outs.append((g.path, rng.randrange(1, g.n), f"    x = {fn}({rng.choice(w.ents)}, store)"))
        if self.mcp_now():
            r = "\n".join(f"{a}:{b} {c.strip()}" for a, b, c in outs) or "0 results"
            self.put(s, Call("mcp", dict(name="mcp__codeatlas__search_code", args=dict(query=fn, scope=path)), r), into)
        else:
            self.put(s, Call("search", dict(pat=fn, path=path, content=rng.random() < .55), outs, 0 if outs or self.fmt == "claude" else 1, "ok" if outs else "nohit"), into)

    def glob(self, s, area, f, into=None):
        rng, w = self.rng, self.w
        base = f.path.rpartition("/")[0]
        st = rng.choice(STEMS)[:4]
        outs = [g.path for g in w.by_area[f.area] if st in g.path][:8]
        if self.mcp_now():
            self.put(s, Call("mcp", dict(name="mcp__codeatlas__find_files", args=dict(pattern=f"*{st}*", root=base)), "\n".join(outs) or "0 files"), into)
        else:
            self.put(s, Call("glob", dict(pat=f"**/*{st}*.{w.lang['ext']}", path=base), outs), into)

    def bash(self, s, cmd, out, desc, cat="run", code=0, kind="ok", meta=None):
        if code and self.fmt == "claude":
            out = f"Exit code {code}\n{out}"
        return self.put(s, Call("bash", dict(cmd=cmd, desc=desc), out, code, kind, cat, meta))

    def test(self, s, f, fail=None):
        rng, L = self.rng, self.w.lang
        d = f.path.rpartition("/")[0]
        t = L["test"].format(area=f.area, stem=f.stem)
        cmd = L["runt"].format(t=t, d=d, T="Test" + f.stem.title().replace("_", ""))
        k = rng.randrange(4, 40)
        if rng.random() < (self.b_fail if fail is None else fail):
            b = rng.randrange(1, 4)
            out = "\n".join(f"FAILED {t}::test_{self.w.func(f, j)} - AssertionError: expected {rng.randrange(90)}, got {rng.randrange(90)}" for j in range(b)) + f"\n{b} failed, {k} passed in {rng.uniform(.3, 9):.2f}s"
            self.bash(s, cmd, out, "Run tests", "test", 1, "fail")
            return False
        self.bash(s, cmd, f"{k} passed in {rng.uniform(.3, 9):.2f}s", "Run tests", "test")
        return True

    def lint(self, s):
        rng, w = self.rng, self.w
        if rng.random() < .15:
            self.bash(s, w.lang["lint"], f"{rng.choice(w.files).path}:{rng.randrange(1, 90)}:{rng.randrange(1, 60)}: unused name '{rng.choice(w.ents)}'\nlint found 1 problem", "Run the linter", "run", 1, "fail")
        else:
            self.bash(s, w.lang["lint"], "All checks passed.", "Run the linter")

    def git(self, s, commit=False):
        rng, w = self.rng, self.w
        if commit:
            m = f"{s.area}: {rng.choice(VERBS)} {rng.choice(w.ents)}"
            cmd, out = f"git add -A && git commit -m '{m}'", f"[{s.branch} {rng.getrandbits(28):07x}] {m}\n {rng.randrange(1, 6)} files changed, {rng.randrange(3, 90)} insertions(+)"
        else:
            k = rng.randrange(4)
            cmd = ["git status --short", f"git log --oneline -{rng.randrange(4, 12)} -- {s.targets[0].path}", "git diff --stat", f"git show --stat HEAD~{rng.randrange(1, 6)}"][k]
            out = "\n".join((f" M {rng.choice(w.files).path}" if k in (0, 2, 3) else f"{rng.getrandbits(28):07x} {rng.choice(VERBS)} {rng.choice(w.ents)}") for _ in range(rng.randrange(2, 6)))
        self.bash(s, cmd, out, "Git", "git")

    def data(self, s):
        rng, w = self.rng, self.w
        e = rng.choice(w.ents)
        if self.mcp_now():
            self.put(s, Call("mcp", dict(name="mcp__ledgerdb__query", args=dict(table=f"{e}s", limit=rng.randrange(5, 40))), f"{rng.randrange(10, 9999)} rows; mean {rng.uniform(1, 99):.2f}"))
            return
        cmd = rng.choice([f"sqlite3 data/{w.repo}.db 'select count(*) from {e}s where age < {rng.randrange(5, 90)}'", f"head -{rng.randrange(3, 9)} data/{e}s.csv", f"python3 scripts/sum_{e}.py --days {rng.randrange(3, 90)}", f"wc -l data/{e}s.csv", f"cut -d, -f{rng.randrange(1, 7)} data/{e}s.csv | sort | uniq -c | sort -rn | head"])
        self.bash(s, cmd, "\n".join(f"{rng.randrange(1, 9999)} {rng.choice(w.ents)}-{rng.randrange(99)}" for _ in range(rng.randrange(1, 6))), "Look at the data", "data")

    def run(self, s):
        rng, w = self.rng, self.w
        e = rng.choice(w.ents)
        cmd = rng.choice([f"ls -la scripts | head -{rng.randrange(5, 25)}", f"make {rng.choice(['build', 'check', 'gen'])}", f"./bin/{w.repo} {e} list --limit {rng.randrange(3, 40)}", f"wc -l {s.targets[0].path}", f"./bin/{w.repo} check --area {s.area}", f"tail -{rng.randrange(10, 60)} log/{s.area}.log"])
        self.bash(s, cmd, "\n".join(f"{rng.choice(VERBS)} {e} {rng.randrange(999)} ok" for _ in range(rng.randrange(1, 8))), "Run a command")

    def write(self, s, path, doc=False):
        rng, w = self.rng, self.w
        if doc:
            body = f"# {s.sl['area']}\n\n" + "\n".join(f"The {rng.choice(w.ents)} is kept until the {rng.choice(w.ents)} asks to {rng.choice(VERBS)} it." for _ in range(rng.randrange(4, 12)))
        else:
            body = "\n".join(w.lines(rng.choice(w.by_area[s.targets[0].area]), 40)[:rng.randrange(15, 36)])
        out = f"File created successfully at: {w.root}/{path}" if self.fmt == "claude" else f"Success. Updated the following files:\nA {w.root}/{path}\n"
        self.put(s, Call("write", dict(path=path, body=body), out))

    def show(self, s, main):
        """A tool result which shows current values."""
        rng, w = self.rng, self.w
        more = [x for x in w.settings if x not in main and x.known]
        L = main + rng.sample(more, min(len(more), rng.randrange(0, 3)))
        new = [x for x in w.settings if x not in main and not x.known]
        for x in rng.sample(new, min(len(new), rng.randrange(2, 6))):
            x.known = True
            L.append(x)
        rng.shuffle(L)
        k = rng.randrange(5)
        key = lambda x: rng.choice(x.keys)
        if k == 0:
            cmd, out = f"./bin/settings env --area {s.area}", "\n".join(f"{key(x)}={x.cur}" for x in L)
        elif k == 1:
            cmd, out = "./bin/settings show --format yaml", "\n".join(f"{key(x)}: {x.cur}" for x in L)
        elif k == 2:
            cmd, out = "./bin/settings show --json", "{\n" + ",\n".join(f'  "{key(x)}": "{x.cur}"' for x in L) + "\n}"
        elif k == 3:
            cmd, out = "terraform output", "\n".join(f'{key(x).replace(".", "_").replace("-", "_")} = "{x.cur}"' for x in L)
        else:
            cmd, out = f"git show HEAD:deploy/{s.area}.toml | head -30", "[env]\n" + "\n".join(f'{key(x)} = "{x.cur}"' for x in L)
        c = Call("bash", dict(cmd=cmd, desc="Show the settings in force"), out, 0, "ok", "run")
        s.items.append(("call", c))

    def use(self, s, x):
        rng, w = self.rng, self.w
        st = False
        v = x.cur
        if rng.random() < self.b_stale + self.rise("stale"):
            pool = [y for y in w.settings if y.old]
            if pool:
                x = x if x.old and rng.random() < .5 else rng.choice(pool)
                v = x.old[-1] if rng.random() < .8 else rng.choice(x.old)
                st = True
        if not x.known:
            self.show(s, [x])
            x.known = True
        cmd = rng.choice(x.cmds).format(v=v, ent=rng.choice(w.ents), area=s.area)
        out = "\n".join(rng.choice(["ok", f"{rng.choice(w.ents)} {rng.randrange(999)}", f"{rng.randrange(2, 90)} running", f"up {rng.randrange(1, 40)} days", f"{rng.choice(VERBS)} {rng.choice(w.ents)} finished"]) for _ in range(rng.randrange(1, 6)))
        self.bash(s, cmd, out, rng.choice(["Check the state", "Query the service", "Run it there", "Fetch the details"]), "value", meta=dict(value=v, stale=st))

    def todo(self, s):
        sl = s.sl
        self.put(s, Call("todo", dict(items=[f"Read {sl['file']}", f"Change {sl['func']}", "Run the tests"]), "Todos have been modified successfully. Ensure that you continue to use the todo list to track your progress." if self.fmt == "claude" else "Plan updated"))

    def wrong_first(self, s, f, p):
        rng = self.rng
        s.filetasks += 1
        if rng.random() >= p:
            return
        for _ in range(4):
            g = self.w.lookalike(f, rng)
            if g.path not in s.seen:
                break
        else:
            return
        s.looks += 1
        self.read(s, g)
        if rng.random() < .35:
            self.edit(s, g)
            s.items.append(("text", rng.choice(LOOK).format(wrong=g.path, right=f.path)))
            self.bash(s, f"git checkout -- {g.path}", "Updated 1 path from the index", "Undo", "git")
        else:
            s.items.append(("text", rng.choice(LOOK).format(wrong=g.path, right=f.path)))

    def explore(self, s, T, area, ns, nr):
        """Searches and reads of neighbours; may be handed to a subagent."""
        rng = self.rng
        sub = self.spec.get("subagents") and rng.random() < .05 + .65 * self.t
        into = None
        if sub:
            into, ns, nr = [], ns + 1, nr + 2
        for _ in range(ns):
            (self.search if rng.random() < .75 else self.glob)(s, area, rng.choice(T), into)
        pool = [f for f in self.w.by_area[area] if f.path not in s.seen and f not in T]
        if len(pool) < nr:
            a2 = rng.choice(self.areas_live)
            pool += [f for f in self.w.by_area[a2] if f.path not in s.seen and f not in T and f not in pool]
        for f in rng.sample(pool, min(nr, len(pool))):
            self.read(s, f, into)
        if sub:
            c = Call("task", dict(desc=f"Explore {area}", prompt=f"Find out how {s.sl['func']} works in {area} and which files take part. Report the places with one line each. Do not change anything.", agent="Explore"), f"The work happens in {T[0].path}; {s.sl['func']} is called from {rng.randrange(2, 7)} places.")
            c.side = into
            self.put(s, c)

    def task(self, s, tk, T, area, scale, uses):
        rng = self.rng
        pl = max(.03, self.b_look + self.rise("look")) if self.spec.get("rise", {}).get("look") else self.b_look

        def k(m):
            x = m * scale
            return int(x) + (rng.random() < x - int(x)) if rng.random() < .6 else self.poisson(x)

        def targets():
            for f in T:
                self.wrong_first(s, f, pl)
                if f.path not in s.seen:
                    self.read(s, f)

        def edits(n):
            for _ in range(n):
                f = rng.choice(T)
                self.edit(s, f)
                if rng.random() < .13:
                    self.read(s, f)

        rules = self.spec.get("rules") and self.late
        tdd = self.spec.get("tests_first") and tk in ("fix", "feature", "refactor") and rng.random() < .05 + .85 * self.t
        if scale > .8 and tk in ("feature", "refactor") and rng.random() < .35:
            self.todo(s)
        newtest = lambda: self.w.lang["test"].format(area=T[0].area, stem=f"{T[0].stem}_{rng.randrange(10, 999)}")
        if tdd:
            self.explore(s, T, area, k(1.0), k(.6))
            targets()
            self.write(s, newtest())
            self.test(s, T[0], .95)
            edits(max(1, k(1.8)))
            if not self.test(s, T[0]):
                edits(1)
                self.test(s, T[0], .1)
        elif tk == "fix":
            self.explore(s, T, area, k(1.7), k(1.1))
            targets()
            if rng.random() < .4:
                self.run(s)
            edits(max(1, k(1.6)))
            if not self.test(s, T[0]):
                edits(1)
                self.test(s, T[0], .1)
        elif tk == "feature":
            self.explore(s, T, area, k(1.6), k(1.8))
            targets()
            for _ in range(k(.8)):
                self.write(s, f"{T[0].path.rpartition('/')[0]}/{rng.choice(VERBS)}_{rng.choice(self.w.ents)}{rng.randrange(99)}.{self.w.lang['ext']}")
            edits(max(1, k(2.4)))
            if not self.test(s, T[0]):
                edits(1)
                self.test(s, T[0], .1)
            if rng.random() < .3:
                self.lint(s)
        elif tk == "refactor":
            self.explore(s, T, area, k(2.4), k(1.3))
            targets()
            edits(max(2, k(3.8)))
            self.test(s, T[0])
            if rng.random() < .4:
                self.lint(s)
        elif tk == "question":
            self.explore(s, T, area, k(2.0), k(1.5))
            targets()
        elif tk == "review":
            for _ in range(max(1, k(1.5))):
                self.git(s)
            targets()
            self.explore(s, T, area, k(1.1), k(1.9))
        elif tk == "infra":
            self.explore(s, T, area, k(.6), k(.7))
            for _ in range(k(1.6)):
                self.run(s)
            if rng.random() < .4:
                targets()
                edits(1)
        elif tk == "data":
            self.explore(s, T, area, k(.6), k(.6))
            for _ in range(max(1, k(3.2))):
                self.data(s)
            if rng.random() < .4:
                self.write(s, f"scripts/{rng.choice(VERBS)}_{rng.choice(self.w.ents)}_{rng.randrange(999)}.py")
                self.run(s)
        elif tk == "docs":
            self.explore(s, T, area, k(1.2), k(1.3))
            targets()
            if rng.random() < .5:
                self.write(s, f"docs/{area}-{rng.choice(VERBS)}-{rng.randrange(99)}.md", True)
            else:
                edits(max(1, k(1.5)))
        elif tk == "tests":
            self.explore(s, T, area, k(.9), k(.8))
            targets()
            self.write(s, newtest())
            for _ in range(max(1, k(1.7))):
                if not self.test(s, T[0]):
                    self.edit(s, T[0])
        else:
            for _ in range(max(1, k(1.8))):
                self.git(s)
            if rng.random() < .6:
                targets()
                edits(1)
            self.run(s)
        for x in uses:
            self.use(s, x)
        if tk in ("fix", "feature", "refactor", "docs", "tests", "release"):
            if rules and rng.random() < .75:
                self.lint(s)
            if rng.random() < (.8 if rules else .18):
                self.git(s, True)
