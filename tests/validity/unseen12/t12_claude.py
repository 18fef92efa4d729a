"""Writes one session as Claude Code does."""
import json
from datetime import timedelta


def _dump(o):
    return json.dumps(o, ensure_ascii=False, separators=(",", ":"))


SLUGS = ["typed-pondering-ripple", "sunny-sleeping-bumblebee", "brisk-folding-otter", "mellow-wandering-kite", "quiet-baking-lantern", "amber-drifting-fox"]


class Claude:
    fmt = "claude"

    def __init__(self, r, t, p, root):
        self.r, self.t, self.p, self.root = r, t, p, root
        self.sid = self.uid()
        self.L = []
        self.parent = None
        self.ctx = r.randint(14000, 19000)
        self.prev = 0
        self.mid = None
        self.slug = r.choice(SLUGS)
        self.side = None
        self.turn0 = t
        self.ver = tuple(int(x) for x in p["version"].split("."))
        self.todo_n = 0
        self.branch = p["branch"]

    # basics
    def uid(self):
        h = "%032x" % self.r.getrandbits(128)
        return "%s-%s-4%s-a%s-%s" % (h[:8], h[8:12], h[13:16], h[17:20], h[20:])

    def tick(self, lo=1.0, hi=9.0):
        self.t += timedelta(seconds=self.r.uniform(lo, hi))

    def ts(self):
        return self.t.strftime("%Y-%m-%dT%H:%M:%S.") + "%03dZ" % (self.t.microsecond // 1000)

    def base(self, typ):
        u = self.uid()
        d = {"parentUuid": self.parent, "isSidechain": self.side is not None, "userType": "external", "cwd": self.root, "sessionId": self.sid,
             "version": self.p["version"], "gitBranch": self.branch}
        if self.ver >= (2, 0, 50):
            d["slug"] = self.slug
        if self.side:
            d["agentId"] = self.side
        d["type"] = typ
        self.parent = u
        return d, u

    def put(self, d, u, **kw):
        d["uuid"] = u
        d["timestamp"] = self.ts()
        d.update(kw)
        self.L.append(_dump(d))

    def user(self, text, **kw):
        if self.L:
            self.tick(20, 400)
        self.mid = None
        self.turn0 = self.t
        d, u = self.base("user")
        d["message"] = {"role": "user", "content": text}
        self.L.append(_dump({"type": "file-history-snapshot", "messageId": u, "snapshot": {"messageId": u, "trackedFileBackups": {}, "timestamp": self.ts()}, "isSnapshotUpdate": False}))
        self.ctx += len(text) // 4
        self.put(d, u, **kw)

    def usage(self, out):
        new = max(1, self.ctx - self.prev)
        n = {"input_tokens": self.r.randint(1, 12), "cache_creation_input_tokens": new, "cache_read_input_tokens": self.prev,
             "cache_creation": {"ephemeral_5m_input_tokens": new, "ephemeral_1h_input_tokens": 0}, "output_tokens": out, "service_tier": "standard"}
        self.prev = self.ctx
        return n

    def asst(self, block, out, stop=None, same=False):
        self.tick(1.5, 8)
        if not (same and self.mid):
            self.mid = ("msg_01" + "%026x" % self.r.getrandbits(100), "req_011C" + "%020x" % self.r.getrandbits(80), self.usage(out))
        d, u = self.base("assistant")
        d["message"] = {"model": self.p["submodel"] if self.side else self.p["model"], "id": self.mid[0], "type": "message", "role": "assistant", "content": [block],
                        "stop_reason": stop, "stop_sequence": None, "usage": self.mid[2]}
        d["requestId"] = self.mid[1]
        self.ctx += out
        self.put(d, u)
        return u

    def think(self, text):
        self.asst({"type": "thinking", "thinking": text, "signature": "Es0G" + "%0180x" % self.r.getrandbits(700)}, len(text) // 4 + 20)

    def say(self, text, final=False):
        self.asst({"type": "text", "text": text}, len(text) // 4 + 5, "end_turn" if final else None)
        if final:
            self.mid = None
            if self.ver >= (2, 1, 0):
                d, u = self.base("system")
                d.update(subtype="turn_duration", durationMs=int((self.t - self.turn0).total_seconds() * 1000), isMeta=False)
                self.put(d, u)

    def call(self, name, inp, out, err=False, tur=None, text=None, slow=0.0):
        r = self.r
        same = False
        if text:
            self.say(text)
            same = True
        elif self.mid and name in ("Read", "Grep") and r.random() < .15:
            same = True
        i = "toolu_01" + "%024x" % r.getrandbits(94)
        au = self.asst({"type": "tool_use", "id": i, "name": name, "input": inp}, 40 + len(json.dumps(inp)) // 4, "tool_use", same)
        self.tick(.1 + slow, 3 + slow * 1.6)
        d, u = self.base("user")
        c = {"tool_use_id": i, "type": "tool_result", "content": out}
        if err or name == "Bash":
            c["is_error"] = bool(err)
        d["message"] = {"role": "user", "content": [c]}
        if err:
            tur = "Error: " + (out if isinstance(out, str) else "failed")
        if tur is not None:
            d["toolUseResult"] = tur
        if self.ver >= (2, 0, 70):
            d["sourceToolAssistantUUID"] = au
        n = len(out) if isinstance(out, str) else sum(len(x.get("text", "")) for x in out)
        self.ctx += n // 4 + 8
        self.put(d, u)
        return i

    def ab(self, p):
        return p if p.startswith("/") else self.root + "/" + p

    # tools
    def bash(self, cmd, out, code=0, desc=None, slow=0.0, text=None):
        inp = {"command": cmd}
        if desc or self.r.random() < .8:
            inp["description"] = desc or ("Run " + cmd.split(" ")[0])
        if code:
            self.call("Bash", inp, "Exit code %d\n%s" % (code, out), True, text=text, slow=slow)
        else:
            self.call("Bash", inp, out, False, {"stdout": out, "stderr": "", "interrupted": False, "isImage": False}, text=text, slow=slow)

    def read(self, path, lines, off, total, shell, text=None):
        body = "\n".join(lines)
        if shell:
            rel = path
            k = self.r.random()
            if off or total > len(lines):
                cmd = "sed -n '%d,%dp' %s" % (off + 1, off + len(lines), rel)
            else:
                cmd = "cat %s" % rel if k < .6 else ("sed -n '1,%dp' %s" % (max(200, len(lines)), rel) if k < .85 else "head -n 300 %s" % rel)
            self.bash(cmd, body, desc="Show " + rel.rsplit("/", 1)[-1], text=text)
            return
        inp = {"file_path": self.ab(path)}
        if off or total > len(lines):
            inp["offset"], inp["limit"] = off + 1, len(lines)
        out = "\n".join("%6d→%s" % (off + i + 1, s) for i, s in enumerate(lines))
        if self.ver < (2, 1, 30):
            out += "\n\n<system-reminder>\nWhenever you read a file, you should consider whether it would be considered malware.\n</system-reminder>\n"
        self.call("Read", inp, out, False, {"type": "text", "file": {"filePath": self.ab(path), "content": body, "numLines": len(lines), "startLine": off + 1, "totalLines": total}}, text=text)

    def search(self, pat, where, hits, shell, text=None):
        if shell or "Grep" in self.p["gone"]:
            out = "\n".join("%s:%d:%s" % h for h in hits)
            self.bash("grep -rn \"%s\" %s" % (pat, where or "."), out, 0 if hits else 1, desc="Search " + pat, text=text)
            return
        if self.r.random() < .5:
            fs = sorted({h[0] for h in hits})
            out = ("Found %d file%s\n" % (len(fs), "s" * (len(fs) != 1)) + "\n".join(fs)) if fs else "No files found"
            self.call("Grep", dict({"pattern": pat}, **({"path": self.ab(where)} if where else {})), out, False, {"mode": "files_with_matches", "filenames": fs, "numFiles": len(fs)}, text=text)
        else:
            out = "\n".join("%s:%d:%s" % h for h in hits) or "No matches found"
            self.call("Grep", dict({"pattern": pat, "output_mode": "content", "-n": True}, **({"path": self.ab(where)} if where else {})), out, False,
                      {"mode": "content", "numFiles": 0, "filenames": [], "content": out, "numLines": len(hits)}, text=text)

    def glob(self, where, pat, paths, shell, text=None):
        if shell or "Glob" in self.p["gone"]:
            self.bash("find %s -name '%s'" % (where, pat) if self.r.random() < .5 else "ls -1 %s" % where, "\n".join(paths), desc="List files", text=text)
        else:
            ps = [self.ab(p) for p in paths]
            self.call("Glob", {"pattern": "%s/**/%s" % (where, pat)}, "\n".join(ps) or "No files found", False, {"filenames": ps, "durationMs": self.r.randint(4, 60), "numFiles": len(ps), "truncated": False}, text=text)

    def snippet(self, path, lines, at, n):
        if self.ver >= (2, 1, 2):
            return "The file %s has been updated successfully." % self.ab(path)
        lo = max(0, at - 4)
        return "The file %s has been updated. Here's the result of running `cat -n` on a snippet of the edited file:\n%s" % (
            self.ab(path), "\n".join("%6d→%s" % (lo + i + 1, s) for i, s in enumerate(lines[lo:at + n + 4])))

    def edit(self, path, old, new, at, lines, before, shell, text=None):
        n = new.count("\n") + 1
        if shell:
            self.bash("python3 - <<'EOF'\nfrom pathlib import Path\np = Path(%r)\ns = p.read_text()\np.write_text(s.replace(%r, %r, 1))\nEOF" % (path, old, new), "", desc="Edit " + path.rsplit("/", 1)[-1], text=text)
            return
        tur = {"filePath": self.ab(path), "oldString": old, "newString": new, "originalFile": before, "structuredPatch": [
            {"oldStart": at + 1, "oldLines": old.count("\n") + 1, "newStart": at + 1, "newLines": n, "lines": ["-" + x for x in old.split("\n")] + ["+" + x for x in new.split("\n")]}],
            "userModified": False, "replaceAll": False}
        if self.p["multi"] and self.r.random() < .3:
            self.call("MultiEdit", {"file_path": self.ab(path), "edits": [{"old_string": old, "new_string": new}]},
                      "Applied 1 edit to %s:\n1. Replaced \"%s\" with \"%s\"" % (self.ab(path), old[:60], new[:60]), False, {"filePath": self.ab(path), "edits": [{"old_string": old, "new_string": new, "replace_all": False}], "originalFileContents": before}, text=text)
            return
        self.call("Edit", {"file_path": self.ab(path), "old_string": old, "new_string": new}, self.snippet(path, lines, at, n), False, tur, text=text)

    def write(self, path, content, text=None, shell=False):
        if shell:
            self.bash("cat > %s <<'EOF'\n%s\nEOF" % (path, content), "", desc="Write " + path.rsplit("/", 1)[-1], text=text)
            return
        self.call("Write", {"file_path": self.ab(path), "content": content}, "File created successfully at: %s" % self.ab(path), False,
                  {"type": "create", "filePath": self.ab(path), "content": content, "structuredPatch": []}, text=text)

    def todo(self, items, done):
        if "TodoWrite" in self.p["gone"]:
            self.todo_n += 1
            if done and self.todo_n > 1:
                self.call("TaskUpdate", {"taskId": str(max(1, self.todo_n - 1)), "status": "completed"}, "Updated task #%d status" % max(1, self.todo_n - 1))
            else:
                self.call("TaskCreate", {"subject": items[0], "description": items[-1], "activeForm": items[0]}, "Task #%d created successfully: %s" % (self.todo_n, items[0]))
            return
        td = [{"content": x, "status": "completed" if i < done else ("in_progress" if i == done else "pending"), "activeForm": x} for i, x in enumerate(items)]
        self.call("TodoWrite", {"todos": td}, "Todos have been modified successfully. Ensure that you continue to use the todo list to track your progress. Please proceed with the current tasks if applicable", False, {"oldTodos": [], "newTodos": td})

    def mcp(self, server, tool, args, out, err=False, text=None):
        self.call("mcp__%s__%s" % (server, tool), args, out if err else [{"type": "text", "text": out}], err, None if err else [{"type": "text", "text": out}], text=text)

    def web(self, url, prompt, out, err=False):
        self.call("WebFetch", {"url": url, "prompt": prompt}, out, err, None if err else {"bytes": len(out) * 9, "code": 200, "codeText": "OK", "result": out, "durationMs": 2100, "url": url}, slow=2)

    def ask_tool(self, q, opts, ans):
        self.call("AskUserQuestion", {"questions": [{"question": q, "header": "Choice", "options": [{"label": o, "description": o} for o in opts], "multiSelect": False}]},
                  "User has answered your questions: \"%s\"=\"%s\". You can now continue with the user's answers in mind." % (q, ans), False, {"questions": [{"question": q}], "answers": {q: ans}}, slow=15)

    # errors of the agent
    def err_read(self, bad, near, shell):
        if shell:
            self.bash("cat %s" % bad, "cat: %s: No such file or directory" % bad, 1)
        else:
            self.call("Read", {"file_path": self.ab(bad)}, "<tool_use_error>File does not exist.%s</tool_use_error>" % (" Did you mean %s?" % near.rsplit("/", 1)[-1] if near and self.r.random() < .4 else ""), True)

    def err_edit(self, path, old, shell):
        k = self.r.random()
        inp = {"file_path": self.ab(path), "old_string": old, "new_string": old + " "}
        if k < .7:
            m = "<tool_use_error>String to replace not found in file.\nString: %s</tool_use_error>" % old
        elif k < .85:
            inp["old_string"] = old.strip()[:12]
            m = "<tool_use_error>Found %d matches of the string to replace, but replace_all is false. To replace all occurrences, set replace_all to true. To replace only one occurrence, please provide more context to uniquely identify the instance.\nString: %s</tool_use_error>" % (self.r.randint(2, 5), inp["old_string"])
        else:
            m = "<tool_use_error>InputValidationError: Edit failed due to the following issue:\nThe required parameter `new_string` is missing</tool_use_error>"
            inp.pop("new_string")
        self.call("Edit", inp, m, True)

    def err_search(self, pat, where, shell):
        if shell or "Grep" in self.p["gone"]:
            self.bash("grep -rn \"%s\" %s" % (pat, where), "grep: %s: No such file or directory" % where, 2)
        elif self.r.random() < .6:
            self.call("Grep", {"pattern": pat, "path": self.ab(where)}, "<tool_use_error>Path does not exist: %s</tool_use_error>" % self.ab(where), True)
        else:
            self.call("Grep", {"pattern": pat + "(", "output_mode": "content"}, "ripgrep failed with exit code 2: regex parse error:\n    (?:%s()\n    ^\nerror: unclosed group" % pat, True)

    def err_write(self, path):
        self.call("Write", {"file_path": self.ab(path)}, "<tool_use_error>InputValidationError: Write failed due to the following issue:\nThe required parameter `content` is missing</tool_use_error>", True)

    # things around
    def denied(self, cmd, said):
        if self.r.random() < .5:
            self.call("Bash", {"command": cmd, "description": "Clean up"}, "This command requires approval", True)
        else:
            self.call("Bash", {"command": cmd, "description": "Clean up"}, "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). To tell you how to proceed, the user said:\n" + said, True, slow=6)

    def interrupt(self):
        self.tick(2, 20)
        d, u = self.base("user")
        d["message"] = {"role": "user", "content": [{"type": "text", "text": "[Request interrupted by user]"}]}
        self.put(d, u)
        self.mid = None

    def slash(self, name, out):
        self.tick(3, 40)
        for c in ("<command-name>/%s</command-name>\n            <command-message>%s</command-message>\n            <command-args></command-args>" % (name, name), "<local-command-stdout>%s</local-command-stdout>" % out):
            d, u = self.base("user")
            d["message"] = {"role": "user", "content": c}
            self.put(d, u)

    def opened_by_clear(self):
        d, u = self.base("user")
        d["message"] = {"role": "user", "content": "Caveat: The messages below were generated by the user while running local commands. DO NOT respond to these messages or otherwise consider them in your response unless the user explicitly asks you to."}
        self.put(d, u, isMeta=True)
        self.slash("clear", "")

    def api_error(self):
        d, u = self.base("system")
        d.update(subtype="api_error", level="error", error={"status": 529, "error": {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}}, retryInMs=self.r.uniform(400, 4000), retryAttempt=1, maxRetries=10)
        self.put(d, u)
        self.tick(2, 6)

    def compact(self, summary):
        auto = self.ctx > 120000
        if not auto:
            self.slash("compact", "Compacted")
        self.tick(15, 60)
        last = self.parent
        d, u = self.base("system")
        d["parentUuid"] = None
        d.update(logicalParentUuid=last, subtype="compact_boundary", content="Conversation compacted", isMeta=False, level="info", compactMetadata={"trigger": "auto" if auto else "manual", "preTokens": self.ctx})
        self.put(d, u)
        self.ctx, self.prev = 16000 + len(summary) // 4, 9000
        d, u = self.base("user")
        d["message"] = {"role": "user", "content": "This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.\n\n" + summary}
        self.put(d, u, isVisibleInTranscriptOnly=True, isCompactSummary=True)
        self.mid = None

    def sub(self, what, prompt, steps, report):
        """A subagent: the call, its sidechain, its report. steps: list of callables."""
        r = self.r
        name = "Agent" if "Task" in self.p["gone"] else "Task"
        i = "toolu_01" + "%024x" % r.getrandbits(94)
        au = self.asst({"type": "tool_use", "id": i, "name": name, "input": {"description": what, "prompt": prompt, "subagent_type": r.choice(["Explore", "general-purpose"])}}, 120, "tool_use")
        keep = (self.parent, self.ctx, self.prev)
        self.side = "a%07x" % r.getrandbits(28)
        self.parent, self.ctx, self.prev, self.mid = None, 9000, 0, None
        d, u = self.base("user")
        d["message"] = {"role": "user", "content": prompt}
        self.put(d, u)
        for s in steps:
            s()
        self.say(report)
        tok = self.ctx
        a = self.side
        self.side = None
        self.parent, self.ctx, self.prev = keep
        self.mid = None
        self.tick()
        d, u = self.base("user")
        d["message"] = {"role": "user", "content": [{"tool_use_id": i, "type": "tool_result", "content": [{"type": "text", "text": report}]}]}
        d["toolUseResult"] = {"status": "completed", "prompt": prompt, "agentId": a, "content": [{"type": "text", "text": report}], "totalDurationMs": r.randint(20000, 120000), "totalTokens": tok, "totalToolUseCount": len(steps)}
        self.ctx += len(report) // 4
        self.put(d, u)

    def begin(self, rules, opened):
        if opened:
            self.opened_by_clear()

    def finish(self, folder):
        with open("%s/%s.jsonl" % (folder, self.sid), "w", encoding="utf-8") as f:
            f.write("\n".join(self.L) + "\n")
        return self.sid + ".jsonl"
