"""Simulated coding and work agents, fourth set. write_agent(kind, seed, sessions, folder) -> folder. Standard library only."""
import json
import math
import os
import random
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import worlds as W
import writers

DAY = 86400.0
START = 1772438400.0  # Monday 2 March 2026, 08:00 UTC
BASE = dict(error=0.05, correct=0.05, stop=0.02, reread=0.10, alike=0.03, tool=0.03, stale=0.04, ask=0.03, repeat=0.05)
QUANTITIES = ["error", "correct", "stop", "reread", "alike", "tool_alike", "stale", "ask", "repeat", "effort", "reads"]


def _healthy(form, agent, planted, **options):
    return dict(form=form, agent=agent, expects="healthy", mechanism="", planted=planted, quantity=[], **options)


def _aging(form, agent, mechanism, quantity, planted, expects="aging", **options):
    return dict(form=form, agent=agent, expects=expects, mechanism=mechanism, planted=planted, quantity=quantity.split(), **options)


# ramp: added to the base over the life (times x, 0 to 1); step: added from the cut on
KINDS = {
    "calm_short": _healthy("claude_code", "code", "nothing; agent says almost nothing", talk=0.08),
    "calm_wordy": _healthy("generic", "desk", "nothing; desk agent that talks before most calls and at length", talk=0.8),
    "calm_fumbling": _healthy("codex", "code", "nothing; 13 % of calls fail by the agent's fault and 8 % of requests are corrected, throughout", base=dict(error=0.13, correct=0.08)),
    "calm_many_tools": _healthy("claude_code", "desk", "nothing; desk agent inside Claude Code with nearly forty MCP tools", many=True),
    "topics_wander": _healthy("claude_code", "code", "building and tidying give way to questions, reviews and operations", wander=True),
    "codebase_swells": _healthy("claude_code", "code", "files in use 40->100 %, files 1->2 times as long and read in parts", swell=True),
    "gets_index_tool": _healthy("claude_code", "code", "from 35 % of the life on a symbol index takes over 0->60 % of the searches", index=True),
    "model_bump": _healthy("claude_code", "code", "another model from the cut on, no effect", bump=True),
    "cli_bumps": _healthy("claude_code", "code", "five client versions; wrapping of errors, file snapshots, hooks and recorded output tokens change with them, behaviour does not", clients=5),
    "colleague_takes_over": _healthy("codex", "code", "another person, hours, home directory and manner from the cut on", colleague=True),
    "switches_to_french": _healthy("claude_code", "code", "prompts and answers in French from the cut on, corrections as often as ever", french=True),
    "long_leave": _healthy("generic", "code", "five weeks without a session", leave=True),
    "marathon": _healthy("claude_code", "code", "one session of 70-90 requests at 50-80 % of the life", marathon=True),
    "tests_first": _healthy("codex", "code", "failing test first, on request, in 5->65 % of fixes and features", red=True),
    "memo_edits": _healthy("claude_code", "code", "the instruction file is edited on request in four sessions", memo=True),
    "rough_patch": _healthy("claude_code", "code", "two weeks in the middle: calls x1.45, errors +5, corrections +4 points, more red tests; then as before", rough=True),
    "habitual_rereader": _healthy("claude_code", "code", "34 % of reads are re-reads, throughout", base=dict(reread=0.34)),
    "closing_weeks": _healthy("generic", "desk", "last fifth of the sessions: requests x1.7, several sessions a day; rates per request as ever", closing=True),
    "compares_old_new": _healthy("generic", "desk", "the user asks for the replaced value on purpose in 3->30 % of uses", compare=True, uses=0.7, changes=0.22),
    "pairs_ported": _healthy("claude_code", "code", "the user asks to read and align both of two look-alike files in 2->25 % of requests", pairs=True),
    "reads_again": _aging("claude_code", "code", "compression", "reread", "re-reads of unchanged known files 10->30 % of reads", ramp=dict(reread=0.20), compactions=1.1),
    "asks_again": _aging("generic", "desk", "compression", "ask", "asks the user again what was answered in the session 3->25 % of needs", ramp=dict(ask=0.22), compactions=1.1, needs=0.75),
    "same_call_again": _aging("codex", "code", "compression", "repeat", "after a compaction, searches and queries made before it are repeated with equal arguments 5->27 %", ramp=dict(repeat=0.22), compactions=1.9, queries=1.0),
    "twin_files": _aging("claude_code", "code", "interference", "alike", "look-alike file read first, then the right one, 3->18 % of first visits", ramp=dict(alike=0.15)),
    "twin_records": _aging("generic", "desk", "interference", "alike", "record of a customer or case of similar name opened first, then the right one, 3->18 % of first visits", ramp=dict(alike=0.15)),
    "twin_tools": _aging("claude_code", "code", "interference", "tool_alike", "look-alike tool called first, then the right one, 3->18 % of queries", ramp=dict(tool=0.15), queries=1.4),
    "old_in_json": _aging("generic", "desk", "revision", "stale", "replaced value used 4->25 % of uses after a change; deep in JSON arguments", ramp=dict(stale=0.21), uses=0.9, changes=0.24, way="json"),
    "old_in_id": _aging("claude_code", "code", "revision", "stale", "same; the value is a part of a composite id", ramp=dict(stale=0.21), uses=0.9, changes=0.24, way="id"),
    "old_other_key": _aging("claude_code", "desk", "revision", "stale", "same; the key in the call is named differently than announced", ramp=dict(stale=0.21), uses=0.9, changes=0.24, way="key"),
    "old_in_flag": _aging("codex", "code", "revision", "stale", "same; the value is a shell option", ramp=dict(stale=0.21), uses=0.9, changes=0.24, way="flag"),
    "old_in_answer": _aging("generic", "desk", "revision", "stale", "same; the value is said in a prose answer", ramp=dict(stale=0.21), uses=0.9, changes=0.24, way="prose"),
    "hangover_compaction": _aging("claude_code", "code", "maintenance", "win_error win_correct", "3-5 requests after a compaction: errors +3->+18, corrections +3->+18 points, calls x1->x1.3, growing with each", shock="compact", compactions=1.7),
    "hangover_model": _aging("claude_code", "code", "maintenance", "win_error win_correct", "same after /model (once or twice in most sessions)", shock="model"),
    "hangover_clear": _aging("claude_code", "code", "maintenance", "win_error win_correct", "same after /clear (once or twice in most sessions)", shock="clear", compactions=0.2),
    "more_failures": _aging("codex", "code", "reliability", "error", "agent errors 5->17 % of calls", ramp=dict(error=0.12)),
    "told_off_english": _aging("claude_code", "code", "reliability", "correct", "corrections 5->17 % of requests, in own words, English", ramp=dict(correct=0.12)),
    "told_off_german": _aging("generic", "desk", "reliability", "correct", "corrections 5->17 % of requests, in own words, German", ramp=dict(correct=0.12), german=True),
    "cut_short": _aging("claude_code", "code", "reliability", "stop", "user interrupts 2->14 % of requests", ramp=dict(stop=0.12)),
    "busier": _aging("generic", "code", "", "effort", "calls per request x1->x1.5 for the same requests", ramp=dict(effort=0.5)),
    "wander_and_fail": _aging("claude_code", "code", "reliability", "error correct", "topics_wander, and errors +12, corrections +10 points over the life", wander=True, ramp=dict(error=0.12, correct=0.10)),
    "update": _aging("claude_code", "code", "", "error reads", "one client version, at the cut: from it errors +12 points, reads per change about halved", expects="step", step=dict(error=0.12, skip=0.5)),
    "hidden_step": _aging("claude_code", "code", "", "error correct reread stale alike effort", "from the cut on, unrecorded: errors +11, corrections +10, re-reads +15, replaced values +15, look-alikes +10 points, calls x1.3",
                          expects="step", step=dict(error=0.11, correct=0.10, reread=0.15, stale=0.15, alike=0.10, effort=0.3), uses=0.45, changes=0.15),
}

