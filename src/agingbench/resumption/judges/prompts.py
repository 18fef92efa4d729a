"""The judge prompts: one Markdown file per component, with one section per question."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from agingbench.cards.resumption import Component
from agingbench.errors import InputError
from agingbench.resumption.judges.claim import COMPONENTS, QUESTIONS, EpisodeClaim
from agingbench.traces.files import read_bytes

_SECTION = re.compile(r"^## (\w+)[ \t]*\n", re.MULTILINE)
PLACES = ("{question}", "{claim}", "{context}")


class JudgePrompts:
    """The three prompts of a folder; their hashes are part of what a gate is bound to."""

    def __init__(self, folder: Path) -> None:
        self.texts: dict[Component, str] = {}
        self.questions: dict[tuple[Component, str], str] = {}
        self.hashes: dict[str, str] = {}
        for component in COMPONENTS:
            self._read(component, folder / f"{component}_judge.md")

    def _read(self, component: Component, path: Path) -> None:
        data = read_bytes(path)
        self.hashes[component] = hashlib.sha256(data).hexdigest()
        try:
            parts = _SECTION.split(data.decode())
        except UnicodeDecodeError as error:
            raise InputError(f"{path}: not UTF-8") from error
        sections = dict(zip(parts[1::2], parts[2::2], strict=True))
        if "prompt" not in sections:
            raise InputError(f"{path}: has no section '## prompt'")
        for place in PLACES:
            if place not in sections["prompt"]:
                raise InputError(f"{path}: the section '## prompt' does not hold {place}")
        self.texts[component] = sections["prompt"].strip()
        for question in QUESTIONS[component]:
            if question not in sections:
                raise InputError(f"{path}: has no section '## {question}'")
            self.questions[component, question] = sections[question].strip()

    def ask(self, claim: EpisodeClaim, context: str) -> str:
        """Return the prompt for one claim."""
        question = self.questions[claim.component, claim.question]
        template = self.texts[claim.component].replace("{question}", question)
        # Split before filling in, so that a claim or context that holds "{context}" stays as it is.
        before, _, rest = template.partition("{claim}")
        middle, _, after = rest.partition("{context}")
        return before + claim.text + middle + context + after
