"""Seventh set of simulated deployed agents: KINDS, write_agent(kind, seed, sessions, folder)."""
import json
import os
import shutil
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__))) if os.path.dirname(os.path.abspath(__file__)) not in sys.path else None

from t7_formats import Claude, Codex  # noqa: E402
from t7_life import Life  # noqa: E402

KINDS, SPECS = {}, {}


def kind(name, expects, mechanism, truth, form="claude_code", desk=False, planted=(), **spec):
    KINDS[name] = dict(expects=expects, mechanism=mechanism, truth=truth, form=form, agent="desk" if desk else "code", planted=list(planted))
    SPECS[name] = dict(spec, form=form, desk=desk, planted=tuple(planted))


H = lambda name, truth, **k: kind(name, "healthy", None, truth, **k)
A = lambda name, mech, truth, planted, **k: kind(name, "aging", mech, truth, planted=planted, **k)

# ---------------------------------------------------------------- healthy
H("even_coder", "nothing changes; a developer's assistant")
H("even_patcher", "nothing changes; the same in Codex, hardly a word besides the calls", form="codex", talk=.06)
H("even_desk", "nothing changes; a desk with some twenty tools", desk=True)
H("even_clumsy", "nothing changes; 13 % of calls fail by its own fault, 9 % of requests corrected, throughout", base=dict(error=.13, correct=.09))
H("even_rereader", "nothing changes; 28 % of reads are of unchanged known files, throughout", form="codex", base=dict(reread=.28))
H("tasks_glide", "fixes, features, tests give way to questions, reviews, docs and operations, gradually", shift=("glide", ("fix", "feature", "tests", "refactor"), ("explain", "review", "docs", "ops")))
H("tasks_jump", "the same change of work, from one session to the next", shift=("jump", ("fix", "feature", "tests", "refactor"), ("explain", "review", "docs", "ops")))
H("files_swell", "files become about three times as long; read in parts", has=("swell",))
H("files_multiply", "files in use 35 to 100 %, twice as many as elsewhere", form="codex", has=("multiply",))
H("helpers_adopted", "from 30 % of the life on subagents take over up to 60 % of the looking around", has=("helpers",))
H("atlas_adopted", "from 35 % of the life on an MCP symbol index takes over up to 65 % of the searches", has=("atlas",))
H("model_upgrade", "another model from the cut on, no effect", form="codex", has=("upgrade",))
H("client_same_tools", "four client versions: wrapping of errors, recorded tokens, extra records, line format change; behaviour does not", has=("versions",))
H("client_new_tools", "one client update at the cut: LSP takes half of the searches, TaskCreate replaces TodoWrite; no effect otherwise", has=("newtools",))
H("terser_user", "the same wishes in ever fewer words", has=("terser",))
H("seasons", "kinds of work come and go three times in the life", shift=("season", ("fix", "feature", "refactor"), ("tests", "docs", "ops", "review")))
H("holidays", "two gaps of three to five weeks", desk=True, has=("holidays",))
H("marathon", "one session of 55-70 requests at 45-80 % of the life", has=("marathon",))
H("red_first", "failing tests wanted first: 5 to 70 % of fixes, features and tests; red by request", form="codex", has=("redfirst",))
H("plan_pastes", "large plans pasted after /clear, 2 to 18 % of requests, ever more", has=("plans",))
H("user_handover", "another person from the cut on: home, hours, manner, somewhat other work", has=("handover",))
H("to_spanish", "Spanish instead of English from the cut on", desk=True, has=("spanish",))
H("rules_edited", "the instruction file is edited in three sessions; from then on a linter run after each change and a note read at the start", has=("linter",))
H("flaky_runner", "the test machine gets unreliable: 5 to 55 % of test runs fail by infrastructure and are run again", form="codex", has=("flaky",))
H("pulled_changes", "colleagues' merges: the user asks for a fresh look at changed files in 3 to 43 % of requests", has=("pulls",))
H("bundled_wishes", "the user puts ever more wishes into one prompt: 1.05 to 1.9 per prompt", has=("bundles",))
H("approvals", "from the cut on one shell call in six needs approval first and is made again", has=("sandbox",))
H("old_terms_wanted", "the user asks for the replaced value, 5 to 65 % of actions", desk=True, has=("oldvalues",))
H("swaps_harmless", "the user goes back and forth between two models, no effect", events=("swap", .5))
H("compactions_harmless", "a compaction in every second session, no effect", events=("compact", .5))

