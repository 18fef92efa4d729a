"""The kinds of simulated agents and the one function that writes a life of one of them."""
from pathlib import Path

from .x21_life import LABELS, Life


def kind(format_, truth, expect="healthy", mechanism=None):
    return {"format": format_, "expect": expect, "mechanism": mechanism, "truth": truth}


KINDS = {
    "steady_claude": kind("claude", "Nothing changes."),
    "tasks_drift": kind("claude", "The mix of tasks moves gradually to data and operations; rates per kind of task stay."),
    "files_grow": kind("claude", "Files get several times larger; rates stay."),
    "subagents_adopted": kind("claude", "Subagents take over much of the searching; rates stay."),
    "mcp_adopted": kind("claude", "Tools of MCP servers come into use; rates stay."),
    "client_upgrades": kind("claude", "Up to six new client versions; rates stay."),
    "terser_users": kind("claude", "The user writes shorter and shorter; rates stay."),
    "holidays": kind("claude", "Two long breaks; rates stay."),
    "plans_after_clear": kind("claude", "More and more sessions begin with /clear and a large pasted plan; rates stay."),
    "another_language": kind("claude", "The user switches to German in the middle; rates stay."),
    "steady_codex": kind("codex", "Nothing changes."),
    "tasks_switch": kind("codex", "The mix of tasks changes at once in the middle; rates per kind of task stay."),
    "repo_grows": kind("codex", "More and more files and packages; rates stay."),
    "model_upgrade": kind("codex", "Another model from the middle on; rates stay."),
    "client_with_tools": kind("codex", "A client upgrade in the middle brings new tool names and output; rates stay."),
    "seasons": kind("codex", "The mix of tasks goes back and forth twice; rates per kind of task stay."),
    "one_very_long": kind("codex", "One session has up to 400 calls; rates stay."),
    "tests_first": kind("codex", "Test-driven work grows from 5 to 90 % of tasks, so more tests fail; rates stay."),
    "another_user": kind("codex", "Another person with other habits takes over in the middle; rates stay."),
    "rules_edited": kind("codex", "AGENTS.md is edited several times; rates stay."),
    "h_errors_claude": kind("claude", "Slips rise linearly by 12 points of calls.", "harmed", "reliability"),
    "h_errors_codex": kind("codex", "Slips rise linearly by 12 points of calls.", "harmed", "reliability"),
    "h_errors_strong": kind("codex", "Slips rise linearly by 33 points of calls.", "harmed", "reliability"),
    "h_rereads": kind("claude", "Needless rereads rise linearly by 22 points of reads.", "harmed", "compression"),
    "h_lookalikes": kind("claude", "Look-alike files are confused more and more, by 25 points of targets.", "harmed", "interference"),
    "h_stale_shown": kind("claude", "Outdated values rise by 26 points of uses; tool results had shown the new ones.", "harmed", "revision"),
    "h_stale_told": kind("codex", "Outdated values rise by 26 points of uses; the user had told the new ones.", "harmed", "revision"),
    "h_after_compactions": kind("claude", "In 40 % of sessions a compaction is followed by twice the slips, 2.4 times the rereads and redone work.", "harmed", "maintenance"),
    "s_client": kind("claude", "Slips rise by 15 points from the middle on, together with a new client version.", "step", "maintenance"),
    "s_silent": kind("codex", "Slips rise by 15 points from the middle on; nothing in the records tells why.", "step", "reliability"),
}


def write_full(kind, *, seed, sessions, folder):
    """Write one life and return all counts, those only check.py needs included."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    return Life(kind, KINDS[kind], seed, sessions, folder).run()


def write_agent(kind, *, seed, sessions, folder):
    """Write one life of `sessions` transcripts into `folder`; returns the labels, one number per session."""
    counts = write_full(kind, seed=seed, sessions=sessions, folder=folder)
    return {name: counts[name] for name in LABELS}
