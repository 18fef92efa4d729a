"""Blind test material: KINDS and write_agent. See README.md."""
import sys
from pathlib import Path
sys.path.insert(0, str(Path(__file__).resolve().parent))
from t8_sim import Agent, P, MIX, schedule

def _k(e, m, t): return {"expects": e, "mechanism": m, "truth": t}
H = "The agent's own behaviour per kind of work does not change; "
KINDS = {
 "h_cc_nothing": _k("healthy", None, "Claude Code: nothing changes over the life."),
 "h_codex_nothing": _k("healthy", None, "Codex: nothing changes over the life."),
 "h_tasks_gradual": _k("healthy", None, H + "the mix of tasks shifts gradually from bug fixing to ops, docs and reports."),
 "h_tasks_sudden": _k("healthy", None, H + "the mix of tasks shifts at one session from features to ops, review and reports."),
 "h_growing_files": _k("healthy", None, H + "the project's files grow fourfold."),
 "h_more_files": _k("healthy", None, H + "the project grows from 14 to 60 modules."),
 "h_subagents": _k("healthy", None, H + "from one session on exploration is often delegated to subagents."),
 "h_mcp_tool": _k("healthy", None, H + "from one session on issues are looked up with an MCP tool instead of gh."),
 "h_model_upgrade": _k("healthy", None, H + "the model name changes at one session without effect."),
 "h_client_upgrade": _k("healthy", None, H + "the client version changes at one session without effect."),
 "h_client_rename": _k("healthy", None, H + "a client version change renames Grep to Search and replaces TodoWrite by TaskUpdate."),
 "h_terser_user": _k("healthy", None, H + "the user's requests get ever terser."),
 "h_seasons": _k("healthy", None, H + "kinds of work come and go in cycles."),
 "h_holidays": _k("healthy", None, H + "there are gaps of two to five weeks between some sessions."),
 "h_long_session": _k("healthy", None, H + "one session is very long (35 to 45 requests)."),
 "h_tdd": _k("healthy", None, H + "ever more work is test-first, with wanted failing tests."),
 "h_plans": _k("healthy", None, H + "ever more sessions begin with /clear and a large pasted plan."),
 "h_other_user": _k("healthy", None, H + "from one session on another user with other wording writes."),
 "h_other_language": _k("healthy", None, H + "from one session on the user writes French (odd seeds: German)."),
 "h_instruction_edit": _k("healthy", None, H + "on request it edits CLAUDE.md in one session and from then on lints after edits and keeps a todo list, as told."),
 "h_flaky_ci": _k("healthy", None, H + "test and CI commands fail ever more often for environmental reasons, 3 to 35 %."),
 "a_compression_reread_cc": _k("aging", "compression", "Re-reads of unchanged files already read in the session rise from 8 to 28 % of reads (Read)."),
 "a_compression_reread_codex": _k("aging", "compression", "Re-reads of unchanged files already read in the session rise from 8 to 28 % of reads (cat/sed/nl in the shell)."),
 "a_compression_context": _k("aging", "compression", "Context growth per call doubles and searches that name no path (todo-like) rise from 5 to 20 % of calls."),
 "a_interference_mix": _k("aging", "interference", "Look-alike files opened first rise from 3 to 18 % of first visits and the tool mix for the same requests drifts by about .2."),
 "a_interference_lookalike": _k("aging", "interference", "Look-alike files opened first rise from 3 to 18 % of first visits."),
 "a_revision_user": _k("aging", "revision", "Uses of values the user had replaced rise from 3 to 28 % of uses."),
 "a_revision_tool": _k("aging", "revision", "Uses of values a tool result had replaced rise from 3 to 28 % of uses."),
 "a_maintenance_clear": _k("aging", "maintenance", "After each of four /clear events, in that session and the next one, errors are +10 points and calls x1.5."),
 "a_maintenance_compaction": _k("aging", "maintenance", "After each of four compactions, for the rest of that session and the next one, errors are +10 points and calls x1.5."),
 "a_reliability_errors_cc": _k("aging", "reliability", "Errors by the agent's own fault rise by 10 points of the calls (Claude Code)."),
 "a_reliability_errors_codex": _k("aging", "reliability", "Errors by the agent's own fault rise by 10 points of the calls (Codex)."),
 "a_reliability_corrections_en": _k("aging", "reliability", "User corrections rise from 3 to 15 % of requests (English)."),
 "a_reliability_corrections_de": _k("aging", "reliability", "User corrections rise from 3 to 15 % of requests (German throughout)."),
 "s_silent": _k("step", None, "From one session at 30-65 % of the life errors are +12 points and re-reads +15 points at once; nothing is recorded."),
 "s_bad_update": _k("step", None, "From one session at 30-65 % of the life, with a recorded client version change, errors are +12 points and re-reads +15 points at once."),
}
MIX_A = dict(MIX, bugfix=8, tests=4, feature=3, ops=.5, docs=.4, report=.3)
MIX_B = dict(MIX, bugfix=1.5, tests=1, feature=2, ops=3, docs=4, report=3, review=3)

