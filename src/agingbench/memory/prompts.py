"""The compaction prompts. Lossy and careful are the two endpoints; a prompt's hash goes on the
card. A prompt of one's own is its text, with `{text}` and `{words}` in it, or a file that holds it.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from agingbench.errors import InputError, UnknownName

COMPACTION: dict[str, str] = {
    "lossy": (
        "Condense the notes below into one brief paragraph of at most {words} words. Give the most"
        " important points and keep it short.\n\n<text>\n{text}\n</text>"
    ),
    "careful": (
        "Condense the notes below to at most {words} words. Some things must stay exactly as they"
        " are written:\n- every budget figure and amount of money, with its sign\n- every deadline"
        " and date, with month and day\n- every named person and what they have to do with it\n-"
        " every technical constraint, version and number\nLeave out no rule that is named. Write"
        " plainly, be brief but complete.\n\n<text>\n{text}\n</text>"
    ),
}


TEXT = "{text}"
WORDS = "{words}"
SUFFIXES = (".txt", ".md")


def compaction_prompt(name: str) -> str:
    """The prompt of that name, or the text itself where it is a prompt of one's own.

    Raises InputError for a name that nobody knows and for a prompt without its two places.
    """
    if name in COMPACTION:
        return COMPACTION[name]
    if TEXT not in name and WORDS not in name:
        raise UnknownName("compaction prompt", name, COMPACTION)
    for place in (TEXT, WORDS):
        if name.count(place) != 1:
            raise InputError(f"a compaction prompt of your own needs {place} in it, once")
    return name


def read_prompt(prompt: str) -> str:
    """The prompt that an option names: a name, a text, or the text in a .txt or .md file."""
    if not prompt.endswith(SUFFIXES) or TEXT in prompt:
        return prompt
    try:
        return Path(prompt).expanduser().read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"prompt file {prompt}: {error}") from error


def filled(prompt: str, words: int, text: str) -> str:
    """A prompt with the budget and the text in their places."""
    return compaction_prompt(prompt).replace(WORDS, str(words)).replace(TEXT, text)


def prompt_hash(prompt: str) -> str:
    """SHA-256 of a prompt's text."""
    return hashlib.sha256(prompt.encode()).hexdigest()
