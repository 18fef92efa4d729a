"""Twenty kinds of healthy coding agents: what changes comes from outside, never from the agent."""

import math
import random
from datetime import date, timedelta
from pathlib import Path

from b16_claude import ClaudeWriter
from b16_codex import CodexWriter
from b16_common import DAY0
from b16_life import Session
from b16_world import NEW_AREAS, World


def _kind(fmt, truth):
    return {"format": fmt, "expects": "healthy", "mechanism": None, "truth": truth}


KINDS = {
    "steady_claude": _kind("claude", "Nothing changes over the life."),
    "steady_codex": _kind("codex", "Nothing changes over the life."),
    "tasks_drift": _kind("claude", "Tasks shift gradually from fixes and features to questions, data and infrastructure."),
    "tasks_switch": _kind("codex", "From the middle on the mix of tasks is another one."),
    "files_grow": _kind("claude", "The files of the repository get about three times as long; the agent works as before."),
    "repo_grows": _kind("codex", "Ever more packages are added and the work goes to the new ones."),
    "subagents_adopted": _kind("claude", "Exploration goes increasingly to sub-agents."),
    "mcp_adopted": _kind("claude", "MCP tools increasingly replace searches and some commands."),
    "model_upgrade": _kind("claude", "From the middle on another model answers, with the same rates."),
    "client_upgrades": _kind("claude", "The client's version rises several times without effect."),
    "client_with_tools": _kind("codex", "A new client in the middle changes the names and shapes of the tools."),
    "terser_users": _kind("codex", "Requests become shorter and shorter."),
    "seasons": _kind("claude", "The mix of tasks swings back and forth in two waves."),
    "holidays": _kind("codex", "Two breaks of several weeks, otherwise steady."),
    "one_very_long": _kind("claude", "One session is five times as long, with two compactions."),
    "tests_first": _kind("claude", "Work becomes test-driven, so tests fail as intended more often."),
    "plans_after_clear": _kind("claude", "More and more sessions begin with /clear and a large pasted plan."),
    "another_user": _kind("claude", "From the middle on another person works with the agent, with other words and tasks."),
    "another_language": _kind("claude", "From the middle on requests and replies are in French."),
    "rules_edited": _kind("claude", "New rules in CLAUDE.md in the middle: from then on more linting and committing."),
}
MIX_CHANGES = {"tasks_drift", "tasks_switch", "repo_grows", "files_grow", "subagents_adopted", "mcp_adopted", "client_with_tools", "seasons",
               "tests_first", "plans_after_clear", "another_user", "rules_edited"}  # the mix of calls itself changes
USUAL = {"fix": 24, "feature": 20, "refactor": 11, "question": 11, "review": 6, "infra": 8, "data": 7, "docs": 5, "tests": 8}
OTHER = {"fix": 7, "feature": 8, "refactor": 3, "question": 26, "review": 8, "infra": 23, "data": 20, "docs": 3, "tests": 2}
CODE2 = {"fix": 8, "feature": 12, "refactor": 22, "question": 6, "review": 10, "infra": 6, "data": 4, "docs": 8, "tests": 24}
VERSIONS = ["2.1.6", "2.1.12", "2.1.29", "2.1.38", "2.1.52", "2.1.76"]


def _blend(a, b, x):
    return {k: a[k] * (1 - x) + b[k] * x for k in a}


def _moods(rng, n, spread, rho=0.3):
    """Session moods around one: mildly correlated from one session to the next."""
    z, out = rng.gauss(0, 1), []
    for _ in range(n):
        out.append(math.exp(spread * z - spread * spread / 2))
        z = rho * z + math.sqrt(1 - rho * rho) * rng.gauss(0, 1)
    return out


def _days(rng, n, breaks):
    """Start of every session in seconds since 2026-01-01; one or two sessions per working day."""
    day, out = DAY0 + timedelta(days=4 + rng.randrange(0, 60)), []
    two = rng.uniform(0.2, 0.5)
    while len(out) < n:
        while day.weekday() > 4 or (len(out) and rng.random() < 0.12):
            day += timedelta(days=1)
        hours = [rng.uniform(8, 11.5)] + ([rng.uniform(13.5, 16.5)] if rng.random() < two else [])
        for h in hours[:n - len(out)]:
            out.append((day - DAY0).days * 86400 + h * 3600)
            if len(out) in breaks:
                day += timedelta(days=breaks[len(out)])
        day += timedelta(days=1)
    return out


