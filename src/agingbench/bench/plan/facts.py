"""What is true in a life: facts with their versions, links, lists, look-alikes and accounts."""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property, lru_cache
from typing import Any

import msgspec

from agingbench.text import matching, wording
from agingbench.text.values import Value


def seen_by(point: int) -> int:
    """How many sessions a probe at this point may know: point 0 is asked inside session 0."""
    return max(point, 1)


class Version(msgspec.Struct, frozen=True):
    """One value of a fact, from the session whose text stated it in this sentence."""

    session: int
    value: Value
    sentence: str


class Fact(msgspec.Struct):
    """One thing the user told; a sentence is about it if it names each word of `subject`."""

    id: str
    family: str  # constraint, note, list, pair, link
    domain: str
    subject: tuple[str, ...]
    phrase: str  # how a question names it: "my monthly dining budget"
    question: str
    versions: list[Version]
    retracted_at: int | None = None
    retraction: str | None = None
    group: str | None = None  # the list it belongs to
    partner: str | None = None  # its look-alike
    points_to: str | None = None  # the fact its value leads to

    @property
    def born(self) -> int:
        return self.versions[0].session

    def at(self, point: int) -> Version | None:
        """The version that holds at a point; None before birth and after retraction."""
        seen = seen_by(point)
        if self.retracted_at is not None and self.retracted_at < seen:
            return None
        current = None
        for version in self.versions:
            if version.session >= seen:
                break
            current = version
        return current

    def stale_at(self, point: int) -> list[Value]:
        """Values that the text once stated and that no longer hold at this point."""
        seen = seen_by(point)
        told = [v.value for v in self.versions if v.session < seen]
        current = self.at(point)
        return told if current is None else [v for v in told if v != current.value]

    def depth_at(self, point: int) -> int:
        """How many versions were told by this point."""
        return sum(v.session < seen_by(point) for v in self.versions)


class Delta(msgspec.Struct, frozen=True):
    """One movement of an account, as its sentence states it: minus is money that left."""

    session: int
    amount: int
    sentence: str


class Account(msgspec.Struct, dict=True):
    """A running balance: an opening amount and signed movements, all of them stated in the text."""

    id: str
    name: str
    question: str
    session: int
    opening: int
    sentence: str
    deltas: list[Delta]
    partner: str | None = None

    def balance(self, point: int) -> int | None:
        """Opening balance plus every movement told by this point; None before the account exists."""
        seen = seen_by(point)
        if self.session >= seen:
            return None
        return self._balances()[self._told(seen)]

    def earlier_balances(self, point: int, most: int = 6) -> list[int]:
        """Balances that held before and hold no more, the latest ones."""
        now = self.balance(point)
        past = self._balances()[: self._told(seen_by(point)) + 1]
        return [b for b in dict.fromkeys(past) if b != now][-most:]

    def _told(self, seen: int) -> int:
        return bisect_left(self.deltas, seen, key=lambda delta: delta.session)

    def _balances(self) -> list[int]:
        # After no movement, one, two …; kept, since a life asks at every point and the list only
        # grows.
        kept: list[int] = self.__dict__.setdefault("balances", [])
        if len(kept) > len(self.deltas) + 1 or kept[:1] != [self.opening]:
            kept[:] = [self.opening]
        for delta in self.deltas[len(kept) - 1 :]:
            kept.append(kept[-1] + delta.amount)
        return kept


