"""The compaction prompts. Lossy and careful are the two endpoints; a prompt's hash goes on the
card.
"""

from __future__ import annotations

import hashlib

from agingbench.errors import UnknownName

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


def compaction_prompt(name: str) -> str:
    """The prompt of that name."""
    if name not in COMPACTION:
        raise UnknownName("compaction prompt", name, COMPACTION)
    return COMPACTION[name]


def prompt_hash(prompt: str) -> str:
    """SHA-256 of a prompt's text."""
    return hashlib.sha256(prompt.encode()).hexdigest()
