"""Writes one session as Claude Code writes it: <uuid>.jsonl, several lines per message, usage repeated."""

from b16_common import Base, Call, dumps, numbered


class ClaudeWriter(Base):
    side = None  # the state of the running sub-agent: [root parent, agent id]

    def open(self):
        self.session = self.uuid()
        self.parent, self.slug = None, None
        self.context = self.rng.randrange(17000, 24000)
        self.cached = 0

    def base(self, at=None):
        r = {"parentUuid": self.parent, "isSidechain": self.side is not None, "userType": "external", "cwd": self.cwd,
             "sessionId": self.session, "version": self.version, "gitBranch": self.branch}
        if self.side:
            r["agentId"] = self.side
        return r

    def put(self, record, at=None):
        record["uuid"] = self.parent = self.uuid()
        record["timestamp"] = self.stamp()
        self.lines.append(dumps(record))
        return self.parent

    def user(self, text, plan=None):
        snap = self.uuid()
        self.lines.append(dumps({"type": "file-history-snapshot", "messageId": snap, "snapshot": {
            "messageId": snap, "trackedFileBackups": {}, "timestamp": self.stamp()}, "isSnapshotUpdate": False}))
        r = self.base()
        r |= {"type": "user", "message": {"role": "user", "content": text}, "thinkingMetadata": {"maxThinkingTokens": 31999},
              "todos": [], "permissionMode": "default"}
        if plan:
            r["planContent"] = plan
        self.put(r)
        self.grow(len(text) // 4 + 12)
        self.turn_start = self.t

    def grow(self, tokens):
        self.context += int(tokens * self.boost)

    def message(self, blocks, stop, out):
        read, fresh = self.cached, max(1, self.context - self.cached)
        self.cached = self.context
        usage = {"input_tokens": self.rng.randrange(1, 9), "cache_creation_input_tokens": fresh, "cache_read_input_tokens": read,
                 "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": fresh},
                 "output_tokens": out, "service_tier": "standard"}
        mid, req = "msg_01" + self.token(22), "req_011C" + self.token(20)
        last = len(blocks) - 1
        for i, b in enumerate(blocks):
            r = self.base()
            r |= {"message": {"model": self.model, "id": mid, "type": "message", "role": "assistant", "content": [b],
                              "stop_reason": stop if i == last else None, "stop_sequence": None, "usage": usage},
                  "requestId": req, "type": "assistant"}
            self.put(r)
            self.t += 0.2 + self.rng.random()
        self.grow(out)

    def think(self):
        return {"type": "thinking", "thinking": self.rng.choice(self.thoughts), "signature": "Eq" + self.token(40) + "="}

    def calls(self, say, calls):
        rng = self.rng
        self.t += 1.5 + rng.expovariate(0.25)
        blocks = [self.think()] if rng.random() < 0.2 else []
        if say:
            blocks.append({"type": "text", "text": say})
        uses = [{"type": "tool_use", "id": "toolu_01" + self.token(22), "name": c.name, "input": c.args} for c in calls]
        self.message(blocks + uses, "tool_use", 60 + (len(say) // 4 if say else 0) + sum(c.size for c in calls) + rng.randrange(80))
        source = self.parent
        return [self.result(u["id"], c, source) for u, c in zip(uses, calls)]

    def result(self, tid, c, source):
        self.t += c.secs
        self.answered += 1
        block = {"tool_use_id": tid, "type": "tool_result", "content": c.text}
        if c.error:
            block["is_error"] = True
        elif c.name == "Bash":
            block["is_error"] = False
        extra = c.extra
        if extra is None:
            body = c.text if isinstance(c.text, str) else c.text[0]["text"]
            extra = "Error: " + body.replace("<tool_use_error>", "").replace("</tool_use_error>", "") if c.error else body
        r = self.base()
        r |= {"type": "user", "message": {"role": "user", "content": [block]}, "toolUseResult": extra,
              "sourceToolAssistantUUID": source}
        self.put(r)
        self.grow((len(c.text) if isinstance(c.text, str) else len(c.text[0]["text"])) // 3 + 30)

    def final(self, text):
        self.t += 2 + self.rng.expovariate(0.3)
        self.message([{"type": "text", "text": text}], "end_turn", 40 + len(text) // 4)
        if self.side is None and self.rng.random() < 0.4:
            r = self.base()
            r |= {"type": "system", "subtype": "turn_duration", "durationMs": int((self.t - self.turn_start) * 1000), "isMeta": False}
            self.put(r)

    def interrupt(self, call=None):
        if call is not None:
            self.calls_made += 1
            call.text = ("The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, "
                         "the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed.")
            call.error, call.extra, call.secs = True, "User rejected tool use", 4 + self.rng.random() * 20
            self.calls(None, [call])
        r = self.base()
        note = "[Request interrupted by user for tool use]" if call is not None else "[Request interrupted by user]"
        r |= {"type": "user", "message": {"role": "user", "content": [{"type": "text", "text": note}]}}
        self.put(r)

    def clear(self):
        for text, meta in (("<local-command-caveat>Caveat: The messages below were generated by the user while running local commands. DO NOT "
                            "respond to these messages or otherwise consider them in your response unless the user explicitly asks you to."
                            "</local-command-caveat>", True),
                           ("<command-name>/clear</command-name>\n            <command-message>clear</command-message>\n            "
                            "<command-args></command-args>", False), ("<local-command-stdout></local-command-stdout>", False)):
            r = self.base()
            r |= {"type": "user", "message": {"role": "user", "content": text}}
            if meta:
                r["isMeta"] = True
            self.put(r)
        self.t += 6 + self.rng.random() * 20

    def compact(self, summary):
        pre, logical, self.parent = self.context, self.parent, None
        self.t += 40 + self.rng.random() * 60
        r = self.base()
        r |= {"logicalParentUuid": logical, "type": "system", "subtype": "compact_boundary", "content": "Conversation compacted",
              "isMeta": False, "level": "info", "compactMetadata": {"trigger": "auto", "preTokens": pre}}
        self.put(r)
        r = self.base()
        r |= {"type": "user", "message": {"role": "user", "content": "This session is being continued from a previous conversation that ran "
              "out of context. The summary below covers the earlier portion of the conversation.\n\n" + summary},
              "isVisibleInTranscriptOnly": True, "isCompactSummary": True}
        self.put(r)
        self.context, self.cached = self.rng.randrange(26000, 34000), 0

    def path(self, path):
        return f"{self.cwd}/{path}"

    # the tools

    def read(self, f, start=None, n=None):
        total = len(f.lines)
        key = (start, n)
        got = f.shown.get(key)
        if got is None:
            part = f.lines[(start or 1) - 1:][:n or total]
            got = f.shown[key] = (numbered(start or 1, part), "\n".join(part), len(part))
        args = {"file_path": self.path(f.path)}
        if start:
            args |= {"offset": start, "limit": n}
        return Call("Read", args, got[0], 0, {"type": "text", "file": {"filePath": args["file_path"], "content": got[1],
                    "numLines": got[2], "startLine": start or 1, "totalLines": total}}, 0.1, 45)

    def read_missing(self, path):
        near = "" if self.rng.random() < 0.6 else " Did you mean " + path.rsplit("/", 1)[-1].replace("_", "").lower() + "?"
        return Call("Read", {"file_path": self.path(path)}, f"<tool_use_error>File does not exist.{near}</tool_use_error>", 1, None, 0.05, 45)

    def search(self, pattern, where, hits, mode):
        args = {"pattern": pattern, "path": self.path(where), "output_mode": mode}
        if mode == "files_with_matches":
            names = list(dict.fromkeys(h.split(":", 1)[0] for h in hits))
            text = f"Found {len(names)} file{'s' * (len(names) != 1)}\n" + "\n".join(names) if names else "No files found"
            return Call("Grep", args, text, 0, {"mode": mode, "filenames": names, "numFiles": len(names)}, 0.3, 40)
        args["-n"] = True
        text = "\n".join(hits) or "No matches found"
        return Call("Grep", args, text, 0, {"mode": mode, "numFiles": 0, "filenames": [], "content": text, "numLines": len(hits)}, 0.3, 45)

    def search_missing(self, pattern, where):
        return Call("Grep", {"pattern": pattern, "path": self.path(where), "output_mode": "content"},
                    f"<tool_use_error>Path does not exist: {self.path(where)}</tool_use_error>", 1, None, 0.1, 40)

    def glob(self, pattern, names):
        names = [self.path(n) for n in names]
        return Call("Glob", {"pattern": pattern}, "\n".join(names) or "No files found", 0,
                    {"filenames": names, "durationMs": self.rng.randrange(20, 400), "numFiles": len(names), "truncated": False}, 0.2, 25)

    def edit(self, f, old, new, line):
        p = self.path(f.path)
        patch = [{"oldStart": line, "oldLines": old.count("\n") + 1, "newStart": line, "newLines": new.count("\n") + 1,
                  "lines": ["-" + x for x in old.split("\n")] + ["+" + x for x in new.split("\n")]}]
        return Call("Edit", {"replace_all": False, "file_path": p, "old_string": old, "new_string": new},
                    f"The file {p} has been updated successfully.", 0,
                    {"filePath": p, "oldString": old, "newString": new, "structuredPatch": patch, "userModified": False,
                     "replaceAll": False}, 0.2, 60 + len(old + new) // 4)

    def edit_failed(self, f, old, new, kind):
        text = {0: f"String to replace not found in file.\nString: {old}",
                1: "Found 2 matches of the string to replace, but replace_all is false. To replace all occurrences, set replace_all to true. "
                   f"To replace only one occurrence, please provide more context to uniquely identify the instance.\nString: {old}"}[kind]
        return Call("Edit", {"replace_all": False, "file_path": self.path(f.path), "old_string": old, "new_string": new},
                    f"<tool_use_error>{text}</tool_use_error>", 1, None, 0.1, 60 + len(old + new) // 4)

    def write(self, f):
        p, body = self.path(f.path), "\n".join(f.lines)
        return Call("Write", {"file_path": p, "content": body}, f"File created successfully at: {p}", 0,
                    {"type": "create", "filePath": p, "content": body, "structuredPatch": [], "originalFile": None}, 0.2, 30 + len(body) // 4)

    def run(self, cmd, what, out, code, secs):
        args = {"command": cmd, "description": what}
        if code:
            return Call("Bash", args, f"Exit code {code}\n{out}", 1, None, secs, 40 + len(cmd) // 4)
        return Call("Bash", args, out, 0, {"stdout": out, "stderr": "", "interrupted": False, "isImage": False}, secs, 40 + len(cmd) // 4)

    def todo(self, items, at):
        todos = [{"content": s, "status": "completed" if i < at else "in_progress" if i == at else "pending",
                  "activeForm": s.replace("Add", "Adding").replace("Check", "Checking")} for i, s in enumerate(items)]
        return Call("TodoWrite", {"todos": todos}, "Todos have been modified successfully. Ensure that you continue to use the todo list to "
                    "track your progress. Please proceed with the current tasks if applicable", 0, {"oldTodos": [], "newTodos": todos}, 0.05, 110)

    def mcp(self, name, args, text, error=0):
        block = [{"type": "text", "text": text}]
        return Call(name, args, text if error else block, error, None if error else block, 0.6 + self.rng.random(), 45)

    def web(self, url, prompt, text):
        return Call("WebFetch", {"url": url, "prompt": prompt}, text, 0, {"bytes": len(text) * 9, "code": 200, "codeText": "OK", "result": text,
                    "durationMs": 2100, "url": url}, 2.1, 60)

    def task_open(self, description, prompt):
        """The call of a sub-agent: its records follow as a side chain, the result comes with task_close."""
        self.t += 2 + self.rng.random() * 3
        tid = "toolu_01" + self.token(22)
        self.message([{"type": "tool_use", "id": tid, "name": "Task", "input": {
            "subagent_type": "Explore", "description": description, "prompt": prompt}}], "tool_use", 90 + len(prompt) // 4)
        self.saved = (tid, self.parent, self.context, self.cached, self.t, prompt)
        self.side, self.parent = self.token(8).lower(), None
        self.context, self.cached = self.rng.randrange(8000, 11000), 0
        r = self.base()
        r |= {"type": "user", "message": {"role": "user", "content": prompt}}
        self.put(r)

    def task_close(self, report, uses):
        self.final(report)
        tid, parent, context, cached, begun, prompt = self.saved
        agent, spent = self.side, self.context
        self.side, self.parent, self.context, self.cached = None, parent, context, cached
        block = [{"type": "text", "text": report}]
        self.result(tid, Call("Task", {}, block, 0, {"status": "completed", "prompt": prompt, "agentId": agent, "content": block,
                    "totalDurationMs": int((self.t - begun) * 1000), "totalTokens": spent, "totalToolUseCount": uses}, 0.3, 0), parent)

    def save(self, folder):
        (folder / f"{self.session}.jsonl").write_text("\n".join(self.lines) + "\n", encoding="utf-8")
