"""One healthy agent at work: what it does in a session, with its constant slips."""
import f14_words as W
from f14_words import USERS
from f14_world import CODE_AREAS, EXT, NOUNS, VERBS, FIELDS, File, new_line

WEIGHT = {"read": .92, "search": 1, "glob": .9, "edit": 1.1, "write": .95, "bash": 1.07, "todo": .8, "mcp": 1, "task": .9}    # where errors happen
RATES = dict(error=.05, reread=.10, look=.03, stale=.03, ask=.03, correct=.04, interrupt=.01)    # when all is well
DEBT = 5        # at most so many slips wait for an occasion
ABOUT = [("git add", ["Commit the {noun} change", "Stage and commit"]), ("git push", ["Push the branch"]), ("git log", ["Show recent commits", "Look at the history of {file}"]), ("git diff", ["Show what changed", "Diff summary"]), ("git s", ["Check the working tree", "Look at the state of the branch"]),
         ("git", ["Update from origin"]), ("pytest", ["Run {area} tests", "Test the {noun} change"]), ("go test", ["Run Go tests", "Test {area}"]), ("go build", ["Build {area}"]), ("pnpm", ["Run the {area} scripts", "Check the web app"]), ("make", ["Run make", "Build and check {area}"]),
         ("psql", ["Query the database", "Look up {noun} rows"]), ("kubectl", ["Check the pods", "Look at the deployment of {area}"]), ("curl", ["Call the service", "Check that {area} answers"]), ("docker", ["Fetch the image", "Check compose"]), ("gh ", ["Look at CI runs"]), ("grep -E", ["Look up settings"])]
COUNTS = "calls errors reads rereads visits looks uses stale requests asks corrections interrupts".split()
# what an MCP server may do in place of a command: start of the command -> (server, tool, name of the argument)
INSTEAD = [("git log", "forge", "list_commits", "path"), ("git diff", "forge", "compare", "range"), ("git show", "forge", "get_commit", "sha"), ("git status", "forge", "worktree_status", "branch"), ("gh run", "forge", "workflow_runs", "query"),
           ("psql", "pgview", "query", "sql"), ("kubectl", "berth", "kube", "request"), ("curl", "berth", "http_get", "url"), ("docker", "berth", "image", "reference"), ("grep -E", "fieldbook", "settings", "names")]


class Context:
    """What one conversation (main or helper) has before its eyes."""

    def __init__(self):
        self.seen, self.visited, self.known = [], set(), {}


