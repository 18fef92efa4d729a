"""Lives of healthy coding agents at the library service Foldspine, repository shelfmark.

`write_agent(kind, seed, sessions, folder)` writes one life as Claude Code or Codex would keep it on disk and returns what really happened.
"""

# ruff: noqa: UP031

import math
import random
import sys
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

if str(Path(__file__).resolve().parent) not in sys.path:
    sys.path.insert(0, str(Path(__file__).resolve().parent))

from h15_agent import COUNTS, RATES, Session
from h15_words import RULES, USERS
from h15_world import EXT, EXTRA, NOUNS, VERBS, Setting, World
from h15_write import Base, Claude, Codex


def _kind(form: str, truth: str) -> dict[str, Any]:
    return {"format": form, "expects": "healthy", "mechanism": None, "truth": truth}


KINDS: dict[str, dict[str, Any]] = {
    "calm_claude": _kind("claude", "Nothing changes over the life; the client is Claude Code."),
    "calm_codex": _kind("codex", "Nothing changes over the life; the client is Codex."),
    "drift_of_tasks": _kind(
        "codex",
        "The tasks move gradually from fixes and features to infrastructure, data and documents.",
    ),
    "turn_of_tasks": _kind(
        "claude",
        "From the middle on the tasks are mostly questions, reviews, data and infrastructure where they were code before.",
    ),
    "longer_files": _kind("codex", "The files of the repository become about four times as long."),
    "many_files": _kind(
        "claude",
        "New files and services join before every session, and more and more of the work is in them.",
    ),
    "helpers_adopted": _kind("claude", "More and more of the exploring is given to sub-agents."),
    "mcp_adopted": _kind(
        "claude", "Tools of MCP servers replace more and more searches, listings and commands."
    ),
    "next_model": _kind("claude", "From the middle on another model is used, with the same rates."),
    "client_versions": _kind("codex", "The client is upgraded four times without any effect."),
    "client_tools": _kind(
        "codex",
        "A new client in the middle removes `shell` and `update_plan` and brings `exec_command` and `write_stdin`.",
    ),
    "few_words": _kind("claude", "The users write shorter and shorter requests."),
    "seasons": _kind("codex", "The mix of tasks swings between code and desk work, twice."),
    "holidays": _kind(
        "claude", "Two long breaks of three to five weeks, otherwise nothing changes."
    ),
    "one_long": _kind(
        "codex", "One session is about five times as long as the others and is compacted twice."
    ),
    "red_first": _kind(
        "claude",
        "More and more of the work is test-driven, so more and more tests fail as intended.",
    ),
    "pasted_plans": _kind(
        "claude", "More and more sessions begin with /clear and a large pasted plan."
    ),
    "new_owner": _kind("codex", "From the middle on another user sends the requests."),
    "spanish": _kind(
        "codex", "From the middle on the requests and the agent's replies are in Spanish."
    ),
    "new_rules": _kind(
        "codex",
        "In the middle AGENTS.md is edited through the agent; from then on it lints, commits and plans more and talks less.",
    ),
}

CODE = {
    "fix": 5.0,
    "feature": 4,
    "tests": 2,
    "refactor": 2,
    "infra": 1.5,
    "data": 1.3,
    "question": 2,
    "docs": 1,
    "review": 1.3,
    "deps": 0.8,
    "perf": 0.7,
}
DESK = {
    "fix": 2.0,
    "feature": 1.2,
    "tests": 0.6,
    "refactor": 0.5,
    "infra": 4,
    "data": 4,
    "question": 2.4,
    "docs": 2.2,
    "review": 2,
    "deps": 1.3,
    "perf": 0.4,
}
READ = {
    "fix": 1.8,
    "feature": 1.0,
    "tests": 0.8,
    "refactor": 0.5,
    "infra": 2.4,
    "data": 3,
    "question": 4.5,
    "docs": 1.6,
    "review": 4,
    "deps": 0.6,
    "perf": 0.6,
}
VERSIONS = {
    "claude": ["2.1.12", "2.1.15", "2.1.19", "2.1.22", "2.1.27"],
    "codex": ["0.98.0", "0.99.0", "0.101.0", "0.104.0", "0.106.0"],
}
MODELS = {
    "claude": ["claude-sonnet-4-5-20250929", "claude-sonnet-4-6"],
    "codex": ["gpt-5.2-codex", "gpt-5.3-codex"],
}
NEW_RULES = [
    "- Run the linter after every change.",
    "- Commit each finished task on its own.",
    "- Keep a plan for anything larger than one file.",
    "- Short comments while you work, please.",
]


