"""The public face: the kinds of agents and `write_agent`, which writes one life and returns its labels."""
from pathlib import Path

from .y22_life import Life

_H = {"steady_claude": "Nothing changes.", "tasks_drift": "The mix of tasks moves gradually; given the task all rates stay.", "files_grow": "Files get larger and are read in more and larger parts.",
      "subagents_adopted": "From the middle on many searches are given to subagents.", "mcp_adopted": "From the middle on MCP tools are used more and more.", "client_upgrades": "Nine client versions with changing shapes of records.",
      "terser_users": "Requests become shorter and shorter.", "holidays": "Two long breaks.", "plans_after_clear": "Later sessions begin with /clear and a large pasted plan.", "another_language": "The user switches to German or Spanish.",
      "steady_codex": "Nothing changes.", "tasks_switch": "The mix of tasks changes at once.", "repo_grows": "The repository gets many more files.", "model_upgrade": "A new model takes over, equally good.",
      "client_with_tools": "A client upgrade brings new tool names and output shapes.", "seasons": "The mix of tasks goes back and forth.", "one_very_long": "One session of up to 400 calls.",
      "tests_first": "Test-driven work grows from 5 % to 90 % of coding tasks, so more tests fail, on purpose.", "another_user": "Another person with other habits takes over.", "rules_edited": "AGENTS.md is edited several times."}
_D = {"h_errors_claude": ("claude", "reliability", "Slips rise linearly by 12 points of calls."), "h_errors_codex": ("codex", "reliability", "Slips rise linearly by 12 points of calls."),
      "h_errors_strong": ("codex", "reliability", "Slips rise linearly by 33 points of calls."), "h_rereads": ("claude", "compression", "Rereads rise linearly by 22 points of reads."),
      "h_lookalikes": ("claude", "interference", "The wrong one of similar files is opened first, rising by 25 points of such targets, with more searches."),
      "h_stale_shown": ("claude", "revision", "Outdated values rise by 26 points of uses; the new values were shown by tool results."),
      "h_stale_told": ("codex", "revision", "Outdated values rise by 26 points of uses; the new values were told by the user."),
      "h_after_compactions": ("claude", "maintenance", "In 40 % of sessions a compaction, and from there to the end of the session slips x2, rereads x2.4, work redone; no growth over life.")}
_S = {"s_client": ("claude", "maintenance", "Slips jump by 15 points in the middle, together with a new client version."),
      "s_silent": ("codex", "reliability", "Slips jump by 15 points in the middle, with nothing in the records that tells why.")}

KINDS = {k: {"format": "claude" if i < 10 else "codex", "expect": "healthy", "mechanism": None, "truth": t} for i, (k, t) in enumerate(_H.items())}
KINDS |= {k: {"format": f, "expect": e, "mechanism": m, "truth": t} for d, e in ((_D, "harmed"), (_S, "step")) for k, (f, m, t) in d.items()}


def write_agent(kind, *, seed, sessions, folder):
    """Write one life of `sessions` sessions of this kind into `folder`; return the labels, one number per session each."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    return Life(kind, KINDS[kind]["format"], seed, sessions).write(folder)
