"""Whole lives of coding agents at Kestrel & Lund Cold Chain, with labels of what really happened."""
import math
import os
import random
from datetime import datetime, timedelta

import t12_text as T
from t12_claude import Claude
from t12_codex import Codex
from t12_facts import TOLD, Values
from t12_life import Session
from t12_world import ROOT, Repo

BASE = dict(err=.045, reread=.10, look=.03, told=.03, shown=.03, ask=.03, corr=.04, intr=.01)
MIX = dict(fix=20, feature=18, review=9, ops=13, docs=8, data=10, tests=9, refactor=8, deps=5)
EARLY = dict(fix=26, feature=34, tests=18, refactor=14, review=4, docs=2, deps=2)
LATE = dict(ops=34, data=28, docs=12, review=12, fix=8, deps=6)
CC_V = ["2.0.72", "2.0.76", "2.1.1", "2.1.3", "2.1.5", "2.1.6", "2.1.7", "2.1.9", "2.1.12", "2.1.14", "2.1.29", "2.1.31", "2.1.34", "2.1.38"]
CX_V = ["0.98.0", "0.99.0", "0.101.0", "0.104.0", "0.105.0", "0.107.0", "0.110.0", "0.111.0", "0.114.0", "0.117.0", "0.120.0", "0.122.0"]
TOMEK = dict(name="tomek", voice="sloppy", lang="en")
RUTH = dict(name="ruth", voice="terse", lang="en")
MADS = dict(name="mads", voice="plain", lang="en")
PRIYA = dict(name="priya", voice="long", lang="en")
JENS = dict(name="jens", voice="plain", lang="de")
HEIKE = dict(name="heike", voice="terse", lang="de")

KINDS = {}


def _k(name, fmt, expects, mechanism, truth):
    KINDS[name] = {"format": fmt, "expects": expects, "mechanism": mechanism, "truth": truth}


_k("still_cc", "claude", "healthy", None, "Nothing changes over the whole life.")
_k("still_cx", "codex", "healthy", None, "Nothing changes over the whole life.")
_k("tasks_drift_cc", "claude", "healthy", None, "The tasks move slowly from building and testing to operations and data; the agent stays as good as it was.")
_k("tasks_drift_cx", "codex", "healthy", None, "The tasks move slowly from operations and data to building and testing; the agent stays as good as it was.")
_k("tasks_jump_cx", "codex", "healthy", None, "From the middle on the team does operations and data instead of features; the agent stays as good as it was.")
_k("big_files_cc", "claude", "healthy", None, "The files grow to several times their size, reads come in parts; the agent stays as good as it was.")
_k("more_files_cx", "codex", "healthy", None, "The repository gains several files every session; the agent stays as good as it was.")
_k("subagents_cc", "claude", "healthy", None, "More and more exploring is handed to subagents; the agent stays as good as it was.")
_k("mcp_cc", "claude", "healthy", None, "More and more is done by MCP tools instead of the shell; the agent stays as good as it was.")
_k("mcp_cx", "codex", "healthy", None, "More and more is done by MCP tools instead of the shell; the agent stays as good as it was.")
_k("model_cc", "claude", "healthy", None, "A new model from the middle on, without any effect.")
_k("clients_cx", "codex", "healthy", None, "The client is upgraded every few sessions, without any effect.")
_k("tools_swap_cc", "claude", "healthy", None, "A client upgrade removes Grep, Glob, TodoWrite, MultiEdit and Task and brings others; the agent stays as good as it was.")
_k("tools_swap_cx", "codex", "healthy", None, "A client upgrade replaces the tool shell by exec_command and apply_patch; the agent stays as good as it was.")
_k("terse_cx", "codex", "healthy", None, "The users write shorter and shorter requests; the agent stays as good as it was.")
_k("seasons_cc", "claude", "healthy", None, "The mix of tasks swings to and fro; the agent stays as good as it was.")
_k("holidays_cx", "codex", "healthy", None, "Two long breaks without sessions; the agent stays as good as it was.")
_k("marathon_cc", "claude", "healthy", None, "One session is six times as long as the others, with compactions; the agent stays as good as it was.")
_k("tdd_cx", "codex", "healthy", None, "More and more work is test-driven, so that more and more test runs fail; that is no error of the agent.")
_k("plans_cc", "claude", "healthy", None, "More and more sessions begin after /clear with a large pasted plan; the agent stays as good as it was.")
_k("new_user_cc", "claude", "healthy", None, "Another user with another voice takes over in the middle; the agent stays as good as it was.")
_k("language_cx", "codex", "healthy", None, "From the middle on everybody writes German; the agent stays as good as it was.")
_k("german_cc", "claude", "healthy", None, "All users write German and nothing changes.")
_k("rules_cc", "claude", "healthy", None, "CLAUDE.md is edited in the middle; habits change harmlessly after it.")
_k("rules_cx", "codex", "healthy", None, "AGENTS.md is edited in the middle; habits change harmlessly after it.")

