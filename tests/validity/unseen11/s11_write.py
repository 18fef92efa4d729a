"""Writers of the two trace formats. Interface used by the simulator:
open_session, user, think_say, call(op) with op = dict(kind, ...result...), interrupt, compact, close."""
import json, os, datetime as dt

HEX = "0123456789abcdef"
ALNUM = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz123456789"
dumps = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class Base:
    def __init__(s, rnd, folder, cwd):
        s.r, s.folder, s.cwd = rnd, folder, cwd
        s.pool = "".join(rnd.choices(ALNUM + "+/", k=4000))

    def uuid(s):
        h = f"{s.r.getrandbits(128):032x}"
        return f"{h[:8]}-{h[8:12]}-4{h[13:16]}-a{h[17:20]}-{h[20:]}"

    def ident(s, n):
        k = int(s.r.random() * 3900)
        return s.pool[k:k + 4].replace("+", "a").replace("/", "b") + "".join(s.r.choices(ALNUM, k=n - 4))

    def blob(s, n):
        k = int(s.r.random() * (3990 - n))
        return s.pool[k:k + n]

    def ts(s):
        return s.now.strftime("%Y-%m-%dT%H:%M:%S.") + f"{s.now.microsecond//1000:03d}Z"

    def tick(s, lo, hi):
        s.now += dt.timedelta(seconds=lo + (hi - lo) * s.r.random() ** 2)


