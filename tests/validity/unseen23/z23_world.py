"""The life of one project: who asks what, what the agent does, and the labels of every session."""
import math
import random

from . import z23_words as words
from .z23_claude import Claude
from .z23_codex import Codex
from .z23_people import KINDS_OF_WORK, PEOPLE
from .z23_slips import slip

LABELS = "calls errors reads rereads requests corrections interrupts value_uses stale lookalike_picks file_targets compactions".split()
BASE = dict(slip=0.05, reread=0.08, correction=0.07, interrupt=0.03, stale=0.04, pick=0.03)
# Steps: S search, L list, R target file, r other file, E edit, W new file, T tests, B build, X program, C show settings,
# V use of a setting (v: half the time), I settings at the very start, G git, P plan, D web or documentation
STEPS = dict(bugfix="SRXrSRETvETG", feature="PLRrDREWERTETGv", refactor="SRREERETBG", tests="RrWTETETv", docs="LRrREvG", deploy="GBVXVXVG",
             config="CREVXBV", deps="CXDXBRETV", investigate="SSRrRXVrX", review="GGRRrSXv", perf="XRrSEXTXRV", data="RXVVWXV")
CARE = dict(bugfix=1.0, feature=1.0, refactor=1.15, tests=0.95, docs=0.75, deploy=1.25, config=1.05, deps=1.2, investigate=0.85, review=0.8, perf=1.05, data=1.15)
TERSE = dict(bugfix=["fix {f}", "{mod} broken", "{sym}: bug"], feature=["{mod}: add sorting", "extend {f}", "{mod} export"], refactor=["tidy {f}", "merge {f} {f2}", "split {f}"], tests=["test {f}", "tests {mod}", "cover {sym}"],
             docs=["doc {f}", "readme {mod}", "changelog"], deploy=["ship it", "deploy {mod}", "release"], config=["config {mod}", "flag for {mod}", "settings {f}"], deps=["bump deps, {f}", "drop {mod} dep", "audit"],
             investigate=["why {mod} slow", "who calls {sym}", "{f} vs {f2}?"], review=["review {f}", "check {sym}", "{f2} ok?"], perf=["{mod} faster", "profile {f}", "cache {sym}"], data=["import {mod}", "migrate {mod}", "count {mod}"])
CLIENTS = ["2.1.6", "2.1.12", "2.1.20", "2.1.29", "2.1.34", "2.1.38", "2.1.44"]
VERBS = "load update parse build apply resolve merge collect check emit".split()
NOTES = ["Use small commits.", "Run the tests before you finish.", "Keep public names stable.", "Never touch generated files.", "Explain risky changes first.", "Prefer plain code.", "Ask before adding a dependency.", "Write messages in the imperative.", "Keep functions under forty lines.", "Log in English."]


