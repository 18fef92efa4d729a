"""One simulated life: sessions, requests, calls. Rates are functions of the session index i and u = i/(n-1)."""
from __future__ import annotations
import datetime as dt
import json
import math
import random
import re
import t9_words as W
from t9_out import Claude, Codex
from t9_world import NOUNS, VERBS, World, fresh_value

WORK = {  # phase weights: explore, act, verify
    "feature": ({"R": 5, "G": 2.5, "L": .9, "O": .3}, {"E": 5, "R": 1.5, "W": .5, "G": .6, "B": .5}, {"T": 3, "Q": 1.1, "E": 1, "B": .9}),
    "bugfix": ({"G": 3, "R": 4, "T": 1.1, "B": 1}, {"E": 3.5, "R": 2, "T": 1.5, "G": .6}, {"T": 3, "E": .8, "B": .8, "Q": .5}),
    "ops": ({"R": 1.7, "V": 3, "B": 2}, {"V": 5, "B": 2, "E": .8, "R": .8}, {"V": 3, "B": 1.5}),
    "docs": ({"R": 5, "G": 2, "L": 1}, {"E": 4, "W": .8, "R": 1.5}, {"B": 1.5, "R": .8, "Q": .6}),
    "data": ({"R": 2, "V": 3, "G": 1}, {"V": 3, "W": .7, "E": 2, "B": 1}, {"V": 2, "B": 1, "T": .6}),
    "review": ({"B": 3, "R": 4, "G": 2}, {"R": 4, "G": 2.5, "B": 1}, {"T": 1, "R": 1, "B": 1}),
}
MEDIAN = {"feature": 12.5, "bugfix": 10, "ops": 7, "docs": 7, "data": 8, "review": 8}
MIX = {"feature": .27, "bugfix": .24, "ops": .14, "docs": .12, "data": .12, "review": .11}
BASE_ERR = {"R": .03, "G": .035, "E": .075, "B": .06, "V": .055, "W": .02, "L": .02}
ELIGIBLE = .84          # share of calls on which own errors may fall (measured)
KEYSETS = ["tides_port", "staging_host", "release", "account", "season_start", "database", "branch", "queue", "bucket"]


class P:
    """Defaults of a healthy life; a kind overrides some."""
    client = "claude"
    channel = "mix"
    maint = None            # 'compact' or 'clear'
    model = staticmethod(lambda i, u: "claude-sonnet-4-5-20250929")
    version = staticmethod(lambda i, u: "2.1.29")
    names = staticmethod(lambda i, u: {})
    shell = staticmethod(lambda i, u: "exec")
    lang = staticmethod(lambda i, u: "en")
    mix = staticmethod(lambda i, u: MIX)
    err = staticmethod(lambda i, u: 0.0)
    reread = staticmethod(lambda i, u: .10)
    twin = staticmethod(lambda i, u: .03)
    stale = staticmethod(lambda i, u: .03)
    reask = staticmethod(lambda i, u: .03)
    corr = staticmethod(lambda i, u: .03)
    aimless = staticmethod(lambda i, u: .05)
    growth = staticmethod(lambda i, u: 1.0)
    drift = staticmethod(lambda i, u: 0.0)
    terse = staticmethod(lambda i, u: .08)
    tdd = staticmethod(lambda i, u: .28)
    plan = staticmethod(lambda i, u: 0.0)
    sub = staticmethod(lambda i, u: 0.0)
    mcp = staticmethod(lambda i, u: 0.0)
    flaky = staticmethod(lambda i, u: .02)
    colleague = staticmethod(lambda i, u: .06)
    size = staticmethod(lambda i, u: 1.0)
    nreq = staticmethod(lambda i, u: None)
    gap = staticmethod(lambda i, u: 0)
    filesize = staticmethod(lambda i, u: 1.0)
    newfiles = staticmethod(lambda i, u: 0)
    user = staticmethod(lambda i, u: 0)
    lint = staticmethod(lambda i, u: 0.0)
    rules_at = None         # share of life at which the instruction file is edited


