"""A judge that asks a model: one claim at a time, yes or no, and a quote that is looked up in the
context.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from agingbench.errors import ContextOverflow, TransportError
from agingbench.interfaces import Model
from agingbench.records import Message
from agingbench.resumption.judges.claim import EpisodeClaim, JudgeRuling
from agingbench.resumption.judges.prompts import JudgePrompts

_OBJECT = re.compile(r"\{.*\}", re.DOTALL)
_ANSWER = re.compile(r"\banswer\b\W{0,4}(yes|no)\b", re.IGNORECASE)
_QUOTE = re.compile(r"\bquote\b\W{0,3}:\s*(.+)", re.IGNORECASE)
MOST_TOKENS = 400


class ModelJudge:
    """A judge in the sense of the interface. What the model says and cannot be read is a failure,
    not a no.
    """

    def __init__(self, model: Model, prompts: JudgePrompts, seed: int = 0) -> None:
        self.name = self.model = model.name
        self.identity = f"model/{model.name}"
        self._model = model
        self._prompts = prompts
        self._seed = seed

    def rule(self, claim: EpisodeClaim, context: str) -> JudgeRuling:
        request = [Message("user", self._prompts.ask(claim, context))]
        try:
            reply = self._model.complete(request, max_tokens=MOST_TOKENS, seed=self._seed)
        except (TransportError, ContextOverflow) as error:
            return JudgeRuling("failed", "", f"{type(error).__name__}: {error}")
        return read_reply(reply.text)

    def again(self, seed: int) -> ModelJudge:
        """The same judge asked a second time."""
        return ModelJudge(self._model, self._prompts, seed)


def read_reply(text: str) -> JudgeRuling:
    """The answer in a reply: a JSON object with answer and quote, or two lines that say the same."""
    for read in _READERS:
        found = read(text)
        if found is not None:
            return found
    return JudgeRuling("failed", "", "the reply holds no answer")


def _from_json(text: str) -> JudgeRuling | None:
    match = _OBJECT.search(text)
    if match is None:
        return None
    try:
        given = json.loads(match[0])
    except (json.JSONDecodeError, RecursionError):
        return None
    answer = str(given.get("answer", "")).strip().casefold()
    if answer not in ("yes", "no"):
        return None
    quote = given.get("quote") or ""
    return JudgeRuling("yes" if answer == "yes" else "no", quote if isinstance(quote, str) else "")


def _from_lines(text: str) -> JudgeRuling | None:
    answer = _ANSWER.search(text)
    quote = _QUOTE.search(text)
    if answer is None:
        return None
    return JudgeRuling(
        "yes" if answer[1].casefold() == "yes" else "no", quote[1].strip() if quote else ""
    )


_READERS: tuple[Callable[[str], JudgeRuling | None], ...] = (_from_json, _from_lines)
