"""One life: a project, its users and an agent at work over some weeks."""
import hashlib
import math
import os
import random
from datetime import datetime, timedelta, timezone

import r18_words as W
from r18_claude import ClaudeWriter
from r18_codex import CodexWriter
from r18_slips import slip
from r18_world import LABELS, STALE_ERR, USES, File, World

SLIP = {"read": .049, "search": .047, "glob": .045, "edit": .054, "write": .046, "run": .052, "todo": .042, "sub": .042, "mcp": .051, "use": .042}
# steps: name, fewest, most
TASKS = {
    "fix": [("search", 1, 2), ("read", 1, 3), ("git", 0, 1), ("edit", 1, 2), ("tl", 1, 1), ("lint", 0, 0), ("commit", 0, 0)],
    "add": [("todo", 0, 1), ("glob", 0, 1), ("read", 2, 3), ("write", 0, 1), ("edit", 1, 3), ("tl", 1, 1), ("lint", 0, 0), ("commit", 0, 0)],
    "restructure": [("search", 1, 2), ("read", 2, 4), ("edit", 2, 4), ("lint", 0, 0), ("tl", 1, 1), ("commit", 0, 0)],
    "explain": [("search", 1, 3), ("read", 2, 4)],
    "review": [("git", 2, 3), ("read", 2, 4), ("search", 0, 2)],
    "deploy": [("git", 1, 1), ("build", 1, 1), ("use", 2, 4), ("env", 0, 1), ("use", 0, 1)],
    "data": [("sh", 1, 2), ("data", 2, 4), ("write", 0, 1), ("sh", 0, 1)],
    "docs": [("read", 1, 3), ("search", 0, 1), ("edit", 1, 2), ("sh", 0, 1), ("commit", 0, 0)],
    "tests": [("read", 1, 2), ("write", 1, 1), ("tl", 1, 1), ("edit", 0, 2), ("tl", 0, 1), ("commit", 0, 0)],
    "deps": [("read", 1, 1), ("inst", 1, 2), ("tl", 1, 1), ("git", 0, 1), ("commit", 0, 0)],
    "logs": [("use", 2, 3), ("search", 1, 2), ("read", 1, 2)],
    "config": [("glob", 0, 1), ("read", 1, 2), ("edit", 1, 2), ("use", 0, 1), ("lint", 0, 0), ("commit", 0, 0)],
    "rules": [("redit", 1, 1), ("git", 1, 1)],
    "amend": [("read", 0, 1), ("edit", 1, 2), ("tl", 0, 1)],
    "again": [("search", 0, 1), ("read", 1, 2)],
}
SIDE = {"explain": "again", "review": "again", "logs": "again", "deploy": "again", "data": "again"}
MIX = {
    "even": dict(fix=20, add=15, restructure=9, explain=11, review=8, deploy=8, data=7, docs=7, tests=10, deps=4, logs=7, config=6),
    "build": dict(fix=10, add=30, restructure=18, explain=8, review=4, deploy=3, data=3, docs=5, tests=15, deps=4, logs=2, config=4),
    "run": dict(fix=17, add=5, restructure=4, explain=10, review=14, deploy=15, data=10, docs=6, tests=5, deps=5, logs=16, config=7),
    "quiet": dict(fix=8, add=6, restructure=5, explain=22, review=15, deploy=5, data=13, docs=17, tests=6, deps=4, logs=6, config=4),
}
ES = ["Hecho: {fn} en `{p}` ya trata {m} sin {col}.", "Listo, {n} está en {a} y las pruebas pasan.", "La causa era {m}; ver `{f}`.", "En resumen: {a} crea {n} y {m} solo lo lee.", "Terminado, queda {num} como valor por defecto."]
PL = ["Gotowe: {fn} w `{p}` obsługuje {m} bez {col}.", "Zrobione, {n} jest w {a}, testy przechodzą.", "Przyczyną było {m}; zobacz `{f}`.", "W skrócie: {a} tworzy {n}, a {m} tylko czyta.", "Skończone, domyślnie {num}."]
VERS = {"claude": ["2.0.42", "2.0.55", "2.0.69", "2.0.76", "2.1.7", "2.1.19", "2.1.31"], "codex": ["0.61.0", "0.77.0", "0.98.0"]}


class Ctx:
    """What has been read in this conversation."""

    def __init__(self):
        self.seen, self.files, self.helper = {}, [], False


