"""Formats of the sixth set: Claude Code session files, Codex rollouts, a generic trace. Carries out reads and edits on the way."""
import json
import os
import random
from datetime import timedelta

try:
    from . import t6_worlds as W
except ImportError:
    import t6_worlds as W

dumps = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def iso(t):
    return t.strftime("%Y-%m-%dT%H:%M:%S.") + "%03dZ" % (t.microsecond // 1000)


def write(life, folder):
    {"claude_code": ClaudeCode, "codex": Codex, "generic": Generic}[life.form](life, folder).all()


class Writer:
    def __init__(self, life, folder):
        self.life, self.folder = life, folder
        self.r = random.Random(f"w|{life.kind}|{life.seed}|{life.n}|{life.form}")
        self.notes = ["# Notes", "", "- " + " ".join(self.r.choice(W.WORDS) for _ in range(8))] + ["- " + " ".join(self.r.choice(W.WORDS) for _ in range(9)) for _ in range(20)]

    def uuid(self):
        b = self.r.getrandbits(128)
        h = "%032x" % b
        return f"{h[:8]}-{h[8:12]}-4{h[13:16]}-a{h[17:20]}-{h[20:]}"

    def all(self):
        for s in self.life.sessions:
            self.session(s)

    # what a call shows, the same for every format
    def lines(self, path):
        if path in ("NOTES.md", "CLAUDE.md"):
            return self.notes
        grown = 1 + self.s.index / max(1, self.life.n - 1) if self.life.k.get("grow") else 1.0
        return self.life.repo.text(path, grown)

    def do_edit(self, c, rr):
        have = self.lines(c.p["path"])
        at = rr.randrange(len(have))
        if c.p.get("instead") in have:
            at = have.index(c.p["instead"])
        for _ in range(20):
            if have[at].strip():
                break
            at = rr.randrange(len(have))
        old = have[at]
        new = c.p.get("value") or W.code_line(c.p["path"], rr, at)
        if new == old:
            new = old + " "
        more = [W.code_line(c.p["path"], rr, at) for _ in range(rr.choice([0, 0, 1, 2, 4]))]
        if c.p.get("value") and c.p.get("instead") is None:
            new = old
            more = [c.p["value"]] + more[:1]
        if c.fail is None:
            have[at:at + 1] = [new] + more
        return at, old, "\n".join([new] + more)

    def bad_path(self, path, rr):
        head, _, tail = path.rpartition("/")
        return rr.choice([f"{head}/lib/{tail}", f"{head.split('/')[0]}/{tail.replace('.', '_new.')}", path.replace(".", "s.", 1)])

    def shell_out(self, cmd, rr):
        if cmd.startswith("git commit") or "commit -q" in cmd:
            return ""
        if cmd.startswith("git log"):
            return "\n".join("%07x %s the %s" % (rr.getrandbits(28), rr.choice(W.WORDS), rr.choice(W.WORDS)) for _ in range(rr.randrange(3, 9)))
        n = rr.randrange(2, 14)
        return "\n".join(f"{rr.choice(W.WORDS)}-{rr.choice(W.WORDS)}-{rr.randrange(10, 99)}   {rr.choice(['Running', 'ok', 'idle', 'active', 'done'])}   {rr.randrange(1, 400)}" for _ in range(n))

    def shell_bad(self, cmd, rr):
        word = cmd.split()[0].split("/")[-1]
        return rr.choice([
            (cmd + " --" + rr.choice(W.WORDS) + "s", 2, f"{word}: unknown option '--{rr.choice(W.WORDS)}s'\nTry '{word} --help' for more information."),
            (cmd.replace(word, word + "x", 1), 127, f"/bin/bash: line 1: {word}x: command not found"),
            (cmd + " | awk '{print $", 1, "/bin/bash: eval: line 1: unexpected EOF while looking for matching `''"),
            (cmd.replace(" ", " ./", 1), 1, f"{word}: cannot access './{rr.choice(W.WORDS)}': No such file or directory"),
        ])

    def red_out(self, cmd, rr):
        a, b = rr.choice(W.WORDS), rr.choice(W.WORDS)
        return f"$ {cmd}\n.......F...\n1) {a} keeps the {b}\n   expected: {rr.randrange(2, 40)}\n        got: {rr.randrange(41, 90)}\n\n{rr.randrange(9, 60)} examples, 1 failure"

    def green_out(self, cmd, rr):
        return f"{rr.randrange(9, 140)} checks, 0 failures in {rr.uniform(.4, 30):.1f}s"

    # desks
    def tool_call(self, c, rr):
        d, w, p = self.life.desk, self.life.w, c.p
        role, rid = p["role"], p["rid"]
        name = w["tools"].get({"calc": "quote"}.get(role, role)) or p.get("name")
        ref = {"hollowell": {"chart": {"no": rid}}, "nordkai": {"ref": rid, "with": ["legs", "parties"]}, "greyfriars": {"key": {"tenancy": rid}}, "aurelia": {"event_no": rid}}[self.life.world]
        if role == "find":
            nm = d.recs[rid][0]
            args = {"q": nm if rr.random() < .6 else d.label(rid), "max": 6}
            hits = [x for x in d.ids if d.recs[x][0] == nm][:6]
            if rid not in hits:
                hits[-1:] = [rid]
            res = {"hits": [{"no": x, "title": d.recs[x][0], "sub": d.recs[x][1]} for x in hits]}
        elif role in ("open", "open2"):
            args = ref
            res = d.card(rid) if role == "open" else {"no": rid, "title": d.recs[rid][0], "rows": [], "remark": "nothing kept here for this number"}
        elif role in ("hist", "hist2"):
            args = dict(ref, last=5)
            res = {"no": rid, "rows": [{"on": f"2026-0{rr.randrange(1, 9)}-{rr.randrange(10, 28)}", "what": rr.choice(W.WORDS), "by": rr.choice("anna bo cleo dirk".split())} for _ in range(rr.randrange(0 if role == "hist2" else 2, 6))]}
        elif role == "change":
            args = {"target": ref, "set": [{"field": p["field"], "to": f"{rr.choice(W.WORDS)} {p['nn']}"}], "quiet": rr.random() < .5}
            d.version[rid] = d.version.get(rid, 0) + 1
            res = {"no": rid, "saved": True, "rev": 3 + d.version[rid]}
        elif role == "calc":
            args = {"request": {"subject": rid, "qty": p["nn"], "lines": [{"item": rr.choice(W.WORDS), "n": rr.randrange(1, 5)}]}}
            res = {"subject": rid, "total": round(rr.uniform(20, 2400), 2), "valid_days": 14}
        elif role == "quote":
            _, key, alias, _vals = p["setting"]
            v = p["value"]
            if p["how"] == "nested":
                args = {"request": {"subject": rid, "terms": {"basis": {key: v}, "rounding": "half_up"}, "lines": [{"item": rr.choice(W.WORDS), "n": rr.randrange(1, 5)}]}}
            elif p["how"] == "alias":
                num = v.replace(".", "", 1)
                args = {"subject": rid, "params": {alias: (float(v) if "." in v else int(v)) if num.isdigit() else v, "mode": "std"}}
            else:
                args = {"reference": f"{w['rid']}-{v}-{rid}-{p['nn']}", "open": True}
            res = {"subject": rid, "total": round(rr.uniform(20, 2400), 2), "state": "stored"}
            if c.fail == "retired":
                return name, args, {"error": {"code": "RETIRED", "detail": f"{v} is not accepted any more"}}, f"{v} is not accepted any more"
        elif role == "send":
            args = {"to": ref, "body": " ".join(rr.choice(W.WORDS) for _ in range(14)).capitalize() + ".", "channel": rr.choice(["mail", "text"])}
            res = {"queued": True, "id": f"m{rr.randrange(10**5, 10**6)}"}
        elif role == "list":
            args = {"span": rr.choice(["day", "week"]), "around": rid}
            res = {"rows": [{"no": x, "title": d.recs[x][0], "sub": d.recs[x][1]} for x in rr.sample(d.ids, 9)]}
        else:
            args = {"ref": rid, "n": rr.randrange(1, 9)}
            res = {"ref": rid, "values": [rr.choice(W.WORDS) for _ in range(rr.randrange(1, 6))]}
        if isinstance(c.fail, int):
            bad = rr.choice([(dict(args, **{"lang": None}), "lang: expected string, got null"), ({k: v for k, v in list(args.items())[1:]}, f"missing required property '{list(args)[0]}'"),
                             ({**args, list(args)[0]: [args[list(args)[0]]]}, f"{list(args)[0]}: unexpected array")])
            if role == "change":
                d.version[rid] -= 1
            return name, bad[0], {"error": {"code": "INVALID_ARGUMENT", "detail": bad[1]}}, bad[1]
        return name, args, res, None


class ClaudeCode(Writer):
    SLUGS = "quiet-mending-otter amber-folding-kite lucid-sorting-finch bright-tallying-moss brisk-weaving-heron".split()

    def session(self, s):
        self.s = s
        r = self.r
        self.now = s.start
        slug = s.home.replace("/", "-").replace(".", "-")
        path = os.path.join(self.folder, "projects", slug)
        os.makedirs(path, exist_ok=True)
        self.out = []
        self.parent = None
        self.v = int(s.version.split(".")[-1])
        self.common = dict(isSidechain=False, userType="external", entrypoint="cli", cwd=s.home, sessionId=s.id, version=s.version, gitBranch=r.choice(["main", "main", "work", "fix/" + r.choice(W.WORDS)]), slug=self.SLUGS[s.index % 5])
        self.ctx = 21000 + r.randrange(4000)
        self.last_ctx = 0
        self.model = s.model
        self.task = 0
        if self.v >= 168:
            self.rec("attachment", attachment=dict(type="hook_success", hookName="SessionStart:startup", toolUseID=self.uuid(), hookEvent="SessionStart", content="", stdout="", stderr="", exitCode=0, command="~/.claude/hooks/start.sh", durationMs=r.randrange(20, 200)))
        for t in s.turns:
            self.turn(t)
        with open(os.path.join(path, s.id + ".jsonl"), "w") as out:
            out.write("\n".join(map(dumps, self.out)) + "\n")

    def rec(self, type_, chain=True, **more):
        u = self.uuid()
        d = {"parentUuid": self.parent, **self.common, "type": type_, **more, "uuid": u, "timestamp": iso(self.now)}
        self.out.append(d)
        if chain:
            self.parent = u
        return u

    def user(self, content, **more):
        self.rec("user", promptId=self.pid, message=dict(role="user", content=content), **more)

    def tick(self, s):
        self.now += timedelta(seconds=s)

    def command(self, name, stdout):
        self.user("<local-command-caveat>Caveat: The messages below were generated by the user while running local commands. DO NOT respond to these messages or otherwise consider them in your response unless the user explicitly asks you to.</local-command-caveat>",
                  isMeta=True)
        self.user(f"<command-name>/{name}</command-name>\n            <command-message>{name}</command-message>\n            <command-args></command-args>")
        self.user(f"<local-command-stdout>{stdout}</local-command-stdout>")

    def compact(self, t, auto=True):
        r = self.r
        u = self.uuid()
        self.tick(r.uniform(20, 90))
        self.out.append({"parentUuid": None, "logicalParentUuid": self.parent, **self.common, "type": "system", "subtype": "compact_boundary", "content": "Conversation compacted", "isMeta": False, "timestamp": iso(self.now), "uuid": u,
                         "level": "info", "compactMetadata": {"trigger": "auto" if auto else "manual", "preTokens": max(self.ctx, 151000 + r.randrange(16000))}})
        self.parent = u
        self.user("This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.\n\nSummary:\n1. Requests so far: "
                  + "; ".join(x.prompt.split("\n")[-1][:60] for x in self.s.turns[:self.s.turns.index(t)][-5:]) + "\n2. Work goes on with the last request.\n\nContinue the conversation from where it left off without asking the user any further questions.",
                  isVisibleInTranscriptOnly=True, isCompactSummary=True)
        self.ctx = 26000 + r.randrange(6000)
        self.last_ctx = 0

    def usage(self, chars):
        r = self.r
        out = max(4, int(chars / 3.6) + r.randrange(20, 160))
        new = max(50, self.ctx - self.last_ctx)
        u = dict(input_tokens=r.randrange(1, 6), cache_creation_input_tokens=new, cache_read_input_tokens=self.last_ctx, cache_creation=dict(ephemeral_5m_input_tokens=0, ephemeral_1h_input_tokens=new),
                 output_tokens=out if self.v >= 168 else r.randrange(1, 9), service_tier="standard", inference_geo="not_available")
        self.last_ctx = self.ctx
        self.ctx += out
        return u

    def assistant(self, blocks, stop="tool_use"):
        """One message, one line per block, as the client writes it. Returns the line ids."""
        r = self.r
        mid, rid = "msg_01" + "%022x" % r.getrandbits(88), "req_011C" + "%020x" % r.getrandbits(80)
        chars = sum(len(dumps(b)) for b in blocks)
        u = self.usage(chars)
        ids = []
        for b in blocks:
            ids.append(self.rec("assistant", message=dict(model=self.model, id=mid, type="message", role="assistant", content=[b], stop_reason=stop if self.v >= 168 else None, stop_sequence=None, usage=u), requestId=rid))
            self.tick(r.uniform(.3, 2.5))
        return ids

    def turn(self, t):
        r = self.r
        self.tick(t.gap)
        self.pid = t.id
        self.model = t.model
        if t.before == "clear":
            self.parent = None
            self.command("clear", "")
            self.ctx = 21000 + r.randrange(4000)
            self.last_ctx = 0
        elif t.before == "model":
            self.command("model", f"Set model to \x1b[1m{t.model}\x1b[22m")
        elif t.before == "compact":
            self.compact(t, r.random() < .7)
        if self.v >= 199:
            self.out.append(dict(type="queue-operation", operation="enqueue", timestamp=iso(self.now), sessionId=self.s.id, content=t.prompt))
            self.out.append(dict(type="queue-operation", operation="dequeue", timestamp=iso(self.now), sessionId=self.s.id))
        if self.v < 199:
            m = self.uuid()
            self.out.append(dict(type="file-history-snapshot", messageId=m, snapshot=dict(messageId=m, trackedFileBackups={}, timestamp=iso(self.now)), isSnapshotUpdate=False))
        began = self.now
        self.user(t.prompt, permissionMode="default")
        self.ctx += len(t.prompt) // 4
        self.tick(r.uniform(1.5, 6))
        i = 0
        while i < len(t.calls):
            group = [t.calls[i]]
            if i + 1 < len(t.calls) and self.plain(t.calls[i]) and self.plain(t.calls[i + 1]) and not t.calls[i + 1].say and r.random() < .3 and t.mid != i and not (t.queued and t.queued[0] in (i, i + 1)):
                group.append(t.calls[i + 1])
            if t.queued and t.queued[0] == i:
                self.queue(t)
            self.calls(group)
            if t.mid is not None and i <= t.mid < i + len(group):
                self.compact(t)
            i += len(group)
        if t.stop:
            shape = t.stop[0]
            self.tick(r.uniform(1, 20))
            self.user([dict(type="text", text="[Request interrupted by user for tool use]" if shape == "tool" else "[Request interrupted by user]")])
            return
        self.assistant([dict(type="text", text=t.answer)], "end_turn")
        if self.v >= 168:
            self.rec("system", subtype="stop_hook_summary", hookCount=1, hookInfos=[dict(command="~/.claude/hooks/stop.sh", durationMs=r.randrange(10, 90))], hookErrors=[], preventedContinuation=False, stopReason="", hasOutput=False, level="suggestion")
        self.rec("system", subtype="turn_duration", durationMs=int((self.now - began).total_seconds() * 1000), isMeta=False)
        if self.v >= 199:
            self.out.append(dict(type="last-prompt", lastPrompt=t.prompt[:200], leafUuid=self.parent, sessionId=self.s.id))

    def queue(self, t):
        src = self.uuid()
        self.out.append(dict(type="queue-operation", operation="enqueue", timestamp=iso(self.now), sessionId=self.s.id, content=t.queued[1]))
        self.tick(2)
        self.out.append(dict(type="queue-operation", operation="remove", timestamp=iso(self.now), sessionId=self.s.id, content=t.queued[1]))
        self.rec("attachment", attachment=dict(type="queued_command", prompt=t.queued[1], source_uuid=src, commandMode="prompt", origin=dict(kind="human"), timestamp=iso(self.now)))

    @staticmethod
    def plain(c):
        return c.op in ("read", "grep", "shell") and not c.fail and not c.labels

    def calls(self, group):
        r = self.r
        blocks, done = [], []
        if r.random() < .35:
            n = int(r.lognormvariate(6.2, .5))
            blocks.append(dict(type="thinking", thinking="" if self.v >= 199 else f"I should look at the {r.choice(W.WORDS)} and the {r.choice(W.WORDS)} before the {r.choice(W.WORDS)}.", signature="Er" + "%x" % r.getrandbits(4 * n)))
        if group[0].say:
            blocks.append(dict(type="text", text=group[0].say))
        for c in group:
            rr = random.Random(c.id)
            c_id = "toolu_01" + c.id[-18:]
            name, args, text, err, tur = self.render(c, rr)
            blocks.append(dict(type="tool_use", id=c_id, name=name, input=args))
            done.append((c, c_id, text, err, tur))
        ids = self.assistant(blocks)
        for k, (c, c_id, text, err, tur) in enumerate(done):
            self.tick(c.dt * (4 if c.p.get("wait") else 1))
            body = dict(tool_use_id=c_id, type="tool_result", content=text)
            if err:
                body["is_error"] = True
                if tur is None:
                    plain = text if isinstance(text, str) else text[0]["text"]
                    tur = "Error: " + plain.replace("<tool_use_error>", "").replace("</tool_use_error>", "")
            elif c.op in ("shell", "run", "revert"):
                body["is_error"] = False
            self.user([body], toolUseResult=tur, sourceToolAssistantUUID=ids[len(ids) - len(done) + k])
            self.ctx += len(text if isinstance(text, str) else text[0]["text"]) // 4

    def wrap(self, msg):
        return f"<tool_use_error>{msg}</tool_use_error>" if self.v >= 168 else msg

    def render(self, c, rr):
        p, op = c.p, c.op
        home = self.s.home
        fail = c.fail
        if op == "read":
            path = f"{home}/{p['path']}"
            have = self.lines(p["path"])
            args = dict(file_path=path)
            if p["off"] > 1 or p["lim"] < len(have):
                if p["off"] > 1 or p["lim"] < len(have) - 8 or len(have) > 400:
                    args.update(offset=p["off"], limit=p["lim"])
            if isinstance(fail, int):
                args = dict(file_path=f"{home}/{self.bad_path(p['path'], rr)}")
                res = args, self.wrap("File does not exist." + (f" Did you mean {p['path'].split('/')[-1]}?" if rr.random() < .3 else "")), True, None
            else:
                off = args.get("offset", 1)
                part = have[off - 1:off - 1 + args["limit"]] if "limit" in args else have
                if p.get("again") and self.life.k.get("stub") and "offset" not in args and rr.random() < .45:
                    res = args, "File unchanged since last read. The content from the earlier Read tool_result in this conversation is still current — refer to that instead of re-reading.", False, dict(type="file_unchanged", file=dict(filePath=path))
                else:
                    fmt = "%d\t%s" if self.v >= 199 else "%6d→%s"
                    res = args, "\n".join(fmt % (off + i, l) for i, l in enumerate(part)), False, dict(type="text", file=dict(filePath=path, content="\n".join(part), numLines=len(part), startLine=off, totalLines=len(have)))
            name = "Read"
        elif op == "edit":
            at, old, new = self.do_edit(c, rr)
            path = f"{home}/{p['path']}"
            args = dict(replace_all=False, file_path=path, old_string=old, new_string=new)
            name = "Edit"
            if isinstance(fail, int):
                args["old_string"] = old + "  " if fail % 3 else old.strip()[:4]
                msg = [f"String to replace not found in file.\nString: {args['old_string']}", f"Found {2 + fail % 5} matches of the string to replace, but replace_all is false. To replace all occurrences, set replace_all to true. To replace only one occurrence, please provide more context to uniquely identify the instance.\nString: {args['old_string']}"][fail % 3 == 0]
                res = args, self.wrap(msg), True, None
            elif fail == "modified":
                res = args, self.wrap("File has been modified since read, either by the user or by a linter. Read it again before attempting to write it."), True, None
            else:
                res = args, f"The file {path} has been updated successfully.", False, dict(filePath=path, oldString=old, newString=new, originalFile=None, structuredPatch=[dict(oldStart=at + 1, oldLines=1, newStart=at + 1, newLines=new.count("\n") + 1,
                           lines=["-" + old] + ["+" + x for x in new.split("\n")])], userModified=False, replaceAll=False)
        elif op == "grep":
            name = "Grep"
            d = os.path.dirname(p["path"])
            args = dict(pattern=p["q"], path=f"{home}/{d}", output_mode="content")
            if isinstance(fail, int):
                if fail % 2:
                    args["path"] = f"{home}/{d}_old"
                    res = args, self.wrap(f"Path does not exist: {args['path']}"), True, None
                else:
                    args["pattern"] = p["q"] + "("
                    res = args, f"rg: regex parse error:\n    (?:{args['pattern']})\n    ^\nerror: unclosed group", True, None
            else:
                hits = [f"{p['path']}:{rr.randrange(1, 200)}:{W.code_line(p['path'], rr, 0)}" for _ in range(rr.randrange(0, 6))]
                res = args, "\n".join(hits) or "No matches found", False, dict(mode="content", numFiles=0, filenames=[], content="\n".join(hits), numLines=len(hits))
        elif op == "symbol":
            name = "mcp__codegraph__symbol"
            args = dict(name=p["q"], kind="any")
            txt = dumps(dict(symbol=p["q"], defined=p["path"], refs=rr.randrange(0, 9)))
            res = (args, [dict(type="text", text=txt)], False, [dict(type="text", text=txt)]) if not isinstance(fail, int) else (dict(name=[p["q"]]), "MCP error -32602: name: expected string, received array", True, None)
        elif op in ("shell", "run", "revert"):
            name = "Bash"
            cmd = p.get("cmd") or f"git checkout -- {p['path']}"
            args = dict(command=cmd, description=f"{rr.choice(['Check', 'Show', 'Run', 'Inspect'])} {rr.choice(W.WORDS)} {rr.choice(W.WORDS)}")
            if isinstance(fail, int):
                cmd, code, msg = self.shell_bad(cmd, rr)
                args["command"] = cmd
                res = args, f"Exit code {code}\n{msg}", True, None
            elif fail == "approval":
                res = args, "This command requires approval", True, None
            elif fail == "retired":
                res = args, f"Exit code 1\nerror: {p['fallout']}: no longer available", True, None
            elif p.get("red"):
                res = args, "Exit code 1\n" + self.red_out(cmd, rr), True, None
            else:
                o = self.green_out(cmd, rr) if op == "run" else "" if op == "revert" else self.shell_out(cmd, rr)
                res = args, o or "(Bash completed with no output)", False, dict(stdout=o, stderr="", interrupted=False, isImage=False, noOutputExpected=False)
        elif op == "ask":
            name = "AskUserQuestion"
            q = dict(question=p["q"], header=p["head"].title()[:12], options=[dict(label=o.format(n=rr.randrange(100, 999)), description="") for o in p["options"]], multiSelect=False)
            args = dict(questions=[q])
            res = args, f"User has answered your questions: \"{p['q']}\"=\"{p['a']}\". You can now continue with the user's answers in mind.", False, dict(questions=[q], answers={p["q"]: p["a"]})
        else:
            nm, args, out, msg = self.tool_call(c, rr)
            name = f"mcp__{self.life.world}__{nm}"
            if msg:
                res = args, f"MCP error -32602: {msg}", True, None
            else:
                res = args, [dict(type="text", text=dumps(out))], False, [dict(type="text", text=dumps(out))]
        if isinstance(fail, tuple):
            no = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). "
            if fail[0] == "declined":
                return name, res[0], no + "To tell you how to proceed, the user said:\n" + fail[1], True, "User rejected tool use"
            return name, res[0], no + "STOP what you are doing and wait for the user to tell you how to proceed.", True, "User rejected tool use"
        return (name,) + tuple(res)


