"""Writers: Claude Code session files and Codex rollout files."""
import json
import os
from datetime import datetime, timedelta, timezone

import t7_worlds as W

dumps = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def stamp(t):
    ms = int(t * 1000)
    d = EPOCH + timedelta(milliseconds=ms)
    return d.strftime("%Y-%m-%dT%H:%M:%S.") + "%03dZ" % (ms % 1000)


def calendar(life):
    """start of each session in seconds; working days, one or two a day"""
    rng = life.rng
    t = datetime(2026, 1, 5, tzinfo=timezone.utc) + timedelta(days=rng.randint(0, 60))
    out, day = [], t
    hour = rng.choice((7, 8, 9, 13))
    gap = set()
    if "holidays" in life.has:
        gap = {round(life.S * rng.uniform(.3, .45)), round(life.S * rng.uniform(.65, .8))}
    same = 0
    for i in range(life.S):
        if i in gap:
            day += timedelta(days=rng.randint(18, 36))
            same = 0
        h = hour + (5 if "handover" in life.has and i >= life.cut else 0)
        if same == 0 or rng.random() < .65 or same >= 2:
            day += timedelta(days=rng.choice((1, 1, 1, 2, 3)))
            while day.weekday() >= 5:
                day += timedelta(days=1)
            same = 0
        same += 1
        out.append((day - EPOCH).total_seconds() + (h + 4.2 * (same - 1)) * 3600 + rng.randint(0, 2400))
    return out


