"""Kinds of simulated agents and `write_agent`."""
from __future__ import annotations
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from t9_life import MIX, Life, P  # noqa: E402

LATE = {"feature": .12, "bugfix": .14, "ops": .26, "docs": .10, "data": .26, "review": .12}
_SPEC: dict[str, dict] = {}
KINDS: dict[str, dict] = {}


def lin(a, b):
    return staticmethod(lambda i, u: a + (b - a) * u)


def after(x, a, b):
    return staticmethod(lambda i, u: b if u >= x else a)


def blend(f):
    return staticmethod(lambda i, u: {k: MIX[k] * (1 - f(u)) + LATE[k] * f(u) for k in MIX})


def kind(name, expects, mechanism, truth, **over):
    KINDS[name] = {"expects": expects, "mechanism": mechanism, "truth": truth}
    _SPEC[name] = over


def healthy(name, truth, **over):
    kind(name, "healthy", None, truth, **over)


def aging(name, mechanism, truth, **over):
    kind(name, "aging", mechanism, truth, **over)


CX = {"client": "codex"}
healthy("steady", "Nothing changes (Claude Code).")
healthy("steady_codex", "Nothing changes (Codex).", **CX)
healthy("steady_german", "Nothing changes; user and agent speak German throughout.", lang=staticmethod(lambda i, u: "de"))
healthy("task_shift_gradual", "The share of ops and data work rises gradually; work of each kind is done as before.", mix=blend(lambda u: u))
healthy("task_shift_once_codex", "From 45 % of the life on the mix of tasks is another one; work of each kind is done as before.", mix=blend(lambda u: float(u >= .45)), **CX)
healthy("files_grow", "The files of the repository grow to 2.5 times their size.", filesize=lin(1.0, 2.5))
healthy("more_files_codex", "Colleagues add about seven files per session, which then also become targets of work.", newfiles=staticmethod(lambda i, u: 7), **CX)
healthy("subagents_adopted", "From 35 % of the life on explorations are often given to subagents.", sub=after(.35, 0.0, .4))
healthy("mcp_adopted", "From 40 % of the life on a ticket server (MCP) is asked in most requests.", mcp=after(.40, 0.0, .65))
healthy("model_upgrade", "A new model from 50 % on, without any effect.", model=after(.5, "claude-sonnet-4-5-20250929", "claude-opus-4-6"))
healthy("model_upgrade_codex", "A new model from 50 % on, without any effect (Codex).", model=after(.5, "gpt-5.4", "gpt-5.5"), **CX)
healthy("client_upgrade", "A new client version from 45 % on, without any effect.", version=after(.45, "2.1.9", "2.1.29"))
healthy("client_renames", "A new client version from 50 % on calls the subagent and to-do tools by other names.", version=after(.5, "2.0.76", "2.1.63"), sub=staticmethod(lambda i, u: .2),
        names=after(.5, {}, {"task": "Agent", "todo": "TaskUpdate"}))
healthy("client_renames_codex", "A new client version from 50 % on replaces the tool shell by exec_command.", version=after(.5, "0.46.0", "0.142.5"), shell=after(.5, "shell", "exec"), **CX)
healthy("user_terser_codex", "The user writes ever shorter requests.", terse=lin(.05, .75), **CX)
healthy("seasons", "The mix of tasks swings with the season (two swings over the life).", mix=blend(lambda u: .5 - .5 * __import__("math").cos(4 * 3.14159265 * u)))
healthy("holidays_codex", "Breaks of two to four weeks, nothing else.", gap=staticmethod(lambda i, u: 0), _holidays=True, **CX)
healthy("one_long_session", "One session in the third quarter has about forty requests.", _long=True)
healthy("tdd_rising", "The user wants tests first ever more often, so ever more test runs fail as wanted.", tdd=lin(.28, .62))
healthy("plans_after_clear", "Ever more sessions open with /clear and a large pasted plan.", plan=lin(.03, .5))
healthy("other_user", "From 50 % on another user with another home directory and style.", user=after(.5, 0, 1))
healthy("other_language", "From 50 % on the user (and so the agent) speaks German.", lang=after(.5, "en", "de"))
healthy("rules_edited_codex", "At 40 % AGENTS.md is edited on request: lint after each edit; the agent keeps to it.", rules_at=.4, _lint=.6, **CX)
healthy("rules_edited", "At 40 % CLAUDE.md is edited on request: lint after each edit; the agent keeps to it.", rules_at=.4, _lint=.6)
healthy("network_flaky_codex", "The staging network gets worse: calls to it time out ever more often; no fault of the agent.", flaky=lin(.02, .40), **CX)
healthy("colleague_pushes", "A colleague changes files ever more often; the agent pulls and reads the changed files again, with reason.", colleague=lin(.05, .75))
healthy("bigger_asks", "Requests ask for ever more at once, so each needs more calls.", size=lin(1.0, 1.8))

