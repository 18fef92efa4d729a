"""Simulated coding and desk agents, third set: `write_agent(kind, seed, sessions, folder)`. See README.md."""

import json
import math
import os
import random
import sys

import worlds as W
from writers import uid, write

CC, CX, GE = "claude_code", "codex", "generic"
BASE = dict(error=0.05, correct=0.05, stop=0.02, reread=0.11, alike=0.03, tool_alike=0.03, stale=0.04, ask=0.03, repeat=0.05, effort=1.0, reads=1.0, testfirst=0.08, taskfail=0.10)
BAD = ("error", "correct", "stop", "reread", "alike", "tool_alike", "stale", "ask", "repeat")
MIX = {"feature": 24, "bug": 22, "question": 12, "refactor": 14, "docs": 8, "ops": 20}
LATE = {"feature": 6, "bug": 30, "question": 22, "refactor": 4, "docs": 8, "ops": 30}
STEPS = {  # search, read, edit, run, query
    "feature": (0.15, 0.35, 0.22, 0.16, 0.12), "bug": (0.20, 0.36, 0.15, 0.17, 0.12), "question": (0.28, 0.46, 0.0, 0.06, 0.20),
    "refactor": (0.12, 0.36, 0.30, 0.14, 0.08), "docs": (0.15, 0.42, 0.20, 0.03, 0.20), "ops": (0.10, 0.26, 0.10, 0.18, 0.36),
}
KINDS = {}


def kind(name, form, truth, expects="healthy", mechanism="", **spec):
    KINDS[name] = dict(form=form, planted=truth, expects=expects, mechanism=mechanism, quantity=(), spec=spec)
    if expects != "healthy":
        KINDS[name]["quantity"] = spec.pop("quantity", None) or tuple(k for k in {**spec.get("ramp", {}), **spec.get("step", {})} if k in BAD or k in ("effort", "reads"))


kind("steady_terse", CC, "nothing; agent says little", talk=0.05)
kind("steady_talkative", CC, "nothing; agent talks before most calls", talk=0.7)
kind("steady_clumsy", CX, "nothing; 14 % of calls fail by the agent's fault throughout", base=dict(error=0.14, correct=0.08))
kind("steady_toolbox", GE, "nothing; desk agent with some thirty tools", desk=True, toolbox=True)
kind("work_drifts", CC, "features and clean-up give way to bugs, questions and operations", drift=True)
kind("repo_grows", CC, "files in use 45→100 %, files 1→2 times as long, read in parts", grows=True)
kind("new_tool", CC, "a symbol finder takes over 0→65 % of searches from a third of the life on", newtool=True)
kind("model_upgrade", CC, "another model from the cut on, no effect", upgrade=True)
kind("client_updates", CX, "four client versions over the life, no effect", versions=4)
kind("other_user", CC, "another person, hours, branch and manner from the cut on", newuser=True)
kind("german_from_cut", CC, "prompts and answers in German from the cut on, corrections as ever", german="cut")
kind("vacation", CX, "33 days without a session", vacation=True)
kind("giant_session", CC, "one session of 75–90 requests at 55–80 % of the life", giant=True)
kind("red_tests_first", CC, "failing test first, on request, in 8→70 % of changes", ramp=dict(testfirst=0.62))
kind("instructions_edited", CC, "CLAUDE.md edited on request in three sessions", instructions=True)
kind("hard_fortnight", CC, "two weeks in the middle: calls ×1.5, failing tests, errors +5 and corrections +4 points; then as before", hard=True)
kind("rereads_by_habit", GE, "36 % of reads are re-reads, throughout", base=dict(reread=0.36))
kind("quarter_end", GE, "last fifth of the sessions: requests ×1.7, several sessions a day; rates per request as ever", desk=True, busy=True)
kind("compacts_more", CC, "compactions 0.4→1.5 per session (first to last third), no effect", compact=(95, 26))