def version(life, i):
    if "versions" in life.has:
        return life.versions[min(3, 4 * i // life.S)]
    if "newtools" in life.has or "fewreads" in life.has:
        return life.versions[2 if i >= life.cut else 0]
    if "silent" in life.has:
        return life.versions[0]
    return life.versions[sum(i >= b for b in life.bumps)]


SUMMARY = "This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.\n\nSummary:\n1. Primary Request and Intent:\n   {}\n2. Key Technical Concepts:\n   - {}\n3. Current Work:\n   {}\n\nContinue with the last task that you were asked to work on."


class Claude:
    def __init__(self, life, folder):
        self.life, self.folder = life, folder
        self.rng = life.rng

    def write(self, plan):
        life = self.life
        ids, starts = [], calendar(life)
        model0 = life.models[0]
        self.model = model0
        for i, ev in enumerate(plan):
            sid = life.uid()
            ids.append(sid)
            self.session(i, sid, starts[i], ev)
        return ids, [stamp(s) for s in starts]

    def rec(self, typ, body, parent=True, **top):
        self.t += self.rng.random() * .6 + .02
        u = self.life.uid()
        r = {"parentUuid": self.parent if parent else None, "isSidechain": False, "userType": "external", "cwd": self.cwd, "sessionId": self.sid, "version": self.ver, "gitBranch": self.branch, "type": typ}
        if body is not None:
            r["message"] = body
        r.update(top)
        r["uuid"] = u
        r["timestamp"] = stamp(self.t)
        self.parent = u
        self.lines.append(dumps(r))
        return u

    def usage(self, out):
        rng = self.rng
        new = self.pending + rng.randint(150, 600)
        self.pending = 0
        o = max(8, out)
        if "versions" in self.life.has and self.life.versions.index(self.ver) == 0:
            o = rng.randint(1, 8)
        r = {"input_tokens": rng.randint(2, 12), "cache_creation_input_tokens": new, "cache_read_input_tokens": self.ctx, "output_tokens": o, "service_tier": "standard"}
        self.ctx += new + out
        return r

    def message(self, blocks, stop):
        mid = "msg_01" + self.life.cid()[-22:]
        size = sum(len(b.get("text", "")) + len(b.get("thinking", "")) + (len(str(b["input"])) if "input" in b else 0) for b in blocks) // 4
        us = self.usage(size + self.rng.randint(10, 160))
        uuids = []
        for b in blocks:
            uuids.append(self.rec("assistant", {"model": self.model, "id": mid, "type": "message", "role": "assistant", "content": [b], "stop_reason": stop, "stop_sequence": None, "usage": us}, requestId="req_011" + mid[6:24]))
        return uuids

    def think(self, blocks):
        if self.rng.random() < .2:
            blocks.insert(0, {"type": "thinking", "thinking": self.rng.choice(W.THINK[3:] if self.life.desk else W.THINK[:3]), "signature": "Er" + self.life.cid()[-22:] * 3})
        return blocks

    def session(self, i, sid, start, ev):
        life, rng = self.life, self.rng
        self.sid, self.t, self.ver = sid, start, version(life, i)
        u = life.user2 if "handover" in life.has and i >= life.cut else life.user
        self.home = f"/home/{u['name']}" if len(u["name"]) % 2 else f"/Users/{u['name']}"
        self.cwd = f"{self.home}/{'work' if u is life.user else 'src'}/{life.world_name}"
        self.branch = "main" if rng.random() < .6 else f"{u['name']}/{rng.choice(W.WORDS)}"
        self.parent, self.lines, self.ctx, self.pending, self.side = None, [], rng.randint(17000, 21000), 0, []
        self.pid = None
        if "upgrade" in life.has:
            self.model = life.models[1 if i >= life.cut else 0]
        if "versions" in life.has and life.versions.index(self.ver) >= 2:
            self.lines.append(dumps({"type": "permission-mode", "permissionMode": "acceptEdits", "sessionId": sid}))
        k = 0
        turn0 = self.t
        while k < len(ev):
            e = ev[k]
            w = e[0]
            if w == "prompt":
                self.t += rng.expovariate(1 / 150) + 8
                turn0 = self.t
                self.pid = e[2]
                if rng.random() < .3:
                    m = life.uid()
                    self.lines.append(dumps({"type": "file-history-snapshot", "messageId": m, "snapshot": {"messageId": m, "trackedFileBackups": {}, "timestamp": stamp(self.t)}, "isSnapshotUpdate": False}))
                self.pending += len(e[1]) // 4
                self.rec("user", {"role": "user", "content": e[1]}, promptId=e[2])
            elif w == "say" or w == "call":
                blocks = []
                if w == "say":
                    blocks.append({"type": "text", "text": e[1]})
                    k += 1
                calls = []
                while k < len(ev) and ev[k][0] == "call" and (not calls or ev[k][1].par):
                    calls.append(ev[k][1])
                    k += 1
                self.calls(blocks, calls)
                continue
            elif w == "end":
                self.t += rng.uniform(2, 9)
                self.message(self.think([{"type": "text", "text": e[1]}]), "end_turn")
                if rng.random() < .3:
                    self.rec("system", None, subtype="turn_duration", durationMs=int((self.t - turn0) * 1000), isMeta=False)
            elif w == "interrupt":
                self.rec("user", {"role": "user", "content": [{"type": "text", "text": "[Request interrupted by user for tool use]" if e[1] else "[Request interrupted by user]"}]}, promptId=self.pid)
            elif w == "compact":
                self.t += 20
                pre = self.ctx
                manual = pre < 90000
                if manual:
                    self.rec("user", {"role": "user", "content": "<command-name>/compact</command-name>\n            <command-message>compact</command-message>\n            <command-args></command-args>"})
                last = self.parent
                self.rec("system", None, parent=False, logicalParentUuid=last, subtype="compact_boundary", content="Conversation compacted", isMeta=False, level="info", compactMetadata={"trigger": "manual" if manual else "auto", "preTokens": pre})
                said = [x[1] for x in ev[:k] if x[0] == "prompt"][-3:] + ["", "", ""]
                self.rec("user", {"role": "user", "content": SUMMARY.format(said[0][:300], rng.choice(W.WORDS), said[1][:200])}, isVisibleInTranscriptOnly=True, isCompactSummary=True)
                self.ctx = rng.randint(22000, 26000)
            elif w == "clear":
                self.t += 30
                self.rec("user", {"role": "user", "content": "<command-name>/clear</command-name>\n            <command-message>clear</command-message>\n            <command-args></command-args>"}, parent=False)
                self.rec("user", {"role": "user", "content": "<local-command-stdout></local-command-stdout>"})
                self.ctx = rng.randint(17000, 21000)
            elif w == "model":
                self.t += 15
                self.model = e[1]
                self.rec("user", {"role": "user", "content": "<command-name>/model</command-name>\n            <command-message>model</command-message>\n            <command-args></command-args>"})
                self.rec("user", {"role": "user", "content": f"<local-command-stdout>Set model to {e[1]}</local-command-stdout>"})
            k += 1
        d = os.path.join(self.folder, "projects", self.cwd.replace("/", "-"))
        os.makedirs(d, exist_ok=True)
        with open(os.path.join(d, sid + ".jsonl"), "w", encoding="utf-8") as f:
            f.write("\n".join(self.lines) + "\n")
        for name, lines in self.side:
            sd = os.path.join(d, sid, "subagents")
            os.makedirs(sd, exist_ok=True)
            with open(os.path.join(sd, name), "w", encoding="utf-8") as f:
                f.write("\n".join(lines) + "\n")

    def calls(self, blocks, calls):
        rng = self.rng
        self.t += rng.uniform(2, 7)
        shown = [self.render(c) for c in calls]
        uses = [{"type": "tool_use", "id": c.id, "name": s[0], "input": s[1]} for c, s in zip(calls, shown)]
        ids = self.message(self.think(blocks) + uses, "tool_use")[-len(calls):]
        for c, s, src in zip(calls, shown, ids):
            self.t += rng.uniform(.1, 4)
            if c.op == "task":
                self.sidechain(c, s)
            content, tur, err = s[2], s[3], c.err
            if c.reject:
                err = True
                if c.reject is True:
                    content, tur = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed.", "User rejected tool use"
                else:
                    content = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). To tell you how to proceed, the user said:\n" + c.reject
                    tur = "Error: " + content
            self.pending += (len(content) if isinstance(content, str) else sum(len(x["text"]) for x in content)) // 3 + 40
            if self.life.planted == ("vague",):
                self.pending += 3 * (len(content) if isinstance(content, str) else 0) // 4
            b = {"tool_use_id": c.id, "type": "tool_result", "content": content}
            if err:
                b["is_error"] = True
            elif s[0] == "Bash":
                b["is_error"] = False
            self.rec("user", {"role": "user", "content": [b]}, promptId=self.pid, toolUseResult=tur, sourceToolAssistantUUID=src)

    def render(self, c):
        """name, input, content, toolUseResult"""
        a, op, cwd = c.a, c.op, self.cwd
        old = "versions" in self.life.has and self.life.versions.index(self.ver) < 1
        wrap = (lambda s: s) if old else (lambda s: f"<tool_use_error>{s}</tool_use_error>")
        if op == "read":
            p = f"{cwd}/{a['path']}"
            inp = {"file_path": p}
            if a["off"] is not None:
                inp["offset"], inp["limit"] = a["off"], a["lim"]
            if c.err:
                return "Read", inp, wrap(c.out), "Error: " + c.out
            fmt = "%6d→%s" if "versions" not in self.life.has or self.life.versions.index(self.ver) < 3 else "%d\t%s"
            text = "\n".join(fmt % (a["start"] + j, x) for j, x in enumerate(a["text"]))
            return "Read", inp, text, {"type": "text", "file": {"filePath": p, "content": "\n".join(a["text"]), "numLines": len(a["text"]), "startLine": a["start"], "totalLines": a["total"]}}
        if op in ("readsh", "sh", "searchsh"):
            if op == "searchsh":
                cmd = f"rg -n \"{a['pattern']}\"" + (f" {a['path']}" if "path" in a else "")
            else:
                cmd = a["cmd"]
            inp = {"command": cmd, "description": a.get("why") or ("Search " + a["pattern"] if op == "searchsh" else "Show " + a["path"].rsplit("/", 1)[-1])}
            if c.err:
                t = c.out if c.out.startswith("This command requires") else f"Exit code {c.code}\n{c.out}"
                return "Bash", inp, t, "Error: " + t
            return "Bash", inp, c.out, {"stdout": c.out, "stderr": "", "interrupted": False, "isImage": False}
        if op == "search":
            inp = {"pattern": a["pattern"], "output_mode": "content", "-n": True}
            if "path" in a:
                inp["path"] = a["path"]
            if c.err:
                return "Grep", inp, wrap(c.out) if c.out.startswith("Path") else c.out, "Error: " + c.out
            return "Grep", inp, c.out, {"mode": "content", "numFiles": 0, "filenames": [], "content": c.out, "numLines": c.out.count("\n") + 1}
        if op == "list":
            names = [f"{cwd}/{x}" for x in c.out.split("\n") if x]
            return "Glob", {"pattern": a["pattern"]}, "\n".join(names), {"filenames": names, "durationMs": self.rng.randint(5, 90), "numFiles": len(names), "truncated": False}
        if op == "edit":
            p = f"{cwd}/{a['path']}"
            inp = {"replace_all": False, "file_path": p, "old_string": a["old"], "new_string": a["new"]}
            if c.err:
                return "Edit", inp, wrap(c.out), "Error: " + c.out
            o, n = a["old"].split("\n"), a["new"].split("\n")
            return "Edit", inp, f"The file {p} has been updated successfully.", {"filePath": p, "oldString": a["old"], "newString": a["new"], "originalFile": None, "structuredPatch": [{"oldStart": a["line"], "oldLines": len(o), "newStart": a["line"], "newLines": len(n), "lines": ["-" + x for x in o] + ["+" + x for x in n]}], "userModified": False, "replaceAll": False}
        if op == "write":
            p = f"{cwd}/{a['path']}"
            inp = {"file_path": p, "content": a["content"]}
            if c.err:
                return "Write", inp, wrap(c.out), "Error: " + c.out
            return "Write", inp, c.out.replace(a["path"], p), {"type": "create" if a.get("create") else "update", "filePath": p, "content": a["content"], "structuredPatch": [], "originalFile": None}
        if op == "mcp":
            name = f"mcp__{a['server']}__{a['tool']}"
            if c.err:
                return name, a["args"], c.out, "Error: " + c.out
            body = [{"type": "text", "text": c.out}]
            return name, a["args"], body, body
        if op == "task":
            new = "newtools" in self.life.has
            inp = {"description": a["description"], "prompt": a["prompt"], "subagent_type": "Explore"}
            c.code = "a" + self.life.cid()[-7:].lower()
            body = [{"type": "text", "text": c.out}, {"type": "text", "text": f"agentId: {c.code} (for resuming to continue this agent's work if needed)"}]
            n = len(c.side)
            return "Task", inp, body, {"status": "completed", "prompt": a["prompt"], "agentId": c.code, "content": body[:1], "totalDurationMs": n * 4000 + 900, "totalTokens": n * 1900 + 7000, "totalToolUseCount": n}
        if op == "todo":
            if a["new"]:
                return "TaskCreate", {"subject": a["items"][1], "description": "; ".join(a["items"]), "activeForm": "Working on it"}, f"Task #{self.rng.randint(1, 9)} created successfully: {a['items'][1]}", {"task": {"id": "1", "subject": a["items"][1]}}
            td = [{"content": x, "status": "in_progress" if j == 0 else "pending", "activeForm": x} for j, x in enumerate(a["items"])]
            return "TodoWrite", {"todos": td}, c.out + " Ensure that you continue to use the todo list to track your progress.", {"oldTodos": [], "newTodos": td}
        if op == "ask":
            q = {"question": a["question"], "header": a["header"], "multiSelect": False, "options": [{"label": x, "description": ""} for x in a["options"]]}
            return "AskUserQuestion", {"questions": [q]}, c.out, {"questions": [q]}
        if op == "lsp":
            return "LSP", dict(a, filePath=f"{cwd}/{a['filePath']}"), c.out, {"operation": a["operation"], "result": c.out, "resultCount": c.out.count("\n") + 1}
        raise ValueError(op)

    def sidechain(self, c, s):
        """the helper's own transcript"""
        keep = self.lines, self.parent, self.ctx, self.pending, self.t
        self.lines, self.parent, self.ctx, self.pending = [], None, 9000, 0
        self.t -= 1
        extra = {"agentId": c.code}
        self.rec("user", {"role": "user", "content": c.a["prompt"]}, isSidechain=True, **extra)
        for x in c.side:
            n, inp, body, tur = self.render(x)
            mid = "msg_01" + self.life.cid()[-22:]
            src = self.rec("assistant", {"model": self.model, "id": mid, "type": "message", "role": "assistant", "content": [{"type": "tool_use", "id": x.id, "name": n, "input": inp}], "stop_reason": "tool_use", "stop_sequence": None, "usage": self.usage(90)}, isSidechain=True, **extra)
            self.rec("user", {"role": "user", "content": [{"tool_use_id": x.id, "type": "tool_result", "content": body}]}, isSidechain=True, toolUseResult=tur, sourceToolAssistantUUID=src, **extra)
        self.rec("assistant", {"model": self.model, "id": "msg_01" + self.life.cid()[-22:], "type": "message", "role": "assistant", "content": [{"type": "text", "text": c.out}], "stop_reason": "end_turn", "stop_sequence": None, "usage": self.usage(120)}, isSidechain=True, **extra)
        self.side.append((f"agent-{c.code}.jsonl", self.lines))
        self.lines, self.parent, self.ctx, self.pending, self.t = keep


class Codex:
    def __init__(self, life, folder):
        self.life, self.folder, self.rng = life, folder, life.rng

    def write(self, plan):
        life = self.life
        ids, starts = [], calendar(life)
        self.model = life.models[0]
        for i, ev in enumerate(plan):
            sid = life.uid()
            ids.append(sid)
            self.session(i, sid, starts[i], ev)
        return ids, [stamp(s) for s in starts]

    def rec(self, typ, payload):
        self.t += self.rng.random() * .4 + .01
        self.lines.append(dumps({"timestamp": stamp(self.t), "type": typ, "payload": payload}))

    def tokens(self, out):
        rng = self.rng
        new = self.pending + rng.randint(150, 600)
        self.pending = 0
        cached = self.ctx
        self.ctx += new
        last = {"input_tokens": self.ctx, "cached_input_tokens": cached, "output_tokens": out, "reasoning_output_tokens": out // 3, "total_tokens": self.ctx + out}
        for k, v in last.items():
            self.total[k] = self.total.get(k, 0) + v
        self.ctx += out
        self.rec("event_msg", {"type": "token_count", "info": {"total_token_usage": dict(self.total), "last_token_usage": last, "model_context_window": 258400}, "rate_limits": None})

    def session(self, i, sid, start, ev):
        life, rng = self.life, self.rng
        u = life.user2 if "handover" in life.has and i >= life.cut else life.user
        self.t, self.lines, self.total, self.ctx, self.pending = start, [], {}, rng.randint(11000, 14000), 0
        v = version(life, i)
        cwd = self.cwd = f"/home/{u['name']}/code/{life.world_name}"
        if "upgrade" in life.has:
            self.model = life.models[1 if i >= life.cut else 0]
        self.rec("session_meta", {"id": sid, "timestamp": stamp(start), "cwd": cwd, "originator": "codex_cli_rs", "cli_version": "0." + v.split(".")[2] + ".0", "source": "cli", "model_provider": "openai", "git": {"branch": "main"}})
        turn, open_turn = None, False
        for k, e in enumerate(ev):
            w = e[0]
            if w == "prompt":
                self.t += rng.expovariate(1 / 150) + 8
                turn = e[2]
                self.turn = turn
                self.rec("event_msg", {"type": "task_started", "turn_id": turn, "model_context_window": 258400})
                self.rec("turn_context", {"turn_id": turn, "cwd": cwd, "approval_policy": "on-request", "sandbox_policy": {"type": "workspace-write"}, "model": self.model, "effort": "medium", "summary": "auto"})
                self.rec("response_item", {"type": "message", "role": "user", "content": [{"type": "input_text", "text": e[1]}]})
                self.rec("event_msg", {"type": "user_message", "message": e[1], "images": []})
                self.pending += len(e[1]) // 4
            elif w == "say":
                self.text(e[1], "commentary")
            elif w == "call":
                self.call(e[1])
            elif w == "end":
                self.t += rng.uniform(2, 8)
                self.text(e[1], "final_answer")
                self.tokens(len(e[1]) // 4 + rng.randint(20, 120))
                self.rec("event_msg", {"type": "task_complete", "turn_id": turn, "last_agent_message": e[1]})
            elif w == "interrupt":
                self.rec("event_msg", {"type": "turn_aborted", "turn_id": turn, "reason": "interrupted"})
            elif w == "compact":
                said = [x[1] for x in ev[:k] if x[0] == "prompt"][-4:]
                self.rec("compacted", {"message": "", "replacement_history": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": s[:400]}]} for s in said]})
                self.rec("event_msg", {"type": "context_compacted"})
                self.ctx = rng.randint(14000, 17000)
            elif w == "model":
                self.model = e[1]
            elif w == "clear":
                raise ValueError("no /clear within a rollout")
        d = EPOCH + timedelta(seconds=start)
        path = os.path.join(self.folder, "sessions", d.strftime("%Y/%m/%d"))
        os.makedirs(path, exist_ok=True)
        with open(os.path.join(path, f"rollout-{d.strftime('%Y-%m-%dT%H-%M-%S')}-{sid}.jsonl"), "w", encoding="utf-8") as f:
            f.write("\n".join(self.lines) + "\n")

    def text(self, s, phase):
        self.rec("event_msg", {"type": "agent_message", "message": s, "phase": phase})
        self.rec("response_item", {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": s}], "phase": phase})

    def call(self, c):
        rng, a, op = self.rng, c.a, c.op
        self.t += rng.uniform(2, 6)
        if rng.random() < .3:
            self.rec("response_item", {"type": "reasoning", "summary": [], "encrypted_content": "gAAAA" + self.life.cid()[-20:]})
        if op in ("edit", "write"):
            p = a["path"]
            if op == "edit":
                patch = f"*** Begin Patch\n*** Update File: {p}\n@@\n" + "\n".join("-" + x for x in a["old"].split("\n")) + "\n" + "\n".join("+" + x for x in a["new"].split("\n")) + "\n*** End Patch"
            else:
                patch = f"*** Begin Patch\n*** Add File: {p}\n" + "\n".join("+" + x for x in a["content"].split("\n")) + "\n*** End Patch"
            self.rec("response_item", {"type": "custom_tool_call", "status": "completed", "call_id": c.id, "name": "apply_patch", "input": patch})
            if c.err:
                out = f"apply_patch verification failed: Failed to find expected lines in {self.cwd}/{p}:\n{a.get('old', '')}"
            else:
                s = f"Success. Updated the following files:\n{'M' if op == 'edit' else 'A'} {p}\n"
                self.rec("event_msg", {"type": "patch_apply_end", "call_id": c.id, "turn_id": self.turn, "stdout": s, "stderr": "", "success": True})
                out = "Exit code: 0\nWall time: 0.1 seconds\nOutput:\n" + s
            self.rec("response_item", {"type": "custom_tool_call_output", "call_id": c.id, "output": out})
            self.pending += len(patch) // 4
        elif op == "todo":
            self.rec("response_item", {"type": "function_call", "name": "update_plan", "arguments": dumps({"plan": [{"step": x, "status": "in_progress" if j == 0 else "pending"} for j, x in enumerate(a["items"])]}), "call_id": c.id})
            self.rec("response_item", {"type": "function_call_output", "call_id": c.id, "output": "Plan updated"})
        else:
            if op in ("search", "searchsh"):
                cmd = f"rg -n \"{a['pattern']}\"" + (f" {a['path']}" if "path" in a else "")
            elif op == "read":
                cmd = f"cat {a['path']}"
            else:
                cmd = a["cmd"]
            body = c.out if c.out is not None else "\n".join(a["text"])
            self.rec("response_item", {"type": "function_call", "name": "exec_command", "arguments": dumps({"cmd": cmd, "workdir": self.cwd, "yield_time_ms": 10000}), "call_id": c.id})
            self.t += rng.uniform(.1, 4)
            n = len(body) // 4 + 1
            self.rec("response_item", {"type": "function_call_output", "call_id": c.id, "output": f"Chunk ID: {rng.getrandbits(24):06x}\nWall time: {rng.uniform(0, 3):.4f} seconds\nProcess exited with code {c.code if c.err else 0}\nOriginal token count: {n}\nOutput:\n{body}\n"})
            self.pending += n + 30
        self.tokens(rng.randint(30, 200))
