"""Compare the labels with what is in the files, and print planned and realised rates: python check.py [lives]."""
import importlib
import json
import re
import shutil
import sys
import tempfile
import time
from pathlib import Path

here = Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent))
agents = importlib.import_module(here.name + ".agents")
life_module = importlib.import_module(here.name + ".x21_life")
SETTINGS = importlib.import_module(here.name + ".x21_world").SETTINGS

SED = re.compile(r"^sed -n '(\d+),(\d+)p' (\S+)$")
CAT = re.compile(r"^(?:cat|nl -ba) (\S+)$")


def claude(path):
    """Acts of a session in order: ("user", text), ("compact",), ("stop",), ("call", verb, what, failed, output)."""
    acts, calls = [], {}
    for line in path.read_text(encoding="utf-8").splitlines():
        d = json.loads(line)
        if d.get("subtype") == "compact_boundary":
            acts.append(["compact"])
        m = d.get("message")
        if not m or d.get("isCompactSummary"):
            continue
        content = m["content"]
        if isinstance(content, str):
            if not d["isSidechain"] and not content.startswith("<"):
                acts.append(["user", content])
            continue
        for b in content:
            if b["type"] == "text" and b["text"].startswith("[Request interrupted"):
                acts.append(["stop"])
            elif b["type"] == "tool_use":
                i, n = b["input"], b["name"]
                if n == "Read":
                    act = ["call", "read", (i["file_path"], i.get("offset"))]
                elif n in ("Edit", "Write"):
                    act = ["call", "edit", i["file_path"]]
                else:
                    act = ["call", "shell" if n == "Bash" else n, i.get("command", "")]
                acts.append(act)
                calls[b["id"]] = act
            elif b["type"] == "tool_result":
                text = b["content"] if isinstance(b["content"], str) else json.dumps(b["content"])
                calls[b["tool_use_id"]] += [bool(b.get("is_error")), text]
    return acts


def codex(path):
    acts, calls = [], {}
    for line in path.read_text(encoding="utf-8").splitlines():
        d = json.loads(line)
        p, t = d["payload"], d["payload"].get("type")
        if d["type"] == "compacted":
            acts.append(["compact"])
        elif t == "user_message":
            acts.append(["user", p["message"]])
        elif t == "turn_aborted":
            acts.append(["stop"])
        elif t in ("function_call", "custom_tool_call"):
            args = json.loads(p["arguments"]) if t == "function_call" else {}
            cmd = args.get("cmd") or (args.get("command") or [""])[-1]
            patch = p.get("input") or (cmd if cmd.startswith("*** Begin") else "")
            act = ["call", p["name"], cmd]
            if patch:
                act = ["call", "edit", re.search(r"File: (\S+)", patch).group(1)]
            elif SED.match(cmd):
                a, _, f = SED.match(cmd).groups()
                act = ["call", "read", (f, a)]
            elif CAT.match(cmd):
                act = ["call", "read", (CAT.match(cmd).group(1), None)]
            elif cmd:
                act = ["call", "shell", cmd]
            acts.append(act)
            calls[p["call_id"]] = act
        elif t in ("function_call_output", "custom_tool_call_output"):
            out = p["output"]
            m = re.search(r'(?:exited with code|Exit code:|"exit_code":) ?(\d+)', out)
            bad = (m is not None and m.group(1) != "0") or out.startswith(("failed to", "tool call error", "apply_patch verification", "aborted by"))
            calls[p["call_id"]] += [bad, out]
    return acts


def measure(acts, order, newest):
    """Count in one session what can be counted; `newest` remembers over sessions which values were shown."""
    c = dict.fromkeys(("calls", "failed", "reads", "rereads", "requests", "interrupts", "compactions", "value_uses", "stale"), 0)
    seen = set()

    def learn(text):
        for word in re.findall(r"[\w./-]+", text):
            key, n = order.get(word.strip("."), (None, 0))
            if key:
                newest[key] = max(newest.get(key, 0), n)
    for act in acts:
        if act[0] == "user":
            c["requests"] += 1
            learn(act[1])
        elif act[0] == "compact":
            c["compactions"] += 1
            seen.clear()
        elif act[0] == "stop":
            c["interrupts"] += 1
        else:
            _, verb, what, bad, out = act
            c["calls"] += 1
            c["failed"] += bad
            if verb == "read" and not bad:
                c["reads"] += 1
                c["rereads"] += what in seen
                seen.add(what)
            elif verb == "edit" and not bad:
                seen = {x for x in seen if x[0] != what}
            elif verb == "shell":
                for value, (key, n) in order.items():
                    if re.search(rf"(?<![\w.-]){re.escape(value)}(?![\w-]|\.\w)", what) or (key == "TOOLCHAIN_VERSION" and f"GOTOOLCHAIN=go{value} " in what):
                        if newest.get(key, 0) and not what.startswith("cd ") and " | sed 's" not in what and not what.startswith("cat notes") and not (
                                bad and re.search(r"unrecognized arguments|unknown option|unknown flag|command not found|No module named", out)):
                            c["value_uses"] += 1
                            c["stale"] += n < newest[key]
            if verb != "shell" or not bad:
                learn(out)
    return c


