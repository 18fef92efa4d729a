"""The three formats: Claude Code session files, Codex rollouts, generic trace."""

import json
import os
import random
import time

if __package__:
    from . import t5_worlds as W
else:
    import t5_worlds as W

REJECTED = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed."
SUMMARY = "This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.\n\nSummary:\n1. Primary request: {p}\n2. Files and records touched: {f}\n3. Pending: continue with the last request."
THOUGHTS = ["The user wants this changed in one place only. I will start with the part that is named and go on from there.", "Before I change anything I should know who depends on it.", "This looks like the usual pattern here; the change can stay small.", "I have what I need for the next step."]
dump = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def write(life, folder):
    dict(claude_code=Claude, codex=Codex, generic=Generic)[life.form](life, folder).run()


def iso(t):
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(t)) + f".{int(t % 1 * 1000):03d}Z"


class Writer:
    """Clock, ids, contents; one subclass per format."""

    def __init__(self, life, folder):
        self.life, self.folder = life, folder
        self.rng = random.Random(f"t5/out/{life.kind}/{life.seed}/{life.form}")
        self.src = W.Sources(life.key, life.seed) if life.agent == "code" else None
        self.noise = "".join(self.rng.choices("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", k=4000))
        self.records = {}
        self.server = life.world.get("server", "jobs")

    def uuid(self):
        h = f"{self.rng.getrandbits(128):032x}"
        return f"{h[:8]}-{h[8:12]}-4{h[13:16]}-9{h[17:20]}-{h[20:]}"

    def tick(self, lo=1.5, hi=14.0):
        self.now += self.rng.uniform(lo, hi)
        return iso(self.now)

    def run(self):
        for s in self.life.sessions:
            self.now, self.lines, self.s, self.ctx = s.start, [], s, 14000
            self.begin(s)
            for k, turn in enumerate(s.turns):
                if k:
                    self.tick(25, 420)
                self.turn(turn)
            self.end(s)

    def groups(self, turn):
        out = []
        for st in turn.steps:
            if st.op == "compact" or not out or out[-1][0].op == "compact" or not st.with_last or st.bad or out[-1][-1].bad:
                out.append([st])
            else:
                out[-1].append(st)
        return out

    # ---- contents

    def file_text(self, a, numbered):
        lines = self.src.get(a["path"], a.get("total") or 80)
        start = a["start"] or 1
        part = lines[start - 1: start - 1 + a["n"]] if a["n"] else lines
        if numbered:
            return "\n".join([f"{i:6d}→{x}" for i, x in enumerate(part, start)]), part
        return "\n".join(part), part

    def desk_result(self, res):
        if isinstance(res, tuple):
            if res[0] == "record":
                return self.record(res[1], res[2])
            return dict(count=len(res[1]), results=[dict(id=x, name=self.life.by_id[x]["name"]) for x in res[1]])
        return {k: v for k, v in res.items() if v is not None}

    def record(self, x, v):
        if (x, v) not in self.records:
            r, w = random.Random(f"{self.life.seed}/{x}/{v}"), self.life.world
            self.records[x, v] = dict(id=x, name=self.life.by_id[x]["name"], revision=v + 3, **{f: r.choice(["confirmed", "open", "to follow", str(r.randint(3, 400)), "see note"]) for f in w["fields"]},
                                      log=[f"2026-0{r.randint(1, 6)}-{r.randint(10, 28)} {r.choice(w['fields'])} {r.choice(['checked', 'changed', 'asked', 'confirmed'])}" for _ in range(r.randint(2, 6))])
        return self.records[x, v]

    def change(self, st):
        """Old and new text of an edit; the file changes only if the edit went through."""
        path = st.a["path"]
        if st.bad:
            lines = self.src.get(path, st.a["total"])
            i = self.rng.randrange(len(lines) - 1)
            return lines[i] + "  // " + self.rng.choice(W.IDENT), self.src.line(self.rng)
        return self.src.edit(path, st.a["total"])

    def search_text(self, a):
        return "\n".join(f"{p}:{n}:{self.src.get(p, 80)[n % 30]}" for p, n in a["hits"]) or "No matches found"

    def new_text(self, path):
        return "\n".join(self.src.get(path, 30))

    def summary(self):
        prompts = [t.prompt for t in self.s.turns[:6]]
        return SUMMARY.format(p=" / ".join(prompts)[:500], f=", ".join(self.s.order[:6]))


# --------------------------------------------------------------------------- Claude Code

