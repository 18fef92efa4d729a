"""One session of work: tasks with their typical course of calls, natural slips, re-reads, corrections and interrupts."""

import math

import b16_talk as talk
from b16_world import FIELDS, NOUNS, VERBS, camel

HAZARD = {"read": 0.046, "edit": 0.066, "search": 0.048, "run": 0.06, "write": 0.02, "mcp": 0.05}  # own slips, given the call
REREAD = 0.11        # per planned read, when an unchanged file was read before in the session
CORRECTION = 0.08    # per finished request
INTERRUPT = 0.03     # per request
TEST_FAIL = 0.22     # the first run after a change fails, as part of the work


class Interrupted(Exception):
    pass


class Full(Exception):
    pass


class Session:
    def __init__(self, writer, world, rng, prof):
        self.w, self.world, self.rng, self.p = writer, world, rng, prof
        self.calls = self.errors = self.reads = self.rereads = self.requests = self.corrections = self.interrupts = 0
        self.plan_err = self.plan_rr = 0.0
        self.known, self.cut, self.sub, self.open_calls = {}, None, False, 0
        self.claude = prof["format"] == "claude"
        self.lang, self.user = prof["lang"], prof["user"]
        self.cap = 10 ** 6 if prof["long"] else 109
        self.batch, self.searched = None, set()
        self.compactions = []
        if prof["long"]:
            self.compactions = [int(prof["target"] * 0.36), int(prof["target"] * 0.70)]
            self.begun, self.first_context = 0, writer.context

    # small things

    def say(self, kind, x="", p=0.4):
        if self.rng.random() < p:
            return talk.say(self.rng, self.lang, kind, x=x or self.f.path.rsplit("/", 1)[-1], f=self.slots["field"], a=self.slots["area"])
        return None

    def emit(self, call, say=None, gated=False):
        if not gated:
            self.gate()
        self.calls += 1
        self.slipping = False
        if self.batch is not None:
            self.batch.append((say, call))
            return
        self.w.calls(say, [call])
        self.watch()

    def together(self, todo):
        """Several calls in one message, as agents do with independent reads."""
        self.batch = []
        try:
            todo()
        finally:
            batch, self.batch = self.batch, None
            if batch and not self.flushed:
                self.w.calls(batch[0][0], [c for _, c in batch])
            self.flushed = False
        self.watch()

    flushed = slipping = False

    def flush(self):
        if self.slipping:  # the slip was stopped before it happened
            self.errors -= 1
            self.slipping = False
        if self.batch:
            self.w.calls(self.batch[0][0], [c for _, c in self.batch])
            self.flushed = True

    def watch(self):
        if self.compactions and not self.sub:
            part = (self.calls - self.begun) / max(1, self.compactions[0] - self.begun)
            self.w.context = max(self.w.context, int(self.first_context + (153000 + self.first_context % 9973 - self.first_context) * min(1, part)))
            if self.calls >= self.compactions[0]:
                self.w.compact(f"Summary:\n1. Primary Request and Intent: work on {self.slots['area']} ({self.slots['field']}).\n2. Files and Code "
                               f"Sections: {', '.join(list(self.known)[-4:])}\n3. Errors and fixes: tests of {self.slots['area']} adapted.\n"
                               f"4. Pending Tasks: finish the current request.\n5. Current Work: {self.f.path}")
                self.known, self.begun, self.first_context = {}, self.compactions.pop(0), self.w.context

    def gate(self, call=None):
        """Stops where the user interrupts, or where the session is full."""
        if self.sub:
            return
        if self.cut is not None:
            self.cut -= 1
            if self.cut <= 0:
                self.cut = None
                self.interrupts += 1
                self.flush()
                if call is not None:
                    self.calls += 1
                self.w.interrupt(call)
                raise Interrupted
        if self.calls >= self.cap:
            self.flush()
            raise Full

    def slip(self, kind):
        p = HAZARD[kind] * self.p["err"]
        self.plan_err += p
        if self.rng.random() < p:
            self.errors += 1
            self.slipping = True
            return True
        return False

    # the calls

    def pick(self, *langs, area=None):
        pool = self.world.of(*langs, area=area)
        return self.rng.choice(pool)

    def read(self, f, p=0.35):
        rng = self.rng
        self.maybe_reread()
        old = self.known.get(f.path)
        if old and (old[0] == f.version or rng.random() < 0.6):
            return  # it is still in view
        start = n = None
        if len(f.lines) > 100 and rng.random() < 0.6:
            n = rng.randrange(40, 75)
            start = max(1, min(f.anchor(rng.choice(f.syms)) - 9, len(f.lines) - n))
        if self.slip("read"):
            self.emit(self.w.read_missing(self.wrong(f.path)), self.say("read", p=p))
            if self.batch:
                self.w.calls(self.batch[0][0], [c for _, c in self.batch])
                self.batch = []
            if rng.random() < 0.12:
                return
        self.emit(self.w.read(f, start, n), self.say("read", f.path, p))
        self.reads += 1
        self.known[f.path] = (f.version, f, start, n)

    def maybe_reread(self):
        pool = [k for k in self.known.values() if k[0] == k[1].version]
        if len(pool) > 1:
            p = REREAD * self.p["rr"]
            self.plan_rr += p
            if self.rng.random() < p:
                self.again(self.rng.choice(pool))

    def again(self, k):
        self.emit(self.w.read(k[1], k[2], k[3]), self.say("read", k[1].path, 0.25))
        self.reads += 1
        self.rereads += 1

    def wrong(self, path):
        rng, (folder, name) = self.rng, path.rsplit("/", 1) if "/" in path else ("src", path)
        stem, dot, ext = name.rpartition(".")
        return rng.choice([f"{folder}/{stem}s.{ext}", f"src/{path}", f"{folder}/core/{name}", f"{folder}/{stem}_utils.{ext}",
                           f"{folder.rsplit('/', 1)[0]}/{name}", f"{folder}/{stem}/index.{ext}"])

    def search(self, f, p=0.4):
        rng = self.rng
        mcp = self.p["mcp"] and rng.random() < self.p["mcp"]
        for _ in range(5):  # not the same search twice
            sym = rng.choice(f.syms) if rng.random() < 0.6 else self.slots["field"]
            if f.lang == "ts":
                sym = camel(sym)
            where = f.path.rsplit("/", 1)[0] if rng.random() < 0.6 and "/" in f.path else f.path.split("/", 1)[0]
            if (sym, where) not in self.searched:
                break
        self.searched.add((sym, where))
        if mcp:
            return self.mcp_search(f, sym)
        if self.slip("search"):
            self.emit(self.w.search_missing(sym, self.wrong(where + "/x").rsplit("/", 1)[0] + "/" + rng.choice(["common", "lib", "shared"])),
                      self.say("search", sym, p))
        mode = "content" if rng.random() < 0.6 else "files_with_matches"
        self.emit(self.w.search(sym, where, self.hits(f, sym, where), mode), self.say("search", sym, p))

    def hits(self, f, sym, where):
        out = []
        for g in [f, *(g for g in self.world.by_area[f.area] if g is not f)]:
            if g.path.startswith(where):
                out += [f"{g.path}:{i}:{line}" for i, line in enumerate(g.lines, 1) if sym in line][:4]
        return out[:12]

    def mcp_search(self, f, sym):
        rng = self.rng
        if self.slip("mcp"):
            self.emit(self.w.mcp("mcp__codeindex__find_symbol", {"name": sym, "language": f.lang, "scope": "all"},
                                 'MCP error -32602: Invalid arguments for tool find_symbol: [{"code":"unrecognized_keys","keys":["scope"]}]', 1))
        i = f.anchor(sym)
        self.emit(self.w.mcp("mcp__codeindex__find_symbol" if rng.random() < 0.6 else "mcp__codeindex__search", {"name": sym, "language": f.lang},
                             f'{{"matches":[{{"path":"{f.path}","line":{i + 1},"kind":"function","callers":{rng.randrange(9)}}}]}}'),
                  self.say("search", sym, 0.3))

    def glob(self, area):
        names = [f.path for f in self.world.by_area[area]]
        self.emit(self.w.glob(f"**/{area}*", names[:12]), self.say("search", area, 0.4))

    def edit(self, f, say=0.4, kind="edit"):
        if f.path not in self.known:
            self.read(f)
        rng = self.rng
        if self.slip("edit"):
            i = f.anchor(rng.choice(f.syms))
            old = "\n".join(f.lines[i:i + 2])
            bad = old.replace("    ", "  ", 1) if old.startswith(" ") else old + "\n" + f"    return {rng.choice(NOUNS)}"
            self.emit(self.w.edit_failed(f, bad, bad + "\n", 1 if rng.random() < 0.2 and self.claude else 0), self.say("edit", f.path, say))
            k = self.known.get(f.path)
            if k and k[0] == f.version:
                self.plan_rr += 0.3
                if rng.random() < 0.3:
                    self.again(k)
        note = rng.choice(["skip when unset", "small districts", "as agreed with operations", "keep the order", "see the migration"])
        self.gate()
        old, new, line = f.edit(rng, note)
        self.emit(self.w.edit(f, old, new, line), self.say(kind, f.path, say), True)
        self.known[f.path] = (f.version - 1, f, None, None)
        if rng.random() < 0.12:
            self.emit(self.w.read(f, max(1, line - 5), 20))
            self.reads += 1
            self.known[f.path] = (f.version, f, max(1, line - 5), 20)

    def write(self, area, lang):
        rng = self.rng
        sym = f"{rng.choice(VERBS)}_{rng.choice(NOUNS)}"
        product = self.world.product
        path = {"py": f"api/{product}/{area}/{sym}.py", "ts": f"web/src/{area}/{camel(sym)}.tsx", "go": f"edge/{area}/{sym}.go",
                "sql": f"db/migrations/{len(self.world.files) + 100:04d}_{area}_{sym}.sql", "md": f"docs/{area}-{sym}.md",
                "sh": f"scripts/{sym}.sh", "test": f"api/tests/test_{area}_{sym}.py"}[lang]
        if path in self.world.files:
            return self.edit(self.world.files[path])
        if self.slip("write"):
            self.emit(self.w.run(f"mkdir docs/{area} && cd {area}/new", "Create the folder", f"bash: line 1: cd: {area}/new: No such file or directory", 1, 0.1))
        self.gate()
        f = self.world.add(path, "py" if lang == "test" else lang, area, 3)
        self.emit(self.w.write(f), self.say("write", path, 0.4), True)
        self.known[path] = (f.version, f, None, None)
        return f

    def run(self, cmd, what, out, code=0, secs=1.0, family="sh", say=0.3, kind="run"):
        if self.slip("run"):
            bad, text, c = self.bad_command(cmd, family)
            self.emit(self.w.run(bad, what, text, c, 0.4), self.say("run", p=say))
            if self.rng.random() < 0.08:
                return
            say = 0.5
            kind = "slip"
        call = self.w.run(cmd, what, out, code, secs * (0.7 + 0.6 * self.rng.random()))
        if self.cut == 1 and not self.sub:
            self.gate(call)
        self.emit(call, self.say(kind, p=say))

    def bad_command(self, cmd, family):
        rng, a = self.rng, self.slots["area"]
        pool = {"py": [(cmd + " --timeuot 30", "ERROR: usage: python -m pytest [options] [file_or_dir]\npython -m pytest: error: unrecognized arguments: --timeuot", 4),
                       (f"python -m pytest tests/unit/test_{a}.py -q", f"ERROR: file or directory not found: tests/unit/test_{a}.py\n\nno tests ran in 0.01s", 4),
                       (f"python -c 'from {self.world.product}.{a} import helpers'", "Traceback (most recent call last):\n  File \"<string>\", line 1, in <module>\n"
                        f"ModuleNotFoundError: No module named '{self.world.product}'", 1)],
                "ts": [("cd web && npm run test:unit", 'npm error Missing script: "test:unit"\nnpm error\nnpm error To see a list of scripts, run:\nnpm error   npm run', 1),
                       ("npx vitest run --reporters dot", "CACError: Unknown option `--reporters`", 1)],
                "go": [(f"go test ./{a}", "go: go.mod file not found in current directory or any parent directory; see 'go help modules'", 1),
                       (f"cd edge && go test -runs Test{a.capitalize()} ./...", "flag provided but not defined: -runs\nusage: go test [build/test flags] [packages]", 2)],
                "sql": [(cmd.replace("select", "select closed,", 1), 'ERROR:  column "closed" does not exist\nLINE 1: select closed,', 1),
                        (cmd.replace(" from ", " from core.", 1), f'ERROR:  relation "core.{a}" does not exist', 1)],
                "ops": [(cmd + " --namspace staging", "error: unknown flag: --namspace\nSee 'kubectl --help' for usage.", 1),
                        (f"kubectl logs deploy/{a}-svc", f'Error from server (NotFound): deployments.apps "{a}-svc" not found', 1),
                        ("terraform -chdir=terraform plan", "Error handling -chdir option: chdir terraform: no such file or directory", 1)],
                "git": [(f"git add src/{a}", f"fatal: pathspec 'src/{a}' did not match any files", 128),
                        (f"git log --online -5 -- {a}", "fatal: unrecognized argument: --online", 128)]}.get(family)
        pool = pool or [(f"cat config/{a}.toml", f"cat: config/{a}.toml: No such file or directory", 1),
                        ("make chek", "make: *** No rule to make target 'chek'.  Stop.", 2), ("yq .services deploy/compose.yaml", "bash: line 1: yq: command not found", 127)]
        return rng.choice(pool)

    def test(self, area, lang, fail=False, all_=False):
        rng, n = self.rng, self.rng.randrange(6, 48)
        sym = f"{rng.choice(VERBS)}_{rng.choice(NOUNS)}"
        if lang == "ts":
            cmd, fam, secs = f"cd web && npx vitest run src/{area}", "ts", 5
            out = (f" FAIL  src/{area}/{area}.test.tsx > {camel(sym)}\nAssertionError: expected {n} to be {n + 1}\n\n Test Files  1 failed (1)\n      Tests  1 failed | {n} passed ({n + 1})"
                   if fail else f" ✓ src/{area}/{area}.test.tsx ({n} tests) {n * 7}ms\n\n Test Files  1 passed (1)\n      Tests  {n} passed ({n})")
        elif lang == "go":
            cmd, fam, secs = f"cd edge && go test ./{area}/...", "go", 4
            out = (f"--- FAIL: Test{camel(sym)} (0.00s)\n    handler_test.go:{n}: got {n}, want {n + 2}\nFAIL\nFAIL\tedge/{area}\t0.31s" if fail
                   else f"ok  \tedge/{area}\t0.{n}s")
        else:
            target = "" if all_ else f" tests/test_{area}.py"
            cmd, fam, secs = f"cd api && python -m pytest{target} -q", "py", 14 if all_ else 3
            n += 300 if all_ else 0
            out = (f"F{'.' * (n % 30)}\n=== FAILURES ===\n___ test_{sym} ___\n    assert row.{self.slots['field']} is not None\nE   AssertionError\n"
                   f"FAILED tests/test_{area}.py::test_{sym} - AssertionError\n1 failed, {n} passed in {secs}.{n % 90:02d}s"
                   if fail else f"{'.' * (n % 60)} [100%]\n{n} passed in {secs}.{n % 90:02d}s")
        self.run(cmd, f"Run the tests of {area}", out, int(fail), secs, fam)

    def verify(self, area, f):
        """Tests after a change: sometimes they fail first, then a further change."""
        for _ in range(3):
            fail = self.rng.random() < TEST_FAIL
            self.test(area, f.lang, fail)
            if not fail:
                return
            self.edit(f, 0.7, "fail")
        self.test(area, f.lang, False)

    def lint(self, f):
        if self.rng.random() >= self.p["lint"]:
            return
        bad = self.rng.random() < 0.15
        self.run("make lint", "Run the linters", f"{f.path}:{len(f.lines) // 2}:1: line too long (112 > 110)\nmake: *** [Makefile:31: lint] Error 1" if bad else
                 "ruff check api scripts\nAll checks passed!\neslint web/src", 2 * bad, 6)
        if bad:
            self.edit(f)
            self.run("make lint", "Run the linters", "ruff check api scripts\nAll checks passed!\neslint web/src", 0, 6)

    def commit(self, area, force=False):
        if not force and self.rng.random() >= self.p["commit"]:
            return
        sha = "%07x" % self.rng.getrandbits(28)
        if self.rng.random() < 0.5:
            self.run("git status --short", "Show the changes", "\n".join(f" M {p}" for p in list(self.known)[-3:]), 0, 0.1, "git", 0.2)
        self.run(f'git add -A && git commit -m "{area}: {self.slots["verb"]} {self.slots["noun"]}"', "Commit", f"[{self.w.branch} {sha}] {area}: "
                 f"{self.slots['verb']} {self.slots['noun']}\n {self.rng.randrange(1, 6)} files changed, {self.rng.randrange(4, 90)} insertions(+)", 0, 0.3, "git")

    def todo(self, area, at=0):
        items = [f"Add {self.slots['field']} to {area}", f"Show it in the {area} list", "Add tests", "Check the docs"]
        self.emit(self.w.todo(items, at), self.say("plan", p=0.5) if at == 0 else None)

    def query(self, area):
        rng, field = self.rng, self.slots["field"]
        sql = f"select district_id, count(*) from {area} where {field} is null group by 1 order by 2 desc limit 5"
        rows = "\n".join(f" {rng.randrange(1, 40):11d} | {rng.randrange(3, 900):5d}" for _ in range(rng.randrange(2, 6)))
        out = f" district_id | count \n-------------+-------\n{rows}"
        if self.p["mcp"] and rng.random() < self.p["mcp"]:
            if self.slip("mcp"):
                self.emit(self.w.mcp("mcp__postgres__query", {"sql": sql.replace(field, "closed", 1)}, 'Error: column "closed" does not exist', 1))
            return self.emit(self.w.mcp("mcp__postgres__query", {"sql": sql}, out), self.say("run", p=0.3))
        self.run(f'psql "$STAGING_URL" -c "{sql}"', "Query staging", out, 0, 0.8, "sql")

    # exploration, alone or through a sub-agent

    def explore(self, area, f, n):
        rng = self.rng
        if self.claude and rng.random() < self.p["sub"]:
            return self.delegate(area, f)
        self.search(f)
        if rng.random() < 0.3:
            self.glob(area)
        for _ in range(n):
            if rng.random() < 0.35:
                self.search(f)
            g, h = self.pick("py", "ts", "go", "sql", "md", area=area), self.pick("py", "ts", "go", "sql", area=area)
            if rng.random() < 0.22 and g is not h:
                self.together(lambda: (self.read(g, 0.3), self.read(h, 0)))
            else:
                self.read(g)

    def delegate(self, area, f):
        rng = self.rng
        self.gate()
        self.calls += 1
        before, known = self.calls, self.known
        self.w.task_open(f"Explore {area} handling", f"Find out where {area} handles {self.slots['field']} ({self.slots['verb']} {self.slots['noun']}). "
                         "Report the files, the functions and the callers. Do not change anything.")
        self.sub, self.known = True, {}
        self.search(f, 0.2)
        for _ in range(rng.randrange(2, 6)):
            if rng.random() < 0.4:
                self.search(f, 0.2)
            self.read(self.pick("py", "ts", "go", "sql", "md", area=area), 0.2)
        self.sub, self.known = False, known
        self.w.task_close(f"{area} handles `{self.slots['field']}` in `{f.path}` ({', '.join(f.syms[:3])}). Tests: api/tests/test_{area}.py. "
                          f"{rng.randrange(2, 7)} callers, all inside {area}.", self.calls - before)

    # the kinds of task

    def many(self, low, high):
        x = (low + (high - low) * self.rng.random()) * self.p["scale"]
        return max(1, int(x + self.rng.random()))

    def task_fix(self, area):
        rng, f = self.rng, self.f
        self.explore(area, f, self.many(1, 2))
        self.read(f)
        t = self.world.files[f"api/tests/test_{area}.py"]
        if rng.random() < self.p["tdd"]:
            self.edit(t)
            self.test(area, f.lang, True)
        elif rng.random() < 0.45:
            self.test(area, f.lang, rng.random() < 0.6)
        for _ in range(self.many(1, 2)):
            self.edit(f)
        if rng.random() < 0.4:
            self.edit(t)
        self.verify(area, f)
        self.lint(f)
        self.commit(area)

    def task_feature(self, area):
        rng = self.rng
        plan = rng.random() < 0.5
        self.explore(area, self.f, self.many(2, 3))
        if plan:
            self.todo(area)
        for i in range(self.many(1.5, 3)):
            f = self.f if i == 0 else self.pick("py", "ts", "go", "sql", area=area)
            tdd = rng.random() < self.p["tdd"]
            if tdd:
                self.edit(self.world.files[f"api/tests/test_{area}.py"])
                self.test(area, f.lang, True)
            self.edit(f)
            if tdd or rng.random() < 0.4:
                self.verify(area, f)
        if plan:
            self.todo(area, 2)
        if rng.random() < 0.5:
            self.write(area, rng.choice(["py", "ts", "sql", "test"]))
        self.verify(area, self.f)
        self.lint(self.f)
        if rng.random() < 0.25:
            self.edit(self.pick("md", area=area))
        self.commit(area)

    def task_refactor(self, area):
        for _ in range(self.many(1, 2)):
            self.search(self.f)
        self.explore(area, self.f, self.many(1, 3))
        for _ in range(self.many(2, 4)):
            self.edit(self.f if self.rng.random() < 0.5 else self.pick("py", "ts", "go", area=area))
        self.verify(area, self.f)
        self.lint(self.f)
        self.commit(area)

    def task_question(self, area):
        self.explore(area, self.f, self.many(1, 3))
        if self.rng.random() < 0.4:
            self.run(f"git log --oneline -5 -- {self.f.path}", "History of the file", "\n".join(
                f"{self.rng.getrandbits(28):07x} {area}: {v} {self.slots['noun']}" for v in self.rng.sample(VERBS, 4)), 0, 0.1, "git")
        if self.rng.random() < 0.12 and self.claude:
            self.emit(self.w.web("https://www.postgresql.org/docs/current/explicit-locking.html", "Which lock does SELECT FOR UPDATE take?",
                                 "FOR UPDATE takes a row-level lock; other transactions that want to change the row wait."))

    def task_review(self, area):
        rng = self.rng
        if self.p["mcp"] and rng.random() < self.p["mcp"]:
            self.emit(self.w.mcp("mcp__github__get_pull_request", {"owner": "city", "repo": self.world.product, "pullNumber": 400 + rng.randrange(99)},
                                 f'{{"title":"{area}: {self.slots["verb"]}","state":"open","changed_files":{rng.randrange(2, 9)}}}'))
        self.run("git diff main --stat", "Show what changed", "\n".join(f" {f.path} | {rng.randrange(2, 60)} +-" for f in self.world.by_area[area][:4]), 0, 0.2, "git")
        for _ in range(self.many(2, 4)):
            self.read(self.pick("py", "ts", "go", "sql", area=area))
        self.search(self.f)

    def task_infra(self, area):
        rng = self.rng
        f = self.f
        pod = f"{area}-{rng.getrandbits(20):05x}"
        self.run("kubectl get pods", "List the pods", f"NAME           READY   STATUS    RESTARTS\n{pod}   1/1     Running   {rng.randrange(9)}", 0, 0.6, "ops")
        if rng.random() < 0.6:
            self.run(f"kubectl logs {pod} --tail 20", "Read the logs", f"level=warn msg=\"slow {self.slots['verb']}\" took={rng.randrange(2, 9)}s\nlevel=info msg=ready", 0, 0.7, "ops")
        for _ in range(self.many(1, 2)):
            self.read(self.pick("yaml", "tf", "sh"))
        for _ in range(self.many(1, 2)):
            self.edit(f)
            self.run("terraform -chdir=infra validate" if f.lang == "tf" else f"docker compose -f {f.path} config -q", "Validate",
                     "Success! The configuration is valid." if f.lang == "tf" else "", 0, 2, "ops")
        if rng.random() < 0.4:
            self.run(f"kubectl diff -f {f.path}", "Compare with the cluster", f"-  memory: 256Mi\n+  memory: {rng.randrange(3, 8) * 128}Mi", 0, 1.2, "ops")
        self.commit(area)

    def task_data(self, area):
        rng = self.rng
        self.read(self.pick("sql", area=area))
        for _ in range(self.many(2, 4)):
            self.query(area)
        if rng.random() < 0.5:
            f = self.write(area, "sql")
            self.run("make db-check", "Run the migrations on an empty database", f"applied {len(self.world.files)} migrations in 4.1s", 0, 5, "sh")
            if f is not None and rng.random() < 0.3:
                self.edit(f)
        elif rng.random() < 0.6:
            self.edit(self.pick("sql", area=area))
        self.query(area)

    def task_docs(self, area):
        self.read(self.pick("md", area=area))
        for _ in range(self.many(1, 2)):
            self.read(self.pick("py", "ts", "go", area=area))
        for _ in range(self.many(1, 2)):
            self.edit(self.pick("md", area=area))
        if self.rng.random() < 0.4:
            self.run("npx markdownlint docs", "Check the docs", "", 0, 1.5, "sh")
        self.commit(area)

    def task_tests(self, area):
        t = self.world.files[f"api/tests/test_{area}.py"]
        self.read(self.f)
        self.read(t)
        if self.rng.random() < 0.3:
            t = self.write(area, "test") or t
        for _ in range(self.many(1, 2)):
            self.edit(t)
            self.verify(area, t)
        self.lint(t)
        self.commit(area)

    def task_rules(self, area):
        f = self.f = self.world.files["CLAUDE.md"]
        self.read(f)
        for rule in ("- Run `make lint` before finishing a task and fix what it reports.",
                     "- Commit after every finished task: `<area>: <what>` in one short line."):
            self.gate()
            i = max(j for j, line in enumerate(f.lines) if line.strip())
            old = f.lines[i - 1] + "\n" + f.lines[i]
            f.lines.insert(i + 1, rule)
            f.version, f.shown = f.version + 1, {}
            self.emit(self.w.edit(f, old, old + "\n" + rule, i), self.say("edit", f.path, 0.4), True)

    def small(self, area):
        """The course of a follow-up or of a correction."""
        x = self.rng.random()
        if x < 0.2:
            return self.commit(area, True)
        if x < 0.5:
            self.search(self.f)
        self.read(self.pick("py", "ts", area=area))
        self.edit(self.f)
        self.verify(area, self.f)

    # the session

    def choose(self, kind):
        rng = self.rng
        area = rng.choice(self.p["areas"])
        langs = {"infra": ("yaml", "tf"), "docs": ("md",), "data": ("sql",)}.get(kind, ("py", "py", "ts", "go"))
        self.f = self.pick(*langs) if kind == "infra" else self.pick(*set_order(langs), area=area)
        f1, f2 = rng.sample(FIELDS, 2)
        self.slots = {"area": area, "sym": rng.choice(self.f.syms), "field": f1, "field2": f2, "noun": rng.choice(NOUNS),
                      "verb": rng.choice(VERBS), "file": self.f.path, "num": rng.randrange(10, 99)}
        return area

    def ask(self, text, plan=None):
        self.requests += 1
        self.w.user(text, plan)

    def attempt(self, course, area, kind):
        """Runs one course; an interrupt leads to another request of the user and a short course."""
        rng = self.rng
        self.cut = rng.randrange(1, 9) if rng.random() < INTERRUPT * self.p["cut"] else None
        try:
            course(area)
        except Interrupted:
            self.w.t += 8 + rng.random() * 60
            self.ask(talk.reply(rng, talk.REDIRECT, self.slots, self.lang, self.user, self.p["terse"]))
            self.small(area)
        self.cut = None
        self.w.final(self.say("answer" if kind in ("question", "review") else "done", p=1))

    def live(self):
        p, rng, w = self.p, self.rng, self.w
        kinds, weights = list(p["mix"]), list(p["mix"].values())
        limit = 30 if p["long"] else 8
        if p["clear"]:
            w.clear()
        first = True
        try:
            while first or (self.calls < max(3, p["target"] - 4) and self.requests < limit):
                kind = rng.choices(kinds, weights)[0]
                if p["target"] < 12 and first:
                    kind = rng.choice(["question", "docs", "review"]) if "question" in kinds else kind
                if first and p["clear"]:
                    kind = "feature"
                area = self.choose(kind)
                if first and p["rules"]:
                    self.ask("please put two rules into CLAUDE.md: run make lint before you finish a task, and commit after every finished task with a short message")
                    self.attempt(self.task_rules, area, "docs")
                elif first and p["clear"]:
                    plan = talk.plan(rng, self.slots)
                    self.ask("Implement the following plan:\n\n" + plan, plan)
                    self.attempt(self.task_feature, area, kind)
                else:
                    self.ask(talk.request(rng, kind, self.slots, self.lang, self.user, p["terse"]))
                    self.attempt(getattr(self, "task_" + kind), area, kind)
                first = False
                w.t += 5
                for table, chance in ((talk.CORRECT, CORRECTION * p["cor"]), (talk.FOLLOW, 0.33)):
                    if self.requests < limit and self.calls < p["target"] + 6 and rng.random() < chance:
                        self.pause()
                        self.corrections += table is talk.CORRECT
                        self.ask(talk.reply(rng, table, self.slots, self.lang, self.user, p["terse"]))
                        self.attempt(self.small, area, kind)
                self.pause()
        except Full:
            w.final(self.say("done", p=1))
        return self

    def pause(self):
        self.w.t += min(3600, 20 + self.rng.lognormvariate(math.log(150), 1.1))


def set_order(langs):
    return tuple(dict.fromkeys(langs))