class Life:
    def __init__(self, kind, p, seed, n, folder):
        self.rng = random.Random(f"t9/{kind}/{seed}/{n}")
        self.p, self.n, self.folder = p, n, folder
        self.w = World(self.rng)
        self.debt = dict.fromkeys(("reread", "twin", "stale", "reask", "corr"), 0.0)
        r = self.rng
        keys = r.sample(KEYSETS, 6)
        self.hist = {k: [] for k in keys}
        self.chan = {k: p.channel if p.channel != "mix" else r.choice(["user", "user", "tool"]) for k in keys}
        self.agents_md = "# Kelpline\n\nDesk, kiosk and services of the ferry booking system.\n\n- tests live under tests/<service>\n- never edit generated files\n- ask before touching db/migrations"
        self.w.files_rules = "AGENTS.md" if p.client == "codex" else "CLAUDE.md"
        self.harm = False
        self.facts = []
        self.user_style = 0

    # ---- helpers -------------------------------------------------------------------------------
    def owe(self, key, rate, can=True):
        """Chance `rate` per opportunity; what an impossible opportunity misses is made up for soon after."""
        if not can:
            self.debt[key] = min(1.2, self.debt[key] + rate)
            return False
        p = min(.9, rate + .5 * self.debt[key])
        self.debt[key] -= max(0.0, p - rate)
        return self.rng.random() < p

    def fill(self, t, q):
        return t.format(**q)

    def typo(self, s):
        r = self.rng
        ws = s.split(" ")
        idx = [k for k, x in enumerate(ws) if len(x) > 4 and x.isalpha()]
        if idx:
            k = r.choice(idx)
            x = ws[k]
            a = r.randrange(1, len(x) - 2)
            ws[k] = r.choice([x[:a] + x[a + 1] + x[a] + x[a + 2:], x[:a] + x[a + 1:], x[:a] + x[a] + x[a:]])
        return " ".join(ws)

    # ---- life ----------------------------------------------------------------------------------
    def run(self):
        r, p, n = self.rng, self.p, self.n
        day = dt.datetime(2026, 1, 12, tzinfo=dt.timezone.utc) + dt.timedelta(days=r.randint(0, 40))
        left, clock = 0, None
        events = set()
        if p.maint:
            events = {min(n - 2, max(1, round(n * x + r.uniform(-.04, .04) * n))) for x in (.17, .39, .60, .82)}
        rules_at = round(p.rules_at * n) if p.rules_at else None
        harmed = {e for e in events} | {e + 1 for e in events}
        for i in range(n):
            u = i / (n - 1)
            clear = p.client == "claude" and (i in events if p.maint == "clear" else (i > 0 and r.random() < .09))
            plan = r.random() < p.plan(i, u) and i > 0
            if plan:
                clear = True
            if clear and clock and clock < day + dt.timedelta(hours=20):
                start = clock + dt.timedelta(minutes=r.uniform(1, 4))
                left = max(0, left - 1)
            else:
                if left <= 0:
                    day += dt.timedelta(days=(1 if r.random() < .72 else r.randint(2, 5)) + p.gap(i, u))
                    while day.weekday() > 4 and r.random() < .85:
                        day += dt.timedelta(days=1)
                    left = r.choice([1, 1, 2, 2, 3])
                    start = day + dt.timedelta(hours=r.uniform(6.5, 10))
                else:
                    start = max(clock, day + dt.timedelta(hours=7)) + dt.timedelta(minutes=r.uniform(15, 140))
                left -= 1
            style = p.user(i, u)
            cwd = ["/home/maren/src/kelpline", "/Users/tobias/code/kelpline"][style]
            self.lang = p.lang(i, u)
            if p.filesize(i, u) > 1 and i:
                self.enlarge(p.filesize(i, u), p.filesize(i - 1, (i - 1) / (n - 1)))
            for _ in range(p.newfiles(i, u)):
                self.w.new_file(r.choice(W.MODS))
            model = p.model(i, u)
            if p.client == "codex" and model.startswith("claude"):
                model = "gpt-5.5"
            version = p.version(i, u)
            if p.client == "codex" and version.startswith("2."):
                version = "0.142.5"
            meta = dict(start=start, cwd=cwd, version=version, model=model, branch=self.hist.get("branch") and self.hist["branch"][-1] or "main",
                        names=p.names(i, u), shell=p.shell(i, u), growth=p.growth(i, u), agents_md=self.agents_md)
            self.out = (Codex if p.client == "codex" else Claude)(r, meta, self.folder)
            self.i, self.u, self.style = i, u, style
            self.seen, self.said = {}, []
            self.serr = r.gammavariate(5, .2)
            self.sfac = r.lognormvariate(0, .22)
            self.stest = r.lognormvariate(-.06, .35)
            self.srate = r.lognormvariate(-.045, .3)
            self.heavy = r.choice(list(WORK)) if r.random() < .22 else None
            nreq = p.nreq(i, u) or min(10, max(2, round(r.lognormvariate(1.56, .42))))
            at = None
            if p.maint == "compact":
                if i in events:
                    nreq = max(4, nreq)
                    at = r.randint(1, 2)
                self.harm = i in harmed and i not in events
            elif p.maint == "clear":
                self.harm = i in harmed
            if p.maint != "compact" and r.random() < .12 and nreq > 2:
                at = r.randint(1, nreq - 1)
            if clear:
                self.out.opened_by_clear()
            self.last = None
            for j in range(nreq):
                if j == at or self.out.ctx > 150000:
                    self.compaction("auto" if j != at else r.choice(["auto", "manual"]))
                    if p.maint == "compact":
                        self.harm = True
                self.request(i, u, j, plan=plan and j == 0, rules=(i == rules_at and j == min(1, nreq - 1)))
            if p.maint == "compact" and i in events:
                self.harm = True
            self.out.save()
            clock = self.out.now

    def enlarge(self, g, g0):
        self.w.grow_factor = g
        for f in self.w.files.values():
            if f.lines is not None:
                add = int(len(f.lines) * (g / g0 - 1) + self.rng.random())
                if add:
                    f.lines.extend(self.w.line(f.path, self.rng.randint(200, 9999)) for _ in range(add))
                    f.rev += 1

    def compaction(self, trigger):
        r = self.rng
        fs = list(self.seen)[-8:]
        s = "Analysis:\nThe user worked on the Kelpline repository.\n\nFiles looked at: " + ", ".join(fs) + "\n\nStated so far: " + "; ".join(a for _, _, a in self.said[-5:]) + \
            "\nValues: " + "; ".join(f"{W.VALUES[k][0]} {h[-1]}" for k, h in self.hist.items() if h) + "\n\nPending: continue with the current request."
        self.out.compact(s, trigger)
        self.seen = {}

    # ---- a request -----------------------------------------------------------------------------
    def topic(self, kind):
        r = self.rng
        m = r.choice(W.MODS)
        pool = self.w.by_mod[m]
        want = {"docs": lambda f: f.path.endswith(".md"), "ops": lambda f: f.path.startswith(("ops/", "services/")), "data": lambda f: f.path.startswith(("db/", "services/"))}.get(kind, lambda f: f.path.startswith(("services/", "apps/")))
        cand = [f for f in pool if want(f)] or pool
        main = r.choice(cand)
        if main.twin and r.random() < .12:
            main = main.twin
        de = self.lang == "de"
        others = r.sample(pool, min(len(pool), 3))
        return {"mod": m, "main": main, "targets": [main] + [f for f in others if f is not main], "file": main.path, "base": main.base, "sym": r.choice(W.SYMS),
                "thing": r.choice(W.THINGS_DE if de else W.THINGS_EN), "cond": r.choice(W.CONDS_DE if de else W.CONDS_EN), "num": r.randint(100, 999)}

    def request(self, i, u, j, plan=False, rules=False):
        r, p, o = self.rng, self.p, self.out
        de = self.lang == "de"
        corr = self.owe("corr", p.corr(i, u) * self.srate, j > 0 and self.last is not None and not plan)
        if corr:
            kind, q = self.last
            q = dict(q, thing=r.choice(W.THINGS_DE if de else W.THINGS_EN), cond=r.choice(W.CONDS_DE if de else W.CONDS_EN))
            text = self.fill(r.choice(W.CORR_DE if de else W.CORR_EN), q)
        else:
            mix = p.mix(i, u)
            kind = self.heavy if self.heavy and r.random() < .6 and mix.get(self.heavy, 0) > .02 else r.choices(list(mix), mix.values())[0]
            if plan:
                kind = "feature"
            q = self.topic(kind)
            terse = r.random() < p.terse(i, u)
            if terse and not de:
                text = self.fill(r.choice(W.TERSE_EN[kind]), q)
            else:
                text = r.choice(W.OPEN_DE if de else W.OPEN_EN) + self.fill(r.choice((W.REQ_DE if de else W.REQ_EN)[kind]), q)
            if not terse and r.random() < .5:
                d = r.choice(W.DETAIL_DE if de else W.DETAIL_EN)
                self.said.append((d[0], d[2], d[3]))
                text += (" " if text[-1] in ".!?" else ", ") + d[1] if r.random() < .8 else "\n" + d[1]
            if not terse and r.random() < .12 + .5 * (p.size(i, u) - 1):
                for k in range(r.randint(2, 4) if p.size(i, u) > 1.1 else 2):
                    text += f"\n{k + 1}) " + self.fill(r.choice((W.REQ_DE if de else W.REQ_EN)[kind]), dict(self.topic(kind), mod=q["mod"]))
            if p.tdd(i, u) > .33 and kind in ("feature", "bugfix") and r.random() < 2 * (p.tdd(i, u) - .28):
                text += " " + r.choice(["Write the failing test first.", "TDD please: red, then green.", "start with tests that fail", "I want to see the new tests red before you implement."])
        # values
        focus = []
        if not plan and not rules and (kind in ("ops", "data") or r.random() < .07):
            focus = r.sample(list(self.hist), r.choice([1, 2, 2]))
        tell_tool = []
        for k in focus:
            h = self.hist[k]
            lab = W.VALUES[k][1 if de else 0]
            new = not h or r.random() < .28
            if new:
                v = fresh_value(r, k, None)
                while v in h:
                    v = fresh_value(r, k, None)
                if self.chan[k] == "user":
                    if h:
                        s = r.choice(W.RETELL_DE if de else W.RETELL_EN).format(label=lab, v=v, o=h[-1])
                    else:
                        s = r.choice(W.TELL_DE if de else W.TELL_EN).format(label=lab, v=v)
                    text = (text + (" " if text[-1] in ".!?)" else ". ") + s) if r.random() < .75 else s + (" " if s[-1] in ".!?)" else ". ") + text
                else:
                    tell_tool.append(k)
                h.append(v)
            elif self.chan[k] == "user" and r.random() < .15:
                text += " " + r.choice(W.TELL_DE if de else W.TELL_EN).format(label=lab, v=h[-1])
        if r.random() < .15:
            text = self.typo(text)
        if self.style == 1:
            text = text.lower().rstrip(".") if not focus else text
        plan_text = None
        if plan:
            plan_text = self.plan_text(q)
            text = "Implement the following plan:\n\n" + plan_text
        if rules:
            text = r.choice(["From now on run the linter after every edit. Put that into {f} please.", "please add to {f}: lint each file after editing it. and keep to that"]).format(f=self.w.files_rules)
        o.user(text, plan_text)
        self.q, self.kind, self.focus = q, kind, focus
        # number of calls
        n = r.lognormvariate(math.log(MEDIAN[kind]), .45) * self.sfac * (1.3 if plan else 1) * (.8 if corr else 1) * p.size(i, u)
        if self.harm:
            n *= 1.5
        n = int(min(30 * (1.5 if self.harm else 1), max(3, round(n))))
        slots = []
        a, b = round(n * r.uniform(.3, .45)), round(n * r.uniform(.7, .85))
        for k in range(n):
            ph = WORK[kind][0 if k < a else 1 if k < b else 2]
            slots.append(r.choices(list(ph), ph.values())[0])
        if focus and "V" not in slots:
            slots[-1] = "V"
        if rules:
            self.rules_edit()
        if tell_tool:
            self.tell_by_tool(tell_tool)
        if r.random() < p.colleague(i, u) and self.seen:
            self.pull()
        if p.mcp(i, u) and r.random() < p.mcp(i, u):
            o.call({"op": "mcp", "name": "mcp__harbourtrack__get_ticket", "args": {"ticket": f"KEL-{q['num']}"}, "out": json.dumps({"ticket": f"KEL-{q['num']}", "title": q["thing"], "service": q["mod"], "state": "open"})})
            if r.random() < .5:
                o.call({"op": "mcp", "name": "mcp__harbourtrack__search", "args": {"query": q["thing"]}, "out": json.dumps({"hits": [{"ticket": f"KEL-{r.randint(100, 999)}", "title": q["thing"]}]})})
        # asking
        ask_at, ask = None, None
        pool = self.said or self.facts[-6:]
        if self.owe("reask", p.reask(i, u) * self.srate, bool(pool) or any(self.hist.values())):
            vals = [k for k, h in self.hist.items() if h and self.chan[k] == "user"]
            if pool and (not vals or r.random() < .7):
                _, qq, aa = r.choice(pool[-6:])
            elif vals:
                k = r.choice([x for x in focus if x in vals] or vals)
                lab = W.VALUES[k][1 if de else 0]
                qq = r.choice([f"Wie lautet {lab}?", f"Welchen Wert hat {lab}?"] if de else [f"Which {lab} should I use?", f"What is the {lab}?", f"Could you tell me the {lab}?"])
                aa = self.hist[k][-1]
            else:
                qq = aa = None
            if qq:
                ask, ask_at = (qq, r.choice(W.ANS_DE if de else W.ANS_EN).format(a=aa), aa), r.randint(0, min(4, n - 1))
        elif r.random() < .04:
            qq, aa = r.choice(W.NEWQ_DE if de else W.NEWQ_EN)
            ask, ask_at = (qq, aa, aa), r.randint(1, n - 1)
        self.pending = None
        k = 0
        self.forced = []
        if p.sub(i, u) and kind in ("feature", "bugfix", "review") and r.random() < p.sub(i, u):
            self.subagent()
            slots = slots[:1] + slots[3:] if len(slots) > 5 else slots
        while k < len(slots):
            if k == ask_at:
                ask_at = None
                if o.client == "claude" and r.random() < .4:
                    o.call({"op": "ask", "q": ask[0], "a": ask[2]})
                else:
                    o.say(self.fill(r.choice(["", "", "Before I go on: ", "One question. "]), q) + ask[0])
                    o.user(ask[1])
            cat = self.pending[0] if self.pending else slots[k]
            self.step(cat)
            if cat == "E" and not self.pending and p.lint(i, u) and r.random() < p.lint(i, u):
                self.step("Q")
            while self.forced:
                self.forced.pop(0)()
                k += 1
            k += 1
        o.say(self.fill(r.choice(W.END_DE if de else W.END_EN), q))
        self.facts = (self.facts + self.said[-1:])[-12:]
        self.last = (kind, q)

    def pre(self):
        r, q = self.rng, self.q
        pre = self.fill(r.choice(W.SAY_DE if self.lang == "de" else W.SAY_EN), q) if r.random() < .3 else None
        think = self.fill(r.choice(W.THINK), dict(q)) if r.random() < .3 else None
        g = self.p.growth(self.i, self.u)
        if g > 1.02 and r.random() < (g - 1):
            think = (think or "") + " " + " ".join(self.fill(r.choice(W.THINK), q) for _ in range(r.randint(1, 4)))
        return pre, think

    def emit(self, c):
        self.out.call(c, *self.pre())

    # ---- a call --------------------------------------------------------------------------------
    def step(self, cat):
        r, p, i, u = self.rng, self.p, self.i, self.u
        if self.pending:
            act = self.pending[1]
            self.pending = None
            act()
            return
        if cat in "RGEBLW" and r.random() < p.aimless(i, u) / .78:
            return self.aimless()
        if cat in "RGE" and r.random() < p.drift(i, u):
            cat = r.choice("LLBBOW")
        if cat == "E" and not self.editable():
            cat = "R"
        extra = .10 if self.harm else 0.0
        pe = BASE_ERR.get(cat, 0) * self.serr
        if cat in BASE_ERR:
            pe += (p.err(i, u) + extra) * self.serr ** .5 * 1.27 / ELIGIBLE
        if r.random() < pe:
            return self.fail(cat)
        {"R": self.read, "G": self.grep, "E": self.edit, "B": self.bash, "V": self.value, "W": self.write, "L": self.glob, "T": self.test, "Q": self.lint, "O": self.todo}[cat]()

    def fail(self, cat):
        r, w, q = self.rng, self.w, self.q
        again = None
        if cat == "R":
            f = r.choice(q["targets"])
            d, b = f.path.rsplit("/", 1)
            stem, ext = b.rsplit(".", 1)
            bad = r.choice([f"{d}/{stem}_helper.{ext}", f"{d}/core/{b}", f"{d}/{stem}_impl.{ext}", f"src/{f.path}", f"{d}/{stem}base.{ext}"])
            self.emit({"op": "read", "path": bad, "err": True, "out": "File does not exist."})
            again = self.read
        elif cat == "E":
            f = self.editable()
            L = w.content(f)
            at = r.randrange(len(L))
            old = L[at].rstrip() + r.choice(["  # checked", "\n" + w.line(f.path, r.randint(9000, 9999)), " || null", ", strict=True"])
            e = f"String to replace not found in file.\nString: {old}"
            if self.out.client == "codex":
                e = f"apply_patch verification failed: Failed to find expected lines in {self.out.abspath(f.path)}:\n{old}"
            self.emit({"op": "edit", "path": f.path, "old": old, "new": w.line(f.path, r.randint(200, 999)), "err": True, "out": e})
            again = lambda: self.edit(f)
        elif cat == "G":
            d = f"services/{q['mod']}/{r.choice(['core', 'lib', 'impl', 'shared'])}"
            if r.random() < .75:
                self.emit({"op": "grep", "pattern": q["sym"], "path": d, "err": True, "out": f"Path does not exist: {d}"})
            else:
                self.emit({"op": "grep", "pattern": q["sym"] + "(", "path": f"services/{q['mod']}", "err": True, "out": "rg: regex parse error:\n    " + q["sym"] + "(\nerror: unclosed group"})
            again = self.grep
        elif cat == "L" and self.out.client == "claude":
            cmd, e, x = r.choice([(f"ls services/{q['mod']}/impl", f"ls: cannot access 'services/{q['mod']}/impl': No such file or directory", 2), (f"find service/{q['mod']} -name '*.py'", f"find: 'service/{q['mod']}': No such file or directory", 1)])
            self.emit({"op": "bash", "cmd": cmd, "desc": "List files", "err": True, "exit": x, "out": e})
            again = self.glob
        elif cat == "V" and self.out.client == "claude" and r.random() < .5:
            t, need = r.choice([("deploy_status", "release"), ("query", "database"), ("ping", "host"), ("ledger", "account_id")])
            self.emit({"op": "mcp", "name": f"mcp__deskops__{t}", "args": {"service": q["mod"]}, "err": True, "out": f"MCP error -32602: Invalid arguments: missing required argument '{need}'"})
            again = self.value
        elif cat == "W":
            self.emit({"op": "bash", "cmd": f"cp templates/{q['mod']}.tmpl services/{q['mod']}/", "desc": "Copy template", "err": True, "exit": 1, "out": f"cp: cannot stat 'templates/{q['mod']}.tmpl': No such file or directory"})
            again = self.write
        else:
            m, f = q["mod"], q["main"]
            cmd, e, x = r.choice([
                (f"tail -n 40 logs/{m}-worker.log", f"tail: cannot open 'logs/{m}-worker.log' for reading: No such file or directory", 1),
                (f"git diff --name-olny -- {f.path}", "error: invalid option: --name-olny", 129),
                (f"python -m tools.{m}ctl --verbos show", f"usage: {m}ctl [-h] [--verbose] {{show,run}} ...\n{m}ctl: error: unrecognized arguments: --verbos", 2),
                (f"kelpctl {m} status", "/bin/bash: line 1: kelpctl: command not found", 127),
                (f"python -m tools.{m}_report", f"/usr/bin/python: No module named tools.{m}_report", 1),
                (f"wc -l services/{m}/main.py", f"wc: services/{m}/main.py: No such file or directory", 1),
                (f"npm run buld:{m}", f"npm ERR! Missing script: \"buld:{m}\"", 1),
                (f"./ops/rollout.sh {m}", "rollout.sh: missing argument: --release", 64),
                (f"git show HEAD~3:{f.path.replace('services', 'service')}", f"fatal: path '{f.path.replace('services', 'service')}' does not exist in 'HEAD~3'", 128),
                (f"jq '.{q['sym']}' ops/{m}.json", f"jq: error: Could not open file ops/{m}.json: No such file or directory", 2),
                (f"sort -k ops/{m}.yaml", "sort: invalid number at field start: invalid count at start of 'ops'", 2)])
            self.emit({"op": "bash", "cmd": cmd, "desc": "Run command", "err": True, "exit": x, "out": e})
            again = self.value if cat == "V" else self.bash
        if r.random() < .8:
            self.pending = (cat, again)

    def editable(self):
        fs = [f for f in self.q["targets"] if f.path in self.seen and f.path != self.w.files_rules]
        return fs[0] if fs and self.rng.random() < .7 else (self.rng.choice(fs) if fs else None)

    def show(self, f, rng_=None):
        L = self.w.content(f)
        if rng_ is None:
            rng_ = (1, None) if len(L) <= 130 or self.rng.random() < .35 else (self.rng.choice(range(1, len(L) - 59, 30)), 60)
        s, k = rng_
        lines = L[s - 1:s - 1 + k] if k else L[:240] if self.out.client == "codex" else L
        old = self.seen.get(f.path)
        if old is None or old[0] != f.rev:
            self.seen[f.path] = old = (f.rev, {})
        old[1][rng_] = True
        self.emit({"op": "read", "path": f.path, "start": s, "limit": k, "lines": lines, "total": len(L)})

    def read(self, _=None):
        r, p, q, i, u = self.rng, self.p, self.q, self.i, self.u
        files = self.w.files
        cand = [(x, y) for x, (rev, rs) in self.seen.items() for y in rs if files[x].rev == rev]
        if self.owe("reread", p.reread(i, u) * self.srate, bool(cand)):
            near = [c for c in cand if files[c[0]].mod == q["mod"]] or cand
            x, y = r.choice(near if r.random() < .8 else cand)
            return self.show(files[x], y)
        todo = [f for f in q["targets"] if f.path not in self.seen]
        if not todo or r.random() < .25:
            fresh = [f for f in self.w.by_mod[q["mod"]] if f.path not in self.seen]
            changed = [files[x] for x, (rev, _) in self.seen.items() if files[x].rev != rev]
            z = r.random()
            if changed and z < .22:
                return self.show(r.choice(changed))
            big = [files[x] for x, (rev, rs) in self.seen.items() if files[x].rev == rev and len(files[x].lines) > 130 and (1, None) not in rs]
            if big and z < .35:
                f = r.choice(big)
                free = [(s, 60) for s in range(1, len(f.lines) - 59, 30) if all(abs(s - a) >= 60 for a, _ in self.seen[f.path][1])]
                if free:
                    return self.show(f, r.choice(free))
            if not fresh:
                m = r.choice(W.MODS)
                fresh = [f for f in self.w.by_mod[m] if f.path not in self.seen]
            if not fresh:
                if changed:
                    return self.show(r.choice(changed))
                return self.bash()
            todo = todo or fresh
            if todo is not fresh and r.random() < .5:
                todo = fresh
        f = todo[0] if r.random() < .7 else r.choice(todo)
        self.visit(f)

    def visit(self, f):
        p, i, u = self.p, self.i, self.u
        t = f.twin
        if self.owe("twin", p.twin(i, u) * self.srate, t is not None and t.path not in self.seen and t not in self.q["targets"]):
            self.show(t)
            self.forced.append(lambda: self.show(f))
        else:
            self.show(f)

    def edit(self, f=None):
        f = f or self.editable()
        if f is None:
            return self.read()
        old, new, orig = self.w.edit(f)
        self.emit({"op": "edit", "path": f.path, "old": old, "new": new, "orig": orig})

    def write(self):
        f = self.w.new_file(self.q["mod"])
        self.q["targets"].append(f)
        self.seen[f.path] = (f.rev, {})
        self.emit({"op": "write", "path": f.path, "text": "\n".join(f.lines) + "\n"})

    def grep(self):
        r, q = self.rng, self.q
        f = r.choice(q["targets"])
        L = self.w.content(f)
        words = [x for x in re.findall(r"[a-z_]{4,}", r.choice(L)) if x not in ("return", "None")]
        word = r.choice(words) if words and r.random() < .8 else r.choice([q["sym"], r.choice(VERBS) + "_" + r.choice(NOUNS)])
        path = r.choice([f.path.rsplit("/", 1)[0], f.path.rsplit("/", 1)[0], f.path])
        hits = [f"{f.path}:{k}:{l}" for k, l in enumerate(L, 1) if word in l][:r.randint(3, 14)]
        self.emit({"op": "grep", "pattern": word, "path": path, "out": "\n".join(hits)})

    def glob(self):
        r, q = self.rng, self.q
        d = r.choice([f"services/{q['mod']}", f"tests/{q['mod']}", f"apps/desk/src/{q['mod']}"])
        fs = [f.path for f in self.w.by_mod[q["mod"]] if f.path.startswith(d)]
        self.emit({"op": "glob", "pattern": d + "/*", "out": "\n".join(self.listed(x) for x in fs)})

    def listed(self, path):
        return path if self.out.client == "codex" else self.out.abspath(path)

    def verbose(self, out):
        g = self.p.growth(self.i, self.u)
        if g > 1.02:
            k = int((g - 1) * self.rng.uniform(0, 34))
            out += "".join(f"\n[{self.rng.randint(10, 23)}:{self.rng.randint(10, 59)}] {self.rng.choice(VERBS)} {self.rng.choice(NOUNS)} {self.rng.choice(NOUNS)}={self.rng.randint(1, 999)} ok" for _ in range(k))
        return out

    def bash(self):
        r, q = self.rng, self.q
        f = r.choice(q["targets"])
        L = self.w.content(f)
        h = "%07x" % r.getrandbits(28)
        c, o = r.choice([
            (f"git diff -- {f.path}", "\n".join([f"diff --git a/{f.path} b/{f.path}", "@@ -1,6 +1,8 @@"] + ["+" + x for x in L[:r.randint(2, 9)]])),
            (f"git log --oneline -n 5 -- {f.path}", "\n".join("%07x %s %s" % (r.getrandbits(28), r.choice(VERBS), r.choice(NOUNS)) for _ in range(5))),
            (f"wc -l {f.path}", f"{len(L)} {f.path}"),
            (f"git blame -L 1,6 {f.path}", "\n".join(f"{h} (maren 2026-01-0{k + 1}) {x}" for k, x in enumerate(L[:6]))),
            (f"git add {f.path} && git commit -m \"{q['mod']}: {r.choice(VERBS)} {r.choice(NOUNS)}\"", f"[main {h}] {q['mod']}\n 1 file changed, {r.randint(1, 20)} insertions(+)"),
            (f"python -m compileall -q services/{q['mod']}/", ""),
            (f"ls -la {f.path.rsplit('/', 1)[0]}/", "\n".join(f"-rw-r--r-- 1 maren maren {r.randint(300, 9000)} {x.base}" for x in self.w.by_mod[q["mod"]][:r.randint(3, 12)])),
            (f"git stash list -- {f.path}; git diff --stat -- services/{q['mod']}/", f" {f.path} | {r.randint(1, 30)} ++--")])
        self.emit({"op": "bash", "cmd": c, "desc": "Inspect", "out": self.verbose(o)})

    def aimless(self):
        r = self.rng
        k = r.random()
        if k < .14:
            return self.todo()
        if k < .24:
            return self.emit({"op": "glob", "pattern": "**/*", "out": "\n".join(self.listed(x) for x in list(self.w.files)[:r.randint(10, 30)])})
        if k < .40:
            return self.emit({"op": "grep", "pattern": r.choice(NOUNS), "out": ""})
        c, o = r.choice([("git status", "On branch main\nnothing to commit, working tree clean"), ("pwd", self.out.m["cwd"]), ("ls", "apps\ndb\ndocs\nops\nservices\ntests"), ("git branch -a", "* main\n  remotes/origin/main"),
                         ("git log --oneline | head", "\n".join("%07x %s %s" % (r.getrandbits(28), r.choice(VERBS), r.choice(NOUNS)) for _ in range(8))), ("date", self.out.now.strftime("%a %b %d %H:%M:%S UTC %Y")), ("git stash list", ""), ("env | sort | head", "HOME=/home/maren\nLANG=C.UTF-8\nSHELL=/bin/bash")])
        self.emit({"op": "bash", "cmd": c, "desc": "Look around", "out": self.verbose(o)})

    def todo(self):
        r, q = self.rng, self.q
        self.emit({"op": "todo", "items": [(f"{r.choice(VERBS).capitalize()} {r.choice(NOUNS)} in {q['mod']}", s) for s in ("completed", "in_progress", "pending")]})

    def test(self):
        r, q = self.rng, self.q
        ts = [f.path for f in self.w.by_mod[q["mod"]] if f.path.startswith("tests/")]
        t = r.choice(ts)
        p0 = self.p.tdd(self.i, self.u)
        bad = r.random() < min(.85, p0 * self.stest)
        n = r.randint(4, 60)
        if bad:
            k = r.randint(1, min(4, n))
            o = "\n".join([f"collected {n} items"] + [f"FAILED {t}::test_{r.choice(VERBS)}_{r.choice(NOUNS)} - AssertionError: assert {r.randint(1, 99)} == {r.randint(100, 200)}" for _ in range(k)] + [f"{k} failed, {n - k} passed in {r.uniform(.4, 9):.2f}s"])
        else:
            o = f"collected {n} items\n{n} passed in {r.uniform(.4, 9):.2f}s"
        self.emit({"op": "bash", "cmd": f"pytest {t} -q", "desc": "Run tests", "err": bad, "exit": 1, "out": o})

    def lint(self):
        r, q = self.rng, self.q
        f = r.choice(q["targets"][:2])
        bad = r.random() < .22
        e = f.path.rsplit(".", 1)[-1]
        tool, what = {"py": ("ruff check", f"F401 `{r.choice(NOUNS)}` imported but unused"), "md": ("npx markdownlint", "MD013/line-length Line length [Expected: 100]"), "sql": ("sqlfluff lint", "L010 Inconsistent capitalisation of keywords."),
                      "yaml": ("yamllint", "[error] trailing spaces (trailing-spaces)")}.get(e, ("npx eslint", f"error  '{r.choice(NOUNS)}' is defined but never used  no-unused-vars"))
        o = f"{f.path}:{r.randint(1, 99)}:1 {what}\nFound 1 error." if bad else r.choice(["All checks passed!", ""])
        self.emit({"op": "bash", "cmd": f"{tool} {f.path}", "desc": "Lint", "err": bad, "exit": 1, "out": o})

    def value(self):
        r, p, q, i, u = self.rng, self.p, self.q, self.i, self.u
        known = [k for k, h in self.hist.items() if h]
        if not known:
            return self.bash()
        keys = [k for k in self.focus if self.hist[k]] or known
        k = r.choice(keys)
        h = self.hist[k]
        v, stale = h[-1], False
        if len(h) > 1:
            stale = self.owe("stale", p.stale(i, u) * self.srate, True)
            if stale:
                v = h[-2] if r.random() < .8 else r.choice(h[:-1])
        opt, jk = W.VALUES[k][2], W.VALUES[k][3]
        boom = r.random() < p.flaky(i, u)
        m = q["mod"]
        ok = r.choice([f"{m}: ok", f"{r.randint(1, 400)} rows", f"{m} up since {r.randint(1, 60)}m", "status=green", f"{r.choice(NOUNS)}s checked: {r.randint(1, 90)}, problems: 0", "done", f"HTTP 200, {r.randint(5, 300)} ms"])
        refuse = stale and r.random() < .15
        if self.out.client == "claude" and r.random() < .5:
            t = {"port": "health", "host": "ping", "release": "deploy_status", "account_id": "ledger", "season_start": "timetable", "database": "query", "branch": "build", "queue": "peek", "bucket": "list_scans"}[jk]
            a = {"service": m, jk: int(v) if jk == "port" else v}
            if t == "query":
                a["sql"] = f"select count(*) from {r.choice(NOUNS)} where {r.choice(NOUNS)} > {r.randint(1, 90)}"
            e = boom or refuse
            self.emit({"op": "mcp", "name": f"mcp__deskops__{t}", "args": a, "err": e, "out": ("upstream request timeout (504)" if boom else f"unknown {jk}: {v}") if e else ok})
            return
        tool = r.choice([f"./ops/check.sh {opt} {v} {m}", f"python -m tools.{m}ctl {opt} {v} show", f"./ops/desk {m} {opt}={v} --json", f"python -m tools.probe {opt} {v} --service {m}"])
        e = boom or refuse
        self.emit({"op": "bash", "cmd": tool, "desc": "Ops", "err": e, "exit": 28 if boom else 3, "out": (r.choice(["curl: (28) Operation timed out after 20001 milliseconds", "ssh: connect to host: Connection timed out", "error: 503 Service Unavailable (gateway)"]) if boom else f"error: unknown {jk} {v}") if e else self.verbose(ok)})

    def tell_by_tool(self, keys):
        r = self.rng
        rows = []
        for k in keys:
            h, jk = self.hist[k], W.VALUES[k][3]
            rows.append((jk, h[-1], h[-2] if len(h) > 1 else None))
        if self.out.client == "claude" and r.random() < .5:
            self.emit({"op": "mcp", "name": "mcp__deskops__environment", "args": {"service": self.q["mod"]}, "out": json.dumps({a: b for a, b, _ in rows})})
        else:
            self.emit({"op": "bash", "cmd": f"./ops/show-env.sh {self.q['mod']}", "desc": "Show environment", "out": "\n".join(f"{a}: {b}" + (f"   # was {c}" if c and r.random() < .5 else "") for a, b, c in rows)})

    def pull(self):
        r = self.rng
        xs = r.sample(list(self.seen), min(len(self.seen), r.randint(2, 4)))
        stat = []
        for x in xs:
            self.w.edit(self.w.files[x])
            stat.append(f" {x} | {r.randint(2, 20)} ++--")
        self.emit({"op": "bash", "cmd": "git pull --rebase", "desc": "Update", "out": f"Updating {r.getrandbits(28):07x}..{r.getrandbits(28):07x}\nFast-forward\n" + "\n".join(stat)})
        for x in xs[:r.randint(1, len(xs))]:
            self.show(self.w.files[x])

    def rules_edit(self):
        f = self.w.files_rules
        old = "- never edit generated files"
        new = old + "\n- run the linter on a file after every edit"
        orig = self.agents_md
        self.emit({"op": "read", "path": f, "start": 1, "limit": None, "lines": orig.split("\n"), "total": orig.count("\n") + 1})
        self.agents_md = orig.replace(old, new)
        self.emit({"op": "edit", "path": f, "old": old, "new": new, "orig": orig})

    def subagent(self):
        r, q = self.rng, self.q
        steps = []
        for f in r.sample(self.w.by_mod[q["mod"]], r.randint(2, 5)):
            L = self.w.content(f)
            steps.append({"op": "read", "path": f.path, "start": 1, "limit": None, "lines": L, "total": len(L)} if r.random() < .65 else {"op": "grep", "pattern": q["sym"], "path": f.path, "out": "\n".join(f"{f.path}:{k}:{l}" for k, l in enumerate(L, 1) if q["sym"] in l)})
        self.out.call({"op": "task", "desc": f"Explore {q['mod']}", "prompt": f"Find everything in the repository about {q['thing']} in {q['mod']}, especially {q['sym']}. Report file paths and a short explanation.", "steps": steps,
                       "out": f"## Findings\n\n`{q['sym']}` lives in {q['file']}. Related: " + ", ".join(s["path"] for s in steps)}, *self.pre())

    def plan_text(self, q):
        r = self.rng
        parts = [f"# Plan: {q['thing']} in {q['mod']}\n\n## Overview\n\n{self.fill(r.choice(W.REQ_EN['feature']), q)}"]
        for k in range(r.randint(4, 9)):
            parts.append(f"### Step {k + 1}: {r.choice(VERBS)} the {r.choice(NOUNS)}\n\n" + "\n".join(f"- {r.choice(VERBS)} `{r.choice(W.SYMS)}` {r.choice(W.CONDS_EN)}" for _ in range(r.randint(2, 6))))
        return "\n\n".join(parts)
