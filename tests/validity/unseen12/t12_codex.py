"""Writes one session as Codex does."""
import json
import os
from datetime import timedelta


def _dump(o):
    return json.dumps(o, ensure_ascii=False, separators=(",", ":"))


class Codex:
    fmt = "codex"

    def __init__(self, r, t, p, root):
        self.r, self.t, self.t0, self.p, self.root = r, t, t, p, root
        h = "%032x" % r.getrandbits(128)
        self.sid = "019b%s-%s-7%s-8%s-%s" % (h[:4], h[4:8], h[9:12], h[13:16], h[16:28])
        self.L = []
        self.ctx = r.randint(7000, 11000)
        self.tot = [0, 0, 0, 0]
        self.old = p["oldshell"]
        self.turn = None
        self.prev = 0
        self.side = None
        self.users = []

    def tick(self, lo=1.0, hi=9.0):
        self.t += timedelta(seconds=self.r.uniform(lo, hi))

    def ts(self):
        return self.t.strftime("%Y-%m-%dT%H:%M:%S.") + "%03dZ" % (self.t.microsecond // 1000)

    def rec(self, typ, payload):
        self.L.append(_dump({"timestamp": self.ts(), "type": typ, "payload": payload}))

    def begin(self, rules, opened):
        p = self.p
        self.rec("session_meta", {"id": self.sid, "timestamp": self.ts(), "cwd": self.root, "originator": "codex_cli_rs", "cli_version": p["version"],
                                  "instructions": None, "source": "cli", "model_provider": "openai", "git": {"commit_hash": "%040x" % self.r.getrandbits(160), "branch": p["branch"], "repository_url": "git@git.kestrel-lund.net:platform/coldchain.git"}})
        self.msg("user", "# AGENTS.md instructions for %s\n\n<INSTRUCTIONS>\n%s\n</INSTRUCTIONS>" % (self.root, "\n".join(rules)))
        self.msg("user", "<environment_context>\n  <cwd>%s</cwd>\n  <approval_policy>on-request</approval_policy>\n  <sandbox_mode>workspace-write</sandbox_mode>\n  <network_access>enabled</network_access>\n  <shell>bash</shell>\n</environment_context>" % self.root)
        self.ctx += sum(len(x) for x in rules) // 4

    def msg(self, role, text):
        self.rec("response_item", {"type": "message", "role": role, "content": [{"type": "output_text" if role == "assistant" else "input_text", "text": text}]})

    def user(self, text, **kw):
        self.tick(20, 400)
        h = "%032x" % self.r.getrandbits(128)
        self.turn = "019b%s-%s-7%s-9%s-%s" % (h[:4], h[4:8], h[9:12], h[13:16], h[16:28])
        self.turn0 = self.t
        if not self.old:
            self.rec("event_msg", {"type": "task_started", "turn_id": self.turn, "model_context_window": 272000, "collaboration_mode_kind": "default"})
        self.rec("turn_context", {"turn_id": self.turn, "cwd": self.root, "approval_policy": "on-request", "sandbox_policy": {"type": "workspace-write", "network_access": True, "exclude_tmpdir_env_var": False, "exclude_slash_tmp": False},
                                  "model": self.p["model"], "effort": self.p["effort"], "summary": "auto"})
        self.msg("user", text)
        self.rec("event_msg", {"type": "user_message", "message": text, "images": []} if not self.old else {"type": "user_message", "message": text, "kind": "plain"})
        self.users.append(text)
        self.ctx += len(text) // 4

    def tokens(self, out, reason=0):
        new = self.ctx
        c = min(self.prev, new)
        self.prev = new
        for i, v in enumerate((new, c, out, reason)):
            self.tot[i] += v
        k = ("input_tokens", "cached_input_tokens", "output_tokens", "reasoning_output_tokens")
        last = dict(zip(k, (new, c, out, reason)), total_tokens=new + out)
        self.rec("event_msg", {"type": "token_count", "info": {"total_token_usage": dict(zip(k, self.tot), total_tokens=self.tot[0] + self.tot[2]), "last_token_usage": last, "model_context_window": 272000},
                               "rate_limits": {"primary": {"used_percent": float(self.r.randint(1, 60)), "window_minutes": 300, "resets_at": int(self.t.timestamp()) + 9000}, "secondary": None}})
        self.ctx += out

    def think(self, text):
        self.tick(1, 5)
        head = "**%s**" % " ".join(text.split(" ")[:6])
        self.rec("event_msg", {"type": "agent_reasoning", "text": head})
        self.rec("response_item", {"type": "reasoning", "summary": [{"type": "summary_text", "text": head}], "content": None, "encrypted_content": "gAAAAABp" + "%0200x" % self.r.getrandbits(790)})

    def say(self, text, final=False):
        self.tick(1, 6)
        self.rec("event_msg", {"type": "agent_message", "message": text})
        self.msg("assistant", text)
        if final:
            self.tokens(len(text) // 4 + 5)
            if not self.old:
                self.rec("event_msg", {"type": "task_complete", "turn_id": self.turn, "last_agent_message": text})

    def fn(self, name, args, out, custom=False, text=None, slow=0.0):
        r = self.r
        if text:
            self.say(text)
        self.tick(1, 6)
        cid = "call_" + "%024x" % r.getrandbits(96)
        if custom:
            self.rec("response_item", {"type": "custom_tool_call", "status": "completed", "call_id": cid, "name": name, "input": args})
        else:
            self.rec("response_item", {"type": "function_call", "name": name, "arguments": json.dumps(args, ensure_ascii=False), "call_id": cid})
        self.tick(.1 + slow, 3 + slow * 1.6)
        self.rec("response_item", {"type": "custom_tool_call_output" if custom else "function_call_output", "call_id": cid, "output": out})
        a = args if isinstance(args, str) else json.dumps(args)
        self.tokens(len(a) // 4 + 30, r.choice([0, 0, 64, 128, 192]))
        self.ctx += len(out) // 4
        return cid

    def bash(self, cmd, out, code=0, desc=None, slow=0.0, text=None):
        wall = self.r.uniform(0, .4) + slow
        if self.old:
            self.fn("shell", {"command": ["bash", "-lc", cmd], "workdir": self.root, "timeout_ms": 120000}, json.dumps({"output": out + "\n" * bool(out), "metadata": {"exit_code": code, "duration_seconds": round(wall, 1)}}, ensure_ascii=False), text=text, slow=slow)
        else:
            self.fn("exec_command", {"cmd": cmd, "workdir": self.root, "yield_time_ms": self.r.choice([1000, 10000]), "max_output_tokens": 12000},
                    "Chunk ID: %06x\nWall time: %.4f seconds\nProcess exited with code %d\nOriginal token count: %d\nOutput:\n%s\n" % (self.r.getrandbits(24), wall, code, len(out) // 4, out), text=text, slow=slow)

    def read(self, path, lines, off, total, shell, text=None):
        k = self.r.random()
        part = off or total > len(lines)
        if part or k < .55:
            hi = off + len(lines) if part else max(200, (len(lines) + 19) // 20 * 20)
            cmd = "sed -n '%d,%dp' %s" % (off + 1, hi, path)
            out = "\n".join(lines)
        elif k < .75:
            cmd, out = "cat %s" % path, "\n".join(lines)
        else:
            cmd = "nl -ba %s | sed -n '1,%dp'" % (path, 260)
            out = "\n".join("%6d\t%s" % (i + 1, s) for i, s in enumerate(lines))
        self.bash(cmd, out, text=text)

    def search(self, pat, where, hits, shell, text=None):
        self.bash("rg -n \"%s\" %s" % (pat, where) if where else "rg -n \"%s\"" % pat, "\n".join("%s:%d:%s" % h for h in hits), 0 if hits else 1, text=text)

    def glob(self, where, pat, paths, shell, text=None):
        self.bash(self.r.choice(["rg --files %s" % where, "ls -1 %s" % where, "find %s -name '%s'" % (where, pat)]), "\n".join(paths), text=text)

    def patch(self, body, ok, path, text=None, add=False):
        if self.old:
            out = json.dumps({"output": "Success. Updated the following files:\n%s %s\n" % ("A" if add else "M", path), "metadata": {"exit_code": 0, "duration_seconds": 0.0}}) if ok is True else ok
            self.fn("shell", {"command": ["apply_patch", body], "workdir": self.root}, out, text=text)
            return
        out = "Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess. Updated the following files:\n%s %s\n" % ("A" if add else "M", path) if ok is True else ok
        cid = self.fn("apply_patch", body, out, custom=True, text=text)
        if ok is True:
            self.rec("event_msg", {"type": "patch_apply_end", "call_id": cid, "turn_id": self.turn, "stdout": "Success. Updated the following files:\nM %s\n" % path, "stderr": "", "success": True, "changes": {self.root + "/" + path: {"type": "add" if add else "update"}}})

    def edit(self, path, old, new, at, lines, before, shell, text=None):
        b = before.split("\n")
        ctx = b[max(0, at - 2):at]
        o, n = old.split("\n"), new.split("\n")
        while o and n and o[0] == n[0]:
            ctx.append(o[0])
            o, n = o[1:], n[1:]
        aft = b[at + old.count("\n") + 1: at + old.count("\n") + 3]
        body = "*** Begin Patch\n*** Update File: %s\n@@\n%s\n*** End Patch\n" % (path, "\n".join([" " + x for x in ctx] + ["-" + x for x in o] + ["+" + x for x in n] + [" " + x for x in aft]))
        self.patch(body, True, path, text)

    def write(self, path, content, text=None, shell=False):
        if self.r.random() < .3:
            self.bash("cat > %s <<'EOF'\n%s\nEOF" % (path, content), "", text=text)
        else:
            self.patch("*** Begin Patch\n*** Add File: %s\n%s\n*** End Patch\n" % (path, "\n".join("+" + x for x in content.split("\n"))), True, path, text, add=True)

    def todo(self, items, done):
        self.fn("update_plan", {"plan": [{"step": x, "status": "completed" if i < done else ("in_progress" if i == done else "pending")} for i, x in enumerate(items)]}, "Plan updated")

    def mcp(self, server, tool, args, out, err=False, text=None):
        body = json.dumps({"content": [{"type": "text", "text": out}], "isError": bool(err)}) if not err else "tool call error: tool call failed for `%s/%s`: %s" % (server, tool, out)
        cid = self.fn("mcp__%s__%s" % (server, tool), args, body, text=text)
        self.rec("event_msg", {"type": "mcp_tool_call_end", "call_id": cid, "invocation": {"server": server, "tool": tool, "arguments": args}, "duration": {"secs": 0, "nanos": self.r.randint(10**6, 9 * 10**8)},
                               "result": {"Err": out} if err else {"Ok": {"content": [{"type": "text", "text": out}]}}})

    def web(self, url, prompt, out, err=False):
        self.bash("curl -sSL %s | head -40" % url, out, 28 if err else 0, slow=2)

    def err_read(self, bad, near, shell):
        if self.r.random() < .6:
            self.bash("sed -n '1,200p' %s" % bad, "sed: can't read %s: No such file or directory" % bad, 2)
        else:
            self.bash("cat %s" % bad, "cat: %s: No such file or directory" % bad, 1)

    def err_edit(self, path, old, shell):
        body = "*** Begin Patch\n*** Update File: %s\n@@\n-%s\n+%s\n*** End Patch\n" % (path, old.split("\n")[0], old.split("\n")[0] + " ")
        m = "apply_patch verification failed: Failed to find expected lines in %s/%s:\n%s" % (self.root, path, old)
        if self.old:
            m = "error: Failed to find expected lines in %s/%s:\n%s" % (self.root, path, old)
        elif self.r.random() < .15:
            body, m = body.replace("*** End Patch\n", ""), "apply_patch verification failed: invalid patch: The last line of the patch must be '*** End Patch'"
        self.patch(body, m, path)

    def err_search(self, pat, where, shell):
        if self.r.random() < .6:
            self.bash("rg -n \"%s\" %s" % (pat, where), "rg: %s: No such file or directory (os error 2)" % where, 2)
        else:
            self.bash("rg -n \"%s(\"" % pat, "rg: regex parse error:\n    (?:%s()\n    ^\nerror: unclosed group" % pat, 2)

    def err_write(self, path):
        self.bash("cat > %s.d/new <<'EOF'\nx\nEOF" % path, "bash: line 1: %s.d/new: No such file or directory" % path, 1)

    def denied(self, cmd, said):
        if self.old:
            self.fn("shell", {"command": ["bash", "-lc", cmd], "workdir": self.root}, "exec command rejected by user")
        else:
            self.fn("exec_command", {"cmd": cmd, "workdir": self.root}, "exec_command failed for `/bin/bash -lc '%s'`: CreateProcess { message: \"Rejected(\\\"rejected by user\\\")\" }" % cmd)

    def interrupt(self):
        self.tick(2, 20)
        self.msg("user", "<turn_aborted>\nThe user interrupted the previous turn on purpose. Any running unified exec processes may still be running in the background.\n</turn_aborted>")
        self.rec("event_msg", {"type": "turn_aborted", "turn_id": self.turn, "reason": "interrupted"})

    def slash(self, name, out):
        pass

    def api_error(self):
        self.rec("event_msg", {"type": "stream_error", "message": "stream disconnected before completion: retrying 1/5 in 210ms"})
        self.tick(1, 4)

    def compact(self, summary):
        self.tick(10, 40)
        self.rec("compacted", {"message": "", "replacement_history": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": u}]} for u in self.users[-4:]] + [
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": summary}]}]})
        self.rec("event_msg", {"type": "context_compacted"})
        self.ctx, self.prev = 9000 + len(summary) // 4, 4000

    def finish(self, folder):
        d = "%s/sessions/%s" % (folder, self.t0.strftime("%Y/%m/%d"))
        os.makedirs(d, exist_ok=True)
        f = "rollout-%s-%s.jsonl" % (self.t0.strftime("%Y-%m-%dT%H-%M-%S"), self.sid)
        with open(d + "/" + f, "w", encoding="utf-8") as h:
            h.write("\n".join(self.L) + "\n")
        return "sessions/%s/%s" % (self.t0.strftime("%Y/%m/%d"), f)
