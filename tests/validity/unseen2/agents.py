"""Simulated coding agents, healthy and aging. `write_agent(kind, seed, sessions, folder)`; `KINDS` holds the truth.

Written without sight of the tool that will read the traces. See README.md.
"""

import json
import math
import random
import re
from pathlib import Path

import worlds
from worlds import USERS, WORLDS, Repo
from writers import new_id, token, write

# --- the truth --------------------------------------------------------------------------------------------------------
# ramp: added to a rate, from the first to the last session (effort and shock: factor). step: added from the cut on.

BASE = {"reread": 0.10, "alike": 0.03, "alike_record": 0.03, "stale": 0.04, "ask": 0.03, "relocate": 0.10}


def _healthy(planted, **plan):
    return {"expects": "healthy", "mechanism": None, "planted": planted, **plan}


def _aging(mechanism, planted, **plan):
    return {"expects": "aging", "mechanism": mechanism, "planted": planted, **plan}


KINDS = {
    "stationary_terse": _healthy("nothing; says little", temper="terse"),
    "stationary_chatty": _healthy("nothing; talks a lot", temper="chatty"),
    "stationary_noisy": _healthy("nothing; about 12 % of calls fail throughout", temper="noisy"),
    "moody": _healthy("nothing; moods twice as strong and carried from session to session (0.6)", moody=True),
    "task_drift": _healthy("features and tests give way to bugs, questions and docs", shift=True),
    "project_grows": _healthy("files ×1→×1.8, long ones read in parts; files in use 55→100 %", grows=True),
    "tool_adopted": _healthy("a symbol search tool takes over 0→60 % of searches from a third of the life on", adopts=True),
    "model_upgrade": _healthy("other model from the cut on", upgrade=True),
    "user_gets_terse": _healthy("prompts shrink to a few words", terse_user=True),
    "second_user": _healthy("another user, other hours and manners, from the cut on", second_user=True),
    "vacation": _healthy("31 days without a session", vacation=True),
    "marathon": _healthy("one session of 70–90 requests at 55–80 % of the life", marathon=True),
    "tdd_adopted": _healthy("failing test first in 10→85 % of changes", tdd=True),
    "instructions_edited": _healthy("CLAUDE.md/AGENTS.md edited in the cut session", instructions=True),
    "prompts_in_spanish": _healthy("prompts in Spanish from the cut on", spanish=True),
    "code_language_switch": _healthy("repository rewritten in another language from the cut on", relang=True),
    "events_without_effect": _healthy("compactions, /model and /clear ever more often, no effect", events=True),
    "values_replaced_often": _healthy("values replaced twice as often late; old ones used in 4 % as ever", replace=True),
    "network_week": _healthy("four sessions in which 30 % of shell and server calls fail by the network", network=True),
    "requests_bundle_up": _healthy("prompts hold 1→2 tasks, calls follow", bundle=True),
    "reread_on_request": _healthy("user says a file changed on disk, read it again: 2→30 % of requests", on_request=True),
    "improving": _healthy("agent errors +10→0 points, corrections +8→0 points", ramp={"error": (0.10, 0), "correct": (0.08, 0)}),
    "compression_rereads": _aging("compression", "re-reads of unchanged known files 10→30 % of reads", ramp={"reread": (0, 0.20)}),
    "compression_asks": _aging("compression", "told values asked or looked up again 3→25 % of needs", ramp={"ask": (0, 0.22)}),
    "compression_locators": _aging("compression", "after a compaction known files searched for again 10→50 % of returns; one to two compactions per session throughout", ramp={"relocate": (0, 0.40)}, compact=1.5),
    "compression": _aging("compression", "re-reads 10→26 %, asked again 3→18 %, searched again 10→40 %", ramp={"reread": (0, 0.16), "ask": (0, 0.15), "relocate": (0, 0.30)}, compact=1.3),
    "interference_files": _aging("interference", "look-alike file visited first 3→18 % of visits", ramp={"alike": (0, 0.15)}),
    "interference_records": _aging("interference", "look-alike record or tool called first 3→18 %, files 3→10 %", ramp={"alike_record": (0, 0.15), "alike": (0, 0.07)}, records=1.0),
    "revision_json": _aging("revision", "replaced value used 4→25 % of uses after a change; JSON arguments, odd keys, nested", ramp={"stale": (0, 0.21)}, modes=("json",)),
    "revision_composite": _aging("revision", "same; value belongs to a pair of keys", ramp={"stale": (0, 0.21)}, modes=("composite",)),
    "revision_shell": _aging("revision", "same; value in shell options", ramp={"stale": (0, 0.21)}, modes=("shell",)),
    "revision_prose": _aging("revision", "same; all ways of use, every change announced in the user's prose only", ramp={"stale": (0, 0.21)}, ways=("prose",)),
    "maintenance_compaction": _aging("maintenance", "for 3–5 requests after a compaction: errors +4→+16 points, corrections +3→+14, effort ×1.1→×1.4", shock="compact", compact=1.3),
    "maintenance_swap": _aging("maintenance", "same after /model (6 of 10 sessions)", shock="model"),
    "maintenance_clear": _aging("maintenance", "same after /clear (5 of 10 sessions)", shock="clear"),
    "reliability_errors": _aging("reliability", "agent errors +12 points of calls", ramp={"error": (0, 0.12)}),
    "reliability_corrections": _aging("reliability", "corrections +12 points of requests, in the user's own words; errors flat", ramp={"correct": (0, 0.12)}),
    "reliability": _aging("reliability", "errors +11 points and corrections +10 points", ramp={"error": (0, 0.11), "correct": (0, 0.10)}),
    "effort_creep": _aging(None, "calls per request ×1→×1.5 for the same requests", ramp={"effort": (1, 1.5)}),
    "shift_and_errors": _aging("reliability", "task_drift, and errors +12, corrections +8 points", shift=True, ramp={"error": (0, 0.12), "correct": (0, 0.08)}),
    "growth_and_rereads": _aging("compression", "project_grows, and re-reads 10→30 %", grows=True, ramp={"reread": (0, 0.20)}),
    "newuser_and_stale": _aging("revision", "second_user, and replaced value used 4→25 %", second_user=True, ramp={"stale": (0, 0.21)}),
    "hidden_step": {"expects": "step", "mechanism": None, "planted": "from the cut on, unrecorded: errors +11 and corrections +10 points, re-reads +15 points, effort ×1.3, replaced values +15 points",
                    "step": {"error": 0.11, "correct": 0.10, "reread": 0.15, "effort": 1.3, "stale": 0.15}},
}

