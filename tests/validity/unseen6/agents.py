"""Sixth set of simulated deployed agents: what happens in each session (the plan). Formats are in t6_writers.py."""
import json
import math
import os
import random
import shutil
import sys
from datetime import datetime, timedelta, timezone

try:
    from . import t6_worlds as W
    from . import t6_writers as writers
except ImportError:
    import t6_worlds as W
    import t6_writers as writers

BASE = dict(error=.05, correct=.04, stop=.015, reread=.10, alike=.03, tool_alike=.03, edit_alike=.03, stale=.03, ask=.03, repeat=.05)
CODE_MIX = dict(fix=.27, feature=.22, question=.17, review=.1, ops=.13, small=.09, compare=.02)
DESK_MIX = dict(look=.3, change=.19, quote=.17, send=.12, list=.08, know=.05, small=.09)


def K(form, area, expects, truth, mechanism="", planted=(), **more):
    return dict(form=form, area=area, expects=expects, truth=truth, mechanism=mechanism, planted=list(planted), quantity=planted[0] if planted else "", **more)


CC, CX, GE = "claude_code", "codex", "generic"
KINDS = {
    # healthy
    "steady_terse": K(CX, "code", "healthy", "nothing changes; hardly a word besides the calls", talk=.04),
    "steady_chatty": K(CC, "desk", "healthy", "nothing changes; explains before most calls, long answers", talk=.85),
    "steady_fumbling": K(CC, "code", "healthy", "nothing changes; 14 % of calls fail by its own fault, 9 % of requests corrected, throughout", error=(.14, .14), correct=(.09, .09)),
    "steady_toolbox": K(GE, "desk", "healthy", "nothing changes; some forty tools in use", toolbox=1),
    "steady_big_repo": K(CC, "code", "healthy", "nothing changes; about 290 files, twice as long, read in parts", many=6, scale=2.2),
    "tasks_drift": K(CC, "code", "healthy", "fixes and features give way to operations, questions and reviews", drift=1),
    "repo_grows": K(CX, "code", "healthy", "files in use 35 to 100 %, files 1 to 2 times as long", grow=1),
    "new_tool": K(CC, "code", "healthy", "from 35 % of the life on a symbol index takes over 65 % of the searches", newtool=1),
    "model_upgrade": K(CX, "code", "healthy", "another model from the cut on, no effect", model_at_cut=1),
    "client_versions": K(CC, "code", "healthy", "four client versions: wrapping of errors, extra records, recorded tokens, line format of reads change; behaviour does not", versions=4),
    "other_user": K(CC, "code", "healthy", "another person from the cut on: home, hours, manner, somewhat other work", other_user=1),
    "other_language": K(GE, "desk", "healthy", "French instead of English from the cut on, corrections as often as ever", french=1),
    "vacation": K(CC, "desk", "healthy", "five to six weeks without a session", gap=1),
    "giant_session": K(GE, "code", "healthy", "one session of 75-95 requests at 45-80 % of the life", giant=1),
    "red_first": K(CX, "code", "healthy", "failing tests wanted first (5 to 60 % of fixes and features): red by request", red=(.05, .60)),
    "notes_edited": K(CC, "code", "healthy", "the instruction file is edited on request in four sessions", notes=1),
    "hard_fortnight": K(CC, "code", "healthy", "a quarter of the life in the middle: calls x1.4, errors +5, corrections +4 points; then as before", hard=1),
    "ritual_reader": K(CC, "code", "healthy", "opens its unchanged note file at the start of most requests, by habit, throughout: about 30 % of reads", ritual=1, reread=(.04, .04)),
    "quarter_end": K(CC, "desk", "healthy", "last fifth: 1.6 times as many requests per session, several sessions a day; rates per request as ever", quarter=1),
    "twins_compared": K(CC, "code", "healthy", "the user asks for both counterparts side by side in 3 to 45 % of requests", compare=(.03, .45)),
    "watcher": K(CX, "code", "healthy", "waits for roll-outs on request: polls with equal arguments 0.1 to 1.6 per request", watch=(.1, 1.6)),
    "formatter_hook": K(CC, "code", "healthy", "from the cut on a hook reformats a file after an edit; the harness refuses the next edit until the file is read again", formatter=1),
    "approvals_on": K(CC, "code", "healthy", "from the cut on the harness wants approval for one shell call in six; approved, the same call is made again", approvals=1),
    "picky_wishes": K(CC, "code", "healthy", "the user polishes: follow-up wishes 8 to 45 % of requests, none of them a correction", wishes=(.08, .45)),
    # compression
    "reread_unchanged": K(CC, "code", "aging", "opens files again that it read in this session and nobody changed: 10 to 30 % of reads; newer client, one in three is answered with 'File unchanged'", "compression", ["reread"],
                          reread=(.10, .30), turns=18, stub=1),
    "reread_other_means": K(CX, "code", "aging", "same share, the second time by another command, part or spelling of the path (cat, sed, nl, git show, ./path)", "compression", ["reread"], reread=(.10, .30), turns=18, means=1),
    "reopened_records": K(GE, "desk", "aging", "opens records again that it opened in this session and nobody changed, half of them by way of a search: 10 to 30 % of openings", "compression", ["reread"], reread=(.10, .30), turns=20),
    "asks_again": K(CX, "code", "aging", "asks the user what he answered before in this session: 3 to 25 % of needs; as a sentence at the end of its answer", "compression", ["ask"], ask=(.03, .25), turns=19, need=.95),
    "repeats_after_compact": K(CC, "code", "aging", "after a compaction repeats shell look-ups made before it with equal arguments: 5 to 27 % of look-ups", "compression", ["repeat"], repeat=(.05, .27), turns=20, compacts=1.3, early_compact=1,
                               looks=1.25),
    # interference
    "wrong_environment": K(CC, "code", "aging", "reads the counterpart (prod for stage, service for job) first, then the right file: 3 to 18 % of first visits", "interference", ["alike"], alike=(.03, .18), turns=21, fresh=1),
    "wrong_file_patched": K(CX, "code", "aging", "patches the counterpart, restores it, then patches the right file: 3 to 18 % of patches", "interference", ["edit_alike"], edit_alike=(.03, .18), turns=21, edits=1),
    "wrong_hit_opened": K(GE, "desk", "aging", "opens the wrong one of two nearly equal search hits, then the right one: 3 to 18 % of first openings", "interference", ["alike"], alike=(.03, .18), turns=21, fresh=1),
    "wrong_tool": K(CC, "desk", "aging", "calls the look-alike tool (former, draft, archive) first, then the right one: 3 to 18 % of openings and histories", "interference", ["tool_alike"], tool_alike=(.03, .18), turns=21, fresh=1),
    # revision
    "stale_nested": K(GE, "desk", "aging", "replaced value used 3 to 25 % of uses; deep in JSON arguments, key as announced", "revision", ["stale"], stale=(.03, .25), turns=20, use=.72, how="nested"),
    "stale_composite": K(CC, "desk", "aging", "same; the value is a part of a composite reference", "revision", ["stale"], stale=(.03, .25), turns=20, use=.72, how="composite"),
    "stale_alias": K(CC, "desk", "aging", "same; the key in the call is named differently than announced", "revision", ["stale"], stale=(.03, .25), turns=20, use=.72, how="alias"),
    "stale_option": K(CX, "code", "aging", "same; the value is a shell option", "revision", ["stale"], stale=(.03, .25), turns=20, use=.72, how="option"),
    "stale_code": K(CC, "code", "aging", "same; the value is written into a file by an edit", "revision", ["stale"], stale=(.03, .25), turns=20, use=.72, how="code"),
    "stale_prose": K(CC, "desk", "aging", "same; the value is said in an answer, without a call", "revision", ["stale"], stale=(.03, .25), turns=20, use=.72, how="prose"),
    # maintenance
    "after_compact": K(CC, "code", "aging", "3-5 requests after a compaction: errors and corrections +2 to +15 points, calls x1 to x1.25, growing with each", "maintenance", ["win_error", "win_correct"], event="compact", turns=21),
    "after_model": K(GE, "code", "aging", "same after a change of the model (the user goes back and forth between two)", "maintenance", ["win_error", "win_correct"], event="model", turns=21),
    "after_clear": K(CC, "code", "aging", "same after /clear within the file", "maintenance", ["win_error", "win_correct"], event="clear", turns=21),
    # reliability
    "errors_rise": K(CX, "code", "aging", "agent errors 5 to 17 % of calls", "reliability", ["error"], error=(.05, .17)),
    "corrected_en": K(CC, "code", "aging", "corrections 2 to 14 % of requests, own words, English; a quarter typed while the agent is still at work (queued)", "reliability", ["correct"], correct=(.02, .14), turns=23, queue=1),
    "corrected_de": K(GE, "code", "aging", "corrections 2 to 14 % of requests, own words, German", "reliability", ["correct"], correct=(.02, .14), turns=23, german=1),
    "held_back": K(CC, "code", "aging", "the user stops it: 2 to 14 % of requests; half a call declined with a reason, half an interruption", "reliability", ["stop"], stop=(.02, .14), turns=23),
    "effort_creep": K(CX, "code", "aging", "calls per request x1 to x1.5 for the same requests: further searches, looks, second checks", "", ["effort"], effort=(1, 1.5)),
    "drift_and_fail": K(CC, "code", "aging", "tasks_drift, and errors +11, corrections +10 points over the life", "reliability", ["error", "correct"], drift=1, error=(.05, .16), correct=(.03, .13), turns=18),
    "handover_and_twins": K(GE, "code", "aging", "other_user, and look-alike files 3 to 18 % of first visits over the whole life", "interference", ["alike"], other_user=1, alike=(.03, .18), turns=21, fresh=1),
    # steps
    "update": K(CC, "code", "step", "one client version, at the cut: from it errors +12 points, reads per change about halved", "", ["error", "reads"], step=1, error=(.05, .17), shallow=1, versions=2),
    "hidden_step": K(CC, "code", "step", "from the cut on, unrecorded: errors +11, corrections +10, re-reads +14, replaced values +14, look-alikes +10 points, calls x1.3", "", ["error", "correct", "reread", "alike", "stale", "effort"], step=1,
                     error=(.05, .16), correct=(.04, .14), reread=(.10, .24), alike=(.03, .13), stale=(.03, .17), effort=(1, 1.3), turns=18, use=.28),
}


