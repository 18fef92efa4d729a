"""Self-check and oracle of the fourth set.  python3 check.py [seeds=20] [sessions=24]
1. the files: JSON, pairs of call and result, links, times, and what the labels name must be in the trace
2. per third of the life, from the side file's labels: does the planted quantity move, and nothing else?
3. oracle: permutation of the sessions on the labels, share of seeds found at 5 %"""
import json
import os
import shutil
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from agents import KINDS, QUANTITIES, Life, write_agent

DRAWS = 1999
SHOWN = ["requests", "effort", "error", "correct", "stop", "reread", "alike", "tool_alike", "stale", "ask", "repeat", "win_error", "win_correct", "reads", "failed", "compactions"]
RATIO = {"requests", "effort", "reads", "compactions"}
LABEL = dict(error="error", correct="correct", stop="stop", reread="reread", alike="alike", tool_alike="tool_alike", stale="stale", ask="ask_again", repeat="repeat")


def permuted(hits, chances, weight, rng, falls=False):
    """one-sided p: do hits go along with `weight` (time, or after the cut) more than under a random order of the sessions?"""
    use = chances > 0
    h, c = hits[use].astype(float), chances[use].astype(float)
    if len(h) < 6 or h.sum() == 0:
        return 1.0
    # effort and reads per change are ratios with their own scatter; all are handled as excess over the life's rate
    e = (h - c * h.sum() / c.sum()) / np.sqrt(c)
    w = weight[use] - weight[use].mean()
    s = float(e @ w) * (-1 if falls else 1)
    orders = np.argsort(rng.random((DRAWS, len(e))), axis=1)
    null = (e[orders] @ w) * (-1 if falls else 1)
    return (1 + int((null >= s - 1e-12).sum())) / (DRAWS + 1)


def p_value(kind, truth, quantity, rng):
    r = np.array([s[quantity] for s in truth["rates"]])
    n = len(r)
    time = np.arange(n) / (n - 1)
    weight = (np.arange(n) >= truth["cut"]).astype(float) if kind == "update" else time
    return permuted(r[:, 0], r[:, 1], weight, rng, falls=quantity == "reads")


def oracle(kind, truth, rng):
    qs = KINDS[kind]["quantity"] or QUANTITIES
    ps = {q: p_value(kind, truth, q, rng) for q in qs}
    return ps, min(1.0, min(ps.values()) * len(ps)) <= 0.05


def records(folder):
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name)) as f:
            yield name, [json.loads(line) for line in f]


def problems_in_files(folder, truth):
    out, names, ids = [], [], set()
    for name, rs in records(folder):
        names.append(name)
        if truth["form"] == "claude_code":
            calls, results, known, last = [], [], set(), ""
            for r in rs:
                if "uuid" in r:
                    if r["parentUuid"] is not None and r["parentUuid"] not in known:
                        out.append("%s: parent unknown" % name)
                    known.add(r["uuid"])
                    ids.add(r["uuid"])
                m = r.get("message")
                for b in m["content"] if m and isinstance(m["content"], list) else []:
                    if b["type"] == "tool_use":
                        calls.append(b["id"])
                    elif b["type"] == "tool_result":
                        results.append(b["tool_use_id"])
                if r.get("timestamp", last) < last and r["type"] in ("user", "assistant"):
                    out.append("%s: time goes back at %s" % (name, r["timestamp"]))
                last = max(last, r.get("timestamp", ""))
            if calls != results or len(set(calls)) != len(calls):
                out.append("%s: calls and results differ" % name)
            ids.update(calls)
        elif truth["form"] == "codex":
            p = [r["payload"] for r in rs]
            calls = [x["call_id"] for x in p if x.get("type") in ("function_call", "custom_tool_call")]
            if calls != [x["call_id"] for x in p if x.get("type") in ("function_call_output", "custom_tool_call_output")]:
                out.append("%s: calls and outputs differ" % name)
            times = [r["timestamp"] for r in rs]
            if times != sorted(times):
                out.append("%s: time goes back" % name)
            ids.update(calls)
            ids.update(x["turn_id"] for x in p if "turn_id" in x)
        else:
            times = [r.get("timestamp", r.get("ts")) for r in rs]
            if times != sorted(times):
                out.append("time goes back")
            ids.update(r["id"] for r in rs)
    if truth["form"] != "generic" and len(names) != truth["sessions"]:
        out.append("%d files for %d sessions" % (len(names), truth["sessions"]))
    missing = [x for _, x, _ in truth["labels"] if x not in ids]
    if missing:
        out.append("%d labels point nowhere" % len(missing))
    for q, what in LABEL.items():
        a, b = sum(x == what for _, _, x in truth["labels"]), sum(s[q][0] for s in truth["rates"])
        if a != b:
            out.append("label %s %d times, rate counts %d" % (what, a, b))
    return out


