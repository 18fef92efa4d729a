"""Self-check and exact oracle: python3 check.py [seeds=20] [sessions=24] [from=0] [planted] [nowrite | write=SESSIONS] [kind ...]"""
import glob
import hashlib
import json
import os
import re
import sys
import tempfile
import time

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from telemetry6 import KINDS, Life, write_agent  # noqa: E402

QUANT = "effort error correct stop reread alike tool_alike edit_alike stale ask repeat win_error win_correct reads".split()
DRAWS = 1999
ORDERS = {}


def trend_p(pairs, rng, cut=None, falling=False):
    """Permutation of sessions: excess of hits over the life's rate, against time (or before/after a known cut)."""
    a = np.array(pairs, float)
    h, o = a[:, 0], a[:, 1]
    if o.sum() == 0 or h.sum() == 0:
        return 1.0
    e = h - o * h.sum() / o.sum()
    t = np.arange(len(e), dtype=float) if cut is None else (np.arange(len(e)) >= cut).astype(float)
    t -= t.mean()
    if falling:
        t = -t
    if len(e) not in ORDERS:
        ORDERS[len(e)] = rng.permuted(np.tile(np.arange(len(e)), (DRAWS, 1)), axis=1)
    return (1 + int((t[ORDERS[len(e)]] @ e >= e @ t - 1e-9).sum())) / (DRAWS + 1)


