"""Runs `python -m agingbench` in forks of a process that has loaded what commands load."""

from __future__ import annotations

import atexit
import json
import os
import runpy
import sys
import traceback
from typing import Any, NoReturn

from tests.loading import load_everything, stand_in


def serve() -> NoReturn:
    """Run a command per line {cwd, words, out, err} on stdin, and print its exit code."""
    load_everything()
    for line in sys.stdin:
        asked = json.loads(line)
        child = os.fork()
        if not child:
            _leave(asked)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)
    os._exit(0)  # frozen packages cannot be taken down quietly


def _leave(asked: dict[str, Any]) -> NoReturn:
    """Run a command and leave with its code; taking the loaded packages down would cost most."""
    code: object = 0
    try:
        _become(asked)
    except SystemExit as left:
        code = left.code
    except BaseException:
        traceback.print_exc()
        code = 1
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else int(code is not None))


def _become(asked: dict[str, Any]) -> None:
    stand_in(asked["cwd"])
    os.environ["HOME"] = asked["cwd"]
    for fd, target in ((0, os.devnull), (1, asked["out"]), (2, asked["err"])):
        opened = os.open(target, os.O_RDONLY if fd == 0 else os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(opened, fd)
        os.close(opened)
    sys.path[0] = asked["cwd"]  # as `python -m` has it
    sys.argv = ["agingbench", *asked["words"]]
    runpy.run_module("agingbench", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    serve()