def audit(folder, truth):
    """Claude Code, coding: from the trace alone, [reads of an unchanged path of the session, reads] per third"""
    hits = []
    order = {sid: k for k, sid in enumerate(truth["ids"])}
    for name, rs in records(folder):
        seen, again, reads = set(), 0, 0
        for r in rs:
            m = r.get("message")
            for b in m["content"] if m and isinstance(m["content"], list) else []:
                if b["type"] != "tool_use":
                    continue
                path = b["input"].get("file_path", b["input"].get("command", "")).replace(r["cwd"] + "/", "")
                if b["name"] == "Bash" and path.startswith("cat ") or b["name"] == "Read" and "offset" not in b["input"]:
                    path = b["input"]["command"][4:] if b["name"] == "Bash" else path
                    reads += 1
                    again += path in seen
                    seen.add(path)
                elif b["name"] in ("Edit", "Write"):
                    seen.discard(path)
        hits.append((order[name[:-6]], again, reads))
    hits.sort()
    return np.array([t.sum(axis=0) for t in np.array_split(np.array(hits)[:, 1:], 3)])


def main():
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    sessions = int(sys.argv[2]) if len(sys.argv) > 2 else 24
    rng, root = np.random.default_rng(4), tempfile.mkdtemp()
    print("%d seeds, %d sessions\n" % (seeds, sessions))
    table, lines, bad_kinds, sizes = [], [], 0, []
    for kind, spec in KINDS.items():
        found, single, problems, thirds, again = 0, {}, [], {q: np.zeros((3, 2)) for q in SHOWN}, np.zeros((3, 2))
        for seed in range(seeds):
            folder = os.path.join(root, "x")
            if seed >= 3:  # files are looked at for three seeds, the rest is the same simulation without writing
                life = Life(kind, seed, sessions, None).run()
                truth = dict(cut=life.cut, rates=[s["count"] for s in life.sessions])
            else:
                write_agent(kind, seed, sessions, folder)
                truth = json.load(open(folder + ".labels.json"))
                problems += problems_in_files(folder, truth)[:3]
                sizes.append(sum(os.path.getsize(os.path.join(folder, f)) for f in os.listdir(folder)))
                if seed == 0:
                    first = list(records(folder))
                    shutil.rmtree(folder)
                    write_agent(kind, seed, sessions, folder)
                    if first != list(records(folder)):
                        problems.append("not deterministic")
                if truth["form"] == "claude_code" and spec["agent"] == "code":
                    again = again + audit(folder, truth)
                shutil.rmtree(folder)
            ps, hit = oracle(kind, truth, rng)
            found += hit
            for q, p in ps.items():
                single.setdefault(q, []).append(p <= 0.05)
            for q in SHOWN:
                r = np.array([s[q] for s in truth["rates"]])
                for k, part in enumerate(np.array_split(r, 3)):
                    thirds[q][k] += part.sum(axis=0)
        rate = {q: [t[0] / t[1] if t[1] else float("nan") for t in thirds[q]] for q in SHOWN}
        for q in QUANTITIES:  # what moves, and what must not
            change = rate[q][2] - rate[q][0]
            if q in spec["quantity"]:
                if not (change < -0.4 if q == "reads" else change > (1.2 if q == "effort" else 0.06)):
                    problems.append("%s moves by %.2f only" % (q, change))
            elif q not in ("reads", "effort") and abs(change) > 0.03 and not spec.get("shock") and abs(change) > 4 * np.sqrt(2 * thirds[q][:, 0].sum() / thirds[q][:, 1].sum() / thirds[q][:, 1].min()):  # some 380 looks
                problems.append("%s moves by %.2f though not planted" % (q, change))
        each = ", ".join("%s %.0f" % (q, 100 * np.mean(v)) for q, v in single.items()) if spec["quantity"] else "single quantities, mean %.0f" % (100 * np.mean(list(single.values())))
        table.append("| %s | %s | %s | %s | %.0f | %s |" % (kind, spec["form"], spec["expects"], spec["mechanism"], 100 * found / seeds, each))
        cells = ["/".join(("%.1f" % v if q in RATIO else "%.0f" % (100 * v)) if v == v else "-" for v in rate[q]) for q in SHOWN]
        lines.append("%-21s" % kind + "".join("%16s" % c for c in cells) + "%12s" % ("/".join("%.0f" % (100 * a / b) for a, b in again) if again.any() else "-") + "  " + ("; ".join(problems) or "ok"))
        bad_kinds += bool(problems)
        print(table[-1], "; ".join(problems), flush=True)
    shutil.rmtree(root)
    print("\n%d kinds with problems; size of a life %d-%d kB\n" % (bad_kinds, min(sizes) // 1000, max(sizes) // 1000))
    print("Rates per third of the life, in % except requests/session, calls/prompt, reads/change, compactions/session; last: re-reads found in the trace alone, without labels, three seeds\n")
    print("%-21s" % "kind" + "".join("%16s" % q for q in SHOWN) + "%12s" % "(trace)")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