# ---------------------------------------------------------------- compression
NEAR = dict(size=12, near=.55)
A("reread_tool", "compression", "opens unchanged known files again: 10 to 30 % of reads", ("reread",), ramp=dict(reread=(.10, .30)), **NEAR)
A("reread_shell", "compression", "the same by cat, sed, nl", ("reread",), ramp=dict(reread=(.10, .30)), form="codex", **NEAR)
A("reread_record", "compression", "opens records again that it opened in this session: 10 to 30 % of openings", ("reread",), desk=True, ramp=dict(reread=(.10, .30)), size=15, weights=dict(lookup=.42, compare=.24, act=.12, message=.08))
A("asks_again", "compression", "asks for what the user told at the start of the session: 3 to 25 % of needs", ("ask",), desk=True, ramp=dict(ask=(.03, .25)), need=.95, size=15)
A("vague_calls", "compression", "short patterns without a path, whole files instead of parts: 8 to 45 % of looks; results larger, context fills faster, compactions 0.2 to 1 per session", ("vague",), ramp=dict(vague=(.08, .45)))
# ---------------------------------------------------------------- interference
A("twin_file", "interference", "opens the counterpart of the same name first: 3 to 18 % of first visits", ("alike",), ramp=dict(alike=(.03, .18)), size=12, near=.95)
A("twin_record", "interference", "opens the wrong one of two nearly equal hits first: 3 to 18 % of first openings", ("alike",), desk=True, ramp=dict(alike=(.03, .18)), size=22, find=.9, weights=dict(lookup=.45, compare=.28, act=.10, message=.06, schedule=.05, history=.04, summary=.02, note=.03))
A("twin_tool", "interference", "calls the look-alike tool (archive, legacy, template) first: 3 to 18 % of openings and histories", ("tool_alike",), desk=True, ramp=dict(tool_alike=(.03, .18)), size=15, weights=dict(lookup=.42, compare=.2, history=.2, act=.12, message=.08))
A("mix_drift_code", "interference", "for the same requests ever more Bash instead of Read, Grep, Glob: total variation about .27, nothing else", ("mix",), ramp=dict(mix=(.05, .57)))
A("mix_drift_desk", "interference", "for the same requests ever more of the second tool of each pair: total variation about .27, nothing else", ("mix",), desk=True, ramp=dict(mix=(.06, .50)))
# ---------------------------------------------------------------- revision
ST = dict(desk=True, ramp=dict(stale=(.03, .25)), size=15, weights=dict(act=.7, message=.2))
A("stale_plain", "revision", "replaced value in tool arguments, key as announced: 3 to 25 % of uses", ("stale",), **ST)
A("stale_composite", "revision", "the same, several values under one composite key or in one reference", ("stale",), style="composite", **ST)
A("stale_renamed", "revision", "the same, the field has another name than announced", ("stale",), style="renamed", **ST)
A("stale_option", "revision", "the same, shell options of roll-outs", ("stale",), form="codex", ramp=dict(stale=(.03, .25)), size=13, weights=dict(rollout=1.0))
# ---------------------------------------------------------------- maintenance
A("after_compact", "maintenance", "4-6 requests after each compaction: errors +12 points, calls x1.4", ("window",), events=("compact", .5), harm=("flat", .12, 1.4), size=11.5)
A("after_compact_growing", "maintenance", "the same, from a quarter of it to 1.75 times it over the life", ("window",), events=("compact", .6), harm=("grow", .12, 1.4), size=11.5)
A("after_clear", "maintenance", "the same after /clear within the file (flat)", ("window",), events=("clear", .5), harm=("flat", .12, 1.4), size=11.5)
A("after_swap", "maintenance", "the same after each change of model (flat)", ("window",), form="codex", events=("swap", .5), harm=("flat", .12, 1.4), size=11.5)
# ---------------------------------------------------------------- reliability
A("errors_up", "reliability", "agent errors 5 to 17 % of calls", ("error",), form="codex", ramp=dict(error=(.05, .17)))
A("errors_up_desk", "reliability", "agent errors 5 to 17 % of calls, desk", ("error",), desk=True, ramp=dict(error=(.05, .17)), size=14.5)
A("corrected_up", "reliability", "corrections in own words 3 to 15 % of requests", ("correct",), ramp=dict(correct=(.025, .16)), size=20, light=True, weights=dict(explain=.2, commit=.12, docs=.12))
A("held_up", "reliability", "interruptions and rejected calls 2 to 14 % of requests", ("stop",), ramp=dict(stop=(.02, .15)), size=19, light=True, weights=dict(explain=.2, commit=.12, docs=.12))
A("glide_and_errors", "reliability", "tasks_glide, and errors 5 to 17 % of calls", ("error",), ramp=dict(error=(.05, .17)), shift=SPECS["tasks_glide"]["shift"])
# ---------------------------------------------------------------- steps
kind("bad_update", "step", None, "one client version, at the cut: from it errors +12 points, reads per change about halved", planted=("error",), step=dict(error=.12), has=("fewreads",))
kind("silent_step", "step", None, "from the cut on, unrecorded: errors +11, corrections +10, re-reads +14, look-alikes +10 points, calls x1.3", planted=("error", "reread"), step=dict(error=.11, correct=.10, reread=.14, alike=.10, effort=1.3), has=("silent",))


def make(kind_name, seed, sessions):
    return Life(kind_name, SPECS[kind_name], seed, sessions)


def write_agent(kind, seed, sessions, folder, labels=None):
    """write one agent's trace into folder (emptied first) and the truth beside it; returns the folder"""
    folder = str(folder)
    life = make(kind, seed, sessions)
    plan = life.plan()
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    ids, starts = (Codex if life.form == "codex" else Claude)(life, folder).write(plan)
    if labels is not False:
        path = labels or folder.rstrip("/") + ".labels.json"
        truth = dict(KINDS[kind], kind=kind, seed=seed, n=sessions, sessions=ids, starts=starts, labels=life.labels, rates=life.rates, requests=life.extra["requests"], calls=life.extra["calls"], reads=life.extra["reads"])
        if KINDS[kind]["expects"] == "step" or life.has & {"upgrade", "newtools", "handover", "spanish", "sandbox"} or (SPECS[kind].get("shift") or ("",))[0] == "jump":
            truth["cut"] = life.cut
        with open(path, "w", encoding="utf-8") as f:
            json.dump(truth, f, separators=(",", ":"))
    return folder


if __name__ == "__main__":
    k, s, n, d = sys.argv[1:5]
    print(write_agent(k, int(s), int(n), d))
