"""Blind set 13: writes whole lives of agents with planned rates. KINDS, write_agent(kind, seed, sessions, folder)."""
import datetime as dt, math, os, random, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import t13_talk as talk, t13_world as world
from t13_clients import Claude, Codex


def _k(f, e, m, t):
    return {"format": f, "expects": e, "mechanism": m, "truth": t}


C, X, H, A, S = "claude", "codex", "healthy", "aging", "step"
KINDS = {
 "calm": _k(C, H, None, "Nothing changes over the life."),
 "calm_other": _k(X, H, None, "Nothing changes over the life; the client is Codex."),
 "tasks_gradual": _k(X, H, None, "The kinds of task move slowly from fixes and features to operations and data."),
 "tasks_sudden": _k(C, H, None, "From the middle on the work is mostly data and operations where it was code before."),
 "files_grow": _k(X, H, None, "The files of the repository become about four times as long."),
 "repo_grows": _k(C, H, None, "The repository gains several files before every session."),
 "subagents": _k(C, H, None, "Searching moves more and more into subagents."),
 "mcp_adopted": _k(X, H, None, "MCP tools replace more and more of the shell."),
 "new_model": _k(X, H, None, "From the middle on another model is used, with the same rates."),
 "upgrades": _k(X, H, None, "The client is upgraded several times without effect."),
 "tools_swapped": _k(C, H, None, "A client upgrade removes Grep, Glob and TodoWrite and brings TaskCreate; the shell does the searching."),
 "terse_users": _k(X, H, None, "The users write shorter and shorter requests."),
 "seasons": _k(C, H, None, "The mix of tasks swings back and forth."),
 "holidays": _k(X, H, None, "Two long breaks, otherwise nothing changes."),
 "marathon": _k(C, H, None, "One session is very long, otherwise nothing changes."),
 "tdd": _k(X, H, None, "More and more tests fail because they are written first; the agent's own errors stay level."),
 "plans": _k(C, H, None, "More and more sessions begin with /clear and a large pasted plan."),
 "new_user": _k(C, H, None, "From the middle on another, wordy user sends most of the requests."),
 "language": _k(X, H, None, "From the middle on everybody writes German."),
 "rules_edited": _k(C, H, None, "In the middle CLAUDE.md gets new rules; the habits change harmlessly."),
 "rereads": _k(C, A, "compression", "Re-reads of unchanged content rise from 10 to 30 % of reads."),
 "mixups": _k(C, A, "interference", "Look-alike files opened first rise from 3 to 18 % of first visits, while .2 of the calls drift from file tools to the shell."),
 "old_told": _k(C, A, "revision", "Uses of outdated values that users had replaced rise from 4 to 28 %."),
 "old_shown": _k(X, A, "revision", "Uses of outdated values that tools had shown replaced rise from 4 to 28 %."),
 "errors_cc": _k(C, A, "reliability", "Own errors rise from 5 to 17 % of calls."),
 "errors_cx": _k(X, A, "reliability", "Own errors rise from 5 to 17 % of calls; the client is Codex."),
 "after_compact": _k(C, A, "maintenance", "In the session after each of four compactions errors are 12 points higher and calls per request 1.5 times as many."),
 "step_silent": _k(C, S, "reliability", "From one session on errors are 12 points and re-reads 15 points higher, with nothing recorded."),
 "step_version": _k(X, S, "maintenance", "From one session on, together with a new client version, errors are 12 points and re-reads 15 points higher."),
}
BASE = {"err": .045, "rr": .10, "look": .03, "told": .03, "shown": .03, "ask": .03, "corr": .04, "int": .01}
RISE = {"rereads": ("rr", .10, .30), "mixups": ("look", .03, .18), "old_told": ("told", .04, .28), "old_shown": ("shown", .04, .28), "errors_cc": ("err", .05, .17), "errors_cx": ("err", .05, .17)}
COUNTS = ["calls", "errors", "reads", "rereads", "visits", "looks", "uses", "stale", "requests", "asks", "corrections", "interrupts"]
EXTRA = ["uses_told", "stale_told", "uses_shown", "stale_shown", "failing_tests", "side_calls", "mcp_calls", "shell_calls"]
MIX = {"fix": 4, "feature": 3, "review": 2, "ops": 2, "docs": 1.5, "data": 1.5, "tests": 2, "deps": 1}
CODE = {"fix": 6, "feature": 6, "review": 3, "ops": .5, "docs": .7, "data": .4, "tests": 2.5, "deps": .5}
OPSY = {"fix": 1, "feature": .7, "review": .7, "ops": 5, "docs": 2, "data": 5, "tests": .7, "deps": 1.2}
HABIT = {"fix": {"read": 5, "grep": 3, "edit": 3, "test": 2, "bash": 1, "todo": .4}, "feature": {"read": 4, "edit": 4, "write": 1, "grep": 2, "test": 1.5, "todo": .8},
         "review": {"read": 7, "grep": 3, "bash": 3}, "ops": {"bash": 6, "mcp": 1.2, "read": 2, "grep": .8, "edit": .5}, "docs": {"read": 4, "edit": 3, "write": 1, "glob": 1, "grep": 1},
         "data": {"sql": 5, "mcp": 1.2, "read": 2, "write": .7}, "tests": {"read": 3, "edit": 3, "test": 4, "write": .8, "grep": 1}, "deps": {"bash": 4, "web": 1, "edit": 1.5, "read": 2.5, "test": 1.5}}