RR = dict(reread=lin(.10, .30))
aging("rereads", "compression", "Needless re-reads of unchanged files rise from 10 to 30 % of reads.", **RR)
aging("rereads_codex", "compression", "Needless re-reads by shell of unchanged files rise from 10 to 30 % of reads.", **RR, **CX)
aging("context_bloat", "compression", "Context growth per call doubles and calls that name no file rise by 15 points.", growth=lin(1.0, 2.0), aimless=lin(.05, .215))
aging("context_bloat_codex", "compression", "Context growth per call doubles and calls that name no file rise by 15 points (Codex).", growth=lin(1.0, 2.0), aimless=lin(.05, .215), **CX)
aging("asks_again", "compression", "The agent asks again for what was already said in 3 to 25 % of requests.", reask=lin(.03, .25))
aging("asks_again_codex", "compression", "The agent asks again for what was already said in 3 to 25 % of requests (Codex).", reask=lin(.03, .25), **CX)
aging("lookalikes_drift", "interference", "Look-alike opened first in 3 to 18 % of first visits, and the tool mix for the same requests drifts (total variation about .2).", twin=lin(.03, .18), drift=lin(0, .36))
aging("lookalikes", "interference", "Look-alike opened first in 3 to 18 % of first visits.", twin=lin(.03, .18))
aging("lookalikes_codex", "interference", "Look-alike opened first in 3 to 18 % of first visits (Codex).", twin=lin(.03, .18), **CX)
aging("outdated_user", "revision", "Outdated values in 3 to 28 % of uses of replaced values; values told by the user.", stale=lin(.03, .28), channel="user")
aging("outdated_tool", "revision", "Outdated values in 3 to 28 % of uses of replaced values; values told by tool results.", stale=lin(.03, .28), channel="tool")
aging("outdated_option_codex", "revision", "Outdated values in 3 to 28 % of uses of replaced values, as options of shell commands; told by the user.", stale=lin(.03, .28), channel="user", **CX)
aging("after_compaction", "maintenance", "Four compactions; after each, to the end of the next session, own errors +10 points and calls x1.5.", maint="compact")
aging("after_clear", "maintenance", "Four /clear; in the session each opens and the next one own errors +10 points and calls x1.5.", maint="clear")
aging("errors", "reliability", "Own-fault errors rise by 10 points of all calls.", err=lin(0, .10))
aging("errors_codex", "reliability", "Own-fault errors rise by 10 points of all calls (Codex).", err=lin(0, .10), **CX)
aging("corrections", "reliability", "User corrections rise from 3 to 15 % of requests.", corr=lin(.03, .15))
aging("corrections_german", "reliability", "User corrections rise from 3 to 15 % of requests, in a German life.", corr=lin(.03, .15), lang=staticmethod(lambda i, u: "de"))
aging("shift_and_errors", "reliability", "The mix of tasks shifts gradually and own-fault errors rise by 10 points of all calls.", mix=blend(lambda u: u), err=lin(0, .10))
kind("step_unrecorded", "step", None, "From one session at 30-65 % of the life on errors +12 points and re-reads +15 points; nothing recorded.", _step=True)
kind("step_client_codex", "step", None, "From one session at 30-65 % of the life on errors +12 points and re-reads +15 points; a new client version at that session.", _step="client", **CX)


def step_at(kind: str, seed: int, sessions: int) -> int:
    """Index of the first session after the step."""
    return round(sessions * random.Random(f"t9s/{kind}/{seed}/{sessions}").uniform(.33, .62))


def write_agent(kind: str, seed: int, sessions: int, folder: pathlib.Path) -> None:
    """Write the transcript files of one simulated agent into `folder`."""
    over = dict(_SPEC[kind])
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(f"t9x/{kind}/{seed}/{sessions}")
    if over.pop("_long", None):
        at, size = round(sessions * rng.uniform(.5, .72)), rng.randint(36, 44)
        over["nreq"] = staticmethod(lambda i, u: size if i == at else None)
    if over.pop("_holidays", None):
        at = {round(sessions * x): rng.randint(14, 28) for x in (.3, .68)}
        over["gap"] = staticmethod(lambda i, u: next((at.pop(k) for k in list(at) if i >= k), 0))
    lint = over.pop("_lint", None)
    if lint:
        k = round(over["rules_at"] * sessions)
        over["lint"] = staticmethod(lambda i, u: lint if i > k else 0.0)
    step = over.pop("_step", None)
    if step:
        k = step_at(kind, seed, sessions)
        over["err"] = staticmethod(lambda i, u: .12 if i >= k else 0.0)
        over["reread"] = staticmethod(lambda i, u: .25 if i >= k else .10)
        if step == "client":
            over["version"] = staticmethod(lambda i, u: "0.144.1" if i >= k else "0.142.5")
    Life(kind, type("K", (P,), over), seed, sessions, folder).run()