class Claude(Writer):
    def begin(self, s):
        self.parent = None
        self.model = s.model0
        project = s.cwd.replace("/", "-").replace(".", "-")
        self.path = os.path.join(self.folder, project, s.id + ".jsonl")
        self.env = dict(isSidechain=False, userType="external", cwd=s.cwd, sessionId=s.id, version=s.version, gitBranch=self.rng.choice(["main", "main", "fix/small-things", "next"]))
        if s.dialect >= 2:
            u = self.uuid()
            self.put(dict(type="progress", data=dict(type="hook_progress", hookEvent="SessionStart", hookName="SessionStart:startup", command="scripts/hello.sh"), toolUseID=u, parentToolUseID=u))
        if s.dialect >= 3:
            self.lines.append(dump(dict(type="mode", mode="normal", sessionId=s.id)))

    def put(self, fields, uuid=None, parent=True):
        u = uuid or self.uuid()
        self.lines.append(dump({"parentUuid": self.parent if parent else None, **self.env, **fields, "uuid": u, "timestamp": self.tick(0.1, 1.2)}))
        self.parent = u
        return u

    def user(self, content, **kw):
        return self.put(dict(type="user", message=dict(role="user", content=content), **kw))

    def end(self, s):
        if s.dialect >= 3:
            self.lines.append(dump(dict(type="last-prompt", lastPrompt=s.turns[-1].prompt[:80], sessionId=s.id)))
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        with open(self.path, "w") as f:
            f.write("\n".join(self.lines) + "\n")

    def compact(self):
        last = self.parent
        self.tick(20, 60)
        self.put(dict(logicalParentUuid=last, type="system", subtype="compact_boundary", content="Conversation compacted", isMeta=False, level="info", compactMetadata=dict(trigger="auto", preTokens=self.ctx + 90000)), parent=False)
        self.user(self.summary(), isVisibleInTranscriptOnly=True, isCompactSummary=True)
        self.ctx = 17000

    def turn(self, turn):
        for ev, model in turn.before:
            if ev == "compact":
                self.compact()
            else:
                name = ev
                self.user(f"<command-name>/{name}</command-name>\n            <command-message>{name}</command-message>\n            <command-args></command-args>")
                done = f"Set model to \x1b[1m{model}\x1b[22m" if ev == "model" else ""
                self.user(f"<local-command-stdout>{done}</local-command-stdout>")
                self.model = model
                if ev == "clear":
                    self.ctx = 14000
        tid = self.uuid()
        if self.s.dialect >= 1:
            self.lines.append(dump(dict(type="file-history-snapshot", messageId=tid, snapshot=dict(messageId=tid, trackedFileBackups={}, timestamp=iso(self.now)), isSnapshotUpdate=False)))
        self.put(dict(type="user", message=dict(role="user", content=turn.prompt), promptId=turn.id), uuid=tid)
        self.ctx += len(turn.prompt) // 4
        groups = self.groups(turn)
        for g in groups:
            if g[0].op == "compact":
                self.compact()
            else:
                self.group(g, turn.stopped and g is groups[-1] and self.rng.random() < 0.6)
        if turn.stopped:
            self.user([dict(type="text", text="[Request interrupted by user]" if self.rng.random() < 0.5 else "[Request interrupted by user for tool use]")])
        else:
            self.say([dict(type="text", text=turn.answer)], "end_turn")

    def say(self, blocks, stop):
        """One message, one line per block, the usage repeated on each."""
        size = sum(len(b.get("text") or b.get("thinking") or "") + (len(repr(b["input"])) if "input" in b else 0) for b in blocks)
        real = 8 + size // 4
        m, req, self.ctx = "msg_01" + self.uuid().replace("-", "")[:22], "req_011" + self.uuid()[:18], self.ctx + real
        fresh = self.rng.randint(200, 900)
        out = []
        self.tick()
        for k, b in enumerate(blocks):
            tokens = self.rng.randint(1, 5) if self.s.dialect < 2 else real if k == len(blocks) - 1 else min(real, 3 + k)
            usage = dict(input_tokens=self.rng.randint(3, 12), cache_creation_input_tokens=fresh, cache_read_input_tokens=self.ctx, output_tokens=tokens, service_tier="standard")
            out.append(self.put(dict(message=dict(model=self.model, id=m, type="message", role="assistant", content=[b], stop_reason=stop if self.s.dialect >= 2 and k == len(blocks) - 1 else None, stop_sequence=None, usage=usage), requestId=req, type="assistant")))
        return out

    def group(self, g, cut):
        blocks = []
        if self.rng.random() < 0.25:
            text = self.rng.choice(THOUGHTS)
            at = self.rng.randrange(3000)
            blocks.append(dict(type="thinking", thinking=text, signature=self.noise[at: at + 120 + 3 * len(text)] + "=="))
        if g[0].say:
            blocks.append(dict(type="text", text=g[0].say))
        first = len(blocks)
        shown = [self.tool(st) for st in g]
        blocks += [dict(type="tool_use", id="toolu_01" + st.id, name=name, input=args) for st, (name, args, *_) in zip(g, shown)]
        uuids = self.say(blocks, "tool_use")[first:]
        for st, (name, args, text, extra, bad), source in zip(g, shown, uuids):
            if cut and st is g[-1]:
                text, extra, bad = "[Request interrupted by user for tool use]", "Error: [Request interrupted by user for tool use]", True
            block = dict(tool_use_id="toolu_01" + st.id, type="tool_result", content=text)
            if bad:
                block["is_error"] = True
            elif name == "Bash":
                block["is_error"] = False
            self.tick(0.1, 4)
            self.user([block], toolUseResult=extra, sourceToolAssistantUUID=source)
            self.ctx += len(text) // 4

    def wrap(self, text):
        return f"<tool_use_error>{text}</tool_use_error>" if self.s.dialect >= 1 else text

    def tool(self, st):
        """name, input, result text, toolUseResult, failed"""
        a, op, full = st.a, st.op, lambda p: self.s.cwd + "/" + p
        name = args = text = extra = None
        if op == "read" and not a.get("shell"):
            name, args = "Read", dict(file_path=full(a["path"]))
            if a["start"]:
                args.update(offset=a["start"], limit=a["n"])
            if not st.bad:
                text, part = self.file_text(a, True)
                extra = dict(type="text", file=dict(filePath=full(a["path"]), content="\n".join(part), numLines=len(part), startLine=a["start"] or 1, totalLines=a["total"]))
        elif op == "read":
            cmd = f"sed -n '{a['start']},{a['start'] + a['n'] - 1}p' {a['path']}" if a["start"] else f"cat {a['path']}"
            name, args = "Bash", dict(command=cmd, description="Show the file")
            if not st.bad:
                text = self.file_text(a, False)[0]
        elif op == "search" and a.get("symbol"):
            name, args, text = "mcp__symbols__lookup", dict(symbol=a["pattern"], scope=a["area"] or "all"), dump([dict(file=p, line=n) for p, n in a["hits"]])
            extra = text
        elif op == "search":
            name, args, text = "Grep", dict(pattern=a["pattern"], output_mode="content"), self.search_text(a)
            if a["dir"]:
                args["path"] = full(a["dir"])
            extra = dict(mode="content", numFiles=len(a["hits"]), content=text)
        elif op == "glob":
            name, args, text = "Glob", dict(pattern=f"**/{a['area']}/*{a['stem']}*"), "\n".join(a["hits"]) or "No files found"
            extra = dict(filenames=a["hits"], numFiles=len(a["hits"]), truncated=False)
        elif op == "edit":
            old, new = self.change(st)
            name, args = "Edit", dict(file_path=full(a["path"]), old_string=old, new_string=new, replace_all=False)
            text, extra = f"The file {full(a['path'])} has been updated successfully.", dict(filePath=full(a["path"]), oldString=old, newString=new, userModified=False)
        elif op == "write":
            name, args = "Write", dict(file_path=full(a["path"]), content=self.new_text(a["path"]))
            text, extra = f"File created successfully at: {full(a['path'])}", dict(type="create", filePath=full(a["path"]))
        elif op == "sh":
            name, args, text = "Bash", dict(command=a["cmd"], description=self.rng.choice(["Run it", "Check the state", "Run the command"])), a["out"]
        elif op == "todo":
            name, args = "TodoWrite", dict(todos=[dict(content=x, status="pending" if k else "in_progress", activeForm=x) for k, x in enumerate(a["items"])])
            text = "Todos have been modified successfully. Ensure that you continue to use the todo list to track your progress."
            extra = dict(oldTodos=[], newTodos=args["todos"])
        elif op == "ask":
            options = [dict(label=a["answer"], description=""), dict(label="something else", description="")]
            name, args = "AskUserQuestion", dict(questions=[dict(question=a["q"], header=a["header"], multiSelect=False, options=options)])
            text, extra = f'User has answered your questions: "{a["q"]}"="{a["answer"]}". You can now continue with the user\'s answers in mind.', dict(questions=args["questions"], answers={a["q"]: a["answer"]})
        else:
            name, args, text = f"mcp__{self.server}__{a['tool']}", a["args"], dump(self.desk_result(a["res"]))
            extra = [dict(type="text", text=text)]
        if name == "Bash" and not st.bad:
            extra = dict(stdout=text, stderr="", interrupted=False, isImage=False)
        if st.bad:
            text = self.failure(st, name, args)
            extra = "Error: " + text
            if st.bad == "rejected":
                extra = "User rejected tool use"
        return name, args, text, extra, bool(st.bad)

    def failure(self, st, name, args):
        if st.bad == "rejected":
            return REJECTED
        if st.bad == "timeout":
            return st.msg if name == "Bash" else "MCP error -32001: Request timed out" if name.startswith("mcp") else "Operation timed out"
        if name == "Bash":
            return f"Exit code {1 if st.bad in ('red', 'nofile') else 2}\n" + (f"cat: {st.msg}: No such file or directory" if st.bad == "nofile" else st.msg)
        if st.bad == "nofile":
            return self.wrap("File does not exist.")
        if st.bad == "refused":
            return self.wrap("File has not been read yet. Read it first before writing to it." if st.msg == "unread" else f"String to replace not found in file.\nString: {args.get('old_string', '')}")
        if st.bad == "tool":
            return "MCP error -32602: " + st.msg
        return st.msg