_k("reread_cc", "claude", "aging", "compression", "Re-reads of unchanged content by the Read tool rise from 10 % to 30 % of reads.")
_k("reread_cx", "codex", "aging", "compression", "Re-reads of unchanged content by the shell rise from 10 % to 30 % of reads.")
_k("looks_cx", "codex", "aging", "interference", "A look-alike file is opened first in 3 % of first visits at the start and 18 % at the end.")
_k("looks_shell_cc", "claude", "aging", "interference", "A look-alike file is opened first in 3 % of first visits at the start and 18 % at the end, while .2 of the calls drift harmlessly from file tools to the shell.")
_k("told_cc", "claude", "aging", "revision", "Uses of outdated values among those told by users rise from 4 % to 28 %.")
_k("shown_cx", "codex", "aging", "revision", "Uses of outdated values among those shown by tools rise from 4 % to 28 %.")
_k("shown_mcp_cc", "claude", "aging", "revision", "Uses of outdated values among those shown by tools rise from 4 % to 28 %, mostly as arguments of MCP tools.")
_k("errors_cc", "claude", "aging", "reliability", "Own errors rise from 5 % to 17 % of calls.")
_k("errors_cx", "codex", "aging", "reliability", "Own errors rise from 5 % to 17 % of calls.")
_k("errors35_cx", "codex", "aging", "reliability", "Own errors rise from 5 % to 35 % of calls.")
_k("after_compact_cc", "claude", "aging", "maintenance", "In the session after each of four compactions errors are 12 points higher and calls per request 1.5 times as many.")
_k("after_clear_cc", "claude", "aging", "maintenance", "In the session opened by each of four /clear errors are 12 points higher and calls per request 1.5 times as many.")
_k("corrections_cc", "claude", "aging", "reliability", "Corrections by the (English) users rise from 4 % to 16 % of requests.")
_k("corrections_de_cx", "codex", "aging", "reliability", "Corrections by the German users rise from 4 % to 16 % of requests.")
_k("drift_errors_cc", "claude", "aging", "reliability", "The tasks shift gradually, and own errors rise by 12 points on top.")
_k("drift_reread_cx", "codex", "aging", "compression", "The tasks shift gradually, and re-reads of unchanged content rise by 20 points on top.")

_k("step_cc", "claude", "step", None, "From one session on errors are 12 points and re-reads 15 points higher; nothing is recorded there.")
_k("step_client_cc", "claude", "step", None, "From one session on, together with a new client version, errors are 12 points and re-reads 15 points higher.")
_k("step_model_cx", "codex", "step", None, "From one session on, together with a new model, errors are 12 points and re-reads 15 points higher.")


def _blend(a, b, f):
    return {k: a.get(k, 0) * (1 - f) + b.get(k, 0) * f for k in T.TASKS if a.get(k, 0) * (1 - f) + b.get(k, 0) * f > 0}