CODE_MIX = dict(fix=0.28, feature=0.24, explain=0.13, tidy=0.13, review=0.1, ops=0.12)
LATE_MIX = dict(fix=0.2, feature=0.08, explain=0.26, tidy=0.04, review=0.22, ops=0.2)
DESK_MIX = dict(lookup=0.28, change=0.27, letter=0.16, compare=0.15, plan=0.14)
PLAN = dict(  # search, read, change, run, query
    fix=(0.2, 0.4, 0.2, 0.15, 0.05), feature=(0.15, 0.36, 0.27, 0.17, 0.05), explain=(0.3, 0.6, 0.0, 0.0, 0.1), tidy=(0.1, 0.32, 0.38, 0.2, 0.0), review=(0.15, 0.55, 0.0, 0.2, 0.1), ops=(0.1, 0.2, 0.05, 0.25, 0.4),
    lookup=(0.28, 0.52, 0.0, 0.0, 0.2), change=(0.18, 0.34, 0.34, 0.0, 0.14), letter=(0.15, 0.37, 0.1, 0.18, 0.2), compare=(0.22, 0.55, 0.05, 0.0, 0.18), plan=(0.15, 0.33, 0.15, 0.0, 0.37))
OPS = ("search", "read", "edit", "run", "query")


class Item:
    """A file or a record; `ver` counts its changes."""
    __slots__ = ("key", "name", "module", "stem", "ver", "twin", "lines", "fields", "size")

    def __init__(self, key, name, module, stem, size):
        self.key, self.name, self.module, self.stem, self.size = key, name, module, stem, size
        self.ver, self.twin, self.lines, self.fields = 0, None, None, None


