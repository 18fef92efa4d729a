"""Writers: neutral events to Claude Code and Codex transcript files."""
import json, datetime as dt, os
AL = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz0123456789"
D = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
REJ = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed."

def uid(r):
    h = f"{r.getrandbits(128):032x}"; return f"{h[:8]}-{h[8:12]}-4{h[13:16]}-a{h[17:20]}-{h[20:]}"
def rid(r, p): 
    b = f"{r.getrandbits(120):030x}"; return p + b[:24]

class Claude:
    def __init__(s, life, ses, r):
        s.L, s.S, s.r, s.out, s.t, s.par = life, ses, r, [], ses["start"], None
        s.sid = uid(r); s.ctx = r.randint(14000, 20000); s.side = None
    def ts(s, lo=1, hi=9): s.t += dt.timedelta(seconds=s.r.uniform(lo, hi)); return s.t.strftime("%Y-%m-%dT%H:%M:%S.") + f"{s.t.microsecond//1000:03d}Z"
    def rec(s, typ, lo=1, hi=9, **kw):
        u = uid(s.r)
        d = dict(parentUuid=s.par, isSidechain=bool(s.side), userType="external", cwd=s.L.root, sessionId=s.sid, version=s.S["version"], gitBranch=s.S["branch"])
        if s.side: d["agentId"] = s.side
        d["type"] = typ; d.update(kw); d["uuid"] = u; d["timestamp"] = s.ts(lo, hi); s.out.append(D(d)); s.par = u; return u
    def user(s, text, **kw): s.ctx += len(text)//4; s.rec("user", 20, 160, message={"role": "user", "content": text}, **kw)
    def asst(s, block, mid=None, stop=None):
        n = s.r.randint(20, 400); s.ctx += n
        s.rec("assistant", 1, 8, message={"model": s.S["model"], "id": mid or rid(s.r, "msg_01"), "type": "message", "role": "assistant", "content": [block], "stop_reason": stop, "stop_sequence": None, "usage": {"input_tokens": s.r.randint(2, 9), "cache_creation_input_tokens": s.r.randint(200, 2500), "cache_read_input_tokens": s.ctx, "output_tokens": n, "service_tier": "standard"}}, requestId=rid(s.r, "req_011"))
    def tool(s, op):
        k, R = op["k"], s.L.root
        if k == "read":
            i = {"file_path": f"{R}/{op['path']}"}
            if op["lim"]: i.update(offset=op["off"], limit=op["lim"])
            return "Read", i
        if k == "search": return "Grep", {"pattern": op["pat"], "path": f"{R}/{op['path']}", "output_mode": "content"}
        if k == "glob": return "Glob", {"pattern": op["pat"], "path": f"{R}/{op['path']}"}
        if k == "edit": return "Edit", {"file_path": f"{R}/{op['path']}", "old_string": op["old"], "new_string": op["new"]}
        if k == "write": return "Write", {"file_path": f"{R}/{op['path']}", "content": "\n".join(op["body"]) + "\n"}
        if k == "bash": return "Bash", {"command": op["cmd"], "description": op["d"]}
        if k == "mcp": return op["name"], op["inp"]
        if k == "task": return "Task", {"description": "Explore the code", "prompt": op["prompt"], "subagent_type": op["sub"]}
        return "TodoWrite", {"todos": [{"content": x, "activeForm": x, **({} if op.get("bad") else {"status": "pending"})} for x in op["items"]]}
    def call(s, e, mid=None):
        op, st, out = e["op"], e["status"], e["out"]; name, inp = s.tool(op); tid = rid(s.r, "toolu_01")
        s.asst({"type": "tool_use", "id": tid, "name": name, "input": inp}, mid, None)
        if op["k"] == "task" and op["inner"]:
            par, s.par, s.side = s.par, None, f"{s.r.getrandbits(32):08x}"
            s.rec("user", message={"role": "user", "content": op["prompt"]})
            for x in op["inner"]: s.call(x)
            s.asst({"type": "text", "text": out}); s.side, s.par = None, par
        err = st in ("slip", "testfail", "rejected")
        if st == "rejected": out = REJ
        elif st == "nohit": out = "No matches found"
        elif st == "slip" and op["k"] == "edit": out = f"<tool_use_error>String to replace not found in file.\nString: {out}</tool_use_error>"
        elif err and op["k"] == "bash": out = f"Exit code {e['code']}\n{out}"
        elif err and op["k"] not in ("mcp",): out = f"<tool_use_error>{out}</tool_use_error>"
        s.ctx += len(out)//4
        b = {"tool_use_id": tid, "type": "tool_result", "content": out if op["k"] != "task" or err else [{"type": "text", "text": out}]}
        if err or op["k"] == "bash": b["is_error"] = err
        tur = "Error: " + out if err else {"stdout": out, "stderr": "", "interrupted": False} if op["k"] == "bash" else {"type": "text"}
        s.rec("user", .2, 6, message={"role": "user", "content": [b]}, toolUseResult=tur)
    def write(s, folder):
        s.out.append(D({"type": "file-history-snapshot", "messageId": uid(s.r), "snapshot": {"trackedFileBackups": {}, "timestamp": s.ts(0, .1)}, "isSnapshotUpdate": False}))
        ev = s.S["ev"]; mid = None
        for e in ev:
            t = e["t"]
            if t == "user": s.user(e["text"]); mid = None
            elif t == "say":
                mid = rid(s.r, "msg_01"); s.asst({"type": "text", "text": e["text"]}, mid, "end_turn" if e.get("end") else None)
                if e.get("end"): mid = None
            elif t == "call": s.call(e, mid); mid = None
            elif t == "interrupt": s.rec("user", message={"role": "user", "content": [{"type": "text", "text": "[Request interrupted by user]"}]}); mid = None
            elif t == "clear":
                s.rec("user", isMeta=True, message={"role": "user", "content": "<local-command-caveat>Caveat: The messages below were generated by the user while running local commands. DO NOT respond to these messages or otherwise consider them in your response unless the user explicitly asks you to.</local-command-caveat>"})
                s.rec("user", message={"role": "user", "content": "<command-name>/clear</command-name>\n            <command-message>clear</command-message>\n            <command-args></command-args>"})
                s.rec("user", message={"role": "user", "content": "<local-command-stdout></local-command-stdout>"})
            else:
                old, s.par = s.par, None
                s.rec("system", subtype="compact_boundary", content="Conversation compacted", isMeta=False, level="info", logicalParentUuid=old, compactMetadata={"trigger": "auto", "preTokens": s.r.randint(150000, 168000)})
                s.user("This session is being continued from a previous conversation that ran out of context. The conversation is summarized below:\n" + e["text"], isVisibleInTranscriptOnly=True, isCompactSummary=True); s.ctx = 22000; mid = None
        p = os.path.join(folder, s.sid + ".jsonl")
        with open(p, "w", encoding="utf-8") as h: h.write("\n".join(s.out) + "\n")

