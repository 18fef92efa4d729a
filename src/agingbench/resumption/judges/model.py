"""A judge that asks a model: one claim at a time, yes or no, with a quote from the context."""

from __future__ import annotations

import json
import re

from agingbench.errors import ContextOverflow, TransportError
from agingbench.interfaces import Judge, Model
from agingbench.records import Message
from agingbench.resumption.judges.claim import EpisodeClaim, JudgeRuling
from agingbench.resumption.judges.prompts import JudgePrompts

_OBJECT = re.compile(r"\{.*\}", re.DOTALL)
_ANSWER = re.compile(r"\banswer\b\W{0,4}(yes|no)\b", re.IGNORECASE)
_QUOTE = re.compile(r"\bquote\b\W{0,3}:\s*(.+)", re.IGNORECASE)
MOST_TOKENS = 400


class ModelJudge(Judge):
    """Asks a model; a reply that cannot be read is a failure, not a no."""

    def __init__(self, model: Model, prompts: JudgePrompts, seed: int = 0) -> None:
        self.name = self.model = model.name
        self.identity = f"model/{model.name}"
        self._model = model
        self._prompts = prompts
        self._seed = seed

    def rule(self, claim: EpisodeClaim, context: str) -> JudgeRuling:
        """Ask the model about one claim."""
        request = [Message("user", self._prompts.ask(claim, context))]
        try:
            reply = self._model.complete(request, max_tokens=MOST_TOKENS, seed=self._seed)
        except (TransportError, ContextOverflow) as error:
            return JudgeRuling("failed", "", f"{type(error).__name__}: {error}")
        return read_reply(reply.text)

    def again(self, seed: int) -> ModelJudge:
        """Return the same judge with another seed, to be asked a second time."""
        return ModelJudge(self._model, self._prompts, seed)


def read_reply(text: str) -> JudgeRuling:
    """Return the answer in a reply: a JSON object with answer and quote, or two such lines."""
    ruling = _read_json(text) or _read_lines(text)
    if ruling is None:
        return JudgeRuling("failed", "", "the reply holds no answer")
    return ruling


def _read_json(text: str) -> JudgeRuling | None:
    match = _OBJECT.search(text)
    if match is None:
        return None
    try:
        reply = json.loads(match[0])
    except (json.JSONDecodeError, RecursionError):
        return None
    quote = reply.get("quote")
    return _ruling(str(reply.get("answer", "")), quote if isinstance(quote, str) else "")


def _read_lines(text: str) -> JudgeRuling | None:
    answer = _ANSWER.search(text)
    if answer is None:
        return None
    quote = _QUOTE.search(text)
    return _ruling(answer[1], quote[1].strip() if quote else "")


def _ruling(answer: str, quote: str) -> JudgeRuling | None:
    match answer.strip().casefold():
        case "yes":
            return JudgeRuling("yes", quote)
        case "no":
            return JudgeRuling("no", quote)
        case _:
            return None
