"""Thirty kinds of simulated coding agents; write_agent writes one life as transcripts."""
import os
import s17_claude
import s17_codex
from s17_life import Life

KINDS, SPEC = {}, {}


def _ups(life, i):
    v = ["2.0.14", "2.0.22", "2.0.37", "2.0.55", "2.0.76", "2.1.5", "2.1.19"]
    return v[min(len(v) - 1, i * len(v) // life.N)]


def _step(life, i):
    return "2.1.23" if i >= life.N // 2 else "2.0.58"


def _kind(name, fmt, truth, expects="healthy", mechanism=None, **spec):
    KINDS[name] = dict(format=fmt, expects=expects, mechanism=mechanism, truth=truth)
    SPEC[name] = dict(spec, format=fmt)


_kind("steady_claude", "claude", "Nothing changes.")
_kind("steady_codex", "codex", "Nothing changes.")
_kind("tasks_drift", "claude", "The mix of tasks shifts gradually from code to operations and data.", mix="drift")
_kind("tasks_switch", "codex", "Another mix of tasks from the middle on.", mix="switch")
_kind("files_grow", "codex", "The files become three times as long, so more reads are of ranges.", files_grow=True)
_kind("repo_grows", "claude", "New packages are added and the work moves to them.", repo_grows=True)
_kind("subagents_adopted", "claude", "Exploration goes more and more to subagents.", subagents=True)
_kind("mcp_adopted", "codex", "MCP tools replace more and more searches and some commands.", mcp=True)
_kind("model_upgrade", "codex", "Another model name from the middle on, with the same rates.", model2=True)
_kind("client_upgrades", "claude", "The client's version rises six times, without effect.", versions=_ups)
_kind("client_with_tools", "codex", "A new client in the middle gives the tools other names.", tools2=True)
_kind("terser_users", "codex", "Requests become shorter and shorter.", terser=True)
_kind("seasons", "claude", "The mix of tasks swings in two waves.", mix="waves")
_kind("holidays", "codex", "Two breaks of some weeks.", holidays=True)
_kind("one_very_long", "claude", "One session is five times as long and is compacted four times.", one_very_long=True)
_kind("tests_first", "codex", "Work becomes test-driven, so failing tests rise.", tests_first=True)
_kind("plans_after_clear", "claude", "More and more sessions begin with /clear and a large pasted plan.", plans=True)
_kind("another_user", "codex", "From the middle on another person with other words and other tasks.", another_user=True, mix="switch")
_kind("another_language", "claude", "From the middle on requests are in German or Spanish.", another_language=True)
_kind("rules_edited", "claude", "CLAUDE.md is edited on request in the middle; then more linting and committing.", rules=True)
_kind("h_errors_claude", "claude", "Slips rise by 12 points of all calls.", "aging", "reliability", rise=dict(slip=.12))
_kind("h_errors_codex", "codex", "Slips rise by 12 points of all calls.", "aging", "reliability", rise=dict(slip=.12))
_kind("h_errors_strong", "claude", "Slips rise from about 5 to 38 percent of calls.", "aging", "reliability", rise=dict(slip=.33))
_kind("h_rereads", "codex", "Repeated reads rise from about 8 to 30 percent of reads.", "aging", "compression", rise=dict(reread=.22))
_kind("h_lookalikes", "claude", "Wrong look-alike files are opened or edited first (3 to 18 percent of file targets) and searches become more generic.", "aging", "interference", rise=dict(look=.15, generic=.22))
_kind("h_stale_shown", "codex", "Outdated values rise from about 4 to 30 percent of uses; values are shown by tool results.", "aging", "revision", rise=dict(stale=.26), values="shown")
_kind("h_stale_told", "claude", "Outdated values rise from about 4 to 30 percent of uses; values are told by users.", "aging", "revision", rise=dict(stale=.26), values="told")
_kind("h_after_compactions", "claude", "Compactions in every third session; after one, slips, repeated reads and calls per request are higher until the session ends.", "aging", "maintenance", compactions=True)
_kind("s_client", "claude", "A new client version in the middle comes with slips up by 15 points at once.", "step", "reliability", step=.15, versions=_step)
_kind("s_silent", "codex", "Slips up by 15 points at once from the middle on, without any recorded change.", "step", "reliability", step=.15)


def build(kind, seed, sessions):
    return Life(kind, SPEC[kind], seed, sessions)


def write_agent(kind, *, seed, sessions, folder):
    os.makedirs(folder, exist_ok=True)
    life = build(kind, seed, sessions)
    (s17_claude if SPEC[kind]["format"] == "claude" else s17_codex).write(life, folder, seed)
    return {k: [s.lab[k] for s in life.sessions] for k in life.sessions[0].lab}
