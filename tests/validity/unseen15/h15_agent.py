"""One session of a healthy agent: tasks of many sizes, and slips that come at a steady level."""

# ruff: noqa: UP031

import random
from collections.abc import Callable
from typing import Any

import h15_words as words
from h15_world import BODY, FIELDS, NOUNS, STATES, USING, VERBS, File, Setting, World, line, symbol
from h15_write import REFUSED, Base, Op

RATES = {
    "error": 0.05,
    "reread": 0.10,
    "look": 0.03,
    "stale": 0.03,
    "ask": 0.025,
    "correct": 0.045,
    "interrupt": 0.012,
    "outside": 0.009,
}
# where slips happen: a text to replace is missed a little more often than a list of files
WEIGHT = {
    "read": 0.97,
    "search": 0.97,
    "glob": 0.93,
    "edit": 1.07,
    "write": 0.95,
    "bash": 1.03,
    "todo": 0.85,
    "mcp": 1.0,
    "task": 0.0,
    "web": 0.95,
    "poll": 0.0,
}
COUNTS = [
    "calls",
    "errors",
    "reads",
    "rereads",
    "visits",
    "looks",
    "uses",
    "stale",
    "requests",
    "asks",
    "corrections",
    "interrupts",
]
MCP = {
    "git": ("codehost", "history", "path"),
    "gh": ("codehost", "pipeline_runs", "workflow"),
    "psql": ("lendingdb", "run_query", "sql"),
    "kubectl": ("helmsman", "workloads", "selector"),
    "curl": ("helmsman", "probe", "url"),
    "grep": ("shelfindex", "find_code", "query"),
    "ls": ("shelfindex", "list_tree", "folder"),
}


class Context:
    """What one conversation has read so far."""

    def __init__(self) -> None:
        self.seen: list[tuple[File, int, int, int, int]] = []  # file, start, count, version, style
        self.known: dict[str, int] = {}


