"""Kinds of simulated agents and the function that writes one life."""
import math, os, random, zlib
from v19_fmt import Claude, Codex
from v19_life import Life
from v19_text import ITALIAN, DUTCH

_H = lambda f, t: dict(format=f, expects="healthy", mechanism=None, truth=t)
_A = lambda f, m, t: dict(format=f, expects="aging", mechanism=m, truth=t)
KINDS = {
 "steady_claude": _H("claude", "Nothing changes over the life."),
 "steady_codex": _H("codex", "Nothing changes over the life."),
 "tasks_drift": _H("claude", "The mix of tasks shifts gradually; the agent does not change."),
 "tasks_switch": _H("codex", "From the middle on the mix of tasks is another one; the agent does not change."),
 "files_grow": _H("codex", "The files become three times as long, so that more reads are of ranges."),
 "repo_grows": _H("claude", "More and more packages appear and the work moves to them."),
 "subagents_adopted": _H("claude", "Exploration goes more and more to subagents."),
 "mcp_adopted": _H("claude", "MCP tools replace more and more searches and some commands."),
 "model_upgrade": _H("codex", "Another model name from the middle on, with the same rates."),
 "client_upgrades": _H("claude", "The client version rises several times, without effect."),
 "client_with_tools": _H("codex", "A new client in the middle names its tools differently."),
 "terser_users": _H("claude", "The requests become shorter and shorter."),
 "seasons": _H("codex", "The mix of tasks swings in two waves."),
 "holidays": _H("codex", "Two breaks of some weeks."),
 "one_very_long": _H("claude", "One session is five times as long as the others and is compacted."),
 "tests_first": _H("claude", "Work becomes test driven: failing tests rise from seldom to most changes."),
 "plans_after_clear": _H("claude", "More and more sessions begin with /clear and a large pasted plan."),
 "another_user": _H("codex", "From the middle on another person with other words and other tasks."),
 "another_language": _H("claude", "From the middle on the requests are in Italian or Dutch."),
 "rules_edited": _H("codex", "The instruction file is edited on request in the middle; then more linting and committing."),
 "h_errors_claude": _A("claude", "reliability", "Slips rise by 12 points of all calls from the first to the last session."),
 "h_errors_codex": _A("codex", "reliability", "Slips rise by 12 points of all calls from the first to the last session."),
 "h_rereads": _A("claude", "compression", "The share of repeated reads rises from 8 to 30 per cent."),
 "h_lookalikes": _A("codex", "interference", "Files of nearly the same name are opened or edited first in 3 rising to 18 per cent of the file tasks, and searches become generic."),
 "h_after_compactions": _A("claude", "maintenance", "Every third session is compacted; in the requests after it slips, repeated reads and calls per request rise, by half at first and by more and more later."),
}


def _planner(kind, S, r):
    fmt = KINDS[kind]["format"]
    models = ["claude-opus-4-5-20251101", "claude-opus-4-6"] if fmt == "claude" else ["gpt-5.2-codex", "gpt-5.5"]
    ver = ["2.1.29", "2.1.34", "2.1.38", "2.1.45", "2.1.63", "2.1.77"] if fmt == "claude" else ["0.104.0", "0.142.5"]
    v0 = r.randrange(len(ver) - 1)
    mid = S // 2 + r.choice((-1, 0, 0, 1))
    lang = r.choice((ITALIAN, DUTCH))
    long_at = int(S * r.uniform(.25, .75))
    cut = {int(S * .35), int(S * .68)}
    tdd0 = r.uniform(.03, .08)
    third = r.randrange(3)

    def plan(s, L):
        f = s / (S - 1)
        late = s >= mid
        g = dict(scale=1.0, npkg=5, newpkg=0, mcp=L.lv["mcp"] if fmt == "claude" else 0, sub=L.lv["sub"], fail=L.lv["fail"], lint=L.lv["lint"], commit=L.lv["lint"] * .7,
                 tdd=0, terse=.06, user=L.user, lang=None, mixes=L.mix, clear=.04 if fmt == "claude" else 0, rules=False, shock=0, shock_len=1,
                 err_add=0, reread_add=0, look_add=0, gen_add=0, version=ver[v0], model=models[0], old_tools=False, size=1, comp=None, comp_at=None,
                 tiny_off=False, gap=0)
        blend = lambda x: {k: (1 - x) * L.mix[k] / sum(L.mix.values()) + x * L.mix_b[k] / sum(L.mix_b.values()) for k in L.mix}
        if kind == "tasks_drift": g["mixes"] = blend(f)
        elif kind == "tasks_switch": g["mixes"] = blend(1.0 if late else 0.0)
        elif kind == "files_grow": g["scale"] = 1 + 2 * f
        elif kind == "repo_grows": g["npkg"] = 5 + round(7 * f); g["newpkg"] = .75 * f
        elif kind == "subagents_adopted": g["sub"] = min(.8, .03 + .7 * f)
        elif kind == "mcp_adopted": g["mcp"] = .03 + .75 * f
        elif kind == "model_upgrade": g["model"] = models[late]
        elif kind == "client_upgrades": g["version"] = ver[min(len(ver) - 1, int(f * len(ver)))]
        elif kind == "client_with_tools": g["old_tools"] = not late; g["version"] = ver[1] if late else "0.39.0"
        elif kind == "terser_users": g["terse"] = .05 + .85 * f
        elif kind == "seasons": g["mixes"] = blend(.5 - .5 * math.cos(4 * math.pi * f))
        elif kind == "holidays" and s in cut: g["gap"] = r.randrange(15, 27)
        elif kind == "one_very_long" and s == long_at: g.update(size=5, comp=True, comp_at=(.3, .55, .8), tiny_off=True)
        elif kind == "tests_first": g["tdd"] = tdd0 + .75 * f; g["fail"] = .08 + .7 * f
        elif kind == "plans_after_clear": g["clear"] = .05 + .85 * f
        elif kind == "another_user" and late: g["user"] = L.user_b; g["mixes"] = L.mix_b
        elif kind == "another_language" and late: g["lang"] = lang
        elif kind == "rules_edited":
            g["rules"] = s == mid
            if s > mid: g["lint"] = .85; g["commit"] = .75
        elif kind.startswith("h_errors"): g["err_add"] = .12 * f
        elif kind == "h_rereads": g["reread_add"] = .22 * f
        elif kind == "h_lookalikes": g["look_add"] = .15 * f; g["gen_add"] = .45 * f
        elif kind == "h_after_compactions":
            g.update(comp=s % 3 == third, shock=1.5 + 1.5 * f, shock_len=1.5 + .5 * f)
        return g
    return plan


def write_agent(kind, *, seed, sessions, folder):
    """Write one life into folder; return per-session label lists."""
    r = random.Random(zlib.crc32(f"v19|{kind}|{seed}|{sessions}".encode()) * 65537 + 11)
    os.makedirs(folder, exist_ok=True)

    def put(name, lines):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as h: h.write("\n".join(lines) + "\n")
    fmt = KINDS[kind]["format"]
    return Life(r, fmt, Claude if fmt == "claude" else Codex, sessions, _planner(kind, sessions, r)).run(put)
