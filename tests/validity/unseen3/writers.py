"""Three formats. Input: a life = list of sessions; a session = dict(id, cwd, user, steps); a step is a dict with `what`,
`t` (seconds since 1970, UTC), `id`, and what belongs to it: prompt, say, call, compact, clear, model, stop."""

import json
import os
import random
from datetime import datetime, timezone

dump = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def iso(t):
    return datetime.fromtimestamp(t, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.") + f"{int(t * 1000) % 1000:03d}Z"


def uid(rng):
    h = f"{rng.getrandbits(128):032x}"
    return f"{h[:8]}-{h[8:12]}-4{h[13:16]}-a{h[17:20]}-{h[20:]}"


def claude_code(life, folder, rng):
    for session in life:
        rows, parent, context, note = [], None, 16000 + rng.randrange(9000), 0
        base = {"isSidechain": False, "userType": "external", "cwd": session["cwd"], "sessionId": session["id"], "version": session["version"], "gitBranch": session["branch"]}
        message, request = None, None

        def put(record, t, ident=None, root=False):
            nonlocal parent
            ident = ident or uid(rng)
            rows.append({"parentUuid": None if root else parent, **base, **record, "uuid": ident, "timestamp": iso(t)})
            parent = ident

        def speak(block, step, stop=None):
            nonlocal message, request, context
            if message is None:
                message, request = "msg_01" + f"{rng.getrandbits(96):024x}", "req_011C" + f"{rng.getrandbits(80):020x}"
            new = 200 + rng.randrange(1500)
            usage = {"input_tokens": 3 + rng.randrange(8), "cache_creation_input_tokens": new, "cache_read_input_tokens": context, "cache_creation": {"ephemeral_5m_input_tokens": new, "ephemeral_1h_input_tokens": 0}, "output_tokens": step.get("tokens", 60), "service_tier": "standard"}
            put({"type": "assistant", "message": {"model": session["models"][step["model"]], "id": message, "type": "message", "role": "assistant", "content": [block], "stop_reason": stop, "stop_sequence": None, "usage": usage}, "requestId": request}, step["t"], step["id"] if block["type"] == "text" else None)

        for step in session["steps"]:
            what, t = step["what"], step["t"]
            if what == "prompt":
                message = None
                note += 1
                if note % 4 == 1:
                    rows.append({"type": "file-history-snapshot", "messageId": step["id"], "snapshot": {"messageId": step["id"], "trackedFileBackups": {}, "timestamp": iso(t)}, "isSnapshotUpdate": False})
                put({"type": "user", "message": {"role": "user", "content": step["text"]}, "todos": [], "permissionMode": "default"}, t, step["id"])
            elif what == "say":
                if step.get("think"):
                    speak({"type": "thinking", "thinking": step["think"], "signature": "Eq" + "kJd0xB" * (len(step["think"]) // 5)}, {**step, "t": t - 0.5})
                speak({"type": "text", "text": step["text"]}, step, "end_turn" if step.get("last") else None)
                if step.get("last"):
                    message = None
                    if rng.random() < 0.4:
                        put({"type": "system", "subtype": "turn_duration", "durationMs": 9000 + rng.randrange(200000), "isMeta": False}, t + 0.2)
            elif what == "call":
                speak({"type": "tool_use", "id": step["id"], "name": step["tool"], "input": step["args"]}, step, "tool_use")
                source = parent
                message = None
                status, result = step["status"], step["result"]
                context += 30 + len(result) // 4
                block = {"tool_use_id": step["id"], "type": "tool_result", "content": result}
                extra = {"toolUseResult": {"stdout": result[:400], "stderr": "", "interrupted": False, "isImage": False}} if step["op"] in ("run", "use") else {"toolUseResult": {"type": "text"}}
                if status == "rejected":
                    block["content"] = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed."
                    extra = {"toolUseResult": "User rejected tool use"}
                elif status == "cancelled":
                    block["content"] = "[Request interrupted by user for tool use]"
                    extra = {"toolUseResult": "Error: [Request interrupted by user for tool use]"}
                elif status == "failed":
                    extra = {"toolUseResult": "Error: " + result[:300]}
                    if step["op"] in ("read", "edit"):
                        block["content"] = f"<tool_use_error>{result}</tool_use_error>"
                if status != "ok":
                    block["is_error"] = True
                elif step["op"] in ("run", "use"):
                    block["is_error"] = False
                put({"type": "user", "message": {"role": "user", "content": [block]}, **extra, "sourceToolAssistantUUID": source}, t + step["took"])
                if status in ("cancelled", "rejected"):
                    put({"type": "user", "message": {"role": "user", "content": [{"type": "text", "text": "[Request interrupted by user for tool use]"}]}}, t + step["took"] + 0.001)
            elif what == "compact":
                before = parent
                put({"logicalParentUuid": before, "type": "system", "subtype": "compact_boundary", "content": "Conversation compacted", "isMeta": False, "level": "info", "compactMetadata": {"trigger": "auto", "preTokens": 140000 + rng.randrange(25000)}}, t, step["id"], root=True)
                put({"type": "user", "message": {"role": "user", "content": step["text"]}, "isVisibleInTranscriptOnly": True, "isCompactSummary": True}, t + 0.01)
                context, message = 21000 + rng.randrange(6000), None
            elif what in ("clear", "model"):
                put({"type": "user", "message": {"role": "user", "content": f"<command-name>/{what}</command-name>\n            <command-message>{what}</command-message>\n            <command-args></command-args>"}}, t, step["id"], root=what == "clear")
                told = "" if what == "clear" else f"Set model to \u001b[1m{session['models'][step['model']]}\u001b[22m"
                put({"type": "user", "message": {"role": "user", "content": f"<local-command-stdout>{told}</local-command-stdout>"}}, t + 0.01)
                message = None
                if what == "clear":
                    context = 17000
        with open(os.path.join(folder, session["id"] + ".jsonl"), "w", encoding="utf-8") as out:
            out.write("\n".join(map(dump, rows)) + "\n")


def codex(life, folder, rng):
    for session in life:
        rows, total = [], {"input_tokens": 0, "cached_input_tokens": 0, "output_tokens": 0, "reasoning_output_tokens": 0, "total_tokens": 0}
        start = session["steps"][0]["t"]
        turn = None

        def put(kind, payload, t):
            rows.append({"timestamp": iso(t), "type": kind, "payload": payload})

        put("session_meta", {"session_id": session["id"], "id": session["id"], "timestamp": iso(start - 1), "cwd": session["cwd"], "originator": "codex_cli_rs", "cli_version": session["version"], "source": "cli", "model_provider": "openai", "base_instructions": {"text": "You are Codex, a coding agent."}, "git": {"branch": session["branch"]}}, start - 1)
        put("response_item", {"type": "message", "role": "user", "content": [{"type": "input_text", "text": f"<environment_context>\n  <cwd>{session['cwd']}</cwd>\n  <shell>bash</shell>\n</environment_context>"}]}, start - 0.9)
        for step in session["steps"]:
            what, t = step["what"], step["t"]
            if what == "prompt":
                turn = uid(rng)
                put("event_msg", {"type": "task_started", "turn_id": turn, "started_at": int(t), "model_context_window": 258400}, t - 0.01)
                put("turn_context", {"turn_id": turn, "cwd": session["cwd"], "approval_policy": "on-request", "sandbox_policy": {"type": "workspace-write"}, "model": session["models"][step["model"]], "effort": "medium", "summary": "auto"}, t - 0.005)
                put("response_item", {"type": "message", "role": "user", "content": [{"type": "input_text", "text": step["text"]}]}, t)
                put("event_msg", {"type": "user_message", "client_id": step["id"], "message": step["text"], "images": [], "local_images": [], "text_elements": []}, t + 0.001)
            elif what == "say":
                if step.get("think"):
                    put("response_item", {"type": "reasoning", "id": "rs_" + step["id"][:12], "summary": [{"type": "summary_text", "text": step["think"]}], "encrypted_content": "gAAAA"}, t - 1)
                put("event_msg", {"type": "agent_message", "message": step["text"]}, t)
                put("response_item", {"type": "message", "id": step["id"], "role": "assistant", "content": [{"type": "output_text", "text": step["text"]}]}, t)
                if step.get("last"):
                    put("event_msg", {"type": "task_complete", "turn_id": turn, "last_agent_message": step["text"]}, t + 0.1)
            elif what == "call":
                ok = step["status"] == "ok"
                if step["result"].startswith("Exit code"):
                    step = {**step, "result": step["result"].split("\n", 1)[1]}
                if "patch" in step["args"]:
                    put("response_item", {"type": "custom_tool_call", "status": "completed", "call_id": step["id"], "name": "apply_patch", "input": step["args"]["patch"]}, t)
                    text = step["result"] if not ok else f"Exit code: 0\nWall time: 0.0 seconds\nOutput:\n{step['result']}"
                    if step["status"] in ("rejected", "cancelled"):
                        text = "patch rejected by user" if step["status"] == "rejected" else "aborted by user after 1.9s"
                    put("response_item", {"type": "custom_tool_call_output", "call_id": step["id"], "output": text}, t + step["took"])
                else:
                    put("response_item", {"type": "function_call", "name": step["tool"], "arguments": dump(step["args"]), "call_id": step["id"]}, t)
                    code = 0 if ok else 1
                    if step["status"] in ("rejected", "cancelled"):
                        text = "exec_command failed: Rejected(\"rejected by user\")" if step["status"] == "rejected" else f"aborted by user after {step['took']:.1f}s"
                    elif step["tool"] == "exec_command":
                        text = f"Chunk ID: {rng.getrandbits(24):06x}\nWall time: {step['took']:.4f} seconds\nProcess exited with code {code}\nOriginal token count: {len(step['result']) // 4}\nOutput:\n{step['result']}"
                    else:
                        text = step["result"] if ok else "tool call error: " + step["result"]
                    put("response_item", {"type": "function_call_output", "call_id": step["id"], "output": text}, t + step["took"])
                last = {"input_tokens": 15000 + rng.randrange(90000), "output_tokens": step["tokens"], "reasoning_output_tokens": step["tokens"] // 3}
                last["cached_input_tokens"] = last["input_tokens"] - 900
                last["total_tokens"] = last["input_tokens"] + last["output_tokens"]
                for k in total:
                    total[k] += last[k]
                put("event_msg", {"type": "token_count", "info": {"total_token_usage": dict(total), "last_token_usage": last, "model_context_window": 258400}, "rate_limits": None}, t + step["took"] + 0.001)
                if step["status"] == "cancelled":
                    put("event_msg", {"type": "turn_aborted", "turn_id": turn, "reason": "interrupted"}, t + step["took"] + 0.01)
            elif what == "compact":
                put("compacted", {"message": step["text"], "replacement_history": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": step["text"]}]}]}, t)
                put("event_msg", {"type": "context_compacted"}, t + 0.01)
        day = datetime.fromtimestamp(start, timezone.utc).strftime("%Y-%m-%dT%H-%M-%S")
        with open(os.path.join(folder, f"rollout-{day}-{session['id']}.jsonl"), "w", encoding="utf-8") as out:
            out.write("\n".join(map(dump, rows)) + "\n")


def generic(life, folder, rng):
    rows = []
    for session in life:
        held, model = None, None

        def flush():
            nonlocal held
            if held:
                rows.append(held)
                held = None

        for step in session["steps"]:
            what, t = step["what"], round(step["t"], 3)
            head = {"session_id": session["id"], "timestamp": t, "id": step["id"]}
            if what == "prompt":
                flush()
                rows.append({**head, "role": "user", "content": step["text"], "user": session["user"]})
            elif what == "say":
                flush()
                held = {**head, "role": "assistant", "content": step["text"], "model": session["models"][step["model"]], "agent_version": session["version"], "input_tokens": 3000 + rng.randrange(40000), "output_tokens": step["tokens"]}
                if step.get("last"):
                    flush()
            elif what == "call":
                call = {"id": step["id"], "name": step["tool"], "args": step["args"], "result": step["result"], "success": step["status"] == "ok"}
                if step["status"] != "ok":
                    call.pop("result")
                    call["error"] = step["result"] if step["status"] == "failed" else f"{step['status']} by user"
                    call["error_kind"] = {"failed": "process"}.get(step["status"], step["status"])
                if held and len(held.get("tool_calls", ())) < 1:
                    held.setdefault("tool_calls", []).append(call)
                else:
                    flush()
                    held = {**head, "id": "m" + step["id"], "role": "assistant", "content": "", "model": session["models"][step["model"]], "agent_version": session["version"], "input_tokens": 3000 + rng.randrange(40000), "output_tokens": step["tokens"], "tool_calls": [call]}
            else:
                flush()
                event = {"compact": "compaction", "clear": "clear", "model": "model_change"}[what]
                rows.append({**head, "event": event, **({"model": session["models"][step["model"]]} if what == "model" else {}), **({"content": step["text"]} if what == "compact" else {})})
        flush()
    with open(os.path.join(folder, "trace.jsonl"), "w", encoding="utf-8") as out:
        out.write("\n".join(map(dump, rows)) + "\n")


FORMS = {"claude_code": claude_code, "codex": codex, "generic": generic}


def write(life, form, folder, seed):
    FORMS[form](life, folder, random.Random(seed))
