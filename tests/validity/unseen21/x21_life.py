"""One life: a developer and an agent at work for many sessions; acts go to a writer, labels are kept."""
import math
from random import Random

from . import x21_words as words
from .x21_world import COMPANIES, DEF, GUARD, SETTINGS, Repo, File, more_lines, names
from .x21_write import Claude, Codex

LABELS = "calls errors reads rereads requests corrections interrupts value_uses stale lookalike_picks file_targets compactions".split()
EXTRA = "test_runs tests_failed tests_failed_marked stale_failed rejected no_match".split()
BASE = dict(slip=.05, reread=.08, correction=.07, interrupt=.03, stale=.04, lookalike=.03)
RETRY, STALE_RETRY = .85, .8

# steps of each kind of task; a list inside is a choice, "x?.4" happens with that chance
STEPS = {
    "fix": "search target other?.5 test edit other?.3 test git?.4 commit?.3".split(),
    "feature": "plan?.5 search target other edit target edit write?.6 edit?.6 lint?.5 test types?.4 commit?.4".split(),
    "refactor": "search search?.6 target other edit edit edit?.7 other?.4 edit?.5 types test git".split(),
    "question": "search target other?.7 search?.6 other?.4".split(),
    "review": "git git target other target?.6 other?.5 test?.3".split(),
    "data": "search?.4 script run sql?.6 run?.5 edit_script?.5 run?.4".split(),
    "ops": "kube kube?.7 logs config?.3 logs?.5 kube?.5".split(),
    "docs": "glob note other edit_note edit_note?.7 docs?.6 git?.3".split(),
    "tests": "target read_test write_test test edit_test?.6 test lint?.3".split(),
    "release": "git note edit_note manifest?.5 build test?.5 git tag?.6".split(),
    "deps": "outdated manifest install build test?.6 search?.4 git?.3".split(),
    "perf": "bench target other?.5 edit bench edit?.4 test bench?.5".split(),
}
USES = dict(fix=.6, feature=.5, refactor=.25, question=.25, review=.4, data=2.3, ops=2.8, docs=.3, tests=.4, release=2.4, deps=.6, perf=.7)
REDO = {"question": ("target", "search"), "review": ("git", "other"), "data": ("edit_script", "run"), "ops": ("logs", "kube"), "docs": ("edit_note",),
        "release": ("edit_note", "git"), "deps": ("install", "build"), "tests": ("edit_test", "test")}
STEADY = dict(fix=5, feature=4, refactor=2.5, question=3, review=2, data=2.5, ops=2.5, docs=1.5, tests=2.5, release=1.5, deps=1, perf=1.5)
OTHER = dict(fix=2, feature=1, refactor=1, question=1.5, review=2, data=5, ops=6, docs=2, tests=1, release=4, deps=2, perf=1)
SLIP_BY_TASK = dict(fix=1, feature=1, refactor=.95, question=.7, review=.75, data=1.3, ops=1.25, docs=.75, tests=1.05, release=1.15, deps=1.2, perf=1.05)
FIX_BY_TASK = dict(fix=1.1, feature=1.25, refactor=.9, question=.7, review=.7, data=1.2, ops=.9, docs=.8, tests=1, release=.9, deps=.9, perf=1.2)


def norm(table):
    """Factors by kind of task that average to one over the steady mix."""
    mean = sum(STEADY[k] * table[k] for k in table) / sum(STEADY.values())
    return {k: v / mean for k, v in table.items()}


SLIP_BY_TASK, FIX_BY_TASK = norm(SLIP_BY_TASK), norm(FIX_BY_TASK)


def hourly(day, hour):
    return day * 86400.0 + hour * 3600


