"""Writes one session as Codex does: a rollout file of response items and event messages."""
import json
import shlex
import time

from .z23_claude import dumps, stamp

RULES = "You are Codex, a coding agent based on GPT-5. You and the user share one workspace, and your job is to collaborate with them until their goal is genuinely handled."


class Codex:
    def __init__(self, life, now):
        self.life, self.rng, self.now, self.lines, self.side = life, life.rng, now, [], None
        self.id, self.turn, self.started = life.uuid(), None, now
        self.old = not life.new_tools
        self.total, self.context = [0, 0, 0, 0], 9000
        git = {"commit_hash": "%040x" % self.rng.getrandbits(160), "branch": life.person["branch"], "repository_url": "https://github.com/%s/%s.git" % (life.person["user"], life.cwd.split("/")[-1])}
        meta = {"id": self.id, "timestamp": stamp(now), "cwd": life.cwd, "originator": "codex_cli_rs", "cli_version": life.client}
        if self.old:
            meta.update(instructions=None, git=git)
        else:
            meta.update(source="cli", model_provider="openai", base_instructions={"text": RULES}, git=git)
        self.put("session_meta", meta)
        if not self.old:
            self.item("message", role="developer", content=[{"type": "input_text", "text": "<permissions instructions>\nFilesystem sandboxing defines which files can be read or written. `sandbox_mode` is `workspace-write`.\n</permissions instructions>"}])
        self.message("user", "# AGENTS.md instructions for %s\n\n<INSTRUCTIONS>\n%s\n</INSTRUCTIONS>" % (life.cwd, "\n".join(life.rules)))
        self.message("user", "<environment_context>\n  <cwd>%s</cwd>\n  <approval_policy>on-request</approval_policy>\n  <sandbox_mode>workspace-write</sandbox_mode>\n  <shell>bash</shell>\n</environment_context>" % life.cwd)

    def later(self, low, high):
        self.now += int(1000 * (low + (high - low) * self.rng.random() ** 2))

    def put(self, kind, payload, /):
        self.lines.append(dumps({"timestamp": stamp(self.now), "type": kind, "payload": payload}))

    def item(self, kind, /, **more):
        self.put("response_item", {"type": kind, **more})

    def event(self, kind, /, **more):
        self.put("event_msg", {"type": kind, **more})

    def message(self, role, text):
        self.item("message", role=role, content=[{"type": "output_text" if role == "assistant" else "input_text", "text": text}])

    def user(self, text):
        self.later(20, 600)
        self.turn, self.began = self.life.uuid(), self.now
        if not self.old:
            self.event("task_started", turn_id=self.turn, started_at=self.now // 1000, model_context_window=258400, collaboration_mode_kind="default")
        context = {"cwd": self.life.cwd, "approval_policy": "on-request", "sandbox_policy": {"type": "workspace-write", "network_access": False, "exclude_tmpdir_env_var": False, "exclude_slash_tmp": False}, "model": self.life.model, "effort": "medium", "summary": "auto"}
        self.put("turn_context", context if self.old else {"turn_id": self.turn, **context})
        self.message("user", text)
        self.event("user_message", message=text, **({"kind": "plain"} if self.old else {"images": [], "local_images": [], "text_elements": []}))

    def say(self, text):
        self.later(2, 9)
        if self.rng.random() < 0.4:
            self.item("reasoning", summary=[], content=None, encrypted_content="gAAAAAB" + self.life.token(60))
        self.event("agent_message", message=text)
        self.message("assistant", text)

    def end(self, text):
        self.say(text)
        self.tokens(len(text))
        if not self.old:
            self.event("task_complete", turn_id=self.turn, last_agent_message=text, completed_at=self.now // 1000, duration_ms=self.now - self.began)

    def tokens(self, size):
        last = [self.context + size // 4, self.context, 60 + size // 8, 24]
        self.context = last[0]
        self.total = [a + b for a, b in zip(self.total, last)]
        names = ("input_tokens", "cached_input_tokens", "output_tokens", "reasoning_output_tokens")
        both = [{**dict(zip(names, use)), "total_tokens": use[0] + use[2]} for use in (self.total, last)]
        self.event("token_count", info={"total_token_usage": both[0], "last_token_usage": both[1], "model_context_window": 258400}, rate_limits=None)

    def command(self, op):
        kind = op["t"]
        if kind == "read":
            return "sed -n '%d,%dp' %s" % (op["start"] or 1, (op["start"] or 1) + op["n"] - 1, op["path"]) if op["n"] else "cat " + op["path"]
        if kind == "search":
            return "rg -n %s %s" % (shlex.quote(op["pattern"]), op["where"])
        if kind == "glob":
            return "rg --files -g '%s'" % op["pattern"]
        return op["cmd"]

    def patch(self, op):
        if op["t"] == "write":
            return "*** Begin Patch\n*** Add File: %s\n+%s\n*** End Patch" % (op["path"], op["text"].replace("\n", "\n+"))
        return "*** Begin Patch\n*** Update File: %s\n@@\n-%s\n+%s\n*** End Patch" % (op["path"], op["old"], op["new"].replace("\n", "\n+"))

    def open(self, op):
        self.later(2, 12)
        call_id, kind = "call_" + self.life.token(24), op["t"]
        if kind == "plan":
            plan = [{"step": item, "status": "completed" if i < op["done"] else "pending"} for i, item in enumerate(op["items"])]
            self.item("function_call", name="update_plan", arguments=json.dumps({"plan": plan}), call_id=call_id)
        elif kind in ("edit", "write"):
            if self.old:
                self.item("function_call", name="shell", arguments=json.dumps({"command": ["apply_patch", self.patch(op)], "workdir": self.life.cwd}), call_id=call_id)
            else:
                self.item("custom_tool_call", status="completed", call_id=call_id, name="apply_patch", input=self.patch(op))
        elif kind == "mcp":
            self.item("function_call", name=op["name"], arguments=json.dumps(op["input"]), call_id=call_id)
        elif self.old:
            self.item("function_call", name="shell", arguments=json.dumps({"command": ["bash", "-lc", self.command(op)], "workdir": self.life.cwd}), call_id=call_id)
        else:
            self.item("function_call", name="exec_command", arguments=json.dumps({"cmd": self.command(op), "workdir": self.life.cwd, "yield_time_ms": 10000, "max_output_tokens": 20000}), call_id=call_id)
        return call_id

    def close(self, op, call_id):
        self.later(0.2, 40 if op.get("slow") else 3)
        kind, out, bad = op["t"], op.get("out", ""), op.get("code", 0)
        if kind == "search" and not out:
            bad = 1  # ripgrep ends with 1 when nothing matches; no slip
        if kind == "plan":
            text = out if bad else "Plan updated"
        elif kind in ("edit", "write"):
            good = "Success. Updated the following files:\n%s %s\n" % ("A" if kind == "write" else "M", op["path"])
            if bad:
                text = json.dumps({"output": out, "metadata": {"exit_code": 1, "duration_seconds": 0.0}}) if self.old else out
            else:
                text = json.dumps({"output": good, "metadata": {"exit_code": 0, "duration_seconds": 0.0}}) if self.old else "Exit code: 0\nWall time: 0 seconds\nOutput:\n" + good
                if not self.old:
                    path = self.life.cwd + "/" + op["path"]
                    self.event("patch_apply_end", call_id=call_id, turn_id=self.turn, stdout=good, stderr="", success=True, changes={path: {"type": "add" if kind == "write" else "update", "move_path": None}})
        elif kind == "mcp":
            text = out
        elif self.old:
            text = json.dumps({"output": out + "\n", "metadata": {"exit_code": bad, "duration_seconds": 0.1}})
        else:
            text = "Chunk ID: %06x\nWall time: 0.0%d00 seconds\nProcess exited with code %d\nOriginal token count: %d\nOutput:\n%s\n" % (self.rng.getrandbits(24), bad, bad, len(out) // 4, out)
        self.item("custom_tool_call_output" if kind in ("edit", "write") and not self.old else "function_call_output", call_id=call_id, output=text)
        self.tokens(len(out))

    def interrupt(self, op):
        if op:
            call_id = self.open(op)
            self.item("function_call_output" if self.old or op["t"] not in ("edit", "write") else "custom_tool_call_output", call_id=call_id, output="aborted by user after 3.2s")
        if not self.old:
            self.item("message", role="developer", content=[{"type": "input_text", "text": "<turn_aborted>\nThe previous turn was interrupted on purpose. Any running unified exec processes may still be running in the background. If any tools/commands were aborted, they may have partially executed.\n</turn_aborted>"}])
        self.event("turn_aborted", **({} if self.old else {"turn_id": self.turn}), reason="interrupted")

    def compact(self, summary):
        self.put("compacted", {"message": "", "replacement_history": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": summary}]}]})
        self.event("context_compacted")
        self.context = 12000

    def clear(self):
        pass

    def save(self, folder):
        local = time.strftime("%Y-%m-%dT%H-%M-%S", time.gmtime(self.started // 1000 + 3600 * self.life.person["zone"]))
        (folder / ("rollout-%s-%s.jsonl" % (local, self.id))).write_text("\n".join(self.lines) + "\n", encoding="utf-8")
