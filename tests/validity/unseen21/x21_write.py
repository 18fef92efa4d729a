"""The two writers: the same acts of an agent as lines of Claude Code or of Codex transcripts."""
import base64
import json
from datetime import datetime, timezone

encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
ALNUM = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz123456789"
REJECTED = ("The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was "
            "NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed.")


def stamp(t):
    return datetime.fromtimestamp(t, timezone.utc).isoformat(timespec="milliseconds")[:23] + "Z"


def wrong_path(path, rng):
    """A path of that file that does not exist and is no look-alike."""
    head, slash, tail = path.rpartition("/")
    stem, dot, ext = tail.partition(".")
    return rng.choice((f"{head}{slash}core/{tail}", f"lib/{tail}", f"{head}{slash}{stem}_impl{dot}{ext}", f"app/{path}"))


def wrong_folder(path, rng):
    return rng.choice((f"{path}/core", f"lib/{path}", f"app/{path}"))


def shell_slip(cmd, rng, lang):
    """A command gone wrong: what was typed, what came out, the exit code."""
    words = cmd.split()
    program = next((x for x in words if "=" not in x), words[0])
    pick = rng.randrange(6)
    if pick == 0:
        option = rng.choice(("--all-files", "--json-lines", "--no-colour", "--summary-only", "--depth-first"))
        return f"{cmd} {option}", rng.choice((f"{program}: error: unrecognized arguments: {option}", f"error: unknown option '{option}'\nRun '{program} --help' for usage.",
                                              f"unknown flag: {option}")), rng.choice((1, 2, 64))
    if pick == 1:
        other = {"python": "python -m tidewater.tool", "typescript": "npx atelier-tool", "go": "gridctl"}[lang]
        return f"{other} {' '.join(words[1:4])}", (f"/usr/bin/python: No module named tidewater.tool" if lang == "python" else
                                                   f"bash: {other.split()[-1]}: command not found"), 1 if lang == "python" else 127
    if pick == 2:
        place = rng.choice(("backend", "services/core", "src/app", "../tools"))
        return f"cd {place} && {cmd}", f"bash: line 1: cd: {place}: No such file or directory", 1
    if pick == 3:
        return cmd + " | sed 's/(//", "bash: -c: line 1: unexpected EOF while looking for matching `''\nbash: -c: line 2: syntax error: unexpected end of file", 2
    if pick == 4:
        if lang == "python":
            return 'python -c "import yamlx; print(yamlx.load(open(\'x\')))"', "Traceback (most recent call last):\n  File \"<string>\", line 1, in <module>\nModuleNotFoundError: No module named 'yamlx'", 1
        if lang == "typescript":
            return "node -e \"require('glob-x')('*')\"", "node:internal/modules/cjs/loader:1228\n  throw err;\nError: Cannot find module 'glob-x'", 1
        return "go run ./tools/listx", "no required module provides package ./tools/listx; to add it:\n\tgo get ./tools/listx", 1
    return f"cat notes/{rng.randrange(90)}.txt && {cmd}", "cat: notes: No such file or directory", 1


class Writer:
    """What both formats share: the clock, ids and the lines of the open session."""

    def __init__(self, rng, folder, world, person, look):
        self.rng, self.folder, self.world, self.look = rng, folder, world, look
        self.t, self.lines, self.side = 0.0, [], None
        self.settle(person)
        self.version, self.model, self.branch, self.mcp = look["version"], look["model"], "main", False

    def settle(self, person):
        self.person = person
        self.cwd = f"{self.look['home']}/{person[0]}/{self.look['place']}/{self.world['repo']}"

    def uid(self):
        h = f"{self.rng.getrandbits(128):032x}"
        return f"{h[:8]}-{h[8:12]}-4{h[13:16]}-a{h[17:20]}-{h[20:]}"

    def token(self, n=24):
        v, out = self.rng.getrandbits(6 * n), []
        for _ in range(n):
            out.append(ALNUM[v % 56])
            v >>= 6
        return "".join(out)

    def blob(self, n):
        return base64.b64encode(self.rng.randbytes(n)).decode()

    def close(self):
        path = self.folder / self.name
        path.write_text("\n".join(self.lines) + "\n", encoding="utf-8")


