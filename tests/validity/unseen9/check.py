"""Counts on the written files what was planted. Usage: python check.py [seeds] [sessions] [kind ...]"""
from __future__ import annotations
import collections
import json
import pathlib
import re
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import agents  # noqa: E402
import t9_words as W  # noqa: E402


WORD = re.compile(r"[\w']+")
CORR = [set(WORD.findall(re.sub(r"\{\w+\}", " ", t).lower())) for t in W.CORR_EN + W.CORR_DE]
REASK = [d[2] for d in W.DETAIL_EN + W.DETAIL_DE]
VALQ = re.compile(r"(Which|What is the|Could you tell me the) .+\?$|(Wie lautet|Welchen Wert hat) .+\?$")
NEWQ = {q for q, _ in W.NEWQ_EN + W.NEWQ_DE}
VAL = {"host": r"berth-\w+\.kelpline\.net", "release": r"\br-\d{4}\b", "account_id": r"AC-\d{5}", "season_start": r"\b20\d\d-\d\d-\d\d\b", "database": r"ferry_stage_\d\d", "branch": r"pier/[a-z]+-[a-z]+-\d\d",
       "queue": r"manifest-[a-z]+-\d\d", "bucket": r"kelpline-scans-\w+", "port": r"(?<![-\d.])\b\d{4}\b(?!-)"}
OPT = {v[2]: v[3] for v in W.VALUES.values()}
TWIN = [("_legacy.", "."), ("_v2.", "."), ("_utils.", "."), ("_export/", "/"), ("apps/kiosk/", "apps/desk/"), (".example.", ".")]


LINT = ("pytest", "ruff", "npx eslint", "npx markdownlint", "sqlfluff", "yamllint")


def norm(p):
    for a, b in TWIN:
        p = p.replace(a, b)
    return p


def is_corr(text):
    """nearly all fixed words of one of the correction wordings (typos allowed)"""
    have = set(WORD.findall(text.lower()))
    return len(text) < 260 and any(len(t & have) >= max(3, len(t) - 1) for t in CORR)


def load(path):
    """-> list of items: ('user', text) ('say', text) ('compact',) ('call', name, input/cmd, result, error, ctx)"""
    items, open_, ctx = [], {}, 0
    for line in open(path, encoding="utf-8"):
        r = json.loads(line)
        if "payload" in r:
            p = r["payload"]
            t = p.get("type")
            if r["type"] == "compacted":
                items.append(("compact",))
            elif t == "user_message":
                items.append(("user", p["message"]))
            elif t == "agent_message":
                items.append(("say", p["message"]))
            elif t == "token_count":
                ctx = p["info"]["last_token_usage"]["input_tokens"]
                if items and items[-1][0] == "call":
                    items[-1][5] = ctx
            elif t in ("function_call", "custom_tool_call"):
                raw = p.get("input") or p["arguments"]
                inp = raw if t == "custom_tool_call" else json.loads(raw)
                c = ["call", p["name"], inp, "", False, None]
                open_[p["call_id"]] = c
                items.append(c)
            elif t in ("function_call_output", "custom_tool_call_output"):
                c, o = open_[p["call_id"]], p["output"]
                m = re.search(r"Process exited with code (\d+)|Exit code: (\d+)", o)
                if o.startswith("{\"output\""):
                    d = json.loads(o)
                    c[3], c[4] = d["output"], d["metadata"]["exit_code"] != 0
                else:
                    c[3], c[4] = o.split("Output:\n", 1)[-1], bool(m and (m[1] or m[2]) != "0") or o.startswith("apply_patch verification")
            continue
        if r["type"] == "system" and r.get("subtype") == "compact_boundary":
            items.append(("compact",))
        m = r.get("message")
        if not m or r.get("isMeta") or r.get("isCompactSummary"):
            continue
        c = m["content"]
        if isinstance(c, str):
            if c.startswith("<command-name>/clear"):
                items.append(("clear",))
            if not c.startswith(("<command", "<local")):
                items.append(("user", c))
            continue
        for b in c:
            if b["type"] == "text":
                items.append(("say", b["text"]))
            elif b["type"] == "tool_use":
                us = m["usage"]
                call = ["call", b["name"], b["input"], "", False, us["cache_read_input_tokens"] + us["cache_creation_input_tokens"]]
                open_[b["id"]] = call
                items.append(call)
            elif b["type"] == "tool_result":
                x = b["content"]
                call = open_[b["tool_use_id"]]
                call[3], call[4] = x if isinstance(x, str) else x[0]["text"], bool(b.get("is_error"))
    return items


def command(c):
    if isinstance(c[2], dict):
        x = c[2].get("command") or c[2].get("cmd") or ""
        return x[-1] if isinstance(x, list) else x
    return ""


