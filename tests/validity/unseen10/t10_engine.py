"""One life: sessions, requests, calls. Every harm is a rate per session; nothing is placed in blocks."""
import math
import random

import t10_words as W
from t10_world import HALLS, TASK_DIRS, Repo, all_files, fresh_value, make_slots, _BAG
from t10_write import Claude, Codex

RATES = ("err", "reread", "look", "stale", "ask", "corr")
BASE = {"err": .045, "reread": .10, "look": .03, "stale": .03, "ask": .03, "corr": .04, "vague": 0.0, "ctx": 1.0, "calls": 1.0, "reqs": 1.0, "shellread": .06, "net": .004, "push": .15, "churn": 1.0,
        "sub": 0.0, "mcp": .15, "terse": 0.0, "chat": 0.0, "gloom": 0.0, "twin": 0.0, "red": 0.0, "bigger": 0.0, "plan": 0.0, "deny": .003, "clear": .10}
RE_UP, ERR_UP = 1.12, 1.06  # debts left open at the end of a session; calls that cannot fail
MIX = {"bugfix": .24, "feature": .20, "ops": .15, "review": .12, "docs": .08, "data": .08, "refactor": .08, "deps": .05}
MEAN = {"bugfix": 8.5, "feature": 10.5, "ops": 7.5, "review": 7, "docs": 6.5, "data": 7, "refactor": 10, "deps": 8, "tdd": 10, "bagline": 9}
PHASES = {
 "bugfix": [(.38, "search3 read9 git1 glob1"), (.15, "test4 run2 read2"), (.29, "edit5 read4 search1"), (.18, "test5 lint1 git1 read1")],
 "feature": [(.06, "plan1 read2"), (.34, "read9 search2 glob1"), (.38, "edit5 write1 read4 run1"), (.22, "test5 lint2 git1 read1")],
 "ops": [(.34, "look2 read6 run2"), (.46, "run5 look2 edit2 read4 vague1"), (.2, "run2 look1 git1 read1")],
 "review": [(.3, "git3 read4"), (.6, "read8 search3 git1"), (.1, "git1 mcp1 read1")],
 "docs": [(.42, "read7 search2 glob1"), (.42, "edit5 read3"), (.16, "lint1 git2 read1")],
 "data": [(.34, "read5 look2 glob1"), (.51, "run3 py4 write1 read4"), (.15, "edit1 git1 py1 read1")],
 "refactor": [(.37, "search4 read8"), (.45, "edit7 read4 search1"), (.18, "test4 lint2 git1 read1")],
 "deps": [(.32, "pkg3 read5 web1"), (.45, "pkg2 edit2 read4 run1"), (.23, "test3 lint2 git1 read1")],
 "tdd": [(.27, "read6 search1"), (.25, "write1 edit1 red3 read1"), (.3, "edit4 read3"), (.18, "test3 git1 lint1")],
 "bagline": [(.34, "read8 search2"), (.14, "test1 run2 read1"), (.34, "edit5 read4"), (.18, "test4 lint1 git1 read1")],
}
PHASES = {k: [(f, [w[:-1] for w in s.split() for _ in range(int(w[-1]))]) for f, s in v] for k, v in PHASES.items()}


def lin(a, b):
    return lambda t, i, n: a + (b - a) * t


def step_at(a, b, frac):
    return lambda t, i, n: b if i >= int(round(frac * n)) else a