OUT = ["ok", "done in 2.4 s\n0 warnings", "checked 14 items, all fine", "status: healthy\nlag: 0", "3 rows affected", "nothing to do"]
SHELL = [("git status --short", " M api/fares.py\n?? tmp/"), ("git log --oneline -6", None), ("git diff --stat", None), ("docker compose ps", "NAME      STATUS       PORTS\napi       Up 3 hours   8000/tcp\nworker    Up 3 hours"),
         ("df -h /srv", "Filesystem  Size  Used Avail Use% Mounted on\n/dev/sdb1   200G  131G   69G  66% /srv"), ("make lint", "ruff check api tests\nAll checks passed!"), ("kubectl get pods -n tideline", None),
         ("journalctl -u tideline-worker -n 20", None), ("ls -la ops", "total 24\n-rwxr-xr-x 1 dev dev 811 backfill.sh\n-rwxr-xr-x 1 dev dev 402 smoke.sh"), ("npm outdated", None), ("go vet ./pricing/...", ""), ("du -sh tmp/*", "4.0K\ttmp/sync.env")]
SWAP = {"tools_swapped"}


class Ctx:
    def __init__(self):
        self.known, self.visited, self.mine = {}, {}, {}


class Life:
    def __init__(self, kind, seed, n):
        self.kind, self.n, self.fmt = kind, n, KINDS[kind]["format"]
        self.rng = random.Random(f"t13|{kind}|{seed}|{n}")
        r = self.rng
        ps, self.twin = world.paths()
        self.files = {p: world.content(r, p) for p in ps}
        self.ver = {p: 0 for p in ps}
        self.set = world.settings(r)
        self.rules = "CLAUDE.md" if self.fmt == C else "AGENTS.md"
        self.files[self.rules] = ["# tideline", "", "- run `make test` before you say you are done", "- keep diffs small", "- never touch db/migrations that were released"]
        self.ver[self.rules] = 0
        self.special = {self.rules: 1}
        for s in self.set:
            if s["where"] and s["where"][0] == "file":
                self.special[s["where"][1]] = 1
                self.ver[s["where"][1]] = 0
                self.files[s["where"][1]] = []
        self.step_at, self.events = None, []
        self.mid = max(2, min(n - 3, round(n * r.uniform(.45, .55))))
        if KINDS[kind]["expects"] == S:
            self.step_at = max(3, min(n - 4, round(n * r.uniform(.4, .6))))
        self.compactions = [round((n - 2) * f) for f in (.18, .41, .64, .87)] if kind == "after_compact" else []
        self.long = round(n * r.uniform(.4, .7)) if kind == "marathon" else -1
        v = [f"2.1.{k}" for k in sorted(r.sample(range(20, 90), 6))] if self.fmt == C else [f"0.{k}.0" for k in sorted(r.sample(range(90, 144), 6))]
        self.versions, self.bumps = v, sorted(r.sample(range(2, n), 5)) if kind == "upgrades" else []
        # AR(1) factors
        self.fac = {}
        for k in BASE:
            z, out = r.gauss(0, 1), []
            for _ in range(n):
                out.append(math.exp(.25 * z - .25 ** 2 / 2))
                z = .3 * z + math.sqrt(1 - .09) * r.gauss(0, 1)
            self.fac[k] = out
        # when settings appear and change
        self.change = [[] for _ in range(n)]
        for s in self.set:
            at = r.uniform(0, max(1, n * .06))
            gap = r.uniform(.05, .14) * n
            while at < n:
                self.change[int(at)].append(s)
                at = max(int(at) + 1, at + gap)
                gap = max(1.5, r.uniform(.13, .27) * n)

    def x(self, i):
        return i / max(1, self.n - 1)

    def rates(self, i):
        p = dict(BASE)
        if self.kind in RISE:
            k, a, b = RISE[self.kind]
            p[k] = a + (b - a) * self.x(i)
        if self.step_at is not None and i >= self.step_at or i - 1 in self.compactions:
            p["err"] += .12
        if self.step_at is not None and i >= self.step_at:
            p["rr"] += .15
        return {k: min(.6, v * self.fac[k][i]) for k, v in p.items()}

    def mix(self, i):
        x = self.x(i)
        w = {"tasks_gradual": x, "tasks_sudden": float(i >= self.mid), "seasons": .5 + .5 * math.sin(2 * math.pi * x * max(2, self.n / 10))}.get(self.kind)
        m = MIX if w is None else {k: CODE[k] * (1 - w) / 19.6 + OPSY[k] * w / 16.3 for k in MIX}
        return {**m, "tests": m["tests"] * 2.5} if self.kind == "tdd" else m

    # ------------------------------------------------------------ one session
    def session(self, i, start):
        r, k = self.rng, self.kind
        late = i >= self.mid
        v = self.versions[sum(b <= i for b in self.bumps)] if k == "upgrades" else self.versions[int(late)] if k in SWAP else self.versions[int(i >= self.step_at)] if k == "step_version" else self.versions[2]
        model = ("claude-sonnet-4-5-20250929" if self.fmt == C else "gpt-5.3-codex") if not (k == "new_model" and late) else "gpt-5.5"
        self.c = c = (Claude if self.fmt == C else Codex)(r, start, v, model, r.choice(["main", "main", f"hl-{r.randint(200, 4800)}-{r.choice(world.NOUNS)}"]))
        self.p, self.i, self.lab = self.rates(i), i, {x: 0 for x in COUNTS + EXTRA}
        self.main = self.ctx = Ctx()
        self.side, self.debt, self.last_stale, self.shown_now, self.late = False, 0, None, {}, late
        self.german = k == "language" and late
        total = min(62, max(20, math.exp(r.gauss(math.log(36), .33))))
        nreq = min(9, max(2, round(r.gauss(total / 7.5, 1.2))))
        if self.compactions:
            total = min(46, total)
            nreq = min(9, max(3, round(total / 7.2 + r.uniform(-.6, .6))))
        if i == self.long:
            total, nreq = 260, 17
        if i - 1 in self.compactions:
            total = total * 1.5
        if k == "repo_grows":
            self.new_files(max(2, round(150 / self.n)))
        if k == "files_grow":
            for p in r.sample([p for p in self.files if p not in self.special], 40):
                for _ in range(max(1, round(r.gauss(50 / self.n, .6)))):
                    self.insert_block(p)
                self.ver[p] += 1
        todo = [(s, r.randrange(nreq)) for s in self.change[i]]
        shares = [r.uniform(.5, 1.5) for _ in range(nreq)]
        prefix, done, end_at = "", 0, 0
        if self.fmt == C and r.random() < .15:
            c.slash(*r.choice([("model", "Set model to Default (claude-sonnet-4-5)"), ("status", "(no content)"), ("cost", "Total cost: $0.55"), ("clear", "")]))
        auto = r.randrange(nreq) if not self.compactions and nreq > 2 and r.random() < (.03 if i != self.long else 1) else -1
        for q in range(nreq):
            end_at += total * shares[q] / sum(shares)
            who = r.choices(["dov", "ingrid", "thorsten", "amara"], [4, 3, 2, 12] if k == "new_user" and late else [4, 3, 3, 0])[0]
            task = r.choices(list(MIX), [self.mix(i)[t] for t in MIX])[0]
            self.focus = self.pick(task)
            f = self.focus[0]
            ger = self.german
            corr = q > 0 and r.random() < self.p["corr"] * nreq / (nreq - 1)
            plan = q == 0 and k == "plans" and r.random() < .05 + .85 * self.x(i)
            if corr:
                text = talk.correction(r, who, ger, self.last_stale if r.random() < .6 else None)
                self.lab["corrections"] += 1
            elif plan:
                c.slash("clear", "")
                fs = r.sample([p for p in self.files if p[:3] in ("api", "pri")], 2)
                text = talk.PLAN.format(v=r.choice(world.VERBS), n=r.choice(world.NOUNS), m=r.choice(world.NOUNS), k=r.choice(world.NOUNS), f=f, g=fs[0], h="tests/test_fares.py",
                                        more="\n".join(f"- {r.choice(world.VERBS)} {r.choice(world.NOUNS)} in `{r.choice(fs)}`, {r.randint(2, 60)} lines at most" for _ in range(r.randint(4, 30))))
            else:
                text = talk.request(r, who, task, f, .15 + .8 * self.x(i) if k == "terse_users" else 0, ger)
            told = [s for s, a in todo if a == q and s["kind"] == "told"]
            rules = k == "rules_edited" and i == self.mid and q == 0
            if rules:
                text, corr = f"Please put into {self.rules}: lint before every test run, keep a list of steps, answer in short sentences.", False
            if told:
                vals = [self.advance(s) for s in told]
                parts = [talk.tell(r, who, list(zip(told, vals)), ger), text]
                text = "\n\n".join(parts if r.random() < .4 else parts[::-1]) if "\n" in parts[0] else " ".join(parts[::-1])
            c.user(prefix + text)
            prefix, self.last_stale = "", None
            self.lab["requests"] += 1
            c.tick(1, 4)
            if r.random() < .5:
                c.think(self.fill(talk.THINK))
            if r.random() < .7:
                c.say(r.choice(talk.SAYDE if who == "thorsten" or ger else talk.SAY))
            if rules:
                self.edit_rules()
            for s in [s for s, a in todo if a == q and s["kind"] == "shown"]:
                self.show(s)
            if q == auto:
                c.compact("1. Primary request: " + text[:300] + f"\n2. Files: {', '.join(list(self.main.known and dict.fromkeys(a for a, _ in self.main.known)))}\n3. Pending: go on with the change in {f}.")
                self.ctx = self.main = Ctx()
            stop = r.random() < self.p["int"]
            lim = min(end_at, c.calls + r.randint(1, 4)) if stop else end_at
            if q == nreq - 1:
                lim = max(lim, 15)
            asked = r.random() < self.p["ask"]
            ask_text = False
            if asked:
                s = r.choice([s for s in self.set if s["kind"] == "told" and s["hist"]] or [None])
                if s and self.fmt == C and (q == nreq - 1 or stop or r.random() < .5):
                    c.question(talk.ask(r, s, ger), s["hist"][-1])
                    self.lab["asks"] += 1
                elif s and q < nreq - 1 and not stop:
                    ask_text = True
                    prefix = (f"Immer noch {s['hist'][-1]}, das hatte ich gesagt. " if who == "thorsten" or ger else r.choice([f"still {s['hist'][-1]}, i told you. ", f"{s['hist'][-1]}, as before. "]))
                    self.lab["asks"] += 1
            first = True
            while c.calls < lim and c.calls < 73 + 190 * (i == self.long) or first:
                first = False
                self.step(task)
            if stop:
                c.interrupt()
                self.lab["interrupts"] += 1
            else:
                c.say(talk.ask(r, s, ger or who == "thorsten") if ask_text else self.fill(talk.DONEDE if who == "thorsten" or ger else talk.DONE), True)
            c.tick(20, 700)
        if i in self.compactions:
            c.slash("compact", "Compacted (ctrl+o to see full summary)")
            c.compact(f"1. Primary request: {text[:300]}\n2. Touched: {', '.join(dict.fromkeys(a for a, _ in self.main.known))}\n3. State: all requests answered, nothing pending.", "manual")
        self.lab["calls"] = c.calls

    def fill(self, bank):
        r = self.rng
        return r.choice(bank).format(f=self.focus[0], n=r.choice(world.NOUNS), m=r.choice(world.NOUNS))

    def advance(self, s):
        s["i"] += 1
        s["hist"].append(s["vals"][s["i"]])
        return s["hist"][-1]

    def insert_block(self, p):
        e, L = world.ext_of(p), self.files[p]
        b = world.block(self.rng, e, self.rng.randint(20, 900))
        if e == "json":
            L[2:2] = b
        else:
            L.extend(b)

    def new_files(self, n):
        r = self.rng
        for _ in range(n):
            d, e = r.choice([("api/ext", "py"), ("web/src/views", "tsx"), ("pricing/zones", "go"), ("docs/how", "md")])
            p = f"{d}/{r.choice(world.NOUNS)}_{r.choice(world.VERBS)}{r.randint(1, 99)}.{e}"
            if p not in self.files:
                self.files[p], self.ver[p] = world.content(r, p, r.randint(3, 9)), 0

    def pick(self, task):
        ends = {"docs": (".md",), "data": (".sql", ".py"), "deps": (".json", ".toml", ".mod", "file"), "ops": (".sh", ".md", ".py")}.get(task, (".py", ".go", ".ts", ".tsx"))
        c = [p for p in self.files if p.endswith(ends) and p not in self.special]
        return self.rng.sample(c, min(6, len(c)))

    # ------------------------------------------------------------ calls
    def err(self, tool):
        """Each call is an own error with the planned probability."""
        r, c = self.rng, self.c
        while r.random() < self.p["err"]:
            self.lab["errors"] += 1
            sub = {"side": True} if self.side else {}
            if tool == "read" and r.random() < .8 and not self.via_shell():
                p = r.choice(self.focus)
                d, b = p.rsplit("/", 1) if "/" in p else ("src", p)
                st, _, e = b.partition(".")
                c.read_err(r.choice([f"{d}/{st}s.{e}", f"src/{d}/{b}", f"{d}/core/{b}", f"{d}/{st}_service.{e}", b if d else "x/" + b]), **sub)
            elif tool == "edit" and r.random() < .85 and self.editable():
                p = r.choice(self.editable())
                at, old = self.snippet(p)
                c.edit_err(p, old.replace("=", "= ", 1).replace("  ", "    ", 1) + " " if r.random() < .5 else old.replace("(", "((", 1) + ";", old + "  # changed")
            elif tool == "mcp" and r.random() < .6:
                n = r.choice(world.NOUNS)
                c.mcp("sql__run_query", {"query": f"select {n}_sum from ticket"}, f"Error: column \"{n}_sum\" does not exist", True)
                self.lab["mcp_calls"] += 1
            else:
                n = r.choice(world.NOUNS)
                cmd, out, code = r.choice([
                    (f"pytest tests/test_{r.choice(world.STEMS_PY)}.py --only {n}", f"ERROR: usage: pytest [options] [file_or_dir] [file_or_dir] [...]\npytest: error: unrecognized arguments: --only {n}", 4),
                    (f"git show HEAD~{r.randint(2, 9)}:{n}/{n}.py", f"fatal: path '{n}/{n}.py' does not exist in 'HEAD'", 128),
                    (f"cat api/{n}/models.py", f"cat: api/{n}/models.py: No such file or directory", 1),
                    (f"python -c \"import api.{n}_core\"", f"Traceback (most recent call last):\n  File \"<string>\", line 1, in <module>\nModuleNotFoundError: No module named 'api.{n}_core'", 1),
                    (f"npm run {n}:check", f"npm error Missing script: \"{n}:check\"\nnpm error\nnpm error To see a list of scripts, run:\nnpm error   npm run", 1),
                    (f"tide status --{n}", f"tide: unknown option '--{n}'\nTry 'tide --help'.", 2),
                    (f"jq '.{n}[0' package.json", "jq: error: syntax error, unexpected end of file (Unix shell quoting issues?) at <top-level>, line 1:", 3),
                    (f"make {n}-all", f"make: *** No rule to make target '{n}-all'.  Stop.", 2),
                    (f"sed -n '1,40p' web/src/{n.title()}.tsx", f"sed: can't read web/src/{n.title()}.tsx: No such file or directory", 2),
                    (f"psql -c \"select * from {n}_daily limit 5\"", f"ERROR:  relation \"{n}_daily\" does not exist\nLINE 1: select * from {n}_daily limit 5\n                      ^", 1)])
                c.bash(cmd, out, code, **sub)
                self.lab["shell_calls"] += 1
            self.lab["side_calls"] += self.side

    def via_shell(self):
        return self.fmt == C and self.kind == "mixups" and self.rng.random() < .42 * self.x(self.i)

    def raw_read(self, p, start=None):
        """The read itself; -> key."""
        r, c, L = self.rng, self.c, self.files[p]
        if start is None:
            start = 1 if len(L) <= 250 else 1 + 100 * r.randrange(max(1, len(L) // 100))
        part = L if len(L) <= 250 and start == 1 else L[start - 1:start + 149]
        self.err("read")
        if self.via_shell():
            c.bash(f"cat {p}" if part is L else f"sed -n '{start},{start + len(part) - 1}p' {p}", "\n".join(part), desc=f"Show {p.rsplit('/', 1)[-1]}", side=self.side)
            self.lab["shell_calls"] += 1
        else:
            c.read(p, part, start, len(L), **({"side": True} if self.side else {}))
        self.lab["reads"] += 1
        self.lab["side_calls"] += self.side
        self.ctx.known[(p, start)] = self.ver[p]

    def old_keys(self):
        return [k for k, v in self.ctx.known.items() if self.ver[k[0]] == v]

    def read(self, p, start=None):
        r = self.rng
        n = self.debt if not self.side else 0
        while r.random() < min(.7, self.p["rr"] * 1.05):  # some fall away: nothing known yet
            n += 1
        while n and self.old_keys():
            ks = self.old_keys()
            p2, s2 = r.choice(ks[:-1] or ks)
            if (p2, s2) == (p, start):
                break
            self.raw_read(p2, s2)
            self.lab["rereads"] += 1
            n -= 1
        if not self.side:
            self.debt = n
        self.raw_read(p, start)

    def visit(self):
        r, v = self.rng, self.ctx.visited
        changed = [p for (p, s), ver in self.ctx.known.items() if self.ver[p] > ver]
        if changed and r.random() < .2:
            p = r.choice(changed)
            s = next(s for (q, s) in self.ctx.known if q == p)
            return self.read(p, s)
        self.lab["visits"] += 1
        if r.random() < self.p["look"] * 1.13:
            fs = [p for p in self.files if p not in v and [t for t in self.twin.get(p, []) if t not in v]]
            near = [p for p in fs if p in self.focus] or fs
            if near:
                p = self.focus[0] if self.focus[0] in near else r.choice(near)
                t = r.choice([t for t in self.twin[p] if t not in v])
                v[t] = v[p] = 1
                self.read(t)
                self.lab["looks"] += 1
                if not self.side and r.random() < .35:
                    self.c.say(f"That is not the right file, I need {p}.")
                return self.raw_read(p)
        fs = [p for p in self.focus if p not in v] or [p for p in self.files if p not in v and p not in self.special]
        if not fs:
            self.lab["visits"] -= 1
            return self.grep()
        p = fs[0] if r.random() < .6 else r.choice(fs)
        v[p] = 1
        self.read(p)

    def grep(self, sub=False):
        r, c = self.rng, self.c
        if not self.side and self.fmt == C and r.random() < (.75 * self.x(self.i) if self.kind == "subagents" else .03):
            return self.task()
        self.err("grep")
        w = r.choice(world.NOUNS)
        where = r.choice(["api", "web/src", "pricing", "."])
        fs = [p for p in self.files if p not in self.special and (where == "." or p.startswith(where + "/"))]
        hits = []
        for p in r.sample(fs, min(len(fs), 30)):
            for k, l in enumerate(self.files[p][:80]):
                if w in l and len(hits) < 14:
                    hits.append(f"{p}:{k+1}:{l}")
                    break
        self.lab["side_calls"] += self.side
        if self.swapped() or self.via_shell():
            self.lab["shell_calls"] += 1
            return c.bash(f"grep -rn '{w}' {where} | head -14", "\n".join(hits), desc=f"Search {w}", side=self.side)
        c.grep(w, where, hits, **({"side": True} if self.side else {}))

    def swapped(self):
        return self.kind in SWAP and self.late

    def task(self):
        r, c = self.rng, self.c
        self.err("bash")
        n = r.choice(world.NOUNS)

        def body():
            keep, self.ctx, self.side = self.ctx, Ctx(), True
            for _ in range(r.randint(3, 7)):
                r.choice([self.grep, self.visit, self.visit])()
            self.ctx, self.side = keep, False
            return f"Report: the {n} is handled in {self.focus[0]} and {self.focus[-1]}. The callers pass it on unchanged. Nothing else writes to it."
        c.task(f"Find {n} handling", f"Search the repository for everything that deals with {n}: where it is made, who changes it, and which tests cover it. Give file names and lines.", body, r.choice(["Explore", "general-purpose"]), "Agent" if self.swapped() else "Task")

    def editable(self):
        ok = {}
        for (p, s), ver in self.main.known.items():
            if (self.ver[p] == ver or self.main.mine.get(p) == self.ver[p]) and p not in self.special:
                ok[p] = 1
        return list(ok)[-5:]

    def snippet(self, p):
        L, r = self.files[p], self.rng
        num = [k for k, l in enumerate(L) if any(ch.isdigit() for ch in l) and len(l) > 12 and L.count(l) == 1] or [0]
        k = r.choice(num)
        return k + 1, L[k]

    def edit(self):
        r = self.rng
        if not self.editable():
            return self.visit()
        self.err("edit")
        p = r.choice(self.editable() or self.focus)
        at, old = self.snippet(p)
        new = "".join(str((int(ch) + r.randint(1, 8)) % 10) if ch.isdigit() and r.random() < .7 else ch for ch in old)
        if new == old or r.random() < .3:
            new = old + "\n" + ({"py": "    # checked on {0}", "go": "\t// checked on {0}", "md": "See also the page on {0}.", "sql": "-- see {0}", "json": '    "{0}-kit": "^1.0.0",'}.get(world.ext_of(p), "# checked on {0}").format(r.choice(world.NOUNS)))
        self.c.edit(p, old, new, at)
        self.files[p][at - 1:at] = new.split("\n")
        self.bump(p)

    def bump(self, p):
        self.ver[p] += 1
        self.main.mine[p] = self.ver[p]  # knows its own edit; a later read shows changed content

    def bash(self, cmd, out, code=0, desc="", **kw):
        self.c.bash(cmd, out, code, desc, **kw)
        self.lab["shell_calls"] += 1

    def mcp(self, tool=None, args=None, out=None):
        r = self.rng
        if tool is None:
            tool, args, out = r.choice([("forge__list_issues", {"state": "open", "label": r.choice(world.NOUNS)}, '[{"id": %d, "title": "%s fails on %s"}]' % (r.randint(200, 4800), r.choice(world.NOUNS), r.choice(world.NOUNS))),
                                        ("sql__run_query", {"query": f"select count(*) from {r.choice(world.NOUNS)}"}, '{"rows": [[%d]]}' % r.randint(3, 9000)), ("logs__search", {"service": "worker", "minutes": r.randint(5, 90)}, "2 entries\nWARN slow batch\nINFO finished"),
                                        ("tracker__get_ticket", {"id": f"HL-{r.randint(200, 4800)}"}, "status: open\nassignee: dov")])
        self.c.mcp(tool, args, out)
        self.lab["mcp_calls"] += 1

    def show(self, s):
        """A tool shows a new value."""
        where, place, form, *name = [*s["where"]]
        v = self.advance(s)
        lines = world.render(form, name[0], v, self.rng.randint(1, 200))
        if where == "file":
            self.files[place] = lines
            self.ver[place] += 1
            self.lab["visits"] += place not in self.ctx.visited
            self.ctx.visited[place] = 1
            self.read(place)
        elif where == "cmd":
            self.err("bash")
            self.bash(place, "\n".join(lines))
        else:
            self.err("mcp")
            self.mcp(place, {"env": "production"}, "\n".join(lines))

    def use(self):
        r = self.rng
        ok = [s for s in self.set if s["hist"]]
        if not ok:
            return self.visit()
        s = r.choice([s for s in ok if len(s["hist"]) > 1] or ok) if r.random() < .85 else r.choice(ok)
        v, k = s["hist"][-1], s["kind"]
        self.err("bash")
        if len(s["hist"]) > 1:
            self.lab["uses"] += 1
            self.lab["uses_" + k] += 1
            if r.random() < self.p[k]:
                v = s["hist"][-2] if len(s["hist"]) < 3 or r.random() < .8 else r.choice(s["hist"][:-2])
                self.lab["stale"] += 1
                self.lab["stale_" + k] += 1
                self.last_stale = s
        form = r.choices(["cmd", "mcp", "file"], [5, 3 if self.kind != "mcp_adopted" else 1 + 7 * self.x(self.i), 2])[0]
        if form == "cmd":
            self.bash(s["cmd"].format(v=v), r.choice(OUT))
        elif form == "mcp":
            num = v.isdigit() and r.random() < .5
            self.mcp(s["mcp"][0], {s["mcp"][1]: int(v) if num else v, **({"limit": r.randint(5, 50)} if r.random() < .4 else {})}, r.choice(['{"ok": true}', '{"status": "done", "items": %d}' % r.randint(0, 40), "no problems found"]))
        else:
            p, _, e = s["file"][0].rpartition(".")
            line = s["file"][1].format(v=v)
            self.c.write(f"{p}-{r.randint(10, 9999)}.{e}", line + ("\n" if e in ("json", "txt") else f"\n{'retries: 3' if e == 'yaml' else 'retries = 3' if e in ('toml', 'ini', 'tfvars') else 'RETRIES=3'}\n"))

    def edit_rules(self):
        self.ctx.visited[self.rules] = 1
        self.lab["visits"] += 1
        self.read(self.rules)
        old = self.files[self.rules][2]
        new = old + "\n- run `make lint` before every test run\n- keep a list of steps for anything longer than one edit\n- answer in short sentences"
        self.c.edit(self.rules, old, new, 3)
        self.files[self.rules][2:3] = new.split("\n")
        self.bump(self.rules)

    def test(self):
        r = self.rng
        if self.kind == "rules_edited" and self.late:
            self.err("bash")
            self.bash("make lint", "ruff check api tests\nAll checks passed!", desc="Lint")
        self.err("bash")
        fail = r.random() < (.12 + .65 * self.x(self.i) if self.kind == "tdd" else .28)
        s = r.choice(world.STEMS_PY[:8])
        n, t = r.randint(4, 60), r.uniform(.3, 20)
        a, b = r.choice(world.NOUNS), r.randint(3, 900)
        if r.random() < .6:
            cmd = f"pytest tests/test_{s}.py -q" if r.random() < .7 else "make test"
            out = (f"{'.' * (n - 1)}F\n=================== FAILURES ===================\n____ test_{a}_{r.choice(world.VERBS)} ____\n\n>       assert total == {b}\nE       assert {b - 2} == {b}\n\ntests/test_{s}.py:{r.randint(10, 90)}: AssertionError\n"
                   f"FAILED tests/test_{s}.py::test_{a} - assert {b - 2} == {b}\n1 failed, {n - 1} passed in {t:.2f}s") if fail else f"{'.' * n}\n{n} passed in {t:.2f}s"
            code = 1 if cmd[0] == "p" else 2
        else:
            cmd, code = r.choice(["go test ./pricing/...", "npm test --silent"]), 1
            out = f"--- FAIL: Test{a.title()} (0.02s)\n    {a}_test.go:{b}: got {b}, want {b + 1}\nFAIL\nFAIL\tpricing\t{t:.3f}s" if fail else f"ok  \tpricing\t{t:.3f}s"
        self.lab["failing_tests"] += fail
        self.bash(cmd, out, code if fail else 0, "Run tests", dur=(2, 30))

    def step(self, task):
        r, c = self.rng, self.c
        if r.random() < .16:
            c.say(r.choice(talk.SAYDE if self.german else talk.SAY))
        elif r.random() < .12:
            c.think(self.fill(talk.THINK))
        z = r.random()
        if z < .18:
            return self.use()
        if z < .188:
            return self.bash("curl -sS -m 20 https://status.harborlight.example/api", "curl: (28) Connection timed out after 20001 milliseconds", 28, dur=(20, 21))
        if z < .193:
            return c.deny(r.choice(["rm -rf tmp/cache", "git push origin main", "sudo systemctl restart tideline-worker"]))
        if z < .208:
            return self.pull()
        h = dict(HABIT[task])
        if self.kind == "tdd":
            h["test"] = h.get("test", 0) * (1 + self.x(self.i))
        if self.kind == "rules_edited" and self.late:
            h["todo"] = h.get("todo", 0) + .8
        op = r.choices(list(h), list(h.values()))[0]
        if op in ("bash", "sql") and self.kind == "mcp_adopted" and r.random() < .75 * self.x(self.i):
            op = "mcp"
        if op == "read":
            if self.kind == "subagents" and r.random() < .25 * self.x(self.i):
                return self.task()
            self.visit()
        elif op == "edit":
            self.edit()
        elif op == "grep":
            self.grep()
        elif op == "test":
            self.test()
        elif op == "mcp":
            self.err("mcp")
            self.mcp()
        elif op == "glob":
            self.err("glob")
            e = r.choice(["md", "py", "sql"])
            fs = [p for p in self.files if p.endswith("." + e)][:60]
            if self.swapped():
                self.bash(f"find . -name '*.{e}'", "\n".join("./" + p for p in fs), desc="List files")
            else:
                c.glob(f"**/*.{e}", fs)
        elif op == "todo":
            self.err("bash")
            a = [self.fill(["Look at {f}", "Change the {n}", "Check the {m}"]) for _ in range(3)]
            c.todo(list(zip(a, ["completed", "in_progress", "pending"])), self.swapped())
        elif op == "write":
            self.err("bash")
            d, e = ("docs/notes", "md") if task == "docs" else ("tests/extra", "py") if task != "data" else ("db/adhoc", "sql")
            p = f"{d}/{r.choice(world.NOUNS)}_{r.randint(100, 9999)}.{e}"
            c.write(p, "\n".join(world.content(r, p, r.randint(1, 3))) + "\n")
        elif op == "web":
            self.err("bash")
            c.web(f"https://pkg.example.org/{r.choice(world.NOUNS)}-kit/changelog", f"# Changelog\n\n## {r.randint(1, 9)}.{r.randint(0, 20)}.0\n- faster {r.choice(world.NOUNS)} parsing\n- drops the old {r.choice(world.NOUNS)} option")
        elif op == "sql":
            self.err("bash")
            a, b = r.choice(world.NOUNS), r.choice(world.NOUNS)
            self.bash(f"psql -At -c \"select {a}_id, count(*) from {b} group by 1 order by 2 desc limit {r.randint(3, 9)}\"", "\n".join(f"{r.randint(10, 999)}|{r.randint(1, 400)}" for _ in range(r.randint(3, 8))), desc=f"Count {b}")
        else:
            self.err("bash")
            cmd, out = r.choice(SHELL)
            a = lambda: r.choice(world.NOUNS)
            row = {"git log": lambda: f"{r.getrandbits(28):07x} {r.choice(world.VERBS)} {a()} of {a()}", "kubectl": lambda: f"{a()}-{r.getrandbits(32):08x}  1/1  Running  {r.randint(0, 3)}  {r.randint(1, 40)}d",
                   "journal": lambda: f"Jan {r.randint(10, 28)} 04:{r.randint(10, 59)}:12 harbor1 worker[{r.randint(300, 9000)}]: {a()} {r.choice(world.VERBS)} took {r.randint(4, 900)} ms",
                   "npm": lambda: f"{a()}-kit  {r.randint(1, 9)}.{r.randint(0, 9)}.0  {r.randint(1, 9)}.{r.randint(0, 9)}.4", "git diff": lambda: f" {r.choice(list(self.files))} | {r.randint(1, 30)} ++--"}
            row = next((v for k, v in row.items() if cmd.startswith(k)), row["git log"])
            self.bash(cmd, out if out is not None else "\n".join(row() for _ in range(r.randint(2, 8))), desc=cmd.split()[0] + " output")

    def pull(self):
        r = self.rng
        self.err("bash")
        ks = [p for p, _ in self.main.known if p not in self.special]
        ps = list(dict.fromkeys(r.sample(ks, min(2, len(ks))) + r.sample([p for p in self.files if p not in self.special], 2)))
        for p in ps:
            self.insert_block(p)
            self.ver[p] += 1
        self.bash("git pull --rebase", f"Updating {r.getrandbits(28):07x}..{r.getrandbits(28):07x}\nFast-forward\n" + "\n".join(f" {p} | {r.randint(2, 12)} +++++" for p in ps) + f"\n {len(ps)} files changed, {r.randint(9, 40)} insertions(+)", desc="Pull")
        for p in ps:
            s = [k for k in self.main.known if k[0] == p]
            if s and r.random() < .7:
                self.read(*s[0])


def write_agent(kind, seed, sessions, folder):
    life = Life(kind, seed, sessions)
    r, folder = life.rng, os.fspath(folder)
    os.makedirs(folder, exist_ok=True)
    t = dt.datetime(2026, 1, 5, 8, 0) + dt.timedelta(minutes=r.uniform(0, 90))
    out, extra, breaks = [], [], [round(sessions * .35), round(sessions * .7)] if kind == "holidays" else []
    for i in range(sessions):
        if i:
            if r.random() < .35 and t.hour < 15:
                t += dt.timedelta(minutes=r.uniform(35, 150))
            else:
                t = dt.datetime(t.year, t.month, t.day) + dt.timedelta(days=1 + (r.random() < .15), hours=7.5 + r.uniform(0, 3.5))
                while t.weekday() > 4 and r.random() < .9:
                    t += dt.timedelta(days=1)
            if i in breaks:
                t += dt.timedelta(days=r.randint(14, 24))
                life.events.append({"session": i, "event": "break before this session"})
        life.session(i, t)
        life.c.save(folder)
        t = life.c.t
        out.append({k: int(life.lab[k]) for k in COUNTS})
        extra.append({k: int(life.lab[k]) for k in EXTRA})
    ev = life.events
    for k in life.bumps:
        ev.append({"session": k, "event": "client upgrade"})
    for k in life.compactions:
        ev.append({"session": k, "event": "compaction at the end of this session"})
    what = {"tasks_sudden": "other kinds of task", "new_model": "new model", "tools_swapped": "client upgrade, tools swapped", "new_user": "another user", "language": "German from here on", "rules_edited": "instruction file edited"}.get(kind)
    if what:
        ev.append({"session": life.mid, "event": what})
    if life.long >= 0:
        ev.append({"session": life.long, "event": "very long session"})
    if life.step_at is not None:
        ev.append({"session": life.step_at, "event": "step" + (", new client version" if kind == "step_version" else ", nothing recorded")})
    return {"kind": kind, "format": life.fmt, "sessions": out, "step_at": life.step_at, "events": ev, "extra": extra}