class Life:
    def __init__(self, kind, config, fmt, seed, sessions):
        self.rng = rng = random.Random("%s|%s|%s" % (kind, seed, sessions))
        self.config, self.fmt, self.sessions = config, fmt, sessions
        self.person = self.voice = PEOPLE[rng.randrange(5)]
        self.cwd = self.person["cwd"]
        self.labels = {name: [0] * sessions for name in LABELS}
        self.level = {name: math.exp(rng.gauss(-0.02, 0.2)) for name in BASE}
        self.shared, self.own = rng.gauss(0, 1), {name: rng.gauss(0, 1) for name in BASE}
        self.change = int(sessions * rng.uniform(0.35, 0.65))  # when anything changes that changes once
        self.gap_at, self.long_at = int(sessions * rng.uniform(0.3, 0.7)), int(sessions * rng.uniform(0.25, 0.75))
        self.first_client = rng.randrange(2) if kind == "client_upgrades" else rng.randrange(len(CLIENTS) - 1)
        raw = {name: rng.gammavariate(4, 1) for name in KINDS_OF_WORK}
        half = set(rng.sample(KINDS_OF_WORK, 6))
        self.mixes = [{n: w * (5 if (n in half) == side else 0.5) for n, w in raw.items()} for side in (True, False)]
        self.even = raw
        self.rules = rng.sample(NOTES, 4)
        self.files, self.text, self.family, self.stem_of = [], {}, {}, {}
        self.stems = list(self.person["stems"])
        rng.shuffle(self.stems)
        for i, stem in enumerate(self.stems):
            self.add_files(stem, i)
        self.taken, self.settings = {"4711", "8081", "4217"}, []  # numbers other texts contain
        for setting in self.person["settings"]:
            self.settings.append(dict(setting, now=self.new_value(setting["sort"]), past=[]))
        self.values = {s["now"]: s["key"] for s in self.settings}  # for check.py
        self.clock = 1_759_700_000 + 86400 * rng.randrange(120)
        self.day_left = 0

    # names and values
    def token(self, n):
        return "%0*x" % (n, self.rng.getrandbits(4 * n))

    def uuid(self):
        bits = self.token(32)
        return "-".join((bits[:8], bits[8:12], "4" + bits[13:16], "a" + bits[17:20], bits[20:]))

    def slug(self):
        return "-".join(self.rng.choice(part) for part in (["calm", "brave", "giggly", "misty"], ["jumping", "drifting", "reading"], ["otter", "lantern", "harbor", "willow"]))

    def new_value(self, sort):
        rng = self.rng
        while True:
            if sort == "port":
                value = str(rng.randrange(3100, 9900))
            elif sort == "version":
                value = "%d.%d.%d" % (rng.randrange(1, 22), rng.randrange(10, 60), rng.randrange(1, 30))
            elif sort == "branch":
                value = rng.choice(["release", "integration", "line"]) + "/%d.%d" % (rng.randrange(20, 30), rng.randrange(10, 99))
            elif sort == "host":
                value = "%s-%02d.%s" % (rng.choice(["node", "edge", "app", "srv", "gate"]), rng.randrange(1, 99), rng.choice(["eu.example.net", "int.example.org", "dc2.example.com"]))
            else:
                value = "%s-%s%d" % (sort[3:], rng.choice(["alder", "birch", "cedar", "fir", "hazel", "larch", "maple", "oak"]), rng.randrange(10, 999))
            if not any(value in other or other in value for other in self.taken):
                self.taken.add(value)
                return value

    def add_files(self, stem, i):
        person, rng = self.person, self.rng
        folder = person["dirs"][i % 3]
        endings = person["pairs"][i % 5] if i % 3 else [person["singles"][i % len(person["singles"])]]
        names = [folder + "/" + stem + ending for ending in endings]
        for name in names:
            self.files.append(name)
            self.stem_of[name], self.family[name] = stem, [other for other in names if other != name]
            self.text[name] = [self.code_line(stem) for _ in range(rng.randrange(25, 80))]

    def code_line(self, stem):
        rng = self.rng
        return rng.choice(self.person["code"]).format(s=stem.capitalize(), v=rng.choice(VERBS) + stem.capitalize(), n=rng.randrange(2, 100))

    def symbol(self, path):
        return VERBS[len(path) % 10] + self.stem_of[path].capitalize()

    # rates
    def rate(self, name, factor=1.0):
        base = BASE[name] * self.level[name] * self.mood[name] * factor
        if name == "reread" and self.after and self.config.get("after"):
            base *= 2.4
        extra = self.config.get("add", {}).get(name, 0) * self.ramp + (self.config.get("step", {}).get(name, 0) if self.late_half else 0)
        if name == "reread":
            extra *= 1.12  # early in a session and after edits there is nothing to reread
        if name == "slip" and self.after and self.config.get("after"):
            extra += 0.12
        return min(0.85, base + extra)

    def count(self, label):
        self.labels[label][self.index] += 1

    # one tool call, with failed attempts before it
    def call(self, op):
        while True:
            if self.labels["calls"][self.index] >= self.cap:
                return False
            if self.rng.random() < 0.3 and not self.w.side:
                self.w.say(self.fill(self.rng.choice(words.PREAMBLE)))
            if self.rng.random() >= self.rate("slip", self.care):
                self.put(op)
                return True
            self.count("errors")
            self.put(slip(op, self, self.fmt))
            if self.rng.random() < 0.25 and not self.w.side:
                self.w.say(self.rng.choice(words.AFTER_SLIP))
            if self.rng.random() > 0.92:
                return False

    def put(self, op):
        self.count("calls")
        if "use" in op:
            self.count("value_uses")
            self.labels["stale"][self.index] += op["use"]
        self.w.close(op, self.w.open(op))

    # reading, with rereads
    def read(self, path, start=0, n=0):
        lines = self.text[path]
        part = lines[max(0, start - 1):start - 1 + n] if start else lines[:n or None]
        first = start or 1
        numbered = "\n".join(["%6d→%s" % (first + i, line) for i, line in enumerate(part)]) if self.fmt == "claude" else ""
        if self.call(dict(t="read", path=path, start=start, n=n, out="\n".join(part), numbered=numbered, total=len(lines))):
            self.count("reads")
            if (path, start, n) in self.seen:
                self.count("rereads")
            else:
                self.seen.append((path, start, n))
            return True

    def fresh(self, path):
        """Read something of a file that has not been read since it was last edited; before that, perhaps reread."""
        rng = self.rng
        while self.seen and rng.random() < min(0.8, self.rate("reread", 1.2)):
            path_again, start, n = self.seen[-1 - int(len(self.seen) * rng.random() ** 2)]
            if path_again != self.person["config"]:
                self.read(path_again, start, n)
            if self.labels["calls"][self.index] >= self.cap:
                break
        whole = (path, 0, (0 if len(path) % 3 else 220) if self.fmt == "codex" else 0)
        if whole not in self.seen and rng.random() < 0.75:
            return self.read(*whole)
        for _ in range(40):
            some = (path, rng.randrange(1, max(3, len(self.text[path]) - 8)), rng.choice([20, 30, 40, 60, 80]))
            if some not in self.seen:
                return self.read(*some)

    def target(self, path):
        """Go to a file the work is about; now and then a look-alike is opened first."""
        rng, alike = self.rng, [p for p in self.family[path] if p in self.text]
        if alike:
            self.count("file_targets")
            if rng.random() < self.rate("pick"):
                wrong = rng.choice(alike)
                self.count("lookalike_picks")
                self.fresh(wrong)
                if rng.random() < 0.25:
                    self.edit(wrong)
                    self.shell("git checkout -- " + wrong, "Updated 1 path from the index", "Undo the edit")
                if rng.random() < 0.6:
                    self.w.say(self.fill(rng.choice(words.AFTER_PICK), path))
                for _ in range(1 + (rng.random() < 0.4) if rng.random() < 0.65 else 0):
                    self.search(path)
        self.fresh(path)

    def edit(self, path):
        rng, lines = self.rng, self.text[path]
        at = rng.randrange(len(lines))
        new = [self.code_line(self.stem_of[path]) for _ in range(1 + (rng.random() < 0.4))]
        op = dict(t="edit", path=path, old=lines[at], new="\n".join(new), at=at + 1, before="\n".join(lines[:30]))
        if self.call(op):
            lines[at:at + 1] = new
            self.seen = [key for key in self.seen if key[0] != path]

    def search(self, path):
        rng, symbol = self.rng, self.symbol(path)
        if rng.random() < 0.1:
            kind_of = path.rpartition("/")[2]
            return self.call(dict(t="glob", pattern="**/" + kind_of.rpartition(".")[0] + "*", out="\n".join([path] + self.family[path])))
        rows = ["%s:%d:%s" % (p, rng.randrange(1, 60), "  " + symbol + "(x)") for p in [path] * 2 + rng.sample(self.files, rng.randrange(0, 4))]
        pattern = symbol if rng.random() < 0.8 else symbol + rng.choice(["\\b", ".*", "|" + self.stem_of[path]])
        while pattern in self.searched:  # a search is not repeated word for word
            pattern = rng.choice(VERBS) + "%s%d" % (self.stem_of[path].capitalize(), len(self.searched)) if len(self.searched) > 30 else symbol + rng.choice(["s?", "$", "=", "\\(", " *:", "_", "\\."]) * rng.randrange(1, 3) + rng.choice(VERBS)[:rng.randrange(6)]
        self.searched.add(pattern)
        self.call(dict(t="search", pattern=pattern, where=path.split("/")[0], out="" if rng.random() < 0.06 else "\n".join(rows)))

    def shell(self, cmd, out, desc, **more):
        return self.call(dict(t="sh", cmd=cmd, out=out, desc=desc, **more))

    # settings
    def alter(self, setting):
        setting["past"].append(setting["now"])
        setting["now"] = self.new_value(setting["sort"])
        self.values[setting["now"]] = setting["key"]

    def settings_text(self):
        return "\n".join(["# local settings"] + ["%s=%s" % (s["key"], s["now"]) for s in self.settings])

    def show_settings(self):
        name = self.person["config"]
        key = (name, 0, 0)
        if key in self.seen or self.fmt == "claude" and self.rng.random() < 0.5:
            return self.shell("env | sort" if self.fmt == "codex" else "cat " + name, self.settings_text(), "Show the settings")
        self.text[name] = self.settings_text().split("\n")
        return self.read(*key)

    def show_change(self, setting):
        """The value changes outside, and a tool result shows the new one."""
        self.alter(setting)
        key, name, old, new = setting["key"], self.person["config"], setting["past"][-1], setting["now"]
        way = self.rng.randrange(4)
        if way == 0 and (name, 0, 0) not in self.seen:
            shown = self.show_settings()
        elif way == 1:
            shown = self.shell("git show HEAD -- " + name, "commit %s\n\n    update %s\n\n-%s=%s\n+%s=%s" % (self.token(40), key.lower(), key, old, key, new), "Show the last change")
        elif way == 2:
            shown = self.shell("git pull --rebase && git diff ORIG_HEAD -- " + name, "Updating 3 files\n--- a/%s\n+++ b/%s\n-%s=%s\n+%s=%s" % (name, name, key, old, key, new), "Get the newest state")
        else:
            shown = self.shell("grep -n '%s' %s" % (key, name), "%d:%s=%s" % (self.rng.randrange(2, 14), key, new), "Look up " + key)
        if not shown:  # never seen, so it has not happened as far as the agent can know
            self.values.pop(setting["now"])
            setting["now"] = setting["past"].pop()

    def use(self):
        rng = self.rng
        changed = [s for s in self.settings if s["past"]]
        want = self.rate("stale")
        stale = bool(changed) and rng.random() < want / (1 - 0.5 * want)
        setting = rng.choice(changed if changed and (stale or rng.random() < 0.6) else self.settings)
        value = setting["now"]
        if stale:
            value = setting["past"][-1] if rng.random() < 0.8 else rng.choice(setting["past"])
        template = rng.choice(setting["commands"])
        cmd, desc = template.replace("{v}", value), "Use " + setting["words"]
        if stale and rng.random() < 0.5:
            if self.shell(cmd, setting["failure"].replace("{v}", value), desc, use=1, code=1):
                self.shell(template.replace("{v}", setting["now"]), self.output(), desc, use=0)
        else:
            self.shell(cmd, self.output(), desc, use=int(stale))

    def output(self):
        rng = self.rng
        return "\n".join("%s %s %d" % (rng.choice(["ok", "done", "info:", "->", "item"]), rng.choice(VERBS), rng.randrange(100)) for _ in range(rng.randrange(1, 7)))

    # words
    def fill(self, text, path=None):
        path, other = path or self.focus[0], self.focus[-1]
        return text.replace("{f}", path.rpartition("/")[2]).replace("{f2}", other.rpartition("/")[2]).replace("{sym}", self.symbol(path)).replace("{mod}", self.stem_of[path].lower())

    def german(self):
        return self.config.get("german") and self.index >= self.change

    def style(self, text):
        if self.voice["lower"] and not text.startswith("{"):
            text = text[0].lower() + text[1:]
            if self.rng.random() < 0.6:
                text = text.rstrip(".")
        return text

    def ask_text(self, work, first):
        rng, german = self.rng, self.german()
        if self.config.get("terser") and rng.random() < self.ramp:
            return self.fill(rng.choice(TERSE[work]))
        ask = rng.choice(words.GERMAN_ASKS[work] if german else self.voice["asks"][work])
        if not first:
            ask = self.style(rng.choice(words.GERMAN_FOLLOW if german else words.FOLLOW)).replace("{ask}", ask)
        return self.fill(ask)

    def correction_text(self):
        rng = self.rng
        if self.config.get("terser") and rng.random() < self.ramp:
            return rng.choice(words.SHORT_CORRECTIONS)
        return self.fill(self.style(rng.choice(words.GERMAN_CORRECTIONS if self.german() else words.CORRECTIONS)))

    def plan_text(self, work):
        parts = ["Implement the following plan:\n\n# Plan: %s of %s\n\n## Context\n\n%s" % (work, self.stem_of[self.focus[0]], self.ask_text(work, True))]
        for i in range(self.rng.randrange(6, 16)):
            path = self.rng.choice(self.focus)
            parts.append("## Step %d\n\nIn `%s` change `%s` so that it can %s the value.\n\n- keep the signature\n- handle the empty case\n- note the reason in a comment\n" % (i + 1, path, self.symbol(path), self.rng.choice(VERBS)))
        return "\n\n".join(parts + ["## Verification\n\nRun the tests and report what you saw."])

    # requests
    def run(self, work, steps):
        rng, person = self.rng, self.person
        here, red = 0, False
        for step in steps:
            path = self.focus[here]
            stem = self.stem_of[path]
            if step == "R":
                here = (here + 1) % len(self.focus) if rng.random() < 0.5 else here
                self.target(self.focus[here])
            elif step == "r":
                others = [p for p in rng.sample(self.files, 4) if self.stem_of[p] not in [self.stem_of[q] for q in self.focus]]
                self.fresh((others or self.files)[0])
            elif step == "E":
                self.edit(path)
            elif step == "S":
                if rng.random() < self.adopt("mcp"):
                    self.call(dict(t="mcp", name="mcp__serena__find_symbol", input={"name_path": self.symbol(path), "relative_path": path.split("/")[0]}, out='[{"name_path":"%s","relative_path":"%s"}]' % (self.symbol(path), path)))
                else:
                    self.search(path)
            elif step == "L":
                folder = path.rpartition("/")[0]
                names = [p for p in self.files if p.startswith(folder)]
                self.call(dict(t="glob", pattern=folder + "/**", out="\n".join(names)))
            elif step == "W":
                name = "tests/%s_%s.%s" % (stem.lower(), self.token(3), path.rpartition(".")[2])
                self.call(dict(t="write", path=name, text="\n".join(self.code_line(stem) for _ in range(rng.randrange(8, 24)))))
                red = True
            elif step in "Tt":
                failed = rng.random() < (0.9 if step == "t" and red else 0.25)
                fits = dict(S=stem, n=rng.randrange(2, 60), m=rng.randrange(12, 400))
                self.shell(rng.choice(person["test"]).format(**fits), person["failed" if failed else "passed"].format(**fits), "Run the tests", code=int(failed), slow=True)
                if failed and step == "T" and rng.random() < 0.6:
                    self.edit(path)
                    self.run(work, "T")
            elif step == "B":
                self.shell(rng.choice(person["build"]), self.output(), "Build", slow=True)
            elif step == "X":
                self.shell(rng.choice(person["programs"][work]), self.output(), "Run " + work, slow=True)
            elif step == "I":
                while not self.show_settings():
                    pass
            elif step == "C" and self.config.get("news") != "told":
                self.show_settings()
            elif step == "V" or step == "v" and rng.random() < 0.5:
                self.use()
            elif step == "G":
                self.shell(rng.choice(["git status --short", "git diff --stat", "git log --oneline -5", "git add -A && git commit -m 'Work on %s'" % stem.lower()]), self.output(), "Git")
            elif step == "P":
                self.call(dict(t="plan", items=["Look at " + stem, "Change it", "Run the tests"], done=rng.randrange(3)))
            elif step == "K" and self.news:
                self.show_change(self.news.pop())
            elif step == "D":
                if rng.random() < self.adopt("mcp"):
                    self.call(dict(t="mcp", name="mcp__context7__query-docs", input={"libraryId": "/org/" + stem.lower(), "query": stem + " options"}, out="### %s\n\nSource: https://example.org/docs/%s\n%s" % (stem, stem.lower(), self.output())))
                elif self.fmt == "claude":
                    self.call(dict(t="web", query=stem + " best practice", out="Web search results for query: \"%s\"\n%s" % (stem, self.output())))
            elif step == "A":
                self.subagent(path)
            elif step == "Z":
                self.w.compact("Summary: the user works on %s. Files: %s. Next: continue with the current request." % (stem, ", ".join(self.focus)))
                self.count("compactions")
                self.seen, self.after = [], True
            elif step == "M":
                self.rules[rng.randrange(len(self.rules))] = rng.choice(NOTES)
                name = person["rules"] if self.fmt == "claude" else "AGENTS.md"
                self.call(dict(t="edit", path=name, old=rng.choice(NOTES), new=self.rules[0], at=2, before=""))

    def adopt(self, what):
        return {"mcp": 0.5, "subagents": 0.6}[what] * self.ramp if self.config.get(what) else 0.0

    def subagent(self, path):
        rng, agent = self.rng, self.token(7)
        prompt = "Explore how %s works in this project. Find where %s is used and report back with the files involved." % (self.stem_of[path], self.symbol(path))
        op = dict(t="task", agent="Explore", desc="Explore " + self.stem_of[path], prompt=prompt, id=agent, count=0, out="The relevant code is in %s. %s is called from three places." % (path, self.symbol(path)))
        while rng.random() < self.rate("slip", self.care):
            self.count("errors")
            self.put(slip(op, self, self.fmt))
        self.count("calls")
        call_id = self.w.open(op)
        self.w.side_open(agent, prompt)
        before = self.labels["calls"][self.index]
        self.run("investigate", "S" + "".join(rng.choice("rrrSR") for _ in range(rng.randrange(2, 7))))
        op["count"] = self.labels["calls"][self.index] - before
        self.w.side_close(op["out"])
        self.w.close(op, call_id)

    def request(self, work, text, steps):
        """One request of the user and what the agent does about it."""
        rng = self.rng
        self.count("requests")
        self.care = CARE[work]
        if self.told:
            for setting in self.told:
                self.alter(setting)
                told = rng.choice(words.GERMAN_TOLD if self.german() else words.TOLD)
                text += "\n" * (rng.random() < 0.3) + " " + self.style(told).replace("{words}", setting["words"]).replace("{new}", setting["now"]).replace("{old}", setting["past"][-1])
            self.told = []
        self.w.user(text)
        if rng.random() < 0.6:
            self.w.say(self.fill(rng.choice(words.PREAMBLE)))
        if rng.random() < self.rate("interrupt"):
            self.run(work, steps[:rng.randrange(1, max(2, len(steps)))])
            self.count("interrupts")
            op = dict(t="sh", cmd=rng.choice(self.person["programs"][work]), desc="Run " + work) if rng.random() < 0.5 else None
            self.labels["calls"][self.index] += bool(op)
            self.w.interrupt(op)
            return
        self.run(work, steps)
        self.w.end(self.fill(rng.choice(words.GERMAN_DONE if self.german() else words.DONE)))

    def steps_for(self, work):
        rng, steps = self.rng, STEPS[work]
        first = self.config.get("tests_first") and work in ("bugfix", "feature", "refactor", "perf") and rng.random() < 0.05 + 0.85 * self.ramp
        if first or self.config.get("tests_first") and work in ("tests", "config", "data") and rng.random() < 0.05 + 0.85 * self.ramp:
            steps = "SRWtEtETvG"
        out = []
        for step in steps:
            if rng.random() < 0.9 or step in "VWt":
                out.append(step)
                if step in "SRrEXT" and rng.random() < 0.12:
                    out.append(step)
        if rng.random() < self.adopt("subagents"):
            out.insert(0, "A")
        if self.after and self.config.get("after"):
            out = [s for step in out for s in [step] * (1 + (rng.random() < 0.5))]
        if self.config.get("verbose_model") and self.index >= self.change and rng.random() < 0.4:
            out.insert(rng.randrange(len(out) + 1), rng.choice("SrX"))
        return "".join(out)

    def mix(self):
        way = self.config.get("mix")
        if not way:
            return self.even
        share = {"drift": self.ramp, "switch": float(self.index >= self.change), "seasons": 0.5 - 0.5 * math.cos(self.index / max(8, self.sessions / 3) * 2 * math.pi)}[way]
        return {n: (1 - share) * self.mixes[0][n] + share * self.mixes[1][n] for n in KINDS_OF_WORK}

    def begin(self, i):
        """Time, person, client, model, moods of session i."""
        rng, config = self.rng, self.config
        self.index, self.ramp, self.late_half = i, i / max(1, self.sessions - 1), i >= self.sessions // 2
        late = i >= self.change
        self.after, self.seen, self.searched, self.told, self.news = False, [], set(), [], []
        self.shared, self.own = 0.3 * self.shared + 0.954 * rng.gauss(0, 1), {k: 0.3 * v + 0.954 * rng.gauss(0, 1) for k, v in self.own.items()}
        self.mood = {k: math.exp(0.25 * (0.6 * self.shared + 0.8 * v) - 0.03) for k, v in self.own.items()}
        if config.get("another_user") and i == self.change:
            self.voice = PEOPLE[(PEOPLE.index(self.person) + rng.randrange(1, 5)) % 5]
            self.cwd = self.cwd.replace(self.person["user"], self.voice["user"])
            self.even = self.mixes[1]
        if config.get("files_grow"):
            for path in self.files:
                self.text[path] += [self.code_line(self.stem_of[path]) for _ in range(rng.randrange(0, 8))]
        if config.get("repo_grows"):
            for _ in range(2):
                self.add_files(rng.choice(self.stems[:22]) + rng.choice(self.stems[:22]).capitalize(), len(self.files) + i)
        if self.fmt == "claude":
            number = self.first_client + (min(6, int(self.ramp * 5.99)) if config.get("upgrades") else int(self.late_half) if config.get("client_step") else 0)
            self.client = CLIENTS[min(number, len(CLIENTS) - 1)]
            self.model, self.new_tools = "claude-sonnet-4-5-20250929", CLIENTS.index(self.client) >= 3
        else:
            self.new_tools = late if config.get("new_tools") else self.first_client % 2 == 1
            self.client = "0.142.0" if self.new_tools else "0.46.0"
            self.model = "gpt-5.2-codex" if config.get("verbose_model") and late else "gpt-5.1-codex"
        # calendar: one to three sessions on a working day
        if self.day_left == 0:
            self.day_left = rng.choice([1, 1, 2, 2, 3])
            day = self.clock // 86400 + 1 + (rng.random() < 0.12) * rng.randrange(1, 3)
            if config.get("holidays") and i and i in (self.gap_at, (self.gap_at + self.sessions // 3) % self.sessions):
                day += rng.randrange(16, 36)
            while (day + 3) % 7 >= 5:
                day += 1
            low, high = self.voice["hours"]
            self.clock = int(day * 86400 + 3600 * (low + (high - low) * 0.35 * rng.random() - self.voice["zone"]))
        else:
            self.clock += rng.randrange(1200, 9000)
        self.day_left -= 1
        self.w = (Claude if self.fmt == "claude" else Codex)(self, self.clock * 1000 + rng.randrange(1000))

    def choose_focus(self):
        rng = self.rng
        self.focus = [rng.choice(self.files)]
        while len(self.focus) < 1 + (rng.random() < 0.7) + (rng.random() < 0.3):
            other = rng.choice(self.files)
            if self.stem_of[other] not in [self.stem_of[p] for p in self.focus]:
                self.focus.append(other)

    def session(self, i):
        rng, config = self.rng, self.config
        self.begin(i)
        tiny, long = i > 0 and rng.random() < 0.065, bool(config.get("long")) and i == self.long_at
        wanted = 1 if tiny else 90 if long else min(10, max(3, round(rng.gauss(5.6, 1.9) * (1.25 if self.voice is not self.person else 1))))
        self.cap = rng.randrange(370, 400) if long else rng.randrange(72, 80)
        self.choose_focus()
        # values that change today, told by the user or shown by a tool
        changes = rng.choices([0, 1, 2, 3], [0.36, 0.38, 0.18, 0.08])[0] + (3 if i == 0 else 0)
        when = {}
        for setting in rng.sample(self.settings, changes) if not tiny else []:
            told = config["news"] == "told" if config.get("news") else rng.random() < 0.45
            when.setdefault(rng.randrange(int(i == 0), min(wanted, 6)), []).append((told, setting))
        compact_at = set()
        chance = 0.4 if config.get("after") else 0.1
        if not tiny and rng.random() < chance:
            compact_at = {max(1, wanted // 3) if config.get("after") else rng.randrange(1, wanted)}
        if long:
            compact_at = {12, 24, 36}
        if rng.random() < self.ramp * 0.8 - 0.05 and config.get("plans"):
            self.w.clear()
            plan = True
        else:
            plan = False
        mix, number, interrupted = self.mix(), 0, False
        names, weights = list(mix), list(mix.values())
        while number < wanted and self.labels["calls"][i] < self.cap - 5 or not tiny and self.labels["calls"][i] < 15:
            for told, setting in when.get(number, []):
                (self.told if told else self.news).append(setting)
            wrong = number and not interrupted and rng.random() < self.rate("correction") * (1 + 1 / max(2, wanted - 1))
            if wrong:
                self.count("corrections")
                text, steps = self.correction_text(), "".join(s for s in "SRrEET" if rng.random() < 0.8) or "R"
            else:
                work = rng.choices(names, weights)[0]
                self.choose_focus()
                steps = self.steps_for(work)
                if tiny:
                    steps = steps[:rng.randrange(0, 5)]
                text = self.plan_text(work) if plan and number == 0 else self.ask_text(work, number == 0)
            if i == 0 and number == 0:
                steps = "I" + steps  # the values in force at the beginning are on record
            for _ in self.news:
                at = rng.randrange(len(steps) // 2 + 1)
                steps = steps[:at] + "K" + steps[at:]
            if number in compact_at:
                at = rng.randrange(len(steps) + 1)
                steps = steps[:at] + "Z" + steps[at:]
            if config.get("rules") and number == 1 and not wrong and i % max(2, self.sessions // 6) == 1:
                text += self.style(" Also put this into AGENTS.md: ") + rng.choice(NOTES)
                steps += "M"
            before = self.labels["interrupts"][i]
            self.request(work, text, steps)
            interrupted = self.labels["interrupts"][i] > before
            number += 1
        self.clock = self.w.now // 1000
        return self.w