class Codex:
    def __init__(s, life, ses, r):
        s.L, s.S, s.r, s.out, s.t = life, ses, r, [], ses["start"]; s.sid = uid(r); s.turn = None; s.tot = [0, 0, 0]; s.n = 0; s.ctx = 9000
    def ts(s, lo=.5, hi=7): s.t += dt.timedelta(seconds=s.r.uniform(lo, hi)); return s.t.strftime("%Y-%m-%dT%H:%M:%S.") + f"{s.t.microsecond//1000:03d}Z"
    def rec(s, typ, p, lo=.1, hi=3): s.out.append(D({"timestamp": s.ts(lo, hi), "type": typ, "payload": p}))
    def msg(s, role, text): s.rec("response_item", {"type": "message", "role": role, "content": [{"type": "output_text" if role == "assistant" else "input_text", "text": text}]})
    def tokens(s):
        o = s.r.randint(30, 500); s.ctx += o + 300; u = [s.ctx, int(s.ctx*.9), o]; s.tot = [a + b for a, b in zip(s.tot, u)]
        f = lambda u: {"input_tokens": u[0], "cached_input_tokens": u[1], "output_tokens": u[2], "reasoning_output_tokens": u[2]//3, "total_tokens": u[0] + u[2]}
        s.rec("event_msg", {"type": "token_count", "info": {"total_token_usage": f(s.tot), "last_token_usage": f(u), "model_context_window": 258400}, "rate_limits": None}, .01, .1)
    def cmd(s, op):
        k = op["k"]
        if k == "read": 
            if op["lim"]: return f"sed -n '{op['off']},{op['off']+op['lim']-1}p' {op['path']}"
            return f"cat {op['path']}"
        if k == "search": return f"rg -n '{op['pat']}' {op['path']}"
        if k == "glob": return f"rg --files {op['path']}"
        return op["cmd"]
    def patch(s, op):
        if op["k"] == "write" and not op.get("bad"): return f"*** Begin Patch\n*** Add File: {op['path']}\n" + "\n".join("+" + x for x in op["body"]) + "\n*** End Patch"
        old, new = (op["old"], op["new"]) if op["k"] == "edit" else ("    " + op["body"][0].strip() + " ;", op["body"][1])
        return f"*** Begin Patch\n*** Update File: {op['path']}\n@@\n-{old}\n" + "\n".join("+" + x for x in new.split("\n")) + "\n*** End Patch"
    def call(s, e):
        op, st, out, code = e["op"], e["status"], e["out"], e["code"]; k = op["k"]; cid = rid(s.r, "call_"); old = s.S["style"] == "old"; wall = s.r.uniform(.01, 4)
        if s.r.random() < .35: s.rec("response_item", {"type": "reasoning", "summary": [], "content": None, "encrypted_content": rid(s.r, "gAAAA")})
        def fmt(o): return D({"output": o, "metadata": {"exit_code": code, "duration_seconds": round(wall, 1)}}) if old else f"Chunk ID: {s.r.getrandbits(24):06x}\nWall time: {wall:.4f} seconds\nProcess exited with code {code}\nOriginal token count: {len(o)//4}\nOutput:\n{o}\n"
        custom = False
        if k in ("edit", "write"):
            pt = s.patch(op)
            if st == "slip": o = f"apply_patch verification failed: Failed to find expected lines in {s.L.root}/{op['path']}:\n{pt.split('@@')[-1].split(chr(10))[1][1:]}"
            else: o = f"Success. Updated the following files:\n{'A' if k == 'write' else 'M'} {op['path']}\n"
            if old: name, args = "shell", {"command": ["apply_patch", pt], "workdir": s.L.root}; o = fmt(o)
            else: custom = True; o = o if st == "slip" else f"Exit code: 0\nWall time: {wall:.1f} seconds\nOutput:\n{o}"
        elif k == "todo":
            name, args = "update_plan", {"plan": [{"step": x, **({} if op.get("bad") else {"status": "pending"})} for x in op["items"]]}; o = "failed to parse function arguments: missing field `status`" if st == "slip" else "Plan updated"
        elif k == "mcp": name, args, o = op["name"], op["inp"], out
        else:
            c = s.cmd(op); name, args = ("shell", {"command": ["bash", "-lc", c], "workdir": s.L.root, "timeout_ms": 120000}) if old else ("exec_command", {"cmd": c, "workdir": s.L.root, "yield_time_ms": 10000, "max_output_tokens": 12000})
            if k == "read" and st == "ok": out = "\n".join(x.split("→", 1)[1] for x in out.split("\n"))
            if k == "read" and st == "slip": out = f"cat: {op['path']}: No such file or directory"
            if k in ("search", "glob") and st == "slip" and "parse" not in out: out = f"rg: {op['path']}: No such file or directory (os error 2)"
            o = fmt(out)
        if st == "rejected": o = "exec command rejected by user" if k == "bash" else "patch rejected by user"
        s.ctx += len(o)//4
        if custom: s.rec("response_item", {"type": "custom_tool_call", "status": "completed", "call_id": cid, "name": "apply_patch", "input": pt})
        else: s.rec("response_item", {"type": "function_call", "name": name, "arguments": D(args), "call_id": cid})
        s.rec("response_item", {"type": ("custom_tool_call" if custom else "function_call") + "_output", "call_id": cid, "output": o}, .1, 6)
        s.n += 1
        if s.n % 2 == 0: s.tokens()
    def write(s, folder):
        S, L = s.S, s.L; name = f"rollout-{s.t.strftime('%Y-%m-%dT%H-%M-%S')}-{s.sid}.jsonl"; md = "AGENTS.md"
        s.rec("session_meta", {"id": s.sid, "timestamp": s.t.strftime("%Y-%m-%dT%H:%M:%S.000Z"), "cwd": L.root, "originator": "codex_cli_rs", "cli_version": S["version"], "source": "cli", "model_provider": "openai", "git": {"branch": S["branch"], "commit_hash": f"{s.r.getrandbits(160):040x}"}}, 0, .1)
        s.msg("user", f"# {md} instructions for {L.root}\n\n<INSTRUCTIONS>\n# {L.T['repo']}\n\nWork in small steps.\n</INSTRUCTIONS>")
        s.msg("user", f"<environment_context>\n  <cwd>{L.root}</cwd>\n  <approval_policy>on-request</approval_policy>\n  <shell>bash</shell>\n</environment_context>")
        for e in S["ev"]:
            t = e["t"]
            if t == "user":
                s.t += dt.timedelta(seconds=s.r.uniform(20, 160)); s.turn = uid(s.r)
                s.rec("turn_context", {"turn_id": s.turn, "cwd": L.root, "approval_policy": "on-request", "sandbox_policy": {"type": "workspace-write"}, "model": S["model"], "effort": "medium", "summary": "auto"})
                s.rec("event_msg", {"type": "task_started", "turn_id": s.turn, "model_context_window": 258400}, .01, .1)
                s.msg("user", e["text"]); s.rec("event_msg", {"type": "user_message", "message": e["text"], "images": []}, .01, .1)
            elif t == "say":
                s.msg("assistant", e["text"]); s.rec("event_msg", {"type": "agent_message", "message": e["text"]}, .01, .1)
                if e.get("end"): s.tokens(); s.rec("event_msg", {"type": "task_complete", "turn_id": s.turn, "last_agent_message": e["text"]}, .01, .1)
            elif t == "call": s.call(e)
            elif t == "interrupt":
                s.msg("user", "<turn_aborted>\nThe user interrupted the previous turn on purpose.\n</turn_aborted>"); s.rec("event_msg", {"type": "turn_aborted", "turn_id": s.turn, "reason": "interrupted"})
            elif t == "compact":
                s.rec("compacted", {"message": e["text"], "replacement_history": []}); s.rec("event_msg", {"type": "context_compacted"}); s.ctx = 14000
        with open(os.path.join(folder, name), "w", encoding="utf-8") as h: h.write("\n".join(s.out) + "\n")
