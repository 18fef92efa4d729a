"""Writers of session files: Claude Code and Codex."""
import datetime as dt, json, os, uuid
from t13_world import ROOT
B62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


class Base:
    def __init__(self, rng, start, version, model, branch):
        self.rng, self.t, self.version, self.model, self.branch = rng, start, version, model, branch
        self.rows, self.ctx, self.calls = [], rng.randint(14000, 21000), 0
        self.id = self.uid()
        self.pending = 0
        self.asking = False

    def uid(self):
        return str(uuid.UUID(int=self.rng.getrandbits(128), version=4))

    def tok(self, n, pre):
        return pre + "".join(self.rng.choices(B62, k=n))

    def tick(self, a, b):
        self.t += dt.timedelta(seconds=self.rng.uniform(a, b))

    def ts(self):
        return self.t.strftime("%Y-%m-%dT%H:%M:%S.") + f"{self.t.microsecond // 1000:03d}Z"

    def save(self, folder):
        p = self.path(folder)
        os.makedirs(os.path.dirname(p), exist_ok=True)
        with open(p, "w", encoding="utf-8") as f:
            f.write("".join(json.dumps(r, ensure_ascii=False, separators=(",", ":")) + "\n" for r in self.rows))


class Claude(Base):
    fmt = "claude"

    def __init__(self, *a):
        super().__init__(*a)
        self.parent, self.side_parent, self.msg, self.slug = None, None, None, self.rng.choice(["quiet-humming-otter", "tidy-drifting-pine", "brave-folding-lark", "misty-rowing-crane"])
        self.rows.append({"type": "file-history-snapshot", "messageId": self.uid(), "snapshot": {"messageId": self.uid(), "trackedFileBackups": {}, "timestamp": self.ts()}, "isSnapshotUpdate": False})

    def path(self, folder):
        return os.path.join(folder, self.id + ".jsonl")

    def row(self, side=False, **kw):
        u = self.uid()
        r = {"parentUuid": self.side_parent if side else self.parent, "isSidechain": side, "userType": "external", "cwd": ROOT, "sessionId": self.id,
             "version": self.version, "gitBranch": self.branch, "slug": self.slug, **kw, "uuid": u, "timestamp": self.ts()}
        if side:
            self.side_parent = u
        else:
            self.parent = u
        self.rows.append(r)
        return r

    def user(self, text, meta=False, **kw):
        self.msg = None
        self.pending += len(text) // 4 + 20
        if meta:
            kw["isMeta"] = True
        self.row(type="user", message={"role": "user", "content": text}, **kw)

    def slash(self, name, out, args=""):
        self.user(f"<command-name>/{name}</command-name>\n            <command-message>{name}</command-message>\n            <command-args>{args}</command-args>")
        self.tick(.1, .6)
        self.user(f"<local-command-stdout>{out}</local-command-stdout>")

    def _new(self):
        pre, add = self.ctx, self.pending
        self.ctx, self.pending = self.ctx + add, 0
        self.msg = (self.tok(22, "msg_01"), self.tok(22, "req_011C"), {"input_tokens": self.rng.randint(2, 9), "cache_creation_input_tokens": add or 140, "cache_read_input_tokens": pre,
                    "cache_creation": {"ephemeral_5m_input_tokens": add or 140, "ephemeral_1h_input_tokens": 0}, "output_tokens": self.rng.randint(60, 700), "service_tier": "standard"})
        self.pending += self.msg[2]["output_tokens"]

    def block(self, b, stop=None, side=False):
        if not self.msg or side:
            self._new()
        self.row(side, message={"model": self.model if not side else self.model, "id": self.msg[0], "type": "message", "role": "assistant", "content": [b],
                 "stop_reason": stop, "stop_sequence": None, "usage": dict(self.msg[2])}, requestId=self.msg[1], type="assistant")

    def think(self, text):
        self.tick(1, 4)
        self.block({"type": "thinking", "thinking": text, "signature": self.tok(48, "EqoB")})

    def say(self, text, end=False):
        self.tick(1, 5)
        self.block({"type": "text", "text": text}, "end_turn" if end else None)
        if end:
            self.msg = None

    def raw(self, name, inp, result, err=None, tur=None, side=False, dur=(.05, 1.5)):
        self.tick(1.5, 7)
        i = self.tok(22, "toolu_01")
        self.block({"type": "tool_use", "id": i, "name": name, "input": inp}, "tool_use", side)
        self.tick(*dur)
        b = {"tool_use_id": i, "type": "tool_result", "content": result}
        if err is not None:
            b["is_error"] = err
        flat = result if isinstance(result, str) else result[0]["text"]
        self.row(side, type="user", message={"role": "user", "content": [b]}, toolUseResult=("Error: " + flat.replace("<tool_use_error>", "").replace("</tool_use_error>", "")) if err else tur)
        self.pending += len(flat) // 4 + 40
        self.msg = None
        self.calls += 1

    def read(self, path, lines, start=1, total=None, side=False):
        full = f"{ROOT}/{path}"
        inp = {"file_path": full}
        if total and total != len(lines):
            inp.update(offset=start, limit=len(lines))
        self.raw("Read", inp, "\n".join(f"{start+i:6d}→{x}" for i, x in enumerate(lines)) + "\n", None,
                 {"type": "text", "file": {"filePath": full, "content": "\n".join(lines), "numLines": len(lines), "startLine": start, "totalLines": total or len(lines)}}, side)

    def read_err(self, path, side=False):
        self.raw("Read", {"file_path": f"{ROOT}/{path}"}, self.rng.choice(["<tool_use_error>File does not exist.</tool_use_error>", f"<tool_use_error>File does not exist. Note: your current working directory is {ROOT}.</tool_use_error>"]), True, side=side)

    def grep(self, pat, where, hits, side=False):
        if self.rng.random() < .6:
            self.raw("Grep", {"pattern": pat, "path": where, "output_mode": "content", "-n": True}, "\n".join(hits) or "No matches found", None,
                     {"mode": "content", "numFiles": 0, "filenames": [], "content": "\n".join(hits), "numLines": len(hits)}, side)
        else:
            fs = list(dict.fromkeys(h.split(":")[0] for h in hits))
            self.raw("Grep", {"pattern": pat, "path": where}, f"Found {len(fs)} file{'s' * (len(fs) != 1)}\n" + "\n".join(fs) if fs else "No files found", None, {"mode": "files_with_matches", "filenames": fs, "numFiles": len(fs)}, side)

    def glob(self, pat, fs, side=False):
        fs = [f"{ROOT}/{f}" for f in fs]
        self.raw("Glob", {"pattern": pat}, "\n".join(fs) or "No files found", None, {"filenames": fs, "durationMs": self.rng.randint(8, 400), "numFiles": len(fs), "truncated": False}, side)

    def bash(self, cmd, out, code=0, desc="", side=False, dur=(.1, 5)):
        inp = {"command": cmd}
        if desc:
            inp["description"] = desc
        if code:
            self.raw("Bash", inp, f"Exit code {code}\n{out}", True, side=side, dur=dur)
        else:
            self.raw("Bash", inp, out, False, {"stdout": out, "stderr": "", "interrupted": False, "isImage": False}, side, dur)

    def edit(self, path, old, new, at):
        full = f"{ROOT}/{path}"
        n = new.split("\n")
        self.raw("Edit", {"file_path": full, "old_string": old, "new_string": new, "replace_all": False},
                 f"The file {full} has been updated. Here's the result of running `cat -n` on a snippet of the edited file:\n" + "\n".join(f"{at+i:6d}→{x}" for i, x in enumerate(n)), None,
                 {"filePath": full, "oldString": old, "newString": new, "originalFile": None, "structuredPatch": [{"oldStart": at, "oldLines": old.count("\n") + 1, "newStart": at, "newLines": len(n),
                  "lines": ["-" + x for x in old.split("\n")] + ["+" + x for x in n]}], "userModified": False, "replaceAll": False})

    def edit_err(self, path, old, new):
        self.raw("Edit", {"file_path": f"{ROOT}/{path}", "old_string": old, "new_string": new, "replace_all": False},
                 f"<tool_use_error>String to replace not found in file.\nString: {old}</tool_use_error>", True)

    def write(self, path, text, new=True):
        full = f"{ROOT}/{path}"
        self.raw("Write", {"file_path": full, "content": text}, f"File created successfully at: {full}" if new else f"The file {full} has been updated successfully.", None,
                 {"type": "create" if new else "update", "filePath": full, "content": text, "structuredPatch": [], "originalFile": None})

    def mcp(self, tool, args, out, err=None):
        s, t = tool.split("__")
        c = [{"type": "text", "text": out}]
        self.raw(f"mcp__{s}__{t}", args, out if err else c, err, c, dur=(.3, 4))

    def todo(self, items, tasks=False):
        if tasks:
            k = self.rng.randint(1, 30)
            return self.raw("TaskCreate", {"subject": items[0][0], "description": items[0][0]}, f"Task #{k} created successfully: {items[0][0]}", None, {"task": {"id": str(k), "subject": items[0][0]}})
        td = [{"content": c, "status": s, "activeForm": "Working on: " + c} for c, s in items]
        self.raw("TodoWrite", {"todos": td}, "Todos have been modified successfully. Ensure that you continue to use the todo list to track your progress. Please proceed with the current tasks if applicable", None, {"oldTodos": [], "newTodos": td})

    def web(self, url, out):
        self.raw("WebFetch", {"url": url, "prompt": "What changed in the latest version?"}, out, None, {"bytes": len(out) * 9, "code": 200, "codeText": "OK", "result": out, "durationMs": 2400, "url": url}, dur=(1, 6))

    def question(self, q, a):
        self.raw("AskUserQuestion", {"questions": [{"question": q, "header": "Value", "multiSelect": False, "options": [{"label": "I'll type it", "description": "Give the value"}, {"label": "Skip", "description": "Go on without"}]}]},
                 f'User has answered your questions: "{q}"="{a}". You can now continue with the user\'s answers in mind.', None, {"questions": [], "answers": {q: a}}, dur=(10, 90))

    def deny(self, cmd):
        if self.rng.random() < .5:
            self.raw("Bash", {"command": cmd}, f"Permission to use Bash with command {cmd} has been denied.", True)
        else:
            self.raw("Bash", {"command": cmd}, "Claude requested permissions to use Bash, but you haven't granted it yet.", True)

    def interrupt(self):
        self.tick(2, 20)
        if self.rng.random() < .5:
            self.row(type="user", message={"role": "user", "content": [{"type": "text", "text": "[Request interrupted by user]"}]})
        else:
            self.raw("Bash", {"command": "make bench", "description": "Run the benchmarks"}, "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed.", True)
            self.row(type="user", message={"role": "user", "content": [{"type": "text", "text": "[Request interrupted by user for tool use]"}]})
        self.msg = None

    def compact(self, text, trigger="auto"):
        self.tick(5, 40)
        old, self.parent = self.parent, None
        self.row(type="system", subtype="compact_boundary", logicalParentUuid=old, content="Conversation compacted", isMeta=False, level="info", compactMetadata={"trigger": trigger, "preTokens": self.ctx})
        self.ctx = self.rng.randint(15000, 22000)
        self.user("This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.\n\n" + text, isVisibleInTranscriptOnly=True, isCompactSummary=True)

    def task(self, desc, prompt, body, agent="Explore", name="Task"):
        """body(): makes sidechain calls and returns the report."""
        self.tick(2, 6)
        i = self.tok(22, "toolu_01")
        self.block({"type": "tool_use", "id": i, "name": name, "input": {"description": desc, "prompt": prompt, "subagent_type": agent}}, "tool_use")
        self.calls += 1
        keep, self.msg, self.side_parent = (self.ctx, self.pending), None, None
        self.ctx, self.pending = 9000, 60
        self.row(True, type="user", message={"role": "user", "content": prompt})
        n0, t0 = self.calls, self.t
        rep = body()
        self.tick(2, 6)
        self.block({"type": "text", "text": rep}, "end_turn", True)
        tot = self.ctx
        (self.ctx, self.pending), self.msg = keep, None
        c = [{"type": "text", "text": rep}]
        self.row(type="user", message={"role": "user", "content": [{"tool_use_id": i, "type": "tool_result", "content": c}]}, toolUseResult={"status": "completed", "prompt": prompt, "content": c,
                 "totalDurationMs": int((self.t - t0).total_seconds() * 1000), "totalTokens": tot, "totalToolUseCount": self.calls - n0})
        self.pending += len(rep) // 4

    def finish(self, done):
        pass