class Session:
    def __init__(self, life, par, writer, factor):
        self.life, self.par, self.w, self.f = life, par, writer, factor
        self.rng, self.world = life.rng, life.world
        self.n = dict.fromkeys(COUNTS, 0)
        self.ctx, self.main = Context(), None
        self.at = {}                    # number of the call -> what happens there
        self.d, self.last_edit = None, None
        self.limit, self.fixes, self.compacted = par["limit"], 0, False
        writer.think = lambda: self.pick(W.THINK)

    # ---- words
    def pick(self, english, french=None):
        return self.rng.choice(french if french and self.par["french"] else english).format(**self.d)

    def lead(self, what, share=None):
        if self.rng.random() < (self.par["talk"] if share is None else share):
            bank = W.LEAD_FR if self.par["french"] else W.LEAD
            self.w.say(self.rng.choice(bank[what]).format(**self.d))

    def hear(self, text, lo=40, hi=700):
        self.w.tick(lo, hi)
        self.w.user(text)

    # ---- calls
    def chance(self, which):
        """The plan's rate for this session, a little more or less from day to day."""
        return min(.85, self.par[which] * self.f[which])

    def owe(self, which, p):
        if self.rng.random() < p:
            self.life.debt[which] = min(DEBT, self.life.debt[which] + 1)

    def call(self, *ops):
        if self.main is None and self.at and self.n["calls"] >= min(self.at):
            self.happen(self.at.pop(min(self.at)))
        sent, again = [], []
        for op in ops:
            op["fail"] = None
            self.n["calls"] += 1
            self.route(op)
            if self.rng.random() < self.chance("error") * WEIGHT[op["k"]]:
                self.n["errors"] += 1
                bad = self.slip(op)
                again.append((op, bad))
            elif op["k"] in ("bash", "edit") and self.rng.random() < .007:
                bad = self.outside(op)
                again.append((op, bad))
            else:
                bad = op
                self.take(op)
            sent.append(bad)
        self.w.batch(sent)
        for op, bad in again:
            if self.rng.random() < .35 and bad["fail"] and bad["fail"][0] not in ("denied", "timeout"):
                self.lead("sorry", 1)
            if bad.get("mend") and self.last_edit and self.fixes < 12:
                self.fixes += 1
                self.edit(*self.last_edit)
            elif op["k"] == "read" and self.rng.random() < .25:
                self.list(op["path"].rsplit("/", 1)[0] if "/" in op["path"] else ".")
            self.call(op)

    def route(self, op):
        """Whether a file tool's work is done in the shell (Claude Code)."""
        if self.par["format"] == "claude" and "shell" not in op and op["k"] in ("read", "search", "glob"):
            op["shell"] = self.rng.random() < self.par["shell" if op["k"] == "read" else "shell_search"]

    def take(self, op):
        """A call that went well has its effect."""
        k, c = op["k"], self.ctx
        if k == "read":
            f = op["file"]
            self.n["reads"] += 1
            self.n["rereads"] += any(x[0] is f and x[1:4] == (op["start"], op["count"], f.version) for x in c.seen)
            c.seen.append((f, op["start"], op["count"], f.version, op.get("part", False), op["style"]))
            c.known[f.path] = f.version
        elif k == "edit":
            f = op["file"]
            f.lines = op["before"][:op["at"]] + op["new"] + op["before"][op["at"] + len(op["old"]):]
            f.version += 1
            c.known[f.path] = f.version

    def slip(self, op):
        r, k, bad = self.rng, op["k"], dict(op)
        codex = self.par["format"] == "codex"
        if k == "read":
            p = op["path"]
            folder, _, name = p.rpartition("/")
            stem, _, ext = name.rpartition(".")
            wrong = r.choice(["%s/%s_%s.%s" % (folder, stem, r.choice(["utils", "core", "impl", "base"]), ext), "%s/%s" % (folder.rpartition("/")[0] or "src", name),
                              "%s/%s/%s" % (folder, r.choice(["internal", "lib", "common"]), name), "%s/%ss.%s" % (folder, stem, ext)]).lstrip("/")
            bad["path"] = wrong
            tool = "sed: can't read" if op.get("part") or op["style"] == 1 else "cat:" if op["style"] == 0 else "nl:"
            bad["fail"] = ("nofile", "%s %s: No such file or directory" % (tool, wrong) if codex else "File does not exist." + (" Did you mean %s?" % name if r.random() < .3 else ""), 2 if tool[0] == "s" else 1)
        elif k in ("search", "glob"):
            if k == "search" and r.random() < .5:
                bad["pattern"] = op["pattern"] + r.choice(["(", "[", "(.*"])
                text = "regex parse error:\n    (?:%s)\n    ^\nerror: unclosed group" % bad["pattern"]
                if codex and self.par["searcher"] == "grep":
                    text = "grep: Unmatched [, [^, [:, [., or [="
                    bad["pattern"] = op["pattern"] + "["
                bad["fail"] = ("regex", text, 2)
            else:
                wrong = op["path"] + "/" + r.choice(["src", "pkg", "lib", "core", "app"])
                bad["path"] = wrong
                text = "%s: %s: No such file or directory (os error 2)" % (self.par["searcher"], wrong) if codex else "Path does not exist: " + self.w.abs(wrong)
                bad["fail"] = ("nopath", text, 2)
        elif k == "edit":
            old = [x.replace("    ", "  ", 1) if x.startswith("    ") and r.random() < .5 else x.rstrip() + r.choice([" ", ";", " //", ","]) for x in op["old"]]
            bad["old"] = old
            text = "String to replace not found in file.\nString: " + "\n".join(old)
            if r.random() < .2:
                bad["old"], text = op["old"], "Found %d matches of the string to replace, but replace_all is false. To replace all occurrences, set replace_all to true. To replace only one occurrence, please provide more context to uniquely identify the instance.\nString: %s" % (r.randint(2, 4), "\n".join(op["old"]))
            if codex:
                bad["old"], text = old, "apply_patch verification failed: Failed to find expected lines in %s/%s:\n%s" % (self.w.m["cwd"], op["path"], "\n".join(old))
            bad["fail"] = ("nomatch", text)
        elif k == "write":
            if not codex:
                bad["path"] = r.choice([p for p in self.world.files if p.rsplit("/", 1)[0] == op["path"].rsplit("/", 1)[0]] or ["README.md"])
            bad["fail"] = ("unread", "apply_patch verification failed: invalid hunk at line 2, '*** Create File: %s' is not a valid hunk header" % op["path"] if codex else "File has not been read yet. Read it first before writing to it.")
        elif k == "todo":
            bad["fail"] = ("args", "failed to parse function arguments: missing field `step` at line 1 column 42" if codex else "InputValidationError: the required parameter `%s` is missing" % r.choice(["todos", "status", "description"]), 1)
        elif k == "mcp":
            bad["args"] = {r.choice(["q", "input", "id", "text", "params"]): r.choice(list(op["args"].values()))}
            bad["fail"] = ("args", "MCP error -32602: Invalid arguments for tool %s: required property '%s' is missing" % (op["tool"], next(iter(op["args"]))))
        else:
            self.slip_command(op, bad)
        return bad

    def slip_command(self, op, bad):
        r, cmd = self.rng, op["cmd"]
        prog = cmd.split()[0]
        if op.get("tool") in ("test", "build") and self.last_edit and r.random() < .4:
            f, sym = self.last_edit
            line = f.where(sym) + 2
            text = r.choice(["%s:%d: error: '%s' undeclared", "%s:%d:5: undefined: %s", "%s:%d: NameError: name '%s' is not defined", "%s:%d: error TS2304: Cannot find name '%s'."]) % (f.path, line, r.choice(NOUNS) + "_" + r.choice(FIELDS))
            bad.update(out=text + "\n%d failed" % r.randint(1, 3), exit=1, mend=True)
            bad["fail"] = ("cmd", text, 1) if self.par["format"] == "codex" else None
        else:
            cmd, text, code = self.botch(cmd, prog)
            bad.update(cmd=cmd, out=text, exit=code)
            bad["fail"] = ("cmd", text, code) if self.par["format"] == "codex" else None

    def botch(self, cmd, prog):
        """A command with a mistake in it, what it prints and its exit code."""
        r, d = self.rng, self.d
        noun, word = r.choice(NOUNS), r.choice(VERBS)
        ways = ["flag", "name", "cd", "python", "glob", "quote", "jq"]
        own = {"pytest": ["file", "node"], "go": ["package", "module"], "git": ["ref", "branch", "pathspec"], "pnpm": ["filter", "script"], "psql": ["relation", "column"], "pg_isready": ["relation"], "make": ["rule"], "kubectl": ["notfound", "namespace"],
               "docker": ["service"], "curl": ["url"], "python": ["module2", "args"], "gh": ["field"]}.get(prog, ["last"])
        way = r.choice(own if r.random() < .55 else ways)
        test = "test_%s_%s" % (word, noun)
        if way == "flag":
            junk = r.choice(["quick", "only-changed", "short-form", "no-colour", "all-files", "since-last", "jobs=4", "plain", "summary-only"])
            known = {"pytest": ("ERROR: usage: pytest [options] [file_or_dir] [...]\npytest: error: unrecognized arguments: --%s", 4), "go": ("flag provided but not defined: -%s\nRun 'go help test' for details.", 2), "git": ("error: unknown option `%s'\nusage: git [<options>]", 129),
                     "pnpm": ("ERR_PNPM_UNKNOWN_OPTION  Unknown option: '%s'", 1), "psql": ("psql: unrecognized option '--%s'\nTry \"psql --help\" for more information.", 1), "make": ("make: unrecognized option '--%s'\nUsage: make [options] [target] ...", 2),
                     "curl": ("curl: option --%s: is unknown\ncurl: try 'curl --help' for more information", 2), "ruff": ("error: unexpected argument '--%s' found\n\nUsage: ruff check [OPTIONS] [FILES]...", 2)}
            text, code = known.get(prog, (prog.rsplit("/", 1)[-1] + ": unknown flag: --%s", 1))
            return cmd + " --" + junk, text % junk, code
        if way == "name":
            name = r.choice(["fl", "frost", "lotctl", "barn", "qh", "pnpx", "gotest", "pyest", "kubctl", "just"])
            return name + " " + " ".join(cmd.split()[1:]), "zsh:1: command not found: %s" % name, 127
        if way == "cd":
            place = r.choice(["frostlade", "backend", "services/" + noun, "../frostlade/" + d["area"], "packages/" + d["area"]])
            return "cd %s && %s" % (place, cmd), "zsh:cd:1: no such file or directory: %s" % place, 1
        if way == "python":
            kind = r.randrange(4)
            line = ["import json; print(json.load(open('fixtures/%s.json'))['%s'])" % (noun, word), "from services.%s import %s" % (d["area"], noun), "print(max([r['%s'] for r in []]))" % r.choice(FIELDS), "import yaml; print(yaml.safe_load(open('%s'))" % d["path"]][kind]
            text = ["FileNotFoundError: [Errno 2] No such file or directory: 'fixtures/%s.json'" % noun, "ImportError: cannot import name '%s' from 'services.%s'" % (noun, d["area"]), "ValueError: max() iterable argument is empty", "SyntaxError: '(' was never closed"][kind]
            return 'python3 -c "%s"' % line, "Traceback (most recent call last):\n  File \"<string>\", line 1, in <module>\n" * (kind < 3) + text, 1
        if way == "glob":
            pattern = "%s/*/%s*.%s" % (r.choice(["services", "web", "jobs", "fw"]), noun, r.choice(["py", "go", "ts", "h"]))
            return "wc -l %s && %s" % (pattern, cmd), "zsh:1: no matches found: %s" % pattern, 1
        if way == "quote":
            mark = r.choice("'\"")
            return "echo %sdon%st stop && %s" % (mark, "'" if mark == "'" else "'\"'", cmd) + mark * (mark == '"'), "zsh:1: unmatched %s" % mark, 1
        if way == "jq":
            return cmd + " | jq '.%ss[.%s]'" % (noun, r.choice(FIELDS)), r.choice(["jq: error (at <stdin>:1): Cannot index number with string", "jq: parse error: Invalid numeric literal at line 1, column 5", "jq: error: syntax error, unexpected INVALID_CHARACTER at <top-level>, line 1"]), 5
        if way == "file":
            path = "%s/%s.py" % (cmd.split()[1].rstrip("/"), test)
            return "pytest %s -q" % path, "ERROR: file or directory not found: %s\n\nno tests ran in 0.01s" % path, 4
        if way == "node":
            return "pytest %s::%s -q" % (cmd.split()[1], test), "ERROR: not found: %s::%s\n(no match in any of [<Dir tests>])" % (cmd.split()[1], test), 4
        if way == "package":
            return "go test ./%s/%s/..." % (d["area"], noun), "pattern ./%s/%s/...: lstat ./%s/%s: no such file or directory" % (d["area"], noun, d["area"], noun), 1
        if way == "module":
            return "go run ./cmd/%s" % noun, "no required module provides package frostlade/cmd/%s; to add it:\n\tgo get frostlade/cmd/%s" % (noun, noun), 1
        if way == "ref":
            ref = r.choice(["origin/%s" % noun, "HEAD~%d" % r.randint(400, 900), "v0.%d" % r.randint(50, 90)])
            return "git diff %s --stat" % ref, "fatal: ambiguous argument '%s': unknown revision or path not in the working tree." % ref, 128
        if way == "branch":
            return "git checkout " + noun, "error: pathspec '%s' did not match any file(s) known to git" % noun, 1
        if way == "pathspec":
            path = "src/%s.py" % noun
            return "git add %s" % path, "fatal: pathspec '%s' did not match any files" % path, 128
        if way == "filter":
            return "pnpm --filter @qh/%s test" % noun, 'No projects matched the filters in "%s"\nERR_PNPM_NO_MATCH' % self.w.m["cwd"], 1
        if way == "script":
            return "pnpm %s:%s" % (r.choice(["test", "lint", "check"]), noun), "ERR_PNPM_NO_SCRIPT  Missing script: %s" % noun, 1
        if way == "relation":
            return "psql -U frost lots -c 'select * from %s_%s'" % (noun, r.choice(FIELDS)), 'ERROR:  relation "%s_%s" does not exist\nLINE 1: select * from %s' % (noun, r.choice(FIELDS), noun), 1
        if way == "column":
            return "psql -U frost lots -c 'select %s_at from lots'" % word, 'ERROR:  column "%s_at" does not exist\nLINE 1: select %s_at from lots\n               ^' % (word, word), 1
        if way == "rule":
            return "make %s-%s" % (word, noun), "make: *** No rule to make target '%s-%s'.  Stop." % (word, noun), 2
        if way == "notfound":
            return "kubectl -n cold describe deploy/%s" % noun, 'Error from server (NotFound): deployments.apps "%s" not found' % noun, 1
        if way == "namespace":
            return "kubectl -n %s logs deploy/%s" % (noun, d["area"]), 'error: no objects passed to logs: namespaces "%s" not found' % noun, 1
        if way == "service":
            return "docker compose logs %s" % noun, "no such service: %s" % noun, 1
        if way == "url":
            return "curl -sf http//localhost/%ss" % noun, "curl: (6) Could not resolve host: http", 6
        if way == "module2":
            return "python -m tools.%s" % noun, "/usr/bin/python: No module named tools.%s" % noun, 1
        if way == "args":
            return " ".join(cmd.split()[:2]) + " --%s" % noun, "usage: %s [-h]\nerror: the following arguments are required: --from" % cmd.split()[1], 2
        if way == "field":
            return "gh run list --json %s" % noun, 'Unknown JSON field: "%s"' % noun, 1
        last = cmd.split()[-1].strip("'\"") + r.choice(["s", "_old", "-all"])
        return " ".join(cmd.split()[:-1] + [last]), "%s: %s: No such file or directory" % (prog.rsplit("/", 1)[-1], last), 2

    def outside(self, op):
        """Failures that are not the agent's: network, time limits, refused permission."""
        bad, codex = dict(op), self.par["format"] == "codex"
        if op["k"] == "edit":
            bad["fail"] = ("denied", "patch rejected by user" if codex else "Claude requested permissions to write to %s, but you haven't granted it yet." % self.w.abs(op["path"]))
        elif self.rng.random() < .5:
            text = "zsh:1: operation not permitted: %s" % op["cmd"].split()[0] if codex else "This command requires approval"
            bad["fail"] = ("denied", text, 1)
        else:
            text = self.rng.choice(["Could not resolve host: git.quittenhof.example", "dial tcp 10.4.0.9:443: i/o timeout", "Command timed out after 2m 0.0s", "net/http: TLS handshake timeout"])
            bad.update(secs=30, fail=("timeout", text if codex else "Exit code 1\n" + text if "Command" not in text else text, 1))
        return bad

    def happen(self, what):
        r = self.rng
        if what == "compact":
            parts = ["1. Primary request: %s" % self.pick(W.CORES["bugfix"]), "2. Files: " + ", ".join(sorted(self.ctx.visited)[:8]), "3. Current work: `%s` in %s" % (self.d["sym"], self.d["path"]), "4. Settings in use: " + ", ".join("%s=%s" % (s.key, s.value) for s in self.world.settings[:8]), "5. Next: run the tests of %s." % self.d["area"]]
            self.w.compact("\n".join(parts))
            self.ctx, self.compacted = Context(), True
        elif what == "interrupt":
            self.n["interrupts"] += 1
            self.w.text = None
            self.w.interrupt()
            self.hear(self.pick(W.STOP, W.STOP_FR), 8, 90)

    # ---- reading
    def _read(self, f, start=None, count=None, style=None, again=False):
        if start is None:
            start, count = 0, len(f.lines)
        part = not (start == 0 and count >= len(f.lines))
        style = self.rng.choice((0, 1, 1, 2)) if style is None else style
        return dict(k="read", path=f.path, file=f, start=start, count=count, part=part, style=style, lines=f.lines[start:start + count], total=len(f.lines), again=again)

    def stray(self):
        """Now and then a needless second reading of something unchanged."""
        p = min(.45, self.chance("reread"))
        self.owe("reread", p / (1 - p))
        if self.life.debt["reread"]:
            old = [x for x in self.ctx.seen if x[3] == x[0].version]
            old = old[:-1] if len(old) > 3 else old
            if old:
                self.life.debt["reread"] -= 1
                f, s, c, _, _, style = self.rng.choice(old[-14:])
                style = self.rng.randrange(3) if self.rng.random() < .2 else style
                self.call(self._read(f, s, c, style, True))

    def parts(self, f, sym):
        total = len(f.lines)
        if total <= 190 and self.rng.random() < .88:
            return [(None, None)]
        at = f.where(sym) if sym else 0
        count = self.rng.choice((60, 80, 100, 120, 140)) if total > 190 else max(30, total // 2)
        start = max(0, min(at - self.rng.randint(8, 30), total - 20))
        out = [(start, min(count, total - start))]
        if total > 190 and self.rng.random() < .4:
            s2 = start + count if start + count < total - 20 else max(0, start - count)
            out.append((s2, min(count, total - s2)))
        return out

    def open(self, f, sym=None):
        """Have f (around sym) before one's eyes; nothing to do if it is there already."""
        ops = self.opening(f, sym)
        for op in ops:
            self.stray()
            self.call(op)

    def opening(self, f, sym):
        c, r = self.ctx, self.rng
        if c.known.get(f.path) == f.version and f.path in c.visited:
            at = f.where(sym) if sym else 0
            if not sym or any(x[0] is f and x[1] <= at < x[1] + x[2] + 12 for x in c.seen):
                return []
            return [self._read(f, *p) for p in self.parts(f, sym)[:1]]
        if f.path not in c.visited:
            if c.known.get(f.path) == f.version:      # known from the time it was taken for another
                c.visited.add(f.path)
                return []
            self.n["visits"] += 1
            self.owe("look", self.chance("look"))
            twins = [t for t in self.world.twins.get(f.path, ()) if t not in c.known]
            if self.life.debt["look"] and twins:
                self.life.debt["look"] -= 1
                self.n["looks"] += 1
                t = self.world.files[r.choice(twins)]
                self.call(self._read(t, *self.parts(t, None)[0]))
                self.lead("read", .6)
            c.visited.add(f.path)
        return [self._read(f, *p) for p in self.parts(f, sym)]

    def open_many(self, targets):
        """Several files; sometimes asked for side by side in one message."""
        i = 0
        while i < len(targets):
            if i + 1 < len(targets) and self.rng.random() < self.par["side_by_side"]:
                ops = self.opening(*targets[i]) + self.opening(*targets[i + 1])
                i += 2
                if ops:
                    self.stray()
                    for _ in ops[1:]:
                        p = min(.45, self.chance("reread"))
                        self.owe("reread", p / (1 - p))
                    self.call(*ops)
            else:
                self.lead("read")
                self.open(*targets[i])
                i += 1

    def search(self, pattern, area):
        folders = self.world.areas[area][0] if area in self.world.areas else ["services"]
        wide = self.rng.random() < .25
        where = folders[0].split("/")[0] if wide and folders[0] != "docs" else folders[0]
        hits = []
        for f in self.world.files.values():
            if f.path.startswith(where):
                for i, line in enumerate(f.lines):
                    if pattern in line:
                        hits.append("%s:%d:%s" % (f.path, i + 1, line))
                if len(hits) > 14:
                    break
        if self.par["mcp"] and self.rng.random() < self.par["mcp"] * .8:
            self.call(dict(k="mcp", server="codeindex", tool="search", args={"query": pattern, "folder": where}, out="\n".join(hits[:15]) or "no match", secs=.2))
            return
        self.call(dict(k="search", pattern=pattern, path=where, hits=hits[:15]))

    def list(self, folder):
        self.call(dict(k="glob", path=folder, hits=[p for p in self.world.files if p.startswith(folder) or folder == "."][:30]))

    # ---- changing
    def edit(self, f, sym, line=None):
        r = self.rng
        self.open(f, sym)
        i = f.where(sym)
        for _ in range(12):
            at = min(i + r.randint(1, 6), len(f.lines) - 1)
            if len(f.lines[at].strip()) > 4:
                break
        old = f.lines[at:at + r.choice((1, 1, 2, 3))]
        new = [self.mutate(x, r) for x in old]
        if line or r.random() < .55 or new == old:
            new.insert(1, line or new_line(f.lang, r))
        if not line and r.random() < .35 and len(new) > 2:
            new.pop(-2)
        self.call(dict(k="edit", path=f.path, file=f, before=f.lines, at=at, old=old, new=new))
        self.last_edit = (f, sym)
        if r.random() < .1:
            self.stray()
            self.call(self._read(f, max(0, at - 10), min(len(f.lines), at + 14) - max(0, at - 10)))

    @staticmethod
    def mutate(line, r):
        words = line.split(" ")
        for i, w in enumerate(words):
            digits = "".join(ch for ch in w if ch.isdigit())
            if digits:
                words[i] = w.replace(digits, str(r.randint(1, 500)), 1)
                return " ".join(words)
        return line

    def write(self, area, test=False):
        r = self.rng
        folders = self.world.areas[area][0]
        folder = folders[-1] if test else folders[0]
        lang = next((f.lang for f in self.world.files.values() if f.path.rsplit("/", 1)[0] == folder), "md")
        stem = ("test_" if lang == "pytest" else "") + r.choice(VERBS) + "_" + r.choice(NOUNS)
        path = folder + "/" + stem + EXT[lang] if folder != "." else stem + EXT[lang]
        if path in self.world.files:
            return
        f = File(path, lang, area, r, r.randint(2, 6))
        f.fresh = self.world.in_area(area)[0].fresh
        self.world.files[path] = f
        self.call(dict(k="write", path=path, new=f.lines))
        self.ctx.known[path] = f.version
        self.ctx.visited.add(path)
        self.ctx.seen.append((f, 0, len(f.lines), -1, False, 0))
        self.last_edit = (f, f.syms[0])

    def bash(self, cmd, out="", tool="cmd", exit=0, secs=.3, about=None):
        if self.par["mcp"] and not exit and self.rng.random() < self.par["mcp"]:
            for start, server, name, arg in INSTEAD:
                if cmd.startswith(start):
                    self.call(dict(k="mcp", server=server, tool=name, args={arg: cmd[len(start):].strip() or "HEAD"}, out=out or "(empty)", secs=secs))
                    return
        if about is None:
            for start, banks in ABOUT:
                if cmd.startswith(start):
                    about = self.rng.choice(banks).format(**self.d)
                    break
        self.call(dict(k="bash", cmd=cmd, out=out, tool=tool, exit=exit, secs=secs, about=about))

    # ---- commands
    def test(self, area, failing=0):
        r, cmd = self.rng, self.world.areas[area][1]
        n, sym = r.randint(6, 60), self.d["sym"]
        if r.random() < .3 and cmd.startswith(("pytest", "go")):
            cmd += " -k %s" % sym if cmd[0] == "p" else " -run %s" % (sym[0].upper() + sym[1:])
        if failing:
            got, want = r.randint(1, 300), r.randint(1, 300)
            out = {"p": "F%s\n____ test_%s_%s ____\n>       assert got.%s == %d\nE       assert %d == %d\n%d failed, %d passed in %.2fs" % ("." * min(n, 20), sym, r.choice(NOUNS), r.choice(FIELDS), want, got, want, failing, n, r.uniform(.3, 9)),
                   "g": "--- FAIL: Test%s (0.0%ds)\n    %s_test.go:%d: got %d, want %d\nFAIL\nFAIL\tfrostlade/%s\t%.3fs" % (sym.capitalize(), r.randint(0, 9), r.choice(NOUNS), r.randint(12, 200), got, want, area, r.uniform(.1, 4))}.get(cmd[0], "✗ %s > %s\n  expected %d, received %d\n Tests  %d failed | %d passed" % (area, sym, want, got, failing, n))
            self.bash(cmd, out, "check", 1, r.uniform(2, 20))
        else:
            out = {"p": "%s\n%d passed in %.2fs" % ("." * min(n, 30), n, r.uniform(.3, 9)), "g": "ok  \tfrostlade/%s\t%.3fs" % (area, r.uniform(.1, 4))}.get(cmd[0], " Tests  %d passed (%d)\n Duration  %.2fs" % (n, n, r.uniform(.8, 9)))
            self.lead("test", self.par["talk"] * .6)
            self.bash(cmd, out, "test", 0, r.uniform(2, 20))

    def build(self, area):
        self.bash(self.world.areas[area][2], self.rng.choice(["", "built in %.1fs" % self.rng.uniform(1, 20)]), "build", 0, self.rng.uniform(2, 25))

    def lint(self, area):
        self.bash(self.world.areas[area][3], self.rng.choice(["All checks passed!", "", "0 issues."]), "lint", 0, self.rng.uniform(.5, 6))

    def git(self, what):
        r, d = self.rng, self.d
        sha = "%07x" % r.getrandbits(28)
        files = sorted(self.ctx.visited)[-3:] or [d["path"]]
        if what == "commit":
            msg = "%s: %s %s" % (d["area"], r.choice(["handle", "keep", "check", "count", "name"]), d["noun"])
            self.bash("git add -A && git commit -m \"%s\"" % msg, "[%s %s] %s\n %d files changed, %d insertions(+), %d deletions(-)" % (self.w.m["branch"], sha, msg, len(files), r.randint(2, 60), r.randint(0, 30)), "git")
            if r.random() < .35:
                self.bash("git push origin %s" % self.w.m["branch"], "To git.quittenhof.example:cold/frostlade.git\n   %s..%07x  %s -> %s" % (sha, r.getrandbits(28), self.w.m["branch"], self.w.m["branch"]), "git", secs=2)
        elif what == "log":
            self.bash("git log --oneline -n %d -- %s" % (r.randint(5, 15), d["path"]), "\n".join("%07x %s: %s %s" % (r.getrandbits(28), d["area"], r.choice(VERBS), r.choice(NOUNS)) for _ in range(r.randint(4, 10))), "git")
        elif what == "diff":
            self.bash("git diff --stat", "\n".join(" %s | %d %s" % (p, r.randint(1, 30), "+" * r.randint(1, 9) + "-" * r.randint(0, 5)) for p in files), "git")
        elif what == "show":
            f = self.rng.choice(self.world.in_area(d["area"]) or list(self.world.files.values()))
            i = r.randrange(max(1, len(f.lines) - 8))
            self.bash("git show %s -- %s" % (sha, f.path), "commit %s\n\n@@ -%d,6 +%d,7 @@\n%s" % (sha, i + 1, i + 1, "\n".join(" " + x for x in f.lines[i:i + 7])), "git")
        else:
            self.bash("git status --short", "\n".join(" M " + p for p in files), "git")

    def todo(self, done, items):
        self.call(dict(k="todo", done=done, items=items))

    def mcp(self, server, tool, **args):
        r, d = self.rng, self.d
        out = {"get_ticket": "%s  [%s]\nreported by %s\n%s\n%s" % (d["ticket"], r.choice(["open", "in work"]), r.choice(list(USERS)), self.pick(W.SYMPTOMS), self.pick(W.WHY)),
               "add_comment": "comment #%d added to %s" % (r.randint(2, 40), d["ticket"]), "query": "\n".join("%s | %d" % (r.choice(NOUNS), r.randint(1, 9000)) for _ in range(r.randint(3, 12)))}.get(tool) or "\n".join("- " + self.pick(W.WHY + W.LIMIT) for _ in range(r.randint(2, 6)))
        self.call(dict(k="mcp", server=server, tool=tool, args=args, out=out, secs=.5))

    # ---- settings
    def pick_setting(self, told=None):
        """Mostly one that was replaced, rather a recent one."""
        r, par = self.rng, self.par
        gone = [s for s in self.world.settings if s.old]
        if par["source"] is not None and r.random() < .92:
            gone = [s for s in gone if s.told == par["source"]] or gone
        if gone and r.random() < par["replaced"]:
            recent = [s for s in self.life.changed[-6:] if s in gone]
            return r.choice(recent if recent and r.random() < .45 else gone)
        return r.choice(self.world.settings)

    def use(self, n=1):
        r = self.rng
        for _ in range(n):
            s = self.pick_setting()
            if s.value not in s.traced:
                self.show_settings([s])
            stale = False
            if s.old:
                self.n["uses"] += 1
                p = self.chance("stale") if self.par["source"] in (None, s.told) else RATES["stale"]
                stale = r.random() < p / (1 - .26 * p)      # some are followed by another, right use
            if not stale:
                self.command(s, s.value)
                continue
            self.n["stale"] += 1
            old = s.old[-1] if r.random() < .85 else r.choice(s.old)
            end = r.random()
            fails = bool(s.fail) and end < .1
            self.command(s, old, fails)
            fr = self.par["french"]
            if fails or end > .86:           # noticed by the agent
                self.w.say(r.choice(W.NOTICE_FR if fr else W.NOTICE).format(name=s.say_fr if fr else s.say, key=s.key, v=s.value, o=old))
                self.n["uses"] += 1
                self.command(s, s.value)
            elif end > .78 and self.main is None:    # noticed by the user
                self.n["corrections"] += 1
                self.w.end_turn(self.pick(W.DONE, W.DONE_FR))
                self.hear(r.choice(W.OLD_FR if fr else W.OLD).format(name=s.say_fr if fr else s.say, v=s.value, o=old), 20, 500)
                self.n["uses"] += 1
                self.command(s, s.value)

    def ask(self):
        """Ask again for something that a user had said."""
        told = [s for s in self.world.settings if s.told and s.value in s.traced]
        if not told:
            return
        r, fr = self.rng, self.par["french"]
        s = r.choice([x for x in self.life.changed[-8:] if x in told] or told)
        self.n["asks"] += 1
        self.w.end_turn(r.choice(W.ASK_FR if fr else W.ASK).format(name=s.say_fr if fr else s.say))
        self.hear(r.choice(W.AGAIN_FR if fr else W.AGAIN).format(v=s.value), 15, 200)
        self.n["uses"] += bool(s.old)
        self.command(s, s.value)

    def command(self, s, value, fails=False):
        """Work with a value: in a command, now and then in a file."""
        r = self.rng
        if not fails and r.random() < .14:
            places = [f for f in self.world.files.values() if f.lang in ("yaml", "sh") and f.area == "infra"]
            f = r.choice(places)
            name = "_".join(s.key.split("_")[-2:]).lower()
            self.edit(f, r.choice(f.syms), "    %s: \"%s\"" % (name, value) if f.lang == "yaml" else "  local %s=\"%s\"" % (name, value))
            return
        cmd = r.choice(s.uses) % value
        if fails:
            out = {"connect": "%s: could not connect to %s: Connection refused" % (cmd.split()[0], value), "manifest": "Error response from daemon: manifest for %s not found: manifest unknown" % value}[s.fail]
            self.bash(cmd, out, "cmd", 7 if cmd[0] == "c" else 2, 1)
            return
        out = r.choice(['{"status":"ok","lots":%d}' % r.randint(1, 900), " count\n-------\n  %d\n(1 row)" % r.randint(3, 90000), "OK (%d checked)" % r.randint(2, 90), "done in %.1fs" % r.uniform(.2, 30), "%d rows written" % r.randint(5, 900)])
        if cmd.startswith("docker pull"):
            out = "Digest: sha256:%032x\nStatus: Image is up to date" % r.getrandbits(128)
        elif cmd.startswith("kubectl") and "pods" in cmd:
            out = "NAME          READY   STATUS    AGE\n" + "\n".join("%s-%05x   1/1     Running   %dh" % (a, r.getrandbits(20), r.randint(1, 90)) for a in ("intake", "billing", "gateway"))
        elif cmd.startswith(("mosquitto_pub", "pg_dump")):
            out = ""
        elif cmd.startswith("mosquitto_sub"):
            out = "\n".join("%.1f" % r.uniform(-1, 4) for _ in range(5))
        elif cmd.startswith("git log"):
            out = "\n".join("%07x %s: %s %s" % (r.getrandbits(28), r.choice(CODE_AREAS), r.choice(VERBS), r.choice(NOUNS)) for _ in range(8))
        self.bash(cmd, out, "cmd", 0, 1)

    def show_settings(self, which=None):
        """Look values up where they are kept."""
        some = {s.key: s for s in (which or self.rng.sample(self.world.settings, 2) + self.life.changed[-2:])}
        for s in some.values():
            s.traced.add(s.value)
        self.bash("grep -E '%s' config/frostlade.env" % "|".join(sorted(some)), "\n".join("%s=%s" % (k, some[k].value) for k in sorted(some)))

    def show_all(self):
        for s in self.world.settings:
            s.traced.add(s.value)
        self.bash("cat config/frostlade.env", "# values of the staging set, see docs/settings.md\n" + "\n".join("%s=%s" % (s.key, s.value) for s in self.world.settings), about="Show the settings")

    def replace(self, told):
        """A value changes; it counts as replaced when the trace has the old one."""
        r, world = self.rng, self.world
        known = [s for s in world.settings if s.value in s.traced]
        s = r.choice(known if known and r.random() < .85 else world.settings)
        if len(s.old) > 4 and s.key == "VAT_RATE":
            s = world.settings[0]
        was = s.value
        world.change(s, told)
        if was not in s.traced:
            s.old.remove(was)
        s.traced.add(s.value)
        self.life.changed.append(s)
        return s, was

    def news(self):
        """A colleague changed a value; a tool shows it."""
        r = self.rng
        s, was = self.replace(False)
        a, b = "%07x" % r.getrandbits(28), "%07x" % r.getrandbits(28)
        form = r.randrange(4)
        if form == 0:
            self.bash("git pull --ff-only && git diff HEAD@{1} -- config/frostlade.env", "Updating %s..%s\nFast-forward\n config/frostlade.env | 2 +-\n@@ -4,3 +4,3 @@\n-%s=%s\n+%s=%s" % (a, b, s.key, was, s.key, s.value), "git", secs=2)
        elif form == 1:
            self.bash("git pull --rebase", "From git.quittenhof.example:cold/frostlade\n   %s..%s  main -> origin/main\nSuccessfully rebased and updated." % (a, b), "git", secs=2)
            self.show_settings([s] + r.sample(self.world.settings, 2))
        elif form == 2:
            self.bash("git log -p -1 -- config/frostlade.env", "commit %s\n    set %s\n\n@@ -7 +7 @@\n-%s=%s\n+%s=%s" % (b, s.key.lower().replace("_", " "), s.key, was, s.key, s.value), "git")
        else:
            self.bash("kubectl -n cold get configmap frostlade -o yaml | grep -i %s" % s.key.split("_")[0].lower(), "  %s: \"%s\"" % (s.key, s.value), secs=1)

    # ---- tasks
    def explore(self, area, f, sym, searches, reads):
        """Find one's way: alone, or through a helper (Claude Code only)."""
        r = self.rng
        near = [x for x in self.world.in_area(area) if x is not f and len(x.lines) > 3]
        others = [(x, r.choice(x.syms)) for x in r.sample(near, min(len(near), max(0, reads - 1)))]
        if r.random() < .25:
            x = r.choice(list(self.world.files.values()))
            others = others[:-1] + [(x, r.choice(x.syms))]
        if self.par["helpers"] and r.random() < self.par["helpers"]:
            about = r.choice(["Find %s usage", "Explore %s handling", "Trace %s callers"]) % self.d["noun"]
            prompt = "%s in %s. Look at `%s` and everything that reads the %s. Report the files, the functions and how they hang together; do not change anything." % (about, area, sym, self.d["noun"])
            self.n["calls"] += 1
            self.w.sub_start(dict(k="task", about=about, prompt=prompt, fail=None))
            self.main, self.ctx = self.ctx, Context()
            self.list(self.world.areas[area][0][0])
            for _ in range(searches + r.randint(0, 1)):
                self.search(r.choice([sym, self.d["noun"], r.choice(f.syms)]), area)
            for t in [(f, sym)] + others:
                self.open(*t)
            self.w.sub_end("\n".join(["## Findings"] + ["- `%s` in `%s`: %s" % (s2, x.path, self.pick(W.SEEN)) for x, s2 in [(f, sym)] + others]))
            self.ctx, self.main = self.main, None
            self.open(f, sym)
            return [(f, sym)] + others
        for i in range(searches):
            if i == 0:
                self.lead("search")
            if r.random() < .15:
                self.list(self.world.areas[area][0][0])
            else:
                self.search(sym if i == 0 else r.choice([self.d["noun"], r.choice(f.syms), self.d["noun2"]]), area)
        self.open_many([(f, sym)] + others)
        return [(f, sym)] + others

    def fuss(self, n):
        """So many calls more than needed for the same."""
        r, goal = self.rng, self.n["calls"] + n
        while self.n["calls"] < goal:
            area = self.d["area"]
            what = r.randrange(7)
            if what == 0:
                self.search(r.choice([self.d["noun"], self.d["noun2"], self.d["sym2"]]), area)
            elif what == 1:
                self.list(self.world.areas[area][0][0])
            elif what == 2:
                self.git(r.choice(["status", "diff", "log"]))
            elif what == 3:
                self.test(area)
            elif what == 4:
                self.search(r.choice(NOUNS), r.choice(CODE_AREAS))
            else:
                f = r.choice(self.world.in_area(area))
                sym = r.choice(f.syms)
                self.open(f, sym) if what == 5 else self.edit(f, sym)

    def task(self, kind, f, sym, area, run, quiet):
        """One request. run: the area whose tests count."""
        r, d = self.rng, self.d
        big = 1 if r.random() < .3 * self.par["size"] else 0
        tiny = not big and not quiet and r.random() < .66
        if r.random() < self.par["mcp"]:
            self.mcp("barnboard", "get_ticket", ticket=d["ticket"])
            if r.random() < .5:
                self.mcp("fieldbook", "lookup", topic=d["noun"])
        first = kind in ("bugfix", "feature", "tests", "refactor", "firmware", "ci") and r.random() < self.par["tests_first"]
        plan = ["Look at %s" % d["sym"], "Change %s" % d["file"], "Test %s" % area]
        listed = kind in ("feature", "refactor") and r.random() < .65 and not tiny or quiet == "plan"
        if kind == "question":
            self.explore(area, f, sym, 1, r.randint(1, 2)) if tiny else self.explore(area, f, sym, r.randint(1, 3), r.randint(2, 4))
        elif kind == "review":
            self.git("log")
            self.git("diff")
            for _ in range(1 + big):
                self.git("show")
            self.open_many([(f, sym)] + [(x, r.choice(x.syms)) for x in r.sample(self.world.in_area(area), r.randint(0, 2))])
            if r.random() < .6:
                self.test(run)
        elif kind == "data":
            for _ in range(r.randint(1, 2) if tiny else r.randint(2, 4)):
                if r.random() < self.par["mcp"]:
                    self.mcp("pgview", "query", sql="select %s, count(*) from %ss group by 1" % (r.choice(FIELDS), r.choice(NOUNS)))
                elif r.random() < .6:
                    self.use()
                else:
                    self.bash("psql -At -U frost lots -c \"select %s from %ss limit %d\"" % (r.choice(FIELDS), r.choice(NOUNS), r.randint(3, 40)), "\n".join(str(r.randint(1, 9999)) for _ in range(r.randint(3, 9))))
            self.open(f, sym)
            if r.random() < .5:
                self.write("sql")
        elif kind == "release":
            self.git("log")
            log = self.world.files["CHANGELOG.md"]
            self.edit(log, r.choice(log.syms))
            self.test(run)
            self.build(run)
            self.bash("git tag -a %s-v%d.%d.%d -m '%s'" % (area, r.randint(1, 5), r.randint(0, 20), r.randint(0, 9), d["noun"]), "", "git")
            self.use(r.randint(1, 3))
        elif kind == "ops":
            self.bash("kubectl -n cold get pods -l app=%s" % area, "NAME   READY   STATUS   RESTARTS\n%s-%05x   1/1   Running   %d" % (area, r.getrandbits(20), r.randint(0, 9)))
            self.lead("ops")
            if r.random() < .45:
                self.show_settings()
            self.use(r.randint(1, 2))
            self.open_many([(f, sym), *[(x, r.choice(x.syms)) for x in r.sample(self.world.in_area("infra"), 1)]])
            for _ in range(r.randint(1, 2)):
                self.edit(f, sym)
            if not tiny:
                self.build("infra")
                self.use()
        elif kind == "ci":
            run_id = r.randrange(10 ** 9, 10 ** 10)
            self.bash("gh run list -L 5", "\n".join("%s\tci\tmain\tpush\t%d\t%dm%ds" % (r.choice(["X", "✓"]), run_id - i * 713, r.randint(2, 30), r.randint(0, 59)) for i in range(5)), secs=1)
            self.bash("gh run view %d --log-failed | tail -40" % run_id, "%s\tRun tests\t%s\nError: Process completed with exit code 1." % (area, self.pick(W.SYMPTOMS)), secs=2)
            self.explore(area, f, sym, 1, 2)
            self.edit(f, sym)
            self.test(run)
            if r.random() < .5:
                self.use()
        else:
            if listed:
                self.todo(0, plan)
            if kind == "firmware":
                self.build(run)
                self.bash("make -C fw/probe bench", "%s  %d cycles" % (sym, r.randint(200, 9000)), "check")
            found = self.explore(area, f, sym, 1 if tiny else r.randint(1, 2), r.randint(1, 2) if tiny else {"bugfix": 3, "feature": 4, "tests": 2, "refactor": 4, "docs": 3, "firmware": 3}[kind] - (r.random() < .4))
            if first:
                self.write(run, True)
                self.test(run, r.randint(1, 3))
            elif kind == "bugfix" and r.random() < .45:
                self.test(run, 1)
            if kind == "feature" and r.random() < .4 or kind == "tests" and not first:
                self.write(area, kind == "tests")
            edits = 1 if tiny else {"bugfix": 1, "feature": 2, "tests": 1, "refactor": 3, "docs": 1, "firmware": 2}[kind] + r.randint(0, 1) + big
            if kind == "docs":
                docs = self.world.in_area("docs")
                x = r.choice(docs)
                found = [(x, r.choice(x.syms))]
            self.lead("edit")
            for i in range(edits):
                self.edit(*(found[0] if i == 0 else r.choice(found)))
                if i and listed and r.random() < .2:
                    self.todo(1, plan)
            if kind == "docs":
                if r.random() < .4:
                    self.build("docs")
            else:
                if first and r.random() < .6:
                    self.test(run, 1)
                    self.edit(*found[0])
                self.test(run)
                if big:
                    self.build(run)
                    self.test(run)
            if r.random() < self.par["using"] * .5:
                self.use()
            if listed:
                self.todo(2, plan)
        changes = kind not in ("question", "review", "data")
        if changes and r.random() < self.par["lint"]:
            self.lint(run)
        if changes and r.random() < .3:
            self.git("diff" if r.random() < .6 else "status")
        if changes and r.random() < (.2 if tiny else .42):
            self.git("commit")
        if self.par["mcp"] and r.random() < self.par["mcp"] * .4:
            self.mcp("barnboard", "add_comment", ticket=d["ticket"], text=self.pick(W.DONE))

    def target(self, kind):
        """Area, file and function that a request is about, and the area to test."""
        r, world = self.rng, self.world
        fresh = [a for a in world.areas if world.in_area(a)[0].fresh]
        area = r.choice(fresh) if fresh and kind not in ("ops", "data", "docs") and r.random() < self.par["fresh"] else self.life.focus if r.random() < .4 else r.choice(CODE_AREAS)
        if kind == "firmware" and not world.in_area(area)[0].fresh:
            area = "probe"
        place = {"ops": "infra", "data": "sql"}.get(kind, area)
        files = [f for f in world.in_area(place) if "test" not in f.path] or world.in_area(place)
        f = r.choice(files)
        return area, f, r.choice(f.syms), place

    def request(self, kind, index):
        r, par, life = self.rng, self.par, self.life
        area, f, sym, place = self.target(kind)
        self.d = W.slots(r, (f, sym), area, par["french"])
        user = par["user"] if r.random() < .85 else par["second"]
        tells = []
        if life.index == 0 and index == 0 and par["source"] is not False:
            tells = [(s, None) for s in r.sample(self.world.settings, 7)]
            for s, _ in tells:
                s.told = True
                s.traced.add(s.value)
        elif r.random() < (max(.4, par["telling"]) if life.index == 0 else par["telling"]):
            tells = [self.replace(True) for _ in range(1 + (r.random() < .15))]
        tell = None
        if len(tells) > 2:
            head = "Pour le staging : " if par["french"] else r.choice(W.VALUES)
            tell = head + "; ".join(("%s %s" if i % 2 else "%s = %s") % (s.say, s.value) for i, (s, _) in enumerate(tells)) + "."
        elif tells:
            tell = " ".join(r.choice(W.TELL_FR if par["french"] else W.TELL).format(name=s.say_fr if par["french"] else "`%s`" % s.key if r.random() < .25 else s.say, v=s.value, o=was) for s, was in tells)
        self.n["requests"] += 1
        quiet, extra = None, {}
        if par["planned"] and index == 0:
            kind = "feature"
            if place != area:
                place = area
                f = r.choice(self.world.in_area(area))
                sym = r.choice(f.syms)
                self.d = W.slots(r, (f, sym), area, par["french"])
            body = W.plan_text(r, self.d, self.world.areas[area][1])
            text, extra, quiet = "Implement the following plan:\n\n" + body, {"planContent": body}, "plan"
            if tell:
                text += "\n" + tell
        else:
            text = W.request(r, kind, self.d, user, par["terse"], par["french"], tell)
        if index == 0 and par["clear"]:
            self.w.clear()
            self.w.tick(8, 60)
        elif index:
            self.w.tick(40, 900)
        first = self.n["calls"]
        self.w.user(text, **extra)
        if r.random() < self.chance("interrupt"):
            self.at[self.n["calls"] + r.randint(2, 6)] = "interrupt"
        if life.index == 0 and index == 0 and par["source"] is not True:
            self.show_all()
        if r.random() < par["news"] * (1.6 if index == 0 else .7):
            self.news()
        if par.get("rules") and index == 1:
            self.rules()
        if r.random() < .04 and kind not in ("question",):
            self.explore(area, f, sym, 1, 1)
            self.w.end_turn(self.pick(W.NEWQ, W.NEWQ_FR))
            self.hear(self.rng.choice(W.REPLY_FR if par["french"] else W.REPLY), 20, 300)
        if r.random() < self.chance("ask"):
            self.ask()
        self.task(kind, f, sym, area if place in ("sql",) else place, area, quiet)
        if quiet:
            self.task("tests", f, sym, area, area, None)
        if tell and r.random() < .45 or r.random() < par["using"]:
            self.use()
        if par["effort"] > 1:
            self.fuss(round((self.n["calls"] - first) * (par["effort"] - 1)))
        answer = (W.SEEN, W.SEEN_FR) if kind in ("question", "review", "data") else (W.DONE, W.DONE_FR)
        self.w.end_turn(self.pick(*answer))
        if r.random() < self.chance("correct"):
            self.n["corrections"] += 1
            self.hear(self.pick(W.CORRECT, W.CORRECT_FR))
            self.lead("redo", .7)
            self.edit(f, sym)
            if r.random() < .6:
                self.edit(f, r.choice(f.syms))
            self.test(area)
            self.w.end_turn(self.pick(W.DONE, W.DONE_FR))

    def rules(self):
        """The user has the agent write new habits into the instruction file (done before the request itself)."""
        name = "AGENTS.md" if self.par["format"] == "codex" else "CLAUDE.md"
        lines = self.life.agents_md
        f = File(name, "md", "docs", self.rng, 0)
        f.lines, f.syms = lines, ["#"]
        self.w.end_turn(self.pick(W.SEEN))
        self.hear("Please put two rules into %s: search with rg and never grep -r, and run the linter of the area after every change." % name, 30, 200)
        self.call(self._read(f, 0, len(lines), 0))
        self.ctx.visited.add(name)
        self.n["visits"] += 1
        at = len(lines) - 1
        self.call(dict(k="edit", path=name, file=f, before=lines, at=at, old=lines[at:], new=lines[at:] + ["- Search with rg, not with grep -r.", "- Run the linter of the area after every change."]))
        self.life.agents_md = f.lines
        self.w.end_turn("Both rules are in %s now. On with the request before." % name)
        self.hear("good, go on", 10, 60)
        self.n["requests"] += 1

    def run(self, draw, requests):
        """draw() gives the kind of the next request."""
        i = 0
        while i < requests or self.n["calls"] < min(30, self.limit * .7) and i < 8:
            if i >= 3 and self.n["calls"] > self.limit:
                break
            self.request(draw(), i)
            i += 1
        if self.par["compact_end"]:
            self.happen("compact")
            self.w.end_turn(self.pick(W.DONE, W.DONE_FR))
