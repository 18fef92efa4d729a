"""The kinds of simulated agents, and write_agent, which writes one life of one kind."""
from pathlib import Path

from .z23_world import Life

_HEALTHY = dict(
    steady_claude=("claude", {}, "Nothing changes."),
    tasks_drift=("claude", dict(mix="drift"), "The mix of tasks moves gradually; rates given the task stay."),
    files_grow=("claude", dict(files_grow=True), "Files get several times larger; rates stay."),
    subagents_adopted=("claude", dict(subagents=True), "Subagents are used in more and more requests; rates stay."),
    mcp_adopted=("claude", dict(mcp=True), "MCP tools replace more and more searches and lookups; rates stay."),
    client_upgrades=("claude", dict(upgrades=True), "The client is upgraded several times and writes records differently; rates stay."),
    terser_users=("claude", dict(terser=True), "The user writes shorter and shorter; rates stay."),
    holidays=("claude", dict(holidays=True), "There are gaps of several weeks; rates stay."),
    plans_after_clear=("claude", dict(plans=True), "More and more sessions begin with a large pasted plan after /clear; rates stay."),
    another_language=("claude", dict(german=True), "The user switches from English to German at once; rates stay."),
    steady_codex=("codex", {}, "Nothing changes."),
    tasks_switch=("codex", dict(mix="switch"), "The mix of tasks changes at once; rates given the task stay."),
    repo_grows=("codex", dict(repo_grows=True), "The repository gains files, look-alikes too; rates stay."),
    model_upgrade=("codex", dict(verbose_model=True), "A newer model takes a few more steps; rates stay."),
    client_with_tools=("codex", dict(new_tools=True), "An upgrade of the client brings new tool names; rates stay."),
    seasons=("codex", dict(mix="seasons"), "The mix of tasks goes back and forth; rates given the task stay."),
    one_very_long=("codex", dict(long=True), "One session has up to 400 calls; rates stay."),
    tests_first=("codex", dict(tests_first=True), "Test-driven work grows from 5 % to 90 % of tasks, so more tests fail; rates stay."),
    another_user=("codex", dict(another_user=True), "Another person with other habits takes over; rates stay."),
    rules_edited=("codex", dict(rules=True), "AGENTS.md is edited several times; rates stay."))
_HARMED = dict(
    h_errors_claude=("claude", dict(add=dict(slip=0.12)), "reliability", "Slips rise linearly by 12 points of calls."),
    h_errors_codex=("codex", dict(add=dict(slip=0.12)), "reliability", "Slips rise linearly by 12 points of calls."),
    h_errors_strong=("codex", dict(add=dict(slip=0.33)), "reliability", "Slips rise linearly by 33 points of calls."),
    h_rereads=("claude", dict(add=dict(reread=0.22)), "compression", "Rereads rise linearly by 22 points of reads."),
    h_lookalikes=("claude", dict(add=dict(pick=0.25)), "interference", "Look-alike picks rise linearly by 25 points of file targets, with more searches."),
    h_stale_shown=("claude", dict(add=dict(stale=0.26), news="shown"), "revision", "Outdated values rise linearly by 26 points of uses; new values were shown by tool results."),
    h_stale_told=("codex", dict(add=dict(stale=0.26), news="told"), "revision", "Outdated values rise linearly by 26 points of uses; new values were told by the user."),
    h_after_compactions=("claude", dict(after=True), "maintenance", "In 40 % of sessions a compaction is followed by more slips, rereads and redone work; not growing over life."))
_STEPS = dict(
    s_client=("claude", dict(step=dict(slip=0.15), client_step=True), "reliability", "Slips rise by 15 points at the middle session, together with a new client version."),
    s_silent=("codex", dict(step=dict(slip=0.15)), "reliability", "Slips rise by 15 points at the middle session; nothing in the records tells why."))

KINDS = {kind: dict(format=fmt, expects="healthy", mechanism=None, truth=truth) for kind, (fmt, _, truth) in _HEALTHY.items()}
KINDS.update({kind: dict(format=fmt, expects=expects, mechanism=mechanism, truth=truth)
              for expects, table in (("harmed", _HARMED), ("step", _STEPS)) for kind, (fmt, _, mechanism, truth) in table.items()})
_CONFIG = {kind: row[1] for table in (_HEALTHY, _HARMED, _STEPS) for kind, row in table.items()}


def _write(kind, seed, sessions, folder):
    life = Life(kind, _CONFIG[kind], KINDS[kind]["format"], seed, sessions)
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for i in range(sessions):
        life.session(i).save(folder)
    return life


def write_agent(kind, *, seed, sessions, folder):
    """Write one life into folder and return the labels: per name a list with one number per session."""
    return _write(kind, seed, sessions, folder).labels