def thirds(pool, q):
    out = []
    for g in range(3):
        h = o = 0
        for rates in pool:
            v = rates.get(q)
            if v:
                n = len(v)
                for x in v[g * n // 3:(g + 1) * n // 3]:
                    h, o = h + x[0], o + x[1]
        out.append(h / o if o else None)
    if out[0] is None and out[2] is None:
        return "-"
    return "/".join("." if x is None else f"{x:.1f}" if q in ("effort", "reads") else str(round(100 * x)) for x in out)


def digest(folder):
    h = hashlib.sha256()
    for f in sorted(glob.glob(folder + "/**/*", recursive=True)):
        if os.path.isfile(f):
            h.update(os.path.relpath(f, folder).encode() + open(f, "rb").read())
    return h.hexdigest()


def inspect(kind, folder, again=False):
    """Trace valid, labelled ids found, failures in the trace equal to those labelled, no truth in it."""
    side = json.load(open(folder + ".labels.json"))
    text = "".join(open(f).read() for f in glob.glob(folder + "/**/*.jsonl", recursive=True))
    bad = []
    failed = 0
    for line in text.splitlines():
        d = json.loads(line)
        if d.get("type") == "user" and isinstance(d["message"]["content"], list):
            failed += sum(bool(b.get("is_error")) for b in d["message"]["content"])
        p = d.get("payload") or {}
        if str(p.get("type", "")).endswith("call_output"):
            o = p["output"]
            failed += ("Process exited with code" in o and "exited with code 0" not in o and "regex" not in o and len(o.split("Output:\n", 1)[1]) > 1) or o.startswith(("apply_patch verif", "aborted")) or "regex parse" in o
        failed += sum(not c["success"] for c in d.get("tool_calls", ()))
    ids = {i for _, i, l in side["labels"] if l not in ()}
    lost = ids - {m[-12:] for m in re.findall(r'"(?:id|call_id|promptId|turn_id)":"([^"]+)"', text)}
    if lost:
        bad.append(f"{len(lost)} ids not found")
    want = sum(l in ("error", "red_task", "red_wanted", "declined", "refused") for _, _, l in side["labels"])
    cuts = text.count("wait for the user to tell you how to proceed") + text.count("aborted by user")
    retired = text.count("no longer available") + text.count("not accepted any more")
    if not want <= failed <= want + cuts + retired + 1:
        bad.append(f"failures {failed}, labelled {want}, cuts {cuts}")
    for word in [kind, "win_error", "edit_alike", "tool_alike", "stale_fix", "red_wanted", "expects"]:
        if word in text and word not in ("update",):
            bad.append(f"truth in trace: {word}")
    if again:
        one = digest(folder)
        write_agent(kind, side["seed"], side["sessions"], folder)
        if digest(folder) != one:
            bad.append("not deterministic")
    return bad, len(text) / 1e6


def main(argv):
    seeds, n, first, kinds, planted, write = 20, 24, 0, [], False, 24
    nums = [int(a) for a in argv if a.isdigit()]
    if nums:
        seeds = nums[0]
    if len(nums) > 1:
        n = nums[1]
    for a in argv:
        if a.startswith("from="):
            first = int(a[5:])
        elif a == "planted":
            planted = True
        elif a == "nowrite":
            write = 0
        elif a.startswith("write="):
            write = int(a[6:])
        elif not a.isdigit():
            kinds.append(a)
    kinds = kinds or [k for k in KINDS if not planted or KINDS[k]["planted"]]
    tmp = tempfile.mkdtemp()
    table, detail, problems = [], [], 0
    for kind in kinds:
        k = KINDS[kind]
        lives = [Life(kind, s, n).plan() for s in range(first, first + seeds)]
        pool = [x.rates for x in lives]
        rng = np.random.default_rng(6)
        look = k["planted"] or [q for q in QUANT if q not in ("win_error", "win_correct") and any(q in x for x in pool)]
        ps = {q: [] for q in look}
        best = []
        for life in lives:
            mine = []
            for q in look:
                if q not in life.rates:
                    continue
                p = trend_p(life.rates[q], rng, life.cut if kind == "update" else None, q == "reads")
                ps[q].append(p)
                mine.append(p)
            best.append(min(mine) * len(mine))
        f5, f1 = (round(100 * np.mean([b <= x for b in best])) for x in (.05, .01))
        if k["planted"]:
            each = ", ".join(f"{q} {round(100 * np.mean([p <= .05 for p in v]))}/{round(100 * np.mean([p <= .01 for p in v]))}" for q, v in ps.items())
        else:
            each = f"single quantities, mean {np.mean([p <= .05 for v in ps.values() for p in v]) * 100:.0f}/{np.mean([p <= .01 for v in ps.values() for p in v]) * 100:.0f}"
        table.append(f"| {kind} | {f5} | {f1} | {each} |")
        note, bad = "", []
        if write:
            t0 = time.process_time()
            folder = write_agent(kind, first, write, os.path.join(tmp, "agent"))
            cpu = time.process_time() - t0
            bad, mb = inspect(kind, folder, kind in ("reread_unchanged", "stale_option", "corrected_de", "vacation"))
            note = f"{cpu:.2f}s {mb:4.1f}MB"
        turns = np.mean([len(s.turns) for x in lives for s in x.sessions])
        for q in k["planted"]:
            v = [x.rates[q] for x in lives]
            a = sum(p[0] for y in v for p in y[:n // 3]) / max(1, sum(p[1] for y in v for p in y[:n // 3]))
            b = sum(p[0] for y in v for p in y[-(n // 3):]) / max(1, sum(p[1] for y in v for p in y[-(n // 3):]))
            if (b <= a * 1.15 and q != "reads") or (q == "reads" and b >= a * .75):
                bad.append(f"{q} does not move ({a:.3f} to {b:.3f})")
            note += f" {q}:{np.mean([p[1] for y in v for p in y]):.0f}"
        problems += bool(bad)
        detail.append(f"{kind:22s}{turns:5.1f}" + "".join(f"{thirds(pool, q):>14s}" for q in QUANT) + "  " + note + "  " + ("; ".join(bad) or "ok"))
    print(f"| kind | found at 5 %, seeds {first}-{first + seeds - 1} | at 1 % | each alone, 5 % / 1 % |\n|---|---|---|---|")
    print("\n".join(table))
    print(f"\n{problems} kinds with problems\n")
    print(f"{'kind':22s}{'turns':>5s}" + "".join(f"{q:>14s}" for q in QUANT) + "  cpu and size of one life, opportunities per session")
    print("\n".join(detail))


if __name__ == "__main__":
    t = time.process_time()
    main(sys.argv[1:])
    print(f"\ncpu {time.process_time() - t:.0f} s")