def read_of(c):
    if c[1] == "Read":
        return c[2]["file_path"].split("/kelpline/")[-1], (c[2].get("offset"), c[2].get("limit"))
    m = re.match(r"(?:cat|nl -ba|sed -n '(\d+),(\d+)p') (\S+)$", command(c))
    return (m[3], (m[1], m[2])) if m else None


def category(c):
    cmd = command(c)
    if read_of(c):
        return "read"
    if not cmd:
        return c[1] if not c[1].startswith("mcp__deskops") else "ops"
    if cmd.startswith(LINT):
        return "check"
    if cmd.startswith("rg --files"):
        return "Glob"
    if cmd.startswith("rg"):
        return "Grep"
    return "ops" if "--" in cmd and any(o in cmd for o in OPT) else "bash"


def measure(folder, event=None):
    """-> per session: Counter of numerators and denominators"""
    def first_ts(f):
        for line in open(f, encoding="utf-8"):
            r = json.loads(line)
            if r.get("timestamp"):
                return r["timestamp"]
    out, current, known, replaced = [], {}, collections.defaultdict(set), set()
    carry = False
    for f in sorted(folder.glob("*.jsonl"), key=first_ts):
        n = collections.Counter()
        cats = collections.Counter()
        seen, last_first, ctx0, asked = {}, None, None, False
        harm = carry
        carry = False
        for it in load(f):
            if it[0] == event:
                harm = carry = True
            if it[0] == "clear":
                n["clears"] += 1
                continue
            if it[0] == "compact":
                seen, ctx0, last_first = {}, None, None
                n["compactions"] += 1
                continue
            if it[0] == "user":
                if asked and not is_corr(it[1]):
                    asked = False
                    n["answers"] += 1
                else:
                    n["requests"] += 1
                    n["h_req"] += harm
                    n["corr"] += is_corr(it[1])
                    asked = False
                tell(it[1], current, known, replaced)
                last_first = None
                continue
            if it[0] == "say":
                t = it[1]
                if any(t.endswith(q) for q in REASK) or VALQ.search(t):
                    n["reask"] += 1
                    asked = True
                elif any(t.endswith(q) for q in NEWQ):
                    asked = True
                continue
            c = it
            cmd = command(c)
            n["calls"] += 1
            cats[category(c)] += 1
            if c[1] == "AskUserQuestion":
                q = c[2]["questions"][0]["question"]
                n["reask"] += q not in NEWQ
            if c[5] is not None:
                if ctx0 is not None and c[5] > ctx0:
                    n["grow"] += c[5] - ctx0
                    n["steps"] += 1
                ctx0 = c[5]
            test = cmd.startswith(LINT)
            if cmd.startswith("pytest"):
                n["tests"] += 1
                n["testfail"] += c[4]
            flat = cmd + c[3]
            env = c[4] and re.search(r"timed out|timeout|503 Service", c[3])
            n["env"] += bool(env)
            oldv = c[4] and re.search(r"unknown (port|host|release|account_id|season_start|database|branch|queue|bucket)", c[3])
            miss = c[4] and cmd.startswith("rg -n") and not c[3].strip()
            own = c[4] and not miss and not test and not env and not oldv
            n["own"] += bool(own)
            n["h_own"] += bool(own) and harm
            n["h_calls"] += harm
            raw = c[2] if isinstance(c[2], str) else json.dumps(c[2])
            if isinstance(c[2], dict) and c[1] in ("exec_command", "shell"):
                raw = cmd
            n["nofile"] += not re.search(r"[\w.-]+/[\w.-]*\w|\*\*\* \w+ File", raw.replace("git.kelpline", "")) and c[1] not in ("AskUserQuestion",) and not c[1].startswith("mcp") and category(c) != "ops"
            rd = read_of(c)
            if rd and not c[4]:
                n["reads"] += 1
                p, rg = rd
                if seen.get(p, {}).get(rg) == c[3]:
                    n["reread"] += 1
                if p not in seen:
                    n["first"] += 1
                    if last_first and last_first != p and norm(last_first) == norm(p):
                        n["twin"] += 1
                        n["first"] -= 1
                    last_first = p
                else:
                    last_first = None
                seen.setdefault(p, {})[rg] = c[3]
            elif rd is None:
                last_first = None
            # values
            if "show-env" in cmd or c[1].endswith("deskops__environment"):
                tell(re.sub(r"# was.*", "", c[3]), current, known, replaced)
            uses = []
            if c[1].startswith("mcp__deskops") and isinstance(c[2], dict):
                uses = [(k, str(v)) for k, v in c[2].items() if k in VAL]
            else:
                uses = [(OPT[o], v) for o, v in re.findall(r"(--[a-z-]+)[ =](\S+)", cmd) if o in OPT]
            for k, v in uses:
                if k in replaced:
                    n["uses"] += 1
                    n["stale"] += v != current.get(k)
        out.append((n, cats))
    return out


