"""The embedded reader with file tools: it keeps simple notes, one file per topic, and looks them up
when asked.

- A message is a statement part and, as its last paragraph, a request or a question. With nothing
  to save and nothing to look up, no tool is called. Otherwise the files are listed first, and
  then all else happens in one step: what is worth keeping is appended, and for a question the
  best-matching file is opened.
- A statement's topic is the first name in what it speaks of: capitalised words in a row, or one
  word of code (with _ or an inner dot). What it speaks of stands ahead of the first is, are, am,
  was or were, if anything that carries meaning does; otherwise it is the whole sentence. A single
  capitalised word that opens a sentence is no name; OPENERS, months, weekdays and I are none
  either. Without a name, the statement goes to the file that is already named after one of its
  words; failing that, its topic is the last meaning-carrying word of what it speaks of ahead of
  the verb, or else its longest one, the later of equals.
- A question opens the file whose name shares most words with it; of equals the one with the
  smaller rest of a name, then the larger file, then the first by name. When no name fits, that is
  the largest file. A question in parts (with a semicolon behind its colon) opens one file for
  each part.

Nothing is ever rewritten: what changes is appended behind what held before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from agingbench.records import Message, Tool, ToolCall
from agingbench.text.wording import STOPWORDS, sentences, stem, words

NEEDED = frozenset({"list_files", "read_file", "append_file"})
NOTES = "notes/"
NO_NAMES = frozenset(
    "i january february march april may june july august september october november december "
    "monday tuesday wednesday thursday friday saturday sunday".split()
)
OPENERS = frozenset(
    "add forget note please put remember remove take".split()
)  # begin a sentence, never a name
_LISTED = re.compile(r"^(.+) \((\d+) characters\)$", re.MULTILINE)
_CODE = re.compile(r"\w*_\w+|[A-Za-z]\w*\.[A-Za-z]\w*")
_TO_BE = re.compile(r"\b(?:is|are|am|was|were)\b", re.IGNORECASE)
_TOKEN = re.compile(r"\S+")


class Step(NamedTuple):
    """What comes next: tool calls, or, without any, an answer to `ask` from `context`."""

    calls: tuple[ToolCall, ...] = ()
    ask: str = ""
    context: str = ""


class File(NamedTuple):
    """A file as the list shows it."""

    path: str
    size: int

    @property
    def stems(self) -> frozenset[str]:
        name = self.path.rpartition("/")[2].rpartition(".")[0]
        return frozenset(stem(w) for w in re.split(r"[-\s]+", name.lower()) if w)


def keeps_notes(tools: Sequence[Tool]) -> bool:
    """Are the file tools offered that note-keeping needs?"""
    return {tool.name for tool in tools} >= NEEDED


def next_step(
    messages: Sequence[Message],
    worth_keeping: Callable[[str], bool],
    is_request: Callable[[str], bool],
) -> Step:
    """The next step in the turn that the last user message opened."""
    begun = max(place for place, message in enumerate(messages) if message.role == "user")
    *told, ask = messages[begun].content.split("\n\n")
    notes = [s for part in told for s in sentences(part) if worth_keeping(s)]
    asked = [] if is_request(ask) else parts_of(ask)
    done = _results(messages[begun + 1 :])
    if not done and (notes or asked):
        return Step((ToolCall(f"note-{len(messages)}", "list_files", {}),))
    if [call.name for call, _ in done] == ["list_files"]:
        calls = _save_and_open(notes, asked, listed(done[0][1]), len(messages))
        if calls:
            return Step(calls)
    opened = [result for call, result in done if call.name == "read_file"]
    said = [m.content for m in messages[:begun] if m.role == "user"]
    return Step((), ask, "\n\n".join(opened if asked else [*said, *told]))


def _results(turn: Sequence[Message]) -> list[tuple[ToolCall, str]]:
    told = {m.tool_call_id: m.content for m in turn if m.role == "tool"}
    return [(call, told.get(call.id, "")) for m in turn for call in m.tool_calls]


def _save_and_open(
    notes: Sequence[str], asked: Sequence[str], files: list[File], turn: int
) -> tuple[ToolCall, ...]:
    saved: dict[str, list[str]] = {}
    sizes = {file.path: file.size for file in files}
    for note in notes:
        path = file_for(note, [File(p, s) for p, s in sizes.items()])
        saved.setdefault(path, []).append(note)
        sizes[path] = sizes.get(path, 0) + len(note)
    known = [File(path, size) for path, size in sizes.items()]
    opened = dict.fromkeys(found for part in asked if (found := best_file(part, known)) is not None)
    wanted = [
        ("append_file", {"path": path, "text": "".join(f"{s}\n" for s in some)})
        for path, some in saved.items()
    ]
    wanted += [("read_file", {"path": path}) for path in opened]
    return tuple(
        ToolCall(f"note-{turn}-{n}", name, arguments) for n, (name, arguments) in enumerate(wanted)
    )


def listed(text: str) -> list[File]:
    """The note files that a list shows; the rest of the workspace holds no notes."""
    return [File(p, int(size)) for p, size in _LISTED.findall(text) if p.startswith(NOTES)]


def parts_of(question: str) -> list[str]:
    """The question, or what it lists behind its colon."""
    return (
        [p.strip() for p in question.partition(":")[2].split(";")]
        if ";" in question
        else [question]
    )


def file_for(note: str, files: Sequence[File]) -> str:
    """Where a statement is saved."""
    ahead = _subject(note)
    topic = name_in(ahead or note)
    if topic is None:
        content = _content(note)
        held = [file.path for word in content for file in files if file.stems == {stem(word)}]
        if held:
            return held[0]
        topic = stem(
            _content(ahead)[-1] if ahead else max(reversed(content), key=len, default="misc")
        )
    return f"{NOTES}{topic}.md"


def best_file(question: str, files: Sequence[File]) -> str | None:
    """Which file a question is looked up in; None when there is none."""
    wanted = {stem(w) for w in words(question)}

    def fit(file: File) -> tuple[int, int, int]:
        shared = len(file.stems & wanted)
        return shared, -len(file.stems - wanted) if shared else 0, file.size

    best = max((fit(file) for file in files), default=None)
    return min((f.path for f in files if fit(f) == best), default=None)


def name_in(sentence: str) -> str | None:
    """The first name in a sentence as a file name, or None."""
    run: list[str] = []
    opens = False  # does the run begin the sentence?
    for place, token in enumerate([*_TOKEN.findall(sentence), ""]):
        bare = token.strip("\"'“”‘’()[]*.,;:!?")
        if _CODE.fullmatch(bare):
            return _slug([bare])
        owner = re.split(r"['’]s?$", bare)[0]
        barred = NO_NAMES if place else NO_NAMES | OPENERS
        if owner[:1].isupper() and stem(owner.lower()) not in barred:
            opens = opens or place == 0
            run.append(owner)
            if owner == bare and not token.endswith((",", ";", ":", "!", "?")):
                continue
        kept = [w for w in run if w.lower() not in STOPWORDS]
        if kept and not (opens and kept == run[:1]):
            return _slug(kept)
        run = []
        opens = False
    return None


def _content(sentence: str) -> list[str]:
    return [
        w for w in words(sentence) if w.isalpha() and w not in STOPWORDS and stem(w) not in NO_NAMES
    ]


def _subject(sentence: str) -> str:
    # What stands ahead of the verb "to be"; nothing when none of it carries meaning.
    verbs = [sentence[: verb.start()] for verb in _TO_BE.finditer(sentence)]
    return next((ahead for ahead in verbs if _content(ahead)), "")


def _slug(name: Sequence[str]) -> str:
    return "-".join(
        "".join(c if c.isalnum() or c in "_." else "-" for c in w).strip("-.").lower() for w in name
    )
