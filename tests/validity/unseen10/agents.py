"""Kinds of simulated coding agents and the function that writes one life as trace files."""
import math
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from t10_engine import Life, lin  # noqa: E402

CODE = {"bugfix": .36, "feature": .34, "refactor": .16, "docs": .05, "review": .04, "ops": .05}
RUN = {"ops": .38, "review": .24, "data": .18, "docs": .10, "deps": .06, "bugfix": .04}


def blend(a, b, x):
    return {k: a.get(k, 0) * (1 - x) + b.get(k, 0) * x for k in set_sorted(a, b)}


def set_sorted(a, b):
    return sorted(set(a) | set(b))


def shift(t, i, n, mix):
    return blend(CODE, RUN, t)


def flip(t, i, n, mix):
    return blend(CODE, RUN, 1.0 if t >= .5 else 0.0)


def season(t, i, n, mix):
    return blend(CODE, RUN, .5 + .5 * math.cos(2 * math.pi * 2 * t))


def tdd_mix(t, i, n, mix):
    return blend(mix, {"tdd": 1.0}, .05 + .6 * t)


def ramp_from(x0, top):
    return lambda t, i, n: 0.0 if t < x0 else top * (t - x0) / (1 - x0)


def bursts(t, i, n):
    return .01 if t < .4 else .12 if (i % 4) < 2 else .03


K = {}


def kind(name, expects, mechanism, truth, fmt="claude", **prof):
    prof["fmt"] = fmt
    if expects != "healthy":
        prof.setdefault("ver", None)
    K[name] = ({"expects": expects, "mechanism": mechanism, "truth": truth}, prof)


H = "healthy"
kind("steady_claude", H, None, "Nothing changes; sessions only scatter.")
kind("steady_codex", H, None, "Nothing changes; sessions only scatter.", "codex")
kind("steady_german", H, None, "Nothing changes; user and agent speak German.", lang="de")
kind("task_shift_gradual", H, None, "Work moves slowly from coding to operations, review and data; every harm rate stays.", mix=shift)
kind("task_shift_sudden", H, None, "In the middle work flips from coding to operations, review and data; every harm rate stays.", "codex", mix=flip)
kind("files_grow", H, None, "All files nearly double in length; reading them costs more context, mistakes stay as rare.", grow=True)
kind("more_files", H, None, "Work spreads from 28 files to the whole repository and new files.", "codex", morefiles=True)
kind("subagents_adopted", H, None, "From a quarter of the life on, exploration moves into sub-agents.", sub=ramp_from(.25, .55))
kind("mcp_adopted", H, None, "From a third of the life on, shell checks are done by MCP tools.", mcp=lambda t, i, n: .08 if t < .33 else .75)
kind("model_upgrade", H, None, "A new model takes over in the middle, recorded, with no change of behaviour.", newmodel=True)
kind("client_upgrade_quiet", H, None, "The client is updated three times with no change of behaviour.", "codex", ver="many")
kind("client_renames_tools", H, None, "A client update renames sub-agent and to-do tools and replaces Grep and Glob by shell commands.", ver="one", rename=True, sub=.12)
kind("user_terser", H, None, "The user writes ever shorter requests.", terse=lin(0, .85))
kind("user_chattier", H, None, "The user writes ever longer, friendlier requests.", "codex", chat=lin(.02, .9))
kind("seasons", H, None, "Task mix and session length swing in two cycles.", mix=season, reqs=lambda t, i, n: 1 + .35 * math.cos(2 * math.pi * 2 * t + math.pi))
kind("holidays", H, None, "Two breaks of two to three weeks; nothing is lost in them.", "codex", holidays=True, lang="de")
kind("one_long_session", H, None, "One session in the middle has 24 requests and is compacted on the way; nothing follows from it.", longone=True)
kind("tdd_rising", H, None, "Test-driven work rises, so do tests that fail as wanted.", mix=tdd_mix, red=lin(0, .25))
kind("plans_after_clear", H, None, "More and more sessions begin with /clear and a long pasted plan; no harm follows.", plan=lin(.1, .7))
kind("second_user", H, None, "In the middle third another, more formal person gives the requests.", otheruser=True)
kind("language_switch", H, None, "In the middle third the user writes German.", lang=lambda t, i, n: "de" if 1 / 3 <= t < 2 / 3 else "en")
kind("rules_edited", H, None, "The instruction file is edited in the trace; from then on every edit is followed by format and lint.", habit=True)
kind("flaky_network", H, None, "The network fails in bursts from 40 % of the life on; the agent's own mistakes stay.", "codex", net=bursts)
kind("colleagues_push", H, None, "Colleagues push more and more, so files change under the agent and are read again for good reason.", push=lin(.15, 1.0))
kind("bigger_asks", H, None, "Requests list more and more points, and calls per request grow with them.", "codex", bigger=lin(0, 1.2))
kind("new_module", H, None, "From the middle on most work goes to the new module bagline.", "codex", module=lambda t, i, n: .0 if t < .45 else .75,
     mix=lambda t, i, n, m: m if t < .45 else blend(m, {"bagline": 1.0}, .65))
