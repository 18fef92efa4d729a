"""One session: requests, calls, slips and what they mean for the labels."""
import json

import t12_text as T
from t12_facts import ANSWER, ASK, CMDS, OPENQ, RUNTIME, SHOWN, SHOWN_, TELL, TOLD, TOLD_, render, runtime_toml
from t12_world import NOUNS, VERBS

WIN = 220
KEYS = ("calls", "errors", "reads", "rereads", "visits", "looks", "uses", "stale", "requests", "asks", "corrections", "interrupts")
MORE = ("uses_told", "stale_told", "uses_shown", "stale_shown", "side_calls", "side_errors", "failing_tests", "network", "denied", "messages", "tells", "shows", "shell_calls")
GENERIC = ["./scripts/smoke.sh {flags}", "{envs} make smoke", "python -m services.dispatch.handlers {flags} --once", "deployctl apply {sets} --dry-run", "fleetctl run verify {flags}",
           "{envs} ./scripts/backfill.sh --limit 10", "kubectl set env deploy/ingest {envs} --dry-run=client", "coldctl job start nightly {flags}", "helm template deploy/helm {sets}"]


def q(v):
    return "'%s'" % v if any(c in v for c in "# %$&'") else v


class Session:
    def __init__(self, life, w, p, user):
        self.life, self.w, self.p, self.user = life, w, p, user
        self.r, self.repo, self.val = life.r, life.repo, life.val
        self.lang = user["lang"]
        self.n = dict.fromkeys(KEYS + MORE, 0)
        self.seen = {}          # path -> {offset: (content, by_others_changed)}
        self.used_shell = 0
        self.budget = 0.0
        self.cap = p["cap"]
        self.req_files = []
        self.pulled = set()
        self.recent = []
        self.blocked = set()
        self.side = False

    # ---- counting
    def cost(self, c=1.0):
        if self.side:
            self.n["side_calls"] += 1
        else:
            self.n["calls"] += 1
            self.budget -= c

    def full(self):
        return self.n["calls"] >= self.cap

    def sh(self):
        s = self.w.fmt == "claude" and self.r.random() < self.p["shell"]
        self.n["shell_calls"] += s
        return s

    def lead(self):
        r = self.r
        if r.random() < self.p["think"]:
            self.w.think(self.fill(r.choice(T.THINK), "en"))
        return self.fill(r.choice(T.MID[self.lang])) if r.random() < .12 else None

    # ---- words
    def slots(self, area):
        r = self.r
        f = r.choice(self.repo.areas[area])
        L = self.lang
        return {"area": area, "file": f if r.random() < .4 else f.rsplit("/", 1)[-1], "sym": self.repo.symbol(f), "noun": r.choice(NOUNS), "verb": r.choice(VERBS), "cust": r.choice(T.CUST),
                "when": r.choice(T.WHEN[L]), "sympt": r.choice(T.SYMPT[L]), "num": r.randint(210, 4999), "_path": f, "files": r.sample(self.repo.areas[area], 4)}

    def fill(self, t, lang=None):
        s = self.slot
        if lang == "en" and self.lang != "en":
            s = dict(s, when=self.r.choice(T.WHEN["en"]))
        return t.format(**s)

    def speak(self, task, tells):
        r, L, p = self.r, self.lang, self.p
        v = self.user["voice"]
        short = r.random() < max(p["terse"], .75 if v == "terse" else 0)
        if short:
            t = r.choice((T.SHORT if L == "en" else T.SHORT_DE)[task]).format(**self.slot)
        else:
            bank = (T.EN if L == "en" else T.DE)[task]
            t = r.choice(bank).format(**self.slot)
            if r.random() < .25 and v != "terse":
                s2 = self.slots(self.slot["area"])
                t += " " + r.choice((T.EN if L == "en" else T.DE)[task]).format(**s2)
            if v == "long" and r.random() < .6:
                t += (" The background is that %s, and %s asked about it twice." % (r.choice(T.SYMPT[L]), self.slot["cust"])) if L == "en" else (" Hintergrund (%s): %s." % (self.slot["cust"], r.choice(T.SYMPT[L])))
            if r.random() < (.6 if v == "long" else .35):
                t += " " + r.choice(T.CONTEXT[L]).format(**self.slot)
            t = r.choice(T.OPEN[L]) + t + r.choice(T.CLOSE[L])
        t = T.style(t, v, r)
        said = []
        for key in tells:
            x, old = self.val.tell(key)
            said.append(self.tell_text(key, x, old))
            self.n["tells"] += 1
        if said:
            sep = r.choice(["\n", "\n\n", ", ", ". "] if v == "sloppy" else [" ", "\n", "\n\n", " "])
            if sep == ". " and t.endswith(("?", "!")):
                sep = " "
            end = "" if v == "sloppy" or t.endswith((".", "?")) else "."
            if r.random() < .5:
                t = t + end + sep + sep.join(said)
            else:
                t = sep.join(said) + sep + t
        return t

    def tell_text(self, key, x, old):
        r, L = self.r, self.lang
        t = TOLD_[key]
        bank = TELL[L + "_old"] if old and r.random() < .25 else TELL[L]
        s = r.choice(bank).format(n=r.choice(t[1] if L == "en" else t[2]), v=x, o=old)
        if self.user["voice"] != "sloppy":
            if s[0].isalpha() and not s.startswith(x) and not (old and s.startswith(old)):
                s = s[0].upper() + s[1:]
            s += r.choice([".", ".", "", "!"]) if self.user["voice"] != "terse" else "."
        return s

    # ---- reading
    def window(self, path, off):
        return self.repo.files[path][off:off + WIN]

    def do_read(self, path, off, text=None, shell=None):
        L = self.repo.files[path]
        part = L[off:off + WIN]
        self.w.read(path, part, off, len(L), self.sh() if shell is None else shell, text=text)
        self.cost()
        if not self.side:
            self.n["reads"] += 1
            self.seen.setdefault(path, {})[off] = "\n".join(part)
            self.pulled.discard(path)
            self.recent.append(path)
            if self.r.random() < self.p["reread"]:
                self.life.pend_rr = min(self.life.pend_rr + 1, 4)

    def unchanged(self):
        last = self.recent[-1] if self.recent else None
        return [(p, o) for p, d in self.seen.items() if p != last and p != RUNTIME for o, c in d.items() if "\n".join(self.window(p, o)) == c]

    def pick_new(self):
        r, repo = self.r, self.repo
        near = set()
        for x in self.recent[-3:]:
            near.update(repo.alike.get(x, ()))
        pool = [f for f in self.req_files if f not in self.seen]
        if not pool or r.random() < .15:
            pool = [f for f in repo.areas[self.slot["area"]] if f not in self.seen] or pool
        if not pool:
            pool = [f for f in repo.area_of if f not in self.seen]
        if not pool:
            return None
        good = [f for f in pool if f not in near] if r.random() < .85 else pool
        return r.choice(good or pool)

    def visit(self, path):
        """First look at a file in this session, perhaps at its neighbour first."""
        r = self.r
        self.n["visits"] += 1
        if r.random() < self.p["look"]:
            self.life.pend_look = min(self.life.pend_look + 1, 4)
        if self.life.pend_look:
            alt = [x for x in self.repo.alike.get(path, ()) if x not in self.seen]
            if alt:
                self.life.pend_look -= 1
                self.n["looks"] += 1
                a = r.choice(alt)
                self.do_read(a, 0)
                o = r.choice(T.OOPS[self.lang])
                self.do_read(path, 0, text=o.format(file=path.rsplit("/", 1)[-1]) or None)
                return
        self.err("read", path)
        self.do_read(path, 0, self.lead())

    def act_read(self):
        r = self.r
        if self.life.pend_rr:
            c = self.unchanged()
            if c:
                self.life.pend_rr -= 1
                p, o = r.choice(c[-8:] if r.random() < .7 else c)
                self.err("read", p)
                self.n["rereads"] += 1
                self.do_read(p, o, self.lead())
                return
        ch = sorted(p for p in self.pulled if p in self.seen)
        if ch and r.random() < .5:
            self.err("read", ch[0])
            self.seen[ch[0]] = {}
            self.do_read(ch[0], 0, self.lead())
            return
        own = [p for p, d in self.seen.items() for o, c in d.items() if o == 0 and "\n".join(self.window(p, 0)) != c]
        if own and r.random() < .06:
            self.do_read(r.choice(own), 0, self.lead())
            return
        big = [(p, o) for p in self.recent[-4:] if p in self.repo.area_of for o in range(WIN, len(self.repo.files[p]), WIN) if o not in self.seen[p]]
        if big and r.random() < .4:
            p, o = big[0]
            self.err("read", p)
            self.do_read(p, o, self.lead())
            return
        p = self.pick_new()
        if p is None:
            return self.act_grep()
        self.visit(p)

    # ---- slips
    def err(self, kind, path=None):
        """Own errors before a call of this sort, at the rate of the session."""
        r, k = self.r, 0
        while k < 4 and r.random() < self.p["err"] * 1.05 and not (self.full() and not self.side):
            k += 1
            if self.side:
                self.n["side_errors"] += 1
            else:
                self.n["errors"] += 1
            self.slip(kind, path)
            self.cost(.5)

    def slip(self, kind, path):
        r, w, repo = self.r, self.w, self.repo
        if kind in ("read", "edit", "write") and r.random() < .12:
            kind = "run"
        if kind == "read":
            head, tail = path.rsplit("/", 1) if "/" in path else ("", path)
            stem, ext = tail.split(".", 1) if "." in tail else (tail, "txt")
            bad = r.choice(["%s/src/%s" % (head, tail), "%s/%s_%s.%s" % (head, stem, r.choice(["service", "impl", "core", "helper"]), ext), "%s/%s" % (head.rsplit("/", 1)[0], tail), "%s/lib/%s" % (head, tail)])
            if bad in repo.files:
                bad = head + "/internal/" + tail
            w.err_read(bad, path, self.sh())
        elif kind == "edit":
            L = [s for s in repo.files[path] if len(s.strip()) > 8] or ["x = 1"]
            s = r.choice(L)
            w.err_edit(path, s.replace("(", "( ", 1) if "(" in s else s + "  # %s" % r.choice(["old", "todo", "kl"]), False)
        elif kind == "grep":
            w.err_search(self.slot["sym"], r.choice(["services/%s/src", "pkg/%s", "internal/%s", "apps/%s"]) % self.slot["area"], self.sh())
        elif kind == "write":
            w.err_write(path)
        elif kind == "mcp":
            w.mcp("ops", r.choice(["run_job", "get_metric"]), {"job": "nightly"}, r.choice(["MCP error -32602: Invalid arguments: missing required property 'service'", "MCP error -32602: Invalid arguments: unexpected property 'job'"]), True)
        else:
            sym, area = self.slot["sym"], self.slot["area"]
            cmd, out, code = r.choice([
                ("pytest services/%s -q --only-failed" % area, "ERROR: usage: pytest [options] [file_or_dir] [file_or_dir] [...]\npytest: error: unrecognized arguments: --only-failed", 4),
                ("git log --onelin -5", "fatal: unrecognized argument: --onelin", 128), ("git diff origin/mian --stat", "fatal: ambiguous argument 'origin/mian': unknown revision or path not in the working tree.\nUse '--' to separate paths from revisions, like this:\n'git <command> [<revision>...] -- [<file>...]'", 128),
                ("pyhton -c 'import services.%s'" % area, "bash: line 1: pyhton: command not found", 127), ("python -c 'from services.%s import %s'" % (area, sym), "Traceback (most recent call last):\n  File \"<string>\", line 1, in <module>\nImportError: cannot import name '%s' from 'services.%s'" % (sym, area), 1),
                ("fleetctl config dump", "error: unknown command \"dump\" for \"fleetctl config\"\n\nUsage:\n  fleetctl config [show|set]", 1), ("deployctl status --json-output", "Error: unknown flag: --json-output", 1),
                ("psql -c \"select %s_count from shipment_legs\" coldchain_stage" % sym.lower()[:20], "ERROR:  column \"%s_count\" does not exist\nLINE 1: select %s_count from shipment_legs\n               ^" % (sym.lower()[:20], sym.lower()[:20]), 1),
                ("echo \"checking %s" % sym, "/bin/bash: -c: line 1: unexpected EOF while looking for matching `\"'", 2), ("jq '.rows[' /tmp/out.json", "jq: error: syntax error, unexpected end of file (Unix shell quoting issues?) at <top-level>, line 1:\n.rows[\njq: 1 compile error", 3),
                ("cd services/%s/cmd && go build" % area, "bash: line 1: cd: services/%s/cmd: No such file or directory" % area, 1), ("make smoke-%s" % area, "make: *** No rule to make target 'smoke-%s'.  Stop." % area, 2),
                ("node -e \"require('./%s')\"" % sym, "node:internal/modules/cjs/loader:1148\n  throw err;\n  ^\n\nError: Cannot find module './%s'" % sym, 1)])
            w.bash(cmd, out, code)

    # ---- other actions
    def act_grep(self):
        r = self.r
        self.err("grep")
        if r.random() < .07:
            word, hits = self.slot["sym"] + r.choice(["Legacy", "V3", "_old", "Async"]), []
        else:
            f = r.choice(self.req_files or [self.slot["_path"]])
            word = self.repo.symbol(f)
            hits = self.repo.hits(word, r.choice([6, 10, 14]))
        where = r.choice(["", "services", self.repo.areas[self.slot["area"]][0].rsplit("/", 1)[0]])
        if where:
            hits = [h for h in hits if h[0].startswith(where)]
        self.w.search(word, where, hits, self.sh(), text=self.lead())
        self.cost()

    def act_glob(self):
        r = self.r
        self.err("grep")
        a = self.slot["area"]
        ps = [p for p in self.repo.areas[a]]
        d = ps[0].rsplit("/", 1)[0]
        ext = ps[0].rsplit(".", 1)[-1]
        self.w.glob(d, "*." + ext, sorted(p for p in ps if p.startswith(d) and p.endswith(ext)), self.sh(), text=self.lead())
        self.cost()

    def act_edit(self):
        r = self.r
        c = [p for p in self.seen if p in self.repo.area_of and p in self.req_files] or [p for p in self.seen if p in self.repo.area_of]
        if not c or (r.random() < .15 and self.p["mix_now"] != "review"):
            p = self.pick_new()
            if p is None:
                return
            self.visit(p)
            if self.full():
                return
        else:
            p = r.choice(c[-5:])
            if p in self.pulled:
                self.seen[p] = {}
                self.do_read(p, 0)
        self.err("edit", p)
        before = "\n".join(self.repo.files[p])
        old, new, at = self.repo.change(p, self.p["grow"])
        self.w.edit(p, old, new, at, self.repo.files[p], before, self.sh(), text=self.lead())
        self.cost()
        if self.p["lint_first"] and r.random() < .1:
            self.run("make lint", "ruff check .\nAll checks passed!\ngolangci-lint run\n0 issues.")

    def run(self, cmd, out, code=0, slow=0.0):
        self.w.bash(cmd, out, code, slow=slow, text=self.lead())
        self.cost()

    def act_test(self):
        r, a = self.r, self.slot["area"]
        self.err("run")
        fail = r.random() < self.p["fail"]
        n, k = r.randint(8, 140), r.randint(1, 6)
        self.n["failing_tests"] += fail
        sym = self.slot["sym"]
        if a in ("telemetry", "gateway"):
            cmd = "go test ./services/%s/..." % a
            out = "--- FAIL: Test%s (0.0%ds)\n    %s_test.go:%d: %s = %d, want %d\nFAIL\nFAIL\tcoldchain/services/%s\t0.%ds" % (sym, k, a, n, sym, k, k + 1, a, n) if fail else "ok  \tcoldchain/services/%s\t%d.%03ds" % (a, k, n)
        elif a == "portal":
            cmd = "npx vitest run --dir web/portal"
            out = " FAIL  tests/format.test.ts > %s\nAssertionError: expected %d to be %d\n\n Test Files  1 failed | %d passed\n      Tests  %d failed | %d passed" % (sym, k, k + 3, k, k, n) if fail else " Test Files  %d passed (%d)\n      Tests  %d passed (%d)\n   Duration  %d.%02ds" % (k, k, n, n, k, n % 90)
        elif a == "edge":
            cmd = "cargo test --manifest-path edge/agent/Cargo.toml"
            out = "running %d tests\ntest buffers::tests::%s ... FAILED\n\nfailures:\n    buffers::tests::%s\n\ntest result: FAILED. %d passed; %d failed; 0 ignored" % (n, sym, sym, n - 1, 1) if fail else "running %d tests\n\ntest result: ok. %d passed; 0 failed; 0 ignored; finished in 0.%02ds" % (n, n, k)
        else:
            s = a if a in ("dispatch", "billing") else "dispatch"
            cmd = r.choice(["pytest -q services/%s", "pytest services/%s -x -q", "python -m pytest services/%s/tests -q"]) % s
            out = "%s\n=================================== FAILURES ===================================\n_________ test_%s _________\n>       assert got == %d\nE       assert %d == %d\n\nservices/%s/tests/test_%s.py:%d: AssertionError\n=========== short test summary info ===========\nFAILED services/%s/tests/test_%s.py::test_%s\n%d failed, %d passed in %d.%02ds" % (
                "." * (n % 60) + "F", sym, k, k + 1, k, s, s, n, s, s, sym, k, n, k, n % 99) if fail else "%s [100%%]\n%d passed in %d.%02ds" % ("." * min(n, 60), n, k, n % 99)
        self.run(cmd, out, 1 if fail else 0, slow=4)

    def net(self):
        """Somebody else's fault."""
        r = self.r
        self.n["network"] += 1
        cmd, out, code = r.choice([("curl -fsS https://api.kestrel-lund.net/v1/health", "curl: (28) Operation timed out after 10001 milliseconds with 0 bytes received", 28), ("npm view vite version", "npm ERR! code ETIMEDOUT\nnpm ERR! network request to https://registry.npmjs.org/vite failed, reason: connect ETIMEDOUT", 1),
                                   ("git fetch origin", "ssh: connect to host git.kestrel-lund.net port 22: Connection timed out\nfatal: Could not read from remote repository.", 128), ("kubectl get pods -n telemetry", "Unable to connect to the server: net/http: TLS handshake timeout", 1), ("pip download httpx", "ERROR: Could not connect: Read timed out. (read timeout=15)", 1)])
        self.run(cmd, out, code, slow=8)

    def act_run(self):
        r = self.r
        if r.random() < .06:
            return self.net()
        if self.w.fmt and r.random() < self.p["mcp"]:
            return self.act_mcp()
        self.err("run")
        f, g = r.sample(["temp_c", "dwell_min", "net_amount", "eta_min", "weight_kg"], 2)
        n = r.randint(3, 9)
        cmd, out = r.choice([
            ("psql -c \"select depot, count(*) from shipments group by 1 limit %d\" coldchain_stage" % n, " depot    | count\n----------+-------\n" + "\n".join(" %-8s | %5d" % (r.choice(["AAR", "VEN", "BRE", "GDY", "TUR"]), r.randint(3, 9000)) for _ in range(n)) + "\n(%d rows)" % n),
            ("psql -f db/queries/daily_temps.sql coldchain_stage | head -%d" % n, "    day     |  round | m\n" + "\n".join(" 2025-%02d-%02d | %6.2f | %d" % (r.randint(1, 12), r.randint(1, 28), r.uniform(-25, 4), r.randint(0, 9)) for _ in range(n))),
            ("python -m services.billing.export --check", "checked %d rows, %d warnings" % (r.randint(100, 9999), n)), ("kubectl logs deploy/ingest --tail=%d" % n, "\n".join("level=%s msg=\"%s\" n=%d" % (r.choice(["info", "info", "warn"]), r.choice(["batch stored", "probe late", "retry uplink", "flush"]), r.randint(1, 999)) for _ in range(n))),
            ("ls -la /var/log/coldchain | head -%d" % n, "total %d\n" % r.randint(10, 900) + "\n".join("-rw-r----- 1 kl kl %7d ingest.%d.log" % (r.randint(100, 999999), i) for i in range(n))), ("du -sh build dist 2>/dev/null", "%dM\tbuild\n%dM\tdist" % (r.randint(2, 90), r.randint(2, 90))),
            ("python -c \"import statistics as s; print(s.mean([%d,%d,%d]))\"" % (n, n + 3, n * 4), "%.2f" % ((n * 6 + 3) / 3)), ("npm ls --depth=0 --prefix web/portal", "portal@2.4.0\n├── react@18.3.1\n├── vite@5.4.%d\n└── zod@3.23.8" % n),
            ("wc -l services/%s/*" % self.slot["area"], "\n".join("%6d %s" % (len(self.repo.files[p]), p) for p in self.repo.areas[self.slot["area"]][:n]))])
        self.run(cmd, out, slow=1)

    def act_git(self):
        r = self.r
        if r.random() < .04:
            return self.net()
        self.err("run")
        k = r.random()
        fs = [p for p in self.seen if p in self.repo.area_of] or [self.slot["_path"]]
        f = r.choice(fs)
        if k < .3:
            self.run("git status --short", "\n".join(" M " + x for x in fs[:4]))
        elif k < .55:
            L = self.repo.files[f]
            i = r.randrange(len(L))
            self.run("git diff -- %s" % f if r.random() < .5 else "git show --stat HEAD", "diff --git a/%s b/%s\nindex %07x..%07x 100644\n--- a/%s\n+++ b/%s\n@@ -%d,3 +%d,4 @@\n %s\n+%s" % (f, f, r.getrandbits(28), r.getrandbits(28), f, f, i + 1, i + 1, L[i - 1], L[i]))
        elif k < .75:
            self.run("git log --oneline -%d" % r.randint(3, 8), "\n".join("%07x KL-%d %s %s" % (r.getrandbits(28), r.randint(200, 4999), r.choice(VERBS), r.choice(NOUNS)) for _ in range(5)))
        elif k < .9:
            self.run("git add -A && git commit -m \"KL-%d %s %s\"" % (self.slot["num"], self.slot["verb"], self.slot["noun"]), "[%s %07x] KL-%d %s %s\n %d files changed, %d insertions(+), %d deletions(-)" % (self.p["branch"], r.getrandbits(28), self.slot["num"], self.slot["verb"], self.slot["noun"], r.randint(1, 5), r.randint(2, 70), r.randint(0, 30)))
        else:
            self.pull()

    def pull(self, many=0):
        r = self.r
        fs = r.sample(sorted(self.repo.area_of), many or r.randint(2, 4))
        inside = [p for p in self.seen if p in self.repo.area_of]
        if inside and not many:
            fs[0] = r.choice(inside)
        out = []
        for f in dict.fromkeys(fs):
            for _ in range(r.randint(1, 3)):
                self.repo.change(f, self.p["grow"] * 3)
            self.pulled.add(f)
            out.append(" %s | %d +-" % (f, r.randint(2, 30)))
        self.run("git pull --rebase", "Updating %07x..%07x\nFast-forward\n%s\n %d files changed" % (r.getrandbits(28), r.getrandbits(28), "\n".join(out), len(out)), slow=1)

    def act_todo(self):
        items = [self.fill(x) for x in ("Look at {file}", "Change {sym}", "Run the tests of {area}", "Write a short summary")]
        self.w.todo(items, self.r.randint(0, 3))
        self.cost()

    def act_web(self):
        r = self.r
        if r.random() < .12:
            self.n["network"] += 1
            self.w.web("https://docs.example.org/%s" % self.slot["noun"], "How does it work?", "Request failed with status code %d" % r.choice([403, 404, 503]), True)
        else:
            self.w.web("https://docs.example.org/%s/%s" % (self.slot["area"], self.slot["noun"]), "What changed in the last release about %s?" % self.slot["noun"], "The page says that %s was renamed and that the default is now stricter. There is a migration note for version %d." % (self.slot["noun"], r.randint(2, 9)))
        self.cost()

    def act_mcp(self):
        r = self.r
        self.err("mcp")
        k = r.random()
        t = self.lead()
        if k < .5:
            self.w.mcp("tracker", "get_issue", {"key": "KL-%d" % self.slot["num"]}, json.dumps({"key": "KL-%d" % self.slot["num"], "summary": "%s %s" % (self.slot["verb"], self.slot["noun"]), "state": r.choice(["open", "in progress", "review"]), "comments": r.randint(0, 9)}), text=t)
        elif k < .8:
            self.w.mcp("ops", "get_metric", {"service": self.slot["area"], "metric": r.choice(["lag", "cpu", "errors", "rps"]), "window": "1h"}, json.dumps({"points": [r.randint(1, 99) for _ in range(6)]}), text=t)
        else:
            self.w.mcp("tracker", "search", {"query": "%s %s" % (self.slot["area"], self.slot["noun"]), "limit": 5}, "\n".join("KL-%d %s the %s" % (r.randint(200, 4999), r.choice(VERBS), r.choice(NOUNS)) for _ in range(4)), text=t)
        self.cost()

    # ---- values
    def act_show(self, group=None):
        r = self.r
        g = group or r.choice(["json", "yaml", "table", "file", "dash"])
        if g == "file":
            pairs = self.val.show("file", self.p["hazard"], self.blocked)
            new = runtime_toml(pairs, r)
            if RUNTIME in self.seen and self.repo.files.get(RUNTIME) == new:
                return self.act_show(r.choice(["json", "yaml", "table", "dash"])) if not group else None
            self.repo.files[RUNTIME] = new
            if RUNTIME not in self.seen:
                self.n["visits"] += 1
            self.err("read", RUNTIME)
            self.n["shows"] += 1
            self.do_read(RUNTIME, 0, self.lead())
            return
        pairs = self.val.show(g, self.p["hazard"], self.blocked)
        self.err("run")
        self.n["shows"] += 1
        self.run(r.choice(CMDS[g]), render(g, pairs, r, self.w.ts()), slow=.5)

    def pick_values(self):
        r = self.r
        told = r.random() < self.p["told_share"]
        known = list(self.val.told) if told else list(self.val.shown)
        if not told and len(known) < 12 and r.random() < .5:
            return None, [k for k in SHOWN_ if k not in self.val.shown]
        if not known:
            known = list(self.val.told) + list(self.val.shown)
        if not known:
            return None, [r.choice(SHOWN)[0]]
        n = min(len(known), r.choice([1, 1, 2, 2, 3]))
        return r.sample(known, n), None

    def act_use(self):
        r = self.r
        keys, missing = self.pick_values()
        if keys is None:
            return self.act_show(SHOWN_[r.choice(missing)][1])
        if keys[0] in SHOWN_ and r.random() < .35:
            self.act_show(SHOWN_[keys[0]][1])
            if self.full():
                return
        kind = "mcp" if r.random() < self.p["use_mcp"] else r.choice(["cmd", "cmd", "file"])
        self.err({"mcp": "mcp", "cmd": "run", "file": "write"}[kind], "notes/handover")
        vals = []
        special = kind == "cmd" and len(keys) == 1 and r.random() < .5
        for k in keys:
            told = k in TOLD_
            v, rep, st = self.val.use(k, self.p["told"] if told else self.p["shown"])
            self.n["uses"] += rep
            self.n["stale"] += st
            self.n["uses_told" if told else "uses_shown"] += rep
            self.n["stale_told" if told else "stale_shown"] += st
            vals.append((k, v))
        t = self.lead()
        if kind == "mcp":
            tool = r.choice([("ops", "run_job"), ("ops", "apply_settings"), ("tracker", "create_issue"), ("ops", "schedule"), ("fleet", "push_config")])
            args = {"service": self.slot["area"]}
            if tool[1] == "create_issue":
                args = {"summary": "%s %s" % (self.slot["verb"], self.slot["noun"])}
            if r.random() < .4:
                args["settings"] = dict(vals)
            else:
                args.update(vals)
            for k in args:
                if isinstance(args[k], str) and args[k].isdigit() and r.random() < .6:
                    args[k] = int(args[k])
            self.w.mcp(tool[0], tool[1], args, json.dumps({"ok": True, "id": "%06x" % r.getrandbits(24)}), text=t)
        elif kind == "file":
            n = self.life.serial = self.life.serial + 1
            d = self.w.ts()[:10]
            f = r.choice(["yaml", "json", "env", "md", "toml"])
            if f == "json":
                body = json.dumps(dict(vals, created=d, service=self.slot["area"]), indent=2)
            elif f == "yaml":
                body = "# override for %s\nservice: %s\n" % (self.slot["cust"], self.slot["area"]) + "\n".join("%s: %s" % (k, "\"%s\"" % v if "#" in v or "%" in v else v) for k, v in vals)
            elif f == "toml":
                body = "[%s]\n" % self.slot["area"] + "\n".join('%s = "%s"' % x for x in vals)
            elif f == "env":
                body = "\n".join("%s=%s" % (k.upper(), q(v)) for k, v in vals) + "\nSERVICE=%s" % self.slot["area"]
            else:
                body = "# Handover %s\n\n" % d + "\n".join("- %s: %s" % (k.replace("_", " "), v) for k, v in vals) + "\n- next: %s the %s" % (self.slot["verb"], self.slot["noun"])
            self.w.write({"md": "notes/%s-%d.md", "env": "deploy/overrides/%s-%d.env", "yaml": "deploy/overrides/%s-%d.yaml", "json": "deploy/overrides/%s-%d.json", "toml": "deploy/overrides/%s-%d.toml"}[f] % (d, n), body, text=t, shell=self.sh())
        else:
            if special:
                k, v = vals[0]
                cmd = r.choice((TOLD_.get(k) or SHOWN_[k])[4 if k in TOLD_ else 3]).replace("{v}", v)
            else:
                cmd = r.choice(GENERIC).format(flags=" ".join("--%s %s" % (k.replace("_", "-"), q(v)) if not v.startswith("-") else "--%s=%s" % (k.replace("_", "-"), v) for k, v in vals), envs=" ".join("%s=%s" % (k.upper(), q(v)) for k, v in vals),
                                              sets=" ".join("--set %s=%s" % (k, q(v)) for k, v in vals))
            self.w.bash(cmd, r.choice(["ok", "done", "dry run: nothing changed", "checks: 14 passed, 0 failed", "plan: 2 to change, 0 to destroy", ""]), text=t, slow=1)
        self.cost()

    def act_write(self):
        r = self.r
        self.life.serial += 1
        a = self.slot["area"]
        p = "%s/%s_%s_%d.%s" % (r.choice(["scripts/tmp", "docs/notes", "tools"]), self.slot["verb"], self.slot["noun"], self.life.serial, r.choice(["py", "md", "sh"]))
        self.err("write", p)
        body = {"py": "import sys\n\n\ndef main(rows):\n    return [x for x in rows if x.get('%s')]\n\n\nif __name__ == '__main__':\n    print(len(main([])))" % self.slot["noun"], "md": "# %s\n\nHow we %s a %s in %s.\n\n1. stop\n2. check\n3. start" % (self.slot["noun"].capitalize(), self.slot["verb"], self.slot["noun"], a),
                "sh": "#!/usr/bin/env bash\nset -euo pipefail\necho \"%s %s\"\n" % (self.slot["verb"], self.slot["noun"])}[p.rsplit(".", 1)[1]]
        self.w.write(p, body, text=self.lead(), shell=self.sh())
        self.cost()

    def act_sub(self):
        r, w = self.r, self.w
        self.side = True
        fs = r.sample(sorted(self.repo.area_of), r.randint(3, 8))

        def step(f):
            def go():
                self.err("read", f)
                if r.random() < .3:
                    word = self.repo.symbol(f)
                    w.search(word, "", self.repo.hits(word, 8), False)
                    self.cost()
                else:
                    self.do_read(f, 0)
            return go
        w.sub("Explore %s" % self.slot["noun"], self.fill("Find everything about {sym} and the {noun} in {area}. Report the files and what they do, do not change anything."), [step(f) for f in fs],
              self.fill("Found it. {sym} is defined in {file}; the {noun} is handled in {area}. ") + "Relevant files:\n" + "\n".join("- " + f for f in fs))
        self.side = False
        self.cost()

    # ---- a request
    def step(self):
        r, h = self.r, self.habits
        k = r.choices(self.h_names, self.h_w)[0]
        if r.random() < .004:
            self.n["denied"] += 1
            self.w.denied(r.choice(["rm -rf build dist", "git push --force", "docker system prune -f", "kubectl delete pod ingest-0"]), r.choice(["not now", "leave that, I do it myself", "skip this"]))
            self.cost()
            return
        if r.random() < .006:
            self.w.api_error()
        getattr(self, "act_" + k)()

    def work(self, allot):
        self.budget = allot
        g = 0
        while self.budget > 0 and not self.full() and g < 400:
            g += 1
            self.step()

    def set_task(self, task):
        r, p = self.r, self.p
        h = dict(T.HABITS[task])
        h["use"] = h.get("use", 0) * p["use_w"]
        if p["tdd"]:
            h["test"] = h.get("test", 5) * (1 + 2 * p["tdd"])
        if p["todo_w"] > 1:
            h["todo"] = h.get("todo", 2) * p["todo_w"]
        if p["mcp"] > .1:
            h["mcp"] = h.get("mcp", 0) + 40 * p["mcp"]
        self.habits = h
        self.h_names, self.h_w = list(h), list(h.values())
        p["mix_now"] = task

    def request(self, i, allot, tells, plan=False):
        r, w, p, L = self.r, self.w, self.p, self.lang
        names = list(p["mix"])
        task = r.choices(names, [p["mix"][x] for x in names])[0]
        self.set_task(task)
        pref = {"ops": ["deploy", "telemetry", "gateway"], "docs": ["docs", "docs", "portal", "dispatch"], "data": ["db", "billing", "dispatch"]}.get(task)
        area = r.choice(pref) if pref and r.random() < .75 else r.choice(list(self.repo.areas))
        self.slot = self.slots(area)
        self.req_files = [self.slot["_path"]] + r.sample(self.repo.areas[area], min(3, len(self.repo.areas[area])))
        if r.random() < .5:
            self.req_files += r.sample(self.repo.areas[r.choice(list(self.repo.areas))], 2)
        self.n["requests"] += 1
        self.n["messages"] += 1
        if plan:
            t = T.plan_text(r, self.slot)
            w.user(t, **({"planContent": t.split("\n\n", 1)[1]} if w.fmt == "claude" else {}))
        else:
            w.user(self.speak(task, tells))
        if r.random() < .7:
            w.say(self.fill(r.choice(T.START[L])))
        hint = self.n["calls"]
        first = r.uniform(.1, .6) * allot
        if r.random() < p["ask"] and self.val.told:
            self.work(first * .5)
            k = r.choice(list(self.val.told))
            t = TOLD_[k]
            n = t[1][0] if L == "en" else t[2][0]
            w.say(r.choice(ASK[L]).format(n=n), final=True)
            self.n["asks"] += 1
            self.n["messages"] += 1
            w.user(r.choice(ANSWER[L]).format(v=self.val.told[k][-1], n=n))
        elif r.random() < .03:
            self.work(first * .5)
            qn, an = r.choice(OPENQ[L])
            if w.fmt == "claude" and r.random() < .4:
                w.ask_tool(qn, [an, "other"], an)
                self.cost()
            else:
                w.say(qn, final=True)
                self.n["messages"] += 1
                w.user(an)
        if p["sub"] and w.fmt == "claude" and r.random() < p["sub"] and not self.full():
            self.act_sub()
        left = allot - (self.n["calls"] - hint)
        if r.random() < p["intr"] and left > 2:
            self.work(left * r.uniform(.2, .6))
            w.interrupt()
            self.n["interrupts"] += 1
            self.n["messages"] += 1
            w.user(T.style(self.fill(r.choice(T.RESUME[L])), self.user["voice"], r))
            left = allot - (self.n["calls"] - hint)
        if left > 0:
            self.work(left)
        w.say(self.fill(r.choice(T.DONE[L])), final=True)
        if r.random() < p["corr"]:
            self.n["corrections"] += 1
            self.n["messages"] += 1
            a, b = r.choice(T.CORR_A[L]), self.fill(r.choice(T.CORR_B[L]))
            w.user(T.style(r.choice([a + " " + b, a + " " + b, a, b + " " + a]), self.user["voice"], r))
            w.say(self.fill(r.choice(T.SORRY[L])))
            if not self.full():
                self.work(r.uniform(1, 3))
            w.say(self.fill(r.choice(T.DONE[L])), final=True)