TEMPERS = {"terse": (0.05, 0.12, 0.1), "chatty": (0.045, 0.75, 0.5), "noisy": (0.12, 0.35, 0.25)}  # error rate, talk, thought
MODELS = ["claude-opus-4-6", "claude-sonnet-4-6", "claude-opus-4-5-20251101", "claude-sonnet-4-5-20250929"]
TYPES = {"feature": 3, "bug": 3, "refactor": 1.5, "tests": 1.5, "question": 1.6, "docs": 1}
EDITS = {"feature": 1.8, "bug": 1.1, "refactor": 1.9, "tests": 1.2, "question": 0, "docs": 0.9}
LIMIT = 155_000  # tokens of context at which it is compacted


def poisson(rng, mean):
    if mean <= 0:
        return 0
    n, p, floor = 0, rng.random(), math.exp(-mean)
    while p > floor:
        n, p = n + 1, p * rng.random()
    return n


class Fact:
    """A value the user or a tool told, and the ones it replaced."""

    def __init__(self, spec, rng, beside=None):
        self.mode, self.word, firsts, seconds, self.form, self.tool, self.names = spec
        first = beside if beside in firsts and rng.random() < 0.6 else rng.choice(firsts)
        self.key = (first, rng.choice(seconds)) if seconds else (first,)
        self.subject = " / ".join(self.key) if rng.random() < 0.5 or len(self.key) == 1 else f"{self.key[0]} in {self.key[1]}"
        self.old, self.used = [], 0
        self.value = self.draw(rng)

    def draw(self, rng):
        digits = [n for n in range(11, 99) if n % 10]
        while True:
            text = self.form.format(a=rng.choice(digits), b=rng.choice(digits))
            if text not in self.old and text != getattr(self, "value", None):
                return text

    @staticmethod
    def typed(text):
        try:
            return float(text) if "." in text else int(text)
        except ValueError:
            return text

    def call(self, server, value, rng):
        if self.mode == "shell":
            return "Bash", {"command": self.tool.format(s=self.key[0], v=value), "description": "Run the step"}
        if self.mode == "json":
            key, (outer, inner) = self.names[0], self.names[1].split(".")
            args = {key: self.key[0], outer: {inner: self.typed(value)}, "rid": rng.randint(100, 999)}
        else:
            args = {self.names[0]: self.key[0], self.names[1]: self.key[1], self.names[2]: self.typed(value), "note": "via agent"}
        return f"mcp__{server}__{self.tool}", args

    def lookup(self, server):
        if self.mode == "shell":
            return "Bash", {"command": self.names[0].format(s=self.key[0]), "description": "Show the current setting"}, f"{self.names[1]}: {self.value}"
        keys = dict(zip(self.names, self.key))
        last = self.names[-1].split(".")[-1]
        return f"mcp__{server}__describe", keys, json.dumps({**keys, last: self.typed(self.value), "state": "live"})

    def amend(self, server):
        if self.mode == "shell":
            return "Bash", {"command": self.tool.format(s=self.key[0], v=self.value).rsplit(" ", 1)[0] + " --save", "description": "Store the setting"}
        return f"mcp__{server}__amend", {**dict(zip(self.names, self.key)), self.names[-1].split(".")[-1]: self.typed(self.value)}


