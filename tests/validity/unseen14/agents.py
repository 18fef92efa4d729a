"""Lives of coding agents at the cold-store company Quittenhof, repository frostlade.

`write_agent(kind, seed, sessions, folder)` writes one life as Claude Code or Codex would keep it on disk and returns what really happened.
"""
import math
import random
import sys
from datetime import date, datetime, timedelta, timezone
from pathlib import Path

if str(Path(__file__).resolve().parent) not in sys.path:
    sys.path.insert(0, str(Path(__file__).resolve().parent))

from f14_agent import RATES, Session
from f14_words import USERS
from f14_world import CODE_AREAS, EXTRA, EXTRA_AREAS, HOMES, NOUNS, VERBS, EXT, File, World
from f14_write import Claude, Codex


def _kind(form, expects, mechanism, truth):
    return {"format": form, "expects": expects, "mechanism": mechanism, "truth": truth}


KINDS = {
    "calm": _kind("claude", "healthy", None, "Nothing changes over the life."),
    "calm_codex": _kind("codex", "healthy", None, "Nothing changes over the life; the client is Codex."),
    "shift_slow": _kind("claude", "healthy", None, "The kinds of task move gradually from fixes and features to operations, data and reviews."),
    "shift_sudden": _kind("codex", "healthy", None, "From the middle on the tasks are mostly operations, CI and data where they were code before."),
    "files_grow": _kind("claude", "healthy", None, "The files of the repository become about four times as long."),
    "more_files": _kind("codex", "healthy", None, "The repository gains files before every session and whole services now and then, and much of the work moves there."),
    "subagents_adopted": _kind("claude", "healthy", None, "More and more of the searching is given to subagents."),
    "mcp_adopted": _kind("codex", "healthy", None, "Tools of MCP servers replace more and more of the shell calls."),
    "new_model": _kind("codex", "healthy", None, "From the middle on another model is used, with the same rates."),
    "client_upgrades": _kind("claude", "healthy", None, "The client is upgraded four times without any effect."),
    "upgrade_tools": _kind("claude", "healthy", None, "A new client in the middle removes Grep, Glob, Task and TodoWrite and brings Agent, TaskCreate and TaskUpdate; the shell does the searching."),
    "terser_users": _kind("codex", "healthy", None, "The users write shorter and shorter requests."),
    "seasons": _kind("claude", "healthy", None, "The mix of tasks swings back and forth twice."),
    "holidays": _kind("codex", "healthy", None, "Two long breaks of three and four weeks, otherwise nothing changes."),
    "marathon": _kind("claude", "healthy", None, "One session is about four times as long as the others."),
    "test_first": _kind("codex", "healthy", None, "More and more tests fail because they are written first; own errors stay level."),
    "big_plans": _kind("claude", "healthy", None, "More and more sessions start with /clear and a large pasted plan."),
    "other_user": _kind("codex", "healthy", None, "From the middle on two other users send the requests."),
    "french": _kind("codex", "healthy", None, "From the middle on the requests (and the agent's replies) are in French."),
    "rules_edited": _kind("claude", "healthy", None, "In the middle CLAUDE.md is edited through the agent; from then on it searches by rg in the shell and lints after most changes."),
    "rereads": _kind("claude", "aging", "compression", "Re-reads of unchanged content rise from 10 to 30 % of reads."),
    "rereads_shell": _kind("codex", "aging", "compression", "Re-reads of unchanged content by shell commands rise from 10 to 30 % of reads."),
    "twins": _kind("claude", "aging", "interference", "Look-alike files opened first rise from 3 to 18 % of first visits, while about 20 points of the calls move from file tools to the shell."),
    "stale_told": _kind("claude", "aging", "revision", "Uses of outdated values that users had replaced rise from 4 to 28 %."),
    "stale_shown": _kind("codex", "aging", "revision", "Uses of outdated values that tools or files had shown replaced rise from 4 to 28 %."),
    "errors_claude": _kind("claude", "aging", "reliability", "Own errors rise from 5 to 17 % of calls."),
    "errors_codex": _kind("codex", "aging", "reliability", "Own errors rise from 5 to 17 % of calls; the client is Codex."),
    "errors_strong": _kind("claude", "aging", "reliability", "Own errors rise from 5 to 35 % of calls."),
    "after_compaction": _kind("claude", "aging", "maintenance", "In the session after each of four compactions own errors are 12 points higher and calls per request 1.5 times as many."),
    "after_clear": _kind("claude", "aging", "maintenance", "In the session after each of four /clear commands own errors are 12 points higher and calls per request 1.5 times as many."),
    "step_silent": _kind("claude", "step", "reliability", "From one session on own errors are 12 points and re-reads 15 points higher; nothing is recorded."),
    "step_silent_rr": _kind("codex", "step", "compression", "From one session on re-reads are 30 instead of 10 % of reads; nothing is recorded."),
    "step_client": _kind("codex", "step", "reliability", "From one session on, together with a new client version, own errors are 12 points and re-reads 15 points higher."),
    "step_model": _kind("claude", "step", "reliability", "From one session on, together with a new model, own errors are 12 points and re-reads 15 points higher."),
}

