"""Codex rollout files."""
import json
import os
import shlex
from datetime import timedelta, timezone

from r18_claude import _iso


def _q(s):
    return shlex.quote(s)


class CodexWriter:
    def __init__(self, rng, folder, life):
        self.rng, self.folder, self.life = rng, folder, life
        self.old_tools = False

    def uuid(self):
        h = "%032x" % self.rng.getrandbits(128)
        return f"019{h[3:8]}-{h[8:12]}-7{h[13:16]}-a{h[17:20]}-{h[20:]}"

    def rec(self, typ, payload):
        self.out.append({"timestamp": _iso(self.now), "type": typ, "payload": payload})

    def start(self, now, cwd, version, model, branch):
        self.now, self.cwd, self.version, self.model, self.branch = now, cwd, version, model, branch
        self.sid = self.uuid()
        self.out, self.t0 = [], now
        self.ctx, self.growth, self.last, self.tot = self.rng.randint(9000, 15000), 1.0, 0, [0, 0, 0]
        self.turn = None
        self.rec("session_meta", {"id": self.sid, "timestamp": _iso(now), "cwd": cwd, "originator": "codex_cli_rs", "cli_version": version, "source": "cli", "model_provider": "openai",
                                  "instructions": None, "git": {"commit_hash": "%040x" % self.rng.getrandbits(160), "branch": branch, "repository_url": f"git@git.example:{cwd.rsplit('/', 1)[-1]}.git"}})
        self.msg("user", f"<environment_context>\n  <cwd>{cwd}</cwd>\n  <approval_policy>on-request</approval_policy>\n  <sandbox_mode>workspace-write</sandbox_mode>\n  <shell>zsh</shell>\n</environment_context>")

    def tick(self, lo, hi):
        self.now += timedelta(seconds=self.rng.uniform(lo, hi))

    def add(self, n):
        self.ctx = min(self.ctx + int(n / 3.6 * self.growth) + 10, 250000)

    def msg(self, role, text):
        self.rec("response_item", {"type": "message", "role": role, "content": [{"type": "output_text" if role == "assistant" else "input_text", "text": text}]})
        self.add(len(text))

    def tokens(self, n_out):
        cached, self.last = self.last, self.ctx
        o = max(6, n_out // 4)
        for i, v in enumerate((self.ctx, min(cached, self.ctx), o)):
            self.tot[i] += v
        u = lambda a, b, c: {"input_tokens": a, "cached_input_tokens": b, "output_tokens": c, "reasoning_output_tokens": c // 3, "total_tokens": a + c}
        self.rec("event_msg", {"type": "token_count", "info": {"total_token_usage": u(*self.tot), "last_token_usage": u(self.ctx, min(cached, self.ctx), o), "model_context_window": 258400}, "rate_limits": None})

    def user(self, text):
        self.tick(1, 4)
        self.turn = self.uuid()
        self.rec("event_msg", {"type": "task_started", "turn_id": self.turn, "model_context_window": 258400})
        self.rec("turn_context", {"turn_id": self.turn, "cwd": self.cwd, "approval_policy": "on-request", "sandbox_policy": {"type": "workspace-write", "network_access": False}, "model": self.model, "effort": "medium", "summary": "auto"})
        self.msg("user", text)
        self.rec("event_msg", {"type": "user_message", "message": text, "images": []})

    def say(self, text, final=False):
        self.tick(2, 9)
        if self.rng.random() < 0.25:
            self.rec("response_item", {"type": "reasoning", "summary": [], "content": None, "encrypted_content": "%x" % self.rng.getrandbits(256)})
        self.rec("event_msg", {"type": "agent_message", "message": text})
        self.msg("assistant", text)
        if final:
            self.tokens(len(text))
            self.rec("event_msg", {"type": "task_complete", "turn_id": self.turn, "last_agent_message": text})

    def render(self, op):
        """(patch text or None, command, output)"""
        k = op["k"]
        if k == "read":
            p, s = _q(op["path"]), op.get("start")
            if op.get("cmd"):
                c = op["cmd"]
            elif s:
                c = f"sed -n '{s},{s + op['limit'] - 1}p' {p}"
            else:
                c = [f"cat {p}", f"sed -n '1,260p' {p}", f"nl -ba {p}"][len(op["path"]) % 3]
            out = op.get("out")
            if out is None:
                ls = op["lines"]
                out = "\n".join([f"{i:6d}\t{x}" for i, x in enumerate(ls, 1)] if c.startswith("nl") else ls)
            return None, c, out
        if k == "search":
            c = f"rg -n {_q(op['pattern'])}" if op.get("mode", "content") == "content" else f"rg -l {_q(op['pattern'])}"
            c += " " + (op.get("path") or ".")
            out = op.get("out")
            if out is None:
                h = op["hits"]
                out = "\n".join(f"{p}:{n}:{t}" for p, n, t in h) if "-n" in c else "\n".join(sorted({p for p, _, _ in h}))
            return None, c, out
        if k == "glob":
            c = f"rg --files -g {_q(op['pattern'])}"
            return None, c, op["out"] if op.get("out") is not None else "\n".join(op["hits"])
        if k == "edit":
            f = lambda m, s: "\n".join(m + x for x in s.split("\n"))
            return f"*** Begin Patch\n*** Update File: {op['path']}\n@@\n{f('-', op['old'])}\n{f('+', op['new'])}\n*** End Patch\n", None, op.get("out") or f"Success. Updated the following files:\nM {op['path']}\n"
        if k == "write":
            return f"*** Begin Patch\n*** Add File: {op['path']}\n" + "\n".join("+" + x for x in op["text"].split("\n")) + "\n*** End Patch\n", None, op.get("out") or f"Success. Updated the following files:\nA {op['path']}\n"
        return None, op["cmd"], op["out"]

    def begin(self, op, join=False):
        self.tick(2, 14)
        cid = "call_" + "%024x" % self.rng.getrandbits(96)
        if op["k"] == "todo":
            key = "steps" if op.get("bad") else "plan"
            a = {key: [{"step": x, "status": s} for x, s in op["items"]]}
            self.rec("response_item", {"type": "function_call", "name": "update_plan", "arguments": json.dumps(a), "call_id": cid})
            return cid, "plan", op.get("out") or "Plan updated"
        patch, cmd, out = self.render(op)
        if self.old_tools:
            c = ["apply_patch", patch] if patch else ["bash", "-lc", cmd]
            self.rec("response_item", {"type": "function_call", "name": "shell", "arguments": json.dumps({"command": c, "workdir": self.cwd, "timeout_ms": 120000}), "call_id": cid})
            how = "shell"
        elif patch:
            self.rec("response_item", {"type": "custom_tool_call", "status": "completed", "call_id": cid, "name": "apply_patch", "input": patch})
            how = "patch"
        else:
            self.rec("response_item", {"type": "function_call", "name": "exec_command", "arguments": json.dumps({"cmd": cmd, "workdir": self.cwd, "yield_time_ms": 10000, "max_output_tokens": 12000}), "call_id": cid})
            how = "exec"
        self.add(len(patch or cmd) + 60)
        return cid, how, out

    def finish(self, op, h, raw=None):
        cid, how, out = h
        self.tick(0.1, 4 if op["k"] != "run" else 25)
        code = op.get("code", 1) if op.get("err") else op.get("code", 0)
        wall = round(self.rng.uniform(0, 3), 1)
        if raw is not None:
            text = raw
        elif how == "plan":
            text = out
        elif how == "shell":
            text = json.dumps({"output": out, "metadata": {"exit_code": code, "duration_seconds": wall}})
        elif how == "patch":
            text = out if op.get("err") else f"Exit code: 0\nWall time: {wall} seconds\nOutput:\n{out}"
        else:
            text = f"Chunk ID: {self.rng.getrandbits(24):06x}\nWall time: {wall:.4f} seconds\nProcess exited with code {code}\nOriginal token count: {len(out) // 4}\nOutput:\n{out}"
        self.rec("response_item", {"type": "custom_tool_call_output" if how == "patch" else "function_call_output", "call_id": cid, "output": text})
        self.add(len(text))
        self.tokens(120)

    def call(self, op, join=False):
        self.finish(op, self.begin(op, join))

    def reject(self, op, feedback):
        h = self.begin(op)
        self.finish(op, h, "patch rejected by user" if h[1] == "patch" else "exec command rejected by user")

    def interrupt(self, op=None):
        if op is not None:
            h = self.begin(op)
            self.finish(op, h, f"aborted by user after {self.rng.uniform(1, 30):.1f}s")
        self.tick(0.2, 3)
        self.msg("user", "<turn_aborted>\nThe user interrupted the previous turn on purpose.\n</turn_aborted>")
        self.rec("event_msg", {"type": "turn_aborted", "turn_id": self.turn, "reason": "interrupted"})

    def compact(self, summary):
        self.tick(20, 70)
        self.rec("compacted", {"message": summary, "replacement_history": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": summary}]}]})
        self.ctx, self.last = self.rng.randint(18000, 27000), 0
        self.rec("event_msg", {"type": "context_compacted"})
        self.tokens(400)

    def end(self):
        name = "rollout-" + self.t0.astimezone(timezone.utc).strftime("%Y-%m-%dT%H-%M-%S") + "-" + self.sid + ".jsonl"
        p = os.path.join(self.folder, name)
        enc = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
        with open(p, "w", encoding="utf-8") as f:
            f.write("\n".join([enc(r) for r in self.out]) + "\n")
        return p
