"""Statements that read like facts of a life and are about things that nobody ever asks for.

Each is told in the words of a real note, about a subject whose name differs in one word, or tells
of a rule like the user's that somebody else has; no fact of the life holds its value. A search by
words then finds competitors, and a summary has less room for what will be asked.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import NamedTuple

from agingbench.bench.plan.content import MOST_DRAWS, Content, Draft
from agingbench.bench.plan.pools import Member
from agingbench.bench.plan.split import SPLIT_KINDS
from agingbench.text.values import Value

MODELS = 24  # how many of the latest notes decoys are modelled on
OF_OTHERS = 0.3  # how many decoys tell what somebody else has, where the corpus can say it


class Model(NamedTuple):
    """What decoys are drafted from: a draft and the value of the real note behind it."""

    draft: Draft
    real: Value


class Decoy(NamedTuple):
    """What a session says of something that nobody asks for, in one of these wordings."""

    draft: Draft
    value: Value
    wordings: Sequence[str]
    is_new: bool = False  # about a subject of its own, told for the first time
    is_of_other: bool = False  # about somebody who is no friend of the user


class Decoys:
    """Drafts the decoys of one life, each modelled on one of its latest notes."""

    def __init__(self, content: Content, update_rate: float) -> None:
        self.content = content
        self.update_rate = update_rate  # decoys change as often as facts do
        self.models: deque[Model] = deque(maxlen=MODELS)
        self.standing: list[Model] = []  # facts about the user that others have the like of
        self.told: deque[Model] = deque(maxlen=MODELS)  # decoys that may change
        self.fresh: list[Model] = []  # decoys of the session under way

    def begin(self) -> None:
        """Begin a session: what earlier ones told may change in it."""
        self.told += [model for model in self.fresh if model.draft.change]
        self.fresh = []

    def follow(self, draft: Draft, value: Value) -> None:
        """Take note of a note that decoys may be modelled on."""
        if draft.group is not None or not draft.statements:
            return
        if self._subjects(draft):
            self.models.append(Model(draft, value))
        elif draft.domain in self.content.corpus.statements.others:
            self.standing.append(Model(draft, value))

    def draft(self, rng: Random) -> Decoy | None:
        """Draft one decoy, new or changed; None where what it came upon allows of none."""
        is_new = False
        is_of_other = False
        if self.told and rng.random() < self.update_rate:
            place = rng.randrange(len(self.told))
            model = self.told[place]
            del self.told[place]
            draft: Draft | None = model.draft
            wordings = model.draft.updates
        elif self.standing and rng.random() < OF_OTHERS:
            is_of_other = True
            model = rng.choice(self.standing)
            draft = replace(model.draft, change="")  # nobody says again whose it is
            wordings = self.content.corpus.statements.others[draft.domain]
        elif self.models:
            is_new = True
            model = rng.choice(self.models)
            draft = self._renamed(rng, model.draft)
            wordings = model.draft.statements
        else:
            return None

        value = self._value(rng, model)
        if draft is None or value is None:
            return None
        self.fresh.append(Model(draft, model.real))
        return Decoy(draft, value, wordings, is_new, is_of_other)

    def _renamed(self, rng: Random, draft: Draft) -> Draft | None:
        words = self.content.decoy_words(draft.words)
        for name in self._subjects(draft):
            like = self._like(rng, name)
            if like is None:
                return None
            words = {slot: word.replace(name, like) for slot, word in words.items()}
        return replace(draft, words=words)

    def _subjects(self, draft: Draft) -> list[str]:
        # Words that the note does not use are those of others that were drafted with it.
        names = [name for name in dict.fromkeys(draft.words.values()) if name in draft.say]
        spaces = self.content.subjects
        return [name for name in names if any(space.has_taken(name) for space in spaces)]

    def _like(self, rng: Random, name: str) -> str | None:
        for space in self.content.subjects:
            if space.has_taken(name):
                return space.near(rng, name)
        return None

    def _value(self, rng: Random, model: Model) -> Value | None:
        # One that only filler may state, or a name that is never taken.
        draw = model.draft.draw
        if isinstance(draw, Member):
            like = draw.space.near(rng, model.real.text)
            return None if like is None else Value(model.real.kind, like)
        if model.real.kind not in SPLIT_KINDS:
            return None
        for _ in range(MOST_DRAWS):
            value = draw(rng, ())
            if self.content.split.is_filler(value):
                return value
        return None
