"""Writer for Codex rollout JSONL."""
import json
import os
import random
from datetime import timedelta
from s17_claude import short, uid

enc = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def q(s):
    return "'" + s.replace("'", "'\\''") + "'"


class Writer:
    def __init__(self, life, s, rng, version, model, style, sh):
        self.life, self.s, self.rng, self.version, self.model, self.style, self.sh = life, s, rng, version, model, style, sh
        self.root, self.t, self.rec = life.w.root, s.start, []
        self.id = f"019{rng.getrandbits(20):05x}-{rng.getrandbits(16):04x}-7{rng.getrandbits(12):03x}-8{rng.getrandbits(12):03x}-{rng.getrandbits(48):012x}"
        self.tot, self.ctx, self.turn = [0, 0, 0, 0], 9000 + rng.randrange(3000), None
        self.put("session_meta", dict(id=self.id, timestamp=self.stamp(), cwd=self.root, originator="codex_cli_rs", cli_version=version, source="cli", model_provider="openai", instructions=None, git=dict(commit_hash=f"{rng.getrandbits(160):040x}", branch=s.branch, repository_url=f"git@forge.{life.w.tld}:{life.w.repo}/{life.w.repo}.git")))
        self.msg("user", f"# AGENTS.md instructions for {self.root}\n\n<INSTRUCTIONS>\n# {life.w.repo}\n\nHouse rules for work in this repository of {life.w.company}.\n\n- Keep functions short.\n- Ask before adding a dependency.\n" + ("- After every change run the linter.\n- Commit every finished piece of work by itself.\n" if life.spec.get("rules") and life.late else "") + "</INSTRUCTIONS>")
        self.msg("user", f"<environment_context>\n  <cwd>{self.root}</cwd>\n  <approval_policy>on-request</approval_policy>\n  <sandbox_mode>workspace-write</sandbox_mode>\n  <network_access>enabled</network_access>\n  <shell>bash</shell>\n</environment_context>")

    def stamp(self):
        return self.t.strftime("%Y-%m-%dT%H:%M:%S.") + f"{self.t.microsecond // 1000:03d}Z"

    def put(self, typ, payload):
        self.t += timedelta(milliseconds=self.rng.randrange(3, 90))
        self.rec.append(dict(timestamp=self.stamp(), type=typ, payload=payload))

    def msg(self, role, text):
        self.put("response_item", dict(type="message", role=role, content=[dict(type="input_text" if role != "assistant" else "output_text", text=text)]))

    def tokens(self):
        r = self.rng
        o = r.randrange(40, 500)
        self.ctx += r.randrange(200, 900)
        last = [self.ctx, int(self.ctx * r.uniform(.8, .98)), o, r.randrange(0, 200)]
        self.tot = [a + b for a, b in zip(self.tot, last)]
        k = ("input_tokens", "cached_input_tokens", "output_tokens", "reasoning_output_tokens")
        f = lambda v: dict(zip(k, v), total_tokens=v[0] + v[2])
        self.put("event_msg", dict(type="token_count", info=dict(total_token_usage=f(self.tot), last_token_usage=f(last), model_context_window=272000), rate_limits=dict(primary=dict(used_percent=round(r.uniform(1, 60), 1), window_minutes=300), secondary=dict(used_percent=round(r.uniform(1, 60), 1), window_minutes=10080))))

    def shell(self, cmd, cid):
        if self.sh == "exec":
            return dict(type="function_call", name="exec_command", arguments=enc(dict(cmd=cmd, workdir=self.root, yield_time_ms=1000, max_output_tokens=6000)), call_id=cid)
        return dict(type="function_call", name="shell", arguments=enc(dict(command=["bash", "-lc", cmd], workdir=self.root, timeout_ms=120000)), call_id=cid)

    def shell_out(self, out, code):
        if self.sh == "exec":
            return f"Chunk ID: {self.rng.getrandbits(24):06x}\nWall time: {self.rng.uniform(0, 3):.4f} seconds\nProcess exited with code {code}\nOriginal token count: {len(out) // 4}\nOutput:\n{out}"
        return enc(dict(output=out, metadata=dict(exit_code=code, duration_seconds=round(self.rng.uniform(0, 3), 1))))

    def call(self, c):
        a, op, r = c.args, c.op, self.rng
        cid = "call_" + short(r)[2:]
        self.t += timedelta(seconds=r.uniform(1, 9))
        out, code, kind = c.out, c.code, "shell"
        if op == "read":
            if a["lim"]:
                cmd = f"sed -n '{a['off']},{a['off'] + a['lim'] - 1}p' {a['path']}"
            else:
                cmd = (f"cat {a['path']}", f"sed -n '1,{a['n']}p' {a['path']}")[self.style]
            out = out if code else "\n".join(out) + "\n"
        elif op == "search":
            cmd = f"rg -n{'' if a['content'] else 'l'} {q(a['pat'])} {a['path']}"
            out = out if code > 1 else "\n".join(f"{p}:{n}:{x}" if a["content"] else p for p, n, x in out)
        elif op == "glob":
            cmd = f"find {a['path']} -name {q(a['pat'].rpartition('/')[2])}"
            out = out if code else "\n".join(out)
        elif op == "bash":
            cmd = a["cmd"]
        elif op in ("edit", "write"):
            kind = "patch"
            if op == "edit":
                o, n = a["old"].split("\n"), a["new"].split("\n")
                body = [f"*** Update File: {a['path']}", "@@"]
                i = 0
                for x in n:
                    if i < len(o) and x == o[i]:
                        body.append(" " + x)
                        i += 1
                    else:
                        body.append("+" + x)
                body[2:2] = ["-" + x for x in o[i:]]
            else:
                body = [f"*** Add File: {a['path']}"] + ["+" + x for x in a["body"].split("\n")]
            patch = "\n".join(["*** Begin Patch"] + body + ["*** End Patch"])
        elif op == "todo":
            kind = "plan"
        else:
            kind = "mcp"
        if kind == "shell":
            self.put("response_item", self.shell(cmd, cid))
            self.t += timedelta(seconds=r.uniform(.1, 8))
            self.put("response_item", dict(type="function_call_output", call_id=cid, output=out if c.kind == "reject" else self.shell_out(out, code)))
        elif kind == "patch" and self.sh == "shell-patch":
            self.put("response_item", dict(type="function_call", name="shell", arguments=enc(dict(command=["apply_patch", patch], workdir=self.root)), call_id=cid))
            self.put("response_item", dict(type="function_call_output", call_id=cid, output=out if c.kind == "reject" else self.shell_out(out, code)))
        elif kind == "patch":
            self.put("response_item", dict(type="custom_tool_call", status="completed", call_id=cid, name="apply_patch", input=patch + "\n"))
            o = out if code else (f"Exit code: 0\nWall time: {r.uniform(0, 1):.1f} seconds\nOutput:\n{out}" if self.sh == "exec" else enc(dict(output=out, metadata=dict(exit_code=0, duration_seconds=0.0))))
            self.put("response_item", dict(type="custom_tool_call_output", call_id=cid, output=o))
        elif kind == "plan":
            self.put("response_item", dict(type="function_call", name="update_plan", arguments=enc(dict(plan=[dict(step=x, status="in_progress" if i == 0 else "pending") for i, x in enumerate(a["items"])])), call_id=cid))
            self.put("response_item", dict(type="function_call_output", call_id=cid, output=out))
        else:
            _, srv, tool = a["name"].split("__")
            self.put("response_item", dict(type="function_call", name=a["name"], arguments=enc(a["args"]), call_id=cid))
            if code:
                out = f"tool call error: tool call failed for `{srv}/{tool}`\n\nCaused by:\n    {out}"
            self.put("event_msg", dict(type="mcp_tool_call_end", call_id=cid, invocation=dict(server=srv, tool=tool, arguments=a["args"]), duration=dict(secs=0, nanos=r.randrange(10 ** 8)), result=dict(Err=out) if code else dict(Ok=dict(content=[dict(type="text", text=out)], isError=False))))
            self.put("response_item", dict(type="function_call_output", call_id=cid, output=out))
        self.ctx += len(out) // 4
        self.tokens()

    def say(self, v):
        self.put("event_msg", dict(type="agent_message", message=v))
        self.msg("assistant", v)

    def item(self, it):
        k, v = it
        r = self.rng
        if k == "call":
            self.call(v)
        elif k == "user":
            if self.turn:
                self.t += timedelta(seconds=min(2400, r.expovariate(1 / 150) + 15))
            self.turn = uid(r)
            self.began = self.t
            self.put("event_msg", dict(type="task_started", turn_id=self.turn, model_context_window=272000))
            self.put("turn_context", dict(turn_id=self.turn, cwd=self.root, approval_policy="on-request", sandbox_policy=dict(type="workspace-write", network_access=True), model=self.model, effort="medium", summary="auto"))
            self.msg("user", v)
            self.put("event_msg", dict(type="user_message", message=v, images=[]))
        elif k == "text":
            self.say(v)
        elif k == "think":
            self.put("event_msg", dict(type="agent_reasoning", text=v))
            self.put("response_item", dict(type="reasoning", summary=[dict(type="summary_text", text=v)], content=None, encrypted_content="gAAAAAB" + short(r, 80)))
        elif k == "final":
            self.t += timedelta(seconds=r.uniform(2, 12))
            self.say(v)
            self.tokens()
            self.put("event_msg", dict(type="task_complete", turn_id=self.turn, last_agent_message=v))
        elif k == "interrupt":
            self.msg("user", "<turn_aborted>\nThe user interrupted the previous turn on purpose. Commands in progress may have been cut short.\n</turn_aborted>")
            self.put("event_msg", dict(type="turn_aborted", turn_id=self.turn, reason="interrupted"))
        elif k == "compact":
            self.put("compacted", dict(message="Summary of the work so far: " + " / ".join([x[1][:80] for x in self.s.items[:self.s.items.index(it)] if x[0] == "user"][-4:])))
            self.put("event_msg", dict(type="context_compacted"))
            self.ctx = 14000 + r.randrange(3000)


def write(life, folder, seed):
    rng = random.Random(f"s17codex/{seed}/{life.kind}/{life.N}")
    sh = rng.choice(["shell", "shell", "exec"])
    ver = {"shell": rng.choice(["0.46.0", "0.53.0", "0.58.0"]), "exec": rng.choice(["0.80.0", "0.87.0"])}[sh]
    model = rng.choice(["gpt-5-codex", "gpt-5.1-codex"])
    style = rng.randrange(2)
    for s in life.sessions:
        v, m, h = s.version or ver, model, sh
        if s.model2:
            m = "gpt-5.2-codex"
        if life.spec.get("tools2"):
            h, v = ("exec", "0.84.0") if s.tools2 else ("shell-patch", "0.44.0")
        w = Writer(life, s, rng, v, m, style, h)
        for it in s.items:
            w.item(it)
        name = f"rollout-{s.start.strftime('%Y-%m-%dT%H-%M-%S')}-{w.id}.jsonl"
        with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
            f.write("\n".join(map(enc, w.rec)) + "\n")
