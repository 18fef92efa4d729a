"""Writes one session as Codex writes it: a rollout file, either of an old client (shell) or a new one (exec_command)."""

from b16_common import DAYS, Base, Call, dumps


class CodexWriter(Base):
    def open(self):
        self.new = not self.version.startswith("0.6")
        h = "%032x" % self.rng.getrandbits(128)
        self.session = f"019{h[3:8]}-{h[8:12]}-7{h[13:16]}-a{h[17:20]}-{h[20:]}"
        self.name = self.stamp()[:19].replace(":", "-")
        self.day = DAYS[int(self.t // 86400)]
        self.total = [0, 0, 0, 0]
        self.context, self.seen = self.rng.randrange(7000, 14000), 0
        self.turn = None
        meta = {"id": self.session, "timestamp": self.stamp(), "cwd": self.cwd, "originator": "codex_cli_rs", "cli_version": self.version}
        if self.new:
            meta |= {"source": "cli", "model_provider": "openai", "base_instructions": {"text": "You are Codex, a coding agent based on GPT-5. "
                     "You and the user share one workspace."}}
        else:
            meta["instructions"] = None
        meta["git"] = {"commit_hash": "%040x" % self.rng.getrandbits(160), "branch": self.branch,
                       "repository_url": "git@git.local:city/" + self.cwd.rsplit("/", 1)[-1] + ".git"}
        self.put("session_meta", meta)
        self.item({"type": "message", "role": "user", "content": [{"type": "input_text", "text":
                   f"<environment_context>\n  <cwd>{self.cwd}</cwd>\n  <approval_policy>on-request</approval_policy>\n  "
                   f"<sandbox_mode>workspace-write</sandbox_mode>\n  <shell>bash</shell>\n</environment_context>"}]})

    def put(self, kind, payload):
        self.lines.append(dumps({"timestamp": self.stamp(), "type": kind, "payload": payload}))

    def item(self, payload):
        self.put("response_item", payload)

    def event(self, payload):
        self.put("event_msg", payload)

    def user(self, text, plan=None):
        self.turn, self.turn_start = self.uuid(), self.t
        if self.new:
            self.event({"type": "task_started", "turn_id": self.turn, "started_at": 1767225600 + int(self.t),
                        "model_context_window": 258400, "collaboration_mode_kind": "default"})
        context = {"cwd": self.cwd, "approval_policy": "on-request", "sandbox_policy": {"type": "workspace-write", "network_access": False},
                   "model": self.model, "effort": "high", "summary": "auto"}
        self.put("turn_context", {"turn_id": self.turn} | context if self.new else context)
        self.item({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]})
        self.event({"type": "user_message", "message": text, "images": []} if self.new else
                   {"type": "user_message", "message": text, "kind": "plain"})
        self.context += len(text) // 4 + 10

    def agent(self, text, phase):
        m = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}
        e = {"type": "agent_message", "message": text}
        if self.new:
            m |= {"id": "msg_" + self.hex(50), "phase": phase}
            e |= {"phase": phase, "memory_citation": None}
        self.event(e)
        self.item(m)
        self.context += len(text) // 4

    def hex(self, n):
        return "%0*x" % (n, self.rng.getrandbits(4 * n))

    def tokens(self, out):
        rng = self.rng
        think = rng.randrange(0, 260)
        last = [self.context, self.seen // 128 * 128, out + think, think]
        self.seen = self.context
        for i in range(4):
            self.total[i] += last[i]
        names = ("input_tokens", "cached_input_tokens", "output_tokens", "reasoning_output_tokens")
        use = [dict(zip(names, v)) | {"total_tokens": v[0] + v[2]} for v in (self.total, last)]
        self.event({"type": "token_count", "info": {"total_token_usage": use[0], "last_token_usage": use[1],
                    "model_context_window": 258400 if self.new else 272000}})
        self.context += out + think

    def calls(self, say, calls):
        rng = self.rng
        self.t += 1.5 + rng.expovariate(0.22)
        if rng.random() < 0.5:
            self.item({"type": "reasoning", "summary": [], "content": None, "encrypted_content": "gAAAA" + self.token(48)}
                      | ({"id": "rs_" + self.hex(50)} if self.new else {}))
        if say:
            self.agent(say, "commentary")
        ids = []
        for c in calls:
            cid = "call_" + self.token(24)
            ids.append(cid)
            if c.name == "apply_patch" and self.new:
                self.item({"type": "custom_tool_call", "id": "ctc_" + self.hex(50), "status": "completed", "call_id": cid,
                           "name": "apply_patch", "input": c.args})
            else:
                p = {"type": "function_call", "name": c.name, "arguments": dumps(c.args), "call_id": cid}
                self.item({"type": "function_call", "id": "fc_" + self.hex(50)} | p if self.new else p)
        for cid, c in zip(ids, calls):
            self.t += c.secs
            self.answered += 1
            kind = "custom_tool_call_output" if c.name == "apply_patch" and self.new else "function_call_output"
            self.item({"type": kind, "call_id": cid, "output": c.text})
            self.context += len(c.text) // 4 + 20
        self.tokens(50 + sum(c.size for c in calls) + (len(say) // 4 if say else 0))

    def final(self, text):
        self.t += 2 + self.rng.expovariate(0.3)
        self.agent(text, "final_answer")
        self.tokens(30 + len(text) // 4)
        if self.new:
            self.event({"type": "task_complete", "turn_id": self.turn, "last_agent_message": text,
                        "completed_at": 1767225600 + int(self.t), "duration_ms": int((self.t - self.turn_start) * 1000)})

    def interrupt(self, call=None):
        if call is not None:
            self.calls_made += 1
            call.text, call.secs = "aborted by user after %.1fs" % (3 + self.rng.random() * 9), 4
            self.calls(None, [call])
        self.event({"type": "turn_aborted", "turn_id": self.turn, "reason": "interrupted"} if self.new else
                   {"type": "turn_aborted", "reason": "interrupted"})
        self.item({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "<turn_aborted>\nThe user interrupted the previous "
                   "turn on purpose. Any running unified exec processes were terminated.\n</turn_aborted>"}]})

    # the tools

    def shell(self, cmd, out, code, secs=0.2):
        size = 30 + len(cmd) // 4
        if self.new:
            args = {"cmd": cmd, "workdir": self.cwd, "yield_time_ms": 10000, "max_output_tokens": 12000}
            text = (f"Chunk ID: {self.hex(6)}\nWall time: {secs:.4f} seconds\nProcess exited with code {code}\n"
                    f"Original token count: {len(out) // 4}\nOutput:\n{out}\n")
            return Call("exec_command", args, text, code, None, secs, size)
        return Call("shell", {"command": ["bash", "-lc", cmd], "workdir": self.cwd},
                    dumps({"output": out + "\n", "metadata": {"exit_code": code, "duration_seconds": round(secs, 1)}}), code, None, secs, size)

    def run(self, cmd, what, out, code, secs):
        return self.shell(cmd, out, code, secs)

    def read(self, f, start=None, n=None):
        start = start or 1
        end = start + n - 1 if n else 240
        part = f.shown.get((start, end))
        if part is None:
            part = f.shown[start, end] = "\n".join(f.lines[start - 1:end])
        if not n and len(f.lines) < 90 and self.rng.random() < 0.2:
            return self.shell(f"cat {f.path}", part, 0)
        return self.shell(f"sed -n '{start},{end}p' {f.path}", part, 0)

    def read_missing(self, path):
        return self.shell(f"sed -n '1,240p' {path}", f"sed: can't read {path}: No such file or directory", 2)

    def search(self, pattern, where, hits, mode):
        flag = "-l" if mode == "files_with_matches" else "-n"
        out = list(dict.fromkeys(h.split(":", 1)[0] for h in hits)) if flag == "-l" else hits
        return self.shell(f'rg {flag} "{pattern}" {where}', "\n".join(out), 0 if hits else 1)

    def search_missing(self, pattern, where):
        return self.shell(f'rg -n "{pattern}" {where}', f"rg: {where}: No such file or directory (os error 2)", 2)

    def glob(self, pattern, names):
        return self.shell(f"rg --files -g '{pattern}'", "\n".join(names), 0 if names else 1)

    def patch(self, body, out, code):
        body = f"*** Begin Patch\n{body}\n*** End Patch"
        if self.new:
            text = out if code else f"Exit code: 0\nWall time: 0 seconds\nOutput:\n{out}"
            return Call("apply_patch", body, text, code, None, 0.2, 30 + len(body) // 4)
        text = out if code else dumps({"output": out, "metadata": {"exit_code": 0, "duration_seconds": 0.0}})
        return Call("shell", {"command": ["apply_patch", body], "workdir": self.cwd}, text, code, None, 0.2, 30 + len(body) // 4)

    def edit(self, f, old, new, line):
        a, b = old.split("\n"), new.split("\n")
        body = "\n".join([f"*** Update File: {f.path}", "@@", *["-" + x for x in a], *["+" + x for x in b]])
        return self.patch(body, f"Success. Updated the following files:\nM {f.path}\n", 0)

    def edit_failed(self, f, old, new, kind):
        body = "\n".join([f"*** Update File: {f.path}", "@@", *["-" + x for x in old.split("\n")], *["+" + x for x in new.split("\n")]])
        return self.patch(body, f"apply_patch verification failed: Failed to find expected lines in {self.cwd}/{f.path}:\n{old}", 1)

    def write(self, f):
        body = f"*** Add File: {f.path}\n" + "\n".join("+" + x for x in f.lines)
        return self.patch(body, f"Success. Updated the following files:\nA {f.path}\n", 0)

    def todo(self, items, at):
        plan = [{"step": s, "status": "completed" if i < at else "in_progress" if i == at else "pending"} for i, s in enumerate(items)]
        return Call("update_plan", {"plan": plan}, "Plan updated", 0, None, 0.05, 90)

    def save(self, folder):
        y, m, d = self.day.split("-")
        path = folder / y / m / d
        path.mkdir(parents=True, exist_ok=True)
        (path / f"rollout-{self.name}-{self.session}.jsonl").write_text("\n".join(self.lines) + "\n", encoding="utf-8")
