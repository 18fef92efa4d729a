"""Write every kind with several seeds and lengths; see that the files parse and that the rates come out as planned."""
import json
import os
import shutil
import sys
import tempfile
import time
from collections import defaultdict

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import agents  # noqa: E402

RATES = {"err": ("errors", "calls"), "reread": ("rereads", "reads"), "look": ("looks", "visits"), "told": ("stale_told", "uses_told"), "shown": ("stale_shown", "uses_shown"),
         "ask": ("asks", "requests"), "corr": ("corrections", "requests"), "intr": ("interrupts", "requests")}


def parse(fmt, path):
    """(main calls, side calls, results, re-reads found by Read, last time) from the file alone."""
    main = side = res = rr = 0
    seen, pend, ids, times, parents = {}, {}, set(), [], set()
    for line in open(path, encoding="utf-8"):
        o = json.loads(line)
        if "timestamp" in o:
            times.append(o["timestamp"])
        if fmt == "codex":
            t = o["payload"].get("type")
            main += t in ("function_call", "custom_tool_call")
            res += t in ("function_call_output", "custom_tool_call_output")
            continue
        if o.get("subtype") == "compact_boundary":
            seen = {}
        if o.get("uuid"):
            assert o["uuid"] not in ids, "double uuid"
            if o.get("parentUuid"):
                assert o["parentUuid"] in ids, "orphan"
            ids.add(o["uuid"])
        c = (o.get("message") or {}).get("content")
        for b in c if isinstance(c, list) else []:
            if b["type"] == "tool_use":
                if o["isSidechain"]:
                    side += 1
                else:
                    main += 1
                    if b["name"] == "Read":
                        pend[b["id"]] = (b["input"]["file_path"], b["input"].get("offset", 1))
            elif b["type"] == "tool_result":
                res += 1
                k = pend.get(b["tool_use_id"])
                if k and not b.get("is_error"):
                    rr += seen.get(k) == b["content"]
                    seen[k] = b["content"]
    assert times == sorted(times), "time runs backwards"
    return main, side, res, rr, times


def main(seeds=5, lengths=(12, 24, 40)):
    bad, slow, lives, files, obs, steps, bytes_ = [], 0.0, 0, 0, defaultdict(lambda: [0, 0.0, 0.0, 0]), 0, 0
    third = defaultdict(lambda: [[0, 0], [0, 0]])
    small = big = n_rr = f_rr = 0
    for kind, K in agents.KINDS.items():
        for n in lengths:
            for seed in range(1, seeds + 1):
                d = tempfile.mkdtemp(prefix="b12_")
                try:
                    t = time.process_time()
                    L = agents.write_agent(kind, seed, n, d)
                    dt = time.process_time() - t
                    if n == 24:
                        slow = max(slow, dt)
                    lives += 1
                    assert len(L["sessions"]) == n
                    assert (L["step_at"] is not None) == (K["expects"] == "step")
                    last = ""
                    for i, s in enumerate(L["sessions"]):
                        m, sd, res, rr, times = parse(K["format"], os.path.join(d, s["file"]))
                        bytes_ += os.path.getsize(os.path.join(d, s["file"]))
                        files += 1
                        if (m, sd) != (s["calls"], s["side_calls"]) or res != m + sd:
                            bad.append((kind, n, seed, i, "calls", m, sd, res, s["calls"], s["side_calls"]))
                        if rr > s["rereads"]:
                            bad.append((kind, n, seed, i, "rereads", rr, s["rereads"]))
                        n_rr += s["rereads"] * (K["format"] == "claude")
                        f_rr += rr
                        if times[0] < last:
                            bad.append((kind, n, seed, i, "order"))
                        last = times[-1]
                        long = kind == "marathon_cc" and s["calls"] > 115
                        if s["calls"] < 15 or s["calls"] > (78 if not kind.startswith("after") else 115) and not long:
                            bad.append((kind, n, seed, i, "size", s["calls"]))
                        for r, (a, b) in RATES.items():
                            o = obs[kind, r]
                            o[0] += s[a]
                            o[1] += s["plan"][r] * s[b]
                            o[2] += s["plan"][r] * s[b] + (.25 * s["plan"][r] * s[b]) ** 2 * 1.9
                            o[3] += s[b]
                            if i < n / 3 or i >= 2 * n / 3:
                                w = third[kind, r][i >= 2 * n / 3]
                                w[0] += s[a]
                                w[1] += s[b]
                    have = sum(len(f) for _, _, f in os.walk(d))
                    if have != n:
                        bad.append((kind, n, seed, "files", have))
                finally:
                    shutil.rmtree(d)
        row = []
        for r in RATES:
            o, (x, y) = obs[kind, r], third[kind, r]
            z = (o[0] - o[1]) / (o[2] ** .5 + 1e-9)
            row.append("%s %.1f>%.1f%s" % (r, 100 * x[0] / max(1, x[1]), 100 * y[0] / max(1, y[1]), "" if abs(z) < 4 else " !z=%.1f" % z))
            if abs(z) >= 4:
                bad.append((kind, r, "rate", round(o[0] / o[1], 2), round(z, 1)))
        if "-v" in sys.argv:
            print("%-17s %s" % (kind, "  ".join(row)), flush=True)
    tot = {r: (sum(o[0] for (k, q), o in obs.items() if q == r), sum(o[1] for (k, q), o in obs.items() if q == r)) for r in RATES}
    with tempfile.TemporaryDirectory() as x, tempfile.TemporaryDirectory() as y:
        assert agents.write_agent("still_cc", 9, 12, x) == agents.write_agent("still_cc", 9, 12, y), "not deterministic"
    print("%d kinds, %d lives, %d files (%.0f MB) parsed, slowest life of 24 sessions %.2f s" % (len(agents.KINDS), lives, files, bytes_ / 1e6, slow))
    print("observed / planned: " + ", ".join("%s %.2f" % (r, x / y) for r, (x, y) in tot.items()) + "; re-reads visible as Read %d of %d" % (f_rr, n_rr))
    print("%d deviations%s" % (len(bad), ": " + str(bad[:12]) if bad else ""))
    return not bad


if __name__ == "__main__":
    nums = [int(x) for x in sys.argv[1:] if x.isdigit()]
    sys.exit(0 if main(*(nums[:1] or [5])) else 1)
