"""Compares labels with what is in the files: python check.py [lives]; prints planned and realised rates."""
import importlib.util
import json
import re
import shutil
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
spec = importlib.util.spec_from_file_location("unseen23", HERE / "__init__.py", submodule_search_locations=[str(HERE)])
sys.modules["unseen23"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sys.modules["unseen23"])
agents = importlib.import_module("unseen23.agents")
people = importlib.import_module("unseen23.z23_people")
z_words = importlib.import_module("unseen23.z23_words")

TESTS = re.compile(r"\d+ tests? completed, 1 failed|There are test failures|1 failed|test result: FAILED|tests completed, 1 failed")
ARROW = re.compile(r"^\s*\d+→", re.M)


def pattern_of(text):
    parts = re.split(r"\{\w+\}", text.rstrip("."))
    return ".+".join(map(re.escape, parts)) + r"\.?$"


WRONG = re.compile("|".join("^" + pattern_of(t[0] + t[1:]) for t in z_words.CORRECTIONS + z_words.SHORT_CORRECTIONS + z_words.GERMAN_CORRECTIONS), re.I)
FAILED_VALUE = [re.compile(".*".join(map(re.escape, s["failure"].split("{v}")))) for p in people.PEOPLE for s in p["settings"]]


def claude_events(path):
    """(what, tool, given, text, bad) of one file, in order."""
    calls = {}
    for line in path.open(encoding="utf-8"):
        entry = json.loads(line)
        if entry.get("subtype") == "compact_boundary":
            yield "compact", None, None, "", 0
        if entry["type"] not in ("user", "assistant") or entry.get("isCompactSummary") or entry.get("isMeta"):
            continue
        content = entry["message"]["content"]
        if isinstance(content, str):
            if not entry["isSidechain"] and not content.startswith("<"):
                yield "ask", None, None, content, 0
            continue
        for block in content:
            if block["type"] == "tool_use":
                calls[block["id"]] = (block["name"], block["input"])
                yield "call", block["name"], block["input"], "", 0
            elif block["type"] == "tool_result":
                text = block["content"] if isinstance(block["content"], str) else block["content"][0]["text"]
                yield ("result", *calls.pop(block["tool_use_id"]), text, int(bool(block.get("is_error"))))
            elif block["type"] == "text" and block["text"].startswith("[Request interrupted"):
                yield "stop", None, None, "", 0
    assert not calls, "calls without result"


def codex_events(path):
    calls = {}
    for line in path.open(encoding="utf-8"):
        entry = json.loads(line)
        load, kind = entry["payload"], entry["payload"].get("type")
        if entry["type"] == "compacted":
            yield "compact", None, None, "", 0
        elif kind == "user_message":
            yield "ask", None, None, load["message"], 0
        elif kind == "turn_aborted":
            yield "stop", None, None, "", 0
        elif kind in ("function_call", "custom_tool_call"):
            given = json.loads(load["arguments"]) if kind == "function_call" else {"cmd": "apply_patch\n" + load["input"]}
            cmd = given.get("cmd") or "\n".join(given.get("command", [])) or ""
            name = load["name"]
            calls[load["call_id"]] = (name, cmd.removeprefix("bash\n-lc\n"))
            yield "call", name, calls[load["call_id"]][1], "", 0
        elif kind in ("function_call_output", "custom_tool_call_output"):
            text, bad = load["output"], 0
            if text.startswith('{"output"'):
                body = json.loads(text)
                text, bad = body["output"], body["metadata"]["exit_code"]
            elif "Process exited with code " in text:
                bad = int(re.search(r"exited with code (\d+)", text).group(1))
                text = text.split("Output:\n", 1)[1]
            else:
                bad = int(text.startswith(("apply_patch verification", "failed to parse", "aborted", "MCP error")))
            yield ("result", *calls.pop(load["call_id"]), text, bad)
    assert not calls, "calls without result"


def count(events, fmt, state):
    """Labels as far as they can be found in the records alone."""
    found, seen = dict.fromkeys("calls errors reads rereads requests corrections interrupts value_uses stale compactions tests failed".split(), 0), set()
    for what, tool, given, text, bad in events:
        shell = (given["command"] if tool == "Bash" else None) if fmt == "claude" else given if tool in ("shell", "exec_command") else None
        patch = fmt == "codex" and (tool == "apply_patch" or isinstance(given, str) and given.startswith("apply_patch"))
        if what == "compact":
            found["compactions"] += 1
            seen = set()
        elif what == "stop":
            found["interrupts"] += 1
        elif what == "ask":
            found["requests"] += 1
            found["corrections"] += bool(WRONG.match(text.split("\n")[0])) or any(WRONG.match(text[:text.find(s)].strip()) for s in state["told"] if s in text)
            notice(text, state)
        elif what == "call":
            found["calls"] += 1
            if shell and not patch:
                used = [v for v in state["values"] if v in shell and re.search(r"(?<![\d.])%s(?!\d)" % re.escape(v), shell)]
                for value in used[:1]:
                    found["value_uses"] += 1
                    found["stale"] += state["rank"].get(value, 10**9) < state["newest"].get(state["values"][value], -1)
        else:
            notice(text, state)
            reading = tool == "Read" if fmt == "claude" else bool(shell and not patch and re.match(r"(cat|sed -n '[\d,]+p') \S+$", shell))
            if reading and not bad:
                key = (given["file_path"], given.get("offset"), given.get("limit")) if fmt == "claude" else shell
                found["reads"] += 1
                found["rereads"] += key in seen
                seen.add(key)
            if not bad and (tool in ("Edit", "Write") or patch):
                name = given["file_path"] if fmt == "claude" else re.search(r"File: (\S+)", given).group(1)
                seen = {k for k in seen if (k[0] != name if fmt == "claude" else not k.endswith(" " + name))}
            failing = bool(TESTS.search(text)) and bool(bad)
            found["failed"] += failing
            aborted = "doesn't want to proceed" in text or text.startswith("aborted by user")
            nothing = bool(shell) and shell.startswith("rg -n") and not text.strip()
            outdated = any(p.search(text) for p in FAILED_VALUE) and not text.startswith(("error: unexpected", "<tool"))
            found["errors"] += bool(bad) and not (failing or aborted or nothing or outdated)
    return found