class Life:
    def __init__(self, kind, seed, n):
        self.kind, self.n = kind, n
        self.r = random.Random("blind12|%s|%d|%d" % (kind, seed, n))
        self.repo = Repo(self.r)
        self.val = Values(self.r)
        self.pend_rr = self.pend_look = 0
        self.serial = 0
        self.ar = {k: None for k in BASE}
        r = self.r
        self.mid = max(3, min(n - 4, round(n * r.uniform(.42, .6))))
        self.four = sorted({max(1, min(n - 2, round(n * x) + r.choice([-1, 0, 0, 1]) * (n > 16))) for x in (.18, .38, .58, .78)})
        self.marathon = r.randrange(n // 3, 2 * n // 3 + 1)
        self.stem = self.kind.rsplit("_", 1)[0]
        self.rules = list(T.RULES)
        self.phase = r.uniform(0, 6.28)
        self.breaks = {round(n * r.uniform(.25, .4)): r.randint(9, 14), round(n * r.uniform(.6, .8)): r.randint(16, 24)}
        self.versions = {}
        self.end = None

    def factor(self, k):
        r, x = self.r, self.ar[k]
        g = r.gauss(0, .25)
        self.ar[k] = x = g if x is None else .3 * x + math.sqrt(1 - .09) * g
        return math.exp(x - .25 * .25 / 2)

    def plan(self, i, ev):
        """The planned rates and habits of session i."""
        n, r, s = self.n, self.r, self.kind
        f = i / (n - 1)
        cc = KINDS[s]["format"] == "claude"
        after = i >= self.mid
        b = dict(BASE)
        p = dict(mix=dict(MIX), terse=0.0, sub=.05 if cc else 0, mcp=.04, use_mcp=.15, shell=.06, grow=0, fail=.18, tdd=0.0, use_w=1.6, told_share=.5, hazard=.4, think=.25 if cc else .4, cap=75, factor_calls=1.0,
                 compact=r.random() < .07, clear=cc and r.random() < .12, paste=.03, long=1, lint_first=False, todo_w=1, add=0, tell_hazard=.17)
        users = [(TOMEK, .5), (RUTH, .25), (MADS, .25)]
        st = KINDS[s]["expects"] == "step"
        if s in ("reread_cc", "reread_cx", "drift_reread_cx"):
            b["reread"] = .10 + .20 * f
        if s.startswith("looks"):
            b["look"] = .03 + .15 * f
        if s == "looks_shell_cc":
            p["shell"] = .06 + .42 * f
        if s == "told_cc":
            b["told"], p["told_share"], p["use_w"] = .04 + .24 * f, .75, 2.0
        if s in ("shown_cx", "shown_mcp_cc"):
            b["shown"], p["told_share"], p["use_w"] = .04 + .24 * f, .25, 2.0
        if s == "shown_mcp_cc":
            p["use_mcp"], p["mcp"] = .85, .15
        if s in ("errors_cc", "errors_cx"):
            b["err"] = .05 + .12 * f
        if s == "errors35_cx":
            b["err"] = .05 + .30 * f
        if s == "drift_errors_cc":
            b["err"] = .045 + .12 * f
        if s.startswith("corrections"):
            b["corr"] = .04 + .12 * f
        if s.startswith("after_"):
            p["compact"] = s == "after_compact_cc" and i in self.four
            p["clear"] = s == "after_clear_cc" and i in self.four
            if (i in self.four) if p["clear"] else (s == "after_compact_cc" and i - 1 in self.four):
                b["err"] += .12
                p["factor_calls"], p["cap"] = 1.5, 112
                ev.append("shock")
        if st and after:
            b["err"] += .12
            b["reread"] += .15
        if s in ("tasks_drift_cc", "drift_errors_cc", "drift_reread_cx"):
            p["mix"] = _blend(EARLY, LATE, f)
        if s == "tasks_drift_cx":
            p["mix"] = _blend(LATE, EARLY, f)
        if s == "tasks_jump_cx":
            p["mix"] = dict(LATE if after else EARLY)
        if s == "seasons_cc":
            p["mix"] = _blend(EARLY, LATE, .5 + .5 * math.sin(self.phase + 2 * math.pi * 2.5 * f))
        if s == "big_files_cc":
            p["grow"] = 2
        if s == "more_files_cx":
            p["add"] = r.randint(4, 9)
        if s == "subagents_cc":
            p["sub"] = .02 + .6 * f
        if s in ("mcp_cc", "mcp_cx"):
            p["mcp"], p["use_mcp"] = .02 + .5 * f, .05 + .7 * f
        if s == "terse_cx":
            p["terse"] = .05 + .9 * f
            users = [(TOMEK, .5), (MADS, .5)]
        if s == "tdd_cx":
            p["tdd"], p["fail"] = f, .18 + .5 * f
        if s == "plans_cc":
            p["paste_first"] = r.random() < .05 + .8 * f
            p["clear"] = p["paste_first"] or p["clear"]
        if s == "new_user_cc":
            users = [(PRIYA, .8), (MADS, .2)] if after else [(TOMEK, .8), (MADS, .2)]
        if s == "language_cx" and after or s in ("german_cc", "corrections_de_cx"):
            users = [(JENS, .65), (HEIKE, .35)]
        if s.startswith("rules") and after:
            p["lint_first"], p["todo_w"] = True, 5
        if s == "marathon_cc" and i == self.marathon:
            p["long"], p["cap"] = 6, 10 ** 6
        p["planned"] = b
        for k in BASE:
            p[k] = min(.6, b[k] * self.factor(k))
        # client, model
        quiet = s.startswith("still") or st or s == "model_cc"
        if cc:
            p["model"], p["submodel"] = "claude-opus-4-5-20251101", "claude-haiku-4-5-20251001"
            vs = CC_V
        else:
            p["model"] = "gpt-5.2-codex"
            vs = CX_V
        if not i:
            self.v = r.randrange(0, 4)
        elif s == "clients_cx":
            if r.random() < .4:
                self.v = min(len(vs) - 1, self.v + 1)
        elif not quiet and r.random() < .05:
            self.v = min(len(vs) - 1, self.v + 1)
        if s == "step_client_cc" and i == self.mid:
            self.v += 5
        p["version"] = vs[self.v]
        p["gone"], p["multi"], p["oldshell"], p["effort"] = (), False, False, "medium"
        if s == "tools_swap_cc":
            if after:
                p["version"], p["gone"] = "2.1.114", ("Grep", "Glob", "TodoWrite", "MultiEdit", "Task")
            else:
                p["version"], p["multi"] = "1.0.128", True
        if s == "tools_swap_cx":
            p["version"], p["oldshell"] = ("0.98.0", False) if after else ("0.47.0", True)
        if after and s == "model_cc":
            p["model"] = "claude-opus-4-6"
        if after and s == "step_model_cx":
            p["model"] = "gpt-5.3-codex"
        if i == self.mid and s in ("model_cc", "step_model_cx"):
            ev.append("model")
        if i and p["version"] != self.versions.get(i - 1):
            ev.append("version")
        self.versions[i] = p["version"]
        if i == self.mid and (st or s in ("tasks_jump_cx", "tools_swap_cc", "tools_swap_cx", "new_user_cc", "language_cx", "rules_cc", "rules_cx")):
            ev.append({"tasks_jump_cx": "tasks", "tools_swap_cc": "tools", "tools_swap_cx": "tools", "new_user_cc": "user", "language_cx": "language", "rules_cc": "instructions", "rules_cx": "instructions"}.get(s, "step"))
        p["branch"] = r.choice(["main", "main", "kl-%d" % r.randint(200, 4999), "feature/lane-filter", "fix/eta"])
        return p, r.choices([u for u, _ in users], [x for _, x in users])[0]

    def clock(self):
        """Start times: one or two sessions a day, days off."""
        r, out = self.r, []
        day = datetime(2025, 11, 3) + timedelta(days=r.randint(0, 20))
        i = 0
        while len(out) < self.n:
            if self.kind == "holidays_cx" and self.breaks.get(len(out)):
                day += timedelta(days=self.breaks.pop(len(out)))
            off = r.random() < (.9 if day.weekday() >= 5 else .12)
            if not off:
                h = r.uniform(6.5, 9.5)
                out.append(day + timedelta(hours=h))
                if r.random() < .5 and len(out) < self.n:
                    out.append(day + timedelta(hours=h + r.uniform(5, 7)))
            day += timedelta(days=1)
        return out

    def tells(self, i, nreq, p):
        r = self.r
        unknown = [t[0] for t in TOLD if t[0] not in self.val.told]
        out = []
        if unknown:
            r.shuffle(unknown)
            out += unknown[:r.randint(2, 5)]
        out += [k for k in self.val.told if r.random() < p["tell_hazard"]]
        r.shuffle(out)
        where = {}
        for k in out:
            where.setdefault(r.randrange(nreq), []).append(k)
        for j in list(where):                      # at most two news in one message
            while len(where[j]) > 2:
                m = r.randrange(nreq)
                if len(where.get(m, ())) < 2 or all(len(x) >= 2 for x in where.values()) and len(where) == nreq:
                    if m == j:
                        break
                    where.setdefault(m, []).append(where[j].pop())
        return where

    def session(self, i, t, folder, events):
        r = self.r
        ev = []
        p, user = self.plan(i, ev)
        if p["clear"] and i and self.end:          # /clear opens the next session at once
            t = min(t, self.end + timedelta(seconds=r.randint(20, 400)))
        elif self.end and t <= self.end:
            t = self.end + timedelta(minutes=r.randint(5, 50))
        cls = Claude if KINDS[self.kind]["format"] == "claude" else Codex
        w = cls(r, t, p, ROOT)
        opened = p["clear"] and i > 0
        if self.kind == "big_files_cc":
            for q in r.sample(sorted(self.repo.area_of), 30):
                self.repo.change(q, r.randint(3, 14))
        w.begin(self.rules, opened)
        if opened:
            ev.append("clear")
        s = Session(self, w, p, user)
        s.slot = s.slots(r.choice(list(self.repo.areas)))
        nreq = max(2, min(9, round(5 * math.exp(r.gauss(0, .4))))) * p["long"]
        if not p["long"] > 1 and p["factor_calls"] > 1:
            nreq = min(nreq, 8)
        total = max(15, min(66, nreq / p["long"] * 7.6 * math.exp(r.gauss(0, .22)))) * p["factor_calls"] * p["long"]
        where = self.tells(i, nreq, p)
        if opened and r.random() < .12:
            w.slash("cost", "Total cost: $%.2f" % r.uniform(.3, 9))
        cuts = {nreq - 1} if p["compact"] and p["long"] == 1 else ({nreq // 3, 2 * nreq // 3} if p["long"] > 1 else set())
        for j in range(nreq):
            if j in cuts:
                w.compact(s.fill("1. Primary request: the users worked on {area}, mainly {file}.\n2. Key concepts: {noun}, {sym}.\n3. Files: ") + ", ".join(list(s.seen)[-8:]) + s.fill("\n4. Pending: finish the {noun} part.\n5. Current work: {verb} the {noun} in {area}."))
                s.seen, s.recent, s.pulled = {}, [], set()
                ev.append("compaction")
            allot = total / nreq * r.uniform(.6, 1.4)
            paste = not where.get(j) and ((j == 0 and p.get("paste_first")) or r.random() < p["paste"] * (j == 0))
            if j == 0 and p.get("paste_first") and where.get(0):
                where.setdefault(1, []).extend(where.pop(0))
                paste = True
            if j and r.random() < .03:
                w.slash(r.choice(["cost", "context", "status"]), "Total cost: $%.2f" % r.uniform(.3, 9))
            s.request(j, allot, where.get(j, []), paste)
            if j == 0 and r.random() < .25 and not s.full():
                s.work(.1)
            if j == 0 and i == self.mid and self.kind.startswith("rules"):
                self.edit_rules(s)
            if j == 0 and (r.random() < .22 or p["add"]):
                w.user(r.choice(["pull first, others have pushed", "please pull, there is news on main", "get the latest main before you go on"] if user["lang"] == "en" else ["bitte erst pullen", "hol dir den aktuellen main"]))
                s.n["messages"] += 1
                s.pull(r.randint(3, 6))
                for _ in range(p["add"]):
                    self.repo.add(r.choice(list(self.repo.areas)))
                w.say("Up to date." if user["lang"] == "en" else "Alles aktuell.", final=True)
        while s.n["calls"] < 15:
            s.work(2)
        lab = dict(s.n)
        self.end = w.t
        lab["plan"] = {k: round(x, 4) for k, x in p["planned"].items()}
        lab["file"] = w.finish(folder)
        lab["start"] = t.isoformat()
        lab["user"] = user["name"]
        events += [{"session": i, "what": x} for x in ev]
        return lab

    def edit_rules(self, s):
        path = "CLAUDE.md" if s.w.fmt == "claude" else "AGENTS.md"
        de = s.lang == "de"
        s.w.user("Please add to %s: %s" % (path, "; ".join(x[2:] for x in T.RULES_NEW)))
        s.n["messages"] += 1
        s.w.read(path, self.rules, 0, len(self.rules), False)
        s.cost()
        s.n["reads"] += 1
        s.n["visits"] += 1
        before = "\n".join(self.rules)
        old = self.rules[-1]
        self.rules += T.RULES_NEW
        s.w.edit(path, old, "\n".join([old] + T.RULES_NEW), len(self.rules) - len(T.RULES_NEW) - 1, self.rules, before, False)
        s.cost()
        s.w.say("%s has the three new rules." % path, final=True)


def write_agent(kind, seed, sessions, folder):
    """Write one life below folder and return its labels."""
    folder = str(folder)
    os.makedirs(folder, exist_ok=True)
    life = Life(kind, seed, sessions)
    events = []
    out = []
    for i, t in enumerate(life.clock()):
        out.append(life.session(i, t, folder, events))
    return {"kind": kind, "format": KINDS[kind]["format"], "sessions": out, "step_at": life.mid if KINDS[kind]["expects"] == "step" else None, "events": events}