def tell(text, current, known, replaced):
    if text.startswith("Implement the following plan"):
        return
    for k, pat in VAL.items():
        for v in re.findall(pat, text):
            if v not in known[k]:
                if known[k]:
                    replaced.add(k)
                known[k].add(v)
                current[k] = v


def line(pts):
    """weighted least squares of num/den on u -> value at 0 and 1"""
    sw = sum(d for _, _, d in pts)
    if not sw:
        return float("nan"), float("nan")
    mx = sum(u * d for u, _, d in pts) / sw
    my = sum(a for _, a, _ in pts) / sw
    sxx = sum(d * (u - mx) ** 2 for u, _, d in pts)
    b = sum((u - mx) * (a - d * my) for u, a, d in pts) / sxx if sxx else 0
    return my - b * mx, my + b * (1 - mx)


RATES = [("own", "own", "calls", 100), ("reread", "reread", "reads", 100), ("twin", "twin", "first", 100), ("stale", "stale", "uses", 100), ("reask", "reask", "requests", 100), ("corr", "corr", "requests", 100),
         ("nofile", "nofile", "calls", 100), ("grow", "grow", "steps", 1), ("calls/req", "calls", "requests", 1), ("req/sess", "requests", None, 1), ("testfail", "testfail", "tests", 100), ("env", "env", "calls", 100)]


def main():
    a = sys.argv[1:]
    seeds, sessions = int(a[0]) if a else 4, int(a[1]) if len(a) > 1 else 24
    names = a[2:] or list(agents.KINDS)
    tmp = pathlib.Path(tempfile.mkdtemp(prefix="unseen9_"))
    print(f"{seeds} seeds, {sessions} sessions; value at the first -> last session (weighted line through all sessions); tv = total variation of the tool mix, first third against last third")
    print("%-22s" % "kind" + "".join("%-13s" % r[0] for r in RATES) + "tv    compactions  calls")
    for k in names:
        pts = {r[0]: [] for r in RATES}
        early, late, comp, calls = collections.Counter(), collections.Counter(), 0, 0
        special = collections.Counter()
        for s in range(1, seeds + 1):
            d = tmp / f"{k}{s}"
            agents.write_agent(k, s, sessions, d)
            event = {"after_compaction": "compact", "after_clear": "clear"}.get(k)
            ms = measure(d, event)
            tot = sum((n for n, _ in ms), collections.Counter())
            special.update(tot)
            if k.startswith("step"):
                at = agents.step_at(k, s, sessions)
                for i, (n, _) in enumerate(ms):
                    for x in ("own", "calls", "reread", "reads"):
                        special[("post_" if i >= at else "pre_") + x] += n[x]
            assert len(ms) == sessions, (k, len(ms))
            for i, (n, cats) in enumerate(ms):
                u = i / (sessions - 1)
                for name, num, den, f in RATES:
                    pts[name].append((u, f * n[num], n[den] if den else 1))
                comp += n["compactions"]
                calls += n["calls"]
                if u < 1 / 3:
                    early.update(cats)
                elif u > 2 / 3:
                    late.update(cats)
            shutil.rmtree(d)
        tv = .5 * sum(abs(early[c] / early.total() - late[c] / late.total()) for c in early | late)
        cells = []
        for r in RATES:
            x, y = line(pts[r[0]])
            cells.append("%-13s" % (f"{x:.0f}->{y:.0f}" if r[0] == "grow" else f"{x:.1f}->{y:.1f}"))
        print("%-22s" % k + "".join(cells) + f"{tv:.2f}  {comp / seeds:<11.1f}  {calls / seeds:.0f}", flush=True)
        z = special
        if event:
            rest = {x: z[x] - z["h_" + x] for x in ("own", "calls")}
            print(f"    events per life: {z['compactions' if event == 'compact' else 'clears'] / seeds:.1f}; own errors after an event {100 * z['h_own'] / z['h_calls']:.1f} %, else {100 * rest['own'] / rest['calls']:.1f} %; "
                  f"calls per request {z['h_calls'] / z['h_req']:.1f}, else {rest['calls'] / (z['requests'] - z['h_req']):.1f}")
        if k.startswith("step"):
            print(f"    own errors {100 * z['pre_own'] / z['pre_calls']:.1f} -> {100 * z['post_own'] / z['post_calls']:.1f} %; re-reads {100 * z['pre_reread'] / z['pre_reads']:.1f} -> {100 * z['post_reread'] / z['post_reads']:.1f} % of reads")
    shutil.rmtree(tmp)


if __name__ == "__main__":
    main()
