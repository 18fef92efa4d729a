"""Self-check, from the generator's own labels. `python3 check.py [seeds] [kind ...]`; 20 seeds of 24 sessions by default.

1. Form: JSON, parent links, order in time, an answer to every call, every label's id exactly once, nothing of the truth in the trace, determinism.
2. Rates per third of the life, pooled over seeds; the planted quantity must move, in healthy kinds none may.
3. Oracle: permutation of the sessions on the labels, one-sided at 5 %; share of seeds found. Slow kinds: trend over the session's
   index; steps: after the (known) cut against before. Several quantities are added as z. In healthy kinds, all labelled quantities."""

import collections
import hashlib
import json
import os
import shutil
import sys
from multiprocessing import Pool

import numpy as np

import agents
from agents import BAD, KINDS, Agent, write_agent

HERE = os.path.dirname(os.path.abspath(__file__))
SHOW = ("requests", "effort", "error", "correct", "stop", "reread", "alike", "tool_alike", "stale", "ask", "repeat", "win_error", "win_correct", "reads", "failed", "compactions")
RAW = ("requests", "effort", "reads", "compactions")
NEED = dict(error=0.05, correct=0.05, stop=0.05, reread=0.09, alike=0.06, tool_alike=0.06, stale=0.09, ask=0.09, repeat=0.09, effort=0.7, win_error=0.05, win_correct=0.05, reads=-0.5)
LOOSE = dict(stop=0.03, correct=0.03, error=0.02, reread=0.035, alike=0.03, tool_alike=0.03, stale=0.05, ask=0.05, repeat=0.06)
PERM = 4999


def digest(folder):
    h = hashlib.sha256()
    for name in sorted(os.listdir(folder)):
        h.update(name.encode() + open(os.path.join(folder, name), "rb").read())
    return h.hexdigest()


def form(kind):
    """Problems with the written trace."""
    root = os.path.join(HERE, ".check", kind)
    shutil.rmtree(root, ignore_errors=True)
    a, b = os.path.join(root, "a"), os.path.join(root, "b")
    write_agent(kind, 3, 24, a)
    write_agent(kind, 3, 24, b, labels=False)
    bad = [] if digest(a) == digest(b) else ["not deterministic"]
    truth = json.load(open(a + ".labels.json"))
    ids, asked, answered, text = collections.Counter(), set(), set(), ""
    for name in sorted(os.listdir(a)):
        body = open(os.path.join(a, name), encoding="utf-8").read()
        text += body
        last, seen = "", set()
        for line in body.splitlines():
            row = json.loads(line)
            if truth["form"] == "claude_code":
                if row["type"] == "file-history-snapshot":
                    continue
                if row["parentUuid"] and row["parentUuid"] not in seen:
                    bad.append("parent")
                seen.add(row["uuid"])
                ids[row["uuid"]] += 1
                content = row.get("message", {}).get("content", "")
                for block in content if isinstance(content, list) else ():
                    if block["type"] == "tool_use":
                        asked.add(block["id"])
                        ids[block["id"]] += 1
                    if block["type"] == "tool_result":
                        answered.add(block["tool_use_id"])
            elif truth["form"] == "codex":
                p = row["payload"]
                if p.get("type") in ("function_call", "custom_tool_call"):
                    asked.add(p["call_id"])
                    ids[p["call_id"]] += 1
                elif p.get("type") in ("function_call_output", "custom_tool_call_output"):
                    answered.add(p["call_id"])
                elif p.get("client_id") or (p.get("role") == "assistant"):
                    ids[p.get("client_id") or p["id"]] += 1
            else:
                ids[row["id"]] += 1
                for call in row.get("tool_calls", ()):
                    ids[call["id"]] += 1
            t = row.get("timestamp", "")
            if last and t < last:
                bad.append("time")
            last = t
    bad += ["unanswered"] * (asked != answered)
    missing = [x for x in truth["labels"] if ids[x[1]] != 1]
    bad += [f"{len(missing)} label ids, e.g. {missing[0]}"] if missing else []
    bad += [w for w in ("labels", "planted", "tool_alike", "stale_fix", *[kind] * (kind != "interrupted")) if f'"{w}"' in text]
    shutil.rmtree(root)
    return kind, sorted(set(bad)), truth["form"], len(text) // 1000


