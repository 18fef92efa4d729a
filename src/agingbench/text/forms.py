"""The form of an answer: the line that asks for it, and what a reply puts on that line.

A question ends with one line, such as `Finish with one line "Answer: <value>" …`. The last such
line of a reply counts; markdown, JSON, a line break after the colon and thinking before it do not
matter. `closing_line` reads lines with another first word (`Decision: …`) by the same rules.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

FORMS: Final = ("value", "amount", "choice", "list", "pairs")
UNKNOWN: Final = "unknown"

_ASKS = re.compile(
    r'\s*Finish with one line "Answer: (?P<body>[^"\n]*)"'
    r' \(or "Answer: unknown" if you do not know\)\.?'
)
_BLANKS = {"<value>": "value", "<amount>": "amount", "a; b; c": "list"}


class AskedForm(NamedTuple):
    """A question without its form line, and the form that the line asks for ("" without one)."""

    question: str
    form: str = ""
    labels: tuple[str, ...] = ()
    options: tuple[str, ...] = ()


def form_line(form: str, labels: Sequence[str] = (), options: Sequence[str] = ()) -> str:
    """The sentence that asks for an answer in this form."""
    for body, name in _BLANKS.items():
        if form == name:
            return _asking(body)

    body = "; ".join(f"{label} = <value>" for label in labels)
    if form == "choice":
        body = f"<{' or '.join(options)}>; {body}"
    return _asking(body)


def _asking(body: str) -> str:
    return f'Finish with one line "Answer: {body}" (or "Answer: unknown" if you do not know).'


def asked_form(prompt: str) -> AskedForm:
    """Read a question with its form line; without one the whole text is the question."""
    line = _ASKS.search(prompt)
    if line is None:
        return AskedForm(prompt)

    question = prompt[: line.start()]
    body = line["body"]
    if body in _BLANKS:
        return AskedForm(question, _BLANKS[body])

    first, *rest = body.split("; ")
    options: tuple[str, ...] = ()
    if "=" in first:
        rest = [first, *rest]
    else:
        options = tuple(first.strip("<>").split(" or "))
    labels = tuple(part.partition(" = ")[0] for part in rest)
    return AskedForm(question, "choice" if options else "pairs", labels, options)


def bare_question(prompt: str) -> str:
    """The question without its form line: what a memory is searched for."""
    return asked_form(prompt).question


def in_form(
    form: str,
    parts: Sequence[str],
    labels: Sequence[str] = (),
    choice: str = UNKNOWN,
) -> str:
    """The line that answers in this form; `parts` holds one text per value."""
    if form in ("pairs", "choice"):
        body = "; ".join(f"{label} = {part}" for label, part in zip(labels, parts, strict=True))
        if form == "choice":
            body = f"{choice}; {body}"
    else:
        body = "; ".join(parts)
    return f"Answer: {body or UNKNOWN}"


# -- reading a reply

_THINKING = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_THOUGHT_END = re.compile(r"</(?:think|thinking|reasoning)>", re.IGNORECASE)
_ANSWER_TAG = re.compile(r"<(?:final_)?answer>(.*?)(?:</(?:final_)?answer>|\Z)", re.DOTALL | re.I)
_BREAK_TAG = re.compile(r"<br\s*/?>", re.IGNORECASE)
_TAG = re.compile(r"</?(?:b|i|u|p|em|strong|code|span|ul|ol|li|pre|div|mark)\s*/?>", re.IGNORECASE)
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[^\n`]*$", re.MULTILINE)
_BOXED = re.compile(r"\\(?:boxed|text|mathrm|textbf)\s*\{([^{}]*)\}")
_MATH = re.compile(r"\\[()\[\]]|\$\$")
_ESCAPE = re.compile(r"\\([_*#$%&`~\[\](){}<>|.!+-])")
_HEADING = re.compile(r"^[ \t]*(?:>[ \t]*)*#{1,6}[ \t]+|^[ \t]*(?:>[ \t]*)+", re.MULTILINE)
_BULLET = re.compile(r"^[ \t]*(?:[*•‣▪◦●·+]|[-–—])[ \t]+", re.MULTILINE)
_NUMBERED = re.compile(r"^[ \t]*(?:\(?\d{1,2}[.)]|\#\d{1,2}[.:)])[ \t]+(?=\S)", re.MULTILINE)
_STRUCK = re.compile(r"~~[^~\n]+~~|<(s|del|strike)>.*?</\1>", re.IGNORECASE)
_EMPHASIS = re.compile(r"\*{1,3}|`+|~~|(?<!\w)_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w)")
_LINK = re.compile(r"\[([^\]\n]+)\]\([^)\s]*\)")
_RULE = re.compile(r"^[ \t|:+-]*-{3,}[ \t|:+-]*$", re.MULTILINE)


@lru_cache(maxsize=4096)
def readable(reply: str) -> str:
    """A reply without thinking, mark-up, list markers and the form line that it may repeat."""
    text = _without_thinking(reply)
    text = _ASKS.sub(" ", text)
    text = _JSON_FENCE.sub(lambda block: _flat_json(block[1]) or block[1], text)
    text = _flat_json(text) or text

    text = _ANSWER_TAG.sub(r"\nAnswer: \1\n", text)
    text = _STRUCK.sub(" ", text)
    text = _BREAK_TAG.sub("\n", text)
    text = _TAG.sub("", text)
    text = _FENCE.sub("", text)
    text = _RULE.sub("", text)
    text = _BOXED.sub(r"\1", text)
    text = _MATH.sub(" ", text)
    text = _ESCAPE.sub(r"\1", text)
    text = _HEADING.sub("", text)
    text = _BULLET.sub("- ", text)
    text = re.sub(r"^- (?=\(?\d{1,2}[.)] )", "", text, flags=re.MULTILINE)
    text = _NUMBERED.sub("- ", text)
    text = _LINK.sub(r"\1", text)
    text = _EMPHASIS.sub("", text)
    return text.strip()


def _without_thinking(reply: str) -> str:
    text = reply.replace("\r\n", "\n").replace("\r", "\n")
    text = _THINKING.sub("", text)
    ends = [match.end() for match in _THOUGHT_END.finditer(text)]
    return text[ends[-1] :] if ends else text


_JSON_FENCE = re.compile(r"^[ \t]*```(?:json)?[ \t]*\n(\s*[{\[].*?)\n[ \t]*```", re.DOTALL | re.M)
_SECOND_KEY = re.compile(r"(?:alternative|alternate|second|other|backup)", re.IGNORECASE)
_ANSWER_KEYS = ("answer", "final_answer", "final answer", "finalanswer")


def _flat_json(text: str) -> str | None:
    """The content of a text that is JSON as a line of text; None for any other text."""
    stripped = text.strip()
    if stripped[:1] not in ("{", "[") or stripped[-1:] not in ("}", "]"):
        return None
    try:
        content = json.loads(stripped)
    except ValueError:
        return None

    if isinstance(content, dict):
        for name, value in content.items():
            if name.casefold().strip() in _ANSWER_KEYS:
                others = {k: v for k, v in content.items() if k != name}
                second = [v for k, v in others.items() if _SECOND_KEY.match(k) and v]
                answer = " or ".join(_flat(part) for part in (value, *second))
                return f"{_flat(others)}\nAnswer: {answer}"
    return _flat(content)


def _flat(content: Any) -> str:
    if content is None:
        return UNKNOWN
    if isinstance(content, dict):
        return "; ".join(f"{name} = {_flat(value)}" for name, value in content.items())
    if isinstance(content, list):
        return "; ".join(_flat(value) for value in content)
    return str(content)


_LEAD = (
    r"(?:(?:my|the|your|final|short|full|current|correct|corrected|updated|revised|new|actual)"
    r"\s+){0,3}"
)
_BEFORE = r"(?:^[^\w\n]*|[.!?;:)\]\"'”’…—–-][ \t]*|\n[^\w\n]*)"
_BEHIND = r"[\"'”’]?[ \t]*(?:\([^)\n]{0,40}\)[ \t]*)?(?:is[ \t]*|would be[ \t]*)?"
_MARK = r"(?:[ \t]?(?:→|->|=>)|[:：=]|[ \t][–—-]+(?=[ \t]))"
_LABEL = (
    r"(?:[\"'(\[]?[A-Za-z][\"')\]]?[ \t]*[=:]"
    r"|(?:first|now|choice|then|current|at first)[ \t]*[=:])"
)
_LABELLED = re.compile(rf"[ \t]*{_LABEL}", re.IGNORECASE)
_CONTINUES = re.compile(rf"[ \t]*(?:- |\|[ \t]*\w|{_LABEL})", re.IGNORECASE)


@lru_cache(maxsize=16)
def _line_pattern(word: str) -> re.Pattern[str]:
    capital = word.capitalize()
    loose = rf"{_BEFORE}(?i:{_LEAD}{word}{_BEHIND}){_MARK}"
    inside = rf"(?<=[ \t])(?:Final[ \t]+)?(?:{capital}|{word.upper()}){_BEHIND}:"
    return re.compile(rf"(?:{loose}|{inside})(?P<rest>[^\n]*)", re.MULTILINE)


_OR_ELSE = re.compile(
    r"(?<!\w)(?:or(?:\s+else)?|alternatively|otherwise|maybe|perhaps|possibly)\W*$", re.IGNORECASE
)
_ALTERNATIVE = re.compile(
    r"\W*(?:(?:al)?though\s+|but\s+)?(?:(?:it|that|this)\s+)?(?:or|alternatively|otherwise|maybe|perhaps"
    r"|possibly|unless|if\s+not|(?:could|might|may)\s+(?:also|be)|also\s+possible"
    r"|if\s+(?:that|it|this)(?:'s|\s+is|\s+was)\s+(?:not|wrong|off)"
    r"|(?:second|other|another)\s+(?:guess|option|possibility))(?!\w)"
    r"|(?:[^.!?\n]|\.(?=\w)){1,60}\s(?:is|are|seems)\s+(?:also\s+|equally\s+|just\s+as\s+)?"
    r"(?:possible|plausible|likely)(?:\s+too|\s+as\s+well)?\W*$",
    re.IGNORECASE,
)


@lru_cache(maxsize=4096)
def closing_line(reply: str, word: str = "answer") -> str | None:
    """What the last `Answer:` line (or that of another word) says; None when there is none."""
    text = readable(reply)
    last = before = None
    at = 0
    pattern = _line_pattern(word)
    while (line := pattern.search(text, at)) is not None:
        last, before = line, last
        at = line.start("rest")
    if last is None:
        return None

    rest = last["rest"].strip()
    if before is not None:
        between = text[before.start("rest") : last.start()]
        if _OR_ELSE.search(between):  # two lines joined by "or" are one answer with two values
            rest = f"{_trimmed(_OR_ELSE.sub('', between))} or {rest}"
    below = text[last.end() :].split("\n")[1:]
    says_something = re.search(r"[\w?]", rest) is not None
    lines = [rest, *_continuation(rest, below)] if says_something else _paragraph(below)
    return _trimmed("; ".join(line.removeprefix("- ").strip() for line in lines))


def _continuation(rest: str, below: Sequence[str]) -> list[str]:
    """The lines right below that go on with a list, with labelled parts or with another value."""
    lines = []
    for line in below:
        if not _CONTINUES.match(line):
            break
        lines.append(line.strip())
    following = next((line for line in below[len(lines) :] if line.strip()), "")
    both_ask = rest.endswith("?") and following.rstrip().endswith("?")
    goes_on = rest.endswith(",")
    if both_ask or goes_on or _ALTERNATIVE.match(following):
        lines.append(following.strip())
    return lines


def _paragraph(below: Sequence[str]) -> list[str]:
    """The first lines below that are not blank."""
    lines: list[str] = []
    for line in below:
        if re.search(r"\w", line):
            goes_on = _CONTINUES.match(line) and (not lines or _CONTINUES.match(lines[-1]))
            opens = len(lines) == 1 and _LABELLED.match(line)  # a choice, and its values below
            if lines and not (goes_on or opens):
                break
            lines.append(line.strip())
        elif lines:
            break
    return lines


def _trimmed(content: str) -> str:
    """The content of a line without the quotes and punctuation around it."""
    content = content.strip()
    while content and content[-1] in " \t.,;:!\"'”’`*|}":
        content = content[:-1]
    while content and content[0] in " \t,;:\"'“‘`*|{":
        content = content[1:]
    return content
