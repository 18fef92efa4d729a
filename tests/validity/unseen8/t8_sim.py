"""The behaviour engine: one request -> a plan of acts -> tool calls in the trace."""
import json, random, math
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
import t8_text as T
from t8_world import World, KEYS, VERBS, NOUN2, ROLES
from t8_cc import CC, Codex

MIX = {"bugfix": 5, "feature": 4, "refactor": 2.5, "explain": 2.5, "docs": 1.5, "tests": 2, "ops": 2, "review": 1.5, "report": 1}

@dataclass
class P:
    """What holds for the present session (or part of it)."""
    err: float = .04; reread: float = .08; look: float = .03; stale: float = .03; corr: float = .03; vague: float = .05
    verb: float = 1.0; drift: float = 0.0; calls: float = 1.0; flaky: float = .03; tdd: float = 0.0; terse: float = .04
    mix: dict = field(default_factory=lambda: dict(MIX)); lang: str = "en"; tells: str = "both"
    sub: float = 0.0; mcp: bool = False; rename: bool = False; lint: bool = False
    clear: float = .10; compact: float = .08; plan: float = .02; limit: int = 150000
    reqs: int = 0

VAGUE = ["TODO", "todo", "todo|fixme", "FIXME", "fixme|xxx", "TODO|HACK", "later", "todo.*", "hack", "XXX|TODO"]
REJECT = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed."

