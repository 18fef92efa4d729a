"""Turns an operation into the failed attempt a careless agent would make at it."""


def other_path(rng, path):
    """A path that does not exist: wrong folder, wrong ending of the name, or a dropped folder."""
    folder, _, name = path.rpartition("/")
    stem, _, ending = name.rpartition(".")
    return rng.choice([folder + "/util/" + name, folder + "/" + stem + "_main." + ending, "lib/" + name, folder + "/internal/" + stem + "." + ending])


def slip(op, life, fmt):
    rng, kind, codex = life.rng, op["t"], fmt == "codex"
    bad = dict(op, code=1, slow=False)
    if kind == "read":
        bad["path"] = other_path(rng, op["path"])
        bad["out"] = "sed: can't read %s: No such file or directory" % bad["path"] if codex else "File does not exist." + (" Note: your current working directory is %s." % life.cwd if life.new_tools else "")
        if codex and not op["n"]:
            bad["out"] = "cat: %s: No such file or directory" % bad["path"]
        bad["code"] = 2 if codex and op["n"] else 1
    elif kind == "edit":
        bad["old"] = op["old"].rstrip() + rng.choice(["  // ok", " ", "\n\n", ";;", " # done"])
        if codex:
            bad["out"] = "apply_patch verification failed: Failed to find expected lines in %s/%s:\n%s" % (life.cwd, op["path"], bad["old"])
        else:
            bad["out"] = rng.choice(["String to replace not found in file.\nString: " + bad["old"]] * 3 + ["Found 3 matches of the string to replace, but replace_all is false. To replace all occurrences, set replace_all to true. To replace only one occurrence, please provide more context to uniquely identify the instance.\nString: " + op["old"], "File has been modified since read, either by the user or by a linter. Read it again before attempting to write it."])
            if not bad["out"].startswith("String"):
                bad["old"] = op["old"]
    elif kind == "write":
        bad["out"] = "apply_patch verification failed: invalid hunk at line 2, '%s' is not a valid hunk header" % op["text"][:20] if codex else "File has not been read yet. Read it first before writing to it."
    elif kind == "search":
        if rng.random() < 0.5:
            bad["where"] = other_path(rng, op["where"] + "/x.y").rpartition("/")[0] + "/impl"
            bad["out"] = "rg: %s: No such file or directory (os error 2)" % bad["where"] if codex else "Path does not exist: %s/%s" % (life.cwd, bad["where"])
        else:
            bad["pattern"] = op["pattern"] + rng.choice(["(", "[a-", "(?<x", "{2"])
            bad["out"] = "rg: regex parse error:\n    (?:%s)\nerror: unclosed group" % bad["pattern"] if not codex else "regex parse error:\n    %s\n    ^\nerror: unclosed group" % bad["pattern"]
        bad["code"] = 2
    elif kind == "glob":
        bad["pattern"] = op["pattern"] + "["
        bad["out"] = "error parsing glob '%s': unclosed character class; missing ']'" % bad["pattern"] if codex else "Directory does not exist: %s/lib" % life.cwd
        bad["code"] = 2
    elif kind == "plan":
        bad["out"] = "failed to parse function arguments: missing field `step`" if codex else "InputValidationError: TodoWrite failed due to the following issue:\nThe required parameter `todos[0].activeForm` is missing"
    elif kind == "web":
        bad["out"] = "InputValidationError: WebSearch failed due to the following issue:\nAn unexpected parameter `limit` was provided"
    elif kind == "mcp":
        bad["out"] = "MCP error -32602: Input validation error: unknown argument 'topic_id'"
    elif kind == "task":
        bad["agent"] = rng.choice(["explorer", "code-search", "researcher"])
        bad["out"] = "Agent type '%s' not found. Available agents: Bash, general-purpose, statusline-setup, Explore, Plan" % bad["agent"]
    else:
        words = op["cmd"].split(" ")
        tool = words[0].split("/")[-1]
        option = rng.choice(["--no-wait", "--all-files", "--fromat json", "--verbos", "--recursively", "-Z9"])
        bad["cmd"], bad["code"], bad["out"] = rng.choice([
            (op["cmd"] + " " + option, 2, "error: unexpected argument '%s' found\n\nUsage: %s [OPTIONS]" % (option.split()[0], tool)),
            (op["cmd"] + " " + option, 1, "%s: unrecognized option '%s'\nTry '%s --help' for more information." % (tool, option, tool)),
            ("cd scripts/tools && " + op["cmd"], 1, "bash: line 1: cd: scripts/tools: No such file or directory"),
            (op["cmd"] + " | jqq .", 127, "bash: line 1: jqq: command not found"),
            ("echo \"run && " + op["cmd"], 2, "bash: -c: line 1: unexpected EOF while looking for matching `\"'"),
            ("python3 tools/env.py && " + op["cmd"], 1, "Traceback (most recent call last):\n  File \"tools/env.py\", line 3, in <module>\n    import dotenv\nModuleNotFoundError: No module named 'dotenv'")])
    return bad