class Mood:
    """Chance variation that lasts a few sessions."""

    def __init__(self, rng: random.Random, spread: float, keep: float = 0.35) -> None:
        self.rng, self.spread, self.keep = rng, spread, keep
        self.x = rng.gauss(0, spread)

    def next(self) -> float:
        x = self.x
        self.x = self.keep * x + math.sqrt(1 - self.keep**2) * self.rng.gauss(0, self.spread)
        return math.exp(x - self.spread**2 / 2)


class Life:
    def __init__(self, kind: str, seed: int, sessions: int) -> None:
        self.kind, self.n = kind, sessions
        self.form: str = KINDS[kind]["format"]
        self.rng = r = random.Random("shelfmark/%s/%s/%s" % (kind, seed, sessions))
        self.world = World(r)
        self.events: list[dict[str, Any]] = []
        self.rules = list(r.choice(RULES))
        self.middle = max(2, min(sessions - 2, round(sessions * r.uniform(0.4, 0.6))))
        users = list(USERS)
        r.shuffle(users)
        self.users = users
        first = r.randrange(2)
        level = r.lognormvariate(-0.015, 0.17)  # no two agents are equally careful
        self.meta: dict[str, Any] = {
            "cwd": r.choice(
                ["/home/%s/shelfmark", "/Users/%s/code/shelfmark", "/srv/work/%s/shelfmark"]
            )
            % users[0],
            "version": VERSIONS[self.form][first],
            "branch": "main",
            "model": MODELS[self.form][0],
            "small": "claude-haiku-4-5-20251001",
            "tools": "old" if self.form == "claude" or kind == "client_tools" else "new",
            "searcher": "rg",
            "agents_md": "",
            "mode": r.choice(["default", "acceptEdits", "bypassPermissions"]),
        }
        self.base: dict[str, Any] = dict(
            RATES,
            format=self.form,
            error=RATES["error"] * level,
            spanish=False,
            talk=r.uniform(0.2, 0.55),
            helpers=r.choice([0, 0.04, 0.08]),
            abreast=r.uniform(0.15, 0.55),
            size=r.uniform(0.75, 1.15),
            mcp=r.choice([0, 0, 0.03]),
            shell_read=r.uniform(0, 0.06),
            shell_search=r.uniform(0.05, 0.3),
            tests_first=r.uniform(0.03, 0.12),
            lint=r.uniform(0.1, 0.4),
            commit=r.uniform(0.2, 0.6),
            todo=r.uniform(0.2, 0.6),
            follow=r.uniform(0.15, 0.4),
            user=users[0],
            second=users[1],
            terse=r.uniform(0.05, 0.25),
            planned=False,
            clear=False,
            late=set(),
            late_share=0.0,
            area=r.choice(self.world.names),
        )
        if kind == "client_tools":
            self.base["todo"] *= 0.5
        self.moods = {
            "error": Mood(r, 0.3),
            "reread": Mood(r, 0.25),
            "look": Mood(r, 0.3),
            "stale": Mood(r, 0.2),
            "length": Mood(r, 0.35, 0.3),
        }
        self.taste = {k: Mood(r, 0.5, 0.5) for k in CODE}
        self.pace = r.uniform(1.0, 2.4)  # sessions per working day
        self.plain = r.uniform(2.3, 3.3)  # requests per session
        self.first_units = (
            sum(len(f.syms) for f in self.world.files.values()) if kind == "longer_files" else 0
        )
        self.late: set[str] = set()
        self.clock = 0
        self.calendar()

    def calendar(self) -> None:
        r, n = self.rng, self.n
        self.breaks = (
            {
                round(n * r.uniform(0.22, 0.38)): r.randint(3, 5),
                round(n * r.uniform(0.58, 0.78)): r.randint(3, 5),
            }
            if self.kind == "holidays"
            else {}
        )
        self.long = round(n * r.uniform(0.25, 0.75)) if self.kind == "one_long" else -1
        self.ups = (
            [max(1, min(n - 1, round(n * k / 5 + r.uniform(-0.04, 0.04) * n))) for k in range(1, 5)]
            if self.kind == "client_versions"
            else []
        )
        extra = r.sample(sorted(EXTRA), len(EXTRA))
        self.joins = (
            {1 + j * (n - 2) // len(extra): a for j, a in enumerate(extra)}
            if self.kind == "many_files"
            else {}
        )
        day = date(2026, 1, 12) + timedelta(days=r.randrange(45))
        self.starts: list[int] = []
        while len(self.starts) < n:
            today = 0
            if day.weekday() < 5 and r.random() < 0.9:
                today = int(self.pace / 0.9) + (r.random() < (self.pace / 0.9) % 1)
            elif day.weekday() == 6:
                today = int(r.random() < 0.05)
            hour = r.uniform(6.4, 9.5)
            for _ in range(today):
                i = len(self.starts)
                if i >= n:
                    break
                if i in self.breaks:
                    day += timedelta(weeks=self.breaks.pop(i))
                    self.note(i, "back after a long break")
                self.starts.append(
                    int(
                        (
                            datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()
                            + hour * 3600
                        )
                        * 1000
                    )
                    + r.randrange(1000)
                )
                hour += r.uniform(2, 4.5)
            day += timedelta(days=1)

    def note(self, i: int, text: str) -> None:
        self.events.append({"session": i, "event": text})

    def plan(self, i: int) -> tuple[dict[str, Any], dict[str, float]]:
        """How session i goes: its parameters and its mix of tasks."""
        r, kind, par = self.rng, self.kind, dict(self.base)
        u, late, mix = i / (self.n - 1), i >= self.middle, CODE
        if r.random() < 0.3:
            self.base["area"] = par["area"] = r.choice(self.world.names)
        par["clear"] = self.form == "claude" and r.random() < 0.03
        if kind == "drift_of_tasks":
            mix = {k: (1 - u) * CODE[k] + u * DESK[k] for k in CODE}
        elif kind == "turn_of_tasks" and late:
            mix = READ
        elif kind == "seasons":
            w = 0.5 - 0.5 * math.cos(4 * math.pi * u)
            mix = {k: (1 - w) * CODE[k] + w * DESK[k] for k in CODE}
        elif kind == "longer_files" and i:
            self.grow(u)
        elif kind == "many_files":
            self.join(i)
            par["late"], par["late_share"] = self.late, 0.75 * u
        elif kind == "helpers_adopted":
            par["helpers"] = 0.03 + 0.72 * u
        elif kind == "mcp_adopted":
            par["mcp"] = 0.02 + 0.78 * u
        elif kind == "few_words":
            par["terse"] = 0.04 + 0.9 * u
        elif kind == "red_first":
            par["tests_first"] = 0.05 + 0.9 * u
        elif kind == "pasted_plans":
            par["clear"] = par["planned"] = r.random() < 0.05 + 0.85 * u
        elif kind == "new_owner" and late:
            par["user"], par["second"] = self.users[2], self.users[3]
        elif kind == "spanish" and late:
            par["spanish"] = True
        elif kind == "new_rules" and i > self.middle:
            par.update(lint=0.85, commit=0.85, todo=0.9, talk=self.base["talk"] * 0.5)
        elif kind == "client_tools" and late:
            par["todo"] = 0
        self.change(i)
        return par, {k: w * self.taste[k].next() for k, w in mix.items()}

    def change(self, i: int) -> None:
        """What changes from outside before session i."""
        m = self.meta
        for _ in range(self.ups.count(i)):
            row = VERSIONS[self.form]
            old, m["version"] = m["version"], row[min(len(row) - 1, row.index(m["version"]) + 1)]
            if old != m["version"]:
                self.note(i, "client %s -> %s" % (old, m["version"]))
        if i == self.middle:
            if self.kind == "next_model":
                self.note(i, "model %s -> %s" % (m["model"], MODELS[self.form][1]))
                m["model"] = MODELS[self.form][1]
            elif self.kind == "client_tools":
                self.note(i, "client %s -> 0.110.0, other tools" % m["version"])
                m.update(version="0.110.0", tools="new")
            elif self.kind in ("turn_of_tasks", "new_owner", "spanish", "new_rules"):
                self.note(
                    i,
                    {
                        "turn_of_tasks": "other tasks",
                        "new_owner": "another user",
                        "spanish": "requests in Spanish",
                        "new_rules": "instruction file edited",
                    }[self.kind],
                )

    def grow(self, u: float) -> None:
        files = list(self.world.files.values())
        need = round(self.first_units * (1 + 3 * u)) - sum(len(f.syms) for f in files)
        while need > 0:
            f, k = self.rng.choice(files), min(need, self.rng.randint(2, 8))
            f.grow(self.rng, k)
            f.version += 1
            need -= k

    def join(self, i: int) -> None:
        r, w = self.rng, self.world
        if i in self.joins:
            before = set(w.files)
            w.add_area(self.joins[i])
            self.late |= set(w.files) - before
            self.note(i, "new service " + self.joins[i])
        for _ in range(r.randint(2, 5) if i else 0):
            near = r.choice([f for f in w.files.values() if f.test])
            stem = (
                r.choice(VERBS)
                + ("_%s" if near.lang in ("py", "rs") else "%s") % r.choice(NOUNS).title()
            )
            path = "%s/%s%s" % (near.path.rpartition("/")[0], stem, EXT[near.lang])
            if path not in w.files:
                before = set(w.files)
                w.add_file(path, near.area)
                self.late |= set(w.files) - before

    def session(self, i: int) -> tuple[Session, Base]:
        r = self.rng
        par, mix = self.plan(i)
        if r.random() < 0.4:
            self.meta["branch"] = r.choice(
                [
                    "main",
                    "%s/%s-%s" % (self.users[0], r.choice(VERBS), r.choice(NOUNS)),
                    "fs-%d" % r.randint(900, 7300),
                ]
            )
        meta = dict(self.meta, agents_md="\n".join(self.rules))
        start = max(self.starts[i], self.clock + r.randrange(300000, 1800000))
        w: Base = (Claude if self.form == "claude" else Codex)(r, meta, start)
        s = Session(
            r,
            self.world,
            par,
            w,
            {k: self.moods[k].next() for k in ("error", "reread", "look", "stale")},
        )
        requests = max(
            1, min(6, round(self.plain * self.moods["length"].next() + r.uniform(-0.8, 0.8)))
        )
        if i == self.long:
            requests = round(self.plain * 5)
            s.compact_at = [70, 150]
            self.note(i, "very long session")
        elif r.random() < 0.035:
            s.compact_at = [r.randint(15, 45)]
        news: list[Setting] = []
        if i and r.random() < 0.3:
            x = r.choice(self.world.settings)
            x.replace()
            news.append(x)
        rules = None
        if self.kind == "new_rules" and i == self.middle:
            rules = ("AGENTS.md", list(self.rules), NEW_RULES)
            self.rules += NEW_RULES
        names, weights = list(mix), list(mix.values())
        s.run(lambda: r.choices(names, weights)[0], requests, news, rules)
        if s.compactions:
            self.note(i, "compaction")
        if par["clear"]:
            self.note(i, "clear")
        self.clock = w.t
        return s, w


def write_agent(kind: str, seed: int, sessions: int, folder: str | Path) -> dict[str, Any]:
    """Write one life into folder; return its labels."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    life = Life(kind, seed, sessions)
    rows = []
    for i in range(sessions):
        s, w = life.session(i)
        w.save(folder)
        rows.append({k: s.n[k] for k in COUNTS})
    return {
        "kind": kind,
        "format": KINDS[kind]["format"],
        "sessions": rows,
        "step_at": None,
        "events": sorted(life.events, key=lambda e: int(e["session"])),
    }