def notice(text, state):
    for value, key in state["values"].items():
        if value not in text or value.isdigit() and not re.search(r"(?<![0-9a-f])%s(?![0-9a-f])" % value, text):
            continue
        if value not in state["rank"]:
            state["rank"][value] = state["newest"][key] = state["order"][value]
        else:
            state["newest"][key] = max(state["newest"].get(key, -1), state["rank"][value])


PLAN = dict(errors=("calls", 0.05), rereads=("reads", 0.08), corrections=("requests", 0.07), interrupts=("requests", 0.03), stale=("value_uses", 0.04), lookalike_picks=("file_targets", 0.03))
ENDS = dict(h_errors_claude=("errors", 0.12), h_errors_codex=("errors", 0.12), h_errors_strong=("errors", 0.33), h_rereads=("rereads", 0.22), h_lookalikes=("lookalike_picks", 0.25), h_stale_shown=("stale", 0.26), h_stale_told=("stale", 0.26), s_client=("errors", 0.15), s_silent=("errors", 0.15))


def main(lives):
    folder, wrong, total, slow = Path(tempfile.mkdtemp(prefix=".check_", dir=HERE)), {}, {}, 0.0
    print("%-20s %s  calls req uses/ses tiny comp" % ("kind", " ".join("%9s" % k[:9] for k in PLAN)))
    for kind, about in agents.KINDS.items():
        sums, first, last = {}, {}, {}
        tiny = n_sessions = 0
        for seed in range(lives):
            where = folder / kind / str(seed)
            started = time.perf_counter()
            life = agents._write(kind, seed, 40, where)
            slow = max(slow, time.perf_counter() - started)
            labels = life.labels
            order = {value: i for i, value in enumerate(life.values)}
            state = dict(values=life.values, order=order, rank={}, newest={}, told=told_marks(life))
            paths = sorted(where.glob("*.jsonl"), key=first_time)
            assert len(paths) == 40
            for i, path in enumerate(paths):
                found = count((claude_events if about["format"] == "claude" else codex_events)(path), about["format"], state)
                for name in labels:
                    if name in found and found[name] != labels[name][i]:
                        wrong.setdefault(name, []).append((kind, seed, i, found[name], labels[name][i]))
                n_sessions += 1
                tiny += labels["calls"][i] < 6
                for name, values in labels.items():
                    sums[name] = sums.get(name, 0) + values[i]
                    side = first if i < 10 else last if i >= 30 else {}
                    side[name] = side.get(name, 0) + values[i]
        rates = [sums[k] / max(1, sums[of]) for k, (of, _) in PLAN.items()]
        print("%-20s %s  %5.1f %3.1f %4.1f     %3.0f%% %.2f" % (kind, " ".join("%8.1f%%" % (100 * r) for r in rates), sums["calls"] / n_sessions, sums["requests"] / n_sessions, sums["value_uses"] / n_sessions, 100 * tiny / n_sessions, sums["compactions"] / n_sessions))
        if kind in ENDS:
            name, points = ENDS[kind]
            of = PLAN[name][0]
            # between the mean of the first ten and of the last ten sessions lie 30/39 of a linear rise
            planned = points * (1 if kind.startswith("s_") else 30 / 39)
            print("  %s: first ten %.3f, last ten %.3f, rise %.3f (planned %.3f)" % (name, first[name] / first[of], last[name] / last[of], last[name] / last[of] - first[name] / first[of], planned))
        if about["expects"] == "healthy":
            for k, v in sums.items():
                total[k] = total.get(k, 0) + v
    print("planned healthy      " + " ".join("%8.1f%%" % (100 * p) for _, p in PLAN.values()))
    print("realised healthy     " + " ".join("%8.1f%%" % (100 * total[k] / total[of]) for k, (of, _) in PLAN.items()))
    print("slowest life: %.2f s" % slow)
    for name, cases in wrong.items():
        print("DIFFERS %s: %d sessions, e.g. (kind, seed, session, in files, label) %s" % (name, len(cases), cases[:3]))
    print("labels and files agree" if not wrong else "labels and files differ")
    shutil.rmtree(folder)


def first_time(path):
    return re.search(r'"timestamp":"([^"]+)"', path.read_text(encoding="utf-8")).group(1)


def told_marks(life):
    """Beginnings of the sentences that announce a value, as the people write them."""
    marks = []
    for text in z_words.TOLD + z_words.GERMAN_TOLD:
        start = text.split("{")[0]
        marks += [" " + start, " " + start[:1].lower() + start[1:]] if len(start) >= 3 else []
    return marks + [" " + value for value in life.values] + [" " + s["words"] + ":" for s in life.settings]


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2)
