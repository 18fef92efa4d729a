"""How the embedded model builds a small command-line program: it reads what it was asked for, one
request after the other, and writes a program that does it.

- A request is a paragraph that names the program's file, a command of it or its `migrate`. What is
  agreed on elsewhere, such as whose name a command prints, is looked up in the notes.
- The plan is the requests themselves, in their order: nothing of it is ever rewritten.
- The program is a template with the plan's figures in front. A command whose value the notes do not
  tell is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from agingbench.models.form_answers import name_apart
from agingbench.text.wording import STOPWORDS, sentences

PLAN_FILE = "notes/plan.md"
FIRST_START = ("list",)  # what a new version is started with, to see that it starts
_SUBJECT = re.compile(r"\b[a-z]\w*(?:-\w+){2,}")
_TEMPLATE = Path(__file__).parent / "program.py.txt"

_REQUEST = re.compile(r"program in `|command,? `[\w-]+`|print like `list`|`migrate`")
_ENTRY = re.compile(r"`(\w+\.py)`")
_CODE = re.compile(r"`([^`]+)`")
_FIELD = re.compile(r"`([^`]+)` \(([^)]*)\)")
_PATH = re.compile(r"\b\w+(?:/(?!\w)|\.jsonl?\b|\.db\b)")
_BECOMES = re.compile(r"\b(?:is|becomes|that|read|as|with|Put) ([a-z]\w{4,})\b")
_TABLES = re.compile(r"tables `([^`]+)` and `([^`]+)`")
_BOUNDS = re.compile(r"whole number from (-?\d+) to (-?\d+)")
_VIEW = re.compile(r"command,? `([\w-]+)`.*prints a JSON object with `id` and `(\w+)`, (.*)", re.S)
_DROP = re.compile(r"exchange `([\w-]+)` goes")
_ONLY = re.compile(r"\b(?:only|just|subset)\b", re.IGNORECASE)
_ALL = re.compile(r"\b(?:all|every|everything)\b", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?![\w.]*\w)")
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
# How a store is told of, what its path ends with, and its name in the template.
_STORES = (
    ("one JSON file per", "/", "folder"),
    ("one JSON file with", ".json", "file"),
    ("one JSON object per", ".jsonl", "lines"),
    ("SQLite", ".db", "database"),
)
_SEPARATORS = {"hyphen": "-", "slash": "/", "plus sign": "+"}
# What is looked up for a command -> how a sentence states it.
_STATED = {
    "characters": re.compile(r"([\d,]+) characters"),
    "days": re.compile(r"([\d,]+) days"),
    "number": re.compile(r"(?<![\w.$])(\d[\d,]*)(?![\w%]|[.,:]\d)"),
    "release": re.compile(r"\b(\d+(?:\.\d+)+)\b"),
    "shelf": re.compile(r"(?<![\w.$])(\d{3,})(?![\w%]|[.,:]\d)"),
    "day": re.compile(rf"((?:{_MONTHS}) \d+, \d{{4}})"),
    "prefix": re.compile(
        r"(?:is|becomes?|with|gets?|took|as|that|read) ([a-z]{5,})\b|^(\w+) is the prefix"
    ),
}


class Shown(NamedTuple):
    """What a command prints: under which key, how it is made, of which field, and about what."""

    key: str
    kind: str  # how the template makes it
    of: str  # a field, or what stands between value and id
    stated: str  # how notes state the value
    about: str


@dataclass
class ProgramPlan:
    """The program as the requests so far want it."""

    entry: str = ""
    fields: list[dict[str, Any]] = field(default_factory=list)
    store: tuple[str, str, list[str]] = ("folder", "", [])
    old_store: tuple[str, str, list[str]] = ("folder", "", [])
    renamed: tuple[str, str] = ("", "")
    migrates: bool = False
    subset: str = ""
    order: str = ""
    views: dict[str, Shown] = field(default_factory=dict)

    def take(self, request: str) -> None:
        """Extend or change the plan by one request."""
        entry = _ENTRY.search(request)
        if entry:
            self.entry = entry[1]
        if "these fields" in request:
            self._begin(request)
        elif "print like `list`" in request:
            self._take_pair(request)
        elif "JSON object with" in request:
            self._take_view(request)
        elif "`migrate`" in request:
            self._take_migration(request)

    def _begin(self, request: str) -> None:
        told = request.partition("these fields")[2].partition(". ")[0]
        self.fields = [_field(name, about) for name, about in _FIELD.findall(told)]
        self.store = _store(request) or self.store
        self.old_store = self.store

    def _take_pair(self, request: str) -> None:
        for sentence in sentences(request):
            names = [name for name in _CODE.findall(sentence) if "-" in name]
            if not names:
                continue
            if _ONLY.search(sentence):
                self.subset = names[0]
            elif _ALL.search(sentence):
                self.order = names[0]

    def _take_view(self, request: str) -> None:
        view = _VIEW.search(request)
        shown = view and _shown(view[2], view[3])
        if view and shown:
            self.views[view[1]] = shown
        dropped = _DROP.search(request)
        if dropped:
            self.views.pop(dropped[1], None)

    def _take_migration(self, request: str) -> None:
        self.migrates = True
        self.old_store = self.store
        self.renamed = ("", "")
        bounds = _BOUNDS.search(request)
        moved = _store(request)
        if bounds:
            name = next(iter(_CODE.findall(request)), "")
            low, high = int(bounds[1]), int(bounds[2])
            default = _default(request, name, low)
            grade = {"name": name, "kind": "grade", "low": low, "high": high, "default": default}
            self.fields.append(grade)
        elif moved:
            self.store = moved
        else:
            self._rename(_new_name(request.partition(" place among")[0]))

    def _rename(self, name: str) -> None:
        # What may be left out is where a record comes from; no other field is ever renamed.
        for one in self.fields:
            if one["kind"] == "origin":
                self.renamed = (one["name"], name)
                one["name"] = name

    def subjects(self) -> list[str]:
        """What the commands need a value for."""
        return list(dict.fromkeys(shown.about for shown in self.views.values()))

    def program(self, notes: str) -> str:
        """The text of the program; values that commands need stand in the notes."""
        views = {}
        for name, shown in self.views.items():
            value = stated_value(shown, notes)
            if value is not None:
                views[name] = [shown.key, shown.kind, shown.of, value]
        figures = {
            "FIELDS": self.fields,
            "STORE": self.store,
            "OLD_STORE": self.old_store,
            "RENAMED": self.renamed,
            "MIGRATES": self.migrates,
            "SUBSET": self.subset,
            "ORDER": self.order,
            "VIEWS": views,
        }
        lines = [f"{name} = {value!r}" for name, value in figures.items()]
        return _template().replace("# FIGURES", "\n".join(lines))


def is_program_request(text: str) -> bool:
    """Whether a paragraph asks for a program, a command of it or a migration."""
    return _REQUEST.search(text) is not None


def plan_from(lines: Iterable[str]) -> ProgramPlan:
    """The plan that the requests among these lines make, in their order."""
    plan = ProgramPlan()
    for line in lines:
        if is_program_request(line):
            plan.take(line)
    return plan


def stated_value(shown: Shown, notes: str) -> str | None:
    """What the latest sentence of the notes says that states the value; None where none does."""
    found = None
    for sentence in sentences(notes):
        if shown.about not in sentence or is_program_request(sentence):
            continue
        value = _value_in(sentence.replace(shown.about, "it"), shown)
        found = value or found
    return found


def _value_in(sentence: str, shown: Shown) -> str | None:
    if shown.stated == "name":
        name = name_apart(sentence, "Who looks after it, who is its curator?")
        return name if name and " " in name else None
    values = [a or b for a, b in _with_two(_STATED[shown.stated].findall(sentence))]
    values = [value for value in values if value.lower() not in STOPWORDS]
    if not values:
        return None
    value = values[-1]
    if shown.stated == "day":
        return datetime.strptime(value, "%B %d, %Y").date().isoformat()
    if shown.stated == "prefix":
        return value.lower()
    return value.replace(",", "")


def _with_two(found: Sequence[Any]) -> list[tuple[str, str]]:
    return [one if isinstance(one, tuple) else (one, "") for one in found]


def _field(name: str, about: str) -> dict[str, Any]:
    kind = "text"
    if "counted up" in about:
        kind = "id"
    elif "list" in about:
        kind = "labels"
    elif "left out" in about:
        kind = "origin"
    return {"name": name, "kind": kind}


def _store(request: str) -> tuple[str, str, list[str]] | None:
    """Where records are kept, as a request tells it; None where it does not."""
    for words, ending, kind in _STORES:
        if words not in request:
            continue
        tables = _TABLES.search(request)
        for path in _PATH.findall(request):
            if path.endswith(ending):
                return kind, path.rstrip("/"), list(tables.groups()) if tables else []
    return None


def _new_name(words: str) -> str:
    """What something is called from now on."""
    names = _CODE.findall(words) or _BECOMES.findall(words)
    return str(names[-1]) if names else ""


def _default(request: str, name: str, otherwise: int) -> int:
    """The number in the sentence that speaks of the field's default."""
    told = [sentence for sentence in sentences(request) if f"`{name}`" in sentence]
    for sentence in reversed(told):
        numbers = _NUMBER.findall(_CODE.sub("", sentence).rstrip("."))
        if numbers:
            return int(numbers[-1])
    return otherwise


def _shown(key: str, words: str) -> Shown | None:
    """How a command makes what it prints, from the words behind the key."""
    about = _SUBJECT.search(words)
    if about is None:
        return None
    subject = about[0]
    cut = re.search(r"beginning of the (\w+), cut off", words)
    if cut:
        return Shown(key, "cut", cut[1], "characters", subject)
    if "day of the next" in words:
        return Shown(key, "later", "", "days", subject)
    times = re.search(r"number of words of the (\w+) times", words)
    if times:
        return Shown(key, "times", times[1], "number", subject)
    signed = re.search(r"the (\w+), a comma, a blank and the full name", words)
    if signed:
        return Shown(key, "signed", signed[1], "name", subject)
    joined = re.search(r"the (prefix|shelf|release)\b.*, a (hyphen|slash|plus sign) and", words)
    if joined:
        return Shown(key, "joined", _SEPARATORS[joined[2]], joined[1], subject)
    if "written like" in words:
        return Shown(key, "plain", "", "day", subject)
    return None


@cache
def _template() -> str:
    return _TEMPLATE.read_text(encoding="utf-8")