AGE = dict(expects="aging")
kind("rereads", CC, "re-reads of unchanged known files 10→30 % of reads", mechanism="compression", ramp=dict(reread=0.20), compact=(48, 48), **AGE)
kind("asks_answered", GE, "asks the user again what was answered in the session 3→25 % of needs", mechanism="compression", ramp=dict(ask=0.22), desk=True, compact=(48, 48), asks=True, **AGE)
kind("repeats_calls", CX, "after a compaction, searches and queries repeated with equal arguments 5→27 %", mechanism="compression", ramp=dict(repeat=0.22), compact=(32, 32), queries=1.5, **AGE)
kind("lookalike_files", CC, "look-alike file opened first 3→18 % of first visits", mechanism="interference", ramp=dict(alike=0.15), **AGE)
kind("lookalike_records", GE, "look-alike customer or ticket record opened first 3→18 %", mechanism="interference", ramp=dict(alike=0.15), desk=True, **AGE)
kind("lookalike_tools", CC, "look-alike tool called first 3→18 % of queries", mechanism="interference", ramp=dict(tool_alike=0.15), queries=2.2, **AGE)
kind("stale_nested", GE, "replaced value used 4→25 % of uses after a change; deep in JSON arguments", mechanism="revision", ramp=dict(stale=0.21), channel="nested", desk=True, **AGE)
kind("stale_composite", CC, "same; value is a part of a composite id", mechanism="revision", ramp=dict(stale=0.21), channel="composite", **AGE)
kind("stale_renamed", CC, "same; key in the call named differently than announced", mechanism="revision", ramp=dict(stale=0.21), channel="renamed", **AGE)
kind("stale_shell", CX, "same; value in a shell option", mechanism="revision", ramp=dict(stale=0.21), channel="shell", **AGE)
kind("stale_prose", GE, "same; value in a prose answer", mechanism="revision", ramp=dict(stale=0.21), channel="prose", desk=True, **AGE)
SHOCK = dict(error=(0.03, 0.18), correct=(0.03, 0.18), effort=(0.0, 0.3))
WIN = ("win_error", "win_correct")
EXPECTED = (1.9, 1.4)  # such events per session
kind("after_compaction", CC, "3–5 requests after a compaction: errors +3→+18, corrections +3→+18 points, calls ×1→×1.3, growing with each", mechanism="maintenance", shock="compact", compact=(36, 36), quantity=WIN, **AGE)
kind("after_swap", CC, "same after /model (once or twice in most sessions)", mechanism="maintenance", shock="model", swap=0.9, quantity=WIN, **AGE)
kind("after_clear", CC, "same after /clear (once or twice in most sessions)", mechanism="maintenance", shock="clear", clear=0.9, quantity=WIN, **AGE)
kind("errors_rise", CX, "agent errors 5→17 % of calls", mechanism="reliability", ramp=dict(error=0.12), **AGE)
kind("corrected_english", CC, "corrections 5→17 % of requests, in own words", mechanism="reliability", ramp=dict(correct=0.12), **AGE)
kind("corrected_german", GE, "corrections 5→17 % of requests, in German, in own words", mechanism="reliability", ramp=dict(correct=0.12), desk=True, german="all", **AGE)
kind("interrupted", CC, "user interrupts 2→14 % of requests", mechanism="reliability", ramp=dict(stop=0.12), **AGE)
kind("effort_creep", CC, "calls per request ×1→×1.5 for the same requests", ramp=dict(effort=0.5), **AGE)
kind("drift_with_errors", CC, "work_drifts, and errors +12, corrections +10 points", mechanism="reliability", ramp=dict(error=0.12, correct=0.10), drift=True, **AGE)
kind("update", CC, "one client version at the cut: from it errors +12 points, reads per change about halved", expects="step", step=dict(error=0.12, reads=-0.5), update=True)
kind("hidden_step", CC, "from the cut on, unrecorded: errors +11, corrections +10, re-reads +15, replaced values +15, look-alikes +8 points, calls ×1.3", expects="step", step=dict(error=0.11, correct=0.10, reread=0.15, stale=0.15, alike=0.08, effort=0.3))


class Thing:
    """A file or a record, with a look-alike."""

    def __init__(self, name, group, short):
        self.name, self.group, self.short, self.twin, self.version, self.lines = name, group, short, None, 0, []