class Life:
    def __init__(self, kind, spec, seed, sessions, folder):
        h = hashlib.sha256(f"r18|{kind}|{seed}".encode()).digest()
        self.rng = r = random.Random(int.from_bytes(h[:8], "big"))
        self.kind, self.fmt, self.n, self.folder = kind, spec["format"], sessions, folder
        self.claude = self.fmt == "claude"
        self.world = World(r, areas=4 if kind == "repo_grows" else 6)
        self.w = (ClaudeWriter if self.claude else CodexWriter)(r, folder, self)
        lv = lambda s=0.25: math.exp(max(-1.5 * s, min(1.5 * s, r.gauss(0, s))) - s * s / 2)
        self.level = {k: lv() for k in ("slip", "reread", "corr", "intr", "stale", "fail")}
        self.len_level = lv(0.2)
        self.jit = {k: lv(0.3) for k in MIX["even"]}
        self.style = r.choice(W.STYLES)
        self.verbose = r.uniform(0.75, 1.2)
        self.half = r.randint(0, 1)
        self.lint_p, self.commit_p = (0.3, 0.25) if kind == "rules_edited" else (r.uniform(.3, .6), r.uniform(.25, .5))
        self.fail_p = 0.22 * self.level["fail"]
        self.ctx = Ctx()
        self.mood = [r.gauss(0, 1) for _ in range(5)]
        self.stat = {"uses": 0, "stale": 0, "tests": 0, "failed": 0, "compact": 0, "rejects": 0, "intr_ops": 0, "nohit": 0, "after": [0, 0, 0, 0, 0], "before": [0, 0, 0, 0, 0]}
        self.tz = timezone(timedelta(hours=1))
        self.models = ["claude-sonnet-4-5-20250929", "claude-opus-4-5-20251101"] if self.claude else ["gpt-5.1-codex", "gpt-5.2-codex"]
        self.long_at = int(sessions * r.uniform(.4, .7))
        self.after = False

    # ---- plan of the life
    def phase(self, s):
        self.s, self.u = s, s / max(1, self.n - 1)
        u, k, wd = self.u, self.kind, self.world
        late = s >= self.n // 2
        mix = MIX["even"]
        blend = lambda a, b, x: {t: MIX[a][t] * (1 - x) + MIX[b][t] * x for t in MIX["even"]}
        if k == "tasks_drift":
            mix = blend("build", "run", u)
        elif k == "tasks_switch":
            mix = MIX["quiet" if late else "build"]
        elif k == "seasons":
            mix = blend("build", "quiet", 0.5 - 0.5 * math.cos(4 * math.pi * u))
        elif k == "another_user":
            mix = MIX["run" if late else "build"]
        self.weights = [mix[t] * self.jit[t] for t in mix]
        self.names = list(mix)
        self.tdd = 0.1 + 0.8 * u if k == "tests_first" else 0.1
        if k == "files_grow":
            wd.grow_to(1 + 2 * u)
        if k == "repo_grows":
            while len(wd.by_area) < 4 + round(7 * u) and len(wd.by_area) < len(wd.all_areas):
                wd.add_area(wd.all_areas[len(wd.by_area)])
        self.sub_p = 0.8 * u if k == "subagents_adopted" else (0.04 if self.claude else 0)
        self.mcp_p = 0.75 * u if k == "mcp_adopted" else 0
        self.terse = u if k == "terser_users" else 0.05
        self.lang = "en"
        if k == "another_language" and late:
            self.lang = "es" if self.half else "pl"
        self.voice, self.st = None, self.style
        if k == "another_user":
            self.voice = self.half ^ int(late)
            i = W.STYLES.index(self.style)
            self.st = W.STYLES[(i + 1) % 4] if late else self.style
        self.model = self.models[1 if k == "model_upgrade" and late else 0]
        v = VERS[self.fmt]
        self.version = v[min(len(v) - 1, int(u * len(v)))] if k == "client_upgrades" else v[2] if self.claude else v[1]
        if k == "client_with_tools":
            self.w.old_tools = not late
            self.version = v[2 if late else 0]
        if k == "rules_edited" and s > self.n // 2:
            self.lint_p, self.commit_p = 0.9, 0.85
        self.add_slip = 0.12 * u if k.startswith("h_errors") else 0.0
        self.rr = 0.08 + (0.22 * u if k == "h_rereads" else 0)
        self.hit = 1.5 + u if k == "h_after_compactions" else 1.0

    def steps_mood(self):
        r = self.rng
        c = math.sqrt(1 - 0.09)
        self.mood = [0.3 * m + c * r.gauss(0, 1) for m in self.mood]
        sh = self.mood[0]
        f = lambda i: math.exp(0.25 * (0.6 * sh + 0.8 * self.mood[i]) - 0.03125)
        self.m = {"slip": f(1), "reread": f(2), "corr": f(3), "intr": f(4), "stale": 1.0}

    def rate(self, name, base):
        return base * self.level[name] * self.m[name]

    # ---- doing things
    def run(self):
        r, w = self.rng, self.w
        os.makedirs(self.folder, exist_ok=True)
        keys = ("calls", "errors", "reads", "rereads", "requests", "corrections", "interrupts")
        lab = {k: [] for k in keys}
        day = datetime(2025, 9, 1, tzinfo=self.tz) + timedelta(days=r.randint(0, 20))
        left, now = 0, day
        breaks = {self.n // 3, (2 * self.n) // 3} if self.kind == "holidays" else set()
        for s in range(self.n):
            if s in breaks:
                day += timedelta(days=r.randint(15, 27))
                left = 0
            if left == 0:
                day += timedelta(days=1)
                while day.weekday() > 4 or r.random() < 0.22:
                    day += timedelta(days=1)
                left = r.choice([1, 1, 1, 2, 2, 3])
                now = day + timedelta(hours=r.uniform(8, 10.5))
            else:
                now = max(w.now + timedelta(minutes=r.uniform(15, 90)), now)
            left -= 1
            self.phase(s)
            self.steps_mood()
            self.c = dict.fromkeys(keys, 0)
            self.session(now)
            for k in keys:
                lab[k].append(self.c[k])
        return lab

    def session(self, now):
        r, w, wd = self.rng, self.w, self.world
        n = max(3, min(10, round(r.lognormvariate(math.log(5.2 * self.len_level), 0.36))))
        if r.random() < 0.07:
            n = r.randint(1, 2)
        comp = r.random() < 0.1
        if self.kind == "h_after_compactions":
            comp = self.s % 3 == 1
        if comp:
            n = max(n, 4)
        long = self.kind == "one_very_long" and self.s == self.long_at
        at = {r.randint(1, max(1, n // 2))} if comp else set()
        if long:
            n = 5 * max(n, 5)
            at = {n // 4, n // 2, (4 * n) // 5}
        branch = "main" if r.random() < 0.2 else f"{r.choice(['feat', 'fix', 'chore'])}/{r.choice(wd.words)}-{r.randint(100, 999)}"
        w.start(now, wd.cwd, self.version, self.model, branch)
        w.growth = 5.0 if at else 1.6
        self.ctx, self.after, self.at = Ctx(), False, at
        areas = list(wd.by_area)
        k = len(areas)
        if self.kind == "repo_grows":
            self.area = r.choices(areas, [1 + 2.2 * i / k for i in range(k)])[0]
        else:
            self.area = r.choice(areas)
        plan = self.kind == "plans_after_clear" and r.random() < 0.85 * self.u
        # settings that change
        tell, show = [], []
        news = [x for x in LABELS if r.random() < 0.05]
        if self.s == 0:
            news = r.sample(list(LABELS), 6)
        for x in news:
            wd.change(x)
            (tell if r.random() < 0.6 else show).append(x)
        broke, prev = False, None
        for i in range(n):
            self.i = i
            if i and r.random() < 0.25:
                self.area = r.choice(areas)
            tgt = wd.slots(self.area)
            self.c["requests"] += 1
            corr = bool(prev) and not broke and r.random() < self.rate("corr", 0.088)
            rules = self.kind == "rules_edited" and self.s == self.n // 2 and i == min(1, n - 1)
            if rules:
                task, text = "rules", self.rules_text()
                corr = False
            elif corr:
                task = SIDE.get(prev, "amend")
                self.c["corrections"] += 1
                text = self.pick(W.CORRECT, W.CORRECT_ES, W.CORRECT_PL).format(**tgt)
                text = self.manner(text, 0)
            elif i == 0 and plan:
                task = r.choice(["add", "restructure"])
                w.clear()
                text = self.plan_text(tgt)
            else:
                task = r.choices(self.names, self.weights)[0]
                if broke and prev and r.random() < 0.5:
                    task = prev
                    text = self.pick(W.RESUME, W.RESUME_ES, W.RESUME_PL).format(**tgt)
                else:
                    text = self.ask(task, tgt)
            if i == 0 or (tell and r.random() < 0.5):
                for x in tell:
                    text += ("\n" if text[-1] not in ".?!" or r.random() < 0.3 else " ") + self.pick(W.TOLD, W.TOLD_ES, W.TOLD_PL).format(label=LABELS[x], value=wd.values[x])
                tell = []
            w.user(text)
            if not corr:
                prev = task
            steps = self.steps(task)
            if i == 0 and plan:
                steps = self.steps("add") + steps
            if show:
                steps.insert(0, "env")
                show = []
            if corr and r.random() < 0.5:
                w.say(r.choice(W.ACK).format(**tgt))
            broke = self.work(steps, tgt, task)
            if not broke:
                self.finish(task, tgt)
            w.tick(40, 900 if r.random() < 0.8 else 3000)
        w.end()

    # ---- what users write
    def pick(self, en, es, pl):
        return self.rng.choice({"en": en, "es": es, "pl": pl}[self.lang])

    def manner(self, text, clauses, tgt=None):
        r, st = self.rng, self.st
        if st["lower"] and self.lang == "en" and r.random() < 0.8:
            text = text[:1].lower() + text[1:]
            text = text[:-1] if text.endswith(".") else text
        if self.lang == "en" and r.random() > self.terse:
            text = r.choice(st["pre"]) + text
            for _ in range(2):
                if r.random() < clauses * 0.5:
                    text += ("" if text[-1] in ".?!" else ".") + " " + r.choice(W.CLAUSES).format(**tgt)
            text += r.choice(st["post"])
        return text

    def ask(self, task, tgt):
        r = self.rng
        if self.lang != "en":
            return r.choice((W.ASK_ES if self.lang == "es" else W.ASK_PL)[task]).format(**tgt)
        if r.random() < self.terse:
            return r.choice(W.TERSE[task]).format(**tgt)
        l = W.ASK[task]
        if self.voice is not None:
            l = l[4 * self.voice:4 * self.voice + 4]
        return self.manner(r.choice(l).format(**tgt), self.st["clauses"] * self.verbose, tgt)

    def rules_text(self):
        f = "CLAUDE.md" if self.claude else "AGENTS.md"
        return f"Please put into {f}: run the linter after every change, and commit each finished piece on its own with a short message."

    def plan_text(self, tgt):
        r = self.rng
        out = [f"Implement the following plan:\n\n# Plan: {tgt['n']} with {tgt['col']} ({tgt['t']})\n\n## Why\n\nThe {tgt['m']} side of `{tgt['a']}` grew by accretion. {r.choice(W.CLAUSES).format(**tgt)}\n"]
        for i in range(r.randint(5, 9)):
            t = self.world.slots(self.area)
            out.append(f"## Step {i + 1}: {t['n']}\n\n- Open `{t['p']}` and find `{t['fn']}`.\n- Pass {t['col']} along to the {t['m']}, {t['num']} at most.\n- {r.choice(W.CLAUSES).format(**t)}\n- Cover it by a test near `{t['f']}`.\n")
        out.append("## Done when\n\n- all tests pass\n- the linter is silent\n- the readme mentions the change\n")
        return "\n".join(out)

    # ---- what the agent does
    def steps(self, task):
        r, out = self.rng, []
        tdd = task in ("fix", "add", "restructure") and r.random() < self.tdd
        first = True
        for name, lo, hi in TASKS[task]:
            if name == "lint":
                if r.random() < self.lint_p:
                    out.append("lint")
                continue
            if name == "commit":
                if r.random() < self.commit_p:
                    out += ["stage", "commit"]
                continue
            if name == "edit" and first and tdd:
                out += ["wtest", "tfail"]
            if name == "edit":
                first = False
            k = r.randint(lo, hi)
            if name in ("search", "read", "data", "use") and r.random() < 0.15:
                k += r.randint(1, 3)
            out += [name] * k
        if not self.claude and "todo" in out and r.random() < 0.5:
            out.remove("todo")
        return out or ["read"]

    def work(self, steps, tgt, task):
        """True if the user broke it off."""
        r, w = self.rng, self.w
        cut = None
        if r.random() < self.rate("intr", 0.03):
            cut = r.randrange(0, len(steps))
        comp = r.randrange(len(steps)) if self.i in self.at else None
        if comp is not None and cut is not None:
            cut = max(cut, comp + 1) if comp + 1 < len(steps) else None
        if self.after and self.hit > 1:
            extra = [x for x in steps if x in ("read", "search", "git", "edit", "use", "data", "sh", "tl")] or ["read"]
            for _ in range(round(len(steps) * (0.5 + 0.5 * (self.hit - 1.5)) + r.uniform(-.4, .4))):
                steps.insert(r.randrange(len(steps)), r.choice(extra))
        st0 = (self.c["calls"], self.c["errors"], self.c["reads"], self.c["rereads"])
        was = self.after
        j = 0
        while j < len(steps):
            if comp is not None and j == comp:
                self.compaction(tgt)
                comp = None
            if cut is not None and j == cut:
                self.c["interrupts"] += 1
                if r.random() < 0.5:
                    op = self.make(steps[j], tgt)
                    if op is not None and op["k"] not in ("sub", "todo", "mcp"):
                        self.c["calls"] += 1
                        self.stat["intr_ops"] += 1
                        w.interrupt(op)
                        return True
                w.interrupt()
                return True
            if r.random() < 0.28:
                w.say(r.choice(W.BEFORE).format(**tgt))
            # exploration handed to a helper
            if self.claude and self.sub_p and steps[j] in ("search", "read", "glob") and r.random() < self.sub_p:
                e = j
                while e < len(steps) and steps[e] in ("search", "read", "glob"):
                    e += 1
                if e - j >= 2:
                    self.helper(steps[j:e], tgt)
                    j = e
                    continue
            self.step(steps[j], tgt)
            j += 1
        b = self.stat["after" if was else "before"]
        for q, v in enumerate(st0):
            b[q] += self.c[("calls", "errors", "reads", "rereads")[q]] - v
        b[4] += 1
        return False

    def compaction(self, tgt):
        done = [f.path for f in self.ctx.files[-8:]]
        txt = "Summary:\n1. Primary request: work on {n} in {a} ({t}).\n2. Key parts: {fn}, {col}, {m}.\n3. Files:\n".format(**tgt) + "".join(f"   - {p}\n" for p in done) + "4. Pending: finish {m}, then run the tests of {a}.\n".format(**tgt)
        self.w.compact(txt)
        self.w.growth = 2.0
        self.stat["compact"] += 1
        if self.kind == "h_after_compactions":
            self.after = True

    def helper(self, steps, tgt):
        r, w = self.rng, self.w
        op = {"k": "sub", "desc": f"Explore {tgt['n']}", "agent": r.choice(["Explore", "general-purpose"]), "n": len(steps),
              "prompt": "Find out how {n} is handled in {a}, who calls {fn}, and where {col} comes from. Report file paths and the relevant functions; do not change anything.".format(**tgt),
              "out": "Findings: {n} is built in `{p}`; `{fn}` sets {col}; {m} reads it. Nothing else in {a} touches it.".format(**tgt)}
        if not self.attempts(op, "sub", last=False):
            return
        self.c["calls"] += 1
        main, self.ctx = self.ctx, Ctx()
        self.ctx.helper = True  # short conversations leave less to repeat
        h = w.open_side(op)
        for x in steps + [r.choice(["read", "search"]) for _ in range(r.randint(0, 2))]:
            self.step(x, tgt)
        w.close_side(op, h)
        self.ctx = main

    def attempts(self, op, kind, last=True, join=False):
        """Slips first, then the proper call; False if given up."""
        r = self.rng
        p = SLIP[kind] * self.level["slip"] * self.m["slip"] * (self.hit if self.after else 1) + self.add_slip * self.m["slip"]
        for _ in range(4):
            if r.random() >= p:
                break
            self.c["calls"] += 1
            self.c["errors"] += 1
            self.w.call(slip(op, r, self.world, self.claude))
            if r.random() < 0.1:
                return False
            if r.random() < 0.3:
                self.w.say(r.choice(W.AGAIN))
        if last:
            self.c["calls"] += 1
            if op["k"] in ("edit", "run") and r.random() < 0.006:
                self.stat["rejects"] += 1
                self.w.reject(op, r.choice(W.REJECT).format(**self.world.slots(self.area)))
                return False
            self.stat["nohit"] += op["k"] == "search" and not op["hits"]
            self.w.call(op, join)
        return True

    def unit(self, f):
        r, n = self.rng, len(f.lines)
        if n <= 240:
            return (f.path, None, None)
        st = 1 + 150 * r.randrange(math.ceil(n / 150))
        return (f.path, st, 150)

    def read_op(self, f, u):
        p, st, lim = u
        ls = f.lines if st is None else f.lines[st - 1:st - 1 + lim]
        return {"k": "read", "path": p, "start": st, "limit": lim, "lines": ls, "total": len(f.lines)}

    def do_read(self, f, u, again=False, join=False):
        if self.attempts(self.read_op(f, u), "read", join=join):
            self.c["reads"] += 1
            if again:
                self.c["rereads"] += 1
            self.ctx.seen[u] = (f, f.version)
            if f not in self.ctx.files:
                self.ctx.files.append(f)
            return True
        return False

    def read(self, f=None):
        r, c, wd = self.rng, self.ctx, self.world
        # a look at something known, for no reason
        p = min(0.7, self.rate("reread", self.rr) * (self.hit if self.after else 1) * (1.45 if c.helper else 1))
        if c.seen and r.random() < 1.13 * p / (1 - p):
            old = [(u, f0) for u, (f0, v) in c.seen.items() if f0.version == v]
            if old:
                u, f0 = r.choice(old)
                self.do_read(f0, u, True)
        for k in range(60):
            g = f or r.choice(wd.by_area[self.area] if k < 10 else wd.files)
            u = self.unit(g)
            x = c.seen.get(u)
            if x is None or x[1] != g.version:
                break
            f = None
        else:
            g = wd.add_file(self.area)
            u = self.unit(g)
        return self.do_read(g, u, join=r.random() < 0.2) and g

    def code(self, n):
        return [self.world._line() for _ in range(n)]

    def step(self, name, tgt):
        r, c, wd = self.rng, self.ctx, self.world
        if name == "read":
            self.read()
        elif name == "edit":
            if not c.files or r.random() < 0.12:
                if not self.read():
                    return
            f = r.choice(c.files[-4:])
            n = len(f.lines)
            i = r.randrange(max(1, n - 3))
            k = r.randint(1, 3)
            if len(f.lines[i]) < 20:
                k = min(3, n - i)
            old = f.lines[i:i + k]
            new = old[:1] + self.code(r.randint(1, 3)) if r.random() < 0.6 else self.code(k)
            if new == old or not "".join(old).strip():
                new, old = self.code(2), f.lines[i:i + 4]
            if self.attempts({"k": "edit", "path": f.path, "old": "\n".join(old), "new": "\n".join(new), "at": i + 1}, "edit"):
                f.lines[i:i + len(old)] = new
                f.version += 1
                if r.random() < 0.07:
                    u = self.unit(f)
                    if u not in c.seen or c.seen[u][1] != f.version:
                        self.do_read(f, u)
        elif name == "redit":
            ls = [f"# {wd.repo}", "", "## Rules", "", f"- Keep {tgt['n']} and {tgt['m']} apart.", f"- Tests live near {tgt['a']}.", "- No new dependency without asking.", "- Short functions."]
            f = File("CLAUDE.md" if self.claude else "AGENTS.md", self.area, "rules", ls)
            self.do_read(f, (f.path, None, None))
            self.attempts({"k": "edit", "path": f.path, "old": ls[7], "new": ls[7] + "\n- Run the linter after every change.\n- Commit each finished piece on its own.", "at": 8}, "edit")
        elif name in ("tl", "tfail"):
            fail = name == "tfail" and r.random() < 0.93 or name == "tl" and r.random() < self.fail_p
            for _ in range(4):
                op = self.make("test", tgt, fail)
                self.stat["tests"] += 1
                ok = self.attempts(op, "run")
                if not fail or not ok:
                    return
                self.stat["failed"] += 1
                if name == "tfail":
                    return
                self.step("edit", tgt)
                fail = r.random() < self.fail_p
        elif name in ("write", "wtest"):
            op = self.make(name, tgt)
            if self.attempts(op, "write"):
                f = wd.add_file(self.area, op["path"], None, op["text"].split("\n"))
                if f not in c.files and r.random() < 0.5:
                    c.files.append(f)
        elif name == "use":
            self.use()
        else:
            op = self.make(name, tgt)
            self.attempts(op, op["k"])

    def use(self):
        r, wd, st = self.rng, self.world, self.stat
        cmd, out = r.choice(USES)
        vals = dict(wd.values)
        stale = []
        for k in LABELS:
            if "{" + k + "}" in cmd and k in wd.old:
                st["uses"] += 1
                if r.random() < self.rate("stale", 0.04):
                    stale.append(k)
        num = r.randint(3, 90)
        good = {"k": "run", "cmd": cmd.format(num=num, **vals), "out": out.format(num=num), "desc": "Check " + cmd.split()[0]}
        if stale:
            st["stale"] += len(stale)
            for k in stale:
                vals[k] = wd.old[k]
            bad = dict(good, cmd=cmd.format(num=num, **vals))
            if r.random() < 0.55:
                bad.update(err=True, code=r.choice([1, 7, 128, 255]), out=STALE_ERR.get(cmd.split()[0], STALE_ERR["docker"]))
                self.c["errors"] += 1
                self.c["calls"] += 1
                self.w.call(bad)
                if r.random() < 0.5:
                    self.w.say(r.choice(W.AGAIN))
            else:
                good = bad
        self.attempts(good, "use")

    def make(self, name, tgt, fail=False):
        """The call for a step, as it should be."""
        r, wd, t = self.rng, self.world, self.world.tools
        a = self.area
        sl = tgt
        d = t["src"].format(repo=wd.repo, a=a)
        if name == "read":
            f = r.choice(wd.by_area[a])
            return {"k": "run", "cmd": f"wc -l {f.path}", "out": f"{len(f.lines)} {f.path}", "desc": "Count lines"}
        if name in ("edit", "tl", "tfail", "wtest", "write", "use") and name not in ("write", "wtest"):
            name = "test"
        if self.mcp_p and r.random() < self.mcp_p * (1 if name in ("search", "glob") else 0.5) and name in ("search", "glob", "data", "git", "sh"):
            w = r.choice(wd.words)
            if name in ("search", "glob"):
                nm, args = r.choice([("mcp__cartograph__find_symbol", {"symbol": sl["fn"] if r.random() < .3 else w, "folder": d}), ("mcp__cartograph__search_text", {"query": w, "limit": 20}), ("mcp__cartograph__outline", {"path": r.choice(wd.by_area[a]).path})])
                out = "\n".join(f"{f.path}:{r.randint(1, 90)} {w}" for f in r.sample(wd.by_area[a], r.randint(1, 5)))
            else:
                nm, args = r.choice([("mcp__tablehouse__run_query", {"sql": f"select {sl['col']}, count(*) from {w}s group by 1 limit {r.randint(5, 50)}"}), ("mcp__forge__list_changes", {"since_days": r.randint(1, 30), "area": a}), ("mcp__forge__show_change", {"id": f"{r.getrandbits(28):07x}"})])
                out = "\n".join(f"{w}{i} {r.randint(1, 900)}" for i in range(r.randint(2, 7)))
            return {"k": "mcp", "name": nm, "args": args, "out": out}
        if name == "search":
            w = r.choice(wd.words)
            there = r.random() < 0.82
            pat = r.choice([w, f"{w}.*{r.choice(wd.words)}", w.capitalize(), f"\\b{w}s?\\b", sl["fn"]]) if there else f"{w}_{r.choice(wd.words)}_{r.randint(2, 99)}"
            hits = []
            if there:
                for f in r.sample(wd.by_area[a], r.randint(1, 4)):
                    i = next((q for q, x in enumerate(f.lines) if w in x.lower()), 0)
                    hits.append((f.path, i + 1, f.lines[i]))
            return {"k": "search", "pattern": pat, "path": d if r.random() < 0.7 else None, "hits": hits, "mode": r.choice(["content", "files_with_matches"]), "code": 0 if hits else 1}
        if name == "glob":
            f = r.choice(wd.by_area[a])
            pat = r.choice([f"{d}/**/*.{t['ext']}", f"**/*{f.stem}*", f"**/{a}/*"])
            return {"k": "glob", "pattern": pat, "hits": [x.path for x in wd.by_area[a][:12]]}
        if name == "todo":
            xs = ["Read {f}", "Change {fn}", "Cover {m}", "Run tests of {a}", "Update notes on {n}"]
            r.shuffle(xs)
            return {"k": "todo", "items": [(x.format(**sl), "in_progress" if i == 0 else "pending") for i, x in enumerate(xs[:r.randint(3, 5)])]}
        if name in ("write", "wtest"):
            p = t["test"].format(a=a, s=f"{r.choice(wd.words)}_{r.choice(wd.words)}") if name == "wtest" or r.random() < 0.5 else f"{d}/{r.choice(wd.words)}_{r.choice(wd.words)}_{wd.c['stems'][r.randrange(12)]}.{t['ext']}"
            while p in wd.paths:
                h, _, e = p.rpartition(".")
                p = f"{h}{r.randint(2, 99)}.{e}"
            return {"k": "write", "path": p, "text": "\n".join(self.code(r.randint(12, 45)))}
        if name == "test":
            cmd = r.choice(t["runtest"]).format(**sl)
            tot = r.randint(8, 160)
            if fail:
                b = r.randint(1, 4)
                out = {"py": f"F..\nE   AssertionError: {r.randint(2, 40)} != {r.randint(41, 90)}\nFAILED tests/{a}/test_{sl['s']}.py::test_{sl['fn']}\n{b} failed, {tot} passed in {r.uniform(.4, 20):.2f}s",
                       "ts": f" FAIL  packages/{a}/test/{sl['s']}.test.ts > {sl['fn']}\nAssertionError: expected {r.randint(2, 40)} to be {r.randint(41, 90)}\n Tests  {b} failed | {tot} passed",
                       "go": f"--- FAIL: Test{sl['W']} (0.0{r.randint(1, 9)}s)\n    {sl['s']}_test.go:{r.randint(20, 200)}: got {r.randint(2, 40)}, want {r.randint(41, 90)}\nFAIL\t{wd.repo}/internal/{a}\t0.{r.randint(100, 900)}s"}[wd.lang]
                return {"k": "run", "cmd": cmd, "out": out, "err": True, "code": 1, "desc": "Run tests"}
            out = {"py": f"{tot} passed in {r.uniform(.4, 20):.2f}s", "ts": f" Tests  {tot} passed ({tot})\n Duration  {r.uniform(.5, 9):.2f}s", "go": f"ok  \t{wd.repo}/internal/{a}\t{r.uniform(.1, 6):.3f}s"}[wd.lang]
            return {"k": "run", "cmd": cmd, "out": out, "desc": "Run tests"}
        ver = wd.values["version"]
        if name == "lint":
            cmd, out, desc = r.choice(t["lint"]).format(**sl), r.choice(["", "All checks passed", "0 issues."]), "Lint"
        elif name == "build":
            cmd, out, desc = r.choice(t["build"]).format(**dict(sl, reg=wd.values["registry"], ver=ver)), f"built in {r.uniform(2, 60):.1f}s", "Build"
        elif name == "inst":
            cmd, out, desc = r.choice(t["inst"]).format(**sl), f"resolved {r.randint(40, 400)} packages, {r.randint(0, 9)} changed", "Update packages"
        elif name == "git":
            cmd = r.choice([f"git diff main...HEAD -- {d}", "git log --oneline -12", "git status --short", f"git show {r.getrandbits(28):07x} --stat", f"git blame -L {r.randint(1, 30)},+20 {r.choice(wd.by_area[a]).path}"])
            out, desc = "\n".join(f"{r.getrandbits(28):07x} {x}" for x in self.code(r.randint(2, 9))), "Look at history"
        elif name == "stage":
            cmd, out, desc = f"git add -A {d}" if r.random() < .6 else "git add -A", "", "Stage"
        elif name == "commit":
            cmd, out, desc = f"git commit -m \"{a}: {sl['n']} keeps {sl['col']}\"", f"[work {r.getrandbits(28):07x}] {a}: {sl['n']}\n {r.randint(1, 6)} files changed, {r.randint(3, 120)} insertions(+)", "Commit"
        elif name == "env":
            cmd, desc = f"grep -v '^#' deploy/settings.env", "Show settings"
            out = "\n".join(f"{k.upper()}={v}" for k, v in wd.values.items())
        elif name == "data":
            col, w = r.choice(wd.cols), r.choice(wd.words)
            body = r.choice([f"rows=list(csv.DictReader(open('data/inbox/{w}s.csv'))); print(len(rows), sum(1 for x in rows if not x['{col}']))", f"c=Counter(x['{col}'] for x in csv.DictReader(open('data/inbox/{w}s.csv'))); print(c.most_common({r.randint(3, 12)}))",
                             f"v=sorted(float(x['{col}']) for x in csv.DictReader(open('data/dump_{w}.csv'))); print(v[len(v)//{r.randint(2, 20)}])"])
            return {"k": "run", "cmd": f"python3 -c \"import csv; from collections import Counter; {body}\"", "out": f"{r.randint(100, 9000)} {r.randint(0, 90)}", "desc": "Count", "sort": "data", "col": col}
        else:
            w = r.choice(wd.words)
            cmd = r.choice([f"ls -la data/inbox", f"wc -l data/inbox/{w}s.csv", f"head -n {r.randint(3, 20)} data/inbox/{w}s.csv", f"ls docs/{a}", f"du -sh data/{w}", f"find docs -name '{w}*'"])
            out, desc = "\n".join(f"{r.randint(10, 99999)} {w}{i}" for i in range(r.randint(1, 9))), "Look around"
        return {"k": "run", "cmd": cmd, "out": out, "desc": desc}

    def finish(self, task, tgt):
        r = self.rng
        if self.lang == "es":
            t = r.choice(ES)
        elif self.lang == "pl":
            t = r.choice(PL)
        else:
            t = r.choice(W.DONE.get(task) or W.DONE["fix" if task == "amend" else "explain"]) + " " + r.choice(W.CARE)
        self.w.say(t.format(**tgt).strip(), final=True)
