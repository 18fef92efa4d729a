"""What goes wrong by the agent's own doing, and how it looks."""
from s17_world import hash_


def bad_path(p, rng):
    d, _, b = p.rpartition("/")
    stem, _, ext = b.rpartition(".")
    k = rng.randrange(4)
    if k == 0:
        return f"{d}/core/{b}"
    if k == 1:
        return f"{d}/{stem}{'' if stem.endswith('s') else 's'}_impl.{ext}"
    if k == 2:
        return f"{d.rpartition('/')[0]}/{b}"
    return f"{d}/{stem}.{ {'py': 'pyi', 'ts': 'tsx', 'go': 'mod'}.get(ext, 'txt') }"


def bash_slip(cmd, life, rng, cat):
    """(command, output, exit code)"""
    w, ent = life.w, rng.choice(life.w.ents)
    first = cmd.split()[0]
    k = rng.randrange(7)
    if cat == "value":
        if k < 3:
            o = rng.choice(["--verbos", "--outputt json", "--no-color-x", "--timeoutt 5"])
            return f"{cmd} {o}", f"{first}: unrecognized option '{o.split()[0]}'\nTry '{first} --help' for more information.", 2
        if k < 5:
            return f"{cmd} | jq '.items[' ", "jq: error: syntax error, unexpected end of file (Unix shell quoting issues?) at <top-level>, line 1:\n.items[\njq: 1 compile error", 3
        return f"{cmd} && (echo ok", "bash: -c: line 1: syntax error: unexpected end of file", 2
    if cat == "test":
        if k < 3:
            t = bad_path(cmd.split()[1] if len(cmd.split()) > 1 else "tests/x.py", rng)
            return f"{cmd} {t}", f"ERROR: file or directory not found: {t}\n\nno tests ran in 0.0{rng.randrange(1, 9)}s", 4
        if k < 5:
            return f"{cmd} --only-faild", f"error: unrecognized arguments: --only-faild\n  inifile: None\n  rootdir: {w.root}", 4
        return f"{cmd} --plugin=xdist2", f"ModuleNotFoundError: No module named 'xdist2'", 1
    if cat == "git":
        if k < 3:
            b = f"feature/{ent}-{rng.randrange(10, 99)}"
            return f"git checkout {b}", f"error: pathspec '{b}' did not match any file(s) known to git", 1
        if k < 5:
            return "git log --onelin -5", "fatal: unrecognized argument: --onelin", 128
        return f"git diff HEAD~{rng.randrange(60, 99)}000 --stat", "fatal: ambiguous argument: unknown revision or path not in the working tree.\nUse '--' to separate paths from revisions, like this:\n'git <command> [<revision>...] -- [<file>...]'", 128
    if cat == "data":
        col = f"{ent}_{rng.choice(['amount', 'kind', 'datee', 'office', 'owner'])}"
        if k < 3:
            return f"sqlite3 data/{w.repo}.db 'select {col}, count(*) from {ent}s group by 1'", f"Error: in prepare, no such column: {col}\n  select {col}, count(*) from {ent}s group by 1\n         ^--- error here", 1
        if k < 5:
            return f"python3 -c \"import csv,sys; r=list(csv.DictReader(open('data/{ent}s.csv'))); print(sum(float(x['{col}']) for x in r))\"", f"Traceback (most recent call last):\n  File \"<string>\", line 1, in <module>\n  File \"<string>\", line 1, in <genexpr>\nKeyError: '{col}'", 1
        return f"python3 -c \"print(len(open('data/{ent}s.csv').readlines())\"", "  File \"<string>\", line 1\n    print(len(open('data/x.csv').readlines())\n         ^\nSyntaxError: '(' was never closed", 1
    if k == 0:
        return f"{cmd} | awk '{{print $1'", "awk: cmd. line:1: {print $1\nawk: cmd. line:1:          ^ unexpected newline or end of string", 1
    if k == 1:
        return f"cat docs/{ent}_{rng.choice(['notes', 'flow', 'plan'])}.mdx", f"cat: docs/{ent}_notes.mdx: No such file or directory", 1
    if k == 2:
        return f"for f in data/*.csv; wc -l $f; done", "bash: -c: line 1: syntax error near unexpected token `wc'\nbash: -c: line 1: `for f in data/*.csv; wc -l $f; done'", 2
    if k == 3:
        m = rng.choice(["tabulate", "rich_table", "orjsonx", "dateutils", "yamlex"])
        return f"python3 -c 'import {m}; print({m}.__version__)'", f"Traceback (most recent call last):\n  File \"<string>\", line 1, in <module>\nModuleNotFoundError: No module named '{m}'", 1
    if k == 4:
        c = rng.choice(["jqx", "fdfind", "batcat", "yqq", "gsed"])
        return f"{c} -r '.{ent}' data/{ent}s.json", f"bash: line 1: {c}: command not found", 127
    if k == 5:
        return f"ls -lz scripts/{ent}", "ls: invalid option -- 'z'\nTry 'ls --help' for more information.", 2
    return f"cd {rng.choice(w.areas)}x && ls", "bash: line 1: cd: no such directory: no such file or directory", 1


