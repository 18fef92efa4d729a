"""An agent's own slips: what a call looks like when it is made wrongly."""


def wrong_path(rng, path):
    d, b = path.rsplit("/", 1) if "/" in path else (".", path)
    stem, _, ext = b.partition(".")
    c = rng.random()
    if c < 0.4:
        return f"{d}/{stem}_{rng.choice(['utils', 'base', 'impl', 'old', 'types'])}.{ext}"
    if c < 0.7:
        return f"{d}/{rng.choice(['core', 'lib', 'common', 'shared'])}/{b}"
    return f"{d}/{stem}s.{ext}" if not stem.endswith("s") else f"{d}/{stem[:-1]}.{ext}"


def slip(op, rng, world, claude):
    """A wrongly made copy of op with its error."""
    o = dict(op)
    o["err"], o["code"] = True, 1
    k, r = op["k"], rng.random()
    full = world.cwd + "/"
    if k == "read":
        if claude and r < 0.12:
            o["path"] = op["path"].rsplit("/", 1)[0]
            o.pop("start", None)
            o["out"] = "EISDIR: illegal operation on a directory, read"
        else:
            for _ in range(9):
                o["path"] = wrong_path(rng, op["path"])
                if o["path"] not in world.paths:
                    break
            if claude:
                o["out"] = rng.choice(["File does not exist.", f"File does not exist. Did you mean {op['path'].rsplit('/', 1)[-1]}?", "<tool_use_error>File does not exist.</tool_use_error>"])
            elif r < 0.15 and op.get("start"):
                o["path"] = op["path"]
                o["cmd"] = f"sed -n '{op['start']},p{op['limit']}' {op['path']}"
                o["out"] = "sed: -e expression #1, char 5: unexpected `,'"
            else:
                o["out"] = f"{rng.choice(['cat', 'sed: can' + chr(39) + 't read'])}: {o['path']}: No such file or directory"
    elif k == "search":
        if r < 0.5:
            o["pattern"] = op["pattern"] + rng.choice(["(", "[", "(?P<", "\\"])
            o["out"] = f"rg: regex parse error:\n    (?:{o['pattern']})\n    ^\nerror: {rng.choice(['unclosed group', 'unclosed character class', 'incomplete escape sequence'])}"
        else:
            o["path"] = wrong_path(rng, (op.get("path") or "lib") + "/x.d").rsplit("/", 1)[0] + rng.choice(["_v2", "/internals", "-core"])
            o["out"] = f"Path does not exist: {full}{o['path']}" if claude else f"rg: {o['path']}: No such file or directory (os error 2)"
        o["code"] = 2
    elif k == "glob":
        o["pattern"] = op["pattern"].replace("*", "{", 1)
        o["out"] = f"error parsing glob '{o['pattern']}': unclosed alternate group; missing '}}'"
        o["code"] = 2
    elif k == "edit":
        if claude:
            if r < 0.65:
                o["old"] = op["old"].replace(op["old"].strip()[:1] or "x", " " + (op["old"].strip()[:1] or "x"), 1) + rng.choice([" ", ";", "  # keep", "\n\n"])
                o["out"] = f"<tool_use_error>String to replace not found in file.\nString: {o['old']}</tool_use_error>"
            elif r < 0.85:
                o["old"] = op["old"].split("\n")[0]
                o["out"] = f"<tool_use_error>Found {rng.randint(2, 5)} matches of the string to replace, but replace_all is false. To replace all occurrences, set replace_all to true. To replace only one occurrence, please provide more context to uniquely identify the instance.\nString: {o['old']}</tool_use_error>"
            else:
                o["new"] = op["old"]
                o["out"] = "<tool_use_error>No changes to make: old_string and new_string are exactly the same.</tool_use_error>"
        else:
            o["old"] = op["old"].replace(" ", "  ", 1) + rng.choice([" ", ";"])
            o["out"] = f"apply_patch verification failed: Failed to find expected lines in {full}{op['path']}:\n{o['old']}"
    elif k == "write":
        if claude:
            if r < 0.5:
                o["bad"] = True
                o["out"] = "<tool_use_error>InputValidationError: Write failed due to the following issue:\nThe required parameter `content` is missing</tool_use_error>"
            else:
                o["path"] = "/" + op["path"]
                o["out"] = f"EACCES: permission denied, mkdir '/{op['path'].split('/')[0]}'"
        else:
            o["out"] = "apply_patch verification failed: invalid patch: The last line of the patch must be '*** End Patch'"
    elif k == "todo":
        o["bad"] = True
        o["out"] = "<tool_use_error>InputValidationError: TodoWrite failed due to the following issue:\nThe required parameter `todos` is missing</tool_use_error>" if claude else "failed to parse function arguments: missing field `plan`"
    elif k == "mcp":
        o["args"] = {rng.choice(["q", "text", "target"]): next(iter(op["args"].values()))}
        o["out"] = f"MCP error -32602: Invalid arguments for tool {op['name'].split('__')[-1]}: required property missing"
    elif k == "sub":
        o["agent"] = rng.choice(["explorer", "searcher", "reader"])
        o["out"] = f"Agent type '{o['agent']}' not found. Available agents: general-purpose, Explore, Plan"
    else:
        c = op["cmd"]
        w = rng.choice(world.words)
        prog = c.split()[0]
        kind = op.get("sort", "plain")
        if kind == "data" and r < 0.45:
            o["cmd"] = c.replace(op["col"], op["col"].lower() + "_x") if op.get("col") else c
            o["out"] = f"Traceback (most recent call last):\n  File \"<string>\", line {rng.randint(2, 9)}, in <module>\nKeyError: '{(op.get('col') or w).lower()}_x'"
        elif kind in ("data", "py") and r < 0.75:
            m = rng.choice(["pandas", "tabulate", "dateutil", "numpy", "yaml", "shapely"])
            o["cmd"] = c.replace("import csv", f"import {m}, csv") if "import csv" in c else c
            o["out"] = f"Traceback (most recent call last):\n  File \"<string>\", line 1, in <module>\nModuleNotFoundError: No module named '{m}'"
        elif r < 0.3:
            f = rng.choice(["--short-summary", "--all-files", "--no-color-out", "--workspace-only", "--fast", "--depth-first"])
            o["cmd"] = f"{c} {f}"
            o["out"] = rng.choice([f"error: unrecognized arguments: {f}", f"unknown flag: {f}\nSee '{prog} --help'.", f"{prog}: unrecognized option '{f}'"])
            o["code"] = 2
        elif r < 0.5:
            o["cmd"] = f"cd {w}s && {c}"
            o["out"] = f"bash: line 1: cd: {w}s: No such file or directory"
        elif r < 0.7:
            o["cmd"] = c + rng.choice([" | (head", " && echo \"done", " | grep -c '" + w, " ) | tail -3"])
            o["out"] = rng.choice(["bash: -c: line 1: unexpected EOF while looking for matching `\"'", "bash: -c: line 2: syntax error: unexpected end of file", "bash: -c: line 1: syntax error near unexpected token `)'"])
            o["code"] = 2
        elif r < 0.85:
            p = rng.choice(["jqq", "pytset", "rgx", "make-all", "gti", "yq4", "envcheck"])
            o["cmd"] = f"{c} | {p}" if rng.random() < 0.5 else f"{p} {' '.join(c.split()[1:])}"
            o["out"] = f"bash: line 1: {p}: command not found"
            o["code"] = 127
        else:
            o["cmd"] = f"{c} {w}/{w}_list.txt"
            o["out"] = f"{prog}: {w}/{w}_list.txt: No such file or directory"
    return o
