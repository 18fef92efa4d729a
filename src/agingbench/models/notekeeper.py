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
- A name of words with hyphens between them (`alpine-moss-maps`) is the topic wherever it stands.
- A question opens the file whose name shares most words with it; of equals the one with the
  smaller rest of a name, then the larger file, then the first by name. When no name fits, that is
  the largest file. A question in parts (with a semicolon behind its colon) opens one file for
  each part.
- Told to make at least so many reads ("at least two of them", "at least two reads"), it opens as
  many files for a question, the best-matching ones.

Nothing is ever rewritten: what changes is appended behind what held before.

A fault can be planted (`FAULTS`): one habit of a bad note keeper, so that an instrument can be
checked on an agent whose failure is known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from heapq import nsmallest
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
# A name of several words; "out-of-office" and "seven-year-olds" are none.
_IDENTIFIER = re.compile(r"\b[a-z]\w*(?:-\w+){2,}")
_NOT_IN_NAMES = STOPWORDS | frozenset("year month week day hour minute".split())
LEAST_READS = re.compile(r"\bat least (two|three|four|\d+) (?:of them|reads?|files)\b")
_COUNTS = {"two": 2, "three": 3, "four": 4}
_LIST_ROW = re.compile(r"^(.+) \((\d+) characters\)$", re.MULTILINE)
_CODE = re.compile(r"\w*_\w+|[A-Za-z]\w*\.[A-Za-z]\w*")
_TO_BE = re.compile(r"\b(?:is|are|am|was|were)\b", re.IGNORECASE)
_TOKEN = re.compile(r"\S+")


class NextStep(NamedTuple):
    """What comes next: tool calls; without any, the text, or an answer to `ask` from `context`."""

    calls: tuple[ToolCall, ...] = ()
    ask: str = ""
    context: str = ""
    text: str = ""


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
    reads: int = 1  # files to open for a question, at the least

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
        least_reads(messages),
    )


def least_reads(messages: Sequence[Message]) -> int:
    """How many files the instructions want opened for a question; one where they say nothing."""
    told = LEAST_READS.search(messages[0].content) if messages[0].role == "system" else None
    if told is None:
        return 1
    return _COUNTS.get(told[1]) or int(told[1])


def _results(turn: Sequence[Message]) -> list[tuple[ToolCall, str]]:
    """The tool calls of a turn, each with its result."""
    results = {message.tool_call_id: message.content for message in turn if message.role == "tool"}
    calls = [call for message in turn for call in message.tool_calls]
    return [(call, results.get(call.id, "")) for call in calls]


class ToSave(NamedTuple):
    """What is to be saved: the new text of each file, and all files as they are then."""

    texts: dict[str, str]
    files: list[NoteFile]


def to_save(
    notes: Sequence[str],
    files: Sequence[NoteFile],
    fault: str,
    also: Mapping[str, str] | None = None,
) -> ToSave:
    """Where each note goes; `also` holds what is saved behind the notes, by path."""
    texts: dict[str, str] = {}
    sizes = {file.path: file.size for file in files}
    listed = frozenset(sizes)

    def save(path: str, note: str) -> None:
        if fault == "overwrites":
            path = ONE_FILE
        is_update = path in listed
        if fault == "never_writes" or (fault == "ignores_updates" and is_update):
            return
        texts[path] = texts.get(path, "") + f"{note}\n"
        sizes[path] = sizes.get(path, 0) + len(note)

    for note in notes:
        save(file_for(note, (NoteFile(path, size) for path, size in sizes.items())), note)
    for path, text in (also or {}).items():
        save(path, text)
    return ToSave(texts, [NoteFile(path, size) for path, size in sizes.items()])


def to_open(paths: Iterable[str | None], files: Sequence[NoteFile], fault: str) -> list[str]:
    """The files that are really opened where these are meant."""
    if fault == "never_rereads":
        return []
    if fault == "reads_wrong_file":
        paths = [_beside(path, files) for path in paths]
    return [path for path in dict.fromkeys(paths) if path is not None]


def note_calls(
    place: int, texts: Mapping[str, str], paths: Sequence[str], fault: str
) -> tuple[ToolCall, ...]:
    """The calls that save texts and open files."""
    save = "write_file" if fault == "overwrites" else "append_file"
    steps = [(save, {"path": path, "text": text}) for path, text in texts.items()]
    steps += [("read_file", {"path": path}) for path in paths]
    return tuple(
        ToolCall(f"note-{place}-{number}", name, arguments)
        for number, (name, arguments) in enumerate(steps)
    )


def save_and_open(turn: Turn, files: list[NoteFile], fault: str) -> tuple[ToolCall, ...]:
    """The calls that append each note to its file and open the best files for each question."""
    saving = to_save(turn.notes, files, fault)
    each = -(-turn.reads // max(1, len(turn.questions)))
    wanted = [
        path for question in turn.questions for path in best_files(question, saving.files, each)
    ]
    return note_calls(turn.place, saving.texts, to_open(wanted, saving.files, fault), fault)


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


def file_for(note: str, files: Iterable[NoteFile]) -> str:
    """The path of the file that a statement is saved in."""
    identifier = _identifier(note)
    if identifier:
        return f"{NOTES}{identifier}.md"
    subject = _subject(note)
    topic = name_in(subject or note)
    if topic is None:
        content = _content_words(note)
        of_one_word: dict[frozenset[str], str] = {}
        for file in files:
            of_one_word.setdefault(file.stems, file.path)
        for word in content:
            path = of_one_word.get(frozenset({stem(word)}))
            if path is not None:
                return path
        longest = max(reversed(content), key=len, default="misc")
        word = _content_words(subject)[-1] if subject else longest
        topic = stem(word)
    return f"{NOTES}{topic}.md"


def best_file(question: str, files: Sequence[NoteFile]) -> str | None:
    """The path of the file that a question is looked up in; None when there is none."""
    return next(iter(best_files(question, files, 1)), None)


def best_files(question: str, files: Sequence[NoteFile], count: int) -> list[str]:
    """The paths of the files that fit a question best, the best first."""
    stems = {stem(word) for word in words(question)}

    def unfit(file: NoteFile) -> tuple[int, int, int, str]:
        n_shared = len(file.stems & stems)
        n_others = len(file.stems - stems) if n_shared else 0
        return -n_shared, n_others, -file.size, file.path

    return [file.path for file in nsmallest(count, files, key=unfit)]


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


def _identifier(sentence: str) -> str:
    """The first name of three words or more with hyphens between them; empty without one."""
    for match in _IDENTIFIER.finditer(sentence):
        if not _NOT_IN_NAMES & set(match[0].split("-")):
            return match[0]
    return ""


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