def slip_of(op, args, life, rng, cat):
    """The wrong form of a planned call: (args, output, exit code)."""
    cl, w = life.fmt == "claude", life.w
    if op == "read":
        p = bad_path(args["path"], rng)
        a = dict(args, path=p)
        if cl:
            if rng.random() < .5:
                return a, "<tool_use_error>File does not exist.</tool_use_error>", 1
            return a, f"<tool_use_error>File does not exist. Did you mean {args['path'].rpartition('/')[2]}?</tool_use_error>", 1
        return a, f"sed: can't read {p}: No such file or directory", 2
    if op == "edit":
        k = rng.random()
        a = dict(args, old=args["old"].replace("total", "sum_total").replace("rows", "items") + ("  # checked" if k < .3 else ""))
        if cl:
            if k < .65:
                return a, f"<tool_use_error>String to replace not found in file.\nString: {a['old']}</tool_use_error>", 1
            a = dict(args, old=args["old"].split("\n")[0])
            return a, f"<tool_use_error>Found {rng.randrange(2, 6)} matches of the string to replace, but replace_all is false. To replace all occurrences, set replace_all to true. To replace only one occurrence, please provide more context to uniquely identify the instance.\nString: {a['old']}</tool_use_error>", 1
        if k < .8:
            return a, f"apply_patch verification failed: Failed to find expected lines in {w.root}/{args['path']}:\n{a['old']}", 1
        a = dict(args, path=bad_path(args["path"], rng))
        return a, f"apply_patch verification failed: Failed to read file to update {w.root}/{a['path']}: No such file or directory (os error 2)", 1
    if op == "write":
        if cl:
            return dict(args), "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>", 1
        return dict(args), "apply_patch verification failed: invalid hunk at line 2, '+' expected at the start of every line of an added file", 1
    if op == "search":
        if rng.random() < .5:
            p = bad_path(args["path"] + "/x.py", rng).rpartition("/")[0] + "_old"
            a = dict(args, path=p)
            return (a, f"<tool_use_error>Path does not exist: {w.root}/{p}</tool_use_error>", 1) if cl else (a, f"rg: {p}: No such file or directory (os error 2)", 2)
        a = dict(args, pat=args["pat"] + "(")
        m = f"regex parse error:\n    (?:{a['pat']})\n    ^\nerror: unclosed group"
        return (a, f"<tool_use_error>ripgrep error: {m}</tool_use_error>", 1) if cl else (a, "rg: " + m, 2)
    if op == "glob":
        p = args["path"] + "/modules"
        a = dict(args, path=p)
        return (a, f"<tool_use_error>Directory does not exist: {w.root}/{p}</tool_use_error>", 1) if cl else (a, f"find: '{p}': No such file or directory", 1)
    if op == "mcp":
        a = dict(args, args=dict(args["args"], limitt=10))
        return a, f"MCP error -32602: Invalid arguments for tool {args['name'].split('__')[-1]}: unrecognized key(s) in object: 'limitt'", 1
    if op == "task":
        a = dict(args, agent="code-researcher")
        return a, "Agent type 'code-researcher' not found. Available agents: general-purpose, Explore, Plan", 1
    c, o, code = bash_slip(args["cmd"], life, rng, cat)
    return dict(args, cmd=c), (f"Exit code {code}\n{o}" if cl else o), code