class Life:
    def __init__(self, kind, spec, seed, sessions, folder):
        self.kind, self.spec, self.n = kind, spec, sessions
        r = self.rng = Random(f"x21|{kind}|{seed}|{sessions}")
        self.world = w = r.choice(COMPANIES)
        self.repo = Repo(r, w, packages=4 if kind == "repo_grows" else 7)
        self.person = r.choice(words.PEOPLE)
        self.style = self.habits()
        claude = spec["format"] == "claude"
        look = dict(home=r.choice(("/home", "/Users")), place=r.choice(("src", "work", "code/repos")), slow=r.uniform(1, 6), style=r.randrange(3), tools="exec",
                    version=f"2.1.{r.randrange(3, 18)}" if claude else f"0.14{r.randrange(3)}.{r.randrange(6)}",
                    model=r.choice(("claude-opus-4-5-20251101", "claude-sonnet-4-5-20250929")) if claude else "gpt-5.2-codex")
        if kind == "client_with_tools":
            look.update(tools="shell", version="0.46.0", model="gpt-5-codex")
        if kind == "rules_edited" or r.random() < .5:
            look["rules"] = self.repo.rules.lines
        self.repo.rules.path = "CLAUDE.md" if claude else "AGENTS.md"
        self.w = (Claude if claude else Codex)(r, folder, w, self.person, look)
        self.level = {k: math.exp(.2 * r.gauss(0, 1) - .02) for k in BASE}
        self.z, self.terse, self.german, self.tdd = r.gauss(0, 1), 0.0, False, .05
        self.agents, self.mcp = (.03 if claude else 0), 0.0
        self.pipe = r.choice((0, 0, .3, .6))
        self.versions = sorted(r.sample(range(1, max(2, sessions)), min(6, max(1, sessions - 1))))
        self.day = 20400 + r.randrange(150)
        self.labels = {k: [] for k in LABELS + EXTRA}

    def habits(self):
        r = self.rng
        return dict(opener=r.random() * .5, closer=r.random() * .6, context=r.random() * .6, lower=r.random() < .4, requests=r.uniform(4.6, 6.2), ticket=r.choice(("TW", "AT", "GK", "OPS", "DEV")))

    # ---- calendar and what changes over a life

    def calendar(self):
        """Start times: one to three sessions on a working day; holidays leave gaps."""
        r, left = self.rng, self.n
        self.free = 0.0
        gaps = {int(self.n * .3): r.randrange(12, 20), int(self.n * .65): r.randrange(14, 24)} if self.kind == "holidays" else {}
        i = 0
        while left:
            for at in list(gaps):
                if i >= at:
                    self.day += gaps.pop(at)
            while self.day % 7 in (2, 3):          # Saturday and Sunday
                self.day += 1
            hour = r.uniform(7.2, 9.5)
            for _ in range(min(left, r.choice((1, 2, 2, 2, 3)))):
                yield max(hourly(self.day, hour), self.free + r.uniform(300, 3000))
                hour, left, i = hour + r.uniform(1.6, 3.2), left - 1, i + 1
            self.day += 1 if r.random() < .85 else 2

    def progress(self, i):
        return i / (self.n - 1) if self.n > 1 else 0.0

    def prepare(self, i):
        """Everything that depends on the place in life: rates, mix of tasks, client, habits."""
        k, p, r, w = self.kind, self.progress(i), self.rng, self.w
        half = i >= self.n // 2
        if i:
            self.z = .3 * self.z + math.sqrt(1 - .09) * r.gauss(0, 1)
        mood = math.exp(.25 * self.z - .03)
        add = {"h_errors_claude": ("slip", .12 * p), "h_errors_codex": ("slip", .12 * p), "h_errors_strong": ("slip", .33 * p), "h_rereads": ("reread", .22 * p),
               "h_lookalikes": ("lookalike", .25 * p), "h_stale_shown": ("stale", .26 * p), "h_stale_told": ("stale", .26 * p),
               "s_client": ("slip", .15 * half), "s_silent": ("slip", .15 * half)}.get(k, ("", 0))
        self.p = {name: (BASE[name] * self.level[name] + (add[1] if name == add[0] else 0)) * mood for name in BASE}
        self.harm = p if k == "h_lookalikes" else 0
        share = {"tasks_drift": p, "tasks_switch": float(half), "seasons": .5 - .5 * math.cos(4 * math.pi * p), "another_user": .35 * half}.get(k, 0)
        self.mix = [STEADY[t] * (1 - share) + OTHER[t] * share for t in words.KINDS_OF_TASK]
        if k == "files_grow" and i:
            for f in self.repo.files:
                more_lines(r, self.world, f.lines, 5 + len(f.lines) // 30)
        if k == "repo_grows" and i and i % max(1, self.n // 12) == 0:
            p_name = next((x for x in self.world["packages"] if x not in self.repo.packages), None)
            for _ in range(3):
                if self.repo.own:
                    self.repo.add(r.choice(self.repo.packages), self.repo.own.pop())
            if p_name and i % 2 == 0:
                self.repo.packages.append(p_name)
                self.repo.add_package(p_name)
        if k == "subagents_adopted":
            self.agents = max(0, min(.6, (p - .25) * 1.2))
        if k == "mcp_adopted":
            self.mcp = max(0, min(.5, (p - .3) * 1.2))
        if k == "client_upgrades" and i in self.versions:
            w.version = "2.1." + str(int(w.version.split(".")[-1]) + r.randrange(3, 11))
        if k == "s_client" and i == self.n // 2:
            w.version = "2.1." + str(int(w.version.split(".")[-1]) + 14)
        if k == "model_upgrade" and i == self.n // 2:
            w.model, w.version = "gpt-5.5-codex", "0.143.0"
        if k == "client_with_tools" and i == self.n // 2:
            w.version, w.look["tools"] = "0.142.0", "exec"
        if k == "terser_users":
            self.terse = p
        if k == "another_language":
            self.german = half
        if k == "another_user" and i == self.n // 2:
            self.person = r.choice([x for x in words.PEOPLE if x != self.person])
            w.settle(self.person)
            self.style = dict(self.habits(), lower=not self.style["lower"], requests=self.style["requests"] * r.choice((.75, 1.3)))
        if k == "tests_first":
            self.tdd = .05 + .85 * p

    # ---- one session

    def run(self):
        for i, t in enumerate(self.calendar()):
            self.prepare(i)
            self.session(i, t)
            self.free = self.w.t
        return self.labels

    def session(self, i, t):
        r, w = self.rng, self.w
        self.c = dict.fromkeys(self.labels, 0)
        self.seen, self.owed, self.opened, self.past = {}, 0, [], []
        self.after = False
        self.task = "question"
        tiny = r.random() < .065 and i > 0
        want = r.randrange(1, 3) if tiny else max(3, min(10, round(r.gauss(self.style["requests"], 1.6))))
        limit = 14 if tiny else 66
        if self.kind == "one_very_long" and i == int(self.n * .55):
            want, limit, tiny = 60, r.randrange(300, 385), False
        branch = r.choice(("main", f"{self.person[0]}/{r.choice(self.world['nouns'])}-{r.choice(words.KINDS_OF_TASK)}"))
        plan = self.kind == "plans_after_clear" and r.random() < min(.7, max(0, self.progress(i) * 1.1 - .2))
        w.start(t, branch, cleared=plan)
        harmed = self.kind == "h_after_compactions"
        compacts = not tiny and r.random() < (.44 if harmed else .10) / .935
        compact_at = max(6, int(want * 7.2 * r.uniform(.2, .5) if harmed else want * 7.2 * r.uniform(.3, .7))) if compacts else 10 ** 9
        changes = [] if tiny else r.sample(SETTINGS, 4) if i == 0 else r.sample(SETTINGS, r.choices((0, 1, 2), (28, 46, 26))[0])
        plan_of_changes = sorted(((r.randrange(want) if i else r.randrange(1, want)), row) for row in changes)
        j, stopped = 0, False
        if self.kind == "rules_edited" and i in self.versions:
            rules(self)
        while j < want and (j < min(want, 3) or self.c["calls"] < limit):
            here = [row for at, row in plan_of_changes if at == j]
            stopped = self.request(i, j, tiny, plan and j == 0, here, want, stopped, compact_at)
            j += 1
            w.t += min(2400, 25 + r.expovariate(1 / 150))
        w.close()
        for name in self.labels:
            self.labels[name].append(self.c[name])

    def request(self, i, j, tiny, plan, changes, want, stopped, compact_at):
        """One message of the user and the work on it; says whether the user stopped it."""
        r, w = self.rng, self.w
        chance = self.p["correction"] * FIX_BY_TASK[self.task] * want / max(1, want - 1)
        corrected = j > 0 and not stopped and r.random() < chance
        self.corrected = corrected
        if not corrected:
            self.task = "question" if tiny and r.random() < .6 else r.choices(words.KINDS_OF_TASK, self.mix)[0]
            if plan:
                self.task = r.choice(("feature", "refactor", "feature", "fix"))
            near = [f for f in self.repo.files if f.twins]
            self.focus = r.choice(near if r.random() < .62 else self.repo.files)
        verb, self.noun, self.fn = names(r, self.world)
        defs = [x for x in self.focus.lines if x.startswith(DEF[self.world["lang"]])]
        if defs:
            self.fn = r.choice(defs)[len(DEF[self.world["lang"]]):].split("(")[0]
        self.slots = dict(fn=self.fn, file=self.focus.short, noun=self.noun, ticket=f"{self.style['ticket']}-{r.randrange(200, 2400)}", thing=self.focus.short)
        text = self.plan_text() if plan else self.speech(corrected)
        told_chance = {"h_stale_told": 1, "h_stale_shown": 0}.get(self.kind, .5)
        shown = []
        for row in changes:
            if r.random() < told_chance:
                text = self.tell(text, row)
            else:
                shown.append(row)
        w.user(text)
        self.c["requests"] += 1
        self.c["corrections"] += corrected
        steps = self.steps(corrected, tiny, plan)
        if i == 0 and j == 0:
            steps = [("config", 0), ("config", 1)] + [("show", row) for row in shown] + steps
        else:
            steps = [("show", row) for row in shown] + steps
        cut = r.randrange(len(steps)) if r.random() < self.p["interrupt"] else -1
        if corrected and r.random() < .6:
            w.say(r.choice(words.SORRY))
        for at, step in enumerate(steps):
            if self.c["calls"] >= compact_at and not self.c["compactions"]:
                self.compact()
            if at == cut:
                self.c["interrupts"] += 1
                if w.interrupt("shell", (self.test_command(self.focus), "Run tests")):
                    self.c["calls"] += 1
                    self.c["rejected"] += 1
                return True
            self.step(step)
            if self.owed:
                self.pay(.6)
            if self.after and r.random() < .22:
                self.again()
        self.pay(.8)
        group = "look" if self.task in ("question", "review") else "ran" if self.task in ("data", "ops", "release") else "edit"
        w.say(r.choice(words.DONE[group]).format(**self.slots))
        w.end_turn()
        return False

    # ---- words

    def speech(self, corrected):
        r = self.rng
        if corrected:
            pool = words.GERMAN_CORRECTIONS if self.german else words.CORRECTIONS
            if r.random() < self.terse * .8:
                pool = words.TERSE
            return self.finish(r.choice(pool).format(**self.slots), .4, plain=True)
        pool = (words.GERMAN if self.german else words.REQUESTS)[self.task]
        if self.terse and r.random() < self.terse:
            pool = sorted(pool, key=len)[:3]
        return self.finish(r.choice(pool).format(**self.slots), 1)

    def finish(self, text, much, plain=False):
        r, s = self.rng, self.style
        much *= 1 - self.terse
        if self.german:
            return text + (" " + r.choice(words.GERMAN_CONTEXT) if r.random() < s["context"] * much else "")
        if r.random() < s["context"] * much:
            text += ("" if text[-1] in ".?!" else ".") + " " + " ".join(r.sample(words.CONTEXT, r.choice((1, 1, 2))))
        if not plain and r.random() < s["opener"] * much:
            text = r.choice(words.OPENERS) + text
        if not plain and r.random() < s["closer"] * much:
            text += r.choice(words.CLOSERS)
        first = text.split(" ", 1)[0].rstrip(",.:;!?")
        return text[0].upper() + text[1:] if not s["lower"] and first.isalpha() and first.islower() else text

    def tell(self, text, row):
        old, new = self.repo.change(row)
        line = self.rng.choice(words.GERMAN_TOLD if self.german else words.TOLD).format(what=words.WHAT[row[0]], old=old, new=new)
        return f"{line}. {text}" if self.rng.random() < .5 else f"{text}\n\n{line}"

    def plan_text(self):
        r, s = self.rng, self.slots
        steps = [f"{n}. {v.title()} the {r.choice(self.world['nouns'])} in `{r.choice(self.repo.files).path}`\n   - keep the signature of `{self.fn}`\n   - cover the empty case\n   - log at debug level only"
                 for n, v in enumerate(r.sample(("read", "extend", "move", "guard", "simplify", "test", "wire up", "document", "measure"), r.randrange(5, 9)), 1)]
        return (f"Implement the following plan:\n\n# Plan: {s['ticket']} {self.noun} handling\n\n## Context\n\nThe {self.noun} path in `{self.focus.path}` grew over time. "
                f"This plan brings `{self.fn}` in line with the rest of the package without changing what callers see.\n\n## Steps\n\n" + "\n".join(steps) +
                f"\n\n## Verification\n\n- run the tests of `{self.focus.package}`\n- run the linter\n- compare the {self.noun} counts before and after\n")

    # ---- steps

    def steps(self, corrected, tiny, plan):
        r, task = self.rng, self.task
        names_ = REDO.get(task, ("target", "edit", "test")) if corrected else STEPS[task]
        out = []
        for x in names_:
            x, _, chance = x.partition("?")
            if not chance or r.random() < float(chance):
                out.append((x, None))
        if plan:
            out += [(x, None) for x in ("target", "edit", "test")]
        if not corrected and task in ("fix", "feature", "refactor", "tests") and r.random() < self.tdd:
            at = next((n for n, x in enumerate(out) if x[0].startswith(("edit", "write"))), len(out))
            out[at:at] = [("write_test", None), ("red", None)]
        if not corrected and task in ("question", "review", "feature", "fix") and r.random() < self.agents:
            out = [("task", None)] + [x for x in out if x[0] not in ("search", "other")]
        if tiny:
            out = out[:r.randrange(2, 6)]
        uses = USES[task] * (.3 if corrected or tiny else 1.12)
        for _ in range(int(uses) + (r.random() < uses % 1)):
            out.insert(r.randrange(1, len(out) + 1), ("use", None))
        return out

    def step(self, step):
        name, arg = step
        f = getattr(self, "do_" + name, None)
        if f:
            f(arg) if arg is not None else f()
        else:
            self.shell(*self.program(name))

    def do(self, verb, a, out="", code=0):
        """A call, with the chance to slip first; False when it slipped and was not repeated."""
        r, w, c = self.rng, self.w, self.c
        say = r.choice(words.LEAD).format(**self.slots) if r.random() < .3 else ""
        p = min(.9, self.p["slip"] * SLIP_BY_TASK[self.task] * (2 if self.after else 1))
        if r.random() < min(.85, p / (1 - min(.9, p * RETRY))):
            w.slip(verb, a, say)
            c["calls"] += 1
            c["errors"] += 1
            if r.random() > RETRY:
                return False
            say = r.choice(words.AFTER_SLIP) if r.random() < .4 else ""
        w.call(verb, a, out, code, say)
        c["calls"] += 1
        if verb in ("search", "shell") and not self.after:
            self.past.append((verb, a, out, code))
        return True

    def shell(self, cmd, desc, out, code=0):
        return self.do("shell", (cmd, desc), out, code)

    def read(self, f, at=None):
        """Read a part of the file that was not read since its last change; False if there is none."""
        r = self.rng
        size = len(f.lines)
        spans = [(None, None)] if size <= 240 else [(o, 160) for o in range(1, size + 1, 160)]
        free = [s for s in spans if (f.path, s) not in self.seen]
        if not free:
            return False
        if r.random() < self.p["reread"] * (2.4 if self.after else 1) / max(.1, 1 - self.p["reread"] * (2.4 if self.after else 1)):
            self.owed += 1
        span = r.choice(free) if size > 240 and r.random() < .3 else free[0]
        if self.do_read(f, span):
            self.seen[f.path, span] = f
            if f not in self.opened:
                self.opened.append(f)
        return True

    def do_read(self, f, span):
        o, n = span
        lines = f.lines if o is None else f.lines[o - 1:o - 1 + n]
        done = self.do("read", (f.path, o, n, len(f.lines)), lines)
        self.c["reads"] += done
        return done

    def pay(self, chance):
        """Needless rereads that are due: the same file and range once more."""
        while self.owed and self.rng.random() < chance:
            again = [k for k, f in self.seen.items() if f not in self.repo.config]   # settings may have moved: no needless reread
            if not again:
                return
            path, span = self.rng.choice(again)
            self.c["rereads"] += self.do_read(self.seen[path, span], span)
            self.owed -= 1

    def forget(self, f):
        for key in [k for k in self.seen if k[0] == f.path]:
            del self.seen[key]

    def compact(self):
        by_hand = self.rng.random() < .2
        self.w.compact(f"1. The user works on {self.world['repo']} and asked about {self.noun} handling.\n2. {self.focus.short} was looked at and partly changed.\n"
                       f"3. Next: finish the {self.task} task around {self.fn} and run the tests.", by_hand)
        self.seen.clear()
        self.c["compactions"] += 1
        if self.kind == "h_after_compactions":
            self.after = True

    def again(self):
        """Work done before the compaction is done once more."""
        r = self.rng
        if self.opened and r.random() < .4:
            self.read(r.choice(self.opened))
        elif self.past:
            verb, a, out, code = r.choice(self.past)
            if code == 0 and not a[0].startswith(("psql", "curl", "aws", "kubectl", "helm", "redis", "docker", "pg_", "./", "GOTOOL", "fnm", "uv run --python", "grep", "git log -1")) and "origin/" not in a[0]:
                self.do(verb, a, out, code)

    def do_target(self):
        """Open the file the work is about; a look-alike may be opened first by mistake."""
        r, c = self.rng, self.c
        f = self.focus
        if not self.corrected and any(k[0] == f.path for k in self.seen):
            near = [x for x in self.repo.files if x.twins and not any(k[0] == x.path for k in self.seen)]
            f = self.focus = r.choice(near) if near and r.random() < .6 else f
        if f.twins and not any(k[0] == f.path for k in self.seen):
            wrong = [x for x in f.twins if not any(k[0] == x.path for k in self.seen)]
            c["file_targets"] += bool(wrong)
            if wrong and r.random() < self.p["lookalike"]:
                x, before = r.choice(wrong), c["reads"]
                self.read(x)
                if c["reads"] > before:
                    c["lookalike_picks"] += 1
                    if r.random() < .25:
                        kept = list(x.lines)
                        self.change(x)
                        x.lines = kept
                        self.shell(f"git checkout -- {x.path}", "Restore the file", "Updated 1 path from the index")
                    if r.random() < .5:
                        self.w.say(r.choice(words.WRONG_FILE))
                    for _ in range(r.choice((0, 0, 1)) + (r.randrange(1, 3) if r.random() < self.harm * 1.5 else 0)):
                        self.do_search(f)
        self.read(f)

    def do_other(self):
        r = self.rng
        pool = [self.focus.test] if r.random() < .25 else [x for x in self.repo.files if x.package == self.focus.package and not x.twins] if r.random() < .5 else [
            x for x in self.repo.files if not x.twins or r.random() < .15]
        pool = [x for x in pool if not any(k[0] == x.path for k in self.seen)]
        if pool:
            self.read(r.choice(pool))

    def do_read_test(self):
        self.read(self.focus.test)

    def do_note(self):
        self.read(self.rng.choice(self.repo.notes))

    def do_manifest(self):
        f = getattr(self, "manifest", None)
        if f is None:
            f = self.manifest = File(self.world["manifest"], "", "manifest", [f"# {self.world['repo']}"] + [f"{x}-lib = 1.{n}" for n, x in enumerate(self.world["nouns"])])
        self.read(f)

    def do_config(self, which=None):
        self.read(self.repo.config[self.rng.randrange(2) if which is None else which])

    def do_search(self, f=None):
        r, f = self.rng, f or self.focus
        if self.mcp and r.random() < self.mcp * .5:
            return self.do_mcp()
        folder = self.world["src"].split("/{n}")[0].format(p=f.package)
        pattern = self.fn if r.random() < .6 else r.choice(self.world["nouns"])
        if r.random() < .04:
            claude = isinstance(self.w, Claude)
            done = self.do("search", (pattern + "Legacy", folder), "No matches found" if claude else "", int(not claude))
            self.c["no_match"] += done
            return done
        hits = [f"{x.path}:{n}:{line}" for x in ([f] + r.sample(self.repo.files, 2)) for n, line in enumerate(x.lines[:90], 1) if "log." in line or DEF[self.world["lang"]] in line][:r.randrange(3, 12)]
        return self.do("search", (pattern, folder), "\n".join(hits))

    def do_glob(self):
        pattern = self.rng.choice(("docs/**/*.md", f"**/{self.focus.name}*", "**/*.md"))
        self.do("glob", (pattern,), "\n".join(x.path for x in (self.repo.notes if "md" in pattern else [self.focus, self.focus.test])))

    def change(self, f):
        """Edit one function of a file that was read before."""
        r, lang = self.rng, self.world["lang"]
        spots = [n for n, x in enumerate(f.lines[:-2]) if x.startswith(DEF[lang]) or x.startswith(("- ", "test"))]
        if not spots:
            return
        n = r.choice(spots)
        mark = GUARD[lang].split("{")[0]
        if f.lines[n + 1].startswith(mark):
            old, new, size = f.lines[n:n + 3], [f.lines[n], f.lines[n + 2]], 3
        else:
            line = GUARD[lang].format(w=f"{self.noun} {r.randrange(900)}") if f.lines[n].startswith(DEF[lang]) else f"- note: {self.noun} {r.randrange(900)}"
            old, new, size = f.lines[n:n + 2], [f.lines[n], line, f.lines[n + 1]], 2
        if self.do("edit", (f.path, "\n".join(old), "\n".join(new))):
            f.lines[n:n + size] = new
            self.forget(f)

    def edit(self, f):
        if f not in self.opened:
            if not self.read(f) or f not in self.opened:
                return
        self.change(f)

    def do_edit(self):
        mine = [x for x in self.opened[-3:] if x in self.repo.files]
        self.edit(self.focus if self.focus in self.opened or not mine or self.rng.random() < .3 else mine[-1])

    def do_edit_test(self):
        self.edit(self.focus.test)

    def do_edit_note(self):
        notes = [x for x in self.opened if x in self.repo.notes]
        self.edit(notes[-1] if notes else self.rng.choice(self.repo.notes))

    def fresh(self, path, size):
        f = File(path, self.focus.package, path.rsplit("/", 1)[-1].split(".")[0], [])
        more_lines(self.rng, self.world, f.lines, size)
        if self.do("write", (path, "\n".join(f.lines))):
            self.opened.append(f)
        return f

    def do_write(self):
        self.fresh(self.world["src"].format(p=self.focus.package, n=f"{self.noun}{self.world['sep']}{self.rng.choice(words.KINDS_OF_TASK)}{self.rng.randrange(90)}"), 18)

    def do_write_test(self):
        n = f"{self.focus.name}{self.world['sep']}{self.noun}{self.rng.randrange(90)}"
        self.fresh(self.world["test"].format(p=self.focus.package, n=n), 16)

    def do_script(self):
        self.job = self.fresh(self.world["script"].format(n=f"{self.noun}{self.world['sep']}report{self.rng.randrange(90)}"), 24)

    def do_edit_script(self):
        if getattr(self, "job", None) in self.opened:
            self.change(self.job)

    def do_plan(self):
        self.do("plan", [f"{v} {self.noun}" for v in self.rng.sample(("Inspect", "Extend", "Test", "Wire up", "Document"), 3)])

    def do_mcp(self):
        name, given, out = self.rng.choice((
            ("mcp__linear__get_issue", {"id": self.slots["ticket"]}, f"{self.slots['ticket']}: {self.noun} handling\nstate: In Progress\nassignee: {self.person[1]}"),
            ("mcp__github__list_commits", {"repo": self.world["repo"], "perPage": 5}, f"3f2c1a {self.noun}: guard empty input\n91bb0e tests for {self.fn}"),
            ("mcp__docs__search", {"query": self.noun, "limit": 3}, f"1. {self.noun} lifecycle\n2. limits\n3. errors")))
        return self.do("mcp", (name, given), out)

    def do_task(self):
        r = self.rng

        def work():
            before = self.c["calls"]
            for _ in range(r.randrange(3, 8)):
                self.do_search() if r.random() < .4 else self.do_other()
            return self.c["calls"] - before
        prompt = f"Find out how {self.fn} in {self.focus.path} treats a {self.noun} and who calls it. Report file names and line numbers, change nothing."
        if r.random() < min(.85, self.p["slip"] * SLIP_BY_TASK[self.task] / (1 - .9 * self.p["slip"])):
            self.w.slip("task", (prompt,))
            self.c["calls"] += 1
            self.c["errors"] += 1
        self.c["calls"] += 1
        self.w.task(prompt, f"{self.fn} sits in {self.focus.path}; it is called from {r.choice(self.repo.files).path} and checks the {self.noun} first.", work)

    # ---- programs

    def test_command(self, f):
        t = self.world["test"].format(p=f.package, n=f.name.replace("_", self.world["sep"]))
        return self.world["test_cmd"].format(t=t, d=f.path.rsplit("/", 1)[0])

    def do_test(self, fail=.25):
        r, lang, f = self.rng, self.world["lang"], self.focus
        cmd = self.test_command(f)
        bad = r.random() < fail
        n = r.randrange(4, 40)
        if bad:
            out = {"python": f"{'.' * n}F\n=== FAILURES ===\n___ test_{self.fn} ___\n>       assert rows == expected\nE       AssertionError: assert 3 == 2\n=== 1 failed, {n} passed in {r.random() * 4:.2f}s ===",
                   "typescript": f" FAIL  {f.name} > {self.fn}\nAssertionError: expected 3 to be 2\n Test Files  1 failed\n      Tests  1 failed | {n} passed",
                   "go": f"--- FAIL: Test{self.fn} (0.00s)\n    got 3, want 2\nFAIL\nFAIL\t{self.world['repo']}/internal/{f.package}\t0.{n}s"}[lang]
        else:
            out = {"python": f"{'.' * n}\n{n} passed in {r.random() * 4:.2f}s", "typescript": f" Test Files  1 passed\n      Tests  {n} passed", "go": f"ok  \t{self.world['repo']}/internal/{f.package}\t0.{n}s"}[lang]
        piped = r.random() < self.pipe
        done = self.shell(cmd + (" 2>&1 | tail -20" if piped else ""), "Run the tests", out, int(bad and not piped))
        if done:
            self.c["test_runs"] += 1
            self.c["tests_failed"] += bad
            self.c["tests_failed_marked"] += bad and not piped
            if bad and fail < .5 and r.random() < .75:
                self.do_edit()
                if r.random() < .7:
                    self.do_test()

    def do_red(self):
        self.do_test(.92)

    def do_sql(self):
        """A local query: no setting in it."""
        self.shell(f"duckdb /tmp/{self.noun}s.db \"select day, count(*) from {self.noun}s group by 1 order by 1 desc limit 5\"", "Count by day",
                   "\n".join(f"2025-0{d}-1{d}|{self.rng.randrange(900)}" for d in range(1, 6)))

    def do_run(self):
        name = getattr(self, "job", None)
        cmd = self.world["run"].format(n=name.path.split("/")[1].split(".")[0] if name else f"{self.noun}_report")
        self.shell(cmd, "Run the script", f"{self.rng.randrange(9, 9000)} {self.noun}s\nwritten /tmp/{self.noun}s.csv")

    def do_git(self):
        if self.mcp and self.rng.random() < self.mcp:
            return self.do_mcp()
        return self.shell(*self.program("git"))

    def program(self, name):
        """Shell programs without settings: the command, its purpose and its output."""
        r, w, f = self.rng, self.world, self.focus
        d = f.path.rsplit("/", 1)[0]
        fill = lambda s: s.format(p=f.package, n=self.noun, f=f.path, d=d)
        if name == "git":
            return r.choice((("git status --short", "Show changes", f" M {f.path}\n?? notes.txt"), ("git diff --stat", "Show the diff", f" {f.path} | {r.randrange(2, 40)} +++--\n 1 file changed"),
                             ("git log --oneline -8", "Recent commits", "\n".join(f"{r.getrandbits(28):07x} {v} {self.noun}" for v in ("fix", "extend", "test", "clean"))),
                             (f"git diff HEAD~1 -- {f.path}", "Diff of the file", f"@@ -10,2 +10,3 @@\n {f.lines[min(8, len(f.lines) - 1)]}\n+{f.lines[min(9, len(f.lines) - 1)]}")))
        if name == "commit":
            return f"git add -A && git commit -m \"{f.package}: {self.noun} handling\"", "Commit", f"[{r.getrandbits(28):07x}] {f.package}: {self.noun} handling\n 2 files changed"
        if name == "kube":
            return r.choice((("kubectl get nodes", "Nodes", "node-1 Ready\nnode-2 Ready\nnode-3 Ready"), (f"kubectl top pods -l app={w['repo']}", "Load", f"{w['repo']}-worker-0  {r.randrange(90, 900)}m  {r.randrange(200, 900)}Mi"),
                             ("df -h /var/lib/data", "Disk", "/dev/sdb1  200G  131G  69G  66% /var/lib/data"), (f"systemctl status {w['repo']}-agent --no-pager", "Agent", "active (running)")))
        if name == "logs":
            return f"stern {w['repo']}-worker --since {r.choice((5, 15, 30))}m | grep -i {self.noun} | tail -20", "Worker logs", "\n".join(f"level=info msg=\"{self.noun} done\" id={r.randrange(9999)}" for _ in range(6))
        if name == "tag":
            return f"git tag -l --sort=-creatordate | head -{r.randrange(2, 6)}", "Recent tags", "nightly-3\nnightly-2"
        return {"lint": (fill(w["lint"]), "Lint", "All checks passed!"), "build": (w["build"], "Build", "build finished"), "types": (fill(w["types"]), "Check types", "Success: no issues found"),
                "docs": (w["docs"], "Build the docs", "INFO - Documentation built"), "outdated": (w["outdated"], "Outdated packages", "http-kit 1.4.0 2.0.1\nlog-lite 0.9 0.11"),
                "install": (w["install"], "Install", "Resolved 212 packages"), "bench": (fill(w["bench"]), "Benchmark", f"{self.noun}: {r.random() * 4:.3f} s +- 3 %")}[name]

    # ---- settings

    def do_show(self, row):
        """A new value comes to light in a tool result."""
        r, repo, (key, where, *_) = self.rng, self.repo, row
        f = repo.config[where]
        fresh = not any(k[0] == f.path for k in self.seen)
        before = list(f.lines)
        old, new = repo.change(row)
        way = r.choice(("config", "map", "log", "config") if fresh else ("map", "log"))
        reads = self.c["reads"]
        if way == "config":
            self.read(f)
            if self.c["reads"] > reads:
                return
        if way == "log":
            cmd = (f"git log -1 -p -- {f.path}", "Last change of the settings")
            out = f"commit {r.getrandbits(160):040x}\n    staging: update\n\n--- a/{f.path}\n+++ b/{f.path}\n" + "\n".join(f"-{a}\n+{b}" if a != b else f" {a}" for a, b in zip(before, f.lines))
        else:
            cmd = (f"kubectl get configmap {self.world['repo']}-staging-{'env' if not where else 'values'} -o yaml", "Settings in the cluster")
            out = "apiVersion: v1\ndata:\n" + "\n".join("  " + x.strip().replace("=", ": ") for x in f.lines[1:]) + "\nkind: ConfigMap"
        while not self.shell(*cmd, out):     # the news must arrive
            pass

    def do_use(self):
        """A command with a setting in it: the current value, or by mistake the one that was replaced."""
        r, repo, c = self.rng, self.repo, self.c
        changed = [row for row in SETTINGS if repo.old[row[0]]]
        row = r.choice(changed if changed and r.random() < .88 else SETTINGS)
        key, where, _, commands, broken = row
        known = bool(repo.old[key])
        again = STALE_RETRY if broken else 0
        command = r.choice(commands)
        p = min(.9, self.p["stale"])
        if known and r.random() < p / (1 - p * .47):     # .47: 7 of 12 kinds fail when outdated, most of these are repeated
            value = repo.old[key][-1]
            if not self.command(command, value, broken):
                return
            c["value_uses"] += 1
            c["stale"] += 1
            c["stale_failed"] += bool(broken)
            if not broken or r.random() > again:
                return
            if r.random() < .6:
                line = next(x for x in repo.config[where].lines if repo.value[key] in x)
                self.shell(f"grep -n {line.strip().split('=')[0].split(':')[0]} {repo.config[where].path}", "Look up the setting", line)
        if self.command(command, repo.value[key], None) and known:
            c["value_uses"] += 1

    def command(self, template, value, broken):
        w, r = self.world, self.rng
        fill = lambda s: s.replace("{tool}", w["tool"]).format(v=value, repo=w["repo"], dom=w["dom"], noun=self.noun)
        out, code = (fill(broken[1]), broken[0]) if broken else (r.choice(("ok", f"{r.randrange(2, 9000)}", f"{self.noun}s {r.randrange(90)} ready", '{"status":"ok"}')), 0)
        return self.shell(fill(template), "Check staging", out, code)


def rules(life):
    """Some sessions begin with an edit of the rules file, asked for by the user."""
    r, f = life.rng, life.repo.rules
    f.lines.append("- " + r.choice(("Prefer early returns.", "Never print in library code.", "Ask before adding a dependency.", "Name tests after the behaviour.", "Use the shared retry helper.", "Keep functions under forty lines.")))
    life.w.user(life.finish(f"add this to {f.path}: {f.lines[-1][2:]}", .5))
    life.c["requests"] += 1
    if life.do("edit", (f.path, f.lines[-2], f.lines[-2] + "\n" + f.lines[-1])):
        life.w.say("Added.")
    life.w.end_turn()