class Setting:
    def __init__(self, spec, rng):
        self.en, self.other, self.key, self.alt, self.flag, self.idform, self.make = spec
        self.rng, self.seen = rng, set()
        self.old, self.told, self.changed = [], False, -99
        self.now = self.fresh()

    def fresh(self):
        while True:
            if self.make[0] == "#":
                top = int(self.make[1:])
                v = self.rng.randrange(top // 8, top) if top < 200 else self.rng.randrange(top // 80, top // 8) * 10
            else:
                v = self.make % self.rng.randrange(11, 10 ** int(self.make[self.make.index("%0") + 2]))
            if v not in self.seen:
                self.seen.add(v)
                return v

    def change(self, session):
        self.old.append(self.now)
        self.now, self.changed = self.fresh(), session

    def name(self, lang):
        return self.en if lang == "en" else self.other


class Life:
    def __init__(self, kind, seed, sessions, form):
        self.spec = spec = KINDS[kind]
        self.kind, self.seed, self.n, self.form = kind, seed, sessions, form or spec["form"]
        b = random.Random("tel4 %s" % seed)
        self.rng = random.Random("tel4 %s %s %s" % (seed, kind, sessions))
        self.code = spec["agent"] == "code"
        self.repo, self.desk = b.choice(W.REPOS), b.choice(W.DESKS)
        self.user, self.user2 = b.sample(W.PEOPLE, 2)
        self.manner, self.manner2 = b.sample(range(4), 2)
        self.talk = spec.get("talk", b.choice([0.15, 0.25, 0.4]))
        self.cut = max(2, min(sessions - 2, round(sessions * b.uniform(0.42, 0.6))))
        self.bend = b.choice([0.8, 1.0, 1.3])
        self.base = dict(BASE, error=b.choice([0.04, 0.05, 0.06]), correct=b.choice([0.045, 0.055]))
        self.base.update(spec.get("base", {}))
        self.models = list(W.MODELS[self.form])
        self.minor = b.randrange(14, 60)
        self.lang = "de" if spec.get("german") else "en"
        self.settings = [Setting(s, self.rng) for s in b.sample(W.CODE_SETTINGS if self.code else W.DESK_SETTINGS, 7)]
        self.items = self._files(b) if self.code else self._records(b)
        self.marks, self.sessions, self.shocks, self.serial = [], [], 0, 0
        self.dates = self._dates()
        self.clients = self._clients()

    # ------------------------------------------------------------ the world
    def _files(self, b):
        repo, out = self.repo, []
        for m in repo["modules"]:
            for s in b.sample(repo["stems"], 8):
                out.append(Item(repo["path"].format(m=m, s=s), s + "." + repo["ext"], m, s, b.choice([18, 26, 36, 50])))
        keys = {i.key for i in out}
        for i in list(out):
            if i.twin or b.random() > 0.72:
                continue
            camel = repo["ext"] == "kt"
            parts = [p for p in i.stem.split("_")] if not camel else [i.stem[:next(k for k in range(1, len(i.stem)) if i.stem[k].isupper())], i.stem[next(k for k in range(1, len(i.stem)) if i.stem[k].isupper()):]]
            glue = "" if camel else "_"
            stem, m = b.choice([(i.stem + ("s" if i.stem[-1] not in "shy" else "List" if camel else "_list"), i.module), (glue.join(reversed(parts)), i.module), (i.stem + ("V2" if camel else "_v2"), i.module), (i.stem, b.choice([x for x in repo["modules"] if x != i.module]))])
            key = repo["path"].format(m=m, s=stem)
            if key in keys:
                other = next(x for x in out if x.key == key)
                if other.twin is None and other is not i:
                    i.twin, other.twin = other, i
                continue
            keys.add(key)
            t = Item(key, stem + "." + repo["ext"], m, stem, b.choice([18, 26, 36]))
            i.twin, t.twin = t, i
            out.append(t)
        b.shuffle(out)
        return out

    def _records(self, b):
        desk, out, used = self.desk, [], set()
        letters = desk["noun"][:2].upper()

        def number():
            while True:
                n = b.randrange(10000, 99999)
                if n not in used:
                    used.add(n)
                    return n
        for who in desk["who"]:
            for tail in b.sample(["", " II", " (Nord)", " & Co", " West", ", branch 2", " Jr."], 3):
                n = number()
                out.append(Item("%s-%d" % (letters, n), who + tail, desk["noun"], who, 0))
                if b.random() < 0.8:
                    d = str(n)
                    k = b.randrange(1, 4)
                    d2 = int(d[:k] + d[k + 1] + d[k] + d[k + 2:])
                    d2 = d2 if d2 not in used else number()
                    used.add(d2)
                    w = who.split()
                    alike = b.choice([" ".join(reversed(w)) + tail, who + "s" + tail, who + tail + " (alt)", who[:-1] + tail])
                    t = Item("%s-%d" % (letters, d2), alike, desk["noun"], who, 0)
                    t.twin, out[-1].twin = out[-1], t
                    out.append(t)
        b.shuffle(out)
        return out

    def _dates(self):
        rng, n, at, out = self.rng, self.n, START + self.rng.randrange(5) * DAY, []
        leave = round(n * rng.uniform(0.4, 0.7)) if self.spec.get("leave") else -1
        for i in range(n):
            closing = self.spec.get("closing") and i >= n * 0.8
            gap = (rng.choice([0.16, 0.2]) if i % 2 else 1) if closing else rng.choice([1, 1, 1, 2, 2, 3, 4])
            if i == leave:
                gap += 35
            if gap >= 1:
                at = math.floor(at / DAY + gap) * DAY + rng.uniform(0, 1 if closing else 7) * 3600 + (7.5 if not (self.spec.get("colleague") and i >= self.cut) else 13) * 3600
                while time.gmtime(at).tm_wday > 4:
                    at += DAY
            else:
                at += gap * DAY
            out.append(at)
        return out

    def _clients(self):
        """client version per session: several bumps in healthy lives, one in a third of the others, none in hidden_step"""
        rng, n = self.rng, self.n
        if self.kind == "update":
            cuts = [self.cut]
        elif self.kind == "hidden_step":
            cuts = []
        elif self.spec.get("clients"):
            cuts = [round(n * q) for q in (0.2, 0.4, 0.6, 0.8)]
        elif self.spec["expects"] == "healthy":
            cuts = [round(n * rng.uniform(0.1, 0.9)) for _ in range(rng.randrange(0, 3))]
        else:
            cuts = [round(n * rng.uniform(0.15, 0.85))] if rng.random() < 0.33 else []
        jumps = {c: rng.choice([1, 1, 2, 4]) for c in cuts}
        out, v = [], self.minor
        for i in range(n):
            v += jumps.get(i, 0)
            out.append(v)
        return out

    # ------------------------------------------------------------ one session
    def x(self, i):
        return (i / max(1, self.n - 1)) ** self.bend

    def rates(self, i):
        rng, spec, x = self.rng, self.spec, self.x(i)
        shared = rng.gauss(0, 0.13)
        out = {}
        for q, p in self.base.items():
            p += spec.get("ramp", {}).get(q, 0) * x
            if i >= self.cut:
                p += spec.get("step", {}).get(q, 0)
            if self.rough(i):
                p += dict(error=0.05, correct=0.04).get(q, 0)
            out[q] = min(0.6, p * math.exp(shared + rng.gauss(0, 0.17)))
        out["effort"] = 1 + spec.get("ramp", {}).get("effort", 0) * x + (spec.get("step", {}).get("effort", 0) if i >= self.cut else 0)
        if self.rough(i):
            out["effort"] *= 1.45
        out["skip"] = spec.get("step", {}).get("skip", 0) if i >= self.cut else 0
        out["pace"] = math.exp(rng.gauss(0, 0.12))
        return out

    def rough(self, i):
        if not self.spec.get("rough"):
            return False
        middle = self.dates[self.n // 2]
        return abs(self.dates[i] - middle) <= 7 * DAY

    def run(self):
        for i in range(self.n):
            self.session(i)
        return self

    def session(self, i):
        rng, spec = self.rng, self.spec
        self.i, self.p, self.at = i, self.rates(i), self.dates[i]
        second = spec.get("colleague") and i >= self.cut
        self.cur_lang = "fr" if spec.get("french") and i >= self.cut else self.lang
        self.cur_user = self.user2 if second else self.user
        self.cur_manner = self.manner2 if second else self.manner
        self.model = self.models[-1] if spec.get("bump") and i >= self.cut else self.models[0]
        self.events, self.known, self.recent, self.asked, self.before = [], {}, [], [], []
        self.answered, self.left, self.focus, self.window, self.shown = {}, 0, [], 0, False
        self.count = {q: [0, 0] for q in QUANTITIES + ["win_error", "win_correct", "failed", "compactions", "requests"]}
        self.pool = self.items[:max(20, round(len(self.items) * (0.4 + 0.6 * i / max(1, self.n - 1))))] if spec.get("swell") else self.items
        self.topics = rng.sample(W.NEEDS[self.cur_lang], min(4, len(W.NEEDS[self.cur_lang])))
        noise = {k: math.exp(rng.gauss(0, 0.35)) for k in PLAN}
        if self.code:
            w = 0.1 + 0.9 * self.x(i) if spec.get("wander") else 0
            mix = {k: (CODE_MIX[k] * (1 - w) + LATE_MIX[k] * w) * noise[k] for k in CODE_MIX}
        else:
            mix = {k: DESK_MIX[k] * noise[k] for k in DESK_MIX}
        n = max(6, min(25, round(12 * math.exp(rng.gauss(0, 0.36)))))
        if spec.get("closing") and i >= self.n * 0.8:
            n = min(32, round(n * 1.7))
        if spec.get("marathon"):
            if i == 0:
                self.long_one = round(self.n * rng.uniform(0.5, 0.8))
            if i == self.long_one:
                n = rng.randrange(70, 91)
        stops = self._places(n, spec.get("compactions", 0.6) * n / 13.0)
        shock = spec.get("shock")
        other = set()
        if shock in ("model", "clear"):
            k = rng.choice([0, 1, 1, 1, 2, 2])
            other = set(rng.sample(range(1, n - 1), min(k, n - 2)))
        memo = spec.get("memo") and i in {round(self.n * q) for q in (0.2, 0.45, 0.65, 0.85)}
        self.stops, self.n_requests, self.tokens = stops, n, 0
        for j in range(n):
            self.j = j
            if j == 0:
                self.budget()
            if j in other:
                self.lifecycle(shock)
            self.mid = False
            if j in stops:
                if rng.random() < 0.4:
                    self.mid = True
                else:
                    self.compact()
            self.request(rng.choices(list(mix), list(mix.values()))[0], first=j == 0, memo=memo and j == min(2, n - 1))
        self.count["requests"][0] = n
        self.count["requests"][1] = 1
        self.count["compactions"][1] = 1
        self.sessions.append(dict(index=i, events=self.events, user=self.cur_user, client=self.clients[i], first_client=self.minor, model=self.model,
                                  count=self.count, lang=self.cur_lang, branch=rng.choice(W.BRANCHES).format(s=rng.choice(self.repo["stems"]).lower(), u=self.cur_user), rng=random.Random("tel4w %s %s %s" % (self.seed, self.kind, i))))

    def _places(self, n, mean):
        """requests before (or in) which the context is compacted: a Poisson number of them"""
        k, p, left = 0, self.rng.random(), math.exp(-mean)
        while p > left and k < n // 3:
            k, p = k + 1, p * self.rng.random()
        return set(self.rng.sample(range(2, n), k))

    def budget(self):
        """tokens in the context, and how many a call adds, so that it is full at the next compaction"""
        ahead = [s for s in self.stops if s > self.j]
        self.tokens = self.rng.randrange(19000, 29000)
        self.growth = (150000 - self.tokens) / (max(1, min(ahead) - self.j) * 6.5) if ahead else self.rng.uniform(700, 1300)

    # ------------------------------------------------------------ events
    def tick(self, low, high):
        self.at += self.rng.uniform(low, high)
        return round(self.at, 3)

    def add(self, t, label=None, **fields):
        self.serial += 1
        fields.update(t=t, id="%06d" % self.serial)
        if label:
            self.marks.append([self.i, fields["id"], label])
        self.events.append(fields)
        return fields

    def say_user(self, text, label=None):
        m = self.cur_manner
        if m == 1:
            text = text[0].lower() + text[1:]
        elif m == 2 and self.rng.random() < 0.3:
            text = {"en": "Hi, ", "de": "Hallo, ", "fr": "Salut, "}[self.cur_lang] + text
        elif m == 3 and self.rng.random() < 0.25:
            text += {"en": " thanks", "de": " danke", "fr": " merci"}[self.cur_lang]
        self.add("user", label, text=text, at=self.tick(20, 240))

    def pick(self, table, **slots):
        t = self.rng.choice(table[self.cur_lang]) if isinstance(table[self.cur_lang], list) else table[self.cur_lang]
        if "name" in slots:
            slots["Name"] = slots["name"][0].upper() + slots["name"][1:]
        return t.format(**slots)

    def slots(self):
        it = self.focus[0] if self.focus else self.rng.choice(self.pool)
        if self.code:
            return dict(thing=self.thing, area=it.module, file=it.name, what=it.name, rec=it.name, twin=it.twin.name if it.twin else it.name,
                        sym=self.rng.choice(W.VERBS) + ("_" if self.repo["ext"] != "kt" else "") + self.rng.choice(W.WORDS), n=self.rng.randrange(2, 9))
        return dict(thing=self.thing, area=self.desk["name"], file=it.name, what=it.name, rec=it.name, twin=it.twin.name if it.twin else it.name, sym=it.key, n=self.rng.randrange(2, 9))

    def compact(self):
        files = ", ".join(i.name for i in list(self.known)[-6:]) or "none yet"
        told = "; ".join("%s: %s" % (s.en, s.now) for s in self.settings if s.told)
        text = ("1. Primary request: work on %s.\n2. Looked at: %s.\n3. Settings in use: %s.\n4. Pending: the user's last request." % (getattr(self, "thing", "the project"), files, told or "none"))
        self.add("compact", text=text, at=self.tick(5, 40), tokens=int(self.tokens), auto=self.tokens > 110000)
        self.budget()
        self.before, self.asked = self.before + self.asked, []
        self.count["compactions"][0] += 1
        if self.spec.get("shock") == "compact":
            self.shock()

    def lifecycle(self, what):
        if what == "model":
            self.model = self.rng.choice([m for m in self.models if m != self.model])
            self.add("model", model=self.model, at=self.tick(5, 60))
        else:
            self.add("clear", at=self.tick(5, 60))
            self.known, self.recent, self.asked, self.before, self.answered, self.left, self.tokens = {}, [], [], [], {}, 0, 19000
        self.shock()

    def shock(self):
        self.shocks += 1
        self.window = self.rng.choice([3, 4, 4, 5])
        self.depth = min(1.0, self.shocks / ((1.6 if self.spec["shock"] == "compact" else 1.3) * self.n))

    def now(self, q):
        if self.window > 0 and self.spec.get("shock"):
            if q in ("error", "correct"):
                return self.p[q] + 0.03 + 0.15 * self.depth
            if q == "effort":
                return self.p[q] * (1 + 0.3 * self.depth)
        return self.p[q]

    # ------------------------------------------------------------ a request
    def request(self, what, first=False, memo=False):
        rng, lang = self.rng, self.cur_lang
        inside = self.window > 0
        if self.left <= 0:
            self.thread()
        fresh = self.left == self.length
        if not fresh and rng.random() < 0.75:
            self.focus = self.focus[1:] + self.focus[:1]  # the user goes on to the next file or record
        self.left -= 1
        s = self.slots()
        red = pair = False
        table = (W.CODE_ASK if self.code else W.DESK_ASK)[lang]
        if memo:
            text = self.pick(W.MEMO, memo=self.memo_file(), **s)
        elif self.focus[0].twin and rng.random() < (0.02 + (0.23 * self.x(self.i) if self.spec.get("pairs") else 0)) and (self.code or lang == "de"):
            pair, text = True, self.pick(W.BOTH, **s)
        else:
            text = rng.choice(table[what]).format(**s) if fresh or rng.random() < 0.6 else self.pick(W.GO_ON, **s)
        if self.code and what in ("fix", "feature") and rng.random() < (0.05 + 0.60 * self.x(self.i) if self.spec.get("red") else 0.05):
            red, text = True, text.rstrip(".") + ". " + self.pick(W.RED_FIRST, **s)
        head, changed, mode = "", None, None
        if rng.random() < self.spec.get("changes", 0.08):
            told = [z for z in self.settings if z.told]
            if told:
                changed = rng.choice(told)
                changed.change(self.i)
                mode = rng.choices(["tell", "look", "set"], [0.62, 0.18, 0.2])[0]
                table = dict(tell=W.TELL, look=W.LOOKUP, set=W.SETIT)[mode]
                head = self.pick(table, name=changed.name(lang), old=changed.old[-1], new=changed.now) + " "
        use = way = None
        if rng.random() < self.spec.get("uses", 0.22):
            use = rng.choices(self.settings, [4.0 if z.changed == self.i else 2.0 if z.changed >= self.i - 3 else 0.6 for z in self.settings])[0]
            way = self.spec.get("way") or rng.choice(["json", "id", "key", "prose"] + (["flag"] if self.code else []))
            if not use.told:
                use.told = True
                head += self.pick(W.TELL_FIRST, name=use.name(lang), new=use.now) + " "
            old_on_purpose = bool(use.old) and way != "prose" and rng.random() < (0.03 + 0.27 * self.x(self.i) if self.spec.get("compare") else 0.03)
            tail = self.pick(W.USE["old" if old_on_purpose else "prose" if way == "prose" else "call"], name=use.name(lang), old=use.old[-1] if use.old else "")
            self.job = next((job for word, job in W.JOBS.items() if word in tail), "transfer")
            text = text.rstrip(".") + (", " if text[-1] not in "?!" else " ") + tail
        self.say_user(head + text)
        n_calls = max(3, min(12, round(5.3 * self.p["pace"] * math.exp(rng.gauss(0, 0.3)))))
        effort = self.now("effort")
        n_calls = int(n_calls * effort + rng.random())
        stop_at = rng.randrange(1, n_calls) if rng.random() < self.now("stop") else None
        self.count["stop"][1] += 1
        self.count["correct"][1] += 1
        self.count["effort"][1] += 1
        if inside:
            self.count["win_correct"][1] += 1
        if first and rng.random() < 0.7 or mode == "look":
            self.settings_read()
        if mode == "set":
            self.settings_set(changed)
        if memo:
            self.act("edit", item=None, path=self.memo_file(), old="## Habits", new="## Habits\n- changes to %s need a changelog entry" % s["thing"])
        self.need()
        if pair:
            for it in (self.focus[0], self.focus[0].twin):
                if it not in self.known:
                    self.read(it, "both")
        if red:
            self.red_first()
        done = self.steps(what, n_calls, stop_at)
        ending = None
        if use and done:
            ending = self.use(use, way, old_on_purpose, changed is use and mode == "look")
        if done:
            answer = self.pick(W.DONE if self.code else W.DONE_DESK, **s)
            if rng.random() < self.talk:
                answer += " " + self.pick(W.LONGER if self.code else W.LONGER_DESK, **s)
            if ending and ending[0]:
                answer += " " + ending[0]
            self.add("answer", ending[2] if ending and ending[0] else None, text=answer, at=self.tick(3, 20), tokens=int(self.tokens), model=self.model)
        if self.window > 0:
            self.window -= 1
        if not done:
            self.count["stop"][0] += 1
            self.follow(self.pick(W.AFTER_STOP, **s), "after_stop", what)
        elif ending and ending[1]:
            self.follow(ending[1], "stale_fix", what, redo=(use, way))
        elif rng.random() < self.now_at("correct", inside):
            self.count["correct"][0] += 1
            if inside:
                self.count["win_correct"][0] += 1
            self.follow(self.pick(W.CORRECT, **s), "correct", what)

    def now_at(self, q, inside):
        return self.p[q] + 0.03 + 0.15 * self.depth if inside and self.spec.get("shock") else self.p[q]

    def follow(self, text, label, what, redo=None):
        """the user's next prompt, short work on it"""
        self.say_user(text, label)
        self.count["effort"][1] += 1
        if redo and redo[1] != "prose":
            self.emit_use(redo[0], redo[1], redo[0].now, None)
        self.steps(what, int(max(2, round(self.rng.uniform(2.5, 5.5))) * self.now("effort") + self.rng.random()), None)
        answer = self.pick(W.DONE if self.code else W.DONE_DESK, **self.slots())
        if redo and redo[1] == "prose":
            answer = self.pick(W.SAY_VALUE, name=redo[0].name(self.cur_lang), v=redo[0].now)
        self.add("answer", text=answer, at=self.tick(3, 20), tokens=int(self.tokens), model=self.model)

    def thread(self):
        rng = self.rng
        if self.code:
            self.thing = rng.choice(self.repo["things"])
        else:
            self.thing = rng.choice(self.desk["dinge" if self.cur_lang == "de" else "things"])
        fresh = [i for i in self.pool if i not in self.known] or self.pool
        first = rng.choice(fresh)
        near = [i for i in fresh if i.module == first.module and i is not first]
        self.focus = [first]
        for it in rng.sample(near, min(len(near), rng.randrange(3, 6))):
            if it.twin not in self.focus:
                self.focus.append(it)
        self.length = self.left = rng.choice([1, 2, 2, 3, 4])

    def steps(self, what, n, stop_at):
        rng = self.rng
        weights = list(PLAN[what])
        if self.spec.get("queries"):
            weights[4] += 0.12 * self.spec["queries"]
        if self.p["skip"]:
            weights[2] += weights[1] * self.p["skip"] * 0.2
            weights[1] *= 1 - self.p["skip"]
        ops = sorted(rng.choices(range(5), weights, k=n), key=lambda o: (0, 1, 2.2, 3.2, 1.6)[o] + rng.uniform(0, 1.6))
        if self.rough(self.i) and self.code:
            ops += [3] * (rng.random() < 0.3)
        for k, o in enumerate(ops):
            if self.mid and k == n // 2:
                self.mid = False
                self.compact()
            if stop_at is not None and k >= stop_at:
                on_tool = rng.random() < 0.5
                if on_tool:
                    it = self.focus[0]
                    self.emit("run", "stopped_call", ok=False, kind="rejected", **(dict(cmd=self.repo["test"].format(m=it.module, s=it.stem)) if self.code else dict(tool="draft_message", args={"to": it.name, "subject": self.thing})))
                self.add("interrupt", "stop", at=self.tick(1, 10), on_tool=on_tool)
                return False
            getattr(self, "do_" + OPS[o])()
        return True

    # ------------------------------------------------------------ single acts
    def act(self, op, label=None, **f):
        """the call, before it failed attempts by the agent's own fault"""
        rng = self.rng
        if rng.random() < self.talk * 0.6:
            s = self.slots()
            if f.get("item") is not None:
                s["what"] = f["item"].name
            self.add("say", text=self.pick(W.BEFORE, **s), at=self.tick(1, 6), tokens=int(self.tokens), model=self.model)
        p, tries = self.now("error"), 0
        while tries < 2 and rng.random() < p:
            self.emit(op, "error", ok=False, **self.spoil(op, f))
            tries, p = tries + 1, 0.2
        if op in ("edit", "run") and rng.random() < 0.008:
            self.emit(op, "rejected", ok=False, **dict(f, kind="rejected", out=""))
        elif op in ("run", "query") and rng.random() < 0.012:
            self.emit(op, "timeout", ok=False, **dict(f, kind="process", code=124, out="Command timed out after 2m 0.0s" if self.code else "upstream timeout after 30 s, nothing done"))
        return self.emit(op, label, ok=True, **f)

    def emit(self, op, label, ok, **f):
        self.tokens = min(176000, self.tokens + self.growth * self.rng.uniform(0.5, 1.5))
        c = self.count
        c["effort"][0] += 1
        c["error"][1] += 1
        c["failed"][1] += 1
        if not ok:
            c["failed"][0] += 1
        if label == "error":
            c["error"][0] += 1
        if self.window > 0:
            c["win_error"][1] += 1
            c["win_error"][0] += label == "error"
        if op == "read":
            c["reads"][0] += 1
        elif op in ("edit", "write"):
            c["reads"][1] += 1
        f.setdefault("out", "")
        f.setdefault("kind", None if ok else "process")
        f.pop("item", None)
        ev = self.add("call", label, op=op, ok=ok, at=self.tick(1.5, 14), took=round(self.rng.uniform(0.05, 2.5), 3), tokens=int(self.tokens), model=self.model, **f)
        self.at += ev["took"] + 1.5
        return ev

    def spoil(self, op, f):
        """arguments and message of a failed attempt"""
        rng, g = self.rng, {k: v for k, v in f.items() if k != "out"}
        if op == "read" and self.code:
            g["path"] = f["path"].replace("/", "/" + rng.choice(["core", "common", "shared", "internal"]) + "/", 1) if "/" in f["path"] else "docs/" + f["path"]
            g.update(out="File does not exist.", kind="refused", code=1)
        elif op == "search" and self.code:
            g["pattern"] = f.get("pattern", "x") + "("
            g.update(out="regex parse error:\n    (?:%s)\n            ^\nerror: unclosed group" % g["pattern"], kind="process", code=2)
        elif op == "edit" and "old" in f:
            if rng.random() < 0.7:
                g["old"] = f["old"].replace(" ", "  ", 1) + rng.choice([" ", ";", " // see below"])
                g.update(out="String to replace not found in file.\nString: " + g["old"], kind="refused", code=1)
            else:
                g["old"] = f["old"].strip()[:6] or "end"
                g.update(out="Found 3 matches of the string to replace, but replace_all is false. To replace all occurrences, set replace_all to true. To replace only one occurrence, please provide more context to uniquely identify the instance.\nString: " + g["old"], kind="refused", code=1)
        elif op == "run" and "cmd" in f:
            how = rng.randrange(3)
            word = f["cmd"].split()[0]
            if how == 0:
                g["cmd"] = f["cmd"] + rng.choice([" --quick", " --only-failed", " --json=short"])
                g.update(out="error: unexpected argument '%s' found\n\nUsage: %s [OPTIONS] [FILTER]" % (g["cmd"].split()[-1], word), kind="process", code=2)
            elif how == 1:
                g["cmd"] = "cd tools && " + f["cmd"]
                g.update(out="bash: line 1: cd: tools: No such file or directory", kind="process", code=1)
            else:
                g["cmd"] = f["cmd"] + " | awk '{print $1"
                g.update(out="bash: -c: line 1: unexpected EOF while looking for matching `''", kind="process", code=2)
        else:
            args = dict(f.get("args", {}))
            ref = next((k for k, v in args.items() if isinstance(v, str) and v[2:3] == "-" and v[-5:].isdigit()), None)
            how = rng.randrange(4)
            if how == 0 and args:
                k = rng.choice(list(args))
                args.pop(k)
                g.update(out="InputValidationError: required parameter `%s` is missing" % k, kind="refused")
            elif how == 1 and ref:
                args[ref] = rng.choice([args[ref].replace("-", ""), args[ref][:-1], args[ref].lower()])
                g.update(out="not found: %s" % args[ref], kind="process")
            elif how == 2:
                k = rng.choice(["order", "include", "view"])
                args[k] = rng.choice(["latest-first", "everything", "wide"])
                g.update(out="unknown argument '%s'; allowed are: %s" % (k, ", ".join(list(args)[:-1]) or "none"), kind="refused")
            else:
                k = rng.choice(["limit", "since", "day"])
                args[k] = rng.choice(["many", "last week", "31.02.2026"])
                g.update(out="invalid value for '%s': %s" % (k, args[k]), kind="process")
            g.update(args=args, code=1)
        return g

    def text_of(self, it):
        if self.code:
            size = int(it.size * (1 + (self.i / max(1, self.n - 1) if self.spec.get("swell") else 0)))
            if it.lines is None:
                it.lines = []
            if len(it.lines) < size:  # first sight, or grown since
                r = random.Random("tel4f %s %s %d" % (self.seed, it.key, len(it.lines)))
                tpl = self.repo["lines"]
                it.lines += [r.choice(tpl).format(f=r.choice(W.VERBS) + "_" + r.choice(W.WORDS), T=r.choice(W.TYPES), v=r.choice(W.WORDS), w=r.choice(W.WORDS), n=r.randrange(2, 400)) for _ in range(size - len(it.lines))]
            return it.lines
        if it.fields is None:
            r = random.Random("tel4f %s %s" % (self.seed, it.key))
            it.fields = {t.replace(" ", "_").replace("'", ""): "%s %d" % (r.choice(["since", "ref", "no.", "ca."]), r.randrange(10, 9000)) for t in self.desk["things"]}
            it.fields["history"] = ["%s %s" % (r.choice(["called", "mail in", "mail out", "checked by", "scan of"]), r.choice(W.WORDS)) for _ in range(r.randrange(2, 7))]
        return it.fields

    def read(self, it, label=None):
        body = self.text_of(it)
        if self.code:
            whole = len(body)
            lo, hi = 0, whole
            if whole > 44 and self.spec.get("swell") and label is None:
                lo = self.rng.randrange(0, max(1, whole - 20))
                hi = min(whole, lo + 40)
            ev = self.act("read", label, item=it, path=it.key, start=lo + 1, total=whole, ranged=(lo, hi) != (0, whole), shell=self.rng.random() < 0.1, out="\n".join(body[lo:hi]))
        else:
            ev = self.act("read", label, item=it, tool="get_" + self.desk["noun"], args={self.desk["noun"] + "_id": it.key}, out=json.dumps(dict(id=it.key, name=it.name, **body), ensure_ascii=False))
        self.known[it] = it.ver
        self.recent = [x for x in self.recent if x is not it] + [it]
        return ev

    def do_read(self):
        rng, c = self.rng, self.count
        same = [i for i in self.recent[-14:] if self.known[i] == i.ver]  # read in this session and unchanged since it was read
        if same:
            c["reread"][1] += 1
            if rng.random() < self.p["reread"]:
                c["reread"][0] += 1
                return self.read(rng.choice(same), "reread")
        ahead = [i for i in self.focus if i not in self.known]
        if ahead:
            return self.visit(ahead[0])
        changed = [i for i in self.recent if self.known[i] != i.ver]
        if changed and rng.random() < 0.4:
            return self.read(rng.choice(changed), "changed")
        fresh = [i for i in self.pool if i not in self.known]
        if not fresh:  # a very long session: everything has been seen
            return self.do_search()
        near = [i for i in fresh if i.module == self.focus[0].module and i.twin not in self.focus] or fresh
        it = rng.choice(near)
        self.focus.append(it)
        return self.visit(it)

    def visit(self, it):
        rng = self.rng
        if it.twin is not None and it.twin not in self.known:
            self.count["alike"][1] += 1
            if rng.random() < self.p["alike"]:
                self.count["alike"][0] += 1
                self.read(it.twin, "alike")
                if rng.random() < 0.45:
                    self.add("say", text=self.pick(W.WRONG_PLACE, what=it.name), at=self.tick(1, 5), tokens=int(self.tokens), model=self.model)
        return self.read(it)

    def do_edit(self):
        rng = self.rng
        have = [i for i in self.focus if i in self.known]
        if not have:
            if rng.random() > 0.04 + self.p["skip"] * 0.6:
                self.visit(self.focus[0])
            have = self.focus[:1]
        it = rng.choice(have[-3:])
        if self.code:
            body = self.text_of(it)
            if rng.random() < 0.06:
                it.ver += 1
                self.known.setdefault(it, -1)
                return self.act("write", item=it, path=it.key, text="\n".join(body), out="The file %s has been updated successfully." % it.key)
            for _ in range(8):
                k = rng.randrange(len(body))
                if len(body[k].strip()) > 9 and body.count(body[k]) == 1:
                    break
            old = body[k]
            new = old + rng.choice(["  // keep %d", "  // was %d", "  // see note %d"]).replace("//", "#" if self.repo["ext"] in ("rb", "ex") else "//") % rng.randrange(9999)
            body[k] = new
            it.ver += 1
            ev = self.act("edit", item=it, path=it.key, old=old, new=new, out="The file %s has been updated successfully." % it.key)
        else:
            fields = self.text_of(it)
            k = rng.choice([x for x in fields if x != "history"])
            fields[k] = "%s %d" % (rng.choice(["new", "ref", "from"]), rng.randrange(10, 9000))
            it.ver += 1
            ev = self.act("edit", item=it, tool="update_" + self.desk["noun"], args={self.desk["noun"] + "_id": it.key, "changes": {k: fields[k]}, "note": rng.choice(["per mail", "by phone", "from scan"])}, out=json.dumps(dict(updated=it.key, version=it.ver + 3)))
        self.known.setdefault(it, -1)
        return ev

    def again(self, op):
        """after a compaction: an earlier search or query once more?"""
        if not self.before:
            return None
        self.count["repeat"][1] += 1
        if self.rng.random() < self.p["repeat"]:
            self.count["repeat"][0] += 1
            return self.rng.choice(self.before)
        return None

    def do_search(self):
        rng = self.rng
        old = self.again("search")
        if old:
            return self.act(old[0], "repeat", **old[1])
        if not self.code:
            it = self.focus[0] if self.focus[0] not in self.known else rng.choice(self.focus if rng.random() < 0.6 else self.pool)
            hits = [it] + ([it.twin] if it.twin else []) + rng.sample(self.pool, 2)
            words = it.name.split()
            return self.ask_store("search", tool="search_%ss" % self.desk["noun"], args={"query": rng.choice([it.name, words[0] + " " + rng.choice(self.desk["things"]), words[-1] + " %d" % rng.randrange(2022, 2027)]), "limit": rng.choice([5, 10, 20, 25])},
                                  out=json.dumps([dict(id=h.key, name=h.name) for h in dict.fromkeys(hits)], ensure_ascii=False))
        pattern = rng.choice(W.VERBS) + "_" + rng.choice(W.WORDS) if rng.random() < 0.7 else rng.choice(W.TYPES) + rng.choice(["::new", " {", "Error", "\\b"]) + rng.choice(W.WORDS)
        hits = rng.sample(self.pool, rng.randrange(1, 5))
        body = "\n".join("%s:%d:    %s" % (h.key, rng.randrange(3, 60), pattern) for h in hits)
        if self.spec.get("index") and self.i >= self.n * 0.35 and rng.random() < 0.6 * min(1.0, (self.i / self.n - 0.35) / 0.35 + 0.15):
            return self.ask_store("query", tool="mcp__codemap__symbol", args={"symbol": pattern, "include": "definitions"}, out=json.dumps({"symbol": pattern, "hits": [{"path": h.key, "line": rng.randrange(3, 60)} for h in hits]}))
        return self.ask_store("search", pattern=pattern, where=rng.choice(["", "", hits[0].key.rsplit("/", 1)[0]]), out=body)

    def ask_store(self, op, **f):
        """a search or query not made before in this session"""
        past = [g.get("args") or g.get("pattern") for _, g in self.asked + self.before]
        while (f.get("args") or f.get("pattern")) in past:
            if "pattern" in f:
                f["pattern"] += "_" + self.rng.choice(W.WORDS)
            elif "query" in f["args"]:
                f["args"]["query"] += " " + self.rng.choice(self.desk["things"])
            else:
                f["args"]["page"] = self.rng.randrange(2, 99)
        ev = self.act(op, **f)
        self.asked.append((op, dict(f)))
        return ev

    def do_query(self):
        rng = self.rng
        old = self.again("query")
        if old:
            return self.act(old[0], "repeat", **old[1])
        if not self.code:
            it = rng.choice(self.focus)
            tools = self.desk["tools"] + (W.MORE_DESK_TOOLS if self.spec.get("many") else W.MORE_DESK_TOOLS[:4])
            tool = rng.choice(tools)
            return self.ask_store("query", tool=tool, args={"ref": it.key, "day": "2026-%02d-%02d" % (rng.randrange(3, 9), rng.randrange(1, 29)), "detail": rng.choice(["short", "full"])},
                                  out=json.dumps({"ref": it.key, "status": rng.choice(["open", "ok", "waiting", "partly"]), "value": rng.randrange(10, 5000), "unit": rng.choice(["pcs", "kg", "h", "EUR"])}))
        server, tool, twin, arg = rng.choice(W.QUERY_TOOLS)
        args = {arg: "%s.%s_%s" % (self.focus[0].module, rng.choice(W.WORDS), rng.choice(W.WORDS)), "since": "2026-%02d-%02d" % (rng.randrange(3, 9), rng.randrange(1, 29))}
        self.count["tool_alike"][1] += 1
        if rng.random() < self.p["tool"]:
            self.count["tool_alike"][0] += 1
            self.act("query", "tool_alike", tool="mcp__%s__%s" % (server, twin), args=dict(args), out=rng.choice(["[]", "{\"total\": 0, \"items\": []}", "{\"items\": [], \"hint\": \"nothing under this name here\"}"]))
        return self.ask_store("query", tool="mcp__%s__%s" % (server, tool), args=args, out=json.dumps({arg: args[arg], "values": [rng.randrange(0, 900) for _ in range(rng.randrange(3, 12))], "state": rng.choice(["ok", "late", "open"])}))

    def do_run(self):
        rng = self.rng
        it = rng.choice(self.focus)
        if not self.code:
            return self.act("run", tool="draft_message", args={"to": it.name, "subject": self.thing, "body": self.pick(W.LONGER_DESK, thing=self.thing, what=it.name, rec=it.name)}, out=json.dumps({"draft": "D%05d" % rng.randrange(99999)}))
        cmd = rng.choice([self.repo["test"], self.repo["test"], self.repo["lint"], self.repo["build"], "git diff --stat", "git log --oneline -%d" % rng.randrange(3, 15)]).format(m=it.module, s=it.stem)
        if cmd.startswith(self.repo["test"].split("{")[0]) and rng.random() < (0.14 if not self.rough(self.i) else 0.3):
            self.act_failing(cmd, it, "red_task")
            if rng.random() < 0.7:
                self.do_edit()
        if cmd.startswith("git log"):
            out = "\n".join("%07x %s %s" % (rng.getrandbits(28), rng.choice(["Fix", "Tidy", "Extend", "Move"]), rng.choice(self.repo["things"])) for _ in range(int(cmd.split("-")[-1])))
        elif cmd.startswith("git diff"):
            out = " %s | %d ++--\n 1 file changed" % (it.key, rng.randrange(2, 40))
        elif cmd.startswith(self.repo["test"].split("{")[0]):
            out = self.pass_text(it)
        else:
            out = "%d files checked, nothing to report (%.1f s)" % (rng.randrange(20, 90), rng.uniform(1, 20))
        return self.act("run", cmd=cmd, out=out)

    def pass_text(self, it):
        return "running %d tests of %s\n%d passed, 0 failed in %.2fs" % (self.rng.randrange(3, 60), it.stem, self.rng.randrange(3, 60), self.rng.uniform(0.2, 9))

    def act_failing(self, cmd, it, label):
        rng = self.rng
        self.emit("run", label, ok=False, cmd=cmd, kind="process", code=1,
                  out="running %d tests of %s\n---- %s_%s ----\nassertion failed: left %d, right %d\n%d passed, 1 failed" % (rng.randrange(4, 60), it.stem, it.stem.lower(), rng.choice(W.WORDS), rng.randrange(90), rng.randrange(90), rng.randrange(3, 59)))

    def red_first(self):
        it = self.focus[0]
        if it not in self.known:
            self.visit(it)
        cmd = self.repo["test"].format(m=it.module, s=it.stem)
        tests = "tests/%s_%s.%s" % (it.module, it.stem.lower(), self.repo["ext"])
        self.act("write", path=tests, text="\n".join(self.text_of(it)[:8]), out="File created successfully at: " + tests)
        self.act_failing(cmd, it, "red_wanted")

    def memo_file(self):
        return {"claude_code": "CLAUDE.md", "codex": "AGENTS.md", "generic": "AGENTS.md"}[self.form]

    def need(self):
        """something only the user knows: asked once per session, from then on known"""
        rng = self.rng
        if rng.random() > self.spec.get("needs", 0.25):
            return
        topic, questions, answers = rng.choice(self.topics)
        question = rng.choice(questions)
        if topic not in self.answered:
            self.answered[topic] = rng.choice(answers)
            self.add("answer", "ask_first", text=question, at=self.tick(3, 12), tokens=int(self.tokens), model=self.model)
            self.say_user(self.answered[topic], "reply")
            self.count["effort"][1] += 1
            return
        self.count["ask"][1] += 1
        if rng.random() < self.p["ask"]:
            self.count["ask"][0] += 1
            self.add("answer", "ask_again", text=question, at=self.tick(3, 12), tokens=int(self.tokens), model=self.model)
            self.say_user(self.pick(W.ANSWER_AGAIN, a=self.answered[topic]), "reply")
            self.count["effort"][1] += 1

    # ------------------------------------------------------------ settings
    def settings_read(self):
        told = [s for s in self.settings if s.told]
        if not told:
            return
        if self.code:
            self.act("read", "settings", path="ops/settings.toml", start=1, total=len(told) + 1, ranged=False, shell=False, out="[settings]\n" + "\n".join("%s = %s" % (s.key, json.dumps(s.now)) for s in told))
        else:
            self.act("query", "settings", tool="get_settings", args={"scope": self.desk["name"]}, out=json.dumps({s.key: s.now for s in told}))

    def settings_set(self, s):
        if self.code:
            self.act("edit", "settings", path="ops/settings.toml", old="%s = %s" % (s.key, json.dumps(s.old[-1])), new="%s = %s" % (s.key, json.dumps(s.now)), out="The file ops/settings.toml has been updated successfully.")
        else:
            self.act("query", "settings", tool="set_setting", args={"key": s.key, "value": s.now}, out=json.dumps({"ok": True, s.key: s.now}))

    def use(self, s, way, on_purpose, looked):
        """-> (text for the answer, the user's correction, label of the answer)"""
        rng, stale = self.rng, False
        if on_purpose:
            self.emit_use(s, way, s.now, None)
            self.emit_use(s, way, s.old[-1], "old_wanted")
            return None
        if s.old and not looked:
            self.count["stale"][1] += 1
            stale = rng.random() < self.p["stale"]
            self.count["stale"][0] += stale
        v = s.old[-1] if stale else s.now
        name = s.name(self.cur_lang)
        fix = self.pick(W.STALE_FIX, name=name, old=v, new=s.now) if stale else None
        if way == "prose":
            return self.pick(W.SAY_VALUE, name=name, v=v), fix if stale and rng.random() < 0.55 else None, "stale" if stale else None
        if not stale:
            self.emit_use(s, way, v, None)
            return None
        luck = rng.random()
        if luck < 0.35:
            self.emit_use(s, way, v, "stale", ok=luck > 0.17, remark="%s was retired, current is %s" % (v, s.now))
            self.emit_use(s, way, s.now, None)
            return None
        self.emit_use(s, way, v, "stale")
        return (None, fix, None) if luck < 0.7 else None

    def emit_use(self, s, way, v, label, ok=True, remark=None):
        rng, n = self.rng, self.rng.randrange(100, 999)
        job = self.job
        out = json.dumps({"job": job, "accepted": ok, "ticket": n} if not remark else {"job": job, "accepted": ok, "warning": remark})
        if way == "flag":
            cmd = "%s %s %s%s%s --wait" % (self.repo["ctl"], job, s.flag, rng.choice([" ", "="]), v)
            f = dict(cmd=cmd, out="%s %d queued" % (job, n) if not remark else ("warning: " if ok else "error: ") + remark)
            op = "run"
        else:
            prefix = "mcp__%s__" % self.repo["ctl"] if self.code else ""
            if way == "json":
                args = {"job": job, "spec": {"mode": rng.choice(["full", "delta"]), "target": {s.key: v, "priority": rng.randrange(1, 5)}}}
            elif way == "key":
                args = {"job": job, s.alt: v, "priority": rng.randrange(1, 5)}
            else:
                args = {"job_id": s.idform.format(v=v, n=n), "kind": job}
            f = dict(tool=prefix + "start_" + job, args=args, out=out)
            op = "query"
        if not ok:
            f.update(code=1, kind="process")
            return self.emit(op, label, ok=False, **f)
        return self.act(op, label, **f)


def write_agent(kind, seed, sessions, folder, form=None, labels=None):
    """One agent's trace into `folder`; the truth into `<folder>.labels.json` beside it (or `labels`; False for none)."""
    life = Life(kind, seed, sessions, form).run()
    folder = str(folder)
    os.makedirs(folder, exist_ok=True)
    ids, refs = writers.WRITERS[life.form](life, folder)
    if labels is not False:
        spec = KINDS[kind]
        truth = dict(kind=kind, seed=seed, sessions=sessions, form=life.form, expects=spec["expects"], mechanism=spec["mechanism"], planted=spec["planted"], quantity=spec["quantity"],
                     cut=life.cut, ids=ids, labels=[[i, refs.get(e, e), what] for i, e, what in life.marks], rates=[s["count"] for s in life.sessions])
        with open(labels or folder.rstrip("/") + ".labels.json", "w") as out:
            json.dump(truth, out)
    return folder


if __name__ == "__main__":
    write_agent(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4], form=sys.argv[5] if len(sys.argv) > 5 else None)
