"""Check the set: parsing, pairing, labels, determinism, rates of the first and the last third."""
import hashlib, json, os, shutil, sys, tempfile, time
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from agents import KINDS, write_agent


def scan(folder, fmt):
    rows = []
    for f in os.listdir(folder):
        calls, res, bad, reads, req, intr, t0 = {}, {}, 0, 0, 0, 0, None
        nu = 0
        for line in open(os.path.join(folder, f), encoding="utf-8"):
            d = json.loads(line)
            t0 = t0 or d["timestamp"]
            if fmt == "claude":
                m = d.get("message") or {}
                c = m.get("content")
                if d["type"] == "user" and isinstance(c, str) and not (d.get("isCompactSummary") or d.get("isMeta") or d["isSidechain"] or c.startswith("<")): req += 1
                for b in c if isinstance(c, list) else []:
                    if b["type"] == "tool_use": assert b["id"] not in calls; calls[b["id"]] = b["name"]; reads += b["name"] == "Read"
                    elif b["type"] == "tool_result": assert b["tool_use_id"] in calls and b["tool_use_id"] not in res; res[b["tool_use_id"]] = 1; bad += bool(b.get("is_error"))
                    elif b["type"] == "text" and b["text"].startswith("[Request interrupted"): intr += 1
            else:
                p = d["payload"]
                k = p.get("type")
                if k in ("function_call", "custom_tool_call"):
                    assert p["call_id"] not in calls; calls[p["call_id"]] = 1
                    reads += "sed -n '" in (p.get("arguments") or "")
                elif k in ("function_call_output", "custom_tool_call_output"):
                    assert p["call_id"] in calls and p["call_id"] not in res; res[p["call_id"]] = 1
                    o = p["output"]
                    bad += "verification failed" in o[:40] or ("exited with code" in o[:80] and "code 0\n" not in o[:80]) or (o.startswith("{") and '"exit_code": 0' not in o) or o.startswith(("aborted", "exec command rejected"))
                elif k == "user_message": req += 1
                elif k == "turn_aborted": intr += 1
        assert set(calls) == set(res), f
        rows.append((t0, len(calls), reads, bad, req, intr))
    return sorted(rows)


def digest(folder):
    h = hashlib.sha256()
    for f in sorted(os.listdir(folder)): h.update(f.encode() + open(os.path.join(folder, f), "rb").read())
    return h.hexdigest()


def main(pool=12):
    tmp = tempfile.mkdtemp()
    print(f"{'kind':20s} {'ms':>4s} {'call/s':>7s} {'req/s':>5s} | err%  first last | reread% f l | corr% f l | intr% | look% f l | call/req f l")
    for kind, spec in KINDS.items():
        acc, t = [[0] * 9, [0] * 9], 0
        nc = ns = nr = 0
        for seed in range(pool):
            d = os.path.join(tmp, kind, str(seed))
            a = time.process_time()
            L = write_agent(kind, seed=seed, sessions=24, folder=d)
            t += time.process_time() - a
            if seed < 3:
                rows = scan(d, spec["format"])
                assert len(rows) == 24, (kind, len(rows))
                assert [x[1] for x in rows] == L["calls"], (kind, "calls")
                assert [x[2] for x in rows] == L["reads"], (kind, "reads", [x[2] for x in rows], L["reads"])
                assert [x[4] for x in rows] == L["requests"], (kind, "requests")
                assert [x[5] for x in rows] == L["interrupts"], (kind, "interrupts")
                assert all(x[3] >= e for x, e in zip(rows, L["errors"])), (kind, "errors")
                assert all(a <= b for a, b in zip(L["rereads"], L["reads"]))
            if seed == 0:
                e = d + "x"
                assert write_agent(kind, seed=0, sessions=24, folder=e) == L and digest(d) == digest(e), kind
                for S in (12, 40): write_agent(kind, seed=1, sessions=S, folder=f"{d}s{S}")
            for i, sl in enumerate((slice(0, 8), slice(16, 24))):
                for j, k in enumerate(("calls", "errors", "reads", "rereads", "requests", "corrections", "interrupts", "lookalikes", "file_tasks")): acc[i][j] += sum(L[k][sl])
            nc += sum(L["calls"]); nr += sum(L["requests"]); ns += 24
            shutil.rmtree(d)
        p = lambda i, a, b: 100 * acc[i][a] / max(1, acc[i][b])
        print(f"{kind:20s} {1000 * t / pool:4.0f} {nc / ns:7.1f} {nr / ns:5.1f} | {p(0,1,0):5.1f} {p(1,1,0):5.1f} | {p(0,3,2):5.1f} {p(1,3,2):5.1f} | {p(0,5,4):5.1f} {p(1,5,4):5.1f} | {p(0,6,4):4.1f} {p(1,6,4):4.1f} | {p(0,7,8):4.1f} {p(1,7,8):4.1f} | {acc[0][0]/acc[0][4]:4.1f} {acc[1][0]/acc[1][4]:4.1f}", flush=True)
    shutil.rmtree(tmp)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 12)