CODE = dict(bugfix=5, feature=4, tests=2.2, refactor=2.2, ops=1.6, question=1.6, docs=1, review=1.2, data=1.5, ci=1, release=.7, firmware=1)
DESK = dict(bugfix=1.4, feature=.8, tests=.5, refactor=.4, ops=5, question=1.4, docs=1.5, review=2.2, data=4.2, ci=3, release=2.2, firmware=.2)
HOME = dict(bugfix=2, feature=1, tests=3.4, refactor=4, ops=1, question=2.6, docs=3.4, review=2, data=.8, ci=.8, release=.3, firmware=2.4)
CLIENTS = {"claude": ["2.1.29", "2.1.31", "2.1.34", "2.1.37", "2.1.39"], "codex": ["0.142.0", "0.142.5", "0.144.2", "0.146.0", "0.147.1"]}
MODELS = {"claude": ["claude-opus-4-5-20251101", "claude-opus-4-6"], "codex": ["gpt-5.5", "gpt-5.6-sol"]}
RULES = [
    ["# Working on frostlade", "", "- Services live in services/, web apps in web/, firmware in fw/.", "- Run the tests of the area you changed.", "- Values of staging are in config/frostlade.env.", "- Never push to main.", "- Ask when a ticket is unclear."],
    ["# frostlade", "", "Cold stores for fruit growers.", "", "## House rules", "- Small commits, one topic each.", "- Go code is formatted by gofmt, Python by ruff.", "- Migrations in sql/ are never edited after release.", "- Tests before you call it done."],
    ["# Guide for agents", "", "## Layout", "- intake and billing: Python. chambers and gateway: Go. portal and kiosk: TypeScript.", "- jobs/nightly runs at 02:10.", "## Style", "- Prefer a small change over a clever one.", "- Do not touch fw/ without a bench run."],
]


class Wave:
    """Slow chance variation: neighbouring sessions are mildly alike."""

    def __init__(self, rng, spread, keep=.4):
        self.rng, self.spread, self.keep = rng, spread, keep
        self.x = rng.gauss(0, spread)

    def next(self):
        x, k = self.x, self.keep
        self.x = k * x + math.sqrt(1 - k * k) * self.rng.gauss(0, self.spread)
        return x

    def factor(self):
        return math.exp(self.next() - self.spread ** 2 / 2)


