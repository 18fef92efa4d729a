"""Simulated lives of coding agents. write_agent(kind, seed, sessions, folder)."""
import os, math, random, zlib, datetime as dt
import s11_world as W
from s11_write import Claude, Codex

BASE = dict(err=.045, reread=.10, look=.03, oT=.03, oS=.03, ask=.03, corr=.04, intr=.01)
AR = ("err", "reread", "look", "oT", "oS", "ask", "corr", "intr", "work", "reqs", "vague")
CLEAD = "the work stays the same"


def K(fmt, expects, mech, truth, **p):
    return dict(fmt=fmt, expects=expects, mechanism=mech, truth=truth, p=p)


_H, _A, _S = "healthy", "aging", "step"
SPEC = {
 "calm_claude": K("claude", _H, None, "Nothing changes over the life (Claude Code)."),
 "calm_codex": K("codex", _H, None, "Nothing changes over the life (Codex)."),
 "tasks_drift": K("claude", _H, None, "The mix of tasks moves gradually from bug fixing and features to operations and documents.", mix="drift"),
 "tasks_jump": K("codex", _H, None, "The mix of tasks changes at once in the middle of the life.", mix="jump"),
 "files_grow": K("claude", _H, None, "The files grow to about three times their length; the agent reads more parts of them.", grow=True),
 "files_added": K("codex", _H, None, "The repository doubles from about 100 to 200 files.", more=True),
 "subagents_in": K("claude", _H, None, "From a third of the life on, searching is handed more and more to subagents.", subagents=True),
 "mcp_in": K("claude", _H, None, "MCP tools replace part of the shell commands from a third of the life on.", mcp=True),
 "model_swap": K("claude", _H, None, "A new model from the middle on, which behaves the same.", model=True),
 "client_steps": K("codex", _H, None, "Four client upgrades without effect.", clients=True),
 "client_tools": K("claude", _H, None, "A client upgrade removes Grep, Glob and TodoWrite and brings new tools; no harm.", newtools=True),
 "terse_user": K("claude", _H, None, "The user writes shorter and shorter requests.", terse=True),
 "seasons": K("codex", _H, None, "The mix of tasks swings cyclically, three periods over the life.", mix="season"),
 "holidays": K("claude", _H, None, "Two breaks of two and three weeks; nothing else changes.", holidays=True),
 "marathon": K("claude", _H, None, "One session is very long (about 40 requests, several compactions).", marathon=True),
 "red_tests": K("codex", _H, None, "Test-driven work: the share of failing test runs rises from 25 to 70 %, the agent's own errors do not.", red=True),
 "plans_pasted": K("claude", _H, None, "More and more sessions start with /clear and a long pasted plan.", plans=True),
 "user_swap": K("codex", _H, None, "Another user with another voice and home directory from the middle on.", user2=True),
 "tongue_swap": K("claude", _H, None, "The user writes German instead of English from the middle on.", tongue=True),
 "rules_edit": K("claude", _H, None, "CLAUDE.md is edited in the trace; habits (just recipes, lint after edits, commit style) change after it without harm.", rules=True),

 "rereads_tool": K("claude", _A, "compression", "Re-reads of unchanged parts rise from 10 to 30 % of reads.", ramp={"reread": (.10, .30)}),
 "rereads_shell": K("codex", _A, "compression", "Re-reads by shell rise from 10 to 30 % of reads.", ramp={"reread": (.10, .30)}),
 "vague_calls": K("claude", _A, "compression", "Calls that name no path or id rise by 15 points and the context per call doubles.", ramp={"vague": (.28, .82), "ctx": (0, 1)}),
 "lookalike_mix": K("claude", _A, "interference", "Look-alike files rise from 3 to 18 % of first visits and .2 of the calls move from Read/Grep to the shell.", ramp={"look": (.03, .18), "shell": (.08, .58)}),
 "lookalike_codex": K("codex", _A, "interference", "Look-alike files rise from 3 to 18 % of first visits.", ramp={"look": (.03, .18)}),
 "stale_told": K("claude", _A, "revision", "Uses of outdated values told by users rise from 4 to 28 %.", ramp={"oT": (.04, .28)}, tshare=.8, uses=2.0),
 "stale_shown": K("codex", _A, "revision", "Uses of outdated values shown by tools under a two-part key rise from 4 to 28 %.", ramp={"oS": (.04, .28)}, tshare=.2, uses=2.0),
 "errors_claude": K("claude", _A, "reliability", "Own errors rise from 5 to 17 % of calls.", ramp={"err": (.05, .17)}),
 "errors_codex": K("codex", _A, "reliability", "Own errors rise from 5 to 17 % of calls.", ramp={"err": (.05, .17)}),
 "errors_steep": K("codex", _A, "reliability", "Own errors rise from 5 to 35 % of calls.", ramp={"err": (.05, .35)}),
 "after_compact": K("claude", _A, "maintenance", "In the session after each of four compactions errors are up 12 points and calls per request x1.5.", maint="compact"),
 "after_clear": K("claude", _A, "maintenance", "In the session opened by each of four /clear errors are up 12 points and calls per request x1.5.", maint="clear"),
 "corrected_en": K("claude", _A, "reliability", "Corrections by the user rise from 4 to 16 % of requests (English).", ramp={"corr": (.04, .16)}),
 "corrected_de": K("claude", _A, "reliability", "Corrections by the user rise from 4 to 16 % of requests (German).", ramp={"corr": (.04, .16)}, german=True),
 "drift_errors": K("claude", _A, "reliability", "Gradual shift of tasks and own errors up 12 points.", mix="drift", ramp={"err": (.05, .17)}),
 "drift_rereads": K("claude", _A, "compression", "Gradual shift of tasks and re-reads up 20 points.", mix="drift", ramp={"reread": (.10, .30)}),

 "step_silent": K("claude", _S, None, "From one session on errors +12 and re-reads +15 points, nothing recorded.", step="none"),
 "step_client": K("claude", _S, None, "From one session on errors +12 and re-reads +15 points, together with a new client version.", step="client"),
 "step_model": K("codex", _S, None, "From one session on errors +12 and re-reads +15 points, together with a new model.", step="model"),
}
KINDS = {k: {"expects": v["expects"], "mechanism": v["mechanism"], "truth": v["truth"]} for k, v in SPEC.items()}