def life(job):
    kind, seed = job
    agent = Agent(kind, seed, 24, None)
    agent.run()
    table = {q: np.array([c.get(q, [0, 0]) for c in agent.counts], float) for q in SHOW}
    return kind, seed, table, agent.cut


def pvalue(table, quantities, cut, step, order):
    n = 24
    x = (np.arange(n) / (n - 1) >= cut).astype(float) if step else np.arange(n, dtype=float)
    total = np.zeros(PERM + 1)
    for q in quantities:
        h, m = table[q].T
        rest = h - m * h.sum() / max(1, m.sum())
        stat = rest[order] @ x * (-1 if q == "reads" else 1)
        if stat.std():
            total += (stat - stat.mean()) / stat.std()
    return (total >= total[0] - 1e-12).mean()


def main():
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    kinds = sys.argv[2:] or list(KINDS)
    with Pool(2) as pool:
        forms = {k: rest for k, *rest in pool.imap_unordered(form, kinds)}
        lives = collections.defaultdict(list)
        for kind, seed, table, cut in pool.imap_unordered(life, [(k, s) for k in kinds for s in range(seeds)], chunksize=5):
            lives[kind].append((seed, table, cut))
    shutil.rmtree(os.path.join(HERE, ".check"), ignore_errors=True)
    problems = 0
    print(f"{seeds} seeds, 24 sessions. Per third of the life, in % except requests/session, calls/request, reads/change, compactions/session\n")
    print("kind".ljust(20), *(f"{q:>15}" for q in SHOW))
    rows = []
    for kind in kinds:
        info, bad = KINDS[kind], list(forms[kind][0])
        cells, moved = [], {}
        for q in SHOW:
            sums = np.array([sum(t[q][i * 8 : i * 8 + 8].sum(0) for _, t, _ in lives[kind]) for i in range(3)])
            v = sums[:, 0] / np.maximum(sums[:, 1], 1)
            moved[q] = v[2] - v[0]
            cells.append("/".join("-" if not s[1] else f"{x:.1f}" if q in RAW else f"{100 * x:.0f}" for x, s in zip(v, sums)))
        for q, need in NEED.items():
            if q in info["quantity"] and moved[q] * np.sign(need) < abs(need):
                bad.append(f"{q} moved by {moved[q]:.3f} only")
            if q not in info["quantity"] and q in LOOSE and seeds >= 8 and abs(moved[q]) > LOOSE[q] and not (info["mechanism"] == "maintenance" and q in ("error", "correct")):
                bad.append(f"{q} moved by {moved[q]:.3f}")
        problems += bool(bad)
        print(kind.ljust(20), *(f"{c:>15}" for c in cells), "ok" if not bad else bad)
        what = info["quantity"] or BAD
        step = info["expects"] == "step"
        ps, single = [], []
        for seed, table, cut in lives[kind]:
            order = np.vstack([np.arange(24), np.argsort(np.random.default_rng(seed).random((PERM, 24)), 1)])
            ps.append(pvalue(table, what, cut, step, order))
            single.append([pvalue(table, (q,), cut, step, order) for q in what])
        single = np.array(single)
        detail = ", ".join(f"{q} {100 * (single[:, j] <= 0.05).mean():.0f}" for j, q in enumerate(what)) if info["quantity"] else f"single quantities, mean {100 * (single <= 0.05).mean():.0f}, any after Bonferroni {100 * (single.min(1) <= 0.05 / len(what)).mean():.0f}"
        rows.append(f"| {kind} | {forms[kind][1]} | {info['expects']} | {info['mechanism']} | {100 * np.mean(np.array(ps) <= 0.05):.0f} | {detail} |")
    print("\n| kind | form | expects | mechanism | oracle finds, % of seeds | each alone |\n|---|---|---|---|---|---|")
    print("\n".join(rows))
    print(f"\n{problems} kinds with problems; size of a life {min(f[2] for f in forms.values())}–{max(f[2] for f in forms.values())} kB")


if __name__ == "__main__":
    main()