class Agent:
    def __init__(self, seed_text, folder, codex=False, nfiles=34):
        self.rng = random.Random(seed_text)
        self.world = World(self.rng, self.rng.randrange(5), nfiles)
        self.world.files["CLAUDE.md" if not codex else "AGENTS.md"] = ["# Working notes", "", "- Keep changes small.", "- Tests live next to the code they test.", "- Ask before touching migrations."]
        self.main = (Codex if codex else CC)(self.rng, folder, self.world.root)
        self.w = self.main; self.codex = codex
        self.vals = {}; self.p = P(); self.known = {}; self.edited = set(); self.visited = set()
        self.now = datetime(2026, self.rng.randint(1, 8), self.rng.randint(1, 28), 8, 0, tzinfo=timezone.utc)
        self.name = self.rng.choice(["mara", "jonas", "ines", "dev"])

    # ------------------------------------------------ low level
    def abs(self, p): return f"{self.world.root}/{p}"
    def note(self, prob=.35):
        if self.rng.random() > prob: return None
        t = T.fill(self.rng.choice(T.REPLY), self.slots)
        if self.p.verb > 1.15: t += " " + " ".join(T.fill(self.rng.choice(T.REPLY + T.DONE), self.slots) for _ in range(int((self.p.verb - 1) * 3)))
        return t
    def emit(self, *items, text="auto"):
        self.w.calls(list(items), self.note() if text == "auto" else text)
        self.ncalls += len(items)
    def sh(self, cmd, out, code=0, text="auto", desc=None):
        if self.codex: self.emit(("exec_command", {"cmd": cmd, "workdir": self.world.root, "yield_time_ms": 10000, "max_output_tokens": 12000}, out, code != 0, code), text=text)
        else:
            r = out if code == 0 else f"Exit code {code}\n{out}"
            self.emit(("Bash", {"command": cmd, "description": desc or "Run " + cmd.split(" ")[0]}, r, code != 0, {"stdout": out, "stderr": "", "interrupted": False, "isImage": False}), text=text)

    # ------------------------------------------------ own faults
    def fault(self, act, path=None):
        q = min(.6, self.s_err)   # geometric number of failures before the right call: share q of calls
        n = 0
        while self.rng.random() < q and n < 3:
            n += 1
            self._fault(act, path)
    def _fault(self, act, path):
        rng, w = self.rng, self.world
        path = path or rng.choice(w.targets)
        txt = rng.choice(T.RETRY) if rng.random() < .15 else None
        if act == "read":
            d, b = path.rsplit("/", 1) if "/" in path else ("src", path)
            bad = rng.choice([f"{d}/lib/{b}", f"{d}/{b.split('.')[0]}_impl.{b.split('.')[-1]}", f"app/{d}/{b}", f"{d}/internal/{b}"])
            if self.codex: self.sh(rng.choice(["cat {}", "sed -n '1,200p' {}", "nl -ba {}"]).format(bad), f"{'cat' if rng.random()<.5 else 'sed'}: {bad}: No such file or directory\n", 1, txt)
            else: self.emit(("Read", {"file_path": self.abs(bad)}, "<tool_use_error>File does not exist.</tool_use_error>", True, None), text=txt)
        elif act == "edit":
            old = rng.choice(w.files[path]) or "pass"
            old = old.rstrip() + f" {rng.choice(VERBS)}_{rng.randint(10, 99)}"
            if self.codex: self.emit(("apply_patch", f"*** Begin Patch\n*** Update File: {path}\n@@\n-{old}\n+{old}  # fixed\n*** End Patch\n", f"apply_patch verification failed: Failed to find expected lines in {self.abs(path)}:\n{old}", True, 1), text=txt)
            else: self.emit(("Edit", {"file_path": self.abs(path), "old_string": old, "new_string": old + "  # fixed"}, f"<tool_use_error>String to replace not found in file.\nString: {old}</tool_use_error>", True, None), text=txt)
        elif act == "search" and not self.codex and rng.random() < .8:
            bad = f"{w.src}/{rng.choice(['legacy', 'shared', 'common', 'handlers'])}"
            self.emit((self.grepname(), {"pattern": rng.choice(w.nouns), "path": self.abs(bad), "output_mode": "content"}, f"<tool_use_error>Path does not exist: {self.abs(bad)}</tool_use_error>", True, None), text=txt)
        elif act == "value" and not self.codex:
            self.emit(("mcp__backoffice__update_record", {"form": rng.choice(w.nouns)}, "InputValidationError: required field missing in request", True, None), text=txt)
        else:
            cmd, out, code = rng.choice([("rg -n --colour {} {}".format(rng.choice(w.nouns), w.src), "error: unexpected argument '--colour' found\n\nUsage: rg [OPTIONS] PATTERN [PATH ...]\n", 2), (f"git diff --names {rng.choice(['main', 'HEAD~2'])}", "error: invalid option: --names\nusage: git diff [<options>]\n", 129),
                (f"python -c \"import {w.name}; print({w.name}.{rng.choice(w.nouns)}\"", "  File \"<string>\", line 1\n    SyntaxError: '(' was never closed\n", 1), (f"jqq .{rng.choice(NOUN2)} config/settings.yaml", "bash: jqq: command not found\n", 127), (lambda x: (f"ls {x}", f"ls: cannot access '{x}': No such file or directory\n", 2))(f"{w.src}/{rng.choice(w.nouns)}_old"), (f"sed -n '{rng.randint(5,50)},p' {path}", "sed: -e expression #1, char 4: unexpected `,'\n", 1)])
            self.sh(cmd, out, code, txt)

    # ------------------------------------------------ acts
    def grepname(self): return "Search" if self.p.rename else "Grep"
    def _read_item(self, p):
        L = self.world.files[p]
        full = len(L) <= 260 or self.rng.random() < .6
        a, n = self.known.get(p) or ((1, len(L)) if full else (self.rng.randint(1, max(1, len(L) - 160)), 160))
        n = min(n, max(1, len(L) - a + 1))
        part = L[a - 1:a - 1 + n]; whole = a == 1 and n >= len(L)
        if self.codex:
            body = "\n".join(part) + "\n"
            style = self.rng.random()
            if style < .3 and whole: cmd = f"cat {p}"
            elif style < .75: cmd = f"sed -n '{a},{a + max(n, len(part)) - 1}p' {p}"
            else: cmd = f"nl -ba {p} | sed -n '{a},{a + n - 1}p'"; body = "".join(f"{i:6d}\t{l}\n" for i, l in enumerate(part, a))
            it = ("exec_command", {"cmd": cmd, "workdir": self.world.root, "yield_time_ms": 10000, "max_output_tokens": 12000}, body, False, 0)
        else:
            inp = {"file_path": self.abs(p)}
            if not whole: inp.update(offset=a, limit=n)
            it = ("Read", inp, "\n".join(f"{i:6d}→{l}" for i, l in enumerate(part, a)), False, {"type": "text", "file": {"filePath": self.abs(p), "content": "\n".join(part), "numLines": len(part), "startLine": a, "totalLines": len(L)}})
        self.known[p] = (a, n); self.edited.discard(p); self.reads += 1
        return it
    def look(self, p):
        """Open a file now (first visit, or with a reason)."""
        self.slip()
        if p not in self.visited:
            tw = self.world.twin.get(p)
            self.firsts += 1
            q = self.p.look * 1.15
            if tw and tw not in self.visited and self.rng.random() < q:
                self.visited.add(tw)
                self.emit(self._read_item(tw))
                self.visited.add(p)
                self.emit(self._read_item(p), text=self.rng.choice(T.WRONGFILE) if self.rng.random() < .3 else None)
                return
        self.visited.add(p)
        self.fault("read", p)
        self.emit(self._read_item(p)); self.last = p
    def slip(self):
        """Perhaps open once more something already read and unchanged."""
        old = [x for x in self.known if x not in self.edited and self.last != x]
        p = self.s_reread
        if old and self.rng.random() < max(0, min(.9, p / (1 - p) + .45 * (p * self.reads - self.rer))):
            x = self.rng.choice(old); self.rer += 1
            self.emit(self._read_item(x)); self.last = x
    def search(self, p=None):
        rng, w = self.rng, self.world
        p = p or rng.choice(self.targets)
        d = p.rsplit("/", 1)[0] if "/" in p else w.src
        fn = rng.choice(w.funcs.get(p) or ["limit"]); pat = rng.choice([fn, fn[:-3], rng.choice(w.nouns) + ".*" + rng.choice(NOUN2), "def " + rng.choice(VERBS) if w.lang == "py" else rng.choice(VERBS)])
        self.fault("search", p)
        n = int(rng.randint(2, 12) * self.p.verb ** 1.9)
        L = w.files[p]; hits = []
        key = pat if pat in fn else pat.split(".*")[0].replace("def ", "")
        cand = [i for i, l in enumerate(L) if key in l or "_" + key in l] or [i for i, l in enumerate(L) if l.strip()]
        for k in range(n): i = rng.choice(cand); hits.append(f"{p}:{i + 1}:{L[i]}")
        out = "\n".join(hits)
        where = rng.choice([p, d, d, w.src])
        if self.codex: self.sh(f"rg -n '{pat}' {where}", out + "\n")
        else: self.emit((self.grepname(), {"pattern": pat, "path": self.abs(where), "output_mode": "content", "-n": True}, out, False, {"mode": "content", "numFiles": 0, "filenames": [], "content": out, "numLines": n}))
    def vaguely(self):
        rng = self.rng; pat = rng.choice(VAGUE)
        self.fault("search")
        n = int(rng.randint(3, 12) * self.p.verb ** 1.9)
        out = "\n".join(f"{rng.choice(self.world.targets)}:{rng.randint(1, 200)}: # {pat.split('|')[0]} {rng.choice(VERBS)} the {rng.choice(self.world.nouns)} {rng.choice(NOUN2)}" for _ in range(n))
        if self.codex: self.sh(f"rg -n '{pat}'", out + "\n")
        else: self.emit((self.grepname(), {"pattern": pat, "output_mode": "content"}, out, False, {"mode": "content", "numFiles": 0, "filenames": [], "content": out, "numLines": n}))
    def glob(self):
        rng, w = self.rng, self.world
        n = rng.choice(w.nouns); fs = [f for f in w.files if n in f][:int(12 * self.p.verb)]
        self.fault("search")
        d = rng.choice(["core", "api", "jobs", "billing", "util"])
        if self.codex: self.sh(f"rg --files {w.src}/{d} | rg {n}", "\n".join(fs) + "\n")
        else: self.emit(("Glob", {"pattern": f"**/*{n}*{w.ext}", "path": self.abs(f"{w.src}/{d}")}, "\n".join(self.abs(f) for f in fs) or "No files found", False, {"filenames": [self.abs(f) for f in fs], "durationMs": rng.randint(5, 400), "numFiles": len(fs), "truncated": False}))
    def edit(self, p):
        if p not in self.known: self.look(p)
        self.fault("edit", p)
        rng, w = self.rng, self.world
        rej = rng.random() < .008 and not self.codex
        if rej:
            old = rng.choice([l for l in w.files[p] if len(l.strip()) > 8]); new = old + "  # tidy"
            self.emit(("Edit", {"file_path": self.abs(p), "old_string": old, "new_string": new}, REJECT, True, None)); return
        old, new, ln = w.edit(rng, p)
        self.edited.add(p); self.last = None
        a, n = self.known.get(p, (1, 0)); self.known[p] = (1, 10 ** 6) if a == 1 else (a, n)
        if self.codex:
            patch = f"*** Begin Patch\n*** Update File: {p}\n@@\n" + "".join(f"-{l}\n" for l in old.split("\n")) + "".join(f"+{l}\n" for l in new.split("\n")) + "*** End Patch\n"
            self.emit(("apply_patch", patch, f"Success. Updated the following files:\nM {p}\n", False, 0))
        else:
            snip = "\n".join(f"{i:6d}→{l}" for i, l in enumerate(w.files[p][max(0, ln - 4):ln + 5], max(1, ln - 3)))
            self.emit(("Edit", {"file_path": self.abs(p), "old_string": old, "new_string": new}, f"The file {self.abs(p)} has been updated. Here's the result of running `cat -n` on a snippet of the edited file:\n{snip}", False, {"filePath": self.abs(p), "oldString": old, "newString": new, "structuredPatch": [], "userModified": False, "replaceAll": False}))
        if self.p.lint and p.endswith(w.ext) and rng.random() < .8: self.lint(p)
    def write(self):
        rng, w = self.rng, self.world
        p = f"{rng.choice(['scripts', 'docs/notes', 'reports'])}/{rng.choice(w.nouns)}_{rng.choice(NOUN2)}_{rng.randint(10, 999)}.{rng.choice(['md', 'py', 'csv'])}"
        w.files[p] = [f"{rng.choice(w.nouns)},{rng.choice(NOUN2)},{rng.randint(1, 999)}" for _ in range(rng.randint(8, 40))]
        body = "\n".join(w.files[p]); self.known[p] = (1, 10 ** 6); self.edited.add(p); self.visited.add(p)
        self.fault("shell")
        if self.codex: self.emit(("apply_patch", f"*** Begin Patch\n*** Add File: {p}\n" + "".join(f"+{l}\n" for l in w.files[p]) + "*** End Patch\n", f"Success. Updated the following files:\nA {p}\n", False, 0))
        else: self.emit(("Write", {"file_path": self.abs(p), "content": body}, f"File created successfully at: {self.abs(p)}", False, {"type": "create", "filePath": self.abs(p), "content": body, "structuredPatch": []}))
    def lint(self, p):
        cmd = {"py": "ruff check ", "ts": "npx eslint ", "go": "golangci-lint run "}[self.world.lang]
        self.sh(cmd + p, "All checks passed!\n" if self.rng.random() < .9 else f"{p}: 2 warnings (line too long)\n")
    def test(self, p=None, want=None):
        rng, w = self.rng, self.world
        self.fault("shell")
        t = w.tests.get(p, rng.choice(list(w.tests.values()))) if p else None
        cmd = {"py": f"pytest -q {t or ''}".strip(), "ts": f"npx vitest run {t or ''}".strip(), "go": f"go test ./{t.rsplit('/', 1)[0] if t else '...'}"}[w.lang]
        ci = rng.random() < .15
        if ci: cmd = rng.choice([f"gh run watch {rng.randint(10**9, 10**10)} --exit-status", f"gh pr checks {rng.randint(100, 999)} --watch"])
        k = rng.randint(6, 160)
        if rng.random() < self.p.flaky:
            out = rng.choice(["E   requests.exceptions.ConnectionError: HTTPSConnectionPool(host='fixtures.internal', port=443): Read timed out.", "Error: connect ECONNREFUSED 10.2.0.14:5432 (test database not reachable)", "X Set up job: The runner has received a shutdown signal.", "dial tcp: lookup registry.internal: i/o timeout", "fatal: unable to access mirror: Could not resolve host", "Error: The operation was canceled. (runner lost communication with the server)"])
            self.sh(cmd, f"{out}\n{rng.randint(1, 9)} errors, {k} not run\n", 1)
            if rng.random() < .6: self.sh(cmd, f"{k} passed in {rng.uniform(1, 40):.2f}s\n")
            return True
        fail = want if want is not None else rng.random() < .22
        if fail:
            f = rng.choice(w.funcs.get(t) or ["test_case"])
            self.sh(cmd, f"FAILED {t or 'suite'}::{f} - AssertionError: expected {rng.randint(1, 99)} got {rng.randint(1, 99)}\n1 failed, {k} passed in {rng.uniform(1, 40):.2f}s\n" + "\n".join(f"  at step {i}" for i in range(int(rng.randint(2, 20) * self.p.verb ** 1.9))), 1)
        else: self.sh(cmd, f"{k} passed in {rng.uniform(1, 40):.2f}s\n" + "\n".join(f"  ok {i}" for i in range(int(rng.randint(1, 12) * self.p.verb ** 1.9))))
        return not fail
    def git(self):
        rng, w = self.rng, self.world
        self.fault("shell")
        p = rng.choice(self.targets)
        n = int(rng.randint(2, 14) * self.p.verb ** 1.9)
        c, o = rng.choice([("git status --short", "\n".join(f" M {rng.choice(w.targets)}" for _ in range(n))), (f"git log --oneline -{n} -- {p}", "\n".join(f"{rng.getrandbits(28):07x} {rng.choice(VERBS)} {rng.choice(w.nouns)} {rng.choice(NOUN2)}" for _ in range(n))),
            (f"git diff HEAD~1 -- {p}", "\n".join("+ " + rng.choice(w.files[p]) for _ in range(n * 2))), (f"ls -la {p.rsplit('/', 1)[0]}", "\n".join(f"-rw-r--r-- 1 {self.name} {rng.randint(500, 20000)} {f}" for f in rng.sample(w.targets, min(n, len(w.targets))))), (f"git blame -L {rng.randint(1, 20)},{rng.randint(21, 40)} {p}", "\n".join(f"{rng.getrandbits(32):08x} ({self.name}) {rng.choice(w.files[p])}" for _ in range(n)))])
        self.sh(c, o + "\n")
    def todo(self):
        rng = self.rng
        items = [{"content": f"{rng.choice(VERBS).title()} the {rng.choice(self.world.nouns)} {rng.choice(NOUN2)}", "status": s} for s in ["completed", "in_progress", "pending", "pending"][:rng.randint(2, 4)]]
        if self.codex: self.emit(("update_plan", {"plan": [{"step": i["content"], "status": i["status"]} for i in items]}, "Plan updated", False, 0))
        elif self.p.rename: self.emit(("TaskUpdate", {"taskId": str(rng.randint(1, 9)), "status": "in_progress"}, "Updated task status", False, {"success": True}))
        else: self.emit(("TodoWrite", {"todos": [dict(i, activeForm=i["content"]) for i in items]}, "Todos have been modified successfully. Ensure that you continue to use the todo list to track your progress. Please proceed with the current tasks if applicable", False, {"oldTodos": [], "newTodos": items}))
    def issue(self):
        rng = self.rng; n = rng.randint(100, 2500); body = f"{rng.choice(VERBS)} fails for {rng.choice(self.world.nouns)} with {rng.choice(NOUN2)} set; steps to reproduce attached"
        self.fault("shell")
        if self.p.mcp: self.emit(("mcp__tracker__get_issue", {"issue": n, "project": self.world.name}, [{"type": "text", "text": json.dumps({"number": n, "state": "open", "body": body})}], False, [{"type": "text", "text": body}]))
        else: self.sh(f"gh issue view {n} --json title,body", json.dumps({"title": body[:30], "body": body}) + "\n")
    # values
    def value_now(self, key): return self.vals[key][-1]
    def replace(self, key):
        h = self.vals.setdefault(key, [])
        for _ in range(50):
            v = KEYS[key](self.rng)
            if all(v not in x for x in self.vals.values()): break
        h.append(v)
    def settings(self):
        """A tool tells the present values of the keys in play."""
        obj = {k: self.value_now(k) for k in self.play if k in self.vals}
        self.fault("shell")
        if self.codex: self.sh("./bin/desk show --json", json.dumps(obj, indent=1) + "\n")
        else: self.emit(("mcp__backoffice__get_settings", {"scope": self.world.name}, [{"type": "text", "text": json.dumps(obj)}], False, [{"type": "text", "text": json.dumps(obj)}]))
    def value(self):
        rng = self.rng
        keys = [k for k in self.play if k in self.vals]
        if not keys: return self.git()
        two = [k for k in keys if len(self.vals[k]) > 1]
        pick = [rng.choice(two if two and rng.random() < .93 else keys)]
        if rng.random() < .3:
            o = rng.choice(two or keys)
            if o not in pick: pick.append(o)
        self.fault("value")
        arg = {}
        for k in pick:
            h = self.vals[k]; v = h[-1]
            if len(h) > 1 and rng.random() < self.p.stale: v = h[-2] if rng.random() < .8 or len(h) < 3 else h[-3]
            arg[k] = v
        form = rng.choice(self.world.nouns)
        if self.codex or rng.random() < .3: self.sh(f"./bin/desk {rng.choice(['submit', 'preview', 'book', 'notify'])} --form {form} " + " ".join(f"--{k} '{v}'" for k, v in arg.items()), rng.choice(["accepted\n", "ok, queued\n", f"stored as entry {rng.randint(1000, 9999)}\n"]))
        else:
            n = rng.choice(["mcp__backoffice__update_record", "mcp__backoffice__update_record", "mcp__backoffice__send_notice", "mcp__backoffice__schedule_run"])
            self.emit((n, dict({"form": form}, **arg), [{"type": "text", "text": rng.choice(["accepted", "queued", f"entry {rng.randint(1000, 9999)} stored"])}], False, [{"type": "text", "text": "ok"}]))

    # ------------------------------------------------ plans
    def plan(self, work):
        r = self.rng; R = r.randint
        m = {"bugfix": lambda: ["issue"] * (r.random() < .25) + ["search"] * R(1, 2) + ["read"] * R(1, 3) + ["edit"] * R(1, 3) + ["test"] * R(1, 2) + ["git"] * (r.random() < .3),
         "feature": lambda: ["issue"] * (r.random() < .2) + ["todo"] * (r.random() < .5) + ["glob"] * R(0, 1) + ["search"] * R(0, 2) + ["read"] * R(2, 4) + ["edit"] * R(2, 4) + ["write"] * (r.random() < .4) + ["test"] * R(1, 2),
         "refactor": lambda: ["search"] * R(1, 3) + ["read"] * R(1, 3) + ["edit"] * R(2, 5) + ["test"] * 1 + ["git"] * (r.random() < .4),
         "explain": lambda: ["search"] * R(1, 3) + ["read"] * R(2, 4) + ["git"] * (r.random() < .25),
         "docs": lambda: ["doc"] * 1 + ["read"] * R(1, 2) + ["search"] * R(0, 1) + ["docedit"] * R(1, 3) + ["git"] * (r.random() < .3),
         "tests": lambda: ["read"] * R(1, 2) + ["testfile"] * 1 + ["testedit"] * R(1, 3) + ["test"] * R(1, 3),
         "ops": lambda: ["config"] * R(0, 1) + ["git"] * R(1, 2) + ["value"] * R(2, 4) + ["search"] * R(0, 1),
         "review": lambda: ["git"] * R(1, 3) + ["read"] * R(2, 4) + ["search"] * R(0, 2) + ["test"] * (r.random() < .3),
         "report": lambda: ["py"] * R(2, 4) + ["read"] * R(1, 2) + ["write"] * (r.random() < .5),
         "tdd": lambda: ["search"] * R(0, 1) + ["read"] * R(1, 2) + ["testfile"] * 1 + ["testedit"] * R(1, 2) + ["red"] * R(1, 2) + ["edit"] * R(1, 3) + ["green"] * 1,
         "plan": lambda: ["todo"] * R(1, 2) + ["search"] * R(1, 2) + ["read"] * R(3, 6) + ["edit"] * R(4, 8) + ["write"] * R(0, 2) + ["test"] * R(1, 2) + ["todo"] * R(0, 1),
         "corr": lambda: ["read"] * R(0, 1) + ["edit"] * R(1, 2) + ["test"] * R(0, 1) + ["search"] * R(0, 1)}[work]()
        extra = self.depth * self.p.calls
        n = len(m)
        if extra > 1:
            k = (extra - 1) * n; k = int(k) + (r.random() < k % 1)
            for _ in range(k): m.insert(r.randint(0, len(m)), r.choice(["search", "read", "git", "glob", "read", "search"]))
        elif n > 4:
            k = (1 - extra) * n; k = int(k) + (r.random() < k % 1)
            for _ in range(k): m.pop(r.randrange(len(m)))
        return m
    def run(self, work):
        rng, w = self.rng, self.world
        acts = self.plan(work)
        if self.p.lint and rng.random() < .7: self.todo()
        if self.p.sub and work in ("bugfix", "feature", "refactor", "explain", "plan") and rng.random() < self.p.sub:
            self.subagent(); acts = [a for a in acts if a not in ("search", "glob")]
        first = self.rng.random() < .93
        for a in acts:
            if a not in ("edit", "write", "test", "red", "green", "todo", "docedit", "testedit", "value") and rng.random() < self.vp: self.vaguely(); continue
            if self.p.drift and a in ("search", "glob", "issue") and rng.random() < self.p.drift: rng.choice([self.git, self.git, self.git, self.todo])()
            elif self.p.drift and a == "read" and rng.random() < self.p.drift * .55: rng.choice([self.git, self.todo])()
            elif a == "search": self.search()
            elif a == "glob": self.glob()
            elif a == "read": self.next_read()
            elif a == "edit": self.edit(rng.choice(self.targets)); 
            elif a == "write": self.write()
            elif a == "test":
                if not self.test(rng.choice(self.targets) if rng.random() < .7 else None) and rng.random() < .6: self.edit(rng.choice(self.targets)); self.test(rng.choice(self.targets))
            elif a == "red": self.test(self.targets[0], want=True)
            elif a == "green": self.test(self.targets[0], want=rng.random() < .1)
            elif a == "doc": self.doc = rng.choice(w.docs); (self.look(self.doc) if self.doc not in self.known else self.slip())
            elif a == "docedit": self.edit(getattr(self, "doc", w.docs[0]))
            elif a == "config":
                c = rng.choice(w.configs); (self.look(c) if c not in self.known else self.slip())
            elif a == "testfile":
                t = w.tests[self.targets[0]]; (self.look(t) if t not in self.known else self.slip())
            elif a == "testedit": self.edit(w.tests[self.targets[0]])
            elif a == "value": self.value()
            elif a == "git": self.git()
            elif a == "todo": self.todo()
            elif a == "issue": self.issue()
            elif a == "py": self.fault("shell"); self.sh(f"python scripts/{rng.choice(['count', 'stats', 'query'])}.py --of {rng.choice(w.nouns)} --by {rng.choice(NOUN2)}", "\n".join(f"{rng.choice(NOUN2)},{rng.randint(1, 9000)}" for _ in range(int(rng.randint(3, 25) * self.p.verb ** 1.9))) + "\n")
            if rng.random() < .235: self.value()
            if rng.random() < .02 and self.edited:   # verify an edit: a read with a reason
                x = rng.choice(sorted(self.edited)); self.known[x] = (1, len(w.files[x])); self.emit(self._read_item(x))
    def next_read(self):
        rng, w = self.rng, self.world
        todo = [t for t in self.targets if t not in self.known]
        if todo:
            if len(todo) > 1 and rng.random() < .12 and all(t in self.visited or rng.random() > self.p.look for t in todo[:2]):
                self.slip()
                for t in todo[:2]: self.visited.add(t)
                self.emit(*[self._read_item(t) for t in todo[:2]])
            else: self.look(todo[0])
            return
        rel = [t for t in self.focus if t not in self.known] or [t for t in w.targets if t not in self.known]
        if rel and rng.random() < .75: self.look(rng.choice(rel))
        else: self.search()
    def subagent(self):
        rng = self.rng
        prompt = T.fill(rng.choice(["Find where the {n} {n2} is handled in this repository. Read the relevant files and report functions and call sites.", "Explore how {t} works; list the files involved and anything surprising.", "Search for all uses of {f} and summarise them."]), self.slots)
        side = self.main.fork(); keep = (self.known, self.edited, self.visited, self.reads, self.rer)
        self.w = side; self.known, self.edited, self.visited, self.reads, self.rer = {}, set(), set(), 0, 0
        side.user(prompt)
        for _ in range(rng.randint(2, 5)):
            if rng.random() < .5: self.search()
            else: self.next_read()
        rep = "## Findings\n" + "\n".join(T.fill("- {f} in `{p}` deals with the {n} {n2}", self.mkslots(rng.choice(self.world.targets))) for _ in range(rng.randint(3, 8)))
        side.say(rep); side.end_side(); self.w = self.main
        self.main.now = side.now
        self.known, self.edited, self.visited, self.reads, self.rer = keep
        self.emit(("Task", {"description": "Explore the code", "prompt": prompt, "subagent_type": "Explore"}, [{"type": "text", "text": rep + f"\nagentId: {side.agent}"}], False, {"status": "completed", "prompt": prompt, "agentId": side.agent, "content": [{"type": "text", "text": rep}], "totalDurationMs": rng.randint(9000, 90000), "totalTokens": rng.randint(12000, 50000), "totalToolUseCount": rng.randint(2, 6)}))

    # ------------------------------------------------ requests
    def mkslots(self, p):
        r, w = self.rng, self.world
        n = p.split("/")[-1].split("_")[0] if p in w.twin else r.choice(w.nouns)
        return {"p": p, "f": r.choice(w.funcs.get(p) or ["main"]), "n": n, "n2": r.choice(NOUN2), "v": r.choice(VERBS), "k": r.randint(2, 60) if r.random() < .7 else r.randint(100, 3000), "t": (f"the {n} {p.split('_')[-1].split('.')[0] if '_' in p else 'code'}" if self.p.lang.startswith("en") else f"{n}_{p.split('_')[-1].split('.')[0]}" if "_" in p else n)}
    def word(self, work):
        r = self.rng; body, lead, tail, *_ = T.LANGS[self.p.lang]
        if self.p.lang.startswith("en") and r.random() < self.p.terse: return T.fill(r.choice(T.TERSE[work]), self.slots)
        b = r.choice(body[work])
        l = r.choice(lead)
        if l and l.rstrip()[-1] not in "!.:" and b[0].isupper() and not b.startswith(("I ", "I'")): b = b[0].lower() + b[1:]
        t = r.choice(tail)
        if t and t[1:2].isupper() and b[-1] not in ".?!": b += "."
        s = T.fill(l + b + t, self.slots)
        if r.random() < (.08 if self.p.lang != "en2" else .2): s = T.typo(r, s)
        if self.p.lang == "en2" and r.random() < .7: s = s[0].lower() + s[1:]
        return s
    def tell(self):
        """Announce values; returns text to append to the request (user tells) and whether a tool shall tell."""
        r = self.rng; SET, REPL = T.LANGS[self.p.lang][5:7]
        text, tool = [], False
        todo = []
        if not self.told:
            self.told = True
            for k in self.play:
                if k not in self.vals: self.replace(k); todo.append((k, None))
                elif r.random() < .5: old = self.value_now(k); self.replace(k); todo.append((k, old))
                else: todo.append((k, None))
        elif r.random() < .45:
            k = r.choice(self.play); old = self.value_now(k); self.replace(k); todo.append((k, old))
        for k, old in todo:
            how = self.p.tells if self.p.tells != "both" else r.choice(["user", "tool"])
            if how == "tool": tool = True
            else: text.append(T.fill(r.choice(REPL if old else SET), {"key": k.replace("_", " ") if r.random() < .6 else k, "val": self.value_now(k), "old": old}))
        s = ""
        if text: s = " " + r.choice(["For the desk entries: ", "By the way, ", "Note: ", ""] if self.p.lang.startswith("en") else ["Übrigens: ", ""] if self.p.lang == "de" else ["Au fait : ", ""]) + "; ".join(text) + "."
        return s, tool
    def pick_targets(self):
        r, w = self.rng, self.world
        pool = self.focus if r.random() < .72 else w.targets
        self.targets = r.sample(pool, min(len(pool), r.choice([1, 2, 2, 3])))
        self.slots = self.mkslots(self.targets[0]); self.last = None
    def compact(self, trigger=None):
        s = "Analysis:\nThe user asked for several changes.\n\nSummary:\n1. Primary request: " + " ".join(T.fill(self.rng.choice(T.DONE), self.slots) for _ in range(self.rng.randint(6, 20))) + "\nCurrent values: " + ", ".join(f"{k}={self.value_now(k)}" for k in self.play if k in self.vals)
        self.main.compact(trigger or self.rng.choice(["auto", "manual"]), s)
        self.known.clear(); self.edited.clear(); self.visited.clear()

    def session(self, p, now, hook=None, cleared=None, event_at=None, after=None):
        """One session. hook(agent, i) may return (text, work) to force a request; at event_at compact and go on with p=after."""
        r = self.rng; self.p = p; self.known, self.edited, self.visited = {}, set(), set()
        self.depth = math.exp(r.gauss(0, .15))
        noise = lambda s: math.exp(r.gauss(0, s) - s * s / 2)
        ne, nr = noise(.3), noise(.25)
        def setp():
            self.s_err, self.s_reread, self.vp = self.p.err * ne, self.p.reread * nr, self.p.vague * 2.3
        setp()
        self.reads = self.rer = self.firsts = self.ncalls = 0; self.last = None; self.told = False
        w = self.world
        c = r.choice(w.targets); pk = c.rsplit("/", 1)[0]
        same = [t for t in w.targets if t.startswith(pk)]
        self.focus = list(dict.fromkeys(r.sample(same, min(len(same), r.randint(3, 6))) + r.sample(w.targets, 3)))
        old = [k for k in self.vals]
        self.play = list(dict.fromkeys((r.sample(old, min(len(old), r.randint(1, 3)))) + r.sample(list(KEYS), r.randint(1, 2))))[:4]
        plan = r.random() < p.plan and p.lang.startswith('en')
        cl = cleared if cleared is not None else (plan or r.random() < p.clear)
        self.main.start(now, r.choice(["main", "main", f"{self.name}/{r.choice(w.nouns)}-{r.choice(NOUN2)}"]), cleared=cl and not self.codex)
        x = r.random()
        nreq = p.reqs or (r.randint(1, 2) if x < .12 else r.randint(8, 12) if x > .93 else r.randint(3, 7))
        if event_at is not None: nreq = max(nreq, 4)
        comp = r.randint(1, max(1, nreq - 1)) if r.random() < p.compact else None
        works, wts = list(p.mix), list(p.mix.values())
        i = 0
        while i < nreq:
            self.pick_targets()
            if event_at is not None and i >= event_at: self.compact("auto"); self.p = after; setp(); event_at = None
            elif comp == i or self.main.ctx > p.limit: self.compact("auto" if self.main.ctx > p.limit else None)
            forced = hook(self, i) if hook else None
            if forced: text, work = forced
            else:
                work = "tdd" if r.random() < p.tdd else r.choices(works, wts)[0]
                text = self.word(work)
                if plan and i == 0:
                    work = "plan"; text = self.plantext()
                elif r.random() < .03 and self.known and self.p.lang.startswith("en"):
                    k = [x for x in self.known if x in w.twin]
                    if k:
                        q = r.choice(k); w.edit(r, q); self.targets[0] = q; self.slots = self.mkslots(q); self.known.pop(q); self.edited.discard(q)
                        text = T.fill(r.choice(T.BYHAND), self.slots); work = "bugfix"
            ann, tool = self.tell()
            self.main.user(text + ann)
            if tool: self.settings()
            if callable(work): work()
            else: self.run(work)
            self.finish()
            self.main.tick(40, 700); i += 1
            if i < nreq or r.random() < .5:
                q = 1.17 * self.p.corr / (1 - self.p.corr)   # 1.17: no correction can follow some last requests
                if r.random() < q:
                    C, X = T.LANGS[self.p.lang][3:5]
                    self.slots = self.mkslots(self.targets[0])
                    self.slots["x"] = self.slots["x2"] = T.fill(r.choice(X), self.mkslots(self.targets[-1]))
                    self.main.user(T.fill(T.fill(r.choice(C), self.slots), self.slots)); self.run("corr"); self.finish(); self.main.tick(40, 500); i += 1
        self.main.end(); self.now = self.main.now
    def finish(self):
        self.main.say(T.fill(self.rng.choice({"de": T.DONE_DE, "fr": T.DONE_FR}.get(self.p.lang, T.DONE)), self.slots))
    def plantext(self):
        r = self.rng; S = self.mkslots
        t = [T.fill("Implement the following plan:\n\n# Plan: {v} the {n} {n2}\n\n## Context\n\nThe {n} currently has no proper {n2}. This plan describes the steps.\n\n## Steps\n", self.slots)]
        for i in range(r.randint(8, 22)): t.append(T.fill(r.choice(["{i}. In `{p}` change `{f}` so that the {n} keeps its {n2}. Existing callers stay as they are, the default is {k}.", "{i}. Add a guard to `{f}` (`{p}`): without {n2} it must {v} nothing and log the reason.", "{i}. Extend the tests of `{p}` for the {n2} case; at least {k} rows.", "{i}. Documentation: mention the {n2} of the {n} in the guide, with an example."]), dict(S(r.choice(self.targets if r.random() < .6 else self.world.targets)), i=i + 1)))
        return "\n".join(t)

def schedule(rng, now, holiday=0):
    """Start of the next session after `now`."""
    t = now + timedelta(minutes=rng.uniform(15, 200))
    if t.hour >= 18 or t.hour < 7 or rng.random() < .5:
        d = (now + timedelta(days=1)).replace(hour=8, minute=0, second=0) + timedelta(minutes=rng.uniform(0, 300))
        while (d.weekday() >= 5 and rng.random() < .92) or rng.random() < .12: d += timedelta(days=1)
        t = d
    return t + timedelta(days=holiday)
