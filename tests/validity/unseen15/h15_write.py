"""The session files, laid out as each of the two clients lays them out."""

# ruff: noqa: UP031

import json
import random
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

Op = dict[str, Any]

B62 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
B64 = B62 + "+/"
_dump = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, "
    "the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed."
)


def iso(ms: int) -> str:
    return datetime.fromtimestamp(ms // 1000, UTC).strftime("%Y-%m-%dT%H:%M:%S.") + "%03dZ" % (
        ms % 1000
    )


def uid(rng: random.Random) -> str:
    h = "%032x" % rng.getrandbits(128)
    return "%s-%s-4%s-%s%s-%s" % (
        h[:8],
        h[8:12],
        h[13:16],
        "89ab"[int(h[16], 16) % 4],
        h[17:20],
        h[20:],
    )


def uid7(rng: random.Random, ms: int) -> str:
    h = "%020x" % rng.getrandbits(80)
    t = "%012x" % ms
    return "%s-%s-7%s-%s%s-%s" % (t[:8], t[8:], h[:3], "89ab"[int(h[3], 16) % 4], h[4:7], h[8:20])


class Base:
    def __init__(self, rng: random.Random, meta: dict[str, Any], start: int) -> None:
        self.rng, self.m, self.t = rng, meta, start
        self.out: list[str] = []
        self.text: str | None = None
        self.think: Callable[[], str] | None = None
        self.fresh, self.ctx = 9000 + rng.randrange(9000), 0  # tokens not yet cached; tokens cached
        self.calls = 0

    def tick(self, lo: float, hi: float | None = None) -> None:
        """Seconds go by."""
        self.t += int(1000 * (lo if hi is None else self.rng.uniform(lo, hi))) + 1

    def code(self, n: int, alphabet: str = B62) -> str:
        return "".join(self.rng.choices(alphabet, k=n))

    def say(self, text: str) -> None:
        self.text = text if self.text is None else self.text + "\n\n" + text

    def file_name(self) -> str:
        raise NotImplementedError

    def user(self, text: str, **extra: Any) -> None:
        raise NotImplementedError

    def batch(self, ops: list[Op]) -> None:
        raise NotImplementedError

    def end_turn(self, text: str) -> None:
        raise NotImplementedError

    def interrupt(self) -> None:
        raise NotImplementedError

    def compact(self, summary: str) -> None:
        raise NotImplementedError

    def clear(self) -> None:
        raise NotImplementedError

    def sub_start(self, op: Op) -> None:
        raise NotImplementedError

    def sub_end(self, report: str) -> None:
        raise NotImplementedError

    def save(self, folder: Path) -> None:
        path = folder / self.file_name()
        path.write_text("\n".join(self.out) + "\n", encoding="utf-8")

    def patch(self, op: Op) -> tuple[int, int, list[str]]:
        """Lines of a diff: context, old, new, context."""
        lines, i = op["before"], op["at"]
        a, b = max(0, i - 3), min(len(lines), i + len(op["old"]) + 3)
        body = (
            [" " + x for x in lines[a:i]]
            + ["-" + x for x in op["old"]]
            + ["+" + x for x in op["new"]]
            + [" " + x for x in lines[i + len(op["old"]) : b]]
        )
        return a, b, body