kind("permission_modes", H, None, "The permission mode changes several times, and with it how often the user declines a call.", modes=True)
kind("sessions_shorter", H, None, "Sessions shrink from about seven requests to three.", reqs=lin(1.5, .6))
kind("formatter_hook", H, None, "From the middle on a hook rewrites every edited file, which is then read again because it changed.", hook=True)
kind("value_churn", H, None, "Values are replaced ever more often; the share of outdated uses stays.", "codex", churn=lin(.7, 2.4))
kind("twin_reviews", H, None, "The user asks more and more to compare look-alike files; both are opened because both are named.", twin=lin(.02, .45))
kind("gloomy_user", H, None, "The user complains ever more about vendors, CI and weather, never about the agent.", gloom=lin(.03, .7))
kind("compactions_harmless", H, None, "Five compactions, none with a consequence.", "codex", events="compact", harm=False, window=10 ** 9)

A = "aging"
kind("reread", A, "compression", "Reads of unchanged content already seen rise from 10 to 30 % of reads.", reread=lin(.10, .30))
kind("reread_shell", A, "compression", "Shell reads of unchanged content already seen rise from 10 to 30 % of reads.", "codex", reread=lin(.10, .30))
kind("reread_other_ways", A, "compression", "The same content is looked at again by cat, sed, head, awk, Grep and others, from 10 to 30 % of reads.", reread=lin(.10, .30), ways=True)
kind("context_swells", A, "compression", "Context added per call doubles and calls that name no file or id rise by 15 points.", ctx=lin(1.0, 2.0), vague=lin(0, .17), window=10 ** 9, clear=0.0)
kind("asks_again", A, "compression", "Questions for what was told in the session rise from 3 to 25 % of requests.", ask=lin(.03, .25))
kind("asks_again_codex", A, "compression", "Questions for what was told in the session rise from 3 to 25 % of requests.", "codex", ask=lin(.03, .25))
kind("lookalike", A, "interference", "Wrong look-alike files rise from 3 to 18 % of first visits.", look=lin(.03, .18))
kind("lookalike_codex", A, "interference", "Wrong look-alike files rise from 3 to 18 % of first visits.", "codex", look=lin(.03, .18))
kind("lookalike_drift", A, "interference", "Wrong look-alike files rise from 3 to 18 % of first visits while .2 of the calls move from file tools to the shell.", look=lin(.03, .18), shellread=lin(.05, .50))
kind("stale_told", A, "revision", "Outdated values rise from 3 to 28 % of uses of values the user replaced.", stale=lin(.03, .28), slotmix=(1, 0, 0), uses=2.0)
kind("stale_shown", A, "revision", "Outdated values rise from 3 to 28 % of uses of values that a tool result replaced.", stale=lin(.03, .28), slotmix=(.2, .75, 0), uses=2.0)
kind("stale_two_part", A, "revision", "Outdated values rise from 3 to 28 % of uses of values known by hall and setting together.", stale=lin(.03, .28), slotmix=(.2, 0, .8), uses=2.0)
kind("stale_shell_codex", A, "revision", "Outdated values in shell options and environment variables rise from 3 to 28 % of uses.", "codex", stale=lin(.03, .28), slotmix=(.7, .3, 0), forms=("opt", "opt", "env"), uses=2.0)
kind("after_compaction", A, "maintenance", "After each of four or five compactions own errors rise by 12 points and calls by half until the end of the next session.", events="compact", harm=True, window=10 ** 9)
kind("after_clear", A, "maintenance", "After each of four or five /clear own errors rise by 12 points and calls by half until the end of the next session.", events="clear", harm=True, window=10 ** 9)
kind("errors", A, "reliability", "Own errors rise by 10 points.", err=lin(.045, .145))
kind("errors_codex", A, "reliability", "Own errors rise by 10 points.", "codex", err=lin(.045, .145))
kind("errors_strong", A, "reliability", "Own errors rise from 5 to 35 % of calls.", err=lin(.05, .35))
kind("corrections", A, "reliability", "Corrections by the user rise from 4 to 16 % of requests.", corr=lin(.04, .16))
kind("corrections_german", A, "reliability", "Corrections by the user rise from 4 to 16 % of requests, in German.", corr=lin(.04, .16), lang="de")
kind("shift_and_errors", A, "reliability", "Work shifts slowly and own errors rise by 12 points.", "codex", mix=shift, err=lin(.045, .165))
kind("shift_and_rereads", A, "compression", "Work shifts slowly and needless re-reads rise from 10 to 30 % of reads.", mix=shift, reread=lin(.10, .30))

S = "step"
kind("step_unrecorded", S, "reliability", "At one session in the middle third own errors rise by 12 and re-reads by 15 points for good; nothing is recorded.", step=True)
kind("step_client", S, "reliability", "With a new client version in the middle third own errors rise by 12 and re-reads by 15 points for good.", step=True, ver="one")
kind("step_model_codex", S, "reliability", "With a new model in the middle third own errors rise by 12 and re-reads by 15 points for good.", "codex", step=True, newmodel=True)

KINDS = {k: v[0] for k, v in K.items()}


def write_agent(kind, seed, sessions, folder):
    """Write one life; returns what was planted (per session), the values and the look-alike files, for check.py."""
    life = Life(kind, K[kind][1], seed, sessions, str(folder))
    return life.run()