def write_agent(kind: str, seed: int, sessions: int, folder: Path) -> None:
    if kind not in KINDS: raise KeyError(kind)
    folder = Path(folder); folder.mkdir(parents=True, exist_ok=True)
    a = Agent(f"t8/{kind}/{seed}/{sessions}", folder, codex="codex" in kind, nfiles=14 if kind == "h_more_files" else 34)
    r = a.rng; n = sessions
    step = round(n * r.uniform(.3, .65)); step = min(max(step, 1), n - 1)
    events = []
    if kind.startswith("a_maintenance"):
        for k in range(4):   # four events, each followed by at least one session before the next
            events.append(1 + int(k * (n - 1) / 4) + r.randint(0, max(0, int((n - 1) / 4) - 3)))
    gaps = {int(n * r.uniform(.2, .4)), int(n * r.uniform(.5, .6)), int(n * r.uniform(.7, .9))} if kind == "h_holidays" else set()
    long_at = round(n * r.uniform(.35, .75))
    phase = r.uniform(0, 6)
    if kind == "h_growing_files": base = {f: len(a.world.files[f]) for f in a.world.targets + list(a.world.twin.values()) + list(a.world.tests.values())}
    for i in range(n):
        u = i / (n - 1); p = P(); hook = None; kw = {}
        up = lambda x, y: x + (y - x) * u
        mixup = lambda A, B, t: {k: A[k] * (1 - t) + B[k] * t for k in A}
        late = i >= step
        if kind == "h_tasks_gradual": p.mix = mixup(MIX_A, MIX_B, u)
        elif kind == "h_tasks_sudden": p.mix = MIX_B if late else MIX_A
        elif kind == "h_growing_files":
            for f, b in base.items():
                k = int(b * (1 + 3 * u)) - len(a.world.files[f])
                if k > 8: a.world.grow(f, k, test="test" in f)
        elif kind == "h_more_files":
            while len(a.world.targets) < up(14, 60): 
                if a.world.new_module() is None: break
        elif kind == "h_subagents": p.sub = .55 if late else 0
        elif kind == "h_mcp_tool": p.mcp = late
        elif kind == "h_model_upgrade": a.main.model = "claude-opus-4-5-20251101" if late else "claude-sonnet-4-5-20250929"
        elif kind == "h_client_upgrade": a.main.version = "2.1.38" if late else "2.1.12"
        elif kind == "h_client_rename": a.main.version = "2.2.0" if late else "2.1.12"; p.rename = late
        elif kind == "h_terser_user": p.terse = up(.04, .9)
        elif kind == "h_seasons":
            import math
            t = (math.sin(phase + u * 14) + 1) / 2; p.mix = mixup(MIX_A, MIX_B, t)
        elif kind == "h_long_session" and i == long_at: p.reqs = r.randint(35, 45)
        elif kind == "h_tdd": p.tdd = up(.05, .7)
        elif kind == "h_plans": p.plan = up(.05, .75)
        elif kind == "h_other_user": p.lang = "en2" if late else "en"
        elif kind == "h_other_language": p.lang = ("de" if seed % 2 else "fr") if late else "en"
        elif kind == "h_instruction_edit":
            p.lint = i > step
            if i == step:
                p.reqs = r.randint(3, 5)
                hook = lambda ag, j: (r.choice(["Please add to CLAUDE.md that you always run the linter after each edit and keep a todo list for every request", "put this into CLAUDE.md: lint every file you edited, and start each task with a todo list", "From now on: linter after every edit, todo list first. Write that into CLAUDE.md please."]), lambda: _instruct(ag)) if j == 0 else None
        elif kind == "h_flaky_ci": p.flaky = up(.03, .35)
        elif kind.startswith("a_compression_reread"): p.reread = up(.08, .28)
        elif kind == "a_compression_context": p.verb = up(1, 3.05); p.vague = up(.05, .20)
        elif kind == "a_interference_mix": p.look = up(.03, .18); p.drift = up(0, 1)
        elif kind == "a_interference_lookalike": p.look = up(.03, .18)
        elif kind.startswith("a_revision"): p.stale = up(.03, .28); p.tells = "user" if kind.endswith("user") else "tool"
        elif kind.startswith("a_maintenance"):
            p.clear = p.compact = p.plan = 0; p.limit = 10 ** 9
            hit = P(err=.14, calls=1.38, clear=0, compact=0, plan=0, limit=10 ** 9)
            if kind.endswith("clear"):
                if i in events: p = hit; kw["cleared"] = True; p.reqs = r.randint(4, 7)
                elif i - 1 in events: p = hit
            else:
                if i - 1 in events: p = hit
                if i in events: kw.update(event_at=1, after=hit)
        elif kind.startswith("a_reliability_errors"): p.err = up(.04, .14)
        elif kind.startswith("a_reliability_corrections"):
            p.corr = up(.03, .15)
            if kind.endswith("de"): p.lang = "de"
        elif kind.startswith("s_"):
            if late: p.err, p.reread = .16, .23
            if kind == "s_bad_update" and late: a.main.version = "2.1.38"
        a.now = schedule(r, a.now, r.randint(14, 35) if i in gaps else 0)
        a.session(p, a.now, hook=hook, **kw)

def _instruct(ag):
    f = "AGENTS.md" if ag.codex else "CLAUDE.md"
    ag.look(f)
    L = ag.world.files[f]; old = L[-1]; new = old + "\n- Run the linter on every file you edited.\n- Start each request with a todo list and keep it up to date."
    L.extend(new.split("\n")[1:]); ag.edited.add(f)
    ag.emit(("Edit", {"file_path": ag.abs(f), "old_string": old, "new_string": new}, f"The file {ag.abs(f)} has been updated.", False, {"filePath": ag.abs(f), "oldString": old, "newString": new, "structuredPatch": [], "userModified": False, "replaceAll": False}))
    ag.p.lint = True