class Codex(Writer):
    def session(self, s):
        self.s = s
        r = self.r
        self.now = s.start
        path = os.path.join(self.folder, "sessions", s.start.strftime("%Y/%m/%d"))
        os.makedirs(path, exist_ok=True)
        self.out = []
        self.total = [0, 0, 0, 0]
        self.ctx = 18000 + r.randrange(3000)
        self.rec("session_meta", dict(session_id=s.id, id=s.id, timestamp=iso(self.now), cwd=s.home, originator="codex_cli_rs", cli_version={"143": "0.138.0", "168": "0.140.2", "199": "0.143.1", "221": "0.144.5"}[s.version.split(".")[-1]], source="cli",
                                      model_provider="openai", base_instructions=dict(text="You are Codex, based on GPT-5. You and the user share one workspace.")))
        self.said = []
        for t in s.turns:
            self.turn(t)
        with open(os.path.join(path, f"rollout-{s.start.strftime('%Y-%m-%dT%H-%M-%S')}-{s.id}.jsonl"), "w") as out:
            out.write("\n".join(map(dumps, self.out)) + "\n")

    def rec(self, type_, payload):
        self.out.append(dict(timestamp=iso(self.now), type=type_, payload=payload))

    def ev(self, type_, **more):
        self.rec("event_msg", dict(type=type_, **more))

    def item(self, type_, **more):
        self.rec("response_item", dict(type=type_, **more))

    def tokens(self, chars):
        r = self.r
        o = int(chars / 3.6) + r.randrange(20, 120)
        rs = r.randrange(10, 200)
        last = [self.ctx, int(self.ctx * .85), o, rs]
        self.total = [a + b for a, b in zip(self.total, last)]
        names = ("input_tokens", "cached_input_tokens", "output_tokens", "reasoning_output_tokens")
        mk = lambda v: dict(zip(names, v), total_tokens=v[0] + v[2])
        self.ev("token_count", info=dict(total_token_usage=mk(self.total), last_token_usage=mk(last), model_context_window=258400), rate_limits=None)
        self.ctx += o

    def compact(self):
        hist = [dict(type="message", role="user", content=[dict(type="input_text", text=x)]) for x in self.said[-6:]]
        self.rec("compacted", dict(message="", replacement_history=hist))
        self.ev("context_compacted")
        self.ctx = 24000

    def say(self, text, phase="commentary"):
        self.ev("agent_message", message=text, phase=phase)
        self.item("message", role="assistant", content=[dict(type="output_text", text=text)], phase=phase)

    def turn(self, t):
        r = self.r
        self.now += timedelta(seconds=t.gap)
        if t.before == "compact":
            self.compact()
        began = self.now
        self.ev("task_started", turn_id=t.id, started_at=int(self.now.timestamp()), model_context_window=258400, collaboration_mode_kind="default")
        self.rec("turn_context", dict(turn_id=t.id, cwd=self.s.home, approval_policy="never", sandbox_policy=dict(type="danger-full-access"), model=t.model, effort="medium", summary="auto"))
        self.item("message", role="user", content=[dict(type="input_text", text=t.prompt)])
        self.ev("user_message", message=t.prompt, images=[], local_images=[], text_elements=[])
        self.said.append(t.prompt)
        self.ctx += len(t.prompt) // 4
        for i, c in enumerate(t.calls):
            self.now += timedelta(seconds=r.uniform(2, 9))
            if r.random() < .6:
                self.item("reasoning", id="rs_%032x" % r.getrandbits(128), summary=[], encrypted_content="gAAAAAB" + "%x" % r.getrandbits(400))
            if c.say:
                self.say(c.say)
            self.call(t, c)
            if t.mid == i:
                self.compact()
        self.now += timedelta(seconds=r.uniform(2, 9))
        if t.stop:
            self.item("message", role="user", content=[dict(type="input_text", text="<turn_aborted>\nThe user interrupted the previous turn on purpose. Any running unified exec processes may still be running in the background.\n</turn_aborted>")])
            self.ev("turn_aborted", turn_id=t.id, reason="interrupted", completed_at=int(self.now.timestamp()), duration_ms=int((self.now - began).total_seconds() * 1000))
            return
        self.say(t.answer, "final_answer")
        self.tokens(len(t.answer))
        self.ev("task_complete", turn_id=t.id, last_agent_message=t.answer, completed_at=int(self.now.timestamp()), duration_ms=int((self.now - began).total_seconds() * 1000))

    def call(self, t, c):
        rr = random.Random(c.id)
        cid = "call_" + c.id[-18:]
        p, op, fail = c.p, c.op, c.fail
        aborted = isinstance(fail, tuple)
        if op == "edit":
            at, old, new = self.do_edit(c, rr)
            path = p["path"]
            bad = isinstance(fail, int)
            shown = old + "  " + rr.choice(W.WORDS) if bad else old
            patch = f"*** Begin Patch\n*** Update File: {path}\n@@\n-{shown}\n" + "\n".join("+" + x for x in new.split("\n")) + "\n*** End Patch\n"
            self.item("custom_tool_call", id="ctc_%032x" % self.r.getrandbits(128), status="completed", call_id=cid, name="apply_patch", input=patch)
            self.now += timedelta(seconds=.3)
            if aborted:
                text = "aborted by user"
            elif bad:
                text = f"apply_patch verification failed: Failed to find expected lines in {self.s.home}/{path}:\n{shown}"
            else:
                self.ev("patch_apply_end", call_id=cid, turn_id=t.id, stdout=f"Success. Updated the following files:\nM {path}\n", stderr="", success=True, changes={f"{self.s.home}/{path}": dict(type="update", unified_diff=f"@@ -{at + 1} +{at + 1} @@\n-{old}\n+" + new.replace("\n", "\n+"), move_path=None)}, status="completed")
                text = f"Exit code: 0\nWall time: 0.{rr.randrange(9)} seconds\nOutput:\nSuccess. Updated the following files:\nM {path}\n"
            self.item("custom_tool_call_output", call_id=cid, output=text)
            self.tokens(len(patch))
            self.ctx += len(text) // 4
            return
        code, out = 0, ""
        if op == "read":
            have = self.lines(p["path"])
            a, b = p["off"], p["off"] + p["lim"] - 1
            path = p["path"]
            if isinstance(fail, int):
                path = self.bad_path(path, rr)
            m = p.get("means")
            if m == "cat":
                cmd, a, b = f"cat {path}", 1, len(have)
            elif m == "nl":
                cmd = f"nl -ba {path} | sed -n '{a},{b}p'"
            elif m == "git":
                cmd, a, b = f"git show HEAD:{path} | head -{max(40, p['lim'])}", 1, max(40, p["lim"])
            elif m == "dot":
                cmd = f"sed -n '{a},{b}p' ./{path}"
            elif m == "grep":
                cmd, a, b = f"rg -n '' {path}", 1, len(have)
            else:
                cmd = f"sed -n '{a},{max(b, 200) if a == 1 else b}p' {path}"
            out = "\n".join(("%6d\t%s" % (a + i, l)) if m == "nl" else (f"{a + i}:{l}" if m == "grep" else l) for i, l in enumerate(have[a - 1:b]))
            if isinstance(fail, int):
                tool = cmd.split()[0]
                code, out = (128, f"fatal: path '{path}' does not exist in 'HEAD'") if tool == "git" else (2, f"{tool}: can't read {path}: No such file or directory")
        elif op == "grep":
            cmd = f"rg -n \"{p['q']}\" {os.path.dirname(p['path'])}"
            hits = [f"{p['path']}:{rr.randrange(1, 200)}:{W.code_line(p['path'], rr, 0)}" for _ in range(rr.randrange(0, 6))]
            out = "\n".join(hits)
            code = 0 if hits else 1
            if isinstance(fail, int):
                cmd = f"rg -n \"{p['q']}(\" {os.path.dirname(p['path'])}"
                code, out = 2, f"rg: regex parse error:\n    (?:{p['q']}()\n    ^\nerror: unclosed group"
        else:
            cmd = p.get("cmd") or f"git checkout -- {p['path']}"
            if isinstance(fail, int):
                cmd, code, out = self.shell_bad(cmd, rr)
            elif fail == "retired":
                code, out = 1, f"error: {p['fallout']}: no longer available"
            elif p.get("red"):
                code, out = 1, self.red_out(cmd, rr)
            else:
                out = self.green_out(cmd, rr) if op == "run" else "" if op == "revert" else self.shell_out(cmd, rr)
        args = dumps(dict(cmd=cmd, workdir=self.s.home, yield_time_ms=10000 if op == "run" else 1000, max_output_tokens=12000))
        self.item("function_call", id="fc_%032x" % self.r.getrandbits(128), name="exec_command", arguments=args, call_id=cid)
        self.now += timedelta(seconds=c.dt * (4 if p.get("wait") else 1))
        if aborted:
            text = f"aborted by user after {c.dt:.1f}s"
        else:
            text = f"Chunk ID: {rr.getrandbits(24):06x}\nWall time: {c.dt:.4f} seconds\nProcess exited with code {code}\nOriginal token count: {len(out) // 4}\nOutput:\n{out}\n"
        self.item("function_call_output", call_id=cid, output=text)
        self.tokens(len(args))
        self.ctx += len(text) // 4


