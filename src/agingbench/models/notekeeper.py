"""How the embedded model uses file tools: it keeps notes, one file per topic, and looks them up
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

A fault can be planted (`FAULTS`): one habit of a bad note keeper, so that an instrument can be
checked on an agent whose failure is known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from agingbench.records import Message, Tool, ToolCall
from agingbench.text.binding import subjects_in
from agingbench.text.forms import asked_form
from agingbench.text.wording import STOPWORDS, sentences, stem, words

NEEDED = frozenset({"list_files", "read_file", "append_file"})
NOTES = "notes/"
ONE_FILE = "notes/notes.md"
SOUND = ""
FAULTS = {
    "never_writes": "saves nothing it is told",
    "never_rereads": "answers without opening its notes",
    "overwrites": "keeps one file and replaces it whenever it saves",
    "reads_wrong_file": "opens the file beside the one that fits the question",
    "ignores_updates": "saves nothing about a topic that has a file already",
}
NO_NAMES = frozenset(
    "i january february march april may june july august september october november december "
    "monday tuesday wednesday thursday friday saturday sunday".split()
)
# Begin a sentence, never a name.
OPENERS = frozenset("add forget note please put remember remove take".split())
_LIST_ROW = re.compile(r"^(.+) \((\d+) characters\)$", re.MULTILINE)
_CODE = re.compile(r"\w*_\w+|[A-Za-z]\w*\.[A-Za-z]\w*")
_TO_BE = re.compile(r"\b(?:is|are|am|was|were)\b", re.IGNORECASE)
_TOKEN = re.compile(r"\S+")


class NextStep(NamedTuple):
    """What comes next: tool calls, or, without any, an answer to `ask` from `context`."""

    calls: tuple[ToolCall, ...] = ()
    ask: str = ""
    context: str = ""


class NoteFile(NamedTuple):
    """A file as the list shows it."""

    path: str
    size: int

    @property
    def stems(self) -> frozenset[str]:
        """The stems of the words in the file's name."""
        return _stems_of_name(self.path)


@lru_cache(maxsize=4096)  # every note is compared with every file of a long life
def _stems_of_name(path: str) -> frozenset[str]:
    name = path.rpartition("/")[2].rpartition(".")[0]
    parts = re.split(r"[-\s]+", name.lower())
    return frozenset(stem(part) for part in parts if part)


class Turn(NamedTuple):
    """The turn that the last user message opened, as a note keeper sees it."""

    place: int  # of the next message; ids are made from it
    notes: tuple[str, ...]  # what is worth keeping of it
    questions: tuple[str, ...]  # what is to be looked up
    ask: str
    in_sight: str  # what the user has said in this conversation, but for `ask`
    results: tuple[tuple[ToolCall, str], ...]  # the calls made in it, each with its result

    def answer_from(self, looked_up: Sequence[str]) -> NextStep:
        """The step that answers: a question from what was looked up, a request from what is in
        sight.
        """
        context = "\n\n".join(looked_up) if self.questions else self.in_sight
        return NextStep((), self.ask, context)


def keeps_notes(tools: Sequence[Tool]) -> bool:
    """Are the file tools offered that note-keeping needs?"""
    return {tool.name for tool in tools} >= NEEDED


def next_step(
    messages: Sequence[Message],
    worth_keeping: Callable[[str], bool],
    is_request: Callable[[str], bool],
    fault: str = SOUND,
) -> NextStep:
    """The next step in the turn that the last user message opened, with a fault if one is named."""
    turn = current_turn(messages, worth_keeping, is_request)
    results = turn.results
    if not results and (turn.notes or turn.questions):
        call = ToolCall(f"note-{turn.place}", "list_files", {})
        return NextStep((call,))
    if [call.name for call, _ in results] == ["list_files"]:
        calls = save_and_open(turn, files_in(results[0][1]), fault)
        if calls:
            return NextStep(calls)
    return turn.answer_from([result for call, result in results if call.name == "read_file"])


def current_turn(
    messages: Sequence[Message],
    worth_keeping: Callable[[str], bool],
    is_request: Callable[[str], bool],
) -> Turn:
    """What there is to save, to look up and to answer since the last user message."""
    start = max(place for place, message in enumerate(messages) if message.role == "user")
    *statements, ask = messages[start].content.split("\n\n")
    notes = [
        sentence
        for statement in statements
        for sentence in sentences(statement)
        if worth_keeping(sentence)
    ]
    questions = [] if is_request(ask) else parts_of(ask)
    earlier = [message.content for message in messages[:start] if message.role == "user"]
    return Turn(
        len(messages),
        tuple(notes),
        tuple(questions),
        ask,
        "\n\n".join([*earlier, *statements]),
        tuple(_results(messages[start + 1 :])),
    )


def _results(turn: Sequence[Message]) -> list[tuple[ToolCall, str]]:
    """The tool calls of a turn, each with its result."""
    results = {message.tool_call_id: message.content for message in turn if message.role == "tool"}
    calls = [call for message in turn for call in message.tool_calls]
    return [(call, results.get(call.id, "")) for call in calls]


