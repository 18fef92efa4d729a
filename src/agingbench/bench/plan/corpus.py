"""The texts of a scenario, read from the data files beside its code."""

from __future__ import annotations

from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import yaml

from agingbench.bench.plan import templates
from agingbench.bench.plan.filler import Filler
from agingbench.errors import InputError

STATEMENTS = "statements.yaml"
SCENES = "scenes.yaml"
STORYLINES = "storylines.yaml"
ANY = "any"


class Wording(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How one kind of fact is told, asked for, changed and taken back.

    `phrase` names it in a question for several facts. `plain` states it in one sentence that needs
    no other. `cues` are the words of which one stands in every passage about it, and `subject` the
    entities that every passage names.
    """

    phrase: str
    plain: str
    cues: list[str]
    statements: list[str]
    questions: list[str]
    subject: list[str] = []
    updates: list[str] = []
    retractions: list[str] = []
    plain_update: str = ""  # where "Update: " before the plain sentence would not do
    plain_retraction: str = "{Phrase} no longer holds."
    topic: str = ANY
    lasts: bool = False  # it cannot change, as a birthday
    table: list[str] = []  # the heading of a table of such facts, and its row


class Movement(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How one kind of account movement is told; `plain` needs no other sentence."""

    plain: str
    statements: list[str]


class AccountWording(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How accounts are opened, moved and asked for; {name} is the account, {what} a purchase.

    `unit` stands before an amount: a currency sign, or nothing for a count. The ranges bound the
    opening balance, one movement, and what fills up an account that fell below `low`.
    """

    names: list[str]
    purchases: list[str]
    questions: list[str]
    opening: Movement
    paid: Movement
    refunded: Movement
    filled: Movement
    unit: str = "$"
    opening_range: tuple[int, int] = (1600, 2900)
    step_range: tuple[int, int] = (21, 97)
    filling_range: tuple[int, int] = (900, 1500)
    low: int = 500
    topic: str = ANY


class Statements(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file of wordings; `updates` and `retractions` fit every kind and use {phrase}.

    `corrections` stand in for `updates` where a kind `lasts`: it was noted wrongly, not changed.
    `notes` are headings for short lists of facts of any kind. `others` hold, by kind, what is said
    of other people where a fact is about the user: decoys of it.
    """

    kinds: dict[str, Wording]
    updates: list[str]
    retractions: list[str]
    corrections: list[str] = []
    headings: list[str] = []
    notes: list[str] = []
    tasks: list[str] = []
    others: dict[str, list[str]] = {}
    accounts: AccountWording | None = None


class Scene(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A short text of a certain genre with room for facts of its topics.

    Those that `opens` are told first: they bring values of many kinds, so that a guess among the
    values of session 0 is worth little.
    """

    id: str
    genre: str
    text: str
    topics: tuple[str, ...] = (ANY,)
    opens: bool = False

    @property
    def room(self) -> int:
        """How many facts the scene can take."""
        return templates.fact_count(self.text)

    @property
    def length(self) -> int:
        """About how many characters the scene has without its facts."""
        return templates.usual_length(self.text)

    def takes(self, topic: str) -> bool:
        """Tell whether a fact of this topic fits in."""
        return ANY in self.topics or topic == ANY or topic in self.topics


class Storyline(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Something that goes on over sessions; its cast is drawn once and kept to the end."""

    id: str
    cast: dict[str, str]  # name of the slot -> kind of filler
    episodes: list[str]
    topics: tuple[str, ...] = (ANY,)


class Scenes(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file of scenes, with lists of words that its slots may use."""

    scenes: list[Scene]
    lists: dict[str, list[str]] = {}


class Storylines(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file of storylines."""

    storylines: list[Storyline]


class Corpus(msgspec.Struct, frozen=True, dict=True):
    """All texts of a scenario."""

    folder: str
    statements: Statements
    scenes: list[Scene]
    lists: dict[str, list[str]]
    storylines: list[Storyline]

    @cached_property
    def filler(self) -> Filler:
        """Words and values for its gaps that no fact uses, without the circle of any one life."""
        return Filler(self.lists)

    def wording(self, kind: str) -> Wording:
        """Return the wordings of a kind of fact."""
        return self.statements.kinds[kind]


F = TypeVar("F", Statements, Scenes, Storylines)


@lru_cache(maxsize=32)
def load_corpus(folder: Path) -> Corpus:
    """Read the three data files of a folder; raise InputError for anything wrong in them."""
    statements = _read(folder / STATEMENTS, Statements)
    scenes = _read(folder / SCENES, Scenes)
    storylines = _read(folder / STORYLINES, Storylines)
    return Corpus(
        folder=folder.name,
        statements=statements,
        scenes=scenes.scenes,
        lists=scenes.lists,
        storylines=storylines.storylines,
    )


def _read(path: Path, kind: type[F]) -> F:
    # Read in C where the library is there; both give the same.
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        raw = yaml.load(path.read_bytes(), Loader=loader)  # noqa: S506 - a safe loader
        return msgspec.convert(raw, kind)
    except OSError as error:
        raise InputError(f"{path}: cannot read the texts of this scenario: {error}") from error
    except yaml.YAMLError as error:
        raise InputError(f"{path}: not YAML: {error}") from error
    except msgspec.ValidationError as error:
        raise InputError(f"{path}: {error}") from error