class Life:
    def __init__(self, kind, seed, sessions):
        self.kind, self.n, self.form = kind, sessions, KINDS[kind]["format"]
        self.rng = rng = random.Random("frostlade %s %s %s" % (kind, seed, sessions))
        self.world = World(rng)
        self.debt, self.changed, self.events = {"reread": 0, "look": 0}, [], []
        self.agents_md = list(rng.choice(RULES))
        self.middle = max(3, round(sessions * rng.uniform(.4, .6)))
        self.step_at = self.middle if KINDS[kind]["expects"] == "step" else None
        # habits that differ between lives
        users = list(USERS)
        rng.shuffle(users)
        self.users = users
        home = rng.choice(HOMES).format(u=users[0])
        first = rng.randrange(2)
        self.meta = dict(cwd=home, version=CLIENTS[self.form][first], branch="main", model=MODELS[self.form][0], small="claude-haiku-4-5-20251001", tools="old",
                         searcher="grep" if rng.random() < .2 else "rg", agents_md="\n".join(self.agents_md))
        self.base = dict(RATES, format=self.form, french=False, talk=rng.uniform(.25, .6), helpers=rng.choice([.03, .06, .1]) if self.form == "claude" else 0, side_by_side=rng.uniform(.1, .4), size=rng.uniform(.6, 1.2),
                         mcp=0, shell=.03, shell_search=rng.uniform(.03, .12), tests_first=.08, lint=rng.uniform(.1, .35), fresh=0, user=users[0], second=users[1], planned=False, clear=False, rules=False, compact_end=False, effort=1,
                         terse=rng.uniform(.08, .22), searcher=self.meta["searcher"], source=None, replaced=.6, telling=.2, news=.18, using=.2, limit=46)
        self.waves = {"error": Wave(rng, .26), "reread": Wave(rng, .2), "look": Wave(rng, .2), "stale": Wave(rng, .15), "length": Wave(rng, .2, .3)}
        self.themes = {k: Wave(rng, .45, .55) for k in CODE}
        self.focus = rng.choice(CODE_AREAS)
        self.prepare()
        self.calendar()

    def prepare(self):
        """What happens at which session, fixed beforehand."""
        r, n, kind = self.rng, self.n, self.kind
        self.at, self.worse, self.compacts = {}, set(), {}
        if kind in ("new_model", "step_model"):
            self.at[self.middle] = ["model"]
        elif kind == "step_client":
            self.at[self.middle] = ["client"]
        elif kind == "upgrade_tools":
            self.at[self.middle] = ["tools"]
        elif kind == "client_upgrades":
            for k in range(1, 5):
                self.at[min(n - 1, max(1, round(n * k / 5) + (r.choice((-1, 0, 0, 1)) if n > 20 else 0)))] = ["client"]
            self.meta["version"] = CLIENTS[self.form][0]
        elif kind in ("other_user", "french", "shift_sudden", "rules_edited"):
            self.at[self.middle] = [kind]
        elif kind == "holidays":
            a, b = round(n * r.uniform(.25, .4)), round(n * r.uniform(.6, .75))
            self.at[a], self.at[b] = ["break 4"], ["break 3"]
        elif kind == "marathon":
            self.at[round(n * r.uniform(.3, .7))] = ["marathon"]
        elif kind in ("after_compaction", "after_clear"):
            # four, never in neighbouring sessions; index of the session that gets worse
            while True:
                picks = sorted(r.sample(range(2, n), 4))
                if all(b - a > 1 for a, b in zip(picks, picks[1:])):
                    break
            self.worse = set(picks)
        if KINDS[kind]["expects"] != "step" and not kind.startswith("after_"):
            for i in range(n):
                if r.random() < .03:
                    self.compacts[i] = True
        if kind == "marathon":
            self.compacts[next(iter(self.at))] = True
        if kind == "more_files":
            extra = list(EXTRA_AREAS)
            r.shuffle(extra)
            for j, area in enumerate(extra):
                self.at.setdefault(1 + (j * (n - 2)) // len(extra), []).append("area " + area)

    def calendar(self):
        """One or two sessions on most weekdays."""
        r = self.rng
        day = date(2026, 2, 9) if self.form == "claude" else date(2026, 6, 22)
        day += timedelta(days=r.randrange(20))
        self.days = []
        while len(self.days) < self.n:
            if day.weekday() < 5 and r.random() < .86 or day.weekday() == 5 and r.random() < .06:
                two = r.random() < .42
                for k in range(1 + two):
                    i = len(self.days)
                    if i >= self.n:
                        break
                    for what in self.at.get(i, ()):
                        if what.startswith("break"):
                            day += timedelta(days=7 * int(what[-1]))
                    self.days.append((day, r.uniform(6.6, 9.5) if two and not k else r.uniform(12, 14.5) if two else r.uniform(7, 13.5)))
            day += timedelta(days=1)
        self.clock = 0

    def start(self, i):
        day, hour = self.days[i]
        t = int(datetime(day.year, day.month, day.day, tzinfo=timezone.utc).timestamp() * 1000 + hour * 3600000) + self.rng.randrange(1000)
        return max(t, self.clock + self.rng.randrange(400000, 2400000))

    def note(self, i, text):
        self.events.append({"session": i, "event": text})

    def plan(self, i):
        """Parameters of session i."""
        r, n, kind, par = self.rng, self.n, self.kind, dict(self.base)
        u = i / (n - 1)                                  # share of the life that is over
        late = i >= self.middle
        after = i > self.middle
        mix = CODE
        for what in self.at.get(i, ()):
            self.change(i, what)
        if kind == "shift_slow":
            mix = {k: (1 - u) * CODE[k] + u * DESK[k] for k in CODE}
        elif kind == "shift_sudden" and late:
            mix = DESK
        elif kind == "seasons":
            w = .5 - .5 * math.cos(4 * math.pi * u)
            mix = {k: (1 - w) * CODE[k] + w * HOME[k] for k in CODE}
        elif kind == "files_grow":
            self.grow(i)
        elif kind == "more_files":
            self.more(i)
            par["fresh"] = .65 * u
        elif kind == "subagents_adopted":
            par["helpers"] = .03 + .62 * u
        elif kind == "mcp_adopted":
            par["mcp"] = .03 + .82 * u
        elif kind == "terser_users":
            par["terse"] = .05 + .9 * u
        elif kind == "test_first":
            par["tests_first"] = .08 + .88 * u
        elif kind == "big_plans":
            par["planned"] = par["clear"] = r.random() < .05 + .8 * u
            if par["clear"]:
                self.note(i, "clear")
        elif kind == "other_user" and late:
            par["user"], par["second"] = self.users[2], self.users[3]
        elif kind == "french" and late:
            par["french"] = True
        elif kind == "rules_edited":
            par["rules"] = i == self.middle
            if after:
                par.update(shell_search=.92, lint=.85, talk=self.base["talk"] * .8)
        elif kind in ("rereads", "rereads_shell"):
            par["reread"] += .20 * u
        elif kind == "twins":
            par["look"] += .15 * u
            par["shell"] = .03 + .53 * u
            par["shell_search"] = self.base["shell_search"] + .53 * u
        elif kind in ("stale_told", "stale_shown"):
            told = kind == "stale_told"
            par["stale"] = .04 + .24 * u
            par.update(source=told, replaced=.93, using=.5, telling=.32 if told else .04, news=.03 if told else .38)
            if i == 0:
                par.update({"telling" if told else "news": .75})
        elif kind in ("errors_claude", "errors_codex"):
            par["error"] += .12 * u
        elif kind == "errors_strong":
            par["error"] += .30 * u
        elif self.worse:
            if kind == "after_compaction":
                par["compact_end"] = i + 1 in self.worse
            elif i in self.worse:
                par["clear"] = True
            if i in self.worse:
                par["error"] += .12
                par["effort"] = 1.24      # with the retries about 1.5
            if par["compact_end"] or par["clear"]:
                self.note(i, "compaction" if par["compact_end"] else "clear")
        elif self.step_at is not None and i >= self.step_at:
            par["reread"] += .20 if kind == "step_silent_rr" else .15
            par["error"] += 0 if kind == "step_silent_rr" else .12
        # the day
        length = self.waves["length"].factor()
        requests = max(3, min(8, round(r.choice((3, 4, 5, 5, 6, 7, 8)) * length ** .5)))
        par["limit"] = max(29, min(53, 44 * length))
        par["limit"] *= par["effort"] * (1 - RATES["error"]) / (1 - par["error"])
        if "marathon" in self.at.get(i, ()):
            requests, par["limit"] = 26, 215
        factor = {"error": self.waves["error"].factor(), "reread": self.waves["reread"].factor(), "look": self.waves["look"].factor(), "stale": self.waves["stale"].factor(), "ask": 1, "correct": 1, "interrupt": 1}
        weights = {k: w * math.exp(self.themes[k].next()) for k, w in mix.items()}
        if r.random() < .35:
            self.focus = r.choice(CODE_AREAS)
        return par, factor, weights, requests

    def change(self, i, what):
        m = self.meta
        if what == "client":
            row = CLIENTS[self.form]
            old, m["version"] = m["version"], row[row.index(m["version"]) + 1]
            self.note(i, "client %s -> %s" % (old, m["version"]))
        elif what == "model":
            old, m["model"] = m["model"], MODELS[self.form][1]
            self.note(i, "model %s -> %s" % (old, m["model"]))
        elif what == "tools":
            old, m["version"], m["tools"] = m["version"], "2.1.63", "new"
            self.note(i, "client %s -> %s, other tools" % (old, m["version"]))
        elif what in ("other_user", "french", "shift_sudden", "marathon"):
            self.note(i, {"other_user": "other users", "french": "requests in French", "shift_sudden": "other tasks", "marathon": "very long session"}[what])
        elif what == "rules_edited":
            self.note(i, "instruction file edited")
        elif what.startswith("break"):
            self.note(i, "back after %s weeks" % what[-1])
        elif what.startswith("area"):
            new = []
            self.world.add_area(what[5:], EXTRA_AREAS, EXTRA, True, new)
            for f in new:
                self.world.files[f.path] = f
            self.world.alike()
            self.note(i, "new area " + what[5:])

    def grow(self, i):
        """To four times the length by the end."""
        files = list(self.world.files.values())
        if i == 0:
            self.first = sum(len(f.syms) for f in files)
            return
        goal = self.first * (1 + 3 * i / (self.n - 1))
        need = round(goal - sum(len(f.syms) for f in files))
        while need > 0:
            f, k = self.rng.choice(files), min(need, self.rng.randint(2, 9))
            f.grow(self.rng, k)
            f.version += 1
            need -= k

    def more(self, i):
        r, world = self.rng, self.world
        if not i:
            return
        for _ in range(r.randint(2, 5)):
            near = r.choice([f for f in world.files.values() if f.area not in ("docs", "sql", "infra")])
            folder = near.path.rpartition("/")[0]
            stem = "%s_%s" % (r.choice(VERBS), r.choice(NOUNS)) if r.random() < .6 else r.choice(NOUNS)
            path = "%s/%s%s" % (folder, ("test_" if near.lang == "pytest" else "") + stem, EXT[near.lang])
            if path not in world.files:
                f = File(path, near.lang, near.area, r, r.randint(4, 11))
                f.fresh = near.fresh
                world.files[path] = f
        world.alike()

    def session(self, i):
        self.index = i
        par, factor, weights, requests = self.plan(i)
        r = self.rng
        self.meta["branch"] = "main" if r.random() < .2 else "%s/%s" % (r.choice(["qh-%d" % r.randint(310, 2980), "fix", "feat", self.users[0]]), r.choice(NOUNS) + "-" + r.choice(VERBS))
        meta = dict(self.meta, agents_md="\n".join(self.agents_md))
        w = (Claude if self.form == "claude" else Codex)(r, meta, self.start(i))
        s = Session(self, par, w, factor)
        if self.compacts.get(i):
            s.at[int(par["limit"] * r.uniform(.35, .75))] = "compact"
        before = len(s.at)
        names, values = list(weights), list(weights.values())
        s.run(lambda: r.choices(names, values)[0], requests)
        if before and s.compacted:
            self.note(i, "compaction")
        self.clock = w.t
        return s, w


def write_agent(kind, seed, sessions, folder):
    """Write one life into folder; return its labels."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    life = Life(kind, seed, sessions)
    rows = []
    for i in range(sessions):
        s, w = life.session(i)
        w.save(folder)
        rows.append(dict(s.n))
    return {"kind": kind, "format": KINDS[kind]["format"], "sessions": rows, "step_at": life.step_at, "events": sorted(life.events, key=lambda e: e["session"])}