class FactGraph(msgspec.Struct, dict=True):
    """All facts and accounts of a life."""

    facts: list[Fact] = []
    accounts: list[Account] = []

    @cached_property
    def by_id(self) -> dict[str, Fact]:
        return {fact.id: fact for fact in self.facts}

    @cached_property
    def account_by_id(self) -> dict[str, Account]:
        return {account.id: account for account in self.accounts}

    @cached_property
    def _spans(self) -> dict[tuple[str, str], list[tuple[int, int, Value]]]:
        # (kind, key) -> when each value with that key was live: [first point, first point after)
        spans: dict[tuple[str, str], list[tuple[int, int, Value]]] = {}
        for fact in self.facts:
            ends = [v.session for v in fact.versions[1:]] + [fact.retracted_at]
            for version, end in zip(fact.versions, ends, strict=True):
                key = matching.key(version.value)
                if key is not None:
                    last = 10**9 if end is None else end + 1
                    spans.setdefault((version.value.kind, key), []).append(
                        (version.session + 1, last, version.value)
                    )
        return spans

    def live_values_in(self, answer: str, kind: str, point: int) -> list[Value]:
        """Values of this kind that hold at the point and whose key the answer carries."""
        seen = seen_by(point)
        found = []
        for key in sorted(matching.keys(answer, kind)):
            found += [
                v for first, after, v in self._spans.get((kind, key), ()) if first <= seen < after
            ]
        return list(dict.fromkeys(found))

    def live(self, point: int) -> list[Fact]:
        """The facts that hold at a point."""
        return [fact for fact in self.facts if fact.at(point) is not None]

    def summary(self) -> dict[str, Any]:
        """The structure in numbers: what the dials moved."""
        lengths = [len(f.versions) for f in self.facts]
        return {
            "facts": len(self.facts),
            "updates": sum(lengths) - len(lengths),
            "longest_chain": max(lengths, default=0),
            "retractions": sum(f.retracted_at is not None for f in self.facts),
            "confusable_pairs": len(
                {frozenset((f.id, f.partner)) for f in self.facts if f.family == "pair"}
            ),
            "links": sum(f.points_to is not None for f in self.facts),
            "accounts": len(self.accounts),
            "deltas": sum(len(a.deltas) for a in self.accounts),
        }


class Reading:
    """A text split and indexed once, so that many facts can be looked up in it."""

    def __init__(self, text: str = "") -> None:
        self._clear()
        self._add(text)

    def follow(self, text: str) -> None:
        """Reads another text; if it only extends the current one, indexes just the new part."""
        tail = text[len(self._text) :]
        if not text.startswith(self._text) or not tail.startswith("\n"):
            self._clear()
            tail = text
        self._add(tail)

    def states(self, value: Value) -> bool:
        """Does any sentence state the value?"""
        if value.kind not in self._by_key:
            self._by_key[value.kind] = {}
            self._index(value.kind, 0)
        found = self._by_key[value.kind].get(matching.key(value) or "", ())
        return any(matching.states(self._sentences[i], value) for i in found)

    def states_fact(self, subject: tuple[str, ...], value: Value) -> bool:
        """Does one sentence name the subject and state the value?"""
        naming: set[int] | None = None
        for ways in _subject_stems(subject):
            some = set().union(*(self._with_all(way) for way in ways))
            naming = some if naming is None else naming & some
        return any(matching.states(self._sentences[i], value) for i in sorted(naming or ()))

    def _with_all(self, stems: frozenset[str]) -> set[int]:
        places = sorted((self._by_stem.get(stem, set()) for stem in stems), key=len)
        return set.intersection(*places) if places else set()

    def _clear(self) -> None:
        self._text = ""
        self._sentences: list[str] = []
        self._by_stem: dict[str, set[int]] = {}
        self._by_key: dict[str, dict[str, list[int]]] = {}

    def _add(self, text: str) -> None:
        first = len(self._sentences)
        self._text += text
        for sentence in wording.sentences(text):
            for word in wording.words(sentence):
                self._by_stem.setdefault(wording.stem(word), set()).add(len(self._sentences))
            self._sentences.append(sentence)
        for kind in self._by_key:
            self._index(kind, first)

    def _index(self, kind: str, first: int) -> None:
        for place in range(first, len(self._sentences)):
            for key in matching.keys(self._sentences[place], kind):
                self._by_key[kind].setdefault(key, []).append(place)


@lru_cache(maxsize=65536)
def _subject_stems(subject: tuple[str, ...]) -> tuple[tuple[frozenset[str], ...], ...]:
    # Remembered, since the same subjects are asked for at every point.
    return tuple(
        tuple(frozenset(wording.stem(w) for w in wording.words(way)) for way in part.split("|"))
        for part in subject
    )


def states_fact(text: str | Reading, fact: Fact, point: int) -> bool:
    """Does the text state what this fact says at this point, in one sentence that names it?"""
    version = fact.at(point)
    if version is None:
        return False
    reading = text if isinstance(text, Reading) else Reading(text)
    return reading.states_fact(fact.subject, version.value)
