"""Self-check and oracle, from the generator's own labels: python3 check.py [seeds] [sessions] [kind ...] [from=SEED] [planted]

Labels only; one life per kind is also written, timed and read back (ids, JSON, no truth in the trace)."""

import json
import os
import shutil
import sys
import tempfile
import time

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import agents  # noqa: E402

DRAWS, LEVEL = 1999, 0.05
RATIOS = ("effort", "reads")


def trend_p(pairs, rng, cut=None, down=False):
    """One-sided permutation of the sessions: excess of hits over the life's rate, against time (or before/after the cut)."""
    h, n = np.array(pairs, float).T
    if n.sum() == 0 or (h.sum() == 0):
        return 1.0
    excess = h - h.sum() / n.sum() * n
    t = np.arange(len(h)) - (len(h) - 1) / 2 if cut is None else (np.arange(len(h)) >= cut) - 0.5
    if down:
        excess = -excess
    draws = rng.permuted(np.tile(excess, (DRAWS, 1)), axis=1) @ t
    return (1 + (draws >= excess @ t - 1e-12).sum()) / (DRAWS + 1)


def thirds(all_pairs):
    """Rate per third of the life, pooled over the seeds."""
    a = np.array(all_pairs, float)                      # seeds x sessions x 2
    out = []
    for part in np.array_split(a, 3, axis=1):
        h, n = part[..., 0].sum(), part[..., 1].sum()
        out.append(h / n if n else np.nan)
    return out


def written(kind):
    """One life on disk: time, size, valid JSON, every label's id in the trace, no truth in the trace."""
    tmp = tempfile.mkdtemp()
    try:
        folder, t0 = os.path.join(tmp, "a"), time.process_time()
        agents.write_agent(kind, 0, 24, folder)
        took = time.process_time() - t0
        text = ""
        for root, _, files in sorted(os.walk(folder)):
            for f in sorted(files):
                with open(os.path.join(root, f)) as g:
                    text += g.read()
        for line in text.splitlines():
            json.loads(line)
        with open(folder + ".labels.json") as f:
            labels = json.load(f)["labels"]
        missing = sum(ident not in text for _, ident, _ in labels[:400])
        leak = f'"{kind}"' in text or "red_wanted" in text
        again = os.path.join(tmp, "b")
        agents.write_agent(kind, 0, 24, again, labels=False)
        same = all(open(os.path.join(r, f)).read() == open(os.path.join(r.replace(folder, again, 1), f)).read() for r, _, fs in os.walk(folder) for f in fs)
        return took, len(text) / 1e6, missing, leak, same
    finally:
        shutil.rmtree(tmp)


def main():
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    sessions = int(sys.argv[2]) if len(sys.argv) > 2 else 24
    words = sys.argv[3:]
    first = next((int(a[5:]) for a in words if a.startswith("from=")), 0)
    kinds = [a for a in words if a in agents.KINDS] or [k for k, v in agents.KINDS.items() if v["quantity"] or "planted" not in words]
    rng = np.random.default_rng(5)
    rates, problems, table = [], [], []
    for kind in kinds:
        spec = agents.KINDS[kind]
        lives = []
        for seed in range(first, first + seeds):
            life = agents.Life(kind, seed, sessions)
            lives.append((life.rates, life.cut, [len(s.turns) for s in life.sessions], [s.requests for s in life.sessions]))
        found, each = 0, {q: 0 for q in agents.QUANTITIES}
        look = spec["quantity"] or [q for q in agents.QUANTITIES if any(n for r, *_ in lives for _, n in r[q])]
        for r, cut, *_ in lives:
            # a step is looked at before and after the cut only where the cut is recorded (a client version)
            p = {q: trend_p(r[q], rng, cut if kind == "update" else None, down=q == "reads") for q in look}
            for q in look:
                each[q] += p[q] <= LEVEL
            found += min(p.values()) * len(look) <= LEVEL
        share = lambda k: round(100 * k / seeds)
        detail = ", ".join(f"{q} {share(each[q])}" for q in look) if spec["quantity"] else f"single quantities, mean {np.mean([share(each[q]) for q in look]):.0f}"
        table.append(f"| {kind} | {spec['form']} | {spec['agent']} | {spec['expects']} | {spec['mechanism'] or ''} | {share(found)} | {detail} |")
        moved = {q: thirds([r[q] for r, *_ in lives]) for q in agents.QUANTITIES}
        prompts = np.array([t for _, _, t, _ in lives])
        cells = [f"{a:.1f}/{b:.1f}/{c:.1f}" if q in RATIOS else "-" if np.isnan(a) else f"{100 * a:.0f}/{100 * b:.0f}/{100 * c:.0f}" for q, (a, b, c) in moved.items()]
        opps = {q: np.mean([[n for _, n in r[q]] for r, *_ in lives]) for q in spec["quantity"]}
        took, size, missing, leak, same = written(kind) if not first else (0, 0, 0, False, True)
        bad = []
        for q in spec["quantity"]:
            a, _, c = moved[q]
            if not (c < a * 0.8 if q == "reads" else c > a * 1.2):
                bad.append(f"{q} does not move")
        if not spec["quantity"]:
            for q in agents.QUANTITIES:
                a, _, c = moved[q]
                n = sum(m for r, *_ in lives for _, m in r[q]) / 3
                if q not in RATIOS and n and abs(c - a) > 4 * np.sqrt(2 * max(a, c) * (1 + 2 * max(a, c)) / n):
                    bad.append(f"{q} moves")
        bad += [f"{missing} ids missing"] * bool(missing) + ["truth in the trace"] * leak + ["not deterministic"] * (not same) + [f"slow {took:.2f} s"] * (took > 0.9)
        problems += [f"{kind}: {b}" for b in bad]
        rates.append(f"{kind:22s} {prompts.mean():5.1f} " + " ".join(f"{c:>13s}" for c in cells) + f"  {took:.2f}s {size:4.1f}MB " + (" ".join(f"{q}:{v:.0f}" for q, v in opps.items()) or "-") + "  " + ("; ".join(bad) or "ok"))
        print(rates[-1], flush=True)
    head = f"{'kind':22s} {'turns':>5s} " + " ".join(f"{q:>13s}" for q in agents.QUANTITIES) + "  cpu and size of one life, opportunities per session"
    print(f"\n## Oracle: {sessions} sessions, {seeds} seeds from {first}, share of seeds found at 5 %\n")
    print("| kind | form | agent | expects | mechanism | oracle finds, % | each alone, % |\n|---|---|---|---|---|---|---|")
    print("\n".join(table))
    print(f"\nRates per third of the life, in % (effort = calls per request, reads = reads per change)\n\n```\n{head}\n" + "\n".join(rates) + "\n```")
    print(f"\n{len(problems)} problems " + "; ".join(problems))
    print(f"CPU {time.process_time():.0f} s")


if __name__ == "__main__":
    main()