def save_and_open(turn: Turn, files: list[NoteFile], fault: str) -> tuple[ToolCall, ...]:
    """The calls that append each note to its file and open the best file for each question."""
    texts: dict[str, str] = {}
    sizes = {file.path: file.size for file in files}
    listed = frozenset(sizes)
    for note in turn.notes:
        path = file_for(note, [NoteFile(path, size) for path, size in sizes.items()])
        if fault == "overwrites":
            path = ONE_FILE
        is_update = path in listed
        if fault == "never_writes" or (fault == "ignores_updates" and is_update):
            continue
        texts[path] = texts.get(path, "") + f"{note}\n"
        sizes[path] = sizes.get(path, 0) + len(note)

    files = [NoteFile(path, size) for path, size in sizes.items()]
    to_open = dict.fromkeys(best_file(question, files) for question in turn.questions)
    if fault == "never_rereads":
        to_open = {}
    if fault == "reads_wrong_file":
        to_open = dict.fromkeys(_beside(path, files) for path in to_open)

    save = "write_file" if fault == "overwrites" else "append_file"
    steps = [(save, {"path": path, "text": text}) for path, text in texts.items()]
    steps += [("read_file", {"path": path}) for path in to_open if path is not None]

    calls: list[ToolCall] = []
    for name, arguments in steps:
        call_id = f"note-{turn.place}-{len(calls)}"
        calls.append(ToolCall(call_id, name, arguments))
    return tuple(calls)


def _beside(path: str | None, files: Sequence[NoteFile]) -> str | None:
    """The path that follows by name; the first one behind the last."""
    paths = sorted(file.path for file in files)
    if path is None:
        return None
    return paths[(paths.index(path) + 1) % len(paths)]


def files_in(text: str) -> list[NoteFile]:
    """The note files that a list of files shows; the rest of the workspace holds no notes."""
    rows = _LIST_ROW.findall(text)
    return [NoteFile(path, int(size)) for path, size in rows if path.startswith(NOTES)]


def parts_of(question: str) -> list[str]:
    """The question without its form line, or what it lists behind its colon."""
    asked = asked_form(question)
    subjects = subjects_in(asked.question, asked.labels)
    if subjects:
        return list(subjects.values())
    if ";" not in asked.question:
        return [asked.question]
    return [part.strip() for part in asked.question.partition(":")[2].split(";")]


def file_for(note: str, files: Sequence[NoteFile]) -> str:
    """The path of the file that a statement is saved in."""
    subject = _subject(note)
    topic = name_in(subject or note)
    if topic is None:
        content = _content_words(note)
        for word in content:
            for file in files:
                if file.stems == {stem(word)}:
                    return file.path
        longest = max(reversed(content), key=len, default="misc")
        word = _content_words(subject)[-1] if subject else longest
        topic = stem(word)
    return f"{NOTES}{topic}.md"


def best_file(question: str, files: Sequence[NoteFile]) -> str | None:
    """The path of the file that a question is looked up in; None when there is none."""
    stems = {stem(word) for word in words(question)}

    def fit(file: NoteFile) -> tuple[int, int, int]:
        n_shared = len(file.stems & stems)
        n_others = len(file.stems - stems) if n_shared else 0
        return n_shared, -n_others, file.size

    best = max((fit(file) for file in files), default=None)
    paths = [file.path for file in files if fit(file) == best]
    return min(paths, default=None)


def name_in(sentence: str) -> str | None:
    """The first name in a sentence as a file name, or None."""
    run: list[str] = []  # capitalised words in a row
    opens = False  # does the run begin the sentence?
    for place, token in enumerate([*_TOKEN.findall(sentence), ""]):
        bare = token.strip("\"'“”‘’()[]*.,;:!?")
        if _CODE.fullmatch(bare):
            return _slug([bare])
        owner = re.split(r"['’]s?$", bare)[0]
        no_names = NO_NAMES if place else NO_NAMES | OPENERS

        if owner[:1].isupper() and stem(owner.lower()) not in no_names:
            opens = opens or place == 0
            run.append(owner)
            if owner == bare and not token.endswith((",", ";", ":", "!", "?")):
                continue

        name = [word for word in run if word.lower() not in STOPWORDS]
        if name and not (opens and name == run[:1]):
            return _slug(name)
        run = []
        opens = False
    return None


def _content_words(sentence: str) -> list[str]:
    """The words that carry meaning and are no dates."""
    content = [word for word in words(sentence) if word.isalpha() and word not in STOPWORDS]
    return [word for word in content if stem(word) not in NO_NAMES]


def _subject(sentence: str) -> str:
    """What stands ahead of the verb "to be"; empty when none of it carries meaning."""
    for verb in _TO_BE.finditer(sentence):
        subject = sentence[: verb.start()]
        if _content_words(subject):
            return subject
    return ""


def _slug(name: Sequence[str]) -> str:
    """The words of a name as a file name."""
    parts = []
    for word in name:
        letters = [char if char.isalnum() or char in "_." else "-" for char in word]
        parts.append("".join(letters).strip("-.").lower())
    return "-".join(parts)
