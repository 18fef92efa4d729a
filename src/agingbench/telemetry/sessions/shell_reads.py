"""Which shell commands only read, and which files they read."""

from __future__ import annotations

import re
import shlex

# Programs that print what is there.
READERS = frozenset(
    {
        "cat", "head", "tail", "less", "more", "nl", "bat", "tac", "rg", "grep", "egrep", "fgrep",
        "ag", "ack", "find", "fd", "ls", "tree", "sed",
    }
)  # fmt: skip
_SEARCHERS = frozenset({"rg", "grep", "egrep", "fgrep", "ag", "ack"})
# Words that go before the program itself.
_PREFIXES = frozenset({"sudo", "command", "time", "env", "nice"})
# What makes of these programs something else than a read.
_ACTS = frozenset({"-exec", "-execdir", "-delete", "-ok", "-i", "--in-place"})
# Options whose value is the next word; `-n` and `-c` count lines or bytes for some programs alone.
_WITH_VALUE = frozenset({"-A", "-B", "-C", "-m", "-e", "-g", "-t", "--glob", "--type"})
_COUNTS = frozenset({"-n", "-c"})
_COUNTERS = frozenset({"head", "tail"})
_MAY_READ = re.compile(rf"(?:^|[\s/])(?:{'|'.join(sorted(READERS))})(?:\s|$)")
_STEP = re.compile(r"&&|\|\||[;\n]")
_STAGE = re.compile(r"\|")
_REDIRECT = re.compile(r"(?<![0-9&])>{1,2}(?!&)|<<")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=\S*")
LONGEST = 2000  # characters of a command that are looked at


def shell_read(command: str) -> list[str] | None:
    """Return the files that a command names to read; None for a command that does anything else.

    The first step that is no `cd` decides, by the first program of its pipeline.
    """
    for step in _STEP.split(command[:LONGEST]):
        stage = _STAGE.split(step, maxsplit=1)[0].strip()
        if not stage or stage.startswith(("cd ", "#")) or stage == "cd":
            continue
        if _REDIRECT.search(step):
            return None

        return _files(stage)

    return None


def shell_command(arguments: object) -> str | None:
    """Return the command line of a shell call, from the arguments that clients give it."""
    if isinstance(arguments, dict):
        for name in ("command", "cmd", "script"):
            value = arguments.get(name)
            if isinstance(value, str):
                return value
            if isinstance(value, list):
                return _joined(value)

        return None

    if isinstance(arguments, str):
        return arguments
    return _joined(arguments) if isinstance(arguments, list) else None


def _joined(words: list[object]) -> str | None:
    """Return the command of a list of words; a shell that runs one gives that one."""
    texts = [word for word in words if isinstance(word, str)]
    if len(texts) != len(words) or not texts:
        return None
    if len(texts) == 3 and texts[1] in ("-c", "-lc"):
        return texts[2]
    return shlex.join(texts)


def _files(stage: str) -> list[str] | None:
    """Return the files that one program reads; None where it is no reader."""
    if not _MAY_READ.search(stage):  # taking a command apart costs more than most of them are worth
        return None

    words = _words(stage)
    while words and (words[0] in _PREFIXES or _ASSIGNMENT.fullmatch(words[0])):
        words = words[1:]
    if not words:
        return None

    program = words[0].rpartition("/")[2]
    options = words[1:]
    if program not in READERS or _ACTS.intersection(options):
        return None
    if program == "sed" and not any(word.startswith("-n") for word in options):
        return None

    named = _operands(options, program in _COUNTERS)
    has_pattern = program in _SEARCHERS or program == "sed"
    return named[1:] if has_pattern else named


def _operands(words: list[str], counts: bool) -> list[str]:
    """Return the words that are neither options nor values of options."""
    operands = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word.startswith("-"):
            skip = word in _WITH_VALUE or (counts and word in _COUNTS)
        else:
            operands.append(word)

    return operands


def _words(stage: str) -> list[str]:
    """Return the words of a command; quotes that do not close are taken as letters."""
    try:
        return shlex.split(stage)
    except ValueError:
        return stage.split()