class Claude(Base):
    fmt = "claude"

    def open_session(s, start, version, model, branch, cleared=False, slug=True):
        s.now, s.version, s.model, s.branch = start, version, model, branch
        s.sid, s.parent, s.out, s.mid = s.uuid(), None, [], None
        s.slug = "-".join(s.r.choice(x) for x in (["tidy", "brisk", "mellow", "quiet", "sunny", "hazy"], ["drifting", "sailing", "baking", "humming", "packing"], ["otter", "crane", "lantern", "heron", "maple", "anchor"])) if slug else None
        s.ctx = s.base = 17000 + s.r.randrange(2500) + s.overhead
        s.new = s.ctx
        s.subs = {}
        s.out.append(dumps({"type": "file-history-snapshot", "messageId": s.uuid(), "snapshot": {"messageId": s.uuid(), "trackedFileBackups": {}, "timestamp": s.ts()}, "isSnapshotUpdate": False}))
        if cleared:
            s.rec({"type": "user", "message": {"role": "user", "content": "<command-name>/clear</command-name>\n            <command-message>clear</command-message>\n            <command-args></command-args>"}})
            s.rec({"type": "user", "message": {"role": "user", "content": "<local-command-stdout></local-command-stdout>"}})
            s.tick(3, 40)

    overhead = 0

    def rec(s, d, **extra):
        u = s.uuid()
        o = {"parentUuid": s.parent, "isSidechain": False, "userType": "external", "cwd": s.cwd, "sessionId": s.sid, "version": s.version, "gitBranch": s.branch}
        if s.slug and s.parent:
            o["slug"] = s.slug
        o.update(d)
        o["uuid"], o["timestamp"] = u, s.ts()
        o.update(extra)
        s.out.append(dumps(o))
        s.parent = u
        return u

    def add(s, text):
        n = len(text) // 4 + 12
        s.ctx += n
        s.new += n

    def user(s, text):
        s.tick(20, 400)
        s.flush()
        s.add(text)
        s.rec({"type": "user", "message": {"role": "user", "content": text}}, thinkingMetadata={"maxThinkingTokens": 31999}, todos=[], permissionMode="default")
        s.t0 = s.now

    def flush(s):
        s.mid = None

    def msg(s):
        s.mid, s.req = "msg_01" + s.ident(22), "req_011C" + s.ident(20)
        s.usage = {"input_tokens": s.r.randrange(3, 12), "cache_creation_input_tokens": s.new, "cache_read_input_tokens": max(0, s.ctx - s.new),
                   "cache_creation": {"ephemeral_5m_input_tokens": s.new, "ephemeral_1h_input_tokens": 0}, "output_tokens": 0, "service_tier": "standard"}
        s.new = 0

    def block(s, b, stop=None, size=0):
        u = dict(s.usage)
        u["output_tokens"] = s.outt = max(2, s.outt + size // 4)
        s.tick(1, 9)
        return s.rec({"message": {"model": s.model, "id": s.mid, "type": "message", "role": "assistant", "content": [b], "stop_reason": stop, "stop_sequence": None, "usage": u}, "requestId": s.req, "type": "assistant"})

    def message(s, think, say, op):
        s.msg()
        s.outt = 3
        if think:
            s.block({"type": "thinking", "thinking": think, "signature": "E" + s.blob(120)}, None, len(think))
            s.add(think)
        if say:
            s.block({"type": "text", "text": say}, None if op else "end_turn", len(say))
            s.add(say)
        if not op:
            if s.r.random() < .5:
                s.rec({"type": "system", "subtype": "turn_duration", "durationMs": int((s.now - s.t0).total_seconds() * 1000), "isMeta": False})
            return
        tid = "toolu_01" + s.ident(22)
        inp = op["input"]
        a = s.block({"type": "tool_use", "id": tid, "name": op["tool"], "input": inp}, None if s.r.random() < .5 else "tool_use", len(str(inp)))
        s.add(str(inp))
        if op.get("sub"):
            s.sub(op, tid)
        s.tick(*(op.get("dur") or (.05, 2)))
        res = {"tool_use_id": tid, "type": "tool_result", "content": op["text"]}
        if op.get("err"):
            res = {"type": "tool_result", "content": op["text"], "is_error": True, "tool_use_id": tid}
        elif op["tool"] == "Bash":
            res["is_error"] = False
        s.add(op["text"])
        s.rec({"type": "user", "message": {"role": "user", "content": [res]}}, toolUseResult=op["tur"], sourceToolAssistantUUID=a)

    def sub(s, op, tid):
        aid = f"a{s.r.getrandbits(64):016x}"
        keep = (s.out, s.parent, s.ctx, s.new)
        s.out, s.parent, s.ctx, s.new = [], None, 9000, 9000
        s.rec({"type": "user", "isSidechain": True, "agentId": aid, "message": {"role": "user", "content": op["input"]["prompt"]}})
        for o in op["sub"]():
            s.message(None, None, o)
        s.message(None, op["text"], None) if False else None
        s.msg(); s.outt = 3
        s.block({"type": "text", "text": op["text"]}, "end_turn", len(op["text"]))
        side = [l.replace('"isSidechain":false', '"isSidechain":true,"agentId":"' + aid + '"', 1) for l in s.out]
        s.subs[aid] = side
        s.out, s.parent, s.ctx, s.new = keep
        op["tur"] = {"status": "completed", "prompt": op["input"]["prompt"], "agentId": aid, "content": [{"type": "text", "text": op["text"]}], "totalDurationMs": 40000 + s.r.randrange(60000), "totalTokens": 20000 + s.r.randrange(20000), "totalToolUseCount": op["nsub"]}
        s.mid = None

    def interrupt(s):
        s.tick(2, 20)
        s.rec({"type": "user", "message": {"role": "user", "content": [{"type": "text", "text": "[Request interrupted by user]"}]}})

    def compact(s, summary, trigger):
        pre = s.ctx
        lp, s.parent = s.parent, None
        s.tick(40, 120)
        s.rec({"logicalParentUuid": lp, "type": "system", "subtype": "compact_boundary", "content": "Conversation compacted", "isMeta": False}, level="info", compactMetadata={"trigger": trigger, "preTokens": pre})
        s.ctx = s.base
        s.new = s.base
        s.add(summary)
        s.rec({"type": "user", "message": {"role": "user", "content": summary}}, isVisibleInTranscriptOnly=True, isCompactSummary=True)

    def close(s):
        with open(os.path.join(s.folder, s.sid + ".jsonl"), "w", encoding="utf-8") as f:
            f.write("\n".join(s.out) + "\n")
        if s.subs:
            d = os.path.join(s.folder, s.sid, "subagents")
            os.makedirs(d, exist_ok=True)
            for a, l in s.subs.items():
                with open(os.path.join(d, f"agent-{a}.jsonl"), "w", encoding="utf-8") as f:
                    f.write("\n".join(l) + "\n")


class Codex(Base):
    fmt = "codex"
    overhead = 0

    def open_session(s, start, version, model, branch, cleared=False, slug=True):
        s.now, s.version, s.model, s.branch = start, version, model, branch
        h = f"{int(start.timestamp()*1000):012x}{s.r.getrandbits(80):020x}"
        s.sid = f"{h[:8]}-{h[8:12]}-7{h[13:16]}-9{h[17:20]}-{h[20:32]}"
        s.start, s.out = start, []
        s.ctx = s.base = 6200 + s.r.randrange(900) + s.overhead
        s.cached = 0
        s.tot = [0, 0, 0, 0]
        s.rec("session_meta", {"id": s.sid, "timestamp": s.ts(), "cwd": s.cwd, "originator": "codex_cli_rs", "cli_version": version, "instructions": None, "source": "cli",
              "git": {"commit_hash": f"{s.r.getrandbits(160):040x}", "branch": branch, "repository_url": "git@github.com:halyard-freight/reeferline.git"}})
        s.tick(.1, .3)
        s.rec("response_item", {"type": "message", "role": "user", "content": [{"type": "input_text", "text": f"<environment_context>\n  <cwd>{s.cwd}</cwd>\n  <approval_policy>on-request</approval_policy>\n  <sandbox_mode>workspace-write</sandbox_mode>\n  <network_access>restricted</network_access>\n  <shell>zsh</shell>\n</environment_context>"}]})

    def rec(s, t, p):
        s.out.append(dumps({"timestamp": s.ts(), "type": t, "payload": p}))

    def add(s, text):
        s.ctx += len(text) // 4 + 8

    def user(s, text):
        s.tick(20, 400)
        s.add(text)
        s.rec("turn_context", {"cwd": s.cwd, "approval_policy": "on-request", "sandbox_policy": {"mode": "workspace-write", "network_access": False, "exclude_tmpdir_env_var": False, "exclude_slash_tmp": False}, "model": s.model, "effort": "medium", "summary": "auto"})
        s.rec("response_item", {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]})
        s.rec("event_msg", {"type": "user_message", "message": text, "kind": "plain"})

    def flush(s):
        pass

    def message(s, think, say, op):
        s.tick(2, 14)
        o0 = 20
        inp = s.ctx
        reas = 0
        if think:
            reas = len(think) // 3
            s.rec("event_msg", {"type": "agent_reasoning", "text": think})
            s.rec("response_item", {"type": "reasoning", "summary": [{"type": "summary_text", "text": think}], "content": None, "encrypted_content": "gAAAAAB" + s.blob(160)})
        if say:
            s.rec("event_msg", {"type": "agent_message", "message": say})
            s.rec("response_item", {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": say}]})
            s.add(say)
            o0 += len(say) // 4
        if op:
            cid = "call_" + s.ident(24)
            if op["tool"] == "apply_patch":
                s.rec("response_item", {"type": "custom_tool_call", "status": "completed", "call_id": cid, "name": "apply_patch", "input": op["input"]})
                o0 += len(op["input"]) // 4
                s.add(op["input"])
            else:
                a = dumps(op["input"])
                s.rec("response_item", {"type": "function_call", "name": op["tool"], "arguments": a, "call_id": cid})
                o0 += len(a) // 4
                s.add(a)
        cached = min(s.cached, inp) // 128 * 128
        last = {"input_tokens": inp, "cached_input_tokens": cached, "output_tokens": o0 + reas, "reasoning_output_tokens": reas, "total_tokens": inp + o0 + reas}
        s.cached = inp
        for i, k in enumerate(("input_tokens", "cached_input_tokens", "output_tokens", "reasoning_output_tokens")):
            s.tot[i] += last[k]
        tk = dict(zip(("input_tokens", "cached_input_tokens", "output_tokens", "reasoning_output_tokens"), s.tot))
        tk["total_tokens"] = s.tot[0] + s.tot[2]
        s.rec("event_msg", {"type": "token_count", "info": {"total_token_usage": tk, "last_token_usage": last, "model_context_window": 272000}})
        if op:
            d0 = s.now
            s.tick(*(op.get("dur") or (.05, 2)))
            sec = round((s.now - d0).total_seconds(), 1)
            if op["tool"] == "apply_patch":
                if op.get("raw"):
                    out = op["text"]
                else:
                    out = dumps({"output": op["text"], "metadata": {"exit_code": 0, "duration_seconds": sec}})
                s.rec("response_item", {"type": "custom_tool_call_output", "call_id": cid, "output": out})
            else:
                out = op["text"] if op.get("raw") else dumps({"output": op["text"], "metadata": {"exit_code": op.get("rc", 0), "duration_seconds": sec}})
                s.rec("response_item", {"type": "function_call_output", "call_id": cid, "output": out})
            s.add(op["text"])

    def interrupt(s):
        s.tick(2, 20)
        s.rec("event_msg", {"type": "turn_aborted", "reason": "interrupted"})

    def compact(s, summary, trigger):
        s.tick(30, 90)
        s.rec("compacted", {"message": summary})
        s.rec("event_msg", {"type": "context_compacted"})
        s.ctx = s.base
        s.cached = 0
        s.add(summary)

    def close(s):
        d = os.path.join(s.folder, "sessions", s.start.strftime("%Y/%m/%d"))
        os.makedirs(d, exist_ok=True)
        with open(os.path.join(d, f"rollout-{s.start.strftime('%Y-%m-%dT%H-%M-%S')}-{s.sid}.jsonl"), "w", encoding="utf-8") as f:
            f.write("\n".join(s.out) + "\n")
