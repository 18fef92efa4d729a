"""The rules that a team has for its fixes, read from the agent's source and change notes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from agingbench.bench.plan.ticket_check import TicketCheck
from agingbench.bench.repository.backend import Backend, Files
from agingbench.bench.repository.chain import TicketChain

REPOSITORY = "repo"  # the folder of the workspace that the repository lies in


def marker_text(tag: str, number: int) -> str:
    """What the comment on a fix says."""
    return f"{tag} {number}"


def note_line(key: str, value: str) -> str:
    """A line of a change note."""
    return f"{key}: {value}"


def family_in(files: Mapping[str, bytes], chain: TicketChain) -> dict[str, str]:
    """The sources of the module family in a workspace; nothing else of its repository counts."""
    family = {}
    for path, data in files.items():
        inside = path.removeprefix(f"{REPOSITORY}/")
        if inside != path and chain.is_family(inside):
            family[inside] = data.decode(errors="replace")
    return family


def rule_problem(check: TicketCheck, files: Mapping[str, bytes], family: Files, old: Files) -> str:
    """Why a rule was not kept, else an empty text."""
    if check.aspect == "marked":
        return _marker_problem(check.text, family, old)
    notes = _change_notes(check.ticket, files)
    if not notes:
        return f"there is no change note {check.ticket}.md"
    if check.aspect == "filed":
        wanted = f"{check.text.rstrip('/')}/{check.ticket}.md"
        return "" if wanted in notes else "the change note lies somewhere else"
    return _line_problem(check.text, notes)


def _marker_problem(text: str, family: Files, old: Files) -> str:
    comment = re.compile(rf"#.*(?<![\w-]){re.escape(text)}(?![\w-])")
    is_changed = False
    for path, source in family.items():
        known = old.get(path, "")
        if source == known:
            continue
        is_changed = True
        old_lines = set(known.splitlines())
        for line in source.splitlines():
            if line not in old_lines and comment.search(line):
                return ""
    return "no new line carries the tag" if is_changed else "the source was not changed"


def _change_notes(number: int, files: Mapping[str, bytes]) -> dict[str, str]:
    notes = {}
    for path, data in files.items():
        pure = PurePosixPath(path)
        if pure.name == f"{number}.md" and pure.parts[0] != REPOSITORY:
            notes[path] = data.decode(errors="replace")
    return notes


def _line_problem(line: str, notes: Mapping[str, str]) -> str:
    # One line for each key: several guesses below each other are none.
    key, _, value = line.partition(": ")
    for text in notes.values():
        stated = []
        for one in text.splitlines():
            name, colon, said = one.strip().strip("-* ").partition(":")
            if colon and name.strip("*` ").lower() == key.lower():
                stated.append(said.strip().strip("*`").strip())
        if stated == [value]:
            continue
        return f"{key} is missing" if not stated else f"{key} says something else"
    return ""


def solution_files(
    backend: Backend, chain: TicketChain, checks: Sequence[TicketCheck]
) -> dict[str, str]:
    """Files of a workspace that pass these checks of one ticket."""
    ticket = chain.ticket(checks[0].ticket)
    before = backend.before(ticket)
    gold = dict(backend.gold(ticket))
    texts = {check.id.partition(".")[2]: check.text for check in checks}
    for path, source in gold.items():
        if source != before.get(path):
            gold[path] = f"{source}\n# {texts['marked']}\n"
            break
    files = {f"{REPOSITORY}/{path}": source for path, source in gold.items()}
    lines = [check.text for check in checks if check.aspect == "says"]
    files[f"{texts['filed']}/{ticket.number}.md"] = "\n".join([*lines, ""])
    return files