class Claude(Base):
    def __init__(self, rng: random.Random, meta: dict[str, Any], start: int) -> None:
        super().__init__(rng, meta, start)
        self.sid = uid(rng)
        self.last: str | None = None
        self.side: dict[str, Any] | None = None
        self.turn0 = start
        self.slug = "-".join(
            rng.choice(x)
            for x in (
                ["polished", "velvet", "snug", "peppy", "curious", "woolly"],
                ["whistling", "knitting", "stirring", "hopping", "mapping"],
                ["quill", "badger", "teacup", "hopper", "comet", "ritchie"],
            )
        )

    def file_name(self) -> str:
        return self.sid + ".jsonl"

    def rec(self, kind: str, body: dict[str, Any]) -> str:
        u = uid(self.rng)
        self.t += self.rng.randrange(1, 9)
        r = {
            "parentUuid": self.side["last"] if self.side else self.last,
            "isSidechain": bool(self.side),
            "userType": "external",
            "cwd": self.m["cwd"],
            "sessionId": self.sid,
            "version": self.m["version"],
            "gitBranch": self.m["branch"],
            "slug": self.slug,
        }
        if self.side:
            r["agentId"] = self.side["id"]
        r["type"] = kind
        r.update(body)
        r["uuid"], r["timestamp"] = u, iso(self.t)
        if self.side:
            self.side["last"] = u
        else:
            self.last = u
        self.out.append(_dump(r))
        return u

    def user(self, text: str, **extra: Any) -> None:
        self.t += 3
        self.fresh += len(text) // 4 + 8
        mid = uid(self.rng)
        if not self.side:
            self.out.append(
                _dump(
                    {
                        "type": "file-history-snapshot",
                        "messageId": mid,
                        "snapshot": {
                            "messageId": mid,
                            "trackedFileBackups": {},
                            "timestamp": iso(self.t),
                        },
                        "isSnapshotUpdate": False,
                    }
                )
            )
        if not self.side:
            self.turn0 = self.t
        self.rec(
            "user",
            {
                "message": {"role": "user", "content": text},
                **(
                    {}
                    if self.side
                    else {"todos": [], "permissionMode": self.m.get("mode", "default")}
                ),
                **extra,
            },
        )

    def clear(self) -> None:
        self.command("clear", "")

    def command(self, name: str, out: str) -> None:
        """A slash command and what it printed."""
        self.rec(
            "user",
            {
                "message": {
                    "role": "user",
                    "content": "<local-command-caveat>Caveat: The messages below were generated by the user while running local commands. DO NOT respond to these messages or otherwise consider them in your response unless the user explicitly asks you to.</local-command-caveat>",
                },
                "isMeta": True,
            },
        )
        self.rec(
            "user",
            {
                "message": {
                    "role": "user",
                    "content": "<command-name>/%s</command-name>\n            <command-message>%s</command-message>\n            <command-args></command-args>"
                    % (name, name),
                }
            },
        )
        self.rec(
            "user",
            {
                "message": {
                    "role": "user",
                    "content": "<local-command-stdout>%s</local-command-stdout>" % out,
                }
            },
        )

    def message(self, blocks: list[dict[str, Any]]) -> list[str]:
        if self.side:
            s = self.side
            s["ctx"], new = s["ctx"] + s["fresh"], s["fresh"]
            s["fresh"], read = 0, s["ctx"] - new
        else:
            read, new = self.ctx, self.fresh
            self.ctx, self.fresh = self.ctx + new, 0
        outtok = sum(len(str(b)) for b in blocks) // 4
        usage = {
            "input_tokens": self.rng.randint(1, 6),
            "cache_creation_input_tokens": new,
            "cache_read_input_tokens": read,
            "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": new},
            "output_tokens": outtok,
            "service_tier": "standard",
            "inference_geo": "not_available",
        }
        mid, req, ids = "msg_01" + self.code(22), "req_011C" + self.code(20), []
        if self.side:
            self.side["fresh"] += outtok
        else:
            self.fresh += outtok
        for b in blocks:
            self.tick(0.2, 1.4)
            ids.append(
                self.rec(
                    "assistant",
                    {
                        "message": {
                            "model": self.m["model"] if not self.side else self.m["small"],
                            "id": mid,
                            "type": "message",
                            "role": "assistant",
                            "content": [b],
                            "stop_reason": None,
                            "stop_sequence": None,
                            "usage": usage,
                        },
                        "requestId": req,
                    },
                )
            )
        return ids

    def lead(self) -> list[dict[str, Any]]:
        blocks: list[dict[str, Any]] = []
        if self.rng.random() < 0.22 and self.think:
            blocks.append(
                {"type": "thinking", "thinking": self.think(), "signature": self.code(180, B64)}
            )
        if self.text:
            blocks.append({"type": "text", "text": self.text})
            self.text = None
        return blocks

    def batch(self, ops: list[Op]) -> None:
        self.tick(1.5, 9)
        blocks, ids = self.lead(), []
        for op in ops:
            name, args = self.render(op)
            ids.append("toolu_01" + self.code(22))
            blocks.append({"type": "tool_use", "id": ids[-1], "name": name, "input": args})
        uuids = self.message(blocks)[-len(ops) :]
        self.calls += len(ops)
        for op, tid, au in zip(ops, ids, uuids, strict=True):
            if op["k"] == "task":
                self.pending = (op, tid, au)
                return
            self.tick(op.get("secs", 0.05), op.get("secs", 0.05) * 2.2)
            self.result(op, tid, au)

    def result(self, op: Op, tid: str, au: str) -> None:
        text, error, tur = self.answer(op)
        b: dict[str, Any] = {"tool_use_id": tid, "type": "tool_result", "content": text}
        if error:
            b = {"type": "tool_result", "content": text, "is_error": True, "tool_use_id": tid}
        elif op["k"] == "bash":
            b["is_error"] = False
        size = len(text if isinstance(text, str) else text[0]["text"]) // 4 + 4
        if self.side:
            self.side["fresh"] += size
        else:
            self.fresh += size
        body: dict[str, Any] = {
            "message": {"role": "user", "content": [b]},
            "toolUseResult": tur,
            "sourceToolAssistantUUID": au,
        }
        if self.side:
            body.pop("toolUseResult")
        self.rec("user", body)

    def abs(self, p: str) -> str:
        return str(self.m["cwd"]) if p in (".", "") else "%s/%s" % (self.m["cwd"], p)

    def render(self, op: Op) -> tuple[str, dict[str, Any]]:
        k, new = op["k"], self.m["tools"] == "new"
        if k == "read" and op.get("shell"):
            s, n = op["start"] + 1, op["count"]
            cmd = (
                "sed -n '%d,%dp' %s" % (s, s + n - 1, op["path"])
                if op.get("part")
                else ["cat %s", "cat -n %s", "head -n 300 %s"][op["style"]] % op["path"]
            )
            return "Bash", {"command": cmd, "description": "Show " + op["path"].rsplit("/", 1)[-1]}
        if k == "read":
            args = {"file_path": self.abs(op["path"])}
            if op.get("part"):
                args.update(offset=op["start"] + 1, limit=op["count"])
            return "Read", args
        if k == "search":
            if new or op.get("shell"):
                return "Bash", {
                    "command": 'grep -rn "%s" %s' % (op["pattern"], op["path"]),
                    "description": "Find %s" % op["pattern"][:30],
                }
            return "Grep", {
                "pattern": op["pattern"],
                "path": self.abs(op["path"]),
                "output_mode": "content",
                "-n": True,
            }
        if k == "glob":
            if new or op.get("shell"):
                return "Bash", {
                    "command": "ls -R %s | head -60" % op["path"],
                    "description": "List %s" % op["path"],
                }
            return "Glob", {"pattern": op["path"] + "/**/*"}
        if k == "edit":
            return "Edit", {
                "replace_all": False,
                "file_path": self.abs(op["path"]),
                "old_string": "\n".join(op["old"]),
                "new_string": "\n".join(op["new"]),
            }
        if k == "write":
            return "Write", {
                "file_path": self.abs(op["path"]),
                "content": "\n".join(op["new"]) + "\n",
            }
        if k == "bash":
            return "Bash", {
                "command": op["cmd"],
                "description": op.get("about") or "Run " + op["cmd"].split()[0],
                **({"timeout": op["limit"]} if op.get("limit") else {}),
            }
        if k == "web":
            return "WebFetch", {"url": op["url"], "prompt": op["prompt"]}
        if k == "todo":
            if op.get("fail") and op["fail"][0] == "args":
                return (
                    ("TaskCreate", {"activeForm": op["items"][0]})
                    if new
                    else ("TodoWrite", {"items": op["items"]})
                )
            if new:
                if op["done"]:
                    return "TaskUpdate", {"taskId": str(op["done"]), "status": "completed"}
                return "TaskCreate", {
                    "subject": op["items"][0],
                    "description": "; ".join(op["items"]),
                    "activeForm": op["items"][0],
                }
            todos = [
                {
                    "content": x,
                    "status": "completed"
                    if i < op["done"]
                    else "in_progress"
                    if i == op["done"]
                    else "pending",
                    "activeForm": x,
                }
                for i, x in enumerate(op["items"])
            ]
            op["todos"] = todos
            return "TodoWrite", {"todos": todos}
        if k == "task":
            return ("Agent" if new else "Task"), {
                "subagent_type": op.get("who", "Explore"),
                "description": op["about"],
                "prompt": op["prompt"],
            }
        return "mcp__%s__%s" % (op["server"], op["tool"]), op["args"]

    def answer(self, op: Op) -> tuple[Any, bool, Any]:
        """Text of the result, whether it is an error, and the client's own record of it."""
        k, f = op["k"], op.get("fail")
        if f:
            kind, text = f[:2]
            if op.get("shell"):
                text = (
                    "Exit code 2\n"
                    + (
                        "grep: %s: No such file or directory" % op["path"]
                        if kind == "nopath"
                        else text
                    )
                    if k != "read"
                    else "Exit code 1\ncat: %s: No such file or directory" % op["path"]
                )
                return text, True, "Error: " + text
            if k in ("read", "search", "glob", "edit", "write", "todo") and kind not in (
                "denied",
                "timeout",
            ):
                if k in ("search", "glob") and self.m["tools"] == "new":
                    text = (
                        "Exit code 2\nrg: %s: No such file or directory (os error 2)" % op["path"]
                        if kind == "nopath"
                        else "Exit code 2\n" + text
                    )
                    return text, True, "Error: " + text
                return "<tool_use_error>%s</tool_use_error>" % text, True, "Error: " + text
            return text, True, ("User rejected tool use" if kind == "denied" else "Error: " + text)
        if k == "read" and op.get("shell"):
            s, lines = op["start"], op["lines"]
            text = (
                "\n".join("%6d\t%s" % (s + 1 + i, x) for i, x in enumerate(lines))
                if op["style"] == 1 and not op.get("part")
                else "\n".join(lines)
            )
            return (
                text,
                False,
                {"stdout": text, "stderr": "", "interrupted": False, "isImage": False},
            )
        if k == "read":
            s, lines = op["start"], op["lines"]
            return (
                "\n".join("%6d→%s" % (s + 1 + i, x) for i, x in enumerate(lines)),
                False,
                {
                    "type": "text",
                    "file": {
                        "filePath": self.abs(op["path"]),
                        "content": "\n".join(lines),
                        "numLines": len(lines),
                        "startLine": s + 1,
                        "totalLines": op["total"],
                    },
                },
            )
        if k in ("search", "glob"):
            text = (
                "\n".join(op["hits"])
                if op["hits"]
                else "No matches found"
                if k == "search"
                else "No files found"
            )
            if self.m["tools"] == "new" or op.get("shell"):
                return (
                    text,
                    False,
                    {"stdout": text, "stderr": "", "interrupted": False, "isImage": False},
                )
            if k == "glob":
                return (
                    "\n".join(self.abs(h) for h in op["hits"]),
                    False,
                    {
                        "filenames": [self.abs(h) for h in op["hits"]],
                        "durationMs": 12 + len(op["hits"]),
                        "numFiles": len(op["hits"]),
                        "truncated": False,
                    },
                )
            return (
                text,
                False,
                {
                    "mode": "content",
                    "numFiles": 0,
                    "filenames": [],
                    "content": text,
                    "numLines": len(op["hits"]),
                },
            )
        if k == "edit":
            a, b, body = self.patch(op)
            whole = "\n".join(op["before"])
            return (
                "The file %s has been updated successfully." % self.abs(op["path"]),
                False,
                {
                    "filePath": self.abs(op["path"]),
                    "oldString": "\n".join(op["old"]),
                    "newString": "\n".join(op["new"]),
                    "originalFile": whole if len(whole) < 5000 else None,
                    "structuredPatch": [
                        {
                            "oldStart": a + 1,
                            "oldLines": b - a,
                            "newStart": a + 1,
                            "newLines": b - a + len(op["new"]) - len(op["old"]),
                            "lines": body,
                        }
                    ],
                    "userModified": False,
                    "replaceAll": False,
                },
            )
        if k == "write":
            return (
                "File created successfully at: " + self.abs(op["path"]),
                False,
                {
                    "type": "create",
                    "filePath": self.abs(op["path"]),
                    "content": "\n".join(op["new"]) + "\n",
                    "structuredPatch": [],
                    "originalFile": None,
                },
            )
        if k == "bash":
            if op.get("exit"):
                text = "Exit code %d\n%s" % (op["exit"], op["out"])
                return text, True, "Error: " + text
            return (
                op["out"],
                False,
                {"stdout": op["out"], "stderr": "", "interrupted": False, "isImage": False},
            )
        if k == "todo":
            if "todos" in op:
                return (
                    "Todos have been modified successfully. Ensure that you continue to use the todo list to track your progress. Please proceed with the current tasks if applicable",
                    False,
                    {"oldTodos": [], "newTodos": op["todos"]},
                )
            if op["done"]:
                return (
                    "Updated task #%d status" % op["done"],
                    False,
                    {"success": True, "taskId": str(op["done"]), "updatedFields": ["status"]},
                )
            return (
                "Task #1 created successfully: " + op["items"][0],
                False,
                {"task": {"id": "1", "subject": op["items"][0]}},
            )
        if k == "web":
            return (
                op["out"],
                False,
                {
                    "bytes": 40 * len(op["out"]),
                    "code": 200,
                    "codeText": "OK",
                    "result": op["out"],
                    "durationMs": 2100 + len(op["out"]),
                    "url": op["url"],
                },
            )
        return [{"type": "text", "text": op["out"]}], False, [{"type": "text", "text": op["out"]}]

    def sub_start(self, op: Op) -> None:
        self.batch([op])
        self.side = {
            "id": "%07x" % self.rng.getrandbits(28),
            "last": None,
            "ctx": 0,
            "fresh": 7000 + self.rng.randrange(2000),
            "t0": self.t,
            "n": self.calls,
        }
        self.user(op["prompt"])

    def sub_end(self, report: str) -> None:
        self.tick(2, 6)
        self.message([{"type": "text", "text": report}])
        side, self.side = self.side or {}, None
        op, tid, au = self.pending
        b: list[dict[str, Any]] = [
            {"type": "text", "text": report},
            {
                "type": "text",
                "text": "agentId: %s (for resuming to continue this agent's work if needed)"
                % side["id"],
            },
        ]
        self.fresh += len(report) // 4 + 30
        self.rec(
            "user",
            {
                "message": {
                    "role": "user",
                    "content": [{"tool_use_id": tid, "type": "tool_result", "content": b}],
                },
                "toolUseResult": {
                    "status": "completed",
                    "prompt": op["prompt"],
                    "agentId": side["id"],
                    "content": b[:1],
                    "totalDurationMs": self.t - side["t0"],
                    "totalTokens": side["ctx"] + side["fresh"],
                    "totalToolUseCount": self.calls - side["n"],
                },
                "sourceToolAssistantUUID": au,
            },
        )

    def end_turn(self, text: str) -> None:
        self.tick(2, 7)
        self.text = text
        self.message(self.lead())
        self.rec(
            "system",
            {"subtype": "turn_duration", "durationMs": self.t - self.turn0, "isMeta": False},
        )

    def interrupt(self) -> None:
        self.rec(
            "user",
            {
                "message": {
                    "role": "user",
                    "content": [{"type": "text", "text": "[Request interrupted by user]"}],
                }
            },
        )

    def compact(self, summary: str) -> None:
        pre, self.text = self.ctx + self.fresh, None
        old, self.last = self.last, None
        self.tick(30, 80)
        auto = pre > 110000
        self.rec(
            "system",
            {
                "logicalParentUuid": old,
                "subtype": "compact_boundary",
                "content": "Conversation compacted",
                "isMeta": False,
                "level": "info",
                "compactMetadata": {"trigger": "auto" if auto else "manual", "preTokens": pre},
            },
        )
        self.ctx, self.fresh = 0, 14000 + len(summary) // 4
        self.rec(
            "user",
            {
                "message": {
                    "role": "user",
                    "content": "This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.\n\n"
                    + summary
                    + "\n\nPlease continue the conversation from where we left it off without asking the user any further questions. Continue with the last task that you were asked to work on.",
                },
                "isVisibleInTranscriptOnly": True,
                "isCompactSummary": True,
            },
        )
        if not auto:
            self.command("compact", "Compacted (ctrl+o to see full summary)")