class Session:
    def __init__(
        self,
        rng: random.Random,
        world: World,
        par: dict[str, Any],
        writer: Base,
        factor: dict[str, float],
    ) -> None:
        self.rng, self.world, self.par, self.w, self.f = rng, world, par, writer, factor
        self.n = dict.fromkeys(COUNTS, 0)
        self.ctx, self.side = Context(), False
        self.claude = par["format"] == "claude"
        self.size, self.compactions = 1.0, 0
        self.compact_at: list[int] = []
        self.edited: tuple[File, str] | None = None
        self.news: list[Setting] = []
        self.d: dict[str, Any] = {}
        self.topic: File = rng.choice(list(world.files.values()))
        writer.think = lambda: self.fill(words.THINK)

    # ---- words
    def fill(self, bank: list[str], other: list[str] | None = None) -> str:
        return self.rng.choice(other if other and self.par["spanish"] else bank).format(**self.d)

    def lead(self, what: str, share: float | None = None) -> None:
        if self.rng.random() < (self.par["talk"] if share is None else share):
            self.w.say(
                self.rng.choice(
                    (words.LEAD_ES if self.par["spanish"] else words.LEAD)[what]
                ).format(**self.d)
            )

    def hear(self, text: str, lo: float, hi: float) -> None:
        self.w.tick(lo, hi)
        self.w.user(text)

    def subject(self, kind: str) -> None:
        """What the next task is about."""
        r, w, par = self.rng, self.world, self.par
        area = par["area"] if r.random() < 0.75 else r.choice(w.names)
        if kind == "infra" and r.random() < 0.7:
            area = "infra"
        elif kind == "docs" and r.random() < 0.6:
            area = "docs"
        elif kind == "data" and r.random() < 0.6:
            area = "db"
        files = [f for f in w.of(area) if not f.is_test] or w.of(area)
        late = [f for f in files if f.path in par["late"]]
        f = r.choice(late) if late and r.random() < par["late_share"] else r.choice(files)
        self.topic = f
        sym = r.choice(f.syms) if f.syms else "main"
        name = area if area in w.names else par["area"]
        self.d = {
            "file": f.path.rsplit("/", 1)[-1],
            "path": f.path,
            "area": name,
            "sym": sym,
            "noun": r.choice(NOUNS),
            "noun2": r.choice(NOUNS),
            "field": r.choice(FIELDS),
            "verb": r.choice(VERBS),
            "state": r.choice(STATES),
            "n": r.randint(3, 90),
            "ticket": "FS-%d" % r.randint(900, 7300),
        }

    def request(self, kind: str) -> str:
        r, par = self.rng, self.par
        if par["spanish"]:
            text = self.fill(words.SPANISH[kind])
            if r.random() < 0.4:
                text += ", " + self.fill(words.REASONS_ES)
            text = text[:1].upper() + text[1:] + ("" if text.endswith("?") else ".")
            return text + (" " + r.choice(words.END_ES) if r.random() < 0.35 else "")
        if r.random() < par["terse"]:
            return self.fill(words.SHORT[kind])
        u: dict[str, Any] = words.USERS[par["user"] if r.random() < 0.85 else par["second"]]
        text = self.fill(words.CORE[kind])
        if r.random() < u["reason"] * (1 - par["terse"]):
            text += r.choice([", ", " because ", ": "]) + self.fill(words.REASONS)
        if r.random() < u["opening"]:
            text = r.choice(u["open"]) + text
        text = (
            text.lower()
            if r.random() < u["lower"] and "`" not in text and self.d["sym"] not in text
            else text[:1].upper() + text[1:] + ("" if text.endswith("?") else ".")
        )
        return text + (" " + r.choice(u["end"]) if r.random() < u["ending"] else "")

    def plan_text(self) -> str:
        r = self.rng
        steps = r.sample(words.PLAN_STEPS, r.randint(5, 9))
        parts = [
            "Implement the following plan:",
            "",
            "# "
            + self.fill(
                [
                    "Handle {state} {noun}s in {area}",
                    "{ticket}: keep the {field} of a {noun}",
                    "Rework {sym}",
                ]
            ),
            "",
            "## Context",
            "",
            self.fill(words.REASONS).capitalize() + ". " + self.fill(words.ANSWER),
            "",
            "## Steps",
            "",
        ]
        for i, s in enumerate(steps, 1):
            parts.append("%d. %s" % (i, s.format(**self.d)))
            if r.random() < 0.4:
                parts += [
                    "",
                    "   ```%s" % self.topic.lang,
                    *["   " + line(r, self.topic.lang) for _ in range(r.randint(2, 6))],
                    "   ```",
                    "",
                ]
        parts += (
            ["", "## Files", ""]
            + [
                "- `%s`" % f.path
                for f in r.sample(
                    self.world.of(self.topic.area), min(4, len(self.world.of(self.topic.area)))
                )
            ]
            + ["", "## Verification", "", "- " + self.test_command(self.topic)]
        )
        return "\n".join(parts)

    # ---- calls
    def p(self, which: str) -> float:
        return min(0.6, float(self.par[which]) * self.f.get(which, 1.0))

    def do(self, *ops: Op) -> None:
        if not self.side and self.compact_at and self.n["calls"] >= self.compact_at[0]:
            self.compact_at.pop(0)
            self.compact()
        sent: list[Op] = []
        again: list[Op] = []
        for op in ops:
            op["fail"] = None
            self.n["calls"] += 1
            if self.claude and "shell" not in op and op["k"] in ("read", "search", "glob"):
                op["shell"] = (
                    self.rng.random()
                    < self.par["shell_read" if op["k"] == "read" else "shell_search"]
                )
            more = 1.5 if op.get("tries") else 0.97
            if self.rng.random() < self.p("error") * WEIGHT[op["k"]] * more:
                self.n["errors"] += 1
                sent.append(self.slip(op))
                again.append(op)
            elif (
                op["k"] in ("bash", "edit")
                and not op.get("tries")
                and self.rng.random() < RATES["outside"]
            ):
                sent.append(self.outside(op))
                again.append(op)
            else:
                self.take(op)
                sent.append(op)
        self.w.batch(sent)
        for op, bad in zip(again, [s for s in sent if s not in ops], strict=False):
            self.recover(op, bad)

    def recover(self, op: Op, bad: Op) -> None:
        r = self.rng
        op = dict(op, tries=op.get("tries", 0) + 1)
        if bad.get("refused") and not self.side:
            self.w.text = None
            self.w.interrupt()
            self.hear(self.fill(words.STOPPED, words.STOPPED_ES), 10, 200)
        elif not bad.get("not_own"):
            self.lead("again", 0.3)
        if op["tries"] > 3 or (op["k"] in ("search", "glob", "web", "todo") and r.random() < 0.2):
            return
        if bad.get("mend") and self.edited and op["tries"] < 3:
            self.edit(*self.edited)
        elif op["k"] == "read" and r.random() < 0.4:
            self.find(op["path"].rpartition("/")[0] or ".")
        elif op["k"] == "edit" and r.random() < 0.45 and not bad.get("not_own"):
            f: File = op["file"]
            s = max(0, op["at"] - r.randint(5, 25))
            self.do(self.window(f, s, min(r.randint(30, 70), len(f.lines) - s)))
        self.do(op)

    def take(self, op: Op) -> None:
        c = self.ctx
        if op["k"] == "read":
            f: File = op["file"]
            self.n["reads"] += 1
            self.n["rereads"] += any(
                x[0] is f and x[1:4] == (op["start"], op["count"], f.version) for x in c.seen
            )
            c.seen.append((f, op["start"], op["count"], f.version, op["style"]))
            c.known[f.path] = f.version
        elif op["k"] == "edit":
            f = op["file"]
            f.lines[:] = (
                op["before"][: op["at"]] + op["new"] + op["before"][op["at"] + len(op["old"]) :]
            )
            f.version += 1
            c.known[f.path] = f.version

    # ---- slips
    def slip(self, op: Op) -> Op:
        r, k, bad = self.rng, op["k"], dict(op)
        if k == "read":
            folder, _, name = op["path"].rpartition("/")
            stem, _, ext = name.rpartition(".")
            top = op["path"].split("/")[0]
            bad["path"] = r.choice(
                [
                    "%s/%s" % (top, name),
                    "%s/%s/%s.%s" % (folder, stem, r.choice(["index", "mod", "base"]), ext),
                    "%s/%s%s.%s" % (folder, stem, r.choice(["s", "Impl", "_v2", "Helper"]), ext),
                    "src/%s" % op["path"],
                    "%s/core/%s" % (folder, name),
                ]
            )
            if bad["path"] in self.world.files:
                bad["path"] = "src/" + op["path"]
            sed = op.get("part") or op["style"] == 1
            bad["fail"] = (
                (
                    "nofile",
                    "%s %s: No such file or directory"
                    % (
                        "sed: can't read" if sed else "cat:" if op["style"] == 0 else "nl:",
                        bad["path"],
                    ),
                    2 if sed else 1,
                )
                if not self.claude
                else (
                    "nofile",
                    "File does not exist."
                    if r.random() < 0.7
                    else "File does not exist. Did you mean %s?" % name,
                    1,
                )
            )
        elif k in ("search", "glob"):
            if k == "search" and r.random() < 0.35:
                bad["pattern"] = op["pattern"] + r.choice(["(", "[^", "(?"])
                bad["fail"] = (
                    "regex",
                    "rg: regex parse error:\n    %s\n    ^\nerror: unclosed group" % bad["pattern"]
                    if not op.get("shell")
                    else "grep: Unmatched ( or \\(",
                    2,
                )
            else:
                bad["path"] = r.choice(
                    [
                        "src/" + op["path"],
                        op["path"].rstrip("/") + "/" + r.choice(["java", "lib", "internal", "pkg"]),
                        "packages/" + op["path"],
                    ]
                )
                bad["fail"] = (
                    "nopath",
                    "Path does not exist: %s/%s" % (self.w.m["cwd"], bad["path"])
                    if self.claude
                    else "rg: %s: No such file or directory (os error 2)" % bad["path"],
                    2,
                )
        elif k == "edit":
            old = list(op["old"])
            i = r.randrange(len(old))
            old[i] = r.choice(
                [
                    old[i].lstrip(),
                    old[i].replace(" = ", "=") + " ",
                    old[i] + "  ",
                    "    " + old[i],
                    old[i].replace("(", "( ") + ";",
                ]
            )
            text = "\n".join(old)
            bad["old"] = old
            where = "%s/%s" % (self.w.m["cwd"], op["path"])
            if not self.claude:
                bad["fail"] = (
                    "nomatch",
                    "apply_patch verification failed: Failed to find expected lines in %s:\n%s"
                    % (where, text),
                )
            elif r.random() < 0.2:
                bad["old"] = op["old"]
                bad["fail"] = (
                    "twice",
                    "Found %d matches of the string to replace, but replace_all is false. To replace all occurrences, set replace_all to true. To replace only one occurrence, please provide more context to uniquely identify the instance.\nString: %s"
                    % (r.randint(2, 5), "\n".join(op["old"])),
                )
            else:
                bad["fail"] = ("nomatch", "String to replace not found in file.\nString: " + text)
        elif k == "write":
            bad["fail"] = (
                ("unread", "File has not been read yet. Read it first before writing to it.")
                if self.claude
                else (
                    "hunk",
                    "apply_patch verification failed: invalid hunk at line 2, '*** Create File: %s' is not a valid hunk header"
                    % op["path"],
                )
            )
        elif k == "todo":
            bad["fail"] = (
                "args",
                "InputValidationError: TodoWrite failed due to the following issue:\nThe required parameter `todos` is missing"
                if self.claude
                else "failed to parse function arguments: missing field `step` at line 1 column %d"
                % r.randint(20, 90),
                1,
            )
        elif k == "mcp":
            key = next(iter(op["args"]))
            bad["args"] = {r.choice(["q", "text", "target", "name"]): op["args"][key]}
            bad["fail"] = (
                "args",
                "MCP error -32602: Input validation error: '%s' is a required property of %s"
                % (key, op["tool"]),
                1,
            )
        elif k == "web":
            bad["url"] = op["url"] + r.choice(["/index", "/v2", ".html"])
            bad["fail"] = ("gone", "Request failed with status code 404", 1)
        else:
            self.slip_command(op, bad)
        return bad

    def slip_command(self, op: Op, bad: Op) -> None:
        r, cmd = self.rng, str(op["cmd"])
        prog, noun, verb, d = (
            cmd.split()[0].rsplit("/", 1)[-1],
            r.choice(NOUNS),
            r.choice(VERBS),
            self.d,
        )
        if (
            op.get("test")
            and self.edited
            and self.edited[0].area == self.topic.area
            and r.random() < 0.4
        ):
            f, sym = self.edited
            at = f.where(sym) + r.randint(1, 6)
            what = "%s%s" % (verb, noun.title())
            text = {
                "kt": "e: file:///%s:%d:9 Unresolved reference: %s\n\nBUILD FAILED in %ds"
                % (f.path, at, what, r.randint(3, 19)),
                "py": "%s:%d: in %s\nNameError: name '%s' is not defined\n1 error in 0.3s"
                % (f.path, at, sym, what),
                "ts": "%s(%d,11): error TS2304: Cannot find name '%s'." % (f.path, at, what),
                "rs": "error[E0425]: cannot find value `%s` in this scope\n --> %s:%d:13"
                % (what, f.path, at),
            }.get(f.lang, "%s:%d: syntax error near '%s'" % (f.path, at, what))
            bad.update(out=text, exit=1, mend=True)
            return
        ways: list[tuple[str, str, int]] = [
            (
                cmd
                + " --%s"
                % r.choice(
                    ["no-progress", "brief", "first", "with-deps", "max=5", "flat", "changed"]
                ),
                "error: unexpected argument found\n\nUsage: %s [OPTIONS]" % prog,
                2,
            ),
            (
                "cd %s && %s"
                % (
                    r.choice([d["area"] + "/app", "shelfmark", "backend", "services/" + d["area"]]),
                    cmd,
                ),
                "bash: line 1: cd: no such file or directory",
                1,
            ),
            (
                "python3 - <<'PY'\nimport json\nrows = json.load(open('build/%ss.json'))\nprint(len(rows['%s']))\nPY"
                % (noun, d["field"]),
                "Traceback (most recent call last):\n  File \"<stdin>\", line 2, in <module>\nFileNotFoundError: [Errno 2] No such file or directory: 'build/%ss.json'"
                % noun,
                1,
            ),
            (
                'python3 -c "from %s import %s; print(%s())"' % (d["area"], verb, verb),
                "ImportError: cannot import name '%s' from '%s'" % (verb, d["area"]),
                1,
            ),
            (
                "%s %s"
                % (
                    r.choice(["just", "mvn", "pytest", "yarn", "gradle", "tf"]),
                    " ".join(cmd.split()[1:3]),
                ),
                "bash: line 1: command not found",
                127,
            ),
            (
                cmd + " | jq '.%s[].%s'" % (noun, d["field"]),
                r.choice(
                    [
                        "jq: error (at <stdin>:1): Cannot iterate over null (null)",
                        "jq: parse error: Invalid numeric literal at line 1, column 7",
                    ]
                ),
                5,
            ),
            (
                "make %s-%s" % (verb, noun),
                "make: *** No rule to make target '%s-%s'.  Stop." % (verb, noun),
                2,
            ),
        ]
        own = {
            "git": (
                "git show %s:%s"
                % (r.choice(["origin/dev", "v9.%d" % r.randint(0, 30)]), d["path"]),
                "fatal: invalid object name",
                128,
            ),
            "gradlew": (
                "./gradlew :%s:check%s" % (noun, verb.title()),
                "FAILURE: Build failed with an exception.\n* What went wrong:\nproject '%s' not found in root project 'shelfmark'."
                % noun,
                1,
            ),
            "psql": (
                'psql -d lending -c "select %s_%s from %ss"' % (verb, d["field"], noun),
                'ERROR:  column "%s_%s" does not exist\nLINE 1: select %s_%s'
                % (verb, d["field"], verb, d["field"]),
                1,
            ),
            "kubectl": (
                "kubectl logs deploy/%s-%s" % (noun, verb),
                'Error from server (NotFound): deployments.apps "%s-%s" not found' % (noun, verb),
                1,
            ),
            "uv": (
                "uv run pytest %s/tests/test_%s_%s.py -q" % (d["area"], verb, noun),
                "ERROR: file or directory not found: test_%s_%s.py" % (verb, noun),
                4,
            ),
            "npm": (
                "npm --prefix %s run %s:%s" % (d["area"], verb, noun),
                'npm error Missing script: "%s:%s"' % (verb, noun),
                1,
            ),
            "cargo": (
                "cargo test -p %s-%s" % (d["area"], noun),
                "error: package ID specification `%s-%s` did not match any packages"
                % (d["area"], noun),
                101,
            ),
        }
        bad["cmd"], bad["out"], bad["exit"] = (
            own[prog] if prog in own and r.random() < 0.5 else r.choice(ways)
        )

    def outside(self, op: Op) -> Op:
        """What fails without the agent's doing."""
        r, bad = self.rng, dict(op, not_own=True)
        if op["k"] == "edit" or r.random() < 0.35:
            if self.claude:
                bad.update(fail=("denied", REFUSED), refused=True)
            elif op["k"] == "edit":
                bad["fail"] = ("denied", "patch rejected by user")
            else:
                bad.update(out="bash: line 1: operation not permitted", exit=126)
            return bad
        bad.update(
            out=r.choice(
                [
                    "curl: (28) Operation timed out after 60001 milliseconds",
                    "ssh: connect to host code.foldspine.example port 22: Connection timed out",
                    "Could not GET artifact: Connection reset",
                    "error: RPC failed; HTTP 502",
                    "Temporary failure in name resolution",
                ]
            ),
            exit=1,
            secs=r.uniform(20, 70),
        )
        return bad

    def compact(self) -> None:
        d = self.d
        body = [
            "1. Request: " + self.fill(words.CORE["fix"]),
            "2. Read so far: " + ", ".join(sorted(self.ctx.known)[:9]),
            "3. In work: `%s` in %s" % (d["sym"], d["path"]),
            "4. Known values: "
            + "; ".join("%s=%s" % (s.key, s.value) for s in self.world.settings),
            "5. Still open: tests of %s, then a commit" % d["area"],
        ]
        self.w.compact("\n".join(body))
        self.ctx = Context()
        self.compactions += 1

    # ---- reading and searching
    def window(self, f: File, start: int, count: int, style: int | None = None) -> Op:
        style = self.rng.choice((0, 1, 1, 2)) if style is None else style
        whole = start == 0 and count >= len(f.lines)
        return {
            "k": "read",
            "path": f.path,
            "file": f,
            "start": start,
            "count": count,
            "part": not whole,
            "style": style,
            "lines": f.lines[start : start + count],
            "total": len(f.lines),
        }

    def parts(self, f: File, sym: str | None) -> list[tuple[int, int]]:
        r, total = self.rng, len(f.lines)
        if total <= 160 and r.random() < 0.8:
            return [(0, total)]
        at = f.where(sym) if sym else 0
        count = r.choice((40, 60, 60, 80, 120, 150))
        start = max(0, min(at - r.randint(4, 20), total - 25))
        out = [(start, min(count, total - start))]
        if r.random() < 0.3 and start + count < total - 10:
            out.append((start + count, min(count, total - start - count)))
        return out

    def look_back(self) -> None:
        """Reading once more what is still before one's eyes."""
        if self.rng.random() < self.p("reread") * 1.5:
            old = [x for x in self.ctx.seen if x[3] == x[0].version]
            if len(old) > 1:
                f, s, c, _, style = self.rng.choice(old[:-1])
                self.do(self.window(f, s, c, style))

    def opening(self, f: File, sym: str | None) -> list[Op]:
        c, r = self.ctx, self.rng
        if f.path in c.known:
            at = f.where(sym) if sym else 0
            if any(x[0] is f and x[1] <= at < x[1] + x[2] + 15 for x in c.seen):
                return []
            return [self.window(f, *self.parts(f, sym)[0])]
        self.n["visits"] += 1
        twins = [t for t in self.world.twins(f) if t.path not in c.known]
        # only some files have a twin, so those that have one carry the share
        if twins and r.random() < self.p("look") * 2.2:
            self.n["looks"] += 1
            self.do(self.window(r.choice(twins), *self.parts(twins[0], None)[0]))
        return [self.window(f, *p) for p in self.parts(f, sym)]

    def open(self, *files: File, sym: str | None = None) -> None:
        wanted: list[Op] = []
        for f in files:
            fresh = self.opening(f, sym if f is files[0] else None)
            for _ in fresh:
                self.look_back()
            wanted += fresh
        unique: list[Op] = []
        for op in wanted:
            if not any(
                u["path"] == op["path"] and (u["start"], u["count"]) == (op["start"], op["count"])
                for u in unique
            ):
                unique.append(op)
        if len(unique) > 1 and self.rng.random() < self.par["abreast"]:
            self.do(*unique)
        else:
            for op in unique:
                if op["file"].version == self.ctx.known.get(op["path"], op["file"].version):
                    self.do(op)

    def search(self, word: str, place: str | None = None) -> None:
        r = self.rng
        if r.random() < self.par["mcp"]:
            return self.mcp("grep", word)
        place = place or r.choice(
            [".", self.d["area"], self.d["area"], self.topic.path.split("/")[0]]
        )
        key = word.rpartition(".*")[2]
        first = word.partition(".*")[0]
        hits: list[str] = []
        for f in self.world.files.values():
            if len(hits) > 30:
                break
            if place in (".", f.path.split("/")[0]):
                hits += [
                    "%s:%d:%s" % (f.path, i, x)
                    for i, x in enumerate(f.lines, 1)
                    if key in x and first in x
                ]
        return self.do({"k": "search", "pattern": word, "path": place, "hits": hits[:30]})

    def find(self, folder: str) -> None:
        if self.rng.random() < self.par["mcp"]:
            return self.mcp("ls", folder)
        hits = [p for p in self.world.files if p.startswith(folder)][:40] or list(self.world.files)[
            :25
        ]
        return self.do({"k": "glob", "path": folder, "hits": hits})

    def mcp(self, what: str, text: str) -> None:
        server, tool, arg = MCP[what]
        rows = [
            "%s | %s | %d"
            % (self.rng.choice(NOUNS), self.rng.choice(STATES), self.rng.randint(1, 9000))
            for _ in range(self.rng.randint(3, 14))
        ]
        self.do(
            {
                "k": "mcp",
                "server": server,
                "tool": tool,
                "args": {arg: text},
                "out": "\n".join(rows),
                "secs": 0.8,
            }
        )

    # ---- shell
    def sh(self, cmd: str, out: str, code: int = 0, secs: float = 0.4, **more: Any) -> None:
        prog = cmd.split()[0]
        if (
            code == 0
            and prog in MCP
            and not cmd.startswith(("git add", "git commit", "git push"))
            and self.rng.random() < self.par["mcp"]
        ):
            return self.mcp(prog, cmd.partition(" ")[2])
        return self.do({"k": "bash", "cmd": cmd, "out": out, "exit": code, "secs": secs, **more})

    def git(self) -> None:
        r, d = self.rng, self.d
        commits = "\n".join(
            "%07x %s %s of a %s"
            % (r.getrandbits(28), r.choice(VERBS), r.choice(FIELDS), r.choice(NOUNS))
            for _ in range(r.randint(3, 10))
        )
        stat = "\n".join(
            " %s | %d %s"
            % (f.path, r.randint(1, 60), "+" * r.randint(1, 9) + "-" * r.randint(0, 5))
            for f in r.sample(list(self.world.files.values()), r.randint(1, 5))
        )
        cmd, out = r.choice(
            [
                ("git log --oneline -%d" % r.choice((5, 8, 12)), commits),
                ("git log --oneline -6 -- " + d["path"], commits),
                ("git status --short", " M " + d["path"]),
                ("git diff --stat", stat),
                ("git status --short && git diff --stat", " M %s\n%s" % (d["path"], stat)),
                ("git diff main...HEAD --stat", stat),
            ]
        )
        self.sh(cmd, out)

    def commit(self) -> None:
        r, d = self.rng, self.d
        self.sh(
            'git add -A && git commit -m "%s"'
            % self.fill(
                [
                    "{area}: {verb} {noun} with {field}",
                    "{ticket} keep {field} of {state} {noun}s",
                    "{sym}: guard for {state} {noun}s",
                ]
            ),
            "[%s %07x] %s\n %d files changed, %d insertions(+), %d deletions(-)"
            % (
                self.w.m["branch"],
                r.getrandbits(28),
                d["area"],
                r.randint(1, 5),
                r.randint(3, 90),
                r.randint(0, 40),
            ),
        )
        if r.random() < 0.35:
            self.sh(
                "git push",
                "To ssh://git@code.foldspine.example/platform/shelfmark.git\n   %07x..%07x  HEAD -> %s"
                % (r.getrandbits(28), r.getrandbits(28), self.w.m["branch"]),
                secs=2,
            )

    def test_command(self, f: File) -> str:
        name = f.path.rsplit("/", 1)[-1].split(".")[0]
        area = f.area if f.area in self.world.names else self.d["area"]
        lang = f.lang if f.area in self.world.names else "md"
        return {
            "kt": "./gradlew :%s:test --tests '*%s*'" % (area, name.removesuffix("Test")),
            "py": "uv run pytest %s/tests -q -k %s" % (area, name.removeprefix("test_")),
            "ts": "npm --prefix %s test -- %s" % (area, name),
            "rs": "cargo test -p %s" % area,
        }.get(lang, "make check-%s" % area)

    def test(self, red: float) -> bool:
        """Run the tests; red is the chance that work in progress lets some fail."""
        r, d = self.rng, self.d
        cmd = self.test_command(self.topic)
        self.lead("test")
        secs = r.lognormvariate(2, 0.7)
        n = r.randint(4, 90)
        bad = r.random() < red
        if bad:
            k = r.randint(1, 4)
            fails = "\n".join(
                r.choice(
                    [
                        "FAILED %s::%s - AssertionError: %s != %s",
                        "✗ %s > %s  expected %s, got %s",
                        "%s > %s FAILED: expected <%s> but was <%s>",
                    ]
                )
                % (
                    d["file"],
                    symbol(r, "py"),
                    r.randint(0, 40),
                    r.choice(["None", "0", "41", "''"]),
                )
                for _ in range(k)
            )
            out = "%s\n\n%d failed, %d passed in %.1fs" % (fails, k, n, secs)
        else:
            out = "%d passed in %.1fs" % (n, secs)
        if not self.claude and self.w.m["tools"] != "old" and secs > 10 and r.random() < 0.5:
            sid = r.randint(10000, 99999)
            self.do(
                {
                    "k": "bash",
                    "cmd": cmd,
                    "out": "",
                    "exit": 0,
                    "secs": 10.0,
                    "running": sid,
                    "test": True,
                    "yield": 10000,
                }
            )
            self.do(
                {
                    "k": "poll",
                    "cmd": cmd,
                    "sid": sid,
                    "out": out,
                    "exit": int(bad),
                    "secs": secs - 9.5,
                }
            )
        else:
            self.do(
                {
                    "k": "bash",
                    "cmd": cmd,
                    "out": out,
                    "exit": int(bad),
                    "secs": secs,
                    "test": True,
                    **({"limit": 300000} if secs > 20 else {}),
                }
            )
        if bad:
            self.lead("red")
        return not bad

    def lint(self) -> None:
        cmd = {
            "kt": "./gradlew ktlintCheck",
            "py": "uv run ruff check .",
            "ts": "npm --prefix %s run lint" % self.d["area"],
            "rs": "cargo clippy -q",
        }.get(self.topic.lang, "make lint")
        if self.rng.random() < 0.15:
            self.sh(
                cmd,
                "%s:%d: line too long" % (self.d["path"], self.rng.randint(3, 200)),
                1,
                3,
                test=True,
            )
            self.edit(self.topic, self.d["sym"])
        self.sh(cmd, "", 0, 3, test=True)

    def use(self) -> None:
        """A command that needs one of the trial values."""
        r = self.rng
        s = r.choice(self.world.settings)
        value, stale = s.value, False
        if s.old:
            self.n["uses"] += 1
            if r.random() < self.p("stale"):
                self.n["stale"] += 1
                value, stale = s.old[-1], True
        elif r.random() < self.p("ask") * 2:
            self.n["asks"] += 1
            self.w.end_turn(
                "¿Qué valor tiene %s ahora?" % s.key
                if self.par["spanish"]
                else "Which value does %s have at the moment?" % s.key
            )
            self.hear(value, 20, 300)
        template = r.choice(USING[s.key])
        if r.random() < self.par["mcp"] and template.split()[0] in MCP and not stale:
            return self.mcp(
                template.split()[0], template.partition(" ")[2].format(x=value, **self.d)
            )
        cmd = template.format(x=value, **self.d)
        rows = self.printed(s.key)
        if stale and r.random() < 0.35:
            self.sh(cmd, "error: %s not found" % value, 1, 2)
            self.sh(template.format(x=s.value, **self.d), rows)
            return None
        self.sh(cmd, rows, 0, 1)
        if stale and r.random() < 0.25 and not self.side:
            self.n["corrections"] += 1
            self.w.end_turn(self.fill(words.DONE, words.DONE_ES))
            self.hear(
                r.choice(words.STALE_ES if self.par["spanish"] else words.STALE).format(
                    key=s.key, old=value, value=s.value
                ),
                15,
                200,
            )
            self.sh(template.format(x=s.value, **self.d), rows)
        return None

    def printed(self, key: str) -> str:
        """What a command with such a value prints."""
        r, d = self.rng, self.d
        if key == "PREVIEW_HOST":
            return r.choice(
                [
                    "200",
                    '{"status":"ok","build":"%07x"}' % r.getrandbits(28),
                    '[{"id":%d,"%s":null}]' % (r.randint(1, 9999), d["field"]),
                ]
            )
        if key == "COVER_BUCKET":
            return "Total Objects: %d\n   Total Size: %d" % (
                r.randint(9, 900),
                r.randint(10000, 9000000),
            )
        if key == "KUBE_SPACE":
            return "\n".join(
                "%s-%07x-%05x   1/1   Running   %d   %dh"
                % (
                    d["area"],
                    r.getrandbits(28),
                    r.getrandbits(20),
                    r.randint(0, 4),
                    r.randint(1, 90),
                )
                for _ in range(r.randint(1, 4))
            )
        if key == "NODE_IMAGE":
            return 'NAME="Foldspine base"\nVERSION=%d' % r.randint(3, 9)
        if key == "QUEUE":
            return "depth %d, oldest %d s" % (r.randint(0, 900), r.randint(0, 4000))
        return "\n".join(
            "%s | %d" % (r.choice(STATES), r.randint(1, 4000)) for _ in range(r.randint(2, 9))
        )

    def show_values(self) -> None:
        self.sh(
            "cat infra/trial.env",
            "\n".join("%s=%s" % (s.key, s.value) for s in self.world.settings),
        )

    # ---- changing
    def edit(self, f: File, sym: str | None = None) -> None:
        r = self.rng
        if f.path not in self.ctx.known:
            self.open(f, sym=sym)
        sym = sym or (r.choice(f.syms) if f.syms else "main")
        lines = f.lines
        at = max(0, min(f.where(sym) + r.randint(1, 5), len(lines) - 3))
        old = lines[at : at + r.randint(1, 3)] or lines[-1:]
        lang = f.lang if f.lang in BODY else "md"
        new = [*old[: r.randint(0, 1)], *[line(r, lang) for _ in range(r.randint(1, 5))]]
        if not any(x.strip() for x in old):
            at, old = max(0, at - 1), lines[max(0, at - 1) : at + 1]
        self.edited = (f, sym)
        self.do(
            {
                "k": "edit",
                "path": f.path,
                "file": f,
                "old": old,
                "new": new,
                "before": list(lines),
                "at": at,
            }
        )
        if r.random() < 0.1:
            s = max(0, at - 12)
            self.do(self.window(f, s, min(40, len(f.lines) - s)))

    def write(self, near: File, test: bool = False) -> File:
        r = self.rng
        folder = near.path.rpartition("/")[0]
        stem = (
            "%s_%s" % (r.choice(VERBS), r.choice(NOUNS))
            if near.lang in ("py", "rs", "sql", "md", "tf", "yml")
            else symbol(r, "kt")
        )
        ext = near.path.rsplit(".", 1)[-1]
        path = "%s/%s%s.%s" % (
            folder,
            "test_" if test and near.lang == "py" else "",
            stem + ("Test" if test and near.lang == "kt" else ""),
            ext,
        )
        f = File(path, near.lang, near.area, r, r.randint(1, 4))
        f.is_test = test or near.is_test
        if path not in self.world.files:
            self.do({"k": "write", "path": path, "new": list(f.lines)})
            self.world.files[path] = f
            self.ctx.known[path] = f.version
        return f

    def todo(self) -> None:
        if self.rng.random() < self.par["todo"]:
            items = [
                self.fill(["Find where {noun} is set", "Read {file}"]),
                self.fill(["Change {sym}", "Add the guard to {file}"]),
                self.fill(["Test a {state} {noun}", "Run the tests of {area}"]),
            ]
            self.do({"k": "todo", "items": items, "done": self.rng.randrange(3)})

    def some(self, lo: int, hi: int) -> int:
        return max(lo, min(hi * 2, round(self.rng.randint(lo, hi) * self.size)))

    def near(self, n: int) -> list[File]:
        files = [f for f in self.world.of(self.topic.area) if f is not self.topic]
        late = [f for f in files if f.path in self.par["late"]]
        if late and self.rng.random() < self.par["late_share"]:
            files = late
        return self.rng.sample(files, min(n, len(files)))

    def explore(self, breadth: int) -> None:
        """Find out where things are, alone or by a helper."""
        r, d = self.rng, self.d
        self.lead("look")
        if self.claude and r.random() < self.par["helpers"]:
            self.helper(breadth)
            return self.open(self.topic, sym=d["sym"])
        terms = [d["sym"], d["sym"].split("_")[0], d["field"], "%s.*%s" % (d["verb"], d["noun"])]
        for word in r.sample(
            sorted(set(terms)), min(len(set(terms)), r.randint(1, max(1, breadth - 1)))
        ):
            self.search(word)
        if r.random() < 0.3:
            self.find(self.topic.path.rpartition("/")[0])
        self.open(self.topic, *self.near(r.randint(0, breadth)), sym=d["sym"])
        return None

    def helper(self, breadth: int) -> None:
        r = self.rng
        self.n["calls"] += 1
        self.w.sub_start(
            {
                "k": "task",
                "fail": None,
                "about": self.fill(
                    ["Trace {noun} in {area}", "Find callers of {sym}", "Map the {field} code"]
                ),
                "prompt": self.fill(
                    [
                        "Find out how {area} handles a {state} {noun}. Report files and functions, no changes.",
                        "List all callers of {sym} and what they pass as {noun2}. Paths with line numbers please.",
                    ]
                ),
                "who": r.choice(["Explore", "Explore", "general-purpose"]),
            }
        )
        main, self.ctx, self.side = self.ctx, Context(), True
        for _ in range(r.randint(1, 3)):
            self.search(r.choice([self.d["sym"], self.d["field"], self.d["noun"]]))
        self.open(self.topic, *self.near(breadth + r.randint(1, 3)), sym=self.d["sym"])
        if r.random() < 0.5:
            self.search(r.choice(self.topic.syms or ["main"]))
            self.open(*self.near(2))
        self.w.text = None
        self.w.sub_end(
            self.fill(words.ANSWER) + " " + self.fill(["See {path}.", "Start at {sym} ({path})."])
        )
        self.ctx, self.side = main, False

    def first_tests(self) -> None:
        """The tests of the change come first and fail until it is there."""
        t = self.topic.test
        if t and t.path in self.world.files:
            self.edit(t)
        else:
            self.write(t or self.topic, test=True)
        self.test(0.97)
        for _ in range(self.some(1, 3)):
            self.edit(self.topic, self.d["sym"])
            if self.test(0.5):
                break
        else:
            self.edit(self.topic, self.d["sym"])
            self.test(0.1)

    def prove(self) -> None:
        for k in range(3):
            if self.test(0.28 if k == 0 else 0.35):
                break
            if self.rng.random() < 0.4:
                self.open(*self.near(1))
            self.edit(self.topic, self.d["sym"])
        if self.rng.random() < self.par["lint"]:
            self.lint()

    # ---- tasks
    def task(self, kind: str) -> None:
        ways: dict[str, Callable[[], None]] = {
            "fix": self.fix,
            "feature": self.feature,
            "tests": self.tests,
            "refactor": self.refactor,
            "infra": self.infra,
            "data": self.data,
            "question": self.question,
            "docs": self.docs,
            "review": self.review,
            "deps": self.deps,
            "perf": self.perf,
        }
        ways[kind]()

    def finish(self) -> None:
        if self.rng.random() < self.par["commit"]:
            if self.rng.random() < 0.5:
                self.git()
            self.commit()

    def fix(self) -> None:
        r = self.rng
        if r.random() < 0.3:
            self.git()
        if r.random() < 0.25:
            self.use()
        self.explore(2)
        if r.random() < self.par["tests_first"]:
            self.first_tests()
        else:
            if r.random() < 0.3:
                self.test(0.8)
            for _ in range(self.some(1, 2)):
                self.lead("edit")
                self.edit(self.topic, self.d["sym"])
            self.prove()
        self.finish()

    def feature(self) -> None:
        r = self.rng
        self.explore(4)
        self.todo()
        if self.claude and r.random() < 0.12:
            self.do(
                {
                    "k": "web",
                    "url": r.choice(words.PAGES),
                    "prompt": self.fill(["How is {field} meant?", "What changed about {noun}?"]),
                    "out": self.fill(words.ANSWER),
                    "secs": 4.0,
                }
            )
        if r.random() < self.par["tests_first"]:
            self.first_tests()
        for i in range(self.some(2, 4)):
            self.lead("edit")
            if i == 1 and r.random() < 0.5:
                self.write(self.topic)
            else:
                near = self.near(1)
                f = near[0] if near and r.random() < 0.45 else self.topic
                self.edit(f, self.d["sym"] if f is self.topic else None)
        if self.topic.test and r.random() < 0.6:
            self.edit(self.topic.test) if self.topic.test.path in self.world.files else self.write(
                self.topic.test, test=True
            )
        self.prove()
        self.todo()
        self.finish()

    def tests(self) -> None:
        self.explore(2)
        t = self.topic.test or self.topic
        for _ in range(self.some(1, 3)):
            if t.path in self.world.files and self.rng.random() < 0.7:
                self.edit(t)
            else:
                self.write(t, test=True)
            self.test(0.35)
        self.finish()

    def refactor(self) -> None:
        self.explore(4)
        self.todo()
        files = [self.topic, *self.near(self.some(1, 3))]
        for f in files:
            self.lead("edit")
            self.edit(f, self.d["sym"] if f is self.topic else None)
        self.search(self.d["sym"])
        self.prove()
        self.finish()

    def infra(self) -> None:
        r = self.rng
        for _ in range(self.some(1, 3)):
            if r.random() < 0.55:
                self.use()
            else:
                self.sh(
                    r.choice(["gh run list --limit 8", "gh run view --log-failed | tail -60"]),
                    "\n".join(
                        "%s\t%s\t%dm"
                        % (
                            r.choice(["failure", "success"]),
                            r.choice(NOUNS) + " job",
                            r.randint(1, 30),
                        )
                        for _ in range(6)
                    ),
                    secs=2,
                )
        self.open(self.topic, *self.near(r.randint(0, 2)), sym=self.d["sym"])
        for _ in range(self.some(1, 2)):
            self.edit(self.topic, self.d["sym"])
        if self.topic.lang == "tf":
            self.sh(
                "terraform -chdir=infra/cluster plan -no-color | tail -30",
                "Plan: %d to add, %d to change, 0 to destroy." % (r.randint(0, 3), r.randint(1, 5)),
                secs=9,
            )
        else:
            self.test(0.2)
        if r.random() < 0.5:
            self.use()
        self.finish()

    def data(self) -> None:
        r = self.rng
        self.open(self.topic, sym=self.d["sym"])
        for _ in range(self.some(2, 5)):
            if r.random() < 0.6:
                self.use()
            else:
                self.sh(
                    "python3 tools/%s_stats.py --field %s" % (r.choice(NOUNS), r.choice(FIELDS)),
                    "\n".join("%s %d" % (r.choice(STATES), r.randint(1, 700)) for _ in range(5)),
                )
        if r.random() < 0.45:
            self.write(self.topic)
            self.test(0.2)
            self.finish()

    def question(self) -> None:
        self.explore(self.some(2, 4))
        if self.rng.random() < 0.4:
            self.search(self.d["field"])
            self.open(*self.near(1))

    def docs(self) -> None:
        self.explore(2)
        for _ in range(self.some(1, 3)):
            self.edit(self.topic)
        if self.rng.random() < 0.3:
            self.write(self.topic)
        self.finish()

    def review(self) -> None:
        r = self.rng
        self.git()
        for f in [self.topic, *self.near(self.some(1, 3))]:
            diff = "\n".join("%s%s" % (r.choice(" +-"), x) for x in f.lines[: r.randint(10, 40)])
            self.sh(
                "git diff main...HEAD -- " + f.path,
                "diff --git a/%s b/%s\n@@ -1 +1 @@\n%s" % (f.path, f.path, diff),
            )
            if r.random() < 0.7:
                self.open(f)
        if r.random() < 0.4:
            self.search(self.d["sym"])
        if r.random() < 0.4:
            self.test(0.15)

    def deps(self) -> None:
        r = self.rng
        self.sh(
            {
                "kt": "./gradlew dependencyUpdates",
                "py": "uv pip list --outdated",
                "ts": "npm --prefix %s outdated" % self.d["area"],
                "rs": "cargo outdated",
            }.get(self.topic.lang, "make outdated"),
            "\n".join(
                "%s %d.%d -> %d.%d"
                % (x, r.randint(1, 5), r.randint(0, 9), r.randint(5, 8), r.randint(0, 9))
                for x in r.sample(NOUNS, 4)
            ),
            secs=6,
        )
        self.search(r.choice(["http", "client", "serde", "jackson"]))
        self.open(self.topic, *self.near(1))
        self.edit(self.topic)
        self.prove()
        self.finish()

    def perf(self) -> None:
        self.explore(2)
        for _ in range(self.some(1, 3)):
            self.sh(
                "./bin/bench %s --rounds %d" % (self.d["area"], self.rng.choice((5, 20, 50))),
                "median %d ms, p95 %d ms"
                % (self.rng.randint(20, 400), self.rng.randint(400, 2500)),
                secs=12,
            )
            self.edit(self.topic, self.d["sym"])
        self.prove()
        self.finish()

    def edit_rules(self, name: str, text: list[str], add: list[str]) -> None:
        """The file with instructions is changed as the user wants."""
        f = File(name, "md", "docs", self.rng, 1)
        f.lines[:] = text
        self.do(self.window(f, 0, len(text), 0))
        self.do(
            {
                "k": "edit",
                "path": name,
                "file": f,
                "old": text[-1:],
                "new": [text[-1], *add],
                "before": list(text),
                "at": len(text) - 1,
            }
        )

    # ---- the session
    def run(
        self,
        pick: Callable[[], str],
        requests: int,
        news: list[Setting],
        rules: tuple[str, list[str], list[str]] | None,
    ) -> None:
        r, par = self.rng, self.par
        if par["clear"]:
            self.w.clear()
        said = list(news)
        for i in range(requests):
            kind = pick()
            self.subject(kind)
            self.size = par["size"] * r.lognormvariate(-0.1, 0.5)
            planned = i == 0 and par["planned"]
            if planned:
                kind, text = "feature", self.plan_text()
                self.size = max(1.2, self.size)
            else:
                text = self.request(kind)
            if said and r.random() < 0.6:
                s = said.pop()
                text += " " + r.choice(words.VALUE_ES if par["spanish"] else words.VALUE).format(
                    key=s.key, value=s.value
                )
            self.n["requests"] += 1
            self.hear(text, 4 if i == 0 else 30, 12 if i == 0 else 1500)
            if rules and i == 0:
                self.edit_rules(*rules)
            if said:
                said = []
                self.show_values()
            elif r.random() < 0.05:
                self.show_values()
            if r.random() < par["interrupt"] and i:
                self.explore(1)
                self.n["interrupts"] += 1
                self.w.text = None
                self.w.interrupt()
                self.hear(self.fill(words.STOPPED, words.STOPPED_ES), 8, 120)
            self.task(kind)
            self.w.end_turn(
                self.fill(words.ANSWER, words.ANSWER_ES)
                if kind in ("question", "review", "data")
                else self.fill(words.DONE, words.DONE_ES)
            )
            if r.random() < par["correct"]:
                self.n["corrections"] += 1
                self.hear(self.fill(words.CORRECT, words.CORRECT_ES), 20, 600)
                self.open(*self.near(1))
                self.edit(self.topic, self.d["sym"])
                self.test(0.15)
                self.w.end_turn(self.fill(words.DONE, words.DONE_ES))
            elif r.random() < par["follow"]:
                self.n["requests"] += 1
                self.hear(
                    self.fill(
                        words.MORE_SHORT if r.random() < par["terse"] else words.MORE, words.MORE_ES
                    ),
                    20,
                    900,
                )
                self.lead("look")
                if r.random() < 0.5:
                    self.open(*self.near(1))
                if kind not in ("question", "review"):
                    self.edit(self.topic, self.d["sym"])
                    self.test(0.2)
                else:
                    self.search(self.d["field"])
                self.w.end_turn(self.fill(words.DONE, words.DONE_ES))