def plan(kind, sessions):
    """Mean planned rate over the sessions, apart from the spread of lives and moods."""
    p = dict(life_module.BASE)
    for name, key, add in (("h_errors_claude", "slip", .06), ("h_errors_codex", "slip", .06), ("h_errors_strong", "slip", .165), ("h_rereads", "reread", .11),
                           ("h_lookalikes", "lookalike", .125), ("h_stale_shown", "stale", .13), ("h_stale_told", "stale", .13), ("s_client", "slip", .075), ("s_silent", "slip", .075)):
        if kind == name:
            p[key] += add
    return p


def main(lives=2, sessions=40):
    pairs = dict(slip=("errors", "calls"), reread=("rereads", "reads"), correction=("corrections", "requests"), interrupt=("interrupts", "requests"),
                 stale=("stale", "value_uses"), lookalike=("lookalike_picks", "file_targets"))
    total_off, spent, grand = {}, 0.0, {}
    print(f"{'kind':20}" + "".join(f"{x:>18}" for x in pairs) + "   calls reqst uses compact s/life  off\n" + " " * 20 + "   plan real  1/4-4/4" * len(pairs))
    for kind, spec in agents.KINDS.items():
        sums = [{}, {}, {}]
        off, began = {}, 0.0
        for seed in range(lives):
            folder = Path(tempfile.mkdtemp(prefix="x21_"))
            t = time.perf_counter()
            life = life_module.Life(kind, spec, seed, sessions, folder)
            got = life.run()
            began += time.perf_counter() - t
            order = {v: (k, n) for k in life.repo.value for n, v in enumerate(life.repo.old[k] + [life.repo.value[k]])}
            starts = []
            for path in folder.iterdir():
                acts = (claude if spec["format"] == "claude" else codex)(path)
                starts.append((min(re.findall(r'"timestamp":"([^"]+)"', path.read_text(encoding="utf-8"))), acts))
            shutil.rmtree(folder)
            assert len(starts) == sessions, (kind, len(starts))
            newest = {}
            for i, (_, acts) in enumerate(sorted(starts, key=lambda x: x[0])):
                c = measure(acts, order, newest)
                label = {k: got[k][i] for k in got}
                label["failed"] = label["errors"] + label["tests_failed_marked"] + label["stale_failed"] + label["rejected"] + label["no_match"] * (spec["format"] == "codex")
                for k in c:
                    if c[k] != label[k]:
                        off[k] = off.get(k, 0) + abs(c[k] - label[k])
                for k in got:
                    sums[0][k] = sums[0].get(k, 0) + got[k][i]
                    if i < sessions / 4 or i >= sessions * 3 / 4:
                        s = sums[1 if i < sessions / 4 else 2]
                        s[k] = s.get(k, 0) + got[k][i]
        rates = plan(kind, sessions)
        line = f"{kind:20}"
        for name, (a, b) in pairs.items():
            x = [100 * s.get(a, 0) / max(1, s.get(b, 0)) for s in sums]
            line += f" {100 * rates[name]:5.1f}{x[0]:5.1f}{x[1]:4.0f}{x[2]:3.0f}"
        n = lives * sessions
        print(line + f"  {sums[0]['calls'] / n:5.1f} {sums[0]['requests'] / n:5.2f} {sums[0]['value_uses'] / n:4.1f} {sums[0]['compactions'] / n:5.2f} {began / lives:6.2f}  {off or 'none'}")
        if spec["expect"] == "healthy":
            for k, v in sums[0].items():
                grand[k] = grand.get(k, 0) + v
    print("healthy together:", {n: round(100 * grand[a] / grand[b], 2) for n, (a, b) in pairs.items()}, "tests failed", round(100 * grand["tests_failed"] / grand["test_runs"], 1),
          "compactions", grand["compactions"])


if __name__ == "__main__":
    main(*(int(x) for x in sys.argv[1:3]))