class Life:
    def __init__(self, kind, prof, seed, sessions, folder):
        self.rng = random.Random("t10|%s|%d|%d" % (kind, seed, sessions))
        r = self.rng
        self.prof, self.n = prof, sessions
        self.prof_files = prof.get("files")
        cwd = r.choice(["/home/ida/src/hyphal", "/home/tomek/work/hyphal", "/Users/saana/code/hyphal", "/srv/dev/leif/hyphal"])
        self.w = (Codex if prof["fmt"] == "codex" else Claude)(random.Random(r.getrandbits(64)), folder, cwd)
        self.codex = prof["fmt"] == "codex"
        self.repo = Repo(random.Random(r.getrandbits(64)), scale=1.0, groups=None)
        self.allpaths = list(self.repo.paths)
        if prof.get("module"):
            for g in _BAG:
                self.repo.add(list(g))
        self.pool = None
        if prof.get("morefiles"):
            g = all_files()
            r.shuffle(g)
            self.order = [p for x in g for p in x]  # twins come together
        self.slots = make_slots(r, prof.get("slotmix", (.5, .25, .25)))
        self.used = set()
        for s in self.slots:
            s.values.append(fresh_value(r, s.kind, self.used))
        self.ledger = []
        self.cfg = {}
        self.lastat = {}
        self.ar = {k: r.gauss(0, 1) for k in RATES + ("len", "reqs", "ctx")}
        self.ticket = 300 + r.randrange(400)
        self.lastmain = None
        self.newfiles = 0
        self.mixlife = {k: v * math.exp(r.gauss(0, .2)) for k, v in MIX.items()}
        self.stepfrac = r.uniform(.40, .60)
        self.errpick = 0
        # compaction / clear schedule
        self.events = set()
        if prof.get("events"):
            m = 5 if sessions >= 20 else 4 if sessions >= 9 else max(1, sessions // 3)
            gap = sessions / m
            for j in range(m):
                x = int(j * gap + (r.random() * max(0, gap - 2.6) if gap > 3 else 0)) + (1 if sessions > 13 or prof["events"] == "clear" else 0)
                self.events.add(min(max(x, 0 if prof["events"] != "clear" else 1), sessions - 2))
        self.harm_until = -1
        self.longat = int(sessions * r.uniform(.35, .65)) if prof.get("longone") else -1
        self.versions(r)

    def versions(self, r):
        p, n = self.prof, self.n
        if self.codex:
            vs, ms = ["0.139.0", "0.142.5", "0.144.1", "0.147.0"], ["gpt-5.5", "gpt-5.6-sol"]
        else:
            vs, ms = ["2.1.38", "2.1.42", "2.1.51", "2.1.77"], ["claude-opus-4-6", "claude-opus-4-7"]
        cut = []
        if p.get("ver") == "one":
            cut = [self.cutat("ver")]
        elif p.get("ver") == "many":
            cut = sorted(r.sample(range(2, n), min(3, max(1, n - 3))))
        elif p.get("ver", "few") == "few" and r.random() < .6:
            cut = [r.randrange(1, n)]
        self.ver = [vs[min(3, sum(i >= c for c in cut))] for i in range(n)]
        mc = self.cutat("model") if p.get("newmodel") else n + 1
        self.mod = [ms[i >= mc] for i in range(n)]

    def cutat(self, what):
        return int(round(self.stepfrac * self.n))

    # ------------------------------------------------------------ helpers
    def rate(self, k, t, i):
        v = self.prof.get(k, BASE[k])
        if callable(v):
            v = v(t, i, self.n)
        return v

    def pick(self, seq):
        return seq[int(self.rng.random() * len(seq))]

    def wpick(self, d):
        x = self.rng.random() * sum(d.values())
        for k, v in d.items():
            x -= v
            if x <= 0:
                return k
        return k

    def noise(self, k, sd):
        z = self.ar[k] = .35 * self.ar[k] + math.sqrt(1 - .35 ** 2) * self.rng.gauss(0, 1)
        return math.exp(sd * z - sd * sd / 2)

    def mention(self, p):
        x = self.rng.random()
        if p.startswith("halls/"):
            return p[6:] if x < .7 else p
        return p if x < .3 else p.rsplit("/", 1)[-1]

    def typo(self, text):
        r = self.rng
        ws = text.split(" ")
        for _ in range(1 + (r.random() < .3)):
            i = int(r.random() * len(ws))
            w = ws[i]
            if len(w) > 3 and w.isalpha() and w.lower() not in ("port", "host", "tenant", "halle", "nicht"):
                j = 1 + int(r.random() * (len(w) - 2))
                ws[i] = w[:j] + w[j + 1] + w[j] + w[j + 2:] if j + 1 < len(w) and r.random() < .5 else w[:j] + w[j + 1:]
        return " ".join(ws)

    def fill(self, s, q):
        return s.replace("{f}", self.mention(q["main"])).replace("{g}", self.mention(q["other"])).replace("{w}", q["want"]).replace("{h}", q["hall"].title()).replace("{t}", q["ticket"])

    # ------------------------------------------------------------ life
    def run(self):
        r = self.rng
        day = 1772409600 + 86400 * (7 * r.randrange(10))  # a Monday in 2026
        left = 0
        hour = 0
        for i in range(self.n):
            if left == 0:
                if i:
                    day += 86400
                    while r.random() < .22:
                        day += 86400
                    if self.prof.get("holidays") and i in (int(self.n * .3), int(self.n * .62)):
                        day += 86400 * r.randrange(12, 24)
                while time_wday(day) >= 5:
                    day += 86400
                left = r.choice((1, 1, 2, 2, 3))
                if self.prof.get("holidays"):
                    left = r.choice((1, 2))
                hour = 7.0 + r.random() * 1.5
            start = day + hour * 3600 + r.random() * 600
            self.session(i, start)
            hour = max(hour + .7, (self.w.now - day) / 3600 + .2 + r.random() * 1.2)
            left -= 1
            if hour > 17:
                left = 0
        return {"ledger": self.ledger, "slots": {s.name: list(s.values) for s in self.slots}, "twins": {p: list(q) for p, q in self.repo.twin.items() if q}}

    def session(self, i, start):
        r, w, prof, n = self.rng, self.w, self.prof, self.n
        t = i / (n - 1) if n > 1 else 0.0
        self.i, self.t = i, t
        self.L = L = dict.fromkeys(("calls", "err", "reads", "reread", "first", "look", "uses", "stale", "ask", "corr", "reqs", "tests", "testfail", "net", "vague", "events"), 0)
        self.lang = prof.get("lang", "en")
        if callable(self.lang):
            self.lang = self.lang(t, i, n)
        de = self.lang == "de"
        self.P = P = {}
        for k in BASE:
            P[k] = self.rate(k, t, i)
        sp = self.prof.get("step")
        if sp and i >= self.cutat("step"):
            P["err"] += .12
            P["reread"] += .15
        self.plan_rates = {k: P[k] for k in RATES}
        for k in RATES:
            f = self.noise(k, .26)
            if P[k] > .2:
                f = 1 + (f - 1) * .6
            P[k] = min(.85, P[k] * f)
        lenf = self.noise("len", .22)
        w.version, w.model = self.ver[i], self.mod[i]
        w.ctxmul = P["ctx"] * self.noise("ctx", .06)
        w.renamed = bool(prof.get("rename")) and i >= self.cutat("ver")
        if prof.get("modes"):
            w.mode = ("default", "acceptEdits", "plan", "default", "bypassPermissions")[min(4, int(t * 5))] if not self.codex else ("on-request", "never")[t > .5]
            P["deny"] = .012 if w.mode == "default" else .002
        w.branch = "main" if r.random() < .3 else "kw-%d-%s" % (self.ticket, self.pick(("fix", "panel", "wip", "cleanup")))
        planned = prof.get("events")
        harmful = prof.get("harm")
        clear = (planned == "clear" and i in self.events) or (planned != "clear" and not (planned and harmful) and i > 0 and r.random() < P["clear"])
        if self.codex:
            clear = False
        plan_paste = prof.get("plan") and i > 0 and r.random() < P["plan"]
        if plan_paste:
            clear = True
        w.ncalls = 0
        self.seen, self.visited, self.readset, self.told = [], {}, {}, []
        self.debt = 0
        w.open(start, clear=clear)
        if clear:
            L["events"] += 1
            if planned == "clear" and harmful:
                self.harm_until = i + 1
        # colleagues push between sessions
        if i and r.random() < P["push"] * 2:
            for p in r.sample(self.allpaths, 3):
                self.lastat[p] = self.repo.grow(p, 1 + r.randrange(3))
        if prof.get("grow"):
            for p in self.repo.paths:
                ln = len(self.repo.lines(p))
                if i:
                    self.repo.grow(p, max(1, int(ln * .9 / n + r.random())))
        if prof.get("morefiles"):
            self.pool = set(self.order[:int(28 + (len(self.order) - 28) * t)])
        # kind of the session
        mix = dict(self.mixlife)
        if prof.get("mix"):
            mix = prof["mix"](t, i, n, mix)
        if self.lastmain in mix and mix[self.lastmain] > .04 and r.random() < .3:
            main_kind = self.lastmain
        else:
            main_kind = self.wpick(mix)
        self.lastmain = main_kind
        one_ticket = r.random() < .45
        nreq = int(round(min(10, max(2, 5.0 * P["reqs"] * self.noise("reqs", .33) * (1 if not one_ticket else .85)))))
        long = i == self.longat
        if long:
            nreq = 24
        self.active = r.sample(self.slots, 4)
        if i > 0 and self.prevactive:
            self.active[0] = self.pick(self.prevactive)
            if self.active[0] in self.active[1:]:
                self.active = [self.active[0]] + [s for s in self.active[1:] if s is not self.active[0]]
        self.prevactive = self.active
        # replacements of this session: request index -> slots
        nrep = int(P["churn"] * (2.0 if i < 2 else 1.35) + r.random())
        rep = {}
        for s in self.active[:nrep]:
            rep.setdefault(int(r.random() ** 1.4 * nreq * .8), []).append(s)
        for s in self.active:
            if s.known < 0 and not any(s in v for v in rep.values()):
                rep.setdefault(0, []).append(s)
            elif s.cat != "shown" and r.random() < .3 and s.known >= 0 and not any(s in v for v in rep.values()):
                rep.setdefault(int(r.random() * nreq * .5), []).append(("again", s))
        evreq = -1
        if planned == "compact" and i in self.events:
            evreq = min(nreq - 1, max(1, int(nreq * r.uniform(.3, .55))))
        self.ticket += r.randrange(1, 5)
        q = None
        for j in range(nreq):
            if j == evreq:
                self.compact(q, w.ctx < 120000)
                if harmful:
                    self.harm_until = i + 1
            hot = self.harm_until >= i and bool(harmful)
            self.hot = hot
            kind = main_kind if r.random() < .62 else self.wpick(mix)
            prev = q
            corr = j > 0 and r.random() < P["corr"] * nreq / max(1, nreq - 1)
            follow = j > 0 and not corr and r.random() < (.5 if one_ticket else .3)
            if corr or follow:
                kind = prev["kind"]
            q = self.make_request(kind, prev if (corr or follow or (one_ticket and j)) else None, corr, follow)
            L["reqs"] += 1
            L["corr"] += corr
            text = self.request_text(q, corr, follow, rep.get(j, ()), j == 0 and plan_paste, t)
            if prof.get("habit") and i == self.cutat("habit") and j == min(1, nreq - 1):
                self.edit_rules()
            if j:
                w.tick(40 + r.expovariate(1 / 260.0))
            w.user(text)
            self.told.append(("file" if not de else "die Datei", self.mention(q["main"])))
            if q["hall"].title() in text:
                self.told.append(("hall" if not de else "die Halle", q["hall"].title()))
            e, e0 = P["err"] + (.12 if hot else 0), BASE["err"]
            over = (1 + .6 * e0) / (1 + .6 * e)
            over *= (1 + .3 * 1.25 * .03) / (1 + .3 * 1.25 * P["look"])
            over *= (1 + .06 * .03) / (1 + .06 * P["stale"])
            mean = MEAN[kind] * (.8 if corr or follow else 1)
            x = mean * lenf * P["calls"] * math.exp(r.gauss(-.08, .4))
            if prof.get("bigger"):
                x *= 1 + P["bigger"] * .9
            x = min(30, max(3, x)) * (1.5 if hot else 1)
            self.work(q, max(2, int(x * over + r.random())), e)
            if w.ctx > prof.get("window", 165000):
                self.compact(q, False)
        w.close()
        L["calls"] = w.ncalls
        L["plan"] = self.plan_rates
        L["hot"] = self.harm_until >= i and bool(harmful)
        self.ledger.append(L)

    def edit_rules(self):
        """The instruction file is changed on the user's wish, and the change is in the trace."""
        w, t = self.w, self.repo.text.setdefault("CLAUDE.md", ["# hyphal", "", "Python in ctl/ and flush/, TypeScript in panel/, Go in spawn/.", "", "## Habits", "", "- Subject lines start with the ticket.", "- Small commits."])
        w.tick(90)
        w.user(W.CLAUDE_MD_ASK)
        w.read("CLAUDE.md", 0, len(t), t)
        w.edit("CLAUDE.md", t[-1], t[-1] + "\n- After every edit run `make fmt` and the linter on the touched file.", t, len(t) - 1)
        t.append("- After every edit run `make fmt` and the linter on the touched file.")
        self.L["reads"] += 1
        self.L["first"] += 1
        self.L["reqs"] += 1
        w.answer("Added to CLAUDE.md under Habits. I will run `make fmt` and the linter after every edit from here on.")

    def compact(self, q, manual):
        self.L["events"] += 1
        vals = "\n".join("   - %s: %s" % (s.en if not s.hall else s.spoken("en"), s.values[s.known]) for s in self.active if s.known >= 0)
        files = "\n".join("   - %s" % p for p in list(self.visited)[-8:])
        tasks = "\n".join("   - " + x for x in (q["want"] if q else "open points", "run the checks before the commit"))
        self.w.compact("Analysis:\nThe user works on the hyphal repository of Kappenwerk.\n\n1. Primary request:\n%s\n\n2. Files looked at:\n%s\n\n3. Values in use:\n%s\n\n4. Pending: continue with %s." % (tasks, files, vals, q["ticket"] if q else "the ticket"), manual)
        self.seen = []

    # ------------------------------------------------------------ requests
    def make_request(self, kind, prev, corr, follow):
        r = self.rng
        dirs = TASK_DIRS[kind]
        if prev and (corr or (follow and r.random() < .5)):
            q = dict(prev)
            return q
        paths = [p for p in self.repo.paths if p.startswith(dirs) and (self.pool is None or p in self.pool)]
        if self.prof.get("module") and kind != "bagline" and self.modshare() > r.random():
            paths = [p for p in self.repo.paths if p.startswith("bagline/")]
        if len(paths) < 3:
            paths = [p for p in self.repo.paths if self.pool is None or p in self.pool]
        fresh = [p for p in paths if p not in self.visited]
        main = self.pick(fresh or paths)
        area = r.sample(paths, min(len(paths), 6))
        tw = self.repo.twin[main]
        want = self.pick(W.WANTS_DE if self.lang == "de" else W.WANTS_EN)
        return {"kind": kind, "main": main, "other": self.pick(tw) if tw else self.pick(paths), "area": area, "paths": paths, "want": want,
                "hall": main.split("/")[1] if main.startswith("halls/") else self.pick(HALLS), "ticket": prev["ticket"] if prev else "KW-%d" % (self.ticket + r.randrange(12))}

    def modshare(self):
        m = self.prof["module"]
        return m(self.t, self.i, self.n)

    def request_text(self, q, corr, follow, reps, plan_paste, t):
        r, P, de = self.rng, self.P, self.lang == "de"
        if plan_paste:
            return self.plan_text(q) + "".join("\n" + s for s in self.tell(reps))
        neat = self.prof.get("otheruser") and 1 / 3 <= t < 2 / 3
        if corr:
            s = self.fill(self.pick(W.CORR_DE if de else W.CORR_EN), q)
        elif follow:
            s = self.fill(self.pick(W.FOLLOW_DE if de else W.FOLLOW_EN), q)
        elif P["twin"] and r.random() < P["twin"] and self.repo.twin[q["main"]]:
            s = self.fill(self.pick(W.COMPARE_EN), q)
            q["compare"] = True
        else:
            d = W.ASK_DE if de else W.ASK_EN
            s = self.fill(self.pick(d.get(q["kind"]) or d["feature"]), q)
        if P["terse"] and not corr and r.random() < P["terse"]:
            s = self.fill(self.pick(("{f}", "{t}", "next {f}", "{f} pls", "same 4 {f}", "fix {f}", "{w}", "go", "tests {f}", "{h}")), q)
        if P["chat"] and r.random() < P["chat"]:
            k = 1 + int(r.random() * 3 * P["chat"])
            s = " ".join(r.sample(W.CHAT_EN, k)) + " " + s
        if P["gloom"] and r.random() < P["gloom"]:
            g = self.pick(W.GLOOM_EN)
            s = g + ". " + s if r.random() < .6 else s + ". " + g
        if P["bigger"] and not corr:
            k = int(P["bigger"] * 3.2 * r.random() + .4)
            if k:
                s += "\n" + "\n".join("- " + self.fill(x, q) for x in r.sample(W.MORE_EN, min(k, 6)))
        if neat:
            s = ("Good morning. " if r.random() < .3 else "") + s[:1].upper() + s[1:] + ("." if s[-1].isalpha() else "") + (" Thank you very much." if r.random() < .4 else "")
        elif r.random() < .3:
            s = self.typo(s)
        elif r.random() < .3:
            s = s[:1].upper() + s[1:]
        tells = self.tell(reps)
        if tells:
            sep = ". " if r.random() < .6 else "\n" if r.random() < .5 else ", "
            s = (s + sep + sep.join(tells)) if r.random() < .7 else ("%s%s%s" % (sep.join(tells), sep, s))
        if not corr and r.random() < (.16 if q["kind"] in ("bugfix", "ops") else .05):
            s += "\n\n" + self.log_paste(q)
        return s

    def tell(self, reps):
        """Sentences for values told or replaced now; shown values are left for a call."""
        r, de = self.rng, self.lang == "de"
        out = []
        self.toshow = []
        for s in reps:
            again = isinstance(s, tuple)
            if again:
                s = s[1]
            elif s.known >= 0 or r.random() < .6:
                old = s.values[-1]
                s.values.append(fresh_value(r, s.kind, self.used))
                self.sync(s, old)
            if s.cat == "shown" or (s.cat == "two" and not again and r.random() < .4):
                self.toshow.append(s)
                continue
            changed = s.known != len(s.values) - 1 and len(s.values) > 1
            tpl = (W.CHANGE_DE if de else W.CHANGE_EN) if changed and not again else (W.TELL_DE if de else W.TELL_EN)
            v = s.values[-1]
            out.append(self.pick(tpl).replace("{k}", s.spoken(self.lang)).replace("{v}", v).replace("{o}", s.values[-2] if len(s.values) > 1 else "the old one"))
            s.known = len(s.values) - 1
            self.told.append((s.spoken(self.lang), v))
        return out

    def sync(self, s, old):
        for p in sorted(self.cfg.get(s.name, ())):
            t = self.repo.lines(p)
            for k, x in enumerate(t):
                if s.key in x and not x.endswith(s.values[-1]):
                    t[k] = x.split(":")[0] + ": " + s.values[-1]
                    self.repo.rev[p] += 1

    def plan_text(self, q):
        r = self.rng
        s = self.fill(self.pick(W.PLAN_HEAD), q)
        fs = r.sample(q["paths"], min(len(q["paths"]), 6))
        for n in range(1, 7 + r.randrange(14)):
            s += "\n" + self.pick(W.PLAN_STEP).replace("{n}", str(n)).replace("{f}", self.pick(fs)).replace("{w}", self.pick(W.WANTS_EN)).replace("{t}", q["ticket"])
            if r.random() < .4:
                s += "\n   " + self.pick(W.CHAT_EN)
            if r.random() < .25:
                p = self.pick(fs)
                s += "\n\n```\n" + "\n".join(self.repo.lines(p)[:6]) + "\n```\n"
        return s

    def log_paste(self, q):
        r = self.rng
        p = q["main"]
        if r.random() < .5:
            return "Traceback (most recent call last):\n" + "".join("  File \"/opt/hyphal/%s\", line %d, in %s\n    %s\n" % (self.pick(q["area"]), r.randrange(10, 240), self.pick(("poll", "merge", "emit", "settle")), "x = self.%s[%d]" % (self.pick(("shelf", "dose", "tray")), r.randrange(9))) for _ in range(r.randrange(2, 6))) + self.pick(("KeyError: 'shelf_7'", "TypeError: unsupported operand type(s) for -: 'NoneType' and 'int'", "ValueError: reading out of range", "IndexError: list index out of range"))
        return "\n".join("%02d:%02d:%02d %s %s %s" % (r.randrange(24), r.randrange(60), r.randrange(60), self.pick(("WARN", "ERROR", "INFO")), p.split("/")[0], self.pick(("dose not acknowledged", "retry in 5s", "reading stale", "airlock timeout", "client reconnected", "shelf 3 no answer"))) for _ in range(r.randrange(4, 22)))

    # ------------------------------------------------------------ work on one request
    def work(self, q, n, e):
        r, w, P, L = self.rng, self.w, self.P, self.L
        self.q, self.e = q, e
        self.qfail = min(.9, ERR_UP * e / (1 - .6 * e))
        acts = []
        for f, bag in PHASES[q["kind"]]:
            for _ in range(int(f * n + r.random())):
                acts.append(self.pick(bag))
        while len(acts) < n:
            acts.insert(int(r.random() * (len(acts) + 1)), "read")
        while len(acts) > n:
            acts.pop(int(r.random() * len(acts)))
        if q.get("compare"):
            acts[:1] = ["both"]
        if P["sub"] and r.random() < P["sub"]:
            k = max(1, int(n * .3))
            acts[:k] = ["sub"]
        # uses of values, spread over the request
        uses = int(self.prof.get("uses", 1.55) + r.random() - .3 * (r.random() < .5) + (r.random() < .15))
        for _ in range(uses):
            acts[int(r.random() ** .8 * len(acts))] = "use"
        for s in self.toshow:
            acts.insert(int(r.random() * .3 * len(acts)), s)
        self.toshow = []
        if P["vague"]:
            acts = ["vague" if isinstance(a, str) and a not in ("use", "both", "sub", "vague") and r.random() < P["vague"] * 1.22 else a for a in acts]
        if P["red"]:
            acts = ["red" if a == "test" and r.random() < P["red"] else a for a in acts]
        ask_at = -1
        if r.random() < P["ask"] and self.told:
            ask_at = int(r.random() * len(acts) * .8)
        fresh_at = int(r.random() * len(acts)) if r.random() < .05 else -1
        stop_at = int(r.random() * len(acts)) if r.random() < .012 else -1
        for k, a in enumerate(acts):
            if r.random() < .22:
                w.say(self.fill(self.pick(W.SAY_DE if self.lang == "de" else W.SAY_EN), q))
            if r.random() < .3:
                w.think = self.fill(self.pick(W.THINK), q)
            if k == ask_at:
                self.ask_again()
            if k == fresh_at:
                self.fresh_question()
            if k == stop_at:
                if not self.codex:
                    w.reject("Bash", {"command": "git push origin HEAD", "description": "Push the branch"})
                w.interrupt()
                w.tick(15)
                return
            if r.random() < P["net"] and a in ("run", "look", "pkg", "web", "test", "git", "mcp", "use", "py", "lint", "read", "edit", "search"):
                self.netfail()
            if r.random() < P["deny"]:
                w.reject("Bash", {"command": "git push origin HEAD", "description": "Push"}) if r.random() < .5 else w.reject("Edit", {"file_path": w.cwd + "/" + q["main"], "old_string": "on", "new_string": "off"})
            self.act(a)
            if not self.codex and P["net"] > .03 and r.random() < .01:
                w.api_error()
        w.answer(self.fill(self.pick(W.DONE_DE if self.lang == "de" else W.DONE_EN), q))

    def ask_again(self):
        r, w, de = self.rng, self.w, self.lang == "de"
        vals = [x for x in self.told if x[0] not in ("file", "hall", "die Datei", "die Halle")]
        k, v = self.pick(vals) if vals and r.random() < .75 else self.pick(self.told)
        for s in self.slots:  # a value replaced since then: ask for the present one
            if s.spoken(self.lang) == k:
                v = s.values[s.known]
        question = self.pick(W.AGAIN_DE if de else W.AGAIN_EN).replace("{k}", k)
        ans = self.pick(W.REPLY_DE if de else W.REPLY_EN).replace("{k}", k).replace("{v}", v)
        self.L["ask"] += 1
        if not self.codex and r.random() < .35:
            w.ask_tool(question, ["As configured", "Other value"], v)
        else:
            w.answer(question)
            w.tick(20 + r.random() * 120)
            w.user(ans)

    def fresh_question(self):
        r, w, de = self.rng, self.w, self.lang == "de"
        question, ans = self.pick(W.FRESHQ_DE if de else W.FRESHQ_EN), self.pick(W.FRESHA_DE if de else W.FRESHA_EN)
        if not self.codex and r.random() < .4:
            w.ask_tool(question, ["Yes", "No", "Later"], ans)
        else:
            w.answer(question)
            w.tick(20 + r.random() * 120)
            w.user(ans)

    # ------------------------------------------------------------ actions
    def act(self, a):
        if not isinstance(a, str):
            self.show(a)
            return
        r = self.rng
        if r.random() < self.qfail and a not in ("sub", "both", "plan"):
            self.fail(a)
            self.L["err"] += 1
            if r.random() > .6:
                return
        getattr(self, "do_" + a)()

    def take(self, p, lo=None, n=None, how=None, again=False):
        """One read call."""
        r = self.rng
        t = self.repo.lines(p)
        ln = len(t)
        if lo is None:
            if ln <= 90 or (ln <= 170 and r.random() < .55):
                lo, n = 0, ln
            else:
                n = 40 + 10 * int(r.random() * 7)
                prev = self.visited.get(p)
                lo = min(prev or 0, max(0, ln - 20))
                n = min(n, ln - lo)
        if how is None:
            how = "read" if r.random() > self.P["shellread"] or self.codex else self.pick(("sed", "cat", "nl", "head"))
        if how == "cat" or how == "grep":
            if lo == 0:
                n = ln
        self.w.read(p, lo, n, t, how)
        self.L["reads"] += 1
        if not again:
            x = self.P["reread"]
            self.debt += self.rng.random() < x / (1 - x) * RE_UP
        if p not in self.visited:
            self.L["first"] += 1
        self.visited[p] = max(self.visited.get(p, 0), lo + n)
        self.readset[p] = self.repo.rev[p]
        self.seen.append((p, lo, n, self.repo.rev[p]))

    def do_read(self):
        r, P, L, q = self.rng, self.P, self.L, self.q
        repo = self.repo
        if self.debt and len(self.seen) >= 2 and r.random() < .75:
            for _ in range(6):
                p, lo, n, rev = self.seen[int(r.random() * max(1, len(self.seen) - 1))]
                if rev == repo.rev[p]:
                    how = None
                    if self.prof.get("ways"):
                        how = self.pick(("cat", "sed", "head", "catn", "grep", "awk", "py", "nl", "read"))
                        if how in ("cat", "grep", "catn") and not (lo == 0 and n >= len(repo.lines(p))):
                            how = "sed"
                    elif not self.codex and r.random() < .12:
                        how = self.pick(("sed", "head"))
                    L["reread"] += 1
                    self.debt -= 1
                    self.take(p, lo, n, how, again=True)
                    return
        x = r.random()
        if x < .16:
            ch = [p for p, rev in self.readset.items() if rev != repo.rev[p]]
            if ch:
                self.around(self.pick(ch))
                return
        if x < .34:
            more = [p for p, hi in self.visited.items() if hi and hi < len(repo.lines(p)) - 10 and repo.rev[p] == self.readset.get(p)]
            if more:
                p = self.pick(more)
                lo = self.visited[p]
                self.take(p, lo, min(90, len(repo.lines(p)) - lo))
                return
        self.visit(self.new_path())

    def around(self, p):
        """Read the part of a file that has changed."""
        n = len(self.repo.lines(p))
        lo = max(0, min(self.lastat.get(p, 0), n) - 30 - 10 * int(self.rng.random() * 3)) if n > 100 else 0
        self.take(p, lo, min(n - lo, 100))

    def new_path(self):
        q = self.q
        if q["main"] not in self.visited:
            return q["main"]
        c = [p for p in q["area"] if p not in self.visited]
        if not c:
            c = [p for p in q["paths"] if p not in self.visited]
        if not c:
            c = [p for p in self.repo.paths if p not in self.visited and (self.pool is None or p in self.pool)]
        if not c:
            c = [p for p in self.allpaths if p not in self.visited]
        if not c:
            c = self.allpaths
        near = list(self.visited)[-5:]
        tw = self.repo.twin
        for _ in range(6):  # no twin of a file opened just now, unless by mistake or on purpose
            p = self.pick(c)
            if not any(x in tw[p] for x in near):
                break
        return p

    def visit(self, p):
        r, P, L = self.rng, self.P, self.L
        tw = [x for x in self.repo.twin[p] if x not in self.visited and (self.pool is None or x in self.pool)]
        if tw and p not in self.visited:
            s = P["look"] * 1.5
            if r.random() < s / (1 - s):
                x = self.pick(tw)
                L["look"] += 1
                self.take(x)
                y = r.random()
                if y < .14:
                    old = self.edit_file(x)
                    if old:
                        self.w.shell("git checkout -- " + x, "Updated 1 path from the index", desc="Undo the change in the wrong file")
                        self.repo.text[x] = old
                        self.repo.rev[x] += 1
                        self.readset[x] = self.repo.rev[x]
                elif y < .24:
                    self.w.search(self.pick(("def ", "export", "func", "max_")), x, [], shell=self.codex)
                elif y < .5:
                    self.w.say(self.pick(("That is the other one.", "Wrong file, the one I need is next to it.", "This is not the right file.", "Similar name; moving on.")) if self.lang != "de" else "Das ist die andere Datei.")
            elif r.random() < .015:
                self.take(p)
                self.take(self.pick(tw))
                self.edit_file(p)
                return
        self.take(p)

    def do_both(self):
        q = self.q
        for p in (q["main"], q["other"]):
            if p not in self.visited:
                self.take(p)
        if self.rng.random() < .6:
            self.w.shell("diff -u %s %s | head -60" % (q["main"], q["other"]), "--- %s\n+++ %s\n@@ -1,4 +1,4 @@\n-%s\n+%s" % (q["main"], q["other"], self.repo.lines(q["main"])[0], self.repo.lines(q["other"])[0]), desc="Compare")

    def do_search(self):
        r, q = self.rng, self.q
        pat = "%s_?%s" % (self.pick(("fog", "dose", "shelf", "valve", "ramp", "tray", "strain", "drain")), self.pick(("step", "window", "list", "id", "max", "load", "hold")))
        hits = []
        for _ in range(int(r.random() * 7)):
            p = self.pick(q["paths"])
            t = self.repo.lines(p)
            k = int(r.random() * len(t)) if t else 0
            hits.append((p, k + 1, t[k] if t else ""))
        path = self.pick(TASK_DIRS[q["kind"]]).rstrip("/") if r.random() < .75 else None
        self.w.search(pat, path, hits, shell=r.random() < self.P["shellread"])

    def do_glob(self):
        d = self.pick(TASK_DIRS[self.q["kind"]])
        fs = [p for p in self.repo.paths if p.startswith(d)][:30]
        self.w.glob(d + "**/*" + self.pick((".py", ".ts*", ".yaml", "")), fs, shell=self.rng.random() < self.P["shellread"])

    def edit_file(self, p):
        """A real edit; returns the text before it."""
        r, repo = self.rng, self.repo
        t = repo.lines(p)
        if len(t) < 8:
            return None
        ext = p.rsplit(".", 1)[-1]
        for _ in range(6):
            at = int(r.random() * (len(t) - 4))
            k = 1 + int(r.random() * 3)
            old = t[at:at + k]
            if old[0].strip() and len(old[0]) > 6:
                break
        else:
            return None
        new = list(old)
        new[-1] = repo.line(ext, 2 + int(r.random() * 6))
        if r.random() < .5:
            new.append(repo.line(ext, 4))
        if new == old:
            new.append(repo.line(ext, 5))
        before = list(t)
        self.w.edit(p, "\n".join(old), "\n".join(new), t, at)
        t[at:at + k] = new
        repo.rev[p] += 1
        self.lastat[p] = at
        if self.prof.get("hook") and self.i >= self.cutat("hook"):
            for z in (max(0, at - 2), min(len(t) - 1, at + len(new) + 1)):
                x = t[z]
                t[z] = x.replace("'", '"') if "'" in x else x.replace(" = ", " =  ") if " = " in x else x.replace("  ", " ") if x.startswith("   ") else x + ","
            repo.rev[p] += 1
            self.hooked = p
        else:
            self.readset[p] = repo.rev[p] if r.random() < .55 else repo.rev[p] - 1
        self.visited.setdefault(p, len(t))
        return before

    def do_edit(self):
        r, q = self.rng, self.q
        c = [p for p in self.readset if p in q["paths"]]
        if not c:
            self.visit(self.new_path())
            return
        p = q["main"] if q["main"] in self.readset and r.random() < .6 else self.pick(c[-4:])
        self.hooked = None
        if self.codex and r.random() < .05:
            p = self.pick(q["area"])
        self.edit_file(p)
        if self.hooked and r.random() < .75:
            self.around(p)
        if self.prof.get("habit") and self.i > self.cutat("habit"):
            self.w.shell("make fmt && ruff check " + p, "All checks passed!", desc="Format and lint the touched file")

    def do_write(self):
        r = self.rng
        self.newfiles += 1
        d = self.pick(TASK_DIRS[self.q["kind"]])
        ext = {"panel/": "ts", "spawn/": "go", "deploy/": "yaml", "halls/": "yaml", "docs/": "md", "migrations/": "sql"}.get(d, "py")
        p = "%s%s_%s%d.%s" % (d, self.pick(("probe", "crate", "tally", "ledger", "shift", "notch", "harvest", "spigot", "trellis", "gauge")), self.pick(("bay", "rack", "wing", "row", "pod", "deck")), self.newfiles, ext)
        body = [self.repo.line(ext, i) for i in range(1, 10 + r.randrange(30))]
        self.w.write(p, "\n".join(body))
        self.repo.text[p] = body
        self.repo.rev[p] = 0
        self.repo.add([p])
        if self.prof.get("morefiles"):
            self.order.insert(0, p)
            self.pool.add(p)
        self.visited[p] = len(body)
        self.readset[p] = 0
        self.seen.append((p, 0, len(body), 0))

    def testcmd(self):
        r, m = self.rng, self.q["main"]
        if r.random() < .28:
            return self.pick(("make test", "pytest -q", "npm test --silent", "go test ./...")), True
        stem = m.rsplit("/", 1)[-1].split(".")[0]
        if m.startswith("panel/"):
            return "npx vitest run panel/src/__tests__/%s.test.ts" % stem, False
        if m.endswith(".go"):
            return "go test ./spawn/ -run Test%s -count=1" % stem.title().replace("_", ""), False
        return "pytest -q tests/%s.py" % (stem if stem.startswith("test_") else "test_" + stem), False

    def test(self, red):
        r = self.rng
        cmd, vague = self.testcmd()
        if r.random() < .12:
            cmd += " 2>&1 | tail -30"
        self.L["tests"] += 1
        n = r.randrange(4, 60)
        tn = self.pick(("shelf", "fog", "dose", "ramp", "strain", "flush"))
        if red:
            self.L["testfail"] += 1
            if cmd.startswith("npx") or cmd.startswith("npm"):
                out = " FAIL  panel/src/__tests__/%s.test.ts > keeps %s\nAssertionError: expected %d to be %d\n\n Test Files  1 failed (1)\n      Tests  1 failed | %d passed (%d)" % (tn, tn, r.randrange(9), r.randrange(9, 20), n, n + 1)
            elif cmd.startswith("go"):
                out = "--- FAIL: Test%s (0.00s)\n    %s_test.go:%d: got %d, want %d\nFAIL\nFAIL\tkw.lan/hyphal/spawn\t0.41s\nFAIL" % (tn.title(), tn, r.randrange(20, 190), r.randrange(9), r.randrange(9, 20))
            else:
                out = "F%s\n=================================== FAILURES ===================================\n______________________ test_%s_%s ______________________\n\n>       assert %s_total == %d\nE       assert %d == %d\n\ntests/test_%s.py:%d: AssertionError\n=========================== short test summary info ============================\nFAILED tests/test_%s.py::test_%s_empty - assert %d == %d\n1 failed, %d passed in %.2fs" % (
                    "." * n, tn, self.pick(("empty", "night", "edge")), tn, n, n - 1, n, tn, r.randrange(10, 200), tn, tn, n - 1, n, n, r.random() * 6 + .4)
            self.w.shell(cmd, out, code=0 if "tail" in cmd else 1, desc="Run the tests", secs=6)
        else:
            if cmd.startswith("go"):
                out = "ok  \tkw.lan/hyphal/spawn\t%.3fs" % (r.random() * 3)
            elif cmd.startswith("np"):
                out = " Test Files  %d passed (%d)\n      Tests  %d passed (%d)" % (2, 2, n, n)
            else:
                out = "%s [100%%]\n%d passed in %.2fs" % ("." * n, n, r.random() * 6 + .3)
            self.w.shell(cmd, out, desc="Run the tests", secs=6)

    def do_test(self):
        self.test(self.rng.random() < .27)

    def do_red(self):
        self.test(self.rng.random() < .9)

    def do_lint(self):
        r, m = self.rng, self.q["main"]
        cmd = {"py": "ruff check %s" % m, "ts": "npx tsc --noEmit -p panel", "tsx": "npx eslint %s" % m, "go": "golangci-lint run ./spawn/...", "yaml": "yamllint %s" % m, "md": "npx markdownlint %s" % m, "sql": "sqlfluff lint %s" % m}[m.rsplit(".", 1)[-1]] if "." in m.rsplit("/", 1)[-1] and m.rsplit(".", 1)[-1] in ("py", "ts", "tsx", "go", "yaml", "md", "sql") else "make lint"
        if r.random() < .24:
            self.L["tests"] += 0
            out = {"r": "%s:%d:5: F841 Local variable `tray` is assigned to but never used\nFound 1 error." % (m, r.randrange(5, 90)), "n": "%s(%d,11): error TS2345: Argument of type 'Shelf | undefined' is not assignable to parameter of type 'Shelf'." % (m, r.randrange(5, 90)),
                   "g": "%s:%d:2: ineffectual assignment to err (ineffassign)\n1 issues" % (m, r.randrange(5, 90))}.get(cmd[0], "%s\n  %d:3  error  wrong indentation: expected 4 but found 2  (indentation)\n1 problem" % (m, r.randrange(5, 50)))
            self.w.shell(cmd, out, code=1, desc="Lint", secs=3)
        else:
            self.w.shell(cmd, self.pick(("All checks passed!", "", "0 issues.")), desc="Lint", secs=3)

    def sha(self):
        return "%07x" % self.rng.getrandbits(28)

    def do_git(self):
        r, m, q = self.rng, self.q["main"], self.q
        x = r.random()
        if x < .3:
            self.w.shell("git log --oneline -n 8 -- " + m, "\n".join("%s KW-%d %s" % (self.sha(), r.randrange(200, 900), self.pick(W.WANTS_EN)) for _ in range(6)), desc="History of the file")
        elif x < .5:
            t = self.repo.lines(m)
            k = r.randrange(len(t)) if t else 0
            self.w.shell("git diff -- " + m, "diff --git a/%s b/%s\n@@ -%d,3 +%d,3 @@\n-%s\n+%s" % (m, m, k + 1, k + 1, t[k] if t else "", self.repo.line(m.rsplit(".", 1)[-1], 4)), desc="Show the change")
        elif x < .65:
            self.w.shell("git status --short", " M %s\n?? tmp/" % m, desc="Status")
            self.L["vague"] += 1
        elif x < .85:
            self.w.shell("git add %s && git commit -q -m \"%s: %s\"" % (m, q["ticket"], q["want"]), "[%s %s] %s: %s\n 1 file changed, %d insertions(+), %d deletions(-)" % (self.w.branch, self.sha(), q["ticket"], q["want"], r.randrange(1, 30), r.randrange(12)), desc="Commit")
        else:
            s = self.sha()
            self.w.shell("git show --stat %s" % s, "commit %s\nAuthor: Jonne\n\n    KW-%d\n\n %s | %d +-" % (s, r.randrange(200, 900), m, r.randrange(2, 40)), desc="Show commit")
        if self.P["push"] > .2 and r.random() < self.P["push"] * .5:
            ps = r.sample([p for p in (list(self.readset) + q["area"]) if p in self.repo.text] or [m], 1)
            for p in ps:
                self.lastat[p] = self.repo.grow(p, 1 + r.randrange(3))
            self.w.shell("git pull --rebase", "From git.kw.lan:halls/hyphal\n   %s..%s  main -> origin/main\nUpdating %s..%s\nFast-forward\n%s" % (self.sha(), self.sha(), self.sha(), self.sha(), "\n".join(" %s | %d +-" % (p, r.randrange(2, 9)) for p in ps)), desc="Get the colleagues' changes", secs=3)

    def do_run(self):
        r, q = self.rng, self.q
        h = q["hall"]
        if r.random() < self.P["mcp"]:
            self.do_mcp()
            return
        cmd, out = self.pick((
            ("hyphalctl probe --hall %s" % h, "%s: %d sensors answered, worst rtt %d ms" % (h, r.randrange(6, 24), r.randrange(4, 90))),
            ("hyphalctl ramp --hall %s --dry-run" % h, "would change %d valves, est. %d s" % (r.randrange(2, 20), r.randrange(20, 300))),
            ("curl -s http://localhost:8099/api/halls/%s/state | jq .shelves" % h, "[\n  {\"shelf\": 1, \"rh\": 0.%d},\n  {\"shelf\": 2, \"rh\": 0.%d}\n]" % (r.randrange(80, 97), r.randrange(80, 97))),
            ("journalctl -u hyphal-%s -n 25 --no-pager" % h, self.log_paste(q)), ("systemctl status hyphal-%s --no-pager" % h, "Active: active (running) since Mon; %dh ago" % r.randrange(2, 90)),
            ("psql -c \"select count(*) from readings where hall='%s'\"" % h, " count \n-------\n %d\n(1 row)" % r.randrange(10 ** 5, 10 ** 6)),
            ("python -m flush.forecast --hall %s --weeks 3" % h, "week 1: %d kg\nweek 2: %d kg\nweek 3: %d kg" % (r.randrange(90, 300), r.randrange(90, 300), r.randrange(90, 300)))))
        self.w.shell(cmd, out, desc="Check " + h, secs=2)

    def do_look(self):
        self.do_run()

    def do_py(self):
        r = self.rng
        self.w.shell("python3 - <<'EOF'\nimport csv, statistics as st\nrows = [r for r in csv.DictReader(open('data/%s_%d.csv'))]\nprint(len(rows), st.mean(float(r['g']) for r in rows))\nEOF" % (self.q["hall"], r.randrange(10, 53)), "%d %.2f" % (r.randrange(300, 9000), r.random() * 900), desc="Summarise the csv", secs=2)

    def do_pkg(self):
        r = self.rng
        cmd, out = self.pick((("npm outdated --json | head -40", "{\n  \"vite\": {\"current\": \"7.1.%d\", \"latest\": \"7.2.%d\"}\n}" % (r.randrange(9), r.randrange(9))), ("uv lock --upgrade-package aiomqtt", "Resolved %d packages in %d ms" % (r.randrange(60, 140), r.randrange(90, 900))),
                              ("go list -m -u all | grep '\\['", "github.com/rs/zerolog v1.33.0 [v1.34.0]"), ("npm ls aiomqtt-web", "hyphal-panel\n`-- aiomqtt-web@2.%d.0" % r.randrange(9)), ("go mod tidy", "")))
        self.w.shell(cmd, out, desc="Dependencies", secs=4)

    def do_web(self):
        self.w.web("https://docs.%s.dev/%s/changelog" % (self.pick(("aiomqtt", "vite", "zerolog", "ruff")), self.pick(("2.3", "7.2", "stable"))), "List breaking changes", "# Changelog\n\n- Drops Python 3.9\n- `connect()` is keyword only\n- default keepalive 60 s\n")

    def do_mcp(self):
        r, q = self.rng, self.q
        s = r.random()
        if s < .4:
            self.w.mcp("sporeboard", "query_readings", {"hall": q["hall"], "window": {"hours": r.randrange(2, 72)}, "fields": ["rh", "co2"]}, "{\"rows\": %d, \"rh\": {\"mean\": 0.%d}, \"co2\": {\"mean\": %d}}" % (r.randrange(20, 900), r.randrange(80, 97), r.randrange(600, 800)))
        elif s < .75:
            self.w.mcp("kwtickets", "get_issue", {"id": q["ticket"]}, "{\"id\": \"%s\", \"title\": \"%s\", \"state\": \"open\", \"prio\": %d}" % (q["ticket"], q["want"], r.randrange(1, 5)))
        else:
            self.w.mcp("sporeboard", "list_alarms", {"hall": q["hall"], "state": "open"}, "{\"alarms\": [{\"shelf\": %d, \"since_min\": %d}]}" % (r.randrange(1, 12), r.randrange(1, 200)))

    def do_plan(self):
        items = self.rng.sample(["Read the code around it", "Write the change", "Extend the tests", "Run the checks", "Update the docs"], 3)
        self.w.plan(items, self.rng.randrange(3))
        self.L["vague"] += 1

    def do_vague(self):
        r = self.rng
        self.L["vague"] += 1
        big = self.P["ctx"] > 1.05
        k = 6 + int((self.P["ctx"] - 1) * 60 * r.random()) if big else 6
        x = r.random()
        if x < .15 and not self.codex:
            self.do_plan()
            self.L["vague"] -= 1
            return
        cmd = self.pick(("git status", "git diff --stat", "ls -la", "git log --oneline -10", "make test", "pwd && ls", "git branch -vv", "make lint", "env | sort | head -40", "df -h", "git stash list", "ps aux | grep python"))
        out = "\n".join("%s %s %s" % (self.pick(("drwxr-xr-x", "-rw-r--r--", "M ", "ok")), self.pick(("ctl", "flush", "panel", "spawn", "docs", "deploy", "tests")), self.pick(W.WANTS_EN)) for _ in range(k))
        self.w.shell(cmd, out, desc="Look around", secs=1)

    def do_sub(self):
        r, w, q, L = self.rng, self.w, self.q, self.L
        keep = self.seen, self.visited, self.readset
        self.seen, self.visited, self.readset = [], {}, {}

        def inner():
            for _ in range(r.randrange(4, 11)):
                self.act(self.pick(("read", "read", "read", "search", "search", "glob")))
        try:
            w.sub("Explore " + q["want"], "Explore how %s is done around %s in this repository. Report files, call sites and tests. Do not change anything." % (q["want"], q["main"]), inner,
                  "## Findings\n\n- %s is handled in `%s`\n- callers: `%s`\n- tests exist but do not cover the empty hall\n" % (q["want"], q["main"], q["area"][0]))
        finally:
            self.seen, self.visited, self.readset = keep

    # ------------------------------------------------------------ values
    def show(self, s):
        """A tool result that shows the present value of a slot."""
        r = self.rng
        v, k = s.values[-1], s.key
        noise = [("uptime_h", r.randrange(3, 99)), ("shelves", r.randrange(6, 30)), ("mode", self.pick(("auto", "hold", "manual"))), ("owner", self.pick(("ctl", "ops", "lab")))]
        r.shuffle(noise)
        hall = s.hall or self.q["hall"]
        x = r.random()
        if x < .25:
            body = dict(noise[:2])
            leaf = {s.nest[-1] if s.nest[-1] != "port" and len(s.nest[-1]) > 4 else k: v}
            body[s.nest[0] if not s.hall else hall] = {k: v}
            import json
            self.w.shell("hyphalctl status%s -o json" % (" --hall " + hall if s.hall else ""), json.dumps(body, indent=2), desc="Current state")
        elif x < .45:
            self.w.shell("hyphalctl describe %s -o yaml" % (hall if s.hall else "stage"), "%s:\n  %s: %s\n  %s: %s\n  %s: %s" % (hall if s.hall else "stage", noise[0][0], noise[0][1], k, v, noise[1][0], noise[1][1]), desc="Describe")
        elif x < .65:
            if s.hall:
                self.w.shell("hyphalctl get halls", "HALL      %-14s MODE\n%-9s %-14s auto" % (k.upper(), hall, v), desc="Table of halls")
            else:
                self.w.shell("hyphalctl get settings", "NAME             VALUE\n%-16s %s\n%-16s %s\n%-16s %s" % (noise[0][0], noise[0][1], k, v, noise[1][0], noise[1][1]), desc="Table of settings")
        elif x < .82:
            self.w.shell("tail -n 6 /var/log/hyphal/agent.log", "06:12:%02d INFO agent poll ok\n06:12:%02d INFO config reload %s%s=%s\n06:13:01 INFO agent idle" % (r.randrange(10, 30), r.randrange(30, 59), "hall=%s " % hall if s.hall else "", k, v), desc="Agent log")
        else:
            import json
            self.w.mcp("sporeboard", "get_state", {"scope": hall if s.hall else "stage"}, json.dumps({"scope": hall if s.hall else "stage", "state": {k: v, noise[0][0]: noise[0][1]}}))
        s.known = len(s.values) - 1

    def do_use(self):
        r, P, L = self.rng, self.P, self.L
        c = [s for s in self.active if s.known >= 0]
        if not c:
            c = [s for s in self.slots if s.known >= 0]
            if not c:
                self.do_run()
                return
        c2 = [s for s in c if s.known >= 1]
        s = self.pick(c2) if c2 and r.random() < .85 else self.pick(c)
        v = s.values[s.known]
        if s.known >= 1:
            L["uses"] += 1
            if r.random() < P["stale"] / (1 - .3 * P["stale"]):
                L["stale"] += 1
                old = s.values[s.known - 1] if r.random() < .8 or s.known < 2 else s.values[r.randrange(s.known)]
                self.use(s, old)
                if r.random() < .3:
                    self.w.say(self.pick(("That was the previous one, again with the current value.", "Correcting the value.", "Once more with the right setting.")))
                    L["uses"] += 1
                    self.use(s, v)
                return
        self.use(s, v)

    def use(self, s, v):
        r, w, q = self.rng, self.w, self.q
        forms = self.prof.get("forms") or ("opt", "opt", "env", "edit", "nest", "nest", "script", "env")
        form = self.pick(forms)
        opt, env = "--" + s.key.replace("_", "-"), s.key.upper()
        hall = s.hall
        hopt = " --hall %s" % (hall or q["hall"])
        if form == "opt":
            cmd = self.pick(("hyphalctl apply%s %s %s --dry-run" % (hopt, opt, v), "python -m ctl.selftest%s %s=%s" % (hopt, opt, v), "hyphalctl ramp%s %s %s" % (hopt, opt, v), "./scripts/roll.sh%s %s \"%s\" --wait" % (hopt, opt, v)))
            w.shell(cmd, self.pick(("ok", "plan: 3 changes, 0 conflicts", "done in %.1fs" % (r.random() * 9), "checked %d shelves" % r.randrange(6, 30))), desc="Apply", secs=2)
        elif form == "env":
            pre = "%s%s=%s" % ("HALL=%s " % hall if hall else "", env, v if not v.startswith("#") else "'%s'" % v)
            cmd = self.pick(("%s pytest -q tests/test_setpoints.py" % pre, "%s make smoke" % pre, "export %s && ./scripts/probe.sh" % pre, "docker compose run -e %s ctl python -m ctl.selftest" % pre.split(" ")[-1] if not hall else "%s make smoke" % pre))
            w.shell(cmd, self.pick(("smoke ok (%d checks)" % r.randrange(5, 40), "%d passed in %.2fs" % (r.randrange(4, 40), r.random() * 5), "probe ok")), desc="Run with the setting", secs=3)
        elif form == "edit":
            p = "halls/%s/climate.yaml" % hall if hall else self.pick(("deploy/stage-1.yaml", "deploy/broker.yaml", "deploy/gateway.yaml", "deploy/compose.dev.yaml"))
            if p not in self.readset:
                self.take(p)
            t = self.repo.lines(p)
            at = next((k for k, x in enumerate(t) if x.strip().startswith(s.key + ":")), None)
            if at is None:
                at = min(len(t) - 1, 3 + int(r.random() * 6))
                old, new = t[at], [t[at], "  %s: %s" % (s.key, v)]
            else:
                if t[at].strip() == "%s: %s" % (s.key, v):
                    self.use_mcp(s, v)
                    return
                old, new = t[at], ["  %s: %s" % (s.key, v)]
            w.edit(p, old, "\n".join(new), t, at)
            t[at:at + 1] = new
            self.repo.rev[p] += 1
            self.lastat[p] = at
            self.readset[p] = self.repo.rev[p]
            if v != s.values[s.known]:  # somebody repairs the line later
                j = t.index("  %s: %s" % (s.key, v))
                t[j] = "  %s: %s" % (s.key, s.values[s.known])
                self.repo.rev[p] += 1
            self.cfg.setdefault(s.name, set()).add(p)
        elif form == "script":
            self.newfiles += 1
            w.write("scripts/once_%d.sh" % self.newfiles, "#!/usr/bin/env bash\nset -euo pipefail\n%sexport %s=\"%s\"\npython -m ctl.selftest --wait\n" % ("HALL=%s\n" % hall if hall else "", env, v))
        else:
            self.use_mcp(s, v)

    def use_mcp(self, s, v):
        r, w = self.rng, self.w
        val = int(v) if v.isdigit() and r.random() < .5 else v
        if s.hall:
            args = {"hall": s.hall, "limits": {s.key: val}, "dry_run": True}
        elif r.random() < .5:
            args = {"target": {"env": "stage", "settings": {s.key: val}}, "reason": self.q["ticket"]}
        else:
            args = {"settings": [{"name": s.key, "value": val}], "hall": self.q["hall"]}
        w.mcp("sporeboard", self.pick(("set_setpoint", "apply_settings")) if s.hall else "apply_settings", args, "{\"accepted\": true, \"revision\": %d}" % r.randrange(100, 999))

    # ------------------------------------------------------------ failures
    def netfail(self):
        r = self.rng
        self.L["net"] += 1
        cmd, code, out = self.pick((
            ("git fetch origin", 128, "fatal: unable to access 'https://git.kw.lan/halls/hyphal.git/': Could not resolve host: git.kw.lan"), ("curl -sS http://localhost:8099/api/state", 28, "curl: (28) Operation timed out after 10001 milliseconds with 0 bytes received"),
            ("npm ci --silent", 1, "npm error code ETIMEDOUT\nnpm error network request to https://registry.npmjs.org/vite failed, reason: connect ETIMEDOUT 104.16.4.34:443"), ("uv sync", 1, "error: Failed to fetch: `https://pypi.org/simple/aiomqtt/`\n  Caused by: operation timed out"),
            ("ssh stage uptime", 255, "ssh: connect to host stage port 22: Connection timed out"), ("hyphalctl probe --hall %s" % self.q["hall"], 1, "dial tcp 10.8.0.14:1883: i/o timeout")))
        self.w.shell(cmd, out, code=code, desc="Network", secs=10)

    def bad(self, p):
        """A path that does not exist, close to a real one."""
        r = self.rng
        d, b = p.rsplit("/", 1)
        x = r.random()
        q = "%s/%s" % (d.split("/")[0] + "/lib", b) if x < .35 else "%s/_%s" % (d, b) if x < .6 else "src/" + p if x < .8 else "%s/%s" % (d, b.replace(".", "_impl.", 1))
        return q

    def fail(self, a):
        """An own mistake at the action a."""
        r, w, q = self.rng, self.w, self.q
        codex = self.codex
        if r.random() < .08:  # a mistake that shows only in the text
            w.shell("cat %s 2>&1 | head -40" % self.bad(q["main"]), "cat: %s: No such file or directory" % self.bad(q["main"]), desc="Show")
            return
        if a == "read":
            p = self.bad(self.pick(q["area"]))
            if codex or r.random() < self.P["shellread"]:
                w.shell("sed -n '1,120p' " + p, "sed: can't read %s: No such file or directory" % p, code=2 if not codex else 1)
            elif r.random() < .75:
                w.call("Read", {"file_path": w.p(p)}, "<tool_use_error>File does not exist.%s</tool_use_error>" % (" Did you mean %s?" % q["main"].rsplit("/", 1)[-1] if r.random() < .4 else ""), err=True, secs=.1)
            elif r.random() < .5:
                w.call("Read", {"file_path": w.p(p.rsplit("/", 1)[0])}, "EISDIR: illegal operation on a directory, read", err=True, secs=.1)
            else:
                w.call("Read", {"path": w.p(p)}, "<tool_use_error>InputValidationError: Read failed due to the following issues:\nThe required parameter `file_path` is missing\nAn unexpected parameter `path` was provided</tool_use_error>", err=True, secs=.1)
        elif a in ("edit", "write"):
            p = self.pick(list(self.readset)) if self.readset else q["main"]
            t = self.repo.lines(p)
            ghost = self.repo.line(p.rsplit(".", 1)[-1], 4) + "  # " + self.pick(("step", "guard", "hall"))
            if codex:
                w.patch_fail(p, ghost)
            else:
                x = r.random()
                if x < .55:
                    w.call("Edit", {"file_path": w.p(p), "old_string": ghost, "new_string": ghost + " x", "replace_all": False}, "<tool_use_error>String to replace not found in file.\nString: %s</tool_use_error>" % ghost, err=True, secs=.1)
                elif x < .75:
                    w.call("Edit", {"file_path": w.p(p), "old_string": "return", "new_string": "return  ", "replace_all": False}, "<tool_use_error>Found %d matches of the string to replace, but replace_all is false. To replace all occurrences, set replace_all to true. To replace only one occurrence, please provide more context to uniquely identify the instance.\nString: return</tool_use_error>" % r.randrange(2, 9), err=True, secs=.1)
                elif x < .92:
                    c = [z for z in q["paths"] if z not in self.visited] or [p]
                    w.call("Edit", {"file_path": w.p(self.pick(c)), "old_string": "on", "new_string": "off", "replace_all": False}, "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>", err=True, secs=.1)
                else:
                    w.call("Edit", {"file_path": w.p(p), "old_string": ghost, "new_string": ghost, "replace_all": False}, "<tool_use_error>No changes to make: old_string and new_string are exactly the same.</tool_use_error>", err=True, secs=.1)
        elif a in ("search", "glob") and not codex and not w.renamed:
            if r.random() < .7:
                p = self.bad(q["main"]).rsplit("/", 1)[0] + "/" + self.pick(("core", "utils", "impl"))
                w.call("Grep", {"pattern": "hall_" + self.pick(("id", "state")), "path": w.p(p)}, "<tool_use_error>Path does not exist: %s</tool_use_error>" % w.p(p), err=True, secs=.1)
            else:
                w.call("Grep", {"pattern": "shelf(", "path": w.p("ctl")}, "rg: regex parse error:\n    (?:shelf()\n    ^\nerror: unclosed group", err=True, secs=.1)
        elif a in ("mcp",) or (a == "use" and r.random() < .3):
            w.mcp("sporeboard", "query_readings", {"hal": q["hall"], "window": 24}, "MCP error -32602: Invalid params: unknown field `hal`, expected `hall`", err=True)
        elif a in ("search", "glob"):
            p = self.bad(q["main"])
            if r.random() < .6:
                w.shell("rg -n \"hall_state\" %s" % p, "rg: %s: No such file or directory (os error 2)" % p, code=2)
            else:
                w.shell("rg -n \"shelf(\" ctl", "rg: regex parse error:\n    (?:shelf()\n          ^\nerror: unclosed group", code=2)
        elif a in ("test", "red", "lint"):
            p = self.bad("tests/test_%s.py" % self.pick(("fog", "dose", "ramp")))
            w.shell(*self.pick((("pytest -q " + p, "ERROR: file or directory not found: %s\n\nno tests ran in 0.01s" % p, 4), ("pytest --fast-only " + q["main"], "ERROR: usage: pytest [options] [file_or_dir] [file_or_dir] [...]\npytest: error: unrecognized arguments: --fast-only", 4), ("npm run check:halls", "npm error Missing script: \"check:halls\"", 1), ("ruff chek " + q["main"], "error: unrecognized subcommand 'chek'\n\n  tip: a similar subcommand exists: 'check'", 2))))
        elif a == "git":
            w.shell(*self.pick((("git add " + self.bad(q["main"]), "fatal: pathspec '%s' did not match any files" % self.bad(q["main"]), 128), ("git checkout kw-%d" % r.randrange(100, 900), "error: pathspec 'kw-311' did not match any file(s) known to git", 1), ("git show %s" % self.sha(), "fatal: ambiguous argument: unknown revision or path not in the working tree.", 128), ("git log --onelin -5 " + q["main"], "fatal: unrecognized argument: --onelin", 128))))
        else:
            w.shell(*self.pick((
                ("hyphalctl stat --hal " + q["hall"], "error: unknown flag: --hal\nUsage: hyphalctl status [flags]", 1), ("hyphalclt probe --hall " + q["hall"], "/bin/bash: line 1: hyphalclt: command not found", 127), ("python -m ctl.selftests --hall " + q["hall"], "/usr/bin/python: No module named ctl.selftests", 1),
                ("python3 -c \"import ctl.hallstate as h; print(h.load_hall('%s').shelf)\"" % q["hall"], "Traceback (most recent call last):\n  File \"<string>\", line 1, in <module>\nAttributeError: module 'ctl.hallstate' has no attribute 'load_hall'", 1),
                ("for s in 1 2 3; do echo \"shelf $s; done", "/bin/bash: eval: line 1: unexpected EOF while looking for matching `\"'", 2), ("jq '.halls[' data/%s.json" % q["hall"], "jq: error: syntax error, unexpected end of file (Unix shell quoting issues?) at <top-level>", 3),
                ("psql -c \"select shelf_no from reading where hall='%s'\"" % q["hall"], "ERROR:  relation \"reading\" does not exist\nLINE 1: select shelf_no from reading", 1), ("cd deploy/ansible && ls", "/bin/bash: line 0: cd: deploy/ansible: No such file or directory", 1))))


def time_wday(x):
    import time
    return time.gmtime(x).tm_wday
