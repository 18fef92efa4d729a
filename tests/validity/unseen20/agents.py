"""KINDS and write_agent: one project folder of transcripts for one life."""
import os, random
from w20_life import Life
from w20_write import Claude, Codex
_C = {"steady_claude":"Nothing changes.","tasks_drift":"The mix of tasks shifts gradually.","files_grow":"The files get three times as long.","subagents_adopted":"Exploration goes more and more to subagents.","mcp_adopted":"MCP tools replace more and more searches and some commands.","client_upgrades":"The client version rises several times, without effect.","terser_users":"Requests get shorter.","holidays":"Two breaks of some weeks.","plans_after_clear":"More and more sessions begin with /clear and a pasted plan.","another_language":"From the middle on requests are in French or Swedish."}
_X = {"steady_codex":"Nothing changes.","tasks_switch":"Another mix of tasks from the middle on.","repo_grows":"More and more packages, and work moves to them.","model_upgrade":"Another model name from the middle on, same rates.","client_with_tools":"A new client with other tool names from the middle on.","seasons":"The mix of tasks swings in two waves.","one_very_long":"One session is five times as long, with compactions.","tests_first":"Test-driven work rises, and failing tests with it.","another_user":"From the middle on another person with other words and tasks.","rules_edited":"The instruction file is edited in the middle; then more linting and committing."}
KINDS = {k: {"format": f, "expects": "healthy", "mechanism": None, "truth": v + " The agent's own rates stay constant."} for f, d in (("claude", _C), ("codex", _X)) for k, v in d.items()}

def write_agent(kind, *, seed, sessions, folder):
    os.makedirs(folder, exist_ok=True)
    fmt = KINDS[kind]["format"]; life = Life(kind, seed, sessions, fmt); r = random.Random(f"w20ids|{kind}|{seed}|{sessions}")
    W = Claude if fmt == "claude" else Codex; labels = {}
    for i in range(sessions):
        s, lab = life.session(i); W(life, s, r).write(folder)
        for k, v in lab.items(): labels.setdefault(k, []).append(int(v))
    return labels