# --------------------------------------------------------------------------- Codex

class Codex(Writer):
    def put(self, kind, payload):
        self.lines.append(dump(dict(timestamp=self.tick(0.02, 0.4), type=kind, payload=payload)))

    def begin(self, s):
        self.total = dict(input_tokens=0, cached_input_tokens=0, output_tokens=0, reasoning_output_tokens=0, total_tokens=0)
        stamp = time.strftime("%Y-%m-%dT%H-%M-%S", time.gmtime(s.start))
        self.path = os.path.join(self.folder, *stamp[:10].split("-"), f"rollout-{stamp}-{s.id}.jsonl")
        self.model = s.model0
        self.put("session_meta", dict(id=s.id, timestamp=iso(s.start), cwd=s.cwd, originator="codex_cli_rs", cli_version=s.version, source="cli", model_provider="openai", instructions=None, git=dict(branch="main")))

    def end(self, s):
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        with open(self.path, "w") as f:
            f.write("\n".join(self.lines) + "\n")

    def compact(self):
        self.tick(15, 40)
        kept = [dict(type="message", role="user", content=[dict(type="input_text", text=t.prompt)]) for t in self.s.turns[:4]]
        self.put("compacted", dict(message=self.summary(), replacement_history=kept))
        self.put("event_msg", dict(type="context_compacted"))
        self.ctx = 17000

    def turn(self, turn):
        for ev, model in turn.before:
            if ev == "compact":
                self.compact()
            elif ev == "model":
                self.model = model
        self.put("event_msg", dict(type="task_started", turn_id=turn.id, model_context_window=258400))
        self.put("turn_context", dict(turn_id=turn.id, cwd=self.s.cwd, approval_policy="on-request", sandbox_policy=dict(type="workspace-write"), model=self.model, effort="medium", summary="auto"))
        self.put("response_item", dict(type="message", role="user", content=[dict(type="input_text", text=turn.prompt)]))
        self.put("event_msg", dict(type="user_message", message=turn.prompt, images=[]))
        self.ctx += len(turn.prompt) // 4
        groups = self.groups(turn)
        for g in groups:
            if g[0].op == "compact":
                self.compact()
            else:
                self.group(g, turn.stopped and g is groups[-1] and self.rng.random() < 0.6)
        if turn.stopped:
            self.put("response_item", dict(type="message", role="developer", content=[dict(type="input_text", text="<turn_aborted>\nThe previous turn was interrupted on purpose. Any running unified exec processes may still be running in the background. If any tools/commands were aborted, they may have partially executed.\n</turn_aborted>")]))
            self.put("event_msg", dict(type="turn_aborted", turn_id=turn.id, reason="interrupted"))
        else:
            self.text(turn.answer, "final")
            self.count(len(turn.answer))
            self.put("event_msg", dict(type="task_complete", turn_id=turn.id, last_agent_message=turn.answer))

    def text(self, text, phase):
        self.tick()
        self.put("event_msg", dict(type="agent_message", message=text, phase=phase))
        self.put("response_item", dict(type="message", role="assistant", content=[dict(type="output_text", text=text)], phase=phase))

    def count(self, chars):
        new = dict(input_tokens=self.ctx, cached_input_tokens=int(self.ctx * 0.9), output_tokens=8 + chars // 4, reasoning_output_tokens=self.rng.randint(0, 120), total_tokens=0)
        new["output_tokens"] += new["reasoning_output_tokens"]
        new["total_tokens"] = new["input_tokens"] + new["output_tokens"]
        for k in new:
            self.total[k] += new[k]
        self.ctx += new["output_tokens"]
        self.put("event_msg", dict(type="token_count", info=dict(total_token_usage=dict(self.total), last_token_usage=new, model_context_window=258400)))

    def group(self, g, cut):
        if self.rng.random() < 0.4:
            at = self.rng.randrange(3000)
            self.put("response_item", dict(type="reasoning", summary=[], encrypted_content=self.noise[at: at + self.rng.randint(150, 500)]))
        if g[0].say:
            self.text(g[0].say, "commentary")
        results, size = [], 0
        for st in g:
            name, args, text, code = self.tool(st)
            call = "call_" + st.id
            self.tick(0.5, 6)
            if name == "apply_patch":
                self.put("response_item", dict(type="custom_tool_call", status="completed", call_id=call, name=name, input=args))
                kind = "custom_tool_call_output"
            else:
                self.put("response_item", dict(type="function_call", name=name, arguments=dump(args), call_id=call))
                kind = "function_call_output"
            size += len(text) // 8
            results.append((kind, call, "aborted by user after 7.2s" if cut and st is g[-1] else text))
        for kind, call, text in results:
            self.tick(0.1, 5)
            self.put("response_item", dict(type=kind, call_id=call, output=text))
            self.ctx += len(text) // 4
        self.count(size)

    def tool(self, st):
        """name, arguments, output, code"""
        a, op = st.a, st.op
        if op in ("edit", "write"):
            path = self.s.cwd + "/" + a["path"]
            if op == "edit":
                old, new = self.change(st)
                patch = f"*** Begin Patch\n*** Update File: {path}\n@@\n" + "\n".join("-" + x for x in old.split("\n")) + "\n" + "\n".join("+" + x for x in new.split("\n")) + "\n*** End Patch"
            else:
                old = ""
                patch = f"*** Begin Patch\n*** Add File: {path}\n" + "\n".join("+" + x for x in self.new_text(a["path"]).split("\n")) + "\n*** End Patch"
            if st.bad == "rejected":
                return "apply_patch", patch, "patch rejected by user", 1
            if st.bad == "timeout":
                return "apply_patch", patch, "Exit code: 124\nWall time: 120.0 seconds\nOutput:\ncommand timed out", 124
            if st.bad:
                return "apply_patch", patch, f"apply_patch verification failed: Failed to find expected lines in {path}:\n{old}", 1
            return "apply_patch", patch, f"Exit code: 0\nWall time: 0.1 seconds\nOutput:\nSuccess. Updated the following files:\n{'A' if op == 'write' else 'M'} {path}\n", 0
        if op == "todo":
            return "update_plan", dict(plan=[dict(step=x, status="pending" if k else "in_progress") for k, x in enumerate(a["items"])]), "Plan updated", 0
        if op == "tool":
            return f"{self.server}__{a['tool']}", a["args"], ("error: " + st.msg) if st.bad else dump(self.desk_result(a["res"])), 0
        if op == "ask":
            return "request_user_input", dict(questions=[dict(id="q", question=a["q"])]), dump(dict(answers=dict(q=a["answer"]))), 0
        if op == "read":
            start = a["start"] or 1
            cmd = f"cat {a['path']}" if a.get("shell") and not a["start"] else f"sed -n '{start},{start + (a['n'] or 260) - 1}p' {a['path']}"
            text = "" if st.bad else self.file_text(a, False)[0]
            msg = f"sed: {a['path']}: No such file or directory"
        elif op == "search":
            cmd = f"rg -n \"{a['pattern']}\"" + (" " + a["dir"] if a["dir"] else "")
            text, msg = self.search_text(a), st.msg
        elif op == "glob":
            cmd, text, msg = f"rg --files -g '**/{a['area']}/*{a['stem']}*'", "\n".join(a["hits"]), st.msg
        else:
            cmd, text, msg = a["cmd"], a["out"], st.msg
        code = 0 if not st.bad else 124 if st.bad == "timeout" else 1 if st.bad == "red" else 2
        body = msg if st.bad else text
        out = f"Chunk ID: {self.rng.getrandbits(24):06x}\nWall time: {self.rng.uniform(0, 3):.4f} seconds\nProcess exited with code {code}\nOriginal token count: {len(body) // 4}\nOutput:\n{body}\n"
        return "exec_command", dict(cmd=cmd, workdir=self.s.cwd, yield_time_ms=10000), out, code


# --------------------------------------------------------------------------- generic

class Generic(Writer):
    def run(self):
        self.all, self.last = [], None
        super().run()
        with open(os.path.join(self.folder, "trace.jsonl"), "w") as f:
            f.write("\n".join(self.all) + "\n")

    def put(self, **fields):
        self.lines.append(dump({"session_id": self.s.id, **fields, "timestamp": self.tick(0.1, 1.5)}))

    def begin(self, s):
        self.model = s.model0
        if self.last and self.last[0] != s.version:
            self.put(event="client_change", content=f"client {s.version}")
        if self.last and self.last[1] != s.model0:
            self.put(event="model_change", model=s.model0)
        self.last = (s.version, s.model0)

    def end(self, s):
        self.last = (s.version, self.model)
        self.all += self.lines

    def turn(self, turn):
        for ev, model in turn.before:
            self.event(ev, model)
        self.put(role="user", content=turn.prompt, id=turn.id)
        self.ctx += len(turn.prompt) // 4
        groups = self.groups(turn)
        for g in groups:
            if g[0].op == "compact":
                self.event("compact", None)
                continue
            calls = [self.tool(st) for st in g]
            if turn.stopped and g is groups[-1]:
                calls[-1].update(success=False, error="cancelled by the user", error_kind="cancelled")
                calls[-1].pop("result", None)
            text = g[0].say or ""
            self.tick(2, 16)
            out = 10 + (len(text) + sum(len(repr(c["args"])) for c in calls)) // 4
            self.put(role="assistant", content=text, tool_calls=calls, model=self.model, input_tokens=self.ctx, output_tokens=out)
            self.ctx += out + sum(len(str(c.get("result", ""))) for c in calls) // 4
        if not turn.stopped:
            self.tick(2, 9)
            self.put(role="assistant", content=turn.answer, model=self.model, input_tokens=self.ctx, output_tokens=6 + len(turn.answer) // 4)

    def event(self, ev, model):
        if ev == "compact":
            self.put(event="compaction", content=self.summary()[:900])
            self.ctx = 17000
        elif ev == "clear":
            self.put(event="clear")
            self.ctx = 14000
        else:
            self.model = model
            self.put(event="model_change", model=model)

    def tool(self, st):
        a, op, text = st.a, st.op, None
        if op == "read":
            name, args = "read_file", dict(path=a["path"])
            if a["start"]:
                args.update(start_line=a["start"], end_line=a["start"] + a["n"] - 1)
            text = None if st.bad else self.file_text(a, False)[0]
        elif op == "search":
            name, args, text = "search_code", dict(query=a["pattern"], within=a["dir"] or "."), self.search_text(a)
        elif op == "glob":
            name, args, text = "find_files", dict(pattern=f"**/{a['area']}/*{a['stem']}*"), "\n".join(a["hits"])
        elif op == "edit":
            old, new = self.change(st)
            name, args, text = "replace_in_file", dict(path=a["path"], old=old, new=new), "1 replacement"
        elif op == "write":
            name, args, text = "create_file", dict(path=a["path"], content=self.new_text(a["path"])), "created"
        elif op == "sh":
            name, args, text = "run", dict(command=a["cmd"]), a["out"]
        elif op == "todo":
            name, args, text = "set_plan", dict(steps=a["items"]), "ok"
        elif op == "ask":
            name, args, text = "ask_user", dict(question=a["q"]), a["answer"]
        else:
            name, args, text = a["tool"], a["args"], self.desk_result(a["res"])
        call = dict(id=st.id, name=name, args=args)
        if not st.bad:
            call.update(result=text, success=True)
        else:
            msg = dict(nofile=f"no such file: {a.get('path')}", rejected="rejected by the user", timeout="timed out after 120 s").get(st.bad) or (("file was not read before" if st.msg == "unread" else "old text not found in file") if st.bad == "refused" else st.msg)
            call.update(success=False, error=msg)
            if name == "run":
                call["exit_code"] = 124 if st.bad == "timeout" else 1 if st.bad == "red" else 2
            if st.bad in ("rejected", "refused"):
                call["error_kind"] = st.bad
        return call