class Claude(Writer):
    """Claude Code: one file per session, message parts on lines of their own."""

    def start(self, t, branch, cleared=False):
        self.t, self.branch, self.lines, self.parent = t, branch, [], None
        self.session, self.todos, self.context = self.uid(), [], self.rng.randrange(14000, 22000)
        self.name = f"{self.session}.jsonl"
        r = self.rng
        self.slug = "-".join((r.choice(("quiet", "brisk", "merry", "humble", "tidy")), r.choice(("weaving", "humming", "painting", "drifting")), r.choice(("otter", "finch", "maple", "harbor"))))
        self.new = tuple(map(int, self.version.split("."))) >= (2, 1, 20)
        if cleared:
            self.user("<command-name>/clear</command-name>\n            <command-message>clear</command-message>\n            <command-args></command-args>", plain=True)
            self.user("<local-command-stdout></local-command-stdout>", plain=True)
        elif r.random() < .3:
            self.lines.append(encode({"type": "summary", "summary": r.choice(("Work on the handlers", "Fix and tests", "Staging checks", "Cleanup of the mapper")), "leafUuid": self.uid()}))

    def record(self, kind, extra, parent=True):
        uid = self.uid()
        side = self.side
        d = {"parentUuid": (side["parent"] if side else self.parent) if parent else None, "isSidechain": side is not None, "userType": "external",
             "cwd": self.cwd, "sessionId": self.session, "version": self.version, "gitBranch": self.branch}
        if side:
            d["agentId"] = side["id"]
        if self.new:
            d["slug"] = self.slug
        d["type"] = kind
        d.update(extra)
        d["uuid"], d["timestamp"] = uid, stamp(self.t)
        self.lines.append(encode(d))
        if side:
            side["parent"] = uid
        else:
            self.parent = uid
        return uid

    def user(self, text, plain=False):
        if not plain:
            snap = self.uid()
            self.lines.append(encode({"type": "file-history-snapshot", "messageId": snap, "snapshot": {"messageId": snap, "trackedFileBackups": {}, "timestamp": stamp(self.t)}, "isSnapshotUpdate": False}))
        extra = {"message": {"role": "user", "content": text}}
        if not plain:
            extra["thinkingMetadata"] = {"level": "high", "disabled": False, "triggers": []}
            extra["todos"] = []
        self.record("user", extra)

    def assistant(self, blocks, stop):
        mid, req, r = "msg_01" + self.token(22), "req_011C" + self.token(20), self.rng
        made = r.randrange(90, 2600)
        usage = {"input_tokens": r.randrange(1, 12), "cache_creation_input_tokens": made, "cache_read_input_tokens": self.context,
                 "cache_creation": {"ephemeral_5m_input_tokens": made, "ephemeral_1h_input_tokens": 0}, "output_tokens": 1, "service_tier": "standard"}
        self.context += made
        for i, b in enumerate(blocks):
            last = i == len(blocks) - 1
            u = dict(usage, output_tokens=max(3, len(str(b)) // 4)) if last else usage
            self.record("assistant", {"message": {"model": self.model, "id": mid, "type": "message", "role": "assistant", "content": [b],
                                                  "stop_reason": stop if last else None, "stop_sequence": None, "usage": u}, "requestId": req})
            self.t += r.random() * 1.5

    def think(self, say):
        r, blocks = self.rng, []
        if r.random() < .22:
            blocks.append({"type": "thinking", "thinking": say or "I should check this before going on.", "signature": self.blob(90)})
        if say:
            blocks.append({"type": "text", "text": say})
        return blocks

    def say(self, text):
        self.t += 3 + self.rng.random() * 9
        self.assistant(self.think("") + [{"type": "text", "text": text}], "end_turn")

    def end_turn(self):
        if self.new:
            self.record("system", {"subtype": "turn_duration", "durationMs": self.rng.randrange(9000, 400000), "isMeta": False})

    def tool(self, name, given, say=""):
        tid = "toolu_01" + self.token(22)
        self.t += 2 + self.rng.random() * 7
        self.assistant(self.think(say) + [{"type": "tool_use", "id": tid, "name": name, "input": given}], "tool_use")
        return tid

    def result(self, tid, text, error, full, took=None, wrapped=False):
        self.t += took if took is not None else .1 + self.rng.random()
        block = {"tool_use_id": tid, "type": "tool_result", "content": f"<tool_use_error>{text}</tool_use_error>" if wrapped else text}
        if error:
            block = {"type": "tool_result", "content": block["content"], "is_error": True, "tool_use_id": tid}
        elif error is False:
            block["is_error"] = False
        extra = {"message": {"role": "user", "content": [block]}}
        if error:
            extra["toolUseResult"] = "User rejected tool use" if text is REJECTED else "Error: " + text
        elif full is not None:
            extra["toolUseResult"] = full
        self.record("user", extra)

    def given(self, verb, a):
        full = lambda p: p if p.startswith("/") else f"{self.cwd}/{p}"
        if verb == "read":
            d = {"file_path": full(a[0])}
            return "Read", d if a[1] is None else dict(d, offset=a[1], limit=a[2])
        if verb == "search":
            return "Grep", {"pattern": a[0], "path": full(a[1]), "output_mode": "content", "-n": True}
        if verb == "glob":
            return "Glob", {"pattern": a[0]}
        if verb == "edit":
            return "Edit", {"replace_all": False, "file_path": full(a[0]), "old_string": a[1], "new_string": a[2]}
        if verb == "write":
            return "Write", {"file_path": full(a[0]), "content": a[1]}
        if verb == "shell":
            return "Bash", {"command": a[0], "description": a[1]}
        if verb == "plan":
            return ("TaskCreate", {"subject": a[0], "description": a[0] + " in this repository", "activeForm": a[0]}) if self.new else (
                "TodoWrite", {"todos": [{"content": x, "status": "in_progress" if not i else "pending", "activeForm": x} for i, x in enumerate(a)]})
        if verb == "mcp":
            return a[0], a[1]
        return "Task", {"description": a[0][:40], "prompt": a[0], "subagent_type": "Explore" if self.new else "general-purpose"}

    def call(self, verb, a, out="", code=0, say=""):
        """One tool call that ran; a shell command may end with a code other than 0."""
        name, given = self.given(verb, a)
        tid = self.tool(name, given, say)
        if verb == "read":
            start = a[1] or 1
            form = (lambda i, x: f"{i:>6}→{x}") if not self.new else (lambda i, x: f"{i}\t{x}")
            text = "\n".join([form(i, x) for i, x in enumerate(out, start)])
            self.result(tid, text, None, {"type": "text", "file": {"filePath": given["file_path"], "content": "\n".join(out), "numLines": len(out), "startLine": start, "totalLines": a[3]}})
        elif verb == "shell":
            took = self.look["slow"] * (.3 + self.rng.random() * 4)
            if code:
                self.result(tid, f"Exit code {code}\n{out}", True, None, took)
            else:
                if self.new and self.rng.random() < .1:
                    self.record("progress", {"data": {"type": "bash_progress", "output": "", "fullOutput": "", "elapsedTimeSeconds": 3, "totalLines": 0}, "toolUseID": "bash-progress-0", "parentToolUseID": tid})
                self.result(tid, out, False, {"stdout": out, "stderr": "", "interrupted": False, "isImage": False}, took)
        elif verb == "edit":
            self.result(tid, f"The file {given['file_path']} has been updated successfully.", None, {"filePath": given["file_path"], "oldString": a[1], "newString": a[2], "originalFile": None, "structuredPatch": [], "userModified": False, "replaceAll": False})
        elif verb == "write":
            self.result(tid, f"File created successfully at: {given['file_path']}", None, {"type": "create", "filePath": given["file_path"], "content": a[1], "structuredPatch": [], "originalFile": None})
        elif verb == "search":
            self.result(tid, out, None, {"mode": "content", "numFiles": 0, "filenames": [], "content": out, "numLines": out.count("\n") + 1})
        elif verb == "glob":
            self.result(tid, out, None, {"filenames": out.split("\n"), "durationMs": 21, "numFiles": out.count("\n") + 1, "truncated": False})
        elif verb == "plan":
            self.result(tid, "Task #1 created successfully: " + a[0] if self.new else "Todos have been modified successfully. Ensure that you continue to use the todo list to track your progress.", None, {})
        else:
            self.result(tid, [{"type": "text", "text": out}], None, None)

    def slip(self, verb, a, say=""):
        """The same call gone wrong by the agent's own mistake."""
        r, wrapped = self.rng, True
        if verb == "read":
            a, text = (wrong_path(a[0], r), *a[1:]), "File does not exist."
        elif verb == "edit":
            if r.random() < .3:
                a = (a[0], a[1].split("\n")[-1], a[2])
                text = f"Found 2 matches of the string to replace, but replace_all is false. To replace all occurrences, set replace_all to true.\nString: {a[1]}"
            else:
                bad = a[1].replace("(", " (", 1).replace("limit", "maximum")
                a = (a[0], bad if bad != a[1] else a[1] + "  ", a[2])
                text = f"String to replace not found in file.\nString: {a[1]}"
        elif verb == "write":
            text = "File has not been read yet. Read it first before writing to it."
        elif verb == "search":
            a = (a[0], wrong_folder(a[1], r))
            text = f"Path does not exist: {self.cwd}/{a[1]}"
        elif verb == "shell":
            cmd, out, code = shell_slip(a[0], r, self.world["lang"])
            a, text, wrapped = (cmd, a[1]), f"Exit code {code}\n{out}", False
        elif verb == "task":
            text, wrapped = "Agent type 'explorer' not found. Available agents: general-purpose, statusline-setup, Explore, Plan", False
        else:
            name = self.given(verb, a)[0]
            text = f"InputValidationError: {name} failed due to the following issue:\nThe required parameter `{r.choice(('query', 'status', 'id', 'pattern'))}` is missing"
        name, given = self.given(verb, a)
        if verb == "task":
            given["subagent_type"] = "explorer"
        self.result(self.tool(name, given, say), text, True, None, wrapped=wrapped)

    def task(self, prompt, answer, work):
        """A subagent: its own chain inside the file, then its answer to the main chain."""
        given = self.given("task", (prompt,))[1]
        tid = self.tool("Task", given, "")
        self.side = {"id": f"{self.rng.getrandbits(32):08x}", "parent": None}
        began = self.t
        self.record("user", {"message": {"role": "user", "content": prompt}})
        count = work()
        self.say(answer)
        agent, self.side = self.side["id"], None
        text = [{"type": "text", "text": answer}]
        self.result(tid, text, None, {"status": "completed", "prompt": prompt, "agentId": agent, "content": text, "totalDurationMs": int((self.t - began) * 1000),
                                      "totalTokens": self.rng.randrange(9000, 60000), "totalToolUseCount": count})

    def interrupt(self, verb, a):
        """The user stops the agent, half of the time in the middle of a call; says whether a call was made."""
        if self.rng.random() < .5:
            name, given = self.given(verb, a)
            self.result(self.tool(name, given), REJECTED, True, None, 2 + self.rng.random() * 9)
            self.record("user", {"message": {"role": "user", "content": [{"type": "text", "text": "[Request interrupted by user for tool use]"}]}})
            return True
        self.t += 4
        self.record("user", {"message": {"role": "user", "content": [{"type": "text", "text": "[Request interrupted by user]"}]}})
        return False

    def compact(self, summary, by_hand):
        self.t += 20 + self.rng.random() * 60
        extra = {"logicalParentUuid": self.parent, "subtype": "compact_boundary", "content": "Conversation compacted", "isMeta": False, "level": "info",
                 "compactMetadata": {"trigger": "manual" if by_hand else "auto", "preTokens": self.context + 120000}}
        self.record("system", extra, parent=False)
        self.context = self.rng.randrange(16000, 24000)
        self.record("user", {"isVisibleInTranscriptOnly": True, "isCompactSummary": True, "message": {"role": "user", "content":
                    "This session is being continued from a previous conversation that ran out of context. The conversation is summarized below:\nAnalysis:\n" + summary +
                    "\nPlease continue the conversation from where we left it off without asking the user any further questions."}})


class Codex(Writer):
    """Codex: rollout files; shell for everything, patches for edits."""

    def start(self, t, branch, cleared=False):
        self.t, self.branch, self.lines, self.total = t, branch, [], [0, 0, 0]
        self.session = self.uid()
        self.old = self.look["tools"] == "shell"
        self.said = []
        when = datetime.fromtimestamp(t, timezone.utc).strftime("%Y-%m-%dT%H-%M-%S")
        self.name = f"rollout-{when}-{self.session}.jsonl"
        meta = {"id": self.session, "timestamp": stamp(t), "cwd": self.cwd, "originator": "codex_cli_rs" if self.old else "codex-tui", "cli_version": self.version}
        meta.update({"instructions": None} if self.old else {"source": "cli", "thread_source": "user", "model_provider": "openai", "base_instructions": {"text": "You are Codex, a coding agent based on GPT-5."}})
        meta["git"] = {"commit_hash": f"{self.rng.getrandbits(160):040x}", "branch": branch, "repository_url": f"git@github.com:{self.world['dom'].split('.')[0]}/{self.world['repo']}.git"}
        self.line("session_meta", meta)
        if not self.old:
            self.message("developer", "<permissions instructions>\nFilesystem sandboxing defines which files can be read or written. `sandbox_mode` is `workspace-write`.\n</permissions instructions>")
        if self.look.get("rules"):
            self.message("user", f"# AGENTS.md instructions for {self.cwd}\n\n<INSTRUCTIONS>\n" + "\n".join(self.look["rules"]) + "\n</INSTRUCTIONS>")
        self.message("user", f"<environment_context>\n  <cwd>{self.cwd}</cwd>\n  <approval_policy>on-request</approval_policy>\n  <sandbox_mode>workspace-write</sandbox_mode>\n  <shell>bash</shell>\n</environment_context>")

    def line(self, kind, payload):
        self.lines.append(encode({"timestamp": stamp(self.t), "type": kind, "payload": payload}))

    def message(self, role, text):
        self.line("response_item", {"type": "message", "role": role, "content": [{"type": "output_text" if role == "assistant" else "input_text", "text": text}]})

    def user(self, text, plain=False):
        self.turn, self.began = self.uid(), self.t
        if not self.old:
            self.line("event_msg", {"type": "task_started", "turn_id": self.turn, "started_at": int(self.t), "model_context_window": 258400, "collaboration_mode_kind": "default"})
        context = {"cwd": self.cwd, "approval_policy": "on-request", "sandbox_policy": {"type": "workspace-write", "network_access": False}, "model": self.model, "effort": "medium", "summary": "auto"}
        self.line("turn_context", context if self.old else dict(turn_id=self.turn, **context))
        self.message("user", text)
        self.line("event_msg", {"type": "user_message", "message": text, "kind": "plain"} if self.old else {"type": "user_message", "message": text, "images": [], "local_images": [], "text_elements": []})
        self.said.append(text)

    def speak(self, text):
        self.line("event_msg", {"type": "agent_message", "message": text})
        self.message("assistant", text)

    def reason(self):
        if self.rng.random() < .45:
            self.line("response_item", {"type": "reasoning", "summary": [], "content": None, "encrypted_content": self.blob(120)})

    def count(self):
        r = self.rng
        last = [r.randrange(9000, 60000), 0, r.randrange(60, 900)]
        last[1] = int(last[0] * .8)
        self.total = [x + y for x, y in zip(self.total, last)]
        use = lambda x: {"input_tokens": x[0], "cached_input_tokens": x[1], "output_tokens": x[2], "reasoning_output_tokens": x[2] // 3, "total_tokens": x[0] + x[2]}
        self.line("event_msg", {"type": "token_count", "info": {"total_token_usage": use(self.total), "last_token_usage": use(last), "model_context_window": 258400}})

    def say(self, text):
        self.t += 3 + self.rng.random() * 9
        self.reason()
        self.speak(text)
        self.last = text

    def end_turn(self):
        self.count()
        if not self.old:
            self.line("event_msg", {"type": "task_complete", "turn_id": self.turn, "last_agent_message": getattr(self, "last", "")})

    def command(self, verb, a):
        if verb == "read":
            path = a[0]
            if a[1] is None:
                style = (len(path) + self.look["style"]) % 3
                return (f"cat {path}", f"sed -n '1,260p' {path}", f"nl -ba {path}")[style]
            return f"sed -n '{a[1]},{a[1] + a[2] - 1}p' {path}"
        if verb == "search":
            return f"rg -n \"{a[0]}\" {a[1]}"
        if verb == "glob":
            return f"rg --files -g '{a[0]}'"
        return a[0]

    def send(self, verb, a, say):
        """The call itself; returns its id and whether it is a patch."""
        self.t += 2 + self.rng.random() * 7
        if say:
            self.speak(say)
        self.reason()
        cid = "call_" + self.token(24)
        if verb in ("edit", "write"):
            if verb == "edit":
                patch = f"*** Begin Patch\n*** Update File: {a[0]}\n@@\n" + "".join(f"-{x}\n" for x in a[1].split("\n")) + "".join(f"+{x}\n" for x in a[2].split("\n")) + "*** End Patch\n"
            else:
                patch = f"*** Begin Patch\n*** Add File: {a[0]}\n" + "".join(f"+{x}\n" for x in a[1].split("\n")) + "*** End Patch\n"
            if self.old:
                self.line("response_item", {"type": "function_call", "name": "shell", "arguments": encode({"command": ["apply_patch", patch], "workdir": self.cwd}), "call_id": cid})
                return cid, False
            self.line("response_item", {"type": "custom_tool_call", "id": "ctc_" + self.token(30), "status": "completed", "call_id": cid, "name": "apply_patch", "input": patch})
            return cid, True
        if verb == "plan":
            name, args = "update_plan", {"plan": [{"step": x, "status": "in_progress" if not i else "pending"} for i, x in enumerate(a)]}
        elif verb == "mcp":
            name, args = a[0], a[1]
        elif self.old:
            name, args = "shell", {"command": ["bash", "-lc", self.command(verb, a)], "workdir": self.cwd}
        else:
            name, args = "exec_command", {"cmd": self.command(verb, a), "workdir": self.cwd, "yield_time_ms": 10000, "max_output_tokens": 20000}
        self.line("response_item", {"type": "function_call", "name": name, "arguments": encode(args), "call_id": cid} if self.old else
                  {"type": "function_call", "id": "fc_" + self.token(30), "name": name, "arguments": encode(args), "call_id": cid})
        return cid, False

    def receive(self, cid, patch, text, code, took, bare=False):
        self.t += took
        if bare:
            out = text
        elif self.old:
            out = encode({"output": text + "\n", "metadata": {"exit_code": code, "duration_seconds": round(took, 1)}})
        elif patch:
            out = f"Exit code: {code}\nWall time: {took:.1f} seconds\nOutput:\n{text}\n"
        else:
            out = f"Chunk ID: {self.rng.getrandbits(24):06x}\nWall time: {took:.4f} seconds\nProcess exited with code {code}\nOriginal token count: {len(text) // 4}\nOutput:\n{text}\n"
        self.line("response_item", {"type": "custom_tool_call_output" if patch else "function_call_output", "call_id": cid, "output": out})
        if self.rng.random() < .5:
            self.count()

    def call(self, verb, a, out="", code=0, say=""):
        """One tool call that ran; a shell command may end with a code other than 0."""
        cid, patch = self.send(verb, a, say)
        took = self.look["slow"] * (.3 + self.rng.random() * 4) if verb == "shell" else .05 + self.rng.random() * .2
        if verb == "read":
            out = "\n".join([f"{i:6}\t{x}" for i, x in enumerate(out, 1)] if self.command(verb, a).startswith("nl ") else out)
        elif verb in ("edit", "write"):
            out = f"Success. Updated the following files:\n{'M' if verb == 'edit' else 'A'} {a[0]}"
            if patch:
                change = {"type": "update", "unified_diff": "@@ -1 +1 @@\n-" + a[1] + "\n+" + a[2], "move_path": None} if verb == "edit" else {"type": "add", "content": a[1]}
                self.line("event_msg", {"type": "patch_apply_end", "call_id": cid, "turn_id": self.turn, "stdout": out + "\n", "stderr": "", "success": True, "changes": {f"{self.cwd}/{a[0]}": change}})
        self.receive(cid, patch, "Plan updated" if verb == "plan" else out, code, took, bare=verb in ("plan", "mcp"))

    def slip(self, verb, a, say=""):
        """The same call gone wrong by the agent's own mistake."""
        r, code = self.rng, 1
        if verb == "read":
            a = (wrong_path(a[0], r), *a[1:])
            cmd = self.command(verb, a).split()[0]
            text, code = (f"sed: can't read {a[0]}: No such file or directory", 2) if cmd == "sed" else (f"{cmd}: {a[0]}: No such file or directory", 1)
        elif verb == "search":
            if r.random() < .5:
                a = (a[0], wrong_folder(a[1], r))
                text, code = f"rg: {a[1]}: No such file or directory (os error 2)", 2
            else:
                a, code = (a[0] + "(", a[1]), 2
                text = f"rg: regex parse error:\n    (?:{a[0]})\n    ^\nerror: unclosed group"
        elif verb == "glob":
            a, text, code = ("{" + a[0], ), f"rg: error parsing glob '{{{a[0]}': unclosed alternate group; missing '}}'", 2
        elif verb == "shell":
            cmd, text, code = shell_slip(a[0], r, self.world["lang"])
            a = (cmd, a[1])
        elif verb == "edit":
            a = (a[0], a[1].replace("(", " (", 1).replace("limit", "maximum"), a[2])
            text = f"apply_patch verification failed: Failed to find expected lines in {self.cwd}/{a[0]}:\n{a[1]}"
        elif verb == "write":
            text = f"apply_patch verification failed: invalid hunk at line 3, '{a[1][:30]}' is not a valid hunk header"
        else:
            text = "failed to parse function arguments: missing field `step` at line 1 column 61" if verb == "plan" else "tool call error: tool call failed: Mcp error: -32602: missing required parameter `query`"
        cid, patch = self.send(verb, a, say)
        self.receive(cid, patch, text, code, .1 + r.random(), bare=verb in ("plan", "mcp") or (verb in ("edit", "write") and not self.old))

    def interrupt(self, verb, a):
        """The user stops the turn, half of the time in the middle of a call; says whether a call was made."""
        made = self.rng.random() < .5
        if made:
            cid, patch = self.send(verb, a, "")
            took = 2 + self.rng.random() * 9
            self.receive(cid, patch, f"aborted by user after {took:.1f}s", 1, took, bare=True)
        self.message("user", "<turn_aborted>\nThe user interrupted the previous turn on purpose. Any running unified exec processes may still be running in the background.\n</turn_aborted>")
        self.line("event_msg", {"type": "turn_aborted", "turn_id": self.turn, "reason": "interrupted"} if not self.old else {"type": "turn_aborted", "reason": "interrupted"})
        return made

    def compact(self, summary, by_hand):
        self.t += 20 + self.rng.random() * 60
        kept = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": x}]} for x in self.said]
        self.line("compacted", {"message": "" if not self.old else summary, "replacement_history": kept})
        self.line("event_msg", {"type": "context_compacted"})
