"""Slips: the failed form of an action, with the text the tool answers."""

MULT = dict(read=.9, edit=1.15, write=.85, search=.85, find=.9, sh=1.08, todo=.7, mcp=1.0, task=.9)


def bend(r, path):
    d, _, b = path.rpartition("/")
    k = r.randrange(4)
    if k == 0: return d + "/" + b.replace("_", "-", 1) if "_" in b else d + "s/" + b
    if k == 1: return (d.split("/")[0] + "/" + b)
    if k == 2: return d + "/lib/" + b
    return d + "/" + b.replace(".", "_impl.", 1)


def bad(r, a, w, fmt):
    a, o = dict(a), a["op"]
    cl = fmt == "claude"
    if o == "read":
        if r.random() < .85 or not cl:
            a["path"] = bend(r, a["path"])
            a["err"] = "File does not exist." if cl else f"sed: can't read {a['path']}: No such file or directory"
        else:
            a["path"] = a["path"].rpartition("/")[0]
            a["err"] = "EISDIR: illegal operation on a directory, read"
        a["code"] = 2
    elif o == "edit":
        ls = a["old"].split("\n")
        k = r.randrange(3)
        ls[0] = ls[0].replace("    ", "  ", 1).replace("(", " (", 1) + ("" if k else ",")
        if k == 2: ls[-1] = ls[-1] + "  " + w.w["cmt"] + " " + r.choice(w.nouns)
        a["old"] = "\n".join(ls)
        if cl:
            a["err"] = r.choice([f"String to replace not found in file.\nString: {a['old']}", f"String to replace not found in file.\nString: {a['old']}",
                                 "File has been modified since read, either by the user or by a linter. Read it again before attempting to write it."])
        else: a["err"] = f"apply_patch verification failed: Failed to find expected lines in {w.cwd}/{a['path']}:\n{a['old']}"
        a["code"] = 1
    elif o == "write":
        a["path"] = a["path"].replace(".", "/index.", 1)
        a["err"] = "File has not been read yet. Read it first before writing to it." if cl else f"apply_patch verification failed: invalid hunk at line 2, '{a['path']}' is not a valid target"
        a["code"] = 1
    elif o == "search":
        if r.random() < .5:
            a["path"] = bend(r, a.get("path") or w.w["root"] + w.pkgs[0] + "/x." + w.w["ext"])
            a["err"] = f"Path does not exist: {w.cwd}/{a['path']}" if cl else f"rg: {a['path']}: No such file or directory (os error 2)"
        else:
            a["pattern"] = a["pattern"] + "("
            a["err"] = f"ripgrep error: regex parse error:\n    (?:{a['pattern']})\n    ^\nerror: unclosed group"
        a["code"] = 2
    elif o == "find":
        a["path"] = w.w["root"] + r.choice(w.nouns) + "_" + r.choice(w.suf)
        a["err"] = f"Directory does not exist: {w.cwd}/{a['path']}" if cl else f"rg: ./{a['path']}: No such file or directory (os error 2)"
        a["code"] = 2
    elif o == "todo":
        a["err"] = "InputValidationError: TodoWrite failed due to the following issue: An unexpected parameter `priority` was provided"
    elif o == "mcp":
        a["input"] = dict(a["input"], scope=r.choice(w.nouns))
        a["err"] = r.choice(["MCP error -32602: Invalid arguments: unknown field `scope`", "Error: no index named '%s' in this workspace" % a["input"]["scope"]])
    elif o == "task":
        a["agent"] = "code-searcher"
        a["err"] = "Agent type 'code-searcher' not found. Available agents: general-purpose, Explore, Plan"
    else:
        c = a["cmd"]
        prog = c.split()[0]
        n, s = r.choice(w.nouns), r.choice(w.suf)
        k = r.randrange(7)
        if prog in ("psql", "mysql", "sqlite3", "bq", "influx") and r.random() < .6:
            a["cmd"] = c.replace("id,", f"{n}_id,").replace("count(*)", f"count({n}_{s})")
            a["err"], a["code"] = f"ERROR:  column \"{n}_{s}\" does not exist\nLINE 1: select {n}_{s}", 1
        elif k == 0:
            opt = r.choice(["--only", "--no-wait", "--verbose-errors", "--all-parts", "--limit-to"])
            a["cmd"] = f"{c} {opt}"
            a["err"], a["code"] = f"{prog}: error: unrecognized option '{opt}'\nTry '{prog} --help' for more information.", 2
        elif k == 1:
            a["cmd"] = c + f" && (cd {w.w['root']}{w.pkgs[0]} && ls"
            a["err"], a["code"] = "bash: -c: line 2: syntax error: unexpected end of file", 2
        elif k == 2:
            a["cmd"] = f"{c} | grep '{n}"
            a["err"], a["code"] = "bash: -c: line 1: unexpected EOF while looking for matching `''", 2
        elif k == 3:
            a["cmd"] = f"cd {w.w['root']}{n}_{s} && {c}"
            a["err"], a["code"] = f"bash: line 1: cd: {w.w['root']}{n}_{s}: No such file or directory", 1
        elif k == 4:
            a["cmd"] = f"{n}ctl {s} && {c}"
            a["err"], a["code"] = f"bash: line 1: {n}ctl: command not found", 127
        elif k == 5:
            a["cmd"] = f"{c} tools/{n}_{s}.txt"
            a["err"], a["code"] = f"{prog}: cannot open 'tools/{n}_{s}.txt': No such file or directory", 1
        else:
            a["cmd"] = f"{c} && python3 -c 'import {n}_tools'" if w.w["ext"] != "ts" else f"{c} && node scripts/run.mjs {n}"
            a["err"], a["code"] = w.w["missing"].format(n), 1
    return a
