"""Claude Code session files."""
import json
import os
from datetime import timezone


def _iso(t):
    return t.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.") + f"{t.microsecond // 1000:03d}Z"


class ClaudeWriter:
    def __init__(self, rng, folder, life):
        self.rng, self.folder, self.life = rng, folder, life

    def uuid(self):
        h = "%032x" % self.rng.getrandbits(128)
        return f"{h[:8]}-{h[8:12]}-4{h[13:16]}-a{h[17:20]}-{h[20:]}"

    def rid(self, prefix, n=22):
        h = "%x" % self.rng.getrandbits(4 * n)
        return prefix + "01" + h

    def start(self, now, cwd, version, model, branch):
        self.now, self.cwd, self.version, self.model, self.branch = now, cwd, version, model, branch
        self.sid = self.uuid()
        self.out, self.parent, self.side, self.agent = [], None, False, None
        self.ctx, self.growth, self.msg, self.chars = self.rng.randint(14000, 24000), 1.0, None, 0
        self.cache = 0
        self.slug = None

    def tick(self, lo, hi):
        from datetime import timedelta
        self.now += timedelta(seconds=self.rng.uniform(lo, hi))

    def rec(self, typ, **kw):
        u = self.uuid()
        r = {"parentUuid": self.parent, "isSidechain": self.side, "userType": "external", "cwd": self.cwd, "sessionId": self.sid, "version": self.version, "gitBranch": self.branch}
        if self.agent:
            r["agentId"] = self.agent
        r["type"] = typ
        r.update(kw)
        r["uuid"], r["timestamp"] = u, _iso(self.now)
        self.out.append(r)
        self.parent = u
        return u

    def add(self, n):
        self.chars += n
        self.ctx = min(self.ctx + int(n / 3.6 * self.growth) + 12, 178000)

    def usage(self, n_out):
        read = self.cache
        new = max(self.ctx - read, 3)
        self.cache = self.ctx
        return {"input_tokens": self.rng.randint(3, 12), "cache_creation_input_tokens": new, "cache_read_input_tokens": read,
                "cache_creation": {"ephemeral_5m_input_tokens": new, "ephemeral_1h_input_tokens": 0}, "output_tokens": max(4, n_out // 4), "service_tier": "standard"}

    def assistant(self, block, n, fresh=True):
        if fresh or self.msg is None:
            self.msg = (self.rid("msg_"), self.rid("req_"), self.usage(n))
        mid, req, use = self.msg
        self.rec("assistant", message={"model": self.model, "id": mid, "type": "message", "role": "assistant", "content": [block], "stop_reason": None, "stop_sequence": None, "usage": use}, requestId=req)
        self.add(n)

    def user(self, text):
        self.tick(1, 4)
        if self.rng.random() < 0.5:
            self.out.append({"type": "file-history-snapshot", "messageId": self.uuid(), "snapshot": {"messageId": self.uuid(), "trackedFileBackups": {}, "timestamp": _iso(self.now)}, "isSnapshotUpdate": False})
        self.rec("user", message={"role": "user", "content": text})
        self.add(len(text))
        self.msg = None

    def clear(self):
        self.rec("user", message={"role": "user", "content": "<local-command-caveat>Caveat: local commands were run by the user.</local-command-caveat>"}, isMeta=True)
        self.rec("user", message={"role": "user", "content": "<command-name>/clear</command-name>\n            <command-message>clear</command-message>\n            <command-args></command-args>"})
        self.rec("user", message={"role": "user", "content": "<local-command-stdout></local-command-stdout>"})

    def say(self, text, final=False):
        self.tick(2, 9)
        if self.rng.random() < 0.2:
            th = "I should be careful with the order here. " + text
            self.assistant({"type": "thinking", "thinking": th, "signature": "%x" % self.rng.getrandbits(400)}, len(th))
            self.assistant({"type": "text", "text": text}, len(text), fresh=False)
        else:
            self.assistant({"type": "text", "text": text}, len(text))
        self.joined = True
        if final:
            self.msg = None
            if self.rng.random() < 0.6:
                self.rec("system", subtype="turn_duration", durationMs=self.rng.randint(9000, 240000), isMeta=False)

    def render(self, op):
        k = op["k"]
        full = lambda p: self.cwd + "/" + p if not p.startswith("/") else p
        if k == "read":
            a = {"file_path": full(op["path"])}
            if op.get("start"):
                a["offset"], a["limit"] = op["start"], op["limit"]
            s = op.get("start") or 1
            out = op.get("out")
            if out is None:
                out = "\n".join([f"{i:6d}→{x}" for i, x in enumerate(op["lines"], s)])
            return "Read", a, out, {"type": "text", "file": {"filePath": a["file_path"], "numLines": len(op.get("lines") or ()), "startLine": s, "totalLines": op.get("total", 0)}}
        if k == "search":
            a = {"pattern": op["pattern"], "output_mode": op.get("mode", "content")}
            if op.get("path"):
                a["path"] = full(op["path"])
            if a["output_mode"] == "content":
                a["-n"] = True
            out = op.get("out")
            if out is None:
                h = op["hits"]
                if a["output_mode"] == "content":
                    out = "\n".join(f"{full(p)}:{n}:{t}" for p, n, t in h) or "No matches found"
                else:
                    fs = sorted({full(p) for p, n, t in h})
                    out = f"Found {len(fs)} files\n" + "\n".join(fs) if fs else "No files found"
            return "Grep", a, out, {"mode": a["output_mode"], "numFiles": 0, "filenames": [], "content": out, "numLines": out.count("\n") + 1}
        if k == "glob":
            a = {"pattern": op["pattern"]}
            out = op.get("out")
            if out is None:
                out = "\n".join(full(p) for p in op["hits"]) or "No files found"
            return "Glob", a, out, {"filenames": [], "durationMs": 11, "numFiles": len(op.get("hits") or ()), "truncated": False}
        if k == "edit":
            a = {"file_path": full(op["path"]), "old_string": op["old"], "new_string": op["new"], "replace_all": False}
            out = op.get("out") or f"The file {a['file_path']} has been updated. Here's the result of running `cat -n` on a snippet of the edited file:\n" + "\n".join(f"{i:6d}→{x}" for i, x in enumerate(op["new"].split("\n"), op.get("at", 1)))
            return "Edit", a, out, {"filePath": a["file_path"], "oldString": op["old"], "newString": op["new"], "userModified": False, "replaceAll": False}
        if k == "write":
            a = {"file_path": full(op["path"]), "content": op["text"]}
            if op.get("bad"):
                a = {"file_path": a["file_path"]}
            return "Write", a, op.get("out") or f"File created successfully at: {a['file_path']}", {"type": "create", "filePath": full(op["path"]), "content": op["text"]}
        if k == "todo":
            a = {"todos": [{"content": x, "status": st, "activeForm": x} for x, st in op["items"]]}
            if op.get("bad"):
                a = {"items": [x for x, _ in op["items"]]}
            return "TodoWrite", a, op.get("out") or "Todos have been modified successfully. Ensure that you continue to use the todo list to track your progress.", {"oldTodos": [], "newTodos": a.get("todos", [])}
        if k == "mcp":
            return op["name"], op["args"], op["out"], [{"type": "text", "text": op["out"]}]
        if k == "sub":
            return "Task", {"description": op["desc"], "prompt": op["prompt"], "subagent_type": op["agent"]}, op["out"], {"status": "completed", "totalToolUseCount": op.get("n", 0)}
        a = {"command": op["cmd"]}
        if op.get("desc"):
            a["description"] = op["desc"]
        out = op["out"]
        if op.get("err"):
            out = f"Exit code {op['code']}\n{out}"
        return "Bash", a, out, {"stdout": op["out"], "stderr": "", "interrupted": False, "isImage": False}

    def begin(self, op, join=False):
        name, a, out, tur = self.render(op)
        self.tick(2, 14)
        tid = self.rid("toolu_")
        n = len(str(a)) + 20
        self.assistant({"type": "tool_use", "id": tid, "name": name, "input": a}, n, fresh=not (join or getattr(self, "joined", False)))
        self.joined = False
        return tid, self.parent, out, tur

    def finish(self, op, h, out=None):
        tid, src, o, tur = h
        out = o if out is None else out
        err = bool(op.get("err"))
        self.tick(0.1, 4 if op["k"] != "run" else 25)
        b = {"tool_use_id": tid, "type": "tool_result"}
        if op["k"] in ("mcp", "sub") and not err:
            b["content"] = [{"type": "text", "text": out}]
        else:
            b["content"] = out
        if err:
            b["is_error"] = True
            tur = "Error: " + out
        elif op["k"] == "run":
            b["is_error"] = False
        self.rec("user", message={"role": "user", "content": [b]}, toolUseResult=tur, sourceToolAssistantUUID=src)
        self.add(len(out))

    def call(self, op, join=False):
        self.finish(op, self.begin(op, join))

    def reject(self, op, feedback):
        h = self.begin(op)
        op["err"] = True
        self.finish(op, h, "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). To tell you how to proceed, the user said:\n" + feedback)

    def interrupt(self, op=None):
        if op is not None:
            h = self.begin(op)
            op["err"] = True
            self.finish(op, h, "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed.")
            text = "[Request interrupted by user for tool use]"
        else:
            text = "[Request interrupted by user]"
        self.tick(0.2, 3)
        self.rec("user", message={"role": "user", "content": [{"type": "text", "text": text}]})
        self.msg = None

    def open_side(self, op):
        h = self.begin(op)
        self.saved = (self.parent, self.ctx, self.cache, self.msg)
        self.parent, self.side, self.agent, self.msg = None, True, "%08x" % self.rng.getrandbits(32), None
        self.ctx, self.cache = self.rng.randint(5000, 9000), 0
        self.rec("user", message={"role": "user", "content": op["prompt"]})
        return h

    def close_side(self, op, h):
        self.assistant({"type": "text", "text": op["out"]}, len(op["out"]))
        self.parent, self.ctx, self.cache, self.msg = self.saved
        self.side, self.agent = False, None
        self.finish(op, h, op["out"])
        self.msg = None

    def compact(self, summary):
        last = self.parent
        pre = max(self.ctx, self.rng.randint(151000, 168000))
        self.tick(20, 70)
        self.parent = None
        self.rec("system", logicalParentUuid=last, subtype="compact_boundary", content="Conversation compacted", isMeta=False, level="info", compactMetadata={"trigger": "auto", "preTokens": pre})
        text = "This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.\n\n" + summary
        self.rec("user", message={"role": "user", "content": text}, isVisibleInTranscriptOnly=True, isCompactSummary=True)
        self.ctx, self.cache, self.msg = self.rng.randint(22000, 31000), 0, None

    def end(self):
        p = os.path.join(self.folder, self.sid + ".jsonl")
        enc = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
        with open(p, "w", encoding="utf-8") as f:
            f.write("\n".join([enc(r) for r in self.out]) + "\n")
        return p