class Agent:
    def __init__(self, name, seed, sessions, form):
        self.kind, self.info, self.n = name, KINDS[name], sessions
        self.spec = self.info["spec"]
        self.form = form or self.info["form"]
        self.desk = bool(self.spec.get("desk"))
        who = random.Random(f"who{seed}")  # the same agent for every kind
        self.rng = random.Random(f"{name}/{seed}/{sessions}")
        self.world = W.DESKS[who.randrange(3)] if self.desk else W.CODING[who.randrange(4)]
        self.talk = self.spec.get("talk", who.choice([0.12, 0.25, 0.45]))
        self.cut = who.uniform(0.42, 0.58)
        self.bend = who.choice([0.8, 1.0, 1.25])
        self.base = {**BASE, "error": who.choice([0.04, 0.05, 0.07]), "correct": who.choice([0.04, 0.05, 0.06]), **self.spec.get("base", {})}
        self.manner = who.randrange(4)
        self.compact_at = who.uniform(0.9, 1.1)
        self.models = who.choice([["claude-sonnet-4-5-20250929", "claude-opus-4-5-20251101"], ["claude-opus-4-5-20251101", "claude-opus-4-6"]]) if self.form == CC else ["gpt-5.5", "gpt-5.6-sol"] if self.form == CX else ["atlas-3-medium", "atlas-3-large"]
        self.minor = who.randrange(20, 40)
        self.user = who.choice(["ines", "okan", "teodora", "bram"])
        self.composite = who.choice(["{v}-{ref}-{d}", "{ref}:{v}@{d}", "{d}/{ref}/{v}"])
        self.events, self.moment, self.day = 0, 1770000000 + who.randrange(60) * 86400, 0
        self.make_world(who)
        self.life, self.labels, self.counts = [], [], []

    # ---- the world
    def make_world(self, rng):
        self.things = []
        w = self.world
        for number, group in enumerate(w["dirs"] if not self.desk else w["groups"]):
            for a, b in w["stems"] if not self.desk else w["people"]:
                if self.desk:
                    digits = rng.randrange(10000, 98999)
                    s = str(digits)
                    a, b = (f"{W.FIRST[number]} {p.split()[-1]}" for p in (a, b))
                    other = s[:3] + s[4] + s[3] if s[3] != s[4] else s[:3] + s[3] + str((int(s[4]) + 1) % 10)
                    x = Thing(f"{w['code']}-{group[:2].upper()}{s}", group, f"{a} ({w['code']}-{group[:2].upper()}{s})")
                    y = Thing(f"{w['code']}-{group[:2].upper()}{other}", group, f"{b} ({w['code']}-{group[:2].upper()}{other})")
                else:
                    x, y = (Thing(f"{group}/{stem}{w['ext']}", group, stem + w["ext"]) for stem in (a, b))
                x.twin, y.twin = y, x
                self.things += [x, y]
        for thing in self.things:
            for _ in range(rng.randint(9, 14) if self.desk else rng.randint(22, 52)):
                thing.lines.append(self.line(rng))
        self.groups = {}
        for thing in self.things:
            self.groups.setdefault(thing.group, []).append(thing)
        self.settings = []
        for row in w["settings"]:
            pool = {"time": lambda: f"{rng.randrange(6, 22):02d}:{rng.choice(['05', '10', '15', '20', '35', '40', '50'])}", "int": lambda: str(rng.randrange(12, 980)), "code": lambda: rng.choice("KLMQRTVX") + rng.choice("ABDFHJ") + str(rng.randrange(10, 99)), "name": lambda: rng.choice(W.NAMES)}[row[6]]
            self.settings.append(dict(row=row, make=pool, value=pool(), past=[], changed=-9))

    def line(self, rng):
        if self.desk:
            return rng.choice(["phone", "agreed", "open since", "balance", "note", "visit", "last letter", "sum"]) + f": {rng.randrange(10, 9999)} {rng.choice(self.world['nouns'])}"
        return rng.choice(self.world["code"]).format(v=rng.choice(W.VERBS), n=rng.choice(self.world["nouns"]).split()[-1].capitalize(), k=rng.randrange(1, 400))

    # ---- rates
    def rate(self, name):
        value, t = self.base[name], self.t
        value += self.spec.get("ramp", {}).get(name, 0) * t**self.bend
        if t >= self.cut:
            value += self.spec.get("step", {}).get(name, 0)
        if self.spec.get("hard"):
            value += dict(error=0.05, correct=0.04, effort=0.5, taskfail=0.2).get(name, 0) * self.bell
        if self.window > 0 and name in SHOCK and self.spec.get("shock"):
            low, high = SHOCK[name]
            value += low + (high - low) * self.grown
        value *= self.mood.get(name, 1.0)
        return value if name in ("effort", "reads") else min(0.8, value)

    def hit(self, name, ident=None, p=None):
        """Draw one opportunity of a labelled quantity."""
        yes = self.rng.random() < (self.rate(name) if p is None else p)
        self.count(name, yes)
        return yes

    def count(self, name, yes):
        for key in (name, "win_" + name) if self.window > 0 and self.spec.get("shock") and name in ("error", "correct") else (name,):
            cell = self.tally.setdefault(key, [0, 0])
            cell[0] += yes
            cell[1] += 1

    def mark(self, ident, label):
        self.labels.append([self.session["id"], ident, label])

    # ---- steps
    def step(self, what, **more):
        self.moment += self.rng.uniform(1.5, 9)
        prefix = {"call": {CC: "toolu_01", CX: "call_", GE: "c"}[self.form]}.get(what)
        ident = prefix + f"{self.rng.getrandbits(88):022x}" if prefix else uid(self.rng)
        step = dict(what=what, t=self.moment, id=ident, model=self.model, tokens=self.rng.randrange(40, 420), **more)
        self.steps.append(step)
        return ident

    def pick(self, table):
        return self.rng.choice(table[self.lang])

    def fill(self, text, **more):
        noun, other = (W.GERMAN_NOUN.format(n) if self.lang == "de" else n for n in (self.noun, self.other))
        return text.format(noun=noun, other=other, thing=self.thing, name=self.world["name"], **more)

    def say(self, text, last=False):
        think = None
        if self.form != GE and self.rng.random() < 0.3:
            think = self.rng.choice(["I should look at the {noun} before changing anything.", "The {noun} probably comes from {thing}. The {other} should stay as it is.", "Short task. Find the place, change it, check."]).format(noun=self.noun, other=self.other, thing=self.thing) * self.rng.randint(1, 3)
        return self.step("say", text=text, last=last, **({"think": think} if think else {}))

    def prompt(self, text):
        self.moment += self.rng.uniform(20, 400)
        if self.manner == 1:
            text = text[0].lower() + text[1:]
        return self.step("prompt", text=text)

    def raw(self, op, tool, args, result, status="ok"):
        took = self.rng.uniform(0.1, 6)
        ident = self.step("call", op=op, tool=tool, args=args, result=result, status=status, took=took)
        self.moment += took
        self.ncalls += 1
        self.since += 1
        return ident

    def call(self, op, tool, args, result, broken=None, status="ok"):
        """One intended call: it may fail by the agent's fault, and is then mostly done again, properly."""
        if self.rng.random() < self.talk:
            self.say(self.fill(self.pick(W.BEFORE)))
        if self.rng.random() < 0.007 and op in ("edit", "run"):
            self.raw(op, tool, args, "", "rejected")
            self.prompt(self.pick(W.GO_ON))
            return None
        if self.rng.random() < 0.006 and op in ("run", "query"):
            self.raw(op, tool, args, "Connection timed out after 30000 ms", "failed")
        if self.hit("error"):
            args2, text = broken or self.broken(op, args)
            self.mark(self.raw(op, tool, args2, text, "failed"), "error")
            if self.rng.random() < 0.25:
                return None
        return self.raw(op, tool, args, result, status)

    def broken(self, op, args):
        args, rng = dict(args), self.rng
        key = next((k for k, v in args.items() if isinstance(v, str)), None)
        if op == "read" and key:
            if "cmd" in args:
                bad = args["cmd"].replace(self.world.get("ext", "\0"), "s" + self.world.get("ext", ""))
                return {**args, "cmd": bad}, f"sed: can't read {bad.split()[-1]}: No such file or directory"
            k = next((k for k in ("file_path", "path", "record") if k in args), key)
            args[k] = args[k][:-4] + args[k][-3:]
            return args, "File does not exist." if not self.desk else f"no record {args[k]}"
        if op == "edit":
            if "old_string" in args:
                args["old_string"] = " " + args["old_string"].replace("e", "a", 1)
                return args, "String to replace not found in file.\nString: " + args["old_string"]
            if "patch" in args:
                args["patch"] = args["patch"].replace("\n-", "\n- ", 1)
                return args, "apply_patch verification failed: Failed to find expected lines"
            return args, rng.choice(["field 'state' is required", "text to replace is not there", "version conflict: give the revision you read"])
        command = next((k for k in ("command", "cmd", "line") if k in args), None)
        if command:
            word = args[command].split()[0]
            args[command] += rng.choice([" --al", " --detail=2x", " -Q"])
            return args, rng.choice([f"Exit code 2\n{word}: unrecognized option '{args[command].split()[-1]}'\nTry '{word} --help' for more information.", f"Exit code 1\nTraceback (most recent call last):\n  File \"<stdin>\", line {rng.randrange(1, 40)}, in <module>\nKeyError: '{self.noun.split()[0]}'", f"Exit code 1\nerror: undefined: {rng.choice(W.VERBS)}{self.noun.split()[-1]}"])
        args["limit"] = "all"
        return args, rng.choice(["InputValidationError: limit must be a number", "400 Bad Request: unknown argument 'limit'", "schema mismatch at /limit"])

    # ---- operations in the three dialects
    def tool(self, name):
        return f"mcp__{self.world['name']}__{name.replace('.', '_')}" if self.form == CC else name

    def op_read(self, thing, part):
        lines = thing.lines[part * 60 : part * 60 + 60]
        if self.desk:
            return self.tool(self.world["read"]), {"record": thing.name}, f"{thing.short}\n" + "\n".join(lines) + f"\nrevision {thing.version}"
        body = "\n".join(lines)
        if self.form == CC:
            args = {"file_path": f"{self.home}/{thing.name}"}
            if len(thing.lines) > 60:
                args.update(offset=part * 60 + 1, limit=60)
            return "Read", args, "\n".join(f"{i:6d}→{x}" for i, x in enumerate(lines, part * 60 + 1))
        if self.form == CX:
            return "exec_command", {"cmd": f"sed -n '{part * 60 + 1},{part * 60 + 60}p' {thing.name}", "workdir": self.home}, body
        return "open_file", {"path": thing.name, "from": part * 60 + 1}, body

    def shell(self, line):
        return ("Bash", {"command": line, "description": f"{line.split()[0]} {self.noun}"}) if self.form == CC else ("exec_command", {"cmd": line, "workdir": self.home}) if self.form == CX else ("shell", {"line": line})

    def search(self):
        word = self.rng.choice(W.VERBS) + self.rng.choice(self.world["nouns"]).split()[-1].capitalize()
        group = self.rng.choice(list(self.groups))
        found = self.rng.sample(self.groups[group], self.rng.randint(1, 4))
        result = "\n".join(f"{x.name}:{self.rng.randrange(1, 60)}:{self.rng.choice(x.lines)}" for x in found)
        if self.desk:
            return self.tool(self.world["find"]), {"text": self.rng.choice(self.world["nouns"]), "in": group, "year": self.rng.randrange(2015, 2026)}, "\n".join(x.short for x in found)
        if self.spec.get("newtool") and self.t > 0.33 and self.rng.random() < 0.65 * min(1, (self.t - 0.33) / 0.4):
            return "mcp__codemap__find_symbol", {"symbol": word, "scope": group}, result
        if self.form == CC:
            return "Grep", {"pattern": word, "path": f"{self.home}/{group}", "output_mode": "content"}, result
        if self.form == CX:
            return (*self.shell(f"rg -n {word} {group}"), result)
        return "find_text", {"needle": word, "where": group}, result

    def do_search(self):
        if not self.repeated("search"):
            tool, args, result = self.search()
            self.call("search", tool, args, result)
            self.past.append(("search", tool, args, result))

    def repeated(self, op):
        """After a compaction: the same call as before it, with equal arguments?"""
        old = [x for x in self.lost if x[0] == op]
        if not old:
            return False
        if not self.hit("repeat"):
            return False
        self.mark(self.raw(*self.rng.choice(old)), "repeat")
        return True

    def do_query(self):
        if self.repeated("query"):
            return
        rng = self.rng
        right, wrong, key = rng.choice(self.world["queries"])
        if self.spec.get("toolbox"):
            right = rng.choice([right, right.replace(".", "." + rng.choice(["old_", "site_", "group_", "draft_", "own_"])), wrong])
            wrong = None
        strip = (lambda x: x) if self.form == CC else (lambda x: x.replace("mcp__", ""))
        args = {key: f"{key[:2].upper()}-{rng.randrange(100, 999)}", "on": f"2026-{rng.randrange(1, 13):02d}-{rng.randrange(1, 29):02d}"}
        result = json.dumps({key: args[key], "state": rng.choice(["open", "fine", "waiting", "closed"]), "level": rng.randrange(1, 900), "by": rng.choice(W.NAMES)})
        if self.desk:
            strip = self.tool
        if wrong and self.hit("tool_alike"):
            self.mark(self.raw("query", strip(wrong), args, rng.choice(["[]", '{"items": [], "more": false}', json.dumps({"list": [f"{key}-{rng.randrange(99)}" for _ in range(4)]})])), "tool_alike")
            if rng.random() < 0.5:
                self.say(self.fill(self.pick(W.OOPS), wrong=wrong.split("__")[-1], right=right.split("__")[-1]))
        self.call("query", strip(right), args, result)
        self.past.append(("query", strip(right), args, result))

    def do_read(self):
        rng = self.rng
        if self.target and rng.random() < 0.8:  # first of all what the user named
            thing, self.target = self.target, None
            if (thing, 0) not in self.known:
                return self.visit(thing)
        again = [k for k, v in self.known.items() if v[0] == k[0].version and self.ncalls - v[1] > 4]
        fresh = [x for x in self.groups[self.area] if (x, 0) not in self.known and x in self.usable]
        if rng.random() < 0.8:  # of two look-alikes mostly only one is of interest
            fresh = [x for x in fresh if (x.twin, 0) not in self.known and x.twin is not self.named]
        if not fresh:
            fresh = [x for x in rng.sample(self.things, min(25, len(self.things))) if x in self.usable and (x, 0) not in self.known and (x.twin, 0) not in self.known]
        if again and (fresh or rng.random() < 0.5):
            if self.hit("reread"):
                thing, part = rng.choice(again[-14:])
                self.known[thing, part] = (thing.version, self.ncalls)
                self.mark(self.raw("read", *self.op_read(thing, part)), "reread")
                return
        if not fresh:
            return self.do_query()
        own = [k for k, v in self.known.items() if v[0] != k[0].version]
        if own and rng.random() < 0.10:  # looks at its own change: no re-read of something unchanged
            thing, part = rng.choice(own)
            self.known[thing, part] = (thing.version, self.ncalls)
            self.call("read", *self.op_read(thing, part))
            return
        self.visit(rng.choice(fresh))

    def visit(self, thing):
        if (thing.twin, 0) not in self.known:
            if self.hit("alike"):
                ident = self.raw("read", *self.op_read(thing.twin, 0))
                self.known[thing.twin, 0] = (thing.twin.version, self.ncalls)
                self.mark(ident, "alike")
                if self.rng.random() < 0.5:
                    self.say(self.fill(self.pick(W.OOPS), wrong=thing.twin.short, right=thing.short))
        for part in range(max(1, math.ceil(len(thing.lines) / 60))):
            if part and self.rng.random() < 0.5:
                break
            self.call("read", *self.op_read(thing, part))
            self.known[thing, part] = (thing.version, self.ncalls)

    def do_edit(self):
        rng = self.rng
        mine = [k[0] for k in self.known if k[0].group == self.area]
        if not mine:
            return self.do_read()
        thing = self.named if self.named in mine and rng.random() < 0.6 else rng.choice(mine[-4:])
        at = rng.randrange(len(thing.lines))
        for _ in range(6):
            if len(thing.lines[at]) > 8 and thing.lines.count(thing.lines[at]) == 1:
                break
            at = rng.randrange(len(thing.lines))
        old, new = thing.lines[at], self.line(rng)
        if self.desk:
            tool, args, result = self.tool(self.world["write"]), {"record": thing.name, "state": rng.choice(["open", "waiting", "done"]), "text": new, "revision": thing.version}, f"saved, revision {thing.version + 1}"
        elif self.form == CC:
            tool, args, result = "Edit", {"file_path": f"{self.home}/{thing.name}", "old_string": old, "new_string": new}, f"The file {self.home}/{thing.name} has been updated."
        elif self.form == CX:
            tool, args, result = "apply_patch", {"patch": f"*** Begin Patch\n*** Update File: {thing.name}\n@@\n-{old}\n+{new}\n*** End Patch"}, f"Success. Updated the following files:\nM {thing.name}"
        else:
            tool, args, result = "patch_file", {"path": thing.name, "before": old, "after": new}, "1 place changed"
        if self.call("edit", tool, args, result):
            thing.lines[at] = new
            thing.version += 1
            self.tally.setdefault("changes", [0, 0])[0] += 1

    def do_run(self, fail=False):
        rng = self.rng
        if self.desk:
            line = (self.tool(self.world["check"]), {"record": rng.choice(self.groups[self.area]).name, "kind": rng.choice(["short", "full"]), "lines": rng.randrange(3, 30)})
            good, bad = "ok, no remarks", f"2 remarks: date missing; {self.noun} incomplete"
        else:
            test = fail or rng.random() < 0.6
            command = self.world["test"] if test else rng.choice([self.world["build"], self.world["lint"], "git diff --stat", "git log --oneline -5"])
            line = self.shell(command.format(dir=self.area))
            good = f"ok  {self.area}  {rng.uniform(0.1, 9):.2f}s\n{rng.randrange(5, 200)} passed" if test else f"{rng.getrandbits(28):07x} {rng.choice(W.VERBS)} the {self.noun}" if "log" in command else ""
            bad = f"Exit code 1\n--- FAIL: {rng.choice(W.VERBS)}{self.noun.split()[-1].capitalize()} ({rng.uniform(0, 2):.2f}s)\n    want {rng.randrange(99)}, got {rng.randrange(99)}\n1 failed, {rng.randrange(5, 90)} passed"
        if fail or ((self.desk or test) and rng.random() < self.rate("taskfail") * 1.4):
            self.raw("run", *line, bad, "failed")
            self.do_edit()
            self.raw("run", *line, good)
        else:
            self.call("run", *line, good)

    # ---- settings: told, used, replaced, used again
    def plan_use(self):
        """What the user's prompt says about a setting, and what the agent has to do."""
        rng = self.rng
        s = rng.choice(self.active)
        spoken, german, key = s["row"][:3]
        names = dict(spoken=german if self.lang == "de" else spoken, key=key)
        text, before = "", None
        if s["seen"] and s["used"] and rng.random() < 0.38:
            old = s["value"]
            new = s["make"]()
            while new == old or new in s["past"][-3:]:
                new = s["make"]()
            s["past"].append(old)
            s["value"], s["changed"], s["used"] = new, self.index, 0
            r = rng.random()
            if r < 0.72:
                text = self.pick(W.CHANGE).format(new=new, old=old, **names)
            elif r < 0.88:
                text, before = self.pick(W.LOOKUP).format(**names), "look"
            else:
                text, before = self.pick(W.CHANGE).format(new=new, old=old, **names), "set"
        elif not s["seen"]:
            if rng.random() < 0.6:
                text = self.pick(W.TELL).format(new=s["value"], **names)
            else:
                before = "look"
        s["seen"] = True
        after = self.index - s["changed"] <= 3 and bool(s["past"])
        channel = self.spec.get("channel") or rng.choice(["nested", "renamed", "composite", "prose"] + ([] if self.desk else ["shell", "shell"]))
        compare = after and channel != "prose" and rng.random() < 0.03
        ask = self.pick(W.ASKVALUE).format(**names) if channel == "prose" else ""
        extra = W.COMPARE[self.lang].format(old=s["past"][-1]) if compare else ""
        return dict(s=s, names=names, before=before, after=after, channel=channel, compare=compare), text, ask, extra

    def do_use(self, plan):
        rng, s, names, channel = self.rng, plan["s"], plan["names"], plan["channel"]
        key = names["key"]
        if plan["before"]:
            get = plan["before"] == "look"
            args = {"name": key} if get else {"name": key, "value": s["value"]}
            if self.desk or self.form == CC:
                tool = self.tool(self.world.get("config", "settings") + ("_get" if get else "_put"))
            else:
                tool, args = self.shell(f"{self.world['script']} config {'get' if get else 'put'} {key}" + ("" if get else f" {s['value']}"))
            self.raw("query", tool, args, f"{key} = {s['value']}")
        stale = plan["after"] and self.hit("stale")
        value = (s["past"][-1] if rng.random() < 0.8 or len(s["past"]) < 2 else s["past"][-2]) if stale else s["value"]
        if value == s["value"]:
            stale = False
        s["used"] += 1
        ref = f"{rng.choice('ABCDEFGH')}{rng.randrange(100, 999)}"
        if channel == "prose":
            ident = self.say(self.pick(W.SAYVALUE).format(v=value, **names), last=True)
            if stale:
                self.mark(ident, "stale")
                if rng.random() < 0.6:
                    self.mark(self.prompt(self.pick(W.STALE_FIX).format(new=s["value"], old=value, **names)), "stale_fix")
                    self.say(self.pick(W.SAYVALUE).format(v=s["value"], **names), last=True)
            return
        ident = self.use_call(s, channel, ref, value, stale)
        if plan["compare"]:
            self.use_call(s, channel, ref, s["past"][-1], False)
        if stale:
            self.mark(ident, "stale")
            r = rng.random()
            if self.noticed:
                self.use_call(s, channel, ref, s["value"], False)
            elif r < 0.55:
                self.say(self.fill(self.pick(W.DONE)), last=True)
                self.mark(self.prompt(self.pick(W.STALE_FIX).format(new=s["value"], old=value, **names)), "stale_fix")
                self.use_call(s, channel, ref, s["value"], False)

    def use_call(self, s, channel, ref, value, stale):
        rng = self.rng
        _, _, key, other, path, flag, _ = s["row"]
        sub = rng.choice(self.world.get("sub", ["place", "confirm", "move"]))
        date = f"{rng.randrange(1, 13):02d}{rng.randrange(1, 29):02d}"
        result, status, self.noticed = f"{sub} {ref}: accepted, {rng.randrange(2, 60)} entries", "ok", False
        if stale and rng.random() < 0.35:
            self.noticed = True
            result, status = (f"{sub} {ref}: accepted. note: {value} has been superseded", "ok") if rng.random() < 0.5 else (f"{sub} {ref}: {value} is no longer valid", "failed")
        if channel == "shell":
            join = "=" if rng.random() < 0.5 else " "
            tool, args = self.shell(f"{self.world['script']} {sub} --ref {ref} {flag}{join}{value}" + rng.choice(["", " --quiet", f" --day {date}"]))
        else:
            tool = self.tool(self.world.get("use", "job.submit"))
            if channel == "nested":
                args = {"job": sub, "ref": ref, "day": date, "opts": {path[0]: {path[1]: {key: value}, "keep": rng.random() < 0.5}}}
            elif channel == "renamed":
                args = {"job": sub, "ref": ref, other: value, "notify": rng.random() < 0.5}
            else:
                args = {"job": sub, "target": self.composite.format(v=value, ref=ref, d=date), "notify": rng.random() < 0.5}
        return self.raw("use", tool, args, result, status)

    # ---- a request, a session, a life
    def work(self, task, n):
        start, weights = self.ncalls, list(STEPS[task])
        weights[1] *= self.rate("reads")
        weights[2] *= 1.0 + 0.4 * (1 - self.rate("reads")) if self.spec.get("step", {}).get("reads") else 1
        weights[4] *= self.spec.get("queries", 1)
        ops = (self.do_search, self.do_read, self.do_edit, self.do_run, self.do_query)
        while self.ncalls - start < n:
            self.rng.choices(ops, weights)[0]()

    def happened(self, event):
        if self.spec.get("shock") == event:
            self.window = self.rng.randint(3, 5) + 1
            self.grown = min(1.1, self.events / max(1, self.expected * self.n - 1))
            self.events += 1

    def subject(self):
        self.noun, self.other = self.rng.sample(self.world["nouns"], 2)
        if self.rng.random() < 0.45 or self.area is None:
            self.area = self.rng.choice(list(self.groups))
        thing = self.rng.choice([x for x in self.groups[self.area] if x in self.usable])
        self.target = self.named = thing
        self.thing = thing.short if self.desk or self.rng.random() < 0.4 else thing.name

    def request(self):
        rng = self.rng
        if self.since > self.limit:
            self.since = 0
            seen = ", ".join(k[0].name for k in list(self.known)[-6:])
            self.step("compact", text=self.fill(rng.choice(W.SUMMARY), seen=seen))
            self.lost = list(self.past)
            self.happened("compact")
        for what in ("clear", "model"):
            if self.number in self.at.get(what, ()):
                if what == "model":
                    self.model = 1 - self.model
                self.step(what)
                if what == "clear":
                    self.known, self.past, self.lost, self.answers, self.since = {}, [], [], [], 0
                    for s in self.active:
                        s["seen"] = False
                self.happened(what)
        self.window -= 1
        self.subject()
        mix = {k: v + (LATE[k] - v) * self.t for k, v in MIX.items()} if self.spec.get("drift") else MIX
        task = rng.choices(list(mix), [v * self.taste[k] for k, v in mix.items()])[0]
        text = self.fill(rng.choice((W.DESK_TASKS if self.desk else W.TASKS)[self.lang][task]))
        if self.spec.get("hard") and rng.random() < 0.6 * self.bell:
            text = self.pick(W.HARD) + text
        text = self.pick(W.PREFIX) + text + self.pick(W.DESK_SUFFIX if self.desk else W.SUFFIX) if self.manner != 0 else text
        use = None
        if rng.random() < (0.9 if self.info["mechanism"] == "revision" else 0.45):
            use, told, ask, extra = self.plan_use()
            text = f"{told} {text}".strip() + extra
            if ask:
                text += " " + ask
        red = task in ("feature", "bug") and not self.desk and rng.random() < self.rate("testfirst")
        if red:
            text += self.pick(W.ONPURPOSE)
        before = self.ncalls
        self.prompt(text)
        if rng.random() < (0.28 if self.spec.get("asks") else 0.16) and len(self.answers) < 5:
            question, answer = rng.choice([x for x in W.ASKS[self.lang] if x[0] not in [a[0] for a in self.answers]])
            word = W.ASKWORDS[W.ASKS[self.lang].index((question, answer)) + 8 * rng.randrange(2)]
            self.answers.append((question, word))
            self.say(question, last=True)
            self.prompt(answer.format(a=word))
        elif self.answers and rng.random() < (0.85 if self.spec.get("asks") else 0.4):
            question, word = rng.choice(self.answers)
            if self.hit("ask"):
                lead = rng.choice({"en": ["", "Before I go on: ", "One question. "], "de": ["", "Kurze Frage: "]}[self.lang])
                self.mark(self.say(lead + question, last=True), "ask")
                self.prompt(self.pick(W.ANSWER_AGAIN).format(a=word))
            elif rng.random() < 0.6:
                self.say(self.pick(W.USE_ANSWER).format(a=word))
        n = max(3, min(12, round(5.4 * self.pace * math.exp(rng.gauss(0, 0.36)))))
        n = max(2, round(n * self.rate("effort")))
        if red:
            self.do_edit()
            self.do_run(fail=True)
        if self.hit("stop"):
            self.work(task, max(1, n // 2))
            tool, args, _ = self.search()
            self.raw("search", tool, args, "", "cancelled")
            self.mark(self.prompt(self.fill(self.pick(W.REDIRECT))), "stop")
            self.work(task, max(2, n // 2))
        else:
            self.work(task, n)
        self.tally.setdefault("effort", [0, 0])
        self.tally["effort"][0] += self.ncalls - before
        self.tally["effort"][1] += 1
        if use:
            self.do_use(use)
        self.say(self.fill(self.pick(W.DONE)) + (self.pick(W.LONG) if rng.random() < self.talk else ""), last=True)
        if self.hit("correct"):
            self.mark(self.prompt(self.fill(self.pick(W.CORRECT))), "correct")
            self.work(task, rng.randint(1, 4))
            self.say(self.pick(W.FIXED), last=True)

    def moments(self, size):
        first = self.rng.randrange(1, max(2, size // 2 - 2))
        return {first} | ({first + self.rng.randrange(6, 9)} if size > 11 else set())

    def run_session(self, i):
        rng, spec = self.rng, self.spec
        self.index, self.t = i, i / max(1, self.n - 1)
        late = self.t >= self.cut
        gap = rng.choice([1, 1, 2, 2, 3, 4, 5])
        size = math.exp(rng.gauss(math.log(12), 0.42))
        size = max(6, min(25, round(size)))
        if spec.get("vacation") and i == round(0.55 * (self.n - 1)):
            gap = 33
        if spec.get("busy") and self.t > 0.8:
            gap, size = rng.choice([0, 0, 1]), round(size * 1.7)
        if spec.get("giant") and i == self.giant:
            size = rng.randint(75, 90)
        self.bell = math.exp(-(((self.t - 0.5) / 0.1) ** 2))
        common = rng.gauss(0, 0.13)
        self.mood = {k: math.exp(common + rng.gauss(0, 0.2) - 0.03) for k in BAD}
        self.taste = {k: math.exp(rng.gauss(0, 0.3)) for k in MIX}
        self.pace = math.exp(rng.gauss(0, 0.13))
        self.lang = "de" if spec.get("german") == "all" or (spec.get("german") == "cut" and late) else "en"
        second = spec.get("newuser") and late
        user = "ferro" if second else self.user
        if second:
            self.manner = 2
        self.home = self.world["home"] if not self.desk else f"/srv/{self.world['name']}"
        if second:
            self.home = f"/home/ferro/{self.world['name']}"
        self.day += gap
        nine = self.moment0 + self.day * 86400 + (15 if second else 8) * 3600 + rng.randrange(9000)
        self.moment = max(self.moment + 1800, nine)
        self.model = 1 if spec.get("upgrade") and late else 0
        minor = self.minor + (int(self.t * spec["versions"] * 0.999) * 3 if "versions" in spec else 5 if spec.get("update") and late else self.bump if self.info["expects"] == "healthy" and self.t > 0.7 else 0)
        version = {CC: f"2.1.{minor}", CX: f"0.{100 + minor}.0", GE: f"1.{minor}"}[self.form]
        if spec.get("grows"):
            self.usable = {x for g in self.groups.values() for x in g[: max(2, round(len(g) * (0.45 + 0.55 * self.t)))]}
            for thing in self.things:
                for _ in range(2):
                    thing.lines.append(self.line(rng))
        else:
            self.usable = set(self.things)
        low, high = spec.get("compact", (72, 72))
        self.limit = (low + (high - low) * self.t) * self.compact_at * rng.uniform(0.85, 1.15)
        self.at = {}
        if rng.random() < spec.get("swap", 0):
            self.at["model"] = self.moments(size)
        if rng.random() < spec.get("clear", 0):
            self.at["clear"] = self.moments(size)
        self.known, self.past, self.lost, self.answers = {}, [], [], []
        self.since, self.ncalls, self.window, self.grown, self.area = 0, 0, 0, 0.0, None
        self.steps, self.tally = [], {}
        self.active = rng.sample(self.settings, 3)
        for s in self.active:
            s["seen"], s["used"] = False, 0
        self.session = dict(id=uid(rng), cwd=self.home, user=user, steps=self.steps, version=version, branch="ferro/wip" if second else rng.choice(["main", "main", "next"]), models=self.models)
        self.noun, self.other, self.thing, self.target, self.named = "", "", "", None, None
        for self.number in range(size):
            self.request()
            if spec.get("instructions") and self.number == 2 and i in self.edits:
                self.subject()
                path = f"{self.home}/CLAUDE.md"
                self.prompt(rng.choice(["Write into CLAUDE.md that nobody touches the {noun} without asking.", "Add a rule to CLAUDE.md: short answers, and always run the checks for the {noun}.", "CLAUDE.md is too long, cut the part on the {noun}."]).format(noun=self.noun))
                self.raw("read", "Read", {"file_path": path}, "     1→# Rules\n     2→\n     3→- keep changes small")
                self.raw("edit", "Edit", {"file_path": path, "old_string": "- keep changes small", "new_string": f"- keep changes small\n- ask before changing the {self.noun}"}, f"The file {path} has been updated.")
                self.say("It's in CLAUDE.md.", last=True)
        reads = sum(s["what"] == "call" and s["op"] == "read" for s in self.steps)
        self.tally["reads"] = [reads, self.tally.pop("changes", [0])[0]]
        fails = [s["status"] == "failed" for s in self.steps if s["what"] == "call"]
        self.tally["failed"] = [sum(fails), len(fails)]
        self.tally["requests"] = [size, 1]
        self.tally["compactions"] = [sum(s["what"] == "compact" for s in self.steps), 1]
        self.counts.append(self.tally)
        self.life.append(self.session)

    def run(self):
        self.moment0 = self.moment - self.moment % 86400
        self.giant = round(self.rng.uniform(0.55, 0.8) * (self.n - 1))
        self.bump = self.rng.randint(0, 3)
        self.edits = set(self.rng.sample(range(self.n), min(3, self.n)))
        self.expected = {"compact": EXPECTED[0], "model": EXPECTED[1], "clear": EXPECTED[1]}.get(self.spec.get("shock"), 0)
        for i in range(self.n):
            self.run_session(i)


def write_agent(kind, seed, sessions, folder, form=None, labels=None):
    """Write one agent's trace into `folder`; returns the folder. Labels go beside it, never in it."""
    agent = Agent(kind, seed, sessions, form)
    agent.run()
    folder = os.fspath(folder)
    os.makedirs(folder, exist_ok=True)
    write(agent.life, agent.form, folder, f"{kind}/{seed}/{sessions}/out")
    if labels is not False:
        info = KINDS[kind]
        truth = dict(kind=kind, seed=seed, form=agent.form, expects=info["expects"], mechanism=info["mechanism"], planted=info["planted"], quantity=info["quantity"], cut=agent.cut, sessions=[s["id"] for s in agent.life], rates=agent.counts, labels=agent.labels)
        with open(labels or folder.rstrip("/") + ".labels.json", "w", encoding="utf-8") as out:
            json.dump(truth, out)
    return folder


if __name__ == "__main__":
    print(write_agent(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]))
