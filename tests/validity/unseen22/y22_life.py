"""One life: plans the sessions, draws what goes wrong, and keeps the truth."""
import math
import random
from datetime import datetime, timedelta, timezone

from .y22_text import (AFTER_SLIP, AFTER_STOP, AFTER_WRONG, CORRECTIONS, CORRECTIONS_DE, CORRECTIONS_ES, FINALS, GERMAN, NEWS, NEWS_DE, NEWS_ES,
                       PREFIX, REQUESTS, RULES, SAYS, SPANISH, STALE_CORRECTIONS, TERSE)
from .y22_world import GONE, OWN, PEOPLE, PEOPLE_STYLE, TASK_SLIP, TASKS, File, add_family, bad_shell, fill, ok_output, test_output, value
from .y22_write import Claude, Codex

LABELS = ("calls", "errors", "reads", "rereads", "requests", "corrections", "interrupts", "value_uses", "stale", "lookalike_picks", "file_targets", "compactions")
SLIP = {"read": .036, "search": .045, "edit": .058, "shell": .062, "mcp": .05}  # planned share of calls of this sort, about 5 % together
RATE = {"reread": .08, "correction": .07, "interrupt": .03, "stale": .04, "look": .03, "compact": .10, "tiny": .065, "test_fails": .25}
HARM = {"h_errors_claude": ("slip", .12), "h_errors_codex": ("slip", .12), "h_errors_strong": ("slip", .33), "h_rereads": ("reread", .22),
        "h_lookalikes": ("look", .25), "h_stale_shown": ("stale", .26), "h_stale_told": ("stale", .26)}
STEP = {"s_client": ("slip", .15), "s_silent": ("slip", .15)}
CODE = ("fix", "feature", "refactor", "tests")
REDO = ("rET", "REV", "SRE", "ES", "VE", "rSE", "RrE")  # work after a correction
VERSIONS = ["2.1.4", "2.1.12", "2.1.29", "2.1.33", "2.1.39", "2.1.52", "2.1.61", "2.1.74", "2.1.90"]