class Generic(Writer):
    """One record per message; names as in an in-house log: thread_id, actor, text, created_at."""

    def all(self):
        self.file = open(os.path.join(self.folder, "trace.jsonl"), "w")
        super().all()
        self.file.close()

    def rec(self, **d):
        self.file.write(dumps(dict(thread_id=self.s.id, **d, created_at=iso(self.now))) + "\n")

    def session(self, s):
        self.s = s
        r = self.r
        self.now = s.start
        self.ctx = 9000
        for t in s.turns:
            self.now += timedelta(seconds=t.gap)
            if t.before == "compact":
                self.rec(event="compaction")
                self.ctx = 11000
            elif t.before == "clear":
                self.rec(event="clear")
                self.ctx = 9000
            elif t.before == "model":
                self.rec(event="model_change", model=t.model)
            self.rec(actor="user", text=t.prompt, id=t.id)
            self.ctx += len(t.prompt) // 4
            i = 0
            while i < len(t.calls):
                k = 2 if i + 1 < len(t.calls) and ClaudeCode.plain(t.calls[i]) and ClaudeCode.plain(t.calls[i + 1]) and not t.calls[i + 1].say and t.mid != i and r.random() < .25 else 1
                calls = [self.call(c) for c in t.calls[i:i + k]]
                self.now += timedelta(seconds=sum(c.dt for c in t.calls[i:i + k]) + r.uniform(1, 5))
                size = sum(len(dumps(c["arguments"])) for c in calls)
                self.rec(actor="assistant", text=t.calls[i].say, tool_calls=calls, model=t.model, usage=dict(input_tokens=self.ctx, output_tokens=int(size / 3.6) + r.randrange(20, 160)))
                self.ctx += sum(len(dumps(c["result"])) for c in calls) // 4
                if t.mid is not None and i <= t.mid < i + k:
                    self.rec(event="compaction")
                    self.ctx = 11000
                i += k
            self.now += timedelta(seconds=r.uniform(2, 9))
            self.rec(actor="assistant", text=t.answer, model=t.model, usage=dict(input_tokens=self.ctx, output_tokens=len(t.answer) // 4 + r.randrange(10, 40)))

    def call(self, c):
        rr = random.Random(c.id)
        p, op, fail = c.p, c.op, c.fail
        d = dict(id="c-" + c.id[-18:])
        err, code = None, None
        if op == "tool":
            name, args, res, err = self.tool_call(c, rr)
        elif op == "read":
            have = self.lines(p["path"])
            name, args = "file_view", dict(path=p["path"], lines={"from": p["off"], "to": min(len(have), p["off"] + p["lim"] - 1)})
            res = "\n".join(have[p["off"] - 1:p["off"] - 1 + p["lim"]])
            if isinstance(fail, int):
                args["path"] = self.bad_path(p["path"], rr)
                res, err = None, f"no such file: {args['path']}"
        elif op == "edit":
            at, old, new = self.do_edit(c, rr)
            name, args, res = "file_patch", dict(path=p["path"], ops=[{"replace": old, "with": new}]), dict(applied=1, at=at + 1)
            if isinstance(fail, int):
                args["ops"][0]["replace"] = old + " " + rr.choice(W.WORDS)
                res, err = None, "text to replace does not occur in the file"
        elif op in ("grep", "symbol"):
            name, args = "text_search", dict(query=p["q"], under=os.path.dirname(p["path"]))
            res = [dict(path=p["path"], line=rr.randrange(1, 200), text=W.code_line(p["path"], rr, 0)) for _ in range(rr.randrange(0, 6))]
            if isinstance(fail, int):
                args["query"] += "("
                res, err = None, "bad pattern: unclosed group"
        else:
            cmd = p.get("cmd") or f"git checkout -- {p['path']}"
            code = 0
            if isinstance(fail, int):
                cmd, code, err = self.shell_bad(cmd, rr)
                res = err
            elif fail == "retired":
                code, err = 1, f"error: {p['fallout']}: no longer available"
                res = err
            elif p.get("red"):
                code, res = 1, self.red_out(cmd, rr)
                err = "exit status 1"
            else:
                res = self.green_out(cmd, rr) if op == "run" else self.shell_out(cmd, rr)
            name, args = "term", dict(line=cmd, cwd=self.s.home)
        d.update(name=name, arguments=args, result=res, success=err is None)
        if err:
            d["error"] = err
        if code is not None:
            d["exit_code"] = code
        return d