class Call:
    __slots__ = ("op", "p", "fail", "labels", "say", "id", "dt")

    def __init__(self, op, p, fail=None, labels=(), say=""):
        self.op, self.p, self.fail, self.labels, self.say, self.id, self.dt = op, p, fail, list(labels), say, "", 3


class Turn:
    def __init__(self, prompt, work):
        self.prompt, self.work, self.calls, self.answer, self.labels = prompt, work, [], "", []
        self.id = ""
        self.before = None      # clear, model, compact: before this prompt
        self.mid = None         # index of the call after which the context is compacted
        self.stop = None        # (shape, index): rejected, cut
        self.queued = None      # (index, text)
        self.gap = 60


class Session:
    def __init__(self):
        self.turns, self.id, self.start, self.version, self.model, self.user, self.home, self.index = [], "", None, "", "", "", "", 0


class Life:
    """Plans a whole life: sessions, labels and the exact rates."""

    def __init__(self, kind, seed, n, form=None):
        self.kind, self.k, self.n, self.form = kind, KINDS[kind], n, form or KINDS[kind]["form"]
        self.r = random.Random(f"t6|{kind}|{seed}|{n}|{self.form}")
        r = self.r
        self.seed = seed
        self.cut = max(2, min(n - 2, round(n * r.uniform(.42, .6))))
        self.s = r.choice([.85, 1.0, 1.2])
        self.code = self.k["area"] == "code"
        if self.code:
            self.world = r.choice(sorted(W.CODE_WORLDS))
            self.repo = W.Repo(self.world, seed, self.k.get("scale", 1.0), self.k.get("many", 1))
            self.files = sorted(self.repo.pairs)
            r.shuffle(self.files)
            self.w = self.repo.w
        else:
            self.world = r.choice(sorted(W.DESKS))
            self.desk = W.Desk(self.world, seed)
            self.w = self.desk.w
        self.talk = self.k.get("talk", r.uniform(.2, .55))
        self.pers = {q: b * math.exp(r.gauss(0, .10)) / b for q, b in BASE.items()}
        self.val = [[r.choice([1, 1, 2]), s] for s in self.w["settings"]]     # index of the present value
        self.sessions, self.labels = [], []
        self.rates = {}
        self.apps = sorted({self.app(f) for f in self.files}) if self.code else []

    # ------------------------------------------------------------ helpers
    def ramp(self, q, base):
        a, b = self.k.get(q, (base, base))
        if self.k.get("step"):
            return b if self.i >= self.cut else a
        return a + (b - a) * self.x

    def rate(self, q):
        """Rate of this session; kept, since it is asked for with every call."""
        v = self.now.get(q)
        if v is None:
            v = self.ramp(q, BASE[q])
            if q not in self.k or self.k[q][0] == self.k[q][1]:
                v *= self.pers[q]
            v = self.now[q] = min(.8, v * self.mood[q])
        return v

    def hit(self, q, h, o=1):
        if q not in self.rates:
            self.rates[q] = [[0, 0] for _ in range(self.n)]
        c = self.rates[q][self.i]
        c[0] += h
        c[1] += o

    def words(self, f=None, rid=None):
        r = self.r
        d = dict(w=r.choice(W.WORDS), v=r.choice(W.WORDS), n=r.randrange(11, 99), p=f or "", b=f.split("/")[-1] if f else r.choice(W.WORDS), o="other", s="", f="note", l="", what="", r="")
        if f:
            t = self.repo.twin(f)
            if d["b"].startswith(("main", "values")) or r.random() < .35:
                d["b"] = f
            elif t and t.split("/")[-1] == d["b"]:
                d["b"] = "/".join(f.split("/")[-2:]) if f.split("/")[-2] not in t.split("/") else f      # people say which of the two they mean
            if t:
                a, b = f.split("/"), t.split("/")
                diff = [y for x, y in zip(a, b) if x != y]
                d["o"] = diff[0] if diff else t.split("/")[-1]
        if rid:
            d.update(l=self.desk.label(rid), f=r.choice(self.w["fields"]).replace("_", " "), r=rid, what=self.w["what"])
            if r.random() < .3:
                d["l"] = rid
        return d

    def emit(self, op, say=None, labels=(), countable=True, **p):
        """Adds a call; a faulty try may come before it."""
        r = self.r
        e = self.rate("error") + self.bump_err
        c = Call(op, p, None, labels, say or "")
        if not say and r.random() < self.talk and self.talk_ctx:
            c.say = r.choice(W.TALK).format(**self.talk_ctx)
        if countable and op != "ask" and r.random() < e / (1 - e):
            bad = Call(op, dict(p), r.randrange(1000), ["error"], c.say)
            c.say = ""
            self.t.calls.append(bad)
            self.hit("error", 1)
            if self.win > 0:
                self.hit("win_error", 1)
        self.t.calls.append(c)
        self.hit("error", 0)
        if self.win > 0:
            self.hit("win_error", 0)
        return c

    @staticmethod
    def app(f):
        parts = f.split("/")
        stem = parts[-1].split(".")[0]
        return stem if not stem.startswith(("main", "values")) else parts[1]

    # ------------------------------------------------------------ code work
    def pick_file(self, fresh_bias=.65, twin=False):
        r = self.r
        share = .35 + .65 * self.i / max(1, self.n - 1) if self.k.get("grow") else 1
        pool = self.files[:max(8, int(len(self.files) * share))]
        new = r.random() < fresh_bias
        if twin:
            pool = [f for f in pool if self.repo.twin(f)] or [f for f in self.files if self.repo.twin(f)]
        for _ in range(12):
            f = r.choice(pool)
            if (f not in self.known) == new and self.repo.twin(f) not in self.visited_now:
                return f
        return r.choice(pool)

    def count_read(self):
        """Every read of a file; some leave a wish to open a known file again."""
        self.hit("reread", 0)
        self.hit("reads", 1, 0)
        q = self.rate("reread")
        if self.r.random() < 1.06 * q / (1 - q):
            self.debt += 1

    def read(self, f, label=None, means=None, allow_alike=True):
        r = self.r
        n = self.repo.length(f)
        first = f not in self.known
        if first and label is None:
            tw = self.repo.twin(f)
            if tw and allow_alike and tw not in self.known:
                self.hit("alike", 0)
                if r.random() < self.rate("alike"):
                    self.hit("alike", 1, 0)
                    self.emit("read", path=tw, off=1, lim=min(self.repo.length(tw), 200), means=means, labels=["alike"])
                    self.count_read()
                    self.known[tw] = "clean"
                    self.emit("read", say=r.choice(W.ALIKE_SAY).format(**self.words(f)), path=f, off=1, lim=200, means=means)
                    self.count_read()
                    self.known[f] = "clean"
                    return
        lab = [label] if label else []
        self.emit("read", path=f, off=1, lim=200 if n > 200 else n, means=means, labels=lab)
        self.count_read()
        self.known.setdefault(f, "clean")
        if n > 230 and first and r.random() < .6:
            self.emit("read", path=f, off=201, lim=min(220, n - 200), means=means, labels=["part"])
            self.count_read()

    def pay_reread(self):
        """Opens a file again that it has read in this session and that has not changed since."""
        r = self.r
        while self.debt > 0:
            pool = [f for f, s in self.known.items() if s == "clean" and f != self.last_read]
            if not pool:
                return
            f = r.choice(pool[-9:])
            n = self.repo.length(f)
            u = r.random()
            off, lim = 1, min(n, 200)
            if u < .28 and n > 40:
                off = r.randrange(1, n - 25)
                lim = min(n - off + 1, r.randrange(20, 80))
            self.emit("read", path=f, off=off, lim=lim, means=r.choice(["cat", "sed", "nl", "git", "dot", "grep"]) if self.k.get("means") else None, labels=["reread"], again=1)
            self.hit("reread", 1)
            self.hit("reads", 1, 0)
            self.debt -= 1
            self.last_read = f

    def edit(self, f, value=None, labels=()):
        r = self.r
        self.hit("reads", 0, 1)
        tw = self.repo.twin(f)
        if tw and value is None and not labels:
            self.hit("edit_alike", 0)
            if r.random() < self.rate("edit_alike") and self.form == CX:
                self.hit("edit_alike", 1, 0)
                self.emit("edit", path=tw, labels=["edit_alike"], countable=False)
                self.emit("revert", say=r.choice(W.REVERT_SAY).format(**self.words(f)), path=tw, countable=False, labels=["undo"])
        if self.k.get("formatter") and self.i >= self.cut and self.known.get(f) == "formatted" and self.form == CC:
            self.t.calls.append(Call("edit", dict(path=f), "modified", ["refused"]))
            self.hit("error", 0)
            self.emit("read", path=f, off=1, lim=min(200, self.repo.length(f)), labels=["forced"])
            self.count_read()
        self.emit("edit", path=f, value=value, labels=labels)
        self.known[f] = "formatted" if self.k.get("formatter") and self.i >= self.cut and r.random() < .7 else "edited"
        if r.random() < .10:
            self.emit("read", path=f, off=max(1, r.randrange(1, max(2, self.repo.length(f) - 20))), lim=25, labels=["verify"])
            self.count_read()

    def look(self, labels=()):
        r = self.r
        for _ in range(10):
            cmd = r.choice(self.w["looks"]).format(a=r.choice(self.apps), n=r.randrange(10, 99))
            if cmd not in self.looked:
                break
        if self.compacted:
            self.hit("repeat", 0)
            q = self.rate("repeat")
            if self.looks_before and r.random() < q / (1 - q):
                self.hit("repeat", 1)
                self.emit("shell", cmd=r.choice(self.looks_before), labels=["repeat"])
        self.emit("shell", cmd=cmd, labels=labels)
        self.looked.append(cmd)

    def search(self, f):
        r = self.r
        if self.k.get("newtool") and self.i >= .35 * self.n and r.random() < .65:
            self.emit("symbol", q=f"{r.choice(W.WORDS)}_{r.choice(W.WORDS)}", path=f)
        else:
            self.emit("grep", q=f"{r.choice(W.WORDS)}_{r.choice(W.WORDS)}", path=f)
        self.hit("reads", 1, 0)

    def run(self, f, may_fail=True):
        r = self.r
        cmd = r.choice(self.w["tests"]).format(a=self.app(f))
        if may_fail and r.random() < .16:
            self.emit("run", cmd=cmd, red=1, labels=["red_task"], countable=False)
            if self.t.work != "ops":
                self.edit(f)
        self.emit("run", cmd=cmd)

    def poll(self, k):
        r = self.r
        cmd = r.choice(self.w["polls"]).format(a=r.choice(self.apps), n=r.randrange(10, 99))
        for _ in range(k + 1):
            self.emit("shell", cmd=cmd, labels=["poll"], countable=False, wait=1)

    def code_turn(self, work, f=None):
        r, t, k = self.r, self.t, self.k
        shallow = k.get("shallow") and self.i >= self.cut
        f = f or self.pick_file(.85 if k.get("fresh") else .62, twin=work == "compare")
        self.visited_now = {f}
        t.target = f
        self.talk_ctx = self.words(f)
        n_ctx = (0 if r.random() < .75 else 1) if shallow else r.choice({"fix": [1, 1, 2, 2, 3], "question": [1, 1, 2, 3], "review": [1, 2, 2], "feature": [0, 1, 1, 2]}.get(work, [0, 1, 1]))
        if k.get("fresh"):
            n_ctx = max(n_ctx, r.choice([0, 1, 1]))
        if k.get("ritual") and r.random() < .72:
            lab = ["reread"] if "NOTES.md" in self.known else []
            self.emit("read", path="NOTES.md", off=1, lim=40, labels=lab)
            self.hit("reread", 1 if lab else 0)
            self.hit("reads", 1, 0)
            self.known.setdefault("NOTES.md", "note")
        if work in ("fix", "feature", "question", "review", "repair", "wish") and r.random() < (.3 if shallow else .8) and work not in ("repair", "wish"):
            self.search(f)
        for _ in range(int(k.get("looks", 0) + r.random())):
            self.look()
        if work == "small":
            if r.random() < .5:
                self.emit("shell", cmd="git status --short", labels=["status"])
            self.emit("shell", cmd=r.choice(["git add -A && git commit -q -m '{} {}'", "git diff --stat && git commit -qam '{} {}'"]).format(r.choice(W.WORDS), r.choice(W.WORDS)))
            if r.random() < .5:
                self.run(f, False)
        elif work == "compare":
            tw = self.repo.twin(f)
            a, b = (f, tw) if r.random() < .5 else (tw, f)
            for p in (a, b):
                if p not in self.known:
                    self.read(p, "both", allow_alike=False)
            self.emit("shell", cmd=f"diff -u {a} {b} | head -60", labels=["both"])
            if r.random() < .35:
                self.edit(f)
        elif work == "ops":
            for _ in range(r.choice([2, 2, 3, 4])):
                self.look()
            if r.random() < .4 and f not in self.known:
                self.read(f)
            if r.random() < .4:
                self.run(f)
        else:
            if f not in self.known and not (shallow and r.random() < .25):
                self.read(f)
            for _ in range(n_ctx):
                g = self.pick_file(.8)
                if g not in self.known:
                    self.read(g)
            self.pay_reread()
            if work == "review":
                self.emit("shell", cmd=f"git diff HEAD~{r.randrange(1, 6)} --stat -- {f}")
            if work in ("fix", "feature", "repair", "wish") or (work == "review" and r.random() < .5):
                red = work in ("fix", "feature") and "red" in k and r.random() < self.ramp("red", 0)
                if red:
                    t.prompt += r.choice([" Start with a test that fails, show me the red run, then the change.", " red first please, then green"])
                    self.edit(f)
                    for _ in range(r.choice([1, 1, 2])):
                        self.emit("run", cmd=r.choice(self.w["tests"]).format(a=self.app(f)), red=1, labels=["red_wanted"], countable=False)
                m = r.choice([1, 1, 2, 2, 3]) if work == "feature" else r.choice([1, 1, 2])
                if k.get("edits"):
                    m = max(m, r.choice([1, 2]))
                for j in range(m):
                    g = f if j == 0 or r.random() < .5 else self.pick_file(.0)
                    if g not in self.known and not shallow:
                        self.read(g)
                    self.edit(g)
                if r.random() < .8 and work != "wish":
                    self.run(f)
                if work in ("fix", "feature") and r.random() < .45:
                    self.look()
        if "watch" in k:
            lam = self.ramp("watch", 0)
            if r.random() < lam / 3.2:
                t.prompt += r.choice([" and stay on it until the roll-out is through", " then watch it till it's done"])
                self.poll(r.choice([2, 3, 4]))
        elif r.random() < .03:
            self.poll(1)
        self.pay_reread()

    # ------------------------------------------------------------ desk work
    def tool(self, role, say=None, labels=(), countable=True, **p):
        return self.emit("tool", say=say, labels=labels, countable=countable, role=role, **p)

    def lookup(self, role, rid, labels=()):
        r = self.r
        self.hit("tool_alike", 0)
        if r.random() < self.rate("tool_alike"):
            self.hit("tool_alike", 1, 0)
            self.tool(role + "2", rid=rid, labels=["tool_alike"])
            self.tool(role, say=r.choice(W.TOOL_SAY), rid=rid, labels=labels)
        else:
            self.tool(role, rid=rid, labels=labels)

    def count_open(self):
        self.hit("reread", 0)
        q = self.rate("reread")
        if self.r.random() < 1.06 * q / (1 - q):
            self.debt += 1

    def open(self, rid, found=False):
        r = self.r
        if rid in self.known:
            return
        tw = self.desk.twins[rid]
        if tw not in self.known:
            self.hit("alike", 0)
            if r.random() < self.rate("alike"):
                self.hit("alike", 1, 0)
                self.tool("open", rid=tw, labels=["alike"])
                self.count_open()
                self.known[tw] = "clean"
                self.tool("open", say=r.choice(W.REC_SAY).format(**self.words(rid=rid)), rid=rid)
                self.count_open()
                self.known[rid] = "clean"
                return
        self.lookup("open", rid)
        self.count_open()
        self.known[rid] = "clean"

    def pay_reopen(self):
        r = self.r
        while self.debt > 0:
            pool = [f for f, s in self.known.items() if s == "clean" and f != self.last_read]
            if not pool:
                return
            rid = r.choice(pool[-8:])
            if r.random() < .5:
                self.tool("find", rid=rid, labels=["reread_search"])
            self.tool("open", rid=rid, labels=["reread"])
            self.hit("reread", 1)
            self.debt -= 1
            self.last_read = rid

    def desk_turn(self, work, rid=None):
        r, t = self.r, self.t
        if rid is None:
            for _ in range(12):
                rid = r.choice(self.desk.ids)
                if (rid not in self.known) == (r.random() < (.9 if self.k.get("fresh") else .72)) and self.desk.twins[rid] not in self.known:
                    break
        t.target = rid
        self.talk_ctx = dict(self.words(rid=rid), b=self.desk.label(rid))
        if work == "know":
            if r.random() < .5:
                self.tool("more", name=r.choice(W.MORE_TOOLS[:6]), rid=rid)
            return
        if work == "list":
            self.tool("list", rid=rid)
        more = [rid] + ([r.choice(self.desk.ids)] if r.random() < (.75 if self.k.get("fresh") else .55) else [])
        for x in more:
            if x in self.known or self.desk.twins[x] in self.known and x != rid:
                continue
            if r.random() < .75:
                self.tool("find", rid=x)
            self.open(x)
        if work != "small" and r.random() < .75 or self.k.get("fresh"):
            self.lookup("hist", rid)
        if r.random() < (.95 if self.k.get("toolbox") else .4):
            for _ in range(r.choice([1, 2]) if self.k.get("toolbox") else 1):
                self.tool("more", name=r.choice(W.MORE_TOOLS if self.k.get("toolbox") else W.MORE_TOOLS[:7]), rid=rid)
        self.pay_reopen()
        if work in ("change", "repair", "wish"):
            self.tool("change", rid=rid, field=r.choice(self.w["fields"]), nn=r.randrange(10, 99))
            self.known[rid] = "edited"
            if r.random() < .3:
                self.tool("open", rid=rid, labels=["verify"])
                self.count_open()
        if work == "quote":
            self.tool("calc", rid=rid, nn=r.randrange(2, 9))
        if work == "send":
            self.tool("send", rid=rid, nn=r.randrange(10, 99))
        self.pay_reopen()

    # ------------------------------------------------------------ settings, questions
    def use(self):
        r, t = self.r, self.t
        how = self.k.get("how") or ("option" if self.code else "nested")
        codes = [a for a, e in enumerate(self.val) if not e[1][-1][0].replace(".", "").replace(":", "").isdigit()]
        j = r.choice(codes) if how == "composite" else r.randrange(len(self.val))
        at, st = self.val[j]
        new, old = st[-1][at], st[-1][at - 1]
        stale = r.random() < self.rate("stale")
        self.hit("stale", int(stale))
        v = old if stale else new
        lab = ["stale"] if stale else ["use"]
        if t.work == "know" or t.also:
            ask = r.choice(self.asks("know")).format(**dict(self.words(rid=t.target), s=st[0]))
            t.prompt = t.prompt + r.choice([". Also, ", "\n\nAnd: ", " - oh, and "]) + ask if t.also else ask
            t.answer = (r.choice(W.ANSWER_DESK).format(**self.words(rid=t.target)) + " " if t.also else "") + r.choice(["The {s} is {v}.", "Currently {v}.", "We use {v} as {s}.", "{v}, for all cases.", "{s}: {v}."]).format(s=st[0], v=v)
            t.labels.append(lab[0])
            if stale and r.random() < .4:
                self.pending = ("stale_fix", st[0], old, new, j)
            return
        if how == "option":
            t.prompt += r.choice([" Use the current {s}.", " With our {s}, please.", " (usual {s})", " The {s} as agreed."]).format(s=st[0]) if r.random() < .5 else ""
            mk = lambda val, labels, fail=None, say="": self._raw("shell", dict(cmd=st[1].format(v=val), fallout=val), labels, fail, say)
        elif how == "code":
            f = self.t.target
            if f not in self.known:
                self.read(f)
            self.hit("reads", 0, 1)
            t.prompt += r.choice([" Put our {s} in as well.", " and set the {s} there", " It needs the {s}, too."]).format(s=st[0])
            mk = lambda val, labels, fail=None, say="": self._raw("edit", dict(path=f, value=st[2].format(v=val)), labels, fail, say)
            self.known[f] = "edited"
        else:
            rid = self.t.target
            mk = lambda val, labels, fail=None, say="": self._raw("tool", dict(role="quote", rid=rid, how=how, setting=st, value=val, nn=r.randrange(10, 99)), labels, fail, say)
        u = r.random()
        if not stale:
            mk(v, lab)
        elif u < .13 and how != "code":
            mk(v, lab, "retired")
            mk(new, ["use_again"])
        elif u < .26:
            mk(v, lab)
            mk(new, ["use_again"], None, r.choice([f"That is not the current {st[0]}, doing it again.", "Once more with the present value."]))
        else:
            mk(v, lab)
            if u < .54:
                self.pending = ("stale_fix", st[0], old, new, j)

    def use_again(self, fixing):
        st, new = self.val[fixing[4]][1], fixing[3]
        how = self.k.get("how") or ("option" if self.code else "nested")
        if how == "option":
            self._raw("shell", dict(cmd=st[1].format(v=new)), ["use_again"], None, "")
        elif how == "code":
            self._raw("edit", dict(path=self.t.target, value=st[2].format(v=new), instead=st[2].format(v=fixing[2])), ["use_again"], None, "")
            self.hit("reads", 0, 1)
        else:
            self._raw("tool", dict(role="quote", rid=self.t.target, how="nested" if how == "prose" else how, setting=st, value=new, nn=self.r.randrange(10, 99)), ["use_again"], None, "")

    def _raw(self, op, p, labels, fail, say):
        c = Call(op, p, fail, labels, say)
        self.t.calls.append(c)
        self.hit("error", 0)
        if self.win > 0:
            self.hit("win_error", 0)

    def need(self):
        """A piece of information only the user has. Returns a reply turn's text when it asks in words."""
        r = self.r
        topic = r.choice(self.topics)
        known = topic[0] in self.told
        if known:
            self.hit("ask", 0)
            if r.random() >= self.rate("ask"):
                return None
            self.hit("ask", 1, 0)
            a = self.told[topic[0]]
            q = topic[1] if r.random() < .5 else topic[2]
            rep = r.choice(W.ASK_REPLY_AGAIN).format(a=a)
            lab = "ask"
        else:
            a = r.choice(topic[3]).format(n=r.randrange(100, 999))
            self.told[topic[0]] = a
            q, rep, lab = topic[1], a, "ask_first"
        if self.form == CC and r.random() < .5:
            self.t.calls.insert(r.randrange(0, len(self.t.calls) + 1), Call("ask", dict(q=q, options=topic[3][:3], a=rep, head=topic[0]), None, [lab]))
            self.hit("error", 0)
            return None
        return q, rep, lab

    # ------------------------------------------------------------ sessions
    def asks(self, work):
        if self.code:
            return (W.CODE_ASK_DE if self.k.get("german") else W.CODE_ASK)[work]
        return (W.DESK_ASK_FR if self.k.get("french") and self.i >= self.cut else W.DESK_ASK)[work]

    def corr(self):
        if self.code:
            return W.CORR_CODE_DE if self.k.get("german") else W.CORR_CODE
        return W.CORR_DESK_FR if self.k.get("french") and self.i >= self.cut else W.CORR_DESK

    def mix(self):
        k = self.k
        m = dict(CODE_MIX if self.code else DESK_MIX)
        if k.get("drift"):
            end = dict(fix=.08, feature=.07, question=.25, review=.2, ops=.3, small=.08, compare=.02)
            m = {a: m[a] + (end[a] - m[a]) * self.x for a in m}
        if k.get("other_user") and self.i >= self.cut:
            m.update(question=.25, fix=.2, review=.13)
        if k.get("edits"):
            m.update(question=.06, ops=.06, review=.06)
        if k.get("fresh") and self.code:
            m.update(small=.04, ops=.05)
        if k.get("how") == "code":
            m.update(question=.08, ops=.05, small=.03)
        if k.get("how") in ("nested", "alias", "composite"):
            m.update(quote=.3, know=.02, small=.04)
        if "compare" in k:
            m["compare"] = 0
        for a in m:
            m[a] *= math.exp(self.r.gauss(0, .25))
        return m

    def plan(self):
        k, r, n = self.k, self.r, self.n
        day = datetime(2026, r.randrange(4, 7), r.randrange(1, 25), tzinfo=timezone.utc)
        versions = ["2.1.143", "2.1.168", "2.1.199", "2.1.221"]
        if k.get("versions") == 4:
            bumps = sorted(r.sample(range(2, n), min(3, n - 2)))
        elif k.get("versions") == 2:
            bumps = [self.cut]
        elif self.kind == "hidden_step" or k.get("stub"):
            bumps = []
        elif k["expects"] == "healthy":
            bumps = sorted(r.sample(range(2, n), r.choice([0, 1, 1, 2])))
        else:
            bumps = [r.randrange(2, n)] if r.random() < .33 else []
        vbase = r.choice([0, 1]) if len(bumps) < 3 else 0
        giant = round(n * r.uniform(.45, .8)) if k.get("giant") else -1
        note_sessions = set(r.sample(range(1, n), min(4, n - 1))) if k.get("notes") else ()
        gap_at = round(n * r.uniform(.4, .65)) if k.get("gap") else -1
        per = max(1.2, 75 / n)
        models = {CC: ["claude-opus-4-6", "claude-opus-4-7"], CX: ["gpt-5.5", "gpt-5.6-sol"], GE: ["nimbus-2", "nimbus-2-fast"]}[self.form]
        self.model = models[0]
        for i in range(n):
            self.i = i
            self.x = (i / max(1, n - 1)) ** self.s
            shared = r.gauss(0, .12)
            self.now = {}
            self.mood = {q: math.exp(shared + r.gauss(0, .14)) for q in BASE}
            pace = math.exp(r.gauss(0, .10))
            s = Session()
            s.index = i
            self.ss = s
            day += timedelta(days=per * r.uniform(.4, 1.6))
            if i == gap_at:
                day += timedelta(days=r.uniform(35, 43))
            if k.get("quarter") and i >= .8 * n:
                day -= timedelta(days=per * .65)
            second = k.get("other_user") and i >= self.cut
            s.user, s.home = self.w["user"], self.w["home"]
            if second:
                s.user = "pilar"
                s.home = self.w["home"].replace(self.w["user"], "pilar").replace("/Users/", "/home/")
            hour = r.uniform(13, 19) if second else r.uniform(7, 16)
            s.start = day.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(hours=hour)
            s.version = versions[min(3, vbase + sum(b <= i for b in bumps))] if not k.get("stub") else "2.1.221"
            if k.get("model_at_cut") and i >= self.cut:
                self.model = models[1]
            s.model = self.model
            s.id = "%08x-%04x-4%03x-a%03x-%012x" % tuple(r.getrandbits(b) for b in (32, 16, 12, 12, 48))
            med = k.get("turns", 15)
            nt = int(min(25, max(6, round(med * math.exp(r.gauss(0, .13 if "turns" in k else .28))))))
            if k.get("quarter") and i >= .8 * n:
                nt = min(32, round(nt * 1.6))
            if i == giant:
                nt = r.randrange(75, 96)
            hard = k.get("hard") and .40 * n <= i < .65 * n
            mix = self.mix()
            # fresh context
            self.known, self.told, self.looked, self.looks_before = {}, {}, [], []
            self.compacted, self.debt, self.last_read, self.pending, self.win, self.visited_now = False, 0, None, None, 0, set()
            self.bump_err = .05 if hard else 0
            self.topics = r.sample(W.ASKS, 3 if k.get("need") else 4)
            self.talk_ctx = None
            ev = self.events(nt)
            interrupted = False
            j = 0
            reply = None
            while j < nt:
                t = Turn("", "")
                self.t = t
                s.turns.append(t)
                t.gap = r.lognormvariate(4.3, .9)
                t.id = "%08x-%04x-7%03x-b%03x-%012x" % tuple(r.getrandbits(b) for b in (32, 16, 12, 12, 48))
                if reply:                      # answer to a question asked in words
                    t.prompt, t.work = reply, "reply"
                    reply = None
                    self.t.target = s.turns[-2].target
                    if self.code:
                        self.code_turn(r.choice(["wish", "question"]), t.target)
                    else:
                        self.desk_turn("look", t.target)
                    self.finish(t, pace, hard)
                    continue
                j += 1
                if j - 1 in ev:
                    kind, mid = ev[j - 1]
                    if kind == "compact" and mid:
                        t.mid = -1
                    else:
                        t.before = kind
                        self.happen(kind, models)
                    if k.get("event") == kind:
                        self.win = r.choice([3, 4, 4, 5]) + 1
                if self.win > 0:
                    self.win -= 1
                bump = (.02 + .13 * self.x) if self.win > 0 else 0
                self.bump_err = (.05 if hard else 0) + bump
                # what the user writes
                corrected = False
                prev = s.turns[-2] if len(s.turns) > 1 else None
                if prev is not None and not interrupted and not self.pending:
                    c = 1.05 * self.rate("correct") + (.04 if hard else 0) + bump      # the first request cannot be one
                    corrected = r.random() < c
                queued = corrected and k.get("queue") and r.random() < .25 and prev.work not in ("small",) and len(prev.calls) > 3 and not prev.stop and not prev.queued
                if queued:
                    self.t = prev
                    prev.queued = (r.randrange(1, len(prev.calls) - 1), r.choice(self.corr()).format(**self.words(prev.target)))
                    prev.labels.append("correct")
                    self.hit("correct", 1)
                    self.code_turn("repair", prev.target)
                    self.times(prev)
                    self.t = t
                    corrected = False
                self.hit("correct", int(corrected))
                if self.win > 0:
                    self.hit("win_correct", int(corrected))
                if interrupted:
                    work = "repair"
                    t.prompt = r.choice(W.STOP_NEXT if not k.get("german") else W.CORR_CODE_DE).format(**self.words(prev.target if self.code else None, None if self.code else prev.target))
                    t.labels.append("after_stop")
                elif self.pending:
                    work = "repair"
                    _, sn, old, new, _j = self.pending
                    bank = W.STALE_FIX_FR if k.get("french") and i >= self.cut else W.STALE_FIX
                    t.prompt = r.choice(bank).format(s=sn, old=old, new=new)
                    t.labels.append("stale_fix")
                elif corrected:
                    work = "repair"
                    t.prompt = r.choice(self.corr()).format(**self.words(prev.target if self.code else None, None if self.code else prev.target))
                    t.labels.append("correct")
                elif prev is not None and r.random() < (self.ramp("wishes", 0) if "wishes" in k else .07):
                    work = "wish"
                    t.prompt = r.choice(W.WISHES).format(**self.words(prev.target if self.code else None, None if self.code else prev.target))
                    t.labels.append("wish")
                else:
                    work = r.choices(list(mix), list(mix.values()))[0]
                    if "compare" in k and r.random() < self.ramp("compare", 0):
                        work = "compare"
                    if prev is None and work == "small":
                        work = "fix" if self.code else "look"
                t.work = work
                fixing = self.pending
                self.pending = None
                target = prev.target if work in ("repair", "wish") and prev is not None else None
                using = work not in ("repair", "wish", "small", "know") and r.random() < k.get("use", .17) * (1.35 if "how" in k else 1)
                t.also = False
                if using and k.get("how") == "prose":
                    t.also = r.random() < .6
                    if not t.also:
                        t.work = work = "know"
                if fixing and k.get("how") == "prose":
                    t.target, t.answer = prev.target, f"Right, {fixing[1]}: {fixing[3]}."
                elif self.code:
                    self.code_turn(work, target)
                else:
                    self.desk_turn(work, target)
                if not t.prompt or "{" in t.prompt or work not in ("repair", "wish"):
                    extra = t.prompt
                    ctx = self.words(t.target if self.code else None, None if self.code else t.target)
                    ctx["s"] = r.choice(self.val)[1][0]
                    t.prompt = r.choice(self.asks(work)).format(**ctx) + extra
                    if r.random() < .10:
                        t.prompt += ". " + r.choice(W.SPICE_DE if k.get("german") else W.SPICE).format(**ctx)
                    if second and r.random() < .4:
                        t.prompt = "Hi! " + t.prompt[0].upper() + t.prompt[1:] + " Thanks a lot!"
                if fixing and k.get("how") != "prose":
                    self.use_again(fixing)
                # effort
                eff = self.ramp("effort", 1) * (1.4 if hard else 1) * (1 + (.25 * self.x if self.win > 0 else 0))
                self.more_effort(t, eff, pace)
                # settings
                if using or work == "know":
                    self.use()
                    if k.get("how", "prose") != "prose" and r.random() < .18:
                        self.use()
                # a value changes, or the opening notes
                if i == 0 and prev is None:
                    t.prompt = self.opening() + "\n\n" + t.prompt
                elif r.random() < (.045 if "how" in k else .03):
                    self.change(t)
                elif r.random() < .012:
                    at, st = self.val[r.randrange(8)]
                    t.prompt += f" And for the old batch keep {st[-1][at - 1]} as {st[0]}, that is on purpose."
                    t.labels.append("old_wanted")
                if i in note_sessions and j == 2:
                    t.prompt += " And put that rule into the instruction file so you remember it."
                    self.emit("edit", path="CLAUDE.md", labels=["notes"])
                # question to the user
                q = None
                if work not in ("small", "know", "repair") and r.random() < k.get("need", .16):
                    q = self.need()
                # the user steps in
                interrupted = False
                if self.form != GE and len(t.calls) > 2:
                    st = r.random() < self.rate("stop")
                    self.hit("stop", int(st))
                    if st:
                        q = None
                        interrupted = self.step_in(t)
                if not q and not interrupted and k.get("approvals") and i >= self.cut:
                    self.approve(t)
                if q:
                    t.answer = r.choice(["Before I go on: ", "One question: ", ""]) + q[0]
                    t.labels.append(q[2])
                    reply = q[1]
                if t.mid == -1:
                    t.mid = r.randrange(0, len(t.calls)) if len(t.calls) > 1 and not t.stop else None
                    if t.mid is None:
                        t.before = "compact"
                    self.happen("compact", models)
                self.finish(t, pace, hard)
            self.sessions.append(s)
            for t in s.turns:
                self.hit("effort", len(t.calls))
                for l in t.labels:
                    self.labels.append([i, t.id[-12:], l])
                for c in t.calls:
                    for l in c.labels:
                        self.labels.append([i, c.id[-12:], l])
        return self

    def events(self, nt):
        r, k = self.r, self.k
        ev = {}
        if k.get("event"):
            m = r.choice([2, 2, 3]) if nt > 18 else 2
            for a in range(m):
                lo = 2 + a * (nt - 2) // m
                hi = max(lo + 1, 2 + (a + 1) * (nt - 2) // m - 4)
                ev[r.randrange(lo, hi)] = (k["event"], k["event"] == "compact" and r.random() < .5)
            if k["event"] != "compact" and r.random() < .25:
                ev.setdefault(r.randrange(2, nt), ("compact", False))
            return ev
        if k.get("early_compact"):
            ev[max(2, round(nt * r.uniform(.2, .36)))] = ("compact", r.random() < .5)
            if r.random() < .3:
                ev[round(nt * r.uniform(.6, .85))] = ("compact", False)
            return ev
        lam = .5 * nt / 15
        while lam > 0:
            if r.random() < lam:
                ev[r.randrange(2, max(3, nt))] = ("compact", r.random() < .5)
            lam -= 1
        return ev

    def happen(self, kind, models):
        if kind == "compact":
            self.compacted = True
            self.looks_before = list(self.looked)
        elif kind == "clear":
            self.known, self.told, self.looked, self.looks_before, self.compacted, self.debt = {}, {}, [], [], False, 0
        elif kind == "model":
            self.model = models[1] if self.model == models[0] else models[0]
        self.t.model = self.model

    def more_effort(self, t, eff, pace):
        r = self.r
        extra = ((eff - 1) * 1.12 + (pace - 1) * .5) * max(3, len(t.calls))
        m = int(extra) + (r.random() < extra - int(extra)) if extra > 0 else 0
        for _ in range(m):
            before = len(t.calls)
            u = r.random()
            if not self.code:
                self.tool("more", name=r.choice(W.MORE_TOOLS[:9]), rid=t.target)
            elif u < .4:
                self.emit("grep", q=f"{r.choice(W.WORDS)}_{r.choice(W.WORDS)}", path=t.target)
            elif u < .62:
                self.emit("shell", cmd=f"ls -la {os.path.dirname(t.target) or '.'} | head -{r.randrange(8, 60)}")
            elif u < .8:
                self.emit("run", cmd=r.choice(self.w["tests"]).format(a=r.choice(self.apps)))
            else:
                self.emit("shell", cmd=f"git log --oneline -{r.randrange(3, 30)} -- {t.target}")
            new = t.calls[before:]
            del t.calls[before:]
            at = r.randrange(0, before + 1)
            t.calls[at:at] = new
        if extra < 0 and len(t.calls) > 4 and r.random() < -extra:
            for c in t.calls:
                if c.op in ("grep", "shell") and not c.labels and not c.fail:
                    t.calls.remove(c)
                    self.rates["error"][self.i][1] -= 1
                    if self.win > 0:
                        self.rates["win_error"][self.i][1] -= 1
                    if c.op == "grep":
                        self.hit("reads", -1, 0)
                    break

    def step_in(self, t):
        r = self.r
        t.labels.append("stop")
        cands = [a for a, c in enumerate(t.calls) if a > 0 and c.op in ("edit", "shell", "run", "tool") and not c.fail and not set(c.labels) & {"stale", "error", "use"}]
        why = r.choice(W.REJECT_WHY).format(**self.words(t.target if self.code else None, None if self.code else t.target))
        if cands and r.random() < .5 and self.form == CC:
            a = r.choice(cands)
            c = t.calls[a]
            t.calls.insert(a, Call(c.op, dict(c.p), ("declined", why), ["declined"]))
            self.hit("error", 0)
            if c.op == "edit":
                c.p["second"] = 1
            return False
        a = r.choice([b for b in range(1, len(t.calls)) if not t.calls[b].fail] or [len(t.calls) - 1])
        gone = t.calls[a + 1:]
        del t.calls[a + 1:]
        for c in gone:
            if c.op == "read":
                self.known.pop(c.p["path"], None)
            self.uncount(c)
        c = t.calls[a]
        if not c.labels and not c.fail and c.op != "ask" and r.random() < .6:
            c.fail = ("cut", "")
            if c.op == "read":
                self.known.pop(c.p["path"], None)
            t.stop = ("tool", a)
        else:
            t.stop = ("text", a)
        self.pending = None
        return True

    def uncount(self, c):
        q = self.rates
        q["error"][self.i][1] -= 1
        for l in c.labels:
            if l in ("error", "reread", "repeat"):
                q[l][self.i][0] -= 1
                if l == "repeat":
                    q[l][self.i][1] -= 1
            if l in ("alike", "tool_alike", "edit_alike"):
                q[l][self.i][0] -= 1
            if l in ("stale", "use"):
                q["stale"][self.i][0] -= l == "stale"
                q["stale"][self.i][1] -= 1
            if l == "ask":
                q["ask"][self.i][0] -= 1
        if c.op == "read":
            q["reread"][self.i][1] -= 1
            q["reads"][self.i][0] -= 1
        if c.op == "tool" and c.p.get("role") == "open":
            q["reread"][self.i][1] -= 1
        if c.op == "edit" and c.fail is None:
            q["reads"][self.i][1] -= 1
        if self.win > 0:
            q["win_error"][self.i][1] -= 1
            if "error" in c.labels:
                q["win_error"][self.i][0] -= 1

    def approve(self, t):
        out = []
        for c in t.calls:
            if c.op in ("shell", "run") and not c.fail and self.r.random() < .17:
                out.append(Call(c.op, dict(c.p), "approval", ["refused"], c.say))
                self.hit("error", 0)
                c.say = ""
            out.append(c)
        t.calls = out

    def opening(self):
        out = []
        for at, st in self.val:
            out.append(f"- {st[0]}: {st[-1][at]} (no longer {st[-1][at - 1]})")
        return "Before we start, the things you need to know here:\n" + "\n".join(out)

    def change(self, t):
        r = self.r
        open_ = [e for e in self.val if e[0] + 1 < len(e[1][-1])]
        if not open_:
            return
        e = r.choice(open_)
        e[0] += 1
        st = e[1]
        bank = W.CHANGE_NOTE_FR if self.k.get("french") and self.i >= self.cut else W.CHANGE_NOTE
        note = r.choice(bank).format(s=st[0], old=st[-1][e[0] - 1], new=st[-1][e[0]])
        if any("stale" in c.labels or "use" in c.labels for c in t.calls) or t.work == "know":
            e[0] -= 1
            return
        t.prompt = note + "\n" + t.prompt
        t.labels.append("change")

    def finish(self, t, pace, hard):
        r = self.r
        t.model = self.model
        if not t.answer and not t.stop:
            ctx = self.words(t.target if self.code else None, None if self.code else t.target)
            bank = W.ANSWER_DESK if not self.code else W.ANSWER_SMALL if t.work == "small" else W.ANSWER_ASKED if t.work in ("question", "ops", "review", "compare") else W.ANSWER
            t.answer = r.choice(bank).format(**ctx)
            if self.k.get("talk", .3) > .7:
                t.answer += " " + " ".join(r.choice(W.TALK).format(**dict(ctx, b=ctx["l"] or ctx["b"])) for _ in range(4))
        self.times(t)

    def times(self, t):
        r = self.r
        for c in t.calls:
            if not c.id:
                c.id = "%018x" % r.getrandbits(72)
                c.dt = r.lognormvariate(1.6, .8)


def write_agent(kind, seed, sessions, folder, form=None, labels=None):
    """Writes one agent's trace into folder; truth goes into the side file beside it."""
    life = Life(kind, seed, sessions, form).plan()
    folder = str(folder)
    if os.path.isdir(folder):
        shutil.rmtree(folder)
    os.makedirs(folder)
    writers.write(life, folder)
    if labels is not False:
        k = KINDS[kind]
        side = dict(kind=kind, seed=seed, sessions=sessions, form=life.form, expects=k["expects"], mechanism=k["mechanism"], planted=k["planted"], truth=k["truth"], cut=life.cut if (k.get("step") or "cut" in k["truth"]) else None,
                    session_ids=[s.id for s in life.sessions], starts=[s.start.isoformat() for s in life.sessions], labels=life.labels, rates=life.rates)
        with open(labels or folder.rstrip("/") + ".labels.json", "w") as out:
            json.dump(side, out)
    return folder


if __name__ == "__main__":
    a = sys.argv[1:]
    print(write_agent(a[0], int(a[1]), int(a[2]), a[3], a[4] if len(a) > 4 else None))