class Codex(Base):
    fmt = "codex"

    def __init__(self, *a):
        super().__init__(*a)
        self.tot = [0, 0, 0]
        self.turn = self.uid()
        self.start = self.t
        self.add("session_meta", {"id": self.id, "timestamp": self.ts(), "cwd": ROOT, "originator": "codex_cli_rs", "cli_version": self.version, "source": "cli", "model_provider": "openai",
                 "base_instructions": {"text": "You are Codex, a coding agent. You and the user share one workspace."}, "git": {"commit_hash": f"{self.rng.getrandbits(160):040x}", "branch": self.branch, "repository_url": "git@git.harborlight.example:tideline.git"}})
        self.item({"type": "message", "role": "user", "content": [{"type": "input_text", "text": f"<environment_context>\n  <cwd>{ROOT}</cwd>\n  <approval_policy>on-request</approval_policy>\n  <sandbox_mode>workspace-write</sandbox_mode>\n  <network_access>enabled</network_access>\n  <shell>bash</shell>\n</environment_context>"}]})

    def path(self, folder):
        return os.path.join(folder, "sessions", self.start.strftime("%Y/%m/%d"), f"rollout-{self.start:%Y-%m-%dT%H-%M-%S}-{self.id}.jsonl")

    def add(self, t, p):
        self.rows.append({"timestamp": self.ts(), "type": t, "payload": p})

    def item(self, p):
        self.add("response_item", p)

    def user(self, text, **kw):
        self.turn = self.uid()
        self.add("event_msg", {"type": "task_started", "turn_id": self.turn, "started_at": int(self.t.timestamp()), "model_context_window": 258400})
        self.add("turn_context", {"turn_id": self.turn, "cwd": ROOT, "approval_policy": "on-request", "sandbox_policy": {"type": "workspace-write"}, "model": self.model, "effort": "medium", "summary": "auto"})
        self.item({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]})
        self.add("event_msg", {"type": "user_message", "message": text, "images": []})
        self.pending += len(text) // 4 + 20

    def slash(self, name, out, args=""):
        pass

    def think(self, text):
        self.tick(1, 5)
        self.add("event_msg", {"type": "agent_reasoning", "text": "**" + text.split(".")[0] + "**"})
        self.item({"type": "reasoning", "id": self.tok(24, "rs_"), "summary": [{"type": "summary_text", "text": "**" + text.split(".")[0] + "**"}], "content": None, "encrypted_content": self.tok(60, "gAAAA")})

    def say(self, text, end=False):
        self.tick(1, 5)
        self.add("event_msg", {"type": "agent_message", "message": text, "phase": "final_answer" if end else "commentary"})
        self.item({"type": "message", "id": self.tok(24, "msg_"), "role": "assistant", "content": [{"type": "output_text", "text": text}], "phase": "final_answer" if end else "commentary"})
        if end:
            self.count()
            self.add("event_msg", {"type": "task_complete", "turn_id": self.turn, "last_agent_message": text})

    def count(self):
        pre, self.ctx = self.ctx, self.ctx + self.pending
        out = self.rng.randint(50, 600)
        self.pending = out
        self.tot = [self.tot[0] + self.ctx, self.tot[1] + pre, self.tot[2] + out]

        def u(i, c, o):
            return {"input_tokens": i, "cached_input_tokens": c, "output_tokens": o, "reasoning_output_tokens": o // 3, "total_tokens": i + o}
        self.add("event_msg", {"type": "token_count", "info": {"total_token_usage": u(*self.tot), "last_token_usage": u(self.ctx, pre, out), "model_context_window": 258400},
                 "rate_limits": {"limit_id": "codex", "primary": {"used_percent": float(self.rng.randint(1, 80)), "window_minutes": 300}}})

    def fn(self, name, args, out, dur=(.05, 1.5)):
        self.tick(1.5, 7)
        c = self.tok(24, "call_")
        self.item({"type": "function_call", "id": self.tok(30, "fc_"), "name": name, "arguments": json.dumps(args, ensure_ascii=False), "call_id": c})
        self.tick(*dur)
        self.item({"type": "function_call_output", "call_id": c, "output": out})
        self.pending += len(out) // 4 + 40
        self.calls += 1
        self.count()
        return c

    def bash(self, cmd, out, code=0, desc="", side=False, dur=(.1, 5)):
        wall = self.rng.uniform(*dur)
        self.fn("exec_command", {"cmd": cmd, "workdir": ROOT, "yield_time_ms": 10000, "max_output_tokens": 12000},
                f"Chunk ID: {self.rng.getrandbits(24):06x}\nWall time: {wall:.4f} seconds\nProcess exited with code {code}\nOriginal token count: {len(out)//4+1}\nOutput:\n{out}\n", (wall, wall + .3))

    def read(self, path, lines, start=1, total=None, side=False):
        part = total and total != len(lines)
        e = start + len(lines) - 1
        k = self.rng.random()
        cmd = f"sed -n '{start},{e}p' {path}" if part else f"sed -n '1,{max(200, e)}p' {path}" if k < .6 else f"cat {path}" if k < .85 else f"nl -ba {path}"
        self.bash(cmd, "\n".join(f"{i+1:6d}\t{x}" for i, x in enumerate(lines)) if cmd[:2] == "nl" else "\n".join(lines), dur=(.01, .2))

    def read_err(self, path, side=False):
        self.bash(*self.rng.choice([(f"sed -n '1,200p' {path}", f"sed: can't read {path}: No such file or directory", 2), (f"cat {path}", f"cat: {path}: No such file or directory", 1)]), dur=(.01, .1))

    def grep(self, pat, where, hits, side=False):
        self.bash(f"rg -n '{pat}' {where}", "\n".join(hits), 0 if hits else 1, dur=(.02, .3))

    def glob(self, pat, fs, side=False):
        self.bash(f"rg --files -g '{pat}'", "\n".join(fs), 0 if fs else 1, dur=(.02, .3))

    def patch(self, text, out, ok, path, kind="update"):
        self.tick(2, 9)
        c = self.tok(24, "call_")
        self.item({"type": "custom_tool_call", "id": self.tok(30, "ctc_"), "status": "completed", "call_id": c, "name": "apply_patch", "input": text})
        if ok:
            self.add("event_msg", {"type": "patch_apply_end", "call_id": c, "turn_id": self.turn, "stdout": f"Success. Updated the following files:\n{'A' if kind == 'add' else 'M'} {path}\n", "stderr": "", "success": True,
                     "changes": {f"{ROOT}/{path}": {"type": kind}}, "status": "completed"})
        self.item({"type": "custom_tool_call_output", "call_id": c, "output": out})
        self.pending += len(text) // 4 + 60
        self.calls += 1
        self.count()

    def edit(self, path, old, new, at):
        t = f"*** Begin Patch\n*** Update File: {path}\n@@\n" + "\n".join("-" + x for x in old.split("\n")) + "\n" + "\n".join("+" + x for x in new.split("\n")) + "\n*** End Patch"
        self.patch(t, f"Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess. Updated the following files:\nM {path}\n", True, path)

    def edit_err(self, path, old, new):
        t = f"*** Begin Patch\n*** Update File: {path}\n@@\n-" + old.replace("\n", "\n-") + "\n+" + new.replace("\n", "\n+") + "\n*** End Patch"
        self.patch(t, f"apply_patch verification failed: Failed to find expected lines in {ROOT}/{path}:\n{old}", False, path)

    def write(self, path, text, new=True):
        t = f"*** Begin Patch\n*** Add File: {path}\n" + "\n".join("+" + x for x in text.split("\n")) + "\n*** End Patch"
        self.patch(t, f"Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess. Updated the following files:\nA {path}\n", True, path, "add")

    def mcp(self, tool, args, out, err=None):
        s, t = tool.split("__")
        c = self.fn(f"mcp__{s}__{t}", args, out, (.3, 4))
        self.rows.insert(-2, {"timestamp": self.ts(), "type": "event_msg", "payload": {"type": "mcp_tool_call_end", "call_id": c, "invocation": {"server": s, "tool": t, "arguments": args},
                         "duration": {"secs": 1, "nanos": 4000000}, "result": {"Ok": {"content": [{"type": "text", "text": out}], "isError": bool(err)}}}})

    def todo(self, items, tasks=False):
        self.fn("update_plan", {"plan": [{"step": c, "status": s} for c, s in items]}, "Plan updated")

    def web(self, url, out):
        self.bash(f"curl -sL {url} | head -60", out, dur=(1, 6))

    def question(self, q, a):
        raise NotImplementedError

    def deny(self, cmd):
        self.fn("exec_command", {"cmd": cmd, "workdir": ROOT, "sandbox_permissions": "require_escalated", "justification": "Needs access outside of the workspace"}, "exec_command failed: Rejected(\"rejected by user\")")

    def interrupt(self):
        self.tick(2, 20)
        self.item({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "<turn_aborted>\nThe user interrupted the previous turn on purpose. Any running unified exec processes may still be running in the background. If any tools/commands were aborted, they may have partially executed.\n</turn_aborted>"}]})
        self.add("event_msg", {"type": "turn_aborted", "turn_id": self.turn, "reason": "interrupted"})

    def compact(self, text, trigger="auto"):
        self.tick(5, 40)
        self.add("compacted", {"message": text, "replacement_history": []})
        self.add("event_msg", {"type": "context_compacted"})
        self.ctx = self.rng.randint(15000, 22000)
