"""The life itself: sessions as lists of neutral events, with labels."""
import math, random, datetime as dt
from w20_world import *

P = dict(read=.05, search=.05, glob=.046, edit=.055, write=.046, bash=.056, mcp=.05, task=.046, todo=.04)
LABELS = ("calls","errors","reads","rereads","requests","corrections","interrupts")
EXT = {"py":"py","ts":"ts","go":"go"}

class File:
    __slots__ = ("path","lines")
    def __init__(s, path, lines): s.path, s.lines = path, lines

def logn(r, sd): return math.exp(r.gauss(0, sd) - sd*sd/2)

class Life:
    def __init__(self, kind, seed, n, fmt):
        self.kind, self.n, self.fmt = kind, n, fmt
        r = self.r = random.Random(f"w20|{kind}|{seed}|{n}")
        T = self.T = r.choice(TEAMS)
        self.root = f"{T['home']}/{T['repo']}"
        self.pk = r.sample(T["pk"], 6 if kind == "repo_grows" else 9)
        self.more = [p for p in T["pk"] if p not in self.pk]
        self.verbs, self.nouns = r.sample(VERBS, 9), r.sample(NOUNS, 10)
        self.files = {}
        for p in self.pk: self.new_pkg(p)
        lv = lambda sd=.25: min(1.6, max(.6, logn(r, sd)))
        self.lev_e, self.lev_c, self.lev_i, self.lev_r, self.lev_len = 1.04*min(1.25, max(.75, logn(r, .2))), lv(), lv(), lv(), lv(.2)
        self.users = r.sample(USERS, 2)
        kinds = list(STEPS)
        self.mixA = {k: logn(r, .5) for k in kinds}
        self.mixB = {k: logn(r, .5) for k in kinds}
        a = r.sample(kinds, 5)
        self.mixX = {k: self.mixA[k]*(3. if k in a else .35) for k in kinds}
        self.mixY = {k: self.mixA[k]*(.35 if k in a else 3.) for k in kinds}
        self.tongue = r.choice(["fr", "sv"])
        h = r.choice(["amber","birch","cove","dune","ember"])
        self.set = {"the staging host":[f"stage-{h}.internal"],"the live host":[f"live-{h}.internal"],"the port":[str(r.randint(3000,9000))],"the database name":[f"{T['repo']}_{h}"],
          "the release branch":[f"release/{r.randint(2,9)}.{r.randint(0,9)}"],"the working branch":[f"{h}-work"],"the version":[f"{r.randint(1,6)}.{r.randint(0,20)}.{r.randint(0,9)}"],"the data folder":[f"/data/{h}/in"],
          "the bucket":[f"{T['repo']}-{h}"],"the service name":[f"{T['repo']}-{h}d"],"the time limit":[f"{r.randint(20,90)}s"],"the admin port":[str(r.randint(9001,9900))]}
        self.mood = [0., 0., 0.]
        self.growth = 1.
        self.model = r.choice(["claude-sonnet-4-5-20250929","claude-opus-4-5-20251101"]) if fmt == "claude" else r.choice(["gpt-5.1-codex","gpt-5.2-codex"])
        self.version = f"2.0.{r.randint(40,60)}" if fmt == "claude" else f"0.{r.randint(80,90)}.0"
        self.t = dt.datetime(2026, 1, 12, 8, 30) + dt.timedelta(days=7*r.randint(0, 8))
        self.style = "new"

    # ---- the repository
    def line(self):
        r, v, n = self.r, self.r.choice(self.verbs), self.r.choice(self.nouns); m = r.choice(self.nouns); k = r.randint(1, 900)
        if self.T["lang"] == "py": return r.choice((f"    {n}_{m} = {v}_{m}({n}, {k})", f"    if {n}.{m} > {k}:", f"        return {v}_{n}({m}_{k})", f"def {v}_{n}_{k}({m}, {n}=None):", f"    # {n} before {m}, see {k}"))
        if self.T["lang"] == "ts": return r.choice((f"  const {n}{k} = {v}({m}, {k});", f"  if ({n}.{m} > {k}) {{", f"    return this.{v}{m.title()}({n}, {k});", f"export function {v}{n.title()}{k}({m}: number) {{", f"  // {m} follows {n} ({k})"))
        return r.choice((f"\t{n}{k} := {v}({m}, {k})", f"\tif {n}.{m.title()} > {k} {{", f"\t\treturn {v}{m.title()}({n}, {k})", f"func {v}{n.title()}{k}({m} int) error {{", f"\t// {n} needs {m} ({k})"))
    def body(self, n): return [self.line() for _ in range(n)]
    def new_pkg(self, p):
        for s in self.r.sample(self.T["st"], 6):
            self.add_file(f"src/{p}/{s}.{EXT[self.T['lang']]}", int(self.r.lognormvariate(3.6, .45)))
    def add_file(self, path, n):
        f = self.files[path] = File(path, self.body(max(8, min(n, 260)))); return f

    # ---- words
    def slots(self):
        r, T = self.r, self.T
        f = self.focus
        w = {"fr": WHEN_FR, "sv": WHEN_SV}.get(self.lang, WHEN)
        return dict(t=r.choice(T["things"]), f=f.path, p=f.path.split("/")[-2], q=r.choice(self.pk), s=f.path.split("/")[-1].split(".")[0], a=r.choice(T["feats"]),
            w=r.choice(w), n=r.randint(2, 999), k=r.randint(2, 6), b=self.set["the working branch"][-1], h=self.set[r.choice(("the staging host","the live host"))][-1], o=self.set["the port"][-1], v=self.set["the version"][-1])
    def pick_focus(self):
        r = self.r
        if self.kind == "repo_grows" and len(self.pk) > 6 and r.random() < .8*self.x: p = r.choice(self.pk[6:])
        else: p = r.choice(self.pk[:6] if self.kind == "repo_grows" else self.pk)
        fs = [f for k, f in self.files.items() if k.startswith(f"src/{p}/")]
        self.focus = r.choice(fs)
    def request(self, task, corr=False):
        r, k = self.r, self.kind
        second = self.half and k == "another_user"
        terse = k == "terser_users" and r.random() < .1 + .8*self.x
        if corr: bank = COR_S if terse else {"fr": COR_FR, "sv": COR_SV}.get(self.lang, COR); tx = r.choice(bank)
        else: tx = r.choice((SHORT if terse else {"fr": FR, "sv": SV}.get(self.lang, REQ))[task])
        u = self.users[1 if second else 0]
        if not terse and self.lang == "en": tx = ("" if corr else r.choice(u["pre"])) + tx + r.choice(u["post"])
        tx = tx.format(**self.slots())
        if u["low"] or terse: tx = tx.lower() if r.random() < .8 else tx
        if not u["low"] and tx[0].islower() and r.random() < .7: tx = tx[0].upper() + tx[1:]
        if r.random() < .035*2:
            key = self.change(); tx += " " + r.choice(TELL).format(k=key, v=self.set[key][-1])
        return tx
    def change(self):
        r = self.r; key = r.choice(list(self.set)); v = self.set[key][-1]
        if v.isdigit(): nv = str(int(v) + r.randint(1, 90))
        elif v.endswith("s") and v[:-1].isdigit(): nv = f"{r.randint(20, 300)}s"
        elif key == "the version": a, b, c = v.split("."); nv = f"{a}.{int(b)+1}.{r.randint(0, 4)}"
        else:
            base = v.split("+")[0]; sfx = r.choice(["north","oak","mill","quay","fern"]) + str(r.randint(1, 99))
            nv = f"{sfx}-{base}" if key.endswith("host") else f"{base.rstrip('0123456789')}{r.randint(2, 99)}" if "branch" in key else base + "-" + sfx
            if len(nv) > 44: nv = nv[-30:].lstrip("-./")
        self.set[key].append(nv); return key
    def use(self, key):
        h = self.set[key]; self.lab["uses"] += 1
        if len(h) > 1 and self.r.random() < .04: self.lab["outdated"] += 1; return h[-2]
        return h[-1]

    # ---- calls
    def emit(self, op, out, status="ok", code=0):
        ev = dict(t="call", op=op, out=out, status=status, code=code); self.sink.append(ev); self.lab["calls"] += 1
        self.since += 1
        if op["k"] == "read": self.lab["reads"] += 1
        if status == "slip": self.lab["errors"] += 1
    def slips(self, k): return self.r.random() < min(.4, P[k]*self.lev_e*math.exp(self.mood[0] - .03))
    def do(self, step):
        r = self.r
        if r.random() < .25 and self.sink is self.ev: self.ev.append(dict(t="say", text=r.choice(SAYS).format(**self.slots())))
        for _ in range(3):
            if getattr(self, "s_" + step, None): ok = getattr(self, "s_" + step)()
            else: ok = self.s_bash(step)
            if ok or r.random() < .15: break
    def mcp_now(self): return self.kind == "mcp_adopted" and self.r.random() < .75*self.x
    def call_mcp(self, name, inp, out):
        if self.slips("mcp"): self.emit(dict(k="mcp", name=name, inp={**inp, "limit": "all"}), "MCP error -32602: Invalid arguments for tool: limit: expected number, received string", "slip", 1); return False
        self.emit(dict(k="mcp", name=name, inp=inp), out); return True
    def hits(self, pat):
        r = self.r; fs = r.sample(list(self.files), min(len(self.files), r.randint(1, 6)))
        return "\n".join(f"{p}:{r.randint(1, 90)}:{pat}" for p in fs)
    def s_search(self):
        r = self.r; pat = r.choice(self.verbs) + "_" + r.choice(self.nouns) if self.T["lang"] == "py" else r.choice(self.verbs) + r.choice(self.nouns).title(); path = "src/" + r.choice(self.pk)
        if self.mcp_now(): return self.call_mcp("mcp__codemap__find_symbol", {"symbol": pat, "scope": path}, self.hits(pat))
        if self.slips("search"):
            if r.random() < .5: self.emit(dict(k="search", pat=pat, path=path + "s/core"), f"Path does not exist: {path}s/core", "slip", 2)
            else: self.emit(dict(k="search", pat=pat + "(", path=path), f"regex parse error:\n    {pat}(\n    ^\nerror: unclosed group", "slip", 2)
            return False
        if r.random() < .14: self.emit(dict(k="search", pat=pat, path=path), "", "nohit", 1)
        else: self.emit(dict(k="search", pat=pat, path=path), self.hits(pat))
        return True
    def s_glob(self):
        p = self.r.choice(self.pk)
        if self.slips("glob"): self.emit(dict(k="glob", pat="**/*", path=f"lib/{p}"), f"Directory does not exist: lib/{p}", "slip", 2); return False
        self.emit(dict(k="glob", pat="**/*." + EXT[self.T["lang"]], path=f"src/{p}"), "\n".join(k for k in self.files if f"/{p}/" in k)); return True
    def s_read(self):
        r = self.r
        if self.slips("read"):
            b = self.focus.path.replace("src/", r.choice(("", "src/core/", "lib/"))); self.emit(dict(k="read", path=b, off=0, lim=0), "File does not exist.", "slip", 1); return False
        if self.seen and r.random() < min(.3, .094*self.lev_r*math.exp(self.mood[1])):
            c = [k for k, v in self.seen.items() if v]
            if c: self.lab["rereads"] += 1; return self.show(*r.choice(c))
        same = [f for k, f in self.files.items() if k.rsplit("/", 1)[0] == self.focus.path.rsplit("/", 1)[0]]; r.shuffle(same)
        other = list(self.files.values())
        for f in [self.focus] + same[:4] + r.sample(other, min(len(other), 30)):
            L = len(f.lines); big = L > 75
            if not big:
                if not self.seen.get((f.path, 0, 0)): return self.show(f.path, 0, 0)
            else:
                st = 60
                for o in range(1, L + 1, st):
                    if not self.seen.get((f.path, o, st)): return self.show(f.path, o, st)
        return self.s_search()
    def show(self, path, off, lim):
        f = self.files[path]; self.seen[(path, off, lim)] = True
        ls = f.lines[off-1:off-1+lim] if lim else f.lines
        self.emit(dict(k="read", path=path, off=off, lim=lim), "\n".join(f"{i:6d}→{x}" for i, x in enumerate(ls, max(off, 1)))); return True
    def s_edit(self):
        r = self.r; f = self.focus
        i = r.randrange(len(f.lines)); old = f.lines[i]; new = self.line()
        if r.random() < .006: self.emit(dict(k="edit", path=f.path, old=old, new=new), "", "rejected", 1); return True
        if self.slips("edit"):
            bad = "  " + old.strip() + "  "
            self.emit(dict(k="edit", path=f.path, old=bad, new=new), bad, "slip", 1); return False
        f.lines[i] = new
        if self.growth > 1 and self.r.random() < .3 and len(f.lines) < 400: f.lines.append(self.line())
        for k in list(self.seen):
            if k[0] == f.path: self.seen[k] = False
        self.emit(dict(k="edit", path=f.path, old=old, new=new, i=i + 1), f"The file {self.root}/{f.path} has been updated."); return True
    def s_write(self):
        r = self.r; e = EXT[self.T["lang"]]; p = self.focus.path.split("/")[-2]
        path = f"docs/{p}-{r.choice(self.nouns)}.md" if self.task == "docs" else f"tests/{p}/{r.choice(self.verbs)}_{r.choice(self.nouns)}_test.{e}" if self.task in ("tests", "fix") else f"src/{p}/{r.choice(self.verbs)}_{r.choice(self.nouns)}.{e}"
        body = self.body(r.randint(8, 40))
        if self.slips("write"): self.emit(dict(k="write", path=self.focus.path, body=body, bad=1), "File has not been read yet. Read it first before writing to it.", "slip", 1); return False
        self.files.setdefault(path, File(path, body)).lines = body
        for k in list(self.seen):
            if k[0] == path: self.seen[k] = False
        self.emit(dict(k="write", path=path, body=body), f"File created successfully at: {self.root}/{path}"); return True
    def s_todo(self):
        items = [r_.format(**self.slots()) for r_ in self.r.sample(("look at {p}", "change {s}", "check {t}", "run the tests", "tell the user about {q}"), 3)]
        if self.slips("todo"): self.emit(dict(k="todo", items=items, bad=1), "InputValidationError: the required parameter `status` is missing", "slip", 1); return False
        self.emit(dict(k="todo", items=items), "The list has been updated."); return True
    def s_test(self, fail=None):
        r = self.r
        if fail is None: fail = r.random() < .16
        pk = self.focus.path.split("/")[-2]; tgt = {"py": f"tests/{pk}", "ts": f"tests/{pk}", "go": f"./src/{pk}/..."}[self.T["lang"]]
        if self.slips("bash"): return self.bad_bash(f"{self.T['test']} {tgt}")
        n = r.randint(6, 140)
        if fail: k = r.randint(1, 4); self.emit(dict(k="bash", cmd=f"{self.T['test']} {tgt}", d="Run tests"), f"FAIL {tgt} {r.choice(self.verbs)} {r.choice(self.nouns)}: expected {r.randint(1, 99)}, got {r.randint(100, 199)}\n{k} tests failed, {n} passed", "testfail", 1)
        else: self.emit(dict(k="bash", cmd=f"{self.T['test']} {tgt}", d="Run tests"), f"{n} passed in {r.uniform(.3, 20):.2f}s")
        return True
    def bad_bash(self, cmd):
        r = self.r; w = r.choice(self.nouns); tool = cmd.split()[0]
        c, o, x = r.choice(((cmd + " --all-" + w, f"{tool}: error: unrecognized arguments: --all-{w}", 2), (cmd + " '" + w, "/bin/bash: -c: line 1: unexpected EOF while looking for matching `''", 2),
            (f"cd {w}s && {cmd}", f"/bin/bash: line 1: cd: {w}s: No such file or directory", 1), (f"{self.T['run']} --with {w}", self.T["mod"].format(m=w + "kit"), 1),
            (f"sqlite3 local.db 'select {w}_id from {self.focus.path.split('/')[-2]}'", f"Error: in prepare, no such column: {w}_id", 1), (f"{w}ctl {cmd}", f"/bin/bash: line 1: {w}ctl: command not found", 127)))
        self.emit(dict(k="bash", cmd=c, d="Run command"), o, "slip", x); return False
    def s_bash(self, step):
        r, T = self.r, self.T; p = self.focus.path.split("/")[-2]; f = self.focus.path; n = r.randint(1, 900)
        if step in ("sql", "curl") and self.mcp_now():
            return self.call_mcp("mcp__opsdesk__query", {"table": p, "limit": r.randint(5, 50)}, f'{{"rows": {n}, "table": "{p}"}}')
        rows = "\n".join(f"{r.choice(self.nouns)},{r.randint(1, 999)},{r.choice(self.nouns)}" for _ in range(r.randint(2, 9)))
        if step == "lint": c, o = f"{T['lint']} src/{p}", r.choice(("All checks passed!", f"0 problems in {n} lines"))
        elif step == "commit": c, o = f"git add -A && git commit -m \"{p}: {r.choice(self.verbs)} {r.choice(self.nouns)}\"", f"[{self.set['the working branch'][-1]} {r.getrandbits(28):07x}] {p}\n {r.randint(1, 5)} files changed, {n} insertions(+)"
        elif step == "status": c, o = "git status --short", f" M {f}"
        elif step == "diff": c, o = r.choice((f"git diff {self.use('the release branch')} -- src/{p}", f"git diff -- {f}")), f"--- a/{f}\n+++ b/{f}\n@@ -{n},3 +{n},3 @@\n-{self.line()}\n+{self.line()}"
        elif step == "log": c, o = f"git log --oneline -{r.randint(3, 12)} -- src/{p}", "\n".join(f"{r.getrandbits(28):07x} {r.choice(self.verbs)} {r.choice(self.nouns)} in {p}" for _ in range(4))
        elif step == "build": c, o = T["build"], f"built {T['repo']} in {r.uniform(1, 40):.1f}s"
        elif step == "run": c, o = r.choice((f"{T['run']} {r.choice(self.verbs)} --in {self.use('the data folder')}/{p}.csv", f"timeout {self.use('the time limit')} {T['run']} {p} --rows {n}", f"awk -F, '{{s+=$2}} END {{print s}}' data/{p}-{n}.csv")), rows
        elif step == "sql": c, o = f"psql -d {self.use('the database name')} -c 'select count(*) from {p} where {r.choice(self.nouns)} > {n}'", f" count\n-------\n {n}\n(1 row)"
        elif step == "peek": c, o = r.choice((f"head -{r.randint(3, 20)} {self.use('the data folder')}/{p}.csv", f"jq '.{r.choice(self.nouns)}' data/{p}-{n}.json", f"aws s3 ls s3://{self.use('the bucket')}/{p}/")), rows
        elif step == "ssh": c, o = r.choice((f"ssh {self.use('the staging host')} systemctl restart {self.use('the service name')}", f"ssh {self.use('the live host')} tail -{r.randint(20, 90)} /var/log/{p}.log", f"scp dist/{T['repo']}-{self.use('the version')}.tgz {self.use('the staging host')}:/opt/{p}/")), f"{p} {r.choice(self.verbs)} {n}\nactive (running)"
        elif step == "curl": c, o = f"curl -s http://{self.use('the staging host')}:{self.use(r.choice(('the port', 'the admin port')))}/{p}/health", f'{{"status":"up","{r.choice(self.nouns)}":{n}}}'
        else:
            if r.random() < .3: self.change()
            c, o = "cat ops/settings.env", "\n".join(f"{k[4:].replace(' ', '_').upper()}={v[-1]}" for k, v in self.set.items())
        if self.slips("bash"): return self.bad_bash(c)
        if r.random() < .004: self.emit(dict(k="bash", cmd=c, d=step), "", "rejected", 1); return True
        self.emit(dict(k="bash", cmd=c, d=step.capitalize() + " for " + p), o); return True

    # ---- one request
    def steps(self, task, scale):
        r, out = self.r, []
        for s in STEPS[task].split():
            if s[-1] == "?":
                if r.random() < min(.95, .5*scale): out.append(s[:-1])
            elif s[-1] == "*":
                m = 1.9*scale; k = 1
                while r.random() < 1 - 1/(1 + m) and k < 12: k += 1
                out += [s[:-1]]*k
            else: out.append(s)
        return out
    def work(self, task, scale, cut=None):
        r, k = self.r, self.kind
        st = self.steps(task, scale)
        if k == "rules_edited":
            st = [s for s in st if s not in ("lint", "commit")]
            if "edit" in st: st += [s for s in ("lint", "commit") if r.random() < (.85 if self.half else .3)]
        if cut is not None: st = st[:cut]
        tf = k == "tests_first" and "edit" in st and r.random() < .1 + .8*self.x
        i = 0
        if tf:
            j = st.index("edit"); st[j:j] = ["write", "FAILTEST"]; st.append("test")
        while i < len(st):
            s = st[i]
            if k == "subagents_adopted" and s in ("search", "read", "glob"):
                j = i
                while j < len(st) and st[j] in ("search", "read", "glob"): j += 1
                if j - i >= 2 and r.random() < .05 + .8*self.x: self.task_call(st[i:j]); i = j; continue
            if s == "FAILTEST":
                old, self.task = self.task, "tests"; self.s_test(fail=True); self.task = old
            else: self.do(s)
            i += 1
    def task_call(self, st):
        r = self.r; pr = r.choice(("Find where {t} is handled in {p} and report the files.", "Explore {p}: how does {s} reach {q}?", "List everything that touches {t}, start at {f}.")).format(**self.slots())
        if self.slips("task"): self.emit(dict(k="task", prompt=pr, sub="searcher", inner=[]), "Agent type 'searcher' not found. Available agents: general-purpose, Explore", "slip", 1)
        inner = []; keep, seen = self.sink, self.seen
        self.sink, self.seen = inner, {}
        for s in st: self.do(s)
        self.sink, self.seen = keep, seen
        self.emit(dict(k="task", prompt=pr, sub="Explore", inner=inner), r.choice(ENDS).format(**self.slots()))

    def mix(self):
        k, x = self.kind, self.x
        if k == "tasks_drift": w = x
        elif k in ("tasks_switch", "another_user"): w = float(self.half)
        elif k == "seasons": w = .5 - .5*math.cos(4*math.pi*x)
        else: return self.mixA
        return {t: (1-w)*self.mixX[t] + w*self.mixY[t] for t in self.mixX}

    def session(self, i):
        r, k, n = self.r, self.kind, self.n
        self.x = i/max(1, n-1); self.half = i >= n//2
        self.mood = [.3*m + .24*r.gauss(0, 1) for m in self.mood]
        self.lang = self.tongue if k == "another_language" and self.half else "en"
        if k == "repo_grows" and self.more and i and i % max(1, n//9) == 0: p = self.more.pop(0); self.pk.append(p); self.new_pkg(p)
        if k == "files_grow":
            g = 1 + 2*self.x
            for f in self.files.values():
                if f.path.startswith("src/"):
                    need = int(len(f.lines)*g/self.growth) - len(f.lines)
                    if need > 0: f.lines += self.body(need)
            self.growth = g
        if k == "model_upgrade" and i == n//2: self.model = "gpt-5.3-codex"
        if k == "client_upgrades" and i and i % max(2, n//6) == 0: a, b, c = self.version.split("."); self.version = f"{a}.{b}.{int(c) + r.randint(1, 9)}"
        if k == "client_with_tools": self.style = "new" if self.half else "old"; self.version = "0.94.0" if self.half else "0.44.0"
        self.lab = dict.fromkeys(LABELS + ("uses", "outdated", "compactions"), 0)
        self.ev = self.sink = []; self.seen = {}; self.since = 0
        tiny = r.random() < .07
        nreq = r.randint(1, 2) if tiny else max(3, min(10, round(r.lognormvariate(1.5, .4)*self.lev_len)))
        cap = r.randint(4, 10) if tiny else 80
        scale = max(.5, min(1.9, logn(r, .3)*(5/nreq)**.4))
        if k == "one_very_long" and i == int(n*.6): nreq, cap, scale, tiny = 30, 400, 1.5, False
        comp = {r.randrange(1, max(2, nreq))} if (r.random() < .1 and nreq > 2) else set()
        if k == "one_very_long" and i == int(n*.6): comp = {8, 16, 24}
        m = self.mix(); tasks = list(m); wts = [m[t] for t in tasks]
        self.task = r.choices(tasks, wts)[0]; self.pick_focus()
        start, prev, j = self.t, False, 0
        lastreq = None
        if i == 0: self.opening()
        while True:
            if j >= nreq and (tiny or self.lab["calls"] >= 15 or j > nreq + 6) or self.lab["calls"] >= cap - 4: break
            if j in comp: self.ev.append(dict(t="compact", text=f"The work so far: {lastreq} Files seen: {', '.join(sorted({a[0] for a in self.seen})[:8])}.")); self.lab["compactions"] += 1; self.seen = {}
            corr = j > 0 and prev and r.random() < min(.4, .082*self.lev_c*math.exp(self.mood[2]))
            if not corr: self.task = r.choices(tasks, wts)[0]; self.pick_focus() if r.random() < .75 else None
            if k == "rules_edited" and i == n//2 and j == 1: self.rules_request(); j += 1; prev = False; continue
            if j == 0 and k == "plans_after_clear" and r.random() < .05 + .85*self.x:
                self.ev.append(dict(t="clear")); self.task = r.choice(("add", "restructure")) if r.random() < .3 else self.task; tx = self.plan()
            else: tx = self.request(self.task, corr)
            lastreq = tx; self.ev.append(dict(t="user", text=tx)); self.lab["requests"] += 1; self.lab["corrections"] += corr
            stop = r.random() < min(.2, .03*self.lev_i)
            self.work(self.task, scale*(.6 if corr else 1.), r.randint(1, 4) if stop else max(2, min(cap - self.lab["calls"] - 3, 40 if not tiny else 4)))
            if stop: self.ev.append(dict(t="interrupt")); self.lab["interrupts"] += 1; prev = False
            else: self.ev.append(dict(t="say", text=r.choice(ENDS).format(**self.slots()), end=1)); prev = True
            j += 1
        out = dict(ev=self.ev, start=start, model=self.model, version=self.version, style=self.style, branch=self.set["the working branch"][-1])
        self.advance(i); return out, self.lab
    def plan(self):
        s = self.slots(); r = self.r
        return "Implement the following plan:\n\n# " + r.choice(self.T["feats"]) + f" in {s['p']}\n\n## Background\n\nAt the moment {s['t']} goes wrong once {s['w']}.\n\n" + "\n".join(f"### Step {a}: {r.choice(self.verbs)} the {r.choice(self.nouns)}\n\nIn `{r.choice(list(self.files))}` use\n\n```\n" + "\n".join(self.body(r.randint(2, 6))) + "\n```\n" for a in range(1, r.randint(4, 8))) + f"\n## Verification\n\nRun `{self.T['test']}` for {s['q']}.\n"
    def opening(self):
        """The settings as they were, then the move told by the user: every setting has a past from here on."""
        self.ev.append(dict(t="user", text="Show me the settings we have at present.")); env = lambda: "\n".join(f"{k[4:].replace(' ', '_').upper()}={v[-1]}" for k, v in self.set.items())
        self.emit(dict(k="bash", cmd="cat ops/settings.env", d="Show settings"), env()); self.ev.append(dict(t="say", text="These are the twelve entries of ops/settings.env:\n" + env(), end=1))
        todo = set(self.set)
        while todo: todo.discard(self.change())
        self.ev.append(dict(t="user", text="Good. We moved house at the weekend, from now on: " + "; ".join(f"{k} is {v[-1]}" for k, v in self.set.items()) + ". Please remember that.")); self.ev.append(dict(t="say", text="Noted, I will use the new ones.", end=1)); self.lab["requests"] += 2
    def rules_request(self):
        name = "AGENTS.md" if self.fmt == "codex" else "CLAUDE.md"
        self.ev.append(dict(t="user", text=f"Please put two rules into {name}: run the linter after every change, and commit each finished piece.")); self.lab["requests"] += 1
        f = self.files[name] = File(name, [f"# {self.T['repo']}", "", "Work in small steps.", "Keep the style of the file you are in."])
        self.show(name, 0, 0); new = "Work in small steps.\nRun `" + self.T["lint"] + "` after every change.\nCommit each finished piece."
        self.emit(dict(k="edit", path=name, old="Work in small steps.", new=new, i=3), f"The file {self.root}/{name} has been updated."); self.seen = {a: b for a, b in self.seen.items() if a[0] != name}; self.files.pop(name)
        self.ev.append(dict(t="say", text="Both rules are in.", end=1))
    def advance(self, i):
        r = self.r
        self.today = getattr(self, "today", 0) + 1
        if self.today < 3 and self.t.hour < 14 and r.random() < .5: self.t += dt.timedelta(hours=r.uniform(2.6, 3.6)); return
        self.today = 0; d = r.choice((1, 1, 1, 1, 2, 3))
        if self.kind == "holidays" and i + 1 in (self.n//3, 2*self.n//3): d += r.randint(14, 30)
        self.t = (self.t + dt.timedelta(days=d)).replace(hour=8, minute=0) + dt.timedelta(minutes=r.randint(0, 100), seconds=r.randint(0, 59))
        while self.t.weekday() > 4: self.t += dt.timedelta(days=1)
