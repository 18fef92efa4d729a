"""Writer for Claude Code JSONL."""
import json
import os
import random
from datetime import timedelta

B62 = "0123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def uid(r):
    h = f"{r.getrandbits(128):032x}"
    return f"{h[:8]}-{h[8:12]}-4{h[13:16]}-a{h[17:20]}-{h[20:]}"


def short(r, n=22):
    x, out = r.getrandbits(6 * n), []
    for _ in range(n):
        x, k = divmod(x, 58)
        out.append(B62[k])
    return "01" + "".join(out)


NAMES = dict(read="Read", search="Grep", glob="Glob", edit="Edit", write="Write", bash="Bash", task="Task", todo="TodoWrite")


class Writer:
    def __init__(self, life, s, rng, version, model):
        self.life, self.s, self.rng, self.version, self.model = life, s, rng, version, model
        self.root, self.sid, self.t = life.w.root, uid(rng), s.start
        self.rec, self.parent, self.mid, self.req = [], None, None, None
        self.slug = "-".join(rng.choice(x) for x in (("quiet", "amber", "brisk", "mossy", "plain"), ("walking", "humming", "drifting", "folding"), ("heron", "kettle", "lantern", "juniper", "otter")))
        self.ctx = 17000 + rng.randrange(4000)
        self.mult = self.segments()
        self.m = self.mult.pop(0)
        self.side = None

    def segments(self):
        out, acc = [], 0
        for it in self.s.items:
            if it[0] == "compact":
                out.append(max(.5, 138000 / max(2000, acc)))
                acc = 0
            elif it[0] == "call":
                acc += 700
            else:
                acc += 60
        out.append(2.0)
        return out

    def ts(self, lo=.05, hi=1.0):
        self.t += timedelta(seconds=self.rng.uniform(lo, hi))
        return self.t.strftime("%Y-%m-%dT%H:%M:%S.") + f"{self.t.microsecond // 1000:03d}Z"

    def base(self, typ, **kw):
        u = uid(self.rng)
        d = dict(parentUuid=self.parent, isSidechain=self.side is not None, userType="external", cwd=self.root, sessionId=self.sid, version=self.version, gitBranch=self.s.branch, slug=self.slug, type=typ)
        if self.side:
            d["agentId"] = self.side
        d.update(kw)
        d["uuid"], d["timestamp"] = u, self.ts()
        self.parent = u
        self.rec.append(d)
        return u

    def assistant(self, block):
        if self.mid is None:
            self.mid, self.req = "msg_" + short(self.rng), "req_" + short(self.rng)
            new = self.rng.randrange(80, 900)
            self.ctx += int(new * self.m)
            self.usage = dict(input_tokens=self.rng.randrange(1, 12), cache_creation_input_tokens=new, cache_read_input_tokens=self.ctx, cache_creation=dict(ephemeral_5m_input_tokens=new, ephemeral_1h_input_tokens=0), output_tokens=1, service_tier="standard")
        u = dict(self.usage)
        u["output_tokens"] = self.rng.randrange(30, 600) if block["type"] != "thinking" else self.rng.randrange(1, 12)
        return self.base("assistant", message=dict(model=self.model, id=self.mid, type="message", role="assistant", content=[block], stop_reason="tool_use" if block["type"] == "tool_use" else None, stop_sequence=None, usage=u), requestId=self.req)

    def user(self, text, **kw):
        self.mid = None
        return self.base("user", message=dict(role="user", content=text), **kw)

    def result(self, src, cid, content, err, tur):
        b = dict(tool_use_id=cid, type="tool_result", content=content)
        if err:
            b["is_error"] = True
        self.ctx += int(len(content) // 4 * self.m) if isinstance(content, str) else 300
        self.mid = None
        self.base("user", message=dict(role="user", content=[b]), toolUseResult=tur, sourceToolAssistantUUID=src)

    def call(self, c):
        a, op, root = c.args, c.op, self.root
        name = NAMES.get(op) or a["name"]
        if op == "read":
            inp = dict(file_path=f"{root}/{a['path']}")
            if a["lim"]:
                inp.update(offset=a["off"], limit=a["lim"])
        elif op == "search":
            inp = dict(pattern=a["pat"], path=f"{root}/{a['path']}")
            if a["content"]:
                inp.update({"output_mode": "content", "-n": True})
        elif op == "glob":
            inp = dict(pattern=a["pat"], path=f"{root}/{a['path']}")
        elif op == "edit":
            inp = dict(file_path=f"{root}/{a['path']}", old_string=a["old"], new_string=a["new"])
        elif op == "write":
            inp = dict(file_path=f"{root}/{a['path']}", content=a["body"])
        elif op == "bash":
            inp = dict(command=a["cmd"], description=a["desc"])
        elif op == "task":
            inp = dict(description=a["desc"], prompt=a["prompt"], subagent_type=a["agent"])
        elif op == "todo":
            inp = dict(todos=[dict(content=x, status="in_progress" if i == 0 else "pending", activeForm=x) for i, x in enumerate(a["items"])])
        else:
            inp = a["args"]
        cid = "toolu_" + short(self.rng)
        self.t += timedelta(seconds=self.rng.uniform(1, 9))
        src = self.assistant(dict(type="tool_use", id=cid, name=name, input=inp))
        if c.side is not None:
            keep, mid = self.parent, self.mid
            self.side, self.parent, self.mid = f"{self.rng.getrandbits(28):07x}", None, None
            self.base("user", message=dict(role="user", content=a["prompt"]))
            for it in c.side:
                self.item(it)
            self.assistant(dict(type="text", text=c.out))
            self.side, self.parent, self.mid = None, keep, mid
        out, err = c.out, bool(c.code) and c.kind != "nohit"
        self.t += timedelta(seconds=self.rng.uniform(.1, 12 if op == "bash" else 1))
        if err:
            tur = "User rejected tool use" if c.kind == "reject" else "Error: " + out.replace("<tool_use_error>", "").replace("</tool_use_error>", "")
            content = out
        elif op == "read":
            o = a["off"]
            content = "\n".join([f"{j:>6}→{x}" for j, x in enumerate(out, o)])
            tur = dict(type="text", file=dict(filePath=inp["file_path"], content="\n".join(out), numLines=len(out), startLine=o, totalLines=a["n"]))
        elif op == "search":
            if not out:
                content = "No matches found" if a["content"] else "No files found"
            elif a["content"]:
                content = "\n".join(f"{root}/{p}:{n}:{x}" for p, n, x in out)
            else:
                content = f"Found {len(out)} files\n" + "\n".join(f"{root}/{p}" for p, _, _ in out)
            tur = dict(mode="content" if a["content"] else "files_with_matches", numFiles=len(out), filenames=[f"{root}/{p}" for p, _, _ in out] if not a["content"] else [], content=content if a["content"] else "")
        elif op == "glob":
            L = [f"{root}/{p}" for p in out]
            content = "\n".join(L) or "No files found"
            tur = dict(filenames=L, durationMs=self.rng.randrange(5, 400), numFiles=len(L), truncated=False)
        elif op == "edit":
            content = out
            tur = dict(filePath=inp["file_path"], oldString=a["old"], newString=a["new"], userModified=False, replaceAll=False, structuredPatch=[])
        elif op == "write":
            content, tur = out, dict(type="create", filePath=inp["file_path"], content=a["body"], structuredPatch=[], originalFile=None)
        elif op == "bash":
            content, tur = out, dict(stdout=out, stderr="", interrupted=False, isImage=False)
        elif op == "task":
            content = [dict(type="text", text=out)]
            tur = dict(status="completed", prompt=a["prompt"], content=content, totalDurationMs=self.rng.randrange(9000, 90000), totalTokens=self.rng.randrange(9000, 70000), totalToolUseCount=sum(x[0] == "call" for x in c.side or ()))
        elif op == "todo":
            content, tur = out, dict(oldTodos=[], newTodos=inp["todos"])
        else:
            content = [dict(type="text", text=out)]
            tur = content
        self.result(src, cid, content, err, tur)

    def item(self, it):
        k, v = it
        if k == "call":
            self.call(v)
        elif k == "user":
            if self.parent:
                self.t += timedelta(seconds=min(2400, self.rng.expovariate(1 / 150) + 15))
            u = self.user(v, **({"planContent": v.partition("\n\n")[2]} if v.startswith("Implement the following plan") else {}))
            self.rec.append(dict(type="file-history-snapshot", messageId=u, snapshot=dict(messageId=u, trackedFileBackups={}, timestamp=self.rec[-1]["timestamp"]), isSnapshotUpdate=False))
            self.t += timedelta(seconds=self.rng.uniform(1, 5))
            self.turn = self.t
        elif k == "text":
            self.assistant(dict(type="text", text=v))
        elif k == "think":
            self.assistant(dict(type="thinking", thinking=v, signature="E" + short(self.rng, 60)))
        elif k == "final":
            self.t += timedelta(seconds=self.rng.uniform(2, 12))
            self.assistant(dict(type="text", text=v))
            self.mid = None
            if self.rng.random() < .4:
                self.base("system", subtype="turn_duration", durationMs=int((self.t - self.turn).total_seconds() * 1000), isMeta=False)
        elif k == "interrupt":
            self.mid = None
            self.base("user", message=dict(role="user", content=[dict(type="text", text="[Request interrupted by user]")]))
        elif k == "clear":
            self.user("<command-name>/clear</command-name>\n            <command-message>clear</command-message>\n            <command-args></command-args>")
            self.user("<local-command-stdout></local-command-stdout>")
        elif k == "compact":
            log, self.parent = self.parent, None
            self.mid = None
            pre = max(self.ctx, 148000) + self.rng.randrange(9000)
            self.base("system", subtype="compact_boundary", logicalParentUuid=log, content="Conversation compacted", isMeta=False, level="info", compactMetadata=dict(trigger="auto", preTokens=pre))
            asked = [x[1] for x in self.s.items[:self.s.items.index(it)] if x[0] == "user"][-4:]
            body = "\n".join(f"   - {x}" for x in asked)
            self.base("user", message=dict(role="user", content="This session is being continued from a previous conversation that ran out of context. The conversation is summarized below:\n\n1. What was asked:\n" + body + "\n\n2. State: the last request is finished; its files are saved.\n\n3. Next: wait for the user."), isVisibleInTranscriptOnly=True, isCompactSummary=True)
            self.ctx = 24000 + self.rng.randrange(4000)
            self.m = self.mult.pop(0)


def write(life, folder, seed):
    rng = random.Random(f"s17claude/{seed}/{life.kind}/{life.N}")
    ver = rng.choice(["2.0.14", "2.0.37", "2.0.61", "2.1.4", "2.1.17"])
    model = rng.choice(["claude-sonnet-4-5-20250929", "claude-opus-4-5-20251101"])
    enc = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
    for s in life.sessions:
        w = Writer(life, s, rng, s.version or ver, model)
        for it in s.items:
            w.item(it)
        with open(os.path.join(folder, w.sid + ".jsonl"), "w", encoding="utf-8") as f:
            f.write("\n".join(map(enc, w.rec)) + "\n")
