"""Simulated deployed agents, fifth set: write_agent(kind, seed, sessions, folder). See README.md."""

import json
import math
import os
import random
import sys

if __package__:
    from . import t5_worlds as W
    from . import t5_writers as out
else:
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import t5_worlds as W
    import t5_writers as out

CC, CX, GE = "claude_code", "codex", "generic"
RATES = dict(error=0.05, correct=0.04, stop=0.015, reread=0.10, alike=0.03, tool_alike=0.03, stale=0.03, ask=0.03, repeat=0.05)
CODE_MIX = dict(fix=24, feature=20, tidy=12, question=15, review=8, ops=9, use=9, tell=3)
DESK_MIX = dict(enquiry=24, change=22, report=14, message=12, check=12, use=12, tell=4)
TALKERS = dict(CODE_MIX, fix=8, feature=6, tidy=4, question=34, review=24, ops=12)
USERS_OF_SETTINGS = dict(fix=12, feature=10, tidy=8, question=12, review=6, ops=7, use=43, tell=2)
DESK_USERS = dict(enquiry=15, change=14, report=9, message=8, check=8, use=44, tell=2)
DESK_TELLERS = dict(DESK_USERS, use=8, tell=72)


def healthy(form, agent, truth, **cfg):
    return dict(form=form, agent=agent, expects="healthy", mechanism=None, planted=None, quantity=(), truth=truth, cfg=cfg)


def aging(form, agent, mechanism, quantity, truth, **cfg):
    return dict(form=form, agent=agent, expects="aging", mechanism=mechanism, planted="ramp", quantity=tuple(quantity.split()), truth=truth, cfg=cfg)


STALE = dict(ramp=dict(stale=(0.03, 0.25)), changes=1.7, median=18)
AFTER = dict(window=(0.02, 0.15), median=19)

KINDS = {
    "steady_terse": healthy(CX, "code", "nothing changes; says almost nothing", talk=0.02),
    "steady_chatty": healthy(CC, "code", "nothing changes; talks before most calls, long answers", talk=0.8, long=0.8),
    "steady_clumsy": healthy(CC, "code", "nothing changes; 14 % of calls fail by its own fault, 9 % of requests corrected, throughout", base=dict(error=0.14, correct=0.09)),
    "steady_toolbox": healthy(GE, "desk", "nothing changes; some forty tools in use", toolbox=True),
    "steady_monolith": healthy(CC, "code", "nothing changes; repository of 300 files, twice as long, read in parts", files=300, stretch=(2, 2)),
    "work_drifts": healthy(CC, "code", "fixes and features give way to questions and reviews", mix2=TALKERS),
    "repo_grows": healthy(CX, "code", "files in use 35 to 100 %, files 1 to 2.2 times as long", grow=0.35, stretch=(1, 2.2), files=110),
    "new_tool": healthy(CC, "code", "from 35 % of the life a symbol server takes over 65 % of the searches", index=0.35),
    "model_upgrade": healthy(GE, "code", "another model from the cut on, no effect", model_at_cut=True),
    "client_version": healthy(CC, "code", "four client versions; wrapping, extra records, recorded tokens change, behaviour does not", versions=4),
    "other_user": healthy(CC, "code", "another person from the cut on: home, hours, manner, somewhat other work", user_at_cut=True),
    "other_language": healthy(GE, "desk", "Spanish instead of English from the cut on, corrections as often as ever", lang2="es"),
    "vacation": healthy(CC, "desk", "five weeks without a session", gap=36),
    "giant_session": healthy(CX, "code", "one session of 75-95 requests at 45-80 % of the life", giant=True),
    "red_on_purpose": healthy(CC, "code", "tests red on request (mutants, known bugs first) in 5 to 60 % of fixes and features", red=(0.05, 0.6)),
    "memory_edits": healthy(CC, "code", "the instruction file is edited on request in four sessions", memo=4),
    "hard_fortnight": healthy(GE, "code", "a quarter of the life in the middle: calls x1.4, errors +5, corrections +4 points, more red tests; then as before", patch=True),
    "rereader": healthy(CX, "code", "33 % of reads are re-reads, by habit, throughout", base=dict(reread=0.33)),
    "quarter_end": healthy(CC, "desk", "last fifth: 1.6 times as many requests per session, several sessions a day; rates per request as ever", rush=True, median=13),
    "shorter_sessions": healthy(CC, "code", "the user splits his work: requests per session 21 to 9", medians=(21, 9)),
    "flip_back": healthy(GE, "desk", "values return to what they were in 5 to 85 % of changes; the current value is used as ever", back=(0.05, 0.85), mix=DESK_USERS, changes=1.7),

    "reread_shell": aging(CX, "code", "compression", "reread", "re-reads of unchanged known files through the shell 10 to 30 % of reads", ramp=dict(reread=(0.10, 0.30)), compactions=1.0),
    "reread_parts": aging(CC, "code", "compression", "reread", "re-reads of parts of long files seen before (same or overlapping lines) and of whole files 10 to 30 % of reads", ramp=dict(reread=(0.10, 0.30)), stretch=(3, 3), overlap=0.4, compactions=1.0),
    "asks_twice": aging(CC, "code", "compression", "ask", "asks the user again what he answered in this session 3 to 25 % of needs", ramp=dict(ask=(0.03, 0.25)), needs=0.95, median=17, compactions=1.0),
    "repeats_after_compact": aging(CC, "desk", "compression", "repeat", "after a compaction, look-ups made before it repeated with equal arguments 5 to 27 % of look-ups", ramp=dict(repeat=(0.05, 0.27)), early=True, median=17),
    "mixed_files": aging(CX, "code", "interference", "alike", "look-alike file read first, then the right one, 3 to 18 % of first visits", ramp=dict(alike=(0.03, 0.18)), median=18),
    "mixed_records": aging(CC, "desk", "interference", "alike", "record of similar name and number opened first, then the right one, 3 to 18 % of first visits", ramp=dict(alike=(0.03, 0.18)), median=19),
    "mixed_tools": aging(GE, "desk", "interference", "tool_alike", "look-alike tool called first, then the right one, 3 to 18 % of look-ups", ramp=dict(tool_alike=(0.03, 0.18)), median=18),
    "stale_nested": aging(CC, "desk", "revision", "stale", "replaced value used 3 to 25 % of uses; deep in JSON arguments", use="nested", mix=DESK_USERS, **STALE),
    "stale_composite": aging(GE, "desk", "revision", "stale", "same; the value is a part of a composite id", use="composite", mix=DESK_USERS, **STALE),
    "stale_alias": aging(GE, "code", "revision", "stale", "same; the key in the call is named differently than announced", use="alias", mix=USERS_OF_SETTINGS, **STALE),
    "stale_option": aging(CC, "code", "revision", "stale", "same; the value is a shell option", use="option", mix=USERS_OF_SETTINGS, **STALE),
    "stale_prose": aging(CC, "desk", "revision", "stale", "same; the value is said in a prose answer", use="plain", mix=DESK_TELLERS, **STALE),
    "after_compact": aging(CX, "code", "maintenance", "win_error win_correct", "3-5 requests after a compaction: errors and corrections +2 to +15 points, calls x1 to x1.25, growing with each", event="compact", **AFTER),
    "after_model": aging(CC, "code", "maintenance", "win_error win_correct", "same after /model", event="model", **AFTER),
    "after_clear": aging(GE, "desk", "maintenance", "win_error win_correct", "same after a clear", event="clear", **AFTER),
    "errors_rise": aging(CC, "code", "reliability", "error", "agent errors 5 to 17 % of calls", ramp=dict(error=(0.05, 0.17))),
    "corrected_en": aging(CX, "code", "reliability", "correct", "corrections 2 to 14 % of requests, in own words, English", ramp=dict(correct=(0.02, 0.14)), median=22),
    "corrected_de": aging(CC, "code", "reliability", "correct", "corrections 2 to 14 % of requests, in own words, German", ramp=dict(correct=(0.02, 0.14)), median=22, lang="de"),
    "stopped_short": aging(CX, "code", "reliability", "stop", "user interrupts 2 to 14 % of requests", ramp=dict(stop=(0.02, 0.14)), median=22),
    "effort_creep": aging(CC, "desk", None, "effort", "calls per request x1 to x1.5 for the same requests", ramp=dict(effort=(1, 1.5))),
    "drift_and_fail": aging(CC, "code", "reliability", "error correct", "work_drifts, and errors +11, corrections +10 points over the life", mix2=TALKERS, ramp=dict(error=(0.05, 0.16), correct=(0.03, 0.13))),
    "grow_and_reread": aging(GE, "code", "compression", "reread", "repo_grows, and re-reads 10 to 30 % of reads", grow=0.35, stretch=(1, 2.2), files=110, ramp=dict(reread=(0.10, 0.30))),
    "update": dict(form=CC, agent="code", expects="step", mechanism=None, planted="step", quantity=("error", "reads"), truth="one client version, at the cut: from it errors +12 points, reads per change about halved",
                   cfg=dict(step=dict(error=0.12), fewer_reads=0.5)),
    "hidden_step": dict(form=CX, agent="code", expects="step", mechanism=None, planted="step", quantity=("error", "correct", "reread", "stale", "alike", "effort"),
                        truth="from the cut on, unrecorded: errors +11, corrections +10, re-reads +14, replaced values +14, look-alikes +10 points, calls x1.3",
                        cfg=dict(step=dict(error=0.11, correct=0.10, reread=0.14, stale=0.14, alike=0.10, effort=0.3), mix=dict(CODE_MIX, use=20), changes=1.3)),
}
QUANTITIES = ["effort", "error", "correct", "stop", "reread", "alike", "tool_alike", "stale", "ask", "repeat", "win_error", "win_correct", "reads"]
ALNUM = "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"


