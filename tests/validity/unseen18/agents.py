"""The kinds of agents and the writing of one life."""
from r18_life import Life


def _h(fmt, truth):
    return {"format": fmt, "expects": "healthy", "mechanism": None, "truth": truth}


def _a(fmt, mech, truth):
    return {"format": fmt, "expects": "aging", "mechanism": mech, "truth": truth}


KINDS = {
    "steady_claude": _h("claude", "Nothing changes over the life."),
    "steady_codex": _h("codex", "Nothing changes over the life."),
    "tasks_drift": _h("claude", "The mix of tasks shifts gradually from building to running; the agent's rates stay."),
    "tasks_switch": _h("codex", "From the middle on another mix of tasks; the agent's rates stay."),
    "files_grow": _h("claude", "The files get three times as long, so more reads are of ranges."),
    "repo_grows": _h("codex", "Packages are added and the work moves to them."),
    "subagents_adopted": _h("claude", "Exploration goes more and more to subagents."),
    "mcp_adopted": _h("claude", "MCP tools replace more and more searches and some commands."),
    "model_upgrade": _h("codex", "Another model name from the middle on, same rates."),
    "client_upgrades": _h("claude", "The client version rises several times without effect."),
    "client_with_tools": _h("codex", "From the middle on a new client with other tool names, same rates."),
    "terser_users": _h("codex", "The requests get shorter and shorter."),
    "seasons": _h("claude", "The mix of tasks swings in two waves."),
    "holidays": _h("codex", "Two breaks of two to four weeks."),
    "one_very_long": _h("claude", "One session is five times as long, with three compactions."),
    "tests_first": _h("codex", "Work becomes test-driven; expected test failures go from seldom to most changes."),
    "plans_after_clear": _h("claude", "More and more sessions begin with /clear and a large pasted plan."),
    "another_user": _h("codex", "From the middle on another person with other words and other tasks."),
    "another_language": _h("claude", "From the middle on the requests are in Spanish or Polish."),
    "rules_edited": _h("codex", "The instruction file is edited on request in the middle; more linting and committing afterwards."),
    "h_errors_claude": _a("claude", "reliability", "Slips rise linearly by 12 points of all calls from the first to the last session."),
    "h_errors_codex": _a("codex", "reliability", "Slips rise linearly by 12 points of all calls from the first to the last session."),
    "h_rereads": _a("claude", "compression", "The share of needlessly repeated reads rises linearly from 8 to 30 percent."),
    "h_after_compactions": _a("claude", "maintenance", "A compaction in every third session; after it slips and repeated reads are 1.5 times (at the start of the life) to 2.5 times (at its end) as frequent and requests take 1.5 to 2 times the calls, to the end of that session."),
}


def write_agent(kind, *, seed, sessions, folder):
    """Write one life into folder; returns the labels per session."""
    return Life(kind, KINDS[kind], seed, sessions, str(folder)).run()
