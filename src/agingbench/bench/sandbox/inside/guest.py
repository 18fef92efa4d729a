"""Runs an agent's code inside a confinement and answers calls; it never sees what is expected."""

from __future__ import annotations

import json
import os
from typing import Any


def load(path: str) -> tuple[dict[str, Any], str | None]:
    """What the code defines, and what kept it from being loaded."""
    defined: dict[str, Any] = {"__name__": "solution"}
    try:
        with open(path, encoding="utf-8") as file:
            exec(compile(file.read(), "solution.py", "exec"), defined)  # noqa: S102 -- what this program is for
    except BaseException as error:
        return defined, f"{type(error).__name__}: {error}"
    return defined, None


def reply_to(call: dict[str, Any], defined: dict[str, Any], broken: str | None) -> str:
    if broken is not None:
        return json.dumps({"raised": "ImportError", "text": broken[:500]})
    try:
        # Generators, tuples and sets travel as lists.
        return json.dumps(
            {"value": defined[call["name"]](*call["args"], **call["kwargs"])}, default=list
        )
    except BaseException as error:
        return json.dumps({"raised": type(error).__name__, "text": str(error)[:500]})


def main() -> None:
    calls = os.fdopen(os.dup(0))
    replies = os.fdopen(os.dup(1), "w")
    nowhere = os.open("/dev/null", os.O_RDWR)
    for standard in (0, 1, 2):  # what the code prints must not look like a reply
        os.dup2(nowhere, standard)
    print("ready", file=replies, flush=True)  # from here on, it is the code that fails
    defined, broken = load("/box/solution.py")
    for line in calls:
        print(reply_to(json.loads(line), defined, broken), file=replies, flush=True)


if __name__ == "__main__":
    main()
