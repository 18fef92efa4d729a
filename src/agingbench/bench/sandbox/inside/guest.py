"""Runs an agent's code inside a confinement and answers calls; it never sees what is expected."""

from __future__ import annotations

import json
import os
from typing import Any


def load(path: str) -> tuple[dict[str, Any], str | None]:
    """Run the code and return its names, and the error that stopped it, if any."""
    names: dict[str, Any] = {"__name__": "solution"}
    try:
        with open(path, encoding="utf-8") as file:
            program = compile(file.read(), "solution.py", "exec")
        exec(program, names)  # noqa: S102 -- what this program is for
    except BaseException as error:
        return names, f"{type(error).__name__}: {error}"
    return names, None


def reply_to(call: dict[str, Any], names: dict[str, Any], load_error: str | None) -> str:
    """Make one call and return its value or its exception as a line of JSON."""
    if load_error is not None:
        return json.dumps({"raised": "ImportError", "text": load_error[:500]})
    try:
        function = names[call["name"]]
        value = function(*call["args"], **call["kwargs"])
        # Generators, tuples and sets travel as lists.
        return json.dumps({"value": value}, default=list)
    except BaseException as error:
        return json.dumps({"raised": type(error).__name__, "text": str(error)[:500]})


def main() -> None:
    """Load the code and answer calls from stdin on stdout until stdin ends."""
    calls = os.fdopen(os.dup(0))
    replies = os.fdopen(os.dup(1), "w")

    # What the code prints must not look like a reply.
    nowhere = os.open("/dev/null", os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)

    # From here on, it is the code that fails.
    print("ready", file=replies, flush=True)
    names, load_error = load("/box/solution.py")
    for line in calls:
        reply = reply_to(json.loads(line), names, load_error)
        print(reply, file=replies, flush=True)


if __name__ == "__main__":
    main()