class Codex(Base):
    WINDOW = 258400

    def __init__(self, rng: random.Random, meta: dict[str, Any], start: int) -> None:
        super().__init__(rng, meta, start)
        self.start, self.sid, self.total, self.windows = start, uid7(rng, start), [0, 0, 0, 0], 1
        self.turn: str | None = None
        self.turn0 = start
        self.texts: list[str] = []
        self.first = True
        git = {
            "commit_hash": "%040x" % rng.getrandbits(160),
            "branch": meta["branch"],
            "repository_url": "ssh://git@code.foldspine.example/platform/shelfmark.git",
        }
        self.rec(
            "session_meta",
            {
                "session_id": self.sid,
                "id": self.sid,
                "timestamp": iso(start),
                "cwd": meta["cwd"],
                "originator": "codex-tui",
                "cli_version": meta["version"],
                "source": "cli",
                "thread_source": "user",
                "model_provider": "openai",
                "base_instructions": {
                    "text": "You are Codex, a coding agent based on GPT-5. You and the user share one workspace, and your job is to collaborate with them until their goal is genuinely handled."
                },
                "git": git,
            },
        )

    def file_name(self) -> str:
        return "rollout-%s-%s.jsonl" % (iso(self.start)[:19].replace(":", "-"), self.sid)

    def rec(self, kind: str, payload: dict[str, Any]) -> None:
        self.t += self.rng.randrange(1, 6)
        self.out.append(_dump({"timestamp": iso(self.t), "type": kind, "payload": payload}))

    def item(self, payload: dict[str, Any]) -> None:
        payload["internal_chat_message_metadata_passthrough"] = {"turn_id": self.turn}
        self.rec("response_item", payload)

    def event(self, kind: str, **body: Any) -> None:
        self.rec("event_msg", {"type": kind, **body})

    def user(self, text: str, **extra: Any) -> None:
        self.turn, self.turn0 = uid7(self.rng, self.t), self.t
        self.event(
            "task_started",
            turn_id=self.turn,
            started_at=self.t // 1000,
            model_context_window=self.WINDOW,
            collaboration_mode_kind="default",
        )
        cwd, day = self.m["cwd"], iso(self.t)[:10]
        if self.first:
            self.item(
                {
                    "type": "message",
                    "role": "developer",
                    "content": [
                        {
                            "type": "input_text",
                            "text": "<permissions instructions>\nFilesystem sandboxing defines which files can be read or written. `sandbox_mode` is `workspace-write`. Network access is enabled.\nApproval policy is currently on-request.\n</permissions instructions>",
                        }
                    ],
                }
            )
            self.item(
                {
                    "type": "message",
                    "role": "user",
                    "content": [
                        {
                            "type": "input_text",
                            "text": "# AGENTS.md instructions for %s\n\n<INSTRUCTIONS>\n%s\n</INSTRUCTIONS>"
                            % (cwd, self.m["agents_md"]),
                        },
                        {
                            "type": "input_text",
                            "text": "<environment_context>\n  <cwd>%s</cwd>\n  <shell>bash</shell>\n  <current_date>%s</current_date>\n  <timezone>Europe/Stockholm</timezone>\n</environment_context>"
                            % (cwd, day),
                        },
                    ],
                }
            )
            self.first = False
        self.rec(
            "turn_context",
            {
                "turn_id": self.turn,
                "cwd": cwd,
                "workspace_roots": [cwd],
                "current_date": day,
                "timezone": "Europe/Stockholm",
                "approval_policy": "on-request",
                "sandbox_policy": {"type": "workspace-write", "network_access": True},
                "model": self.m["model"],
                "personality": "pragmatic",
                "collaboration_mode": {
                    "mode": "default",
                    "settings": {
                        "model": self.m["model"],
                        "reasoning_effort": "medium",
                        "developer_instructions": None,
                    },
                },
                "effort": "medium",
                "summary": "auto",
            },
        )
        self.texts.append(text)
        self.fresh += len(text) // 4 + 8
        self.item(
            {
                "type": "message",
                "role": "user",
                "content": [{"type": "input_text", "text": text + "\n"}],
            }
        )
        self.event(
            "user_message", message=text + "\n", images=[], local_images=[], text_elements=[]
        )

    def clear(self) -> None:
        pass

    def speak(self, phase: str) -> None:
        if self.text:
            self.event("agent_message", message=self.text, phase=phase, memory_citation=None)
            self.item(
                {
                    "type": "message",
                    "id": "msg_0%s" % self.hexa(49),
                    "role": "assistant",
                    "content": [{"type": "output_text", "text": self.text}],
                    "phase": phase,
                }
            )
            self.text = None

    def hexa(self, n: int) -> str:
        return "%0*x" % (n, self.rng.getrandbits(4 * n))

    def tokens(self, outtok: int, thought: int) -> None:
        inp = self.ctx + self.fresh
        last = [inp, self.ctx, outtok, thought]
        self.total = [a + b for a, b in zip(self.total, last, strict=True)]
        self.ctx, self.fresh = inp, outtok
        names = ("input_tokens", "cached_input_tokens", "output_tokens", "reasoning_output_tokens")
        info: dict[str, Any] = {
            k: dict(zip(names, v, strict=True), total_tokens=v[0] + v[2])
            for k, v in (("total_token_usage", self.total), ("last_token_usage", last))
        }
        info["model_context_window"] = self.WINDOW
        self.event(
            "token_count",
            info=info,
            rate_limits={
                "limit_id": "codex",
                "limit_name": None,
                "primary": {
                    "used_percent": float(self.t // 60000 % 80),
                    "window_minutes": 300,
                    "resets_at": self.t // 1000 + 9000,
                },
                "secondary": None,
                "credits": None,
                "plan_type": "business",
            },
        )

    def think_item(self) -> int:
        if self.rng.random() < 0.55:
            self.item(
                {
                    "type": "reasoning",
                    "id": "rs_0" + self.hexa(49),
                    "summary": [],
                    "encrypted_content": self.code(160, B64),
                }
            )
            return self.rng.randrange(8, 240)
        return 0

    def batch(self, ops: list[Op]) -> None:
        self.tick(1.5, 9)
        thought = self.think_item()
        self.speak("commentary")
        ids, size = [], 0
        for op in ops:
            cid = "call_" + self.code(24)
            ids.append(cid)
            if op["k"] in ("edit", "write"):
                op["body"] = self.patch_text(op)
                self.item(
                    {
                        "type": "custom_tool_call",
                        "id": "ctc_0" + self.hexa(49),
                        "status": "completed",
                        "call_id": cid,
                        "name": "apply_patch",
                        "input": op["body"],
                    }
                )
                size += len(op["body"])
            else:
                name, args = self.render(op)
                text = _dump(args)
                self.item(
                    {
                        "type": "function_call",
                        "id": "fc_0" + self.hexa(49),
                        "name": name,
                        "arguments": text,
                        "call_id": cid,
                    }
                )
                size += len(text)
            self.tick(0.1, 0.6)
        self.calls += len(ops)
        for op, cid in zip(ops, ids, strict=True):
            secs = op.get("secs", 0.05)
            self.tick(secs, secs * 2)
            out = self.reply(op, cid, secs)
            kind = (
                "custom_tool_call_output"
                if op["k"] in ("edit", "write")
                else "function_call_output"
            )
            self.item({"type": kind, "call_id": cid, "output": out})
        inp = size // 4 + thought
        self.tokens(inp, thought)
        self.fresh += sum(op.get("size", 60) for op in ops) // 4

    def patch_text(self, op: Op) -> str:
        if op["k"] == "write":
            return "*** Begin Patch\n*** %s File: %s\n%s\n*** End Patch" % (
                "Create" if op["fail"] else "Add",
                op["path"],
                "\n".join("+" + x for x in op["new"]),
            )
        body = (
            self.patch(op)[2]
            if op["fail"] is None
            else [" " + x for x in op["old"]] + ["+" + x for x in op["new"]]
        )
        return "*** Begin Patch\n*** Update File: %s\n@@\n%s\n*** End Patch" % (
            op["path"],
            "\n".join(body),
        )

    def render(self, op: Op) -> tuple[str, dict[str, Any]]:
        k, cwd = op["k"], self.m["cwd"]
        if k == "todo":
            if op.get("fail"):
                return "update_plan", {
                    "plan": [{"text": x, "status": "pending"} for x in op["items"]]
                }
            return "update_plan", {
                "plan": [
                    {
                        "step": x,
                        "status": "completed"
                        if i < op["done"]
                        else "in_progress"
                        if i == op["done"]
                        else "pending",
                    }
                    for i, x in enumerate(op["items"])
                ]
            }
        if k == "mcp":
            return "mcp__%s__%s" % (op["server"], op["tool"]), op["args"]
        if k == "poll":
            return "write_stdin", {"session_id": op["sid"], "chars": "", "yield_time_ms": 30000}
        if k == "read":
            s, n, p = op["start"] + 1, op["count"], op["path"]
            cmd = (
                "sed -n '%d,%dp' %s" % (s, s + n - 1, p)
                if op.get("part")
                else (
                    "cat %s" % p
                    if op["style"] == 0
                    else "sed -n '1,%dp' %s" % (-(-max(op["total"], 1) // 80) * 80, p)
                    if op["style"] == 1
                    else "nl -ba %s" % p
                )
            )
        elif k == "search":
            cmd = ('rg -n "%s" %s' if self.m["searcher"] == "rg" else 'grep -rn "%s" %s') % (
                op["pattern"],
                op["path"],
            )
        elif k == "glob":
            cmd = (
                "rg --files %s" % op["path"]
                if self.m["searcher"] == "rg"
                else "find %s -type f" % op["path"]
            )
        else:
            cmd = op["cmd"]
        if self.m["tools"] == "old":
            return "shell", {"command": ["bash", "-lc", cmd], "workdir": cwd}
        return "exec_command", {
            "cmd": cmd,
            "workdir": cwd,
            "yield_time_ms": op.get("yield", 1000),
            "max_output_tokens": 8000,
        }

    def reply(self, op: Op, cid: str, secs: float) -> str:
        k, f, code = op["k"], op.get("fail"), op.get("exit", 0)
        if k in ("edit", "write"):
            if f:
                return str(f[1])
            p = self.m["cwd"] + "/" + op["path"]
            done = "Success. Updated the following files:\n%s %s\n" % (
                "M" if k == "edit" else "A",
                p,
            )
            if k == "edit":
                a, b, body = self.patch(op)
                change = {
                    "type": "update",
                    "unified_diff": "@@ -%d,%d +%d,%d @@\n%s\n"
                    % (
                        a + 1,
                        b - a,
                        a + 1,
                        b - a + len(op["new"]) - len(op["old"]),
                        "\n".join(body),
                    ),
                    "move_path": None,
                }
            else:
                change = {"type": "add", "content": "\n".join(op["new"]) + "\n"}
            self.event(
                "patch_apply_end",
                call_id=cid,
                turn_id=self.turn,
                stdout=done,
                stderr="",
                success=True,
                changes={p: change},
                status="completed",
            )
            return "Exit code: 0\nWall time: %.1f seconds\nOutput:\n%s" % (secs, done)
        if k == "todo":
            return str(f[1]) if f else "Plan updated"
        if k == "mcp":
            text = f[1] if f else op["out"]
            op["size"] = len(text)
            self.event(
                "mcp_tool_call_end",
                call_id=cid,
                invocation={"server": op["server"], "tool": op["tool"], "arguments": op["args"]},
                duration={"secs": 0, "nanos": 10**6 * self.rng.randrange(40, 900)},
                result={"Ok": {"content": [{"type": "text", "text": text}], "isError": bool(f)}},
            )
            return (
                "Wall time: 0.3 seconds\nOutput:\n" + _dump([{"type": "text", "text": text}])
                if not f
                else "Wall time: 0.2 seconds\nError:\n" + text
            )
        if f:
            text, code = f[1], f[2] if len(f) > 2 else 2
        elif k == "read":
            text = "\n".join(
                ("%6d\t%s" % (i + 1, x) for i, x in enumerate(op["lines"]))
                if op.get("style") == 2 and not op.get("part")
                else op["lines"]
            )
        elif k in ("search", "glob"):
            text, code = "\n".join(op["hits"]), 0 if op["hits"] else 1
        else:
            text = op["out"]
        op["size"] = len(text)
        if self.m["tools"] == "old":
            return _dump(
                {
                    "output": text + "\n",
                    "metadata": {"exit_code": code, "duration_seconds": round(secs, 1)},
                }
            )
        if op.get("running"):
            return (
                "Chunk ID: %s\nWall time: %.4f seconds\nProcess running with session ID %d\nOriginal token count: %d\nOutput:\n%s\n"
                % (self.hexa(6), secs, op["running"], len(text) // 4, text)
            )
        return (
            "Chunk ID: %s\nWall time: %.4f seconds\nProcess exited with code %d\nOriginal token count: %d\nOutput:\n%s\n"
            % (self.hexa(6), secs, code, len(text) // 4, text)
        )

    def end_turn(self, text: str) -> None:
        self.tick(2, 7)
        self.text = text
        thought = self.think_item()
        self.speak("final_answer")
        self.tokens(len(text) // 4, thought)
        self.event(
            "task_complete",
            turn_id=self.turn,
            last_agent_message=text,
            completed_at=self.t // 1000,
            duration_ms=self.t - self.turn0,
            time_to_first_token_ms=1500 + self.rng.randrange(6000),
        )

    def interrupt(self) -> None:
        self.item(
            {
                "type": "message",
                "role": "user",
                "content": [
                    {
                        "type": "input_text",
                        "text": "<turn_aborted>\nThe user interrupted the previous turn on purpose. Any running unified exec processes may still be running in the background.\n</turn_aborted>",
                    }
                ],
            }
        )
        self.event(
            "turn_aborted",
            turn_id=self.turn,
            reason="interrupted",
            completed_at=self.t // 1000,
            duration_ms=self.t - self.turn0,
        )

    def compact(self, summary: str) -> None:
        self.tick(15, 50)
        hist: list[dict[str, Any]] = [
            {
                "type": "message",
                "role": "user",
                "content": [{"type": "input_text", "text": x + "\n"}],
            }
            for x in self.texts
        ]
        hist.append({"type": "compaction", "encrypted_content": self.code(400, B64)})
        w, self.windows = self.windows, self.windows + 1
        self.rec(
            "compacted",
            {
                "message": "",
                "replacement_history": hist,
                "window_number": w,
                "window_id": uid7(self.rng, self.t),
            },
        )
        self.event("context_compacted")
        self.ctx, self.fresh = 0, 16000