class Life:
    """One agent over all of its sessions."""

    def __init__(self, kind, seed, sessions, form=None):
        self.plan, self.n = KINDS[kind], sessions
        who = random.Random(f"who {seed}")  # the same for every kind
        self.rng = random.Random(f"{kind} {seed} {sessions}")
        self.world = who.choice(sorted(WORLDS))
        self.repo = Repo(self.world, seed)
        self.server = self.repo.spec["server"]
        self.temper = TEMPERS[self.plan.get("temper") or who.choice(sorted(TEMPERS))]
        self.user, self.next_user = who.sample(["ines", "tobi", "okonkwo", "maya", "reinholt"], 2)
        self.model, self.next_model = who.sample(MODELS, 2)
        self.version = f"2.1.{who.randint(20, 80)}"
        self.form = form or ("generic" if seed % 4 == 3 else "claude_code")
        self.correct = who.uniform(0.04, 0.07)
        self.cut = int(self.n * who.uniform(0.42, 0.58))
        self.curve = who.choice([0.8, 1.0, 1.3])
        self.context = who.uniform(0.5, 0.85) * self.plan.get("compact", 1.0)
        self.special = int(self.n * who.uniform(0.55, 0.8))  # session of the one-off things
        self.now = 1_767_600_000 + who.randint(0, 60) * 86_400
        self.labels, self.out = [], []
        self.carried = 0.0

    def run(self):
        for i in range(self.n):
            self.out.append(self.session(i))
        return self.out

    # --- rates --------------------------------------------------------------------------------------------------------
    def rates(self, i, mood):
        t = i / max(1, self.n - 1)
        x = t ** self.curve
        p = {**BASE, "error": self.temper[0], "correct": self.correct, "effort": 1.0}
        for name, (a, b) in self.plan.get("ramp", {}).items():
            level = a + (b - a) * x
            p[name] = p[name] * level if name == "effort" else p[name] + level
        if i >= self.cut:
            for name, add in self.plan.get("step", {}).items():
                p[name] = p[name] * add if name == "effort" else p[name] + add
        for name in ("error", "correct", "reread", "alike", "stale", "ask", "relocate", "alike_record"):
            p[name] *= math.exp(mood[name] - 0.5 * mood["var"])
        p["effort"] *= math.exp(mood["effort"])
        return p, x

    def mood(self):
        rng, strength = self.rng, 2.0 if self.plan.get("moody") else 1.0
        self.carried = 0.6 * self.carried + 0.8 * rng.gauss(0, 1) if self.plan.get("moody") else rng.gauss(0, 1)
        mood = {name: strength * (0.15 * self.carried + rng.gauss(0, 0.22)) for name in ("error", "correct", "reread", "alike", "stale", "ask", "relocate", "alike_record")}
        mood["var"] = strength ** 2 * (0.15 ** 2 + 0.22 ** 2)
        mood["effort"] = strength * (0.06 * self.carried + rng.gauss(0, 0.13))
        return mood

    # --- one session --------------------------------------------------------------------------------------------------
    def session(self, i):
        rng, plan = self.rng, self.plan
        self.i, self.events = i, []
        self.p, self.x = self.rates(i, self.mood())
        late = i >= self.cut
        swap_p = 0.6 if plan.get("shock") == "model" else 0.1 + 0.7 * self.x if plan.get("events") else 0
        clear_p = 0.5 if plan.get("shock") == "clear" else 0.1 + 0.6 * self.x if plan.get("events") else 0
        swaps, clears = rng.random() < swap_p, i > 0 and rng.random() < clear_p
        self.growth = self.context * (1 + 1.0 * self.x if plan.get("events") else 1)

        gap = rng.expovariate(1 / 1.0) + 0.3
        if plan.get("vacation") and i == self.special:
            gap += 31
        start_cleared = clears and self.form == "claude_code"
        if start_cleared:
            self.now += rng.uniform(120, 900)
        else:
            self.now = (self.now // 86_400 + math.ceil(gap)) * 86_400 + 3600 * ((rng.uniform(18, 22) if late and plan.get("second_user") else rng.uniform(8, 17)))

        self.person = USERS["lucia"] if late and plan.get("spanish") else USERS[self.next_user if late and plan.get("second_user") else self.user]
        self.tongue = worlds.SPANISH if late and plan.get("spanish") else worlds.ENGLISH
        if late and plan.get("relang") and self.repo.lang == self.repo.spec["lang"]:
            self.repo = Repo(self.world, i, self.repo.spec["other_lang"])
        if plan.get("upgrade") and i == self.cut:
            self.model = self.next_model
        if plan["expects"] == "healthy" and i == int(self.n * 0.7):
            self.version = "2.1." + str(int(self.version.split(".")[2]) + rng.choice([0, 1, 3]))
        share = 0.55 + 0.45 * self.x if plan.get("grows") else 1.0
        self.pool = self.repo.files[: max(12, int(len(self.repo.files) * share))]
        if plan.get("grows"):
            for path in self.pool:
                if rng.random() < 0.15:
                    self.repo.grow(path, rng, 1 + 0.35 * self.x)
        self.forget_all()
        self.ctx = rng.uniform(16_000, 24_000)
        self.since = 99  # requests since the last event that may shock
        self.window = rng.randint(3, 5)
        n_facts = rng.randint(3, 5)
        mix = {name: w * math.exp(rng.gauss(0, 0.4)) for name, w in TYPES.items()}
        if plan.get("shift"):
            for name, tilt in {"feature": -1.1, "tests": -0.7, "refactor": -0.5, "bug": 0.7, "question": 0.8, "docs": 0.7}.items():
                mix[name] *= math.exp(tilt * (2 * self.x - 1))

        session = {"id": new_id(rng), "cwd": f"/srv/dev/{self.world}", "model": self.model, "version": self.version, "branch": rng.choice(["main", "main", f"{rng.choice(self.repo.spec['nouns'])}-work"]), "events": self.events}
        requests = min(25, max(6, round(math.exp(rng.gauss(math.log(12.5), 0.36)))))
        if plan.get("marathon") and i == self.special:
            requests = rng.randint(70, 90)
        swap_at = rng.randint(2, max(2, requests // 2)) if swaps else -1
        clear_at = 0 if start_cleared else rng.randint(2, max(2, requests // 2)) if clears else -1
        for r in range(requests):
            if r == clear_at:
                self.put("clear")
                self.forget_all()
                self.ctx = rng.uniform(16_000, 24_000)
                self.event("clear")
            if r == swap_at:
                self.model, self.next_model = self.next_model, self.model
                self.put("model", model=self.model)
                self.event("model")
            if plan.get("instructions") and i == self.cut and r == 1:
                self.edit_instructions()
            self.request(rng.choices(list(mix), list(mix.values()))[0], n_facts)
            self.since += 1
        return session

    def forget_all(self):
        self.known, self.hazy, self.facts, self.dirty = [], set(), [], set()

    def event(self, name):
        if self.plan.get("shock") == name:
            self.since, self.window = 0, self.rng.randint(3, 5)

    def rate(self, name):
        """Rate now, with the shock after an event if there is one."""
        if self.since >= self.window:
            return self.p[name]
        g = 0.25 + 0.75 * self.x
        return {"error": self.p[name] + 0.16 * g, "correct": self.p[name] + 0.14 * g, "effort": self.p[name] * (1 + 0.4 * g)}.get(name, self.p[name])

    # --- events -------------------------------------------------------------------------------------------------------
    def label(self, ident, *names):
        for name in names:
            self.labels.append((self.i, ident, name))

    def put(self, k, **fields):
        self.events.append({"k": k, "t": self.now, "ctx": self.ctx, **fields})
        self.now += self.rng.uniform(1, 6)

    def say_user(self, text, *labels):
        self.now += min(1500, self.rng.lognormvariate(4.6, 0.8))
        ident = new_id(self.rng)
        self.put("user", text=text, id=ident)
        self.ctx += len(text) / 4
        self.label(ident, "prompt", *labels, *(["prompt_in_window"] if self.since < self.window else []))
        return ident

    def say(self, text):
        self.put("say", text=text)

    def raw(self, tool, args, out, err=None, labels=(), text=None, **extra):
        rng = self.rng
        if self.ctx > LIMIT:
            self.compact()
        ident = "toolu_01" + token(rng, 22)
        if tool == "Read" or tool == "Edit" or tool == "Write":
            args = {**args, "file_path": f"/srv/dev/{self.world}/{args['file_path']}"}
        took = 1.6 + rng.lognormvariate(0.3, 0.9) + (rng.uniform(2, 25) if tool == "Bash" else 0)
        if text is None and rng.random() < self.temper[1] * 0.45:
            text = self.fill(rng.choice(worlds.INTRO))
            if self.temper[1] > 0.5 and rng.random() < 0.5:
                text += self.fill(rng.choice(worlds.LONG))
        thought = self.fill(rng.choice(worlds.LONG)).strip() if rng.random() < self.temper[2] * 0.5 else None
        self.put("call", tool=tool, args=args, out=out, err=err, took=took, id=ident, text=text, thought=thought, **extra)
        self.now += took
        self.ctx += rng.uniform(900, 3200) * self.growth
        window = ("call_in_window",) if self.since < self.window else ()
        self.label(ident, "call", *labels, *window)
        if err and window:
            self.label(ident, "error_in_window")
        return ident

    def call(self, tool, args, out, labels=(), **extra):
        """A call that may fail first, by the agent's fault or not, and is then repeated."""
        rng = self.rng
        if tool in ("Bash", "Edit", "Write") and rng.random() < 0.008:
            self.raw(tool, args, "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed.", "rejected", ("not_agent",))
            self.say_user(rng.choice(worlds.SLIP[self.tongue is worlds.SPANISH]))
        if self.plan.get("network") and 0 <= self.i - self.special < 4 and (tool == "Bash" or tool.startswith("mcp__")) and rng.random() < 0.3:
            self.raw(tool, args, rng.choice(["Exit code 6\ncurl: (6) Could not resolve host: registry.internal", "Exit code 128\nfatal: unable to access 'https://git.internal/': Connection timed out"]) if tool == "Bash" else "MCP error -32001: Request timed out", "network", ("not_agent",))
        tries = 0
        while rng.random() < self.rate("error") * (1 if tries == 0 else 0.5) and tries < 3:
            bad, why = self.spoil(tool, args)
            self.raw(tool, bad, why, "agent", ("agent_error",))
            tries += 1
        return self.raw(tool, args, out, None, labels, **extra)

    def spoil(self, tool, args):
        rng = self.rng
        if tool == "Read":
            parts = args["file_path"].split("/")
            return rng.choice([({"file_path": "/".join(parts[1:])}, "File does not exist. Note: your current working directory is /srv/dev/" + self.world + "."), ({"file_path": "/".join(parts[:-1])}, "EISDIR: illegal operation on a directory, read")])
        if tool == "Edit":
            wrong = args["old_string"].replace("_", "").replace("  ", " ") + " "
            return rng.choice([({**args, "old_string": wrong}, f"String to replace not found in file.\nString: {wrong}"), (args, f"Found {rng.randint(2, 5)} matches of the string to replace, but replace_all is false. To replace all occurrences, set replace_all to true. To replace only one occurrence, please provide more context to uniquely identify the instance.\nString: {args['old_string']}")])
        if tool == "Write":
            return args, "File has not been read yet. Read it first before writing to it."
        if tool == "Grep":
            return {**args, "pattern": args["pattern"] + "("}, "ripgrep exited with code 2: regex parse error: unclosed group"
        if tool == "Glob":
            return {**args, "path": "/srv/dev/" + self.world + "/lib64"}, "Directory does not exist: /srv/dev/" + self.world + "/lib64"
        if tool == "Bash":
            command = args["command"]
            head = command.split()[0]
            return rng.choice([({**args, "command": command.replace(" ", " --no-such ", 1)}, f"Exit code 2\n{head}: unrecognized option '--no-such'"), ({**args, "command": "cd tools && " + command}, "Exit code 1\n/bin/bash: line 1: cd: tools: No such file or directory"), ({**args, "command": command.replace(head, head + "x", 1)}, f"Exit code 127\n/bin/bash: line 1: {head}x: command not found")])
        bad = dict(list(args.items())[:-1])
        return bad, f"MCP error -32602: Invalid arguments for tool {tool.rsplit('__', 1)[-1]}: missing field '{list(args)[-1]}'"

    def compact(self):
        files = ", ".join(self.known[-8:])
        values = "; ".join(f"{f.word} of {f.subject} = {f.value}" for f in self.facts)
        self.put("compact", text=f"This session is being continued from a previous conversation that ran out of context. The conversation is summarized below:\nWork on {self.topic['o']} and {self.topic['m']}. Files looked at: {files}. Settings: {values or 'none'}. Continue with the last task.")
        self.hazy = set(self.known)
        self.ctx = self.rng.uniform(22_000, 34_000)
        self.label(f"compact {self.i}", "compaction")
        self.event("compact")

    # --- work ---------------------------------------------------------------------------------------------------------
    def fill(self, template, **extra):
        return template.format(**{**self.topic, **extra})

    def request(self, type_, n_facts):
        rng, plan, person, tongue = self.rng, self.plan, self.person, self.tongue
        noun, other = rng.sample(self.repo.spec["nouns"], 2)
        files = [f for f in self.pool if f.rsplit("/", 1)[1].startswith(noun)] or self.pool
        unseen = [f for f in files if f not in self.known]
        target = rng.choice(unseen if unseen and rng.random() < 0.8 else files)
        self.topic = {"o": noun, "m": other, "v": rng.choice(self.repo.spec["verbs"]), "f": target.rsplit("/", 1)[1]}
        terse = plan.get("terse_user") and rng.random() < 0.05 + 0.9 * self.x
        tasks = 1 + (rng.random() < self.x) if plan.get("bundle") else 1

        parts = [self.fill(rng.choice(tongue["ask"][type_])) for _ in range(tasks)]
        if not terse and rng.random() < person["detail"]:
            parts.append(self.fill(rng.choice(tongue["detail"])))
        action, facts = self.plan_facts(n_facts)
        for fact in facts:
            parts.append(self.fill(rng.choice(tongue[action]), s=fact.subject, w=fact.word, x=fact.value, old=fact.old[-1] if fact.old else ""))
        record = None
        if rng.random() < plan.get("records", 0.45):
            a, b = rng.sample("123456789", 2)
            record = self.repo.spec["record"][1].format(n=f"{rng.randint(1, 9)}{a}{b}{rng.randint(0, 9)}")
            short = terse or person["lower"] or tongue is worlds.SPANISH
            parts.append(f"cf. {record}" if short else f"({self.repo.spec['record'][0]} {record} shows it)")
        again = None
        if self.known and rng.random() < (0.02 + 0.28 * self.x if plan.get("on_request") else 0.02):
            again = rng.choice(self.known)
            parts.append(f"I changed {again} on disk, read it again first." if tongue is worlds.ENGLISH else f"He cambiado {again}, léelo otra vez.")
        if terse:
            text = "; ".join([f"{type_} {noun}: {self.topic['f']}"] + parts[tasks:])
        else:
            thanks = rng.choice(tongue["thanks"]) + " " if self.known and rng.random() < person["thanks"] else ""
            text = thanks + rng.choice(person["hello"]) + " ".join(p if p[-1] in ".?!)" else p + "." for p in parts) + rng.choice(person["tail"])
        if person["lower"]:
            text = text[0].lower() + text[1:]
        self.say_user(text, "request", *(["bundled"] if tasks > 1 else []))

        if again:
            self.read(again, labels=("asked_reread",))
        if action == "set":
            for fact in facts:
                tool, args = fact.amend(self.server)
                self.call(tool, args, "saved" if tool == "Bash" else '{"ok": true}')
        elif action == "check":
            for fact in facts:
                self.call(*fact.lookup(self.server))
        if record:
            self.look_up_record(record)
        self.work(type_, target)
        if tasks > 1:
            self.work(type_, rng.choice([f for f in self.pool if f not in self.known] or self.pool))
        for fact in facts:
            self.use(fact)
        if self.facts and rng.random() < 0.4:  # a step that belongs to the work, with whatever it needs
            self.use(rng.choice(self.facts))
        lines = worlds.ANSWERED if type_ == "question" else worlds.DONE
        done = self.fill(rng.choice(lines))
        if rng.random() < self.temper[1]:
            done += self.fill(rng.choice(worlds.REPORT))
        self.say(done)
        if rng.random() < self.rate("correct"):
            self.say_user(self.fill(rng.choice(tongue["correct"])), "correction", *(["correction_in_window"] if self.since < self.window else []))
            if rng.random() < 0.4:
                self.events.append({"k": "say", "t": self.now, "ctx": self.ctx, "text": rng.choice(worlds.SORRY)})
                self.now += 2
            for _ in range(1 + poisson(rng, 0.7)):
                self.edit(target)
            if rng.random() < 0.5:
                self.run_tests(False)
            self.say(self.fill(rng.choice(worlds.DONE)))

    def effort(self, mean):
        return poisson(self.rng, mean * (1 + 1.9 * (self.rate("effort") - 1)))

    def work(self, type_, target):
        rng = self.rng
        for _ in range(self.effort(0.8)):
            self.search()
        if target not in self.known:
            self.visit(target)
        elif rng.random() < self.p["reread"]:
            self.read(target)
        fresh = [target]
        for _ in range(self.effort(1.3)):
            known = [f for f in self.known if f not in self.dirty and f not in fresh]
            if known and rng.random() < self.p["reread"] * 1.9:  # the first visit above is hardly ever one, so that this gives the share of all reads
                self.read(rng.choice(known), labels=("reread",))
            else:
                unseen = [f for f in self.pool if f not in self.known]
                if not unseen:
                    self.search()
                    continue
                path = rng.choice(unseen)
                self.visit(path)
                fresh.append(path)
        for _ in range(self.effort(0.75)):  # comes back to a file from earlier, without need to read it
            known = [f for f in self.known if f not in fresh]
            if known:
                self.come_back(rng.choice(known), type_)
        edits = self.effort(EDITS[type_])
        tdd = edits and rng.random() < (0.10 + 0.75 * self.x if self.plan.get("tdd") else 0.10)
        if tdd:
            self.write_test(target)
            for _ in range(rng.randint(1, 3)):
                self.run_tests(True)
                self.edit(rng.choice(fresh))
        for _ in range(edits):
            self.edit(rng.choice(fresh))
        if type_ == "feature" and rng.random() < 0.2:
            self.write_test(target)
        if tdd or (edits and rng.random() < 0.7):
            if rng.random() < 0.15:
                self.run_tests(True)
                self.edit(target)
            self.run_tests(False)
        for _ in range(self.effort(0.25)):
            self.call("Bash", {"command": rng.choice(["git status --short", "git diff --stat", f"ls {target.rsplit('/', 1)[0]}", "git log --oneline -5"]), "description": "Look around"}, f" M {target}\n 1 file changed")

    def visit(self, path):
        """Go to a file; sometimes to its look-alike first."""
        rng = self.rng
        if rng.random() < self.p["alike"]:
            wrong = self.repo.alike[path]
            self.read(wrong, labels=("alike", "file_visit"))
            text = self.fill(rng.choice(worlds.WRONG_FILE), a=wrong.rsplit("/", 1)[1])
            if rng.random() < 0.25:
                self.edit(wrong)
                self.call("Bash", {"command": f"git checkout -- {wrong}", "description": "Undo the change"}, f"Updated 1 path from the index")
            self.read(path, text=text)
        else:
            self.read(path, labels=("file_visit",))

    def read(self, path, labels=(), text=None):
        rng, lines = self.rng, self.repo.text[path]
        if path in self.known and path not in self.dirty and not {"reread", "asked_reread", "relocated", "alike"} & set(labels):
            labels = (*labels, "reread")
        args, shown = {"file_path": path}, lines
        if len(lines) > 70 and rng.random() < 0.6:
            start = rng.randrange(1, len(lines) - 40)
            args, shown = {"file_path": path, "offset": start, "limit": 40}, lines[start - 1 : start + 39]
        self.call("Read", args, "\n".join(shown[:110]), ("read", *labels), text=text, total=len(lines))
        if path not in self.known:
            self.known.append(path)
        self.hazy.discard(path)
        self.dirty.discard(path)

    def come_back(self, path, type_):
        rng = self.rng
        if path in self.hazy:
            if rng.random() < self.p["relocate"]:
                base = path.rsplit("/", 1)[1]
                text = self.fill(rng.choice(worlds.FIND_AGAIN), f=base)
                if rng.random() < 0.35:
                    self.raw("Read", {"file_path": f"{self.rng.choice(self.repo.spec['dirs'])}/x/{base}"}, "File does not exist.", "agent", ("lost_path",), text=text)
                if rng.random() < 0.5:
                    self.call("Glob", {"pattern": f"**/{base}"}, path)
                else:
                    self.call("Grep", {"pattern": base.split("_")[0], "path": "."}, f"{path}:3:{self.repo.text[path][2]}")
                self.read(path, labels=("relocated", "hazy_visit"))
                self.hazy.discard(path)
            else:
                self.hazy.discard(path)
                self.edit(path, ("hazy_visit",))
            return
        if type_ == "question" and rng.random() < 0.5:
            self.call("Bash", {"command": f"git blame -L 3,3 {path}", "description": "Who changed it"}, f"3f2a91c0 (dev 2026-01-04) {self.repo.text[path][2]}")
        else:
            self.edit(path)

    def edit(self, path, labels=()):
        rng, lines = self.rng, self.repo.text[path]
        if path not in self.known:
            self.read(path)
        once = [n for n, line in enumerate(lines) if re.search(r"[0-9]", line) and lines.count(line) == 1]
        at = rng.choice(once)
        old = lines[at]
        new = re.sub(r"[0-9]+(?=[^0-9]*$)", str(rng.randint(1000, 9990)), old)
        if rng.random() < 0.3 and "keep" not in new:
            new += "  # keep" if self.repo.lang in ("py", "rb") else "  /* keep */"
        lines[at] = new
        self.call("Edit", {"file_path": path, "old_string": old, "new_string": new}, "updated", labels)
        self.dirty.add(path)

    def write_test(self, path):
        stem = path.rsplit("/", 1)[1].split(".")[0]
        test = f"tests/{stem}_{self.rng.randint(2, 99)}_test.{self.repo.lang}"
        self.call("Write", {"file_path": test, "content": "\n".join(self.repo._lines(test, self.rng, 8))}, "created")

    def run_tests(self, fails):
        rng, command = self.rng, self.repo.spec["test"]
        narrow = rng.random() < 0.5
        args = {"command": command + (f" {self.topic['o']}" if narrow else ""), "description": "Run the tests"}
        if fails:
            self.raw("Bash", args, f"Exit code 1\nFAILED {self.topic['o']} {self.topic['v']}: expected {rng.randint(1, 9)}, got {rng.randint(10, 19)}\n1 failed, {rng.randint(5, 60)} passed", "task", ("not_agent",))
        else:
            self.call("Bash", args, f"{rng.randint(6, 61)} passed in {rng.uniform(0.3, 20):.2f}s")

    def search(self):
        rng = self.rng
        word = rng.choice([self.topic["o"], self.topic["m"], self.topic["v"]])
        pattern = rng.choice(["{}", "{}_", "\\b{}\\b", "{}.*missing", "def {}|fun {}|fn {}"]).replace("{}", word)
        hits = rng.sample(self.pool, min(len(self.pool), rng.randint(2, 6)))
        out = "\n".join(f"{h}:{rng.randint(1, 20)}:{rng.choice(self.repo.text[h])}" for h in hits)
        share = max(0.0, min(0.6, 0.9 * (self.i / max(1, self.n - 1) - 1 / 3))) if self.plan.get("adopts") else 0
        if rng.random() < share:
            self.call("mcp__astnav__find_symbol", {"symbol": word, "kinds": ["function", "const"]}, json.dumps([{"file": h, "line": rng.randint(1, 20)} for h in hits]))
        elif rng.random() < 0.25:
            self.call("Bash", {"command": f"rg -n '{pattern}' {rng.choice(self.repo.spec['dirs'])}", "description": "Search"}, out)
        elif rng.random() < 0.2:
            self.call("Glob", {"pattern": f"**/*{word}*"}, "\n".join(hits))
        else:
            self.call("Grep", {"pattern": pattern, "path": rng.choice([".", *self.repo.spec["dirs"]])}, out)

    def look_up_record(self, record):
        rng, (noun, form) = self.rng, self.repo.spec["record"]
        tool, args = f"mcp__{self.server}__get_{noun}", {"ref": record, "fields": ["state", "owner"]}
        labels, text = ("record_visit",), None
        if rng.random() < self.p["alike_record"]:
            if rng.random() < 0.65:
                digits = record.lstrip("".join(c for c in record if not c.isdigit()))
                wrong = record.replace(digits, digits[0] + digits[2] + digits[1] + digits[3])
                self.call(tool, {**args, "ref": wrong}, json.dumps({"ref": wrong, "state": rng.choice(["closed", "open"]), "owner": rng.choice(["pk", "ml", "js"])}), ("alike_record", "record_visit"))
                text = rng.choice(worlds.WRONG_RECORD).format(a=wrong, b=record)
            else:
                self.call(f"mcp__{self.server}__get_{noun}_{rng.choice(['log', 'group', 'draft'])}", {"ref": record}, "[]", ("alike_record", "record_visit"))
                text = rng.choice(worlds.WRONG_TOOL)
            labels = ()
        self.call(tool, args, json.dumps({"ref": record, "state": rng.choice(["open", "held", "closed"]), "owner": rng.choice(["pk", "ml", "js", "ab"])}), labels, text=text)

    def edit_instructions(self):
        rng = self.rng
        name = "CLAUDE.md" if self.form == "claude_code" else "AGENTS.md"
        self.topic = {"o": "style", "m": "review", "v": "check", "f": name}
        self.say_user(f"please add to {name} that new code needs a short comment on units", "request")
        self.raw("Read", {"file_path": name}, "# Notes\n\n- run the tests before you finish\n- keep names short", None, ("read",))
        self.raw("Edit", {"file_path": name, "old_string": "- keep names short", "new_string": "- keep names short\n- new code: say the units in a short comment"}, "updated")
        self.say("Added.")

    # --- values that are told, replaced and used ----------------------------------------------------------------------
    def plan_facts(self, n_facts):
        rng, plan = self.rng, self.plan
        if rng.random() > 0.9:
            return None, []
        specs = [s for s in self.repo.spec["facts"] if s[0] in plan.get("modes", ("json", "composite", "shell"))]
        if len(self.facts) < n_facts and (not self.facts or rng.random() < 0.5):
            pair = next((f.key[0] for f in self.facts if f.mode == "composite"), None)
            fact = Fact(rng.choice(specs), rng, pair)  # pairs often share their first key
            if all((f.word, f.key) != (fact.word, fact.key) for f in self.facts):
                self.facts.append(fact)
                return "tell", [fact]
        often = 0.42 * (1 + self.x if plan.get("replace") else 1)
        ripe = [f for f in self.facts if f.used]
        if ripe and rng.random() < often:
            fact = min(ripe, key=lambda f: (len(f.old), rng.random()))
            fact.old.append(fact.value)
            fact.value, fact.used = fact.draw(rng), 0
            way = rng.choice(plan.get("ways", ("prose", "prose", "set", "check")))
            return {"prose": "change"}.get(way, way), [fact]
        if not self.facts:
            return None, []
        return "use", rng.sample(self.facts, min(len(self.facts), rng.choice([1, 2, 2, 3])))

    def use(self, fact):
        rng = self.rng
        labels = ["fact_need"] if fact.used else []
        if fact.used and rng.random() < self.p["ask"]:
            if rng.random() < 0.5:
                self.say(rng.choice(worlds.ASK_AGAIN).format(w=fact.word, s=fact.subject))
                self.say_user(rng.choice(self.tongue["answer"]).format(x=fact.value, w=fact.word), "asked_again")
            else:
                tool, args, out = fact.lookup(self.server)
                self.call(tool, args, out, ("looked_up_again",))
        fact.used += 1
        good = ("saved" if fact.mode == "shell" else '{"accepted": true}')
        if not fact.old:
            self.call(*fact.call(self.server, fact.value, rng), good, labels)
            return
        if rng.random() >= self.p["stale"]:
            self.call(*fact.call(self.server, fact.value, rng), good, (*labels, "use_after_change"))
            return
        old = fact.old[-1] if rng.random() < 0.8 else rng.choice(fact.old)
        tool, args = fact.call(self.server, old, rng)
        labels = (*labels, "use_after_change", "stale")
        fate = rng.random()
        if fate < 0.40:
            why = f"{fact.word} {old} is not active for {fact.key[0]}"
            self.raw(tool, args, f"Exit code 3\nerror: {why}" if tool == "Bash" else f"MCP error -32000: {why}", "agent", (*labels, "stale_error"))
        else:
            self.call(tool, args, good, labels)
            if fate > 0.75:
                return
            self.say(self.fill(rng.choice(worlds.DONE)))
            self.say_user(rng.choice(self.tongue["value"]).format(s=fact.subject, w=fact.word, x=fact.value, old=old), "value_correction")
        self.call(*fact.call(self.server, fact.value, rng), good)


def write_agent(kind, seed, sessions, folder, form=None, labels=None):
    """Write one agent's trace into `folder` and its labels beside it (`<folder>.labels.json`); returns the folder.

    form: "claude_code" or "generic"; by seed unless given. labels: another path for the labels, or False for none.
    """
    life = Life(kind, seed, sessions, form)
    life.run()
    write(life.form, life.out, folder, f"{kind} {seed}")
    if labels is not False:
        path = Path(labels) if labels else Path(str(folder).rstrip("/") + ".labels.json")
        truth = {k: KINDS[kind][k] for k in ("expects", "mechanism", "planted")}
        path.write_text(json.dumps({"kind": kind, "seed": seed, "form": life.form, "cut": life.cut, **truth, "sessions": [s["id"] for s in life.out], "labels": life.labels}))
    return Path(folder)


if __name__ == "__main__":
    import sys

    write_agent(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