def _life(kind, seed, sessions, folder):
    fmt = KINDS[kind]["format"]
    rng = random.Random(f"{kind}/{seed}")
    world = World(rng)
    n, mid = sessions, sessions // 2
    level = {k: min(1.45, max(0.72, math.exp(rng.gauss(0, s)))) for k, s in (("err", 0.2), ("rr", 0.25), ("cor", 0.3), ("len", 0.18), ("cut", 0.3))}
    moods = {k: _moods(rng, n, s) for k, s in (("err", 0.25), ("rr", 0.25), ("cor", 0.25), ("len", 0.25))}
    breaks = {n // 3: rng.randrange(18, 37), 2 * n // 3: rng.randrange(15, 30)} if kind == "holidays" else {}
    starts = _days(rng, n, breaks)
    user = rng.choice(["ana", "mirko", "jules", "petra", "sam"])
    cwd = f"/home/{user}/work/{world.product}"
    flavour = {k: v * math.exp(rng.gauss(0, 0.2)) for k, v in USUAL.items()}
    lint, commit, tdd = rng.uniform(0.15, 0.35), rng.uniform(0.2, 0.45), rng.uniform(0.03, 0.1)
    sub = rng.uniform(0.0, 0.08) if fmt == "claude" else 0
    version = rng.choice(["2.1.31", "2.1.38", "2.1.44"]) if fmt == "claude" else "0.142.4"
    model = rng.choice(["claude-opus-4-6", "claude-sonnet-4-6"]) if fmt == "claude" else "gpt-5.5"
    areas, fresh = list(world.areas), rng.sample(NEW_AREAS, len(NEW_AREAS))
    long_at = round(n * rng.uniform(0.35, 0.75))
    median = 34 * level["len"]
    lives, ended = [], 0.0
    for s in range(n):
        x = s / max(1, n - 1)
        late = s >= mid
        p = {"format": fmt, "err": level["err"] * moods["err"][s], "rr": level["rr"] * moods["rr"][s], "cor": level["cor"] * moods["cor"][s],
             "cut": level["cut"], "mix": flavour, "sub": sub, "mcp": 0.0, "lint": lint, "commit": commit, "tdd": tdd, "lang": "en", "user": "a",
             "terse": None, "clear": False, "rules": False, "long": False, "areas": areas}
        target = median * moods["len"][s] * math.exp(rng.gauss(0, 0.28))
        if rng.random() < 0.05:
            target = rng.uniform(3, 10)
        this_version, this_model = version, model
        if kind == "tasks_drift":
            p["mix"] = _blend(flavour, OTHER, x)
        elif kind == "tasks_switch" and late:
            p["mix"] = CODE2
        elif kind == "files_grow":
            for f in world.files.values():
                f.grow(world.product, 1 + 2 * x)
        elif kind == "repo_grows":
            while len(NEW_AREAS) - len(fresh) < round(x * len(NEW_AREAS)):
                world.add_area(fresh.pop())
            p["areas"] = world.areas[-6:]
        elif kind == "subagents_adopted":
            p["sub"] = 0.04 + 0.76 * x
        elif kind == "mcp_adopted":
            p["mcp"] = 0.8 * x
        elif kind == "model_upgrade":
            this_model = "claude-opus-4-6" if late else "claude-opus-4-5-20251101"
        elif kind == "client_upgrades":
            this_version = VERSIONS[min(len(VERSIONS) - 1, int(x * len(VERSIONS)))]
        elif kind == "client_with_tools":
            this_version = "0.142.4" if late else "0.63.0"
        elif kind == "terser_users":
            p["terse"] = x
        elif kind == "seasons":
            p["mix"] = _blend(flavour, OTHER, 0.5 - 0.5 * math.cos(4 * math.pi * x))
        elif kind == "one_very_long" and s == long_at:
            p["long"], target = True, 5 * median
        elif kind == "tests_first":
            p["tdd"] = 0.05 + 0.8 * x
        elif kind == "plans_after_clear":
            p["clear"] = rng.random() < 0.85 * x
        elif kind == "another_user" and late:
            p["user"], p["mix"] = "b", OTHER
        elif kind == "another_language" and late:
            p["lang"] = "fr"
        elif kind == "rules_edited":
            p["rules"] = s == mid
            if s > mid:
                p["lint"], p["commit"] = 0.85, 0.85
        p["target"] = target if p["long"] else min(112, max(3, target))
        p["scale"] = min(1.8, max(0.5, (p["target"] / 36) ** 0.4)) if not p["long"] else 1.0
        branch = rng.choice(["main", "main", f"feature/{rng.choice(p['areas'])}", f"fix/{rng.choice(p['areas'])}"])
        w = (ClaudeWriter if fmt == "claude" else CodexWriter)(rng, cwd=cwd, version=this_version, model=this_model, branch=branch, start=max(starts[s], ended + 900))
        lives.append(Session(w, world, rng, p).live())
        ended = w.t
        if folder is not None:
            w.save(folder)
    return lives


def labels(lives):
    out = {k: [getattr(s, k) for s in lives] for k in ("calls", "errors", "reads", "rereads", "requests", "corrections", "interrupts")}
    out["results"] = [s.w.answered for s in lives]
    return out


def write_agent(kind, *, seed, sessions, folder):
    """Writes one life below `folder` and returns the labels of every session."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    return labels(_life(kind, seed, sessions, folder))