class Life:
    """One project with one agent, session after session."""

    def __init__(self, kind, form, seed, sessions):
        self.kind, self.claude, self.n = kind, form == "claude", sessions
        self.rng = rng = random.Random(f"unseen22|{kind}|{seed}|{sessions}")
        self.ids = random.Random(f"ids|{kind}|{seed}|{sessions}")
        self.p = self.speaker = rng.choice(PEOPLE)
        self.files, self.stems, self.used, self.by_path = [], set(), set(), set()
        for alike in [False] * 20 + [True] * 16:
            add_family(rng, self.p, self.files, alike, self.stems, 1.)
        self.by_path = {f.path for f in self.files}
        self.config = File(self.p.config, 12)
        self.guide = File("AGENTS.md", 8)
        self.hist = {s.key: [value(rng, s.sort, self.used)] for s in self.p.settings}
        self.level = {k: math.exp(rng.gauss(0, .2) - .02) for k in ("slip", "reread", "correction", "interrupt", "stale", "look")}
        self.mix_a, self.mix_b = ({t: rng.gammavariate(3, 1) / 3 for t in TASKS} for _ in "ab")
        for t in TASKS:
            if kind in ("tasks_drift", "tasks_switch", "seasons"):
                first = t in ("fix", "explain", "docs", "tests", "review", "refactor")
                self.mix_a[t] *= 3 if first else .5
                self.mix_b[t] *= .5 if first else 3
        self.z, self.rules = rng.gauss(0, 1), rng.sample(RULES, 5)
        self.new_rules = [x for x in RULES if x not in self.rules]
        self.turning = rng.uniform(.4, .6)
        self.lang = rng.choice(((GERMAN, CORRECTIONS_DE, NEWS_DE), (SPANISH, CORRECTIONS_ES, NEWS_ES)))
        self.other = rng.choice([x for x in PEOPLE if x is not self.p])
        self.long_at = int(sessions * rng.uniform(.55, .9))
        self.patch = rng.uniform(.2, .9) if rng.random() < .5 and not kind.startswith(("h_", "s_", "steady")) else 2
        self.owed = 0
        self.truth = []  # (session, key, old, new) for the check
        self.labels = {k: [] for k in LABELS}

    # -- what the session is like ------------------------------------------------------------------------------------------
    def calendar(self):
        rng, out, gaps = self.rng, [], set()
        day = datetime(2026, 1, 5, tzinfo=timezone.utc) + timedelta(days=rng.randint(0, 90))
        if self.kind == "holidays":
            gaps = {int(self.n * .42), int(self.n * .75)}
        while len(out) < self.n:
            if day.weekday() < 5 or rng.random() < .04:
                lo, hi = (self.other if self.kind == "another_user" and len(out) >= self.n / 2 else self.speaker).hours
                for h in sorted(rng.uniform(lo, hi - 1) for _ in range(rng.choice((1, 1, 2, 2, 3)))):
                    if len(out) < self.n:
                        out.append((day + timedelta(hours=h)).timestamp())
                        if len(out) in gaps:
                            day += timedelta(days=rng.randint(9, 24))
                            break
            day += timedelta(days=1)
        return out

    def adoption(self, f):
        return max(0., min(1., (f - .4) / .35))

    def mix(self, i, f):
        b = {"tasks_drift": f, "tasks_switch": float(f >= self.turning), "seasons": .5 + .5 * math.sin(4 * math.pi * f - 1.57)}.get(self.kind, 0.)
        b = float(f >= .5) if self.kind == "another_user" else b
        return [(1 - b) * self.mix_a[t] + b * self.mix_b[t] for t in TASKS]

    def client(self, f):
        if self.kind == "client_upgrades":
            v = VERSIONS[min(int(f * 9), 8)]
        elif self.kind == "s_client":
            v = "2.1.31" if self.i < self.n // 2 else "2.1.44"
        elif self.kind == "client_with_tools":
            v = "0.34.0" if f < self.turning else "0.142.4"
        else:
            v = ("2.1.29", "2.1.33") if self.claude else ("0.142.0", "0.142.5")
            v = v[f >= self.patch]
        model = "claude-opus-4-5-20251101" if self.claude else "gpt-5.6-sol" if self.kind == "model_upgrade" and f >= self.turning else "gpt-5.5"
        return v, model

    def write(self, folder):
        end = 0.
        for self.i, t in enumerate(self.calendar()):
            self.session(max(t, end + 900))
            self.w.close()
            self.w.save(folder)
            end = self.w.t
        return self.labels

    def session(self, t):
        rng, i, n = self.rng, self.i, self.n
        f = self.f = i / max(1, n - 1)
        self.z = .3 * self.z + math.sqrt(1 - .09) * rng.gauss(0, 1)
        self.mood = math.exp(.25 * self.z - .031)
        self.harm = dict.fromkeys(("slip", "reread", "look", "stale"), 0.)
        if self.kind in HARM:
            self.harm[HARM[self.kind][0]] = HARM[self.kind][1] * f
        if self.kind in STEP and i >= n // 2:
            self.harm[STEP[self.kind][0]] = STEP[self.kind][1]
        if self.kind == "another_user" and f >= .5:
            self.speaker = self.other
        self.scale = 1 + 3 * f if self.kind == "files_grow" else 1.
        self.chunk = int(60 * (1 + 1.2 * f)) if self.kind == "files_grow" else 60
        if self.kind == "repo_grows":
            for k in range(3):
                add_family(rng, self.p, self.files, (i * 3 + k) % 3 == 0, self.stems, 1.)
            self.by_path = {x.path for x in self.files}
        self.c = dict.fromkeys(LABELS, 0)
        self.seen, self.opened, self.log, self.after, self.side, self.last_key = {}, [], [], False, 0, None
        v, model = self.client(f)
        effort = "high" if model == "gpt-5.6-sol" else "medium"
        branch = "main" if rng.random() < .5 else f"{self.speaker.who}/{rng.choice(self.p.stems)}"
        slug = f"{rng.choice(('quiet', 'witty', 'brisk', 'mellow'))}-{rng.choice(('drifting', 'singing', 'baking'))}-{rng.choice(('otter', 'comet', 'fern', 'lark'))}"
        guide = "# Repository guide\n\n" + "\n".join("- " + x for x in self.rules)
        self.w = (Claude if self.claude else Codex)(self.ids, t, self.p.cwd, branch, v, model, slug=slug, rules=guide, effort=effort)
        tiny = rng.random() < RATE["tiny"] and i > 0
        long = self.kind == "one_very_long" and i == self.long_at
        self.limit, requests = (400, 52) if long else (80, rng.randint(3, 10))
        if tiny and not long:
            self.limit, requests = rng.randint(0, 5), rng.randint(1, 2)
        self.news = {}
        if not (tiny and not long):
            if i == 0:
                self.news[1] = rng.sample(self.p.settings, 3)
            for _ in range(rng.choice((0, 1, 1, 2)) * (3 if long else 1)):
                self.news.setdefault(rng.randrange(0 if i else 1, requests), []).append(rng.choice(self.p.settings))
        share = .44 if self.kind == "h_after_compactions" else RATE["compact"]
        self.compact_at = set()
        if not tiny and (rng.random() < share or long):
            lo, hi = (.15, .45) if self.kind == "h_after_compactions" else (.3, .8)
            spots = (rng.uniform(lo, hi),) if not long else (.35, .7)
            self.compact_at = {max(1, int(x * requests)) for x in spots}
        if self.kind == "plans_after_clear" and f > .4 and rng.random() < .7 and not tiny:
            self.w.command("clear")
            self.planned = True
        else:
            self.planned = False
        self.req = self.stopped = self.debt = self.missed = 0
        self.prev = None
        while self.req < requests or (not tiny and self.w.calls < 15 and self.req < 14):
            if self.req and self.w.calls >= self.limit - 12 and not tiny:
                break
            self.request(requests)
        if self.compact_at and not self.c["compactions"] and self.w.calls > 10:
            self.compact_at, self.limit = {self.req}, self.limit + 10  # the session ended before the place planned
            self.request(requests)
        self.c["calls"] = self.w.calls
        for k in LABELS:
            self.labels[k].append(self.c[k])

    # -- one request ----------------------------------------------------------------------------------------------------------
    def request(self, requests):
        rng, c, k = self.rng, self.c, self.req
        p_corr = 1.04 * RATE["correction"] * self.level["correction"] * self.mood * requests / max(1, requests - 1)
        correction = k > 0 and not self.stopped and rng.random() < p_corr
        said, shown = [], []
        for s in self.news.get(k, ()):
            told = {"h_stale_told": 1., "h_stale_shown": 0.}.get(self.kind, .5)
            (said if rng.random() < told else shown).append(s)
        lang = self.lang if self.kind == "another_language" and self.f > .45 else None
        if correction:
            task, f, s, t, stale = self.prev
            pool = lang[1] if lang else CORRECTIONS
            text = rng.choice(STALE_CORRECTIONS).format(p=stale) if stale and not lang and rng.random() < .6 else rng.choice(pool).format(f=f.path, s=s, t=t)
            steps = rng.choice(REDO)
        else:
            task = rng.choices(list(TASKS), self.mix(self.i, self.f))[0]
            f, s, t = self.pick_file(), rng.choice(self.p.syms), rng.choice(self.p.things)
            pool = (lang[0] if lang else TERSE if self.kind == "terser_users" and rng.random() < .9 * self.f else REQUESTS)[task]
            if pool is REQUESTS[task] and rng.random() < .25:
                pool = [x for kind, x in OWN[self.speaker.who] if kind == task] or pool
            same = any(x.path.rsplit("/", 1)[1] == f.path.rsplit("/", 1)[1] for x in f.kin)
            text = rng.choice(pool).format(f=f.path if same or rng.random() < .6 else f.path.rsplit("/", 1)[1], s=s, t=t)
            steps = rng.choice(TASKS[task])
            tdd = .05 + .85 * self.f if self.kind == "tests_first" else .1
            if task in CODE and rng.random() < tdd:
                steps = rng.choice(("RWtREET", "SRWtEET", "RrWtETL"))
            if self.planned and k == 0:
                task, steps, text = "feature", "PRRrSEEWTREELTP", self.plan_text(f, s, t)
            if self.kind == "rules_edited" and k == 0 and self.i in {int(self.n * x) for x in (.12, .25, .4, .55, .7, .85)}:
                rule = self.new_rules.pop() if self.new_rules else f"Keep {t} out of it."
                text, steps, task = rng.choice(("please add to AGENTS.md: {}", "new rule for AGENTS.md: {}", "put this into AGENTS.md: {}")).format(rule), "A", "docs"
                self.add_rule = rule
        text = self.style(text, k, correction, bool(lang))
        if self.stopped and not correction:
            text = text if lang else rng.choice(AFTER_STOP).format(r=text[0].lower() + text[1:])
        for x in said:
            old, new = self.change(x)
            text += (". " if text[-1].isalnum() else " ") + rng.choice(lang[2] if lang else NEWS).format(p=x.phrase, v=new, o=old)
        self.prev, self.stopped, self.stale_phrase = None, False, ""
        if k:
            self.w.wait(15, 420)
        self.w.user(text)
        c["requests"] += 1
        c["corrections"] += correction
        self.task, self.named, self.req = task, f, k + 1
        if self.i == 0 and k == 0:
            self.config_read()
        for x in shown:
            self.change(x)
            if (self.config.path, 1, 0) not in self.seen and rng.random() < .6:
                self.config_read()
            else:
                self.show(x)
        stop = rng.randrange(1, len(steps) + 1) if rng.random() < RATE["interrupt"] * self.level["interrupt"] * self.mood else 99
        compact = rng.randrange(len(steps)) if k in self.compact_at else 99
        if rng.random() < .5 and not (self.kind == "model_upgrade" and self.f >= self.turning and rng.random() < .5):
            self.w.say(rng.choice(SAYS))
        if self.kind == "subagents_adopted" and task in ("explain", "review", "feature", "refactor", "fix") and rng.random() < .55 * self.adoption(self.f) and self.limit > 10:
            self.subagent(t)
        if self.after and self.kind == "h_after_compactions" and rng.random() < .35:
            self.redo(rng.randint(1, 3))
        for j, x in enumerate(steps):
            if j == stop or self.w.calls >= self.limit:
                break
            if j == compact:
                self.compact()
            if rng.random() < .22:
                self.w.think(rng.choice(("Checking how {s} is used", "Looking for the cause in {f}", "Planning the next change", "Making sure about {t}")).format(s=s, f=f.path, t=t))
            elif rng.random() < .25:
                self.w.say(rng.choice(SAYS))
            self.step(x)
        if stop < 99:
            self.w.interrupt(self.interrupted_cmd() if rng.random() < .5 else None)
            c["interrupts"] += 1
            self.stopped = True
        else:
            self.w.final(rng.choice(FINALS).format(s=s, f=f.path, t=t))
        self.prev = (task, f, s, t, self.stale_phrase)

    def interrupted_cmd(self):
        return self.rng.choice([x for x in self.p.shell if not x.startswith(("cat", "sed"))])

    def style(self, text, k, correction, foreign):
        rng, sp = self.rng, self.speaker
        if self.planned and k == 0 or foreign:
            return text
        if not correction:
            if k == 0 and rng.random() < .4:
                text = PEOPLE_STYLE[sp.who] + text
            elif k and rng.random() < .12:
                text = rng.choice(PREFIX) + text
        if sp.lower and text[1:2].islower():
            text = text[0].lower() + text[1:]
        return text + rng.choice(sp.tail)

    def plan_text(self, f, s, t):
        rng = self.rng
        out = [f"Implement the following plan:\n\n# {t.capitalize()}\n\n## Context\n\nToday `{s}` in `{f.path}` decides alone. We want one place for {t}, with the same results as before.\n\n## Steps\n"]
        for k in range(rng.randint(6, 14)):
            g = rng.choice(self.files)
            out.append(f"{k + 1}. In `{g.path}`: {rng.choice(('move', 'extend', 'check', 'replace', 'document'))} `{rng.choice(self.p.syms)}` so that {rng.choice(self.p.things)} keep their order. Touch nothing else, and leave the public names alone. "
                       + rng.choice(("Cover it with a test.", "No new dependency.", "Mind the empty case.", "The old entry stays for one release.")))
        return "\n".join(out) + "\n\n## Verification\n\n- all tests pass\n- lint is clean"

    # -- settings -------------------------------------------------------------------------------------------------------------
    def change(self, s):
        h = self.hist[s.key]
        h.append(value(self.rng, s.sort, self.used))
        self.truth.append((self.i, s.key, h[-2], h[-1]))
        return h[-2], h[-1]

    def settings_text(self, keys):
        form = {"py": '{} = "{}"', "R": "{}: {}"}.get(self.p.ext, "{}={}")
        return [form.format(k.lower() if self.p.ext in ("py", "R") else k, self.hist[k][-1]) for k in keys]

    def config_read(self):
        self.read_key((self.config.path, 1, 0))

    def show(self, s):
        keys = {s.key} | {x.key for x in self.rng.sample(self.p.settings, 3)}
        while not self.shell(self.p.show, "\n".join(self.settings_text([x.key for x in self.p.settings if x.key in keys])), what="Show settings"):
            pass

    def use_value(self):
        rng = self.rng
        p = (RATE["stale"] * self.level["stale"] + self.harm["stale"]) * self.mood
        p = min(.8, p / (1 - .42 * p))  # most failed uses are done again with the right value
        changed = [s for s in self.p.settings if len(self.hist[s.key]) > 1]
        self.owed += rng.random() < p  # kept for later while nothing has changed yet
        stale = bool(changed) and self.owed > 0
        self.owed -= stale
        s = rng.choice(changed) if stale or changed and rng.random() < .85 else rng.choice(self.p.settings)
        h = self.hist[s.key]
        cmd = rng.choice(s.cmds)
        if not stale:
            return self.value_call(cmd.format(v=h[-1]), False)
        old = h[-2] if rng.random() < .85 else rng.choice(h[:-1])
        self.stale_phrase = s.phrase
        if rng.random() < .55:
            text, code = GONE[s.sort]
            if self.value_call(cmd.format(v=old), True, text.format(v=old), code) and rng.random() < .8:
                if rng.random() < .5:
                    self.w.say(f"That is the old value; {s.phrase} has changed.")
                self.value_call(cmd.format(v=h[-1]), False)
        else:
            self.value_call(cmd.format(v=old), True)

    def value_call(self, cmd, stale, out=None, code=0):
        def count():
            self.c["value_uses"] += 1
            self.c["stale"] += stale
        return self.shell(cmd, ok_output(self.rng, self.p, cmd) if out is None else out, code, "Run " + cmd.split()[0], each=count)

    # -- acts, each with its slips --------------------------------------------------------------------------------------------
    def slips(self, sort):
        """Whether this call goes wrong by the agent's own fault."""
        p = SLIP[sort] * TASK_SLIP[self.task] * self.level["slip"] * (2. if self.after and self.kind == "h_after_compactions" else 1.)
        if self.rng.random() >= min(.8, (p + self.harm["slip"]) * self.mood):
            return False
        self.c["errors"] += 1
        return True

    def again(self):
        """After a slip: does the agent repeat the call properly?"""
        x = self.rng.choice(AFTER_SLIP)
        if x and self.rng.random() < .4:
            self.w.say(x)
        return self.rng.random() < .87

    def shell(self, cmd, out, code=0, what="Run command", each=None, hi=20.):
        for _ in range(4):
            slip = self.slips("shell")
            if each:
                each()
            if not slip:
                self.w.shell(cmd, out, code, what, hi=hi)
                return True
            bad, text, rc = bad_shell(self.rng, self.p, cmd)
            self.w.shell(bad, text, rc, what, hi=3.)
            if not self.again():
                return False

    def lines_of(self, f):
        if f is self.config:
            return self.settings_text([s.key for s in self.p.settings])
        if f is self.guide:
            return ["# Repository guide", ""] + ["- " + x for x in self.rules]
        if f.lines is None:
            fill(self.rng, self.p, f)
        need = int(f.size * self.scale)
        if self.scale > 1 and len(f.lines) < need - 20:
            g = File(f.path, need - len(f.lines))
            fill(self.rng, self.p, g)
            f.lines += g.lines
            for k in [k for k in self.seen if k[0] == f.path]:
                del self.seen[k]
        return f.lines

    def fresh(self, f):
        """The next part of the file that has not been read, or None."""
        n, c = len(self.lines_of(f)), self.chunk
        if n <= c * 1.6:
            return None if any(k[0] == f.path for k in self.seen) else (f.path, 1, 0)
        for start in range(1, n, c):
            if (f.path, start, c) not in self.seen:
                return f.path, start, c
        return None

    def read_key(self, key):
        path, start, part = key
        f = self.config if path == self.config.path else self.guide if path == "AGENTS.md" else self.find_file(path)
        for _ in range(4):
            if not self.slips("read"):
                break
            bad = self.wrong_path(path)
            self.w.read(bad, [], start, 0, part, "File does not exist." if self.rng.random() < .7 else f"File does not exist. Did you mean {path.rsplit('/', 1)[-1]}?")
            if not self.again():
                self.w.find(path.rsplit("/", 1)[-1].split(".")[0] or path, [path])
        lines = self.lines_of(f)
        self.w.read(path, lines[start - 1:start - 1 + part] if part else lines, start, len(lines), part)
        self.c["reads"] += 1
        self.c["rereads"] += key in self.seen
        self.seen[key] = self.side
        self.last_key = key

    def find_file(self, path):
        for f in self.files:
            if f.path == path:
                return f

    def wrong_path(self, path):
        rng = self.rng
        d, _, name = path.rpartition("/")
        stem, _, ext = name.rpartition(".")
        for _ in range(9):
            x = rng.choice((f"{rng.choice(self.p.dirs)}/{name}", f"{d}/{stem}_impl.{ext}", f"{d}/lib/{name}", f"{d}/{stem}/index.{ext}", f"app/{d}/{name}")).replace("//", "/").lstrip("/")
            if x not in self.by_path and x != path:
                return x
        return f"app/{path}"

    def read(self, f):
        """A fresh read of f; sometimes something already read is read again first."""
        p = 1.13 * RATE["reread"] * self.level["reread"] * (2.4 if self.after and self.kind == "h_after_compactions" else 1.) + self.harm["reread"]
        p = min(.6, p * self.mood)
        self.debt += self.rng.random() < p / (1 - p)
        old = [k for k, side in self.seen.items() if side == self.side and k != self.last_key]
        if self.debt and old:
            self.debt -= 1
            self.read_key(self.rng.choice(old))
        key = self.fresh(f)
        if key:
            self.read_key(key)
        if f not in self.opened:
            self.opened.append(f)
        return key

    def pick_file(self):
        for _ in range(5):
            f = self.rng.choice(self.files)
            if f not in self.opened:
                break
        return f

    def open_target(self):
        """The agent wants a certain file; among similar names it may take the wrong one first."""
        rng, f = self.rng, self.named
        self.named = None
        if f is None or f in self.opened:
            f = self.pick_file()
        if f.kin and f not in self.opened:
            self.c["file_targets"] += 1
            p = (1.08 * RATE["look"] * self.level["look"] + self.harm["look"]) * self.mood
            self.missed += rng.random() < p
            kin = [x for x in f.kin if self.fresh(x) and x not in self.opened]
            if self.missed and kin and self.fresh(f):
                self.missed -= 1
                wrong = rng.choice(kin)
                self.c["lookalike_picks"] += 1
                self.read_key(self.fresh(wrong))
                if rng.random() < .25 and not self.side:
                    self.edit(wrong)
                    self.forget(wrong)
                    self.shell(f"git checkout -- {wrong.path}", "Updated 1 path from the index", what="Undo the change")
                x = rng.choice(AFTER_WRONG)
                if x:
                    self.w.say(x.format(f=f.path))
                for _ in range((rng.random() < .4) + (rng.random() < 2.4 * self.harm["look"]) + (rng.random() < self.harm["look"])):
                    self.search(f) if rng.random() < .5 else self.w.find(f.path.rsplit("/", 1)[1].split(".")[0], [f.path, *(x.path for x in f.kin)])
                self.opened.append(wrong)
                self.read_key(self.fresh(f))
                self.opened.append(f)
                return
        self.read(f)

    def forget(self, f):
        for k in [k for k in self.seen if k[0] == f.path]:
            del self.seen[k]

    def edit(self, f=None):
        rng = self.rng
        if f is None:
            if not self.opened:
                self.open_target()
            f = rng.choice(self.opened[-3:])
        lines = self.lines_of(f)
        at = rng.randrange(len(lines))
        old = lines[at:at + rng.choice((1, 1, 2, 3))]
        new = [x.replace(rng.choice(self.p.syms), rng.choice(self.p.syms)) for x in old] + ([rng.choice(self.p.lines).replace("$", rng.choice(self.p.syms)).replace("{n}", str(rng.randint(2, 9999)))] if rng.random() < .6 else [])
        if new == old:
            new = old + [f"    {rng.choice(self.p.syms)}"]
        a, b = "\n".join(old), "\n".join(new)
        for _ in range(4):
            if not self.slips("edit"):
                break
            bad = a.replace(" ", "  ", 1) + ("\n" + rng.choice(self.p.lines).replace("$", "x"))
            why = rng.choice((f"String to replace not found in file.\nString: {bad}", f"String to replace not found in file.\nString: {bad}",
                              f"Found 2 matches of the string to replace, but replace_all is false. To replace all occurrences, set replace_all to true. To replace only one occurrence, please provide more context to uniquely identify the instance.\nString: {bad}"))
            self.w.edit(f.path, bad, b, at + 1, why)
            if not self.again():
                return
        self.w.edit(f.path, a, b, at + 1)
        lines[at:at + len(old)] = new
        self.forget(f)
        self.log.append(("E", f))

    def search(self, f=None, word=None):
        rng = self.rng
        word = word or rng.choice(self.p.syms)
        where = (f or rng.choice(self.files)).path.rsplit("/", 1)[0]
        for _ in range(4):
            if not self.slips("search"):
                break
            if rng.random() < .6:
                bad = where + rng.choice(("_old", "/core", "x"))
                self.w.search(word, bad, [], f"<tool_use_error>Path does not exist: {self.w.full(bad)}</tool_use_error>" if self.claude else f"rg: {bad}: No such file or directory (os error 2)")
            else:
                self.w.search(word + "(", where, [], f"rg: regex parse error:\n    (?:{word}()\n    ^\nerror: unclosed group")
            if not self.again():
                return
        hits = []
        if f or rng.random() > .08:
            near = [x for x in self.files if x.path.startswith(where + "/")]
            with_name = [x for x in self.p.lines if "$" in x]
            for _ in range(rng.randint(1, 7)):
                g = rng.choice(near)
                hits.append((g.path, rng.randint(1, g.size), rng.choice(with_name).replace("$", word).replace("{n}", str(rng.randint(2, 9999)))))
            if f:
                hits[0] = (f.path, *hits[0][1:])
        self.w.search(word, where, hits)
        self.log.append(("S", word))

    def test(self, ok=None, depth=0):
        f = self.opened[-1] if self.opened else self.rng.choice(self.files)
        ok = self.rng.random() >= RATE["test_fails"] if ok is None else ok
        stem = f.path.rsplit("/", 1)[1].rsplit(".", 1)[0]
        x = f.path.rsplit("/", 1)[0] if self.p.ext == "go" else stem if self.p.ext in ("rs", "ts") else f"tests/test_{stem}.py" if self.p.ext == "py" else f"tests/testthat/test-{stem}.R"
        cmd = self.p.test.format(x=x)
        done = self.shell(cmd, test_output(self.rng, self.p, ok, stem), 0 if ok else 1, "Run the tests", hi=45.)
        self.log.append(("T", None))
        return done and ok

    def step(self, x):
        rng = self.rng
        if self.kind == "mcp_adopted" and rng.random() < .3 * self.adoption(self.f):
            self.mcp()
        if x == "R":
            self.open_target()
        elif x == "r":
            f = self.opened[-1] if self.opened and self.fresh(self.opened[-1]) else self.pick_file()
            self.read(f)
        elif x == "S":
            self.search()
        elif x == "F":
            f = rng.choice(self.files)
            self.w.find(f.path.rsplit("/", 1)[1].split(".")[0].split("_")[0], [f.path, *(k.path for k in f.kin)])
        elif x == "E":
            self.edit()
        elif x == "W":
            add_family(rng, self.p, self.files, False, self.stems, .5)
            f = self.files[-1]
            if f.path in self.by_path:
                self.files.pop()
                return self.edit()
            self.by_path.add(f.path)
            fill(rng, self.p, f)
            self.w.write(f.path, "\n".join(f.lines))
            self.opened.append(f)
        elif x == "T":
            for _ in range(3):
                if self.test() or rng.random() < .2:
                    break
                self.edit()
        elif x == "t":
            self.test(False)
        elif x == "L":
            bad = rng.random() < .12
            self.shell(self.p.lint, f"{rng.choice(self.files).path}:{rng.randint(1, 90)}:5 warning: unused {rng.choice(self.p.syms)}\n1 problem" if bad else "no problems", int(bad), "Lint")
        elif x == "X":
            own, j = self.p.shell, list(TASKS).index(self.task)  # every task has its own programs
            cmd = own[(j + rng.choice((0, 0, 2))) % len(own)]
            self.shell(cmd, ok_output(rng, self.p, cmd))
        elif x == "G":
            cmd = rng.choice(self.p.git)
            self.shell(cmd, ok_output(rng, self.p, cmd), what="Look at git", hi=1.)
        elif x == "V":
            self.use_value()
        elif x == "C":
            if self.kind == "h_stale_told":
                self.step("X")
            elif (self.config.path, 1, 0) in self.seen:
                self.show(rng.choice(self.p.settings))
            else:
                self.config_read()
        elif x == "P":
            self.w.plan([f"Look at {rng.choice(self.p.things)}", f"Change {rng.choice(self.p.syms)}", "Run the tests"], rng.random() < .5)
        elif x == "A":
            self.read(self.guide)
            old = "- " + self.rules[-1]
            self.rules.append(self.add_rule)
            self.w.edit("AGENTS.md", old, old + "\n- " + self.add_rule, len(self.rules) + 1)
            self.forget(self.guide)
            self.opened.remove(self.guide)

    def mcp(self):
        rng = self.rng
        name, args, out = rng.choice((("mcp__context7__query-docs", {"libraryId": f"/{self.p.ext}/{rng.choice(self.p.mods)}", "query": rng.choice(self.p.things)}, "### Usage\n\nSource: docs\n\nCall it once at start and pass the options."),
                                      ("mcp__github__get_issue", {"issue_number": rng.randint(3, 900)}, '{"state":"open","title":"' + rng.choice(self.p.things) + '"}'),
                                      ("mcp__postgres__query", {"sql": f"select * from {rng.choice(self.p.stems)} limit 5"}, "[]")))
        for _ in range(3):
            if not self.slips("mcp"):
                return self.w.mcp(name, args, out)
            self.w.mcp(name, {"input": rng.choice(self.p.syms)}, "MCP error -32602: Invalid arguments for tool: missing required property", True)
            if not self.again():
                return

    def subagent(self, t):
        rng, named, opened = self.rng, self.named, self.opened
        before = self.w.calls
        self.w.side_open(f"Explore {t}", f"Find everything about {t} in this repository. Read the relevant files and report names, paths and how they belong together.")
        self.side, self.named, self.opened = self.w.calls, None, list(opened)
        for x in rng.choice(("SRRrS", "FSRRRr", "RSRSRRr")):
            self.step(x)
        self.side, self.named = 0, named
        self.opened = opened
        self.last_key = None
        self.w.side_close(f"## {t}\n\nIt is handled by `{rng.choice(self.p.syms)}`; see `{rng.choice(self.files).path}` and `{rng.choice(self.files).path}`.", self.w.calls - before - 1)

    def compact(self):
        rng = self.rng
        names = ", ".join(f.path for f in self.opened[-5:])
        self.w.compact(f"Analysis:\nThe user works on {rng.choice(self.p.things)} and asked for several changes.\n\nSummary:\n1. Primary request: {rng.choice(self.p.things)}\n2. Files: {names}\n3. Pending: finish the current request.", rng.random() < .85)
        self.c["compactions"] += 1
        self.seen, self.last_key, self.after = {}, None, True
        if self.kind == "h_after_compactions":
            self.redo(rng.randint(3, 6))

    def redo(self, k):
        """Work that was already done is done again."""
        for sort, arg in self.rng.sample(self.log, min(k, len(self.log))):
            if self.w.calls >= self.limit:
                return
            if sort == "S":
                self.search(word=arg)
            elif sort == "E":
                self.read(arg) if self.fresh(arg) else None
                self.edit(arg)
            else:
                self.test()
