"""Whose error a failed tool call is: the process, the user, the harness, or a cancellation."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

PROCESS = "process"
REJECTED = "rejected"
REFUSED = "refused"
CANCELLED = "cancelled"
KINDS = (PROCESS, REJECTED, REFUSED, CANCELLED)
UNRECORDED = {"outcome": "unrecorded"}  # metadata of a result that does not say how its call ended

# How the texts of each kind begin, in lower case. They are compared after the wrapper that newer
# clients put around them: a client update that adds the wrapper must not move an error from one
# kind to another.
_WRAPPER = "<tool_use_error>"
_STARTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        CANCELLED,
        (
            "request interrupted by user",
            "interrupted by user",
            "sibling tool call errored",
            "the operation was aborted",
            "the operation was cancel",
            "operation aborted",
            "request was aborted",
            "tool execution aborted",
            "tool execution was interrupted",
            "command was aborted",
            "command aborted",
            "user aborted",
            "user cancel",
            "user interrupted",
            "[operation cancel",
            "execution aborted",
            "aborted",
            "cancelled",
            "canceled",
        ),
    ),
    (
        REJECTED,
        (
            "the user doesn't want to",
            "the user does not want to",
            "user chose to stay in plan mode",
            "user rejected",
            "user denied",
            "user declined",
            "user refused",
            "user has rejected",
            "the user rejected",
            "the user denied",
            "the user declined",
            "error: the user rejected",
            "rejected by user",
            "exec command rejected by user",
            "patch rejected by user",
            "the agent proposed a plan that was rejected",
        ),
    ),
    (
        REFUSED,
        (
            "this command requires approval",
            "this bash command contains",
            "claude requested permission",
            "permission to use",
            "permission for this",
            "permission denied by",
            "inputvalidationerror",
            "file has not been read yet",
            "file has been modified since",
            "file has been unexpectedly modified",
            "string to replace not found",
            "file content (",
            "file does not exist",
            "path does not exist",
            "no such tool",
            "error: no such tool",
            "agent type '",
            "unknown skill",
            "no changes to make",
            "blocked:",
            "pretooluse:",
            "invalid tool",
            "invalid arguments",
        ),
    ),
)
_REFUSED_LATER = re.compile(
    r"found \d+ matches of the string to replace|[^\n]{0,400}was blocked\. for"
    r" security|[^\n]{0,200}blocked this"
    r"|[^\n]{0,120}denied by (?:the )?(?:sandbox|policy|classifier)|(?:tool|skill) [^\n]{0,80}"
    r" (?:not found|is not a)"
)


def classify_error(text: str, default: str = PROCESS) -> str:
    """The kind of a failed call, from the text of its result."""
    start = text[:1200].lstrip().lower()
    wrapped = start.startswith(_WRAPPER)
    if wrapped:
        start = start[len(_WRAPPER) :].lstrip()

    if (
        "[request interrupted by user" in start[:200]
    ):  # also behind the exit code of what was stopped
        return CANCELLED

    for kind, starts in _STARTS:
        if start.startswith(starts):
            return kind

    return REFUSED if wrapped or _REFUSED_LATER.match(start) else default


_PERMISSION = re.compile(r"approv|permission|not allowed|blocked|denied|bash command contains|hook")
_LOOKED_AT = 200  # characters of a refusal


def is_own_mistake(text: str) -> bool:
    """Return whether the harness refused a call because it was wrong, not for want of permission.

    A string that is not in the file, a file that does not exist or was not read: the agent's own.
    """
    return _PERMISSION.search(text[:_LOOKED_AT].casefold()) is None


# What a program says when something else is out of reach: a network, a server, a quota.
_OUT_OF_REACH = re.compile(
    r"connection (?:timed out|reset|aborted|closed)|could not resolve host|no route to host"
    r"|network (?:is )?unreachable|temporary failure in name resolution|name or service not known"
    r"|econnreset|etimedout|enotfound|eai_again|tls handshake timeout|i/o timeout"
    r"|(?:request|read|gateway|upstream|operation) (?:has )?time(?:d[ -]?out|-?out)"
    r"|bad gateway|service unavailable|too many requests|rate limit(?:ed)? (?:exceeded|reached)"
)
_END = 600  # characters at the end of a failed result, where the reason stands


def is_out_of_reach(text: str) -> bool:
    """Return whether a call failed because something else could not be reached: no slip."""
    return _OUT_OF_REACH.search(text[-_END:].casefold()) is not None


def is_unrecorded(metadata: Mapping[str, Any]) -> bool:
    """Whether a result does not say how its call ended: neither an error nor a success."""
    return metadata.get("outcome") == UNRECORDED["outcome"]