class Step:
    """One call, or a lifecycle event inside a turn."""
    __slots__ = ("op", "a", "bad", "msg", "say", "id", "with_last")

    def __init__(self, op, a, bad, msg, say, id, with_last):
        self.op, self.a, self.bad, self.msg, self.say, self.id, self.with_last = op, a, bad, msg, say, id, with_last


class Turn:
    """One prompt and what follows."""
    __slots__ = ("id", "prompt", "steps", "answer", "stopped", "before")

    def __init__(self, id, prompt):
        self.id, self.prompt, self.steps, self.answer, self.stopped, self.before = id, prompt, [], "", False, []


class Life:
    """One agent: workplace (by seed), truth (by kind), sessions, labels."""

    def __init__(self, kind, seed, n, form=None):
        self.kind, self.seed, self.n, self.spec = kind, seed, n, KINDS[kind]
        self.cfg, self.form, self.agent = self.spec["cfg"], form or self.spec["form"], self.spec["agent"]
        self.rng = random.Random(f"t5/{kind}/{seed}/{n}")
        self.ids = random.Random(f"t5/ids/{kind}/{seed}/{n}")
        w = random.Random(f"t5/world/{seed}/{self.agent}")
        pool = W.CODE if self.agent == "code" else W.DESK
        self.key = w.choice(sorted(pool))
        if self.cfg.get("lang") == "de":
            self.key = w.choice(["leafledger", "kioskfront"])
        self.world = pool[self.key]
        self.talk = self.cfg.get("talk", w.uniform(0.12, 0.4))
        self.long = self.cfg.get("long", w.uniform(0.05, 0.3))
        self.factor = {q: w.uniform(0.85, 1.15) for q in RATES}
        self.shape = w.choice((0.85, 1.0, 1.2))
        self.cut = round(n * w.uniform(0.42, 0.6))
        self.models = dict(claude_code=w.sample(["claude-opus-4-5-20251101", "claude-sonnet-4-5-20250929", "claude-opus-4-1-20250805"], 2),
                           codex=w.sample(["gpt-5.2-codex", "gpt-5.1-codex-max"], 2), generic=w.sample(["quill-large-3", "quill-large-3.1", "arden-72b"], 2))[self.form]
        if self.agent == "code":
            self.items = W.code_files(self.key, w, self.cfg.get("files", 84))
            self.by_id = {f["path"]: f for f in self.items}
            self.settings = [dict(spoken=s, flag=f, alias=a, values=v, place=None, comp=None, key=f.strip("-")) for s, f, a, v in W.CODE_SETTINGS]
        else:
            self.items = W.desk_records(self.key, w, 96)
            self.by_id = {r["id"]: r for r in self.items}
            self.settings = [dict(spoken=s, key=k, alias=a, place=p, values=v, comp=c) for s, k, a, p, v, c in self.world["settings"]]
            if self.cfg.get("use") == "composite":
                self.settings = [s for s in self.settings if s["comp"]]
        for s in self.settings:
            s["past"] = w.sample(s["values"], 2)     # replaced, current
        self.version_of = {}
        self.events = 0
        self.sessions, self.labels = [], []
        self.rates = {q: [] for q in QUANTITIES}
        self.plan_versions()
        self.plan_times()
        patch_from = round(n * self.rng.uniform(0.33, 0.42))
        self.patch = range(patch_from, patch_from + max(2, round(n * 0.25))) if self.cfg.get("patch") else ()
        self.giant = round(n * self.rng.uniform(0.45, 0.8)) if self.cfg.get("giant") else -1
        self.memos = set(self.rng.sample(range(n), min(n, self.cfg.get("memo", 0))))
        for i in range(n):
            s = (Code if self.agent == "code" else Desk)(self, i)
            s.run()
            self.sessions.append(s)

    def new_id(self):
        return "".join(self.ids.choices(ALNUM, k=22))

    def plan_versions(self):
        """Client versions per session; only `update` gives one a meaning."""
        r, n, k = self.rng, self.n, self.kind
        bumps = sorted(r.sample(range(1, max(2, n)), min(n - 1, r.choice((0, 1, 2))))) if self.spec["expects"] == "healthy" else [r.randrange(1, n)] if n > 1 and r.random() < 0.33 else []
        if k == "update":
            bumps = [self.cut]
        elif k == "hidden_step":
            bumps = []
        elif self.cfg.get("versions"):
            bumps = [round(n * f) for f in (0.22, 0.47, 0.74)]
        major, minor = {CC: ("2.1.", 14), CX: ("0.", 131), GE: ("5.", 2)}[self.form]
        self.versions, at = [], minor + r.randrange(6)
        for i in range(n):
            at += sum(r.randrange(1, 7) for b in bumps if b == i)
            self.versions.append(f"{major}{at}" + ".0" * (self.form == CX))
        self.dialect = [sum(i >= b for b in bumps) for i in range(n)] if self.cfg.get("versions") else [2] * n

    def plan_times(self):
        r, t = self.rng, 1767600000 + self.rng.randrange(0, 40) * 86400
        self.starts = []
        gap_at = round(self.n * r.uniform(0.4, 0.65))
        hour = r.uniform(8, 12)
        for i in range(self.n):
            rush = self.cfg.get("rush") and i >= round(self.n * 0.8)
            if rush and i % 3:
                t = self.starts[-1] + r.uniform(3.2, 4.5) * 3600
            else:
                t = t - t % 86400 + r.choice((1, 1, 2, 2, 3) if not rush else (1,)) * 86400
                if self.cfg.get("gap") and i == gap_at:
                    t += self.cfg["gap"] * 86400
                while int(t // 86400 + 4) % 7 in (6, 0):
                    t += 86400
                h = hour + (4 if self.cfg.get("user_at_cut") and i >= self.cut else 0)
                t += (h + r.uniform(0, 5)) * 3600
            self.starts.append(t)


class Session:
    """What code and desk work have in common."""

    def __init__(self, life, i):
        self.life, self.i, self.cfg, self.rng = life, i, life.cfg, life.rng
        self.id = f"{life.ids.getrandbits(128):032x}"
        self.id = "-".join((self.id[:8], self.id[8:12], "4" + self.id[13:16], "a" + self.id[17:20], self.id[20:]))
        self.t = i / max(1, life.n - 1)
        self.x = self.t ** life.shape
        after, r = i >= life.cut, life.rng
        self.start, self.version, self.dialect = life.starts[i], life.versions[i], life.dialect[i]
        self.user, self.cwd = life.world["users"][1 if self.cfg.get("user_at_cut") and after else 0]
        self.model = life.models[1 if self.cfg.get("model_at_cut") and after else 0]
        self.lang = self.cfg["lang2"] if self.cfg.get("lang2") and after else self.cfg.get("lang", "en")
        self.terse = bool(self.cfg.get("user_at_cut") and after)
        shared = r.gauss(0, 0.1)
        self.rate = {}
        for q, base in RATES.items():
            p = self.cfg.get("base", {}).get(q, base) * life.factor[q]
            if q in self.cfg.get("ramp", {}):
                lo, hi = self.cfg["ramp"][q]
                p = lo + (hi - lo) * self.x
            if after:
                p += self.cfg.get("step", {}).get(q, 0)
            if i in life.patch:
                p += dict(error=0.05, correct=0.04).get(q, 0)
            self.rate[q] = p * math.exp(shared + r.gauss(0, 0.16) - 0.018)
        lo, hi = self.cfg.get("ramp", {}).get("effort", (1, 1))
        self.pace = (lo + (hi - lo) * self.x) * (1 + (self.cfg.get("step", {}).get("effort", 0) if after else 0)) * (1.4 if i in life.patch else 1) * 1.18 * math.exp(r.gauss(0, 0.11))
        self.fewer_reads = self.cfg.get("fewer_reads", 0) if after else 0
        self.alone = False
        self.turns, self.turn, self.count = [], None, {q: [0, 0] for q in QUANTITIES}
        self.calls = self.requests = self.n_reads = self.n_changes = 0
        self.known, self.order, self.looked, self.epoch, self.seen_args = {}, [], [], 0, set()
        self.answered, self.win, self.win_amount = {}, 0, 0.0
        self.topics = r.sample(W.OTHER_TOPICS.get(self.lang) or (W.TOPICS if life.agent == "code" else W.DESK_TOPICS), self.cfg.get("topics", 4))
        lo, hi = self.cfg.get("medians", (self.cfg.get("median", 15),) * 2)
        size = (lo + (hi - lo) * self.t) * math.exp(r.gauss(0, 0.24))
        if self.cfg.get("rush") and i >= round(life.n * 0.8):
            size *= 1.6
        self.size = r.randint(75, 95) if i == life.giant else max(6, min(25, round(size)))
        self.cap = 130 if i == life.giant else 25
        mix, mix2 = self.cfg.get("mix", self.MIX), self.cfg.get("mix2")
        tilt = {k: math.exp(r.gauss(0, 0.25)) for k in mix}
        if self.terse:                                  # the other person's work
            tilt.update(fix=0.8, review=1.4, ops=1.4)
        self.mix = {k: (v + ((mix2[k] - v) * self.t if mix2 else 0)) * tilt[k] for k, v in mix.items()}
        self.model0 = self.model
        self.plan_events()

    def plan_events(self):
        """Where compactions, model changes, clears and changed settings fall."""
        r, n = self.rng, self.size
        at = lambda a, b: min(n - 1, max(1, round(n * r.uniform(a, b))))
        ev = self.cfg.get("event")
        mean = 0 if ev in ("compact", "clear") else self.cfg.get("compactions", 0.5) * n / 15
        self.compact_at = sorted({at(0.35, 0.95) for _ in range(int(mean + r.random()))})
        if self.cfg.get("early"):
            self.compact_at = sorted({at(0.22, 0.34)} | ({at(0.6, 0.8)} if r.random() < 0.4 else set()))
        self.event_at = sorted({at(0.12, 0.35)} | ({at(0.55, 0.75)} if r.random() < 0.9 else set())) if ev else []
        k = int(self.cfg.get("changes", 0.8) + r.random())
        self.change_at = sorted(r.randrange(n) for _ in range(k)) if self.i else []

    # ---- counting

    def label(self, ident, name):
        self.life.labels.append([self.id, ident, name])

    def hit(self, q):
        p = self.rate[q]
        if self.win and q in ("error", "correct"):
            p += self.win_amount
        yes = self.rng.random() < p
        c = self.count[q]
        c[0] += yes
        c[1] += 1
        if self.win and q in ("error", "correct"):
            c = self.count["win_" + q]
            c[0] += yes
            c[1] += 1
        return yes

    def again(self):
        """Before a read: one of something known, first? The rate is the share of all reads."""
        p, c = self.rate["reread"], self.count["reread"]
        yes = self.rng.random() < p / (1 - p)
        c[0] += yes
        c[1] += 1 + yes
        self.n_reads += yes
        return yes

    # ---- emitting

    def new_turn(self, prompt, request=True):
        self.turn = Turn(self.life.new_id(), prompt)
        self.changes_before = self.n_changes
        self.turns.append(self.turn)
        self.requests += request

    def emit(self, op, a, bad=None, msg=None, label=None, say=None, with_last=False):
        if say is None and self.rng.random() < self.life.talk:
            say = self.rng.choice(W.SAY[self.lang])
        s = Step(op, a, bad, msg, say or None, self.life.new_id(), with_last and not say and not self.alone)
        self.alone = label in ("alike", "tool_alike")       # what follows a mix-up is seen to follow it
        self.turn.steps.append(s)
        self.calls += 1
        if label:
            self.label(s.id, label)
        return s

    def act(self, op, a, label=None, **kw):
        """A call that may fail by the agent's fault (then it is made again), rarely by no fault of its own."""
        r = self.rng
        tries = 0
        while tries < 3 and self.hit("error"):
            b, kind, msg = self.spoil(op, a)
            self.emit(op, b, kind, msg, "error")
            tries += 1
        if r.random() < 0.007:
            self.emit(op, a, "timeout", "Command timed out after 2m 0s", "timeout")
        elif op == "edit" and r.random() < 0.012:
            self.emit(op, a, "rejected", "", "rejected")
        return self.emit(op, a, label=label, **kw)

    def words(self, text, item=None, **kw):
        r, things = self.rng, W.THINGS[self.life.agent, self.lang]
        a, b = r.sample(things, 2)
        return text.format(thing=a, thing2=b, **dict(self.slots(item), **kw))

    def finish(self, item=None, text=None):
        did = "did" if self.n_changes > self.changes_before else "looked"
        text = text or self.words(self.rng.choice(W.ANSWER[self.life.agent, self.lang][did]), item)
        if self.rng.random() < self.life.long:
            text += "".join(self.rng.sample(W.LONG, 2)) if self.lang == "en" else ""
        self.turn.answer = text

    # ---- the run of a session

    def run(self):
        if self.i == 0:
            self.handover()
        for j in range(self.size):
            self.lifecycle(j)
            self.request(j)
            self.win = max(0, self.win - 1)
            if len(self.turns) >= self.cap:
                break
        if self.i in self.life.memos:
            self.memo()
        c = self.count
        c["effort"] = [self.calls, self.requests]
        c["reads"] = [self.n_reads, self.n_changes]
        for q in QUANTITIES:
            self.life.rates[q].append(c[q])

    def lifecycle(self, j):
        self.pending = []
        self.mid = False
        if j in self.compact_at:
            if self.rng.random() < 0.5:
                self.mid = True
            else:
                self.pending.append(("compact", None))
                self.epoch += 1
        if j in self.event_at:
            ev, life = self.cfg["event"], self.life
            if ev == "model":
                self.model = life.models[1 - life.models.index(self.model)]
            elif ev == "clear":
                self.known, self.order, self.answered, self.looked = {}, [], {}, []
            else:
                self.epoch += 1
            self.pending.append((ev, self.model))
            done = min(1.0, life.events / max(1, 1.9 * life.n - 1))
            lo, hi = self.cfg["window"]
            self.win, self.win_amount, self.win_pace = self.rng.randint(3, 5), lo + (hi - lo) * done, 1 + 0.25 * done
            life.events += 1

    def handover(self):
        """The first prompt tells what has changed before the trace begins."""
        until = W.UNTIL[self.lang]
        names = [f"{s['spoken']} {s['past'][1]} ({until} {s['past'][0]})" for s in self.life.settings]
        half = (len(names) + 1) // 2
        for part, lead in zip((names[:half], names[half:]), W.HANDOVER[self.lang]):
            self.new_turn(lead + "; ".join(part) + ".", request=False)
            self.turn.answer = W.NOTED[self.lang][0]

    def change_text(self):
        r, s = self.rng, self.rng.choice(self.life.settings)
        old = s["past"][-1]
        lo, hi = self.cfg.get("back", (0.0, 0.0))
        back = r.random() < lo + (hi - lo) * self.t
        if back:
            new, text = s["past"][-2], r.choice(W.BACK)
        else:
            fresh = [v for v in s["values"] if v not in s["past"][-2:]]
            new, text = r.choice(fresh), r.choice(W.CHANGED[self.lang])
        s["past"].append(new)
        return text.format(spoken=s["spoken"], new=new, old=old)

    def request(self, j):
        r = self.rng
        kind = r.choices(list(self.mix), list(self.mix.values()))[0]
        self.pick_item(kind)
        chosen = r.sample(self.life.settings, r.choice((1, 1, 2, 2, 3))) if kind == "use" else r.sample(self.life.settings, 1) if kind == "tell" else []
        slots = dict(spoken=chosen[0]["spoken"]) if kind == "tell" else {}
        prompt = self.words(r.choice(self.PROMPTS[self.lang][kind]), self.item, **slots)
        if self.terse:
            prompt = prompt.lower().rstrip(".?!")
        for _ in range(self.change_at.count(j)):
            text = self.change_text()
            if r.random() < 0.6:
                prompt = text + " " + prompt
            else:
                self.new_turn(text, request=False)
                self.turn.before, self.pending = self.pending, []
                self.turn.answer = r.choice(W.NOTED[self.lang])
        wanted = None
        if kind == "use" and r.random() < 0.03:
            wanted = chosen[0]
            prompt += W.OLD_WANTED[self.lang].format(spoken=wanted["spoken"], old=self.previous(wanted))
        topic = r.choice(self.topics) if r.random() < self.cfg.get("needs", 0.25) else None
        if topic and topic[0] not in self.answered and r.random() < 0.4:
            prompt += f" ({topic[0]}: {topic[2]})"
            self.answered[topic[0]], topic = 1, None
        self.new_turn(prompt)
        self.turn.before = self.pending
        first = self.turn
        plan = self.plan(kind, chosen, wanted)
        want = self.pace * (self.win_pace if self.win else 1) * len(plan)
        extra = int(want - len(plan) + r.random() + 50) - 50
        for _ in range(max(0, extra)):
            plan.insert(r.randrange(len(plan) + 1), (self.more,))
        for _ in range(min(max(0, -extra), len(plan) - 3)):
            plan.pop(r.randrange(len(plan)))
        if chosen and not any(p[0] in (self.use, self.tell) for p in plan):
            plan.append((self.use if kind == "use" else self.tell, chosen, wanted))
        if topic:
            plan.insert(r.randrange(1, len(plan)), (self.need, topic))
        if self.mid:
            plan.insert(r.randrange(1, len(plan)), (self.compact,))
        stopped = self.hit("stop")
        if stopped:
            plan = plan[: r.randint(1, max(1, len(plan) - 1))]
        self.fix_after = None
        for p in plan:
            p[0](*p[1:])
        if stopped:
            self.turn.stopped = True
            self.label(self.turn.id, "stop")
            self.new_turn(self.words(r.choice(W.REDIRECT[self.lang]), self.item))
            for p in self.plan("question" if self.life.agent == "code" else "enquiry", [], None)[: r.randint(2, 3)]:
                p[0](*p[1:])
            self.finish(self.item)
            return
        if not self.turn.answer:
            self.finish(self.item)
        if self.fix_after:
            self.stale_fix(*self.fix_after)
        elif self.hit("correct"):
            self.new_turn(self.words(r.choice(W.CORRECT[self.lang]), self.item))
            self.label(self.turn.id, "correct")
            for p in self.repair():
                p[0](*p[1:])
            self.finish(self.item)

    def compact(self):
        self.turn.steps.append(Step("compact", None, None, None, None, "", False))
        self.epoch += 1

    # ---- decisions of the user

    def need(self, topic):
        r = self.rng
        if self.turn.answer:                            # has answered already, nothing left to ask
            return
        name, ways, answer = topic
        known = name in self.answered
        ask = self.hit("ask") if known else True
        q = ways[0] if not known else r.choice(ways)
        tool, reply = r.random() < 0.5, r.choice(W.REPLY[self.lang][1]) if known else r.choice(W.REPLY[self.lang][0])
        if not ask:
            return
        self.answered[name] = 1
        if tool and self.life.form == CC:
            self.emit("ask", dict(q=q, answer=answer, header=name), label="ask" if known else "ask_first")
            return
        self.turn.answer = q
        self.label(self.turn.id, "ask" if known else "ask_first")
        self.new_turn(reply.format(a=answer), request=False)

    # ---- settings

    def previous(self, s):
        return next(v for v in reversed(s["past"]) if v != s["past"][-1])

    def use(self, chosen, wanted=None):
        """One call with one to three settings; each that was replaced is an opportunity for the old value."""
        r, values, stale = self.rng, {}, None
        for s in chosen:
            v = s["past"][-1]
            if s is wanted:
                v = self.previous(s)
            elif self.hit("stale"):
                v, stale = self.previous(s), s
            values[s["key"]] = v
        good = {s["key"]: (values[s["key"]] if s is wanted else s["past"][-1]) for s in chosen}
        number = r.randint(11, 980)
        if stale is None:
            self.use_call(chosen, values, number, label="old_wanted" if wanted else None)
            return
        roll = r.random()
        old, new = values[stale["key"]], stale["past"][-1]
        if roll < 0.12:
            self.use_call(chosen, values, number, "stale", bad=f"{stale['key']}: {old} is closed")
            self.use_call(chosen, good, number, "again")
        elif roll < 0.24:
            self.use_call(chosen, values, number, "stale", note=f"accepted; warning: {old} was replaced")
            self.use_call(chosen, good, number, "again")
        else:
            self.use_call(chosen, values, number, "stale")
            if roll < 0.5:
                self.fix_after = (chosen, good, number, stale, old, new)

    def stale_fix(self, chosen, good, number, s, old, new):
        self.new_turn(self.rng.choice(W.STALE_FIX[self.lang]).format(spoken=s["spoken"], old=old, new=new))
        self.label(self.turn.id, "stale_fix")
        if number is not None:
            self.use_call(chosen, good, number, "again")
            self.finish(self.item)
        else:
            self.turn.answer = f"Right, {new}."

    def tell(self, chosen, wanted=None):
        s = chosen[0]
        stale = self.hit("stale")
        v = self.previous(s) if stale else s["past"][-1]
        self.turn.answer = self.rng.choice(W.TELL[self.lang]).format(spoken=s["spoken"], v=v)
        if stale:
            self.label(self.turn.id, "stale")
            if self.rng.random() < 0.4:
                self.fix_after = ([s], None, None, s, v, s["past"][-1])


class Code(Session):
    MIX, PROMPTS = CODE_MIX, W.CODE_PROMPTS
    SH = [("git status --short", " M {path}\n"), ("git log --oneline -8", "a41c9e2 tidy {noun}\n77be01d {area}: smaller window\n3c0d1aa bump deps\n"), ("git diff HEAD~1 --stat", " {path} | 12 ++++++------\n 1 file changed\n"),
          ("{build}", "build finished\n"), ("{lint}", "0 issues.\n"), ("ls", "README.md\nsrc\ntests\nCHANGELOG.md\n"), ("git branch -a", "* main\n  fix/{noun}\n  remotes/origin/main\n"), ("git blame -L 10,20 {path}", "a41c9e2 (dev 2026-01-04) {noun}\n")]

    def __init__(self, life, i):
        super().__init__(life, i)
        lo, hi = self.cfg.get("stretch", (1, 1))
        self.stretch = lo + (hi - lo) * self.t
        grow = self.cfg.get("grow", 1)
        files = life.items[: max(30, int(len(life.items) * (grow + (1 - grow) * self.t)))]
        self.files = files
        self.visited, self.thread, self.last_read, self.parts = set(), [], None, {}

    def slots(self, item):
        p = item["path"]
        return dict(file=p)

    def pick_item(self, kind):
        if not self.thread or self.rng.random() < 0.3:
            self.renew()
        fresh = [f for f in self.thread if f["path"] not in self.visited]
        self.item = fresh[0] if fresh and self.rng.random() < 0.75 else self.rng.choice(self.thread)
        self.last_read = None

    def renew(self):
        area = self.rng.choice(self.life.world["areas"])
        fresh = [f for f in self.files if f["path"] not in self.visited]
        near = [f for f in fresh if f["area"] == area]
        self.rng.shuffle(near)
        rest = self.rng.sample(fresh, min(len(fresh), 5))
        self.thread = list({f["path"]: f for f in near[:3] + rest}.values())[:6] or self.rng.sample(self.files, 5)

    def lines(self, f):
        return int(f["n"] * self.stretch)

    def new_file(self):
        if self.item["path"] not in self.visited:
            return self.item
        fresh = [f for f in self.thread if f["path"] not in self.visited]
        if not fresh:
            self.renew()
            fresh = [f for f in self.thread if f["path"] not in self.visited]
        if not fresh:                                   # everything seen: others have changed it meanwhile
            self.emit("sh", dict(cmd="git pull --rebase", out="Fast-forward\n 41 files changed"))
            for p in self.visited:
                self.life.version_of[p] = self.life.version_of.get(p, 0) + 1
            self.visited = set()
            return self.rng.choice(self.files)
        return fresh[0]

    # ---- operations

    def read(self):
        r = self.rng
        self.n_reads += 1
        ver = self.life.version_of
        cands = [p for p in self.order[-25:] if self.known.get(p) == ver.get(p, 0) and p != self.last_read]
        if len(cands) > 2 and self.again():
            path = r.choice(cands)
            start, n = r.choice(self.parts[path])
            if start is not None and r.random() < self.cfg.get("overlap", 0.2):
                start = max(1, start + r.choice((-30, -15, 20, 40)))
            self.look(path, start, n, "reread")
        longer = [p for p in self.order[-6:] if self.parts[p][0][0] is not None and max(a + b for a, b in self.parts[p]) < self.lines(self.life.by_id[p]) - 40]
        if longer and r.random() < 0.09:
            path = r.choice(longer)
            start = max(a + b for a, b in self.parts[path])
            self.parts[path].append((start, 160))
            return self.look(path, start, 160, "part")
        f = self.new_file()
        twin = f["twin"] and self.life.by_id.get(f["twin"])
        if twin and twin["path"] not in self.visited and self.hit("alike"):
            self.first(twin, "alike")
            self.n_reads += 1
            return self.first(f, say=r.choice(W.OOPS).format(file=f["path"]) if r.random() < 0.4 else None)
        if twin and r.random() < 0.015 and twin["path"] not in self.visited:
            self.first(twin, "both")
            self.n_reads += 1
        self.first(f)

    def first(self, f, label=None, say=None):
        path, n = f["path"], self.lines(f)
        part = (None, None) if n < 300 else (1 + 160 * self.rng.randrange(max(1, n // 320)), 160)
        self.parts[path] = [part]
        self.visited.add(path)
        self.known[path] = self.life.version_of.get(path, 0)
        if path in self.order:
            self.order.remove(path)
        self.order.append(path)
        self.last_read = path
        self.look(path, *part, label, say=say)

    def look(self, path, start, n, label=None, say=None):
        a = dict(path=path, start=start, n=n, total=self.lines(self.life.by_id[path]))
        if self.rng.random() < 0.1:
            a["shell"] = True
        self.act("read", a, label, say=say, with_last=self.rng.random() < 0.25 and label != "alike")

    def search(self):
        r = self.rng
        self.n_reads += 1
        old = [a for e, a in self.looked if e < self.epoch]
        if old and self.hit("repeat"):
            return self.act("search", r.choice(old), "repeat")
        while True:
            a = dict(pattern=r.choice([r.choice(W.IDENT), r.choice(W.IDENT) + "." + r.choice(W.VARS), r.choice(W.CLASS) + ".*" + r.choice(W.VARS)]), area=r.choice(self.life.world["areas"] + [None] * 3))
            if (a["pattern"], a["area"]) not in self.seen_args or len(self.seen_args) > 150:
                break
        self.seen_args.add((a["pattern"], a["area"]))
        self.looked.append((self.epoch, a))
        near = [f for f in self.files if a["area"] in (None, f["area"])] or self.files
        a["hits"] = [(f["path"], r.randint(3, 130)) for f in r.sample(near, min(len(near), r.randint(1, 5)))]
        a["dir"] = a["area"] and W.fill(self.life.world["path"], a["area"], "x").rsplit("/", 1)[0]
        index = self.cfg.get("index")
        if index and self.t >= index and r.random() < 0.65:
            a = dict(a, symbol=True)
        self.act("search", a, with_last=r.random() < 0.2)

    def glob(self):
        self.n_reads += 1
        area = self.rng.choice(self.life.world["areas"])
        self.act("glob", dict(area=area, stem=self.rng.choice(self.life.world["nouns"]), hits=[f["path"] for f in self.files if f["area"] == area][:8]))

    def edit(self):
        r, life = self.rng, self.life
        if self.item["path"] not in self.visited and not self.fewer_reads:
            self.read()
        path = self.item["path"] if r.random() < 0.65 or self.last_read is None else self.last_read
        self.n_changes += 1
        self.act("edit", dict(path=path, total=self.lines(life.by_id[path])))
        life.version_of[path] = life.version_of.get(path, 0) + 1
        if path in self.known and r.random() < 0.08:
            self.known[path] = life.version_of[path]
            self.n_reads += 1
            self.look(path, *self.parts[path][0], "verify")

    def write(self):
        self.n_changes += 1
        f = self.item
        self.act("write", dict(path=f"_{self.rng.choice(W.IDENT)}.".join(f["path"].rsplit(".", 1))))

    def test(self, wanted=False):
        r, f, w = self.rng, self.item, self.life.world
        cmd = W.fill(w["test"], f["area"], f["noun"])
        kw = dict(n=r.randint(11, 48), a=r.randint(2, 60), b=r.randint(61, 99))
        red = 0.14 + (0.12 if self.i in self.life.patch else 0)
        if wanted:
            self.emit("sh", dict(cmd=cmd, out="", test=True), "red", W.fill(w["red"], f["area"], f["noun"], **kw), "red_wanted")
        elif r.random() < red:
            self.emit("sh", dict(cmd=cmd, out="", test=True), "red", W.fill(w["red"], f["area"], f["noun"], **kw), "red_task")
            self.edit()
        self.act("sh", dict(cmd=cmd, out=W.fill(w["green"], f["area"], f["noun"], **kw), test=True))

    def shell(self):
        r, f, w = self.rng, self.item, self.life.world
        cmd, text = r.choice(self.SH)
        kw = dict(build=w["build"], lint=w["lint"], path=f["path"])
        if r.random() < 0.08:
            run = r.randint(41000, 48000)
            for state in ["in_progress"] * r.randint(1, 2) + ["completed"]:
                self.emit("sh", dict(cmd=f"gh run view {run} --json status", out=f'{{"status":"{state}"}}'), label="poll")
            return
        self.act("sh", dict(cmd=W.fill(cmd, f["area"], f["noun"], **kw), out=W.fill(text, f["area"], f["noun"], **kw)))

    def todo(self):
        self.emit("todo", dict(items=self.rng.sample(W.THINGS["code", "en"], 3)))

    def more(self):
        r = self.rng.random()
        (self.search if r < 0.35 else self.shell if r < 0.6 else self.glob if r < 0.75 else self.read)()

    def memo(self):
        self.new_turn(self.rng.choice(["Put into your instruction file: short commit messages.", "Please note in the instruction file that tests come in tables here.", "add to the instructions: never push on Fridays"]))
        path = "AGENTS.md" if self.life.form == CX else "CLAUDE.md"
        self.life.by_id.setdefault(path, dict(path=path, n=40, area="", noun="", twin=None))
        self.parts.setdefault(path, [(None, None)])
        self.look(path, None, None, "memo")
        self.act("edit", dict(path=path, total=40), "memo")
        self.turn.answer = "Added."

    def plan(self, kind, chosen, wanted):
        r, c = self.rng, lambda p: self.rng.random() < p
        R, S, E, T, X = (self.read,), (self.search,), (self.edit,), (self.test,), (self.shell,)
        if kind == "fix":
            p = [S, R] + [R] * c(0.5) + [E, T] + [E, T] * c(0.25)
        elif kind == "feature":
            p = [R, R] + [S] * c(0.5) + [E] + [E] * c(0.6) + [(self.write,)] * c(0.25) + [T]
        elif kind == "tidy":
            p = [S, R, E] + [E] * c(0.5) + [T]
        elif kind == "question":
            p = [S, R] + [R] * c(0.6) + [S] * c(0.4)
        elif kind == "review":
            p = [X, R, R] + [S] * c(0.5) + [T] * c(0.3)
        elif kind == "ops":
            p = [X, X] + [X] * c(0.5) + [R] * c(0.4)
        elif kind == "use":
            p = [X if c(0.5) else R, (self.use, chosen, wanted)] + [X] * c(0.5) + [R] * c(0.4)
        else:
            p = [S] + [R] * c(0.7) + [(self.tell, chosen)]
        if self.fewer_reads:
            p = [o for o in p if o not in (R, S) or not c(self.fewer_reads)] or [E]
        lo, hi = self.cfg.get("red", (0.02, 0.02))
        if kind in ("fix", "feature") and c(lo + (hi - lo) * self.t):
            p.insert(1, (self.test, True))
            self.turn.prompt += self.rng.choice([" First a test that is red because of it.", " Show me the failing test before the change.", " Plant the mutant first and let the tests fail."])
        if len(p) > 4 and c(0.12):
            p.insert(0, (self.todo,))
        while len(p) < 3:
            p.insert(0, X)
        return p

    def repair(self):
        r = self.rng
        return [(self.edit,)] + [(self.search,)] * (r.random() < 0.3) + [(self.test,)] * (r.random() < 0.7)

    def use_call(self, chosen, values, number, label=None, bad=None, note=None):
        job = self.item["area"]
        if self.cfg.get("use") == "alias":
            args = {"job": job, **{s["alias"]: values[s["key"]] for s in chosen}, "dry": False}
            self.emit("tool", dict(tool="start_job", args=args, res=dict(job=job, state="queued", run=number, note=note)), "tool" if bad else None, bad, label)
        else:
            cmd = f"{self.life.world['cli']} {job} " + " ".join(f"{s['flag']} {values[s['key']]}" for s in chosen) + f" --run {number}"
            self.emit("sh", dict(cmd=cmd, out=note or f"queued as {job}-{number}"), "sh" if bad else None, bad, label)

    def spoil(self, op, a):
        """Arguments, owner and message of a call that fails by the agent's fault."""
        r = self.rng
        if op == "read":
            wrong = a["path"].replace("/", "/" + r.choice(["common", "lib", "core", "util"]) + "/", 1)
            return dict(a, path=wrong), "nofile", wrong
        if op == "edit":
            return a, "refused", "nomatch" if r.random() < 0.7 else "unread"
        if op == "search":
            return dict(a, pattern=a["pattern"] + "(", symbol=False), "process", "regex parse error: unclosed group"
        if op == "sh":
            if a.get("test"):
                return dict(a, cmd=a["cmd"] + " --only-changed"), "sh", "error: unknown flag: --only-changed"
            i = r.randrange(3)
            return dict(a, cmd=[a["cmd"] + " --porcelain=v3", "cd build && " + a["cmd"], a["cmd"].replace(" ", "  --all ", 1)][i]), "sh", ["fatal: unsupported porcelain version 'v3'", "cd: build: No such file or directory", "error: unrecognized argument --all"][i]
        if op == "tool":
            return dict(a, args=dict(a["args"], dry="maybe")), "tool", "validation error: dry must be a boolean"
        return a, "refused" if op == "write" else "process", "unread" if op == "write" else "invalid pattern"


class Desk(Session):
    MIX, PROMPTS = DESK_MIX, W.DESK_PROMPTS

    def __init__(self, life, i):
        super().__init__(life, i)
        self.visited, self.last_read = set(), None
        self.noun = life.world["noun"]

    def slots(self, item):
        return dict(file=item["name"], name=item["name"], rid=item["id"], field=self.field, value=self.value)

    def pick_item(self, kind):
        fresh = [x for x in self.life.items if x["id"] not in self.visited]
        if self.order and self.rng.random() < 0.3:
            self.item = self.life.by_id[self.rng.choice(self.order[-5:])]
        else:
            self.item = self.rng.choice(fresh or self.life.items)
        self.last_read = None
        self.field, self.value = self.rng.choice(self.life.world["fields"]), self.rng.choice(["48", "confirmed", "Thursday", "B4", "to follow", "115", "Mr Dahl", "62", "Hall 3"])

    def call(self, tool, args, res, label=None, **kw):
        return self.act("tool", dict(tool=tool, args=args, res=res), label, **kw)

    def open(self):
        r, ver = self.rng, self.life.version_of
        self.n_reads += 1
        cands = [x for x in self.order[-20:] if self.known[x] == ver.get(x, 0) and x != self.last_read]
        if len(cands) > 2 and self.again():
            self.show(r.choice(cands), "reread")
        rec = self.item
        if rec["id"] in self.known:
            fresh = [x for x in self.life.items if x["id"] not in self.visited]
            if not fresh:
                for x in self.visited:
                    ver[x] = ver.get(x, 0) + 1
                self.visited = set()
            rec = r.choice(fresh or self.life.items)
        twin = rec["twin"] and self.life.by_id[rec["twin"]]
        if twin and twin["id"] not in self.visited:
            if self.hit("alike"):
                self.first(twin, "alike")
                self.n_reads += 1
                return self.first(rec, say=r.choice(W.OOPS).format(file=rec["name"]) if r.random() < 0.4 else None)
            if r.random() < 0.015:
                self.first(twin, "both")
                self.n_reads += 1
        self.first(rec)

    def first(self, rec, label=None, say=None):
        x = rec["id"]
        self.visited.add(x)
        self.known[x] = self.life.version_of.get(x, 0)
        if x in self.order:
            self.order.remove(x)
        self.order.append(x)
        self.last_read = x
        self.show(x, label, say)

    def show(self, x, label=None, say=None):
        self.call(f"get_{self.noun}", {f"{self.noun}_id": x}, ("record", x, self.life.version_of.get(x, 0)), label, say=say, with_last=self.rng.random() < 0.15 and label != "alike")

    def lookup(self):
        r, w = self.rng, self.life.world
        self.n_reads += 1
        old = [a for e, a in self.looked if e < self.epoch]
        if old and self.hit("repeat"):
            tool, args, res = r.choice(old)
            return self.call(tool, args, res, "repeat")
        while True:
            if r.random() < 0.55:
                tool, args = f"find_{self.noun}", dict(query=r.choice([self.item["name"], self.item["name"].split()[0], r.choice(w["heads"])]), field=r.choice(w["fields"]), limit=r.choice((5, 10, 20)))
            else:
                day = r.randint(1, 27)
                tool, args = f"list_{self.noun}s", dict(status=r.choice(["open", "waiting", "late", "rejected"]), since=f"2026-{r.randint(1, 6):02d}-{day:02d}", order=r.choice(w["fields"]))
            mark = tool + repr(args)
            if mark not in self.seen_args:
                break
        self.seen_args.add(mark)
        rows = [x["id"] for x in r.sample(self.life.items, r.randint(2, 6))]
        if tool.startswith("find"):
            rows = [x["id"] for x in self.life.items if args["query"] in x["name"]][:4] + rows[:1]
        res = ("rows", tuple(dict.fromkeys(rows)))
        if self.hit("tool_alike"):
            other = tool.replace("find_", "find_archived_") if tool.startswith("find") else tool.replace("list_", "list_draft_")
            self.call(other, args, dict(results=[], note=r.choice(["nothing here", "0 hits", "closed years only"])), "tool_alike")
            self.n_reads += 1
        self.looked.append((self.epoch, (tool, args, res)))
        self.call(tool, args, res, with_last=r.random() < 0.15)

    def update(self):
        r = self.rng
        x = self.item["id"]
        self.n_changes += 1
        ver = self.life.version_of
        self.call(f"update_{self.noun}", {f"{self.noun}_id": x, "set": {self.field: self.value}}, dict(ok=True, id=x))
        ver[x] = ver.get(x, 0) + 1
        if x in self.known and r.random() < 0.08:
            self.known[x] = ver[x]
            self.n_reads += 1
            self.show(x, "verify")

    def note(self):
        self.call("add_note", {"target": self.item["id"], "text": self.words("{field}: {thing}, {value}", self.item)}, dict(ok=True, note=self.rng.randint(1000, 9999)))

    def send(self):
        self.call("send_mail", {"to": self.item["id"], "subject": self.words("{name}: {field}", self.item), "body": self.words("Dear all, about the {field} of {name}: {thing}, {value}. Kind regards", self.item)}, dict(sent=True))

    def tool(self):
        r = self.rng
        if self.cfg.get("toolbox"):
            name = r.choice(W.MORE_TOOLS)
            return self.call(name, dict(about=r.choice(self.life.items)["name"], day=r.randint(1, 28)), dict(result=r.choice(["ok", "12", "none", "see attachment"]), stamp=r.randint(1000, 9999)))
        a, b, c = r.randint(3, 90), r.randint(3, 90), r.randint(1, 99)
        self.call("calculate", dict(expression=f"{a}*{b}+{c}"), dict(value=a * b + c))

    def more(self):
        r = self.rng.random()
        (self.lookup if r < 0.45 else self.open if r < 0.7 else self.tool)()

    def memo(self):
        pass

    def plan(self, kind, chosen, wanted):
        c = lambda p: self.rng.random() < p
        F, O, U, N, M, X = (self.lookup,), (self.open,), (self.update,), (self.note,), (self.send,), (self.tool,)
        if kind == "enquiry":
            p = [F, O] + [O] * c(0.4) + [F] * c(0.4) + [X] * c(0.3)
        elif kind == "change":
            p = [F, O, U] + [N] * c(0.7) + [U] * c(0.3) + [M] * c(0.2)
        elif kind == "report":
            p = [F, F, O] + [O] * c(0.6) + [X] * c(0.6)
        elif kind == "message":
            p = [O] + [F] * c(0.6) + [M] + [N] * c(0.5)
        elif kind == "check":
            p = [O, F] + [O] * c(0.5) + [X] * c(0.4) + [U] * c(0.4)
        elif kind == "use":
            p = [O] + [F] * c(0.5) + [(self.use, chosen, wanted)] + [M] * c(0.5)
        else:
            p = [F] + [O] * c(0.7) + [(self.tell, chosen)]
        if self.cfg.get("toolbox"):
            p[1:1] = [X] * self.rng.choice((0, 1, 2))
        while len(p) < 3:
            p.insert(0, F)
        return p

    def repair(self):
        return [(self.update,)] + [(self.open,)] * (self.rng.random() < 0.5) + [(self.note,)] * (self.rng.random() < 0.5)

    def use_call(self, chosen, values, number, label=None, bad=None, note=None):
        how, args = self.cfg.get("use", "plain"), {f"{self.noun}_id": self.item["id"]}
        if how == "nested":
            body = {}
            for s in chosen:
                *path, last = s["place"].split(".")
                d = body
                for p in path:
                    d = d.setdefault(p, {})
                d[last] = values[s["key"]]
            body.setdefault("meta", {})["run"] = number
            args["document"] = body
        else:
            for s in chosen:
                v = values[s["key"]]
                args[s["alias"] if how == "alias" else s["key"]] = s["comp"].format(v=v, n=number) if how == "composite" else v
            args["copies"] = 1 + number % 3
        self.emit("tool", dict(tool="issue_documents", args=args, res=dict(ok=True, issued=number, note=note)), "tool" if bad else None, bad, label)

    def spoil(self, op, a):
        r = self.rng
        args = dict(a["args"])
        roll = r.randrange(3)
        if roll == 0 and len(args) > 1:
            gone = list(args)[-1]
            args.pop(gone)
            return dict(a, args=args), "tool", f"missing required argument: {gone}"
        if roll == 1:
            args["format"] = "table"
            return dict(a, args=args), "tool", "unexpected argument: format"
        first = list(args)[0]
        args[first] = str(args[first]).replace("-", "").lower() + "?"
        return dict(a, args=args), "tool", f"invalid value for {first}: {args[first]}"


def write_agent(kind, seed, sessions, folder, form=None, labels=None):
    """Write one agent's trace into folder; the labels go beside it, never into it."""
    folder = os.fspath(folder)
    life = Life(kind, seed, sessions, form)
    os.makedirs(folder, exist_ok=True)
    out.write(life, folder)
    if labels is not False:
        spec = life.spec
        side = dict(kind=kind, seed=seed, sessions=[s.id for s in life.sessions], form=life.form, expects=spec["expects"], mechanism=spec["mechanism"], quantity=spec["quantity"], cut=life.cut,
                    starts=life.starts, labels=life.labels, rates=life.rates)
        with open(labels or folder.rstrip("/") + ".labels.json", "w") as f:
            json.dump(side, f)
    return folder


if __name__ == "__main__":
    write_agent(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4], *sys.argv[5:6])