MIX0 = dict(bugfix=.24, feature=.20, refactor=.13, ops=.13, docs=.07, investigate=.13, tests=.10)
MIX1 = dict(bugfix=.09, feature=.08, refactor=.05, ops=.36, docs=.24, investigate=.13, tests=.05)
PLAN = {  # head, loop, tail
 "bugfix": (["grep", "read", "read"], ["edit", "test", "read", "grep"], ["edit", "test"]),
 "feature": (["todo", "glob", "read", "read"], ["edit", "edit", "read", "test", "write"], ["test", "lint", "commit"]),
 "refactor": (["grep", "read", "read"], ["edit", "read", "edit", "test"], ["test"]),
 "ops": (["show", "read"], ["edit", "status", "read", "grep"], ["diff"]),
 "docs": (["read", "read", "grep"], ["edit", "read", "edit"], ["diff"]),
 "investigate": (["grep", "read", "read"], ["grep", "read", "read", "gitlog"], []),
 "tests": (["read", "read"], ["edit", "test", "edit", "test", "read"], ["edit", "test"]),
}
AREAS = {"ops": ("deploy", "scripts"), "docs": ("docs",)}


class Life:
    def __init__(s, kind, seed, n, folder):
        s.kind, s.spec, s.n = kind, SPEC[kind], n
        s.p = s.spec["p"]
        s.r = random.Random(zlib.crc32(f"{kind}/{seed}/{n}".encode()) * 1009 + seed)
        r = s.r
        s.cwd = "/home/ruben/src/reeferline" if s.spec["fmt"] == "codex" else "/Users/ruben/code/reeferline"
        s.w = (Codex if s.spec["fmt"] == "codex" else Claude)(r, folder, s.cwd)
        s.cx = s.spec["fmt"] == "codex"
        s.all = W.base_files()
        s.late = W.more_files() if s.p.get("more") else []
        r.shuffle(s.late)
        s.content, s.ver = {}, {}
        s.size = {}
        s.fam = {}
        s.areas = {}
        for f in s.all:
            s.register(f)
        s.T, s.S = W.told_values(), W.shown_values()
        s.hT, s.hS = {k: [] for k in s.T}, {k: [] for k in s.S}
        s.seenS = {k: [] for k in s.S}
        s.used = set()
        s.mult = {}
        for k in AR:
            z, l = r.gauss(0, 1), []
            for _ in range(n):
                l.append(math.exp(.25 * z - .03125))
                z = .3 * z + math.sqrt(1 - .09) * r.gauss(0, 1)
            s.mult[k] = l
        s.truth = []
        s.nover = 0
        s.rules = False
        s.events = set()
        if s.p.get("maint"):
            slots = [(i + .5) * (n - 1) / 4 for i in range(4)]
            s.events = {max(1, min(n - 2, int(x + r.uniform(-.15, .15) * n / 4))) for x in slots}
        s.stepat = int(round(n * r.uniform(.4, .6)))

    def register(s, f):
        s.size[f] = int(40 + 220 * s.r.random() ** 1.4)
        s.areas.setdefault(W.area_of(f), []).append(f)
        key = (f.split("/")[0], f.rsplit("/", 1)[1])
        s.fam.setdefault(key, []).append(f)

    def text(s, f):
        c = s.content.get(f)
        if c is None:
            c = s.content[f] = W.gen_lines(f, s.size[f], s.r)
            s.ver[f] = 0
        return c

    def chunk(s, f):
        return (60, 80, 100, 120)[zlib.crc32(f.encode()) % 4]

    # ------------------------------------------------------------ rates
    def rates(s, i):
        t = i / (s.n - 1)
        R = dict(BASE, vague=.30, ctx=0, shell=.08)
        for k, (a, b) in s.p.get("ramp", {}).items():
            R[k] = a + (b - a) * t
        R["calls"] = 1.0
        if s.p.get("step"):
            R["err"] = .05
            if i >= s.stepat:
                R["err"] += .12
                R["reread"] += .15
        s.harmed_after = False
        if (s.p.get("maint") == "compact" and i - 1 in s.events) or (s.p.get("maint") == "clear" and i in s.events):
            R["err"] += .12
            R["calls"] = 1.5
            s.harmed_after = True
        for k in AR:
            if k in R:
                R[k] *= s.mult[k][i]
        R["vague"] = min(.97, R["vague"])
        R["t"] = t
        w = 0
        m = s.p.get("mix")
        if m == "drift":
            w = t
        elif m == "jump":
            w = 1.0 if t >= .5 else 0.0
        elif m == "season":
            w = .5 - .5 * math.cos(2 * math.pi * 3 * t)
        R["mix"] = {k: MIX0[k] * (1 - w) + MIX1[k] * w for k in MIX0}
        R["fail"] = .25 + (.45 * t if s.p.get("red") else 0)
        if s.p.get("red"):
            R["mix"]["tests"] += .25
        return R

    # ------------------------------------------------------------ emit with own errors
    def do(s, kind, op):
        r, R, c = s.r, s.R, s.c
        e = min(.8, R["err"])
        while r.random() < e:
            bad = s.bad(kind, op)
            c["calls"] += 1
            c["errors"] += 1
            s.send(bad)
        c["calls"] += 1
        c["vague"] += bool(op.get("vague"))
        s.send(op)

    def send(s, op):
        r = s.r
        if s.collect is not None:
            s.collect.append(op)
            return
        th = W.phrase(r, r.choice(W.THINK)) if r.random() < .3 else None
        sy = W.phrase(r, r.choice(W.SAY)) if r.random() < .18 else None
        s.w.message(th, sy, op)

    def abs(s, f):
        return f"{s.cwd}/{f}"

    def bash(s, cmd, text, rc=0, dur=(.1, 3), vague=False):
        if s.cx:
            return dict(tool="shell", input={"command": ["bash", "-lc", cmd], "workdir": s.cwd}, text=text, rc=rc, dur=dur, vague=vague)
        desc = s.r.choice(["Run ", "Check ", "Execute ", "Verify with "]) + " ".join(cmd.split()[:2])
        if rc:
            t = f"Exit code {rc}\n{text}"
            return dict(tool="Bash", input={"command": cmd, "description": desc}, text=t, err=True, tur="Error: " + t, dur=dur, vague=vague, rc=rc)
        return dict(tool="Bash", input={"command": cmd, "description": desc}, text=text, tur={"stdout": text, "stderr": "", "interrupted": False, "isImage": False}, dur=dur, vague=vague)

    def bad(s, kind, op):
        """A wrong attempt at the same thing."""
        r = s.r
        f = op.get("path")
        tool = op["tool"]
        x = r.random()
        if tool in ("Read", "Grep", "Glob", "LSP") or (kind in ("read", "grep") and f):
            if f and "." in f.rpartition("/")[2] and "/" in f and x < .75:
                d, b = f.rsplit("/", 1)
                st, ex = b.rsplit(".", 1)
                g = r.choice([f"{d}/{st}s.{ex}", f"{d.split('/')[0]}/{b}", f"{d}/src/{b}", f"{d}/{st}_impl.{ex}", f"{d}/{st}.{'py' if ex != 'py' else 'rs'}", f"src/{f}"])
                if g in s.size:
                    g = f"{d}/{st}_main.{ex}"
                if tool == "Read":
                    i = dict(op["input"], file_path=s.abs(g))
                    t = "<tool_use_error>File does not exist.</tool_use_error>"
                    return dict(tool="Read", input=i, text=t, err=True, tur="Error: File does not exist.")
                if tool == "Grep":
                    t = f"Path does not exist: {s.abs(g)}"
                    return dict(tool="Grep", input=dict(op["input"], path=s.abs(g)), text=f"<tool_use_error>{t}</tool_use_error>", err=True, tur="Error: " + t)
                c = r.choice(["cat {g}", "sed -n '1,120p' {g}", "rg -n {a} {g}"]).format(g=g, a=r.choice(W.NOUN))
                t = f"rg: {g}: No such file or directory (os error 2)" if c.startswith("rg") else f"{c.split()[0]}: {g}: No such file or directory"
                return s.bash(c, t, 2 if c[0] == "r" else 1)
            if tool in ("Grep", "Glob"):
                pat = r.choice(W.NOUN) + r.choice(["(", "[", "{2"])
                t = f"ripgrep error: regex parse error:\n    {pat}\n    ^\nerror: unclosed group"
                return dict(tool="Grep", input={"pattern": pat}, text=t, err=True, tur="Error: " + t)
            if tool == "Read":
                t = "EISDIR: illegal operation on a directory, read"
                return dict(tool="Read", input={"file_path": s.abs(f.rsplit("/", 1)[0]) if f else s.cwd}, text=t, err=True, tur="Error: " + t)
        if tool == "Edit":
            if x < .8:
                o = s.mangle(op["input"]["old_string"])
                i = dict(op["input"], old_string=o)
                t = f"String to replace not found in file.\nString: {o}"
            else:
                i = dict(op["input"], file_path=op["input"]["file_path"].replace("/src/", "/").replace("reeferline/", "reeferline/app/", 1))
                t = "File does not exist."
            return dict(tool="Edit", input=i, text=f"<tool_use_error>{t}</tool_use_error>", err=True, tur="Error: " + t)
        if tool == "apply_patch" and f and op.get("old"):
            o = s.mangle(op["old"])
            p = f"*** Begin Patch\n*** Update File: {f}\n@@\n" + "\n".join("-" + l for l in o.split("\n")) + "\n" + "\n".join("+" + l for l in op["new"].split("\n")) + "\n*** End Patch\n"
            return dict(tool="apply_patch", input=p, text=f"apply_patch verification failed: Failed to find expected lines in {s.abs(f)}:\n{o}", raw=True)
        cmds = [("git {a} --onelne", 128, "fatal: unrecognized argument: --onelne"), ("git checkotu -- {p}", 1, "git: 'checkotu' is not a git command. See 'git --help'."),
                ("cargo test -p {c}-core", 101, "error: package ID specification `{c}-core` did not match any packages"), ("pytest {p} --fail-fast", 4, "ERROR: usage: pytest [options] [file_or_dir] [file_or_dir] [...]\npytest: error: unrecognized arguments: --fail-fast"),
                ("python -c \"import json; print(json.load(open('{p}'))\"", 1, "  File \"<string>\", line 1\n    import json; print(json.load(open('{p}'))\n                      ^\nSyntaxError: '(' was never closed"),
                ("./rl {n} list --al", 2, "error: unexpected argument '--al' found\n\n  tip: a similar argument exists: '--all'"), ("rlctl status {c}", 127, "bash: rlctl: command not found"),
                ("cat {p}.bak", 1, "cat: {p}.bak: No such file or directory"), ("cd {c}/src && cargo check", 1, "bash: cd: {c}/src: No such file or directory"), ("jq '.{n}.[0' out.json", 3, "jq: error: syntax error, unexpected end of file (Unix shell quoting issues?) at <top-level>, line 1:\n.{n}.[0"),
                ("for f in $(ls {c}; do echo $f; done", 2, "bash: -c: line 1: syntax error near unexpected token `;'"), ("git add {p}x", 128, "fatal: pathspec '{p}x' did not match any files"),
                ("npx vitest run --filter {n}", 1, "CACError: Unknown option `--filter`"), ("ruff chek {p}", 2, "error: unrecognized subcommand 'chek'")]
        c, rc, t = r.choice(cmds)
        kw = dict(a=r.choice(["log", "show"]), p=s.target, c=r.choice(W.CRATES), n=r.choice(W.NOUN))
        return s.bash(c.replace("{a}", kw["a"]).replace("{p}", kw["p"]).replace("{c}", kw["c"]).replace("{n}", kw["n"]), t.replace("{p}", kw["p"]).replace("{c}", kw["c"]).replace("{n}", kw["n"]), rc)

    def mangle(s, o):
        w = o.split(" ")
        for j in range(len(w) - 1, -1, -1):
            if len(w[j]) > 3:
                w[j] = s.r.choice([w[j] + "s", w[j][:-1], "self." + w[j], w[j].replace("_", "", 1) + "_"])
                break
        else:
            w.append("// end")
        return " ".join(w)

    # ------------------------------------------------------------ operations
    def readop(s, f, a, b, shell):
        """lines a..b (1-based, inclusive); whole file when a=1 and b=len"""
        L = s.text(f)
        b = min(b, len(L))
        part = L[a - 1:b]
        whole = a == 1 and b == len(L)
        if s.cx or shell:
            x = s.r.random()
            if whole and x < .6:
                cmd = f"cat {f}"
                t = "\n".join(part)
            elif s.cx and x > .9:
                cmd = f"nl -ba {f} | sed -n '{a},{b}p'"
                t = "\n".join(f"{k:6d}\t{l}" for k, l in enumerate(part, a))
            else:
                cmd = f"sed -n '{a},{b}p' {f}"
                t = "\n".join(part)
            op = s.bash(cmd, t, dur=(.02, .3))
        else:
            i = {"file_path": s.abs(f)}
            if not whole:
                i["offset"], i["limit"] = a, b - a + 1
            t = "\n".join(f"{k:6d}→{l}" for k, l in enumerate(part, a))
            op = dict(tool="Read", input=i, text=t, tur={"type": "text", "file": {"filePath": s.abs(f), "content": "\n".join(part), "numLines": len(part), "startLine": a, "totalLines": len(L)}}, dur=(.01, .1))
        op["path"] = f
        return op

    def do_read(s, f, a, b, re=False):
        c = s.c
        b = min(b, len(s.text(f)))
        c["reads"] += 1
        c["rereads"] += re
        s.do("read", s.readop(f, a, b, s.r.random() < s.R["shell"]))
        s.log.append((f, a, b, s.ver[f]))
        if not re:
            q = s.R["reread"]
            q = q / (1 - min(q, .7))
            if s.r.random() < q:
                s.debt += 1
            if s.debt:
                cand = [x for x in s.log[:-1] if s.ver[x[0]] == x[3]]
                if cand:
                    s.debt -= 1
                    near = [x for x in cand if x[0] in s.reqfiles]
                    f2, a2, b2, _ = s.r.choice(near if near and s.r.random() < .5 else cand)
                    if s.r.random() < .35 and b2 - a2 > 30:
                        a2 += s.r.randrange(5, 15)
                        b2 -= s.r.randrange(0, 12)
                    s.do_read(f2, a2, b2, True)

    def unread(s, f):
        ch = s.chunk(f)
        n = len(s.text(f))
        if n <= ch * 1.4:
            return [] if s.cov.get(f) else [(1, n)]
        d = s.cov.get(f, ())
        return [(a, min(n, a + ch - 1)) for a in range(1, n + 1, ch) if a not in d and n - a >= 10]

    def fresh(s):
        """A read of something not read yet in this session."""
        r = s.r
        vis = [f for f in s.reqfiles if s.unread(f)]
        if s.target not in s.visited:
            f = s.target
        elif vis and r.random() < (.45 if not s.p.get("grow") else .6):
            f = r.choice(vis)
        else:
            new = [f for f in s.areas[W.area_of(s.target)] if f not in s.visited]
            if not new:
                new = [f for f in s.all if f not in s.visited and f.split("/")[0] == s.target.split("/")[0]] or [f for f in s.all if f not in s.visited]
            if not new:
                return  # a marathon has visited every file
            f = r.choice(new)
        if f not in s.visited:
            s.c["visits"] += 1
            if r.random() < s.R["look"]:
                s.ldebt += 1
            if s.ldebt:
                key = (f.split("/")[0], f.rsplit("/", 1)[1])
                g = [x for x in s.fam[key] if x != f and x not in s.visited]
                if g:
                    s.ldebt -= 1
                    g = r.choice(g)
                    s.c["looks"] += 1
                    s.visited.add(g)
                    u = s.unread(g)[0]
                    s.cov.setdefault(g, set()).add(u[0])
                    s.do_read(g, *u)
        s.visited.add(f)
        u = s.unread(f)
        if not u:
            return
        a, b = u[0] if r.random() < .6 else r.choice(u)
        s.cov.setdefault(f, set()).add(a)
        s.reqfiles.append(f)
        s.do_read(f, a, b)

    def edit(s):
        r = s.r
        fs = [x for x in s.log if x[0] in s.reqfiles]
        if not fs:
            s.fresh()
            fs = [x for x in s.log if x[0] in s.reqfiles] or s.log
        tg = [x for x in fs if x[0] == s.target]
        f, a, b, _ = r.choice(tg if tg and r.random() < .6 else fs)
        L = s.text(f)
        b = min(b, len(L))
        for _ in range(12):
            k = r.randrange(a - 1, max(a, b - 1))
            if len(L[k].strip()) > 14:
                break
        full = "\n".join(L)
        e = k + 1
        while full.count("\n".join(L[k:e])) > 1 and e < len(L):
            e += 1
        old = L[k:e]
        ind = L[k][:len(L[k]) - len(L[k].lstrip())]
        new = list(old)
        x = r.random()
        import re as _re
        if x < .5 and _re.search(r"\d+", old[0]):
            new[0] = _re.sub(r"\d+", lambda m: str(int(m.group()) + r.randrange(1, 60)), old[0], count=1)
        else:
            ext = f.rsplit(".", 1)[1]
            cm = {"rs": "//", "ts": "//", "tsx": "//", "sql": "--", "md": "-"}.get(ext, "#")
            ins = f"{ind}{cm} {r.choice(W.ADJ)} {r.choice(W.NOUN)} is {r.choice(W.VERB)}ed first, RLN-{r.randrange(100,990)}"
            new.insert(r.randrange(0, 2), ins)
        L[k:e] = new
        s.text(f)
        o, nw = "\n".join(old), "\n".join(new)
        if s.cx:
            ctx = [" " + L[k - 1]] if k else []
            p = f"*** Begin Patch\n*** Update File: {f}\n@@\n" + "\n".join(ctx + ["-" + l for l in old] + ["+" + l for l in new]) + "\n*** End Patch\n"
            op = dict(tool="apply_patch", input=p, text=f"Success. Updated the following files:\nM {f}\n", old=o, new=nw)
        else:
            op = dict(tool="Edit", input={"replace_all": False, "file_path": s.abs(f), "old_string": o, "new_string": nw}, text=f"The file {s.abs(f)} has been updated successfully.",
                      tur={"filePath": s.abs(f), "oldString": o, "newString": nw, "originalFile": None, "structuredPatch": [{"oldStart": k + 1, "oldLines": len(old), "newStart": k + 1, "newLines": len(new), "lines": ["-" + l for l in old] + ["+" + l for l in new]}], "userModified": False, "replaceAll": False})
        op["path"] = f
        s.do("edit", op)
        s.ver[f] += 1
        ch = s.chunk(f)
        d = s.cov.get(f)
        if d and r.random() < .25:
            d.discard(a if a in d else 1)
        s.edited.append(f)

    def write(s, f, body):
        if s.cx:
            op = dict(tool="apply_patch", input=f"*** Begin Patch\n*** Add File: {f}\n" + "\n".join("+" + l for l in body) + "\n*** End Patch\n", text=f"Success. Updated the following files:\nA {f}\n")
        else:
            t = "\n".join(body) + "\n"
            op = dict(tool="Write", input={"file_path": s.abs(f), "content": t}, text=f"File created successfully at: {s.abs(f)}", tur={"type": "create", "filePath": s.abs(f), "content": t, "structuredPatch": [], "originalFile": None})
        op["path"] = f
        s.do("write", op)

    def grep(s, ):
        r = s.r
        vague = r.random() < s.R["vague"]
        pat = r.choice([f"{r.choice(W.VERB)}_{r.choice(W.NOUN)}", f"{r.choice(W.NOUN)}.*{r.choice(W.NOUN)}", r.choice(W.NOUN) + "s", f"{r.choice(W.ADJ)}_{r.choice(W.NOUN)}", f"RLN-{r.randrange(100,990)}"])
        area = s.areas[W.area_of(s.target)]
        pool = s.all if vague else area
        out = []
        for _ in range(r.randrange(1, 16 if vague else 6)):
            f = r.choice(pool)
            L = s.text(f)
            k = r.randrange(len(L))
            if L[k].strip():
                out.append(f"{f}:{k+1}:{L[k].strip()}")
        if s.target not in "".join(out) and r.random() < .8:
            L = s.text(s.target)
            k = r.randrange(len(L))
            out.insert(0, f"{s.target}:{k+1}:{L[k].strip()}")
        t = "\n".join(out)
        where = s.target if r.random() < .3 else s.target.rsplit("/", 1)[0]
        if s.cx or r.random() < s.R["shell"] or s.newclient:
            op = s.bash(f"rg -n '{pat}'" + ("" if vague else " " + where), t, dur=(.02, .4), vague=vague)
        else:
            i = {"pattern": pat, "output_mode": "content"}
            if not vague:
                i["path"] = s.abs(where)
            if r.random() < .4:
                i["-n"] = True
            op = dict(tool="Grep", input=i, text=t, tur={"mode": "content", "numFiles": 0, "filenames": [], "content": t, "numLines": len(out)}, dur=(.02, .3), vague=vague)
        op["path"] = s.target
        s.do("grep", op)

    def glob(s):
        r = s.r
        ext = s.target.rsplit(".", 1)[1]
        vague = r.random() < s.R["vague"]
        d = s.target.rsplit("/", 1)[0]
        fs = [f for f in s.all if f.endswith("." + ext)][:40] if vague else s.areas[W.area_of(s.target)]
        if s.cx or s.newclient:
            op = s.bash("rg --files -g '*." + ext + "'" if vague else r.choice([f"ls {d}", f"find {d} -type f"]), "\n".join(fs), vague=vague)
        else:
            ff = [s.abs(f) for f in fs]
            i = {"pattern": f"**/*.{ext}"}
            if not vague:
                i["path"] = s.abs(d)
            op = dict(tool="Glob", input=i, text="\n".join(ff), tur={"filenames": ff, "durationMs": r.randrange(4, 60), "numFiles": len(ff), "truncated": False}, vague=vague)
        op["path"] = s.target
        s.do("glob", op)

    def todo(s):
        r = s.r
        st = [W.phrase(r, r.choice(["Read the {a} code", "Change the {b} handling", "Add {j} {a} case", "Run the tests", "Update callers of {v}_{a}", "Check {b} output"])) for _ in range(r.randrange(3, 6))]
        if s.cx:
            op = dict(tool="update_plan", input={"plan": [{"step": x, "status": "in_progress" if i == 0 else "pending"} for i, x in enumerate(st)]}, text="Plan updated", raw=True)
        elif s.newclient:
            op = dict(tool="TaskCreate", input={"subject": st[0], "description": "; ".join(st), "activeForm": st[0]}, text=f"Task #{r.randrange(1,9)} created successfully: {st[0]}", tur={"task": {"id": str(r.randrange(1, 9)), "subject": st[0]}})
        else:
            td = [{"content": x, "status": "in_progress" if i == 0 else "pending", "activeForm": x} for i, x in enumerate(st)]
            op = dict(tool="TodoWrite", input={"todos": td}, text="Todos have been modified successfully. Ensure that you continue to use the todo list to track your progress. Please proceed with the current tasks if applicable", tur={"oldTodos": [], "newTodos": td})
        op["vague"] = True
        s.c["calls"] += 1
        s.c["vague"] += 1
        s.send(op)

    def test(s):
        r = s.r
        f = s.target
        ext = f.rsplit(".", 1)[1]
        vague = r.random() < s.R["vague"]
        bad = r.random() < s.R["fail"]
        n = r.randrange(8, 90)
        t = f"{r.choice(W.VERB)}_{r.choice(W.NOUN)}_{r.choice(W.ADJ)}"
        if ext in ("ts", "tsx"):
            cmd = "npx vitest run" + ("" if vague else " " + f.rsplit("/", 1)[0])
            out = f" RUN  v1.6.0\n\n" + (f" FAIL  {f} > {t}\nAssertionError: expected {r.randrange(40)} to be {r.randrange(40,80)}\n\n Tests  1 failed | {n} passed ({n+1})" if bad else f" Test Files  {r.randrange(1,9)} passed\n      Tests  {n} passed ({n})")
        elif ext == "py":
            d = f.split("/")[-2]
            cmd = "pytest -q" + ("" if vague else f" etl/tests/{d}")
            out = (f"{'.'*min(n,40)}F\n=== FAILURES ===\n____ test_{t} ____\n>       assert got == {r.randrange(90)}\nE       assert {r.randrange(90)} == {r.randrange(90,180)}\n1 failed, {n} passed in {r.random()*9:.2f}s" if bad else f"{'.'*min(n,40)} [100%]\n{n} passed in {r.random()*9:.2f}s")
        elif ext == "rs":
            c = f.split("/")[1]
            cmd = "cargo test --quiet" if vague else f"cargo test -p {c} {t.split('_')[0]}"
            out = f"running {n} tests\n" + (f"test {t} ... FAILED\n\nfailures:\n---- {t} stdout ----\nassertion `left == right` failed\n  left: {r.randrange(90)}\n right: {r.randrange(90,180)}\n\ntest result: FAILED. {n-1} passed; 1 failed; 0 ignored" if bad else f"test result: ok. {n} passed; 0 failed; 0 ignored; finished in {r.random()*4:.2f}s")
        else:
            cmd = "./rl verify" + ("" if vague else " " + f)
            out = f"checks: {n}\n" + (f"FAILED check {t}: want {r.randrange(50)} have {r.randrange(50,99)}\n1 failed, {n-1} passed" if bad else f"{n} passed")
        if s.rules and not vague:
            cmd = f"just test {f.rsplit('/',1)[0]}"
        c = s.c
        c["tests"] += 1
        c["redtests"] += bad
        op = s.bash(cmd, out, 1 if bad else 0, dur=(2, 40), vague=vague)
        s.do("bash", op)

    def misc(s, k):
        r = s.r
        vague = r.random() < s.R["vague"]
        f = s.edited[-1] if s.edited else s.target
        if s.p.get("mcp") and k in ("status", "gitlog", "diff") and r.random() < max(0, (s.R["t"] - .33)) * 1.2:
            return s.mcp()
        if k == "diff":
            b = f.rsplit("/", 1)[1]
            op = s.bash("git diff --stat" if vague else f"git diff {f}", f" {f} | {r.randrange(2,9)} +++--\n 1 file changed" if vague else f"diff --git a/{f} b/{f}\n@@ -{r.randrange(90)},4 +{r.randrange(90)},5 @@\n-  {r.choice(W.NOUN)}\n+  {r.choice(W.ADJ)}", vague=vague)
        elif k == "status":
            op = s.bash(*r.choice([("git status --short", f" M {f}"), ("./rl ps", "NAME       STATE    AGE\n" + "\n".join(f"{c:<10} running  {r.randrange(1,90)}h" for c in W.CRATES)), ("git stash list", "")]), vague=True) if vague else \
                s.bash(f"./rl describe job {r.choice(W.NOUN)}-{r.randrange(100,999)}", f"state: idle\nlast: {r.randrange(60)}m ago\nretries: {r.randrange(4)}")
        elif k == "gitlog":
            op = s.bash("git log --oneline -5" if vague else f"git log --oneline -5 -- {f}", "\n".join(f"{r.getrandbits(28):07x} {r.choice(W.VERB)} {r.choice(W.NOUN)} {r.choice(W.ADJ)}" for _ in range(5)), vague=vague)
        elif k == "lint":
            ext = f.rsplit(".", 1)[1]
            cmd = {"rs": "cargo clippy -q", "py": "ruff check", "ts": "npx eslint", "tsx": "npx eslint"}.get(ext, "./rl lint")
            op = s.bash((f"just lint {f}" if s.rules else cmd) if vague and s.rules else cmd + (" ." if vague and ext != "rs" else "" if vague else (f" -p {f.split('/')[1]}" if ext == "rs" else " " + f)), r.choice(["", "All checks passed!", f"warning: unused variable: `{r.choice(W.NOUN)}`\n  --> {f}:{r.randrange(5,90)}"]), dur=(1, 12), vague=vague)
        else:
            m = W.phrase(r, r.choice(["{v} {a} for {j} {b}", "fix {a} in {b} list", "{b}: keep {j} {a}", "drop unused {a}"]))
            if s.rules:
                m = f"{f.split('/')[1].split('.')[0]}: {m}"
            op = s.bash(f"git add {f} && git commit -q -m \"{m}\"", f"[main {r.getrandbits(28):07x}] {m}")
        s.do("bash", op)

    def mcp(s):
        r = s.r
        n = r.randrange(1000, 9000)
        name, i, t = r.choice([("mcp__grafana__query_range", {"expr": f"rate({r.choice(W.NOUN)}_total[5m])", "dashboard": f"dash-{n}"}, '{"series":[' + ",".join(str(r.randrange(99)) for _ in range(12)) + "]}"),
                               ("mcp__linear__get_issue", {"id": f"RLX-{n}"}, '{"id":"RLX-%d","title":"%s %s","state":"open"}' % (n, r.choice(W.VERB), r.choice(W.NOUN))),
                               ("mcp__postgres__query", {"sql": f"select count(*) from {r.choice(W.NOUN)}s where depot_id = {n}"}, '[{"count":%d}]' % r.randrange(9000))])
        s.do("mcp", dict(tool=name, input=i, text=t, tur=[{"type": "text", "text": t}]))

    def task(s):
        """Subagent: its calls are work of the same agent, same rates."""
        r = s.r
        prompt = W.phrase(r, r.choice(["Find every place where {a} is combined with {b} and list file and line.", "Explore how {f} reads the {a}; report callers.", "Search the repo for {v} of {b}s and summarise."]), f=s.target)

        def run():
            keep = (s.log, s.cov, s.visited, s.collect, s.reqfiles, s.debt)
            s.log, s.reqfiles, s.collect, s.debt = [], [], [], 0
            for k in ["grep", "read", "read", "read"][:r.randrange(2, 5)]:
                s.grep() if k == "grep" else s.fresh()
            ops = s.collect
            s.log, s.cov, s.visited, s.collect, s.reqfiles, s.debt = keep
            return ops
        ops = run()
        rep = W.phrase(r, "The {a} is read in `{f}`; callers pass the {b} directly. No {j} case found.", f=s.target)
        s.c["calls"] += 1
        s.send(dict(tool="Task", input={"description": "Explore code", "prompt": prompt, "subagent_type": "Explore"}, text=rep, tur=None, sub=lambda: ops, nsub=len(ops), dur=(10, 60)))

    # ------------------------------------------------------------ values
    def newval(s, gen):
        while True:
            v = gen(s.r)
            if v not in s.used:
                s.used.add(v)
                return v

    def show(s):
        r = s.r
        cur = {k: h[-1] for k, h in s.hS.items()}
        x = r.random()
        if x < .4:
            cmd = "./rl env show staging --json"
            t = "{\n" + ",\n".join(f'  "{c}": {{\n    "port": {cur[(c,"port")]},\n    "image_tag": "{cur[(c,"image_tag")]}",\n    "topic": "{cur[(c,"topic")]}"\n  }}' for c in W.CRATES) + "\n}"
        elif x < .7:
            cmd = "./rl env show staging -o yaml"
            t = "\n".join(f"{c}:\n  port: {cur[(c,'port')]}\n  image_tag: {cur[(c,'image_tag')]}\n  topic: {cur[(c,'topic')]}" for c in W.CRATES)
        else:
            cmd = "./rl svc list staging --wide"
            t = f"{'SERVICE':<11}{'PORT':<8}{'IMAGE_TAG':<18}TOPIC\n" + "\n".join(f"{c:<11}{cur[(c,'port')]:<8}{cur[(c,'image_tag')]:<18}{cur[(c,'topic')]}" for c in W.CRATES)
        s.do("bash", s.bash(cmd, t))
        for k, h in s.hS.items():
            if not s.seenS[k] or s.seenS[k][-1] != h[-1]:
                s.seenS[k].append(h[-1])
        s.unseen = False

    def use(s):
        r = s.r
        told = r.random() < s.p.get("tshare", .5)
        if not told and (s.unseen or not s.seenS[("alarms", "port")]):
            s.show()
        H = s.hT if told else s.seenS
        ks = [k for k in H if len(H[k]) > 1]
        k = r.choice(ks) if ks and r.random() < .92 else r.choice(list(H))
        h = H[k]
        out = False
        c = s.c
        if len(h) > 1:
            c["usesT" if told else "usesS"] += 1
            out = r.random() < s.R["oT" if told else "oS"]
        c["uses_all"] += 1
        v = h[-1]
        if out:
            v = h[-2] if r.random() < .7 else r.choice(h[:-1])
            c["oldT" if told else "oldS"] += 1
        s.uselog.append((v, out))
        if r.random() < .18:
            s.nover += 1
            nm = (k if told else "-".join(k)).upper().replace("-", "_")
            s.write(f".rl/overrides/{s.i:02d}{s.nover:03d}.env", [f"# local override", f"{nm}={v}"])
            return
        cmd = r.choice((s.T[k][2] if told else s.S[k][1])).format(v=v)
        t = r.choice(["ok", f"ok ({r.randrange(3,400)} ms)", f"rows: {r.randrange(9000)}", "status: healthy\nuptime: %dh" % r.randrange(1, 400), f"{r.randrange(1,60)} entries, newest {r.randrange(1,59)}m ago", "up to date"])
        s.do("bash", s.bash(cmd, t))

    # ------------------------------------------------------------ voice
    def voice(s, task, f):
        r, t = s.r, s.R["t"]
        f = f if r.random() < .75 else "/".join(f.split("/")[-3:])
        if s.german:
            x = r.choice(W.OPEN_DE) + r.choice(W.REQ_DE[task]) + r.choice(W.TAIL_DE)
        elif s.p.get("terse") and r.random() < t:
            x = r.choice(W.TERSE)
        elif s.p.get("user2") and t >= .5:
            q = r.choice(W.REQ[task])
            x = r.choice(W.OPEN2) + q[0].upper() + q[1:] + "." + r.choice(W.TAIL2)
        else:
            x = r.choice(W.OPEN) + r.choice(W.REQ[task]) + r.choice(W.TAIL)
        x = W.phrase(r, x, f=f)
        return W.typo(r, x, .05 if s.p.get("user2") and t >= .5 else .35)

    def plan_text(s, f):
        r = s.r
        o = [W.phrase(r, "Implement the following plan:\n\n# {j} {a} for {b}s\n"), f"Start with `{f}`.\n"]
        for i in range(r.randrange(8, 18)):
            g = r.choice(s.all)
            o.append(W.phrase(r, "## {i}. {v} the {a}\n`{g}` reads the {b} today and keeps a {j} copy. Change it so that the {a} is passed in. Callers stay as they are unless the {b} is {j}.\n- keep the old name\n- one test for the {j} case\n- no new dependency\n", i=i + 1, g=g))
        return "\n".join(o)

    # ------------------------------------------------------------ a request
    def steps(s, task, mult):
        r = s.r
        n = max(2, int(round(5.6 * mult * math.exp(.32 * r.gauss(0, 1)))))
        head, loop, tail = PLAN[task]
        st = list(head)
        k = r.randrange(len(loop))
        while len(st) + len(tail) < n:
            st.append(loop[k % len(loop)])
            k += 1
        st = st[:max(2, n - len(tail))] + tail
        if s.rules and "edit" in st and "lint" not in st:
            st.append("lint")
        u = s.p.get("uses", 1.5)
        m = 0
        x = r.random()
        pr = math.exp(-u)
        cum = pr
        while x > cum and m < 6:
            m += 1
            pr *= u / m
            cum += pr
        for _ in range(m):
            st.insert(r.randrange(1, len(st) + 1), "use")
        return st

    def run_steps(s, st):
        for k in st:
            if k == "read": s.fresh()
            elif k == "edit": s.edit()
            elif k == "grep":
                if s.p.get("subagents") and s.r.random() < max(0, s.R["t"] - .33) * .9:
                    s.task()
                else:
                    s.grep()
            elif k == "glob": s.glob()
            elif k == "todo": s.todo()
            elif k == "test": s.test()
            elif k == "use": s.use()
            elif k == "show": s.show()
            elif k == "write":
                s.nnew += 1
                d = s.target.rsplit("/", 1)[0]
                e = s.target.rsplit(".", 1)[1]
                s.write(f"{d}/{s.r.choice(W.NOUN)}_{s.r.choice(W.VERB)}{s.nnew}.{e}", W.gen_lines("x." + e, s.r.randrange(12, 40), s.r))
            else: s.misc(k)
            if s.w.ctx - s.w.overhead > 150000:
                s.compact("auto")

    def done(s):
        r = s.r
        s.w.message(None, W.phrase(r, r.choice(W.DONE_DE if s.german else W.DONE), f=s.target), None)

    def compact(s, trig):
        r = s.r
        t = "This session is being continued from a previous conversation that ran out of context. The conversation is summarized below:\nAnalysis:\n"
        for i, f in enumerate(dict.fromkeys(s.reqfiles + s.edited)):
            t += W.phrase(r, f"{i+1}. The user asked about `{f}`; the {{a}} was changed for {{j}} {{b}}s and the tests were run.\n", )
        t += W.phrase(r, "\nPending: finish the {a} change and report back.")
        s.w.compact(t, trig)
        s.c["compactions"] += 1

    def request(s, text=None):
        r, R, c = s.r, s.R, s.c
        task = r.choices(list(R["mix"]), list(R["mix"].values()))[0]
        pre = AREAS.get(task)
        pool = [f for f in s.all if f.split("/")[0] in pre] if pre else [f for f in s.all if f.split("/")[0] not in ("docs", "deploy")]
        un = [f for f in pool if f not in s.visited]
        s.target = r.choice(un or pool)
        s.reqfiles, s.edited = [], []
        c["requests"] += 1
        x = s.voice(task, s.target)
        if s.i == 0 and c["requests"] == 1:
            l = ", ".join(f"{s.T[k][0]} {h[-1]}" for k, h in s.hT.items())
            x += "\n\n" + r.choice(W.INIT).format(l=l)
        while s.changes and r.random() < (len(s.changes) / max(1, s.left)):
            k = s.changes.pop()
            o = s.hT[k][-1]
            v = s.newval(s.T[k][1])
            s.hT[k].append(v)
            x += r.choice([". ", "\n", " - ", "\n\n"]) + r.choice(W.TELL_DE if s.german else W.TELL).format(k=s.T[k][0], v=v, o=o)
        if s.p.get("plans") and s.planned and c["requests"] == 1:
            x = s.plan_text(s.target) + "\n\n" + x
        if s.p.get("rules") and s.i == s.n // 3 and c["requests"] == 2:
            x += "\n\nfirst put this into CLAUDE.md: just test / just lint instead of the bare tools, lint after every change, commit titles start w/ crate or folder"
        s.w.user(x)
        st = s.steps(task, R["calls"] * s.mult["work"][s.i])
        if s.p.get("rules") and s.i == s.n // 3 and c["requests"] == 2:
            s.target_rules()
        if r.random() < R["ask"]:
            k = r.choice(list(s.T))
            c["asks"] += 1
            s.run_steps(st[:1])
            s.w.message(None, r.choice(W.ASK_DE if s.german else W.ASK).format(k=s.T[k][0]), None)
            s.w.user(r.choice(W.ANS_DE if s.german else W.ANS).format(v=s.hT[k][-1], k=s.T[k][0]))
            st = st[1:]
        if r.random() < R["intr"]:
            c["interrupts"] += 1
            s.run_steps(st[:max(1, len(st) // 2)])
            s.w.interrupt()
            s.w.user(W.phrase(r, r.choice(["wait, do {f} first", "hold on. other {a}", "stop, let me explain - the {b} comes later", "no need for that part, continue with the rest", "sorry wrong window, go on"]), f=s.target))
            st = st[len(st) // 2:]
        s.run_steps(st)
        s.done()
        if r.random() < R["corr"]:
            c["corrections"] += 1
            g = r.choice(s.areas[W.area_of(s.target)])
            s.w.user(W.typo(r, W.phrase(r, r.choice(W.CORR_DE if s.german else W.CORR), f=g.rsplit("/", 1)[1]), .35))
            s.run_steps(r.choice([["edit", "test"], ["read", "edit", "test"], ["diff", "edit"], ["edit", "edit", "test"], ["read", "edit"]]))
            s.done()

    def target_rules(s):
        f = "CLAUDE.md"
        if f not in s.size:
            s.size[f] = 30
            s.content[f] = ["# reeferline", ""] + [W.phrase(s.r, "- {v} the {a} before the {b}, {num}") for _ in range(20)]
            s.ver[f] = 0
        s.visited.add(f)
        s.do_read(f, 1, len(s.content[f]))
        o = s.content[f][-1]
        nw = o + "\n\n## Habits\n- use `just test <dir>` and `just lint` instead of the bare tools\n- lint after every change\n- commit titles start with the crate or folder name"
        s.content[f] += nw.split("\n")[1:]
        op = dict(tool="Edit", input={"replace_all": False, "file_path": s.abs(f), "old_string": o, "new_string": nw}, text=f"The file {s.abs(f)} has been updated successfully.", path=f,
                  tur={"filePath": s.abs(f), "oldString": o, "newString": nw, "originalFile": None, "structuredPatch": [], "userModified": False, "replaceAll": False})
        s.do("edit", op)
        s.ver[f] += 1
        s.rules = True

    # ------------------------------------------------------------ the life
    def run(s):
        r, n, p = s.r, s.n, s.p
        day = dt.datetime(2026, 1, 5, tzinfo=dt.timezone.utc) + dt.timedelta(days=r.randrange(0, 60))
        hol = {int(n * .35): 14, int(n * .7): 21} if p.get("holidays") else {}
        slots = []
        i = 0
        while len(slots) < n:
            if day.weekday() < 5:
                for h in sorted(r.sample([7.5, 10.3, 13.2, 16], r.choice([1, 1, 2, 2, 3]))):
                    if len(slots) in hol:
                        day += dt.timedelta(days=hol.pop(len(slots)))
                        break
                    if len(slots) < n:
                        slots.append(day + dt.timedelta(hours=h + r.random()))
            day += dt.timedelta(days=1)
        for k in s.T: s.hT[k].append(s.newval(s.T[k][1]))
        for k in s.S: s.hS[k].append(s.newval(s.S[k][0]))
        s.nnew = 0
        CV = ["2.0.76", "2.1.5", "2.1.12", "2.1.29", "2.1.38"]
        XV = ["0.44.0", "0.46.0", "0.50.0", "0.55.0", "0.58.0"]
        end = None
        marathon = int(n * .55) if p.get("marathon") else -1
        for i in range(n):
            s.i = i
            s.R = R = s.rates(i)
            t = R["t"]
            s.c = c = dict.fromkeys("calls errors vague reads rereads visits looks uses_all usesT oldT usesS oldS requests asks corrections interrupts tests redtests compactions".split(), 0)
            s.log, s.cov, s.visited, s.debt, s.ldebt, s.collect, s.uselog = [], {}, set(), 0, 0, None, []
            s.german = bool(p.get("german") or (p.get("tongue") and t >= .5))
            s.newclient = bool(p.get("newtools") and t >= .5)
            ver, model = ("0.46.0", "gpt-5-codex") if s.cx else ("2.1.12", "claude-sonnet-4-5-20250929")
            if p.get("clients"):
                ver = (XV if s.cx else CV)[min(4, int(i * 5 / n))]
            if s.newclient or (p.get("step") == "client" and i >= s.stepat):
                ver = "2.1.29"
            if (p.get("model") and t >= .5) or (p.get("step") == "model" and i >= s.stepat):
                model = "gpt-5.1-codex" if s.cx else "claude-opus-4-5-20251101"
            if p.get("user2"):
                s.cwd = s.w.cwd = "/home/ruben/src/reeferline" if t < .5 else "/home/oyelaran/work/reeferline"
            if p.get("grow") and i:
                for f, L in s.content.items():
                    L += W.gen_lines(f, int(s.size[f] * 2 / (n - 1)) + 6, r)[6:]
                for f in s.all:
                    if f not in s.content:
                        s.size[f] += max(1, int(s.size[f] * 2 / (n - 1) / (1 + 2 * t)))
            if s.late and i:
                for f in s.late[int((i - 1) * len(s.late) / (n - 1)):int(i * len(s.late) / (n - 1))]:
                    s.all.append(f)
                    s.register(f)
            s.w.overhead = int(R["ctx"] * 29000)
            s.planned = p.get("plans") and r.random() < .1 + .7 * t
            cleared = (not s.cx) and (i in s.events if p.get("maint") == "clear" else False if p.get("maint") else (s.planned or (not p.get("plans") and r.random() < .1)))
            st = slots[i]
            if end and st < end:
                st = end + dt.timedelta(minutes=5 + r.randrange(30))
            s.w.open_session(st, ver, model, "main" if r.random() < .5 else f"{r.choice(W.VERB)}-{r.choice(W.NOUN)}", cleared, True)
            nreq = max(2, min(9, int(round(r.uniform(2.2, 8.2) * s.mult["reqs"][i]))))
            if i == marathon:
                nreq = 40
            if p.get("rules") and i == n // 3:
                nreq = max(3, nreq)
            # changes of values
            s.changes = r.sample(list(s.T), min(len(s.T), r.choice([1, 2, 2, 3]))) if i else []
            s.unseen = not i
            if i:
                for k in r.sample(list(s.S), r.choice([1, 2, 2, 3])):
                    s.hS[k].append(s.newval(s.S[k][0]))
                    s.unseen = True
            ev = p.get("maint") == "compact" and i in s.events
            rc = (not p.get("maint")) and r.random() < .06
            ca, calls0 = r.randrange(1, nreq), 0
            for q in range(nreq):
                s.left = nreq - q
                s.request()
                if (rc and q == ca - 1) or (ev and q == max(0, nreq - 2)):
                    s.compact("manual" if rc else "auto")
            s.w.close()
            end = s.w.now
            c["planned"] = {k: round(R[k], 4) for k in ("err", "reread", "look", "oT", "oS", "ask", "corr", "intr")}
            c["session"] = s.w.sid
            c["harmed_after_event"] = s.harmed_after
            c["stale_uses"] = [v for v, o in s.uselog if o]
            c["fresh_uses"] = [v for v, o in s.uselog if not o]
            s.truth.append(c)
        return {"kind": s.kind, "format": s.spec["fmt"], "sessions": s.truth, "events": sorted(s.events), "step_at": s.stepat if p.get("step") else None,
                "told": s.hT, "shown": {"/".join(k): h for k, h in s.hS.items()}}


def write_agent(kind, seed, sessions, folder):
    os.makedirs(folder, exist_ok=True)
    return Life(kind, seed, sessions, folder).run()
